"""What the operations on channels, windows, archive and memory answer with."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from clew.persona.channels.lines import Baton, Note, Receipt, Said, Thinking
from clew.persona.windows import Window


class ChannelRow(msgspec.Struct, frozen=True, kw_only=True):
    """One channel and its meaning."""

    name: str
    file: str
    form: str
    """`log`, `view` or `document`."""
    writer: str
    reader: str
    delay_seconds: int
    purpose: str
    wakes: bool
    """Never."""
    bytes: int


class ChannelList(msgspec.Struct, frozen=True, kw_only=True):
    """The seven channels."""

    status: str = "ok"
    channels: list[ChannelRow]


class Notes(msgspec.Struct, frozen=True, kw_only=True):
    """Notes of the board, oldest first; of `write`, the one that was written."""

    status: str = "ok"
    notes: list[Note]
    zone: str
    """The persona's: moments are in UTC, people read them in it."""
    unread: int = 0
    """How many the reader has still not seen."""


class Batons(msgspec.Struct, frozen=True, kw_only=True):
    """Batons, the present one last."""

    status: str = "ok"
    batons: list[Baton]
    zone: str
    """The persona's: moments are in UTC, people read them in it."""


class Streams(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of the stream, oldest first."""

    status: str = "ok"
    lines: list[Thinking]
    zone: str
    """The persona's: moments are in UTC, people read them in it."""


class Lives(msgspec.Struct, frozen=True, kw_only=True):
    """What was said, oldest first."""

    status: str = "ok"
    lines: list[Said]
    zone: str
    """The persona's: moments are in UTC, people read them in it."""


class Receipts(msgspec.Struct, frozen=True, kw_only=True):
    """Receipts of prompts, oldest first."""

    status: str = "ok"
    lines: list[Receipt]
    zone: str
    """The persona's: moments are in UTC, people read them in it."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """The digest."""

    status: str = "ok"
    file: str
    text: str


class WindowList(msgspec.Struct, frozen=True, kw_only=True):
    """Windows, the one that was seen last first."""

    status: str = "ok"
    windows: list[Window]
    zone: str
    """The persona's: moments are in UTC, people read them in it."""


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """The archive, read back."""

    status: Literal["ok", "damaged"]
    files: int
    findings: list[dict[str, Any]]


class MemoryStanding(msgspec.Struct, frozen=True, kw_only=True):
    """How the memory stands."""

    status: str = "ok"
    rows: int
    kinds: dict[str, int]
    waiting: int = 0
    """Texts that are not indexed yet."""
    meaning: Literal["words_alone", "vectors"]
    why: str
    """What computes the vectors, or why nothing does."""
    vectors: int | None = None
    made: int = 0
    """Vectors that were made now."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """The last turn of one transcript."""

    status: Literal["ok", "lost"]
    file: str
    kind: str
    """See `clew.persona.answer_guard`."""
    ident: str = ""
    at: str = ""
    words: str = ""
    """What can be brought back."""
