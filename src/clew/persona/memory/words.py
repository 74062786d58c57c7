"""The word index of a persona's memory: kept up to date, searched, newest first.

What is found is told in `clew.kernel.index_text`: one Chinese character is enough, and nothing
depends on white space. The text of a hit is read where it really is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from clew.kernel.faults import Fault
from clew.kernel.index import Index
from clew.kernel.index_excerpt import excerpt
from clew.kernel.index_text import query_of
from clew.persona.archive import MANIFEST, Manifest
from clew.persona.memory.source import SCHEMA, TABLE, Found, HomeSource, found_in
from clew.persona.model import FILE_MODE, INDEX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clew.persona.home import Home

STEP_ROWS: Final = 500
WIDTH: Final = 120
_COLUMNS: Final = "e.row, s.path, e.key, e.kind, e.window, e.who, e.moment, e.at, e.size, e.mark"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Something of the memory."""

    kind: str
    """`transcript`, `diary`, `board`, `baton` or `stream`."""
    window: str = ""
    who: str = ""
    moment: str = ""
    """When, as it was written; a civil date for the diary."""
    text: str = ""
    """An excerpt, with `…` where it was cut."""
    spans: list[tuple[int, int]] = []
    """Start and end of each match in it."""
    source: str
    """The file below the home."""
    key: str
    likeness: int | None = None
    """How near its meaning is, 0..100, where it was found by meaning."""


class Row(msgspec.Struct, frozen=True, array_like=True):
    """A row of the index, in the order in which it is asked for."""

    row: int
    path: str
    key: str
    kind: str
    window: str
    who: str
    moment: str
    at: int
    size: int
    mark: int | None


class Memory:
    """The index of an open home. For one thread; close it after use."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.source = HomeSource(home)
        self.index = Index(
            home.vault.real(INDEX), SCHEMA, self.source, files=home.vault.files, clock=home.clock,
            timeout=home.lock_timeout, mode=FILE_MODE,
        )  # fmt: skip
        self._copies: dict[str, list[str]] | None = None

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.home.notes += self.index.notes
        self.index.close()

    def discard(self) -> None:
        """Throw the index away; the next refresh makes it anew."""
        self.index.discard()

    def refresh(
        self,
        *,
        going_on: Callable[[], bool] = lambda: True,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> int:
        """Read what changed; returns how many texts still wait, which is 0 unless `going_on` said
        no."""
        done = self.index.refresh(text=False)
        self.home.notes += _told([problem.fault for problem in done.problems])
        left = whole = done.waiting
        while left and going_on():
            progress(whole - left, whole)
            last, left = left, self.index.refresh_text(STEP_ROWS)
            if left >= last:
                break
        return left

    def search(
        self,
        text: str,
        *,
        kinds: Sequence[str] = (),
        window: str = "",
        limit: int = 20,
        after: str | None = None,
    ) -> tuple[list[Entry], str]:
        """The newest hits, and where to go on. Raises `Refused` (`query_too_long`, `bad_cursor`)."""
        where: dict[str, Any] = {}
        if kinds:
            where["kind"] = list(kinds)
        if window:
            where["window"] = window
        hits = self.index.search(TABLE, text, where=where, limit=limit + 1, before=after)
        shown, seen = [], set()
        query = query_of(text)
        rows = {row.row: row for row in self.rows([hit.row for hit in hits[:limit]])}
        for hit in hits[:limit]:
            row = rows.get(hit.row)
            found = None if row is None else self.found(row)
            if row is None or found is None or self.is_replaced(row, found):
                continue
            if (found.window, found.key, found.body) in seen:  # a window may have two transcripts
                continue
            seen.add((found.window, found.key, found.body))
            cut = excerpt(found.body, query, WIDTH)
            lead = "…" * cut.before
            spans = [(a + len(lead), b + len(lead)) for a, b in cut.spans]
            shown.append(entry(row, f"{lead}{cut.text}{'…' * cut.after}", spans))
        return shown, hits[limit - 1].cursor if len(hits) > limit else ""

    def rows(self, numbers: Sequence[int]) -> list[Row]:
        """Rows by their numbers."""
        if not numbers:
            return []
        marks = ", ".join("?" * len(numbers))
        return self._asked(f"WHERE e.row IN ({marks})", list(numbers))

    def every(self) -> list[Row]:
        """Every row that has a text, newest first."""
        return self._asked("WHERE e.mark IS NOT NULL ORDER BY e.ordinal DESC, e.seq DESC", [])

    def _asked(self, more: str, values: list[Any]) -> list[Row]:
        sql = f"SELECT {_COLUMNS} FROM {TABLE} e JOIN clew_source s ON s.id = e.source {more}"
        return [Row(*row) for row in self.index.query(sql, values)]

    def found(self, row: Row) -> Found | None:
        """What a row says, read where it stands; None when that is gone."""
        part = (0, -1) if row.at < 0 else (row.at, row.size)
        data = self.source.read(row.path, *part)
        if data is None:
            return None
        return next((one for one in found_in(row.path, data) if one.key == row.key), None)

    def is_replaced(self, row: Row, found: Found) -> bool:
        """Whether a newer copy of the same transcript has what this row of a superseded one says. A host
        that rewrites a transcript leaves the older copy in the archive; each word is shown once."""
        newer = self._newer().get(row.path, ())
        for path in newer:
            sql = "WHERE s.path = ? AND e.key = ?"
            for other in self._asked(sql, [path, row.key]):
                # In a document the key is a place, at which something else may stand by now.
                if path.endswith(".jsonl") or self._says(other, found):
                    return True
        return False

    def _says(self, row: Row, found: Found) -> bool:
        there = self.found(row)
        return there is not None and (there.who, there.body) == (found.who, found.body)

    def _newer(self) -> dict[str, list[str]]:
        """Of each superseded copy the newer ones of the same source."""
        if self._copies is None:
            manifest = self.home.load(MANIFEST, Manifest) or Manifest()
            self._copies = {}
            for number, copy in enumerate(manifest.copies):
                if copy.superseded:
                    later = manifest.copies[number + 1 :]
                    self._copies[copy.file] = [c.file for c in later if c.source == copy.source]
        return self._copies

    def counts(self) -> dict[str, int]:
        """How many rows of each kind there are."""
        return {
            str(kind): int(count)
            for kind, count in self.index.query(
                f"SELECT kind, count(*) FROM {TABLE} GROUP BY kind ORDER BY kind"
            )
        }


def entry(row: Row, text: str, spans: list[tuple[int, int]], likeness: int | None = None) -> Entry:
    """A row as it is shown."""
    return Entry(
        kind=row.kind, window=row.window, who=row.who, moment=row.moment, text=text, spans=spans,
        source=row.path, key=row.key, likeness=likeness,
    )  # fmt: skip


def _told(faults: list[Fault]) -> list[Fault]:
    return faults[:20]


def periodic(home: Home) -> dict[str, Any]:
    """The tool of the pulse, every half hour."""
    with Memory(home) as memory:
        waiting = memory.refresh()
        return {"rows": sum(memory.counts().values()), "waiting": waiting}
