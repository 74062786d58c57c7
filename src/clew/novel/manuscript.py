"""Names from the text of a manuscript: who is in it, how often, and since which chapter.

Pure. Candidates for an author to choose from, so a doubtful one is better shown than hidden, but
`江晨说` must not stand beside `江晨`. Chinese has no spaces: a piece of text is taken for a name when
it starts with a surname or speaks (`X道：`), stands between changing neighbours, and is no mere part
or extension of a better one. English names are capitalised words inside sentences.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from clew.novel.namewords import (
    ADVERBS,
    COMPOUND_SURNAMES,
    ENGLISH_NO_NAMES,
    ENGLISH_TITLES,
    NO_NAMES,
    NOT_FIRST,
    NOT_IN,
    NOT_LAST,
    SPEAKS,
    SURNAMES,
)
from clew.novel.wordcount import counted_text


class Candidate(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of text that looks like a name. `count` leaves out where it is part of a longer
    candidate; `name` is whom `设定/别名.toml` says it means."""

    text: str
    count: int
    first_chapter: int
    name: str = ""


MOST: Final = 60
_LEAST: Final = 3
"""Fewer mentions than this do not make a core character."""


def candidates(
    chapters: Mapping[int, str],
    aliases: Mapping[str, list[str]],
    *,
    english: bool = False,
    most: int = MOST,
) -> list[Candidate]:
    """The `most` frequent name candidates of the chapters' texts, most frequent first.

    Names and aliases of the author's own list are always among those that are looked for.
    """
    texts = {number: counted_text(chapters[number]) for number in sorted(chapters)}
    meant = {other: name for name, others in aliases.items() for other in (name, *others)}
    whole = "\n".join(texts.values())
    found = (english_names if english else chinese_names)(whole)
    counts = _standing_alone(whole, {*found, *meant}, english=english)
    rows = []
    for text, count in counts.items():
        if count < (1 if text in meant else _LEAST):
            continue
        first = next(n for n, body in texts.items() if _find(text, english=english).search(body))
        rows.append(Candidate(text, count, first, meant.get(text, "")))
    return sorted(rows, key=lambda row: (-row.count, row.first_chapter, row.text))[:most]


def _find(text: str, *, english: bool) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(text)}\b" if english else re.escape(text))


def _standing_alone(whole: str, names: set[str], *, english: bool) -> Counter[str]:
    """Mentions of each name; one inside a longer name counts for the longer one only."""
    if not names:
        return Counter()
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    joined = "|".join(map(re.escape, longest_first))
    pattern = re.compile(rf"\b(?:{joined})\b" if english else joined)
    return Counter(found[0] for found in pattern.finditer(whole))
