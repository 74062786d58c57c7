"""Find where a chapter's body repeats its outline word for word.

Pure. Source: the seed («运行工具», semantic advisories of `chapter check`). An outline says what
happens; prose that holds whole runs of it tells instead of showing. Texts are compared as Chinese
characters alone (English: as words), punctuation and line breaks left out, headings dropped. A
refrain that the outline plans under 复沓锚句 (English: `Refrain`) may stand in both.

Runs are greedy and maximal from left to right. The outline is indexed by its shingles (pieces of
the least length), so that the work grows with the two texts' length and not with their product.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Final

from clew.novel.prose.check import excerpt
from clew.novel.prose.model import Finding, Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import Body, Language, LineKind, language_of, read_body

RULE_ID: Final = "outline-copy"
_RUN_CHARS: Final = 16
_RUN_WORDS: Final = 9
_RUNS: Final = 200
"""Runs that are looked for at most in one chapter."""
_PLACES: Final = 8
"""Places of the outline that are tried for one shingle: an outline that repeats itself without end
must not make the search slow."""

_REFRAINS: Final = 200
_COMPARED: Final = frozenset(
    {LineKind.NARRATIVE, LineKind.QUOTE, LineKind.LIST, LineKind.TABLE}
)  # fmt: skip
_HAN: Final = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_REFRAIN: Final = re.compile(
    r"[ \t>]*(?:[-+*][ \t]+)?\**(?:复沓锚句|复沓句|锚句|(?i:refrains?|anchor lines?))\**[ \t]*\**[ \t]*[:：](.*)"
)
_ITEM: Final = re.compile(r"[ \t>]*[-+*][ \t]+(.*)")
_PARTED: Final = re.compile(r"[;；|/]")


Tokens = str | tuple[str, ...]
"""Chinese characters, or English words: what is compared. A slice of either is again one."""


class _Text:
    """The tokens of a text, and where each of them stands."""

    def __init__(self, text: str | Body, language: Language) -> None:
        body = text if isinstance(text, Body) else read_body(text, language)
        self.pattern = _pattern(language)
        self.lines = [line for line in body.lines if line.kind in _COMPARED]
        found = [self.pattern.findall(line.shown) for line in self.lines]
        self.firsts = [0, *accumulate(len(words) for words in found)]
        """The number of the first token of each line, and of the one after the last."""
        self.tokens = _tokens([word for words in found for word in words], language)
        self._spans: dict[int, list[tuple[int, int]]] = {}

    def line_of(self, at: int) -> int:
        """The place in `lines` of the line that a token stands on."""
        return bisect_right(self.firsts, at) - 1

    def span(self, number: int, at: int) -> tuple[int, int]:
        """Where a token stands on its line."""
        spans = self._spans.get(number)
        if spans is None:
            shown = self.lines[number].shown
            spans = self._spans[number] = [m.span() for m in self.pattern.finditer(shown)]
        return spans[at - self.firsts[number]]


def _pattern(language: Language) -> re.Pattern[str]:
    return _HAN if language == "zh" else _WORD


def _tokens(words: list[str], language: Language) -> Tokens:
    if language == "zh":
        return "".join(words)
    return tuple(word.casefold().replace("’", "'") for word in words)


@dataclass(frozen=True, slots=True)
class Against:
    """Finds the runs of a body that stand in this outline as well, in order.

    The hit's values are `count`, in characters or words, and `outline_line`, where the run stands in
    the outline. Texts that the book lists as meant are treated like the outline's own refrains where
    they are as long as a run; a short one must not cut runs up.
    """

    outline: str
    limits: Mapping[str, float] = field(
        default_factory=lambda: {"run_chars": _RUN_CHARS, "run_words": _RUN_WORDS}
    )

    def __call__(self, body: Body, config: ProseConfig) -> Iterator[Hit]:
        least = self._least(body.language, config)
        own, plan = _Text(body, body.language), _Text(self.outline, body.language)
        if len(own.tokens) < least or len(plan.tokens) < least:
            return
        refrains = [_cut(text, body.language) for text in _refrains(self.outline)]
        literals = [_cut(text, body.language) for text in sorted(config.literals)]
        refrains += (words for words in literals if len(words) >= least)
        meant = _refrained(own.tokens, refrains)
        for at, length, place in _runs(own.tokens, plan.tokens, meant, least):
            number = own.line_of(at)
            last = min(at + length, own.firsts[number + 1]) - 1
            start, end = own.span(number, at)[0], own.span(number, last)[1]
            outline_line = plan.lines[plan.line_of(place)].number
            yield Hit(
                own.lines[number], start, end, {"count": length, "outline_line": outline_line}
            )

    def _least(self, language: Language, config: ProseConfig) -> int:
        name = "run_chars" if language == "zh" else "run_words"
        return max(4, int(config.limit(RULE_ID, name, self.limits[name])))


def check_against(
    text: str, outline: str, *, lang: Language | None = None, config: ProseConfig | None = None
) -> tuple[Finding, ...]:
    """The findings of `outline-copy` on one chapter. Never raises whatever the texts are."""
    settings = config or ProseConfig()
    if RULE_ID in settings.off:
        return ()
    body = read_body(text, lang or language_of(text))
    hits = islice(Against(outline)(body, settings), settings.findings_per_rule)
    return tuple(
        Finding(
            rule=RULE_ID,
            severity=RULE.severity,
            review=RULE.review,
            message=RULE.message.filled(hit.values),
            line=hit.line.number,
            column=hit.start + 1,
            excerpt=excerpt(hit.line.text[: hit.end], hit.start, hit.end, 0),
            advice=RULE.advice,
        )
        for hit in hits
    )


def _runs(
    own: Tokens, planned: Tokens, meant: Sequence[tuple[int, int]], least: int
) -> Iterator[tuple[int, int, int]]:
    """Runs of `own` that stand in `planned`, none of them reaching into a span of `meant`: where
    each begins, its length, and where it stands in `planned`."""
    index: dict[Tokens, list[int]] = {}
    for at in range(len(planned) - least + 1):
        places = index.setdefault(planned[at : at + least], [])
        if len(places) < _PLACES:
            places.append(at)
    walls = [*(start for start, _ in meant), len(own)]
    ends = [*(end for _, end in meant), len(own)]
    at = found = wall = 0
    while at <= len(own) - least and found < _RUNS:
        while ends[wall] <= at < len(own):
            wall += 1
        if walls[wall] - at < least:
            at = ends[wall]
            continue
        planned_at = index.get(own[at : at + least])
        if planned_at is None:
            at += 1
            continue
        runs = [(_common(own, at, walls[wall], planned, place), place) for place in planned_at]
        length, place = max(runs, key=lambda run: run[0])
        yield at, length, place
        found += 1
        at += length


def _common(own: Tokens, at: int, wall: int, planned: Tokens, place: int) -> int:
    length = 0
    most = min(wall - at, len(planned) - place)
    while length < most and own[at + length] == planned[place + length]:
        length += 1
    return length


# ---- refrains ------------------------------------------------------------------------------------


def _refrains(outline: str) -> list[str]:
    """The sentences under the outline's refrain field: those after its colon, parted by semicolons
    or bars, and the list items right below it."""
    found: list[str] = []
    below = False
    for line in outline.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if label := _REFRAIN.match(line):
            found += _PARTED.split(label[1])
            below = True
        elif below and (item := _ITEM.match(line)):
            found.append(item[1])
        elif line.strip():
            below = False
    return found


def _cut(text: str, language: Language) -> Tokens:
    """A text as tokens, without their places."""
    return _tokens(_pattern(language).findall(text), language)


def _refrained(own: Tokens, refrains: list[Tokens]) -> list[tuple[int, int]]:
    """The spans of the body that are a refrain, word for word, in order and joined."""
    heads: dict[str, list[Tokens]] = {}
    for words in refrains[:_REFRAINS]:
        if words:
            heads.setdefault(words[0], []).append(words[:_RUNS])
    spans: list[tuple[int, int]] = []
    for at, word in enumerate(own if heads else ()):
        ends = [
            at + len(words) for words in heads.get(word, ()) if own[at : at + len(words)] == words
        ]
        if not ends:
            continue
        if spans and at <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], *ends))
        else:
            spans.append((at, max(ends)))
    return spans


OUTLINE_EXAMPLE: Final = "- 沈砚在码头的账房里找到被水泡过的旧账本，发现最后三页被人撕走。"
"""The outline that the examples of the rule are held against."""

RULE: Final = Rule(
    id=RULE_ID,
    name=Message("照抄细纲", "copied from the outline"),
    family="style",
    severity="advisory",
    review="semantic",
    message=Message(
        "这里连着 {count} 个字与细纲第 {outline_line} 行逐字相同",
        "{count} characters or words in a row are those of the outline, line {outline_line}",
    ),
    advice=Message(
        "把细纲的概述写成场面：谁在做什么、看见什么；要复沓的句子写进细纲的「复沓锚句」。",
        "Turn the outline's summary into a scene; a line that is meant to recur goes into the "
        "outline's field Refrain.",
    ),
    why=Message(
        "细纲是写给作者看的概述，照搬进正文就成了交代，而不是故事。",
        "An outline is a summary for the author; moved into the chapter it reports the story.",
    ),
    bad="沈砚在码头的账房里找到被水泡过的旧账本，发现最后三页被人撕走。他坐了下来。",
    good="账本是在炉子后面找到的，纸页泡得发胀。沈砚一页页揭开，揭到最后，手停住了：少了三页。",
    search=Against(""),
)
