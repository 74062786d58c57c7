"""Prose rules for English: the rhythm of sentences and paragraphs.

Pure data, and the searches that count sentences in a row and short paragraphs. All of it is
advisory: a run of short sentences may be just what a scene needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import MASK, Body, Line, LineKind, visible

# A point after a title or an initial ends no sentence.
_END: Final = re.compile(
    rf"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\b[A-Z])[.!?…]+|{MASK}+"
)
_ENDED: Final = frozenset(".!?…—")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def _sentences(body: Body) -> Iterator[tuple[Line, int, int] | None]:
    """Narrative sentences in order, as spans; None where quoted speech or anything else that is not
    narrative comes between."""
    for line in body.lines:
        if line.kind is not LineKind.NARRATIVE:
            if line.kind is not LineKind.COMMENT:
                yield None
            continue
        start = 0
        for found in _END.finditer(line.narrative):
            if found[0][0] == MASK:
                yield None
            elif word := _WORD.search(line.narrative, start, found.start()):
                yield line, word.start(), found.end()
            start = found.end()


@dataclass(frozen=True, slots=True)
class _Staccato:
    """The first sentence of a run of many very short ones."""

    limits: dict[str, float] = field(default_factory=lambda: {"sentences": 6, "words": 3})

    def __call__(self, body: Body, config: ProseConfig) -> Iterator[Hit]:
        least = config.limit("period-stutter", "sentences", self.limits["sentences"])
        longest = config.limit("period-stutter", "words", self.limits["words"])
        run: list[tuple[Line, int, int]] = []
        for sentence in (*_sentences(body), None):
            if sentence is not None and _words_up_to(sentence, longest):
                run.append(sentence)
                continue
            if len(run) >= least:
                yield Hit(*run[0], {"times": len(run)})
            run = []


def _words_up_to(sentence: tuple[Line, int, int], most: float) -> bool:
    line, start, end = sentence
    return sum(1 for _ in _WORD.finditer(line.narrative, start, min(end, start + 120))) <= most


@dataclass(frozen=True, slots=True)
class _SameOpening:
    """The first sentence of a run of many that begin with one word."""

    limits: dict[str, float] = field(default_factory=lambda: {"sentences": 7})

    def __call__(self, body: Body, config: ProseConfig) -> Iterator[Hit]:
        least = config.limit("same-opening", "sentences", self.limits["sentences"])
        word, run = "", 0
        first: tuple[Line, int, int] | None = None
        for sentence in (*_sentences(body), None):
            found = _WORD.match(sentence[0].narrative, sentence[1]) if sentence else None
            opening = found[0].casefold()[:40] if found else ""
            if sentence is not None and opening == word:
                run += 1
                continue
            if first is not None and run >= least:
                yield Hit(*first, {"times": run, "words": word})
            word, run, first = opening, 1, sentence


@dataclass(frozen=True, slots=True)
class _OneLiners:
    """The first of too many paragraphs of narrative that are one short line."""

    limits: dict[str, float] = field(
        default_factory=lambda: {"paragraphs": 24, "chars": 50, "share": 0.5}
    )

    def __call__(self, body: Body, config: ProseConfig) -> Iterator[Hit]:
        def limit(name: str) -> float:
            return config.limit("fragmented-paragraphs", name, self.limits[name])

        prose = [line for line in body.lines if line.kind is LineKind.NARRATIVE]
        if len(prose) < limit("paragraphs"):
            return
        most = limit("chars")
        # A date, an address, Yours sincerely, : the lines of a letter end without a mark.
        short = [
            line
            for line in prose
            if line.narrative == line.shown
            and visible(line.shown) <= most
            and line.shown.rstrip()[-1:] in _ENDED
        ]
        share = len(short) / len(prose)
        if short and share >= limit("share"):
            first = short[0]
            percent = f"{100 * share:.0f}"
            yield Hit(first, 0, len(first.text), {"times": len(short), "share": percent})


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="period-stutter",
        name=Message("句子太碎", "period-stutter"),
        family="style",
        severity="advisory",
        review="semantic",
        message=Message(
            "连着 {times} 个极短的句子",
            "{times} very short sentences stand in a row",
        ),
        advice=Message(
            "把同一件事的几句连成一句，只在要停顿的地方断开。",
            "Join what belongs together, and stop short only where the story does.",
        ),
        bad="She ran. The gate shut. He cursed. A dog barked. Lamps moved. Nobody came.",
        good="She ran. The gate shut behind her with its usual complaint. He cursed. A dog barked.",
        search=_Staccato(),
    ),
    Rule(
        id="same-opening",
        name=Message("句首雷同", "the same opening"),
        family="style",
        severity="advisory",
        review="mechanical",
        message=Message(
            "连着 {times} 句都以 {words} 开头",
            '{times} sentences in a row begin with "{words}"',
        ),
        advice=Message(
            "换一个主语、并句，或从地点、东西写起。",
            "Change the subject, join two of them, or begin with the place or the thing.",
        ),
        bad=(
            "She took the key. She went down. She opened the hatch and looked at the wire. She saw "
            "the tin. She reached for it. She could not lift it. She swore."
        ),
        good=(
            "She took the key and went down. She opened the hatch. She looked at the wire. The tin "
            "hung there. She reached for it, but it would not come. She swore."
        ),
        search=_SameOpening(),
    ),
    Rule(
        id="fragmented-paragraphs",
        name=Message("一句一段", "one line a paragraph"),
        family="style",
        severity="advisory",
        review="mechanical",
        message=Message(
            "{share}% 的段落只有一行短叙述",
            "{share}% of the paragraphs are one short line of narrative",
        ),
        advice=Message(
            "把连着发生的事写进一段，单独成段的留给要人停下来的那一句。",
            "Put what happens together into one paragraph; leave the single line for what must stop.",
        ),
        bad="The gate was open.\n\nNobody was in the yard at that hour.\n\n" * 15,
        good="The gate was open.\n\n“Who is there?”\n\n“Me. Nell.”\n\n“Then come in.”\n\n" * 8,
        search=_OneLiners(),
    ),
)  # fmt: skip
