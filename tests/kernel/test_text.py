"""Cleaning, byte caps and names that are safe as file names."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.text import (
    byte_length,
    clean,
    cut_chars,
    has_surrogate,
    name_fault,
    nfc,
    portable_key,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
MIXED = st.text(st.sampled_from(" \t\n\r|｜.aé가文🧵\u2028\u3000\x85\x1c"))


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("  沈砚  ", "沈砚"),
        ("a\nb\r\nc\td", "a b c d"),
        ("a|b", "a｜b"),
        ("一　二", "一 二"),
        ("a\u2028b\u2029c\x85d", "a b c d"),
        ("\n\n# 标题", "# 标题"),
        ("|", "｜"),
        (" \t\n", ""),
        ("", ""),
    ],
)
def test_a_text_becomes_one_line_without_a_table_bar(text: str, want: str) -> None:
    assert clean(text) == want


@given(st.one_of(TEXT, MIXED))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert "|" not in once
    assert once == once.strip()
    assert len(once.splitlines()) <= 1


@given(st.text())
def test_byte_length_is_that_of_utf_8(text: str) -> None:
    assert byte_length(text) == len(text.encode("utf-8", "surrogatepass"))


def test_a_chinese_character_counts_three_bytes() -> None:
    assert byte_length("沈砚a") == 7


@given(st.one_of(TEXT, MIXED), st.integers(0, 60))
def test_cut_chars_is_the_least_number_of_characters_to_cut(text: str, limit: int) -> None:
    cut = cut_chars(text, limit)
    assert byte_length(text[: len(text) - cut]) <= limit
    if cut:
        assert byte_length(text[: len(text) - cut + 1]) > limit


@pytest.mark.parametrize(("text", "limit", "want"), [("沈砚", 6, 0), ("沈砚", 5, 1), ("🧵a", 3, 2)])
def test_cut_chars_by_example(text: str, limit: int, want: int) -> None:
    assert cut_chars(text, limit) == want


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc00\ud800"])
def test_lone_surrogates_are_seen(text: str) -> None:
    assert has_surrogate(text)


@given(TEXT)
def test_lawful_text_has_no_surrogate(text: str) -> None:
    assert not has_surrogate(text)


@pytest.mark.parametrize("name", [
    "沈砚", "Zoë", "O'Neill", "第一卷", "a.b", ".hidden", "con-man", "CONSTANCE", "COM10", "x" * 200,
    "名（旧）", "COM", "nul的",
])  # fmt: skip
def test_lawful_names_are_accepted(name: str) -> None:
    assert name_fault(name) is None


@pytest.mark.parametrize("name", [
    "a/b", "a\\b", "a:b", "a*b", "a?b", 'a"b', "a<b", "a>b", "a|b", "a\0b", "a\x1fb", ".", "..",
    "a.", "a ", "...", "CON", "con", "Nul", "aux.md", "COM1", "lpt9.txt", "PRN .txt", "con.tar.gz",
])  # fmt: skip
def test_names_that_some_system_cannot_hold_are_refused_in_both_languages(name: str) -> None:
    fault = name_fault(name)
    assert fault is not None
    zh, en = fault
    assert zh
    assert zh != en
    assert en.isascii()


@given(TEXT)
def test_a_name_that_is_accepted_is_one_path_component(name: str) -> None:
    if name and name_fault(name) is None:
        assert "/" not in name
        assert "\0" not in name
        assert name not in (".", "..")


@given(TEXT)
def test_names_that_differ_in_normal_form_or_case_only_have_one_key(name: str) -> None:
    for form in ("NFC", "NFD"):
        assert portable_key(unicodedata.normalize(form, name)) == portable_key(name)
    assert nfc(nfc(name)) == nfc(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Zoë", "ZOË"), ("Zoe\u0308", "Zoë"), ("straße", "STRASSE"), ("Σίσυφος", "ΣΊΣΥΦΟΣ")],
)
def test_names_that_would_be_one_file_somewhere_share_a_key(one: str, other: str) -> None:
    assert portable_key(one) == portable_key(other)


def test_different_names_have_different_keys() -> None:
    assert portable_key("沈砚") != portable_key("沈硯")
