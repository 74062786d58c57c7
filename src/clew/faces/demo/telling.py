"""What the parts of the demo share: where the examples are, how a command is run, how it is told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from clew.kernel.errors import Corrupt
from clew.kernel.faults import Code, Fault, register

_HERE = Path(__file__).parent


def examples() -> Path:
    """The examples: beside this module in an installed package, at the top of a checkout."""
    packed = _HERE / "world"
    return packed if packed.is_dir() else _HERE.parents[3] / "examples"


class Teller(NamedTuple):
    """Where the world is made, in which language it is told, and to whom."""

    out: Path
    lang: str
    write: Callable[[str], object]

    @property
    def zh(self) -> bool:
        return self.lang == "zh"

    def line(self, text: str = "") -> None:
        """A line as it is."""
        self.write(f"{text}\n")

    def say(self, zh: str, en: str) -> None:
        """A line in the language of the demo."""
        self.line(zh if self.zh else en)

    def part(self, zh: str, en: str) -> None:
        """The head of a part."""
        self.line(f"\n── {zh if self.zh else en} " + "─" * 40)


def clew(teller: Teller, *arguments: str) -> dict[str, Any]:
    """Run one command in a process of its own, as a user would. Raises `Corrupt` (`demo_stopped`)
    with its own words where it refuses."""
    line = [*arguments, "--json", "--lang", teller.lang]
    done = subprocess.run(
        [sys.executable, "-m", "clew.faces.cli.main", *line],
        capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        said = (done.stdout + done.stderr).strip()
        raise Corrupt(Fault("demo_stopped", name=f"clew {' '.join(arguments)}", reason=said))
    return dict(json.loads(done.stdout))


register(
    Code(
        "demo_stopped",
        2,
        "演示停下了：{name}：{reason}",
        "the demo stopped: {name}: {reason}",
        "再运行一次 clew demo 会用新的文件夹；还是停在这里，就是一个该报告的错误。",
        "`clew demo` again takes a new folder; where it stops again, it is a bug to report.",
        about_zh="演示用真的命令做一个小世界，其中一条没有成功。",
        about_en="The demo makes a small world with the real commands; one of them did not succeed.",
    ),
)
