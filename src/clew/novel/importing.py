"""Starting from a finished manuscript: what 大纲/ and 正文/ show, and a draft of the init document.

Reads the book and writes that draft, never a ledger. Source: the seed (初始化事务, 导入边界). The
evaluation is pure (`survey`, `manuscript`); this module reads files and joins it.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Fault
from clew.kernel.text import clean
from clew.novel import aliases, book, draftfile, guide, manuscript, survey
from clew.novel.draftfile import Existing, Place
from clew.novel.guide import Fill
from clew.novel.ledger import HISTORY, STATE, WORK, Ledger
from clew.novel.manuscript import Candidate
from clew.novel.outline import body_title, parse_outline
from clew.novel.prose.text import language_of
from clew.novel.survey import Span
from clew.novel.wordcount import visible_chars_v1, words

INIT_DRAFT: Final = f"{WORK}/init.json"
BOOK_OUTLINE: Final = f"{book.OUTLINES}/大纲.md"


class ChapterFile(msgspec.Struct, frozen=True):
    """One chapter of a manuscript."""

    chapter: int
    title: str
    file: str
    visible_chars: int
    words: int


class ManuscriptDraft(msgspec.Struct, frozen=True, kw_only=True):
    """What a manuscript shows, and the draft of the init document made of it."""

    status: str = "ok"
    draft: str
    existing: Existing
    book_title: str
    last_chapter: int
    """The highest chapter up to which there is no gap."""
    volume: str
    chapters: list[ChapterFile]
    visible_chars: int
    gaps: list[Span]
    duplicates: dict[str, list[str]]
    """Chapters with more than one body, and those files; the first one was counted."""
    outlines_without_body: list[Span]
    names: list[Candidate]
    aliases: dict[str, list[str]]
    fill: list[Fill]
    limits_chars: dict[str, int]
    shapes: dict[str, Any]
    kept_beside: str | None = None


def from_manuscript(
    ledger: Ledger,
    notes: list[Fault],
    *,
    title: str | None = None,
    new_book: bool = False,
    out: str | None = None,
    force: bool = False,
) -> ManuscriptDraft:
    """Read 大纲/ and 正文/ and write a draft of the init document, with what can be known.

    With a `title` a book of which nothing is written yet gets its draft too; `new_book` says that
    the author takes it for one, and a note tells where bodies are there all the same.

    A draft that is there is kept unless `force`, which keeps the old text beside it. Files in
    another encoding are named in the notes and read as what they look like. Raises `Refused`
    (`ledger_exists`, `history_without_state`), `Missing` (`no_manuscript`).
    """
    reader = ledger.vault.reader(ledger.scope)
    if reader.read(STATE) is not None:
        raise Refused(Fault("ledger_exists", file=STATE))
    if reader.tail(HISTORY).line is not None:
        raise Refused(Fault("history_without_state", file=HISTORY))
    bodies, outlines = book.bodies(ledger), book.outlines(ledger)
    left_out = book.left_out(ledger)
    if not bodies and not outlines and title is None:
        raise Missing(Fault("no_manuscript", file=ledger.root), *left_out)
    notes += left_out
    where = draftfile.place(ledger, INIT_DRAFT, out)
    texts: dict[int, str] = {}
    chapters = []
    for chapter, names in sorted(bodies.items()):
        path = f"{book.BODIES}/{sorted(names)[0]}"
        texts[chapter] = text = _text(ledger, path, notes)
        heading = _outline_title(ledger, outlines.get(chapter, [])) or body_title(sorted(names)[0])
        chapters.append(ChapterFile(chapter, heading, path, visible_chars_v1(text), words(text)))
    last = survey.last_without_gap(bodies)
    gaps = survey.gaps(bodies, max(bodies, default=0))
    if gaps:
        notes.append(Fault("manuscript_gap", found=gaps[0].first, limit=last))
    if new_book and bodies:
        notes.append(Fault("bodies_there", found=len(bodies), limit=last))
    english = bool(texts) and language_of("".join(texts.values())) == "en"
    title = clean(title) if title is not None else _book_title(ledger, notes)
    if not texts:
        english = language_of(title) == "en"
    volume = survey.volume_at(_volume_outlines(ledger, notes), last, english=english)
    found = aliases.read(ledger)
    notes += found.faults
    called = {name: list(others) for name, others in found.called.items()}
    existing, beside = _put_init(
        ledger, where, survey.init_document(title, last, volume), notes, force=force
    )
    return ManuscriptDraft(
        draft=where.path,
        existing=existing,
        book_title=title,
        last_chapter=last,
        volume=volume.name,
        chapters=chapters,
        visible_chars=sum(row.visible_chars for row in chapters),
        gaps=gaps,
        duplicates={
            str(chapter): [f"{book.BODIES}/{name}" for name in sorted(names)]
            for chapter, names in sorted(bodies.items())
            if len(names) > 1
        },
        outlines_without_body=survey.spans(n for n in outlines if n not in bodies),
        names=manuscript.candidates(texts, called, english=english),
        aliases=called,
        fill=guide.fill_init(last),
        limits_chars=guide.limits_chars(),
        shapes=guide.init_shapes(last, english=english),
        kept_beside=beside,
    )


def _put_init(
    ledger: Ledger, where: Place, document: dict[str, Any], notes: list[Fault], *, force: bool
) -> tuple[Existing, str | None]:
    raw = draftfile.present(ledger, where)
    if raw is not None and not force:
        old = draftfile.readable(where, raw)
        if "last_chapter" not in old:
            raise Refused(Fault("draft_unreadable", file=where.shown))
        notes.append(Fault("init_draft_kept", file=where.shown))
        return "kept", None
    beside = draftfile.keep_beside(ledger, where, raw) if raw is not None else None
    if beside is not None:
        notes.append(Fault("draft_aside", file=where.shown, found=beside))
    draftfile.write(ledger, where, document)
    return ("new" if raw is None else "replaced"), beside


def _text(ledger: Ledger, path: str, notes: list[Fault]) -> str:
    text, encoding = survey.decoded(book.read_text(ledger, path).data)
    if encoding != "utf-8":
        notes.append(Fault("odd_encoding", file=path, found=encoding))
    return text


def _outline_title(ledger: Ledger, names: list[str]) -> str:
    if not names:
        return ""
    data = book.read_text(ledger, f"{book.OUTLINES}/{sorted(names)[0]}").data
    return parse_outline(survey.decoded(data)[0].encode()).title or ""


def _book_title(ledger: Ledger, notes: list[Fault]) -> str:
    folder = clean(ledger.root.rpartition("/")[2])
    if ledger.vault.files.stat(ledger.vault.real(BOOK_OUTLINE)) is None:
        return folder
    return survey.book_title(_text(ledger, BOOK_OUTLINE, notes)) or folder


def _volume_outlines(ledger: Ledger, notes: list[Fault]) -> list[tuple[str, str]]:
    names = ledger.vault.listing(book.OUTLINES)
    return [
        (name, _text(ledger, f"{book.OUTLINES}/{name}", notes))
        for name in names
        if survey.is_volume_outline(name)
    ]
