"""Starting a ledger: `init` for a new or imported book, `adopt` for one that another tool kept.

Source: the seed (初始化事务, 旧结构的归档). A refused init moves nothing and makes no folder; adopting
keeps the whole state and every chapter record in the history as its baseline.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from clew.kernel.clock import stamp
from clew.kernel.document import digest, parse
from clew.kernel.errors import Corrupt, Refused
from clew.kernel.faults import Both, Fault
from clew.kernel.text import byte_length
from clew.kernel.vault import Reader, Transaction
from clew.novel import book, history, views
from clew.novel.apply import begin
from clew.novel.history import Line, RecordChange
from clew.novel.ledger import (
    FOLDER,
    HISTORY,
    RECORDS,
    STATE,
    STATE_BYTES,
    Ledger,
    Loaded,
    record_path,
)
from clew.novel.model import CARD_BYTES, CARD_WARN, SNAPSHOT_BYTES, Init, State, chapter_label
from clew.novel.rules import judge_init

ARCHIVE: Final = f"{FOLDER}/_旧追踪存档"


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """A ledger that was started or taken over."""

    status: str = "ok"
    last_committed_chapter: int
    state_revision: int
    archived: list[str] = []
    written: list[str] = []


class Takeover(msgspec.Struct, frozen=True, kw_only=True):
    """What `adopt` takes over (or would, with `dry_run`)."""

    status: str = "ok"
    dry_run: bool
    book_title: str
    last_committed_chapter: int
    imported_through_chapter: int
    state_revision: int
    characters: list[str]
    open_foreshadows: int
    overdue_foreshadows: list[str]
    events: int
    chapter_records: int
    missing_records: list[str]
    changed_bodies: list[int]
    """Chapters whose body is not the one its word-count record was made on."""
    set_aside: list[str] = []


def init(ledger: Ledger, document: Any, notes: list[Fault]) -> Started:
    """Start the ledger of a book. Raises `Refused` with every fault; an existing ledger is refused.

    Retired layouts are moved to 追踪/_旧追踪存档/ as they are.
    """
    _must_be_new(ledger.vault.reader(ledger.scope))
    judged = judge_init(document)
    notes.extend(judged.notes)
    faults = list(judged.faults)
    state: State | None = None
    if judged.shape_ok and not faults:
        state = begin(msgspec.convert(judged.value, Init))
        faults += capacity(state, notes)
    faults += _archive_taken(ledger)
    if faults or state is None:
        raise Refused(*faults)
    with ledger.changing(notes) as tx:
        _must_be_new(tx)
        archived = ledger.retired_layout(tx)
        for path in archived:
            tx.move(f"{FOLDER}/{path}", f"{ARCHIVE}/{path}")
        kept = {
            n: RecordChange(before=t, after=t)
            for n, t in record_texts(tx).items()
            if n <= state.last_committed_chapter
        }
        ledger.advance(
            tx, None, state, records=kept, notes=notes,
            kind="init", chapter=state.last_committed_chapter, state=state,
        )  # fmt: skip
    if archived:
        notes.append(Fault("layout_archived", file=ARCHIVE, found=archived))
    return Started(
        last_committed_chapter=state.last_committed_chapter,
        state_revision=state.state_revision,
        archived=archived,
        written=list(tx.report.written),
    )


def _must_be_new(reader: Reader) -> None:
    if reader.read(STATE) is not None:
        raise Refused(Fault("ledger_exists", file=STATE))
    if reader.tail(HISTORY).line is not None:
        raise Refused(Fault("history_without_state", file=HISTORY))


def _archive_taken(ledger: Ledger) -> list[Fault]:
    reader = ledger.vault.reader(ledger.scope)
    taken = []
    for path in ledger.retired_layout(reader):
        target = f"{ARCHIVE}/{path}"
        if ledger.vault.files.stat(ledger.vault.real(target)) is not None:
            taken.append(Fault("target_exists", file=target))
    return taken


def capacity(state: State, notes: list[Fault]) -> list[Fault]:
    """Caps of a whole state's card and snapshots, before anything is written."""
    faults = []
    size = byte_length(views.card(state))
    if size > CARD_BYTES:
        faults.append(
            Fault(
                "over_capacity",
                file=views.CARD,
                found=size,
                limit=CARD_BYTES,
                cut_bytes=size - CARD_BYTES,
            )
        )
    elif size > CARD_WARN:
        notes.append(
            Fault("near_capacity", file=views.CARD, found=size, limit=CARD_WARN,
                  kind="context card", kind_zh="续写状态卡")
        )  # fmt: skip
    for name, snapshot in state.characters.items():
        size = byte_length(views.character(name, snapshot))
        if size > SNAPSHOT_BYTES:
            path = views.character_path(name)
            cut = size - SNAPSHOT_BYTES
            faults.append(
                Fault("over_capacity", file=path, found=size, limit=SNAPSHOT_BYTES, cut_bytes=cut)
            )
    return faults


def record_texts(reader: Reader) -> dict[int, str]:
    """The chapter records as they lie on disk."""
    found = {}
    for name in reader.names(RECORDS):
        digits = name[1:-4]
        if (
            name.startswith("第")
            and name.endswith("章.md")
            and digits.isascii()
            and digits.isdigit()
        ):
            number = int(digits)
            raw = reader.read(f"{RECORDS}/{name}")
            if raw is not None and name == f"{chapter_label(number)}.md":
                found[number] = raw.decode("utf-8", "replace").replace("\r\n", "\n")
    return found


def adopt(ledger: Ledger, notes: list[Fault], *, dry_run: bool = False) -> Takeover:
    """Take over a ledger that another tool kept, or one that was changed outside clew.

    The whole state and the text of every chapter record become the baseline of the history; the
    views are rendered again. Raises `Corrupt` with every fault of the state.
    """
    if dry_run:
        return ledger.look(lambda reader: _takeover(ledger, reader, dry_run=True))
    with ledger.changing(notes) as tx:
        retired = ledger.retired_layout(tx)
        if retired:
            raise Corrupt(Fault("retired_layout", found=retired))
        summary = _takeover(ledger, tx, dry_run=False)
        state = present_state(ledger, tx)
        tail = tx.tail(HISTORY)
        last = history.brief(tail.line) if tail.line is not None else None
        if tail.line is not None and last is None:
            reason = Both("最后一行无法读取", "the last line cannot be read")
            raise Corrupt(Fault("history_broken", file=HISTORY, line="-1", reason=reason))
        before = Loaded(state, last, digest(tail.line) if tail.line is not None else "", 0)
        _keep_foreign_bytes(ledger, tx, state, notes)
        beyond = [n for n in record_texts(tx) if n > state.last_committed_chapter]
        notes += [
            Fault(
                "edit_set_aside", file=record_path(n), found=ledger.move_aside(tx, record_path(n))
            )
            for n in beyond
        ]
        if last is None or last.state_sha256 != digest(history.encode_state(state)):
            adopt_line(ledger, tx, before)  # what is ours already needs no new baseline
        tx.write(STATE, history.encode_state(state), truth=True)
        ledger.put_views(tx, state, state, notes)
    return msgspec.structs.replace(summary, set_aside=list(tx.report.set_aside))


def adopt_into(ledger: Ledger, tx: Transaction, loaded: Loaded, notes: list[Fault]) -> Loaded:
    """Make the baseline of a foreign ledger in the same transaction as its first commit."""
    notes.append(Fault("adopted_first", found=loaded.state.state_revision))
    _keep_foreign_bytes(ledger, tx, loaded.state, notes)
    return adopt_line(ledger, tx, loaded)


def adopt_line(ledger: Ledger, tx: Transaction, loaded: Loaded) -> Loaded:
    """Append the baseline line of a state as it stands."""
    state = loaded.state
    line = baseline(ledger, tx, state, previous=loaded.last_digest)
    data = history.dump(line)
    tx.append(HISTORY, data)
    return Loaded(state, line, digest(data), 0)


def baseline(ledger: Ledger, reader: Reader, state: State, *, previous: str) -> Line:
    """The history line that takes a state, and the chapter records on disk, as they stand."""
    last = state.last_committed_chapter
    texts = {n: text for n, text in record_texts(reader).items() if n <= last}
    return Line(
        kind="adopt",
        previous=previous,
        revision=state.state_revision,
        state_sha256=digest(history.encode_state(state)),
        time=stamp(ledger.clock()),
        chapter=state.last_committed_chapter,
        state=state,
        records={str(n): RecordChange(before=t, after=t) for n, t in sorted(texts.items())},
    )


def present_state(ledger: Ledger, reader: Reader) -> State:
    """The state on disk, judged whole, whatever the history says. Raises `Corrupt`, `Missing`."""
    raw = reader.read(STATE)
    if raw is None:
        return ledger.load(reader).state  # raises: there is nothing to adopt
    state = ledger.judge(raw)
    faults = capacity(state, [])
    if faults:
        raise Corrupt(*faults)
    return state


def _keep_foreign_bytes(ledger: Ledger, tx: Transaction, state: State, notes: list[Fault]) -> None:
    """A state whose text changes by being read (cleaned, normalised) is kept as it was."""
    raw = tx.read(STATE)
    if raw is None or raw == history.encode_state(state):
        return
    plain, _ = parse(raw, STATE, limit=STATE_BYTES)  # as `judge` read it: a BOM is tolerated
    if plain != msgspec.json.decode(history.encode_state(state)):
        notes.append(Fault("edit_set_aside", file=STATE, found=tx.set_aside(STATE)))


def _takeover(ledger: Ledger, reader: Reader, *, dry_run: bool) -> Takeover:
    from clew.novel.state_rules import overdue

    state = present_state(ledger, reader)
    last = state.last_committed_chapter
    texts = record_texts(reader)
    planted = [row for row in state.foreshadow.values() if row.status == "已埋"]
    missing = [n for n in range(state.imported_through_chapter + 1, last + 1) if n not in texts]
    return Takeover(
        dry_run=dry_run,
        book_title=state.book_title,
        last_committed_chapter=last,
        imported_through_chapter=state.imported_through_chapter,
        state_revision=state.state_revision,
        characters=sorted(state.characters),
        open_foreshadows=len(planted),
        overdue_foreshadows=overdue(state),
        events=len(state.timeline),
        chapter_records=len(texts),
        missing_records=[record_path(n) for n in missing],
        changed_bodies=changed_bodies(ledger, state.wordcount_records),
    )


def changed_bodies(ledger: Ledger, records: Mapping[str, Any]) -> list[int]:
    """Chapters whose one body on disk is not the body that its word-count record names."""
    names = book.bodies(ledger)
    out = []
    for key in sorted(records, key=int):
        found = names.get(int(key), [])
        if len(found) == 1:
            data = book.read_text(ledger, f"{book.BODIES}/{found[0]}").data
            if digest(data) != records[key].body_sha256:
                out.append(int(key))
    return out
