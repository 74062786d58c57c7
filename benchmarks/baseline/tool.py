"""Commit and check on disk: read all, check all, render all, write every file that differs.

Each file is written whole: temporary file, fsync, rename. No history, no journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.baseline.content import apply, card, record, views
from benchmarks.baseline.rules import Invalid, Json, check_state, check_transaction


def encode(state: Json) -> str:
    return json.dumps(state, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def put(path: Path, content: str) -> None:
    """Replace a file whole: temporary file, fsync, rename. The same content is left alone."""
    data = content.encode()
    try:
        if path.read_bytes() == data:
            return
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with staged.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    staged.replace(path)


def locked(root: Path, work: Callable[[], Json]) -> Json:
    """Run under a lock file."""
    lock = root / "追踪" / ".tracking-commit.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    try:
        os.write(handle, f"pid={os.getpid()}\n".encode())
        os.close(handle)
        return work()
    finally:
        lock.unlink()


def load(root: Path) -> Json:
    with (root / "追踪" / "_tracking-state.json").open(encoding="utf-8") as handle:
        return check_state(json.load(handle))


def save(root: Path, state: Json) -> None:
    """Write every view, then the state, which is the authority."""
    folder = root / "追踪"
    for path, content in views(state).items():
        put(folder / path, content)
    put(folder / "_tracking-state.json", encode(state))


def commit(root: Path, document: Any) -> Json:
    """Commit one transaction."""

    def work() -> Json:
        state = load(root)
        tx = check_transaction(document, state)
        # What is written is checked as a whole: the next reader must be able to read it.
        after = check_state(apply(state, tx))
        path = root / "追踪" / "逐章记录" / f"第{tx['chapter']:03d}章.md"
        content = record(after, tx)
        if path.exists() and path.read_text(encoding="utf-8") != content:
            raise Invalid(f"{path.name} already exists with different content")
        if len(card(after).encode()) > 12_288 or len(content.encode()) > 3_072:
            raise Invalid("over capacity")
        put(path, content)
        save(root, after)
        return {"status": "ok", "state_revision": after["state_revision"]}

    return locked(root, work)


def check(root: Path) -> Json:
    """Hold every view against the state, and look that every record is there."""
    state = load(root)
    folder = root / "追踪"
    for path, content in views(state).items():
        if (folder / path).read_text(encoding="utf-8") != content:
            raise Invalid(f"{path} differs")
    records = set(os.listdir(folder / "逐章记录")) if (folder / "逐章记录").is_dir() else set()  # noqa: PTH208
    for chapter in range(
        state["imported_through_chapter"] + 1, state["last_committed_chapter"] + 1
    ):
        if f"第{chapter:03d}章.md" not in records:
            raise Invalid(f"the record of chapter {chapter} is missing")
    return {"status": "ok", "state_revision": state["state_revision"]}
