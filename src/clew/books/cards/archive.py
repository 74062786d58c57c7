"""ZIP archives, from bytes and into bytes: what CHARX needs, and no member that could do harm.

The directory at the end is believed for nothing: names, places, sizes and packings are judged
before a byte is unpacked, and an archive may stand behind a picture or a program. Members are copied
as they are packed, so that what nobody understands stays byte for byte.

Pure. Rules: APPNOTE 6.3 (ZIP); Character Card V3, CHARX.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.books.cards.png import UNSUSPECTED, inflate
from clew.books.cards.report import Limits
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault

_END: Final = b"PK\x05\x06"
_END64: Final = b"PK\x06\x06"
_LOCATOR64: Final = b"PK\x06\x07"
_ENTRY: Final = b"PK\x01\x02"
_LOCAL: Final = b"PK\x03\x04"
_DIRECTORY_ROW: Final = struct.Struct("<4s2B5H3L5H2L")
_STORED, _DEFLATED = 0, 8
_TRIES: Final = 16
_DATE: Final = 0x21
"""1980-01-01: an archive of the same members is the same bytes, whenever it is written."""


class Member(NamedTuple):
    """One file of an archive, as its directory tells it."""

    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    """Of its local header, from the start of the bytes."""
    mode: int
    """The Unix mode, 0 where the archive has none."""


class Archive(NamedTuple):
    """The judged directory of an archive."""

    members: dict[str, Member]
    """What may be unpacked, by name."""
    refused: tuple[tuple[str, Both], ...]
    """What may not, and why."""
    start: int
    """Where the archive begins: the bytes before are a picture or a program."""


def opened(data: bytes, limits: Limits) -> Archive | None:
    """The archive in these bytes, or None when there is none.

    Raises `Refused`: `archive_broken`, `too_many_members`.
    """
    end = len(data)
    reason: Both | None = None
    for _ in range(_TRIES):
        end = data.rfind(_END, 0, end)
        if end < 0:
            break
        found = _directory(data, end)
        if isinstance(found, Both):
            reason = found
            continue
        start, size, count, shift = found
        if count > limits.members:
            raise Refused(Fault("too_many_members", found=count, limit=limits.members))
        members = _members(data, start, start + size, shift, limits)
        if members is not None:
            first = min((m.offset for m in members), default=start)
            return _judged(members, first, start, limits)
        reason = Both("目录已损坏", "its directory is damaged")
    if reason is not None:
        raise Refused(Fault("archive_broken", reason=reason))
    return None


def _directory(data: bytes, end: int) -> tuple[int, int, int, int] | Both:
    """Start, size and number of rows of the directory, and how far its offsets are off."""
    if end + 22 > len(data):
        return Both("结尾被截断", "its end is cut off")
    count, size, offset = struct.unpack_from("<10xHLL2x", data, end)
    limit = end
    if count == 0xFFFF or 0xFFFFFFFF in (size, offset):
        at = end - 20
        if at < 0 or data[at : at + 4] != _LOCATOR64:
            return Both("结尾已损坏", "its end is damaged")
        at = data.rfind(_END64, 0, at)
        if at < 0 or at + 56 > len(data):
            return Both("结尾已损坏", "its end is damaged")
        count, size, offset = struct.unpack_from("<32xQQQ", data, at)
        limit = at
    start = limit - size
    if start < 0 or start < offset:
        return Both("目录被截断", "its directory is cut off")
    return start, size, count, start - offset


def _members(data: bytes, at: int, end: int, shift: int, limits: Limits) -> list[Member] | None:
    found: list[Member] = []
    while at + 46 <= end:
        row = _DIRECTORY_ROW.unpack_from(data, at)
        if row[0] != _ENTRY:
            return None
        maker, flags, method, crc, packed, size = row[2], row[4], row[5], row[8], row[9], row[10]
        names, extras, comments, attributes, offset = row[11], row[12], row[13], row[16], row[17]
        raw = data[at + 46 : at + 46 + names]
        if 0xFFFFFFFF in (packed, size, offset):
            extra = data[at + 46 + names : at + 46 + names + extras]
            wide = _wide(extra, packed, size, offset)
            if wide is None:
                return None
            packed, size, offset = wide
        at += 46 + names + extras + comments
        mode = attributes >> 16 if maker == 3 or attributes >> 28 else 0
        found.append(
            Member(_name(raw, flags), flags, method, crc, packed, size, offset + shift, mode)
        )
        if len(found) > limits.members:
            raise Refused(Fault("too_many_members", found=len(found), limit=limits.members))
    return found if at == end else None


def _wide(extra: bytes, packed: int, size: int, offset: int) -> tuple[int, int, int] | None:
    """The sizes of a member that are written with eight bytes."""
    at = 0
    while at + 4 <= len(extra):
        ident, length = struct.unpack_from("<HH", extra, at)
        if ident == 1:
            values = [
                int.from_bytes(extra[i : i + 8], "little")
                for i in range(at + 4, min(at + 4 + length, len(extra)) - 7, 8)
            ]
            out = []
            for value in (size, packed, offset):
                if value == 0xFFFFFFFF:
                    if not values:
                        return None
                    value = values.pop(0)
                out.append(value)
            return out[1], out[0], out[2]
        at += 4 + length
    return None


def _name(raw: bytes, flags: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace") if flags & 0x800 else raw.decode("cp437")


def _judged(members: list[Member], first: int, end: int, limits: Limits) -> Archive:
    good: dict[str, Member] = {}
    refused: list[tuple[str, Both]] = []
    reach = 0
    for one in sorted(members, key=lambda m: m.offset):
        if one.name.endswith("/") and not one.size:
            continue
        why = _unsafe(one, limits)
        if why is None and (one.offset < reach or one.offset + 30 + one.packed > end):
            why = Both("和别的成员重叠，或超出了文件", "it overlaps another member or the end")
        if why is None and one.name in good:
            why = Both("同名成员不止一个", "several members have this name")
        if why is None:
            good[one.name] = one
            reach = one.offset + 30 + one.packed
        else:
            refused.append((one.name, why))
    return Archive(good, tuple(refused), first)


def _unsafe(one: Member, limits: Limits) -> Both | None:
    """Why a member is not unpacked, or None."""
    parts = one.name.replace("\\", "/").split("/")
    if one.name.startswith(("/", "\\")) or ":" in parts[0]:
        return Both("绝对路径", "an absolute path")
    if ".." in parts:
        return Both("路径含有 ..", "a path with ..")
    if "\\" in one.name or any(ord(letter) < 32 for letter in one.name) or not one.name:
        return Both("路径含有反斜杠或控制字符", "a path with a backslash or control characters")
    if one.mode & 0o170000 not in (0, 0o100000, 0o040000):
        return Both("符号链接或设备文件", "a symbolic link or a device")
    if one.flags & 0x2041:
        return Both("已加密", "it is encrypted")
    if one.method not in (_STORED, _DEFLATED):
        return Both(
            f"不支持的压缩方法 {one.method}",
            f"packed by method {one.method}, which is not supported",
        )
    if one.size > limits.member_bytes:
        return Both(
            f"解开后 {one.size} 字节，超过上限", f"{one.size} bytes unpacked, over the limit"
        )
    if one.size > UNSUSPECTED and one.size > limits.ratio * one.packed:
        return Both("压缩炸弹：压缩比过高", "a bomb: it unpacks to far more than it is")
    return None


def unpacked(data: bytes, one: Member) -> tuple[bytes, bool]:
    """A member's bytes, and whether its checksum is right. Raises `Refused` (`member_damaged`)."""
    packed = packed_bytes(data, one)
    if one.method == _STORED:
        out = packed
    else:
        try:
            out = inflate(packed, one.name, one.size, window=-15)
        except Refused:
            raise _damaged(one, Both("解不开", "it does not unpack")) from None
    if len(out) != one.size:
        raise _damaged(one, Both("大小与目录不符", "its size is another than it says"))
    return out, zlib.crc32(out) == one.crc


def packed_bytes(data: bytes, one: Member) -> bytes:
    """A member's bytes as they are packed. Raises `Refused` (`member_damaged`)."""
    if data[one.offset : one.offset + 4] != _LOCAL or one.offset + 30 > len(data):
        raise _damaged(one, Both("目录所指之处没有内容", "there is nothing where it should be"))
    names, extras = struct.unpack_from("<26xHH", data, one.offset)
    start = one.offset + 30 + names + extras
    packed = data[start : start + one.packed]
    if len(packed) != one.packed:
        raise _damaged(one, Both("被截断", "it is cut off"))
    return packed


def _damaged(one: Member, reason: Both) -> Refused:
    return Refused(Fault("member_damaged", name=one.name, reason=reason))


class Item(NamedTuple):
    """One file for a new archive, as it is packed."""

    name: str
    method: int
    crc: int
    size: int
    packed: bytes


def item(name: str, data: bytes) -> Item:
    """A file to be packed: deflated where that helps, and never so well that it looks like a bomb."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = squeezer.compress(data) + squeezer.flush()
    if len(packed) >= len(data) or len(data) > 100 * len(packed) + UNSUSPECTED // 2:
        return Item(name, _STORED, zlib.crc32(data), len(data), data)
    return Item(name, _DEFLATED, zlib.crc32(data), len(data), packed)


def copied(data: bytes, one: Member) -> Item:
    """A member of another archive, as it is packed there."""
    return Item(one.name, one.method, one.crc, one.size, packed_bytes(data, one))


def archive(items: Iterable[Item], prefix: bytes = b"") -> bytes:
    """A ZIP archive behind `prefix`: UTF-8 names, no clock, the same bytes for the same items."""
    out = [prefix]
    at = len(prefix)
    directory = []
    for one in items:
        name = one.name.encode("utf-8", "replace")
        sizes = (one.crc, len(one.packed), one.size)
        head = struct.pack(
            "<4s5H3L2H", _LOCAL, 20, 0x800, one.method, 0, _DATE, *sizes, len(name), 0
        )
        directory.append(
            _DIRECTORY_ROW.pack(
                _ENTRY, 20, 3, 20, 0x800, one.method, 0, _DATE, *sizes, len(name),
                0, 0, 0, 0, 0o100644 << 16, at,
            ) + name
        )  # fmt: skip
        out += (head, name, one.packed)
        at += len(head) + len(name) + len(one.packed)
    rows = b"".join(directory)
    count = len(directory)
    out += (rows, struct.pack("<4s4H2LH", _END, 0, 0, count, count, len(rows), at, 0))
    return b"".join(out)
