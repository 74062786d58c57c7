"""The crash model on examples small enough to write down every disk by hand."""

from __future__ import annotations

from clew.testing.crash import Point, Recording
from clew.testing.disk import Disk


def start(**tree: bytes) -> Recording:
    return Recording(Disk.from_tree({f"/{name}": data for name, data in tree.items()}))


def kills(recording: Recording) -> list[dict[str, bytes]]:
    return [disk.tree() for _, disk in recording.kills()]


def cuts(recording: Recording, deviations: int = 1) -> list[dict[str, bytes]]:
    """Disks after the last call only."""
    end = len(recording)
    return [disk.tree() for _, disk in recording.power_cuts(deviations, end, end)]


def test_a_kill_leaves_every_prefix_of_the_calls_and_of_a_write() -> None:
    run = start(a=b"old!")
    run.disk.create("/b", b"0123")
    run.disk.write_at("/a", 0, b"new!")
    run.disk.remove("/b")
    assert kills(run) == [
        {"/a": b"old!"},
        {"/a": b"old!", "/b": b""},
        {"/a": b"old!", "/b": b"0"},
        {"/a": b"old!", "/b": b"01"},
        {"/a": b"old!", "/b": b"012"},
        {"/a": b"old!", "/b": b"0123"},
        {"/a": b"nld!", "/b": b"0123"},
        {"/a": b"ned!", "/b": b"0123"},
        {"/a": b"new!", "/b": b"0123"},
        {"/a": b"new!"},
    ]


def test_a_synced_name_and_content_survive_a_power_cut() -> None:
    run = start()
    run.disk.create("/a", b"0123")
    run.disk.sync("/a")
    run.disk.sync_dir("/")
    assert cuts(run) == [{"/a": b"0123"}]


def test_a_synced_file_may_lose_its_name() -> None:
    run = start()
    run.disk.create("/a", b"0123")
    run.disk.sync("/a")
    assert cuts(run) == [{"/a": b"0123"}, {}]


def test_a_name_may_survive_without_its_content() -> None:
    run = start()
    run.disk.create("/a", b"0123")
    run.disk.sync_dir("/")
    found = [disk["/a"] for disk in cuts(run)]
    assert found == [b"0123", b"", b"01", b"01\0\0", b"\0\0\0\0"]


def test_a_rename_is_kept_or_lost_whole_whatever_became_of_the_content() -> None:
    run = start(a=b"old")
    run.disk.create("/new", b"01")
    run.disk.replace("/new", "/a")
    found = {tuple(sorted(disk.items())) for disk in cuts(run, deviations=3)}
    content = [b"01", b"", b"0", b"0\0", b"\0\0"]
    renamed = {(("/a", data),) for data in content}
    unnamed = {(("/a", b"old"),)}
    beside = {(("/a", b"old"), ("/new", data)) for data in content}
    assert found == renamed | unnamed | beside


def test_an_overwrite_is_kept_lost_or_half_and_grows_by_nuls() -> None:
    run = start(a=b"0123")
    run.disk.write_at("/a", 2, b"wxyz")
    assert [disk["/a"] for disk in cuts(run)] == [
        b"01wxyz", b"0123", b"01wx", b"0123yz", b"01wx\0\0", b"0123\0\0",
    ]  # fmt: skip


def test_later_content_may_survive_earlier_content() -> None:
    run = start()
    run.disk.create("/a", b"01")
    run.disk.sync_dir("/")
    run.disk.write_at("/a", 2, b"23")
    assert {"/a": b"\0\x0023"} in cuts(run)


def test_losing_a_new_folder_loses_what_is_below_even_when_it_is_synced() -> None:
    run = start(a=b"1")
    run.disk.make_dir("/d")
    run.disk.replace("/a", "/d/a")
    run.disk.sync("/d/a")
    run.disk.sync_dir("/d")
    assert cuts(run) == [{"/d/a": b"1"}, {}]


def test_a_removal_may_be_undone_until_the_folder_is_synced() -> None:
    run = start(a=b"1")
    run.disk.remove("/a")
    assert cuts(run) == [{}, {"/a": b"1"}]
    run.disk.sync_dir("/")
    assert cuts(run) == [{}]


def test_two_deviations_reach_what_one_does_not() -> None:
    run = start()
    for name in "abcd":
        run.disk.create(f"/{name}", b"")
    one, two = cuts(run, 1), cuts(run, 2)
    assert sorted(len(disk) for disk in one) == [0, 1, 1, 1, 1, 3, 3, 3, 3, 4]
    assert sorted(len(disk) for disk in two) == [0] + [1] * 4 + [2] * 6 + [3] * 4 + [4]


def test_what_was_not_durable_at_a_kill_can_still_be_lost_later() -> None:
    run = start()
    run.disk.create("/a", b"0123")
    run.disk.create("/b", b"")
    after = run.killed(Point(0, 2))
    assert after.disk.tree() == {"/a": b"01"}
    after.disk.create("/c", b"")
    after.disk.sync_dir("/")
    assert [disk["/a"] for disk in cuts(after)] == [b"01", b"", b"0", b"0\0", b"\0\0"]


def test_disks_are_told_apart_by_content_and_named() -> None:
    run = start()
    run.disk.create("/a", b"x")
    found = list(run.power_cuts(2))
    assert len({tuple(sorted(disk.tree().items())) for _, disk in found}) == len(found) == 4
    assert found[0][0] == "cut at once: all kept"
    assert found[1][0] == "cut after 1 calls (create /a): all kept"


def test_a_lock_file_names_a_process_that_is_gone_after_the_crash() -> None:
    import os

    from clew.kernel.lock import parse_owner, process_lives

    run = start()
    handle = run.disk.lock_create("/lock")
    assert handle is not None
    run.disk.lock_note(handle, f"pid={os.getpid()}\nhost=x\n")
    owner = parse_owner(run.disk.read("/lock").decode())
    assert owner.pid is not None and not process_lives(owner.pid)
