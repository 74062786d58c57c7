"""What a prose rule, a finding and a book's settings are.

Pure data. A rule is either a pattern over lines (`pattern`) or a small function over the whole body
(`search`; `density.Density` is the ready-made one for habits); which lines and which part of them a
pattern sees is data too. So a new rule is a new entry in a table, with its two examples.

Severity follows the tracking protocol («运行工具»: `chapter check`, blocking quality and semantic
advisories): what blocks keeps a chapter from being committed, so it must be sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec

from clew.novel.prose.text import NARRATIVE, Body, Flow, Line, LineKind, Part

Severity = Literal["blocking", "advisory"]
Review = Literal["mechanical", "semantic"]
"""Whether a finding is sure as it stands (`mechanical`) or has to be read and decided."""
Family = Literal["degeneration", "style", "punctuation"]
"""What goes wrong: text that is broken or not prose at all, a manner of writing, or marks. Only
blockers of `style` can be demoted by the author's comment on top of a chapter."""


class Message(msgspec.Struct, frozen=True):
    """One sentence for the author in both languages; `{names}` are filled from the hit."""

    zh: str
    en: str

    def filled(self, values: Mapping[str, int | str]) -> Message:
        """The message with its `{names}` replaced."""
        return Message(self.zh.format_map(values), self.en.format_map(values)) if values else self


class Finding(msgspec.Struct, frozen=True, omit_defaults=True, rename={"rule": "type"}):
    """One place that a rule objects to. `rule` is the rule's id, called `type` in JSON. Line and
    column count from 1, in characters, a byte order mark not counted; `excerpt` has at most 60
    characters and no control characters. `advice` says what to do about it; an external detector
    may have none."""

    rule: str
    severity: Severity
    review: Review
    message: Message
    line: int
    column: int
    excerpt: str
    advice: Message | None = None


class Hit(NamedTuple):
    """A match before it becomes a finding: a span of one line, and values for the message."""

    line: Line
    start: int
    end: int
    values: Mapping[str, int | str] = MappingProxyType({})

    @classmethod
    def in_flow(
        cls,
        flow: Flow,
        start: int,
        end: int,
        values: Mapping[str, int | str] = MappingProxyType({}),
    ) -> Hit:
        """A span of a chapter's flow, cut at the end of the line that it begins in."""
        line, column = flow.locate(start)
        return cls(line, column, min(column + end - start, len(line.text)), values)


@dataclass(frozen=True, slots=True)
class ProseConfig:
    """A book's settings.

    `off`: ids of rules not to run. `literals`: texts that are meant as they stand; a hit covered by
    one is no finding. `strict`: also block what standard punctuation allows (—— and ……).
    `limits`: a rule's own thresholds, by `<rule-id>.<name>` (`Rule.limits` says which there are).
    The other numbers are thresholds, in visible characters unless they say otherwise; `_en` ones hold in
    English, where the same thought takes about three times as many characters.
    """

    off: frozenset[str] = frozenset()
    literals: frozenset[str] = frozenset()
    strict: bool = False
    limits: Mapping[str, float] = field(default_factory=dict)
    repeat_line_chars: int = 8
    repeat_line_chars_en: int = 24
    repeat_sentence_chars: int = 12
    repeat_sentence_chars_en: int = 40
    repeat_sentence_times: int = 3
    verse_line_chars: int = 24
    """Two unpunctuated last lines up to this length are verse or a signature, not a torn end."""
    findings_per_rule: int = 100
    """After so many findings a rule stops: a broken chapter needs no list of ten thousand."""

    def limit(self, rule: str, name: str, default: float) -> float:
        """The threshold `name` of a rule: the book's own, or the default."""
        return self.limits.get(f"{rule}.{name}", default)


Search = Callable[[Body, ProseConfig], Iterator[Hit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `bad` is a body it must find something in, `good` one it must not.

    `name` is its short title; `message` says what was found, `advice` what to do about it, and
    `why`, where the message does not say it already, why it is worth the trouble.
    Exactly one of `pattern` and `search` is given. `kinds` and `part` say where a pattern looks.
    `strict_severity` replaces `severity` in a book that asks for strict punctuation.
    `limits` are the thresholds a book may change, with their defaults; a search that has `limits`
    of its own brings them along. `meant`: what a blocking finding shows may be what the author wants
    there, and the finding says how it is kept; true of every rule of style.
    """

    id: str
    severity: Severity
    review: Review
    message: Message
    bad: str
    good: str
    name: Message
    advice: Message
    why: Message | None = None
    family: Family = "degeneration"
    pattern: re.Pattern[str] | None = None
    kinds: frozenset[LineKind] = field(default=NARRATIVE)
    part: Part = "narrative"
    search: Search | None = None
    strict_severity: Severity | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    meant: bool = False

    def __post_init__(self) -> None:
        if self.family == "style":
            object.__setattr__(self, "meant", True)
        if (self.pattern is None) == (self.search is None):
            raise ValueError(f"rule {self.id} needs a pattern or a search, and only one of them")
        if not self.limits:
            object.__setattr__(self, "limits", getattr(self.search, "limits", {}))

    def severity_in(self, body: Body, config: ProseConfig) -> Severity:
        """How severe a finding is in this chapter of this book."""
        if config.strict and self.strict_severity:
            return self.strict_severity
        return "advisory" if body.style_skipped and self.family == "style" else self.severity

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
