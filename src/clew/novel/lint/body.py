"""A chapter's text as rules look at it: lines of narrative, with quoted speech told apart.

Pure. What a line is (heading, ruler, code, narrative) and where speech begins and ends is decided in
`clew.novel.prose.text`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Final, NamedTuple

import msgspec

from clew.kernel.faults import plain
from clew.novel.prose.text import MASK, Language, LineKind, language_of, read_body

_EXCERPT: Final = 60
_I_ZH: Final = re.compile("我(?!们)")
_I_EN: Final = re.compile(r"\b(?:I|me|my)\b")
_OFTEN: Final = 300
"""A narrator says 我 at least once in so many characters."""


class Place(msgspec.Struct, frozen=True):
    """Where in a body. Line and column count from 1, in characters; `excerpt` has at most 60
    characters and no control characters."""

    path: str
    line: int
    column: int
    excerpt: str


class Paragraph(NamedTuple):
    """One line of narrative. `text` has quoted speech masked; `spoken` says that there is some."""

    number: int
    whole: str
    text: str
    spoken: bool
    scene: int
    """Counts up at every heading and ruler."""


class Body:
    """A chapter's text. `digest` is the SHA-256 of its bytes, `digests` adds those with either kind
    of line end, since version control may change them."""

    def __init__(
        self, chapter: int, path: str, text: str, digest: str = "", digests: Iterable[str] = ()
    ) -> None:
        self.chapter = chapter
        self.path = path
        self.text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
        self.digest = digest
        self.digests = frozenset((digest, *digests))
        self.recalls: list[bool] | None = None
        """Which paragraphs speak of remembering, once `stage` has looked."""

    @cached_property
    def language(self) -> Language:
        """Chinese or English, by its letters."""
        return language_of(self.text)

    @cached_property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """Its lines of narrative."""
        found = []
        scene = 0
        for line in read_body(self.text, self.language).lines:
            if line.kind in (LineKind.RULER, LineKind.HEADING):
                scene += 1
            elif line.kind is LineKind.NARRATIVE:
                spoken = line.narrative != line.shown
                found.append(Paragraph(line.number, line.shown, line.narrative, spoken, scene))
        return tuple(found)

    @cached_property
    def told(self) -> str:
        """The narrative outside quoted speech, a paragraph a line."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    @cached_property
    def written(self) -> str:
        """The narrative with its quoted speech, a paragraph a line; positions agree with `told`."""
        return "\n".join(paragraph.whole for paragraph in self.paragraphs)

    @cached_property
    def first_person(self) -> bool:
        """Whether the narrative itself says 我 or `I` again and again."""
        said = (_I_EN if self.language == "en" else _I_ZH).findall(self.told)
        return len(said) > 4 and len(said) * _OFTEN > len(self.told) - self.told.count(MASK)

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for paragraph in self.paragraphs:
            starts.append(at)
            at += len(paragraph.text) + 1
        return starts

    def locate(self, at: int) -> tuple[int, int]:
        """The index of the paragraph at a position of `told`, and the position within it."""
        index = bisect_right(self._starts, at) - 1
        return index, at - self._starts[index]

    def place(self, at: int) -> Place:
        """A position of `told`, for people."""
        index, within = self.locate(at)
        paragraph = self.paragraphs[index]
        start = max(0, min(within - _EXCERPT // 3, len(paragraph.whole) - _EXCERPT))
        shown = plain(paragraph.whole[start : start + _EXCERPT]).strip()
        return Place(self.path, paragraph.number, within + 1, shown)

    def top(self) -> Place:
        """The first line that has text."""
        for number, line in enumerate(self.text.split("\n"), 1):
            if line.strip():
                return Place(self.path, number, 1, plain(line.strip()[:_EXCERPT]))
        return Place(self.path, 1, 1, "")
