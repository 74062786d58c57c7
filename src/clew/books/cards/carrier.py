"""What the file that a card came from carries beside it: its picture, its assets, what nobody reads.

An export asks here what can go along. Pure; only a JPEG or WEBP that must become a PNG needs Pillow.
"""

from __future__ import annotations

from typing import Final

from clew.books.cards import archive, charx, exif, pngcard
from clew.books.cards.placeholder import placeholder
from clew.books.cards.png import SIGNATURE, Chunk, Scan, exchange, scan
from clew.books.cards.report import Asset, Limits, Report
from clew.books.model import Card
from clew.kernel.errors import Refused
from clew.kernel.faults import Fault

_STALE: Final = ("risuai", "ginger", "naidata")
"""Text chunks in which other programs keep a card of their own: copied, and out of date after an
edit."""
_TAIL: Final = 66_000


class Carried:
    """The parts of a source, as an export needs them."""

    def __init__(self, card: Card, limits: Limits) -> None:
        self._card = card
        self._limits = limits
        self.source = b""
        self.kind = ""
        """Of the picture: `png`, `jpeg`, `webp`; empty where there is none."""
        self.picture: bytes | None = None
        self.replaced = False
        """True when the picture is another than the source's."""
        self.scan: Scan | None = None
        """Of a source that is a PNG."""
        self.in_place = False
        """True when the assets lie in chunks of the PNG that is written into."""
        self.archive: archive.Archive | None = None
        self.card_name = ""
        self.assets: tuple[Asset, ...] = ()
        """Embedded files that the card names."""
        self.others: list[str] = []
        """Members of an archive that it does not name."""
        self.chunks: list[str] = []
        """Chunks that hold a card of another program."""
        self.refused: tuple[str, ...] = ()
        self.trailing = 0

    @property
    def placeholder(self) -> bool:
        """True when a picture must be drawn."""
        return self.picture is None

    def png(self) -> bytes:
        """The picture as PNG: as it is, converted, or drawn."""
        if self.picture is None:
            return placeholder(self._card.content_hash)
        if self.kind == "png":
            return self.picture
        from clew.books.cards.picture import to_png

        return to_png(self.picture)

    def bare_picture(self) -> bytes:
        """The picture without the card that lies in it, its own bytes otherwise."""
        if self.picture is None:
            raise ValueError("there is no picture")
        if self.kind == "png":
            found = scan(self.picture, self._limits)
            beside = [one for one in found.texts() if one.name.startswith(pngcard.ASSET_PREFIX)]
            return exchange(self.picture, found, [*self.old_cards(found), *beside], ())
        return exif.without(self.picture, self.kind)

    def old_cards(self, found: Scan) -> list[Chunk]:
        """The chunks that a new card replaces."""
        if self.picture is None or self.kind != "png":
            return []
        other = pngcard.unnamed(self.picture, found, Report(), self._limits)
        return [other[1]] if other is not None else pngcard.card_chunks(found)


def carried(card: Card, source: bytes | None, picture: bytes | None, limits: Limits) -> Carried:
    """What goes along with a card. Raises `Refused` when `picture` is no picture that is known."""
    has = Carried(card, limits)
    if source:
        has.source = source
        _look_into(has, card, source, limits)
    if picture is not None:
        kind = picture_kind(picture)
        if not kind:
            raise Refused(Fault("picture_unreadable", reason="PNG, JPEG, WEBP"))
        has.picture, has.kind = picture, kind
        has.replaced = True
        has.scan, has.in_place = None, False
        has.chunks, has.trailing = [], 0
    return has


def picture_kind(data: bytes) -> str:
    """`png`, `jpeg`, `webp`, or an empty text for everything else."""
    if data.startswith(SIGNATURE):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    return "webp" if data.startswith(b"RIFF") and data[8:12] == b"WEBP" else ""


def _look_into(has: Carried, card: Card, source: bytes, limits: Limits) -> None:
    kind = picture_kind(source)
    if kind == "png":
        has.kind, has.picture = kind, source
        found = has.scan = scan(source, limits)
        named = {charx.asset_path(row.uri) for row in card.assets}
        has.assets = tuple(a for a in pngcard.assets(source, found, limits) if a.path in named)
        has.in_place = True
        has.chunks = [one.keyword for one in found.texts() if one.name in _STALE]
        old = [one for one in found.behind if one.name in pngcard.CARD_NAMES]
        has.trailing = found.trailing - sum(12 + one.length for one in old)
        return
    if kind:
        has.kind, has.picture = kind, source
    if source.rfind(b"PK\x05\x06", max(0, len(source) - _TAIL)) < 0:
        return
    pack = archive.opened(source, limits)
    if pack is None:
        return
    quiet = Report()
    try:
        main = charx.card_member(pack, quiet)
    except Refused:
        return  # a picture with some other archive behind it
    has.archive, has.card_name = pack, main.name
    has.refused = tuple(name for name, _ in pack.refused)
    named = {charx.asset_path(row.uri) for row in card.assets}
    beside = charx.assets(source, pack, main, quiet)
    has.assets = tuple(a for a in beside if a.path in named)
    has.others = sorted(a.path for a in beside if a.path not in named)
    icon = _icon(card, has.assets)
    if icon is not None:
        data = icon.load()
        if picture_kind(data):
            has.kind, has.picture = picture_kind(data), data


def _icon(card: Card, found: tuple[Asset, ...]) -> Asset | None:
    """The embedded file that is the card's portrait: the main icon, or the first."""
    by_path = {asset.path: asset for asset in found}
    icons = [row for row in card.assets if row.type == "icon"]
    for row in sorted(icons, key=lambda row: row.name != "main"):
        path = charx.asset_path(row.uri)
        if path in by_path:
            return by_path[path]
    return None


def portrait(card: Card, source: bytes, limits: Limits = Limits()) -> tuple[str, bytes] | None:  # noqa: B008
    """The card's picture in its file, as (`png` | `jpeg` | `webp`, bytes), or None."""
    has = carried(card, source, None, limits)
    return None if has.picture is None else (has.kind, has.picture)
