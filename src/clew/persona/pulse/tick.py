"""One look: who has the pulse, what was lost, what is due; then each entry's decision.

Idempotent: a second tick at the same moment finds everything decided. What a daemon does every few
seconds, an operating system's timer every minute, a hook now and then, and a person by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from clew.kernel.clock import stamp
from clew.kernel.errors import refuse
from clew.kernel.faults import Fault
from clew.persona.decoding import instant
from clew.persona.pulse import lease, pausing, periodic, restoring, runlock, waking
from clew.persona.pulse.ledgerfile import WAKE
from clew.persona.pulse.periodic import Tool, ToolRun
from clew.persona.pulse.view import LOOKS, Means, View, looks_of, mail_of, view_of
from clew.persona.taking import take_up
from clew.persona.wake.decide import Run, Skip, decide
from clew.persona.wake.ledger import ClockBack, ReasonChange, Slept
from clew.persona.wake.reasons import Reason, sentence
from clew.persona.wake.rules import SELF, Entry

if TYPE_CHECKING:
    from datetime import datetime

    from clew.persona.home import Change, Home

ASLEEP: Final = timedelta(minutes=15)
"""Nobody looked for longer than that: the machine slept, or nothing ran."""
_NOT_TOLD: Final[frozenset[Reason]] = frozenset(
    ("not_due", "busy", "paused", "held_elsewhere", "waits_for_person")
)
"""Reasons that come and go by themselves, or that a line of their own tells."""


class Decided(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What one entry did."""

    entry: str
    decision: str
    """`run` or `skip`."""
    reason: str = ""
    why: str = ""
    """The reason as a sentence."""
    wake: str = ""
    """The key of the run."""
    due: str = ""
    runner: str = ""
    outcome: str = ""
    """`done`, `left` or `failed`."""
    text: str = ""
    tokens: int = 0
    code: str = ""
    detail: str = ""


class Ticked(Struct, frozen=True, kw_only=True):
    """One look, and what came of it."""

    status: str = "ok"
    persona: str
    at: str
    local: str
    """The wall clock in the persona's zone."""
    zone: str
    holds: bool
    """Whether the pulse is here."""
    holder: str
    paused: bool
    decisions: list[Decided]
    tools: list[ToolRun] = []
    lost: list[str] = []
    clock_back: bool = False
    slept_since: str = ""

    def went_wrong(self) -> bool:
        """Whether a run or a tool failed."""
        runs = any(one.outcome == "failed" for one in self.decisions)
        return runs or any(one.outcome == "failed" for one in self.tools)


class _Opened:
    """What the first transaction of a tick found."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        self.clock_back = False
        self.slept_since = ""
        self.tools: list[Tool] = []


def tick(
    home: Home, means: Means, *, entries: Sequence[Entry] = SELF, tools: bool = True
) -> Ticked:
    """Look once. Raises what opening the home raises; what a run or a tool does wrong is an answer."""
    take_up(home)  # what hooks left since: a person may have spoken a moment ago
    mail = mail_of(home)
    with home.change() as change:
        now = change.clock_now
        held = lease.hold(change, means.owner, take_over=means.take_over)
        view = view_of(
            home, means, change.read, now, mail=mail, holds=held.ours, holder=str(held.lease)
        )
        opened = _open(change, home, means, view, now, tools) if held.ours else _Opened()
    if held.ours:
        runlock.sweep(home, {run.line.key for run in view.ledger.open()} - set(opened.lost))
    decisions: list[Skip | Run | waking.Woken] = []
    if held.ours and not view.host.paused:
        now = home.now()
        fresh = home.look(lambda reader: view_of(home, means, reader.read, now, mail=mail))
        for entry in entries:
            if means.meanwhile.stopped():
                break
            decisions.append(_decide(home, means, fresh, entry, now, mail))
        _tell_reasons(home, decisions)
    else:
        decisions = [
            decide(e, now, view.grid, view.ledger, view.intents, view.presence, view.host)
            for e in entries
        ]
    ran = periodic.run(home, means, opened.tools) if opened.tools else []
    return Ticked(
        persona=home.settings.name, at=stamp(now),
        local=now.astimezone(home.zone).isoformat(timespec="seconds"), zone=home.settings.zone,
        holds=held.ours, holder=str(held.lease), paused=view.host.paused,
        decisions=[told(found, means.lang) for found in decisions], tools=ran, lost=opened.lost,
        clock_back=opened.clock_back, slept_since=opened.slept_since,
    )  # fmt: skip


def only_tools(home: Home, means: Means, names: Sequence[str]) -> Ticked:
    """Run periodic tools by hand, whenever they were last run. Raises `Refused` (`not_allowed`)."""
    known = [tool.name for tool in periodic.TOOLS]
    refuse(
        Fault("not_allowed", "$.tool", found=name, allowed=known)
        for name in names
        if name not in known
    )
    now = home.now()
    with home.change() as change:
        held = lease.hold(change, means.owner, take_over=means.take_over)
        looks = looks_of(change.read(LOOKS))
        tools = periodic.claim(change, looks, now, only=names) if held.ours else []
    return Ticked(
        persona=home.settings.name, at=stamp(now),
        local=now.astimezone(home.zone).isoformat(timespec="seconds"), zone=home.settings.zone,
        holds=held.ours, holder=str(held.lease), paused=pausing.state(home).paused, decisions=[],
        tools=periodic.run(home, means, tools),
    )  # fmt: skip


def _open(
    change: Change, home: Home, means: Means, view: View, now: datetime, tools: bool
) -> _Opened:
    """What a tick writes before it decides: a clock that was set back, a sleep, losses, and which
    tools it takes."""
    found = _Opened()
    restoring.restore(change)
    looked = instant(view.looks.at) if view.looks.at else None
    if view.ledger.went_back(now) and view.ledger.mark is not None:
        change.append(WAKE, ClockBack(at=stamp(now), mark=stamp(view.ledger.mark)))
        found.clock_back = True
    elif looked is not None and now - looked > ASLEEP:
        change.append(WAKE, Slept(at=stamp(now), since=view.looks.at))
        found.slept_since = view.looks.at
    for lost in waking.lost_runs(home, means, view.ledger, now):
        change.append(WAKE, lost)
        change.event("wake_lost", wake=lost.key, reason=lost.reason)
        found.lost.append(lost.key)
    claimed = periodic.claim(change, view.looks, now, wanted=tools and not view.host.paused)
    found.tools = claimed
    return found


def _decide(
    home: Home, means: Means, view: View, entry: Entry, now: datetime, mail: int
) -> Skip | waking.Woken:
    """Decide without a lock first: a transaction is made only for a run, and decides again."""
    found = decide(entry, now, view.grid, view.ledger, view.intents, view.presence, view.host)
    if not isinstance(found, Run):
        return found
    reserved = waking.reserve(home, means, entry, mail)
    return waking.perform(home, means, reserved) if not isinstance(reserved, Skip) else reserved


def _tell_reasons(home: Home, decisions: Sequence[object]) -> None:
    """Write the reasons that changed since they were last written."""
    skips = [s for s in decisions if isinstance(s, Skip) and s.reason not in _NOT_TOLD]
    if not skips:
        return
    from clew.persona.pulse.ledgerfile import recent

    known = recent(home.read(WAKE), home.now()).reasons
    if all(_same(known.get(skip.entry), skip) for skip in skips):
        return
    with home.change() as change:
        now = change.clock_now
        known = recent(change.read(WAKE), now).reasons
        for skip in skips:
            if not _same(known.get(skip.entry), skip):
                due = stamp(skip.slot.due) if skip.slot is not None else ""
                line = ReasonChange(
                    at=stamp(now), entry=skip.entry, reason=skip.reason, due=due, facts=skip.facts
                )
                change.append(WAKE, line)


def _same(known: ReasonChange | None, skip: Skip) -> bool:
    return known is not None and known.reason == skip.reason


def told(found: Skip | Run | waking.Woken, lang: str) -> Decided:
    """A decision as an answer."""
    if isinstance(found, Skip):
        return Decided(
            entry=found.entry, decision="skip", reason=found.reason,
            why=sentence(found.reason, found.facts, lang),
            due=stamp(found.slot.due) if found.slot is not None else "",
        )  # fmt: skip
    if isinstance(found, Run):
        return Decided(entry=found.entry, decision="run", due=stamp(found.slot.due))
    line, outcome = found.line, found.outcome
    return Decided(
        entry=line.entry, decision="run", wake=line.key, due=line.due, runner=line.runner,
        outcome=outcome.word(line.runner), text=outcome.text, tokens=outcome.tokens,
        code=outcome.fault.code if outcome.fault is not None else "",
        detail=outcome.fault.message(lang) if outcome.fault is not None else "",
    )  # fmt: skip
