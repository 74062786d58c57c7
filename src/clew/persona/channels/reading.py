"""Reading the channels: the last lines of a log without reading all of it, and who read how far."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from clew.kernel import log
from clew.persona.channels.declared import OF, Name
from clew.persona.channels.lines import Baton, Line, Note
from clew.persona.windows import FILE as WINDOWS
from clew.persona.windows import Windows

if TYPE_CHECKING:
    from clew.persona.home import Change, Home

_BLOCK: Final = 1 << 18
_ALL: Final = 1 << 40
MARKS: Final = "channels/read.json"
PERSONA: Final = "persona"
"""The reader that is the persona itself, in whichever window."""
L = TypeVar("L", bound=Line)


class Marks(msgspec.Struct, kw_only=True):
    """`channels/read.json`: the last note of the board that each reader has seen."""

    schema_version: Literal[1] = 1
    board: dict[str, Annotated[int, Meta(ge=0)]] = {}


def last(
    home: Home,
    channel: Name,
    kind: type[L],
    count: int,
    *,
    window: str = "",
    apart: str = "",
    since: int = 0,
) -> list[L]:
    """The last `count` lines of a channel, oldest first: those of one window, where one is named, those
    of all others than `apart`, and those after number `since`. Reads from the end; lines that cannot be
    read are noted."""
    from clew.persona.decoding import decoded_lines

    path = OF[channel].file
    want = _BLOCK
    while True:
        raw, whole = tail(home, path, want)
        found = [
            line
            for line in decoded_lines(raw, kind, path, home.notes if whole else [])
            if line.n > since
            and (not window or line.window == window)
            and (not apart or line.window != apart)
        ]
        enough = len(found) >= count or (since and raw and _first(raw, kind) <= since)
        if whole or enough:
            return found[-count:] if count > 0 else []
        want *= 4


def _first(raw: list[bytes], kind: type[L]) -> int:
    try:
        return msgspec.json.decode(raw[0], type=kind).n
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 1 << 62


def tail(home: Home, path: str, want: int) -> tuple[list[bytes], bool]:
    """The whole lines in the last `want` bytes of a log, and whether these are all that it has."""

    def look(_: object) -> tuple[list[bytes], bool]:
        files, real = home.vault.files, home.vault.real(path)
        found = files.stat(real)
        if found is None:
            return [], True
        start = max(0, found.size - want)
        data = files.read(real, start)
        if start:
            cut = data.find(b"\n") + 1
            data = data[cut:] if cut else b""
        return log.lines(data)[0], not start

    try:
        return home.look(look)
    except OSError as error:
        from clew.kernel.errors import storage_failed

        raise storage_failed(error, path) from error


def baton(home: Home) -> Baton | None:
    """The baton that a window finds at its opening: the last one."""
    found = last(home, "baton", Baton, 1)
    return found[0] if found else None


def unread(home: Home, reader: str = PERSONA, *, most: int | None = None) -> list[Note]:
    """The notes that a reader has not seen (or the first `most` of them), the oldest first: for it or for
    anybody, and not its own. However many there are, none is passed over."""
    marks = home.load(MARKS, Marks) or Marks()
    found = last(home, "board", Note, _ALL, since=marks.board.get(reader, 0))
    return list(islice((note for note in found if _for(note, reader)), most))


def _for(note: Note, reader: str) -> bool:
    if reader == PERSONA:
        return note.to in ("", PERSONA) and note.by != PERSONA
    return note.to in ("", PERSONA, reader) and reader not in (note.by, note.window)


class Handed(msgspec.Struct, frozen=True, kw_only=True):
    """What lies on the board for one window alone, and it has not read."""

    window: str
    notes: int
    tasks: int


def handed(home: Home) -> list[Handed]:
    """The unread notes that go to a window by its id, counted for each. Only that window is told of them:
    the persona's own reading passes them over."""
    marks = (home.load(MARKS, Marks) or Marks()).board
    known = {one.id for one in (home.load(WINDOWS, Windows) or Windows()).windows}
    since = min((marks.get(ident, 0) for ident in known), default=0)
    found: dict[str, list[Note]] = {}
    for note in last(home, "board", Note, _ALL, since=since) if known else ():
        unread_ = note.n > marks.get(note.to, 0) and note.to not in (note.by, note.window)
        if note.to in known and unread_:
            found.setdefault(note.to, []).append(note)
    return [
        Handed(window=ident, notes=len(notes), tasks=sum(note.task for note in notes))
        for ident, notes in found.items()
    ]


def mark(change: Change, reader: str, number: int) -> None:
    """Remember that a reader has seen the board up to a note."""
    marks = change.load(MARKS, Marks) or Marks()
    if number > marks.board.get(reader, 0):
        change.save(MARKS, msgspec.structs.replace(marks, board={**marks.board, reader: number}))
