"""Prefilled documents: what a record holds is read back whole, and handing a draft in unchanged
leaves the ledger as it was."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.faults import Fault
from clew.novel import prefill, record
from clew.novel.apply import apply, begin
from clew.novel.model import Chaptered, Init, State
from clew.novel.rules import judge_chapter

TEXTS = st.sampled_from(
    [
        "无",
        "账页少了一张",
        "先去渡口；再去当铺",
        "## 不是标题",
        "- 也不是列表",
        "甲｜核心｜乙",
        "Nell waits",
    ]
)
NAMES = ("江晨", "钟嘉嘉", "阿｜核", "O'Neil")
FORESHADOWS = ("F001", "F002", "F1000")
EVENTS = ("E001", "E002")


def start() -> State:
    document = {
        "schema_version": 1,
        "book_title": "渡口旧账",
        "last_chapter": 0,
        "context": {
            "position": {
                "volume": "第一卷", "volume_start_chapter": 1, "story_time": "立秋", "scene": "码头",
            },
            "long_term_constraints": ["夜里不许点明火"],
            "continuity_risks": ["船主不知道账页的事"],
        },
    }  # fmt: skip
    return begin(msgspec.convert(document, Init))


def snapshot(goal: str) -> dict[str, Any]:
    return {"identity": "学徒", "location": "码头", "goal": goal, "state": "平静"}


@st.composite
def transactions(draw: st.DrawFn, state: State) -> dict[str, Any]:
    """One right transaction for the next chapter."""
    chapter = state.last_committed_chapter + 1
    document = prefill.append_document(state, chapter, f"第{chapter}夜")
    document["context"]["position"] |= {"story_time": f"第{chapter}日", "scene": "码头"}
    changed = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3))
    retiring = [n for n in changed if n in state.characters and draw(st.booleans())]
    document["character_snapshots"] = {
        name: snapshot(f"目标{chapter}")
        for name in changed
        if name not in retiring and (name in state.characters or draw(st.booleans()))
    }
    document["delta"] |= {
        "result": draw(TEXTS),
        "character_changes": [{"name": name, "change": draw(TEXTS)} for name in changed],
        "foreshadow_changes": [
            {"action": "delete", "id": ident}
            if draw(st.integers(0, 3)) == 0
            else {
                "id": ident, "summary": draw(TEXTS), "planted_chapter": chapter,
                "planned_resolution_chapter": draw(st.sampled_from([None, 90])),
                "status": "已埋", "importance": "高",
            }
            for ident in draw(st.lists(st.sampled_from(FORESHADOWS), unique=True))
        ],
        "timeline_events": [
            {
                "id": ident, "story_time": "立秋", "objective_fact": draw(TEXTS),
                "reader_knowledge": draw(TEXTS), "reveal_status": "已揭示",
                "reveal_chapter": chapter, "characters": list(changed),
            }
            for ident in draw(st.lists(st.sampled_from(EVENTS), unique=True))
        ],
        "constraints": draw(st.lists(TEXTS, max_size=3)),
        "next_chapter_commitments": draw(st.lists(TEXTS, max_size=3)),
        "retired_characters": retiring,
    }  # fmt: skip
    return document


def committed(state: State, document: dict[str, Any]) -> tuple[State, Chaptered, tuple[str, ...]]:
    judged = judge_chapter(document, state)
    assert judged.faults == []
    tx = msgspec.convert(judged.value, Chaptered)
    applied = apply(state, tx)
    return applied.state, tx, applied.dropped_items


@given(st.data())
def test_an_unchanged_revision_of_any_chapter_changes_nothing_but_the_revision(
    data: st.DataObject,
) -> None:
    state, texts = start(), []
    for _ in range(data.draw(st.integers(1, 4))):
        state, tx, dropped = committed(state, data.draw(transactions(state)))
        texts.append(record.render(tx, state.characters, dropped))
    for chapter, before in enumerate(texts, 1):
        old = prefill.recorded(before)
        assert old is not None
        notes: list[Fault] = []
        document = prefill.revision_document(state, chapter, old.title, old, notes)
        after, tx, _ = committed(state, document)
        assert msgspec.structs.replace(after, state_revision=state.state_revision) == state

        text = record.render(tx, after.characters, (), record.retirement_lines(before))
        new = prefill.recorded(text)
        assert new is not None
        assert (new.title, new.result, new.constraints) == (old.title, old.result, old.constraints)
        assert [(n, c) for n, _, c in new.characters] == [(n, c) for n, _, c in old.characters]
        assert text.partition("## 本章退役登记")[2] == before.partition("## 本章退役登记")[2]
        if chapter == len(texts) and not tx.delta.retired_characters and not notes:
            assert text == before


@given(st.data())
def test_a_record_is_read_back_as_it_was_written(data: st.DataObject) -> None:
    state, tx, dropped = committed(start(), data.draw(transactions(start())))
    found = prefill.recorded(record.render(tx, state.characters, dropped))
    delta = tx.delta
    assert found is not None
    assert (found.title, found.result) == (tx.chapter_title, delta.result)
    # A lone 无 is how a record says that there is nothing.
    assert found.commitments == (
        [] if delta.next_chapter_commitments == ["无"] else delta.next_chapter_commitments
    )
    assert found.constraints == ([] if delta.constraints == ["无"] else delta.constraints)
    assert list(found.foreshadows.items()) == [
        (row.id, row.action == "delete") for row in delta.foreshadow_changes
    ]
    assert list(found.events) == [row.id for row in delta.timeline_events]
    assert [(n, c) for n, _, c in found.characters] == [
        (row.name, row.change) for row in delta.character_changes
    ]


def test_a_text_that_is_no_record_is_not_read_as_one() -> None:
    assert prefill.recorded("") is None
    assert prefill.recorded("# 我的笔记\n\n- 结果：无\n") is None
    assert prefill.recorded("# 第001章 · 题\n没有结果\n") is None


def test_a_record_with_windows_line_ends_is_read() -> None:
    state, tx, dropped = committed(start(), _first())
    text = record.render(tx, state.characters, dropped)
    assert prefill.recorded(text.replace("\n", "\r\n")) == prefill.recorded(text)


def _first() -> dict[str, Any]:
    document = prefill.append_document(start(), 1, "缺页")
    document["context"]["position"] |= {"story_time": "立秋", "scene": "码头"}
    document["delta"]["result"] = "账页少了一张"
    return document


def test_a_row_that_lives_again_is_not_deleted_by_an_old_chapters_draft() -> None:
    state, _, _ = committed(start(), _first())
    row = {
        "id": "F001", "summary": "缺页", "planted_chapter": 2, "status": "已埋", "importance": "高",
    }  # fmt: skip
    second = prefill.append_document(state, 2, "再埋")
    second["context"]["position"] |= {"story_time": "立秋", "scene": "码头"}
    second["delta"] |= {"result": "又埋下了", "foreshadow_changes": [row]}
    state, _, _ = committed(state, second)
    old = prefill.recorded(
        "# 第001章 · 缺页\n\n- 结果：x\n- 下一章承诺：无\n\n## 伏笔变化\n"
        "- F001｜删除当前登记\n- F009｜已埋｜早就删了｜回收未定\n- F010｜删除当前登记\n"
    )
    notes: list[Fault] = []
    document = prefill.revision_document(state, 1, "缺页", old, notes)
    assert document["delta"]["foreshadow_changes"] == [{"action": "delete", "id": "F010"}]
    assert notes == [Fault("draft_row_skipped", chapter=1, found=["F001", "F009"])]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def objects(*keys: str) -> st.SearchStrategy[Any]:
    """Objects with some of these keys, and lists of such, with anything in them."""
    row = st.fixed_dictionaries(
        {}, optional=dict.fromkeys(keys, JUNK | st.just("江晨") | st.just("F001"))
    )
    return JUNK | row | st.lists(row, max_size=3)


CONTEXT = JUNK | st.fixed_dictionaries(
    {},
    optional={
        "position": objects("story_time", "scene", "volume"),
        "long_term_constraints": JUNK,
        "active_character_names": JUNK | st.just(["江晨", 3]),
    },
)
DELTA = JUNK | st.fixed_dictionaries(
    {},
    optional={
        "character_changes": objects("name", "change"),
        "foreshadow_changes": objects("id", "summary"),
        "retired_context_items": JUNK,
        "retired_characters": JUNK,
    },
)


@given(CONTEXT, DELTA, objects("江晨"), st.sampled_from(["append", "revision"]))
def test_whatever_an_old_draft_holds_it_is_brought_up_to_date(
    context: Any, delta: Any, snapshots: Any, mode: str
) -> None:
    state, _, _ = committed(start(), _first())
    fresh = (
        prefill.append_document(state, 2, "题")
        if mode == "append"
        else prefill.revision_document(state, 1, "题", None, [])
    )
    old = {"context": context, "delta": delta, "character_snapshots": snapshots}
    document, _ = prefill.merged(old, fresh, state.characters, [])
    assert document["expected_state_revision"] == state.state_revision
    assert list(document) == list(fresh)
    for side in prefill.SIDES:
        kept = set(document["context"][side])
        retired = delta.get("retired_context_items") if isinstance(delta, dict) else None
        assert retired or set(fresh["context"][side]) <= kept
