"""The files of a folder that is to be taken over: which there are, whose they are, what they become."""

from __future__ import annotations

import posixpath
from typing import Final

from clew.kernel.files import Files
from clew.kernel.text import byte_length, name_fault, nfc
from clew.persona.model import SETTINGS

_MOST: Final = 50_000
_DEPTH: Final = 12


def walk(files: Files, folder: str, unread: dict[str, OSError]) -> list[str]:
    """The regular files below a folder; links, hidden names and other homes are not followed. Folders
    that cannot be looked into are told in `unread`."""
    out: list[str] = []
    todo = [("", 0)]
    while todo and len(out) < _MOST:
        below, depth = todo.pop()
        try:
            names = files.names(posixpath.join(folder, below))
        except OSError as error:
            unread[below or "."] = error
            continue
        if SETTINGS in names and below:
            continue
        for name in reversed(names):
            path = f"{below}/{name}" if below else name
            found = files.stat(posixpath.join(folder, path))
            if name.startswith(".") or found is None:
                continue
            if found.kind == "dir" and depth < _DEPTH:
                todo.append((path, depth + 1))
            elif found.kind == "file":
                out.append(path)
    return sorted(out)


def file_name(path: str) -> str:
    """A transcript's own name, where a file of the archive can have it; empty for one that cannot."""
    stem = nfc(posixpath.basename(path)).rpartition(".")[0]
    return stem if name_fault(stem) is None and byte_length(stem) <= 120 and "~" not in stem else ""


def begins(page: bytes, content: bytes) -> bool:
    """Whether a page is this content, or this and more lines below it."""
    rest = page.removeprefix(content)
    if len(rest) + len(content) != len(page):
        return False
    return not rest or content.endswith(b"\n") or rest.startswith((b"\n", b"\r"))


def host_of(files: Files, real: str) -> str:
    """Whose transcript it is, by what it says. Raises `OSError` where it cannot be read."""
    from clew.persona.transcripts import place, reading

    files.read(real, 0, 1)
    kind = reading.detect(place.reader(files, real))
    return kind if kind in ("claude", "codex", "gemini") else "other"
