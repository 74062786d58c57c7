"""`storyctl` to the letter of the seed («运行工具»): shapes, statuses, actions, exit codes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from booklet import Answer, Booklet, call, prose

from clew.faces.cli.storyctl import main
from clew.testing.novel import chapter, tree

CHECK = {
    "schema", "status", "chapter", "length", "quality", "compression", "state_revision",
    "tracking_committed", "next_chapter_started", "available_actions",
}  # fmt: skip
COMMITTED = CHECK | {"wordcount", "mode", "work_dir_removed"}
ERROR = {"schema", "status", "error_code", "message", "faults"}
REFUSAL = ERROR | {"chapter", "length", "quality", "compression", "available_actions"}
LENGTH = {
    "schema", "metric", "chapter", "case_id", "target", "actual", "internal_band", "user_band",
    "signed_error_pct", "absolute_error_pct", "band_source", "status", "invalid_reason",
}  # fmt: skip
QUALITY = {"status", "blocking_findings", "advisories", "semantic_advisories", "tool_errors"}
RECORD = {"metric", "target", "actual", "status", "resolution", "body_sha256"}
UNDER = ["accept-current-length", "revise-outline-or-target", "discard"]
OVER = ["compress-once", *UNDER]


@pytest.fixture(params=["zh", "en"])
def lang(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CLEW_LANG", request.param)
    return str(request.param)


def check(book: Booklet, *more: object, number: int = 1) -> Answer:
    return call(main, "chapter", "check", "--project", book.root, "--chapter", number, *more)


def commit(book: Booklet, path: Path, *more: object, number: int = 1) -> Answer:
    return call(
        main, "chapter", "commit", "--project", book.root, "--chapter", number, "--input", path, *more
    )  # fmt: skip


def accept(book: Booklet, path: Path, *more: object, number: int = 1) -> Answer:
    verb = "accept-current-length"
    return call(
        main, "chapter", verb, "--project", book.root, "--chapter", number, "--input", path, *more
    )  # fmt: skip


def refused(book: Booklet, code: str, run: object, exit_code: int = 2) -> dict[str, object]:
    """The error that a command answers; the whole book is as it was before."""
    before = tree(book.root)
    answer = run()  # type: ignore[operator]
    assert tree(book.root) == before
    assert (answer.code, answer.json["error_code"]) == (exit_code, code), answer
    assert answer.json["schema"] == "story-chapter-error/v1"
    assert answer.json["status"] == "error"
    assert answer.json["message"]
    return dict(answer.json)


# ---- chapter check -------------------------------------------------------------------------------


def test_a_chapter_in_its_band_is_ready_in_exactly_the_seeds_shape(book: Booklet, lang: str) -> None:
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


def test_a_body_with_blocking_findings_is_blocked_and_may_do_nothing(book: Booklet, lang: str) -> None:
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
        "type", "severity", "review", "message", "line", "column", "excerpt",
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


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", "# 第1章 渡口\n\n　　\n".encode(), b"---\na: 1\n---\n"])
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


# ---- author's range ------------------------------------------------------------------------------


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


# ---- chapter commit ------------------------------------------------------------------------------


def test_a_commit_answers_the_check_with_what_was_committed_on_it(book: Booklet, lang: str) -> None:
    path = book.ready(1, 400)
    answer = commit(book, path)
    found = answer.json
    assert answer.code == 0
    assert set(found) == COMMITTED
    assert (found["status"], found["mode"], found["chapter"]) == ("ready", "append", 1)
    assert (found["state_revision"], found["tracking_committed"]) == (1, True)
    body = book.path("正文/第001章_渡口.md").read_bytes()
    assert found["wordcount"] == {
        "metric": "visible_chars_v1", "target": 400, "actual": 400, "status": "internal_pass",
        "resolution": "within_user_band", "body_sha256": hashlib.sha256(body).hexdigest(),
    }  # fmt: skip
    assert found["work_dir_removed"] == ".story/work/第001章"
    assert not book.path(".story").exists()


def test_only_the_chapters_scratch_folder_goes_and_the_authors_memory_stays(book: Booklet) -> None:
    path = book.ready(1)
    book.write(".story/work/第001章/notes/草稿.md", "随手")
    book.write(".story/work/第002章/tracking.json", "{}")
    book.write(".story/作者记忆/偏好.md", "少用比喻")
    assert commit(book, path).json["work_dir_removed"] == ".story/work/第001章"
    left = {name for name in tree(book.root) if name.startswith(".story")}
    assert left == {
        ".story/", ".story/work/", ".story/work/第002章/", ".story/work/第002章/tracking.json",
        ".story/作者记忆/", ".story/作者记忆/偏好.md",
    }  # fmt: skip


def test_a_link_in_the_scratch_folder_is_removed_and_never_followed(
    book: Booklet, tmp_path: Path
) -> None:
    kept = tmp_path / "elsewhere"
    kept.mkdir()
    (kept / "precious.md").write_text("stay", encoding="utf-8")
    path = book.ready(1)
    book.path(".story/work/第001章/link").symlink_to(kept)
    assert commit(book, path).code == 0
    assert (kept / "precious.md").read_text(encoding="utf-8") == "stay"
    assert not book.path(".story/work/第001章").exists()


def test_a_scratch_folder_that_is_not_there_is_null(book: Booklet, tmp_path: Path) -> None:
    path = book.ready(1)
    elsewhere = tmp_path / "tx.json"
    path.rename(elsewhere)
    path.parent.rmdir()
    assert commit(book, elsewhere).json["work_dir_removed"] is None


@pytest.mark.parametrize("count", [339, 461])
def test_a_commit_outside_the_band_is_refused_with_the_whole_check(
    book: Booklet, lang: str, count: int
) -> None:
    path = book.ready(1, count)
    check(book)
    found = refused(book, "LENGTH_OUT_OF_BAND", lambda: commit(book, path))
    assert set(found) == REFUSAL
    assert "accept-current-length" in str(found["available_actions"])


def test_a_commit_of_a_blocked_body_is_refused_with_its_findings(book: Booklet, lang: str) -> None:
    path = book.ready(1)
    book.body(1, data=f"# 第1章\n\n{prose(380)}他走到门前，慢慢地".encode())
    for run in (commit, accept):
        found = refused(book, "QUALITY_BLOCKED", lambda run=run: run(book, path))
        assert set(found) == REFUSAL
        assert found["quality"]["blocking_findings"][0]["type"] == "truncated"  # type: ignore[index]
        assert found["available_actions"] == []


def test_an_empty_body_is_neither_committed_nor_accepted_nor_forced(book: Booklet) -> None:
    path = book.ready(1)
    book.body(1, data=b"")
    for run in (
        lambda: commit(book, path), lambda: accept(book, path), lambda: accept(book, path, "--force")
    ):  # fmt: skip
        found = refused(book, "CHECK_FAILED", run)
        assert found["length"]["invalid_reason"] == "EMPTY_BODY"  # type: ignore[index]


def test_wordcount_in_the_input_is_refused(book: Booklet, lang: str) -> None:
    record = {
        "metric": "visible_chars_v1", "target": 400, "actual": 400, "status": "internal_pass",
        "resolution": "within_user_band", "body_sha256": "0" * 64,
    }  # fmt: skip
    document = chapter(book.state(), wordcount=record)
    book.outline(1), book.body(1)
    path = book.submit(1, document)
    found = refused(book, "CHECK_FAILED", lambda: commit(book, path))
    assert [f["code"] for f in found["faults"]] == ["wordcount_in_input"]  # type: ignore[attr-defined,index]


def test_a_transaction_of_another_chapter_is_refused(book: Booklet, lang: str) -> None:
    book.ready(1), book.outline(2), book.body(2)
    path = book.submit(2, chapter(book.state()))
    found = refused(book, "CHECK_FAILED", lambda: commit(book, path, number=2))
    assert [f["code"] for f in found["faults"]] == ["chapter_mismatch"]  # type: ignore[attr-defined,index]


def test_a_stale_transaction_is_refused_naming_the_present_revision(
    book: Booklet, lang: str
) -> None:
    path = book.ready(1)
    document = json.loads(path.read_bytes())
    commit(book, path)
    document |= {"chapter": 2, "chapter_title": "后来"}
    book.outline(2), book.body(2)
    stale = book.submit(2, document)
    found = refused(book, "CHECK_FAILED", lambda: commit(book, stale, number=2))
    assert "tracking state changed" in str(found["message"])
    assert found["faults"][0]["allowed"] == 1  # type: ignore[index]


def test_every_fault_of_a_transaction_is_in_one_answer(book: Booklet) -> None:
    path = book.ready(1)
    document = json.loads(path.read_bytes())
    document["surprise"] = 1
    document["delta"]["result"] = "长" * 200
    document["context"]["active_character_names"] = ["无名氏"]
    book.submit(1, document)
    found = refused(book, "CHECK_FAILED", lambda: commit(book, path))
    codes = {f["code"] for f in found["faults"]}  # type: ignore[attr-defined]
    assert {"unknown_field", "text_too_long", "active_without_snapshot"} <= codes


def test_an_input_that_is_missing_or_broken_is_a_chapter_error(book: Booklet) -> None:
    path = book.ready(1)
    refused(book, "CHECK_FAILED", lambda: commit(book, book.path("none.json")))
    path.write_bytes(b"{")
    refused(book, "CHECK_FAILED", lambda: commit(book, path))
    path.write_bytes(b"[]")
    refused(book, "CHECK_FAILED", lambda: commit(book, path))
    path.write_bytes(b"\xff\xfe")
    refused(book, "CHECK_FAILED", lambda: commit(book, path))


def test_the_same_commit_again_is_already_committed(book: Booklet, tmp_path: Path) -> None:
    path = book.ready(1)
    copy = tmp_path / "copy.json"
    copy.write_bytes(path.read_bytes())
    commit(book, path)
    before = tree(book.path("追踪"))
    again = commit(book, copy)
    assert (again.code, again.json["state_revision"]) == (0, 1)
    assert tree(book.path("追踪")) == before
    assert "already" in again.err


# ---- accept-current-length -----------------------------------------------------------------------


def test_a_short_chapter_is_accepted_as_it_is(book: Booklet, lang: str) -> None:
    answer = accept(book, book.ready(1, 250))
    found = answer.json
    assert answer.code == 0
    assert set(found) == COMMITTED
    assert (found["status"], found["wordcount"]["status"]) == ("needs_decision", "under")
    assert found["wordcount"]["resolution"] == "accepted_current_length"


def test_below_half_the_target_only_force_accepts(book: Booklet, lang: str) -> None:
    path = book.ready(1, 199)
    found = refused(book, "BELOW_ACCEPT_FLOOR", lambda: accept(book, path))
    assert set(found) == REFUSAL
    assert accept(book, path, "--force").json["wordcount"]["actual"] == 199


def test_half_the_target_exactly_is_accepted(book: Booklet) -> None:
    assert accept(book, book.ready(1, 200)).code == 0


def test_an_over_long_chapter_is_cut_once_before_it_is_accepted(book: Booklet, lang: str) -> None:
    path = book.ready(1, 600)
    refused(book, "COMPRESSION_REQUIRED", lambda: accept(book, path))  # no check saw it yet
    check(book)
    found = refused(book, "COMPRESSION_REQUIRED", lambda: accept(book, path))
    assert set(found) == REFUSAL
    book.body(1, 531)  # 140 too many at first: at least 70 of them have to go
    refused(book, "COMPRESSION_REQUIRED", lambda: accept(book, path))
    book.body(1, 530)
    assert accept(book, path).json["wordcount"] | {"body_sha256": ""} == {
        "metric": "visible_chars_v1", "target": 400, "actual": 530, "status": "over",
        "resolution": "accepted_current_length", "body_sha256": "",
    }  # fmt: skip


def test_the_baseline_stays_while_the_chapter_shrinks_and_moves_when_it_grows(book: Booklet) -> None:
    book.ready(1, 600)
    baseline = book.path(".story/work/第001章/over_length_baseline.json")
    seen = []
    for count in (600, 550, 600, 640, 620):
        book.body(1, count)
        check(book)
        seen.append(json.loads(baseline.read_bytes())["actual"])
    assert seen == [600, 600, 600, 640, 640]


def test_force_skips_the_compression(book: Booklet) -> None:
    assert accept(book, book.ready(1, 600), "--force").code == 0


def test_a_broken_baseline_proves_nothing(book: Booklet) -> None:
    path = book.ready(1, 500)
    book.write(".story/work/第001章/over_length_baseline.json", "not json")
    refused(book, "COMPRESSION_REQUIRED", lambda: accept(book, path))
    assert check(book).code == 0


def test_a_chapter_within_its_band_has_nothing_to_accept(book: Booklet, lang: str) -> None:
    path = book.ready(1, 400)
    for more in ([], ["--force"]):
        found = refused(book, "INVALID_ARGUMENT", lambda more=more: accept(book, path, *more))
        assert set(found) == REFUSAL


# ---- files of the book ---------------------------------------------------------------------------


def test_every_missing_file_is_named_at_once(book: Booklet, lang: str) -> None:
    found = refused(book, "CHECK_FAILED", lambda: check(book))
    assert [f["code"] for f in found["faults"]] == ["not_one_file", "not_one_file"]  # type: ignore[attr-defined,index]
    shown = json.dumps(found, ensure_ascii=False)
    assert "正文/第001章" in shown and "大纲/细纲_第001章" in shown


def test_two_bodies_or_two_outlines_are_refused_by_name(book: Booklet) -> None:
    book.ready(1)
    book.write("正文/第1章 旧稿.md", "旧。")
    book.write("大纲/细纲_第01章.md", "旧。")
    found = refused(book, "CHECK_FAILED", lambda: check(book))
    assert [f["found"] for f in found["faults"]] == [2, 2]  # type: ignore[attr-defined,index]
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
    assert found["faults"][0]["code"] == "ledger_missing"  # type: ignore[index]


def test_a_link_that_leads_out_of_the_book_is_no_body(book: Booklet, tmp_path: Path) -> None:
    book.ready(1)
    book.path("正文/第001章_渡口.md").unlink()
    (tmp_path / "secret.md").write_text(prose(400), encoding="utf-8")
    book.path("正文/第001章_渡口.md").symlink_to(tmp_path / "secret.md")
    found = refused(book, "CHECK_FAILED", lambda: check(book))
    assert found["faults"][0]["code"] == "unsafe_path"  # type: ignore[index]


@pytest.mark.parametrize(
    "argv",
    [
        [], ["chapter"], ["chapter", "check"], ["chapter", "publish"], ["chapter", "check", "--chapter", 1, "--what"],
        ["chapter", "check", "--chapter", "one"], ["chapter", "check", "--chapter", "١"],
        ["chapter", "commit", "--chapter", 1], ["wordcount"], ["wordcount", "check"],
    ],
)  # fmt: skip
def test_wrong_arguments_are_a_chapter_error_of_their_own(book: Booklet, argv: list[object]) -> None:
    project = ["--project", book.root] if "--chapter" in argv else []
    assert set(refused(book, "INVALID_ARGUMENT", lambda: call(main, *argv, *project))) == ERROR


@pytest.mark.parametrize("number", [0, 2, 999999999])
def test_a_chapter_number_without_files_is_refused(book: Booklet, number: int) -> None:
    book.ready(1)
    refused(book, "CHECK_FAILED", lambda: check(book, number=number))


# ---- revisions -----------------------------------------------------------------------------------


def test_a_revised_chapter_is_counted_again_through_chapter_commit(book: Booklet, lang: str) -> None:
    from clew.faces.cli.tracking_commit import main as tracking

    commit(book, book.ready(1))
    commit(book, book.ready(2), number=2)
    book.body(1, 420)
    path = book.transaction(1)
    before = tree(book.root)
    low = call(tracking, "commit", "--project", book.root, "--input", path)
    assert (low.code, low.out) == (2, b"")
    assert "chapter commit" in low.err
    assert tree(book.root) == before
    found = commit(book, path).json
    assert (found["mode"], found["state_revision"], found["wordcount"]["actual"]) == (
        "revision", 3, 420,
    )  # fmt: skip
    assert (found["tracking_committed"], found["next_chapter_started"]) == (True, True)
    assert call(tracking, "check", "--project", book.root).code == 0


def test_a_changed_target_asks_for_a_new_count_too(book: Booklet) -> None:
    from clew.faces.cli.tracking_commit import main as tracking

    commit(book, book.ready(1))
    book.outline(1, target="420")
    path = book.transaction(1)
    low = call(tracking, "commit", "--project", book.root, "--input", path)
    assert (low.code, low.out) == (2, b"")
    assert commit(book, path).json["wordcount"]["target"] == 420


def test_an_unchanged_body_is_revised_by_the_low_level_commit(book: Booklet) -> None:
    from clew.faces.cli.tracking_commit import main as tracking

    record = commit(book, book.ready(1)).json["wordcount"]
    path = book.transaction(1, result="改写过的结果")
    assert call(tracking, "commit", "--project", book.root, "--input", path).code == 0
    state = json.loads(book.path("追踪/_tracking-state.json").read_bytes())
    assert state["wordcount_records"] == {"1": record}
    assert path.exists()  # the caller deletes what it handed to the low-level commit


# ---- wordcount -----------------------------------------------------------------------------------


def test_measure_only_measures(book: Booklet, lang: str) -> None:
    body = book.body(1, 123)
    before = tree(book.root)
    answer = call(main, "wordcount", "measure", "--file", body, "--chapter", "序章", "--case-id", "c1")
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
    line = ["wordcount", "checkpoint", "--file", book.body(1), "--project", book.root, "--chapter", 1]
    answer = call(main, *line)
    assert (answer.code, answer.json["invalid_reason"]) == (2, "INVALID_TARGET")


@pytest.mark.parametrize("number", ["²", "٣", "9" * 5000, "", "x", "-1", "1.0"])
def test_checkpoint_needs_a_chapter_number_in_plain_digits(book: Booklet, number: str) -> None:
    body = book.body(1)
    line = ["wordcount", "checkpoint", "--file", body, "--project", book.root, f"--chapter={number}"]
    answer = call(main, *line)
    assert (answer.code, answer.json["error_code"]) == (2, "INVALID_ARGUMENT")
