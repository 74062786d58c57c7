"""Looking through a whole library: what is there, what is missing, what does not agree.

Everything that must be so is held against what lies on the disk: documents against their types, the
shelf's history against the documents, versions and source files against their digests, pins against
what they pin. Only reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from clew.books.bookrecords import DECODE_BOOK, Book
from clew.books.bookshelf import DESIGN, uses_in
from clew.books.layout import (
    BOOKS,
    INCOMING,
    LOG,
    MARK,
    PRIVATE,
    SHELVES,
    asset_file,
    asset_folder,
    book_file,
    book_scope,
    is_blob,
    is_id,
    version_file,
    version_number,
)
from clew.books.library import Library, decoded, has_shelf
from clew.books.records import (
    DECODE_ASSET,
    DECODE_LINE,
    DECODE_MARK,
    Asset,
    ShelfLine,
    SourceFile,
    Version,
    folded,
)
from clew.books.versions import GONE, OTHER
from clew.kernel import lock, log
from clew.kernel.document import digest
from clew.kernel.errors import Corrupt, NewerSchema
from clew.kernel.faults import Both, Fault

_FAMILY = (Corrupt, NewerSchema)


class BrokenVersion(NamedTuple):
    """A version whose file is not what was kept."""

    asset: Asset
    version: Version
    gone: bool


class Survey:
    """What a look through the library found. `faults` are findings, `notes` are not."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.notes: list[Fault] = []
        self.assets: dict[str, Asset] = {}
        self.books: dict[str, Book] = {}
        self.history: dict[str, Asset] = {}
        """What the history leads to."""
        self.broken_lines = 0
        self.torn = 0
        self.unreadable: list[str] = []
        """Ids of assets whose document cannot be read."""
        self.lost: list[str] = []
        """Ids of assets that only the history knows."""
        self.unlisted: list[str] = []
        """Ids of assets that the history does not know."""
        self.differing: list[str] = []
        """Ids of assets whose document is not what the history says."""
        self.untold: list[str] = []
        """Ids of assets of which neither a document nor the history tells, but files that are left."""
        self.broken: list[BrokenVersion] = []
        self.leftovers: list[str] = []
        """Folders and files of imports that were killed: no document names them."""
        self.newer = False
        self.marked = True
        self.versions = 0
        self.sources = 0


def survey(library: Library, *, deep: bool = False) -> Survey:
    """Look through a library. `deep` reads every source file and compares its digest.

    The kernel's snapshot holds writers out, or the look is taken again: what is found belongs to
    one state of the shelf.
    """
    return library.look(lambda _: _Look(library, deep=deep).run())


class _Look:
    def __init__(self, library: Library, *, deep: bool) -> None:
        self._library = library
        self._deep = deep
        self._found = Survey()
        self._files = library.vault.files

    def run(self) -> Survey:
        self._mark()
        self._shelves()
        self._history()
        for asset in self._found.assets.values():
            self._asset(asset)
        self._leftovers()
        self._untold()
        self._books()
        self._designs()
        return self._found

    # Files are read here and not by the vault's reader, which remembers what it has read.

    def _read(self, path: str) -> bytes | None:
        try:
            return self._files.read(self._library.vault.real(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            reason = error.strerror or str(error)
            self._found.faults.append(Fault("io_failed", file=path, reason=reason))
            return None

    def _names(self, folder: str) -> list[str]:
        return self._files.names(self._library.vault.real(folder))

    def _mark(self) -> None:
        data = self._read(MARK)
        if data is None:
            self._found.marked = False
            code = "mark_lost" if has_shelf(self._library.root, self._files) else "no_library"
            self._found.faults.append(Fault(code, file=self._library.root))
            return
        try:
            decoded(DECODE_MARK, data, MARK)
        except _FAMILY as broken:
            self._found.marked = False
            self._found.faults += broken.faults

    # ---- the shelf -----------------------------------------------------------------------------

    def _shelves(self) -> None:
        found = self._found
        for kind, shelf in SHELVES.items():
            names = set(self._names(shelf))
            for name in sorted(names):
                stem = name.removesuffix(".json")
                if not is_id(stem, kind):
                    found.faults.append(Fault("stray_on_shelf", file=f"{shelf}/{name}"))
                elif name == stem:
                    if f"{stem}.json" not in names and self._names(f"{shelf}/{stem}"):
                        found.leftovers.append(f"{shelf}/{stem}")
                else:
                    self._document(stem)

    def _document(self, ident: str) -> None:
        path = asset_file(ident)
        data = self._read(path)
        if data is None:
            return
        try:
            asset = decoded(DECODE_ASSET, data, path)
            _judge(asset, ident, path)
        except _FAMILY as broken:
            self._found.faults += broken.faults
            self._found.unreadable.append(ident)
            self._found.newer |= isinstance(broken, NewerSchema)
            return
        self._found.assets[ident] = asset

    def _history(self) -> None:
        found = self._found
        lines, torn = log.lines(self._read(LOG) or b"")
        found.torn = len(torn)
        if torn:
            found.notes.append(Fault("shelf_torn", file=LOG, found=len(torn)))
        whole: list[ShelfLine] = []
        for number, raw in enumerate(lines, 1):
            try:
                whole.append(DECODE_LINE.decode(raw))
            except (msgspec.DecodeError, UnicodeDecodeError):
                found.broken_lines += 1
                found.faults.append(Fault("history_line_broken", file=LOG, line=number))
        found.history = folded(whole)
        for ident, asset in found.history.items():
            if ident not in found.assets and ident not in found.unreadable:
                found.lost.append(ident)
                found.faults.append(Fault("asset_lost", file=asset_file(ident), name=asset.title))
        for ident, asset in found.assets.items():
            known = found.history.get(ident)
            if known is None:
                found.unlisted.append(ident)
                found.faults.append(
                    Fault("asset_unlisted", file=asset_file(ident), name=asset.title)
                )
            elif known != asset:
                found.differing.append(ident)
                found.faults.append(
                    Fault("asset_differs", file=asset_file(ident), name=asset.title)
                )

    # ---- one asset -----------------------------------------------------------------------------

    def _asset(self, asset: Asset) -> None:
        folder = asset_folder(asset.id)
        names = set(self._names(folder))
        ours: set[str] = set()
        for version in asset.versions:
            self._found.versions += 1
            ours.add(f"v{version.number}.json")
            self._version(asset, version)
            for source in (version.source, version.picture):
                if source is not None:
                    ours.add(source.file)
                    self._source(asset, version, source, names)
        for name in sorted(names - ours):
            path = f"{folder}/{name}"
            if is_blob(name) or version_number(name) is not None:
                self._found.leftovers.append(path)
            else:
                self._found.faults.append(Fault("stray_on_shelf", file=path))

    def _version(self, asset: Asset, version: Version) -> None:
        path = version_file(asset.id, version.number)
        data = self._read(path)
        if data is not None and digest(data) == version.file_sha256:
            return
        self._found.broken.append(BrokenVersion(asset, version, data is None))
        why = GONE if data is None else OTHER
        self._found.faults.append(Fault("version_broken", file=path, reason=why))

    def _source(self, asset: Asset, version: Version, source: SourceFile, names: set[str]) -> None:
        self._found.sources += 1
        if not source.file:
            self._in_place(asset, source)
            return
        path = f"{asset_folder(asset.id)}/{source.file}"
        if source.file not in names:
            self._found.faults.append(Fault("source_gone", file=path, name=asset.title))
            return
        stat = self._files.stat(self._library.vault.real(path))
        same = stat is not None and stat.kind == "file" and stat.size == source.size
        if same and self._deep:
            data = self._read(path)
            same = data is not None and digest(data) == source.sha256
        if not same:
            self._found.faults.append(Fault("source_changed", file=path, name=asset.title))

    def _in_place(self, asset: Asset, source: SourceFile) -> None:
        """A source that was left where it lay: its loss is told, and is no fault of the library."""
        try:
            stat = self._files.stat(self._files.resolve(source.place))
        except OSError:
            stat = None
        if stat is None:
            self._found.notes.append(Fault("source_gone", file=source.place, name=asset.title))
        elif stat.size != source.size:
            self._found.notes.append(Fault("source_changed", file=source.place, name=asset.title))

    def _leftovers(self) -> None:
        for folder in self._names(INCOMING):
            pid = folder.partition("-")[0]
            if not pid.isdigit() or not lock.process_lives(int(pid)):
                self._found.leftovers.append(f"{INCOMING}/{folder}")
        # A folder is left over only when nothing in it is of somebody else's making.
        kept = []
        for path in self._found.leftovers:
            strays = list(self._strays(path))
            self._found.faults += [Fault("stray_on_shelf", file=stray) for stray in strays]
            if not strays:
                kept.append(path)
        self._found.leftovers = kept
        if kept:
            self._found.notes.append(Fault("import_leftovers", found=len(kept), file=kept[0]))

    def _untold(self) -> None:
        """An import that was killed leaves one version at most: it is no asset yet."""
        found = self._found
        found.untold = [ident for ident in found.unreadable if ident not in found.history]
        for path in found.leftovers:
            ident = path.rpartition("/")[2]
            if is_id(ident) and any((version_number(n) or 0) > 1 for n in self._names(path)):
                found.untold.append(ident)
                found.faults.append(Fault("asset_untold", file=path))
        found.leftovers = [p for p in found.leftovers if p.rpartition("/")[2] not in found.untold]

    def _strays(self, path: str) -> Iterator[str]:
        if not is_id(path.rpartition("/")[2]):
            return
        for name in self._names(path):
            if not is_blob(name) and version_number(name) is None:
                yield f"{path}/{name}"

    # ---- books ---------------------------------------------------------------------------------

    def _books(self) -> None:
        found = self._found
        for ident in self._names(BOOKS):
            path = book_file(ident)
            data = self._read(path) if is_id(ident, "book") else None
            if data is None and is_id(ident, "book") and self._is_empty(ident):
                found.notes.append(Fault("book_folder_empty", file=f"{BOOKS}/{ident}"))
                continue
            if data is None:
                found.faults.append(Fault("stray_on_shelf", file=f"{BOOKS}/{ident}"))
                continue
            try:
                book = decoded(DECODE_BOOK, data, path, "book_broken")
            except _FAMILY as broken:
                found.faults += broken.faults
                found.newer |= isinstance(broken, NewerSchema)
                continue
            if book.id != ident:
                reason = _another_id(book.id)
                found.faults.append(Fault("book_broken", file=path, reason=reason))
                continue
            found.books[ident] = book
            for asset, use in uses_in(book):
                if use.role == DESIGN:
                    continue  # a card may be purged, and how it was made be kept
                there = found.assets.get(asset)
                number = int(use.version) if use.version.isdigit() else None
                if there is None or there.version(number) is None:
                    found.faults.append(
                        Fault(
                            "pin_dangling",
                            file=path,
                            name=book.title,
                            found=f"{asset}@{use.version}",
                        )
                    )

    def _is_empty(self, ident: str) -> bool:
        """Whether nothing but clew's own is left in a book's folder: it was begun, or purged, when
        something was killed."""
        name_of_lock = book_scope(ident).lock.rpartition("/")[2]
        return {*self._names(f"{BOOKS}/{ident}")} <= {PRIVATE, name_of_lock}

    def _designs(self) -> None:
        """Every book that an asset says it was designed in: there, readable or not."""
        for asset in self._found.assets.values():
            path = book_file(asset.card_book_id)
            if asset.card_book_id and self._read(path) is None:
                self._found.faults.append(Fault("book_lost", file=path, name=asset.title))


def _judge(asset: Asset, ident: str, path: str) -> None:
    """What its type cannot say of an asset. Raises `Corrupt` (`record_broken`)."""
    reason: Both | None = None
    numbers = [version.number for version in asset.versions]
    if asset.id != ident:
        reason = _another_id(asset.id)
    elif numbers != sorted(set(numbers)) or not numbers or numbers[0] < 1:
        reason = Both("版本编号不连续", "its versions are not numbered one after the other")
    elif asset.version() is None:
        reason = Both(
            f"没有第 {asset.current} 版，却说它是当前版",
            f"there is no version {asset.current}, which is said to be the current one",
        )
    if reason is not None:
        raise Corrupt(Fault("record_broken", file=path, reason=reason))


def _another_id(ident: str) -> Both:
    return Both(f"它自称编号是 {ident}", f"it says that its id is {ident}")
