"""A change as it is sent, put off and applied: one small JSON object; and what it gives. Pure.

`op` is `event` (`name`, `args`), `turn` (`chars`, `tools`), `set` (`path`, `value`) or `patch`
(`patch`); `id` names the change, so that it is applied once; `at` is when it was sent; `rev` is the
revision of the file that it was meant for, null until it has to wait. Standard library only, Python 3.9.
"""

from __future__ import annotations

from clew.sidecar import engine
from clew.sidecar.engine_values import BOOK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Word = dict[str, Any]
    State = dict[str, Any]
    Profile = dict[str, Any]
    Entry = dict[str, Any]

IDS = 64
"""How many ids of changes a state remembers."""
OPS = {"event": ("name", str), "turn": ("", str), "set": ("path", str), "patch": ("patch", dict)}
"""Every op, and the key that it must have with the key's type."""


class Loaded:
    """What reading gave. `status`: `ok`, `fresh` (a new session), `recovered` (from the last good
    copy) or `unreadable` (defaults; nothing will be written). `notes`: what was found and done."""

    __slots__ = ("applied", "notes", "revision", "state", "status")

    def __init__(
        self, state: State, status: str, notes: list[Word], revision: int, applied: Sequence[str]
    ) -> None:
        self.state = state
        self.status = status
        self.notes = notes
        self.revision = revision
        """Of the file as it lies there; 0 where there is none, -1 where it cannot be read."""
        self.applied = applied
        """Ids of changes that are in force: after many at once more than a state keeps."""


class Changed:
    """What a change gave: `state` after it, what it `said`, why it was `refused` (then nothing has
    changed). `saved` is False when it waits (`waits`: the file that holds it) or is `lost`."""

    __slots__ = ("lost", "notes", "refused", "said", "saved", "state", "status", "unsaved", "waits")

    def __init__(self, loaded: Loaded) -> None:
        self.state = loaded.state
        self.status = loaded.status
        self.notes = loaded.notes
        self.said: dict[str, Any] = {}
        self.refused: list[Word] = []
        self.saved = True
        self.waits = ""
        self.lost = False
        self.unsaved: list[Entry] = []
        """The changes that the caller keeps in memory, for a store that does not queue."""


def perform(profile: Profile, state: State, entry: Entry) -> engine.Outcome:
    """Make one change. An id that was applied before changes nothing."""
    now, ident = entry["at"], entry["id"]
    op = entry["op"]
    if op == "event":
        args = entry.get("args")
        args = args if isinstance(args, dict) else {}
        return engine.apply(profile, state, entry["name"], args, now=now, ident=ident)
    if op == "turn":
        chars, tools = _count(entry.get("chars")), _count(entry.get("tools"))
        return engine.turn(profile, state, chars=chars, tools=tools, now=now, ident=ident)
    if ident in state[BOOK]["applied"]:
        return engine.Outcome(state, [])
    force = entry.get("force") is True
    if op == "set":
        value = entry.get("value")
        done = engine.set_field(profile, state, entry["path"], value, now=now, force=force)
    else:
        done = engine.merge(profile, state, entry["patch"], now=now, force=force)
    if not done.refused:
        ids = [*done.state[BOOK]["applied"], ident][-IDS:]
        done.state = {**done.state, BOOK: {**done.state[BOOK], "applied": ids}}
    return done


def name_of(entry: Entry) -> str:
    """How a change is called when it is told of."""
    if entry["op"] == "event":
        return str(entry["name"])
    return f"set {entry['path']}" if entry["op"] == "set" else str(entry["op"])


def is_lawful(entry: Any) -> bool:
    """Whether something that was read back is a change."""
    if not isinstance(entry, dict) or not isinstance(entry.get("rev"), int):
        return False
    words = ("id", "at", "file", "op")
    if not all(isinstance(entry.get(key), str) for key in words) or entry["op"] not in OPS:
        return False
    key, kind = OPS[entry["op"]]
    return not key or isinstance(entry.get(key), kind)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
