"""What docs/cards.md says is true: its Python runs, its tables name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cardfiles import card_png, v2
from odd import FILES

from clew.books import cards
from clew.books.cards.report import MEBI, Limits
from clew.books.lore import BOOK_SPECS
from clew.books.model import OTHER_SPECS, SPECS

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = [DOCS / "cards.md", DOCS / "cards.zh-CN.md"]
BOTH = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])


@BOTH
def test_the_python_of_the_page_runs(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"data": card_png(v2())}
    for block in re.findall(
        r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    ):
        exec(block, names)
    assert "沈砚" in capsys.readouterr().out
    assert cards.read(names["written"]).spec == "v3"  # type: ignore[arg-type]


@BOTH
def test_the_page_names_every_format(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for spec in (*SPECS, *OTHER_SPECS, *BOOK_SPECS):
        assert f"`{spec}`" in text, spec


@BOTH
def test_the_page_tells_the_limits_that_are_kept(page: Path) -> None:
    text, limits = page.read_text(encoding="utf-8"), Limits()
    for size in (
        limits.file_bytes,
        limits.text_bytes,
        limits.json_bytes,
        limits.yaml_bytes,
        limits.member_bytes,
    ):
        assert f"{size // MEBI} MiB" in text
    assert f"{limits.depth} " in text and "1 000 000" in text and f"{limits.ratio} " in text


@BOTH
def test_the_page_numbers_every_shape_that_has_a_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    numbers = {int(one.shape) for one in FILES if one.shape.isdigit()}
    told = {
        int(n)
        for row in re.findall(r"^\| ([\d、, ]+) \|", text, re.MULTILINE)
        for n in re.findall(r"\d+", row)
    }
    assert numbers <= told


@BOTH
def test_the_page_numbers_every_failure_that_has_a_test(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    tests = (Path(__file__).parent / "test_cards_bugs.py").read_text(encoding="utf-8")
    for number in set(re.findall(r"def test_bug_(\d+)_", tests)):
        assert re.search(rf"\| {number} \|", text), number
