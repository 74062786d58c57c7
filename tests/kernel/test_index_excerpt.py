"""Excerpts: the right stretch of a text, with the matches where they really are."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.index_excerpt import Excerpt, excerpt
from clew.kernel.index_text import matches, pieces, query_of

ALPHABET = "江晨灯塔的 ，。\n" + "abé ÀzZ0" + "ＡかガﾞÆ😀ก็한ßﬁ\u0301\u200d\ufe0f¦\0\ud800"
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=80) | st.text(max_size=30)


def shown(text: str, query: str, width: int = 80) -> str:
    """The excerpt with its matches in brackets, and … where it was cut."""
    part = excerpt(text, query_of(query), width)
    out, at = "", 0
    for start, end in part.spans:
        out += f"{part.text[at:start]}[{part.text[start:end]}]"
        at = end
    return ("…" if part.before else "") + out + part.text[at:] + ("…" if part.after else "")


@pytest.mark.parametrize(
    ("text", "query", "width", "wanted"),
    [
        ("他说：江晨，你好。", "江晨", 80, "他说：[江晨]，你好。"),
        ("他说：江晨，你好。", "晨，你", 80, "他说：江[晨，你]好。"),
        ("At the Café José sat", "cafe jose", 80, "At the [Café] [José] sat"),
        ("At the Cafe\u0301 sat", "café", 80, "At the [Cafe\u0301] sat"),
        ("ＡＢＣ公司", "abc", 80, "[ＡＢＣ]公司"),
        ("Straße", "strass", 80, "[Straß]e"),
        ("ﬁnal ﬁn", "fin", 80, "[ﬁn]al [ﬁn]"),
        ("lanterns", "lant", 80, "[lant]erns"),
        ("哈哈哈哈", "哈哈", 80, "[哈哈哈哈]"),
        ("一行\n\n\t两行\0三行", "两行", 80, "一行 [两行] 三行"),
        ("没有", "江", 80, "没有"),
        ("", "江", 80, ""),
        ("前" * 50 + "江晨" + "后" * 50, "江晨", 12, "…前前前[江晨]后后后后后后后…"),
        ("江晨" + "后" * 50, "江晨", 12, "[江晨]后后后后后后后后后后…"),
        ("前" * 50 + "江晨", "江晨", 12, "…前前前前前前前前前前[江晨]"),
        ("江" + "。" * 40 + "江。晨" + "。" * 40, "江 晨", 10, "…。。。[江]。[晨]。。。。…"),
        ("江" + "字" * 20, "江" + "字" * 20, 5, "[江字字字字]…"),
    ],
)
def test_the_stretch_that_shows_the_matches(text: str, query: str, width: int, wanted: str) -> None:
    assert shown(text, query, width) == wanted


def test_latin_words_are_left_whole() -> None:
    text = "Every evening the keeper climbed the winding stairs and lit the great lantern again"
    part = excerpt(text, query_of("lit"), 30)
    assert set(part.text.split()) <= set(text.split())
    assert part.before and part.after


def test_a_character_is_not_parted_from_its_marks() -> None:
    text = "字" * 30 + "e\u0301" * 30 + "江" + "e\u0301" * 30
    part = excerpt(text, query_of("江"), 20)
    assert not unicodedata.combining(part.text[0])


@given(TEXTS, TEXTS, st.integers(1, 40))
def test_an_excerpt_is_part_of_the_text_and_its_spans_match(
    text: str, query: str, width: int
) -> None:
    understood = query_of(query, exact=True)
    part = excerpt(text, understood, width)
    assert len(part.text) <= width
    assert list(part.spans) == sorted(part.spans)
    ends = [0]
    for start, end in part.spans:
        assert ends[-1] <= start < end <= len(part.text)
        ends.append(end)
    assert bool(part.spans) or not matches(text, understood)
    part.text.encode("utf-8")


@given(TEXTS, TEXTS)
def test_punctuation_alone_is_never_highlighted(text: str, query: str) -> None:
    whole = excerpt(text, query_of(query), 1000)
    assert all(pieces(whole.text[start:end]) for start, end in whole.spans)


def test_a_text_of_a_million_characters_is_cut_in_bounded_time() -> None:
    part = excerpt("字。" * 500_000 + "江晨", query_of("江晨"), 20)
    assert part == Excerpt(part.text, ((18, 20),), True, False)
