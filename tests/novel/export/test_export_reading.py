"""Bodies as blocks: nothing that an author wrote for readers is lost, and nothing else is kept."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from shelf import ANY, EXAMPLES, ODD, letters, squeezed, texts, told

from clew.novel.export.manuscript import (
    Block,
    Break,
    Chapter,
    Heading,
    Item,
    Listing,
    Panel,
    Paragraph,
    Quote,
    Table,
)
from clew.novel.export.plain import body
from clew.novel.export.reading import Reading, Title, read
from clew.novel.wordcount import visible, visible_chars_v1


def zh(text: str) -> Reading:
    return read(text, lines_are_paragraphs=True)


def en(text: str) -> Reading:
    return read(text, lines_are_paragraphs=False)


def test_every_kind_of_block_is_read() -> None:
    found = zh(ODD)
    assert found.heading == Title("第1章 渡口 & <灯>", "第1章", 1, "渡口 & <灯>")
    assert [type(block) for block in found.blocks] == [
        Paragraph, Paragraph, Paragraph, Paragraph, Break, Break, Quote, Heading, Listing, Listing,
        Panel, Table,
    ]  # fmt: skip
    assert found.dropped == ()


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("一\n二\n\n三", [Paragraph("一"), Paragraph("二"), Paragraph("三")]),
        ("\u3000\u3000一\n&emsp;&emsp;二\n\t三\n&nbsp;\n", [Paragraph(t) for t in "一二三"]),
        ("一<!-- 只给自己看 -->二", [Paragraph("一二")]),
        ("一\n<!-- 只给\n自己看 -->\n二", [Paragraph("一"), Paragraph("二")]),
        ("---\nstatus: draft\n---\n一", [Paragraph("一")]),
        ("一\n---\n二", [Paragraph("一"), Break(), Paragraph("二")]),
        ("***", [Break()]), ("* * *", [Break()]), ("＊＊＊", [Break()]), ("___", [Break()]),
        ("◇◇◇", [Break("◇◇◇")]), ("☆ ☆", [Break("☆ ☆")]), ("\\--", [Break("--")]),
        # A message that is one picture is told, it divides nothing.
        ("😀", [Paragraph("😀")]), ("❤\ufe0f", [Paragraph("❤\ufe0f")]), ("……", [Paragraph("……")]),
        ("> 一\n>\n> 二\n>> 三", [Quote(("一", "二", "三"))]),
        (">", []),
        ("一\n## 二 ##\n### 三#", [Paragraph("一"), Heading(2, "二"), Heading(3, "三#")]),
        ("一\n# 二", [Paragraph("一"), Heading(2, "二")]),
        ("## 一\n二", [Heading(2, "一"), Paragraph("二")]),
        ("#", []),
        ("- 一\n  * 二\n\n+ 三", [
            Listing((Item("一"), Item("二", None, 1))), Listing((Item("三"),))]),
        ("- 一\n1. 二\n7) 三", [
            Listing((Item("一"),)), Listing((Item("二", 1), Item("三", 7)))]),
        ("```\n一\n\n  二\n```\n三", [Panel(("一", "", "  二")), Paragraph("三")]),
        ("```text\n一\n```", [Panel(("一",))]),
        ("~~~系统提示\n一\n~~~", [Panel(("系统提示", "一"))]),
        ("```\n```", []),
        ("```\n一\n```\n```\n二\n```", [Panel(("一",)), Panel(("二",))]),
        # A fence that is never closed hides nothing.
        ("```\n一", [Break("```"), Paragraph("一")]),
        ("<!-- 一", [Paragraph("<!-- 一")]),
        ("| a | b |\n|:--|--:|\n| 1\\|2 | |", [Table((("a", "b"), ("1\\|2", "")), headed=True)]),
        ("| a |\n| b |", [Table((("a",), ("b",)))]),
        ("", []), ("\n \n\u3000\n", []),
    ],
)  # fmt: skip
def test_lines_become_blocks(text: str, blocks: list[Block]) -> None:
    assert list(zh(text).blocks) == blocks


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# 第1章 渡口", Title("第1章 渡口", "第1章", 1, "渡口")),
        ("#第一百二十章：渡口", Title("第一百二十章：渡口", "第一百二十章", None, "渡口")),
        ("## 第 １２ 章", Title("第 １２ 章", "第１２章", 12, "")),
        ("第3章 渡口", Title("第3章 渡口", "第3章", 3, "渡口")),
        ("# **第3章 渡口** #", Title("第3章 渡口", "第3章", 3, "渡口")),
        ("# 渡口", Title("渡口", "", None, "渡口")),
        ("# Chapter 12: White Paper", Title("Chapter 12: White Paper", "Chapter 12", 12, "White Paper")),
        ("Chapter Twenty-One", Title("Chapter Twenty-One", "Chapter Twenty-One", None, "")),
        ("# Chapter and Verse", Title("Chapter and Verse", "", None, "Chapter and Verse")),
        ("\ufeff# 第1章 渡口", Title("第1章 渡口", "第1章", 1, "渡口")),
        ("<!-- 草稿 -->\n# 第1章 渡口", Title("第1章 渡口", "第1章", 1, "渡口")),
    ],
)  # fmt: skip
def test_the_chapters_own_heading_is_taken_off(line: str, heading: Title) -> None:
    found = zh(f"{line}\n\n他走了。\n# 第9章 别的\n")
    assert found.heading == heading
    assert found.blocks == (Paragraph("他走了。"), Heading(2, "第9章 别的"))


@pytest.mark.parametrize(
    "line",
    ["第一章的稿子还没写完，他就睡着了！", "第三章他读了三遍", "Chapter one of his life was over"],
)
def test_a_sentence_that_merely_begins_like_a_heading_is_told(line: str) -> None:
    assert zh(f"{line}\n\n二") == Reading(None, (Paragraph(line), Paragraph("二")), ())


def test_english_lines_are_joined_as_in_markdown() -> None:
    text = "# Chapter 1\n\nOne line\nand the next.\n\n12 Chapel Row,  \nSaltmere\\\nEngland\n"
    assert en(text).blocks == (
        Paragraph("One line and the next."),
        Paragraph("12 Chapel Row,\nSaltmere\nEngland"),
    )


def test_an_english_body_without_blank_lines_has_a_paragraph_in_each_line() -> None:
    assert en("# Chapter 1\n\nOne.\nTwo.\n").blocks == (Paragraph("One."), Paragraph("Two."))


def test_characters_that_cannot_go_out_are_named_once_and_dropped() -> None:
    found = zh("一\x00二\x07\x00三\ufffe\n四\x0b五\u2028六")
    assert found.dropped == ("U+0000", "U+0007", "U+FFFE")
    assert found.blocks == tuple(Paragraph(text) for text in ("一二三", "四", "五", "六"))


@pytest.mark.parametrize("path", [p for f in EXAMPLES.values() for p in sorted((f / "正文").glob("*.md"))],
                         ids=lambda path: path.name)  # fmt: skip
def test_the_example_books_lose_no_visible_character(path: object) -> None:
    text = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    for found in (zh(text), en(text)):
        shown = body(Chapter(1, "", "", found.blocks), indented=True, blank_lines=False)
        assert visible(shown) == visible_chars_v1(text)


@given(texts("江晨ab。，“”！ \n\u3000*_#>-+|=◇"))
@example("# 江\n晨")
@example("|\n-")
def test_no_letter_is_lost_whatever_the_marks(text: str) -> None:
    for found in (zh(text), en(text)):
        heading = found.heading.whole if found.heading else ""
        shown = heading + "".join(part for row in told(found.blocks) for part in row[1:])
        assert letters(shown.replace("None|", "")) == letters(text)


@given(ANY)
def test_any_text_is_read_and_blocks_hold_something(text: str) -> None:
    for found in (zh(text), en(text)):
        for row in told(found.blocks):
            assert row[0] == "break" or squeezed("".join(row[1:]))


@pytest.mark.parametrize(
    "text",
    ["# " + " " * 300_000 + "x", "|a|\n|" + "-" * 300_000 + "x", ">" * 300_000, "> x\n" * 50_000,
     "x\n" * 50_000 + "\n\ny\n", "```\n" * 49_999, "第" * 300_000, "#" * 300_000, "- x\n" * 50_000],
    ids=["spaces", "dashes", "quotes", "quoted", "joined", "fences", "numerals", "marks", "items"],
)  # fmt: skip
def test_a_very_long_body_takes_time_in_proportion(text: str) -> None:
    """A quadratic way would take minutes here."""
    begun = time.monotonic()
    en(text)
    assert time.monotonic() - begun < 20
