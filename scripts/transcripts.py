"""Runs the `console` blocks of the guides and pastes what they really print.

    python scripts/transcripts.py            runs every guide and rewrites its blocks
    python scripts/transcripts.py --check    exit 1 when a guide prints something else by now

A guide says `<!-- book: NAME lang: en -->` where a fresh copy of examples/NAME begins; the blocks
after it run in that copy, in order, on a terminal 100 columns wide. `<!-- run: COMMAND -->` runs a
command that is not shown (what an author would do in an editor). Times and the folder of the run
are replaced, so that a page stays the same. Needs a system with pseudo-terminals.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from typing import Final

from pages import DOCS, ROOT, settle, wants_check

WIDTH: Final = 100
_BOOK: Final = re.compile(r"<!-- book: (.+?) lang: (zh|en) -->")
_RUN: Final = re.compile(r"<!-- run: (.+?) -->")
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TIME: Final = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_STAMP: Final = re.compile(r"20\d{6}T\d{6}(\.\d+)?Z?")
_MINUTE: Final = re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d")


class Stage:
    """A copy of an example book in a folder of its own, with a home of its own."""

    def __init__(self, top: Path, name: str, lang: str) -> None:
        self.top = top
        self.book = top / "books" / name
        shutil.copytree(ROOT / "examples" / name, self.book)
        home = top / "home"
        home.mkdir()
        self.env = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "TERM": "xterm",
            "NO_COLOR": "1", "CLEW_LANG": lang, "LC_ALL": "C.UTF-8", "COLUMNS": str(WIDTH),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }  # fmt: skip

    def run(self, command: str) -> str:
        """What a command prints on a terminal, made the same for every run."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
        process = subprocess.Popen(
            ["bash", "-c", command], cwd=self.book, env=self.env,
            stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
        )  # fmt: skip
        os.close(slave)
        data = b""
        while True:
            try:
                more = os.read(master, 65_536)
            except OSError:  # the other end of a pseudo-terminal is closed: Linux says EIO
                break
            if not more:
                break
            data += more
        os.close(master)
        process.wait()
        return self.steady(data.decode("utf-8", "replace"))

    def steady(self, text: str) -> str:
        text = _ANSI.sub("", text.replace("\r\n", "\n"))
        text = text.replace(str(self.book.parent), "~/books").replace(str(self.top / "home"), "~")
        text = _TIME.sub("2026-09-01T08:30:00.000Z", text)
        text = _STAMP.sub("20260901T083000.000Z", text)
        text = _MINUTE.sub("2026-09-01 08:30", text)
        return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def played(text: str, top: Path) -> str:
    """A guide with the output of its blocks as it is now."""
    out: list[str] = []
    stage: Stage | None = None
    inside = False
    number = 0
    for line in text.split("\n"):
        if inside and line != "```":
            if line.startswith("$ ") and stage is not None:
                printed = stage.run(line[2:])
                out += [line, *(printed.split("\n") if printed else [])]
            continue
        begins = _BOOK.fullmatch(line)
        hidden = _RUN.fullmatch(line)
        if begins:
            number += 1
            folder = top / str(number)
            folder.mkdir()
            stage = Stage(folder, begins[1], begins[2])
        elif hidden and stage is not None:
            failed = stage.run(f"{{ {hidden[1]}\n}} >/dev/null || echo failed")
            if failed.endswith("failed"):
                raise RuntimeError(f"{hidden[1]}: {failed}")
        inside = line == "```console" and stage is not None
        out.append(line)
    return "\n".join(out)


def guides() -> list[Path]:
    """The pages that are played."""
    return [p for p in sorted(DOCS.glob("*.md")) if _BOOK.search(p.read_text(encoding="utf-8"))]


def build() -> dict[Path, str]:
    """Every guide as it prints now."""
    pages = {}
    for page in guides():
        with tempfile.TemporaryDirectory(prefix="clew-guide-") as top:
            pages[page] = played(page.read_text(encoding="utf-8"), Path(top))
    return pages


def main() -> int:
    check = wants_check(__doc__ or "")
    return settle(build(), [], check=check)


if __name__ == "__main__":
    sys.exit(main())
