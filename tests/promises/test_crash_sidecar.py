"""Crash and fault states of a sidecar's state, enumerated: an event, a change that waits, a broken
file that is mended. Every disk that the model in `clew.testing.crash` derives from a recording is
read again, damaged, and worked on. Run with `-s` to see how many there were.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

import pytest

from clew.sidecar.store import Changed, Store
from clew.testing.crash import Recording
from clew.testing.disk import Disk
from clew.testing.faulty import Failure
from clew.testing.sidecar import NOW, PROFILE

PATH = "/home/ada/.claude/state/tally.json"
ROOM = "/run/user/1000"
Case = tuple[str, partial[None]]
FULL = errno.ENOSPC


def open_store(disk: Disk) -> Store:
    return Store(PATH, PROFILE, files=disk, now=lambda: NOW, rooms=[ROOM], timeout=0)


def send(disk: Disk, name: str, ident: str) -> Changed:
    at = open_store(disk)
    return at.change(at.entry("event", ident, name=name, args={}))


def begun(*names: str) -> Disk:
    """A durable disk on which these events were sent, the first of them as `e1`."""
    disk = Disk.from_tree({"/home/ada/": b""})
    for path in ("/run", "/run/user"):
        disk.make_dir(path)
    disk.make_dir(ROOM, 0o700)
    for number, name in enumerate(names, 1):
        assert send(disk, name, f"e{number}").saved
    return disk.copy()


def judge(title: str, cases: Iterable[Case], least: int) -> None:
    """Run all cases; the assertion tells how many failed, of how many, and the first of a kind."""
    count, bad = 0, Counter[str]()
    first: dict[str, str] = {}
    for label, case in cases:
        count += 1
        try:
            case()
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a disk is a finding
            kind = f"{type(error).__name__}: {error}"[:300]
            bad[kind] += 1
            first.setdefault(kind, label)
    print(f"\n{title}: {count} disks")
    report = "\n".join(f"  {n} x {kind}\n    {first[kind]}" for kind, n in bad.most_common(8))
    assert not bad, f"{title}: {sum(bad.values())} of {count} disks are wrong\n{report}"
    assert count >= least, f"{title}: only {count} disks; the recording is not what it was"


# ---- what must hold ---------------------------------------------------------------------------

Seen = tuple[bool, int]
"""Whether it is on, and how far the count is."""


def seen(disk: Disk) -> tuple[Seen, str]:
    loaded = open_store(disk).read()
    return (loaded.state["active"], loaded.state["count"]), loaded.status


def holds(disk: Disk, allowed: Collection[Seen], name: str, ident: str, after: Seen) -> None:
    """One crash disk: what is read, that damage finds no older yes, and that the event which was
    interrupted is in force once when it is sent again."""
    found, status = seen(disk.copy())
    assert found in allowed, f"saw {found}, {status}"
    assert status in ("ok", "fresh"), status
    if not found[0]:
        never_on(disk.copy())
    again = send(disk, name, ident)
    assert again.saved and not again.refused, again.notes
    assert seen(disk)[0] == after, f"then {seen(disk)[0]}"
    more = send(disk, "tick", "next")
    assert more.saved
    assert seen(disk)[0] == ((True, after[1] + 1) if after[0] else after)
    left = [p for p in disk.tree() if p.endswith((".restoring", ".taken", ".pending"))]
    assert not left, left


def never_on(disk: Disk) -> None:
    """The state is off: whatever now happens to the file, it stays off."""
    if PATH not in disk.tree():
        return
    for junk in (b"", b"\0" * 40, b'{"active": tr'):
        torn = disk.copy()
        torn.truncate(PATH, 0)
        torn.write_at(PATH, 0, junk)
        assert seen(torn)[0][0] is False, f"on again after {junk!r}"
        assert seen(torn)[0][0] is False


def stretches(recording: Recording, old: Seen, new: Seen) -> Iterator[tuple[int, int, list[Seen]]]:
    """First call, last call, what a kill may show, by where the state was replaced."""
    put = recording.find("replace", "/tally.json")
    assert put is not None
    assert recording.calls[put + 1].name == "sync_dir"
    yield 0, put, [old]
    yield put, put + 1, [old, new]
    yield put + 2, len(recording), [new]


CHANGES = [
    ((), "opt_in", (False, 0), (True, 0)),
    (("opt_in",), "tick", (True, 0), (True, 1)),
    (("opt_in", "tick"), "opt_out", (True, 1), (False, 1)),
    (("opt_in", "tick", "opt_out"), "opt_in", (False, 1), (True, 1)),
]


@pytest.mark.parametrize(("before", "name", "old", "new"), CHANGES)
def test_a_kill_at_any_call_leaves_the_last_or_the_new_state(
    before: tuple[str, ...], name: str, old: Seen, new: Seen
) -> None:
    def cases() -> Iterator[Case]:
        recording = Recording(begun(*before))
        assert send(recording.disk, name, "x").saved
        for start, stop, allowed in stretches(recording, old, new):
            for label, disk in recording.kills(start, stop):
                yield label, partial(holds, disk, allowed, name, "x", new)

    judge(f"kills in {name}", cases(), 15)


@pytest.mark.parametrize(("before", "name", "old", "new"), CHANGES)
def test_a_power_cut_at_any_call_leaves_the_last_or_the_new_state(
    before: tuple[str, ...], name: str, old: Seen, new: Seen
) -> None:
    def cases() -> Iterator[Case]:
        recording = Recording(begun(*before))
        assert send(recording.disk, name, "x").saved
        for start, stop, allowed in stretches(recording, old, new):
            for label, disk in recording.power_cuts(2, start, stop):
                yield label, partial(holds, disk, allowed, name, "x", new)

    judge(f"power cuts in {name}", cases(), 15)


def test_a_second_event_after_an_unsynced_copy_survives_a_power_cut() -> None:
    """The good copy of the event before was not synced; that must not show."""

    def cases() -> Iterator[Case]:
        recording = Recording(begun("opt_in"))
        assert send(recording.disk, "tick", "x").saved
        start = len(recording)
        assert send(recording.disk, "opt_out", "y").saved
        for label, disk in recording.power_cuts(1, start, len(recording)):
            yield label, partial(holds, disk, [(True, 1), (False, 1)], "opt_out", "y", (False, 1))

    judge("power cuts after an unsynced copy", cases(), 30)


# ---- changes that wait ---------------------------------------------------------------------------


def waiting(disk: Disk, count: int, where: str = "beside") -> None:
    """Let some events wait, as a command does that cannot save."""
    at = open_store(disk)
    entries = [
        {**at.entry("event", f"w{number}", name="tick", args={}), "rev": 1}
        for number in range(count)
    ]
    pending = at.pending
    if where == "elsewhere":
        pending.beside = "/nowhere/x.pending"
    path = pending.add(entries)
    assert path is not None and (ROOM in path) == (where == "elsewhere")


@pytest.mark.parametrize("where", ["beside", "elsewhere"])
@pytest.mark.parametrize("count", [2, 70])
def test_what_waited_is_in_force_once_wherever_the_next_change_dies(where: str, count: int) -> None:
    """More of them than ids are remembered, too."""

    def once(disk: Disk, cut: bool) -> None:
        found, status = seen(disk.copy())
        assert status == "ok"
        assert found in [(True, count), (True, count + 1)], found
        assert send(disk, "tick", "x").saved
        assert seen(disk)[0] == (True, count + 1), f"{seen(disk)[0]} after the same event again"
        for number in range(3):
            assert send(disk, "tick", f"n{number}").saved
        assert seen(disk)[0] == (True, count + 4)

    def cases() -> Iterator[Case]:
        start = begun("opt_in")
        waiting(start, count, where)
        recording = Recording(start.copy())
        assert send(recording.disk, "tick", "x").saved
        for label, disk in recording.kills():
            yield label, partial(once, disk, False)
        for label, disk in recording.power_cuts(1, every=1 if count == 2 else 3):
            yield label, partial(once, disk, True)

    judge(f"{count} events that waited {where}", cases(), 80)


def test_a_change_that_is_put_off_waits_once_or_not_at_all_wherever_its_process_dies() -> None:
    """Before the command answers, it may be there or not, but never half."""

    def whole(disk: Disk, cut: bool) -> None:
        assert send(disk, "tick", "next").saved
        found = seen(disk)[0]
        assert found in [(True, 1), (True, 2)]
        assert send(disk, "tick", "w0").saved  # the same event, sent again
        assert seen(disk)[0] == (True, 2)

    def cases() -> Iterator[Case]:
        recording = Recording(begun("opt_in"))
        waiting(recording.disk, 1)
        for label, disk in recording.kills():
            yield label, partial(whole, disk, False)
        for label, disk in recording.power_cuts(2):
            yield label, partial(whole, disk, True)

    judge("putting off", cases(), 12)


# ---- faults --------------------------------------------------------------------------------------

FAULTS = [(FULL, False), (FULL, True), (errno.EIO, False), (errno.EACCES, False)]


@pytest.mark.parametrize(("before", "name", "old", "new"), CHANGES)
def test_a_call_that_fails_leaves_what_the_answer_says(
    before: tuple[str, ...], name: str, old: Seen, new: Seen
) -> None:
    """Saved is new, waiting is new for every reader and saved once by the next change, lost is old."""

    def case(at: int, fault: int, half: bool, stays: bool) -> None:
        disk = begun(*before)
        disk.failure = Failure(at, OSError(fault, os.strerror(fault)), partial=half, stays=stays)
        done = send(disk, name, "x")
        hits = disk.failure.hits
        assert not done.refused
        assert done.saved or done.waits or done.lost, hits
        assert (done.state["active"], done.state["count"]) == new, (
            "the answer is as if it were saved"
        )
        if not done.saved:
            told = {note["code"] for note in done.notes}
            assert told & {"sidecar_not_saved", "sidecar_lost"}, hits
        disk.failure = Failure(None, None, partial=False, stays=False)
        found, status = seen(disk.copy())
        # What was told as lost may be there all the same (the sync failed, not the rename).
        assert found in ([old, new] if done.lost else [new]), f"{found} {status} after {hits}"
        if not found[0]:
            never_on(disk.copy())
        holds_after(disk, name, new)

    def holds_after(disk: Disk, name: str, after: Seen) -> None:
        assert send(disk, name, "x").saved
        assert seen(disk)[0] == after
        assert send(disk, "tick", "next").saved
        assert seen(disk)[0] == ((True, after[1] + 1) if after[0] else after)

    def cases() -> Iterator[Case]:
        probe = begun(*before)
        probe.failure = Failure(None, None, partial=False, stays=False)
        send(probe, name, "x")
        for fault, half in FAULTS:
            for stays in (False, True):
                for at in range(1, probe.failure.calls + 1):
                    label = f"{errno.errorcode[fault]} {half=} {stays=} at call {at}"
                    yield label, partial(case, at, fault, half, stays)

    judge(f"faults in {name}", cases(), 60)


def test_a_call_that_fails_while_waiting_events_are_taken_in_loses_none() -> None:
    def case(at: int, stays: bool) -> None:
        disk = begun("opt_in")
        waiting(disk, 3)
        disk.failure = Failure(at, OSError(FULL, "full"), partial=True, stays=stays)
        done = send(disk, "tick", "x")
        hits = disk.failure.hits
        disk.failure = Failure(None, None, partial=False, stays=False)
        assert seen(disk.copy())[0] in [(True, 4)] if not done.lost else [(True, 3), (True, 4)], (
            hits
        )
        assert send(disk, "tick", "x").saved
        assert seen(disk)[0] == (True, 4), hits
        assert send(disk, "tick", "y").saved
        assert seen(disk)[0] == (True, 5), hits

    def cases() -> Iterator[Case]:
        probe = begun("opt_in")
        waiting(probe, 3)
        probe.failure = Failure(None, None, partial=False, stays=False)
        send(probe, "tick", "x")
        for stays in (False, True):
            for at in range(1, probe.failure.calls + 1):
                yield f"call {at} {stays=}", partial(case, at, stays)

    judge("faults while taking in", cases(), 25)


# ---- a broken file -------------------------------------------------------------------------------


def broken(*names: str, junk: bytes = b'{"active": true, "coun') -> Disk:
    disk = begun(*names)
    disk.truncate(PATH, 0)
    disk.write_at(PATH, 0, junk)
    return disk.copy()


@pytest.mark.parametrize("first", ["read", "tick"])
@pytest.mark.parametrize("names", [("opt_in", "tick"), ("opt_in", "tick", "opt_out")])
def test_mending_a_broken_file_can_be_interrupted_anywhere(
    first: str, names: tuple[str, ...]
) -> None:
    """The last good copy is what is read, before and after; the broken file is still there."""
    junk = b'{"active": true, "coun'
    off = names[-1] == "opt_out"

    def work(disk: Disk) -> None:
        if first == "read":
            assert open_store(disk).read().status == "recovered"
        else:
            assert send(disk, "tick", "x").saved

    def mended(disk: Disk) -> None:
        found, status = seen(disk)
        assert found == (not off, 1) or (first == "tick" and not off and found == (True, 2)), found
        assert status in ("ok", "recovered")
        kept = [data for path, data in disk.tree().items() if ".broken-" in path]
        assert kept == [junk], f"{len(kept)} kept"
        if off:
            never_on(disk.copy())
        assert send(disk, "tick", "x").saved
        assert seen(disk)[0] == ((False, 1) if off else (True, 2))

    def cases() -> Iterator[Case]:
        recording = Recording(broken(*names, junk=junk))
        work(recording.disk)
        for label, disk in recording.kills():
            yield label, partial(mended, disk)
        for label, disk in recording.power_cuts(1):
            yield label, partial(mended, disk)

    judge(f"mending by {first}", cases(), 15)


def test_a_broken_file_without_a_copy_is_kept_wherever_the_process_dies() -> None:
    junk = b"\0" * 100

    def kept(disk: Disk) -> None:
        found, status = seen(disk)
        assert (found, status) == ((False, 0), "fresh")
        left = [data for path, data in disk.tree().items() if "tally.json" in path and data == junk]
        assert left, disk.tree()
        assert send(disk, "opt_in", "x").saved
        assert seen(disk)[0] == (True, 0)
        left = [data for path, data in disk.tree().items() if ".broken-" in path]
        assert left == [junk]

    def cases() -> Iterator[Case]:
        disk = broken("opt_in", junk=junk)
        disk.remove(PATH + ".bak")
        recording = Recording(disk.copy())
        assert send(recording.disk, "opt_in", "x").saved
        first = recording.find("sync_dir", "state", 0) or 0
        for label, found in (*recording.kills(0, first), *recording.power_cuts(1, 0, first)):
            yield label, partial(kept, found)

    judge("mending without a copy", cases(), 4)


def test_a_reset_leaves_the_state_or_a_new_session_and_destroys_nothing() -> None:
    def whole(disk: Disk, old: bytes) -> None:
        found, status = seen(disk.copy())
        assert (found, status) in [((True, 1), "ok"), ((False, 0), "fresh")], (found, status)
        assert old in disk.tree().values()
        assert send(disk, "opt_in", "again").saved
        assert seen(disk)[0] in [(True, 1), (True, 0)]
        assert old in disk.tree().values() or found == (True, 1)

    def cases() -> Iterator[Case]:
        recording = Recording(begun("opt_in", "tick"))
        old = recording.disk.tree()[PATH]
        assert ".old-" in open_store(recording.disk).reset()
        for label, disk in (*recording.kills(), *recording.power_cuts(2)):
            yield label, partial(whole, disk, old)

    judge("reset", cases(), 6)


def test_the_recordings_hold_what_they_are_thought_to_hold() -> None:
    """An event is one replace of the state and one of its copy; nothing else is moved."""
    recording = Recording(begun("opt_in"))
    send(recording.disk, "tick", "x")
    moved = [call.path.rpartition("/")[2] for call in recording.calls if call.name == "replace"]
    assert moved == ["tally.json", "tally.json.bak"]
    work: Callable[[str], Changed] = partial(send, recording.disk, "opt_out")
    start = len(recording)
    work("y")
    moved = [c.path.rpartition("/")[2] for c in recording.calls[start:] if c.name == "replace"]
    assert moved == ["tally.json.bak", "tally.json"], "the copy goes first when the state is off"
