"""What a person wants to see of a persona first: what it means to do, what waits for an answer, what it
handed over, when it wakes and why not, and what goes wrong.

Reads only. What cannot be read is told as faults; the rest is there all the same. No key, no address
and no command of `persona.toml` is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from clew.kernel.errors import ClewError
from clew.persona.channels import reading
from clew.persona.channels.lines import Baton, Note, Thinking
from clew.persona.intents import by_due
from clew.persona.model import Hanging, Intent, Lists
from clew.persona.pulse.coming import Next
from clew.persona.windows import FILE, Windows

if TYPE_CHECKING:
    from clew.kernel.faults import Fault
    from clew.persona.home import Home
    from clew.persona.pulse.view import Means

_LISTED: Final = 5
_NOTES: Final = 200
"""How far back a task on the board is looked for that nobody has answered."""


class Glance(msgspec.Struct, frozen=True, kw_only=True):
    """What waits, and what comes."""

    intents: list[Intent] = []
    """Open ones, the first few: those with a date first."""
    hanging: list[Hanging] = []
    unread: int = 0
    """Notes on the board that the persona has not read."""
    unanswered: int = 0
    """Tasks handed to it that no note answers."""
    notes: list[Note] = []
    """The first few of both, oldest first."""
    handed: list[reading.Handed] = []
    """What was left for one window alone, and that window has not read."""
    baton: Baton | None = None
    mind: Thinking | None = None
    """The last line of the stream."""
    windows: int = 0
    """Windows in use: those that nobody retired. One that ended may be resumed."""
    ended: int = 0
    """How many of them their host has ended."""
    long: list[str] = []
    """Windows that have become too long."""
    pulse: Next | None = None
    """When each entry comes or why it does not, who has the pulse, which tool failed last; absent where
    that cannot be read."""
    lost: int = 0
    """Wakes of today that were lost."""


def glance(home: Home, lists: Lists, means: Means, found: list[Fault]) -> Glance:
    """Look. What could not be read is added to `found`."""
    out = Glance(
        intents=by_due(lists.open_intents())[:_LISTED],
        hanging=by_due(lists.open_hanging())[:_LISTED],
    )
    for look in (_board, _said, _windows):
        try:
            out = look(home, out)
        except ClewError as error:
            found += error.faults
    try:
        return _pulse(home, means, out)
    except ClewError as error:
        found += [fault for fault in error.faults if fault.code not in {one.code for one in found}]
        return out


def _board(home: Home, out: Glance) -> Glance:
    unread = reading.unread(home)
    notes = reading.last(home, "board", Note, _NOTES)
    answered = {note.re for note in notes}
    tasks = [
        note for note in notes
        if note.task and note.to in ("", reading.PERSONA) and note.by != reading.PERSONA
        and note.n not in answered
    ]  # fmt: skip
    shown = {note.n: note for note in [*tasks, *unread]}
    return msgspec.structs.replace(
        out, unread=len(unread), unanswered=len(tasks),
        notes=[shown[number] for number in sorted(shown)][:_LISTED],
    )  # fmt: skip


def _said(home: Home, out: Glance) -> Glance:
    mind = reading.last(home, "stream", Thinking, 1)
    return msgspec.structs.replace(out, baton=reading.baton(home), mind=mind[0] if mind else None)


def _windows(home: Home, out: Glance) -> Glance:
    windows = (home.load(FILE, Windows) or Windows()).windows
    used = [one for one in windows if one.state != "retired"]
    return msgspec.structs.replace(
        out, windows=len(used), ended=sum(bool(one.ended) for one in used),
        long=[one.id for one in used if one.light == "red" and not one.ended],
        handed=reading.handed(home),
    )  # fmt: skip


def _pulse(home: Home, means: Means, out: Glance) -> Glance:
    from clew.persona.pulse.coming import coming
    from clew.persona.pulse.story import tell

    out = msgspec.structs.replace(out, pulse=coming(home, means))
    lost = tell(home, date=home.today(), last=0, lang=means.lang).counts.get("lost", 0)
    return msgspec.structs.replace(out, lost=lost)
