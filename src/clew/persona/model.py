"""The documents of a persona as types, and where each of them lies. Pure.

A moment is ISO 8601 in UTC to the millisecond (`…Z`); a *civil date* is `YYYY-MM-DD` in the
persona's own zone, written beside the moment, so that no reader has to guess which day was meant.
May touch: nothing. Rules: persona seed sections 1 and 4; layout: docs/persona.md.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final, Literal

from msgspec import Struct, field

from clew.kernel.vault import Scope

SCHEMA: Final = 1
"""Of every document of a persona."""

SETTINGS: Final = "persona.toml"
IDENTITY: Final = "identity.md"
IDENTITY_BYTES: Final = 262_144
"""An identity card is in every opening whole; a longer file is something else."""
VOICE: Final = "voice.md"
REFUSALS: Final = "refusals.toml"
LISTS: Final = "intents.json"
VITALS: Final = "vitals.json"
EVENTS: Final = "events.jsonl"
PROBES: Final = "refusals.jsonl"
"""Which refusal stood out on which day, and what its probe question was answered with."""
DIARY: Final = "diary"
CHANNELS: Final = "channels"
LOGS: Final = (
    EVENTS, PROBES, "wake.jsonl", "outbox.jsonl",
    *(f"{CHANNELS}/{name}.jsonl" for name in ("board", "baton", "stream", "live", "receipts")),
)  # fmt: skip
"""The logs of a home."""
ARCHIVE: Final = "archive"
WINDOWS: Final = "windows.json"
INDEX: Final = "index.sqlite"
PRIVATE: Final = ".clew"
PERSONAS: Final = "personas"
"""The folder of a library in which personas live."""

FILE_MODE: Final = 0o600
DIR_MODE: Final = 0o700
SCOPE: Final = Scope("persona", "", ".persona.lock", PRIVATE, FILE_MODE, DIR_MODE)
"""A home is one scope: whatever changes together is one transaction."""


_MOMENT: Final = re.compile(r"(?:19[7-9]\d|[2-8]\d{3})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z")
"""Compared as text, so one form; far enough from the ends of the calendar for every zone."""


def moments(*texts: str) -> None:
    """Raise ValueError for a text that is neither empty nor a moment: a document that holds such a one
    cannot be read, instead of failing where it is counted with."""
    for text in texts:
        if text and (_MOMENT.fullmatch(text) is None or not datetime.fromisoformat(text)):
            raise ValueError(f"not a moment: {text[:40]!r}")


class Event(Struct, omit_defaults=True, kw_only=True):
    """One line of `events.jsonl`: something that happened."""

    n: int
    """Counts the lines; `e12` is how other documents name the twelfth."""
    at: str
    """Not before the line above, but for a line `clock_back`: what stands above it was written by a
    clock that was ahead."""
    date: str
    """The civil date of `at`."""
    kind: str
    window: str = ""
    """The window (session) in which it happened, where it was in one."""
    facts: dict[str, Any] = {}

    def __post_init__(self) -> None:
        moments(self.at or "?")


class Mood(Struct, omit_defaults=True, kw_only=True):
    """The state of mood at one moment; what it is later is computed when it is read."""

    value: float
    """0..1, at full precision."""
    at: str
    cause: str
    """Because of what: never empty; stays until it is overwritten."""
    source: str
    """Where the cause comes from: `person`, `self`, `event:e12` …"""
    automatic: bool = False
    """Written because a person spoke, so that the next such cause may replace it."""

    def __post_init__(self) -> None:
        moments(self.at or "?")
        if not 0.0 <= self.value <= 1.0:
            raise ValueError("the mood is 0..1")


class Alive(Struct, omit_defaults=True, kw_only=True):
    """A stretch of time in which somebody or something looked in again and again."""

    since: str
    until: str

    def __post_init__(self) -> None:
        moments(self.since or "?", self.until or "?")


class Vitals(Struct, omit_defaults=True, kw_only=True):
    """`vitals.json`: mood, its cause, and the marks from which the clocks are derived."""

    schema_version: int = field(default_factory=lambda: SCHEMA)
    revision: int = 0
    mood: Mood
    last_word_at: str = ""
    """When a person last said something; silence counts from here, or from `born_at`."""
    born_at: str
    alive: Alive | None = None
    """The present stretch; `clew persona status` derives how long it has lasted."""

    def __post_init__(self) -> None:
        moments(self.born_at or "?", self.last_word_at)


class Intent(Struct, omit_defaults=True, kw_only=True):
    """Something that the persona means to do, of its own making."""

    id: str
    text: str
    at: str
    state: Literal["open", "done", "dropped"] = "open"
    due: str = ""
    """A civil date; what has one is never forgotten before it."""
    closed_at: str = ""
    outcome: str = ""
    thought: str = ""
    """The thought that it grew out of."""
    source: str = ""


class Thought(Struct, omit_defaults=True, kw_only=True):
    """A thought in the pool: not yet an intent."""

    id: str
    text: str
    at: str
    source: str = ""
    intent: str = ""
    """The intent that it became."""
    closed_at: str = ""
    """When it was let go."""
    outcome: str = ""
    """Why."""


class Hanging(Struct, omit_defaults=True, kw_only=True):
    """Something that was not said to its end."""

    id: str
    text: str
    at: str
    due: str = ""
    window: str = ""
    closed_at: str = ""
    outcome: str = ""


class Lists(Struct, omit_defaults=True, kw_only=True):
    """`intents.json`: the self-made list, the pool of thoughts, and what hangs."""

    schema_version: int = field(default_factory=lambda: SCHEMA)
    revision: int = 0
    intents: list[Intent] = []
    thoughts: list[Thought] = []
    hanging: list[Hanging] = []
    made: int = 0
    """How many entries were ever made; ids are never used twice."""

    def open_intents(self) -> list[Intent]:
        """What is still to be done. Without any, nothing wakes of its own accord."""
        return [one for one in self.intents if one.state == "open"]

    def open_thoughts(self) -> list[Thought]:
        """The thoughts that became nothing yet and were not let go."""
        return [one for one in self.thoughts if not one.intent and not one.closed_at]

    def open_hanging(self) -> list[Hanging]:
        """What still hangs."""
        return [one for one in self.hanging if not one.closed_at]


class Probe(Struct, omit_defaults=True, kw_only=True):
    """One line of `refusals.jsonl`."""

    kind: Literal["shown", "answer"]
    at: str
    date: str
    refusal: str
    answer: str = ""
    held: Literal["", "held", "bent", "gave_way"] = ""
    """Whether the refusal stood in this answer; empty where nobody has judged it."""
    window: str = ""
    note: str = ""


def diary_file(date: str) -> str:
    """The diary of a civil date."""
    return f"{DIARY}/{date}.md"
