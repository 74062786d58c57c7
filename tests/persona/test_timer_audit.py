"""The audit of a session's timers: what their owner would not notice (F30)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.persona.timer_audit import MOST, Timer, audit, keep, read_timers
from clew.persona.timer_moments import next_after

NOW = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)


def at(**back: float) -> str:
    return (NOW - timedelta(**back)).isoformat().replace("+00:00", "Z")


def cron(**more: object) -> Timer:
    given = {"id": "c1", "schedule": "*/25 * * * *", "recurring": True, "created": at(days=1)}
    return Timer(**{**given, **more})  # type: ignore[arg-type]


def kinds(before: list[Timer], now: list[Timer], durable: tuple[str, ...] = ()) -> list[str]:
    return [one.kind for one in audit(before, now, NOW, durable=durable)]


@pytest.mark.parametrize(
    ("before", "now", "found"),
    [
        ([], [cron()], []),
        ([cron()], [cron()], []),
        ([cron()], [], ["gone"]),
        ([cron(created=at(days=8))], [], ["expired"]),
        ([], [cron(created=at(days=6, hours=1))], ["expires_soon"]),
        ([], [cron(created="", seen=at(days=6, hours=12))], ["expires_soon"]),
        ([], [cron(created=at(days=7, hours=1))], []),  # a newer version keeps it longer
        ([], [cron(created=at(days=29, hours=1))], ["expires_soon"]),
        ([], [cron(created=at(days=31))], []),
        ([], [cron(recurring=False, created=at(days=6, hours=12))], []),
        ([], [cron(next=at(hours=1))], ["overdue"]),
        ([], [cron(next=at(minutes=10))], []),
        ([], [cron(recurring=False, created=at(minutes=5), next=at(hours=1))], ["born_late"]),
        ([cron(recurring=False, next=at(hours=1))], [], []),
        ([cron(recurring=False, next=at(hours=-5))], [], ["gone"]),
        ([], [cron(id=f"c{n}") for n in range(MOST)], ["full"]),
    ],
)
def test_what_is_wrong_with_a_timer_is_found(
    before: list[Timer], now: list[Timer], found: list[str]
) -> None:
    assert kinds(before, now) == found


CLAUDE = {"id": "bae4a175", "schedule": "30 13 8 3 *", "recurring": False, "prompt": "拜年"}
"""All that Claude Code tells of a timer (2.1.197, 2.1.332)."""


def told(schedule: str, *, first: timedelta) -> list[Timer]:
    """One single run, told first so long before now."""
    return read_timers([{**CLAUDE, "schedule": schedule}], NOW - first) or []


@pytest.mark.parametrize(
    ("schedule", "first", "there", "found"),
    [
        ("30 13 8 3 *", timedelta(hours=2), False, "gone"),  # its moment is still to come
        ("30 11 8 3 *", timedelta(hours=2), False, ""),  # it has run
        ("1 12 8 3 *", timedelta(hours=2), False, ""),  # up to 90 seconds early
        ("0 11 8 3 *", timedelta(hours=2), True, "overdue"),  # and did not run
        ("50 11 8 3 *", timedelta(hours=2), True, ""),  # a host waits until it is idle
        ("58 9 8 3 *", timedelta(hours=2), False, ""),  # set up within the turn in which it was due
        ("*/7 * * * *", timedelta(hours=2), False, ""),
        ("whenever", timedelta(hours=2), False, ""),
    ],
)
def test_a_single_run_of_which_only_the_schedule_is_told(
    schedule: str, first: timedelta, there: bool, found: str
) -> None:
    before = told(schedule, first=first)
    said = [one.kind for one in audit(before, before if there else [], NOW)]
    assert said == ([found] if found else [])


def test_a_schedule_goes_by_the_clock_of_the_machine() -> None:
    before = told("30 21 8 3 *", first=timedelta(hours=2))
    east = timezone(timedelta(hours=8))
    (lost,) = audit(before, [], NOW, zone=east)
    assert (lost.kind, lost.when) == ("gone", "2026-03-08T13:30:00Z")


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("*/25 * * * *", "2026-03-08T12:25:00"),
        ("0 9 * * *", "2026-03-09T09:00:00"),
        ("0 12 * * *", "2026-03-09T12:00:00"),
        ("5,10-12 12 * * *", "2026-03-08T12:05:00"),
        ("0 8 * * 1-5", "2026-03-09T08:00:00"),
        ("0 8 * * 7", "2026-03-15T08:00:00"),
        ("0 8 13 * 5", "2026-03-13T08:00:00"),
        ("0 8 20 * 2", "2026-03-10T08:00:00"),
        ("0 0 29 2 *", "2028-02-29T00:00:00"),
        ("0 0 31 2 *", None),
        ("60 * * * *", None),
        ("* * * *", None),
        ("*/0 * * * *", None),
        ("5-1 * * * *", None),
        ("٣ * * * *", None),
        ("@daily", None),
        ("", None),
    ],
)
def test_the_next_moment_of_a_schedule(schedule: str, expected: str | None) -> None:
    found = next_after(schedule, NOW)
    assert (found.replace(tzinfo=None).isoformat() if found else None) == expected


@given(st.text(alphabet="0123456789*/,- @x", max_size=30), st.datetimes(timezones=st.just(UTC)))
def test_any_schedule_has_a_moment_later_or_none(schedule: str, moment: datetime) -> None:
    found = next_after(schedule, moment)
    assert found is None or found > moment


def test_f30_b24_durable_was_asked_and_the_timer_is_of_this_session_only() -> None:
    assert kinds([], [cron(durable=False)], durable=("c1",)) == ["session_only"]
    assert kinds([], [cron(durable=True)], durable=("c1",)) == []


def test_a_timer_keeps_the_moment_when_it_was_first_told() -> None:
    kept = keep([cron(seen=at(days=3))], [cron(seen=at(days=0)), cron(id="c2", seen=at(days=0))])
    assert [one.seen for one in kept] == [at(days=3), at(days=0)]


@pytest.mark.parametrize("told", [None, 7, "x", True])
def test_a_host_that_tells_no_timers_does_not_say_that_there_are_none(told: object) -> None:
    assert read_timers(told, NOW) is None


def test_a_host_that_tells_an_empty_list_has_none() -> None:
    assert read_timers([], NOW) == []


@pytest.mark.parametrize(
    ("told", "timer"),
    [
        ({"id": "a", "cron": "0 9 * * *", "prompt": "早", "recurring": True, "durable": False,
          "createdAt": "2026-03-01T00:00:00+08:00"},
         ("a", "0 9 * * *", True, False, "2026-02-28T16:00:00Z")),
        ({"id": 7, "schedule": "x", "created": 1_772_000_000_000},
         ("7", "x", None, None, "2026-02-25T06:13:20Z")),
        ({"id": "a", "created_at": 1_772_000_000}, ("a", "", None, None, "2026-02-25T06:13:20Z")),
        ({"cron": "0 9 * * *", "prompt": "早"}, ("0 9 * * * 早", "0 9 * * *", None, None, "")),
        ({"id": "a", "created": "yesterday", "recurring": "yes"}, ("a", "", None, None, "")),
        ({"id": "a", "created": 1e300}, ("a", "", None, None, "")),
    ],
)  # fmt: skip
def test_a_timer_is_read_under_the_names_that_hosts_give_its_fields(
    told: dict[str, object], timer: tuple[object, ...]
) -> None:
    (one,) = read_timers([told, 7, {}, None], NOW) or []
    assert (one.id, one.schedule, one.recurring, one.durable, one.created) == timer


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["id", "cron", "created", "next", "recurring", "prompt", "jobs"]), inner),
)  # fmt: skip


@given(JSON, JSON)
def test_whatever_a_host_tells_is_no_failure(before: object, now: object) -> None:
    told = read_timers(now, NOW) or []
    for one in audit(read_timers(before, NOW) or [], keep([], told), NOW):
        assert one.kind
