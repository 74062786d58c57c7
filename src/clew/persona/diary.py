"""The diary: one Markdown file for each of the persona's own civil dates, written below one another.

People and other tools may edit it; what is there is never rewritten, an entry is added at its end.
Rules: persona seed section 1 (memory); the date comes from the persona's zone, never from UTC or the
machine.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.kernel.errors import ClewError, Corrupt, Refused
from clew.kernel.faults import Fault
from clew.kernel.text import byte_length, clean, has_surrogate
from clew.kernel.vault import Reader
from clew.persona.decoding import text_of
from clew.persona.home import Home
from clew.persona.model import DIARY, diary_file

ENTRY_BYTES: Final = 200_000
LAST_DAYS: Final = 7
"""So many days that have something are looked at for the end of the diary."""
_FILE: Final = re.compile(r"(\d{4}-\d{2}-\d{2})(?:-\d{1,3})?\.md\Z")
_ENTRY: Final = re.compile(r"^## ", re.MULTILINE)
_TIME: Final = re.compile(r"## (\d{2}:\d{2}(?: · [^\n]*)?)[ \t]*(?:\n|\Z)")


class Day(NamedTuple):
    """What was written on one civil date."""

    date: str
    text: str


class Entry(NamedTuple):
    """One entry of a day."""

    date: str
    head: str
    """The time of day and the window; empty where nobody told."""
    text: str


def write(home: Home, text: str, *, window: str = "") -> Day:
    """Add an entry to today's diary. Raises `Refused` (`diary_empty`, `bad_text`, `too_large`)."""
    body = text.replace("\r\n", "\n").strip("\n")
    if not body.strip():
        raise Refused(Fault("diary_empty", "$.what"))
    if has_surrogate(body):
        raise Refused(Fault("bad_text", "$.what"))
    if (size := byte_length(body)) > ENTRY_BYTES:
        raise Refused(Fault("too_large", "$.what", file=DIARY, found=size, limit=ENTRY_BYTES))
    with home.change() as change:
        date = change.date
        path = diary_file(date)
        before = change.read(path)
        clock = change.moment.astimezone(home.zone).strftime("%H:%M")
        head = f"## {clock} · {clean(window)}" if window else f"## {clock}"
        # Bytes before bytes: what a person wrote there stays as it is, whatever it is.
        start = before if before else f"# {date}\n".encode()
        end = b"" if start.endswith(b"\n") else b"\n"
        change.write(path, start + end + f"\n{head}\n\n{body}\n".encode())
        change.event("diary", window=window, day=date, bytes=byte_length(body))
    return Day(date, body)


def dates(reader: Reader) -> list[str]:
    """The civil dates that have a diary, oldest first."""
    return sorted({found[1] for name in reader.names(DIARY) if (found := _FILE.match(name))})


def read_day(reader: Reader, date: str, notes: list[Fault]) -> str:
    """Everything that was written on a date; a day may have several files (after taking over). A file
    that cannot be read is told in `notes` and hides no other."""
    names = [n for n in reader.names(DIARY) if (m := _FILE.match(n)) and m[1] == date]
    names.sort(key=lambda name: (len(name), name))
    texts = []
    for name in names:
        try:
            texts.append(text_of(reader.read(f"{DIARY}/{name}"), f"{DIARY}/{name}"))
        except ClewError as error:
            notes += [fault for fault in error.faults if fault not in notes]
    return "\n".join(texts)


def show(home: Home, *, date: str | None = None, days: int = 1) -> list[Day]:
    """One date, or the last days that have something, oldest first; what cannot be read is noted. Raises
    `Refused` (`out_of_range`), `Corrupt` where nothing of it can be read."""
    if days < 1:
        raise Refused(Fault("out_of_range", "$.days", found=days, allowed="1.."))
    found: list[Fault] = []

    def look(reader: Reader) -> list[Day]:
        found.clear()
        if date is not None:
            text = read_day(reader, date, found)
            return [Day(date, text)] if text else []
        return _last(reader, days, found, home.today())

    shown = home.look(look)
    if found and not shown:
        raise Corrupt(*found)
    home.notes += found
    return shown


def _last(reader: Reader, days: int, notes: list[Fault], today: str) -> list[Day]:
    """The last days of which something can be read, oldest first. A page of a day that has not come is
    older than any other: a clock that was ahead wrote it."""
    out: list[Day] = []
    for date in sorted(dates(reader), key=lambda one: (one <= today, one), reverse=True):
        if len(out) == days:
            break
        if text := read_day(reader, date, notes):
            out.append(Day(date, text))
    return out[::-1]


def last_entries(
    reader: Reader, notes: list[Fault], today: str, days: int = LAST_DAYS
) -> list[Entry]:
    """The entries of the last days that have any, oldest first; what cannot be read is told in
    `notes`."""
    return [
        Entry(day.date, *entry)
        for day in _last(reader, days, notes, today)
        for entry in split(day.text)
    ]


def split(text: str) -> list[tuple[str, str]]:
    """The entries of a day, each with the time of day (and the window) that its heading tells: what
    stands below each `## ` heading, or the whole where there is none. A heading of another kind belongs
    to what was written."""
    marks = [found.start() for found in _ENTRY.finditer(text)]
    starts = [0, *marks] if not marks or text[: marks[0]].strip() else marks
    out = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = text[start:end]
        head = ""
        if found := _TIME.match(part):
            head, part = found[1].strip(), part[found.end() :]
        body = re.sub(r"\A# .*\n?", "", part.strip()).strip()
        if body:
            out.append((head, body))
    return out
