"""The parts of a profile that own fields: the special ones, phases, stocks, ledgers, guards.

Each field with an owner is changed by its owner only; `Owners` knows them and says why not.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from clew.kernel.faults import Both
from clew.sidecar.engine_guards import COUNTED
from clew.sidecar.engine_values import spec_at
from clew.sidecar.profile_lines import Path
from clew.sidecar.profile_tree import BAD, Sheet
from clew.sidecar.profile_values import Names, Spec, condition, member_of

_LEDGER: Final = ("purse", "earned", "spent", "debt", "borrowed", "repaid")


class Owners:
    """Who changes a field, by its path."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._owned: dict[str, tuple[str, str]] = {}

    def take(self, field: str, zh: str, en: str, path: Path) -> None:
        """Give a field an owner; a second one is a fault."""
        other = self.of(field)
        if other is not None:
            self._sheet.clash(
                path, f"{field} 已经归{other[0]}管", f"{field} belongs to {other[1]} already"
            )
        self._owned[field] = (zh, en)

    def of(self, field: str) -> tuple[str, str] | None:
        """The owner of a field, or of what contains it or lies in it."""
        for owned, owner in self._owned.items():
            if _meet(owned, field):
                return owner
        return None

    def free(self, field: str, path: Path) -> bool:
        """Whether anybody may change it; a fault when not."""
        owner = self.of(field)
        if owner is not None:
            self._sheet.clash(
                path,
                f"{field} 归{owner[0]}管，不能在这里改",
                f"{field} belongs to {owner[1]} and cannot be changed here",
            )
        return owner is None


def _meet(one: str, other: str) -> bool:
    return one == other or one.startswith(other + ".") or other.startswith(one + ".")


def never_null(spec: Spec) -> bool:
    """Whether a field always has a value."""
    return not spec.get("null")


def _any(spec: Spec) -> bool:
    return True


def _switch(spec: Spec) -> bool:
    return not spec.get("null") and not spec.get("default")


def _amount(spec: Spec) -> bool:
    return spec.get("min") == 0 and "max" not in spec and not spec.get("null")


def _turn(spec: Spec) -> bool:
    return spec.get("min") == 0 and "max" not in spec and bool(spec.get("null"))


def shows(values: list[str]) -> Callable[[Spec], bool]:
    """For the fields of a stock: never null, and of the stock's scale where they are of a scale."""

    def fine(spec: Spec) -> bool:
        shown = spec["items"] if spec["type"] == "map" else spec
        scaled = spec["type"] == "text" or shown.get("values") == values
        return not spec.get("null") and not shown.get("null") and scaled

    return fine


class Parts:
    """Compiles the parts one after the other; each looks only at what is there."""

    def __init__(self, sheet: Sheet, tree: dict[str, Any], fields: dict[str, Any]) -> None:
        self.sheet = sheet
        self.tree = tree
        self.fields = fields
        self.told = set(tree.get("fields", {})) - set(fields)
        """Fields that are declared wrongly; a fault says so already."""
        self.names = Names(sheet, fields, told=self.told)
        self.owners = Owners(sheet)

    def typed(
        self,
        field: str,
        path: Path,
        types: tuple[str, ...],
        text: Both,
        fine: Callable[[Spec], bool] = _any,
    ) -> Any:
        """The spec of a field that must be of one of the types, and `fine`; or `BAD`. Such a field
        is always there: nothing that it lies in can be null."""
        spec = self.names.field(field, path)
        if spec is BAD:
            return BAD
        keys = field.split(".")
        above = (
            spec_at({"fields": self.fields}, ".".join(keys[:at]))[0] for at in range(1, len(keys))
        )
        if (
            spec["type"] not in types
            or not fine(spec)
            or any(
                other is None or other["type"] != "object" or other.get("null") for other in above
            )
        ):
            self.sheet.value(path, field, text)
            return BAD
        return spec

    def special(self) -> dict[str, Any]:
        """The fields with a part of their own, from `[profile]`."""
        out: dict[str, Any] = {}
        for key, types, text, fine, owner in (
            (
                "active",
                ("bool",),
                Both(
                    "顶层的布尔字段，默认 false、不为 null：没有同意就不启用",
                    "a bool field at the top, false by default and never null: nothing runs before "
                    "an opt-in",
                ),
                _switch,
                ("启用开关（opt_in、opt_out）", "the switch (opt_in, opt_out)"),
            ),
            (
                "updated",
                ("stamp",),
                Both("stamp 字段", "a stamp field"),
                _any,
                ("程序（每次改动时写）", "the program, at every change"),
            ),
            ("turns_from", ("int",), Both("整数字段", "an int field"), _any, None),
        ):
            field, path = self.tree.get("profile", {}).get(key), ("profile", key)
            if field is None or self.typed(field, path, types, text, fine) is BAD:
                continue
            if key == "active" and "." in field:
                self.sheet.value(path, field, text)
            out[key] = field
            if owner is not None:
                self.owners.take(field, *owner, path)
        return out

    def phases(self) -> list[dict[str, Any]]:
        """Phase fields, in the order in which they are looked at."""
        out = []
        for name, steps in self.tree.get("phases", {}).items():
            path: Path = ("phases", name)
            spec = self.typed(name, path, ("enum",), Both("枚举字段", "an enum field"))
            if spec is BAD:
                continue
            if spec.get("null"):
                self.sheet.clash(path, "阶段字段不能为 null", "a phase field is never null")
            self.owners.take(name, "阶段", "its phases", path)
            made = []
            for value, raw in steps.items():
                if value not in spec["values"]:
                    self.sheet.name((*path, value), value, spec["values"])
                    continue
                when = condition(self.names, raw, (*path, value))
                if when is not BAD:
                    made.append({"to": value, "when": when})
            made.sort(key=lambda step: spec["values"].index(step["to"]))
            out.append({"field": name, "values": spec["values"], "steps": made})
        return out

    def stocks(self) -> dict[str, Any]:
        """Stocks, each with its scale's values."""
        return {
            name: made
            for name, raw in self.tree.get("stocks", {}).items()
            if (made := self._stock(name, raw, ("stocks", name))) is not None
        }

    def _stock(self, name: str, raw: dict[str, Any], path: Path) -> dict[str, Any] | None:
        before = len(self.sheet.faults)
        scales = self.tree.get("scales", {})
        scale = raw.get("scale")
        values = scales.get(scale, [])
        if scale is not None and scale not in scales:
            self.sheet.name((*path, "scale"), scale, scales)
        steps, size = raw.get("from", []), raw.get("size", 1)
        falling = all(isinstance(step, int) for step in steps) and all(
            one > other for one, other in pairwise(steps)
        )
        if values and (len(steps) != len(values) or not falling or steps[-1] != 0):
            text = Both(
                f"{len(values)} 个递减的整数，最后是 0",
                f"{len(values)} falling integers, the last of them 0",
            )
            self.sheet.value((*path, "from"), str(steps), text)
        elif steps and not steps[0] <= size <= 1_000_000:
            self.sheet.value(
                (*path, "size"), size, Both(f"{steps[0]}..1000000", f"{steps[0]}..1000000")
            )
        for key, types, text in (
            ("kind", ("text",), Both("文字字段，不为 null", "a text field, never null")),
            ("left", ("scale",), Both("刻度字段，不为 null", "a field with the scale, never null")),
            ("shelf", ("map",), Both("刻度的映射，不为 null", "a map of the scale, never null")),
        ):
            if key not in raw:
                continue
            if self.typed(raw[key], (*path, key), types, text, shows(values)) is not BAD:
                self.owners.take(raw[key], f"库存 {name}", f"the stock {name}", (*path, key))
        if "main" in raw:
            text = Both("文字字段，不为 null", "a text field, never null")
            self.typed(raw["main"], (*path, "main"), ("text",), text, never_null)
        needed = ("size", "from", "kind", "left", "shelf")
        if len(self.sheet.faults) > before or not {*needed, "scale"} <= set(raw):
            return None
        more = {"main": raw["main"]} if "main" in raw else {}
        return {**{key: raw[key] for key in needed}, **more, "values": values}

    def ledgers(self) -> dict[str, Any]:
        """Ledgers, each a name for its fields."""
        out = {}
        for name, raw in self.tree.get("ledgers", {}).items():
            path: Path = ("ledgers", name)
            made: dict[str, Any] = {}
            for part in _LEDGER:
                if part not in raw:
                    continue
                where = (*path, part)
                text = Both("整数字段，min = 0，没有 max", "an int field with min = 0 and no max")
                if self.typed(raw[part], where, ("int",), text, _amount) is BAD:
                    continue
                self.owners.take(raw[part], f"账目 {name}", f"the ledger {name}", where)
                made[part] = raw[part]
            owed = [part for part in ("debt", "borrowed", "repaid") if part in raw]
            if 0 < len(owed) < 3:
                self.sheet.clash(
                    path,
                    "debt、borrowed、repaid 要么都写，要么都不写",
                    "debt, borrowed and repaid come together or not at all",
                )
            if "spent_from" in raw:
                where = (*path, "spent_from")
                source, member, spec = member_of(self.names, raw["spent_from"], where)
                if spec is not BAD and (member is None or spec["type"] != "int"):
                    self.sheet.value(
                        where, raw["spent_from"], Both("列表.整数成员", "list.int member")
                    )
                made["spent_from"] = {"list": source, "member": member}
            out[name] = made
        return out

    def guards(self) -> dict[str, Any]:
        """Guards, with their bands."""
        out = {}
        for name, raw in self.tree.get("guards", {}).items():
            path: Path = ("guards", name)
            made: dict[str, Any] = {"per": raw.get("per", "turns"), "band": [1, 1]}
            if made["per"] not in COUNTED:
                text = Both(
                    "turns、chars、tools，或不为 null 的整数字段",
                    "turns, chars, tools, or an int field that is never null",
                )
                if spec_at({"fields": self.fields}, made["per"])[0] is None:
                    text = Both(
                        f"{text.zh}。按天算：用 date 字段记下那天，在事件的 require 里比较",
                        f"{text.en}. For days: keep the day in a date field and compare it in the "
                        "event's require",
                    )
                    if made["per"].partition(".")[0] not in self.told:
                        self.sheet.value((*path, "per"), made["per"], text)
                else:
                    self.typed(made["per"], (*path, "per"), ("int",), text, never_null)
            for key, least in (("band", 1), ("first", 0)):
                if key in raw and self._band(raw[key], (*path, key), least):
                    made[key] = raw[key]
            if "last" in raw:
                where = (*path, "last")
                text = Both(
                    "可为 null 的整数字段，min = 0", "an int field with min = 0 that may be null"
                )
                if self.typed(raw["last"], where, ("int",), text, _turn) is not BAD:
                    self.owners.take(raw["last"], f"护栏 {name}", f"the guard {name}", where)
                made["last"] = raw["last"]
            if "when" in raw:
                made["when"] = condition(self.names, raw["when"], (*path, "when"))
                if "say" not in raw:
                    reason = Both(
                        '有 when 就要写，条件不成立时给人看：say = { zh = "…", en = "…" }',
                        'it goes with when and tells people why not: say = { zh = "…", en = "…" }',
                    )
                    self.sheet.add("profile_missing", (*path, "say"), reason=reason)
            if "say" in raw:
                made["say"] = raw["say"]
            out[name] = made
        return out

    def _band(self, band: list[Any], path: Path, least: int) -> bool:
        whole = len(band) == 2 and all(isinstance(n, int) and not isinstance(n, bool) for n in band)
        if whole and least <= band[0] <= band[1] <= 1_000_000:
            return True
        text = Both(f"[最少, 最多]，{least}..1000000", f"[least, most], {least}..1000000")
        self.sheet.value(path, str([n for n in band if n is not BAD]), text)
        return False
