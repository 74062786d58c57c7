"""EPUB 3.3, written here on `zipfile`: the same manuscript at the same moment gives the same bytes.

Source: EPUB 3.3 (OCF: `mimetype` first and stored; package; navigation). Opens no file.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from clew.novel.export.archive import packed
from clew.novel.export.manuscript import Manuscript
from clew.novel.export.package import (
    CONTAINER,
    Cover,
    Page,
    Part,
    navigation,
    ncx,
    package,
    style,
)
from clew.novel.export.xhtml import chapter_page, cover_page, title_page, volume_page

_SIGNS: Final = (
    (b"\x89PNG\r\n\x1a\n", "cover.png", "image/png"),
    (b"\xff\xd8\xff", "cover.jpg", "image/jpeg"),
)


def cover_of(data: bytes) -> Cover | None:
    """The cover that an image is, known by its first bytes; None unless it is PNG or JPEG."""
    for sign, name, kind in _SIGNS:
        if data.startswith(sign) and len(data) > len(sign):
            return Cover(name, kind, data)
    return None


def epub(book: Manuscript, moment: datetime, cover: Cover | None = None) -> bytes:
    """The book as an EPUB, made at `moment`. It has at least one chapter."""
    front = [Page("titlepage.xhtml", book.title, title_page(book))]
    if cover is not None:
        word = "封面" if book.chinese else "Cover"
        front.insert(0, Page("cover.xhtml", word, cover_page(book, cover.name)))
    parts = _parts(book)
    time = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    files = {
        "META-INF/container.xml": CONTAINER,
        "EPUB/package.opf": package(book, front, parts, cover, time),
        "EPUB/nav.xhtml": navigation(book, front, parts),
        "EPUB/toc.ncx": ncx(book, front, parts),
        "EPUB/style.css": style(book),
    }
    files |= {f"EPUB/{page.name}": page.content for page in front}
    files |= {f"EPUB/{page.name}": page.content for part in parts for page in part.pages()}
    members = {name: text.encode() for name, text in files.items()}
    if cover is not None:
        members[f"EPUB/{cover.name}"] = cover.data
    # A stored first member lets any program tell an EPUB by its bytes 30 to 57.
    return packed({"mimetype": b"application/epub+zip", **members}, moment, stored={"mimetype"})


def _parts(book: Manuscript) -> list[Part]:
    parts = []
    for number, volume in enumerate(book.volumes, 1):
        chapters = [
            Page(
                f"text/chapter-{chapter.number:04d}.xhtml",
                chapter.heading,
                chapter_page(chapter, book.language),
            )
            for chapter in volume.chapters
        ]
        head = None
        if volume.title:
            content = volume_page(volume.title, book.language)
            head = Page(f"text/volume-{number:02d}.xhtml", volume.title, content)
        parts.append(Part(head, chapters))
    return parts
