"""A bar on the terminal while a long operation works; nothing where nobody looks.

Loads rich when there is something to show, and says at most ten times a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clew.faces import config
from clew.kernel.operations import Host

_EVERY = 0.1
_FIRST = 0.3
"""Seconds before the bar is shown: what is done by then needs none."""


class Bar:
    """The progress of one operation, on stderr."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, of: int, what: str) -> None:
        now = time.monotonic()
        if now - self._began < _FIRST or (now - self._last < _EVERY and done < of):
            return
        self._last = now
        if self._bar is None:
            self._start()
        # What is being worked on is the name of a file: text, never markup.
        self._bar.update(self._task, completed=done, total=of, what=shown(what))
        self._bar.refresh()

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        console = Console(file=sys.stderr, no_color=not config.colour(sys.stderr))
        columns = (
            BarColumn(None), MofNCompleteColumn(), TimeRemainingColumn(),
            TextColumn("{task.fields[what]}", markup=False),
        )  # fmt: skip
        self._bar = Progress(*columns, console=console, transient=True, auto_refresh=False)
        self._task = self._bar.add_task("", total=None, what="")
        self._bar.start()

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


def shown(name: str, width: int = 28) -> str:
    """A file's name in a small space: no control character, its end rather than its folder."""
    text = name.encode("utf-8", "replace").decode("utf-8").rpartition("/")[2]
    text = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return text if len(text) <= width else text[: width - 1] + "…"


@contextmanager
def showing(host: Host) -> Iterator[None]:
    """Let an operation show its progress while the block runs, where a person looks at stderr."""
    if not config.fancy(sys.stderr):
        yield
        return
    bar = Bar()
    host.progress = bar
    try:
        yield
    finally:
        bar.stop()
