"""Where a file may be written that somebody asked for: a report, an export.

Never inside the places that a library keeps for itself, whichever library it is: it is found by its
marker, upward from the target. A report takes the place of nothing but an older report, so that a slip
in a command costs no file. What is asked here is asked before the work begins.

Only reads. Rules: docs/library.md, "Reports".
"""

from __future__ import annotations

import os
import posixpath
from typing import Final

from clew.books.layout import BOOKS, INDEX, MARK, PRIVATE, SCOPE, SESSIONS
from clew.books.library import has_shelf, is_marked
from clew.kernel.errors import ClewError, Missing, Refused, storage_failed
from clew.kernel.faults import Both, Fault
from clew.kernel.files import Files

OWN: Final = (MARK, "assets", BOOKS, SESSIONS, PRIVATE, SCOPE.lock)
"""What a library keeps for itself in its folder; the index and its companions besides. All else that
lies there is the user's."""
REPORTS: Final = (".html", ".htm", ".json")
_HEAD: Final = 4096
REPORT_KEY: Final = "clew_report"
"""Says of a JSON file that it is a report of ours."""
PAGE_MARK: Final = b'<meta name="generator" content="clew import report">'
"""Says the same of a page."""
_OURS: Final = ((f'"{REPORT_KEY}"'.encode(),), (b"<!doctype html>", PAGE_MARK))


def is_own(name: str) -> bool:
    """Whether a library keeps this entry of its folder for itself."""
    name = name.casefold()  # one file under two spellings, where a disk does not tell them apart
    return name in OWN or name.startswith(INDEX)


def is_library(folder: str) -> bool:
    """Whether a folder is a library, also one that has lost its marker."""
    return is_marked(folder) or has_shelf(folder)


def library_around(path: str) -> str:
    """The library in whose own places a path lies, or an empty text. The path need not exist."""
    real = Files().resolve(path)
    while (above := posixpath.dirname(real)) != real:
        if is_own(posixpath.basename(real)) and is_library(above):
            return above
        real = above
    return ""


def refuse_own(path: str) -> None:
    """Raise `Refused` (`inside_library`) for a path in the own places of a library."""
    library = library_around(path)
    if library:
        raise Refused(Fault("inside_library", file=path, found=library))


def allow_report(path: str) -> None:
    """Whether a report can be written there, asked before the import.

    Raises `Refused` (`not_allowed` for another ending, `inside_library`, `report_taken`), `Missing`
    (`no_report_folder`), `StorageFailed`.
    """
    if not path.lower().endswith(REPORTS):
        raise Refused(Fault("not_allowed", "report", found=path, allowed=REPORTS))
    refuse_own(path)
    files = Files()
    try:
        real = files.resolve(path)
        folder = files.stat(posixpath.dirname(real))
        if folder is None or folder.kind != "dir":
            raise Missing(Fault("no_report_folder", file=posixpath.dirname(path) or "."))
        found = files.stat(real)
        if found is not None and (
            found.kind != "file" or not _is_report(files.read(real, 0, _HEAD))
        ):
            raise Refused(Fault("report_taken", file=path))
    except OSError as error:
        raise storage_failed(error, path) from error
    if not os.access(posixpath.dirname(real), os.W_OK):
        reason = Both("文件夹不可写", "its folder cannot be written to")
        raise Refused(Fault("report_not_written", file=path, reason=reason))


def _is_report(head: bytes) -> bool:
    return not head or any(all(word in head for word in words) for words in _OURS)


def not_written(path: str, error: ClewError) -> Fault:
    """The note that a report could not be written, where the import itself is done."""
    fault = error.faults[0]
    reason = Both(fault.message("zh"), fault.message("en"))
    return Fault("report_not_written", file=path, reason=reason)
