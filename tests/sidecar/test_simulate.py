"""Simulations: the same every time, and true to bands and ledgers."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worked import BOTH, SMOKING, STUDY

from clew.sidecar.simulate import simulate

by_profile = pytest.mark.parametrize("profile", BOTH, ids=lambda profile: profile["name"])


@by_profile
def test_a_simulation_has_a_row_for_each_turn(profile: dict[str, Any]) -> None:
    rows = simulate(profile, 30, "seed")
    assert [row["turn"] for row in rows] == list(range(1, 31))
    assert set(rows[0]) == {
        "turn", "day", "events", "used", "opened", "open", "ledgers", "phases",
    }  # fmt: skip
    assert simulate(profile, 0, "seed") == []


@by_profile
def test_seeds_give_other_gaps_and_the_same_seed_the_same_rows(profile: dict[str, Any]) -> None:
    assert simulate(profile, 120, 1) == simulate(profile, 120, 1)
    assert simulate(profile, 120, 1) != simulate(profile, 120, 2)


@by_profile
def test_a_longer_simulation_begins_as_the_shorter_one(profile: dict[str, Any]) -> None:
    assert simulate(profile, 60, "x")[:25] == simulate(profile, 25, "x")


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_the_guards_of_a_simulation_keep_their_bands(seed: int) -> None:
    script = [{"event": "beg"}, {"event": "take_break"}]
    rows = simulate(SMOKING, 80, seed, script)
    begs = [row["turn"] for row in rows if "beg" in row["used"]]
    assert begs[0] == 1
    for one, other in pairwise(begs):
        # Twenty yuan are earned by the 20th turn: from then on there is no need to beg.
        assert 5 <= other - one <= 8
    assert all(row["events"][0] == {"event": "beg", "refused": ["guard_closed"]}
               for row in rows if row["turn"] > 21)  # fmt: skip


@by_profile
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_the_ledgers_of_a_simulation_balance(profile: dict[str, Any], seed: int) -> None:
    for row in simulate(profile, 150, seed):
        for ledger in row["ledgers"].values():
            owed = ledger.get("borrowed", 0) - ledger.get("repaid", 0)
            assert ledger["purse"] + ledger["spent"] == ledger["earned"] + owed
            assert ledger.get("debt", 0) == owed
            assert all(amount >= 0 for amount in ledger.values())


def test_the_shipped_script_shows_what_the_profile_is_about() -> None:
    rows = simulate(SMOKING, 200, "seed")
    assert rows[-1]["phases"] == {"phase": "veteran"}
    assert {name for row in rows for name in row["used"]} >= {"beg", "break"}
    assert {name for row in rows for name in row["opened"]} >= {"beg", "break"}
    study = simulate(STUDY, 200, "seed")
    assert study[-1]["ledgers"]["stars"]["earned"] > 0
    assert {name for row in study for name in row["used"]} == {
        "praise", "suggest_rest", "remind_goal",
    }  # fmt: skip


def test_refusals_are_told_with_their_codes() -> None:
    rows = simulate(SMOKING, 1, 1, [{"event": "new_cigarette"}, {"event": "nothing"}])
    assert rows[0]["events"] == [
        {"event": "new_cigarette", "refused": ["none_left"]},
        {"event": "nothing", "refused": ["unknown_event"]},
    ]


def test_days_go_by_for_events_that_need_one() -> None:
    rows = simulate(STUDY, 25, 1, [{"event": "study", "args": {"minutes": 10}}])
    assert [rows[0]["day"], rows[10]["day"], rows[20]["day"]] == [
        "2026-01-05", "2026-01-06", "2026-01-07",
    ]  # fmt: skip
    assert all("refused" not in event for row in rows for event in row["events"])


def test_a_simulation_is_the_same_in_every_process() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import json, worked;"
        "from clew.sidecar.simulate import simulate;"
        "print(json.dumps([simulate(p, 60, 'x') for p in worked.BOTH]))"
    )
    here = __file__.rpartition("/")[0]
    said = {
        subprocess.run(
            [sys.executable, "-c", code, here], env={"PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(said) == 1
