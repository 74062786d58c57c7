"""A character card for the persona room, which knows none: read through the books, handed on as texts.

Data only: nothing in a card is a command, a path or a setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

FIELDS: Final = (
    "name", "nickname", "description", "personality", "scenario", "first_mes", "mes_example",
)  # fmt: skip
_FILES: Final = (".png", ".json", ".yaml", ".yml", ".charx", ".jpg", ".jpeg", ".webp")
CARD_BYTES: Final = 64_000_000


def read_card(given: str, *, cwd: str, library: str) -> Mapping[str, str]:
    """The texts of a card: of a file, else of the library's card of that name.

    Raises `Missing` (`no_such_file`, `no_such_asset`), `Refused` with what is wrong with the file.
    """
    import clew.books  # noqa: F401 - registers the words of this room
    from clew.kernel.errors import Missing
    from clew.kernel.faults import Fault

    path = Path(cwd) / given
    if path.is_file():
        return _of_file(path)
    if path.suffix.lower() in _FILES or "/" in given:
        raise Missing(Fault("no_such_file", file=given))
    try:
        return _of_library(given, cwd, library)
    except Missing as error:
        if error.code != "no_library":
            raise
        # Without a library it can only have been a file.
        raise Missing(Fault("no_such_file", file=given)) from None


def _of_file(path: Path) -> Mapping[str, str]:
    from clew.books import cards
    from clew.kernel.errors import Refused
    from clew.kernel.faults import Fault
    from clew.kernel.files import Files

    data = Files().read(str(path), 0, CARD_BYTES + 1)
    if len(data) > CARD_BYTES:
        raise Refused(Fault("too_large", file=path.name, found=len(data), limit=CARD_BYTES))
    found = cards.read(data, name=path.name)
    if found.card is None:
        raise Refused(*(found.report.refused or [Fault("not_a_card", file=path.name)]))
    return {field: str(getattr(found.card, field)) for field in FIELDS}


def _of_library(given: str, cwd: str, library: str) -> Mapping[str, str]:
    from clew.books.library import find_library, open_library
    from clew.books.listing import named
    from clew.books.versions import content

    shelf = open_library(find_library(cwd) or library)
    found = named(shelf, given, "card")
    card = shelf.look(lambda reader: content(reader, found.asset, found.version)).card
    return {field: str(getattr(card, field)) for field in FIELDS}
