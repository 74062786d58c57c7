"""Applying a checked transaction to a state, and the difference between two states.

Pure. Source: the seed (`mode=revision` …, 两类退役 …) and the merge semantics of schema 4. `apply`
expects a transaction that `rules` found no fault in.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from operator import is_not
from typing import Any, NamedTuple, TypeVar

import msgspec

from clew.novel.model import (
    RECENT,
    STATE_SCHEMA,
    Chaptered,
    ChapterKey,
    Context,
    Event,
    EventChange,
    EventId,
    Foreshadow,
    ForeshadowChange,
    ForeshadowId,
    Init,
    Recent,
    Snapshot,
    State,
    WordRecord,
)

Row = TypeVar("Row")


class Applied(NamedTuple):
    """A new state, and what left the context with it."""

    state: State
    dropped_items: tuple[str, ...]
    """Context items that were retired now, sorted."""


def begin(document: Init) -> State:
    """The state of revision 0. Imported chapters are those up to `last_chapter`."""
    through = max(1, document.last_chapter)
    return State(
        book_title=document.book_title,
        context=document.context,
        imported_through_chapter=document.last_chapter,
        last_committed_chapter=document.last_chapter,
        schema_version=STATE_SCHEMA,
        state_revision=0,
        characters=dict(document.character_snapshots),
        foreshadow={row.id: _planted(row, None, through) for row in document.foreshadow},
        timeline={row.id: _recorded(row, None, through) for row in document.timeline_events},
        wordcount_records={},
    )


def apply(state: State, tx: Chaptered) -> Applied:
    """The state after a transaction: revision + 1, chapter + 1 when it appends."""
    append = tx.mode == "append"
    last = tx.chapter if append else state.last_committed_chapter
    delta = tx.delta
    characters = {**state.characters, **tx.character_snapshots}
    for name in delta.retired_characters:
        characters.pop(name, None)
    foreshadow = dict(state.foreshadow)
    for planted in delta.foreshadow_changes:
        if planted.action == "delete":
            foreshadow.pop(planted.id, None)
        else:
            foreshadow[planted.id] = _planted(planted, foreshadow.get(planted.id), tx.chapter)
    timeline = dict(state.timeline)
    for event in delta.timeline_events:
        if event.action == "delete":
            timeline.pop(event.id, None)
        else:
            timeline[event.id] = _recorded(event, timeline.get(event.id), tx.chapter)
    words = state.wordcount_records
    if tx.wordcount is not None:
        words = {**words, str(tx.chapter): tx.wordcount}
    after = State(
        book_title=state.book_title,
        context=_context(state.context, tx, append or tx.chapter == last),
        imported_through_chapter=state.imported_through_chapter,
        last_committed_chapter=last,
        schema_version=STATE_SCHEMA,
        state_revision=state.state_revision + 1,
        characters=characters,
        foreshadow=foreshadow,
        timeline=timeline,
        wordcount_records=words,
    )
    now = {*tx.context.long_term_constraints, *tx.context.continuity_risks}
    before = {*state.context.long_term_constraints, *state.context.continuity_risks}
    return Applied(after, tuple(sorted(before - now)))


def _context(old: Context, tx: Chaptered, newest: bool) -> Context:
    recent = {row.chapter: row for row in old.recent_chapters}
    if tx.mode == "append" or tx.chapter in recent:
        recent[tx.chapter] = Recent(tx.chapter, tx.delta.result)
    return Context(
        position=tx.context.position,
        active_character_names=tx.context.active_character_names,
        continuity_risks=tx.context.continuity_risks,
        long_term_constraints=tx.context.long_term_constraints,
        next_chapter_commitments=(
            tx.delta.next_chapter_commitments if newest else old.next_chapter_commitments
        ),
        recent_chapters=[recent[n] for n in sorted(recent)][-RECENT:],
    )


def _planted(row: ForeshadowChange, old: Foreshadow | None, chapter: int) -> Foreshadow:
    assert row.summary and row.status and row.importance and row.planted_chapter
    return Foreshadow(
        id=row.id,
        importance=row.importance,
        planned_resolution_chapter=row.planned_resolution_chapter,
        planted_chapter=row.planted_chapter,
        status=row.status,
        summary=row.summary,
        updated_chapter=max(chapter, old.updated_chapter if old else 0),
    )


def _recorded(row: EventChange, old: Event | None, chapter: int) -> Event:
    assert row.story_time and row.objective_fact and row.reader_knowledge and row.reveal_status
    return Event(
        first_recorded_chapter=old.first_recorded_chapter if old else chapter,
        id=row.id,
        objective_fact=row.objective_fact,
        reader_knowledge=row.reader_knowledge,
        reveal_chapter=row.reveal_chapter,
        reveal_status=row.reveal_status,
        story_time=row.story_time,
        updated_chapter=max(chapter, old.updated_chapter if old else 0),
        characters=row.characters,
    )


class Patch(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to get from one state to another: changed values, `None` for a key that is not there."""

    book_title: str | None = None
    context: Context | None = None
    imported_through_chapter: int | None = None
    last_committed_chapter: int | None = None
    characters: dict[str, Snapshot | None] = {}
    foreshadow: dict[ForeshadowId, Foreshadow | None] = {}
    timeline: dict[EventId, Event | None] = {}
    wordcount_records: dict[ChapterKey, WordRecord | None] = {}


def patch(source: State, target: State) -> Patch:
    """The values of `target` wherever `source` differs. The revision is not part of it."""

    def scalar(name: str) -> Any:
        value = getattr(target, name)
        return value if value != getattr(source, name) else None

    return Patch(
        book_title=scalar("book_title"),
        context=scalar("context"),
        imported_through_chapter=scalar("imported_through_chapter"),
        last_committed_chapter=scalar("last_committed_chapter"),
        characters=_rows(source.characters, target.characters),
        foreshadow=_rows(source.foreshadow, target.foreshadow),
        timeline=_rows(source.timeline, target.timeline),
        wordcount_records=_rows(source.wordcount_records, target.wordcount_records),
    )


def _rows(source: Mapping[str, Row], target: Mapping[str, Row]) -> dict[str, Row | None]:
    if source is target:
        return {}
    # Unchanged rows are shared between states of one process: identity answers first.
    other = compress(target.items(), map(is_not, target.values(), map(source.get, target)))
    out: dict[str, Row | None] = {key: row for key, row in other if source.get(key) != row}
    if len(source) + sum(key not in source for key in out) > len(target):
        out |= {key: None for key in source if key not in target}
    return out


def patched(state: State, change: Patch, revision: int) -> State:
    """`state` with a patch applied, at `revision`."""

    def scalar(name: str) -> Any:
        value = getattr(change, name)
        return getattr(state, name) if value is None else value

    return State(
        book_title=scalar("book_title"),
        context=scalar("context"),
        imported_through_chapter=scalar("imported_through_chapter"),
        last_committed_chapter=scalar("last_committed_chapter"),
        schema_version=STATE_SCHEMA,
        state_revision=revision,
        characters=_merged(state.characters, change.characters),
        foreshadow=_merged(state.foreshadow, change.foreshadow),
        timeline=_merged(state.timeline, change.timeline),
        wordcount_records=_merged(state.wordcount_records, change.wordcount_records),
    )


def _merged(rows: Mapping[str, Row], change: Mapping[str, Row | None]) -> dict[str, Row]:
    out = dict(rows)
    for key, row in change.items():
        if row is None:
            out.pop(key, None)
        else:
            out[key] = row
    return out
