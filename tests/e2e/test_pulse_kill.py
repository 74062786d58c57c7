"""Two daemons and a hook on one persona, killed anywhere: no wake twice, no lost note, and the ledger
tells the story. Real processes; only the clock is faster. Delays are random and seeded.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from console import CLEW
from pulse_process import BASE, NOTES, fast, means

from clew.persona import creating
from clew.persona.channels import reading
from clew.persona.channels.lines import Note
from clew.persona.home import Home, open_home
from clew.persona.intents import add_intent
from clew.persona.pulse.story import Told, tell
from clew.persona.pulse.tick import tick

Start = Callable[[str, Home, float], subprocess.Popen[bytes]]
SCRIPT = Path(__file__).with_name("pulse_process.py")
RULES = """
[wake.autonomous]
period_minutes = 2
jitter_minutes = 1
gap_minutes = 0
cap = 400
alone = false

[wake.monologue]
period_minutes = 3
gap_minutes = 2
alone = false

[wake.resident]
period_minutes = 5
peak_percent = 100
valley_percent = 100
"""
RUNNER = """
import os, sys, time
sys.stdin.read()
with open({witness!r}, "a") as file:
    file.write(os.environ["CLEW_WAKE"] + "\\n")
time.sleep(0.4)
print("done")
"""


def begin(folder: Path) -> Home:
    home = creating.create(str(folder / "home"), "林昭", "Asia/Shanghai", clock=lambda: BASE)
    program = folder / "runner.py"
    program.write_text(RUNNER.format(witness=str(folder / "witness")))
    runner = json.dumps([sys.executable, str(program)])
    path = Path(home.root, "persona.toml")
    text = path.read_text(encoding="utf-8") + RULES
    text += f'\n[runner]\nkind = "command"\ncommand = {runner}\nruns_per_day = 1000\n'
    path.write_text(text, encoding="utf-8")
    home.read_settings()
    add_intent(home, "把渡口的旧账理完")
    return home


def end(child: subprocess.Popen[bytes], number: signal.Signals = signal.SIGKILL) -> int:
    """End a process; its exit code."""
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    if number != signal.SIGKILL:
        assert child.returncode == 0, err.decode()
    return child.returncode


@pytest.fixture
def process() -> Iterator[Callable[[str, Home, float], subprocess.Popen[bytes]]]:
    """Starts processes; none outlives its test."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin_process(mode: str, home: Home, t0: float) -> subprocess.Popen[bytes]:
        begun.append(_process(mode, home, t0))
        return begun[-1]

    yield begin_process
    for child in begun:
        if child.poll() is None:
            end(child)


def _process(mode: str, home: Home, t0: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), mode, home.root, str(t0)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def settle(home: Home, t0: float) -> Home:
    """Look until nothing is open: what was killed is told as lost."""
    mine = open_home(home.root, clock=lambda: fast(t0), lock_timeout=30.0)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        tick(mine, means(mine, "tick"), tools=False)
        if tell(mine).counts.get("open", 0) == 0 and not mine.settings.wake.autonomous.enabled:
            return mine
        quiet = Path(mine.root, "persona.toml")
        text = quiet.read_text(encoding="utf-8")
        if "enabled = false" not in text:
            for entry in ("autonomous", "monologue", "resident"):
                text = text.replace(f"[wake.{entry}]", f"[wake.{entry}]\nenabled = false")
            text += "\n[wake.opener]\nenabled = false\n[wake.explore]\nenabled = false\n"
            quiet.write_text(text, encoding="utf-8")
        mine.read_settings()
        time.sleep(0.1)
    raise AssertionError("something stays open")


def keeps_its_word(home: Home, witness: Path) -> Told:
    told = tell(home, last=100_000)
    keys = [run.wake for run in told.runs]
    assert len(keys) == len(set(keys)), "a wake was reserved twice"
    started = Counter(witness.read_text().split()) if witness.exists() else Counter()
    reserved = Counter(run.entry for run in told.runs)
    done = Counter(run.entry for run in told.runs if run.state == "done")
    for entry, number in started.items():
        assert number <= reserved[entry], "a wake ran without its reservation, or twice"
        assert done[entry] <= number
    assert {run.state for run in told.runs} <= {"done", "lost", "failed"}
    assert all(run.state != "done" or run.ended_at for run in told.runs)
    at = [(run.entry, run.at) for run in told.runs]
    assert at == sorted(at, key=lambda one: one[1])
    return told


@pytest.mark.parametrize("seed", [1, 2])
def test_two_daemons_and_a_hook_that_are_killed_anywhere_wake_nothing_twice(
    tmp_path: Path, process: Start, seed: int
) -> None:
    rng = random.Random(seed)
    home = begin(tmp_path)
    t0 = time.time()
    modes = ["wait", "wait", "tick"]
    running = {n: process(mode, home, t0) for n, mode in enumerate(modes)}
    notes = process("notes", home, t0)
    kills = 0
    until = time.monotonic() + 9
    while time.monotonic() < until:
        time.sleep(rng.uniform(0.25, 0.8))
        victim = rng.randrange(len(modes))
        end(running[victim])
        kills += 1
        running[victim] = process(modes[victim], home, t0)
    for child in running.values():
        end(child)
    _, err = notes.communicate(timeout=60)
    assert notes.returncode == 0, err.decode()
    after = settle(home, t0)
    told = keeps_its_word(after, tmp_path / "witness")
    assert kills > 8
    assert told.counts.get("done", 0) >= 3
    board = [one.text for one in reading.last(after, "board", Note, 10_000) if one.by == "person"]
    assert board == [f"note {number}" for number in range(NOTES)]


def test_without_kills_nothing_is_lost_and_the_second_daemon_stands_by(
    tmp_path: Path, process: Start
) -> None:
    home = begin(tmp_path)
    t0 = time.time()
    first, second = (process("wait", home, t0) for _ in range(2))
    time.sleep(5)
    for child in (first, second):
        end(child, signal.SIGTERM)
    after = settle(home, t0)
    told = keeps_its_word(after, tmp_path / "witness")
    assert told.counts.get("lost", 0) == 0
    # Asked to leave in the middle of a run, it ended the run and recorded that it did.
    assert all(run.code == "runner_stopped" for run in told.runs if run.state == "failed")
    assert told.counts.get("done", 0) > 3


def test_the_pulse_passes_on_when_a_daemon_is_killed(tmp_path: Path, process: Start) -> None:
    home = begin(tmp_path)
    t0 = time.time()
    first = process("run", home, t0)
    time.sleep(2)
    second = process("wait", home, t0)
    time.sleep(2)
    end(first)
    seen = len(tell(home, last=10_000).runs)
    time.sleep(5)
    end(second, signal.SIGTERM)
    after = settle(home, t0)
    told = keeps_its_word(after, tmp_path / "witness")
    changes = [line.facts["change"] for line in told.lines if line.kind == "host"]
    assert changes[0] == "taken"
    assert set(changes[1:]) & {"gone", "expired"}
    assert len(told.runs) > seen


def test_a_second_daemon_is_refused_and_told_who_has_the_pulse(tmp_path: Path) -> None:
    home = creating.create(str(tmp_path / "home"), "林昭", "Asia/Shanghai")
    first = subprocess.Popen(
        [*CLEW, "persona", "run", "--home", home.root, "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        until = time.monotonic() + 20
        while not Path(home.root, "lease.json").exists() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)
        line = [*CLEW, "persona", "run", "--seconds", "1", "--home", home.root, "--json"]
        second = subprocess.run(line, capture_output=True, check=False, timeout=60)
        told = json.loads(second.stdout)
        assert (second.returncode, told["error_code"]) == (2, "pulse_held")
        assert str(first.pid) in told["message"]
        ticked = subprocess.run(
            [*CLEW, "persona", "tick", "--no-tools", "--home", home.root, "--json"],
            capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        assert json.loads(ticked.stdout)["holds"]  # a tick of the same host looks beside the daemon
    finally:
        first.send_signal(signal.SIGTERM)
        out, err = first.communicate(timeout=60)
    assert first.returncode == 0, err
    assert json.loads(out)["status"] == "ok"
    assert not Path(home.root, "lease.json").exists()
