"""What a command does not wait for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WITH_A_NEIGHBOUR = """
import sys
sys.path.insert(0, sys.argv[1])
from clew.faces.cli.quick import load_msgspec
load_msgspec()
assert "msgspec" in sys.modules
print("typing_extensions" in sys.modules)
import typing_extensions
print(typing_extensions.__file__)
"""


def test_msgspec_is_loaded_without_typing_extensions_and_who_asks_for_it_gets_it(
    tmp_path: Path,
) -> None:
    neighbour = tmp_path / "typing_extensions.py"
    neighbour.write_text("from typing import *\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", WITH_A_NEIGHBOUR, str(tmp_path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["False", str(neighbour)]
