"""docs/errors/: a fresh page for each code, in both languages, with a way out."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from clew.kernel.faults import registered

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
ERRORS = ROOT / "docs" / "errors"


def script(name: str) -> ModuleType:
    """One of the generators, as a module."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(SCRIPTS))


PAGES = script("error_pages")
CODES = PAGES.load()
OWNERS = PAGES.owners()


def test_the_pages_are_fresh_and_none_is_orphaned() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "error_pages.py"), "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"run `make docs`:\n{done.stderr}"


def test_a_stale_and_an_orphaned_page_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ROOT / "docs" / "errors"
    page = folder / "wrong_type.md"
    changed = {page: page.read_text(encoding="utf-8") + "x"}
    assert PAGES.settle(changed, [folder / "gone.md"], check=True) == 1
    said = capsys.readouterr().err
    assert "stale: docs/errors/wrong_type.md" in said
    assert "orphaned: docs/errors/gone.md" in said


def test_every_registered_code_has_a_page() -> None:
    assert {p.stem for p in ERRORS.glob("*.md")} - {"README"} == set(registered())


@pytest.mark.parametrize("name", sorted(CODES))
def test_a_code_speaks_both_languages(name: str) -> None:
    code = CODES[name]
    assert code.zh and code.en and code.about_zh and code.about_en
    assert bool(code.hint_zh) == bool(code.hint_en)
    assert re.search(r"[\u4e00-\u9fff]", code.about_zh)
    assert re.search(r"[A-Za-z]{3}", code.about_en)


@pytest.mark.parametrize("name", sorted(CODES))
def test_a_code_has_a_way_out(name: str) -> None:
    code = CODES[name]
    zh, en, commands = PAGES.way_out(code, PAGES.group_of(OWNERS[name]))
    assert zh and en
    if code.exit:
        assert commands, "a refusal names the command that leads out"
    assert all(command.startswith("clew ") for command in commands)


@pytest.mark.parametrize("name", sorted(CODES))
def test_the_example_is_complete(name: str) -> None:
    fault = PAGES.example_of(CODES[name])
    for lang in ("zh", "en"):
        shown = json.dumps(fault.to_dict(lang), ensure_ascii=False)
        # A fact that is missing would show as its name in brackets.
        assert not re.search(r"<(found|file|limit|path|allowed|reason|chapter|line)>", shown)


def test_the_examples_are_of_codes_that_exist() -> None:
    assert set(PAGES.EXAMPLES) <= set(CODES)
