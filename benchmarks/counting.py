"""Counting what a change writes: bytes, files and fsync calls, below clew or below the baseline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from clew.kernel.files import Files


class Cost:
    """What was written so far."""

    def __init__(self) -> None:
        self.bytes = 0
        self.synced: list[str] = []

    @property
    def syncs(self) -> int:
        return len(self.synced)


class CountingFiles(Files):
    """The operating system's files, counted."""

    def __init__(self) -> None:
        self.cost = Cost()

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        self.cost.bytes += len(data)
        super().create(path, data, mode)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        self.cost.bytes += len(data)
        super().write_at(path, offset, data)

    def sync(self, path: str) -> None:
        self.cost.synced.append(path)
        super().sync(path)

    def sync_dir(self, folder: str) -> None:
        self.cost.synced.append(folder)
        super().sync_dir(folder)


@contextmanager
def counted() -> Iterator[Cost]:
    """Count for code that calls the operating system itself: fsyncs, and bytes of renamed files."""
    cost = Cost()
    fsync, replace = os.fsync, os.replace

    def count_sync(handle: int) -> None:
        cost.synced.append(str(handle))
        fsync(handle)

    def count_replace(source: Any, target: Any, **how: Any) -> None:
        cost.bytes += Path(source).stat().st_size
        replace(source, target, **how)

    with patch.object(os, "fsync", count_sync), patch.object(os, "replace", count_replace):
        yield cost


def versions(root: Path, private: str) -> dict[str, tuple[int, int, int]]:
    """What identifies the present version of every file outside the private folder."""
    out = {}
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(f"{private}/"):
            found = path.stat()
            out[name] = (found.st_ino, found.st_mtime_ns, found.st_size)
    return out


def touched(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Files that were made, replaced or written."""
    return sorted(name for name, seen in after.items() if before.get(name) != seen)
