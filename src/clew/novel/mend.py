"""The ways out: `undo --to-history`, `history repair`, `recover`.

For a ledger that something other than clew changed, a history that a merge broke, and a change that
was interrupted while someone edited its files. Nothing is thrown away: what does not stay goes
aside. Source: the design of the ledger («Rules beyond the seed»).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from clew.kernel.document import digest
from clew.kernel.errors import ChangedOutside, ClewError, Corrupt, Missing
from clew.kernel.faults import Fault
from clew.kernel.vault import Reader
from clew.novel import history, marks, views
from clew.novel.history import Line, Publication, Silence
from clew.novel.ledger import HISTORY, STATE, Ledger, record_path
from clew.novel.model import State
from clew.novel.start import baseline, present_state, record_texts
from clew.novel.timetravel import Turned


def restore(ledger: Ledger, notes: list[Fault]) -> Turned:
    """`undo --to-history`: put back the state that the history says; what lies there goes aside."""
    with ledger.changing(notes) as tx:
        lines = ledger.lines(tx)
        if not lines:
            raise Missing(Fault("missing_file", file=HISTORY))
        _, faults = history.verify(lines)
        if faults:
            raise Corrupt(*faults)
        state = history.replay(lines)
        data = history.encode_state(state)
        found = tx.read(STATE)
        if found is not None and found != data:
            notes.append(Fault("edit_set_aside", file=STATE, found=tx.set_aside(STATE)))
        notes += [
            Fault("edit_set_aside", file=path, found=ledger.move_aside(tx, path))
            for path in _foreign(ledger, tx, found, state)
        ]
        tx.write(STATE, data, truth=True)
        ledger.put_views(tx, state, state, notes)
        ledger.put_records(tx, notes)
    return Turned(
        last_committed_chapter=state.last_committed_chapter,
        state_revision=state.state_revision,
        restored=True,
        set_aside=list(tx.report.set_aside),
    )


def _foreign(ledger: Ledger, reader: Reader, raw: bytes | None, state: State) -> list[str]:
    """Files that go with the state which is put aside: views of characters that only it has, and
    records of chapters beyond the history's last."""
    last = state.last_committed_chapter
    paths = [record_path(n) for n in record_texts(reader) if n > last]
    try:
        other = ledger.judge(raw) if raw is not None else state
    except ClewError:
        other = state  # not readable as a state: what belongs to it cannot be told
    names = [name for name in other.characters if name not in state.characters]
    views_of = [views.character_path(name) for name in names]
    return paths + [path for path in views_of if reader.read(path) is not None]


def repair(ledger: Ledger, notes: list[Fault]) -> Turned:
    """`history repair`: every line goes aside as it is, the present state is the new baseline.

    For a history that a merge or a cloud folder broke; one that is whole is left as it is. Chapter
    records are kept as they lie.
    """
    with ledger.changing(notes) as tx:
        state = present_state(ledger, tx)
        if _whole(ledger, tx):
            return Turned(
                last_committed_chapter=state.last_committed_chapter,
                state_revision=state.state_revision,
            )
        if tx.read(HISTORY) is not None:
            notes.append(Fault("edit_set_aside", file=HISTORY, found=tx.set_aside(HISTORY)))
        line = baseline(ledger, tx, state, previous="")
        data = b"".join(row + b"\n" for row in _with_marks(line, state, ledger.lines(tx)))
        tx.write(HISTORY, data, truth=True)
        tx.write(STATE, history.encode_state(state), truth=True)
        ledger.put_views(tx, state, state, notes)
    return Turned(
        last_committed_chapter=state.last_committed_chapter,
        state_revision=state.state_revision,
        restored=True,
        set_aside=list(tx.report.set_aside),
    )


def _with_marks(line: Line, state: State, old: list[bytes]) -> list[bytes]:
    """The new baseline, and the marks of the old history that can still be read."""
    rows = [history.dump(line)]
    kept = marks.of_lines(old)
    every: list[Silence | Publication] = [*kept.silences.values(), *kept.published.values()]
    for mark in every:
        rows.append(history.dump(marks.line_of(mark, state, digest(rows[-1]), line.time)))
    return rows


def _whole(ledger: Ledger, reader: Reader) -> bool:
    lines = ledger.lines(reader)
    try:
        ledger.load(reader)
        for data in lines:  # a chain that holds may hold a line that is none, or leads elsewhere
            history.load(data)
        history.replay(lines)
    except ClewError:
        return False
    return bool(lines) and not history.verify(lines)[1]


class Conflict(msgspec.Struct, frozen=True):
    """A file that was edited while a change waited in the journal."""

    file: str
    disk_sha256: str | None
    journal_sha256: str | None
    disk: str
    journal: str


class Recovered(msgspec.Struct, frozen=True, kw_only=True):
    """What `recover` found or did."""

    status: str = "ok"
    pending: bool
    conflicts: list[Conflict] = []
    kept: Literal["disk", "journal"] | None = None
    rolled_forward: list[str] = []
    set_aside: list[str] = []


def recover(
    ledger: Ledger, notes: list[Fault], *, keep: Literal["disk", "journal"] | None = None
) -> Recovered:
    """Complete an interrupted change; with `keep`, decide the files that someone edited meanwhile.

    Without `keep` and with such files both sides are shown and nothing is changed (exit 1).
    """
    if not ledger.vault.pending(ledger.scope):
        return Recovered(pending=False)
    try:
        with ledger.vault.transaction(ledger.scope, timeout=ledger.lock_timeout, keep=keep) as tx:
            recovery = tx.recovery
            if keep != "disk":
                ledger.repair(tx, notes)
    except ChangedOutside as conflict:
        if keep is not None or conflict.code != "recovery_conflict":
            raise
        return Recovered(
            status="needs_decision",
            pending=True,
            conflicts=[_conflict(ledger, fault.facts["file"]) for fault in conflict.faults],
        )
    return Recovered(
        pending=True,
        kept=keep,
        rolled_forward=list(recovery.rolled_forward),
        set_aside=list(tx.report.set_aside),
    )


def _conflict(ledger: Ledger, path: str) -> Conflict:
    disk = _bytes(ledger, path)
    journal = ledger.vault.reader(ledger.scope).read(path)
    return Conflict(
        path,
        digest(disk) if disk is not None else None,
        digest(journal) if journal is not None else None,
        _shown(disk, journal),
        _shown(journal, disk),
    )


def _bytes(ledger: Ledger, path: str) -> bytes | None:
    try:
        return ledger.vault.files.read(ledger.vault.real(path))
    except FileNotFoundError:
        return None


def _shown(data: bytes | None, other: bytes | None) -> str:
    """The first lines in which one side differs from the other, short."""
    if data is None:
        return ""
    others = set((other or b"").split(b"\n"))
    lines = [line for line in data.split(b"\n") if line not in others]
    return b"\n".join(lines[:8]).decode("utf-8", "replace")[:600]
