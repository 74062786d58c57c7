"""The law of mood and the clocks: closed forms that no tick can bend."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.clock import stamp
from clew.kernel.errors import Refused
from clew.persona import vitals as law
from clew.persona.model import Alive, Mood, Vitals
from clew.persona.settings import MoodRules

T0 = datetime(2026, 3, 1, tzinfo=UTC)
unit = st.floats(0, 1)
seconds = st.floats(0, 10_000_000)
rules = st.builds(
    MoodRules, baseline=unit, half_life_hours=st.floats(0.01, 8760), person_speaks=unit,
    impulse_most=unit, noise=st.floats(0, 0.5), noise_step_hours=st.floats(0.1, 168),
)  # fmt: skip
DEFAULT = MoodRules()


def vitals(value: float = 0.9, at: datetime = T0, **more: object) -> Vitals:
    mood = Mood(value=value, at=stamp(at), cause="收到了回信", source="person", automatic=False)
    return Vitals(mood=mood, born_at=stamp(T0), **more)  # type: ignore[arg-type]


# ---- the closed form ------------------------------------------------------------------------------


@given(unit, seconds, seconds, rules)
def test_decay_splits(m: float, a: float, b: float, r: MoodRules) -> None:
    assert law.decayed(law.decayed(m, a, r), b, r) == pytest.approx(
        law.decayed(m, a + b, r), abs=1e-9
    )


@given(unit, st.lists(st.floats(0, 100_000), max_size=40), rules)
def test_any_tick_pattern_gives_the_same_mood(m: float, ticks: list[float], r: MoodRules) -> None:
    """Even one that writes the value back at every tick."""
    value = m
    for tick in ticks:
        value = law.decayed(value, tick, r)
    assert value == pytest.approx(law.decayed(m, sum(ticks), r), abs=1e-9)


@given(unit, st.floats(-1e9, 1e12), rules)
def test_mood_stays_within_bounds_whatever_the_time(m: float, s: float, r: MoodRules) -> None:
    assert 0.0 <= law.decayed(m, s, r) <= 1.0


@given(unit, st.floats(-10, 10))
def test_an_impulse_stays_within_bounds(m: float, impulse: float) -> None:
    assert 0.0 <= law.pushed(m, impulse) <= 1.0


@given(unit, st.floats(0, 1))
def test_an_impulse_goes_where_it_points(m: float, impulse: float) -> None:
    assert law.pushed(m, impulse) >= m - 1e-12
    assert law.pushed(m, -impulse) <= m + 1e-12


@given(unit, seconds, rules)
def test_decay_moves_toward_the_baseline_and_never_past_it(
    m: float, s: float, r: MoodRules
) -> None:
    after = law.decayed(m, s, r)
    assert min(m, r.baseline) - 1e-12 <= after <= max(m, r.baseline) + 1e-12


def test_the_reference_value_after_twelve_hours() -> None:
    assert law.decayed(0.9, 12 * 3600, DEFAULT) == pytest.approx(0.4875, abs=1e-4)


def test_half_of_the_way_is_gone_after_the_half_life() -> None:
    rule = MoodRules(baseline=0.2, half_life_hours=3)
    assert law.decayed(0.8, 3 * 3600, rule) == pytest.approx(0.5)


def test_time_that_runs_backwards_counts_as_none() -> None:
    assert law.decayed(0.9, -12 * 3600, DEFAULT) == 0.9
    assert law.mood_at(vitals().mood, T0 - timedelta(days=3), DEFAULT, "s") == 0.9


def test_a_long_time_does_not_overflow() -> None:
    assert law.decayed(0.9, 1e300, DEFAULT) == DEFAULT.baseline


# ---- noise ----------------------------------------------------------------------------------------

NOISY = MoodRules(noise=0.1, noise_step_hours=3)
moments = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)).map(
    lambda d: d.replace(tzinfo=UTC)
)


@given(moments)
def test_noise_is_a_function_of_the_moment_alone(moment: datetime) -> None:
    assert law.wave(moment, "s", NOISY) == law.wave(moment, "s", NOISY)
    assert abs(law.wave(moment, "s", NOISY)) <= 0.1


@given(moments)
def test_noise_has_no_jumps(moment: datetime) -> None:
    near = law.wave(moment + timedelta(seconds=1), "s", NOISY)
    assert abs(law.wave(moment, "s", NOISY) - near) < 0.001


def test_noise_differs_between_personas_and_moves() -> None:
    hours = [T0 + timedelta(hours=h) for h in range(48)]
    ours = [law.wave(hour, "一", NOISY) for hour in hours]
    theirs = [law.wave(hour, "二", NOISY) for hour in hours]
    assert ours != theirs
    assert max(ours) - min(ours) > 0.05


def test_noise_is_never_stored_in_the_mood() -> None:
    """So that how often somebody looked or pushed cannot change it."""
    quiet, loud = MoodRules(), MoodRules(noise=0.5)
    moment = T0 + timedelta(hours=5)
    a = law.moved(vitals(), moment, 0.2, "因为", "self", quiet)
    b = law.moved(vitals(), moment, 0.2, "因为", "self", loud)
    assert a.value == b.value


@given(moments, rules)
def test_the_shown_mood_is_bounded_with_noise(moment: datetime, r: MoodRules) -> None:
    assert 0.0 <= law.mood_at(vitals(1.0, moment).mood, moment, r, "s") <= 1.0


# ---- causes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cause, source, codes", [
    ("", "person", ["cause_needed"]),
    (" \n", "self", ["cause_needed"]),
    ("收到了回信", "", ["source_needed"]),
    ("收到了回信", "天气", ["source_needed"]),
    ("收到了回信", "event:", ["source_needed"]),
    ("收到了回信", "event:e1 x", ["source_needed"]),
    ("", "", ["cause_needed", "source_needed"]),
])  # fmt: skip
def test_a_change_without_a_cause_is_refused(cause: str, source: str, codes: list[str]) -> None:
    with pytest.raises(Refused) as refusal:
        law.moved(vitals(), T0, 0.1, cause, source, DEFAULT)
    assert [fault.code for fault in refusal.value.faults] == codes


def test_every_fault_of_a_change_is_told_at_once() -> None:
    with pytest.raises(Refused) as refusal:
        law.moved(vitals(), T0, 0.9, "", "", DEFAULT)
    assert [f.code for f in refusal.value.faults] == ["cause_needed", "source_needed", "mood_push"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_mood_outside_its_bounds_is_refused(value: float) -> None:
    with pytest.raises(Refused):
        law.put(vitals(), T0, value, "因为", "self")


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), -0.6, 0.51])
def test_an_impulse_over_its_bound_is_refused(value: float) -> None:
    with pytest.raises(Refused):
        law.moved(vitals(), T0, value, "因为", "self", DEFAULT)


def test_a_person_who_speaks_lifts_the_mood_and_keeps_the_cause() -> None:
    before = vitals(0.5)
    after = law.spoken_to(before, T0, "person:m1", DEFAULT)
    assert after.value == pytest.approx(0.5 + 0.12 * 0.5)
    assert (after.cause, after.source, after.automatic) == ("收到了回信", "person", False)


def test_words_replace_a_cause_that_has_faded() -> None:
    after = law.spoken_to(vitals(0.9), T0 + timedelta(days=5), "person:m1", DEFAULT)
    assert (after.cause, after.source, after.automatic) == (law.PERSON_SPOKE, "person:m1", True)
    assert law.said_cause(after, "zh") == "有人说了话"
    assert law.said_cause(after, "en") == "a person spoke"


def test_a_text_that_looks_like_our_key_stays_a_text() -> None:
    mood = Mood(value=0.5, at=stamp(T0), cause=law.PERSON_SPOKE, source="self")
    assert law.said_cause(mood, "zh") == law.PERSON_SPOKE


def test_a_cause_fades_near_the_baseline() -> None:
    assert not law.faded(vitals().mood, T0, DEFAULT)
    assert law.faded(vitals().mood, T0 + timedelta(days=2), DEFAULT)


# ---- clocks ---------------------------------------------------------------------------------------


def test_silence_counts_from_the_last_word_or_the_beginning() -> None:
    now = T0 + timedelta(hours=3)
    assert law.silence(vitals(), now) == 3 * 3600
    assert law.silence(vitals(last_word_at=stamp(T0 + timedelta(hours=2))), now) == 3600
    assert law.silence(vitals(last_word_at=stamp(now + timedelta(hours=1))), now) == 0


@given(st.lists(st.integers(1, 20 * 60), min_size=1, max_size=60))
def test_a_stretch_is_derived_and_not_counted(gaps: list[int]) -> None:
    """However the look-ins were spaced, it has lasted from the first to now."""
    alive: Alive | None = None
    moment = T0
    for gap in [0, *gaps]:
        moment += timedelta(seconds=gap)
        alive, ended = law.seen(alive, moment, 20)
        assert ended is None
    assert law.alive_for(alive, moment, 20) == pytest.approx(sum(gaps), abs=0.01)


def test_a_longer_gap_begins_a_new_stretch() -> None:
    first, _ = law.seen(None, T0, 20)
    later = T0 + timedelta(minutes=21)
    assert law.alive_for(first, later, 20) == 0
    second, ended = law.seen(first, later, 20)
    assert ended == first
    assert law.alive_for(second, later, 20) == 0


def test_a_clock_that_was_set_back_ends_no_stretch() -> None:
    first, _ = law.seen(None, T0, 20)
    assert law.seen(first, T0 - timedelta(days=1), 20) == (first, None)


# ---- the curve ------------------------------------------------------------------------------------


def test_the_curve_goes_through_each_change() -> None:
    first = Mood(value=0.35, at=stamp(T0), cause="一", source="self")
    second = Mood(value=0.9, at=stamp(T0 + timedelta(hours=6)), cause="二", source="self")
    points = law.curve([first, second], T0, T0 + timedelta(hours=12), 13, DEFAULT, "s")
    assert len(points) == 13
    assert points[5].value == pytest.approx(0.35)
    assert points[6].value == pytest.approx(0.9)
    assert points[12].value == pytest.approx(0.35 + 0.55 / 2)


def test_there_is_no_curve_before_the_first_mood() -> None:
    mood = Mood(value=0.9, at=stamp(T0 + timedelta(hours=6)), cause="二", source="self")
    points = law.curve([mood], T0, T0 + timedelta(hours=12), 13, DEFAULT, "s")
    assert points[0].at == stamp(T0 + timedelta(hours=6))
    assert law.curve([], T0, T0 + timedelta(hours=1), 5, DEFAULT, "s") == []


# ---- when a cause has worn off ----------------------------------------------------------------------


@pytest.mark.parametrize("value", [0.0, 0.34, 0.35, 0.36, 0.371, 0.4, 1.0])
def test_a_mood_that_has_only_begun_has_not_faded(value: float) -> None:
    mood = vitals(value).mood
    assert not law.faded(mood, T0, DEFAULT)
    assert not law.faded(mood, T0 + timedelta(hours=5, minutes=59), DEFAULT)
    assert law.faded(mood, T0 + timedelta(days=3), DEFAULT)


@given(unit, rules, st.floats(0, 1e8))
def test_a_cause_fades_once_and_at_the_moment_that_is_told(
    value: float, r: MoodRules, s: float
) -> None:
    mood = vitals(value).mood
    moment = T0 + timedelta(seconds=s)
    left = law.fades_in(mood, moment, r)
    assert law.faded(mood, moment, r) == (left == 0)
    assert law.faded(mood, moment + timedelta(seconds=left + 1), r)
    if left > 2:
        assert not law.faded(mood, moment + timedelta(seconds=left - 1), r)
    if law.faded(mood, moment, r):
        assert abs(law.held_at(mood, moment, r) - r.baseline) <= law.FADED + 1e-9


def test_a_stronger_mood_never_fades_before_a_weaker_one() -> None:
    lasts = [law.fades_in(vitals(0.35 + n / 100).mood, T0, DEFAULT) for n in range(65)]
    assert lasts == sorted(lasts)
