"""`tracking_commit` to the letter: one JSON line, or ERROR lines and nothing on stdout.

The fragments that other tools look for stand in both languages.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from booklet import Answer, Booklet, call

from clew.faces.cli.tracking_commit import main
from clew.testing.novel import chapter, init_document, snapshot, tree


def run(book: Booklet, verb: str, *more: object) -> Answer:
    return call(main, verb, "--project", book.root, *more)


def commit(book: Booklet, document: Any) -> Answer:
    number = document["chapter"] if isinstance(document, dict) else 1
    return run(book, "commit", "--input", book.submit(number, document))


def refused(book: Booklet, answer: Callable[[], Answer]) -> str:
    """What stands on stderr; nothing is on stdout and nothing in the book has changed."""
    before = tree(book.path("追踪")) if book.path("追踪").exists() else {}
    found = answer()
    after = tree(book.path("追踪")) if book.path("追踪").exists() else {}
    assert after == before
    assert (found.code, found.out) == (2, b"")
    assert found.err.startswith("ERROR: ")
    return found.err


# ---- success -------------------------------------------------------------------------------------


def test_init_commit_and_check_answer_exactly_the_two_keys(tmp_path: Path, lang: str) -> None:
    book = Booklet(tmp_path / "书")
    path = book.write(".story/work/init.json", json.dumps(init_document()))
    keys = {"last_committed_chapter", "state_revision"}
    started = run(book, "init", "--input", path)
    committed = commit(book, chapter(book.state()))
    checked = run(book, "check")
    assert [a.code for a in (started, committed, checked)] == [0, 0, 0]
    assert {frozenset(a.json) for a in (started, committed, checked)} == {frozenset(keys)}
    assert committed.json == checked.json == {"last_committed_chapter": 1, "state_revision": 1}
    assert (started.err, checked.err) == ("", "")


def test_the_low_level_commit_leaves_the_input_to_the_caller(book: Booklet) -> None:
    path = book.transaction()
    assert run(book, "commit", "--input", path).code == 0
    assert path.exists()
    assert (
        json.loads(book.path("追踪/_tracking-state.json").read_bytes())["wordcount_records"] == {}
    )


def test_a_revision_is_committed(book: Booklet) -> None:
    commit(book, chapter(book.state()))
    answer = commit(book, chapter(book.state(), 1, result="改过"))
    assert answer.json == {"last_committed_chapter": 1, "state_revision": 2}
    assert "改过" in book.path("追踪/逐章记录/第001章.md").read_text(encoding="utf-8")


def test_the_same_transaction_again_succeeds_and_changes_nothing(book: Booklet, lang: str) -> None:
    document = chapter(book.state())
    commit(book, document)
    before = tree(book.path("追踪"))
    again = commit(book, document)
    assert (again.code, again.json["state_revision"]) == (0, 1)
    assert again.err.startswith("NOTE: ")
    assert tree(book.path("追踪")) == before


def test_draft_prefills_the_transaction_in_the_chapters_scratch_folder(book: Booklet) -> None:
    answer = run(book, "draft", "--chapter", 1)
    assert answer.code == 0
    document = json.loads(book.path(".story/work/第001章/tracking.json").read_bytes())
    assert (document["mode"], document["chapter"], document["expected_state_revision"]) == (
        "append", 1, 0,
    )  # fmt: skip
    assert document["context"]["long_term_constraints"] == ["夜里不许点明火"]
    assert "limits_chars" in answer.json and "current_snapshots" in answer.json


# ---- warnings ------------------------------------------------------------------------------------


def test_a_snapshot_over_its_target_is_a_warning_and_committed(book: Booklet, lang: str) -> None:
    long = snapshot(knowledge=[f"{i}" + "知" * 120 for i in range(12)])
    answer = commit(book, chapter(book.state(), changes=["江晨"], snapshots={"江晨": long}))
    assert answer.code == 0
    (line,) = [line for line in answer.err.splitlines() if line.startswith("WARNING: ")]
    assert "江晨" in line and "4096" in line


def test_a_revision_that_empties_sections_is_warned_of(book: Booklet, lang: str) -> None:
    commit(book, chapter(book.state(), constraints=["不写系统数字"]))
    answer = commit(book, chapter(book.state(), 1))
    assert answer.code == 0
    (line,) = [line for line in answer.err.splitlines() if line.startswith("WARNING: ")]
    assert "连贯性约束" in line


# ---- what other tools look for -------------------------------------------------------------------


def test_stale(book: Booklet, lang: str) -> None:
    document = chapter(book.state())
    commit(book, document)
    other = chapter(book.state(), expected_state_revision=0)
    text = refused(book, lambda: commit(book, other))
    assert "tracking state changed" in text
    assert "1" in text


def test_init_only_context_keys_in_a_commit(book: Booklet, lang: str) -> None:
    document = chapter(book.state())
    document["context"]["recent_chapters"] = []
    document["context"]["next_chapter_commitments"] = []
    text = refused(book, lambda: commit(book, document))
    assert "context contains unsupported fields" in text
    assert "recent_chapters" in text and "next_chapter_commitments" in text


@pytest.mark.parametrize("where", ["root", "delta", "change", "snapshot"])
def test_an_unknown_key_at_any_level(book: Booklet, lang: str, where: str) -> None:
    document = chapter(book.state(), changes=["江晨"], snapshots={"江晨": snapshot()})
    place = {
        "root": document, "delta": document["delta"],
        "change": document["delta"]["character_changes"][0],
        "snapshot": document["character_snapshots"]["江晨"],
    }[where]  # fmt: skip
    place["mood"] = "x"
    assert "unsupported fields" in refused(book, lambda: commit(book, document))


@pytest.mark.parametrize(
    "view", ["上下文.md", "伏笔.md", "时间线/作者真相.md", "时间线/读者已知.md"]
)
def test_an_edited_view(book: Booklet, lang: str, view: str) -> None:
    book.path(f"追踪/{view}").write_text("手改", encoding="utf-8")
    text = refused(book, lambda: run(book, "check"))
    assert "derived view differs from _tracking-state.json" in text
    assert view in text


def test_the_way_out_of_an_edited_view_is_a_revision_of_the_chapter(book: Booklet) -> None:
    document = chapter(book.state())
    commit(book, document)
    book.path("追踪/上下文.md").write_text("手改", encoding="utf-8")
    assert run(book, "check").code == 2
    assert commit(book, chapter(book.state(), 1)).code == 0
    assert run(book, "check").code == 0


def test_a_record_written_by_hand(book: Booklet, lang: str) -> None:
    path = book.write("追踪/逐章记录/第001章.md", "手写")
    document = chapter(book.state())
    text = refused(book, lambda: commit(book, document))
    assert "chapter delta 1 already exists with different content" in text
    path.unlink()
    assert commit(book, document).code == 0


def test_an_active_character_without_a_snapshot(book: Booklet, lang: str) -> None:
    document = chapter(book.state(), active_character_names=["无名氏"])
    assert "has no current snapshot" in refused(book, lambda: commit(book, document))


def test_a_snapshot_over_the_hard_cap(book: Booklet, lang: str) -> None:
    huge = snapshot(knowledge=[f"{i}" + "知" * 120 for i in range(24)])
    document = chapter(book.state(), changes=["江晨"], snapshots={"江晨": huge})
    assert "hard cap of 8192 bytes" in refused(book, lambda: commit(book, document))


@pytest.mark.parametrize("name", ["_tracking-meta.json", "时间线/事件库.json"])
@pytest.mark.parametrize("verb", ["check", "commit"])
def test_a_retired_layout(book: Booklet, lang: str, name: str, verb: str) -> None:
    document = chapter(book.state())
    book.write(f"追踪/{name}", "{}")
    go = {"check": lambda: run(book, "check"), "commit": lambda: commit(book, document)}
    text = refused(book, go[verb])
    assert "retired tracking files" in text
    assert name in text


def test_a_character_retired_and_updated_or_still_active(book: Booklet, lang: str) -> None:
    commit(book, chapter(book.state(), changes=["江晨"], snapshots={"江晨": snapshot()}))
    both = chapter(
        book.state(), changes=["江晨"], retired_characters=["江晨"], snapshots={"江晨": snapshot()}
    )
    words = "cannot be retired and updated in the same transaction"
    assert words in refused(book, lambda: commit(book, both))
    active = chapter(
        book.state(), changes=["江晨"], retired_characters=["江晨"], active_character_names=["江晨"]
    )
    words = "is still listed in context.active_character_names"
    assert words in refused(book, lambda: commit(book, active))


def test_a_dropped_context_item_and_a_retirement_in_a_revision(book: Booklet, lang: str) -> None:
    dropped = chapter(book.state(), long_term_constraints=[])
    assert "retired_context_items" in refused(book, lambda: commit(book, dropped))
    commit(book, chapter(book.state()))
    late = chapter(
        book.state(), 1, long_term_constraints=[], retired_context_items=["夜里不许点明火"]
    )
    assert "append transaction" in refused(book, lambda: commit(book, late))


def test_nine_faults_are_nine_error_lines(book: Booklet, lang: str) -> None:
    document = chapter(book.state(), changes=["江晨"], snapshots={"江晨": snapshot(goal="")})
    document["surprise"] = 1
    document["chapter"] = 7
    document["expected_state_revision"] = 5
    document["delta"]["result"] = "长" * 200
    document["delta"]["constraints"] = ["x"] * 7
    document["context"]["active_character_names"] = ["无名氏"]
    document["context"]["long_term_constraints"] = []
    document["delta"]["foreshadow_changes"] = [{"action": "upsert", "id": "F１"}]
    text = refused(book, lambda: commit(book, document))
    assert len([line for line in text.splitlines() if line.startswith("ERROR: ")]) >= 9


# ---- refusals around the transaction -------------------------------------------------------------


def test_init_over_a_ledger_and_a_missing_ledger(book: Booklet, tmp_path: Path, lang: str) -> None:
    path = book.write("init.json", json.dumps(init_document()))
    assert "init" in refused(book, lambda: run(book, "init", "--input", path))
    empty = Booklet(tmp_path / "empty")
    assert "init" in refused(empty, lambda: run(empty, "check"))
    assert not empty.path("追踪").exists()
    assert "init" in refused(empty, lambda: run(empty, "commit", "--input", path))
    assert not empty.path("追踪").exists()


def test_a_refused_init_makes_no_folder_and_moves_nothing(tmp_path: Path, lang: str) -> None:
    book = Booklet(tmp_path / "书")
    book.write("追踪/_tracking-meta.json", "{}")
    path = book.write("init.json", json.dumps(init_document(book_title="")))
    before = tree(book.root)
    refused(book, lambda: run(book, "init", "--input", path))
    assert tree(book.root) == before


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"null", b"[]", b"\xff\xfe{}", b'{"a":1,"a":2}', b'{"a":NaN}',
        b'{"a":"\\ud800"}', b"[" * 100 + b"]" * 100, b"9" * 5000, b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":"' + b"x" * 10_000_000 + b'"}',
    ],
    ids=range(12),
)  # fmt: skip
def test_input_that_is_no_transaction_is_refused_in_words(
    book: Booklet, lang: str, data: bytes
) -> None:
    path = book.write(".story/work/第001章/tracking.json", data)
    refused(book, lambda: run(book, "commit", "--input", path))
    assert path.read_bytes() == data


def test_a_byte_order_mark_is_accepted_with_a_note(book: Booklet) -> None:
    path = book.transaction()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    answer = run(book, "commit", "--input", path)
    assert answer.code == 0
    assert "NOTE: " in answer.err


@pytest.mark.parametrize(
    "argv",
    [
        [], ["publish"], ["check"], ["commit", "--project", "."], ["init", "--input", "x"],
        ["draft", "--project", "."], ["draft", "--project", ".", "--chapter", "one"],
        ["check", "--project", ".", "--what"], ["check", "--proj", "."],
    ],
)  # fmt: skip
def test_wrong_arguments_are_an_error_line_and_exit_2(argv: list[str], lang: str) -> None:
    answer = call(main, *argv)
    assert (answer.code, answer.out) == (2, b"")
    assert answer.err.startswith("ERROR: ")


def test_a_project_or_an_input_that_is_not_there(book: Booklet, lang: str) -> None:
    answer = call(main, "check", "--project", book.path("nowhere"))
    assert (answer.code, answer.out) == (2, b"")
    assert "nowhere" in answer.err
    assert "none.json" in refused(
        book, lambda: run(book, "commit", "--input", book.path("none.json"))
    )


def test_help_leaves_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    answer = call(main, "commit", "--help")
    assert answer.code == 0
    assert "--input" in answer.text
