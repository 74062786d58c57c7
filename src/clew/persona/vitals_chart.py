"""The curve of mood as lines of text: columns of blocks, the baseline, marks where something moved it.

Pure: values in, lines out. A column is one moment, so that a gap in the curve is a gap in the chart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from clew.persona.model import Mood
from clew.persona.vitals import Point

_BLOCKS: Final = " ▁▂▃▄▅▆▇█"
_MARK: Final = "▲"
_LINE: Final = "┈"


def chart(
    points: Sequence[Point],
    causes: Sequence[Mood],
    *,
    baseline: float,
    start: str,
    end: str,
    width: int = 64,
    height: int = 8,
    clock: Callable[[datetime], str] = lambda moment: moment.strftime("%m-%d %H:%M"),
) -> list[str]:
    """The lines of a chart, `width` columns of mood and an axis of five characters before them.

    `start` and `end` are the written moments of the span; `clock` says a moment to people.
    """
    width, height = max(8, width), max(2, height)
    columns = _columns(points, start, end, width, baseline)
    marks = _marks(causes, start, end, width)
    base = min(height - 1, int(baseline * height))
    lines = []
    for row in range(height - 1, -1, -1):
        label = f"{(row + 1) / height:4.2f} " if row in (height - 1, height // 2 - 1) else " " * 5
        cells = [_cell(value, row, height, row == base) for value in columns]
        lines.append((label + "".join(cells)).rstrip())
    lines.append("0.00 " + "".join(_MARK if at in marks else "─" for at in range(width)))
    lines.append(" " * 5 + _times(start, end, width, clock))
    return lines


def _columns(
    points: Sequence[Point], start: str, end: str, width: int, baseline: float
) -> list[float | None]:
    """The value of each column: of several, the one that is farthest from the baseline."""
    out: list[float | None] = [None] * width
    for point in points:
        at = _place(point.at, start, end, width)
        there = out[at]
        if there is None or abs(point.value - baseline) > abs(there - baseline):
            out[at] = point.value
    for at in range(1, width):  # fewer points than columns: the last value goes on
        if out[at] is None and out[at - 1] is not None:
            out[at] = out[at - 1]
    return out


def _marks(causes: Sequence[Mood], start: str, end: str, width: int) -> set[int]:
    return {_place(one.at, start, end, width) for one in causes if start <= one.at <= end}


def _place(at: str, start: str, end: str, width: int) -> int:
    first, last, here = (datetime.fromisoformat(text) for text in (start, end, at))
    span = (last - first).total_seconds()
    share = (here - first).total_seconds() / span if span > 0 else 0.0
    return max(0, min(width - 1, int(share * width)))


def _cell(value: float | None, row: int, height: int, base: bool) -> str:
    empty = _LINE if base else " "
    if value is None:
        return empty
    eighths = round(value * height * 8) - row * 8
    if eighths <= 0:
        return "▁" if row == 0 and value >= 0 else empty
    return _BLOCKS[min(8, eighths)]


def _times(start: str, end: str, width: int, clock: Callable[[datetime], str]) -> str:
    left, right = (clock(datetime.fromisoformat(text)) for text in (start, end))
    gap = width - len(left) - len(right)
    return f"{left}{' ' * gap}{right}" if gap > 0 else right
