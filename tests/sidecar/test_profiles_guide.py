"""The guide to profiles says what is true: its profile works, and its page of grammar is whole."""

from __future__ import annotations

import re

import pytest
from worked import PROFILES

from clew.sidecar.cases import failures
from clew.sidecar.engine_shape import INT_MOST, ITEMS, KEY_CHARS, TEXT_CHARS
from clew.sidecar.profile import compiled
from clew.sidecar.profile_grammar import CHANGES, OPERATORS, TABLES, TYPES, VALUES

DOCS = PROFILES.parents[3] / "docs"
PAGES = [DOCS / "sidecar-profiles.md", DOCS / "sidecar-profiles.zh-CN.md"]
in_each_language = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)


@in_each_language
def test_the_profile_of_the_walk_holds_together_and_passes_its_cases(page: object) -> None:
    text = page.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    found = compiled("\n".join(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)))
    assert found.profile["name"] == "book-club"
    assert len(found.cases) == 2
    assert [fault.message() for fault in failures(found)] == []


@in_each_language
def test_the_page_of_grammar_names_every_word_of_the_language(page: object) -> None:
    text = page.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    (grammar,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    words = set(re.findall(r"[a-z_]+", grammar))
    tables = {key for name, table in TABLES.items() for key in table}
    assert {*tables, *TYPES, *CHANGES, *VALUES, *OPERATORS} <= words
    assert grammar.count("\n") <= 60, "the language stays small: one page"


@in_each_language
def test_the_caps_of_the_guide_are_those_of_the_engine(page: object) -> None:
    text = page.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert INT_MOST == 2**53 - 1 and "2^53-1" in text
    for cap in (TEXT_CHARS, ITEMS, KEY_CHARS):
        assert str(cap) in text
