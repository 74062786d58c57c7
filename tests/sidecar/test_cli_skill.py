"""The shipped skill is true: its front matter is valid, its commands run in their order, its profile
is lawful, and it needs nothing but the installed program.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.faces.agents import skills
from clew.sidecar.messages import WORDS

FILES = skills.shipped("clew-sidecar")
SKILL = FILES["SKILL.md"].decode("utf-8")
HEAD, BODY = SKILL.split("---\n", 2)[1:]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", BODY, re.DOTALL | re.MULTILINE)


def test_the_front_matter_is_what_hosts_take() -> None:
    fields = dict(line.split(": ", 1) for line in HEAD.splitlines())
    assert set(fields) == {"name", "description", "allowed-tools"}
    assert fields["name"] == "clew-sidecar"
    assert len(fields["description"]) <= 1024
    assert not re.search(r"[<>]|: ", fields["description"])
    tools = fields["allowed-tools"].split(", ")
    assert all(re.fullmatch(r"Bash\(clew sidecar [a-z-]+:\*\)", tool) for tool in tools)


def test_it_names_nothing_that_only_the_source_has() -> None:
    assert not re.search(r"src/|docs/|tests/|github|\]\(", SKILL)
    assert list(FILES) == ["SKILL.md"]
    assert len(SKILL.splitlines()) < 200


def test_it_speaks_both_languages() -> None:
    for section in BODY.split("\n## ")[1:]:
        assert re.search(r"[\u4e00-\u9fff]{4}", section) and re.search(
            r"[a-z]{4} [a-z]{3}", section
        )


def test_its_commands_run_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_text(blocks("toml")[0], "utf-8")
    (tmp_path / ".git").mkdir()
    env = {**os.environ, "HOME": str(tmp_path / "home"), "CLEW_LANG": "en", "TMPDIR": str(tmp_path)}
    for name in ("CLEW_STATE_DIR", "CLEW_SIDECAR", "CLEW_SESSION", "CLAUDE_PROJECT_DIR"):
        env.pop(name, None)
    ran = 0
    for line in "".join(blocks("sh")).splitlines():
        words = shlex.split(line)
        start = {"clew": [sys.executable, "-m", "clew.faces.cli.main"], "python3": [sys.executable]}
        done = subprocess.run(
            [*start[words[0]], *words[1:]], capture_output=True, text=True, cwd=tmp_path, env=env,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        wanted = 1 if words[2] == "wire" else 0  # it waits for --yes
        assert done.returncode == wanted, f"{line}\n{done.stdout}{done.stderr}"
        if "--field" not in words:
            answer: dict[str, Any] = json.loads(done.stdout)
            assert answer["status"] in ("ok", "needs_confirmation", "fresh"), line
        ran += 1
    assert ran > 15
    assert (tmp_path / "home" / ".claude" / "state" / "tea-friend.json").exists()


@pytest.mark.parametrize("word", ["fresh", "ok", "recovered", "unreadable", "guards", "open"])
def test_the_words_of_the_answers_are_explained(word: str) -> None:
    assert f"`{word}`" in BODY


def test_every_word_of_the_store_speaks_both_languages() -> None:
    for code in WORDS.values():
        assert re.search(r"[\u4e00-\u9fff]", code.zh) or code.zh == "{reason_zh}"
        assert code.en and bool(code.hint_zh) == bool(code.hint_en)
