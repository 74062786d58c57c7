"""The wake ledger as people read it: runs with what became of them, and everything between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct

from clew.persona.decoding import instant
from clew.persona.pulse import outbox
from clew.persona.pulse.ledgerfile import WAKE, every_line
from clew.persona.wake.ledger import (
    AnyLine,
    ClockBack,
    Effect,
    HostLine,
    Ledger,
    Lost,
    Pausing,
    ReasonChange,
    Reserved,
    Resuming,
    Slept,
)
from clew.persona.wake.reasons import sentence

if TYPE_CHECKING:
    from clew.persona.home import Home

T = TypeVar("T")


class RunTold(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One run."""

    wake: str
    entry: str
    date: str
    due: str
    at: str
    runner: str
    local: str
    """When it started, by the persona's wall clock."""
    state: str
    """`open`, `done`, `left`, `failed` or `lost`."""
    taken_at: str = ""
    """When somebody took the prompt that it left; empty while it waits, or where a newer one of the
    entry stands in its place."""
    ended_at: str = ""
    tokens: int = 0
    seconds: int = 0
    text: str = ""
    code: str = ""
    detail: str = ""


class LineTold(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Anything else that the ledger tells."""

    kind: str
    at: str
    local: str
    what: str
    """As a sentence."""
    facts: dict[str, Any] = {}
    """As it stands in the file."""


class Told(Struct, frozen=True, kw_only=True):
    """The ledger, or its end."""

    status: str = "ok"
    zone: str
    """The persona's: `local` is in it."""
    runs: list[RunTold]
    """The last ones, oldest first."""
    lines: list[LineTold]
    """Everything else: changes of reason, clocks set back, sleeps, pauses, changes of host."""
    counts: dict[str, int]
    """Of all runs of the selection, by state."""


def tell(home: Home, *, entry: str = "", date: str = "", last: int = 20, lang: str = "en") -> Told:
    """The ledger, of one entry or one civil date where asked."""
    lines = every_line(home.read(WAKE), home.notes)
    ledger = Ledger(lines)
    ends: dict[str, AnyLine] = {line.key: line for line in lines if isinstance(line, Lost)}
    ends.update((line.key, line) for line in lines if isinstance(line, Effect))
    taken = outbox.taken(home)
    runs = [
        _run(home, run.line, run.state, ends.get(run.line.key), taken.get(run.line.key, ""))
        for run in ledger.runs
        if entry in ("", run.line.entry) and (not date or run.on(date, home.zone))
    ]
    counts: dict[str, int] = {}
    for one in runs:
        counts[one.state] = counts.get(one.state, 0) + 1
    others = [_line(home, line, lang) for line in lines if _between(line, entry, date, home)]
    return Told(
        zone=home.settings.zone, runs=_end(runs, last), lines=_end(others, last), counts=counts
    )


def _end(items: list[T], last: int) -> list[T]:
    return items[-last:] if last else []


def _run(home: Home, line: Reserved, state: str, end: AnyLine | None, taken: str) -> RunTold:
    effect = end if isinstance(end, Effect) else None
    return RunTold(
        wake=line.key, entry=line.entry, date=line.date, due=line.due, at=line.at,
        runner=line.runner, local=_local(home, line.at), state=state,
        taken_at=taken, ended_at=end.at if end is not None else "",
        tokens=effect.tokens if effect is not None else 0,
        seconds=effect.seconds if effect is not None else 0,
        text=effect.text if effect is not None else "",
        code=effect.code if effect is not None else "",
        detail=effect.detail if effect is not None else "",
    )  # fmt: skip


def _line(home: Home, line: AnyLine, lang: str) -> LineTold:
    facts = msgspec.to_builtins(line)
    kind, at = facts.pop("kind"), facts.pop("at")
    return LineTold(
        kind=kind, at=at, local=_local(home, at), what=_what(home, line, lang), facts=facts
    )


def _what(home: Home, line: AnyLine, lang: str) -> str:
    zh = lang == "zh"
    if isinstance(line, ReasonChange):
        return f"{line.entry}: {sentence(line.reason, line.facts, lang)}"
    if isinstance(line, ClockBack):
        mark = _local(home, line.mark)
        return f"时钟从 {mark} 被拨回" if zh else f"the clock was set back from {mark}"
    if isinstance(line, Slept):
        since = _local(home, line.since)
        return f"自 {since} 起没有人看过" if zh else f"nobody had looked since {since}"
    if isinstance(line, Pausing):
        return " · ".join(part for part in ("暂停" if zh else "paused", line.by, line.note) if part)
    if isinstance(line, Resuming):
        return " · ".join(part for part in ("继续" if zh else "goes on", line.by) if part)
    if isinstance(line, HostLine):
        return f"{line.change}: {line.holder or '—'}" + (f" ← {line.before}" if line.before else "")
    return ""


def _local(home: Home, at: str) -> str:
    return instant(at).astimezone(home.zone).isoformat(timespec="seconds")


def _between(line: AnyLine, entry: str, date: str, home: Home) -> bool:
    if isinstance(line, Reserved | Effect | Lost):
        return False
    if entry and getattr(line, "entry", entry) != entry:
        return False
    return not date or home.civil(instant(line.at)) == date
