"""Searching the text of an index: newest first, page by page, without counting everything."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import Any, Final, NamedTuple

from clew.kernel.errors import Refused
from clew.kernel.faults import Code, Fault, register
from clew.kernel.index_rows import storable
from clew.kernel.index_runs import Place, Run, runs_of, written
from clew.kernel.index_schema import Table, Value, text_table
from clew.kernel.index_text import Query, expression, facet_token

Where = Mapping[str, Value | Collection[Value]]
"""Columns and what they must be: one value, or any of several. `source` is the file's path."""

_CURSOR_CHARS: Final = 8_192
_MANY: Final = 64
"""More values than these are looked up in the rows only."""


class Hit(NamedTuple):
    """A row that was found."""

    row: int
    """Its number in this index, for `query`; another one after a rebuild."""
    source: str
    """The file that it comes from, by its path in the vault."""
    key: str
    ordinal: int
    cursor: str
    """Hand it to the next search as `before` to go on behind this row. It stays good when the
    index changes or is rebuilt."""


def search(
    connection: sqlite3.Connection,
    table: Table,
    query: Query,
    *,
    where: Where,
    columns: Sequence[str],
    limit: int,
    before: str | None,
) -> list[Hit]:
    """The newest `limit` rows that match, within the open transaction. Raises `Refused`
    (`bad_cursor`), `ValueError` for a column that the table has not."""
    bound = None if before is None else _cursor(before)
    if wrong := [name for name in columns if name not in table.text]:
        raise ValueError(f"{table.name} has no text {wrong}")
    conditions, values = _conditions(table, where)
    if not query.terms or limit < 1 or conditions is None:
        return []
    match = expression(query, columns, _facets(table, where))
    found = [
        _in_run(connection, table, run, match, conditions, values, limit, bound)
        for run in runs_of(connection, table)
    ]
    places = merge(*found, key=lambda hit: hit[0], reverse=True)
    return [
        Hit(row, place[2], place[3], place[0], written(place))
        for place, row in islice(places, limit)
    ]


def _in_run(
    connection: sqlite3.Connection,
    table: Table,
    run: Run,
    match: str,
    conditions: str,
    values: list[Any],
    limit: int,
    bound: Place | None,
) -> Iterator[tuple[Place, int]]:
    top = run.hi if bound is None else _top(connection, table, run, bound)
    if top < run.lo:
        return
    text = text_table(table.name, run.part)
    # CROSS JOIN keeps the order of the loops: from the documents found to their rows.
    for ordinal, seq, path, key, row in connection.execute(
        f"SELECT m.ordinal, m.seq, s.path, m.key, m.row FROM {text} AS f "
        f"CROSS JOIN {table.name} AS m ON m.doc = f.rowid "
        "CROSS JOIN clew_source AS s ON s.id = m.source "
        f"WHERE f.{text} MATCH ? AND f.rowid BETWEEN ? AND ?{conditions} "
        "ORDER BY f.rowid DESC LIMIT ?",
        (match, run.lo, top, *values, limit),
    ):
        yield (ordinal, seq, path, key), row


def _top(connection: sqlite3.Connection, table: Table, run: Run, bound: Place) -> int:
    """The last number of a run whose rows stand before `bound`: by halves, as they are sorted."""
    if bound > run.last:
        return run.hi
    low, high = run.lo - 1, run.hi
    while low < high:
        middle = (low + high + 1) // 2
        found = connection.execute(
            f"SELECT m.doc, m.ordinal, m.seq, s.path, m.key FROM {table.name} AS m "
            "JOIN clew_source AS s ON s.id = m.source "
            "WHERE m.doc BETWEEN ? AND ? ORDER BY m.doc DESC LIMIT 1",
            (low + 1, middle),
        ).fetchone()
        if found is None or tuple(found[1:]) < bound:
            low = middle
        else:
            high = found[0] - 1
    return low


def _conditions(table: Table, where: Where) -> tuple[str | None, list[Any]]:
    """SQL for `where`, and its values; None when nothing can fulfil it."""
    names = {column.name: f"m.{column.name}" for column in table.columns}
    names |= {"key": "m.key", "ordinal": "m.ordinal", "source": "s.path"}
    sql = ""
    values: list[Any] = []
    for name, wanted in where.items():
        if name not in names:
            raise ValueError(f"{table.name} has no column {name!r}")
        any_of = [storable(value) for value in _several(wanted)]
        if not any_of:
            return None, []
        marks = ", ".join("?" * len(any_of))
        null = f" OR {names[name]} IS NULL" if None in any_of else ""
        sql += f" AND ({names[name]} IN ({marks}){null})"
        values += any_of
    return sql, values


def _several(wanted: Value | Collection[Value]) -> list[Value]:
    if wanted is None or isinstance(wanted, str | bytes | int | float):
        return [wanted]
    return list(wanted)


def _facets(table: Table, where: Where) -> list[list[str]]:
    """For each facet that `where` names, the tokens of which a document must have one."""
    kinds = {column.name: column.kind for column in table.columns}
    wanted = {name: _several(where[name]) for name in table.facets if name in where}
    return [
        [facet_token(name, kinds[name], storable(value)) for value in values]
        for name, values in wanted.items()
        if len(values) <= _MANY
    ]


def _cursor(text: str) -> Place:
    try:
        place = json.loads(text) if len(text) <= _CURSOR_CHARS else None
    except (ValueError, RecursionError):
        place = None
    if isinstance(place, list) and [type(part) for part in place] == [int, int, str, str]:
        return place[0], place[1], place[2], place[3]
    raise Refused(Fault("bad_cursor", found=text))


register(
    Code(
        "bad_cursor", 2,
        "翻页位置 {found} 无效",
        "the page position {found} is not valid",
        "从第一页重新搜索，或原样传回上一页最后一条的位置。",
        "Search from the first page again, or hand back the position of the last hit as it was given.",
        about_zh="翻页位置由上一页最后一条结果给出，原样传回即可。",
        about_en="The position of a page is what the last hit of the page before gave; hand it back "
        "unchanged.",
    ),
)  # fmt: skip
