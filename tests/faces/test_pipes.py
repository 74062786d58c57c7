"""Readers that go away, and users who interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from booklet import CLEW, STORYCTL, TRACKING, Booklet

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "line",
    [
        [CLEW, "--version"], [CLEW, "--help"], [CLEW, "novel", "--help"], [CLEW, "novel", "check"],
        [CLEW, "novel", "at", "9"], [STORYCTL, "--help"], [STORYCTL, "wordcount", "measure", "--file", "x"],
        [TRACKING, "check", "--project", "."],
    ],
    ids=lambda line: " ".join(line),
)  # fmt: skip
def test_a_reader_that_went_away_is_no_error(
    book: Booklet, line: list[str], unbuffered: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    module, *argv = line
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, *argv], cwd=book.root, stdout=writer, timeout=60,
            stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    finally:
        os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 0


def test_head_takes_one_line_of_a_long_help(tmp_path: Path) -> None:
    line = f"'{sys.executable}' -m {CLEW} novel --help | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, timeout=60, check=False)
    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b""


@pytest.mark.parametrize(
    "line",
    [
        [CLEW, "novel", "undo", "--lock-timeout", "60"],
        [TRACKING, "commit", "--project", ".", "--input", ".story/work/第001章/tracking.json"],
    ],
    ids=["clew", "tracking_commit"],
)
def test_an_interrupted_wait_leaves_with_130_and_no_trace(book: Booklet, line: list[str]) -> None:
    book.transaction()
    lock = book.path("追踪/.tracking-commit.lock")
    lock.write_text(f"pid={os.getpid()}\n", encoding="utf-8")  # held by a live process: us
    module, *argv = line
    child = subprocess.Popen(
        [sys.executable, "-m", module, *argv], cwd=book.root,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        time.sleep(1.2)  # it has long started and polls the lock now
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    finally:
        child.kill()
    assert child.returncode == 130
    assert (out, err) == (b"", b"")
    assert lock.read_text(encoding="utf-8") == f"pid={os.getpid()}\n"
    lock.unlink()
    assert book.revision == 0
