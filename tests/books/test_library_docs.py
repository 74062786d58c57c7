"""docs/library.md says what is true: its Python runs, its two languages have the same chapters."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "library.md"


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples/cards", tmp_path / "examples/cards")
    monkeypatch.chdir(tmp_path)
    source = "\n".join(blocks(PAGE, "python"))
    example = doctest.DocTestParser().get_doctest(source, {}, PAGE.name, PAGE.name, 0)
    assert len(example.examples) > 20
    told: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(example, out=told.append)
    assert results.failed == 0, "".join(told)


def test_both_languages_have_the_same_chapters_and_commands() -> None:
    other = PAGE.with_name("library.zh-CN.md")
    chapters = [
        len(re.findall(r"^## ", page.read_text(encoding="utf-8"), re.MULTILINE))
        for page in (PAGE, other)
    ]
    assert chapters[0] == chapters[1] >= 10
    lines = [
        [
            line.split(" --report")[0]
            for block in blocks(page, "console")
            for line in block.splitlines()
        ]
        for page in (PAGE, other)
    ]
    assert lines[0] == lines[1]


def test_every_public_word_is_there() -> None:
    import clew.books

    for word in clew.books.__all__:
        assert callable(getattr(clew.books, word)), word
    with pytest.raises(AttributeError):
        clew.books.nothing  # noqa: B018
