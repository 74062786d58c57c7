"""The only calls to open, write, sync and rename: everything durable goes through `Files`.

One class, so that faults can be injected at every call (`clew.testing.disk` stands in for it) and
so that the policies on modes and symbolic links live in one place. Methods raise `OSError`; the
vault turns it into the error family. Paths are absolute strings. Standard library only.
"""

from __future__ import annotations

import os
import stat
import time
from typing import Final, NamedTuple

_WINDOWS: Final = os.name == "nt"
_BINARY: Final = getattr(os, "O_BINARY", 0)
_NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC: Final = getattr(os, "O_CLOEXEC", 0)
_NONBLOCK: Final = getattr(os, "O_NONBLOCK", 0)  # a pipe is refused, not waited for
_BLOCK: Final = 1 << 20
_REST: Final = 50_000_000
"""Nanoseconds; coarser than the time stamps of any local file system but FAT."""


class Stat(NamedTuple):
    """What identifies one version of a file cheaply: any replace or write changes it."""

    size: int
    mtime_ns: int
    inode: int
    kind: str
    """`file`, `dir`, `link` or `other`."""
    ctime_ns: int = 0
    """When the entry itself was last changed; unlike `mtime_ns` no program can set it back."""


class Files:
    """The operating system's files. No state; one instance may serve all vaults."""

    # ---- reading -------------------------------------------------------------------------------

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
        """Bytes of a regular file from `offset`, at most `limit` of them.

        A device, socket or pipe is an `OSError`, never a hang.
        """
        fd = os.open(path, os.O_RDONLY | _BINARY | _CLOEXEC | _NONBLOCK)
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                raise OSError(22, "not a regular file", path)
            if offset:
                os.lseek(fd, offset, os.SEEK_SET)
            # One more than there is: a short read is the end, without another call to see it.
            return _read_all(fd, max(0, found.st_size - offset) + 1 if limit < 0 else limit, limit)
        finally:
            os.close(fd)

    def stat(self, path: str) -> Stat | None:
        """The entry itself (a link is not followed), or None when there is none."""
        try:
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        mode = found.st_mode
        kind = (
            "file" if stat.S_ISREG(mode)
            else "dir" if stat.S_ISDIR(mode)
            else "link" if stat.S_ISLNK(mode)
            else "other"
        )  # fmt: skip
        return Stat(found.st_size, found.st_mtime_ns, found.st_ino, kind, found.st_ctime_ns)

    def at_rest(self, found: Stat) -> bool:
        """Whether a later write must show in this stat: file times have steps of some
        milliseconds, and two writes within one step leave the same ones."""
        return time.time_ns() - max(found.mtime_ns, found.ctime_ns) > _REST

    def names(self, folder: str) -> list[str]:
        """Names in a folder, sorted; none when the folder does not exist."""
        try:
            return sorted(os.listdir(folder))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def resolve(self, path: str) -> str:
        """The path with every symbolic link followed."""
        return os.path.realpath(path).replace(os.sep, "/")

    def mode(self, path: str) -> int | None:
        """Permission bits of an existing file, or None."""
        try:
            return stat.S_IMODE(os.stat(path).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return None

    # ---- changing ------------------------------------------------------------------------------

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write a new file; `FileExistsError` when there is one. Not synced."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY | _CLOEXEC
        fd = os.open(path, flags, mode)
        try:
            _write_all(fd, data)
        finally:
            os.close(fd)

    def set_mode(self, path: str, mode: int) -> None:
        """Give a file exactly these permission bits, whatever the process's mask."""
        os.chmod(path, mode)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        """Overwrite part of an existing file in place. Not synced."""
        fd = os.open(path, os.O_WRONLY | _NOFOLLOW | _BINARY | _CLOEXEC | _NONBLOCK)
        try:
            os.lseek(fd, offset, os.SEEK_SET)
            _write_all(fd, data)
        finally:
            os.close(fd)

    def truncate(self, path: str, size: int) -> None:
        """Cut a file to `size` bytes. Not synced."""
        with open(path, "r+b") as handle:
            handle.truncate(size)

    def sync(self, path: str) -> None:
        """Force a file's content to the disk (`fsync`)."""
        fd = os.open(path, os.O_RDWR | _BINARY | _CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def sync_dir(self, folder: str) -> None:
        """Force a folder's entries to the disk; nothing on Windows, which has no such call."""
        if _WINDOWS:
            return
        fd = os.open(folder, os.O_RDONLY | _CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def replace(self, source: str, target: str) -> None:
        """Rename over `target` in one step. On Windows an open reader is waited for, 1 s at most."""
        if not _WINDOWS:
            os.replace(source, target)
            return
        for attempt in range(20):  # pragma: no cover - Windows
            try:
                os.replace(source, target)
                return
            except PermissionError:
                if attempt == 19:
                    raise
                time.sleep(0.05)

    def remove(self, path: str) -> None:
        """Delete one file; no error when it is gone already."""
        try:
            os.unlink(path)
        except FileNotFoundError:
            return

    def remove_dir(self, path: str) -> None:
        """Delete an empty folder; `OSError` when it is not empty."""
        os.rmdir(path)

    def make_dir(self, path: str, mode: int = 0o755) -> None:
        """Make one folder; no error when it exists."""
        try:
            os.mkdir(path, mode)
        except FileExistsError:
            if not os.path.isdir(path):
                raise

    # ---- locking (used by `lock` only) ---------------------------------------------------------

    def lock_create(self, path: str) -> int | None:
        """Create the lock file, for its owner alone, and open it; None when one is there already."""
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _CLOEXEC, 0o600)
        except FileExistsError:
            return None

    def lock_open(self, path: str) -> int | None:
        """Open an existing lock file; None when there is none. Anything but a file is an
        `OSError`."""
        try:
            handle = os.open(path, os.O_RDWR | _CLOEXEC | _NOFOLLOW | _NONBLOCK)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise OSError(22, "not a regular file", path)
        return handle

    def lock_try(self, handle: int, *, shared: bool = False) -> bool:
        """Take the operating system's lock on an open file without waiting."""
        try:
            if _WINDOWS:  # pragma: no cover
                _lock_windows(handle)
            else:
                import fcntl

                fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def lock_is_at(self, handle: int, path: str) -> bool:
        """True while the open lock file is still the one at `path`."""
        try:
            there = os.stat(path)
        except OSError:
            return False
        here = os.fstat(handle)
        return (here.st_ino, here.st_dev) == (there.st_ino, there.st_dev)

    def lock_text(self, handle: int) -> str:
        """What the lock file says of its owner."""
        os.lseek(handle, 0, os.SEEK_SET)
        return os.read(handle, 4096).decode("utf-8", "replace")

    def lock_age(self, handle: int) -> float:
        """Seconds since the lock file was last written."""
        # A time in the future (a clock that was set back) is as far away as one in the past.
        return abs(time.time() - os.fstat(handle).st_mtime)

    def lock_note(self, handle: int, text: str) -> None:
        """Write the owner into the lock file, for people to read."""
        if os.fstat(handle).st_size:
            # Not a new file: ext4 writes one that was cut to nothing out at once, even an empty one.
            os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        _write_all(handle, text.encode("utf-8"))

    def lock_close(self, handle: int) -> None:
        """Close the lock file, which releases the lock."""
        os.close(handle)


def _read_all(fd: int, want: int, limit: int) -> bytes:
    """To the end, or `limit` bytes; `want` is what is asked for at first."""
    first = os.read(fd, want)
    if len(first) < want or len(first) == limit:
        return first
    blocks = [first]
    while block := os.read(fd, _BLOCK):  # it grew while it was read
        blocks.append(block)
    return b"".join(blocks)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _lock_windows(handle: int) -> None:  # pragma: no cover
    import importlib

    msvcrt = importlib.import_module("msvcrt")
    os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond the text that people read
    msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)


def boot_id() -> str:
    """Names the running boot of this machine: un-synced writes can only be lost across boots.

    Linux gives an id; elsewhere the boot time to ten seconds serves, and a wrong guess only costs
    a verification that was not needed.
    """
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as handle:
            return handle.read().strip()
    except OSError:
        return f"since-{int((time.time() - time.monotonic()) / 10)}"
