"""A small book for the crash tests of the ledger, and the disks that it lies on.

Revision 0 takes over an imported chapter and archives a retired layout. 1 appends a chapter; 2
appends one in which a character retires and a foreshadow is resolved, over a view edited by hand;
3 revises the first of the two; 4 takes that back, 5 brings it back. `render` mends edited files,
`adopt` takes over the book of another tool. Files of the user's own lie among those of the ledger.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from typing import Any

from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.novel import commit, start, timetravel
from clew.novel.ledger import SCOPE, Ledger, record_path
from clew.novel.model import State
from clew.testing import novel
from clew.testing.disk import Disk
from clew.testing.novel import Document, applied, chapter, event, foreshadow, snapshot

ROOT = "/book"
KILL, CUT = "boot-1", "boot-2"
"""The boot at the reopening: runs are recorded in boot-1."""
USERS = {
    "追踪/我的笔记.md": "先别写死\n".encode(),
    "追踪/角色状态/关系图.txt": "江晨—周薄森\n".encode(),
    "正文/第001章_渡口.md": "船还没来。\n".encode(),
    "正文/第002章_旧账.md": "账少了半本。\n".encode(),
}
IMPORTED = {record_path(1): "# 第001章 · 渡口\n\n- 结果：导入的一章\n".encode()}
RETIRED = {
    "追踪/时间线.md": b"an old timeline\n",
    "追踪/摘要/第一卷.md": b"an old summary\n",
    "追踪/时间线/事件库.json": b"{}\n",
    "追踪/_tracking-meta.json": b'{"schema_version": 3}\n',
}
FIRST = novel.init_document(
    1,
    active_character_names=["江晨", "阿达"],
    character_snapshots={
        "江晨": snapshot(), "阿达": snapshot(identity="船工"), "周薄森": snapshot(identity="账房")
    },
    foreshadow=[foreshadow("F001", 1, 4)],
    timeline_events=[event("E001")],
)  # fmt: skip
EDIT = "我自己改的一行\n".encode()


# ---- the documents ------------------------------------------------------------------------------


@cache
def states() -> tuple[State, State, State, State]:
    """The states of revisions 0 to 3."""
    zero = novel.started(FIRST)
    one = applied(zero, second(zero))
    two = applied(one, third(one))
    return zero, one, two, applied(two, revised(two))


def second(state: State) -> Document:
    return chapter(
        state, changes=["江晨"], snapshots={"江晨": snapshot(location="账房")},
        foreshadow_changes=[foreshadow("F002", 2, 5)], timeline_events=[event("E002", 2)],
        next_chapter_commitments=["找到阿达"],
    )  # fmt: skip


def third(state: State) -> Document:
    """阿达 retires, F001 is resolved, a constraint is dropped for another one."""
    return chapter(
        state, changes=["阿达", "江晨"], retired_characters=["阿达"],
        active_character_names=["江晨", "周薄森"],
        foreshadow_changes=[foreshadow("F001", 1, 4, status="已回收")],
        timeline_events=[event("E001", 3)],
        long_term_constraints=["账本不离身"], retired_context_items=["夜里不许点明火"],
    )  # fmt: skip


def revised(state: State) -> Document:
    return chapter(state, 2, changes=["江晨"], result="第二章改写", timeline_events=[event("E003")])


def corrected(document: Document, state: State | None = None) -> Document:
    """Another text for the same chapter; with `state`, as a revision of what that state holds."""
    new = copy.deepcopy(document)
    if state is not None:
        new = chapter(state, document["chapter"])
    new["delta"]["result"] = "改正后的结果"
    new["chapter_title"] = "改正"
    return new


# ---- disks ---


def ledger(files: Files, boot: str = KILL, root: str = ROOT) -> Ledger:
    """The book as a process of that boot opens it."""
    tick = novel.ticking_clock()
    late = timedelta(hours=0 if boot == KILL else 5)

    def clock() -> Any:
        return tick() + late

    vault = FolderVault(root, files=files, clock=clock, boot=lambda: boot)
    return Ledger(root, vault=vault, clock=clock, lock_timeout=0.0)


def _settled(disk: Disk, *steps: Callable[[Ledger], object]) -> Disk:
    """A disk after some commands, everything of it durable."""
    for step in steps:
        book = ledger(disk)
        step(book)
        book.vault.settle(SCOPE)
    return disk.copy()


def put(disk: Disk, path: str, data: bytes | None) -> None:
    """What a user does with an editor (None: deletes)."""
    real = f"{ROOT}/{path}"
    disk.remove(real)
    if data is not None:
        disk.create(real, data)


def committing(document: Document) -> Callable[[Ledger], commit.Committed]:
    return lambda book: commit.commit(book, copy.deepcopy(document), [])


def on_root(files: dict[str, bytes]) -> Disk:
    return Disk.from_tree({f"{ROOT}/{path}": data for path, data in files.items()})


STEPS: dict[int, Callable[[Ledger], object]] = {
    1: lambda b: commit.commit(b, second(states()[0]), []),
    2: lambda b: commit.commit(b, third(states()[1]), []),
    3: lambda b: commit.commit(b, revised(states()[2]), []),
    4: lambda b: timetravel.undo(b, []),
    5: lambda b: timetravel.redo(b, []),
}
"""The command that makes each revision."""


@cache
def at_revision(number: int) -> Disk:
    """The book at revision 0 to 5, settled. Copy before use."""
    if number == 0:
        return _settled(on_root(USERS | IMPORTED | RETIRED), lambda b: start.init(b, FIRST, []))
    return _settled(at_revision(number - 1).copy(), STEPS[number])


def unsettled(name: str) -> Disk:
    """Where `append`, `revision` or `undo` starts, its last change made in another boot, which
    ended in order: all of it reached the disk, but the journal does not know."""
    number = {"append": 1, "revision": 2, "undo": 3}[name]
    disk = at_revision(number - 1).copy()
    STEPS[number](ledger(disk, "boot-0"))
    return disk.copy()
