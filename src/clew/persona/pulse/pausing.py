"""Stopping everything at once, and going on: `pulse.json`.

While a persona is paused nothing wakes and no periodic tool runs; a program that a wake started is
ended. A person's own turn goes on as ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import Struct

from clew.kernel.clock import stamp
from clew.persona.pulse.ledgerfile import WAKE
from clew.persona.wake.ledger import Pausing, Resuming

if TYPE_CHECKING:
    from clew.persona.home import Home

PULSE: Final = "pulse.json"


class Pulse(Struct, omit_defaults=True, kw_only=True):
    """`pulse.json`."""

    schema_version: Literal[1] = 1
    paused: bool = False
    since: str = ""
    by: str = ""
    note: str = ""


class Paused(Struct, frozen=True, kw_only=True):
    """Whether everything stands still."""

    status: str = "ok"
    paused: bool
    changed: bool = False
    since: str = ""
    by: str = ""
    note: str = ""


def state(home: Home) -> Paused:
    """Whether the persona is paused. A document that cannot be read stops everything: raises
    `Corrupt` or `NewerSchema`."""
    found = home.load(PULSE, Pulse) or Pulse()
    return Paused(paused=found.paused, since=found.since, by=found.by, note=found.note)


def pause(home: Home, *, by: str = "", note: str = "") -> Paused:
    """Stop everything at once. Pausing twice changes nothing."""
    with home.change() as change:
        found = change.load(PULSE, Pulse) or Pulse()
        if found.paused:
            return Paused(paused=True, since=found.since, by=found.by, note=found.note)
        at = stamp(change.clock_now)
        change.save(PULSE, Pulse(paused=True, since=at, by=by, note=note))
        change.append(WAKE, Pausing(at=at, by=by, note=note))
        change.event("paused", by=by, note=note)
        return Paused(paused=True, changed=True, since=at, by=by, note=note)


def resume(home: Home, *, by: str = "") -> Paused:
    """Go on. What was due meanwhile is decided once, for its last moment."""
    with home.change() as change:
        found = change.load(PULSE, Pulse) or Pulse()
        if not found.paused:
            return Paused(paused=False)
        change.save(PULSE, msgspec.structs.replace(found, paused=False, since="", by="", note=""))
        change.append(WAKE, Resuming(at=stamp(change.clock_now), by=by))
        change.event("resumed", by=by)
        return Paused(paused=False, changed=True)
