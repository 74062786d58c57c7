"""The outbox: prompts that a wake left for whoever comes. `outbox.jsonl`, a log.

The default runner. Nothing is started; the next window that looks (by a hook, by hand) finds what
waits and says that it took it. Of several prompts of one entry only the newest waits: a night of hourly
lines is one line in the morning.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from clew.kernel import log
from clew.kernel.clock import stamp
from clew.kernel.errors import Missing
from clew.kernel.faults import Code, Fault, register

if TYPE_CHECKING:
    from clew.persona.home import Change, Home

OUTBOX: Final = "outbox.jsonl"
_LAST: Final = 1 << 18
"""So much of the log's end is looked at: hundreds of prompts, of which at most one an entry waits."""


class Left(Struct, omit_defaults=True, kw_only=True, tag="left", tag_field="kind"):
    """A prompt that was left."""

    id: str
    at: str
    date: str
    entry: str
    prompt: str


class Taken(Struct, omit_defaults=True, kw_only=True, tag="taken", tag_field="kind"):
    """Somebody took it."""

    id: str
    at: str
    by: str = ""


class Outbox(Struct, frozen=True, kw_only=True):
    """What waits."""

    status: str = "ok"
    waiting: list[Left]
    taken: list[str] = []


_DECODER: Final = msgspec.json.Decoder(Left | Taken)


def leave(change: Change, key: str, entry: str, prompt: str) -> Left:
    """Leave a prompt within a change. Its id is the key of the wake."""
    line = Left(
        id=key, at=stamp(change.clock_now), date=change.home.civil(change.clock_now), entry=entry,
        prompt=prompt,
    )  # fmt: skip
    change.append(OUTBOX, line)
    return line


def waiting(home: Home) -> list[Left]:
    """What waits, the oldest first: the newest prompt of each entry that nobody took."""
    return _waiting(home.read(OUTBOX))


def _waiting(data: bytes | None) -> list[Left]:
    end = (data or b"")[-_LAST:]
    if data is not None and len(data) > _LAST:
        end = end[end.find(b"\n") + 1 :]
    newest: dict[str, Left] = {}
    for line in log.lines(end)[0]:
        try:
            one = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # a line that somebody's edit broke asks nothing of anybody
        if isinstance(one, Left):
            newest.pop(one.entry, None)
            newest[one.entry] = one
        else:
            newest = {entry: left for entry, left in newest.items() if left.id != one.id}
    return list(newest.values())


def taken(home: Home) -> dict[str, str]:
    """When each prompt that somebody took was taken, by its id."""
    found: dict[str, str] = {}
    for line in log.lines(home.read(OUTBOX) or b"")[0]:
        try:
            one = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if isinstance(one, Taken):
            found.setdefault(one.id, one.at)
    return found


def take(home: Home, ids: Iterable[str] = (), *, by: str = "", all_of_it: bool = False) -> Outbox:
    """Say that prompts were taken. Raises `Missing` (`not_waiting`) for one that does not wait."""
    with home.change() as change:
        there = {left.id: left for left in _waiting(change.read(OUTBOX))}
        wanted = list(there) if all_of_it else list(dict.fromkeys(ids))
        missing = [
            Fault("not_waiting", found=one, allowed=list(there))
            for one in wanted
            if one not in there
        ]
        if missing:
            raise Missing(*missing)
        for one in wanted:
            change.append(OUTBOX, Taken(id=one, at=stamp(change.clock_now), by=by))
        return Outbox(waiting=[there[one] for one in there if one not in wanted], taken=wanted)


register(
    Code(
        "not_waiting", 3,
        "发件箱里没有 {found} 在等",
        "{found} does not wait in the outbox",
        "clew persona outbox 看有什么在等。",
        "`clew persona outbox` shows what waits.",
        about_zh="一条提示被取走一次；同一入口更新的提示会替换旧的。",
        about_en="A prompt is taken once; a newer one of the same entry replaces it.",
    ),
)  # fmt: skip
