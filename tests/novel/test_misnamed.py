"""Files that look like chapters and are not named as such are seen, with the name they should have."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.errors import Missing
from clew.kernel.faults import Fault
from clew.novel import book, check, drafting, linting
from clew.novel.export.gather import Wish, gather
from clew.novel.filenames import body_number, outline_number
from clew.novel.ledger import Ledger
from clew.novel.misnamed import body_guess, misnamed_bodies, misnamed_outlines
from clew.novel.writing import context
from clew.testing.novel import begin_book

BODIES = [
    ("第一章 起风.md", 1, "第001章_起风.md"),
    ("第二章 落雨.txt", 2, "第002章_落雨.md"),
    ("3.md", 3, "第003章.md"),
    ("003 灯.md", 3, "第003章_灯.md"),
    ("第五章_来信.md", 5, "第005章_来信.md"),
    ("第12章：雾.md", 12, "第012章_雾.md"),
    ("第１２章_雾.md", 12, "第012章_雾.md"),
    ("第012章雾.md", 12, "第012章_雾.md"),
    ("第12章.MD", 12, "第012章.md"),
    ("第二十一回 夜.md", 21, "第021章_夜.md"),
    ("第一百零三章.docx", 103, "第103章.md"),
    ("第一二〇〇章.md", 1200, "第1200章.md"),
    ("Chapter 4 - Rain.md", 4, "第004章_Rain.md"),
    ("chapter-four.md", 4, "第004章.md"),
    ("ch07.txt", 7, "第007章.md"),
    ("楔子.md", 0, "第NNN章_楔子.md"),
    ("第零章 序.md", 0, "第NNN章_序.md"),
    ("第20章.txt", 20, "第020章.md"),
    ("第二十章_标题.md", 20, "第020章_标题.md"),
    ("第二十章重逢.md", 20, "第020章_重逢.md"),
    ("第三章 大纲里的人.md", 3, "第003章_大纲里的人.md"),
    ("第六章_死亡笔记.md", 6, "第006章_死亡笔记.md"),
    ("第七章 出逃计划.txt", 7, "第007章_出逃计划.md"),
    ("第八话.md", 8, "第008章.md"),
    ("第九节 渡口.md", 9, "第009章_渡口.md"),
    ("第十章（上）.md", 10, "第010章_（上）.md"),
    ("第三章", 3, "第003章.md"),
    ("020.md", 20, "第020章.md"),
    ("020_标题.md", 20, "第020章_标题.md"),
    ("0020-标题.txt", 20, "第020章_标题.md"),
    ("100.md", 100, "第100章.md"),
    ("ch20.md", 20, "第020章.md"),
    ("Ch. 20 - The Plan.md", 20, "第020章_The Plan.md"),
    ("chapter_20_old_bridge.md", 20, "第020章_old_bridge.md"),
    ("CHAPTER 20 The Ferryman's List.docx", 20, "第020章_The Ferryman's List.md"),
    ("Chapter Twenty.rtf", 20, "第020章.md"),
    ("第001章_a\\b.md", 1, "第001章_a＼b.md"),
]
NO_BODIES = [
    "第012章_雾.md", "第12章.md", "第012章_原稿_0901.md", ".3.md", "~3.md", "1-10章.md", "第1-10章.md",
    "3.5.md", "2026-05-01.md", "笔记.md", "3.json", ".clew-prose.toml", "第一卷.md", "chapters.md",
    "Chapter 3.5.md", "",
    "2026 年度计划.md", "2026.md", "1999 那些事.txt", "99_废稿.md", "18 names.txt", "12 人物.md", "3 灯.md",
    "01_人物表.md", "00_目录.md", "007_设定集.md", "020_备份.md", "020_标题_草稿.md", "100 names.txt", "3",
    "第20章备忘.txt", "第020章_备份.txt", "第二十章_备份2.md", "第二十章修改意见.md", "第二十章_草稿v2.md",
    "第二十章_20260501.md", "第二十章 (1).md", "第二十章 人物名单.md", "第20章 写作计划.txt", "第二十章_旧稿.docx",
    "第三章大纲.md", "第三章节划分.md", "第三章的伏笔.md", "第三章之后.md", "第三章要改的地方.txt", "第三章里的人.md",
    "第1章至第9章.md", "第一章、第二章 梗概.md", "第三章和第四章.txt", "第一节课.md", "第三回合.txt", "第三章程.md",
    "番外大纲.md", "番外_备忘.md", "ch20 notes.md", "ch20-draft.md", "Chapter 20 (copy).md", "chapter20.bak.md",
    "Chapter 20 - old version.md", "Chapter 20 plan.md", "Chapter 20 rain, notes.md", "chapter 20 beats.txt",
    "Chapter 3 to-do.md", "20 ideas for the ending.md", "7 sins.md", "x" * 400 + ".md",
]  # fmt: skip
OUTLINES = [
    ("细纲_第一章.md", 1, "细纲_第001章.md"),
    ("细纲 第2章 落雨.md", 2, "细纲_第002章_落雨.md"),
    ("第003章_细纲.md", 3, "细纲_第003章.md"),
    ("细纲4.txt", 4, "细纲_第004章.md"),
    ("第5章.md", 5, "细纲_第005章.md"),
    ("Chapter 7 outline.md", 7, "细纲_第007章.md"),
    ("细纲 8 落雨.md", 8, "细纲_第008章_落雨.md"),
    ("细纲_第009章_a\\b.md", 9, "细纲_第009章_a＼b.md"),
]


@pytest.mark.parametrize(("name", "chapter", "right"), BODIES)
def test_a_body_under_another_name_is_known_with_the_right_one(
    name: str, chapter: int, right: str
) -> None:
    (found,) = misnamed_bodies([name])
    assert found == (name, chapter, right)
    assert chapter == 0 or body_number(right) == chapter


@pytest.mark.parametrize("name", NO_BODIES)
def test_other_files_are_left_alone(name: str) -> None:
    assert misnamed_bodies([name]) == []
    assert body_guess(name) is None


@pytest.mark.parametrize(("name", "chapter", "right"), OUTLINES)
def test_an_outline_under_another_name_is_known_with_the_right_one(
    name: str, chapter: int, right: str
) -> None:
    assert misnamed_outlines([name]) == [(name, chapter, right)]
    assert outline_number(right) == chapter


@pytest.mark.parametrize(
    "name",
    ["大纲.md", "卷纲_第一卷.md", "第1-10章大纲.md", "人物.md", "2026 计划.md", "第3章备忘.md"],
)
def test_outlines_of_more_than_a_chapter_are_left_alone(name: str) -> None:
    assert misnamed_outlines([name]) == []


def test_a_copy_beside_the_chapter_it_belongs_to_is_left_alone() -> None:
    assert misnamed_bodies(["第003章_灯.md", "3.md", "第三章 灯.txt"]) == []


@given(st.text(max_size=30))
def test_any_name_is_answered_and_a_right_one_is_no_suggestion_to_itself(name: str) -> None:
    for found in misnamed_bodies([name]):
        assert found.right != name
        assert not found.chapter or body_number(found.right) == found.chapter


# ---- the commands --------------------------------------------------------------------------------


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A begun book: chapter 1 is called right, 2 to 4 are not."""
    found = begin_book(tmp_path / "书")
    root = Path(found.root)
    for folder in ("正文", "大纲"):
        (root / folder).mkdir()
    for name in ("第001章_起风.md", "第二章 落雨.txt", "3.md", "第一卷/第004章_桥.md"):
        (root / "正文" / name).parent.mkdir(exist_ok=True)
        (root / "正文" / name).write_text("起风了。\n", encoding="utf-8")
    (root / "大纲/细纲_第一章.md").write_text("# 第1章：起风\n", encoding="utf-8")
    return found


def left_out(notes: list[Fault]) -> dict[str, list[str]]:
    return {n.code: n.facts["allowed"] for n in notes if n.code in ("body_name", "outline_name")}


ALL = {
    "body_name": ["正文/第002章_落雨.md", "正文/第003章.md", "正文/第004章_桥.md"],
    "outline_name": ["大纲/细纲_第001章.md"],
}


def test_whoever_counts_bodies_names_those_that_were_skipped(ledger: Ledger) -> None:
    notes: list[Fault] = []
    assert check.stats(ledger, notes).bodies == 1
    assert left_out(notes) == ALL
    gather(ledger, Wish(), notes := [])
    assert left_out(notes) == ALL
    linting.lint(ledger, notes := [])
    assert left_out(notes) == ALL


def test_a_name_with_a_backslash_costs_the_book_nothing_but_that_file(ledger: Ledger) -> None:
    for name in ("正文/第005章_a\\b.md", "大纲/细纲_第005章_a\\b.md"):
        (Path(ledger.root) / name).write_text("# 第5章：起\n", encoding="utf-8")
    assert check.stats(ledger, notes := []).bodies == 1
    assert left_out(notes)["body_name"].count("正文/第005章_a＼b.md") == 1
    assert "大纲/细纲_第005章_a＼b.md" in left_out(notes)["outline_name"]
    assert linting.lint(ledger, []) and context(ledger, "zh", [])


def test_the_note_says_which_file_and_what_it_should_be_called(ledger: Ledger) -> None:
    check.stats(ledger, notes := [])
    (note,) = [n for n in notes if n.code == "body_name"]
    assert "第二章 落雨.txt → 第002章_落雨.md" in note.message("zh")
    assert "3.md → 第003章.md" in note.message("en")
    assert note.to_dict("en")["found"] == "第二章 落雨.txt, 3.md, 第一卷/第004章_桥.md"


def test_a_manuscript_names_what_it_did_not_read(tmp_path: Path) -> None:
    (tmp_path / "正文").mkdir()
    (tmp_path / "正文/第一章 起风.md").write_text("起风了。", encoding="utf-8")
    with pytest.raises(Missing) as missing:
        drafting.from_manuscript(Ledger(tmp_path), [])
    assert [f.code for f in missing.value.faults] == ["no_manuscript", "body_name"]
    (tmp_path / "正文/第002章.md").write_text("落雨了。", encoding="utf-8")
    drafting.from_manuscript(Ledger(tmp_path), notes := [])
    assert left_out(notes) == {"body_name": ["正文/第001章_起风.md"]}


def test_a_missing_body_may_be_there_under_another_name(ledger: Ledger) -> None:
    with pytest.raises(Missing) as missing:
        book.body(ledger, 2)
    assert [f.code for f in missing.value.faults] == ["not_one_file", "body_name"]
    assert left_out(list(missing.value.faults)) == {"body_name": ["正文/第002章_落雨.md"]}
    with pytest.raises(Missing) as missing:
        book.outline(ledger, 1)
    assert left_out(list(missing.value.faults)) == {"outline_name": ["大纲/细纲_第001章.md"]}
    with pytest.raises(Missing) as missing:
        book.body(ledger, 9)
    assert [f.code for f in missing.value.faults] == ["not_one_file"]


def test_the_card_names_the_outline_that_it_did_not_find(ledger: Ledger) -> None:
    context(ledger, "zh", notes := [])
    assert left_out(notes) == {"outline_name": ["大纲/细纲_第001章.md"]}


def test_volumes_that_count_anew_are_left_to_the_author(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / "正文" / f"第{number}卷"
        folder.mkdir(parents=True)
        (folder / "第001章_起风.md").write_text("起风了。", encoding="utf-8")
    (note,) = book.left_out(Ledger(tmp_path))
    assert note.facts["allowed"] == ["正文/第001章_起风.md", "正文/第NNN章_起风.md"]
