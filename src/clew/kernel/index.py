"""A derived index: rows and searchable text in SQLite, computed from documents and logs.

    index = Index(path, schema, source)
    index.refresh()                          # reads what changed
    hits = index.search("messages", "江晨")   # newest first

It is never an authority. Whatever is wrong with its file (missing, damaged, another version,
another program's, on a disk that refuses) is answered by making it anew from the source; a reader
sees no error of it, only a note. What it holds is declared in `index_schema`, how text is found in
`index_text`; excerpts are cut by `index_excerpt` from the text where it really is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeVar

from clew.kernel import index_refresh, index_runs, index_search
from clew.kernel.clock import Clock, system_clock
from clew.kernel.faults import Fault
from clew.kernel.files import Files
from clew.kernel.index_refresh import Refreshed
from clew.kernel.index_schema import Schema, Source, check_schema, fingerprint, statements
from clew.kernel.index_search import Hit, Where
from clew.kernel.index_store import Store
from clew.kernel.index_text import query_of

STEP_ROWS: Final = 2_000
"""So many rows are indexed in one step: some tenths of a second."""
_BULK_ROWS: Final = 8_000
_ATTEMPTS: Final = 8

T = TypeVar("T")


class Index:
    """One index, for one thread; several processes may use the same file.

    `path` is where its file lies, `/`-separated, in a private folder (made when only it is missing);
    None keeps the index in a temporary database. `mode` are the permission bits of the file. A
    transaction waits `timeout` seconds for another process.
    """

    def __init__(
        self,
        path: str | None,
        schema: Schema,
        source: Source,
        *,
        files: Files | None = None,
        clock: Clock = system_clock,
        timeout: float = 10.0,
        mode: int = 0o644,
    ) -> None:
        check_schema(schema)
        self.schema = schema
        self.source = source
        self._tables = {table.name: table for table in schema.tables}
        self._store = Store(
            path, statements(schema), fingerprint(schema), files=files or Files(), clock=clock,
            timeout=timeout, mode=mode, prepare=lambda c: index_runs.prepare(c, schema),
        )  # fmt: skip
        self._filled: int | None = None
        """The database (by its number) that the last refresh brought up to date."""

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. The next use opens it again."""
        self._store.close()

    @property
    def notes(self) -> tuple[Fault, ...]:
        """What was set aside, rebuilt or could not be kept, so far: `index_set_aside`,
        `index_rebuilt`, `index_not_kept`."""
        return tuple(self._store.notes)

    @property
    def lasting(self) -> bool:
        """Whether there is a file that the next process finds."""
        return self._store.path is not None

    # ---- bringing up to date -------------------------------------------------------------------

    def refresh(
        self, *, paths: Collection[str] | None = None, text: bool = True, verify: bool = False
    ) -> Refreshed:
        """Read what changed in the source since the last time, by whichever process.

        `paths`: look at these files only. `text=False` leaves new texts to `refresh_text`; until
        then rows are there and their texts are not found. `verify` compares the content of every
        file, for files whose times are not to be trusted. Other processes may refresh meanwhile.
        Raises what the source raises when it cannot be listed, `Locked` when another process kept
        the file for longer than the timeout, `StorageFailed` when not even a temporary file can be
        written.
        """
        done = self._attempt(lambda: self._refresh(paths, verify, text))
        left = self._attempt(self._texts if text else lambda: self._waiting().rows)
        return done._replace(waiting=left)

    def _refresh(self, paths: Collection[str] | None, verify: bool, text: bool) -> Refreshed:
        connection = self._store.connection()
        if self._filled != self._store.opened and not self._has_sources(connection):
            paths = None  # a database that is empty is filled as a whole
        done = index_refresh.refresh(
            self._store, self.schema, self.source, paths=paths, verify=verify,
            last=self._step if text else lambda _: None,
        )  # fmt: skip
        self._filled = self._store.opened
        return done

    def _has_sources(self, connection: sqlite3.Connection) -> bool:
        return connection.execute("SELECT 1 FROM clew_source LIMIT 1").fetchone() is not None

    def _texts(self) -> int:
        """Index all texts that wait."""
        left = self._waiting().rows
        while left:
            with self._store.write() as connection:
                if not self._step(connection, _BULK_ROWS):
                    break
            left = self._waiting().rows
            if left:
                self._store.pause()
        return left

    def refresh_text(self, budget_rows: int = STEP_ROWS) -> int:
        """Index the texts of at most `budget_rows` rows, newest first, and return how many still
        wait. Call it again until that is 0; each call is one short transaction. Once nothing waits,
        it goes on with tidying: the rows of a worn out part move into a fresh one.

        Raises as `refresh` does.
        """

        def work() -> int:
            with self._store.write() as connection:
                self._step(connection, budget_rows)
            return self._waiting().rows

        return self._attempt(work)

    def _step(self, connection: sqlite3.Connection, budget: int = STEP_ROWS) -> int:
        return index_runs.step(connection, self.schema, self.source, budget)

    def _waiting(self) -> index_runs.Waiting:
        with self._store.read() as connection:
            return index_runs.waiting(connection, self.schema)

    def discard(self) -> None:
        """Throw the index away. The next refresh makes it anew."""
        self._attempt(self._store.connection)
        self._store.discard(None)

    # ---- asking --------------------------------------------------------------------------------

    def search(
        self,
        table: str,
        text: str,
        *,
        where: Where | None = None,
        columns: Sequence[str] = (),
        limit: int = 50,
        before: str | None = None,
        exact: bool = False,
        prefix: bool = True,
    ) -> list[Hit]:
        """The rows of a table whose texts hold every term of `text`, newest first.

        White space separates terms, unless `exact`; what is found is told in `index_text`. Of the
        last page, `before` is the `cursor` of its last hit. `where` narrows it to rows with these
        values (fast however common the words are, where the column is a facet), `columns` to some
        of the texts. Nothing to search for finds nothing.

        Raises `Refused` (`query_too_long`, `bad_cursor`), `ValueError` for a table or column that
        is not declared, and as `refresh` does when the index had to be made anew.
        """
        query = query_of(text, exact=exact, prefix=prefix)

        def work() -> list[Hit]:
            with self._store.read() as connection:
                return index_search.search(
                    connection, self._tables[table], query, where=where or {}, columns=columns,
                    limit=limit, before=before,
                )  # fmt: skip

        if table not in self._tables or not self._tables[table].text:
            raise ValueError(f"no table with text: {table!r}")
        return self._ask(work)

    def query(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Ask in SQL, read only. `sql` is the room's own, never a user's; what users give goes into
        `values`. Raises `sqlite3.Error` for a mistake in it, and as `search` does."""

        def work() -> list[tuple[Any, ...]]:
            with self._store.read() as connection:
                return connection.execute(sql, values).fetchall()

        return self._ask(work)

    def check(self) -> bool:
        """Look through the whole file. Damage is noted, and the index is made anew; False then.
        Takes some seconds for a gigabyte, while which other processes cannot write to it. Raises as
        `refresh` does."""
        before = len(self._store.notes)

        def pages() -> str:
            with self._store.read() as connection:
                return str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])

        def texts() -> str:
            with self._store.write() as connection:
                faults = (index_runs.fault_of(connection, table) for table in self.schema.tables)
                return next(filter(None, faults), "ok")

        found = self._ask(pages)
        if found == "ok":
            found = self._ask(texts)
        if found != "ok":
            self._store.discard(found)
            self.refresh()
        return found == "ok" and len(self._store.notes) == before

    # ---- when the file is not what it should be ------------------------------------------------

    def _ask(self, work: Callable[[], T]) -> T:
        def asked() -> T:
            for _ in range(_ATTEMPTS):
                self._fill()
                answer = work()
                if self._filled == self._store.opened:  # the file was not replaced at this moment
                    return answer
            return work()

        return self._attempt(asked)

    def _fill(self) -> None:
        """Refresh a database that is empty, or another one than the last refresh left."""
        connection = self._store.connection()
        if self._filled is None and self._has_sources(connection):
            self._filled = self._store.opened  # another process keeps it: it is as good as its last
        if self._filled != self._store.opened:
            self.refresh()

    def _attempt(self, work: Callable[[], T]) -> T:
        """Do it; when the database fails, make it usable and do it again."""
        for _ in range(_ATTEMPTS):
            try:
                answer = work()
            except sqlite3.Error as error:
                self._store.recover(error)
                self._filled = 0
            else:
                self._store.succeeded()
                return answer
        return work()
