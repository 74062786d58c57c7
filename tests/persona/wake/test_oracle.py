"""The wake decision against an almanac that is walked minute by minute.

The oracle knows the rules of the seed's second table and of docs/pulse.md and nothing of our code but the
dice: it looks every minute of several days up in the zone, writes down which date and what time of day it
was, and goes through all of a date's moments by hand. It is slow and simple on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
from almanac import Life
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

from clew.persona.wake.decide import Host, Presence, Run
from clew.persona.wake.dice import throw
from clew.persona.wake.forecast import forecast
from clew.persona.wake.ledger import ClockBack, Effect, Lost
from clew.persona.wake.rules import SELF, Span, WakeRules

MINUTE = timedelta(minutes=1)
DAYS = [
    ("Australia/Lord_Howe", "2026-04-05"), ("Australia/Lord_Howe", "2026-10-04"),
    ("Asia/Kathmandu", "2026-03-01"), ("Asia/Kathmandu", "1986-01-01"), ("Pacific/Apia", "2011-12-29"),
    ("Pacific/Apia", "2012-04-01"), ("Africa/Casablanca", "2026-02-15"),
    ("Africa/Casablanca", "2026-03-22"), ("America/New_York", "2026-11-01"),
    ("America/New_York", "2026-03-08"), ("America/Sao_Paulo", "2018-11-04"),
    ("America/Sao_Paulo", "2018-02-18"), ("Asia/Beirut", "2026-03-29"), ("Asia/Beirut", "2026-10-25"),
    ("Asia/Gaza", "2026-10-24"), ("America/Havana", "2026-11-01"), ("Asia/Shanghai", "2026-03-01"),
    ("Europe/London", "2026-10-25"), ("Pacific/Kwajalein", "1993-08-21"),
    ("Antarctica/Troll", "2026-03-29"), ("America/Juneau", "1867-10-18"), ("UTC", "2026-12-31"),
]  # fmt: skip
DAYS = [(zone, day) for zone, day in DAYS if day > "1970"]


class Minute(NamedTuple):
    """What the persona's calendar and clock show."""

    date: str
    of_day: int


@lru_cache(maxsize=64)
def almanac(zone: str, day: str) -> dict[datetime, Minute]:
    """Every minute from two days before a date to nine after it."""
    tz = ZoneInfo(zone)
    moment = datetime.fromisoformat(f"{day}T00:00").replace(tzinfo=UTC) - timedelta(days=2)
    out = {}
    for _ in range(11 * 1440):
        wall = moment.astimezone(tz)
        out[moment] = Minute(f"{wall:%Y-%m-%d}", wall.hour * 60 + wall.minute)
        moment += MINUTE
    return out


class Moment(NamedTuple):
    """A moment at which an entry may come."""

    date: str
    ordinal: int
    due: datetime


class Done(NamedTuple):
    key: tuple[str, str, int]
    at: datetime
    state: str


class Oracle:
    """The rules, one after the other."""

    def __init__(self, zone: str, day: str, rules: dict[str, Any], persona: str) -> None:
        self.minutes = almanac(zone, day)
        self.rules = rules
        self.persona = persona
        self.done: list[Done] = []
        self.mark: datetime | None = None
        self.floor: datetime | None = None
        self.quiet_minutes = by_hand(rules["quiet"])
        self.peak_minutes = [by_hand(span) for span in rules["peak"]]
        self.firsts: dict[str, datetime] = {}
        for moment, there in self.minutes.items():
            self.firsts.setdefault(there.date, moment)
        self.known: dict[tuple[str, str], list[Moment]] = {}

    def at(self, moment: datetime) -> Minute:
        return self.minutes[moment.replace(second=0, microsecond=0)]

    def quiet(self, moment: datetime) -> bool:
        return self.at(moment).of_day in self.quiet_minutes

    def peak(self, moment: datetime) -> bool:
        return any(self.at(moment).of_day in span for span in self.peak_minutes)

    def moments(self, entry: str, date: str) -> list[Moment]:
        """All moments of a date at which an entry may come."""
        if (entry, date) not in self.known:
            self.known[(entry, date)] = list(self._moments(entry, date))
        return self.known[(entry, date)]

    def _moments(self, entry: str, date: str) -> Iterator[Moment]:
        rule = self.rules[entry]
        for ordinal in range(3000):
            base = self.firsts[date] + MINUTE * rule["period_minutes"] * ordinal
            if base > self.firsts[date] + timedelta(hours=50):
                return
            due = base
            if rule["jitter_minutes"]:
                sides = rule["jitter_minutes"] * 60
                seconds = throw(self.persona, entry, date, ordinal, "jitter", sides)
                due = base + timedelta(seconds=seconds)
                if self.at(due).date != self.at(base).date or self.quiet(due) != self.quiet(base):
                    due = base
            if self.at(due).date == date:
                yield Moment(date, ordinal, due)

    def says(self, entry: str, now: datetime, intents: int, spoke: datetime | None) -> Moment | str:
        """The moment for which it runs, or why it does not."""
        rule = self.rules[entry]
        if not rule["enabled"]:
            return "off"
        if entry == "autonomous" and not intents:
            return "no_intent"
        if any(run.state == "open" for run in self.done):
            return "busy"
        today = [m for m in self.moments(entry, self.at(now).date) if m.due <= now]
        if not today:
            return "not_due"
        moment = max(today, key=lambda m: m.ordinal)
        mine = [run for run in self.done if run.key[0] == entry]
        if self.floor is not None and moment.due <= self.floor:
            return "clock_back"
        if (entry, moment.date, moment.ordinal) in [run.key for run in self.done]:
            return "not_due"
        if mine and mine[-1].at >= moment.due:
            return "not_due"
        if rule["quiet"] and (self.quiet(moment.due) or self.quiet(now)):
            return "quiet"
        percent = rule["peak_percent"] if self.peak(moment.due) else rule["valley_percent"]
        if throw(self.persona, entry, moment.date, moment.ordinal, "dice", 100) >= percent:
            return "dice"
        if mine and moment.due - mine[-1].at < MINUTE * rule["gap_minutes"]:
            return "gap"
        if rule["cap"] is not None:
            used = [
                run for run in mine
                if run.state != "failed" and moment.date in (run.key[1], self.at(run.at).date)
            ]  # fmt: skip
            if len(used) >= rule["cap"]:
                return "cap"
        there = spoke is not None and abs(now - spoke) < MINUTE * self.rules["present_minutes"]
        if rule["alone"] and there:
            return "present"
        return moment

    def look(self, now: datetime) -> None:
        """Somebody looks: has the clock been set back?"""
        if self.mark is not None and now < self.mark - MINUTE:
            self.floor = self.mark = now
            self.done = [run._replace(at=min(run.at, now)) for run in self.done]
        self.mark = now if self.mark is None else max(self.mark, now)


def by_hand(span: tuple[int, int]) -> set[int]:
    """The minutes of a stretch of the day, counted one after the other."""
    minute, end = span
    found = set()
    while minute != end:
        found.add(minute)
        minute = (minute + 1) % 1440
    return found


def hhmm(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


minute_of_day = st.one_of(
    st.integers(0, 1439), st.sampled_from([0, 60, 90, 120, 150, 180, 1380, 1439])
)
span = st.tuples(minute_of_day, minute_of_day)


@st.composite
def rules(draw: st.DrawFn) -> dict[str, Any]:
    """Rules of any kind: short and long periods, wide jitter, gaps, caps, dice, quiet hours."""
    out: dict[str, Any] = {
        "quiet": draw(span), "peak": draw(st.lists(span, max_size=2)),
        "present_minutes": draw(st.sampled_from([0, 10, 45])),
    }  # fmt: skip
    for entry in SELF:
        period = draw(st.sampled_from([7, 20, 25, 30, 60, 61, 90, 240, 1440]))
        out[entry] = {
            "enabled": draw(st.sampled_from([True, True, True, False])),
            "period_minutes": period, "jitter_minutes": draw(st.integers(0, period)),
            "gap_minutes": draw(st.sampled_from([0, 20, 80, 240, 1440])),
            "cap": draw(st.sampled_from([None, 1, 3, 5])),
            "peak_percent": draw(st.sampled_from([100, 100, 60, 0])),
            "valley_percent": draw(st.sampled_from([100, 100, 40, 3])),
            "quiet": draw(st.booleans()), "alone": draw(st.booleans()),
        }  # fmt: skip
    return out


def ours(given_rules: dict[str, Any]) -> WakeRules:
    plain = WakeRules()
    kinds = {entry: type(plain.of(entry)) for entry in SELF}
    return WakeRules(
        quiet=Span(start=hhmm(given_rules["quiet"][0]), end=hhmm(given_rules["quiet"][1])),
        peak=[Span(start=hhmm(a), end=hhmm(b)) for a, b in given_rules["peak"]],
        present_minutes=given_rules["present_minutes"],
        **{entry: kind(**given_rules[entry]) for entry, kind in kinds.items()},
    )


@st.composite
def ticks(draw: st.DrawFn) -> list[float]:
    """Minutes between looks: a timer, naps, nights asleep, a clock that is set back."""
    steps = st.one_of(
        st.floats(0, 3), st.sampled_from([1.0, 5.0, 5.0, 10.0, 60.0]), st.floats(60, 900),
        st.sampled_from([-0.5, -2.0, -61.0, -300.0]),
    )  # fmt: skip
    return draw(st.lists(steps, min_size=5, max_size=60))


@given(
    st.sampled_from(DAYS), rules(), ticks(), st.integers(0, 2), st.integers(0, 1200), st.data(),
    st.sampled_from(["林昭", "P", "Ω"]),
)  # fmt: skip
@how(max_examples=120, deadline=None)
def test_every_decision_is_the_oracles(
    place: tuple[str, str], r: dict[str, Any], steps: list[float], intents: int, start: int,
    data: st.DataObject, persona: str,
) -> None:  # fmt: skip
    zone, day = place
    oracle = Oracle(zone, day, r, persona)
    life = Life(ZoneInfo(zone), ours(r), persona=persona, intents=intents)
    first = datetime.fromisoformat(f"{day}T00:00").replace(tzinfo=UTC) - timedelta(hours=6)
    now = first + MINUTE * start
    spoke: datetime | None = None
    for step in steps:
        now = min(max(now + MINUTE * round(step, 2), first - timedelta(hours=8)),
                  first + timedelta(days=3, hours=12))  # fmt: skip
        if data.draw(st.integers(0, 9)) == 0:
            spoke = now
        life.presence = Presence(last_word_at=spoke)
        if life.ledger.went_back(now):
            life.ledger.add(ClockBack(at=_stamp(now), mark=_stamp(life.ledger.mark or now)))
        oracle.look(now)
        for entry in SELF:
            found, told = life.decide(entry, now), oracle.says(entry, now, intents, spoke)
            if isinstance(found, Run):
                assert isinstance(told, Moment), (entry, now, told)
                assert told == (found.slot.date, found.slot.ordinal, found.slot.due)
                state = data.draw(st.sampled_from(["done", "left", "failed", "lost"]))
                life.ledger.add(life.reserve(found, now))
                key = found.slot.key
                if state == "lost":
                    life.ledger.add(Lost(at=_stamp(now), key=key, reason="owner_gone"))
                else:
                    life.ledger.add(Effect(at=_stamp(now), key=key, outcome=state))  # type: ignore[arg-type]
                at = datetime.fromisoformat(_stamp(now))
                oracle.done.append(Done((entry, told.date, told.ordinal), at, state))
            else:
                assert told == found.reason, (entry, now)
        life.ledger.seen(now)


def _stamp(moment: datetime) -> str:
    from clew.kernel.clock import stamp

    return stamp(moment)


@given(
    st.sampled_from(DAYS), rules(), st.integers(0, 1440), st.integers(0, 60), st.sampled_from(SELF)
)
@how(max_examples=60, deadline=None)
def test_next_is_the_minute_in_which_the_oracle_runs(
    place: tuple[str, str], r: dict[str, Any], start: int, ago: int, entry: Any
) -> None:
    zone, day = place
    oracle = Oracle(zone, day, r, "林昭")
    life = Life(ZoneInfo(zone), ours(r))
    now = datetime.fromisoformat(f"{day}T00:00").replace(tzinfo=UTC) - timedelta(hours=6)
    now += MINUTE * start
    spoke = now - MINUTE * ago
    life.presence = Presence(last_word_at=spoke)
    coming = forecast(entry, now, life.grid, life.ledger, 1, life.presence, Host(), days=8)
    end = now + timedelta(days=3)
    moment = now
    while moment < end:
        if not isinstance(oracle.says(entry, moment, 1, spoke), str):
            break
        moment += MINUTE
    if not r[entry]["enabled"]:
        assert coming.blocked is not None and coming.blocked.reason == "off"
    elif moment >= end:
        assert coming.at is None or coming.at > end - MINUTE, (now, coming)
    else:
        assert coming.at is not None and moment - MINUTE < coming.at <= moment, (
            now,
            coming,
            moment,
        )


@given(st.sampled_from(DAYS), rules(), st.integers(0, 1440), st.integers(1, 720))
@how(max_examples=40, deadline=None)
def test_a_sleep_is_one_decision_whoever_looks_afterwards(
    place: tuple[str, str], r: dict[str, Any], start: int, asleep: int
) -> None:
    zone, day = place
    oracle = Oracle(zone, day, r, "林昭")
    life = Life(ZoneInfo(zone), ours(r))
    now = datetime.fromisoformat(f"{day}T00:00").replace(tzinfo=UTC) - timedelta(hours=6)
    now += MINUTE * start
    life.tick(now)
    before = len(life.ran)
    now += MINUTE * asleep
    for later in (0, 3, 30):  # seconds: the timer, the hook and the resident all look
        life.tick(now + timedelta(seconds=later))
    for entry in SELF:
        runs = [run for _, run in life.ran[before:] if run.entry == entry]
        date = oracle.at(now).date
        dues = [m for m in oracle.moments(entry, date) if now < m.due <= now + MINUTE / 2]
        assert len(runs) <= 1 + len(dues)
    keys = [run.slot.key for _, run in life.ran]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(("zone", "day", "minutes"), [
    ("Australia/Lord_Howe", "2026-04-05", 1470), ("Australia/Lord_Howe", "2026-10-04", 1410),
    ("America/New_York", "2026-11-01", 1500), ("Africa/Casablanca", "2026-02-15", 1500),
    ("Africa/Casablanca", "2026-03-22", 1380), ("Asia/Kathmandu", "1986-01-01", 1425),
    ("Pacific/Apia", "2011-12-30", 0), ("Pacific/Apia", "2011-12-31", 1440),
])  # fmt: skip
def test_the_oracles_own_almanac_is_right(zone: str, day: str, minutes: int) -> None:
    near = "2011-12-29" if zone == "Pacific/Apia" else day
    assert sum(one.date == day for one in almanac(zone, near).values()) == minutes
