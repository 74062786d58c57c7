"""The picture of a card that came without one: a ball of thread, coloured by the card's content.

Drawn here, pixel by pixel into a palette image, so that no picture library is needed and the same
card always has the same face. Pure.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from math import isqrt
from typing import Final

from clew.books.cards.png import SIGNATURE, chunk

WIDTH: Final = 400
HEIGHT: Final = 600
"""Two to three, the shape of card portraits."""
_SCALE: Final = 2
_W, _H = WIDTH // _SCALE, HEIGHT // _SCALE
_STRANDS: Final = 8
"""Shades of the thread in each direction."""
_GROUND: Final = 32
"""Shades of the ground, from top to bottom."""


def placeholder(content_hash: str) -> bytes:
    """A PNG of 400 by 600 for a content hash (hex)."""
    seed = bytes.fromhex(content_hash)[:16].ljust(16, b"\0")
    rows = []
    for row in _drawn(seed):
        wide = bytes(value for value in row for _ in range(_SCALE))
        rows += [b"\0" + wide] * _SCALE
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    return SIGNATURE + b"".join((
        chunk(b"IHDR", header),
        chunk(b"PLTE", _palette(seed)),
        chunk(b"IDAT", zlib.compress(b"".join(rows), 9)),
        chunk(b"IEND", b""),
    ))  # fmt: skip


def _palette(seed: bytes) -> bytes:
    """The ground's shades, then three families of thread: neighbours on the colour wheel."""
    hue = seed[0] * 360 // 256
    spread = 18 + seed[1] % 30
    out = [_colour(hue, 22, 20 + step * 18 // _GROUND) for step in range(_GROUND)]
    for family in range(3):
        turn = hue + 150 + (family - 1) * spread
        out += [_colour(turn, 46, 38 + step * 40 // _STRANDS) for step in range(_STRANDS)]
    return b"".join(out)


def _colour(hue: int, saturation: int, lightness: int) -> bytes:
    """RGB of hue (degrees), saturation and lightness (percent)."""
    chroma = (100 - abs(2 * lightness - 100)) * saturation * 255 // 10_000
    base = lightness * 255 // 100 - chroma // 2
    place = hue % 360
    middle = chroma * (60 - abs(place % 120 - 60)) // 60
    red, green, blue = (
        (chroma, middle, 0), (middle, chroma, 0), (0, chroma, middle),
        (0, middle, chroma), (middle, 0, chroma), (chroma, 0, middle),
    )[place // 60]  # fmt: skip
    return bytes(min(255, max(0, base + part)) for part in (red, green, blue))


def _drawn(seed: bytes) -> Sequence[bytes]:
    """Palette numbers, row by row: three windings of thread, each an arc around its own centre, one
    over the other inside a ball, with a loose end that runs down to the edge."""
    cx, cy, radius = _W // 2, _H * 9 // 20, _W * 3 // 8
    centres = [
        (cx + (seed[2 + i] % 60 - 30) * 3, cy + radius * (2, -3, 1)[i] + seed[5 + i] % 40)
        for i in range(3)
    ]
    thick = [4 + seed[8 + i] % 3 for i in range(3)]
    swing = 10 + seed[11] % 14
    rows = []
    for y in range(_H):
        row = bytearray([min(_GROUND - 1, y * _GROUND // _H)]) * _W
        half = isqrt(max(0, radius * radius - (y - cy) ** 2))
        for x in range(cx - half, cx + half):
            arcs = [isqrt((x - ax) ** 2 + (y - ay) ** 2) for ax, ay in centres]
            family = (arcs[0] // 34 + arcs[1] // 34) % 3
            strand = arcs[family] % (thick[family] * 2)
            round_off = ((x - cx) ** 2 + (y - cy) ** 2) * 4 // (radius * radius)
            shade = _STRANDS - 1 - abs(strand - thick[family]) - round_off
            row[x] = _GROUND + family * _STRANDS + max(0, shade)
        if y > cy + radius * 3 // 4:
            # The loose end: a slow wave, by a parabola that changes its side.
            phase = (y - cy) % 120 - 60
            bend = (3600 - phase * phase) * swing // 3600 * (1 if (y - cy) // 120 % 2 else -1)
            for x in range(cx + bend - 2, cx + bend + 2):
                if row[x] < _GROUND:
                    row[x] = _GROUND + _STRANDS + 4 - (x - cx - bend)
        rows.append(bytes(row))
    return rows
