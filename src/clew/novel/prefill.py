"""What a chapter's transaction can be prefilled with: the documents that `draft` writes.

Pure. Source: the seed (`draft`: 修订号、模式、章名、context 四项当前值; 修订按该章现有逐章记录预填，伏笔、
时间线取当前值). A revision draft that is committed unchanged leaves the ledger as it was: whatever
would bring back a retired character or a deleted row is left out, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from clew.kernel.document import child
from clew.kernel.faults import Fault
from clew.kernel.text import clean
from clew.novel.model import INPUT_SCHEMA, Event, Foreshadow, Snapshot, State
from clew.novel.record import SECTIONS

SIDES: Final = ("long_term_constraints", "continuity_risks")
_DELETED: Final = "删除当前登记"
_NOTHING: Final = "无"
_TITLE: Final = re.compile(r"# 第[0-9]+章 · (.+)")
_RESULT: Final = "- 结果："
_COMMITMENTS: Final = "- 下一章承诺："
_CHARACTER: Final = re.compile(r"(.+?)｜(核心|临时)｜(.+)")


class Recorded(NamedTuple):
    """A chapter record, read back as far as it goes."""

    title: str
    result: str
    commitments: list[str]
    characters: list[tuple[str, bool, str]]
    """Name, whether it was a core character, what changed."""
    foreshadows: dict[str, bool]
    """Ids in their order; True where the chapter deleted the row."""
    events: dict[str, bool]
    constraints: list[str]


class Difference(msgspec.Struct, frozen=True):
    """Where a draft that was brought up to date said something else than it says now."""

    path: str
    draft: Any
    now: Any


def recorded(text: str) -> Recorded | None:
    """Read a chapter record. None when it is not one.

    The record joins commitments by `；` only when none of them holds one, and a single `无` stands
    for nothing; so reading back what `record.render` wrote loses nothing that it shows.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    title = _TITLE.fullmatch(lines[0])
    result = next((line for line in lines if line.startswith(_RESULT)), None)
    if title is None or result is None:
        return None
    parts = _sections(lines)
    characters, constraints = parts[SECTIONS[0]], parts[SECTIONS[3]]
    people = [found for line in characters if (found := _CHARACTER.fullmatch(line))]
    return Recorded(
        title[1],
        result[len(_RESULT) :],
        _commitments(lines),
        [(found[1], found[2] == "核心", found[3]) for found in people],
        _ids(parts[SECTIONS[1]]),
        _ids(parts[SECTIONS[2]]),
        constraints,
    )


def _sections(lines: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {heading: [] for heading in SECTIONS}
    current: list[str] = []
    for line in lines:
        if line.startswith("## "):
            current = found.setdefault(line.strip(), [])
        elif line.startswith("- "):
            current.append(line[2:])
    return {heading: [] if rows == [_NOTHING] else rows for heading, rows in found.items()}


def _commitments(lines: list[str]) -> list[str]:
    for number, line in enumerate(lines):
        if line.startswith(_COMMITMENTS):
            joined = line[len(_COMMITMENTS) :]
            if joined:
                return [] if joined == _NOTHING else joined.split("；")
            rest = lines[number + 1 :]
            end = next((i for i, row in enumerate(rest) if not row.startswith("  - ")), len(rest))
            return [row[4:] for row in rest[:end]]
    return []


def _ids(rows: list[str]) -> dict[str, bool]:
    pairs = [row.partition("｜") for row in rows]
    return {ident: rest == _DELETED for ident, bar, rest in pairs if bar}


# ---- documents -----------------------------------------------------------------------------------


def append_document(state: State, chapter: int, title: str) -> dict[str, Any]:
    """The draft of a new chapter: everything current, the place in time and the delta blank."""
    document = _document(state, "append", chapter, title)
    document["context"]["position"] |= {"story_time": "", "scene": ""}
    document["delta"] |= {"retired_context_items": [], "retired_characters": []}
    return document


def revision_document(
    state: State, chapter: int, title: str, record: Recorded | None, notes: list[Fault]
) -> dict[str, Any]:
    """The draft of a committed chapter: its own record, with the values that are current now."""
    document = _document(state, "revision", chapter, title)
    delta = document["delta"]
    if record is not None:
        delta |= {
            "result": record.result,
            "character_changes": [
                {"name": name, "change": change} for name, _, change in record.characters
            ],
            "foreshadow_changes": _rows(record.foreshadows, state.foreshadow, _foreshadow),
            "timeline_events": _rows(record.events, state.timeline, _event),
            "constraints": record.constraints,
            "next_chapter_commitments": record.commitments,
        }
        names = [name for name, _, _ in record.characters]
        document["character_snapshots"] = {
            name: snapshot_of(state.characters[name]) for name in names if name in state.characters
        }
        notes += _left_out(state, chapter, record)
    else:
        notes.append(Fault("draft_without_record", chapter=chapter))
        recent = {row.chapter: row.summary for row in state.context.recent_chapters}
        # A revision of a recent chapter rewrites its line in 近三章速记, so that line is the start.
        delta["result"] = recent.get(chapter, "")
    if chapter == state.last_committed_chapter:
        delta["next_chapter_commitments"] = list(state.context.next_chapter_commitments)
    return document


def _document(state: State, mode: str, chapter: int, title: str) -> dict[str, Any]:
    context, place = state.context, state.context.position
    return {
        "schema_version": INPUT_SCHEMA,
        "mode": mode,
        "chapter": chapter,
        "chapter_title": title,
        "expected_state_revision": state.state_revision,
        "delta": {
            "result": "",
            "character_changes": [],
            "foreshadow_changes": [],
            "timeline_events": [],
            "constraints": [],
            "next_chapter_commitments": [],
        },
        "context": {
            "position": {
                "volume": place.volume,
                "volume_start_chapter": place.volume_start_chapter,
                "story_time": place.story_time,
                "scene": place.scene,
            },
            "long_term_constraints": list(context.long_term_constraints),
            "active_character_names": list(context.active_character_names),
            "continuity_risks": list(context.continuity_risks),
        },
        "character_snapshots": {},
    }


def snapshot_of(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot as a document shows it, in the order in which people write it."""
    order = (
        "identity", "location", "goal", "state",
        "abilities_resources", "relationships", "knowledge", "open_threads",
    )  # fmt: skip
    return {key: getattr(snapshot, key) for key in order}


def _rows(ids: Mapping[str, bool], current: Mapping[str, Any], shown: Any) -> list[dict[str, Any]]:
    out = []
    for ident, deleted in ids.items():
        row = current.get(ident)
        if deleted and row is None:
            out.append({"action": "delete", "id": ident})
        elif not deleted and row is not None:
            out.append(shown(row))
    return out


def _foreshadow(row: Foreshadow) -> dict[str, Any]:
    return {
        "action": "upsert",
        "id": row.id,
        "summary": row.summary,
        "planted_chapter": row.planted_chapter,
        "planned_resolution_chapter": row.planned_resolution_chapter,
        "status": row.status,
        "importance": row.importance,
    }


def _event(row: Event) -> dict[str, Any]:
    return {
        "action": "upsert",
        "id": row.id,
        "story_time": row.story_time,
        "objective_fact": row.objective_fact,
        "reader_knowledge": row.reader_knowledge,
        "reveal_status": row.reveal_status,
        "reveal_chapter": row.reveal_chapter,
        "characters": list(row.characters),
    }


def _left_out(state: State, chapter: int, record: Recorded) -> list[Fault]:
    """What the record names and the draft does not hand in, because the ledger moved on."""
    skipped = [
        ident
        for ids, rows in ((record.foreshadows, state.foreshadow), (record.events, state.timeline))
        for ident, deleted in ids.items()
        if deleted == (ident in rows)
    ]
    gone = [name for name, core, _ in record.characters if core and name not in state.characters]
    notes = [Fault("draft_row_skipped", chapter=chapter, found=skipped)] if skipped else []
    if gone:
        notes.append(Fault("draft_character_gone", chapter=chapter, found=gone))
    return notes


# ---- bringing an older draft up to date ----------------------------------------------------------


def merged(
    old: Mapping[str, Any], fresh: dict[str, Any], known: Collection[str], gone: Collection[str]
) -> tuple[dict[str, Any], list[Difference]]:
    """An older draft on the present ledger: what was filled in is kept, the context is rebuilt.

    `fresh` is the draft as it would be written now, `known` the characters with a snapshot, `gone`
    those of the old draft's snapshots that left the ledger since. An old draft may hold anything:
    what is not of the right kind is left for the commit to judge, or replaced where it must be.
    """
    was, filled = _object(old.get("context")), _object(old.get("delta"))
    snapshots = {k: v for k, v in _object(old.get("character_snapshots")).items() if k not in gone}
    changed = {_written(row.get("name")) for row in _objects(filled.get("character_changes"))}
    for name, snapshot in fresh["character_snapshots"].items():
        if name in changed:
            snapshots.setdefault(name, snapshot)
    context = fresh["context"]
    if fresh["mode"] == "append":
        context = _append_context(was, filled, context, {*known, *snapshots})
    document = {
        **fresh,
        **{key: value for key, value in old.items() if key not in fresh},
        "chapter_title": _written(old.get("chapter_title")) or fresh["chapter_title"],
        "delta": {**fresh["delta"], **filled},
        "context": context,
        "character_snapshots": snapshots,
    }
    return document, _differences(was, context, document, fresh)


def _append_context(
    was: Mapping[str, Any], filled: Mapping[str, Any], now: dict[str, Any], known: Collection[str]
) -> dict[str, Any]:
    place = _object(was.get("position"))
    out = dict(now)
    out["position"] = {
        key: (_written(place.get(key)) or value) if key in ("story_time", "scene") else value
        for key, value in now["position"].items()
    }
    retired = set(_texts(filled.get("retired_context_items")))
    current = {item for side in SIDES for item in now[side]}
    for side in SIDES:
        more = [item for item in _texts(was.get(side)) if item not in current]
        out[side] = [item for item in [*now[side], *more] if item not in retired]
    leaving = set(_texts(filled.get("retired_characters")))
    names = dict.fromkeys([*now["active_character_names"], *_texts(was.get(_ACTIVE))])
    out[_ACTIVE] = [
        name
        for name in names
        if name not in leaving and (name in known or name in now["active_character_names"])
    ]
    return out


_ACTIVE: Final = "active_character_names"


def _differences(
    was: Mapping[str, Any],
    context: Mapping[str, Any],
    document: Mapping[str, Any],
    fresh: Mapping[str, Any],
) -> list[Difference]:
    place = _object(was.get("position"))
    pairs = [
        (f"$.context.position.{key}", place[key], value)
        for key, value in context["position"].items()
        if _written(place.get(key)) or isinstance(place.get(key), int)
    ]
    pairs += [(f"$.context.{k}", was[k], context[k]) for k in (*SIDES, _ACTIVE) if k in was]
    # Prefilled rows and snapshots that moved on in the ledger while the draft lay there.
    for key in ("foreshadow_changes", "timeline_events"):
        current = {row["id"]: row for row in fresh["delta"][key]}
        for index, row in enumerate(_objects(document["delta"].get(key))):
            now = current.get(_written(row.get("id")))
            if now is not None:
                pairs.append((child(f"$.delta.{key}", index), row, now))
    for name, snapshot in fresh["character_snapshots"].items():
        if name in document["character_snapshots"]:
            path = child("$.character_snapshots", name)
            pairs.append((path, document["character_snapshots"][name], snapshot))
    return [Difference(path, draft, now) for path, draft, now in pairs if draft != now]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _texts(value: Any) -> list[str]:
    rows = value if isinstance(value, list) else []
    return [text for row in rows if (text := _written(row))]


def _written(value: Any) -> str:
    """The cleaned text of a field that was filled in, else nothing."""
    return clean(value) if isinstance(value, str) else ""
