"""From a book folder to the manuscript that goes out: bodies in their order, titles, volumes.

Reads 正文/, 大纲/ and, where there is one, the ledger. Everything that keeps a chapter from going out
is said at once; gaps and headings that disagree are notes.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Final, NamedTuple

from clew.kernel.document import digest
from clew.kernel.errors import ClewError, Missing, Refused, Usage
from clew.kernel.faults import Both, Code, Fault, register
from clew.kernel.text import clean, has_surrogate, nfc
from clew.kernel.vault import Reader
from clew.novel import book, survey
from clew.novel.export.inline import sound
from clew.novel.export.manuscript import (
    Chapter,
    Manuscript,
    Volume,
    heading,
    is_chinese,
    label,
)
from clew.novel.export.reading import Reading, Title, read
from clew.novel.export.volumes import Start, starts, volume_of
from clew.novel.ledger import Ledger
from clew.novel.model import State, chapter_label
from clew.novel.outline import body_title, parse_outline
from clew.novel.prose.text import language_of
from clew.novel.survey import Span

_TAG: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}")
_SAMPLE: Final = 400_000
"""So many characters tell a book's language."""
_LAST: Final = 999_999_999
"""Beyond any chapter that a file name can give."""


class Wish(NamedTuple):
    """Which part of the book is wanted, and what is said of it. None: as the book has it."""

    first: int | None = None
    through: int | None = None
    title: str | None = None
    author: str | None = None
    language: str | None = None


class Gathered(NamedTuple):
    """A manuscript, and what the answer says beside it."""

    book: Manuscript
    gaps: list[Span]
    uncommitted: list[Span]
    """Chapters that the ledger does not know yet; empty without a ledger."""
    part: tuple[int, int | None] | None
    """The first and the last chapter of the range that was wanted, as far as the book goes; no last
    one where the range is open, None for the whole book."""


class _Known(NamedTuple):
    """What the ledger knows."""

    state: State | None
    starts: list[Start]
    origin: str
    """What makes this book this one: the first line of its history."""


def gather(ledger: Ledger, wish: Wish, notes: list[Fault]) -> Gathered:
    """Read the chapters that are wanted.

    Raises `Usage`, `Missing` (`export_nothing`), `Refused` with every body that is doubled, not
    UTF-8 or too large, and what loading a ledger raises; a book without a ledger is read as well.
    """
    _judge(wish)
    known = _known(ledger)
    files = book.bodies(ledger)
    first, through = wish.first or 1, wish.through or _LAST
    wanted = sorted(number for number in files if first <= number <= through)
    left_out = book.left_out(ledger)
    if not wanted:
        raise Missing(_nothing(ledger, sorted(files)), *left_out)
    notes.extend(left_out)
    if wish.through is not None and wish.through > max(files):
        notes.append(Fault("export_beyond", found=wish.through, limit=max(files)))
        wish = wish._replace(through=max(files))
    texts = _texts(ledger, files, wanted)
    language = wish.language or language_of("".join(texts.values())[:_SAMPLE])
    titles = _titles(ledger, wanted)
    chapters = []
    odd = _Odd([], [], [])
    for number in wanted:
        path = f"{book.BODIES}/{files[number][0]}"
        found = read(texts.pop(number), lines_are_paragraphs=is_chinese(language))
        title = titles.get(number) or body_title(files[number][0])
        chapters.append(_chapter(number, path, found, title, language, odd))
    notes.extend(odd.notes())
    gaps = _gaps(wanted, first, wish.through or wanted[-1])
    if gaps:
        notes.append(Fault("export_gap", found=", ".join(_runs(gaps))))
    committed = known.state.last_committed_chapter if known.state else _LAST
    title = _title(ledger, wish, known.state)
    author = clean(sound(wish.author or ""))
    part = (wish.first, wish.through) if wish.first or wish.through else None
    return Gathered(
        Manuscript(
            title=title,
            author=author,
            language=language,
            identifier=_identifier(known.origin or f"{title}\n{author}", part),
            volumes=_volumes(chapters, known.starts),
            whole=part is None,
        ),
        gaps,
        survey.spans(number for number in wanted if number > committed),
        (first, wish.through) if part else None,
    )


# ---- what was asked ------------------------------------------------------------------------------


def _judge(wish: Wish) -> None:
    first, through = wish.first, wish.through
    wrong = []
    if first is not None and through is not None and first > through:
        wrong.append(
            Both(
                f"--from {first} 在 --through {through} 之后", f"--from {first} is after {through}"
            )
        )
    if first == 0 or through == 0:
        wrong.append(Both("章号从 1 起", "chapters are numbered from 1"))
    if wish.language is not None and not _TAG.fullmatch(wish.language):
        shown = f"--language {sound(wish.language)[:40]}"
        wrong.append(Both(f"{shown}：要 zh、en 这样的语言标签", f"{shown}: a tag like zh or en"))
    for flag, text in (("--title", wish.title), ("--author", wish.author)):
        if text is not None and (has_surrogate(text) or not clean(sound(text))):
            wrong.append(Both(f"{flag} 不是可用的文字", f"{flag} holds no usable text"))
    if wrong:
        raise Usage(*(Fault("usage", reason=reason) for reason in wrong))


def _nothing(ledger: Ledger, there: list[int]) -> Fault:
    if not there:
        return Fault("no_manuscript", file=f"{ledger.root}/{book.BODIES}")
    return Fault("export_nothing", allowed=_runs(survey.spans(there)))


def _gaps(wanted: list[int], first: int, last: int) -> list[Span]:
    out = []
    for number in [*wanted, last + 1]:
        if number > first:
            out.append(Span(first, number - 1))
        first = number + 1
    return out


def _runs(spans: list[Span]) -> list[str]:
    return [str(s.first) if s.first == s.last else f"{s.first}–{s.last}" for s in spans]


# ---- the ledger ----------------------------------------------------------------------------------


def _known(ledger: Ledger) -> _Known:
    def look(reader: Reader) -> _Known:
        state = ledger.load(reader).state
        lines = ledger.lines(reader)
        return _Known(state, starts(lines, state), digest(lines[0]) if lines else "")

    try:
        return ledger.look(look)
    except Missing as missing:
        if missing.code != "ledger_missing":
            raise
        return _Known(None, [], "")


def _title(ledger: Ledger, wish: Wish, state: State | None) -> str:
    folder = ledger.root.rstrip("/").rpartition("/")[2]
    given = (wish.title, state.book_title if state else None, nfc(folder))
    return next((title for text in given if text and (title := clean(sound(text)))), "book")


def _identifier(origin: str, part: tuple[int | None, int | None] | None) -> str:
    """The same for every edition of one book (or of one range of it), another for any other."""
    name = f"clew:novel:{origin}:{part or 'whole'}"
    return uuid.uuid5(uuid.NAMESPACE_URL, name).urn


def _volumes(chapters: list[Chapter], known: list[Start]) -> tuple[Volume, ...]:
    out: list[tuple[str, list[Chapter]]] = []
    for chapter in chapters:
        name = clean(sound(volume_of(chapter.number, known)))
        if not out or out[-1][0] != name:
            out.append((name, []))
        out[-1][1].append(chapter)
    return tuple(Volume(name, tuple(held)) for name, held in out)


# ---- chapters ------------------------------------------------------------------------------------


def _texts(ledger: Ledger, files: Mapping[int, list[str]], wanted: list[int]) -> dict[int, str]:
    """The bodies' texts. Raises `Refused` with everything that is wrong with any of them."""
    faults: list[Fault] = []
    texts: dict[int, str] = {}
    for number in wanted:
        names = sorted(files[number])
        if len(names) > 1:
            allowed = [f"{book.BODIES}/{name}" for name in names]
            faults.append(
                Fault(
                    "not_one_file", chapter=number, found=len(names), allowed=allowed,
                    kind_zh="正文", kind="body",
                )
            )  # fmt: skip
            continue
        path = f"{book.BODIES}/{names[0]}"
        try:
            texts[number] = book.read_text(ledger, path).data.decode("utf-8")
        except UnicodeDecodeError as error:
            faults.append(Fault("bad_encoding", file=path, offset=error.start))
        except ClewError as error:
            faults += error.faults
    if faults:
        raise Refused(*faults)
    return texts


def _titles(ledger: Ledger, wanted: list[int]) -> dict[int, str]:
    """Titles from the outlines. The folder is listed once: a book may have thousands."""
    out = {}
    names = book.outlines(ledger)
    for number in wanted:
        if number in names:
            path = f"{book.OUTLINES}/{sorted(names[number])[0]}"
            title = parse_outline(book.read_text(ledger, path).data).title
            if title:
                out[number] = title
    return out


class _Odd(NamedTuple):
    """What is odd about some chapters. One note a kind: a book may have thousands of them."""

    dropped: list[str]
    empty: list[str]
    headings: list[str]

    def notes(self) -> list[Fault]:
        kinds = ("characters_dropped", "export_empty_chapter", "heading_differs")
        return [
            Fault(kind, found=", ".join(rows), rows=rows)
            for kind, rows in zip(kinds, self, strict=True)
            if rows
        ]


def _chapter(
    number: int, path: str, found: Reading, title: str, language: str, odd: _Odd
) -> Chapter:
    if found.dropped:
        odd.dropped.append(f"{path} ({', '.join(found.dropped)})")
    if not found.blocks:
        odd.empty.append(path)
    own = found.heading or Title("", "", None, "")
    title = clean(sound(nfc(title))) or clean(sound(own.title))
    # The author's own way of numbering (第一章) stays, unless it counts another chapter.
    written = own.label if own.number in (None, number) and _fits(own.label, language) else ""
    shown = heading(written or label(number, language), title, language)
    told = clean(own.title)
    if own.number not in (None, number) or (told and nfc(told) != title):
        odd.headings.append(f"{path} ({own.whole} → {shown})")
    return Chapter(number, shown, title, found.blocks)


def _fits(label: str, language: str) -> bool:
    return label.startswith("第") == is_chinese(language)


def range_name(part: tuple[int, int | None] | None, language: str) -> str:
    """What a range adds to the name of its file: `_第003章`, `_第003-010章`; for a book that is not
    Chinese ` - Chapter 003`, ` - Chapters 003-010`; nothing for the whole."""
    if part is None:
        return ""
    first, last = part
    zh = is_chinese(language)
    if last == first:
        return f"_{chapter_label(first)}" if zh else f" - Chapter {first:03d}"
    through = f"{last:03d}" if last is not None else ""
    return f"_第{first:03d}-{through}章" if zh else f" - Chapters {first:03d}-{through}"


register(
    Code(
        "export_nothing",
        3,
        "这个范围里没有正文；有正文的章：{allowed}",
        "no chapter of this range has a body; there are bodies of: {allowed}",
        "改用 --from、--through 或 --chapter 指定有正文的章。",
        "Name chapters that are there with --from, --through or --chapter.",
        about_zh="导出的章取自 正文/ 下的文件名。",
        about_en="Chapters are exported by the file names in 正文/.",
    ),
    Code(
        "export_gap",
        0,
        "缺第 {found} 章的正文，其余照常导出",
        "there is no body of chapter {found}; the others are exported",
        "补上缺的章后重新导出，或用 --from、--through 缩小范围。",
        "Add what is missing and export again, or name a range with --from and --through.",
        about_zh="提示：章号不连续。",
        about_en="A note: the chapters are not numbered without gaps.",
    ),
    Code(
        "export_beyond",
        0,
        "正文只到第 {limit} 章，没有第 {found} 章；导出到第 {limit} 章为止",
        "there are bodies through chapter {limit}, none of chapter {found}; the export ends with chapter "
        "{limit}",
        about_zh="提示：--through 超出现有的正文；文件名写的是实际导出到的那一章。",
        about_en="A note: --through goes beyond the bodies; the file is named after the chapter that it "
        "ends with.",
    ),
    Code(
        "export_empty_chapter",
        0,
        "没有写下什么，导出里只有章名：{rows}",
        "nothing is told in it, the export has its heading only: {rows}",
        about_zh="提示：除标题、注释和文件头之外什么都没有。",
        about_en="A note: there is nothing in it but heading, comments and front matter.",
    ),
    Code(
        "characters_dropped",
        0,
        "有任何格式都装不下的字符，导出时略去：{rows}",
        "characters that no format can hold were left out: {rows}",
        "如果不是有意的，在正文里删掉它们。",
        "Remove them from the body unless they are meant.",
        about_zh="提示：控制字符和非字符不能写进 XML。正文文件没有改动。",
        about_en="A note: control characters and noncharacters cannot be written in XML. The body "
        "itself was not changed.",
    ),
    Code(
        "heading_differs",
        0,
        "正文自己的标题和导出的章名不同：{rows}",
        "the body's own heading is not the one that is exported: {rows}",
        "让正文标题、文件名和细纲里的章名一致。",
        "Make the body's heading, its file name and the outline agree.",
        about_zh="提示：章号取自文件名，章名取自细纲，没有细纲时取自文件名，再没有就取正文标题。",
        about_en="A note: the number is the file name's, the title the outline's, else the file name's, "
        "else that of the body's own heading.",
    ),
)
