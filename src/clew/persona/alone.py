"""One at a time: long work that must not keep the home's own lock has a lock of its own."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.kernel.errors import storage_failed
from clew.kernel.lock import exclusive
from clew.persona.model import DIR_MODE

if TYPE_CHECKING:
    from clew.persona.home import Home


@contextmanager
def alone(home: Home, path: str) -> Iterator[None]:
    """Hold the lock at a path of the home. Raises `Locked` when another process holds it for longer than
    the home's timeout, `StorageFailed`."""
    try:
        with exclusive(
            home.vault.real(path), files=home.vault.files, clock=home.clock,
            timeout=home.lock_timeout, shown=path,
            prepare=lambda: make_dir(home, posixpath.dirname(path)),
        ):  # fmt: skip
            yield
    except OSError as error:
        raise storage_failed(error, path) from error


def make_dir(home: Home, folder: str) -> None:
    """Make a folder of the home with those above it, for its owner alone."""
    files = home.vault.files
    at = ""
    for part in folder.split("/"):
        at = posixpath.join(at, part)
        real = home.vault.real(at)
        if files.stat(real) is None:
            try:
                files.make_dir(real, DIR_MODE)
            except FileExistsError:
                continue
