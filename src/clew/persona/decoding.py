"""From the bytes of a home's files to what they say: a document, the lines of a log, a text.

Pure. What cannot be read is told by its path, and never taken for something empty.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, TypeVar

import msgspec

from clew.kernel import document
from clew.kernel.errors import Corrupt, Missing, NewerSchema
from clew.kernel.faults import Fault
from clew.persona import edits
from clew.persona.model import SCHEMA

T = TypeVar("T")
TEXT_BYTES: Final = 4_000_000
"""The longest text of a home that is read: years of a talkative persona fit, a stray dump does not."""


def decoded(data: bytes | None, kind: type[T], path: str) -> T | None:
    """A document of ours; None stays None. Raises `Corrupt` (`persona_file_broken`), `NewerSchema`."""
    if data is None:
        return None
    try:
        found = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        version = edits.schema_of(data)
        if version > SCHEMA:
            raise NewerSchema(
                Fault("newer_schema", file=path, found=version, limit=SCHEMA)
            ) from None
        reason = edits.why_unread(error)
        raise Corrupt(Fault("persona_file_broken", file=path, reason=reason)) from None
    version = getattr(found, "schema_version", SCHEMA)
    if version > SCHEMA:
        raise NewerSchema(Fault("newer_schema", file=path, found=version, limit=SCHEMA))
    # What clew wrote itself reads back to the byte; an edit is looked at twice.
    if data != document.encode(found) and (wrong := edits.wrong_in(data, found)):
        raise Corrupt(Fault("persona_file_broken", file=path, reason=wrong))
    return found


def decoded_lines(lines: list[bytes], kind: type[T], path: str, notes: list[Fault]) -> list[T]:
    """The lines of a log that can be read; the others are counted in one note."""
    out: list[T] = []
    broken = 0
    for line in lines:
        try:
            out.append(msgspec.json.decode(line, type=kind))
        except (msgspec.DecodeError, UnicodeDecodeError):
            broken += 1
    if broken:
        notes.append(Fault("persona_lines_unread", file=path, found=broken))
    return out


def text_of(data: bytes | None, path: str, most: int = TEXT_BYTES) -> str:
    """A text file's content with plain newlines. Raises `Corrupt` (`bad_encoding`, `too_large`)."""
    if data is not None and len(data) > most:
        raise Corrupt(Fault("too_large", file=path, found=len(data), limit=most))
    try:
        return (data or b"").decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Corrupt(Fault("bad_encoding", file=path, offset=error.start)) from None


def needed(found: T | None, path: str) -> T:
    """What must be there. A document that is gone is not one with defaults."""
    if found is None:
        raise Missing(Fault("persona_file_missing", file=path))
    return found


def instant(text: str) -> datetime:
    """The moment that a document wrote (`…Z`), in UTC."""
    return datetime.fromisoformat(text)
