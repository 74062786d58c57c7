"""Which files an import looks at: what was named, and what lies in a folder that was named.

A file that is named is always read. In a folder the first bytes of every file are looked at, whatever
its name: what cannot be a card or lorebook is passed over, counted and named. A folder that cannot be
read is told. Folders are walked in the order of their names, links to folders and hidden folders are
left out, links to files are read. What a library keeps for itself is no file to import, wherever it
lies: it is left out and told. Names are data: any bytes.

Only reads; never opens anything but the first bytes of a file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from clew.books.heads import FIRST, HEAD, may_begin, may_hold
from clew.books.layout import is_blob
from clew.books.targets import is_library, is_own, library_around
from clew.kernel.errors import storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files

EXTENSIONS: Final = (
    ".png", ".apng", ".jpg", ".jpeg", ".webp", ".json", ".charx", ".yaml", ".yml", ".lorebook",
)  # fmt: skip
_NO_TEXTS: Final = (".png", ".apng", ".jpg", ".jpeg", ".webp", ".charx")
_DEEP: Final = 40
"""Folders within folders: more is a loop by some other means than links."""


class Follows(NamedTuple):
    """The place of a file in another program's folder: what the asset follows from now on."""

    program: str
    root: str
    path: str


class Candidate(NamedTuple):
    """A file that an import will read."""

    path: str
    name: str
    """What reports call it: a path below what was named."""
    size: int
    mtime_ns: int = 0
    follows: Follows | None = None
    labels: tuple[str, ...] = ()
    worlds: tuple[str, ...] = ()
    """Names of lorebooks that belong to it besides the one that it names itself."""
    wanted: bool = True
    """Whether it was named, or is sure to be meant; else it is passed over when it is no card."""


class Gathered(NamedTuple):
    """What was found."""

    candidates: list[Candidate]
    told: list[tuple[str, Fault]]
    """Names that lead nowhere, folders that were not walked, libraries whose files were left out."""
    order: dict[str, int]
    """What was found, in the order of the walk, by the names that reports use."""


def gather(
    paths: Collection[str],
    library: str = "",
    passed_over: Callable[[str], None] = lambda name: None,
) -> Gathered:
    """The files of an import into the library in this folder (a real path). `passed_over` is called
    with each file of a folder that is nothing of ours."""
    return _Gathering(library, passed_over).run(paths)


class _Gathering:
    def __init__(self, library: str, passed_over: Callable[[str], None]) -> None:
        self._library = library
        self._passed_over = passed_over
        self._told: list[tuple[str, Fault]] = []
        self._out: dict[str, Candidate] = {}
        self._order: dict[str, int] = {}
        self._libraries: set[str] = set()

    def run(self, paths: Collection[str]) -> Gathered:
        for path in paths:
            try:
                stat = Path(path).stat()
            except (OSError, ValueError):
                self._tell(path, Fault("no_such_file", file=path))
                continue
            around = library_around(path)
            if _is_folder(stat.st_mode):
                if around:
                    self._left_out(path, around)
                else:
                    self._folder(path)
            elif around and path.endswith((".json", ".jsonl")) and not is_blob(_name(path)):
                self._left_out(path, around)
            else:
                self._take(path, _name(path), stat, wanted=True)
        return Gathered(list(self._out.values()), self._told, self._order)

    def _tell(self, name: str, fault: Fault) -> None:
        self._order.setdefault(name, len(self._order))
        self._told.append((name, fault))

    def _left_out(self, name: str, library: str) -> None:
        """Files of a library: told once for each library."""
        if library not in self._libraries:
            self._libraries.add(library)
            self._tell(name, Fault("library_left_out", file=name, found=library))

    def _take(self, path: str, name: str, stat: os.stat_result, *, wanted: bool) -> None:
        self._order.setdefault(name, len(self._order))
        one = Candidate(path, name, stat.st_size, stat.st_mtime_ns, wanted=wanted)
        self._out.setdefault(path, one)

    def _folder(self, folder: str) -> None:
        for entry, name in self._walk(folder):
            try:
                stat = entry.stat()
            except OSError as error:
                there = entry.is_symlink()
                fault = storage_failed(error, name).faults[0]
                self._tell(name, Fault("dead_link", file=name) if there else fault)
                continue
            if _is_folder(stat.st_mode):
                continue
            if not is_named_so(entry.name) and not _begins_like_one(entry.path):
                self._passed_over(name)
                continue
            self._take(entry.path, name, stat, wanted=False)

    def _walk(
        self, folder: str, below: str = "", depth: int = 0
    ) -> Iterator[tuple[os.DirEntry[str], str]]:
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self._tell(folder, storage_failed(error, folder).faults[0])
            return
        own = [entry for entry in entries if is_own(entry.name)]
        if own and is_library(folder):
            entries = [entry for entry in entries if not is_own(entry.name)]
            name, root = below.rstrip("/") or folder, Files().resolve(folder)
            if root != self._library:  # that an import leaves out what it writes is no news
                self._left_out(name, root)
        for entry in entries:
            name = f"{below}{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                yield entry, name
            elif not entry.name.startswith("."):
                if depth == _DEEP:
                    fault = Fault("folder_too_deep", file=entry.path, limit=_DEEP)
                    self._tell(entry.path, fault)  # as it can be named in the next import
                    continue
                yield from self._walk(entry.path, f"{name}/", depth + 1)


def is_named_so(name: str) -> bool:
    """Whether a name ends as those of cards do: then a file that is none is told of."""
    return name.lower().endswith(EXTENSIONS)


def is_picture_name(name: str) -> bool:
    """Whether a name says that the file is a picture or an archive of a card: another thing under such
    a name was damaged on its way."""
    return name.lower().endswith(_NO_TEXTS)


def _is_folder(mode: int) -> bool:
    return mode & 0o170000 == 0o040000


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _begins_like_one(path: str) -> bool:
    """Whether a file may hold a card, by its first bytes: most are known by few of them."""
    files = Files()
    try:
        head = files.read(path, 0, FIRST)
        if not may_begin(head):
            return False
        if len(head) == FIRST:
            head = files.read(path, 0, HEAD)
    except OSError:
        return False  # a pipe, a socket, a device, or not ours to read
    return may_hold(head)
