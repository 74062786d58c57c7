"""A document that tells no moments where it should is damaged, and told as that: nothing fails in the middle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import somebody

from clew.kernel.errors import Corrupt
from clew.persona import keeping
from clew.persona.home import Home
from clew.persona.opening import opening_card
from clew.persona.pulse.lease import Owner
from clew.persona.pulse.tick import tick
from clew.persona.pulse.view import Means

WRONG = (
    "garbage", "2026-03-01", "2026-03-01T10:00:00", "2026-02-30T10:00:00.000Z", "9999-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00.000Z", "2026-03-01T10:00:00+08:00",
)  # fmt: skip
PLACES: dict[str, Callable[[dict[str, Any], str], object]] = {
    "mood.at": lambda vitals, at: vitals["mood"].update(at=at),
    "born_at": lambda vitals, at: vitals.update(born_at=at),
    "last_word_at": lambda vitals, at: vitals.update(last_word_at=at),
    "alive.since": lambda vitals, at: vitals.update(alive={"since": at, "until": vitals["born_at"]}),
    "alive.until": lambda vitals, at: vitals.update(alive={"since": vitals["born_at"], "until": at}),
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return somebody.begin(tmp_path / "林昭")


def means() -> Means:
    return Means(Owner.here("tick"), lambda *_: True)


def readers() -> list[Callable[[Home], object]]:
    return [
        opening_card, keeping.state, keeping.keep_state, lambda home: tick(home, means()),
        lambda home: keeping.change_mood(home, "raise", 0.1, cause="雨", source="self"),
    ]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("place", PLACES)
def test_vitals_with_a_moment_that_is_none_are_told_as_broken(
    home: Home, place: str, wrong: str
) -> None:
    path = Path(home.root, "vitals.json")
    vitals = json.loads(path.read_bytes())
    PLACES[place](vitals, wrong)
    damaged = json.dumps(vitals).encode()
    path.write_bytes(damaged)
    for read in readers():
        with pytest.raises(Corrupt) as refused:
            read(home)
        assert refused.value.code == "persona_file_broken"
    assert path.read_bytes() == damaged


@pytest.mark.parametrize("value", [-0.01, 1.01, 7])
def test_vitals_with_a_mood_out_of_bounds_are_told_as_broken(home: Home, value: float) -> None:
    path = Path(home.root, "vitals.json")
    vitals = json.loads(path.read_bytes())
    vitals["mood"]["value"] = value
    path.write_text(json.dumps(vitals), encoding="utf-8")
    with pytest.raises(Corrupt):
        keeping.state(home)


@pytest.mark.parametrize("wrong", WRONG)
def test_an_event_with_a_moment_that_is_none_is_left_out_and_the_log_goes_on(
    home: Home, wrong: str
) -> None:
    path = Path(home.root, "events.jsonl")
    line = {"n": 9, "at": wrong, "date": "x", "kind": "words", "facts": {}}
    path.write_bytes(path.read_bytes() + json.dumps(line).encode() + b"\n")
    before = path.read_bytes()
    keeping.change_mood(home, "raise", 0.1, cause="雨", source="self")
    assert path.read_bytes().startswith(before)
    assert [event.kind for event in home.read_events()] == ["born", "mood"]
    assert "persona_lines_unread" in [note.code for note in home.notes]


@pytest.mark.parametrize("field", ["due", "deadline", "date", "at"])
@pytest.mark.parametrize("wrong", [*WRONG, "../../x"])
def test_a_reservation_with_a_moment_that_is_none_takes_no_part(
    home: Home, field: str, wrong: str
) -> None:
    if (field, wrong) in (
        ("date", "2026-03-01"),
        *((f, WRONG[-1]) for f in ("due", "deadline", "at")),
    ):
        pytest.skip("that is one")
    at = "2026-03-01T10:00:00.000Z"
    line = {
        "kind": "reserved", "at": at, "entry": "resident", "date": "2026-03-01", "ordinal": 1, "due": at,
        "runner": "outbox", "deadline": at, field: wrong,
    }  # fmt: skip
    Path(home.root, "wake.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert tick(home, means()).lost == []


@pytest.mark.parametrize(
    "change", [*({"beat_at": one} for one in WRONG), {"pid": -1}, {"pid": 0}, {"pid": 10**18}]
)
def test_a_lease_that_makes_no_sense_is_told_and_not_stolen(
    home: Home, change: dict[str, Any]
) -> None:
    tick(home, means())
    path = Path(home.root, "lease.json")
    damaged = json.dumps({**json.loads(path.read_bytes()), **change}).encode()
    path.write_bytes(damaged)
    with pytest.raises(Corrupt):
        tick(home, means())
    assert path.read_bytes() == damaged


@pytest.mark.parametrize("looks", [{"at": "x"}, {"tools": {"live": "x"}}, {"at": WRONG[4]}])
def test_looks_that_make_no_sense_are_made_again(home: Home, looks: dict[str, Any]) -> None:
    path = Path(home.root, ".clew/looks.json")
    path.write_text(json.dumps(looks), encoding="utf-8")
    assert tick(home, means()).tools != []
