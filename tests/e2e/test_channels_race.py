"""Many writers on one home: every line is there, in order, whatever is killed meanwhile (B1–B3, B7).

This file is its own worker: `python test_channels_race.py <worker> <home> …` runs one in a process.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "persona"))
from scribe import Scribe, text
from somebody import begin

from clew.kernel.clock import system_clock
from clew.persona import archived, archiving, marks, registering, taking
from clew.persona.channels import live, reading, writing
from clew.persona.channels.lines import Note, Receipt, Said, Thinking
from clew.persona.home import Home

WRITERS, NOTES = 8, 200


def board(root: str, name: str, times: str) -> None:
    """Leave notes of one's own."""
    home = Home(root, lock_timeout=120)
    for number in range(int(times)):
        writing.note(home, f"{name}-{number}", by=name)


def hook(root: str, name: str, times: str) -> None:
    """Drop marks as the hook of a session does, and take up what is there."""
    home = Home(root, lock_timeout=120)
    for number in range(int(times)):
        marks.leave(root, "words", session=name, host="claude", chars=number, start=0)
        if number % 3 == 0:
            taking.take_up(home)


def talk(root: str, name: str, times: str) -> None:
    """Go on with a conversation."""
    path = Path(root).parent / f"{name}.jsonl"
    scribe = Scribe(name)
    for turn in range(int(times)):
        scribe.lines.clear()
        scribe.person(f"问{turn}").persona(text(f"答{turn}"))
        with path.open("ab") as file:
            file.write(scribe.data)
        time.sleep(0.01)


def look(root: str, name: str, times: str) -> None:
    """Follow transcripts and archive them, again and again."""
    home = Home(root, lock_timeout=120)
    for _ in range(int(times)):
        live.sync(home)
        archiving.run(home)
        writing.think(home, f"{name} 看过")


def start(worker: str, *words: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, __file__, worker, *map(str, words)], stderr=subprocess.PIPE
    )


def finish(running: list[subprocess.Popen[bytes]]) -> None:
    for one in running:
        _, err = one.communicate(timeout=240)
        assert one.returncode == 0, err.decode()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    begin(tmp_path / "林昭", system_clock)  # type: ignore[arg-type]
    return Home(tmp_path / "林昭")


def test_eight_writers_of_two_hundred_notes_each_leave_sixteen_hundred(home: Home) -> None:
    finish([start("board", home.root, f"w{n}", NOTES) for n in range(WRITERS)])
    found = reading.last(home, "board", Note, 10_000)
    assert [one.n for one in found] == list(range(1, WRITERS * NOTES + 1))
    for name in (f"w{n}" for n in range(WRITERS)):
        own = [one.text for one in found if one.by == name]
        assert own == [f"{name}-{number}" for number in range(NOTES)]
    assert home.notes == []


def test_hooks_and_writers_at_once_lose_nothing_of_each_other(home: Home) -> None:
    running = [start("hook", home.root, f"s{n}", 20) for n in range(3)]
    running += [start("board", home.root, f"w{n}", 20) for n in range(3)]
    finish(running)
    taking.take_up(home)
    found = reading.last(home, "receipts", Receipt, 10_000)
    assert sorted((one.window, one.chars) for one in found) == [
        (f"s{n}", chars) for n in range(3) for chars in range(20)
    ]
    assert [one.n for one in found] == list(range(1, 61))
    assert len(reading.last(home, "board", Note, 10_000)) == 60


def test_two_that_follow_the_same_transcripts_take_each_line_once(
    home: Home, tmp_path: Path
) -> None:
    for number in range(3):
        scribe = Scribe(f"w{number}")
        for turn in range(10):
            scribe.person(f"{number}问{turn}").persona(text(f"{number}答{turn}"))
        path = scribe.write(tmp_path)
        registering.act(home, "add", f"w{number}", transcript=str(path), host="claude")
    finish([start("look", home.root, f"l{n}", 6) for n in range(3)])
    said = [one.text for one in reading.last(home, "live", Said, 10_000)]
    assert sorted(said) == sorted(
        f"{n}{who}{turn}" for n in range(3) for turn in range(10) for who in "问答"
    )
    assert archived.verify(home) == []
    assert len(reading.last(home, "stream", Thinking, 100)) == 18


def test_b4_what_is_read_while_another_writes_is_not_written_twice(
    home: Home, tmp_path: Path
) -> None:
    path = tmp_path / "w0.jsonl"
    path.write_bytes(b"")
    registering.act(home, "add", "w0", transcript=str(path), host="claude")
    finish(
        [
            start("talk", home.root, "w0", 60),
            *(start("look", home.root, f"l{n}", 25) for n in range(3)),
        ]
    )
    live.sync(home)
    archiving.run(home)
    said = [one.text for one in reading.last(home, "live", Said, 10_000)]
    assert said == [f"{who}{turn}" for turn in range(60) for who in "问答"]
    assert (Path(home.root) / "archive/claude/w0.jsonl").read_bytes() == path.read_bytes()


def test_kill_9_anywhere_loses_no_line_that_was_written(home: Home) -> None:
    chance = random.Random(7)
    for round_ in range(6):
        running = [
            start("board", home.root, f"r{round_}", 400), start("hook", home.root, f"h{round_}", 400)
        ]  # fmt: skip
        wrote = Path(home.root) / "channels/board.jsonl"
        before = wrote.stat().st_size if wrote.exists() else 0
        while not wrote.exists() or wrote.stat().st_size == before:
            time.sleep(0.005)
        time.sleep(chance.random() * 0.3)
        for one in running:
            os.kill(one.pid, signal.SIGKILL)
            one.communicate()
    fresh = Home(home.root)
    taking.take_up(fresh)
    notes = reading.last(fresh, "board", Note, 10_000)
    assert notes and [one.n for one in notes] == list(range(1, len(notes) + 1))
    for round_ in range(6):
        own = [one.text for one in notes if one.by == f"r{round_}"]
        assert own == [f"r{round_}-{number}" for number in range(len(own))]
        chars = [
            r.chars for r in reading.last(fresh, "receipts", Receipt, 10_000, window=f"h{round_}")
        ]
        assert sorted(chars) == list(range(len(chars)))  # each once, none left out
    for path in Path(home.root).rglob("*.json*"):
        if path.suffix == ".json" and not path.name.startswith("."):
            json.loads(path.read_bytes())


if __name__ == "__main__":
    {"board": board, "hook": hook, "look": look, "talk": talk}[sys.argv[1]](*sys.argv[2:])
