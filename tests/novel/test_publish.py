"""Publishing: what readers have, what is still in stock, and what changed since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.kernel.document import digest
from clew.kernel.errors import ClewError, Locked, Refused
from clew.kernel.faults import Fault
from clew.kernel.folder import FolderVault
from clew.novel import marks
from clew.novel.check import Stock, check, stats
from clew.novel.commit import commit
from clew.novel.ledger import STATE, Ledger
from clew.novel.publish import Published, publish, withdraw
from clew.novel.timetravel import redo, undo
from clew.novel.wordcount import word_record
from clew.testing.faulty import FaultyFiles
from clew.testing.novel import (
    begin_book,
    chapter,
    init_document,
    refusal,
    state_of,
    ticking_clock,
    tree,
)


class Serial:
    """A serial whose chapters have 90 characters each."""

    def __init__(self, root: Path, document: Any = None) -> None:
        (root / "正文").mkdir(parents=True)
        self.root = root
        begin_book(root, document)
        self.ledger = Ledger(root, clock=ticking_clock(), lock_timeout=0.2)

    def body(self, number: int, char: str = "风") -> bytes:
        path = self.root / "正文" / f"第{number:03d}章_题.md"
        path.write_text(f"# 第{number}章 题\n\n{char * 90}\n", encoding="utf-8")
        return path.read_bytes()

    def commit(self, number: int | None = None, *, counted: bool = True) -> list[Fault]:
        """Commit the next chapter, or the revision of one, with its body's count."""
        state = state_of(self.ledger)
        chosen = number or state.last_committed_chapter + 1
        path = self.root / "正文" / f"第{chosen:03d}章_题.md"
        data = path.read_bytes() if path.exists() else self.body(chosen)
        record = word_record(actual=90, target=100, body_sha256=digest(data))
        notes: list[Fault] = []
        document = chapter(state, number)
        commit(self.ledger, document, notes, counted=(lambda: record) if counted else None)
        return notes

    def publish(self, number: int, through: int | None = None, **how: Any) -> Published:
        return publish(self.ledger, number, through or number, [], **how)

    @property
    def published(self) -> dict[int, str]:
        found = self.ledger.look(lambda reader: marks.read(self.ledger, reader)).published
        return {number: mark.body_sha256 for number, mark in found.items()}


@pytest.fixture
def serial(tmp_path: Path) -> Serial:
    """Three committed chapters."""
    serial = Serial(tmp_path / "连载")
    for _ in range(3):
        serial.commit()
    return serial


def outcomes(done: Published) -> list[tuple[int, str]]:
    return [(row.chapter, row.outcome) for row in done.chapters]


# ---- marking -------------------------------------------------------------------------------------


def test_a_chapter_is_published_with_its_bodys_hash(serial: Serial) -> None:
    before = (serial.root / STATE).read_bytes()
    done = serial.publish(1, 2)
    assert outcomes(done) == [(1, "published"), (2, "published")]
    assert done.written
    assert serial.published == {n: digest(serial.body(n)) for n in (1, 2)}
    assert (serial.root / STATE).read_bytes() == before
    check(serial.ledger, [])


def test_publishing_again_what_readers_have_writes_nothing(serial: Serial) -> None:
    serial.publish(1)
    before = tree(serial.root)
    done = serial.publish(1)
    assert (outcomes(done), done.written) == ([(1, "already")], False)
    assert tree(serial.root) == before


def test_a_range_marks_what_is_new_in_it(serial: Serial) -> None:
    serial.publish(2)
    done = serial.publish(1, 3)
    assert outcomes(done) == [(1, "published"), (2, "already"), (3, "published")]
    assert done.written


def test_another_text_is_published_again(serial: Serial) -> None:
    serial.publish(1)
    data = serial.body(1, "雨")
    serial.commit(1)
    assert outcomes(serial.publish(1)) == [(1, "republished")]
    assert serial.published == {1: digest(data)}


def test_marks_are_withdrawn(serial: Serial) -> None:
    serial.publish(1, 2)
    done = withdraw(serial.ledger, 2, 3, [])
    assert outcomes(done) == [(2, "withdrawn"), (3, "not_published")]
    assert list(serial.published) == [1]
    again = withdraw(serial.ledger, 2, 3, [])
    assert (outcomes(again), again.written) == ([(2, "not_published"), (3, "not_published")], False)


def test_taking_back_a_published_chapter_says_that_readers_have_it(serial: Serial) -> None:
    serial.publish(3)
    undo(serial.ledger, notes := [])
    assert [(n.code, n.facts["chapter"]) for n in notes] == [("published_chapter_undone", 3)]
    undo(serial.ledger, notes := [])
    assert notes == []


def test_an_imported_chapter_without_a_count_can_be_published(tmp_path: Path) -> None:
    recent = [{"chapter": n, "summary": "略"} for n in (1, 2)]
    serial = Serial(tmp_path / "旧书", init_document(2, recent_chapters=recent))
    for number in (1, 2):
        serial.body(number)
    assert outcomes(serial.publish(1, 2)) == [(1, "published"), (2, "published")]


# ---- what is refused -----------------------------------------------------------------------------


def refused(serial: Serial, number: int, through: int, **how: Any) -> list[tuple[str, Any]]:
    error = refusal(serial.root, lambda: serial.publish(number, through, **how))
    assert isinstance(error, Refused)
    return [(f.code, f.facts.get("chapter") or f.facts["found"]) for f in error.faults]


def test_only_committed_chapters_are_published(serial: Serial) -> None:
    serial.body(4)
    assert refused(serial, 4, 4) == [("publish_uncommitted", 4)]
    assert refused(serial, 2, 999_999_999) == [("publish_uncommitted", 4)]


def test_a_body_newer_than_its_record_is_asked_about(serial: Serial) -> None:
    data = serial.body(2, "雨")
    assert refused(serial, 1, 3) == [("body_newer", 2)]
    assert outcomes(serial.publish(1, 3, force=True))[1] == (2, "published")
    assert serial.published[2] == digest(data)


def test_everything_that_is_wrong_is_said_at_once(serial: Serial) -> None:
    (serial.root / "正文" / "第001章_题.md").unlink()
    serial.body(2, "雨")
    (serial.root / "正文" / "第003章_另一份.md").write_text("走。", encoding="utf-8")
    assert refused(serial, 1, 5) == [
        ("publish_uncommitted", 4), ("not_one_file", 1), ("body_newer", 2), ("not_one_file", 3),
    ]  # fmt: skip


def test_a_book_without_a_ledger_has_nothing_to_publish(tmp_path: Path) -> None:
    error = refusal(tmp_path, lambda: publish(Ledger(tmp_path), 1, 1, []))
    assert error.code == "ledger_missing"


def test_nothing_is_published_while_somebody_else_writes(serial: Serial) -> None:
    other = Ledger(serial.root, lock_timeout=0.05)
    with serial.ledger.changing([]), pytest.raises(Locked):
        publish(other, 1, 1, [])
    assert serial.published == {}


def test_whatever_call_fails_all_chapters_are_marked_or_none(serial: Serial) -> None:
    """Several marks are one change; the next command completes or drops it whole."""
    outcomes = set()
    for number in range(1, 60):
        files = FaultyFiles(number)
        ledger = Ledger(serial.root, vault=FolderVault(serial.root, files=files), lock_timeout=0.2)
        try:
            publish(ledger, 1, 3, [])
        except ClewError:
            outcomes.add("failed")
        assert len(serial.published) in (0, 3)
        check(serial.ledger, [])
        if serial.published:
            outcomes.add("marked")
            withdraw(serial.ledger, 1, 3, [])
        if not files.failure.hits:
            break
    assert outcomes == {"failed", "marked"}


# ---- what readers have, and what changed ---------------------------------------------------------


def test_stats_count_the_stock(serial: Serial) -> None:
    assert stats(serial.ledger).stock == Stock(3, 270)
    serial.publish(1)
    serial.body(4)
    found = stats(serial.ledger)
    assert (found.published, found.stock, found.published_changed) == (1, Stock(2, 180), [])
    assert [row.published for row in found.lengths] == [True, False, False, False]


def test_stats_list_published_bodies_that_changed_since_or_are_gone(serial: Serial) -> None:
    serial.publish(1, 3)
    serial.body(1, "雨")
    (serial.root / "正文" / "第003章_题.md").unlink()
    found = stats(serial.ledger)
    assert found.published_changed == [1, 3]
    assert (found.published, found.stock) == (3, Stock(0, 0))


def test_revising_a_published_chapter_warns(serial: Serial) -> None:
    serial.publish(2)
    assert [n.code for n in serial.commit(3)] == []
    notes = serial.commit(2)
    assert [(n.code, n.facts["chapter"]) for n in notes] == [("published_chapter_revised", 2)]
    for lang in ("zh", "en"):
        assert "2" in notes[0].message(lang)
        assert "clew novel publish --chapter 2" in notes[0].hint(lang)


def test_a_withdrawn_chapter_is_revised_without_a_warning(serial: Serial) -> None:
    serial.publish(2)
    withdraw(serial.ledger, 2, 2, [])
    assert serial.commit(2) == []


def test_writing_undone_chapters_anew_says_that_readers_have_them(serial: Serial) -> None:
    serial.publish(1, 3)
    undo(serial.ledger, [])
    undo(serial.ledger, [])
    warned = [n.facts["chapter"] for n in serial.commit() if n.code == "published_chapter_revised"]
    assert warned == [2, 3]
    assert [n.code for n in serial.commit() if n.code == "published_chapter_revised"] == []
    undo(serial.ledger, [])
    withdraw(serial.ledger, 3, 3, [])
    assert [n.code for n in serial.commit() if n.code == "published_chapter_revised"] == []


def test_what_changes_between_judging_and_marking_is_judged_anew(serial: Serial) -> None:
    """Another process undoes the chapter, or withdraws it, before the lock is ours."""

    class Late(Ledger):
        def __init__(self, *args: Any, meanwhile: list[Any], **how: Any) -> None:
            super().__init__(*args, **how)
            self.meanwhile = meanwhile

        def look(self, read: Any) -> Any:
            found = super().look(read)
            if self.meanwhile:
                self.meanwhile.pop()()
            return found

    late = Late(serial.root, meanwhile=[lambda: undo(serial.ledger, [])])
    with pytest.raises(Refused) as refused:
        publish(late, 3, 3, [])
    assert refused.value.code == "publish_uncommitted"
    assert serial.published == {}
    late = Late(serial.root, meanwhile=[lambda: serial.publish(1)])
    assert [row.outcome for row in publish(late, 1, 2, []).chapters] == ["already", "published"]
    late = Late(serial.root, meanwhile=[lambda: withdraw(serial.ledger, 1, 1, [])])
    assert [row.outcome for row in withdraw(late, 1, 1, []).chapters] == ["not_published"]


def test_publications_outlive_undo_and_redo(serial: Serial) -> None:
    serial.publish(3)
    undo(serial.ledger, [])
    assert list(serial.published) == [3]
    assert stats(serial.ledger).stock == Stock(2, 180)
    # Not committed any more, and the mark can still be taken back.
    assert outcomes(withdraw(serial.ledger, 3, 3, [])) == [(3, "withdrawn")]
    redo(serial.ledger, [])
    assert stats(serial.ledger).stock == Stock(3, 270)
