"""Backups: one moment of a folder, whole, in one file; restored whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import socket
import stat
import struct
import subprocess
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.kernel import archive as archives
from clew.kernel import backup, manifest, restore
from clew.kernel.errors import (
    ChangedOutside,
    ClewError,
    Corrupt,
    Locked,
    Missing,
    NewerSchema,
    Refused,
    StorageFailed,
)
from clew.kernel.faults import Fault, registered
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.kernel.lock import exclusive
from clew.kernel.text import portable_key
from clew.kernel.vault import Scope

BOOK = Scope("book", "追踪", "追踪/.tracking-commit.lock", "追踪/.clew")


def clock() -> datetime:
    return datetime(2026, 8, 14, 12, 30, tzinfo=UTC)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A folder as a novelist has it: prose, outlines, a picture, git, an empty folder, a link."""
    root = tmp_path / "雨夜来信"
    (root / "正文").mkdir(parents=True)
    (root / "正文/第1章 归来.md").write_text("雨下了一夜。\n", encoding="utf-8")
    (root / "正文/第2章.md").write_text("信还在桌上。\n" * 400, encoding="utf-8")
    (root / "封面.png").write_bytes(os.urandom(5000))
    (root / "空文件").write_bytes(b"")
    (root / "大纲/待写").mkdir(parents=True)
    (root / "最新.md").symlink_to("正文/第2章.md")
    (root / "工具.sh").write_text("#!/bin/sh\n")
    (root / "工具.sh").chmod(0o755)
    (root / ".git/refs/heads").mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    os.utime(root / "正文/第1章 归来.md", ns=(1_700_000_000_123_456_789,) * 2)
    return root


def tree(root: Path) -> dict[str, Any]:
    """Everything that a restore promises to bring back."""
    out: dict[str, Any] = {"": stat.S_IMODE(root.stat().st_mode)}
    for path in sorted(root.rglob("*")):
        found = path.lstat()
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            out[name] = ("link", str(path.readlink()))
        elif path.is_dir():
            out[name] = ("dir", stat.S_IMODE(found.st_mode))
        else:
            out[name] = (path.read_bytes(), stat.S_IMODE(found.st_mode), found.st_mtime_ns)
    return out


def codes(faults: tuple[Fault, ...]) -> list[str]:
    return [fault.code for fault in faults]


def leftovers(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if p.name.startswith(".clew-backup-")]


def describe(**entries: Any) -> dict[str, Any]:
    """The JSON of a manifest, to be bent."""
    empty: dict[str, Any] = {"files": [], "folders": [], "links": [], "skipped": []}
    return {
        "format": "clew-backup", "schema_version": 1, "created": "2026-08-14T12:30:00.000Z",
        "name": "书", "kind": "book", "mode": 0o755,
    } | empty | entries  # fmt: skip


def file_entry(path: str, data: bytes = b"x") -> dict[str, Any]:
    from clew.kernel.document import digest

    return {"path": path, "size": len(data), "mode": 0o644, "mtime_ns": 0, "sha256": digest(data)}


def pack(target: Path, about: Any, members: list[tuple[str, bytes]]) -> Path:
    """An archive from anyone: any manifest, any members."""
    data = about if isinstance(about, bytes) else json.dumps(about).encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("clew-backup.json", data)
        for name, content in members:
            out.writestr(name, content)
    return target


# ---- create and restore ------------------------------------------------------------------------


def test_a_restored_folder_equals_the_original_in_bytes_modes_times_links_and_empty_folders(
    book: Path, tmp_path: Path
) -> None:
    before = tree(book)
    saved = backup.create(book, tmp_path / "书.zip", kind="book", clock=clock)
    restored = backup.restore(tmp_path / "书.zip", tmp_path / "雨夜来信（恢复）")
    assert tree(tmp_path / "雨夜来信（恢复）") == before == tree(book)
    assert restored == saved
    assert (saved.name, saved.kind, saved.created) == (
        "雨夜来信",
        "book",
        "2026-08-14T12:30:00.000Z",
    )
    assert (saved.files, saved.folders, saved.links) == (6, 6, 1)
    assert saved.notes == () and leftovers(tmp_path) == []


def test_the_manifest_is_the_first_member_and_names_every_file_with_its_hash(
    book: Path, tmp_path: Path
) -> None:
    saved = backup.create(book, tmp_path / "a.zip", clock=clock)
    with zipfile.ZipFile(tmp_path / "a.zip") as opened:
        names = opened.namelist()
        about = json.loads(opened.read(names[0]))
    assert names[0] == "clew-backup.json" and about["schema_version"] == 1
    assert {f["path"] for f in about["files"]} == {
        p.relative_to(book).as_posix()
        for p in book.rglob("*")
        if p.is_file() and not p.is_symlink()
    }
    assert "content/正文/第1章 归来.md" in names
    assert len(saved.manifest_sha256) == 64


def test_any_program_for_zip_files_can_take_the_book_out(book: Path, tmp_path: Path) -> None:
    backup.create(book, tmp_path / "a.zip")
    shutil.unpack_archive(tmp_path / "a.zip", tmp_path / "out")
    found = (tmp_path / "out/content/正文/第1章 归来.md").read_text(encoding="utf-8")
    assert found == "雨下了一夜。\n"
    assert (tmp_path / "out/content/.git/refs/heads").is_dir()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_book_under_git_keeps_its_history_but_not_a_stale_lock(tmp_path: Path) -> None:
    root = tmp_path / "book"
    root.mkdir()
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    (root / "一.md").write_text("一", encoding="utf-8")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "一"], check=True)
    (root / ".git/index.lock").touch()
    (root / "uv.lock").write_text("version = 1\n")
    saved = backup.create(root, tmp_path / "a.zip")
    backup.restore(tmp_path / "a.zip", tmp_path / "again")
    run = subprocess.run(
        ["git", "-C", str(tmp_path / "again"), "status", "--porcelain"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert run.stdout == "?? uv.lock\n"
    assert codes(saved.notes) == ["backup_skipped_lock"]


def test_a_ledger_that_was_restored_can_be_changed_at_once(tmp_path: Path) -> None:
    root = tmp_path / "book"
    root.mkdir()
    with FolderVault(root).transaction(BOOK) as change:
        change.write("追踪/状态.json", b"{}\n", truth=True)
    (root / "追踪/.clew/stage/7").write_bytes(b"left by a process that was killed")
    saved = backup.create(root, tmp_path / "a.zip")
    backup.restore(tmp_path / "a.zip", tmp_path / "again")
    assert codes(saved.notes) == ["backup_skipped_stage"]
    assert list((tmp_path / "again/追踪/.clew/stage").iterdir()) == []
    with FolderVault(tmp_path / "again").transaction(BOOK) as change:
        change.write("追踪/状态.json", b"[]\n", truth=True)
    assert (tmp_path / "again/追踪/状态.json").read_bytes() == b"[]\n"


def test_a_change_that_waits_in_the_journal_is_completed_in_the_restored_folder(
    tmp_path: Path,
) -> None:
    root = tmp_path / "book"
    root.mkdir()
    with FolderVault(root).transaction(BOOK) as change:
        change.write("追踪/状态.json", b"1\n", truth=True)

    class Stopping(Files):
        def replace(self, source: str, target: str) -> None:
            raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        FolderVault(root, files=Stopping()).transaction(BOOK) as c,
    ):
        c.write("追踪/状态.json", b"2\n", truth=True)
    backup.create(root, tmp_path / "a.zip")
    backup.restore(tmp_path / "a.zip", tmp_path / "again")
    vault = FolderVault(tmp_path / "again")
    with vault.transaction(BOOK) as change:
        assert change.recovery.rolled_forward == ("追踪/状态.json",)
    assert (tmp_path / "again/追踪/状态.json").read_bytes() == b"2\n"


def test_an_existing_archive_is_never_overwritten(book: Path, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"the older one")
    with pytest.raises(Refused) as caught:
        backup.create(book, tmp_path / "a.zip")
    assert caught.value.code == "backup_exists"
    assert (tmp_path / "a.zip").read_bytes() == b"the older one"
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("linkless", [False, True], ids=["hard links", "a disk without"])
def test_an_archive_that_appears_meanwhile_is_not_overwritten(
    book: Path, tmp_path: Path, linkless: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Racing(Files):
        def sync(self, path: str) -> None:
            super().sync(path)
            (tmp_path / "a.zip").write_bytes(b"the other one")

    if linkless:
        monkeypatch.setattr(Path, "hardlink_to", _no_links)
    with pytest.raises(Refused) as caught:
        backup.create(book, tmp_path / "a.zip", files=Racing())
    assert caught.value.code == "backup_exists"
    assert (tmp_path / "a.zip").read_bytes() == b"the other one"


def _no_links(self: Path, target: str) -> None:
    raise OSError(errno.EPERM, "no hard links here")


def test_a_disk_without_hard_links_gets_its_archive_too(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "hardlink_to", _no_links)
    backup.create(book, tmp_path / "a.zip")
    assert backup.verify(tmp_path / "a.zip").ok and leftovers(tmp_path) == []


def test_an_archive_inside_the_folder_it_saves_is_refused(book: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(book)
    for place in (book / "a.zip", book / "正文/a.zip", tmp_path / "way/a.zip"):
        with pytest.raises(Refused) as caught:
            backup.create(book, place)
        assert caught.value.code == "backup_inside_folder"


def test_a_folder_or_a_place_that_does_not_exist_is_named(book: Path, tmp_path: Path) -> None:
    with pytest.raises(Missing, match="无此书"):
        backup.create(tmp_path / "无此书", tmp_path / "a.zip")
    with pytest.raises(Missing, match="nowhere"):
        backup.create(book, tmp_path / "nowhere/a.zip")
    with pytest.raises(Missing, match=r"b\.zip"):
        backup.verify(tmp_path / "b.zip")
    with pytest.raises(Missing, match=r"b\.zip"):
        backup.restore(tmp_path / "b.zip", tmp_path / "new")


@pytest.mark.parametrize(
    ("closed", "mode"),
    [(None, 0o644), (".", 0o600), ("正文", 0o600), ("正文/第1章 归来.md", 0o600)],
)
def test_an_archive_is_no_more_open_than_what_it_holds(
    book: Path, tmp_path: Path, closed: str | None, mode: int
) -> None:
    if closed is not None:
        (book / closed).chmod(0o700)
    old = os.umask(0o022)
    try:
        backup.create(book, tmp_path / "a.zip")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a.zip").stat().st_mode) == mode


def test_links_that_lead_outside_are_noted_and_neither_followed_nor_made_again(
    book: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("密", encoding="utf-8")
    (book / "上面").symlink_to("../secret")
    (book / "绝对").symlink_to(book / "正文")
    (book / "转").symlink_to("上面")
    (book / "圈").symlink_to("圈")
    (book / "断").symlink_to("正文/还没有.md")
    saved = backup.create(book, tmp_path / "a.zip")
    assert sorted(str(f.facts["file"]) for f in saved.notes) == ["上面", "圈", "绝对", "转"]
    assert set(codes(saved.notes)) == {"backup_link_outside"}
    assert "密".encode() not in b"".join(_contents(tmp_path / "a.zip"))
    backup.restore(tmp_path / "a.zip", tmp_path / "again")
    links = {p.name for p in (tmp_path / "again").iterdir() if p.is_symlink()}
    assert links == {"最新.md", "断"}


def _contents(path: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as opened:
        for name in opened.namelist():
            yield opened.read(name)


def test_sockets_and_pipes_are_left_out_and_named(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(book / "管道")
    monkeypatch.chdir(book)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("s")
        saved = backup.create(book, tmp_path / "a.zip")
    assert codes(saved.notes) == ["backup_skipped_special"] * 2


def test_every_name_that_cannot_be_stored_is_named_at_once(book: Path, tmp_path: Path) -> None:
    (book / "a\\b").touch()
    Path(os.fsdecode(os.fsencode(book) + b"/\xd5\xfd\xce\xc4.txt")).touch()  # GBK
    with pytest.raises(Refused) as caught:
        backup.create(book, tmp_path / "a.zip")
    assert codes(caught.value.faults) == ["backup_bad_name"] * 2
    json.dumps(caught.value.to_dict("zh"), ensure_ascii=False).encode()
    assert leftovers(tmp_path) == []


def test_names_that_differ_by_case_alone_are_saved_and_noted(tmp_path: Path) -> None:
    root = tmp_path / "book"
    root.mkdir()
    for name in ("Notes.md", "notes.md", "cafe\u0301", "caf\u00e9"):
        (root / name).write_text(name, encoding="utf-8")
    if len(list(root.iterdir())) < 4:
        pytest.skip("this disk merges such names")
    saved = backup.create(root, tmp_path / "a.zip")
    assert codes(saved.notes) == ["backup_names_alike"] * 2
    backup.restore(tmp_path / "a.zip", tmp_path / "again")
    assert tree(tmp_path / "again") == tree(root)


class Merging(Files):
    """A disk on which names that differ by case alone are one."""

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        folder, _, name = path.rpartition("/")
        if any(portable_key(n) == portable_key(name) for n in self.names(folder)):
            raise FileExistsError(17, "exists", path)
        super().create(path, data, mode)


def test_names_that_the_disk_would_merge_are_refused_and_nothing_is_left(tmp_path: Path) -> None:
    made = pack(
        tmp_path / "a.zip",
        describe(files=[file_entry("A.md"), file_entry("a.md")]),
        [("content/A.md", b"x"), ("content/a.md", b"x")],
    )
    with pytest.raises(Refused) as caught:
        backup.restore(made, tmp_path / "again", files=Merging())
    assert caught.value.code == "restore_names_merge"
    assert not (tmp_path / "again").exists() and leftovers(tmp_path) == []


def test_what_packs_like_a_bomb_is_stored_unpacked_so_that_it_can_be_restored(
    tmp_path: Path,
) -> None:
    root = tmp_path / "book"
    root.mkdir()
    (root / "零").write_bytes(bytes(3_000_000))
    backup.create(root, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as opened:
        assert opened.getinfo("content/零").compress_type == zipfile.ZIP_STORED
    assert backup.verify(tmp_path / "a.zip").ok


# ---- one moment --------------------------------------------------------------------------------


class Editing(Files):
    """An editor saves a file in the middle of the backup, so many times."""

    def __init__(self, path: Path, times: int) -> None:
        self._edited, self._times = str(path), times

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
        data = super().read(path, offset, limit)
        if path == self._edited and self._times > 0:
            self._times -= 1
            Path(path).write_text(f"第{self._times}稿", encoding="utf-8")
        return data


@pytest.mark.parametrize("times", [1, 2])
def test_a_file_that_changes_while_it_is_read_is_read_again(
    book: Path, tmp_path: Path, times: int
) -> None:
    backup.create(book, tmp_path / "a.zip", files=Editing(book / "正文/第2章.md", times))
    backup.restore(tmp_path / "a.zip", tmp_path / "again")
    assert tree(tmp_path / "again") == tree(book)


def test_locks_that_come_and_go_do_not_disturb(book: Path, tmp_path: Path) -> None:
    class Locking(Files):
        def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
            (book / ".git/index.lock").touch()
            return super().read(path, offset, limit)

    saved = backup.create(book, tmp_path / "a.zip", files=Locking())
    assert saved.files == 6 and backup.verify(tmp_path / "a.zip").ok


def test_a_file_that_never_rests_is_named_and_no_archive_is_left(
    book: Path, tmp_path: Path
) -> None:
    with pytest.raises(ChangedOutside) as caught:
        backup.create(book, tmp_path / "a.zip", files=Editing(book / "正文/第2章.md", 1000))
    assert caught.value.faults == (Fault("backup_folder_changing", file="正文/第2章.md"),)
    assert not (tmp_path / "a.zip").exists() and leftovers(tmp_path) == []


def test_files_that_appear_and_go_meanwhile_are_seen(book: Path, tmp_path: Path) -> None:
    class Moving(Files):
        done = False

        def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
            if not self.done and path.endswith("第2章.md"):
                self.done = True
                (book / "正文/第1章 归来.md").rename(book / "正文/第3章.md")
            return super().read(path, offset, limit)

    backup.create(book, tmp_path / "a.zip", files=Moving())
    backup.restore(tmp_path / "a.zip", tmp_path / "again")
    assert tree(tmp_path / "again") == tree(book)


def test_nobody_commits_while_the_callers_lock_is_held(tmp_path: Path) -> None:
    root = tmp_path / "book"
    root.mkdir()
    lock = root / "追踪/.tracking-commit.lock"

    def commit(number: int) -> None:
        with FolderVault(root).transaction(BOOK) as change:
            change.write("追踪/甲.json", b"%d" % number, truth=True)
            change.write("追踪/乙.json", b"%d" % number, truth=True)

    commit(0)
    stop = threading.Event()

    def work() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            commit(number)

    @contextmanager
    def hold() -> Iterator[None]:
        with exclusive(str(lock), files=Files(), clock=clock):
            yield

    writer = threading.Thread(target=work)
    writer.start()
    try:
        for number in range(4):
            backup.create(root, tmp_path / f"{number}.zip", hold=hold)
    finally:
        stop.set()
        writer.join()
    for number in range(4):
        backup.restore(tmp_path / f"{number}.zip", tmp_path / str(number))
        again = tmp_path / str(number) / "追踪"
        assert (again / "甲.json").read_bytes() == (again / "乙.json").read_bytes()
        assert not (again / ".tracking-commit.lock").exists()


def test_a_lock_that_is_not_had_is_the_answer(book: Path, tmp_path: Path) -> None:
    lock = str(tmp_path / "lock")
    with exclusive(lock, files=Files(), clock=clock), pytest.raises(Locked):
        backup.create(
            book, tmp_path / "a.zip",
            hold=lambda: exclusive(lock, files=Files(), clock=clock, timeout=0.05),
        )  # fmt: skip
    assert leftovers(tmp_path) == []


def test_paths_that_the_caller_names_are_left_out(book: Path, tmp_path: Path) -> None:
    saved = backup.create(book, tmp_path / "a.zip", skip=["正文/", ".git"])
    assert codes(saved.notes) == ["backup_skipped_asked"] * 2
    assert saved.files == 3


class Full(Files):
    def __init__(self, room: int) -> None:
        self.room = room

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        if offset + len(data) > self.room:
            raise OSError(errno.ENOSPC, "No space left on device", path)
        super().write_at(path, offset, data)


@pytest.mark.parametrize("room", [0, 100, 3000])
def test_a_full_disk_is_said_and_nothing_is_left(book: Path, tmp_path: Path, room: int) -> None:
    with pytest.raises(StorageFailed) as caught:
        backup.create(book, tmp_path / "a.zip", files=Full(room))
    assert caught.value.code == "disk_full"
    backup.create(book, tmp_path / "b.zip")
    if room < 3000:
        with pytest.raises(StorageFailed):
            backup.restore(tmp_path / "b.zip", tmp_path / "again", files=Full(room))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.zip", "雨夜来信"]


# ---- verify ------------------------------------------------------------------------------------


def test_each_damaged_missing_and_extra_member_is_named(tmp_path: Path) -> None:
    made = pack(
        tmp_path / "a.zip",
        describe(
            files=[file_entry("坏.md", b"good"), file_entry("没有.md"), file_entry("长.md"),
                   file_entry("好.md")],
            folders=[{"path": "夹", "mode": 0o755}],
        ),
        [("content/坏.md", b"evil"), ("content/长.md", b"xx"), ("content/好.md", b"x"),
         ("content/多.md", b"x"), ("另外.txt", b"x")],
    )  # fmt: skip
    found = backup.verify(made)
    assert [(f.code, f.facts["file"]) for f in found.faults] == [
        ("archive_member_missing", "夹"),
        ("archive_member_missing", "没有.md"),
        ("archive_member_damaged", "长.md"),
        ("archive_member_extra", "content/多.md"),
        ("archive_member_extra", "另外.txt"),
        ("archive_member_damaged", "坏.md"),
    ]
    assert found.summary is not None and found.summary.files == 4
    with pytest.raises(Corrupt) as caught:
        backup.restore(made, tmp_path / "again")
    assert caught.value.faults == found.faults
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zip"]


def test_a_flipped_bit_in_any_files_content_is_found(book: Path, tmp_path: Path) -> None:
    backup.create(book, tmp_path / "a.zip")
    whole = (tmp_path / "a.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as opened:
        places = {
            i.filename.removeprefix("content/"): (
                i.header_offset + 30 + len(i.filename.encode()) + i.compress_size // 2
            )
            for i in opened.infolist()
            if i.file_size
        }
    del places["clew-backup.json"]
    for name, place in places.items():
        data = bytearray(whole)
        data[place] ^= 0x10
        (tmp_path / "b.zip").write_bytes(data)
        found = backup.verify(tmp_path / "b.zip").faults
        assert found == (Fault("archive_member_damaged", file=name),)


@pytest.mark.parametrize("kept", [0.0, 0.02, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_said_to_be_cut(book: Path, tmp_path: Path, kept: float) -> None:
    backup.create(book, tmp_path / "a.zip")
    whole = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "b.zip").write_bytes(whole[: int(len(whole) * kept)])
    expected = "archive_cut" if kept else "archive_foreign"
    assert codes(backup.verify(tmp_path / "b.zip").faults) == [expected]
    with pytest.raises(Corrupt):
        backup.restore(tmp_path / "b.zip", tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_files_that_are_no_backups_are_said_to_be_foreign(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "photos.zip", "w") as out:
        out.writestr("a.jpg", b"x")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    (tmp_path / "note.txt").write_text("PK\x03\x04", encoding="utf-8")
    (tmp_path / "folder.zip").mkdir()
    os.mkfifo(tmp_path / "pipe.zip")
    for name in ("photos.zip", "empty.zip", "note.txt", "folder.zip", "pipe.zip"):
        found = backup.verify(tmp_path / name)
        assert (found.summary, codes(found.faults)) == (None, ["archive_foreign"]), name


@pytest.mark.parametrize(
    "about",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"format":"clew-backup"}', b"[" * 100_000,
        json.dumps(describe(extra=1)).encode(),
        json.dumps(describe(mode=0o7777)).encode(),
        json.dumps(describe(files=[file_entry("a") | {"size": -1}])).encode(),
        json.dumps(describe(files=[file_entry("a") | {"size": 10**30}])).encode(),
        json.dumps(describe(files=[file_entry("a") | {"sha256": "A" * 64}])).encode(),
        json.dumps(describe(files=[file_entry("\ud800")])).encode(),
        json.dumps(describe(format="other", schema_version=2)).encode(),
        b'{"format":"clew-backup","format":"clew-backup"}',
    ],
    ids=str,
)  # fmt: skip
def test_a_manifest_that_is_none_is_damaged(tmp_path: Path, about: bytes) -> None:
    found = backup.verify(pack(tmp_path / "a.zip", about, []))
    assert (found.summary, codes(found.faults)) == (None, ["archive_manifest_damaged"])


def test_a_manifest_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    made = pack(tmp_path / "a.zip", describe(schema_version=2, novelty=True), [])
    assert codes(backup.verify(made).faults) == ["newer_schema"]
    with pytest.raises(NewerSchema) as caught:
        backup.restore(made, tmp_path / "again")
    assert caught.value.code == "newer_schema"


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_the_bytes_verify_answers_and_a_good_verdict_means_the_very_same_files(
    data: st.DataObject, sample: tuple[bytes, dict[str, Any]]
) -> None:
    whole, original = sample
    bent = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(bent) - 1))
        kind = data.draw(st.sampled_from(["set", "cut", "insert", "drop"]))
        if kind == "set":
            bent[place] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del bent[max(1, place) :]
        elif kind == "insert":
            bent[place:place] = data.draw(st.binary(min_size=1, max_size=8))
        else:
            del bent[place : place + data.draw(st.integers(1, 8))]
        if len(bent) < 2:
            break
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.zip")
        path.write_bytes(bent)
        found = backup.verify(path)
        if found.ok:
            backup.restore(path, Path(folder, "again"))
            assert tree(Path(folder, "again")) == original
        else:
            assert all(f.message("zh") and f.message("en") for f in found.faults)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, Any]]:
    root = tmp_path_factory.mktemp("sample")
    (root / "书/正文").mkdir(parents=True)
    (root / "书/正文/一.md").write_text("雨。" * 30, encoding="utf-8")
    (root / "书/链").symlink_to("正文/一.md")
    backup.create(root / "书", root / "a.zip", clock=clock)
    return (root / "a.zip").read_bytes(), tree(root / "书")


# ---- hostile archives --------------------------------------------------------------------------

CLIMBING = ["../x", "/x", "a/../../x", "a/./x", "a//x", "a\\..\\x", "..\\x", "", ".", "..", "a/..",
            "a\0b"]  # fmt: skip


@pytest.mark.parametrize("path", [p for p in CLIMBING if p])
def test_names_that_climb_out_are_refused_and_nothing_is_written(tmp_path: Path, path: str) -> None:
    (tmp_path / "in").mkdir()
    about = describe(files=[file_entry(path)], folders=[{"path": "a", "mode": 0o755}])
    made = pack(tmp_path / "in/a.zip", about, [("content/a/", b""), (f"content/{path}", b"x")])
    with pytest.raises(Corrupt) as caught:
        backup.restore(made, tmp_path / "in/again")
    assert "archive_member_unsafe" in codes(caught.value.faults)
    assert [p.name for p in (tmp_path / "in").iterdir()] == ["a.zip"]
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


_PART = st.sampled_from(["", ".", "..", "a", "b", "甲", "...", "c\\d", "C:", "e\n", "f\0", "~"])


@given(st.lists(_PART, min_size=1, max_size=5).map("/".join))
def test_a_name_that_passes_stays_below_its_root_on_every_system(path: str) -> None:
    import ntpath
    import posixpath

    if manifest.unsafe(path) is None:
        assert posixpath.normpath(f"/root/{path}") == f"/root/{path}"
        assert "\\" not in path and "\0" not in path
    if path and manifest.unsafe(path, windows=True) is None:
        joined = ntpath.normpath(ntpath.join("Q:\\root", path))
        assert joined == "Q:\\root\\" + path.replace("/", "\\")


@pytest.mark.parametrize("name", ["a:b", "CON", "nul.txt", "x.", "x ", "C:", "a?"])
def test_names_with_a_meaning_of_their_own_are_refused_on_windows(name: str) -> None:
    assert manifest.unsafe(name) is None
    assert manifest.unsafe(f"夹/{name}", windows=True) is not None


LINKS = st.dictionaries(
    st.sampled_from(["l", "m", "d/l", "d/e/l", "d/e/m"]),
    st.lists(
        st.sampled_from(["..", ".", "d", "e", "l", "m", "f", "/"]), min_size=1, max_size=6
    ).map("/".join),
    min_size=1,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(links=LINKS)
def test_a_link_that_passes_leads_inside_on_a_real_disk(links: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.realpath(folder) + "/outer/root"
        Path(root, "d/e").mkdir(parents=True)
        for path, target in links.items():
            Path(root, path).symlink_to(target)
        for path in links:
            if manifest.leads_inside(path, links):
                real = os.path.realpath(f"{root}/{path}")
                assert real == root or real.startswith(root + "/")


@pytest.mark.parametrize(
    "links",
    [
        {"出": "../.."},
        {"出": "/etc"},
        {"a": "d/..", "出": "a/.."},
        {"d/up": "..", "出": "d/up/.."},
        {"出": "C:\\Windows"},
        {"出": "..\\x"},
        {"出": ""},
        {"出": "出"},
    ],
    ids=str,
)
def test_links_that_claim_to_lead_inside_and_do_not_are_refused(
    tmp_path: Path, links: dict[str, str]
) -> None:
    made = pack(
        tmp_path / "a.zip",
        describe(
            folders=[{"path": "d", "mode": 0o755}],
            links=[{"path": p, "target": t, "inside": True} for p, t in links.items()],
        ),
        [("content/d/", b"")],
    )
    assert backup.verify(made).faults[0].code == "archive_member_unsafe"
    with pytest.raises(Corrupt):
        backup.restore(made, tmp_path / "again")
    assert [p.name for p in tmp_path.iterdir()] == ["a.zip"]


def test_nothing_can_be_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    made = pack(
        tmp_path / "in/a.zip",
        describe(files=[file_entry("l/x")], links=[{"path": "l", "target": "..", "inside": False}]),
        [("content/l/x", b"x")],
    )
    with pytest.raises(Corrupt) as caught:
        backup.restore(made, tmp_path / "in/again")
    assert caught.value.code == "archive_member_unsafe"
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_names_given_twice_are_refused(tmp_path: Path) -> None:
    one, two = file_entry("a"), file_entry("a", b"y")
    made = pack(tmp_path / "a.zip", describe(files=[one, two]), [("content/a", b"x")])
    assert "archive_member_repeated" in codes(backup.verify(made).faults)
    with pytest.warns(UserWarning, match="Duplicate name"):
        made = pack(
            tmp_path / "b.zip", describe(files=[one]), [("content/a", b"x"), ("content/a", b"y")]
        )
    assert "archive_member_repeated" in codes(backup.verify(made).faults)
    both = {"path": "a", "mode": 0o755}
    made = pack(tmp_path / "c.zip", describe(files=[one], folders=[both, both]), [])
    assert codes(backup.verify(made).faults).count("archive_member_repeated") == 2


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    zeros = bytes(20_000_000)
    about = describe(files=[file_entry("零", zeros)])
    found = backup.verify(pack(tmp_path / "a.zip", about, [("content/零", zeros)]))
    assert found.faults == (Fault("archive_member_bomb", file="零", found=len(zeros)),)


def test_a_size_that_the_archive_lies_about_is_not_believed(tmp_path: Path) -> None:
    zeros = bytes(500_000)
    made = pack(
        tmp_path / "a.zip", describe(files=[file_entry("零", b"0" * 10)]), [("content/零", zeros)]
    )
    data = bytearray(made.read_bytes())
    place = data.rindex(b"PK\1\2") + 24  # the unpacked size in the directory
    assert struct.unpack("<L", data[place : place + 4])[0] == len(zeros)
    data[place : place + 4] = struct.pack("<L", 10)
    made.write_bytes(data)
    assert codes(backup.verify(made).faults) == ["archive_member_damaged"]


def test_members_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    made = pack(
        tmp_path / "a.zip",
        describe(files=[file_entry("aa"), file_entry("bb")]),
        [("content/aa", b"x"), ("content/bb", b"x")],
    )
    data = bytearray(made.read_bytes())
    first, second = (data.index(b"PK\1\2", data.index(b"content/bb") + 5) + 1,
                     data.rindex(b"PK\1\2"))  # fmt: skip
    first = data.index(b"PK\1\2", first)
    data[second + 42 : second + 46] = data[first + 42 : first + 46]
    made.write_bytes(data)
    assert "archive_member_bomb" in codes(backup.verify(made).faults)


def test_an_encrypted_member_is_damaged_not_a_traceback(tmp_path: Path) -> None:
    made = pack(tmp_path / "a.zip", describe(files=[file_entry("a")]), [("content/a", b"x")])
    data = bytearray(made.read_bytes())
    data[data.rindex(b"PK\1\2") + 8] |= 1
    made.write_bytes(data)
    assert codes(backup.verify(made).faults) == ["archive_member_damaged"]


def test_hostile_names_are_printed_harmlessly(tmp_path: Path) -> None:
    made = pack(tmp_path / "a.zip", describe(), [("\x1b[2J\r坏\u202e", b"x")])
    fault = backup.verify(made).faults[0]
    assert fault.message("zh").isprintable() and "坏" in fault.message("zh")


# ---- restore -----------------------------------------------------------------------------------


def test_a_restore_never_mixes_with_what_is_there(book: Path, tmp_path: Path) -> None:
    backup.create(book, tmp_path / "a.zip")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").write_text("mine")
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("full", "file", "link", "雨夜来信"):
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(Refused) as caught:
            backup.restore(tmp_path / "a.zip", tmp_path / name)
        assert caught.value.code == "restore_target_taken"
        assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(Missing):
        backup.restore(tmp_path / "a.zip", tmp_path / "no/where")


def test_an_empty_folder_may_be_the_target(book: Path, tmp_path: Path) -> None:
    backup.create(book, tmp_path / "a.zip")
    (tmp_path / "new").mkdir()
    backup.restore(tmp_path / "a.zip", tmp_path / "new")
    assert tree(tmp_path / "new") == tree(book)


def test_a_target_that_fills_meanwhile_is_left_alone(book: Path, tmp_path: Path) -> None:
    backup.create(book, tmp_path / "a.zip")

    class Racing(Files):
        def replace(self, source: str, target: str) -> None:
            Path(target).mkdir()
            Path(target, "theirs").touch()
            super().replace(source, target)

    with pytest.raises(Refused) as caught:
        backup.restore(tmp_path / "a.zip", tmp_path / "new", files=Racing())
    assert caught.value.code == "restore_target_taken"
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["theirs"]
    assert leftovers(tmp_path) == []


def test_private_and_read_only_folders_come_back_as_they_were(tmp_path: Path) -> None:
    root = tmp_path / "home"
    (root / "只读").mkdir(parents=True)
    (root / "只读/a").write_text("a")
    (root / "只读/a").chmod(0o400)
    (root / "只读").chmod(0o500)
    root.chmod(0o700)
    backup.create(root, tmp_path / "a.zip")
    backup.restore(tmp_path / "a.zip", tmp_path / "again")
    assert tree(tmp_path / "again") == tree(root)
    (root / "只读").chmod(0o700)
    (tmp_path / "again/只读").chmod(0o700)


def test_set_user_id_is_not_carried_to_another_place(tmp_path: Path) -> None:
    root = tmp_path / "home"
    root.mkdir()
    (root / "a").touch()
    (root / "a").chmod(0o4755)
    backup.create(root, tmp_path / "a.zip")
    backup.restore(tmp_path / "a.zip", tmp_path / "again")
    assert stat.S_IMODE((tmp_path / "again/a").stat().st_mode) == 0o755


def test_what_reads_back_differently_is_given_up(book: Path, tmp_path: Path) -> None:
    backup.create(book, tmp_path / "a.zip")

    class Failing(Files):
        def sync(self, path: str) -> None:
            super().sync(path)
            if path.endswith("第2章.md"):
                Path(path).write_bytes(b"\0")

    with pytest.raises(StorageFailed) as caught:
        backup.restore(tmp_path / "a.zip", tmp_path / "again", files=Failing())
    assert caught.value.code == "restore_differs"
    assert not (tmp_path / "again").exists() and leftovers(tmp_path) == []


def test_room_is_looked_at_before_anything_is_written(tmp_path: Path) -> None:
    huge = 1 << 60
    about = describe(files=[file_entry("a") | {"size": huge}])
    read, _ = manifest.decode(json.dumps(about).encode(), "m")
    assert read is not None
    from clew.kernel import restore

    with pytest.raises(Refused) as caught:
        restore._refuse_no_room(read, str(tmp_path))
    assert caught.value.code == "restore_no_room"


NAMES = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="/\\\0"),
    min_size=1,
    max_size=20,
).filter(lambda n: n not in (".", "..") and len(n.encode()) < 200)


@settings(max_examples=40, deadline=None)
@given(names=st.dictionaries(NAMES, st.binary(max_size=300), min_size=1, max_size=6))
def test_any_name_a_disk_can_hold_survives(names: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "书")
        root.mkdir()
        for name, data in names.items():
            (root / name).write_bytes(data)
        try:
            backup.create(root, Path(folder, "a.zip"))
        except ClewError as error:
            pytest.fail(str(error))
        backup.restore(Path(folder, "a.zip"), Path(folder, "again"))
        kept = {p.name: p.read_bytes() for p in Path(folder, "again").iterdir()}
        assert kept == {n: d for n, d in names.items() if n != ".tracking-commit.lock"}


@pytest.mark.soak
def test_more_than_four_gigabytes_and_65535_files_fit(tmp_path: Path) -> None:
    root = tmp_path / "big"
    root.mkdir()
    for number in range(66_000):
        (root / str(number)).touch()
    with (root / "video").open("wb") as out:
        out.truncate((4 << 30) + 5)
    saved = backup.create(root, tmp_path / "a.zip")
    assert saved.files == 66_001
    assert backup.verify(tmp_path / "a.zip").ok


def test_every_code_of_backup_speaks_both_languages_and_explains_itself() -> None:
    # The library has codes that begin with `archive_`, too: these are those of the kernel's modules.
    sources = "".join(
        Path(m.__file__).read_text("utf-8") for m in (archives, backup, manifest, restore)
    )
    mine = [registered()[code] for code in re.findall(r'Code\(\s*"(\w+)"', sources)]
    assert len(mine) == 23
    for code in mine:
        assert code.zh and code.en and code.about_zh and code.about_en, code.code
        assert bool(code.hint_zh) == bool(code.hint_en), code.code
    assert archives.RATIO == 200
