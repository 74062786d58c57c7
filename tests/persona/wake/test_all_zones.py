"""Every zone of tzdata, over the days on which its clocks are changed: no rule is ever broken."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from almanac import Life, changes, zone_of, zones
from hypothesis import given
from hypothesis import strategies as st

from clew.persona.wake.civil import civil_date, day_start, minute_of_day, next_day
from clew.persona.wake.rules import (
    Autonomous,
    EntryRule,
    Explore,
    Monologue,
    Opener,
    Resident,
    Span,
    WakeRules,
    rule_faults,
    within,
)
from clew.persona.wake.slots import Grid

RULES = WakeRules()
PICKED = 14
"""Change days of each zone that a run looks at; which ones differs from zone to zone."""


def days_of(name: str, number: int) -> list[datetime]:
    """That many of a zone's change days, others for each zone."""
    found = changes(name)
    step = max(1, len(found) // number)
    return found[sum(map(ord, name)) % step :: step][:number] if found else []


def keeps_every_rule(life: Life) -> None:
    zone, rules = life.grid.zone, life.grid.rules
    counted: Counter[tuple[str, str]] = Counter()
    last: dict[str, datetime] = {}
    keys = [run.slot.key for _, run in life.ran]
    assert len(keys) == len(set(keys)), "a slot ran twice"
    for at, run in life.ran:
        entry, rule = run.entry, rules.of(run.entry)
        date = civil_date(at, zone)
        assert run.slot.due <= at
        assert run.slot.date == date == civil_date(run.slot.due, zone)
        counted[(entry, date)] += 1
        assert rule.cap is None or counted[(entry, date)] <= rule.cap, (entry, date)
        if entry in last:
            assert at - last[entry] >= timedelta(minutes=rule.gap_minutes), (entry, at)
        last[entry] = at
        if rule.quiet:
            assert not within(rules.quiet, minute_of_day(at, zone)), (entry, at)
            assert not within(rules.quiet, minute_of_day(run.slot.due, zone)), (entry, at)


def test_there_are_hundreds_of_zones_to_look_at() -> None:
    assert len(zones()) > 300
    assert {"Asia/Chongqing", "America/St_Johns", "Pacific/Apia"} <= set(zones())


def look_at_change_days(names: tuple[str, ...], each: int) -> int:
    looked = 0
    for name in names:
        for number, change in enumerate(days_of(name, each)):
            life = Life(zone_of(name), RULES)
            # Ticks of 1..37 minutes, different for each change, from the day before to the day after.
            step = timedelta(minutes=1 + (number * 11 + len(name)) % 37, seconds=7 * number)
            now, end = change - timedelta(hours=26), change + timedelta(hours=26)
            while now < end:
                life.tick(now, ("autonomous", "monologue", "opener", "explore"))
                now += step
            keeps_every_rule(life)
            looked += 1
    return looked


@pytest.mark.parametrize("part", range(4))
def test_no_cap_gap_or_quiet_hour_is_broken_around_a_change_of_the_clock_in_any_zone(
    part: int,
) -> None:
    assert look_at_change_days(zones()[part::4], 1) > 80


@st.composite
def any_rules(draw: st.DrawFn) -> WakeRules:
    """Whatever somebody may write into `[wake]`."""

    def rule(kind: type[EntryRule]) -> EntryRule:
        period = draw(st.integers(1, 1440))
        return kind(
            period_minutes=period,
            jitter_minutes=draw(st.integers(0, period)),
            gap_minutes=draw(st.sampled_from([0, 1, 30, 80, 1440])),
            cap=draw(st.sampled_from([None, 1, 2, 5])),
            peak_percent=draw(st.integers(30, 100)),
            valley_percent=draw(st.integers(30, 100)),
            quiet=draw(st.booleans()),
        )

    clock = st.integers(0, 1440).map(lambda m: f"{m // 60:02}:{m % 60:02}")
    return WakeRules(
        quiet=Span(start=draw(clock), end=draw(clock)),
        peak=[Span(start=draw(clock), end=draw(clock))],
        autonomous=rule(Autonomous), monologue=rule(Monologue), resident=rule(Resident),
        opener=rule(Opener), explore=rule(Explore),
    )  # fmt: skip


@given(
    any_rules(),
    st.integers(0, 10_000),
    st.integers(0, 10_000),
    st.lists(st.integers(1, 40_000), min_size=5, max_size=60),
)
def test_no_rule_is_broken_whatever_the_rules_the_zone_and_the_ticks(
    rules: WakeRules, zone: int, change: int, seconds: list[int]
) -> None:
    assert rule_faults(rules) == []
    name = zones()[zone % len(zones())]
    days = changes(name) or [datetime(2026, 3, 1, tzinfo=UTC)]
    life = Life(zone_of(name), rules)
    now = days[change % len(days)] - timedelta(seconds=sum(seconds) // 2)
    for step in seconds:
        now += timedelta(seconds=step)
        life.tick(now)
    keeps_every_rule(life)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(16))
def test_no_cap_gap_or_quiet_hour_is_broken_around_every_change_since_1900(part: int) -> None:
    assert look_at_change_days(zones()[part::16], 1_000) > 500


@pytest.mark.parametrize("part", range(4))
def test_slots_of_a_change_day_lie_on_their_date_in_order_and_are_found_when_they_are_due(
    part: int,
) -> None:
    looked = 0
    for name in zones()[part::4]:
        grid = Grid("林昭", RULES, zone_of(name))
        for change in days_of(name, PICKED):
            start = change - timedelta(hours=3)
            slots = list(grid.coming("opener", start, 2))
            assert all(a.due < b.due for a, b in pairwise(slots)), name
            assert all(civil_date(s.due, grid.zone) == s.date for s in slots)
            for slot in slots[:20]:
                assert grid.latest("opener", slot.due) == slot, (name, slot)
                looked += 1
    assert looked > 1000


def test_a_date_begins_with_its_first_moment_in_every_zone_on_every_change_day() -> None:
    looked = 0
    for name in zones():
        zone = zone_of(name)
        for change in days_of(name, PICKED):
            date = civil_date(change, zone)
            start = day_start(date, zone)
            assert civil_date(start, zone) >= date  # a date that was left out begins with the next
            before = start - timedelta(seconds=1)
            assert civil_date(before, zone) != date, (name, date)
            looked += 1
    assert looked > 2000


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-11-01", 25),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
        ("Asia/Shanghai", "2026-03-08", 24),
        ("Africa/Cairo", "2026-04-24", 23),
        ("Asia/Beirut", "2026-03-29", 23),
        ("America/Havana", "2026-11-01", 25),
        ("America/St_Johns", "2006-10-29", 25),
        ("Pacific/Apia", "2011-12-29", 24),
    ],
)
def test_a_day_is_as_long_as_its_clock_makes_it(zone: str, day: str, hours: float) -> None:
    here = zone_of(zone)
    assert day_start(next_day(day), here) - day_start(day, here) == timedelta(hours=hours)


def test_a_half_past_one_that_comes_twice_is_one_date_and_explores_once() -> None:
    life = Life(zone_of("America/New_York"))
    now = datetime(2026, 11, 1, 4, 0, tzinfo=UTC)  # midnight in New York
    for minute in range(25 * 60):
        life.tick(now + timedelta(minutes=minute), ("explore",))
    assert len(life.of("explore")) == 1


def test_each_of_forty_days_over_a_change_explores_once_in_every_twentieth_zone() -> None:
    for name in zones()[::20]:
        life = Life(zone_of(name))
        now = datetime(2026, 3, 1, tzinfo=UTC)
        for half_hour in range(40 * 48):
            life.tick(now + timedelta(minutes=30 * half_hour + 29), ("explore",))
        dates = [run.slot.date for _, run in life.ran]
        assert len(dates) == len(set(dates))
        assert 39 <= len(dates) <= 42, name
