"""Several processes on one book: one wins, nothing is lost, and readers see one revision.

This file is its own worker: `python test_race.py <worker> <book> …` runs one in a process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from console import CLEW, book, here, ledger_files, revision, run, start, submit

from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.novel.check import check, stats
from clew.novel.commit import commit
from clew.novel.ledger import Ledger
from clew.novel.timetravel import at, entries
from clew.testing.novel import begin_book, chapter, state_of

# ---- workers -------------------------------------------------------------------------------------


def write(root: str, name: str, times: str) -> None:
    """Commit chapters of one's own, beginning again whenever somebody else was first."""
    done = tries = 0
    while done < int(times):
        tries += 1
        state = state_of(Ledger(root, lock_timeout=60.0))
        document = chapter(state, result=f"{name}的第{done + 1}章", chapter_title=name)
        path = submit(Path(root), document, f"{name}.json")
        line = ["--project", root, "--input", path, "--lock-timeout", 60]
        code, answer, err = here("novel", "commit", *line)
        if code == 0:
            assert answer["already_committed"] is False
            done += 1
        elif "stale_revision" not in {f["code"] for f in answer["faults"]}:
            raise SystemExit(f"{answer} {err}")
    print(json.dumps({"done": done, "tries": tries}))


def read(root: str, name: str) -> None:
    """Ask about the book until told to stop; every answer must be that of one revision."""
    looks = 0
    seen: set[int] = set()
    while not Path(root, "stop").exists():
        for line in (["check"], ["at", "--revision", "0"], ["stats"], ["history"]):
            code, answer, err = here("novel", *line, "--project", root, "--lock-timeout", 60)
            if code != 0:
                raise SystemExit(f"{line}: {answer} {err}")
            if "state_revision" in answer:
                # In this book every revision is one more chapter.
                assert answer["last_committed_chapter"] == answer["state_revision"], answer
                seen.add(answer["state_revision"])
            if "entries" in answer:
                numbers = [entry["revision"] for entry in answer["entries"]]
                assert numbers == list(range(len(numbers))), numbers
        looks += 1
    print(json.dumps({"looks": looks, "revisions": len(seen)}))


def worker(job: str, *argv: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, __file__, job, *map(str, argv)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, "CLEW_LANG": "en"},
    )  # fmt: skip


def answer_of(child: subprocess.Popen[bytes]) -> Any:
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err.decode("utf-8", "replace")[-2000:]
    return json.loads(out)


# ---- tests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["append", "revision", "both"])
def test_of_two_transactions_for_one_revision_exactly_one_wins(tmp_path: Path, mode: str) -> None:
    root = book(tmp_path / "book")
    for number in range(4):
        state = state_of(Ledger(root))
        numbers = {"append": (None, None), "revision": (1, 2), "both": (None, 1)}[mode]
        documents = [
            chapter(state, at, result=f"{number} {side}", changes=["江晨"])
            for side, at in zip("甲乙", numbers, strict=True)
        ]
        paths = [submit(root, d, f"{side}.json") for side, d in zip("甲乙", documents, strict=True)]
        children = [start(CLEW, "novel", "commit", "--project", root, "--input", p) for p in paths]
        ended = [(c.communicate(timeout=60), c.returncode) for c in children]
        answers = [(code, json.loads(out)) for (out, _), code in ended]
        assert sorted(code for code, _ in answers) == [0, 2]
        (loser,) = [answer for code, answer in answers if code == 2]
        (won,) = [answer for code, answer in answers if code == 0]
        assert won["state_revision"] == state.state_revision + 1
        stale = next(f for f in loser["faults"] if f["code"] == "stale_revision")
        assert stale["allowed"] == state.state_revision + 1
        assert "tracking state changed" in stale["message"]
        assert revision(root) == state.state_revision + 1
        assert here("novel", "check", "--project", root)[0] == 0


def test_the_very_same_transaction_twice_at_once_is_committed_once(tmp_path: Path) -> None:
    root = book(tmp_path / "book")
    path = submit(root, chapter(state_of(Ledger(root))))
    before = revision(root)
    children = [
        start(CLEW, "novel", "commit", "--project", root, "--input", path) for _ in range(2)
    ]
    answers = [json.loads(child.communicate(timeout=60)[0]) for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert sorted(answer["already_committed"] for answer in answers) == [False, True]
    assert revision(root) == before + 1


def test_two_inits_at_once_start_one_book(tmp_path: Path) -> None:
    from clew.testing.novel import init_document

    (tmp_path / "book").mkdir()
    paths = [
        submit(tmp_path, init_document(book_title=title), f"{title}.json") for title in ("甲", "乙")
    ]
    line = ["novel", "init", "--project", tmp_path / "book", "--input"]
    children = [start(CLEW, *line, path) for path in paths]
    answers = [json.loads(child.communicate(timeout=60)[0]) for child in children]
    assert sorted(child.returncode for child in children) == [0, 2]
    assert {"ledger_exists"} == {a["error_code"] for a in answers if a["status"] == "error"}
    assert here("novel", "check", "--project", tmp_path / "book")[0] == 0


def test_eight_writers_lose_nothing_and_readers_see_one_revision_at_a_time(tmp_path: Path) -> None:
    root = begin_book(tmp_path / "book").root
    readers = [worker("read", root, name) for name in ("r1", "r2")]
    writers = [worker("write", root, f"w{n}", 4) for n in range(8)]
    try:
        done = [answer_of(child) for child in writers]
        code, answer, _ = run("novel", "check", "--project", root)
        assert (code, answer["state_revision"]) == (0, 32)
    finally:
        Path(root, "stop").touch()
    looked = [answer_of(child) for child in readers]
    assert [row["done"] for row in done] == [4] * 8
    assert min(row["looks"] for row in looked) > 0
    state = state_of(Ledger(root))
    assert (state.last_committed_chapter, state.state_revision) == (32, 32)
    entries = here("novel", "history", "--project", root)[1]["entries"]
    results = [entry["result"] for entry in entries[1:]]
    assert sorted(results) == sorted(f"w{n}的第{k}章" for n in range(8) for k in range(1, 5))
    records = ledger_files(Path(root))
    for entry in entries[1:]:
        assert entry["result"] in records[f"逐章记录/第{entry['chapter']:03d}章.md"].decode()
    assert not Path(root, "追踪/.tracking-commit.lock").exists()


class Overtaken(Files):
    """Real files; while the state is being read for the first time, somebody commits."""

    def __init__(self, deed: Callable[[], object]) -> None:
        self.deed: Callable[[], object] | None = deed

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
        data = super().read(path, offset, limit)
        if path.endswith("_tracking-state.json") and self.deed is not None:
            deed, self.deed = self.deed, None
            deed()
        return data


@pytest.mark.parametrize("line", ["check", "at", "entries", "stats"])
def test_a_reader_that_a_commit_overtakes_reads_again(tmp_path: Path, line: str) -> None:
    root = book(tmp_path / "book")
    document = chapter(state_of(Ledger(root)), changes=["江晨"])
    files = Overtaken(lambda: commit(Ledger(root), document, []))
    ledger = Ledger(root, vault=FolderVault(root, files=files))
    if line == "check":
        assert check(ledger, []).state_revision == 4
    elif line == "at":
        assert at(ledger, revision=4).state.last_committed_chapter == 4
    elif line == "entries":
        assert len(entries(ledger).entries) in (4, 5)
    else:
        assert stats(ledger).state_revision == 4
    assert revision(root) == 4 or line == "entries"


class Halting(Files):
    """A writer's files: it halts when the truth is in place and the views are not."""

    def __init__(self) -> None:
        self.halted, self.go_on = threading.Event(), threading.Event()

    def replace(self, source: str, target: str) -> None:
        if target.endswith(".md"):
            self.halted.set()
            assert self.go_on.wait(30)
        super().replace(source, target)


class Unlucky(Files):
    """A reader's files: a writer begins right after it saw that nobody holds the lock."""

    def __init__(self, deed: Callable[[], object]) -> None:
        self.deed: Callable[[], object] | None = deed

    def lock_open(self, path: str) -> int | None:
        found = super().lock_open(path)
        if found is None and self.deed is not None:
            deed, self.deed = self.deed, None
            deed()
        return found


def test_a_reader_never_takes_a_change_on_its_way_for_a_damaged_book(tmp_path: Path) -> None:
    root = book(tmp_path / "book")
    document = chapter(state_of(Ledger(root)), changes=["江晨"])
    files = Halting()
    writing = Ledger(root, vault=FolderVault(root, files=files))
    thread = threading.Thread(target=lambda: commit(writing, document, []))

    def begin() -> None:
        thread.start()
        assert files.halted.wait(30)
        threading.Timer(0.3, files.go_on.set).start()

    reader = Ledger(root, vault=FolderVault(root, files=Unlucky(begin)))
    try:
        assert check(reader, []).state_revision in (3, 4)
    finally:
        files.go_on.set()
        thread.join(30)
    assert revision(root) == 4


@pytest.mark.soak
def test_sixteen_writers_for_a_long_time(tmp_path: Path) -> None:
    root = begin_book(tmp_path / "book").root
    readers = [worker("read", root, name) for name in ("r1", "r2", "r3")]
    writers = [worker("write", root, f"w{n}", 20) for n in range(16)]
    try:
        assert [answer_of(child)["done"] for child in writers] == [20] * 16
    finally:
        Path(root, "stop").touch()
    for child in readers:
        assert answer_of(child)["looks"] > 0
    assert here("novel", "check", "--project", root)[0] == 0
    assert revision(Path(root)) == 320


@pytest.mark.parametrize("left", ["", "pid=999999999\n", "garbage", "pid=\nhost=\n"])
def test_a_lock_file_left_by_a_dead_process_blocks_nobody(tmp_path: Path, left: str) -> None:
    root = book(tmp_path / "book")
    lock = root / "追踪" / ".tracking-commit.lock"
    lock.write_text(left, encoding="utf-8")
    old = lock.stat().st_mtime - 60
    os.utime(lock, (old, old))
    path = submit(root, chapter(state_of(Ledger(root))))
    code, answer, _ = run(
        "novel", "commit", "--project", root, "--input", path, "--lock-timeout", 3
    )
    assert (code, answer["last_committed_chapter"]) == (0, 4)
    assert not lock.exists()


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](*sys.argv[2:])
