"""What comes, as an answer: each entry's next run or why there is none, each tool's next time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.kernel.clock import stamp
from clew.persona.pulse import lease, pausing, periodic
from clew.persona.pulse.periodic import ToolNext
from clew.persona.pulse.view import Means, survey
from clew.persona.wake.decide import Skip
from clew.persona.wake.forecast import Coming, everything
from clew.persona.wake.reasons import sentence

if TYPE_CHECKING:
    from clew.persona.home import Home


class Passed(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A moment that passes by without a run."""

    due: str
    reason: str
    why: str


class EntryNext(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What is to be expected of one entry."""

    entry: str
    at: str = ""
    """When it runs, in UTC; where `blocked`, when it would. Empty: not within the days looked at."""
    local: str = ""
    """The same by the persona's wall clock."""
    blocked: str = ""
    """What stops it until somebody does something about it."""
    why: str = ""
    """That as a sentence; without `blocked` and `at`, why it does not come."""
    passed: list[Passed] = []
    """Why earlier moments pass by: the first of each reason in a row."""
    used: int = 0
    """Runs used up today."""
    cap: int = 0
    """How many there may be in a day; 0: any number."""


class Next(Struct, frozen=True, kw_only=True):
    """What comes."""

    status: str = "ok"
    persona: str
    zone: str
    at: str
    local: str
    entries: list[EntryNext]
    tools: list[ToolNext]
    runner: str
    trusted: bool
    """Whether what the home names may be run."""
    runs_today: int
    runs_per_day: int
    tokens_today: int
    tokens_per_day: int
    paused: bool = False
    paused_note: str = ""
    holder: str = ""
    """Who has the pulse; empty: nobody."""
    looked: str = ""
    """When anything last called the pulse, with tools or without; empty: never."""


def coming(home: Home, means: Means) -> Next:
    """Tell what comes. Reads only."""
    now = home.now()
    held = home.load(lease.LEASE, lease.Lease)
    judged = lease.judge(held, means.owner, now)
    elsewhere = judged == "held" and held is not None
    view = survey(home, means, holds=not elsewhere, holder=str(held) if held is not None else "")
    found = everything(now, view.grid, view.ledger, view.intents, view.presence, view.host)
    runs, tokens = view.ledger.spent(home.civil(now), home.zone)
    stopped = pausing.state(home)
    runner = home.settings.runner
    return Next(
        persona=home.settings.name, zone=home.settings.zone, at=stamp(now),
        local=_local(home, now), entries=[_entry(home, one, means.lang) for one in found],
        tools=periodic.coming(view.looks, now, means.lang), runner=runner.kind,
        trusted=view.host.trusted, runs_today=runs, runs_per_day=runner.runs_per_day,
        tokens_today=tokens, tokens_per_day=runner.tokens_per_day, paused=stopped.paused,
        paused_note=stopped.note, holder=str(held) if held is not None else "",
        looked=view.looks.at,
    )  # fmt: skip


def _entry(home: Home, one: Coming, lang: str) -> EntryNext:
    passed = [_passed(skip, lang) for skip in one.passed]
    blocked = one.blocked
    why = ""
    if blocked is not None:
        why = sentence(blocked.reason, blocked.facts, lang)
    elif one.at is None and one.passed:
        why = passed[0].why
    cap = home.settings.wake.of(one.entry).cap if one.entry != "interactive" else None
    return EntryNext(
        entry=one.entry, at=stamp(one.at) if one.at is not None else "",
        local=_local(home, one.at) if one.at is not None else "",
        blocked=blocked.reason if blocked is not None else "", why=why, passed=passed,
        used=one.used, cap=cap or 0,
    )  # fmt: skip


def _passed(skip: Skip, lang: str) -> Passed:
    return Passed(
        due=stamp(skip.slot.due) if skip.slot is not None else "", reason=skip.reason,
        why=sentence(skip.reason, skip.facts, lang),
    )  # fmt: skip


def _local(home: Home, moment: datetime) -> str:
    return moment.astimezone(home.zone).isoformat(timespec="seconds")
