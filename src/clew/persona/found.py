"""What a search in the memory answers with, beside `channel_answers`: only a search loads the index."""

from __future__ import annotations

import msgspec

from clew.persona.memory.words import Entry


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found."""

    status: str = "ok"
    hits: list[Entry]
    """By words, newest first."""
    near: list[Entry] = []
    """By meaning, nearest first; empty without vectors."""
    next: str = ""
    """Hand it to the next search as `--after` to go on; empty at the end."""
    waiting: int = 0
    """Texts that are not indexed yet."""
    zone: str
    """The persona's: moments are in UTC, people read them in it."""
