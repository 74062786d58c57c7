"""What a book is made of, in the order in which it is read: volumes, chapters, blocks.

Pure. Every writer of an edition works from these types and from nothing else. Texts of blocks are
the author's own line with its inline marks (`*stress*`); `inline.spans` says what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec


class Paragraph(msgspec.Struct, frozen=True):
    """A paragraph. A line break within it is a newline."""

    text: str


class Heading(msgspec.Struct, frozen=True):
    """A heading inside a chapter; `level` is 2 or more, since the chapter's own is 1."""

    level: int
    text: str


class Break(msgspec.Struct, frozen=True):
    """A break between scenes. `mark` is the author's ornament (`◇◇◇`), or empty for the usual one
    (`***`, `---`, `＊＊＊`)."""

    mark: str = ""


class Quote(msgspec.Struct, frozen=True):
    """Quoted lines (`> …`): a letter, a sign, a song."""

    paragraphs: tuple[str, ...]


class Item(msgspec.Struct, frozen=True):
    """An item of a list; `number` is None for a bullet, `depth` 0 for the outermost."""

    text: str
    number: int | None = None
    depth: int = 0


class Listing(msgspec.Struct, frozen=True):
    """Items of one kind that stand together: all numbered, or all with bullets."""

    items: tuple[Item, ...]


class Panel(msgspec.Struct, frozen=True):
    """A fenced block: a system's message, a screen, a form. Its lines hold no inline marks."""

    lines: tuple[str, ...]


class Table(msgspec.Struct, frozen=True):
    """A table; its first row is a heading where a line of dashes follows it."""

    rows: tuple[tuple[str, ...], ...]
    headed: bool = False


Block = Paragraph | Heading | Break | Quote | Listing | Panel | Table


class Chapter(msgspec.Struct, frozen=True):
    """One chapter. `heading` is how readers see it (`第1章 迟来的当票`); `title` may be empty."""

    number: int
    heading: str
    title: str
    blocks: tuple[Block, ...]


class Volume(msgspec.Struct, frozen=True):
    """Chapters that belong together; without a title where the book names none for them."""

    title: str
    chapters: tuple[Chapter, ...]


class Manuscript(msgspec.Struct, frozen=True, kw_only=True):
    """A book, or the part of it that goes out."""

    title: str
    author: str = ""
    language: str
    """A language tag (BCP 47): `zh`, `en`, `zh-Hant` …"""
    identifier: str
    """A URN that stays the same for this book, whenever it is exported."""
    volumes: tuple[Volume, ...]
    whole: bool = True
    """False for a range of chapters."""

    @property
    def chinese(self) -> bool:
        """Whether the book is set as Chinese and Japanese ones are."""
        return is_chinese(self.language)

    @property
    def titled(self) -> bool:
        """Whether any volume has a title."""
        return any(volume.title for volume in self.volumes)

    def chapters(self) -> Iterator[Chapter]:
        """Every chapter in its order."""
        for volume in self.volumes:
            yield from volume.chapters


def is_chinese(language: str) -> bool:
    """Whether a language is set with full-width indents and numbered as 第N章."""
    return language.partition("-")[0].lower() in ("zh", "ja")


def label(number: int, language: str) -> str:
    """How a chapter is numbered where its author did not write it out."""
    return f"第{number}章" if is_chinese(language) else f"Chapter {number}"


def heading(label: str, title: str, language: str) -> str:
    """A chapter's heading: `第1章 迟来的当票`, `Chapter 1: White Paper`."""
    if not title:
        return label
    return f"{label} {title}" if is_chinese(language) else f"{label}: {title}"
