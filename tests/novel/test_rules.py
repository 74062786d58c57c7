"""Every rule between fields: what breaks it, the one fault it gives, what is allowed; every note."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from clew.kernel.document import parse
from clew.kernel.text import byte_length
from clew.novel import history
from clew.novel.apply import apply
from clew.novel.model import Chaptered
from clew.novel.rules import judge_chapter, judge_init
from clew.novel.state_rules import judge_state, overdue
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

FIRST = started(
    init_document(
        8,
        character_snapshots={"江晨": snapshot(), "Amy": snapshot()},
        active_character_names=["江晨"],
        long_term_constraints=["不许点明火", "不出现真名"],
        continuity_risks=["钟嘉嘉只猜对一半"],
        foreshadow=[foreshadow("F001", 2, 9)],
        timeline_events=[event("E001"), event("E002", 5)],
    )
)

FEW = settings(max_examples=max(12, settings().max_examples // 3))
STATE = applied(FIRST, chapter(FIRST, next_chapter_commitments=["账房上船"]))
"""Nine chapters, revision 1."""
Change = Callable[[Document], None]
Expected = tuple[str, str]


def _put(path: str, value: Any) -> Change:
    """Set one value by a path such as `delta.result`."""

    def change(document: Document) -> None:
        *parents, last = path.split(".")
        place: Any = document
        for part in parents:
            place = place[int(part)] if isinstance(place, list) else place[part]
        place[last] = value

    return change


def _drop(path: str) -> Change:
    def change(document: Document) -> None:
        *parents, last = path.split(".")
        place: Any = document
        for part in parents:
            place = place[part]
        del place[last]

    return change


def _faults(document: Document) -> list[Expected]:
    return [(f.code, f.path) for f in judge_chapter(document, STATE).faults]


def _changes(*names: str) -> list[Document]:
    return [{"name": name, "change": "有了变化"} for name in names]


def test_the_documents_these_tables_start_from_are_lawful() -> None:
    assert _faults(chapter(STATE)) == []
    assert _faults(chapter(STATE, 4)) == []


APPEND_TABLE: list[tuple[str, Change | list[Change], list[Expected]]] = [
    ("input schema", _put("schema_version", 2), [("unsupported_schema", "$.schema_version")]),
    ("stale", _put("expected_state_revision", 0), [("stale_revision", "$.expected_state_revision")]),
    ("ahead", _put("expected_state_revision", 2), [("stale_revision", "$.expected_state_revision")]),
    ("a gap", _put("chapter", 11), [("wrong_chapter", "$.chapter")]),
    ("a repeat", _put("chapter", 9), [("wrong_chapter", "$.chapter")]),
    ("a bad mode", _put("mode", "replace"), [("not_allowed", "$.mode")]),
    ("recent_chapters", _put("context.recent_chapters", []),
     [("unknown_field", "$.context.recent_chapters")]),
    ("commitments in context", _put("context.next_chapter_commitments", []),
     [("unknown_field", "$.context.next_chapter_commitments")]),
    ("case of a known name", [_put("delta.character_changes", _changes("amy")),
                              _put("character_snapshots", {"amy": snapshot()})],
     [("name_conflict", "$.delta.character_changes[0].name"),
      ("name_conflict", "$.character_snapshots.amy")]),
    ("core changed without snapshot", _put("delta.character_changes", _changes("江晨")),
     [("snapshot_missing", "$.delta.character_changes[0].name")]),
    ("snapshot without change", _put("character_snapshots", {"江晨": snapshot()}),
     [("snapshot_without_change", "$.character_snapshots.江晨")]),
    ("active without snapshot", _put("context.active_character_names", ["江晨", "周薄森"]),
     [("active_without_snapshot", "$.context.active_character_names[1]")]),
    ("an active name in other case", _put("context.active_character_names", ["AMY"]),
     [("active_without_snapshot", "$.context.active_character_names[0]")]),
    ("planted ahead", _put("delta.foreshadow_changes", [foreshadow("F002", 11)]),
     [("planted_in_future", "$.delta.foreshadow_changes[0].planted_chapter")]),
    ("resolved before planted", _put("delta.foreshadow_changes", [foreshadow("F002", 9, 8)]),
     [("resolved_before_planted", "$.delta.foreshadow_changes[0].planned_resolution_chapter")]),
    ("unrevealed with a chapter",
     _put("delta.timeline_events", [event("E003") | {"reveal_chapter": 3}]),
     [("unrevealed_with_chapter", "$.delta.timeline_events[0].reveal_chapter")]),
    ("revealed without a chapter",
     _put("delta.timeline_events", [event("E003") | {"reveal_status": "部分揭示"}]),
     [("revealed_without_chapter", "$.delta.timeline_events[0].reveal_chapter")]),
    ("revealed ahead", _put("delta.timeline_events", [event("E003", 11)]),
     [("revealed_in_future", "$.delta.timeline_events[0].reveal_chapter")]),
    ("retire an unknown", _put("delta.retired_characters", ["周薄森"]),
     [("retired_unknown", "$.delta.retired_characters[0]")]),
    ("retire and update", [_put("delta.retired_characters", ["Amy"]),
                           _put("delta.character_changes", _changes("Amy")),
                           _put("character_snapshots", {"Amy": snapshot()})],
     [("retired_and_updated", "$.delta.retired_characters[0]")]),
    ("retire an active one", _put("delta.retired_characters", ["江晨"]),
     [("retired_still_active", "$.context.active_character_names[0]")]),
    ("forgotten items", [_put("context.long_term_constraints", []),
                         _put("context.continuity_risks", [])],
     [("retired_context_items", "$.delta.retired_context_items")] * 3),
    ("retired yet present", _put("delta.retired_context_items", ["不许点明火"]),
     [("retired_still_in_context", "$.delta.retired_context_items[0]")]),
    ("word record by hand", _put("wordcount", {
        "metric": "visible_chars_v1", "target": 9, "actual": 9, "status": "internal_pass",
        "resolution": "within_user_band", "body_sha256": "0" * 64}),
     [("wordcount_in_input", "$.wordcount")]),
    ("word record that is none", _put("wordcount", {"actual": "many"}),
     [("wordcount_in_input", "$.wordcount")]),
    ("volume starts ahead", _put("context.position.volume_start_chapter", 11),
     [("out_of_range", "$.context.position.volume_start_chapter")]),
    ("ids repeat", _put("delta.foreshadow_changes", [foreshadow("F002", 1), foreshadow("F002", 2)]),
     [("duplicate_item", "$.delta.foreshadow_changes[1].id")]),
    ("events repeat", _put("delta.timeline_events", [event("E003"), event("E003")]),
     [("duplicate_item", "$.delta.timeline_events[1].id")]),
    ("names repeat", _put("delta.character_changes", _changes("周薄森", "周薄森")),
     [("duplicate_item", "$.delta.character_changes[1].name")]),
    ("names repeat but for case", _put("delta.character_changes", _changes("Bob", "BOB")),
     [("duplicate_item", "$.delta.character_changes[1].name")]),
    ("active names repeat", _put("context.active_character_names", ["江晨", "江晨"]),
     [("duplicate_item", "$.context.active_character_names[1]")]),
    ("upsert needs", _put("delta.foreshadow_changes", [{"id": "F002"}]),
     [("missing_field", f"$.delta.foreshadow_changes[0].{key}")
      for key in ("summary", "planted_chapter", "status", "importance")]),
    ("event needs", _put("delta.timeline_events", [{"id": "E003"}]),
     [("missing_field", f"$.delta.timeline_events[0].{key}")
      for key in ("story_time", "objective_fact", "reader_knowledge", "reveal_status")]),
    ("no delta", _drop("delta"), [("missing_field", "$.delta")]),
    ("no result", _drop("delta.result"), [("missing_field", "$.delta.result")]),
    ("no position", _drop("context.position"), [("missing_field", "$.context.position")]),
    ("no title", _drop("chapter_title"), [("missing_field", "$.chapter_title")]),
    ("fullwidth id", _put("delta.foreshadow_changes", [foreshadow("F００２", 1)]),
     [("bad_id", "$.delta.foreshadow_changes[0].id")]),
    ("two digits", _put("delta.timeline_events", [event("E01")]),
     [("bad_id", "$.delta.timeline_events[0].id")]),
    ("a boolean for a number", _put("chapter", True), [("wrong_type", "$.chapter")]),
    ("a fraction for a number", _put("chapter", 10.0), [("wrong_type", "$.chapter")]),
    ("blank text", _put("delta.result", " \n\u3000"), [("empty_text", "$.delta.result")]),
    ("blank time and scene", [_put("context.position.story_time", ""),
                              _put("context.position.scene", "  ")],
     [("empty_text", "$.context.position.scene"), ("empty_text", "$.context.position.story_time")]),
    ("unknown fields at every level",
     [_put("note", 1), _put("delta.note", 1), _put("context.note", 1),
      _put("context.position.note", 1), _put("delta.character_changes", [
          {"name": "周薄森", "change": "来了", "note": 1}]),
      _put("delta.foreshadow_changes", [foreshadow("F002", 1, note=1)]),
      _put("delta.timeline_events", [event("E003", note=1)])],
     [("unknown_field", path) for path in (
         "$.note", "$.context.note", "$.context.position.note", "$.delta.note",
         "$.delta.character_changes[0].note", "$.delta.foreshadow_changes[0].note",
         "$.delta.timeline_events[0].note")]),
    ("tool-assigned fields", _put("delta.foreshadow_changes",
                                  [foreshadow("F002", 1, updated_chapter=1)]),
     [("unknown_field", "$.delta.foreshadow_changes[0].updated_chapter")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [row[1:] for row in APPEND_TABLE],
    ids=[row[0] for row in APPEND_TABLE],
)
def test_an_append_that_breaks_a_rule(
    changes: Change | list[Change], expected: list[Expected]
) -> None:
    document = chapter(STATE)
    for change in changes if isinstance(changes, list) else [changes]:
        change(document)
    assert sorted(_faults(document)) == sorted(expected)


REVISION_TABLE: list[tuple[str, Change | list[Change], list[Expected]]] = [
    ("an unwritten chapter", _put("chapter", 10), [("unwritten_chapter", "$.chapter")]),
    ("chapter nought", _put("chapter", 0), [("out_of_range", "$.chapter")]),
    ("a retired character", _put("delta.retired_characters", ["Amy"]),
     [("retire_in_append", "$.delta.retired_characters")]),
    ("a dropped item", _put("context.continuity_risks", []), [("retire_in_append", "$.context")]),
    ("a declared dropped item", [_put("context.continuity_risks", []),
                                 _put("delta.retired_context_items", ["钟嘉嘉只猜对一半"])],
     [("retire_in_append", "$.context")]),
    ("planted after the last chapter", _put("delta.foreshadow_changes", [foreshadow("F002", 10)]),
     [("planted_in_future", "$.delta.foreshadow_changes[0].planted_chapter")]),
    ("revealed after the last chapter", _put("delta.timeline_events", [event("E003", 10)]),
     [("revealed_in_future", "$.delta.timeline_events[0].reveal_chapter")]),
    ("volume starts ahead", _put("context.position.volume_start_chapter", 10),
     [("out_of_range", "$.context.position.volume_start_chapter")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [row[1:] for row in REVISION_TABLE],
    ids=[row[0] for row in REVISION_TABLE],
)
def test_a_revision_that_breaks_a_rule(
    changes: Change | list[Change], expected: list[Expected]
) -> None:
    document = chapter(STATE, 4)
    for change in changes if isinstance(changes, list) else [changes]:
        change(document)
    assert sorted(_faults(document)) == sorted(expected)


@pytest.mark.parametrize(
    "change",
    [
        _put("delta.foreshadow_changes", [foreshadow("F002", 10, 10)]),
        _put("delta.timeline_events", [event("E003", 10)]),
        _put("delta.timeline_events", [event("E003", characters=["没有登记的人"])]),
        _put("context.position.volume_start_chapter", 10),
        _put("delta.character_changes", _changes("路人")),
        _put("context.active_character_names", []),
        _put("delta.foreshadow_changes", [{"id": "F001", "action": "delete"}]),
        _put("context.long_term_constraints", ["不出现真名", "钟嘉嘉只猜对一半", "不许点明火"]),
    ],
)
def test_what_is_lawful_to_the_last_chapter_itself_is_accepted(change: Change) -> None:
    document = chapter(STATE)
    change(document)
    assert _faults(document) == []


def test_moving_an_item_between_the_two_lists_is_no_drop() -> None:
    document = chapter(
        STATE,
        long_term_constraints=["不出现真名"],
        continuity_risks=["不许点明火", "钟嘉嘉只猜对一半"],
    )
    assert _faults(document) == []


def test_items_are_compared_after_cleaning() -> None:
    document = chapter(
        STATE,
        long_term_constraints=["不许点明火\n", " 不出现真名"],
        continuity_risks=["\u3000钟嘉嘉只猜对一半"],
    )
    assert _faults(document) == []


def test_a_bad_item_is_not_also_called_forgotten() -> None:
    document = chapter(STATE, long_term_constraints=["不许点明火" * 80, "不出现真名"])
    assert _faults(document) == [("text_too_long", "$.context.long_term_constraints[0]")]


def test_a_bad_snapshot_is_not_also_called_missing() -> None:
    document = chapter(STATE, changes=["江晨"], snapshots={"江晨": "一句话"})
    assert _faults(document) == [("wrong_type", "$.character_snapshots.江晨")]


def test_a_misspelt_mode_is_one_fault_and_hides_no_lawful_plant() -> None:
    document = chapter(STATE, mode="apend", foreshadow_changes=[foreshadow("F002", 10)])
    assert _faults(document) == [("not_allowed", "$.mode")]


CAPS: list[tuple[str, int, Change]] = [
    ("$.chapter_title", 240, _put("chapter_title", "")),
    ("$.delta.result", 360, _put("delta.result", "")),
    ("$.context.position.scene", 240, _put("context.position.scene", "")),
    ("$.context.position.story_time", 240, _put("context.position.story_time", "")),
    ("$.context.position.volume", 180, _put("context.position.volume", "")),
]


@pytest.mark.parametrize(("path", "cap"), [row[:2] for row in CAPS])
def test_a_text_is_capped_in_bytes_and_told_what_to_cut(path: str, cap: int) -> None:
    fits = "字" * (cap // 3)
    document = chapter(STATE)
    _put(path[2:], fits)(document)
    assert _faults(document) == []
    _put(path[2:], fits + "多一二")(document)
    (fault,) = judge_chapter(document, STATE).faults
    assert (fault.code, fault.path) == ("text_too_long", path)
    shown = fault.to_dict("zh")
    assert (shown["found"], shown["limit"], shown["cut_chars"]) == (cap + 9, cap, 3)
    assert "至少删 3 字" in shown["message"]
    assert "cut at least 3 characters" in fault.message("en")


ROW_CAPS: list[tuple[str, int, Change, str]] = [
    ("$.delta.character_changes[0].change", 360,
     _put("delta.character_changes", [{"name": "路人", "change": "X"}]), "change"),
    ("$.delta.foreshadow_changes[0].summary", 360,
     _put("delta.foreshadow_changes", [foreshadow("F002", 1)]), "summary"),
    ("$.delta.timeline_events[0].objective_fact", 480,
     _put("delta.timeline_events", [event("E003")]), "objective_fact"),
    ("$.delta.timeline_events[0].reader_knowledge", 480,
     _put("delta.timeline_events", [event("E003")]), "reader_knowledge"),
    ("$.delta.timeline_events[0].story_time", 240,
     _put("delta.timeline_events", [event("E003")]), "story_time"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "cap", "rows", "field"), ROW_CAPS)
def test_a_text_in_a_row_is_capped(path: str, cap: int, rows: Change, field: str) -> None:
    document = chapter(STATE)
    rows(document)
    (row,) = next(
        document["delta"][k]
        for k in ("character_changes", "foreshadow_changes", "timeline_events")
        if document["delta"][k]
    )
    row[field] = "é" * (cap // 2)
    assert _faults(document) == []
    row[field] += "x"
    (fault,) = judge_chapter(document, STATE).faults
    assert (fault.code, fault.path) == ("text_too_long", path)
    assert (fault.facts["limit"], fault.facts["cut_chars"]) == (cap, 1)


@pytest.mark.parametrize(
    ("field", "cap"),
    [
        ("identity", 240), ("location", 240), ("goal", 300), ("state", 300),
        ("abilities_resources", 384), ("relationships", 384), ("knowledge", 384),
        ("open_threads", 384),
    ],
)  # fmt: skip
def test_a_text_of_a_snapshot_is_capped(field: str, cap: int) -> None:
    item = cap == 384
    text = "字" * (cap // 3)
    document = chapter(
        STATE, changes=["江晨"], snapshots={"江晨": snapshot(**{field: [text] if item else text})}
    )
    assert _faults(document) == []
    text += "多"
    document["character_snapshots"]["江晨"][field] = [text] if item else text
    place = f"$.character_snapshots.江晨.{field}" + ("[0]" if item else "")
    assert _faults(document) == [("text_too_long", place)]


@pytest.mark.parametrize(
    ("path", "cap"),
    [
        ("context.long_term_constraints", 6), ("context.continuity_risks", 5),
        ("delta.constraints", 6), ("delta.next_chapter_commitments", 5),
        ("delta.retired_context_items", 11),
    ],
)  # fmt: skip
def test_a_list_has_a_cap_of_items_and_each_item_one_of_bytes(path: str, cap: int) -> None:
    document = chapter(STATE)
    place: Any = document
    for part in path.split("."):
        place = place[part]
    place.extend(f"第{n}条" for n in range(cap - len(place)))
    assert _faults(document) == []
    place.append("多一条")
    (fault,) = judge_chapter(document, STATE).faults
    assert (fault.code, fault.path) == ("too_many_items", f"$.{path}")
    assert (fault.facts["found"], fault.facts["limit"]) == (cap + 1, cap)
    place[-1:] = []
    place[-1] = "字" * 129
    assert _faults(document) == [("text_too_long", f"$.{path}[{cap - 1}]")]


def test_an_event_names_at_most_twelve_people_of_at_most_120_bytes() -> None:
    people = [f"人{n}" for n in range(12)]
    assert _faults(chapter(STATE, timeline_events=[event("E003", characters=people)])) == []
    document = chapter(STATE, timeline_events=[event("E003", characters=[*people, "字" * 41])])
    assert sorted(_faults(document)) == [
        ("text_too_long", "$.delta.timeline_events[0].characters[12]"),
        ("too_many_items", "$.delta.timeline_events[0].characters"),
    ]


def test_there_may_be_twenty_active_characters_and_not_one_more() -> None:
    cast = {f"人{n}": snapshot() for n in range(21)}
    names = list(cast)
    document = chapter(STATE, changes=names, snapshots=cast, active_character_names=names[:20])
    assert _faults(document) == []
    document["context"]["active_character_names"] = names
    assert _faults(document) == [("too_many_items", "$.context.active_character_names")]


@pytest.mark.parametrize(
    "name",
    ["a/b", "a\\b", "..", ".", "con", "CON.txt", "nul", "Com1", "lpt9.x", "问?", "星*", "引\"号",
     "a:b", "<甲>", "名字.", "甲\x00乙", "甲\x01乙"],
)  # fmt: skip
def test_a_name_that_is_no_file_name_everywhere_is_refused(name: str) -> None:
    document = chapter(STATE, character_changes=_changes(name))
    assert _faults(document) == [("bad_name", "$.delta.character_changes[0].name")]
    document = chapter(STATE)
    document["context"]["position"]["volume"] = name
    assert _faults(document) == [("bad_name", "$.context.position.volume")]


@pytest.mark.parametrize(
    "name", ["康", "CONRAD", "com10", "O'Brien", "江 晨", "甲.乙", "…", "甲|乙"]
)
def test_a_name_that_only_looks_odd_is_accepted(name: str) -> None:
    assert _faults(chapter(STATE, character_changes=_changes(name))) == []


@pytest.mark.parametrize("value", [None, 1, 1.5, True, [], "text", [[]], {}])
@pytest.mark.parametrize(
    "path",
    ["delta", "context", "delta.character_changes", "delta.foreshadow_changes", "delta.constraints",
     "delta.timeline_events", "context.position", "context.long_term_constraints", "mode",
     "character_snapshots", "chapter", "expected_state_revision", "delta.retired_characters"],
)  # fmt: skip
def test_any_wrong_value_anywhere_is_a_fault_and_never_an_exception(path: str, value: Any) -> None:
    document = chapter(STATE)
    _put(path, value)(document)
    judged = judge_chapter(document, STATE)
    lawful = (value == [] and path.split(".")[-1] not in ("delta", "context", "position", "mode",
              "character_snapshots", "chapter", "expected_state_revision")) or (
        value == {} and path == "character_snapshots"
    ) or (value == 1 and value is not True and path == "expected_state_revision")  # fmt: skip
    if path == "context.long_term_constraints" and value == []:
        lawful = False  # two items are forgotten
    assert bool(judged.faults) is not lawful


def test_nine_faults_come_in_one_answer_with_what_is_allowed() -> None:
    document = chapter(
        STATE,
        11,
        result="字" * 121,
        mood="暗",
        expected_state_revision=0,
        active_character_names=["江晨", "周薄森"],
        character_changes=_changes("江晨"),
        character_snapshots={},
        foreshadow_changes=[foreshadow("F００２", 1)],
        timeline_events=[event("E003") | {"reveal_chapter": 3}],
        continuity_risks=[],
    )
    faults = judge_chapter(document, STATE).faults
    assert sorted((f.code, f.path) for f in faults) == [
        ("active_without_snapshot", "$.context.active_character_names[1]"),
        ("bad_id", "$.delta.foreshadow_changes[0].id"),
        ("retired_context_items", "$.delta.retired_context_items"),
        ("snapshot_missing", "$.delta.character_changes[0].name"),
        ("stale_revision", "$.expected_state_revision"),
        ("text_too_long", "$.delta.result"),
        ("unknown_field", "$.mood"),
        ("unrevealed_with_chapter", "$.delta.timeline_events[0].reveal_chapter"),
        ("wrong_chapter", "$.chapter"),
    ]
    shown = {f.code: f.to_dict("en") for f in faults}
    assert shown["stale_revision"]["allowed"] == 1
    assert shown["wrong_chapter"]["allowed"] == 10
    assert "chapter_title" in shown["unknown_field"]["allowed"]
    assert "F001" in shown["bad_id"]["allowed"]
    long = shown["text_too_long"]
    assert (long["found"], long["limit"], long["cut_chars"]) == (363, 360, 1)
    for fault in faults:
        zh, en = fault.message("zh"), fault.message("en")
        assert zh and en and zh != en
        assert "<" not in zh + en  # no fact is missing from the sentence
        assert not any("\u4e00" <= c <= "\u9fff" for c in en.replace("江晨", "").replace(
            "周薄森", "").replace("钟嘉嘉只猜对一半", "").replace("未揭示", ""))  # fmt: skip


def test_a_fault_never_repeats_the_input_at_length() -> None:
    document = chapter(STATE, result="很长" * 5000, mood={"a": ["x" * 9000]}, mode="m" * 9000)
    for fault in judge_chapter(document, STATE).faults:
        assert len(fault.message("zh")) < 600
        assert len(str(fault.to_dict("zh").get("found", ""))) < 200


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"retired_context_items": ["从来没有过"]},
         [("nothing_to_retire", "$.delta.retired_context_items[0]")]),
        ({"foreshadow_changes": [{"id": "F009", "action": "delete"}]},
         [("nothing_to_delete", "$.delta.foreshadow_changes[0]")]),
        ({"timeline_events": [{"id": "E009", "action": "delete"}]},
         [("nothing_to_delete", "$.delta.timeline_events[0]")]),
        ({"foreshadow_changes": [{"id": "F001", "action": "delete"}]}, []),
    ],
)  # fmt: skip
def test_what_is_allowed_but_odd_is_a_note(fields: Document, expected: list[Expected]) -> None:
    judged = judge_chapter(chapter(STATE, **fields), STATE)
    assert judged.faults == []
    assert [(n.code, n.path) for n in judged.notes] == expected
    assert all(n.message("zh") != n.message("en") for n in judged.notes)


# ---- init ----------------------------------------------------------------------------------------


def _init_faults(document: Document) -> list[Expected]:
    return [(f.code, f.path) for f in judge_init(document).faults]


INIT_TABLE: list[tuple[str, Document, list[Expected]]] = [
    ("schema", init_document(schema_version=4), [("unsupported_schema", "$.schema_version")]),
    ("negative", init_document(-1), [("out_of_range", "$.last_chapter")]),
    ("foreshadow before chapter 1", init_document(foreshadow=[foreshadow("F001", 1)]),
     [("nothing_written_yet", "$.foreshadow")]),
    ("event before chapter 1", init_document(timeline_events=[event("E001")]),
     [("nothing_written_yet", "$.timeline_events")]),
    ("planted ahead", init_document(3, foreshadow=[foreshadow("F001", 4)]),
     [("planted_in_future", "$.foreshadow[0].planted_chapter")]),
    ("revealed ahead", init_document(3, timeline_events=[event("E001", 4)]),
     [("revealed_in_future", "$.timeline_events[0].reveal_chapter")]),
    ("delete", init_document(3, foreshadow=[{"action": "delete", "id": "F001"}]),
     [("missing_field", f"$.foreshadow[0].{key}")
      for key in ("summary", "planted_chapter", "status", "importance")]
     + [("not_allowed", "$.foreshadow[0].action")]),
    ("repeated id", init_document(3, timeline_events=[event("E001"), event("E001")]),
     [("duplicate_item", "$.timeline_events[1].id")]),
    ("recents of the future", init_document(
        2, recent_chapters=[{"chapter": 3, "summary": "x"}]),
     [("out_of_range", "$.context.recent_chapters[0].chapter")]),
    ("recents out of order", init_document(
        3, recent_chapters=[{"chapter": 3, "summary": "x"}, {"chapter": 2, "summary": "x"}]),
     [("out_of_range", "$.context.recent_chapters[1].chapter")]),
    ("four recents", init_document(
        9, recent_chapters=[{"chapter": n, "summary": "x"} for n in (1, 2, 3, 4)]),
     [("too_many_items", "$.context.recent_chapters")]),
    ("volume ahead", init_document(
        position={"volume": "一", "volume_start_chapter": 2, "story_time": "a", "scene": "b"}),
     [("out_of_range", "$.context.position.volume_start_chapter")]),
    ("active without snapshot", init_document(active_character_names=["江晨"]),
     [("active_without_snapshot", "$.context.active_character_names[0]")]),
    ("names differ in case", init_document(
        character_snapshots={"Amy": snapshot(), "AMY": snapshot()}),
     [("duplicate_item", "$.character_snapshots.AMY")]),
    ("word records", init_document() | {"wordcount_records": {}},
     [("unknown_field", "$.wordcount_records")]),
    ("tool-assigned", init_document(3, foreshadow=[foreshadow("F001", 1, updated_chapter=1)]),
     [("unknown_field", "$.foreshadow[0].updated_chapter")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("document", "expected"), [row[1:] for row in INIT_TABLE], ids=[row[0] for row in INIT_TABLE]
)
def test_an_init_document_that_breaks_a_rule(document: Document, expected: list[Expected]) -> None:
    assert sorted(_init_faults(document)) == sorted(expected)


def test_a_new_book_may_have_snapshots_and_active_characters() -> None:
    document = init_document(
        character_snapshots={"江晨": snapshot()}, active_character_names=["江晨"]
    )
    assert _init_faults(document) == []


@pytest.mark.parametrize("document", [None, 1, [], "x", {}])
def test_an_init_document_that_is_none_is_refused(document: Any) -> None:
    assert judge_init(document).faults


# ---- states --------------------------------------------------------------------------------------


def _state() -> Document:
    return copy.deepcopy(msgspec.to_builtins(STATE))


STATE_TABLE: list[tuple[str, Change, list[Expected]]] = [
    ("imported beyond last", _put("imported_through_chapter", 10),
     [("out_of_range", "$.imported_through_chapter")]),
    ("unknown key", _put("mood", 1), [("unknown_field", "$.mood")]),
    ("unknown key inside", _put("context.mood", 1), [("unknown_field", "$.context.mood")]),
    ("missing context", _drop("context"), [("missing_field", "$.context")]),
    ("key is not id", _put("foreshadow.F001.id", "F002"), [("not_allowed", "$.foreshadow.F001.id")]),
    ("updated ahead", _put("foreshadow.F001.updated_chapter", 10),
     [("out_of_range", "$.foreshadow.F001.updated_chapter")]),
    ("recorded ahead", _put("timeline.E001.first_recorded_chapter", 10),
     [("out_of_range", "$.timeline.E001.first_recorded_chapter")]),
    ("planted ahead", _put("foreshadow.F001.planted_chapter", 10),
     [("planted_in_future", "$.foreshadow.F001.planted_chapter"),
      ("resolved_before_planted", "$.foreshadow.F001.planned_resolution_chapter")]),
    ("reveal", _put("timeline.E001.reveal_chapter", 3),
     [("unrevealed_with_chapter", "$.timeline.E001.reveal_chapter")]),
    ("active unknown", _put("context.active_character_names", ["路人"]),
     [("active_without_snapshot", "$.context.active_character_names[0]")]),
    ("record of the future", _put("wordcount_records", {"10": {
        "metric": "visible_chars_v1", "target": 9, "actual": 9, "status": "internal_pass",
        "resolution": "within_user_band", "body_sha256": "0" * 64}}),
     [("out_of_range", '$.wordcount_records["10"]')]),
    ("record key", _put("wordcount_records", {"01": {
        "metric": "visible_chars_v1", "target": 9, "actual": 9, "status": "internal_pass",
        "resolution": "within_user_band", "body_sha256": "0" * 64}}),
     [("bad_id", '$.wordcount_records["01"]')]),
    ("newer", _put("schema_version", 5), [("newer_schema", "$.schema_version")]),
    ("newest", _put("schema_version", 7), [("newer_schema", "$.schema_version")]),
    ("older", _put("schema_version", 3), [("unsupported_schema", "$.schema_version")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "expected"), [row[1:] for row in STATE_TABLE], ids=[row[0] for row in STATE_TABLE]
)
def test_a_state_that_breaks_a_rule(change: Change, expected: list[Expected]) -> None:
    document = _state()
    change(document)
    faults = judge_state(document).faults
    assert sorted((f.code, f.path) for f in faults) == sorted(expected)
    assert all(f.message("zh") != f.message("en") for f in faults)


@pytest.mark.parametrize(
    ("field", "value"),
    [("status", "over"), ("status", "borderline"), ("resolution", "accepted_current_length")],
)
def test_a_word_record_that_contradicts_its_own_numbers_is_refused(field: str, value: str) -> None:
    """Schema 4: status is what actual and target give, and the resolution follows from it."""
    document = _state()
    document["wordcount_records"] = {"9": {
        "metric": "visible_chars_v1", "target": 100, "actual": 100, "status": "internal_pass",
        "resolution": "within_user_band", "body_sha256": "0" * 64} | {field: value}}  # fmt: skip
    assert [f.path for f in judge_state(document).faults] != []


@pytest.mark.parametrize("key", ["wordcount_records", "foreshadow", "timeline", "characters"])
def test_a_key_of_five_thousand_digits_is_a_fault_and_no_exception(key: str) -> None:
    document = _state()
    prefix = {"foreshadow": "F", "timeline": "E"}.get(key, "")
    rows = document[key]
    row = next(iter(rows.values()), None) or {
        "metric": "visible_chars_v1", "target": 9, "actual": 9, "status": "internal_pass",
        "resolution": "within_user_band", "body_sha256": "0" * 64}  # fmt: skip
    rows[prefix + "9" * 5000] = row
    faults = judge_state(document).faults
    assert faults
    assert all(f.message(lang) for f in faults for lang in ("zh", "en"))


@FEW
@given(histories(most=3))
def test_every_lawful_story_is_judged_lawful_and_so_is_its_state(story: Story) -> None:
    for state in story.states:
        value, notes = parse(history.encode_state(state), "state")
        judged = judge_state(value)
        assert (judged.faults, notes) == ([], [])
        assert msgspec.convert(judged.value, type(state)) == state
    for state, document in zip(story.states, story.transactions, strict=False):
        tx = msgspec.convert(judge_chapter(document, state).value, Chaptered)
        assert apply(state, tx).state.state_revision == state.state_revision + 1
        assert byte_length(tx.delta.result) <= 360


def test_overdue_are_those_whose_chapter_has_come_sorted_by_number() -> None:
    state = started(
        init_document(
            5,
            foreshadow=[
                foreshadow("F1000", 1, 4), foreshadow("F101", 1, 5), foreshadow("F002", 1, 6),
                foreshadow("F003", 1, 3, status="已回收"), foreshadow("F004", 1),
            ],
        )
    )  # fmt: skip
    assert overdue(state) == ["F101", "F1000"]
