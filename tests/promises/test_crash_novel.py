"""Crash states of the ledger, enumerated: every command, at every call, on the kernel's model.

For `init`, `adopt`, `commit` (append and revision), `undo`, `redo` and `render` every disk that a
kill or a power cut may leave is opened by the next process. Whatever it runs first finds the old or
the new revision whole; the same command and a corrected one both go through. The seed: 账本不会停在半途.
Run with `-s` to see how many disks there were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import pytest
import small_book
import small_ledger as room
from small_book import CUT, KILL, ledger
from small_ledger import NAMES, Operation, World, checks, operation, seen, stay
from test_crash_kernel import Case, judge, slot_write

from clew.kernel.errors import ClewError
from clew.novel import check, commit, timetravel
from clew.novel.ledger import SCOPE, Ledger
from clew.testing import novel
from clew.testing.crash import Recording
from clew.testing.disk import Disk
from clew.testing.novel import chapter

# ---- what the next process does first -----------------------------------------------------------


def first_check(book: Ledger, world: World) -> None:
    if checks(book, world):
        assert checks(book, world)  # and again, when nothing is left to be repaired


def first_at(book: Ledger, world: World) -> None:
    if world.state is None or world.foreign or not world.lines:
        codes = {"ledger_missing", "changed_outside", "no_such_point"}
        assert code_of(lambda: timetravel.at(book, revision=0)) in codes
    else:
        assert timetravel.at(book, revision=world.revision).state == world.state


def first_stats(book: Ledger, world: World) -> None:
    if world.state is None or world.foreign:
        assert code_of(lambda: check.stats(book)) in {"ledger_missing", "changed_outside"}
    else:
        assert check.stats(book).state_revision == world.revision


def code_of(run: Callable[[], object]) -> str:
    """The code of the error that a command ends with."""
    try:
        return f"no error: {run()!r}"
    except ClewError as error:
        return error.code


READS = (first_check, first_at, first_stats)
CHANGES = (Operation.again, Operation.other, Operation.turn)
WAYS = tuple((read, change) for read in (*READS, None) for change in CHANGES)
"""What runs first (None: nothing but the change itself), and which change then: the same command,
a different one, or an undo."""


def holds(run: Run, disk: Disk, boot: str, allowed: list[bool], way: int | None = None) -> None:
    """One crash disk. `allowed`: whether it may be the old (False), the new one (True)."""
    worlds = [run.new if done else run.op.old for done in allowed]
    for read, change in WAYS if way is None else [WAYS[way % len(WAYS)]]:
        there = disk.copy()
        book = ledger(there, boot)
        world = seen(book, worlds)
        # Where old and new have the same truth (`render`), only a known commit point tells them apart.
        done = world is run.new
        if read is not None:
            read(book, world)
            if done:
                assert room.public(there.tree()) == world.tree
            else:
                stay(there, run.op.old)
            book = ledger(there, boot)
        change(run.op, book, world, done=done)
        run.op.sound(there, boot)


class Run:
    """A recorded command, cut into stretches by what must be seen after a crash in them."""

    def __init__(self, op: Operation, *, settle: bool = True) -> None:
        self.op = op
        self.recording = Recording(op.disk.copy())
        book = ledger(self.recording.disk)
        op.run(book)
        self.asked = self.recording.disk.failure.calls
        """Mutating calls of the command itself, those that change nothing included."""
        if settle:
            book.vault.settle(SCOPE)
        # The last one: after a reboot a repair of the views is published before the change itself.
        self.write = slot_write(self.recording)
        with suppress(StopIteration):
            while True:
                self.write = slot_write(self.recording, self.write + 1)
        self.new = World.of(self.recording.disk)
        assert self.new.tree == self.new.whole, "the command itself leaves the book whole"
        assert self.new.tree != op.old.tree

    def stretches(self) -> Iterator[tuple[int, int, list[bool]]]:
        """First call, last call, and what may be seen: before the slot is written the old one
        only, once it is synced the new one only."""
        yield 0, self.write, [False]
        yield self.write, self.write + 1, [False, True]
        yield self.write + 2, len(self.recording), [True]

    def kills(self, every_way: bool = False) -> Iterator[Case]:
        count = 0
        for start, stop, allowed in self.stretches():
            for label, disk in self.recording.kills(start, stop):
                count += 1
                way = None if every_way else count
                yield label, partial(holds, self, disk, KILL, allowed, way)

    def cuts(self, deviations: int, every: int = 1, every_way: bool = False) -> Iterator[Case]:
        count = 0
        for start, stop, allowed in self.stretches():
            for label, disk in self.recording.power_cuts(deviations, start, stop, every=every):
                count += 1
                way = None if every_way else count
                yield label, partial(holds, self, disk, CUT, allowed, way)


# ---- one command --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_kill_at_any_call_leaves_the_old_or_the_new_revision_whole(name: str) -> None:
    judge(f"kills in {name}", Run(operation(name)).kills(), 25)


@pytest.mark.parametrize("name", NAMES)
def test_a_power_cut_at_any_call_leaves_the_old_or_the_new_revision_whole(name: str) -> None:
    judge(f"power cuts in {name} (a sample)", Run(operation(name)).cuts(1, every=13), 25)


# ---- the first command after a reboot, which also renders everything again ----------------------


def rebooted(name: str) -> Operation:
    """The command on a book whose last change was made by another boot and not settled."""
    op = operation(name)
    disk = small_book.unsettled(name)
    return Operation(name, disk, op.run, document=op.document)


@pytest.mark.parametrize("name", ["append", "revision", "undo"])
def test_the_first_command_of_another_boot_is_as_safe(name: str) -> None:
    run = Run(rebooted(name))
    judge(f"kills in {name} after a reboot", run.kills(), 40)
    judge(f"power cuts in {name} after a reboot (a sample)", run.cuts(1, every=23), 30)


def life(every: int) -> Iterator[Case]:
    """Two appends, a revision, an undo and a redo in one boot; crashes anywhere on the way."""
    recording = Recording(small_book.at_revision(0).copy())
    worlds = [World.of(recording.disk)]
    commits: list[int] = []
    for number in range(1, 6):
        start = len(recording)
        small_book.STEPS[number](ledger(recording.disk))
        commits.append(slot_write(recording, start))
        worlds.append(World.of(recording.disk))
    start = 0
    for number, write in enumerate([*commits, len(recording)]):
        for label, disk in recording.power_cuts(1, start, write, every=every):
            yield label, partial(lives_on, disk, CUT, worlds[number])
        for label, disk in recording.kills(start, write):
            yield label, partial(lives_on, disk, KILL, worlds[number])
        start = write + 2


def lives_on(disk: Disk, boot: str, world: World) -> None:
    seen(ledger(disk, boot), [world])
    assert checks(ledger(disk, boot), world)
    assert room.public(disk.tree()) == world.tree
    commit.commit(ledger(disk, boot), chapter(novel.state_of(ledger(disk, boot))), [])
    check.check(ledger(disk, boot), [])


def test_crashes_over_several_commands_of_one_boot() -> None:
    judge("crashes over five commands (a sample)", life(61), 300)


# ---- everything ---------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", NAMES)
def test_after_any_crash_any_command_may_come_first(name: str) -> None:
    run = Run(operation(name))
    judge(f"kills in {name}, every first command", run.kills(every_way=True), 25)
    # A mark is one line of the history: fewer files, fewer disks.
    least = 90 if name == "mark" else 400
    judge(f"power cuts in {name}, every first command", run.cuts(1, every_way=True), least)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", NAMES)
def test_all_power_cuts_with_two_deviations(name: str) -> None:
    least = 100 if name == "mark" else 2_000
    judge(f"power cuts in {name}, two deviations", Run(operation(name)).cuts(2), least)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_all_crashes_over_several_commands_of_one_boot() -> None:
    judge("crashes over five commands", life(1), 5_000)
