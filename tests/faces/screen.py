"""A terminal to show answers on: a stream that says it is one, and a real pseudo-terminal."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9]+)*m")


class Shown(NamedTuple):
    """What a person saw. `raw` has the escape sequences."""

    code: int
    raw: str
    err: str

    @property
    def text(self) -> str:
        return plain(self.raw)

    @property
    def coloured(self) -> bool:
        return bool(_COLOUR.search(self.raw + self.err))


def plain(text: str) -> str:
    """Text without escape sequences and carriage returns."""
    return _ESCAPE.sub("", text).replace("\r", "")


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def show(main: Callable[[list[str]], int], *argv: object) -> Shown:
    """Run a command in this process on a stream that says it is a terminal."""
    out, err = (
        _Terminal(io.BytesIO(), "utf-8", "backslashreplace", write_through=True) for _ in range(2)
    )
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([str(word) for word in argv])
        except SystemExit as leave:
            code = int(leave.code or 0)
    texts = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]
    return Shown(code, texts[0], texts[1])


def terminal(
    module: str, *argv: object, cwd: Path | None = None, env: dict[str, str] | None = None
) -> Shown:
    """Run `python -m module …` on a real pseudo-terminal; stdout and stderr come out together."""
    import pty

    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", module, *map(str, argv)], cwd=cwd, env={**os.environ, **(env or {})},
        stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    data = b""
    try:
        while True:
            try:
                some = os.read(ours, 65536)
            except OSError:  # how Linux says that the last one hung up
                break
            if not some:
                break
            data += some
        code = child.wait(timeout=60)
    finally:
        child.kill()
        os.close(ours)
    return Shown(code, data.decode("utf-8", "replace"), "")
