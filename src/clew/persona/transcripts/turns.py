"""Pieces joined into responses and turns. Pure; holds the present turn and no more.

A turn runs from a person's prompt to the next one. What a harness puts in between (the result of a
tool, a request to go on) does not end it, so a turn is judged by its last response.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from clew.persona.transcripts.piece import TEXT_CHARS, Piece

_REMEMBERED: Final = 50_000
"""Records that are known again when a host writes them a second time after a fork."""


class Response:
    """What the persona said in one go, joined from its blocks."""

    def __init__(self, piece: Piece) -> None:
        self.group = piece.group
        self.text = ""
        self.thinking = ""
        self.sealed = self.blank = self.stub = False
        self.tools = 0
        self.stop = ""
        self.tokens: int | None = None
        self.ident = self.at = self.window = ""
        self.add(piece)

    def add(self, piece: Piece) -> None:
        """Join another block. A block that begins with the one before replaces it: some versions
        write a part first and the whole afterwards."""
        self.text = _joined(self.text, piece.text)
        self.thinking = _joined(self.thinking, piece.thinking)
        self.sealed = self.sealed or piece.sealed
        self.blank = self.blank or piece.blank
        self.stub = self.stub or piece.stub
        self.tools += piece.tools
        self.stop = piece.stop or self.stop
        self.tokens = piece.tokens if piece.tokens is not None else self.tokens
        self.ident = piece.ident or self.ident
        self.at = piece.at or self.at
        self.window = piece.window or self.window


def _joined(before: str, more: str) -> str:
    if not more or before.endswith(more):
        return before
    if not before or more.startswith(before):
        return more
    return f"{before}\n\n{more}"[:TEXT_CHARS]


class Turn:
    """From one prompt to the next."""

    def __init__(self, prompt: Piece | None) -> None:
        self.prompt = prompt
        self.last: Response | None = None
        self.silent_before = 0
        """Earlier responses of this turn that ended without a word: the harness asked again."""
        self.responses = 0
        self.closed = False
        """Whether the next prompt has come."""

    def add(self, piece: Piece) -> bool:
        """Take a block of a response; False when it goes on with the one before."""
        last = self.last
        if last is not None and piece.group and last.group == piece.group:
            last.add(piece)
            return False
        if last is not None and not last.text and not last.tools and not last.stub:
            self.silent_before += 1
        self.last = Response(piece)
        self.responses += 1
        return True


class Turns:
    """Takes pieces in order, hands over each turn that ended, and holds the present one."""

    def __init__(self) -> None:
        self.present = Turn(None)
        self.prompts = 0
        self.responses = 0
        self.compactions = 0
        self._seen: OrderedDict[str, None] = OrderedDict()

    def take(self, piece: Piece) -> Turn | None:
        """The turn that this piece ended, if it did."""
        if piece.ident and self._again(f"{piece.who}{piece.ident}{piece.group}"):
            return None
        if piece.boundary:
            self.compactions += 1
        if piece.who == "person":
            ended, self.present = self.present, Turn(piece)
            ended.closed = True
            self.prompts += 1
            return ended
        if piece.who == "persona":
            self.responses += self.present.add(piece)
        elif self.present.last is not None:
            self.present.last.group = ""  # what follows is another response
        return None

    def _again(self, mark: str) -> bool:
        if mark in self._seen:
            return True
        self._seen[mark] = None
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return False
