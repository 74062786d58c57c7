"""The live channel: what was just said in each window, for the others to see.

Follows the transcripts of the registered windows from where it stopped; what it took and how far it
read are written in one change, so that nothing is taken twice. It is a look at the present: of a
conversation that was there before, only the end is taken; the archive has the rest.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from clew.persona.channels import reading
from clew.persona.channels.lines import Said
from clew.persona.channels.writing import Writer, say
from clew.persona.origins import ID_CHARS, whole
from clew.persona.transcripts import place
from clew.persona.transcripts.lines import Read, tail_start
from clew.persona.transcripts.reading import steps
from clew.persona.transcripts.reading import whole as document
from clew.persona.windows import FILE, Reading, Window, Windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.persona.home import Home
    from clew.persona.transcripts.piece import Piece

FIRST_BYTES: Final = 65_536
"""So much of a conversation that was there before is looked at."""
WHOLE_BYTES: Final = 8 << 20
"""So much of one that is new: a host may write records of its own between two words, of any size."""
_MOST: Final = 400
"""Lines that one run takes from one window; the next goes on."""
PRESENT: Final = timedelta(days=1)
"""What was said longer ago than this, before a window was first followed, is no look at the present."""
_KNOWN: Final = 600
_DOCUMENT_BYTES: Final = 64 << 20


class Synced(msgspec.Struct, frozen=True, kw_only=True):
    """What a run took."""

    status: str = "ok"
    windows: int = 0
    """Windows that were looked at."""
    lines: int = 0
    lost: int = 0
    """Bytes that made no sense."""


class _Taken(NamedTuple):
    window: str
    before: Reading
    """How far it had been read when this look began."""
    read: Reading
    pieces: list[Piece]


def sync(home: Home, *, going_on: Callable[[], bool] = lambda: True) -> Synced:
    """Take in what was said since the last time."""
    windows = home.load(FILE, Windows) or Windows()
    open_ = windows.followed()
    taken: list[_Taken] = []
    lost = 0
    for window in open_:
        if not going_on():
            break
        found, skipped = _follow(home, window)
        lost += skipped
        if found is not None:
            taken.append(found)
    lines = _write(home, taken) if taken else 0
    return Synced(windows=len(open_), lines=lines, lost=lost)


def _follow(home: Home, window: Window) -> tuple[_Taken | None, int]:
    files = home.vault.files
    found = place.find(files, window.transcript)
    if found is None:
        return None, 0
    if found.document:
        return _document(home, window, found), 0
    read = place.reader(files, found.path, found.stat.size)
    start = start_of(window.live, found, read, window.opened)
    if start is None:
        return None, 0
    pieces: list[Piece] = []
    offset, lost = start, 0
    fresh, since = not window.live.head, home.now() - PRESENT
    for step in steps(read, start):
        offset = step.line.offset + step.line.size
        lost += step.lost
        pieces += [p for p in step.pieces if _spoken(p) and not (fresh and _past(p.at, since))]
        if len(pieces) >= _MOST:
            break
    return _Taken(window.id, window.live, Reading(offset=offset, head=found.head), pieces), lost


def start_of(known: Reading, found: place.Transcript, read: Read, opened: str) -> int | None:
    """Where to read on; None when there is nothing new. A file that is another one than last time, or
    one that nobody has read, is taken up near its end, unless all of it is from after `opened`."""
    size = found.stat.size
    if known.head and known.head == found.head and known.offset <= size:
        return known.offset if known.offset < size else None
    fresh = not known.head and whole(read, opened)
    return tail_start(read, size, WHOLE_BYTES if fresh else FIRST_BYTES)


def _document(home: Home, window: Window, found: place.Transcript) -> _Taken | None:
    if found.stat.size > _DOCUMENT_BYTES:
        return None
    head = f"{found.stat.size}/{found.stat.mtime_ns}"
    if window.live.head == head:
        return None
    try:
        pieces = document(home.vault.files.read(found.path))
    except OSError:
        return None
    spoken = [piece for piece in pieces if _spoken(piece)]
    # A rewritten file has no place to go on from: what is new is behind what was counted.
    start = window.live.offset if window.live.head else max(0, len(spoken) - 10)
    if start > len(spoken):
        start = 0
    shown = spoken[start:]
    if not window.live.head:
        shown = [piece for piece in shown if not _past(piece.at, home.now() - PRESENT)]
    return _Taken(window.id, window.live, Reading(offset=len(spoken), head=head), shown)


def _past(at: str, since: datetime) -> bool:
    """Whether something was said before a moment; where nobody knows when, it was not."""
    try:
        said = datetime.fromisoformat(at)
    except ValueError:
        return False
    return (said if said.tzinfo else said.replace(tzinfo=UTC)) < since


def _spoken(piece: Piece) -> bool:
    return piece.who in ("person", "persona") and bool(piece.text.strip()) and not piece.stub


def _write(home: Home, taken: list[_Taken]) -> int:
    known = {_mark(line.window, line.ident) for line in reading.last(home, "live", Said, _KNOWN)}
    count = 0
    with home.change() as change:
        windows = change.load(FILE, Windows) or Windows()
        writer = Writer(change)
        for one in taken:
            window = windows.find(one.window)
            if window is None or window.state == "retired":
                continue
            if window.live != one.before:
                continue  # another run was first; the next goes on from there
            for piece in one.pieces:
                mark = _mark(window.id, piece.ident)
                if piece.ident and mark in known:
                    continue
                known.add(mark)
                say(writer, window.id, piece.who, piece.text, said_at=piece.at, ident=piece.ident)
                count += 1
            windows = windows.having(msgspec.structs.replace(window, live=one.read))
        change.save(FILE, windows)
    return count


def _mark(window: str, ident: str) -> tuple[str, str]:
    """What a line is known by: a copy of a window holds the records of the window that was copied."""
    return ("" if len(ident) >= ID_CHARS else window, ident)


def periodic(home: Home) -> dict[str, Any]:
    """The tool of the pulse, every two minutes."""
    done = sync(home)
    return {"windows": done.windows, "lines": done.lines}
