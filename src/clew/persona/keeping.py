"""The state of a persona, read and kept: what it is now, a person's words, a look-in, a change of
mood.

Each change is one transaction with the event that tells of it; the event holds the mood as it became,
so that `vitals.json` can be made again from the log. Rules: persona seed section 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from clew.kernel.clock import stamp
from clew.kernel.errors import ClewError, Missing, Refused
from clew.kernel.faults import Both, Fault
from clew.kernel.text import byte_length, clean, cut_chars
from clew.persona import vitals as law
from clew.persona.ahead import is_ahead
from clew.persona.decoding import decoded, instant, needed
from clew.persona.ends import ENDS, Ends
from clew.persona.home import Change, Home
from clew.persona.model import LISTS, VITALS, Event, Lists, Mood, Vitals

CAUSE_BYTES: Final = 600


class StateNow(msgspec.Struct, frozen=True, kw_only=True):
    """The state at one moment; everything is derived when it is asked."""

    at: str
    date: str
    zone: str
    mood: float
    baseline: float
    cause: str
    source: str
    faded: bool
    """The mood is back at its baseline: the cause is history."""
    since: str
    """When the mood last changed."""
    silence_seconds: int
    last_word_at: str
    alive_seconds: int
    alive_since: str
    open_intents: int
    hanging: int


def state(home: Home, moment: datetime | None = None, lang: str = "en") -> StateNow:
    """The state at a moment (now where none is given). Reads only."""
    vitals, lists = home.look(lambda reader: (reader.read(VITALS), reader.read(LISTS)))
    return state_of(
        home, needed(decoded(vitals, Vitals, VITALS), VITALS),
        needed(decoded(lists, Lists, LISTS), LISTS), moment or home.now(), lang,
    )  # fmt: skip


def state_of(
    home: Home, vitals: Vitals, lists: Lists, moment: datetime, lang: str = "en"
) -> StateNow:
    """The state that documents give at a moment."""
    rules, gap = home.settings.mood, home.settings.presence.gap_minutes
    alive = law.alive_for(vitals.alive, moment, gap)
    return StateNow(
        at=stamp(moment), date=home.civil(moment), zone=home.settings.zone,
        mood=law.mood_at(vitals.mood, moment, rules, home.settings.id), baseline=rules.baseline,
        cause=law.said_cause(vitals.mood, lang), source=vitals.mood.source,
        faded=law.faded(vitals.mood, moment, rules), since=vitals.mood.at,
        silence_seconds=int(law.silence(vitals, moment)), last_word_at=vitals.last_word_at,
        alive_seconds=int(alive),
        alive_since=vitals.alive.since if vitals.alive is not None and alive else "",
        open_intents=len(lists.open_intents()), hanging=len(lists.open_hanging()),
    )  # fmt: skip


def clock_notes(home: Home) -> list[Fault]:
    """That a clock was ahead when something was written, while that moment has not come."""
    vitals, ends = home.look(lambda reader: (reader.read(VITALS), reader.read(ENDS)))
    found = []
    with suppress(ClewError):  # documents that cannot be read are told by whoever needs them
        known = decoded(vitals, Vitals, VITALS)
        found += [known.mood.at, known.last_word_at] if known is not None else []
    with suppress(ClewError):
        kept = decoded(ends, Ends, ENDS)
        found += [kept.ahead] if kept is not None else []
    until = max((at for at in found if is_ahead(at, home.now())), default="")
    return [Fault("clock_was_ahead", until=until)] if until else []


# ---- changing ---------------------------------------------------------------------------------------


def vitals_in(change: Change) -> Vitals:
    """The vitals within a change, none of them later than now. Raises `Missing`, `Corrupt`,
    `NewerSchema`."""
    change.right_clock()
    return needed(change.load(VITALS, Vitals), VITALS)


def heard(change: Change, *, window: str = "", ref: str = "", words: int = 0) -> Vitals:
    """A person said something: silence begins anew, mood rises by its impulse.

    `ref` names the message where it has a name, `words` counts its characters. Not for what a hook,
    a timer or the persona itself says.
    """
    rules = change.home.settings.mood
    vitals = vitals_in(change)
    source = f"person:{_reference(ref or window)}" if ref or window else "person"
    mood = law.spoken_to(vitals, change.moment, source, rules)
    alive, ended = law.seen(vitals.alive, change.moment, change.home.settings.presence.gap_minutes)
    _tell_end(change, ended)
    event = change.event("words", window=window, ref=ref, words=words, mood=builtins(mood))
    after = msgspec.structs.replace(
        vitals, mood=mood, last_word_at=max(vitals.last_word_at, event.at), alive=alive
    )
    change.save(VITALS, after)
    return after


def seen(change: Change) -> Vitals:
    """Somebody or something looked in: the present stretch goes on, or a new one begins."""
    vitals = vitals_in(change)
    alive, ended = law.seen(vitals.alive, change.moment, change.home.settings.presence.gap_minutes)
    if alive == vitals.alive:
        return vitals
    _tell_end(change, ended)
    after = msgspec.structs.replace(vitals, alive=alive)
    change.save(VITALS, after)
    return after


def keep_state(home: Home) -> StateNow:
    """The periodic tool `state`: marks that the persona is there and answers how it is. However
    often it runs, the mood is the same."""
    with home.change() as change:
        seen(change)
    return state(home)


def periodic(home: Home) -> dict[str, Any]:
    """`keep_state` as the pulse calls it."""
    now = keep_state(home)
    return {
        "mood": now.mood,
        "silence_seconds": now.silence_seconds,
        "alive_seconds": now.alive_seconds,
    }


def change_mood(
    home: Home,
    how: str,
    value: float,
    *,
    cause: str,
    source: str,
    window: str = "",
) -> StateNow:
    """`set`, `raise` or `lower` the mood, because of something.

    Raises `Refused` (`cause_needed`, `source_needed`, `mood_value`, `mood_push`, `text_too_long`), `Missing`
    (`no_such_entry`) for an event that never was.
    """
    cause = one_line(cause, "$.cause", CAUSE_BYTES) if cause.strip() else ""
    act: Callable[[Vitals, datetime], Mood]
    if how == "set":
        act = lambda vitals, moment: law.put(vitals, moment, value, cause, source)  # noqa: E731
    else:
        impulse = value if how == "raise" else -value
        rules = home.settings.mood
        act = lambda vitals, moment: law.moved(  # noqa: E731
            vitals, moment, impulse, cause, source, rules
        )
    with home.change() as change:
        vitals = vitals_in(change)
        mood = act(vitals, change.moment)
        _check_event(change, source)
        change.event("mood", window=window, how=how, value=value, mood=builtins(mood))
        change.save(VITALS, msgspec.structs.replace(vitals, mood=mood))
    return state(home)


def _check_event(change: Change, source: str) -> None:
    found = re.fullmatch(r"event:e?(\d{1,12})", source)
    if not source.startswith("event:"):
        return
    last = change.last_event()
    most = last.n if last is not None else 0
    if found is None or not 1 <= int(found[1]) <= most:
        raise Missing(
            Fault(
                "no_such_entry",
                "$.source",
                found=source.removeprefix("event:"),
                name=Both("事件", "event"),
                allowed=f"e1..e{most}",
            )
        )


def _tell_end(change: Change, ended: Any) -> None:
    if ended is not None:
        change.event("asleep", since=ended.since, until=ended.until)


def _reference(text: str) -> str:
    return re.sub(r"[\s:]", "-", text)[:120]


def builtins(value: Any) -> Any:
    """A struct as it stands in the facts of an event."""
    return msgspec.to_builtins(value)


def one_line(text: str, path: str, limit: int) -> str:
    """A text on one line. Raises `Refused` (`empty_text`, `bad_text`, `text_too_long`)."""
    from clew.kernel.text import has_surrogate

    if has_surrogate(text):
        raise Refused(Fault("bad_text", path))
    found = clean(text)
    if not found:
        raise Refused(Fault("empty_text", path))
    size = byte_length(found)
    if size > limit:
        cut = cut_chars(found, limit)
        raise Refused(Fault("text_too_long", path, found=size, limit=limit, cut_chars=cut))
    return found


# ---- the past ---------------------------------------------------------------------------------------


def moods_in(events: list[Event]) -> list[Mood]:
    """The moods that events tell of, oldest first. What cannot be read is no mood."""
    out: list[Mood] = []
    for event in events:
        if "mood" in event.facts:
            try:
                out.append(msgspec.convert(event.facts["mood"], Mood))
            except msgspec.ValidationError:
                continue
    return out


class MoodCurve(msgspec.Struct, frozen=True, kw_only=True):
    """Mood over time, with what moved it."""

    hours: int
    baseline: float
    points: list[law.Point]
    causes: list[Mood]
    """Changes within the span."""


def mood_curve(home: Home, hours: int, points: int = 97, lang: str = "en") -> MoodCurve:
    """The mood of the last hours, as data for a chart."""
    end = home.now()
    start = end - timedelta(hours=hours)
    # A mood that a clock wrote which was ahead is told again by the event that put the clock right.
    moods = [mood for mood in moods_in(home.read_events()) if not is_ahead(mood.at, end)]
    moods.sort(key=lambda mood: mood.at)
    rules = home.settings.mood
    shown = [
        msgspec.structs.replace(mood, cause=law.said_cause(mood, lang))
        for mood in moods
        if start <= instant(mood.at) <= end
    ]
    line = law.curve(moods, start, end, points, rules, home.settings.id)
    # Where something moved it, too: a peak between two even moments is no less true.
    line += [
        law.Point(mood.at, law.mood_at(mood, instant(mood.at), rules, home.settings.id))
        for mood in shown
    ]
    line.sort()
    return MoodCurve(hours=hours, baseline=rules.baseline, points=line, causes=shown)
