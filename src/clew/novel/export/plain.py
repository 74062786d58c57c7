"""The book as plain text, as serial platforms take it: an indent of two full-width spaces for each
Chinese paragraph, blank lines between paragraphs of other languages.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clew.novel.export.inline import plain
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

INDENT: Final = "\u3000\u3000"
_BREAK: Final = "***"


def text(book: Manuscript, *, blank_lines: bool = False, headings: bool = True) -> str:
    """The book, or its chapters, as text with LF line ends.

    `blank_lines` parts the paragraphs of a Chinese book as well. Without `headings` only what the
    chapters tell is given, for platforms that take titles in a field of their own.
    """
    pieces: list[str] = []
    if headings and book.whole:
        pieces.append("\n".join([book.title, *([book.author] if book.author else [])]) + "\n")
    for volume in book.volumes:
        if headings and book.whole and volume.title:  # a platform has volumes of its own
            pieces.append(f"{volume.title}\n")
        for chapter in volume.chapters:
            told = body(chapter, indented=book.chinese, blank_lines=blank_lines)
            pieces.append(f"{chapter.heading}\n\n{told}" if headings else told)
    return "\n\n".join(piece for piece in pieces if piece)


def body(chapter: Chapter, *, indented: bool, blank_lines: bool) -> str:
    """What a chapter tells, without its heading."""
    spread = blank_lines or not indented
    out = ""
    before: Block | None = None
    for block in chapter.blocks:
        lines = [line for part in _parts(block) for line in part.split("\n")]
        if indented:
            lines = [f"{INDENT}{line}" if line else "" for line in lines]
        # A list, a panel, a table stay together; a scene or a section begins after a blank line.
        between = "\n\n" if spread and isinstance(block, Quote) else "\n"
        if before is not None:
            apart = any(isinstance(each, Heading | Break) for each in (before, block))
            out += "\n\n" if spread or apart else "\n"
        out += between.join(lines)
        before = block
    return f"{out}\n" if out else ""


def _parts(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(told) | Heading(_, told):
            yield plain(told)
        case Break(mark):
            yield mark or _BREAK
        case Quote(paragraphs):
            yield from map(plain, paragraphs)
        case Listing(items):
            for item in items:
                sign = "-" if item.number is None else f"{item.number}."
                yield f"{'  ' * item.depth}{sign} {plain(item.text)}"
        case Panel(lines):
            yield from lines
        case Table(rows):
            for row in rows:
                yield INDENT[0].join(map(plain, row))
