"""Time travel: `history`, `at`, `diff`, `undo`, `redo`, `undo --to-history`, `history repair`.

Source: the design of the history (every change is listable and undoable). `undo` is a new revision
that restores the state before the last commit, all but the revision number, with views and chapter
record; undoing again walks further back, `redo` forward, a new commit ends that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from clew.kernel.errors import Corrupt, Missing, Refused
from clew.kernel.faults import Fault
from clew.kernel.text import portable_key
from clew.kernel.vault import Reader
from clew.novel import history
from clew.novel.apply import Patch, patch
from clew.novel.commit import ready
from clew.novel.history import Brief, Line, RecordChange
from clew.novel.ledger import HISTORY, STATE, Ledger, Loaded
from clew.novel.model import State


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the history, for people."""

    revision: int
    kind: str
    time: str
    chapter: int | None = None
    title: str = ""
    result: str = ""
    characters: list[str] = []
    foreshadows: list[str] = []
    events: list[str] = []
    undoes: int | None = None
    finding: str = ""
    """What a `silence` is about."""
    reason: str = ""
    lifted: bool = False
    """Of a `silence`: the author wants to hear of it again."""
    withdrawn: bool = False
    """Of a `publish`: the mark was taken back."""


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """The history, oldest first."""

    status: str = "ok"
    entries: list[Entry]


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """The state at a point of the past."""

    status: str = "ok"
    revision: int
    chapter: int
    state: State


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What changed between two points: for every changed row its value before and after."""

    status: str = "ok"
    revisions: tuple[int, int]
    changes: list[Change]


class Change(msgspec.Struct, frozen=True):
    """One value that differs. `before` or `after` is null where there was none."""

    path: str
    before: Any
    after: Any


class Turn(msgspec.Struct, frozen=True):
    """The commit that was taken back or brought back."""

    kind: str
    chapter: int | None
    revision: int


class Turned(msgspec.Struct, frozen=True, kw_only=True):
    """What `undo` or `redo` did."""

    status: str = "ok"
    last_committed_chapter: int
    state_revision: int
    undone: Turn | None = None
    redone: Turn | None = None
    restored: bool = False
    set_aside: list[str] = []


def entries(
    ledger: Ledger, *, character: str | None = None, foreshadow: str | None = None
) -> Listing:
    """List the history, or only what touched one character or one foreshadow."""
    lines, _ = verified(ledger)
    wanted = None if character is None else portable_key(character)
    out = []
    for data in lines:
        entry = _entry(history.load(data))
        if wanted is not None and wanted not in map(portable_key, entry.characters):
            continue
        if foreshadow is not None and foreshadow not in entry.foreshadows:
            continue
        out.append(entry)
    return Listing(entries=out)


def _entry(line: Line) -> Entry:
    change = line.before or Patch()
    delta = line.transaction.delta if line.transaction else None
    people = (
        {*change.characters, *(row.name for row in delta.character_changes)}
        if delta
        else set(change.characters)
    )
    return Entry(
        revision=line.revision,
        kind=line.kind,
        time=line.time,
        chapter=line.chapter,
        title=line.transaction.chapter_title if line.transaction else "",
        result=delta.result if delta else "",
        characters=sorted(people),
        foreshadows=sorted(change.foreshadow, key=lambda ident: int(ident[1:])),
        events=sorted(change.timeline, key=lambda ident: int(ident[1:])),
        undoes=line.undoes,
        finding=line.silence.finding if line.silence else "",
        reason=line.silence.reason if line.silence else "",
        lifted=line.silence is not None and line.silence.lifted,
        withdrawn=line.publication is not None and line.publication.withdrawn,
    )


def verified(ledger: Ledger) -> tuple[list[bytes], list[Brief]]:
    """Lines and briefs of a history whose chain holds. Raises `Corrupt` where it breaks."""

    def read(reader: Reader) -> list[bytes]:
        if reader.read(STATE) is None and reader.tail(HISTORY).line is None:
            raise Missing(Fault("ledger_missing", file=STATE))
        return ledger.lines(reader)

    lines = ledger.look(read)
    briefs, faults = history.verify(lines)
    if faults:
        raise Corrupt(*faults)
    return lines, briefs


def at(ledger: Ledger, *, chapter: int | None = None, revision: int | None = None) -> Moment:
    """The state right after a chapter was appended, or at a revision.

    Raises `Refused` (`no_such_point`) for a point that the history does not hold.
    """

    def read(reader: Reader) -> tuple[Loaded, list[bytes]]:
        return ledger.load(reader), ledger.lines(reader)

    loaded, lines = ledger.look(read)
    briefs, faults = history.verify(lines)
    if faults:
        raise Corrupt(*faults)
    index = _index(briefs, chapter=chapter, revision=revision)
    state = history.back_to(loaded.state, lines, index)
    return Moment(
        revision=briefs[index].revision, chapter=state.last_committed_chapter, state=state
    )


def _index(briefs: Sequence[Brief], *, chapter: int | None, revision: int | None) -> int:
    if revision is not None:
        found = [
            i
            for i, b in enumerate(briefs)
            if b.revision == revision and b.kind not in history.MARKS
        ]
        if found:
            return found[-1]
        span = f"{briefs[0].revision}..{briefs[-1].revision}" if briefs else "-"
        raise Refused(Fault("no_such_point", found=f"--revision {revision}", allowed=span))
    points = dict(history.appended(briefs))
    if chapter in points:
        return points[chapter]
    numbers = sorted(points)
    span = f"{numbers[0]}..{numbers[-1]}" if numbers else "-"
    raise Refused(Fault("no_such_point", found=chapter, allowed=span))


def diff(ledger: Ledger, a: int, b: int, *, revisions: bool = False) -> Difference:
    """What changed between chapters `a` and `b` (or revisions), row by row."""
    key = "revision" if revisions else "chapter"
    first, second = at(ledger, **{key: a}), at(ledger, **{key: b})
    return Difference(
        revisions=(first.revision, second.revision), changes=changes(first.state, second.state)
    )


def changes(before: State, after: State) -> list[Change]:
    """The rows in which two states differ, each with both values."""
    forward, backward = patch(before, after), patch(after, before)
    out = []
    for name in ("book_title", "imported_through_chapter", "last_committed_chapter"):
        value = getattr(forward, name)
        if value is not None:
            out.append(Change(name, getattr(before, name), value))
    if forward.context is not None:
        old, new = msgspec.to_builtins(before.context), msgspec.to_builtins(after.context)
        out += [Change(f"context.{k}", old[k], new[k]) for k in sorted(new) if old[k] != new[k]]
    for name in ("characters", "foreshadow", "timeline", "wordcount_records"):
        rows, olds = getattr(forward, name), getattr(backward, name)
        for key in sorted(rows, key=lambda k: (len(k), k)):
            was, now = msgspec.to_builtins(olds.get(key)), msgspec.to_builtins(rows[key])
            out.append(Change(f"{name}.{key}", was, now))
    return out


def undo(ledger: Ledger, notes: list[Fault]) -> Turned:
    """Take back the last commit that is not taken back yet, as a new revision."""
    return _turn(ledger, notes, "undo")


def redo(ledger: Ledger, notes: list[Fault]) -> Turned:
    """Bring back what the last undo took back, as a new revision."""
    return _turn(ledger, notes, "redo")


def _turn(ledger: Ledger, notes: list[Fault], kind: str) -> Turned:
    from clew.novel.marks import of_lines

    undoing = kind == "undo"
    with ledger.changing(notes) as tx:
        loaded = ready(ledger, tx)
        lines = ledger.lines(tx)
        briefs, faults = history.verify(lines)
        if faults:
            raise Corrupt(*faults)
        index = history.undoable(briefs) if undoing else history.redoable(briefs)
        if index is None:
            raise Refused(Fault(f"nothing_to_{kind}"))
        line = history.load(lines[index])
        if undoing and line.chapter in of_lines(lines).published:
            notes.append(Fault("published_chapter_undone", chapter=line.chapter))
        revision = loaded.state.state_revision + 1
        if undoing:
            after = msgspec.structs.replace(
                history.back(loaded.state, line), state_revision=revision
            )
        else:
            stepped = history.step(loaded.state, line)
            after = msgspec.structs.replace(stepped, state_revision=revision)
        records = {
            int(n): RecordChange(before=c.after, after=c.before) if undoing else c
            for n, c in line.records.items()
        }
        ledger.advance(
            tx, loaded, after, records=records, notes=notes,
            kind=kind, chapter=line.chapter, undoes=line.revision,
            before=patch(after, loaded.state), after=patch(loaded.state, after),
        )  # fmt: skip
    turn = Turn(line.kind, line.chapter, line.revision)
    return Turned(
        last_committed_chapter=after.last_committed_chapter,
        state_revision=after.state_revision,
        undone=turn if undoing else None,
        redone=None if undoing else turn,
        set_aside=list(tx.report.set_aside),
    )
