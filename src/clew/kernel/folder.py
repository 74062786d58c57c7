"""The vault as a folder on disk: stage, journal, publish, recover.

How a change is made durable, and in which order, is in `publish`; how an interrupted one is
completed in `recover`; paths and links are `clew.kernel.place`.
This module joins them to the lock and to readers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TypeVar

from clew.kernel import lock, log
from clew.kernel.clock import Clock, system_clock
from clew.kernel.errors import ClewError, Missing, Refused, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files, boot_id
from clew.kernel.place import Place
from clew.kernel.publish import Change, Seen, publish
from clew.kernel.recover import recover
from clew.kernel.slot import settle
from clew.kernel.text import cut_chars, nfc
from clew.kernel.vault import Reader, Recovery, Report, Scope, Transaction, safe_path

T = TypeVar("T")
_RETRIES: Final = 20
_NAME_BYTES: Final = 255
"""The longest name that file systems take."""
_STAGED: Final = re.compile(r"(.*)\.clew-([0-9]{1,10})\.tmp", re.DOTALL)
_STAGED_BYTES: Final = len(".clew-.tmp") + 10


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
        try:
            real, found = self._place.locate(path)
            self.seen.stats.setdefault(path, found)  # an edit since the first look is an edit
            data = None if found is None else self._place.read(real, found)
            self.seen.contents.setdefault(path, data)
            return data
        except OSError as error:
            raise storage_failed(error, path) from error

    def names(self, folder: str) -> list[str]:
        folder = safe_path(folder) if folder else ""
        try:
            real = self._place.real(folder) if folder else self._place.root
            found = {nfc(name) for name in self._place.files.names(real)}
        except OSError as error:
            raise storage_failed(error, folder) from error
        prefix = f"{folder}/" if folder else ""
        for path, data in self._overlay.items():
            name, _, below = path.removeprefix(prefix).partition("/")
            if path.startswith(prefix) and data is not None:
                found.add(name)
            elif path.startswith(prefix) and not below:
                found.discard(name)
        return sorted(found)

    def tail(self, path: str) -> log.Tail:
        path = safe_path(path)
        if path in self._overlay:
            return log.tail_of(self._overlay[path] or b"")
        try:
            real, found = self._place.locate(path)
            self.seen.stats.setdefault(path, found)
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
        self.rendered = False
        self.changes = Change()

    def write(self, path: str, data: bytes, *, truth: bool = False) -> None:
        self.changes.writes[safe_path(path)] = (data, truth)

    def append(self, path: str, line: bytes) -> None:
        if b"\n" in line:
            raise ValueError("a log line holds no newline")
        path = safe_path(path)
        self._place.real(path)  # refused here, not when it is published
        before = self.changes.appends.get(path)
        self.changes.appends[path] = line if before is None else before + b"\n" + line

    def remove(self, path: str, *, truth: bool = False) -> None:
        self.changes.writes[safe_path(path)] = (None, truth)

    def move(self, source: str, target: str) -> None:
        source, target = safe_path(source), safe_path(target)
        if self._place.files.stat(self._place.real(source)) is None:
            raise Missing(Fault("missing_file", file=source))
        taken = self._place.files.stat(self._place.real(target)) is not None
        if taken or any(target == other for _, other in self.changes.moves):
            raise Refused(Fault("target_exists", file=target))
        self.changes.moves.append((source, target))

    def set_aside(self, path: str) -> str:
        path = safe_path(path)
        data = self.read(path)
        if data is None:
            raise ValueError(f"nothing to set aside at {path}")
        return self.changes.keep_aside(self._place.aside(self.scope, path), data)


def replace_whole(files: Files, path: str, data: bytes, mode: int = 0o644) -> None:
    """Put `data` in the place of a file by its real path: whole or not at all. What a process that
    was killed at this left beside it is cleared away. Raises `OSError`."""
    folder, _, name = path.rpartition("/")
    short = name[: len(name) - cut_chars(name, _NAME_BYTES - _STAGED_BYTES)]
    for other in files.names(folder or "/"):
        found = _STAGED.fullmatch(other)
        if found is not None and found[1] == short and not lock.process_lives(int(found[2])):
            files.remove(f"{folder}/{other}")
    staged = f"{folder}/{short}.clew-{os.getpid()}.tmp"
    files.remove(staged)
    try:
        files.create(staged, data, files.mode(path) or mode)
        files.sync(staged)
        files.replace(staged, path)
    except OSError:
        with suppress(OSError):
            files.remove(staged)
        raise


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
        try:
            return self._place.real(safe_path(path))
        except OSError as error:
            raise storage_failed(error, path) from error

    def listing(self, folder: str) -> list[str]:
        """The raw names in a folder of the vault, in whatever normal form the disk has them."""
        try:
            return self.files.names(self._place.real(safe_path(folder)))
        except OSError as error:
            raise storage_failed(error, folder) from error

    def reader(self, scope: Scope) -> Reader:
        """A look without a lock, through the journal where a change is not yet published."""
        try:
            return _Look(self._place, self._place.overlay(scope))
        except OSError as error:
            raise storage_failed(error, scope.private) from error

    def pending(self, scope: Scope) -> bool:
        """True when an interrupted change, or the views of another boot, wait to be completed."""
        try:
            return self._place.pending(scope)
        except OSError as error:
            raise storage_failed(error, scope.private) from error

    def snapshot(self, scope: Scope, look: Callable[[Reader], T], *, timeout: float = 10.0) -> T:
        """Run `look` until nothing was published while it ran (a lock is waited for, not made).

        A look that is overtaken again and again at last keeps the writers out by their own lock.
        """
        path = self.real(scope.lock)
        for _ in range(_RETRIES):
            before = self._mark(scope)  # before the lock is looked for: a writer may come between
            with lock.shared(path, files=self.files, timeout=timeout, shown=scope.lock):
                try:
                    answer = look(self.reader(scope))
                except ClewError:
                    if self._mark(scope) == before:
                        raise
                    continue  # what it complains of may be two revisions in one look
                if self._mark(scope) == before:
                    return answer
        try:
            with lock.exclusive(
                path, files=self.files, clock=self._place.clock, timeout=timeout, shown=scope.lock
            ):
                return look(self.reader(scope))
        except OSError as error:
            raise storage_failed(error, scope.lock) from error

    def _mark(self, scope: Scope) -> tuple[str, int]:
        try:
            return self._place.mark(scope)
        except OSError as error:
            raise storage_failed(error, scope.private) from error

    @contextmanager
    def transaction(
        self, scope: Scope, *, timeout: float = 10.0, keep: str | None = None
    ) -> Iterator[Transaction]:
        """Lock, recover, run the block, publish. Leaves no trace when the block raises."""
        place = self._place
        made: list[str] = []
        try:
            path = place.real(scope.lock)
            place.stage(scope)  # refused before anything is made when a link leads outside
            with lock.exclusive(
                path, files=self.files, clock=place.clock, timeout=timeout, shown=scope.lock,
                prepare=lambda: made.extend(place.make_dirs(scope.lock, scope.dir_mode)),
            ):  # fmt: skip
                change = _Changing(place, scope, recover(place, scope, keep))
                yield change
                change.changes.rendered = change.rendered
                change.report = publish(place, scope, change.changes, change.seen, change.recovery)
        except OSError as error:
            raise storage_failed(error, scope.folder) from error
        finally:
            for folder in reversed(made):
                # Not empty: the change was published, or another process waits in it.
                with suppress(OSError):
                    self.files.remove_dir(folder)

    def lay_aside(self, scope: Scope, folder: str, name: str) -> str:
        """Move a file by its raw name into the private folder: for one whose name is another
        normal form of a name that is taken, which no vault path can tell from it."""
        place = self._place
        try:
            target = place.aside(scope, f"{folder}/{nfc(name)}")
            place.make_dirs(target, scope.dir_mode)
            self.files.replace(f"{place.real(folder)}/{name}", place.real(target))
        except OSError as error:
            raise storage_failed(error, f"{folder}/{name}") from error
        return target

    def write_loose(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write one file that belongs to no scope (a draft, an export): whole or not at all."""
        path = safe_path(path)
        self._place.forget()
        real = self.real(path)
        try:
            self._place.make_dirs(path, 0o755)
            replace_whole(self.files, real, data, mode)
        except OSError as error:
            raise storage_failed(error, path) from error

    def settle(self, scope: Scope) -> None:
        """Sync the truth of the last change after its answer was given. Never waits, never fails:
        what it would do, the next change does before its own commit point."""
        try:
            with lock.exclusive(
                self._place.real(scope.lock), files=self.files, clock=self._place.clock, timeout=0.0
            ):
                settle(self._place, scope, self._place.slot(scope))
        except (OSError, ClewError):
            return
