"""Properties of the engine: for any sequence of events, edits and damage, and for both profiles."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worked import (
    ANY,
    BOTH,
    NOW,
    SMOKING,
    STUDY,
    begun,
    codes,
    damaged,
    edits,
    event_steps,
    steps,
    taken,
)

from clew.sidecar import engine
from clew.sidecar.engine_goods import differences, totals
from clew.sidecar.engine_words import TOLD

by_profile = pytest.mark.parametrize("profile", BOTH, ids=lambda profile: profile["name"])


def money(profile: dict[str, Any], state: dict[str, Any]) -> dict[str, dict[str, int]]:
    return {name: differences(profile, state, name) for name in profile["ledgers"]}


@by_profile
@given(st.data())
def test_every_reachable_state_is_lawful_and_money_is_conserved(
    profile: dict[str, Any], data: st.DataObject
) -> None:
    state = engine.fresh(profile)
    off = True
    for step in data.draw(st.lists(steps(profile), max_size=25)):
        before = copy.deepcopy(state)
        done = taken(profile, state, step)
        assert state == before, "what was given in is changed"
        if done.refused:
            assert done.state is state
            assert all(word["zh"] and word["en"] for word in done.refused)
        state = done.state
        assert engine.problems(profile, state) == []
        assert money(profile, state) == {name: {} for name in profile["ledgers"]}
        for name in profile["ledgers"]:
            old, new = totals(profile, before, name), totals(profile, state, name)
            for part in ("earned", "borrowed", "repaid", "spent"):
                assert new.get(part, 0) >= old.get(part, 0)
        opted = step[:2] in (("event", "opt_in"), ("set", "active")) or step[0] == "merge"
        off = off and not (opted and state["active"])
        assert not (off and state["active"])
    assert engine.tidy(profile, state) == (state, [])


@given(st.lists(event_steps(SMOKING), max_size=40), st.integers(0, 200), st.integers(0, 100))
def test_a_difference_that_was_taken_over_never_grows_or_shrinks(
    sequence: list[tuple[Any, ...]], wallet: int, earned: int
) -> None:
    state = begun(SMOKING, wallet_yuan=wallet, total_earned_yuan=earned)
    kept = dict(state["_clew"]["differences"])
    assert kept == ({} if wallet == earned else {"money": {"purse": wallet - earned}})
    for step in sequence:
        state = taken(SMOKING, state, step).state
        assert state["_clew"]["differences"] == kept
        assert money(SMOKING, state) == {"money": kept.get("money", {})}
        assert engine.problems(SMOKING, state) == []


@by_profile
@given(ANY)
def test_any_json_becomes_a_lawful_state_and_stays_so(profile: dict[str, Any], raw: Any) -> None:
    state, _ = engine.tidy(profile, raw)
    check_tidied(profile, raw, state)


@by_profile
@given(st.data())
def test_any_damage_is_mended_once(profile: dict[str, Any], data: st.DataObject) -> None:
    state = engine.fresh(profile)
    for step in data.draw(st.lists(event_steps(profile), max_size=8)):
        state = taken(profile, state, step).state
    raw = data.draw(damaged(profile, state))
    before = copy.deepcopy(raw)
    again, _ = engine.tidy(profile, raw)
    assert raw == before
    check_tidied(profile, raw, again)


def check_tidied(profile: dict[str, Any], raw: Any, state: dict[str, Any]) -> None:
    assert engine.problems(profile, state) == []
    twice, notes = engine.tidy(profile, state)
    assert twice == state
    assert set(codes(notes)) <= TOLD
    if state["active"]:
        assert raw["active"] is True, "damage has switched it on"
    if isinstance(raw, dict):
        for key in raw:
            known = key in profile["fields"] or key == "_clew"
            old = any(
                key in step["rename"] or key in step["drop"] for step in profile["migrations"]
            )
            assert known or old or state[key] == raw[key], "an unknown field was changed"
    on = {**state, "active": True}
    done = engine.turn(profile, on, chars=10, tools=1, now=NOW)
    assert done.refused == []
    assert engine.problems(profile, done.state) == []


@by_profile
@given(st.data())
def test_sets_and_patches_are_lawful_or_refused(
    profile: dict[str, Any], data: st.DataObject
) -> None:
    state = begun(profile)
    for step in data.draw(st.lists(edits(profile), max_size=8)):
        force = data.draw(st.booleans())
        if step[0] == "set":
            done = engine.set_field(profile, state, step[1], step[2], now=NOW, force=force)
        else:
            done = engine.merge(profile, state, step[1], now=NOW, force=force)
        assert engine.problems(profile, done.state) == []
        if force:
            recorded = done.state["_clew"]["differences"]
            assert {n: off for n, off in money(profile, done.state).items() if off} == recorded
        state = done.state
    assert engine.tidy(profile, state) == (state, [])


@by_profile
@settings(max_examples=15)
@given(st.data())
def test_the_same_steps_give_the_same_state(profile: dict[str, Any], data: st.DataObject) -> None:
    sequence = data.draw(st.lists(steps(profile), max_size=15))
    ends = []
    for _ in range(2):
        state = engine.fresh(profile)
        for step in sequence:
            state = taken(profile, state, step).state
        ends.append(json.dumps(state))
    assert ends[0] == ends[1]


@by_profile
@given(st.data())
def test_an_event_that_was_applied_changes_nothing_again(
    profile: dict[str, Any], data: st.DataObject
) -> None:
    state = begun(profile)
    for number, step in enumerate(data.draw(st.lists(event_steps(profile), max_size=10))):
        first = engine.apply(profile, state, step[1], step[2], now=NOW, ident=f"id-{number}")
        again = engine.apply(profile, first.state, step[1], step[2], now=NOW, ident=f"id-{number}")
        if first.refused:
            assert codes(again.refused) == codes(first.refused)
        else:
            assert again.state is first.state
            assert again.said == {"repeated": True}
        state = first.state
        assert len(state["_clew"]["applied"]) <= 64


@given(st.lists(st.integers(1, 28), min_size=1, max_size=30))
def test_a_streak_counts_days_in_a_row(days: list[int]) -> None:
    state = begun(STUDY)
    best = streak = last = 0
    for day in days:
        done = engine.apply(
            STUDY, state, "study", {"day": f"2026-03-{day:02}", "minutes": 5}, now=NOW
        )
        if last and day < last:
            assert codes(done.refused) == ["requirement"]
            continue
        streak = streak if day == last else streak + 1 if last and day == last + 1 else 1
        best, last, state = max(best, streak), day, done.state
        assert (state["streak"]["days"], state["streak"]["best"]) == (streak, best)
