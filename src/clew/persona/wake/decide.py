"""The one decision: does an entry run now, and if not, why not. Pure.

`decide(now, zone, ledger, intents, presence, host)` in the words of the design; what stays the same
over a persona's life (its id, its rules, its zone) comes as the `Grid`. What a slot itself decides
(quiet hours, dice, gap, cap) is judged at the moment at which it is due, so that it does not matter
when somebody looks, and the quiet hours are looked at again now. Rules: persona seed section 2.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from clew.persona.wake.civil import civil_date
from clew.persona.wake.dice import throw
from clew.persona.wake.ledger import Ledger
from clew.persona.wake.reasons import Reason
from clew.persona.wake.rules import Entry
from clew.persona.wake.slots import Grid, Slot

Facts = dict[str, str | int]


class Presence(NamedTuple):
    """Who is there, and what waits."""

    last_word_at: datetime | None = None
    """When a person last said something."""
    mail: int = 0
    """The number of the newest note for the persona that it has not read; 0: there is none."""


class Host(NamedTuple):
    """The machine that asks, and what it may spend."""

    holds: bool = True
    """Whether the pulse is here."""
    holder: str = ""
    """Who has it, where it is not."""
    paused: bool = False
    runner: str = "outbox"
    trusted: bool = True
    """Whether what the home names may be run."""
    runs_per_day: int = 12
    tokens_per_day: int = 200_000


class Run(NamedTuple):
    """The entry runs."""

    entry: Entry
    slot: Slot


class Skip(NamedTuple):
    """The entry does not run."""

    entry: Entry
    reason: Reason
    facts: Facts
    slot: Slot | None = None
    """The slot that was looked at."""


Decision = Run | Skip


def decide(
    entry: Entry,
    now: datetime,
    grid: Grid,
    ledger: Ledger,
    intents: int,
    presence: Presence,
    host: Host,
) -> Decision:
    """Decide one entry at one moment. `intents` counts the open ones."""
    blocked = standing(entry, grid, ledger, intents, host)
    if blocked is not None:
        return blocked
    if ledger.went_back(now):
        return Skip(entry, "clock_back", {})
    slot = grid.latest(entry, now)
    if slot is None:
        return Skip(entry, "not_due", {})
    return judge(slot, now, grid, ledger, presence, host) or Run(entry, slot)


def standing(entry: Entry, grid: Grid, ledger: Ledger, intents: int, host: Host) -> Skip | None:
    """What stops the entry until somebody does something about it."""
    if entry == "interactive":
        return Skip(entry, "waits_for_person", {})
    if host.paused:
        return Skip(entry, "paused", {})
    if not grid.rules.of(entry).enabled:
        return Skip(entry, "off", {})
    if not host.holds:
        return Skip(entry, "held_elsewhere", {"holder": host.holder})
    if entry == "autonomous" and intents <= 0:
        return Skip(entry, "no_intent", {})
    if host.runner != "outbox" and not host.trusted:
        return Skip(entry, "not_trusted", {})
    if running := ledger.open():
        return Skip(entry, "busy", {"key": running[0].line.key})
    return None


def judge(
    slot: Slot, now: datetime, grid: Grid, ledger: Ledger, presence: Presence, host: Host
) -> Skip | None:
    """Why a slot does not run at `now` (which is not before it is due); None when it does."""
    entry, rule = slot.entry, grid.rules.of(slot.entry)
    last = ledger.last.get(entry)
    if ledger.floor is not None and slot.due <= ledger.floor:
        return Skip(entry, "clock_back", {}, slot)
    if ledger.born is not None and slot.due <= ledger.born:
        return Skip(entry, "not_due", {}, slot)
    if slot.key in ledger.by_key or (last is not None and last.at >= slot.due):
        return Skip(entry, "not_due", {}, slot)
    if rule.quiet and (grid.is_quiet(slot.due) or grid.is_quiet(now)):
        return Skip(entry, "quiet", {}, slot)
    # A note is reason enough once: who did not answer it is not woken by it again.
    mailed = entry == "resident" and presence.mail > ledger.mail
    if not mailed:
        percent = rule.peak_percent if grid.is_peak(slot.due) else rule.valley_percent
        thrown = throw(grid.persona, entry, slot.date, slot.ordinal, "dice", 100)
        if thrown >= percent:
            return Skip(entry, "dice", {"thrown": thrown, "percent": percent}, slot)
    if last is not None and slot.due - last.at < timedelta(minutes=rule.gap_minutes):
        return Skip(entry, "gap", {"minutes": rule.gap_minutes}, slot)
    if rule.cap is not None and ledger.used(entry, slot.date, grid.zone) >= rule.cap:
        return Skip(entry, "cap", {"cap": rule.cap}, slot)
    if rule.alone and not mailed and is_present(now, grid, presence):
        return Skip(entry, "present", {}, slot)
    return _spent(slot, now, grid, ledger, host)


def is_present(now: datetime, grid: Grid, presence: Presence) -> bool:
    """Whether a person is there. A last word in the far future is a clock's mistake."""
    if presence.last_word_at is None:
        return False
    return abs(now - presence.last_word_at) < timedelta(minutes=grid.rules.present_minutes)


def leaves_at(grid: Grid, presence: Presence, now: datetime) -> datetime:
    """When a person who is there at `now` counts as gone, if they say nothing more."""
    last = presence.last_word_at
    return now if last is None else last + timedelta(minutes=grid.rules.present_minutes)


def _spent(slot: Slot, now: datetime, grid: Grid, ledger: Ledger, host: Host) -> Skip | None:
    if host.runner == "outbox":
        return None
    runs, tokens = ledger.spent(civil_date(now, grid.zone), grid.zone)
    if runs >= host.runs_per_day:
        return Skip(slot.entry, "runs_spent", {"limit": host.runs_per_day}, slot)
    if tokens >= host.tokens_per_day:
        return Skip(slot.entry, "tokens_spent", {"limit": host.tokens_per_day}, slot)
    return None
