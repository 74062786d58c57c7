"""Where an edition goes: the default place in the book, or wherever the user says.

Touches the named file, and `.story/exports.json`, which remembers what was written where: a file
that somebody else made, or changed since, is not replaced. Source: the rules of the house on paths
(nothing is written into 大纲/, 正文/, 追踪/; no foreign file is overwritten).
"""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

import msgspec

from clew.kernel import document
from clew.kernel.errors import Missing, Refused, StorageFailed, storage_failed
from clew.kernel.faults import Both, Code, Fault, register
from clew.kernel.folder import FolderVault
from clew.kernel.text import NAME_BYTES, byte_length, clean, cut_chars, name_fault, nfc
from clew.novel.book import is_kept
from clew.novel.export.inline import sound
from clew.novel.ledger import Ledger

FOLDER_NAME: Final = "导出"
MEMORY: Final = ".story/exports.json"
_STREAM: Final = re.compile(r"/dev/(?:std(?:in|out|err)|fd/.*)|/proc/.*", re.DOTALL)
"""Where a stream has a name as if it were a file."""
_MEMORY_BYTES: Final = 4_000_000
_EDITION_BYTES: Final = 1_000_000_000
_WIDE: Final = str.maketrans('<>:"/\\|?*', "＜＞：＂／＼｜？＊")


class Place(NamedTuple):
    """Where an edition goes."""

    path: str
    """The real path, absolute."""
    inside: str | None
    """The path within the book; None outside."""

    @property
    def shown(self) -> str:
        """The path as messages name it."""
        return self.inside or self.path


class Memory(msgspec.Struct):
    """`.story/exports.json`: the digest of what was last written, by path, and the author's name
    that was last given."""

    schema_version: int = 1
    files: dict[str, str] = {}
    author: str = ""


def file_name(title: str, ending: str, part: str = "") -> str:
    """A title as the name of a file that every system allows: `书名：上` for `书名:上`. `part` (which
    chapters) stands behind it; of what is too long the title is cut, never that."""
    name = re.sub(r"[\x00-\x1f\x7f]", "", nfc(clean(title)).translate(_WIDE)).strip(" .") or "book"
    cut = cut_chars(name, NAME_BYTES - len(ending) - byte_length(part))
    name = name[: len(name) - cut].strip(" .") + part
    return f"_{name}.{ending}" if name_fault(name) else f"{name}.{ending}"


def place(ledger: Ledger, name: str, out: str | None) -> Place:
    """Where a file of that name goes: into 导出/, or to `out`, an absolute path or a folder.

    Raises `Refused` (`unsafe_path`) for a path in 大纲/, 正文/ or 追踪/ and for what is no file,
    `Missing` for a folder outside the book that is not there.
    """
    files = ledger.vault.files
    try:
        if out is None:
            inside = f"{FOLDER_NAME}/{name}"
            where = Place(ledger.vault.real(inside), inside)
        else:
            where = _named(ledger, name, out)
        found = files.stat(where.path)
        folder = where.path.rpartition("/")[0] or "/"
        lost = where.inside is None and files.stat(folder) is None
    except OSError as error:
        raise storage_failed(error, out or name) from error
    if is_kept(ledger, where.path):
        reason = Both("追踪/、大纲/、正文/ 不放导出文件", "no exports in 追踪/, 大纲/ or 正文/")
        raise Refused(Fault("unsafe_path", file=where.shown, reason=reason))
    stream = any(_STREAM.fullmatch(path) for path in (out or "", where.path))
    if stream or (found is not None and found.kind != "file"):
        reason = Both(
            "不是普通文件；要写到标准输出，用 --out -",
            "not a regular file; for standard output say --out -",
        )
        raise Refused(Fault("unsafe_path", file=out or where.shown, reason=reason))
    if lost:
        raise Missing(Fault("missing_file", file=folder))
    return where


def _named(ledger: Ledger, name: str, out: str) -> Place:
    files = ledger.vault.files
    real = files.resolve(out)
    found = files.stat(real)
    if out.endswith(("/", os.sep)) or (found is not None and found.kind == "dir"):
        real = files.resolve(f"{real}/{name}")
    root = ledger.root.rstrip("/") + "/"
    return Place(real, real[len(root) :] if real.startswith(root) else None)


def author(ledger: Ledger) -> str:
    """The author's name that was last given for an export; empty where none was."""
    return clean(sound(_memory(ledger).author))


def write(
    ledger: Ledger, where: Place, data: bytes, notes: list[Fault], *, force: bool, author: str = ""
) -> bool:
    """Write an edition whole or not at all, and remember the author's name for the next one. False
    when the very bytes are there already.

    Raises `Refused` (`export_exists`) for a file that clew did not write, or that was changed since,
    unless `force`; `StorageFailed`.
    """
    memory = _memory(ledger)
    known = where.shown.encode("utf-8", "backslashreplace").decode()  # any bytes may be a name
    there = _digest(ledger, where)
    sha = document.digest(data)
    if there not in (None, sha, memory.files.get(known)) and not force:
        raise Refused(Fault("export_exists", file=where.shown))
    if there != sha:
        folder, _, name = where.path.rpartition("/")
        # Its own vault: the kernel's way of replacing a file, wherever that lies.
        vault = (
            ledger.vault if where.inside else FolderVault(folder or "/", files=ledger.vault.files)
        )
        vault.write_loose(where.inside or name, data)
    if memory.files.get(known) != sha or (author and memory.author != author):
        memory.files[known] = sha
        memory.author = author or memory.author
        try:
            ledger.vault.write_loose(MEMORY, document.encode(memory))
        except StorageFailed as failed:  # the edition is there; the next one will ask
            said = failed.faults[0]
            reason = Both(said.message("zh"), said.message("en"))
            notes.append(Fault("export_not_remembered", file=MEMORY, reason=reason))
    return there != sha


def _digest(ledger: Ledger, where: Place) -> str | None:
    files = ledger.vault.files
    try:
        found = files.stat(where.path)
        if found is None:
            return None
        # No edition is so large: whatever it is, it is not ours.
        return document.digest(files.read(where.path)) if found.size < _EDITION_BYTES else ""
    except OSError as error:
        raise storage_failed(error, where.shown) from error


def _memory(ledger: Ledger) -> Memory:
    """What was written where. One that cannot be read knows nothing: then the user is asked."""
    files = ledger.vault.files
    try:
        real = ledger.vault.real(MEMORY)
        found = files.stat(real)
        if found is None or found.size > _MEMORY_BYTES:
            return Memory()
        return msgspec.json.decode(files.read(real), type=Memory)
    except (OSError, *document.UNREADABLE):
        return Memory()


register(
    Code(
        "export_exists",
        2,
        "{file} 已存在，而且不是 clew 上次写下的样子，没有覆盖",
        "{file} exists and is not what clew last wrote there; it was not replaced",
        "用 --out 换个文件名；确认不要了再加 --force。",
        "Name another file with --out; add --force if you do not want it any more.",
        about_zh="导出只覆盖自己写的、之后没人改过的文件。写过什么记在 .story/exports.json。",
        about_en="An export replaces only a file that it wrote itself and that nobody changed since. "
        "What was written is noted in .story/exports.json.",
    ),
    Code(
        "export_not_remembered",
        0,
        "已导出，但没能记下来（{reason}）；下次覆盖同一个文件会要 --force",
        "the export is written, but that could not be noted ({reason}); replacing the same file will "
        "need --force",
        about_zh="提示：书目录写不进去，因此记不住这次导出。",
        about_en="A note: the book folder cannot be written, so this export is not remembered.",
    ),
)
