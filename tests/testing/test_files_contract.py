"""The disk in memory behaves like the real one: every test runs on both."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.kernel.files import Files
from clew.testing.disk import Disk
from clew.testing.faulty import FaultyFiles

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the model is of Linux")


class Ground:
    """A folder to work in, on one or the other file system."""

    def __init__(self, files: Files, root: str) -> None:
        self.files = files
        self.root = root

    def __truediv__(self, path: str) -> str:
        return f"{self.root}/{path}"

    def link(self, target: str, path: str) -> None:
        if isinstance(self.files, Disk):
            self.files.symlink(target, self / path)
        else:
            Path(self / path).symlink_to(target)


@pytest.fixture(params=["real", "disk"])
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ground]:
    before = os.umask(0o022)
    try:
        if request.param == "real":
            yield Ground(Files(), os.path.realpath(tmp_path))
        else:
            yield Ground(Disk.from_tree({"/w/": b""}), "/w")
    finally:
        os.umask(before)


def refused(number: int, call: Callable[[], object]) -> bool:
    with pytest.raises(OSError) as caught:
        call()
    assert caught.value.errno == number, caught.value
    assert type(caught.value) is type(OSError(number, ""))
    return True


# ---- create and read ------------------------------------------------------------------------


def test_a_created_file_is_read_back(ground: Ground) -> None:
    ground.files.create(ground / "a", "线团".encode())
    assert ground.files.read(ground / "a") == "线团".encode()


@pytest.mark.parametrize(
    ("offset", "limit", "expected"),
    [
        (0, -1, b"012345"),
        (2, -1, b"2345"),
        (2, 3, b"234"),
        (4, 9, b"45"),
        (9, -1, b""),
        (0, 0, b""),
    ],
)
def test_a_part_is_read(ground: Ground, offset: int, limit: int, expected: bytes) -> None:
    ground.files.create(ground / "a", b"012345")
    assert ground.files.read(ground / "a", offset, limit) == expected


def test_creating_over_anything_is_refused_and_leaves_it(ground: Ground) -> None:
    ground.files.create(ground / "a", b"old")
    ground.files.make_dir(ground / "d")
    ground.link("nowhere", "l")
    for name in ("a", "d", "l"):
        refused(errno.EEXIST, lambda name=name: ground.files.create(ground / name, b"new"))
    assert ground.files.read(ground / "a") == b"old"
    assert ground.files.stat(ground / "nowhere") is None


def test_a_parent_that_is_missing_or_no_folder(ground: Ground) -> None:
    files = ground.files
    files.create(ground / "a", b"")
    for call in (
        lambda p: files.create(p, b""),
        lambda p: files.write_at(p, 0, b""),
        lambda p: files.truncate(p, 0),
        files.read,
        files.sync,
        files.sync_dir,
        files.make_dir,
        files.remove_dir,
        files.lock_create,
        lambda p: files.replace(p, ground / "x"),
        lambda p: files.replace(ground / "a", p),
    ):
        refused(errno.ENOENT, lambda call=call: call(ground / "missing/x"))
        refused(errno.ENOTDIR, lambda call=call: call(ground / "a/x"))
    assert files.stat(ground / "missing/x") is None
    assert files.stat(ground / "a/x") is None
    assert files.mode(ground / "missing/x") is None
    assert files.mode(ground / "a/x") is None


def test_a_missing_file_cannot_be_read_written_cut_synced_or_renamed(ground: Ground) -> None:
    files, path = ground.files, ground / "a"
    refused(errno.ENOENT, lambda: files.read(path))
    refused(errno.ENOENT, lambda: files.write_at(path, 0, b"x"))
    refused(errno.ENOENT, lambda: files.truncate(path, 0))
    refused(errno.ENOENT, lambda: files.sync(path))
    refused(errno.ENOENT, lambda: files.sync_dir(path))
    refused(errno.ENOENT, lambda: files.replace(path, ground / "b"))
    refused(errno.ENOENT, lambda: files.remove_dir(path))
    assert files.names(ground.root) == []


def test_a_folder_is_no_file(ground: Ground) -> None:
    files, path = ground.files, ground / "d"
    files.make_dir(path)
    refused(errno.EINVAL, lambda: files.read(path))
    refused(errno.EISDIR, lambda: files.write_at(path, 0, b"x"))
    refused(errno.EISDIR, lambda: files.truncate(path, 0))
    refused(errno.EISDIR, lambda: files.sync(path))
    refused(errno.EISDIR, lambda: files.remove(path))


# ---- write, cut, sync -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offset", "data", "expected"),
    [
        (0, b"XY", b"XY2345"),
        (4, b"WXYZ", b"0123WXYZ"),
        (6, b"Z", b"012345Z"),
        (8, b"Z", b"012345\0\0Z"),
    ],
)
def test_a_write_goes_over_what_was_there(
    ground: Ground, offset: int, data: bytes, expected: bytes
) -> None:
    ground.files.create(ground / "a", b"012345")
    ground.files.write_at(ground / "a", offset, data)
    assert ground.files.read(ground / "a") == expected


@pytest.mark.parametrize(("size", "expected"), [(0, b""), (2, b"01"), (3, b"012"), (5, b"012\0\0")])
def test_a_file_is_cut_or_padded(ground: Ground, size: int, expected: bytes) -> None:
    ground.files.create(ground / "a", b"012")
    ground.files.truncate(ground / "a", size)
    assert ground.files.read(ground / "a") == expected
    found = ground.files.stat(ground / "a")
    assert found is not None and found.size == size


def test_syncs_change_nothing(ground: Ground) -> None:
    ground.files.create(ground / "a", b"x")
    before = ground.files.stat(ground / "a")
    ground.files.sync(ground / "a")
    ground.files.sync_dir(ground.root)
    ground.files.sync_dir(ground / "a")
    assert ground.files.stat(ground / "a") == before


# ---- rename and remove ------------------------------------------------------------------------


def test_a_rename_goes_over_a_file_and_keeps_the_inode(ground: Ground) -> None:
    files = ground.files
    files.create(ground / "new", b"new")
    files.create(ground / "old", b"old")
    moved = files.stat(ground / "new")
    files.replace(ground / "new", ground / "old")
    now = files.stat(ground / "old")
    assert files.read(ground / "old") == b"new"
    assert files.names(ground.root) == ["old"]
    assert moved is not None and now is not None and moved.inode == now.inode


def test_a_rename_between_kinds(ground: Ground) -> None:
    files = ground.files
    files.create(ground / "f", b"x")
    for name in ("empty", "full", "full/sub", "mover"):
        files.make_dir(ground / name)
    refused(errno.EISDIR, lambda: files.replace(ground / "f", ground / "empty"))
    refused(errno.ENOTDIR, lambda: files.replace(ground / "mover", ground / "f"))
    refused(errno.ENOTEMPTY, lambda: files.replace(ground / "mover", ground / "full"))
    refused(errno.EINVAL, lambda: files.replace(ground / "full", ground / "full/sub/x"))
    files.replace(ground / "full", ground / "empty")
    assert files.names(ground.root) == ["empty", "f", "mover"]
    assert files.names(ground / "empty") == ["sub"]


def test_a_rename_to_itself_is_nothing(ground: Ground) -> None:
    ground.files.create(ground / "a", b"x")
    ground.files.replace(ground / "a", ground / "a")
    assert ground.files.read(ground / "a") == b"x"


def test_a_folder_is_renamed_with_what_is_in_it(ground: Ground) -> None:
    files = ground.files
    files.make_dir(ground / "a")
    files.create(ground / "a/x", b"x")
    files.make_dir(ground / "b")
    files.replace(ground / "a", ground / "b/c")
    assert files.read(ground / "b/c/x") == b"x"
    assert files.stat(ground / "a") is None


def test_removing_what_is_gone_is_no_error_but_a_file_for_a_folder_is(ground: Ground) -> None:
    files = ground.files
    files.create(ground / "a", b"x")
    files.remove(ground / "a")
    files.remove(ground / "a")
    files.remove(ground / "missing/x")
    files.create(ground / "b", b"x")
    refused(errno.ENOTDIR, lambda: files.remove(ground / "b/x"))
    assert files.names(ground.root) == ["b"]


def test_only_an_empty_folder_is_removed(ground: Ground) -> None:
    files = ground.files
    files.make_dir(ground / "d")
    files.create(ground / "d/a", b"")
    refused(errno.ENOTEMPTY, lambda: files.remove_dir(ground / "d"))
    refused(errno.ENOTDIR, lambda: files.remove_dir(ground / "d/a"))
    files.remove(ground / "d/a")
    files.remove_dir(ground / "d")
    assert files.stat(ground / "d") is None


def test_a_folder_that_exists_is_made_but_not_over_a_file(ground: Ground) -> None:
    files = ground.files
    files.make_dir(ground / "d")
    files.create(ground / "d/a", b"")
    files.make_dir(ground / "d")
    assert files.names(ground / "d") == ["a"]
    refused(errno.EEXIST, lambda: files.make_dir(ground / "d/a"))


# ---- what there is ----------------------------------------------------------------------------


def test_names_are_sorted_by_code_point_and_none_for_no_folder(ground: Ground) -> None:
    files = ground.files
    for name in ("乙", "b", "A", "甲", ".x"):
        files.create(ground / name, b"")
    assert files.names(ground.root) == sorted(["乙", "b", "A", "甲", ".x"])
    assert files.names(ground / "missing") == []
    assert files.names(ground / "b") == []


def test_stat_tells_the_kind_and_does_not_follow_links(ground: Ground) -> None:
    files = ground.files
    files.create(ground / "f", b"123")
    files.make_dir(ground / "d")
    ground.link("f", "l")
    kinds = {name: files.stat(ground / name) for name in ("f", "d", "l")}
    assert {name: found.kind for name, found in kinds.items() if found} == {
        "f": "file", "d": "dir", "l": "link",
    }  # fmt: skip
    assert kinds["f"] is not None and kinds["f"].size == 3
    assert kinds["l"] is not None and kinds["l"].size == 1


def test_every_change_gives_another_stat(ground: Ground) -> None:
    files = ground.files
    files.create(ground / "a", b"0123456789")
    seen = [files.stat(ground / "a")]
    files.truncate(ground / "a", 9)
    seen.append(files.stat(ground / "a"))
    files.write_at(ground / "a", 9, b"9!")
    seen.append(files.stat(ground / "a"))
    files.create(ground / "b", b"0123456789!")
    files.replace(ground / "b", ground / "a")
    seen.append(files.stat(ground / "a"))
    assert len(set(seen)) == 4


@pytest.mark.parametrize(("asked", "given"), [(0o644, 0o644), (0o600, 0o600), (0o666, 0o644)])
def test_modes_are_kept_under_the_umask(ground: Ground, asked: int, given: int) -> None:
    files = ground.files
    files.create(ground / "a", b"", asked)
    files.make_dir(ground / "d", asked | 0o111)
    assert files.mode(ground / "a") == given
    assert files.mode(ground / "d") == (given | 0o111) & ~0o022
    files.replace(ground / "a", ground / "b")
    assert files.mode(ground / "b") == given


def test_a_mode_can_be_set_whatever_the_umask(ground: Ground) -> None:
    files = ground.files
    files.create(ground / "a", b"")
    ground.link("a", "l")
    files.set_mode(ground / "l", 0o666)
    assert files.mode(ground / "a") == 0o666
    refused(errno.ENOENT, lambda: files.set_mode(ground / "missing", 0o600))


# ---- links --------------------------------------------------------------------------------------


def test_paths_go_through_links_to_folders(ground: Ground) -> None:
    files = ground.files
    files.make_dir(ground / "d")
    files.make_dir(ground / "d/e")
    ground.link("d", "relative")
    ground.link(ground / "d/e", "absolute")
    files.create(ground / "relative/a", b"1")
    files.create(ground / "absolute/b", b"2")
    assert files.read(ground / "d/a") == b"1"
    assert files.names(ground / "relative") == ["a", "e"]
    assert files.resolve(ground / "relative/e/../a") == ground / "d/a"
    assert files.resolve(ground / "absolute/new/x") == ground / "d/e/new/x"
    files.make_dir(ground / "relative")
    files.replace(ground / "relative/a", ground / "absolute/a")
    assert files.names(ground / "d/e") == ["a", "b"]


def test_links_to_files_are_read_but_not_written(ground: Ground) -> None:
    files = ground.files
    files.create(ground / "a", b"1", 0o600)
    ground.link("a", "l")
    assert files.read(ground / "l") == b"1"
    assert files.mode(ground / "l") == 0o600
    assert files.resolve(ground / "l") == ground / "a"
    refused(errno.ELOOP, lambda: files.write_at(ground / "l", 0, b"2"))
    refused(errno.ELOOP, lambda: files.lock_open(ground / "l"))
    files.truncate(ground / "l", 0)
    assert files.read(ground / "a") == b""
    files.remove(ground / "l")
    assert files.names(ground.root) == ["a"]


def test_a_dangling_link_and_a_loop(ground: Ground) -> None:
    files = ground.files
    ground.link("gone", "l")
    ground.link("loop", "loop")
    refused(errno.ENOENT, lambda: files.read(ground / "l"))
    refused(errno.ELOOP, lambda: files.read(ground / "loop"))
    refused(errno.EEXIST, lambda: files.make_dir(ground / "l"))
    assert files.mode(ground / "l") is None
    assert files.resolve(ground / "l") == ground / "gone"


def test_a_rename_replaces_a_link_and_not_what_it_shows(ground: Ground) -> None:
    files = ground.files
    files.create(ground / "a", b"a")
    files.create(ground / "b", b"b")
    ground.link("a", "l")
    files.replace(ground / "b", ground / "l")
    assert (files.read(ground / "a"), files.read(ground / "l")) == (b"a", b"b")


# ---- locks --------------------------------------------------------------------------------------


def test_a_lock_file_is_created_once_and_opened_when_there(ground: Ground) -> None:
    files, path = ground.files, ground / "lock"
    assert files.lock_open(path) is None
    handle = files.lock_create(path)
    assert handle is not None
    assert files.mode(path) == 0o600, "whoever holds a lock is nobody else's business"
    assert files.lock_create(path) is None
    files.lock_note(handle, "a longer owner\n")
    files.lock_note(handle, "owner\n")
    assert files.lock_text(handle) == "owner\n"
    assert files.read(path) == b"owner\n"
    assert 0 <= files.lock_age(handle) < 60
    files.lock_close(handle)
    again = files.lock_open(path)
    assert again is not None and files.lock_text(again) == "owner\n"
    files.lock_close(again)


def test_a_lock_keeps_others_out_until_it_is_closed(ground: Ground) -> None:
    files, path = ground.files, ground / "lock"
    first, second = files.lock_create(path), files.lock_open(path)
    assert first is not None and second is not None
    assert files.lock_try(first)
    assert files.lock_try(first)
    assert not files.lock_try(second)
    assert not files.lock_try(second, shared=True)
    files.lock_close(first)
    assert files.lock_try(second)
    files.lock_close(second)


def test_readers_share_a_lock_and_keep_a_writer_out(ground: Ground) -> None:
    files, path = ground.files, ground / "lock"
    files.create(path, b"")
    handles = [files.lock_open(path) for _ in range(3)]
    one, two, writer = (h for h in handles if h is not None)
    assert files.lock_try(one, shared=True)
    assert files.lock_try(two, shared=True)
    assert not files.lock_try(writer)
    files.lock_close(one)
    files.lock_close(two)
    assert files.lock_try(writer)
    files.lock_close(writer)


def test_a_lock_is_at_its_path_until_the_file_is_another(ground: Ground) -> None:
    files, path = ground.files, ground / "lock"
    handle = files.lock_create(path)
    assert handle is not None and files.lock_is_at(handle, path)
    files.remove(path)
    assert not files.lock_is_at(handle, path)
    files.create(path, b"")
    assert not files.lock_is_at(handle, path)
    assert files.lock_text(handle) == ""
    files.lock_close(handle)


# ---- faults -------------------------------------------------------------------------------------


@pytest.fixture(params=["real", "disk"])
def failing(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Ground]:
    def make(*args: object, **options: object) -> Ground:
        kind = FaultyFiles if request.param == "real" else Disk
        files = kind(*args, **options)  # type: ignore[arg-type]
        return Ground(files, os.path.realpath(tmp_path) if request.param == "real" else "")

    return make


def test_the_call_of_that_number_fails_once(failing: Callable[..., Ground]) -> None:
    ground = failing(2, OSError(errno.EACCES, "no"))
    ground.files.create(ground / "a", b"x")
    refused(errno.EACCES, lambda: ground.files.sync(ground / "a"))
    ground.files.sync(ground / "a")
    assert ground.files.failure.calls == 3  # type: ignore[attr-defined]
    assert ground.files.failure.hits == [f"sync {ground / 'a'}"]  # type: ignore[attr-defined]


def test_a_failing_write_leaves_nothing_or_a_half(failing: Callable[..., Ground]) -> None:
    plain = failing(1)
    refused(errno.ENOSPC, lambda: plain.files.create(plain / "a", b"0123"))
    assert plain.files.stat(plain / "a") is None
    partial = failing(1, partial=True)
    refused(errno.ENOSPC, lambda: partial.files.create(partial / "b", b"0123"))
    assert partial.files.read(partial / "b") == b"01"
    later = failing(2, partial=True)
    later.files.create(later / "c", b"0123")
    refused(errno.ENOSPC, lambda: later.files.write_at(later / "c", 2, b"wxyz"))
    assert later.files.read(later / "c") == b"01wx"


def test_a_full_disk_stays_full_but_lets_rename_and_remove(failing: Callable[..., Ground]) -> None:
    ground = failing(3, stays=True)
    files = ground.files
    files.create(ground / "a", b"a")
    files.create(ground / "b", b"b")
    refused(errno.ENOSPC, lambda: files.create(ground / "c", b"c"))
    refused(errno.ENOSPC, lambda: files.write_at(ground / "a", 0, b"x"))
    refused(errno.ENOSPC, lambda: files.make_dir(ground / "d"))
    refused(errno.ENOSPC, lambda: files.lock_create(ground / "l"))
    files.replace(ground / "a", ground / "b")
    files.sync(ground / "b")
    files.remove(ground / "b")
    assert files.names(ground.root) == []


# ---- the disk alone -----------------------------------------------------------------------------


def test_the_disk_answers_every_call_itself() -> None:
    """A call that it inherits would reach for the real files of whoever runs the tests."""
    asked = {name for name in vars(Files) if not name.startswith("_")}
    assert asked - set(vars(Disk)) == set()


def test_a_disk_is_built_from_a_tree_and_gives_it_back() -> None:
    tree = {"/a/b/c": b"1", "/a/d": b"2", "/e": b""}
    disk = Disk.from_tree({**tree, "/empty/": b""})
    assert disk.tree() == tree
    assert disk.names("/") == ["a", "e", "empty"]


def test_a_copy_goes_its_own_way() -> None:
    disk = Disk.from_tree({"/a": b"1"})
    copy = disk.copy()
    copy.write_at("/a", 0, b"2")
    copy.create("/b", b"")
    assert (disk.tree(), copy.tree()) == ({"/a": b"1"}, {"/a": b"2", "/b": b""})


def test_a_lock_held_elsewhere_is_not_taken() -> None:
    disk = Disk(lock_held=True)
    handle = disk.lock_create("/lock")
    assert handle is not None and not disk.lock_try(handle)


def test_what_changes_is_recorded_and_what_only_looks_is_not() -> None:
    disk = Disk.from_tree({"/a": b"1"})
    calls = disk.record()
    disk.read("/a")
    disk.names("/")
    disk.remove("/missing")
    disk.replace("/a", "/b")
    disk.sync_dir("/")
    assert [str(call) for call in calls] == ["replace /b", "sync_dir /"]
