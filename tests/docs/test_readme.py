"""The README's ten minutes, run as a newcomer types them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(script: str, folder: Path, lang: str) -> subprocess.CompletedProcess[str]:
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    clew = tools / "clew"
    clew.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clew.faces.cli.main "$@"\n')
    clew.chmod(0o755)
    env = os.environ | {
        "CLEW_LANG": lang,
        "HOME": str(folder / "home"),
        "PATH": f"{tools}:{os.environ['PATH']}",
    }
    shell = shutil.which("bash") or "sh"
    return subprocess.run(
        [shell, "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("name", "lang", "book"), [
    ("README.md", "en", "ferry"), ("README.zh-CN.md", "zh", "渡口旧账"),
])  # fmt: skip
def test_a_newcomer_starts_a_book_breaks_a_transaction_mends_commits_and_undoes(
    tmp_path: Path, name: str, lang: str, book: str
) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    _, start, broken, mended, cards, persona, sidecar = blocks(text, "sh")
    shown = blocks(text, "text")[0]
    begun = run(start, tmp_path, lang)
    assert begun.returncode == 0, begun.stderr
    refused = run(f"cd {book}\n{broken}", tmp_path, lang)
    assert refused.returncode == 2
    codes = re.findall(r"\[([a-z_]+)\]$", shown, re.MULTILINE)
    for code in codes:
        assert f'"code":"{code}"' in refused.stdout
    assert refused.stdout.count('"code":') == len(codes) == 4
    for sentence in re.findall(r"^ +(?:\d\.|→) (.*?)(?:  \[|$)", shown, re.MULTILINE):
        assert sentence.replace('"', '\\"') in refused.stdout, sentence
    done = run(f"set -e\ncd {book}\n{mended}", tmp_path, lang)
    assert done.returncode == 0, done.stderr + done.stdout
    assert '"state_revision":3' in done.stdout.splitlines()[-1]
    assert "F001｜" in done.stdout
    shelf = run(f"set -e\n{cards}", tmp_path, lang)
    assert shelf.returncode == 0, shelf.stderr + shelf.stdout
    assert '"findings":[]' in shelf.stdout.splitlines()[-1]
    assert [path.read_bytes()[:4] for path in (tmp_path / "cards").glob("*.png")] == [b"\x89PNG"]
    lived = run(f"set -e\n{persona}", tmp_path, lang)
    assert lived.returncode == 0, lived.stderr + lived.stdout
    assert {
        path.stat().st_mode & 0o077 for path in tmp_path.glob("home/clew/personas/*/vitals.json")
    } == {0}
    hooks = "clew agent install claude --persona"
    named = re.search(rf"{hooks} (\w+)", text)
    assert named
    shown = run(f"mkdir -p book && cd book && {hooks} {named[1]} --dry-run", tmp_path, lang)
    assert shown.returncode == 0, shown.stderr + shown.stdout
    kept = run(f"set -e\nexport CLEW_STATE_DIR={tmp_path}/state\n{sidecar}", tmp_path, lang)
    assert kept.returncode == 0, kept.stderr + kept.stdout
    assert (tmp_path / "state/study-companion.json").stat().st_mode & 0o777 == 0o600
