"""Stress, escapes and references inside a line."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from shelf import ANY, letters, texts

from clew.novel.export.inline import Span, plain, sound, spans


def _shown(text: str) -> str:
    """A line with its stress written out: `<em>`, `<b>`, `<em-b>`."""
    out = ""
    for span in spans(text):
        tag = "-".join(name for name, on in (("em", span.em), ("b", span.strong)) if on)
        out += f"<{tag}>{span.text}</>" if tag else span.text
    return out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("他*猛地*站起", "他<em>猛地</>站起"),
        ("他**猛地**站起", "他<b>猛地</>站起"),
        ("***站住***！", "<em-b>站住</>！"),
        ("a *b **c** d*", "a <em>b </><em-b>c</><em> d</>"),
        ("_x_ 与 __y__", "<em>x</> 与 <b>y</>"),
        # Chinese writes no spaces around a stressed quotation.
        ("他说**“你好”**就走", "他说<b>“你好”</>就走"),
        ("**站住！**他喊", "<b>站住！</>他喊"),
        ("她**（低声）**说", "她<b>（低声）</>说"),
        ("他说*3*遍，*ok*了", "他说<em>3</>遍，<em>ok</>了"),
    ],
)
def test_stress_is_seen(text: str, shown: str) -> None:
    assert _shown(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name", "2 * 3 * 4", "* 一颗星", "操**，你个", "他***的", "**", "***", "a_", "_",
        "一个*星号", "¯ツ_/¯", "[系统](提示)", "<b>粗</b>", "`码`", "（´・ω・`）", "A&B", "&bogus;", "&#0;",
        "3*2*1", "x = 3*2*1 + a*b", "2**3**4", "5*6",
        "&#xD800;", "&#x110000;", "&#1114112;", "&nbsp", "\\n", "C:\\书", "\\",
    ],
)  # fmt: skip
def test_what_is_no_mark_stays_as_it_was_written(text: str) -> None:
    assert _shown(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"\*不是\*", "*不是*"), (r"\_\_", "__"), (r"1986\. 那年", "1986. 那年"), (r"\\", "\\"),
        ("&amp;&lt;&gt;&quot;", '&<>"'), ("&hellip;&mdash;", "…—"), ("&#65;&#x6E21;", "A渡"),
        ("&nbsp;&emsp;", "\u00a0\u2003"), (r"\&amp;", r"\&"),
    ],
)  # fmt: skip
def test_escapes_and_references_mean_a_character(text: str, shown: str) -> None:
    assert _shown(text) == shown


@given(ANY)
def test_pieces_are_never_empty_and_neighbours_differ(text: str) -> None:
    found = spans(text)
    assert all(span.text for span in found)
    assert all(a[1:] != b[1:] for a, b in pairwise(found))


@given(texts("江晨ab。，“”（）*_ 1"))
def test_no_letter_is_lost_and_marks_are_lost_in_pairs(text: str) -> None:
    left = plain(text)
    assert letters(left) == letters(text)
    assert (text.count("*") - left.count("*")) % 2 == 0
    assert (text.count("_") - left.count("_")) % 2 == 0


def test_characters_that_no_xml_can_hold_are_left_out() -> None:
    assert sound("a\x00b\x1bc\x85d\ufffee\ud800f\U0001ffffg\tz") == "abcdefg\tz"
    assert sound("渡口🏮𠮷\u200d\ufffd") == "渡口🏮𠮷\u200d\ufffd"
    assert spans("") == ()
    assert spans("a") == (Span("a"),)


@pytest.mark.parametrize("piece", ["*a", "_a*", "**a*b_", "&a", "\\", "*", "a*_"])
def test_a_very_long_line_takes_time_in_proportion(piece: str) -> None:
    """A quadratic way would take minutes here."""
    text = piece * (400_000 // len(piece))
    begun = time.monotonic()
    plain(text)
    assert time.monotonic() - begun < 20
