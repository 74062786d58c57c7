"""The journal: one slot that makes a change of several files one change.

The slot holds, for the change last committed, the boot id, what every file was before and after,
and the after-images of the truth. Writing and syncing it is the commit point. It is overwritten in
place, and only when the truth of the change before is synced, so a slot torn by a crash means that
the change never happened.

Life of a slot: `armed` (committed, files may be half in place) → `done` (all renamed, not synced)
→ `settled` (truth synced). `views` means: truth recovered and synced, views to be rendered.
`refused` means: the disk refused before anything was visible. The first letter decides, so that a
kill in the middle of changing the word leaves the one or the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from clew.kernel.document import digest
from clew.kernel.errors import NewerSchema
from clew.kernel.faults import Fault
from clew.kernel.files import Files

MAGIC: Final = b"clew1 "
_STATUS: Final = 8
_HEAD: Final = len(MAGIC) + _STATUS + 1 + 10 + 1 + 64 + 1


class Replace(msgspec.Struct, frozen=True):
    """One file replaced or removed. Hashes are None where there is no file."""

    path: str
    before: str | None
    after: str | None
    truth: bool = False
    image: tuple[int, int] | None = None
    """Offset and length of the after-image in the body."""


class Append(msgspec.Struct, frozen=True):
    """One line added to a log at `offset`."""

    path: str
    offset: int
    image: tuple[int, int]
    sha256: str


class Move(msgspec.Struct, frozen=True):
    """One file or folder renamed to a place that was free."""

    source: str
    target: str


class Header(msgspec.Struct, frozen=True):
    """What the slot says of its change."""

    sequence: int
    boot: str
    time: str
    body_length: int = 0
    replaces: tuple[Replace, ...] = ()
    appends: tuple[Append, ...] = ()
    moves: tuple[Move, ...] = ()
    gone: tuple[str, ...] = ()
    """Views that a change before this one removed and that may still be there."""


class Slot(NamedTuple):
    """A slot as read: `header` is None when it is torn."""

    status: str
    header: Header | None
    body_at: int


_WORDS: Final = {
    word[:1].encode(): word for word in ("armed", "done", "settled", "views", "refused")
}
_DECODE: Final = msgspec.json.Decoder(Header)


def pack(header: Header, body: Sequence[bytes], status: str) -> bytes:
    """The bytes of a slot; the body is the after-images one after the other."""
    head = msgspec.json.encode(header)
    line = b"%s%-8s %010d %s\n" % (MAGIC, status.encode(), len(head), digest(head).encode())
    return b"".join((line, head, *body))


def load(files: Files, path: str) -> Slot | None:
    """Read a slot without its body; None when there is none.

    Raises `NewerSchema` for a slot that is whole but of another layout.
    """
    found = files.stat(path)
    if found is None:
        return None
    torn = Slot("torn", None, 0)
    start = files.read(path, 0, _HEAD + 8192)
    line = start[:_HEAD]
    if len(line) < _HEAD or not line.startswith(MAGIC) or not line.endswith(b"\n"):
        return torn
    words = line[len(MAGIC) : -1].rsplit(b" ", 2)
    if len(words) != 3 or not words[1].isdigit() or int(words[1]) > found.size:
        return torn
    status, size, sha = words[0], int(words[1]), words[2]
    head = start[_HEAD : _HEAD + size]
    if len(head) < size:
        head = files.read(path, _HEAD, size)
    if digest(head).encode() != sha:
        return torn
    try:
        header = _DECODE.decode(head)
    except msgspec.DecodeError as error:
        # Whole, but not of this layout: another version wrote it, and it may hold a change.
        raise NewerSchema(
            Fault("newer_schema", file=path, found=str(error), limit=MAGIC.decode())
        ) from None
    # A letter that is none of ours is verified like a change that may be half in place.
    return Slot(_WORDS.get(status[:1], "armed"), header, _HEAD + size)


def body(files: Files, path: str, slot: Slot) -> bytes | None:
    """The after-images of a slot, or None when one of them is torn."""
    header = slot.header
    if header is None:
        return None
    data = files.read(path, slot.body_at, header.body_length)
    whole = all(
        digest(data[at : at + size]) == sha
        for (at, size), sha in (
            *((r.image, r.after) for r in header.replaces if r.image is not None),
            *((a.image, a.sha256) for a in header.appends),
        )
    )
    return data if whole else None


def mark(files: Files, path: str, status: str) -> None:
    """Change a slot's status in place (one small write, not synced)."""
    files.write_at(path, len(MAGIC), b"%-8s" % status.encode())


def is_torn(data: bytes) -> bool:
    """Whether a power cut can have left this: nothing, or an end of NULs."""
    return not data or data.endswith(b"\0")


def cut_of(data: bytes, image: bytes) -> bool:
    """Whether `data` is `image` cut short, NUL-padded or with holes of NULs, nothing of its own."""
    if len(data) > len(image):
        return False
    if image.startswith(data):
        return True
    return all(a in (b, 0) for a, b in zip(data, image, strict=False))
