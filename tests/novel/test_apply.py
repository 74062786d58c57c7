"""What a transaction makes of a state, and what lies between two states."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings

from clew.novel.apply import apply, begin, patch, patched
from clew.novel.history import encode_state
from clew.novel.model import Chaptered, Init, State, WordRecord
from clew.novel.rules import judge_chapter, judge_init
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

NEW = started(init_document())


def _tx(state: State, document: Document) -> Chaptered:
    judged = judge_chapter(document, state)
    assert judged.faults == []
    return msgspec.convert(judged.value, Chaptered)


def test_init_makes_revision_nought_and_imports_what_was_written() -> None:
    document = init_document(
        7, foreshadow=[foreshadow("F001", 2)], timeline_events=[event("E001", 3)]
    )
    state = begin(msgspec.convert(judge_init(document).value, Init))
    assert (state.state_revision, state.last_committed_chapter) == (0, 7)
    assert (state.schema_version, state.imported_through_chapter) == (4, 7)
    assert state.foreshadow["F001"].updated_chapter == 7
    assert state.timeline["E001"].first_recorded_chapter == 7
    assert state.timeline["E001"].updated_chapter == 7


def test_an_append_moves_chapter_and_revision_and_leaves_the_import_alone() -> None:
    state = started(init_document(7))
    after = applied(state, chapter(state))
    assert (after.last_committed_chapter, after.state_revision) == (8, 1)
    assert after.imported_through_chapter == 7


def test_a_revision_moves_the_revision_only() -> None:
    state = applied(NEW, chapter(NEW))
    after = applied(state, chapter(state, 1))
    assert (after.last_committed_chapter, after.state_revision) == (1, 2)


def test_a_snapshot_replaces_the_whole_one_before() -> None:
    state = applied(NEW, chapter(NEW, changes=["江晨"], snapshots={
        "江晨": snapshot(knowledge=["旧账在船上"])}))  # fmt: skip
    after = applied(state, chapter(state, changes=["江晨"], snapshots={
        "江晨": snapshot(location="船上")}))  # fmt: skip
    assert after.characters["江晨"].location == "船上"
    assert after.characters["江晨"].knowledge == []


def test_a_change_without_snapshot_makes_no_character() -> None:
    assert applied(NEW, chapter(NEW, changes=["路人"])).characters == {}


def test_a_row_is_replaced_whole_and_keeps_when_it_was_first_told() -> None:
    state = applied(NEW, chapter(NEW, timeline_events=[event("E001", characters=["江晨"])],
                                 foreshadow_changes=[foreshadow("F001", 1, 5)]))  # fmt: skip
    state = applied(state, chapter(state, timeline_events=[event("E001", 2)],
                                   foreshadow_changes=[foreshadow("F001", 1)]))  # fmt: skip
    told = state.timeline["E001"]
    assert (told.first_recorded_chapter, told.updated_chapter, told.characters) == (1, 2, [])
    assert state.foreshadow["F001"].planned_resolution_chapter is None
    assert state.foreshadow["F001"].updated_chapter == 2


def test_a_revision_of_an_old_chapter_does_not_date_a_row_back() -> None:
    state = applied(NEW, chapter(NEW))
    state = applied(state, chapter(state, foreshadow_changes=[foreshadow("F001", 1)]))
    state = applied(state, chapter(state, 1, foreshadow_changes=[foreshadow("F001", 1, 9)]))
    assert state.foreshadow["F001"].updated_chapter == 2
    assert state.foreshadow["F001"].planned_resolution_chapter == 9


def test_an_event_that_was_deleted_starts_anew() -> None:
    state = applied(NEW, chapter(NEW, timeline_events=[event("E001")]))
    state = applied(state, chapter(state, timeline_events=[{"action": "delete", "id": "E001"}]))
    assert state.timeline == {}
    state = applied(state, chapter(state, timeline_events=[event("E001")]))
    assert state.timeline["E001"].first_recorded_chapter == 3


def test_only_three_recent_chapters_are_kept_and_a_revision_updates_its_own() -> None:
    state = NEW
    for _ in range(4):
        state = applied(state, chapter(state))
    assert [r.chapter for r in state.context.recent_chapters] == [2, 3, 4]
    state = applied(state, chapter(state, 3, result="改写后的第三章"))
    assert [r.summary for r in state.context.recent_chapters] == [
        "第2章写完", "改写后的第三章", "第4章写完",
    ]  # fmt: skip
    state = applied(state, chapter(state, 1, result="改写后的第一章"))
    assert [r.chapter for r in state.context.recent_chapters] == [2, 3, 4]


def test_commitments_come_from_the_newest_chapter_only() -> None:
    state = applied(NEW, chapter(NEW, next_chapter_commitments=["甲"]))
    state = applied(state, chapter(state, next_chapter_commitments=["乙"]))
    state = applied(state, chapter(state, 1, next_chapter_commitments=["丙"]))
    assert state.context.next_chapter_commitments == ["乙"]
    state = applied(state, chapter(state, 2, next_chapter_commitments=["丁"]))
    assert state.context.next_chapter_commitments == ["丁"]


def test_a_retired_character_leaves_and_dropped_items_are_named_sorted() -> None:
    state = started(init_document(
        character_snapshots={"江晨": snapshot()}, long_term_constraints=["乙", "甲"],
        continuity_risks=["丙", "留下"],
    ))  # fmt: skip
    document = chapter(
        state, retired_characters=["江晨"], long_term_constraints=[], continuity_risks=["留下"],
        retired_context_items=["甲", "乙", "丙", "从来没有"],
    )  # fmt: skip
    done = apply(state, _tx(state, document))
    assert done.state.characters == {}
    assert done.dropped_items == ("丙", "乙", "甲")


def test_a_word_record_is_kept_under_its_chapter() -> None:
    record = WordRecord(
        actual=90, body_sha256="0" * 64, metric="visible_chars_v1", status="internal_pass",
        resolution="within_user_band", target=100,
    )  # fmt: skip
    tx = msgspec.structs.replace(_tx(NEW, chapter(NEW)), wordcount=record)
    assert apply(NEW, tx).state.wordcount_records == {"1": record}


def test_nothing_of_the_state_before_is_changed_in_place() -> None:
    state = applied(NEW, chapter(NEW, changes=["江晨"], snapshots={"江晨": snapshot()}))
    before = encode_state(state)
    applied(state, chapter(state, retired_characters=["江晨"], timeline_events=[event("E001")]))
    assert encode_state(state) == before


@pytest.mark.parametrize("fields", [{}, {"retired_characters": ["江晨"]}])
def test_a_patch_of_equal_states_is_empty(fields: Document) -> None:
    state = started(init_document(character_snapshots={"江晨": snapshot()}))
    after = applied(state, chapter(state, **fields))
    assert msgspec.json.encode(patch(after, after)) == b"{}"
    assert msgspec.json.encode(patch(state, after)) != b"{}"


@FEW
@given(histories(most=4))
def test_a_patch_leads_from_any_state_to_any_other_even_through_json(story: Story) -> None:
    for source in story.states:
        for target in story.states:
            change = patch(source, target)
            read = msgspec.json.decode(msgspec.json.encode(change), type=type(change))
            got = patched(source, read, target.state_revision)
            assert encode_state(got) == encode_state(target)
