"""Blocks as XHTML for EPUB. Pure: text is data, and every character of it is escaped here."""

from __future__ import annotations

from typing import Final

from clew.novel.export.inline import sound, spans
from clew.novel.export.manuscript import (
    Block,
    Break,
    Chapter,
    Heading,
    Listing,
    Manuscript,
    Panel,
    Paragraph,
    Quote,
    Table,
)

_ESCAPED: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_DEEPEST: Final = 6


def escape(text: str) -> str:
    """Text as it may stand in XML, in an attribute too."""
    return sound(text).translate(_ESCAPED)


def inline(text: str) -> str:
    """A line with its marks."""
    out = []
    for span in spans(text):
        shown = escape(span.text).replace("\n", "<br/>")
        if span.em:
            shown = f"<em>{shown}</em>"
        out.append(f"<strong>{shown}</strong>" if span.strong else shown)
    return "".join(out)


def page(title: str, body: str, language: str, *, kind: str = "bodymatter", up: str = "") -> str:
    """A whole document. `body` is markup; `up` leads to the style sheet's folder (`../`)."""
    lang = escape(language)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        "<!DOCTYPE html>\n"
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
        f'xml:lang="{lang}" lang="{lang}">\n'
        f'<head>\n<meta charset="utf-8"/>\n<title>{escape(title)}</title>\n'
        f'<link rel="stylesheet" type="text/css" href="{up}style.css"/>\n</head>\n'
        f'<body epub:type="{kind}">\n{body}</body>\n</html>\n'
    )


def title_page(book: Manuscript) -> str:
    """The page with the book's title and its author."""
    author = f'<p class="author">{escape(book.author)}</p>\n' if book.author else ""
    body = (
        '<section class="titlepage" epub:type="titlepage">\n'
        f'<h1 class="title">{escape(book.title)}</h1>\n{author}</section>\n'
    )
    return page(book.title, body, book.language, kind="frontmatter")


def cover_page(book: Manuscript, image: str) -> str:
    """The page that shows the cover."""
    body = (
        '<section class="cover" epub:type="cover">\n'
        f'<img src="{image}" alt="{escape(book.title)}" role="doc-cover"/>\n</section>\n'
    )
    return page(book.title, body, book.language, kind="frontmatter")


def volume_page(title: str, language: str) -> str:
    """The page before a volume's first chapter."""
    body = (
        '<section class="volume" epub:type="part" role="doc-part" aria-labelledby="volume">\n'
        f'<h1 id="volume">{escape(title)}</h1>\n</section>\n'
    )
    return page(title, body, language, up="../")


def chapter_page(chapter: Chapter, language: str) -> str:
    """A chapter."""
    blocks = "".join(f"{block(each)}\n" for each in chapter.blocks)
    body = (
        '<section epub:type="chapter" role="doc-chapter" aria-labelledby="chapter">\n'
        f'<h1 id="chapter">{escape(chapter.heading)}</h1>\n{blocks}</section>\n'
    )
    return page(chapter.heading, body, language, up="../")


def block(found: Block) -> str:
    """One block."""
    match found:
        case Paragraph(text):
            return f"<p>{inline(text)}</p>"
        case Heading(level, text):
            tag = f"h{min(level, _DEEPEST)}"
            return f"<{tag}>{inline(text)}</{tag}>"
        case Break(mark):
            return f'<p class="break">{escape(mark)}</p>' if mark else "<hr/>"
        case Quote(paragraphs):
            return f"<blockquote>{''.join(f'<p>{inline(p)}</p>' for p in paragraphs)}</blockquote>"
        case Listing():
            return _listing(found)
        case Panel(lines):
            shown = "".join(f"<p>{escape(line) or '&#160;'}</p>" for line in lines)
            return f'<div class="panel">{shown}</div>'
        case Table():
            return _table(found)


def _listing(found: Listing) -> str:
    items = []
    for item in found.items:
        value = f' value="{item.number}"' if item.number is not None else ""
        deep = f' class="deep{item.depth}"' if item.depth else ""
        items.append(f"<li{value}{deep}>{inline(item.text)}</li>")
    tag = "ul" if found.items[0].number is None else "ol"
    return f"<{tag}>{''.join(items)}</{tag}>"


def _table(found: Table) -> str:
    rows = []
    for number, row in enumerate(found.rows):
        tag = "th" if found.headed and number == 0 else "td"
        rows.append("".join(f"<{tag}>{inline(cell)}</{tag}>" for cell in row))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
