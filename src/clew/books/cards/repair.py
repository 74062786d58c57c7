"""Values of the wrong type become what they mean, each with a line in the report.

What means "nothing" in an optional field (null) stays as it is: it loses nothing, and an export to
the same format equals its original. A value that cannot be read as its kind is told and moved to
where nothing is lost, or named as lost.

Pure. Rules: the field tables of `fields`; the odd shapes of docs/cards.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from clew.books.cards.fields import ASSET, BOOK, CARD, ENTRY, Field, fresh
from clew.books.cards.moments import seconds
from clew.books.cards.oddvalues import NOTHING, as_text, listed, spoken, tell_odd, word
from clew.books.cards.report import Limits, Report
from clew.books.cards.values import Json, Number, child, encode, is_number, number
from clew.books.lore import flag
from clew.kernel.errors import Refused
from clew.kernel.faults import Both

KINDS: Final[Mapping[str, Both]] = {
    "text": Both("文字", "text"),
    "texts": Both("文字列表", "a list of texts"),
    "words": Both("文字列表", "a list of texts"),
    "number": Both("数字", "a number"),
    "flag": Both("true 或 false", "true or false"),
    "object": Both("对象", "an object"),
    "ident": Both("数字或文字", "a number or a text"),
    "moment": Both("1970 年以来的秒数", "seconds since 1970"),
    "languages": Both("按语言代码的文字", "texts by language code"),
    "book": Both("世界书", "a lorebook"),
    "entries": Both("条目列表", "a list of entries"),
    "assets": Both("素材列表", "a list of assets"),
    "position": Both("before_char 或 after_char", "before_char or after_char"),
}
_USUAL: Final = {"text": str, "flag": bool, "number": int, "object": dict, "ident": int}
"""What a value nearly always is: nothing has to be asked then."""
_SAYS: Final = frozenset(["message", "mes", "text", "content", "value"])
"""Keys under which a program puts a text that it wraps into an object."""
_SEPARATOR: Final = re.compile("[,，、;；\n]")
_TEXT: Final = Field("", "text", 1, 1, "")
"""Of one text in a row of `assets`."""
_DROP: Final = object()
"""The field goes: it said nothing."""
_TRUE: Final = frozenset(["true", "yes", "on", "1"])
_FALSE: Final = frozenset(["false", "no", "off", "0", ""])
_PLACES: Final[Mapping[str, int]] = {
    "before_char": 0, "after_char": 1, "in_chat": 4, "at_depth": 4, "an_top": 2, "an_bottom": 3,
    "before_an": 2, "after_an": 3, "em_top": 5, "em_bottom": 6, "outlet": 7, "before": 0, "after": 1,
}  # fmt: skip


def card_data(data: dict[str, Any], path: str, report: Report) -> dict[str, Any]:
    """The `data` of a card with every field of its kind."""
    return _fields(data, CARD, path, report)


def book_data(data: dict[str, Any], path: str, report: Report) -> dict[str, Any]:
    """A V2 or V3 lorebook with every field of its kind."""
    return _fields(data, BOOK, path, report)


def entry_data(row: dict[str, Any], path: str, report: Report) -> dict[str, Any]:
    """One entry with every field of its kind, and with `keys` where a program wrote `key`."""
    row = _renamed(row, path, report)
    position = row.get("position")
    if position is not None and position not in ("before_char", "after_char"):
        row = _placed(dict(row), position, path, report)
    row = _fields(row, ENTRY, path, report)
    inner = row.get("extensions")
    if inner:
        tell_odd(inner, child(path, "extensions"), report)
    return row


def enabled_by(disable: Json, path: str, report: Report) -> bool:
    """Whether an entry is on whose program writes that it is off."""
    off = flag(disable) is True
    if disable is not None and not isinstance(disable, bool):
        report.repair("type_repaired", path, found=word(disable), expected=KINDS["flag"],
                      after=word(off))  # fmt: skip
    return not off


def _fields(
    data: dict[str, Any], fields: tuple[Field, ...], path: str, report: Report
) -> dict[str, Any]:
    out = dict(data)
    for field in fields:
        if field.name not in out:
            continue
        value = out[field.name]
        if type(value) is _USUAL.get(field.kind) or (value is None and not field.required):
            continue
        place = child(path, field.name)
        read = _READERS[field.kind](value, field, place, report)
        if read is _DROP:
            del out[field.name]
        elif read is not value:
            out[field.name] = read
    return out


def _told(value: Json, after: Json, field: Field, path: str, report: Report) -> Json:
    """`after`, with a line that says what stood there."""
    report.repair(
        "type_repaired", path, found=word(value), expected=KINDS[field.kind],
        after=NOTHING if after is _DROP else word(after),
    )  # fmt: skip
    return after


def _nothing(field: Field) -> Json:
    return fresh(field) if field.required else _DROP


def _text(value: Json, field: Field, path: str, report: Report) -> Json:
    if isinstance(value, str):
        return value
    plain = "" if value is False else as_text(value)
    if isinstance(value, dict) and len(value) == 1 and value.keys() & _SAYS:
        plain = as_text(next(iter(value.values())))
    if plain is None and isinstance(value, list):
        parts = [as_text(item) for item in value]
        plain = "\n".join(p for p in parts if p is not None) if None not in parts else None
    return _told(value, encode(value) if plain is None else plain, field, path, report)


def _texts(value: Json, field: Field, path: str, report: Report) -> Json:
    spelt = _of_text(value, list)
    if spelt is not None and all(isinstance(item, str) for item in spelt):
        return _told(value, spelt, field, path, report)
    if isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            return value
        return _mended(value, field, path, report)
    if isinstance(value, str):
        items = [value] if value.strip() else []
        if field.kind == "words":
            items = [part.strip() for part in _SEPARATOR.split(value) if part.strip()]
    elif isinstance(value, dict):
        items = [spoken(item) for item in value.values()]
    elif value is None or value is False:
        items = []
    else:
        items = [spoken(value)]
    return _told(value, items, field, path, report)


def _mended(value: list[Json], field: Field, path: str, report: Report) -> list[str]:
    """A list with the items that are texts or can be, and a line that names the others by place."""
    items = [None if one is None else spoken(one) for one in value]
    odd = [index for index, one in enumerate(value) if not isinstance(one, str)]
    report.repair(
        "type_repaired", path, expected=KINDS[field.kind],
        found=listed([(index, word(value[index])) for index in odd]),
        after=listed([(index, NOTHING if items[index] is None else word(items[index]))
                      for index in odd]),
    )  # fmt: skip
    return [item for item in items if item is not None]


def _number(value: Json, field: Field, path: str, report: Report) -> Json:
    if is_number(value):
        return value
    read: int | float | Number | None = None
    if isinstance(value, bool):
        read = int(value)
    elif isinstance(value, str):
        read = number(value.replace("，", "").replace(",", ""))
    return _told(value, _nothing(field) if read is None else read, field, path, report)


def _flag(value: Json, field: Field, path: str, report: Report) -> Json:
    if isinstance(value, bool):
        return value
    read: Json = _nothing(field)
    if is_number(value):
        read = float(value) != 0
    elif isinstance(value, str) and value.strip().lower() in _TRUE | _FALSE and value.strip():
        read = value.strip().lower() in _TRUE
    return _told(value, read, field, path, report)


def _object(value: Json, field: Field, path: str, report: Report) -> Json:
    if isinstance(value, dict):
        return value
    spelt = _of_text(value, dict)
    if spelt is not None:
        return _told(value, spelt, field, path, report)
    return _told(value, {"value": value} if value else {}, field, path, report)


def _ident(value: Json, field: Field, path: str, report: Report) -> Json:
    if isinstance(value, str) or is_number(value):
        return value
    return _told(value, spoken(value), field, path, report)


def _moment(value: Json, field: Field, path: str, report: Report) -> Json:
    read = seconds(value)
    return value if read is value else _told(value, read, field, path, report)


def _languages(given: Json, field: Field, path: str, report: Report) -> Json:
    value = given
    if isinstance(value, dict):
        if all(isinstance(item, str) for item in value.values()):
            return value
        kept = {key: spoken(item) for key, item in value.items() if item is not None}
        return _told(value, kept, field, path, report)
    if isinstance(value, list):
        value = "\n\n".join(filter(None, (spoken(item) for item in value if item is not None)))
    if isinstance(value, str) and value.strip():
        return _told(given, {"en": value}, field, path, report)
    return _told(given, _DROP, field, path, report)


def _of_text(value: Json, kind: type) -> Any:
    """The list or object whose JSON a text is; None where it is a text, or something else."""
    if not isinstance(value, str) or not value.lstrip().startswith("[" if kind is list else "{"):
        return None
    from clew.books.cards.jsontext import parse

    try:
        found = parse(value, "$", Report(), Limits())
    except Refused:
        return None
    return found if isinstance(found, kind) else None


def _book(value: Json, field: Field, path: str, report: Report) -> Json:
    value = _spelt(value, field, path, report)
    if isinstance(value, list):
        value = _told(value, {"entries": value}, field, path, report)
    if not isinstance(value, dict):
        return _told(value, _DROP, field, path, report)
    from clew.books.cards.worldinfo import is_world_info, of_world_info

    if is_world_info(value):
        report.repair("world_info_in_card", path)
        book = of_world_info(value, path, report)
        return {**book.root, **book.data}  # a card has no place beside its lorebook
    return book_data(value, path, report)


def _spelt(value: Json, field: Field, path: str, report: Report) -> Json:
    """What a text spells, where an object or a list should stand and its JSON does."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    from clew.books.cards.jsontext import parse

    own = Report(report.file)
    try:
        found = parse(value, path, own, Limits())
    except Refused:
        return value
    report.absorb(own)
    return _told(value, found, field, path, report)


def _entries(value: Json, field: Field, path: str, report: Report) -> Json:
    rows = value = _spelt(value, field, path, report)
    if isinstance(value, dict):
        rows = []
        for key, row in value.items():
            named = isinstance(row, dict) and row.get("id") is None and row.get("uid") is None
            rows.append(
                {**row, "id": number(key) if number(key) is not None else key} if named else row
            )
        _told(value, rows, field, path, report)
    elif not isinstance(value, list):
        return _told(value, [], field, path, report)
    out = []
    if any(isinstance(row, list) for row in rows):  # entries in groups
        flat = [one for row in rows for one in (row if isinstance(row, list) else [row])]
        count = sum(isinstance(row, list) for row in rows)
        found = Both(f"其中又套着 {count} 个列表", f"a list with {count} lists in it")
        report.repair("type_repaired", path, found=found, expected=KINDS["entries"],
                      after=word(flat))  # fmt: skip
        rows = flat
    for index, row in enumerate(rows):
        place = f"{path}[{index}]"
        if isinstance(row, dict):
            out.append(entry_data(row, place, report))
        elif isinstance(row, str) and row.strip():
            out.append(
                {
                    "keys": [],
                    "content": row,
                    "extensions": {},
                    "enabled": True,
                    "insertion_order": 100,
                }
            )
            report.repair("entry_repaired", place)
        else:
            report.repair("entry_dropped", place, found=word(row))
    return out


def _assets(value: Json, field: Field, path: str, report: Report) -> Json:
    if not isinstance(value, list):
        rows = []
        if isinstance(value, dict):
            single = isinstance(value.get("uri", value.get("type")), str)
            rows = [value] if single else list(value.values())
        elif isinstance(value, str) and value.strip():
            rows = [value]
        return _assets(_told(value, rows, field, path, report), field, path, report)
    out = []
    for index, row in enumerate(value):
        place = f"{path}[{index}]"
        if isinstance(row, str) and row:
            ext = row.rpartition(".")[2].lower()
            portrait = row == "ccdefault:"
            row = {
                "type": "icon" if portrait else "x_unknown",
                "uri": row,
                "name": "main" if portrait else "",
                "ext": ext if ext.isalnum() and len(ext) < 8 else "unknown",
            }
            report.repair(
                "type_repaired",
                place,
                found=word(row["uri"]),
                expected=KINDS["object"],
                after=word(row),
            )
        if not isinstance(row, dict):
            report.repair("entry_dropped", place, found=word(row))
            continue
        wrong = [key for key in ASSET if key in row and not isinstance(row[key], str)]
        out.append(
            {
                **row,
                **{key: _text(row[key], _TEXT, child(place, key), report) for key in wrong},
            }
            if wrong
            else row
        )
    return (
        value
        if len(out) == len(value) and all(a is b for a, b in zip(out, value, strict=True))
        else out
    )


_POSITION: Final = Field("position", "position", 2)


def _position(value: Json, field: Field, path: str, report: Report) -> Json:
    return value  # `_placed` has seen to it


def _renamed(row: dict[str, Any], path: str, report: Report) -> dict[str, Any]:
    """World Info's names for keys, where a V2 entry was written with them."""
    out = row
    for old, new in (
        ("key", "keys"),
        ("keysecondary", "secondary_keys"),
        ("order", "insertion_order"),
    ):
        if old in row and row.get(new) is None:
            out = {new if key == old else key: item for key, item in out.items() if key != new}
            report.repair("key_renamed", path, found=old, after=new)
    if "disable" in row and row.get("enabled") is None:
        out = {**out, "enabled": enabled_by(row["disable"], child(path, "disable"), report)}
        out.pop("disable")
        report.repair("key_renamed", path, found="disable", after="enabled")
    return out


def _placed(row: dict[str, Any], value: Json, path: str, report: Report) -> dict[str, Any]:
    """An entry whose position is none of V2's two words. SillyTavern's numbers go where SillyTavern
    itself writes them, into the extensions; what is unknown goes there too, as it was."""
    place = child(path, "position")
    inner = row.get("extensions")
    if not isinstance(inner, dict):
        inner = {"value": inner} if inner else {}
    if value is False or (isinstance(value, str) and not value.strip()):
        del row["position"]
        _told(value, _DROP, _POSITION, place, report)
        return row
    index = _place(value)
    if index is None:
        del row["position"]
        row["extensions"] = {**inner, "position_as_read": value}
        report.repair("position_moved", place, found=word(value))
        return row
    row["position"] = "before_char" if index == 0 else "after_char"
    if index > 1 and inner.get("position") is None:
        row["extensions"] = {**inner, "position": index}
    _told(value, row["position"], _POSITION, place, report)
    return row


def _place(value: Json) -> int | None:
    """SillyTavern's number of a position, from a number, its text, or a word; None when unknown."""
    if isinstance(value, str):
        word = value.strip().lower().replace("-", "_").replace(" ", "_")
        if word in _PLACES:
            return _PLACES[word]
        value = number(value)
    if not is_number(value):
        return None
    amount = float(value)
    return int(amount) if 0 <= amount <= 7 else None


_READERS: Final[Mapping[str, Callable[[Json, Field, str, Report], Json]]] = {
    "text": _text, "texts": _texts, "words": _texts, "number": _number, "flag": _flag,
    "object": _object, "ident": _ident, "moment": _moment, "languages": _languages, "book": _book,
    "entries": _entries, "assets": _assets, "position": _position,
}  # fmt: skip
