"""Looking at the archive: what is in it, what is not yet, what a host will delete when. Writes nothing."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import msgspec

from clew.kernel.clock import stamp
from clew.kernel.faults import Both, Fault
from clew.persona import archive
from clew.persona.archive import MANIFEST, Copy, Manifest
from clew.persona.model import ARCHIVE
from clew.persona.transcripts import place
from clew.persona.windows import FILE as WINDOWS
from clew.persona.windows import Windows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.kernel.files import Files
    from clew.persona.home import Home

_CHUNK: Final = 1 << 20
_DEPTH: Final = 8


def checksum(files: Files, path: str, size: int) -> int:
    """CRC-32 of the first `size` bytes of a file, read in pieces."""
    crc = at = 0
    while at < size:
        data = files.read(path, at, min(_CHUNK, size - at))
        if not data:
            break
        crc = zlib.crc32(data, crc)
        at += len(data)
    return crc


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """How one transcript stands."""

    source: str
    window: str = ""
    host: str = ""
    file: str = ""
    """Its copy; empty where there is none yet."""
    bytes: int = 0
    """In the archive."""
    behind: int = 0
    """Bytes that the source has more."""
    gone: str = ""
    leaves: str = ""
    """When its host will delete it, if nobody touches it, in UTC."""
    days_left: int | None = None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How the archive stands; the ones that leave first come first."""

    status: str = "ok"
    files: int
    bytes: int
    behind: int
    """Bytes that are not copied yet."""
    rows: list[Row]


def standing(home: Home, told: Iterable[tuple[str, str, str]]) -> Standing:
    """What is in the archive, what is not yet, and what a host will delete when. `told`: the sources
    that are known, each with its window and its host."""
    manifest = listed(home)
    files, rows = home.vault.files, []
    seen: set[str] = set()
    sources = [(c.source, c.window, c.host) for c in manifest.copies if not c.superseded]
    for path, window, host in (*sources, *told):
        if path in seen:
            continue
        seen.add(path)
        copy = manifest.of(path)
        found = place.find(files, path)
        if copy is None and found is None:
            continue
        size = copy.size if copy is not None else 0
        leaves, left = "", None
        if found is not None and (days := place.kept_days(files, path)) is not None:
            end, left = archive.leaves_at(found.stat.mtime_ns, days, home.now())
            leaves = stamp(end)
        rows.append(
            Row(
                source=path, window=window, host=host, file=copy.file if copy else "", bytes=size,
                behind=max(0, found.stat.size - size) if found else 0,
                gone=copy.gone if copy else "", leaves=leaves, days_left=left,
            )
        )  # fmt: skip
    rows.sort(key=lambda row: (row.leaves or "~", row.source))
    return Standing(
        files=len(manifest.copies), bytes=sum(c.size for c in manifest.copies),
        behind=sum(row.behind for row in rows), rows=rows,
    )  # fmt: skip


def listed(home: Home) -> Manifest:
    """The manifest; where it is gone and copies are there, one that is made again from them. Raises
    `Corrupt`, `NewerSchema`."""
    found = home.load(MANIFEST, Manifest)
    if found is not None:
        return found
    paths = unlisted(home)
    windows = home.load(WINDOWS, Windows) or Windows()
    return Manifest(copies=[_copy_of(home, windows, path) for path in paths])


def unlisted(home: Home) -> list[str]:
    """The copies that are there although there is no manifest."""
    files = home.vault.files
    out: list[str] = []
    if home.read(MANIFEST) is not None:
        return out
    todo = [ARCHIVE]
    while todo:
        folder = todo.pop()
        for name in files.names(home.vault.real(folder)):
            path = f"{folder}/{name}"
            there = files.stat(home.vault.real(path))
            if there is not None and there.kind == "dir" and path.count("/") < _DEPTH:
                todo.append(path)
            elif there is not None and there.kind == "file" and path.count("/") > 1:
                out.append(path)
    return sorted(path for path in out if not path.endswith(".clew.tmp"))


def _copy_of(home: Home, windows: Windows, path: str) -> Copy:
    """What can be known of a copy from itself, and from the window that it is named after."""
    files, real = home.vault.files, home.vault.real(path)
    _, host, rest = path.split("/", 2)
    name, _, inner = rest.partition("/")
    ident = (name if inner else name.rpartition(".")[0]).partition("~")[0]
    window = windows.find(ident)
    known = place.find(files, real)
    size = known.stat.size if known is not None else 0
    source = window.transcript if window is not None and not inner and "~" not in name else ""
    at = stamp(home.now())
    return Copy(
        source=source or path, file=path, host=host, window=ident, size=size,
        crc=checksum(files, real, size), head=known.head if known is not None else "",
        document=known.document if known is not None else False, first=at, last=at,
        gone="" if source else at,
    )  # fmt: skip


def verify(home: Home) -> list[Fault]:
    """Read every copy back and compare it with what was recorded: what is wrong with those that are
    current. One that a newer copy has taken the place of is noted."""
    faults, notes = examine(home)
    home.notes += notes
    return faults


def examine(home: Home) -> tuple[list[Fault], list[Fault]]:
    """The same as faults of current copies and notes on those that are superseded. Raises `Corrupt`,
    `NewerSchema` for a manifest that cannot be read."""
    manifest = home.load(MANIFEST, Manifest) or Manifest()
    faults: list[Fault] = []
    notes: list[Fault] = []
    if there := unlisted(home):
        faults.append(Fault("archive_unlisted", file=MANIFEST, found=len(there)))
    for copy in manifest.copies:
        reason = damage(home, copy)
        if not reason:
            continue
        newer = manifest.of(copy.source) if copy.superseded else None
        if newer is None:
            faults.append(Fault("archive_damaged", file=copy.file, reason=reason))
        else:
            notes.append(
                Fault("archive_superseded", file=copy.file, reason=reason, found=newer.file)
            )
    return faults, notes


def damage(home: Home, copy: Copy) -> str | Both:
    """In what a copy is not what was recorded; empty where it is."""
    files, real = home.vault.files, home.vault.real(copy.file)
    try:
        there = files.stat(real)
        if there is None or there.kind != "file":
            return Both("不在了", "it is gone")
        if there.size < copy.size:
            return Both(f"只剩 {there.size} 字节", f"{there.size} bytes are left")
        same = checksum(files, real, copy.size) == copy.crc
    except OSError as error:
        return error.strerror or str(error)
    return "" if same else Both("校验和不同", "its checksum differs")
