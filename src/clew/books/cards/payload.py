"""The card inside a text chunk, an EXIF comment or a text file: base64 of JSON, or what tools made
of that.

Read besides: JSON as it is, the URL-safe alphabet, missing padding, wrapped lines, stray characters,
a `data:` prefix, base64 twice, JSON inside a JSON string. RisuAI's encrypted cards are named.

Pure.
"""

from __future__ import annotations

import binascii
import re
from typing import Final

from clew.books.cards.encoding import text_of
from clew.books.cards.jsontext import parse, unquoted
from clew.books.cards.loosejson import opened
from clew.books.cards.report import Limits, Report
from clew.books.cards.values import Json
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault

_PREFIX: Final = re.compile(rb"data:[^,]{0,200};base64,", re.IGNORECASE)
_URL_SAFE: Final = bytes.maketrans(b"-_", b"+/")
_SPACES: Final = b" \t\r\n\0"
_STRAY: Final = bytes(
    b for b in range(256) if not (chr(b).isascii() and chr(b).isalnum()) and b not in b"+/-_="
)
_RCC: Final = b"rcc||"
_COMMENT: Final = (b"//", b"/*", b"```")
_PACKED: Final = (b"\x1f\x8b\x08", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
"""How gzip and zlib begin."""
_MARK: Final = b"\xef\xbb\xbf"
_STARTS: Final = (
    b"{",
    b"[",
    b'"{',
    b'"[',
    b"\xff\xfe",
    b"\xfe\xff",
    b"\0{",
    b"\0[",
)


def document(raw: bytes, path: str, report: Report, limits: Limits, *, coded: bool = True) -> Json:
    """The JSON value of a card's payload. `path` names the carrier in the report. `coded`: base64 is
    what belongs there; else JSON is, and nothing is told when it stands as it is.

    Raises `Refused`: `card_encrypted`, `card_cut`, `payload_unreadable`, `too_large`, and what `parse` raises.
    """
    if len(raw) > limits.json_bytes // 3 * 4 + 1024:
        raise _too_large(len(raw) // 4 * 3, report, limits)
    data = raw if _is_json(raw) else raw.strip(_SPACES).removeprefix(_MARK)
    for _ in range(4):
        if data.startswith(_RCC):
            raise Refused(Fault("card_encrypted", path, file=report.file))
        if _is_json(data) or (not coded and data.startswith(_COMMENT)):
            break
        if data.startswith(_PACKED):
            data = _unpacked(data, path, report, limits)
            continue
        data = _from_base64(data, path, report)
    if coded and data is raw:
        report.repair(
            "base64_mended", path, reason=Both("没有编码，直接是 JSON", "plain JSON, not encoded")
        )
    if len(data) > limits.json_bytes:
        raise _too_large(len(data), report, limits)
    try:
        value = parse(opened(text_of(data, path, report, limits.encoding)), "$", report, limits)
        value = unquoted(value, "$", report, limits)
    except Refused as refused:
        if refused.code != "bad_json" or path == "$":
            raise
        # Nobody can mend a line of what lies inside of another file.
        why = refused.faults[0].facts
        reason = Both(str(why["reason_zh"]), str(why["reason"]))
        fault = Fault("card_cut", path, file=report.file, reason=reason, found=why["found"])
        raise Refused(fault) from None
    return value


def _unpacked(data: bytes, path: str, report: Report, limits: Limits) -> bytes:
    """What was packed by gzip or zlib before it was encoded. Raises `Refused`."""
    from clew.books.cards.png import UNSUSPECTED, inflate

    room = min(limits.json_bytes, max(UNSUSPECTED, len(data) * limits.ratio))
    out = inflate(data, path, room, window=47)
    said = Both("先用 gzip 或 zlib 压缩过", "packed by gzip or zlib first")
    report.repair("base64_mended", path, reason=said)
    return out


def _is_json(data: bytes) -> bool:
    bare = data.lstrip(b" \t\r\n").removeprefix(_MARK).lstrip(b" \t\r\n")
    return bare.startswith(_STARTS) or data[:2] in (b"{\0", b"[\0")


def _too_large(size: int, report: Report, limits: Limits) -> Refused:
    return Refused(Fault("too_large", file=report.file, found=size, limit=limits.json_bytes))


def _from_base64(data: bytes, path: str, report: Report) -> bytes:
    try:
        return binascii.a2b_base64(data, strict_mode=True)
    except binascii.Error:
        pass  # mended below
    prefix = _PREFIX.match(data)
    if prefix:
        data = data[prefix.end() :]
    kept = data.translate(_URL_SAFE, _STRAY)
    lost = len(data.translate(None, _SPACES)) - len(kept)
    if not kept or lost * 20 > len(data):
        raise Refused(Fault("payload_unreadable", path, file=report.file))
    kept = kept.partition(b"=")[0]
    if len(kept) % 4 == 1:
        kept = kept[:-1]
        lost += 1
    decoded = binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))
    if lost:
        reason = Both(
            f"去掉了 {lost} 个不属于 base64 的字符",
            f"{lost} characters that are not base64 left out",
        )
    else:
        reason = Both(
            "用了 URL 字母表、缺少填充或折了行", "the URL alphabet, no padding, or wrapped lines"
        )
    report.repair("base64_mended", path, reason=reason)
    return decoded
