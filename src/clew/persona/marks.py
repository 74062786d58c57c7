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
    from collections.abc import Iterable
    from typing import Any

FOLDER = ".clew/marks"
TELL = ".clew/tell"
TURN = ".clew/turn.json"
INPUTS = (
    "persona.toml", "refusals.toml", "channels/board.jsonl", "channels/read.json", "outbox.jsonl",
)  # fmt: skip
"""What the text of a turn is made from."""
WHEN = "\0when"
"""Stands for the time in a text that lies ready; no text of a file holds a NUL by then."""
_BYTES = 1 << 20
_BATON_BYTES = 200_000
"""More than the longest line of a baton."""


def leave(home: str, kind: str, **facts: Any) -> str:
    """Drop a mark; returns its name. Raises `OSError`."""
    folder = _folder(home, FOLDER)
    name = f"{time.time_ns():020d}-{os.getpid()}.json"
    data = json.dumps({"kind": kind, "at": now(), **facts}).encode("ascii")
    staged = f"{folder}/.{name}"
    try:
        _write(staged, data, sync=True)
        os.replace(staged, f"{folder}/{name}")  # noqa: PTH105 - pathlib costs start-up
    except OSError:
        _remove(staged)
        raise
    return name


def _write(path: str, data: bytes, *, sync: bool = False) -> None:
    """Write a new file, all of it: a full disk may take a part and say nothing."""
    _remove(path)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        while data:
            data = data[os.write(fd, data) :]
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)


def _remove(path: str) -> None:
    try:
        os.remove(path)  # noqa: PTH107
    except OSError:
        return


def now() -> str:
    """The present moment as every document writes it."""
    seconds, rest = divmod(time.time_ns() // 1_000_000, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03d}Z"


def _folder(home: str, name: str) -> str:
    folder = f"{home}/{name}"
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
    return folder


def stamps(home: str, names: Iterable[str] = INPUTS) -> dict[str, list[int] | None]:
    """What tells whether the inputs of a text (of a turn's, by default) are what they were."""
    out: dict[str, list[int] | None] = {}
    for name in names:
        try:
            found = os.stat(f"{home}/{name}")  # noqa: PTH116
            out[name] = [found.st_size, found.st_mtime_ns, found.st_ino]
        except OSError:
            out[name] = None
    return out


def lay_ready(home: str, turn: dict[str, Any]) -> None:
    """Lay the text of a turn ready: `text` (with `WHEN` for the time), `windows` (what is added in a
    window, by its id), `lang`, `stamps`, `zone`, `offset` (seconds east of UTC), and `since`, `until`
    (seconds since 1970) between which it holds. Raises `OSError`."""
    lay(home, TURN, turn)


def lay(home: str, path: str, value: dict[str, Any]) -> None:
    """Put a document of ours in its place, whole. Raises `OSError`."""
    folder, _, name = path.rpartition("/")
    staged = f"{_folder(home, folder)}/.{name}-{os.getpid()}"
    try:
        _write(staged, json.dumps(value).encode("ascii"))
        os.replace(staged, f"{home}/{path}")  # noqa: PTH105
    except OSError:
        _remove(staged)
        raise


def waits(home: str) -> bool:
    """Whether a mark waits to be taken up."""
    try:
        return any(name[:1] != "." for name in os.listdir(f"{home}/{FOLDER}"))  # noqa: PTH208
    except FileNotFoundError:
        return False


def ready(home: str, lang: str, session: str = "") -> tuple[str, str] | None:
    """The text of a turn in a language, as of now, and the line about the notes that were handed to this
    window (empty where there are none); None where no text lies ready that still holds."""
    try:
        turn = json.loads(read(f"{home}/{TURN}"))
        seconds = time.time()
        holds = turn["lang"] == lang and turn["since"] <= seconds < turn["until"]
        if not holds or turn["stamps"] != stamps(home):
            return None
        local = time.gmtime(seconds + turn["offset"])
        when = f"{time.strftime('%Y-%m-%d %H:%M', local)} {turn['zone']}"
        text, handed = turn["text"].replace(WHEN, when), turn["windows"].get(session, "")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return (text, handed) if isinstance(text, str) and isinstance(handed, str) else None


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
    return found if isinstance(found, str) and found.isascii() and len(found) <= 40 else ""


def ago(at: str) -> float | None:
    """Seconds since a moment that was written in UTC; None for what is no moment."""
    from datetime import datetime  # not for the events that a host waits for at every turn

    try:
        return max(0.0, time.time() - datetime.fromisoformat(at).timestamp())
    except (ValueError, OverflowError):
        return None


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
        text = read(taken).decode("utf-8", "replace")
        os.remove(taken)  # noqa: PTH107
    except OSError:
        return ""
    return text.strip()


def read(path: str) -> bytes:
    """A small file of ours, without waiting for whoever else has it open. Raises `OSError`."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        return os.read(fd, _BYTES)
    finally:
        os.close(fd)
