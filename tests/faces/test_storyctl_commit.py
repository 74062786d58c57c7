"""`storyctl chapter commit` and `accept-current-length` to the letter of the seed («运行工具»)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from booklet import Booklet, call, prose
from closing import COMMITTED, REFUSAL, accept, check, commit, refused

from clew.testing.novel import chapter, tree

# ---- chapter commit -------------------------------------------------------------------------------


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


def test_running_it_again_after_it_was_done_says_so(book: Booklet, lang: str) -> None:
    path = book.ready(1)
    assert commit(book, path).code == 0
    for run in (commit, accept):
        found = refused(book, "CHECK_FAILED", lambda run=run: run(book, path))
        (fault,) = found["faults"]
        assert (fault["code"], fault["found"]) == ("draft_committed", 1)
        assert fault["file"].endswith("tracking.json")
        assert "1" in fault["message"] and "clew novel draft --chapter 1" in fault["hint"]
    elsewhere = refused(
        book, "CHECK_FAILED", lambda: commit(book, book.path("没有.json"), number=1)
    )
    assert elsewhere["faults"][0]["code"] == "draft_committed"


def test_a_draft_that_is_missing_before_the_commit_is_missing(book: Booklet) -> None:
    path = book.ready(1)
    path.unlink()
    found = refused(book, "CHECK_FAILED", lambda: commit(book, path))
    assert found["faults"][0]["code"] == "missing_file"


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
        assert found["quality"]["blocking_findings"][0]["type"] == "truncated"
        assert found["available_actions"] == []


def test_an_empty_body_is_neither_committed_nor_accepted_nor_forced(book: Booklet) -> None:
    path = book.ready(1)
    book.body(1, data=b"")
    for run in (
        lambda: commit(book, path), lambda: accept(book, path), lambda: accept(book, path, "--force")
    ):  # fmt: skip
        found = refused(book, "CHECK_FAILED", run)
        assert found["length"]["invalid_reason"] == "EMPTY_BODY"


def test_wordcount_in_the_input_is_refused(book: Booklet, lang: str) -> None:
    record = {
        "metric": "visible_chars_v1", "target": 400, "actual": 400, "status": "internal_pass",
        "resolution": "within_user_band", "body_sha256": "0" * 64,
    }  # fmt: skip
    document = chapter(book.state(), wordcount=record)
    book.outline(1), book.body(1)
    path = book.submit(1, document)
    found = refused(book, "CHECK_FAILED", lambda: commit(book, path))
    assert [f["code"] for f in found["faults"]] == ["wordcount_in_input"]


def test_a_transaction_of_another_chapter_is_refused(book: Booklet, lang: str) -> None:
    book.ready(1), book.outline(2), book.body(2)
    path = book.submit(2, chapter(book.state()))
    found = refused(book, "CHECK_FAILED", lambda: commit(book, path, number=2))
    assert [f["code"] for f in found["faults"]] == ["chapter_mismatch"]


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
    assert found["faults"][0]["allowed"] == 1


def test_every_fault_of_a_transaction_is_in_one_answer(book: Booklet) -> None:
    path = book.ready(1)
    document = json.loads(path.read_bytes())
    document["surprise"] = 1
    document["delta"]["result"] = "长" * 200
    document["context"]["active_character_names"] = ["无名氏"]
    book.submit(1, document)
    found = refused(book, "CHECK_FAILED", lambda: commit(book, path))
    codes = {f["code"] for f in found["faults"]}
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


# ---- accept-current-length ------------------------------------------------------------------------


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


def test_the_baseline_stays_while_the_chapter_shrinks_and_moves_when_it_grows(
    book: Booklet,
) -> None:
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


# ---- revisions ------------------------------------------------------------------------------------


def test_a_revised_chapter_is_counted_again_through_chapter_commit(
    book: Booklet, lang: str
) -> None:
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
