"""Holding a home against its own rules: every fault at once; mending what can be mended.

What people write (`persona.toml`, `identity.md`, `voice.md`, `refusals.toml`) is never changed by a
mending. Documents are made again from the log of events (`folding`), or as what does no harm (`remaking`),
the old bytes kept aside. Modes are set right. A log's torn end is no fault: it is set aside by the next change.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from clew.kernel import document, log
from clew.kernel.errors import ClewError, Missing
from clew.kernel.faults import Both, Fault
from clew.kernel.vault import Reader
from clew.persona import folding, refusals, remaking, settings, voice
from clew.persona.adopting_roles import is_blank
from clew.persona.home import Home, decoded, decoded_lines, text_of
from clew.persona.model import (
    CHANNELS,
    DIARY,
    DIR_MODE,
    EVENTS,
    FILE_MODE,
    IDENTITY,
    LISTS,
    PROBES,
    REFUSALS,
    SETTINGS,
    VITALS,
    VOICE,
    Event,
    Lists,
    Probe,
    Vitals,
)

_DOCUMENTS: Final[tuple[tuple[str, type[Any]], ...]] = ((VITALS, Vitals), (LISTS, Lists))
_LOGS: Final[tuple[tuple[str, type[Any]], ...]] = ((EVENTS, Event), (PROBES, Probe))
_DEPTH: Final = 6
_MOST: Final = 20
"""Broken lines that are told one by one; a log that is broken all over needs no more."""


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What a look at everything found."""

    status: str
    """`ok`, or `found` where there is something to do."""
    home: str
    faults: list[dict[str, Any]]
    """What is wrong, and what to do."""
    notes: list[dict[str, Any]]
    """What is worth knowing and not wrong."""
    mended: list[str] = []


def check(home: Home, lang: str = "en", *, mended: list[str] | None = None) -> Checked:
    """Look at everything. Raises `Missing` (`no_persona`) where there is no home."""
    faults, notes = home.look(lambda reader: _findings(home, reader))
    faults += [
        Fault("persona_mode_open", file=path or ".", found=f"{mode:04o}", limit=f"{right:04o}")
        for path, mode, right in _open_modes(home)
    ]
    found = [fault.to_dict(lang) for fault in faults]
    return Checked(
        status="found" if found else "ok", home=home.root, faults=found,
        notes=[note.to_dict(lang) for note in notes], mended=mended or [],
    )  # fmt: skip


def _findings(home: Home, reader: Reader) -> tuple[list[Fault], list[Fault]]:
    faults: list[Fault] = []
    notes: list[Fault] = []
    data = reader.read(SETTINGS)
    if data is None:
        raise Missing(Fault("no_persona", file=home.root))
    found, wrong = settings.parse(data)
    faults += wrong
    if found is not None and (outside := found.names_outside()):
        notes.append(Fault("persona_untrusted", found=list(outside)))
    faults += _texts(reader)
    faults += _refusals(reader.read(REFUSALS))
    notes += _gone(reader)
    for path, kind in _DOCUMENTS:
        try:
            if decoded(reader.read(path), kind, path) is None:
                faults.append(Fault("persona_file_missing", file=path))
        except ClewError as error:
            faults += error.faults
    faults += [fault for error in remaking.unreadable(reader.read) for fault in error.faults]
    if reader.read(EVENTS) is None:
        reason = Both("事件日志不在了", "the log of events is gone")
        faults.append(Fault("persona_unmended", file=EVENTS, reason=reason))
    for path, kind in _LOGS:
        faults += _lines(reader.read(path), kind, path)
    others = [f"{CHANNELS}/{name}" for name in reader.names(CHANNELS) if name.endswith(".jsonl")]
    for path in (*others, *(name for name in reader.names("") if name.endswith(".jsonl"))):
        if path not in (EVENTS, PROBES):
            faults += _lines(reader.read(path), dict, path)
    for name in reader.names(DIARY):
        path = f"{DIARY}/{name}"
        if name.endswith(".md"):
            faults += _unreadable(reader, path)
    return faults, notes


def _texts(reader: Reader) -> list[Fault]:
    faults: list[Fault] = []
    for path, reason in (
        (IDENTITY, Both("最短的身份卡", "the shortest identity card")),
        (VOICE, Both("语气样本", "samples of speech")),
    ):
        wrong = _unreadable(reader, path)
        faults += wrong
        if wrong:
            continue
        text = text_of(reader.read(path), path)
        if not text.strip("\0 \t\n") or (path == IDENTITY and is_blank(text)):
            faults.append(Fault("persona_text_missing", file=path, reason=reason))
        elif path == VOICE and not voice.parse(text):
            faults.append(Fault("no_samples"))
    return faults


def _unreadable(reader: Reader, path: str) -> list[Fault]:
    try:
        text_of(reader.read(path), path)
    except ClewError as error:
        return list(error.faults)
    return []


def _refusals(data: bytes | None) -> list[Fault]:
    if data is None:
        return [Fault("persona_text_missing", file=REFUSALS, reason=Both("拒绝条目", "refusals"))]
    found, faults = refusals.parse(data)
    if faults:
        return faults
    if not found:
        return [Fault("no_refusals")]
    return [Fault("no_probe", file=REFUSALS, found=one.id) for one in found if not one.probe]


def _gone(reader: Reader) -> list[Fault]:
    """Refusals that the log knows and the file does not: taken out, or cut off with the file's end."""
    found, faults = refusals.parse(reader.read(REFUSALS) or b"")
    if faults:
        return []
    known = {one.id for one in found}
    probes = decoded_lines(log.lines(reader.read(PROBES) or b"")[0], Probe, PROBES, [])
    gone = sorted({one.refusal for one in probes} - known)
    return [Fault("refusal_gone", file=REFUSALS, found=gone)] if gone else []


def _lines(data: bytes | None, kind: type[Any], path: str) -> list[Fault]:
    faults: list[Fault] = []
    for number, line in enumerate(log.lines(data or b"")[0], 1):
        try:
            msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            faults.append(
                Fault("persona_line_broken", file=path, line=number, reason=str(error)[:120])
            )
        if len(faults) == _MOST:
            break
    return faults


def _open_modes(home: Home) -> list[tuple[str, int, int]]:
    """What others could read: path, mode, the mode that is right. The root has an empty path."""
    files = home.vault.files
    out: list[tuple[str, int, int]] = []

    def walk(path: str, depth: int) -> None:
        real = f"{home.root}/{path}" if path else home.root
        stat = files.stat(real)
        if stat is None or stat.kind not in ("file", "dir"):
            return
        right = DIR_MODE if stat.kind == "dir" else FILE_MODE
        mode = files.mode(real)
        if mode is not None and mode & ~right:
            out.append((path, mode, right))
        if stat.kind == "dir" and depth < _DEPTH:
            for name in files.names(real):
                walk(f"{path}/{name}" if path else name, depth + 1)

    walk("", 0)
    return out


# ---- mending ----------------------------------------------------------------------------------------


def _folded(path: str, events: list[Event]) -> Vitals | Lists | None:
    """A document as the log tells it; None where there is no log: nothing is no empty list."""
    if not events:
        return None
    return folding.vitals_of(events) if path == VITALS else folding.lists_of(events)


def mend(home: Home, lang: str = "en") -> Checked:
    """Mend what can be mended, then look again. Raises `Missing`, `Refused` (settings that cannot be
    read: civil dates would be a guess)."""
    home.read_settings()
    done: list[str] = []
    with home.change() as change:
        events = decoded_lines(log.lines(change.read(EVENTS) or b"")[0], Event, EVENTS, [])
        made: dict[str, Vitals | Lists | None] = {}
        for path, kind in _DOCUMENTS:
            data = change.read(path)
            try:
                if decoded(data, kind, path) is not None:
                    continue
            except ClewError as error:
                if error.code == "newer_schema":
                    raise
            made[path] = _folded(path, events)
        for path, value in made.items():
            if value is None:
                reason = Both("事件日志里没有它的来历", "the log of events does not tell of it")
                home.notes.append(Fault("persona_unmended", file=path, reason=reason))
                continue
            old = change.read(path)
            kept = change.tx.set_aside(path) if old is not None else ""
            change.write(path, document.encode(value))
            reason = Both(
                f"从 {len(events)} 条事件重建{f'；旧文件在 {kept}' if kept else ''}",
                f"made again from {len(events)} events{f'; the old file is {kept}' if kept else ''}",
            )
            home.notes.append(Fault("persona_mended", file=path, reason=reason))
            done.append(path)
        for one in remaking.remade(change.read):
            kept = change.tx.set_aside(one.path)
            if one.value is None:
                change.remove(one.path)
            else:
                change.save(one.path, one.value)
            reason = Both(
                f"{one.what.zh}；旧文件在 {kept}", f"{one.what.en}; the old file is {kept}"
            )
            home.notes.append(Fault("persona_mended", file=one.path, reason=reason))
            done.append(one.path)
        if done:
            change.event("mended", files=done)
    for path, _, right in _open_modes(home):
        home.vault.files.set_mode(f"{home.root}/{path}" if path else home.root, right)
        done.append(path or ".")
    return check(home, lang, mended=done)
