"""The skill that is shipped: read from the package, wherever it is installed."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

NOVEL: Final = "clew-novel"


def shipped(name: str = NOVEL) -> dict[str, bytes]:
    """The files of a skill by their path in its folder, in order."""
    found: dict[str, bytes] = {}
    _collect(files("clew").joinpath("skills", name), "", found)
    return dict(sorted(found.items()))


def _collect(folder: Traversable, prefix: str, found: dict[str, bytes]) -> None:
    for item in folder.iterdir():
        if item.is_dir():
            _collect(item, f"{prefix}{item.name}/", found)
        elif item.name.endswith(".md"):
            found[prefix + item.name] = item.read_bytes()
