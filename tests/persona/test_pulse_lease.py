"""Which host has the pulse."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from heart import ALWAYS, decided, lines, means, tick
from somebody import Clock, begin, settings

from clew.persona.home import Home
from clew.persona.pulse import lease
from clew.persona.pulse.coming import coming
from clew.persona.pulse.lease import EXPIRY, Lease, Owner, judge
from clew.persona.pulse.running import POLL


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path, clock: Clock) -> Home:
    made = begin(tmp_path / "home", clock)
    settings(made, **ALWAYS)
    clock.turn(minutes=61)  # 21:01 in Shanghai
    return made


NOW = "2026-03-01T13:01:00.000Z"


def lease_of(owner: Owner, **change: object) -> Lease:
    plain = {
        "token": owner.token, "host": owner.host, "boot": owner.boot, "pid": owner.pid,
        "kind": owner.kind, "since": NOW, "beat_at": NOW,
    }  # fmt: skip
    return Lease(**(plain | change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "mine", "alive", "age", "expected"),
    [
        ({"host": "far"}, "tick", True, 10, "held"),
        ({"host": "far"}, "run", True, 10, "held"),
        ({"host": "far"}, "tick", True, 181, "expired"),
        ({"host": "far"}, "tick", True, -3600, "held"),  # its clock is ahead: it is not stolen from
        ({"kind": "run"}, "tick", True, 10, "shared"),
        ({"kind": "run"}, "run", True, 10, "held"),
        ({"kind": "run"}, "run", True, 181, "expired"),
        ({"kind": "run"}, "run", False, 10, "gone"),
        ({"kind": "run"}, "tick", False, 10, "gone"),
        ({"kind": "run", "boot": "old"}, "tick", True, 10, "rebooted"),
        ({"kind": "tick"}, "tick", False, 10, "mine"),
        ({"kind": "tick"}, "run", True, 10, "taken"),
        ({}, "run", True, 10, "taken"),
    ],
)
def test_who_may_have_the_pulse(
    clock: Clock, other: dict[str, object], mine: str, alive: bool, age: int, expected: str
) -> None:
    me = Owner("me", "here", "boot", 7, mine)  # type: ignore[arg-type]
    them = Owner("them", "here", "boot", 8, "tick")
    clock.turn(minutes=61, seconds=age)
    assert judge(lease_of(them, **other), me, clock(), lambda pid: alive) == expected


def test_nobody_has_it_and_one_has_it_already(clock: Clock) -> None:
    me = Owner("me", "here", "boot", 7, "run")
    assert judge(None, me, clock()) == "taken"
    assert judge(lease_of(me), me, clock()) == "mine"


def test_the_second_host_is_told_who_has_the_pulse_and_gets_it_when_the_beats_stop(
    home: Home, clock: Clock
) -> None:
    far = Owner("far", "elsewhere#1", "b", 4242, "run")
    tick(home, "monologue", owner=far)
    before = lines(home)
    found = tick(home, "explore")
    assert (found.holds, found.holder.split(",")[0]) == (False, "elsewhere")
    assert decided(found) == {"explore": "held_elsewhere"}
    assert lines(home) == before  # who has no pulse writes nothing
    told = coming(home, means(home))
    assert {one.blocked for one in told.entries[1:]} == {"held_elsewhere"}
    clock.turn(seconds=EXPIRY.total_seconds() + 1)
    assert tick(home, "explore").holds
    assert [one["change"] for one in lines(home, "host")] == ["taken", "expired"]


def test_a_pulse_can_be_taken_over_by_hand(home: Home) -> None:
    far = Owner("far", "elsewhere#1", "b", 4242, "run")
    tick(home, "monologue", owner=far)
    assert tick(home, "explore", take_over=True).holds
    assert [one["change"] for one in lines(home, "host")] == ["taken", "taken_over"]


def test_a_released_pulse_is_free(home: Home) -> None:
    mine = Owner.here("run")
    tick(home, "monologue", owner=mine)
    with home.change() as change:
        assert lease.release(change, mine)
    with home.change() as change:
        assert not lease.release(change, mine)
    assert not Path(home.root, "lease.json").exists()
    assert lines(home, "host")[-1]["change"] == "released"


def test_a_resident_keeps_the_pulse_from_a_host_whose_clock_is_two_minutes_ahead(
    home: Home, clock: Clock
) -> None:
    """It looks every half minute, and a little later when it is busy."""
    near, far = Owner("near", "here", "b", 7, "run"), Owner("far", "elsewhere#1", "c", 8, "run")
    for step in range(40):
        with home.change() as change:
            assert lease.hold(change, near).ours
        clock.turn(seconds=POLL + step % 4)
        ahead = clock() + timedelta(seconds=120)
        assert judge(home.load(lease.LEASE, Lease), far, ahead) == "held"
    assert [one["change"] for one in lines(home, "host")] == ["taken"]
