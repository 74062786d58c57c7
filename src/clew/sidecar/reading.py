"""Reading a sidecar: never fails, mends what is broken, lays the changes that wait over the state.

Rules: the seed's reading protocol; no damage turns an opt-out into an opt-in. Standard library only,
Python 3.9.
"""

from __future__ import annotations

import time

from clew.kernel.files import Files
from clew.sidecar import engine
from clew.sidecar.changes import (
    Loaded,
    applied_ids,
    former_names,
    name_of,
    once,
    perform,
    revision_of,
    stuck_ids,
)
from clew.sidecar.engine_values import BOOK
from clew.sidecar.keeping import Keeping, Look
from clew.sidecar.messages import reason, reason_of, word
from clew.sidecar.pending import Pending, is_ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    State = dict[str, Any]
    Profile = dict[str, Any]
    Entry = dict[str, Any]
    Word = dict[str, Any]

_LOCK_S = 0.5
"""Seconds that a reader waits for the others; then the next change does the mending."""


def utc_now() -> str:
    """The present moment, as states write it: `2026-05-08T10:12:34Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Reader:
    """One state of one profile, to be read.

    `rooms` are folders of the session for what waits, `inside` is a folder that links may not leave.
    """

    def __init__(
        self,
        path: str,
        profile: Profile,
        *,
        files: Files | None = None,
        now: Callable[[], str] = utc_now,
        rooms: Sequence[str] = (),
        inside: str = "",
        seed: str = "",
        ours: Callable[[str], bool] = is_ours,
    ) -> None:
        self.profile = profile
        self._files = files if files is not None else Files()
        self._now = now
        self._rooms = rooms
        self._seed = seed
        self._ours = ours
        self.keeping = Keeping(
            path, fields=lambda: set(profile["fields"]), former=lambda: former_names(profile),
            active=profile["active"], version=profile["version"], files=self._files, now=now,
            inside=inside, ours=ours,
        )  # fmt: skip

    @property
    def path(self) -> str:
        """The file itself, behind any link."""
        return self.keeping.real

    @property
    def pending(self) -> Pending:
        """The changes that wait."""
        beside = self.keeping.is_trusted
        return Pending(self._files, self.path, self._rooms, self._ours, beside=beside)

    def read(self) -> Loaded:
        """The state, with the changes that wait laid over it. Raises nothing for anything that can
        be wrong with a file."""
        return self._read(mend=True)

    def read_only(self) -> Loaded:
        """The same, and a broken file stays where it is."""
        return self._read(mend=False)

    def _read(self, *, mend: bool) -> Loaded:
        loaded = self._load(mend)
        if loaded.status != "unreadable":
            waiting = once(self.pending.waiting(), loaded)
            if loaded.status == "fresh":
                waiting = [entry for entry in waiting if entry["rev"] == 0]
            if waiting:
                loaded.state = self._with(loaded, waiting, [])[0]
        return loaded

    def with_entries(self, loaded: Loaded, entries: Sequence[Entry]) -> State:
        """The state that was read, with changes laid over it that are not saved."""
        return self._with(loaded, entries, [])[0]

    def _load(self, mend: bool) -> Loaded:
        try:
            look = self.keeping.look()
            notes: list[Word] = []
            if look.kind in ("broken", "staged"):
                look, notes = self._mended(look) if mend else self._rescued(look)
            elif mend and not self.keeping.is_settled(look):
                look = self._settled(look)
            return self._loaded(look, notes)
        except OSError as error:
            note = word("sidecar_unreadable", file=self.path, **reason_of(error))
            return Loaded(self._fresh(), "unreadable", [note])

    def _settled(self, look: Look) -> Look:
        try:
            with self.keeping.section(_LOCK_S):
                look, _ = self._looked()
                return look
        except OSError:
            return look  # the next change does it

    def _mended(self, look: Look) -> tuple[Look, list[Word]]:
        """Mend what was found; where that is not possible now, go on from what could be rescued."""
        try:
            with self.keeping.section(_LOCK_S):
                look = self.keeping.look()
                if look.kind in ("broken", "staged"):
                    return self.keeping.mend(look)
                return look, []
        except OSError:
            return self._rescued(look)

    def _rescued(self, look: Look) -> tuple[Look, list[Word]]:
        if look.kind == "staged":
            return Look("good", look.raw), [word("sidecar_recovered", file=self.path)]
        raw, notes = self.keeping.rescue(look)
        told = word("sidecar_broken_in_place", file=self.path, **reason(look.why))
        return Look("missing" if raw is None else "good", raw), [told, *notes]

    def _loaded(self, look: Look, notes: list[Word]) -> Loaded:
        if look.raw is None:
            return Loaded(self._fresh(), "fresh", notes, 0)
        state, found = engine.tidy(self.profile, look.raw)
        status = "recovered" if notes else "ok"
        if look.why == "stays_off":
            notes = [word("sidecar_stays_off")]
        return Loaded(
            state, status, [*notes, *found], revision_of(look.raw), applied_ids(look.raw),
            on=not self.keeping.is_off(look.raw), stuck=stuck_ids(look.raw),
        )  # fmt: skip

    def _fresh(self) -> State:
        state = engine.fresh(self.profile)
        if self._seed:
            state[BOOK]["seed"] = self._seed
        return state

    def _looked(self) -> tuple[Look, list[Word]]:
        look = self.keeping.look()
        if look.kind in ("broken", "staged"):
            return self.keeping.mend(look)
        if not self.keeping.is_settled(look):
            self.keeping.settle(look)
        return look, []

    def _with(
        self, loaded: Loaded, entries: Sequence[Entry], late: list[Word]
    ) -> tuple[State, list[Word], dict[str, Any]]:
        """The state after some changes, and what the last of them answered."""
        state = loaded.state
        refused: list[Word] = []
        said: dict[str, Any] = {}
        for entry in entries:
            done = perform(self.profile, state, entry)
            refused, said = done.refused, done.said
            waited = entry["rev"] is not None
            if waited and not refused and not loaded.may_wake(entry):
                off = self.keeping.is_off
                if off(state) and not off(done.state):
                    refused, said = [word("sidecar_late_off")], {}
            if not refused:
                state = done.state
            elif waited:
                why = {"reason_zh": refused[0]["zh"], "reason_en": refused[0]["en"]}
                late.append(word("sidecar_late_refused", name=name_of(entry), **why))
        return state, refused, said
