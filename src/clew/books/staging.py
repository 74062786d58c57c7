"""Files on their way to the shelf: copied first, put in place under the lock, kept by the commit.

A source file may be large and never changes, so it does not go through the journal. It is written to
a private folder and synced while others may still write; with the lock held it is renamed into its
asset's folder, and the asset's document, which names it, is committed after that. A kill on the way
leaves a file that no document names: nobody sees it, the next import of the same file takes its
place, and `library repair` removes it.

Touches files through the vault's file layer only.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress

from clew.books.layout import INCOMING, asset_folder
from clew.books.library import Library
from clew.kernel import lock


class Incoming:
    """The private folder of one import. Use it as a context: what is left over goes with it."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._files = library.vault.files
        self._folder = f"{INCOMING}/{os.getpid()}-{secrets.token_hex(6)}"
        self._real = ""
        self._count = 0

    def __enter__(self) -> Incoming:
        return self

    def __exit__(self, *_: object) -> None:
        if self._real:
            _remove(self._library, self._real)

    def reserve(self) -> str:
        """The real path for the next file, which `write` makes and `place` takes."""
        if not self._real:
            self._real = _made(self._library, self._folder)
        self._count += 1
        return f"{self._real}/{self._count}"

    def write(self, path: str, data: bytes) -> None:
        """Write a file at a reserved path. Any thread may. Raises `OSError`."""
        self._files.create(path, data)

    def place(self, ident: str, moves: dict[str, str]) -> list[str]:
        """Rename files (name in the asset's folder → reserved path) into place. With the lock
        held, and only where no document names what they replace. Returns the real folders that are
        to be synced."""
        folder = _made(self._library, asset_folder(ident))
        for name, path in moves.items():
            self._files.replace(path, f"{folder}/{name}")
        return [folder, os.fspath(folder).rpartition("/")[0]]


def _made(library: Library, folder: str) -> str:
    """A folder of the library, made where it is missing."""
    files = library.vault.files
    real = library.vault.real(folder)
    if files.stat(real) is None:
        above = folder.rpartition("/")[0]
        if above:
            _made(library, above)
        files.make_dir(real)
    return real


def _remove(library: Library, real: str) -> None:
    files = library.vault.files
    for name in files.names(real):
        with suppress(OSError):
            files.remove(f"{real}/{name}")
    with suppress(OSError):
        files.remove_dir(real)


def clear_abandoned(library: Library) -> int:
    """Remove what imports left that were killed. Returns how many folders there were."""
    real = library.vault.real(INCOMING)
    gone = 0
    for name in library.vault.files.names(real):
        pid = name.partition("-")[0]
        if pid.isdigit() and not lock.process_lives(int(pid)):
            _remove(library, f"{real}/{name}")
            gone += 1
    return gone
