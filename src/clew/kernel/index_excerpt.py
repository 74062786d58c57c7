"""The stretch of a text that shows why a search found it, with the places to highlight. Pure.

The index keeps no text: whoever shows a hit reads the text where it really is, and cuts it here by
the same rule by which it was found (`clew.kernel.index_text`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from clew.kernel.index_text import MARKS, PIECE, WORD_CHARS, Query, folded, is_run, places

_CLUSTER: Final = re.compile(f"(?s:.)[{MARKS}]*")
"""A character and the marks upon it, which are made plain together."""


class Excerpt(NamedTuple):
    """Part of a text, on one line, with the places to be highlighted."""

    text: str
    spans: tuple[tuple[int, int], ...]
    """Start and end of each match within `text`, in order, none within another."""
    before: bool
    """Whether something was cut off in front."""
    after: bool
    """Whether something was cut off behind."""


_WHITE: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_LEAD: Final = 0.3
"""How much of the width stands before the first match."""
_NEAR: Final = 12
"""A Latin word is not cut when it begins or ends within so many characters of the cut."""
_ANCHORS: Final = 200


def excerpt(text: str, query: Query, width: int = 80) -> Excerpt:
    """The stretch of `text`, at most `width` characters, that shows most of the query's terms.

    The earliest of several; the beginning of the text when nothing matches. White space and control
    characters become single spaces, and a character is never parted from the marks upon it.
    """
    line = _WHITE.sub(" ", text.encode("utf-8", "replace").decode("utf-8")).strip()
    found = _matches_in(line, query)
    start = _window(found, width)
    end = min(len(line), start + width)
    start = max(0, min(start, end - width))
    start, end = _whole_words(line, start, end, found)
    spans: list[tuple[int, int]] = []
    for a, b, _ in found:
        a, b = max(a, start) - start, min(b, end) - start
        if a >= b:
            continue
        if spans and a <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(b, spans[-1][1]))
        else:
            spans.append((a, b))
    return Excerpt(line[start:end], tuple(spans), start > 0, end < len(line))


def _matches_in(line: str, query: Query) -> list[tuple[int, int, int]]:
    """Start, end and number of the term of every match, in the text's own characters."""
    starts = [m.start() for m in _CLUSTER.finditer(line)] + [len(line)]
    plain_of = [_FOLDED[line[a:b]] for a, b in pairwise(starts)]
    cluster_of = [number for number, plain in enumerate(plain_of) for _ in plain]
    found_pieces: list[str] = []
    place_of: list[int] = []  # for each character of the joined pieces, its number in cluster_of
    for match in PIECE.finditer("".join(plain_of)):
        piece = match.group()
        piece = piece if is_run(piece) else piece[:WORD_CHARS]
        found_pieces.append(piece)
        place_of.extend(range(match.start(), match.start() + len(piece) + 1))  # and the space
    joined = " ".join(found_pieces)
    return sorted(
        (starts[cluster_of[place_of[a]]], starts[cluster_of[place_of[b - 1]] + 1], number)
        for number, term in enumerate(query.terms)
        for a, b in places(joined, term)
    )


class _FoldedClusters(dict[str, str]):
    def __missing__(self, cluster: str) -> str:
        plain = folded(cluster)
        if len(self) < 50_000:  # texts are many and memory is not
            self[cluster] = plain
        return plain


_FOLDED: Final[Mapping[str, str]] = _FoldedClusters()


def _window(found: list[tuple[int, int, int]], width: int) -> int:
    """Where the excerpt starts: some way before the match from which most terms can be seen."""
    best, most = 0, 0
    for number, (start, end, own) in enumerate(found[:_ANCHORS]):
        seen, last = {own}, end
        for _, b, term in found[number : number + _ANCHORS]:
            if b <= start + width and term not in seen:
                seen.add(term)
                last = max(last, b)
        if len(seen) > most:
            lead = min(int(width * _LEAD), max(0, width - (last - start)))
            best, most = max(0, start - lead), len(seen)
    return best


def _whole_words(
    line: str, start: int, end: int, found: list[tuple[int, int, int]]
) -> tuple[int, int]:
    """Shrink the stretch to whole Latin words and whole clusters, never into a match."""
    first = min((a for a, b, _ in found if b > start), default=end)
    last = max((b for a, b, _ in found if a < end), default=start)
    if start > 0 and line[start - 1].isalnum() and line[start].isascii():
        cut = line.find(" ", start, start + _NEAR)
        start = cut + 1 if 0 <= cut < first else start
    if end < len(line) and line[end].isalnum() and line[end - 1].isascii():
        cut = line.rfind(" ", end - _NEAR, end)
        end = cut if cut >= last else end
    while start < first and start > 0 and unicodedata.category(line[start])[0] == "M":
        start += 1
    return start, end
