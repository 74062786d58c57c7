"""An asset again from its own files, where neither its document nor the history tells of it any more.

A source file says which card it was, and the id of the asset is made from the bytes of the first one:
so version 1 is that card, whatever its version file holds by now. Every other version file is taken as
it is when it can be read, and named for what it is: a version without a recorded digest. What was said
of the card only in its document (title, labels, marks, trash) cannot be known and is as it is for a
card that comes new.

Runs within the transaction of a repair. Nothing is deleted: what is replaced is kept aside.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from clew.books import cards, versions
from clew.books.assets import clean_name, first_asset, version_entry
from clew.books.bookrecords import Book, CardBook
from clew.books.layout import (
    asset_file,
    asset_folder,
    blob_name,
    id_of,
    is_blob,
    kind_of,
    version_file,
    version_number,
)
from clew.books.library import Library
from clew.books.records import Asset, SourceFile, Version
from clew.books.versions import Content
from clew.kernel import document
from clew.kernel.errors import Corrupt
from clew.kernel.vault import Transaction


class Source(NamedTuple):
    """A source file that lies in an asset's folder, read."""

    file: SourceFile
    content: Content
    packed: bytes
    title: str


class Remade(NamedTuple):
    """An asset that was made again."""

    asset: Asset
    aside: list[tuple[str, str]]
    """Files that were replaced, and where each is kept."""


def remake(library: Library, tx: Transaction, ident: str, books: dict[str, Book]) -> Remade | None:
    """Write an asset's document, and the versions that its sources give, anew. None where no file of
    it can be read."""
    folder = asset_folder(ident)
    names = library.vault.files.names(library.vault.real(folder))
    sources = _sources(tx, ident, [name for name in names if is_blob(name)])
    numbers = sorted(n for name in names if (n := version_number(name)) is not None)
    found = _versions(tx, ident, numbers, sources)
    if not found:
        return None
    at, aside = library.now(), []
    entries: list[Version] = []
    for number, (content, packed, source) in found.items():
        path = version_file(ident, number)
        present = tx.read(path)
        if present != packed:
            if present is not None:
                aside.append((path, tx.set_aside(path)))
            tx.write(path, packed, truth=True)
        parent = entries[-1].number if entries else None
        how: dict[str, Any] = {"parent": parent, "source": source.file if source else None}
        made: Any = (("new", "imported") if not entries else ("edited", "updated"))[bool(source)]
        entries.append(version_entry(number, content, packed, made, at, **how))
    last, _, came = found[entries[-1].number]
    favourite = last.card is not None and last.card.favourite
    kind: Any = kind_of(ident)
    title = clean_name(last.name) or (clean_name(came.title) if came else "") or ident
    asset = first_asset(
        ident, kind, title, entries[-1], at, favourite=favourite, tags=dict(last.tags),
        confirmed_at=at, card_book_id=_designed_in(ident, books),
    )  # fmt: skip
    asset.versions = entries
    path = asset_file(ident)
    if tx.read(path) is not None:
        aside.append((path, tx.set_aside(path)))
    tx.write(path, document.encode(asset), truth=True)
    return Remade(asset, aside)


def _sources(tx: Transaction, ident: str, names: list[str]) -> list[Source]:
    """The sources of an asset whose bytes are still those that their names were made from; the one
    that the id was made from stands first."""
    out = []
    for name in names:
        data = tx.read(f"{asset_folder(ident)}/{name}") or b""
        sha = document.digest(data)
        read = cards.read(data)
        if blob_name(sha, read.kind) != name or not _fits(ident, read):
            continue
        content = Content(read.card, read.lorebook, {})
        file = SourceFile(file=name, sha256=sha, size=len(data), kind=read.kind)
        out.append(Source(file, content, versions.pack(content), read.title))
    return sorted(out, key=lambda one: id_of(kind_of(ident), one.file.sha256) != ident)


def _fits(ident: str, found: Any) -> bool:
    return (found.card if kind_of(ident) == "card" else found.lorebook) is not None


def _versions(
    tx: Transaction, ident: str, numbers: list[int], sources: list[Source]
) -> dict[int, tuple[Content, bytes, Source | None]]:
    """What each version holds, its bytes, and the source that it came from."""
    left = {document.digest(one.packed): one for one in reversed(sources)}
    found: dict[int, tuple[Content, bytes, Source | None]] = {}
    first = sources[0] if sources else None
    if first is not None and id_of(kind_of(ident), first.file.sha256) == ident:
        found[1] = (first.content, first.packed, left.pop(document.digest(first.packed)))
    broken = []
    for number in numbers:
        if number in found:
            continue
        path = version_file(ident, number)
        data = tx.read(path) or b""
        source = left.pop(document.digest(data), None)
        try:
            content = source.content if source else versions.unpack(data, path)
        except Corrupt:
            broken.append(number)
            continue
        if _fits(ident, content):
            found[number] = (content, data, source)
    if len(broken) == 1 and len(left) == 1:
        # One version that cannot be read, one source without a version: they belong together.
        source = next(iter(left.values()))
        found[broken[0]] = (source.content, source.packed, source)
    return dict(sorted(found.items()))


def _designed_in(ident: str, books: dict[str, Book]) -> str:
    return next(
        (
            book.id
            for book in books.values()
            if isinstance(book, CardBook) and book.asset_id == ident
        ),
        "",
    )
