"""Mood and clocks as arithmetic: closed forms of what was written last. Pure.

    m(t) = b + (m0 - b) * 2^(-dt/H)

Nothing is ever counted on by a tick: mood is computed when it is read, so that it is the same
whatever ran in between; silence and uptime are differences of two moments. Time that runs backwards
counts as no time. Noise, where it is switched on, is a wave through seeded points that lie on a grid
of their own: a function of the moment alone, laid over the mood and never stored in it.
Rules: persona seed section 4.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from clew.kernel.clock import stamp
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault
from clew.persona.model import Alive, Mood, Vitals
from clew.persona.settings import MoodRules

FADED: Final = 0.02
"""Nearer than this to the baseline, the cause has no say any more."""
SOURCES: Final = ("person", "self", "message", "event", "wake", "board", "diary")
_SOURCE: Final = re.compile(rf"(?:{'|'.join(SOURCES)})(?::[^\s:][^\s]{{0,119}})?\Z")
_HOUR: Final = 3600.0
REST: Final = timedelta(minutes=30)
"""After so long a pause a person's words count whole."""

PERSON_SPOKE: Final = "person_spoke"
BORN: Final = "born"
AUTOMATIC: Final = {
    PERSON_SPOKE: Both("有人说了话", "a person spoke"),
    BORN: Both("刚刚开始", "it has just begun"),
}
"""Causes that clew writes itself: kept as keys, said in the reader's language."""


def said_cause(mood: Mood, lang: str) -> str:
    """The cause as people read it."""
    if not mood.automatic or mood.cause not in AUTOMATIC:
        return mood.cause
    both = AUTOMATIC[mood.cause]
    return both.zh if lang == "zh" else both.en


# ---- mood -------------------------------------------------------------------------------------------


def decayed(value: float, seconds: float, rules: MoodRules) -> float:
    """What a mood is after some seconds in which nothing happened; at once for less than none."""
    span = max(0.0, seconds) / (rules.half_life_hours * _HOUR)
    return _unit(rules.baseline + (value - rules.baseline) * 2.0**-span)


def pushed(value: float, impulse: float) -> float:
    """A mood after an impulse of -1..1: that share of the way to 1, or to 0."""
    impulse = max(-1.0, min(1.0, impulse))
    room = 1.0 - value if impulse > 0 else value
    return _unit(value + impulse * room)


def wave(moment: datetime, seed: str, rules: MoodRules) -> float:
    """The noise at a moment, within ±`rules.noise`: the same however often it is asked."""
    if not rules.noise:
        return 0.0
    place = moment.timestamp() / (rules.noise_step_hours * _HOUR)
    left = int(place // 1)
    part = place - left
    eased = part * part * (3.0 - 2.0 * part)
    first, second = _point(seed, left), _point(seed, left + 1)
    return rules.noise * (first + (second - first) * eased)


def _point(seed: str, number: int) -> float:
    found = hashlib.sha256(f"mood|{seed}|{number}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(found[:7]) / 2**55 - 1.0  # -1..1


def held_at(mood: Mood, moment: datetime, rules: MoodRules) -> float:
    """The mood that stands at a moment, without noise: what an impulse works on."""
    return decayed(mood.value, seconds_between(mood.at, moment), rules)


def mood_at(mood: Mood, moment: datetime, rules: MoodRules, seed: str) -> float:
    """The mood that is shown at a moment, 0..1."""
    return _unit(held_at(mood, moment, rules) + wave(moment, seed, rules))


def faded(mood: Mood, moment: datetime, rules: MoodRules) -> bool:
    """Whether the cause has worn off: the mood is back at its baseline, and not because it has only
    begun there. Whatever its size, a cause has a say for one half-life."""
    return not fades_in(mood, moment, rules)


def fades_in(mood: Mood, moment: datetime, rules: MoodRules) -> float:
    """Seconds from a moment until the cause has worn off; 0 where it has."""
    half_life = rules.half_life_hours * _HOUR
    away = abs(mood.value - rules.baseline)
    lasts = half_life * max(1.0, math.log2(away / FADED) if away else 0.0)
    return max(0.0, lasts - seconds_between(mood.at, moment))


def _unit(value: float) -> float:
    return max(0.0, min(1.0, value))


# ---- changing it ------------------------------------------------------------------------------------


def checked(cause: str, source: str) -> list[Fault]:
    """What is missing for a change of mood: a cause, and where it comes from."""
    faults = []
    if not cause.strip():
        faults.append(Fault("cause_needed", "$.cause"))
    if not _SOURCE.match(source):
        faults.append(
            Fault(
                "source_needed",
                "$.source",
                found=source or Both("没有写", "none given"),
                allowed=list(SOURCES),
            )
        )
    return faults


def moved(
    vitals: Vitals, moment: datetime, impulse: float, cause: str, source: str, rules: MoodRules
) -> Mood:
    """The mood after an impulse with a cause. Raises `Refused` (`cause_needed`, `source_needed`,
    `mood_push`) with every fault."""
    faults = checked(cause, source)
    if not abs(impulse) <= rules.impulse_most:
        # Up or down is another word's business.
        most = f"{rules.impulse_most:g}"
        faults.append(Fault("mood_push", "$.value", found=f"{abs(impulse):g}", limit=most))
    if faults:
        raise Refused(*faults)
    value = pushed(held_at(vitals.mood, moment, rules), impulse)
    return Mood(value=value, at=later(vitals.mood.at, moment), cause=cause, source=source)


def put(vitals: Vitals, moment: datetime, value: float, cause: str, source: str) -> Mood:
    """The mood as somebody sets it. Raises as `moved` does."""
    faults = checked(cause, source)
    if not 0.0 <= value <= 1.0:
        allowed = Both("0 到 1 的数", "a number 0..1")
        faults.append(Fault("mood_value", "$.value", found=f"{value:g}", allowed=allowed))
    if faults:
        raise Refused(*faults)
    return Mood(value=value, at=later(vitals.mood.at, moment), cause=cause, source=source)


def spoken_to(vitals: Vitals, moment: datetime, source: str, rules: MoodRules) -> Mood:
    """The mood after a person's words. A cause that somebody gave stays while it has a say; one that
    has worn off, or was written for earlier words, is replaced."""
    mood = vitals.mood
    impulse = min(rules.person_speaks, rules.impulse_most) * _rested(vitals, moment)
    value, at = pushed(held_at(mood, moment, rules), impulse), later(mood.at, moment)
    if not mood.automatic and not faded(mood, moment, rules):
        return Mood(value=value, at=at, cause=mood.cause, source=mood.source)
    return Mood(value=value, at=at, cause=PERSON_SPOKE, source=source, automatic=True)


def _rested(vitals: Vitals, moment: datetime) -> float:
    """How much of an impulse words have: all of it once `REST` has gone by without any, so that a talk
    of many short lines lifts a mood no higher than one of few long ones."""
    if not vitals.last_word_at:
        return 1.0
    return min(1.0, seconds_between(vitals.last_word_at, moment) / REST.total_seconds())


# ---- clocks -----------------------------------------------------------------------------------------


def seconds_between(earlier: str, moment: datetime) -> float:
    """Seconds from a written moment to another; none when time ran backwards."""
    return max(0.0, (moment - datetime.fromisoformat(earlier)).total_seconds())


def later(mark: str, moment: datetime) -> str:
    """The later of a written moment and another: nothing is ever written as older than it was."""
    return max(mark, stamp(moment)) if mark else stamp(moment)


def silence(vitals: Vitals, moment: datetime) -> float:
    """Seconds since the last words of a person (since the beginning, where there were none)."""
    return seconds_between(vitals.last_word_at or vitals.born_at, moment)


def alive_for(alive: Alive | None, moment: datetime, gap_minutes: int) -> float:
    """Seconds that the present stretch has lasted; 0 when it is over."""
    if alive is None or seconds_between(alive.until, moment) > gap_minutes * 60:
        return 0.0
    return max(0.0, (datetime.fromisoformat(alive.until) - datetime.fromisoformat(alive.since))
               .total_seconds() + seconds_between(alive.until, moment))  # fmt: skip


def seen(alive: Alive | None, moment: datetime, gap_minutes: int) -> tuple[Alive, Alive | None]:
    """The stretch after a look-in, and the one that had ended before it, if one had."""
    now = stamp(moment)
    if alive is None:
        return Alive(since=now, until=now), None
    if now <= alive.until:
        return alive, None
    if seconds_between(alive.until, moment) > gap_minutes * 60:
        return Alive(since=now, until=now), alive
    return Alive(since=alive.since, until=now), None


# ---- the curve --------------------------------------------------------------------------------------


class Point(NamedTuple):
    """The mood at one moment of a curve."""

    at: str
    value: float


def curve(
    moods: Sequence[Mood],
    start: datetime,
    end: datetime,
    points: int,
    rules: MoodRules,
    seed: str,
) -> list[Point]:
    """The mood at evenly spaced moments. `moods` are the states after each change, oldest first;
    before the first of them there is no mood and no point."""
    if points < 2 or end <= start or not moods:
        return []
    step = (end - start) / (points - 1)
    out: list[Point] = []
    at = -1
    for number in range(points):
        moment = (start + step * number).astimezone(UTC)
        # Written moments have milliseconds: a change of this very moment counts.
        written = stamp(moment + timedelta(milliseconds=1))
        while at + 1 < len(moods) and moods[at + 1].at <= written:
            at += 1
        if at >= 0:
            out.append(Point(stamp(moment), mood_at(moods[at], moment, rules, seed)))
    return out
