"""The guide beside a draft: its limits are those of the types, its examples are accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ferry_book import plain_state

from clew.kernel.validate import validate
from clew.novel import guide
from clew.novel.model import CharacterChange, EventChange, Foreshadow, ForeshadowChange, Snapshot
from clew.novel.prefill import append_document
from clew.novel.rules import judge_chapter, judge_init
from clew.novel.survey import Volume, init_document


def test_limits_are_the_caps_of_the_types_in_chinese_characters() -> None:
    limits = guide.limits_chars()
    assert 0 not in limits.values()
    assert {key: limits[key] for key in _SEED} == _SEED


_SEED = {
    "delta.result": 120,
    "delta.character_changes.change": 120,
    "delta.foreshadow_changes.summary": 120,
    "delta.timeline_events.objective_fact": 160,
    "delta.timeline_events.reader_knowledge": 160,
    "context.position.story_time": 80,
    "context.position.scene": 80,
    "character_snapshots.goal": 100,
    "character_snapshots.state": 100,
    "whole_record": 1024,
}


def test_a_text_at_its_limit_is_accepted_and_one_more_character_is_not() -> None:
    at = {"name": "林晚", "change": "字" * guide.limits_chars()["delta.character_changes.change"]}
    assert validate(at, CharacterChange)[1] == []
    assert validate(at | {"change": at["change"] + "字"}, CharacterChange)[1] != []


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("character_changes", CharacterChange),
        ("foreshadow_changes", ForeshadowChange),
        ("timeline_events", EventChange),
    ],
)
@pytest.mark.parametrize("english", [False, True])
def test_every_example_is_of_its_type(key: str, kind: Any, english: bool) -> None:
    rows = guide.shapes(7, english=english)[key]
    assert rows
    assert [validate(row, kind)[1] for row in rows] == [[]] * len(rows)
    for snapshot in guide.shapes(7, english=english)["character_snapshots"].values():
        assert validate(snapshot, Snapshot)[1] == []
    assert "updated_chapter" in Foreshadow.__struct_fields__


@pytest.mark.parametrize("english", [False, True])
def test_the_examples_together_are_a_right_transaction(english: bool) -> None:
    state = plain_state()
    document = append_document(state, 1, "缺页")
    document["context"]["position"] |= {"story_time": "立秋", "scene": "码头"}
    example = guide.shapes(1, english=english)
    document["character_snapshots"] = example.pop("character_snapshots")
    document["delta"] |= example | {"result": "账页少了一张"}
    assert judge_chapter(document, state).faults == []


def test_the_examples_for_init_are_a_right_document() -> None:
    document = init_document("渡口旧账", 3, Volume("第一卷", 1, "")) | guide.init_shapes(3)
    document["context"]["position"] |= {"story_time": "立秋", "scene": "码头"}
    document["context"]["recent_chapters"] = []
    assert judge_init(document).faults == []


def test_english_examples_are_english_but_for_the_values_of_the_format() -> None:
    text = json.dumps(guide.shapes(7, english=True), ensure_ascii=False)
    for value in ("已埋", "高", "未揭示", "已揭示"):
        text = text.replace(value, "")
    assert text.isascii()


def test_what_to_fill_in_is_said_in_both_languages() -> None:
    said = [
        *guide.fill_append(untitled=True),
        *guide.fill_revision(untitled=True, blank=True),
        *guide.fill_init(0),
        *guide.fill_init(9),
    ]
    assert all(row.path.startswith("$.") and row.zh and row.en.isascii() for row in said)
    assert guide.fill_append(untitled=False) == guide.fill_append(untitled=True)[1:]
