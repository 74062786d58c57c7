"""Books: cards designed, kept, played.

    from clew.books import create_library, import_cards, open_library

    library = open_library("~/clew")
    import_cards(library, ["downloads"])

Contract: the book-storage seed. `model` is a character card, `lore` a lorebook, `cards` reads and
writes them in every format that is in use; these three are pure: bytes in, values out. `library` is
the folder on the kernel's vault; what is done with it has the names of the commands, each a function
that takes the library first (docs/library.md). Modules are loaded when a word is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.kernel.faults import register_later

if TYPE_CHECKING:
    from clew.books.assets import edit, mark, new_card, rename, set_state
    from clew.books.bookshelf import keep_book, new_play, new_project, set_stage
    from clew.books.bulk import import_cards
    from clew.books.checking import check, repair
    from clew.books.discarding import purge, purge_book
    from clew.books.exporting import export
    from clew.books.library import Library, create_library, open_library
    from clew.books.listing import Wanted, list_assets, named
    from clew.books.searching import search
    from clew.books.showing import diff, list_versions, show, where_used
    from clew.books.sillytavern import import_folder

register_later("clew.books.codes")
register_later("clew.books.cards.codes")
_WORDS = {
    "Library": "library",
    "Wanted": "listing",
    "check": "checking",
    "create_library": "library",
    "diff": "showing",
    "edit": "assets",
    "export": "exporting",
    "import_cards": "bulk",
    "import_folder": "sillytavern",
    "keep_book": "bookshelf",
    "list_assets": "listing",
    "list_versions": "showing",
    "mark": "assets",
    "named": "listing",
    "new_card": "assets",
    "new_play": "bookshelf",
    "new_project": "bookshelf",
    "open_library": "library",
    "purge": "discarding",
    "purge_book": "discarding",
    "rename": "assets",
    "repair": "checking",
    "search": "searching",
    "set_stage": "bookshelf",
    "set_state": "assets",
    "show": "showing",
    "where_used": "showing",
}

__all__ = [
    "Library",
    "Wanted",
    "check",
    "create_library",
    "diff",
    "edit",
    "export",
    "import_cards",
    "import_folder",
    "keep_book",
    "list_assets",
    "list_versions",
    "mark",
    "named",
    "new_card",
    "new_play",
    "new_project",
    "open_library",
    "purge",
    "purge_book",
    "rename",
    "repair",
    "search",
    "set_stage",
    "set_state",
    "show",
    "where_used",
]


def __getattr__(word: str) -> Any:
    if word not in _WORDS:
        raise AttributeError(f"module {__name__!r} has no attribute {word!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_WORDS[word]}"), word)
