"""What a persona's hooks cost: whole processes beside an empty Python, and the work within them.

`python -m benchmarks.persona_hooks` prints a table. The processes take turns, so that a busy machine is
as busy for each; every number is a median. *Start* is what is left of a process when the work of its
event, measured in one that is warm, is taken away: interpreter, imports, reading the event. It may be at
most four times an empty Python. `SessionStart` finds its card ready, as it mostly does; one that has to
make it (the first of a date, after an edit) takes as long as a command and is shown, but not judged.
Processes see what an installed clew has: the standard library, msgspec, clew. Writes below a temporary
folder only.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

import msgspec

import clew
from benchmarks.novel import machine
from benchmarks.page import fill
from clew.faces.hooks import session
from clew.persona import prepared, taking
from clew.persona.creating import create
from clew.persona.home import open_home

START: Final = 4.0
"""So many times an empty Python may a start take."""
EVENTS: Final = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
MADE: Final = "SessionStart, made"
REFUSALS: Final = """\
schema_version = 1

[[refusal]]
id = "r1"
text = "不替别人做决定"
since = "2026-01-01"
probe = "替我决定吧？"
"""


def told(event: str, transcript: Path) -> bytes:
    """What a host gives a hook."""
    return json.dumps(
        {
            "session_id": transcript.stem, "transcript_path": str(transcript), "cwd": "/",
            "hook_event_name": event, "source": "startup", "prompt": "在吗？",
            "last_assistant_message": "在。", "stop_hook_active": False, "session_crons": [],
        }
    ).encode()  # fmt: skip


def installed(folder: Path) -> Path:
    """A Python that finds clew and what it depends on, and nothing else: as an installer leaves it."""
    venv.create(folder / "venv", symlinks=True, with_pip=False)
    site = next((folder / "venv").glob("lib*/python*/site-packages"))
    for package in (Path(msgspec.__file__).parent, Path(clew.__file__).parent):
        (site / package.name).symlink_to(package)
    return folder / "venv/bin/python"


def processes(folder: Path, home: Path, transcript: Path, times: int) -> dict[str, float]:
    """Milliseconds of whole processes, from start to exit."""
    env = {
        k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
    }
    env |= {"HOME": str(folder), "CLEW_LANG": "zh"}
    python = [str(installed(folder)), "-P"]
    lines = {"empty": ([*python, "-c", "pass"], b"")}
    for event in EVENTS:
        hook = [*python, "-m", "clew.faces.cli.main", "hook", event, "--persona", str(home)]
        lines[event] = (hook, told(event, transcript))
    lines[MADE] = lines["SessionStart"]
    spent: dict[str, list[float]] = {name: [] for name in lines}
    for _ in range(times):
        for name, (line, data) in lines.items():
            settle(home, ready=name != MADE)
            began = perf_counter()
            done = subprocess.run(
                line, input=data, env=env, capture_output=True, check=True, cwd=folder
            )
            spent[name].append((perf_counter() - began) * 1000)
            if done.stderr:
                raise SystemExit(done.stderr.decode())
    return {name: median(each) for name, each in spent.items()}


def settle(home: Path, *, ready: bool) -> None:
    """What waits is taken up and the card lies ready, as after some time; or it does not."""
    opened = open_home(home)
    taking.take_up(opened, "zh")
    taking.turn_of(opened, "zh", "zh")
    taking.card_of(opened, "zh", "zh")
    if not ready:
        (home / prepared.CARD).unlink()


def work(home: Path, transcript: Path, times: int) -> dict[str, float]:
    """Milliseconds of an event's work in a process that has done it before."""
    out = {}
    for event in EVENTS:
        spent = []
        for _ in range(times + 1):
            settle(home, ready=True)
            began = perf_counter()
            session.answer(session.Call([event], str(home), asked="zh"), told(event, transcript))
            spent.append((perf_counter() - began) * 1000)
        out[event] = median(spent[1:])
    return out


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--assert", dest="strict", action="store_true",
                        help="exit 1 when an aim is missed")  # fmt: skip
    parser.add_argument("--write", type=Path, metavar="FILE",
                        help="put the table between the marks of this page")  # fmt: skip
    given = parser.parse_args()
    times = given.times
    package = Path(clew.__file__).parent
    compileall.compile_dir(package, quiet=1)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        home = folder / "林昭"
        create(str(home), "林昭", "Asia/Shanghai")
        (home / "refusals.toml").write_text(REFUSALS, encoding="utf-8")
        transcript = folder / "0b9f.jsonl"
        transcript.write_text('{"type":"summary","sessionId":"0b9f"}\n', encoding="utf-8")
        whole = processes(folder, home, transcript, times)
        inside = work(home, transcript, times)
    empty = whole["empty"]
    starts = {event: (whole[event] - inside[event]) / empty for event in EVENTS}
    page = [
        f"Measured on {machine(package)}.",
        "",
        f"An empty Python: {empty:.1f} ms (median of {times}).",
        "",
        "| event | process, ms | work, ms | start, times an empty Python |",
        "|---|---:|---:|---:|",
        *(
            f"| {event} | {whole[event]:.1f} | {inside[event]:.1f} | {starts[event]:.1f} |"
            for event in EVENTS
        ),
        "",
        f"`SessionStart` where the card has to be made: {whole[MADE]:.1f} ms.",
    ]
    print("\n".join(page))
    if given.write:
        fill(given.write, "hooks", page)
    slow = [event for event in EVENTS if starts[event] > START]
    for event in slow:
        print(f"aim missed: {event} starts in {starts[event]:.1f} times an empty Python")
    return 1 if slow and given.strict else 0


if __name__ == "__main__":
    sys.exit(main())
