"""What a version holds: its file, its card or lorebook, and the file that carries its picture.

`v{n}.json` has the content and nothing that tells when or by whom, so that the same card gives the
same bytes. A version without a source of its own (an edit) is carried by the nearest version before
it that has one. What lies outside the library is used only when its bytes are those that were
imported.

Touches files through the vault and, for sources that were left in their place, the file layer.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

import msgspec

from clew.books.cards.values import encode, integer, real
from clew.books.layout import asset_folder, version_file
from clew.books.library import Library
from clew.books.lore import Lorebook
from clew.books.model import Card
from clew.books.records import Asset, SourceFile, Version
from clew.kernel.document import digest
from clew.kernel.errors import ClewError, Corrupt, Missing
from clew.kernel.faults import Both, Fault
from clew.kernel.vault import Reader

GONE: Final = Both("文件不见了", "the file is gone")
OTHER: Final = Both("字节与当初保存的不同", "its bytes are not those that were kept")
_INDENT: Final = 1
WITHOUT_PICTURE: Final = ("json", "yaml")
"""Kinds of source files that hold no picture."""


class Content(NamedTuple):
    """A version, read."""

    card: Card | None
    lorebook: Lorebook | None
    tags: dict[str, str]

    @property
    def name(self) -> str:
        """The name in the card or lorebook."""
        found = self.card or self.lorebook
        return found.name if found is not None else ""


def pack(content: Content) -> bytes:
    """The bytes of a version's file. The same content gives the same bytes."""
    record: dict[str, Any] = {"schema_version": 1}
    if content.tags:
        record["tags"] = dict(sorted(content.tags.items()))
    if content.card is not None:
        card = content.card
        record["card"] = {
            "spec": card.spec, "spec_version": card.spec_version, "data": card.data,
            "root": card.root,
        }  # fmt: skip
    elif content.lorebook is not None:
        book = content.lorebook
        record["lorebook"] = {"spec": book.spec, "data": book.data, "root": book.root}
    text = encode(record).encode("utf-8")
    try:
        return msgspec.json.format(text, indent=_INDENT) + b"\n"
    except msgspec.DecodeError:  # a lone surrogate, which only the slow way can write
        return encode(record, indent=_INDENT).encode("utf-8") + b"\n"


def unpack(data: bytes, path: str) -> Content:
    """Read a version's file. Raises `Corrupt` (`version_broken`)."""
    try:
        value = json.loads(data, parse_int=integer, parse_float=real)
        tags = value.get("tags") or {}
        if "card" in value:
            one = value["card"]
            card = Card(
                one["data"], one["root"], spec=one["spec"], spec_version=one["spec_version"]
            )
            return Content(card, None, tags)
        book = value["lorebook"]
        return Content(None, Lorebook(book["data"], book["root"], spec=book["spec"]), tags)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise Corrupt(Fault("version_broken", file=path, reason=reason[:200])) from None


def version_of(asset: Asset, number: int | None) -> Version:
    """A version of an asset, the current one without a number. Raises `Missing`
    (`no_such_version`)."""
    found = asset.version(number)
    if found is None:
        allowed = f"1..{max(one.number for one in asset.versions)}" if asset.versions else "-"
        raise Missing(Fault("no_such_version", found=number, name=asset.title, allowed=allowed))
    return found


def content(reader: Reader, asset: Asset, number: int | None = None) -> Content:
    """What a version holds, verified. Raises `Missing` (`no_such_version`), `Corrupt`
    (`version_broken`)."""
    version = version_of(asset, number)
    path = version_file(asset.id, version.number)
    data = reader.read(path)
    if data is None or digest(data) != version.file_sha256:
        raise Corrupt(Fault("version_broken", file=path, reason=GONE if data is None else OTHER))
    return unpack(data, path)


# ---- source files and pictures ----------------------------------------------------------------


def source_bytes(library: Library, asset: Asset, source: SourceFile) -> bytes:
    """The bytes of a source file or picture, verified. Raises `Missing` (`source_gone`), `Corrupt`
    (`source_changed`)."""
    path = f"{asset_folder(asset.id)}/{source.file}" if source.file else source.place
    files = library.vault.files
    real = library.vault.real(path) if source.file else path
    try:
        found = files.stat(real)
        if found is None:
            raise Missing(Fault("source_gone", file=path, name=asset.title))
        # Another size is another file: it is not read to the end.
        data = files.read(real, 0, source.size + 1)
    except OSError as error:
        raise Missing(Fault("source_gone", file=path, name=asset.title)) from error
    if digest(data) != source.sha256:
        raise Corrupt(Fault("source_changed", file=path, name=asset.title))
    return data


class Carrier(NamedTuple):
    """What an export of a version is written into: a source file, and a picture in its place."""

    source: bytes | None
    picture: bytes | None
    notes: tuple[Fault, ...]
    """Why something that was kept could not be used."""
    name: str = ""
    """What the file with the picture was called."""
    lost: tuple[SourceFile, ...] = ()
    """Source files and pictures that belong to the version and could not be used."""
    lost_picture: SourceFile | None = None
    """The one of them that holds, or may hold, the picture that the version had."""


def carrier(library: Library, asset: Asset, version: Version) -> Carrier:
    """The nearest source file and picture of a version: its own, or those of the versions that it
    was made from, or else those of any other version."""
    found = _Search(library, asset)
    lineage = _lineage(asset, version)
    source: bytes | None = None
    at: Version | None = None
    for one in lineage:
        if one.source is not None and (source := found.bytes_of(one.source)) is not None:
            at = one
            break
    if found.lost and source is None:
        for one in reversed(asset.versions):
            if one in lineage or one.source is None:
                continue
            if (source := found.bytes_of(one.source, belongs=False)) is not None:
                at = one
                break
    picture: bytes | None = None
    missed: SourceFile | None = None
    name = at.source.name if at is not None and at.source is not None else ""
    for one in lineage:
        if one.picture is not None:
            picture = found.bytes_of(one.picture)
            if picture is not None:
                name = one.picture.name
                break
            missed = missed or one.picture
        if one.source is None or one.source.kind in WITHOUT_PICTURE:
            continue  # another card was taken from a text: the picture is the one before it
        if one is not at:
            picture, name = _portrait(found, one), one.source.name
            missed = missed or (one.source if one.source in found.lost else None)
        break  # the picture of this source is newer than what stood before it
    return Carrier(source, picture, tuple(found.notes), name, tuple(found.lost), missed)


class _Search:
    """The files of an asset that were asked for, each once, and those that could not be used."""

    def __init__(self, library: Library, asset: Asset) -> None:
        self.library = library
        self.asset = asset
        self.notes: list[Fault] = []
        self.lost: list[SourceFile] = []
        self._missed: list[SourceFile] = []

    def bytes_of(self, source: SourceFile, *, belongs: bool = True) -> bytes | None:
        """Its bytes, or None with a note. `belongs`: what is not to be had is missing then."""
        if source in self._missed:
            return None
        try:
            return source_bytes(self.library, self.asset, source)
        except ClewError as gone:
            self.notes.extend(gone.faults)
        self._missed.append(source)
        if belongs:
            self.lost.append(source)
        return None


def _portrait(found: _Search, version: Version) -> bytes | None:
    """The picture in the source of an earlier version, or None."""
    from clew.books.cards.carrier import portrait

    assert version.source is not None
    data = found.bytes_of(version.source)
    if data is None:
        return None
    try:
        one = found.library.look(lambda reader: content(reader, found.asset, version.number)).card
        had = portrait(one, data) if one is not None else None
    except ClewError as broken:
        found.notes.extend(broken.faults)
        return None
    return had[1] if had is not None else None


def _lineage(asset: Asset, version: Version) -> list[Version]:
    out: list[Version] = []
    found: Version | None = version
    while found is not None and found not in out:
        out.append(found)
        found = asset.version(found.parent) if found.parent is not None else None
    return out
