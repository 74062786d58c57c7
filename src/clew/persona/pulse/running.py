"""Staying resident: tick, sleep until something is due, tick again.

Wall time is polled (a timer on the monotonic clock sleeps while the machine does), so that after a
night asleep the first look decides once. The pulse is given back on leaving; a daemon that is killed
loses it when its beats are missed.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from clew.kernel.clock import stamp
from clew.kernel.errors import ClewError, Locked, StorageFailed, storage_failed
from clew.kernel.faults import Fault
from clew.persona.pulse import lease, pausing, periodic
from clew.persona.pulse.lease import BEAT, EXPIRY
from clew.persona.pulse.outcome import Meanwhile
from clew.persona.pulse.tick import Ticked, tick
from clew.persona.pulse.view import LOOKS, Means, looks_of, survey
from clew.persona.wake.rules import SELF

if TYPE_CHECKING:
    from clew.persona.home import Home

POLL: Final = 30.0
"""Longest sleep, in seconds: an edited intent or a note is seen within it."""
_STEP: Final = 0.5
_TROUBLES: Final = 20


class Ran(Struct, frozen=True, kw_only=True):
    """A stay, when it is over."""

    status: str = "ok"
    persona: str
    since: str
    until: str
    ticks: int
    wakes: int
    failed: int
    lost: int
    tools: int
    troubles: list[dict[str, Any]] = []
    """What went wrong on the way, the last of each code."""


class Resident:
    """A daemon of one persona."""

    def __init__(
        self,
        home: Home,
        means: Means,
        *,
        standby: bool = False,
        seconds: float | None = None,
        sleep: Callable[[float], None] = time.sleep,
        tell: Callable[[str], None] = lambda what: None,
    ) -> None:
        self.home = home
        self.leaving = threading.Event()
        self.means = means._replace(meanwhile=meanwhile(home, means, self.leaving.is_set))
        self.standby = standby
        self.seconds = seconds
        self._sleep = sleep
        self._tell = tell
        self._ticks = self._wakes = self._failed = self._lost = self._tools = 0
        self._troubles: dict[str, dict[str, Any]] = {}

    def run(self) -> Ran:
        """Stay until asked to leave. Raises `Locked` (`pulse_held`) where somebody else has the
        pulse and nobody said to stand by."""
        since = self.home.now()
        until = None if self.seconds is None else time.monotonic() + self.seconds
        try:
            while not self.leaving.is_set():
                self._look(first=not self._ticks)
                if until is not None and time.monotonic() >= until:
                    break
                self._rest(until)
        finally:
            with suppress(ClewError), self.home.change() as change:
                lease.release(change, self.means.owner)
        return Ran(
            persona=self.home.settings.name, since=stamp(since), until=stamp(self.home.now()),
            ticks=self._ticks, wakes=self._wakes, failed=self._failed, lost=self._lost,
            tools=self._tools, troubles=list(self._troubles.values()),
        )  # fmt: skip

    def _look(self, *, first: bool) -> None:
        try:
            self.home.read_settings()
            found = tick(self.home, self.means)
        except (ClewError, OSError) as error:
            # A broken edit, a busy lock, a full disk: told, and looked at again. Never the end.
            if first and not self.standby:
                raise
            known = error if isinstance(error, ClewError) else storage_failed(error, self.home.root)
            self._trouble(known.faults[0])
            return
        if not found.holds and first and not self.standby:
            raise held_by(self.home, found)
        self.means = self.means._replace(take_over=False)
        self._count(found)

    def _count(self, found: Ticked) -> None:
        self._ticks += 1
        self._lost += len(found.lost)
        self._tools += len(found.tools)
        for decided in found.decisions:
            if decided.decision == "run" and decided.wake:
                self._wakes += 1
                self._failed += decided.outcome == "failed"
                self._tell(f"{found.local} {decided.entry}: {decided.outcome} {decided.code}")
        for one in found.tools:
            if one.outcome == "failed":
                self._troubles[one.code] = {
                    "code": one.code,
                    "tool": one.tool,
                    "message": one.detail,
                }

    def _trouble(self, fault: Fault) -> None:
        if len(self._troubles) < _TROUBLES or fault.code in self._troubles:
            self._troubles[fault.code] = fault.to_dict(self.means.lang)
        self._tell(fault.message(self.means.lang))

    def _rest(self, until: float | None) -> None:
        """Sleep until something is due, in short steps: leaving is noticed, and so is the clock."""
        awake = self.home.now()
        due = self._next_due()
        end = time.monotonic() + POLL
        while not self.leaving.is_set():
            now = time.monotonic()
            if now >= end or (until is not None and now >= until):
                return
            moment = self.home.now()
            if moment < awake or (due is not None and moment >= due):
                return
            self._sleep(_STEP)

    def _next_due(self) -> datetime | None:
        try:
            view = survey(self.home, self.means)
        except ClewError:
            return None
        now = self.home.now()
        slots = (next(view.grid.coming(entry, now, 2), None) for entry in SELF)
        found = [slot.due for slot in slots if slot is not None]
        found += [periodic.next_of(tool, view.looks, now) for tool in periodic.TOOLS]
        ahead = [moment for moment in found if moment > now]
        return min(ahead) if ahead else None


def meanwhile(home: Home, means: Means, leaving: Callable[[], bool] = lambda: False) -> Meanwhile:
    """What goes on while a runner waits: the heart beats, periodic tools run, and a pause or the
    wish to leave ends the run."""
    beats = _Beats(home, means)
    return Meanwhile(beats.beat, lambda: leaving() or beats.paused())


class _Beats:
    def __init__(self, home: Home, means: Means) -> None:
        self._home, self._means = home, means
        self._next = time.monotonic() + BEAT.total_seconds() / 2
        self._asked = 0.0
        self._stopped = False

    def beat(self) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + BEAT.total_seconds() / 2
        try:
            with self._home.change() as change:
                held = lease.hold(change, self._means.owner, beat=True)
                tools = []
                if held.ours:
                    looks = looks_of(change.read(LOOKS))
                    tools = periodic.claim(change, looks, change.clock_now)
            # The tools ask nobody whether to stop here: they are short, and the run goes on.
            periodic.run(self._home, self._means._replace(meanwhile=Meanwhile()), tools)
        except (Locked, StorageFailed):
            return  # somebody is writing, or the disk is full: no reason to end a run; the next is near

    def paused(self) -> bool:
        if time.monotonic() - self._asked >= 1.0:
            self._asked = time.monotonic()
            try:
                self._stopped = pausing.state(self._home).paused
            except Locked:
                return self._stopped
        return self._stopped


def held_by(home: Home, found: Ticked) -> Locked:
    """The refusal of a second daemon."""
    held = home.load(lease.LEASE, lease.Lease)
    beat = held.beat_at if held is not None else ""
    limit = round(EXPIRY.total_seconds())
    return Locked(Fault("pulse_held", owner=found.holder, found=beat, limit=limit))


@contextmanager
def leaves_when_asked(resident: Resident) -> Iterator[None]:
    """Let the signals that ask a process to end set `leaving`, so that a run is ended and recorded
    and the pulse given back. A second one ends at once."""

    def ask(number: int, frame: FrameType | None) -> None:
        if resident.leaving.is_set():
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        resident.leaving.set()

    known = [n for n in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, n)]
    before = {name: signal.signal(getattr(signal, name), ask) for name in known}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)
