"""A lock for each run, held by whoever runs it and by what it started.

The operating system gives it back when the last of them is gone, however they went, so that a
reservation whose lock is free is lost for certain: no process number is asked, none can be mistaken.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from clew.persona.model import DIR_MODE, PRIVATE

if TYPE_CHECKING:
    from clew.persona.home import Home

FOLDER: Final = f"{PRIVATE}/wakes"


class RunLock:
    """The lock of one run, held."""

    def __init__(self, home: Home, path: str, handle: int) -> None:
        self._files = home.vault.files
        self._path = path
        self.handle = handle
        """The open file: a program that inherits it holds the lock, too."""

    def release(self) -> None:
        """The run is over and recorded."""
        with suppress(OSError):
            self._files.remove(self._path)
        self._files.lock_close(self.handle)

    def abandon(self) -> None:
        """It could not be recorded: whoever looks next finds the lock free, and tells the loss."""
        self._files.lock_close(self.handle)


def path_of(home: Home, key: str, kind: str = "lock") -> str:
    """Where the file of a run lies."""
    return home.vault.real(f"{FOLDER}/{key.replace('/', '.')}.{kind}")


def take(home: Home, key: str) -> RunLock | None:
    """Hold the lock of a run that is about to be reserved; None where somebody does already."""
    files = home.vault.files
    files.make_dir(home.vault.real(PRIVATE), DIR_MODE)
    files.make_dir(home.vault.real(FOLDER), DIR_MODE)
    path = path_of(home, key)
    handle = files.lock_create(path)
    if handle is None:
        handle = files.lock_open(path)
    if handle is None:
        return None
    if not files.lock_try(handle) or not files.lock_is_at(handle, path):
        files.lock_close(handle)
        return None
    return RunLock(home, path, handle)


def is_free(home: Home, key: str) -> bool:
    """Whether nobody runs it any more. The file of a run that is gone is taken away."""
    files, path = home.vault.files, path_of(home, key)
    try:
        handle = files.lock_open(path)
    except OSError:
        return False
    if handle is None:
        return True
    try:
        free = files.lock_try(handle)
        if free and files.lock_is_at(handle, path):
            files.remove(path)
        return free
    finally:
        files.lock_close(handle)


def sweep(home: Home, running: set[str]) -> None:
    """Take away what was left by runs that are over or were never reserved: whoever is killed
    between two steps cannot tidy up. `running` are the keys of open reservations."""
    files = home.vault.files
    folder = home.vault.real(FOLDER)
    kept = {key.replace("/", ".") for key in running}
    for name in files.names(folder):
        stem, _, kind = name.rpartition(".")
        if stem in kept or kind not in ("lock", "prompt"):
            continue
        if is_free(home, stem):
            with suppress(OSError):
                files.remove(f"{folder}/{name}")
