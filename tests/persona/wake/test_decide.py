"""The wake decision: a table of what stops an entry, and properties over any pattern of ticks."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import msgspec
import pytest
from almanac import Life
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.clock import stamp
from clew.persona.wake.civil import civil_date, minute_of_day
from clew.persona.wake.decide import Host, Presence, Run, Skip
from clew.persona.wake.dice import throw
from clew.persona.wake.forecast import everything, forecast
from clew.persona.wake.ledger import Effect, Ledger, Lost, Reserved, decode
from clew.persona.wake.reasons import _SENTENCES, sentence
from clew.persona.wake.rules import (
    ENTRIES,
    SELF,
    Autonomous,
    Explore,
    Monologue,
    Opener,
    Resident,
    Span,
    WakeRules,
    minute_of,
    rule_faults,
    within,
)

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOON = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)  # 12:00 in Shanghai, within the first peak
ALWAYS = WakeRules(
    opener=Opener(peak_percent=100, valley_percent=100),
    resident=Resident(peak_percent=100, valley_percent=100),
)
NEVER = WakeRules(
    opener=Opener(peak_percent=0, valley_percent=0),
    resident=Resident(peak_percent=0, valley_percent=0),
)


def at(clock: str, day: int = 30) -> datetime:
    hour, minute = map(int, clock.split(":"))
    return datetime(2026, 11, day, hour, minute, tzinfo=SHANGHAI).astimezone(UTC)


def reason(life: Life, entry: str, now: datetime) -> str:
    found = life.decide(entry, now)  # type: ignore[arg-type]
    return found.reason if isinstance(found, Skip) else "run"


# ---- the seed's numbers -----------------------------------------------------------------------------


def test_the_defaults_are_the_seeds() -> None:
    rules = WakeRules()
    assert (rules.autonomous.period_minutes, rules.autonomous.cap) == (25, 5)
    assert rules.autonomous.jitter_minutes > 0
    assert (rules.monologue.period_minutes, rules.monologue.gap_minutes) == (60, 80)
    assert rules.resident.period_minutes == 10
    assert rules.opener.period_minutes == 20
    assert rules.opener.peak_percent > rules.opener.valley_percent > 0
    assert rules.opener.quiet
    assert (rules.explore.period_minutes, rules.explore.cap) == (30, 1)


def test_there_are_six_entries_and_five_of_them_come_of_themselves() -> None:
    assert len(ENTRIES) == 6
    assert set(ENTRIES) - set(SELF) == {"interactive"}


# ---- one reason after another ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "change", "expected"),
    [
        ("interactive", {}, "waits_for_person"),
        ("autonomous", {}, "run"),
        ("autonomous", {"intents": 0}, "no_intent"),
        ("autonomous", {"host": Host(paused=True)}, "paused"),
        ("autonomous", {"host": Host(holds=False, holder="desk")}, "held_elsewhere"),
        ("autonomous", {"host": Host(runner="command", trusted=False)}, "not_trusted"),
        ("autonomous", {"host": Host(runner="command")}, "run"),
        ("autonomous", {"host": Host(runner="command", runs_per_day=0)}, "runs_spent"),
        ("autonomous", {"host": Host(runner="endpoint", tokens_per_day=0)}, "tokens_spent"),
        ("autonomous", {"host": Host(runs_per_day=0)}, "run"),  # the outbox costs nothing
        ("autonomous", {"rules": WakeRules(autonomous=Autonomous(enabled=False))}, "off"),
        ("autonomous", {"presence": Presence(NOON - timedelta(minutes=9))}, "present"),
        ("autonomous", {"presence": Presence(NOON - timedelta(minutes=11))}, "run"),
        ("autonomous", {"presence": Presence(NOON + timedelta(days=400))}, "run"),
        ("monologue", {"intents": 0}, "run"),
        ("opener", {"rules": ALWAYS}, "run"),
        ("opener", {"rules": NEVER}, "dice"),
        ("opener", {"presence": Presence(NOON), "rules": ALWAYS}, "present"),
        ("resident", {"rules": NEVER}, "dice"),
        ("resident", {"rules": NEVER, "presence": Presence(None, 1)}, "run"),
        ("resident", {"rules": NEVER, "presence": Presence(NOON, 1)}, "run"),
        ("explore", {"presence": Presence(NOON)}, "run"),
        ("explore", {"rules": WakeRules(explore=Explore(enabled=False))}, "off"),
    ],
)  # fmt: skip
def test_what_stops_an_entry_at_noon(entry: str, change: dict[str, object], expected: str) -> None:
    life = Life(SHANGHAI, **change)  # type: ignore[arg-type]
    assert reason(life, entry, NOON) == expected


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("22:59", "run"), ("23:00", "quiet"), ("03:00", "quiet"), ("06:59", "quiet"),
        ("07:00", "run"), ("12:00", "run"),
    ],
)  # fmt: skip
def test_the_opener_keeps_the_quiet_hours(clock: str, expected: str) -> None:
    assert reason(Life(SHANGHAI, ALWAYS), "opener", at(clock)) == expected


def test_a_slot_before_the_quiet_hours_does_not_run_in_them() -> None:
    life = Life(SHANGHAI, ALWAYS)
    assert life.grid.latest("opener", at("22:59")).due == at("22:40")  # type: ignore[union-attr]
    rules = msgspec.structs.replace(ALWAYS, quiet=Span(start="22:50", end="07:00"))
    assert reason(Life(SHANGHAI, rules), "opener", at("22:55")) == "quiet"


def test_other_entries_may_come_at_night() -> None:
    life = Life(SHANGHAI)
    assert reason(life, "autonomous", at("03:00")) == "run"
    assert reason(life, "monologue", at("03:00")) == "run"


def test_a_monologue_comes_eighty_minutes_after_the_last_at_the_earliest() -> None:
    life = Life(SHANGHAI)
    for minute in range(600):
        life.tick(at("08:00") + timedelta(minutes=minute), ("monologue",))
    times = [moment for moment, _ in life.ran]
    assert times[0] == at("08:00")
    assert {b - a for a, b in pairwise(times)} == {timedelta(minutes=120)}


def test_autonomous_wakes_are_at_most_five_on_a_date_and_begin_anew_at_midnight() -> None:
    life = Life(SHANGHAI)
    for minute in range(2 * 24 * 60):
        life.tick(at("00:00", 29) + timedelta(minutes=minute), ("autonomous",))
    assert Counter(run.slot.date for _, run in life.ran) == {"2026-11-29": 5, "2026-11-30": 5}


def test_periods_vary_by_the_jitter_and_no_more() -> None:
    rules = WakeRules(autonomous=Autonomous(cap=None, gap_minutes=0))
    slots = list(Life(SHANGHAI, rules).grid.coming("autonomous", at("00:00"), 1))
    apart = {b.due - a.due for a, b in pairwise(slots)}
    assert min(apart) >= timedelta(minutes=20)
    assert max(apart) <= timedelta(minutes=30)
    assert len(apart) > 10  # they do vary


def test_two_personas_throw_differently_and_each_always_the_same() -> None:
    one = [throw("林昭", "opener", "2026-11-30", n, "dice", 100) for n in range(50)]
    two = [throw("沈言", "opener", "2026-11-30", n, "dice", 100) for n in range(50)]
    assert one == [throw("林昭", "opener", "2026-11-30", n, "dice", 100) for n in range(50)]
    assert one != two
    assert min(one) < 20
    assert max(one) > 80


def test_the_opener_comes_more_often_at_the_peak_than_in_the_valley() -> None:
    rules = WakeRules(
        quiet=Span(start="00:00", end="00:00"),
        peak=[Span(start="12:00", end="24:00")],
        opener=Opener(peak_percent=60, valley_percent=10, gap_minutes=0, cap=None),
    )
    life = Life(SHANGHAI, rules)
    for step in range(30 * 72):
        life.tick(at("00:00", 1) + timedelta(minutes=20 * step), ("opener",))
    peak = sum(minute_of_day(run.slot.due, SHANGHAI) >= 720 for _, run in life.ran)
    valley = len(life.ran) - peak
    assert 500 < peak < 800
    assert 50 < valley < 170


# ---- sleep, clocks, at most once -------------------------------------------------------------------


def test_a_night_asleep_gives_one_decision_for_each_entry() -> None:
    life = Life(SHANGHAI, ALWAYS)
    life.tick(at("22:45", 29))
    life.ran.clear()
    life.tick(at("09:10"))
    assert Counter(run.entry for _, run in life.ran) == dict.fromkeys(SELF, 1)
    life.tick(at("09:11"))
    life.tick(at("09:12"))
    assert Counter(run.entry for _, run in life.ran) == dict.fromkeys(SELF, 1)


def test_what_was_due_before_the_persona_was_there_does_not_run() -> None:
    life = Life(SHANGHAI)
    life.ledger.born = at("12:05")
    assert reason(life, "monologue", at("12:10")) == "not_due"
    assert reason(life, "monologue", at("13:00")) == "run"


def test_what_was_due_yesterday_does_not_run_today() -> None:
    life = Life(SHANGHAI, ALWAYS)
    life.tick(at("00:10"), ("opener",))
    assert life.ran == []


def test_a_clock_that_is_set_back_runs_nothing_again_and_goes_on_from_there() -> None:
    life = Life(SHANGHAI, ALWAYS)
    life.tick(at("15:00"))
    before = list(life.ran)
    assert before
    for minute in range(5):
        life.tick(at("12:00") + timedelta(minutes=minute))
    assert life.ran == before
    assert life.ledger.floor == at("12:00")
    for minute in range(180):
        life.tick(at("12:00") + timedelta(minutes=minute))
    assert any(now < at("13:00") for now, _ in life.ran[len(before) :])  # not silent until 15:00
    keys = [run.slot.key for _, run in life.ran]
    assert len(keys) == len(set(keys))


def test_a_clock_that_was_a_year_ahead_does_not_silence_the_persona() -> None:
    life = Life(SHANGHAI)
    life.tick(at("12:00") + timedelta(days=365))
    for minute in range(150):
        life.tick(at("12:00") + timedelta(minutes=minute))
    ran = [run.slot.date for _, run in life.ran if run.slot.date == "2026-11-30"]
    assert ran


def test_a_clock_that_is_corrected_by_seconds_was_not_set_back() -> None:
    life = Life(SHANGHAI)
    life.ledger.seen(NOON)
    assert not life.ledger.went_back(NOON - timedelta(seconds=59))
    assert life.ledger.went_back(NOON - timedelta(seconds=61))


def test_an_open_run_keeps_every_other_entry_from_starting() -> None:
    life = Life(SHANGHAI, ALWAYS)
    found = life.decide("monologue", NOON)
    assert isinstance(found, Run)
    life.ledger.add(life.reserve(found, NOON))
    assert {reason(life, entry, NOON) for entry in SELF} == {"busy"}
    life.ledger.add(Lost(at=stamp(NOON), key=found.slot.key, reason="owner_gone"))
    assert reason(life, "monologue", NOON) == "not_due"
    assert reason(life, "explore", NOON) == "run"


def test_a_lost_run_counts_for_the_day_and_a_failed_one_does_not() -> None:
    for state, expected in (("lost", "cap"), ("failed", "run"), ("left", "cap"), ("done", "cap")):
        life = Life(SHANGHAI)
        found = life.decide("explore", NOON)
        assert isinstance(found, Run)
        life.ledger.add(life.reserve(found, NOON))
        if state == "lost":
            life.ledger.add(Lost(at=stamp(NOON), key=found.slot.key, reason="deadline"))
        else:
            life.ledger.add(Effect(at=stamp(NOON), key=found.slot.key, outcome=state))  # type: ignore[arg-type]
        assert reason(life, "explore", at("13:00")) == expected


def test_an_effect_that_comes_after_the_loss_was_told_stands() -> None:
    life = Life(SHANGHAI)
    found = life.decide("explore", NOON)
    assert isinstance(found, Run)
    key = found.slot.key
    life.ledger.add(life.reserve(found, NOON))
    life.ledger.add(Lost(at=stamp(NOON), key=key, reason="deadline"))
    life.ledger.add(Effect(at=stamp(NOON), key=key, outcome="done", tokens=7))
    life.ledger.add(Lost(at=stamp(NOON), key=key, reason="deadline"))
    assert (life.ledger.by_key[key].state, life.ledger.by_key[key].tokens) == ("done", 7)


def test_tokens_and_runs_of_a_date_are_added_up_for_costly_runners_only() -> None:
    ledger = Ledger()
    for number, runner in enumerate(("command", "outbox", "endpoint")):
        line = Reserved(
            at=stamp(NOON), entry="resident", date="2026-11-30", ordinal=number, due=stamp(NOON),
            runner=runner, deadline=stamp(NOON),
        )  # fmt: skip
        ledger.add(line)
        ledger.add(Effect(at=stamp(NOON), key=line.key, outcome="failed", tokens=100))
    assert ledger.spent("2026-11-30", SHANGHAI) == (2, 200)
    assert ledger.spent("2026-11-29", SHANGHAI) == (0, 0)


def test_a_zone_that_was_changed_does_not_give_the_day_a_second_time() -> None:
    life = Life(SHANGHAI)
    life.tick(NOON, ("explore",))
    life.grid = life.grid._replace(zone=ZoneInfo("Pacific/Kiritimati"))
    life.tick(NOON + timedelta(minutes=30), ("explore",))
    life.grid = life.grid._replace(zone=ZoneInfo("America/Los_Angeles"))
    life.tick(NOON + timedelta(minutes=60), ("explore",))
    assert len(life.ran) == 1


# ---- any pattern of ticks --------------------------------------------------------------------------

steps = st.lists(st.integers(min_value=-200, max_value=900), min_size=1, max_size=120)


@given(steps, st.sampled_from(["Asia/Shanghai", "America/New_York", "Australia/Lord_Howe"]))
def test_no_rule_is_broken_by_any_pattern_of_ticks_and_clock_jumps(
    minutes: list[int], zone: str
) -> None:
    here = ZoneInfo(zone)
    rules = WakeRules(opener=Opener(peak_percent=90, valley_percent=60))
    life = Life(here, rules)
    now = datetime(2026, 10, 31, 12, tzinfo=UTC)
    elapsed = timedelta()
    lived: list[tuple[timedelta, str, datetime]] = []
    for step in minutes:
        seen = len(life.ran)
        elapsed += timedelta(minutes=max(step, 0))
        now += timedelta(minutes=step)
        life.tick(now)
        lived += [(elapsed, run.entry, moment) for moment, run in life.ran[seen:]]
    keys = [run.slot.key for _, run in life.ran]
    assert len(keys) == len(set(keys))
    counted = Counter((entry, civil_date(moment, here)) for _, entry, moment in lived)
    for (entry, _), number in counted.items():
        cap = rules.of(entry).cap  # type: ignore[arg-type]
        assert cap is None or number <= cap
    last: dict[str, timedelta] = {}
    for when, entry, moment in lived:
        rule = rules.of(entry)  # type: ignore[arg-type]
        if entry in last:
            assert when - last[entry] >= timedelta(minutes=rule.gap_minutes)
        last[entry] = when
        assert not (rule.quiet and within(rules.quiet, minute_of_day(moment, here)))


@given(st.integers(min_value=0, max_value=1439), st.integers(min_value=1, max_value=40))
def test_a_second_tick_at_the_same_moment_changes_nothing(minute: int, again: int) -> None:
    life = Life(SHANGHAI, ALWAYS)
    now = at("00:00") + timedelta(minutes=minute)
    life.tick(now)
    once = list(life.ran)
    for _ in range(again):
        life.tick(now)
    assert life.ran == once


# ---- next ------------------------------------------------------------------------------------------


def told(life: Life, entry: str, now: datetime):  # type: ignore[no-untyped-def]
    return forecast(
        entry, now, life.grid, life.ledger, life.intents, life.presence, life.host  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.mark.parametrize("entry", SELF)
@given(st.integers(min_value=0, max_value=3 * 1440), st.integers(min_value=0, max_value=200))
def test_next_tells_exactly_when_the_entry_will_run(entry: str, start: int, spoke: int) -> None:
    life = Life(SHANGHAI)
    begin = at("00:00", 20)
    for minute in range(0, start, 7):
        life.tick(begin + timedelta(minutes=minute))
    now = begin + timedelta(minutes=start)
    life.presence = Presence(now - timedelta(minutes=spoke))
    coming = told(life, entry, now)
    assert coming.at is not None
    assert coming.at >= now
    # Somebody who looks every half minute, and at the very moment, sees it run then and not before.
    for moment in (*half_minutes(now, coming.at, 400), coming.at):
        found = life.decide(entry, moment)  # type: ignore[arg-type]
        assert isinstance(found, Run) == (moment >= coming.at), (moment, found)


def half_minutes(start: datetime, end: datetime, most: int) -> list[datetime]:
    number = min(most, int((end - start) / timedelta(seconds=30)))
    first = end - timedelta(seconds=30) * number
    return [first + timedelta(seconds=30) * n for n in range(number)]


def test_next_tells_what_stops_an_entry_and_when_it_would_have_come() -> None:
    coming = told(Life(SHANGHAI, intents=0), "autonomous", NOON)
    assert coming.blocked is not None
    assert coming.blocked.reason == "no_intent"
    assert coming.at == NOON


def test_next_tells_why_the_moments_before_pass_by() -> None:
    coming = told(Life(SHANGHAI, ALWAYS), "opener", at("23:30", 29))
    assert coming.at == at("07:00")
    assert [skip.reason for skip in coming.passed] == ["quiet"]


def test_next_finds_nothing_where_the_dice_never_hit() -> None:
    coming = told(Life(SHANGHAI, NEVER), "opener", NOON)
    assert coming.at is None
    assert [skip.reason for skip in coming.passed] == ["dice", "quiet", "dice", "quiet"]


def test_next_tells_of_all_six_in_the_order_of_the_seeds_table() -> None:
    life = Life(SHANGHAI)
    found = everything(NOON, life.grid, life.ledger, 1, Presence(), Host())
    assert [coming.entry for coming in found] == list(ENTRIES)
    assert found[0].at is None


def test_next_counts_what_is_used_up_today() -> None:
    life = Life(SHANGHAI)
    for minute in range(12 * 60):
        life.tick(at("00:00") + timedelta(minutes=minute), ("autonomous",))
    coming = told(life, "autonomous", NOON)
    assert coming.used == 5
    assert [skip.reason for skip in coming.passed] == ["cap"]
    assert coming.at is not None
    assert civil_date(coming.at, SHANGHAI) == "2026-12-01"


# ---- rules and words -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end", "inside", "outside"),
    [
        ("23:00", "07:00", ["23:00", "00:00", "06:59"], ["07:00", "22:59", "12:00"]),
        ("09:00", "17:30", ["09:00", "17:29"], ["08:59", "17:30", "00:00"]),
        ("00:00", "24:00", ["00:00", "12:00", "23:59"], []),
        ("12:00", "24:00", ["12:00", "23:59"], ["00:00", "11:59"]),
        ("08:00", "08:00", [], ["07:59", "08:00", "00:00"]),
        ("24:00", "00:00", [], ["00:00", "23:59"]),
        ("24:00", "6:00", ["00:00", "05:59"], ["06:00", "23:59"]),
    ],
)
def test_a_span_of_the_day(start: str, end: str, inside: list[str], outside: list[str]) -> None:
    span = Span(start=start, end=end)
    assert all(within(span, minute_of(clock)) for clock in inside)
    assert not any(within(span, minute_of(clock)) for clock in outside)


def test_a_jitter_longer_than_the_period_is_refused_with_its_place() -> None:
    rules = WakeRules(monologue=Monologue(jitter_minutes=61))
    assert [(f.code, f.path) for f in rule_faults(rules)] == [
        ("wake_jitter", "$.wake.monologue.jitter_minutes")
    ]
    assert rule_faults(WakeRules()) == []


def test_every_reason_has_a_sentence_in_both_languages_with_and_without_facts() -> None:
    for word in _SENTENCES:
        for lang in ("zh", "en"):
            assert sentence(word, {}, lang)
            assert "{" not in sentence(word, {}, lang)
    assert sentence("cap", {"cap": 5}, "zh") == "今天已到上限 5 次"
    assert sentence("busy", {"key": "explore/x/1"}, "en").endswith("explore/x/1")


def test_lines_read_back_as_they_were_written() -> None:
    line = Reserved(
        at=stamp(NOON), entry="explore", date="2026-11-30", ordinal=3, due=stamp(NOON),
        runner="outbox", deadline=stamp(NOON), mail=2,
    )  # fmt: skip
    assert decode(msgspec.json.encode(line)) == line
    with pytest.raises((msgspec.DecodeError, ValueError)):
        decode(b'{"kind":"reserved","at":"yesterday"}')


@pytest.mark.parametrize("line", ["effect", "lost"])
def test_a_run_whose_reservation_cannot_be_read_any_more_is_not_run_again(line: str) -> None:
    """A broken line of the ledger is left out; what stands behind it tells that the run has been."""
    life = Life(ZoneInfo("Asia/Shanghai"))
    now = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)
    found = life.decide("monologue", now)
    assert isinstance(found, Run)
    key, at = found.slot.key, stamp(now)
    life.ledger.add(
        Effect(at=at, key=key, outcome="done") if line == "effect"
        else Lost(at=at, key=key, reason="deadline")
    )  # fmt: skip
    again = life.decide("monologue", now)
    assert isinstance(again, Skip) and again.reason == "not_due"
    assert life.ledger.used("monologue", "2026-03-01", life.grid.zone) == 1
    for odd in ("monologue/2026-03-01", "nobody/2026-03-01/3", "monologue/2026-13-01/3", "x"):
        life.ledger.add(Effect(at=at, key=odd, outcome="done"))
    assert len(life.ledger.runs) == 1
