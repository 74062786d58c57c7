"""`storyctl chapter check` to the letter of the seed («运行工具», 作者字数范围)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from booklet import Booklet, call, prose
from closing import (
    CHECK,
    ERROR,
    LENGTH,
    OVER,
    QUALITY,
    RECORD,
    UNDER,
    check,
    commit,
    refused,
)

from clew.faces.cli.storyctl import main
from clew.testing.novel import tree

# ---- chapter check --------------------------------------------------------------------------------


def test_a_chapter_in_its_band_is_ready_in_exactly_the_seeds_shape(
    book: Booklet, lang: str
) -> None:
    book.ready(1, 400)
    answer = check(book)
    found = answer.json
    assert answer.code == 0
    assert set(found) == CHECK
    assert set(found["length"]) == LENGTH
    assert set(found["quality"]) == QUALITY
    assert found["schema"] == "story-chapter-check/v1"
    assert found["length"]["schema"] == "story-wordcount-result/v1"
    assert (found["status"], found["chapter"]) == ("ready", 1)
    assert found["available_actions"] == ["commit"]
    assert found["compression"] is None
    assert found["state_revision"] == 0
    assert (found["tracking_committed"], found["next_chapter_started"]) == (False, False)
    assert found["quality"] == {
        "status": "pass", "blocking_findings": [], "advisories": [], "semantic_advisories": 0,
        "tool_errors": [],
    }  # fmt: skip
    length = found["length"]
    assert (length["metric"], length["target"], length["actual"]) == ("visible_chars_v1", 400, 400)
    assert length["internal_band"] == {"min": 352, "max": 448, "status": "pass"}
    assert length["user_band"] == {"min": 340, "max": 460, "status": "pass"}
    assert (length["status"], length["band_source"]) == ("internal_pass", "default")
    assert (length["signed_error_pct"], length["invalid_reason"]) == (0.0, None)


@pytest.mark.parametrize(
    ("count", "status", "length", "actions"),
    [
        (339, "needs_decision", "under", UNDER),
        (340, "ready", "borderline", ["commit"]),
        (351, "ready", "borderline", ["commit"]),
        (352, "ready", "internal_pass", ["commit"]),
        (448, "ready", "internal_pass", ["commit"]),
        (449, "ready", "borderline", ["commit"]),
        (460, "ready", "borderline", ["commit"]),
        (461, "needs_decision", "over", OVER),
    ],
)
def test_every_edge_of_the_bands_gives_its_status_and_actions(
    book: Booklet, count: int, status: str, length: str, actions: list[str]
) -> None:
    book.ready(1, count)
    answer = check(book)
    found = answer.json
    assert answer.code == 0
    assert found["length"]["actual"] == count
    assert (found["status"], found["length"]["status"]) == (status, length)
    assert found["available_actions"] == actions


def test_over_returns_the_numbers_of_one_cutting_pass_and_under_offers_no_padding(
    book: Booklet,
) -> None:
    book.ready(1, 500)
    assert check(book).json["compression"] == {
        "mode": "single_pass_remove_only",
        "remove_to_internal_band": {"min": 52, "max": 148},
        "remove_to_user_band": {"min": 40, "max": 160},
    }
    book.body(1, 300)
    short = check(book).json
    assert short["compression"] is None
    assert not [a for a in short["available_actions"] if "expand" in a or "pad" in a]


def test_a_check_writes_nothing_unless_the_chapter_is_over(book: Booklet) -> None:
    book.ready(1, 400)
    before = tree(book.root)
    check(book)
    assert tree(book.root) == before
    body = book.body(1, 500)
    before = tree(book.root)
    check(book)
    after = tree(book.root)
    (new,) = set(after) - set(before)
    assert new == ".story/work/第001章/over_length_baseline.json"
    assert json.loads(after[new]) == {
        "body_sha256": hashlib.sha256(body.read_bytes()).hexdigest(),
        "actual": 500,
    }


def test_a_body_with_blocking_findings_is_blocked_and_may_do_nothing(
    book: Booklet, lang: str
) -> None:
    book.ready(1)
    book.body(1, data=f"# 第1章\n\n{prose(380)}他走到门前，慢慢地".encode())
    answer = check(book)
    found = answer.json
    assert answer.code == 1
    assert (found["status"], found["quality"]["status"]) == ("blocked", "fail")
    assert found["available_actions"] == []
    (finding,) = found["quality"]["blocking_findings"]
    assert finding["type"] == "truncated"
    assert set(finding) == {
        "type", "severity", "review", "message", "line", "column", "excerpt", "advice",
    }  # fmt: skip
    assert finding["message"]["zh"] and finding["message"]["en"]


def test_an_over_long_body_with_blocking_findings_gets_no_compression_and_no_baseline(
    book: Booklet,
) -> None:
    book.ready(1)
    book.body(1, data=f"# 第1章\n\n{prose(600)}TODO 补一段".encode())
    before = tree(book.root)
    found = check(book).json
    assert (found["status"], found["compression"]) == ("blocked", None)
    assert tree(book.root) == before


@pytest.mark.parametrize(
    "data", [b"", b"\xef\xbb\xbf", "# 第1章 渡口\n\n　　\n".encode(), b"---\na: 1\n---\n"]
)
def test_an_empty_body_is_invalid_and_not_a_finding_of_quality(
    book: Booklet, lang: str, data: bytes
) -> None:
    book.ready(1)
    book.body(1, data=data)
    answer = check(book)
    found = answer.json
    assert answer.code == 1
    assert set(found) == CHECK | {"faults"}
    assert (found["status"], found["length"]["invalid_reason"]) == ("invalid", "EMPTY_BODY")
    assert found["quality"]["blocking_findings"] == []
    assert found["available_actions"] == []
    assert found["faults"][0]["code"] == "empty_body"


def test_an_advisory_blocks_nothing_and_a_mechanical_one_is_not_counted_as_semantic(
    book: Booklet,
) -> None:
    book.ready(1)
    book.body(1, data=f"# 第1章\n\n{prose(380)}“细纲写完了吗？”编辑问。\n".encode())
    found = check(book).json
    assert (found["status"], found["quality"]["status"]) == ("ready", "pass")
    assert [f["type"] for f in found["quality"]["advisories"]] == ["meta-leak-quoted"]
    assert found["quality"]["semantic_advisories"] == 0


def test_what_is_committed_and_what_follows_are_told(book: Booklet) -> None:
    for number in (1, 2):
        assert commit(book, book.ready(number), number=number).code == 0
    first, second = check(book).json, check(book, number=2).json
    assert (first["tracking_committed"], first["next_chapter_started"]) == (True, True)
    assert (second["tracking_committed"], second["next_chapter_started"]) == (True, False)
    assert second["state_revision"] == 2


# ---- author's range -------------------------------------------------------------------------------


def test_a_range_in_the_outline_replaces_both_bands(book: Booklet) -> None:
    book.ready(1, 400, "字数范围：300-320")
    found = check(book).json
    assert found["length"]["band_source"] == "author"
    assert found["length"]["internal_band"] == {"min": 300, "max": 320, "status": "fail"}
    assert found["length"]["user_band"] == {"min": 300, "max": 320, "status": "fail"}
    assert found["status"] == "needs_decision"
    assert found["compression"]["remove_to_user_band"] == {"min": 80, "max": 100}


def test_a_range_of_this_run_comes_before_the_outlines_even_when_that_is_unreadable(
    book: Booklet,
) -> None:
    book.ready(1, 400, "字数范围：600-500")
    broken = check(book)
    assert (broken.code, broken.json["status"]) == (1, "invalid")
    assert broken.json["length"]["invalid_reason"] == "INVALID_RANGE"
    given = check(book, "--min-chars", 390, "--max-chars", 410)
    assert (given.code, given.json["status"]) == (0, "ready")
    assert given.json["length"]["band_source"] == "author"
    assert given.json["length"]["user_band"] == {"min": 390, "max": 410, "status": "pass"}


@pytest.mark.parametrize(
    "bounds",
    [
        ["--min-chars", 300], ["--max-chars", 300], ["--min-chars", 400, "--max-chars", 300],
        ["--min-chars", 0, "--max-chars", 300], ["--min-chars", -1, "--max-chars", 3],
        ["--min-chars", "300", "--max-chars", "4_00"], ["--min-chars", "３００", "--max-chars", 400],
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["check", "commit", "accept-current-length"])
def test_one_bound_or_bounds_out_of_order_are_invalid_arguments(
    book: Booklet, bounds: list[object], verb: str
) -> None:
    path = book.ready(1)
    given = ["--input", path] if verb != "check" else []
    argv = ["chapter", verb, "--project", book.root, "--chapter", 1, *given, *bounds]
    found = refused(book, "INVALID_ARGUMENT", lambda: call(main, *argv))
    assert set(found) == ERROR


def test_a_committed_record_holds_the_range_that_was_in_force_and_only_then(book: Booklet) -> None:
    plain = commit(book, book.ready(1, 400))
    assert set(plain.json["wordcount"]) == RECORD
    ranged = commit(book, book.ready(2, 500, "字数范围：480-520"), number=2)
    assert set(ranged.json["wordcount"]) == RECORD | {"author_range"}
    given = commit(book, book.ready(3, 100), "--min-chars", 90, "--max-chars", 110, number=3)
    assert given.json["wordcount"]["author_range"] == {"min": 90, "max": 110}
    state = json.loads(book.path("追踪/_tracking-state.json").read_bytes())
    records = state["wordcount_records"]
    assert records == {
        "1": plain.json["wordcount"], "2": ranged.json["wordcount"], "3": given.json["wordcount"],
    }  # fmt: skip


# ---- files of the book ----------------------------------------------------------------------------


def test_every_missing_file_is_named_at_once(book: Booklet, lang: str) -> None:
    found = refused(book, "CHECK_FAILED", lambda: check(book))
    assert [f["code"] for f in found["faults"]] == ["not_one_file", "not_one_file"]
    shown = json.dumps(found, ensure_ascii=False)
    assert "正文/第001章" in shown and "大纲/细纲_第001章" in shown


def test_two_bodies_or_two_outlines_are_refused_by_name(book: Booklet) -> None:
    book.ready(1)
    book.write("正文/第1章 旧稿.md", "旧。")
    book.write("大纲/细纲_第01章.md", "旧。")
    found = refused(book, "CHECK_FAILED", lambda: check(book))
    assert [f["found"] for f in found["faults"]] == [2, 2]
    assert "第1章 旧稿.md" in json.dumps(found, ensure_ascii=False)


def test_copies_that_a_revision_left_are_no_bodies(book: Booklet) -> None:
    book.ready(1)
    book.write("正文/第001章_渡口_原稿_20300101.md", "旧。")
    assert check(book).json["status"] == "ready"


@pytest.mark.parametrize("wrap", ["bom", "crlf", "cr", "both"])
def test_a_byte_order_mark_and_windows_line_ends_do_not_change_the_count(
    book: Booklet, wrap: str
) -> None:
    book.ready(1)
    text = f"# 第1章 渡口\n\n{prose(400)}"
    data = text.encode()
    if wrap in ("crlf", "both"):
        data = data.replace(b"\n", b"\r\n")
    if wrap == "cr":
        data = data.replace(b"\n", b"\r")
    if wrap in ("bom", "both"):
        data = b"\xef\xbb\xbf" + data
    book.body(1, data=data)
    found = check(book).json
    assert (found["status"], found["length"]["actual"]) == ("ready", 400)


def test_a_body_in_gbk_is_invalid_and_told_as_an_encoding_not_as_broken_prose(
    book: Booklet, lang: str
) -> None:
    path = book.ready(1)
    book.body(1, data=f"# 第1章\n\n{prose(400)}".encode("gbk"))
    answer = check(book)
    found = answer.json
    assert answer.code == 1
    assert (found["status"], found["length"]["invalid_reason"]) == ("invalid", "INVALID_BODY")
    assert [f["code"] for f in found["faults"]] == ["empty_body"]
    refused(book, "CHECK_FAILED", lambda: commit(book, path))


@pytest.mark.parametrize(
    ("line", "reason", "number"),
    [
        ("字数目标：四百", "INVALID_TARGET", 2),
        ("字数目标：４００", "INVALID_TARGET", 2),
        ("字数目标：400\n字数目标：500", "INVALID_TARGET", 3),
        ("字数口径：words", "INVALID_OUTLINE", 2),
    ],
)
def test_a_wrong_outline_is_invalid_with_its_file_and_line(
    book: Booklet, lang: str, line: str, reason: str, number: int
) -> None:
    book.body(1)
    target = [] if line.startswith("字数目标") else ["字数目标：400"]
    metric = [] if line.startswith("字数口径") else ["字数口径：visible_chars_v1"]
    text = "\n".join(["# 第1章：渡口", line, *target, *metric])
    book.write("大纲/细纲_第001章_渡口.md", text + "\n")
    answer = check(book)
    found = answer.json
    assert answer.code == 1
    assert (found["status"], found["length"]["invalid_reason"]) == ("invalid", reason)
    assert found["available_actions"] == []
    (fault,) = found["faults"]
    assert (fault["code"], fault["line"]) == ("bad_outline", number)
    assert fault["file"] == "大纲/细纲_第001章_渡口.md"


def test_an_outline_of_a_bom_and_windows_line_ends_is_read(book: Booklet) -> None:
    path = book.outline(1)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    book.body(1)
    assert check(book).json["status"] == "ready"


def test_english_labels_are_read_like_the_chinese_ones(book: Booklet) -> None:
    text = "# Chapter 1: The Ferry\nLength target: 400\nLength metric: visible_chars_v1\n"
    book.write("大纲/细纲_第001章_Ferry.md", text)
    book.write("正文/第001章_Ferry.md", "# Chapter 1\n\n" + "Lamp and rope. " * 2 + "The end.\n")
    found = check(book).json
    assert (found["status"], found["length"]["status"]) == ("needs_decision", "under")


def test_a_book_without_a_ledger_is_a_chapter_error(tmp_path: Path, lang: str) -> None:
    book = Booklet(tmp_path / "new")
    book.outline(1), book.body(1)
    found = refused(book, "CHECK_FAILED", lambda: check(book))
    assert found["faults"][0]["code"] == "ledger_missing"


def test_a_link_that_leads_out_of_the_book_is_no_body(book: Booklet, tmp_path: Path) -> None:
    book.ready(1)
    book.path("正文/第001章_渡口.md").unlink()
    (tmp_path / "secret.md").write_text(prose(400), encoding="utf-8")
    book.path("正文/第001章_渡口.md").symlink_to(tmp_path / "secret.md")
    found = refused(book, "CHECK_FAILED", lambda: check(book))
    assert found["faults"][0]["code"] == "unsafe_path"


@pytest.mark.parametrize(
    "argv",
    [
        [], ["chapter"], ["chapter", "check"], ["chapter", "publish"], ["chapter", "check", "--chapter", 1, "--what"],
        ["chapter", "check", "--chapter", "one"], ["chapter", "check", "--chapter", "١"],
        ["chapter", "commit", "--chapter", 1], ["wordcount"], ["wordcount", "check"],
    ],
)  # fmt: skip
def test_wrong_arguments_are_a_chapter_error_of_their_own(
    book: Booklet, argv: list[object]
) -> None:
    project = ["--project", book.root] if "--chapter" in argv else []
    assert set(refused(book, "INVALID_ARGUMENT", lambda: call(main, *argv, *project))) == ERROR


@pytest.mark.parametrize("number", [0, 2, 999999999])
def test_a_chapter_number_without_files_is_refused(book: Booklet, number: int) -> None:
    book.ready(1)
    refused(book, "CHECK_FAILED", lambda: check(book, number=number))
