"""EPUB 3.3: the container, the package, the navigation, the pages. `tests/e2e/test_epubcheck.py`
asks the official checker as well."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime, timedelta, timezone
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import (
    ANY,
    DC,
    EPUB_TYPE,
    EXAMPLES,
    MOMENT,
    NCX,
    ODD,
    OPF,
    XHTML,
    chapter,
    manuscript,
    members,
    squeezed,
    text_of,
    told,
    tree_of,
)

from clew.novel.export.archive import packed
from clew.novel.export.epub import cover_of, epub
from clew.novel.export.manuscript import Volume
from clew.novel.export.xhtml import chapter_page
from clew.novel.wordcount import visible, visible_chars_v1

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 20


def two_volumes() -> bytes:
    volumes = (
        Volume("", (chapter("序"),)),
        Volume("第一卷 & <上>", (chapter(ODD, 2), chapter("", 3))),
        Volume("第二卷", (chapter("末", 4),)),
    )
    return epub(manuscript(volumes=volumes), MOMENT, cover_of(PNG))


def test_the_mimetype_comes_first_and_is_stored() -> None:
    data = two_volumes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert first.extra == b""
        assert all(entry.date_time == (2030, 5, 6, 7, 8, 8) for entry in archive.infolist())
    # What a program looks at that knows a file by its first bytes.
    assert data[30:58] == b"mimetypeapplication/epub+zip"


def test_the_container_leads_to_a_package_that_lists_every_file() -> None:
    files = members(two_volumes())
    root = tree_of(files["META-INF/container.xml"])
    path = next(root.iter("{urn:oasis:names:tc:opendocument:xmlns:container}rootfile"))
    assert path.get("full-path") == "EPUB/package.opf"
    package = tree_of(files["EPUB/package.opf"])
    items = {item.get("id"): item for item in package.iter(f"{OPF}item")}
    hrefs = [f"EPUB/{item.get('href')}" for item in items.values()]
    assert len(hrefs) == len(set(hrefs))
    assert {*hrefs, "EPUB/package.opf"} == {name for name in files if name.startswith("EPUB/")}
    assert all(name.isascii() for name in files)
    nav = next(item for item in items.values() if item.get("properties") == "nav")
    assert nav.get("href") == "nav.xhtml"
    spine = [items[ref.get("idref")].get("href") for ref in package.iter(f"{OPF}itemref")]
    assert spine == [
        "cover.xhtml", "titlepage.xhtml", "text/chapter-0001.xhtml", "text/volume-02.xhtml",
        "text/chapter-0002.xhtml", "text/chapter-0003.xhtml", "text/volume-03.xhtml",
        "text/chapter-0004.xhtml",
    ]  # fmt: skip


def test_the_package_says_what_the_book_is() -> None:
    book = manuscript(chapter("一"), title="渡口 & <旧账>", author="林“渡”", language="zh-Hant")
    package = tree_of(members(epub(book, MOMENT))["EPUB/package.opf"])
    assert package.get("version") == "3.0"
    ident = next(package.iter(f"{DC}identifier"))
    assert (package.get("unique-identifier"), ident.text) == (ident.get("id"), book.identifier)
    assert [text_of(e) for e in package.iter(f"{DC}title")] == ["渡口 & <旧账>"]
    assert [text_of(e) for e in package.iter(f"{DC}creator")] == ["林“渡”"]
    assert [text_of(e) for e in package.iter(f"{DC}language")] == ["zh-Hant"]
    metas = {e.get("property"): e.text for e in package.iter(f"{OPF}meta") if e.get("property")}
    assert metas["dcterms:modified"] == "2030-05-06T07:08:09Z"
    assert metas["schema:accessModeSufficient"] == "textual"


def test_chapters_are_nested_in_their_volumes() -> None:
    files = members(two_volumes())
    nav = tree_of(files["EPUB/nav.xhtml"])
    toc = next(e for e in nav.iter(f"{XHTML}nav") if e.get(EPUB_TYPE) == "toc")
    rows = [
        (text_of(item.find(f"{XHTML}a")), [text_of(a) for a in item.findall(f".//{XHTML}ol//{XHTML}a")])
        for item in toc.find(f"{XHTML}ol").findall(f"{XHTML}li")
    ]  # fmt: skip
    assert rows == [
        ("封面", []),
        ("渡口旧账", []),
        ("第1章 渡口", []),
        ("第一卷 & <上>", ["第2章 渡口", "第3章 渡口"]),
        ("第二卷", ["第4章 渡口"]),
    ]
    for link in nav.iter(f"{XHTML}a"):
        assert f"EPUB/{link.get('href')}" in files
    ncx = tree_of(files["EPUB/toc.ncx"])
    assert [
        text_of(e) for e in ncx.find(f"{NCX}navMap").findall(f"{NCX}navPoint/{NCX}navLabel")
    ] == [row[0] for row in rows]


def test_pages_name_their_language_and_their_heading() -> None:
    files = members(epub(manuscript(chapter("一")), MOMENT))
    page = tree_of(files["EPUB/text/chapter-0001.xhtml"])
    assert page.get("lang") == page.get("{http://www.w3.org/XML/1998/namespace}lang") == "zh"
    assert text_of(page.find(f"{XHTML}head/{XHTML}title")) == "第1章 渡口"
    assert [text_of(e) for e in page.iter(f"{XHTML}h1")] == ["第1章 渡口"]
    style = files["EPUB/style.css"].decode()
    assert "text-indent: 2em" in style
    english = members(epub(manuscript(chapter("One.", english=True), language="en"), MOMENT))
    assert english["EPUB/style.css"] != files["EPUB/style.css"]


def test_every_block_has_its_element() -> None:
    page = chapter_page(chapter(ODD), "zh")
    root = tree_of(page.encode())
    section = next(root.iter(f"{XHTML}section"))
    assert [child.tag.removeprefix(XHTML) for child in section] == [
        "h1", "p", "p", "p", "p", "hr", "p", "blockquote", "h2", "ul", "ol", "div", "table",
    ]  # fmt: skip
    first = section[1]
    assert [(e.tag.removeprefix(XHTML), e.text) for e in first] == [
        ("strong", "站住"),
        ("em", "轻声"),
    ]
    assert text_of(section[3]) == '<script>alert("x")</script>'
    assert [e.get("value") for e in section[10]] == ["1", "2"]
    assert [text_of(e) for e in section[12].iter(f"{XHTML}th")] == ["属性", "值"]
    assert "作者自己的话" not in page


def test_a_line_break_in_a_paragraph_is_one() -> None:
    page = chapter_page(chapter("One  \ntwo\n\nthree", english=True), "en")
    assert "<p>One<br/>two</p>" in page


@given(ANY, st.booleans())
def test_any_body_gives_well_formed_pages_that_show_all_of_it(body: str, english: bool) -> None:
    one = chapter(body, english=english)
    section = next(tree_of(chapter_page(one, "zh").encode()).iter(f"{XHTML}section"))
    shown = squeezed("".join(text_of(child) for child in section[1:]))
    expected = "".join(part for row in told(one.blocks) for part in row[1:])
    for row in told(one.blocks):
        if row[0] == "list":
            for item in row[1:]:
                expected = expected.replace(item, item.partition("|")[2], 1)
    assert shown == squeezed(expected)


@given(ANY, ANY, ANY)
def test_any_title_author_and_volume_give_well_formed_files(
    title: str, author: str, volume: str
) -> None:
    book = manuscript(
        title=title, author=author, volumes=(Volume(volume, (chapter("一", title=title),)),)
    )
    for name, data in members(epub(book, MOMENT, cover_of(JPEG))).items():
        if name.endswith((".xhtml", ".opf", ".ncx", ".xml")):
            assert tree_of(data) is not None


def test_the_same_manuscript_at_the_same_moment_gives_the_same_bytes() -> None:
    assert two_volumes() == two_volumes()
    book = manuscript(chapter("一"))
    abroad = MOMENT.astimezone(timezone(timedelta(hours=8)))
    assert epub(book, MOMENT) == epub(book, abroad) != epub(book, MOMENT + timedelta(days=1))


def test_a_moment_that_zip_cannot_say_is_moved_to_one_that_it_can() -> None:
    for year, said in ((1970, 1980), (2200, 2107)):
        data = packed({"a": b"b"}, datetime(year, 3, 4, tzinfo=UTC))
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.infolist()[0].date_time[0] == said


@pytest.mark.parametrize(
    ("data", "name"),
    [(PNG, "cover.png"), (JPEG, "cover.jpg"), (b"GIF89a" + b"\0" * 9, None), (b"", None),
     (b"\x89PNG\r\n\x1a\n", None), (b"<svg/>", None)],
)  # fmt: skip
def test_a_cover_is_known_by_its_first_bytes(data: bytes, name: str | None) -> None:
    found = cover_of(data)
    assert (found.name if found else None) == name


def test_the_cover_is_marked_for_old_and_new_reading_systems() -> None:
    files = members(two_volumes())
    assert files["EPUB/cover.png"] == PNG
    package = files["EPUB/package.opf"].decode()
    assert 'properties="cover-image"' in package
    assert '<meta name="cover" content="cover-image"/>' in package
    image = next(tree_of(files["EPUB/cover.xhtml"]).iter(f"{XHTML}img"))
    assert (image.get("src"), image.get("alt")) == ("cover.png", "渡口旧账")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_example_books_show_every_visible_character(lang: str) -> None:
    for path in sorted((EXAMPLES[lang] / "正文").glob("*.md")):
        source = path.read_text(encoding="utf-8")
        page = chapter_page(chapter(source, english=lang == "en"), lang)
        section: ElementTree.Element = next(tree_of(page.encode()).iter(f"{XHTML}section"))
        assert visible("".join(text_of(child) for child in section[1:])) == visible_chars_v1(source)
