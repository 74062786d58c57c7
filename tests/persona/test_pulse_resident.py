"""Staying resident, on a clock that sleeping turns."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from heart import lines, means, tick
from somebody import Clock, begin, settings

from clew.kernel.errors import Locked, Refused
from clew.persona.home import Home
from clew.persona.pulse import running
from clew.persona.pulse.lease import Owner
from clew.persona.pulse.running import Resident, leaves_when_asked
from clew.persona.pulse.story import tell

HOUR = 3600.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path, clock: Clock) -> Home:
    made = begin(tmp_path / "home", clock)
    rules = {
        "wake.resident": "peak_percent = 0\nvalley_percent = 0",
        "wake.monologue": "period_minutes = 20\ngap_minutes = 30",
    }
    settings(made, **rules)
    return made


class Stay:
    """Lets a daemon live for some hours of the clock; what is asleep takes no real time."""

    def __init__(self, home: Home, clock: Clock, seconds: float, **how: object) -> None:
        self.clock, self.left = clock, seconds
        given = means(home, owner=how.pop("owner", Owner.here("run")))
        self.resident = Resident(home, given, sleep=self.sleep, **how)  # type: ignore[arg-type]

    def sleep(self, seconds: float) -> None:
        self.clock.turn(seconds=20)
        self.left -= 20
        if self.left <= 0:
            self.resident.leaving.set()


def test_two_hours_resident_keep_every_rhythm(home: Home, clock: Clock) -> None:
    ran = Stay(home, clock, 2.1 * HOUR).resident.run()
    told = tell(home, last=999)
    assert told.counts == {"left": ran.wakes}
    assert Counter(run.entry for run in told.runs)["monologue"] == 3
    assert ran.ticks > 60
    assert ran.tools > 150
    assert ran.troubles == []
    assert not Path(home.root, "lease.json").exists()
    assert [line["change"] for line in lines(home, "host")] == ["taken", "released"]


def test_a_wake_comes_within_seconds_of_its_moment(home: Home, clock: Clock) -> None:
    Stay(home, clock, HOUR).resident.run()
    from datetime import datetime

    for line in lines(home, "reserved"):
        late = datetime.fromisoformat(line["at"]) - datetime.fromisoformat(line["due"])
        assert timedelta() <= late <= timedelta(seconds=40)


def test_a_broken_edit_of_the_settings_is_told_and_outlived(home: Home, clock: Clock) -> None:
    stay = Stay(home, clock, HOUR)
    path = Path(home.root, "persona.toml")
    whole = path.read_text(encoding="utf-8")
    plain = stay.sleep

    def sleep(seconds: float) -> None:
        plain(seconds)
        if stay.left < 0.7 * HOUR:
            path.write_text(whole if stay.left < 0.5 * HOUR else "[wake\n", encoding="utf-8")

    stay.resident._sleep = sleep
    ran = stay.resident.run()
    assert [trouble["code"] for trouble in ran.troubles] == ["persona_toml"]
    assert tell(home).counts["left"] > 0


def test_settings_that_are_broken_from_the_start_are_refused(home: Home, clock: Clock) -> None:
    Path(home.root, "persona.toml").write_text("[wake\n", encoding="utf-8")
    with pytest.raises(Refused):
        Stay(home, clock, HOUR).resident.run()


def test_the_second_daemon_is_refused_or_stands_by(home: Home, clock: Clock) -> None:
    far = Owner("far", "elsewhere#1", "b", 4242, "run")
    tick(home, "monologue", owner=far)
    with pytest.raises(Locked) as error:
        Stay(home, clock, HOUR).resident.run()
    assert error.value.code == "pulse_held"
    assert "elsewhere" in error.value.faults[0].message("zh")
    ran = Stay(home, clock, 0.3 * HOUR, standby=True).resident.run()
    assert ran.ticks > 1
    assert [line["change"] for line in lines(home, "host")] == ["taken", "expired", "released"]


def test_a_daemon_that_lost_the_pulse_meanwhile_rests(home: Home, clock: Clock) -> None:
    stay = Stay(home, clock, 0.5 * HOUR)
    plain = stay.sleep
    taken = False

    def sleep(seconds: float) -> None:
        nonlocal taken
        plain(seconds)
        far = Owner("far", "elsewhere#1", "b", 4242, "run")
        tick(home, "explore", owner=far, take_over=not taken)  # and keeps its beat
        taken = True

    stay.resident._sleep = sleep
    stay.resident.run()
    assert {run.entry for run in tell(home).runs} <= {"explore"}  # what the other host did
    assert [line["change"] for line in lines(home, "host")] == ["taken", "taken_over"]


def test_being_asked_to_leave_sets_the_handlers_back(home: Home, clock: Clock) -> None:
    import signal

    stay = Stay(home, clock, HOUR)
    before = signal.getsignal(signal.SIGTERM)
    with leaves_when_asked(stay.resident):
        signal.raise_signal(signal.SIGTERM)
        assert stay.resident.leaving.is_set()
        assert stay.resident.run().ticks == 0
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_night_asleep_is_one_look(home: Home, clock: Clock) -> None:
    stay = Stay(home, clock, HOUR)
    plain = stay.sleep
    slept = False

    def sleep(seconds: float) -> None:
        nonlocal slept
        plain(seconds)
        if not slept and stay.left < 0.7 * HOUR:
            slept = True
            clock.turn(hours=9)

    stay.resident._sleep = sleep
    stay.resident.run()
    assert len(lines(home, "slept")) == 1
    since = lines(home, "slept")[0]
    after = [one for one in lines(home, "reserved") if one["at"] >= since["at"]]
    assert Counter(one["entry"] for one in after)["monologue"] <= 2
    assert running.POLL <= 60
