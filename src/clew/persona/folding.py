"""What the log of events adds up to: vitals and lists as they were after its last line. Pure.

Every event that changes a document holds what became of it, so that a document that was lost or
damaged is made again instead of being taken for an empty one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from clew.persona.model import Event, Hanging, Intent, Lists, Mood, Thought, Vitals

_ENTRIES: Final[dict[str, tuple[str, type[Any]]]] = {
    "intent": ("intents", Intent),
    "thought": ("thoughts", Thought),
    "hanging": ("hanging", Hanging),
}


def vitals_of(events: Iterable[Event]) -> Vitals | None:
    """The vitals that a log leads to; None where it tells of no mood at all. The present stretch of
    being there is not in the log: it begins anew."""
    born = last_word = ""
    mood: Mood | None = None
    for event in events:
        born = born or event.at
        if event.kind == "words":
            last_word = max(last_word, event.at)
        if event.kind == "clock_back":  # what stands above was written by a clock that was ahead
            born, last_word = min(born, event.at), min(last_word, event.at)
        if "mood" in event.facts:
            mood = _as(event.facts["mood"], Mood) or mood
    if mood is None:
        return None
    return Vitals(mood=mood, born_at=born, last_word_at=last_word)


def lists_of(events: Iterable[Event]) -> Lists:
    """The lists that a log leads to."""
    found: dict[str, dict[str, Any]] = {field: {} for field, _ in _ENTRIES.values()}
    for event in events:
        for key, (field, kind) in _ENTRIES.items():
            if key in event.facts and (entry := _as(event.facts[key], kind)) is not None:
                found[field][entry.id] = entry
    made = max(
        (int(ident[1:]) for entries in found.values() for ident in entries if ident[1:].isdigit()),
        default=0,
    )
    return Lists(
        intents=list(found["intents"].values()), thoughts=list(found["thoughts"].values()),
        hanging=list(found["hanging"].values()), made=made,
    )  # fmt: skip


def _as(value: Any, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None
