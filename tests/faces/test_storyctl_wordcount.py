"""`storyctl wordcount …` to the letter of the seed («运行工具»)."""

from __future__ import annotations

import pytest
from booklet import Booklet, call
from closing import LENGTH

from clew.faces.cli.storyctl import main
from clew.testing.novel import tree


def test_measure_only_measures(book: Booklet, lang: str) -> None:
    body = book.body(1, 123)
    before = tree(book.root)
    answer = call(
        main, "wordcount", "measure", "--file", body, "--chapter", "序章", "--case-id", "c1"
    )
    assert answer.code == 0
    assert answer.json == {
        "schema": "story-wordcount-measurement/v1", "metric": "visible_chars_v1",
        "chapter": "序章", "case_id": "c1", "actual": 123, "status": "measured",
        "invalid_reason": None,
    }  # fmt: skip
    assert tree(book.root) == before


@pytest.mark.parametrize(
    ("data", "reason", "actual"),
    [(None, "INVALID_FILE", None), (b"", "EMPTY_BODY", 0), (b"\xff\xfe", "INVALID_BODY", None)],
)
@pytest.mark.parametrize("verb", ["measure", "check"])
def test_what_cannot_be_counted_is_invalid_in_the_same_shape(
    book: Booklet, data: bytes | None, reason: str, actual: int | None, verb: str
) -> None:
    path = book.path("x.md") if data is None else book.write("x.md", data)
    more = ["--target", 400] if verb == "check" else []
    answer = call(main, "wordcount", verb, "--file", path, *more)
    assert answer.code == 2
    assert (answer.json["status"], answer.json["invalid_reason"]) == ("invalid", reason)
    assert answer.json["actual"] == actual
    assert answer.json["schema"].startswith("story-wordcount-")


def test_wordcount_check_judges_without_a_book(book: Booklet) -> None:
    body = book.body(1, 500)
    plain = call(main, "wordcount", "check", "--file", body, "--target", 400)
    assert (plain.code, plain.json["status"], plain.json["band_source"]) == (0, "over", "default")
    assert set(plain.json) == LENGTH
    assert (plain.json["signed_error_pct"], plain.json["absolute_error_pct"]) == (0.25, 0.25)
    ranged = call(
        main, "wordcount", "check", "--file", body, "--target", 400, "--min-chars", 500, "--max-chars", 510
    )  # fmt: skip
    assert (ranged.json["status"], ranged.json["band_source"]) == ("internal_pass", "author")


def test_checkpoint_says_what_is_left_to_write(book: Booklet, lang: str) -> None:
    body = book.body(1, 100)
    answer = call(main, "wordcount", "checkpoint", "--file", body, "--target", 400)
    assert answer.code == 0
    assert answer.json == {
        "schema": "story-wordcount-checkpoint/v1", "metric": "visible_chars_v1", "chapter": None,
        "target": 400, "actual": 100, "user_band": {"min": 340, "max": 460},
        "band_source": "default", "remaining_user_range": {"min": 240, "max": 360},
    }  # fmt: skip


def test_checkpoint_reads_target_and_range_from_the_outline(book: Booklet) -> None:
    body = book.body(1, 350)
    book.outline(1, "字数范围：300-380")
    line = ["wordcount", "checkpoint", "--file", body, "--project", book.root, "--chapter", 1]
    found = call(main, *line).json
    assert (found["target"], found["band_source"], found["chapter"]) == (400, "author", "1")
    assert found["remaining_user_range"] == {"min": 0, "max": 30}
    given = call(main, *line, "--min-chars", 400, "--max-chars", 410).json
    assert given["remaining_user_range"] == {"min": 50, "max": 60}


def test_checkpoint_of_an_empty_body_is_a_fair_question(book: Booklet) -> None:
    body = book.body(1, data=b"")
    answer = call(main, "wordcount", "checkpoint", "--file", body, "--target", 400)
    assert (answer.code, answer.json["remaining_user_range"]) == (0, {"min": 340, "max": 460})


def test_checkpoint_with_a_wrong_outline_is_invalid(book: Booklet) -> None:
    book.outline(1, target="四百")
    line = [
        "wordcount",
        "checkpoint",
        "--file",
        book.body(1),
        "--project",
        book.root,
        "--chapter",
        1,
    ]
    answer = call(main, *line)
    assert (answer.code, answer.json["invalid_reason"]) == (2, "INVALID_TARGET")


@pytest.mark.parametrize("number", ["²", "٣", "9" * 5000, "", "x", "-1", "1.0"])
def test_checkpoint_needs_a_chapter_number_in_plain_digits(book: Booklet, number: str) -> None:
    body = book.body(1)
    line = [
        "wordcount",
        "checkpoint",
        "--file",
        body,
        "--project",
        book.root,
        f"--chapter={number}",
    ]
    answer = call(main, *line)
    assert (answer.code, answer.json["error_code"]) == (2, "INVALID_ARGUMENT")
