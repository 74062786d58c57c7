"""A card as the JSON document of V1, V2 or V3, and what each of them cannot hold.

What a version has no field for rides along where that does no harm: V3's fields stand in a V2
document as unknown keys, which other readers skip. V1 is flat and holds its six fields. Decorators
leave the content when a V3 card goes into V2, as V3 asks.

Pure. Rules: Character Card V1, V2, V3; docs/cards.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from clew.books.cards.fields import BOOK, CARD, CARD_FIELDS, ENTRY, Field, fresh, said
from clew.books.cards.values import child, number, same
from clew.books.lore import decorated, flag, text
from clew.books.model import PRIVATE_ROOT, V1, V1_FIELDS, V2, V3, Card
from clew.kernel.faults import Fault

_NUMBER: Final = {V1: 1, V2: 2, V3: 3}
_OURS: Final = ("spec", "spec_version", "data")
_NAMES: Final = {V2: ("chara_card_v2", "2.0"), V3: ("chara_card_v3", "3.0")}


def document(card: Card, spec: str) -> dict[str, Any]:
    """The JSON document of a card in `spec` (`v1`, `v2`, `v3`), with every required field."""
    root = {key: item for key, item in card.root.items() if key not in PRIVATE_ROOT}
    if spec == V1:
        flat = _required(card.data, CARD, 1)
        out: dict[str, Any] = {name: flat[name] for name in V1_FIELDS}
        if card.spec == "tavernai":
            said = {"spec_version": card.spec_version} if card.spec_version else {}
            out = {"spec": "tavern_ai", **said, **out}
        return {**out, **{key: item for key, item in root.items() if key not in V1_FIELDS}}
    name, usual = _NAMES[spec]
    version = (
        card.spec_version if card.spec == spec and number(card.spec_version) is not None else usual
    )
    data = _required(card.data, CARD, _NUMBER[spec])
    book = data.get("character_book")
    if isinstance(book, dict):
        data["character_book"] = lore_data(book, spec, bare=_strips(card, spec))
    outside = {key: item for key, item in root.items() if key not in _OURS}
    return {"spec": name, "spec_version": version, "data": data, **outside}


def lore_data(book: Mapping[str, Any], spec: str, *, bare: bool = False) -> dict[str, Any]:
    """A lorebook with every field that `spec` requires; without decorators when `bare`."""
    out = _required(book, BOOK, _NUMBER[spec])
    rows = []
    for row in out["entries"]:
        if isinstance(row, dict):
            row = _required(row, ENTRY, _NUMBER[spec])
            if bare:
                row["content"] = decorated(text(row["content"]))[1]
        rows.append(row)
    out["entries"] = rows
    return out


def _required(data: Mapping[str, Any], fields: tuple[Field, ...], version: int) -> dict[str, Any]:
    out = dict(data)
    for field in fields:
        if field.required and field.required <= version and out.get(field.name) is None:
            out[field.name] = fresh(field)
    return out


def _strips(card: Card, spec: str) -> bool:
    """Decorators go when a newer card becomes V2. In a card that is V2 itself they are its text."""
    return spec == V2 and card.spec != V2


def field_losses(card: Card, spec: str) -> list[Fault]:
    """What a document of `spec` cannot hold of this card, or holds where its readers do not look."""
    out = []
    data = card.data
    if spec == V1:
        out += [
            Fault("field_left_out", child("$.data", name), found=spec.upper())
            for name in said(data, CARD_FIELDS)
            if name not in V1_FIELDS
        ]
        out += [  # V1 has one place for what stood in two, and they differed
            Fault("field_left_out", child("$", name), found=spec.upper())
            for name in V1_FIELDS
            if name in card.root and not same(card.root[name], data.get(name, ""))
        ]
    elif spec == V2:
        out += [
            Fault("field_rides_along", child("$.data", name), found=spec.upper())
            for name, field in CARD_FIELDS.items()
            if field.since == 3 and data.get(name) not in (None, "", [], {})
        ]
        out += _lore_losses(
            data.get("character_book"), "$.data.character_book", bare=_strips(card, spec)
        )
    if spec != V1:  # a flat card may have an unknown key of the name that V2 and V3 need
        taken = [key for key in _OURS if key in card.root]
        out += [Fault("field_left_out", child("$", key), found=spec.upper()) for key in taken]
    private = [key for key in PRIVATE_ROOT if card.root.get(key) not in (None, "")]
    out += [Fault("private_left_out", child("$", key), found=key) for key in private]
    return out + list(_filled(data, spec))


def _filled(data: Mapping[str, Any], spec: str) -> Iterable[Fault]:
    """Required fields that the card lacks, and that a document of `spec` gets."""
    missing = _missing(data, CARD, spec)
    if missing:
        yield Fault("fields_filled", "$.data", found=missing, limit=spec.upper())
    book = data.get("character_book")
    if spec == V1 or not isinstance(book, dict):
        return
    missing = _missing(book, BOOK, spec)
    if missing:
        yield Fault("fields_filled", "$.data.character_book", found=missing, limit=spec.upper())
    rows = book.get("entries")
    names = {
        name: None
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict)
        for name in _missing(row, ENTRY, spec)
    }
    if names:
        place = "$.data.character_book.entries[*]"
        yield Fault("fields_filled", place, found=list(names), limit=spec.upper())


def _missing(data: Mapping[str, Any], fields: tuple[Field, ...], spec: str) -> list[str]:
    version = _NUMBER[spec]
    return [
        f.name for f in fields if f.required and f.required <= version and data.get(f.name) is None
    ]


def _lore_losses(book: Any, path: str, *, bare: bool) -> Iterable[Fault]:
    rows = book.get("entries") if isinstance(book, dict) else None
    rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    place = f"{path}.entries[*]"
    marked = sum(bool(decorated(text(row.get("content")))[0]) for row in rows) if bare else 0
    if marked:
        yield Fault("decorators_left_out", f"{place}.content", found=marked)
    if any(flag(row.get("use_regex")) for row in rows):
        yield Fault("field_rides_along", f"{place}.use_regex", found="V2")
