"""The vault as a folder on disk: stage, journal, publish, recover.

How a change is made durable, and in which order, is in `publish`; how an interrupted one is
completed is in `recover` (both in `clew.kernel.publish`); paths and links are `clew.kernel.place`.
This module joins them to the lock and to readers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from clew.kernel import lock, log
from clew.kernel.clock import Clock, system_clock
from clew.kernel.errors import Locked, Refused, StorageFailed, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files, boot_id
from clew.kernel.place import Place
from clew.kernel.publish import Change, Seen, publish, recover, settle
from clew.kernel.vault import Reader, Recovery, Report, Scope, Transaction, safe_path

T = TypeVar("T")
_RETRIES: Final = 200


class _Look:
    """Reads files; with an overlay, through the journal of a change that is not yet published."""

    def __init__(self, place: Place, overlay: dict[str, bytes | None] | None = None) -> None:
        self._place = place
        self._overlay = overlay or {}
        self.seen = Seen()
        place.forget()

    def read(self, path: str) -> bytes | None:
        path = safe_path(path)
        if path in self._overlay:
            return self._overlay[path]
        real = self._place.real(path)
        try:
            found = self._place.files.stat(real)
            self.seen.stats[path] = found
            data = None if found is None else self._place.files.read(real)
            self.seen.contents[path] = data
            return data
        except OSError as error:
            raise storage_failed(error, path) from error

    def names(self, folder: str) -> list[str]:
        try:
            real = self._place.real(safe_path(folder)) if folder else self._place.root
            found = self._place.files.names(real)
        except OSError as error:
            raise storage_failed(error, folder) from error
        prefix = f"{folder}/" if folder else ""
        new = {
            p[len(prefix) :].split("/")[0]
            for p, data in self._overlay.items()
            if p.startswith(prefix) and data is not None
        }
        return sorted(new.union(found)) if new else found

    def tail(self, path: str) -> log.Tail:
        path = safe_path(path)
        if path in self._overlay:
            data = self._overlay[path] or b""
            found, torn = log.lines(data)
            end = len(data) - len(torn)
            return log.Tail(found[-1] if found else None, 0, end, torn)
        try:
            real = self._place.real(path)
            self.seen.stats[path] = self._place.files.stat(real)
            return log.tail(self._place.files, real)
        except OSError as error:
            raise storage_failed(error, path) from error


class _Changing(_Look):
    """A transaction: collects changes; `publish` makes them one."""

    def __init__(self, place: Place, scope: Scope, recovery: Recovery) -> None:
        super().__init__(place)
        self.scope = scope
        self.recovery = recovery
        self.report = Report()
        self.changes = Change()

    def write(self, path: str, data: bytes, *, truth: bool = False) -> None:
        self.changes.writes[safe_path(path)] = (data, truth)

    def append(self, path: str, line: bytes) -> None:
        if b"\n" in line:
            raise ValueError("a log line holds no newline")
        path = safe_path(path)
        before = self.changes.appends.get(path)
        self.changes.appends[path] = line if before is None else before + b"\n" + line

    def remove(self, path: str, *, truth: bool = False) -> None:
        self.changes.writes[safe_path(path)] = (None, truth)

    def move(self, source: str, target: str) -> None:
        source, target = safe_path(source), safe_path(target)
        if self._place.files.stat(self._place.real(target)) is not None:
            raise Refused(Fault("target_exists", file=target))
        self.changes.moves.append((source, target))

    def set_aside(self, path: str) -> str:
        path = safe_path(path)
        data = self.read(path)
        if data is None:
            raise ValueError(f"nothing to set aside at {path}")
        return self.changes.keep_aside(self._place.aside(self.scope, path), data)


class FolderVault:
    """A vault in a folder. `files`, `clock` and `boot` are injectable for tests."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        files: Files | None = None,
        clock: Clock = system_clock,
        boot: Callable[[], str] = boot_id,
    ) -> None:
        self.files = files or Files()
        self.root = self.files.resolve(os.fspath(root))
        self._place = Place(self.root, self.files, clock, boot())

    def real(self, path: str) -> str:
        """The real path of a path within the vault. Raises `Refused` (`unsafe_path`)."""
        return self._place.real(safe_path(path))

    def reader(self, scope: Scope) -> Reader:
        """A look without a lock, through the journal where a change is not yet published."""
        return _Look(self._place, self._place.overlay(scope))

    def pending(self, scope: Scope) -> bool:
        """True when an interrupted change, or the views of another boot, wait to be completed."""
        try:
            return self._place.pending(scope)
        except OSError as error:
            raise storage_failed(error, scope.private) from error

    def snapshot(self, scope: Scope, look: Callable[[Reader], T], *, timeout: float = 10.0) -> T:
        """Run `look` until nothing was published while it ran (a lock is waited for, not made)."""
        path = self._place.real(scope.lock)
        for _ in range(_RETRIES):
            with lock.shared(path, files=self.files, timeout=timeout, shown=scope.lock):
                before = self._place.mark(scope)
                answer = look(self.reader(scope))
                if self._place.mark(scope) == before:
                    return answer
        return look(self.reader(scope))

    @contextmanager
    def transaction(
        self, scope: Scope, *, timeout: float = 10.0, keep: str | None = None
    ) -> Iterator[Transaction]:
        """Lock, recover, run the block, publish. Leaves no trace when the block raises."""
        place = self._place
        made = place.make_dirs(scope.lock, scope.dir_mode)
        try:
            path = place.real(scope.lock)
            try:
                with lock.exclusive(
                    path, files=self.files, clock=place.clock, timeout=timeout, shown=scope.lock
                ):
                    change = _Changing(place, scope, recover(place, scope, keep))
                    yield change
                    change.report = publish(
                        place, scope, change.changes, change.seen, change.recovery
                    )
            except OSError as error:
                raise storage_failed(error, scope.folder) from error
        finally:
            for folder in reversed(made):
                if not self.files.names(folder):
                    self.files.remove_dir(folder)

    def write_loose(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write one file that belongs to no scope (a draft, an export): whole or not at all."""
        path = safe_path(path)
        try:
            self._place.forget()
            self._place.real(path)  # refused before a folder is made through a link
            self._place.make_dirs(path, 0o755)
            real = self._place.real(path)
            staged = f"{real}.clew-{os.getpid()}.tmp"
            self.files.remove(staged)
            self.files.create(staged, data, self.files.mode(real) or mode)
            self.files.sync(staged)
            self.files.replace(staged, real)
        except OSError as error:
            raise storage_failed(error, path) from error

    def settle(self, scope: Scope) -> None:
        """Sync the truth of the last change after its answer was given. Never waits, never fails:
        what it would do, the next change does before its own commit point."""
        try:
            with lock.exclusive(
                self._place.real(scope.lock), files=self.files, clock=self._place.clock, timeout=0.0
            ):
                settle(self._place, scope)
        except (OSError, StorageFailed, Locked):
            return
