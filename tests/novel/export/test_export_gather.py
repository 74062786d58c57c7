"""From the book folder to the manuscript: chapters, titles, volumes, and all that is wrong at once."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest
from shelf import Shelf, told

from clew.kernel.errors import ChangedOutside, Missing, Refused, Usage
from clew.kernel.faults import Fault
from clew.novel.commit import commit
from clew.novel.export.gather import Wish, gather
from clew.novel.export.manuscript import Manuscript
from clew.novel.ledger import STATE, Ledger
from clew.novel.survey import Span
from clew.novel.timetravel import undo
from clew.testing.novel import begin_book, chapter, init_document, refusal, state_of, tree


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Two chapters and no ledger."""
    shelf = Shelf(tmp_path / "渡口旧账")
    shelf.body(1, "# 第1章 渡口\n\n他走了。\n")
    shelf.body(2, "# 第2章 夜船\n\n天亮了。\n", "夜船")
    return shelf


def found(shelf: Shelf, notes: list[Fault] | None = None, **wish: Any) -> Manuscript:
    return gather(Ledger(shelf.root), Wish(**wish), [] if notes is None else notes).book


def headings(book: Manuscript) -> list[tuple[str, list[str]]]:
    return [(v.title, [c.heading for c in v.chapters]) for v in book.volumes]


def said(notes: list[Fault]) -> list[tuple[str, Any]]:
    return [(note.code, note.facts.get("rows", note.facts["found"])) for note in notes]


# ---- a book without a ledger ---------------------------------------------------------------------


def test_a_folder_of_bodies_is_a_book(shelf: Shelf) -> None:
    before = tree(shelf.root)
    notes: list[Fault] = []
    book = found(shelf, notes)
    assert (book.title, book.author, book.language, book.whole) == ("渡口旧账", "", "zh", True)
    assert headings(book) == [("", ["第1章 渡口", "第2章 夜船"])]
    assert [told(c.blocks) for c in book.chapters()] == [
        [("paragraph", "他走了。")], [("paragraph", "天亮了。")],
    ]  # fmt: skip
    assert notes == []
    assert tree(shelf.root) == before


def test_title_author_and_language_can_be_given(shelf: Shelf) -> None:
    book = found(shelf, title=" 旧\x00账\n下 ", author="林渡", language="en-GB")
    assert (book.title, book.author, book.language) == ("旧账 下", "林渡", "en-GB")
    assert headings(book)[0][1] == ["Chapter 1: 渡口", "Chapter 2: 夜船"]


def test_the_language_is_told_by_the_text(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.body(1, "# 第1章 White Paper\n\nShe closed the\nbook.\n\nIt was late.\n", "White Paper")
    book = found(shelf)
    assert book.language == "en"
    assert headings(book) == [("", ["Chapter 1: White Paper"])]
    assert [told(c.blocks) for c in book.chapters()] == [
        [("paragraph", "She closed the book."), ("paragraph", "It was late.")]
    ]


def test_chapters_are_ordered_by_number_and_revision_copies_are_no_chapters(shelf: Shelf) -> None:
    for number in (1000, 10, 9):
        shelf.body(number, "走。", f"题{number}")
    shelf.body(3, "旧。", "渡口_原稿_20300101")
    (shelf.root / "正文" / "笔记.md").write_text("不是章", encoding="utf-8")
    assert [c.number for c in found(shelf).chapters()] == [1, 2, 9, 10, 1000]


# ---- titles --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outline", "file", "own", "heading", "differs"),
    [
        ("细纲名", "文件名", "# 第5章 细纲名", "第5章 细纲名", False),
        ("细纲名", "文件名", "# 第5章 自己的名", "第5章 细纲名", True),
        ("", "文件名", "", "第5章 文件名", False),
        ("", "", "# 第5章 自己的名", "第5章 自己的名", False),
        ("", "", "", "第5章", False),
        # The author's own way of counting stays.
        ("", "名", "# 第五章　名", "第五章 名", False),
        ("", "名", "# 第６章 名", "第5章 名", True),
        ("", "名", "# Chapter Five: 名", "第5章 名", False),
        ("", "名", "# 名", "第5章 名", False),
    ],
)
def test_a_title_comes_from_outline_file_name_or_heading(
    tmp_path: Path, outline: str, file: str, own: str, heading: str, differs: bool
) -> None:
    shelf = Shelf(tmp_path)
    path = shelf.body(5, f"{own}\n\n他走了。\n", file)
    if not file:
        path.rename(path.with_name("第005章.md"))
    if outline:
        shelf.outline(5, outline)
    notes: list[Fault] = []
    assert headings(found(shelf, notes)) == [("", [heading])]
    assert [note.code for note in notes if note.code != "export_gap"] == [
        "heading_differs"
    ] * differs


def test_an_english_number_in_words_stays(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.body(21, "# Chapter Twenty-One: Slack Water\n\nIt was late.\n", "Slack Water")
    assert headings(found(shelf)) == [("", ["Chapter Twenty-One: Slack Water"])]


# ---- ranges and gaps -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wish", "chapters", "gaps"),
    [
        ({}, [2, 3, 6], [Span(1, 1), Span(4, 5)]),
        ({"first": 2}, [2, 3, 6], [Span(4, 5)]),
        ({"through": 3}, [2, 3], [Span(1, 1)]),
        ({"first": 3, "through": 8}, [3, 6], [Span(4, 5)]),
        ({"first": 6, "through": 99}, [6], []),
        ({"first": 6, "through": 6}, [6], []),
    ],
)
def test_a_range_is_read_and_gaps_are_named(
    tmp_path: Path, wish: dict[str, int], chapters: list[int], gaps: list[Span]
) -> None:
    shelf = Shelf(tmp_path)
    for number in (2, 3, 6):
        shelf.body(number, "走。")
    notes: list[Fault] = []
    gathered = gather(Ledger(shelf.root), Wish(**wish), notes)
    assert [c.number for c in gathered.book.chapters()] == chapters
    assert gathered.gaps == gaps
    codes = [note.code for note in notes]
    assert codes == ["export_beyond"] * (wish.get("through", 0) > 6) + ["export_gap"] * bool(gaps)
    for note in notes:
        assert "<list" not in str(note.to_dict("zh")["found"])
    assert gathered.book.whole is (not wish)


def test_a_range_without_bodies_names_what_is_there(shelf: Shelf) -> None:
    error = refusal(shelf.root, lambda: found(shelf, first=5, through=9))
    assert isinstance(error, Missing)
    assert [(f.code, f.facts["allowed"]) for f in error.faults] == [("export_nothing", ["1–2"])]


def test_a_book_without_bodies_is_refused(tmp_path: Path) -> None:
    empty = Shelf(tmp_path)
    error = refusal(tmp_path, lambda: found(empty))
    assert (type(error), error.code, error.exit_code) == (Missing, "no_manuscript", 3)


@pytest.mark.parametrize(
    ("wish", "count"),
    [
        ({"first": 3, "through": 2}, 1), ({"first": 0}, 1), ({"language": "中文"}, 1),
        ({"language": "zh\n"}, 1), ({"title": " \x00"}, 1), ({"author": "\ud800"}, 1),
        ({"title": "", "author": "", "language": "x", "through": 0}, 4),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_all_at_once(
    shelf: Shelf, wish: dict[str, Any], count: int
) -> None:
    with pytest.raises(Usage) as refused:
        found(shelf, **wish)
    assert [f.code for f in refused.value.faults] == ["usage"] * count


# ---- what keeps chapters from going out ----------------------------------------------------------


def test_everything_that_is_wrong_with_bodies_is_said_at_once(shelf: Shelf) -> None:
    shelf.body(2, "另一份", "另一份")
    shelf.body(3, "走。".encode("gb18030"), "旧编码")
    shelf.body(4, "好的。", "好的")
    shelf.body(5, b"\xff\xfe\x00", "坏的")
    (shelf.root / "正文" / "第006章_外面.md").symlink_to("/etc/hostname")
    error = refusal(shelf.root, lambda: found(shelf))
    assert isinstance(error, Refused)
    assert [(f.code, f.facts.get("chapter") or f.facts["file"]) for f in error.faults] == [
        ("not_one_file", 2),
        ("bad_encoding", "正文/第003章_旧编码.md"),
        ("bad_encoding", "正文/第005章_坏的.md"),
        ("unsafe_path", "正文/第006章_外面.md"),
    ]
    assert error.faults[0].facts["allowed"] == ["正文/第002章_另一份.md", "正文/第002章_夜船.md"]
    # They do not matter for a range that lies beside them.
    assert [c.number for c in found(shelf, first=4, through=4).chapters()] == [4]


def test_odd_chapters_are_noted_once_for_each_kind(shelf: Shelf) -> None:
    shelf.body(3, "# 第3章 空\n\n<!-- 还没写 -->\n", "空")
    shelf.body(4, "走\x00了\x01。", "控制符")
    shelf.body(5, "停\x00下。", "又一个")
    shelf.body(6, "# 第7章 别的\n\n走。", "原来的")
    notes: list[Fault] = []
    book = found(shelf, notes)
    assert said(notes) == [
        ("characters_dropped", ["正文/第004章_控制符.md (U+0000, U+0001)", "正文/第005章_又一个.md (U+0000)"]),
        ("export_empty_chapter", ["正文/第003章_空.md"]),
        ("heading_differs", ["正文/第006章_原来的.md (第7章 别的 → 第6章 原来的)"]),
    ]  # fmt: skip
    assert len(list(book.chapters())) == 6
    for note in notes:
        assert note.message("zh") and note.message("en")


# ---- with a ledger -------------------------------------------------------------------------------


def keep(shelf: Shelf, last: int = 0, **fields: Any) -> Ledger:
    return begin_book(shelf.root, init_document(last, **fields))


def at(volume: str, start: int) -> dict[str, Any]:
    return {"volume": volume, "volume_start_chapter": start, "story_time": "秋", "scene": "渡口"}


def commit_in(ledger: Ledger, *volumes: tuple[str, int]) -> None:
    for volume, start in volumes:
        commit(ledger, chapter(state_of(ledger), position=at(volume, start)), [])


def test_the_title_is_the_ledgers_unless_another_is_given(shelf: Shelf) -> None:
    keep(shelf, book_title="账本里的书名")
    assert found(shelf).title == "账本里的书名"
    assert found(shelf, title="另一个").title == "另一个"


def test_volumes_come_from_what_each_chapter_said(shelf: Shelf) -> None:
    ledger = keep(shelf)
    for number in range(3, 8):
        shelf.body(number, "走。")
    commit_in(ledger, ("卷一", 1), ("卷一", 1), ("卷二", 3), ("卷二", 3), ("卷三", 5))
    gathered = gather(ledger, Wish(), [])
    assert [(v.title, [c.number for c in v.chapters]) for v in gathered.book.volumes] == [
        ("卷一", [1, 2]), ("卷二", [3, 4]), ("卷三", [5, 6, 7]),
    ]  # fmt: skip
    assert gathered.uncommitted == [Span(6, 7)]


def test_what_was_said_last_of_a_volume_holds(shelf: Shelf) -> None:
    ledger = keep(shelf)
    for number in range(3, 6):
        shelf.body(number, "走。")
    commit_in(ledger, ("卷一", 1), ("卷一", 1), ("下", 3), ("卷二·下", 3), ("卷二·下", 4))
    assert [(v.title, [c.number for c in v.chapters]) for v in found(shelf).volumes] == [
        ("卷一", [1, 2, 3]), ("卷二·下", [4, 5]),
    ]  # fmt: skip


def test_a_volume_that_was_undone_is_none(shelf: Shelf) -> None:
    ledger = keep(shelf)
    commit_in(ledger, ("卷一", 1), ("误开的卷", 2))
    undo(ledger, [])
    assert [v.title for v in found(shelf).volumes] == ["卷一"]


def test_imported_chapters_before_the_first_known_volume_have_none(shelf: Shelf) -> None:
    for number in (3, 4):
        shelf.body(number, "走。")
    recent = [{"chapter": n, "summary": "略"} for n in (2, 3, 4)]
    keep(shelf, 4, position=at("卷二", 3), recent_chapters=recent)
    assert [(v.title, [c.number for c in v.chapters]) for v in found(shelf).volumes] == [
        ("", [1, 2]), ("卷二", [3, 4]),
    ]  # fmt: skip


def test_a_ledger_that_is_not_sound_is_said_so(shelf: Shelf) -> None:
    ledger = keep(shelf)
    state = Path(ledger.root) / STATE
    state.write_bytes(state.read_bytes().replace("渡口旧账".encode(), "别的".encode()))
    with pytest.raises(ChangedOutside):
        found(shelf)


def test_the_identifier_stays_with_the_book(shelf: Shelf) -> None:
    ledger = keep(shelf)
    first = found(shelf)
    assert uuid.UUID(first.identifier.removeprefix("urn:uuid:")).version == 5
    commit_in(ledger, ("卷一", 1))
    shelf.body(3, "又一章。")
    again = found(shelf, title="改了名", author="林渡")
    assert again.identifier == first.identifier
    assert found(shelf, first=1, through=2).identifier != first.identifier


def test_without_a_ledger_title_and_author_make_the_identifier(shelf: Shelf) -> None:
    one, same = found(shelf, author="林渡"), found(shelf, author="林渡")
    assert one.identifier == same.identifier
    assert (
        len({one.identifier, found(shelf).identifier, found(shelf, title="另一本").identifier}) == 3
    )
