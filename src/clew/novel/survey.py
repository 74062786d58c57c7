"""What a manuscript without a ledger shows by itself: encodings, the book's title, its volumes,
which chapters are there, and the draft of an init document made of that.

Pure: bytes and names in, values out. Source: the seed (初始化事务, 导入边界). What only the author can
know stays an empty text, which `init` refuses, so that nothing invented enters a ledger.
"""

from __future__ import annotations

import codecs
from typing import Final, Literal, NamedTuple

import msgspec

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be", "gb18030", "big5", "unknown"]


class Span(msgspec.Struct, frozen=True):
    """Chapters from `first` to `last`, both included."""

    first: int
    last: int


class Volume(NamedTuple):
    """A volume, the chapter it starts with, and where that was read (empty: nowhere)."""

    name: str
    start: int
    source: str


# ---- encodings -----------------------------------------------------------------------------------

_COMMON: Final = frozenset("的一是了不在有我他她你那着就也上个说道人來來说說這这個个們们為为著去到")
_PROSE_SHARE: Final = 0.03
"""Share of very common characters below which a decoded text is taken for nonsense."""
_SAMPLE: Final = 200_000


def decoded(data: bytes) -> tuple[str, Encoding]:
    """The text of a manuscript file and the encoding it looks like. Never raises.

    UTF-8 unless it is not; then byte order marks, the zero bytes of UTF-16, and of GB 18030 and
    Big5 the one that gives more everyday characters. `unknown` is read with replacement marks.
    """
    for mark, wide in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(wide, "replace"), "utf-16-le" if wide[-2] == "l" else "utf-16-be"
    wider = _without_mark(data)
    if wider is not None:
        return data.decode(wider, "replace"), wider
    try:
        return data.decode("utf-8").removeprefix("\ufeff"), "utf-8"
    except UnicodeDecodeError:
        pass_on = data
    best: tuple[float, Encoding, str] = (_PROSE_SHARE, "unknown", "")
    for name in ("gb18030", "big5"):
        text = _strict(pass_on, name)
        if text and (share := _share(text)) > best[0]:
            best = (share, "gb18030" if name == "gb18030" else "big5", text)
    return (best[2], best[1]) if best[2] else (data.decode("utf-8", "replace"), "unknown")


def _without_mark(data: bytes) -> Literal["utf-16-le", "utf-16-be"] | None:
    """UTF-16 without a byte order mark: newlines and ASCII leave zeros on one side only."""
    low, high = data[1:_SAMPLE:2].count(0), data[0:_SAMPLE:2].count(0)
    if len(data) % 2 or not (low or high):
        return None
    return "utf-16-le" if low > 4 * high else "utf-16-be" if high > 4 * low else None


def _strict(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        return None


def _share(text: str) -> float:
    letters = [char for char in text[:_SAMPLE] if ord(char) > 127]
    return sum(char in _COMMON for char in letters) / len(letters) if letters else 0.0
