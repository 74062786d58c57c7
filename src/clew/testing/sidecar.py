"""Builders for tests of sidecar states: a small compiled profile, stores of it, events.

Nothing of the product uses this.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from clew.kernel.files import Files
from clew.sidecar.changes import Changed
from clew.sidecar.store import Store

NOW: Final = "2026-05-08T10:12:34Z"

PROFILE: Final[dict[str, Any]] = {
    "format": 1,
    "name": "tally",
    "title": {"zh": "计数", "en": "a tally"},
    "version": 2,
    "unversioned": 1,
    "active": "active",
    "turn": "reply",
    "updated": "last_updated_at",
    "turns_from": "count",
    "fields": {
        "active": {"type": "bool", "default": False},
        "count": {"type": "int", "min": 0, "default": 0},
        "last": {"type": "int", "min": 0, "null": True},
        "name": {"type": "text", "max": 100, "default": "", "null": True},
        "done": {"type": "bool", "default": False},
        "secret": {"type": "text", "default": "", "private": True},
        "marks": {"type": "list", "items": {"type": "int"}, "keep_last": 5},
        "inner": {
            "type": "object",
            "fields": {"depth": {"type": "int", "min": 0, "default": 0}},
        },
        "last_updated_at": {"type": "text", "null": True},
    },
    "events": {
        "opt_in": {"args": {}, "while_off": True, "require": [],
                   "change": [{"set": "active", "to": True}]},
        "opt_out": {"args": {}, "while_off": True, "require": [],
                    "change": [{"set": "active", "to": False}]},
        "reply": {"args": {"chars": {"type": "int", "min": 0, "default": 0}}, "while_off": False,
                  "require": [], "change": [{"add": "count", "by": 1}]},
        "mark": {"args": {"at": {"type": "int", "min": 0}}, "while_off": False, "require": [],
                 "change": [{"set": "last", "to": {"arg": "at"}}]},
        "tick": {"args": {}, "while_off": False, "require": [],
                 "change": [{"add": "count", "by": 1}]},
    },
    "guards": {
        "rest": {"per": "turns", "band": [2, 4], "first": [1, 1], "say": {"zh": "", "en": ""}},
    },
    "phases": [],
    "rules": [],
    "ledgers": {},
    "stocks": {},
    "simulate": [],
    "migrations": [{"to": 2, "rename": {"title": "name"}, "default": {}, "drop": []}],
}  # fmt: skip


def store(path: Path | str, files: Files | None = None, **how: Any) -> Store:
    """A store of the small profile at a moment that stands still."""
    return Store(str(path), PROFILE, files=files, now=lambda: NOW, **how)


def event(at: Store, name: str, ident: str = "", **args: Any) -> Changed:
    """Send one event."""
    return at.change(at.entry("event", ident, name=name, args=args))


def ticks(at: Store, count: int) -> Changed:
    """Send the counting event some times."""
    for _ in range(count - 1):
        event(at, "tick")
    return event(at, "tick")


def on(path: Path | str, files: Files | None = None, **how: Any) -> Store:
    """A store whose state is switched on."""
    made = store(path, files, **how)
    assert event(made, "opt_in").saved
    return made


def on_disk(path: Path) -> dict[str, Any]:
    """The state as another program reads it."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def names(folder: Path) -> list[str]:
    """What lies in a folder, without locks."""
    return sorted(p.name for p in folder.iterdir() if not p.name.endswith(".lock"))
