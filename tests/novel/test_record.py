"""The chapter record: exact text, retirements, what a revision keeps and what it empties."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from clew.novel import record
from clew.novel.apply import apply
from clew.novel.model import Chaptered
from clew.novel.rules import judge_chapter
from clew.testing.novel import (
    Story,
    chapter,
    event,
    foreshadow,
    histories,
    init_document,
    snapshot,
    started,
)

FEW = settings(max_examples=max(12, settings().max_examples // 3))

STATE = started(init_document(6, character_snapshots={"江晨": snapshot(), "老周": snapshot()}))


def _render(carried: tuple[str, ...] = (), dropped: tuple[str, ...] = (), **fields: Any) -> str:
    judged = judge_chapter(chapter(STATE, **fields), STATE)
    assert judged.faults == []
    tx = msgspec.convert(judged.value, Chaptered)
    return record.render(tx, apply(STATE, tx).state.characters, dropped, carried)


EMPTY = """\
# 第007章 · 章题7

- 结果：第7章写完
- 下一章承诺：无

## 角色变化
- 无

## 伏笔变化
- 无

## 时间与揭示
- 无

## 连贯性约束
- 无
"""

FULL = """\
# 第007章 · 账房上船

- 结果：旧账找回一半
- 下一章承诺：账房上船；夜里过闸

## 角色变化
- 江晨｜核心｜知道账房换了人
- 老周｜核心｜留在码头
- 摆渡人｜临时｜收了双倍船钱
- 新人｜核心｜登场

## 伏笔变化
- F001｜已埋｜半本旧账在谁手里｜回收第9章
- F1000｜已回收｜F1000的半本旧账｜回收未定
- F002｜删除当前登记

## 时间与揭示
- E001｜立秋｜事实：E001账房换了人｜读者：读者只见空椅子｜未揭示
- E002｜删除当前登记

## 连贯性约束
- 夜里不许点明火

## 本章退役登记
- 不出现真名
- 角色状态：老周
"""


def test_a_chapter_that_changed_nothing_says_so_in_every_section() -> None:
    assert _render() == EMPTY


def test_the_whole_record_of_a_full_chapter() -> None:
    text = _render(
        chapter_title="账房上船",
        result="旧账找回一半",
        next_chapter_commitments=["账房上船", "夜里过闸"],
        changes={
            "江晨": "知道账房换了人", "老周": "留在码头", "摆渡人": "收了双倍船钱", "新人": "登场",
        },
        snapshots={"江晨": snapshot(), "新人": snapshot()},
        foreshadow_changes=[
            foreshadow("F001", 3, 9, summary="半本旧账在谁手里"),
            foreshadow("F1000", 3, status="已回收"),
            {"action": "delete", "id": "F002"},
        ],
        timeline_events=[event("E001"), {"action": "delete", "id": "E002"}],
        constraints=["夜里不许点明火"],
        retired_characters=["老周"],
        dropped=("不出现真名",),
    )  # fmt: skip
    assert text == FULL


def test_commitments_that_hold_a_semicolon_stand_in_lines_of_their_own() -> None:
    text = _render(next_chapter_commitments=["先上船；再过闸", "还钱"])
    assert "- 下一章承诺：\n  - 先上船；再过闸\n  - 还钱\n\n## 角色变化" in text


@pytest.mark.parametrize(("number", "label"), [(1, "第001章"), (1000, "第1000章")])
def test_the_number_has_three_digits_or_its_own_width(number: int, label: str) -> None:
    state = started(init_document(number - 1))
    tx = msgspec.convert(judge_chapter(chapter(state), state).value, Chaptered)
    assert record.render(tx, {}, ()).startswith(f"# {label} · ")


def test_retirement_lines_of_the_old_record_are_carried_first_and_unchanged() -> None:
    carried = tuple(record.retirement_lines(FULL))
    assert carried == ("- 不出现真名", "- 角色状态：老周")
    assert _render(carried=carried).endswith(
        "\n\n## 本章退役登记\n- 不出现真名\n- 角色状态：老周\n"
    )


def test_a_record_with_windows_line_ends_is_read_the_same() -> None:
    assert record.sections(FULL.replace("\n", "\r\n")) == record.sections(FULL)


def test_emptied_names_sections_that_held_something_before() -> None:
    assert record.emptied(FULL, EMPTY) == [
        "角色变化", "伏笔变化", "时间与揭示", "连贯性约束", "本章退役登记",
    ]  # fmt: skip
    assert record.emptied(EMPTY, FULL) == []
    assert record.emptied(FULL, FULL) == []


@FEW
@given(histories(most=3))
def test_no_text_of_an_author_can_make_or_break_a_section(story: Story) -> None:
    for state, document in zip(story.states, story.transactions, strict=False):
        tx = msgspec.convert(judge_chapter(document, state).value, Chaptered)
        done = apply(state, tx)
        text = record.render(tx, done.state.characters, done.dropped_items)
        headings = [line for line in text.split("\n") if line.startswith("#")]
        assert headings[1:5] == list(record.SECTIONS)
        assert set(headings[5:]) <= {record.RETIRED}
        found = record.sections(text)
        assert len(found["## 角色变化"]) == len(tx.delta.character_changes)
        assert len(found["## 伏笔变化"]) == len(tx.delta.foreshadow_changes)
        retired = len(done.dropped_items) + len(tx.delta.retired_characters)
        assert len(found.get(record.RETIRED, [])) == retired
        assert text.endswith("\n") and not text.endswith("\n\n")
