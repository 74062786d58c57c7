"""Append-only logs: one JSON object a line. A torn last line is set aside, never served.

A line counts when it ends in a newline. What follows the last newline was cut off by a kill or a
power loss (or padded with NULs by the file system) and is *torn*: readers leave it out and say so,
the next append keeps a copy of it and writes over it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from clew.kernel.files import Files

_BLOCK: Final = 65_536


class Tail(NamedTuple):
    """The end of a log."""

    line: bytes | None
    """The last whole line without its newline; None when there is none."""
    start: int
    """Offset of that line."""
    end: int
    """Offset after its newline: where the next line goes."""
    torn: bytes
    """Bytes after `end`."""


def lines(data: bytes) -> tuple[list[bytes], bytes]:
    """Split a whole log into its lines and the torn rest. CRLF (from a git checkout) is tolerated."""
    parts = data.split(b"\n")
    torn = parts.pop()
    return [part[:-1] if part.endswith(b"\r") else part for part in parts if part.strip()], torn


def tail_of(data: bytes) -> Tail:
    """The end of a log of which all the bytes are at hand. Blank lines are no lines."""
    end = stop = data.rfind(b"\n") + 1
    while stop:
        start = data.rfind(b"\n", 0, stop - 1) + 1
        line = data[start : stop - 1]
        if line.strip():
            return Tail(line.removesuffix(b"\r"), start, end, data[end:])
        stop = start
    return Tail(None, 0, end, data[end:])


def tail(files: Files, path: str) -> Tail:
    """Read the last line without reading the log: blocks from the end until it is whole."""
    found = files.stat(path)
    if found is not None and found.kind != "file":
        raise OSError(22, "not a regular file", path)
    if found is None or found.size == 0:
        return Tail(None, 0, 0, b"")
    size = found.size
    want = _BLOCK
    while True:
        base = max(0, size - want)
        last = tail_of(files.read(path, base))
        # A line that starts where the block does may have begun before it.
        if base == 0 or last.start:
            return last._replace(start=last.start and base + last.start, end=base + last.end)
        want *= 4


def append(files: Files, path: str, line: bytes, mode: int = 0o644) -> bytes:
    """Add one line durably: one write, one sync, no journal. Returns the torn bytes it replaced.

    The caller holds the scope's lock and keeps what is returned. `line` has no newline of its own.
    """
    if b"\n" in line:
        raise ValueError("a log line holds no newline")
    end = tail(files, path)
    if files.stat(path) is None:
        files.create(path, line + b"\n", mode)
        files.sync(path)
        files.sync_dir(path.rsplit("/", 1)[0])
        return b""
    files.write_at(path, end.end, line + b"\n")
    if len(end.torn) > len(line) + 1:
        files.truncate(path, end.end + len(line) + 1)
    files.sync(path)
    return end.torn
