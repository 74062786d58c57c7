"""What the fuzzing of the card readers holds every input to (`tests/fuzz/cards_fuzz.py`), on every odd
file, in every container; and each input that once broke it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from odd import FILES


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    path = Path(__file__).parents[2] / "fuzz" / "cards_fuzz.py"
    spec = importlib.util.spec_from_file_location("cards_fuzz", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.ident)
def test_every_odd_file_holds_in_every_container(fuzz: ModuleType, file) -> None:  # type: ignore[no-untyped-def]
    ways = len(fuzz.containers()) if file.data.lstrip()[:1] == b"{" else 1
    for way in range(ways):
        fuzz.holds(fuzz.file_of(bytes([way]) + file.data))
