"""Changes that could not be saved: kept as JSON lines until the next change takes them in.

A line is written whole before a command answers, under a lock of its own, so that one process can
put a change off while another holds the state. Whoever takes the lines first renames the file
(`.taken`) and removes it when the state that holds them is durable; every line carries an id, so
what a crash leaves behind is recognised and not applied again. Several places are tried: beside the
state, and private folders of the session (a full disk is rarely both). What waits in all of them is
one sequence, in the order in which it was sent. Standard library only, Python 3.9.
"""

from __future__ import annotations

import json
import os
import zlib

from clew.sidecar.changes import in_order, is_lawful
from clew.sidecar.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from clew.kernel.files import Files

CAP = 4 * 1024 * 1024
"""Bytes of one file of lines: what comes after is told as lost, never a disk that fills up."""
_WAIT = 1.0


def owner(path: str) -> int | None:
    """The user number of a path's owner (links are not followed), or None where there is none."""
    try:
        return os.lstat(path).st_uid
    except OSError:
        return None


def is_ours(path: str) -> bool:
    """Whether a path belongs to this user, as far as the system knows users."""
    who = getattr(os, "geteuid", None)
    return who is None or owner(path) in (None, who())


class Batch:
    """Lines that one change took: `entries` to apply, `damaged` when some could not be read. Lines
    that `stays` have not been taken: those before them cannot be removed."""

    __slots__ = ("damaged", "entries", "path", "stays")

    def __init__(
        self, path: str, entries: list[dict[str, Any]], damaged: bool, *, stays: bool = False
    ) -> None:
        self.path = path
        self.entries = entries
        self.damaged = damaged
        self.stays = stays


class Pending:
    """The changes of one state file that wait. `rooms`: folders of the session, in their order;
    `beside` False: the state lies where nothing may be written."""

    def __init__(
        self,
        files: Files,
        state: str,
        rooms: Sequence[str] = (),
        ours: Callable[[str], bool] = is_ours,
        *,
        beside: bool = True,
    ) -> None:
        self._files = files
        self._state = state
        self._ours = ours
        key = f"{zlib.crc32(state.encode('utf-8', 'surrogateescape')):08x}"
        name = state.rpartition("/")[2]
        self.beside = state + ".pending" if beside else ""
        self.elsewhere = [f"{room}/clew-sidecar/{key}-{name}.pending" for room in rooms]

    # ---- putting off ---------------------------------------------------------------------------

    def add(self, entries: Sequence[dict[str, Any]]) -> str | None:
        """Keep changes for later; the file that holds them, or None: they are lost."""
        lines = [
            json.dumps({**entry, "file": self._state}, separators=(",", ":")) for entry in entries
        ]
        data = "".join(line + "\n" for line in lines).encode("ascii")
        for path in filter(None, (self.beside, *self.elsewhere)):
            try:
                if path != self.beside:
                    self._make_private(path.rpartition("/")[0])
                self._append(path, data)
            except OSError:
                continue
            return path
        return None

    def _append(self, path: str, data: bytes) -> None:
        files = self._files
        with Section(files, path, timeout=_WAIT) as section:
            if section.created:
                files.set_mode(path, 0o600)
            found = files.stat(path)
            size = found.size if found is not None else 0
            if size + len(data) > CAP:
                raise OSError(27, "too many changes wait", path)
            if size and files.read(path, size - 1, 1) != b"\n":
                data = b"\n" + data  # whoever wrote the last line died in it
            try:
                files.write_at(path, size, data)
                files.sync(path)
                if section.created:
                    files.sync_dir(path.rpartition("/")[0])
            except OSError:
                self._undo(path, size)
                raise

    def _undo(self, path: str, size: int) -> None:
        try:
            if size:
                self._files.truncate(path, size)
            else:
                self._files.remove(path)
        except OSError:
            return  # a torn line is set aside when the lines are taken

    def _make_private(self, folder: str) -> None:
        """A folder below a shared one: only if nobody else made it or can write in it."""
        for path in (folder.rpartition("/")[0], folder):
            self._files.make_dir(path, 0o700)
            if not self._is_private(path):
                raise OSError(1, "not a private folder", path)

    def _is_private(self, folder: str) -> bool:
        found = self._files.stat(folder)
        if found is None or found.kind != "dir" or not self._ours(folder):
            return False
        mode = self._files.mode(folder)
        return os.name == "nt" or mode is None or not mode & 0o077

    # ---- taking in -----------------------------------------------------------------------------

    def waiting(self) -> list[dict[str, Any]]:
        """All changes that wait, oldest first, without taking them. Raises nothing."""
        places: list[list[dict[str, Any]]] = []
        for path in self._places():
            lines: list[dict[str, Any]] = []
            for name in (path + ".taken", path):
                lines += self._lines(path, name)
            places.append(lines)
        return in_order(places)

    def _lines(self, path: str, name: str) -> list[dict[str, Any]]:
        """The changes in one file of a place, as far as they can be read."""
        try:
            found = self._files.stat(name)
            if found is None or found.kind != "file":
                return []
            return self._entries(path, self._files.read(name, 0, CAP))[0]
        except OSError:
            return []

    def rounds(self) -> Iterator[list[Batch]]:
        """Take what waits, one file of each place at a time. The state's lock must be held; what a
        round gave must be saved and `done` before the next is asked for."""
        # What could not be removed is not taken again (it is in force, and is known), and what
        # came after it is read where it is.
        stuck: set[str] = set()
        seen: set[str] = set()
        while True:
            found = []
            for path in self._places():
                taken = path + ".taken"
                if path in seen:
                    continue
                if path in stuck:
                    seen.add(path)
                    lines = self._lines(path, path)
                    if lines:
                        found.append(Batch(path, lines, False, stays=True))
                    continue
                entries = self._taken(path, taken)
                if entries is not None:
                    found.append(Batch(taken, *entries))
            if not found:
                return
            yield found
            stuck |= {
                batch.path[: -len(".taken")]
                for batch in found
                if not batch.stays and not self.is_gone(batch.path)
            }

    def is_gone(self, path: str) -> bool:
        """Whether there is no such file for certain: its folder is there, and it is not."""
        try:
            folder = path.rpartition("/")[0]
            return self._files.stat(path) is None and self._files.stat(folder) is not None
        except OSError:
            return False

    def _taken(self, path: str, taken: str) -> tuple[list[dict[str, Any]], bool] | None:
        try:
            found = self._files.stat(taken)
            if found is None:
                if not self._take(path, taken):
                    return None
            elif found.kind != "file":
                return None
            return self._entries(path, self._files.read(taken, 0, CAP))
        except OSError:
            return None  # what cannot be read now waits on, and keeps nobody from saving

    def _take(self, path: str, taken: str) -> bool:
        if self._files.stat(path) is None:
            return False
        with Section(self._files, path, timeout=_WAIT) as section:
            if section.created:  # somebody else took it, and this is a new, empty one
                self._files.remove(path)
                return False
            self._files.replace(path, taken)
        return True

    def done(self, batch: Batch, moment: str) -> str:
        """The state that holds a batch is durable. Damaged lines are kept; where, or nothing.
        Raises OSError when the lines could not be removed."""
        kept = ""
        if batch.damaged:
            kept = self._aside(batch.path[: -len(".taken")], "broken", moment)
            self._files.replace(batch.path, kept)
        else:
            self._files.remove(batch.path)
        self._files.sync_dir(batch.path.rpartition("/")[0])
        return kept

    def drop(self, moment: str) -> list[str]:
        """Set everything that waits aside; where it is kept."""
        out = []
        for path in self._places():
            for name in (path + ".taken", path):
                if self._files.stat(name) is not None:
                    out.append(self._aside(path, "old", moment))
                    self._files.replace(name, out[-1])
        return out

    def _aside(self, path: str, kind: str, moment: str) -> str:
        name = stem = f"{path}.{kind}-{moment}"
        number = 0
        while self._files.stat(name) is not None:
            number += 1
            name = f"{stem}-{number}"
        return name

    def _places(self) -> Iterator[str]:
        if self.beside:
            yield self.beside
        for path in self.elsewhere:
            folder = path.rpartition("/")[0]
            if self._is_private(folder) and self._is_private(folder.rpartition("/")[0]):
                yield path

    def _entries(self, path: str, data: bytes) -> tuple[list[dict[str, Any]], bool]:
        out: list[dict[str, Any]] = []
        damaged = False
        for line in data.split(b"\n"):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                entry = None
            if not is_lawful(entry):
                damaged = True
            elif path == self.beside or entry["file"] == self._state:
                out.append(entry)
        return out, damaged
