"""What each log of a home held at its last change: `logs.json`, written in the same transaction.

A log that was emptied, cut, replaced or lost looks like one in which nothing ever stood; this says
otherwise. A torn end that a crash of ours leaves lies behind what is recorded here and stays a silent
repair. Losing the document loses no word: the next change begins it anew from the logs. Pure.
Rules: docs/persona.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta, Struct, field

from clew.kernel import log
from clew.kernel.faults import Both, Code, Fault, register
from clew.persona.model import SCHEMA

ENDS: Final = "logs.json"
_Count = Annotated[int, Meta(ge=0)]
Read = Callable[[str], bytes | None]


class End(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How a log ended."""

    lines: _Count = 0
    bytes: _Count = 0
    last: str = ""
    """Digest of its last line."""
    n: _Count = 0
    """The highest number that a line of it ever had: none is given twice."""


class Lost(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A loss that was noticed by a change and that nobody has accepted."""

    lines: _Count = 0
    """How many lines are missing; 0 where there are as many as before, and others."""
    at: str = ""
    """When it was noticed."""


class Ends(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`logs.json`."""

    schema_version: int = field(default_factory=lambda: SCHEMA)
    logs: dict[str, End] = {}
    lost: dict[str, Lost] = {}
    ahead: str = ""
    """The last moment that was written by a clock that was ahead, once it was put right."""

    def number(self, path: str) -> int:
        """The highest number that a line of a log ever had."""
        return self.logs[path].n if path in self.logs else 0


class Added(NamedTuple):
    """A line that a change appends."""

    line: bytes
    n: int


def digest(line: bytes) -> str:
    """What a line is recognised by."""
    return hashlib.blake2b(line, digest_size=8).hexdigest()


class _Numbered(Struct):
    n: int


def _number(line: bytes) -> int:
    try:
        return max(0, msgspec.json.decode(line, type=_Numbered).n)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 0


def end_of(data: bytes | None) -> End:
    """How a log ends, by all of its bytes."""
    lines, torn = log.lines(data or b"")
    return End(
        lines=len(lines), bytes=len(data or b"") - len(torn),
        last=digest(lines[-1]) if lines else "", n=max(map(_number, lines), default=0),
    )  # fmt: skip


def missing(known: End, data: bytes | None) -> int | None:
    """How many lines of a log are missing; 0 where there are as many and others; None where all is
    there. Lines that were corrected in place, or added by somebody else, are no loss."""
    lines = log.lines(data or b"")[0]
    if len(lines) < known.lines:
        return known.lines - len(lines)
    if not known.lines or digest(lines[known.lines - 1]) == known.last:
        return None
    corrected = known.n and any(_number(line) == known.n for line in lines[known.lines - 1 :])
    moved = any(digest(line) == known.last for line in lines)
    return None if corrected or moved else 0


def matches(known: End, tail: log.Tail) -> bool:
    """Whether a log ends as it was left, by its last line alone."""
    return tail.end == known.bytes and (digest(tail.line) if tail.line else "") == known.last


def after(
    ends: Ends,
    added: Mapping[str, list[Added]],
    tail: Callable[[str], log.Tail],
    read: Read,
    at: str,
) -> Ends:
    """What is known once these lines are appended. A log that holds less than it did is remembered as
    such: writing goes on, and the loss is told until it is accepted."""
    logs, lost = dict(ends.logs), dict(ends.lost)
    for path, lines in added.items():
        known, end = logs.get(path), tail(path)
        if known is None or not matches(known, end):
            data = read(path)
            present = end_of(data)
            if known is not None:
                if (gone := missing(known, data)) is not None:
                    before = lost[path].lines if path in lost else 0
                    lost[path] = Lost(lines=before + gone, at=at)
                present = msgspec.structs.replace(present, n=max(present.n, known.n))
            known = present
        logs[path] = End(
            lines=known.lines + len(lines),
            bytes=end.end + sum(len(one.line) + 1 for one in lines),
            last=digest(lines[-1].line), n=max(known.n, *(one.n for one in lines)),
        )  # fmt: skip
    return msgspec.structs.replace(ends, logs=logs, lost=lost)


def losses(ends: Ends, read: Read) -> dict[str, int]:
    """How many lines are missing of each log that holds less than it did (0: others stand there)."""
    found = {path: one.lines for path, one in ends.lost.items()}
    for path, known in ends.logs.items():
        gone = missing(known, read(path))
        if gone is not None:
            found[path] = found.get(path, 0) + gone
    return found


def accepted(ends: Ends, read: Read) -> Ends:
    """The same with the logs taken as they are now; numbers go on behind the highest that ever was."""
    logs = {
        path: msgspec.structs.replace(present, n=max(present.n, known.n))
        for path, known in ends.logs.items()
        for present in (end_of(read(path)),)
    }
    return msgspec.structs.replace(ends, logs=logs, lost={})


def begun(paths: Iterable[str], read: Read) -> Ends:
    """What is known of logs of which nothing was known."""
    found = ((path, read(path)) for path in paths)
    return Ends(logs={path: end_of(data) for path, data in found if data})


def fault_of(path: str, gone: int) -> Fault:
    """A loss as it is told."""
    what: Any = (
        Both(f"少了 {gone} 行", f"{gone} lines are missing") if gone
        else Both("最后一行不是写下的那一行", "its last line is not the one that was written")
    )  # fmt: skip
    return Fault("log_cut", file=path, reason=what)


register(
    Code(
        "log_cut", 1,
        "{file} 比上次写完时少：{reason}",
        "{file} holds less than when it was last written: {reason}",
        "从备份恢复它（clew backup restore）；找不回来，就用 clew persona check --mend --accept-loss 认下这次丢失。",
        "Restore it from a backup (`clew backup restore`); what cannot be had again is accepted with `clew "
        "persona check --mend --accept-loss`.",
        about_zh="每次写入都在同一个事务里把各份日志的行数、字节数和最后一行的摘要记在 logs.json 里。"
        "日志被清空、截短或换掉时，由它看出来。编号不会重用；没有认下之前，不会用剩下的事件去重建文档。",
        about_en="Every change records in `logs.json`, in the same transaction, how many lines and bytes each "
        "log has and a digest of its last line; so a log that was emptied, cut or replaced is told. Numbers "
        "are never used again, and no document is made again from what is left until the loss is accepted.",
    ),
    Code(
        "ends_unknown", 0,
        "{file} 不在或读不出来：各份日志上次写到哪里已不知道，下次写入时重新记起",
        "{file} is gone or cannot be read: where the logs ended is not known, and is recorded anew by the next "
        "change",
        about_zh="提示：这份文档只用来看出日志有没有变短，里面没有任何原话。",
        about_en="A note: this document only shows whether a log became shorter; it holds nobody's words.",
    ),
)  # fmt: skip
