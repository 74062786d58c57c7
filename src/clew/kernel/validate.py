"""`validate(data, Type)`: every fault at once, each with its JSON path.

Walks the same msgspec types that decode our own state, so that a format is written down once.
The rules that msgspec has no word for stand in `Meta(extra=…)`, made by the functions below
(`text`, `name`, `ident`, `choice` …). What is right survives even where a neighbour is wrong: the
rooms' rules judge the rest of the same input and add their faults to the same answer.

Separate from `faults`, which the sidecar bundle carries without msgspec.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from clew.kernel.document import child
from clew.kernel.faults import Both, Fault
from clew.kernel.text import (
    NAME_BYTES,
    byte_length,
    clean,
    cut_chars,
    has_surrogate,
    name_fault,
    nfc,
    portable_key,
)

Check = Callable[[Any, str, list[Fault]], Any]
"""Judges one value at a path: returns it cleaned, or `BAD` after adding to the faults."""


class _Bad:
    def __repr__(self) -> str:
        return "BAD"


BAD: Final[Any] = _Bad()


def text(max_bytes: int) -> Meta:
    """Cleaned, not empty, at most `max_bytes` of UTF-8."""
    return Meta(extra={"text": max_bytes})


def name() -> Meta:
    """A safe file component: cleaned, NFC, at most 180 bytes, allowed on every system."""
    return Meta(extra={"name": True})


def ident(pattern: str, shown: str, max_bytes: int = 24) -> Meta:
    """An id that matches `pattern` whole (ASCII); `shown` says so to people."""
    return Meta(extra={"ident": pattern, "shown": shown, "max_bytes": max_bytes})


def items(most: int | None = None, *, unique: str | None = None) -> Meta:
    """A list of at most `most` items. `unique`: `""` compares the items as names, a field name
    compares that field of each (a `name` by its portable key)."""
    return Meta(extra={"items": most, "unique": unique})


def keys(kind: str) -> Meta:
    """Keys of a map: `name`, or the pattern that each must match whole."""
    return Meta(extra={"keys": kind})


def validate(data: Any, kind: Any, path: str = "$") -> tuple[Any, list[Fault]]:
    """Judge `data` against a type. Returns plain cleaned data and the faults.

    Without faults `msgspec.convert(value, kind)` cannot fail. With faults the value is what was
    right: wrong members are left out of objects; in lists `BAD` keeps their places, so that
    positions still tell where an item stands.
    """
    faults: list[Fault] = []
    return _check_of(kind)(data, path, faults), faults


@lru_cache(maxsize=512)
def _check_of(kind: Any) -> Check:
    extra: dict[str, Any] = {}
    meta: Meta | None = None
    while get_origin(kind) is Annotated:
        kind, *annotations = get_args(kind)
        for found in annotations:
            if isinstance(found, Meta):
                meta = found
                extra |= found.extra or {}
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _optional(kind)
    if origin is Literal:
        return _choice(get_args(kind))
    if origin is list:
        return _list(get_args(kind)[0], extra)
    if origin is dict:
        return _map(get_args(kind)[1], extra)
    if kind is int:
        return _integer(meta)
    if kind is bool:
        return _boolean
    if kind is str:
        return _string(extra)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind)
    raise TypeError(f"validate has no rule for {kind!r}")


def _wrong(faults: list[Fault], path: str, expected: str, value: Any) -> Any:
    faults.append(Fault("wrong_type", path, expected=expected, found=_json_kind(value)))
    return BAD


def _json_kind(value: Any) -> str:
    for kind, word in ((bool, "boolean"), (str, "string"), (int, "integer"), (float, "number"),
                       (dict, "object"), (list, "array")):  # fmt: skip
        if isinstance(value, kind):
            return word
    return "null" if value is None else type(value).__name__


def _expected(kind: Any) -> str:
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return " | ".join(_expected(k) for k in get_args(kind))
    if origin is Literal:
        return " | ".join(str(v) for v in get_args(kind))
    words = {int: "integer", str: "string", bool: "boolean", types.NoneType: "null"}
    if kind in words:
        return words[kind]
    return "array" if origin is list else "object"


def _optional(kind: Any) -> Check:
    inner = [k for k in get_args(kind) if k is not types.NoneType]
    if len(inner) != 1:
        raise TypeError(f"validate has no rule for {kind!r}")
    check = _check_of(inner[0])

    def run(value: Any, path: str, faults: list[Fault]) -> Any:
        return None if value is None else check(value, path, faults)

    return run


def _choice(allowed: tuple[Any, ...]) -> Check:
    numbers = all(isinstance(a, int) for a in allowed)

    def run(value: Any, path: str, faults: list[Fault]) -> Any:
        if isinstance(value, bool) or not isinstance(value, int if numbers else str):
            return _wrong(faults, path, " | ".join(str(a) for a in allowed), value)
        found = clean(value) if isinstance(value, str) else value
        if found in allowed:
            return found
        faults.append(Fault("not_allowed", path, found=found, allowed=list(allowed)))
        return BAD

    return run


def _integer(meta: Meta | None) -> Check:
    low = meta.ge if meta else None
    high = meta.le if meta else None

    def run(value: Any, path: str, faults: list[Fault]) -> Any:
        if isinstance(value, bool) or not isinstance(value, int):
            return _wrong(faults, path, "integer", value)
        if (low is not None and value < low) or (high is not None and value > high):
            span = (
                f"<= {high}" if low is None else f">= {low}" if high is None else f"{low}..{high}"
            )
            faults.append(Fault("out_of_range", path, found=value, allowed=span))
            return BAD
        return value

    return run


def _boolean(value: Any, path: str, faults: list[Fault]) -> Any:
    return value if isinstance(value, bool) else _wrong(faults, path, "boolean", value)


def _string(extra: Mapping[str, Any]) -> Check:
    if "ident" in extra:
        pattern = re.compile(extra["ident"], re.ASCII)
        shown, cap = extra["shown"], extra["max_bytes"]
    else:
        pattern, shown, cap = None, "", extra.get("text")
    if "name" in extra:
        cap = NAME_BYTES

    def run(value: Any, path: str, faults: list[Fault]) -> Any:
        if not isinstance(value, str):
            return _wrong(faults, path, "string", value)
        if has_surrogate(value):
            faults.append(Fault("bad_text", path))
            return BAD
        found = clean(value)
        if not found:
            faults.append(Fault("empty_text", path))
            return BAD
        if pattern is not None and (not pattern.fullmatch(found) or byte_length(found) > cap):
            faults.append(Fault("bad_id", path, found=found, allowed=shown))
            return BAD
        if "name" in extra:
            found = nfc(found)
        size = byte_length(found)
        if cap is not None and size > cap:
            cut = cut_chars(found, cap)
            faults.append(Fault("text_too_long", path, found=size, limit=cap, cut_chars=cut))
            return BAD
        if "name" in extra:
            reason = name_fault(found)
            if reason is not None:
                faults.append(Fault("bad_name", path, found=found, reason=Both(*reason)))
                return BAD
        return found

    return run


def _list(kind: Any, extra: Mapping[str, Any]) -> Check:
    check = _check_of(kind)
    most, unique = extra.get("items"), extra.get("unique")

    def run(value: Any, path: str, faults: list[Fault]) -> Any:
        if not isinstance(value, list):
            return _wrong(faults, path, "array", value)
        if most is not None and len(value) > most:
            faults.append(Fault("too_many_items", path, found=len(value), limit=most))
        out = []
        seen: set[str] = set()
        for index, item in enumerate(value):
            here = child(path, index)
            good = check(item, here, faults)
            out.append(good)
            if good is BAD:
                continue
            if unique is not None:
                word = good if unique == "" else good.get(unique)
                if isinstance(word, str):
                    key = portable_key(word)
                    if key in seen:
                        place = here if unique == "" else child(here, unique)
                        faults.append(Fault("duplicate_item", place, found=word))
                    seen.add(key)
        return out

    return run


def _map(kind: Any, extra: Mapping[str, Any]) -> Check:
    check = _check_of(kind)
    rule = extra.get("keys")
    key_check = _string({"name": True}) if rule == "name" else None
    pattern = re.compile(rule, re.ASCII) if rule and rule != "name" else None

    def run(value: Any, path: str, faults: list[Fault]) -> Any:
        if not isinstance(value, dict):
            return _wrong(faults, path, "object", value)
        out: dict[str, Any] = {}
        seen: set[str] = set()
        for raw, item in value.items():
            here = child(path, raw)
            key = raw
            if key_check is not None:
                key = key_check(raw, here, faults)
            elif pattern is not None and not pattern.fullmatch(raw):
                faults.append(Fault("bad_id", here, found=raw, allowed=pattern.pattern))
                key = BAD
            good = check(item, here, faults)
            if key is BAD or good is BAD:
                continue
            if portable_key(key) in seen:
                faults.append(Fault("duplicate_item", here, found=key))
                continue
            seen.add(portable_key(key))
            out[key] = good
        return out

    return run


def _struct(kind: type[msgspec.Struct]) -> Check:
    plan: dict[str, tuple[Check, bool, str, str]] = {}
    for field in msgspec.structs.fields(kind):
        name = field.encode_name
        # The end of the path once for all: most of judging a transaction was making paths.
        end = child("", name)
        plan[name] = (_check_of(field.type), field.required, _expected(field.type), end)
    allowed = list(plan)

    def run(value: Any, path: str, faults: list[Fault]) -> Any:
        if not isinstance(value, dict):
            return _wrong(faults, path, "object", value)
        parent = path[2:] if path.startswith("$.") else "$"
        for key in value:
            if key not in plan:
                fault = Fault("unknown_field", child(path, key), parent=parent, name=key,
                              allowed=allowed)  # fmt: skip
                faults.append(fault)
        out: dict[str, Any] = {}
        for key, (check, required, expected, end) in plan.items():
            if key not in value:
                if required:
                    faults.append(Fault("missing_field", path + end, expected=expected))
                continue
            good = check(value[key], path + end, faults)
            if good is not BAD:
                out[key] = good
        return out

    return run
