"""What a derived index holds, as data: tables, the changes that fill them, and the source of those.

A room declares its tables once; the index makes them, fills them from a `Source` and forgets them
without loss. Pure: no file is touched here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from clew.kernel.files import Stat

FORMAT: Final = 1
"""Counts changes of the index's own tables and of how text is split; another number is rebuilt."""
APPLICATION: Final = 0x636C6577
"""Marks a SQLite file as an index of clew's (`clew`): no other database is ever written over."""
PARTS: Final = ("a", "b")
"""The text of a table is indexed in one of two places, so that it can move from one to the other."""

Value: TypeAlias = str | int | float | bytes | None
Kind: TypeAlias = Literal["text", "integer", "real", "blob"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,40}\Z")
_BUILT_IN: Final = ("row", "source", "key", "ordinal", "seq", "at", "size", "mark", "doc", "read")
_NOT_TEXT: Final = frozenset({"rank", "rowid"})


class Column(NamedTuple):
    """One value that a row keeps, for filters and for what a room asks in SQL."""

    name: str
    kind: Kind = "text"


class Table(NamedTuple):
    """One kind of row.

    Besides its columns every row has `row` (its number in this index), `source` (see the table
    `clew_source`: `id`, `path`), `key`, `ordinal` and `seq`. These may be named in `indexes`.
    """

    name: str
    columns: tuple[Column, ...] = ()
    indexes: tuple[tuple[str, ...], ...] = ()
    """Columns by which rows are looked up or sorted together, one tuple for each SQL index."""
    text: tuple[str, ...] = ()
    """Names of the texts that can be searched. The texts themselves are not kept."""
    facets: tuple[str, ...] = ()
    """Columns by which a search is narrowed fast however common the words are (the play, the
    speaker). A change of one indexes the row's text anew."""


class Schema(NamedTuple):
    """All tables of one index. A change of anything here, `version` too, rebuilds the index: count
    `version` up when the same file is read into other rows."""

    name: str
    version: int
    tables: tuple[Table, ...]


class Put(NamedTuple):
    """Add a row, or replace the one of the same source and key."""

    table: str
    key: str
    """Names the row within its source."""
    ordinal: int = 0
    """What is newer has the larger number (a time, for instance), in 64 bits. Equal ones are told
    apart by their place in the source."""
    values: Mapping[str, Value] = {}
    """Columns that are left out are NULL."""
    text: Mapping[str, str] = {}


class Amend(NamedTuple):
    """Change some columns of a row of the same source that an earlier line put. Its text stays.
    No facet can be amended: put the row again."""

    table: str
    key: str
    values: Mapping[str, Value]


class Drop(NamedTuple):
    """Take a row of the same source away. None of that key: nothing happens."""

    table: str
    key: str


Change: TypeAlias = Put | Amend | Drop


class Entry(NamedTuple):
    """A file of the source as it is now."""

    path: str
    """Its path within the vault."""
    kind: Literal["document", "log"]
    """A document is read as a whole, a log by its whole lines, and only the new ones."""
    stat: Stat | None = None
    """None where the store has none: the content is compared each time."""
    at_rest: bool = True
    """False while another write may leave the same `stat`. Only `Source.entry` need say so."""


class Source(Protocol):
    """The documents and logs that an index is made from, and what their contents mean.

    All of it may be asked again at any time, and must answer by content alone: the same bytes give
    the same rows, so that an index can be thrown away.
    """

    def entries(self) -> Iterable[Entry]:
        """Every file that belongs to the index. Raises `ClewError` when they cannot be listed: an
        empty answer means that there are none, and drops all rows."""
        ...

    def entry(self, path: str) -> Entry | None:
        """One file as it is now; None when it is gone or does not belong to the index."""
        ...

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes | None:
        """Bytes from `offset`, at most `limit`; None when the file is gone. Raises `ClewError`."""
        ...

    def rows(self, path: str, data: bytes) -> Iterable[Change]:
        """What a whole document, or one line of a log, says. Raises `ClewError` when it cannot be
        understood: it is left out and told."""
        ...


def check_schema(schema: Schema) -> None:
    """Raise `ValueError` when a room's declaration is not usable: a mistake in the program."""
    seen: set[str] = set()
    for table in schema.tables:
        columns = [column.name for column in table.columns]
        named = [table.name, *columns, *table.text]
        bad = [name for name in named if not _NAME.match(name) or name.startswith("clew_")]
        bad += [name for name in columns if name in _BUILT_IN or columns.count(name) > 1]
        bad += [name for name in table.text if name in _NOT_TEXT or table.text.count(name) > 1]
        bad += [n for group in table.indexes for n in group if n not in (*columns, *_BUILT_IN)]
        bad += [name for name in table.facets if name not in columns]
        if bad or table.name in seen:
            raise ValueError(f"table {table.name!r}: not usable: {bad or 'named twice'}")
        seen.add(table.name)


def fingerprint(schema: Schema) -> int:
    """31 bits that stand for the schema and the format: kept in the database's `user_version`."""
    digest = hashlib.sha256(repr((FORMAT, schema)).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1 or 1


def text_table(table: str, part: str) -> str:
    """The name of the full-text table of a part."""
    return f"{table}_text_{part}"


def statements(schema: Schema) -> list[str]:
    """What makes the tables, written as SQLite keeps it, so that the two can be compared."""
    made = [
        "CREATE TABLE clew_source (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT, "
        "size INTEGER, mtime INTEGER, inode INTEGER, ctime INTEGER, rest INTEGER, "
        "offset INTEGER, lines INTEGER, sum INTEGER, tail INTEGER, digest BLOB, reads INTEGER)",
        "CREATE TABLE clew_text (tab TEXT PRIMARY KEY, part TEXT NOT NULL, docs INTEGER NOT NULL, "
        "runs INTEGER NOT NULL)",
        "CREATE TABLE clew_run (id INTEGER NOT NULL, tab TEXT NOT NULL, part TEXT NOT NULL, "
        "lo INTEGER NOT NULL, hi INTEGER NOT NULL, live INTEGER NOT NULL, first TEXT NOT NULL, "
        "last TEXT NOT NULL, PRIMARY KEY (tab, id)) WITHOUT ROWID",
    ]
    for table in schema.tables:
        made += _of_table(table)
    return made


def _of_table(table: Table) -> list[str]:
    name = table.name
    columns = "".join(f", {column.name} {column.kind.upper()}" for column in table.columns)
    made = [
        f"CREATE TABLE {name} (row INTEGER PRIMARY KEY, source INTEGER NOT NULL, "
        "key TEXT NOT NULL, ordinal INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, "
        f"size INTEGER NOT NULL, mark INTEGER, doc INTEGER, read INTEGER NOT NULL{columns})",
        f"CREATE UNIQUE INDEX {name}_identity ON {name} (source, key)",
    ]
    made += [
        f"CREATE INDEX {name}_by_{'_'.join(group)} ON {name} ({', '.join(group)})"
        for group in dict.fromkeys(table.indexes)
    ]
    if table.text:
        made += [
            f"CREATE UNIQUE INDEX {name}_docs ON {name} (doc) WHERE doc IS NOT NULL",
            f"CREATE INDEX {name}_waiting ON {name} (ordinal, seq) "
            "WHERE doc IS NULL AND mark IS NOT NULL",
        ]
        # Contentless: no text is kept twice. No sizes: nothing is ranked. Tokens come ready made,
        # all of letters and digits or beyond ASCII, which is what `ascii` leaves whole.
        made += [
            f"CREATE VIRTUAL TABLE {text_table(name, part)} USING fts5({', '.join(table.text)}, "
            "content='', columnsize=0, tokenize='ascii', prefix='3')"
            for part in PARTS
        ]
    return made
