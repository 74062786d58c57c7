"""Who has left the story, and where the main line stood before a memory was told.

Pure: the commits that stand in, values out. A card shows the present state, and the present state has
nobody who retired: whoever writes chapter 90 must hear that somebody died in chapter 6. Source: the
seed (退役) and the design of `context` (what the next chapter needs).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.novel.lint.stagewords import MEANT
from clew.novel.model import Position, State
from clew.novel.standing import Standing, context_of, delta_of, packed

_MEANT: Final = re.compile(MEANT)
_RETIRES: Final = b'"retired_characters":["'


class Gone(NamedTuple):
    """Somebody who retired and has no snapshot any more."""

    name: str
    chapter: int
    """In which he left."""
    words: str
    """What that chapter says of it; may be empty."""


def departed(said: Standing, state: State, before: int) -> list[Gone]:
    """Who retired in a chapter before `before` and did not come back, the latest first."""
    found: dict[str, Gone] = {}
    for commit in said.commits:
        if commit.chapter >= before or _RETIRES not in commit.raw:
            continue
        delta = delta_of(commit)
        changes = {row.name: row.change for row in delta.character_changes}
        for name in delta.retired_characters:
            found.pop(name, None)
            found[name] = Gone(name, commit.chapter, changes.get(name, ""))
    return [gone for gone in reversed(found.values()) if gone.name not in state.characters]


class Paused(NamedTuple):
    """Where the story was left for a memory."""

    chapter: int
    position: Position


def main_line(said: Standing, state: State, before: int) -> Paused | None:
    """Where the main line stood, when the chapter before `before` is told as a memory and says so."""
    latest = said.latest()
    told = [number for number in latest if number < before]
    position = state.context.position
    if not told or not _is_memory(position, packed(latest[told[-1]]).chapter_title):
        return None
    appended = {c.chapter: c for c in said.commits if c.mode == "append"}
    for number in reversed(told):
        commit = appended.get(number)
        if commit is None:
            continue
        position = context_of(commit).position
        if not _is_memory(position, packed(latest[number]).chapter_title):
            return Paused(number, position)
    return None


def _is_memory(position: Position, title: str) -> bool:
    return any(map(_MEANT.search, (position.story_time, position.scene, title)))
