"""The views: exact text for a small state, seven sections, caps, order, and nothing but the state."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings

from clew.novel import views
from clew.novel.model import State
from clew.testing.novel import (
    Document,
    Story,
    applied,
    chapter,
    event,
    foreshadow,
    histories,
    init_document,
    snapshot,
    started,
)

FEW = settings(max_examples=max(12, settings().max_examples // 3))

SECTIONS = [
    "## 当前位置", "## 长期约束", "## 核心角色状态", "## 活跃伏笔", "## 近三章速记",
    "## 下一章承诺", "## 连贯性风险",
]  # fmt: skip

CARD = """\
# 写作连续性上下文 — 渡口旧账

> 状态修订：1。由 clew 从账本生成，改动请提交事务。

## 当前位置
- 当前章：第4章
- 卷：第一卷（始于第1章）
- 故事时间：立秋前夜
- 场景：三号码头

## 长期约束
- 夜里不许点明火

## 核心角色状态
- 江晨｜渡口伙计｜镇定｜目标：找回旧账

## 活跃伏笔
- F002｜F002的半本旧账｜埋第2章｜第5章｜低
- F001｜F001的半本旧账｜埋第1章｜回收章未定｜高

## 近三章速记
- 第4章｜第4章写完

## 下一章承诺
- 账房上船

## 连贯性风险
- 钟嘉嘉只猜对一半
"""

FORESHADOWS = """\
# 伏笔当前状态

> 由 clew 从账本生成，改动请提交事务。

| ID | 内容 | 埋设章 | 计划回收章 | 状态 | 重要度 | 最近变更章 |
|---|---|---:|---:|---|---|---:|
| F001 | F001的半本旧账 | 第1章 | — | 已埋 | 高 | 第3章 |
| F002 | F002的半本旧账 | 第2章 | 第5章 | 已埋 | 低 | 第3章 |
| F003 | F003的半本旧账 | 第1章 | — | 已回收 | 中 | 第4章 |
"""

TRUTH = """\
# 作者真相时间线

> 由 clew 从账本生成，改动请提交事务。

| ID | 首次登记章 | 故事时间 | 客观事实 | 读者当前认知 | 揭示状态 | 实际揭示章 |
|---|---:|---|---|---|---|---:|
| E001 | 第3章 | 立秋 | E001账房换了人（涉及：江晨、老周） | 读者只见空椅子 | 未揭示 | — |
| E002 | 第4章 | 立秋 | E002账房换了人 | 读者只见空椅子 | 已揭示 | 第4章 |
"""

READER = """\
# 读者已知时间线

> 由 clew 从账本生成，改动请提交事务。

| ID | 读者当前认知 | 认知截至章 |
|---|---|---:|
| E001 | 读者只见空椅子 | 第3章 |
| E002 | 读者只见空椅子 | 第4章 |
"""

CHARACTER = """\
# 江晨｜当前状态

- 身份：渡口伙计
- 位置：三号码头
- 当前目标：找回旧账
- 身心状态：镇定

## 能力与资源
- 无

## 关键关系
- 老周是旧识
- 欠摆渡人船钱

## 已知信息
- 无

## 未结事项
- 无
"""

EMPTY_CARD = """\
# 写作连续性上下文 — 渡口旧账

> 状态修订：0。由 clew 从账本生成，改动请提交事务。

## 当前位置
- 当前章：尚未开篇
- 卷：第一卷（始于第1章）
- 故事时间：立秋前夜
- 场景：三号码头

## 长期约束
- 无

## 核心角色状态
- 无

## 活跃伏笔
- 无

## 近三章速记
- 无

## 下一章承诺
- 无

## 连贯性风险
- 无
"""


def _small() -> State:
    state = started(
        init_document(
            3,
            character_snapshots={"江晨": snapshot(relationships=["老周是旧识", "欠摆渡人船钱"])},
            active_character_names=["江晨"],
            continuity_risks=["钟嘉嘉只猜对一半"],
            foreshadow=[foreshadow("F002", 2, 5, importance="低"),
                        foreshadow("F001", 1, importance="高")],
            timeline_events=[event("E001", characters=["江晨", "老周"])],
        )
    )  # fmt: skip
    return applied(
        state,
        chapter(
            state,
            next_chapter_commitments=["账房上船"],
            foreshadow_changes=[foreshadow("F003", 1, status="已回收")],
            timeline_events=[event("E002", 4)],
        ),
    )


def _texts(state: State) -> dict[str, str]:
    return {path: data.decode() for path, data in views.render(state).items()}


def test_the_exact_views_of_a_small_state() -> None:
    rendered = _texts(_small())
    assert list(rendered) == [
        "追踪/上下文.md", "追踪/伏笔.md", "追踪/时间线/作者真相.md", "追踪/时间线/读者已知.md",
        "追踪/角色状态/江晨.md",
    ]  # fmt: skip
    assert rendered["追踪/上下文.md"] == CARD
    assert rendered["追踪/伏笔.md"] == FORESHADOWS
    assert rendered["追踪/时间线/作者真相.md"] == TRUTH
    assert rendered["追踪/时间线/读者已知.md"] == READER
    assert rendered["追踪/角色状态/江晨.md"] == CHARACTER


def test_an_empty_section_says_so() -> None:
    assert views.card(started(init_document(long_term_constraints=[]))) == EMPTY_CARD


def _with(rows: list[Document], last: int = 4) -> State:
    return started(init_document(last, foreshadow=rows))


def _shown(state: State) -> list[str]:
    text = views.card(state).split("## 活跃伏笔\n")[1].split("\n\n")[0]
    return [line[2:] for line in text.split("\n")]


def test_the_card_shows_eight_foreshadows_and_says_how_many_are_left_out() -> None:
    state = _with([foreshadow(f"F{n:03}", 1, summary="线") for n in range(1, 9)])
    assert len(_shown(state)) == 8
    assert _shown(state)[-1].startswith("F008｜")
    state = _with([foreshadow(f"F{n:03}", 1, summary="线") for n in range(1, 12)])
    assert len(_shown(state)) == 9
    assert _shown(state)[-1] == "另有 3 条未列，见 伏笔.md"


def test_ids_sort_by_their_number_everywhere() -> None:
    state = started(
        init_document(
            4,
            foreshadow=[foreshadow(f"F{n}", 1) for n in ("1000", "101", "999", "002")],
            timeline_events=[event(f"E{n}") for n in ("1000", "101", "999", "002")],
        )
    )
    order = ["002", "101", "999", "1000"]
    assert [line[:5].strip("｜") for line in _shown(state)] == [
        "F002｜"[:4],
        "F101",
        "F999",
        "F1000",
    ]
    for text, prefix in ((views.foreshadows(state), "F"), (views.truth(state), "E"),
                         (views.reader(state), "E")):  # fmt: skip
        found = [line.split(" ")[1] for line in text.split("\n") if line.startswith(f"| {prefix}")]
        assert found == [f"{prefix}{n}" for n in order]


def test_only_planted_foreshadows_are_active_and_what_is_due_comes_first() -> None:
    state = _with(
        [
            foreshadow("F001", 1, importance="高"),
            foreshadow("F002", 1, 9, importance="高"),
            foreshadow("F003", 1, 7, importance="高"),
            foreshadow("F004", 1, 5, importance="低"),
            foreshadow("F005", 1, 2, importance="中"),
            foreshadow("F006", 1, 9, status="已回收"),
            foreshadow("F007", 1, 9, status="已过期"),
            foreshadow("F008", 1, 9, status="放弃"),
            foreshadow("F009", 1, importance="中"),
        ]
    )
    assert [line[:4] for line in _shown(state)] == [
        "F005", "F004", "F003", "F002", "F001", "F009",
    ]  # fmt: skip


def test_two_ways_to_one_state_give_the_same_views() -> None:
    rows = [foreshadow("F001", 1), foreshadow("F002", 1)]
    one = started(init_document(character_snapshots={"甲": snapshot(), "乙": snapshot()}))
    two = started(init_document(character_snapshots={"乙": snapshot(), "甲": snapshot()}))
    one = applied(one, chapter(one, foreshadow_changes=rows))
    two = applied(two, chapter(two, foreshadow_changes=rows[::-1]))
    assert _texts(one) == _texts(two)


def test_only_the_card_knows_the_revision() -> None:
    state = _small()
    later = msgspec.structs.replace(state, state_revision=99)
    before, after = _texts(state), _texts(later)
    assert [p for p in before if before[p] != after[p]] == [views.CARD]
    assert after[views.CARD] == before[views.CARD].replace("状态修订：1。", "状态修订：99。")


@FEW
@given(histories(most=3))
def test_no_text_of_an_author_can_make_or_break_a_section_or_a_row(story: Story) -> None:
    for state in story.states:
        rendered = _texts(state)
        card = rendered[views.CARD].split("\n")
        assert [line for line in card if line.startswith("## ")] == SECTIONS
        assert all(
            line in ("", card[0], card[2]) or line.startswith(("## ", "- ")) for line in card
        )
        assert (
            card.count(f"> 状态修订：{state.state_revision}。由 clew 从账本生成，改动请提交事务。")
            == 1
        )
        for path, cells in ((views.FORESHADOWS, 7), (views.TRUTH, 7), (views.READER, 3)):
            rows = rendered[path].split("\n")[4:-1]
            assert {row.count("|") for row in rows} == {cells + 1}
        assert rendered[views.FORESHADOWS].count("\n| F") == len(state.foreshadow)
        assert rendered[views.TRUTH].count("\n| E") == len(state.timeline)
        for name in state.characters:
            text = rendered[views.character_path(name)]
            assert len([line for line in text.split("\n") if line.startswith("## ")]) == 4
        for text in rendered.values():
            assert text.endswith("\n") and not text.endswith("\n\n") and "\r" not in text


@pytest.mark.parametrize("count", [0, 1, 8, 9, 300])
def test_the_card_never_grows_with_the_number_of_foreshadows(count: int) -> None:
    state = _with([foreshadow(f"F{n:03}", 1, summary="字" * 120) for n in range(1, count + 1)])
    assert len(views.card(state).encode()) < 5_000
