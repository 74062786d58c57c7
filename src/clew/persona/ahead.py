"""Moments that were written by a clock that was ahead. Pure.

The machine's present is believed, the log is not: a moment that has not come yet is no fact. Once such
a clock was put right, what is written takes the present moment, and mood and silence count from there;
lines that have a later moment stay as they are, and are told. The order of the lines is the order of
events. Rules: persona seed section 4; docs/persona.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final

import msgspec

from clew.kernel import log
from clew.kernel.clock import stamp
from clew.kernel.faults import Code, Fault, register
from clew.persona.model import Mood, Vitals

SKEW: Final = timedelta(minutes=1)
"""A clock that is further behind than this was put back; less is the dust of two machines."""


class _Dated(msgspec.Struct):
    at: str = ""


def is_ahead(at: str, now: datetime) -> bool:
    """Whether a written moment has not come yet."""
    return bool(at) and datetime.fromisoformat(at) > now + SKEW


def mood_by(mood: Mood, now: datetime) -> Mood:
    """A mood of the present at the latest."""
    return msgspec.structs.replace(mood, at=stamp(now)) if is_ahead(mood.at, now) else mood


def vitals_by(vitals: Vitals, now: datetime) -> Vitals:
    """Vitals of which nothing is later than the present: clocks that had run ahead begin anew."""

    def clamped(at: str) -> str:
        return stamp(now) if is_ahead(at, now) else at

    alive = vitals.alive
    return msgspec.structs.replace(
        vitals, mood=mood_by(vitals.mood, now), last_word_at=clamped(vitals.last_word_at),
        born_at=clamped(vitals.born_at),
        alive=None if alive is not None and is_ahead(alive.until, now) else alive,
    )  # fmt: skip


def moments_ahead(data: bytes | None, now: datetime) -> list[str]:
    """The moments of a log's lines that have not come yet, the earliest first."""
    limit = stamp(now + SKEW)
    found = []
    for line in log.lines(data or b"")[0]:
        try:
            at = msgspec.json.decode(line, type=_Dated).at
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # told as a line that cannot be read
        if at > limit:
            found.append(at)
    return sorted(found)


def notes(paths: Iterable[str], read: Callable[[str], bytes | None], now: datetime) -> list[Fault]:
    """What is dated in the future, log by log."""
    return [
        Fault("lines_ahead", file=path, found=len(found), since=found[0], until=found[-1])
        for path in paths
        if (found := moments_ahead(read(path), now))
    ]


register(
    Code(
        "lines_ahead", 0,
        "{file} 里有 {found} 行写着还没到的时刻（{since} 到 {until}）：写的时候时钟走快了",
        "{found} lines of {file} are dated in the future ({since} to {until}): the clock was ahead when they "
        "were written",
        about_zh="提示：还没到的时刻不算数。时钟改回来以后，新写的行、日记的日期、心情和沉默都按现在算；这些行原样留着。",
        about_en="A note: a moment that has not come is no fact. Once the clock is right, new lines, the "
        "date of the diary, mood and silence go by the present; those lines stay as they are.",
    ),
    Code(
        "clock_was_ahead", 0,
        "时钟曾经走快，写下了直到 {until} 的时刻；现在按真实时间算",
        "the clock was ahead and moments up to {until} were written; the present counts now",
        "看是哪些行：clew persona check。",
        "`clew persona check` shows which lines.",
        about_zh="提示：改回时钟之后第一次写入时，心情、沉默和连续存活从那一刻重新算起，并记下 clock_back 事件。",
        about_en="A note: with the first change after the clock was put right, mood, silence and uptime count "
        "from that moment, and an event `clock_back` tells so.",
    ),
)  # fmt: skip
