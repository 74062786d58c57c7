"""What a manuscript without a ledger shows by itself: encodings, the book's title, its volumes,
which chapters are there, and the draft of an init document made of that.

Pure: bytes and names in, values out. Source: the seed (初始化事务, 导入边界). What only the author can
know stays an empty text, which `init` refuses, so that nothing invented enters a ledger.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterable
from typing import Any, Final, Literal, NamedTuple

import msgspec

from clew.kernel.text import clean, name_fault, nfc
from clew.novel.model import INPUT_SCHEMA, RECENT

Encoding = Literal[
    "utf-8", "utf-16-le", "utf-16-be", "gb18030", "big5", "windows-1252", "unknown"
]  # fmt: skip


class Span(msgspec.Struct, frozen=True):
    """Chapters from `first` to `last`, both included."""

    first: int
    last: int


class Volume(NamedTuple):
    """A volume, the chapter it starts with, and the file that says so (empty: none does)."""

    name: str
    start: int
    source: str


# ---- encodings -----------------------------------------------------------------------------------

_COMMON: Final = frozenset(
    "的一是了不在有我他她你那着就也上个说道人來来說这這個们們为為著到，。“”：、？！「」"
)
_SHARE: Final = 0.05
"""Least share of everyday characters; text read in a wrong encoding has hardly any."""
_SAMPLE: Final = 200_000
_WIDE: Final[tuple[tuple[bytes, Encoding], ...]] = (
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LEGACY: Final[tuple[Encoding, ...]] = ("gb18030", "big5", "utf-16-le", "utf-16-be")


def decoded(data: bytes) -> tuple[str, Encoding]:
    """The text of a manuscript file and the encoding it looks like. Never raises.

    UTF-8 unless it is not. Then a byte order mark tells, or else the encoding that gives most
    everyday characters. `unknown` is read as UTF-8 with replacement marks.
    """
    for mark, wide in _WIDE:
        if data.startswith(mark):
            return data[len(mark) :].decode(wide, "replace"), wide
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
        if "\0" not in text:
            return text, "utf-8"
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    shares = {name: _share(data[:_SAMPLE].decode(name, "replace")) for name in _LEGACY}
    best = max(_LEGACY, key=lambda name: shares[name])
    if shares[best] >= _SHARE:
        return data.decode(best, "replace"), best
    plain = sum(byte < 128 and byte != 0 for byte in data[:_SAMPLE])
    if plain > 0.8 * len(data[:_SAMPLE]):
        return data.decode("windows-1252", "replace"), "windows-1252"
    return text, "unknown"


def _share(text: str) -> float:
    """Share of everyday characters among all that are not ASCII; of UTF-16 without any of those,
    letters tell."""
    odd = [char for char in text if ord(char) > 127 or char == "\0"]
    if odd:
        return sum(char in _COMMON for char in odd) / len(odd)
    return 1.0 if text else 0.0


# ---- title and volumes ---------------------------------------------------------------------------

_HEADING: Final = re.compile(r"#{1,3}[ \t\u3000]*(\S.*)")
_NAMED: Final = re.compile(r"[ \t>*-]*(?:书名|作品名|(?i:book title|title))[ *]*[:：][ *]*(\S.*)")
_MARKED: Final = re.compile(r"《([^《》]+)》")
_KIND: Final = re.compile(r"(?:全书|全文|小说)?(?:大纲|总纲|故事大纲|(?i:outline|synopsis))$")
_PARTING: Final = " \t\u3000·：:—_-"


def book_title(outline: str) -> str | None:
    """The title that a book's outline (大纲.md) gives: `书名：…`, or its first heading, of which
    《》 and a closing `大纲` or `Outline` are taken off. None when neither says one."""
    headings = []
    for line in outline.splitlines():
        if named := _NAMED.fullmatch(line):
            return clean(named[1].rstrip(" *").strip("《》")) or None
        if found := _HEADING.fullmatch(line):
            headings.append(found[1])
    if not headings:
        return None
    marked = _MARKED.search(headings[0])
    title = marked[1] if marked else _without_kind(headings[0].rstrip("# "))
    return clean(title) or None


def _without_kind(heading: str) -> str:
    """A heading without the closing `大纲` or `Outline`, and what parts it from the title."""
    found = _KIND.search(heading)
    return heading[: found.start()].rstrip(_PARTING) if found is not None else heading


_VOLUME_FILE: Final = re.compile(r"卷纲[_\- ]?([^\\\n]*)\.md")
_RANGE: Final = re.compile(
    r"(?:第[ ]*+0*+([1-9][0-9]{0,6})[ ]*+(?:章[ ]*+)?|(?i:chapters?)[ ]++0*+([1-9][0-9]{0,6})[ ]*+)"
    r"(?:[-~～—–－至到]++|(?i:to))[ ]*+(?:第[ ]*+)?0*+([1-9][0-9]{0,6})[ ]*章?"
)


def is_volume_outline(name: str) -> bool:
    """Whether a file in 大纲/ is the outline of a volume (`卷纲_第一卷.md`)."""
    return _VOLUME_FILE.fullmatch(nfc(name)) is not None


def volume_at(outlines: Iterable[tuple[str, str]], chapter: int, *, english: bool) -> Volume:
    """The volume that holds `chapter`, from the volume outlines' (file name, text).

    The only one there is, or the one whose text names a range of chapters around it. Where that
    is not evident, the first volume.
    """
    known = [(name, *_volume(nfc(name), text)) for name, text in outlines]
    fitting = [
        (name, title, span)
        for name, title, span in known
        if span is not None and span.first <= max(1, chapter) <= span.last
    ]
    if len(fitting) == 1:
        name, title, span = fitting[0]
        return Volume(title, span.first, name)
    if len(known) == 1 and known[0][2] is None:
        return Volume(known[0][1], 1, known[0][0])
    return Volume("Volume 1" if english else "第一卷", 1, "")


def _volume(name: str, text: str) -> tuple[str, Span | None]:
    heading = next((m[1] for line in text.splitlines() if (m := _HEADING.fullmatch(line))), "")
    by_file = _VOLUME_FILE.fullmatch(name)
    titles = (_without_kind(_KIND_OF_VOLUME.sub("", heading)), by_file[1] if by_file else "")
    title = next((found for raw in titles if (found := _safe(raw))), "第一卷")
    ranges = _RANGE.search(text)
    if ranges is None:
        return title, None
    first, last = int(ranges[1] or ranges[2]), int(ranges[3])
    return title, Span(first, last) if first <= last else None


_KIND_OF_VOLUME: Final = re.compile(r"^卷纲[ \t\u3000·：:—_-]*")


def _safe(raw: str) -> str:
    """A volume's name as the ledger can hold it."""
    parts = (part.strip(" ") for part in re.split(r"[<>:：\"/\\｜|?*_]+", raw))
    name = nfc(clean("·".join(parts).strip("·. ")))
    return "" if not name or name_fault(name) else name


# ---- chapters ------------------------------------------------------------------------------------


def last_without_gap(chapters: Collection[int]) -> int:
    """The highest chapter up to which every chapter is there; 0 when chapter 1 is not."""
    last = 0
    while last + 1 in chapters:
        last += 1
    return last


def spans(chapters: Iterable[int]) -> list[Span]:
    """Chapters as runs."""
    out: list[Span] = []
    for chapter in sorted(set(chapters)):
        if out and out[-1].last + 1 == chapter:
            out[-1] = Span(out[-1].first, chapter)
        else:
            out.append(Span(chapter, chapter))
    return out


def gaps(present: Collection[int], through: int) -> list[Span]:
    """The runs of chapters from 1 to `through` that are not present."""
    out = []
    before = 0
    for run in [*spans(n for n in present if n <= through), Span(through + 1, through + 1)]:
        if run.first > before + 1:
            out.append(Span(before + 1, run.first - 1))
        before = run.last
    return out


def init_document(title: str, last: int, volume: Volume) -> dict[str, Any]:
    """The draft of an init document: what is known, and "" wherever only the author knows."""
    recent = range(max(1, last - RECENT + 1), last + 1)
    return {
        "schema_version": INPUT_SCHEMA,
        "book_title": title,
        "last_chapter": last,
        "context": {
            "position": {
                "volume": volume.name,
                "volume_start_chapter": min(volume.start, max(1, last)),
                "story_time": "",
                "scene": "",
            },
            "long_term_constraints": [],
            "active_character_names": [],
            "continuity_risks": [],
            "recent_chapters": [{"chapter": chapter, "summary": ""} for chapter in recent],
            "next_chapter_commitments": [],
        },
        "character_snapshots": {},
        "foreshadow": [],
        "timeline_events": [],
    }
