"""What a prose rule, a finding and a book's settings are.

Pure data. A rule is either a pattern over lines (`pattern`) or a small function over the whole body
(`search`); which lines and which part of them a pattern sees is data too. So a new rule is a new
entry in a table, with its two examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import msgspec

from clew.novel.prose.text import NARRATIVE, Body, Line, LineKind

Severity = Literal["blocking", "advisory"]
Review = Literal["mechanical", "semantic"]
Part = Literal["narrative", "quoted", "whole"]
"""Which part of a line a pattern sees: outside quoted speech, inside it, or all of it."""


class Message(msgspec.Struct, frozen=True):
    """One sentence for the author in both languages; `{names}` are filled from the hit."""

    zh: str
    en: str

    def filled(self, values: Mapping[str, int | str]) -> Message:
        """The message with its `{names}` replaced."""
        return Message(self.zh.format_map(values), self.en.format_map(values)) if values else self


class Finding(msgspec.Struct, frozen=True, rename={"rule": "type"}):
    """One place that a rule objects to. `rule` is the rule's id, called `type` in JSON. Line and
    column count from 1, in characters, a byte order mark not counted; `excerpt` has at most 60
    characters and no control characters."""

    rule: str
    severity: Severity
    review: Review
    message: Message
    line: int
    column: int
    excerpt: str


class Hit(NamedTuple):
    """A match before it becomes a finding: a span of one line, and values for the message."""

    line: Line
    start: int
    end: int
    values: Mapping[str, int | str] = {}


@dataclass(frozen=True, slots=True)
class ProseConfig:
    """A book's settings.

    `off`: ids of rules not to run. `literals`: texts that are meant as they stand; a hit covered by
    one is no finding. `strict`: also block what standard punctuation allows (—— and ……).
    The numbers are thresholds, in visible characters unless they say otherwise; `_en` ones hold in
    English, where the same thought takes about three times as many characters.
    """

    off: frozenset[str] = frozenset()
    literals: frozenset[str] = frozenset()
    strict: bool = False
    repeat_line_chars: int = 8
    repeat_line_chars_en: int = 24
    repeat_sentence_chars: int = 12
    repeat_sentence_chars_en: int = 40
    repeat_sentence_times: int = 3
    verse_line_chars: int = 24
    """Two unpunctuated last lines up to this length are verse or a signature, not a torn end."""
    findings_per_rule: int = 100
    """After so many findings a rule stops: a broken chapter needs no list of ten thousand."""


Search = Callable[[Body, ProseConfig], Iterator[Hit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `bad` is a body it must find something in, `good` one it must not.

    Exactly one of `pattern` and `search` is given. `kinds` and `part` say where a pattern looks.
    A rule that is `strict_only` runs for books that ask for it.
    """

    id: str
    severity: Severity
    review: Review
    message: Message
    bad: str
    good: str
    pattern: re.Pattern[str] | None = None
    kinds: frozenset[LineKind] = field(default=NARRATIVE)
    part: Part = "narrative"
    search: Search | None = None
    strict_only: bool = False

    def __post_init__(self) -> None:
        if (self.pattern is None) == (self.search is None):
            raise ValueError(f"rule {self.id} needs a pattern or a search, and only one of them")

    def hits(self, body: Body, config: ProseConfig) -> Iterator[Hit]:
        """Every place of a body that this rule matches, in order."""
        if self.search is not None:
            yield from self.search(body, config)
            return
        assert self.pattern is not None
        for line in body.lines:
            if line.kind in self.kinds:
                for found in self.pattern.finditer(line.part(self.part)):
                    yield Hit(line, found.start(), found.end())
