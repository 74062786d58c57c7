"""What a hook leaves for whoever comes next, and what lies ready for it. Standard library only.

A host waits for its hooks, so a hook that is called at every turn does not open the home: it drops a
*mark* (one small file: written, synced, renamed; no lock, no waiting) and reads the *turn*, a text
that was laid ready and counts only while everything that it was made from is unchanged. `taking` takes
the marks up and lays the text ready. A mark that nobody took up stays until somebody does.
"""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is a tenth of what a hook may take
    from typing import Any

FOLDER = ".clew/marks"
TELL = ".clew/tell"
TURN = ".clew/turn.json"
INPUTS = (
    "persona.toml", "refusals.toml", "channels/board.jsonl", "channels/read.json", "outbox.jsonl",
)  # fmt: skip
"""What the text of a turn is made from."""
_BYTES = 1 << 20
_BATON_BYTES = 200_000
"""More than the longest line of a baton."""


def leave(home: str, kind: str, **facts: Any) -> str:
    """Drop a mark; returns its name. Raises `OSError`."""
    folder = _folder(home, FOLDER)
    name = f"{time.time_ns():020d}-{os.getpid()}.json"
    data = json.dumps({"kind": kind, "at": now(), **facts}).encode("ascii")
    staged = f"{folder}/.{name}"
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
    os.replace(staged, f"{folder}/{name}")  # noqa: PTH105 - pathlib costs start-up
    return name


def now() -> str:
    """The present moment as every document writes it."""
    seconds, rest = divmod(time.time_ns() // 1_000_000, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03d}Z"


def _folder(home: str, name: str) -> str:
    folder = f"{home}/{name}"
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
    return folder


def stamps(home: str) -> dict[str, list[int] | None]:
    """What tells whether the inputs of a turn's text are what they were."""
    out: dict[str, list[int] | None] = {}
    for name in INPUTS:
        try:
            found = os.stat(f"{home}/{name}")  # noqa: PTH116
            out[name] = [found.st_size, found.st_mtime_ns, found.st_ino]
        except OSError:
            out[name] = None
    return out


def lay_ready(home: str, turn: dict[str, Any]) -> None:
    """Lay the text of a turn ready: `text` (with `{when}` for the time), `lang`, `stamps`, `zone`,
    `offset` (seconds east of UTC), and `since`, `until` (seconds since 1970) between which it holds.
    Raises `OSError`."""
    folder = _folder(home, TURN.rpartition("/")[0])
    staged = f"{folder}/.turn-{os.getpid()}"
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(fd, json.dumps(turn).encode("ascii"))
    finally:
        os.close(fd)
    os.replace(staged, f"{home}/{TURN}")  # noqa: PTH105


def ready(home: str, lang: str) -> str | None:
    """The text of a turn in a language, as of now; None where none lies ready that still holds."""
    try:
        turn = json.loads(_read(f"{home}/{TURN}"))
        seconds = time.time()
        holds = turn["lang"] == lang and turn["since"] <= seconds < turn["until"]
        if not holds or turn["stamps"] != stamps(home):
            return None
        local = time.gmtime(seconds + turn["offset"])
        when = f"{time.strftime('%Y-%m-%d %H:%M', local)} {turn['zone']}"
        text = turn["text"].replace("{when}", when)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return text if isinstance(text, str) else None


def last_baton(home: str) -> str:
    """When the last baton was written; empty where there is none that can be read."""
    try:
        fd = os.open(f"{home}/channels/baton.jsonl", os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            os.lseek(fd, max(0, os.fstat(fd).st_size - _BATON_BYTES), os.SEEK_SET)
            lines = os.read(fd, _BATON_BYTES).split(b"\n")
        finally:
            os.close(fd)
        found = json.loads(lines[-2])["at"] if len(lines) > 1 else ""
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return found if isinstance(found, str) else ""


def tell(home: str, session: str, text: str) -> None:
    """Lay a word ready that a window is to be told at its next turn. Raises `OSError`."""
    fd = os.open(f"{_folder(home, TELL)}/{session}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(fd, text.encode("utf-8", "replace") + b"\n")
    finally:
        os.close(fd)


def told(home: str, session: str) -> str:
    """What a window is to be told, taken away; empty for nothing."""
    path = f"{home}/{TELL}/{session}"
    taken = f"{path}.{os.getpid()}"
    try:
        os.rename(path, taken)  # noqa: PTH104 - whoever renames it tells it, once
        text = _read(taken).decode("utf-8", "replace")
        os.remove(taken)  # noqa: PTH107
    except OSError:
        return ""
    return text.strip()


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        return os.read(fd, _BYTES)
    finally:
        os.close(fd)
