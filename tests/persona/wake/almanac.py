"""Every zone of tzdata and the days on which its clocks are changed; a persona that is only ticked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import IO
from zoneinfo import ZoneInfo, available_timezones
from zoneinfo._common import load_data

from clew.kernel.clock import stamp
from clew.persona.wake.decide import Decision, Host, Presence, Run, decide
from clew.persona.wake.ledger import ClockBack, Effect, Ledger, Reserved
from clew.persona.wake.rules import SELF, Entry, WakeRules
from clew.persona.wake.slots import Grid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=1)
def zones() -> tuple[str, ...]:
    """One name for each set of clock changes (many names are aliases)."""
    seen: dict[object, str] = {}
    for name in sorted(available_timezones()):
        seen.setdefault(_data(name), name)
    return tuple(seen.values())


@lru_cache(maxsize=1024)
def _data(name: str) -> tuple[object, ...]:
    with _open(name) as handle:
        _, stamps, offsets, *_rest, footer = load_data(handle)
    return (tuple(stamps), tuple(offsets), footer)


def _open(name: str) -> IO[bytes]:
    from importlib.resources import files
    from zoneinfo import TZPATH

    for folder in TZPATH:
        if (found := Path(folder) / name).is_file():
            return found.open("rb")
    return files("tzdata.zoneinfo").joinpath(name).open("rb")


def changes(name: str, since: int = 1900, until: int = 2038) -> list[datetime]:
    """The moments at which a zone's clock was or will be changed."""
    stamps = _data(name)[0]
    moments = [_EPOCH + timedelta(seconds=s) for s in stamps]  # type: ignore[attr-defined]
    return [m for m in moments if since <= m.year < until]


class Life:
    """A persona on paper: ticks at given moments, every run done at once."""

    def __init__(
        self,
        zone: tzinfo,
        rules: WakeRules | None = None,
        *,
        persona: str = "林昭",
        intents: int = 1,
        presence: Presence | None = None,
        host: Host | None = None,
    ) -> None:
        self.grid = Grid(persona, rules or WakeRules(), zone)
        self.ledger = Ledger()
        self.intents = intents
        self.presence = presence or Presence()
        self.host = host or Host()
        self.ran: list[tuple[datetime, Run]] = []

    def decide(self, entry: Entry, now: datetime) -> Decision:
        return decide(entry, now, self.grid, self.ledger, self.intents, self.presence, self.host)

    def tick(self, now: datetime, entries: Iterable[Entry] = SELF, outcome: str = "done") -> None:
        if self.ledger.went_back(now):
            self.ledger.add(ClockBack(at=stamp(now), mark=stamp(self.ledger.mark or now)))
        for entry in entries:
            found = self.decide(entry, now)
            if isinstance(found, Run):
                self.ran.append((now, found))
                self.ledger.add(self.reserve(found, now))
                self.ledger.add(
                    Effect(at=stamp(now), key=found.slot.key, outcome=outcome)  # type: ignore[arg-type]
                )
        self.ledger.seen(now)

    def reserve(self, found: Run, now: datetime) -> Reserved:
        slot = found.slot
        return Reserved(
            at=stamp(now), entry=slot.entry, date=slot.date, ordinal=slot.ordinal,
            due=stamp(slot.due), runner="outbox", deadline=stamp(now + timedelta(minutes=10)),
        )  # fmt: skip

    def of(self, entry: Entry) -> list[tuple[datetime, Run]]:
        return [(at, run) for at, run in self.ran if run.entry == entry]


def zone_of(name: str) -> ZoneInfo:
    return ZoneInfo(name)
