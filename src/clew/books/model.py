"""A character card: one V3-shaped document, every key kept, whatever format it came from.

`data` has the fields of Character Card V3 (a superset of V2, which nests V1), `root` what stood
beside it: unknown keys, the V1 copies that some programs write, their private extras. Both keep
unknown keys, the order of keys and number tokens as they were read. `spec` and `spec_version` say
where the card came from, so that an export to the same format equals the original in every field
that was not changed.

A card is a value: changing one makes another (`clew.books.cards.set`). Pure, and cheap to import.
Rules: Character Card V1, V2 and V3; docs/cards.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from clew.books.lore import Lorebook

V1: Final = "v1"
V2: Final = "v2"
V3: Final = "v3"
SPECS: Final = (V1, V2, V3)
"""The formats that cards are written in."""
OTHER_SPECS: Final = ("tavernai", "pygmalion", "textgen", "agnai")
"""Formats that are only read: `Card.spec` names them too."""
V1_FIELDS: Final = (
    "name", "description", "personality", "scenario", "first_mes", "mes_example",
)  # fmt: skip
PRIVATE_ROOT: Final = ("chat",)
"""Keys of the root that say how the card was last played, and are no part of it: the title of the
last chat (SillyTavern, TavernAI). They are kept, never exported, and do not count for the hash."""
_UNSEEN: Final = frozenset(["Cc", "Cf", "Cs", "Zs", "Zl", "Zp"])
_BLANK: Final = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that are drawn as nothing."""
DEFAULT_ICON: Final = ("icon", "ccdefault:", "main", "png")


def seen(text: str) -> bool:
    """Whether anything of a text is to be seen: white space and characters without a form of their
    own (a zero-width space, a joiner, a mark of direction) are not."""
    from unicodedata import category

    return any(category(char) not in _UNSEEN and char not in _BLANK for char in text)


class AssetRef(NamedTuple):
    """One row of a card's `assets`: what it is for, where it is, its name and extension."""

    type: str
    uri: str
    name: str
    ext: str


class _Text:
    """A field of `data` that is a text; empty when absent or null."""

    __slots__ = ("key",)

    def __set_name__(self, owner: object, key: str) -> None:
        self.key = key

    def __get__(self, card: Card, owner: object = None) -> str:
        value = card.data.get(self.key)
        return value if isinstance(value, str) else ""


class _Texts:
    """A field of `data` that is a list of texts; empty when absent or null."""

    __slots__ = ("key",)

    def __set_name__(self, owner: object, key: str) -> None:
        self.key = key

    def __get__(self, card: Card, owner: object = None) -> tuple[str, ...]:
        value = card.data.get(self.key)
        if not isinstance(value, list):
            return ()
        return tuple(item for item in value if isinstance(item, str))


class _Seconds:
    """A field of `data` that is a moment in seconds since 1970, UTC; None when absent or unknown."""

    __slots__ = ("key",)

    def __set_name__(self, owner: object, key: str) -> None:
        self.key = key

    def __get__(self, card: Card, owner: object = None) -> int | None:
        value = card.data.get(self.key)
        try:
            seconds = int(float(value))  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            return None  # absent, or a word of some program: not a moment
        return seconds if seconds > 0 else None


class Card:
    """A character card. See the module for what it keeps."""

    __slots__ = ("_hash", "data", "root", "spec", "spec_version")

    name = _Text()
    description = _Text()
    personality = _Text()
    scenario = _Text()
    first_mes = _Text()
    mes_example = _Text()
    creator_notes = _Text()
    system_prompt = _Text()
    post_history_instructions = _Text()
    alternate_greetings = _Texts()
    tags = _Texts()
    creator = _Text()
    character_version = _Text()
    nickname = _Text()
    source = _Texts()
    group_only_greetings = _Texts()
    creation_date = _Seconds()
    modification_date = _Seconds()

    def __init__(
        self,
        data: dict[str, Any],
        root: dict[str, Any] | None = None,
        *,
        spec: str = V3,
        spec_version: str = "",
    ) -> None:
        self.data = data
        self.root = root if root is not None else {}
        self.spec = spec
        self.spec_version = spec_version
        self._hash = ""

    @property
    def char_name(self) -> str:
        """What stands for `{{char}}` in a prompt: the nickname where there is one."""
        return self.nickname or self.name

    @property
    def greetings(self) -> tuple[str, ...]:
        """The first message and its alternates, in the order in which V3 counts them."""
        return (self.first_mes, *self.alternate_greetings)

    @property
    def extensions(self) -> Mapping[str, Any]:
        """What other programs keep in the card, by their own keys."""
        value = self.data.get("extensions")
        return value if isinstance(value, dict) else {}

    @property
    def book(self) -> Lorebook | None:
        """The card's own lorebook, or None."""
        value = self.data.get("character_book")
        if not isinstance(value, dict):
            return None
        from clew.books.lore import Lorebook

        return Lorebook(value, spec="character_book")

    @property
    def assets(self) -> tuple[AssetRef, ...]:
        """The rows of `assets`; where there are none, the one that V3 says is meant."""
        value = self.data.get("assets")
        if not isinstance(value, list):
            return (AssetRef(*DEFAULT_ICON),)
        return tuple(
            AssetRef(*(str(row.get(key) or "") for key in AssetRef._fields))
            for row in value
            if isinstance(row, dict)
        )

    @property
    def notes_by_language(self) -> dict[str, str]:
        """The creator's notes by language code; `creator_notes` is the English one unless V3's
        table names another."""
        value = self.data.get("creator_notes_multilingual")
        notes = (
            {k: v for k, v in value.items() if isinstance(v, str)}
            if isinstance(value, dict)
            else {}
        )
        if "en" not in notes and self.creator_notes:
            notes = {"en": self.creator_notes, **notes}
        return notes

    @property
    def favourite(self) -> bool:
        """The favourite mark of SillyTavern (`extensions.fav` or the root's `fav`)."""
        value = self.extensions.get("fav", self.root.get("fav"))
        return value is True or (isinstance(value, str) and value.strip().lower() == "true")

    @property
    def talkativeness(self) -> float | None:
        """How often the character speaks in a group, 0 to 1 (SillyTavern), or None."""
        value = self.extensions.get("talkativeness", self.root.get("talkativeness"))
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            return None  # absent, or a text that is no number: the card keeps it as written

    @property
    def world(self) -> str:
        """The name of the World Info file that SillyTavern links to the card, or an empty text."""
        value = self.extensions.get("world")
        return value if isinstance(value, str) else ""

    @property
    def document(self) -> dict[str, Any]:
        """The V3-shaped document: `spec`, `spec_version`, `data`, then what stood beside them."""
        return self.root | {"spec": "chara_card_v3", "spec_version": "3.0", "data": self.data}

    @property
    def content(self) -> dict[str, Any]:
        """What the card says, as `{"data", "root"}`.

        What says nothing does not count: null in a known field, a required field at its default,
        copies of V1 fields at the root that equal their originals, and `PRIVATE_ROOT`.
        """
        from clew.books.cards.fields import CARD_FIELDS, said, said_book
        from clew.books.cards.values import same

        data = said(self.data, CARD_FIELDS)
        if isinstance(data.get("character_book"), dict):
            data["character_book"] = said_book(data["character_book"])
        root = {
            key: value
            for key, value in self.root.items()
            if key not in PRIVATE_ROOT
            and not (key in V1_FIELDS and same(value, self.data.get(key, "")))
        }
        return {"data": data, "root": root}

    def canonical(self) -> bytes:
        """The bytes that are hashed: `content` as UTF-8 JSON without white space, keys sorted by
        code point at every level, number tokens as written, lone surrogates escaped. The format
        that the card came from does not count, nor where a file that comes with it is stored."""
        from clew.books.cards.fields import placeless
        from clew.books.cards.values import encode

        content = self.content
        rows = content["data"].get("assets")
        if isinstance(rows, list):
            rows = placeless(rows)
            content["data"].pop("assets")
            content["data"] |= {"assets": rows} if rows else {}
        return encode(content, ordered=True).encode("utf-8")

    @property
    def content_hash(self) -> str:
        """SHA-256 of `canonical()` in lower-case hex: equal for equal cards, whatever file, picture
        and container they came in."""
        if not self._hash:
            from hashlib import sha256

            self._hash = sha256(self.canonical()).hexdigest()
        return self._hash

    def to_bytes(self) -> bytes:
        """The card with where it came from, as stable JSON that `Card.of_bytes` reads back whole."""
        from clew.books.cards.values import encode

        record = {
            "spec": self.spec,
            "spec_version": self.spec_version,
            "data": self.data,
            "root": self.root,
        }
        return encode(record, indent=2).encode("utf-8") + b"\n"

    @classmethod
    def of_bytes(cls, data: bytes) -> Card:
        """The card that `to_bytes` wrote. Raises ValueError when the bytes are something else."""
        import json

        from clew.books.cards.values import integer, real

        value = json.loads(data, parse_int=integer, parse_float=real)
        try:
            return cls(
                value["data"], value["root"], spec=value["spec"], spec_version=value["spec_version"]
            )
        except (KeyError, TypeError) as error:
            raise ValueError("these are not the bytes of a card") from error

    def __eq__(self, other: object) -> bool:
        """Equal content; where it came from does not count."""
        return isinstance(other, Card) and self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def __repr__(self) -> str:
        return f"Card({self.name!r}, spec={self.spec!r})"
