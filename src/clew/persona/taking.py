"""Taking up what hooks left, and laying ready what they read at a turn.

A mark is taken up in one change with what follows from it (a receipt, a person's words, the timers of a
session) and removed afterwards. A mark that was taken up and could not be removed is known by its name
and does nothing a second time.
"""

from __future__ import annotations

import posixpath
import re
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec

from clew.kernel.errors import ClewError
from clew.persona import (
    diary,
    keeping,
    marks,
    origins,
    prepared,
    refusals,
    registering,
    timer_audit,
    turning,
)
from clew.persona import vitals as law
from clew.persona import windows as register_of
from clew.persona.alone import alone
from clew.persona.channels import board, digest, reading
from clew.persona.channels.lines import Receipt
from clew.persona.channels.receipts import origin_of
from clew.persona.channels.writing import Writer
from clew.persona.decoding import instant
from clew.persona.model import PRIVATE
from clew.persona.transcripts.naming import belongs
from clew.persona.windows import FILE, Window, Windows

if TYPE_CHECKING:
    from clew.persona.home import Change, Home

LOCK: Final = f"{PRIVATE}/taking.lock"
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_MOST: Final = 500
"""Marks of one run; the next goes on."""
_MARK_BYTES: Final = 1 << 20
_KNOWN: Final = 1_000
_TOLD: Final = 100
_STALE: Final = 3600 * 10**9
_DAY: Final = timedelta(days=1)


class Mark(msgspec.Struct, kw_only=True):
    """A mark as it is read back; what is of another type is not taken."""

    name: str = ""
    kind: str
    at: str = ""
    session: str = ""
    host: str = "other"
    transcript: str = ""
    cwd: str = ""
    wake: str = ""
    source: str = ""
    markup: bool = False
    chars: int = 0
    start: int | None = None
    prompt: str = ""
    timers: Any = None


def waiting(home: Home) -> list[Mark]:
    """The marks that nobody took up, oldest first. One that makes no sense is removed: it holds
    nobody's words."""
    files, folder = home.vault.files, home.vault.real(marks.FOLDER)
    out = []
    for name in files.names(folder)[:_MOST]:
        path = posixpath.join(folder, name)
        if name.startswith("."):  # being written, or left so by a kill
            _clear(home, path)
            continue
        try:
            mark = msgspec.json.decode(files.read(path, 0, _MARK_BYTES), type=Mark)
        except OSError:
            continue
        except (msgspec.DecodeError, UnicodeDecodeError):
            files.remove(path)
            continue
        mark.name = name
        out.append(mark)
    return out


def _clear(home: Home, path: str) -> None:
    files = home.vault.files
    found = files.stat(path)
    if found is not None and time.time_ns() - found.mtime_ns > _STALE:
        files.remove(path)


def take_up(home: Home, lang: str = "en") -> int:
    """Take up every mark that waits; returns how many. Raises as a change does.

    One process at a time: two that saw the same mark would both write what follows from it.
    """
    if not waiting(home):
        return 0
    with alone(home, LOCK):
        found = waiting(home)
        if found:
            _take_up(home, found, lang)
    return len(found)


def _take_up(home: Home, found: list[Mark], lang: str) -> None:
    known = {one.mark for one in reading.last(home, "receipts", Receipt, _KNOWN) if one.mark}
    said: list[tuple[str, str]] = []
    with home.change() as change:
        writer = Writer(change)
        for mark in found:
            if mark.kind == "ended":
                _ended(change, mark)
            elif mark.kind == "words" and mark.name not in known:
                _words(change, writer, mark)
            elif mark.kind == "opened":
                _opened(change, mark)
            elif mark.kind == "compacting":
                _compacting(change, mark)
            elif mark.kind == "done":
                said += _done(change, mark, lang)
    for session, text in said:
        marks.tell(home.root, session, text)
    for mark in found:
        home.vault.files.remove(posixpath.join(home.vault.real(marks.FOLDER), mark.name))


def _saw(change: Change, mark: Mark) -> Window | None:
    if not register_of.is_id(mark.session):
        return None
    host: Any = mark.host if mark.host in ("claude", "codex", "gemini") else "other"
    path = mark.transcript if belongs(mark.transcript, mark.session) else ""
    # When the mark was left, not now: the session may have ended since.
    at = mark.at if _MOMENT.fullmatch(mark.at) else ""
    known = registering.saw(change, mark.session, host=host, transcript=path, cwd=mark.cwd, at=at)
    return known.find(mark.session)


def _ended(change: Change, mark: Mark) -> None:
    known = change.load(FILE, Windows) or Windows()
    after = register_of.ended(known, {mark.session: mark.at})
    if after != known:
        change.save(FILE, after)


def _opened(change: Change, mark: Mark) -> None:
    window = _saw(change, mark)
    keeping.seen(change)
    ident = window.id if window is not None else ""
    change.event("opened", window=ident, source=mark.source[:40], host=mark.host)


def _compacting(change: Change, mark: Mark) -> None:
    window = _saw(change, mark)
    if window is not None and window.compacted < mark.at:
        known = change.load(FILE, Windows) or Windows()
        after = known.having(msgspec.structs.replace(window, compacted=mark.at))
        change.save(FILE, after)
        change.event("compacting", window=window.id)


def _words(change: Change, writer: Writer, mark: Mark) -> None:
    window = _saw(change, mark)
    found = origin_of(
        told=mark.source, wake=mark.wake, markup=mark.markup, start=mark.start,
        timers=window.timers if window is not None else (),
    )  # fmt: skip
    writer.add(
        "receipts", Receipt, window=mark.session if window is not None else "", how=found.how,
        evidence=found.evidence, source=found.source, host=mark.host, chars=mark.chars,
        prompt=mark.prompt[:200], mark=mark.name,
    )  # fmt: skip
    if found.how == "typed":
        keeping.heard(change, window=mark.session, ref=mark.prompt, words=mark.chars)
    else:
        keeping.seen(change)


def _done(change: Change, mark: Mark, lang: str) -> list[tuple[str, str]]:
    window = _saw(change, mark)
    keeping.seen(change)
    if window is None:
        return []
    findings = audit_timers(change, window.id, mark.timers)
    said = [(window.id, turning.about_timers(findings, lang))] if findings else []
    if not window.origin and (origin := _origin(change, window)):
        said.append((window.id, turning.about_fork(window.id, origin, lang)))
    return said


def _origin(change: Change, window: Window) -> str:
    """The window that this one turns out to be a copy of: a host may open a copy under the id of the
    one that was copied, and its transcript is there only after its first turn."""
    known = change.load(FILE, Windows) or Windows()
    origin = origins.found(change.home.vault.files, window, known)
    if origin:
        registering.saw(change, window.id, origin=origin, at=window.seen)
    return origin


def audit_timers(change: Change, ident: str, told: Any) -> list[turning.AboutTimer]:
    """Audit the timers that a host told at the end of a turn. What is new is returned, and is an event
    with what it takes to set the timer up again: the host has forgotten it."""
    known = change.load(FILE, Windows) or Windows()
    window = known.find(ident)
    now = timer_audit.read_timers(told, change.moment)
    if now is None or window is None:
        return []
    kept = timer_audit.keep(window.timers, now)
    before: list[str] = list(window.told)
    out: list[turning.AboutTimer] = []
    zone = change.moment.astimezone().tzinfo or UTC  # a host's schedules go by the machine's clock
    for one in timer_audit.audit(window.timers, kept, change.moment, zone=zone):
        name = f"{one.kind} {one.timer} {one.when}"
        if name not in before:
            before.append(name)
            when = _wall(change, one.when)
            out.append(turning.AboutTimer(one.kind, one.timer, when, one.schedule, one.prompt))
            change.event(
                "timer", window=ident, found=one.kind, timer=one.timer, when=one.when,
                schedule=one.schedule, prompt=one.prompt,
            )  # fmt: skip
    after = msgspec.structs.replace(window, timers=kept, told=before[-_TOLD:])
    if after != window:
        change.save(FILE, known.having(after))
    return out


def _wall(change: Change, at: str) -> str:
    return f"{instant(at).astimezone(change.home.zone):%Y-%m-%d %H:%M}" if at else ""


# ---- the text of a turn --------------------------------------------------------------------------


def language(home: Home, asked: str | None, locale: str) -> str:
    """The language of what a hook says: the one that was asked for, else by the persona's name."""
    if asked:
        return asked
    return "zh" if digest.language(home.settings.name) == "zh" else locale


def turn_of(home: Home, lang: str, key: str, window: str = "") -> str:
    """What a turn of a window reads, as of now; laid ready, under the language that was asked for (`key`), for the
    turns that follow. Raises as the layers do: a persona's limits are told whole, or that they cannot
    be read."""
    before = marks.stamps(home.root)
    today = refusals.show_today(home)
    text = turning.at_turn(
        turning.Turn(
            home.settings.name, marks.WHEN, refusals.lines_of_turn(home),
            today.text if today is not None else "", *_mail(home),
        ),
        lang,
    )  # fmt: skip
    moment = home.now()
    since, until, offset = _span(home, moment)
    handed = _handed(home, lang)
    turn = {
        "text": text, "windows": handed, "lang": key, "stamps": before, "zone": home.settings.zone, "offset": offset,
        "since": since, "until": until,
    }  # fmt: skip
    with suppress(OSError):  # on a disk that cannot be written each turn makes its own
        marks.lay_ready(home.root, turn)
    local = moment.astimezone(home.zone)
    text = text.replace(marks.WHEN, f"{local:%Y-%m-%d %H:%M} {home.settings.zone}")
    return "\n".join(part for part in (text, handed.get(window)) if part)


def handed_to(home: Home, window: str, lang: str) -> str:
    """What a window is told of the notes that were left for it alone; empty for none."""
    return _handed(home, lang).get(window, "")


def _handed(home: Home, lang: str) -> dict[str, str]:
    try:
        found = reading.handed(home)
    except ClewError as error:
        home.notes += error.faults
        return {}
    return {one.window: turning.handed(one.window, one.notes, one.tasks, lang) for one in found}


def card_of(home: Home, lang: str, key: str) -> None:
    """Lay the opening card of now ready, under the language that was asked for (`key`). Raises as the
    layers do. Not where its mood has noise, or a layer is missing: such a card is made each time."""
    from clew.kernel.text import byte_length
    from clew.persona.opening import draft

    refusals.show_today(home)  # which writes it down, the first time
    dates = home.look(diary.dates)[-diary.LAST_DAYS :]
    names = [*prepared.INPUTS, *prepared.diary_names(home.root, dates)]
    stamps = marks.stamps(home.root, names)  # before anything of it is read
    rules = home.read_settings().mood
    try:
        now = prepared.vitals_of(home.read(prepared.VITALS) or b"")
    except (ValueError, KeyError, TypeError):
        return
    made = draft(home, home.settings.quotas.opening_bytes, byte_length, lang=lang)
    if rules.noise or made.faults or len(made.gaps) > turning.CARD_CHARS - 2:
        return
    vitals = home.read_vitals()
    since, until, offset = _span(home, made.moment)
    if not made.state.faded:
        until = min(until, made.moment.timestamp() + law.fades_in(vitals.mood, made.moment, rules))
    card = {
        "text": made.gaps, "key": key, "lang": lang, "names": names, "stamps": stamps,
        "vitals": now, "since": since, "until": until, "offset": offset,
        "baseline": rules.baseline, "value": vitals.mood.value, "at": instant(vitals.mood.at).timestamp(),
        "half_life": rules.half_life_hours * 3600,
        "spoken": instant(vitals.last_word_at or vitals.born_at).timestamp(),
    }  # fmt: skip
    with suppress(OSError):  # on a disk that cannot be written each opening makes its own
        prepared.lay(home.root, card)


def _mail(home: Home) -> tuple[int, int]:
    from clew.persona.pulse import outbox

    try:
        return board.unread(home), len(outbox.waiting(home))
    except ClewError as error:
        home.notes += error.faults
        return 0, 0


def _span(home: Home, moment: datetime) -> tuple[float, float, int]:
    """Between which moments the civil date and the zone's offset are what they are now."""
    shift = moment.astimezone(home.zone).utcoffset()
    date = home.civil(moment)

    def same(other: datetime) -> bool:
        there = other.astimezone(home.zone)
        return there.utcoffset() == shift and there.date().isoformat() == date

    since = _edge(moment, moment - _DAY * 1.1, same).timestamp()
    until = _edge(moment, moment + _DAY * 1.1, same).timestamp()
    return since, until, int(shift.total_seconds()) if shift is not None else 0


def _edge(inside: datetime, outside: datetime, same: Callable[[datetime], bool]) -> datetime:
    """The last moment towards `outside` that is still the same, to a second."""
    while abs(outside - inside) > timedelta(seconds=1):
        middle = inside + (outside - inside) / 2
        if same(middle):
            inside = middle
        else:
            outside = middle
    return inside
