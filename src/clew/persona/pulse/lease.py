"""Which host has the pulse: an exclusive lease with an owner's token, a boot id, a heartbeat, an end.

Two processes of one host exclude each other by the lock and the reservation in the ledger; the lease
is for two hosts that share a home, and for two resident daemons. A process number alone proves nothing
(they are used again), so that the boot id and the time of the last beat count, too. Judging is pure;
`hold` writes within a change of the home. Rules: docs/pulse.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from msgspec import Meta, Struct

from clew.kernel.clock import stamp
from clew.kernel.faults import Code, register
from clew.kernel.files import boot_id
from clew.kernel.lock import host_name, process_lives
from clew.persona.decoding import instant
from clew.persona.model import moments
from clew.persona.pulse.ledgerfile import WAKE
from clew.persona.wake.ledger import HostChange, HostLine

if TYPE_CHECKING:
    from clew.persona.home import Change

LEASE: Final = "lease.json"
EXPIRY: Final = timedelta(seconds=180)
BEAT: Final = timedelta(seconds=25)
"""A younger beat need not be written again. A resident looks every half minute, so that its lease holds
for hosts whose clocks are two minutes apart, too."""
Kind = Literal["tick", "run"]


class Lease(Struct, omit_defaults=True, kw_only=True):
    """`lease.json`: who has the pulse."""

    schema_version: Literal[1] = 1
    token: str
    host: str
    boot: str
    pid: Annotated[int, Meta(ge=1, le=1 << 31)]
    kind: Kind
    since: str
    beat_at: str

    def __post_init__(self) -> None:
        moments(self.since or "?", self.beat_at or "?")

    def __str__(self) -> str:
        return f"{self.host.split('#')[0]}, pid {self.pid}, {self.kind}, {self.since}"


class Owner(NamedTuple):
    """A process that wants the pulse."""

    token: str
    host: str
    boot: str
    pid: int
    kind: Kind

    @classmethod
    def here(cls, kind: Kind) -> Owner:
        """This process."""
        return cls(token_hex(8), machine(), boot_id(), os.getpid(), kind)


class Held(NamedTuple):
    """The outcome: who has the pulse now."""

    ours: bool
    """Whether this process may decide and run."""
    lease: Lease


def machine() -> str:
    """This machine's name, told apart from others of that name where the system has an id."""
    try:
        ident = Path("/etc/machine-id").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return host_name()
    return f"{host_name()}#{sha256(ident.encode()).hexdigest()[:8]}" if ident else host_name()


def judge(
    lease: Lease | None, me: Owner, now: datetime, lives: Callable[[int], bool] = process_lives
) -> HostChange | Literal["mine", "shared", "held"]:
    """Whether the pulse may be had: a kind of change, or `mine`, `shared` (a tick beside a daemon
    of the same host), `held` (somebody else's)."""
    if lease is None:
        return "taken"
    if lease.token == me.token:
        return "mine"
    if lease.host == me.host:
        if lease.boot != me.boot:
            return "rebooted"
        if lease.kind == "tick":
            # Ticks of one host come and go; the ledger keeps them apart.
            return "mine" if me.kind == "tick" else "taken"
        if not lives(lease.pid):
            return "gone"
    if now - instant(lease.beat_at) > EXPIRY:
        return "expired"
    return "shared" if lease.host == me.host and me.kind == "tick" else "held"


def hold(
    change: Change,
    me: Owner,
    *,
    take_over: bool = False,
    beat: bool = False,
    lives: Callable[[int], bool] = process_lives,
) -> Held:
    """Take or renew the lease, or see who has it. A new holder is told in the ledger."""
    now = change.clock_now
    lease = change.load(LEASE, Lease)
    found = judge(lease, me, now, lives)
    if found in ("held", "shared") and take_over:
        found = "taken_over"
    if lease is not None and found in ("held", "shared"):
        return Held(found == "shared", lease)
    if lease is not None and found == "mine":
        young = timedelta() <= now - instant(lease.beat_at) < BEAT
        if young and not beat:
            return Held(True, lease)
        mine = _lease(me, now, since=lease.since)
    else:
        mine = _lease(me, now, since=stamp(now))
        line = HostLine(
            at=stamp(now), holder=str(mine), change=found,  # type: ignore[arg-type]
            before=str(lease) if lease is not None else "",
        )  # fmt: skip
        change.append(WAKE, line)
    change.save(LEASE, mine)
    return Held(True, mine)


def _lease(me: Owner, now: datetime, *, since: str) -> Lease:
    return Lease(
        token=me.token, host=me.host, boot=me.boot, pid=me.pid, kind=me.kind, since=since,
        beat_at=stamp(now),
    )  # fmt: skip


def release(change: Change, me: Owner) -> bool:
    """Give the pulse away, if it is still ours."""
    lease = change.load(LEASE, Lease)
    if lease is None or lease.token != me.token:
        return False
    line = HostLine(at=stamp(change.clock_now), holder="", change="released", before=str(lease))
    change.append(WAKE, line)
    change.remove(LEASE)
    return True


register(
    Code(
        "pulse_held", 2,
        "脉搏在另一处：{owner}，最后一次心跳 {found}",
        "another process has the pulse: {owner}; its last beat was at {found}",
        "等它结束（{limit} 秒没有心跳就会让出），或用 --wait 守候；确知它已不在时用 --take-over。",
        "Wait until it is over (it passes on after {limit} s without a beat), stand by with --wait, "
        "or, where you know that it is gone, use --take-over.",
        about_zh="同一个人格同时只在一台机器上有脉搏，否则同一件事会被做两次。",
        about_en="A persona has its pulse on one host at a time, or the same thing would be done "
        "twice.",
    ),
)  # fmt: skip
