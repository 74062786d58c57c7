"""The wake ledger: what its lines are, and what they add up to. Pure.

`wake.jsonl` holds due times and every change of reason, not a line a minute. A run is *reserved* by a
line before it starts, so that it happens at most once; its *effect* is recorded when it is over, and a
reservation that will never have one is told as *lost*. The order of the lines is the order of events,
whatever the clock said: a line `clock_back` clamps every moment above it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from typing import Final, Literal

import msgspec
from msgspec import Struct

from clew.persona.wake.civil import civil_date, day_of, utc
from clew.persona.wake.reasons import Reason
from clew.persona.wake.rules import ENTRIES, Entry

TOLERANCE: Final = timedelta(seconds=60)
"""A clock that is corrected by less than this was not set back."""

Outcome = Literal["done", "left", "failed"]
"""`left`: a prompt was laid down for whoever comes, and nobody has done anything yet."""
State = Literal["open", "done", "left", "failed", "lost"]
HostChange = Literal["taken", "expired", "rebooted", "gone", "released", "taken_over"]


class Line(Struct, omit_defaults=True, kw_only=True, tag_field="kind"):
    """One line of the ledger."""

    at: str


class Reserved(Line, omit_defaults=True, kw_only=True, tag="reserved"):
    """A run is about to start; nobody else may start it."""

    entry: Entry
    date: str
    ordinal: int
    due: str
    runner: str
    deadline: str
    """When it is over at the latest: without an effect by then it is lost."""
    host: str = ""
    boot: str = ""
    pid: int = 0
    mail: int = 0
    """The newest note that waited for the persona."""

    def __post_init__(self) -> None:
        utc(self.due)
        utc(self.deadline)
        day_of(self.date)

    @property
    def key(self) -> str:
        return f"{self.entry}/{self.date}/{self.ordinal}"


class Effect(Line, omit_defaults=True, kw_only=True, tag="effect"):
    """What came of a run."""

    key: str
    outcome: Outcome
    tokens: int = 0
    text: str = ""
    """The beginning of what was said."""
    code: str = ""
    """Why it failed: the code of a fault."""
    detail: str = ""
    seconds: int = 0


class Lost(Line, omit_defaults=True, kw_only=True, tag="lost"):
    """A reservation whose run ended without telling: killed, or the power went."""

    key: str
    reason: Literal["owner_gone", "deadline"]


class ReasonChange(Line, omit_defaults=True, kw_only=True, tag="reason"):
    """An entry does not run, for another reason than before."""

    entry: Entry
    reason: Reason
    due: str = ""
    facts: dict[str, str | int] = {}


class ClockBack(Line, omit_defaults=True, kw_only=True, tag="clock_back"):
    """The clock was set back: `mark` had been reached already."""

    mark: str


class Slept(Line, omit_defaults=True, kw_only=True, tag="slept"):
    """Nobody looked for longer than usual; each entry decides once, for its last slot."""

    since: str


class Pausing(Line, omit_defaults=True, kw_only=True, tag="paused"):
    """Everything was stopped."""

    by: str = ""
    note: str = ""


class Resuming(Line, omit_defaults=True, kw_only=True, tag="resumed"):
    """It goes on."""

    by: str = ""


class HostLine(Line, omit_defaults=True, kw_only=True, tag="host"):
    """Another host, or another daemon, has the pulse."""

    holder: str
    change: HostChange
    before: str = ""


AnyLine = (
    Reserved | Effect | Lost | ReasonChange | ClockBack | Slept | Pausing | Resuming | HostLine
)
_DECODER: Final = msgspec.json.Decoder(AnyLine)


def decode(line: bytes) -> AnyLine:
    """One line. Raises `msgspec.DecodeError` or ValueError for what is none."""
    found: AnyLine = _DECODER.decode(line)
    utc(found.at)
    return found


class Run:
    """A reservation, and what became of it."""

    __slots__ = ("at", "detail", "line", "state", "tokens")

    def __init__(self, line: Reserved) -> None:
        self.line = line
        self.at = utc(line.at)
        """When it started; never later than a moment at which the clock was set back after it."""
        self.state: State = "open"
        self.tokens = 0
        self.detail = ""

    def counts(self) -> bool:
        """Whether it uses up one of the day's: it woke, or may have. So does a prompt that was only
        left: the cap is on waking, and without it a night would leave one at every moment. A run that
        is known to have failed does not."""
        return self.state != "failed"

    def on(self, date: str, zone: tzinfo) -> bool:
        """Whether it belongs to a date: by the calendar then, or by the calendar now (the clock or
        the zone may have been changed since)."""
        return self.line.date == date or civil_date(self.at, zone) == date


class Ledger:
    """What the lines add up to."""

    def __init__(self, lines: Iterable[AnyLine] = ()) -> None:
        self.runs: list[Run] = []
        self.by_key: dict[str, Run] = {}
        self.last: dict[str, Run] = {}
        """The last run of each entry."""
        self.reasons: dict[str, ReasonChange] = {}
        self.floor: datetime | None = None
        """Slots that were due by then belong to a time that the clock has lived through twice."""
        self.born: datetime | None = None
        """Slots that were due before the persona was there are nobody's."""
        self.mark: datetime | None = None
        """The latest moment that is known to have been."""
        for line in lines:
            self.add(line)

    def add(self, line: AnyLine) -> None:
        """Follow one more line."""
        at = utc(line.at)
        if isinstance(line, ClockBack):
            self._back_to(at)
            return
        self.seen(at)
        if isinstance(line, Reserved):
            self._begin(line)
        elif isinstance(line, Effect) and (done := self._run_of(line)) is not None:
            done.state, done.tokens, done.detail = line.outcome, line.tokens, line.code
        elif isinstance(line, Lost) and (gone := self._run_of(line)) is not None:
            # An effect that was recorded stands: it is known, and the loss was a guess.
            gone.state = "lost" if gone.state == "open" else gone.state
        elif isinstance(line, ReasonChange):
            self.reasons[line.entry] = line

    def _begin(self, line: Reserved) -> Run:
        run = Run(line)
        self.runs.append(run)
        self.by_key[line.key] = run
        self.last[line.entry] = run
        self.reasons.pop(line.entry, None)
        return run

    def _run_of(self, line: Effect | Lost) -> Run | None:
        """The run of a line. One whose reservation cannot be read any more has been all the same: it is
        not run again."""
        found = self.by_key.get(line.key)
        if found is not None:
            return found
        try:
            entry, date, ordinal = line.key.split("/")
            day_of(date)
            number = int(ordinal)
        except ValueError:
            return None
        known = next((one for one in ENTRIES if one == entry), None)
        if known is None:
            return None
        return self._begin(
            Reserved(
                at=line.at, entry=known, date=date, ordinal=number, due=line.at, runner="outbox",
                deadline=line.at,
            )
        )  # fmt: skip

    def seen(self, at: datetime) -> None:
        """It has been that late already."""
        self.mark = at if self.mark is None else max(self.mark, at)

    def _back_to(self, at: datetime) -> None:
        for run in self.runs:
            run.at = min(run.at, at)
        self.floor = self.mark = at

    def went_back(self, now: datetime) -> bool:
        """Whether the clock was set back since the last line, by more than a correction."""
        return self.mark is not None and now < self.mark - TOLERANCE

    def open(self) -> list[Run]:
        """Reservations without an effect, and not known to be lost."""
        return [run for run in self.runs if run.state == "open"]

    @property
    def mail(self) -> int:
        """The newest note that a run was already started for."""
        return max((run.line.mail for run in self.runs if run.counts()), default=0)

    def used(self, entry: str, date: str, zone: tzinfo) -> int:
        """How many of a day's runs of an entry are used up."""
        return sum(
            run.line.entry == entry and run.counts() and run.on(date, zone) for run in self.runs
        )

    def spent(self, date: str, zone: tzinfo) -> tuple[int, int]:
        """Runs and tokens that a date has cost: every run that was given to a program or a model,
        failed ones too."""
        costly = [r for r in self.runs if r.line.runner != "outbox" and r.on(date, zone)]
        return len(costly), sum(run.tokens for run in costly)
