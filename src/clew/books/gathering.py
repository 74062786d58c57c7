"""Which files an import looks at: what was named, and what lies in a folder that was named.

A file that is named is always read. In a folder, what neither its name nor its first bytes say to be
a card or lorebook is passed over, counted and named. A folder that cannot be read is told. Folders are
walked in the order of their names, links to folders and hidden folders are left out, links to files are
read. Names are data: any bytes.

Only reads; never opens anything but the first bytes of a file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from clew.kernel.errors import storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files

EXTENSIONS: Final = (
    ".png", ".apng", ".jpg", ".jpeg", ".webp", ".json", ".charx", ".yaml", ".yml", ".lorebook",
)  # fmt: skip
_MAGICS: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"PK\x03\x04")
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
    refused: list[tuple[str, Fault]]
    """Names that lead nowhere, and folders that were not walked."""


def gather(
    paths: Collection[str],
    leave_out: Collection[str] = (),
    passed_over: Callable[[str], None] = lambda name: None,
) -> Gathered:
    """The files of an import. `leave_out` are real paths of folders that are not walked (the
    library itself); `passed_over` is called with each file of a folder that is nothing of ours."""
    refused: list[tuple[str, Fault]] = []
    out: dict[str, Candidate] = {}
    for path in paths:
        try:
            stat = Path(path).stat()
        except (OSError, ValueError):
            refused.append((path, Fault("no_such_file", file=path)))
            continue
        if not _is_folder(stat.st_mode):
            out.setdefault(path, _candidate(path, _name(path), stat, wanted=True))
            continue
        for entry, name in _walk(path, leave_out, refused):
            try:
                stat = entry.stat()
            except OSError:
                refused.append((entry.path, Fault("no_such_file", file=entry.path)))
                continue
            if _is_folder(stat.st_mode):
                continue
            known = entry.name.lower().endswith(EXTENSIONS)
            if not known and not _begins_like_one(entry.path):
                passed_over(name)
                continue
            out.setdefault(entry.path, _candidate(entry.path, name, stat, wanted=False))
    return Gathered(list(out.values()), refused)


def _candidate(path: str, name: str, stat: os.stat_result, *, wanted: bool) -> Candidate:
    return Candidate(path, name, stat.st_size, stat.st_mtime_ns, wanted=wanted)


def _is_folder(mode: int) -> bool:
    return mode & 0o170000 == 0o040000


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _walk(
    folder: str,
    leave_out: Collection[str],
    refused: list[tuple[str, Fault]],
    below: str = "",
    depth: int = 0,
) -> Iterator[tuple[os.DirEntry[str], str]]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        refused.append((folder, storage_failed(error, folder).faults[0]))
        return
    for entry in entries:
        name = f"{below}{entry.name}"
        if not entry.is_dir(follow_symlinks=False):
            yield entry, name
        elif not _passed_over(entry, leave_out):
            if depth == _DEEP:
                refused.append((entry.path, Fault("folder_too_deep", file=entry.path, limit=_DEEP)))
                continue
            yield from _walk(entry.path, leave_out, refused, f"{name}/", depth + 1)


def _passed_over(entry: os.DirEntry[str], leave_out: Collection[str]) -> bool:
    return entry.name.startswith(".") or Files().resolve(entry.path) in leave_out


def _begins_like_one(path: str) -> bool:
    try:
        head = Files().read(path, 0, 12)
    except OSError:
        return False  # a pipe, a socket, a device, or not ours to read
    return head.startswith(_MAGICS) or (head.startswith(b"RIFF") and head[8:] == b"WEBP")
