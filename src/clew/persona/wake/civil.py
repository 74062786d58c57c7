"""Civil dates and times of day in the persona's zone, for moments in UTC. Pure.

Everything else adds and compares in UTC: two times of one zone are compared by their wall clock in
Python, which is wrong on the days on which that clock is changed.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo

_FIRST, _LAST = 2, 9998
"""Far enough from the ends of the calendar for every zone."""


def utc(text: str) -> datetime:
    """A moment that a document holds (`…Z`). ValueError when it is none."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(f"a moment without its zone: {text}")
    if not _FIRST <= found.year <= _LAST:
        raise ValueError(f"a moment at the end of the calendar: {text}")
    return found.astimezone(UTC)


def day_of(text: str) -> date:
    """A civil date that a document holds. ValueError when it is none."""
    return date.fromisoformat(text)


def civil_date(moment: datetime, zone: tzinfo) -> str:
    """The date on the persona's calendar, `YYYY-MM-DD`."""
    return moment.astimezone(zone).date().isoformat()


def minute_of_day(moment: datetime, zone: tzinfo) -> int:
    """What the persona's wall clock shows, in minutes from midnight, 0..1439."""
    wall = moment.astimezone(zone)
    return wall.hour * 60 + wall.minute


def day_start(day: str, zone: tzinfo) -> datetime:
    """The first moment of a date, in UTC. Where the clock skips midnight that is the moment of the
    change; where it shows midnight twice, the first time."""
    found = date.fromisoformat(day)
    return datetime(found.year, found.month, found.day, tzinfo=zone).astimezone(UTC)


def next_day(day: str) -> str:
    """The date after."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
