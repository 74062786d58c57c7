"""The register of windows: every session of every host in which the persona has been.

Pure. `windows.json` names each window once, by the host's session id: whether it is current, retired
or a fork of another, where its transcript is, and how far that was read. Streams, receipts and
runners are keyed by these ids. A window that ended is still current: a host may resume it. Only a
person, or a move to another window, retires one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from clew.kernel.errors import Missing
from clew.kernel.faults import Code, Fault, register
from clew.persona.timer_audit import Timer
from clew.persona.transcripts.naming import belongs

FILE: Final = "windows.json"
LOG: Final = "windows.jsonl"
"""Windows that left the register, one a line."""
MOST: Final = 300
SCHEMA: Final = 1
State = Literal["current", "retired", "forked"]
HostName = Literal["claude", "codex", "gemini", "other"]
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """How far a transcript was read, and what tells that it is still the same file."""

    offset: Annotated[int, Meta(ge=0)] = 0
    head: str = ""
    """Hash of its first line."""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """One session of a host."""

    id: Annotated[str, Meta(pattern=rf"\A{_ID.pattern}\Z")]
    host: HostName = "other"
    state: State = "current"
    opened: str
    """When it was first seen, in UTC."""
    seen: str
    """When it was last seen."""
    ended: str = ""
    """When its host said that it ended; empty while it has not, or was resumed."""
    origin: str = ""
    """The window that it was forked from, or that handed over to it."""
    transcript: str = ""
    """Where the host writes it down."""
    cwd: str = ""
    compacted: str = ""
    """When its host was last about to compact it."""
    live: Reading = Reading()
    """How far the live channel has taken it in."""
    guard: Reading = Reading()
    """How far the answer guard has looked."""
    rescued: list[str] = []
    """Turns without an answer that were told, the last ones, by their host's names."""
    light: Literal["green", "yellow", "red"] = "green"
    """How long it had become when it was last measured."""
    timers: list[Timer] = []
    """The timers that it had at the end of its last turn."""
    told: list[str] = []
    """What was found about them and told, so that it is not told at every turn."""

    @property
    def readable(self) -> bool:
        """Whether its transcript is named as one of this session is."""
        return belongs(self.transcript, self.id)


class Windows(msgspec.Struct, frozen=True, kw_only=True):
    """The register."""

    schema_version: Literal[1] = 1
    windows: list[Window] = []

    def find(self, ident: str) -> Window | None:
        """The window of an id."""
        return next((one for one in self.windows if one.id == ident), None)

    def followed(self) -> list[Window]:
        """The windows in use whose transcript can be read."""
        return [one for one in self.windows if one.state != "retired" and one.readable]

    def having(self, window: Window) -> Windows:
        """The register with this window in it, in the place of the one of the same id."""
        rest = list(self.windows)
        for at, one in enumerate(rest):
            if one.id == window.id:
                rest[at] = window
                return msgspec.structs.replace(self, windows=rest)
        return msgspec.structs.replace(self, windows=[*rest, window])


def is_id(text: str) -> bool:
    """Whether a host's session id can be one of ours: letters, digits and `._:-`."""
    return _ID.fullmatch(text) is not None


def saw(
    register_: Windows,
    ident: str,
    at: str,
    *,
    host: HostName = "other",
    transcript: str = "",
    cwd: str = "",
    origin: str = "",
) -> Windows:
    """The register after a window was seen: registered when it is new, open again when it had
    ended. What is not told stays as it was. A retired window stays retired."""
    known = register_.find(ident)
    if known is None:
        state: State = "forked" if origin else "current"
        return register_.having(
            Window(
                id=ident, host=host, state=state, opened=at, seen=at, origin=origin,
                transcript=transcript, cwd=cwd,
            )
        )  # fmt: skip
    return register_.having(
        msgspec.structs.replace(
            known, seen=max(at, known.seen), ended="" if at >= known.ended else known.ended,
            host=known.host if known.host != "other" else host,
            transcript=transcript or known.transcript, cwd=cwd or known.cwd,
            origin=known.origin or origin,
            state="forked" if origin and known.state == "current" else known.state,
        )
    )  # fmt: skip


def ended(register_: Windows, marks: Mapping[str, str]) -> Windows:
    """The register after these windows ended, each at its moment; one that was seen later has been
    resumed meanwhile and did not."""
    for ident, at in marks.items():
        known = register_.find(ident)
        if known is not None and known.seen <= at:
            register_ = register_.having(msgspec.structs.replace(known, ended=at))
    return register_


def trimmed(register_: Windows, most: int = MOST) -> tuple[Windows, list[Window]]:
    """The register with at most so many windows, and those that had to leave it: of the ones that ended
    or were retired, the longest unseen. It is written at every turn, and a life has many sessions."""
    over = len(register_.windows) - most
    if over <= 0:
        return register_, []
    idle = [one for one in register_.windows if one.ended or one.state == "retired"]
    leaving = sorted(idle, key=lambda one: one.seen)[:over]
    gone = {one.id for one in leaving}
    kept = [one for one in register_.windows if one.id not in gone]
    return msgspec.structs.replace(register_, windows=kept), leaving


def retire(register_: Windows, ident: str) -> Windows:
    """The register with a window that is given up. Raises `Missing` (`no_window`)."""
    return register_.having(msgspec.structs.replace(_known(register_, ident), state="retired"))


def revive(register_: Windows, ident: str) -> Windows:
    """The register with a window that is in use after all. Raises `Missing` (`no_window`)."""
    known = _known(register_, ident)
    state: State = "forked" if known.origin else "current"
    return register_.having(msgspec.structs.replace(known, state=state))


def _known(register_: Windows, ident: str) -> Window:
    known = register_.find(ident)
    if known is None:
        raise Missing(Fault("no_window", name=ident))
    return known


register(
    Code(
        "no_window", 3,
        "没有登记过窗口 {name}",
        "no window {name} was ever seen",
        "clew persona windows list --all 列出所有窗口。",
        "`clew persona windows list --all` lists them all.",
        about_zh="窗口按宿主的会话标识登记，第一次开场时记下。",
        about_en="A window is known by its host's session id, from its first opening on.",
    ),
)  # fmt: skip
