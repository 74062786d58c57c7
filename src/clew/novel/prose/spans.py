"""Matches of one pattern that another one has not spoken of already.

Pure, and linear in the number of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

Span = tuple[int, int]


def outside(spans: Iterable[Span], found: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The matches that begin in none of the spans. Both come in the order of the text, and neither
    spans nor matches overlap among themselves."""
    left = iter(spans)
    span = next(left, None)
    for match in found:
        while span and span[1] <= match.start():
            span = next(left, None)
        if not (span and span[0] <= match.start()):
            yield match
