"""Numbers of a card in machine answers: exactly as they are stored."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import deck
import pytest

from clew.books import editing

NUMBERS = ("1.50", "1E+2", "-0", "1e22", "1e400", "12345678901234567890123",
           "0.10000000000000000000001", "7", "0.5")  # fmt: skip
_RUN = "import sys; from clew.faces.cli.main import main; sys.exit(main(sys.argv[1:]))"


def clew(tmp_path: Path, *argv: str) -> bytes:
    env = os.environ | {"HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *argv, "--json"], env=env, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("number", NUMBERS)
def test_an_answer_writes_a_number_as_it_is_stored(tmp_path: Path, number: str) -> None:
    shelf = deck.library(tmp_path)
    ident = deck.one(shelf, tmp_path).id
    editing.apply(shelf, ident, editing.Changes(set_json=[f"extensions.n={number}"]))
    for verb in ("show", "diff"):
        answer = clew(tmp_path, "card", verb, ident, "--library", shelf.root)
        assert f'"n":{number}}}'.encode() in answer or f'"after":{number}}}'.encode() in answer
