"""What one record of a transcript says, whichever host wrote it. Pure."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple

Who = Literal["person", "persona", "harness", "tool"]
TEXT_CHARS: Final = 200_000
"""Of one text; a run of one token may be longer, and says no more."""


class Piece(NamedTuple):
    """A part of a conversation: a prompt, (a block of) a response, a note of the harness."""

    who: Who
    """`harness`: written by the program in somebody's place; `tool`: the result of a call."""
    text: str = ""
    thinking: str = ""
    sealed: bool = False
    """There was thinking, and no words of it were kept."""
    blank: bool = False
    """There was a text, of nothing but white space."""
    tools: int = 0
    """Calls of tools."""
    stop: str = ""
    """Why the response ended, in the host's word; empty when it was not told."""
    tokens: int | None = None
    """Tokens that the response cost, as told."""
    stub: bool = False
    """Made by the harness in the persona's name."""
    group: str = ""
    """Neighbours with one group are one response."""
    ident: str = ""
    at: str = ""
    """The moment, as written."""
    window: str = ""
    model: str = ""
    boundary: bool = False
    """The conversation was compacted here."""
    forked: str = ""
    """The window that this one was copied from, where the record tells it."""


_MARKUP: Final = re.compile(
    r"<(?P<tag>command-name|command-message|command-args|local-command-stdout|local-command-stderr|"
    r"local-command-caveat|task-notification|system-reminder|bash-input|bash-stdout|bash-stderr|"
    r"user-prompt-submit-hook|environment_context|user_instructions|turn_aborted|teammate-message|"
    r"cross-session-message|channel|session_context|hook_context)\b[^>]*>.*?</(?P=tag)>",
    re.DOTALL,
)
"""What a harness puts where a person's words are expected."""
_MARKUP_CHARS: Final = 100_000


def injected(text: str) -> bool:
    """Whether a prompt is wholly made of a harness's markup. An empty one is not."""
    if not text.lstrip().startswith("<") or len(text) > _MARKUP_CHARS:
        return False
    return not _MARKUP.sub("", text).strip()


def text_of(value: Any) -> str:
    """A string, without lone surrogates, at most `TEXT_CHARS` long; empty for anything else."""
    if not isinstance(value, str):
        return ""
    return value[:TEXT_CHARS].encode("utf-8", "replace").decode("utf-8")


def name_of(value: Any, limit: int = 200) -> str:
    """A short string such as an id; empty for anything else."""
    return text_of(value)[:limit] if isinstance(value, str) else ""


def count_of(value: Any) -> int | None:
    """A whole number that is no truth value; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def texts_in(content: Any, *kinds: str) -> list[str]:
    """The texts of a list of blocks of these types, or the one text that stands for the list."""
    if isinstance(content, str):
        return [text_of(content)]
    blocks = content if isinstance(content, list) else []
    return [
        text_of(block.get("text"))
        for block in blocks
        if isinstance(block, dict) and block.get("type") in kinds
    ]
