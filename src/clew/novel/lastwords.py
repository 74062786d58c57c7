"""How a body ends: its last whole sentences, for whoever goes on from there.

Pure. Only what a reader reads counts: no heading, no comment, no fenced block. What counts as a line
of what kind is decided in `prose.text`.
"""

from __future__ import annotations

import re
from typing import Final

from clew.kernel.faults import plain
from clew.kernel.text import clean
from clew.novel.prose.text import MASK, LineKind, language_of, read_body

_READ: Final = frozenset({LineKind.NARRATIVE, LineKind.QUOTE, LineKind.LIST})
_TAIL: Final = 20_000
"""So much of a body is looked at."""
_CLOSING: Final = "”’」』）)\"'】》"
_SENTENCE: Final = re.compile(
    # An abbreviated title ends no sentence; neither does the point of a number.
    rf".+?(?:[。！？!?…]+[{_CLOSING}]*|(?<![.])(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bMrs)\.++[{_CLOSING}]*"
    r"(?=\s|$)|$)"
)


def last_words(text: str, limit: int) -> str:
    """The last sentences of a body that have at most `limit` characters together, on one line; of a
    single longer one the end, after an ellipsis. Empty where nothing is told."""
    tail = text if len(text) <= _TAIL else text[-_TAIL:].partition("\n")[2] or text[-_TAIL:]
    kept = ""
    for line in reversed(read_body(tail, language_of(tail)).lines):
        if line.kind not in _READ:
            continue
        told = plain(clean(line.shown.replace(MASK, "")))
        after = f" {kept}" if kept else ""
        for found in reversed([*_SENTENCE.finditer(told)]):
            # Sentences of one line stand together as they are written there.
            longer = told[found.start() :].strip() + after
            if len(longer) > limit:
                return kept or "…" + longer[1 - limit :]
            kept = longer if longer != after else kept
    return kept
