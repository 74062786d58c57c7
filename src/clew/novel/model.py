"""The types of the ledger, written down once: reading, checking, schema and documentation use them.

Pure. Source: the seed (逐章事务, 约束) and the schema-4 state format. Caps are UTF-8 bytes.
Fields stand in code-point order, which is the order of the keys on disk.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from clew.kernel.validate import ident, items, keys, name, text

STATE_SCHEMA: Final = 4
INPUT_SCHEMA: Final = 1
METRIC: Final = "visible_chars_v1"

CARD_BYTES: Final = 12_288
CARD_WARN: Final = 8_192
SNAPSHOT_BYTES: Final = 8_192
SNAPSHOT_WARN: Final = 4_096
RECORD_BYTES: Final = 3_072
RECORD_WARN: Final = 1_536
RECENT: Final = 3
ACTIVE_FORESHADOWS: Final = 8

Name = Annotated[str, name()]
Short = Annotated[str, text(240)]
Goal = Annotated[str, text(300)]
Summary = Annotated[str, text(360)]
Item = Annotated[str, text(384)]
Fact = Annotated[str, text(480)]
Person = Annotated[str, text(120)]
# The patterns hold where bytes are read without being judged: a state or a history that says of
# itself that it is ours.
ForeshadowId = Annotated[
    str,
    ident(r"F[0-9]{3,}", "F001, F002 … (F + 3 or more digits)"),
    Meta(pattern=r"\AF[0-9]{3,23}\Z"),
]
EventId = Annotated[
    str,
    ident(r"E[0-9]{3,}", "E001, E002 … (E + 3 or more digits)"),
    Meta(pattern=r"\AE[0-9]{3,23}\Z"),
]
ChapterKey = Annotated[str, Meta(pattern=r"\A[1-9][0-9]{0,15}\Z")]
Count = Annotated[int, Meta(ge=0, le=9_007_199_254_740_991)]
Chapter = Annotated[int, Meta(ge=1, le=9_999_999)]
Revision = Annotated[int, Meta(ge=0, le=9_007_199_254_740_991)]
Hex = Annotated[str, ident(r"[0-9a-f]{64}", "64 lower-case hex digits", 64)]

ForeshadowStatus = Literal["已埋", "已回收", "已过期", "放弃"]
Importance = Literal["高", "中", "低"]
RevealStatus = Literal["未揭示", "部分揭示", "已揭示"]
Action = Literal["upsert", "delete"]
Mode = Literal["append", "revision"]


class Position(msgspec.Struct, frozen=True):
    """Where the story stands."""

    scene: Short
    story_time: Short
    volume: Name
    volume_start_chapter: Chapter


class Recent(msgspec.Struct, frozen=True):
    """One of the last three chapters in a line."""

    chapter: Chapter
    summary: Summary


class Context(msgspec.Struct, frozen=True):
    """What the next chapter needs at hand (上下文)."""

    position: Position
    active_character_names: Annotated[list[Name], items(20, unique="")] = []
    continuity_risks: Annotated[list[Item], items(5)] = []
    long_term_constraints: Annotated[list[Item], items(6)] = []
    next_chapter_commitments: Annotated[list[Item], items(5)] = []
    recent_chapters: Annotated[list[Recent], items(RECENT)] = []


class CommitContext(msgspec.Struct, frozen=True):
    """The four fields of the context that a transaction hands over whole."""

    position: Position
    active_character_names: Annotated[list[Name], items(20, unique="")] = []
    continuity_risks: Annotated[list[Item], items(5)] = []
    long_term_constraints: Annotated[list[Item], items(6)] = []


class Snapshot(msgspec.Struct, frozen=True):
    """A core character as of now (角色快照)."""

    goal: Goal
    identity: Short
    location: Short
    state: Goal
    abilities_resources: list[Item] = []
    knowledge: list[Item] = []
    open_threads: list[Item] = []
    relationships: list[Item] = []


class Foreshadow(msgspec.Struct, frozen=True):
    """A foreshadow that has been planted (伏笔)."""

    id: ForeshadowId
    importance: Importance
    planned_resolution_chapter: Chapter | None
    planted_chapter: Chapter
    status: ForeshadowStatus
    summary: Summary
    updated_chapter: Chapter


class Event(msgspec.Struct, frozen=True):
    """A fact of the story's past and what the reader knows of it (时间线)."""

    first_recorded_chapter: Chapter
    id: EventId
    objective_fact: Fact
    reader_knowledge: Fact
    reveal_chapter: Chapter | None
    reveal_status: RevealStatus
    story_time: Short
    updated_chapter: Chapter
    characters: Annotated[list[Person], items(12)] = []


class AuthorRange(msgspec.Struct, frozen=True):
    """Lengths the author asked for, in visible characters."""

    max: Count
    min: Count


class WordRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """The length of a committed chapter's body, and the body it was counted on."""

    actual: Chapter
    body_sha256: Hex
    metric: Literal["visible_chars_v1"]
    resolution: Literal["within_user_band", "accepted_current_length"]
    status: Literal["internal_pass", "borderline", "under", "over"]
    target: Annotated[int, Meta(ge=1, le=9_007_199_254_740_991)]
    author_range: AuthorRange | None = None


class State(msgspec.Struct, frozen=True):
    """`追踪/_tracking-state.json`, schema 4: the authority."""

    book_title: Short
    context: Context
    imported_through_chapter: Count
    last_committed_chapter: Count
    schema_version: int
    state_revision: Revision
    characters: Annotated[dict[str, Snapshot], keys("name")] = {}
    foreshadow: Annotated[dict[ForeshadowId, Foreshadow], keys(r"F[0-9]{3,}")] = {}
    timeline: Annotated[dict[EventId, Event], keys(r"E[0-9]{3,}")] = {}
    wordcount_records: Annotated[dict[ChapterKey, WordRecord], keys(r"[1-9][0-9]*")] = {}


class CharacterChange(msgspec.Struct, frozen=True):
    """What a chapter changed for one character."""

    change: Summary
    name: Name


class ForeshadowChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A foreshadow planted, moved on, resolved or deleted. `delete` needs the id only."""

    id: ForeshadowId
    action: Action = "upsert"
    importance: Importance | None = None
    planned_resolution_chapter: Chapter | None = None
    planted_chapter: Chapter | None = None
    status: ForeshadowStatus | None = None
    summary: Summary | None = None


class EventChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A timeline event recorded, corrected, revealed or deleted. `delete` needs the id only."""

    id: EventId
    action: Action = "upsert"
    characters: Annotated[list[Person], items(12)] = []
    objective_fact: Fact | None = None
    reader_knowledge: Fact | None = None
    reveal_chapter: Chapter | None = None
    reveal_status: RevealStatus | None = None
    story_time: Short | None = None


class Delta(msgspec.Struct, frozen=True):
    """What a chapter established. `result` is capped where 近三章速记 is: 360 bytes."""

    result: Summary
    character_changes: Annotated[list[CharacterChange], items(unique="name")] = []
    constraints: Annotated[list[Item], items(6)] = []
    foreshadow_changes: Annotated[list[ForeshadowChange], items(unique="id")] = []
    next_chapter_commitments: Annotated[list[Item], items(5)] = []
    retired_characters: Annotated[list[Name], items(unique="")] = []
    retired_context_items: Annotated[list[Item], items(11)] = []
    timeline_events: Annotated[list[EventChange], items(unique="id")] = []


class Chaptered(msgspec.Struct, frozen=True, omit_defaults=True):
    """One chapter's transaction (逐章事务), as an author or an agent hands it in."""

    chapter: Chapter
    chapter_title: Short
    context: CommitContext
    delta: Delta
    expected_state_revision: Revision
    mode: Mode
    schema_version: int
    character_snapshots: Annotated[dict[str, Snapshot], keys("name")] = {}
    wordcount: WordRecord | None = None
    """Never in an author's file: `chapter commit` counts and adds it in the same moment."""


class Init(msgspec.Struct, frozen=True):
    """The document that starts a ledger (初始化事务)."""

    book_title: Short
    context: Context
    last_chapter: Count
    schema_version: int
    character_snapshots: Annotated[dict[str, Snapshot], keys("name")] = {}
    foreshadow: Annotated[list[ForeshadowChange], items(unique="id")] = []
    timeline_events: Annotated[list[EventChange], items(unique="id")] = []


def id_number(ident: str) -> int:
    """The number of an id, by which foreshadows and events sort: F1000 comes after F101."""
    return int(ident[1:])


def chapter_label(number: int) -> str:
    """`第007章`: at least three digits, more where the number has more."""
    return f"第{number:03d}章"
