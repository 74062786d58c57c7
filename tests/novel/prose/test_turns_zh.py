"""How sure a turn is: by what is denied, what is asserted, and where it stands."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.prose.spans import outside
from clew.novel.prose.turns_zh import turns


def grades(text: str) -> list[str]:
    denied, asserted = turns(text)
    return [turn.grade for turn in sorted((*denied, *asserted))]


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("不是恐惧，而是愤怒。", "sure"),
        ("他眼里不是恐惧，而是愤怒。", "sure"),
        ("他心里涌起的不是喜悦，而是悲凉。", "sure"),
        ("那不是愤怒，而是一种比愤怒更冷的东西。", "sure"),
        ("这不是结束，而是开始。", "sure"),
        ("他沉默了。不是愤怒，不是悲伤，而是疲惫。", "sure"),
        ("是恨，不是怨。", "sure"),
        ("他不是恐惧，而是愤怒。", "turn"),
        ("那不是雾。\n那是鸟群。", "turn"),
        ("不是害怕，是冷。", "turn"),
        ("那不是愤怒，而是一种很苦的药。", "turn"),
        ("门外不是风，不是雨，而是水声。", "turn"),
        ("真正让他停住的不是枪声，而是口琴。", "turn"),
        ("来的不是船，而是木筏。", "plain"),
        ("船不是往南开，而是往北开。", "plain"),
        ("那不是一个人，而是两个人。", "plain"),
        ("那不是他，是我哥哥。", "plain"),
        ("那不是自杀，而是他杀。", "plain"),
        ("他得的不是焦虑，而是抑郁。", "plain"),
        ("信封里装的是钱，不是信。", "plain"),
    ],
)
def test_a_turn_is_graded(text: str, grade: str) -> None:
    assert grades(text) == [grade]


@pytest.mark.parametrize(
    "text",
    [
        "题目不是孤独，而是恐惧。",
        "这个词不是愤怒，而是愤慨。",
        "那首歌不是告别，而是重逢。",
        "诊断不是焦虑，而是麻木。",
        "声音里不是愤怒，而是恐惧，他在病历上改了一个词。",
        "那不是愤怒，而是厌恶，他又答错了。",
    ],
)
def test_a_word_a_title_or_a_diagnosis_may_be_corrected(text: str) -> None:
    assert "sure" not in grades(text)


def test_what_is_reported_is_no_turn_of_the_storyteller() -> None:
    for text in ("他说，不是恐惧，而是愤怒。", "她教学生分辨：这不是愤怒，而是委屈。"):
        assert grades(text) == []


@given(
    st.lists(
        st.sampled_from(["不是恐惧", "，而是", "愤怒", "是怕，", "不是疑", "。", "\n", "那", "的"])
    )
)
def test_turns_lie_in_the_text_and_in_order(parts: list[str]) -> None:
    text = "".join(parts)
    for found in turns(text):
        places = [(turn.start, turn.end) for turn in found]
        assert places == sorted(places)
        assert all(0 <= start < end <= len(text) for start, end in places)


@given(st.text(alphabet="ab ", max_size=60), st.sets(st.integers(0, 60), max_size=12))
def test_outside_leaves_out_what_begins_in_a_span(text: str, edges: set[int]) -> None:
    ends = sorted(edges)
    spans = list(zip(ends[::2], ends[1::2], strict=False))
    kept = [found.start() for found in outside(spans, re.finditer("a", text))]
    wanted = [
        at for at, char in enumerate(text) if char == "a" and not any(s <= at < e for s, e in spans)
    ]
    assert kept == wanted
