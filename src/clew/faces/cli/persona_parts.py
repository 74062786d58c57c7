"""Parts that the renderings of a persona share: its civil time, texts folded by the cells that they
take on a terminal, and lists that turn into blocks where a terminal is too narrow for a table.

Rich folds at white space, which Chinese has not: a sentence would begin a line of its own, and a full
stop would too. Everything in here is shown as it is, never read as markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from rich.cells import cell_len, get_character_cell_size
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from clew.kernel.faults import plain

_NOT_FIRST: Final = frozenset("，。、；：？！…）》」』】〕”’·,.;:?!)]}%")
_NOT_LAST: Final = frozenset("（《「『【〔“‘([{")
_GAP: Final = 2
_FLEX: Final = 24
"""Below so many cells a column of sentences is one word a line."""
_VALUE: Final = 20
_LEAST: Final = 8
"""Where less is left behind the words before a text, it begins on a line of its own."""
_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


# ---- time -----------------------------------------------------------------------------------------


class Wall:
    """The wall clock of a persona: moments are written in UTC and read in its zone."""

    def __init__(self, zone: str | tzinfo) -> None:
        self.zone = ZoneInfo(zone) if isinstance(zone, str) and zone else zone or UTC
        self.name = str(self.zone)

    def minute(self, at: str) -> str:
        """`YYYY-MM-DD HH:MM`; a civil date, and what is no moment, as it is."""
        try:
            found = datetime.fromisoformat(at) if len(at) > len("YYYY-MM-DD") else None
        except ValueError:  # as a host wrote it
            found = None
        if found is None:
            return plain(at)
        moment = found if found.tzinfo else found.replace(tzinfo=UTC)
        return moment.astimezone(self.zone).strftime("%Y-%m-%d %H:%M")

    def short(self, at: str, today: str = "") -> str:
        """`HH:MM` on the date `today`, with month and day on any other."""
        shown = self.minute(at)
        return shown[11:] if shown[:10] == today else shown[5:]

    def within(self, text: str) -> str:
        """A sentence with its moments as the wall clock says them."""
        return _STAMP.sub(lambda found: self.minute(found[0]), text)


def shown_zone(wall: Wall, lang: str) -> RenderableType:
    """The line that names the zone, once, above the times that follow."""
    said = f"时间按 {wall.name}" if lang == "zh" else f"times in {wall.name}"
    return Text(said, style="dim")


# ---- words ----------------------------------------------------------------------------------------


def many(number: int, one: str, more: str = "") -> str:
    """A number and what it counts, in English."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def told(lang: str, zh: str, en: str, style: str = "") -> RenderableType:
    """A sentence in the user's language, folded."""
    return Flow(Text(zh if lang == "zh" else en, style=style))


def shown(value: object, limit: int = 4000, style: str = "") -> Text:
    """What came from a file, line by line: control characters shown, not at endless length."""
    text = "\n".join(plain(line) for line in str(value).split("\n"))
    return Text(text if len(text) <= limit else text[: limit - 1] + "…", style=style)


def command(line: str) -> Text:
    """A command on one line however narrow the terminal is, so that it can be copied."""
    return Text(line, style="cyan", no_wrap=True, overflow="ignore")


# ---- folding --------------------------------------------------------------------------------------


def breaks(text: str, width: int, first: int | None = None) -> list[int]:
    """Where one line of text is cut so that each piece takes at most `width` cells (the first one
    `first`): behind white space and around every wide character, but for marks that cannot begin or end
    a line; else behind a slash; else, in a word that is longer than a line, at its edge."""
    out: list[int] = []
    room = width if first is None else first
    start = strong = weak = used = 0
    for at, char in enumerate(text):
        if at > start:
            strong = at if _may_break(text[at - 1], char) else strong
            weak = at if text[at - 1] == "/" else weak
        used += get_character_cell_size(char)
        while used > room and at > start and not (char == " " and used == room + 1):
            start = next((place for place in (strong, weak) if place > start), at)
            out.append(start)
            room, used = width, cell_len(text[start : at + 1])
    return out


def _may_break(before: str, after: str) -> bool:
    if after in _NOT_FIRST or before in _NOT_LAST or after == " ":
        return False
    if before == " ":
        return True
    return get_character_cell_size(before) == 2 or get_character_cell_size(after) == 2


class Flow:
    """A text that goes on below its own beginning: `first` stands before it, and the lines that
    follow are indented by as much, or by `indent`."""

    def __init__(self, text: Text | str, first: Text | str = "", indent: int | None = None) -> None:
        self.text = text if isinstance(text, Text) else Text(text)
        self.first = first if isinstance(first, Text) else Text(first)
        self.indent = self.first.cell_len if indent is None else indent

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        width = options.max_width
        indent = min(self.indent, width // 2)
        begun = self.first.copy()
        if begun.plain and self.text.plain and width - begun.cell_len < _LEAST:
            yield from Flow(begun, indent=2).__rich_console__(console, options)
            indent = min(indent, 6)
            begun = Text(" " * indent)
        for line in self.text.split("\n", allow_blank=True):
            cuts = breaks(line.plain, max(1, width - indent), max(1, width - begun.cell_len))
            for piece in line.divide(cuts) if cuts else [line]:
                piece.rstrip()
                row = begun.append_text(piece)
                row.no_wrap, row.overflow = True, "ignore"
                yield row
                begun = Text(" " * indent)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        most = max(cell_len(line) for line in self.text.plain.split("\n"))
        whole = max(self.first.cell_len, self.indent) + most
        return Measurement(min(whole, options.max_width, 8), min(whole, options.max_width))


# ---- lists ----------------------------------------------------------------------------------------


class Column(NamedTuple):
    """One column of a list."""

    head: str
    flex: bool = False
    """Holds sentences or paths: folded, as wide as the rest leaves it."""
    bare: bool = False
    """Says what it is without its head."""


class Rows:
    """A table where there is room for one, and otherwise a block for each row."""

    def __init__(self, columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> None:
        self.columns = columns
        self.rows = [[c if isinstance(c, Text) else Text(str(c)) for c in row] for row in rows]

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        widths = self._widths(options.max_width)
        yield from self._blocks(options.max_width) if widths is None else [self._table(widths)]

    def _widths(self, room: int) -> list[int] | None:
        natural = [
            max([cell_len(column.head), *(_cells(row[at]) for row in self.rows)])
            for at, column in enumerate(self.columns)
        ]
        flex = [at for at, column in enumerate(self.columns) if column.flex]
        left = room - _GAP * (len(natural) - 1)
        left -= sum(width for at, width in enumerate(natural) if at not in flex)
        if left < sum(min(natural[at], _FLEX) for at in flex):
            return None
        for number, at in enumerate(sorted(flex, key=lambda at: natural[at])):
            natural[at] = min(natural[at], left // (len(flex) - number))
            left -= natural[at]
        return natural

    def _table(self, widths: list[int]) -> Table:
        heads = any(column.head for column in self.columns)
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=heads)
        for column, width in zip(self.columns, widths, strict=True):
            table.add_column(Text(column.head, style="dim"), width=width)
        for row in self.rows:
            table.add_row(*(Flow(cell) for cell in row))
        return table

    def _blocks(self, room: int) -> Iterator[RenderableType]:
        for row in self.rows:
            line, rest = Text(), []
            for column, cell in zip(self.columns, row, strict=True):
                if not cell.plain:
                    continue
                name = Text(
                    "" if column.bare or not column.head else f"{column.head} ", style="dim"
                )
                if column.flex and line.plain:
                    rest.append(Flow(cell, Text("  ").append_text(name)))
                    continue
                part = name.append_text(cell)
                indent = "  " if line.plain else ""
                if line.plain and line.cell_len + _GAP + part.cell_len > room:
                    yield Flow(line, indent=2)
                    line = Text(indent)
                elif line.plain:
                    line.append("  ")
                line.append_text(part)
            yield Flow(line, indent=2)
            yield from rest


def _cells(text: Text) -> int:
    return max(cell_len(line) for line in text.plain.split("\n"))


class Facts:
    """Names and values, side by side where there is room for the values."""

    def __init__(self, rows: Sequence[tuple[str, Any]]) -> None:
        self.rows = [
            (name, value if isinstance(value, Text) else Text(str(value))) for name, value in rows
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Flow]:
        wide = max((cell_len(name) for name, _ in self.rows), default=0)
        beside = options.max_width - wide - _GAP >= _VALUE
        for name, value in self.rows:
            label = Text(name, style="dim")
            if beside:
                yield Flow(value, label.append(" " * (wide + _GAP - cell_len(name))))
            else:
                yield Flow(label)
                yield Flow(value, "  ")
