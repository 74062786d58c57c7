"""What `clew library` offers to every face.

Each operation opens the library, calls one function of the room and returns its answer. Modules are
imported where they are used: a command pays for what it does, not for what the room can do.
"""

from __future__ import annotations

import posixpath
from typing import Any, Final

import msgspec

from clew.books.opening import open_shelf
from clew.books.requests import (
    BookList,
    BookNew,
    BookPurge,
    BookStage,
    LibraryCheck,
    LibraryImport,
    LibraryInit,
    LibrarySearch,
    OnBook,
    OnLibrary,
)
from clew.kernel.operations import Host, Operation


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """A new library."""

    status: str = "ok"
    library: str
    id: str
    title: str


class Reindexed(msgspec.Struct, frozen=True, kw_only=True):
    """The index, made anew."""

    status: str = "ok"
    library: str
    assets: int
    problems: int
    """Lines and documents that could not be understood and were left out."""


class BookRow(msgspec.Struct, frozen=True, kw_only=True):
    """A book in a list."""

    id: str
    kind: str
    title: str
    stage: str
    updated: str
    uses: list[str]
    """Assets that it uses, each with its version; for a design the card that it made."""
    folder: str = ""
    state: str = "active"


class Books(msgspec.Struct, frozen=True, kw_only=True):
    """The books of a library, the one that was changed last first."""

    status: str = "ok"
    books: list[BookRow]


def _init(host: Host, request: LibraryInit) -> Any:
    from clew.books.library import create_library, find_library, is_marked

    given = request.folder or request.library
    folder = posixpath.join(host.cwd, given) if given else host.library
    around = find_library(host.cwd)
    if not given and around and not is_marked(around):
        folder = around  # where one stands in a library that has lost its marker, that is meant
    library = create_library(
        folder, title=request.title, clock=host.clock, lock_timeout=host.lock_timeout
    )
    host.notes += library.notes
    mark = library.mark()
    return Started(library=library.root, id=mark.id, title=mark.title)


def _check(host: Host, request: LibraryCheck) -> Any:
    from clew.books import checking

    library = open_shelf(host, request.library, marked=False)
    return checking.check(library, deep=request.deep, lang=host.lang)


def _repair(host: Host, request: OnLibrary) -> Any:
    from clew.books import checking

    return checking.repair(open_shelf(host, request.library, marked=False), lang=host.lang)


def _reindex(host: Host, request: OnLibrary) -> Any:
    from clew.books import listing

    library = open_shelf(host, request.library)
    shelf = listing.catalog(library)
    shelf.renew()
    before = len(library.notes)
    shelf.refresh_texts(lambda done, of: host.progress(done, of, ""))
    total = shelf.index.query("SELECT count(*) FROM asset")[0][0]
    problems = len(library.notes) - before
    return Reindexed(library=library.root, assets=total, problems=problems)


def _search(host: Host, request: LibrarySearch) -> Any:
    from clew.books import searching

    states = ("active", "archived", "trashed") if request.trash else ("active", "archived")
    return searching.search(
        open_shelf(host, request.library), request.text, kind=request.kind or "", states=states,
        limit=request.limit, before=request.after,
        progress=lambda done, of: host.progress(done, of, ""),
    )  # fmt: skip


def _import(host: Host, request: LibraryImport) -> Any:
    from clew.books import listing, sillytavern
    from clew.books.reporting import keep_report
    from clew.books.targets import allow_report

    library = open_shelf(host, request.library)
    report = posixpath.join(host.cwd, request.report) if request.report else ""
    if report:
        allow_report(report)
    done = sillytavern.import_folder(
        library, posixpath.join(host.cwd, request.folder), keep=request.keep,
        dry_run=request.dry_run, lang=host.lang, progress=host.progress,
    )  # fmt: skip
    if report:
        keep_report(library, report, done.imported, host.lang, damage=done.damage.findings)
    if not request.dry_run:
        listing.catalog(library).refresh_texts(lambda at, of: host.progress(at, of, ""))
    return done


def _books(host: Host, request: BookList) -> Any:
    library = open_shelf(host, request.library)
    books = sorted(library.books(), key=lambda book: book.updated_at, reverse=True)
    rows = [_row(book) for book in books if request.state in ("all", book.state)]
    return Books(books=[row for row in rows if request.kind in (None, row.kind)])


def _row(book: Any) -> BookRow:
    from clew.books.bookshelf import uses_in

    uses = [f"{asset}@{use.version}" if use.version else asset for asset, use in uses_in(book)]
    return BookRow(
        id=book.id, kind=type(book).__struct_config__.tag, title=book.title,
        stage=book.lifecycle_stage, updated=book.updated_at, uses=uses,
        folder=getattr(book, "folder", ""), state=book.state,
    )  # fmt: skip


def _book(host: Host, request: BookNew) -> Any:
    from clew.books import bookshelf

    library = open_shelf(host, request.library)
    folder = posixpath.join(host.cwd, request.folder) if request.folder else ""
    made = bookshelf.new_project(library, request.title, request.kind, folder=folder)
    return Books(books=[_row(made)])


def _stage(host: Host, request: BookStage) -> Any:
    from clew.books import bookshelf

    library = open_shelf(host, request.library)
    book = bookshelf.book_named(library, request.book)
    return Books(books=[_row(bookshelf.set_stage(library, book.id, request.stage))])


def _keep(event: Any) -> Any:
    def run(host: Host, request: OnBook) -> Any:
        from clew.books import bookshelf

        library = open_shelf(host, request.library)
        book = bookshelf.book_named(library, request.book)
        return Books(books=[_row(bookshelf.keep_book(library, book.id, event))])

    return run


def _purge(host: Host, request: BookPurge) -> Any:
    from clew.books import bookshelf, discarding

    library = open_shelf(host, request.library)
    book = bookshelf.book_named(library, request.book)
    return discarding.purge_book(library, book.id, really=request.yes)


_B: Final = "clew.books"
_FINDINGS: Final = lambda answer: 0 if answer.status == "ok" else 1  # noqa: E731
OPERATIONS: Final = (
    Operation(
        "library.init", LibraryInit, f"{_B}.operations:Started", _init, "write",
        "建一个书库", "make a library", "clew library init",
    ),
    Operation(
        "library.check", LibraryCheck, f"{_B}.checking:Checked", _check, "read",
        "核对书库里的一切", "hold everything in the library against everything else",
        "clew library check --deep", _FINDINGS,
    ),
    Operation(
        "library.repair", OnLibrary, f"{_B}.checking:Repaired", _repair, "write",
        "修复能修复的，被替换的都留档", "mend what can be mended; what is replaced is kept aside",
        "clew library repair", _FINDINGS,
    ),
    Operation(
        "library.reindex", OnLibrary, f"{_B}.operations:Reindexed", _reindex, "write",
        "重建索引（删掉它不丢任何东西）", "make the index anew (deleting it loses nothing)",
        "clew library reindex",
    ),
    Operation(
        "library.search", LibrarySearch, f"{_B}.searching:Found", _search, "read",
        "全文搜索卡片与世界书，一个汉字也行", "search cards and lorebooks; one Chinese character will do",
        "clew library search 渡口",
    ),
    Operation(
        "library.import", LibraryImport, f"{_B}.sillytavern:FromSillyTavern", _import, "write",
        "从 SillyTavern 的数据文件夹导入（只读它），并报告其中的损坏",
        "import from a data folder of SillyTavern (read only), and tell what is damaged in it",
        "clew library import --from sillytavern ~/SillyTavern",
        lambda answer: 1 if answer.imported.refused else 0,
    ),
    Operation(
        "library.books", BookList, f"{_B}.operations:Books", _books, "read",
        "列出书：卡片设计、游玩、小说等", "list the books: designs, plays, novels and others",
        "clew library books",
    ),
    Operation(
        "library.book", BookNew, f"{_B}.operations:Books", _book, "write",
        "建一本书：小说、论坛、规则怪谈或其他", "begin a book: a novel, forum, weird_rules or custom",
        "clew library book 渡口旧账 --kind novel --folder 渡口旧账",
    ),
    Operation(
        "library.stage", BookStage, f"{_B}.operations:Books", _stage, "write",
        "把书移到另一个阶段", "move a book to another stage", "clew library stage 渡口旧账 play",
    ),
    Operation(
        "library.trash", OnBook, f"{_B}.operations:Books", _keep("trash"), "write",
        "把书放进回收站", "put a book into the trash", "clew library trash 渡口旧账",
    ),
    Operation(
        "library.restore", OnBook, f"{_B}.operations:Books", _keep("restore"), "write",
        "从回收站取回书", "take a book back from the trash", "clew library restore 渡口旧账",
    ),
    Operation(
        "library.purge", BookPurge, f"{_B}.discarding:Purged", _purge, "write",
        "永久删除回收站里的书；先说会删什么",
        "delete a book for good that is in the trash; tells first what that is",
        "clew library purge 渡口旧账", _FINDINGS,
    ),
)  # fmt: skip
