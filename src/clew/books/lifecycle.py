"""The life cycles of books, assets, items and sessions: one pure function for all of them.

`advance` gives the next state, or refuses with the present one and what is allowed from there. Rules:
book-storage seed sections 3, 4, 5 and 7: stages of books; a draft becomes current only when the user,
a rule that the book declares as programmatic, or a declared "no confirmation" accepts it. An agent
never does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault

Steps = Mapping[str, Mapping[str, str]]
"""For each state the events that it allows, and where they lead."""

_READINESS: Final = {"archive": "archived"}
CYCLES: Final[Mapping[str, Steps]] = {
    "card_book": {"design": _READINESS, "archived": {"reopen": "design"}},
    "play_book": {"play": _READINESS, "archived": {"reopen": "play"}},
    "project_book": {
        "design": {"play": "play", "finish": "done"},
        "play": {"design": "design", "finish": "done"},
        "done": {"play": "play", "design": "design"},
    },
    "kept_book": {
        "active": {"trash": "trashed"},
        "trashed": {"restore": "active", "purge": "purged"},
        "purged": {},
    },
    "asset": {
        "active": {"archive": "archived", "trash": "trashed"},
        "archived": {"restore": "active", "trash": "trashed"},
        "trashed": {"restore": "active", "purge": "purged"},
        "purged": {},
    },
    "item": {
        "draft": {"submit": "under_review"},
        "under_review": {
            "accept": "accepted", "reject": "rejected", "request_revision": "revision_requested",
        },
        "revision_requested": {"submit": "under_review", "reject": "rejected"},
        "accepted": {"supersede": "superseded"},
        "rejected": {},
        "superseded": {},
    },
    "session": {
        "idle": {"start": "running"},
        "running": {"wait": "waiting_user", "finish": "done", "fail": "error", "cancel": "idle"},
        "waiting_user": {"start": "running", "cancel": "idle", "fail": "error", "finish": "done"},
        "done": {"start": "running"},
        "error": {"start": "running", "cancel": "idle"},
    },
}  # fmt: skip
"""`waiting_user` carries a reason; who may `accept` an item is in `ACCEPTORS`."""
_PHASES_ZH: Final = {
    "active": "在用", "archived": "已归档", "trashed": "回收站里", "purged": "已删除", "design": "设计",
    "play": "游玩", "done": "完成",
}  # fmt: skip
FIRST: Final = {
    "card_book": "design", "play_book": "play", "project_book": "design", "kept_book": "active", "asset": "active",
    "item": "draft", "session": "idle",
}  # fmt: skip
ACCEPTORS: Final = ("user", "programmatic", "no_confirmation")
"""Who accepts: a person, a rule that the book declares, or a tag that the book declares to need
nobody."""


def advance(cycle: str, state: str, event: str, *, by: str = "user", name: str = "") -> str:
    """The state after an event. `by` counts for accepting an item only, `name` for what is told.

    Raises `Refused`: `impossible_step` with the state and the events that it allows,
    `no_step_left` at the end of a life, `accepted_by_none` when neither the user nor a declared rule
    accepts.
    """
    allowed = CYCLES[cycle].get(state, {})
    if event not in allowed:
        raise Refused(_impossible(cycle, state, event, tuple(allowed), name))
    if cycle == "item" and event == "accept" and by not in ACCEPTORS:
        raise Refused(Fault("accepted_by_none", found=by, allowed=ACCEPTORS))
    return allowed[event]


def reachable(cycle: str, state: str, wanted: str, *, name: str = "") -> str:
    """The event that leads from a state to another, for those who name stages and not events.

    Raises `Refused` (`impossible_step`, `no_step_left`) when no single event does.
    """
    allowed = CYCLES[cycle].get(state, {})
    for event, target in allowed.items():
        if target == wanted:
            return event
    targets = tuple(dict.fromkeys(allowed.values()))
    raise Refused(_impossible(cycle, state, wanted, targets, name))


def _impossible(cycle: str, state: str, wanted: str, allowed: tuple[str, ...], name: str) -> Fault:
    more = Both(f"{name}：", f"{name}: ") if name else ""
    phase = Both(_PHASES_ZH.get(state, state), state)
    if not allowed:
        return Fault("no_step_left", found=wanted, phase=phase, kind=cycle, more=more)
    return Fault(
        "impossible_step", found=wanted, phase=phase, kind=cycle, allowed=allowed, more=more
    )
