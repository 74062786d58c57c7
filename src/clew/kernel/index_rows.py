"""The rows of an index: put, amended, dropped, within a transaction that someone else holds."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from clew.kernel.index_schema import Amend, Change, Put, Table, Value

INT: Final = (1 << 63) - 1
"""The largest number that SQLite holds."""


class Rows:
    """The rows of one table, in one transaction."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._columns = {column.name: number for number, column in enumerate(table.columns)}
        names = ["source", "key", "ordinal", "seq", "at", "size", "mark", "read", *self._columns]
        given = [n for n in names if n not in ("source", "key")]
        name = table.name
        self._insert = (
            f"INSERT OR IGNORE INTO {name} ({', '.join(names)}) "
            f"VALUES ({', '.join('?' * len(names))})"
        )
        self._update = (
            f"UPDATE {name} SET {', '.join(f'{n} = ?' for n in given)}, doc = ? "
            "WHERE source = ? AND key = ?"
        )
        self._find = f"SELECT doc, ordinal, seq, mark FROM {name} WHERE source = ? AND key = ?"
        self.dead: Counter[int] = Counter()
        """Documents of the text index that belong to no row any more, by their run."""
        self._connection: sqlite3.Connection

    def begin(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.dead.clear()

    def end(self) -> None:
        """Tell the runs of the text index how many of their documents are dead."""
        self._connection.executemany(
            "UPDATE clew_run SET live = live - ? WHERE tab = ? AND id = ?",
            [(count, self.table.name, run) for run, count in self.dead.items()],
        )

    def apply(self, change: Change, source: int, reads: int, at: int, size: int, seq: int) -> None:
        key = storable(change.key)
        if isinstance(change, Put):
            ordinal = max(-INT, min(INT, change.ordinal))
            values = [ordinal, seq, at, size, mark_of(self.table, change), reads]
            values += self._values(change.values)
            done = self._connection.execute(self._insert, (source, key, *values))
            if not done.rowcount:
                doc, *before = self._connection.execute(self._find, (source, key)).fetchone()
                if doc is not None and before != [ordinal, seq, values[4]]:
                    self.dead[doc >> 32] += 1
                    doc = None
                self._connection.execute(self._update, (*values, doc, source, key))
        elif isinstance(change, Amend):
            self._amend(change, source, key)
        else:
            self._drop(source, key)

    def _values(self, given: Mapping[str, Value]) -> list[Any]:
        row: list[Any] = [None] * len(self._columns)
        for name, value in given.items():
            row[self._columns[name]] = storable(value)
        return row

    def _amend(self, change: Amend, source: int, key: Any) -> None:
        names = list(change.values)
        if wrong := [n for n in names if n not in self._columns or n in self.table.facets]:
            raise ValueError(f"{self.table.name}: cannot amend {wrong}")
        if names:
            self._connection.execute(
                f"UPDATE {self.table.name} SET {', '.join(f'{n} = ?' for n in names)} "
                "WHERE source = ? AND key = ?",
                (*map(storable, change.values.values()), source, key),
            )

    def _drop(self, source: int, key: Any) -> None:
        found = self._connection.execute(self._find, (source, key)).fetchone()
        if found is None:
            return
        if found[0] is not None:
            self.dead[found[0] >> 32] += 1
        self._connection.execute(
            f"DELETE FROM {self.table.name} WHERE source = ? AND key = ?", (source, key)
        )

    def clear(self, source: int, but: int = -1) -> int:
        """Delete the rows of a source that its reading number `but` did not put."""
        where = "WHERE source = ? AND read <> ?"
        name = self.table.name
        for run, count in self._connection.execute(
            f"SELECT doc >> 32, count(*) FROM {name} {where} AND doc IS NOT NULL GROUP BY 1",
            (source, but),
        ):
            self.dead[run] += count
        return self._connection.execute(f"DELETE FROM {name} {where}", (source, but)).rowcount


def storable(value: Value) -> Any:
    """A value as SQLite can hold it: lone surrogates as escapes, numbers beyond 64 bits as text."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int) and not -INT <= value <= INT:
        return str(value)
    return value


def mark_of(table: Table, put: Put) -> int | None:
    """Stands for everything of a row that its text index depends on; None when there is no text."""
    texts = [put.text.get(name, "") for name in table.text]
    if not any(texts):
        return None
    parts = [*texts, *(repr(put.values.get(name)) for name in table.facets)]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big", signed=True)
