"""From bytes to pieces: which host wrote a transcript, and what it says from an offset on.

Pure but for the reading function that the caller lends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NamedTuple

from clew.persona.transcripts import chat, claude, codex, gemini
from clew.persona.transcripts.lines import Line, Read, lines, records
from clew.persona.transcripts.piece import Piece

Format = Literal["claude", "codex", "gemini", "chat"]
_LOOK: Final = 50
"""Lines in which the format must show."""
_OF: Final[dict[Format, Callable[[dict[str, Any]], list[Piece]]]] = {
    "claude": claude.pieces,
    "codex": codex.pieces,
    "gemini": gemini.pieces,
    "chat": chat.pieces,
}


class Step(NamedTuple):
    """One line, what it says, and what of it made no sense."""

    line: Line
    pieces: list[Piece]
    lost: int
    """Bytes."""


def format_of(record: dict[str, Any]) -> Format | None:
    """Whose record this is; None when it could be anybody's."""
    if isinstance(record.get("payload"), dict) and isinstance(record.get("type"), str):
        return "codex"
    if any(key in record for key in ("parentUuid", "sessionId", "leafUuid")) and "type" in record:
        return "claude"
    if gemini.is_ours(record) and not isinstance(record.get("messages"), list):
        return "gemini"
    if isinstance(record.get("messages"), list) or isinstance(record.get("role"), str):
        return "chat"
    return None


def pieces_of(record: dict[str, Any], kind: Format | None = None) -> list[Piece]:
    """What one record says. Never raises; says nothing for what is not known."""
    kind = kind or format_of(record)
    return [] if kind is None else _OF[kind](record)


def detect(read: Read) -> Format | None:
    """The format of a transcript, from its first lines."""
    for count, line in enumerate(lines(read)):
        if count >= _LOOK:
            break
        for record in records(line.data).records:
            if (kind := format_of(record)) is not None:
                return kind
    return None


def steps(read: Read, offset: int = 0, kind: Format | None = None) -> Iterator[Step]:
    """What stands from `offset` on, line by line. Holds one line at a time."""
    for line in lines(read, offset):
        if line.too_long:
            yield Step(line, [], line.size)
            continue
        found = records(line.data)
        yield Step(line, [p for r in found.records for p in pieces_of(r, kind)], found.lost)


def whole(data: bytes) -> list[Piece]:
    """What a document that is one JSON object, or a list of messages, says."""
    found = records(data)
    if found.records and not found.lost:
        return [piece for record in found.records for piece in pieces_of(record, None)]
    wrapped = records(b'{"messages":' + data.strip() + b"}")
    if wrapped.records and not wrapped.lost:
        return chat.pieces(wrapped.records[0])
    return []
