"""The rules of the ledger, plainly: a value is checked, cleaned and copied, or refused.

Pure. The state is checked whole whenever it is read, a transaction against that state.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

Json = dict[str, Any]
STATUSES: Final = ("已埋", "已回收", "已过期", "放弃")
LEVELS: Final = ("高", "中", "低")
REVEALS: Final = ("未揭示", "部分揭示", "已揭示")
_SPACE: Final = re.compile(r"\s+")
_UNSAFE: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_FORESHADOW: Final = re.compile(r"F[0-9]{3,}", re.ASCII)
_EVENT: Final = re.compile(r"E[0-9]{3,}", re.ASCII)


class Invalid(Exception):
    """The input or the state breaks a rule."""


def text(value: Any, cap: int, where: str) -> str:
    """Clean a text and hold it against its cap in UTF-8 bytes."""
    if not isinstance(value, str):
        raise Invalid(f"{where}: a string is expected")
    found = _SPACE.sub(" ", value.replace("|", "｜")).strip()
    if not found:
        raise Invalid(f"{where}: empty")
    if len(found.encode()) > cap:
        raise Invalid(f"{where}: longer than {cap} bytes")
    return found


def name(value: Any, where: str) -> str:
    """A text that can be a file name."""
    found = unicodedata.normalize("NFC", text(value, 180, where))
    if _UNSAFE.search(found) or found.endswith("."):
        raise Invalid(f"{where}: not a safe name")
    return found


def number(value: Any, where: str, low: int = 1, high: int | None = None) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise Invalid(f"{where}: a whole number from {low} is expected")
    if high is not None and value > high:
        raise Invalid(f"{where}: at most {high}")
    return value


def choice(value: Any, allowed: tuple[str, ...], where: str) -> str:
    """One of the listed words."""
    if value not in allowed:
        raise Invalid(f"{where}: one of {allowed} is expected")
    return str(value)


def texts(value: Any, cap: int, where: str, most: int | None = None) -> list[str]:
    """A list of texts."""
    if not isinstance(value, list) or (most is not None and len(value) > most):
        raise Invalid(f"{where}: a list of at most {most} is expected")
    return [text(item, cap, where) for item in value]


def fields(value: Any, allowed: tuple[str, ...], where: str) -> Json:
    """An object without unknown keys."""
    if not isinstance(value, dict):
        raise Invalid(f"{where}: an object is expected")
    unknown = set(value) - set(allowed)
    if unknown:
        raise Invalid(f"{where}: unsupported fields {sorted(unknown)}")
    return value


def position(value: Any, last: int) -> Json:
    row = fields(value, ("scene", "story_time", "volume", "volume_start_chapter"), "position")
    return {
        "scene": text(row.get("scene"), 240, "scene"),
        "story_time": text(row.get("story_time"), 240, "story_time"),
        "volume": name(row.get("volume"), "volume"),
        "volume_start_chapter": number(
            row.get("volume_start_chapter"), "volume_start_chapter", 1, max(1, last)
        ),
    }


def context(value: Any, last: int, whole: bool) -> Json:
    keys: tuple[str, ...] = (
        "position", "active_character_names", "continuity_risks", "long_term_constraints",
    )  # fmt: skip
    if whole:
        keys = (*keys, "next_chapter_commitments", "recent_chapters")
    row = fields(value, keys, "context")
    out: Json = {
        "position": position(row.get("position"), last),
        "active_character_names": [
            name(n, "active") for n in row.get("active_character_names", [])
        ],
        "continuity_risks": texts(row.get("continuity_risks", []), 384, "risks", 5),
        "long_term_constraints": texts(row.get("long_term_constraints", []), 384, "constraints", 6),
    }
    if whole:
        out["next_chapter_commitments"] = texts(
            row.get("next_chapter_commitments", []), 384, "commitments", 5
        )
        out["recent_chapters"] = [
            {
                "chapter": number(item.get("chapter"), "recent", 1, last),
                "summary": text(item.get("summary"), 360, "recent"),
            }
            for item in row.get("recent_chapters", [])
        ]
    return out


_SINGLE: Final = (("identity", 240), ("location", 240), ("goal", 300), ("state", 300))
_MANY: Final = ("abilities_resources", "relationships", "knowledge", "open_threads")


def snapshot(value: Any, where: str) -> Json:
    row = fields(value, (*(key for key, _ in _SINGLE), *_MANY), where)
    out: Json = {key: text(row.get(key), cap, where) for key, cap in _SINGLE}
    for key in _MANY:
        out[key] = texts(row.get(key, []), 384, where)
    return out


def foreshadow(row: Json, last: int) -> Json:
    ident = row.get("id")
    if not isinstance(ident, str) or not _FORESHADOW.fullmatch(ident):
        raise Invalid("foreshadow: bad id")
    planted = number(row.get("planted_chapter"), ident, 1, last)
    planned = row.get("planned_resolution_chapter")
    return {
        "id": ident,
        "summary": text(row.get("summary"), 360, ident),
        "planted_chapter": planted,
        "planned_resolution_chapter": (
            None if planned is None else number(planned, ident, planted)
        ),
        "status": choice(row.get("status"), STATUSES, ident),
        "importance": choice(row.get("importance"), LEVELS, ident),
    }


def event(row: Json, last: int) -> Json:
    ident = row.get("id")
    if not isinstance(ident, str) or not _EVENT.fullmatch(ident):
        raise Invalid("event: bad id")
    status = choice(row.get("reveal_status"), REVEALS, ident)
    reveal = row.get("reveal_chapter")
    if (reveal is None) != (status == "未揭示"):
        raise Invalid(f"{ident}: reveal_chapter and reveal_status disagree")
    return {
        "id": ident,
        "story_time": text(row.get("story_time"), 240, ident),
        "objective_fact": text(row.get("objective_fact"), 480, ident),
        "reader_knowledge": text(row.get("reader_knowledge"), 480, ident),
        "reveal_status": status,
        "reveal_chapter": None if reveal is None else number(reveal, ident, 1, last),
        "characters": texts(row.get("characters", []), 120, ident, 12),
    }


_FORESHADOW_KEYS: Final = (
    "id", "summary", "planted_chapter", "planned_resolution_chapter", "status", "importance",
)  # fmt: skip
_EVENT_KEYS: Final = (
    "id", "story_time", "objective_fact", "reader_knowledge", "reveal_status", "reveal_chapter",
    "characters",
)  # fmt: skip


def check_state(value: Any) -> Json:
    """Judge a whole state and return it cleaned."""
    row = fields(
        value,
        ("schema_version", "book_title", "last_committed_chapter", "imported_through_chapter",
         "state_revision", "context", "characters", "foreshadow", "timeline", "wordcount_records"),
        "state",
    )  # fmt: skip
    if row.get("schema_version") != 4:
        raise Invalid("state: unsupported schema")
    last = number(row.get("last_committed_chapter"), "last_committed_chapter", 0)
    characters: Json = {}
    for who, found in row.get("characters", {}).items():
        characters[name(who, "characters")] = snapshot(found, who)
    if len({n.casefold() for n in characters}) != len(characters):
        raise Invalid("characters: two names are one")
    rows: Json = {}
    for ident, found in row.get("foreshadow", {}).items():
        fields(found, (*_FORESHADOW_KEYS, "updated_chapter"), ident)
        rows[ident] = foreshadow(found, last)
        rows[ident]["updated_chapter"] = number(found.get("updated_chapter"), ident, 1, last)
    events: Json = {}
    for ident, found in row.get("timeline", {}).items():
        fields(found, (*_EVENT_KEYS, "first_recorded_chapter", "updated_chapter"), ident)
        events[ident] = event(found, last)
        for key in ("first_recorded_chapter", "updated_chapter"):
            events[ident][key] = number(found.get(key), ident, 1, last)
    where = context(row.get("context"), last, whole=True)
    for who in where["active_character_names"]:
        if who not in characters:
            raise Invalid(f"active character without a snapshot: {who}")
    return {
        "schema_version": 4,
        "book_title": text(row.get("book_title"), 240, "book_title"),
        "last_committed_chapter": last,
        "imported_through_chapter": number(
            row.get("imported_through_chapter"), "imported", 0, last
        ),
        "state_revision": number(row.get("state_revision"), "state_revision", 0),
        "context": where,
        "characters": characters,
        "foreshadow": rows,
        "timeline": events,
        "wordcount_records": row.get("wordcount_records", {}),
    }


def check_transaction(value: Any, state: Json) -> Json:
    """Judge a transaction against the state it is made for and return it cleaned."""
    row = fields(
        value,
        ("schema_version", "mode", "chapter", "chapter_title", "expected_state_revision", "delta",
         "context", "character_snapshots"),
        "transaction",
    )  # fmt: skip
    if row.get("schema_version") != 1 or row.get("mode") != "append":
        raise Invalid("transaction: schema 1 and mode append are expected")
    if row.get("expected_state_revision") != state["state_revision"]:
        raise Invalid("tracking state changed")
    last = state["last_committed_chapter"] + 1
    if row.get("chapter") != last:
        raise Invalid(f"transaction: chapter {last} is expected")
    delta = fields(
        row.get("delta"),
        ("result", "character_changes", "foreshadow_changes", "timeline_events", "constraints",
         "next_chapter_commitments", "retired_characters", "retired_context_items"),
        "delta",
    )  # fmt: skip
    snapshots = {
        name(who, "character_snapshots"): snapshot(found, who)
        for who, found in row.get("character_snapshots", {}).items()
    }
    changes = []
    for found in delta.get("character_changes", []):
        fields(found, ("name", "change"), "character_changes")
        who = name(found.get("name"), "character_changes")
        if who in state["characters"] and who not in snapshots:
            raise Invalid(f"{who}: snapshot missing")
        changes.append({"name": who, "change": text(found.get("change"), 360, who)})
    if set(snapshots) - {found["name"] for found in changes}:
        raise Invalid("a snapshot without a change")
    foreshadows = []
    for found in delta.get("foreshadow_changes", []):
        fields(found, (*_FORESHADOW_KEYS, "action"), "foreshadow_changes")
        foreshadows.append(foreshadow(found, last))
    events = []
    for found in delta.get("timeline_events", []):
        fields(found, (*_EVENT_KEYS, "action"), "timeline_events")
        events.append(event(found, last))
    where = context(row.get("context"), last, whole=False)
    known = {*state["characters"], *snapshots}
    for who in where["active_character_names"]:
        if who not in known:
            raise Invalid(f"active character without a snapshot: {who}")
    now = {*where["long_term_constraints"], *where["continuity_risks"]}
    declared = set(delta.get("retired_context_items", []))
    for item in (
        *state["context"]["long_term_constraints"],
        *state["context"]["continuity_risks"],
    ):
        if item not in now and item not in declared:
            raise Invalid(f"retired_context_items: {item}")
    return {
        "chapter": last,
        "chapter_title": text(row.get("chapter_title"), 240, "chapter_title"),
        "result": text(delta.get("result"), 360, "result"),
        "character_changes": changes,
        "foreshadow_changes": foreshadows,
        "timeline_events": events,
        "constraints": texts(delta.get("constraints", []), 384, "constraints", 6),
        "next_chapter_commitments": texts(
            delta.get("next_chapter_commitments", []), 384, "commitments", 5
        ),
        "context": where,
        "character_snapshots": snapshots,
    }
