"""The EXIF comment of JPEG and WEBP files, where TavernAI keeps a card; of PNG, where a WEBP was
converted; and the comment segment of JPEG.

The comment is JSON as it is, or the numbers of its bytes with commas between them. Only the tags on
the way to it are read: no pixel is decoded, and no library is needed.

Pure. Rules: EXIF 2.3 (TIFF 6.0 directories), JPEG APP1, RIFF.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

_EXIF: Final = b"Exif\0\0"
_CHARSETS: Final = (b"ASCII\0\0\0", b"UNICODE\0", b"JIS\0\0\0\0\0", b"\0\0\0\0\0\0\0\0")
_POINTER: Final = 0x8769
_COMMENT: Final = 0x9286
_DESCRIPTION: Final = 0x010E
_TAGS: Final = 1000
_APP1, _COM = 0xE1, 0xFE
_CARDS: Final = (b"{", b"eyJ", b"ew")
"""How a card begins, as JSON and as base64 of it."""
_SPELT: Final = 1 << 23
"""A longer comment is not read as numbers: it would take seconds."""
_BLOCK: Final = 1 << 16
_NUMBERS: Final = re.compile(rb"\s*\[?\s*\d{1,3}(?:\s*+,\s*+\d{1,3})++\s*,?\s*\]?[\s\0]*\Z")
"""Possessive: a group that could give back would remember each of millions of numbers."""


def jpeg_blocks(data: bytes) -> Iterator[bytes]:
    """The EXIF blocks of a JPEG, up to its pixels."""
    for marker, start, end in _segments(data):
        if marker == _APP1 and data.startswith(_EXIF, start + 4):
            yield data[start + 4 + len(_EXIF) : end]


def jpeg_comments(data: bytes) -> Iterator[bytes]:
    """The comment segments of a JPEG, which are no EXIF."""
    return (_plain(data[at + 4 : end]) for marker, at, end in _segments(data) if marker == _COM)


def _segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """The segments of a JPEG up to its pixels: marker, start and end."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0xDA or marker == 0xD9:
            return
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        end = at + 2 + max(2, length)
        yield marker, at, end
        at = end


def webp_blocks(data: bytes) -> Iterator[bytes]:
    """The EXIF blocks of a WEBP."""
    at = 12
    while at + 8 <= len(data):
        kind, length = struct.unpack_from("<4sL", data, at)
        if kind == b"EXIF":
            block = data[at + 8 : at + 8 + length]
            yield block[len(_EXIF) :] if block.startswith(_EXIF) else block
        at += 8 + length + length % 2


def without(data: bytes, kind: str) -> bytes:
    """A JPEG or WEBP (`kind`) without its EXIF blocks, and without comments that hold a card; every
    other byte stays."""
    out = []
    if kind == "jpeg":
        at = 0
        for marker, start, end in _segments(data):
            block = data[start + 4 : end]
            if (marker == _APP1 and block.startswith(_EXIF)) or (
                marker == _COM and _plain(block).lstrip().startswith(_CARDS)
            ):
                out.append(data[at:start])
                at = end
        return b"".join((*out, data[at:]))
    at = 12
    while at + 8 <= len(data):
        name, length = struct.unpack_from("<4sL", data, at)
        end = at + 8 + length + length % 2
        if name != b"EXIF":
            out.append(data[at:end])
        at = end
    body = b"".join((*out, data[at:]))
    return data[:4] + struct.pack("<L", len(body) + 4) + data[8:12] + body


def comments(block: bytes) -> Iterator[bytes]:
    """The comments of an EXIF block: the user's comment first, then the image description."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(block[:4])
    if order is None or len(block) < 8:
        return
    (first,) = struct.unpack_from(f"{order}L", block, 4)
    found = dict(_directory(block, first, order))
    inner = found.get(_POINTER)
    if inner is not None and len(inner) == 4:
        deeper = dict(_directory(block, struct.unpack(f"{order}L", inner)[0], order))
        if _COMMENT in deeper:
            yield _plain(deeper[_COMMENT])
    for tag in (_COMMENT, _DESCRIPTION):
        if tag in found:
            yield _plain(found[tag])


def _directory(block: bytes, at: int, order: str) -> Iterator[tuple[int, bytes]]:
    if at + 2 > len(block):
        return
    (count,) = struct.unpack_from(f"{order}H", block, at)
    for index in range(min(count, _TAGS)):
        row = at + 2 + index * 12
        if row + 12 > len(block):
            return
        tag, kind, length = struct.unpack_from(f"{order}HHL", block, row)
        if tag not in (_POINTER, _COMMENT, _DESCRIPTION):
            continue
        if kind in (1, 2, 6, 7) and length > 4:
            (where,) = struct.unpack_from(f"{order}L", block, row + 8)
            yield tag, block[where : where + length]
        else:
            yield tag, block[row + 8 : row + 12]


def _plain(comment: bytes) -> bytes:
    """A comment without its character set, and as bytes where it spells them as numbers."""
    for charset in _CHARSETS:
        if comment.startswith(charset):
            comment = comment[len(charset) :]
            break
    if len(comment) <= _SPELT and _NUMBERS.match(comment):
        try:
            return b"".join(_bytes_of(comment.strip(b" ,[]\0\t\r\n")))
        except ValueError:
            return comment  # numbers, but not of bytes
    return comment


def _bytes_of(numbers: bytes) -> Iterator[bytes]:
    """The bytes that numbers with commas spell, block by block, so that no long list is made."""
    at = 0
    while at < len(numbers):
        end = numbers.find(b",", at + _BLOCK)
        end = len(numbers) if end < 0 else end
        yield bytes(map(int, numbers[at:end].split(b",")))
        at = end + 1
