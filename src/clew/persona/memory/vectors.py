"""Vectors of what the memory holds: kept beside the index, asked for what is near in meaning.

Derived like the index, in a file of its own, because a vector costs a call to a model and the index
is thrown away lightly. A vector belongs to a text by the index's mark of it: a text that changed gets
a new one, one that is gone loses it. All of them are compared, which is exact and, for some ten
thousand, a moment.
"""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from collections.abc import Callable
from heapq import nlargest
from operator import mul
from typing import TYPE_CHECKING, Any, Final, TypeVar

from clew.kernel.faults import Both
from clew.kernel.index_store import Store
from clew.persona.memory import embedders
from clew.persona.memory.embedders import BATCH, Embedder, Vector
from clew.persona.memory.words import Entry, Memory, Row, entry
from clew.persona.model import FILE_MODE

if TYPE_CHECKING:
    from clew.persona.home import Home

FILE: Final = "vectors.sqlite"
TEXT_CHARS: Final = 2_000
"""So much of a text is given to the model."""
_STATEMENTS: Final = [
    "CREATE TABLE vector (path TEXT NOT NULL, key TEXT NOT NULL, mark INTEGER NOT NULL, "
    "model TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (path, key)) WITHOUT ROWID",
]
_VERSION: Final = int.from_bytes(hashlib.sha256(repr(_STATEMENTS).encode()).digest()[:3], "big")
_ATTEMPTS: Final = 4
_LEAST: Final = 15
"""Hundredths of likeness below which nothing is called near."""
T = TypeVar("T")


class Vectors:
    """The vectors of an open home."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self._store = Store(
            home.vault.real(FILE), _STATEMENTS, _VERSION, files=home.vault.files, clock=home.clock,
            timeout=home.lock_timeout, mode=FILE_MODE,
        )  # fmt: skip

    def __enter__(self) -> Vectors:
        return self

    def __exit__(self, *_: object) -> None:
        self.home.notes += self._store.notes
        self._store.close()

    def discard(self) -> None:
        """Throw the vectors away; the next build makes them anew."""
        self._attempt(self._store.connection)
        self._store.discard(None)

    def known(self, model: str) -> dict[tuple[str, str], int]:
        """Which texts have a vector of a model, with their marks."""
        return self._attempt(
            lambda: self._rows("SELECT path, key, mark FROM vector WHERE model = ?", model)
        )

    def _rows(self, sql: str, *values: str) -> dict[tuple[str, str], int]:
        with self._store.read() as connection:
            return {(path, key): mark for path, key, mark in connection.execute(sql, values)}

    def build(
        self,
        memory: Memory,
        embedder: Embedder,
        *,
        going_on: Callable[[], bool] = lambda: True,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> tuple[int, int]:
        """Make the vectors that are missing, newest texts first; returns how many were made, and
        how many still are. Raises `StorageFailed` (`embedding_failed`); what was made until then
        is kept."""
        known = self.known(embedder.name)
        rows = memory.every()
        there = {(row.path, row.key) for row in rows}
        gone = [place for place in known if place not in there]
        if gone:
            self._attempt(lambda: self._drop(gone))
        todo = [row for row in rows if known.get((row.path, row.key)) != row.mark]
        made = 0
        for at in range(0, len(todo), BATCH):
            if not going_on():
                break
            progress(at, len(todo))
            batch = todo[at : at + BATCH]
            texts = [(row, found.body) for row in batch if (found := memory.found(row)) is not None]
            vectors = embedder.embed([text[:TEXT_CHARS] for _, text in texts])
            kept = [(row, vector) for (row, _), vector in zip(texts, vectors, strict=True)]
            self._attempt(lambda kept=kept: self._put(embedder.name, kept))  # type: ignore[misc]
            made += len(kept)
        return made, len(todo) - made

    def _put(self, model: str, rows: list[tuple[Row, Vector]]) -> None:
        with self._store.write() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?, ?)",
                [(row.path, row.key, row.mark, model, vector.tobytes()) for row, vector in rows],
            )

    def _drop(self, places: list[tuple[str, str]]) -> None:
        with self._store.write() as connection:
            connection.executemany("DELETE FROM vector WHERE path = ? AND key = ?", places)

    def nearest(self, memory: Memory, embedder: Embedder, text: str, limit: int) -> list[Entry]:
        """What is nearest in meaning to a text, nearest first. Raises as `build` does."""
        asked = embedder.embed([text[:TEXT_CHARS]])[0]
        best = nlargest(limit, self._attempt(lambda: self._likenesses(asked, embedder.name)))
        rows = {(row.path, row.key): row for row in memory.every()}
        out = []
        for likeness, path, key in best:
            row = rows.get((path, key))
            found = memory.found(row) if row is not None and likeness >= _LEAST else None
            if row is not None and found is not None and not memory.is_replaced(row, found):
                line = " ".join(found.body.split())
                shown = line if len(line) <= 120 else line[:119] + "…"
                out.append(entry(row, shown, [], likeness))
        return out

    def _likenesses(self, asked: Vector, model: str) -> list[tuple[int, str, str]]:
        found = []
        with self._store.read() as connection:
            sql = "SELECT path, key, value FROM vector WHERE model = ?"
            for path, key, value in connection.execute(sql, (model,)):
                if len(value) == 4 * len(asked):
                    vector = array("f", value)
                    found.append((round(100 * sum(map(mul, asked, vector))), path, key))
        return found

    def _attempt(self, work: Callable[[], T]) -> T:
        """Do it; when the file is damaged, do it with an empty one."""
        for _ in range(_ATTEMPTS):
            try:
                answer = work()
            except sqlite3.Error as error:
                self._store.recover(error)
            else:
                self._store.succeeded()
                return answer
        return work()


def standing(home: Home, *, trusted: bool) -> tuple[int | None, Both]:
    """How many vectors there are, or None for words alone; and why."""
    embedder, why = embedders.choose(home.settings, trusted=trusted)
    if embedder is None:
        return None, why
    with Vectors(home) as vectors:
        return len(vectors.known(embedder.name)), why


def periodic(home: Home, *, trusted: bool = False) -> dict[str, Any]:
    """The tool of the pulse, every three hours. Does nothing where no embedder may be used."""
    embedder, why = embedders.choose(home.settings, trusted=trusted)
    if embedder is None:
        return {"vectors": 0, "why": why.en}
    with Memory(home) as memory, Vectors(home) as vectors:
        memory.refresh()
        made, left = vectors.build(memory, embedder)
        return {"vectors": made, "waiting": left}
