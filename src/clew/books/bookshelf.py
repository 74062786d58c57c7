"""The books of a library: a card that is designed, a play, a novel or another project.

Each book is one folder and one scope of its own. What is made here is the document of the book
(`project.json`); traces, messages and contents come with designing and playing. A play pins the
version of its card when it is made, so that a newer version changes no old play.

Rules: book-storage seed sections 2 to 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex
from typing import Any, NamedTuple

from msgspec.structs import replace

from clew.books import versions
from clew.books.assets import title_of
from clew.books.bookrecords import (
    DECODE_BOOK,
    PROJECTS,
    Book,
    CardRef,
    PlayBook,
    ProjectBook,
    WorldRef,
    cycle_of,
)
from clew.books.layout import book_file, book_scope, id_of, is_id
from clew.books.library import Library, decoded
from clew.books.lifecycle import advance, reachable
from clew.books.records import Asset
from clew.kernel import document
from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Fault
from clew.kernel.text import nfc
from clew.kernel.vault import Transaction


def new_project(
    library: Library, title: str, kind: str, *, folder: str = "", owner: str = ""
) -> ProjectBook:
    """A project: `novel`, `forum`, `weird_rules` or `custom`. `folder` is where the ledger of a
    novel lies. Raises `Refused` (`not_allowed`, `empty_text`)."""
    if kind not in PROJECTS:
        raise Refused(Fault("not_allowed", "kind", found=kind, allowed=tuple(PROJECTS)))
    at = library.now()
    book = PROJECTS[kind](
        id=id_of("book", token_hex(16)), title=title_of(title), folder=folder, owner=owner,
        created_at=at, updated_at=at,
    )  # fmt: skip
    with library.changing() as tx:
        tx.write(book_file(book.id), document.encode(book), truth=True)
    return book


def new_play(
    library: Library,
    title: str,
    card: str,
    *,
    version: int | None = None,
    cast: tuple[str, ...] = (),
    world: str = "",
    owner: str = "",
) -> PlayBook:
    """A play of a card (by id), pinned to a version: the current one where none is named.

    Raises `Missing` (`no_such_asset`, `no_such_version`), `Refused` (`impossible_step` for what is
    in the trash).
    """
    at = library.now()
    with library.changing() as tx:
        book = PlayBook(
            id=id_of("book", token_hex(16)), title=title_of(title),
            card_ref=_pinned(library, tx, card, version),
            cast=[_pinned(library, tx, one, None) for one in cast],
            world_ref=_world(library, tx, world), owner=owner, created_at=at, updated_at=at,
        )  # fmt: skip
        tx.write(book_file(book.id), document.encode(book), truth=True)
    return book


def _pinned(library: Library, tx: Transaction, ident: str, version: int | None) -> CardRef:
    found = versions.version_of(_usable(library, tx, ident), version)
    return CardRef(asset_id=ident, version=str(found.number))


def _world(library: Library, tx: Transaction, ident: str) -> WorldRef | None:
    if not ident:
        return None
    return WorldRef(asset_id=ident, version=str(_usable(library, tx, ident).current))


def _usable(library: Library, tx: Transaction, ident: str) -> Asset:
    asset = library.asset(tx, ident) if is_id(ident) else None
    if asset is None:
        raise Missing(Fault("no_such_asset", found=ident, more=""))
    if asset.state == "trashed":
        advance("asset", asset.state, "use")
    return asset


def set_stage(library: Library, ident: str, stage: str) -> Book:
    """Move a book to another stage of its life cycle. Raises `Missing` (`no_such_book`), `Refused`
    (`impossible_step`)."""
    library.book(ident)  # refused before a lock is made where there is no book
    with library.changing(book_scope(ident)) as tx:
        data = tx.read(book_file(ident))
        if data is None:
            raise Missing(Fault("no_such_book", found=ident))
        book = decoded(DECODE_BOOK, data, book_file(ident), "book_broken")
        cycle = cycle_of(book)
        state: Any = advance(
            cycle, book.lifecycle_stage, reachable(cycle, book.lifecycle_stage, stage)
        )
        after: Book = replace(
            book, lifecycle_stage=state, revision=book.revision + 1, updated_at=library.now()
        )
        tx.write(book_file(ident), document.encode(after), truth=True)
    return after


def book_named(library: Library, name: str) -> Book:
    """A book by its id or its title. Raises `Missing` (`no_such_book`), `Refused`
    (`several_books`)."""
    if is_id(name, "book"):
        return library.book(name)
    wanted = nfc(name).casefold()
    found = [book for book in library.books() if book.title.casefold() == wanted]
    if not found:
        raise Missing(Fault("no_such_book", found=name))
    if len(found) > 1:
        raise Refused(Fault("several_books", found=name, allowed=[book.id for book in found]))
    return found[0]


class Use(NamedTuple):
    """A place where an asset is used."""

    book: str
    title: str
    role: str
    """`card`, `cast` or `world`; `design` for the book in which it was made."""
    version: str


def uses_in(book: Book) -> Iterator[tuple[str, Use]]:
    """Which assets a book uses, and how."""
    if isinstance(book, PlayBook):
        yield book.card_ref.asset_id, Use(book.id, book.title, "card", book.card_ref.version)
        for ref in book.cast:
            yield ref.asset_id, Use(book.id, book.title, "cast", ref.version)
        if book.world_ref is not None and book.world_ref.asset_id:
            world = book.world_ref
            yield world.asset_id, Use(book.id, book.title, "world", world.version)


def uses_of(library: Library, ident: str) -> list[Use]:
    """Every use of an asset, from the books themselves. Raises `Corrupt` when a book cannot be read:
    it may use anything."""
    books = map(library.book, library.book_ids())
    return [use for book in books for asset, use in uses_in(book) if asset == ident]
