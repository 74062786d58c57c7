"""One look: what it writes, what it leaves alone, what it tells."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from heart import ALWAYS, decided, intend, lines, means, tick
from somebody import Clock, begin, clew, settings

from clew.kernel.clock import stamp
from clew.kernel.errors import ClewError, Corrupt, Missing
from clew.persona import keeping
from clew.persona.channels import writing
from clew.persona.home import Home
from clew.persona.pulse import outbox, pausing, periodic, runlock, waking
from clew.persona.pulse.coming import coming
from clew.persona.pulse.lease import Owner
from clew.persona.pulse.outcome import Outcome
from clew.persona.pulse.story import tell
from clew.persona.wake.decide import Skip
from clew.persona.wake.ledger import Reserved


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path, clock: Clock) -> Home:
    made = begin(tmp_path / "home", clock)
    settings(made, **ALWAYS)
    clock.turn(minutes=61)  # 21:01 in Shanghai
    return made


# ---- what a tick does -------------------------------------------------------------------------------


def test_a_tick_wakes_what_is_due_and_leaves_the_prompts_in_the_outbox(home: Home) -> None:
    intend(home)
    found = tick(home)
    assert decided(found) == dict.fromkeys(
        ("autonomous", "monologue", "resident", "opener", "explore"), "left"
    )
    left = {one.entry: one.prompt for one in outbox.waiting(home)}
    assert "把渡口的旧账理完" in left["autonomous"]
    assert "2026-03-01 21:01" in left["monologue"]


@pytest.mark.parametrize("left", ["", "schema_version = 1\n[[refu", None])
def test_nothing_wakes_without_its_limits(home: Home, left: str | None) -> None:
    intend(home)
    path = Path(home.root) / "refusals.toml"
    path.unlink() if left is None else path.write_text(left, encoding="utf-8")
    with pytest.raises(ClewError):
        tick(home)
    with pytest.raises(ClewError):
        coming(home, means(home))
    assert lines(home) == [] and outbox.waiting(home) == []


def test_what_a_wake_is_told_holds_every_refusal(home: Home) -> None:
    intend(home)
    rows = "".join(
        f'[[refusal]]\nid = "R{n}"\ntext = "不做第{n}件事"\nsince = 2026-03-01\n'
        for n in range(1, 20)
    )
    (Path(home.root) / "refusals.toml").write_text(f"schema_version = 1\n{rows}", encoding="utf-8")
    tick(home)
    prompts = [left.prompt for left in outbox.waiting(home)]
    assert prompts
    for prompt in prompts:
        assert all(f"不做第{n}件事" in prompt for n in range(1, 20))


def test_a_second_tick_at_the_same_moment_writes_nothing(home: Home) -> None:
    tick(home)
    before = lines(home)
    again = tick(home)
    assert lines(home) == before
    assert set(decided(again).values()) == {"not_due", "no_intent"}


def test_a_run_is_reserved_before_it_has_an_effect(home: Home) -> None:
    tick(home, "monologue")
    reserved, effect = lines(home, "reserved", "effect")
    assert reserved["kind"] == "reserved"
    assert effect["key"] == f"monologue/{reserved['date']}/{reserved['ordinal']}"
    assert effect["outcome"] == "left"


def test_without_an_open_intent_nothing_wakes_of_its_own_accord(home: Home) -> None:
    assert decided(tick(home, "autonomous")) == {"autonomous": "no_intent"}
    intend(home)
    assert decided(tick(home, "autonomous")) == {"autonomous": "left"}


def test_a_reason_is_written_when_it_changes_and_not_again(home: Home, clock: Clock) -> None:
    for _ in range(30):
        tick(home, "autonomous")
        clock.turn(minutes=1)
    assert [line["reason"] for line in lines(home, "reason")] == ["no_intent"]
    intend(home)
    tick(home, "autonomous")
    for _ in range(50):
        clock.turn(minutes=1)
        keep_speaking(home)
        tick(home, "autonomous")
    assert [line["reason"] for line in lines(home, "reason")] == ["no_intent", "gap", "present"]


def keep_speaking(home: Home) -> None:
    with home.change() as change:
        keeping.heard(change, window="w1", words=3)


def test_who_spoke_a_moment_ago_is_left_in_peace(home: Home, clock: Clock) -> None:
    keep_speaking(home)
    assert decided(tick(home, "opener", "monologue")) == {
        "opener": "present", "monologue": "present",
    }  # fmt: skip
    clock.turn(minutes=11)
    assert decided(tick(home, "opener")) == {"opener": "left"}


def test_a_night_asleep_gives_one_decision_for_each_entry_and_is_told(
    home: Home, clock: Clock
) -> None:
    tick(home)
    before = len(lines(home, "reserved"))
    clock.turn(hours=12)
    tick(home)
    tick(home)
    assert len(lines(home, "reserved")) - before == 4  # no intent, so not the fifth
    assert [line["since"] for line in lines(home, "slept")] == ["2026-03-01T13:01:00.000Z"]
    assert {one.entry for one in outbox.waiting(home)} == {
        "monologue", "resident", "opener", "explore",
    }  # fmt: skip


def test_a_clock_that_was_set_back_changes_nothing_and_is_recorded_once(
    home: Home, clock: Clock
) -> None:
    tick(home)
    before = lines(home, "reserved")
    clock.turn(hours=-3)
    found = tick(home)
    assert found.clock_back
    assert not tick(home).clock_back
    assert lines(home, "reserved") == before
    assert [line["mark"] for line in lines(home, "clock_back")] == ["2026-03-01T13:01:00.000Z"]
    clock.turn(minutes=65)  # an hour and more later it goes on, without waiting for the old time
    assert decided(tick(home, "resident")) == {"resident": "left"}


def test_a_clock_a_year_ahead_that_is_put_right_does_not_end_the_persona(
    home: Home, clock: Clock
) -> None:
    clock.turn(days=365)
    tick(home)
    clock.turn(days=-365)
    tick(home)
    clock.turn(hours=3)
    assert decided(tick(home, "monologue", "resident"))["resident"] == "left"


def test_mail_wakes_the_body_once(home: Home, clock: Clock) -> None:
    settings(home, **{"wake.explore": "enabled = false"})
    text = Path(home.root, "persona.toml").read_text(encoding="utf-8")
    Path(home.root, "persona.toml").write_text(
        text.replace("[wake.resident]\npeak_percent = 100\nvalley_percent = 100",
                     "[wake.resident]\npeak_percent = 0\nvalley_percent = 0"),
        encoding="utf-8",
    )  # fmt: skip
    home.read_settings()
    assert decided(tick(home, "resident")) == {"resident": "dice"}
    writing.note(home, "你今天好吗", by="person")
    assert decided(tick(home, "resident")) == {"resident": "left"}
    assert "你今天好吗" in outbox.waiting(home)[0].prompt
    clock.turn(minutes=10)
    assert decided(tick(home, "resident")) == {"resident": "dice"}  # told once; nobody answered
    writing.note(home, "还在吗", by="person")
    assert decided(tick(home, "resident")) == {"resident": "left"}


def test_what_it_writes_is_for_nobody_elses_eyes(home: Home) -> None:
    tick(home, tools=True)
    for path in Path(home.root).rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert not mode & 0o077 or path.suffix == ".lock", path


# ---- at most once ----------------------------------------------------------------------------------


def leave_open(home: Home, clock: Clock, entry: str = "monologue", **change: object) -> Reserved:
    """A reservation whose owner is gone: as a kill leaves it."""
    done = waking.reserve(home, means(home), entry, 0)  # type: ignore[arg-type]
    assert not isinstance(done, Skip)
    os.close(done.lock.handle)
    return done.line


def test_a_reservation_whose_owner_is_gone_is_told_as_lost_and_not_run_again(
    home: Home, clock: Clock
) -> None:
    line = leave_open(home, clock)
    found = tick(home, "monologue")
    assert found.lost == [line.key]
    assert decided(found) == {"monologue": "not_due"}
    assert [one["reason"] for one in lines(home, "lost")] == ["owner_gone"]
    assert tell(home).counts == {"lost": 1}
    assert not list(Path(home.root, ".clew", "wakes").iterdir())


def test_a_run_that_goes_on_is_not_lost_and_nothing_else_starts(home: Home, clock: Clock) -> None:
    held = waking.reserve(home, means(home), "monologue", 0)
    assert not isinstance(held, Skip)
    assert set(decided(tick(home)).values()) == {"busy", "no_intent"}
    assert lines(home, "lost") == []
    waking.perform(home, means(home), held)
    assert decided(tick(home, "explore")) == {"explore": "left"}


def test_a_run_that_hangs_is_lost_after_its_time_and_its_late_effect_stands(
    home: Home, clock: Clock
) -> None:
    held = waking.reserve(home, means(home), "monologue", 0)
    assert not isinstance(held, Skip)
    clock.turn(minutes=5)
    assert tick(home, "explore").lost == [held.line.key]
    waking.perform(home, means(home), held)
    assert [one.state for one in tell(home).runs if one.entry == "monologue"] == ["left"]


def test_a_run_of_another_boot_is_lost(home: Home, clock: Clock) -> None:
    old = Owner.here("tick")._replace(boot="before")
    done = waking.reserve(home, means(home, owner=old), "monologue", 0)
    assert not isinstance(done, Skip)
    found = tick(home, "explore")
    assert found.lost == [done.line.key]
    assert [one["change"] for one in lines(home, "host")] == ["taken", "rebooted"]


def test_a_run_of_another_host_is_left_to_it_until_its_time_is_over(
    home: Home, clock: Clock
) -> None:
    far = Owner.here("tick")._replace(host="elsewhere")
    done = waking.reserve(home, means(home, owner=far), "monologue", 0)
    assert not isinstance(done, Skip)
    clock.turn(seconds=30)
    assert not tick(home, "explore").holds
    clock.turn(minutes=4)
    assert tick(home, "explore").lost == [done.line.key]


def test_the_same_slot_is_never_reserved_twice(home: Home) -> None:
    one = waking.reserve(home, means(home), "monologue", 0)
    assert not isinstance(one, Skip)
    two = waking.reserve(home, means(home), "monologue", 0)
    assert isinstance(two, Skip)
    assert two.reason == "busy"
    waking.perform(home, means(home), one)
    three = waking.reserve(home, means(home), "monologue", 0)
    assert isinstance(three, Skip)
    assert three.reason == "not_due"


def test_a_lock_that_was_left_before_anything_was_reserved_is_used_again(home: Home) -> None:
    lock = runlock.take(home, "monologue/2026-03-01/21")
    assert lock is not None
    os.close(lock.handle)
    assert decided(tick(home, "monologue")) == {"monologue": "left"}


def test_what_cannot_be_read_decides_nothing(home: Home) -> None:
    path = Path(home.root, "pulse.json")
    path.write_bytes(b"\0" * 40)
    with pytest.raises(Corrupt):
        tick(home)
    assert lines(home, "reserved") == []
    path.write_bytes(b"")
    with pytest.raises(Corrupt):
        tick(home)


def test_broken_lines_of_the_ledger_are_left_alone_and_told(home: Home) -> None:
    tick(home, "monologue")
    path = Path(home.root, "wake.jsonl")
    path.write_bytes(b'{"kind":"nonsense"}\nnot json\n' + path.read_bytes())
    assert decided(tick(home, "monologue")) == {"monologue": "not_due"}
    assert "wake_lines_unread" in [note.code for note in home.notes]
    assert path.read_bytes().startswith(b'{"kind":"nonsense"}')


# ---- pausing ---------------------------------------------------------------------------------------


def test_a_pause_stops_everything_and_a_resume_goes_on(home: Home, clock: Clock) -> None:
    assert pausing.pause(home, by="me", note="休假").changed
    assert not pausing.pause(home).changed
    found = tick(home, tools=True)
    assert set(decided(found).values()) == {"paused"}
    assert found.tools == []
    assert lines(home, "reserved", "reason") == []
    assert pausing.state(home).note == "休假"
    clock.turn(hours=1)
    assert pausing.resume(home, by="me").changed
    assert not pausing.resume(home).changed
    assert decided(tick(home, "monologue")) == {"monologue": "left"}
    assert [one["kind"] for one in lines(home, "paused", "resumed")] == ["paused", "resumed"]


# ---- the outbox ------------------------------------------------------------------------------------


def test_only_the_newest_prompt_of_an_entry_waits(home: Home, clock: Clock) -> None:
    tick(home, "monologue")
    clock.turn(hours=2)
    tick(home, "monologue")
    waiting = outbox.waiting(home)
    assert [one.entry for one in waiting] == ["monologue"]
    assert waiting[0].id.endswith("/23")


def test_a_prompt_is_taken_once(home: Home) -> None:
    tick(home, "monologue", "explore")
    first, second = outbox.waiting(home)
    done = outbox.take(home, [first.id], by="w1")
    assert done.taken == [first.id]
    assert [one.id for one in done.waiting] == [second.id]
    with pytest.raises(Missing) as error:
        outbox.take(home, [first.id, "nothing"])
    assert [fault.code for fault in error.value.faults] == ["not_waiting"] * 2
    assert outbox.take(home, all_of_it=True).waiting == []


# ---- next, and the ledger told -----------------------------------------------------------------------


def test_next_tells_the_moment_at_which_a_tick_then_wakes_it(home: Home, clock: Clock) -> None:
    tick(home)
    told = {one.entry: one for one in coming(home, means(home)).entries}
    assert told["interactive"].blocked == "waits_for_person"
    assert told["autonomous"].blocked == "no_intent"
    due = told["monologue"].at
    assert due == "2026-03-01T15:00:00.000Z"
    clock.turn(minutes=118, seconds=59)
    assert decided(tick(home, "monologue"))["monologue"] == "gap"
    clock.turn(seconds=1)
    assert stamp(clock()) == due
    assert decided(tick(home, "monologue")) == {"monologue": "left"}


def test_the_ledger_is_told_by_entry_and_by_date(home: Home, clock: Clock) -> None:
    tick(home)
    clock.turn(hours=13)
    tick(home)
    assert {one.entry for one in tell(home, entry="monologue").runs} == {"monologue"}
    assert {one.date for one in tell(home, date="2026-03-02").runs} == {"2026-03-02"}
    whole = tell(home, lang="zh")
    assert whole.counts == {"left": 8}
    assert any("清单上没有未完成的事" in line.what for line in whole.lines)
    assert len(tell(home, last=3).runs) == 3


# ---- the commands ----------------------------------------------------------------------------------


def test_the_commands_answer_for_machines(home: Home) -> None:
    at = ("--home", home.root, "--lang", "en")
    code, told, err = clew("persona", "tick", *at)
    assert (code, told["status"], told["holds"]) == (0, "ok", True), err
    code, told, _ = clew("persona", "next", *at)
    assert (code, len(told["entries"]), told["zone"]) == (0, 6, "Asia/Shanghai")
    assert len(told["tools"]) == len(periodic.TOOLS)
    code, told, _ = clew("persona", "wake", *at)
    assert (code, told["status"]) == (0, "ok")
    code, told, _ = clew("persona", "pause", "--note", "x", *at)
    assert (code, told["paused"]) == (0, True)
    code, told, _ = clew("persona", "tick", *at)
    assert {one["reason"] for one in told["decisions"]} == {"paused"}
    code, told, _ = clew("persona", "resume", *at)
    assert (code, told["paused"], told["changed"]) == (0, False, True)
    code, told, _ = clew("persona", "outbox", "take", *at)
    assert (code, told["waiting"]) == (0, [])
    code, told, _ = clew("persona", "run", "--seconds", "0", *at)
    assert (code, told["ticks"]) == (0, 1)


def test_the_outcome_of_a_failed_run_is_no_success() -> None:
    assert Outcome(text="x").ok
    assert not Outcome(fault=Missing.of("missing_file", file="x").faults[0]).ok


def test_what_a_kill_left_beside_the_ledger_is_swept_away(home: Home) -> None:
    folder = Path(home.root, ".clew", "wakes")
    folder.mkdir(parents=True)
    (folder / "explore.2026-02-01.7.lock").touch()
    (folder / "explore.2026-02-01.7.prompt").write_text("secret")
    held = waking.reserve(home, means(home), "monologue", 0)
    assert not isinstance(held, Skip)
    tick(home)
    assert [path.name for path in folder.iterdir()] == ["monologue.2026-03-01.21.lock"]
    waking.perform(home, means(home), held)
    assert list(folder.iterdir()) == []


def test_a_run_that_cannot_be_recorded_is_told_as_lost(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = waking.reserve(home, means(home), "monologue", 0)
    assert not isinstance(held, Skip)
    Path(home.root, "channels").mkdir(exist_ok=True)
    events = Path(home.root, "events.jsonl")
    kept = events.read_bytes()
    events.unlink()
    events.mkdir()  # no place for a line
    with pytest.raises((ClewError, OSError)):
        waking.perform(home, means(home), held)
    events.rmdir()
    events.write_bytes(kept)
    assert tick(home, "autonomous").lost == [held.line.key]


def test_a_date_that_is_none_is_refused(home: Home) -> None:
    code, told, _ = clew("persona", "wake", "--date", "yesterday", "--home", home.root)
    assert code == 2
    assert told["status"] == "error"
