"""Every command on a book that is not as it must be: a refusal with its words, never a bug.

Each runs in a process of its own, because a process that has loaded the whole room knows every
sentence, and a fresh command only those of the modules that it loads.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.novel.commit import commit
from clew.novel.ledger import HISTORY, STATE
from clew.testing.novel import begin_book, chapter, state_of

LINES = (
    "novel init", "novel init --new T", "novel init --from-manuscript", "novel adopt --dry-run",
    "novel adopt", "novel check", "novel draft --chapter 2", "novel backfill",
    "novel commit --input none.json", "novel render", "novel history", "novel history repair",
    "novel at 1", "novel diff 0 1", "novel undo", "novel undo --to-history", "novel redo",
    "novel recover", "novel stats", "novel context", "novel context --chapter 1",
    "novel who 江晨", "novel impact --chapter 1", "novel lint", "novel lint --silence a:b --reason c",
    "novel export --to txt", "novel export --to markdown", "novel publish --chapter 1",
    "chapter check --chapter 1", "chapter commit --chapter 1 --input none.json",
    "chapter accept-current-length --chapter 1 --input none.json", "wordcount measure --file none.md",
    "wordcount checkpoint --file none.md --chapter 1",
)  # fmt: skip


def _nothing(folder: Path) -> None:
    """A folder that is no book."""


def _bodies(folder: Path) -> None:
    """Bodies, and none of them with a name that says a chapter."""
    (folder / "正文").mkdir()
    (folder / "正文" / "起风.md").write_text("雨停了。\n", encoding="utf-8")


def _book(folder: Path) -> None:
    ledger = begin_book(folder)
    commit(ledger, chapter(state_of(ledger)), [])
    (folder / "正文").mkdir(exist_ok=True)
    (folder / "正文" / "第001章_雨.md").write_text("雨停了。\n", encoding="utf-8")


def _no_state(folder: Path) -> None:
    _book(folder)
    (folder / STATE).unlink()


def _broken_history(folder: Path) -> None:
    _book(folder)
    path = folder / HISTORY
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))


def _torn_state(folder: Path) -> None:
    _book(folder)
    (folder / STATE).write_bytes((folder / STATE).read_bytes()[:200])


def _twice(folder: Path) -> None:
    _book(folder)
    (folder / "正文" / "第1章_又.md").write_text("雨停了。\n", encoding="utf-8")


@pytest.mark.parametrize(
    "make", [_nothing, _bodies, _no_state, _broken_history, _torn_state, _twice],
    ids=lambda make: make.__name__,
)  # fmt: skip
def test_no_command_meets_a_bug_of_its_own(make: Callable[[Path], None], tmp_path: Path) -> None:
    def ask(number: int) -> str:
        folder = tmp_path / str(number)
        folder.mkdir()
        make(folder)
        words = [*LINES[number].split(), "--lang", "zh"]
        done = subprocess.run(
            [sys.executable, "-m", "clew.faces.cli.main", *words],
            cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        answer = json.loads(done.stdout)
        code = answer.get("error_code", "")
        bug = code == "internal" or "clew-report" in done.stderr or "Traceback" in done.stderr
        return f"{LINES[number]}: {done.stdout}{done.stderr}" if bug else ""

    with ThreadPoolExecutor(2) as pool:
        assert [found for found in pool.map(ask, range(len(LINES))) if found] == []
