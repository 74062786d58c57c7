"""Story times: what can be compared, and which comes first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.lint import storytime
from clew.novel.lint.storytime import before, is_meant, is_moment, number, part_of_day, when

SCHEMES = [
    ("民国二十二年八月十七，中秋后第二天", "era 民国"),
    ("民国十九年九月", "era 民国"),
    ("光绪元年正月", "era 光绪"),
    ("景和十九年九月初三", "era 景和"),
    ("景和二年除夕", "era 景和"),
    ("天元历三百二十年", "era 天元历"),
    ("过了十九年", None),
    ("已经三年", None),
    ("他走的第二年春", None),
    ("时隔三年", None),
    ("公元七五五年", "date"),
    ("二〇一九年三月", "date"),
    ("2026年5月3日", "date"),
    ("2026-05-03 21:00", "date"),
    ("2026/5/3", "date"),
    ("Monday 7 February 1927", "date"),
    ("February 7th, 1927", "date"),
    ("Late November 1926", "date"),
    ("Autumn 1925", "date"),
    ("Thursday 17 to Friday 18 February 1927", "date"),
    ("三月初七", "month and day"),
    ("闰五月初一", "month and day"),
    ("5月3日", "month and day"),
    ("May 3", "month and day"),
    ("第三天", "day of "),
    ("第十二日夜", "day of "),
    ("Day 3", "day of "),
    ("the third day", "day of "),
    ("入宫第三天", "day of 入宫"),
    ("Voyage, day twelve", "day of "),
    ("实弹训练两天后", "days after 实弹训练"),
    ("第二天", None),
    ("次日", None),
    ("三年前", None),
    ("立秋前夜", None),
    ("8.32 p.m.", None),
    ("第三天之后", None),
    ("十三月初一", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "scheme"), SCHEMES)
def test_the_kind_of_a_story_time(text: str, scheme: str | None) -> None:
    found = when(text)
    assert (found.scheme if found else None) == scheme


IN_ORDER = [
    ("民国二十二年八月十七", "民国二十二年八月十八早上"),
    ("民国二十年八月廿六", "民国二十二年正月初一"),
    ("民国二十二年五月廿九", "民国二十二年闰五月初一"),
    ("民国二十二年闰五月三十", "民国二十二年六月初一"),
    ("2026年5月3日", "2026-05-04"),
    ("2 May 1927", "May 3, 1927"),
    ("Autumn 1925", "Late November 1926"),
    ("2019年", "二〇二〇年三月"),
    ("第三天", "第十一天"),
    ("Day 9", "Day 10"),
    ("the second day", "Day 3"),
    ("三月初七", "四月初一"),
    ("腊月廿九", "正月初二"),
    ("December 30", "January 2"),
    ("民国二十二年九月初二上午", "民国二十二年九月初二傍晚"),
    ("Monday 7 February 1927, morning", "Monday 7 February 1927, night"),
]


@pytest.mark.parametrize(("first", "second"), IN_ORDER)
def test_the_earlier_of_two_is_before_and_not_after(first: str, second: str) -> None:
    a, b = when(first), when(second)
    assert a is not None
    assert b is not None
    assert before(a, b)
    assert not before(b, a)


NOT_CLEAR = [
    ("民国二十二年八月", "民国二十二年八月十七"),
    ("2026-05-03", "2026年"),
    ("民国二十二年八月廿三傍晚", "民国二十二年八月廿三夜"),
    ("民国二十二年八月廿三夜", "民国二十二年八月廿三凌晨"),
    ("八月廿四至廿五", "八月廿四"),
    ("8 February 1927", "8 February 1927"),
]


@pytest.mark.parametrize(("one", "other"), NOT_CLEAR)
def test_what_is_not_clear_is_neither_before_nor_after(one: str, other: str) -> None:
    a, b = when(one), when(other)
    assert a is not None
    assert b is not None
    assert not before(a, b)
    assert not before(b, a)


@pytest.mark.parametrize(
    ("text", "value"),
    [("廿六", 26), ("十", 10), ("十九", 19), ("二十二", 22), ("一百零三", 103), ("卅", 30), ("１２", 12),
     ("二〇一九", 2019), ("元", 1), ("两", 2), ("天", None)],
)  # fmt: skip
def test_numbers(text: str, value: int | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "rank"),
    [("廿六早上", 1), ("上午", 2), ("正午", 3), ("午后", 4), ("傍晚", 5), ("廿三夜", 6), ("当晚", 6),
     ("凌晨", None), ("半夜", None), ("清晨至傍晚", None), ("八月十七", None), ("at dusk", 5)],
)  # fmt: skip
def test_parts_of_the_day(text: str, rank: int | None) -> None:
    assert part_of_day(text) == rank


@pytest.mark.parametrize(
    ("text", "meant"),
    [("回忆：三年前", True), ("倒叙", True), ("Flashback, 1990", True), ("Three years ago", True),
     ("民国二十二年八月廿三夜", False), ("Monday 7 February 1927", False), ("Chicago", False)],
)  # fmt: skip
def test_what_says_itself_that_it_is_out_of_order(text: str, meant: bool) -> None:
    assert is_meant(text) == meant


@pytest.mark.parametrize(
    ("text", "precise"),
    [("九月初四夜", True), ("2026-05-03 21:00", True), ("子时", True), ("9 p.m.", True), ("晚上九点", True),
     ("九月初四", False), ("立秋", False), ("夜", False), ("第三天", False), ("第三天夜里", True)],
)  # fmt: skip
def test_times_precise_enough_to_be_in_one_place(text: str, precise: bool) -> None:
    assert is_moment(text) == precise


@given(
    st.text(
        alphabet="民国二十廿元年月日初正闰第天后夜早晨至012389-/.:,May thirdDay0th ０９前",
        max_size=30,
    )
)
def test_any_text_is_read_and_nothing_is_before_itself(text: str) -> None:
    found = when(text)
    if found is not None:
        assert found.first <= found.last
        assert not before(found, found)
    assert storytime.is_moment(text) in (True, False)
