"""`check` names everything that is not what the ledger says; `render` rebuilds it; `stats` counts."""

from __future__ import annotations

import shutil
import unicodedata
from pathlib import Path

import pytest

from clew.kernel.errors import Corrupt, Missing
from clew.kernel.faults import Fault
from clew.novel.check import check, render, stats
from clew.novel.commit import commit
from clew.novel.ledger import HISTORY, STATE, Ledger, record_path
from clew.testing.novel import (
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

VIEWS = [
    "追踪/上下文.md", "追踪/伏笔.md", "追踪/时间线/作者真相.md", "追踪/时间线/读者已知.md",
    "追踪/角色状态/江晨.md", "追踪/角色状态/Zoë.md",
]  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A book of three chapters, the first of them imported."""
    cast = {"江晨": snapshot(), "Zoë": snapshot()}
    ledger = begin_book(tmp_path, init_document(1, character_snapshots=cast))
    for _ in range(2):
        commit(ledger, chapter(state_of(ledger), changes=["江晨"]), [])
    return ledger


def _faults(ledger: Ledger) -> list[tuple[str, str]]:
    """What `check` refuses, after making sure that looking changed nothing."""
    error = refusal(ledger.root, lambda: check(ledger, []))
    assert isinstance(error, Corrupt)
    assert error.exit_code == 2
    for fault in error.faults:
        assert fault.message("zh") != fault.message("en")
        assert fault.hint("zh") or fault.code == "record_name"
    return [(f.code, str(f.facts.get("file", ""))) for f in error.faults]


def test_a_ledger_whose_files_agree_passes_and_is_not_touched(ledger: Ledger) -> None:
    before = tree(ledger.root)
    notes: list[Fault] = []
    answer = check(ledger, notes)
    assert (answer.status, answer.last_committed_chapter, answer.state_revision) == ("ok", 3, 2)
    assert answer.adopted and notes == []
    assert tree(ledger.root) == before


@pytest.mark.parametrize("path", VIEWS)
def test_a_view_that_was_edited_is_named_and_render_rebuilds_it(ledger: Ledger, path: str) -> None:
    place = Path(ledger.root) / path
    good = place.read_bytes()
    place.write_bytes(good + "批注\n".encode())
    assert _faults(ledger) == [("view_differs", path)]
    answer = render(ledger, [])
    assert (answer.written, answer.state_revision) == ([path], 2)
    assert place.read_bytes() == good
    (kept,) = answer.set_aside
    assert (Path(ledger.root) / kept).read_bytes() == good + "批注\n".encode()
    check(ledger, [])


@pytest.mark.parametrize("path", VIEWS)
def test_a_view_that_is_gone_is_named_and_render_rebuilds_it(ledger: Ledger, path: str) -> None:
    (Path(ledger.root) / path).unlink()
    assert _faults(ledger) == [("view_missing", path)]
    assert render(ledger, []).set_aside == []
    check(ledger, [])


def test_every_view_and_record_can_be_deleted_and_rebuilt(ledger: Ledger) -> None:
    before = {p: d for p, d in tree(ledger.root).items() if "/.clew" not in p}
    top = Path(ledger.root) / "追踪"
    for name in ("时间线", "角色状态", "逐章记录"):
        shutil.rmtree(top / name)
    for name in ("上下文.md", "伏笔.md"):
        (top / name).unlink()
    assert len(_faults(ledger)) == len(VIEWS) + 2
    render(ledger, [])
    assert {p: d for p, d in tree(ledger.root).items() if "/.clew" not in p} == before


def test_every_fault_is_named_at_once(ledger: Ledger) -> None:
    top = Path(ledger.root) / "追踪"
    (top / "上下文.md").write_text("改", "utf-8")
    (top / "伏笔.md").unlink()
    (top / "角色状态/路人.md").write_text("我的", "utf-8")
    (top / "逐章记录/第002章.md").unlink()
    (top / "逐章记录/第003章.md").write_text("改", "utf-8")
    (top / "逐章记录/第0004章.md").write_text("多", "utf-8")
    (top / "时间线.md").write_text("旧", "utf-8")
    assert sorted(_faults(ledger)) == sorted(
        [
            ("retired_layout", ""),
            ("record_missing", record_path(2)),
            ("record_differs", record_path(3)),
            ("record_name", "追踪/逐章记录/第0004章.md"),
            ("stray_file", "追踪/角色状态/路人.md"),
            ("view_differs", "追踪/上下文.md"),
            ("view_missing", "追踪/伏笔.md"),
        ]
    )


@pytest.mark.parametrize(
    "name", ["第02章.md", "第0002章.md", "第004章.md", "第〇章.md", "第２章.md", "第000章.md",
             "第章.md", "第-1章.md", "第99999999999章.md"]
)  # fmt: skip
def test_a_record_without_a_canonical_name_is_named(ledger: Ledger, name: str) -> None:
    (Path(ledger.root) / f"追踪/逐章记录/{name}").write_text("x", "utf-8")
    assert _faults(ledger) == [("record_name", f"追踪/逐章记录/{name}")]


def test_a_file_of_the_authors_own_among_the_records_is_left_alone(ledger: Ledger) -> None:
    (Path(ledger.root) / "追踪/逐章记录/备忘.md").write_text("x", "utf-8")
    assert check(ledger, []).status == "ok"


def test_a_record_over_its_cap_is_named_beside_its_difference(ledger: Ledger) -> None:
    (Path(ledger.root) / record_path(2)).write_text("字" * 1025, "utf-8")
    assert _faults(ledger) == [
        ("over_capacity", record_path(2)),
        ("record_differs", record_path(2)),
    ]


def test_an_edited_record_is_restored_and_the_edit_kept(ledger: Ledger) -> None:
    place = Path(ledger.root) / record_path(3)
    good = place.read_bytes()
    place.write_text("我改了记录\n", "utf-8")
    answer = render(ledger, [])
    assert place.read_bytes() == good
    (kept,) = answer.set_aside
    assert (Path(ledger.root) / kept).read_text("utf-8") == "我改了记录\n"


def test_an_overlay_record_of_an_imported_chapter_is_held_to_the_history(ledger: Ledger) -> None:
    commit(ledger, chapter(state_of(ledger), 1), [])
    (Path(ledger.root) / record_path(1)).unlink()
    assert _faults(ledger) == [("record_missing", record_path(1))]
    render(ledger, [])
    check(ledger, [])


@pytest.mark.parametrize(
    ("name", "stray"),
    [
        ("路人.md", True), ("备忘.txt", False), ("江晨.md.bak", False), ("zoë.md", True),
    ],
)  # fmt: skip
def test_a_file_that_is_no_characters_view_is_stray(ledger: Ledger, name: str, stray: bool) -> None:
    place = Path(ledger.root) / "追踪/角色状态" / name
    place.write_text("我的笔记\n", "utf-8")
    if not stray:
        assert check(ledger, []).status == "ok"
        return
    (found,) = _faults(ledger)
    assert found[0] == "stray_file"
    before = tree(ledger.root)
    answer = render(ledger, [])
    assert answer.pruned == [] and place.read_text("utf-8") == "我的笔记\n"
    assert set(before) <= set(tree(ledger.root))
    answer = render(ledger, [], prune=True)
    assert len(answer.pruned) == 1
    kept = [p for p, d in tree(ledger.root).items() if d == "我的笔记\n".encode()]
    assert len(kept) == 1 and kept[0].startswith("追踪/.clew/aside/")
    check(ledger, [])


def test_two_files_whose_names_differ_in_normal_form_only_are_sorted_out_without_loss(
    ledger: Ledger,
) -> None:
    """They would be one file elsewhere: one is pruned, the other is rendered again."""
    folder = Path(ledger.root) / "追踪/角色状态"
    (folder / (unicodedata.normalize("NFD", "Zoë") + ".md")).write_text("我的笔记\n", "utf-8")
    assert {code for code, _ in _faults(ledger)} <= {"stray_file", "view_differs"}
    render(ledger, [], prune=True)
    render(ledger, [])
    check(ledger, [])
    kept = [p for p, d in tree(ledger.root).items() if d == "我的笔记\n".encode()]
    assert len(kept) == 1 and kept[0].startswith("追踪/.clew/aside/")
    assert len(list(folder.glob("Z*"))) == 1


def test_a_view_whose_name_is_in_another_normal_form_is_the_view(ledger: Ledger) -> None:
    folder = Path(ledger.root) / "追踪/角色状态"
    (folder / "Zoë.md").rename(folder / (unicodedata.normalize("NFD", "Zoë") + ".md"))
    assert check(ledger, []).status == "ok"
    commit(
        ledger, chapter(state_of(ledger), changes=["Zoë"], snapshots={"Zoë": snapshot(goal="走")}),
        [],
    )  # fmt: skip
    assert check(ledger, []).status == "ok"
    assert len([p for p in folder.iterdir() if p.name.startswith("Z")]) == 1


def test_a_user_file_of_a_retired_characters_name_is_kept_aside(ledger: Ledger) -> None:
    place = Path(ledger.root) / "追踪/角色状态/江晨.md"
    place.write_text("我的笔记\n", "utf-8")
    notes: list[Fault] = []
    commit(ledger, chapter(state_of(ledger), retired_characters=["江晨"]), notes)
    assert not place.exists()
    (note,) = [n for n in notes if n.code == "edit_set_aside"]
    assert (Path(ledger.root) / note.facts["found"]).read_text("utf-8") == "我的笔记\n"


def test_a_torn_history_end_is_a_note_and_the_next_commit_keeps_it(ledger: Ledger) -> None:
    path = Path(ledger.root) / HISTORY
    path.write_bytes(path.read_bytes() + b'{"kind":"app')
    notes: list[Fault] = []
    assert check(ledger, notes).status == "ok"
    assert [(n.code, n.facts["found"]) for n in notes] == [("history_torn", 12)]
    commit(ledger, chapter(state_of(ledger)), [])
    assert b'{"kind":"app' in tree(ledger.root).values()
    notes = []
    check(ledger, notes)
    assert notes == []


def test_a_broken_history_is_named_with_its_line_and_the_views_are_still_checked(
    ledger: Ledger,
) -> None:
    path = Path(ledger.root) / HISTORY
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"<<<<<<< HEAD\n" + b"".join(lines[1:]))
    (Path(ledger.root) / "追踪/伏笔.md").unlink()
    assert _faults(ledger) == [("history_broken", HISTORY), ("view_missing", "追踪/伏笔.md")]


def test_a_last_line_that_does_not_lead_to_its_state_is_found(ledger: Ledger) -> None:
    path = Path(ledger.root) / HISTORY
    *lines, last = path.read_bytes().splitlines(keepends=True)
    edited = last.replace("第3章写完".encode(), "第3章写毕".encode())
    assert edited != last
    path.write_bytes(b"".join([*lines, edited]))
    assert ("history_broken", HISTORY) in _faults(ledger)


def test_where_there_is_no_ledger_check_says_so(tmp_path: Path) -> None:
    error = refusal(tmp_path, lambda: check(Ledger(tmp_path), []))
    assert error.code == "ledger_missing"
    assert isinstance(error, Missing | Corrupt)


def test_a_state_that_is_no_state_is_named_with_every_fault(ledger: Ledger) -> None:
    path = Path(ledger.root) / STATE
    text = path.read_text("utf-8").replace('"last_committed_chapter"', '"last"')
    path.write_text(text, "utf-8")
    error = refusal(ledger.root, lambda: check(Ledger(ledger.root), []))
    assert sorted((f.code, f.path) for f in error.faults) == [
        ("missing_field", "$.last_committed_chapter"),
        ("unknown_field", "$.last"),
    ]


def test_rendering_what_is_right_writes_nothing(ledger: Ledger) -> None:
    before = tree(ledger.root)
    answer = render(ledger, [], prune=True)
    assert (answer.written, answer.set_aside, answer.pruned) == ([], [], [])
    assert tree(ledger.root) == before


def test_stats_count_chapters_lengths_foreshadows_and_what_is_overdue(ledger: Ledger) -> None:
    folder = Path(ledger.root) / "正文"
    folder.mkdir()
    (folder / "第001章_渡口.md").write_text("# 第1章 渡口\n\n风 起 了。\n", "utf-8")
    (folder / "第002章_旧账.md").write_text("# 第2章 旧账\n\nThe old book.\n", "utf-8")
    (folder / "第002章_原稿_旧账.md").write_text("备份", "utf-8")
    commit(
        ledger,
        chapter(
            state_of(ledger), changes=["江晨"], active_character_names=["江晨"],
            foreshadow_changes=[
                foreshadow("F001", 1, 4), foreshadow("F002", 1, 9),
                foreshadow("F003", 1, status="已回收"),
            ],
            timeline_events=[event("E001"), event("E002", 2)],
        ),
        [],
    )  # fmt: skip
    found = stats(ledger)
    assert (found.book_title, found.last_committed_chapter, found.bodies) == ("渡口旧账", 4, 2)
    assert [(row.chapter, row.visible_chars) for row in found.lengths] == [(1, 4), (2, 11)]
    assert (found.visible_chars, found.characters, found.active_characters) == (15, 2, 1)
    assert found.foreshadows == {"已埋": 2, "已回收": 1}
    assert (found.overdue, found.events, found.unrevealed) == (["F001"], 2, ["E001"])
