"""What a book's prose file may say, checked key by key.

Pure: a parsed table in, settings and faults out; reading the files is `prosefile`. Every wrong key
and value is told at once, with what is allowed, because a setting that is dropped in silence looks
like a rule that does not work.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from clew.kernel.faults import Both, Code, Fault, register
from clew.novel.prose.explain import catalogue, limits_of, nearest, rule_ids
from clew.novel.prose.model import ProseConfig

TIMEOUT: Final = 20.0
LITERALS: Final = 2000
"""Texts that a book may list as meant."""
LITERAL_CHARS: Final = 100_000
"""Their characters together: each is held in memory."""
_NUMBERS: Final = tuple(
    f.name
    for f in dataclasses.fields(ProseConfig)
    if f.name not in ("off", "literals", "strict", "limits")
)
_KEYS: Final = ("strict", "off", "literals", "thresholds", "curly_quotes", "detectors")


class Detector(NamedTuple):
    """An external checker that a book names."""

    name: str
    command: tuple[str, ...]
    timeout: float


class Parsed(NamedTuple):
    """What a prose file says, and what is wrong with it."""

    config: ProseConfig
    detectors: tuple[Detector, ...]
    curly_quotes: bool
    faults: tuple[Fault, ...]


def parse(data: Mapping[str, Any], files: Mapping[str, str]) -> Parsed:
    """Read the settings of a prose file; `files` says which file gave each key, for the faults.
    Never raises."""
    return _Reader(dict(data), files).parsed()


class _Reader:
    """Takes keys out of a table one after the other; what is left over is unknown."""

    def __init__(self, data: dict[str, Any], files: Mapping[str, str]) -> None:
        self.data = data
        self.files = files
        self.faults: list[Fault] = []

    def wrong(self, key: str, zh: str, en: str) -> None:
        file = self.files.get(key.partition(".")[0], "")
        reason = Both(f"{key}：{zh}", f"{key}: {en}")
        self.faults.append(Fault("bad_prose_file", file=file, reason=reason))

    def parsed(self) -> Parsed:
        detectors = self.detectors()
        off = self.rules([d.name for d in detectors])
        literals = self.texts("literals")
        if len(literals) > LITERALS:
            self.wrong("literals", f"最多 {LITERALS} 条", f"at most {LITERALS}")
        if sum(map(len, literals)) > LITERAL_CHARS:
            self.wrong(
                "literals",
                f"合起来最多 {LITERAL_CHARS} 字",
                f"together at most {LITERAL_CHARS} characters",
            )
        strict, curly = self.flag("strict"), self.flag("curly_quotes")
        numbers, limits = self.thresholds()
        for key in self.data:
            self.wrong(
                key, "没有这个键；可用：" + "、".join(_KEYS), "unknown key; " + ", ".join(_KEYS)
            )
        config = ProseConfig(off=off, literals=literals, strict=strict, limits=limits, **numbers)
        return Parsed(config, detectors, curly, tuple(self.faults))

    def flag(self, key: str) -> bool:
        found = self.data.pop(key, False)
        if not isinstance(found, bool):
            self.wrong(key, "只能是 true 或 false", "true or false")
            return False
        return found

    def texts(self, key: str) -> frozenset[str]:
        found = self.data.pop(key, [])
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            self.wrong(key, '要写成列表，如 ["原句"]', 'a list of strings, like ["a text"]')
            return frozenset()
        return frozenset(found)

    def table(self, key: str) -> dict[str, Any]:
        found = self.data.pop(key, {})
        if not isinstance(found, dict):
            self.wrong(key, f"要写成表：[{key}]", f"a table: [{key}]")
            return {}
        return found

    def rules(self, detectors: list[str]) -> frozenset[str]:
        """The rules to leave out; a detector's finding is left out by its own id, `name/type`."""
        found = self.texts("off")
        for rule in sorted(found - frozenset(rule_ids())):
            if rule.split("/", 1)[0] in detectors and "/" in rule:
                continue
            near = nearest(rule) or ["clew chapter check --explain ?"]
            self.wrong(
                "off",
                f"没有叫 {rule[:60]!r} 的规则；最接近的：{'、'.join(near)}",
                f"there is no rule {rule[:60]!r}; the nearest: {', '.join(near)}",
            )
        return found

    # ---- thresholds --------------------------------------------------------------------------

    def thresholds(self) -> tuple[dict[str, int], dict[str, float]]:
        """Numbers by their own name, and a rule's by `rule.name` or in a table of the rule's."""
        numbers: dict[str, int] = {}
        limits: dict[str, float] = {}
        known = {key for entry in catalogue() for key in limits_of(entry.rule) if "." in key}
        for key, value in _flat(self.table("thresholds")):
            if key in _NUMBERS:
                if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                    self.wrong(f"thresholds.{key}", "要 1 以上的整数", "a whole number >= 1")
                else:
                    numbers[key] = value
            elif key not in known:
                zh, en = self._known(key, known)
                self.wrong(f"thresholds.{key}", zh, en)
            elif not _is_amount(value):
                self.wrong(f"thresholds.{key}", "要 0 以上的数", "a number >= 0")
            else:
                limits[key] = value
        return numbers, limits

    def _known(self, key: str, known: set[str]) -> tuple[str, str]:
        rule = key.partition(".")[0]
        own = sorted(name for name in known if name.startswith(f"{rule}."))
        if not own and rule in rule_ids():
            return "这条规则没有阈值", "this rule has no thresholds"
        allowed = ", ".join(own or [*_NUMBERS, *(f"{near}.…" for near in nearest(rule))])
        return f"没有这个阈值；可用：{allowed}", f"unknown; allowed: {allowed}"

    # ---- detectors ---------------------------------------------------------------------------

    def detectors(self) -> tuple[Detector, ...]:
        found = []
        for name, entry in self.table("detectors").items():
            fields = dict(entry) if isinstance(entry, dict) else {}
            command, timeout = fields.pop("command", None), fields.pop("timeout", TIMEOUT)
            for key in fields:
                self.wrong(
                    f"detectors.{name}.{key}", "只有 command 和 timeout", "command or timeout"
                )
            if (
                not isinstance(command, list)
                or not command
                or not all(isinstance(c, str) for c in command)
            ):
                self.wrong(
                    f"detectors.{name}.command", "要写成列表，程序在前", "a list, the program first"
                )
            elif not _is_amount(timeout) or not 0 < timeout <= 600:
                self.wrong(f"detectors.{name}.timeout", "秒数，最多 600", "seconds, at most 600")
            else:
                found.append(Detector(name, tuple(command), float(timeout)))
        return tuple(found)


def _is_amount(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value < 1e15 and math.isfinite(value)


def _flat(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """`[thresholds.rule] name = 1` and `"rule.name" = 1` alike, as `rule.name`."""
    out: list[tuple[str, Any]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            out += ((f"{key}.{name}", inner) for name, inner in value.items())
        else:
            out.append((key, value))
    return out


register(
    Code(
        "bad_prose_file", 2,
        "{file} 的设置不对：{reason}",
        "{file} is not right: {reason}",
        about_zh="正文/.clew-prose.toml 或 .story/prose.toml 里有拼错的键或不对的值。",
        about_en="A misspelt key or a wrong value in 正文/.clew-prose.toml or .story/prose.toml.",
    ),
)  # fmt: skip
