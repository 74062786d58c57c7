"""Real processes of the command line, and books for them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from clew.novel.commit import commit
from clew.novel.ledger import Ledger
from clew.testing.novel import (
    Document,
    begin_book,
    chapter,
    event,
    foreshadow,
    snapshot,
    state_of,
    tree,
)

CLEW = [sys.executable, "-m", "clew.faces.cli.main"]
WARM = [
    sys.executable,
    "-c",
    "import sys, argparse, clew.faces.cli.main as cli, clew.faces.cli.rooms, clew.novel.operations\n"
    "from clew.novel import check, commit, start, timetravel\n"
    "print('ready', flush=True)\n"
    "sys.exit(cli.main(sys.argv[1:]))\n",
]
"""The command line with its modules loaded; it says `ready` just before it begins."""
ENV = {"CLEW_LANG": "en"}


def here(*argv: object) -> tuple[int, Any, str]:
    """Run `clew …` in this process: exit code, the JSON of stdout, stderr."""
    from clew.faces.cli.main import main

    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
        for _ in range(2)
    )
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*map(str, argv)])
    text = out.buffer.getvalue()
    return code, json.loads(text) if text else None, err.buffer.getvalue().decode()


def start(line: list[str], *argv: object, **how: Any) -> subprocess.Popen[bytes]:
    """Start a command line and return at once."""
    return subprocess.Popen(
        [*line, *map(str, argv)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, env={**os.environ, **ENV}, **how,
    )  # fmt: skip


def run(*argv: object, **how: Any) -> tuple[int, Any, str]:
    """Run `clew …` as a process: exit code, the JSON of stdout, stderr."""
    child = start(CLEW, *argv, **how)
    out, err = child.communicate(timeout=60)
    return child.returncode, json.loads(out) if out else None, err.decode("utf-8", "replace")


def book(root: Path) -> Path:
    """A book of three chapters with a cast, foreshadows and events."""
    ledger = begin_book(root)
    cast = {name: snapshot(identity=f"{name}的身份") for name in ("江晨", "周薄森", "钟嘉嘉")}
    commit(
        ledger,
        chapter(
            state_of(ledger), changes=list(cast), snapshots=cast, active_character_names=list(cast),
            foreshadow_changes=[foreshadow(f"F{n:03d}", 1) for n in range(1, 9)],
            timeline_events=[event(f"E{n:03d}", 1) for n in range(1, 9)],
        ),
        [],
    )  # fmt: skip
    for _ in range(2):
        commit(ledger, chapter(state_of(ledger), changes=["江晨"]), [])
    return root


def submit(root: Path, document: Document, name: str = "tx.json") -> Path:
    path = root / ".story" / "work" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def ledger_files(root: Path) -> dict[str, bytes]:
    """State, views and records: all that a revision is, without the clock of the history."""
    found = tree(root / "追踪") if (root / "追踪").exists() else {}
    return {
        name: data
        for name, data in found.items()
        if not name.startswith((".clew", "_history", ".tracking-commit")) and not name.endswith("/")
    }


def revision(root: Path) -> int:
    return state_of(Ledger(root, lock_timeout=5.0)).state_revision
