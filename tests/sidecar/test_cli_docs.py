"""docs/sidecar.md is true in both languages: its commands run in their order, its Python runs, and what
it lists is what there is.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from clew.faces.cli.sidecar_more import MORE
from clew.sidecar.calling import COMMON, VERBS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("sidecar.md", "sidecar.zh-CN.md")


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / ".git").mkdir()
    out = {**os.environ, "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    for name in ("CLEW_STATE_DIR", "CLEW_SIDECAR", "CLEW_SESSION", "CLAUDE_PROJECT_DIR"):
        out.pop(name, None)
    return out


@pytest.mark.parametrize("page", PAGES)
def test_its_commands_run_in_their_order(page: str, tmp_path: Path, env: dict[str, str]) -> None:
    start = {"clew": [sys.executable, "-m", "clew.faces.cli.main"], "python3": [sys.executable]}
    for line in "".join(blocks(page, "sh")).splitlines():
        words = shlex.split(line)
        done = subprocess.run(
            [*start[words[0]], *words[1:]], capture_output=True, text=True, cwd=tmp_path, env=env,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        wanted = 1 if words[2] == "wire" else 0  # it waits for --yes
        assert done.returncode == wanted, f"{line}\n{done.stdout}{done.stderr}"
        assert json.loads(done.stdout)["status"] in ("ok", "fresh", "needs_confirmation")


@pytest.mark.parametrize("page", PAGES)
def test_its_python_runs(page: str, tmp_path: Path, env: dict[str, str]) -> None:
    [code] = blocks(page, "python")
    code += "\nprint(energy, may_praise)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=env,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\d+ (True|False)\n", done.stdout)


@pytest.mark.parametrize("page", PAGES)
def test_every_verb_and_option_is_named(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    for verb in {**VERBS, **MORE}:
        assert f"`{verb}" in text, verb
    for option in set(COMMON) - {"help"}:
        assert f"`--{option.replace('_', '-')}" in text, option


def test_both_pages_have_the_same_chapters_and_rows() -> None:
    counts = []
    for page in PAGES:
        text = (DOCS / page).read_text("utf-8")
        counts.append((text.count("\n## "), text.count("\n|"), text.count("\n```")))
    assert counts[0] == counts[1]
