"""Values and conditions of a profile: checked against the fields and arguments that they name, and
brought into the form that the engine reads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from clew.kernel.faults import Both
from clew.sidecar.engine_shape import lawful
from clew.sidecar.engine_values import spec_at
from clew.sidecar.engine_words import kind_of
from clew.sidecar.profile_grammar import OPERATORS, VALUES
from clew.sidecar.profile_lines import Path
from clew.sidecar.profile_tree import BAD, Sheet

Spec = Mapping[str, Any]

LITERAL: Final[Spec] = {"type": "literal"}
INT: Final[Spec] = {"type": "int"}
DATE: Final[Spec] = {"type": "date", "null": True}
_ORDERED: Final = ("int", "date", "stamp")
_CLASSES: Final = {
    "bool": "boolean", "int": "integer", "date": "date", "stamp": "stamp",
    "object": "object", "list": "list", "map": "map",
}  # fmt: skip


class Names:
    """What values and conditions can name at one place of a profile."""

    def __init__(
        self,
        sheet: Sheet,
        fields: dict[str, Any],
        args: Mapping[str, Spec] | None = None,
        *,
        told: Collection[str] = (),
        told_args: Collection[str] = (),
    ) -> None:
        self.sheet = sheet
        self.fields = fields
        self.args = args
        self.told = told
        self.told_args = told_args

    def field(self, name: Any, path: Path) -> Any:
        """The spec of a field, or `BAD` after a fault. What names a field that is declared wrongly
        (`told`) is no fault of its own."""
        if not isinstance(name, str):
            self.sheet.value(path, name, Both("字段名", "the name of a field"))
            return BAD
        spec, _ = spec_at({"fields": self.fields}, name)
        if spec is None:
            if name.partition(".")[0] not in self.told:
                self.sheet.name(path, name, self.fields)
            return BAD
        return spec


def kind(spec: Spec) -> str:
    """The kind of a spec for comparing: enums, scales, slugs and texts are all texts."""
    return _CLASSES.get(spec["type"], "text")


def value(names: Names, raw: Any, path: Path) -> tuple[Any, Any]:
    """A value in the engine's form, and its spec; `(BAD, BAD)` after faults."""
    if not isinstance(raw, dict):
        if isinstance(raw, bool | int | str):
            return raw, LITERAL
        names.sheet.value(path, raw, Both("值", "a value"))
        return BAD, BAD
    forms = [name for name in VALUES if name in raw]
    if len(forms) != 1:
        names.sheet.clash(
            path,
            f"值必须恰有一种写法：{'、'.join(VALUES)}",
            f"a value has exactly one of: {', '.join(VALUES)}",
        )
        return BAD, BAD
    form = forms[0]
    extra = [key for key in raw if key != form and key not in VALUES[form][2]]
    for key in extra:
        names.sheet.add("profile_key", (*path, key), allowed=(form, *VALUES[form][2]))
    made = _FORMS[form](names, raw, (*path, form))
    return (BAD, BAD) if extra else made


def fits(
    names: Names, path: Path, target: Spec, made: Any, spec: Any, *, args: bool = True
) -> bool:
    """Whether a value can stand where `target` is wanted; adds a fault when it cannot."""
    if made is BAD:
        return False
    if spec is LITERAL:
        words = lawful(dict(target), made, path[-1] if isinstance(path[-1], str) else "")
        for word in words:
            names.sheet.value(path, made, Both(word["zh"], word["en"]))
        return not words
    if kind(spec) != kind(target):
        shown = f"{kind(target)}"
        names.sheet.value(path, kind(spec), Both(shown, shown))
        return False
    return True


def amount(names: Names, raw: Any, path: Path) -> Any:
    """A value that must be an integer."""
    made, spec = value(names, raw, path)
    return made if fits(names, path, INT, made, spec) else BAD


def _arg(names: Names, raw: dict[str, Any], path: Path) -> tuple[Any, Any]:
    known = names.args
    name = raw["arg"]
    if known is None:
        names.sheet.clash(path, "这里没有参数可用", "there are no arguments here")
        return BAD, BAD
    if isinstance(name, str) and name in names.told_args:
        return BAD, BAD
    if not isinstance(name, str) or name not in known:
        names.sheet.name(path, str(name), known)
        return BAD, BAD
    return {"arg": name}, known[name]


def _field(names: Names, raw: dict[str, Any], path: Path) -> tuple[Any, Any]:
    spec = names.field(raw["field"], path)
    if spec is BAD:
        return BAD, BAD
    made: dict[str, Any] = {"field": raw["field"]}
    if "key" in raw:
        if spec["type"] != "map":
            names.sheet.value(path, raw["field"], Both("映射字段", "a map"))
            return BAD, BAD
        key, key_spec = value(names, raw["key"], (*path[:-1], "key"))
        if not fits(names, (*path[:-1], "key"), {"type": "text"}, key, key_spec):
            return BAD, BAD
        made["key"] = key
        return made, spec["items"]
    if "behaves_as" in spec:
        made["behaves_as"] = spec["behaves_as"]
    return made, spec


def _count(names: Names, raw: dict[str, Any], path: Path) -> tuple[Any, Any]:
    spec = names.field(raw["count"], path)
    if spec is BAD:
        return BAD, BAD
    if spec["type"] not in ("list", "map"):
        names.sheet.value(path, raw["count"], Both("列表或映射", "a list or a map"))
        return BAD, BAD
    return {"count": raw["count"]}, INT


def member_of(names: Names, raw: Any, path: Path) -> tuple[str, str | None, Any]:
    """`list.member` or `list`: the list's path, the member, and the spec of what is found."""
    text = raw if isinstance(raw, str) else ""
    for where, member in ((text, None), tuple(text.rpartition(".")[::2])):
        spec, _ = spec_at({"fields": names.fields}, where or "")
        if spec is None or spec["type"] != "list" or not where:
            continue
        items = spec["items"]
        if member is None:
            return where, None, items
        if items["type"] == "object" and member in items["fields"]:
            return where, member, items["fields"][member]
    if text.partition(".")[0] in names.told:
        return "", None, BAD
    names.sheet.value(path, raw, Both("列表，或 列表.成员", "a list, or list.member"))
    return "", None, BAD


def _latest(names: Names, raw: dict[str, Any], path: Path) -> tuple[Any, Any]:
    where, member, spec = member_of(names, raw["latest"], path)
    if spec is BAD:
        return BAD, BAD
    made: dict[str, Any] = {"latest": where}
    if member is not None:
        made["member"] = member
    if "or" in raw:
        other, other_spec = value(names, raw["or"], (*path[:-1], "or"))
        if not fits(names, (*path[:-1], "or"), spec, other, other_spec):
            return BAD, BAD
        made["or"] = other
    return made, spec


def _numbers(form: str, least: int) -> Any:
    def work(names: Names, raw: dict[str, Any], path: Path) -> tuple[Any, Any]:
        items = raw[form]
        if not isinstance(items, list) or len(items) < least:
            text = Both(f"至少 {least} 个数的列表", f"a list of at least {least} numbers")
            names.sheet.value(path, items, text)
            return BAD, BAD
        made = [amount(names, item, (*path, at)) for at, item in enumerate(items)]
        return (BAD, BAD) if any(item is BAD for item in made) else ({form: made}, INT)

    return work


def _days(names: Names, raw: dict[str, Any], path: Path) -> tuple[Any, Any]:
    items = raw["days"]
    if not isinstance(items, list) or len(items) != 2:
        names.sheet.value(path, items, Both("[一天, 另一天]", "[one day, another]"))
        return BAD, BAD
    made = [_day(names, item, (*path, at)) for at, item in enumerate(items)]
    return (BAD, BAD) if any(item is BAD for item in made) else ({"days": made}, INT)


def _monday(names: Names, raw: dict[str, Any], path: Path) -> tuple[Any, Any]:
    made = _day(names, raw["monday"], path)
    return (BAD, BAD) if made is BAD else ({"monday": made}, DATE)


def _day(names: Names, raw: Any, path: Path) -> Any:
    made, spec = value(names, raw, path)
    return made if fits(names, path, DATE, made, spec) else BAD


_FORMS: Final[dict[str, Any]] = {
    "arg": _arg, "field": _field, "count": _count, "latest": _latest,
    "plus": _numbers("plus", 1), "minus": _numbers("minus", 2),
    "min": _numbers("min", 1), "max": _numbers("max", 1), "days": _days, "monday": _monday,
}  # fmt: skip


def condition(names: Names, raw: Any, path: Path) -> Any:
    """A condition in the engine's form, or `BAD` after faults."""
    if not isinstance(raw, dict):
        names.sheet.value(path, raw, Both("条件", "a condition"))
        return BAD
    joined = [key for key in ("all", "any", "not") if key in raw]
    if joined:
        return _joined(names, raw, path, joined[0])
    operators = [key for key in raw if key in OPERATORS]
    subject = {key: item for key, item in raw.items() if key not in OPERATORS}
    if not subject or not operators:
        names.sheet.clash(
            path,
            "条件要有一个值和至少一个比较：" + "、".join(OPERATORS),
            "a condition has a value and at least one of: " + ", ".join(OPERATORS),
        )
        return BAD
    made, spec = value(names, subject, path)
    if made is BAD:
        return BAD
    out: dict[str, Any] = {"of": made}
    for name in operators:
        other = _compared(names, name, raw[name], (*path, name), spec)
        if other is BAD:
            return BAD
        out[name] = other
    return out


def _joined(names: Names, raw: dict[str, Any], path: Path, key: str) -> Any:
    for other in raw:
        if other != key:
            names.sheet.add("profile_key", (*path, other), allowed=(key,))
    if key == "not":
        made = condition(names, raw[key], (*path, key))
        return BAD if made is BAD or len(raw) > 1 else {"not": made}
    items = raw[key]
    if not isinstance(items, list) or not items:
        names.sheet.value((*path, key), items, Both("条件的列表", "a list of conditions"))
        return BAD
    parts = [condition(names, item, (*path, key, at)) for at, item in enumerate(items)]
    return BAD if any(part is BAD for part in parts) or len(raw) > 1 else {key: parts}


def _compared(names: Names, name: str, raw: Any, path: Path, spec: Spec) -> Any:
    if name == "null":
        if isinstance(raw, bool):
            return raw
        names.sheet.value(path, raw, Both("true 或 false", "true or false"))
        return BAD
    if name == "in":
        if not isinstance(raw, list) or not raw:
            names.sheet.value(path, raw, Both("值的列表", "a list of values"))
            return BAD
        fine = [fits(names, (*path, at), spec, item, LITERAL) for at, item in enumerate(raw)]
        return raw if all(fine) else BAD
    if name in ("ge", "gt", "le", "lt") and spec["type"] not in _ORDERED:
        text = Both("整数或日期才能比大小", "only integers and days are ordered")
        names.sheet.value(path, kind_of(raw), text)
        return BAD
    made, other = value(names, raw, path)
    if other is LITERAL and spec["type"] == "int":
        spec = INT  # a bound outside the field's own is no mistake
    return made if fits(names, path, spec, made, other) else BAD


def fields_of(condition_made: Any) -> set[str]:
    """Every field that a compiled condition or value reads."""
    found: set[str] = set()
    if isinstance(condition_made, dict):
        for key in ("field", "count", "latest"):
            if isinstance(condition_made.get(key), str):
                found.add(condition_made[key])
        for item in condition_made.values():
            found |= fields_of(item)
    elif isinstance(condition_made, list):
        for item in condition_made:
            found |= fields_of(item)
    return found


def decided(condition_made: Any, known: Mapping[str, Any]) -> bool | None:
    """What a condition comes to when only `known` fields are known; None when that is open."""
    if condition_made is None:
        return True
    for key in ("all", "any"):
        if key in condition_made:
            parts = [decided(item, known) for item in condition_made[key]]
            end = key == "any"
            return end if end in parts else None if None in parts else not end
    if "not" in condition_made:
        inner = decided(condition_made["not"], known)
        return None if inner is None else not inner
    if fields_of(condition_made) <= set(known):
        from clew.sidecar.engine_values import Scene, holds, put

        state: dict[str, Any] = {}
        for path, fact in known.items():
            put(state, path.split("."), fact)
        return holds(Scene({}, state, {}), condition_made)
    return None
