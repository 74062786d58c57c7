"""A disk that refuses a call in the midst of a command of the ledger, and commands that are refused.

What the answer says is true: refused is the old revision, done or `publish_incomplete` the new one;
it is always one of the error family. A transaction that breaks a rule changes nothing that lasts.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from functools import partial

import pytest
import small_book
from small_book import CUT, KILL, ledger
from small_ledger import NAMES, Operation, operation, seen
from test_crash_kernel import Case, judge
from test_crash_novel import CHANGES, Run, first_check, holds

from clew.kernel.errors import ClewError, StorageFailed
from clew.novel import check, commit, start, timetravel
from clew.novel.ledger import SCOPE, Ledger
from clew.testing import novel
from clew.testing.crash import Recording
from clew.testing.disk import Disk
from clew.testing.faulty import Failure

FAULTS = [
    (errno.ENOSPC, False, False), (errno.ENOSPC, True, True), (errno.EACCES, False, False),
    (errno.EIO, True, False),
]  # fmt: skip
"""Error, whether half of a write is made, whether every later call that needs space fails too."""
DIFFERS = {"view_differs", "view_missing", "record_differs", "record_missing", "stray_file"}
CODES = {"disk_full", "permission_denied", "io_failed", "publish_incomplete"}


def failing(disk: Disk, at: int | None, number: int, half: bool, stays: bool) -> Failure:
    error = OSError(number, os.strerror(number))
    disk.failure = Failure(at, error, partial=half, stays=stays)
    return disk.failure


def attempt(run: Callable[[], object]) -> bool:
    """Whether the answer promises the new revision. Anything but the error family goes through."""
    try:
        run()
    except StorageFailed as error:
        assert error.code in CODES, error
        return error.code == "publish_incomplete"
    return True


def answered(run: Run, at: int, fault: tuple[int, bool, bool], turn: int) -> None:
    """One call fails; then the cause is gone, and the work goes on in this process or another."""
    op, disk = run.op, run.op.disk.copy()
    book = ledger(disk)
    failure = failing(disk, at, *fault)
    done = attempt(lambda: op.run(book))
    assert failure.hits
    failing(disk, None, *fault)
    world = seen(ledger(disk), [run.new if done else op.old])
    if turn % 2:
        disk = disk.copy()  # another process
        disk.wait(3600)
        book = ledger(disk)
    if turn % 3:
        first_check(book, world)
    CHANGES[turn % len(CHANGES)](op, book, world, done=done)
    op.sound(disk, KILL)


@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_fails_leaves_what_the_answer_says(name: str) -> None:
    def cases() -> Iterator[Case]:
        run = Run(operation(name))
        turn = 0
        for fault in FAULTS:
            for at in range(1, run.asked + 1):
                turn += 1
                label = f"{errno.errorcode[fault[0]]} half={fault[1]} stays={fault[2]} call {at}"
                yield label, partial(answered, run, at, fault, turn)

    judge(f"faults in {name}", cases(), 25)


def test_a_call_that_fails_while_a_command_repairs_does_no_harm() -> None:
    """The next command is a reading one, and its repair meets the full disk."""

    def case(run: Run, disk: Disk, boot: str, allowed: list[bool], at: int) -> None:
        disk = disk.copy()
        failing(disk, at, errno.ENOSPC, True, False)
        book = ledger(disk, boot)
        worlds = [run.new if done else run.op.old for done in allowed]
        world = seen(book, worlds)
        # A view that could not be rendered differs, and `check` says so.
        try:
            check.check(book, [])
        except ClewError as error:
            assert {f.code for f in error.faults} <= CODES | DIFFERS, error
        failing(disk, None, errno.ENOSPC, False, False)
        holds(run, disk, boot, [world is run.new], at)

    def cases() -> Iterator[Case]:
        run = Run(operation("append"))
        for start_, stop, allowed in run.stretches():
            kills = [(KILL, *found) for found in run.recording.kills(start_, stop)]
            cuts = run.recording.power_cuts(1, start_, stop, every=199)
            for boot, label, disk in kills[::5] + [(CUT, *found) for found in cuts]:
                probe = disk.copy()
                first_check(ledger(probe, boot), seen(ledger(probe, boot), [run.op.old, run.new]))
                for at in range(1, probe.failure.calls + 1, 3):
                    yield f"{label}, then call {at}", partial(case, run, disk, boot, allowed, at)

    judge("faults while a command repairs (a sample)", cases(), 50)


# ---- refused ------------------------------------------------------------------------------------


def _refusals() -> dict[str, tuple[Operation, Callable[[Ledger], object]]]:
    wrong = small_book.third(small_book.states()[1])
    wrong["delta"]["retired_characters"] = ["无此人"]
    taken = operation("append")
    bare = operation("init bare")
    return {
        "a commit that breaks a rule": (taken, lambda b: commit.commit(b, wrong, [])),
        "a stale commit": (
            operation("undo"), lambda b: commit.commit(b, small_book.corrected(wrong), [])
        ),
        "a commit without a ledger": (bare, lambda b: commit.commit(b, wrong, [])),
        "an init over a ledger": (taken, lambda b: start.init(b, small_book.FIRST, [])),
        "an init that breaks a rule": (
            operation("init"), lambda b: start.init(b, novel.init_document(-1), [])
        ),
        "an adoption of nothing": (bare, lambda b: start.adopt(b, [])),
        "a redo of nothing": (operation("undo"), lambda b: timetravel.redo(b, [])),
    }  # fmt: skip


REFUSALS = _refusals()


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_refused_changes_nothing_that_lasts(name: str) -> None:
    """Not one byte, not one name; and a crash in its midst leaves no more than a lock file."""
    op, run = REFUSALS[name]
    recording = Recording(op.disk.copy())
    before = recording.disk.nodes.everything()
    with pytest.raises(ClewError):
        run(ledger(recording.disk))
    assert recording.disk.nodes.everything() == before

    def case(disk: Disk, boot: str) -> None:
        left = disk.nodes.everything()
        left.pop(f"{small_book.ROOT}/{SCOPE.lock}", None)
        if f"{small_book.ROOT}/{SCOPE.folder}/" not in before:
            left.pop(f"{small_book.ROOT}/{SCOPE.folder}/", None)
        assert left == before
        op.run(ledger(disk, boot))
        op.sound(disk, boot)

    def cases() -> Iterator[Case]:
        for boot, crashes in ((KILL, recording.kills()), (CUT, recording.power_cuts(2))):
            for label, disk in crashes:
                yield label, partial(case, disk, boot)

    judge(f"crashes in {name}", cases(), 1)


# ---- everything ---------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", NAMES)
def test_a_crash_after_a_failed_call_leaves_what_the_answer_said(name: str) -> None:
    def cases() -> Iterator[Case]:
        run = Run(operation(name))
        for fault in FAULTS:
            for at in range(1, run.asked + 1):
                recording = Recording(run.op.disk.copy())
                failure = failing(recording.disk, at, *fault)
                done = attempt(partial(run.op.run, ledger(recording.disk)))
                end = len(recording)
                for boot, crashes in (
                    (CUT, recording.power_cuts(1, end, end, every=11)),
                    (KILL, recording.kills(end, end)),
                ):
                    for label, disk in crashes:
                        yield (
                            f"{failure.hits[:1]} {label}",
                            partial(holds, run, disk, boot, [done], at),
                        )

    judge(f"crashes after faults in {name} (a sample)", cases(), 60)
