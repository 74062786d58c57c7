"""Writing generated pages, or checking that they are what their source gives. Used by the
generators beside it; touches files below docs/ only.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
DOCS: Final = ROOT / "docs"
_SHOWN: Final = 12
"""Lines of a difference that are told for one page."""


def fill(text: str, name: str, body: str) -> str:
    """`text` with what stands between `<!-- generated: name -->` and `<!-- end: name -->` replaced.

    Raises ValueError when the page has no such place.
    """
    start, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
    pattern = re.compile(re.escape(start) + r"\n.*?" + re.escape(end), re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"no place for {name}")
    return pattern.sub(lambda _: f"{start}\n\n{body.strip()}\n\n{end}", text)


def places(text: str) -> list[str]:
    """The names of the generated places of a page, in their order."""
    return re.findall(r"<!-- generated: (\S+) -->", text)


def cell(text: str) -> str:
    """Text that is safe inside a table: a bar would end the cell, a `<` would start a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def settle(pages: Mapping[Path, str], orphans: list[Path], *, check: bool) -> int:
    """Write the pages and remove orphans; with `check` only say what is stale and return 1."""
    stale = [
        path
        for path, text in pages.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if check:
        for path in stale:
            sys.stderr.write(f"stale: {path.relative_to(ROOT)}\n{_difference(path, pages[path])}")
        for path in orphans:
            sys.stderr.write(f"orphaned: {path.relative_to(ROOT)}\n")
        return 1 if stale or orphans else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages[path], encoding="utf-8")
    for path in orphans:
        path.unlink()
    sys.stdout.write(f"{len(stale)} written, {len(orphans)} removed, {len(pages)} pages\n")
    return 0


def _difference(path: Path, text: str) -> str:
    """The first lines in which a page is not what its source gives."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = difflib.unified_diff(before.splitlines(), text.splitlines(), "there", "wanted", n=0)
    return "".join(f"  {line}\n" for line in islice(lines, _SHOWN))


def wants_check(description: str) -> bool:
    """Whether the command line says `--check`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="exit 1 when a page is stale")
    return bool(parser.parse_args().check)
