"""The context guard: how long a conversation has become, in turns and bytes, against limits.

Pure. A conversation that has grown long answers worse before its host compacts it, so the move to a
new window starts from a measure, not from a feeling. The limits are the persona's own settings.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from clew.persona.transcripts.reading import Step
from clew.persona.transcripts.turns import Turns

Light = Literal["green", "yellow", "red"]
LIGHTS: Final[tuple[Light, ...]] = ("green", "yellow", "red")


class ContextLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From where on a conversation is long (yellow) and too long (red). 0: no such limit."""

    yellow_turns: Annotated[int, Meta(ge=0, le=1_000_000)] = 150
    red_turns: Annotated[int, Meta(ge=0, le=1_000_000)] = 300
    yellow_bytes: Annotated[int, Meta(ge=0, le=1 << 50)] = 8_000_000
    red_bytes: Annotated[int, Meta(ge=0, le=1 << 50)] = 20_000_000


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """How long a conversation is, since its host last compacted it and in all."""

    window: str = ""
    turns: int
    """Prompts of a person since the last compaction."""
    bytes: int
    """Of the file, since then."""
    turns_in_all: int
    bytes_in_all: int
    responses: int
    compactions: int
    lost: int
    """Bytes that made no sense, or stand in lines that are too long."""
    partial: bool = False
    """The time was up before the end."""
    light: Light = "green"
    reasons: list[str] = []
    """Which limits were passed: `turns`, `bytes`."""


class Measuring:
    """Takes steps of a transcript one after the other; can go on from an earlier measure."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._at_boundary = (0, 0)
        self._end = 0
        self._lost = 0

    def take(self, step: Step) -> None:
        """Count a line."""
        before = self._turns.compactions
        for piece in step.pieces:
            self._turns.take(piece)
        self._end += step.line.size
        self._lost += step.lost
        if self._turns.compactions != before:
            self._at_boundary = (self._turns.prompts, self._end)

    def measure(self, limits: ContextLimits, *, window: str = "", partial: bool = False) -> Measure:
        """What has been counted so far, judged."""
        turns = self._turns.prompts - self._at_boundary[0]
        size = self._end - self._at_boundary[1]
        light, reasons = judged(turns, size, limits)
        return Measure(
            window=window, turns=turns, bytes=size, turns_in_all=self._turns.prompts,
            bytes_in_all=self._end, responses=self._turns.responses,
            compactions=self._turns.compactions, lost=self._lost, partial=partial, light=light,
            reasons=reasons,
        )  # fmt: skip


def rank(light: Light) -> int:
    """0 for green, 2 for red."""
    return LIGHTS.index(light)


def judged(turns: int, size: int, limits: ContextLimits) -> tuple[Light, list[str]]:
    """The light of a measure, and the limits that it passed to get it."""
    levels = {
        "turns": _level(turns, limits.yellow_turns, limits.red_turns),
        "bytes": _level(size, limits.yellow_bytes, limits.red_bytes),
    }
    worst = max(levels.values())
    return LIGHTS[worst], [name for name, level in levels.items() if level == worst and worst]


def _level(value: int, yellow: int, red: int) -> int:
    if red and value >= red:
        return 2
    return 1 if yellow and value >= yellow else 0


def measured(steps: Iterable[Step], limits: ContextLimits) -> Measure:
    """The measure of a whole transcript."""
    counting = Measuring()
    for step in steps:
        counting.take(step)
    return counting.measure(limits)
