"""Fields and arguments of a profile: their specs checked, and brought into the engine's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.kernel.faults import Both
from clew.sidecar.engine_guards import COUNTED
from clew.sidecar.engine_shape import BAD as NO_DEFAULT
from clew.sidecar.engine_shape import ITEMS, TEXT_CHARS, default_of, lawful
from clew.sidecar.profile_grammar import TYPES
from clew.sidecar.profile_lines import Path
from clew.sidecar.profile_tree import BAD, Sheet

_ALLOWED: Final[dict[str, tuple[str, ...]]] = {
    "int": ("min", "max"),
    "text": ("max",),
    "enum": ("values", "behaves_as"),
    "scale": ("scale",),
    "object": ("fields",),
    "list": ("items", "keep_last", "max"),
    "map": ("items", "max"),
}
_SPECIAL: Final = frozenset(key for keys in _ALLOWED.values() for key in keys)
_SCALARS: Final = ("bool", "int", "text", "slug", "enum", "scale", "date", "stamp")
_DEEPEST: Final = 8


def fields(sheet: Sheet, tree: dict[str, Any]) -> dict[str, Any]:
    """The fields of the state."""
    out = {}
    for name, raw in tree.get("fields", {}).items():
        path: Path = ("fields", name)
        if name in COUNTED or name == "_clew":
            sheet.clash(path, "这个名字留给程序记账用", "this name is kept for the bookkeeping")
            continue
        spec = _spec(sheet, raw, path, tree.get("scales", {}), whole=True)
        if spec is not BAD:
            out[name] = spec
    return out


def arguments(
    sheet: Sheet, raw: Mapping[str, Any], path: Path, scales: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of one event."""
    out = {}
    for name, item in raw.items():
        where = (*path, name)
        if item.get("type") not in _SCALARS:
            _type_fault(sheet, item, where, _SCALARS)
            continue
        spec = _spec(sheet, item, where, scales, whole=False)
        if spec is BAD:
            continue
        if item.get("optional"):
            spec["optional"] = True
        out[name] = spec
    return out


def _type_fault(sheet: Sheet, raw: Mapping[str, Any], path: Path, known: tuple[str, ...]) -> None:
    if "type" in raw:
        kinds = ", ".join(known)
        sheet.value((*path, "type"), raw["type"], Both(kinds, kinds))


def _spec(
    sheet: Sheet,
    raw: Mapping[str, Any],
    path: Path,
    scales: Mapping[str, Any],
    *,
    whole: bool,
    private: bool = False,
) -> Any:
    """One spec. `whole`: it must be able to do without a value from outside."""
    kind = raw.get("type")
    if kind not in TYPES:
        _type_fault(sheet, raw, path, TYPES)
        return BAD
    if len(path) > 2 * _DEEPEST:
        sheet.clash(path, f"嵌套超过 {_DEEPEST} 层", f"nested deeper than {_DEEPEST} levels")
        return BAD
    before = len(sheet.faults)
    for key in raw:
        if key in _SPECIAL and key not in _ALLOWED.get(kind, ()):
            sheet.clash((*path, key), f"{kind} 类型没有 {key}", f"the type {kind} takes no {key}")
    spec: dict[str, Any] = {"type": kind}
    if "about" in raw:
        spec["about"] = raw["about"]
    if raw.get("private") or private:
        spec["private"] = True
    if raw.get("null"):
        spec["null"] = True
    _bounds(sheet, raw, path, spec)
    if kind in ("enum", "scale"):
        _values(sheet, raw, path, scales, spec)
    if kind == "object":
        _members(sheet, raw, path, scales, spec, whole=whole)
    if kind in ("list", "map"):
        _items(sheet, raw, path, scales, spec)
    if len(sheet.faults) > before or not _sound(spec):
        return BAD
    if "default" in raw:
        words = lawful(spec, raw["default"], path[-1] if isinstance(path[-1], str) else "")
        for word in words:
            sheet.value((*path, "default"), raw["default"], Both(word["zh"], word["en"]))
        if words:
            return BAD
        spec["default"] = raw["default"]
    if whole and default_of(spec) is NO_DEFAULT:
        reason = Both(
            "没有值时用什么：default，或 null = true",
            "what it is without a value: default, or null = true",
        )
        sheet.add("profile_missing", (*path, "default"), reason=reason)
        return BAD
    return spec


def _sound(spec: dict[str, Any]) -> bool:
    """Whether all that lies in a spec is right. A member without a type, and a scale with a value
    that is no text, were told already, each in its own place."""
    return (
        spec.get("items") is not BAD
        and BAD not in spec.get("fields", {}).values()
        and BAD not in spec.get("values", ())
    )


def _bounds(sheet: Sheet, raw: Mapping[str, Any], path: Path, spec: dict[str, Any]) -> None:
    kind = spec["type"]
    low, high = raw.get("min"), raw.get("max")
    if kind == "int":
        if low is not None:
            spec["min"] = low
        if high is not None:
            spec["max"] = high
        if low is not None and high is not None and low > high:
            sheet.value(
                (*path, "max"), high, Both(f"不小于 min（{low}）", f"not less than min ({low})")
            )
        return
    most = TEXT_CHARS if kind == "text" else ITEMS
    for key in ("max", "keep_last"):
        number = raw.get(key)
        if number is None:
            continue
        if not 1 <= number <= most:
            sheet.value((*path, key), number, Both(f"1..{most}", f"1..{most}"))
        spec[key] = number
    if "max" in raw and "keep_last" in raw:
        sheet.clash((*path, "max"), "有 keep_last 就不用 max", "keep_last makes max needless")


def _values(
    sheet: Sheet,
    raw: Mapping[str, Any],
    path: Path,
    scales: Mapping[str, Any],
    spec: dict[str, Any],
) -> None:
    if spec["type"] == "scale":
        name = raw.get("scale")
        if name is None:
            sheet.add(
                "profile_missing",
                (*path, "scale"),
                reason=Both("刻度的名字", "the name of its scale"),
            )
        elif name not in scales:
            sheet.name((*path, "scale"), name, scales)
        else:
            spec["values"] = scales[name]
        return
    values = raw.get("values")
    if values is None:
        sheet.add(
            "profile_missing",
            (*path, "values"),
            reason=Both("枚举的取值", "the values of the enum"),
        )
        return
    if not values or len(set(map(str, values))) < len(values):
        sheet.value(
            (*path, "values"), "[…]", Both("至少一个、互不相同", "at least one, all different")
        )
    spec["values"] = values
    alias = raw.get("behaves_as", {})
    for key, other in alias.items():
        for found in (key, other):
            if found not in values:
                sheet.name((*path, "behaves_as", key), found, values)
    if alias:
        spec["behaves_as"] = alias


def _members(
    sheet: Sheet,
    raw: Mapping[str, Any],
    path: Path,
    scales: Mapping[str, Any],
    spec: dict[str, Any],
    *,
    whole: bool,
) -> None:
    if not raw.get("fields"):
        sheet.add(
            "profile_missing",
            (*path, "fields"),
            reason=Both("对象的成员", "the members of the object"),
        )
        return
    private = bool(spec.get("private"))
    members = {}
    # An object that may be null or has a default of its own needs none of its members.
    needs = whole and not spec.get("null") and "default" not in raw
    for name, item in raw["fields"].items():
        where = (*path, "fields", name)
        made = _spec(sheet, item, where, scales, whole=needs, private=private)
        members[name] = made
    spec["fields"] = members


def _items(
    sheet: Sheet,
    raw: Mapping[str, Any],
    path: Path,
    scales: Mapping[str, Any],
    spec: dict[str, Any],
) -> None:
    if "items" not in raw:
        sheet.add(
            "profile_missing",
            (*path, "items"),
            reason=Both("每一项的类型", "the type of each item"),
        )
        return
    private = bool(spec.get("private"))
    spec["items"] = _spec(
        sheet, raw["items"], (*path, "items"), scales, whole=False, private=private
    )


def scales(sheet: Sheet, tree: dict[str, Any]) -> None:
    """Scales have at least two values, all different."""
    for name, values in tree.get("scales", {}).items():
        if len(values) < 2 or len(set(map(str, values))) < len(values):
            path: Path = ("scales", name)
            sheet.value(
                path, "[…]", Both("至少两个、互不相同的值", "at least two values, all different")
            )
