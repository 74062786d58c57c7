"""Puts the numbers of a benchmark into their place on a page, between two marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def fill(page: Path, name: str, lines: Sequence[str]) -> None:
    """Replace what stands between `<!-- name -->` and `<!-- /name -->`.

    Raises ValueError when the page has no such place.
    """
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    text = page.read_text(encoding="utf-8")
    head, found, rest = text.partition(start)
    _, closed, tail = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page} has no place {start} … {end}")
    page.write_text("\n".join([f"{head}{start}", *lines, f"{end}{tail}"]), encoding="utf-8")
