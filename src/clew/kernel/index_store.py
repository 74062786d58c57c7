"""The database file of a derived index: opened, made, thrown away and made again.

Nothing in it is an authority, so whatever is wrong with it is answered by an empty one: damaged
pages, another version, another schema. Only a file that is not ours is moved out of the way instead
of removed. Where no file can be written (a read-only or full disk) a temporary database serves for
as long as the process lives.

A rollback journal, not a write-ahead log: it works on file systems without shared memory, and SQLite
itself refuses to write to a database that was removed under it. A file is removed under the operating
system's lock and within an exclusive transaction, so while somebody reads it stays; whoever began to
read a moment too late notices at the end that it is gone, and reads again. Writers wait for each
other by asking every few milliseconds and pause between transactions, so that nobody starves.
Standard library only.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from clew.kernel import lock
from clew.kernel.clock import Clock, system_clock
from clew.kernel.errors import ClewError, Locked, StorageFailed
from clew.kernel.faults import Both, Code, Fault, register
from clew.kernel.files import Files, Stat
from clew.kernel.index_schema import APPLICATION

_POLL: Final = 0.005
"""Seconds between two attempts to become the writer."""
PAUSE: Final = 0.008
"""Seconds that a writer of many transactions leaves between them: longer than `_POLL`."""
_ATTEMPTS: Final = 8
_CACHE_KB: Final = 32_768
_BESIDE: Final = ("-journal", "-wal", "-shm")
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_REFUSED: Final = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_AUTH,
    }
)  # fmt: skip
_MOVED: Final = 1032
"""SQLITE_READONLY_DBMOVED: the file was removed or replaced while it was open."""


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) or 0


class _MovedError(sqlite3.OperationalError):
    """The file was removed or replaced while it was read."""

    sqlite_errorcode = _MOVED


class Store:
    """One connection to the database, for one thread."""

    def __init__(
        self,
        path: str | None,
        statements: list[str],
        version: int,
        *,
        files: Files,
        clock: Clock = system_clock,
        timeout: float = 10.0,
        mode: int = 0o644,
        prepare: Callable[[sqlite3.Connection], None] = lambda _: None,
    ) -> None:
        self.path = path
        """None: a temporary database."""
        self.notes: list[Fault] = []
        """What was set aside, rebuilt or not kept; for whoever answers the user."""
        self.opened = 0
        """How many databases this store has opened: another number, another content."""
        self._statements = statements
        self._version = version
        self._files = files
        self._clock = clock
        self._timeout = timeout
        self._mode = mode
        self._prepare = prepare
        self._connection: sqlite3.Connection | None = None
        self._found: Stat | None = None
        self._failures = 0

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    # ---- use -----------------------------------------------------------------------------------

    def connection(self) -> sqlite3.Connection:
        """The open database, opened anew where its file was removed or replaced meanwhile.

        Raises `sqlite3.Error` (hand it to `recover`), `Locked`.
        """
        if self._connection is not None and self._moved():
            self.close()
        if self._connection is None:
            self._connection = self._open()
            self.opened += 1
        return self._connection

    def _moved(self) -> bool:
        """Whether the open file is no longer the one at its place."""
        if self.path is None:
            return False
        try:
            now = self._files.stat(self.path)
        except OSError:
            now = None
        return now is None or self._found is None or now.inode != self._found.inode

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Several questions to one and the same content."""
        connection = self.connection()
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        try:
            yield connection
            # Looked at while it is still being read: nobody can have removed it before.
            if self._moved():
                raise _MovedError("the index was replaced while it was read")
        finally:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
                connection.execute("PRAGMA query_only = OFF")

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of the block, or nothing of it. Raises `Locked` after the timeout."""
        connection = self.connection()
        self._begin(connection, "IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        finally:
            # After an error the connection may be past saving, which the error itself says.
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def pause(self) -> None:
        """Let others write: call it between two transactions of one long work."""
        time.sleep(PAUSE)

    def _begin(self, connection: sqlite3.Connection, kind: str) -> None:
        # SQLite's own waiting asks less and less often, and starves beside a busy writer.
        deadline = time.monotonic() + self._timeout
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    connection.execute(f"BEGIN {kind}")
                except sqlite3.OperationalError as error:
                    if _code(error) & 0xFF not in _BUSY or time.monotonic() >= deadline:
                        raise
                    time.sleep(_POLL)
                else:
                    return
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(self._timeout * 1000)}")

    # ---- when something is wrong ---------------------------------------------------------------

    def recover(self, error: sqlite3.Error) -> None:
        """Make the next attempt possible, or raise what is to be told.

        Damage is answered by an empty database, a disk that refuses by a temporary one. Raises
        `Locked`, `StorageFailed`, or the error itself where it is a mistake of the program.
        """
        code = _code(error)
        kind = code & 0xFF
        moved = code == _MOVED or (self._connection is not None and self._moved())
        self.close()
        if moved:
            return
        self._failures += 1
        if kind in _BUSY:
            raise self._locked() from error
        damaged = kind in _DAMAGED
        if self.path is None or not (damaged or kind in _REFUSED):
            if kind in _REFUSED:
                code_name = "disk_full" if kind == sqlite3.SQLITE_FULL else "io_failed"
                raise StorageFailed(Fault(code_name, file="sqlite", reason=str(error))) from error
            raise error
        # What cannot be read is damage too. When an empty file fails as well, it is the disk.
        if self._failures > 2 or not (damaged or kind == sqlite3.SQLITE_IOERR):
            self._go_without(str(error))
        elif kind == sqlite3.SQLITE_NOTADB and not self._was_ours(self.path):
            self._guarded(self._set_aside, self.path)
        else:
            self.discard(str(error))

    def _locked(self) -> Locked:
        owner = Both("另一个进程", "another process")
        return Locked(Fault("locked", file=self.path or "", owner=owner, limit=self._timeout))

    def succeeded(self) -> None:
        """Tell the store that what it holds could be used."""
        self._failures = 0

    def discard(self, reason: str | Both | None) -> None:
        """Remove the database, unless another process has replaced it already; the next use makes
        an empty one. Where the file cannot be removed, a temporary database serves. There is a note
        of it when there is a reason; None: somebody wished it."""
        self.close()
        gone = self.path is not None and self._guarded(self._remove, self.path)
        if gone and reason is not None:
            self.notes.append(Fault("index_rebuilt", file=self.path, reason=reason))

    def _guarded(self, work: Callable[[str], bool], path: str) -> bool:
        """Make, move or remove the file while no other process does; False when it was not done."""
        try:
            with lock.exclusive(
                f"{path}.lock", files=self._files, clock=self._clock, timeout=self._timeout
            ):
                return not self._moved() and work(path)
        except (OSError, ClewError) as error:
            self._go_without(str(error))
            return False

    def _remove(self, path: str) -> bool:
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            try:
                self._begin(connection, "EXCLUSIVE")  # nobody is in the middle of a change
            except sqlite3.Error as error:
                if _code(error) & 0xFF in _BUSY:
                    raise self._locked() from error
                # Damaged as it is, nobody can be changing it.
            for ending in _BESIDE:  # first: they could be taken for those of the next file
                self._files.remove(path + ending)
            try:
                self._files.remove(path)
            except PermissionError:
                connection.close()  # Windows removes no file that is open
                self._files.remove(path)
        finally:
            connection.close()
        return True

    def _was_ours(self, path: str) -> bool:
        """Whether a file that is no database can be one of ours that a power cut left as zeros."""
        try:
            return not self._files.read(path, 0, 4096).strip(b"\0")
        except OSError:
            return False

    def _set_aside(self, path: str) -> bool:
        number = 1
        while self._files.stat(f"{path}.aside-{number}") is not None:
            number += 1
        for ending in _BESIDE:
            self._files.remove(path + ending)
        self._files.replace(path, f"{path}.aside-{number}")
        self.notes.append(Fault("index_set_aside", file=path, name=f"{path}.aside-{number}"))
        return True

    def _go_without(self, reason: str) -> None:
        self.close()
        self.notes.append(Fault("index_not_kept", file=self.path or "", reason=reason))
        self.path = None

    # ---- opening -------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        for _ in range(_ATTEMPTS):
            path = self.path
            if path is not None:
                try:
                    self._make_way(path)
                    self._found = self._files.stat(path)
                except OSError as error:
                    self._go_without(error.strerror or str(error))
                path = self.path
            connection = sqlite3.connect(
                path or "", timeout=self._timeout, isolation_level=None, cached_statements=256
            )
            try:
                state = self._look(connection)
                if state == "empty" and self._make(connection, path):
                    state = "ours"
                if state == "ours":
                    return connection
            except BaseException:
                connection.close()
                raise
            connection.close()
            if state == "other":
                self.discard(Both("版本不同", "another version"))
            elif state == "foreign" and path is not None:
                self._guarded(self._set_aside, path)
        raise sqlite3.OperationalError("the index is replaced again and again")

    def _make_way(self, path: str) -> None:
        """A regular file at `path`, and nothing but regular files beside it: a link or pipe is not
        followed. Only the folder that holds it is made: a missing vault stays missing."""
        found = self._files.stat(path)
        if found is not None and found.kind != "file":
            self._found = found
            self._guarded(self._set_aside, path)
            found = None
        for ending in _BESIDE:
            beside = self._files.stat(path + ending)
            if beside is not None and beside.kind != "file":
                self._files.remove(path + ending)
        if found is None and self.path is not None:
            folder = path.rpartition("/")[0]
            if folder and self._files.stat(folder) is None:
                self._files.make_dir(folder)
            with suppress(FileExistsError):  # another process was first
                self._files.create(path, b"", self._mode)

    def _look(self, connection: sqlite3.Connection) -> str:
        """`ours`, `empty`, `other` (a version of ours) or `foreign`."""
        ask = connection.execute
        ask(f"PRAGMA cache_size = -{_CACHE_KB}")
        ask("PRAGMA trusted_schema = OFF")
        ask("PRAGMA cell_size_check = ON")
        ask("PRAGMA secure_delete = OFF")
        ask("PRAGMA synchronous = NORMAL")
        application = ask("PRAGMA application_id").fetchone()[0]
        version = ask("PRAGMA user_version").fetchone()[0]
        made = {sql for (sql,) in ask("SELECT sql FROM sqlite_master")}
        if not application and not version and not made:
            return "empty"
        if application != APPLICATION:
            return "foreign"
        active = ask(
            "SELECT count(*) FROM sqlite_master WHERE type IN ('trigger', 'view')"
        ).fetchone()[0]
        journal = ask("PRAGMA journal_mode").fetchone()[0]
        same = version == self._version and made >= set(self._statements)
        return "ours" if same and not active and journal == "delete" else "other"

    def _make(self, connection: sqlite3.Connection, path: str | None) -> bool:
        """Make the tables, unless another process has done it; False when that is to be seen."""
        if path is None:
            return self._make_tables(connection)
        return self._guarded(lambda _: self._make_tables(connection), path)

    def _make_tables(self, connection: sqlite3.Connection) -> bool:
        self._begin(connection, "IMMEDIATE")
        try:
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return False
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {self._version}")
            for statement in self._statements:
                connection.execute(statement)
            self._prepare(connection)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return True


register(
    Code(
        "index_rebuilt", 0,
        "索引 {file} 已重建（{reason}）；原始文件未动",
        "the index {file} was made anew ({reason}); the files that it is made from are untouched",
        about_zh="索引由文档和日志算出，损坏、过期、版本不同时直接重建，什么都不会丢。",
        about_en="An index is computed from documents and logs. Damaged, outdated or of another "
        "version, it is made anew, and nothing is lost.",
    ),
    Code(
        "index_set_aside", 0,
        "{file} 不是 clew 的索引，已移到 {name}",
        "{file} is no index of clew's and was moved to {name}",
        "不需要的话可以删掉它。",
        "Delete it when you have no use for it.",
        about_zh="索引的位置上放着别的文件；不覆盖、不删除，只挪开。",
        about_en="Some other file was where the index goes. It is neither overwritten nor removed, "
        "only moved out of the way.",
    ),
    Code(
        "index_not_kept", 0,
        "索引 {file} 无法写入（{reason}），这次用临时索引，下次还要重建",
        "the index {file} cannot be written ({reason}); a temporary one is used and made again "
        "each time",
        "让这个文件夹可写、磁盘有空间，搜索会快得多。",
        "With a folder that can be written and room on the disk, searching is much faster.",
        about_zh="只读磁盘、磁盘已满或没有权限时，索引放在系统的临时文件夹里。",
        about_en="On a read-only or full disk, or without permission, the index is kept in the "
        "system's temporary folder for as long as the program runs.",
    ),
)  # fmt: skip
