"""The canonical bytes of a state, made again at the cost of what changed.

Pure. The bytes are exactly those of `history.encode_state`. A process that commits again and again
keeps the text of every row: of 2 000 events the next chapter changes one.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from operator import is_not
from typing import Final

import msgspec

from clew.kernel.document import encode
from clew.novel.model import State

_TABLES: Final = ("characters", "foreshadow", "timeline", "wordcount_records")


class StateText:
    """Rows of the tables as they were last encoded. Without effect on any byte."""

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}

    def encode(self, state: State) -> bytes:
        """The canonical bytes of `_tracking-state.json`."""
        if not self._tables:
            # A command encodes one state: row by row would cost it more than all at once.
            self._tables = {name: _Table() for name in _TABLES}
            return encode(state)
        out = encode(msgspec.structs.replace(state, **{name: {} for name in _TABLES}))
        parts = []
        for name, table in self._tables.items():
            # A line that begins so is an empty table: no string holds a raw line end.
            before, mark, out = out.partition(b'\n  "%s": {' % name.encode())
            parts += [before, mark, table.encode(getattr(state, name))]
        return b"".join([*parts, out])


class _Table:
    """The texts of one table's rows. A row that two states share is the same object in both:
    comparing 2 000 rows by value would cost more than it saves."""

    def __init__(self) -> None:
        self._rows: dict[str, msgspec.Struct] = {}
        self._texts: dict[str, bytes] = {}

    def encode(self, table: Mapping[str, msgspec.Struct]) -> bytes:
        """What stands between the braces of the table."""
        keys = sorted(table)
        rows = [table[key] for key in keys]
        # Whole columns at a time: this runs over every row of the book at each commit.
        changed = map(is_not, rows, map(self._rows.get, keys))
        for at in compress(range(len(keys)), changed):
            key, row = keys[at], rows[at]
            text = encode(row)[:-1].replace(b"\n", b"\n    ")
            self._rows[key], self._texts[key] = row, msgspec.json.encode(key) + b": " + text
        for gone in self._rows.keys() - table.keys():
            del self._rows[gone], self._texts[gone]
        return (
            b"\n    " + b",\n    ".join(map(self._texts.__getitem__, keys)) + b"\n  "
            if keys
            else b""
        )
