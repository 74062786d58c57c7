"""The crash model: from a recording of file-system calls to every disk that a crash may leave.

**Durable.** A run starts on a disk on which everything is durable. Content written to a file
becomes durable with `sync` of that file (fsync), an entry of a folder (create, rename to it,
removal, new folder) with `sync_dir` of that folder. Nothing else makes anything durable: neither
does fsync of a file keep its name, nor fsync of a folder keep the folder's own name in the one
above, nor does time. Real file systems promise more.

**Kill.** The process dies after any call, or inside a write of which a prefix (nothing, one byte,
half, all but one byte) was made. What was done stays: the page cache survives, the boot is the
same. What was not durable still is not (`Recording.killed` goes on recording from there).

**Power cut.** Each operation that is not durable is, independently of all others and of their
order, *kept*, *lost* or (content only) *torn*. A rename is one operation: it is kept or lost as a
whole, and names a node, so it can be kept while the content of its file is lost or torn, or while
the name that the file had before is lost. Losing the creation of a folder loses what is below.
Torn content: the first half of the write; where the write made the file longer, also NULs in place
of the second half or of all of the new bytes, at full size; where it went over old bytes, also the
second half without the first. The truncation of a file is kept or lost.

All combinations are too many, so they are enumerated around three disks: all kept, all lost, and
all names kept with all content lost (the zero-length files of delayed allocation), with at most
`deviations` operations that differ from the pattern. Since a crash is tried after every call, each
"everything up to here" is among them.

**Not covered.** Durable content that rots; a sector that is neither old nor new nor NUL; a drive
that acknowledges a flush and lies; content of one file in another's; modes and times; links and
more than three pieces of one write; failures of the operating system's lock.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Final, NamedTuple

from clew.testing.disk import Call, Disk
from clew.testing.nodes import (
    Birth,
    Cut,
    Link,
    Mode,
    Nodes,
    Operation,
    Rename,
    Sync,
    SyncDir,
    Unlink,
    Write,
)

LATER_S: Final = 3600.0
"""Somebody looks at the disk this long after the crash, so a lock file's age is never in the way."""


class Point(NamedTuple):
    """A moment of a recording: after `calls` calls, and `part` bytes into the write of the next."""

    calls: int
    part: int | None = None


Choice = tuple[str, tuple[Operation, ...]]
"""What becomes of one operation: a word for it, and what is carried out instead."""


class Recording:
    """A run that is being recorded. `disk` is what the run works on; `base` is durable."""

    def __init__(
        self, disk: Disk, *, base: Nodes | None = None, calls: Sequence[Call] = ()
    ) -> None:
        self.base = disk.nodes.copy() if base is None else base
        self.disk = disk
        self.calls = disk.record()
        self.calls.extend(calls)

    def __len__(self) -> int:
        return len(self.calls)

    def find(self, name: str, path: str, start: int = 0) -> int | None:
        """Number of calls before the first one from `start` of that name whose path ends so."""
        for index in range(start, len(self.calls)):
            if self.calls[index].name == name and self.calls[index].path.endswith(path):
                return index
        return None

    # ---- kills -----------------------------------------------------------------------------

    def points(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[str, Point]]:
        """Moments of a kill: after `start` calls up to after `stop` calls, and inside each write
        on the way."""
        stop = len(self.calls) if stop is None else stop
        for count in range(start, stop + 1):
            yield self._label(count), Point(count)
            if count < stop:
                size = sum(len(op.data) for op in self.calls[count].operations if type(op) is Write)
                if size:
                    whole = len(self.calls[count].operations) > 1
                    for part in sorted({0, 1, size // 2, size - 1}):
                        if part or whole:
                            yield f"kill {part} bytes into {self.calls[count]}", Point(count, part)

    def operations(self, point: Point) -> list[Operation]:
        """Everything that was done up to a moment."""
        out = [op for call in self.calls[: point.calls] for op in call.operations]
        if point.part is not None:
            out += _begun(self.calls[point.calls], point.part).operations
        return out

    def kills(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[str, Disk]]:
        """The disks that a kill of the process leaves; the same boot goes on."""
        seen: set[int] = set()
        for label, point in self.points(start, stop):
            nodes = self.base.copy()
            nodes.replay(self.operations(point))
            if _is_new(nodes, seen):
                yield label, _found(nodes)

    def killed(self, point: Point) -> Recording:
        """The recording that goes on after a kill: what was not durable then still is not."""
        calls = self.calls[: point.calls]
        if point.part is not None:
            calls.append(_begun(self.calls[point.calls], point.part))
        nodes = self.base.copy()
        nodes.replay(self.operations(point))
        return Recording(_found(nodes), base=self.base, calls=calls)

    # ---- power cuts --------------------------------------------------------------------------

    def power_cuts(
        self, deviations: int = 1, start: int = 0, stop: int | None = None, *, every: int = 1
    ) -> Iterator[tuple[str, Disk]]:
        """The disks that a power cut leaves after `start` calls, … up to after `stop` calls.

        `every` takes a sample, the same one each time; a prime number spreads it best.
        """
        seen: set[int] = set()
        turn = itertools.count()
        stop = len(self.calls) if stop is None else stop
        for point in range(start, stop + 1):
            for label, nodes in self._cuts_at(point, deviations, seen, turn, every):
                yield f"{self._label(point).replace('kill', 'cut')}: {label}", _found(nodes)

    def _cuts_at(
        self, point: int, deviations: int, seen: set[int], turn: Iterator[int], every: int
    ) -> Iterator[tuple[str, Nodes]]:
        steps = [(call, op) for call in self.calls[:point] for op in call.operations]
        kept = [op for _, op in steps]
        open_at = _not_durable(kept)
        choices = _choices(self.base, kept, open_at)
        # Everything before the first open operation is the same in all disks.
        first = open_at[0] if open_at else len(kept)
        base = self.base.copy()
        base.replay(kept[:first])
        lost = [() if i in choices else (op,) for i, op in enumerate(kept)]
        whole: list[tuple[Operation, ...]] = [(op,) for op in kept]
        names = [lost[i] if isinstance(op, Write | Cut) else (op,) for i, op in enumerate(kept)]
        for word, pattern in (("all kept", whole), ("all lost", lost), ("names kept", names)):
            for size in range(min(deviations, len(open_at)) + 1):
                for chosen in combinations(open_at, size):
                    options = [
                        [c for c in choices[index] if c[1] != pattern[index]] for index in chosen
                    ]
                    for picked in product(*options):
                        if next(turn) % every:
                            continue
                        line = list(pattern)
                        label = word
                        for index, (what, instead) in zip(chosen, picked, strict=True):
                            line[index] = instead
                            label += f", {what} {steps[index][0]}"
                        nodes = base.copy()
                        nodes.replay(op for part in line[first:] for op in part)
                        if _is_new(nodes, seen):
                            yield label, nodes

    def _label(self, count: int) -> str:
        return f"kill after {count} calls ({self.calls[count - 1]})" if count else "kill at once"


def _begun(call: Call, part: int) -> Call:
    """A call of which only `part` bytes of its write were made."""
    out: list[Operation] = []
    for op in call.operations:
        if type(op) is not Write:
            out.append(op)
        elif part:
            out.append(Write(op.node, op.offset, op.data[:part]))
    return Call(f"{call.name}[:{part}]", call.path, tuple(out))


def _not_durable(operations: Sequence[Operation]) -> list[int]:
    """Indexes of the operations that no later sync made durable."""
    synced: set[int] = set()
    out: list[int] = []
    for index in range(len(operations) - 1, -1, -1):
        match operations[index]:
            case Sync(node) | SyncDir(node):
                synced.add(node)
            case Birth() | Mode():
                pass
            case Write(node, _, _) | Cut(node, _) | Link(node, _, _) | Unlink(node, _, _):
                if node not in synced:
                    out.append(index)
            case Rename(_, _, target, _, _):
                if target not in synced:
                    out.append(index)
    return out[::-1]


def _choices(
    base: Nodes, operations: Sequence[Operation], open_at: Sequence[int]
) -> dict[int, list[Choice]]:
    """What may become of each open operation."""
    sizes = {node: len(data) for node, data in base.data.items()}
    wanted = set(open_at)
    out: dict[int, list[Choice]] = {}
    for index, op in enumerate(operations):
        if index in wanted:
            out[index] = [("kept", (op,)), ("lost", ())]
        if isinstance(op, Write):
            size = sizes.get(op.node, 0)
            if index in wanted:
                out[index] += [(word, (torn,)) for word, torn in _torn(op, size)]
            sizes[op.node] = max(size, op.offset + len(op.data))
        elif isinstance(op, Cut):
            sizes[op.node] = op.size
    return out


def _torn(op: Write, size: int) -> Iterator[tuple[str, Write]]:
    """The ways in which a write to a file of that size may be torn."""
    node, offset, data = op
    half = len(data) // 2
    if half:
        yield "half of", Write(node, offset, data[:half])
    old = min(len(data), max(0, size - offset))
    if old and half:
        yield "the other half of", Write(node, offset + half, data[half:])
    if old < len(data):
        cut = max(half, old)
        yield "NULs after half of", Write(node, offset, data[:cut] + bytes(len(data) - cut))
        yield "NULs for", Write(node, offset + old, bytes(len(data) - old))


def _is_new(nodes: Nodes, seen: set[int]) -> bool:
    key = hash(frozenset(nodes.everything().items()))
    if key in seen:
        return False
    seen.add(key)
    return True


def _found(nodes: Nodes) -> Disk:
    disk = Disk.of(nodes)
    disk.wait(LATER_S)
    return disk
