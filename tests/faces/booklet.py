"""A small book on disk and the commands on it, as the tests of the faces need them.

`Booklet` writes what an author writes: outlines, bodies, transactions. `call` runs a command in
this process, `process` in a real one.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from clew.testing.novel import chapter, init_document, state_of

CLEW = "clew.faces.cli.main"
STORYCTL = "clew.faces.cli.storyctl"
TRACKING = "clew.faces.cli.tracking_commit"


class Answer(NamedTuple):
    """What a command answered."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")

    @property
    def json(self) -> Any:
        """The one line of JSON that stdout is."""
        assert self.out.endswith(b"\n") and self.out.count(b"\n") == 1, (self.out, self.err)
        return json.loads(self.out)


def call(main: Callable[[list[str]], int], *argv: object) -> Answer:
    """Run a command in this process, its output caught as bytes."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    # Python's own stderr never fails on a character, and neither does this one.
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([str(word) for word in argv])
        except SystemExit as leave:  # argparse leaves so after --help
            code = int(leave.code or 0)
    return Answer(code, out.buffer.getvalue(), err.buffer.getvalue().decode("utf-8", "replace"))


def process(
    module: str, *argv: object, cwd: Path | str | None = None, env: dict[str, str] | None = None
) -> Answer:
    """Run `python -m module …` as a user would run the console script."""
    return command([sys.executable, "-m", module, *map(str, argv)], cwd=cwd, env=env)


def command(
    line: Sequence[object], *, cwd: Path | str | None = None, env: dict[str, str] | None = None
) -> Answer:
    """Run any command line; `env` adds to the environment."""
    done = subprocess.run(
        [str(word) for word in line], cwd=cwd, env={**os.environ, **(env or {})},
        capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def prose(count: int, start: int = 1) -> str:
    """Chinese prose of exactly `count` visible characters that no prose rule objects to."""
    lines: list[str] = []
    left, number = count, start
    while left > 0:
        line = f"{number}号码头的灯亮到天明，账房又数过旧账第{number}页。"
        if left - len(line) < 4:
            line = "渡" * (left - 1) + "。"
        lines.append(line)
        left -= len(line)
        number += 1
    return "\n\n".join(lines) + "\n"


class Booklet:
    """A book folder. Chapter targets are 400 characters, so that bands are easy to read:
    internal 352..448, user 340..460."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        return self.root / name

    def write(self, name: str, data: str | bytes) -> Path:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        return path

    def outline(self, number: int = 1, *extra: str, target: str = "400") -> Path:
        lines = [
            f"# 第{number}章：渡口",
            f"字数目标：{target}",
            "字数口径：visible_chars_v1",
            *extra,
        ]
        return self.write(f"大纲/细纲_第{number:03d}章_渡口.md", "\n".join(lines) + "\n")

    def body(self, number: int = 1, count: int = 400, data: bytes | None = None) -> Path:
        text = f"# 第{number}章 渡口\n\n{prose(count, number * 1000)}"
        return self.write(f"正文/第{number:03d}章_渡口.md", text if data is None else data)

    def begin(self, **fields: Any) -> Booklet:
        """Start the ledger the way an author does."""
        from clew.faces.cli.tracking_commit import main

        path = self.write(".story/work/init.json", json.dumps(init_document(**fields)))
        assert call(main, "init", "--project", self.root, "--input", path).code == 0
        path.unlink()
        return self

    def state(self) -> Any:
        from clew.novel.ledger import Ledger

        return state_of(Ledger(self.root))

    @property
    def revision(self) -> int:
        return int(self.state().state_revision)

    def transaction(self, number: int | None = None, **fields: Any) -> Path:
        """A lawful transaction in the chapter's scratch folder."""
        document = chapter(self.state(), number, **fields)
        return self.submit(document["chapter"], document)

    def submit(self, number: int, document: Any) -> Path:
        text = json.dumps(document, ensure_ascii=False, indent=2)
        return self.write(f".story/work/第{number:03d}章/tracking.json", text)

    def ready(self, number: int = 1, count: int = 400, *extra: str, **fields: Any) -> Path:
        """Outline, body and transaction of a chapter."""
        self.outline(number, *extra)
        self.body(number, count)
        return self.transaction(number, **fields)
