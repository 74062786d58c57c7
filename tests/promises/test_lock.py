"""The promise: one write at a time per scope, between real processes, and nobody is blocked for ever.

This file is its own worker: `python test_lock.py <worker> <vault> …` runs one in a process.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.kernel.errors import ClewError, Locked
from clew.kernel.folder import FolderVault
from clew.kernel.vault import Reader, Scope

SCOPE = Scope("ledger", "book", "book/.ledger.lock", "book/.clew")
A, B, LOG = "book/a.json", "book/b.json", "book/history.jsonl"


# ---- workers -----------------------------------------------------------------------------------


def increment(root: str, times: str) -> None:
    """Count in a document and a log."""
    vault = FolderVault(root)
    for _ in range(int(times)):
        with vault.transaction(SCOPE, timeout=60.0) as tx:
            number = int(tx.read(A) or b"0") + 1
            tx.write(A, b"%d" % number, truth=True)
            tx.append(LOG, b"%d" % number)


def hold(root: str) -> None:
    """Take the lock, say so, and keep it until killed."""
    with FolderVault(root).transaction(SCOPE) as tx:
        tx.write(A, b"never published", truth=True)
        print("held", flush=True)
        time.sleep(60)


def foreign(root: str) -> None:
    """Lock as other tools do: create the file exclusively, write who holds it, keep it."""
    with Path(root, SCOPE.lock).open("x", encoding="utf-8") as file:
        file.write(f"pid={os.getpid()}\n")
    print("held", flush=True)
    time.sleep(60)


def publish(root: str) -> None:
    """Publish one revision after another, each in two documents and a log, until told to stop."""
    vault = FolderVault(root)
    number = 0
    while not Path(root, "stop").exists():
        number += 1
        data = b"%d" % number
        with vault.transaction(SCOPE, timeout=60.0) as tx:
            tx.write(A, data, truth=True)
            tx.append(LOG, data)
            tx.write(B, data * (number % 5000), truth=True)
    print(json.dumps({"revisions": number}))


def watch(root: str) -> None:
    """Look until told to stop; tell how many looks there were and which saw a mix."""
    vault = FolderVault(root)

    def look(reader: Reader) -> tuple[int, int, int, int]:
        a, line, b = reader.read(A), reader.tail(LOG).line, reader.read(B)
        number = int(a or b"0")
        whole = number if (b or b"") == b"%d" % number * (number % 5000) else -1
        return number, int(line or b"0"), whole, len(reader.names("book"))

    looks, mixed, seen = 0, [], 0
    while not Path(root, "stop").exists():
        number, line, whole, _ = vault.snapshot(SCOPE, look, timeout=60.0)
        looks += 1
        if not number == line == whole or number < seen:
            mixed.append([seen, number, line, whole])
        seen = number
        if looks > 5 and seen > 1:
            Path(root, f"looked-{os.getpid()}").touch()
    print(json.dumps({"looks": looks, "last": seen, "mixed": mixed[:5]}))


WORKERS: dict[str, Callable[..., None]] = {
    "increment": increment, "hold": hold, "foreign": foreign, "publish": publish, "watch": watch,
}  # fmt: skip


# ---- processes ---------------------------------------------------------------------------------


def start(worker: str, root: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, worker, str(root), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextmanager
def running(worker: str, root: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has said `held`; killed at the end."""
    process = start(worker, root)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def answers(processes: list[subprocess.Popen[str]]) -> list[str]:
    """What they printed, after all ended well."""
    out = []
    for process in processes:
        printed, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        out.append(printed)
    return out


def dead_pid() -> int:
    """The number of a process that lived and is dead."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "book").mkdir()
    return tmp_path


def write(root: Path, data: bytes = b"1", timeout: float = 5.0) -> float:
    """One change; returns how many seconds it took."""
    begin = time.monotonic()
    with FolderVault(root).transaction(SCOPE, timeout=timeout) as tx:
        tx.write(A, data, truth=True)
    return time.monotonic() - begin


def refused(root: Path, timeout: float = 0.3) -> Locked:
    """The error of a change that must not get the lock in time."""
    with pytest.raises(Locked) as caught:
        write(root, b"must not be written", timeout)
    assert (caught.value.code, caught.value.exit_code) == ("locked", 2)
    return caught.value


def lock_file(root: Path) -> Path:
    return root / SCOPE.lock


# ---- nothing is lost ---------------------------------------------------------------------------


def test_eight_processes_in_a_loop_lose_nothing(root: Path) -> None:
    answers([start("increment", root, "12") for _ in range(8)])
    assert (root / A).read_bytes() == b"96"
    assert (root / LOG).read_bytes() == b"".join(b"%d\n" % n for n in range(1, 97))
    assert not lock_file(root).exists()
    assert not FolderVault(root).pending(SCOPE)


def test_processes_that_make_the_vault_together_lose_nothing(tmp_path: Path) -> None:
    answers([start("increment", tmp_path, "1") for _ in range(6)])
    assert (tmp_path / A).read_bytes() == b"6"


def test_processes_lose_nothing_while_holders_are_killed(root: Path) -> None:
    counters = [start("increment", root, "12") for _ in range(3)]
    for _ in range(3):
        holder = start("hold", root)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.communicate()
    answers(counters)
    assert (root / A).read_bytes() == b"36"


def test_readers_during_commits_always_see_one_revision(root: Path) -> None:
    writer = start("publish", root)
    readers = [start("watch", root) for _ in range(2)]
    # Until both have seen enough, however busy the machine is; then a while longer.
    limit = time.monotonic() + 200
    while len(list(root.glob("looked-*"))) < len(readers) and time.monotonic() < limit:
        time.sleep(0.1)
    time.sleep(1.5)
    (root / "stop").touch()
    told = [json.loads(answer) for answer in answers([writer, *readers])]
    assert told[0]["revisions"] > 5
    for reader in told[1:]:
        assert reader["mixed"] == []
        assert reader["looks"] > 5
        assert reader["last"] > 1


# ---- who holds it, and for how long ------------------------------------------------------------


def test_waiting_is_bounded_and_the_holder_is_named(root: Path) -> None:
    with running("hold", root) as holder:
        for timeout in (0.0, 0.3):
            begin = time.monotonic()
            error = refused(root, timeout)
            assert timeout <= time.monotonic() - begin < timeout + 1.0
            for lang in ("zh", "en"):
                message = error.to_dict(lang)["message"]
                assert f"pid {holder.pid}" in message
                assert socket.gethostname() in message
                assert SCOPE.lock in message
    assert not (root / A).exists()


def test_a_reader_waits_for_a_holder_no_longer_than_asked(root: Path) -> None:
    with running("hold", root) as holder:
        begin = time.monotonic()
        with pytest.raises(Locked) as caught:
            FolderVault(root).snapshot(SCOPE, lambda look: look.read(A), timeout=0.3)
        assert time.monotonic() - begin < 1.3
        assert str(holder.pid) in str(caught.value)


def test_the_lock_file_tells_people_who_holds_it(root: Path) -> None:
    with running("hold", root) as holder:
        told = dict(line.split("=", 1) for line in lock_file(root).read_text("utf-8").splitlines())
    assert told["pid"] == str(holder.pid)
    assert told["host"] == socket.gethostname()
    assert told["started"].endswith("Z")


def test_a_killed_holder_frees_the_lock(root: Path) -> None:
    with running("hold", root) as holder:
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        assert lock_file(root).exists()
        assert FolderVault(root).snapshot(SCOPE, lambda look: look.read(A)) is None
        assert write(root) < 1.0
    assert (root / A).read_bytes() == b"1"
    assert not lock_file(root).exists()


def test_a_change_that_waits_for_a_holder_goes_on_when_it_is_killed(root: Path) -> None:
    with running("hold", root) as holder:
        threading.Timer(0.3, holder.kill).start()
        assert 0.2 < write(root, timeout=10.0) < 3.0


def test_the_lock_file_is_gone_after_each_change(root: Path) -> None:
    write(root)
    assert not lock_file(root).exists()


# ---- lock files of the dead --------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "pid={pid}\nhost={host}\nstarted=2025-01-02T03:04:05.678Z\ntool=clew\n",
        "pid={pid}\n",
        "pid={pid}",
        '{{"pid": {pid}}}',
        "pid: {pid}\nhost: {host}\n",
    ],
    ids=["ours", "foreign", "without newline", "json", "colons"],
)
def test_a_lock_file_of_a_dead_process_blocks_nobody(root: Path, text: str) -> None:
    lock_file(root).write_text(text.format(pid=dead_pid(), host=socket.gethostname()), "utf-8")
    assert FolderVault(root).snapshot(SCOPE, lambda look: look.read(A), timeout=1.0) is None
    assert write(root) < 1.0
    assert (root / A).read_bytes() == b"1"
    assert not lock_file(root).exists()


def test_our_own_file_with_the_number_of_a_living_process_blocks_nobody(root: Path) -> None:
    # After a restart another program may have got the number: the system's lock decides, not it.
    text = f"pid={os.getppid()}\nhost={socket.gethostname()}\ntool=clew\n"
    lock_file(root).write_text(text, "utf-8")
    assert write(root) < 1.0


def test_a_lock_file_without_an_owner_is_waited_for_while_it_is_young(root: Path) -> None:
    lock_file(root).touch()
    refused(root)
    assert lock_file(root).exists()
    threading.Timer(0.3, lock_file(root).unlink).start()
    assert 0.2 < write(root) < 2.0


def test_a_lock_file_without_an_owner_is_taken_over_when_it_is_old(root: Path) -> None:
    for text in ("", "?", "busy\n"):
        lock_file(root).write_text(text, "utf-8")
        past = time.time() - 30
        os.utime(lock_file(root), (past, past))
        assert write(root) < 1.0
        assert not lock_file(root).exists()


def test_a_young_lock_file_without_an_owner_is_outlived_within_the_usual_wait(root: Path) -> None:
    lock_file(root).touch()
    assert 1.0 < write(root, timeout=10.0) < 5.0


def test_a_file_of_another_host_is_honoured_for_a_while(root: Path) -> None:
    for text in (f"pid={dead_pid()}\nhost=elsewhere\n", "pid=1\nhost=elsewhere\ntool=clew\n"):
        lock_file(root).write_text(text, "utf-8")
        assert "elsewhere" in str(refused(root))
        past = time.time() - 3_600
        os.utime(lock_file(root), (past, past))
        assert write(root) < 1.0


# ---- beside tools that lock by creating the file -----------------------------------------------


def test_a_lock_file_of_a_living_foreign_process_is_honoured(root: Path) -> None:
    with running("foreign", root) as tool:
        before = lock_file(root).read_bytes()
        error = refused(root)
        assert f"pid {tool.pid}" in str(error)
        assert lock_file(root).read_bytes() == before
        with pytest.raises(ClewError, match=str(tool.pid)):
            FolderVault(root).snapshot(SCOPE, lambda look: look.read(A), timeout=0.2)
        tool.kill()
        tool.wait()
        assert lock_file(root).read_bytes() == before
        assert write(root) < 1.0


def test_a_change_goes_on_when_the_foreign_tool_removes_its_file(root: Path) -> None:
    with running("foreign", root):
        threading.Timer(0.3, lock_file(root).unlink).start()
        assert 0.2 < write(root) < 3.0


def test_a_foreign_tool_cannot_lock_while_we_hold_and_can_right_after(root: Path) -> None:
    vault = FolderVault(root)
    for _ in range(5):
        with vault.transaction(SCOPE) as tx:
            tx.write(A, b"1", truth=True)
            with pytest.raises(FileExistsError):
                lock_file(root).open("x")
        lock_file(root).open("x").close()
        lock_file(root).unlink()


def test_a_file_that_a_foreign_tool_put_in_the_place_of_ours_is_not_removed(root: Path) -> None:
    with FolderVault(root).transaction(SCOPE) as tx:
        lock_file(root).unlink()
        lock_file(root).write_text(f"pid={os.getpid()}\n", "utf-8")
        tx.write(A, b"1", truth=True)
    assert lock_file(root).read_text("utf-8") == f"pid={os.getpid()}\n"


def test_a_link_in_the_place_of_the_lock_file_is_not_written_through(root: Path) -> None:
    mine = root / "book/mine.txt"
    mine.write_bytes(b"mine")
    lock_file(root).symlink_to("mine.txt")
    with pytest.raises(ClewError):
        write(root, timeout=0.2)
    assert mine.read_bytes() == b"mine"


if __name__ == "__main__":
    WORKERS[sys.argv[1]](*sys.argv[2:])
