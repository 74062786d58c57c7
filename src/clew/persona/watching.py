"""The guards at work: they look at the windows' transcripts, tell what they found and rescue.

`answer_guard` and `context_guard` judge and know no file; here the files are read, from where the
last look ended, and what was found is written down. A transcript is never edited.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from clew.kernel.errors import Missing
from clew.kernel.faults import Fault
from clew.persona import answer_guard, context_guard, marks, turning
from clew.persona.answer_guard import RESCUED, Verdict
from clew.persona.channels.digest import language
from clew.persona.channels.live import start_of
from clew.persona.channels.writing import Writer, say
from clew.persona.context_guard import ContextLimits, Measure, Measuring
from clew.persona.origins import ID_CHARS
from clew.persona.transcripts import place
from clew.persona.transcripts.lines import tail_start
from clew.persona.transcripts.reading import steps, whole
from clew.persona.transcripts.turns import Turn, Turns
from clew.persona.windows import FILE, Reading, Window, Windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.persona.home import Change, Home

REST_SECONDS: Final = 60
"""A turn counts as ended when its file has not changed for so long: a hook may fire before the last
message is written, and the harness may be about to ask again."""
LAST_BYTES: Final = 1 << 20
"""Where a last turn is looked for."""
_DOCUMENT_BYTES: Final = 64 << 20
_REMEMBERED: Final = 50


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that ended without its answer."""

    window: str
    kind: str
    """See `clew.persona.answer_guard`."""
    at: str = ""
    ident: str = ""
    words: str = ""
    """What was brought back."""


class Guarded(msgspec.Struct, frozen=True, kw_only=True):
    """What the guard found since its last look."""

    status: str = "ok"
    windows: int = 0
    turns: int = 0
    """Turns that were judged."""
    lost: list[Lost] = []
    zone: str
    """The persona's: moments are in UTC, people read them in it."""


class _Seen(NamedTuple):
    window: str
    read: Reading
    turns: int
    lost: list[Verdict]


def guard(home: Home, *, going_on: Callable[[], bool] = lambda: True) -> Guarded:
    """Judge every turn that ended since the last look; bring back what can be brought back."""
    windows = home.load(FILE, Windows) or Windows()
    open_ = windows.followed()
    seen: list[_Seen] = []
    for window in open_:
        if not going_on():
            break
        found = _look(home, window)
        if found is not None:
            seen.append(found)
    lost: list[Lost] = []
    if seen:
        with home.change() as change:
            for one in seen:
                lost += keep(change, one.window, one.lost, read=one.read)
    _tell(home, lost)
    return Guarded(
        windows=len(open_), turns=sum(one.turns for one in seen), lost=lost, zone=home.settings.zone
    )


def _tell(home: Home, lost: list[Lost]) -> None:
    """The window itself is told at its next turn: nobody else can say what was left unsaid."""
    lang = language(home.settings.name)
    for one in lost:
        with suppress(OSError):  # the event and the live channel have it
            marks.tell(home.root, one.window, turning.brought_back(one.kind, one.words, lang))


def _look(home: Home, window: Window) -> _Seen | None:
    files = home.vault.files
    found = place.find(files, window.transcript)
    if found is None or found.document:
        return None
    read = place.reader(files, found.path, found.stat.size)
    start = start_of(window.guard, found, read, window.opened)
    if start is None:
        return None
    turns, ended = Turns(), []
    began = end = start
    """Where the turn that is not over yet begins: the next look judges it as a whole."""
    for step in steps(read, start):
        for piece in step.pieces:
            over = turns.take(piece)
            if over is not None:
                ended.append(over)
                began = step.line.offset
        end = step.line.offset + step.line.size
    rest = (time.time_ns() - found.stat.mtime_ns) / 1e9 >= REST_SECONDS
    if rest:
        ended.append(turns.present)
        began = end
    verdicts = [answer_guard.judge(turn) for turn in ended if turn.last is not None]
    lost = [verdict for verdict in verdicts if verdict.lost]
    return _Seen(window.id, Reading(offset=began, head=found.head), len(verdicts), lost)


def keep(
    change: Change, ident: str, verdicts: list[Verdict], *, read: Reading | None = None
) -> list[Lost]:
    """Write down what was found in a window: an event each, and the words, where there are some, in
    the live channel. What was told before is not told again. Returns what is new."""
    windows = change.load(FILE, Windows) or Windows()
    window = windows.find(ident)
    if window is None:
        return []
    writer, told, out = Writer(change), list(window.rescued), []
    # A copy of a window holds the turns of the window that was copied.
    elsewhere = {one for other in windows.windows for one in other.rescued if len(one) >= ID_CHARS}
    for verdict in verdicts:
        mark = verdict.ident or verdict.at
        if mark and (mark in told or mark in elsewhere):
            continue
        told.append(mark)
        saved = verdict.words if verdict.kind in RESCUED else ""
        change.event("answer_lost", window=ident, shape=verdict.kind, ident=verdict.ident,
                     chars=len(saved))  # fmt: skip
        if saved:
            say(
                writer,
                ident,
                "persona",
                saved,
                said_at=verdict.at,
                ident=verdict.ident,
                salvaged=True,
            )
        out.append(
            Lost(window=ident, kind=verdict.kind, at=verdict.at, ident=verdict.ident, words=saved)
        )
    after = msgspec.structs.replace(window, rescued=told[-_REMEMBERED:])
    if read is not None:
        after = msgspec.structs.replace(after, guard=read)
    if after != window:
        change.save(FILE, windows.having(after))
    return out


def last_turn(home: Home, path: str) -> Turn | None:
    """The last turn of a transcript, from its end."""
    files = home.vault.files
    found = place.find(files, path)
    if found is None:
        return None
    turns = Turns()
    if found.document:
        if found.stat.size > _DOCUMENT_BYTES:
            return None
        read = place.reader(files, path)
        for piece in whole(read(0, found.stat.size)):
            turns.take(piece)
    else:
        read = place.reader(files, path, found.stat.size)
        for step in steps(read, tail_start(read, found.stat.size, LAST_BYTES)):
            for piece in step.pieces:
                turns.take(piece)
    return turns.present


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """How long the windows have become."""

    status: str = "ok"
    light: str = "green"
    """The worst of them."""
    windows: list[Measure] = []


def context(
    home: Home,
    limits: ContextLimits,
    *,
    window: str = "",
    going_on: Callable[[], bool] = lambda: True,
) -> Watched:
    """Measure the windows (or one of them) that are in use. Reads each transcript as a stream."""
    register_ = home.load(FILE, Windows) or Windows()
    measures = []
    for one in register_.followed():
        if window not in ("", one.id):
            continue
        found = place.find(home.vault.files, one.transcript)
        if found is None or found.document:
            continue
        counting, partial = Measuring(), False
        for step in steps(place.reader(home.vault.files, found.path, found.stat.size)):
            counting.take(step)
            if not going_on():
                partial = True
                break
        measures.append(counting.measure(limits, window=one.id, partial=partial))
    worst = max((context_guard.rank(one.light) for one in measures), default=0)
    return Watched(light=context_guard.LIGHTS[worst], windows=measures)


def known(home: Home, ident: str) -> None:
    """Raises `Missing` (`no_window`) for a window that is not in the register."""
    if (home.load(FILE, Windows) or Windows()).find(ident) is None:
        raise Missing(Fault("no_window", name=ident))


def measure(home: Home, path: str, limits: ContextLimits) -> Watched:
    """Measure one transcript. Raises `Missing` (`missing_file`)."""
    found = place.find(home.vault.files, path)
    if found is None:
        raise Missing(Fault("missing_file", file=path))
    one = context_guard.measured(
        steps(place.reader(home.vault.files, found.path, found.stat.size)), limits
    )
    return Watched(light=one.light, windows=[one])


def limits_of(home: Home) -> ContextLimits:
    """From where on a window of this persona is long."""
    return home.settings.context


def guard_periodic(home: Home) -> dict[str, Any]:
    """The answer guard as a tool of the pulse, every two minutes."""
    done = guard(home)
    return {"turns": done.turns, "lost": len(done.lost)}


def context_periodic(home: Home) -> dict[str, Any]:
    """The context guard as a tool of the pulse, every half hour. A light that changed is an event."""
    done = context(home, limits_of(home))
    with home.change() as change:
        windows = change.load(FILE, Windows) or Windows()
        before = windows
        for one in done.windows:
            window = windows.find(one.window)
            if window is not None and window.light != one.light:
                windows = windows.having(msgspec.structs.replace(window, light=one.light))
                change.event(
                    "context_light", window=one.window, light=one.light, turns=one.turns,
                    bytes=one.bytes, reasons=one.reasons,
                )  # fmt: skip
        if windows != before:
            change.save(FILE, windows)
    return {"light": done.light, "windows": len(done.windows)}
