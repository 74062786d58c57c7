"""Lines of a transcript of any size: bounded memory, whole lines only, broken ones set right.

Pure but for the reading function that the caller lends. A line ends at LF and nowhere else (U+2028
stands inside of strings). A line that is too long is passed over, not held. What follows the last LF
is still being written and is left for the next time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

LINE_BYTES: Final = 16 << 20
"""A longer line is passed over: pictures are that long, words never."""
CHUNK: Final = 1 << 20
_STARTS: Final = re.compile(rb'\{"(?:type|parentUuid|timestamp|uuid|sessionId|role|isSidechain)"')
_TRIES: Final = 32
_DIGITS: Final = 1_000

Read = Callable[[int, int], bytes]
"""Bytes from an offset, at most so many; fewer only at the end of the file."""


class Line(NamedTuple):
    """One whole line."""

    offset: int
    size: int
    """Its bytes, newline included."""
    data: bytes
    """Without the newline; empty for one that is too long."""
    too_long: bool = False


def lines(read: Read, offset: int = 0) -> Iterator[Line]:
    """The whole lines from `offset`, which must be where one begins."""
    held = b""
    skipped = 0
    """Bytes of a line that is too long, already passed over."""
    while chunk := read(offset + skipped + len(held), CHUNK):
        parts = (held + chunk).split(b"\n")
        held = parts.pop()
        for part in parts:
            size = skipped + len(part) + 1
            long = bool(skipped) or len(part) > LINE_BYTES
            yield Line(offset, size, b"" if long else part.removesuffix(b"\r"), long)
            offset += size
            skipped = 0
        if len(held) > LINE_BYTES or skipped:
            skipped += len(held)
            held = b""


def tail_start(read: Read, size: int, want: int) -> int:
    """Where the first whole line within the last `want` bytes begins; `size` when none does."""
    start = max(0, size - want)
    if not start:
        return 0
    at = start - 1  # a newline right before is the end of another line
    while at < size:
        chunk = read(at, CHUNK)
        if not chunk:
            break
        found = chunk.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(chunk)
    return size


class Found(NamedTuple):
    """The records of one line."""

    records: list[dict[str, Any]]
    lost: int
    """Bytes that made no sense."""


def records(data: bytes) -> Found:
    """The JSON objects of a line: one, or, where a torn record was followed by another without a
    newline, what is whole. Never raises."""
    data = data.strip(b"\0 \t\r")
    if not data:
        return Found([], 0)
    whole = _object(data)
    if whole is not None:
        return Found([whole], 0)
    found: list[dict[str, Any]] = []
    kept = end = 0
    for tries, start in enumerate(_STARTS.finditer(data)):
        if tries >= _TRIES:
            break
        if start.start() < end:
            continue  # within a record that is whole
        got = _leading(data[start.start() :])
        if got is not None:
            record, size = got
            found.append(record)
            kept += size
            end = start.start() + size
            if end >= len(data):
                break
    return Found(found, len(data) - kept)


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = _decoder.decode(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _leading(data: bytes) -> tuple[dict[str, Any], int] | None:
    """The object at the beginning, and how many bytes it takes."""
    text = data.decode("utf-8", "replace")
    try:
        value, chars = _decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    # Replacement characters make the two lengths differ; the end is then counted from the back.
    size = len(text[:chars].encode("utf-8")) if "\ufffd" not in text[:chars] else len(data)
    return value, size


def _whole(digits: str) -> int:
    return int(digits) if len(digits) <= _DIGITS else 0


_decoder: Final = json.JSONDecoder(parse_int=_whole)
