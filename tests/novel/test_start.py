"""Starting a book and taking one over."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from clew import novel
from clew.kernel.errors import Corrupt, Missing, Refused
from clew.kernel.faults import Fault
from clew.novel.check import check
from clew.novel.commit import commit
from clew.novel.ledger import HISTORY, STATE, Ledger, record_path
from clew.novel.start import ARCHIVE, adopt, init
from clew.testing.novel import (
    Document,
    begin_book,
    chapter,
    event,
    foreshadow,
    init_document,
    refusal,
    snapshot,
    state_of,
    tree,
)


def test_a_started_book_has_its_state_history_and_every_view(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    document = init_document(character_snapshots={"江晨": snapshot()})
    done = init(ledger, document, [])
    assert (done.status, done.last_committed_chapter, done.state_revision) == ("ok", 0, 0)
    found = {p for p in tree(tmp_path) if "/.clew" not in p and not p.endswith("/")}
    assert found == set(done.written) == {
        STATE, HISTORY, "追踪/上下文.md", "追踪/伏笔.md", "追踪/时间线/作者真相.md",
        "追踪/时间线/读者已知.md", "追踪/角色状态/江晨.md",
    }  # fmt: skip
    assert check(ledger, []).adopted


def test_an_imported_book_starts_at_its_last_chapter(tmp_path: Path) -> None:
    document = init_document(
        12, foreshadow=[foreshadow("F001", 3)], timeline_events=[event("E001", 12)],
        recent_chapters=[{"chapter": 12, "summary": "旧账上船"}],
    )  # fmt: skip
    ledger = begin_book(tmp_path, document)
    state = state_of(ledger)
    assert (state.imported_through_chapter, state.last_committed_chapter) == (12, 12)
    assert commit(ledger, chapter(state), []).chapter == 13


@pytest.mark.parametrize("made", [True, False])
def test_a_refused_init_makes_no_folder_and_names_every_fault(tmp_path: Path, made: bool) -> None:
    folder = tmp_path / "book"
    if made:
        folder.mkdir()
    document = init_document(
        foreshadow=[foreshadow("F001", 1)], active_character_names=["路人"], book_title="",
        schema_version=2, mood=1,
    )  # fmt: skip
    error = refusal(tmp_path, lambda: init(Ledger(folder), document, []))
    assert isinstance(error, Refused)
    assert sorted((f.code, f.path) for f in error.faults) == [
        ("active_without_snapshot", "$.context.active_character_names[0]"),
        ("empty_text", "$.book_title"),
        ("nothing_written_yet", "$.foreshadow"),
        ("unknown_field", "$.mood"),
        ("unsupported_schema", "$.schema_version"),
    ]


def test_opening_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(Missing):
        novel.open(tmp_path / "nowhere")


def test_init_in_a_folder_that_is_not_there_is_refused_plainly(tmp_path: Path) -> None:
    error = refusal(tmp_path, lambda: init(Ledger(tmp_path / "a/b"), init_document(), []))
    assert error.faults[0].message("zh") != error.faults[0].message("en")


def test_an_existing_ledger_is_refused(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path)
    error = refusal(tmp_path, lambda: init(ledger, init_document(), []))
    assert (error.code, error.exit_code) == ("ledger_exists", 2)


def test_a_history_without_its_state_is_not_started_over(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path)
    (tmp_path / STATE).unlink()
    error = refusal(tmp_path, lambda: init(ledger, init_document(), []))
    assert error.code == "history_without_state"
    assert "--to-history" in error.hint


def test_an_init_over_a_cap_is_refused_whole(tmp_path: Path) -> None:
    cast = {"江晨": snapshot(knowledge=["字" * 128] * 22), "老周": snapshot()}
    wide = {f"人{n}": snapshot(identity="字" * 80, state="字" * 100, goal="字" * 100)
            for n in range(20)}  # fmt: skip
    document = init_document(character_snapshots=cast | wide, active_character_names=list(wide))
    error = refusal(tmp_path, lambda: init(Ledger(tmp_path), document, []))
    assert {(f.code, f.facts["file"]) for f in error.faults} == {
        ("over_capacity", "追踪/上下文.md"), ("over_capacity", "追踪/角色状态/江晨.md"),
    }  # fmt: skip


OLD = {
    "_tracking-meta.json": "{}", "阶段摘要.md": "摘要", "角色状态.md": "角色", "时间线.md": "线",
    "摘要/第一卷.md": "卷", "时间线/事件库.json": "[]", "基线_截至第12章.md": "基线",
}  # fmt: skip


def _old_layout(folder: Path) -> None:
    for path, text in OLD.items():
        place = folder / "追踪" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")


def test_retired_layouts_are_moved_to_the_archive_as_they_are(tmp_path: Path) -> None:
    _old_layout(tmp_path)
    notes: list[Fault] = []
    done = init(Ledger(tmp_path), init_document(), notes)
    for path, text in OLD.items():
        assert (tmp_path / ARCHIVE / path).read_text("utf-8") == text
        assert not (tmp_path / "追踪" / path).exists()
    assert sorted(done.archived) == sorted(
        ["_tracking-meta.json", "阶段摘要.md", "角色状态.md", "时间线.md", "摘要", "时间线/事件库.json",
         "基线_截至第12章.md"]
    )  # fmt: skip
    assert [n.code for n in notes] == ["layout_archived"]
    check(Ledger(tmp_path), [])


@pytest.mark.parametrize(
    "document", [init_document(-1), init_document(book_title=""), init_document() | {"x": 1}]
)
def test_a_refused_init_moves_nothing(tmp_path: Path, document: Document) -> None:
    _old_layout(tmp_path)
    assert refusal(tmp_path, lambda: init(Ledger(tmp_path), document, [])).faults


def test_an_archive_that_is_taken_refuses_the_init_and_moves_nothing(tmp_path: Path) -> None:
    _old_layout(tmp_path)
    for path in ("阶段摘要.md", "时间线/事件库.json"):
        place = tmp_path / ARCHIVE / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("更早的", "utf-8")
    error = refusal(tmp_path, lambda: init(Ledger(tmp_path), init_document(), []))
    assert {(f.code, f.facts["file"]) for f in error.faults} == {
        ("target_exists", f"{ARCHIVE}/时间线/事件库.json"),
        ("target_exists", f"{ARCHIVE}/阶段摘要.md"),
    }


def test_adopting_a_book_of_ones_own_keeps_everything(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path, init_document(character_snapshots={"江晨": snapshot()}))
    commit(ledger, chapter(state_of(ledger), changes=["江晨"]), [])
    before = state_of(ledger)
    (tmp_path / HISTORY).unlink()
    taken = adopt(ledger, [])
    assert (taken.chapter_records, taken.missing_records, taken.set_aside) == (1, [], [])
    assert state_of(ledger) == before
    check(ledger, [])
    line = msgspec.json.decode((tmp_path / HISTORY).read_bytes())
    assert line["kind"] == "adopt"
    assert line["records"]["1"]["after"] == (tmp_path / record_path(1)).read_text("utf-8")


def test_adopting_nothing_is_refused_without_a_trace(tmp_path: Path) -> None:
    error = refusal(tmp_path, lambda: adopt(Ledger(tmp_path), []))
    assert error.code == "ledger_missing"
    error = refusal(tmp_path, lambda: adopt(Ledger(tmp_path), [], dry_run=True))
    assert error.code == "ledger_missing"


def test_adopting_beside_a_retired_layout_is_refused(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path)
    (tmp_path / "追踪/阶段摘要.md").write_text("旧", "utf-8")
    error = refusal(tmp_path, lambda: adopt(ledger, []))
    assert isinstance(error, Corrupt)
    assert error.code == "retired_layout"
