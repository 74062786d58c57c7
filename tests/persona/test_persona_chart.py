"""The chart of mood: a curve that a person can read off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.clock import stamp
from clew.persona.model import Mood
from clew.persona.vitals import Point
from clew.persona.vitals_chart import chart

T0 = datetime(2026, 3, 1, tzinfo=UTC)
END = T0 + timedelta(hours=24)


def points(*values: float) -> list[Point]:
    step = timedelta(hours=24) / (len(values) - 1)
    return [Point(stamp(T0 + step * at), value) for at, value in enumerate(values)]


def drawn(values: list[Point], causes: list[Mood] | None = None, **how: int) -> list[str]:
    return chart(values, causes or [], baseline=0.35, start=stamp(T0), end=stamp(END), **how)


def test_a_high_mood_fills_its_columns_and_a_low_one_does_not() -> None:
    lines = drawn(points(*([1.0] * 20 + [0.0] * 20)), width=40, height=4)
    assert lines[0][5:25] == "█" * 20
    assert lines[0][25:].strip() == ""
    assert lines[3][25:] == "▁" * 20


def test_the_axis_says_where_one_half_and_nothing_are() -> None:
    lines = drawn(points(0.5, 0.5), height=8)
    assert [line[:4] for line in lines if line[:4].strip()] == ["1.00", "0.50", "0.00"]


def test_a_change_is_marked_at_its_moment() -> None:
    cause = Mood(value=0.9, at=stamp(T0 + timedelta(hours=12)), cause="回信", source="self")
    axis = drawn(points(0.5, 0.5), [cause], width=40)[-2]
    assert axis[5 + 20] == "▲" and axis.count("▲") == 1


def test_both_ends_of_the_time_are_told() -> None:
    last = drawn(points(0.5, 0.5), width=40)[-1]
    assert last.startswith("     03-01 00:00") and last.endswith("03-02 00:00")


def test_where_there_is_no_mood_there_is_no_column() -> None:
    half = [point for point in points(*[0.8] * 41) if point.at >= stamp(T0 + timedelta(hours=12))]
    lines = drawn(half, width=40, height=4)
    assert set(lines[3][5:24]) == {" "}
    assert lines[3][30] == "█"


@given(st.lists(st.floats(0, 1), min_size=2, max_size=200), st.integers(1, 120), st.integers(1, 20))
def test_a_chart_has_its_size_whatever_the_mood(
    values: list[float], width: int, height: int
) -> None:
    lines = drawn(points(*values), width=width, height=height)
    assert len(lines) == max(2, height) + 2
    assert all(len(line) <= max(8, width) + 5 for line in lines[:-1])
