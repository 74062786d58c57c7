"""SillyTavern's World Info: to a V3 lorebook and back, field for field.

SillyTavern keeps what V2 has no word for in an entry's `extensions`, most of it in snake case; the
same names are used here, so that a book that came as World Info can lie inside a card and go back.

Pure. Rules: the World Info files of SillyTavern; docs/cards.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clew.books.cards.changes import compare
from clew.books.cards.fields import ENTRY_FIELDS, said, said_book
from clew.books.cards.oddvalues import word
from clew.books.cards.repair import enabled_by, entry_data
from clew.books.cards.report import Report
from clew.books.cards.values import child, number
from clew.books.lore import Lorebook, flag, whole
from clew.kernel.faults import Fault

_PLAIN: Final = {
    "uid": "id",
    "key": "keys",
    "keysecondary": "secondary_keys",
    "comment": "comment",
    "content": "content",
    "constant": "constant",
    "selective": "selective",
    "order": "insertion_order",
}
"""World Info's name to V2's."""
_INNER: Final = {
    "position": "position",
    "vectorized": "vectorized",
    "selectiveLogic": "selectiveLogic",
    "addMemo": "addMemo",
    "ignoreBudget": "ignore_budget",
    "excludeRecursion": "exclude_recursion",
    "preventRecursion": "prevent_recursion",
    "matchPersonaDescription": "match_persona_description",
    "matchCharacterDescription": "match_character_description",
    "matchCharacterPersonality": "match_character_personality",
    "matchCharacterDepthPrompt": "match_character_depth_prompt",
    "matchScenario": "match_scenario",
    "matchCreatorNotes": "match_creator_notes",
    "delayUntilRecursion": "delay_until_recursion",
    "probability": "probability",
    "useProbability": "useProbability",
    "depth": "depth",
    "outletName": "outlet_name",
    "group": "group",
    "groupOverride": "group_override",
    "groupWeight": "group_weight",
    "scanDepth": "scan_depth",
    "caseSensitive": "case_sensitive",
    "matchWholeWords": "match_whole_words",
    "useGroupScoring": "use_group_scoring",
    "automationId": "automation_id",
    "role": "role",
    "sticky": "sticky",
    "cooldown": "cooldown",
    "delay": "delay",
    "characterFilter": "character_filter",
    "triggers": "triggers",
    "displayIndex": "display_index",
}
"""World Info's name to the one in `extensions`."""
_OUTER: Final = {inner: name for name, inner in _INNER.items()}
_NEW_NAMES: Final = frozenset(
    [*_PLAIN.values(), "enabled", "position", "extensions", "use_regex", "case_sensitive"]
)
_OLD_DEFAULTS: Final = {
    "comment": "",
    "content": "",
    "constant": False,
    "selective": False,
    "order": 100,
}
_BARE_SLASH: Final = re.compile(r"(?<!\\)/")
_FIELD: Final = re.compile(
    r"""\$\.data\.entries\[\*\](?:\.extensions)?(?:\.\w+|\["(?:[^"\\]|\\.)*"\])?"""
)
"""The field of an entry, or of its extensions, that a path leads to or into."""
_BOOK: Final = ("name", "description", "extensions")
"""Keys of the file that V3 has a place for; the others are kept beside the book."""


def is_world_info(value: Mapping[str, Any]) -> bool:
    """True when the entries of this object are written with World Info's names."""
    entries = value.get("entries")
    rows = list(entries.values())[:50] if isinstance(entries, dict) else entries
    if not isinstance(rows, list):
        return False
    told = [row for row in rows[:50] if isinstance(row, dict)]
    old = [row for row in told if "keys" not in row and {"key", "keysecondary", "uid"} & row.keys()]
    if isinstance(entries, dict):
        return not told or bool(old)
    # A list of such entries inside a card is an older slip: `repair` renames its keys in place.
    return bool(old) and all("disable" in row or "order" in row for row in old)


def of_world_info(value: Mapping[str, Any], path: str, report: Report) -> Lorebook:
    """The lorebook of a World Info file."""
    entries = value.get("entries")
    pairs = entries.items() if isinstance(entries, dict) else enumerate(entries or ())
    data: dict[str, Any] = {key: value[key] for key in _BOOK if key in value}
    rows = data["entries"] = []
    place = child(path, "entries")
    for key, row in pairs:
        at = child(place, key)
        if isinstance(row, dict):
            rows.append(_row(row, key, at, report))
        else:
            report.repair("entry_dropped", at, found=word(row))
    root = {key: item for key, item in value.items() if key not in (*_BOOK, "entries")}
    return Lorebook(data, root, spec="worldinfo")


def _row(row: dict[str, Any], key: str | int, path: str, report: Report) -> dict[str, Any]:
    out: dict[str, Any] = {}
    given = row.get("extensions")
    inner: dict[str, Any] = dict(given) if isinstance(given, dict) else {}
    for name, item in row.items():
        if name in _PLAIN:
            out[_PLAIN[name]] = item
        elif name in _INNER:
            inner[_INNER[name]] = item
        elif name == "disable":
            out["enabled"] = enabled_by(item, child(path, name), report)
        elif name != "extensions":
            out[name] = item
    if out.get("id") is None:
        found = number(key) if isinstance(key, str) else key
        out["id"] = key if found is None else found
    out.setdefault("enabled", True)
    keys = out.get("keys")
    if "use_regex" not in out and isinstance(keys, list) and keys:
        out["use_regex"] = all(isinstance(k, str) and _slashed(k) for k in keys)
    position = whole(inner.get("position"))
    if position is not None and "position" not in out:
        out["position"] = "before_char" if position == 0 else "after_char"
    out["extensions"] = inner
    return entry_data(out, path, report)


def _slashed(key: str) -> bool:
    """True for a key that is written as a regular expression, `/word/i`."""
    return len(key) > 2 and key[0] == "/" and "/" in key[2:]


def to_world_info(book: Lorebook) -> dict[str, Any]:
    """A World Info file. Entries get unique whole-number ids, since the file is keyed by them."""
    entries: dict[str, Any] = {}
    for index, row in enumerate(book.rows):
        uid = row.get("id")
        if isinstance(uid, str):
            uid = number(uid)
        if isinstance(uid, bool) or not isinstance(uid, int) or str(uid) in entries:
            uid = index
            while str(uid) in entries:
                uid += len(book.rows)
        entries[str(uid)] = _old_row(row, uid)
    known = {key: book.data[key] for key in _BOOK if book.data.get(key) is not None}
    beside = {key: item for key, item in book.root.items() if key not in (*_BOOK, "entries")}
    return {**known, "entries": entries, **beside}


def world_info_losses(book: Lorebook) -> list[Fault]:
    """What a World Info file does not hold of a lorebook, what it adds, and what it says in its own
    way: found out by reading back what would be written."""
    back = of_world_info(to_world_info(book), "$", Report())
    name = "World Info"
    gone = [child("$", key) for key in book.root if key not in back.root]
    gone += [child("$.data", key) for key in said_book(book.data) if key not in back.data]
    out = [Fault("field_left_out", path, found=name) for path in gone]
    place = "$.data.entries[*]"
    filled: dict[str, None] = {}
    changed: dict[str, None] = {}
    for one, other in zip(book.rows, back.rows, strict=True):
        for change in compare(place, said(one, ENTRY_FIELDS), said(other, ENTRY_FIELDS)):
            path = _FIELD.match(change.path)
            where = path[0] if path is not None else place
            if change.kind == "added" and where == change.path:
                filled[where[len(place) + 1 :]] = None
            else:
                changed[where] = None
    if filled:
        out.append(Fault("fields_filled", place, found=list(filled), limit=name))
    return out + [Fault("field_translated", path, found=name) for path in changed]


def _old_row(row: dict[str, Any], uid: int) -> dict[str, Any]:
    inner = row.get("extensions")
    inner = dict(inner) if isinstance(inner, dict) else {}
    out: dict[str, Any] = {"uid": uid, "key": [], "keysecondary": []}
    out |= {old: row[new] for old, new in _PLAIN.items() if new in row and old != "uid"}
    if flag(row.get("use_regex")) and isinstance(out["key"], list):
        flags = "" if flag(row.get("case_sensitive")) else "i"
        out["key"] = [_as_regex(key, flags) if isinstance(key, str) else key for key in out["key"]]
    for name, default in _OLD_DEFAULTS.items():
        out.setdefault(name, default)
    out["comment"] = out["comment"] or row.get("name") or ""
    out["disable"] = flag(row.get("enabled")) is False
    if inner.get("position") is None:
        inner["position"] = 1 if row.get("position") == "after_char" else 0
    if "case_sensitive" not in inner and "case_sensitive" in row:
        inner["case_sensitive"] = row["case_sensitive"]
    out |= {_OUTER[name]: item for name, item in inner.items() if name in _OUTER}
    rest = {name: item for name, item in inner.items() if name not in _OUTER}
    if rest:
        out["extensions"] = rest
    return out | {name: item for name, item in row.items() if name not in _NEW_NAMES}


def _as_regex(key: str, flags: str) -> str:
    """A V3 pattern in World Info's form; a slash that ends no group would end the pattern."""
    return key if _slashed(key) else "/" + _BARE_SLASH.sub(r"\\/", key) + "/" + flags
