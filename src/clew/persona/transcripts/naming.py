"""Which paths can be transcripts: by their names alone. Pure."""

from __future__ import annotations

import posixpath
import re
from typing import Final

ENDINGS: Final = (".jsonl", ".json")
_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[\\/]")


def belongs(path: str, window: str) -> bool:
    """Whether a path can be the transcript of a session: absolute, of a known ending, and named after
    the session (or `session…`, as Gemini CLI names its documents). A home may come from anywhere, and
    what it names outside of itself is read for nothing else."""
    if "\0" in path or _ABSOLUTE.match(path) is None:
        return False
    name = posixpath.basename(path.replace("\\", "/"))
    named = window in name or (name.startswith("session") and name.endswith(".json"))
    return bool(window) and named and name.endswith(ENDINGS)
