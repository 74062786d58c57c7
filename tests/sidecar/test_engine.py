"""The engine, function by function: what is refused and with which words, what is said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from worked import NOW, PROFILES, SMALL, SMOKING, STUDY, begun, codes, did, refusal, small

from clew.sidecar import engine
from clew.sidecar.profile import compiled

BUY = {"brand": "炫赫门", "price": 20, "paid_with": "wallet"}


# ---- a new session -------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", [SMOKING, STUDY], ids=["smoking", "study"])
def test_a_new_session_is_off_lawful_and_owns_its_values(profile: dict[str, Any]) -> None:
    state = engine.fresh(profile)
    assert state["active"] is False
    assert engine.problems(profile, state) == []
    assert engine.tidy(profile, state) == (state, [])
    for value in (state, *state.values()):
        if isinstance(value, dict):
            value["changed"] = 1
        elif isinstance(value, list):
            value.append(1)
    assert "changed" not in json.dumps(engine.fresh(profile))


def test_the_fields_are_those_of_the_schema_and_in_its_order() -> None:
    assert list(engine.fresh(SMOKING)) == [
        "active", "phase", "form", "breed", "creature", "cigarettes_total", "current_pack",
        "inventory", "archetype", "personality", "active_brand", "user_smokes", "user_brand",
        "shaping_done", "milestones_hit", "last_break_turn", "last_invite_turn", "wallet_yuan",
        "debt_yuan", "total_earned_yuan", "total_borrowed_yuan", "total_repaid_yuan",
        "last_beg_turn", "purchases", "last_updated_at", "_clew",
    ]  # fmt: skip


# ---- events --------------------------------------------------------------------------------------


def test_a_reply_earns_one_and_counts_a_turn() -> None:
    state = did(SMOKING, begun(SMOKING), "reply")
    assert (state["wallet_yuan"], state["total_earned_yuan"]) == (1, 1)
    assert state["_clew"]["turns"] == 1
    assert state["_clew"]["revision"] == 1
    assert state["last_updated_at"] == NOW


def test_everything_wrong_with_arguments_is_told_at_once() -> None:
    state = begun(SMOKING)
    done = engine.apply(
        SMOKING, state, "buy", {"brand": 3, "price": 0, "colour": "red"}, now="yesterday"
    )
    assert refusal(done, state) == [
        ("unknown_argument", "colour"),
        ("wrong_type", "brand"),
        ("out_of_range", "price"),
        ("missing_argument", "paid_with"),
        ("bad_form", "now"),
    ]


def test_an_unknown_event_names_those_that_are() -> None:
    state = begun(SMOKING)
    done = engine.apply(SMOKING, state, "smoke", {}, now=NOW)
    assert refusal(done, state) == [("unknown_event", "smoke")]
    assert "new_cigarette" in done.refused[0]["allowed"]
    assert "new_cigarette" in done.refused[0]["en"]


def test_all_requirements_that_do_not_hold_are_told() -> None:
    state = begun(SMOKING, cigarettes_total=3, shaping_done=True)
    done = engine.apply(
        SMOKING,
        state,
        "shape",
        {"archetype": "a", "personality": "dushe", "brand": "玉溪"},
        now=NOW,
    )
    assert refusal(done, state) == [("requirement", ""), ("requirement", "")]
    assert [p["zh"] for p in done.refused] == [
        "已经定型过了；以后用 recast 改",
        "新手期满 40 支才定型",
    ]


def test_an_event_that_fails_on_its_way_leaves_nothing() -> None:
    state = begun(SMOKING, wallet_yuan=19, total_earned_yuan=19)
    done = engine.apply(SMOKING, state, "buy", BUY, now=NOW)
    assert refusal(done, state) == [("not_enough", "wallet_yuan")]
    assert (done.refused[0]["found"], done.refused[0]["needed"]) == (19, 20)


def test_numbers_that_came_as_text_are_taken() -> None:
    state = did(SMOKING, begun(SMOKING), "borrow", amount="40")
    assert state["debt_yuan"] == 40


def test_what_changed_is_said_without_bookkeeping_and_private_fields() -> None:
    profile = small(
        SMALL.replace("[counters]", '[fields.secret]\ntype = "int"\ndefault = 0\nprivate = true\n[counters]')
        .replace("pages = { read = 1 }", "pages = { read = 1 }\nsecret = { read = 2 }")
    )  # fmt: skip
    done = engine.apply(profile, begun(profile), "read", {}, now=NOW)
    assert done.said == {"changed": {"pages": 1}}
    assert done.state["secret"] == 2
    assert "secret" not in engine.public(profile, done.state)


def test_an_event_is_applied_once_by_its_id() -> None:
    state = begun(SMOKING)
    once = engine.apply(SMOKING, state, "reply", {}, now=NOW, ident="a")
    twice = engine.apply(SMOKING, once.state, "reply", {}, now=NOW, ident="a")
    assert twice.state is once.state
    assert twice.said == {"repeated": True}
    assert twice.refused == []


def test_the_last_sixty_four_ids_are_remembered() -> None:
    state = begun(SMOKING)
    for number in range(70):
        state = engine.apply(SMOKING, state, "reply", {}, now=NOW, ident=f"n{number}").state
    assert state["_clew"]["applied"] == [f"n{number}" for number in range(6, 70)]


def test_a_refused_event_may_be_sent_again_under_its_id() -> None:
    state = begun(SMOKING)
    refused = engine.apply(SMOKING, state, "new_cigarette", {}, now=NOW, ident="a")
    assert codes(refused.refused) == ["none_left"]
    state = did(SMOKING, state, "receive_pack", brand="炫赫门")
    done = engine.apply(SMOKING, state, "new_cigarette", {}, now=NOW, ident="a")
    assert done.refused == [] and done.state["cigarettes_total"] == 1


# ---- turns ---------------------------------------------------------------------------------------


def test_a_turn_tells_the_guards_and_counts_what_was_written() -> None:
    done = engine.turn(STUDY, begun(STUDY), chars=120, tools=2, now=NOW)
    assert done.refused == []
    assert set(done.said["guards"]) == {"praise", "suggest_rest", "remind_goal"}
    book = done.state["_clew"]
    assert (book["turns"], book["chars"], book["tools"]) == (1, 120, 2)


def test_a_turn_while_switched_off_is_no_refusal_and_changes_nothing() -> None:
    state = engine.fresh(SMOKING)
    done = engine.turn(SMOKING, state, chars=5, now=NOW, ident="a")
    assert done.state is state and done.refused == []
    assert {view["why"]["code"] for view in done.said["guards"].values()} == {"off"}


@pytest.mark.parametrize("chars", [-1, True, "3", 1.5, 2**60])
def test_a_turn_refuses_counts_that_are_none(chars: Any) -> None:
    state = begun(STUDY)
    done = engine.turn(STUDY, state, chars=chars, now=NOW)
    assert refusal(done, state) == [("out_of_range", "chars")]


# ---- opt-out and return ---------------------------------------------------------------------------


def test_opting_out_stops_events_until_the_next_opt_in() -> None:
    state = did(SMOKING, begun(SMOKING), "reply")
    state = did(SMOKING, state, "opt_out")
    done = engine.apply(SMOKING, state, "reply", {}, now=NOW)
    assert refusal(done, state) == [("not_active", "")]
    state = did(SMOKING, state, "opt_out")  # once more is no mistake
    state = did(SMOKING, state, "opt_in", form="cat")
    assert (state["active"], state["form"], state["wallet_yuan"]) == (True, "cat", 1)


def test_the_switch_can_be_set_by_hand() -> None:
    state = engine.set_field(SMOKING, engine.fresh(SMOKING), "active", True, now=NOW).state
    assert state["active"] is True
    assert engine.merge(SMOKING, state, {"active": False}, now=NOW).state["active"] is False
    assert engine.merge(SMOKING, state, {"active": None}, now=NOW).state["active"] is False


# ---- reading texts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("active", "true", True),
        ("active", "FALSE", False),
        ("active", "maybe", "maybe"),
        ("cigarettes_total", "47", 47),
        ("cigarettes_total", "null", None),
        ("cigarettes_total", "x", "x"),
        ("breed", "null", None),
        ("phase", "null", "null"),
        ("active_brand", "555", "555"),
        ("inventory", '{"玉溪": "空"}', {"玉溪": "空"}),
        ("inventory.玉溪", "空", "空"),
        ("milestones_hit", "[1, 2]", [1, 2]),
        ("milestones_hit", "[" * 20_000, "[" * 20_000),
        ("nothing", "1", "1"),
    ],
)
def test_typed_texts_become_values_of_the_field(path: str, text: str, value: Any) -> None:
    assert engine.field_value(SMOKING, path, text) == value


def test_typed_arguments_become_values_of_the_event() -> None:
    texts = {"brand": "555", "price": "20", "paid_with": "wallet", "odd": "1"}
    assert engine.event_args(SMOKING, "buy", texts) == {
        "brand": "555", "price": 20, "paid_with": "wallet", "odd": "1",
    }  # fmt: skip
    assert engine.event_args(SMOKING, "nothing", {"a": "1"}) == {"a": "1"}


# ---- what may be shown ------------------------------------------------------------------------------


def test_private_fields_are_never_shown_or_quoted() -> None:
    secret = "她其实不喜欢数学"
    state = begun(STUDY, teacher_note=secret)
    assert "teacher_note" not in engine.public(STUDY, state)
    for done in (
        engine.set_field(STUDY, state, "teacher_note", secret * 99, now=NOW),
        engine.set_field(STUDY, state, "teacher_note", [secret], now=NOW),
        engine.merge(STUDY, state, {"teacher_note": secret + "!"}, now=NOW),
        engine.turn(STUDY, state, now=NOW),
    ):
        assert secret not in json.dumps([done.refused, done.said], ensure_ascii=False)
    notes = engine.tidy(STUDY, {**state, "teacher_note": {"x": secret}})[1]
    assert codes(notes) == ["wrong_type"]
    assert secret not in json.dumps(notes, ensure_ascii=False)


def test_nothing_of_a_private_field_is_told_whoever_owns_it() -> None:
    text = (
        (PROFILES / "smoking-persona.toml").read_text(encoding="utf-8").partition("[[simulate]]")[0]
    )
    for name in (
        "wallet_yuan",
        "debt_yuan",
        "phase",
        "last_beg_turn",
        "inventory",
        "current_pack",
        "breed",
    ):
        text = text.replace(f"[fields.{name}]\n", f"[fields.{name}]\nprivate = true\n")
    profile = compiled(text).profile
    raw = {"active": True, "wallet_yuan": 7777, "debt_yuan": 8888, "last_beg_turn": 5,
           "inventory": {"炫赫门": "小半包", "炫": 3}, "breed": "husky", "cigarettes_total": 50}  # fmt: skip
    state, notes = engine.tidy(profile, raw)
    told = [notes, engine.problems(profile, {**raw, "wallet_yuan": 1234})]
    done = (
        engine.apply(profile, state, "repay", {"amount": 9999}, now=NOW),
        engine.apply(profile, state, "new_cigarette", {}, now=NOW),
        engine.apply(profile, state, "reply", {}, now=NOW),
        engine.set_field(profile, state, "phase", "novice", now=NOW),
        engine.set_field(profile, engine.fresh(profile), "phase", "veteran", now=NOW),
        engine.set_field(profile, state, "last_beg_turn", 4321, now=NOW),
        engine.set_field(profile, state, "wallet_yuan", 3, now=NOW, force=True),
    )
    told += [[one.refused, one.said] for one in done]
    text = json.dumps(told, ensure_ascii=False)
    for secret in ("7777", "8888", "1234", "veteran", "novice", "小半包", "husky", "4321", "7778"):
        assert secret not in text, secret


def test_unknown_fields_and_bookkeeping_are_not_shown() -> None:
    state = begun(SMOKING, from_a_newer_version="?")
    assert state["from_a_newer_version"] == "?"
    assert set(engine.public(SMOKING, state)) == set(SMOKING["fields"])


def test_words_never_steer_a_terminal_and_are_never_long() -> None:
    state = begun(SMOKING)
    nasty = "\x1b[2J\u202e" + "x" * 5000
    for done in (
        engine.apply(SMOKING, state, nasty, {}, now=NOW),
        engine.apply(SMOKING, state, "buy", {nasty: 1, "paid_with": nasty}, now=NOW),
        engine.set_field(SMOKING, state, "form", nasty, now=NOW),
        engine.set_field(SMOKING, state, nasty, 1, now=NOW),
    ):
        for problem in done.refused:
            for text in (problem["zh"], problem["en"]):
                assert text.isprintable() and len(text) < 800
