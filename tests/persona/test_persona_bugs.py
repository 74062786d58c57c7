"""Failures that other memory and state systems had, each built anew and found not to happen here.

The numbers are those of the collection of bug reports that this room was designed against.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import somebody

from clew.kernel.errors import ClewError, Corrupt, Refused
from clew.persona import diary, intents, keeping, refusals
from clew.persona.folding import lists_of
from clew.persona.home import Home, open_home
from clew.persona.mending import mend
from clew.persona.model import LISTS, VITALS
from clew.persona.opening import opening_card

WRITERS = 4
EACH = 12


@pytest.fixture
def clock() -> somebody.Clock:
    return somebody.Clock()


@pytest.fixture
def home(tmp_path: Path, clock: somebody.Clock) -> Home:
    return somebody.begin(tmp_path / "林昭", clock)


def writers(home: Home, body: str) -> None:
    """Several processes that each do the same often, with `home`, `n` and `k` at hand."""
    program = (
        "import sys\n"
        "from clew.persona import diary, intents, keeping, voice\n"
        "from clew.persona.home import open_home\n"
        "home = open_home(sys.argv[1], lock_timeout=60)\n"
        f"n = int(sys.argv[2])\nfor k in range({EACH}):\n    {body}\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, home.root, str(n)], stderr=subprocess.PIPE)
        for n in range(WRITERS)
    ]
    for one in running:
        _, err = one.communicate(timeout=120)
        assert one.returncode == 0, err.decode()


def test_b1_many_processes_change_one_document_and_none_is_lost(home: Home) -> None:
    writers(home, "intents.add_thought(home, f'{n}-{k}')")
    lists = home.read_lists()
    assert {one.text for one in lists.thoughts} == {
        f"{n}-{k}" for n in range(WRITERS) for k in range(EACH)
    }
    assert len({one.id for one in lists.thoughts}) == WRITERS * EACH
    assert lists.revision == 1 + WRITERS * EACH


def test_b2_two_windows_add_to_one_text_and_no_line_is_lost(home: Home) -> None:
    writers(home, "voice.add(home, f'第 {n}-{k} 句')")
    text = home.read_text("voice.md")
    assert all(f"第 {n}-{k} 句" in text for n in range(WRITERS) for k in range(EACH))


def test_b3_every_diary_entry_that_was_told_as_written_is_there(home: Home) -> None:
    writers(home, "diary.write(home, f'写 {n}-{k} 完')")
    text = "".join(day.text for day in diary.show(home, days=3))
    assert all(f"写 {n}-{k} 完" in text for n in range(WRITERS) for k in range(EACH))


def test_b4_a_slow_step_between_reading_and_writing_undoes_nothing(home: Home) -> None:
    """A snapshot held for long is not what gets written: a change reads under its own lock."""
    held = home.read_lists()
    assert held.thoughts == []
    somebody_else = open_home(home.root)
    intents.add_thought(somebody_else, "在那期间")
    intents.add_thought(home, "之后")
    assert [one.text for one in home.read_lists().thoughts] == ["在那期间", "之后"]


def test_b7_finding_and_changing_are_one_step(home: Home) -> None:
    """Two who close the same intent: one does, the other is told."""
    intent = intents.add_intent(home, "一")
    intents.close_intent(open_home(home.root), intent.id, outcome="先到的")
    with pytest.raises(Refused):
        intents.close_intent(home, intent.id, outcome="后到的")
    assert home.read_lists().intents[0].outcome == "先到的"


def test_b9_what_was_closed_does_not_come_back(home: Home) -> None:
    intent = intents.add_intent(home, "一")
    late = home.read_lists()
    intents.close_intent(home, intent.id)
    intents.add_intent(open_home(home.root), "二")
    assert len(late.open_intents()) == 1
    assert [one.text for one in home.read_lists().open_intents()] == ["二"]


def test_b5_nothing_at_hand_never_overwrites_what_is_there(home: Home) -> None:
    """A lost log is not an empty past: mending makes no empty list of it."""
    from clew.persona import mending

    intents.add_intent(home, "把故事讲完")
    root = Path(home.root)
    (root / "events.jsonl").unlink()
    (root / LISTS).write_bytes((root / LISTS).read_bytes()[:-20])
    before = (root / LISTS).read_bytes()
    mended = mending.mend(home)
    assert (root / LISTS).read_bytes() == before
    told = {(fault["code"], fault.get("file")) for fault in mended.faults}
    assert {("persona_unmended", "events.jsonl"), ("persona_file_broken", LISTS)} <= told


def test_b32_a_persona_is_the_same_from_wherever_somebody_stands(
    home: Home, tmp_path: Path
) -> None:
    from clew.persona.finding import find_home

    for name in ("project", "project-worktree"):
        (tmp_path / name).mkdir()
        found = find_home(home.root, cwd=str(tmp_path / name))
        intents.add_thought(open_home(found), name)
    assert [one.text for one in home.read_lists().thoughts] == ["project", "project-worktree"]


BREAKAGES: dict[str, Callable[[bytes], bytes]] = {
    "b10_torn": lambda data: data[: len(data) // 2],
    "b11_empty": lambda data: b"",
    "b12_nul": lambda data: b"\0" * len(data),
    "b12_half_nul": lambda data: data[:40] + b"\0" * 40,
    "b13_garbage_behind": lambda data: data + b"}garbage",
}


@pytest.mark.parametrize("path", [VITALS, LISTS])
@pytest.mark.parametrize("how", BREAKAGES)
def test_a_broken_document_is_no_default_and_is_not_saved_over(
    home: Home, how: str, path: str
) -> None:
    """B10-B13: the evidence stays, every command says so, and there is a way back."""
    intents.add_intent(home, "把故事讲完")
    keeping.change_mood(home, "set", 0.9, cause="收到了回信", source="self")
    file = Path(home.root) / path
    broken = BREAKAGES[how](file.read_bytes())
    file.write_bytes(broken)
    for act in (
        lambda: keeping.state(home),
        lambda: keeping.keep_state(home) if path == VITALS else intents.add_thought(home, "一"),
        lambda: opening_card(home),
    ):
        with pytest.raises(Corrupt) as refusal:
            act()
        assert refusal.value.code == "persona_file_broken"
        assert "check --mend" in refusal.value.faults[0].hint("zh")
    assert file.read_bytes() == broken


@pytest.mark.parametrize("how", BREAKAGES)
def test_b11_settings_and_refusals_fail_closed(home: Home, how: str) -> None:
    for name, act in (
        ("persona.toml", lambda: open_home(home.root)),
        ("refusals.toml", lambda: refusals.lines_of_turn(home)),
    ):
        file = Path(home.root) / name
        data = file.read_bytes()
        # A text that is cut between two entries is a shorter text: this one is cut within a value.
        broken = BREAKAGES[how](data) if how != "b10_torn" else data[: data.index(b'= "') + 4]
        file.write_bytes(broken)
        with pytest.raises(ClewError):
            act()
        assert file.read_bytes() == broken
        file.write_bytes(data)


def test_b14_an_edit_by_hand_counts_and_an_emptied_text_is_told(home: Home) -> None:
    from clew.persona import checking, voice

    path = Path(home.root) / "voice.md"
    path.write_text("> 手改的一句\n", encoding="utf-8")
    assert [one.text for one in voice.read(home)] == ["手改的一句"]
    path.write_bytes(b"")
    assert "voice.md" in {fault.get("file") for fault in checking.check(home).faults}


def test_b11_a_refusal_that_was_shown_and_is_gone_is_noted(home: Home) -> None:
    """Where a cut left a whole, shorter file, the log still knows what it does not do."""
    from clew.persona import checking

    refusals.answer(home, "R3", "不。")
    file = Path(home.root) / "refusals.toml"
    file.write_bytes(file.read_bytes().split(b'[[refusal]]\nid = "R3"')[0])
    notes = checking.check(home).notes
    assert [note["code"] for note in notes] == ["refusal_gone"]
    assert "R3" in notes[0]["message"]


@pytest.mark.parametrize("zone, moment, day", [
    ("Asia/Shanghai", datetime(2026, 3, 4, 19, 53, tzinfo=UTC), "2026-03-05"),
    ("America/Chicago", datetime(2026, 3, 5, 1, 0, tzinfo=UTC), "2026-03-04"),
])  # fmt: skip
def test_b16_b17_writer_and_reader_of_a_diary_mean_the_same_day(
    tmp_path: Path, zone: str, moment: datetime, day: str
) -> None:
    home = somebody.begin(tmp_path / "x", somebody.Clock(moment), zone=zone)
    diary.write(home, "凌晨写的。")
    assert home.names("diary") == [f"{day}.md"]
    assert [one.date for one in diary.show(home, date=home.today())] == [day]
    assert home.read_events()[-1].facts["day"] == day


def test_b18_a_fresh_window_is_told_the_date(home: Home) -> None:
    text = opening_card(home).text
    assert "2026-03-01 星期日 20:00" in text
    assert "YYYY" not in text


def test_b22_a_persona_without_a_zone_does_not_begin(tmp_path: Path) -> None:
    from clew.persona import creating

    with pytest.raises(Refused) as refusal:
        creating.create(str(tmp_path / "x"), "林昭", None)
    assert refusal.value.code == "zone_needed"


def test_b29_identity_and_refusals_are_there_again_after_a_compaction(
    home: Home, clock: somebody.Clock
) -> None:
    first = opening_card(home, window="w1")
    clock.turn(seconds=20)
    again = opening_card(home, window="w1")
    for words in ("渡口的守灯人", "不替别人下结论", "不装作记得", "不为讨好改口"):
        assert words in first.text and words in again.text
    assert again.refusal_today == first.refusal_today


def test_b30_a_failure_between_value_and_clock_decays_nothing_twice(
    home: Home, clock: somebody.Clock
) -> None:
    """Twelve hours at ticks of fifteen minutes, each of which fails on the way."""
    keeping.change_mood(home, "set", 0.9, cause="收到了回信", source="self")
    for _ in range(48):
        clock.turn(minutes=15)
        with pytest.raises(RuntimeError), home.change() as change:
            keeping.heard(change, window="w1")
            raise RuntimeError("the provider is down")
    assert keeping.state(home).mood == pytest.approx(0.4875, abs=1e-4)
    assert [event.kind for event in home.read_events()] == ["born", "mood"]


def test_b31_a_dated_commitment_is_never_forgotten(home: Home, clock: somebody.Clock) -> None:
    intents.add_hanging(home, "陪她去渡口", due="2027-03-01")
    for number in range(60):
        intents.add_hanging(home, f"一句闲话 {number} " + "话" * 60)
    clock.turn(days=364)
    card = opening_card(home, limit=2000)
    assert "2027-03-01 H1 陪她去渡口" in card.text
    assert any(one.section == "hanging" and one.shown < one.of for one in card.left_out)


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_a_kill_at_any_moment_leaves_document_and_log_agreeing(home: Home) -> None:
    program = (
        "import sys\nfrom clew.persona import intents\nfrom clew.persona.home import open_home\n"
        "home = open_home(sys.argv[1])\nprint('go', flush=True)\n"
        "while True:\n    intents.add_thought(home, '念头')\n"
    )
    for wait in (0.05, 0.11, 0.19, 0.23):
        child = subprocess.Popen([sys.executable, "-c", program, home.root], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(wait)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        fresh = open_home(home.root)
        lists = fresh.read_lists()
        assert lists.thoughts == lists_of(fresh.read_events()).thoughts
        assert len(lists.thoughts) == lists.made
    assert lists.made > 0


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"\0" * len(data), lambda data: data + b"}\xff{"],
    ids=["b12_all_nul", "b13_garbage_behind_it"],
)
@pytest.mark.parametrize("name", [VITALS, LISTS])
def test_b12_b13_a_damaged_state_file_is_no_dead_end_and_no_fresh_start(
    home: Home, name: str, damage: Callable[[bytes], bytes]
) -> None:
    intents.add_intent(home, "把故事讲完")
    keeping.change_mood(home, "set", 0.8, cause="想通了", source="self")
    path = Path(home.root, name)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    for act in (
        lambda: keeping.change_mood(home, "set", 0.1, cause="雨", source="self"),
        lambda: opening_card(home),
    ):
        if name == VITALS:
            with pytest.raises(Corrupt):
                act()
    assert path.read_bytes() == damage(whole)
    mend(home)
    assert [one.text for one in home.read_lists().open_intents()] == ["把故事讲完"]
    assert (home.read_vitals().mood.value, home.read_vitals().mood.cause) == (0.8, "想通了")


def test_b17_who_writes_and_who_reads_mean_the_same_day_west_of_greenwich(
    tmp_path: Path, clock: somebody.Clock
) -> None:
    home = somebody.begin(tmp_path / "west", clock, zone="America/Chicago")
    clock.now = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
    assert diary.write(home, "一天的末尾。").date == home.today() == "2026-03-01"
    assert [day.date for day in diary.show(home, date=home.today())] == ["2026-03-01"]
    assert "一天的末尾。" in opening_card(home).text
