"""The audit of a session's timers: what their owner would not notice (F30)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.persona.timer_audit import MOST, Timer, audit, keep, read_timers

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
        ([], [cron(created=at(days=7, hours=1))], ["expired"]),
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
