"""How a persona is, at a glance: who, when, state, layers, what runs and what does not.

Never a secret: no key, no address, no command, only which kind is set and whether it is trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from clew.kernel.errors import ClewError
from clew.kernel.faults import Fault
from clew.kernel.operations import Host
from clew.kernel.vault import Reader
from clew.persona import diary, refusals, voice
from clew.persona.decoding import decoded, needed, text_of
from clew.persona.glance import Glance, glance
from clew.persona.home import Home
from clew.persona.keeping import StateNow, state_of
from clew.persona.model import (
    LISTS,
    PROBES,
    REFUSALS,
    SETTINGS,
    VITALS,
    VOICE,
    Lists,
    Vitals,
)

if TYPE_CHECKING:
    from clew.persona.pulse.view import Means


class Layers(msgspec.Struct, frozen=True, kw_only=True):
    """The five layers in numbers."""

    refusals: int
    refusals_broken: bool
    """They cannot be read, so nothing wakes."""
    refusal_today: str
    open_intents: int
    thoughts: int
    hanging: int
    diary_days: int
    last_diary: str
    samples: int


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """One persona."""

    status: str = "ok"
    id: str
    name: str
    home: str
    host: str
    zone: str
    local_time: str
    state: StateNow
    layers: Layers
    glance: Glance
    """What waits, and what comes."""
    memory: str
    """`words`, or `words+vectors` where an embedder is there and may be used."""
    memory_why: str
    vectors: int
    runner: str
    paused: bool
    """Nothing wakes until `clew persona resume`; also where that cannot be read."""
    trusted: bool
    """Whether what `persona.toml` names outside may be used; true where it names nothing."""
    events: int
    faults: list[dict[str, Any]] = []
    """What could not be read; `clew persona check` tells more."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A persona in the list of a library."""

    id: str
    name: str
    home: str
    zone: str
    mood: float | None
    open_intents: int | None
    fault: str = ""


class Statuses(msgspec.Struct, frozen=True, kw_only=True):
    """Every persona of a library."""

    status: str = "ok"
    personas: list[Known]


def status(home: Home, host: Host, means: Means) -> Status:
    """How a persona is now. Raises `Missing`, `Corrupt`, `NewerSchema` for its state; layers that
    cannot be read are told in `faults`."""
    from clew.persona.memory import vectors
    from clew.persona.pulse import pausing

    moment = home.now()
    found: list[Fault] = []

    def look(reader: Reader) -> tuple[Vitals, Lists, Layers]:
        vitals = needed(decoded(reader.read(VITALS), Vitals, VITALS), VITALS)
        lists = needed(decoded(reader.read(LISTS), Lists, LISTS), LISTS)
        return vitals, lists, _layers(home, reader, lists, found)

    vitals, lists, layers = home.look(look)
    settings = home.settings
    outside = settings.names_outside()
    trusted = not outside or host.trusted(home.root, (SETTINGS,))
    count, why = vectors.standing(home, trusted=trusted)
    events = home.read_events(last=1)
    try:
        paused = pausing.state(home).paused
    except ClewError as error:
        found += error.faults
        paused = True
    return Status(
        id=settings.id, name=settings.name, home=home.root, host=settings.host,
        zone=settings.zone, local_time=moment.astimezone(home.zone).isoformat(timespec="minutes"),
        state=state_of(home, vitals, lists, moment, host.lang), layers=layers,
        glance=glance(home, lists, means, found),
        memory="words" if count is None else "words+vectors", vectors=count or 0,
        memory_why=why.zh if host.lang == "zh" else why.en, runner=settings.runner.kind,
        paused=paused, trusted=trusted, events=events[-1].n if events else 0,
        faults=[fault.to_dict(host.lang) for fault in found],
    )  # fmt: skip


def _layers(home: Home, reader: Reader, lists: Lists, found: list[Fault]) -> Layers:
    known: list[refusals.Refusal] = []
    today, samples, broken = "", 0, False
    try:
        known = refusals.of_bytes(reader.read(REFUSALS))
        probes = refusals.probes_in(reader.read(PROBES), home)
        one = refusals.of_day(known, probes, home.today(), home.settings.id)
        today = one.text if one is not None else ""
    except ClewError as error:
        broken = not known
        found += error.faults
    try:
        samples = len(voice.parse(text_of(reader.read(VOICE), VOICE)))
    except ClewError as error:
        found += error.faults
    days = diary.dates(reader)
    return Layers(
        refusals=len(known), refusals_broken=broken, refusal_today=today,
        open_intents=len(lists.open_intents()),
        thoughts=len(lists.open_thoughts()),
        hanging=len(lists.open_hanging()), diary_days=len(days),
        last_diary=days[-1] if days else "", samples=samples,
    )  # fmt: skip


def everyone(homes: list[str], host: Host) -> Statuses:
    """The personas of a library; one that cannot be read is told as that."""
    return Statuses(personas=[_known(folder, host) for folder in homes])


def _known(folder: str, host: Host) -> Known:
    home = Home(folder, clock=host.clock, lock_timeout=host.lock_timeout)
    ident = folder.rpartition("/")[2]
    try:
        settings = home.read_settings()
        lists = home.read_lists()
        now = state_of(home, home.read_vitals(), lists, home.now(), host.lang)
    except ClewError as error:
        return Known(
            id=ident, name="", home=folder, zone="", mood=None, open_intents=None,
            fault=error.faults[0].message(host.lang),
        )  # fmt: skip
    return Known(
        id=settings.id, name=settings.name, home=folder, zone=settings.zone, mood=now.mood,
        open_intents=now.open_intents,
    )  # fmt: skip
