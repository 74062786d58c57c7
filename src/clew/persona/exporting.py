"""Carrying a persona out: one zip, as it is or redacted.

Redacted, an export holds structure, numbers, dates and kinds, and none of what was said: texts become
their length, names and windows become stable stand-ins, commands, addresses, places and transcripts
stay at home. What the export does not know it leaves out. An export is no backup (`clew backup` is):
nothing is read back from it. Rules: docs/persona.md.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from clew.kernel import document, log
from clew.kernel.errors import ClewError, Refused, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files
from clew.kernel.vault import Reader
from clew.persona import vitals as law
from clew.persona.channels.reading import PERSONA
from clew.persona.home import Home
from clew.persona.model import ARCHIVE, FILE_MODE, INDEX, PRIVATE, SCOPE
from clew.persona.timer_audit import Kind as Finding
from clew.persona.wake.ledger import Outcome
from clew.persona.wake.reasons import Reason
from clew.persona.wake.rules import ENTRIES
from clew.persona.windows import FILE, LOG

_DATE: Final = (1980, 1, 1, 0, 0, 0)
_LEFT: Final = (PRIVATE, SCOPE.lock, INDEX)
_DEPTH: Final = 12
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[0-9:.]{5,15}(?:Z|[+-]\d{2}:\d{2}))?\Z")
_WAKE: Final = re.compile(rf"(?:{'|'.join(ENTRIES)})/\d{{4}}-\d\d-\d\d/\d{{1,4}}\Z")
_NUMBERED: Final = re.compile(r"[A-Za-z]{1,3}\d{1,9}\Z")
_CLOSED: Final = frozenset(
    ("state", "kind", "what", "held", "how", "evidence", "who", "host", "light", "entry", "channel", "code",
     "change", "mark")
)  # fmt: skip
"""Fields that hold one of clew's own words, and never what somebody said."""
_KIND: Final = re.compile(r"[a-z][a-z_]{0,31}\Z")
_OURS: Final = {
    "outcome": frozenset(get_args(Outcome)),
    "reason": frozenset((*get_args(Reason), "owner_gone", "deadline")),
    "runner": frozenset(("outbox", "command", "endpoint")),
    "found": frozenset(get_args(Finding)),
}  # fmt: skip
"""Fields in which one of clew's own words stands in some lines and a person's in others."""
_STARTS: Final = frozenset(("startup", "resume", "clear", "compact", "fork"))
"""How a host says that a session began."""
_WINDOWS: Final = frozenset(("window", "origin", "windows"))
_PEOPLE: Final = frozenset(("by", "to"))
_KEYED: Final = frozenset(("board", "readers", "windows", "sources"))
"""Maps whose keys somebody named."""
_REGISTER: Final = (FILE, LOG)


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A written export."""

    status: str = "ok"
    file: str
    bytes: int
    redacted: bool
    files: int
    left_out: list[str]
    """Files and folders of the home that are not in it."""


def export(home: Home, out: str, *, redact: bool = False) -> Exported:
    """Write the zip `out`, readable by its owner only. Raises `Refused` (`persona_export_exists`),
    `StorageFailed`."""
    if (Path(out)).exists():
        raise Refused(Fault("persona_export_exists", file=out))

    def look(reader: Reader) -> tuple[dict[str, bytes], list[str]]:
        return _redacted(home, reader) if redact else _whole(reader)

    found, left_out = home.look(look)
    data = _packed(found)
    _write(out, data)
    return Exported(
        file=out, bytes=len(data), redacted=redact, files=len(found), left_out=sorted(left_out)
    )


def _write(out: str, data: bytes) -> None:
    files = Files()
    staged = f"{out}.clew.tmp"
    try:
        files.remove(staged)
        files.create(staged, data, FILE_MODE)
        files.sync(staged)
        files.replace(staged, out)
    except OSError as error:
        files.remove(staged)
        raise storage_failed(error, out) from error


def _packed(found: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as pack:
        for path in sorted(found):
            info = zipfile.ZipInfo(path, _DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100000 | FILE_MODE) << 16
            pack.writestr(info, found[path])
    return buffer.getvalue()


def _walk(reader: Reader, folder: str = "", depth: int = 0) -> Iterator[str]:
    for name in reader.names(folder):
        path = f"{folder}/{name}" if folder else name
        if path in _LEFT or name.startswith(f"{INDEX}-"):
            continue
        if depth < _DEPTH and reader.names(path):
            yield from _walk(reader, path, depth + 1)
        else:
            yield path


def _read(reader: Reader, path: str) -> bytes | None:
    """A file's bytes; None for an empty folder, a pipe, a link that leads outside."""
    try:
        return reader.read(path)
    except ClewError:
        return None


def _whole(reader: Reader) -> tuple[dict[str, bytes], list[str]]:
    found: dict[str, bytes] = {}
    left_out = [name for name in reader.names("") if name in _LEFT]
    for path in _walk(reader):
        data = _read(reader, path)
        if data is None:
            left_out.append(path)
        else:
            found[path] = data
    return found, left_out


# ---- redacting --------------------------------------------------------------------------------------


def _redacted(home: Home, reader: Reader) -> tuple[dict[str, bytes], list[str]]:
    found: dict[str, bytes] = {}
    left_out = [name for name in reader.names("") if name in _LEFT]
    cover = Cover(_read(reader, path) or b"" for path in _REGISTER)
    for path in _walk(reader):
        if path.startswith(f"{ARCHIVE}/"):
            left_out.append(path)
            continue
        data = _read(reader, path)
        shown = cover.file(path, data) if data is not None else None
        if shown is None:
            left_out.append(path)
        else:
            found[path] = shown
    found["settings.json"] = document.encode(cover.settings(home))
    return found, left_out


class Cover:
    """Takes what was said out of what happened. One instance covers a whole home, so that a window
    has the same stand-in everywhere. `registers`: the contents of the files that name the windows."""

    def __init__(self, registers: Iterable[bytes] = ()) -> None:
        self._windows: dict[str, str] = {}
        self._people: dict[str, str] = {}
        for data in registers:
            for one in _registered(data):
                self.window(one)

    def file(self, path: str, data: bytes) -> bytes | None:
        """The covered content of a file, or None where it stays at home."""
        if path.endswith(".jsonl"):
            lines = [self._json(line) for line in log.lines(data)[0]]
            return b"".join(document.encode_line(one) + b"\n" for one in lines if one is not None)
        if path.endswith(".json"):
            value = self._json(data)
            return None if value is None else document.encode(value)
        if path.startswith("diary/") and path.endswith(".md"):
            text = data.decode("utf-8", "replace")
            return document.encode({"chars": len(text), "entries": text.count("\n## ")})
        return None

    def settings(self, home: Home) -> dict[str, Any]:
        """What of `persona.toml` tells nothing about anybody."""
        found = home.settings
        return {
            "id": "S", "zone": found.zone, "host": found.host,
            "mood": msgspec.to_builtins(found.mood), "wake": msgspec.to_builtins(found.wake),
            "quotas": msgspec.to_builtins(found.quotas), "runner": found.runner.kind,
            "pins": len(found.pins),
        }  # fmt: skip

    def _json(self, data: bytes) -> Any:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return None
        return self.value("", value)

    def value(self, key: str, value: Any) -> Any:
        """One value, covered by what its key says about it."""
        if isinstance(value, dict):
            ours = value.get("automatic") is True  # its cause is a key that clew wrote
            return {
                self.key(key, name): item if ours and name == "cause" and item in law.AUTOMATIC
                else self.value(name, item)
                for name, item in value.items()
            }  # fmt: skip
        if isinstance(value, list):
            # What stands in a list has keys of ours, however the list is called.
            return [self.value("" if isinstance(item, dict) else key, item) for item in value]
        if not isinstance(value, str):
            return value
        if key in _WINDOWS or value in self._windows:
            return self.window(value)
        if key in _PEOPLE:
            return self.person(value)
        if not value or _MOMENT.match(value):
            return value
        if value in _OURS.get(key, ()):
            return value
        if key in _CLOSED and _KIND.match(value):
            return value
        if _NUMBERED.match(value) and key in ("id", "intent", "thought", "entry", "refusal"):
            return value
        if key == "source":
            word = value.partition(":")[0]
            return word if word in law.SOURCES or word in _STARTS else f"<{len(value)}>"
        if key in ("key", "id", "wake") and _WAKE.match(value):
            return value
        return f"<{len(value)}>"

    def key(self, parent: str, name: str) -> str:
        """Keys are ours, but where a map is keyed by what somebody named."""
        if parent not in _KEYED and re.fullmatch(r"[a-z_]{1,40}", name):
            return name
        return self.window(name) if name in self._windows else self.person(name)

    def window(self, name: str) -> str:
        """A stand-in for a window, the same everywhere in one export."""
        return self._windows.setdefault(name, f"w{len(self._windows) + 1}") if name else ""

    def person(self, name: str) -> str:
        """A stand-in for somebody, the same everywhere in one export; the persona itself is no secret."""
        if name in ("", PERSONA):
            return name
        return self._people.setdefault(name, f"n{len(self._people) + 1}")


def _registered(data: bytes) -> Iterator[str]:
    """The ids in the register of windows, or in the log of those that left it."""
    for text in (data, *log.lines(data)[0]):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        rows = value.get("windows", [value]) if isinstance(value, dict) else []
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict) and isinstance(ident := row.get("id"), str):
                yield ident
