"""The library: a folder of books, cards, worlds and sessions on the kernel's vault.

    from clew.books import create_library, open_library

    library = open_library("~/clew")        # raises Missing where there is none

Touches files through the vault only. What changes the shelf runs inside `changing`, what only reads
inside `look`; both first complete what a kill or a power cut interrupted. Rules: book-storage seed
sections 1 and 9; docs/library.md.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from clew.books.bookrecords import DECODE_BOOK, Book
from clew.books.layout import (
    BOOKS,
    INDEX,
    LOG,
    MARK,
    SCHEMA,
    SCOPE,
    SHELVES,
    asset_file,
    book_file,
    book_scope,
    is_id,
)
from clew.books.records import DECODE_ASSET, DECODE_MARK, Asset, LibraryMark
from clew.books.syncing import ShelfFiles
from clew.kernel import document
from clew.kernel.clock import Clock, stamp, system_clock
from clew.kernel.errors import Corrupt, Missing, NewerSchema, Refused, StorageFailed
from clew.kernel.faults import Fault, excerpt
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.kernel.vault import Reader, Scope, Transaction

T = TypeVar("T")


class Library:
    """An open library. `lock_timeout` (seconds) bounds every wait for another writer."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        vault: FolderVault | None = None,
        clock: Clock = system_clock,
        lock_timeout: float = 10.0,
    ) -> None:
        self.vault = vault or FolderVault(root, files=ShelfFiles(), clock=clock)
        self.index_path = f"{self.vault.root}/{INDEX}" if vault is None else None
        """Where the derived index lies. A vault of somebody's own may be no folder: then there is no
        file, and the index lives as long as the process."""
        self.clock = clock
        self.lock_timeout = lock_timeout
        self.notes: list[Fault] = []
        """What was completed, tolerated or set aside on the way; a face shows it."""
        self.attached: dict[str, object] = {}
        """What belongs to this open library and is made when it is needed (its index)."""

    @property
    def root(self) -> str:
        """The library's folder, with symbolic links followed."""
        return self.vault.root

    def now(self) -> str:
        """The present moment as documents write it."""
        return stamp(self.clock())

    # ---- reading -------------------------------------------------------------------------------

    def look(self, read: Callable[[Reader], T], scope: Scope = SCOPE) -> T:
        """Run a reading function on one state of the shelf (or of one book).

        On a read-only disk an interrupted change is read through its journal and not completed.
        """
        self._complete(scope)
        return self.vault.snapshot(scope, read, timeout=self.lock_timeout)

    def glance(self) -> Reader:
        """A reader without a lock, for what is asked of one file at a time."""
        self._complete(SCOPE)
        return self.vault.reader(SCOPE)

    def _complete(self, scope: Scope) -> None:
        if not self.vault.pending(scope):
            return
        try:
            with self.changing(scope):
                pass
        except StorageFailed as failed:
            if failed.code not in ("read_only_disk", "permission_denied"):
                raise

    @contextmanager
    def changing(self, scope: Scope = SCOPE) -> Iterator[Transaction]:
        """A transaction on the shelf (or on one book), after completing an interrupted one."""
        files = self.vault.files
        try:
            with self.vault.transaction(scope, timeout=self.lock_timeout) as tx:
                if isinstance(files, ShelfFiles):
                    files.remember()
                if tx.recovery.rolled_forward:
                    self.notes.append(
                        Fault("change_completed", found=list(tx.recovery.rolled_forward))
                    )
                tx.rendered = True  # a library has no views that could be stale
                yield tx
        finally:
            if isinstance(files, ShelfFiles):
                files.forget()

    def mark(self) -> LibraryMark:
        """`library.json`. Raises `Missing` (`no_library`; `mark_lost` where a library lies without
        it), `Corrupt`, `NewerSchema`."""
        data = self.vault.reader(SCOPE).read(MARK)
        if data is None:
            code = "mark_lost" if has_shelf(self.root, self.vault.files) else "no_library"
            raise Missing(Fault(code, file=self.root))
        return decoded(DECODE_MARK, data, MARK)

    # ---- assets --------------------------------------------------------------------------------

    def asset(self, reader: Reader, ident: str) -> Asset | None:
        """An asset by its id, or None. Raises `Corrupt` (`record_broken`), `NewerSchema`."""
        path = asset_file(ident)
        data = reader.read(path)
        return None if data is None else decoded(DECODE_ASSET, data, path)

    def asset_ids(self, reader: Reader, kind: str = "card") -> list[str]:
        """The ids of everything on a shelf, trash included."""
        names = reader.names(SHELVES[kind])
        stems = [name[:-5] for name in names if name.endswith(".json")]
        return [stem for stem in stems if is_id(stem, kind)]

    # ---- books ---------------------------------------------------------------------------------

    def book(self, ident: str) -> Book:
        """A book's document. Raises `Missing` (`no_such_book`), `Corrupt`, `NewerSchema`."""
        found = self._book(ident)
        if found is None:
            raise Missing(Fault("no_such_book", found=ident))
        return found

    def books(self) -> list[Book]:
        """Every book that can be read; one that cannot is left to `check`, and noted."""
        out: list[Book] = []
        for ident in self.book_ids():
            try:
                found = self._book(ident)
            except (Corrupt, NewerSchema) as broken:
                self.notes.append(broken.faults[0])
                continue
            if found is not None:
                out.append(found)
        return out

    def book_ids(self) -> list[str]:
        """The ids of all books."""
        return [name for name in self.vault.reader(SCOPE).names(BOOKS) if is_id(name, "book")]

    def _book(self, ident: str) -> Book | None:
        if not is_id(ident, "book"):
            return None
        path = book_file(ident)
        scope = book_scope(ident)
        reader = self.vault.reader(scope) if self.vault.pending(scope) else self.vault.reader(SCOPE)
        data = reader.read(path)
        return None if data is None else decoded(DECODE_BOOK, data, path, "book_broken")


def decoded(
    decoder: msgspec.json.Decoder[T], data: bytes, path: str, broken: str = "record_broken"
) -> T:
    """A document of ours. Raises `Corrupt` (the code `broken`), `NewerSchema` (`newer_schema`)."""
    try:
        found = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        version = _schema_of(data)
        if version is not None and version > SCHEMA:
            raise NewerSchema(
                Fault("newer_schema", file=path, found=version, limit=SCHEMA)
            ) from None
        raise Corrupt(Fault(broken, file=path, reason=str(excerpt(str(error))))) from None
    version = getattr(found, "schema_version", SCHEMA)
    if version > SCHEMA:
        raise NewerSchema(Fault("newer_schema", file=path, found=version, limit=SCHEMA))
    return found


class _Version(msgspec.Struct):
    schema_version: Any = None


def _schema_of(data: bytes) -> int | None:
    try:
        found = msgspec.json.decode(data, type=_Version).schema_version
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def open_library(
    root: str | os.PathLike[str],
    *,
    clock: Clock = system_clock,
    lock_timeout: float = 10.0,
) -> Library:
    """The library in a folder. Raises `Missing` (`no_library`, `mark_lost`), `Corrupt`,
    `NewerSchema`."""
    library = Library(Path(root).expanduser(), clock=clock, lock_timeout=lock_timeout)
    library.mark()
    return library


def create_library(
    root: str | os.PathLike[str],
    *,
    title: str = "",
    clock: Clock = system_clock,
    lock_timeout: float = 10.0,
) -> Library:
    """A new library in a folder that is new, empty, or holds nothing of a library yet. Where a
    library lies that has lost its `library.json`, that is written again, with a note.

    Raises `Refused` (`library_exists`, `folder_taken`); never touches what lies in the folder.
    """
    library = Library(Path(root).expanduser(), clock=clock, lock_timeout=lock_timeout)
    if library.vault.reader(SCOPE).read(MARK) is not None:
        raise Refused(Fault("library_exists", file=library.root))
    make_folders(library.vault, library.root)
    if has_shelf(library.root, library.vault.files):
        library.notes.append(Fault("mark_back", file=library.root))
    start_library(library, title)
    return library


def start_library(library: Library, title: str) -> LibraryMark:
    """Write `library.json`. Raises `Refused` (`library_exists`, `folder_taken`)."""
    from secrets import token_hex

    moment = library.now()
    with library.changing() as tx:
        if tx.read(MARK) is not None:
            raise Refused(Fault("library_exists", file=library.root))
        taken = [f"{name}/" for name in (BOOKS, "assets") if tx.names(name)]
        if taken and not has_shelf(library.root, library.vault.files):
            raise Refused(Fault("folder_taken", file=library.root, found=taken))
        mark = LibraryMark(id=token_hex(10), title=title, created_at=moment, updated_at=moment)
        tx.write(MARK, document.encode(mark), truth=True)
    return mark


def make_folders(vault: FolderVault, folder: str) -> None:
    """A folder and those above it that are missing."""
    above = posixpath.dirname(folder)
    if vault.files.stat(folder) is None:
        if above != folder:
            make_folders(vault, above)
        vault.files.make_dir(folder)


def find_library(start: str) -> str | None:
    """The nearest folder at or above `start` that is a library, or None. One that has lost its
    `library.json` counts: to pass it over would be to use another one in silence."""
    here = Path(start).absolute()
    return next(
        (str(one) for one in (here, *here.parents) if is_marked(one) or has_shelf(one)), None
    )


def is_marked(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a `library.json` of ours, readable or broken."""
    path = f"{os.fspath(folder)}/{MARK}"
    return os.path.isfile(path)  # noqa: PTH113 - False also where one may not look


def has_shelf(folder: str | os.PathLike[str], files: Files = Files()) -> bool:  # noqa: B008
    """Whether a folder holds something that only a library has: the shelf's history, an asset or a
    book under an id of ours. A folder that is merely called `books` or `assets` does not."""
    root = os.fspath(folder).replace(os.sep, "/")
    try:
        if files.stat(f"{root}/{LOG}") is not None:
            return True
        for kind, shelf in SHELVES.items():
            if any(
                is_id(name.removesuffix(".json"), kind) for name in files.names(f"{root}/{shelf}")
            ):
                return True
        books = (name for name in files.names(f"{root}/{BOOKS}") if is_id(name, "book"))
        return any(files.stat(f"{root}/{book_file(name)}") is not None for name in books)
    except OSError:
        return False  # not to be looked into, so nothing that could be opened
