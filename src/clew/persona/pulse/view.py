"""What a decision is made from, read from the home: rules, ledger, intents, presence, host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from clew.kernel.faults import Fault, register_later
from clew.persona import refusals
from clew.persona.decoding import decoded, instant
from clew.persona.model import LISTS, PRIVATE, REFUSALS, SETTINGS, VITALS, Lists, Vitals, moments
from clew.persona.pulse.ledgerfile import WAKE, recent
from clew.persona.pulse.outcome import Meanwhile
from clew.persona.pulse.pausing import PULSE, Pulse
from clew.persona.wake.decide import Host, Presence
from clew.persona.wake.ledger import Ledger
from clew.persona.wake.slots import Grid

if TYPE_CHECKING:
    from clew.persona.home import Home
    from clew.persona.pulse.lease import Owner

LOOKS: Final = f"{PRIVATE}/looks.json"
"""When this machine last looked, and which periodic tool ran when: not the home's truth."""
Read = Callable[[str], bytes | None]
T = TypeVar("T")

register_later("clew.kernel.trust")  # where `not_trusted` is


class Looks(Struct, omit_defaults=True, kw_only=True):
    """`.clew/looks.json`: losing it costs nothing but one early run of each tool."""

    schema_version: Literal[1] = 1
    at: str = ""
    tools: dict[str, str] = {}
    """When each periodic tool last began."""
    failed: dict[str, str] = {}
    """The code of the last failure of a tool that failed."""

    def __post_init__(self) -> None:
        moments(self.at, *self.tools.values())


class Means(NamedTuple):
    """What a face lends to the pulse."""

    owner: Owner
    trusted: Callable[[str, tuple[str, ...]], bool]
    lang: str = "en"
    meanwhile: Meanwhile = Meanwhile()
    take_over: bool = False


class View(NamedTuple):
    """Everything that a decision looks at, of one moment."""

    grid: Grid
    ledger: Ledger
    intents: int
    presence: Presence
    host: Host
    lists: Lists
    looks: Looks
    refusals: Sequence[str]
    """What it does not do: nothing wakes without its limits."""


def view_of(
    home: Home,
    means: Means,
    read: Read,
    now: datetime,
    *,
    mail: int,
    holds: bool = True,
    holder: str = "",
) -> View:
    """Read a view. Raises `Corrupt`, `NewerSchema` for documents that cannot be read: what nobody
    can read decides nothing. So do refusals that are missing or cannot be read (`Missing`,
    `Refused`): one that wakes without its limits would be somebody else."""
    limits = [one.text for one in refusals.of_bytes(read(REFUSALS))]
    settings = home.settings
    runner = settings.runner
    looks = looks_of(read(LOOKS))
    ledger = recent(read(WAKE), now, home.notes)
    if looks.at:
        ledger.seen(instant(looks.at))
    vitals = _document(read(VITALS), Vitals, VITALS)
    lists = _document(read(LISTS), Lists, LISTS) or Lists()
    pulse = _document(read(PULSE), Pulse, PULSE) or Pulse()
    word = vitals.last_word_at if vitals is not None else ""
    born = instant(vitals.born_at) if vitals is not None else now
    ledger.born = born if born <= now else None  # born by a clock that has been put right since
    costly = runner.kind != "outbox"
    host = Host(
        holds=holds, holder=holder, paused=pulse.paused, runner=runner.kind,
        trusted=not costly or means.trusted(home.root, (SETTINGS,)),
        runs_per_day=runner.runs_per_day, tokens_per_day=runner.tokens_per_day,
    )  # fmt: skip
    return View(
        Grid(settings.id, settings.wake, home.zone), ledger, len(lists.open_intents()),
        Presence(instant(word) if word else None, mail), host, lists, looks, limits,
    )  # fmt: skip


def mail_of(home: Home) -> int:
    """The number of the newest note that waits for the persona; 0 where none does."""
    from clew.persona.channels import reading

    return max((note.n for note in reading.unread(home)), default=0)


def survey(home: Home, means: Means, *, holds: bool = True, holder: str = "") -> View:
    """A view without a lock, for telling what comes."""
    mail = mail_of(home)
    return home.look(
        lambda reader: view_of(
            home, means, reader.read, home.now(), mail=mail, holds=holds, holder=holder
        )
    )


def _document(data: bytes | None, kind: type[T], path: str) -> T | None:
    return None if data is None else decoded(data, kind, path)


def looks_of(data: bytes | None) -> Looks:
    """`.clew/looks.json`; one that cannot be read is made again by the next look."""
    try:
        return msgspec.json.decode(data or b"{}", type=Looks)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Looks()


def not_run(home: Home, means: Means) -> Fault | None:
    """What the home names and nobody may run, as a note; None where all is well."""
    if home.settings.runner.kind == "outbox" or means.trusted(home.root, (SETTINGS,)):
        return None
    return Fault("not_trusted", file=home.root)
