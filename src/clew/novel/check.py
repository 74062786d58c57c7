"""`check`, `render` and `stats`: is everything under 追踪/ what the ledger says?

Source: the seed (`check`: state, 逐章记录, 7 栏, 快照上限, 派生文件集合, 逐字一致) and, beyond it, the
content of chapter records against the history and the chain of the history itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from clew.kernel import log
from clew.kernel.document import digest
from clew.kernel.errors import ClewError, Corrupt
from clew.kernel.faults import Both, Fault
from clew.kernel.text import nfc, portable_key
from clew.kernel.vault import Reader
from clew.novel import book, history, views
from clew.novel.commit import ready
from clew.novel.ledger import HISTORY, RECORDS, STATE, Ledger, Loaded, record_path
from clew.novel.model import RECORD_BYTES, State, chapter_label
from clew.novel.start import capacity
from clew.novel.state_rules import overdue


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """A ledger whose every file agrees."""

    status: str = "ok"
    last_committed_chapter: int
    state_revision: int
    adopted: bool
    """False for a ledger of another tool that was not taken over yet: it has no history."""


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """What `render` rebuilt."""

    status: str = "ok"
    last_committed_chapter: int
    state_revision: int
    written: list[str]
    set_aside: list[str]
    pruned: list[str]


def check(ledger: Ledger, notes: list[Fault]) -> Checked:
    """Hold every file under 追踪/ against the ledger. Raises `Corrupt` with every fault."""
    loaded, faults = ledger.look(lambda reader: _check(ledger, reader, notes))
    if faults:
        raise Corrupt(*faults)
    assert loaded is not None
    return Checked(
        last_committed_chapter=loaded.state.last_committed_chapter,
        state_revision=loaded.state.state_revision,
        adopted=loaded.last is not None,
    )


def _check(ledger: Ledger, reader: Reader, notes: list[Fault]) -> tuple[Loaded | None, list[Fault]]:
    faults: list[Fault] = []
    retired = ledger.retired_layout(reader)
    if retired:
        faults.append(Fault("retired_layout", found=retired))
    raw = reader.read(HISTORY) or b""
    lines, torn = log.lines(raw)
    if torn:
        notes.append(Fault("history_torn", file=HISTORY, found=len(torn)))
    _, broken = history.verify(lines)
    faults += broken
    try:
        loaded = ledger.load(reader)
    except ClewError as error:
        known = {(f.code, f.path) for f in faults}
        return None, faults + [f for f in error.faults if (f.code, f.path) not in known]
    # What we wrote was judged then; a rule that another version lacked must still hold now.
    faults += capacity(loaded.state, notes)
    if loaded.last is None:
        faults += _records(reader, loaded.state, {}, known=False)
    elif not broken:
        faults += _last_line(loaded.state, lines)
        faults += _records(reader, loaded.state, history.records(lines), known=True)
    if loaded.last is None:
        # Another tool words its views in its own way; they are rendered anew when it is adopted.
        notes.append(Fault("not_adopted", file=STATE))
    else:
        faults += _views(reader, loaded.state)
    faults += _strays(ledger, loaded.state)
    return loaded, faults


def _last_line(state: State, lines: list[bytes]) -> Iterator[Fault]:
    """No later line vouches for the last one: what it says must lead to the state."""
    data, _ = history.last_change(lines)
    if data is None:
        return
    line = history.load(data)
    if line.kind in history.COMMITS and history.step(history.back(state, line), line) != state:
        reason = Both(
            "这一行的事务不会得到现在的 state", "this line's transaction does not give the state"
        )
        yield Fault("history_broken", file=HISTORY, line=len(lines), reason=reason)


def _records(
    reader: Reader, state: State, texts: dict[int, str], *, known: bool
) -> Iterator[Fault]:
    """逐章记录: continuous, canonical names, size, and (beyond the seed) content."""
    last = state.last_committed_chapter
    found: set[int] = set()
    for name in reader.names(RECORDS):
        if not (name.startswith("第") and name.endswith("章.md")):
            continue
        digits = nfc(name)[1:-4]
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0
        path = f"{RECORDS}/{name}"
        if number < 1 or number > last or name != f"{chapter_label(number)}.md":
            allowed = f"{chapter_label(number)}.md" if 1 <= number <= last else f"≤ {last}"
            yield Fault("record_name", file=path, allowed=allowed)
            continue
        found.add(number)
        data = reader.read(path) or b""
        if len(data.replace(b"\r\n", b"\n")) > RECORD_BYTES:
            cut = len(data) - RECORD_BYTES
            yield Fault(
                "over_capacity", file=path, found=len(data), limit=RECORD_BYTES, cut_bytes=cut
            )
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        if known and texts.get(number) != text:
            yield Fault("record_differs", file=path)
    wanted = {*range(state.imported_through_chapter + 1, last + 1), *texts}
    for number in sorted(wanted - found):
        yield Fault("record_missing", file=record_path(number))


def _views(reader: Reader, state: State) -> Iterator[Fault]:
    for path, data in views.render(state).items():
        found = reader.read(path)
        if found is None:
            yield Fault("view_missing", file=path)
        elif found.replace(b"\r\n", b"\n") != data:
            yield Fault("view_differs", file=path)


def strays(ledger: Ledger, state: State) -> list[str]:
    """Files in 角色状态/ that are no character's view, whoever put them there."""
    known = {f"{portable_key(name)}.md": f"{name}.md" for name in state.characters}
    out = []
    seen: set[str] = set()
    names = ledger.vault.listing(views.CHARACTERS)
    # Our own spelling comes first: of two spellings of one name the other one is the stray.
    for name in sorted(names, key=lambda name: (nfc(name) != name, name)):
        if not name.endswith(".md"):
            continue
        key = portable_key(name)
        # Two spellings of one name (case, NFD) are one file on some systems: the second is stray.
        right = known.get(key)
        if right is None or (nfc(name) != right) or nfc(name) in seen:
            out.append(f"{views.CHARACTERS}/{name}")
        seen.add(nfc(name))
    return out


def _strays(ledger: Ledger, state: State) -> Iterator[Fault]:
    for path in strays(ledger, state):
        yield Fault("stray_file", file=path)


def render(ledger: Ledger, notes: list[Fault], *, prune: bool = False) -> Rendered:
    """Rebuild every view and chapter record of the present revision.

    Edited files go aside first. `prune` moves files that belong to no character aside; nothing is
    ever deleted.
    """
    pruned: list[str] = []
    with ledger.changing(notes) as tx:
        loaded = ready(ledger, tx)
        ledger.put_views(tx, loaded.state, loaded.state, notes)
        ledger.put_records(tx, notes)
        for path in strays(ledger, loaded.state) if prune else ():
            folder, _, name = path.rpartition("/")
            if nfc(name) == name and "\\" not in name:
                ledger.move_aside(tx, path)
            else:
                ledger.vault.lay_aside(ledger.scope, folder, name)
            pruned.append(path)
    return Rendered(
        last_committed_chapter=loaded.state.last_committed_chapter,
        state_revision=loaded.state.state_revision,
        written=list(tx.report.written),
        set_aside=list(tx.report.set_aside),
        pruned=pruned,
    )


class Stock(msgspec.Struct, frozen=True):
    """Committed chapters that readers do not have yet (存稿), and their visible characters."""

    chapters: int
    visible_chars: int


class ChapterLength(msgspec.Struct, frozen=True):
    """The length of one body on disk."""

    chapter: int
    visible_chars: int
    words: int
    target: int | None
    """That of the word record; of the outline where the chapter has no record."""
    committed: bool
    published: bool = False


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """Where the book stands, in numbers."""

    status: str = "ok"
    book_title: str
    last_committed_chapter: int
    state_revision: int
    bodies: int
    visible_chars: int
    words: int
    characters: int
    active_characters: int
    foreshadows: dict[str, int]
    overdue: list[str]
    """Foreshadows whose planned chapter is written while they are still 已埋."""
    overdue_by: dict[str, int] = {}
    """How many chapters are written since the planned one; 0: that one was the last."""
    overdue_silenced: list[str] = []
    """Those of them that the author silenced in lint: left open on purpose."""
    events: int
    unrevealed: list[str]
    """Events that the reader knows nothing of."""
    partly_revealed: list[str] = []
    """Events of which the reader knows a part: the rest is hidden still."""
    changed_bodies: list[int]
    """Chapters whose body is no longer the one that was counted and committed."""
    published: int
    """Chapters that readers have."""
    published_changed: list[int]
    """Published chapters whose body is no longer what readers got, or is gone."""
    stock: Stock
    """What is committed and not published yet."""
    lengths: list[ChapterLength]


def _stock(lengths: list[ChapterLength]) -> Stock:
    waiting = [row.visible_chars for row in lengths if row.committed and not row.published]
    return Stock(len(waiting), sum(waiting))


def _outline_targets(ledger: Ledger, chapters: Collection[int]) -> dict[int, int]:
    """The length targets of these chapters' outlines; an outline that gives none is left out."""
    from clew.novel.outline import parse_outline

    found = {}
    names = book.outlines(ledger) if chapters else {}
    for chapter in chapters:
        if len(names.get(chapter, ())) == 1:
            source = book.read_text(ledger, f"{book.OUTLINES}/{names[chapter][0]}")
            target = parse_outline(source.data).target
            if target is not None:
                found[chapter] = target
    return found


def stats(ledger: Ledger, notes: list[Fault] | None = None) -> Stats:
    """Chapters, characters, lengths, foreshadows by status, and what is overdue.

    Files that look like chapters and were not counted go into `notes`.
    """
    from clew.novel import marks
    from clew.novel.publish import changed as published_changed
    from clew.novel.wordcount import visible_chars_v1, words

    state, said = ledger.look(
        lambda reader: (ledger.load(reader).state, marks.read(ledger, reader))
    )
    published, silences = said.published, marks.holding(said, state).silences
    if notes is not None:
        notes += book.left_out(ledger)
    bodies = book.bodies(ledger)
    planned = _outline_targets(ledger, [n for n in bodies if str(n) not in state.wordcount_records])
    lengths, changed = [], []
    digests: dict[int, str] = {}
    for chapter, names in sorted(bodies.items()):
        data = book.read_text(ledger, f"{book.BODIES}/{sorted(names)[0]}").data
        text = data.decode("utf-8", "replace")
        digests[chapter] = sha = digest(data)
        record = state.wordcount_records.get(str(chapter))
        if record is not None and sha != record.body_sha256:
            changed.append(chapter)
        lengths.append(
            ChapterLength(
                chapter, visible_chars_v1(text), words(text),
                record.target if record else planned.get(chapter),
                chapter <= state.last_committed_chapter, chapter in published,
            )
        )  # fmt: skip
    by_status: dict[str, int] = {}
    for row in state.foreshadow.values():
        by_status[row.status] = by_status.get(row.status, 0) + 1
    last, late = state.last_committed_chapter, overdue(state)
    revealed = {e.id: e.reveal_status for e in state.timeline.values()}
    return Stats(
        book_title=state.book_title,
        last_committed_chapter=state.last_committed_chapter,
        state_revision=state.state_revision,
        bodies=len(lengths),
        visible_chars=sum(row.visible_chars for row in lengths),
        words=sum(row.words for row in lengths),
        characters=len(state.characters),
        active_characters=len(state.context.active_character_names),
        foreshadows=by_status,
        overdue=late,
        overdue_by={
            one: last - (state.foreshadow[one].planned_resolution_chapter or last) for one in late
        },
        overdue_silenced=[one for one in late if marks.overdue_key(one) in silences],
        events=len(state.timeline),
        unrevealed=[ident for ident, status in revealed.items() if status == "未揭示"],
        partly_revealed=[ident for ident, status in revealed.items() if status == "部分揭示"],
        changed_bodies=changed,
        published=len(published),
        published_changed=published_changed(published, digests),
        stock=_stock(lengths),
        lengths=lengths,
    )
