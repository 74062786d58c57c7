"""Where the texts stand that a book means as they are.

Pure. All of them are looked for in one walk over a line (Aho and Corasick's automaton), because a book
may name thousands and a body may hold as many hits: each text tried at each hit would cost their
product.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

_CHARS = 21
"""Bits of a character's number."""


class Literals:
    """Texts to be found together."""

    def __init__(self, texts: Collection[str]) -> None:
        self._after: dict[int, int] = {}
        """The node that a character leads to, by node and character."""
        self._longest = [0]
        """The length of the longest text that ends at a node."""
        self._fallback = [0]
        """The node of the longest end of a node's text that begins a text, too."""
        parents, chars, depths = [0], [0], [0]
        for text in texts:
            node = 0
            for char in map(ord, text):
                key = node << _CHARS | char
                following = self._after.get(key)
                if following is None:
                    following = self._after[key] = len(parents)
                    parents.append(node)
                    chars.append(char)
                    depths.append(depths[node] + 1)
                    self._longest.append(0)
                    self._fallback.append(0)
                node = following
            self._longest[node] = len(text)
        for node in sorted(range(1, len(parents)), key=depths.__getitem__):
            if parents[node]:
                self._fallback[node] = self._step(self._fallback[parents[node]], chars[node])
            self._longest[node] = max(self._longest[node], self._longest[self._fallback[node]])

    def _step(self, node: int, char: int) -> int:
        while True:
            found = self._after.get(node << _CHARS | char)
            if found is not None:
                return found
            if not node:
                return 0
            node = self._fallback[node]

    def starts(self, text: str) -> list[int]:
        """For every place from 0 to the text's end: where the longest of the texts that end there
        begins; the place itself where none does."""
        found, node = [0], 0
        for end, char in enumerate(map(ord, text), 1):
            node = self._step(node, char)
            found.append(end - self._longest[node])
        return found

    def reach(self, text: str) -> list[int]:
        """For every place: where the earliest of the texts begins that end there or later. One of
        them covers a span from `start` to `end` if this is at `end` no later than `start`."""
        found = self.starts(text)
        least = len(text) + 1
        for place in range(len(found) - 1, -1, -1):
            if found[place] < place:
                least = min(least, found[place])
            found[place] = least
        return found


@lru_cache(maxsize=4)
def literals_of(texts: frozenset[str]) -> Literals:
    """The automaton of these texts; of the few that a run asks for it is made once."""
    return Literals(texts)
