"""Committing a chapter's transaction: judge, apply, check capacity, advance.

Source: the seed (逐章事务, 约束, `chapter commit`). A commit is refused with every fault at once and
then nothing was written; the transaction that is the last line of the history is already committed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from clew.kernel.document import digest
from clew.kernel.errors import ClewError, Corrupt, Refused, Stale
from clew.kernel.faults import Code, Fault, register
from clew.kernel.text import byte_length
from clew.kernel.vault import Transaction
from clew.novel import book, history, record, views
from clew.novel.apply import Applied, apply, patch
from clew.novel.history import RecordChange
from clew.novel.ledger import HISTORY, Ledger, Loaded, record_path
from clew.novel.model import (
    CARD_BYTES,
    CARD_WARN,
    RECORD_BYTES,
    RECORD_WARN,
    SNAPSHOT_BYTES,
    SNAPSHOT_WARN,
    Chaptered,
    Snapshot,
    State,
    WordRecord,
)
from clew.novel.rules import judge_chapter
from clew.novel.start import adopt_into

Counted = Callable[[], WordRecord]
"""Counts the body and reads the target again, under the lock. Raises when it may not be committed."""
_PEERS_ACTIVE: Final = 6


class Committed(msgspec.Struct, frozen=True, kw_only=True):
    """What a commit did. `written` are paths within the book."""

    status: str = "ok"
    mode: str
    chapter: int
    last_committed_chapter: int
    state_revision: int
    already_committed: bool = False
    written: list[str] = []
    wordcount: WordRecord | None = None


def commit(
    ledger: Ledger, document: Any, notes: list[Fault], *, counted: Counted | None = None
) -> Committed:
    """Commit one transaction.

    `counted` makes the word-count record (`chapter commit`); without it the low-level commit of
    the seed is done. Notes are added to `notes`. Raises `Refused`/`Stale` with every fault,
    `Missing`, `ChangedOutside`, `Corrupt`, `Locked`, `StorageFailed`.
    """
    with ledger.changing(notes) as tx:
        loaded = ready(ledger, tx)
        state = loaded.state
        judged = judge_chapter(document, state)
        notes.extend(judged.notes)
        wanted = msgspec.convert(judged.value, Chaptered) if judged.shape_ok else None
        if wanted is not None and wanted.wordcount is None and counted is not None:
            wanted = msgspec.structs.replace(wanted, wordcount=counted())
        if wanted is not None and _is_last(ledger, tx, loaded, wanted):
            notes.append(Fault("already_committed"))
            return _answer(state, wanted, already=True)
        faults = list(judged.faults)
        applied: Applied | None = None
        text = ""
        old = None
        if wanted is not None and all(fault.code != "missing_field" for fault in faults):
            old = _record_text(ledger, tx, wanted.chapter)
            applied, text = _try(state, wanted, old)
            faults += _capacity(ledger, applied, wanted, text, notes)
            if wanted.chapter == state.last_committed_chapter + 1:
                # A committed chapter's own record is no obstacle to move away.
                faults += _record_free(tx, wanted, text)
            if counted is None:
                faults += _recount(ledger, state, wanted)
        else:
            faults += _snapshot_sizes(_right_snapshots(judged.part("character_snapshots")), [])
        if faults:
            raise _refusal(faults)
        assert wanted is not None and applied is not None
        if loaded.last is None:
            loaded = adopt_into(ledger, tx, loaded, notes)
        if wanted.mode == "revision":
            _warn_of_readers(ledger, tx, notes, wanted.chapter)
        elif loaded.last is not None and loaded.last.kind not in ("append", *history.BASELINES):
            _warn_of_readers(ledger, tx, notes, wanted.chapter, later=True)
        if old is not None and wanted.mode == "revision":
            emptied = record.emptied(old, text)
            if emptied:
                notes.append(Fault("sections_emptied", chapter=wanted.chapter, found=emptied))
        ledger.advance(
            tx,
            loaded,
            applied.state,
            records={wanted.chapter: RecordChange(before=old, after=text)},
            notes=notes,
            kind=wanted.mode,
            chapter=wanted.chapter,
            transaction=wanted,
            before=patch(applied.state, state),
        )
    return _answer(applied.state, wanted, written=list(tx.report.written))


def ready(ledger: Ledger, tx: Transaction) -> Loaded:
    """The loaded ledger of a book that may be written. Raises what `load` raises, and refuses a
    book that still holds a retired layout."""
    retired = ledger.retired_layout(tx)
    if retired:
        raise Corrupt(Fault("retired_layout", found=retired))
    return ledger.load(tx)


def _refusal(faults: list[Fault]) -> ClewError:
    stale = any(fault.code == "stale_revision" for fault in faults)
    return Stale(*faults) if stale else Refused(*faults)


def _warn_of_readers(
    ledger: Ledger, tx: Transaction, notes: list[Fault], chapter: int, *, later: bool = False
) -> None:
    """Say what readers have of a chapter already; `later`: and of those after it, which were undone.

    An append behind another one asks nothing of the history, for its cost must not grow with the
    book; the first one behind an undo speaks for all that follow.
    """
    from clew.novel import marks

    notes.extend(
        Fault("published_chapter_revised", chapter=number)
        for number in sorted(marks.read(ledger, tx).published)
        if number == chapter or (later and number > chapter)
    )


def _answer(
    state: State, tx: Chaptered, *, already: bool = False, written: list[str] | None = None
) -> Committed:
    return Committed(
        mode=tx.mode,
        chapter=tx.chapter,
        last_committed_chapter=state.last_committed_chapter,
        state_revision=state.state_revision,
        already_committed=already,
        written=written or [],
        wordcount=tx.wordcount,
    )


def _is_last(ledger: Ledger, tx: Transaction, loaded: Loaded, wanted: Chaptered) -> bool:
    last, line = loaded.last, tx.tail(HISTORY).line
    if last is None or wanted.expected_state_revision != last.revision - 1:
        return False
    if last.kind in history.MARKS:
        # A silenced finding or a publication after the commit does not make it another commit.
        line, last = history.last_change(ledger.lines(tx))
    if last is None or last.kind not in history.COMMITS or last.chapter != wanted.chapter:
        return False
    done = history.load(line).transaction if line is not None else None
    if done is not None and wanted.wordcount is None:
        # What an author handed in never holds the count that the commit added.
        done = msgspec.structs.replace(done, wordcount=None)
    return done == wanted


def _record_text(ledger: Ledger, tx: Transaction, chapter: int) -> str | None:
    """The chapter's record as the history has it; as it lies on disk where the history has none."""
    found = history.record_of(ledger.lines(tx), chapter) if _may_have(tx, chapter) else None
    if found is not None:
        return found
    raw = tx.read(record_path(chapter))
    return raw.decode("utf-8", "replace").replace("\r\n", "\n") if raw is not None else None


def _may_have(tx: Transaction, chapter: int) -> bool:
    # A new chapter has no record in the history unless an undo took one back: then the last line
    # says so, and the whole history need not be read on the way of every append.
    tail = tx.tail(HISTORY).line
    last = history.brief(tail) if tail is not None else None
    return last is not None and (
        last.kind not in ("append", "init") or last.chapter is None or chapter <= last.chapter
    )


def _try(state: State, tx: Chaptered, old: str | None) -> tuple[Applied, str]:
    applied = apply(state, tx)
    carried: list[str] = []
    core = set(applied.state.characters)
    if old and tx.mode == "revision":
        carried = record.retirement_lines(old)
        core |= record.core_names(old)  # who has retired since was a core character then
    text = record.render(tx, core, applied.dropped_items, carried)
    return applied, text


def _capacity(
    ledger: Ledger, applied: Applied, tx: Chaptered, text: str, notes: list[Fault]
) -> list[Fault]:
    """容量在任何写入前检查; targets below the caps are notes."""
    faults: list[Fault] = []
    after = applied.state
    known = [n for n in after.context.active_character_names if n in after.characters]
    shown = after
    if known != after.context.active_character_names:
        shown = msgspec.structs.replace(
            after, context=msgspec.structs.replace(after.context, active_character_names=known)
        )
    sizes = [
        (
            views.CARD,
            len(ledger.memo.card(shown)),
            CARD_WARN,
            CARD_BYTES,
            "context card",
            "续写状态卡",
        ),
        (
            record_path(tx.chapter),
            byte_length(text),
            RECORD_WARN,
            RECORD_BYTES,
            "chapter record",
            "逐章记录",
        ),
    ]
    for file, size, warn, cap, kind, kind_zh in sizes:
        if size > cap:
            faults.append(
                Fault("over_capacity", file=file, found=size, limit=cap, cut_bytes=size - cap)
            )
        elif size > warn:
            notes.append(
                Fault(
                    "near_capacity", file=file, found=size, limit=warn, kind=kind, kind_zh=kind_zh
                )
            )
    faults += _snapshot_sizes(tx.character_snapshots, notes)
    if len(known) > _PEERS_ACTIVE:
        notes.append(Fault("many_active", found=len(known)))
    return faults


def _right_snapshots(parts: dict[str, Any]) -> dict[str, Snapshot]:
    """The snapshots that are right in a transaction that is not."""
    out = {}
    for name, part in parts.items():
        try:
            out[name] = msgspec.convert(part, Snapshot)
        except msgspec.ValidationError:
            continue  # its faults are in the answer already
    return out


def _snapshot_sizes(snapshots: dict[str, Snapshot], notes: list[Fault]) -> list[Fault]:
    faults = []
    for name, snapshot in snapshots.items():
        size = byte_length(views.character(name, snapshot))
        if size > SNAPSHOT_BYTES:
            faults.append(
                Fault(
                    "over_capacity", f"$.character_snapshots.{name}", file=views.character_path(name),
                    found=size, limit=SNAPSHOT_BYTES, cut_bytes=size - SNAPSHOT_BYTES,
                )
            )  # fmt: skip
        elif size > SNAPSHOT_WARN:
            notes.append(
                Fault(
                    "near_capacity", file=name, found=size, limit=SNAPSHOT_WARN,
                    kind="character snapshot", kind_zh="角色快照",
                )
            )  # fmt: skip
    return faults


def _record_free(tx: Transaction, wanted: Chaptered, text: str) -> list[Fault]:
    """append 只接受内容完全相同的既有逐章记录."""
    if wanted.mode != "append":
        return []
    path = record_path(wanted.chapter)
    found = tx.read(path)
    if found is None or found.replace(b"\r\n", b"\n") == text.encode():
        return []
    if digest(found) in tx.recovery.ours:
        return []
    return [Fault("record_exists", file=path, chapter=wanted.chapter)]


def _recount(ledger: Ledger, state: State, tx: Chaptered) -> list[Fault]:
    """已有字数记录的章节正文或目标改过后，拒绝不带计数的修订."""
    known = state.wordcount_records.get(str(tx.chapter))
    if known is None or tx.mode != "revision":
        return []
    try:
        body = book.body(ledger, tx.chapter)
        _, outline = book.outline(ledger, tx.chapter)
    except ClewError:
        same = False  # what cannot be read cannot be shown to be unchanged
    else:
        same = digest(body.data) == known.body_sha256 and (
            outline.target == known.target or known.author_range is not None
        )
    return [] if same else [Fault("recount_needed", chapter=tx.chapter)]


register(
    Code(
        "published_chapter_revised",
        0,
        "第 {chapter} 章已经发布过，读者看到的是修订前的内容",
        "chapter {chapter} is published already: readers have what it was before",
        "把改过的章更新到平台，再运行 clew novel publish --chapter {chapter}。",
        "Update the chapter where it is published, then run `clew novel publish --chapter {chapter}`.",
        about_zh="提示：修订了已发布的章。修订照常生效；clew novel stats 列出发布后改过的正文。",
        about_en="A note: a published chapter was revised. The revision holds; `clew novel stats` lists "
        "bodies that changed since they were published.",
    ),
)
