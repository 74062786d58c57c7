"""What the archive holds and what is to be copied next. Pure.

A host deletes its transcripts after some weeks and tells nobody, so the persona keeps a copy of each,
byte for byte, taken while the original is there. A file that grew is copied on from where the copy
ends; one that was rewritten gets a new copy beside the old, which stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from clew.kernel.faults import Code, register
from clew.persona.model import ARCHIVE

MANIFEST: Final = f"{ARCHIVE}/manifest.json"
Act = Literal["none", "copy_on", "begin", "begin_anew"]


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """One copied file."""

    source: str
    """Where the host keeps it."""
    file: str
    """Where the copy is, below the home."""
    host: str = "other"
    window: str = ""
    size: Annotated[int, Meta(ge=0)] = 0
    """Bytes that are copied."""
    crc: int = 0
    """CRC-32 of them."""
    head: str = ""
    """Hash of the first line of a file that grows."""
    document: bool = False
    """Rewritten as a whole by its host."""
    first: str = ""
    """When the copy was begun, in UTC."""
    last: str = ""
    """When it last grew."""
    behind: int = 0
    """Bytes that the source had more when it was last looked at."""
    gone: str = ""
    """When the source was first found missing; empty while it is there."""
    superseded: bool = False
    """The source was rewritten, and a newer copy lies beside this one."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`archive/manifest.json`."""

    schema_version: Literal[1] = 1
    copies: list[Copy] = []

    def of(self, source: str) -> Copy | None:
        """The present copy of a source."""
        return next((c for c in self.copies if c.source == source and not c.superseded), None)

    def having(self, copy: Copy) -> Manifest:
        """The manifest with this copy in the place of the one at the same file."""
        rest = [copy if one.file == copy.file else one for one in self.copies]
        if all(one.file != copy.file for one in self.copies):
            rest.append(copy)
        return msgspec.structs.replace(self, copies=rest)


class Source(NamedTuple):
    """A file of a host, as it is now."""

    path: str
    size: int
    head: str
    document: bool
    crc: int | None = None
    """Of a document, whose bytes alone tell whether it changed."""


class Step(NamedTuple):
    """What is to be done about a source."""

    act: Act
    """`begin_anew`: it was rewritten, so a new copy is begun beside the old one."""
    offset: int = 0


def plan(source: Source, known: Copy | None, *, tail_agrees: bool = True) -> Step:
    """What to copy. `tail_agrees`: whether the end of the copy is still what the source has there."""
    if known is None:
        return Step("begin")
    if source.document:
        same = source.size == known.size and source.crc == known.crc
        if same:
            return Step("none")
        return Step("begin" if source.size >= known.size else "begin_anew")
    if known.head and source.head != known.head:
        return Step("begin_anew")
    if source.size < known.size or not tail_agrees:
        return Step("begin_anew")
    if source.size == known.size:
        return Step("none")
    return Step("copy_on", known.size)


def place_of(
    host: str,
    window: str,
    ending: str,
    manifest: Manifest,
    inner: str = "",
    *,
    free: Callable[[str], bool] = lambda file: True,
) -> str:
    """Where a new copy goes: named after the window, counted on when the name is taken. `inner`: the
    path of a file that lies in the session's own folder. `free`: whether nothing that matters is there
    already: a copy may lie there that the manifest has lost."""
    taken = {copy.file for copy in manifest.copies}
    number = 1
    while True:
        mark = "" if number == 1 else f"~{number}"
        name = f"{window}{mark}/{inner}" if inner else f"{window}{mark}{ending}"
        found = f"{ARCHIVE}/{host}/{name}"
        if found not in taken and free(found):
            return found
        number += 1


def leaves_at(mtime_ns: int, days: int, now: datetime) -> tuple[datetime, int]:
    """When a host will delete a file that nobody touches, and in how many whole days (0: any time)."""
    changed = datetime.fromtimestamp(mtime_ns / 1e9, now.tzinfo)
    end = changed + timedelta(days=days)
    return end, max(0, (end - now).days)


register(
    Code(
        "archive_damaged", 1,
        "档案 {file} 与记录不符（{reason}）",
        "the archived {file} is not what was recorded ({reason})",
        "运行 clew persona check --mend：原件还在就重新归档；原件不在了，就从备份恢复。",
        "Run `clew persona check --mend`: while the original is there it is copied again; else restore "
        "a backup.",
        about_zh="档案里的每个文件按长度和校验和核对。",
        about_en="Every file of the archive is compared with its recorded length and checksum.",
    ),
    Code(
        "archive_unlisted", 1,
        "{file} 不在了，档案里还有 {found} 个副本",
        "{file} is gone, and {found} copies are in the archive",
        "运行 clew persona check --mend 或 clew persona archive run：清单由副本重建，副本不动。",
        "Run `clew persona check --mend` or `clew persona archive run`: the list is made again from the copies, "
        "which stay as they are.",
        about_zh="清单记着每个副本从哪里来、有多长、校验和是多少。由副本重建时，原件在哪里只能从登记的窗口得知。",
        about_en="The list tells of each copy where it came from, its length and checksum. When it is made again "
        "from the copies, where the originals are is known for registered windows only.",
    ),
    Code(
        "archive_superseded", 0,
        "旧副本 {file} 与记录不符（{reason}）；以现行的副本 {found} 为准",
        "the older copy {file} is not what was recorded ({reason}); the current copy {found} is the one "
        "that counts",
        about_zh="提示：原件被改写或副本损坏后另起了新副本，旧的留着。核对以现行的为准。",
        about_en="A note: the original was rewritten, or a copy was damaged, and a newer copy was begun; "
        "the older stays as it is. Verifying judges by the current ones.",
    ),
    Code(
        "transcript_vanished", 0,
        "原始会话 {file} 已被它的宿主删除；档案里有 {found} 字节",
        "the transcript {file} was deleted by its host; the archive has {found} bytes of it",
        "档案不受影响。要让宿主保留得久些，在它的设置里调大 cleanupPeriodDays。",
        "The archive is not touched. To have the host keep them longer, raise `cleanupPeriodDays`.",
        about_zh="Claude Code 默认在 30 天后删除会话文件，不进回收站，也不提示。",
        about_en="By default Claude Code deletes transcripts after 30 days, without a trash and without a word.",
    ),
    Code(
        "transcript_unread", 0,
        "会话文件 {file} 读不了：{reason}",
        "the transcript {file} cannot be read: {reason}",
        about_zh="别的文件照常归档，下次再试这一个。",
        about_en="The others are archived all the same; this one is tried again next time.",
    ),
)  # fmt: skip
