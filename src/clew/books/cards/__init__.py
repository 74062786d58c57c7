"""Character cards and lorebooks in every format that is in use: one reader, one writer.

    from clew.books import cards

    read = cards.read(data, name="沈砚.png")      # detection by content; never raises
    read.card, read.lorebook, read.report         # a value, and every line about how it came to be

    cards.losses(read.card, "v2", "png")          # what the target cannot hold, before writing
    cards.write(read.card, "v2", "png", source=data)

Formats, rules and what is lost where: docs/cards.md. Modules are loaded when a word is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.kernel.faults import register_later

if TYPE_CHECKING:
    from clew.books.cards.changes import Change, diff
    from clew.books.cards.checks import validate
    from clew.books.cards.edit import remove, set
    from clew.books.cards.export import lorebook_losses, losses, write, write_lorebook
    from clew.books.cards.png import scan
    from clew.books.cards.reading import read
    from clew.books.cards.report import Asset, Limits, Read, Report

register_later("clew.books.cards.codes")

_WORDS = {
    "Asset": "report",
    "Change": "changes",
    "Limits": "report",
    "Read": "report",
    "Report": "report",
    "diff": "changes",
    "lorebook_losses": "export",
    "losses": "export",
    "read": "reading",
    "remove": "edit",
    "scan": "png",
    "set": "edit",
    "validate": "checks",
    "write": "export",
    "write_lorebook": "export",
}

__all__ = [
    "Asset",
    "Change",
    "Limits",
    "Read",
    "Report",
    "diff",
    "lorebook_losses",
    "losses",
    "read",
    "remove",
    "scan",
    "set",
    "validate",
    "write",
    "write_lorebook",
]


def __getattr__(word: str) -> Any:
    if word not in _WORDS:
        raise AttributeError(f"module {__name__!r} has no attribute {word!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_WORDS[word]}"), word)
