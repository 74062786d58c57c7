"""Which chapter begins which volume, from what the ledger's history says of each chapter.

Pure. Source: the seed's context (`position.volume`, `position.volume_start_chapter`), which every
transaction hands over. What was said last of a volume or of a first chapter holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from clew.kernel.document import UNREADABLE
from clew.novel.history import BASELINES, Kind
from clew.novel.model import State


class Start(NamedTuple):
    """A volume and its first chapter."""

    chapter: int
    volume: str


class _Position(msgspec.Struct):
    volume: str
    volume_start_chapter: int


class _Context(msgspec.Struct):
    position: _Position


class _Whose(msgspec.Struct):
    context: _Context


class _Line(msgspec.Struct):
    """The little of a history line that is wanted here."""

    kind: Kind
    chapter: int | None = None
    state: _Whose | None = None
    transaction: _Whose | None = None


_LINE: Final = msgspec.json.Decoder(_Line)


def starts(lines: Iterable[bytes], state: State) -> list[Start]:
    """Every volume with its first chapter, in their order.

    A line that cannot be read is passed over: a damaged history is `check`'s to tell.
    """
    by_chapter: dict[int, _Position] = {}
    for data in lines:
        try:
            line = _LINE.decode(data)
        except UNREADABLE:
            continue
        whose = line.transaction if line.kind == "append" else line.state
        if whose is None or not (line.kind == "append" or line.kind in BASELINES):
            continue
        chapter = line.chapter or 0
        if chapter <= state.last_committed_chapter:  # beyond it lies what was undone
            by_chapter[chapter] = whose.context.position
    found: dict[str, int] = {}
    now = state.context.position
    for position in [
        *(by_chapter[chapter] for chapter in sorted(by_chapter)),
        _Position(now.volume, now.volume_start_chapter),
    ]:
        # Two names with one first chapter are one volume, renamed.
        found = {
            name: chapter
            for name, chapter in found.items()
            if chapter != position.volume_start_chapter
        }
        found[position.volume] = position.volume_start_chapter
    return sorted(Start(chapter, name) for name, chapter in found.items())


def volume_of(chapter: int, found: Sequence[Start]) -> str:
    """The volume that holds a chapter; empty before the first one that is known."""
    return next((start.volume for start in reversed(found) if start.chapter <= chapter), "")
