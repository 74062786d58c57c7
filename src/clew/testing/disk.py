"""A file system in memory that behaves like a local Linux one, records what it is asked, and fails
on demand.

`Disk` stands in for `clew.kernel.files.Files`; the contract tests run against both. It knows
folders, links, modes, modification times and locks. What a crash makes of a recording is
`clew.testing.crash`. Touches nothing outside its own memory.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from clew.kernel.files import Files, Stat
from clew.testing.faulty import Failure
from clew.testing.nodes import (
    ROOT,
    Birth,
    Cut,
    Link,
    Mode,
    Nodes,
    Operation,
    Rename,
    Sync,
    SyncDir,
    Unlink,
    Write,
)

UMASK: Final = 0o022
_LINKS: Final = 40
_DEAD_PID: Final = "999999999"
"""Above any process number that Linux gives: the owner of a lock file found after a crash."""
_Found = tuple[int, str, int | None]


class Call(NamedTuple):
    """One mutating call and the operations it was made of."""

    name: str
    path: str
    operations: tuple[Operation, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.path}"


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)  # the constructor picks the subclass


class Disk(Files):
    """A disk in memory. Paths are absolute, with forward slashes.

    `lock_held` plays another process that holds every lock. `calls` is None until `record()`.
    """

    def __init__(
        self,
        fail_at: int | None = None,
        error: OSError | None = None,
        *,
        partial: bool = False,
        stays: bool = False,
        lock_held: bool = False,
    ) -> None:
        self.failure = Failure(fail_at, error, partial=partial, stays=stays)
        self.lock_held = lock_held
        self.calls: list[Call] | None = None
        self.nodes = Nodes()
        self._linked = False
        self._handles: dict[int, int] = {}
        self._locks: dict[int, dict[int, bool]] = {}
        self._next_handle = 1000
        self._doing: list[Operation] = []

    # ---- building and looking ------------------------------------------------------------------

    @classmethod
    def of(cls, nodes: Nodes) -> Disk:
        """A disk around content that exists already, which it takes over."""
        disk = cls()
        disk.nodes = nodes
        disk._linked = any(kind == "link" for kind, _ in nodes.info.values())
        return disk

    @classmethod
    def from_tree(cls, tree: Mapping[str, bytes]) -> Disk:
        """A disk with these files, and the folders above them. A path that ends in a slash is an
        empty folder."""
        disk = cls()
        for path, data in tree.items():
            parts = path.strip("/").split("/")
            folders = parts if path.endswith("/") else parts[:-1]
            for count in range(1, len(folders) + 1):
                disk.make_dir("/" + "/".join(folders[:count]))
            if not path.endswith("/"):
                disk.create("/" + "/".join(parts), data)
        disk.failure.calls = 0
        return disk

    def tree(self) -> dict[str, bytes]:
        """Every file by its path. Folders and links are left out."""
        return {p: d for p, d in self.nodes.everything().items() if not p.endswith(("/", "@"))}

    def copy(self) -> Disk:
        """The same content, as another process finds it: no open handles, locks or faults, and
        nothing recorded."""
        return Disk.of(self.nodes.copy())

    def record(self) -> list[Call]:
        """Record every mutating call from now on, into the list that is returned."""
        self.calls = []
        return self.calls

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.nodes.now += int(seconds * 1e9)

    def symlink(self, target: str, path: str) -> None:
        """Make a symbolic link (nothing in the kernel makes one; people do)."""
        folder, name, node = self._walk(path)
        if node is not None:
            raise _error(errno.EEXIST, path)
        new = self._born("link", 0o777)
        self._do(Link(folder, name, new))
        self._do(Write(new, 0, target.encode()))
        self._linked = True
        self._done("symlink", path)

    # ---- operations ----------------------------------------------------------------------------

    def _do(self, op: Operation) -> None:
        self.nodes.apply(op)
        self._doing.append(op)

    def _born(self, kind: str, mode: int) -> int:
        node = self.nodes.last + 1
        self._do(Birth(node, kind, mode & ~UMASK if kind != "link" else mode))
        return node

    def _done(self, name: str, path: str) -> None:
        if self.calls is not None:
            self.calls.append(Call(name, path, tuple(self._doing)))
        self._doing.clear()

    def _begin(self, name: str, path: str) -> None:
        """For calls that either happen or not."""
        if self.failure.due(name, path, writes=name in ("make_dir", "lock_create", "lock_note")):
            self.failure.fail(path)

    # ---- paths ---------------------------------------------------------------------------------

    def _walk(self, path: str, *, follow: bool = False, budget: int = _LINKS) -> _Found:
        """Folder, name and node (None when there is none) of a path; raises as `open` does."""
        parts = _parts(path)
        node, entries = ROOT, self.nodes.entries
        for index, part in enumerate(parts[:-1]):
            found = entries[node].get(part)
            if found is None:
                raise _error(errno.ENOENT, path)
            if found not in entries:
                if self.nodes.info[found][0] != "link":
                    raise _error(errno.ENOTDIR, path)
                there = self._target("/" + "/".join(parts[:index]), found, path, budget)
                rest = "/".join(parts[index + 1 :])
                return self._walk(f"{there}/{rest}", follow=follow, budget=budget - 1)
            node = found
        last = entries[node].get(parts[-1]) if parts[-1] else ROOT
        if follow and last is not None and self.nodes.info[last][0] == "link":
            there = self._target("/" + "/".join(parts[:-1]), last, path, budget)
            return self._walk(there, follow=True, budget=budget - 1)
        return node, parts[-1], last

    def _target(self, folder: str, node: int, path: str, budget: int) -> str:
        if budget <= 0:
            raise _error(errno.ELOOP, path)
        return _normal(folder, self.nodes.data[node].decode())

    def _open(self, path: str, *, follow: bool = True) -> int:
        """The node of an existing file that is opened for writing."""
        _, _, node = self._walk(path, follow=follow)
        if node is None:
            raise _error(errno.ENOENT, path)
        if node in self.nodes.entries:
            raise _error(errno.EISDIR, path)
        if self.nodes.info[node][0] == "link":
            raise _error(errno.ELOOP, path)
        return node

    def resolve(self, path: str) -> str:
        path = _normal("/", path)
        if not self._linked:
            return path
        out = ""
        parts = path.strip("/").split("/")[::-1]
        budget = _LINKS
        while parts:
            here = f"{out}/{parts.pop()}"
            found = self.stat(here)
            if found is not None and found.kind == "link" and budget:
                budget -= 1
                _, _, node = self._walk(here)
                assert node is not None
                there = _normal(out or "/", self.nodes.data[node].decode())
                parts += there.strip("/").split("/")[::-1]
                out = ""
            else:
                out = here
        return out

    # ---- reading -------------------------------------------------------------------------------

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
        _, _, node = self._walk(path, follow=True)
        if node is None:
            raise _error(errno.ENOENT, path)
        if node in self.nodes.entries:
            raise _error(errno.EINVAL, path)
        data = self.nodes.data[node]
        return data[offset:] if limit < 0 else data[offset : offset + limit]

    def stat(self, path: str) -> Stat | None:
        try:
            _, _, node = self._walk(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if node is None:
            return None
        kind = self.nodes.info[node][0]
        size = len(self.nodes.data[node]) if kind != "dir" else 4096
        return Stat(size, self.nodes.mtime[node], node, kind)

    def at_rest(self, found: Stat) -> bool:
        return False  # so that every run of a crash enumeration reads what is on its disk

    def names(self, folder: str) -> list[str]:
        try:
            _, _, node = self._walk(folder, follow=True)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(self.nodes.entries.get(node, ())) if node is not None else []

    def mode(self, path: str) -> int | None:
        try:
            _, _, node = self._walk(path, follow=True)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return None if node is None else self.nodes.info[node][1]

    # ---- changing ------------------------------------------------------------------------------

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        failing = self.failure.due("create", path, writes=True)
        if failing and not self.failure.partial:
            self.failure.fail(path)
        folder, name, node = self._walk(path)
        if node is not None:
            raise _error(errno.EEXIST, path)
        node = self._born("file", mode)
        self._do(Link(folder, name, node))
        self._written("create", path, Write(node, 0, data), failing)

    def set_mode(self, path: str, mode: int) -> None:
        self._begin("set_mode", path)
        _, _, node = self._walk(path, follow=True)
        if node is None:
            raise _error(errno.ENOENT, path)
        self._do(Mode(node, mode))
        self._done("set_mode", path)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        failing = self.failure.due("write_at", path, writes=True)
        if failing and not self.failure.partial:
            self.failure.fail(path)
        node = self._open(path, follow=False)
        self._written("write_at", path, Write(node, offset, data), failing)

    def _written(self, name: str, path: str, op: Write, failing: bool) -> None:
        data = op.data[: len(op.data) // 2] if failing else op.data
        if data:
            self._do(Write(op.node, op.offset, data))
        self._done(name, path)
        if failing:
            self.failure.fail(path)

    def truncate(self, path: str, size: int) -> None:
        self._begin("truncate", path)
        self._do(Cut(self._open(path), size))
        self._done("truncate", path)

    def sync(self, path: str) -> None:
        self._begin("sync", path)
        self._do(Sync(self._open(path)))
        self._done("sync", path)

    def sync_dir(self, folder: str) -> None:
        self._begin("sync_dir", folder)
        _, _, node = self._walk(folder, follow=True)
        if node is None:
            raise _error(errno.ENOENT, folder)
        self._do(SyncDir(node) if node in self.nodes.entries else Sync(node))
        self._done("sync_dir", folder)

    def replace(self, source: str, target: str) -> None:
        self._begin("replace", target)
        from_folder, old, node = self._walk(source)
        if node is None:
            raise _error(errno.ENOENT, source)
        to_folder, new, over = self._walk(target)
        if over == node:
            return
        if node in self.nodes.entries:
            if target.startswith(source + "/"):
                raise _error(errno.EINVAL, source)
            if over is not None and over not in self.nodes.entries:
                raise _error(errno.ENOTDIR, source)
            if over is not None and self.nodes.entries[over]:
                raise _error(errno.ENOTEMPTY, source)
        elif over is not None and over in self.nodes.entries:
            raise _error(errno.EISDIR, source)
        self._do(Rename(from_folder, old, to_folder, new, node))
        self._done("replace", target)

    def remove(self, path: str) -> None:
        self._begin("remove", path)
        try:
            folder, name, node = self._walk(path)
        except FileNotFoundError:
            return
        if node is None:
            return
        if node in self.nodes.entries:
            raise _error(errno.EISDIR, path)
        self._do(Unlink(folder, name, node))
        self._done("remove", path)

    def remove_dir(self, path: str) -> None:
        self._begin("remove_dir", path)
        folder, name, node = self._walk(path)
        if node is None:
            raise _error(errno.ENOENT, path)
        if node not in self.nodes.entries:
            raise _error(errno.ENOTDIR, path)
        if self.nodes.entries[node]:
            raise _error(errno.ENOTEMPTY, path)
        self._do(Unlink(folder, name, node))
        self._done("remove_dir", path)

    def make_dir(self, path: str, mode: int = 0o755) -> None:
        self._begin("make_dir", path)
        folder, name, node = self._walk(path)
        if node is not None:
            _, _, behind = self._walk(path, follow=True)
            if behind not in self.nodes.entries:
                raise _error(errno.EEXIST, path)
            return
        node = self._born("dir", mode)
        self._do(Link(folder, name, node))
        self._done("make_dir", path)

    # ---- locking -------------------------------------------------------------------------------

    def lock_create(self, path: str) -> int | None:
        self._begin("lock_create", path)
        folder, name, node = self._walk(path)
        if node is not None:
            return None
        node = self._born("file", 0o600)
        self._do(Link(folder, name, node))
        self._done("lock_create", path)
        return self._handle(node)

    def lock_open(self, path: str) -> int | None:
        try:
            return self._handle(self._open(path, follow=False))
        except FileNotFoundError:
            return None

    def _handle(self, node: int) -> int:
        self._next_handle += 1
        self._handles[self._next_handle] = node
        return self._next_handle

    def lock_try(self, handle: int, *, shared: bool = False) -> bool:
        holders = self._locks.setdefault(self._handles[handle], {})
        others = [mode for other, mode in holders.items() if other != handle]
        if self.lock_held or (others and not (shared and all(others))):
            return False
        holders[handle] = shared
        return True

    def lock_is_at(self, handle: int, path: str) -> bool:
        try:
            return self._walk(path, follow=True)[2] == self._handles[handle]
        except OSError:
            return False

    def lock_text(self, handle: int) -> str:
        return self.nodes.data[self._handles[handle]][:4096].decode("utf-8", "replace")

    def lock_age(self, handle: int) -> float:
        return max(0.0, (self.nodes.now - self.nodes.mtime[self._handles[handle]]) / 1e9)

    def lock_note(self, handle: int, text: str) -> None:
        self._begin("lock_note", "")
        node = self._handles[handle]
        # Whoever reads this after a crash must not find its own, living process in it.
        text = text.replace(f"pid={os.getpid()}\n", f"pid={_DEAD_PID}\n")
        if self.nodes.data[node]:
            self._do(Cut(node, 0))
        self._do(Write(node, 0, text.encode("utf-8")))
        self._done("lock_note", "")

    def lock_close(self, handle: int) -> None:
        self._locks.get(self._handles.pop(handle), {}).pop(handle, None)


@lru_cache(4096)
def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.strip("/").split("/"))


def _normal(folder: str, path: str) -> str:
    """An absolute path without `.`, `..` and doubled slashes."""
    if path.startswith("/") and "/." not in path and "//" not in path:
        return path if path == "/" else path.rstrip("/")
    out: list[str] = []
    for part in (path if path.startswith("/") else f"{folder}/{path}").split("/"):
        if part == "..":
            out[-1:] = []
        elif part not in ("", "."):
            out.append(part)
    return "/" + "/".join(out)
