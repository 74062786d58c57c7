"""Fills the tables of fields in docs/formats.md from the types.

    python scripts/format_tables.py            writes them
    python scripts/format_tables.py --check    exit 1 when the page is stale

A place for a table names its type: `<!-- generated: clew.novel.model:State -->`. The constants of
the room stand at `<!-- generated: caps -->`.
"""

from __future__ import annotations

import sys
from typing import Final

from field_tables import table, type_named
from pages import DOCS, fill, places, settle, wants_check

from clew.kernel import document
from clew.novel import book, ledger, model

PAGE: Final = DOCS / "formats.md"


def caps() -> str:
    """The caps that no single field has."""
    rows = [
        ("`上下文.md`, the card", model.CARD_BYTES, f"a note above {model.CARD_WARN}"),
        (
            "a character's snapshot as rendered",
            model.SNAPSHOT_BYTES,
            f"a note above {model.SNAPSHOT_WARN}",
        ),
        ("a chapter record", model.RECORD_BYTES, f"a note above {model.RECORD_WARN}"),
        ("one input document", document.INPUT_BYTES, f"and {document.DEPTH} levels of nesting"),
        ("one outline or body", book.TEXT_BYTES, ""),
        ("a state that another tool wrote", ledger.STATE_BYTES, ""),
    ]
    lines = ["| what | bytes at most | |", "|---|---:|---|"]
    return "\n".join([*lines, *(f"| {what} | {size} | {more} |" for what, size, more in rows)])


def build() -> str:
    """The page with every generated place filled."""
    text = PAGE.read_text(encoding="utf-8")
    for name in places(text):
        text = fill(text, name, caps() if name == "caps" else table(type_named(name)))
    return text


def main() -> int:
    check = wants_check(__doc__ or "")
    return settle({PAGE: build()}, [], check=check)


if __name__ == "__main__":
    sys.exit(main())
