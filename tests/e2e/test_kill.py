"""`kill -9` at any moment: the next command finds the old or the new revision, whole.

Real processes on a real disk; delays are random and seeded. Most victims have their modules loaded
when the clock starts, so that the kill falls into the work and not into the start of Python.
"""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from console import CLEW, WARM, book, here, ledger_files, revision, start, submit

from clew.kernel.folder import FolderVault
from clew.novel.check import render
from clew.novel.commit import commit
from clew.novel.ledger import Ledger
from clew.novel.timetravel import undo
from clew.testing.faulty import Failure, FaultyFiles
from clew.testing.novel import chapter, init_document, snapshot, state_of

Plan = Callable[[Path], list[object]]


def _init(root: Path) -> list[object]:
    document = init_document(character_snapshots={"江晨": snapshot()})
    return ["init", "--input", submit(root, document)]


def _append(root: Path) -> list[object]:
    document = chapter(state_of(Ledger(root)), changes=["江晨"], result="杀不死的一章")
    return ["commit", "--input", submit(root, document)]


def _revise(root: Path) -> list[object]:
    document = chapter(state_of(Ledger(root)), 2, changes=["江晨", "周薄森"], result="改过的一章")
    return ["commit", "--input", submit(root, document)]


def _retire(root: Path) -> list[object]:
    document = chapter(
        state_of(Ledger(root)), changes=["周薄森"], retired_characters=["周薄森"],
        active_character_names=["江晨", "钟嘉嘉"],
    )  # fmt: skip
    return ["commit", "--input", submit(root, document)]


def _undo(root: Path) -> list[object]:
    return ["undo"]


def _render(root: Path) -> list[object]:
    for name in ("上下文.md", "伏笔.md", "角色状态/江晨.md", "逐章记录/第002章.md"):
        (root / "追踪" / name).unlink()
    return ["render"]


PLANS: dict[str, Plan] = {
    "init": _init, "append": _append, "revise": _revise, "retire": _retire, "undo": _undo,
    "render": _render,
}  # fmt: skip


class Target:
    """A book before and after one command, and how long the command takes once it is loaded."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.template = folder / "template"
        if name == "init":
            self.template.mkdir()
            (self.template / "正文").mkdir()
        else:
            book(self.template)
        self.argv = [
            str(word).replace(str(self.template), "{root}") for word in PLANS[name](self.template)
        ]
        self.old = ledger_files(self.template)
        done = self.copy(folder / "done")
        child = start(WARM, *self.line(done))
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        begun = time.monotonic()
        assert child.wait(timeout=60) == 0
        self.takes = time.monotonic() - begun
        child.communicate()
        self.new = ledger_files(done)
        self.revision = revision(done)

    def copy(self, root: Path) -> Path:
        shutil.copytree(self.template, root)
        return root

    def line(self, root: Path) -> list[object]:
        verb, *rest = (word.replace("{root}", str(root)) for word in self.argv)
        return ["novel", verb, "--project", root, *rest]


def kill_once(
    target: Target, root: Path, delay: float, next_command: list[str], *, warm: bool
) -> str:
    """Kill one process somewhere on its way and hold the book against both revisions."""
    child = start(WARM if warm else CLEW, *target.line(root))
    if warm:
        assert child.stdout is not None
        child.stdout.readline()
    time.sleep(delay)
    child.kill()
    child.communicate()

    begun = time.monotonic()
    code, answer, err = here("novel", *next_command, "--project", root)
    assert time.monotonic() - begun < 5, "a lock left by a dead process blocked the next command"
    found = ledger_files(root)
    if target.name == "init" and code != 0:
        assert answer["error_code"] == "ledger_missing", answer
        assert found == {}
        outcome = "old"
    elif target.name == "render":
        # Rendering makes no revision, so a killed one leaves some views; a second one completes it.
        outcome = "new" if found == target.new else "old"
        missing = {name: data for name, data in target.new.items() if name not in found}
        assert found | missing == target.new
    else:
        assert code == 0, (answer, err)
        assert found in (target.old, target.new)
        outcome = "new" if found == target.new else "old"
        assert revision(root) == target.revision - (outcome == "old")

    if outcome == "old" or target.name in ("append", "revise", "retire"):
        code, answer, err = here(*target.line(root))
        assert code == 0, (answer, err)
    assert ledger_files(root) == target.new
    code, answer, err = here("novel", "check", "--project", root)
    assert (code, answer["state_revision"]) == (0, target.revision), (answer, err)
    lines = (root / "追踪" / "_history.jsonl").read_bytes().splitlines()
    revisions = [json.loads(line)["revision"] for line in lines]
    assert revisions == list(range(target.revision + 1))
    return outcome


def rounds(tmp_path: Path, name: str, kills: int, seed: str) -> dict[str, int]:
    rng = random.Random(seed)
    target = Target(name, tmp_path)
    outcomes = {"old": 0, "new": 0}
    edge = target.takes / 3  # where the change is made; each kill tells on which side it fell
    for number in range(kills):
        # What only reads repairs first, and so does what writes.
        following = rng.choice(["check", "at", "history"]) if name != "render" else "history"
        words = [following, "--revision", "0"] if following == "at" else [following]
        root = target.copy(tmp_path / f"{number}")
        warm = rng.random() < 0.85
        delay = edge * rng.uniform(0.6, 1.4) if warm else rng.uniform(0.02, 0.3)
        outcome = kill_once(target, root, delay, words, warm=warm)
        outcomes[outcome] += 1
        if warm:
            edge *= 1.2 if outcome == "old" else 0.8
        shutil.rmtree(root)
    return outcomes


@pytest.mark.parametrize("name", PLANS)
def test_a_killed_command_leaves_the_old_or_the_new_revision_whole(
    tmp_path: Path, name: str
) -> None:
    outcomes = rounds(tmp_path, name, 10, name)
    assert sum(outcomes.values()) == 10


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", PLANS)
def test_many_kills(tmp_path: Path, name: str, seed: int) -> None:
    outcomes = rounds(tmp_path, name, 100, f"{name} {seed}")
    assert min(outcomes.values()) > 0, f"every kill fell on one side: {outcomes}"


class Interrupt(Failure):
    """An interrupt (Ctrl-C) instead of an error, at one call of the file layer."""

    def fail(self, path: str) -> NoReturn:
        raise KeyboardInterrupt


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("name", [name for name in PLANS if name != "init"])
def test_an_interrupt_at_any_call_leaves_the_old_or_the_new_revision_whole(
    tmp_path: Path, name: str, partial: bool
) -> None:
    """The same question as above, asked at every call there is instead of at random."""
    target = Target(name, tmp_path)
    verb, *rest = target.argv
    for call in range(1, 300):
        root = target.copy(tmp_path / f"{call}")
        files = FaultyFiles()
        files.failure = Interrupt(call, None, partial=partial, stays=False)
        ledger = Ledger(root, vault=FolderVault(root, files=files))
        document = json.loads((root / ".story/work/tx.json").read_bytes()) if rest else None
        work = {
            "commit": lambda: commit(ledger, document, []),  # noqa: B023
            "undo": lambda: undo(ledger, []),  # noqa: B023
            "render": lambda: render(ledger, []),  # noqa: B023
        }[verb]
        with contextlib.suppress(KeyboardInterrupt):
            work()
        assert here("novel", "history", "--project", root)[0] == 0
        if revision(root) != target.revision or name == "render":
            assert here(*target.line(root))[0] == 0
        code, answer, _ = here("novel", "check", "--project", root)
        assert code == 0, (call, files.failure.hits, answer)
        assert ledger_files(root) == target.new, (call, files.failure.hits)
        shutil.rmtree(root)
        if not files.failure.hits:
            break
    assert call > 5


def test_one_book_survives_being_killed_over_and_over(tmp_path: Path) -> None:
    """The same book, one victim after another, never repaired by a command of its own."""
    rng = random.Random("over and over")
    root = book(tmp_path / "book")
    edge = 0.03
    for _ in range(12):
        document = chapter(state_of(Ledger(root)), changes=["江晨"], result=f"第{rng.random()}稿")
        before = revision(root)
        child = start(WARM, "novel", "commit", "--project", root, "--input", submit(root, document))
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(edge * rng.uniform(0.5, 1.5))
        child.kill()
        child.communicate()
        after = revision(root)
        assert after in (before, before + 1)
        edge *= 1.2 if after == before else 0.8
    code, answer, _ = here("novel", "check", "--project", root)
    assert code == 0, answer
    document = chapter(state_of(Ledger(root)), changes=["江晨"])
    assert here("novel", "commit", "--project", root, "--input", submit(root, document))[0] == 0
    assert not list((root / "追踪" / ".clew" / "stage").iterdir())
