"""Parts that renderings of the novel room share."""

from __future__ import annotations

import re
from typing import Any, Final

from rich.table import Table
from rich.text import Text

_PLAIN: Final = re.compile(r"[\w@%+=:,./·][\w@%+=:,./·-]*")
"""What no shell takes apart."""


def word(text: str) -> str:
    """A text as one word of a command line, quoted where it has to be."""
    if _PLAIN.fullmatch(text):
        return text
    from shlex import quote

    return quote(text)


def say(lang: str, zh: str, en: str, style: str = "") -> Text:
    """A sentence in the user's language."""
    return Text(zh if lang == "zh" else en, style=style)


def command(lang: str, line: str) -> Text:
    """The next command, on one line however wide the terminal is, so that it can be copied."""
    said = f"填好之后：{line}" if lang == "zh" else f"then: {line}"
    return Text(said, style="cyan", no_wrap=True, overflow="ignore")


def pairs(rows: list[tuple[str, Any]]) -> Table:
    """Names and values, one a line."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name, style="dim"), Text(str(value)))
    return table
