"""The book as one Markdown file: title, volumes, chapters, and the author's own inline marks.

Pure. Blocks are written the way CommonMark wants them (a blank line between paragraphs, fences that
close), so that one chapter's stray mark cannot change another. Read again by `reading`, a chapter
gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

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
from clew.novel.export.reading import ends_open

_BLOCK_MARK: Final = re.compile(
    r"[<>|]|#{1,6}(?:[ \t\u3000]|$)|[-+*](?:[ \t\u3000]|$)|`{3}|~{3}|---"
)
_NUMBERED: Final = re.compile(r"([0-9]{1,9})([.)])(?=[ \t\u3000]|$)")
_BETWEEN_WORDS: Final = re.compile(r"(?<=[0-9A-Za-z])\*+(?=[0-9A-Za-z])")
_PUNCTUATION: Final = re.compile(r"[!-/:-@\[-`{-~]")
_FENCE: Final = re.compile(r"[ ]{0,3}(`{3,})")


def markdown(book: Manuscript) -> str:
    """The book as Markdown with LF line ends."""
    out = [f"# {guarded(book.title)}"]
    if book.author:
        out.append(guarded(book.author))
    level = 3 if book.titled else 2
    for volume in book.volumes:
        if volume.title:
            out.append(f"## {volume.title}")
        for chapter in volume.chapters:
            out.append(f"{'#' * level} {chapter.heading}")
            out += blocks(chapter, level)
    return "\n\n".join(out) + "\n"


def blocks(chapter: Chapter, level: int = 1) -> list[str]:
    """What a chapter tells, block by block; its own heading is of that level."""
    return [_block(block, level) for block in chapter.blocks]


def guarded(text: str) -> str:
    """A line whose beginning stays text: no list, quote, fence, heading or HTML begins with it."""
    numbered = _NUMBERED.match(text)
    if numbered:
        return f"{numbered[1]}\\{text[numbered.end(1) :]}"
    return f"\\{text}" if _BLOCK_MARK.match(text) else text


def _literal(text: str) -> str:
    """A text in which `3*2*1` stays what it is for readers that would take it for stress."""
    return _BETWEEN_WORDS.sub(lambda found: "\\*" * len(found[0]), text)


def _block(block: Block, level: int) -> str:
    match block:
        case Paragraph(text):
            return _broken(_literal(text))
        case Heading(deep, text):
            return f"{'#' * min(6, deep + level - 1)} {_literal(text)}"
        case Break(mark):
            return (f"\\{mark}" if _PUNCTUATION.match(mark) else mark) or "***"
        case Quote(paragraphs):
            return "\n>\n".join(f"> {_broken(_literal(text))}" for text in paragraphs)
        case Listing(items):
            return "\n".join(
                f"{'   ' * item.depth}{'-' if item.number is None else f'{item.number}.'} {_literal(item.text)}"
                for item in items
            )
        case Panel(lines):
            return _fenced(lines)
        case Table():
            return _table(block)


def _broken(text: str) -> str:
    """A paragraph; a line that ends in a backslash of its own does not lose it to the break."""
    *lines, last = map(guarded, text.split("\n"))
    return "".join(f"{line}\\{chr(92) if ends_open(line) else ''}\n" for line in lines) + last


def _fenced(lines: Iterable[str]) -> str:
    marks = [found[1] for line in lines if (found := _FENCE.match(line))]
    fence = "`" * max([3, *(len(mark) + 1 for mark in marks)])
    return "\n".join([fence, *lines, fence])


def _table(found: Table) -> str:
    rows = [f"| {' | '.join(map(_literal, row))} |" for row in found.rows]
    width = len(found.rows[0])
    if found.headed:
        rows.insert(1, "|" + " --- |" * width)
    return "\n".join(rows)
