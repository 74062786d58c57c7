"""The card that lies ready is the card that would be made, or it is not taken."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import somebody
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.persona import diary, intents, keeping, marks, prepared, taking
from clew.persona.channels import writing
from clew.persona.home import Home
from clew.persona.opening import opening_card

KEY = "zh"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> somebody.Clock:
    clock = somebody.Clock()
    monkeypatch.setattr(time, "time", lambda: clock.now.timestamp())
    return clock


@pytest.fixture
def home(tmp_path: Path, clock: somebody.Clock) -> Home:
    home = somebody.begin(tmp_path / "林昭", clock)
    keeping.change_mood(home, "raise", 0.4, cause="收到了回信", source="person")
    intents.add_intent(home, "把故事讲完", due="2026-03-04")
    diary.write(home, "第一段。")
    writing.hand_over(home, "讲到第三回", next_="第四回")
    with home.change() as change:
        keeping.heard(change, window="w1", words=3)
    taking.card_of(home, "zh", KEY)
    return home


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
@given(seconds=st.integers(0, 60 * 3600))
def test_at_any_later_moment_it_is_the_card_of_that_moment_or_none(
    home: Home, clock: somebody.Clock, seconds: int
) -> None:
    clock.now = somebody.START
    taking.card_of(home, "zh", KEY)
    clock.turn(seconds=seconds)
    found = prepared.ready(home.root, KEY)
    same_date = home.today() == "2026-03-01"
    assert (found is not None) == (same_date and seconds < 4 * 3600)  # 20:00 in Shanghai
    if found is not None:
        assert found == opening_card(home).text


def test_it_says_that_a_cause_has_worn_off_when_it_has(home: Home, clock: somebody.Clock) -> None:
    clock.now = somebody.START.replace(hour=16)  # midnight in Shanghai
    keeping.change_mood(home, "set", 0.40, cause="小事", source="self")
    taking.card_of(home, "zh", KEY)
    seen = []
    for _ in range(23):
        found = prepared.ready(home.root, KEY)
        seen.append(found is not None)
        assert found is None or found == opening_card(home).text
        clock.turn(hours=1)
    assert seen[0] and not seen[-1] and seen == sorted(seen, reverse=True)


def rewrite(name: str) -> Callable[[Home], object]:
    def edit(home: Home) -> None:
        path = Path(home.root, name)
        before = path.stat()
        path.write_bytes(path.read_bytes() + b"\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))

    return edit


CHANGES: dict[str, Callable[[Home], object]] = {
    **{
        name: rewrite(name)
        for name in (
            "persona.toml", "identity.md", "voice.md", "refusals.toml", "refusals.jsonl", "intents.json",
            "channels/baton.jsonl", "diary/2026-03-01.md",
        )
    },
    "a new day's page": lambda home: Path(home.root, "diary/2026-02-27.md").write_text("早。"),
    "a mood": lambda home: keeping.change_mood(home, "raise", 0.1, cause="雨", source="self"),
    "a mark that waits": lambda home: marks.leave(home.root, "words", session="s1", chars=2),
    "a card that is cut": lambda home: Path(home.root, prepared.CARD).write_text('{"text": "#'),
    "a card of other types": lambda home: Path(home.root, prepared.CARD).write_text("[1]"),
    "vitals that cannot be read": lambda home: Path(home.root, "vitals.json").write_bytes(b"\0"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_what_it_was_made_from_makes_it_void(home: Home, change: str) -> None:
    assert prepared.ready(home.root, KEY) is not None
    CHANGES[change](home)
    assert prepared.ready(home.root, KEY) is None


def test_looking_in_leaves_it_valid(home: Home, clock: somebody.Clock) -> None:
    clock.turn(minutes=5)
    keeping.keep_state(home)
    assert prepared.ready(home.root, KEY) == opening_card(home).text


def test_it_is_of_one_language_and_not_before_its_time(home: Home, clock: somebody.Clock) -> None:
    assert prepared.ready(home.root, "en") is None
    clock.turn(days=-2)
    assert prepared.ready(home.root, KEY) is None


def test_with_noise_none_lies_ready(home: Home) -> None:
    somebody.settings(home, mood="noise = 0.1")
    taking.card_of(home, "zh", KEY)
    assert prepared.ready(home.root, KEY) is None


def test_it_is_for_its_owner_alone_and_leaves_nothing_beside(home: Home) -> None:
    path = Path(home.root, prepared.CARD)
    assert path.stat().st_mode & 0o777 == 0o600
    assert not [one for one in path.parent.iterdir() if one.name.startswith(".card")]
    assert json.loads(path.read_bytes())["lang"] == "zh"


def test_a_budget_holds_with_every_gap_filled(tmp_path: Path, clock: somebody.Clock) -> None:
    home = somebody.begin(tmp_path / "b", clock)
    diary.write(home, "长" * 4000)
    for days in (0, 1, 40, 400):
        clock.turn(days=days)
        for limit in range(700, 760):
            card = opening_card(home, limit=limit)
            assert card.status == "over" or card.bytes <= limit
