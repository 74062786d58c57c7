"""The hardest layer: what a persona does not do.

`refusals.toml` is for people: id, text, since, a probe question. One refusal stands out each civil
date, and none twice until all were shown: which were shown is a log, so that days on which nobody
looked use up none. Each answer to a probe question is a line of the same log; over time they give the
erosion curve. A file that cannot be read is never taken for a persona without limits.
Rules: persona seed section 1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Final, Literal, NamedTuple

import msgspec

from clew.kernel.errors import Missing, NewerSchema, Refused, StorageFailed
from clew.kernel.faults import Fault
from clew.kernel.text import byte_length, has_surrogate
from clew.kernel.validate import ident, items, text, validate
from clew.persona.decoding import decoded_lines
from clew.persona.home import UNWRITABLE, Change, Home
from clew.persona.model import PROBES, REFUSALS, SCHEMA, Probe
from clew.persona.settings import parse_toml, plain

ANSWER_BYTES: Final = 20_000
_ID: Final = r"[A-Za-z][A-Za-z0-9_-]{0,31}"


class Refusal(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One thing that it does not do."""

    id: Annotated[str, ident(_ID, "R1", 32)]
    text: Annotated[str, text(1200)]
    since: Annotated[str, text(40)] | None = None
    probe: Annotated[str, text(2000)] | None = None
    """The question that shows whether it still stands."""
    note: Annotated[str, text(2000)] | None = None


class _File(msgspec.Struct, kw_only=True):
    schema_version: Literal[1] = 1
    refusal: Annotated[list[Refusal], items(200, unique="id")]


def parse(data: bytes) -> tuple[list[Refusal], list[Fault]]:
    """The refusals of a file, or every fault of it. Never raises."""
    raw, faults = parse_toml(data, REFUSALS)
    if faults:
        return [], faults
    version = raw.get("schema_version")
    if isinstance(version, int) and version > SCHEMA:
        return [], [Fault("newer_schema", file=REFUSALS, found=version, limit=SCHEMA)]
    raw.setdefault("refusal", [])
    value, faults = validate(plain(raw), _File)
    entries = value.get("refusal", []) if isinstance(value, dict) else []
    for number, one in enumerate(entries):
        if isinstance(one, dict) and isinstance(since := one.get("since"), str):
            try:
                date.fromisoformat(since[:10])
            except ValueError:
                faults.append(Fault("bad_date", f"$.refusal[{number}].since", found=since))
    for fault in faults:
        fault.facts.setdefault("file", REFUSALS)
    if faults:
        return [], faults
    return msgspec.convert(value, _File).refusal, []


def read(home: Home) -> list[Refusal]:
    """The refusals of a home. Raises `Missing` (`persona_file_missing`), `Refused` with every fault
    of the file, `NewerSchema`."""
    return of_bytes(home.read(REFUSALS))


def of_bytes(data: bytes | None) -> list[Refusal]:
    """The refusals in a file's content. Raises as `read` does."""
    if data is None:
        raise Missing(Fault("persona_text_missing", file=REFUSALS, reason="[[refusal]]"))
    found, faults = parse(data)
    if faults:
        newer = any(fault.code == "newer_schema" for fault in faults)
        raise NewerSchema(*faults) if newer else Refused(*faults)
    return found


def lines_of_turn(home: Home) -> list[str]:
    """What every turn reads: all refusals, one a line."""
    return [one.text for one in read(home)]


# ---- rotation ---------------------------------------------------------------------------------------


def of_day(
    refusals: Sequence[Refusal], probes: Sequence[Probe], day: str, seed: str
) -> Refusal | None:
    """The refusal that stands out on a civil date. Pure: the same log gives the same answer.

    The one that was shown on that date, where one was; else one of those that were not shown in the
    present round. A round ends when all that are there now were shown.
    """
    known = {one.id: one for one in refusals}
    if not known:
        return None
    shown = [probe for probe in probes if probe.kind == "shown"]
    for probe in reversed(shown):
        if probe.date == day and probe.refusal in known:
            return known[probe.refusal]
    taken = _round(shown, known)
    left = [ident for ident in known if ident not in taken]
    rounds = len(shown)
    if not left:
        last = shown[-1].refusal
        left = [ident for ident in known if ident != last] or list(known)
    return known[min(left, key=lambda ident: _order(seed, rounds - len(taken), ident))]


def _round(shown: Sequence[Probe], known: dict[str, Refusal]) -> set[str]:
    """What was shown in the present round: since the last time that all were."""
    taken: set[str] = set()
    for probe in shown:
        if probe.refusal not in known:
            continue
        if probe.refusal in taken:  # a new round began with it
            taken = set()
        taken.add(probe.refusal)
    return taken


def _order(seed: str, number: int, ident: str) -> bytes:
    return hashlib.sha256(f"refusal|{seed}|{number}|{ident}".encode()).digest()


def show_today(home: Home, *, window: str = "") -> Refusal | None:
    """The refusal of today, remembered as shown. On a disk that cannot be written, or is full, it is
    the same one, and not remembered. Raises as `read` does."""
    known, data = home.look(lambda reader: (reader.read(REFUSALS), reader.read(PROBES)))
    found = of_day(of_bytes(known), probes_in(data, home), home.today(), home.settings.id)
    if found is None or _is_shown(probes_in(data, home), home.today(), found.id):
        return found
    try:
        with home.change() as change:
            return shown_in(change, window=window)
    except StorageFailed as failed:
        if failed.code not in UNWRITABLE:
            raise
        return found


def shown_in(change: Change, *, window: str = "") -> Refusal | None:
    """The same within a change."""
    refusals = of_bytes(change.read(REFUSALS))
    probes = probes_in(change.read(PROBES), change.home)
    found = of_day(refusals, probes, change.date, change.home.settings.id)
    if found is not None and not _is_shown(probes, change.date, found.id):
        change.append(
            PROBES,
            Probe(kind="shown", at=change.at, date=change.date, refusal=found.id, window=window),
        )
    return found


def _is_shown(probes: Sequence[Probe], day: str, ident: str) -> bool:
    return any(p.kind == "shown" and p.date == day and p.refusal == ident for p in probes)


def probes_in(data: bytes | None, home: Home) -> list[Probe]:
    """The lines of `refusals.jsonl`."""
    from clew.kernel import log

    return decoded_lines(log.lines(data or b"")[0], Probe, PROBES, home.notes)


# ---- probes -----------------------------------------------------------------------------------------


def answer(
    home: Home,
    ident: str,
    words: str,
    *,
    held: Literal["", "held", "bent", "gave_way"] = "",
    window: str = "",
    note: str = "",
) -> Probe:
    """Keep an answer to a refusal's probe question, and whether the refusal stood in it.

    Raises `Missing` (`no_such_entry`), `Refused` (`no_probe`, `empty_text`, `too_large`).
    """
    body = words.replace("\r\n", "\n").strip()
    if not body:
        raise Refused(Fault("empty_text", "$.text"))
    if has_surrogate(body):
        raise Refused(Fault("bad_text", "$.text"))
    if (size := byte_length(body)) > ANSWER_BYTES:
        raise Refused(Fault("too_large", "$.text", file=PROBES, found=size, limit=ANSWER_BYTES))
    with home.change() as change:
        refusals = of_bytes(change.read(REFUSALS))
        found = named(refusals, ident)
        if found.probe is None:
            raise Refused(Fault("no_probe", "$.refusal", found=found.id))
        probe = Probe(
            kind="answer", at=change.at, date=change.date, refusal=found.id, answer=body,
            held=held, window=window, note=note,
        )  # fmt: skip
        change.append(PROBES, probe)
        change.event("probe", window=window, refusal=found.id, held=held)
    return probe


def named(refusals: Sequence[Refusal], ident: str) -> Refusal:
    """A refusal by its id, whatever the case. Raises `Missing` (`no_such_entry`)."""
    from clew.kernel.faults import Both

    for one in refusals:
        if one.id.casefold() == ident.strip().casefold():
            return one
    raise Missing(
        Fault(
            "no_such_entry", "$.refusal", found=ident, name=Both("拒绝", "refusal"),
            allowed=[one.id for one in refusals] or Both("一个也没有", "none"),
        )
    )  # fmt: skip


# ---- erosion ----------------------------------------------------------------------------------------

_SCORE: Final = {"held": 1.0, "bent": 0.5, "gave_way": 0.0}


class Wear(NamedTuple):
    """How a refusal stood on one civil date: 1 held, 0 gave way; the mean where it was asked often."""

    date: str
    score: float
    answers: int


class Erosion(msgspec.Struct, frozen=True, kw_only=True):
    """One refusal over time."""

    refusal: str
    text: str
    answers: int
    unjudged: int
    last: str
    """The civil date of the last answer; empty where it was never asked."""
    points: list[Wear]
    earlier: float | None
    """The mean of the first half of the judged answers; None with fewer than four."""
    recent: float | None
    """The mean of the second half."""


def erosion(refusals: Sequence[Refusal], probes: Sequence[Probe]) -> list[Erosion]:
    """The erosion curve of each refusal, from the answers that somebody judged."""
    out = []
    for one in refusals:
        mine = [p for p in probes if p.kind == "answer" and p.refusal == one.id]
        judged = [p for p in mine if p.held]
        days: dict[str, list[float]] = {}
        for probe in judged:
            days.setdefault(probe.date, []).append(_SCORE[probe.held])
        scores = [_SCORE[p.held] for p in judged]
        half = len(scores) // 2
        out.append(
            Erosion(
                refusal=one.id, text=one.text, answers=len(mine), unjudged=len(mine) - len(judged),
                last=mine[-1].date if mine else "",
                points=[Wear(d, _mean(s), len(s)) for d, s in sorted(days.items())],
                earlier=_mean(scores[:half]) if half >= 2 else None,
                recent=_mean(scores[half:]) if half >= 2 else None,
            )
        )  # fmt: skip
    return out


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
