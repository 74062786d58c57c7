"""`clew demo`: what it makes is sound, and what was there stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.faces.demo.telling import examples


def clew(where: Path, *argv: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "clew.faces.cli.main", *argv], cwd=where, capture_output=True,
        text=True, encoding="utf-8", check=False, env={**os.environ, "HOME": str(where / "home")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    where = tmp_path_factory.mktemp("demo")
    kept = where / "clew-demo" / "mine.txt"
    kept.parent.mkdir()
    kept.write_text("mine", encoding="utf-8")
    return where, clew(where, "demo", "--lang", "en")


def test_an_earlier_world_is_not_touched(made: tuple[Path, dict[str, Any]]) -> None:
    where, world = made
    assert world["folder"] == str(where / "clew-demo-2")
    assert [p.name for p in (where / "clew-demo").iterdir()] == ["mine.txt"]


def test_every_part_of_the_world_is_sound(made: tuple[Path, dict[str, Any]]) -> None:
    where, world = made
    assert [clew(where, "novel", "stats", "--project", book)["last_committed_chapter"]
            for book in world["books"]] == [5, 13]  # fmt: skip
    for book in world["books"]:
        clew(where, "novel", "check", "--project", book)
    assert (
        clew(where, "card", "list", "--kind", "card", "--library", world["library"])["total"] == 4
    )
    clew(where, "library", "check", "--deep", "--library", world["library"])
    assert clew(where, "persona", "status", "--home", world["persona"])["name"] == "许望潮"


def test_the_lines_that_it_ends_with_run(made: tuple[Path, dict[str, Any]]) -> None:
    import shlex

    where, world = made
    assert len(world["tries"]) > 10
    for line in world["tries"]:
        clew(where, *shlex.split(line)[1:])


def test_the_examples_stay_as_they_are(made: tuple[Path, dict[str, Any]]) -> None:
    assert not list(examples().rglob("追踪"))


def test_it_can_be_told_into_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from clew.faces.cli import demo

    for part in ("books.tell_book", "cards.tell_cards", "persona.tell_persona"):
        monkeypatch.setattr(f"clew.faces.demo.{part}", lambda teller, *rest: teller.out)
    monkeypatch.chdir(tmp_path)
    assert demo.main(["there", "--format", "text", "--lang", "zh"]) == 0
    told = capsys.readouterr().out
    assert "看看这些：" in told and "--library there" in told and not told.startswith("{")
    assert demo.main(["there", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["folder"] == str(tmp_path / "there-2")
