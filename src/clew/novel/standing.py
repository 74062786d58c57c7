"""The commits that stand: what the history says of each chapter, without what was undone.

Pure: lines of a history in, values out. `undo` takes the latest commit that stands off the pile,
`redo` puts it back; a baseline (`init`, `adopt`) ends undoing but not what chapters said before it.
Transactions stay packed until someone asks, because most questions concern few of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeVar

import msgspec

from clew.kernel.document import UNREADABLE
from clew.kernel.errors import Corrupt
from clew.kernel.faults import Fault
from clew.novel.history import BASELINES, COMMITS, PATH, Kind, load
from clew.novel.model import CommitContext, Delta, Snapshot, State

T = TypeVar("T")
_NONE: Final = msgspec.Raw(b"null")


class Packed(msgspec.Struct, frozen=True):
    """A transaction of which only the chapter's own words are wanted."""

    chapter_title: str
    delta: msgspec.Raw
    context: msgspec.Raw = _NONE
    character_snapshots: msgspec.Raw = msgspec.Raw(b"{}")


class _Line(msgspec.Struct):
    kind: Kind
    revision: int
    chapter: int | None = None
    undoes: int | None = None
    transaction: msgspec.Raw = _NONE


class Commit(NamedTuple):
    """One commit that stands."""

    at: int
    """The index of its line in the history."""
    revision: int
    chapter: int
    mode: str
    """`append` or `revision`."""
    raw: bytes
    """The transaction, as JSON."""


class Standing(NamedTuple):
    """What stands at the end of a history."""

    commits: list[Commit]
    """In the order in which they were made (or brought back)."""
    baselines: list[int]
    """Indexes of the lines that begin the history, or take over a state from outside."""

    def of(self, chapter: int) -> list[Commit]:
        """The commits of one chapter, oldest first; the last one is its record as it holds now."""
        return [commit for commit in self.commits if commit.chapter == chapter]

    def latest(self, above: int = 0) -> dict[int, Commit]:
        """The commit that holds for each chapter above `above`, by chapter."""
        found = {commit.chapter: commit for commit in self.commits if commit.chapter > above}
        return {chapter: found[chapter] for chapter in sorted(found)}


@cache
def _lines() -> msgspec.json.Decoder[_Line]:
    return msgspec.json.Decoder(_Line)


@cache
def _packed() -> msgspec.json.Decoder[Packed]:
    return msgspec.json.Decoder(Packed)


@cache
def _deltas() -> msgspec.json.Decoder[Delta]:
    return msgspec.json.Decoder(Delta)


@cache
def _contexts() -> msgspec.json.Decoder[CommitContext]:
    return msgspec.json.Decoder(CommitContext)


@cache
def _rows() -> msgspec.json.Decoder[dict[str, msgspec.Raw]]:
    return msgspec.json.Decoder(dict[str, msgspec.Raw])


@cache
def _snapshots() -> msgspec.json.Decoder[Snapshot]:
    return msgspec.json.Decoder(Snapshot)


def standing(lines: Iterable[bytes], last: int | None = None) -> Standing:
    """The commits that stand after these lines; with `last`, those of chapters up to it.

    Raises `Corrupt` (`history_broken`) where a line cannot be read.
    """
    done: list[Commit] = []
    taken: dict[int, Commit] = {}
    baselines: list[int] = []
    decode = _lines().decode
    for index, data in enumerate(lines):
        try:
            line = decode(data)
        except UNREADABLE as error:
            raise _broken(index, error) from None
        if line.kind in COMMITS and line.chapter is not None:
            raw = bytes(line.transaction)
            done.append(Commit(index, line.revision, line.chapter, line.kind, raw))
        elif line.kind in BASELINES:
            baselines.append(index)
        elif line.kind == "undo":
            for place in range(len(done) - 1, -1, -1):
                if done[place].revision == line.undoes:
                    commit = done.pop(place)
                    taken[commit.revision] = commit
                    break
        elif line.kind == "redo" and line.undoes in taken:
            done.append(taken.pop(line.undoes))
    return Standing([c for c in done if last is None or c.chapter <= last], baselines)


def _broken(index: int, error: Exception) -> Corrupt:
    return Corrupt(Fault("history_broken", file=PATH, line=index + 1, reason=str(error)))


def _unpacked(commit: Commit, decoder: msgspec.json.Decoder[T], data: bytes | msgspec.Raw) -> T:
    """A part of a commit. Raises `Corrupt` where it is not what it has to be: a line says of itself
    what is in it, and only reading it tells."""
    try:
        return decoder.decode(data)
    except UNREADABLE as error:
        raise _broken(commit.at, error) from None


def packed(commit: Commit) -> Packed:
    """Title, and the parts of a transaction still packed. Raises `Corrupt` as all that unpack."""
    return _unpacked(commit, _packed(), commit.raw)


def delta_of(commit: Commit) -> Delta:
    """What the chapter established."""
    return _unpacked(commit, _deltas(), packed(commit).delta)


def context_of(commit: Commit) -> CommitContext:
    """The context that the transaction handed over."""
    return _unpacked(commit, _contexts(), packed(commit).context)


def needle(text: str) -> bytes:
    """The bytes as which a text stands inside a line of JSON."""
    return msgspec.json.encode(text)[1:-1]


def baseline_state(lines: Sequence[bytes], index: int) -> State | None:
    """The whole state that a baseline holds."""
    return load(lines[index]).state


def snapshots_in(commit: Commit) -> list[str]:
    """Whose snapshots a transaction handed in."""
    rows = _unpacked(commit, _rows(), packed(commit).character_snapshots)
    return list(rows)


def snapshot_of(commit: Commit, name: str) -> Snapshot | None:
    """The snapshot of a character that a transaction handed in."""
    if b'"%s":{' % needle(name) not in commit.raw:
        return None
    found = _unpacked(commit, _rows(), packed(commit).character_snapshots).get(name)
    return None if found is None else _unpacked(commit, _snapshots(), found)
