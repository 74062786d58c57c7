"""Tolerance: common ways of writing are read, and said; contradictions are not guessed at."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.rules import judge_chapter
from clew.novel.transaction import tolerate
from clew.testing.novel import chapter, event, foreshadow, init_document, snapshot, started

STATE = started(init_document(3, character_snapshots={"江晨": snapshot()}))
PLANT = {"id": "F001", "summary": "旧账", "planted_chapter": 1, "importance": "中"}


def _foreshadow(row: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]], list[str]]:
    document, notes, faults = tolerate({"delta": {"foreshadow_changes": [row]}})
    out = document["delta"]["foreshadow_changes"][0]
    return out, [(n.code, n.path) for n in notes], [f.code for f in faults]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *((w, "upsert") for w in ("add", "new", "create", "update", "plant", "advance", "resolve",
                                  "insert", "新增", "埋设", "更新", "推进", "回收", "Plant", " ADD ")),
        *((w, "delete") for w in ("remove", "删除", "Remove", "DELETE")),
    ],
)  # fmt: skip
def test_a_word_for_an_action_is_read_as_the_action_and_noted(word: str, meant: str) -> None:
    row, notes, faults = _foreshadow({"id": "F001", "action": word})
    assert row["action"] == meant
    assert notes == [("synonym_read", "$.delta.foreshadow_changes[0].action")]
    assert faults == []


@pytest.mark.parametrize("word", ["upsert", "delete"])
def test_the_plain_words_need_no_note(word: str) -> None:
    assert _foreshadow({"id": "F001", "action": word}) == ({"id": "F001", "action": word}, [], [])


def test_an_unknown_action_is_left_for_the_types_to_refuse() -> None:
    row, notes, _ = _foreshadow({"id": "F001", "action": "destroy"})
    assert (row["action"], notes) == ("destroy", [])
    document = chapter(STATE, foreshadow_changes=[{**PLANT, "status": "已埋", "action": "destroy"}])
    faults = judge_chapter(document, STATE).faults
    assert [(f.code, f.path) for f in faults] == [
        ("not_allowed", "$.delta.foreshadow_changes[0].action")
    ]
    assert faults[0].facts["allowed"] == ["upsert", "delete"]


@pytest.mark.parametrize(
    ("word", "status"),
    [("resolve", "已回收"), ("回收", "已回收"), ("advance", "已埋"), ("推进", "已埋")],
)
def test_an_action_that_says_the_status_fills_it(word: str, status: str) -> None:
    row, _, faults = _foreshadow({**PLANT, "action": word})
    assert (row["status"], faults) == (status, [])


@pytest.mark.parametrize(
    ("word", "status", "allowed"),
    [("resolve", "已埋", "已回收"), ("回收", "放弃", "已回收"), ("推进", "已回收", "已埋")],
)
def test_an_action_that_contradicts_the_status_is_a_fault(
    word: str, status: str, allowed: str
) -> None:
    document = chapter(STATE, foreshadow_changes=[{**PLANT, "action": word, "status": status}])
    faults = judge_chapter(document, STATE).faults
    assert [(f.code, f.path) for f in faults] == [
        ("action_contradicts", "$.delta.foreshadow_changes[0].status")
    ]
    assert faults[0].to_dict("zh")["allowed"] == allowed
    assert word in faults[0].message("en") and status in faults[0].message("zh")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("planned_chapter", "planned_resolution_chapter"),
        ("planned_payoff_chapter", "planned_resolution_chapter"),
        ("payoff_chapter", "planned_resolution_chapter"),
        ("resolution_chapter", "planned_resolution_chapter"),
        ("resolve_chapter", "planned_resolution_chapter"),
        ("plant_chapter", "planted_chapter"),
        ("planted", "planted_chapter"),
        ("description", "summary"),
        ("content", "summary"),
    ],
)
def test_a_synonym_of_a_foreshadow_key_is_renamed(old: str, new: str) -> None:
    row, notes, _ = _foreshadow({"id": "F001", old: 3})
    assert row == {"id": "F001", new: 3}
    assert notes == [("synonym_read", f"$.delta.foreshadow_changes[0].{old}")]


@pytest.mark.parametrize(
    ("old", "new"),
    [("time", "story_time"), ("fact", "objective_fact"), ("reveal", "reveal_status")],
)
def test_a_synonym_of_an_event_key_is_renamed(old: str, new: str) -> None:
    row = event("E001")
    value = row.pop(new)
    document = chapter(STATE, timeline_events=[{**row, old: value}])
    judged = judge_chapter(document, STATE)
    assert judged.faults == []
    assert judged.value["delta"]["timeline_events"][0][new] == value
    assert [n.path for n in judged.notes] == [f"$.delta.timeline_events[0].{old}"]


def test_a_synonym_beside_the_right_key_is_refused_as_unknown() -> None:
    document = chapter(STATE, foreshadow_changes=[foreshadow("F001", 1, content="另一句")])
    faults = judge_chapter(document, STATE).faults
    assert [(f.code, f.path) for f in faults] == [
        ("unknown_field", "$.delta.foreshadow_changes[0].content")
    ]


def test_digits_in_a_string_are_a_chapter_number() -> None:
    document = chapter(
        STATE,
        foreshadow_changes=[foreshadow("F001", 1) | {"planted_chapter": "2"}],
        timeline_events=[event("E001", 1) | {"reveal_chapter": " 3 "}],
        chapter="4",
        expected_state_revision="0",
    )
    judged = judge_chapter(document, STATE)
    assert judged.faults == []
    assert judged.value["delta"]["foreshadow_changes"][0]["planted_chapter"] == 2
    assert judged.value["delta"]["timeline_events"][0]["reveal_chapter"] == 3
    assert [(n.path, n.facts["meant"]) for n in judged.notes] == [
        ("$.delta.foreshadow_changes[0].planted_chapter", 2),
        ("$.delta.timeline_events[0].reveal_chapter", 3),
        ("$.chapter", 4),
        ("$.expected_state_revision", 0),
    ]


@pytest.mark.parametrize("value", ["２", "二", "2.0", "-1", "1" * 5000, "0x1"])
def test_what_is_no_plain_number_stays_a_fault(value: str) -> None:
    document = chapter(
        STATE, foreshadow_changes=[foreshadow("F001", 1) | {"planted_chapter": value}]
    )
    faults = judge_chapter(document, STATE).faults
    assert [(f.code, f.path) for f in faults] == [
        ("wrong_type", "$.delta.foreshadow_changes[0].planted_chapter")
    ]


@pytest.mark.parametrize("blank", ["", "  "])
def test_an_empty_string_is_null_where_null_may_stand(blank: str) -> None:
    document = chapter(
        STATE,
        foreshadow_changes=[foreshadow("F001", 1) | {"planned_resolution_chapter": blank}],
        timeline_events=[event("E001") | {"reveal_chapter": blank}],
    )
    judged = judge_chapter(document, STATE)
    assert judged.faults == []
    assert judged.value["delta"]["foreshadow_changes"][0]["planned_resolution_chapter"] is None
    assert [n.code for n in judged.notes] == ["synonym_read", "synonym_read"]


def test_a_list_for_a_text_is_joined_and_a_text_for_a_list_becomes_one_item() -> None:
    handed = snapshot(goal=["找回旧账", "上船"], knowledge="账房换了人")
    document = chapter(STATE, changes=["江晨"], snapshots={"江晨": handed})
    judged = judge_chapter(document, STATE)
    assert judged.faults == []
    assert judged.value["character_snapshots"]["江晨"]["goal"] == "找回旧账；上船"
    assert judged.value["character_snapshots"]["江晨"]["knowledge"] == ["账房换了人"]
    assert [n.path for n in judged.notes] == [
        "$.character_snapshots.江晨.goal",
        "$.character_snapshots.江晨.knowledge",
    ]


@pytest.mark.parametrize("goal", [[], ["一", 2], {}])
def test_a_list_that_holds_no_texts_is_not_joined(goal: Any) -> None:
    document = chapter(STATE, changes=["江晨"], snapshots={"江晨": snapshot(goal=goal)})
    faults = judge_chapter(document, STATE).faults
    assert ("wrong_type", "$.character_snapshots.江晨.goal") in [(f.code, f.path) for f in faults]


def test_what_the_author_handed_in_is_not_changed_in_place() -> None:
    document = chapter(
        STATE,
        foreshadow_changes=[{"id": "F001", "action": "删除", "planted": "3"}],
        changes=["江晨"],
        snapshots={"江晨": snapshot(knowledge="一句")},
    )
    before = copy.deepcopy(document)
    tolerate(document)
    assert document == before


def test_notes_speak_two_languages() -> None:
    _, notes, _ = tolerate({"chapter": "4"})
    assert notes[0].message("zh") == "$.chapter：把 4 读作 4"
    assert notes[0].message("en") == "$.chapter: read 4 as 4"


WORDS = [
    "delta", "foreshadow_changes", "timeline_events", "character_snapshots", "action", "status",
    "planted", "planted_chapter", "goal", "knowledge", "context", "chapter", "id", "江晨", "mode",
]  # fmt: skip


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)


LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
)
JSON = st.recursive(LEAVES, _grown, max_leaves=20)


@given(JSON)
def test_any_json_is_judged_without_an_exception(document: Any) -> None:
    judged = judge_chapter(document, STATE)
    assert judged.faults
    assert all(f.message(lang) for f in judged.faults for lang in ("zh", "en"))


@given(JSON)
def test_reading_tolerantly_twice_is_reading_once(document: Any) -> None:
    once, _, _ = tolerate(document)
    again, notes, _ = tolerate(once)
    assert again == once
    assert notes == []
