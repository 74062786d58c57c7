"""PNG files as a row of chunks: found without decoding a pixel, exchanged without touching another.

`scan` seeks over pixel data, in bytes and in open files alike, so that thousands of cards are looked
through at the speed of their headers. Damage is tolerated and told: a wrong checksum, a missing end,
a chunk that is cut short, bytes after the end. `exchange` gives a copy with other text chunks; every
other byte stays.

Pure (an open file is only read). Rules: PNG (ISO/IEC 15948) section 5; Character Card V2 and V3.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, Protocol

from clew.books.cards.report import MEBI, Limits
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
TEXT: Final = (b"tEXt", b"zTXt", b"iTXt")
_KEYWORD: Final = 80
UNSUSPECTED: Final = 8 * MEBI
"""Up to here the ratio does not count: long texts of one letter are no attack."""


class Source(Protocol):
    """An open file, or anything that reads and seeks like one."""

    def read(self, size: int, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...


class Chunk(NamedTuple):
    """One chunk: its kind, where its length field stands, how many bytes of data it claims."""

    kind: bytes
    offset: int
    length: int
    keyword: str = ""
    """Of a text chunk: as it is written, in Latin-1."""
    cut: bool = False
    """True when the file ends before the chunk does."""

    @property
    def end(self) -> int:
        """The offset behind the chunk's checksum."""
        return self.offset + 12 + self.length

    @property
    def name(self) -> str:
        """The keyword as it is compared: without case."""
        return self.keyword.strip().lower()


class Scan(NamedTuple):
    """The chunks of a PNG, and how it ends."""

    chunks: tuple[Chunk, ...]
    width: int
    height: int
    ended: bool
    """True when the end chunk was found."""
    trailing: int
    """Bytes after the end chunk."""
    size: int
    """Bytes of the whole file."""
    behind: tuple[Chunk, ...] = ()
    """Text chunks after the end chunk, where no reader has to look."""

    def texts(self) -> list[Chunk]:
        """The text chunks, in the order of the file."""
        return [chunk for chunk in self.chunks if chunk.kind in TEXT]


def scan(source: bytes | Source, limits: Limits = Limits()) -> Scan:  # noqa: B008 - immutable
    """The chunks of a PNG, by bytes or by open file. Reads no pixel data.

    Raises `Refused`: `not_a_png`, `too_many_chunks`.
    """
    reader: Source = _Bytes(source) if isinstance(source, bytes) else source
    size = reader.seek(0, 2)
    reader.seek(0)
    if reader.read(8) != SIGNATURE:
        raise Refused(Fault("not_a_png"))
    chunks: list[Chunk] = []
    width = height = 0
    offset = 8
    ended = False
    while not ended and size - offset >= 8:
        length, kind = struct.unpack(">I4s", reader.read(8))
        if not kind.isalpha():
            break  # no chunk begins here: what follows is trailing bytes
        keyword = b""
        inside = min(length, size - offset - 8)
        if kind in TEXT:
            keyword = reader.read(min(inside, _KEYWORD)).partition(b"\0")[0]
        elif kind == b"IHDR" and inside >= 8:
            width, height = struct.unpack(">II", reader.read(8))
        chunks.append(
            Chunk(kind, offset, length, keyword.decode("latin-1"), offset + 12 + length > size)
        )
        if len(chunks) > limits.chunks:
            raise Refused(Fault("too_many_chunks", limit=limits.chunks))
        offset = min(size, offset + 12 + length)
        ended = kind == b"IEND"
        reader.seek(offset)
    behind = tuple(_behind(reader, offset, size, limits)) if ended else ()
    return Scan(tuple(chunks), width, height, ended, size - offset, size, behind)


def _behind(reader: Source, offset: int, size: int, limits: Limits) -> Iterator[Chunk]:
    """Whole text chunks directly after the end chunk, as far as there is nothing else."""
    for _ in range(limits.chunks):
        if size - offset < 12:
            return
        reader.seek(offset)
        length, kind = struct.unpack(">I4s", reader.read(8))
        if kind not in TEXT or offset + 12 + length > size:
            return
        keyword = reader.read(min(length, _KEYWORD)).partition(b"\0")[0]
        yield Chunk(kind, offset, length, keyword.decode("latin-1"))
        offset += 12 + length


class _Bytes:
    """Bytes that are read and sought like a file."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read(self, size: int, /) -> bytes:
        found = self.data[self.at : self.at + size]
        self.at += len(found)
        return found

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self.at = offset + (len(self.data) if whence == 2 else self.at if whence == 1 else 0)
        return self.at


class Text(NamedTuple):
    """The text of a chunk as bytes, and what was wrong with the chunk."""

    data: bytes
    sound: bool
    """The checksum is right."""


def read_text(source: bytes | Source, chunk: Chunk, limits: Limits) -> Text:
    """The text of a tEXt, zTXt or iTXt chunk, unpacked.

    Raises `Refused`: `chunk_too_large`, `unpacks_too_large`, `chunk_damaged`.
    """
    if chunk.length > limits.text_bytes:
        raise Refused(
            Fault(
                "chunk_too_large", name=chunk.keyword, found=chunk.length, limit=limits.text_bytes
            )
        )
    data, claimed = _data(source, chunk)
    sound = len(claimed) == 4 and zlib.crc32(data, zlib.crc32(chunk.kind)) == int.from_bytes(
        claimed, "big"
    )
    rest = data[len(chunk.keyword) + 1 :]
    if chunk.kind == b"tEXt":
        return Text(rest, sound)
    room = min(limits.json_bytes // 3 * 4, max(UNSUSPECTED, len(rest) * limits.ratio))
    if chunk.kind == b"zTXt":
        return Text(inflate(rest[1:], chunk.keyword, room), sound)
    packed, rest = rest[:1] == b"\1", rest[2:]
    _language, _, rest = rest.partition(b"\0")
    _translated, _, rest = rest.partition(b"\0")
    return Text(inflate(rest, chunk.keyword, room) if packed else rest, sound)


def exif(source: bytes | Source, found: Scan, limits: Limits) -> bytes:
    """The EXIF block of a PNG: empty where there is none, or one too large to be one."""
    one = next((one for one in found.chunks if one.kind == b"eXIf"), None)
    return _data(source, one)[0] if one is not None and one.length <= limits.text_bytes else b""


def _data(source: bytes | Source, chunk: Chunk) -> tuple[bytes, bytes]:
    """The data and the checksum of a chunk, each as far as the file has it."""
    reader: Source = _Bytes(source) if isinstance(source, bytes) else source
    reader.seek(chunk.offset + 8)
    return reader.read(chunk.length), reader.read(4)


def inflate(data: bytes, name: str, room: int, *, window: int = 15) -> bytes:
    """Unpacked bytes of a deflated stream, never more than `room`. A stream that is cut short gives
    what it holds. Raises `Refused`: `unpacks_too_large`, `chunk_damaged`.
    """
    stream = zlib.decompressobj(window)
    try:
        out = stream.decompress(data, room + 1)
    except zlib.error as error:
        said = Both(f"解不开（{error}）", f"it does not unpack ({error})")
        raise Refused(Fault("chunk_damaged", name=name, reason=said)) from None
    if len(out) > room:
        raise Refused(Fault("unpacks_too_large", name=name, found=len(data), limit=room))
    return out


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk with its length and checksum."""
    return (
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
    )


def text_chunk(keyword: str, data: bytes) -> bytes:
    """A tEXt chunk; `data` must be Latin-1 without NUL, such as base64."""
    return chunk(b"tEXt", keyword.encode("latin-1") + b"\0" + data)


def exchange(data: bytes, found: Scan, gone: Iterable[Chunk], fresh: Iterable[bytes]) -> bytes:
    """The PNG without the chunks `gone` and with the chunks `fresh`, which stand where the first of
    `gone` stood, or before the pixels where there was none. Every other byte is as it was; an end
    chunk is added where the file has none.
    """
    out: list[bytes] = []
    new = b"".join(fresh)
    leaving = {one.offset for one in gone}
    last = found.chunks[-1] if found.chunks else None
    # Nothing can stand behind a chunk that is cut short: readers would take it for its data.
    cut = last is not None and last.cut and last.offset not in leaving
    end = found.size - found.trailing
    behind = last.offset if last is not None and (found.ended or cut) else end
    pixels = next((one.offset for one in found.chunks if one.kind == b"IDAT"), behind)
    place = min((offset for offset in leaving if offset < end), default=pixels)
    at = 0
    for one in found.chunks:
        if one.offset == place:
            out += (data[at : one.offset], new)
            at = one.offset
        if one.offset in leaving:
            out.append(data[at : one.offset])
            at = min(one.end, len(data))
    out.append(data[at:end])
    if place >= end:
        out.append(new)
    if not found.ended and not cut:
        out.append(chunk(b"IEND", b""))
    at = end
    for one in found.behind:
        if one.offset in leaving:
            out.append(data[at : one.offset])
            at = one.end
    out.append(data[at:])
    return b"".join(out)
