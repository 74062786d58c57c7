"""File names of outlines and bodies, and the field lines of an outline."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.outline import (
    Outline,
    body_number,
    body_title,
    chapter_label,
    head,
    outline_number,
    parse_outline,
)
from clew.novel.wordcount import CharRange

METRIC = "字数口径：visible_chars_v1\n"


def parse(text: str) -> Outline:
    return parse_outline(text.encode())


def problems(outline: Outline) -> list[tuple[str, int, str]]:
    return [(p.field, p.line, p.text) for p in outline.problems]


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("细纲_第001章_账房.md", 1),
        ("细纲_第7章.md", 7),
        ("细纲_第1000章 标题.md", 1000),
        ("细纲_第012章草稿.md", 12),
        ("细纲_第000章.md", None),
        ("细纲_第１章.md", None),
        ("细纲_第一章.md", None),
        ("细纲_第001章.txt", None),
        ("细纲_第001章.md.bak", None),
        ("细纲_第001章.md\n", None),
        ("卷纲_第001章.md", None),
        (f"细纲_第{'9' * 5000}章.md", None),
    ],
)
def test_an_outline_is_known_by_its_name(name: str, number: int | None) -> None:
    assert outline_number(name) == number


@pytest.mark.parametrize(
    ("name", "number", "title"),
    [
        ("第001章_账房上船.md", 1, "账房上船"),
        ("第1章-账房.md", 1, "账房"),
        ("第0100章 a_b.md", 100, "a_b"),
        ("第1000章　远行.md", 1000, "远行"),
        ("第002章.md", 2, ""),
        ("第002章账房.md", None, ""),
        ("第002章_原稿_1.md", None, ""),
        ("第002章_题_原稿_20260101.md", None, ""),
        ("番外_第002章.md", None, ""),
        ("第0章_序.md", None, ""),
    ],
)
def test_a_body_is_known_by_its_name(name: str, number: int | None, title: str) -> None:
    assert (body_number(name), body_title(name)) == (number, title)


def test_decomposed_names_are_composed_before_matching() -> None:
    name = unicodedata.normalize("NFD", "第003章_Épée.md")
    assert (body_number(name), body_title(name)) == (3, unicodedata.normalize("NFC", "Épée"))
    assert outline_number(unicodedata.normalize("NFD", "细纲_第003章_Épée.md")) == 3


@pytest.mark.parametrize(
    ("number", "label"), [(7, "第007章"), (999, "第999章"), (1000, "第1000章")]
)
def test_a_chapter_label_has_three_digits_or_more(number: int, label: str) -> None:
    assert chapter_label(number) == label


@given(st.integers(1, 10**8))
def test_names_made_from_a_label_give_the_number_back(number: int) -> None:
    label = chapter_label(number)
    assert body_number(f"{label}_题.md") == outline_number(f"细纲_{label}_题.md") == number


def test_a_whole_outline_in_chinese() -> None:
    outline = parse(
        "\ufeff# 第 007 章：账房上船\r\n\r\n- **字数目标**：约 2,400 字左右（含对话）\r\n"
        "> 字数口径：visible_chars_v1（不计空白）\r\n字数范围：2000-2600\r\n"
    )
    assert outline == Outline(
        title="账房上船",
        title_chapter=7,
        target=2400,
        target_status="ok",
        metric_status="ok",
        author_range=CharRange(2000, 2600),
        range_status="ok",
    )
    assert outline.invalid_reason is None


def test_a_whole_outline_in_english() -> None:
    outline = parse(
        "## Chapter 7: The Last Ferry\n* **Length target:** about 900 characters\n"
        "length METRIC: visible_chars_v1\nLength range: 600 to 1500\n"
    )
    assert (outline.title, outline.title_chapter) == ("The Last Ferry", 7)
    assert (outline.target, outline.author_range) == (900, CharRange(600, 1500))
    assert outline.problems == ()


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# 第1章:账房", "账房"),
        ("#### 第01章： 账房 ", "账房"),
        ("# 说明\n\n## 第1章：账房\n# 第2章：后来", "账房"),
        ("##### 第1章：账房", None),
        ("# 第1章 账房", None),
        ("# 第1章：", None),
        ("第1章：账房", None),
    ],
)
def test_the_title_is_the_first_chapter_heading(heading: str, title: str | None) -> None:
    outline = parse(heading)
    assert outline.title == title
    assert (("title", 0, "") in problems(outline)) == (title is None)


@pytest.mark.parametrize(
    "line",
    [
        "字数目标：900",
        "字数目标:900字",
        "  > - 字数目标 ： 大约 900 字 左右",
        "* **字数目标**：900(约数)",
        "+ **字数目标：** 900",
        "**字数目标：900**",
        "　字数目标：900 字（不含标题）",
        "字数目标：900\n字数目标：900 字",
        "字数目标：待定\n字数目标：900",
    ],
)
def test_every_usual_way_to_write_a_target_is_read(line: str) -> None:
    outline = parse(f"# 第1章：题\n{METRIC}{line}\n")
    assert (outline.target, outline.target_status, outline.problems) == (900, "ok", ())


@pytest.mark.parametrize(
    ("value", "number"), [("1,200", 1200), ("12，345字", 12345), ("9007199254740991", 2**53 - 1)]
)
def test_grouped_and_large_numbers_are_read(value: str, number: int) -> None:
    assert parse(f"字数目标：{value}").target == number


@pytest.mark.parametrize(
    "value",
    [
        "９００",
        "0900",
        "0",
        "-900",
        "900-1200",
        "1,20",
        "900.5",
        "900 words",
        "9007199254740992",
        "9" * 5000,
        "900 字 多",
    ],
)
def test_a_bad_target_is_invalid_and_points_at_its_line(value: str) -> None:
    outline = parse(f"# 第1章：题\n{METRIC}字数目标：{value}\n")
    assert (outline.target, outline.target_status) == (None, "invalid")
    assert problems(outline) == [("target", 3, f"字数目标：{value}"[:60])]
    assert outline.invalid_reason == "INVALID_TARGET"


def test_targets_that_disagree_are_a_conflict_at_every_line_that_differs() -> None:
    outline = parse(f"# 第1章：题\n{METRIC}字数目标：900\n字数目标：900\n字数目标：901\n")
    assert (outline.target, outline.target_status) == (None, "conflict")
    assert problems(outline) == [("target", 5, "字数目标：901")]


def test_a_target_without_a_digit_is_missing_and_its_line_is_named() -> None:
    outline = parse(f"# 第1章：题\n{METRIC}字数目标：两千字\n")
    assert outline.target_status == "missing"
    assert problems(outline) == [("target", 3, "字数目标：两千字")]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("字数口径：visible_chars_v1", "ok"),
        ("字数口径：visible_chars_v1 (see docs)", "ok"),
        ("字数口径：visible_chars_v1\n字数口径：words", "invalid"),
        ("字数口径：Visible_Chars_v1", "invalid"),
        ("字数口径：", "invalid"),
        ("", "missing"),
    ],
)
def test_the_metric_is_required_and_there_is_only_one(line: str, status: str) -> None:
    outline = parse(f"# 第1章：题\n字数目标：900\n{line}\n")
    assert outline.metric_status == status
    assert outline.invalid_reason == (None if status == "ok" else "INVALID_OUTLINE")
    assert [p.field for p in outline.problems] == ([] if status == "ok" else ["metric"])


@pytest.mark.parametrize("mark", [*list("-~～—–－至到"), " - ", " 至 ", "字到"])
def test_every_usual_range_mark_is_read(mark: str) -> None:
    outline = parse(f"字数范围：2,000{mark}2,600字（作者定）")
    assert (outline.author_range, outline.range_status) == (CharRange(2000, 2600), "ok")


@pytest.mark.parametrize("value", ["2600-2000", "0-900", "900", "约900到1000", "９-１２", "1-2-3"])
def test_a_bad_range_is_an_error_and_no_fall_back(value: str) -> None:
    outline = parse(f"# 第1章：题\n{METRIC}字数目标：900\n字数范围：{value}\n")
    assert (outline.author_range, outline.range_status) == (None, "invalid")
    assert problems(outline) == [("range", 4, f"字数范围：{value}")]
    assert outline.invalid_reason == "INVALID_RANGE"


def test_ranges_may_be_said_twice_but_must_agree() -> None:
    assert parse("字数范围：600-900\n字数范围：600至900字\n").author_range == CharRange(600, 900)
    outline = parse("字数范围：600-900\n字数范围：600-901\n")
    assert (outline.author_range, outline.range_status) == (None, "invalid")


def test_a_range_line_without_a_digit_is_no_range() -> None:
    assert parse("字数范围：不限").range_status == "none"


def test_every_fault_of_an_outline_comes_in_one_answer_in_line_order() -> None:
    outline = parse("字数范围：9-3\n字数口径：词数\n字数目标：０\n")
    assert problems(outline) == [
        ("title", 0, ""),
        ("range", 1, "字数范围：9-3"),
        ("metric", 2, "字数口径：词数"),
        ("target", 3, "字数目标：０"),
    ]
    assert all(p.zh and p.en for p in outline.problems)


def test_an_outline_in_another_encoding_is_a_problem_and_no_exception() -> None:
    outline = parse_outline("# 第1章：题\n字数目标：900".encode("gb18030"))
    assert outline.invalid_reason == "INVALID_OUTLINE"
    assert [(p.field, p.line) for p in outline.problems] == [("file", 1)]
    later = parse_outline(b"# a\n\n\xff\xfe")
    assert problems(later) == [("file", 3, "ff fe")]


FRAGMENTS = ["字数目标", "字数口径", "字数范围", "：", ":", "**", "- ", "900", "9", "至", "(", "）"]
FRAGMENTS += [
    "\n",
    "\r",
    "# 第1章：",
    "visible_chars_v1",
    "length target",
    "字",
    " ",
    "　",
    ">",
    "，",
]


@given(st.binary() | st.lists(st.sampled_from(FRAGMENTS)).map("".join).map(str.encode))
def test_any_bytes_give_an_outline(data: bytes) -> None:
    outline = parse_outline(data)
    assert (outline.target is not None) == (outline.target_status == "ok")
    assert (outline.author_range is not None) == (outline.range_status == "ok")
    assert outline.title is None or outline.title == outline.title.strip()


# ---- what a problem says to write ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("# Chapter 2: Rain\nLength range: 2000-2600\n", True),
        ("Rain falls on pier three.\n", True),
        ("# 第2章：雨\n字数范围：2000-2600\n", False),
        ("# 第2章：Rain\nlength target: 2400\n", True),
        ("# Chapter 2: Rain\n字数目标：2400\n", False),
        ("", False),
    ],
)
def test_a_problem_shows_the_lines_in_the_language_of_the_outline(text: str, english: bool) -> None:
    outline = parse_outline(text.encode())
    assert outline.english is english
    said = " ".join(p.zh + p.en for p in outline.problems if p.field in ("target", "metric"))
    assert ("Length " in said) is english or not said
    assert ("字数口径：" in said) is not english or not said


def test_a_range_alone_is_told_to_stand_beside_a_target() -> None:
    (target,) = [
        p for p in parse_outline("字数范围：2000-2600\n".encode()).problems if p.field == "target"
    ]
    assert "字数目标：2400" in target.zh and "不能代替" in target.zh
    assert "beside the target" in target.en
    (plain,) = [p for p in parse_outline("情节\n".encode()).problems if p.field == "target"]
    assert "字数范围" not in plain.zh


@pytest.mark.parametrize("english", [False, True])
def test_the_lines_that_are_shown_make_a_right_outline(english: bool) -> None:
    text = head(7, english=english).replace(" / ", "\n")
    outline = parse_outline(text.encode())
    assert (outline.target, outline.title_chapter, outline.problems) == (2400, 7, ())
