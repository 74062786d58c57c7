"""Lorebooks of other programs: NovelAI, Agnai, RisuAI, AI Dungeon, KoboldAI.

Each entry becomes a V3 entry; what V3 has no word for is kept whole under the program's name in the
entry's `extensions`.

Pure. Rules: the files of these programs as they are found; docs/cards.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from clew.books.cards.oddvalues import word
from clew.books.cards.repair import entry_data
from clew.books.cards.report import Report
from clew.books.cards.values import child
from clew.books.lore import Lorebook, flag, real

_COMMA: Final = re.compile("[,，、]")


def _words(value: Any) -> Any:
    """Keys that a program writes in one text, with commas."""
    return (
        [w.strip() for w in _COMMA.split(value) if w.strip()] if isinstance(value, str) else value
    )


def _patterns(keys: Any) -> bool:
    """True when every key is written as a regular expression, `/word/i`."""
    return (
        isinstance(keys, list)
        and bool(keys)
        and all(isinstance(key, str) and len(key) > 2 and key[0] == "/" for key in keys)
    )


def _rows(
    value: Any, path: str, report: Report, program: str, convert: Any, used: Iterable[str]
) -> list[dict[str, Any]]:
    """Entries converted one by one; keys that `convert` did not use go under the program's name."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value or ())
    known = frozenset(used)
    out: list[dict[str, Any]] = []
    for key, row in pairs:
        place = child(path, key)
        if not isinstance(row, dict):
            report.repair("entry_dropped", place, found=word(row))
            continue
        entry = {name: item for name, item in convert(row, len(out)).items() if item is not None}
        rest = {name: item for name, item in row.items() if name not in known}
        inner = entry.setdefault("extensions", {})
        if rest:
            inner[program] = {**inner.get(program, {}), **rest}
        out.append(entry_data(entry, place, report))
    return out


def _book(
    value: Mapping[str, Any], rows: list[dict[str, Any]], spec: str, used: Sequence[str]
) -> Lorebook:
    data: dict[str, Any] = {}
    for name in ("name", "description"):
        if isinstance(value.get(name), str) and value[name]:
            data[name] = value[name]
    data["extensions"] = {}
    data["entries"] = rows
    known = ("name", "description", *used)
    return Lorebook(data, {k: v for k, v in value.items() if k not in known}, spec=spec)


def of_novelai(value: Mapping[str, Any], path: str, report: Report) -> Lorebook:
    """NovelAI `.lorebook`: `{lorebookVersion, entries[{text, keys, displayName, …}]}`."""

    def convert(row: dict[str, Any], index: int) -> dict[str, Any]:
        context = row.get("contextConfig")
        rank = context.get("budgetPriority") if isinstance(context, dict) else None
        keys = row.get("keys")
        return {
            "keys": keys,
            "content": row.get("text"),
            "extensions": {},
            "enabled": row.get("enabled", True),
            "insertion_order": 100 if rank is None else rank,
            "use_regex": _patterns(keys),
            "constant": flag(row.get("forceActivation")) is True,
            "name": row.get("displayName"),
            "comment": row.get("displayName"),
            "id": row.get("id", index),
            "priority": rank,
        }

    used = ("keys", "text", "enabled", "displayName", "forceActivation", "id")
    rows = _rows(value.get("entries"), child(path, "entries"), report, "novelai", convert, used)
    return _book(value, rows, "novelai", ("entries",))


def of_agnai(value: Mapping[str, Any], path: str, report: Report) -> Lorebook:
    """Agnai memory book: `{kind: "memory", entries[{name, entry, keywords, priority, weight}]}`."""

    def convert(row: dict[str, Any], index: int) -> dict[str, Any]:
        return {
            "keys": _words(row.get("keywords")),
            "secondary_keys": row.get("secondaryKeys"),
            "content": row.get("entry"),
            "extensions": {},
            "enabled": row.get("enabled", True),
            "insertion_order": row.get("weight", 100),
            "priority": row.get("priority"),
            "use_regex": False,
            "constant": row.get("constant"),
            "selective": row.get("selective"),
            "name": row.get("name"),
            "comment": row.get("name"),
            "id": row.get("id", index),
        }

    used = (
        "keywords", "secondaryKeys", "entry", "enabled", "weight", "priority", "constant",
        "selective", "name", "id",
    )  # fmt: skip
    rows = _rows(value.get("entries"), child(path, "entries"), report, "agnai", convert, used)
    return _book(value, rows, "agnai", ("entries", "kind"))


def of_risu(value: Mapping[str, Any], path: str, report: Report) -> Lorebook:
    """RisuAI lorebook: `{type: "risu", ver, data[{key, secondkey, insertorder, content, …}]}`."""

    def convert(row: dict[str, Any], index: int) -> dict[str, Any]:
        patterns = flag(row.get("useRegex")) is True
        key, second = row.get("key"), row.get("secondkey")
        chance = real(row.get("activationPercent"))
        inner = (
            {}
            if chance is None
            else {"probability": row["activationPercent"], "useProbability": True}
        )
        return {
            # A pattern may hold commas: with useRegex the whole text is one.
            "keys": [key] if patterns and isinstance(key, str) and key else _words(key),
            "secondary_keys": _words(second) if second is not None else [],
            "content": row.get("content"),
            "extensions": inner,
            "enabled": row.get("mode") != "folder" and flag(row.get("enabled")) is not False,
            "insertion_order": row.get("insertorder", 100),
            "use_regex": patterns,
            "constant": flag(row.get("alwaysActive")) is True,
            "selective": flag(row.get("selective")) is True,
            "name": row.get("comment"),
            "comment": row.get("comment"),
            "id": row.get("id", index),
        }

    used = (
        "key", "secondkey", "content", "enabled", "insertorder", "useRegex", "alwaysActive",
        "selective", "comment", "id", "activationPercent",
    )  # fmt: skip
    rows = _rows(value.get("data"), child(path, "data"), report, "risuai", convert, used)
    return _book(value, rows, "risu", ("data", "type", "ver"))


def of_ai_dungeon(value: Sequence[Any], path: str, report: Report) -> Lorebook:
    """AI Dungeon story cards: `[{keys: "a, b", value, type, title}]`."""

    def convert(row: dict[str, Any], index: int) -> dict[str, Any]:
        title = row.get("title") or row.get("name") or ""
        return {
            "keys": _words(row.get("keys")),
            "content": row.get("value", row.get("entry")),
            "extensions": {},
            "enabled": True,
            "insertion_order": 100,
            "use_regex": False,
            "name": title,
            "comment": title,
            "id": row.get("id", index),
        }

    used = ("keys", "value", "entry", "title", "name", "id")
    rows = _rows(value, path, report, "aidungeon", convert, used)
    return Lorebook({"extensions": {}, "entries": rows}, spec="aidungeon")


def of_kobold(value: Sequence[Any], path: str, report: Report) -> Lorebook:
    """KoboldAI `worldinfo`: `[{key: "a,b", keysecondary, keyanti, content, widisabled, …}]`."""

    def convert(row: dict[str, Any], index: int) -> dict[str, Any]:
        chance = real(row.get("probability"))
        inner: dict[str, Any] = {}
        if chance is not None:
            inner |= {"probability": row["probability"], "useProbability": True}
        if isinstance(row.get("wigroup"), str) and row["wigroup"]:
            inner["group"] = row["wigroup"]
        return {
            "keys": _words(row.get("key")),
            "secondary_keys": _words(row.get("keysecondary")) or [],
            "content": row.get("content"),
            "extensions": inner,
            "enabled": flag(row.get("widisabled")) is not True,
            "insertion_order": 100,
            "use_regex": False,
            "constant": flag(row.get("constant")) is True,
            "selective": flag(row.get("selective")) is True,
            "comment": row.get("comment") or "",
            "id": index,
        }

    used = (
        "key", "keysecondary", "content", "widisabled", "constant", "selective", "comment",
        "probability", "wigroup",
    )  # fmt: skip
    rows = _rows(value, path, report, "koboldai", convert, used)
    return Lorebook({"extensions": {}, "entries": rows}, spec="kobold")
