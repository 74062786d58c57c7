"""What a file system is made of: nodes (inodes), entries of folders, and the operations on them.

Operations speak of nodes, not of paths, so that a crash can lose one of them and keep those that
came after. `clew.testing.disk` puts paths on top, `clew.testing.crash` replays a part of them. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

ROOT: Final = 1
_TICK_NS: Final = 1_000_000
_START_NS: Final = 1_700_000_000_000_000_000


class Birth(NamedTuple):
    """A node comes into being. Without a name nobody finds it, so no crash loses it."""

    node: int
    kind: str
    mode: int


class Link(NamedTuple):
    """A folder gets an entry for a node."""

    folder: int
    name: str
    node: int


class Unlink(NamedTuple):
    """A folder loses the entry of a node."""

    folder: int
    name: str
    node: int


class Rename(NamedTuple):
    """An entry moves, over whatever was at the target, in one step."""

    source: int
    old: str
    target: int
    new: str
    node: int


class Write(NamedTuple):
    """Bytes go into a node at an offset."""

    node: int
    offset: int
    data: bytes


class Cut(NamedTuple):
    """A node gets another size."""

    node: int
    size: int


class Mode(NamedTuple):
    """A node gets other permission bits. The crash model takes no interest in them."""

    node: int
    mode: int


class Sync(NamedTuple):
    """Content of a node is forced to the disk."""

    node: int


class SyncDir(NamedTuple):
    """Entries of a folder are forced to the disk."""

    folder: int


Operation = Birth | Link | Unlink | Rename | Write | Cut | Mode | Sync | SyncDir


class Nodes:
    """The content of a disk. Every change moves the clock on, so no two versions look alike."""

    def __init__(self) -> None:
        self.now = _START_NS
        """Nanoseconds since the epoch."""
        self.last = ROOT
        self.info: dict[int, tuple[str, int]] = {ROOT: ("dir", 0o755)}
        """Kind (`file`, `dir`, `link`) and permission bits."""
        self.entries: dict[int, dict[str, int]] = {ROOT: {}}
        self.data: dict[int, bytes] = {}
        """Content of files, targets of links."""
        self.mtime: dict[int, int] = {ROOT: self.now}

    def copy(self) -> Nodes:
        """The same content; bytes are shared, so this costs no more than the names."""
        new = Nodes()
        new.now, new.last = self.now, self.last
        new.info = dict(self.info)
        new.entries = {node: dict(found) for node, found in self.entries.items()}
        new.data = dict(self.data)
        new.mtime = dict(self.mtime)
        return new

    def everything(self) -> dict[str, bytes]:
        """Files by path, folders by path and a slash, links by path and an `@`."""
        out: dict[str, bytes] = {}
        entries, data, info = self.entries, self.data, self.info
        stack = [("", ROOT)]
        while stack:
            prefix, folder = stack.pop()
            for name, node in entries[folder].items():
                path = f"{prefix}/{name}"
                if node in entries:
                    out[path + "/"] = b""
                    stack.append((path, node))
                else:
                    out[path if info[node][0] == "file" else path + "@"] = data[node]
        return out

    def replay(self, operations: Iterable[Operation]) -> None:
        """Carry out operations one after the other."""
        for op in operations:
            self.apply(op)

    def apply(self, op: Operation) -> None:
        """Carry out one operation, whatever became of the ones before it."""
        self.now += _TICK_NS
        match op:
            case Write(node, offset, data):
                have = self.data[node]
                if offset > len(have):
                    have += bytes(offset - len(have))
                self.data[node] = have[:offset] + data + have[offset + len(data) :]
                self.mtime[node] = self.now
            case Rename(source, old, target, new, node):
                if self.entries[source].get(old) == node:
                    del self.entries[source][old]
                self.entries[target][new] = node
                self.mtime[source] = self.mtime[target] = self.now
            case Link(folder, name, node):
                self.entries[folder][name] = node
                self.mtime[folder] = self.now
            case Unlink(folder, name, node):
                if self.entries[folder].get(name) == node:
                    del self.entries[folder][name]
                self.mtime[folder] = self.now
            case Birth(node, kind, mode):
                self.last = max(self.last, node)
                self.info[node] = (kind, mode)
                self.mtime[node] = self.now
                if kind == "dir":
                    self.entries.setdefault(node, {})
                else:
                    self.data.setdefault(node, b"")
            case Cut(node, size):
                have = self.data[node]
                self.data[node] = have[:size] + bytes(max(0, size - len(have)))
                self.mtime[node] = self.now
            case Mode(node, mode):
                self.info[node] = (self.info[node][0], mode)
            case Sync() | SyncDir():
                pass  # changes what a crash may lose, not what is there
