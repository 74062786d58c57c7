"""Whether the files of a home are what they should be: kind, mode, the archive's copies, the indexes.

What is in the documents and logs is `checking`'s. Everything here only looks; what is found is told as
faults, each with its path. Rules: docs/persona.md.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Final

from clew.kernel.errors import ClewError
from clew.kernel.faults import Both, Fault
from clew.persona.archive import MANIFEST
from clew.persona.channels.declared import DECLARED
from clew.persona.ends import ENDS
from clew.persona.memory.vectors import FILE as VECTORS
from clew.persona.model import (
    ARCHIVE,
    CHANNELS,
    DIARY,
    DIR_MODE,
    EVENTS,
    FILE_MODE,
    IDENTITY,
    INDEX,
    LISTS,
    PRIVATE,
    PROBES,
    REFUSALS,
    SETTINGS,
    VITALS,
    VOICE,
    WINDOWS,
)
from clew.persona.pulse.lease import LEASE
from clew.persona.pulse.ledgerfile import WAKE
from clew.persona.pulse.outbox import OUTBOX
from clew.persona.pulse.pausing import PULSE
from clew.persona.pulse.view import LOOKS

if TYPE_CHECKING:
    from clew.persona.home import Home

INDEXES: Final = (INDEX, VECTORS)
_FOLDERS: Final = (PRIVATE, CHANNELS, DIARY, ARCHIVE)
_FILES: Final = (
    SETTINGS, IDENTITY, VOICE, REFUSALS, VITALS, LISTS, EVENTS, PROBES, WINDOWS, WAKE, OUTBOX,
    LEASE, PULSE, LOOKS, ENDS, MANIFEST, *INDEXES, *(channel.file for channel in DECLARED if channel.file != VITALS),
)  # fmt: skip
_KINDS: Final = {
    "file": Both("文件", "a file"),
    "dir": Both("文件夹", "a folder"),
    "link": Both("断了的链接", "a link that leads nowhere"),
    "other": Both("管道、设备或套接字", "a pipe, device or socket"),
}
_SQLITE: Final = b"SQLite format 3\0"
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY})
_DEPTH: Final = 6


def wrong_kinds(home: Home) -> dict[str, Fault]:
    """Paths at which something else lies than belongs there: a folder for a file, a pipe, a link that
    leads out of the home."""
    out: dict[str, Fault] = {}
    days = home.vault.files.names(f"{home.root}/{DIARY}")
    pages = [f"{DIARY}/{name}" for name in days if name.endswith(".md")]
    wanted = [(path, "dir") for path in _FOLDERS] + [(path, "file") for path in (*_FILES, *pages)]
    for path, right in wanted:
        try:
            found = home.vault.files.stat(home.vault.files.resolve(home.vault.real(path)))
        except OSError as error:
            found, reason = None, error.strerror or str(error)
            out[path] = Fault("io_failed", file=path, reason=reason)
        except ClewError as error:  # a link that leads outside
            out[path] = error.faults[0]
            continue
        if found is not None and found.kind != right:
            out[path] = Fault(
                "persona_wrong_kind", file=path, found=_KINDS[found.kind], expected=_KINDS[right]
            )
    return out


def open_modes(home: Home, wrong: Container[str] = ()) -> list[tuple[str, int, int]]:
    """What others could read: path, mode, the mode that is right. The root has an empty path. What is of
    another kind (`wrong`) is to be moved away first."""
    return list(_open_modes(home, "", 0, wrong))


def _open_modes(
    home: Home, path: str, depth: int, wrong: Container[str]
) -> Iterator[tuple[str, int, int]]:
    files = home.vault.files
    if path in wrong:
        return
    real = f"{home.root}/{path}" if path else home.root
    stat = files.stat(real)
    if stat is None or stat.kind not in ("file", "dir"):
        return
    right = DIR_MODE if stat.kind == "dir" else FILE_MODE
    mode = files.mode(real)
    if mode is not None and mode & ~right:
        yield path, mode, right
    if stat.kind == "dir" and depth < _DEPTH:
        for name in files.names(real):
            below = f"{path}/{name}" if path else name
            yield from _open_modes(home, below, depth + 1, wrong)


def damaged_indexes(home: Home) -> list[Fault]:
    """Which of the derived databases cannot be read as that."""
    out = []
    for path in INDEXES:
        reason = _index_damage(home, path)
        if reason:
            out.append(Fault("persona_index_damaged", file=path, reason=reason))
    return out


def _index_damage(home: Home, path: str) -> str | Both:
    real = home.vault.real(path)
    found = home.vault.files.stat(real)
    if found is None or found.kind != "file" or not found.size:
        return ""
    try:
        if home.vault.files.read(real, 0, len(_SQLITE)) != _SQLITE:
            return Both("不是数据库", "it is no database")
    except OSError as error:
        return error.strerror or str(error)
    from urllib.parse import quote

    try:
        connection = sqlite3.connect(f"file:{quote(real)}?mode=ro", uri=True, timeout=2)
        try:
            said = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.Error as error:
        code = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
        return "" if code in _BUSY else str(error)
    return "" if said == "ok" else said[:120]
