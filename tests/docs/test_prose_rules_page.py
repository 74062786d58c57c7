"""docs/prose-rules.md: fresh, whole, and safe to render."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from clew.novel.prose.explain import catalogue, rule_ids

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"


def script() -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module("prose_rules")
    finally:
        sys.path.remove(str(SCRIPTS))


TEXT = (ROOT / "docs" / "prose-rules.md").read_text(encoding="utf-8")


def test_the_page_is_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "prose_rules.py"), "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"run `make docs`:\n{done.stderr}"


def test_every_rule_has_a_row_in_its_languages_and_a_section() -> None:
    for rule_id in rule_ids():
        assert TEXT.count(f"### {rule_id}\n") == 1, rule_id
    head = TEXT.split("## Rule by rule", 1)[0]
    for entry in catalogue():
        if entry.rule.id == "outline-copy":
            continue
        rows = head.count(f"| [`{entry.rule.id}`](#{entry.rule.id}) |")
        assert rows == len(
            {lang for e in catalogue() if e.rule.id == entry.rule.id for lang in e.languages}
        )


def test_tables_have_as_many_cells_as_their_heads_and_blocks_are_closed() -> None:
    width = 0
    for line in TEXT.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.findall(r"(?<!\\)\|", line))
        width = width or cells
        assert cells == width, line
    fence = ""
    for line in TEXT.splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif found := re.match(r"(`{3,})\w*$", line):
            fence = found[1]
    assert fence == ""


def test_an_example_cannot_end_its_block() -> None:
    block = script()._block("a\n```\n````\nb")
    assert block[0] == "`````text" and block[-1] == "`````"
    assert "…" in script()._block("长" * 2000)[1]
    assert len("\n".join(script()._block("长" * 2000))) < 600
