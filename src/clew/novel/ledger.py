"""The ledger on its vault: reading the authority, and moving it on by one revision.

May touch files through the vault only. Everything that changes a ledger goes through `advance`:
state, history line, chapter records and views are one transaction of the kernel.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from clew.kernel import document, log
from clew.kernel.clock import Clock, stamp, system_clock
from clew.kernel.errors import (
    ChangedOutside,
    ClewError,
    Corrupt,
    Missing,
    NewerSchema,
    Refused,
    StorageFailed,
)
from clew.kernel.faults import Both, Fault
from clew.kernel.folder import FolderVault
from clew.kernel.vault import Reader, Scope, Transaction
from clew.novel import history, views
from clew.novel.encoding import StateText
from clew.novel.history import Brief, Line, RecordChange
from clew.novel.model import State, chapter_label

T = TypeVar("T")
FOLDER: Final = views.FOLDER
STATE: Final = f"{FOLDER}/_tracking-state.json"
HISTORY: Final = history.PATH
RECORDS: Final = f"{FOLDER}/逐章记录"
WORK: Final = ".story/work"
SCOPE: Final = Scope("novel", FOLDER, f"{FOLDER}/.tracking-commit.lock", f"{FOLDER}/.clew")
STATE_BYTES: Final = 256_000_000
"""Cap of a state that another tool wrote; a book of 10 000 chapters has about 5 MB."""
_RETIRED: Final[tuple[str, ...]] = (
    "_tracking-meta.json", "阶段摘要.md", "角色状态.md", "时间线.md", "摘要", "时间线/事件库.json",
)  # fmt: skip
_DECODE_STATE: Final = msgspec.json.Decoder(State)


class Loaded(NamedTuple):
    """The authority as read."""

    state: State
    last: Brief | None
    """The last line of the history; None on a ledger that another tool kept."""
    last_digest: str
    torn: int
    """Bytes of a torn line at the end of the history."""


class Ledger:
    """A book folder with its ledger.

    `lock_timeout` (seconds) bounds every wait for another writer. `vault` and `clock` are
    injectable.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        vault: FolderVault | None = None,
        clock: Clock = system_clock,
        lock_timeout: float = 10.0,
    ) -> None:
        self.vault = vault or FolderVault(root, clock=clock)
        self.clock = clock
        self.lock_timeout = lock_timeout
        self.said: list[Fault] = []
        """Notes of what a reading command completed before it read; a face shows them."""
        self._cached: tuple[str, State] | None = None
        self.memo = views.Memo()
        self._text = StateText()
        self._rendered: tuple[State | None, dict[str, bytes]] = (None, {})

    @property
    def scope(self) -> Scope:
        """What a change of this ledger locks."""
        return SCOPE

    @property
    def root(self) -> str:
        """The book folder, with symbolic links followed."""
        return self.vault.root

    # ---- reading -------------------------------------------------------------------------------

    def load(self, reader: Reader) -> Loaded:
        """Read the authority and hold it against the last line of its history.

        Raises `Missing` (`ledger_missing`), `Corrupt` with every fault of the state,
        `NewerSchema`, or `ChangedOutside` when the state is not what the history ends in.
        """
        raw = reader.read(STATE)
        tail = reader.tail(HISTORY)
        if raw is None:
            code = "ledger_missing" if tail.line is None else "state_lost"
            raise Missing(Fault(code, file=STATE))
        last = history.brief(tail.line) if tail.line is not None else None
        if tail.line is not None and last is None:
            reason = Both("最后一行无法读取", "the last line cannot be read")
            raise Corrupt(Fault("history_broken", file=HISTORY, line="-1", reason=reason))
        sha = document.digest(raw)
        if last is not None and last.state_sha256 == sha:
            # Bytes that we wrote ourselves were judged before they were written.
            state = self._decode(sha, raw)
        else:
            state = self.judge(raw)
            ours = document.digest(history.encode_state(state))
            if last is not None and ours != last.state_sha256:
                here, there = state.state_revision, last.revision
                raise ChangedOutside(Fault("changed_outside", file=STATE, found=here, limit=there))
        digest = document.digest(tail.line) if tail.line is not None else ""
        return Loaded(state, last, digest, len(tail.torn))

    def _decode(self, sha: str, raw: bytes) -> State:
        if self._cached is not None and self._cached[0] == sha:
            return self._cached[1]
        try:
            state = _DECODE_STATE.decode(raw)
        except document.UNREADABLE:
            return self.judge(raw)  # a history may name the digest of anything
        self._cached = (sha, state)
        return state

    def judge(self, raw: bytes) -> State:
        """A state written by a hand or another tool, judged whole. Raises `Corrupt`/`NewerSchema`."""
        from clew.novel.state_rules import judge_state  # only where a state is not our own

        try:
            value, _ = document.parse(raw, STATE, limit=STATE_BYTES)
        except Refused as refused:
            raise Corrupt(*refused.faults) from None
        judged = judge_state(value)
        if judged.faults:
            kind = NewerSchema if judged.faults[0].code == "newer_schema" else Corrupt
            raise kind(*judged.faults)
        return msgspec.convert(judged.value, State)

    def lines(self, reader: Reader) -> list[bytes]:
        """Every whole line of the history."""
        return log.lines(reader.read(HISTORY) or b"")[0]

    def retired_layout(self, reader: Reader) -> list[str]:
        """Paths below 追踪/ that belong to layouts before the present one."""
        top = reader.names(FOLDER)
        found = [name for name in _RETIRED if "/" not in name and name in top]
        found += [n for n in top if n.startswith("基线_截至第") and n.endswith("章.md")]
        found += [n for n in _RETIRED if "/" in n and reader.read(f"{FOLDER}/{n}") is not None]
        return sorted(found)

    # ---- writing -------------------------------------------------------------------------------

    def advance(
        self,
        tx: Transaction,
        loaded: Loaded | None,
        new: State,
        *,
        records: Mapping[int, RecordChange] | None = None,
        notes: list[Fault],
        **facts: Any,
    ) -> Line:
        """Write a state, its history line, chapter records and views. Returns the line.

        `facts` are the fields of the line beyond those that follow from the states (`kind`,
        `transaction`, `before` …). Hand-edited views and records go aside with a note.
        """
        data = self._text.encode(new)
        sha = document.digest(data)
        changes = dict(records or {})
        line = Line(
            previous=loaded.last_digest if loaded else "",
            revision=new.state_revision,
            state_sha256=sha,
            time=stamp(self.clock()),
            records={str(chapter): change for chapter, change in changes.items()},
            **facts,
        )
        tx.write(STATE, data, truth=True)
        tx.append(HISTORY, history.dump(line))
        for chapter, change in changes.items():
            before, after = _bytes(change.before), _bytes(change.after)
            self.put(tx, record_path(chapter), before, after, notes)
        self.put_views(tx, loaded.state if loaded else None, new, notes)
        self._cached = (sha, new)
        return line

    def put_views(
        self, tx: Transaction, before: State | None, after: State, notes: list[Fault]
    ) -> None:
        """Write every view that differs; drop those of characters that are gone."""
        old = self._views(before) if before is not None else {}
        new = self._views(after)
        for path, data in new.items():
            self.put(tx, path, old.get(path), data, notes)
        self._rendered = (after, new)
        for name in before.characters if before is not None else ():
            if name not in after.characters and before is not None:
                path = views.character_path(name)
                text = views.character(name, before.characters[name])
                self.put(tx, path, text.encode(), None, notes)

    def _views(self, state: State) -> dict[str, bytes]:
        known, found = self._rendered
        if known is state:
            return found
        return views.render(state, self.memo)

    def put_records(self, tx: Transaction, notes: list[Fault]) -> None:
        """Write every chapter record that is missing or differs from the history."""
        for chapter, text in history.records(self.lines(tx)).items():
            self.put(tx, record_path(chapter), None, text.encode(), notes)

    def put(
        self,
        tx: Transaction,
        path: str,
        before: bytes | None,
        after: bytes | None,
        notes: list[Fault],
    ) -> None:
        """Write one rendered file. What stands there and is not ours goes aside first."""
        found = tx.read(path)
        # The usual case first: what we wrote last is there, and nothing has to be looked for in it.
        as_before = found is not None and found == before
        if found is not None and (
            after is None or (after != before if as_before else not _same(found, after))
        ):
            ours = (
                as_before
                or (before is not None and _same(found, before))
                or document.digest(found) in tx.recovery.ours
                or not found.strip(b"\0")
            )
            if not ours:
                notes.append(Fault("edit_set_aside", file=path, found=tx.set_aside(path)))
        elif found is not None:
            return
        if after is not None:
            tx.write(path, after)
        elif found is not None:
            tx.remove(path)

    def look(self, read: Callable[[Reader], T]) -> T:
        """Run a reading function on one revision, after completing what a crash interrupted.

        On a read-only disk nothing is completed: it is read through the journal instead.
        """
        if self.vault.pending(SCOPE):
            try:
                with self.changing(self.said):
                    pass
            except StorageFailed as failed:
                if failed.code not in ("read_only_disk", "permission_denied"):
                    raise
        return self.vault.snapshot(SCOPE, read, timeout=self.lock_timeout)

    @contextmanager
    def changing(self, notes: list[Fault]) -> Iterator[Transaction]:
        """A transaction on the ledger, after one that completes what a crash interrupted.

        Two, because a change is judged on what is on the disk, not on what a repair is about to
        write there. A repair that the disk refuses is not tried for ever.
        """
        for attempt in ("repair", "change"):
            with self.vault.transaction(SCOPE, timeout=self.lock_timeout) as tx:
                if attempt == "repair" and tx.recovery.views_stale:
                    self.repair(tx, notes)
                    continue
                yield tx
            break
        if tx.report.failed_views:
            notes.append(Fault("views_pending", found=list(tx.report.failed_views)))

    def move_aside(self, tx: Transaction, path: str) -> str:
        """Move a file that does not belong to the ledger into the private folder, as it is."""
        sha = document.digest(tx.read(path) or b"")[:12]
        target = f"{SCOPE.private}/aside/{sha}/{path.rsplit('/', 1)[1]}"
        number = 1
        while self.vault.files.stat(self.vault.real(target)) is not None:
            number += 1
            target = f"{SCOPE.private}/aside/{sha}-{number}/{path.rsplit('/', 1)[1]}"
        tx.move(path, target)
        return target

    def repair(self, tx: Transaction, notes: list[Fault]) -> None:
        """Render again what an interrupted change may have left behind.

        A ledger that cannot be read as ours is left alone: the command that follows says why. Only
        records that are not there are written even then: an `adopt` takes for the text of a chapter
        what lies on the disk.
        """
        if tx.recovery.rolled_forward:
            notes.append(Fault("repaired", found=list(tx.recovery.rolled_forward)))
        try:
            records = history.records(self.lines(tx))
            state = self.load(tx).state
        except ChangedOutside:
            for chapter, text in records.items():
                if tx.read(record_path(chapter)) is None:
                    self.put(tx, record_path(chapter), None, text.encode(), notes)
            return
        except ClewError:
            return
        self.put_views(tx, None, state, notes)
        self.put_records(tx, notes)
        wanted = {*views.render(state, self.memo), *map(record_path, records)}
        for path in tx.recovery.gone:
            if path not in wanted:
                self.put(tx, path, None, None, notes)
        tx.rendered = True


def record_path(chapter: int) -> str:
    """Where a chapter's record lies."""
    return f"{RECORDS}/{chapter_label(chapter)}.md"


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _same(found: bytes, data: bytes) -> bool:
    """Equal but for line ends (a Windows checkout turns LF into CRLF)."""
    return found == data or (b"\r\n" in found and found.replace(b"\r\n", b"\n") == data)
