"""Word documents, read back with python-docx itself."""

from __future__ import annotations

import io
import subprocess
import sys
import textwrap
from typing import Any

import docx
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml.ns import qn
from hypothesis import given, settings
from shelf import ANY, EXAMPLES, MOMENT, ODD, chapter, manuscript, members, tree_of

from clew.novel.export.docx import word
from clew.novel.export.manuscript import Manuscript, Volume
from clew.novel.wordcount import visible, visible_chars_v1


def opened(book: Manuscript, **how: Any) -> Any:
    return docx.Document(io.BytesIO(word(book, MOMENT, **how)))


def rows(document: Any) -> list[tuple[str, str]]:
    return [(p.style.name, p.text) for p in document.paragraphs]


def face(run: Any) -> str | None:
    """The East Asian face that a run names."""
    fonts = run.element.rPr.rFonts if run.element.rPr is not None else None
    return None if fonts is None else str(fonts.get(qn("w:eastAsia")))


def test_volumes_and_chapters_are_headings_that_word_navigates_by() -> None:
    volumes = (Volume("第一卷", (chapter("一\n## 甲\n二"),)), Volume("第二卷", (chapter("三", 2),)))
    assert rows(opened(manuscript(volumes=volumes))) == [
        ("Title", "渡口旧账"), ("Subtitle", "林渡"),
        ("Heading 1", "第一卷"), ("Heading 2", "第1章 渡口"), ("Body Text", "一"),
        ("Heading 3", "甲"), ("Body Text", "二"),
        ("Heading 1", "第二卷"), ("Heading 2", "第2章 渡口"), ("Body Text", "三"),
    ]  # fmt: skip


def test_without_volumes_chapters_are_the_first_level() -> None:
    assert rows(opened(manuscript(chapter("一"), author=""))) == [
        ("Title", "渡口旧账"), ("Heading 1", "第1章 渡口"), ("Body Text", "一"),
    ]  # fmt: skip


def test_chinese_paragraphs_have_asian_fonts_and_an_indent_of_two_characters() -> None:
    document = opened(manuscript(chapter("一")))
    body = document.styles["Body Text"]
    indent = body.element.pPr.find(qn("w:ind"))
    assert indent.get(qn("w:firstLineChars")) == "200"
    normal = document.styles["Normal"].element.rPr.rFonts
    assert normal.get(qn("w:eastAsia")) == "宋体"
    heading = document.styles["Heading 1"].element.rPr.rFonts
    assert heading.get(qn("w:eastAsia")) == "黑体"
    assert not [name for name in heading.attrib if "heme" in name]


def test_english_paragraphs_are_not_indented() -> None:
    document = opened(manuscript(chapter("One.", english=True), language="en"))
    indent = document.styles["Body Text"].element.pPr.find(qn("w:ind"))
    assert indent.get(qn("w:firstLineChars")) == "0"


@pytest.mark.parametrize(
    ("language", "val", "asian"),
    [("zh", "en-US", "zh-CN"), ("en", "en", "en-US"), ("ja", "en-US", "ja-JP"), ("zh-TW", "en-US", "zh-TW")],
)  # fmt: skip
def test_word_is_told_which_language_to_proofread(language: str, val: str, asian: str) -> None:
    document = opened(manuscript(chapter("一"), language=language))
    found = next(document.styles.element.iter(qn("w:lang")))
    assert (found.get(qn("w:val")), found.get(qn("w:eastAsia"))) == (val, asian)


def test_stress_breaks_and_blocks_are_set() -> None:
    document = opened(manuscript(chapter(ODD), author=""))
    by_text = {p.text: p for p in document.paragraphs}
    first = by_text["“你好”，他说：站住！轻声地，*不是强调*，5 < 6 && 7 > 3。"]
    assert [(r.text, bool(r.bold), face(r)) for r in first.runs[1:4]] == [
        ("站住", True, None), ("！", False, None), ("轻声", False, "楷体"),
    ]  # fmt: skip
    assert by_text["* * *"].alignment == by_text["◇◇◇"].alignment == WD_ALIGN_PARAGRAPH.CENTER
    assert by_text["别来。"].style.name == "Quote"
    assert by_text["• 力量：5"].style.name == by_text["2. 第二条"].style.name == "List Paragraph"
    panel, table = document.tables
    assert [p.text for p in panel.cell(0, 0).paragraphs] == ["系统", "叮！", "", "恭喜<宿主>"]
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["属性", "值"],
        ["力量", "5"],
    ]


def test_stress_is_italic_where_there_are_italics() -> None:
    document = opened(manuscript(chapter("He *ran* off.", english=True), language="en"))
    assert [(r.text, bool(r.italic)) for r in document.paragraphs[-1].runs] == [
        ("He ", False), ("ran", True), (" off.", False),
    ]  # fmt: skip


def test_tables_that_follow_each_other_stay_two() -> None:
    """Word joins tables that have no paragraph between them."""
    document = opened(manuscript(chapter("```\n一\n```\n```\n二\n```\n| a |")))
    kinds = [element.tag.rpartition("}")[2] for element in document.element.body]
    assert kinds[-7:] == ["tbl", "p", "tbl", "p", "tbl", "p", "sectPr"]


def test_a_line_break_stays_within_its_paragraph() -> None:
    book = manuscript(chapter("One  \ntwo\n\nthree", english=True), author="")
    assert rows(opened(book))[2:] == [("Body Text", "One\ntwo"), ("Body Text", "three")]


def test_a_table_with_rows_of_different_lengths_keeps_every_cell() -> None:
    document = opened(manuscript(chapter("| a |\n| b | c |")))
    assert [[c.text for c in row.cells] for row in document.tables[0].rows] == [
        ["a", ""],
        ["b", "c"],
    ]


def _new_pages(document: Any) -> list[str]:
    return [p.text for p in document.paragraphs if p.paragraph_format.page_break_before]


def test_chapters_begin_new_pages_when_asked() -> None:
    volumes = (Volume("卷", (chapter("一"), chapter("二", 2))), Volume("", (chapter("三", 3),)))
    book = manuscript(volumes=volumes)
    assert _new_pages(opened(book)) == ["卷"]
    assert _new_pages(opened(book, page_breaks=True)) == ["卷", "第2章 渡口", "第3章 渡口"]


def test_the_document_says_what_it_is() -> None:
    about = opened(manuscript(chapter("一"))).core_properties
    assert (about.title, about.author, about.language) == ("渡口旧账", "林渡", "zh")
    assert about.modified.replace(tzinfo=None) == MOMENT.replace(tzinfo=None)


def test_the_same_manuscript_at_the_same_moment_gives_the_same_bytes() -> None:
    book = manuscript(chapter(ODD))
    assert word(book, MOMENT) == word(book, MOMENT)


@given(ANY)
@settings(max_examples=30)
def test_any_body_gives_a_document_of_well_formed_parts(body: str) -> None:
    data = word(manuscript(chapter(body), title=body or "x"), MOMENT)
    for name, part in members(data).items():
        if name.endswith((".xml", ".rels")):
            assert tree_of(part) is not None


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_example_books_keep_every_visible_character(lang: str) -> None:
    paths = sorted((EXAMPLES[lang] / "正文").glob("*.md"))
    sources = [path.read_text(encoding="utf-8") for path in paths]
    chapters = [chapter(text, n, english=lang == "en") for n, text in enumerate(sources, 1)]
    document = opened(manuscript(*chapters, language=lang))
    shown = "".join(p.text for p in document.paragraphs if p.style.name == "Body Text")
    assert visible(shown) == sum(map(visible_chars_v1, sources))


def test_without_the_library_the_refusal_says_how_to_install_it() -> None:
    program = """
        import sys
        sys.modules["docx"] = None  # what Python itself does for a module that is not there
        from datetime import UTC, datetime
        from clew.kernel.errors import Missing
        from clew.novel.export.docx import word
        from clew.novel.export.manuscript import Manuscript
        book = Manuscript(title="x", language="zh", identifier="urn:x", volumes=())
        try:
            word(book, datetime.now(UTC))
        except Missing as missing:
            print(missing.code, missing.exit_code, missing.hint)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        "missing_library 3 Install it: pip install python-docx; or use --to epub, markdown or txt, "
        "which need none.\n"
    )
