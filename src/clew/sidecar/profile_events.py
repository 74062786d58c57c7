"""Events, rules and migrations of a profile: what changes what, checked and compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.kernel.faults import Both
from clew.sidecar.engine_goods import MOVES
from clew.sidecar.engine_shape import default_of
from clew.sidecar.engine_values import spec_at
from clew.sidecar.profile_fields import arguments
from clew.sidecar.profile_grammar import CHANGES
from clew.sidecar.profile_lines import Path
from clew.sidecar.profile_parts import Parts, never_null
from clew.sidecar.profile_tree import BAD
from clew.sidecar.profile_values import (
    LITERAL,
    Names,
    amount,
    condition,
    decided,
    fields_of,
    fits,
    value,
)

_SWITCHES: Final = {"opt_in": True, "opt_out": False}


class Events:
    """Compiles what changes a state, on top of the parts."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.sheet = parts.sheet
        self.tree = parts.tree

    def events(self) -> dict[str, Any]:
        """Every event, with its counters, and the two that work the switch."""
        counters = self._own_counters()
        out = {}
        for name, raw in self.tree.get("events", {}).items():
            out[name] = self._event(name, raw, ("events", name))
        for name in _SWITCHES:
            out.setdefault(name, {"args": {}, "while_off": True, "require": [], "change": []})
        self._counters(out, counters)
        active = self.tree.get("profile", {}).get("active")
        for name, on in _SWITCHES.items():
            out[name]["while_off"] = True
            out[name]["change"].append({"set": active, "to": on})
        return out

    def _event(self, name: str, raw: dict[str, Any], path: Path) -> dict[str, Any]:
        scales = self.tree.get("scales", {})
        args = arguments(self.sheet, raw.get("args", {}), (*path, "args"), scales)
        wrong = set(raw.get("args", {})) - set(args)
        names = Names(self.sheet, self.parts.fields, args, told=self.parts.told, told_args=wrong)
        made: dict[str, Any] = {"args": args, "while_off": raw.get("while_off", False)}
        if "uses" in raw:
            guards = self.tree.get("guards", {})
            if raw["uses"] not in guards:
                self.sheet.name((*path, "uses"), raw["uses"], guards)
            made["uses"] = raw["uses"]
        made["require"] = [
            self._need(names, need, (*path, "require", at))
            for at, need in enumerate(raw.get("require", []))
            if need is not BAD
        ]
        made["change"] = [
            change
            for at, item in enumerate(raw.get("change", []))
            if (change := self.change(names, item, (*path, "change", at))) is not BAD
        ]
        if "about" in raw:
            made["about"] = raw["about"]
        return made

    def _need(self, names: Names, raw: dict[str, Any], path: Path) -> dict[str, Any]:
        made = {"that": condition(names, raw.get("that", {}), (*path, "that")) if "that" in raw else BAD,
                "say": raw.get("say")}  # fmt: skip
        if "when" in raw:
            made["when"] = condition(names, raw["when"], (*path, "when"))
        return made

    def change(self, names: Names, raw: Any, path: Path) -> Any:
        """One change in the engine's form, or `BAD`."""
        if not isinstance(raw, dict):
            self.sheet.value(path, raw, Both("一张表", "a table"))
            return BAD
        kinds = [kind for kind in CHANGES if kind in raw]
        if len(kinds) != 1:
            self.sheet.clash(
                path,
                "改动必须恰有一种：" + "、".join(CHANGES),
                "a change has exactly one of: " + ", ".join(CHANGES),
            )
            return BAD
        kind = kinds[0]
        _, _, needed, optional = CHANGES[kind]
        allowed = (kind, *needed, *optional, "when")
        before = len(self.sheet.faults)
        for key in raw:
            if key not in allowed:
                self.sheet.add("profile_key", (*path, key), allowed=allowed)
        for key in needed:
            if key not in raw:
                self.sheet.add(
                    "profile_missing", (*path, key), reason=Both(f"{kind} 要用", f"{kind} needs it")
                )
        if len(self.sheet.faults) > before:
            return BAD
        made: dict[str, Any] = {kind: raw[kind]}
        if kind in MOVES:
            known = self._known(raw[kind], self.tree.get("ledgers", {}), (*path, kind))
            made["amount"] = amount(names, raw["amount"], (*path, "amount"))
            if (
                known
                and kind in ("borrow", "repay")
                and "debt" not in self.tree["ledgers"][raw[kind]]
            ):
                self.sheet.clash((*path, kind), "这本账没有欠款", "this ledger has no debt")
        elif kind in ("stock", "take", "switch"):
            self._goods(names, raw, path, kind, made)
        else:
            self._field_change(names, raw, path, kind, made)
        if "when" in raw:
            made["when"] = condition(names, raw["when"], (*path, "when"))
        return BAD if len(self.sheet.faults) > before or BAD in made.values() else made

    def _known(self, name: Any, known: Mapping[str, Any], path: Path) -> bool:
        if isinstance(name, str) and name in known:
            return True
        self.sheet.name(path, str(name), known)
        return False

    def _goods(
        self, names: Names, raw: dict[str, Any], path: Path, kind: str, made: dict[str, Any]
    ) -> None:
        self._known(raw[kind], self.tree.get("stocks", {}), (*path, kind))
        if "units" in raw:
            made["units"] = amount(names, raw["units"], (*path, "units"))
        if "empty" in raw:
            made["empty"] = raw["empty"]
            if not isinstance(raw["empty"], bool):
                text = Both("true 或 false", "true or false")
                self.sheet.value((*path, "empty"), raw["empty"], text)
        if "kind" in raw:
            found, spec = value(names, raw["kind"], (*path, "kind"))
            fits(names, (*path, "kind"), {"type": "text"}, found, spec)
            made["kind"] = found

    def _field_change(
        self, names: Names, raw: dict[str, Any], path: Path, kind: str, made: dict[str, Any]
    ) -> None:
        spec = names.field(raw[kind], (*path, kind))
        if spec is BAD:
            made[kind] = BAD
            return
        if not self.parts.owners.free(raw[kind], (*path, kind)):
            return
        wanted = {"add": ("int",), "raise": ("scale",), "lower": ("scale",), "record": ("list",)}
        types = wanted.get(kind, (spec["type"],))
        if "key" in raw:
            types = ("map",)
        if spec["type"] not in types or (kind in wanted and spec.get("null")):
            text = Both(
                f"{'、'.join(types)} 类型，不为 null", f"of type {', '.join(types)}, never null"
            )
            self.sheet.value((*path, kind), raw[kind], text)
            return
        if "key" in raw:
            key, key_spec = value(names, raw["key"], (*path, "key"))
            fits(names, (*path, "key"), {"type": "text"}, key, key_spec)
            made["key"] = key
            spec = spec["items"]
        if "by" in raw:
            made["by"] = amount(names, raw["by"], (*path, "by"))
        if "to" in raw:
            made["to"] = self._whole(names, raw["to"], (*path, "to"), spec)
        if "item" in raw:
            made["item"] = self._item(names, raw["item"], (*path, "item"), spec["items"])

    def _whole(self, names: Names, raw: Any, path: Path, spec: Any) -> Any:
        if spec["type"] in ("list", "object", "map") and not (
            isinstance(raw, dict) and "arg" in raw
        ):
            self.sheet.value(
                path,
                "…",
                Both(
                    "简单值；列表与对象用 record 和成员",
                    "a plain value; for lists and objects there are record and members",
                ),
            )
            return BAD
        made, found = value(names, raw, path)
        fits(names, path, spec, made, found)
        return made

    def _item(self, names: Names, raw: Any, path: Path, spec: Any) -> Any:
        if spec["type"] != "object":
            return self._whole(names, raw, path, spec)
        if not isinstance(raw, dict):
            self.sheet.value(path, raw, Both("成员 = 值 的表", "a table of member = value"))
            return BAD
        made = {}
        for key, item in raw.items():
            if key not in spec["fields"]:
                self.sheet.add("profile_key", (*path, key), allowed=tuple(spec["fields"]))
                continue
            made[key] = self._whole(names, item, (*path, key), spec["fields"][key])
        for key, member in spec["fields"].items():
            if key in raw:
                continue
            if member.get("null"):
                made[key] = None
            elif "default" in member:
                made[key] = member["default"]
            else:
                reason = Both("这个成员没有默认值", "this member has no default")
                self.sheet.add("profile_missing", (*path, key), reason=reason)
        return made

    def _own_counters(self) -> dict[str, Any]:
        """The counters whose field is right; nothing else changes it."""
        out = {}
        for field, raisers in self.tree.get("counters", {}).items():
            path: Path = ("counters", field)
            text = Both("不为 null 的整数字段", "an int field that is never null")
            if self.parts.typed(field, path, ("int",), text, never_null) is BAD:
                continue
            self.parts.owners.take(field, "计数", "its counter", path)
            out[field] = raisers
        return out

    def _counters(self, events: dict[str, Any], counters: dict[str, Any]) -> None:
        for field, raisers in counters.items():
            for name, raw in raisers.items():
                where: Path = ("counters", field, name)
                if name not in events:
                    self.sheet.name(where, name, events)
                    continue
                args = events[name]["args"]
                wrong = set(self.tree["events"].get(name, {}).get("args", {})) - set(args)
                names = Names(
                    self.sheet, self.parts.fields, args, told=self.parts.told, told_args=wrong
                )
                by = amount(names, raw, where)
                if isinstance(by, int) and by < 1:
                    self.sheet.value(where, by, Both("正整数", "a positive integer"))
                events[name]["change"].append({"add": field, "by": by})

    def rules(self, phases: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rules in their order, each sure to hold once it was mended, and to leave those before
        it as they are."""
        out: list[dict[str, Any]] = []
        names = self.parts.names
        for at, raw in enumerate(self.tree.get("rules", [])):
            path: Path = ("rules", at)
            if raw is BAD or not {"id", "must", "mend", "say"} <= set(raw):
                continue
            when = condition(names, raw["when"], (*path, "when")) if "when" in raw else None
            must = condition(names, raw["must"], (*path, "must"))
            mend = [
                change
                for number, item in enumerate(raw["mend"])
                if (change := self._mending(item, (*path, "mend", number))) is not BAD
            ]
            if BAD in (when, must) or len(mend) < len(raw["mend"]):
                continue
            rule = {"id": raw["id"], "when": when, "must": must, "mend": mend, "say": raw["say"]}
            self._order(rule, out, phases, path)
            out.append(rule)
        return out

    def _mending(self, raw: Any, path: Path) -> Any:
        made = self.change(self.parts.names, raw, path)
        if made is BAD:
            return BAD
        if not {"set", "clear"} & set(made) or {"key", "when"} & set(made) or isinstance(
            made.get("to"), dict
        ):  # fmt: skip
            self.sheet.clash(
                path,
                "规则只能用 set（定值）和 clear 来改",
                "a rule mends with set (to a literal) and clear only",
            )
            return BAD
        field = made.get("set") or made["clear"]
        spec = self.parts.names.field(field, path)
        solid = self.parts.typed(
            field, path, (spec["type"],), Both("总是存在的字段", "a field that always exists")
        )
        return BAD if solid is BAD else made

    def _order(
        self,
        rule: dict[str, Any],
        before: list[dict[str, Any]],
        phases: list[dict[str, Any]],
        path: Path,
    ) -> None:
        known = {}
        for change in rule["mend"]:
            if "set" in change:
                known[change["set"]] = change["to"]
            else:
                spec, _ = spec_at({"fields": self.parts.fields}, change["clear"])
                known[change["clear"]] = None if not spec or spec.get("null") else default_of(spec)
        if not _sure(rule, known):
            self.sheet.clash(
                (*path, "mend"),
                "改了以后规则仍不一定成立",
                "after the mend it is not sure that the rule holds",
            )
        for other in before:
            both = _touching(set(known), fields_of([other["when"], other["must"]]))
            if both and not _sure(other, known):
                self.sheet.clash(
                    path,
                    f"它会改 {both}，而前面的规则 {other['id']} 要看它；请把本规则移到前面",
                    f"it changes {both}, which the rule {other['id']} before it reads; "
                    "this rule must come first",
                )
        for phase in phases:
            both = _touching(set(known), fields_of([step["when"] for step in phase["steps"]]))
            if both:
                self.sheet.clash(
                    path,
                    f"它会改 {both}，而阶段 {phase['field']} 由它决定",
                    f"it changes {both}, on which the phase {phase['field']} depends",
                )

    def migrations(self) -> list[dict[str, Any]]:
        """Migrations in the order of their versions."""
        fields = {"fields": self.parts.fields}
        version = self.tree.get("profile", {}).get("version", 1)
        out: list[dict[str, Any]] = []
        later: set[str] = set()
        for raw in self.tree.get("migrations", []):
            if raw is not BAD:
                later |= {*raw.get("rename", {}), *raw.get("drop", [])}
        last = 0
        for at, raw in enumerate(self.tree.get("migrations", [])):
            path: Path = ("migrations", at)
            if raw is BAD or "to" not in raw:
                continue
            if not last < raw["to"] <= version:
                text = Both(f"{last + 1}..{version}", f"{last + 1}..{version}")
                self.sheet.value((*path, "to"), raw["to"], text)
            last = raw["to"]
            for old, new in raw.get("rename", {}).items():
                self._old(old, (*path, "rename", old))
                gone = new.partition(".")[0] in self.parts.told
                if spec_at(fields, new)[0] is None and new not in later and not gone:
                    self.sheet.name((*path, "rename", old), new, self.parts.fields)
            for field, default in raw.get("default", {}).items():
                where = (*path, "default", field)
                spec = self.parts.names.field(field, where)
                if spec is not BAD:
                    fits(self.parts.names, where, spec, default, LITERAL)
                    self._no_switch(field, where)
            for number, field in enumerate(raw.get("drop", [])):
                if field is BAD:
                    continue
                self._old(field, (*path, "drop", number))
            out.append({"to": raw["to"], "rename": raw.get("rename", {}),
                        "default": raw.get("default", {}), "drop": raw.get("drop", [])})  # fmt: skip
        return out

    def _old(self, name: str, path: Path) -> None:
        first = name.partition(".")[0]
        if spec_at({"fields": self.parts.fields}, name)[0] is not None or first == "_clew":
            self.sheet.clash(path, f"{name} 是现在的字段", f"{name} is a field of this version")

    def _no_switch(self, field: str, path: Path) -> None:
        if field == self.tree.get("profile", {}).get("active"):
            self.sheet.clash(path, "迁移不能替用户启用", "a migration never opts in for the user")


def _sure(rule: dict[str, Any], known: Mapping[str, Any]) -> bool:
    """Whether a rule holds whatever the fields are that are not known."""
    return decided(rule["must"], known) is True or (
        rule["when"] is not None and decided(rule["when"], known) is False
    )


def _touching(fields: set[str], others: set[str]) -> str:
    for one in sorted(fields):
        for other in others:
            if one == other or one.startswith(other + ".") or other.startswith(one + "."):
                return one
    return ""
