"""Cut a chapter into lines and say what each one is; tell quoted speech from narrative.

Pure. Rules look at narrative and must not stumble over front matter, code, headings, lists, quotes,
tables, rulers and comments. Where Markdown is unclear (a fence or comment that is never closed), the
text stays visible to the rules: a stray mark must not hide the rest of a chapter from them.
Everything here is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from clew.novel.wordcount import WHITESPACE, front_matter_lines
from clew.novel.wordcount import visible as count_visible

Language = Literal["zh", "en"]
Part = Literal["narrative", "quoted", "whole", "prose"]
"""Which part of a line a rule sees: what is outside quoted speech, what is inside it, all of it, or
the storyteller's own sentences (`narrative` without 【notices】 and 《titles》)."""


class LineKind(StrEnum):
    """What a line is. `TITLE` is the chapter heading on the first line that has text."""

    FRONT_MATTER = "front_matter"
    CODE = "code"
    COMMENT = "comment"
    TITLE = "title"
    HEADING = "heading"
    LIST = "list"
    QUOTE = "quote"
    TABLE = "table"
    RULER = "ruler"
    NARRATIVE = "narrative"


NARRATIVE: Final = frozenset({LineKind.NARRATIVE})
WRITTEN: Final = frozenset(
    {LineKind.HEADING, LineKind.LIST, LineKind.QUOTE, LineKind.TABLE, LineKind.NARRATIVE}
)
"""Every kind of line that a reader of the book reads, the chapter's own heading left out."""

MASK: Final = "\x00"
"""Stands, one for one, for the characters of a line that a rule may not see."""

_CLOSER: Final = {"「": "」", "『": "』", "“": "”", "‘": "’", '"': '"'}
_QUOTE_MARK: Final = re.compile('[「」『』“”‘’"【】]')
_COMMENT: Final = re.compile(r"<!--.*?-->", re.S)
_NOTICE: Final = re.compile("【[^【】]*】|《[^《》]*》|〔[^〔〕]*〕|［[^［］]*］")
_SKIP_STYLE: Final = re.compile(r"<!--[ \t]*(?:去味[ \t]*[:：][ \t]*跳过|clew:prose-skip)[ \t]*-->")
_SKIP_LINES: Final = 6
_NOT_NEWLINE: Final = re.compile(r"[^\n]")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_HEADING: Final = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t\u3000]|$)")
_LIST: Final = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,3}[.)])[ \t\u3000]+\S")
_RULER: Final = re.compile(r"(?:[^\w。！？!?…“”‘’\"「」『』【】（）()]|_)+$")
_NUMERAL = "[0-9０-９零〇一二三四五六七八九十百千两]+"
_NUMBERED: Final = rf"第[ \t\u3000]*{_NUMERAL}[ \t\u3000]*章"
_TITLE: Final = re.compile(
    rf"#{{1,6}}[ \t\u3000]*(?:{_NUMBERED}|(?i:chapter)\b)"
    # Without a heading mark a sentence that merely begins so must not pass for a title.
    rf"|{_NUMBERED}[^。]{{0,60}}$|(?i:chapter)[ \t]+\w+[^.]{{0,80}}$"
)
_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_HAN_SHARE: Final = 0.2


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank. `number` counts from 1; `offset` is where the line starts in the
    body's text (newlines as LF, no byte order mark). `shown` is `text` with comments replaced by
    `MASK`; `narrative` and `quoted` are `shown` with the respective other part masked as well;
    `prose` is `narrative` with 【notices】 and 《titles》 masked. Columns agree in all five."""

    number: int
    offset: int
    text: str
    kind: LineKind
    shown: str
    narrative: str
    quoted: str
    prose: str

    def part(self, name: Part) -> str:
        """The line as a rule may see it; comments are never seen."""
        match name:
            case "whole":
                return self.shown
            case "narrative":
                return self.narrative
            case "quoted":
                return self.quoted
        return self.prose


@dataclass(frozen=True, slots=True)
class Flow:
    """The storyteller's sentences of a chapter in one text, for what runs from line to line: the
    `prose` of narrative lines, one newline between neighbours, a `MASK` on a line of its own where
    a heading, list or ruler comes between."""

    text: str
    lines: tuple[Line, ...]
    starts: tuple[int, ...]

    def locate(self, at: int) -> tuple[Line, int]:
        """The line that holds a place of the text, and the column there, counted from 0."""
        index = bisect_right(self.starts, at) - 1
        return self.lines[index], at - self.starts[index]


@dataclass(frozen=True, slots=True)
class Body:
    """A chapter cut into its non-blank lines. `style_skipped`: its author's comment on top says that
    its manner of writing is meant. `narrative_chars`: visible characters outside quoted speech."""

    lines: tuple[Line, ...]
    language: Language
    style_skipped: bool
    narrative_chars: int
    flow: Flow


def visible(text: str) -> int:
    """Visible characters of a piece of a line; masked ones do not count."""
    return count_visible(text) - text.count(MASK)


def language_of(text: str) -> Language:
    """`zh` if Chinese characters are a fifth or more of all letters (or there are none at all)."""
    han = sum(len(run) for run in _HAN.findall(text))
    latin = sum(len(run) for run in _LATIN.findall(text))
    return "zh" if han >= _HAN_SHARE * (han + latin) else "en"


def quoted_spans(line: str) -> Iterator[tuple[int, int]]:
    """Spans of quoted speech on one line, marks included.

    Marks of different kinds nest. A quotation left open lasts to the end of the line: by custom a
    speech of several paragraphs closes only in the last one. An apostrophe closes nothing.
    """
    open_marks: list[str] = []
    start = 0
    for found in _QUOTE_MARK.finditer(line):
        mark, at = found[0], found.start()
        if mark == "’" and line[at + 1 : at + 2].isalpha() and line[at - 1 : at].isalpha():
            continue  # don’t
        if mark in open_marks:
            while open_marks.pop() != mark:
                pass
            if not open_marks:
                yield start, at + 1
        elif (closer := _CLOSER.get(mark)) and closer not in open_marks:
            # The same kind cannot nest in itself, so the stack never holds more than five marks.
            if not open_marks:
                start = at
            open_marks.append(closer)
    if open_marks:
        yield start, len(line)


def read_body(text: str, language: Language) -> Body:
    """Cut a chapter into lines. Accepts any text, a byte order mark and any newline."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    raw = plain.split("\n")
    shown = _without_comments(plain).split("\n")
    fenced = _fenced(raw)
    front = front_matter_lines(raw)
    skip_style = any(_SKIP_STYLE.search(line) for line in raw[: front + _SKIP_LINES])
    lines: list[Line] = []
    offset, first, told = 0, True, 0
    for index, whole in enumerate(raw):
        seen = shown[index]
        if whole and not whole.isspace():
            if index < front:
                kind = LineKind.FRONT_MATTER
            elif fenced[index]:
                kind = LineKind.CODE
            else:
                kind = _kind_of(seen, first)
                first = first and kind is LineKind.COMMENT
            narrative, quoted = _split_speech(seen)
            prose = _NOTICE.sub(_masked, narrative)
            lines.append(Line(index + 1, offset, whole, kind, seen, narrative, quoted, prose))
            if kind is LineKind.NARRATIVE:
                told += visible(narrative)
        offset += len(whole) + 1
    return Body(tuple(lines), language, skip_style, told, _flow(lines))


def _flow(lines: list[Line]) -> Flow:
    parts: list[str] = []
    told: list[Line] = []
    starts: list[int] = []
    at = 0
    for line in lines:
        if line.kind is LineKind.NARRATIVE:
            told.append(line)
            starts.append(at)
            parts.append(line.prose)
        elif line.kind is not LineKind.COMMENT:
            parts.append(MASK)
        else:
            continue
        at += len(parts[-1]) + 1
    return Flow("\n".join(parts), tuple(told), tuple(starts))


def _masked(found: re.Match[str]) -> str:
    return MASK * len(found[0])


def _without_comments(text: str) -> str:
    """The text with every closed HTML comment masked; newlines stay where they are."""
    if "<!--" not in text:
        return text
    # Up to the last closing mark only: a comment left open must not be searched for its end again
    # and again, and must not hide anything.
    end = text.rfind("-->") + 3
    if end < 3:
        return text
    masked = _COMMENT.sub(lambda found: _NOT_NEWLINE.sub(MASK, found[0]), text[:end])
    return masked + text[end:]


def _fenced(lines: list[str]) -> list[bool]:
    """Which lines belong to a fenced block that is closed."""
    marks = [
        _FENCE.match(line) if line.lstrip(" ")[:3] in ("```", "~~~") else None for line in lines
    ]
    # Longest closing fence that is still to come after each line, so an open one is known at once.
    longest = {"`": 0, "~": 0}
    to_come = [(0, 0)] * len(lines)
    for index in range(len(lines) - 1, -1, -1):
        to_come[index] = (longest["`"], longest["~"])
        mark = marks[index]
        if mark and not mark[2].strip():
            longest[mark[1][0]] = max(longest[mark[1][0]], len(mark[1]))
    inside = [False] * len(lines)
    fence = ""
    for index, mark in enumerate(marks):
        if fence:
            inside[index] = True
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark and len(mark[1]) <= to_come[index][mark[1][0] == "~"]:
            inside[index] = True
            fence = mark[1]
    return inside


def _kind_of(line: str, first: bool) -> LineKind:
    """What a line is by its own look; `first` if no text came before it."""
    shown = line.replace(MASK, "").strip(WHITESPACE) if MASK in line else line.strip(WHITESPACE)
    if not shown:
        return LineKind.COMMENT
    if first and _TITLE.match(shown):
        return LineKind.TITLE
    if _HEADING.match(line):
        return LineKind.HEADING
    if shown[0] == ">":
        return LineKind.QUOTE
    if _RULER.match(shown):
        return LineKind.RULER
    if len(shown) > 1 and shown[0] == shown[-1] == "|":
        return LineKind.TABLE
    return LineKind.LIST if _LIST.match(line) else LineKind.NARRATIVE


def _split_speech(line: str) -> tuple[str, str]:
    narrative: list[str] = []
    quoted: list[str] = []
    at = 0
    for start, end in quoted_spans(line):
        narrative += line[at:start], MASK * (end - start)
        quoted += MASK * (start - at), line[start:end]
        at = end
    if not at:
        return line, MASK * len(line)
    narrative.append(line[at:])
    quoted.append(MASK * (len(line) - at))
    return "".join(narrative), "".join(quoted)
