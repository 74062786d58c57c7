"""Deleting for good what is in the trash: cards with all their versions and files, and books.

Nothing else deletes. Without `really` it is only said what would go. Several go in one change, all or
none, and everything that stands in the way is told at once. What is not clew's stays where it is. A card
and the book in which it was designed are kept apart: purging one does not touch the other.

Rules: book-storage seed sections 2 and 11 (how a card was made, the card, how it was played); docs/library.md.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from clew.books.assets import in_the_way, present
from clew.books.bookrecords import APART, DECODE_BOOK, CardBook
from clew.books.bookshelf import DESIGN, Use, uses_in
from clew.books.layout import (
    LOG,
    PRIVATE,
    asset_file,
    asset_folder,
    book_file,
    book_folder,
    book_scope,
    is_blob,
    version_number,
)
from clew.books.library import Library, decoded
from clew.books.lifecycle import advance
from clew.books.records import Asset, line_of
from clew.kernel import document
from clew.kernel.errors import ClewError, Missing
from clew.kernel.faults import Fault
from clew.kernel.vault import Transaction

_PARTS: Final = ("contents", "snapshots")
"""Folders of a book; all that clew keeps in them ends in `.json`."""


class Purge(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is, or would be, deleted for good."""

    id: str
    title: str
    files: list[str]
    bytes: int
    versions: int = 0
    designed_in: str = ""
    """The id of the book in which a card was designed, which stays."""


class Purged(msgspec.Struct, frozen=True, kw_only=True):
    """What is, or would be, deleted for good."""

    status: str
    """`ok`, or `would_delete` when nothing was done yet."""
    items: list[Purge]
    bytes: int


def purge(library: Library, *idents: str, really: bool, besides: Sequence[Fault] = ()) -> Purged:
    """Delete assets that are in the trash, with all their versions and files. Without `really` it
    only says what that would be. What is known to stand in the way `besides` is told as well.

    Raises `Missing` (`no_such_asset`), `Refused` with every `impossible_step` of what is not in the
    trash and `still_used` of what books pin.
    """
    faults = list(besides)
    with library.changing() as tx:
        used = _uses(library)
        found: list[tuple[Asset, list[str]]] = []
        for ident in dict.fromkeys(idents):
            try:
                asset = present(library, tx, ident)
                advance("asset", asset.state, "purge", name=asset.title)
            except ClewError as refused:
                faults += refused.faults
                continue
            pins = [use.title for use in used.get(ident, ()) if use.role != DESIGN]
            if pins:
                faults.append(Fault("still_used", name=asset.title, found=pins))
            found.append((asset, _files(tx, ident)))
        if faults:
            raise in_the_way(faults)
        items = [
            Purge(
                id=asset.id, title=asset.title, files=paths, bytes=_size(library, paths),
                versions=len(asset.versions), designed_in=_design(used.get(asset.id, ())),
            )
            for asset, paths in found
        ]  # fmt: skip
        if really:
            at = library.now()
            for asset, paths in found:
                for path in paths:
                    tx.remove(path, truth=True)
                gone = replace(asset, revision=asset.revision + 1, updated_at=at, versions=[])
                tx.append(LOG, document.encode_line(line_of(gone, "purged", at)))
    for item in items:
        if really:
            _drop(library, asset_folder(item.id))
        if item.designed_in:
            library.notes.append(Fault("design_stays", name=item.title, found=item.designed_in))
    return _told(items, really=really)


def _told(items: list[Purge], *, really: bool) -> Purged:
    status = "ok" if really else "would_delete"
    return Purged(status=status, items=items, bytes=sum(item.bytes for item in items))


def _uses(library: Library) -> dict[str, list[Use]]:
    """Every use of every asset. Raises `Corrupt` when a book cannot be read: it may use anything."""
    found: dict[str, list[Use]] = {}
    for ident in library.book_ids():
        try:
            book = library.book(ident)
        except Missing:
            continue  # an empty folder: there is no book
        for asset, use in uses_in(book):
            found.setdefault(asset, []).append(use)
    return found


def _design(uses: Iterable[Use]) -> str:
    return next((use.book for use in uses if use.role == DESIGN), "")


def _files(tx: Transaction, ident: str) -> list[str]:
    folder = asset_folder(ident)
    ours = [n for n in tx.names(folder) if is_blob(n) or version_number(n) is not None]
    return [asset_file(ident), *(f"{folder}/{name}" for name in ours)]


def _size(library: Library, paths: list[str]) -> int:
    found = [library.vault.files.stat(library.vault.real(path)) for path in paths]
    return sum(one.size for one in found if one is not None)


def _drop(library: Library, *folders: str) -> None:
    """The empty folders of what was deleted; one that is not empty is left."""
    for folder in folders:
        with suppress(OSError):
            library.vault.files.remove_dir(library.vault.real(folder))


# ---- books ------------------------------------------------------------------------------------


def purge_book(library: Library, ident: str, *, really: bool) -> Purged:
    """Delete a book that is in the trash, with its traces, messages, contents and snapshots. A novel
    that the ledger keeps in a folder of its own is not touched.

    Raises `Missing` (`no_such_book`), `Refused` (`impossible_step` when it is not in the trash).
    """
    folder, before = book_folder(ident), library.book(ident)
    advance("kept_book", before.state, "purge", name=before.title)
    if really and isinstance(before, CardBook) and before.asset_id:
        # First: a card that misses no design is sound, one whose design is gone is not.
        _forget_design(library, before.asset_id, ident)
    with library.changing(book_scope(ident)) as tx:
        data = tx.read(book_file(ident))
        if data is None:
            raise Missing(Fault("no_such_book", found=ident))
        book = decoded(DECODE_BOOK, data, book_file(ident), "book_broken")
        advance("kept_book", book.state, "purge", name=book.title)
        names = [name for name in dict.fromkeys(APART.values()) if name in tx.names(folder)]
        for part in _PARTS:
            names += [f"{part}/{n}" for n in tx.names(f"{folder}/{part}") if n.endswith(".json")]
        paths = [f"{folder}/{name}" for name in names] + [book_file(ident)]
        item = Purge(id=ident, title=book.title, files=paths, bytes=_size(library, paths))
        if really:
            for path in paths:
                tx.remove(path, truth=True)
    if really:
        _clear(library, folder)
    return _told([item], really=really)


def _forget_design(library: Library, asset_id: str, book: str) -> None:
    """A card whose design was purged has none: it does not miss the book."""
    from clew.books.assets import change

    def make(asset: Asset) -> Asset:
        return replace(asset, card_book_id="") if asset.card_book_id == book else asset

    with suppress(Missing):
        change(library, asset_id, "marked", make)


def _clear(library: Library, folder: str) -> None:
    """What clew itself keeps in a book's folder: its journal, and what was set aside."""
    files = library.vault.files

    def empty(path: str) -> None:
        for name in files.names(library.vault.real(path)):
            inner = f"{path}/{name}"
            found = files.stat(library.vault.real(inner))
            if found is not None and found.kind == "dir":
                empty(inner)
            else:
                files.remove(library.vault.real(inner))
        _drop(library, path)

    with suppress(OSError):
        empty(posixpath.join(folder, PRIVATE))
        files.remove(library.vault.real(book_scope(folder.rpartition("/")[2]).lock))
    _drop(library, *(f"{folder}/{part}" for part in _PARTS), folder)
