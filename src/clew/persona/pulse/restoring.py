"""Runs that the wake ledger has lost, brought back from what else knows of them.

A ledger that was emptied or cut would let a day's runs happen again. Every run is also told by an event,
and one that left a prompt by a line of the outbox; those that the ledger does not have any more are
written into it again. What they came to is kept, when they were due is not known any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import msgspec

from clew.kernel import log
from clew.kernel.clock import stamp
from clew.persona.decoding import decoded_lines
from clew.persona.ends import matches, missing
from clew.persona.model import EVENTS, Event
from clew.persona.pulse.ledgerfile import WAKE, every_line
from clew.persona.pulse.outbox import OUTBOX, Left, Taken
from clew.persona.wake.ledger import Effect, Lost, Outcome, Reserved

if TYPE_CHECKING:
    from clew.persona.home import Change

_DAYS: Final = timedelta(days=3)
"""As far back as a decision looks."""


class _Known(NamedTuple):
    key: str
    at: str
    runner: Any
    outcome: str


def restore(change: Change) -> int:
    """Write the runs of the last days that the ledger has lost into it again; returns how many."""
    known = change.ends.logs.get(WAKE)
    if known is None:
        return 0
    whole = matches(known, change.tail(WAKE)) or missing(known, change.read(WAKE)) is None
    if whole and WAKE not in change.ends.lost:
        return 0
    there = {
        line.key
        for line in every_line(change.read(WAKE), [])
        if isinstance(line, Reserved | Effect | Lost)
    }
    since = stamp(change.clock_now - _DAYS)
    found = {run.key: run for run in _runs(change) if run.at >= since and run.key not in there}
    return sum(_written(change, run) for run in found.values())


def _runs(change: Change) -> Iterator[_Known]:
    """Every run that something tells of; the events last, which know more."""
    for line in log.lines(change.read(OUTBOX) or b"")[0]:
        try:
            left = msgspec.json.decode(line, type=Left | Taken)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if isinstance(left, Left):
            yield _Known(left.id, left.at, "outbox", "left")
    for event in decoded_lines(log.lines(change.read(EVENTS) or b"")[0], Event, EVENTS, []):
        key, runner = event.facts.get("wake"), event.facts.get("runner", "outbox")
        if event.kind == "wake" and isinstance(key, str):
            yield _Known(key, event.at, runner, str(event.facts.get("outcome")))


def _written(change: Change, run: _Known) -> bool:
    entry, _, rest = run.key.partition("/")
    date, _, ordinal = rest.partition("/")
    outcomes = get_args(Outcome)
    try:
        line = msgspec.convert(
            {
                "kind": "reserved", "at": run.at, "entry": entry, "date": date,
                "ordinal": int(ordinal), "due": run.at, "runner": run.runner, "deadline": run.at,
            },
            Reserved,
        )  # fmt: skip
    except (ValueError, msgspec.ValidationError):
        return False  # no key of a run
    outcome: Any = run.outcome if run.outcome in outcomes else "done"
    change.append(WAKE, line)
    change.append(WAKE, Effect(at=run.at, key=run.key, outcome=outcome))
    return True
