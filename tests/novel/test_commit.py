"""Committing: all or nothing, every fault at once, capacity, running again, two at a time."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.kernel.document import digest
from clew.kernel.errors import (
    ChangedOutside,
    ClewError,
    Corrupt,
    Missing,
    Refused,
    Stale,
    StorageFailed,
)
from clew.kernel.faults import Fault
from clew.kernel.folder import FolderVault
from clew.novel import history, record
from clew.novel.check import check
from clew.novel.commit import commit
from clew.novel.ledger import HISTORY, STATE, Ledger, record_path
from clew.novel.model import Chaptered, WordRecord
from clew.novel.rules import judge_chapter
from clew.testing.faulty import FaultyFiles
from clew.testing.novel import (
    begin_book,
    chapter,
    event,
    foreshadow,
    init_document,
    refusal,
    snapshot,
    state_of,
    tree,
)


def _book(folder: Path) -> Ledger:
    document = init_document(
        character_snapshots={"江晨": snapshot(), "老周": snapshot()},
        continuity_risks=["钟嘉嘉只猜对一半"],
    )
    ledger = begin_book(folder, document)
    commit(ledger, chapter(state_of(ledger)), [])
    return ledger


def _codes(faults: Any) -> list[tuple[str, str]]:
    return sorted((f.code, f.path) for f in faults)


def _words(ledger: Ledger, actual: int = 90) -> WordRecord:
    body = next((Path(ledger.root) / "正文").glob("第*章*.md")).read_bytes()
    return WordRecord(
        actual=actual, body_sha256=digest(body), metric="visible_chars_v1",
        resolution="within_user_band", status="internal_pass", target=100,
    )  # fmt: skip


def _write(folder: Path, number: int, text: str = "风" * 90, target: int = 100) -> None:
    (folder / "正文").mkdir(exist_ok=True)
    (folder / "大纲").mkdir(exist_ok=True)
    (folder / f"正文/第{number:03}章_题.md").write_text(f"# 第{number}章 题\n\n{text}\n", "utf-8")
    (folder / f"大纲/细纲_第{number:03}章_题.md").write_text(
        f"# 第{number}章：题\n字数目标：{target}\n字数口径：visible_chars_v1\n", "utf-8"
    )


def test_a_commit_writes_state_history_record_and_only_the_views_that_change(
    tmp_path: Path,
) -> None:
    ledger = _book(tmp_path)
    before = tree(tmp_path)
    done = commit(
        ledger, chapter(state_of(ledger), changes=["江晨"], snapshots={"江晨": snapshot(goal="上船")}),
        [],
    )  # fmt: skip
    after = tree(tmp_path)
    assert (done.status, done.mode, done.chapter) == ("ok", "append", 2)
    assert (done.last_committed_chapter, done.state_revision) == (2, 2)
    touched = {p for p in after if before.get(p) != after[p] and "/.clew/" not in p}
    assert touched == {STATE, HISTORY, record_path(2), "追踪/上下文.md", "追踪/角色状态/江晨.md"}
    assert set(done.written) == touched
    assert set(before) <= set(after)


def test_nine_faults_come_in_one_answer_and_nothing_is_written(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    document = chapter(
        state_of(ledger), 3, result="字" * 130, mood="暗", expected_state_revision=7,
        active_character_names=["江晨", "路人"], character_changes=[{"name": "江晨", "change": "变"}],
        character_snapshots={}, foreshadow_changes=[foreshadow("F00", 1)],
        timeline_events=[event("E001") | {"reveal_status": "已揭示"}],
        retired_characters=["老周", "路人甲"], continuity_risks=[],
    )  # fmt: skip
    error = refusal(tmp_path, lambda: commit(ledger, document, []))
    assert isinstance(error, Stale)
    assert error.exit_code == 2
    assert _codes(error.faults) == [
        ("active_without_snapshot", "$.context.active_character_names[1]"),
        ("bad_id", "$.delta.foreshadow_changes[0].id"),
        ("retired_context_items", "$.delta.retired_context_items"),
        ("retired_unknown", "$.delta.retired_characters[1]"),
        ("revealed_without_chapter", "$.delta.timeline_events[0].reveal_chapter"),
        ("snapshot_missing", "$.delta.character_changes[0].name"),
        ("stale_revision", "$.expected_state_revision"),
        ("text_too_long", "$.delta.result"),
        ("unknown_field", "$.mood"),
        ("wrong_chapter", "$.chapter"),
    ]
    for lang, words in (("zh", "共 10 处问题"), ("en", "10 faults")):
        answer = error.to_dict(lang)
        assert answer["status"] == "error"
        assert answer["message"].startswith(words)
        assert len(answer["faults"]) == 10
        long = next(f for f in answer["faults"] if f["code"] == "text_too_long")
        assert (long["found"], long["limit"], long["cut_chars"]) == (390, 360, 10)
        stale = next(f for f in answer["faults"] if f["code"] == "stale_revision")
        assert stale["allowed"] == 1


def test_capacity_and_rules_are_answered_together(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    document = chapter(
        state_of(ledger), expected_state_revision=5,
        constraints=["字" * 128] * 6, next_chapter_commitments=["字" * 128] * 5,
        changes=["江晨"], snapshots={"江晨": snapshot(knowledge=["字" * 128] * 22)},
    )  # fmt: skip
    error = refusal(tmp_path, lambda: commit(ledger, document, []))
    assert _codes(error.faults) == [
        ("over_capacity", ""),
        ("over_capacity", "$.character_snapshots.江晨"),
        ("stale_revision", "$.expected_state_revision"),
    ]
    sizes = {f.facts["file"]: f.facts for f in error.faults if f.code == "over_capacity"}
    for path, cap in ((record_path(2), 3072), ("追踪/角色状态/江晨.md", 8192)):
        facts = sizes[path]
        assert facts["limit"] == cap
        assert facts["cut_bytes"] == facts["found"] - cap > 0


def test_a_snapshot_over_its_cap_is_named_even_beside_a_fault_of_shape(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    document = chapter(
        state_of(ledger), result="", changes=["江晨"],
        snapshots={"江晨": snapshot(knowledge=["字" * 128] * 22)},
    )  # fmt: skip
    error = refusal(tmp_path, lambda: commit(ledger, document, []))
    assert _codes(error.faults) == [
        ("empty_text", "$.delta.result"),
        ("over_capacity", "$.character_snapshots.江晨"),
    ]


def _exact_record(ledger: Ledger, size: int) -> dict[str, Any]:
    """A transaction whose record has exactly `size` bytes."""
    items = ["y" * 384] * ((size - 240) // 387)
    document = chapter(state_of(ledger), result="r", constraints=items)
    missing = size - len(_record_of(ledger, document).encode())
    pad = min(missing, 350)
    document["delta"]["result"] += "r" * pad
    document["chapter_title"] += "t" * (missing - pad)
    return document


def _record_of(ledger: Ledger, document: dict[str, Any]) -> str:
    state = state_of(ledger)
    tx = msgspec.convert(judge_chapter(document, state).value, Chaptered)
    return record.render(tx, state.characters, ())


@pytest.mark.parametrize(
    ("size", "code"), [(1536, None), (1537, "near_capacity"), (1800, "near_capacity")]
)
def test_a_record_beyond_its_target_is_a_note(tmp_path: Path, size: int, code: str | None) -> None:
    ledger = _book(tmp_path)
    document = _exact_record(ledger, size)
    notes: list[Fault] = []
    commit(ledger, document, notes)
    assert len((tmp_path / record_path(2)).read_bytes()) == size
    assert [n.code for n in notes] == ([code] if code else [])
    if code:
        assert (notes[0].facts["found"], notes[0].facts["limit"]) == (size, 1536)
        assert "逐章记录" in notes[0].message("zh")
        assert "chapter record" in notes[0].message("en")


def test_a_card_beyond_its_target_is_a_note_and_beyond_its_cap_refused(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    full = snapshot(identity="字" * 80, state="字" * 100, goal="字" * 100)
    names = [f"核心角色{n}" for n in range(20)]

    def wide(count: int) -> dict[str, Any]:
        return chapter(
            state_of(ledger),
            changes=dict.fromkeys(names[:count], "变"), snapshots=dict.fromkeys(names[:count], full),
            active_character_names=names[:count],
        )  # fmt: skip

    error = refusal(tmp_path, lambda: commit(ledger, wide(20), []))
    (fault,) = error.faults
    assert (fault.code, fault.facts["file"], fault.facts["limit"]) == (
        "over_capacity", "追踪/上下文.md", 12_288,
    )  # fmt: skip
    assert "hard cap of 12288 bytes" in fault.message("zh")
    assert "hard cap of 12288 bytes" in fault.message("en")
    notes: list[Fault] = []
    commit(ledger, wide(10), notes)
    assert [n.code for n in notes] == ["near_capacity", "many_active"]
    assert 8_192 < len((tmp_path / "追踪/上下文.md").read_bytes()) <= 12_288


def test_a_snapshot_beyond_its_target_is_a_note(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    notes: list[Fault] = []
    handed = snapshot(knowledge=["字" * 128] * 11)
    commit(ledger, chapter(state_of(ledger), changes=["江晨"], snapshots={"江晨": handed}), notes)
    assert [(n.code, n.facts["file"]) for n in notes] == [("near_capacity", "江晨")]
    assert "character snapshot 江晨" in notes[0].message("en")


def test_running_the_last_transaction_again_answers_already_committed(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    document = chapter(state_of(ledger), changes=["江晨"])
    commit(ledger, document, [])
    before = tree(tmp_path)
    notes: list[Fault] = []
    again = commit(Ledger(tmp_path), document, notes)
    assert again.already_committed
    assert (again.state_revision, again.last_committed_chapter, again.written) == (2, 2, [])
    assert [n.code for n in notes] == ["already_committed"]
    assert tree(tmp_path) == before


def test_any_other_transaction_is_judged_on_the_real_state(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    document = chapter(state_of(ledger), changes=["江晨"])
    commit(ledger, document, [])
    document["delta"]["result"] = "改过一个字"
    error = refusal(tmp_path, lambda: commit(ledger, document, []))
    assert _codes(error.faults) == [
        ("stale_revision", "$.expected_state_revision"),
        ("wrong_chapter", "$.chapter"),
    ]


def test_a_transaction_before_the_last_is_not_already_committed(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    document = chapter(state_of(ledger))
    commit(ledger, document, [])
    commit(ledger, chapter(state_of(ledger)), [])
    assert isinstance(refusal(tmp_path, lambda: commit(ledger, document, [])), Stale)


def test_where_nothing_was_started_a_commit_leaves_no_trace(tmp_path: Path) -> None:
    other = begin_book(tmp_path / "other")
    (tmp_path / "book").mkdir()
    ledger = Ledger(tmp_path / "book")
    error = refusal(tmp_path, lambda: commit(ledger, chapter(state_of(other)), []))
    assert isinstance(error, Missing)
    assert error.code == "ledger_missing"
    assert "run init first" in str(error)


@pytest.mark.parametrize("text", ["手写的记录\n", "", "\n"])
def test_a_hand_written_record_blocks_the_append_until_it_is_gone(
    tmp_path: Path, text: str
) -> None:
    ledger = _book(tmp_path)
    path = tmp_path / record_path(2)
    path.write_text(text, "utf-8")
    document = chapter(state_of(ledger))
    error = refusal(tmp_path, lambda: commit(ledger, document, []))
    (fault,) = error.faults
    assert (fault.code, fault.facts["chapter"]) == ("record_exists", 2)
    for lang in ("zh", "en"):
        assert "chapter delta 2 already exists with different content" in fault.message(lang)
    path.unlink()
    assert commit(ledger, document, []).chapter == 2


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_a_record_that_says_the_same_already_does_not_block(tmp_path: Path, ends: bytes) -> None:
    ledger = _book(tmp_path)
    document = chapter(state_of(ledger))
    text = _record_of(ledger, document).encode().replace(b"\n", ends)
    (tmp_path / record_path(2)).write_bytes(text)
    assert commit(ledger, document, []).chapter == 2
    assert (tmp_path / record_path(2)).read_bytes() == text


def test_a_hand_edited_view_is_kept_aside_and_rebuilt(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    edited = {"追踪/上下文.md": "我的批注\n", "追踪/角色状态/江晨.md": "改坏了\n"}
    for path, text in edited.items():
        (tmp_path / path).write_text(text, "utf-8")
    notes: list[Fault] = []
    commit(ledger, chapter(state_of(ledger)), notes)
    asides = {n.facts["file"]: n.facts["found"] for n in notes if n.code == "edit_set_aside"}
    assert set(asides) == set(edited)
    for path, kept in asides.items():
        assert kept.startswith("追踪/.clew/aside/")
        assert (tmp_path / kept).read_text("utf-8") == edited[path]
    check(ledger, [])


def test_a_view_with_windows_line_ends_is_not_an_edit(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    for path in (tmp_path / "追踪").rglob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    notes: list[Fault] = []
    check(ledger, notes)
    commit(ledger, chapter(state_of(ledger)), notes)
    assert notes == []
    check(ledger, notes)


def test_a_revision_keeps_the_retirements_of_the_old_record_and_says_what_it_empties(
    tmp_path: Path,
) -> None:
    ledger = _book(tmp_path)
    state = state_of(ledger)
    commit(
        ledger,
        chapter(
            state, changes={"老周": "走了"}, retired_characters=["老周"],
            continuity_risks=[], retired_context_items=["钟嘉嘉只猜对一半"],
            constraints=["不再提老周"],
        ),
        [],
    )  # fmt: skip
    retired = "## 本章退役登记\n- 钟嘉嘉只猜对一半\n- 角色状态：老周\n"
    assert (tmp_path / record_path(2)).read_text("utf-8").endswith(retired)
    notes: list[Fault] = []
    commit(ledger, chapter(state_of(ledger), 2, result="改写"), notes)
    text = (tmp_path / record_path(2)).read_text("utf-8")
    assert text.endswith(retired)
    assert "- 结果：改写" in text
    assert [(n.code, n.facts["found"]) for n in notes] == [
        ("sections_emptied", ["角色变化", "连贯性约束"])
    ]


def test_a_revision_of_an_imported_chapter_makes_an_overlay_record(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path, init_document(5))
    assert commit(ledger, chapter(state_of(ledger), 2), []).mode == "revision"
    assert "第002章" in (tmp_path / record_path(2)).read_text("utf-8")
    state = state_of(ledger)
    assert (state.imported_through_chapter, state.last_committed_chapter) == (5, 5)
    commit(ledger, chapter(state, 2, result="又改"), [])
    assert "又改" in (tmp_path / record_path(2)).read_text("utf-8")
    check(ledger, [])


def test_a_counted_commit_keeps_the_word_record(tmp_path: Path) -> None:
    _write(tmp_path, 1)
    ledger = begin_book(tmp_path)
    done = commit(ledger, chapter(state_of(ledger)), [], counted=lambda: _words(ledger))
    assert done.wordcount == _words(ledger)
    stored = msgspec.json.decode((tmp_path / STATE).read_bytes())["wordcount_records"]["1"]
    assert set(stored) == {"metric", "target", "actual", "status", "resolution", "body_sha256"}


def test_a_count_that_is_refused_refuses_the_commit(tmp_path: Path) -> None:
    ledger = _book(tmp_path)

    def counted() -> WordRecord:
        raise Refused(Fault("wordcount_stale", chapter=2))

    error = refusal(
        tmp_path, lambda: commit(ledger, chapter(state_of(ledger)), [], counted=counted)
    )
    assert error.code == "wordcount_stale"


@pytest.mark.parametrize("change", ["body", "target", "no body", "two bodies", "no outline"])
def test_a_counted_chapter_whose_body_or_target_changed_is_not_revised_uncounted(
    tmp_path: Path, change: str
) -> None:
    _write(tmp_path, 1)
    ledger = begin_book(tmp_path)
    commit(ledger, chapter(state_of(ledger)), [], counted=lambda: _words(ledger))
    document = chapter(state_of(ledger), 1, result="改写")
    if change == "body":
        _write(tmp_path, 1, "雨" * 90)
    elif change == "target":
        _write(tmp_path, 1, target=101)
    elif change == "no body":
        (tmp_path / "正文/第001章_题.md").unlink()
    elif change == "two bodies":
        (tmp_path / "正文/第001章_又一题.md").write_text("x", "utf-8")
    else:
        (tmp_path / "大纲/细纲_第001章_题.md").unlink()
    error = refusal(tmp_path, lambda: commit(ledger, document, []))
    assert _codes(error.faults) == [("recount_needed", "")]
    assert "chapter commit" in error.hint


def test_a_counted_chapter_whose_body_stayed_is_revised_and_keeps_its_record(
    tmp_path: Path,
) -> None:
    _write(tmp_path, 1)
    ledger = begin_book(tmp_path)
    commit(ledger, chapter(state_of(ledger)), [], counted=lambda: _words(ledger))
    commit(ledger, chapter(state_of(ledger), 1, result="改写"), [])
    assert state_of(ledger).wordcount_records == {"1": _words(ledger)}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_retired_layout_beside_the_ledger_is_refused(tmp_path: Path, lang: str) -> None:
    ledger = _book(tmp_path)
    (tmp_path / "追踪/_tracking-meta.json").write_text("{}", "utf-8")
    error = refusal(tmp_path, lambda: commit(ledger, chapter(state_of(ledger)), []))
    assert isinstance(error, Corrupt)
    assert error.code == "retired_layout"
    assert "retired tracking files" in error.faults[0].message(lang)


def test_of_two_transactions_for_one_revision_at_the_same_time_one_wins(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    state = state_of(ledger)
    barrier = threading.Barrier(2)
    answers: list[object] = []

    def run(number: int) -> None:
        mine = Ledger(tmp_path)
        document = chapter(state, result=f"第{number}人写的")
        barrier.wait()
        try:
            answers.append(commit(mine, document, []))
        except ClewError as error:
            answers.append(error)

    for _ in range(3):
        state = state_of(ledger)
        answers.clear()
        threads = [threading.Thread(target=run, args=(n,)) for n in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lost = [a for a in answers if isinstance(a, ClewError)]
        assert len(answers) == 2 and len(lost) == 1
        (stale,) = [f for f in lost[0].faults if f.code == "stale_revision"]
        assert stale.facts["allowed"] == state.state_revision + 1
        assert state_of(ledger).state_revision == state.state_revision + 1
        check(ledger, [])


@pytest.mark.parametrize("stays", [False, True], ids=["one call fails", "the disk stays full"])
def test_a_full_disk_is_told_truthfully_and_the_same_commit_goes_through_later(
    tmp_path: Path, stays: bool
) -> None:
    """`disk_full` says that nothing changed; `publish_incomplete` that the journal holds it all."""
    document = chapter(state_of(_book(tmp_path / "model")), changes=["江晨"])
    seen: set[str] = set()
    for fail_at in range(1, 60):
        book = tmp_path / str(fail_at)
        _book(book)
        files = FaultyFiles(fail_at, stays=stays)
        try:
            commit(Ledger(book, vault=FolderVault(book, files=files)), document, [])
        except StorageFailed as error:
            seen.add(error.code)
            told = {"disk_full": 1, "publish_incomplete": 2}[error.code]
            assert state_of(Ledger(book)).state_revision == told, files.failure.hits
        if not files.failure.hits:
            break
        assert commit(Ledger(book), document, []).state_revision == 2
        check(Ledger(book), [])
    assert fail_at > 10
    assert "disk_full" in seen


def test_a_state_changed_by_hand_is_not_built_upon(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    document = chapter(state_of(ledger))
    raw = (tmp_path / STATE).read_bytes()
    (tmp_path / STATE).write_bytes(raw.replace("镇定".encode(), "慌张".encode()))
    error = refusal(tmp_path, lambda: commit(Ledger(tmp_path), document, []))
    assert isinstance(error, ChangedOutside)
    for lang, words in (("zh", ("adopt", "undo --to-history")), ("en", ("adopt", "--to-history"))):
        assert all(word in error.faults[0].hint(lang) for word in words)


def test_the_digest_of_the_state_file_is_the_last_of_the_history(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    for _ in range(3):
        commit(ledger, chapter(state_of(ledger)), [])
        last = history.brief((tmp_path / HISTORY).read_bytes().splitlines()[-1])
        assert last is not None
        assert last.state_sha256 == digest((tmp_path / STATE).read_bytes())
