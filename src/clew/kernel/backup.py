"""Backup of a folder: create, verify, restore. One archive with a manifest of hashes.

`create` is here: a backup is of one moment (the folder is looked at again after it was read), is
read back before it gets its name, and never replaces another. `verify` reads the archive
(`clew.kernel.archive`), `restore` makes a new folder of it (`clew.kernel.restore`), and what a
manifest may say is in `clew.kernel.manifest`. The guide is docs/backup-and-trust.md.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import secrets
import stat
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.kernel import archive as archives
from clew.kernel import manifest as manifests
from clew.kernel.archive import (
    Summary,
    Verification,
    resolve_folder,
    resolve_new,
    storage,
    verify,
)
from clew.kernel.clock import Clock, stamp, system_clock
from clew.kernel.errors import ChangedOutside, Corrupt, Refused, refuse
from clew.kernel.faults import Code, Fault, register
from clew.kernel.files import Files
from clew.kernel.manifest import File, Folder, Link, Manifest, Skipped, shown
from clew.kernel.restore import restore
from clew.kernel.text import has_surrogate, portable_key

__all__ = ["Summary", "Verification", "create", "restore", "verify"]

_ATTEMPTS: Final = 3
_PAUSE: Final = 0.2
"""Seconds before a folder that changed while it was read is read again."""


class _Entry(NamedTuple):
    """What a look at the folder saw of one name; two looks are compared whole."""

    kind: Literal["file", "dir", "link"]
    size: int
    mtime_ns: int
    inode: int
    mode: int
    target: str


class _Tree(NamedTuple):
    mode: int
    entries: dict[str, _Entry]
    skipped: dict[str, Literal["lock", "stage", "special", "asked"]]


def create(
    folder: str | os.PathLike[str],
    archive: str | os.PathLike[str],
    *,
    kind: str = "folder",
    clock: Clock = system_clock,
    files: Files | None = None,
    hold: Callable[[], AbstractContextManager[object]] | None = None,
    skip: Collection[str] = (),
) -> Summary:
    """Write everything in `folder` to the new file `archive`, and read it back.

    `hold` gives the lock under which nobody commits; it is held while the folder is read. `skip`
    names paths, relative to the folder, that are left out (the lock file of that `hold`). Left out
    besides: lock files, what is staged for a change, sockets and devices; the notes name them.
    `.git` is included.

    The archive can be read by others only when everything in the folder could.

    Raises `Missing` (no such folder), `Refused` (`backup_exists`, `backup_inside_folder`,
    `backup_bad_name`), `ChangedOutside` (`backup_folder_changing`), `StorageFailed`. No file is
    left behind when it raises.
    """
    files = files or Files()
    root, target = resolve_folder(files, folder), resolve_new(files, archive)
    if target.startswith(root.rstrip("/") + "/"):
        raise Refused(Fault("backup_inside_folder", file=shown(os.fspath(archive))))
    if files.stat(target) is not None:
        raise Refused(Fault("backup_exists", file=shown(target)))
    temporary = f"{posixpath.dirname(target)}/{archives.TEMPORARY}{secrets.token_hex(6)}.tmp"
    with storage(target):
        try:
            with hold() if hold is not None else nullcontext():
                _store(files, root, temporary, kind, clock, {_relative(s) for s in skip})
            files.sync(temporary)
            found = verify(temporary, files=files)
            if found.faults or found.summary is None:
                raise Corrupt(*found.faults)
            _publish(files, temporary, target)
        finally:
            files.remove(temporary)
    return found.summary


def _relative(path: str) -> str:
    return path.replace(os.sep, "/").strip("/")


def _store(
    files: Files, root: str, temporary: str, kind: str, clock: Clock, skip: set[str]
) -> None:
    """Fill the temporary file with one moment of the folder."""
    unpacked: set[str] = set()
    changed: set[str] = set()
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE)
        tree = _look(files, root, skip)
        try:
            manifest = _describe(files, root, tree, kind, stamp(clock()))
            while True:
                files.remove(temporary)
                files.create(temporary, b"", 0o644 if _open_to_all(tree) else 0o600)
                dense = archives.write(
                    files, temporary, manifest, lambda path: _blocks(files, root, path), unpacked
                )
                if not dense:
                    break
                unpacked |= dense
        except archives.Moved as moved:
            changed = {moved.path}
            continue
        after = _look(files, root, skip)
        if (after.mode, after.entries) == (tree.mode, tree.entries):
            return  # locks and staged files may have come and gone: they are left out anyway
        names = tree.entries.keys() | after.entries.keys()
        changed = {n for n in names if tree.entries.get(n) != after.entries.get(n)}
    named = sorted(changed)[:20] or [posixpath.basename(root)]
    raise ChangedOutside(*(Fault("backup_folder_changing", file=shown(n)) for n in named))


def _look(files: Files, root: str, skip: set[str]) -> _Tree:
    """Every name in the folder, without following a link."""
    entries: dict[str, _Entry] = {}
    skipped: dict[str, Literal["lock", "stage", "special", "asked"]] = {}
    faults: list[Fault] = []
    todo = [""]
    while todo:
        folder = todo.pop()
        for name in files.names(f"{root}/{folder}"):
            path = f"{folder}/{name}" if folder else name
            reason = "asked" if path in skip else _left_out(path)
            if reason is not None:
                skipped[path] = reason
                continue
            try:
                found = Path(root, path).lstat()
                link = stat.S_ISLNK(found.st_mode)
                target = os.readlink(f"{root}/{path}") if link else ""  # noqa: PTH115 - kept as is
            except FileNotFoundError:
                continue  # gone since it was listed: the second look decides
            bits, inode = _bits(found.st_mode), found.st_ino
            why = manifests.unsafe(path)
            if why is not None:
                faults.append(Fault("backup_bad_name", file=shown(path), reason=why))
            elif stat.S_ISDIR(found.st_mode):
                entries[path] = _Entry("dir", 0, 0, inode, bits, "")
                todo.append(path)
            elif link:
                if has_surrogate(target):
                    faults.append(
                        Fault("backup_bad_name", file=shown(path), reason=f"→ {shown(target)}")
                    )
                entries[path] = _Entry("link", 0, 0, inode, 0, target)
            elif stat.S_ISREG(found.st_mode):
                entries[path] = _Entry("file", found.st_size, found.st_mtime_ns, inode, bits, "")
            else:
                skipped[path] = "special"
    refuse(faults)
    return _Tree(_bits(Path(root).stat().st_mode), entries, skipped)


def _bits(mode: int) -> int:
    return stat.S_IMODE(mode) & 0o777  # set-user-id and its kin are not carried to another place


def _left_out(path: str) -> Literal["lock", "stage"] | None:
    """Leftovers that would only hinder a restored folder: who held a lock, what was staged.

    The folder `.clew/stage` itself stays, a change needs it. Names like `uv.lock` are files as any
    other; a branch of git cannot end in `.lock`, so that below `.git` such a name is a lock.
    """
    *above, name = path.split("/")
    private = ".clew" in above or ".git" in above
    if name == ".tracking-commit.lock" or (private and name.endswith(".lock")):
        return "lock"
    return "stage" if above[-2:] == [".clew", "stage"] else None


def _open_to_all(tree: _Tree) -> bool:
    modes = [tree.mode, *(e.mode for e in tree.entries.values() if e.kind != "link")]
    return all(mode & stat.S_IROTH for mode in modes)


def _describe(files: Files, root: str, tree: _Tree, kind: str, created: str) -> Manifest:
    stored, folders, links = [], [], []
    targets = {portable_key(p): e.target for p, e in tree.entries.items() if e.kind == "link"}
    for path, entry in sorted(tree.entries.items()):
        if entry.kind == "dir":
            folders.append(Folder(path, entry.mode))
        elif entry.kind == "link":
            links.append(Link(path, entry.target, manifests.leads_inside(path, targets)))
        else:
            found = hashlib.sha256()
            for block in _blocks(files, root, path):
                found.update(block)
            stored.append(File(path, entry.size, entry.mode, entry.mtime_ns, found.hexdigest()))
    skipped = [Skipped(path, reason) for path, reason in sorted(tree.skipped.items())]
    name = shown(posixpath.basename(root)) or "/"
    return Manifest(
        "clew-backup", 1, created, name, kind, tree.mode, stored, folders, links, skipped
    )


def _blocks(files: Files, root: str, path: str) -> Iterator[bytes]:
    offset = 0
    while True:
        try:
            block = files.read(f"{root}/{path}", offset, archives.BLOCK)
        except (FileNotFoundError, NotADirectoryError):
            raise archives.Moved(path) from None
        if block:
            yield block
        offset += len(block)
        if len(block) < archives.BLOCK:
            return


def _publish(files: Files, temporary: str, target: str) -> None:
    """Give the finished file its name, unless that is taken."""
    try:
        Path(target).hardlink_to(temporary)
    except FileExistsError:
        raise Refused(Fault("backup_exists", file=shown(target))) from None
    except OSError:  # a disk without hard links (exFAT, some network shares)
        if files.stat(target) is not None:
            raise Refused(Fault("backup_exists", file=shown(target))) from None
        files.replace(temporary, target)
    files.sync_dir(posixpath.dirname(target))


register(
    Code(
        "backup_exists", 2,
        "{file} 已存在，备份从不覆盖另一份备份",
        "{file} exists already; a backup never replaces another one",
        "换一个文件名，例如加上日期。",
        "Use another name, for example with the date in it.",
        about_zh="旧备份可能正是需要的那一份，因此不提供覆盖选项。",
        about_en="The older backup may be the one that is needed, so there is no option to replace it.",
    ),
    Code(
        "backup_inside_folder", 2,
        "备份文件 {file} 在被备份的文件夹里面",
        "the archive {file} would lie inside the folder that it saves",
        "把备份写到文件夹旁边或另一块磁盘上。",
        "Write it beside the folder, or on another disk.",
        about_zh="放在里面，每份备份都会包含之前的所有备份，文件夹丢了备份也一起丢。",
        about_en="Inside, every backup would hold all earlier ones, and be lost with the folder.",
    ),
    Code(
        "backup_bad_name", 2,
        "{file} 的名字不能存入备份：{reason}",
        "the name of {file} cannot be stored in a backup: {reason}",
        "给它改名；旧压缩包里解出的 GBK 乱码文件名常有此问题。",
        "Rename it. Names unpacked from old archives in another encoding are a common cause.",
        about_zh="备份要能在所有系统上恢复。没有写出任何文件。",
        about_en="A backup must be restorable on every system. Nothing was written.",
    ),
    Code(
        "backup_folder_changing", 2,
        "{file} 在备份时一直在变，没有留下备份",
        "{file} kept changing while it was saved; no backup was left behind",
        "关闭正在写这个文件夹的程序（编辑器、同步盘、agent）后重跑。",
        "Close what is writing to the folder (editor, cloud sync, agent) and run it again.",
        about_zh="备份只保存同一时刻的内容：读完后再看一遍，有变化就重读，共三次。",
        about_en="A backup is of one moment: the folder is looked at again after it was read, and "
        "read anew when it changed, three times in all.",
    ),
    Code(
        "backup_link_outside", 0,
        "链接 {file} 指向文件夹之外（{found}）：只记下，不跟随，恢复时不重建",
        "the link {file} leads outside the folder ({found}): noted, not followed, not made again",
        about_zh="提示。链接背后的文件不属于这个文件夹；需要的话另行备份。",
        about_en="A note. What lies behind the link is not part of the folder; save it separately "
        "if you need it.",
    ),
    Code(
        "backup_names_alike", 0,
        "{file} 与 {found} 在 Windows 和 macOS 上是同一个名字",
        "{file} and {found} are one name on Windows and macOS",
        "要在那些系统上恢复，请先改名再备份。",
        "Rename one of them before the backup if it is to be restored there.",
        about_zh="提示。只有大小写或 Unicode 形式不同的名字，在那些系统上不能并存。",
        about_en="A note. Names that differ by case or Unicode form alone cannot stand side by side "
        "on those systems.",
    ),
    Code(
        "backup_skipped_lock", 0,
        "锁文件 {file} 未存入",
        "the lock file {file} was left out",
        about_zh="提示。锁文件只说明谁正在写，恢复出来反而会挡住别人。",
        about_en="A note. A lock file says who is writing now; restored, it would only block others.",
    ),
    Code(
        "backup_skipped_stage", 0,
        "写入过程的暂存文件 {file} 未存入",
        "{file}, staged for a change, was left out",
        about_zh="提示。已提交的内容都在日志里，暂存文件是被中断的写入留下的。",
        about_en="A note. What is committed stands in the journal; staged files are leftovers of an "
        "interrupted change.",
    ),
    Code(
        "backup_skipped_special", 0,
        "{file} 不是普通文件（设备、管道或套接字），未存入",
        "{file} is a device, pipe or socket and was left out",
        about_zh="提示。这类文件没有可以保存的内容。",
        about_en="A note. Such a file has no content that could be saved.",
    ),
    Code(
        "backup_skipped_asked", 0,
        "{file} 按要求未存入",
        "{file} was left out as asked",
        about_zh="提示。调用者指定不保存它。",
        about_en="A note. The caller asked not to save it.",
    ),
)  # fmt: skip
