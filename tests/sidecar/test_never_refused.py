"""Stopping, agreeing and the end of a turn are never refused: the checker and the engine see to it."""

from __future__ import annotations

import pytest
from worked import NOW, SMALL, SMOKING, STUDY, begun, codes, small

from clew.kernel.errors import Refused
from clew.sidecar import engine
from clew.sidecar.cases import failures
from clew.sidecar.engine_shape import INT_MOST
from clew.sidecar.engine_words import TOLD
from clew.sidecar.place import is_name
from clew.sidecar.profile import CASE_STEPS, compiled
from clew.sidecar.simulate import simulate

COINS = """
[fields.coins]
type = "int"
min = 0
default = 0
[fields.got]
type = "int"
min = 0
default = 0
[ledgers.purse]
purse = "coins"
earned = "got"
"""
HUNGER = """
[fields.hunger]
type = "int"
min = 0
max = 10
default = 0
"""


def faults(text: str) -> list[tuple[str, str]]:
    try:
        compiled(text)
    except Refused as refused:
        return [(fault.code, fault.path) for fault in refused.faults]
    return []


# ---- the checker -----------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["opt_out", "opt_in"])
@pytest.mark.parametrize(
    ("body", "path"),
    [
        (
            'require = [{ that = { field = "pages", ge = 5 }, say = { zh = "不", en = "no" } }]',
            "require",
        ),
        ('uses = "wave"', "uses"),
        ('args.why = { type = "text" }', "args.why"),
        ('change = [{ spend = "purse", amount = 1 }]', "change[0]"),
    ],
)
def test_the_switch_cannot_be_made_to_depend_on_anything(event: str, body: str, path: str) -> None:
    text = f"{SMALL}{COINS}[events.{event}]\n{body}\n"
    assert faults(text) == [("profile_clash", f"events.{event}.{path}")]


def test_the_event_of_a_turn_takes_nothing_that_may_not_be_there() -> None:
    text = (SMALL + COINS).replace(
        "[events.beat]", '[events.beat]\nchange = [{ spend = "purse", amount = 1 }]'
    )
    assert faults(text) == [("profile_clash", "events.beat.change[0]")]


@pytest.mark.parametrize("event", ["opt_in", "opt_out"])
def test_the_switch_is_no_event_of_a_turn(event: str) -> None:
    assert faults(SMALL.replace('turn = "beat"', f'turn = "{event}"')) == [
        ("profile_clash", "profile.turn")
    ]


def test_an_opt_out_may_count_itself_with_an_optional_argument() -> None:
    text = SMALL + HUNGER + '[events.opt_out]\nargs.why = { type = "text", optional = true }\n'
    assert faults(text + 'change = [{ add = "hunger", by = 1 }]\n') == []


# ---- the engine ------------------------------------------------------------------------------------

HUNGRY = small(
    (SMALL + HUNGER).replace(
        "[events.beat]", '[events.beat]\nchange = [{ add = "hunger", by = 1 }]'
    )
    + '[events.opt_out]\nchange = [{ add = "hunger", by = 4 }]\n'
    + '[events.eat]\nchange = [{ add = "hunger", by = -3 }]\n'
)


def test_a_turn_at_the_bound_of_a_counter_goes_on_and_says_so() -> None:
    state = begun(HUNGRY)
    for number in range(1, 14):
        done = engine.turn(HUNGRY, state, now=NOW)
        assert done.refused == []
        state = done.state
        assert state["_clew"]["turns"] == number
        assert state["hunger"] == min(number, 10)
        held = [(item["code"], item["path"], item["found"]) for item in done.said.get("held", [])]
        assert held == ([("clamped", "hunger", 10)] if number > 10 else [])
    assert engine.guards(HUNGRY, state)["wave"]["open"]


def test_other_events_still_stop_at_a_bound() -> None:
    done = engine.apply(HUNGRY, begun(HUNGRY, hunger=2), "eat", {}, now=NOW)
    assert codes(done.refused) == ["out_of_range"]


def test_a_pause_is_never_kept_from_anybody_by_a_full_counter() -> None:
    state = begun(HUNGRY, hunger=9)
    done = engine.apply(HUNGRY, state, "opt_out", {}, now=NOW)
    assert done.refused == []
    assert (done.state["active"], done.state["hunger"]) == (False, 10)


def test_a_profile_that_was_compiled_before_the_check_cannot_keep_anybody_either() -> None:
    old = small(SMALL)
    never = {"that": {"of": {"field": "pages"}, "ge": 5}, "say": {"zh": "不", "en": "no"}}
    old["events"]["opt_out"] |= {
        "require": [never],
        "args": {"why": {"type": "text"}},
        "change": [{"add": "last_wave_turn", "by": 1}, *old["events"]["opt_out"]["change"]],
    }
    done = engine.apply(old, begun(old), "opt_out", {}, now=NOW)
    assert done.refused == []
    assert done.state["active"] is False
    assert codes(done.said["held"]) == ["wrong_type"]


@pytest.mark.parametrize("wallet", [INT_MOST, INT_MOST - 1])
def test_a_purse_that_is_as_full_as_numbers_get_ends_no_conversation(wallet: int) -> None:
    state = begun(SMOKING, wallet_yuan=wallet, total_earned_yuan=wallet)
    for _ in range(3):
        done = engine.turn(SMOKING, state, now=NOW)
        assert done.refused == []
        state = done.state
    assert state["wallet_yuan"] == state["total_earned_yuan"] == INT_MOST
    assert codes(done.said["held"]) == ["clamped"]
    assert engine.problems(SMOKING, state) == []
    assert engine.tidy(SMOKING, state) == (state, [])


def test_a_turn_that_wrote_nothing_earns_nothing_by_what_was_written() -> None:
    profile = small(
        (SMALL + COINS).replace(
            "[events.beat]",
            '[events.beat]\nargs.chars = { type = "int", max = 100 }\n'
            'change = [{ earn = "purse", amount = { arg = "chars" } }]',
        )
    )
    done = engine.turn(profile, begun(profile), now=NOW)
    assert (done.refused, done.state["coins"], "held" in done.said) == ([], 0, False)
    done = engine.turn(profile, done.state, chars=5000, now=NOW)
    assert (done.refused, done.state["coins"]) == ([], 100)


def test_what_a_turn_sets_out_of_bounds_stays_at_the_bound() -> None:
    profile = small(
        (SMALL + HUNGER).replace(
            "[events.beat]",
            '[events.beat]\nchange = [{ set = "hunger", to = { minus = [{ field = "hunger" }, 1] } }]',
        )
    )
    done = engine.turn(profile, begun(profile), now=NOW)
    assert (done.refused, done.state["hunger"]) == ([], 0)
    assert codes(done.said["held"]) == ["clamped"]


def test_a_simulation_shows_what_a_turn_could_not_do() -> None:
    rows = simulate(HUNGRY, 12, 1)
    assert rows[9]["events"] == []
    assert rows[10]["events"] == [{"event": "beat", "held": ["clamped hunger"]}]


def test_nothing_private_is_told_of_what_was_held() -> None:
    profile = small(
        (SMALL + HUNGER.replace("max = 10", "max = 7777\nprivate = true")).replace(
            "[events.beat]", '[events.beat]\nchange = [{ add = "hunger", by = 9999 }]'
        )
    )
    done = engine.turn(profile, begun(profile), now=NOW)
    assert codes(done.said["held"]) == ["clamped"]
    assert "7777" not in str(done.said)


# ---- numbers without end ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "book", [{"turns": INT_MOST, "chars": INT_MOST, "revision": INT_MOST}, {"turns": INT_MOST - 1}]
)
def test_a_counter_of_the_bookkeeping_that_is_full_stays_full(book: dict[str, int]) -> None:
    state = begun(STUDY)
    state = engine.tidy(STUDY, {**state, "_clew": {**state["_clew"], **book}})[0]
    done = engine.turn(STUDY, state, chars=10, now=NOW)
    assert done.refused == []
    praised = engine.apply(STUDY, done.state, "praise", {}, now=NOW)
    assert engine.problems(STUDY, praised.state) == []
    assert engine.tidy(STUDY, praised.state) == (praised.state, [])


@pytest.mark.parametrize("digits", ["9" * 5000, "0x" + "f" * 5000])
@pytest.mark.parametrize(
    "place",
    ["version = {}", "[fields.n]\ntype = \"int\"\ndefault = {}", "[fields.n]\ntype = \"int\"\nnull = true\nmax = {}",
     "[events.e]\nchange = [{{ set = \"pages\", to = {} }}]",
     "[[simulate]]\nevent = \"read\"\nevery = {}",
     "[[case]]\nname = \"c\"\nsteps = [{{ turns = {} }}]",
     "[[case]]\nname = \"c\"\nexpect = {{ pages = {} }}"],
)  # fmt: skip
def test_an_integer_of_thousands_of_digits_is_a_fault_with_its_line(
    digits: str, place: str
) -> None:
    text = place.format(digits)
    whole = SMALL.replace("version = 1", text) if "version" in text else f"{SMALL}\n{text}\n"
    with pytest.raises(Refused) as refused:
        compiled(whole)
    for fault in refused.value.faults:
        assert fault.message("zh") and fault.message("en") and fault.to_dict()
    line = refused.value.faults[0].facts["line"]
    assert digits in whole.split("\n")[line - 1]


def test_a_case_that_compares_with_a_huge_number_of_a_file_only_fails() -> None:
    text = f"""{SMALL}
[[case]]
name = "c"
file = '{{"pages": 3, "odd": {10**4000}}}'
expect = {{ odd = 1 }}
"""
    assert len(failures(compiled(text))) == 1


@pytest.mark.parametrize(("length", "fine"), [(64, True), (80, True), (81, False)])
def test_a_name_that_passes_the_check_can_name_a_file_of_states(length: int, fine: bool) -> None:
    name = "a" * length
    found = faults(SMALL.replace('name = "small"', f'name = "{name}"'))
    assert found == ([] if fine else [("profile_value", "profile.name")])
    assert is_name(name) is fine


@pytest.mark.parametrize(
    ("steps", "path"),
    [
        ('{ event = "read", times = 100000000 }', "case[0].steps[0].times"),
        ("{ turns = 9000000 }", "case[0].steps[0].turns"),
        ("{ turns = 0 }", "case[0].steps[0].turns"),
        ("{ turns = 1000, times = 1000 }", "case[0].steps[0]"),
        (f"{{ turns = {CASE_STEPS} }}, {{ turns = 1 }}", "case[0].steps[1]"),
    ],
)
def test_cases_end_in_a_moment(steps: str, path: str) -> None:
    found = faults(f'{SMALL}\n[[case]]\nname = "c"\nsteps = [{steps}]\n')
    assert [where for _, where in found] == [path]


def test_totals_beyond_all_numbers_are_mended_once() -> None:
    most = dict.fromkeys(("wallet_yuan", "debt_yuan", "total_repaid_yuan"), INT_MOST)
    for raw in ({**most}, {"total_earned_yuan": INT_MOST, "total_borrowed_yuan": INT_MOST}):
        once, _ = engine.tidy(SMOKING, raw)
        assert engine.tidy(SMOKING, once) == (once, [])
        assert set(codes(engine.problems(SMOKING, once))) <= TOLD
