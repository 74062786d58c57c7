"""An index and several processes: killed at any instant, refreshing at once, removing it under each
other.

This file is its own worker: `python test_index_processes.py <worker> <library> …` runs one.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from index_room import SCHEMA, Memory, content, folder_source, line, room, say

from clew.kernel import index_refresh
from clew.kernel.index import Index

PRIVATE = ".clew/index.sqlite"
BOOKS = ("a", "b", "c")


# ---- workers -----------------------------------------------------------------------------------


def grow(root: str, start: str) -> None:
    """Append and refresh until killed, in many small transactions."""
    index_refresh.BATCH_ROWS = 15  # type: ignore[misc]
    chance = random.Random(int(start))
    number = int(start) * 100_000
    while True:
        for book in BOOKS:
            count = chance.randrange(1, 40)
            say(Path(root), book, *(line(f"{number + n}", "江晨灯塔", n) for n in range(count)))
            number += count
        if chance.random() < 0.2:
            file = Path(root, "a", "cards.json")
            file.with_suffix(".new").write_text(json.dumps([{"title": f"江{number}"}] * 3))
            file.with_suffix(".new").replace(file)
        with room(Path(root)) as index:
            index.refresh(text=chance.random() < 0.7)
        print("refreshed", flush=True)


def refresh(root: str, times: str) -> None:
    """Refresh and search again and again; every answer must be whole."""
    with room(Path(root), timeout=30.0) as index:
        for _ in range(int(times)):
            index.refresh()
            hits = index.search("messages", "江晨", limit=10_000)
            lines = sum(
                Path(root, book, "messages.jsonl").read_bytes().count(b"\n") for book in BOOKS
            )
            # Others append meanwhile: at least what was there, at most what is there now.
            assert len({(hit.source, hit.key) for hit in hits}) == len(hits) <= lines, (
                len(hits),
                lines,
            )


def append(root: str, times: str) -> None:
    """Append, slowly enough for the others to see many states."""
    for number in range(int(times)):
        for book in BOOKS:
            say(Path(root), book, line(f"{os.getpid()}-{number}", "江晨", number))
        time.sleep(0.005)


def discard(root: str, times: str) -> None:
    """Throw the index away under the others, again and again."""
    for _ in range(int(times)):
        with room(Path(root), timeout=30.0) as index:
            index.discard()
        time.sleep(0.02)


def ask(root: str, times: str) -> None:
    """Search without ever refreshing by itself: the answer is always the whole one."""
    with room(Path(root), timeout=30.0) as index:
        index.refresh()
        for _ in range(int(times)):
            found = len(index.search("messages", "江晨", limit=10_000))
            assert found == 300, found
            time.sleep(0.005)


# ---- tests -------------------------------------------------------------------------------------


def start(worker: str, *given: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, __file__, worker, *map(str, given)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def finish(*workers: subprocess.Popen[str]) -> None:
    errors = [worker.communicate(timeout=120)[1] for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * len(workers), "\n".join(errors)


def library(root: Path, lines: int = 100) -> Path:
    for book in BOOKS:
        say(root, book, *(line(str(n), "江晨", n) for n in range(lines)))
    return root


def assert_an_older_index(root: Path) -> None:
    """What the killed process left is sound, and of every log holds what it had up to some line."""
    connection = sqlite3.connect(root / PRIVATE)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for number, path, offset in connection.execute(
        "SELECT id, path, offset FROM clew_source WHERE kind = 'log'"
    ).fetchall():
        known = (root / path).read_bytes()[:offset]
        assert not known or known.endswith(b"\n")
        rows = connection.execute("SELECT key FROM messages WHERE source = ?", (number,)).fetchall()
        assert sorted(key for (key,) in rows) == sorted(
            json.loads(x)["id"] for x in known.splitlines()
        )
    connection.close()


def test_a_kill_at_any_instant_leaves_a_sound_older_index(tmp_path: Path) -> None:
    root = library(tmp_path)
    chance = random.Random(11)
    for number in range(1, 13):
        worker = start("grow", root, number)
        assert worker.stdout is not None
        worker.stdout.readline()  # it is at work
        time.sleep(chance.random() * 0.25)
        worker.send_signal(signal.SIGKILL)
        worker.communicate()
        assert_an_older_index(root)
    with room(root) as index:
        index.refresh()
        followed = content(index)
        assert index.check()
        assert index.notes == ()
    with Index(None, SCHEMA, folder_source(root)) as fresh:
        fresh.refresh()
        assert content(fresh) == followed


def test_a_kill_while_it_is_made_leaves_an_index_that_goes_on(tmp_path: Path) -> None:
    root = library(tmp_path, 3_000)
    for delay in (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4):
        worker = start("refresh", root, 1)
        deadline = time.monotonic() + 30
        while not (root / PRIVATE).exists() and worker.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        time.sleep(delay)
        worker.send_signal(signal.SIGKILL)
        worker.communicate()
    with room(root) as index:
        index.refresh()
        assert len(index.search("messages", "江晨", limit=10_000)) == 9_000
        assert index.check()


def test_b34_two_processes_refresh_at_the_same_time(tmp_path: Path) -> None:
    root = library(tmp_path)
    finish(start("refresh", root, 25), start("refresh", root, 25), start("append", root, 60))
    with room(root) as index:
        index.refresh()
        assert len(index.search("messages", "江晨", limit=10_000)) == 3 * 160
        assert index.check()
        assert index.notes == ()


def test_two_processes_make_it_at_the_same_time(tmp_path: Path) -> None:
    root = library(tmp_path, 1_000)
    finish(*(start("refresh", root, 1) for _ in range(3)))
    with room(root) as index:
        assert len(index.search("messages", "江晨", limit=10_000)) == 3_000
        assert index.check()
        assert index.notes == ()


def test_b15_an_index_removed_under_those_who_search_never_gives_half_an_answer(
    tmp_path: Path,
) -> None:
    root = library(tmp_path)
    finish(start("ask", root, 60), start("ask", root, 60), start("discard", root, 12))
    with room(root) as index:
        assert len(index.search("messages", "江晨", limit=10_000)) == 300
        assert index.check()


def test_an_index_that_another_process_has_filled_is_not_read_again(tmp_path: Path) -> None:
    root = library(tmp_path)
    finish(start("refresh", root, 1))
    with room(root) as index:
        assert index.refresh().rows == 0


def test_an_index_says_the_same_in_memory() -> None:
    source = Memory()
    source.files = {"a/messages.jsonl": line("1", "江晨")}
    with Index(None, SCHEMA, source) as index:
        assert [hit.key for hit in index.search("messages", "江晨")] == ["1"]
        assert not index.lasting


if __name__ == "__main__":
    WORKERS = {"grow": grow, "refresh": refresh, "append": append, "discard": discard, "ask": ask}
    WORKERS[sys.argv[1]](*sys.argv[2:])
