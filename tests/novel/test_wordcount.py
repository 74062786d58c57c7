"""The visible-character metric, the bands and the shapes of the word count answers."""

from __future__ import annotations

import hashlib

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clew.novel import wordcount as wc
from clew.novel.wordcount import CharRange

SHA = hashlib.sha256(b"body").hexdigest()
# Paragraphs that cannot start a heading or front matter, so that only counting is in question.
paragraphs = st.text(st.sampled_from("雨夜a1。，—“”é😀 　\t\u200b\u2028"), min_size=1).map(
    "文".__add__
)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("", 0),
        (" \t\u3000\n\u00a0\u2028\u205f", 0),
        ("他走了。", 4),
        ("# 第1章 账房\n他走了。", 4),
        ("\n 　\n  ## 第1章 账房\n他走了。", 4),
        ("#　第1章\n他走了。", 4),
        ("# 第1章\n## 一\n他走了。", 7),
        ("#标题\n他走了。", 7),
        ("    # 四格\n他走了。", 7),
        ("####### 七\n", 8),
        ("他走了。\n# 后面的标题", 10),
        ("e\u0301", 2),
        ("😀", 1),
        ("👨\u200d👩", 3),
        ("a\u200bb\ufeffc", 5),
        ("\ufeff他走了。", 4),
        ("\ufeff\ufeff他", 2),
        ("a\x1cb", 3),
        ("<!-- 注 -->", 8),
        ("---\ntitle: 账房\n---\n# 第1章\n他走了。", 4),
        ("---\r\n标题: 账房\r\n...\r\n他走了。", 4),
        ("---\n他走了。\n---\n雨停了。", 14),
        ("---\n---\n他走了。", 10),
        ("---\ntitle: x\n他走了。", 14),
    ],
)
def test_visible_characters_are_code_points_without_white_space(body: str, count: int) -> None:
    assert wc.visible_chars_v1(body) == count
    assert wc.visible_chars_v1(body.encode()) == count


@pytest.mark.parametrize(("inner", "count"), [(199, 1), (200, 3 + 2 * 200 + 3 + 1)])
def test_front_matter_must_close_within_two_hundred_lines(inner: int, count: int) -> None:
    assert wc.visible_chars_v1("---\n" + "a:\n" * inner + "---\n文") == count


@given(st.lists(paragraphs), st.text(st.sampled_from(wc.WHITESPACE.replace("\n", ""))))
def test_added_white_space_never_changes_the_count(parts: list[str], blank: str) -> None:
    plain = "".join(parts)
    assert wc.visible_chars_v1((blank + "\n").join(parts)) == wc.visible_chars_v1(plain)


@given(paragraphs, paragraphs)
def test_the_count_adds_up_over_paragraphs(one: str, two: str) -> None:
    both = wc.visible_chars_v1(f"{one}\n\n{two}")
    assert both == wc.visible_chars_v1(one) + wc.visible_chars_v1(two)


@given(st.text())
def test_newline_style_never_changes_the_count(text: str) -> None:
    unix = text.replace("\r", "")
    assert wc.visible_chars_v1(unix.replace("\n", "\r\n")) == wc.visible_chars_v1(unix)
    assert wc.visible_chars_v1(unix.replace("\n", "\r")) == wc.visible_chars_v1(unix)


@given(st.text(), st.text())
def test_the_count_of_any_text_is_between_zero_and_its_length(text: str, more: str) -> None:
    assert 0 <= wc.visible_chars_v1(text) <= len(text)
    assume(not text.startswith(("-", "\ufeff")))
    assert wc.visible_chars_v1(f"文{text}{more}") >= wc.visible_chars_v1(f"文{text}")


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("# Chapter 1\nDon't go there: it's a well-known lie.", 7),
        ("She’d left—at 3.15 p.m.", 7),
        ("他说 hello 世界", 1),
        ("Élodie naïve Привет", 3),
        ("-- ' --", 0),
    ],
)
def test_words_are_runs_of_letters_and_digits(body: str, count: int) -> None:
    assert wc.words(body) == count


@pytest.mark.parametrize(
    ("target", "inner", "outer"),
    [
        (1200, (1056, 1344), (1020, 1380)),
        (1001, (881, 1121), (851, 1151)),
        (1, (1, 1), (1, 1)),
    ],
)
def test_bands_are_exact_integers(
    target: int, inner: tuple[int, int], outer: tuple[int, int]
) -> None:
    assert wc.internal_band(target) == CharRange(*inner)
    assert wc.user_band(target) == CharRange(*outer)


@given(st.integers(1, wc.MAX_TARGET))
def test_bands_nest_around_the_target(target: int) -> None:
    inner, outer = wc.internal_band(target), wc.user_band(target)
    assert outer.min <= inner.min <= target <= inner.max <= outer.max
    assert 100 * inner.min >= 88 * target > 100 * (inner.min - 1)
    assert 100 * outer.max <= 115 * target < 100 * (outer.max + 1)


@pytest.mark.parametrize(
    ("actual", "status"),
    [
        (1019, "under"),
        (1020, "borderline"),
        (1055, "borderline"),
        (1056, "internal_pass"),
        (1344, "internal_pass"),
        (1345, "borderline"),
        (1380, "borderline"),
        (1381, "over"),
    ],
)
def test_status_follows_the_two_bands(actual: int, status: str) -> None:
    assert wc.status_of(actual, 1200) == status


@pytest.mark.parametrize(
    ("actual", "status"),
    [(599, "under"), (600, "internal_pass"), (1500, "internal_pass"), (1501, "over")],
)
def test_an_author_range_replaces_both_bands(actual: int, status: str) -> None:
    assert wc.status_of(actual, 900, CharRange(600, 1500)) == status


def test_a_measurement_has_the_documented_keys() -> None:
    assert msgspec.to_builtins(wc.measure("# 题\n他走了。", chapter=3, case_id="a")) == {
        "schema": "story-wordcount-measurement/v1",
        "metric": "visible_chars_v1",
        "chapter": 3,
        "case_id": "a",
        "actual": 4,
        "status": "measured",
        "invalid_reason": None,
    }


@pytest.mark.parametrize(
    ("body", "reason", "actual"),
    [(b"", "EMPTY_BODY", 0), (b"\xff\xfe", "INVALID_BODY", None), (None, "INVALID_FILE", None)],
)
def test_a_body_that_cannot_be_measured_says_why(
    body: bytes | None, reason: str, actual: int | None
) -> None:
    found = wc.measure(body)
    assert (found.status, found.invalid_reason, found.actual) == ("invalid", reason, actual)


def test_a_length_result_has_the_documented_keys() -> None:
    assert msgspec.to_builtins(wc.length_result("文" * 88, target=100, chapter="7")) == {
        "schema": "story-wordcount-result/v1",
        "metric": "visible_chars_v1",
        "chapter": "7",
        "case_id": None,
        "target": 100,
        "actual": 88,
        "internal_band": {"min": 88, "max": 112, "status": "pass"},
        "user_band": {"min": 85, "max": 115, "status": "pass"},
        "signed_error_pct": -0.12,
        "absolute_error_pct": 0.12,
        "band_source": "default",
        "status": "internal_pass",
        "invalid_reason": None,
    }


def test_a_length_result_by_the_authors_range_says_so() -> None:
    found = wc.length_result("文" * 88, target=100, author_range=CharRange(90, 95))
    assert (found.status, found.band_source) == ("under", "author")
    assert found.internal_band == found.user_band == wc.Band(90, 95, "fail")


@pytest.mark.parametrize(
    ("body", "target", "bounds", "reason"),
    [
        (b"\xff", 0, None, "INVALID_BODY"),
        ("文", 0, None, "INVALID_TARGET"),
        ("文", None, None, "INVALID_TARGET"),
        ("文", True, None, "INVALID_TARGET"),
        ("文", wc.MAX_TARGET + 1, None, "INVALID_TARGET"),
        ("文", 100, CharRange(9, 3), "INVALID_RANGE"),
        ("文", 100, CharRange(0, 3), "INVALID_RANGE"),
        ("# 题", 100, None, "EMPTY_BODY"),
        (None, 100, None, "INVALID_FILE"),
    ],
)
def test_an_invalid_length_result_says_why(
    body: str | bytes | None, target: int | None, bounds: CharRange | None, reason: str
) -> None:
    found = wc.length_result(body, target=target, author_range=bounds)
    assert (found.status, found.invalid_reason) == ("invalid", reason)


def test_what_the_caller_found_wrong_comes_first() -> None:
    found = wc.length_result("文", target=0, invalid_reason="INVALID_OUTLINE")
    assert (found.invalid_reason, found.actual, found.internal_band) == (
        "INVALID_OUTLINE",
        None,
        None,
    )


def test_a_checkpoint_says_how_much_is_left_and_carries_no_status() -> None:
    assert msgspec.to_builtins(wc.checkpoint("文" * 30, target=100, chapter=2)) == {
        "schema": "story-wordcount-checkpoint/v1",
        "metric": "visible_chars_v1",
        "chapter": 2,
        "target": 100,
        "actual": 30,
        "user_band": {"min": 85, "max": 115},
        "band_source": "default",
        "remaining_user_range": {"min": 55, "max": 85},
    }


@pytest.mark.parametrize(
    ("written", "bounds", "left"),
    [
        (0, None, (85, 115)),
        (90, None, (0, 25)),
        (200, None, (0, 0)),
        (30, CharRange(40, 50), (10, 20)),
    ],
)
def test_what_is_left_never_goes_below_zero(
    written: int, bounds: CharRange | None, left: tuple[int, int]
) -> None:
    found = wc.checkpoint("文" * written, target=100, author_range=bounds)
    assert found.remaining_user_range == CharRange(*left)


def test_an_invalid_checkpoint_says_why() -> None:
    assert wc.checkpoint("文", target=0).invalid_reason == "INVALID_TARGET"
    assert wc.checkpoint(b"\xff", target=9).invalid_reason == "INVALID_BODY"
    found = wc.checkpoint("文", target=9, author_range=CharRange(2, 1))
    assert (found.invalid_reason, found.remaining_user_range) == ("INVALID_RANGE", None)


def test_a_word_record_has_six_keys_and_a_seventh_for_an_author_range() -> None:
    six = msgspec.to_builtins(wc.word_record(actual=990, target=900, body_sha256=SHA))
    assert six == {
        "metric": "visible_chars_v1",
        "target": 900,
        "actual": 990,
        "status": "internal_pass",
        "resolution": "within_user_band",
        "body_sha256": SHA,
    }
    seven = wc.word_record(
        actual=990, target=900, body_sha256=SHA, author_range=CharRange(600, 800)
    )
    assert msgspec.to_builtins(seven) == six | {
        "status": "over",
        "resolution": "accepted_current_length",
        "author_range": {"min": 600, "max": 800},
    }


@pytest.mark.parametrize(
    ("actual", "target", "sha", "bounds"),
    [
        (0, 900, SHA, None),
        (900, 0, SHA, None),
        (900, 900, SHA.upper(), None),
        (900, 900, SHA[:-1], None),
        (900, 900, SHA, CharRange(2, 1)),
    ],
)
def test_a_record_that_no_chapter_can_have_is_refused(
    actual: int, target: int, sha: str, bounds: CharRange | None
) -> None:
    with pytest.raises(ValueError, match="must be"):
        wc.word_record(actual=actual, target=target, body_sha256=sha, author_range=bounds)


@given(st.text() | st.binary() | st.none(), st.integers() | st.none(), st.integers())
def test_no_answer_ever_raises(body: str | bytes | None, target: int | None, low: int) -> None:
    bounds = CharRange(low, low + 10)
    result = wc.length_result(body, target=target, author_range=bounds)
    left = wc.checkpoint(body, target=target, author_range=bounds)
    assert (result.status == "invalid") == (result.invalid_reason is not None)
    assert wc.measure(body).actual == result.actual == left.actual
