"""Drafts for an author or an agent to fill in: a chapter's transaction (`draft`), the document
that starts the ledger of a finished manuscript (`from_manuscript`), and the records of imported
chapters, one by one (`backfill`).

Reads the ledger and the book, writes drafts only; `backfill` with a document commits it. Source:
the seed (`draft`; 初始化事务; 修订导入截止章内的正文时，会新增或覆盖该章的逐章记录).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from clew.kernel.errors import ClewError, Corrupt, Refused
from clew.kernel.faults import Both, Fault
from clew.kernel.text import clean
from clew.kernel.vault import Reader
from clew.novel import book, draftfile, guide, history, prefill, survey, timetravel
from clew.novel.commit import Committed, commit
from clew.novel.draftfile import Existing, Place
from clew.novel.guide import Fill
from clew.novel.importing import ManuscriptDraft, from_manuscript
from clew.novel.ledger import Ledger, Loaded
from clew.novel.model import Snapshot, State
from clew.novel.prefill import Difference
from clew.novel.rules import judge_chapter
from clew.novel.start import record_texts
from clew.novel.survey import Span

__all__ = [
    "Backfilled", "Drafted", "ManuscriptDraft", "PreviousPosition", "backfill", "draft",
    "from_manuscript",
]  # fmt: skip


class PreviousPosition(msgspec.Struct, frozen=True):
    """Where the story stood after the last chapter."""

    story_time: str
    scene: str


class Drafted(msgspec.Struct, frozen=True, kw_only=True):
    """A chapter's draft. `draft` is its absolute path, as `--input` takes it."""

    status: str = "ok"
    draft: str
    existing: Existing
    """What became of a draft that was there: `kept` untouched, `merged`, or `replaced`."""
    mode: str
    chapter: int
    expected_state_revision: int
    fill: list[Fill]
    limits_chars: dict[str, int]
    shapes: dict[str, Any]
    current_snapshots: dict[str, Snapshot]
    """Of the active characters."""
    previous_position: PreviousPosition | UnsetType = UNSET
    """Append only: the draft leaves both blank."""
    differences: list[Difference] = []
    """Where a merged draft said something else than the ledger does now."""
    kept_beside: str | None = None
    """A copy of what the draft replaced."""


class Backfilled(msgspec.Struct, frozen=True, kw_only=True):
    """How far the imported chapters are recorded, and what was done now."""

    status: str = "ok"
    imported_through_chapter: int
    recorded: list[Span]
    left: list[Span]
    left_count: int
    next: int | None
    draft: Drafted | None = None
    committed: Committed | None = None


# ---- a chapter's draft ---------------------------------------------------------------------------


class _Base(NamedTuple):
    state: State
    record: str | None


def draft(
    ledger: Ledger, chapter: int, notes: list[Fault], *, out: str | None = None, force: bool = False
) -> Drafted:
    """Write the prefilled transaction of the next chapter, or of a committed one (a revision).

    A draft that is there for the present revision is kept untouched; an older one is brought up to
    date; one of another chapter or mode, or one that cannot be read, is refused unless `force`,
    which keeps the old text beside it. Raises `Refused` (`draft_chapter`, `draft_exists`,
    `draft_unreadable`) and what reading the ledger raises.
    """
    state, record = ledger.look(lambda reader: _base(ledger, reader, chapter))
    last = state.last_committed_chapter
    if not 1 <= chapter <= last + 1:
        raise Refused(Fault("draft_chapter", found=chapter, allowed=f"1..{last + 1}"))
    where = draftfile.place(ledger, f"{book.work_folder(chapter)}/tracking.json", out)
    said: list[Fault] = []
    fresh = _fresh(ledger, state, chapter, record, said)
    raw = draftfile.present(ledger, where)
    old = _mine(where, raw, fresh) if raw is not None and not force else None
    document, beside = fresh, None
    existing: Existing = "new" if raw is None else "replaced"
    differences: list[Difference] = []
    if old is not None and old["expected_state_revision"] == state.state_revision:
        document, existing, said = old, "kept", [Fault("draft_kept", file=where.shown)]
    else:
        drop: list[str] = []
        if old is not None:
            drop = _gone(ledger, old, state)
            document, differences = prefill.merged(old, fresh, state.characters, drop)
            existing, said = "merged", _merge_notes(where, old, state, drop)
        if raw is not None:  # a merge may drop what it cannot place: the author's file stays beside
            beside = draftfile.keep_beside(ledger, where, raw)
            said.append(Fault("draft_aside", file=where.shown, found=beside))
        draftfile.write(ledger, where, document)
    notes.extend(said)
    return _drafted(state, fresh, where, existing, differences, beside)


def _base(ledger: Ledger, reader: Reader, chapter: int) -> _Base:
    """The state, and for a committed chapter its record: from the history, else from disk."""
    loaded = ledger.load(reader)
    if not 1 <= chapter <= loaded.state.last_committed_chapter:
        return _Base(loaded.state, None)
    return _Base(loaded.state, _records(ledger, reader, loaded).get(chapter))


def _records(ledger: Ledger, reader: Reader, loaded: Loaded) -> dict[int, str]:
    if loaded.last is None:
        return record_texts(reader)
    lines = ledger.lines(reader)
    _, broken = history.verify(lines)
    if broken:
        raise Corrupt(*broken)
    return history.records(lines)


def _fresh(
    ledger: Ledger, state: State, chapter: int, record: str | None, notes: list[Fault]
) -> dict[str, Any]:
    title = clean(book.title_of(ledger, chapter) or "")
    if chapter > state.last_committed_chapter:
        return prefill.append_document(state, chapter, title)
    found = prefill.recorded(record) if record is not None else None
    if found is not None and title and title != found.title:
        notes.append(Fault("title_differs", chapter=chapter, found=title, allowed=found.title))
    title = found.title if found is not None else title
    return prefill.revision_document(state, chapter, title, found, notes)


def _mine(where: Place, raw: bytes, fresh: dict[str, Any]) -> dict[str, Any]:
    """The draft that is there, when it is one of this chapter and mode. Raises `Refused`."""
    old = draftfile.readable(where, raw)
    revision = old.get("expected_state_revision")
    same = all(old.get(key) == fresh[key] for key in ("chapter", "mode"))
    if not same or isinstance(revision, bool) or not isinstance(revision, int):
        found = f"{old.get('chapter')} ({old.get('mode')})"
        raise Refused(Fault("draft_exists", file=where.shown, found=found))
    return old


def _gone(ledger: Ledger, old: dict[str, Any], state: State) -> list[str]:
    """Characters of the old draft's snapshots that were in the ledger then and are not now.

    Where no history tells, a name that a revision's draft holds was prefilled from the ledger.
    """
    snapshots = old.get("character_snapshots")
    names = (
        [n for n in snapshots if n not in state.characters] if isinstance(snapshots, dict) else []
    )
    if not names:
        return []
    try:
        then = timetravel.at(ledger, revision=old["expected_state_revision"]).state.characters
    except ClewError:
        return names if old["mode"] == "revision" else []
    return [name for name in names if name in then]


def _merge_notes(
    where: Place, old: dict[str, Any], state: State, dropped: list[str]
) -> list[Fault]:
    then = old["expected_state_revision"]
    notes = [Fault("draft_merged", file=where.shown, found=then, allowed=state.state_revision)]
    if dropped:
        notes.append(Fault("draft_snapshot_dropped", found=dropped))
    return notes


def _drafted(
    state: State,
    fresh: dict[str, Any],
    where: Place,
    existing: Existing,
    differences: list[Difference],
    beside: str | None,
) -> Drafted:
    append = fresh["mode"] == "append"
    untitled = not fresh["chapter_title"]
    active, place = state.context.active_character_names, state.context.position
    return Drafted(
        draft=where.path,
        existing=existing,
        mode=fresh["mode"],
        chapter=fresh["chapter"],
        expected_state_revision=state.state_revision,
        fill=(
            guide.fill_append(untitled=untitled)
            if append
            else guide.fill_revision(untitled=untitled, blank=not fresh["delta"]["result"])
        ),
        limits_chars=guide.limits_chars(),
        shapes=guide.shapes(
            fresh["chapter"], english=_is_english(state.book_title, fresh["chapter_title"])
        ),
        current_snapshots={name: state.characters[name] for name in active},
        previous_position=PreviousPosition(place.story_time, place.scene) if append else UNSET,
        differences=differences,
        kept_beside=beside,
    )


def _is_english(*titles: str) -> bool:
    from clew.novel.prose.text import language_of

    return language_of(" ".join(titles)) == "en"


# ---- imported chapters ---------------------------------------------------------------------------


def backfill(
    ledger: Ledger,
    notes: list[Fault],
    *,
    chapter: int | None = None,
    document: Any = None,
) -> Backfilled:
    """Record imported chapters one by one: how far it is, a chapter's draft, or its commit.

    Without `chapter` and `document` nothing is written. A `document` is committed as it is by
    `commit`, once it is a revision of an imported chapter (of `chapter`, where given). Raises
    `Refused` with every fault, and what `draft` and `commit` raise.
    """
    state = ledger.look(ledger.load).state
    imported = state.imported_through_chapter
    written: Drafted | None = None
    committed: Committed | None = None
    if document is not None:
        judged = judge_chapter(document, state)
        faults = _not_for_backfill(judged.value, chapter, imported)
        if faults:
            raise Refused(*faults, *judged.faults)
        committed = commit(ledger, document, notes)
    elif chapter is not None:
        if not 1 <= chapter <= imported:
            raise Refused(_not_imported("--chapter", chapter, imported))
        written = draft(ledger, chapter, notes)
    return _progress(ledger, written, committed)


def _not_for_backfill(value: dict[str, Any], chapter: int | None, imported: int) -> list[Fault]:
    """What a right transaction may still be wrong for; what is not right is the commit's to say."""
    faults = []
    number, mode = value.get("chapter"), value.get("mode")
    if isinstance(number, int) and chapter is not None and number != chapter:
        faults.append(Fault("chapter_mismatch", "$.chapter", found=number, allowed=chapter))
    if isinstance(number, int) and number > imported:
        faults.append(_not_imported("$.chapter", number, imported))
    if isinstance(mode, str) and mode != "revision":
        faults.append(Fault("backfill_mode", "$.mode", found=mode, allowed=["revision"]))
    return faults


def _not_imported(path: str, chapter: int, imported: int) -> Fault:
    allowed = f"1..{imported}" if imported else Both("无", "none")
    return Fault("not_imported", path, found=chapter, allowed=allowed)


def _progress(ledger: Ledger, written: Drafted | None, committed: Committed | None) -> Backfilled:
    def read(reader: Reader) -> tuple[int, list[int]]:
        loaded = ledger.load(reader)
        through = loaded.state.imported_through_chapter
        return through, [n for n in _records(ledger, reader, loaded) if n <= through]

    imported, done = ledger.look(read)
    left = survey.gaps(done, imported)
    return Backfilled(
        imported_through_chapter=imported,
        recorded=survey.spans(done),
        left=left,
        left_count=sum(run.last - run.first + 1 for run in left),
        next=left[0].first if left else None,
        draft=written,
        committed=committed,
    )
