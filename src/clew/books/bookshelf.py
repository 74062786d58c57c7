"""The books of a library: a card that is designed, a play, a novel or another project.

Each book is one folder and one scope of its own. What is made here is the document of the book
(`project.json`); traces, messages and contents come with designing and playing. A play pins the
version of its card when it is made, so that a newer version changes no old play.

Rules: book-storage seed sections 2 to 6.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from secrets import token_hex
from typing import Any, Final, Literal, NamedTuple

from msgspec.structs import replace

from clew.books import versions
from clew.books.assets import title_of
from clew.books.bookrecords import (
    DECODE_BOOK,
    PROJECTS,
    Book,
    CardBook,
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

DESIGN: Final = "design"
"""How the book in which a card was made uses it: it pins nothing."""
_PREFIX: Final = re.compile(r"b[0-9a-f]{3,19}\Z")


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


def change_book(library: Library, ident: str, make: Callable[[Book], Book]) -> Book:
    """Move a book on by one revision, unless `make` changes nothing. Raises `Missing`
    (`no_such_book`), `Corrupt`, `NewerSchema`, and what `make` raises."""
    library.book(ident)  # refused before a lock is made where there is no book
    with library.changing(book_scope(ident)) as tx:
        data = tx.read(book_file(ident))
        if data is None:
            raise Missing(Fault("no_such_book", found=ident))
        book = decoded(DECODE_BOOK, data, book_file(ident), "book_broken")
        after = make(book)
        if after == book:
            return book
        after = replace(after, revision=book.revision + 1, updated_at=library.now())
        tx.write(book_file(ident), document.encode(after), truth=True)
    return after


def set_stage(library: Library, ident: str, stage: str) -> Book:
    """Move a book to another stage of its life cycle. Raises `Missing` (`no_such_book`), `Refused`
    (`impossible_step`; `book_in_the_trash`)."""

    def make(book: Book) -> Book:
        if book.state == "trashed":
            raise Refused(Fault("book_in_the_trash", name=book.title, found=book.id))
        cycle, now = cycle_of(book), book.lifecycle_stage
        step = reachable(cycle, now, stage, name=book.title)
        state: Any = advance(cycle, now, step)
        return replace(book, lifecycle_stage=state)

    return change_book(library, ident, make)


def keep_book(library: Library, ident: str, event: Literal["trash", "restore"]) -> Book:
    """Put a book into the trash, or take it back at the stage where it was. What it pins stays
    pinned. Raises `Missing` (`no_such_book`), `Refused` (`impossible_step`)."""

    def make(book: Book) -> Book:
        state: Any = advance("kept_book", book.state, event, name=book.title)
        return replace(book, state=state)

    return change_book(library, ident, make)


def book_named(library: Library, name: str) -> Book:
    """A book by its id, its title, or the beginning of its id. One in the trash is found by its
    title when no other has it. Raises `Missing` (`no_such_book`), `Refused` (`several_books`)."""
    name = name.strip()
    if is_id(name, "book"):
        return library.book(name)
    books, wanted = library.books(), nfc(name).casefold()
    found = [book for book in books if book.title.casefold() == wanted]
    exact = [book for book in found if book.title == nfc(name)] or found
    found = [book for book in exact if book.state != "trashed"] or exact
    if not found and _PREFIX.match(name):
        found = [book for book in books if book.id.startswith(name)]
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
    """Which assets a book uses, and how; for a design the card that it made."""
    if isinstance(book, CardBook) and book.asset_id:
        yield book.asset_id, Use(book.id, book.title, DESIGN, "")
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
