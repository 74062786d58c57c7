"""The vault in memory: for tests and simulations, and the first to pass the contract suite."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from clew.kernel import log
from clew.kernel.errors import ChangedOutside, Locked, Missing, Refused
from clew.kernel.faults import Fault
from clew.kernel.vault import Reader, Recovery, Report, Scope, Transaction, safe_path

T = TypeVar("T")


class _Look:
    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    def read(self, path: str) -> bytes | None:
        return self._files.get(safe_path(path))

    def names(self, folder: str) -> list[str]:
        prefix = safe_path(folder) + "/" if folder else ""
        return sorted({p[len(prefix) :].split("/")[0] for p in self._files if p.startswith(prefix)})

    def tail(self, path: str) -> log.Tail:
        return log.tail_of(self._files.get(safe_path(path), b""))


class _Change(_Look):
    def __init__(self, files: dict[str, bytes], scope: Scope) -> None:
        super().__init__(dict(files))
        self.after = dict(files)
        self.recovery = Recovery()
        self.report = Report()
        self.rendered = False
        self._scope = scope
        self._aside: list[str] = []

    def write(self, path: str, data: bytes, *, truth: bool = False) -> None:
        self.after[safe_path(path)] = data

    def append(self, path: str, line: bytes) -> None:
        if b"\n" in line:
            raise ValueError("a log line holds no newline")
        path = safe_path(path)
        end = self.tail(path)
        if end.torn and self.after.get(path) == self._files.get(path):
            self.after[self._place(f"{path}.torn")] = end.torn
            self.after[path] = self._files[path][: end.end]
        self.after[path] = self.after.get(path, b"") + line + b"\n"

    def remove(self, path: str, *, truth: bool = False) -> None:
        self.after.pop(safe_path(path), None)

    def move(self, source: str, target: str) -> None:
        source, target = safe_path(source), safe_path(target)
        if not any(p == source or p.startswith(source + "/") for p in self._files):
            raise Missing(Fault("missing_file", file=source))
        if any(p == target or p.startswith(target + "/") for p in self.after):
            raise Refused(Fault("target_exists", file=target))
        for path in [p for p in self.after if p == source or p.startswith(source + "/")]:
            self.after[target + path[len(source) :]] = self.after.pop(path)

    def set_aside(self, path: str) -> str:
        path = safe_path(path)
        place = self._place(path)
        self.after[place] = self._files[path]
        self._aside.append(place)
        return place

    def _place(self, path: str) -> str:
        """A free place for a copy of `path` in the private folder."""
        number = 0
        while (place := f"{self._scope.private}/aside/{number}/{path}") in self.after:
            number += 1
        return place

    def done(self) -> Report:
        before = self._files
        return Report(
            tuple(sorted(p for p, d in self.after.items() if before.get(p) != d)),
            tuple(sorted(p for p in before if p not in self.after)),
            tuple(self._aside),
        )


class MemoryVault:
    """A vault whose files are a dictionary. One process, any number of threads."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.files: dict[str, bytes] = dict(files or {})
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._publishing = threading.Lock()

    def reader(self, scope: Scope) -> Reader:
        return _Look(dict(self.files))

    def snapshot(self, scope: Scope, look: Callable[[Reader], T], *, timeout: float = 10.0) -> T:
        return look(_Look(dict(self.files)))

    @contextmanager
    def transaction(
        self, scope: Scope, *, timeout: float = 10.0, keep: str | None = None
    ) -> Iterator[Transaction]:
        lock = self._locks[scope.lock]
        if not lock.acquire(timeout=timeout):
            raise Locked(Fault("locked", file=scope.lock, owner="this process", limit=timeout))
        try:
            before = dict(self.files)
            change = _Change(before, scope)
            yield change
            report = change.done()
            with self._publishing:  # another scope may have published meanwhile
                files = dict(self.files)
                for path in (*report.written, *report.removed):
                    if files.get(path) != before.get(path):
                        raise ChangedOutside(Fault("edited_meanwhile", file=path))
                for path in report.removed:
                    del files[path]
                files |= {path: change.after[path] for path in report.written}
                change.report = report
                self.files = files
        finally:
            lock.release()

    def pending(self, scope: Scope) -> bool:
        return False
