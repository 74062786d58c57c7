"""Which paths can be transcripts: by their names alone. Pure."""

from __future__ import annotations

import posixpath
import re
from typing import Final

ENDINGS: Final = (".jsonl", ".json")
_START: Final = 8
"""So much of an id is in the name of a file of Gemini CLI."""
_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[\\/]")


def belongs(path: str, window: str) -> bool:
    """Whether a path can be the transcript of a session: absolute, of a known ending, and named after
    the session: by its whole id, or, as Gemini CLI does, `session…` with the beginning of it (its older
    documents with nothing of it). A home may come from anywhere, and what it names outside of itself is
    read for nothing else."""
    if "\0" in path or not window or _ABSOLUTE.match(path) is None:
        return False
    name = posixpath.basename(path.replace("\\", "/"))
    if not name.endswith(ENDINGS):
        return False
    if window in name:
        return True
    started = f"-{window[:_START]}.jsonl"
    return name.startswith("session") and (name.endswith((started, ".json")))
