"""The moments at which an entry may come: a grid over each civil date, with its own jitter. Pure.

A slot is (entry, date, ordinal): the ordinal counts periods from the first moment of the date. It is
due at that moment plus its jitter. Jitter never carries it across midnight or an edge of quiet hours;
there it is left out. A machine that was asleep sees the last slot only.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import Final, NamedTuple

from clew.persona.wake.civil import civil_date, day_start, minute_of_day, next_day
from clew.persona.wake.dice import throw
from clew.persona.wake.rules import Entry, WakeRules, within

_LONGEST_DAY: Final = timedelta(hours=49)
"""No zone ever had a longer one: some repeated a whole date when they crossed the date line."""
_BACK: Final = 4


class Slot(NamedTuple):
    """One moment at which an entry may come."""

    entry: Entry
    date: str
    ordinal: int
    due: datetime

    @property
    def key(self) -> str:
        """Names the slot for good: it is reserved at most once."""
        return f"{self.entry}/{self.date}/{self.ordinal}"


class Grid(NamedTuple):
    """What the slots of a persona follow from."""

    persona: str
    rules: WakeRules
    zone: tzinfo

    def is_quiet(self, moment: datetime) -> bool:
        """Whether it is in the quiet hours."""
        return within(self.rules.quiet, minute_of_day(moment, self.zone))

    def is_peak(self, moment: datetime) -> bool:
        """Whether it is in one of the peaks."""
        minute = minute_of_day(moment, self.zone)
        return any(within(span, minute) for span in self.rules.peak)

    def latest(self, entry: Entry, now: datetime) -> Slot | None:
        """The last slot of the present date that is due by `now`."""
        date = civil_date(now, self.zone)
        start = day_start(date, self.zone)
        last = int((now - start) / timedelta(minutes=self.rules.of(entry).period_minutes))
        for ordinal in range(last, max(-1, last - _BACK - self._folded(entry)), -1):
            slot = self._slot(entry, date, start, ordinal)
            if slot.due <= now and civil_date(slot.due, self.zone) == date:
                return slot
        return None

    def coming(self, entry: Entry, now: datetime, days: int) -> Iterator[Slot]:
        """The slots that are due after `now`, in their order, over some civil dates."""
        date = civil_date(now, self.zone)
        found: list[Slot] = []
        for _ in range(days):
            following = next_day(date)
            found += self._of_date(entry, date)
            start = day_start(following, self.zone)
            # A clock that is set back past midnight shows the end of a date after the next began.
            ready = sorted((s for s in found if s.due < start), key=_due)
            found = [slot for slot in found if slot.due >= start]
            yield from (slot for slot in ready if slot.due > now)
            date = following

    def _of_date(self, entry: Entry, date: str) -> Iterator[Slot]:
        start = day_start(date, self.zone)
        period = timedelta(minutes=self.rules.of(entry).period_minutes)
        for ordinal in range(int(_LONGEST_DAY / period) + 1):
            slot = self._slot(entry, date, start, ordinal)
            if civil_date(slot.due, self.zone) == date:
                yield slot

    def _folded(self, entry: Entry) -> int:
        """How many slots an hour holds: so many may belong to the other date where it is repeated."""
        return 60 // self.rules.of(entry).period_minutes

    def _slot(self, entry: Entry, date: str, start: datetime, ordinal: int) -> Slot:
        rule = self.rules.of(entry)
        base = start + timedelta(minutes=rule.period_minutes * ordinal)
        if not rule.jitter_minutes:
            return Slot(entry, date, ordinal, base)
        seconds = throw(self.persona, entry, date, ordinal, "jitter", rule.jitter_minutes * 60)
        due = base + timedelta(seconds=seconds)
        other_day = civil_date(base, self.zone) != civil_date(due, self.zone)
        if other_day or self.is_quiet(base) != self.is_quiet(due):
            due = base
        return Slot(entry, date, ordinal, due)


def _due(slot: Slot) -> datetime:
    return slot.due
