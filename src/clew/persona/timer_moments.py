"""When a timer of a session comes: five fields of a crontab, by the clock of the machine. Pure.

Source: crontab(5), as far as hosts take it: numbers, `*`, ranges, steps, lists. What is written otherwise
has no moment that could be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Final

_FIELDS: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_DAYS: Final = 366 * 8
"""The 29th of February may be eight years away."""


def next_after(schedule: str, moment: datetime) -> datetime | None:
    """The first moment of a schedule after another one, in its zone; None where there is none, or the
    schedule is not understood."""
    parts = schedule.split()
    if len(parts) != len(_FIELDS):
        return None
    fields = [_values(part, *limits) for part, limits in zip(parts, _FIELDS, strict=True)]
    if not all(fields):
        return None
    minutes, hours, days, months, weekdays = fields
    weekdays = {day % 7 for day in weekdays}
    either = parts[2] != "*" and parts[4] != "*"
    begin = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
    try:
        for ahead in range(_DAYS):
            date = begin.date() + timedelta(days=ahead)
            on_day, on_weekday = date.day in days, date.isoweekday() % 7 in weekdays
            there = (on_day or on_weekday) if either else (on_day and on_weekday)
            if date.month not in months or not there:
                continue
            start = begin.time() if not ahead else time.min
            found = _first(sorted(hours), sorted(minutes), start)
            if found is not None:
                return datetime.combine(date, found, moment.tzinfo)
    except OverflowError:
        return None
    return None


def _first(hours: Sequence[int], minutes: Sequence[int], start: time) -> time | None:
    """The first moment of a day that is not before another one."""
    for hour in hours:
        for minute in minutes:
            if (hour, minute) >= (start.hour, start.minute):
                return time(hour, minute)
    return None


def _values(text: str, low: int, high: int) -> set[int]:
    """The values of a field; empty for one that is not understood."""
    found: set[int] = set()
    for part in text.split(","):
        spread, slash, by = part.partition("/")
        first, dash, last = spread.partition("-")
        if spread == "*":
            first, last = str(low), str(high)
        elif not dash:
            last = str(high) if slash else first
        numbers = [first, last, by if slash else "1"]
        if not all(one.isascii() and one.isdigit() and len(one) < 4 for one in numbers):
            return set()
        begin, end, step = map(int, numbers)
        if not (low <= begin <= end <= high and step):
            return set()
        found |= set(range(begin, end + 1, step))
    return found
