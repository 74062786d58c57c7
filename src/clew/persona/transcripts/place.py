"""A transcript on disk: whether it is one, whether it is still the same, and reading from it.

The only module of this folder that touches files, and it only reads. Which path it is was told by a
host: it is looked at as data, so a link, a device or a file of another kind is no transcript.
"""

from __future__ import annotations

import hashlib
import posixpath
from typing import Final, NamedTuple

from clew.kernel.files import Files, Stat
from clew.persona.transcripts.lines import Read

HEAD_BYTES: Final = 4_096
DAYS: Final = 30
"""Claude Code deletes a transcript so many days after its last change, unless told otherwise."""
MOST_DAYS: Final = 36_500


class Transcript(NamedTuple):
    """A transcript as it lies there now."""

    path: str
    stat: Stat
    head: str
    """Hash of the first line (of its beginning, where that is long)."""

    @property
    def document(self) -> bool:
        """Whether it is one JSON document, rewritten at each save, rather than growing lines."""
        return self.path.endswith(".json")


def find(files: Files, path: str) -> Transcript | None:
    """The transcript at a path; None where there is no regular file (any more)."""
    try:
        found = files.stat(path)
        if found is None or found.kind != "file":
            return None
        data = files.read(path, 0, HEAD_BYTES)
    except (OSError, ValueError):
        return None
    return Transcript(path, found, head_of(data))


def head_of(data: bytes) -> str:
    """What tells that a file that grows is still the same one; empty before its first line is whole."""
    line, newline, _ = data[:HEAD_BYTES].partition(b"\n")
    if not newline and len(data) < HEAD_BYTES:
        return ""
    return hashlib.sha256(line).hexdigest()[:32]


def reader(files: Files, path: str, end: int | None = None) -> Read:
    """Reads a file from an offset; nothing once it is gone. `end`: as if it ended there."""

    def read(offset: int, limit: int) -> bytes:
        if end is not None:
            limit = min(limit, end - offset)
            if limit <= 0:
                return b""
        try:
            return files.read(path, offset, limit)
        except OSError:
            return b""

    return read


def kept_days(files: Files, path: str) -> int | None:
    """After how many days without a change Claude Code deletes this transcript; None for a file that
    does not lie where it keeps them."""
    import json

    folder = posixpath.dirname(path)
    projects = posixpath.dirname(folder)
    if posixpath.basename(projects) != "projects":
        return None
    try:
        data = files.read(posixpath.join(posixpath.dirname(projects), "settings.json"), 0, 1 << 20)
        value = json.loads(data).get("cleanupPeriodDays")
    except (OSError, ValueError, RecursionError, AttributeError):
        return DAYS
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_DAYS
    return value if whole else DAYS
