"""Life cycles: what may follow what, and who accepts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.books.lifecycle import ACCEPTORS, CYCLES, FIRST, advance, reachable
from clew.kernel.errors import Refused

ALL_EVENTS = sorted({e for cycle in CYCLES.values() for steps in cycle.values() for e in steps})


@pytest.mark.parametrize(
    ("cycle", "path", "end"),
    [
        ("card_book", ["archive", "reopen"], "design"),
        ("play_book", ["archive"], "archived"),
        ("project_book", ["play", "finish", "play"], "play"),
        ("asset", ["archive", "restore", "trash", "restore", "trash", "purge"], "purged"),
        ("item", ["submit", "request_revision", "submit", "accept", "supersede"], "superseded"),
        ("item", ["submit", "reject"], "rejected"),
        ("session", ["start", "wait", "start", "finish", "start", "fail", "cancel"], "idle"),
    ],
)
def test_a_path_leads_where_it_should(cycle: str, path: list[str], end: str) -> None:
    state = FIRST[cycle]
    for event in path:
        state = advance(cycle, state, event)
    assert state == end


@pytest.mark.parametrize("cycle", CYCLES)
def test_an_impossible_step_names_the_state_and_what_is_allowed(cycle: str) -> None:
    for state, steps in CYCLES[cycle].items():
        for event in ALL_EVENTS:
            if event in steps:
                continue
            with pytest.raises(Refused) as refused:
                advance(cycle, state, event)
            fault = refused.value.faults[0]
            assert fault.code == ("impossible_step" if steps else "no_step_left")
            assert fault.facts["phase"].en == state
            assert fault.facts.get("allowed", ()) == tuple(steps)
            assert fault.facts["phase"].zh in fault.message("zh") and state in fault.message("en")


@pytest.mark.parametrize("cycle", CYCLES)
def test_every_step_leads_to_a_state_of_the_cycle(cycle: str) -> None:
    states = set(CYCLES[cycle])
    assert {target for steps in CYCLES[cycle].values() for target in steps.values()} <= states
    assert FIRST[cycle] in states


@pytest.mark.parametrize("who", ACCEPTORS)
def test_the_user_and_declared_rules_accept(who: str) -> None:
    assert advance("item", "under_review", "accept", by=who) == "accepted"


@given(st.text(max_size=12).filter(lambda who: who not in ACCEPTORS))
def test_nobody_else_accepts(who: str) -> None:
    with pytest.raises(Refused) as refused:
        advance("item", "under_review", "accept", by=who)
    assert refused.value.code == "accepted_by_none"


def test_a_draft_is_never_accepted_unseen() -> None:
    with pytest.raises(Refused):
        advance("item", "draft", "accept")


def test_a_stage_is_found_by_its_name() -> None:
    assert reachable("project_book", "design", "done") == "finish"
    with pytest.raises(Refused) as refused:
        reachable("card_book", "design", "play")
    assert refused.value.faults[0].facts["allowed"] == ("archived",)
