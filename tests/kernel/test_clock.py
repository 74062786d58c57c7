"""Moments are written in UTC to the millisecond."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.clock import stamp, system_clock

ZONES = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2900, 1, 1), timezones=ZONES)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2025, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC), "2025-01-02T03:04:05.678Z"),
        (datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC), "2025-01-02T03:04:05.000Z"),
        (
            datetime(2025, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=8))),
            "2025-01-01T19:04:00.000Z",
        ),
    ],
)
def test_a_stamp_is_iso_8601_in_utc_with_milliseconds(moment: datetime, text: str) -> None:
    assert stamp(moment) == text


@given(MOMENTS)
def test_a_stamp_is_read_back_as_the_same_millisecond(moment: datetime) -> None:
    back = datetime.fromisoformat(stamp(moment))
    assert timedelta(0) <= moment - back < timedelta(milliseconds=1)


@given(st.tuples(MOMENTS, MOMENTS))
def test_stamps_sort_as_their_moments(pair: tuple[datetime, datetime]) -> None:
    early, late = sorted(pair)
    assert stamp(early) <= stamp(late)
    assert len(stamp(early)) == len("2025-01-02T03:04:05.678Z")


def test_the_system_clock_knows_its_zone_and_goes_on() -> None:
    first, second = system_clock(), system_clock()
    assert first.tzinfo is UTC
    assert first <= second
