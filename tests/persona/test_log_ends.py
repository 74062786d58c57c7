"""A log that holds less than it did is told, never taken for one in which nothing happened."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import somebody
from heart import means
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.kernel.clock import stamp
from clew.persona import checking, diary, ends, intents, keeping, mending, refusals
from clew.persona.channels import reading, writing
from clew.persona.channels.lines import Note
from clew.persona.home import Home, open_home
from clew.persona.model import EVENTS, LISTS, PROBES
from clew.persona.pulse import outbox, restoring
from clew.persona.pulse.ledgerfile import WAKE, recent
from clew.persona.pulse.outbox import OUTBOX
from clew.persona.wake.ledger import Effect, Reserved

BOARD = "channels/board.jsonl"


@pytest.fixture
def clock() -> somebody.Clock:
    return somebody.Clock()


@pytest.fixture
def home(tmp_path: Path, clock: somebody.Clock) -> Home:
    home = somebody.begin(tmp_path / "林昭", clock)
    for text in ("一", "二", "三"):
        writing.note(home, text, by="小舟")
        intents.add_intent(home, text)
    refusals.show_today(home)
    ran(home, "monologue/2026-03-01/1")
    diary.write(home, "今天。")
    return home


def ran(home: Home, key: str) -> None:
    with home.change() as change:
        at = stamp(change.clock_now)
        entry, date, number = key.split("/")
        change.append(WAKE, Reserved(
            at=at, entry=entry, date=date, ordinal=int(number), due=at, runner="outbox",  # type: ignore[arg-type]
            deadline=at,
        ))  # fmt: skip
        change.append(WAKE, Effect(at=at, key=key, outcome="done"))
        change.event("wake", entry=entry, wake=key, runner="outbox", outcome="done")
        outbox.leave(change, key, entry, "说一句")


def told(home: Home) -> set[tuple[str, str]]:
    found = checking.check(open_home(home.root, clock=home.clock))
    return {(fault["code"], str(fault["file"])) for fault in found.faults}


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


def replaced(path: Path) -> None:
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"".join(b'{"kind":"other","at":"2026-01-01T00:00:00Z"}\n' for _ in lines))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "gone": lambda path: path.unlink(),
    "torn": cut,
    "a line less": lambda path: path.write_bytes(
        b"".join(path.read_bytes().splitlines(keepends=True)[:-1])
    ),
    "replaced": replaced,
}


@pytest.mark.parametrize("log", [EVENTS, BOARD, WAKE, OUTBOX, PROBES])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_log_that_lost_something_is_told_before_and_after_the_next_write(
    home: Home, log: str, damage: str
) -> None:
    assert told(home) == set()
    DAMAGE[damage](Path(home.root, log))
    assert ("log_cut", log) in told(home)
    writing.note(home, "又一条", by="小舟")
    intents.add_thought(home, "又一个")
    ran(home, "explore/2026-03-01/1")
    with home.change() as change:
        refusals.shown_in(change)
    assert ("log_cut", log) in told(home)
    mending.mend(home)
    assert ("log_cut", log) in told(home), "nothing is accepted without being asked"
    mending.mend(home, accept_loss=True)
    assert {code for code, _ in told(home)} <= {"persona_line_broken"}


def test_no_number_is_used_twice(home: Home) -> None:
    for log in (BOARD, EVENTS):
        cut(Path(home.root, log))
    last = home.read_events(last=1)[0].n
    assert writing.note(home, "新", by="小舟").n == 4
    intents.add_thought(home, "新")
    assert home.read_events(last=1)[0].n > last + 1
    assert [note.n for note in reading.last(home, "board", Note, 9)] == [1, 2, 4]


def test_numbers_go_on_after_an_emptied_log_was_accepted(home: Home) -> None:
    Path(home.root, BOARD).write_bytes(b"")
    mending.mend(home, accept_loss=True)
    assert writing.note(home, "新", by="小舟").n == 4


@pytest.mark.parametrize("log", [EVENTS, BOARD, WAKE, OUTBOX, PROBES])
def test_a_torn_end_that_nobody_was_told_of_is_repaired_in_silence(home: Home, log: str) -> None:
    with Path(home.root, log).open("ab") as file:
        file.write(b'{"n": 99, "half')
    assert told(home) == set()
    writing.note(home, "又一条", by="小舟")
    intents.add_thought(home, "又一个")
    assert told(home) == set()


def test_a_line_that_was_corrected_is_no_loss(home: Home) -> None:
    path = Path(home.root, BOARD)
    path.write_bytes(path.read_bytes().replace("三".encode(), "三，改过".encode()))
    assert told(home) == set()
    writing.note(home, "又一条", by="小舟")
    assert told(home) == set()


def test_lines_that_somebody_else_added_are_no_loss(home: Home) -> None:
    with Path(home.root, BOARD).open("ab") as file:
        file.write(b'{"n":4,"at":"2026-03-01T12:00:00.000Z","by":"x","text":"y"}\n')
    assert told(home) == set()
    assert writing.note(home, "又一条", by="小舟").n == 5
    assert told(home) == set()


@pytest.mark.parametrize("data", [None, b"", b"{", b'{"logs": 3}'])
def test_a_lost_record_of_the_ends_is_a_note_and_begun_anew(home: Home, data: bytes | None) -> None:
    path = Path(home.root, ends.ENDS)
    path.write_bytes(data or b"")
    if data is None:
        path.unlink()
    found = checking.check(home)
    assert found.status == "ok"
    assert [note["code"] for note in found.notes] == ["ends_unknown"]
    writing.note(home, "又一条", by="小舟")
    assert checking.check(home).notes == []
    Path(home.root, EVENTS).write_bytes(b"")
    assert ("log_cut", EVENTS) in told(home)


def test_lists_are_not_made_again_from_fewer_events_without_a_word(home: Home) -> None:
    Path(home.root, EVENTS).write_bytes(b"")
    intents.add_intent(home, "新")
    Path(home.root, LISTS).unlink()
    answer = mending.mend(home)
    assert LISTS not in answer.mended and not Path(home.root, LISTS).exists()
    assert "rebuild_fewer" in [note.code for note in home.notes]
    answer = mending.mend(home, accept_loss=True)
    assert LISTS in answer.mended
    assert [one.id for one in home.read_lists().intents] == ["I4"]
    assert told(home) == set()


def test_events_that_begin_late_are_known_by_their_numbers(home: Home) -> None:
    path = Path(home.root, EVENTS)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[3:]))
    Path(home.root, ends.ENDS).unlink()
    Path(home.root, LISTS).unlink()
    assert LISTS not in mending.mend(home).mended
    assert LISTS in mending.mend(home, accept_loss=True).mended


@pytest.mark.parametrize("damage", ["emptied", "gone"])
def test_a_page_of_the_diary_that_the_events_know_of_is_missed(home: Home, damage: str) -> None:
    DAMAGE[damage](Path(home.root, "diary/2026-03-01.md"))
    assert told(home) == {("diary_page_lost", "diary/2026-03-01.md")}
    mending.mend(home)
    assert told(home) == {("diary_page_lost", "diary/2026-03-01.md")}
    mending.mend(home, accept_loss=True)
    assert told(home) == set()


def test_a_page_that_became_shorter_is_a_note(home: Home) -> None:
    diary.write(home, "很长的一段。" * 40)
    Path(home.root, "diary/2026-03-01.md").write_text("# 2026-03-01\n", encoding="utf-8")
    found = checking.check(home)
    assert found.status == "ok"
    assert [note["code"] for note in found.notes] == ["diary_page_shorter"]


@pytest.mark.parametrize("lost", [(WAKE,), (WAKE, EVENTS), (WAKE, OUTBOX)])
def test_a_run_that_the_ledger_lost_still_counts(home: Home, lost: tuple[str, ...]) -> None:
    for log in lost:
        Path(home.root, log).write_bytes(b"")
    with home.change() as change:
        assert restoring.restore(change) == 1
    ledger = recent(home.read(WAKE), home.now())
    assert ledger.used("monologue", "2026-03-01", home.zone) == 1
    with home.change() as change:
        assert restoring.restore(change) == 0, "once"


def test_a_tick_brings_lost_runs_back(home: Home, clock: somebody.Clock) -> None:
    from clew.persona.pulse.tick import tick

    Path(home.root, WAKE).write_bytes(b"")
    clock.turn(minutes=1)
    tick(home, means(home), entries=("monologue",), tools=False)
    keys = [run.line.key for run in recent(home.read(WAKE), home.now()).runs]
    assert keys[0] == "monologue/2026-03-01/1" and len(set(keys)) == len(keys)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["note", "intent", "mood", "cut", "torn"]), max_size=10))
def test_a_loss_is_told_exactly_when_there_was_one(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    clock = somebody.Clock()
    home = somebody.begin(tmp_path_factory.mktemp("ends") / "林昭", clock)
    writing.note(home, "零", by="小舟")
    lost, numbers = False, [1]
    for step in steps:
        clock.now += timedelta(minutes=1)
        path = Path(home.root, BOARD)
        if step == "note":
            numbers.append(writing.note(home, step, by="小舟").n)
        elif step == "intent":
            intents.add_intent(home, step)
        elif step == "mood":
            keeping.change_mood(home, "raise", 0.1, cause=step, source="self")
        elif step == "torn":
            path.write_bytes(path.read_bytes() + b'{"half')
        elif whole := path.read_bytes().rpartition(b"\n")[0]:
            path.write_bytes(whole[:-3])
            lost = True
        assert (("log_cut", BOARD) in told(home)) == lost
    assert numbers == list(range(1, len(numbers) + 1))
