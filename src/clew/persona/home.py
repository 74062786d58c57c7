"""The home of a persona: one folder, one scope, one lock; every change is one transaction.

    home = open_home(find_home("林昭", library="~/clew"))  # clew.persona.finding
    with home.change() as change:                 # locked, recovered, all or nothing
        vitals = change.load(VITALS, Vitals)
        change.event("words", window="w1", words=12)
        change.append("channels/board.jsonl", {"at": change.at, "text": "…"})
        change.save(VITALS, vitals)

Documents, texts and log lines of one `change` become visible together, or none of them does.
Touches files through the vault only. Rules: persona seed section 1; docs/persona.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from clew.kernel import document, log
from clew.kernel.clock import Clock, stamp, system_clock
from clew.kernel.errors import (
    ClewError,
    Corrupt,
    Missing,
    NewerSchema,
    Refused,
    StorageFailed,
)
from clew.kernel.faults import Fault, register_later
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.kernel.vault import Reader, Transaction
from clew.persona import closing
from clew.persona import ends as ends_of
from clew.persona import settings as settings_of
from clew.persona.ahead import is_ahead
from clew.persona.decoding import decoded, decoded_lines, instant, needed, text_of
from clew.persona.model import (
    EVENTS,
    LISTS,
    LOGS,
    SCOPE,
    SETTINGS,
    VITALS,
    Event,
    Lists,
    Vitals,
)

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

T = TypeVar("T")
UNWRITABLE: Final = ("read_only_disk", "permission_denied", "disk_full")
"""Of a disk on which nothing can be written, and everything can be read all the same."""

register_later("clew.persona.codes")


class Change:
    """One transaction on a home. What it wrote is what it reads."""

    def __init__(self, home: Home, tx: Transaction) -> None:
        self.home = home
        self.tx = tx
        self.clock_now = home.clock()
        """What the machine's clock says; for what must not wait when the clock was set back."""
        self._pending: dict[str, bytes | None] = {}
        self.added: dict[str, list[ends_of.Added]] = {}
        """The lines that this change appends."""
        self._ends: ends_of.Ends | None = None
        self._last: Event | None = None
        self._looked = False
        self._righted = False

    # ---- time ----------------------------------------------------------------------------------

    @property
    def moment(self) -> datetime:
        """Now, in UTC; not before what was written last, unless that was by a clock that was ahead."""
        last = self.last_event()
        if last is None or is_ahead(last.at, self.clock_now):
            return self.clock_now
        return max(self.clock_now, instant(last.at))

    @property
    def at(self) -> str:
        """`moment` as documents and logs write it."""
        return stamp(self.moment)

    @property
    def date(self) -> str:
        """The civil date of `moment` in the persona's zone."""
        return self.home.civil(self.moment)

    # ---- documents and texts -------------------------------------------------------------------

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, with what this change wrote; None where there is none."""
        return self._pending[path] if path in self._pending else self.tx.read(path)

    def names(self, folder: str) -> list[str]:
        """Names in a folder, as they were before this change."""
        return self.tx.names(folder)

    def tail(self, path: str) -> log.Tail:
        """The last whole line of a log, as it was before this change."""
        return self.tx.tail(path)

    def load(self, path: str, kind: type[T]) -> T | None:
        """A document, or None where there is none. Raises `Corrupt`, `NewerSchema`: a document that
        cannot be read is never taken for one that is not there."""
        return decoded(self.read(path), kind, path)

    def save(self, path: str, value: Any) -> None:
        """Write a document; one that has a `revision` is counted on."""
        if hasattr(value, "revision"):
            value = msgspec.structs.replace(value, revision=value.revision + 1)
        self.write(path, document.encode(value))

    def write(self, path: str, data: bytes) -> None:
        """Write a file that people read and edit, too, or one that is no document."""
        self._pending[path] = data
        self.tx.write(path, data, truth=True)

    def view(self, path: str, data: bytes) -> None:
        """Write a text that can be rendered again at any time."""
        self._pending[path] = data
        self.tx.write(path, data)

    def remove(self, path: str) -> None:
        """Take a file away."""
        self._pending[path] = None
        self.tx.remove(path, truth=True)

    # ---- logs ----------------------------------------------------------------------------------

    def append(self, path: str, line: Any) -> None:
        """Add a line (a struct or a map) to a log."""
        data = document.encode_line(line)
        self.added.setdefault(path, []).append(ends_of.Added(data, getattr(line, "n", 0)))
        self.tx.append(path, data)

    def event(self, kind: str, *, window: str = "", **facts: Any) -> Event:
        """Add a line to `events.jsonl`. A clock that was put back is told once, on a line above."""
        self.right_clock()
        return self.add_event(kind, window, facts)

    def add_event(self, kind: str, window: str, facts: dict[str, Any]) -> Event:
        """Add a line to `events.jsonl` as it is."""
        last = self.last_event()
        number = max(last.n if last is not None else 0, self.ends.number(EVENTS)) + 1
        event = Event(
            n=number, at=self.at, date=self.date, kind=kind, window=window, facts=facts
        )  # fmt: skip
        self.append(EVENTS, event)
        self._last = event
        return event

    def right_clock(self) -> None:
        """Begin to count from the present where a clock was ahead: once in a change, and before anything
        that goes by the vitals."""
        if not self._righted:
            self._righted = True
            closing.right_clock(self)

    @property
    def ends(self) -> ends_of.Ends:
        """Where the logs ended before this change. One that is lost is begun anew."""
        if self._ends is None:
            try:
                self._ends = self.load(ends_of.ENDS, ends_of.Ends)
            except Corrupt:
                self._ends = None
            if self._ends is None:
                self._ends = ends_of.begun(LOGS, self.tx.read)
        return self._ends

    @ends.setter
    def ends(self, known: ends_of.Ends) -> None:
        self._ends = known

    def close(self) -> None:
        """What every change does last: put the clock right, and remember where the logs end."""
        if self.added or VITALS in self._pending:
            self.right_clock()
        if self.added:
            known = ends_of.after(
                self.ends, self.added, self.tx.tail, self.tx.read, stamp(self.clock_now)
            )
            self.write(ends_of.ENDS, document.encode(known))

    def last_event(self) -> Event | None:
        """The event on the last line, with those of this change."""
        if not self._looked:
            self._looked = True
            line = self.tx.tail(EVENTS).line
            if line is not None:
                found = decoded_lines([line], Event, EVENTS, self.home.notes)
                if not found:  # somebody's edit: the last line that can be read counts
                    lines, _ = log.lines(self.tx.read(EVENTS) or b"")
                    found = decoded_lines(lines, Event, EVENTS, [])
                self._last = found[-1] if found else None
        return self._last


class Home:
    """An open home. `lock_timeout` (seconds) bounds every wait for another writer."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        clock: Clock = system_clock,
        lock_timeout: float = 10.0,
        files: Files | None = None,
    ) -> None:
        self.vault = FolderVault(root, clock=clock, files=files)
        self.clock = clock
        self.lock_timeout = lock_timeout
        self.notes: list[Fault] = []
        """What was completed, tolerated or set aside on the way; a face shows it."""
        self._settings: settings_of.Settings | None = None
        self._zone: ZoneInfo | None = None
        self._changed = False

    @property
    def root(self) -> str:
        """The home's folder, with symbolic links followed."""
        return self.vault.root

    # ---- who, when -----------------------------------------------------------------------------

    @property
    def settings(self) -> settings_of.Settings:
        """`persona.toml`. Raises `Missing` (`no_persona`), `Refused` with every fault of it."""
        if self._settings is None:
            self._settings = self.read_settings()
        return self._settings

    def read_settings(self) -> settings_of.Settings:
        """`persona.toml`, read anew (a resident process does, so that an edit counts)."""
        data = self.vault.reader(SCOPE).read(SETTINGS)
        if data is None:
            raise Missing(self.unsettled())
        found, faults = settings_of.parse(data)
        if found is None:
            newer = any(fault.code == "newer_schema" for fault in faults)
            raise NewerSchema(*faults) if newer else Refused(*faults)
        self.use(found)
        return found

    def unsettled(self) -> Fault:
        """Why a folder without a `persona.toml` is no home: nobody's, or one that has lost it."""
        there = [
            path for path in (EVENTS, VITALS, LISTS) if self.vault.files.stat(f"{self.root}/{path}")
        ]
        if there:
            return Fault("persona_toml_lost", file=self.root, found=there)
        return Fault("no_persona", file=self.root)

    def use(self, found: settings_of.Settings) -> None:
        """Go by these settings, which are about to be written."""
        self._settings, self._zone = found, None

    @property
    def zone(self) -> ZoneInfo:
        """The persona's own time zone, never the machine's."""
        if self._zone is None:
            from zoneinfo import ZoneInfo

            self._zone = ZoneInfo(self.settings.zone)
        return self._zone

    def civil(self, moment: datetime) -> str:
        """The civil date of a moment in the persona's zone. Everything that has a date has it from
        here."""
        return moment.astimezone(self.zone).date().isoformat()

    def now(self) -> datetime:
        """The present moment in UTC."""
        return self.clock()

    def today(self) -> str:
        """The present civil date."""
        return self.civil(self.clock())

    # ---- reading -------------------------------------------------------------------------------

    def look(self, read: Callable[[Reader], T]) -> T:
        """Run a reading function on one state of the home, after completing an interrupted change
        (on a disk that cannot be written it is read through its journal)."""
        if self.vault.pending(SCOPE):
            try:
                with self.change():
                    pass
            except StorageFailed as failed:
                if failed.code not in UNWRITABLE:
                    raise
        try:
            return self.vault.snapshot(SCOPE, read, timeout=self.lock_timeout)
        except StorageFailed as failed:
            raise self._explained(failed) from failed

    def _explained(self, failed: StorageFailed) -> ClewError:
        """What cannot be read because something else lies there is told as that."""
        if failed.code != "io_failed":
            return failed
        from clew.persona.soundness import wrong_kinds

        wrong = wrong_kinds(self)
        return Corrupt(*wrong.values()) if wrong else failed

    def read(self, path: str) -> bytes | None:
        """The bytes of one file, or None."""
        return self.look(lambda reader: reader.read(path))

    def names(self, folder: str) -> list[str]:
        """Names in a folder, sorted."""
        return self.look(lambda reader: reader.names(folder))

    def load(self, path: str, kind: type[T]) -> T | None:
        """A document, or None where there is none. Raises `Corrupt`, `NewerSchema`."""
        return decoded(self.read(path), kind, path)

    def read_vitals(self) -> Vitals:
        """`vitals.json`. Raises `Missing` (`persona_file_missing`), `Corrupt`, `NewerSchema`."""
        return needed(self.load(VITALS, Vitals), VITALS)

    def read_lists(self) -> Lists:
        """`intents.json`. Raises `Missing` (`persona_file_missing`), `Corrupt`, `NewerSchema`."""
        return needed(self.load(LISTS, Lists), LISTS)

    def read_text(self, path: str) -> str:
        """A text, empty where there is none; a byte order mark is left out. Raises `Corrupt`
        (`bad_encoding`)."""
        return text_of(self.read(path), path)

    def read_lines(self, path: str, kind: type[T], *, last: int | None = None) -> list[T]:
        """The lines of a log (or its last ones) as `kind`. Lines that cannot be read are left out
        and noted; a torn end is no line yet."""
        data = self.read(path) or b""
        lines, _ = log.lines(data)
        return decoded_lines(lines if last is None else lines[-last:] if last else [], kind, path,
                             self.notes)  # fmt: skip

    def read_events(self, *, last: int | None = None) -> list[Event]:
        """The events, oldest first."""
        return self.read_lines(EVENTS, Event, last=last)

    # ---- changing ------------------------------------------------------------------------------

    @contextmanager
    def change(self) -> Iterator[Change]:
        """A transaction, after completing an interrupted one. Nothing is written when the block
        raises. Raises `Locked`, `ChangedOutside`, `StorageFailed`."""
        try:
            with self.vault.transaction(SCOPE, timeout=self.lock_timeout) as tx:
                if tx.recovery.rolled_forward:
                    self.notes.append(
                        Fault("persona_completed", found=list(tx.recovery.rolled_forward))
                    )
                tx.rendered = True  # the views of a persona are rendered by whoever reads them
                change = Change(self, tx)
                yield change
                change.close()
        except StorageFailed as failed:
            raise self._explained(failed) from failed
        self._changed = True

    def settle(self) -> None:
        """Sync the last change after its answer was given, where there was one; never waits, never
        fails."""
        if self._changed:
            self.vault.settle(SCOPE)
            self._changed = False


# ---- finding and opening ------------------------------------------------------------------------------


def open_home(
    folder: str | os.PathLike[str],
    *,
    clock: Clock = system_clock,
    lock_timeout: float = 10.0,
    files: Files | None = None,
) -> Home:
    """The home in a folder. Raises `Missing` (`no_persona`), `Refused` with every fault of its
    `persona.toml`, `NewerSchema`. A home whose settings cannot be read is not opened at all."""
    home = Home(Path(folder).expanduser(), clock=clock, lock_timeout=lock_timeout, files=files)
    home.read_settings()
    return home
