"""Markdown and plain text: what goes to a platform, and what another program reads."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from shelf import ANY, EXAMPLES, MARKED, ODD, chapter, manuscript, texts, told

from clew.novel.export.manuscript import Volume
from clew.novel.export.markdown import blocks, markdown
from clew.novel.export.plain import text
from clew.novel.export.reading import read
from clew.novel.wordcount import visible, visible_chars_v1

# ---- plain text ----------------------------------------------------------------------------------


def test_a_chinese_paragraph_is_indented_by_two_full_width_spaces() -> None:
    one = chapter("　　“你好。”\n他*走*了。\n***\n天亮。\n> 别来。\n> 回去。\n", 3)
    assert text(manuscript(one, whole=False)) == (
        "第3章 渡口\n\n　　“你好。”\n　　他走了。\n\n　　***\n\n　　天亮。\n　　别来。\n　　回去。\n"
    )


def test_blank_lines_part_paragraphs_where_a_platform_wants_them() -> None:
    one = chapter("一\n二\n> 三\n> 四\n- 五\n- 六\n", 3)
    assert text(manuscript(one, whole=False), blank_lines=True) == (
        "第3章 渡口\n\n　　一\n\n　　二\n\n　　三\n\n　　四\n\n　　- 五\n　　- 六\n"
    )


def test_english_paragraphs_are_parted_and_not_indented() -> None:
    one = chapter("One.\n\nTwo  \nlines.\n", english=True, title="White Paper")
    book = manuscript(one, language="en", whole=False)
    assert text(book) == "Chapter 1: White Paper\n\nOne.\n\nTwo\nlines.\n"


def test_a_whole_book_begins_with_its_title_and_author() -> None:
    volumes = (
        Volume("第一卷", (chapter("一"),)),
        Volume("第二卷", (chapter("二", 2), chapter("", 3))),
    )
    assert text(manuscript(volumes=volumes)) == (
        "渡口旧账\n林渡\n\n\n第一卷\n\n\n第1章 渡口\n\n　　一\n\n\n第二卷\n\n\n第2章 渡口\n\n　　二\n\n\n"
        "第3章 渡口\n\n"
    )  # fmt: skip


def test_a_range_goes_out_without_the_titles_of_book_and_volumes() -> None:
    book = manuscript(volumes=(Volume("第一卷", (chapter("一", 2),)),), whole=False)
    assert text(book) == "第2章 渡口\n\n　　一\n"


def test_without_headings_only_what_is_told_remains() -> None:
    volumes = (Volume("第一卷", (chapter("一"), chapter("二", 2), chapter("", 3))),)
    assert text(manuscript(volumes=volumes), headings=False) == "　　一\n\n\n　　二\n"


def test_every_block_is_told_in_plain_text() -> None:
    found = text(manuscript(chapter(ODD), whole=False))
    assert found.startswith(
        "第1章 渡口\n\n　　“你好”，他说：站住！轻声地，*不是强调*，5 < 6 && 7 > 3。\n"
    )
    for line in (
        '<script>alert("x")</script>', "A&B <标签> &bogus; ]]>", "◇◇◇", "别来。", "二", "- 力量：5", "  - 臂力",
        "2. 第二条", "系统", "恭喜<宿主>", "力量　5",
    ):  # fmt: skip
        assert f"\n　　{line}\n" in found, line
    assert "作者自己的话" not in found


# ---- Markdown ------------------------------------------------------------------------------------


def test_a_markdown_book_has_title_volumes_and_chapters() -> None:
    volumes = (Volume("第一卷", (chapter("一\n## 甲\n二"),)), Volume("第二卷", (chapter("三", 2),)))
    assert markdown(manuscript(volumes=volumes)) == (
        "# 渡口旧账\n\n林渡\n\n## 第一卷\n\n### 第1章 渡口\n\n一\n\n#### 甲\n\n二\n\n"
        "## 第二卷\n\n### 第2章 渡口\n\n三\n"
    )


def test_without_volumes_chapters_come_right_below_the_title() -> None:
    assert markdown(manuscript(chapter("一"), author="")) == "# 渡口旧账\n\n## 第1章 渡口\n\n一\n"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("```\n一", ["\\```", "一"]),  # else it would swallow the chapters after it
        ("<!-- 一", ["\\<!-- 一"]),
        ("<div>", ["\\<div>"]),
        ("1986. 那年", ["1986\\. 那年"]),
        ("#标签", ["#标签"]),
        ("```\n~~~\n````\n```", None),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |\n| --- | --- |\n| 1 | 2 |"]),
        ("> 一\n> 二", ["> 一\n>\n> 二"]),
        ("- 一\n  - 二", ["- 一\n   - 二"]),
    ],
)
def test_a_stray_mark_stays_in_its_chapter(body: str, shown: list[str] | None) -> None:
    one = chapter(f"他说。\n{body}")
    if shown is not None:
        assert blocks(one)[1:] == shown
    assert told(read("\n\n".join(blocks(one)), lines_are_paragraphs=True).blocks) == told(
        one.blocks
    )


@pytest.mark.parametrize("body", ["3*2*1 等于 6", "> 3*2*1", "- 3*2*1", "## 3*2*1"])
def test_sums_are_no_stress_for_whoever_reads_the_markdown(body: str) -> None:
    (shown,) = blocks(chapter(f"他说。\n\n{body}"))[1:]
    assert shown == body.replace("*", "\\*")


@given(ANY)
@example("江\n|-")
@example("\\--")
@example("-\n-")
@example("<!<!-- x -->-- y")
def test_markdown_read_again_tells_the_same(body: str) -> None:
    for english in (False, True):
        one = chapter(body, english=english)
        again = read("# x\n\n" + "\n\n".join(blocks(one)), lines_are_paragraphs=not english)
        assert told(again.blocks) == told(one.blocks)


@given(st_bodies := texts(MARKED, 60), st_bodies, st_bodies)
def test_chapters_in_one_file_do_not_change_each_other(a: str, b: str, c: str) -> None:
    chapters = [chapter(body, number) for number, body in enumerate((a, b, c), 1)]
    again = read(markdown(manuscript(*chapters, author="")), lines_are_paragraphs=True)
    rows = [row for one in chapters for row in [("heading", one.heading), *told(one.blocks)]]
    assert told(again.blocks) == rows


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_example_books_keep_every_visible_character(lang: str) -> None:
    english = lang == "en"
    for path in sorted((EXAMPLES[lang] / "正文").glob("*.md")):
        source = path.read_text(encoding="utf-8")
        one = chapter(source, english=english)
        assert visible("\n\n".join(blocks(one))) == visible_chars_v1(source)
        book = manuscript(one, language=lang, whole=False)
        assert visible(text(book, headings=False)) == visible_chars_v1(source)
