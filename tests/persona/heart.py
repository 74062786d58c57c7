"""A pulse for tests: means, rules that are quick to meet, runners that are real programs and sockets."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from clew.kernel.lock import process_lives
from clew.persona import intents
from clew.persona.home import Home
from clew.persona.pulse import tick as ticking
from clew.persona.pulse.command import Program
from clew.persona.pulse.lease import Owner
from clew.persona.pulse.ledgerfile import WAKE
from clew.persona.pulse.outcome import Meanwhile, Outcome
from clew.persona.pulse.view import Means
from clew.persona.wake.rules import SELF, Entry

ALWAYS = {
    "wake.opener": "peak_percent = 100\nvalley_percent = 100",
    "wake.resident": "peak_percent = 100\nvalley_percent = 100",
}


def means(home: Home, **how: Any) -> Means:
    """Everything is trusted, the language is English."""
    given: dict[str, Any] = {
        "owner": Owner.here("tick"), "trusted": lambda folder, files: folder == home.root,
        "lang": "en",
    } | how  # fmt: skip
    return Means(**given)


def tick(home: Home, *entries: Entry, tools: bool = False, **how: Any) -> ticking.Ticked:
    return ticking.tick(home, means(home, **how), entries=entries or SELF, tools=tools)


def decided(found: ticking.Ticked) -> dict[str, str]:
    """What each entry did: `run`, or the reason why not."""
    return {one.entry: one.reason or one.outcome or one.decision for one in found.decisions}


def lines(home: Home, *kinds: str) -> list[dict[str, Any]]:
    path = Path(home.root) / WAKE
    found = [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
    return [line for line in found if not kinds or line["kind"] in kinds]


def intend(home: Home, text: str = "把渡口的旧账理完") -> None:
    intents.add_intent(home, text)


def program(folder: Path, body: str, name: str = "runner.py") -> str:
    """A program in Python; returns the two first words of its command as TOML."""
    path = folder / name
    path.write_text(f"import sys, os, time, json\n{body}", encoding="utf-8")
    return json.dumps([sys.executable, str(path)])


def stopping() -> Meanwhile:
    """Asked to leave from the start."""
    return Meanwhile(stopped=lambda: True)


class Service:
    """An OpenAI-compatible service on a real socket."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.status = 200
        self.body: Any = {
            "id": "c1", "object": "chat.completion", "model": "small",
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": "灯还亮着。"}}],
            "usage": {"prompt_tokens": 50, "completion_tokens": 7, "total_tokens": 57},
        }  # fmt: skip
        self.delay = 0.0
        self.raw: bytes | None = None
        self.url = ""


@contextmanager
def service() -> Iterator[Service]:
    """Serve until the block ends."""
    import time

    state = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            state.seen.append(json.loads(self.rfile.read(length)))
            state.headers.append(dict(self.headers))
            state.paths.append(self.path)
            time.sleep(state.delay)
            if state.raw is not None:
                self.wfile.write(state.raw)
                return
            data = json.dumps(state.body).encode()
            self.send_response(state.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def minutes(number: float) -> timedelta:
    return timedelta(minutes=number)


def started(tmp_path: Path, body: str, **how: object) -> Program:
    plain: dict[str, object] = {
        "argv": json.loads(program(tmp_path, body)), "prompt_by": "stdin", "answer": "text",
        "timeout": 20.0, "folder": str(tmp_path), "prompt_file": str(tmp_path / "prompt"),
        "environment": {},
    }  # fmt: skip
    return Program(**(plain | how))  # type: ignore[arg-type]


def code_of(outcome: Outcome) -> str:
    return outcome.fault.code if outcome.fault is not None else "ok"


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return process_lives(pid) and not Path("/proc").exists()
    return state != "Z"
