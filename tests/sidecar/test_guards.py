"""Guards open within their band, never earlier, never later, whatever happens around them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from worked import NOW, SMALL, SMOKING, STUDY, begun, codes, did, small

from clew.sidecar import engine
from clew.sidecar.engine_guards import drawn

BANDS = st.tuples(st.integers(1, 6), st.integers(0, 5)).map(lambda b: (b[0], b[0] + b[1]))


def banded(low: int, high: int, more: str = "") -> dict[str, Any]:
    return small(SMALL.replace("band = [3, 5]", f"band = [{low}, {high}]{more}"))


PROFILES = {(low, high): banded(low, high) for low in range(1, 7) for high in range(low, low + 6)}


@given(
    BANDS,
    st.text(max_size=5),
    st.lists(st.sampled_from(["beat", "beat", "try", "off", "on", "read", "disk"]), max_size=60),
)
def test_a_guard_opens_within_its_band(
    band: tuple[int, int], seed: str, sequence: list[str]
) -> None:
    low, high = band
    profile = PROFILES[band]
    state = begun(profile, seed=seed or 7)
    turns, last, active = 0, None, True
    for step in sequence:
        view = engine.guards(profile, state)["wave"]
        if not active:
            assert (view["open"], view["why"]["code"]) == (False, "off")
        elif last is None or turns - last >= high:
            assert view["open"], "later than its band"
        elif turns - last < low:
            assert not view["open"], "earlier than its band"
        if active and not view["open"]:
            later = state
            for _ in range(view["in"]):
                assert not engine.guards(profile, later)["wave"]["open"]
                later = engine.turn(profile, later, now=NOW).state
            assert engine.guards(profile, later)["wave"]["open"], "`in` was wrong"
        if step == "beat":
            state = engine.turn(profile, state, now=NOW).state
            turns += active
        elif step == "try":
            done = engine.apply(profile, state, "wave", {}, now=NOW)
            assert (not done.refused) == view["open"]
            last = turns if view["open"] else last
            state = done.state
        elif step == "disk":
            state, notes = engine.tidy(profile, json.loads(json.dumps(state)))
            assert notes == []
        elif step == "read":
            state = engine.apply(profile, state, "read", {}, now=NOW).state
        else:
            active = step == "on"
            state = did(profile, state, "opt_in" if active else "opt_out")
        # A turn bears the number that it ends with: it is used in the one after `last` have ended.
        assert state["last_wave_turn"] == (None if last is None else last + 1)
        assert state["_clew"]["turns"] == turns


@given(
    st.integers(0, 50),
    st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=40),
    st.integers(0, 9),
)
def test_a_guard_can_count_what_was_written(
    first: int, sequence: list[tuple[int, bool]], seed: int
) -> None:
    profile = CHARS
    state = begun(profile, seed=seed)
    written, since = 0, None
    for chars, use in sequence:
        state = engine.turn(profile, state, chars=chars, now=NOW).state
        written += chars
        view = engine.guards(profile, state)["wave"]
        waited = written - (since or 0)
        low, high = (30, 40) if since is None else (100, 150)
        if waited >= high:
            assert view["open"]
        if waited < low:
            assert not view["open"] and view["in"] is None
            assert view["why"]["left"] > 0
        if use and view["open"]:
            state = did(profile, state, "wave")
            since = written


CHARS = small(
    SMALL.replace("band = [3, 5]", 'per = "chars"\nband = [100, 150]\nfirst = [30, 40]').replace(
        'last = "last_wave_turn"\n', ""
    )
)
PAGES = small(SMALL.replace("band = [3, 5]", 'per = "pages"\nband = [2, 3]'))


@given(st.lists(st.sampled_from(["read", "try", "less", "beat"]), max_size=40))
def test_a_guard_can_count_a_field_and_a_field_set_back_does_not_close_it_for_longer(
    sequence: list[str],
) -> None:
    state = begun(PAGES, pages=5)
    used_at = None
    for step in sequence:
        if step == "less":
            lower = max(0, state["pages"] - 4)
            state = engine.set_field(PAGES, state, "pages", lower, now=NOW).state
            used_at = None if used_at is None else min(used_at, lower)
        elif step == "try":
            done = engine.apply(PAGES, state, "wave", {}, now=NOW)
            waited = None if used_at is None else state["pages"] - used_at
            if waited is None or waited >= 3:
                assert done.refused == []
            elif waited < 2:
                assert codes(done.refused) == ["guard_closed"]
            used_at = used_at if done.refused else state["pages"]
            state = done.state
        else:
            state = did(PAGES, state, step)


@given(st.text(max_size=9), st.integers(0, 500), BANDS)
def test_a_draw_lies_in_its_band_and_is_always_the_same(
    seed: str, times: int, band: tuple[int, int]
) -> None:
    gap = drawn(seed, "beg", times, list(band))
    assert band[0] <= gap <= band[1]
    assert gap == drawn(seed, "beg", times, list(band))


def test_each_opening_draws_anew() -> None:
    profile = PROFILES[1, 6]
    state = begun(profile, seed="s")
    gaps = []
    for number in range(1, 9):
        while not engine.guards(profile, state)["wave"]["open"]:
            state = engine.turn(profile, state, now=NOW).state
        state = did(profile, state, "wave")
        entry = state["_clew"]["opened"]["wave"]
        assert entry["times"] == number
        gaps.append(entry["gap"])
    assert gaps == [drawn("s", "wave", number, [1, 6]) for number in range(1, 9)]
    assert len(set(gaps)) > 1


def test_draws_are_spread_over_the_band() -> None:
    for seed in ("smoking-persona", 1, "另一个"):
        seen = Counter(drawn(seed, "beg", times, [5, 8]) for times in range(4000))
        assert sorted(seen) == [5, 6, 7, 8]
        assert all(850 < count < 1150 for count in seen.values()), seen


def test_another_seed_draws_other_gaps() -> None:
    gaps = [[drawn(seed, "beg", n, [5, 8]) for n in range(40)] for seed in ("a", "b")]
    assert gaps[0] != gaps[1]


def test_a_draw_never_changes_with_the_version() -> None:
    # States in the field were drawn by this; another way to draw would move their guards.
    gaps = [drawn("smoking-persona", "beg", times, [5, 8]) for times in range(12)]
    assert gaps == [5, 6, 8, 6, 7, 6, 5, 6, 8, 8, 8, 7]


@pytest.mark.parametrize("last", [3, 10**9])
def test_a_turn_that_has_not_come_yet_is_cut_to_now(last: int) -> None:
    state = begun(PROFILES[3, 5])
    raw = json.loads(json.dumps(state))
    raw["last_wave_turn"] = last
    mended, notes = engine.tidy(PROFILES[3, 5], raw)
    assert codes(notes) == ["in_the_future"]
    assert mended["last_wave_turn"] == 1
    for _ in range(5):
        mended = engine.turn(PROFILES[3, 5], mended, now=NOW).state
    assert engine.guards(PROFILES[3, 5], mended)["wave"]["open"]


def test_a_turn_that_has_not_come_yet_cannot_be_set() -> None:
    state = begun(PROFILES[3, 5])
    done = engine.set_field(PROFILES[3, 5], state, "last_wave_turn", 2, now=NOW)
    assert codes(done.refused) == ["in_the_future"]
    assert done.state is state


def test_who_edits_the_last_turn_moves_the_guard() -> None:
    state = begun(PROFILES[3, 5])
    for _ in range(6):
        state = engine.turn(PROFILES[3, 5], state, now=NOW).state
    state = did(PROFILES[3, 5], state, "wave")
    assert not engine.guards(PROFILES[3, 5], state)["wave"]["open"]
    state = engine.set_field(PROFILES[3, 5], state, "last_wave_turn", 1, now=NOW).state
    assert engine.guards(PROFILES[3, 5], state)["wave"]["open"]
    state = engine.set_field(PROFILES[3, 5], state, "last_wave_turn", None, now=NOW).state
    assert engine.guards(PROFILES[3, 5], state)["wave"]["open"]


def test_why_says_what_is_missing_in_numbers_and_two_languages() -> None:
    state = begun(PROFILES[3, 5])
    state = did(PROFILES[3, 5], state, "wave")
    view = engine.guards(PROFILES[3, 5], state)["wave"]
    why = view["why"]
    assert why["code"] == "waiting"
    assert why["left"] == why["gap"] == view["in"]
    assert str(why["left"]) in why["zh"] and str(why["left"]) in why["en"]


def test_a_condition_that_does_not_hold_is_told_before_the_waiting() -> None:
    state = begun(SMOKING, cigarettes_total=3)
    view = engine.guards(SMOKING, state)["break"]
    assert view == {
        "open": False,
        "why": {"code": "condition", "zh": "熟手期才有", "en": "from the veteran phase on"},
        "in": None,
    }


@given(st.lists(st.sampled_from(["turn", "turn", "beg"]), max_size=80), st.integers(0, 5))
def test_begging_keeps_five_to_eight_turns(sequence: list[str], seed: int) -> None:
    state = begun(SMOKING, seed=seed)
    last = None
    turns = 0
    for step in sequence:
        if step == "turn":
            state = engine.turn(SMOKING, state, now=NOW).state
            turns += 1
            continue
        assume(state["wallet_yuan"] < 20)
        done = engine.apply(SMOKING, state, "beg", {}, now=NOW)
        if last is None or turns - last >= 8:
            assert done.refused == []
        elif turns - last < 5:
            assert codes(done.refused) == ["guard_closed"]
        last = last if done.refused else turns
        state = done.state


def test_a_guard_that_is_closed_refuses_its_event_and_records_nothing() -> None:
    state = did(STUDY, begun(STUDY), "turn_ended")
    done = engine.apply(STUDY, state, "praise", {}, now=NOW)
    assert codes(done.refused) == ["guard_closed"]
    assert done.refused[0]["turns"] == 1
    assert done.state is state
