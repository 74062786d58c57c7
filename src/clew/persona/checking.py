"""Holding a home against its own rules: every fault at once, each with its path and what to do next.

One damaged thing never hides another: whatever cannot be read is told, and the look goes on. A log's
torn end is no fault: it is set aside by the next change. What is merely not written yet, and may stay so
(a probe question, samples of speech), is a note. `mending` mends what can be mended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import msgspec

from clew.kernel import log
from clew.kernel.errors import ClewError, Corrupt, Missing
from clew.kernel.faults import Both, Fault
from clew.kernel.vault import Reader
from clew.persona import ahead, archived, refusals, remaking, settings, soundness, voice
from clew.persona.adopting_roles import is_blank
from clew.persona.channels.declared import OF
from clew.persona.channels.lines import Baton, Note, Receipt, Said, Thinking
from clew.persona.decoding import TEXT_BYTES, decoded, decoded_lines, text_of
from clew.persona.edits import why_unread
from clew.persona.ends import ENDS, Ends, fault_of, losses
from clew.persona.home import Home
from clew.persona.model import (
    CHANNELS,
    DIARY,
    EVENTS,
    IDENTITY,
    IDENTITY_BYTES,
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
    diary_file,
)
from clew.persona.pulse.ledgerfile import WAKE
from clew.persona.pulse.outbox import OUTBOX, Left, Taken
from clew.persona.wake.ledger import decode as decode_wake

DOCUMENTS: Final[tuple[tuple[str, type[Any]], ...]] = ((VITALS, Vitals), (LISTS, Lists))
_LOGS: Final[dict[str, Any]] = {
    EVENTS: Event, PROBES: Probe, OF["board"].file: Note, OF["baton"].file: Baton,
    OF["stream"].file: Thinking, OF["live"].file: Said, OF["receipts"].file: Receipt,
    OUTBOX: Left | Taken,
}  # fmt: skip
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


class Findings(NamedTuple):
    """What is found on the way."""

    faults: list[Fault]
    notes: list[Fault]

    def told(self, look: Callable[[], Iterable[Fault]]) -> None:
        """Add what a look finds, or why it cannot look."""
        try:
            self.faults.extend(look())
        except ClewError as error:
            self.faults.extend(error.faults)


def check(home: Home, lang: str = "en", *, mended: list[str] | None = None) -> Checked:
    """Look at everything. Raises `Missing` (`no_persona`) where there is no home."""
    wrong = soundness.wrong_kinds(home)
    found = home.look(lambda reader: _findings(home, reader, wrong))
    found.faults.extend(wrong.values())
    found.told(lambda: _archive(home, found))
    found.told(lambda: soundness.damaged_indexes(home))
    found.faults.extend(
        Fault("persona_mode_open", file=path or ".", found=f"{mode:04o}", limit=f"{right:04o}")
        for path, mode, right in soundness.open_modes(home, wrong)
    )
    return Checked(
        status="found" if found.faults else "ok", home=home.root,
        faults=[fault.to_dict(lang) for fault in found.faults],
        notes=[note.to_dict(lang) for note in found.notes], mended=mended or [],
    )  # fmt: skip


def _archive(home: Home, found: Findings) -> list[Fault]:
    try:
        faults, notes = archived.examine(home)
    except ClewError as error:
        if error.code in ("persona_file_broken", "newer_schema", "persona_wrong_kind"):
            return []  # told with the documents
        raise
    found.notes.extend(notes)
    return faults


def _findings(home: Home, reader: Reader, wrong: dict[str, Fault]) -> Findings:
    """What documents, texts and logs hold; where something of another kind lies (`wrong`), there is
    nothing to read."""
    found = Findings([], [])

    def read(path: str) -> bytes | None:
        return None if path in wrong else reader.read(path)

    data = read(SETTINGS)
    if data is None and SETTINGS not in wrong:
        lost = home.unsettled()
        if lost.code == "no_persona":
            raise Missing(lost)
        found.faults.append(lost)  # and everything else is looked at
    if data is not None:
        parsed, faults = settings.parse(data)
        found.faults.extend(faults)
        if parsed is not None and (outside := parsed.names_outside()):
            found.notes.append(Fault("persona_untrusted", found=list(outside)))
    for path, reason in (
        (IDENTITY, Both("最短的身份卡", "the shortest identity card")),
        (VOICE, Both("语气样本", "samples of speech")),
    ):
        if path not in wrong:
            found.told(lambda path=path, reason=reason: _text(path, reason, read(path), found))  # type: ignore[misc]
    if REFUSALS not in wrong:
        found.told(lambda: _refusals(read(REFUSALS), found))
    found.told(lambda: _gone(read, found))
    for path, kind in DOCUMENTS:
        if path not in wrong:
            found.told(lambda path=path, kind=kind: _document(path, kind, read(path)))  # type: ignore[misc]
    for error in remaking.unreadable(read):
        found.faults.extend(error.faults)
    logs = _logs(reader, wrong)
    found.told(lambda: _ends(read, found))
    if EVENTS not in wrong and reader.read(EVENTS) is None:
        reason = Both("事件日志不在了", "the log of events is gone")
        found.faults.append(Fault("persona_unmended", file=EVENTS, reason=reason))
    for path in logs:
        found.told(lambda path=path: _lines(read(path), path))  # type: ignore[misc]
    found.notes.extend(ahead.notes(logs, read, home.now()))
    if DIARY not in wrong:
        pages = [f"{DIARY}/{name}" for name in reader.names(DIARY) if name.endswith(".md")]
        for page in pages:
            if page not in wrong:
                found.told(lambda page=page: _page(reader, page))  # type: ignore[misc]
        found.told(lambda: pages_lost(events_in(read), read, found.notes))
    return found


def events_in(read: Callable[[str], bytes | None]) -> list[Event]:
    """The events that can be read."""
    return decoded_lines(log.lines(read(EVENTS) or b"")[0], Event, EVENTS, [])


def _ends(read: Callable[[str], bytes | None], found: Findings) -> list[Fault]:
    """Logs that hold less than they did at their last change."""
    try:
        known = decoded(read(ENDS), Ends, ENDS)
    except Corrupt:
        known = None
    if known is None:
        found.notes.append(Fault("ends_unknown", file=ENDS))
        return []
    return [fault_of(path, gone) for path, gone in losses(known, read).items()]


def pages_lost(
    events: list[Event], read: Callable[[str], bytes | None], shorter: list[Fault]
) -> list[Fault]:
    """Pages of the diary that the events know of and that are gone or empty; those that are shorter than
    what was written are noted, for people may edit them."""
    written: dict[str, int] = {}
    for event in events:
        day, size = event.facts.get("day"), event.facts.get("bytes")
        if event.kind == "diary" and isinstance(day, str) and isinstance(size, int):
            written[day] = written.get(day, 0) + size
        elif event.kind == "loss_accepted":
            for one in event.facts.get("days", ()):
                written.pop(one, None)
    out = []
    for day, size in sorted(written.items()):
        page = read(diary_file(day)) or b""
        if not page.strip(b"\0 \t\r\n"):
            out.append(Fault("diary_page_lost", file=diary_file(day), found=size))
        elif len(page) < size:
            shorter.append(
                Fault("diary_page_shorter", file=diary_file(day), found=len(page), limit=size)
            )
    return out


def _logs(reader: Reader, wrong: dict[str, Fault]) -> list[str]:
    inside = [] if CHANNELS in wrong else [f"{CHANNELS}/{name}" for name in reader.names(CHANNELS)]
    every = [*(p for p in (EVENTS, PROBES)), *inside, *reader.names("")]
    found = dict.fromkeys(path for path in every if path.endswith(".jsonl"))
    return [path for path in found if path not in wrong]


def _document(path: str, kind: type[Any], data: bytes | None) -> list[Fault]:
    gone = decoded(data, kind, path) is None
    return [Fault("persona_file_missing", file=path)] if gone else []


def _text(path: str, reason: Both, data: bytes | None, found: Findings) -> list[Fault]:
    text = text_of(data, path, IDENTITY_BYTES if path == IDENTITY else TEXT_BYTES)
    if not text.strip("\0 \t\n") or (path == IDENTITY and is_blank(text)):
        return [Fault("persona_text_missing", file=path, reason=reason)]
    if path == VOICE and not voice.parse(text):
        found.notes.append(Fault("no_samples"))
    return []


def _page(reader: Reader, path: str) -> list[Fault]:
    text_of(reader.read(path), path)
    return []


def _refusals(data: bytes | None, found: Findings) -> list[Fault]:
    if data is None:
        return [Fault("persona_text_missing", file=REFUSALS, reason=Both("拒绝条目", "refusals"))]
    known, faults = refusals.parse(data)
    if faults:
        return faults
    if not known:
        return [Fault("no_refusals", file=REFUSALS)]
    asked = (one.id for one in known if not one.probe)
    found.notes.extend(Fault("no_probe", file=REFUSALS, found=ident) for ident in asked)
    return []


def _gone(read: Callable[[str], bytes | None], found: Findings) -> list[Fault]:
    """Refusals that the log knows and the file does not: taken out, or cut off with the file's end."""
    known, faults = refusals.parse(read(REFUSALS) or b"")
    if faults:
        return []
    ids = {one.id for one in known}
    probes = decoded_lines(log.lines(read(PROBES) or b"")[0], Probe, PROBES, [])
    gone = sorted({one.refusal for one in probes} - ids)
    if gone:
        found.notes.append(Fault("refusal_gone", file=REFUSALS, found=gone))
    return []


def _lines(data: bytes | None, path: str) -> list[Fault]:
    """Lines that nobody can read; of a log that nobody knows, those that are no JSON object."""
    faults: list[Fault] = []
    kind = _LOGS.get(path, dict)
    decode: Callable[[bytes], Any] = (
        decode_wake if path == WAKE else lambda line: msgspec.json.decode(line, type=kind)
    )
    for number, line in enumerate(log.lines(data or b"")[0], 1):
        try:
            decode(line)
        except (msgspec.DecodeError, ValueError) as error:
            faults.append(
                Fault("persona_line_broken", file=path, line=number, reason=why_unread(error))
            )
        if len(faults) == _MOST:
            break
    return faults
