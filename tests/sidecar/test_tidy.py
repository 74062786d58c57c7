"""What is read becomes lawful: damage, older and newer files, files of the skill's own making."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worked import ANY, NOW, SMALL, SMOKING, STUDY, begun, codes, small

from clew.sidecar import engine
from clew.sidecar.engine_shape import date_of, day_number, is_slug, is_stamp
from clew.sidecar.engine_words import TOLD


@pytest.mark.parametrize("raw", [None, [], "x", 3, True, 1.5])
def test_what_is_no_object_is_a_new_session(raw: Any) -> None:
    state, notes = engine.tidy(SMOKING, raw)
    assert state == engine.fresh(SMOKING)
    assert codes(notes) == ["not_an_object"]
    assert codes(engine.problems(SMOKING, raw)) == ["not_an_object"]


@pytest.mark.parametrize("switch", ["true", 1, None, [True], {"on": True}, "yes", 1.0])
def test_only_true_itself_is_on(switch: Any) -> None:
    state, notes = engine.tidy(SMOKING, {**engine.fresh(SMOKING), "active": switch})
    assert state["active"] is False
    assert codes(notes) == ["wrong_type"]


@pytest.mark.parametrize(
    ("field", "raw", "mended", "code"),
    [
        ("cigarettes_total", "47", 47, "converted"),
        ("cigarettes_total", 47.0, 47, "converted"),
        ("cigarettes_total", "047", 0, "wrong_type"),
        ("cigarettes_total", 4.5, 0, "wrong_type"),
        ("cigarettes_total", -3, 0, "out_of_range"),
        ("cigarettes_total", 10**300, 0, "out_of_range"),
        ("cigarettes_total", 1e300, 0, "wrong_type"),
        ("phase", "Veteran", "novice", "not_allowed"),
        ("user_smokes", None, "unknown", "wrong_type"),
        ("active_brand", ["玉溪"], "炫赫门", "wrong_type"),
        ("user_brand", "玉\ud800溪", None, "bad_text"),
        ("active_brand", "玉溪", "炫赫门", "rule"),
        ("current_pack", "整包", {"brand": "炫赫门", "remaining_estimate": "空"}, "wrong_type"),
        (
            "current_pack",
            {"brand": "玉溪"},
            {"brand": "炫赫门", "remaining_estimate": "空"},
            "missing_field",
        ),
        ("inventory", {"玉溪": "空", "x": "半包"}, {"玉溪": "空", "x": "约半包"}, "not_allowed"),
        ("inventory", {"玉溪": "空", "x": "满满的"}, {"玉溪": "空"}, "not_allowed"),
        ("milestones_hit", [100, "x", 200], [100, 200], "wrong_type"),
        ("purchases", {"brand": "x"}, [], "wrong_type"),
        ("last_updated_at", "2026-02-30T00:00:00Z", None, "bad_form"),
        ("last_updated_at", "2026-05-08T10:12:34", "2026-05-08T10:12:34Z", "converted"),
        ("shaping_done", "true", False, "wrong_type"),
    ],
)
def test_a_wrong_value_becomes_the_nearest_lawful_one(
    field: str, raw: Any, mended: Any, code: str
) -> None:
    state, notes = engine.tidy(SMOKING, {**engine.fresh(SMOKING), field: raw})
    assert state[field] == mended
    assert code in codes(notes)
    assert notes[0]["path"].startswith(field)


def test_a_number_outside_the_bounds_of_its_field_goes_to_the_bound() -> None:
    state, notes = engine.tidy(STUDY, {**engine.fresh(STUDY), "energy": 130})
    assert state["energy"] == 100
    assert (notes[0]["code"], notes[0]["found"], notes[0]["allowed"]) == (
        "out_of_range", 130, "0..100",
    )  # fmt: skip


def test_the_old_value_is_kept_in_the_note() -> None:
    notes = engine.tidy(SMOKING, {**engine.fresh(SMOKING), "form": "bird"})[1]
    assert notes[0]["found"] == "bird"
    assert notes[0]["allowed"] == ["human", "dog", "cat", "other"]


def test_purchases_are_cut_to_the_last_five_on_reading() -> None:
    many = [{"brand": "玉溪", "price": n, "at_cig": n, "paid_with": "wallet"} for n in range(1, 9)]
    state, notes = engine.tidy(SMOKING, {**engine.fresh(SMOKING), "purchases": many})
    assert [item["price"] for item in state["purchases"]] == [4, 5, 6, 7, 8]
    assert (notes[0]["code"], notes[0]["found"], notes[0]["limit"]) == ("list_cut", 8, 5)


def test_unknown_fields_are_kept_at_every_depth() -> None:
    raw = {**engine.fresh(SMOKING), "newer": {"a": [1, {"b": None}]}}
    raw["current_pack"] = {**raw["current_pack"], "colour": "red"}
    raw["_clew"] = {**raw["_clew"], "more": [1]}
    state, notes = engine.tidy(SMOKING, raw)
    assert notes == []
    assert state == raw
    after = engine.apply(SMOKING, {**state, "active": True}, "reply", {}, now=NOW).state
    assert after["newer"] == raw["newer"]
    assert after["current_pack"]["colour"] == "red"
    assert after["_clew"]["more"] == [1]


def test_a_newer_version_is_told_and_not_lowered() -> None:
    raw = engine.fresh(SMOKING)
    raw["_clew"]["schema_version"] = 9
    raw["mood"] = "calm"
    state, notes = engine.tidy(SMOKING, raw)
    assert codes(notes) == ["newer_version"]
    assert state["_clew"]["schema_version"] == 9
    assert state["mood"] == "calm"
    assert engine.problems(SMOKING, state) == []


def test_phases_come_before_rules_so_that_a_veteran_keeps_the_archetype() -> None:
    raw = {"active": True, "phase": "novice", "cigarettes_total": 47, "archetype": "nv-yujie"}
    state, notes = engine.tidy(SMOKING, raw)
    assert (state["phase"], state["archetype"]) == ("veteran", "nv-yujie")
    assert "moved_phase" in codes(notes)


def test_a_damaged_count_does_not_take_the_phase_or_the_archetype() -> None:
    raw = {**begun(SMOKING, cigarettes_total=47, shaping_done=True), "archetype": "nv-yujie"}
    raw["cigarettes_total"] = {}
    state, _ = engine.tidy(SMOKING, raw)
    assert (state["cigarettes_total"], state["phase"], state["archetype"]) == (
        0, "veteran", "nv-yujie",
    )  # fmt: skip


# ---- bookkeeping -----------------------------------------------------------------------------------


def test_a_file_without_bookkeeping_starts_where_its_fields_say() -> None:
    state, notes = engine.tidy(SMOKING, {"total_earned_yuan": 12, "last_break_turn": 30})
    assert state["_clew"]["turns"] == 30
    assert state["_clew"]["opened"]["break"]["turn"] == 30
    assert (notes[0]["code"], notes[0]["found"]) == ("taken_over", 30)


def test_a_difference_is_recorded_once_and_an_edit_from_outside_is_told() -> None:
    state, notes = engine.tidy(SMOKING, {"wallet_yuan": 30, "total_earned_yuan": 10})
    assert codes(notes) == ["taken_over", "difference"]
    assert state["_clew"]["differences"] == {"money": {"purse": 20}}
    again, notes = engine.tidy(SMOKING, state)
    assert (again, notes) == (state, [])
    state["wallet_yuan"] = 35
    assert codes(engine.problems(SMOKING, state)) == ["unbalanced"]
    after, notes = engine.tidy(SMOKING, state)
    assert codes(notes) == ["unbalanced"]
    assert after["_clew"]["differences"] == {"money": {"purse": 25}}
    assert engine.problems(SMOKING, after) == []


def test_a_debt_that_does_not_follow_from_loans_is_recorded_on_its_side() -> None:
    state, _ = engine.tidy(SMOKING, {"debt_yuan": 7})
    assert state["_clew"]["differences"] == {"money": {"debt": 7}}


def test_what_was_spent_is_read_from_the_purchases_of_a_taken_over_file() -> None:
    item = {"brand": "玉溪", "price": 23, "at_cig": 1, "paid_with": "wallet"}
    state, notes = engine.tidy(
        SMOKING, {"total_earned_yuan": 50, "wallet_yuan": 27, "purchases": [item]}
    )
    assert state["_clew"]["spent"] == {"money": 23}
    assert state["_clew"]["differences"] == {}
    assert codes(notes) == ["taken_over"]


@given(ANY)
def test_damaged_bookkeeping_never_takes_the_fields_with_it(book: Any) -> None:
    whole = begun(SMOKING, cigarettes_total=50, wallet_yuan=9, total_earned_yuan=9)
    state, _ = engine.tidy(SMOKING, {**whole, "_clew": book})
    assert engine.public(SMOKING, state) == engine.public(SMOKING, whole)
    assert engine.problems(SMOKING, state) == []


@pytest.mark.parametrize("seed", ["x", 7, 0, -5, "种子"])
def test_a_seed_is_kept(seed: Any) -> None:
    state = begun(SMOKING, seed=seed)
    assert engine.tidy(SMOKING, state)[0]["_clew"]["seed"] == seed


@pytest.mark.parametrize("seed", [None, True, [], "", "\ud800", "x" * 300, 2**70, 1.5])
def test_a_seed_that_cannot_be_one_becomes_the_profiles(seed: Any) -> None:
    state = begun(SMOKING, seed=seed)
    assert engine.tidy(SMOKING, state)[0]["_clew"]["seed"] == "smoking-persona"


def test_a_shelf_that_differs_from_the_current_pack_follows_it() -> None:
    raw = {**engine.fresh(SMOKING), "inventory": {"炫赫门": "整包", "玉溪": "小半包"}}
    state, notes = engine.tidy(SMOKING, raw)
    assert state["inventory"] == {"炫赫门": "空", "玉溪": "小半包"}
    assert codes(notes) == ["behind"]
    assert state["_clew"]["packs"]["packs"] == {"炫赫门": 0, "玉溪": 5}


# ---- migrations ------------------------------------------------------------------------------------

OLD_NAMES = {old: new for step in SMOKING["migrations"] for old, new in step["rename"].items()}


@given(st.dictionaries(st.sampled_from(sorted(OLD_NAMES)), ANY), st.booleans(), ANY)
def test_migrations_are_idempotent(old: dict[str, Any], on: bool, other: Any) -> None:
    raw = {"active": on, **old, "other": other}
    before = copy.deepcopy(raw)
    once, _ = engine.tidy(SMOKING, raw)
    assert raw == before
    twice, notes = engine.tidy(SMOKING, json.loads(json.dumps(once)))
    assert twice == json.loads(json.dumps(once))
    assert set(codes(notes)) <= TOLD
    # The same file without its bookkeeping is migrated anew, to the same fields.
    bare = {key: value for key, value in once.items() if key != "_clew"}
    assert engine.public(SMOKING, engine.tidy(SMOKING, bare)[0]) == engine.public(SMOKING, once)
    for name in old:
        assert name not in once or OLD_NAMES[name] in raw
    assert once["other"] == other
    assert once["active"] is on


def test_a_renamed_field_keeps_its_value_and_is_told() -> None:
    state, notes = engine.tidy(SMOKING, {"smoke_count": 45, "wallet": 3})
    assert (state["cigarettes_total"], state["wallet_yuan"], state["phase"]) == (45, 3, "veteran")
    assert [(n["path"], n["old"]) for n in notes if n["code"] == "renamed"] == [
        ("cigarettes_total", "smoke_count"),
        ("wallet_yuan", "wallet"),
    ]


def test_where_both_names_are_there_the_new_one_wins_and_nothing_is_lost() -> None:
    state, _ = engine.tidy(SMOKING, {"smoke_count": 45, "cigarettes_total": 3})
    assert (state["cigarettes_total"], state["smoke_count"]) == (3, 45)


def test_an_old_name_that_comes_up_later_is_renamed_too() -> None:
    state = engine.fresh(SMOKING)
    del state["cigarettes_total"]
    state["smoke_count"] = 12
    after, notes = engine.tidy(SMOKING, state)
    assert after["cigarettes_total"] == 12
    assert codes(notes) == ["renamed"]


def test_defaults_and_drops_of_a_migration_are_for_older_files_only() -> None:
    old, notes = engine.tidy(STUDY, {"points": 4, "_clew": {"schema_version": 1}})
    assert old["energy"] == 60 and "points" not in old
    assert [note["found"] for note in notes if note["code"] == "dropped"] == ["<integer>"]
    new, _ = engine.tidy(STUDY, {"points": 4, "_clew": {"schema_version": 2}})
    assert new["energy"] == 80 and new["points"] == 4


def test_a_rename_never_replaces_what_is_there() -> None:
    raw = {"active": True, "streak_days": 4, "streak": "none", "_clew": {"schema_version": 1}}
    state, _ = engine.tidy(STUDY, raw)
    assert state["streak_days"] == 4
    assert state["streak"] == {"days": 0, "best": 0, "last_day": None}


def test_an_old_name_of_the_switch_opts_in_only_on_an_older_file() -> None:
    profile = small(
        SMALL.replace("version = 1", "version = 2")
        + '\n[[migrations]]\nto = 2\nrename = { enabled = "active" }\n'
    )
    assert engine.tidy(profile, {"enabled": True})[0]["active"] is True
    newer = engine.fresh(profile)
    del newer["active"]
    newer["enabled"] = True
    assert engine.tidy(profile, newer)[0]["active"] is False


# ---- forms -----------------------------------------------------------------------------------------


@given(st.dates())
def test_day_numbers_are_those_of_the_calendar(day: Any) -> None:
    number = day_number(day.isoformat())
    assert number == day.toordinal()
    assert date_of(number) == day.isoformat()


@pytest.mark.parametrize(
    "text", ["2026-2-3", "2026-02-30", "0000-01-01", "2026-13-01", "2026-00-10", "２０２６-01-01", "", 5]
)  # fmt: skip
def test_what_is_no_day_has_no_number(text: Any) -> None:
    assert day_number(text) is None


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("2026-05-08T10:12:34Z", True),
        ("2026-05-08T10:12:34.123Z", True),
        ("2026-05-08T10:12:34+00:00", True),
        ("2026-05-08T10:12:34+08:00", False),
        ("2026-05-08 10:12:34Z", False),
        ("2026-05-08T24:00:00Z", False),
        ("2026-05-08T10:12:34.Z", False),
        ("2026-05-08", False),
        (None, False),
    ],
)
def test_moments_are_in_utc(text: Any, fine: bool) -> None:
    assert is_stamp(text) is fine


@pytest.mark.parametrize(
    ("text", "fine"),
    [("nv-yujie", True), ("a1", True), ("A", False), ("a--b", False), ("-a", False), ("a_b", False),
     ("", False), ("女", False), ("a" * 81, False)],
)  # fmt: skip
def test_slugs_have_one_form(text: str, fine: bool) -> None:
    assert is_slug(text) is fine
