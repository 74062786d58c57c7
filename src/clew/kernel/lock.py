"""The lock of a scope: the operating system's, on a file that also tells people who holds it.

It lives beside tools that lock by creating the same file exclusively (the field's habit): our file
is there while we hold it and removed on release, so they see it; a file of theirs is honoured while
its process lives and taken over when it is dead. Standard library only.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from clew.kernel.clock import Clock, stamp
from clew.kernel.errors import Locked
from clew.kernel.faults import Code, Fault, register
from clew.kernel.files import Files

_POLL: Final = 0.02
_YOUNG: Final = 2.0
"""A foreign file without an owner's line may be one that is just being written."""
_FOREIGN_HOST: Final = 600.0
"""Another host's file that nobody holds is honoured this long: a change takes far less."""
_OURS: Final = "tool=clew"


class Owner(NamedTuple):
    """Who wrote a lock file. Fields that it does not tell are None."""

    pid: int | None
    host: str | None
    since: str | None
    ours: bool

    def __str__(self) -> str:
        words = [f"pid {self.pid}" if self.pid is not None else "?"]
        if self.host:
            words.append(self.host)
        if self.since:
            words.append(self.since)
        return ", ".join(words)


def parse_owner(text: str) -> Owner:
    """Read `pid=`, `host=`, `started=` from a lock file's text, ours or another tool's."""
    pid = re.search(r"pid\D{0,3}(\d{1,9})", text)
    host = re.search(r"^host=(.+)$", text, re.MULTILINE)
    since = re.search(r"^started=(.+)$", text, re.MULTILINE)
    return Owner(
        int(pid.group(1)) or None if pid else None,  # 0 names no process
        host.group(1).strip() if host else None,
        since.group(1).strip() if since else None,
        _OURS in text,
    )


def host_name() -> str:
    """This machine's name in the network."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import socket  # costs start-up, and is needed on Windows only

    return socket.gethostname()


def process_lives(pid: int) -> bool:
    """True when a process of that number runs on this machine (or we may not ask)."""
    if os.name == "nt":  # pragma: no cover - Windows
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _abandoned(files: Files, handle: int, host: str) -> bool:
    """Whether the file behind a free operating-system lock may be taken over."""
    owner = parse_owner(files.lock_text(handle))
    age = files.lock_age(handle)
    if owner.host and owner.host != host:
        return age > _FOREIGN_HOST
    if owner.ours:
        return True  # our holders keep the system's lock while they live, and it is free
    if owner.pid is None:
        return age > _YOUNG
    return not process_lives(owner.pid)


@contextmanager
def exclusive(
    path: str,
    *,
    files: Files,
    clock: Clock,
    timeout: float = 10.0,
    shown: str = "",
    sleep: Callable[[float], None] = time.sleep,
    prepare: Callable[[], object] = lambda: None,
) -> Iterator[None]:
    """Hold the lock at `path`, or raise `Locked` naming the holder after `timeout` seconds.

    `prepare` makes the lock's folder, before every attempt: a change that is given up takes the
    folders that it made away again, under those who wait.
    """
    host = host_name()
    # Ours comes first: what a power cut leaves of the note must still say that.
    note = f"{_OURS}\npid={os.getpid()}\nhost={host}\nstarted={stamp(clock())}\n"
    deadline = time.monotonic() + timeout
    handle: int | None = None
    while handle is None:
        prepare()
        handle, holder = _attempt(path, files, host, note)
        if handle is None:
            if time.monotonic() >= deadline:
                raise Locked(Fault("locked", file=shown or path, owner=str(holder), limit=timeout))
            sleep(_POLL)
    try:
        yield
    finally:
        # Removed while it is held and only if it is still ours, so that nobody else's is removed.
        try:
            # It may stay as a file of ours that nobody holds, which the next one takes over.
            with suppress(OSError):
                if files.lock_is_at(handle, path):
                    files.remove(path)
        finally:
            files.lock_close(handle)


def _attempt(path: str, files: Files, host: str, note: str) -> tuple[int | None, Owner]:
    nobody = Owner(None, None, None, False)
    try:
        handle = files.lock_create(path)
    except FileNotFoundError:
        return None, nobody  # the folder went with a change that was given up
    created = handle is not None
    if handle is None:
        handle = files.lock_open(path)
        if handle is None:
            return None, nobody
    else:
        # The owner is written before the lock is taken: a reader may hold the fresh file for a
        # moment, and whoever comes next must see that it is one of ours.
        try:
            files.lock_note(handle, note)
        except OSError:
            # A full disk: nobody may be left waiting for a lock whose owner is not named.
            with suppress(OSError):
                files.remove(path)
            files.lock_close(handle)
            raise
    free = files.lock_try(handle) and files.lock_is_at(handle, path)
    if free and created:
        return handle, nobody
    if free and _abandoned(files, handle, host):
        try:
            files.lock_note(handle, note)
        except OSError:
            files.lock_close(handle)
            raise
        return handle, nobody
    owner = parse_owner(files.lock_text(handle))
    files.lock_close(handle)
    return None, owner


@contextmanager
def shared(
    path: str,
    *,
    files: Files,
    timeout: float = 10.0,
    shown: str = "",
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Wait for a writer to finish, then keep writers out while reading.

    A reader never creates the file: with no writer there is nothing to wait for, and a read-only
    disk can still be read. The vault notices a writer that starts meanwhile and reads again.
    """
    host = host_name()
    deadline = time.monotonic() + timeout
    handle: int | None = None
    while True:
        try:
            handle = files.lock_open(path)
        except OSError:
            handle = None  # not ours to open (read-only disk): the vault's own check remains
        if handle is None:
            break
        gone = files.lock_try(handle, shared=True) and (
            not files.lock_is_at(handle, path) or _abandoned(files, handle, host)
        )
        if gone:
            break
        owner = parse_owner(files.lock_text(handle))
        files.lock_close(handle)
        handle = None
        if time.monotonic() >= deadline:
            raise Locked(Fault("locked", file=shown or path, owner=str(owner), limit=timeout))
        sleep(_POLL)
    try:
        yield
    finally:
        if handle is not None:
            files.lock_close(handle)


register(
    Code(
        "locked", 2,
        "{file} 被占用（{owner}），等了 {limit} 秒",
        "{file} is held by {owner}; waited {limit} s",
        "等那个进程结束后重跑，或用 --lock-timeout 延长等待。进程已死的锁文件会被自动接管。",
        "Run again when that process is done, or wait longer with --lock-timeout. A lock file of a "
        "dead process is taken over by itself.",
        about_zh="每本书同一时刻只有一个写事务。锁是操作系统的；锁文件写明持有者，供人查看。",
        about_en="One write at a time per scope. The lock is the operating system's; the file tells "
        "people who holds it.",
    ),
)  # fmt: skip
