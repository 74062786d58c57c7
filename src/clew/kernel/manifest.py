"""What a backup says of itself: every file with its hash, every folder, every link.

Pure: the types of the manifest, its stable bytes, and the rules that names and links in it must
keep before anything of it may touch a disk. An archive may come from anywhere, so that nothing in
it is believed: neither a name nor where a link claims to lead. The archive around the manifest is
`clew.kernel.archive`; the format is written down in docs/backup-and-trust.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from clew.kernel.document import encode as encode_document
from clew.kernel.document import parse
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Code, Fault, register
from clew.kernel.text import has_surrogate, name_fault, portable_key

FORMAT: Final = "clew-backup"
SCHEMA: Final = 1
MANIFEST_BYTES: Final = 256_000_000
"""Cap of the manifest itself: about a million files."""
_HOPS: Final = 40
"""Links followed for one name before it counts as a loop, as Linux does."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")

_Size = Annotated[int, Meta(ge=0, le=1 << 62)]
_Mode = Annotated[int, Meta(ge=0, le=0o777)]
_Moment = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]
_Sha256 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
_Path = Annotated[str, Meta(min_length=1, max_length=8192)]


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One regular file: bytes, permission bits, nanoseconds since 1970, lower-case SHA-256."""

    path: _Path
    size: _Size
    mode: _Mode
    mtime_ns: _Moment
    sha256: _Sha256


class Folder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One folder below the root, also when it is empty."""

    path: _Path
    mode: _Mode


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One symbolic link, as it stood. What lies behind it is never stored through it."""

    path: _Path
    target: str
    inside: bool
    """Whether it leads to a place in the folder; only such a link is made again."""


class Skipped(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that was there and is not in the archive."""

    path: _Path
    reason: Literal["lock", "stage", "special", "asked"]


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first member of every archive. Paths are relative to the folder, with forward slashes,
    in the very form in which the disk had them."""

    format: Literal["clew-backup"]
    schema_version: Literal[1]
    created: str
    """UTC, to the millisecond."""
    name: str
    """The folder's name when it was saved: shown to people, never used as a path."""
    kind: str
    """What the folder is: `book`, `library`, `persona`, `folder`."""
    mode: _Mode
    """Permission bits of the folder itself."""
    files: list[File]
    folders: list[Folder]
    links: list[Link]
    skipped: list[Skipped] = []


def encode(manifest: Manifest) -> bytes:
    """Stable bytes of a manifest."""
    return encode_document(manifest)


def decode(data: bytes, file: str) -> tuple[Manifest | None, list[Fault]]:
    """Read a manifest and judge it; None with faults when it is not one.

    Faults: `newer_schema`, `archive_manifest_damaged`, `archive_member_unsafe`,
    `archive_member_repeated`. With a fault about a member the manifest is given all the same, so
    that the rest of the archive can be judged too.
    """
    try:
        value, _ = parse(data, file, limit=MANIFEST_BYTES)
        version = value.get("schema_version") if isinstance(value, dict) else None
        if isinstance(version, int) and version > SCHEMA and value.get("format") == FORMAT:
            return None, [Fault("newer_schema", file=file, found=version, limit=SCHEMA)]
        manifest = msgspec.convert(value, Manifest)
    except Refused as error:
        return None, [_damaged(file, error.faults[0].message())]
    except msgspec.ValidationError as error:
        return None, [_damaged(file, str(error))]
    return manifest, member_faults(manifest)


def _damaged(file: str, reason: str) -> Fault:
    return Fault("archive_manifest_damaged", file=file, reason=reason)


def paths(manifest: Manifest) -> list[str]:
    """Every path that a restore makes, links that lead outside excluded."""
    return [
        *(f.path for f in manifest.folders),
        *(f.path for f in manifest.files),
        *(f.path for f in manifest.links if f.inside),
    ]


def member_faults(manifest: Manifest, *, windows: bool = False) -> list[Fault]:
    """Names and links that could leave the folder, or that contradict each other.

    With `windows` also names that this system gives a meaning of its own (`a:b`, `CON`, `a.`).
    """
    faults: list[Fault] = []
    folders = {f.path for f in manifest.folders}
    seen: set[str] = set()
    entries: list[File | Folder | Link] = [*manifest.folders, *manifest.files, *manifest.links]
    for path in (entry.path for entry in entries):
        why = unsafe(path, windows=windows)
        above = path.rpartition("/")[0]
        if why is None and above and above not in folders:
            why = Both("上级不是清单里的文件夹", "its parent is no folder of the manifest")
        if why is not None:
            faults.append(Fault("archive_member_unsafe", file=shown(path), reason=why))
        if path in seen:
            faults.append(Fault("archive_member_repeated", file=shown(path)))
        seen.add(path)
    targets = {portable_key(link.path): link.target for link in manifest.links}
    faults.extend(
        Fault(
            "archive_member_unsafe",
            file=shown(link.path),
            reason=Both("链接指向文件夹之外", "the link leads outside the folder"),
        )
        for link in manifest.links
        if link.inside and not leads_inside(link.path, targets)
    )
    return faults


def unsafe(path: str, *, windows: bool = False) -> Both | None:
    """Why a relative path must not be used, in both languages; None when it may be."""
    parts = path.split("/")
    if path.startswith("/"):
        return Both("绝对路径", "absolute")
    if any(part in ("", ".", "..") for part in parts):
        return Both("含 .、.. 或空的一段", "holds an empty part, '.' or '..'")
    if "\\" in path:
        return Both("含反斜杠", "holds a backslash")
    if "\0" in path:
        return Both("含空字符", "holds a NUL")
    if has_surrogate(path):
        return Both("文件名不是合法 UTF-8", "the name is not valid UTF-8")
    if windows:
        reason = next((r for r in map(name_fault, parts) if r is not None), None)
        return Both(*reason) if reason else None
    return None


def leads_inside(path: str, targets: Mapping[str, str]) -> bool:
    """Whether the link at `path` leads to a place in the folder, by every other link on its way.

    `targets` holds all links by `portable_key` of their path, so that a system which merges names
    cannot be led elsewhere. A place that does not exist is inside as well; a loop is not. An
    absolute target is outside even where it points into the folder: in a restored copy it would
    still point into the original.
    """
    here = path.split("/")[:-1]
    todo = [path.rpartition("/")[2]]
    hops = 0
    while todo:
        part = todo.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not here:
                return False
            here.pop()
            continue
        here.append(part)
        target = targets.get(portable_key("/".join(here)))
        if target is None:
            continue
        hops += 1
        if hops > _HOPS or not _relative(target):
            return False
        here.pop()
        todo.extend(reversed(target.split("/")))
    return True


def _relative(target: str) -> bool:
    odd = "\\" in target or "\0" in target or has_surrogate(target)
    return bool(target) and not odd and not target.startswith("/") and not _DRIVE.match(target)


def alike(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of paths that some systems keep as one (by case or by Unicode form)."""
    first: dict[str, str] = {}
    pairs = []
    for path in names:
        other = first.setdefault(portable_key(path), path)
        if other != path:
            pairs.append((other, path))
    return pairs


def notes(manifest: Manifest) -> list[Fault]:
    """What a person should know of an archive that is whole: left out, outside, alike."""
    out = [
        Fault("backup_link_outside", file=shown(link.path), found=shown(link.target))
        for link in manifest.links
        if not link.inside
    ]
    out.extend(Fault(f"backup_skipped_{s.reason}", file=shown(s.path)) for s in manifest.skipped)
    out.extend(
        Fault("backup_names_alike", file=shown(second), found=shown(first))
        for first, second in alike(paths(manifest))
    )
    return out


def shown(name: str) -> str:
    """A name that may be hostile, fit to be printed: control characters and broken bytes escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)


register(
    Code(
        "archive_foreign", 2,
        "{file} 不是 clew 的备份文件",
        "{file} is not a backup made by clew",
        "备份文件由 clew backup create 生成；用它自己的程序打开这个文件。",
        "Backups are made by `clew backup create`; open this file with the program it belongs to.",
        about_zh="文件的第一个成员不是备份清单 clew-backup.json。",
        about_en="The first member of the file is not the manifest of a backup, clew-backup.json.",
    ),
    Code(
        "archive_cut", 2,
        "{file} 不完整：文件被截断，或末尾的目录已损坏",
        "{file} is not whole: it was cut short, or the directory at its end is damaged",
        "换另一份备份，或重新复制、下载这个文件；普通解压软件的修复功能也许能救出 content/ 里的部分文件。",
        "Use another backup, or copy or download this file again; the repair function of an unzip "
        "program may save some of the files in content/.",
        about_zh="常见原因：复制或下载中断、U 盘提前拔出、云盘没有同步完。",
        about_en="Common causes: an interrupted copy or download, a stick pulled too early, a cloud "
        "folder that was not synced to the end.",
    ),
    Code(
        "archive_manifest_damaged", 2,
        "备份清单 {file} 已损坏：{reason}",
        "the manifest {file} of the backup is damaged: {reason}",
        "换另一份备份；用普通解压软件仍可取出 content/ 里的文件，但无法核对。",
        "Use another backup; an unzip program still gets at the files in content/, unchecked.",
        about_zh="没有清单就无法知道备份里应该有什么，因此不恢复任何东西。",
        about_en="Without its manifest nobody can say what the backup should hold; nothing is "
        "restored from it.",
    ),
    Code(
        "archive_member_damaged", 2,
        "备份里的 {file} 已损坏：内容与清单不符",
        "{file} in the backup is damaged: it is not what the manifest says",
        "换另一份备份；没有损坏的文件可以用普通解压软件从 content/ 里取出。",
        "Use another backup; files that are not named here can be taken from content/ with any "
        "unzip program.",
        about_zh="读回的内容在长度、校验和或 SHA-256 上与清单不同。",
        about_en="What was read back differs from the manifest in length, checksum or SHA-256.",
    ),
    Code(
        "archive_member_missing", 2,
        "清单里的 {file} 不在备份里",
        "{file} stands in the manifest and is not in the backup",
        "换另一份备份。",
        "Use another backup.",
        about_zh="备份文件被别的程序改过。",
        about_en="The archive was changed by another program.",
    ),
    Code(
        "archive_member_extra", 2,
        "备份里多出 {file}，清单里没有",
        "{file} is in the backup and not in its manifest",
        "备份被别的程序改过：换一份没有动过的，或用普通解压软件自己取舍。",
        "The archive was changed by another program: use an untouched one, or take what you want "
        "with an unzip program.",
        about_zh="不在清单里的东西没有校验和，不会被恢复。",
        about_en="What is not in the manifest has no hash and is never restored.",
    ),
    Code(
        "archive_member_repeated", 2,
        "备份里 {file} 出现了两次",
        "{file} stands in the backup twice",
        "不要使用这份备份：它不是 clew 生成的样子。",
        "Do not use this archive: clew does not write such a one.",
        about_zh="同名成员会让不同的程序看到不同的内容。",
        about_en="Members of one name show different content to different programs.",
    ),
    Code(
        "archive_member_unsafe", 2,
        "备份里的 {file} 不安全：{reason}",
        "{file} in the backup is unsafe: {reason}",
        "不要使用来历不明的备份；没有写出任何文件。",
        "Do not use an archive whose origin you do not know; nothing was written.",
        about_zh="绝对路径、..、反斜杠、指向外面的链接都可能把文件写到目标文件夹之外。",
        about_en="Absolute paths, '..', backslashes and links that lead outside could write files "
        "outside the target folder.",
    ),
    Code(
        "archive_member_bomb", 2,
        "备份里的 {file} 会解压成 {found} 字节，与它占的空间不相称",
        "{file} in the backup would unpack to {found} bytes, out of proportion to the room it takes",
        "不要使用来历不明的备份；没有写出任何文件。",
        "Do not use an archive whose origin you do not know; nothing was written.",
        about_zh="“压缩炸弹”用很小的文件填满磁盘。clew 自己的备份从不超过 200 倍。",
        about_en="A bomb fills the disk from a small file. clew's own archives never exceed 200 to 1.",
    ),
)  # fmt: skip
