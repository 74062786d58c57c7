"""`backfill`: records for imported chapters, one by one, without touching what was imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from ferry_book import append, codes, read, start, state_of

import clew.novel
from clew.kernel.errors import ClewError, Refused
from clew.kernel.faults import Fault
from clew.novel.drafting import backfill, draft
from clew.novel.survey import Span
from clew.novel.timetravel import undo


def test_backfill_records_imported_chapters_one_by_one_and_can_be_taken_up_again(
    tmp_path: Path,
) -> None:
    ledger = start(tmp_path, imported=4)
    assert backfill(ledger, []).left == [Span(1, 4)]
    for chapter in (3, 1):
        notes: list[Fault] = []
        drafted = backfill(ledger, notes, chapter=chapter).draft
        assert drafted is not None
        assert (drafted.mode, codes(notes)) == ("revision", ["draft_without_record"])
        document = read(drafted)
        document["chapter_title"] = f"第{chapter}夜"
        document["delta"]["result"] = document["delta"]["result"] or "林晚到了渡口"
        done = backfill(ledger, [], chapter=chapter, document=document)
        assert done.committed is not None
        assert (tmp_path / f"追踪/逐章记录/第00{chapter}章.md").exists()
    progress = backfill(clew.novel.open(tmp_path), [])
    assert (progress.recorded, progress.left) == (
        [Span(1, 1), Span(3, 3)],
        [Span(2, 2), Span(4, 4)],
    )
    assert (progress.next, progress.left_count) == (2, 2)
    assert state_of(ledger).imported_through_chapter == 4
    assert state_of(ledger).context.recent_chapters[1].summary == "第3章旧事"
    undo(ledger, [])
    assert backfill(ledger, []).left == [Span(1, 2), Span(4, 4)]


def test_an_overlay_of_an_imported_chapter_changes_nothing_that_was_imported(
    tmp_path: Path,
) -> None:
    ledger = start(tmp_path, imported=4)
    before = state_of(ledger)
    drafted = backfill(ledger, [], chapter=4).draft
    assert drafted is not None
    assert read(drafted)["delta"]["next_chapter_commitments"] == ["账房上船"]
    backfill(ledger, [], document=read(drafted) | {"chapter_title": "第四夜"})
    after = state_of(ledger)
    assert msgspec.structs.replace(after, state_revision=before.state_revision) == before


def test_backfill_takes_no_other_chapter_and_no_append_and_says_all_at_once(tmp_path: Path) -> None:
    ledger = start(tmp_path, imported=2)
    append(ledger)
    document = read(draft(ledger, 4, []))
    tree = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    with pytest.raises(Refused) as refused:
        backfill(ledger, [], chapter=1, document=document)
    found = [(f.code, f.path) for f in refused.value.faults]
    assert found[:3] == [
        ("chapter_mismatch", "$.chapter"),
        ("not_imported", "$.chapter"),
        ("backfill_mode", "$.mode"),
    ]
    assert ("empty_text", "$.delta.result") in found
    for chapter in (0, 3):
        with pytest.raises(Refused) as refused:
            backfill(ledger, [], chapter=chapter)
        assert refused.value.code == "not_imported"
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == tree


@pytest.mark.parametrize("document", [{}, [], "x", {"chapter": "1", "mode": "revision"}])
def test_a_document_that_is_no_transaction_is_refused_whole(tmp_path: Path, document: Any) -> None:
    ledger = start(tmp_path, imported=2)
    with pytest.raises(ClewError):
        backfill(ledger, [], document=document)
    assert state_of(ledger).state_revision == 0


def test_a_book_that_imported_nothing_has_nothing_left(tmp_path: Path) -> None:
    progress = backfill(start(tmp_path), [])
    assert (progress.recorded, progress.left, progress.next) == ([], [], None)
