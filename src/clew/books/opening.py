"""From a request to an open library: named, near, or the user's own."""

from __future__ import annotations

import posixpath

from clew.books.library import Library, find_library, has_shelf
from clew.kernel.errors import Missing
from clew.kernel.faults import Fault
from clew.kernel.operations import Host


def place_of(host: Host, given: str | None) -> str:
    """The library that is meant: the one that was named, the nearest one upward, or the user's."""
    if given:
        return posixpath.join(host.cwd, given)
    found = find_library(host.cwd) or host.library
    if not found:
        raise Missing(Fault("no_library", file=host.cwd))
    return found


def open_shelf(host: Host, given: str | None, *, marked: bool = True) -> Library:
    """The library of a request. Raises `Missing` (`no_library`, `mark_lost`), `Corrupt`,
    `NewerSchema`.

    Without `marked` also a folder whose `library.json` is lost or broken: for repairs.
    """
    library = Library(place_of(host, given), clock=host.clock, lock_timeout=host.lock_timeout)
    library.notes = host.notes
    if marked or not has_shelf(library.root, library.vault.files):
        library.mark()
    return library
