"""The lines of the channels' logs. Pure.

Every line counts on from the one before (`n`), so that a reader can say how far it has read and
anybody can see that none is missing.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Line(Struct, omit_defaults=True, kw_only=True):
    """What every line has."""

    n: int
    at: str
    """In UTC."""
    date: str = ""
    """The civil date of `at` in the persona's zone."""
    window: str = ""
    """The window that wrote it, or that it is about."""


class Note(Line, kw_only=True):
    """A note on the board."""

    by: str = ""
    """Who left it; empty where nobody said."""
    to: str = ""
    """For whom; empty: for anybody."""
    text: str
    task: bool = False
    """Whether it hands something over."""
    re: int = 0
    """The note that it answers."""


class Baton(Line, kw_only=True):
    """What a window hands to the next."""

    done: str
    """Where it got to."""
    next: str = ""
    avoid: str = ""
    """What is not to be repeated."""


class Thinking(Line, kw_only=True):
    """A line of the stream: what is on a window's mind."""

    text: str


class Said(Line, kw_only=True):
    """A line of the live channel: what was said in a window."""

    said_at: str = ""
    """When, as the host wrote it."""
    who: Literal["person", "persona"]
    text: str
    cut_chars: int = 0
    """How much of it is left out here; the archive holds it all."""
    ident: str = ""
    """The host's name for it."""
    salvaged: bool = False
    """Brought back from the thinking of a turn that had no answer."""


class Receipt(Line, kw_only=True):
    """A prompt that came in. What it said is not written down here."""

    how: Literal["typed", "injected"]
    evidence: Literal["host", "markup", "timer", "wake", "none"]
    """What tells: the host's own word, its markup, a timer of the session with these words, a wake
    of the pulse. `none`: nothing speaks against a person."""
    source: str = ""
    """The host's word for it, or the timer, or the wake."""
    host: str = ""
    chars: int = 0
    prompt: str = ""
    """The host's id of the prompt."""
    mark: str = ""
    """The mark of the hook that it was taken from."""
