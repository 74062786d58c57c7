"""The Python interface: `with clew.sidecar.open("smoking-persona") as s: s.event("reply")`.

The words are those of the command line. Every change reads the file anew under its lock, so a
`Sidecar` may be held for hours beside other processes. A write that fails raises nothing: the change
is kept in memory, is applied at the next call that can write, and is queued when the object is
closed. Only what breaks the profile raises.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from clew.kernel.errors import Refused
from clew.sidecar import engine, shelf
from clew.sidecar.changes import Changed, Loaded
from clew.sidecar.codes import fault_of
from clew.sidecar.engine_values import BOOK
from clew.sidecar.place import locate, runtime_rooms, working_folder
from clew.sidecar.store import Store
from clew.sidecar.verbs import GONE, value_at

State = dict[str, Any]


class SidecarWarning(UserWarning):
    """Changes were lost: nothing could be written anywhere."""


class Sidecar:
    """The state of one skill. Not shared between threads; open one for each.

    `profile` is a name, a path of a TOML file, or a compiled profile; `scope` is `user`, `project` or
    `session` (with `session`, an id); `file` names the state file itself. Raises `Refused` for a
    profile that does not hold together or is not there.
    """

    def __init__(
        self,
        profile: str | Mapping[str, Any],
        *,
        scope: str = "user",
        session: str = "",
        file: str | os.PathLike[str] = "",
        timeout: float = 10.0,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        given = os.environ if environ is None else environ
        cwd = working_folder()
        if isinstance(profile, str):
            try:
                compiled = shelf.find(profile, given, cwd)
            except shelf.ShelfError as error:
                raise Refused(*map(fault_of, error.words)) from None
        else:
            compiled = dict(profile)
        place = locate(
            compiled["name"], scope=scope, session=session, file=os.fspath(file),
            environ=given, cwd=cwd,
        )  # fmt: skip
        self._profile = compiled
        self._store = Store(
            place.path, compiled, rooms=runtime_rooms(given), inside=place.inside, timeout=timeout,
            queue=False,
        )  # fmt: skip
        self._unsaved: list[dict[str, Any]] = []
        self.status = ""
        """Of the last call: `ok`, `fresh`, `recovered` or `unreadable`."""
        self.notes: list[dict[str, Any]] = []
        """What the last call found, did or could not do: `code`, `zh`, `en`, facts."""

    def __enter__(self) -> Sidecar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> str:
        """The state file."""
        return self._store.path

    @property
    def unsaved(self) -> int:
        """How many changes wait in memory."""
        return len(self._unsaved)

    # ---- reading -------------------------------------------------------------------------------

    def read(self) -> State:
        """The state, with what waits laid over it; without bookkeeping. Never fails for anything
        that is wrong with the file: `status` and `notes` say what was found."""
        loaded = self._load()
        return {key: value for key, value in loaded.state.items() if key != BOOK}

    def public(self) -> State:
        """The state without its private fields: what may be shown."""
        return engine.public(self._profile, self._load().state)

    def field(self, path: str) -> Any:
        """The value at a dotted path. KeyError when there is none."""
        found = value_at(self.read(), path)
        if found is GONE:
            raise KeyError(path)
        return found

    def guards(self) -> dict[str, dict[str, Any]]:
        """For each guarded action: `open`, `why`, and in how many turns it opens."""
        return engine.guards(self._profile, self._load().state)

    def _load(self) -> Loaded:
        loaded = self._store.read()
        self.status, self.notes = loaded.status, loaded.notes
        if self._unsaved and loaded.status != "unreadable":
            loaded.state = self._store.with_entries(loaded, self._unsaved)
        return loaded

    # ---- changing ------------------------------------------------------------------------------

    def event(self, name: str, /, **args: Any) -> dict[str, Any]:
        """Send an event; what it changed. Raises `Refused` when the profile does not allow it."""
        return self._send(self._store.entry("event", name=name, args=args))

    def turn(self, *, chars: int = 0, tools: int = 0) -> dict[str, Any]:
        """The end of a turn; `guards` says what is open now."""
        return self._send(self._store.entry("turn", chars=chars, tools=tools))

    def set(self, path: str, value: Any, *, force: bool = False) -> dict[str, Any]:
        """Set one field by its dotted path. Raises `Refused`."""
        return self._send(self._store.entry("set", path=path, value=value, force=force))

    def patch(self, patch: Mapping[str, Any], *, force: bool = False) -> dict[str, Any]:
        """A JSON merge patch, checked whole. Raises `Refused`."""
        return self._send(self._store.entry("patch", patch=dict(patch), force=force))

    def pause(self) -> dict[str, Any]:
        """Switch off: the user opts out."""
        return self._send(self._store.switch(on=False))

    def resume(self) -> dict[str, Any]:
        """Switch on, once the user agrees."""
        return self._send(self._store.switch(on=True))

    def write(self, state: Mapping[str, Any]) -> None:
        """Write a whole state; the last writer wins (but for an opt-out). Raises `Refused` when it
        breaks the profile, and OSError when it cannot be written."""
        self._judged(self._store.write(dict(state)))

    def reset(self) -> str:
        """Start anew; where the old state is kept. Raises OSError."""
        self._unsaved = []
        return self._store.reset()

    def _send(self, entry: dict[str, Any]) -> dict[str, Any]:
        changed = self._store.change(*self._unsaved, entry)
        self._unsaved = changed.unsaved
        return self._judged(changed)

    def _judged(self, changed: Changed) -> dict[str, Any]:
        self.status, self.notes = changed.status, changed.notes
        if changed.refused:
            raise Refused(*map(fault_of, changed.refused))
        return changed.said

    def close(self) -> None:
        """Save what waits in memory, or queue it for the next process. Warns (`SidecarWarning`)
        about what is lost."""
        if not self._unsaved:
            return
        changed = self._store.change(*self._unsaved)
        self.notes = changed.notes
        self._unsaved = []
        if changed.unsaved and not self._store.keep(changed.unsaved):
            warnings.warn(
                f"{len(changed.unsaved)} changes of {self.path} are lost: nothing could be written",
                SidecarWarning,
                stacklevel=2,
            )
