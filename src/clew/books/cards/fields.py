"""Every field of a card, a lorebook and its entries, once: kind, since which version, whether V2 or
V3 asks for it. Reading, writing, checking and the documentation use these tables.

Pure. Rules: Character Card V1, V2, V3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class Field(NamedTuple):
    """One field of a format."""

    name: str
    kind: str
    """`text`, `texts` (a list of texts), `words` (one that is often written with commas), `number`,
    `flag`, `object`, `ident`, `moment` (seconds since 1970), `languages`, `book`, `entries`,
    `assets`, `position`."""
    since: int
    """The version that brought it: 1, 2 or 3."""
    required: int = 0
    """The version from which on it must be there; 0 when it never must."""
    default: Any = None
    """What a required field is when nothing was given."""


CARD: Final = (
    Field("name", "text", 1, 1, ""),
    Field("description", "text", 1, 1, ""),
    Field("personality", "text", 1, 1, ""),
    Field("scenario", "text", 1, 1, ""),
    Field("first_mes", "text", 1, 1, ""),
    Field("mes_example", "text", 1, 1, ""),
    Field("creator_notes", "text", 2, 2, ""),
    Field("system_prompt", "text", 2, 2, ""),
    Field("post_history_instructions", "text", 2, 2, ""),
    Field("alternate_greetings", "texts", 2, 2, ()),
    Field("character_book", "book", 2),
    Field("tags", "words", 2, 2, ()),
    Field("creator", "text", 2, 2, ""),
    Field("character_version", "text", 2, 2, ""),
    Field("extensions", "object", 2, 2, {}),
    Field("assets", "assets", 3),
    Field("nickname", "text", 3),
    Field("creator_notes_multilingual", "languages", 3),
    Field("source", "texts", 3),
    Field("group_only_greetings", "texts", 3, 3, ()),
    Field("creation_date", "moment", 3),
    Field("modification_date", "moment", 3),
)

BOOK: Final = (
    Field("name", "text", 2),
    Field("description", "text", 2),
    Field("scan_depth", "number", 2),
    Field("token_budget", "number", 2),
    Field("recursive_scanning", "flag", 2),
    Field("extensions", "object", 2, 2, {}),
    Field("entries", "entries", 2, 2, ()),
)

ENTRY: Final = (
    Field("keys", "words", 2, 2, ()),
    Field("content", "text", 2, 2, ""),
    Field("extensions", "object", 2, 2, {}),
    Field("enabled", "flag", 2, 2, True),
    Field("insertion_order", "number", 2, 2, 100),
    Field("case_sensitive", "flag", 2),
    Field("use_regex", "flag", 3, 3, False),
    Field("constant", "flag", 2),
    Field("name", "text", 2),
    Field("priority", "number", 2),
    Field("id", "ident", 2),
    Field("comment", "text", 2),
    Field("selective", "flag", 2),
    Field("secondary_keys", "words", 2),
    Field("position", "position", 2),
)

ASSET: Final = ("type", "uri", "name", "ext")
WITH_THE_CARD: Final = ("ccdefault:", "embeded://", "embedded://", "__asset:")
"""How the URI of a file begins that comes with the card, in whatever container."""
_MAIN_ICON: Final = {"type": "icon", "name": "main"}
LOOSE_ENTRY: Final = frozenset(
    ["probability", "selectiveLogic", "useProbability", "depth", "role", "group", "case_sensitive"]
)
"""Keys that some programs write beside an entry's extensions instead of into them; they are read
there too, and stay where they were."""


def by_name(fields: tuple[Field, ...]) -> Mapping[str, Field]:
    """The fields of a table by their names."""
    return {field.name: field for field in fields}


def said(data: Mapping[str, Any], fields: Mapping[str, Field]) -> dict[str, Any]:
    """What an object says: without null in known fields, and without required fields at their
    defaults, since a file that leaves them out says the same."""
    return {key: value for key, value in data.items() if not _unsaid(fields.get(key), value)}


def _unsaid(field: Field | None, value: Any) -> bool:
    if field is None or value is None:
        return field is not None
    default = fresh(field) if field.required else None
    return type(value) is type(default) and bool(value == default)


def said_book(book: Mapping[str, Any]) -> dict[str, Any]:
    """What a lorebook says, and each of its entries."""
    out = said(book, BOOK_FIELDS)
    rows = out.get("entries")
    if isinstance(rows, list):
        out["entries"] = [said(r, ENTRY_FIELDS) if isinstance(r, dict) else r for r in rows]
    return out


def placeless(rows: list[Any]) -> list[Any]:
    """The rows of `assets` without what says where a file is stored that comes with the card. A PNG
    and a CHARX keep the same file in different places, under other URIs and sometimes extensions;
    the main icon is the picture of the card, which every card has, so that it says nothing. Files
    that lie elsewhere (`https:`), or in the row itself (`data:`), are part of what the card says."""
    out = []
    for row in rows:
        uri = (row.get("uri") or "ccdefault:") if isinstance(row, dict) else None
        if isinstance(uri, str) and uri.startswith(WITH_THE_CARD):
            row = {key: value for key, value in row.items() if key not in ("uri", "ext")}
            if row == _MAIN_ICON:
                continue
        out.append(row)
    return out


CARD_FIELDS: Final = by_name(CARD)
BOOK_FIELDS: Final = by_name(BOOK)
ENTRY_FIELDS: Final = by_name(ENTRY)


def fresh(field: Field) -> Any:
    """A new copy of a field's default."""
    if isinstance(field.default, dict):
        return dict(field.default)
    return list(field.default) if isinstance(field.default, tuple) else field.default
