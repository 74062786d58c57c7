"""The seed's periodic tools at their cadences."""

from __future__ import annotations

from pathlib import Path

import pytest
from heart import ALWAYS, means, tick
from somebody import Clock, begin, settings

from clew.kernel.errors import ClewError, Missing
from clew.persona.home import Home
from clew.persona.pulse import periodic
from clew.persona.pulse.coming import coming
from clew.persona.pulse.tick import only_tools


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path, clock: Clock) -> Home:
    made = begin(tmp_path / "home", clock)
    settings(made, **ALWAYS)
    clock.turn(minutes=61)  # 21:01 in Shanghai
    return made


def test_the_tools_have_the_seeds_cadences() -> None:
    known = {tool.name: tool.minutes for tool in periodic.TOOLS}
    assert known == {
        "answer_guard": 2, "live": 2, "digest": 3, "state": 5, "archive": 10, "context_guard": 30,
        "word_index": 30, "vector_index": 180,
    }  # fmt: skip


def test_tools_run_at_their_cadence_however_often_somebody_looks(home: Home, clock: Clock) -> None:
    counted: dict[str, int] = {}
    for _ in range(31):
        for tool in tick(home, "monologue", tools=True).tools:
            counted[tool.tool] = counted.get(tool.tool, 0) + 1
        for tool in tick(home, "monologue", tools=True).tools:
            raise AssertionError(f"{tool.tool} ran twice")
        clock.turn(minutes=1)
    assert (counted["answer_guard"], counted["digest"], counted["state"]) == (16, 11, 7)
    assert (counted["word_index"], counted["vector_index"]) == (2, 1)


def test_a_tool_that_fails_is_told_and_keeps_nothing_from_running(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = periodic.TOOLS[0]._replace(run="heart:breaks")
    whole = periodic.TOOLS[3]
    monkeypatch.setattr(periodic, "TOOLS", (broken, whole))
    monkeypatch.setattr("heart.breaks", breaks, raising=False)
    found = tick(home, "monologue", tools=True)
    assert [(one.tool, one.outcome, one.code) for one in found.tools] == [
        ("answer_guard", "failed", "missing_file"), ("state", "done", ""),
    ]  # fmt: skip
    assert found.went_wrong()
    told = coming(home, means(home)).tools
    assert [one.last_failed for one in told] == ["missing_file", ""]


def breaks(home: Home) -> dict[str, object]:
    raise Missing.of("missing_file", file="x.jsonl")


def test_a_tool_can_be_called_by_hand_before_its_time(home: Home) -> None:
    assert [one.tool for one in only_tools(home, means(home), ["state"]).tools] == ["state"]
    assert [one.outcome for one in only_tools(home, means(home), ["state"]).tools] == ["done"]
    with pytest.raises(ClewError) as error:
        only_tools(home, means(home), ["nothing"])
    assert error.value.code == "not_allowed"
