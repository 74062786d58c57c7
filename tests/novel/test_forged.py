"""A ledger from anywhere: lines whose chain holds and whose content is none, a state that is told to be ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.kernel.document import digest
from clew.kernel.errors import ClewError, Corrupt
from clew.novel import history, linting, writing
from clew.novel.check import check, stats
from clew.novel.commit import commit
from clew.novel.export import volumes
from clew.novel.export.gather import Wish, gather
from clew.novel.ledger import HISTORY, STATE, Ledger
from clew.novel.mend import repair, restore
from clew.novel.publish import publish, withdraw
from clew.novel.start import adopt
from clew.novel.timetravel import at, diff, entries, redo, undo
from clew.testing.novel import (
    begin_book,
    chapter,
    foreshadow,
    init_document,
    snapshot,
    state_of,
)

DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Three chapters, the last of them with everything that a line can hold."""
    folder = tmp_path / "book"
    ledger = begin_book(folder, init_document(1, character_snapshots={"江晨": snapshot()}))
    for number in (2, 3):
        document = chapter(
            state_of(ledger), changes=["江晨"], snapshots={"江晨": snapshot(goal=f"走{number}")},
            foreshadow_changes=[foreshadow(f"F{number:03}", number)],
        )  # fmt: skip
        commit(ledger, document, [])
    (folder / "正文").mkdir()
    for number in (1, 2, 3):
        (folder / f"正文/第{number:03}章_题.md").write_text("江晨走了。\n", "utf-8")
    return folder


RUNS: dict[str, Callable[[Ledger], object]] = {
    "check": lambda b: check(b, []),
    "stats": stats,
    "undo": lambda b: undo(b, []),
    "redo": lambda b: redo(b, []),
    "entries": entries,
    "at": lambda b: at(b, chapter=2),
    "diff": lambda b: diff(b, 1, 3),
    "restore": lambda b: restore(b, []),
    "adopt": lambda b: adopt(b, []),
    "who": lambda b: writing.who(b, "江晨", []),
    "impact": lambda b: writing.impact(b, 2, "zh", []),
    "context": lambda b: writing.context(b, "zh", []),
    "lint": lambda b: linting.lint(b, []),
    "silence": lambda b: linting.silence(b, [], "x", None),
    "publish": lambda b: publish(b, 1, 3, []),
    "withdraw": lambda b: withdraw(b, 1, 3, []),
    "gather": lambda b: gather(b, Wish(), []),
    "commit": lambda b: commit(b, chapter(state_of(b)), []),
}


def forge(book: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    """Put something into one line, and mend the chain behind it."""
    path = book / HISTORY
    lines = path.read_bytes().splitlines()
    changed = change(lines[number])
    assert changed != lines[number]
    old, lines[number] = lines[number], changed
    for later in range(number + 1, len(lines)):
        was, before = digest(old).encode(), digest(lines[later - 1]).encode()
        old = lines[later]
        assert was in old
        lines[later] = old.replace(was, before)
    path.write_bytes(b"\n".join(lines) + b"\n")


def with_value(data: bytes, path: tuple[str, ...], value: Any) -> bytes:
    """A line with another value in one place."""
    line = json.loads(data)
    holder = line
    for key in path[:-1]:
        holder = holder.setdefault(key, {})
    holder[path[-1]] = value
    return json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


FORGED: dict[str, tuple[int, Callable[[bytes], bytes]]] = {
    "a record of chapter x": (2, lambda d: with_value(d, ("records", "x"), {"after": "y"})),
    "a record of chapter 0": (1, lambda d: with_value(d, ("records", "0"), {"after": "y"})),
    "a record of a huge chapter": (
        2,
        lambda d: with_value(d, ("records", "9" * 5000), {"after": "y"}),
    ),
    "a foreshadow zz": (2, lambda d: with_value(d, ("before", "foreshadow", "zz"), None)),
    "an event E": (1, lambda d: with_value(d, ("before", "timeline", "E"), None)),
    "a foreshadow of 5000 digits": (
        2,
        lambda d: with_value(d, ("before", "foreshadow", "F" + "1" * 5000), None),
    ),
    "a length of chapter x": (
        2,
        lambda d: with_value(d, ("before", "wordcount_records", "x"), None),
    ),
    "no transaction": (1, lambda d: with_value(d, ("transaction",), None)),
    "a transaction that is a text": (2, lambda d: with_value(d, ("transaction",), "x")),
    "no delta": (2, lambda d: with_value(d, ("transaction", "delta"), None)),
    "no context": (1, lambda d: with_value(d, ("transaction", "context"), 3)),
    "a snapshot that is none": (
        2,
        lambda d: with_value(d, ("transaction", "character_snapshots", "江晨"), "x"),
    ),
    "no state in the baseline": (0, lambda d: with_value(d, ("state",), None)),
    "a deep value": (1, lambda d: d[:-1] + b',"zz":' + DEEP + b"}"),
    "a deep transaction": (2, lambda d: d[:-1] + b',"transaction":' + DEEP + b"}"),
    "a deep mark": (
        2,
        lambda d: d.replace(b'"kind":"append"', b'"kind":"silence","silence":' + DEEP),
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_line_that_holds_what_no_line_holds_is_answered_by_every_command(
    book: Path, name: str
) -> None:
    number, change = FORGED[name]
    forge(book, number, change)
    forged, state = (book / HISTORY).read_bytes(), (book / STATE).read_bytes()
    for run in RUNS.values():
        (book / HISTORY).write_bytes(forged)
        (book / STATE).write_bytes(state)
        try:
            run(Ledger(book, lock_timeout=0.3))
        except ClewError as error:
            assert all(fault.message("zh") and fault.message("en") for fault in error.faults)
    volumes.starts(forged.splitlines(), state_of(begin_book(book.parent / "other")))


@pytest.mark.parametrize("name", FORGED)
def test_repairing_a_history_that_holds_such_a_line_leads_out_of_it(book: Path, name: str) -> None:
    number, change = FORGED[name]
    forge(book, number, change)
    forged = (book / HISTORY).read_bytes()
    ledger = Ledger(book)
    if not repair(ledger, notes := []).restored:
        assert history.replay(forged.splitlines())  # nothing is wrong with it
        return
    assert [note.code for note in notes][:1] == ["edit_set_aside"]
    assert forged in [path.read_bytes() for path in (book / "追踪/.clew").rglob("_history.jsonl")]
    assert check(ledger, []) is not None
    assert [entry.kind for entry in entries(ledger).entries][:1] == ["adopt"]


@pytest.mark.parametrize(
    "state",
    [
        {"foreshadow": {"zz": {}}},
        {"foreshadow": "x"},
        {"timeline": {"E1": None}},
        {"wordcount_records": {"x": None}},
        {"last_committed_chapter": "3"},
        [],
        DEEP,
    ],
)
def test_a_state_is_not_ours_because_a_history_names_its_digest(book: Path, state: Any) -> None:
    data = state
    if not isinstance(state, bytes):
        whole = json.loads((book / STATE).read_bytes())
        data = json.dumps(whole | state if isinstance(state, dict) else state).encode()
    (book / STATE).write_bytes(data)
    forge(book, 2, lambda line: with_value(line, ("state_sha256",), digest(data)))
    with pytest.raises(Corrupt):
        check(Ledger(book), [])
    for run in RUNS.values():
        try:
            run(Ledger(book, lock_timeout=0.3))
        except ClewError as error:
            assert error.faults
