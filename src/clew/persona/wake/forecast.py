"""What comes: the exact moment of each entry's next run, and why one will not run. Pure.

Told for the state as it stands: nobody speaks, no intent is added, somebody looks (a tick) at every
moment. The same functions judge it that will decide it, so that the two cannot disagree.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from clew.persona.wake.civil import civil_date
from clew.persona.wake.decide import Host, Presence, Skip, judge, leaves_at, standing
from clew.persona.wake.ledger import Ledger
from clew.persona.wake.rules import ENTRIES, Entry
from clew.persona.wake.slots import Grid, Slot

DAYS: Final = 8
"""How many civil dates are looked at."""
_PASSED: Final = 4


class Coming(NamedTuple):
    """What is to be expected of one entry."""

    entry: Entry
    at: datetime | None
    """When it runs next; with `blocked`, when it would. None: not within the days looked at."""
    slot: Slot | None
    blocked: Skip | None
    """What stops it until somebody does something about it."""
    passed: tuple[Skip, ...]
    """Why it does not run at the moments before, the first ones of each reason in a row."""
    used: int = 0
    """How many of today's runs are used up."""


def forecast(
    entry: Entry,
    now: datetime,
    grid: Grid,
    ledger: Ledger,
    intents: int,
    presence: Presence,
    host: Host,
    *,
    days: int = DAYS,
) -> Coming:
    """The next run of one entry."""
    blocked = standing(entry, grid, ledger, intents, host)
    if entry == "interactive":
        return Coming(entry, None, None, blocked, ())
    passed: list[Skip] = []
    latest = grid.latest(entry, now)
    present = [latest] if latest is not None else []
    used = ledger.used(entry, civil_date(now, grid.zone), grid.zone)
    for slot in (*present, *grid.coming(entry, now, days)):
        at = max(slot.due, now)
        skip = judge(slot, at, grid, ledger, presence, host)
        if skip is not None and skip.reason == "present":
            # The slot waits for the person to be gone, until the next one takes its place.
            gone = leaves_at(grid, presence, at)
            if grid.latest(entry, gone) == slot:
                at, skip = gone, judge(slot, gone, grid, ledger, presence, host)
        if skip is None:
            return Coming(entry, at, slot, blocked, tuple(passed), used)
        told = skip.reason != "not_due"  # a slot that has run passes by for no reason of its own
        if told and len(passed) < _PASSED and (not passed or passed[-1].reason != skip.reason):
            passed.append(skip)
    return Coming(entry, None, None, blocked, tuple(passed), used)


def everything(
    now: datetime,
    grid: Grid,
    ledger: Ledger,
    intents: int,
    presence: Presence,
    host: Host,
) -> list[Coming]:
    """The next run of each entry, in the order of the seed's table."""
    return [forecast(entry, now, grid, ledger, intents, presence, host) for entry in ENTRIES]
