"""From a body in 正文/ to the blocks that readers see.

Pure. What a line is, `prose.text` says; here lines become blocks. Front matter, comments and the
chapter's own heading are taken off. In a Chinese book each line is a paragraph, as its authors
write; in others lines that follow each other are one paragraph, as in Markdown, unless the body
has no blank line between any two of them. Everything else is text: nothing an author wrote is lost
but marks, and characters that no file format can hold (`dropped`).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, NamedTuple

from clew.novel.export.inline import DROPPED, plain
from clew.novel.export.manuscript import (
    Block,
    Break,
    Heading,
    Item,
    Listing,
    Panel,
    Paragraph,
    Quote,
    Table,
)
from clew.novel.prose.text import MASK, Line, LineKind, read_body
from clew.novel.wordcount import WHITESPACE

_LINE_END: Final = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_INDENTED: Final = re.compile(r"^(?:[ \t\u3000]*&(?:emsp|ensp|nbsp|thinsp);)+", re.M)
_NUMERAL = "[0-9０-９零〇一二三四五六七八九十百千两]+"
_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_NUMBER: Final = (
    rf"[0-9]+\b|[IVXLC]+\b|(?i:ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    rf"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ](?:{_UNITS}))?|{_UNITS})\b"
)
_NUMBERED: Final = re.compile(
    rf"(第[ \t\u3000]*({_NUMERAL})[ \t\u3000]*章|(?i:chapter)[ \t]+({_NUMBER}))"
    r"[ \t\u3000:：.．、—–-]*(.*)"
)
_BARE_TITLE: Final = re.compile(
    rf"第[ \t\u3000]*{_NUMERAL}[ \t\u3000]*章(?:[ \t\u3000:：.．、][^，。！？；…“”「」]*)?"
    rf"|(?i:chapter)[ \t]+(?:{_NUMBER})(?:[ \t]*[:.—–-][^,!?;“”]*)?"
)
_QUOTE: Final = re.compile(rf"[{re.escape(WHITESPACE)}]*(?:>[ \t\u3000]?)+")
_ITEM: Final = re.compile(r"([ \t\u3000]*)(?:[-*+]|([0-9]{1,3})[.)])[ \t\u3000]+(.*)", re.S)
_LANGUAGE_NAME: Final = re.compile(r"[A-Za-z0-9_+#.-]*")
_CELL: Final = re.compile(r"(?<!\\)\|")
_DASHES: Final = frozenset(" \t:|-")
_THEMATIC: Final = re.compile(
    r"(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:＊[ \t\u3000]*){3,}"
)
_DEEPEST: Final = 5
_PICTURE_SIGN: Final = "\ufe0f"


class Title(NamedTuple):
    """A chapter's own heading, as its author wrote it."""

    whole: str
    label: str
    """`第一章`, `Chapter 12`; empty where the heading has no number."""
    number: int | None
    """Where it is written in digits."""
    title: str


class Reading(NamedTuple):
    """A body as it was read."""

    heading: Title | None
    blocks: tuple[Block, ...]
    dropped: tuple[str, ...]
    """Characters that were left out, each once: `U+0000`."""


def read(body: str, *, lines_are_paragraphs: bool) -> Reading:
    """Cut a body into blocks. Accepts any text."""
    text = _LINE_END.sub("\n", body)
    dropped = tuple(sorted({f"U+{ord(char):04X}" for char in DROPPED.findall(text)}))
    if dropped:
        text = DROPPED.sub("", text)
    if "&" in text:  # what indents a line must not hide what the line is
        text = _INDENTED.sub("", text)
    lines = [
        line
        for line in read_body(text, "zh").lines
        if line.kind not in (LineKind.FRONT_MATTER, LineKind.COMMENT)
    ]
    heading = None
    if lines and _names_the_chapter(lines[0]):
        heading = _title(lines.pop(0))
    joined = not lines_are_paragraphs and _has_gaps(lines)
    return Reading(heading, tuple(_blocks(lines, joined=joined)), dropped)


# ---- the chapter's own heading -------------------------------------------------------------------


def _names_the_chapter(line: Line) -> bool:
    level, text = _headed(line)
    if line.kind is LineKind.TITLE:
        # Without a heading mark, a sentence that merely begins so is told to readers.
        return level > 0 or _BARE_TITLE.fullmatch(text) is not None
    # A chapter may begin with the heading of its first section (`## 一`), which readers do see.
    return line.kind is LineKind.HEADING and level == 1


def _headed(line: Line) -> tuple[int, str]:
    """The level of a heading (0: it has no mark) and its text."""
    text = _trim(_shown(line))
    level = len(text) - len(text.lstrip("#"))
    text = _trim(text[level:])
    closed = text.rstrip("#")
    if closed != text and (not closed or closed[-1] in WHITESPACE):
        text = closed.rstrip(WHITESPACE)  # ## 一 ##
    return level, text


def _title(line: Line) -> Title:
    whole = _trim(plain(_headed(line)[1]))
    numbered = _NUMBERED.fullmatch(whole)
    if numbered is None:
        return Title(whole, "", None, whole)
    digits = numbered[2] or numbered[3]
    label = re.sub(r"[ \t\u3000]+", "" if numbered[2] else " ", numbered[1])
    return Title(
        whole, label, int(digits) if digits.isdecimal() and len(digits) < 10 else None, numbered[4]
    )


# ---- lines to blocks -----------------------------------------------------------------------------


def _shown(line: Line) -> str:
    return line.shown.replace(MASK, "")


def _trim(text: str) -> str:
    """A line without its indent, which every edition makes itself."""
    return text.strip(WHITESPACE)


def _told(text: str) -> str:
    """A line without any indent, be it written as `&emsp;`."""
    return _trim(_INDENTED.sub("", text) if "&" in text else text)


def _has_gaps(lines: list[Line]) -> bool:
    """Whether blank lines (or a line break written as a backslash) say where paragraphs end."""
    told = [line for line in lines if line.kind is LineKind.NARRATIVE]
    return any(
        after.number > before.number + 1 or ends_open(_shown(before))
        for before, after in pairwise(told)
    )


class _Open:
    """The block that the next line may still belong to."""

    def __init__(self) -> None:
        self.kind: LineKind | None = None
        self.lines: list[Line] = []

    def takes(self, line: Line, kind: LineKind) -> bool:
        if kind is not self.kind or not self.lines:
            return False
        # A fence holds its blank lines; whatever else is apart is another block.
        return kind is LineKind.CODE or line.number == self.lines[-1].number + 1


def _blocks(lines: list[Line], *, joined: bool) -> list[Block]:
    out: list[Block] = []
    now = _Open()
    for line in lines:
        kind = _kind(line, now)
        if now.takes(line, kind) and not _ends(now, line, joined=joined):
            now.lines.append(line)
            continue
        out += _block(now)
        now.kind, now.lines = kind, [line]
    return out + _block(now)


def _kind(line: Line, now: _Open) -> LineKind:
    if line.kind is LineKind.RULER:
        if now.kind is LineKind.TABLE and _is_dashes(_shown(line)):
            return LineKind.TABLE
        if any(ord(char) > 0x1EFFF or char == _PICTURE_SIGN for char in _shown(line)):
            return LineKind.NARRATIVE  # a message that is one picture, no ornament
    # A line that only looked like the chapter's heading.
    return LineKind.NARRATIVE if line.kind is LineKind.TITLE else line.kind


def _is_dashes(text: str) -> bool:
    return "-" in text and _DASHES.issuperset(text)


def _ends(now: _Open, line: Line, *, joined: bool) -> bool:
    """Whether a line of the same kind begins a block of its own."""
    match now.kind:
        case LineKind.NARRATIVE:
            return not joined
        case LineKind.HEADING | LineKind.RULER:
            return True
        case LineKind.LIST:
            return _numbered(now.lines[-1]) != _numbered(line)
        case LineKind.CODE:
            return len(now.lines) > 1 and _closes(now.lines[0], now.lines[-1])
    return False


def _numbered(line: Line) -> bool:
    found = _ITEM.fullmatch(_shown(line))
    return found is not None and found[2] is not None


def _fence(line: Line) -> str:
    text = line.text.lstrip(" ")
    return text[: len(text) - len(text.lstrip(text[:1]))]


def _closes(first: Line, last: Line) -> bool:
    mark = _fence(first)
    closing = last.text.strip()
    return closing.startswith(mark) and not closing.strip(mark[0])


def _block(now: _Open) -> list[Block]:
    """The block of some lines; none where nothing is left of them."""
    if not now.lines:
        return []
    match now.kind:
        case LineKind.HEADING:
            level, text = _headed(now.lines[0])
            return [Heading(max(2, level), text)] if text else []
        case LineKind.RULER:
            return [_ruler(_shown(now.lines[0]))]
        case LineKind.QUOTE:
            told = (_told(_QUOTE.sub("", _shown(line), count=1)) for line in now.lines)
            paragraphs = tuple(text for text in told if text)
            return [Quote(paragraphs)] if paragraphs else []
        case LineKind.LIST:
            items = tuple(item for item in map(_item, now.lines) if item.text)
            return [Listing(items)] if items else []
        case LineKind.CODE:
            return _panel(now.lines)
        case LineKind.TABLE:
            return _table(now.lines)
    text = _joined([_shown(line) for line in now.lines])
    return [Paragraph(text)] if text else []


def _ruler(text: str) -> Break:
    mark = text.strip(WHITESPACE)
    if _THEMATIC.fullmatch(mark):
        return Break()
    return Break(mark[1:] if re.match(r"\\[!-/:-@[-`{-~]", mark) else mark)


def _item(line: Line) -> Item:
    found = _ITEM.fullmatch(_shown(line))
    assert found is not None
    width = sum({"\t": 4, "\u3000": 2}.get(char, 1) for char in found[1])
    number = int(found[2]) if found[2] else None
    return Item(_trim(found[3]), number, min(width // 2, _DEEPEST))


def _panel(lines: list[Line]) -> list[Block]:
    fence = _fence(lines[0])
    info = _told(lines[0].text.lstrip(" ")[len(fence) :])
    told = [] if _LANGUAGE_NAME.fullmatch(info) else [info]  # ```系统 is a word for the reader
    last, number = None, lines[0].number
    for line in lines[1:]:
        told += [""] * (line.number - number - 1) + [_shown(line).rstrip(WHITESPACE)]
        number, last = line.number, line
    if last is not None and _closes(lines[0], last):
        told.pop()
    while told and not told[-1]:
        told.pop()
    while told and not told[0]:
        del told[0]
    return [Panel(tuple(told))] if told else []


def _table(lines: list[Line]) -> list[Block]:
    rows: list[tuple[str, ...]] = []
    headed = False
    for line in lines:
        text = _shown(line).strip(WHITESPACE)
        if _is_dashes(text):
            headed = headed or len(rows) == 1
            continue
        rows.append(tuple(_trim(cell) for cell in _CELL.split(text[1:-1])))
    return [Table(tuple(rows), headed)] if any(any(row) for row in rows) else []


def _joined(lines: list[str]) -> str:
    """Lines that are one paragraph: joined by a space, or by a break where one ends in two spaces
    or a backslash."""
    out: list[str] = []
    for number, line in enumerate(lines, 1):
        text = _told(line)
        broken = line.endswith("  ")
        if number < len(lines) and ends_open(text):
            text, broken = text[:-1].rstrip(WHITESPACE), True
        if text:
            out += [text, "\n" if broken else " "]
    return "".join(out[:-1])


def ends_open(text: str) -> bool:
    """Whether a line ends in a backslash that is not itself escaped: it breaks the line."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1
