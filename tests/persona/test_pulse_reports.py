"""Failures that people reported of other programs' timers and states, built here: B… are the numbers
of the collection of public reports.
"""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from heart import ALWAYS, decided, intend, lines, means, program, tick
from somebody import Clock, begin, settings

from clew.kernel.errors import ClewError, Corrupt
from clew.persona import intents, keeping
from clew.persona.channels import reading, writing
from clew.persona.channels.lines import Note
from clew.persona.home import Home, open_home
from clew.persona.pulse import lease, outbox, pausing, waking
from clew.persona.pulse.coming import coming
from clew.persona.pulse.lease import Owner, judge
from clew.persona.pulse.story import tell
from clew.persona.wake.decide import Skip


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path, clock: Clock) -> Home:
    made = begin(tmp_path / "home", clock)
    settings(made, **ALWAYS)
    clock.turn(minutes=61)
    return made


def edit(home: Home, before: str, after: str) -> None:
    path = Path(home.root, "persona.toml")
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    home.read_settings()


def test_b4_a_note_that_is_left_during_a_long_run_is_kept(home: Home, tmp_path: Path) -> None:
    mark = tmp_path / "up"
    body = f"open({str(mark)!r}, 'w'); time.sleep(1.5); print('done')\n"
    settings(home, runner=f'kind = "command"\ncommand = {program(tmp_path, body)}')

    def leave_notes() -> None:
        other = open_home(home.root, clock=home.clock)
        while not mark.exists():
            time.sleep(0.02)
        for number in range(5):
            writing.note(other, f"note {number}")
        intents.add_intent(other, "meanwhile")

    thread = threading.Thread(target=leave_notes)
    thread.start()
    assert decided(tick(home, "explore")) == {"explore": "done"}
    thread.join()
    assert len(reading.last(home, "board", Note, 99)) == 5
    assert [one.text for one in home.read_lists().open_intents()] == ["meanwhile"]


@pytest.mark.parametrize("content", [b"", b"\0" * 200, b'{"schema_version":1,"paused":tr', b"{}x"])
def test_b11_b12_b13_a_broken_pause_stops_everything_and_is_never_taken_for_none(
    home: Home, content: bytes
) -> None:
    pausing.pause(home)
    path = Path(home.root, "pulse.json")
    path.write_bytes(content)
    with pytest.raises(Corrupt):
        tick(home)
    with pytest.raises(ClewError):
        pausing.resume(home)
    assert path.read_bytes() == content
    assert lines(home, "reserved") == []


def test_b10_a_torn_end_of_the_ledger_takes_nothing_with_it(home: Home, clock: Clock) -> None:
    tick(home, "monologue")
    path = Path(home.root, "wake.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"kind":"reserved","entry":"expl')
    clock.turn(minutes=1)
    assert decided(tick(home, "explore")) == {"explore": "left"}
    assert path.read_bytes().startswith(whole)
    assert [one["entry"] for one in lines(home, "reserved")] == ["monologue", "explore"]


def test_b16_b17_at_seven_minutes_to_four_in_the_east_the_date_is_the_persons_own(
    tmp_path: Path,
) -> None:
    clock = Clock(datetime(2026, 3, 1, 15, 0, tzinfo=UTC))
    home = begin(tmp_path / "home", clock)
    clock.now = datetime(2026, 3, 1, 19, 53, tzinfo=UTC)  # 03:53 on the second of March
    tick(home, "monologue")
    assert [line["date"] for line in lines(home, "reserved")] == ["2026-03-02"]
    assert outbox.waiting(home)[0].date == "2026-03-02"


def test_b19_a_long_period_meets_the_hours_in_which_it_may_come(tmp_path: Path) -> None:
    clock = Clock(datetime(2026, 3, 1, 0, 0, tzinfo=UTC))
    home = begin(tmp_path / "home", clock, zone="America/Los_Angeles")
    settings(
        home, **{
            "wake": 'quiet = { start = "23:00", end = "08:00" }',
            "wake.opener": "period_minutes = 240\npeak_percent = 100\nvalley_percent = 100\n"
            "cap = 9\ngap_minutes = 0",
        },
    )  # fmt: skip
    for _ in range(3 * 24 * 4):
        clock.turn(minutes=15)
        tick(home, "opener")
    dates = [one["date"] for one in lines(home, "reserved")]
    assert {dates.count(date) for date in ("2026-03-01", "2026-03-02")} == {4}  # 8, 12, 16, 20 h


def test_b20_an_edit_while_something_is_overdue_skips_nothing(home: Home, clock: Clock) -> None:
    tick(home, "monologue")
    clock.turn(hours=3)
    due = coming(home, means(home)).entries[2].at
    edit(home, "[wake.opener]", "[wake.monologue]\ngap_minutes = 81\n\n[wake.opener]")
    again = open_home(home.root, clock=clock)
    assert coming(again, means(again)).entries[2].at == due
    assert decided(tick(again, "monologue")) == {"monologue": "left"}


def test_b20_a_restart_does_not_count_the_period_anew(home: Home, clock: Clock) -> None:
    first = coming(home, means(home)).entries[5].at
    for _ in range(50):
        clock.turn(minutes=7)
        found = open_home(home.root, clock=clock)
        if decided(tick(found, "explore"))["explore"] == "done":
            break
    reserved = lines(home, "reserved")
    assert len(reserved) == 1
    assert reserved[0]["due"] <= first <= reserved[0]["at"]


def test_b21_what_stops_one_entry_stops_no_other(home: Home) -> None:
    found = decided(tick(home))
    assert found.pop("autonomous") == "no_intent"
    assert set(found.values()) == {"left"}


def test_b22_a_persona_far_in_the_east_lives_by_its_own_clock(tmp_path: Path) -> None:
    clock = Clock(datetime(2026, 3, 1, 9, 0, tzinfo=UTC))  # 22:00 at UTC+13
    home = begin(tmp_path / "home", clock, zone="Pacific/Apia")
    settings(home, **ALWAYS)
    clock.turn(minutes=41)
    assert decided(tick(home, "opener")) == {"opener": "left"}
    clock.turn(minutes=130)
    assert decided(tick(home, "opener")) == {"opener": "quiet"}  # one hour before noon in UTC
    assert coming(home, means(home)).zone == "Pacific/Apia"


def test_b23_what_was_only_begun_is_not_told_as_done(home: Home, clock: Clock) -> None:
    held = waking.reserve(home, means(home), "explore", 0)
    assert not isinstance(held, Skip)
    assert tell(home).counts == {"open": 1}
    os.close(held.lock.handle)  # killed here
    tick(home, "explore")
    assert tell(home).counts == {"lost": 1}
    assert outbox.waiting(home) == []


def test_b23_what_was_due_during_a_sleep_is_caught_up_once(home: Home, clock: Clock) -> None:
    tick(home, "monologue")
    clock.turn(hours=5)
    assert decided(tick(home, "monologue")) == {"monologue": "left"}
    clock.turn(minutes=1)
    assert decided(tick(home, "monologue")) == {"monologue": "not_due"}


def test_b25_what_comes_once_a_day_does_not_come_again_and_again(home: Home, clock: Clock) -> None:
    for _ in range(40):
        tick(home, "explore")
        clock.turn(minutes=3)
    assert len(lines(home, "reserved")) == 1


def test_b26_a_process_number_that_is_used_again_holds_nothing(home: Home, clock: Clock) -> None:
    gone = Owner("old", lease.machine(), "another boot", os.getpid(), "run")
    tick(home, "monologue", owner=gone)
    assert tick(home, "explore").holds  # the number lives, and is somebody else's since the boot
    assert lines(home, "host")[-1]["change"] == "rebooted"


def test_b26_a_holder_that_hangs_loses_the_pulse(home: Home, clock: Clock) -> None:
    hangs = Owner.here("run")._replace(token="hangs")
    tick(home, "monologue", owner=hangs)
    held = home.load(lease.LEASE, lease.Lease)
    mine = Owner.here("run")
    assert judge(held, mine, clock(), lambda pid: True) == "held"
    assert judge(held, mine, clock() + timedelta(minutes=4), lambda pid: True) == "expired"


def test_b27_two_schedulers_give_one_wake(home: Home) -> None:
    homes = [open_home(home.root, clock=home.clock) for _ in range(4)]
    ready = threading.Barrier(4)

    def look(one: Home) -> None:
        ready.wait()
        tick(one, "monologue", "explore")

    threads = [threading.Thread(target=look, args=(one,)) for one in homes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    keys = [f"{one['entry']}/{one['ordinal']}" for one in lines(home, "reserved")]
    assert len(keys) == len(set(keys))
    assert "monologue/21" in keys


def test_b30_a_failed_wake_is_stored_as_failed_and_changes_no_mood(
    home: Home, tmp_path: Path, clock: Clock
) -> None:
    settings(home, runner=f'kind = "command"\ncommand = {program(tmp_path, "sys.exit(1)")}')
    before = home.read_vitals().mood
    for _ in range(5):
        tick(home)
        clock.turn(minutes=30)
    assert home.read_vitals().mood == before
    assert set(tell(home).counts) == {"failed"}
    assert keeping.state(home).mood == pytest.approx(before.value)


def test_b35_a_run_that_ends_takes_nothing_of_another_away(home: Home, clock: Clock) -> None:
    one = waking.reserve(home, means(home), "monologue", 0)
    assert not isinstance(one, Skip)
    clock.turn(minutes=5)
    tick(home, "explore")  # told as lost after its time, and others go on
    folder = Path(home.root, ".clew", "wakes")
    assert [path.name for path in folder.iterdir()] == ["monologue.2026-03-01.21.lock"]
    waking.perform(home, means(home), one)
    assert list(folder.iterdir()) == []
    assert {left.entry for left in outbox.waiting(home)} == {"explore", "monologue"}


def test_seed_the_tasks_time_was_before_the_task_was_made(tmp_path: Path) -> None:
    clock = Clock(datetime(2026, 3, 1, 2, 5, tzinfo=UTC))
    home = begin(tmp_path / "home", clock)
    assert decided(tick(home, "monologue")) == {"monologue": "not_due"}
    told = coming(home, means(home)).entries[2]
    assert told.at == "2026-03-01T03:00:00.000Z"
    assert datetime.fromisoformat(told.local).astimezone(ZoneInfo("Asia/Shanghai")).hour == 11


def test_intents_that_are_done_put_the_persona_to_rest_again(home: Home, clock: Clock) -> None:
    intend(home)
    assert decided(tick(home, "autonomous")) == {"autonomous": "left"}
    ident = home.read_lists().open_intents()[0].id
    intents.close_intent(home, ident, outcome="理完了")
    clock.turn(hours=2)
    assert decided(tick(home, "autonomous")) == {"autonomous": "no_intent"}
