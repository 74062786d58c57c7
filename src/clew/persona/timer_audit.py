"""The timers of a session, audited: which will not run, which are about to end, which are gone.

Pure. A host tells at the end of a turn which timers its session has (`session_crons`). Such a timer
lives in the session: another conversation does not have it, a recurring one deletes itself after
seven days (thirty, in newer versions), a run that was missed is not caught up, and "durable" is not
always what was stored. None of that is told to anybody, so it is found here by comparing with what was
there before. Claude Code tells id, schedule, prompt and whether it recurs; when a single run is due is
read from its schedule.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final, Literal

import msgspec

from clew.persona.timer_moments import next_after

EXPIRES: Final = (timedelta(days=7), timedelta(days=30))
"""A recurring timer of a session deletes itself after so long, as versions have it."""
_UNSURE: Final = timedelta(minutes=10)
"""A single run whose moment came so shortly before it was first told may be still to come."""
SOON: Final = timedelta(days=1)
MOST: Final = 50
"""Timers that a session can have."""
_READ: Final = 200
"""Of a list that may be anything."""
PROMPT_CHARS: Final = 160
Kind = Literal["gone", "expired", "expires_soon", "session_only", "overdue", "born_late", "full"]


class Timer(msgspec.Struct, frozen=True, kw_only=True):
    """One timer as the host told it; what it did not tell is empty."""

    id: str
    schedule: str = ""
    prompt: str = ""
    """Its beginning: enough to know it again."""
    recurring: bool | None = None
    durable: bool | None = None
    created: str = ""
    next: str = ""
    seen: str = ""
    """When it was first told."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something about a timer that its owner would not notice."""

    kind: Kind
    """`gone`: told before, not any more. `expired`, `expires_soon`: seven days. `session_only`:
    durable was asked, and it is not. `overdue`: its moment passed and it is still to come.
    `born_late`: a single run that was set up after its moment. `full`: no room for another."""
    timer: str
    schedule: str = ""
    prompt: str = ""
    """Its beginning. With the schedule, what it takes to set the timer up again."""
    when: str = ""
    """The moment it is about."""


def read_timers(value: Any, now: datetime) -> list[Timer] | None:
    """The timers in a host's `session_crons`; None when it told none (not: that there are none)."""
    if isinstance(value, dict):
        value = value.get("jobs") or value.get("crons") or list(value.values())
    if not isinstance(value, list):
        return None
    found: dict[str, Timer] = {}
    for one in value[:_READ]:
        if not isinstance(one, dict):
            continue
        schedule = _word(one, "cron", "schedule", "expression", "cronExpression")
        prompt = _word(one, "prompt", "message")[:PROMPT_CHARS]
        ident = _word(one, "id", "cron_id", "cronId", "name") or f"{schedule} {prompt[:40]}".strip()
        if not ident or ident in found:
            continue
        found[ident] = Timer(
            id=ident, schedule=schedule, prompt=prompt, recurring=_flag(one, "recurring", "repeat"),
            durable=_flag(one, "durable", "persistent"),
            created=_moment(one, "created_at", "createdAt", "created"),
            next=_moment(one, "next_fire_at", "nextFireAt", "next_run_at", "nextRunAt", "next"),
            seen=_written(now),
        )  # fmt: skip
    return list(found.values())


def keep(before: Sequence[Timer], now: Sequence[Timer]) -> list[Timer]:
    """What to remember: the present timers, each with the moment when it was first told."""
    seen = {timer.id: timer.seen for timer in before}
    return [
        msgspec.structs.replace(timer, seen=seen.get(timer.id, timer.seen) or timer.seen)
        for timer in now
    ]


def audit(
    before: Sequence[Timer],
    now: Sequence[Timer],
    moment: datetime,
    *,
    durable: Sequence[str] = (),
    zone: tzinfo = UTC,
) -> list[Finding]:
    """What is wrong with the timers. `before`: those told last time, in the same window. `durable`:
    ids that were asked to outlive the session. `zone`: the machine's, by which schedules go."""
    present = {timer.id for timer in now}
    gone = [(timer, _due(timer, zone)) for timer in before if timer.id not in present]
    found = [
        Finding(
            kind=_end_of(timer, moment), timer=timer.id, schedule=timer.schedule,
            prompt=timer.prompt, when=_written(due) if due is not None else "",
        )
        for timer, due in gone
        if not _done(timer, due, moment)
    ]  # fmt: skip
    for timer in now:
        born = _parsed(timer.created or timer.seen)
        due = _due(timer, zone)
        if timer.recurring and born is not None:
            # One that is still told has outlived the shorter of them.
            end = next((born + span for span in EXPIRES if born + span > moment), None)
            if end is not None and end - moment <= SOON:
                found.append(_about(timer, "expires_soon", _written(end)))
        if timer.durable is False and timer.id in durable:
            found.append(_about(timer, "session_only"))
        if due is not None and due < moment - timedelta(minutes=31):
            # A host may put a run off by up to half an hour, and fires only while it is idle.
            late = not timer.recurring and born is not None and born > due
            found.append(_about(timer, "born_late" if late else "overdue", _written(due)))
    if len(now) >= MOST:
        found.append(Finding(kind="full", timer="", when=""))
    return found


def _about(timer: Timer, kind: Kind, when: str = "") -> Finding:
    return Finding(
        kind=kind, timer=timer.id, schedule=timer.schedule, prompt=timer.prompt, when=when
    )


def _end_of(timer: Timer, moment: datetime) -> Kind:
    born = _parsed(timer.created or timer.seen)
    aged = bool(timer.recurring) and born is not None and moment - born >= EXPIRES[0]
    return "expired" if aged else "gone"


def _due(timer: Timer, zone: tzinfo) -> datetime | None:
    """When a timer comes next: as told, or, of a single run, by its schedule. None where that cannot be
    known."""
    told = _parsed(timer.next)
    born = _parsed(timer.created or timer.seen)
    if told is not None or timer.recurring is not False or born is None:
        return told
    local = born.astimezone(zone)
    due = next_after(timer.schedule, local)
    if due is None or next_after(timer.schedule, local - _UNSURE) != due:
        return None
    return due.astimezone(UTC)


def _done(timer: Timer, due: datetime | None, moment: datetime) -> bool:
    """Whether a single run has had its moment: it is gone because it ran."""
    return timer.recurring is False and (due is None or due <= moment + timedelta(seconds=90))


def _word(value: dict[str, Any], *names: str) -> str:
    for name in names:
        one = value.get(name)
        if isinstance(one, str) and one.strip():
            return one[:1_000].encode("utf-8", "replace").decode("utf-8").strip()
        if isinstance(one, int) and not isinstance(one, bool) and abs(one) < 1 << 63:
            return str(one)
    return ""


def _flag(value: dict[str, Any], *names: str) -> bool | None:
    return next((value[name] for name in names if isinstance(value.get(name), bool)), None)


def _moment(value: dict[str, Any], *names: str) -> str:
    """A moment in UTC, from ISO text or from (milli)seconds since 1970; empty for anything else."""
    for name in names:
        one = value.get(name)
        if isinstance(one, (int, float)) and not isinstance(one, bool):
            try:
                return _written(datetime.fromtimestamp(one / 1000 if one > 1e11 else one, UTC))
            except (ValueError, OverflowError, OSError):
                continue
        if isinstance(one, str) and (parsed := _parsed(one)) is not None:
            return _written(parsed)
    return ""


def _parsed(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        # Without an offset nobody knows which moment it is: UTC, as hosts write their files.
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
