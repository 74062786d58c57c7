"""docs/lint.md and its Chinese twin have one entry for each rule, and say what the table says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.novel.lint.rules import BY_ID, RULES

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = {"en": "lint.md", "zh": "lint.zh-CN.md"}


def page(lang: str) -> str:
    return (DOCS / PAGES[lang]).read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", PAGES)
def test_the_table_of_a_page_is_the_table_of_the_rules(lang: str) -> None:
    rows = re.findall(
        r"^\| \[`([a-z-]+)`\]\(#\1\) \| (\w+) \| (\w+) \| (.+) \|$", page(lang), re.MULTILINE
    )
    assert rows == [(rule.id, rule.weight, rule.reads, getattr(rule.title, lang)) for rule in RULES]


@pytest.mark.parametrize("lang", PAGES)
def test_every_rule_has_an_entry_with_its_key(lang: str) -> None:
    entries = re.findall(
        r"^### `([a-z-]+)`\n\n(.+?)(?=\n### |\Z)", page(lang), re.MULTILINE | re.DOTALL
    )
    assert [name for name, _ in entries] == [rule.id for rule in RULES]
    for name, text in entries:
        assert f"`{name}:" in text


def test_rules_are_named_once_and_written_in_both_languages() -> None:
    assert len(BY_ID) == len(RULES)
    for rule in RULES:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.id)
        for words in (rule.title, rule.next):
            assert re.search(r"[\u4e00-\u9fff]", words.zh)
            assert re.search(r"[a-z]{3}", words.en)
            assert {*re.findall(r"\{(\w+)\}", words.zh)} == {*re.findall(r"\{(\w+)\}", words.en)}


def test_every_rule_has_a_function_of_its_own() -> None:
    names = [rule.find.__name__ for rule in RULES]
    assert names == [rule.id.replace("-", "_") for rule in RULES]
    assert all(rule.find.__doc__ for rule in RULES)
