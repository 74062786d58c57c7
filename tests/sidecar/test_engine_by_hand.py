"""What is set by hand: field by field and by merge patches, checked with all that hangs on it."""

from __future__ import annotations

from typing import Any

import pytest
from worked import NOW, SMOKING, STUDY, begun, did, refusal

from clew.sidecar import engine

# ---- by hand --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("nothing", 1, ("unknown_field", "nothing")),
        ("current_pack.colour", 1, ("unknown_field", "current_pack.colour")),
        ("active.x", 1, ("unknown_field", "active.x")),
        ("", 1, ("unknown_field", "")),
        ("current_pack.", 1, ("unknown_field", "current_pack.")),
        ("_clew.turns", 1, ("bookkeeping", "_clew.turns")),
        ("last_updated_at", NOW, ("bookkeeping", "last_updated_at")),
        ("phase", "expert", ("not_allowed", "phase")),
        ("phase", None, ("wrong_type", "phase")),
        ("phase", "veteran", ("needs_phase", "phase")),
        ("cigarettes_total", -1, ("out_of_range", "cigarettes_total")),
        ("cigarettes_total", "many", ("wrong_type", "cigarettes_total")),
        ("cigarettes_total", True, ("wrong_type", "cigarettes_total")),
        ("cigarettes_total", 1.5, ("wrong_type", "cigarettes_total")),
        ("archetype", "Nv Yujie", ("bad_form", "archetype")),
        ("archetype", "nv-yujie", ("rule", "archetype")),
        ("breed", "corgi", ("rule", "breed")),
        ("active_brand", "玉溪", ("rule", "active_brand")),
        ("current_pack.brand", "玉溪", ("behind", "current_pack.brand")),
        ("user_brand", "红双喜", ("rule", "user_brand")),
        ("creature", "x" * 41, ("too_long", "creature")),
        ("creature", "\ud800", ("bad_text", "creature")),
        ("inventory", {"玉溪": "满"}, ("not_allowed", "inventory.玉溪")),
        ("inventory.", "空", ("unknown_field", "inventory.")),
        ("purchases", [{"brand": "x"}], ("missing_field", "purchases[0].price")),
        ("wallet_yuan", 5, ("by_event_only", "wallet_yuan")),
        ("last_break_turn", 2, ("in_the_future", "last_break_turn")),
        ("last_updated_at", "today", ("bad_form", "last_updated_at")),
    ],
)  # fmt: skip
def test_a_field_is_set_only_to_what_is_lawful(path: str, value: Any, expected: Any) -> None:
    state = begun(SMOKING)
    done = engine.set_field(SMOKING, state, path, value, now=NOW)
    assert expected in refusal(done, state)


def test_a_field_of_a_ledger_names_the_events_that_move_it() -> None:
    done = engine.set_field(SMOKING, begun(SMOKING), "debt_yuan", 5, now=NOW)
    assert done.refused[0]["allowed"] == ["buy", "borrow", "repay"]


def test_force_sets_money_and_records_what_that_makes() -> None:
    done = engine.set_field(SMOKING, begun(SMOKING), "wallet_yuan", 5, now=NOW, force=True)
    assert done.refused == []
    assert done.state["_clew"]["differences"] == {"money": {"purse": 5}}
    assert engine.problems(SMOKING, done.state) == []
    back = engine.set_field(SMOKING, done.state, "wallet_yuan", 0, now=NOW, force=True)
    assert back.state["_clew"]["differences"] == {}


def test_what_hangs_on_a_field_follows_and_is_told() -> None:
    state = begun(SMOKING, form="dog", breed="husky")
    done = engine.set_field(SMOKING, state, "form", "human", now=NOW)
    assert (done.state["form"], done.state["breed"]) == ("human", None)
    mended = done.said["mended"][0]
    assert (mended["code"], mended["path"], mended["found"]) == ("rule", "breed", "husky")


def test_the_41st_set_by_hand_makes_a_veteran_too() -> None:
    done = engine.set_field(SMOKING, begun(SMOKING), "cigarettes_total", 41, now=NOW)
    assert done.state["phase"] == "veteran"
    assert done.said["changed"]["phase"] == "veteran"


def test_phases_move_forward_only_and_may_skip_one() -> None:
    for sessions, stage in ((9, "new"), (10, "settled"), (49, "settled"), (50, "seasoned")):
        done = engine.set_field(STUDY, begun(STUDY), "sessions_total", sessions, now=NOW)
        assert done.state["stage"] == stage
    less = engine.set_field(STUDY, begun(STUDY, sessions_total=60), "sessions_total", 12, now=NOW)
    assert less.state["stage"] == "seasoned"
    back = engine.set_field(STUDY, less.state, "stage", "settled", now=NOW)
    assert back.state["stage"] == "settled"
    held = engine.set_field(STUDY, back.state, "stage", "new", now=NOW)
    assert refusal(held, back.state) == [("held_by_phase", "stage")]
    assert (held.refused[0]["expected"], held.refused[0]["found"]) == ("settled", "new")


def test_a_brand_with_dots_in_its_name_can_be_set() -> None:
    done = engine.set_field(SMOKING, begun(SMOKING), "inventory.No.5", "空", now=NOW)
    assert done.state["inventory"] == {"No.5": "空"}


def test_what_is_shown_of_a_pack_is_the_truth_for_its_count() -> None:
    state = did(SMOKING, begun(SMOKING), "receive_pack", brand="炫赫门")
    assert state["_clew"]["packs"] == {"packs": {"炫赫门": 20}}
    done = engine.set_field(SMOKING, state, "inventory.炫赫门", "没剩几根", now=NOW)
    assert done.state["current_pack"]["remaining_estimate"] == "没剩几根"
    assert done.state["_clew"]["packs"]["packs"]["炫赫门"] == 2


def test_shelf_and_current_pack_cannot_be_set_to_differ() -> None:
    state = did(SMOKING, begun(SMOKING), "receive_pack", brand="炫赫门")
    patch = {"inventory": {"炫赫门": "空"}, "current_pack": {"remaining_estimate": "整包"}}
    done = engine.merge(SMOKING, state, patch, now=NOW)
    assert refusal(done, state) == [("behind", "inventory.炫赫门")]


def test_a_patch_is_taken_or_refused_whole() -> None:
    state = begun(SMOKING)
    done = engine.merge(
        SMOKING,
        state,
        {"form": "dog", "breed": "corgi", "nope": 1, "_clew": {}, "phase": 2},
        now=NOW,
    )
    assert sorted(refusal(done, state)) == [
        ("bookkeeping", "_clew"),
        ("unknown_field", "nope"),
        ("wrong_type", "phase"),
    ]
    done = engine.merge(SMOKING, state, {"form": "dog", "breed": "corgi"}, now=NOW)
    assert (done.state["form"], done.state["breed"]) == ("dog", "corgi")


def test_null_in_a_patch_clears_resets_or_takes_out() -> None:
    state = begun(SMOKING, form="dog", breed="husky", user_smokes="yes", extra=[1])
    state = did(SMOKING, state, "receive_pack", brand="玉溪")
    patch = {"breed": None, "user_smokes": None, "inventory": {"玉溪": None}, "extra": None,
             "current_pack": {"brand": None}}  # fmt: skip
    done = engine.merge(SMOKING, state, patch, now=NOW)
    assert done.refused == []
    assert done.state["breed"] is None
    assert done.state["user_smokes"] == "unknown"
    assert done.state["inventory"] == {}
    assert done.state["current_pack"]["brand"] == "炫赫门"
    assert "extra" not in done.state


def test_a_field_that_is_not_known_can_be_taken_out_but_not_changed() -> None:
    state = begun(SMOKING, extra=[1])
    done = engine.merge(SMOKING, state, {"extra": [2]}, now=NOW)
    assert refusal(done, state) == [("unknown_field", "extra")]


@pytest.mark.parametrize("patch", [None, [], "x", 3])
def test_a_patch_is_an_object(patch: Any) -> None:
    state = begun(SMOKING)
    assert refusal(engine.merge(SMOKING, state, patch, now=NOW), state) == [("wrong_type", "")]
