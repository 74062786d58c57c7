"""The files of an EPUB that are no pages: package document, navigation, style sheet.

Pure. Source: EPUB 3.3 (package document, navigation document) and, for readers of the generation
before, the EPUB 2 `toc.ncx`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from clew import __version__
from clew.novel.export.manuscript import Manuscript
from clew.novel.export.xhtml import escape, page

CONTAINER: Final = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">\n'
    "<rootfiles>\n"
    '<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>\n'
    "</rootfiles>\n</container>\n"
)
_XHTML: Final = "application/xhtml+xml"


class Page(NamedTuple):
    """A page in its place: a file below EPUB/, what it is called, and its content."""

    name: str
    title: str
    content: str

    @property
    def ident(self) -> str:
        """Its id in the package document."""
        return self.name.rpartition("/")[2].partition(".")[0]


class Part(NamedTuple):
    """Chapters under the page of their volume; without one where they have none."""

    volume: Page | None
    chapters: Sequence[Page]

    def pages(self) -> list[Page]:
        """Its pages in reading order."""
        return [*([self.volume] if self.volume else []), *self.chapters]


class Cover(NamedTuple):
    """A cover image as it lies in the package."""

    name: str
    media_type: str
    data: bytes


def package(
    book: Manuscript, front: Sequence[Page], parts: Sequence[Part], cover: Cover | None, time: str
) -> str:
    """The package document. `time` is the moment of the edition, `YYYY-MM-DDThh:mm:ssZ`."""
    pages = [*front, *(page for part in parts for page in part.pages())]
    items = [
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
        '<item id="style" href="style.css" media-type="text/css"/>',
    ]
    if cover is not None:
        items.append(
            f'<item id="cover-image" href="{cover.name}" media-type="{cover.media_type}" '
            'properties="cover-image"/>'
        )
    items += [f'<item id="{p.ident}" href="{p.name}" media-type="{_XHTML}"/>' for p in pages]
    spine = [f'<itemref idref="{p.ident}"/>' for p in pages]
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book-id" '
        f'xml:lang="{escape(book.language)}">\n'
        + _metadata(book, time, covered=cover is not None)
        + _lines("manifest", "", items)
        + _lines("spine", ' toc="ncx"', spine)
        + "</package>\n"
    )


def _lines(tag: str, attributes: str, rows: Sequence[str]) -> str:
    return f"<{tag}{attributes}>\n" + "".join(f"{row}\n" for row in rows) + f"</{tag}>\n"


def _metadata(book: Manuscript, time: str, *, covered: bool) -> str:
    rows = [
        f'<dc:identifier id="book-id">{escape(book.identifier)}</dc:identifier>',
        f"<dc:title>{escape(book.title)}</dc:title>",
        f"<dc:language>{escape(book.language)}</dc:language>",
    ]
    if book.author:
        rows += [
            f'<dc:creator id="author">{escape(book.author)}</dc:creator>',
            '<meta refines="#author" property="role" scheme="marc:relators">aut</meta>',
        ]
    rows += [
        f'<meta property="dcterms:modified">{time}</meta>',
        '<meta property="schema:accessMode">textual</meta>',
        *(['<meta property="schema:accessMode">visual</meta>'] if covered else []),
        '<meta property="schema:accessModeSufficient">textual</meta>',
        '<meta property="schema:accessibilityFeature">tableOfContents</meta>',
        '<meta property="schema:accessibilityFeature">readingOrder</meta>',
        '<meta property="schema:accessibilityFeature">structuralNavigation</meta>',
        *(
            ['<meta property="schema:accessibilityFeature">alternativeText</meta>']
            if covered
            else []
        ),
        '<meta property="schema:accessibilityHazard">none</meta>',
        f'<meta name="generator" content="clew {__version__}"/>',
    ]
    if covered:
        rows.append('<meta name="cover" content="cover-image"/>')
    return _lines("metadata", ' xmlns:dc="http://purl.org/dc/elements/1.1/"', rows)


def navigation(book: Manuscript, front: Sequence[Page], parts: Sequence[Part]) -> str:
    """The navigation document: chapters nested in their volumes, and the landmarks."""
    words = ("目录", "封面", "书名页", "正文") if book.chinese else _WORDS
    rows = [_entry(page) for page in front]
    for part in parts:
        chapters = "".join(_entry(page) for page in part.chapters)
        if part.volume is None:
            rows.append(chapters)
        else:
            inner = f"\n<ol>\n{chapters}</ol>\n"
            rows.append(_entry(part.volume, inner))
    marks = [
        f'<li><a epub:type="{kind}" href="{page.name}">{words[1 + number]}</a></li>\n'
        for number, kind in enumerate(("cover", "titlepage"))
        for page in front
        if page.ident == kind
    ]
    first = parts[0].pages()[0]
    marks.append(f'<li><a epub:type="bodymatter" href="{first.name}">{words[3]}</a></li>\n')
    body = (
        f'<nav epub:type="toc" role="doc-toc" id="toc">\n<h1>{words[0]}</h1>\n'
        f"<ol>\n{''.join(rows)}</ol>\n</nav>\n"
        f'<nav epub:type="landmarks" id="landmarks" hidden="hidden">\n'
        f"<ol>\n{''.join(marks)}</ol>\n</nav>\n"
    )
    return page(words[0], body, book.language, kind="frontmatter")


_WORDS: Final = ("Contents", "Cover", "Title page", "Beginning")


def _entry(found: Page, inner: str = "") -> str:
    return f'<li><a href="{found.name}">{escape(found.title)}</a>{inner}</li>\n'


def ncx(book: Manuscript, front: Sequence[Page], parts: Sequence[Part]) -> str:
    """The table of contents for readers of EPUB 2."""
    rows = [_point(page) for page in front]
    for part in parts:
        chapters = "".join(_point(page) for page in part.chapters)
        rows.append(chapters if part.volume is None else _point(part.volume, chapters))
    depth = 2 if any(part.volume for part in parts) else 1
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1" '
        f'xml:lang="{escape(book.language)}">\n'
        f'<head>\n<meta name="dtb:uid" content="{escape(book.identifier)}"/>\n'
        f'<meta name="dtb:depth" content="{depth}"/>\n'
        '<meta name="dtb:totalPageCount" content="0"/>\n'
        '<meta name="dtb:maxPageNumber" content="0"/>\n</head>\n'
        f"<docTitle><text>{escape(book.title)}</text></docTitle>\n"
        f"<navMap>\n{''.join(rows)}</navMap>\n</ncx>\n"
    )


def _point(found: Page, inner: str = "") -> str:
    return (
        f'<navPoint id="at-{found.ident}"><navLabel><text>{escape(found.title)}</text></navLabel>'
        f'<content src="{found.name}"/>{inner}</navPoint>\n'
    )


def style(book: Manuscript) -> str:
    """The style sheet: a Chinese book indents by two characters and stresses with another face."""
    return _COMMON + (_CHINESE if book.chinese else _ENGLISH)


_COMMON: Final = """\
body { margin: 0 5%; line-height: 1.7; text-align: justify; }
p { margin: 0; text-indent: 2em; }
h1, h2, h3, h4, h5, h6 { text-align: center; text-indent: 0; line-height: 1.4; font-weight: bold;
  break-after: avoid; page-break-after: avoid; }
h1 { font-size: 1.4em; margin: 2em 0 1.5em; }
h2 { font-size: 1.15em; margin: 1.5em 0 1em; }
h3, h4, h5, h6 { font-size: 1em; margin: 1.2em 0 0.8em; }
hr { border: 0; border-top: 1px solid; width: 30%; margin: 1.5em auto; opacity: 0.5; }
p.break { text-align: center; text-indent: 0; margin: 1.2em 0; }
blockquote { margin: 1em 2em; }
ul, ol { margin: 0.8em 0; padding-left: 2em; }
li.deep1 { margin-left: 1.5em; }
li.deep2 { margin-left: 3em; }
li.deep3 { margin-left: 4.5em; }
li.deep4 { margin-left: 6em; }
li.deep5 { margin-left: 7.5em; }
.panel { border: 1px solid; border-radius: 0.3em; margin: 1em; padding: 0.6em 1em; }
.panel p { text-indent: 0; text-align: left; }
table { border-collapse: collapse; margin: 1em auto; }
td, th { border: 1px solid; padding: 0.2em 0.6em; text-align: left; }
section.titlepage, section.volume { text-align: center; padding-top: 25%; }
h1.title { font-size: 1.9em; }
p.author { text-indent: 0; text-align: center; margin-top: 1.5em; }
section.cover { text-align: center; }
section.cover img { max-width: 100%; max-height: 100%; }
nav ol { list-style: none; padding-left: 1em; }
"""
_CHINESE: Final = """\
em { font-style: normal; font-family: "Kaiti SC", STKaiti, KaiTi, "AR PL UKai CN", serif; }
blockquote p { font-family: "Kaiti SC", STKaiti, KaiTi, "AR PL UKai CN", serif; }
"""
_ENGLISH: Final = """\
body { line-height: 1.45; }
p { text-indent: 1.4em; }
h1 + p, h2 + p, h3 + p, hr + p, p.break + p, .panel p, p.break, p.author { text-indent: 0; }
"""
