"""What must hold of the small book after a crash, and the commands that are tried on it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from typing import NamedTuple

import msgspec
import small_book
from small_book import EDIT, FIRST, IMPORTED, RETIRED, ROOT, USERS, at_revision, committing, put

from clew.kernel import log
from clew.kernel.document import digest
from clew.kernel.errors import ClewError, Corrupt, Refused, Stale
from clew.kernel.folder import FolderVault
from clew.novel import check, commit, history, marks, mend, start, timetravel, views
from clew.novel.ledger import HISTORY, SCOPE, STATE, Ledger, record_path
from clew.novel.model import State
from clew.testing import novel
from clew.testing.disk import Disk
from clew.testing.novel import Document, chapter


def public(tree: dict[str, bytes], root: str = ROOT) -> dict[str, bytes]:
    """Every file of the book but the private ones and the lock."""
    book = {p[len(root) + 1 :]: d for p, d in tree.items() if p.startswith(f"{root}/")}
    return {p: d for p, d in book.items() if p != SCOPE.lock and not p.startswith(SCOPE.private)}


def asides(tree: dict[str, bytes]) -> list[bytes]:
    return [data for path, data in tree.items() if f"{SCOPE.private}/aside/" in path]


_NOWHERE = FolderVault(ROOT, files=Disk(), boot=lambda: "")


class World(NamedTuple):
    """A book as it must be: its files, and the same with every rendered file as the truth says."""

    tree: dict[str, bytes]
    whole: dict[str, bytes]
    state: State | None
    lines: tuple[bytes, ...]

    @classmethod
    def of(cls, disk: Disk) -> World:
        tree = public(disk.tree())
        raw = tree.get(STATE)
        lines, torn = log.lines(tree.get(HISTORY, b""))
        assert not torn
        state = None if raw is None else Ledger(ROOT, vault=_NOWHERE).judge(raw)
        whole = dict(tree)
        if state is not None:
            whole |= views.render(state)
            whole |= {record_path(n): text.encode() for n, text in history.records(lines).items()}
        return cls(tree, whole, state, tuple(lines))

    @property
    def edited(self) -> dict[str, bytes]:
        """What somebody other than the ledger wrote into rendered files."""
        if self.foreign:
            return {}  # the views are still those of the history
        return {p: d for p, d in self.tree.items() if self.whole[p] != d}

    @property
    def foreign(self) -> bool:
        """The state is not the one that the history ends in."""
        last = history.brief(self.lines[-1]) if self.lines else None
        return last is not None and last.state_sha256 != digest(self.tree[STATE])

    @property
    def revision(self) -> int:
        assert self.state is not None
        return self.state.state_revision


def stay(disk: Disk, world: World) -> None:
    """The book is that one. An edited file is as it was, or rendered again and kept aside."""
    found, kept = public(disk.tree()), asides(disk.tree())
    wrong = []
    for path in sorted({*found, *world.tree, *world.whole}):
        have, was = found.get(path), world.tree.get(path)
        mended = have == world.whole.get(path) and (
            was is None or was == have or was in kept or path not in world.edited
        )
        if have != was and not mended:
            wrong.append((path, have))
    assert not wrong, f"not as they must be: {wrong}"


def seen(book: Ledger, worlds: Collection[World]) -> World:
    """The one of these worlds that a reader finds, whole, before anything is repaired."""
    reader = book.vault.reader(SCOPE)
    raw, data = reader.read(STATE), reader.read(HISTORY) or b""
    lines, torn = log.lines(data)
    assert not torn, f"a torn line is served: {torn!r}"
    for world in worlds:
        if raw == world.tree.get(STATE) and tuple(lines) == world.lines:
            if lines and not world.foreign:
                last = history.brief(reader.tail(HISTORY).line or b"")
                assert last is not None and raw is not None
                assert (last.state_sha256, last.revision) == (digest(raw), world.revision)
            return world
    raise AssertionError(f"neither old nor new: {raw!r} {lines!r}")


def checks(book: Ledger, world: World) -> bool:
    """Run `check`, which repairs. True when all agrees; else it may only name edited files."""
    try:
        answer = check.check(book, [])
    except ClewError as error:
        codes = {fault.code for fault in error.faults}
        if world.state is None:
            assert "ledger_missing" in codes, error
            return True
        if world.foreign:
            assert codes == {"changed_outside"}, error
            return True
        assert codes <= {"view_differs", "view_missing", "record_differs", "record_missing"}, error
        # What is missing was deleted by hand: then it is not in the tree at all.
        named = {str(fault.facts["file"]) for fault in error.faults}
        assert named <= {*world.edited, *({*world.whole} - {*world.tree})}, error
        return False
    assert world.state is not None
    assert (answer.state_revision, answer.adopted) == (world.revision, bool(world.lines))
    return True


# ---- the commands ---


class Operation:
    """One command on the book: what it starts from, and what comes of it."""

    def __init__(
        self, name: str, disk: Disk, run: Callable[[Ledger], object], *,
        document: Document | None = None, kept: Collection[bytes] = (),
    ) -> None:  # fmt: skip
        self.name, self.disk, self.run, self.document = name, disk, run, document
        self.old = World.of(disk)
        self.kept = (*kept, *self.old.edited.values())
        """What must be found in its place or aside, whatever happens."""

    def again(self, book: Ledger, world: World, *, done: bool) -> None:
        """The same command after the crash: it goes through, or it says that it is done."""
        if not done:
            self.run(book)
        elif self.name == "init" or self.name.startswith("init "):
            _refused("ledger_exists", lambda: self.run(book))
        elif self.document is not None:
            answer = self.run(book)
            assert isinstance(answer, commit.Committed) and answer.already_committed, answer
            assert novel.state_of(book) == world.state
        elif self.name == "undo":
            timetravel.redo(book, [])
            self.run(book)
        elif self.name == "redo":
            timetravel.undo(book, [])
            self.run(book)
        else:
            self.run(book)  # adopt, render and a mark may be repeated
            assert novel.state_of(book) == world.state

    def other(self, book: Ledger, world: World, *, done: bool) -> None:
        """A different command: the corrected transaction, another init, the next chapter."""
        if self.name.startswith("init"):
            fresh = {**FIRST, "book_title": "渡口新账"}
            if done:
                _refused("ledger_exists", lambda: start.init(book, fresh, []))
            else:
                start.init(book, fresh, [])
            commit.commit(book, chapter(novel.state_of(book)), [])
            return
        assert world.state is not None
        if world.foreign:
            assert mend.restore(book, []).restored
            return
        if self.document is None:
            answer = commit.commit(book, chapter(world.state), [])
        elif not done:
            answer = commit.commit(book, small_book.corrected(self.document), [])
        else:
            stale = _refused(
                "stale_revision",
                lambda: commit.commit(book, small_book.corrected(self.document), []),
            )
            assert isinstance(stale, Stale)
            known = next(fault for fault in stale.faults if fault.code == "stale_revision")
            assert known.facts["allowed"] == world.revision
            answer = commit.commit(book, small_book.corrected(self.document, world.state), [])
        assert answer.state_revision == world.revision + 1 and not answer.already_committed

    def turn(self, book: Ledger, world: World, *, done: bool) -> None:
        """Undo, or redo what was undone: views go back to what they were a revision ago, which is
        what a crash may have left of them."""
        if world.state is None or world.foreign or not world.lines:
            self.again(book, world, done=done)
            return
        back = timetravel.redo if done and self.name == "undo" else timetravel.undo
        briefs, _ = history.verify(world.lines)
        if back is timetravel.undo and history.undoable(briefs) is None:
            _refused("nothing_to_undo", lambda: back(book, []))
        else:
            assert back(book, []).state_revision == world.revision + 1

    def sound(self, disk: Disk, boot: str) -> None:
        """In the end everything agrees, and nothing of anybody's is lost."""
        book = small_book.ledger(disk, boot)
        state = novel.state_of(book)
        try:
            check.check(book, [])
        except Corrupt as error:
            # Only `render` mends records of other chapters that somebody edited.
            named = {str(fault.facts["file"]) for fault in error.faults}
            assert named <= {*self.old.edited, *({*self.old.whole} - {*self.old.tree})}, error
            check.render(book, [])
            check.check(book, [])
        world = World.of(disk)
        assert world.tree == world.whole and world.state == state
        assert timetravel.at(book, revision=world.revision).state == state
        found = public(disk.tree())
        for path, data in self.old.tree.items():
            if path in {**USERS, **IMPORTED}:
                assert found.get(path) == data, path
            elif path in RETIRED:
                assert found.get(f"{start.ARCHIVE}/{path.removeprefix('追踪/')}") == data, path
        have = [*asides(disk.tree()), *found.values()]
        assert all(data in have for data in self.kept), "an edit is lost"


def _refused(code: str, run: Callable[[], object]) -> ClewError:
    try:
        answer = run()
    except (Refused, Stale) as error:
        assert code in {fault.code for fault in error.faults}, error
        return error
    raise AssertionError(f"not refused with {code}: {answer!r}")


NAMES = (
    "init",
    "init bare",
    "adopt",
    "adopt outside",
    "append",
    "revision",
    "undo",
    "redo",
    "render",
    "mark",
)


def operation(name: str) -> Operation:
    """One of `NAMES`, with a fresh disk to start from."""
    if name == "init":
        disk = small_book.on_root(USERS | IMPORTED | RETIRED)
        return Operation(name, disk, lambda b: start.init(b, copy.deepcopy(FIRST), []))
    if name == "init bare":
        disk = small_book.on_root({"正文/": b""})
        first = novel.init_document(0)
        return Operation(name, disk, lambda b: start.init(b, copy.deepcopy(first), []))
    if name == "append":
        disk = at_revision(1).copy()
        put(disk, views.FORESHADOWS, EDIT)
        put(disk, views.character_path("阿达"), "# 阿达｜我另有打算\n".encode())
        document = small_book.third(small_book.states()[1])
        return Operation(name, disk.copy(), committing(document), document=document)
    if name == "revision":
        document = small_book.revised(small_book.states()[2])
        disk = at_revision(2).copy()
        put(disk, record_path(2), EDIT)
        return Operation(name, disk.copy(), committing(document), document=document)
    if name == "undo":
        return Operation(name, at_revision(3).copy(), lambda b: timetravel.undo(b, []))
    if name == "redo":
        return Operation(name, at_revision(4).copy(), lambda b: timetravel.redo(b, []))
    if name == "render":
        disk = at_revision(3).copy()
        put(disk, views.CARD, EDIT)
        put(disk, views.READER, None)
        put(disk, record_path(2), b"# mine\n")
        put(disk, record_path(3), None)
        return Operation(name, disk.copy(), lambda b: check.render(b, []))
    if name == "mark":
        both = (history.Silence("title-twice:2-3", "有意同名"), history.Publication(2, "0" * 64))
        return Operation(name, at_revision(3).copy(), lambda b: marks.put(b, [], *both))
    return _adopting(name)


def _adopting(name: str) -> Operation:
    disk = at_revision(3).copy()
    state = msgspec.json.decode(disk.read(f"{ROOT}/{STATE}"))
    if name == "adopt":
        # The book of another tool: no history, other words in its views, text that we would clean.
        gone = [p for p in disk.tree() if p.startswith(f"{ROOT}/{SCOPE.private}/")]
        for path in (*gone, f"{ROOT}/{HISTORY}"):
            disk.remove(path)
        for folder in ("stage", ""):
            disk.remove_dir(f"{ROOT}/{SCOPE.private}/{folder}".rstrip("/"))
        put(disk, views.CARD, EDIT)
    state["book_title"] = "渡口  旧账 "
    raw = msgspec.json.encode(state)
    put(disk, STATE, raw)
    return Operation(name, disk.copy(), lambda b: start.adopt(b, []), kept=[raw])
