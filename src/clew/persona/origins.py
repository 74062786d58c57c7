"""From which window another one was forked. Reads the beginnings of transcripts, and no more.

A host that copies a session gives the copy an id of its own. Codex writes down where it came from; Claude
Code copies the records with their ids and says nothing, so a window whose transcript is older than
itself and begins with the very record with which another one begins is a copy of that one.
"""

from __future__ import annotations

import posixpath
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final

from clew.persona.transcripts import place
from clew.persona.transcripts.reading import steps

if TYPE_CHECKING:
    from clew.kernel.files import Files
    from clew.persona.transcripts.lines import Read
    from clew.persona.transcripts.piece import Piece
    from clew.persona.windows import Window, Windows

_STEPS: Final = 40
"""Lines of a transcript in which its first record must be."""
_BEFORE: Final = timedelta(minutes=1)
"""A host may have written its preamble before it calls a hook."""
_MOST: Final = 50
"""Other windows that are looked at."""
ID_CHARS: Final = 16
"""A record's id that is as long as this is nobody else's: a copy of the record has it, too."""


def told(files: Files, path: str) -> str:
    """The window that a transcript says it was forked from; empty where it says nothing."""
    return next((one.forked for one in _beginning(files, path) if one.forked), "")


def found(files: Files, window: Window, register: Windows) -> str:
    """The window that this one was forked from, as far as anything tells; empty where nothing does."""
    if not window.readable:
        return ""
    if origin := told(files, window.transcript):
        return origin if origin != window.id else ""
    first = _first(files, window.transcript)
    if first is None or len(first.ident) < ID_CHARS or not "" < first.at < window.opened:
        return ""
    folder = posixpath.dirname(window.transcript)
    near = [
        one
        for one in register.windows
        if one.id != window.id and one.readable and posixpath.dirname(one.transcript) == folder
    ]
    near.sort(key=lambda one: one.seen, reverse=True)
    for one in near[:_MOST]:
        other = _first(files, one.transcript)
        if other is not None and other.ident == first.ident:
            return one.id
    return ""


def whole(read: Read, opened: str) -> bool:
    """Whether a transcript holds nothing from before its window was first seen."""
    first = next((one.at for one in _pieces(read) if one.ident and one.at), "")
    try:
        return datetime.fromisoformat(first) >= datetime.fromisoformat(opened) - _BEFORE
    except (ValueError, TypeError):
        return False


def _first(files: Files, path: str) -> Piece | None:
    return next((one for one in _beginning(files, path) if one.ident), None)


def _beginning(files: Files, path: str) -> list[Piece]:
    return _pieces(place.reader(files, path))


def _pieces(read: Read) -> list[Piece]:
    return [piece for step in islice(steps(read), _STEPS) for piece in step.pieces]
