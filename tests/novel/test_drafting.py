"""`draft` on real books: what is prefilled, and what becomes of a draft that is there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ferry_book import append, codes, filled, foreshadow, read, snapshot, start, state_of, write

import clew.novel
from clew.kernel.errors import Corrupt, Missing, Refused, StorageFailed
from clew.kernel.faults import Fault
from clew.novel.commit import commit
from clew.novel.drafting import draft
from clew.novel.ledger import Ledger
from clew.testing.novel import begin_book, init_document

# ---- a new chapter -------------------------------------------------------------------------------


def test_a_new_chapters_draft_holds_what_is_current_and_leaves_its_place_in_time_blank(
    tmp_path: Path,
) -> None:
    ledger = start(tmp_path)
    (tmp_path / "大纲").mkdir()
    (tmp_path / "大纲" / "细纲_第001章_缺页.md").write_text("# 第1章：缺页\n", encoding="utf-8")
    drafted = draft(ledger, 1, [])
    assert Path(drafted.draft) == (tmp_path / ".story/work/第001章/tracking.json").resolve()
    assert read(drafted) == {
        "schema_version": 1,
        "mode": "append",
        "chapter": 1,
        "chapter_title": "缺页",
        "expected_state_revision": 0,
        "delta": {
            "result": "", "character_changes": [], "foreshadow_changes": [],
            "timeline_events": [], "constraints": [], "next_chapter_commitments": [],
            "retired_context_items": [], "retired_characters": [],
        },
        "context": {
            "position": {
                "volume": "第一卷", "volume_start_chapter": 1, "story_time": "", "scene": "",
            },
            "long_term_constraints": ["夜里不许点明火"],
            "active_character_names": ["林晚"],
            "continuity_risks": ["船主不知道账页的事"],
        },
        "character_snapshots": {},
    }  # fmt: skip
    assert Path(drafted.draft).read_bytes().endswith(b"}\n")
    answer = msgspec.to_builtins(drafted)
    assert answer["previous_position"] == {"story_time": "立秋前夜", "scene": "三号码头"}
    assert list(answer["current_snapshots"]) == ["林晚"]
    assert (answer["mode"], answer["expected_state_revision"]) == ("append", 0)
    assert answer["limits_chars"]["delta.result"] == 120


def test_a_new_chapters_draft_commits_once_its_blanks_are_filled(tmp_path: Path) -> None:
    ledger = start(tmp_path)
    drafted = draft(ledger, 1, [])
    with pytest.raises(Refused) as refused:
        commit(ledger, read(drafted), [])
    assert {(f.code, f.path) for f in refused.value.faults} == {
        ("empty_text", "$.chapter_title"),
        ("empty_text", "$.delta.result"),
        ("empty_text", "$.context.position.story_time"),
        ("empty_text", "$.context.position.scene"),
    }
    assert {f.path for f in refused.value.faults} <= {row.path for row in drafted.fill}
    assert commit(ledger, filled(read(drafted)), []).state_revision == 1


@pytest.mark.parametrize("chapter", [-1, 0, 2, 10**9])
def test_only_the_next_and_the_committed_chapters_have_drafts(tmp_path: Path, chapter: int) -> None:
    ledger = start(tmp_path)
    with pytest.raises(Refused) as refused:
        draft(ledger, chapter, [])
    assert refused.value.faults == (Fault("draft_chapter", found=chapter, allowed="1..1"),)
    assert not (tmp_path / ".story").exists()


def test_a_book_without_a_ledger_is_told_to_run_init(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="run init first"):
        draft(clew.novel.open(tmp_path), 1, [])


# ---- a revision ----------------------------------------------------------------------------------


def test_an_unchanged_revision_of_the_last_chapter_leaves_record_and_state_as_they_were(
    tmp_path: Path,
) -> None:
    ledger = start(tmp_path)
    append(
        ledger,
        character_changes=[{"name": "林晚", "change": "起疑"}, {"name": "更夫", "change": "路过"}],
        foreshadow_changes=[foreshadow(1)],
        constraints=["渡口只有一本账"],
        next_chapter_commitments=["找更夫；问清时辰", "上船"],
    )
    before, path = state_of(ledger), tmp_path / "追踪/逐章记录/第001章.md"
    text = path.read_bytes()
    notes: list[Fault] = []
    drafted = draft(ledger, 1, notes, force=True)
    assert drafted.mode == "revision"
    assert "previous_position" not in msgspec.to_builtins(drafted)
    assert codes(notes) == ["draft_aside"]
    assert list(read(drafted)["character_snapshots"]) == ["林晚"]
    commit(ledger, read(drafted), notes)
    after = state_of(ledger)
    assert path.read_bytes() == text
    assert after.state_revision == before.state_revision + 1
    assert msgspec.structs.replace(after, state_revision=before.state_revision) == before


def test_an_older_chapters_revision_hands_in_current_values_and_dates_nothing_anew(
    tmp_path: Path,
) -> None:
    ledger = start(tmp_path)
    append(ledger, foreshadow_changes=[foreshadow(1)])
    append(ledger, foreshadow_changes=[foreshadow(1, "已回收")])
    before = state_of(ledger)
    drafted = draft(ledger, 1, [], force=True)
    assert read(drafted)["delta"]["foreshadow_changes"] == [foreshadow(1, "已回收")]
    commit(ledger, read(drafted), [])
    assert state_of(ledger).foreshadow == before.foreshadow
    assert state_of(ledger).foreshadow["F001"].updated_chapter == 2


def test_a_retired_character_does_not_come_back_by_an_old_chapters_revision(tmp_path: Path) -> None:
    ledger = start(tmp_path)
    append(ledger, character_changes=[{"name": "船主", "change": "藏起账页"}])
    append(
        ledger,
        character_changes=[{"name": "船主", "change": "离开渡口"}],
        retired_characters=["船主"],
    )
    notes: list[Fault] = []
    drafted = draft(ledger, 1, notes, force=True)
    assert read(drafted)["character_snapshots"] == {}
    assert codes(notes) == ["draft_character_gone", "draft_aside"]
    commit(ledger, read(drafted), [])
    assert list(state_of(ledger).characters) == ["林晚"]


def test_a_revision_keeps_the_title_of_the_record_and_says_what_the_outline_calls_it(
    tmp_path: Path,
) -> None:
    ledger = start(tmp_path)
    append(ledger)
    (tmp_path / "大纲").mkdir()
    (tmp_path / "大纲" / "细纲_第001章_x.md").write_text("# 第1章：少一页\n", encoding="utf-8")
    notes: list[Fault] = []
    assert read(draft(ledger, 1, notes, force=True))["chapter_title"] == "缺页"
    assert notes[0] == Fault("title_differs", chapter=1, found="少一页", allowed="缺页")


def test_the_record_of_an_adopted_books_chapter_is_read_from_disk(tmp_path: Path) -> None:
    ledger = start(tmp_path)
    append(ledger, constraints=["渡口只有一本账"])
    (tmp_path / "追踪/_history.jsonl").unlink()
    drafted = draft(ledger, 1, [], force=True)
    assert read(drafted)["delta"]["constraints"] == ["渡口只有一本账"]


def test_a_chapter_whose_record_is_no_record_gets_an_empty_delta_and_a_note(tmp_path: Path) -> None:
    ledger = start(tmp_path)
    append(ledger)
    (tmp_path / "追踪/_history.jsonl").unlink()
    (tmp_path / "追踪/逐章记录/第001章.md").write_bytes(b"\xff\xfe broken")
    notes: list[Fault] = []
    drafted = draft(ledger, 1, notes, force=True)
    assert "draft_without_record" in codes(notes)
    # 近三章速记 still knows the chapter's result.
    assert read(drafted)["delta"]["result"] == "林晚发现账页少了一张"


def test_a_broken_history_is_named_and_no_draft_is_written(tmp_path: Path) -> None:
    ledger = start(tmp_path)
    append(ledger)
    append(ledger)
    path = tmp_path / "追踪/_history.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[1] = b"<<<<<<< HEAD"
    path.write_bytes(b"\n".join(lines))
    place = tmp_path / ".story/work/第002章/tracking.json"
    kept = place.read_bytes()
    with pytest.raises(Corrupt) as corrupt:
        draft(ledger, 2, [], force=True)
    assert corrupt.value.code == "history_broken"
    assert place.read_bytes() == kept


# ---- a draft that is there -----------------------------------------------------------------------


def test_a_draft_for_the_present_revision_is_kept_untouched(tmp_path: Path) -> None:
    ledger = start(tmp_path)
    drafted = draft(ledger, 1, [])
    write(drafted, filled(read(drafted)))
    before = Path(drafted.draft).read_bytes()
    notes: list[Fault] = []
    assert draft(ledger, 1, notes).existing == "kept"
    assert Path(drafted.draft).read_bytes() == before
    assert codes(notes) == ["draft_kept"]


@pytest.mark.parametrize("change", [{"chapter": 7}, {"mode": "revision"}, {"mode": None}])
def test_a_draft_of_another_chapter_or_mode_is_refused_and_forced_only_with_a_copy(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    ledger = start(tmp_path)
    drafted = draft(ledger, 1, [])
    write(drafted, read(drafted) | change)
    before = Path(drafted.draft).read_bytes()
    with pytest.raises(Refused) as refused:
        draft(ledger, 1, [])
    assert refused.value.code == "draft_exists"
    assert Path(drafted.draft).read_bytes() == before
    forced = draft(ledger, 1, [], force=True)
    assert forced.existing == "replaced"
    assert forced.kept_beside is not None
    assert (tmp_path / forced.kept_beside).read_bytes() == before
    assert read(forced)["mode"] == "append"


@pytest.mark.parametrize("text", [b"", b'{"chapter": 1,', b"[]", b'{"a":1,"a":2}', b"\xff", b"NaN"])
def test_a_draft_that_cannot_be_read_is_kept_aside_even_when_forced(
    tmp_path: Path, text: bytes
) -> None:
    ledger = start(tmp_path)
    path = Path(draft(ledger, 1, []).draft)
    path.write_bytes(text)
    with pytest.raises(Refused) as refused:
        draft(ledger, 1, [])
    assert refused.value.code == "draft_unreadable"
    assert path.read_bytes() == text
    for _ in range(2):
        draft(ledger, 1, [], force=True)
    copies = sorted(path.parent.glob("tracking.json.before-*"))
    assert [copy.read_bytes() for copy in copies].count(text) == 1
    assert len(copies) == 2


def test_an_older_append_draft_gets_the_present_context_and_keeps_what_was_filled_in(
    tmp_path: Path,
) -> None:
    ledger = start(tmp_path)
    append(ledger, character_changes=[{"name": "林晚", "change": "起疑"}])
    drafted = draft(ledger, 2, [])
    mine = filled(read(drafted))
    mine["context"]["long_term_constraints"].append("雨天不开船")
    mine["context"]["continuity_risks"] = []
    mine["context"]["active_character_names"] = ["林晚", "阿四", "无影"]
    mine["context"]["position"]["volume"] = "第二卷"
    mine["delta"]["retired_context_items"] = ["船主不知道账页的事"]
    mine["delta"]["character_changes"] = [{"name": "阿四", "change": "登场"}]
    mine["character_snapshots"] = {"阿四": snapshot("讨工钱")}
    write(drafted, mine)
    revision = draft(ledger, 1, [], force=True)
    changed = read(revision)
    changed["context"]["long_term_constraints"].append("账房不见外客")
    commit(ledger, changed, [])

    notes: list[Fault] = []
    again = draft(ledger, 2, notes)
    now = read(again)
    assert (again.existing, codes(notes)) == ("merged", ["draft_merged", "draft_aside"])
    assert again.kept_beside is not None
    assert now["expected_state_revision"] == 2
    assert now["delta"] == mine["delta"]
    assert now["character_snapshots"] == mine["character_snapshots"]
    assert now["context"] == {
        "position": {
            "volume": "第一卷", "volume_start_chapter": 1, "story_time": "立秋", "scene": "账房",
        },
        "long_term_constraints": ["夜里不许点明火", "账房不见外客", "雨天不开船"],
        "active_character_names": ["林晚", "阿四"],
        "continuity_risks": [],
    }  # fmt: skip
    assert {row.path for row in again.differences} == {
        "$.context.position.volume",
        "$.context.long_term_constraints",
        "$.context.active_character_names",
    }
    assert commit(ledger, now, []).state_revision == 3


def test_an_older_revision_draft_lists_what_moved_on_and_drops_who_left(tmp_path: Path) -> None:
    ledger = start(tmp_path)
    append(
        ledger,
        character_changes=[
            {"name": "林晚", "change": "起疑"},
            {"name": "船主", "change": "藏起账页"},
        ],
        foreshadow_changes=[foreshadow(1)],
    )
    drafted = draft(ledger, 1, [], force=True)
    mine = read(drafted)
    mine["delta"]["result"] = "林晚当场认出换页"
    mine["delta"]["character_changes"].append({"name": "阿四", "change": "登场"})
    mine["character_snapshots"]["阿四"] = snapshot("讨工钱")
    write(drafted, mine)
    append(
        ledger,
        character_changes=[{"name": "船主", "change": "离开"}],
        retired_characters=["船主"],
        foreshadow_changes=[foreshadow(1, "已回收")],
    )
    notes: list[Fault] = []
    again = draft(ledger, 1, notes)
    now = read(again)
    assert codes(notes) == ["draft_merged", "draft_snapshot_dropped", "draft_aside"]
    assert again.kept_beside is not None
    assert json.loads((tmp_path / again.kept_beside).read_text(encoding="utf-8")) == mine
    assert now["delta"] == mine["delta"]
    # 阿四 was never in the ledger: the author brings him in, nobody retired him.
    assert list(now["character_snapshots"]) == ["林晚", "阿四"]
    assert now["context"]["position"]["story_time"] == "立秋"
    assert {row.path for row in again.differences} == {"$.delta.foreshadow_changes[0]"}
    commit(ledger, now, [])
    assert sorted(state_of(ledger).characters) == ["林晚", "阿四"]


def test_without_a_history_a_revision_drafts_unknown_snapshots_are_taken_for_retired(
    tmp_path: Path,
) -> None:
    ledger = start(tmp_path)
    append(ledger)
    drafted = draft(ledger, 1, [], force=True)
    mine = read(drafted)
    mine["character_snapshots"] = {"船主": snapshot("x"), "旧人": snapshot("y")}
    mine["expected_state_revision"] = 0
    write(drafted, mine)
    (tmp_path / "追踪/_history.jsonl").unlink()
    notes: list[Fault] = []
    assert list(read(draft(ledger, 1, notes))["character_snapshots"]) == ["船主"]
    assert Fault("draft_snapshot_dropped", found=["旧人"]) in notes


def test_what_no_draft_can_be_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    ledger = start(tmp_path)
    path = Path(draft(ledger, 1, []).draft)
    with path.open("wb") as file:
        file.truncate(4_000_001)
    for force in (False, True):
        with pytest.raises(Refused) as refused:
            draft(ledger, 1, [], force=force)
        assert refused.value.code == "too_large"
    assert path.stat().st_size == 4_000_001
    path.unlink()
    path.mkdir()
    with pytest.raises(StorageFailed):
        draft(ledger, 1, [])


def test_copies_of_one_moment_have_different_names(tmp_path: Path) -> None:
    start(tmp_path)
    ledger = Ledger(tmp_path, clock=lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    for _ in range(3):
        drafted = draft(ledger, 1, [], force=True)
    names = sorted(path.name for path in Path(drafted.draft).parent.iterdir())
    assert names == [
        "tracking.json",
        "tracking.json.before-20260102T030405.000Z",
        "tracking.json.before-20260102T030405.000Z-1",
    ]


# ---- where it goes -------------------------------------------------------------------------------


def test_out_takes_an_absolute_path_outside_the_book(tmp_path: Path) -> None:
    ledger = start(tmp_path / "书")
    target = tmp_path / "elsewhere.json"
    drafted = draft(ledger, 1, [], out=str(target))
    assert drafted.draft == str(target.resolve())
    assert read(drafted)["chapter"] == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["elsewhere.json", "书"]
    with pytest.raises(Missing):
        draft(ledger, 1, [], out=str(tmp_path / "no" / "such.json"))
    assert not (tmp_path / "no").exists()


def test_a_relative_out_is_relative_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = start(tmp_path / "书")
    monkeypatch.chdir(tmp_path)
    draft(ledger, 1, [], out="draft.json")
    draft(ledger, 1, [], out="书/.story/work/x.json")
    assert (tmp_path / "draft.json").exists()
    assert (tmp_path / "书/.story/work/x.json").exists()


@pytest.mark.parametrize("place", ["追踪/_tracking-state.json", "正文/第001章.md", "大纲/x.json"])
def test_a_draft_never_lands_among_the_ledger_the_bodies_or_the_outlines(
    tmp_path: Path, place: str
) -> None:
    ledger = start(tmp_path)
    state = (tmp_path / "追踪/_tracking-state.json").read_bytes()
    with pytest.raises(Refused) as refused:
        draft(ledger, 1, [], out=str(tmp_path / place), force=True)
    assert refused.value.code == "unsafe_path"
    assert (tmp_path / "追踪/_tracking-state.json").read_bytes() == state


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_gets_the_draft_by_its_own_name(tmp_path: Path, there: bool) -> None:
    ledger = start(tmp_path)
    if there:
        (tmp_path / "drafts").mkdir()
    draft(ledger, 1, [], out=f"{tmp_path}/drafts{'' if there else '/'}")
    assert [path.name for path in (tmp_path / "drafts").iterdir()] == ["tracking.json"]


@pytest.mark.parametrize("out", ["t/x.json", "追踪/x.json", None])
def test_no_link_leads_a_draft_there(tmp_path: Path, out: str | None) -> None:
    ledger = start(tmp_path)
    (tmp_path / "追踪").rename(tmp_path / "t")
    (tmp_path / "追踪").symlink_to("t")
    (tmp_path / ".story").mkdir(exist_ok=True)
    if out is None:
        (tmp_path / ".story/work").symlink_to("../t")
    before = sorted(path.name for path in (tmp_path / "t").iterdir())
    with pytest.raises(Refused) as refused:
        draft(ledger, 1, [], out=out and str(tmp_path / out))
    assert refused.value.code == "unsafe_path"
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == before


@pytest.mark.parametrize(
    ("title", "name"), [("The Ferry Ledger", "Mara Vey"), ("渡口旧账", "林晚"), ("1984", "林晚")]
)
def test_the_examples_speak_the_language_of_the_book(tmp_path: Path, title: str, name: str) -> None:
    ledger = begin_book(tmp_path / "书", init_document(book_title=title))
    found = draft(ledger, 1, [])
    assert list(found.shapes["character_snapshots"]) == [name]
