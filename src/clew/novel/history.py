"""`追踪/_history.jsonl`: one line per accepted change, chained by hashes.

Pure: bytes in, values out. A line keeps the normalised transaction, the values it replaced, the
digest of the state after it and of the line before it, and the chapter records it wrote. So any
state can be rebuilt forward from a baseline (`replay`) or backward from now (`back_to`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, Literal

import msgspec

from clew.kernel.document import UNREADABLE, digest, encode, encode_line
from clew.kernel.errors import Corrupt
from clew.kernel.faults import Both, Fault
from clew.novel.apply import Patch, apply, patched
from clew.novel.model import Chaptered, ChapterKey, State
from clew.novel.views import FOLDER

PATH: Final = f"{FOLDER}/_history.jsonl"
Kind = Literal["init", "adopt", "append", "revision", "undo", "redo", "silence", "publish"]
COMMITS: Final = ("append", "revision")
BASELINES: Final = ("init", "adopt")
MARKS: Final = ("silence", "publish")
"""Kinds that say something about the book without a new revision."""


class RecordChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A chapter record before and after a change; None where there is none."""

    before: str | None = None
    after: str | None = None


class Silence(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finding of `lint` that the author has looked at and means to keep."""

    finding: str
    """The finding's key: its rule and what it is about."""
    reason: str = ""
    lifted: bool = False
    """The author wants to hear of it again."""
    planned: int | None = None
    """Of an overdue foreshadow: the chapter it was planned for then. Another plan that is not kept is
    another matter."""


class Publication(msgspec.Struct, frozen=True, omit_defaults=True):
    """A chapter that went out to readers, and the bytes of its body then."""

    chapter: int
    body_sha256: str
    withdrawn: bool = False


class Brief(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields by which lines are found and verified, without their weight."""

    kind: Kind
    previous: str
    revision: int
    state_sha256: str
    time: str
    chapter: int | None = None
    undoes: int | None = None
    """The revision of the commit that an undo took back or a redo brought back."""


class Line(Brief, frozen=True, omit_defaults=True):
    """One accepted change."""

    after: Patch | None = None
    """Values after an undo or redo, which have no transaction."""
    before: Patch | None = None
    """Values that the change replaced."""
    publication: Publication | None = None
    records: dict[ChapterKey, RecordChange] = {}
    silence: Silence | None = None
    state: State | None = None
    """The whole state of a baseline."""
    transaction: Chaptered | None = None


_BRIEF: Final = msgspec.json.Decoder(Brief)


@cache
def _lines() -> msgspec.json.Decoder[Line]:
    # Made at first use: a commit reads no whole line, and the types of one are most of the ledger's.
    return msgspec.json.Decoder(Line)


def encode_state(state: State) -> bytes:
    """The canonical bytes of `_tracking-state.json`; their SHA-256 is the state's digest."""
    return encode(state)


def dump(line: Line) -> bytes:
    """The bytes of a line, without the newline. Their SHA-256 chains the next line."""
    return encode_line(line)


def brief(data: bytes) -> Brief | None:
    """The brief of one line, or None when it cannot be read."""
    try:
        return _BRIEF.decode(data)
    except UNREADABLE:
        return None


def load(data: bytes) -> Line:
    """One whole line. Raises `Corrupt` (`history_broken`) when it cannot be read."""
    try:
        return _lines().decode(data)
    except UNREADABLE as error:
        raise Corrupt(Fault("history_broken", file=PATH, line="?", reason=str(error))) from None


def last_change(lines: Sequence[bytes]) -> tuple[bytes | None, Brief | None]:
    """The last line that is no mark, and its brief."""
    for data in reversed(lines):
        found = brief(data)
        if found is None or found.kind not in MARKS:
            return data, found
    return None, None


def verify(lines: Sequence[bytes]) -> tuple[list[Brief], list[Fault]]:
    """Check that every line can be read, names the digest of the one before, and steps by one.

    Returns the briefs up to the first break, and that break.
    """
    briefs: list[Brief] = []
    previous = ""
    for number, data in enumerate(lines, 1):
        found = brief(data)
        reason: Both | None = None
        if found is None:
            reason = Both("不是历史行", "not a line of a history")
        elif found.previous != previous:
            reason = Both("与上一行的摘要对不上", "the digest of the line before does not match")
        elif briefs and found.revision != _next(briefs[-1], found):
            reason = Both(f"修订号跳到 {found.revision}", f"the revision jumps to {found.revision}")
        elif not briefs and found.kind not in BASELINES:
            reason = Both("第一行不是基线", "the first line is no baseline")
        if reason or found is None:
            return briefs, [Fault("history_broken", file=PATH, line=number, reason=reason)]
        briefs.append(found)
        previous = digest(data)
    return briefs, []


def _next(before: Brief, line: Brief) -> int:
    if line.kind in MARKS:
        return before.revision
    return line.revision if line.kind == "adopt" else before.revision + 1


def replay(lines: Iterable[bytes]) -> State:
    """The state that the history says, forward from its last baseline.

    Raises `Corrupt` when a line does not lead to the digest that it names.
    """
    state: State | None = None
    number = 0
    line: Line | None = None
    for data in lines:
        number += 1
        line = load(data)
        if line.state is not None:
            state = line.state
        elif state is not None:
            state = step(state, line)
    if state is None or line is None or digest(encode_state(state)) != line.state_sha256:
        reason = Both("重放结果与所载摘要不符", "replaying does not give the digest it names")
        raise Corrupt(Fault("history_broken", file=PATH, line=number, reason=reason))
    return state


def step(state: State, line: Line) -> State:
    """The state after a line that is no baseline."""
    if line.transaction is not None and line.kind in COMMITS:
        return apply(state, line.transaction).state
    if line.after is not None:
        return patched(state, line.after, line.revision)
    return state


def back(state: State, line: Line) -> State:
    """The state before a line that is no baseline, from the state after it."""
    return patched(state, line.before, line.revision - 1) if line.before is not None else state


def back_to(state: State, lines: Sequence[bytes], index: int) -> State:
    """The state right after line `index`, walking back from the state after the last line."""
    for position in range(len(lines) - 1, index, -1):
        line = load(lines[position])
        if line.kind in BASELINES:
            return replay(lines[: index + 1])
        state = back(state, line)
    return state


def undoable(briefs: Sequence[Brief]) -> int | None:
    """Index of the commit that `undo` takes back next: undoing again walks further back."""
    taken = 0
    for index in range(len(briefs) - 1, -1, -1):
        kind = briefs[index].kind
        if kind in BASELINES:
            return None
        if kind == "undo":
            taken += 1
        elif kind == "redo":
            taken -= 1
        elif kind in COMMITS:
            if taken == 0:
                return index
            taken -= 1
    return None


def redoable(briefs: Sequence[Brief]) -> int | None:
    """Index of the commit that `redo` brings back next; a new commit ends redoing."""
    brought = 0
    for at in range(len(briefs) - 1, -1, -1):
        found = briefs[at]
        if found.kind in COMMITS or found.kind in BASELINES:
            return None
        if found.kind == "redo":
            brought += 1
        elif found.kind == "undo":
            if brought == 0:
                return _commit_before(briefs, at, found.undoes)
            brought -= 1
    return None


def _commit_before(briefs: Sequence[Brief], at: int, revision: int | None) -> int | None:
    """Index of the latest commit of that revision before line `at`, and since its baseline: a
    takeover may begin at a revision that the history has had before."""
    for index in range(at - 1, -1, -1):
        found = briefs[index]
        if found.kind in BASELINES:
            return None
        if found.kind in COMMITS and found.revision == revision:
            return index
    return None


class _Records(msgspec.Struct):
    kind: Kind
    records: dict[ChapterKey, RecordChange] = {}


_RECORDS: Final = msgspec.json.Decoder(_Records)


def _records_of(data: bytes) -> _Records:
    # Most of a line is a weighty transaction; the records are all that is wanted of it.
    try:
        return _RECORDS.decode(data)
    except UNREADABLE as error:
        raise Corrupt(Fault("history_broken", file=PATH, line="?", reason=str(error))) from None


def records(lines: Iterable[bytes]) -> dict[int, str]:
    """The text of every chapter record, as the history says it is now."""
    out: dict[int, str] = {}
    for data in lines:
        line = _records_of(data)
        if line.kind in BASELINES:
            out.clear()  # a baseline names every record that goes with its state
        for chapter, change in line.records.items():
            if change.after is None:
                out.pop(int(chapter), None)
            else:
                out[int(chapter)] = change.after
    return out


def record_of(lines: Sequence[bytes], chapter: int) -> str | None:
    """The text of one chapter's record, from the last line that says anything of it."""
    mark = b'"%d":{' % chapter
    for data in reversed(lines):
        baseline = b'"kind":"adopt"' in data or b'"kind":"init"' in data
        if mark in data or baseline:
            line = _records_of(data)
            change = line.records.get(str(chapter))
            if change is not None:
                return change.after
            if line.kind in BASELINES:
                return None
    return None


def appended(briefs: Sequence[Brief]) -> Iterator[tuple[int, int]]:
    """(chapter, index of the line after which it was the last chapter), latest line for each."""
    latest: dict[int, int] = {}
    for index, found in enumerate(briefs):
        if found.kind in (*BASELINES, "append") and found.chapter is not None:
            latest[found.chapter] = index
    yield from sorted(latest.items())
