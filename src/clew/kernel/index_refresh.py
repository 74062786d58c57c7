"""Bringing the rows of an index up to date with its source, reading only what changed.

A file whose stat is the one that was read is not opened. A document that changed is read again. Of a
log only what was added is read: that the rest is still there is seen from its end where the file only
grew, and otherwise from a checksum over all that was read. What fits neither is read again as a
whole; rows whose text is the same keep their place in the text index.

One transaction holds many files, or a part of a long log that begins where the last one ended, so
that an interruption leaves an index of what was read so far. A log that is read *again* changes in
one transaction: old and new lines are never mixed.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final, NamedTuple

from clew.kernel.errors import ClewError
from clew.kernel.faults import Code, Fault, register
from clew.kernel.files import Stat
from clew.kernel.index_rows import INT, Rows
from clew.kernel.index_schema import Change, Entry, Put, Schema, Source
from clew.kernel.index_store import Store
from clew.kernel.text import has_surrogate

BATCH_ROWS: Final = 2_000
BATCH_BYTES: Final = 8 << 20
"""A transaction ends after so many rows, or so many bytes read."""
LINE_BYTES: Final = 16 << 20
"""A longer line of a log is left out: no line needs it, and memory is bounded."""
PROBLEMS: Final = 500
"""So many are told at most."""
_CHUNK: Final = 1 << 20
_TAIL: Final = 4_096


class Problem(NamedTuple):
    """Something in the source that could not be understood, and was left out."""

    path: str
    line: int
    """Of a log, from 1; 0 for a document."""
    fault: Fault


class Refreshed(NamedTuple):
    """What a refresh did."""

    files: int = 0
    """Files that were read, in whole or in part, or were gone."""
    rows: int = 0
    """Rows that were put, amended or dropped."""
    problems: tuple[Problem, ...] = ()
    waiting: int = 0
    """Rows whose text cannot be found yet: `refresh_text` goes on."""


class _Known(NamedTuple):
    """What the index has read of a file."""

    id: int
    kind: str
    size: int | None
    mtime: int | None
    inode: int | None
    ctime: int | None
    rest: int
    offset: int
    lines: int
    sum: int
    tail: int
    digest: bytes | None
    reads: int

    def same_stat(self, entry: Entry) -> bool:
        return entry.stat is not None and self[2:6] == _stat(entry.stat)

    def current(self, entry: Entry) -> bool:
        """Whether nothing can have changed."""
        return bool(self.rest) and self.kind == entry.kind and self.same_stat(entry)


_KNOWN: Final = ", ".join(_Known._fields)


def _stat(stat: Stat) -> tuple[int, int, int, int]:
    # Windows counts inodes without a sign, SQLite with one.
    return stat.size, stat.mtime_ns, stat.inode & INT, stat.ctime_ns


def refresh(
    store: Store,
    schema: Schema,
    source: Source,
    *,
    paths: Collection[str] | None,
    verify: bool,
    last: Callable[[sqlite3.Connection], object],
) -> Refreshed:
    """Bring the rows up to date. `paths` limits it to some files; with `verify` the content of
    every file is compared, whatever its stat says. `last` is done in the last transaction: a commit
    waits for the disk, and most refreshes need only one."""
    reading = _Reading(schema, source, verify)
    named = None if paths is None else [path for path in paths if not has_surrogate(path)]
    entries = source.entries() if named is None else filter(None, map(source.entry, named))
    with store.read() as connection:
        # Of most files nothing changed, and there may be many: no more is made of them than this.
        ask = "SELECT path, rest, kind, size, mtime, inode, ctime FROM clew_source"
        if named is None:
            rows: Iterable[tuple[Any, ...]] = connection.execute(ask)
        else:
            rows = (r for p in named for r in connection.execute(f"{ask} WHERE path = ?", (p,)))
        known = {row[0]: row[1:] for row in rows}
    seen: set[str] = set()
    todo: deque[str] = deque()
    for path, kind, stat, _ in entries:
        if has_surrogate(path):
            reading.tell(path, 0, [Fault("bad_text", path)])
            continue
        seen.add(path)
        if verify or stat is None or known.get(path) != (1, kind, *_stat(stat)):
            todo.append(path)
    todo.extend(path for path in known if path not in seen)
    files = len(todo)
    while todo:
        with store.write() as connection:
            reading.begin(connection)
            while todo and not reading.full:
                if reading.take(todo[0]):
                    todo.popleft()
            reading.end()
            if not todo:
                last(connection)
        if todo:
            store.pause()
    return Refreshed(files, reading.rows, tuple(reading.problems))


class _Reading:
    """One refresh, over as many transactions as it takes."""

    def __init__(self, schema: Schema, source: Source, verify: bool) -> None:
        self.rows = 0
        self.problems: list[Problem] = []
        self._tables = {table.name: Rows(table) for table in schema.tables}
        self._source = source
        self._verify = verify
        self._going_on: str | None = None
        """The log that the last transaction left half read."""
        self._verified: set[str] = set()
        self._count = 0
        self._bytes = 0
        self._connection: sqlite3.Connection

    @property
    def full(self) -> bool:
        return self._count >= BATCH_ROWS or self._bytes >= BATCH_BYTES

    def begin(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._count = self._bytes = 0
        for rows in self._tables.values():
            rows.begin(connection)

    def end(self) -> None:
        for rows in self._tables.values():
            rows.end()

    def take(self, path: str) -> bool:
        """Read a file, or some of it; False when it is not done yet."""
        # Both are looked at within the transaction: another process may have read it meanwhile.
        try:
            entry = self._source.entry(path)
        except ClewError as error:
            self.tell(path, 0, error.faults)
            return True
        found = self._connection.execute(
            f"SELECT {_KNOWN} FROM clew_source WHERE path = ?", (path,)
        ).fetchone()
        known = _Known(*found) if found else None
        self._count += 1
        if entry is None:
            return self._forget(known)
        again = self._verify and path not in self._verified
        if known is not None and known.current(entry) and not again:
            return True
        self._verified.add(path)
        before = {name: rows.dead.copy() for name, rows in self._tables.items()}
        self._connection.execute("SAVEPOINT file")
        try:
            done = self._content(entry, known, again)
        except ClewError as error:  # it cannot be read now: what is known of it stays
            self.tell(path, 0, error.faults)
            self._connection.execute("ROLLBACK TO file")
            for name, dead in before.items():
                self._tables[name].dead = dead
            done = True
        self._connection.execute("RELEASE file")
        return done

    def _content(self, entry: Entry, known: _Known | None, verify: bool) -> bool:
        if entry.kind == "document":
            return self._document(entry, known)
        return self._log(entry, known, verify)

    def _forget(self, known: _Known | None) -> bool:
        if known is not None:
            for rows in self._tables.values():
                self._count += rows.clear(known.id)
            self._connection.execute("DELETE FROM clew_source WHERE id = ?", (known.id,))
        return True

    def tell(self, path: str, line: int, faults: Iterable[Fault]) -> None:
        """Something in a file could not be understood."""
        for fault in faults:
            if len(self.problems) < PROBLEMS:
                self.problems.append(Problem(path, line, fault))

    # ---- documents -----------------------------------------------------------------------------

    def _document(self, entry: Entry, known: _Known | None) -> bool:
        data = self._source.read(entry.path)
        if data is None:
            return self._forget(known)
        self._bytes += len(data)
        digest = hashlib.blake2b(data, digest_size=16).digest()
        if known is None or known.kind != entry.kind or known.digest != digest:
            known = self._start(entry, known)
            for number, change in enumerate(self._rows(entry.path, 0, data)):
                size = sum(map(len, change.text.values())) if isinstance(change, Put) else 0
                self._apply(known, change, -1, size, number)
            self._drop_unread(known)
        self._save(entry, known._replace(digest=digest))
        return True

    # ---- logs ----------------------------------------------------------------------------------

    def _log(self, entry: Entry, known: _Known | None, verify: bool) -> bool:
        path = entry.path
        going_on, self._going_on = self._going_on == path, None
        whole = known is None or known.kind != entry.kind
        if not whole and not going_on and known is not None:
            whole = not self._holds(entry, known, verify)
        fresh = known is None
        if whole or known is None:
            known = self._start(entry, known)
        offset, lines, total = known.offset, known.lines, known.sum
        finished, broken = True, False
        for raw in _lines(self._source, path, offset):
            at, offset = offset, offset + len(raw)
            total = zlib.crc32(raw, total)
            self._bytes += len(raw)
            if not raw.endswith(b"\n"):  # a part of a line that is too long
                broken = True
                continue
            lines += 1
            line = raw[:-1].removesuffix(b"\r")
            if broken:
                self.tell(path, lines, [Fault("line_too_long", file=path, limit=LINE_BYTES)])
                broken = False
            elif line.strip():
                for change in self._rows(path, lines, line):
                    self._apply(known, change, at, len(line), lines)
            if self.full and (fresh or not whole):
                finished = False
                break
        if whole and not fresh:
            self._drop_unread(known)
        tail = self._source.read(path, max(0, offset - _TAIL), min(offset, _TAIL)) or b""
        known = known._replace(offset=offset, lines=lines, sum=total, tail=zlib.crc32(tail))
        self._save(entry if finished else entry._replace(stat=None), known)
        self._going_on = None if finished else path
        return finished

    def _holds(self, entry: Entry, known: _Known, verify: bool) -> bool:
        """Whether what was read of a log is still its beginning."""
        stat = entry.stat
        grew = (
            stat is not None
            and known.size is not None
            and stat.inode == known.inode
            and (stat.size > known.size or known.same_stat(entry))
        )
        if grew and not verify:
            tail = self._source.read(
                entry.path, max(0, known.offset - _TAIL), min(known.offset, _TAIL)
            )
            return tail is not None and zlib.crc32(tail) == known.tail
        at = total = 0
        while at < known.offset:
            data = self._source.read(entry.path, at, min(_CHUNK, known.offset - at))
            if not data:
                return False
            at += len(data)
            total = zlib.crc32(data, total)
        return total == known.sum

    # ---- both ----------------------------------------------------------------------------------

    def _rows(self, path: str, line: int, data: bytes) -> list[Change]:
        try:
            return list(self._source.rows(path, data))
        except ClewError as error:
            self.tell(path, line, error.faults)
            return []

    def _start(self, entry: Entry, known: _Known | None) -> _Known:
        """Read a file from its beginning. Its rows stay until it is known which are still there."""
        if known is None:
            number = self._connection.execute(
                "INSERT INTO clew_source (path, reads) VALUES (?, 0)", (entry.path,)
            ).lastrowid
            known = _Known(number or 0, "", None, None, None, None, 0, 0, 0, 0, 0, None, 0)
        return known._replace(
            kind=entry.kind, offset=0, lines=0, sum=0, tail=0, digest=None, reads=known.reads + 1
        )

    def _drop_unread(self, known: _Known) -> None:
        for rows in self._tables.values():
            count = rows.clear(known.id, but=known.reads)
            self.rows += count
            self._count += count

    def _apply(self, known: _Known, change: Change, at: int, size: int, seq: int) -> None:
        self._tables[change.table].apply(change, known.id, known.reads, at, size, seq)
        self.rows += 1
        self._count += 1

    def _save(self, entry: Entry, known: _Known) -> None:
        rest, size, mtime, inode, ctime = 0, *(None,) * 4
        if entry.stat is not None:
            rest, (size, mtime, inode, ctime) = int(entry.at_rest), _stat(entry.stat)
        known = known._replace(size=size, mtime=mtime, inode=inode, ctime=ctime, rest=rest)
        self._connection.execute(
            f"UPDATE clew_source SET {', '.join(f'{name} = ?' for name in _Known._fields[1:])} "
            "WHERE id = ?",
            (*known[1:], known.id),
        )


def _lines(source: Source, path: str, offset: int) -> Iterator[bytes]:
    """The whole lines of a log from `offset`, each with its newline. A line that is too long comes
    in parts, of which only the last has one."""
    held = b""
    while chunk := source.read(path, offset + len(held), _CHUNK):
        held += chunk
        end = held.rfind(b"\n") + 1
        if end:
            offset += end
            whole, held = held[:end], held[end:]
            yield from (line + b"\n" for line in whole[:-1].split(b"\n"))
        elif len(held) > LINE_BYTES:
            offset += len(held)
            yield held
            held = b""


register(
    Code(
        "line_too_long", 0,
        "{file} 里有一行超过 {limit} 字节，没有收进索引",
        "{file} holds a line of more than {limit} bytes, which was left out of the index",
        about_zh="日志的一行是一个 JSON 对象，不该这么长；文件本身没有改动。",
        about_en="A line of a log is one JSON object and should not be this long. The file itself is "
        "untouched.",
    ),
)  # fmt: skip
