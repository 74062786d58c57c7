"""When the shelf's history tells less than the documents: how that is noticed, and lists made from the
documents meanwhile.

The history is what the index is made from. When it is lost or cut short, every card is still there,
each with its document: lists, names and searches then go by the documents, and every command says so,
until `library repair` makes the history whole. It is noticed at the cost of three stats: a history
shorter than the index has read, or more documents in the shelves' folders than rows in the index.

Only reads. Rules: docs/library.md, "A history that is short".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from clew.books.cardindex import LibrarySource
from clew.books.layout import LOG, SHELVES, asset_file, book_file
from clew.books.library import Library, decoded
from clew.books.records import DECODE_ASSET, DECODE_LINE, Asset, line_of
from clew.kernel import log
from clew.kernel.errors import ClewError, Corrupt
from clew.kernel.faults import Both, Fault
from clew.kernel.index import Index
from clew.kernel.index_schema import Change, Entry
from clew.kernel.vault import Reader


def suspected(library: Library, index: Index) -> bool:
    """Whether the history is shorter than the index has read. Asked before the index is refreshed."""
    known = index.query("SELECT size FROM clew_source WHERE path = ?", (LOG,))
    if not known or known[0][0] is None:
        return False
    found = library.vault.files.stat(library.vault.real(LOG))
    return found is None or found.size < known[0][0]


def outnumbered(index: Index) -> bool:
    """Whether there are more documents than the history has told of. Asked after a refresh."""
    return bool(
        index.query(
            "SELECT 1 FROM shelves AS s WHERE s.documents > "
            "(SELECT count(*) FROM asset AS a WHERE a.kind = s.key) LIMIT 1"
        )
    )


def short_of(library: Library) -> int:
    """How many documents the history does not know, or knows an older state of."""
    return library.look(lambda reader: _short_of(library, reader))


def _short_of(library: Library, reader: Reader) -> int:
    try:
        data = library.vault.files.read(library.vault.real(LOG))
    except OSError:
        data = b""
    known: dict[str, int] = {}
    for raw in log.lines(data)[0]:
        try:
            asset = DECODE_LINE.decode(raw).asset
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        known[asset.id] = asset.revision
    return sum(known.get(asset.id, 0) < asset.revision for asset in documents(library, reader))


def documents(library: Library, reader: Reader) -> Iterator[Asset]:
    """Every asset whose document can be read; `check` tells of the others."""
    for kind in SHELVES:
        for ident in library.asset_ids(reader, kind):
            try:
                asset = library.asset(reader, ident)
            except ClewError:
                continue
            if asset is not None:
                yield asset


class DocumentSource(LibrarySource):
    """The documents of a library as an index reads them, without the history."""

    def entries(self) -> Iterator[Entry]:
        library = self._library
        reader = library.glance()
        assets = (asset_file(i) for kind in SHELVES for i in library.asset_ids(reader, kind))
        for path in (*assets, *map(book_file, library.book_ids())):
            found = self.entry(path)
            if found is not None:
                yield found

    def rows(self, path: str, data: bytes) -> Iterable[Change]:
        if not path.startswith(tuple(SHELVES.values())):
            return super().rows(path, data)
        asset = decoded(DECODE_ASSET, data, path)
        if asset.version() is None or asset_file(asset.id) != path:
            reason = Both("它说的不是它自己", "it does not tell of itself")
            raise Corrupt(Fault("record_broken", file=path, reason=reason))
        return [self._of_asset(line_of(asset, "taken_over", asset.updated_at))]
