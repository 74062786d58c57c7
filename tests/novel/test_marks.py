"""Silenced findings and publications: lines of the history that make no revision."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.kernel import log
from clew.kernel.document import digest
from clew.kernel.errors import Locked
from clew.novel import history, marks
from clew.novel.check import check
from clew.novel.commit import commit
from clew.novel.history import Publication, Silence
from clew.novel.ledger import HISTORY, STATE, Ledger
from clew.novel.mend import repair, restore
from clew.novel.timetravel import at, entries, redo, undo
from clew.testing.novel import begin_book, chapter, state_of, ticking_clock

MEANT = Silence("overdue-foreshadow:F001", "读者已经不关心了")
OUT = Publication(1, "a" * 64)


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    begin_book(tmp_path)
    ledger = Ledger(tmp_path, clock=ticking_clock())
    commit(ledger, chapter(state_of(ledger)), [])
    return ledger


def _marks(ledger: Ledger) -> marks.Marks:
    return ledger.look(lambda reader: marks.read(ledger, reader))


def test_a_mark_makes_no_revision_and_changes_no_state(book: Ledger) -> None:
    before = (Path(book.root) / STATE).read_bytes()
    assert marks.put(book, [], MEANT, OUT) == state_of(book).state_revision
    assert (Path(book.root) / STATE).read_bytes() == before
    assert _marks(book) == marks.Marks({MEANT.finding: MEANT}, {1: OUT})
    check(book, [])


def test_marks_are_lifted_and_withdrawn(book: Ledger) -> None:
    marks.put(book, [], MEANT, OUT)
    marks.put(book, [], Silence(MEANT.finding, lifted=True), Publication(1, "", withdrawn=True))
    assert _marks(book) == marks.Marks({}, {})


def test_the_last_mark_of_a_subject_holds(book: Ledger) -> None:
    again = Silence(MEANT.finding, "另有安排")
    marks.put(book, [], MEANT)
    marks.put(book, [], again)
    assert _marks(book).silences == {MEANT.finding: again}


def test_undo_and_redo_pass_over_marks_and_keep_them(book: Ledger) -> None:
    commit(book, chapter(state_of(book)), [])
    marks.put(book, [], MEANT, OUT)
    assert undo(book, []).last_committed_chapter == 1
    marks.put(book, [], Silence("x:1", "在撤销之后"))
    assert redo(book, []).last_committed_chapter == 2
    assert at(book, chapter=1).chapter == 1
    assert set(_marks(book).silences) == {MEANT.finding, "x:1"}
    check(book, [])


def test_the_same_transaction_is_already_committed_when_only_a_mark_came_after(
    book: Ledger,
) -> None:
    second = chapter(state_of(book))
    commit(book, second, [])
    marks.put(book, [], OUT)
    assert commit(book, second, []).already_committed


def test_a_history_lists_marks_with_their_reason(book: Ledger) -> None:
    marks.put(book, [], MEANT)
    entry = entries(book).entries[-1]
    assert (entry.kind, entry.finding, entry.reason) == ("silence", MEANT.finding, MEANT.reason)
    assert not entry.lifted and not entry.withdrawn
    marks.put(book, [], Silence(MEANT.finding, lifted=True), Publication(1, OUT.body_sha256, True))
    lifted, withdrawn = entries(book).entries[-2:]
    assert (lifted.kind, lifted.lifted, lifted.withdrawn) == ("silence", True, False)
    assert (withdrawn.kind, withdrawn.lifted, withdrawn.withdrawn) == ("publish", False, True)


def test_repairing_a_broken_history_keeps_the_marks(book: Ledger) -> None:
    commit(book, chapter(state_of(book)), [])
    marks.put(book, [], MEANT, OUT)
    path = Path(book.root) / HISTORY
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], *lines[2:]]))
    assert repair(book, []).restored
    assert _marks(book) == marks.Marks({MEANT.finding: MEANT}, {1: OUT})
    check(book, [])


def test_a_damaged_last_commit_is_seen_behind_a_mark(book: Ledger) -> None:
    """A mark vouches for the line before it by its digest; both are held against the state."""
    marks.put(book, [], OUT)
    lines, _ = log.lines((Path(book.root) / HISTORY).read_bytes())
    assert history.last_change(lines)[0] == lines[-2]
    assert history.load(lines[-1]).previous == digest(lines[-2])


def test_putting_back_what_the_history_says_works_behind_a_mark(book: Ledger) -> None:
    marks.put(book, [], OUT)
    state = Path(book.root) / STATE
    whole = state.read_bytes()
    state.write_bytes(whole.replace(b'"last_committed_chapter": 1', b'"last_committed_chapter": 7'))
    assert restore(book, []).restored
    assert state.read_bytes() == whole


def test_nothing_is_marked_while_somebody_else_writes(book: Ledger) -> None:
    other = Ledger(book.root, lock_timeout=0.05)
    with book.changing([]), pytest.raises(Locked):
        marks.put(other, [], OUT)
    assert _marks(book) == marks.Marks({}, {})
