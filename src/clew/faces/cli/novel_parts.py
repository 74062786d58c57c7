"""Parts that renderings of the novel room share."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text


def say(lang: str, zh: str, en: str, style: str = "") -> Text:
    """A sentence in the user's language."""
    return Text(zh if lang == "zh" else en, style=style)


def pairs(rows: list[tuple[str, Any]]) -> Table:
    """Names and values, one a line."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name, style="dim"), Text(str(value)))
    return table
