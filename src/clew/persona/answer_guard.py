"""The answer guard: did the persona's last turn end with words, and can they be brought back?

Pure. A turn may have ended with its words in the thinking block and none in the answer. What to do
about it depends on the shape: words that were kept can be brought back, others are gone, and a
harness that has asked again already needs no second voice. Source: the table of known failures of
the persona contract; the guard reports and rescues, it never edits a transcript.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from clew.persona.transcripts.turns import Response, Turn

Kind = Literal[
    "spoken", "healed", "running", "silence", "stub", "salvageable", "cut_off", "gone", "empty"
]
LOST: Final = ("salvageable", "cut_off", "gone", "empty")
"""Turns that ended without the answer that was meant to be there."""
RESCUED: Final = ("salvageable", "cut_off")
"""Those of which words are left."""
SALVAGE_CHARS: Final = 20_000


class Verdict(NamedTuple):
    """How a turn ended."""

    kind: Kind
    """`spoken`: with words. `healed`: with words, after the harness asked again. `running`: with a
    call of a tool, or not yet. `silence`: with white space, which somebody asked for. `stub`: with
    words of the harness. `salvageable`: without, and the thinking holds them. `cut_off`: the same,
    and the limit of tokens ended it. `gone`: without, and the thinking was not kept. `empty`:
    without either."""
    ident: str = ""
    at: str = ""
    words: str = ""
    """What can be brought back."""

    @property
    def lost(self) -> bool:
        """Whether an answer is missing."""
        return self.kind in LOST


def judge(turn: Turn) -> Verdict:
    """How a turn ended."""
    last = turn.last
    if last is None:
        return Verdict("running")
    kind, words = _kind(last, turn)
    return Verdict(kind, last.ident, last.at, words[:SALVAGE_CHARS])


def _kind(last: Response, turn: Turn) -> tuple[Kind, str]:
    if last.stub:
        return "stub", ""
    if last.text:
        return ("healed" if turn.silent_before else "spoken"), ""
    if last.tools or last.stop == "tool_use":
        return "running", ""
    if last.stop == "max_tokens":
        return "cut_off", last.thinking
    if last.blank:
        return "silence", ""
    if not turn.closed and not last.stop and not last.thinking and not last.sealed:
        return "running", ""
    if last.thinking:
        return "salvageable", last.thinking
    if last.sealed:
        return "gone", ""
    return "empty", ""


def told_by_host(message: str | None, *, asked_again: bool) -> Kind | None:
    """What a host's own word at the end of a turn settles without a look at the transcript: its last
    message, and whether this turn was already made to go on. None: the transcript must tell."""
    if asked_again:
        return "healed"  # somebody spoke already: stay silent
    if message is not None and message.strip():
        return "spoken"
    return None
