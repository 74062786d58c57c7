"""The wake ledger on disk: `wake.jsonl`, read from its end.

A decision needs the last days only. How much is read is bounded by time and never below a size, so
that lines of a clock that was wrong for a while do not hide those before them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import msgspec

from clew.kernel import log
from clew.kernel.faults import Code, Fault, register
from clew.persona.wake.ledger import AnyLine, Ledger, decode

WAKE: Final = "wake.jsonl"
_LEAST: Final = 1 << 17
_DAYS: Final = timedelta(days=3)
"""The longest gap is a day, and a cap looks at one date."""


def recent(data: bytes | None, now: datetime, notes: list[Fault] | None = None) -> Ledger:
    """What the last days of a ledger's bytes add up to."""
    return Ledger(recent_lines(data, now, notes))


def recent_lines(
    data: bytes | None, now: datetime, notes: list[Fault] | None = None
) -> list[AnyLine]:
    """The lines of the last days, oldest first. Lines that cannot be read are left out and noted."""
    data = data or b""
    since = (now - _DAYS).strftime("%Y-%m-%dT%H:%M:%S")
    size = _LEAST
    while True:
        found, broken = _lines(_end(data, size))
        if size >= len(data) or (found and found[0].at < since):
            break
        size *= 4
    if broken and notes is not None:
        notes.append(Fault("wake_lines_unread", file=WAKE, found=broken))
    return found


def _end(data: bytes, size: int) -> bytes:
    """The whole lines in the last bytes of a log."""
    if size >= len(data):
        return data
    part = data[-size:]
    return part[part.find(b"\n") + 1 :]


def _lines(data: bytes) -> tuple[list[AnyLine], int]:
    found: list[AnyLine] = []
    broken = 0
    for line in log.lines(data)[0]:
        try:
            found.append(decode(line))
        except (msgspec.DecodeError, ValueError):
            broken += 1
    return found, broken


def every_line(data: bytes | None, notes: list[Fault]) -> list[AnyLine]:
    """All lines, for people who look at the ledger."""
    found, broken = _lines(data or b"")
    if broken:
        notes.append(Fault("wake_lines_unread", file=WAKE, found=broken))
    return found


register(
    Code(
        "wake_lines_unread", 0,
        "{file} 里有 {found} 行读不懂，已跳过",
        "{found} lines of {file} cannot be read and were left out",
        about_zh="提示，不是错误：醒来账本里被手工改坏的行不参与判断，也不会被删掉。",
        about_en="A note, not an error: lines of the wake ledger that somebody's edit broke take no "
        "part in decisions, and are not removed either.",
    ),
)  # fmt: skip
