"""Somebody edits the book between the crash and the next command.

Views and chapter records are kept aside and rendered again. A state that waits in the journal is
not overwritten: both sides are shown, and either may be kept; the other one goes aside.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
import small_book
from small_book import CUT, EDIT, KILL, ROOT, ledger
from small_ledger import World, asides, operation, public, seen
from test_crash_kernel import Case, judge
from test_crash_novel import Run, code_of

from clew.kernel.errors import Corrupt
from clew.kernel.journal import is_torn
from clew.novel import check, commit, mend, start, timetravel, views
from clew.novel.ledger import RECORDS, STATE, record_path
from clew.testing import novel
from clew.testing.disk import Disk

OPERATIONS = ("append", "revision", "undo", "adopt")
FILES = (views.CARD, views.FORESHADOWS, views.character_path("江晨"), record_path(2))
MINE = "# 我在两次命令之间改的\n".encode()


def crashes(run: Run, every: int) -> Iterator[tuple[str, Disk, str, list[World]]]:
    for start_, stop, allowed in run.stretches():
        worlds = [run.new if done else run.op.old for done in allowed]
        for label, disk in run.recording.kills(start_, stop):
            yield label, disk, KILL, worlds
        for label, disk in run.recording.power_cuts(1, start_, stop, every=every):
            yield label, disk, CUT, worlds


def free(run: Run) -> list[str]:
    """Files to be edited now: not those edited before, and no record where there is no history
    to render it from."""
    known = [path for path in FILES if path not in run.op.old.edited]
    return [p for p in known if run.op.old.lines or not p.startswith(RECORDS)]


# ---- views and records --------------------------------------------------------------------------


def rendered_again(run: Run, disk: Disk, boot: str, worlds: list[World], path: str) -> None:
    small_book.put(disk, path, MINE)
    book = ledger(disk, boot)
    world = seen(book, worlds)
    try:
        check.check(book, [])
    except Corrupt as error:
        named = {str(fault.facts["file"]) for fault in error.faults}
        assert named <= {path, *run.op.old.edited}
    assert MINE in (*asides(disk.tree()), public(disk.tree()).get(path)), "the edit is lost"
    check.render(book, [])
    check.check(book, [])
    assert public(disk.tree())[path] == world.whole[path]
    assert MINE in asides(disk.tree())
    if world.lines:
        run.op.again(book, world, done=world is run.new)
        run.op.sound(disk, boot)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_edited_view_or_record_is_kept_aside_and_rendered_again(name: str) -> None:
    def cases() -> Iterator[Case]:
        run = Run(operation(name))
        for count, (label, disk, boot, worlds) in enumerate(crashes(run, 101)):
            files = free(run)
            path = files[count % len(files)]
            yield f"{label}; {path}", partial(rendered_again, run, disk, boot, worlds, path)

    judge(f"edited views and records after a crash in {name} (a sample)", cases(), 50)


# ---- the state ----------------------------------------------------------------------------------


def edited_state(data: bytes, kind: int) -> bytes:
    """A lawful edit, or one that is no state any more."""
    return (data.replace("渡口".encode(), "渡船".encode()), EDIT)[kind % 2]


def decided(run: Run, disk: Disk, boot: str, worlds: list[World], kind: int) -> bool:
    """Whether there was anything to decide: a change that waits in the journal."""
    raw = disk.read(f"{ROOT}/{STATE}")
    mine = edited_state(raw, kind)
    small_book.put(disk, STATE, mine)
    before = public(disk.tree())
    book = ledger(disk, boot)
    keep = ("disk", "journal")[kind // 2 % 2]
    waiting = code_of(lambda: check.check(book, [])) == "recovery_conflict"
    if waiting:
        assert public(disk.tree()) == before, "nothing is touched before it is decided"
        for command in (timetravel.undo, start.adopt):
            assert code_of(partial(command, book, [])) == "recovery_conflict"
        shown = mend.recover(book, [])
        assert shown.status == "needs_decision" and shown.pending
        (both,) = shown.conflicts
        assert both.file == STATE and both.disk_sha256 != both.journal_sha256
        shown_lines = both.disk.split("\n")
        assert both.journal and all(line in mine.decode() for line in shown_lines)
        answer = mend.recover(book, [], keep=keep)  # type: ignore[arg-type]
        assert answer.kept == keep
        waits = run.new.tree[STATE]
        loser = mine if keep == "journal" else waits
        assert loser in asides(disk.tree())
        assert disk.read(f"{ROOT}/{STATE}") == (waits if keep == "journal" else mine)
    if not waiting or keep == "disk":
        # The state on disk is not what the history ends in: it is taken over, or put back.
        assert code_of(lambda: check.check(book, [])) in ("changed_outside", "bad_json")
        if kind % 2:
            assert mend.restore(book, []).restored
            assert mine in asides(disk.tree())
        else:
            start.adopt(book, [])
            assert novel.state_of(book).book_title == "渡船旧账"
    if run.op.old.edited:
        # The view of a character that only the other side has is left for its author to judge.
        check.render(book, [], prune=True)
    check.check(book, [])
    state = novel.state_of(book)
    answer_ = commit.commit(book, novel.chapter(state), [])
    assert answer_.state_revision == state.state_revision + 1
    check.check(book, [])
    return waiting


@pytest.mark.parametrize("name", ["append", "revision", "undo"])
def test_an_edited_state_is_never_overwritten_unasked(name: str) -> None:
    waited: list[bool] = []

    def case(run: Run, disk: Disk, boot: str, worlds: list[World], kind: int) -> None:
        waited.append(decided(run, disk, boot, worlds, kind))

    def cases() -> Iterator[Case]:
        run = Run(operation(name))
        for count, (label, disk, boot, worlds) in enumerate(crashes(run, 101)):
            found = disk.read(f"{ROOT}/{STATE}")
            if not is_torn(found) and found in (run.op.old.tree[STATE], run.new.tree[STATE]):
                yield f"{label}; {count % 4}", partial(case, run, disk, boot, worlds, count)

    judge(f"edited states after a crash in {name} (a sample)", cases(), 50)
    assert sum(waited) > 5 and not all(waited)


@pytest.mark.parametrize("name", ["append", "revision"])
def test_a_record_that_a_kill_kept_back_is_in_the_baseline_of_an_edited_state(name: str) -> None:
    """The state is in place and the chapter's record is not yet: `adopt` takes what lies on the disk."""

    def cases() -> Iterator[Case]:
        run = Run(operation(name))
        for label, disk, boot, worlds in crashes(run, 1):
            if label.startswith("kill") and STATE in label:
                for kind in range(4):
                    case = partial(decided, run, disk.copy(), boot, worlds, kind)
                    yield f"{label}; {kind}", case

    judge(f"edited states after a kill in {name}", cases(), 4)


# ---- everything ---------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_edited_file_after_every_crash(name: str) -> None:
    def cases() -> Iterator[Case]:
        run = Run(operation(name))
        for label, disk, boot, worlds in crashes(run, 1):
            for path in free(run):
                yield (
                    f"{label}; {path}",
                    partial(rendered_again, run, disk.copy(), boot, worlds, path),
                )
            if name == "adopt":
                continue
            found = disk.read(f"{ROOT}/{STATE}")
            if found in (run.op.old.tree[STATE], run.new.tree[STATE]):
                for kind in range(4):
                    yield (
                        f"{label}; state {kind}",
                        partial(decided, run, disk.copy(), boot, worlds, kind),
                    )

    judge(f"every edit after every crash in {name}", cases(), 500)
