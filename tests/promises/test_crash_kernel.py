"""Crash and fault states of the kernel, enumerated: the promises of docs/promises.md.

Every disk that the model in `clew.testing.crash` derives from a recording is opened again, read
before and after recovery, and worked on. Run with `-s` to see how many there were.
"""

from __future__ import annotations

import errno
import itertools
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest
import small_room as room
from small_room import SCOPE, check_tree, commit, repair, seen, vault

from clew.kernel.errors import StorageFailed
from clew.kernel.files import Files
from clew.testing.crash import Point, Recording
from clew.testing.disk import Disk
from clew.testing.faulty import Failure, FaultyFiles

KILL, CUT = "boot-1", "boot-2"
"""The boot at the reopening: runs are recorded in boot-1."""
ERRORS = [errno.ENOSPC, errno.EACCES, errno.EIO]
Case = tuple[str, partial[None]]


# ---- what must hold ---------------------------------------------------------------------------


def holds(disk: Disk, boot: str, allowed: Collection[int], direct: bool = True) -> None:
    """One crash disk: what readers see, what recovery makes of it, and that work goes on; with
    `direct` also when the recovery happens inside the next change itself."""
    again = vault(disk, boot)
    n = seen(again.reader(SCOPE), allowed)
    assert seen(again.reader(SCOPE), [n]) == n
    untouched = disk.copy() if direct else None
    repair(again)
    seen(again.reader(SCOPE), [n])
    check_tree(disk.tree(), n)
    work_goes_on(disk, boot, n, max(allowed))
    if untouched is not None:
        work_goes_on(untouched, boot, n, max(allowed))


def work_goes_on(files: Files, boot: str, n: int, last: int, root: str = room.ROOT) -> None:
    """The interrupted transaction again (refused as stale when it is there already), and the next
    one, which is different."""
    again = vault(files, boot, root)
    if n == last:
        with pytest.raises(room.Stale):
            commit(again, n)
    for number in range(n + 1, last + 2):
        commit(again, number)
        seen(again.reader(SCOPE), [number])
    if isinstance(files, Disk):
        check_tree(files.tree(), last + 1)


def judge(title: str, cases: Iterable[Case], least: int) -> None:
    """Run all cases; the assertion tells how many failed, of how many, and the first of a kind."""
    count, bad = 0, Counter[str]()
    first: dict[str, str] = {}
    for label, case in cases:
        count += 1
        try:
            case()
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a disk is a finding
            kind = f"{type(error).__name__}: {error}"[:400]
            bad[kind] += 1
            first.setdefault(kind, label)
    print(f"\n{title}: {count} disks")
    report = "\n".join(f"  {n} x {kind}\n    {first[kind]}" for kind, n in bad.most_common(8))
    assert not bad, f"{title}: {sum(bad.values())} of {count} disks are wrong\n{report}"
    assert count >= least, f"{title}: only {count} disks; the recording is not what it was"


# ---- recordings -------------------------------------------------------------------------------


def durable(n: int, tree: dict[str, bytes] | None = None) -> Disk:
    """The disk at revision `n`, with everything durable."""
    disk = Disk.from_tree(room.BASE if tree is None else tree)
    for number in range(1, n + 1):
        commit(vault(disk, "boot-0"), number)
    return disk.copy()


class Run:
    """A recorded run over several transactions, cut into stretches by what must be seen."""

    def __init__(self, first: int, last: int, *, settle: bool = False, disk: Disk | None = None):
        self.recording = Recording(disk or durable(first - 1))
        self.first, self.last = first, last
        self.commits: list[int] = []
        """For each transaction the number of the call that writes its slot."""
        for number in range(first, last + 1):
            start = len(self.recording)
            writer = vault(self.recording.disk, "boot-1")
            commit(writer, number)
            if settle:
                writer.settle(SCOPE)
            self.commits.append(slot_write(self.recording, start))

    def stretches(self) -> Iterator[tuple[int, int, list[int]]]:
        """First call, last call, and the revisions that may be seen after a crash there. Before
        the slot is written only the old one, once it is synced only the new one."""
        start = 0
        for number, write in enumerate(self.commits, self.first):
            yield start, write, [number - 1]
            yield write, write + 1, [number - 1, number]
            start = write + 2
        yield start, len(self.recording), [self.last]

    def kills(self) -> Iterator[Case]:
        for start, stop, allowed in self.stretches():
            for label, disk in self.recording.kills(start, stop):
                yield label, partial(holds, disk, KILL, allowed)

    def cuts(self, deviations: int, every: int = 1) -> Iterator[Case]:
        for start, stop, allowed in self.stretches():
            cuts = self.recording.power_cuts(deviations, start, stop, every=every)
            for count, (label, disk) in enumerate(cuts):
                yield label, partial(holds, disk, CUT, allowed, direct=not count % 3)


def slot_write(recording: Recording, start: int = 0) -> int:
    """Number of the call that writes a change's slot: it is synced right after it."""
    calls = recording.calls
    return next(
        i
        for i in range(start, len(calls))
        if calls[i].name == "write_at"
        and calls[i].path.endswith("journal.slot")
        and calls[i + 1].name == "sync"
    )


def recovering(run: Run, points: Iterable[tuple[str, Point]]) -> Iterator[tuple[str, Recording]]:
    """The recordings of the recovery after each kill; what the killed process had not synced is
    still not durable."""
    for label, point in points:
        recording = run.recording.killed(point)
        repair(vault(recording.disk, KILL))
        yield label, recording


# ---- one crash ----------------------------------------------------------------------------------


def test_a_kill_at_any_call_leaves_the_old_or_the_new_change_whole() -> None:
    judge("kills", Run(1, 3).kills(), 150)
    judge("kills with settle", Run(1, 3, settle=True).kills(), 150)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_power_cut_at_any_call_leaves_the_old_or_the_new_change_whole(number: int) -> None:
    judge(f"power cuts, transaction {number}", Run(number, number).cuts(1), 700)


def test_power_cuts_over_several_changes_of_one_boot() -> None:
    judge("power cuts over 4 transactions (a sample)", Run(1, 4).cuts(1, every=17), 400)


def test_the_first_change_in_an_empty_folder() -> None:
    """Nothing of the scope is there before: its folders too must become durable."""

    def first_and_second() -> Iterator[Case]:
        recording = Recording(Disk.from_tree({f"{room.ROOT}/": b""}))
        commits = []
        for number in (1, 3):
            start = len(recording)
            with vault(recording.disk, "boot-1").transaction(SCOPE, timeout=0) as tx:
                tx.write(room.STATE, room.state(number), truth=True)
                tx.append(room.LOG, room.entries(number)[0])
            commits.append(slot_write(recording, start))
        for start, stop, allowed in (
            (0, commits[0], [0]),
            (commits[0] + 2, commits[1], [1]),
            (commits[1] + 2, len(recording), [3]),
        ):
            for label, disk in recording.power_cuts(1, start, stop):
                yield label, partial(opens, disk, allowed)

    def opens(disk: Disk, allowed: list[int]) -> None:
        again = vault(disk, CUT)
        for _ in range(2):
            number = room.revision(again.reader(SCOPE))
            entries = again.reader(SCOPE).read(room.LOG) or b""
            assert number in allowed
            assert entries.count(b"\n") == (0, 1, 0, 2)[number]
            repair(again)

    judge("the first changes in an empty folder", first_and_second(), 200)


# ---- a second crash -----------------------------------------------------------------------------


def test_a_kill_during_the_recovery_from_a_kill() -> None:
    def cases() -> Iterator[Case]:
        run = Run(2, 2)
        for start, stop, allowed in run.stretches():
            for label, recording in recovering(run, run.recording.points(start, stop)):
                before = next(i for i, c in enumerate(recording.calls) if c.name == "lock_note")
                for more, disk in recording.kills(max(start, before)):
                    yield f"{label}; {more}", partial(holds, disk, KILL, allowed)

    judge("kills during recovery", unique(cases()), 500)


def test_a_kill_during_the_recovery_from_a_power_cut() -> None:
    def cases() -> Iterator[Case]:
        run = Run(3, 3)
        for start, stop, allowed in run.stretches():
            for label, cut in run.recording.power_cuts(1, start, stop, every=61):
                recording = Recording(cut)
                repair(vault(cut, CUT))
                for more, disk in recording.kills():
                    yield f"{label}; {more}", partial(holds, disk, CUT, allowed)

    judge("kills during the recovery from power cuts (a sample)", cases(), 500)


def kill_then_cut(numbers: Iterable[int], kills: int, every: int) -> Iterator[Case]:
    """A kill, the recovery and a change by the next process, and a power cut at or after that."""
    for number in numbers:
        run = Run(number, number)
        for start, stop, allowed in run.stretches():
            points = itertools.islice(run.recording.points(start, stop), 0, None, kills)
            for label, recording in recovering(run, points):
                n = seen(vault(recording.disk, KILL).reader(SCOPE), allowed)
                follow = len(recording)
                commit(vault(recording.disk, KILL), n + 1)
                write = slot_write(recording, follow)
                for a, b, then in ((follow, write, [n]), (write + 2, len(recording), [n + 1])):
                    for more, disk in recording.power_cuts(1, a, b, every=every):
                        yield f"{label}; {more}", partial(holds, disk, CUT, then)


def test_a_power_cut_after_a_kill_loses_nothing_that_the_next_process_committed() -> None:
    judge("kill, then power cut (a sample)", kill_then_cut([1, 2, 3], 5, 211), 500)


def unique(cases: Iterator[Case]) -> Iterator[Case]:
    """Crashes during recovery repeat each other: one of a kind is enough."""
    seen_disks: set[int] = set()
    for label, case in cases:
        disk, *rest = case.args
        key = hash((frozenset(disk.nodes.everything().items()), str(rest)))
        if key not in seen_disks:
            seen_disks.add(key)
            yield label, case


# ---- awkward beginnings -------------------------------------------------------------------------


def test_a_torn_log_end_from_before_is_no_obstacle_to_recovery() -> None:
    """An append goes over torn bytes; a crash in between must not look like a stranger's edit."""

    def cases() -> Iterator[Case]:
        torn = b'{"revision": 2, "line": "cut off in the middle of a line that is rather long'
        for end in (torn, torn[:5], b"\0" * 7):
            disk = durable(1)
            disk.write_at(f"{room.ROOT}/{room.LOG}", len(room.truth(1)[room.LOG] or b""), end)
            run = Run(2, 2, disk=disk.copy())
            asides = [d for p, d in run.recording.disk.tree().items() if p.endswith(".torn")]
            assert asides == [end]
            for start, stop, allowed in run.stretches():
                for boot, crashes in (
                    (KILL, run.recording.kills(start, stop)),
                    (CUT, run.recording.power_cuts(1, start, stop, every=11)),
                ):
                    for label, crash in crashes:
                        yield label, partial(kept, crash, boot, allowed, end)

    def kept(disk: Disk, boot: str, allowed: list[int], end: bytes) -> None:
        """As `holds`, but the log of the old revision may still carry its torn end."""
        again = vault(disk, boot)
        repair(again)
        data = again.reader(SCOPE).read(room.LOG) or b""
        n = room.revision(again.reader(SCOPE))
        assert n in allowed
        whole = room.truth(n)[room.LOG] or b""
        assert data == whole or (n == 1 and data == whole + end)
        commit(again, n + 1)
        seen(again.reader(SCOPE), [n + 1])
        asides = [d for p, d in disk.tree().items() if p.endswith(".torn")]
        assert end in asides or n == 2

    judge("torn log ends", cases(), 400)


@pytest.mark.parametrize("truth", [True, False])
def test_a_file_is_moved_away_and_written_anew_in_one_change(truth: bool) -> None:
    """What was there goes to the archive and nowhere else; the new content is in its place."""
    old, kept = "book/plan.json", "book/archive/v1/plan.json"

    def cases() -> Iterator[Case]:
        recording = Recording(Disk.from_tree({f"{room.ROOT}/{old}": b"the old plan"}))
        with vault(recording.disk, "boot-1").transaction(SCOPE, timeout=0) as tx:
            tx.move(old, kept)
            tx.write(old, b"the new plan", truth=truth)
            tx.write("book/other.json", b"x", truth=True)
        write = slot_write(recording)
        for start, stop, done in ((0, write, False), (write + 2, len(recording), True)):
            for boot, crashes in (
                (KILL, recording.kills(start, stop)),
                (CUT, recording.power_cuts(1, start, stop)),
            ):
                for label, disk in crashes:
                    yield label, partial(whole, disk, boot, done)

    def whole(disk: Disk, boot: str, done: bool) -> None:
        again = vault(disk, boot)
        with again.transaction(SCOPE, timeout=0) as tx:
            if tx.recovery.views_stale and tx.read(kept) is not None and not truth:
                tx.write(old, b"the new plan")
        look = again.reader(SCOPE)
        found = look.read(old), look.read(kept)
        assert found == ((b"the new plan", b"the old plan") if done else (b"the old plan", None))

    judge("moved away and written anew", cases(), 100)


def test_a_loose_file_is_old_or_new_after_any_crash() -> None:
    """A file that belongs to no scope needs no journal: it is synced before it is renamed."""

    def cases() -> Iterator[Case]:
        recording = Recording(Disk.from_tree({f"{room.ROOT}/draft.md": b"the old draft"}))
        vault(recording.disk, "boot-1").write_loose("draft.md", b"the new and longer draft")
        for label, disk in (*recording.kills(), *recording.power_cuts(2)):
            yield label, partial(whole, disk)

    def whole(disk: Disk) -> None:
        found = disk.read(f"{room.ROOT}/draft.md")
        assert found in (b"the old draft", b"the new and longer draft"), found

    judge("loose files", cases(), 12)


# ---- faults -------------------------------------------------------------------------------------


def attempt(files: Files, number: int, root: str = room.ROOT) -> list[int]:
    """Try a transaction on a failing disk; the revision that its answer promises."""
    try:
        commit(vault(files, "boot-1", root), number)
    except StorageFailed as error:
        return [number] if error.code == "publish_incomplete" else [number - 1]
    return [number]


def failing(disk: Disk, at: int, number: int, half: bool, stays: bool) -> Disk:
    disk.failure = Failure(at, OSError(number, os.strerror(number)), partial=half, stays=stays)
    return disk


def calls_of(number: int) -> int:
    disk = durable(number - 1)
    commit(vault(disk, "boot-1"), number)
    return disk.failure.calls


FAULTS = [
    (number, half, stays) for number in ERRORS for half in (False, True) for stays in (False, True)
]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_call_that_fails_leaves_what_the_answer_says(number: int) -> None:
    """Refused is old, done or `publish_incomplete` is new; and the next command works, whether it
    runs in the same process or in another one."""

    def case(at: int, fault: int, half: bool, stays: bool, copied: bool) -> None:
        disk = failing(durable(number - 1), at, fault, half, stays)
        promised = attempt(disk, number)
        hits = disk.failure.hits
        seen(vault(disk, "boot-1").reader(SCOPE), promised)
        disk.failure = Failure(None, None, partial=False, stays=False)
        try:
            after = disk.copy() if copied else disk
            after.wait(0 if not copied else 3600)
            repair(vault(after, "boot-1"))
            check_tree(after.tree(), promised[0])
            work_goes_on(after, "boot-1", promised[0], number)
        except Exception as error:
            raise AssertionError(f"after {hits[:2]}: {type(error).__name__} {error}") from error

    def cases() -> Iterator[Case]:
        for fault, half, stays in FAULTS:
            for at in range(1, calls_of(number) + 1):
                for copied in (False, True) if fault == errno.ENOSPC else (False,):
                    label = f"{errno.errorcode[fault]} {half=} {stays=} at call {at} {copied=}"
                    yield (
                        label,
                        partial(case, at, fault, half, stays, copied),
                    )

    judge(f"faults in transaction {number}", cases(), 300)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_crash_after_a_failed_call_leaves_what_the_answer_said(number: int) -> None:
    """The disk refuses a call, the command answers, the power goes. And the process may be killed
    before it answers: then either revision is right, as long as it is whole."""

    def cases() -> Iterator[Case]:
        for half, stays in ((False, False), (True, False), (False, True)):
            for at in range(1, calls_of(number) + 1):
                recording = Recording(durable(number - 1))
                failing(recording.disk, at, errno.EIO, half, stays)
                promised = attempt(recording.disk, number)
                hit = recording.disk.failure.hits[0]
                end = len(recording)
                for label, disk in recording.power_cuts(1, end, end, every=11):
                    yield f"{hit} {stays=}: {label}", partial(holds, disk, CUT, promised)
                either = [number - 1, number]
                for label, disk in recording.kills(min(at - 1, end), end):
                    yield f"{hit} {stays=}: {label}", partial(holds, disk, KILL, either)

    judge(f"crashes after faults, transaction {number} (a sample)", unique(cases()), 150)


def test_a_call_that_fails_during_recovery_does_no_harm() -> None:
    def case(disk: Disk, boot: str, allowed: list[int], at: int) -> None:
        disk = disk.copy()
        n = seen(vault(disk, boot).reader(SCOPE), allowed)
        failing(disk, at, errno.EIO, False, False)
        try:
            repair(vault(disk, boot))
        except StorageFailed as error:
            assert error.code in ("io_failed", "publish_incomplete")
        disk.failure = Failure(None, None, partial=False, stays=False)
        holds(disk, boot, [n])

    def cases() -> Iterator[Case]:
        run = Run(2, 2)
        for start, stop, allowed in run.stretches():
            kills = [(KILL, *found) for found in run.recording.kills(start, stop)]
            cuts = [(CUT, *found) for found in run.recording.power_cuts(1, start, stop, every=199)]
            for boot, label, disk in kills[::3] + cuts:
                probe = disk.copy()
                repair(vault(probe, boot))
                for at in range(1, probe.failure.calls + 1):
                    yield (
                        f"{label}, then call {at} fails",
                        partial(case, disk, boot, allowed, at),
                    )

    judge("faults during recovery", cases(), 500)


@pytest.mark.parametrize("number", [1, 2])
def test_faults_on_real_files(number: int, tmp_path: Path) -> None:
    """The same as on the disk in memory, for a part of the calls."""

    def case(at: int, stays: bool) -> None:
        root = tmp_path / f"{at}-{stays}"
        for path, data in room.BASE.items():
            place = root / path.removeprefix(f"{room.ROOT}/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        files = Files()
        for before in range(1, number):
            commit(vault(files, "boot-1", str(root)), before)
        promised = attempt(FaultyFiles(at, partial=True, stays=stays), number, str(root))
        seen(vault(files, "boot-1", str(root)).reader(SCOPE), promised)
        repair(vault(files, "boot-1", str(root)))
        work_goes_on(files, "boot-1", promised[0], number, str(root))
        tree = {p.as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}
        check_tree(tree, number + 1, root.as_posix())

    def cases() -> Iterator[Case]:
        for stays in (False, True):
            for at in range(1, calls_of(number) + 1, 2 if stays else 3):
                yield f"call {at} {stays=}", partial(case, at, stays)

    judge(f"faults on real files, transaction {number}", cases(), 15)


# ---- everything ---------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_all_power_cuts_with_two_deviations(number: int) -> None:
    judge(f"power cuts, two deviations, transaction {number}", Run(number, number).cuts(2), 8_000)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("settle", [False, True])
def test_all_power_cuts_over_several_changes(settle: bool) -> None:
    judge("power cuts over 4 transactions", Run(1, 4, settle=settle).cuts(1), 5000)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_all_power_cuts_after_a_kill(number: int) -> None:
    judge("kill, then power cut", kill_then_cut([number], 1, 1), 20_000)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_crashes_during_the_recovery_from_a_power_cut(number: int) -> None:
    """All of the second crash, a fifth of the first."""

    def cases() -> Iterator[Case]:
        run = Run(number, number)
        for start, stop, allowed in run.stretches():
            for label, cut in run.recording.power_cuts(1, start, stop, every=5):
                recording = Recording(cut)
                repair(vault(cut, CUT))
                for boot, crashes in (
                    (CUT, recording.kills()),
                    ("boot-3", recording.power_cuts(1)),
                ):
                    for more, disk in crashes:
                        yield f"{label}; {more}", partial(holds, disk, boot, allowed)

    judge("crashes during recovery", unique(cases()), 5_000)
