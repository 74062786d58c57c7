"""The last sentences of a body, whole and within a limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.lastwords import last_words


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("# 第1章 起风\n\n风起了。船开了。\n", 200, "风起了。船开了。"),
        ("风起了。\n\n“走吧。”他说。\n\n船开了。", 12, "他说。 船开了。"),
        ("风起了。\n\n“走吧。”他说。\n\n船开了。", 13, "“走吧。”他说。 船开了。"),
        ("风起了。\n\n“走吧。”他说。\n\n船开了。", 4, "船开了。"),
        ("他说：“走。”\n<!-- 记得改 -->\n\n***\n", 50, "他说：“走。”"),
        ("一" * 300 + "。", 20, "…" + "一" * 18 + "。"),
        ("没有句号的一行", 50, "没有句号的一行"),
        ("# 第1章\n\n```\n系统\n```\n", 50, ""),
        ("", 50, ""),
        ("Mr. Pell shut the book at 7.52. It rained.\n", 41, "It rained."),
        ("Mr. Pell shut the book at 7.52. It rained.\n", 42, "Mr. Pell shut the book at 7.52. It rained."),
        ("“Paper keeps,” said Jory. “Does it?”", 14, "“Does it?”"),
    ],
)  # fmt: skip
def test_whole_sentences_from_the_end(text: str, limit: int, expected: str) -> None:
    assert last_words(text, limit) == expected


@given(st.text(max_size=400), st.integers(2, 120))
def test_any_text_gives_one_line_within_the_limit(text: str, limit: int) -> None:
    found = last_words(text, limit)
    assert "\n" not in found
    assert len(found) <= limit


def test_a_very_long_body_is_looked_at_from_its_end() -> None:
    assert last_words("字" * 1_000_000 + "。\n" + "船开了。", 10) == "船开了。"
