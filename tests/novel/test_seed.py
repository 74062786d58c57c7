"""Every sentence of the tracking protocol that binds the ledger has a test here, named after it.

The sentence stands in the docstring, in the seed's own words. Files are real; whatever is refused
leaves every name and every byte of the book as it was (`refusal`). Sentences on `draft`, `chapter …`
and `wordcount …` have their tests beside those commands.
"""

from __future__ import annotations

import copy
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.kernel.document import digest
from clew.kernel.errors import ClewError, Corrupt, Locked, Refused, Stale, StorageFailed
from clew.kernel.faults import Fault
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.novel import history, record, views
from clew.novel.book import read_input
from clew.novel.check import check, render
from clew.novel.commit import Committed, commit
from clew.novel.ledger import HISTORY, STATE, Ledger, record_path
from clew.novel.model import AuthorRange, Chaptered, Snapshot, WordRecord
from clew.novel.rules import judge_chapter
from clew.novel.start import ARCHIVE, init
from clew.testing.novel import (
    Document,
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

EXAMPLE: Document = json.loads("""
{
  "schema_version": 1,
  "mode": "append",
  "chapter": 10,
  "chapter_title": "专业团队拍得还不如他拍的好？",
  "expected_state_revision": 9,
  "delta": {
    "result": "专业团队重拍的高清版在高层看片会上被判定缺了灵魂，张耀祖拍板继续采用江晨的手机原版。",
    "character_changes": [
      {"name": "江晨", "change": "作品价值获军内高层确认，从爆款新人升为不可替代的军宣创作者"}
    ],
    "foreshadow_changes": [
      {
        "action": "upsert",
        "id": "F027",
        "summary": "专业团队仍拍不出江晨原版的灵魂，继续验证其创作能力不可复制",
        "planted_chapter": 10,
        "planned_resolution_chapter": null,
        "status": "已埋",
        "importance": "中"
      }
    ],
    "timeline_events": [
      {
        "action": "upsert",
        "id": "E010",
        "story_time": "实弹训练两天后",
        "objective_fact": "文工团高层否决专业重拍版，决定沿用江晨手机拍摄的原版视频",
        "reader_knowledge": "读者已看到周薄森指出专业版缺了灵魂，张耀祖当场拍板用回原版",
        "reveal_status": "已揭示",
        "reveal_chapter": 10,
        "characters": ["江晨", "周薄森", "张耀祖"]
      }
    ],
    "constraints": ["后续继续用作品落地效果和围观反应放大江晨的高光，不能只写系统奖励数字"],
    "next_chapter_commitments": ["结算五天百万粉任务，并承接老兵主题的新任务"]
  },
  "context": {
    "position": {
      "volume": "第一卷·军宣整顿",
      "volume_start_chapter": 1,
      "story_time": "实弹训练两天后",
      "scene": "火箭军文工团高层看片会"
    },
    "long_term_constraints": ["军宣爽点要用作品效果和围观反应链兑现，不能只靠系统播报"],
    "active_character_names": ["江晨"],
    "continuity_risks": ["钟嘉嘉说江晨只猜对一半，未公开的培养安排不能被当成读者已知事实"]
  },
  "character_snapshots": {
    "江晨": {
      "identity": "火箭军文工团宣传兵；军宣爆款创作者",
      "location": "火箭军文工团高层看片会",
      "goal": "完成五天百万粉任务，持续做出真正能打的军宣内容",
      "state": "专业团队反向验证原版价值，军内认可继续抬升",
      "abilities_resources": ["前世MCN爆款运营经验", "《中国军魂》伴奏", "大师级导演能力"],
      "relationships": ["钟嘉嘉持续提供军报资源", "周薄森和张耀祖已明确认可其创作能力"],
      "knowledge": ["《军报》采访稿已经过审", "原版视频将继续作为正式军宣内容"],
      "open_threads": ["五天百万粉任务尚未结算", "钟嘉嘉所谓只猜对一半仍未解释"]
    }
  }
}
""")


def _military_book(folder: Path) -> Ledger:
    """A book that the example fits: nine chapters, nine revisions, 江晨 with a snapshot."""
    cast = {"江晨": snapshot(), "钟嘉嘉": snapshot()}
    ledger = begin_book(folder, init_document(
        0, book_title="军宣", character_snapshots=cast,
        long_term_constraints=EXAMPLE["context"]["long_term_constraints"],
        continuity_risks=EXAMPLE["context"]["continuity_risks"],
    ))  # fmt: skip
    for _ in range(9):
        commit(ledger, chapter(state_of(ledger)), [])
    return ledger


def _imported_military_book(folder: Path) -> Ledger:
    """The same as an import of nine chapters that was revised nine times since."""
    cast = {"江晨": snapshot(), "钟嘉嘉": snapshot()}
    ledger = begin_book(folder, init_document(
        9, book_title="军宣", character_snapshots=cast,
        long_term_constraints=EXAMPLE["context"]["long_term_constraints"],
        continuity_risks=EXAMPLE["context"]["continuity_risks"],
    ))  # fmt: skip
    for number in range(1, 10):
        commit(ledger, chapter(state_of(ledger), number), [])
    return ledger


def _submit(ledger: Ledger, document: Document, notes: list[Fault] | None = None) -> Committed:
    """Commit as the protocol says: from `.story/work/第NNN章/tracking.json`."""
    path = Path(ledger.root) / f".story/work/第{document['chapter']:03}章/tracking.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1), "utf-8")
    value, read = read_input(str(path))
    assert read == []
    return commit(ledger, value, [] if notes is None else notes)


def _refused(ledger: Ledger, document: Document) -> ClewError:
    return refusal(ledger.root, lambda: commit(ledger, document, []))


def _codes(error: ClewError) -> list[tuple[str, str]]:
    return sorted((f.code, f.path) for f in error.faults)


def _record(ledger: Ledger, number: int) -> str:
    return (Path(ledger.root) / record_path(number)).read_text("utf-8")


def _card(ledger: Ledger) -> str:
    return (Path(ledger.root) / views.CARD).read_text("utf-8")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """One chapter; 江晨 and 老周 have snapshots; one constraint, one risk."""
    ledger = begin_book(
        tmp_path,
        init_document(
            character_snapshots={"江晨": snapshot(), "老周": snapshot()},
            continuity_risks=["钟嘉嘉只猜对一半"],
        ),
    )
    commit(ledger, chapter(state_of(ledger)), [])
    return ledger


# ---- 逐章事务 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", [_military_book, _imported_military_book])
def test_the_example_transaction_goes_through_unchanged(
    tmp_path: Path, book: Callable[[Path], Ledger]
) -> None:
    """逐章事务: the JSON printed in the protocol."""
    ledger = book(tmp_path)
    assert state_of(ledger).state_revision == 9
    notes: list[Fault] = []
    done = _submit(ledger, copy.deepcopy(EXAMPLE), notes)
    assert (done.last_committed_chapter, done.state_revision) == (10, 10)
    assert notes == []
    state = state_of(ledger)
    assert state.foreshadow["F027"].planted_chapter == 10
    assert state.timeline["E010"].characters == ["江晨", "周薄森", "张耀祖"]
    assert state.context.next_chapter_commitments == EXAMPLE["delta"]["next_chapter_commitments"]
    assert _record(ledger, 10) == (
        "# 第010章 · 专业团队拍得还不如他拍的好？\n\n"
        "- 结果：专业团队重拍的高清版在高层看片会上被判定缺了灵魂，张耀祖拍板继续采用江晨的手机原版。\n"
        "- 下一章承诺：结算五天百万粉任务，并承接老兵主题的新任务\n\n"
        "## 角色变化\n"
        "- 江晨｜核心｜作品价值获军内高层确认，从爆款新人升为不可替代的军宣创作者\n\n"
        "## 伏笔变化\n"
        "- F027｜已埋｜专业团队仍拍不出江晨原版的灵魂，继续验证其创作能力不可复制｜回收未定\n\n"
        "## 时间与揭示\n"
        "- E010｜实弹训练两天后｜事实：文工团高层否决专业重拍版，决定沿用江晨手机拍摄的原版视频"
        "｜读者：读者已看到周薄森指出专业版缺了灵魂，张耀祖当场拍板用回原版｜已揭示\n\n"
        "## 连贯性约束\n"
        "- 后续继续用作品落地效果和围观反应放大江晨的高光，不能只写系统奖励数字\n"
    )
    check(ledger, [])


# ---- 权威层与派生层 --------------------------------------------------------------------------------


def test_the_state_holds_what_the_protocol_lists(ledger: Ledger) -> None:
    """唯一权威 `_tracking-state.json`: schema、最后提交章、导入截止章、状态修订号、上下文结构、角色/伏笔/
    时间线，以及已提交章节的简短字数记录."""
    found = json.loads((Path(ledger.root) / STATE).read_bytes())
    assert set(found) == {
        "schema_version", "book_title", "last_committed_chapter", "imported_through_chapter",
        "state_revision", "context", "characters", "foreshadow", "timeline", "wordcount_records",
    }  # fmt: skip
    assert found["schema_version"] == 4


@pytest.mark.parametrize("extra", [0, 1])
def test_a_record_aims_at_1536_bytes_and_is_capped_at_3072(ledger: Ledger, extra: int) -> None:
    """章节记录: 目标 ≤1536 字节，硬上限 3072 字节."""
    document = chapter(state_of(ledger), constraints=["字" * 128] * 6, result="r",
                       next_chapter_commitments=["c" * 300])  # fmt: skip
    missing = 3072 + extra - len(_rendered(ledger, document).encode())
    document["delta"]["result"] = "r" * (1 + missing)
    if extra:
        (fault,) = _refused(ledger, document).faults
        assert (fault.code, fault.facts["found"], fault.facts["limit"]) == (
            "over_capacity", 3073, 3072,
        )  # fmt: skip
        assert fault.facts["cut_bytes"] == 1
        return
    notes: list[Fault] = []
    _submit(ledger, document, notes)
    assert len(_record(ledger, 2).encode()) == 3072
    assert [(n.code, n.facts["limit"]) for n in notes] == [("near_capacity", 1536)]


def _rendered(ledger: Ledger, document: Document) -> str:
    state = state_of(ledger)
    tx = msgspec.convert(judge_chapter(document, state).value, Chaptered)
    return record.render(tx, state.characters, ())


def test_views_come_from_the_state_alone_and_no_program_reads_them(ledger: Ledger) -> None:
    """派生视图完全从 `_tracking-state.json` 生成；禁止手改，不作为程序输入."""
    other = begin_book(Path(ledger.root) / "other", init_document(
        character_snapshots={"江晨": snapshot(), "老周": snapshot()},
        continuity_risks=["钟嘉嘉只猜对一半"],
    ))  # fmt: skip
    commit(other, chapter(state_of(other)), [])
    for path in (views.CARD, views.FORESHADOWS, views.TRUTH, views.READER):
        (Path(ledger.root) / path).write_text("# 瞎写\n## 当前位置\n- 第99章\n", "utf-8")
    (Path(ledger.root) / views.character_path("江晨")).write_text("- 位置：月球\n", "utf-8")
    for each in (ledger, other):
        commit(each, chapter(state_of(each)), [])
    assert state_of(ledger) == state_of(other)
    for path in views.render(state_of(ledger)):
        assert (Path(ledger.root) / path).read_bytes() == (Path(other.root) / path).read_bytes()


def test_check_renders_again_and_compares_file_by_file(ledger: Ledger) -> None:
    """`check` 直接从 `_tracking-state.json` 重渲染并逐文件比较."""
    for path in views.render(state_of(ledger)):
        place = Path(ledger.root) / path
        good = place.read_bytes()
        place.write_bytes(good.replace(b"\n", b"\n ", 1))
        error = refusal(ledger.root, lambda: check(ledger, []))
        assert [(f.code, f.facts["file"]) for f in error.faults] == [("view_differs", path)]
        place.write_bytes(good)
    check(ledger, [])


def test_a_planned_reveal_is_no_fact_of_the_timeline(ledger: Ledger) -> None:
    """未来“第几章揭示”的计划写在卷纲/细纲，不写成时间线既成事实."""
    document = chapter(state_of(ledger), timeline_events=[event("E001") | {"reveal_chapter": 40}])
    error = _refused(ledger, document)
    assert _codes(error) == [
        ("unrevealed_with_chapter", "$.delta.timeline_events[0].reveal_chapter")
    ]
    assert "细纲" in error.faults[0].hint("zh")


def test_the_whole_present_meaning_is_the_states(ledger: Ledger) -> None:
    """逐章记录…不承诺单独无损重建全部当前状态；完整当前语义以 `_tracking-state.json` 为准."""
    before = state_of(ledger)
    shutil.rmtree(Path(ledger.root) / "追踪/逐章记录")
    assert state_of(ledger) == before
    render(ledger, [])
    check(ledger, [])


# ---- 初始化 ----------------------------------------------------------------------------------------


def test_init_runs_only_where_there_is_no_state_and_never_overwrites(ledger: Ledger) -> None:
    """`init`：只在 `_tracking-state.json` 不存在时执行，绝不覆盖已初始化项目."""
    error = refusal(ledger.root, lambda: init(ledger, init_document(), []))
    assert isinstance(error, Refused)
    assert error.code == "ledger_exists"


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b"null", b'{"schema_version":7}'])
def test_init_does_not_take_a_damaged_state_for_a_new_book(tmp_path: Path, content: bytes) -> None:
    """绝不覆盖已初始化项目 (whatever the file holds)."""
    (tmp_path / "追踪").mkdir()
    (tmp_path / STATE).write_bytes(content)
    error = refusal(tmp_path, lambda: init(Ledger(tmp_path), init_document(), []))
    assert error.code == "ledger_exists"


@pytest.mark.parametrize("made", ["init", "commit"])
def test_the_authors_json_holds_no_wordcount(ledger: Ledger, tmp_path: Path, made: str) -> None:
    """调用方的逐章 JSON 不写 `wordcount`."""
    words = {
        "metric": "visible_chars_v1", "target": 100, "actual": 100, "status": "internal_pass",
        "resolution": "within_user_band", "body_sha256": "0" * 64,
    }  # fmt: skip
    if made == "commit":
        document = chapter(state_of(ledger)) | {"wordcount": words}
        assert _codes(_refused(ledger, document)) == [("wordcount_in_input", "$.wordcount")]
    else:
        document = init_document() | {"wordcount": words}
        new = tmp_path / "new"
        new.mkdir()
        error = refusal(new, lambda: init(Ledger(new), document, []))
        assert _codes(error) == [("unknown_field", "$.wordcount")]


@pytest.mark.parametrize("ranged", [False, True])
def test_the_state_keeps_six_fields_of_a_count_and_the_authors_range(
    ledger: Ledger, ranged: bool
) -> None:
    """最终 state 只为已提交章节保留 `metric / target / actual / status / resolution / body_sha256`
    （生效了作者字数范围时另加 `author_range`），不保存 MEASURE/RESOLVE 事件、ID 链…"""
    counted = WordRecord(
        actual=100, body_sha256=digest(b"x"), metric="visible_chars_v1", target=100,
        resolution="within_user_band", status="internal_pass",
        author_range=AuthorRange(max=120, min=80) if ranged else None,
    )  # fmt: skip
    commit(ledger, chapter(state_of(ledger)), [], counted=lambda: counted)
    stored = json.loads((Path(ledger.root) / STATE).read_bytes())["wordcount_records"]
    six = {"metric", "target", "actual", "status", "resolution", "body_sha256"}
    assert set(stored) == {"2"}
    assert set(stored["2"]) == six | ({"author_range"} if ranged else set())


# ---- 旧结构的归档 ----------------------------------------------------------------------------------


OLD = {
    "_tracking-meta.json": b"{not even json", "时间线/事件库.json": b"[1]", "摘要/一.md": b"\xff\xfe",
    "角色状态.md": "旧角色".encode(), "阶段摘要.md": b"", "时间线.md": b"x", "基线_截至第3章.md": b"y",
}  # fmt: skip


def _old(folder: Path) -> None:
    for path, data in OLD.items():
        place = folder / "追踪" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def test_init_moves_old_files_whole_into_the_archive_and_starts_in_place(tmp_path: Path) -> None:
    """`init` 遇到这类旧文件时，先把它们按原样整体移入 `追踪/_旧追踪存档/`，再在原地建当前协议：
    旧内容留给作者查阅，不参与解析，当前状态完全以 init 输入为准."""
    _old(tmp_path)
    notes: list[Fault] = []
    init(Ledger(tmp_path), init_document(), notes)
    moved = tree(tmp_path / ARCHIVE)
    assert {p: d for p, d in moved.items() if not p.endswith("/")} == OLD
    fresh = begin_book(tmp_path / "fresh")
    assert state_of(Ledger(tmp_path)) == state_of(fresh)
    assert [n.code for n in notes] == ["layout_archived"]


def test_an_init_that_fails_its_validation_moves_no_file(tmp_path: Path) -> None:
    """校验失败的 `init` 不移动任何文件."""
    _old(tmp_path)
    document = init_document(active_character_names=["路人"])
    error = refusal(tmp_path, lambda: init(Ledger(tmp_path), document, []))
    assert _codes(error) == [("active_without_snapshot", "$.context.active_character_names[0]")]


@pytest.mark.parametrize("path", sorted(OLD))
def test_commit_and_check_refuse_the_old_structure(ledger: Ledger, path: str) -> None:
    """`commit` 与 `check` 仍直接拒绝旧结构——它们只在已建协议的项目上运行."""
    place = Path(ledger.root) / "追踪" / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(OLD[path])
    document = chapter(state_of(ledger))
    for run in (lambda: commit(ledger, document, []), lambda: check(ledger, [])):
        error = refusal(ledger.root, run)
        assert isinstance(error, Corrupt)
        assert [f.code for f in error.faults] == ["retired_layout"]
        assert path.split("/")[0] in str(error.faults[0].facts["found"])


def test_old_structures_are_not_parsed_for_meaning(tmp_path: Path) -> None:
    """本工具不解析旧 `_tracking-meta.json`、`时间线/事件库.json` 或更早追踪结构，不提供语义兼容层."""
    _old(tmp_path)
    (tmp_path / "追踪/_tracking-meta.json").write_text('{"last_chapter": 77}', "utf-8")
    init(Ledger(tmp_path), init_document(), [])
    assert state_of(Ledger(tmp_path)).last_committed_chapter == 0


# ---- 并发与修订号 ----------------------------------------------------------------------------------


def test_the_lock_serialises_writes(ledger: Ledger) -> None:
    """每本书由 `追踪/.tracking-commit.lock` 串行写事务."""
    document = chapter(state_of(ledger))
    lock = Path(ledger.root) / "追踪/.tracking-commit.lock"
    with ledger.changing([]):
        assert lock.exists()
        assert "pid=" in lock.read_text("utf-8")
        other = Ledger(ledger.root, lock_timeout=0.1)
        with pytest.raises(Locked) as caught:
            commit(other, document, [])
        assert "pid" in str(caught.value)
    assert not lock.exists()
    commit(ledger, document, [])
    assert not lock.exists()


def test_a_transaction_built_on_an_old_state_is_refused(ledger: Ledger) -> None:
    """`expected_state_revision` 再拒绝基于旧状态构造的 stale transaction."""
    document = chapter(state_of(ledger))
    commit(ledger, chapter(state_of(ledger), 1, result="别人先修订了"), [])
    error = _refused(ledger, document)
    assert isinstance(error, Stale)
    assert _codes(error) == [("stale_revision", "$.expected_state_revision")]
    assert error.faults[0].to_dict("zh")["allowed"] == 2
    for lang in ("zh", "en"):
        assert "tracking state changed" in error.faults[0].message(lang)


def test_of_two_different_transactions_at_once_at_most_one_succeeds(ledger: Ledger) -> None:
    """两个不同事务并发时至多一个修订成功."""
    state = state_of(ledger)
    answers: list[Any] = []
    start = threading.Barrier(4)

    def run(number: int) -> None:
        document = chapter(state, result=f"第{number}份")
        start.wait()
        try:
            answers.append(commit(Ledger(ledger.root), document, []))
        except ClewError as error:
            answers.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([a for a in answers if isinstance(a, Committed)]) == 1
    assert all("stale_revision" in [f.code for f in a.faults] for a in answers
               if not isinstance(a, Committed))  # fmt: skip
    check(ledger, [])


def test_the_state_revision_is_taken_as_it_stands(ledger: Ledger) -> None:
    """构造事务前运行 `check`，把当前 `state_revision` 原样写入 `expected_state_revision`；若状态已经变化，
    重新读取 state 并重构事务."""
    for wrong in (0, 2, 99):
        document = chapter(state_of(ledger), expected_state_revision=wrong)
        assert _codes(_refused(ledger, document)) == [
            ("stale_revision", "$.expected_state_revision")
        ]
    revision = check(ledger, []).state_revision
    commit(ledger, chapter(state_of(ledger), expected_state_revision=revision), [])


# ---- 失败与重跑 ------------------------------------------------------------------------------------


def test_the_transaction_file_stays_until_its_caller_deletes_it(ledger: Ledger) -> None:
    """成功前必须保留…直接调用 `tracking_commit.py commit` 时由调用方删除."""
    document = chapter(state_of(ledger), expected_state_revision=9)
    with pytest.raises(Stale):
        _submit(ledger, document)
    place = Path(ledger.root) / ".story/work/第002章/tracking.json"
    assert json.loads(place.read_bytes()) == document
    _submit(ledger, chapter(state_of(ledger)))
    assert place.exists()


class _NoSpace(Files):
    """A disk on which nothing new can be made."""

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        raise OSError(28, "No space left on device", path)


def test_when_a_write_fails_the_state_has_not_moved_and_the_same_commit_is_run_again(
    ledger: Ledger,
) -> None:
    """若文件写入失败，`_tracking-state.json` 尚未推进；修正环境后直接重跑**同一份** `commit`."""

    def files() -> dict[str, bytes]:
        found = tree(ledger.root)
        del found["追踪/.clew/journal.slot"]  # says only that the change before is safe on the disk
        return found

    document, before = chapter(state_of(ledger), changes=["江晨"]), files()
    full = Ledger(ledger.root, vault=FolderVault(ledger.root, files=_NoSpace()))
    with pytest.raises(StorageFailed) as caught:
        commit(full, document, [])
    assert caught.value.code == "disk_full"
    assert files() == before
    assert commit(ledger, document, []).state_revision == 2
    check(ledger, [])


def test_a_body_that_changed_after_its_count_must_be_counted_again(ledger: Ledger) -> None:
    """已有字数记录的章节正文或目标改过后，`tracking_commit.py commit` 拒绝修订事务，须走
    `storyctl.py chapter commit`."""
    root = Path(ledger.root)
    for folder in ("正文", "大纲"):
        (root / folder).mkdir()
    body, outline = root / "正文/第002章_题.md", root / "大纲/细纲_第002章_题.md"
    body.write_text("风" * 100, "utf-8")
    lines = "# 第2章：题\n字数目标：{}\n字数口径：visible_chars_v1\n"
    outline.write_text(lines.format(100), "utf-8")
    counted = WordRecord(
        actual=100, body_sha256=digest(body.read_bytes()), metric="visible_chars_v1", target=100,
        resolution="within_user_band", status="internal_pass",
    )  # fmt: skip
    commit(ledger, chapter(state_of(ledger)), [], counted=lambda: counted)
    document = chapter(state_of(ledger), 2, result="改写")
    body.write_text("雨" * 100, "utf-8")
    assert _codes(_refused(ledger, document)) == [("recount_needed", "")]
    body.write_text("风" * 100, "utf-8")
    outline.write_text(lines.format(110), "utf-8")
    assert _codes(_refused(ledger, document)) == [("recount_needed", "")]
    outline.write_text(lines.format(100), "utf-8")
    commit(ledger, document, [])


def test_an_append_run_again_accepts_only_a_record_of_the_same_content(ledger: Ledger) -> None:
    """append 重跑只接受内容完全相同的既有逐章记录，不维护 `dirty/pending/repair` 状态机."""
    document = chapter(state_of(ledger))
    text = _rendered(ledger, document)
    place = Path(ledger.root) / record_path(2)
    place.write_text(text + "\n", "utf-8")
    assert _codes(_refused(ledger, document)) == [("record_exists", "")]
    place.write_text(text, "utf-8")
    commit(ledger, document, [])
    names = {p for p in tree(ledger.root) if p.startswith("追踪/")}
    assert not [n for n in names if any(w in n for w in ("dirty", "pending", "repair"))]


def test_a_refused_transaction_is_refused_again_with_the_same_answer(ledger: Ledger) -> None:
    """校验失败（字段非法、退役结构、容量超限）要按报错改事务本身，重跑同一份结果不变."""
    document = chapter(
        state_of(ledger), result="字" * 121, changes=["江晨"], character_snapshots={}
    )
    first, again = _refused(ledger, document), _refused(ledger, document)
    assert first.to_dict("zh") == again.to_dict("zh")
    assert _codes(first) == [
        ("snapshot_missing", "$.delta.character_changes[0].name"),
        ("text_too_long", "$.delta.result"),
    ]


def test_a_view_edited_by_hand_is_mended_by_a_revision_of_the_chapter(ledger: Ledger) -> None:
    """派生视图被手改或外部改动导致 `check` 报 `derived view differs from _tracking-state.json` 时，重新
    提交**该章**的 `mode=revision` 事务让工具整份重建."""
    (Path(ledger.root) / views.CARD).write_text("手改\n", "utf-8")
    error = refusal(ledger.root, lambda: check(ledger, []))
    for lang in ("zh", "en"):
        assert "derived view differs from _tracking-state.json" in error.faults[0].message(lang)
    revision = json.loads((Path(ledger.root) / STATE).read_bytes())["state_revision"]
    commit(ledger, chapter(state_of(ledger), 1, expected_state_revision=revision), [])
    check(ledger, [])


def test_a_hand_written_record_blocks_the_append_until_it_is_deleted(ledger: Ledger) -> None:
    """手写出的逐章记录会让同章 `append` 永久报 `chapter delta N already exists with different content`
    ——删掉那个手写文件后重跑原事务即可."""
    place = Path(ledger.root) / record_path(2)
    place.write_text("手写\n", "utf-8")
    document = chapter(state_of(ledger))
    for _ in range(2):
        error = _refused(ledger, document)
        assert "chapter delta 2 already exists with different content" in str(error)
    place.unlink()
    assert commit(ledger, document, []).chapter == 2


# ---- check ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda top: (top / "逐章记录/第001章.md").unlink(), "record_missing"),
        (lambda top: (top / "逐章记录/第1章.md").write_text("x", "utf-8"), "record_name"),
        (
            lambda top: (top / "逐章记录/第001章.md").write_text("字" * 1025, "utf-8"),
            "over_capacity",
        ),
        (lambda top: (top / "上下文.md").write_text("## 第八栏\n", "utf-8"), "view_differs"),
        (lambda top: (top / "角色状态/江晨.md").write_text("字" * 3000, "utf-8"), "view_differs"),
        (lambda top: (top / "角色状态/多余.md").write_text("x", "utf-8"), "stray_file"),
        (lambda top: (top / "角色状态/江晨.md").unlink(), "view_missing"),
        (lambda top: (top / "时间线/读者已知.md").unlink(), "view_missing"),
        (lambda top: (top / "伏笔.md").write_text("x", "utf-8"), "view_differs"),
        (lambda top: (top / "_tracking-state.json").write_text("{}", "utf-8"), "missing_field"),
    ],
)
def test_check_verifies_everything_that_the_protocol_lists(
    ledger: Ledger, damage: Callable[[Path], object], code: str
) -> None:
    """`check`：严格验证 state schema、逐章记录连续性/规范名/体积、固定 7 栏、角色快照硬上限、派生文件集合，
    以及所有派生视图与 state 的逐字一致性."""
    check(ledger, [])
    damage(Path(ledger.root) / "追踪")
    error = refusal(ledger.root, lambda: check(Ledger(ledger.root), []))
    assert code in [f.code for f in error.faults]


# ---- 约束 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["recent_chapters", "next_chapter_commitments", "mood"])
def test_a_commit_takes_only_four_fields_of_the_context(ledger: Ledger, field: str) -> None:
    """`commit` 只收前四项。`recent_chapters` 与 `next_chapter_commitments` 在 commit 时由工具…派生，手填会在
    任何写入前被拒（`context contains unsupported fields: ...`，exit 2）."""
    document = chapter(state_of(ledger))
    document["context"][field] = []
    error = _refused(ledger, document)
    assert _codes(error) == [("unknown_field", f"$.context.{field}")]
    assert error.exit_code == 2
    for lang in ("zh", "en"):
        assert f"context contains unsupported fields: {field}" in error.faults[0].message(lang)


def test_init_takes_all_six_fields_of_the_context(tmp_path: Path) -> None:
    """`init` 收 `position`、`long_term_constraints`、`active_character_names`、`continuity_risks`、
    `recent_chapters`、`next_chapter_commitments` 六项."""
    ledger = begin_book(tmp_path, init_document(
        5, character_snapshots={"江晨": snapshot()}, active_character_names=["江晨"],
        continuity_risks=["险"], recent_chapters=[{"chapter": 5, "summary": "近"}],
        next_chapter_commitments=["诺"],
    ))  # fmt: skip
    context = json.loads((tmp_path / STATE).read_bytes())["context"]
    assert set(context) == {
        "position", "long_term_constraints", "active_character_names", "continuity_risks",
        "recent_chapters", "next_chapter_commitments",
    }  # fmt: skip
    assert context["recent_chapters"] == [{"chapter": 5, "summary": "近"}]
    assert "第5章｜近" in _card(ledger) and "- 诺" in _card(ledger)


def test_recent_chapters_and_commitments_are_derived(ledger: Ledger) -> None:
    """`recent_chapters` 与 `next_chapter_commitments` 在 commit 时由工具从当前视图和本章 `delta` 派生."""
    commit(
        ledger, chapter(state_of(ledger), result="结果句", next_chapter_commitments=["还账"]), []
    )
    context = state_of(ledger).context
    assert [(r.chapter, r.summary) for r in context.recent_chapters] == [
        (1, "第1章写完"), (2, "结果句"),
    ]  # fmt: skip
    assert context.next_chapter_commitments == ["还账"]


def test_a_snapshot_belongs_to_a_character_that_changed(ledger: Ledger) -> None:
    """`character_snapshots` 中出现的角色视为核心复用角色，必须同时出现在 `character_changes`."""
    document = chapter(state_of(ledger), snapshots={"江晨": snapshot(), "新人": snapshot()})
    assert _codes(_refused(ledger, document)) == [
        ("snapshot_without_change", "$.character_snapshots.新人"),
        ("snapshot_without_change", "$.character_snapshots.江晨"),
    ]


def test_a_core_character_that_changes_again_needs_a_new_snapshot(ledger: Ledger) -> None:
    """已经建立快照的核心角色再次变化时必须提交新快照."""
    document = chapter(state_of(ledger), changes=["江晨"], character_snapshots={})
    assert _codes(_refused(ledger, document)) == [
        ("snapshot_missing", "$.delta.character_changes[0].name")
    ]


@pytest.mark.parametrize("size", [4096, 4097, 8192, 8193])
def test_lists_of_a_snapshot_are_bounded_by_bytes_not_by_count(ledger: Ledger, size: int) -> None:
    """角色快照的四个列表不限制条数，只限制单项长度和最终文件总字节：目标 ≤4096 字节，超过警告；硬上限
    8192 字节，超过则在任何写入前拒绝."""
    many = ["r" * 9] * 30
    handed = snapshot(knowledge=["k" * 384] * ((size - 700) // 387), relationships=many)
    missing = size - len(views.character("江晨", Snapshot(**handed)).encode())
    handed["goal"] += "g" * (pad := min(missing, 280))
    handed["state"] += "s" * (missing - pad)
    assert len(views.character("江晨", Snapshot(**handed)).encode()) == size
    document = chapter(state_of(ledger), changes=["江晨"], snapshots={"江晨": handed})
    if size > 8192:
        error = _refused(ledger, document)
        assert _codes(error) == [("over_capacity", "$.character_snapshots.江晨")]
        assert "hard cap of 8192 bytes" in str(error)
        return
    notes: list[Fault] = []
    commit(ledger, document, notes)
    assert [n.code for n in notes] == (["near_capacity"] if size > 4096 else [])
    assert len((Path(ledger.root) / views.character_path("江晨")).read_bytes()) == size


def test_a_character_without_snapshot_is_passing_and_gets_no_file(ledger: Ledger) -> None:
    """没有快照的角色变化视为临时角色，不建立状态文件."""
    commit(ledger, chapter(state_of(ledger), changes={"摆渡人": "收了船钱"}), [])
    assert "- 摆渡人｜临时｜收了船钱" in _record(ledger, 2)
    assert not (Path(ledger.root) / views.character_path("摆渡人")).exists()
    assert "摆渡人" not in state_of(ledger).characters


def test_active_characters_are_at_most_twenty_and_have_a_snapshot(ledger: Ledger) -> None:
    """`context.active_character_names` …最多 20 人且必须已有当前快照."""
    cast = {f"人{n}": snapshot() for n in range(21)}
    many = chapter(state_of(ledger), changes=list(cast), snapshots=cast,
                   active_character_names=list(cast))  # fmt: skip
    error = _refused(ledger, many)
    assert _codes(error) == [("too_many_items", "$.context.active_character_names")]
    assert (error.faults[0].facts["found"], error.faults[0].facts["limit"]) == (21, 20)
    none = chapter(state_of(ledger), active_character_names=["摆渡人"])
    assert _codes(_refused(ledger, none)) == [
        ("active_without_snapshot", "$.context.active_character_names[0]")
    ]
    notes: list[Fault] = []
    commit(ledger, chapter(state_of(ledger), changes=list(cast), snapshots=cast,
                           active_character_names=list(cast)[:20]), notes)  # fmt: skip
    assert len(state_of(ledger).context.active_character_names) == 20


def test_characters_that_are_not_active_keep_their_snapshot(ledger: Ledger) -> None:
    """只列下一章出场或被直接牵动的核心角色，其余核心角色保留快照，需要时读 `追踪/角色状态/{名}.md`."""
    commit(ledger, chapter(state_of(ledger), active_character_names=["江晨"]), [])
    assert set(state_of(ledger).characters) == {"江晨", "老周"}
    assert (Path(ledger.root) / views.character_path("老周")).exists()
    assert "老周｜" not in _card(ledger)


def test_a_seventh_long_term_constraint_is_not_made_room_for(ledger: Ledger) -> None:
    """`context.long_term_constraints` 最多 6 条：要加第 7 条先合并语义重叠项或请作者取舍，不自动删旧约束."""
    old = state_of(ledger).context.long_term_constraints
    document = chapter(state_of(ledger),
                       long_term_constraints=[*old, *(f"约束{n}" for n in range(6))])  # fmt: skip
    error = _refused(ledger, document)
    assert _codes(error) == [("too_many_items", "$.context.long_term_constraints")]
    assert "合并" in error.faults[0].hint("zh")


@pytest.mark.parametrize("field", ["long_term_constraints", "continuity_risks"])
def test_an_item_that_is_left_out_is_not_taken_for_deleted(ledger: Ledger, field: str) -> None:
    """凡是上一版有、本次没有的条目，必须逐条列进 `delta.retired_context_items`，否则工具在任何写入前拒绝
    ——漏写不会被当成删除."""
    (item,) = getattr(state_of(ledger).context, field)
    error = _refused(ledger, chapter(state_of(ledger), **{field: []}))
    assert _codes(error) == [("retired_context_items", "$.delta.retired_context_items")]
    assert error.faults[0].facts["found"] == item


def test_what_is_retired_is_entered_in_the_record_of_the_chapter(ledger: Ledger) -> None:
    """实际退役的条目由工具写进本章逐章记录的 `## 本章退役登记`，随后仍可回查."""
    commit(
        ledger,
        chapter(state_of(ledger), long_term_constraints=[], continuity_risks=[],
                retired_context_items=["钟嘉嘉只猜对一半", "夜里不许点明火", "从来没有"]),
        [],
    )  # fmt: skip
    ending = "\n## 本章退役登记\n- 夜里不许点明火\n- 钟嘉嘉只猜对一半\n"
    assert _record(ledger, 2).endswith(ending)
    commit(ledger, chapter(state_of(ledger)), [])
    assert _record(ledger, 2).endswith(ending)
    assert "本章退役登记" not in _record(ledger, 3)


def test_a_retired_character_loses_snapshot_and_file_and_stays_in_the_record(
    ledger: Ledger,
) -> None:
    """不再复用的核心角色写进 `delta.retired_characters`：工具删除其当前快照与 `角色状态/{角色名}.md`，并在
    逐章记录留档."""
    commit(ledger, chapter(state_of(ledger), retired_characters=["老周"]), [])
    assert "老周" not in state_of(ledger).characters
    assert not (Path(ledger.root) / views.character_path("老周")).exists()
    assert "## 本章退役登记\n- 角色状态：老周\n" in _record(ledger, 2)
    check(ledger, [])


def test_nobody_is_retired_and_updated_or_active_in_one_transaction(ledger: Ledger) -> None:
    """同一事务里不能既退役又提交快照，也不能退役仍列在 `context.active_character_names` 的角色."""
    both = chapter(state_of(ledger), retired_characters=["老周"], character_changes=[
        {"name": "老周", "change": "走"}], snapshots={"老周": snapshot()},
        active_character_names=["老周"])  # fmt: skip
    error = _refused(ledger, both)
    assert _codes(error) == [
        ("retired_and_updated", "$.delta.retired_characters[0]"),
        ("retired_still_active", "$.context.active_character_names[0]"),
    ]
    assert "cannot be retired and updated in the same transaction" in str(error)
    assert "is still listed in context.active_character_names" in str(error)


def test_who_leaves_in_this_chapter_needs_no_snapshot_and_counts_as_core(ledger: Ledger) -> None:
    """角色阵亡/退场这一章，把变化照写进 `character_changes` 即可，本章退役的角色不必再交一份马上要删的快照，
    逐章记录仍按核心角色标注."""
    commit(
        ledger, chapter(state_of(ledger), changes={"老周": "阵亡"}, retired_characters=["老周"]), []
    )
    assert "- 老周｜核心｜阵亡" in _record(ledger, 2)


def test_retirement_leaves_bodies_and_records_alone(ledger: Ledger) -> None:
    """退役只表示不再进入热上下文，正文与逐章记录不受影响."""
    body = Path(ledger.root) / "正文/第001章_题.md"
    body.parent.mkdir()
    body.write_text("老周在码头。", "utf-8")
    before = _record(ledger, 1)
    commit(ledger, chapter(state_of(ledger), retired_characters=["老周"]), [])
    assert body.read_text("utf-8") == "老周在码头。"
    assert _record(ledger, 1) == before


def test_both_retirements_belong_to_an_append(ledger: Ledger) -> None:
    """两类退役都只能在 `mode=append` 提交."""
    characters = chapter(state_of(ledger), 1, retired_characters=["老周"])
    error = _refused(ledger, characters)
    assert _codes(error) == [("retire_in_append", "$.delta.retired_characters")]
    assert "append transaction" in str(error)
    items = chapter(state_of(ledger), 1, continuity_risks=[],
                    retired_context_items=["钟嘉嘉只猜对一半"])  # fmt: skip
    assert _codes(_refused(ledger, items)) == [("retire_in_append", "$.context")]


def test_a_revision_hands_over_every_context_item_as_it_is(ledger: Ledger) -> None:
    """`mode=revision` 必须原样重交当前全部上下文条目，需要退役就放到下一次 append."""
    document = chapter(state_of(ledger), 1, long_term_constraints=[])
    assert _codes(_refused(ledger, document)) == [("retire_in_append", "$.context")]
    commit(ledger, chapter(state_of(ledger), 1), [])
    commit(ledger, chapter(state_of(ledger), long_term_constraints=[],
                           retired_context_items=["夜里不许点明火"]), [])  # fmt: skip
    assert state_of(ledger).context.long_term_constraints == []


def test_only_planted_foreshadows_are_shown(ledger: Ledger) -> None:
    """`伏笔.md` 只呈现已经埋设过的当前状态。未来规划仍留在大纲."""
    error = _refused(ledger, chapter(state_of(ledger), foreshadow_changes=[foreshadow("F001", 3)]))
    assert _codes(error) == [("planted_in_future", "$.delta.foreshadow_changes[0].planted_chapter")]
    commit(ledger, chapter(state_of(ledger), foreshadow_changes=[foreshadow("F001", 2)]), [])
    commit(ledger, chapter(state_of(ledger), foreshadow_changes=[
        foreshadow("F001", 2, status="已回收")]), [])  # fmt: skip
    text = (Path(ledger.root) / views.FORESHADOWS).read_text("utf-8")
    assert text.count("| F001 |") == 1 and "| 已回收 |" in text


@pytest.mark.parametrize("action", ["upsert", "delete"])
def test_events_are_upserted_or_deleted(ledger: Ledger, action: str) -> None:
    """`timeline_events.action` 可为 `upsert/delete`."""
    commit(ledger, chapter(state_of(ledger), timeline_events=[event("E001")]), [])
    row = event("E001", 2) if action == "upsert" else {"action": "delete", "id": "E001"}
    commit(ledger, chapter(state_of(ledger), timeline_events=[row]), [])
    assert ("E001" in state_of(ledger).timeline) is (action == "upsert")
    assert ("E001｜删除当前登记" in _record(ledger, 3)) is (action == "delete")


@pytest.mark.parametrize(
    ("status", "revealed", "code"),
    [
        ("未揭示", 1, "unrevealed_with_chapter"), ("部分揭示", None, "revealed_without_chapter"),
        ("已揭示", None, "revealed_without_chapter"), ("已揭示", 3, "revealed_in_future"),
        ("部分揭示", 3, "revealed_in_future"), ("未揭示", None, None), ("部分揭示", 1, None),
        ("已揭示", 2, None),
    ],
)  # fmt: skip
def test_a_reveal_names_a_chapter_that_has_happened_or_none(
    ledger: Ledger, status: str, revealed: int | None, code: str | None
) -> None:
    """`未揭示` 的 `reveal_chapter` 必须为 `null`；部分/完全揭示只能填写已经发生的实际章节."""
    row = event("E001") | {"reveal_status": status, "reveal_chapter": revealed}
    document = chapter(state_of(ledger), timeline_events=[row])
    if code is None:
        commit(ledger, document, [])
        assert state_of(ledger).timeline["E001"].reveal_chapter == revealed
    else:
        assert _codes(_refused(ledger, document)) == [
            (code, "$.delta.timeline_events[0].reveal_chapter")
        ]


def test_a_revision_writes_the_record_anew_and_keeps_its_retirements(ledger: Ledger) -> None:
    """`mode=revision` 时，逐章记录必须重算为修订后该章仍然成立的完整连续性记录（…漏写的项会从记录里消失，
    工具在 stderr 警告被清空的栏目；原有的退役登记原样保留）."""
    commit(
        ledger,
        chapter(state_of(ledger), changes={"老周": "阵亡", "路人": "来了"}, constraints=["甲"],
                retired_characters=["老周"], timeline_events=[event("E001")]),
        [],
    )  # fmt: skip
    commit(ledger, chapter(state_of(ledger)), [])
    notes: list[Fault] = []
    commit(ledger, chapter(state_of(ledger), 2, changes={"路人": "又来了"}), notes)
    text = _record(ledger, 2)
    assert "- 路人｜临时｜又来了" in text and "阵亡" not in text and "E001" not in text
    assert text.endswith("## 本章退役登记\n- 角色状态：老周\n")
    (note,) = notes
    assert (note.code, note.facts["found"]) == ("sections_emptied", ["时间与揭示", "连贯性约束"])
    assert "E001" in state_of(ledger).timeline
    check(ledger, [])


def test_a_revision_hands_in_present_values_as_of_the_last_chapter(ledger: Ledger) -> None:
    """当前角色、伏笔、时间线和上下文则提交受影响对象截至最新已写章的当前值."""
    commit(ledger, chapter(state_of(ledger), foreshadow_changes=[foreshadow("F001", 1)]), [])
    document = chapter(
        state_of(ledger), 1, changes=["江晨"], snapshots={"江晨": snapshot(location="船上")},
        foreshadow_changes=[foreshadow("F001", 2, status="已回收")],
        timeline_events=[event("E001", 2)],
    )  # fmt: skip
    commit(ledger, document, [])
    state = state_of(ledger)
    assert state.characters["江晨"].location == "船上"
    assert (state.foreshadow["F001"].planted_chapter, state.last_committed_chapter) == (2, 2)
    assert state.timeline["E001"].reveal_chapter == 2


def test_revising_an_imported_chapter_adds_or_replaces_its_record(tmp_path: Path) -> None:
    """修订导入截止章内的正文时，会新增或覆盖该章的逐章记录；`imported_through_chapter` 不变."""
    ledger = begin_book(tmp_path, init_document(5))
    assert not (tmp_path / record_path(3)).exists()
    commit(ledger, chapter(state_of(ledger), 3, result="头一回改"), [])
    assert "头一回改" in _record(ledger, 3)
    commit(ledger, chapter(state_of(ledger), 3, result="再改"), [])
    assert "再改" in _record(ledger, 3) and "头一回改" not in _record(ledger, 3)
    assert state_of(ledger).imported_through_chapter == 5
    check(ledger, [])


# ---- 续写状态卡固定格式 ----------------------------------------------------------------------------


def test_the_card_has_exactly_seven_sections_in_their_order(ledger: Ledger) -> None:
    """`上下文.md` …由 state 整份生成，只含以下 7 个顶层区块."""
    commit(ledger, chapter(state_of(ledger), result="## 第八栏 # 标题", constraints=["## 九"],
                           next_chapter_commitments=["## 十\n## 十一"]), [])  # fmt: skip
    found = [line for line in _card(ledger).split("\n") if line.startswith("## ")]
    assert found == [
        "## 当前位置", "## 长期约束", "## 核心角色状态", "## 活跃伏笔", "## 近三章速记",
        "## 下一章承诺", "## 连贯性风险",
    ]  # fmt: skip


def test_the_card_has_at_most_12288_bytes(ledger: Ledger) -> None:
    """`上下文.md` ≤12288 字节…人多且各角色状态行写得长时可能先撞字节上限，超了先压短状态行，再减人数."""
    full = snapshot(identity="字" * 80, state="字" * 100, goal="字" * 100)
    cast = {f"角色{n}": full for n in range(20)}
    document = chapter(state_of(ledger), changes=list(cast), snapshots=cast,
                       active_character_names=list(cast))  # fmt: skip
    error = _refused(ledger, document)
    assert [(f.code, f.facts["file"], f.facts["limit"]) for f in error.faults] == [
        ("over_capacity", views.CARD, 12288)
    ]
    assert "压短" in error.faults[0].hint("zh")
    short = {name: full | {"state": "稳"} for name in cast}
    document = chapter(state_of(ledger), changes=list(cast), snapshots=short,
                       active_character_names=list(cast)[:16])  # fmt: skip
    commit(ledger, document, [])
    assert len(_card(ledger).encode()) <= 12288


def test_the_card_keeps_eight_foreshadows_and_three_chapters(ledger: Ledger) -> None:
    """其中活跃角色最多 20 人、活跃伏笔确定性选取最多 8 条、近章只保留 3 章."""
    rows = [foreshadow(f"F{n:03}", 1) for n in range(1, 12)]
    commit(ledger, chapter(state_of(ledger), foreshadow_changes=rows), [])
    for _ in range(3):
        commit(ledger, chapter(state_of(ledger)), [])
    card = _card(ledger)
    section = card.split("## 活跃伏笔\n")[1].split("\n\n")[0].split("\n")
    assert len([line for line in section if line.startswith("- F")]) == 8
    assert section[-1] == "- 另有 3 条未列，见 伏笔.md"
    recent = card.split("## 近三章速记\n")[1].split("\n\n")[0].split("\n")
    assert [line[:5] for line in recent] == ["- 第3章", "- 第4章", "- 第5章"]
    assert views.card(state_of(ledger)) == views.card(state_of(Ledger(ledger.root))) == card


def test_what_the_card_holds_is_no_limit_of_what_the_ledger_holds(ledger: Ledger) -> None:
    """这些是下一章热上下文容量，不是完整角色状态的容量限制."""
    cast = {f"人{n}": snapshot() for n in range(40)}
    rows = [foreshadow(f"F{n:03}", 1, summary="线") for n in range(1, 20)]
    for part in (list(cast)[:20], list(cast)[20:]):
        commit(ledger, chapter(state_of(ledger), changes=part,
                               snapshots={n: cast[n] for n in part}), [])  # fmt: skip
    commit(ledger, chapter(state_of(ledger), foreshadow_changes=rows), [])
    state = state_of(ledger)
    assert (len(state.characters), len(state.foreshadow)) == (42, 19)
    check(ledger, [])


def test_the_history_chain_holds_after_all_of_it(ledger: Ledger) -> None:
    """Beyond the seed: whatever was committed here can be replayed."""
    for number in (None, 1, None, 2):
        commit(ledger, chapter(state_of(ledger), number), [])
    lines = (Path(ledger.root) / HISTORY).read_bytes().splitlines()
    assert history.verify(lines)[1] == []
    assert history.replay(lines) == state_of(ledger)
