"""Many files made durable at once: several syncs at a time, each file once.

A disk answers an fsync in milliseconds, and a hundred that are asked for together in hardly more than
one: the file system puts them into one commit. `sync_all` asks for them together. Within one
transaction a file that was synced and not touched since is not synced again: the kernel settles the
change before one file after the other, and finds them done.

Touches files by the kernel's file layer only.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import Final

from clew.kernel.files import Files

_AT_ONCE: Final = 16
_WORTH: Final = 4
"""Fewer are synced one after the other: a thread costs as much."""


class ShelfFiles(Files):
    """The system's files, with syncs that are remembered while a transaction holds the lock."""

    def __init__(self) -> None:
        self._clean: set[str] | None = None

    def remember(self) -> None:
        """Begin to remember: call it with the lock held, when nobody else writes."""
        self._clean = set()

    def forget(self) -> None:
        """Remember nothing any more: call it before the lock is released."""
        self._clean = None

    def sync(self, path: str) -> None:
        if self._clean is None or path not in self._clean:
            super().sync(path)
            self._done(path)

    def sync_dir(self, folder: str) -> None:
        if self._clean is None or folder not in self._clean:
            super().sync_dir(folder)
            self._done(folder)

    def sync_together(self, paths: list[str], folders: list[str]) -> None:
        """Sync files, then folders, many at a time."""
        from concurrent.futures import ThreadPoolExecutor

        plain = Files()
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for work, names in ((plain.sync, paths), (plain.sync_dir, folders)):
                todo = [n for n in names if self._clean is None or n not in self._clean]
                for _ in threads.map(work, todo):  # raises what a sync raised
                    pass
                for name in todo:
                    self._done(name)

    def _done(self, path: str) -> None:
        if self._clean is not None:
            self._clean.add(path)

    def _touched(self, *paths: str) -> None:
        if self._clean is not None:
            for path in paths:
                self._clean.discard(path)
                self._clean.discard(posixpath.dirname(path))

    # ---- what makes a file, or the folder that names it, unsynced -----------------------------

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        self._touched(path)
        super().create(path, data, mode)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        self._touched(path)
        super().write_at(path, offset, data)

    def truncate(self, path: str, size: int) -> None:
        self._touched(path)
        super().truncate(path, size)

    def set_mode(self, path: str, mode: int) -> None:
        self._touched(path)
        super().set_mode(path, mode)

    def replace(self, source: str, target: str) -> None:
        self._touched(source, target)
        super().replace(source, target)

    def remove(self, path: str) -> None:
        self._touched(path)
        super().remove(path)

    def remove_dir(self, path: str) -> None:
        self._touched(path)
        super().remove_dir(path)

    def make_dir(self, path: str, mode: int = 0o755) -> None:
        self._touched(path)
        super().make_dir(path, mode)


def sync_all(files: Files, paths: Iterable[str], folders: Iterable[str]) -> None:
    """Make files durable, and then the folders that name them (real paths). Raises `OSError`."""
    first, then = list(dict.fromkeys(paths)), sorted(set(folders), key=len, reverse=True)
    if isinstance(files, ShelfFiles) and len(first) + len(then) >= _WORTH:
        files.sync_together(first, then)
        return
    for path in first:
        files.sync(path)
    for folder in then:
        files.sync_dir(folder)
