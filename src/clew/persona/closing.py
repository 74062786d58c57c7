"""Putting a change right with the present, where something was written by a clock that was ahead."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from clew.kernel.errors import ClewError
from clew.persona.ahead import is_ahead, vitals_by
from clew.persona.model import VITALS, Vitals

if TYPE_CHECKING:
    from clew.persona.home import Change


def right_clock(change: Change) -> None:
    """Where the last event or the vitals are later than now: count mood, silence and uptime from now on,
    and tell it in an event that holds the mood as it became."""
    now = change.clock_now
    last = change.last_event()
    marks = [last.at] if last is not None and is_ahead(last.at, now) else []
    facts: dict[str, Any] = {}
    try:
        vitals = change.load(VITALS, Vitals)
    except ClewError:  # told by whoever needs them
        vitals = None
    if vitals is not None and (after := vitals_by(vitals, now)) != vitals:
        until = vitals.alive.until if vitals.alive is not None else ""
        marks += [vitals.mood.at, vitals.last_word_at, vitals.born_at, until]
        facts["mood"] = msgspec.to_builtins(after.mood)
        change.save(VITALS, after)
    if marks:
        mark = max(marks)
        behind = round((datetime.fromisoformat(mark) - now).total_seconds())
        change.add_event("clock_back", "", {"mark": mark, "seconds": behind, **facts})
        ends = change.ends
        change.ends = msgspec.structs.replace(ends, ahead=max(mark, ends.ahead))
