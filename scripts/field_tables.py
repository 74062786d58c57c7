"""Tables of the fields of a type: name, kind, limits, default. Read off the same msgspec types that
decode and judge the documents, so that the tables cannot say anything else. Pure.
"""

from __future__ import annotations

import types
from importlib import import_module
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from pages import cell

from clew.kernel.text import NAME_BYTES

_PLAIN: Final = {
    str: "text", int: "integer", bool: "true or false", float: "number", bytes: "bytes",
    types.NoneType: "null", Any: "any",
}  # fmt: skip


def type_named(place: str) -> type[msgspec.Struct]:
    """The type at `module:Name`."""
    module, name = place.split(":")
    found = getattr(import_module(module), name)
    if not (isinstance(found, type) and issubclass(found, msgspec.Struct)):
        raise TypeError(f"{place} is no struct")
    return found


def table(kind: type[msgspec.Struct]) -> str:
    """The fields of a type, in the order in which it declares them."""
    hints = get_type_hints(kind, include_extras=True)
    rows = ["| field | kind | limits | if left out |", "|---|---|---|---|"]
    for field in msgspec.structs.fields(kind):
        word, limits = describe(hints[field.name])
        default = "refused" if field.required else _default(field)
        rows.append(f"| `{field.encode_name}` | {cell(word)} | {cell(limits)} | {default} |")
    return "\n".join(rows)


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.default is msgspec.UNSET:
        return "not there"
    value = field.default
    if value is msgspec.NODEFAULT:
        value = field.default_factory() if callable(field.default_factory) else None
    return f"`{msgspec.json.encode(value).decode()}`"


def describe(hint: Any) -> tuple[str, str]:
    """What a field holds, and its limits, in words."""
    extra: dict[str, Any] = {}
    limits: list[str] = []
    while get_origin(hint) is Annotated:
        hint, *metas = get_args(hint)
        for meta in metas:
            if isinstance(meta, msgspec.Meta):
                extra |= meta.extra or {}
                limits += _bounds(meta)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        parts = [describe(k) for k in args if k is not msgspec.UnsetType]
        return " or ".join(w for w, _ in parts), "; ".join(t for _, t in parts if t)
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in args), ""
    if origin in (list, tuple):
        inner = [describe(k) for k in args if k is not Ellipsis]
        word = f"list of {' and '.join(dict.fromkeys(w for w, _ in inner))}"
        return word, "; ".join([*_items(extra), *_each(inner), *limits])
    if origin is dict:
        word, inner_limits = describe(args[1])
        return f"object: {_keys(extra)} → {word}", inner_limits
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint.__name__, ""
    return _scalar(hint, extra, limits)


def _scalar(hint: Any, extra: dict[str, Any], limits: list[str]) -> tuple[str, str]:
    if "ident" in extra:
        return "id", str(extra["shown"])
    if "name" in extra:
        return "name", f"≤ {NAME_BYTES} bytes, safe as a file name"
    if "text" in extra:
        return "text", f"≤ {extra['text']} bytes"
    return _PLAIN.get(hint, str(getattr(hint, "__name__", hint))), "; ".join(limits)


def _bounds(meta: msgspec.Meta) -> list[str]:
    if meta.ge is not None and meta.le is not None:
        return [f"{meta.ge} … {meta.le}"]
    return [f"≥ {meta.ge}"] if meta.ge is not None else []


def _items(extra: dict[str, Any]) -> list[str]:
    out = [f"≤ {extra['items']} items"] if extra.get("items") is not None else []
    unique = extra.get("unique")
    if unique is not None:
        out.append(f"unique by `{unique}`" if unique else "unique")
    return out


def _each(inner: list[tuple[str, str]]) -> list[str]:
    return [f"each {text}" for text in dict.fromkeys(t for _, t in inner) if text]


def _keys(extra: dict[str, Any]) -> str:
    rule = extra.get("keys")
    return "name" if rule == "name" else f"`{rule}`" if rule else "key"
