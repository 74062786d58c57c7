"""A clock that was ahead for a while: once it is put right, the persona lives in the present."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import somebody
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.kernel.clock import stamp
from clew.persona import checking, diary, folding, intents, keeping, mending, refusals
from clew.persona.channels import reading, writing
from clew.persona.channels.lines import Note
from clew.persona.home import Home
from clew.persona.model import VITALS


@pytest.fixture
def clock() -> somebody.Clock:
    return somebody.Clock()


@pytest.fixture
def home(tmp_path: Path, clock: somebody.Clock) -> Home:
    return somebody.begin(tmp_path / "林昭", clock)


def hear(home: Home) -> None:
    with home.change() as change:
        keeping.heard(change, window="w1", words=3)


def look_in(home: Home) -> None:
    keeping.keep_state(home)


WRITES = {
    "diary": lambda home: diary.write(home, "今天。"),
    "mood": lambda home: keeping.change_mood(home, "raise", 0.3, cause="信", source="self"),
    "board": lambda home: writing.note(home, "在吗", by="小舟"),
    "intent": lambda home: intents.add_intent(home, "讲完"),
    "spoken": hear,
    "rotation": lambda home: refusals.show_today(home),
    "look": look_in,
}


@pytest.mark.parametrize("wrong", WRITES)
@pytest.mark.parametrize("right", WRITES)
def test_after_a_jump_and_back_every_write_is_of_the_present(
    home: Home, clock: somebody.Clock, wrong: str, right: str
) -> None:
    clock.turn(days=400)
    WRITES[wrong](home)
    clock.turn(days=-400)
    WRITES[right](home)
    clock.turn(minutes=2)
    today = home.today()
    assert diary.write(home, "真正的今天").date == today
    assert writing.note(home, "现在", by="小舟").date == today
    assert intents.add_intent(home, "现在").at == stamp(clock())
    vitals = home.read_vitals()
    moments = [vitals.mood.at, vitals.last_word_at, vitals.born_at]
    moments += [vitals.alive.until] if vitals.alive is not None else []
    assert max(moments) <= stamp(clock())


@pytest.mark.parametrize("wrong", WRITES)
def test_mood_and_silence_go_on_from_the_moment_at_which_the_clock_is_right(
    home: Home, clock: somebody.Clock, wrong: str
) -> None:
    keeping.change_mood(home, "set", 0.9, cause="收到了回信", source="self")
    clock.turn(days=400)
    hear(home)
    WRITES[wrong](home)
    clock.turn(days=-400)
    writing.note(home, "在吗", by="小舟")
    at_once = keeping.state(home)
    assert at_once.silence_seconds == 0
    clock.turn(hours=6)
    later = keeping.state(home)
    assert later.silence_seconds == 6 * 3600
    assert abs(later.mood - 0.35) < abs(at_once.mood - 0.35) or at_once.mood == 0.35
    clock.turn(days=30)
    assert keeping.state(home).mood == pytest.approx(0.35, abs=0.001)


def test_the_refusal_of_the_day_changes_with_the_days_again(
    home: Home, clock: somebody.Clock
) -> None:
    clock.turn(days=400)
    refusals.show_today(home)
    clock.turn(days=-400)
    shown = []
    for _ in range(6):
        found = refusals.show_today(home)
        assert found is not None
        shown.append(found.id)
        clock.turn(days=1)
    assert {"R1", "R2", "R3"} == set(shown)
    assert all(one != other for one, other in pairwise(shown))


def test_it_is_recorded_once_and_the_log_leads_to_the_same_vitals(
    home: Home, clock: somebody.Clock
) -> None:
    clock.turn(days=400)
    hear(home)
    clock.turn(days=-400)
    for text in ("一", "二"):
        intents.add_thought(home, text)
        clock.turn(minutes=3)
    events = home.read_events()
    back = [event for event in events if event.kind == "clock_back"]
    assert len(back) == 1 and back[0].facts["seconds"] == 400 * 86400
    vitals = home.read_vitals()
    made = folding.vitals_of(events)
    assert made is not None
    assert (made.mood, made.last_word_at, made.born_at) == (
        vitals.mood, vitals.last_word_at, vitals.born_at,
    )  # fmt: skip


def test_a_page_of_a_day_that_has_not_come_is_not_the_end_of_the_diary(
    home: Home, clock: somebody.Clock
) -> None:
    clock.turn(days=400)
    diary.write(home, "来自将来。")
    clock.turn(days=-400)
    diary.write(home, "现在。")
    assert [day.text.strip().rpartition("\n")[2] for day in diary.show(home)] == ["现在。"]
    assert [day.date for day in diary.show(home, days=2)] == ["2027-04-05", "2026-03-01"]


def test_check_and_status_tell_the_lines_and_from_when(home: Home, clock: somebody.Clock) -> None:
    clock.turn(days=400)
    writing.note(home, "一", by="小舟")
    hear(home)
    clock.turn(days=-400)
    assert [note.code for note in keeping.clock_notes(home)] == ["clock_was_ahead"]
    writing.note(home, "二", by="小舟")
    assert [note.code for note in keeping.clock_notes(home)] == ["clock_was_ahead"]
    found = checking.check(home)
    ahead = {n["file"]: n for n in found.notes if n["code"] == "lines_ahead"}
    assert ahead["events.jsonl"]["found"] == 1
    assert "2027-04-05T12:00:00.000Z" in ahead["channels/board.jsonl"]["message"]
    assert found.status == "ok"
    clock.turn(days=401)
    assert keeping.clock_notes(home) == []


def test_the_numbers_of_a_log_go_on_whatever_the_clock_says(
    home: Home, clock: somebody.Clock
) -> None:
    for days in (400, -400, -300, 300):
        clock.turn(days=days)
        writing.note(home, "在", by="小舟")
        intents.add_thought(home, "想")
    assert [n.n for n in reading.last(home, "board", Note, 9)] == [1, 2, 3, 4]
    numbers = [event.n for event in home.read_events()]
    assert numbers == list(range(1, len(numbers) + 1))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(WRITES)), st.integers(-500_000, 500_000)),
        min_size=1, max_size=6,
    )
)  # fmt: skip
def test_however_the_clock_jumps_the_present_is_what_counts(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    clock = somebody.Clock()
    home = somebody.begin(tmp_path_factory.mktemp("jumps") / "林昭", clock)
    for kind, minutes in steps:
        clock.turn(minutes=minutes)
        WRITES[kind](home)
        now = clock() + timedelta(minutes=1)
        writing.note(home, "在", by="小舟")
        vitals = home.read_vitals()
        assert max(vitals.mood.at, vitals.last_word_at, vitals.born_at) <= stamp(now)
        assert reading.last(home, "board", Note, 1)[0].at <= stamp(now)
        assert home.read_events(last=1)[0].at <= stamp(now)
    (Path(home.root) / VITALS).unlink()
    assert VITALS in mending.mend(home).mended
    assert home.read_vitals().mood == vitals.mood
