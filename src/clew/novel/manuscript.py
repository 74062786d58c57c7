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
_LOOKED_AT: Final = 4
"""So many times the wanted number of names are counted exactly."""


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
    likely = sorted(found, key=lambda name: (-found[name], name))[: _LOOKED_AT * most]
    counts = _standing_alone(whole, {*likely, *meant}, english=english)
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


# ---- Chinese -------------------------------------------------------------------------------------

_HAN_RUN: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]+")
_ADVERB: Final = "|".join(sorted(ADVERBS, key=len, reverse=True))
_VERB: Final = "|".join(sorted(SPEAKS, key=len, reverse=True))
_SPEAKER: Final = re.compile(rf"(.{{2,4}}?)(?:{_ADVERB}){{0,2}}(?:{_VERB})(?:了?[一半][声句])?")
_NEIGHBOURS: Final = 3
"""A name stands between at least so many different neighbours (an end of a clause counts anew)."""
_WHOLE: Final = 0.8
"""A part that is followed by the same character this often is but the beginning of a longer name."""
_STARTS: Final = 0.15
"""Least share of mentions that begin a clause, as subjects do."""


class _Seen:
    """What was seen of one piece of text."""

    __slots__ = ("count", "left", "right", "speaks", "starts")

    def __init__(self) -> None:
        self.count = self.starts = self.speaks = 0
        self.left: set[str] = set()
        self.right: set[str] = set()


def chinese_names(text: str) -> dict[str, int]:
    """Pieces of Chinese text that are most likely names, and about how often each stands there."""
    runs = Counter(_HAN_RUN.findall(text))
    seen: dict[str, _Seen] = defaultdict(_Seen)
    for run, times in runs.items():
        for start, end in _led_by_surname(run):
            _note(seen[run[start:end]], run, start, end, times)
    for run, times in runs.items():
        speaker = _SPEAKER.fullmatch(run)
        if speaker is not None and speaker[1][0] not in NOT_FIRST:
            seen[speaker[1]].speaks += times
    good = {name for name, found in seen.items() if _is_name(name, found)}
    return {
        name: max(seen[name].count, seen[name].speaks)
        for name in good
        if not _is_part(name, seen, good)
    }


def _led_by_surname(run: str) -> Iterator[tuple[int, int]]:
    for start, char in enumerate(run[:-1]):
        if run[start : start + 2] in COMPOUND_SURNAMES:
            lengths: tuple[int, ...] = (3, 4)
        elif char in SURNAMES:
            lengths = (2, 3)
        else:
            continue
        for length in lengths:
            if start + length <= len(run):
                yield start, start + length


def _note(found: _Seen, run: str, start: int, end: int, times: int) -> None:
    found.count += times
    found.starts += times if start == 0 else 0
    # Each clause that begins or ends with the name is a neighbour of its own.
    if len(found.left) < _NEIGHBOURS:
        found.left.add(run[start - 1] if start else f"^{run}")
    if len(found.right) < _NEIGHBOURS:
        found.right.add(run[end] if end < len(run) else f"{run}$")


def _is_name(name: str, found: _Seen) -> bool:
    if name in NO_NAMES or any(char in NOT_IN for char in name):
        return False
    if found.speaks >= 2:
        return True
    return (
        found.count >= _LEAST
        and name[:2] not in NO_NAMES
        and name[-1] not in NOT_LAST
        and len(found.left) >= _NEIGHBOURS
        and len(found.right) >= _NEIGHBOURS
        and found.starts >= _STARTS * found.count
    )


def _is_part(name: str, seen: Mapping[str, _Seen], good: set[str]) -> bool:
    """Whether a piece is the mere beginning of a longer name, or a shorter one with a word on."""
    here = seen[name]
    longer = [
        seen[other].count
        for other in good
        if len(other) == len(name) + 1 and other.startswith(name)
    ]
    if here.count and max(longer, default=0) >= _WHOLE * here.count:
        return True
    for cut in range(2, len(name)):
        base = seen.get(name[:cut])
        if name[:cut] in good and base is not None:
            if base.count and here.count >= _WHOLE * base.count:
                continue
            if here.speaks < 2 or base.speaks > here.speaks:
                return True
    return False


# ---- English -------------------------------------------------------------------------------------

_CAPITALISED: Final = re.compile(
    r"[A-Z\u00c0-\u00d6\u00d8-\u00de][\w'\u2019-]*(?:[ ][A-Z\u00c0-\u00d6\u00d8-\u00de][\w'\u2019-]*)*"
)
_TITLE_DOT: Final = re.compile(rf"\b({'|'.join(sorted(ENGLISH_TITLES))})\.(?=[ ])", re.IGNORECASE)
_OPENING: Final = " \t\"'\u201c\u2018\u2014(*_-"


def english_names(text: str) -> dict[str, int]:
    """Capitalised words and phrases inside sentences, titles (`Mr.`, `Lady`) taken off, and how
    often each stands there."""
    plain = _TITLE_DOT.sub(r"\1", text)
    lower = Counter(re.findall(r"\b[a-z][\w'\u2019-]*", plain))
    inside: Counter[str] = Counter()
    for found in _CAPITALISED.finditer(plain):
        tokens = [_bare(word) for word in found[0].split(" ")]
        if _begins_sentence(plain, found.start()) and tokens[0].lower() not in ENGLISH_TITLES:
            tokens = tokens[1:]
        for phrase in _phrases(tokens):
            inside[phrase] += 1
    # A word that is mostly written small was capitalised for some other reason.
    return {
        phrase: count
        for phrase, count in inside.items()
        if count > lower[phrase.split(" ")[0].lower()]
    }


def _begins_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 80) : at].rstrip(_OPENING)
    return not before or before[-1] in ".!?\u2026:;\n\u201d\u2019\"'>#"


def _bare(word: str) -> str:
    for ending in ("'s", "\u2019s"):
        word = word.removesuffix(ending)
    return word.strip("'\u2019-")


def _phrases(tokens: Iterable[str]) -> Iterator[str]:
    """The runs of tokens that can be a name, whole and each word of it."""
    run: list[str] = []
    for token in [*tokens, ""]:
        if token and len(token) > 1 and token.lower() not in (ENGLISH_NO_NAMES | ENGLISH_TITLES):
            run.append(token)
            continue
        if len(run) > 1:
            yield " ".join(run)
        yield from run
        run = []
