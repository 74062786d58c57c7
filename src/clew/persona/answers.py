"""What the operations on a persona's layers answer with."""

from __future__ import annotations

from typing import Any

import msgspec


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A new persona."""

    status: str = "ok"
    id: str
    home: str
    zone: str
    from_card: bool
    samples: int


class Entries(msgspec.Struct, frozen=True, kw_only=True):
    """Entries of a list: the one that was made or changed, or those that were asked for."""

    status: str = "ok"
    kind: str
    action: str
    entries: list[dict[str, Any]]
    open: int
    """How many are open (of thoughts: not yet an intent)."""


class DiaryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was written, or what stands in the diary."""

    status: str = "ok"
    action: str
    days: list[dict[str, str]]


class MoodAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The state now, and the curve behind it."""

    status: str = "ok"
    state: dict[str, Any]
    curve: dict[str, Any]


class VoiceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Samples of speech."""

    status: str = "ok"
    action: str
    samples: list[dict[str, str]]
    today: list[int]
    """Which of them are read today, by their place in the list."""


class RefusalAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What it does not do."""

    status: str = "ok"
    action: str
    date: str
    today: str
    """The id of the one that stands out today."""
    refusals: list[dict[str, Any]]
    answers: list[dict[str, Any]] = []
