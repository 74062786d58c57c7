"""Closing a chapter, below the faces: one read is judged, counted and committed, or nothing is.

The faces' shapes are in tests/faces/test_storyctl.py.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.kernel.errors import ClewError, Refused
from clew.kernel.faults import Fault
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.novel import chapters
from clew.novel.ledger import Ledger
from clew.novel.wordcount import CharRange
from clew.testing.novel import begin_book, chapter, refusal, state_of, tree

BODY = "正文/第001章_渡口.md"
OUTLINE = "大纲/细纲_第001章_渡口.md"


def nobody(folder: str, files: tuple[str, ...]) -> bool:
    return False


def write(root: str | Path, path: str, text: str) -> None:
    place = Path(root, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def body(count: int) -> str:
    return f"# 第1章 渡口\n\n{'渡' * (count - 1)}。\n"


def outline(target: int, *extra: str) -> str:
    return "\n".join(["# 第1章：渡口", f"字数目标：{target}", "字数口径：visible_chars_v1", *extra])


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A book whose first chapter waits: 100 characters, as its outline wants."""
    ledger = begin_book(tmp_path / "book")
    write(ledger.root, BODY, body(100))
    write(ledger.root, OUTLINE, outline(100))
    return ledger


def commit(ledger: Ledger, document: Any = None, notes: list[Fault] | None = None) -> Any:
    document = chapter(state_of(ledger)) if document is None else document
    return chapters.commit_chapter(
        ledger, 1, document, [] if notes is None else notes, trusted=nobody
    )


def check(ledger: Ledger, **how: Any) -> chapters.ChapterCheck:
    return chapters.check_chapter(ledger, 1, [], trusted=nobody, **how)


# ---- the same bytes ------------------------------------------------------------------------------


class Meddler(Files):
    """Real files, and somebody who saves a file at the moment the lock is taken."""

    def __init__(self, deed: Callable[[], None]) -> None:
        self.deed = deed
        self.times = 0

    def lock_create(self, path: str) -> int | None:
        handle = super().lock_create(path)
        if handle is not None and self.times == 0:
            self.times += 1
            self.deed()
        return handle


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (BODY, body(101)), (BODY, body(100).replace("渡。", "河。")), (BODY, ""), (BODY, body(100) + "\n"),
        (BODY, body(90) + "TODO 补一段。\n"), (OUTLINE, outline(101)), (OUTLINE, outline(100, "字数范围：1-5")),
        (OUTLINE, outline(100, "改了一句话")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("accepting", [False, True])
def test_a_body_or_outline_that_changes_between_the_check_and_the_lock_is_refused(
    ledger: Ledger, path: str, text: str, accepting: bool
) -> None:
    if accepting:
        write(ledger.root, BODY, body(60))
    document = chapter(state_of(ledger))
    before = tree(Path(ledger.root, "追踪"))
    files = Meddler(lambda: write(ledger.root, path, text))
    meddled = Ledger(ledger.root, vault=FolderVault(ledger.root, files=files))
    run = chapters.accept_chapter if accepting else chapters.commit_chapter
    with pytest.raises(Refused) as refused:
        run(meddled, 1, document, [], trusted=nobody)
    assert files.times == 1
    assert [f.code for f in refused.value.faults] == ["wordcount_stale"]
    assert tree(Path(ledger.root, "追踪")) == before


@pytest.mark.parametrize("deed", ["remove", "double"])
def test_a_body_that_goes_or_doubles_under_the_lock_is_refused(ledger: Ledger, deed: str) -> None:
    def act() -> None:
        if deed == "remove":
            Path(ledger.root, BODY).unlink()
        else:
            write(ledger.root, "正文/第1章.md", "又一份。")

    document = chapter(state_of(ledger))
    before = tree(Path(ledger.root, "追踪"))
    meddled = Ledger(ledger.root, vault=FolderVault(ledger.root, files=Meddler(act)))
    with pytest.raises(ClewError) as refused:
        chapters.commit_chapter(meddled, 1, document, [], trusted=nobody)
    assert refused.value.code == "not_one_file"
    assert tree(Path(ledger.root, "追踪")) == before


def test_saving_the_same_bytes_again_under_the_lock_is_no_change(ledger: Ledger) -> None:
    files = Meddler(lambda: write(ledger.root, BODY, body(100)))
    meddled = Ledger(ledger.root, vault=FolderVault(ledger.root, files=files))
    document = chapter(state_of(ledger))
    done = chapters.commit_chapter(meddled, 1, document, [], trusted=nobody)
    assert files.times == 1
    assert done.state_revision == 1


def test_a_change_after_the_check_is_seen_by_the_commit_itself(ledger: Ledger) -> None:
    """A check saves no approval: the commit judges what is there now."""
    assert check(ledger).status == "ready"
    write(ledger.root, BODY, body(100) + "TODO 补一段。\n")
    error = refusal(ledger.root, lambda: commit(ledger))
    assert error.code == "quality_blocked"
    write(ledger.root, BODY, body(110))
    assert commit(ledger).wordcount.actual == 110


# ---- refusals ------------------------------------------------------------------------------------


def test_a_refused_chapter_carries_the_whole_check(ledger: Ledger) -> None:
    write(ledger.root, BODY, body(300))
    before = tree(ledger.root)
    with pytest.raises(chapters.ChapterRefused) as refused:
        commit(ledger)
    assert tree(ledger.root) == before  # only `check` notes an over-long body
    checked = refused.value.checked
    assert (checked.status, checked.length.actual) == ("needs_decision", 300)
    assert checked.compression is not None
    assert refused.value.faults[0].facts["allowed"] == "85..115"


def test_the_scratch_folder_is_kept_whole_by_every_refusal(ledger: Ledger) -> None:
    write(ledger.root, ".story/work/第001章/tracking.json", "{}")
    write(ledger.root, ".story/work/第001章/notes.md", "随手")
    for document in ({}, [], None, chapter(state_of(ledger), expected_state_revision=7)):
        refusal(ledger.root, lambda document=document: commit(ledger, document or {}))


def test_faults_of_the_transaction_come_all_at_once(ledger: Ledger) -> None:
    document = chapter(
        state_of(ledger), expected_state_revision=3, result="长" * 200,
        active_character_names=["无名氏"], chapter_title="",
    )  # fmt: skip
    error = refusal(ledger.root, lambda: commit(ledger, document))
    assert {f.code for f in error.faults} == {
        "stale_revision", "text_too_long", "active_without_snapshot", "empty_text",
    }  # fmt: skip


def test_a_wordcount_that_the_author_wrote_is_refused_whatever_it_says(ledger: Ledger) -> None:
    right = msgspec.to_builtins(commit(ledger).wordcount)
    document = chapter(state_of(ledger), 1, wordcount=right)
    error = refusal(ledger.root, lambda: commit(ledger, document))
    assert "wordcount_in_input" in {f.code for f in error.faults}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_problems_of_the_outline_are_told_in_the_language_of_the_reader(
    ledger: Ledger, lang: str
) -> None:
    write(ledger.root, OUTLINE, "# 第1章：渡口\n\n字数目标：四百1\n字数口径：words\n")
    found = check(ledger, lang=lang)
    assert (found.status, EXIT(found)) == ("invalid", 1)
    assert isinstance(found.faults, list)
    assert [(f["line"], f["file"]) for f in found.faults] == [(3, OUTLINE), (4, OUTLINE)]
    assert ("字数口径只能是" in found.faults[1]["message"]) == (lang == "zh")


def EXIT(found: chapters.ChapterCheck) -> int:
    return chapters.EXITS[found.status]


def test_the_exit_codes_are_the_seeds() -> None:
    assert chapters.EXITS == {
        "ready": 0, "needs_decision": 0, "blocked": 1, "invalid": 1, "tool_unavailable": 3,
    }  # fmt: skip


# ---- records -------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [None, CharRange(95, 105)])
def test_the_record_is_that_of_the_bytes_on_disk(ledger: Ledger, given: CharRange | None) -> None:
    data = b"\xef\xbb\xbf" + body(100).replace("\n", "\r\n").encode()
    Path(ledger.root, BODY).write_bytes(data)
    done = chapters.commit_chapter(
        ledger, 1, chapter(state_of(ledger)), [], author_range=given, trusted=nobody
    )
    record = state_of(ledger).wordcount_records["1"]
    assert record == done.wordcount
    assert record.body_sha256 == hashlib.sha256(data).hexdigest()
    assert (record.actual, record.status) == (100, "internal_pass")
    assert (record.author_range is not None) == (given is not None)


def test_a_revision_counts_the_body_as_it_is_now(ledger: Ledger) -> None:
    commit(ledger)
    write(ledger.root, BODY, body(112))
    done = commit(ledger, chapter(state_of(ledger), 1))
    assert (done.mode, done.state_revision, done.wordcount.actual) == ("revision", 2, 112)
    write(ledger.root, BODY, body(50))
    done = chapters.accept_chapter(ledger, 1, chapter(state_of(ledger), 1), [], trusted=nobody)
    assert done.wordcount.resolution == "accepted_current_length"


def test_the_low_level_commit_leaves_a_revised_body_alone_until_it_is_counted(
    ledger: Ledger,
) -> None:
    from clew.novel.commit import commit as low

    commit(ledger)
    write(ledger.root, BODY, body(112))
    document = chapter(state_of(ledger), 1)
    assert refusal(ledger.root, lambda: low(ledger, document, [])).code == "recount_needed"
    Path(ledger.root, BODY).unlink()
    assert refusal(ledger.root, lambda: low(ledger, document, [])).code == "recount_needed"
    write(ledger.root, BODY, body(100))
    assert low(ledger, document, []).state_revision == 2


# ---- the scratch folder --------------------------------------------------------------------------


class Stubborn(Files):
    """Real files, of which those in the scratch folder cannot be removed."""

    def remove(self, path: str) -> None:
        if "/.story/work/" in path:
            raise PermissionError(13, "Permission denied", path)
        super().remove(path)


def test_a_scratch_folder_that_cannot_be_removed_does_not_undo_the_commit(ledger: Ledger) -> None:
    write(ledger.root, ".story/work/第001章/tracking.json", "{}")
    stubborn = Ledger(ledger.root, vault=FolderVault(ledger.root, files=Stubborn()))
    done = chapters.commit_chapter(stubborn, 1, chapter(state_of(ledger)), [], trusted=nobody)
    assert (done.state_revision, done.work_dir_removed) == (1, None)
    assert isinstance(done.work_dir_cleanup_error, str)
    assert "Permission denied" in done.work_dir_cleanup_error
    assert state_of(ledger).state_revision == 1


def test_a_scratch_folder_that_leads_out_of_the_book_is_left_alone(
    ledger: Ledger, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / "第001章").mkdir(parents=True)
    (outside / "第001章" / "precious.md").write_text("stay", encoding="utf-8")
    Path(ledger.root, ".story").mkdir()
    Path(ledger.root, ".story/work").symlink_to(outside)
    done = commit(ledger)
    assert (outside / "第001章" / "precious.md").read_text(encoding="utf-8") == "stay"
    assert done.work_dir_removed is None
    assert isinstance(done.work_dir_cleanup_error, str)


def test_the_first_check_of_an_over_long_body_notes_it_and_later_ones_only_when_it_grows(
    ledger: Ledger,
) -> None:
    path = Path(ledger.root, ".story/work/第001章/over_length_baseline.json")
    seen = []
    for count in (150, 140, 160, 155):
        write(ledger.root, BODY, body(count))
        assert check(ledger).length.status == "over"
        seen.append(json.loads(path.read_bytes())["actual"])
    assert seen == [150, 150, 160, 160]
