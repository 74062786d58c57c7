"""How such files are lost in the field: each reported failure, built again, and what happens here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from clew.sidecar.place import locate, session_name
from clew.testing.sidecar import event, names, on, on_disk, store, ticks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tally.json"


def worker(code: str, *args: str) -> subprocess.Popen[bytes]:
    """Another process, which says `ready` when its modules are loaded and goes on at a line."""
    head = (
        "import sys; from clew.testing.sidecar import *\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", head + code, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    return child


HOLDER = (
    "at = store(sys.argv[1])\n"
    "with at.keeping.section(1):\n"
    "  print('held', flush=True)\n"
    "  sys.stdin.readline()"
)


def release(*children: subprocess.Popen[bytes]) -> None:
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.flush()


def done(*children: subprocess.Popen[bytes]) -> None:
    for child in children:
        child.communicate(timeout=120)
        assert child.returncode == 0


def test_B1_processes_that_read_change_and_write_one_file_lose_nothing(path: Path) -> None:
    """Eight processes, two hundred events each."""
    on(path)
    code = "at = store(sys.argv[1], timeout=60)\nassert ticks(at, 200).saved"
    children = [worker(code, str(path)) for _ in range(8)]
    release(*children)
    done(*children)
    event(store(path), "tick")
    assert on_disk(path)["count"] == 1601
    assert not list(path.parent.glob("*.broken-*"))


def test_B1_impatient_processes_put_events_off_and_lose_nothing(path: Path) -> None:
    """As many again, none of which waits for the lock: what they put off is applied once."""
    on(path)
    code = (
        "at = store(sys.argv[1], timeout=0.001)\n"
        "for _ in range(40):\n"
        "  c = event(at, 'tick')\n"
        "  assert c.saved or c.waits, c.notes"
    )
    children = [worker(code, str(path)) for _ in range(4)]
    release(*children)
    done(*children)
    event(store(path), "tick")
    assert on_disk(path)["count"] == 161


def test_B2_two_writers_do_not_lose_each_others_line(path: Path) -> None:
    on(path)
    code = (
        "at = on(sys.argv[1])\nat.change(at.entry('set', path=sys.argv[2], value=int(sys.argv[3])))"
    )
    children = [worker(code, str(path), "last", "7"), worker(code, str(path), "inner.depth", "9")]
    release(*children)
    done(*children)
    assert (on_disk(path)["last"], on_disk(path)["inner"]["depth"]) == (7, 9)


def test_B4_a_snapshot_held_through_a_slow_step_undoes_nothing(path: Path) -> None:
    at = on(path)
    before = at.read().state
    ticks(store(path), 3)  # while this one thinks
    assert before["count"] == 0
    event(at, "tick")
    assert on_disk(path)["count"] == 4


def test_B5_an_emptied_state_does_not_wipe_the_full_one(path: Path) -> None:
    """A sync that leaves `{}`: it is no state, and the good copy is what counts."""
    ticks(on(path), 5)
    path.write_text("{}", "utf-8")
    event(store(path), "tick")
    assert on_disk(path)["count"] == 6
    assert json.loads(path.with_name("tally.json.bak").read_text("utf-8"))["count"] == 6


def test_B7_what_was_found_before_the_lock_is_looked_at_again_under_it(path: Path) -> None:
    """A reader sees a broken file; before it can mend it, somebody else has, and went on."""
    ticks(on(path), 1)
    good = path.read_bytes()
    path.write_bytes(b"torn")
    at = store(path)
    seen = at.keeping.look()
    assert seen.kind == "broken"
    path.write_bytes(good)
    ticks(store(path), 2)
    assert at._mended(seen)[0].kind == "good"
    assert on_disk(path)["count"] == 3
    assert not list(path.parent.glob("*.broken-*"))


def test_B8_two_sessions_of_one_process_do_not_mix(tmp_path: Path) -> None:
    environ = {"CLEW_STATE_DIR": str(tmp_path)}
    places = [
        locate("tally", scope="session", session=name, environ=environ, cwd="/").path
        for name in ("A", "a", "a/../b", "..", "b")
    ]
    assert len(set(places)) == 5
    assert all(place.startswith(f"{tmp_path}/sessions/") for place in places)
    assert all(".." not in place.split("/") for place in places)
    stores = [on(place) for place in places]
    for number, at in enumerate(stores):
        ticks(at, number + 1)
    assert [on_disk(Path(p))["count"] for p in places] == [1, 2, 3, 4, 5]
    assert session_name("会话一") != session_name("会话二")


def test_B9_what_was_deleted_does_not_come_back(path: Path) -> None:
    """A process that held the old state writes an event after the user deleted the file."""
    at = on(path)
    ticks(at, 5)
    at.read()
    path.unlink()
    late = event(at, "tick")
    assert [p["code"] for p in late.refused] == ["not_active"]
    assert not path.exists()
    assert store(path).read().status == "fresh"


def test_B10_a_torn_file_is_not_replaced_by_an_empty_default(path: Path) -> None:
    """Truncate, load, save: the evidence and the state are both still there."""
    ticks(on(path), 9)
    torn = path.read_bytes()[:150]
    path.write_bytes(torn)
    done = event(store(path), "tick")
    assert done.status == "recovered"
    assert on_disk(path)["count"] == 10
    assert [p.read_bytes() for p in path.parent.glob("tally.json.broken-*")] == [torn]


def test_B11_a_file_of_zero_bytes_is_not_a_permission(path: Path) -> None:
    at = on(path)
    event(at, "opt_out")
    for place in (path, path.with_name("tally.json.bak")):
        place.write_bytes(b"")
    assert store(path).read().state["active"] is False
    assert event(store(path), "tick").refused


@pytest.mark.parametrize("size", [10, 4096, 2_600_000])
def test_B12_a_file_of_nuls_does_not_survive_a_restart(size: int, path: Path) -> None:
    ticks(on(path), 2)
    path.write_bytes(bytes(size))
    assert store(path).read().status == "recovered"
    assert store(path).read().status == "ok"
    assert on_disk(path)["count"] == 2
    [kept] = path.parent.glob("tally.json.broken-*")
    assert kept.read_bytes() == bytes(size)


def test_B13_bytes_after_the_object_do_not_stop_reading_for_days(path: Path) -> None:
    ticks(on(path), 2)
    path.write_bytes(path.read_bytes() + b'\n"left over"}')
    assert store(path).read().state["count"] == 2
    assert event(store(path), "tick").saved
    assert on_disk(path)["count"] == 3


def test_B15_a_file_in_the_place_of_the_folder_is_not_replaced(path: Path) -> None:
    ticks(on(path), 2)
    at = store(path / "tally.json")
    assert at.read().state["active"] is False
    done = event(at, "opt_in")
    assert not done.saved and done.lost
    assert on_disk(path)["count"] == 2


def test_B26_a_lock_of_a_dead_process_holds_nobody_up(path: Path) -> None:
    """Whoever held it was killed, and its number belongs to another process by now."""
    on(path)
    child = worker(HOLDER, str(path))
    release(child)
    assert child.stdout is not None and child.stdout.readline() == b"held\n"
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    lock = path.with_name("tally.json.lock")
    assert f"pid={child.pid}" in lock.read_text("utf-8")
    lock.write_text(f"pid={os.getpid():<12} since=2020-01-01T00:00:00Z\n", "utf-8")
    assert event(store(path, timeout=0.2), "tick").saved


def test_B26_a_process_that_hangs_with_the_lock_delays_a_turn_and_loses_nothing(path: Path) -> None:
    on(path)
    child = worker(HOLDER, str(path))
    release(child)
    assert child.stdout is not None and child.stdout.readline() == b"held\n"
    start = time.monotonic()
    waits = [event(store(path, timeout=0.1), "tick") for _ in range(3)]
    assert time.monotonic() - start < 10
    assert all(changed.waits for changed in waits)
    assert store(path).read().state["count"] == 3
    release(child)
    done(child)
    event(store(path), "tick")
    assert on_disk(path)["count"] == 4


def test_B30_a_failure_between_working_out_and_saving_is_not_recorded_as_success(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = on(path)

    def fails(*_: object, **__: object) -> object:
        raise RuntimeError("between")

    monkeypatch.setattr(at.keeping, "save", fails)
    with pytest.raises(RuntimeError):
        event(at, "tick")
    monkeypatch.undo()
    assert on_disk(path)["count"] == 0
    assert event(at, "tick").saved
    assert on_disk(path)["count"] == 1


def test_B32_a_work_tree_shares_the_state_of_its_project(tmp_path: Path) -> None:
    main = tmp_path / "project"
    (main / ".git" / "worktrees" / "side").mkdir(parents=True)
    side = tmp_path / "elsewhere" / "side"
    (side / "src").mkdir(parents=True)
    entry = main / ".git" / "worktrees" / "side"
    (side / ".git").write_text(f"gitdir: {entry}\n", "utf-8")
    (entry / "gitdir").write_text(f"{side}/.git\n", "utf-8")
    environ = {"HOME": str(tmp_path)}
    (main / "deep").mkdir()
    places = {
        locate("tally", scope="project", environ=environ, cwd=str(cwd)).path
        for cwd in (main, main / "deep", side, side / "src")
    }
    assert places == {f"{main}/.claude/state/tally.json"}


def test_B35_nobody_removes_what_another_one_needs(path: Path) -> None:
    """Readers and writers at once: no temporary file of one is taken away by another."""
    on(path)
    stop = threading.Event()
    seen: list[str] = []

    def look() -> None:
        while not stop.is_set():
            seen.append(store(path).read().status)

    readers = [threading.Thread(target=look) for _ in range(2)]
    for reader in readers:
        reader.start()
    ticks(store(path), 60)
    stop.set()
    for reader in readers:
        reader.join()
    assert set(seen) == {"ok"}
    assert names(path.parent) == ["tally.json", "tally.json.bak"]
    assert on_disk(path)["count"] == 60


def test_a_process_killed_at_any_moment_leaves_the_last_or_the_next_state(path: Path) -> None:
    """`kill -9` into a loop of events, again and again; every event that was told as saved is
    there, at most one more, and no time is lost on what the dead one left."""
    on(path)
    code = (
        "at = store(sys.argv[1], timeout=5)\n"
        "for n in range(100_000):\n"
        "  assert event(at, 'tick').saved\n"
        "  print(n + 1, flush=True)"
    )
    count = 0
    for round in range(12):
        child = worker(code, str(path))
        release(child)
        time.sleep(0.02 + 0.013 * round)
        child.send_signal(signal.SIGKILL)
        out, _ = child.communicate(timeout=30)
        told = [int(line) for line in out.split() if line.isdigit()]
        loaded = store(path).read()
        assert loaded.status == "ok", loaded.notes
        saved = count + (told[-1] if told else 0)
        assert loaded.state["count"] in (saved, saved + 1)
        count = loaded.state["count"]
    assert count > 12, "the kills fell into the work"
    assert event(store(path, timeout=0.5), "tick").saved
    assert not list(path.parent.glob("*.broken-*"))
