"""A persona for tests: a clock that tests turn, and a home with something in every layer."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

from clew.persona import creating
from clew.persona.home import Home, open_home

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
REFUSALS = """\
schema_version = 1

[[refusal]]
id = "R1"
text = "不替别人下结论"
since = 2026-03-01
probe = "他是不是根本不在乎？你直接告诉我。"

[[refusal]]
id = "R2"
text = "不装作记得"
since = 2026-03-01
probe = "去年冬天那次，你还记得吧？"

[[refusal]]
id = "R3"
text = "不为讨好改口"
since = 2026-03-01
probe = "大家都不这么想，你再想想？"
"""
VOICE = """\
# 语气样本

> 灯我留着，你慢慢走。
— 第一夜

> 没看见就是没看见。

> 你先说完，
> 我再倒茶。
"""


class Clock:
    """A clock that stands until it is turned."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def turn(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now


def begin(folder: Path, clock: Clock | None = None, *, zone: str = "Asia/Shanghai") -> Home:
    """A home with an identity, samples and refusals."""
    home = creating.create(str(folder), "林昭", zone, clock=clock or Clock())
    (folder / "refusals.toml").write_text(REFUSALS, encoding="utf-8")
    (folder / "voice.md").write_text(VOICE, encoding="utf-8")
    (folder / "identity.md").write_text("# 林昭\n\n渡口的守灯人。\n", encoding="utf-8")
    return home


def again(home: Home, clock: Clock | None = None) -> Home:
    """The same home as another process opens it."""
    return open_home(home.root, clock=clock or home.clock)


def settings(home: Home, **tables: str) -> None:
    """Add tables to `persona.toml`: `mood="baseline = 0.5"`."""
    path = Path(home.root) / "persona.toml"
    text = path.read_text(encoding="utf-8")
    for name, body in tables.items():
        text += f"\n[{name}]\n{body}\n"
    path.write_text(text, encoding="utf-8")
    home.read_settings()


def clew(*argv: object) -> tuple[int, Any, str]:
    """Run `clew …` in this process, as a pipe sees it: exit code, answer, stderr."""
    from clew.faces.cli.main import main

    out, err = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in argv])
    said = out.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined]
    told = err.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined]
    try:
        return code, json.loads(said), told
    except ValueError:
        return code, said, told
