"""A change as it is sent, put off and applied: one small JSON object; and what it gives. Pure.

`op` is `event` (`name`, `args`), `turn` (`chars`, `tools`), `set` (`path`, `value`), `patch` (`patch`)
or `off`; `id` names the change, so that it is applied once; `at` and `sent` (nanoseconds) are when it
was sent; `rev` and `on` are the revision of the file that it was meant for and whether that was
switched on, null until it has to wait. Standard library only, Python 3.9.
"""

from __future__ import annotations

from clew.sidecar import engine
from clew.sidecar.engine_values import BOOK
from clew.sidecar.engine_words import LENIENT, TOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Word = dict[str, Any]
    State = dict[str, Any]
    Profile = dict[str, Any]
    Entry = dict[str, Any]

IDS = 64
"""How many ids of changes a state remembers."""
OPS = {"event": ("name", str), "turn": ("", str), "set": ("path", str), "patch": ("patch", dict),
       "off": ("", str)}  # fmt: skip
"""Every op, and the key that it must have with the key's type."""


class Loaded:
    """What reading gave. `status`: `ok`, `fresh` (a new session), `recovered` (from the last good
    copy) or `unreadable` (defaults; nothing will be written). `notes`: what was found and done."""

    __slots__ = ("applied", "notes", "on", "revision", "state", "status", "stuck")

    def __init__(
        self,
        state: State,
        status: str,
        notes: list[Word],
        revision: int = -1,
        applied: Sequence[str] = (),
        *,
        on: bool = False,
        stuck: dict[str, list[str]] | None = None,
    ) -> None:
        self.state = state
        self.status = status
        self.notes = notes
        self.revision = revision
        """Of the file as it lies there; 0 where there is none, -1 where it cannot be read."""
        self.applied = applied
        """Ids of changes that are in force: after many at once more than a state keeps."""
        self.on = on
        """Whether the file itself says that it is switched on."""
        self.stuck = stuck or {}
        """Ids of changes that are in force and whose lines could not be removed, by their file."""

    def may_wake(self, entry: Entry) -> bool:
        """Whether a change that had to wait may switch on: never after an opt-out that came later.

        While it is off every saved change is one that somebody meant, so any other revision than
        the one that the change was meant for may be an opt-out; and one by hand leaves the
        revision alone, but the change knows that it was on.
        """
        return self.on or (entry["rev"] == self.revision and entry.get("on") is not True)


class Changed:
    """What a change gave: `state` after it, what it `said`, why it was `refused` (then nothing has
    changed). `saved` is False when it waits (`waits`: the file that holds it) or is `lost`."""

    __slots__ = (
        "before", "lost", "notes", "refused", "said", "saved", "state", "status", "unsaved", "waits"
    )  # fmt: skip

    def __init__(self, loaded: Loaded) -> None:
        self.state = loaded.state
        self.before = loaded.state
        """What readers find as long as it is not saved and does not wait."""
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
    if op == "off":
        return _switched_off(profile, state, now, ident)
    force = entry.get("force") is True
    if op == "set":
        value = entry.get("value")
        done = engine.set_field(profile, state, entry["path"], value, now=now, force=force)
    else:
        done = engine.merge(profile, state, entry["patch"], now=now, force=force)
    if not done.refused:
        done.state = _remembering(done.state, ident)
    return done


def _switched_off(profile: Profile, state: State, now: str, ident: str) -> engine.Outcome:
    """Opting out, which nothing that a profile says can refuse: its event, else its field through
    all that hangs on it, else the bare field."""
    active = profile["active"]
    if "opt_out" in profile["events"]:
        done = engine.apply(profile, state, "opt_out", {}, now=now, ident=ident)
        if not done.refused and done.state.get(active) is not True:
            return done
    done = engine.set_field(profile, state, active, False, now=now)
    if done.refused or done.state.get(active) is True:
        book = {**state[BOOK], "revision": state[BOOK]["revision"] + 1}
        done = engine.Outcome(
            {**state, active: False, BOOK: book}, [], {"changed": {active: False}}
        )
    done.state = _remembering(done.state, ident)
    return done


def _remembering(state: State, ident: str) -> State:
    return {**state, BOOK: {**state[BOOK], "applied": [*state[BOOK]["applied"], ident][-IDS:]}}


def in_order(places: Iterable[Sequence[Entry]]) -> list[Entry]:
    """The changes of several places in the order in which they were sent. Within a place the lines
    stand as they were written, whatever a clock that was set back says of them."""
    found: list[tuple[int, Entry]] = []
    for entries in places:
        latest = 0
        for entry in entries:
            sent = entry.get("sent")
            if isinstance(sent, int) and not isinstance(sent, bool):
                latest = max(latest, sent)
            found.append((latest, entry))
    found.sort(key=lambda pair: pair[0])
    return [entry for _, entry in found]


def name_of(entry: Entry) -> str:
    """How a change is called when it is told of."""
    if entry["op"] == "event":
        return str(entry["name"])
    if entry["op"] == "off":
        return "pause"
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


# ---- what a state says of its changes ------------------------------------------------------------

_LOSSLESS = LENIENT | {"missing_field", "renamed", "filled", "unbalanced"}
"""Notes of the engine after which all that the file held is in the new state, too."""


def mended_in(notes: Sequence[Word], stamp: str | None) -> tuple[bool, bool]:
    """Whether the engine changed anything of what was read, and whether it left something out.
    What stood in `stamp` is written anew by every save, so it is no loss."""
    found = [note for note in notes if not note["code"].startswith("sidecar_")]
    found = [note for note in found if note["code"] not in TOLD]
    lost = [n for n in found if n["code"] not in _LOSSLESS and (n.get("path") or "") != stamp]
    return bool(found), bool(lost)


def once(entries: Sequence[Entry], loaded: Loaded) -> list[Entry]:
    """Changes that are not in force yet, each id once."""
    known = set(loaded.applied).union(*loaded.stuck.values())
    found = {entry["id"]: entry for entry in reversed(entries) if entry["id"] not in known}
    return list(found.values())[::-1]


def former_names(profile: Profile) -> set[str]:
    """Names that fields had in older versions."""
    return {name for step in profile["migrations"] for name in (*step["rename"], *step["drop"])}


def stuck_ids(raw: State) -> dict[str, list[str]]:
    """The ids in a state of changes whose lines could not be removed."""
    book = raw.get(BOOK)
    found = book.get("stuck") if isinstance(book, dict) else None
    if not isinstance(found, dict):
        return {}
    return {
        path: [ident for ident in ids if isinstance(ident, str)]
        for path, ids in found.items()
        if isinstance(ids, list)
    }


def applied_ids(raw: State | None) -> list[str]:
    """The ids in a state as it lies on the disk, which after a batch may be more than it keeps."""
    book = raw.get(BOOK) if raw is not None else None
    found = book.get("applied") if isinstance(book, dict) else None
    return [ident for ident in found if isinstance(ident, str)] if isinstance(found, list) else []


def revision_of(raw: State) -> int:
    """How often a state was changed, as it says itself; 0 where it does not."""
    book = raw.get(BOOK)
    found = book.get("revision") if isinstance(book, dict) else None
    return found if isinstance(found, int) else 0
