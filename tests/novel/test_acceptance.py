"""The accept floor, the one compression, and what may be done with a chapter's length."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel import acceptance
from clew.novel.acceptance import Baseline
from clew.novel.wordcount import CharRange, status_of

OLD, NEW = "a" * 64, "b" * 64


@pytest.mark.parametrize(
    ("status", "actions"),
    [
        ("internal_pass", ("commit",)),
        ("borderline", ("commit",)),
        (
            "over",
            ("compress-once", "accept-current-length", "revise-outline-or-target", "discard"),
        ),
        ("under", ("accept-current-length", "revise-outline-or-target", "discard")),
        ("invalid", ()),
    ],
)
def test_a_short_chapter_is_never_padded_and_a_long_one_may_be_cut(
    status: str, actions: tuple[str, ...]
) -> None:
    assert acceptance.available_actions(status) == actions


def test_compression_says_how_much_to_remove_for_each_band() -> None:
    assert msgspec.to_builtins(acceptance.compression(1500, 1200)) == {
        "mode": "single_pass_remove_only",
        "remove_to_internal_band": {"min": 156, "max": 444},
        "remove_to_user_band": {"min": 120, "max": 480},
    }
    by_range = acceptance.compression(1500, 1200, CharRange(1000, 1100))
    assert by_range is not None
    assert by_range.remove_to_user_band == CharRange(400, 500)


@pytest.mark.parametrize("actual", [1380, 1200, 500])
def test_there_is_nothing_to_compress_unless_the_chapter_is_over(actual: int) -> None:
    assert acceptance.compression(actual, 1200) is None


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_removing_as_told_ends_inside_the_band(actual: int, target: int) -> None:
    block = acceptance.compression(actual, target)
    assert (block is not None) == (status_of(actual, target) == "over")
    if block:
        assert status_of(actual - block.remove_to_internal_band.min, target) == "internal_pass"
        assert status_of(actual - block.remove_to_internal_band.max, target) == "internal_pass"
        assert status_of(actual - block.remove_to_user_band.min + 1, target) == "over"


def test_the_first_baseline_is_kept_until_the_chapter_grows() -> None:
    first = acceptance.next_baseline(None, body_sha256=OLD, actual=1500)
    assert first == Baseline(OLD, 1500)
    assert acceptance.next_baseline(first, body_sha256=NEW, actual=1500) is first
    assert acceptance.next_baseline(first, body_sha256=NEW, actual=1400) is first
    assert acceptance.next_baseline(first, body_sha256=NEW, actual=1501) == Baseline(NEW, 1501)


def accept(actual: int, baseline: Baseline | None = None, sha: str = NEW) -> str | None:
    return acceptance.accept_refusal(actual=actual, target=1200, body_sha256=sha, baseline=baseline)


def test_below_half_the_target_is_refused() -> None:
    assert accept(599) == "BELOW_ACCEPT_FLOOR"
    assert accept(600) is None


def test_the_floor_does_not_bind_a_chapter_inside_the_authors_range() -> None:
    found = acceptance.accept_refusal(
        actual=350, target=1200, body_sha256=NEW, author_range=CharRange(300, 400)
    )
    assert found is None


def test_an_over_long_chapter_is_refused_until_it_was_cut_once() -> None:
    # 1500 is 120 over the user band (1380): 60 must go.
    seen = Baseline(OLD, 1500)
    assert accept(1500) == "COMPRESSION_REQUIRED"
    assert accept(1500, seen, OLD) == "COMPRESSION_REQUIRED"
    assert accept(1441, seen) == "COMPRESSION_REQUIRED"
    assert accept(1440, seen, OLD) == "COMPRESSION_REQUIRED"
    assert accept(1440, seen) is None


def test_half_of_an_odd_excess_is_rounded_up_and_one_character_is_the_least() -> None:
    assert accept(1382, Baseline(OLD, 1383)) == "COMPRESSION_REQUIRED"
    assert accept(1381, Baseline(OLD, 1383)) is None
    assert accept(1381, Baseline(OLD, 1382)) is None
    assert accept(1381, Baseline(OLD, 1381)) == "COMPRESSION_REQUIRED"
