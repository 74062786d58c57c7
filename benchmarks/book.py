"""Builds the benchmark book: quickly through the pure core, or truly through commits.

Both ways leave the same files; `benchmarks.novel` proves it for the smallest size of every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from benchmarks import baseline, workload
from clew.kernel.clock import stamp
from clew.kernel.document import digest
from clew.novel import history, record, views
from clew.novel.apply import apply, begin, patch
from clew.novel.commit import commit
from clew.novel.history import Line, RecordChange
from clew.novel.ledger import HISTORY, STATE, Ledger, record_path
from clew.novel.model import Chaptered, Init, State
from clew.novel.start import init

MOMENT: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""Every line of a book's history has this time, so that two builds are equal byte for byte."""
PRIVATE: Final = "追踪/.clew"


class Book(NamedTuple):
    """A book of some size, in memory."""

    state: State
    lines: list[bytes]
    records: dict[int, str]


def grow(sizes: list[int]) -> Iterator[Book]:
    """The book at each of the sizes (ascending), grown once, without a disk."""
    state = begin(msgspec.convert(workload.opening(), Init))
    first = Line(
        kind="init", previous="", revision=0, state_sha256=digest(history.encode_state(state)),
        time=stamp(MOMENT), chapter=0, state=state,
    )  # fmt: skip
    lines = [history.dump(first)]
    records: dict[int, str] = {}
    for size in sizes:
        for number in range(state.last_committed_chapter + 1, size + 1):
            tx = msgspec.convert(workload.chapter(number, state.state_revision), Chaptered)
            after, dropped = apply(state, tx)
            text = record.render(tx, after.characters, dropped)
            line = Line(
                kind="append", previous=digest(lines[-1]), revision=after.state_revision,
                state_sha256=digest(history.encode_state(after)), time=stamp(MOMENT),
                chapter=number, transaction=tx, before=patch(after, state),
                records={str(number): RecordChange(after=text)},
            )  # fmt: skip
            lines.append(history.dump(line))
            records[number] = text
            state = after
        yield Book(state, lines, records)


def write(book: Book, root: Path) -> None:
    """Put a grown book on disk as `init` and its commits leave it."""
    files = views.render(book.state)
    files |= {record_path(number): text.encode() for number, text in book.records.items()}
    files[HISTORY] = b"\n".join(book.lines) + b"\n"
    files[STATE] = history.encode_state(book.state)
    _write(files, root)


def write_plain(book: Book, root: Path) -> None:
    """The same book as the baseline keeps it."""
    state = msgspec.to_builtins(book.state)
    files = {f"追踪/{path}": text.encode() for path, text in baseline.views(state).items()}
    files |= {record_path(number): text.encode() for number, text in book.records.items()}
    files[STATE] = baseline.encode(state).encode()
    _write(files, root)


def _write(files: dict[str, bytes], root: Path) -> None:
    for path, data in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def commit_all(root: Path, chapters: int) -> None:
    """The same book through `init` and one commit a chapter."""
    root.mkdir(parents=True)
    ledger = Ledger(root, clock=lambda: MOMENT)
    init(ledger, workload.opening(), [])
    for number in range(1, chapters + 1):
        commit(ledger, workload.chapter(number, number - 1), [])


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a book but the private folder (journal), by path."""
    out = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(f"{PRIVATE}/"):
            out[name] = path.read_bytes()
    return out
