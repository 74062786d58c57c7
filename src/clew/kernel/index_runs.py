"""The text of an index: which documents it has, in which order, and how they are added.

FTS5 keeps rows by number and gives them back newest first when the numbers say so. Numbers are given
once, rows come in any order (an old chat is imported after a new one), and SQLite 3.40 can neither
change nor delete a row of a contentless table. Hence:

- A *document* is one row's text under a number of its own. When the row changes, it gets another
  document, and the old one, to which no row points any more, is *dead* and passed over.
- Documents lie in *runs*. Within a run the numbers have the order of the rows, and a run grows at
  both its ends, so that the newest rows can be indexed first. What fits at no end begins a new run;
  small runs are put together again. A search merges the runs.
- There are two *parts*, each a full-text table. When a fifth of one is dead, the other takes over:
  rows move into it step by step, both are searched meanwhile, and the old one is emptied at last.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import Any, Final, NamedTuple

from clew.kernel.errors import ClewError
from clew.kernel.index_rows import mark_of, storable
from clew.kernel.index_schema import PARTS, Put, Schema, Source, Table, text_table
from clew.kernel.index_text import facet_token, tokens

STEP_BYTES: Final = 8 << 20
"""A step ends after about so much text, whatever the number of rows."""
RUNS: Final = 12
"""More runs than this are put together, those first that can be within one step."""
MANY_RUNS: Final = 48
"""More than this, of any size: all of them move into the other part."""
DEAD: Final = 5
"""One in so many documents may be dead."""
FEW: Final = 1_000
"""So many may be dead in any case."""
_REGION: Final = 32
"""Each run has the numbers `id << 32 …`, and begins in the middle of them."""
_HASH_BYTES: Final = 16 << 20
_BLOCK: Final = 1 << 20
_NEAR: Final = 64

Place = tuple[int, int, str, str]
"""What rows are sorted by: ordinal, place in the source, path, key. No two rows have the same."""


class Run(NamedTuple):
    """Documents whose numbers have the order of their rows."""

    id: int
    part: str
    lo: int
    hi: int
    live: int
    first: Place
    last: Place


class Row(NamedTuple):
    """A row whose text is to be indexed."""

    row: int
    place: Place
    at: int
    size: int
    mark: int
    kind: str
    doc: int | None


class Waiting(NamedTuple):
    """What is left to do."""

    rows: int
    """Rows whose text is not found yet."""
    moving: int
    """Rows that are found, and have still to move into the other part."""


def prepare(connection: sqlite3.Connection, schema: Schema) -> None:
    """Set up the text of a database that was just made."""
    for table in schema.tables:
        if table.text:
            connection.execute("INSERT INTO clew_text VALUES (?, ?, 0, 0)", (table.name, PARTS[0]))
            for part in PARTS:
                name = text_table(table.name, part)
                connection.execute(
                    f"INSERT INTO {name} ({name}, rank) VALUES ('hashsize', ?)", (_HASH_BYTES,)
                )


def runs_of(connection: sqlite3.Connection, table: Table) -> list[Run]:
    """The runs that hold at least one living document, in both parts."""
    return [
        Run(number, part, lo, hi, live, _place(first), _place(last))
        for number, part, lo, hi, live, first, last in connection.execute(
            "SELECT id, part, lo, hi, live, first, last FROM clew_run WHERE tab = ? AND live > 0",
            (table.name,),
        )
    ]


def _place(text: str) -> Place:
    ordinal, seq, path, key = json.loads(text)
    return ordinal, seq, path, key


def waiting(connection: sqlite3.Connection, schema: Schema) -> Waiting:
    """How many rows wait for their text to be indexed, and how many to be moved."""
    rows = moving = 0
    for table in schema.tables:
        if table.text:
            rows += connection.execute(
                f"SELECT count(*) FROM {table.name} WHERE doc IS NULL AND mark IS NOT NULL"
            ).fetchone()[0]
            moving += connection.execute(
                "SELECT coalesce(sum(live), 0) FROM clew_run AS r JOIN clew_text AS t USING (tab) "
                "WHERE r.tab = ? AND r.part <> t.part",
                (table.name,),
            ).fetchone()[0]
    return Waiting(rows, moving)


def fault_of(connection: sqlite3.Connection, table: Table) -> str | None:
    """What is wrong with the text of a table, or None. Raises `sqlite3.Error` for damage.

    Needs a transaction that may write: that is how FTS5 is told to look.
    """
    if not table.text:
        return None
    for part in PARTS:
        name = text_table(table.name, part)
        connection.execute(f"INSERT INTO {name} ({name}) VALUES ('integrity-check')")
    for run in runs_of(connection, table):
        live = connection.execute(
            f"SELECT count(*) FROM {table.name} WHERE doc BETWEEN ? AND ?", (run.lo, run.hi)
        ).fetchone()[0]
        if live != run.live:
            return f"{table.name}: run {run.id} has {live} rows instead of {run.live}"
    return None


def step(connection: sqlite3.Connection, schema: Schema, source: Source, budget: int) -> int:
    """Index the text of at most `budget` rows, the newest first, within the open transaction.
    Returns how many it was."""
    done = 0
    for table in schema.tables:
        if table.text and done < budget:
            done += _Text(connection, table).step(source, budget - done)
    return done


class _Text:
    """The text of one table, in one transaction."""

    def __init__(self, connection: sqlite3.Connection, table: Table) -> None:
        self._connection = connection
        self._table = table
        self._part, self._docs, self._next = connection.execute(
            "SELECT part, docs, runs FROM clew_text WHERE tab = ?", (table.name,)
        ).fetchone()
        self._runs = {run.id: run for run in runs_of(connection, table)}

    def _of_part(self, present: bool) -> list[Run]:
        """The living runs of the part that grows, or of the one that is left; largest first."""
        runs = [r for r in self._runs.values() if r.live > 0 and (r.part == self._part) == present]
        return sorted(runs, key=lambda run: -run.live)

    def step(self, source: Source, budget: int) -> int:
        rows = self._newest(budget)
        if len(self._of_part(True)) > RUNS:
            rows += self._small_runs(budget)
        size = 0
        for number, row in enumerate(rows):
            size += row.size
            if size > STEP_BYTES and number:
                rows = rows[:number]  # the others wait, or stay where they are
                break
        if rows:
            self._add(source, sorted(rows, key=lambda row: row.place))
        self._tend()
        self._save()
        return len(rows)

    def _tend(self) -> None:
        """Empty the part that was left; leave the present one when it is worn out."""
        if self._of_part(False):
            return
        other = PARTS[1 - PARTS.index(self._part)]
        name = text_table(self._table.name, other)
        # Up to 10 are the table's own records, there from the beginning.
        if self._connection.execute(f"SELECT 1 FROM {name}_data WHERE id > 10 LIMIT 1").fetchone():
            self._connection.execute(f"INSERT INTO {name} ({name}) VALUES ('delete-all')")
        runs = self._of_part(True)
        dead = self._docs - sum(run.live for run in runs)
        if dead > max(FEW, self._docs // DEAD) or len(runs) > MANY_RUNS:
            self._part, self._docs = other, 0

    # ---- which rows ----------------------------------------------------------------------------

    def _rows(self, where: str, values: Sequence[Any]) -> Iterator[Row]:
        for row, ordinal, seq, path, key, *rest in self._connection.execute(
            f"SELECT m.row, m.ordinal, m.seq, s.path, m.key, m.at, m.size, m.mark, s.kind, m.doc "
            f"FROM {self._table.name} AS m JOIN clew_source AS s ON s.id = m.source WHERE {where}",
            values,
        ):
            yield Row(row, (ordinal, seq, path, key), *rest)

    def _newest(self, budget: int) -> list[Row]:
        """Rows without a document, and those of the old part, the newest first."""
        new = self._rows(
            "m.doc IS NULL AND m.mark IS NOT NULL ORDER BY m.ordinal DESC, m.seq DESC LIMIT ?",
            (budget,),
        )
        old = [
            self._rows(
                "m.doc BETWEEN ? AND ? ORDER BY m.doc DESC LIMIT ?", (run.lo, run.hi, budget)
            )
            for run in self._of_part(False)
        ]
        found = merge(new, *old, key=lambda row: row.place[:2], reverse=True)
        return list(islice(found, budget))

    def _small_runs(self, budget: int) -> list[Row]:
        """The rows of the smallest runs, as many as a step can take."""
        rows: list[Row] = []
        for run in reversed(self._of_part(True)):
            if len(rows) + run.live > budget:
                break
            rows += self._rows("m.doc BETWEEN ? AND ?", (run.lo, run.hi))
        return rows

    # ---- adding --------------------------------------------------------------------------------

    def _add(self, source: Source, rows: list[Row]) -> None:
        texts = _texts(source, self._table, rows)
        for row in rows:
            if row.doc is not None:
                self._bury(row.doc)
        lost = [row for row in rows if row.row not in texts]
        for row in lost:
            self._forget(row)
        docs = sorted(self._numbers([row for row in rows if row.row in texts]))
        name = text_table(self._table.name, self._part)
        columns = ", ".join(self._table.text)
        marks = ", ".join("?" * len(self._table.text))
        self._connection.executemany(
            f"INSERT INTO {name} (rowid, {columns}) VALUES (?, {marks})",
            ((doc, *texts[row.row]) for doc, row in docs),
        )
        self._connection.executemany(
            f"UPDATE {self._table.name} SET doc = ? WHERE row = ?",
            ((doc, row.row) for doc, row in docs),
        )
        self._docs += len(docs)

    def _bury(self, doc: int) -> None:
        run = self._runs[doc >> _REGION]
        self._runs[run.id] = run._replace(live=run.live - 1)

    def _forget(self, row: Row) -> None:
        """The text is not what it was: it waits no longer, and its file is read again."""
        self._connection.execute(
            f"UPDATE {self._table.name} SET mark = NULL, doc = NULL WHERE row = ?", (row.row,)
        )
        self._connection.execute(
            "UPDATE clew_source SET kind = '', rest = 0 WHERE path = ?", (row.place[2],)
        )

    def _numbers(self, rows: list[Row]) -> Iterator[tuple[int, Row]]:
        """Numbers for rows that are sorted: at the ends of runs where they fit, else in a new run."""
        for run in self._of_part(True):
            older = [row for row in rows if row.place <= run.first]
            newer = [row for row in rows if row.place >= run.last]
            rows = [row for row in rows if run.first < row.place < run.last]
            if older:
                run = run._replace(lo=run.lo - len(older), first=older[0].place)
                yield from enumerate(older, run.lo)
            if newer:
                yield from enumerate(newer, run.hi + 1)
                run = run._replace(hi=run.hi + len(newer), last=newer[-1].place)
            self._runs[run.id] = run._replace(live=run.live + len(older) + len(newer))
        if rows:
            number, self._next = self._next, self._next + 1
            lo = number << _REGION | 1 << (_REGION - 1)
            hi, first, last = lo + len(rows) - 1, rows[0].place, rows[-1].place
            self._runs[number] = Run(number, self._part, lo, hi, len(rows), first, last)
            yield from enumerate(rows, lo)

    def _save(self) -> None:
        name = self._table.name
        self._connection.execute(
            "UPDATE clew_text SET part = ?, docs = ?, runs = ? WHERE tab = ?",
            (self._part, self._docs, self._next, name),
        )
        self._connection.execute("DELETE FROM clew_run WHERE tab = ?", (name,))
        self._connection.executemany(
            "INSERT INTO clew_run (tab, id, part, lo, hi, live, first, last) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (name, *run[:5], written(run.first), written(run.last))
                for run in self._runs.values()
                if run.live > 0
            ],
        )


def written(place: Place) -> str:
    """A place as text."""
    return json.dumps(place, ensure_ascii=False, separators=(",", ":"))


# ---- texts, from where they really are ---------------------------------------------------------


def _texts(source: Source, table: Table, rows: list[Row]) -> dict[int, list[str]]:
    """The tokens of each row's texts. Rows whose text cannot be read any more, or is another now,
    are left out."""
    found: dict[int, list[str]] = {}
    by_path: dict[str, list[Row]] = {}
    for row in rows:
        by_path.setdefault(row.place[2], []).append(row)
    for path, of_path in by_path.items():
        try:
            for row, put in _puts(source, table, path, of_path):
                if mark_of(table, put) == row.mark:
                    found[row.row] = _tokens(table, put)
        except ClewError:  # the next refresh says what is wrong with this file
            continue
    return found


def _tokens(table: Table, put: Put) -> list[str]:
    texts = [tokens(put.text.get(name, "")) for name in table.text]
    kinds = {column.name: column.kind for column in table.columns}
    facets = [facet_token(name, kinds[name], put.values.get(name)) for name in table.facets]
    return [" ".join([*facets, texts[0]]), *texts[1:]]


def _puts(source: Source, table: Table, path: str, rows: list[Row]) -> Iterator[tuple[Row, Put]]:
    documents = [row for row in rows if row.at < 0]
    if documents:
        data = source.read(path)
        puts = _by_key(source, table, path, data) if data is not None else {}
        yield from ((row, puts[row.place[3]]) for row in documents if row.place[3] in puts)
    lines = sorted((row for row in rows if row.at >= 0), key=lambda row: row.at)
    line, puts = -1, {}
    for row, data in _pieces(source, path, lines):
        if row.at != line:
            line = row.at
            try:
                puts = _by_key(source, table, path, data)
            except ClewError:
                puts = {}
        if row.place[3] in puts:
            yield row, puts[row.place[3]]


def _by_key(source: Source, table: Table, path: str, data: bytes) -> dict[str, Put]:
    return {
        storable(change.key): change
        for change in source.rows(path, data)
        if isinstance(change, Put) and change.table == table.name
    }


def _pieces(source: Source, path: str, rows: list[Row]) -> Iterator[tuple[Row, bytes]]:
    """Each row's line; lines that lie close together are read at once."""
    start = 0
    while start < len(rows):
        base, end, stop = rows[start].at, rows[start].at + rows[start].size, start + 1
        while (
            stop < len(rows)
            and rows[stop].at - end <= _NEAR
            and rows[stop].at + rows[stop].size - base <= _BLOCK
        ):
            end = rows[stop].at + rows[stop].size
            stop += 1
        data = source.read(path, base, end - base) or b""
        for row in rows[start:stop]:
            yield row, data[row.at - base : row.at - base + row.size]
        start = stop
