"""The store of a sidecar: changes one after another, nothing lost in silence.

`Store` joins the engine (what a change does) to `Keeping` (the file) and `Pending` (changes that
could not be saved). Rules: the seed's writing protocol; a file that cannot be read is never written
over; no damage turns an opt-out into an opt-in. Standard library only, Python 3.9.
"""

from __future__ import annotations

import os
import time

from clew.sidecar import engine
from clew.sidecar.changes import (
    IDS,
    Changed,
    Loaded,
    in_order,
    mended_in,
    name_of,
    once,
    revision_of,
)
from clew.sidecar.engine_values import BOOK
from clew.sidecar.engine_words import LENIENT
from clew.sidecar.keeping import Look
from clew.sidecar.messages import reason, reason_of, word
from clew.sidecar.pending import Batch
from clew.sidecar.reading import Reader
from clew.sidecar.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    State = dict[str, Any]
    Profile = dict[str, Any]
    Entry = dict[str, Any]
    Word = dict[str, Any]

LOCK_S = 10.0
"""Seconds that a change waits for the others before it is put off."""


def new_id() -> str:
    """An id that no other change has."""
    return os.urandom(9).hex()


class Store(Reader):
    """One state of one profile. `timeout` bounds the wait for the lock, in seconds; `queue` False:
    changes that cannot be saved are handed back. The rest is as with `Reader`.
    """

    def __init__(
        self,
        path: str,
        profile: Profile,
        *,
        timeout: float = LOCK_S,
        queue: bool = True,
        tick: Callable[[], int] = time.time_ns,
        **how: Any,
    ) -> None:
        super().__init__(path, profile, **how)
        self._timeout = timeout
        self._queue = queue
        self._tick = tick

    def entry(self, op: str, ident: str = "", **what: Any) -> Entry:
        """A change: `event` (name, args), `turn` (chars, tools), `set` (path, value), `patch`, `off`."""
        return {
            "id": ident or new_id(), "at": self._now(), "sent": self._tick(), "rev": None,
            "on": None, "op": op, **what,
        }  # fmt: skip

    def switch(self, *, on: bool) -> Entry:
        """Opting in or out. Out is never refused; in is the profile's event where it can be sent as
        it is, else its field."""
        if not on:
            return self.entry("off")
        args = self.profile["events"].get("opt_in", {"args": {"": {}}})["args"].values()
        if all(spec.get("optional") or "default" in spec for spec in args):
            return self.entry("event", name="opt_in", args={})
        return self.entry("set", path=self.profile["active"], value=True)

    def change(self, *entries: Entry) -> Changed:
        """Read, change and replace the state under its lock; several entries are one write.

        The last entry's answer is what `said` and `refused` tell. What cannot be saved waits and is
        applied once, by whoever changes the state next.
        """
        if self._files.stat(self.keeping.folder) is None:
            loaded = self.read()
            if self._with(loaded, entries, [])[0] == loaded.state:
                return self._answered(loaded, entries)  # nothing to save: no folder is made for it
        try:
            with self._section():
                return self._changed(entries)
        except OSError as error:
            return self._put_off(entries, error)

    def _answered(self, loaded: Loaded, entries: Sequence[Entry]) -> Changed:
        changed = Changed(loaded)
        changed.state, changed.refused, changed.said = self._with(loaded, entries, [])
        return changed

    def _section(self) -> Section:
        return self.keeping.section(self._timeout, make=True)

    def _changed(self, entries: Sequence[Entry]) -> Changed:
        look, notes = self._looked()
        loaded = self._loaded(look, notes)
        changed = Changed(loaded)
        late: list[Word] = []
        if look.kind == "missing":
            # Kept in memory for a state that somebody has deleted since.
            mine = [entry for entry in entries if not entry["rev"]]
            if len(mine) < len(entries):
                late.append(word("sidecar_late_orphan", found=len(entries) - len(mine)))
            entries = mine
        for batches in self.pending.rounds():
            waited = [entry for entry in entries if entry["rev"] is not None]
            entries = [entry for entry in entries if entry["rev"] is None]
            look = self._take_in(batches, waited, look, loaded, late)
        state, refused, said = self._with(loaded, entries, late)
        changed.said, changed.refused = said, refused
        state = self._with_stuck(loaded, state)
        late += self._save(look, loaded, state)
        changed.state = state
        changed.notes = [*loaded.notes, *late]
        return changed

    def _take_in(
        self,
        batches: Sequence[Batch],
        waited: Sequence[Entry],
        look: Look,
        loaded: Loaded,
        late: list[Word],
    ) -> Look:
        """Apply changes that waited, in their order, save, and only then let go of their lines."""
        if look.kind == "missing":
            # They were meant for a state that is gone: a new session does not begin with them.
            for batch in batches:
                mine = [entry for entry in batch.entries if entry["rev"] == 0]
                if len(mine) < len(batch.entries):
                    found = len(batch.entries) - len(mine)
                    late.append(word("sidecar_late_orphan", found=found))
                    batch.damaged = True
                batch.entries = mine
        entries = once(in_order([*(batch.entries for batch in batches), waited]), loaded)
        if entries:
            state = self._with(loaded, entries, late)[0]
            # All of them must be known until the lines are gone, however many they are.
            ids = [*loaded.applied, *(entry["id"] for entry in entries)]
            loaded.applied = ids[-max(IDS, len(entries)) :]
            state = {**state, BOOK: {**state[BOOK], "applied": loaded.applied}}
            late += self._save(look, loaded, state)
            late.append(word("sidecar_late", found=len(entries)))
            look = Look("good", state)
            loaded.state = state
            loaded.revision, loaded.on = revision_of(state), not self.keeping.is_off(state)
        for batch in batches:
            self._let_go(batch, loaded, late)
        return look

    def _let_go(self, batch: Batch, loaded: Loaded, late: list[Word]) -> None:
        ids = [entry["id"] for entry in batch.entries]
        if batch.stays:
            loaded.stuck = {**loaded.stuck, batch.path: ids}
            return
        try:
            kept = self.pending.done(batch, self.keeping.moment())
        except OSError as error:
            # They are in force: what cannot be removed is remembered, so that it is not again.
            if batch.path not in loaded.stuck:
                late.append(word("sidecar_late_stuck", kept=batch.path, **reason_of(error)))
            loaded.stuck = {**loaded.stuck, batch.path: ids}
        else:
            if kept:
                late.append(word("sidecar_late_damaged", kept=kept))

    def _with_stuck(self, loaded: Loaded, state: State) -> State:
        """The state with the ids of lines that are in force and still there."""
        if not loaded.stuck and "stuck" not in state[BOOK]:
            return state
        pending = self.pending
        left = {path: ids for path, ids in loaded.stuck.items() if not pending.is_gone(path)}
        book = {key: value for key, value in state[BOOK].items() if key != "stuck"}
        return {**state, BOOK: {**book, "stuck": left} if left else book}

    def _save(self, look: Look, loaded: Loaded, state: State) -> list[Word]:
        mended, lossy = mended_in(loaded.notes, self.profile.get("updated"))
        if look.why == "stays_off":
            mended = lossy = True  # so that other readers find it off, too
        lossy = lossy and self.keeping.may_keep()
        if look.kind == "good" and state == look.raw and not mended:
            return []
        if look.kind == "missing" and state == loaded.state:
            return []  # nothing happened: a new session leaves no file
        notes = self.keeping.save(look, state, keep_old=lossy)
        look.data = b""  # kept once is enough
        return notes

    def _put_off(self, entries: Sequence[Entry], error: OSError) -> Changed:
        """Nothing could be saved: answer from memory, and keep the changes for later."""
        loaded = self.read()
        changed = Changed(loaded)
        kept = []
        for entry in entries:
            if loaded.status == "unreadable":
                kept.append(entry)  # nobody knows what it would be judged by
                continue
            state, changed.refused, changed.said = self._with(loaded, [entry], [])
            if not changed.refused:
                kept.append(entry)
                loaded.state = changed.state = state
        if not kept:
            return changed
        for entry in kept:
            if entry["rev"] is None:
                entry["rev"], entry["on"] = loaded.revision, loaded.on
        changed.saved = False
        why = {"file": self.path, **reason_of(error)}
        if not self._queue:
            changed.unsaved = kept
            changed.notes.append(word("sidecar_in_memory", found=len(kept), **why))
            return changed
        changed.waits = self.pending.add(kept) or ""
        if changed.waits:
            changed.notes.append(
                word("sidecar_not_saved", found=len(kept), kept=changed.waits, **why)
            )
        else:
            changed.lost = True
            names = ", ".join(name_of(entry) for entry in kept)
            changed.notes.append(word("sidecar_lost", names=names, **why))
        return changed

    def keep(self, entries: Sequence[Entry]) -> str:
        """Queue changes that a caller kept in memory; where they wait, or nothing: they are lost."""
        return self.pending.add(entries) or ""

    # ---- whole states --------------------------------------------------------------------------

    def begin(self) -> Changed:
        """Write a new session's state where there is none, and a migrated one where it is old.
        Raises OSError."""
        with self._section():
            look, notes = self._looked()
            loaded = self._loaded(look, notes)
            changed = Changed(loaded)
            mended, lossy = mended_in(loaded.notes, self.profile.get("updated"))
            if look.raw is None or loaded.state != look.raw or mended:
                changed.notes += self.keeping.save(look, loaded.state, keep_old=lossy)
            return changed

    def write(self, state: State) -> Changed:
        """Write a whole state: the last writer wins. Refused when it breaks the profile; it stays
        off when it was read before somebody opted out. Raises OSError."""
        with self._section():
            look, notes = self._looked()
            loaded = self._loaded(look, notes)
            changed = Changed(loaded)
            given = {BOOK: loaded.state[BOOK], **state}
            wrong = engine.problems(self.profile, given)
            changed.refused = [p for p in wrong if p["code"] not in LENIENT]
            if changed.refused:
                return changed
            given = engine.tidy(self.profile, given)[0]
            active = self.profile["active"]
            stale = revision_of(state) != revision_of(loaded.state)
            if stale and given.get(active) is True and loaded.state.get(active) is not True:
                given = {**given, active: False}
                changed.notes.append(word("sidecar_off_kept"))
            book = {
                **given[BOOK],
                "revision": revision_of(loaded.state) + 1,
                "applied": loaded.state[BOOK]["applied"],
            }
            given = {**given, BOOK: book}
            try:
                changed.notes += self.keeping.save(look, given, keep_old=False)
            except ValueError:  # only in a field that the profile does not know
                why = reason("big_number")
                changed.refused = [word("sidecar_bad_input", file=self.path, **why)]
                return changed
            changed.state = given
            return changed

    def reset(self) -> str:
        """Start anew: the state, its copy and what waits are set aside. Returns where the state is
        kept, or an empty text when there was none. Raises OSError."""
        if self._files.stat(self.keeping.folder) is None:
            return ""
        with self._section():
            self.keeping.look()  # what cannot be read is not moved either
            kept = self.keeping.set_aside()
            self.pending.drop(self.keeping.moment())
            return kept
