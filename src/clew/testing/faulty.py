"""Calls that fail when they are told to: the counter, and real files that obey it.

`clew.testing.disk` obeys the same counter, so that one test can run on both.
"""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from clew.kernel.files import Files


class Failure:
    """When a call fails, and how. Calls are counted from 1, mutating ones only.

    `partial`: a failing write leaves the first half of its data. `stays`: every later call that
    needs space (create, write, new folder, lock file) fails too, while renames and removals work.
    """

    def __init__(
        self, fail_at: int | None, error: OSError | None, *, partial: bool, stays: bool
    ) -> None:
        self.fail_at = fail_at
        self.error = error or OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.partial = partial
        self.stays = stays
        self.calls = 0
        self.hits: list[str] = []
        """The calls that failed, as `name path`."""

    def due(self, name: str, path: str, *, writes: bool = False) -> bool:
        """Count a call; whether it is to fail."""
        self.calls += 1
        if self.calls == self.fail_at or (self.stays and self.hits and writes):
            self.hits.append(f"{name} {path}")
            return True
        return False

    def fail(self, path: str) -> NoReturn:
        raise OSError(self.error.errno, self.error.strerror, path)


class FaultyFiles(Files):
    """The real files, with a call that fails. The options are those of `Disk`."""

    def __init__(
        self,
        fail_at: int | None = None,
        error: OSError | None = None,
        *,
        partial: bool = False,
        stays: bool = False,
    ) -> None:
        self.failure = Failure(fail_at, error, partial=partial, stays=stays)

    def _may_fail(self, name: str, path: str, *, writes: bool = False) -> None:
        if self.failure.due(name, path, writes=writes):
            self.failure.fail(path)

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        if self.failure.due("create", path, writes=True):
            if self.failure.partial:
                super().create(path, data[: len(data) // 2], mode)
            self.failure.fail(path)
        super().create(path, data, mode)

    def set_mode(self, path: str, mode: int) -> None:
        self._may_fail("set_mode", path)
        super().set_mode(path, mode)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        if self.failure.due("write_at", path, writes=True):
            if self.failure.partial:
                super().write_at(path, offset, data[: len(data) // 2])
            self.failure.fail(path)
        super().write_at(path, offset, data)

    def truncate(self, path: str, size: int) -> None:
        self._may_fail("truncate", path)
        super().truncate(path, size)

    def sync(self, path: str) -> None:
        self._may_fail("sync", path)
        super().sync(path)

    def sync_dir(self, folder: str) -> None:
        self._may_fail("sync_dir", folder)
        super().sync_dir(folder)

    def replace(self, source: str, target: str) -> None:
        self._may_fail("replace", target)
        super().replace(source, target)

    def remove(self, path: str) -> None:
        self._may_fail("remove", path)
        super().remove(path)

    def remove_dir(self, path: str) -> None:
        self._may_fail("remove_dir", path)
        super().remove_dir(path)

    def make_dir(self, path: str, mode: int = 0o755) -> None:
        self._may_fail("make_dir", path, writes=True)
        super().make_dir(path, mode)

    def lock_create(self, path: str) -> int | None:
        self._may_fail("lock_create", path, writes=True)
        return super().lock_create(path)

    def lock_note(self, handle: int, text: str) -> None:
        self._may_fail("lock_note", "", writes=True)
        super().lock_note(handle, text)
