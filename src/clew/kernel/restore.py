"""Restoring a backup: a new folder beside the original, whole and read back, or nothing.

Everything is written into a folder of another name first, private until it is finished; nothing of
the archive is believed that `clew.kernel.manifest` and `clew.kernel.archive` have not judged.
The guide is docs/backup-and-trust.md.
"""

from __future__ import annotations

import errno
import os
import posixpath
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.kernel import archive as archives
from clew.kernel import manifest as manifests
from clew.kernel.archive import Summary, resolve_new, storage, verify
from clew.kernel.errors import Corrupt, NewerSchema, Refused, StorageFailed, refuse
from clew.kernel.faults import Code, Fault, register
from clew.kernel.files import Files
from clew.kernel.manifest import File, Manifest, shown

_WINDOWS: Final = os.name == "nt"


def restore(
    archive: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    files: Files | None = None,
) -> Summary:
    """Make the new folder `target` from an archive: all of it, read back byte by byte, or nothing.

    `target` must not exist or be an empty folder; the folder above it must exist.

    Raises `Missing`, `Refused` (`restore_target_taken`, `restore_no_room`, `restore_names_merge`,
    `archive_member_unsafe`), `Corrupt` (what `verify` found), `NewerSchema`, `StorageFailed`.
    """
    files = files or Files()
    path = os.fspath(archive)
    place = resolve_new(files, target)
    with storage(place):
        _refuse_taken(files, place)
        found = verify(path, files=files)
        if found.summary is None or found.faults:
            newer = found.faults[0].code == "newer_schema"
            raise (NewerSchema if newer else Corrupt)(*found.faults)
        temporary = f"{posixpath.dirname(place)}/{archives.TEMPORARY}{secrets.token_hex(6)}.tmp"
        with archives.opened(files, path) as now:
            if now.manifest is None or now.manifest_sha256 != found.summary.manifest_sha256:
                raise Corrupt(Fault("archive_cut", file=shown(path)))
            refuse(manifests.member_faults(now.manifest, windows=_WINDOWS))
            _refuse_no_room(now.manifest, posixpath.dirname(place))
            try:
                _fill(files, now, now.manifest, temporary)
                _put_in_place(files, temporary, place)
            finally:
                _clear(now.manifest, temporary)
    return found.summary


def _refuse_taken(files: Files, place: str) -> None:
    found = files.stat(place)
    if found is not None and (found.kind != "dir" or files.names(place)):
        raise Refused(Fault("restore_target_taken", file=shown(place)))


def _refuse_no_room(manifest: Manifest, parent: str) -> None:
    needed = sum(file.size for file in manifest.files)
    free = shutil.disk_usage(parent).free
    if needed > free:
        raise Refused(Fault("restore_no_room", file=shown(parent), found=needed, limit=free))


def _fill(files: Files, found: archives.Opened, manifest: Manifest, root: str) -> None:
    """Everything of the archive into the new folder `root`, private until its modes are set."""
    path = ""
    try:
        Path(root).mkdir(0o700)
        for folder in sorted(manifest.folders, key=lambda f: f.path):
            path = folder.path
            Path(root, path).mkdir(0o700)
        for file in manifest.files:
            path = file.path
            _unpack(files, found, file, f"{root}/{path}")
        # Links come last: no file can be written through one.
        for link in manifest.links:
            if link.inside:
                path = link.path
                Path(root, path).symlink_to(link.target)
    except FileExistsError:
        raise Refused(Fault("restore_names_merge", file=shown(path))) from None
    for file in manifest.files:
        _read_back(files, file, f"{root}/{file.path}")
        Path(root, file.path).chmod(file.mode)
        os.utime(f"{root}/{file.path}", ns=(file.mtime_ns, file.mtime_ns))
    for folder in sorted(manifest.folders, key=lambda f: f.path, reverse=True):
        files.sync_dir(f"{root}/{folder.path}")
        Path(root, folder.path).chmod(folder.mode)
    files.sync_dir(root)
    Path(root).chmod(manifest.mode)


def _unpack(files: Files, found: archives.Opened, file: File, real: str) -> None:
    check, offset = archives.Check(), 0
    files.create(real, b"", 0o600)
    for block in found.blocks(file):
        check.add(block)
        files.write_at(real, offset, block)
        offset += len(block)
    if not check.fits(file):
        raise Corrupt(Fault("archive_member_damaged", file=shown(file.path)))
    files.sync(real)


def _read_back(files: Files, file: File, real: str) -> None:
    check, offset = archives.Check(), 0
    while block := files.read(real, offset, archives.BLOCK):
        check.add(block)
        offset += len(block)
    if not check.fits(file):
        raise StorageFailed(Fault("restore_differs", file=shown(file.path)))


def _put_in_place(files: Files, temporary: str, place: str) -> None:
    try:
        if _WINDOWS and files.stat(place) is not None:  # pragma: no cover - Windows
            files.remove_dir(place)
        files.replace(temporary, place)  # over an empty folder at most: the system sees to it
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
        raise Refused(Fault("restore_target_taken", file=shown(place))) from None
    files.sync_dir(posixpath.dirname(place))


def _clear(manifest: Manifest, temporary: str) -> None:
    """Remove what a restore that failed had made; nothing after one that went through."""
    if not Path(temporary).exists():
        return
    for folder in ["", *sorted(f.path for f in manifest.folders)]:
        with suppress(OSError):  # read-only folders are opened; one not yet made is no matter
            Path(temporary, folder).chmod(0o700)
    shutil.rmtree(temporary, ignore_errors=True)


register(
    Code(
        "restore_target_taken", 2,
        "{file} 已存在且不是空文件夹，没有恢复任何东西",
        "{file} exists and is not an empty folder; nothing was restored",
        "换一个新名字，恢复到原文件夹旁边，比较之后再决定用哪个。",
        "Restore under a new name beside the original, compare, and then decide which one to use.",
        about_zh="恢复从不覆盖或混入已有的文件。",
        about_en="A restore never replaces files or mixes with them.",
    ),
    Code(
        "restore_no_room", 2,
        "恢复需要 {found} 字节，{file} 只剩 {limit} 字节",
        "the restored files need {found} bytes, {file} has {limit} left",
        "腾出空间，或恢复到另一块磁盘。",
        "Free some space, or restore to another disk.",
        about_zh="写之前先看空间，没有写出任何文件。",
        about_en="Room is looked at before anything is written; nothing was.",
    ),
    Code(
        "restore_names_merge", 2,
        "{file} 与另一个文件在这块磁盘上是同一个名字，没有恢复任何东西",
        "{file} and another file are one name on this disk; nothing was restored",
        "恢复到区分大小写的磁盘（例如 Linux），改名后再备份。",
        "Restore on a disk that tells upper and lower case apart (Linux), rename, and save again.",
        about_zh="两个文件会互相覆盖，因此一个也不写。",
        about_en="One file would replace the other, so neither is written.",
    ),
    Code(
        "restore_differs", 2,
        "{file} 写出后读回的内容不同，已放弃恢复",
        "{file} read back differently from what was written; the restore was given up",
        "检查磁盘，或恢复到另一块磁盘；备份本身是完好的。",
        "Check the disk, or restore to another one; the backup itself is whole.",
        about_zh="磁盘出错，或别的程序正在改动恢复中的文件夹。",
        about_en="The disk fails, or another program changed the folder while it was restored.",
    ),
)  # fmt: skip
