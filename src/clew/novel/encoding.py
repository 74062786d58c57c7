"""The canonical bytes of a state, made again at the cost of what changed.

Pure. The bytes are exactly those of `history.encode_state`. A process that commits again and again
keeps the text of every row: of 2 000 events the next chapter changes one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from clew.kernel.document import encode
from clew.novel.model import State

_TABLES: Final = ("characters", "foreshadow", "timeline", "wordcount_records")


class StateText:
    """Rows of the tables as they were last encoded. Without effect on any byte."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, tuple[msgspec.Struct, bytes]]] = {}
        self._used = False

    def encode(self, state: State) -> bytes:
        """The canonical bytes of `_tracking-state.json`."""
        if not self._used:
            # A command encodes one state: row by row would cost it more than all at once.
            self._used = True
            return encode(state)
        tables = {name: self._table(name, getattr(state, name)) for name in _TABLES}
        out = encode(msgspec.structs.replace(state, **{name: {} for name in _TABLES}))
        for name, rows in tables.items():
            if rows:
                # A line that begins so is an empty table: no string holds a raw line end.
                mark = b'\n  "%s": {}' % name.encode()
                out = out.replace(mark, b'%s\n    %s\n  }' % (mark[:-1], b",\n    ".join(rows)), 1)
        return out

    def _table(self, name: str, rows: Mapping[str, msgspec.Struct]) -> list[bytes]:
        known = self._rows.get(name, {})
        fresh: dict[str, tuple[msgspec.Struct, bytes]] = {}
        for key in sorted(rows):
            row = rows[key]
            found = known.get(key)
            if found is None or found[0] is not row:
                found = (row, _entry(key, row))
            fresh[key] = found
        self._rows[name] = fresh
        return [text for _, text in fresh.values()]


def _entry(key: str, row: msgspec.Struct) -> bytes:
    text = encode(row)[:-1].replace(b"\n", b"\n    ")
    return msgspec.json.encode(key) + b": " + text
