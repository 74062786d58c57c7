"""One process at a time: the operating system's lock on a file, held for one change.

Why not `kernel.lock`: that one also honours lock files of other tools and speaks in faults, which
costs a command its start-up and a bundle 800 lines, and no other tool locks a sidecar. The calls
are those of `kernel.files`. The system frees the lock when its holder dies, so no lock is ever stale.
The file stays and tells who held it last: to make, empty or remove it each time costs more than all
the rest of a change (ext4 writes out a file that was cut to nothing). Standard library only, Python
3.9.
"""

from __future__ import annotations

import errno
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.kernel.files import Files

_LONGEST_POLL = 0.005


class BusyError(OSError):
    """Another process held the lock all the time. `owner` is what the lock file says of it."""

    def __init__(self, path: str, owner: str) -> None:
        super().__init__(errno.EAGAIN, "held by another process", path)
        self.owner = owner


class Section:
    """`with Section(files, path):` runs its body alone among all processes that name this path.

    Raises `BusyError` after `timeout` seconds, and `OSError` where the file cannot be made. With
    `note` empty the content of the file is left alone, so that any file can be its own lock.
    `prepare` makes the folder when it is missing.
    """

    def __init__(
        self,
        files: Files,
        path: str,
        *,
        timeout: float,
        note: str = "",
        prepare: Callable[[], object] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._files = files
        self._path = path
        self._timeout = timeout
        self._note = note
        self._prepare = prepare
        self._sleep = sleep
        self._handle = -1
        self._owner = ""
        self.created = False
        """Whether the file was not there before."""

    def __enter__(self) -> Section:
        deadline = time.monotonic() + self._timeout
        pause = 0.0005
        while not self._attempt_prepared():
            if time.monotonic() >= deadline:
                raise BusyError(self._path, self._owner)
            self._sleep(pause)
            pause = min(pause * 2, _LONGEST_POLL)
        return self

    def __exit__(self, *_: object) -> None:
        self._files.lock_close(self._handle)

    def _attempt_prepared(self) -> bool:
        try:
            return self._attempt()
        except FileNotFoundError:
            if self._prepare is None:
                raise
            self._prepare()
            return self._attempt()

    def _attempt(self) -> bool:
        files = self._files
        handle = files.lock_open(self._path)
        created = handle is None
        if handle is None:
            handle = files.lock_create(self._path)
        if handle is None:
            return False  # somebody made it in between
        try:
            if not (files.lock_try(handle) and files.lock_is_at(handle, self._path)):
                self._owner = files.lock_text(handle).strip() if self._note else ""
                files.lock_close(handle)
                return False
            if self._note:
                self._tell()
        except OSError:
            files.lock_close(handle)
            raise
        self._handle, self.created = handle, created
        return True

    def _tell(self) -> None:
        try:
            # Always of one length, so that it replaces the one before it.
            note = f"pid={os.getpid():<12} since={self._note}\n"
            self._files.write_at(self._path, 0, note.encode())
        except OSError:
            return  # a full disk: the lock holds without its note
