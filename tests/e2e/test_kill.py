"""`kill -9` at any moment: the next command finds the old or the new revision, whole.

Real processes on a real disk; delays are random and seeded. Most victims have their modules loaded
when the clock starts, so that the kill falls into the work and not into the start of Python.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from console import CLEW, WARM, book, here, ledger_files, revision, start, submit

from clew.novel.ledger import Ledger
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


def _undo(root: Path) -> list[object]:
    return ["undo"]


def _render(root: Path) -> list[object]:
    for name in ("上下文.md", "伏笔.md", "角色状态/江晨.md", "逐章记录/第002章.md"):
        (root / "追踪" / name).unlink()
    return ["render"]


PLANS: dict[str, Plan] = {
    "init": _init, "append": _append, "revise": _revise, "undo": _undo, "render": _render,
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
        self.argv = [str(word).replace(str(self.template), "{root}") for word in PLANS[name](self.template)]
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


def kill_once(target: Target, root: Path, rng: random.Random, next_command: list[str]) -> str:
    """Kill one process somewhere on its way and hold the book against both revisions."""
    warm = rng.random() < 0.85
    child = start(WARM if warm else CLEW, *target.line(root))
    if warm:
        assert child.stdout is not None
        child.stdout.readline()
    time.sleep(rng.uniform(0, target.takes * 1.2) if warm else rng.uniform(0.02, 0.3))
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

    if outcome == "old" or target.name in ("append", "revise"):
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
    for number in range(kills):
        # What only reads repairs first, and so does what writes.
        following = rng.choice(["check", "at", "history"]) if name != "render" else "history"
        words = [following, "--revision", "0"] if following == "at" else [following]
        root = target.copy(tmp_path / f"{number}")
        outcomes[kill_once(target, root, rng, words)] += 1
        shutil.rmtree(root)
    return outcomes


@pytest.mark.parametrize("name", PLANS)
def test_a_killed_command_leaves_the_old_or_the_new_revision_whole(
    tmp_path: Path, name: str
) -> None:
    outcomes = rounds(tmp_path, name, 12, name)
    assert sum(outcomes.values()) == 12


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", PLANS)
def test_many_kills(tmp_path: Path, name: str, seed: int) -> None:
    outcomes = rounds(tmp_path, name, 100, f"{name} {seed}")
    assert min(outcomes.values()) > 0, f"every kill fell on one side: {outcomes}"


def test_one_book_survives_being_killed_over_and_over(tmp_path: Path) -> None:
    """The same book, one victim after another, never repaired by a command of its own."""
    rng = random.Random("over and over")
    root = book(tmp_path / "book")
    takes = 0.05
    for _ in range(12):
        document = chapter(state_of(Ledger(root)), changes=["江晨"], result=f"第{rng.random()}稿")
        before = revision(root)
        child = start(WARM, "novel", "commit", "--project", root, "--input", submit(root, document))
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(rng.uniform(0, takes))
        child.kill()
        child.communicate()
        assert revision(root) in (before, before + 1)
    code, answer, _ = here("novel", "check", "--project", root)
    assert code == 0, answer
    document = chapter(state_of(Ledger(root)), changes=["江晨"])
    assert here("novel", "commit", "--project", root, "--input", submit(root, document))[0] == 0
    assert not list((root / "追踪" / ".clew" / "stage").iterdir())
