"""From what an author or an agent wrote to a checked transaction: tolerance first, then types.

Pure. `tolerate` accepts what models commonly write (synonyms of keys and actions, digit strings for
chapter numbers, an empty string for null, a list where a text stands and the other way round) and
says so in notes; everything else is judged by `validate`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from clew.kernel.document import child
from clew.kernel.faults import Code, Fault, register

_UPSERT: Final = frozenset(
    [
        "add",
        "new",
        "create",
        "update",
        "plant",
        "advance",
        "resolve",
        "insert",
        "新增",
        "埋设",
        "更新",
        "推进",
        "回收",
    ]
)
_DELETE: Final = frozenset(["remove", "删除"])
_RESOLVED: Final = frozenset(("resolve", "回收"))
_PLANTED: Final = frozenset(("advance", "推进"))
_FORESHADOW_KEYS: Final = {
    "planned_chapter": "planned_resolution_chapter",
    "planned_payoff_chapter": "planned_resolution_chapter",
    "payoff_chapter": "planned_resolution_chapter",
    "resolution_chapter": "planned_resolution_chapter",
    "resolve_chapter": "planned_resolution_chapter",
    "plant_chapter": "planted_chapter",
    "planted": "planted_chapter",
    "description": "summary",
    "content": "summary",
}
_EVENT_KEYS: Final = {"time": "story_time", "fact": "objective_fact", "reveal": "reveal_status"}
_NUMBERS: Final = ("planted_chapter", "planned_resolution_chapter", "reveal_chapter")
_NULLABLE: Final = ("planned_resolution_chapter", "reveal_chapter")
_DIGITS: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_SINGLE: Final = ("identity", "location", "goal", "state")
_MANY: Final = ("abilities_resources", "relationships", "knowledge", "open_threads")


def tolerate(document: Any) -> tuple[Any, list[Fault], list[Fault]]:
    """Rewrite common variants of a transaction or an init document.

    Returns the document (a copy where something changed), notes, and faults of contradictions
    (an action that says resolved beside a status that says otherwise).
    """
    notes: list[Fault] = []
    faults: list[Fault] = []
    if not isinstance(document, dict):
        return document, notes, faults
    out = dict(document)
    if isinstance(out.get("delta"), dict):
        delta = dict(out["delta"])
        _rows(delta, "foreshadow_changes", "$.delta", _foreshadow, notes, faults)
        _rows(delta, "timeline_events", "$.delta", _event, notes, faults)
        out["delta"] = delta
    _rows(out, "foreshadow", "$", _foreshadow, notes, faults)
    _rows(out, "timeline_events", "$", _event, notes, faults)
    if isinstance(out.get("character_snapshots"), dict):
        out["character_snapshots"] = {
            key: _snapshot(value, child("$.character_snapshots", key), notes)
            for key, value in out["character_snapshots"].items()
        }
    for key in ("chapter", "expected_state_revision", "last_chapter"):
        _digits(out, key, "$", notes)
    return out, notes, faults


def _rows(
    holder: dict[str, Any],
    key: str,
    path: str,
    change: Any,
    notes: list[Fault],
    faults: list[Fault],
) -> None:
    rows = holder.get(key)
    if not isinstance(rows, list):
        return
    holder[key] = [
        change(dict(row), child(child(path, key), index), notes, faults)
        if isinstance(row, dict)
        else row
        for index, row in enumerate(rows)
    ]


def _foreshadow(
    row: dict[str, Any], path: str, notes: list[Fault], faults: list[Fault]
) -> dict[str, Any]:
    _rename(row, _FORESHADOW_KEYS, path, notes)
    word = _action(row, path, notes)
    implied = "已回收" if word in _RESOLVED else "已埋" if word in _PLANTED else None
    if implied and "status" not in row:
        row["status"] = implied
    elif implied and row.get("status") != implied:
        place = child(path, "status")
        faults.append(
            Fault(
                "action_contradicts", place, found=row.get("status"), action=word, allowed=implied
            )
        )
    _numbers(row, path, notes)
    return row


def _event(
    row: dict[str, Any], path: str, notes: list[Fault], faults: list[Fault]
) -> dict[str, Any]:
    _rename(row, _EVENT_KEYS, path, notes)
    _action(row, path, notes)
    _numbers(row, path, notes)
    return row


def _rename(row: dict[str, Any], names: dict[str, str], path: str, notes: list[Fault]) -> None:
    for old, new in names.items():
        if old in row and new not in row:
            row[new] = row.pop(old)
            notes.append(Fault("synonym_read", child(path, old), found=old, meant=new))


def _action(row: dict[str, Any], path: str, notes: list[Fault]) -> str | None:
    word = row.get("action")
    if not isinstance(word, str):
        return None
    plain = word.strip().lower()
    meant = "upsert" if plain in _UPSERT else "delete" if plain in _DELETE else plain
    if meant != word and meant in ("upsert", "delete"):
        row["action"] = meant
        notes.append(Fault("synonym_read", child(path, "action"), found=word, meant=meant))
    return plain


def _numbers(row: dict[str, Any], path: str, notes: list[Fault]) -> None:
    for key in _NUMBERS:
        if key in _NULLABLE and isinstance(row.get(key), str) and not row[key].strip():
            row[key] = None
            notes.append(Fault("synonym_read", child(path, key), found="", meant="null"))
        _digits(row, key, path, notes)


def _digits(row: dict[str, Any], key: str, path: str, notes: list[Fault]) -> None:
    value = row.get(key)
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        row[key] = int(value)
        notes.append(Fault("synonym_read", child(path, key), found=value, meant=int(value)))


def _snapshot(value: Any, path: str, notes: list[Fault]) -> Any:
    if not isinstance(value, dict):
        return value
    out = dict(value)
    for key in _SINGLE:
        found = out.get(key)
        if isinstance(found, list) and found and all(isinstance(f, str) for f in found):
            out[key] = "；".join(found)
            notes.append(Fault("synonym_read", child(path, key), found="list", meant="text"))
    for key in _MANY:
        if isinstance(out.get(key), str):
            out[key] = [out[key]]
            notes.append(Fault("synonym_read", child(path, key), found="text", meant="list"))
    return out


register(
    Code(
        "synonym_read", 0,
        "{path}：把 {found} 读作 {meant}",
        "{path}: read {found} as {meant}",
        about_zh="提示，不是错误：写法不标准但含义明确，已按标准写法处理。",
        about_en="A note, not an error: an unusual way of writing with one meaning was accepted.",
    ),
    Code(
        "action_contradicts", 2,
        "{path} 是 {found}，但动作 {action} 意味着 {allowed}",
        "{path} is {found}, but the action {action} means {allowed}",
        "改用 upsert 并写明 status，或让两者一致。",
        "Use upsert with the status you mean, or make the two agree.",
        about_zh="动作（如 回收/resolve）和状态互相矛盾，工具不猜。",
        about_en="The action (such as resolve) and the status disagree; clew does not guess.",
    ),
)  # fmt: skip
