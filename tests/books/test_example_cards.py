"""examples/cards/: our own cards, as `scripts/example_cards.py` writes them, and all readable."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import deck
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import example_cards
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    return example_cards


def test_the_examples_are_as_they_are_made(demo: ModuleType) -> None:
    there = {
        p.name: p.read_bytes() for p in (ROOT / "examples/cards").iterdir() if p.name != "README.md"
    }
    assert there == demo.files()


def test_the_examples_are_small_and_can_all_be_imported(tmp_path: Path) -> None:
    shelf = deck.library(tmp_path)
    done = deck.take(shelf, ROOT / "examples/cards")
    assert (done.taken, done.refused, done.repaired) == (5, 0, 1)
    assert deck.titles(shelf) == ["Edda", "Mara Quill", "周薄森", "沈砚"]
    assert deck.titles(shelf, kind="world") == ["渡口"]
    assert sum(p.stat().st_size for p in (ROOT / "examples/cards").iterdir()) < 100_000
