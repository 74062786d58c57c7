"""What a card is, for people and programs: one card, its versions, the difference of two, its uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from clew.books import cards, versions
from clew.books.bookshelf import uses_of
from clew.books.cards.values import Number, is_number, token
from clew.books.library import Library
from clew.books.listing import named
from clew.books.model import Card
from clew.books.records import Asset, SourceFile, Version
from clew.kernel.vault import Reader


class VersionRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A version in a list."""

    number: int
    current: bool
    made: str
    at: str
    name: str
    spec: str
    content_hash: str
    parent: int | None = None
    note: str = ""
    source: str = ""
    """What its source file was called."""
    source_bytes: int = 0
    kept: str = ""
    """`here` or `in place`; empty where there is no source of its own."""
    picture: bool = False
    """Whether it has a picture that was put in place of the source's."""


class Versions(msgspec.Struct, frozen=True, kw_only=True):
    """Every version of an asset, the newest first."""

    status: str = "ok"
    id: str
    title: str
    versions: list[VersionRow]


class UseRow(msgspec.Struct, frozen=True, kw_only=True):
    """A place where an asset is used."""

    book: str
    title: str
    role: str
    version: str
    current: bool
    """Whether that is the current version."""


class Uses(msgspec.Struct, frozen=True, kw_only=True):
    """Where an asset is used."""

    status: str = "ok"
    id: str
    title: str
    uses: list[UseRow]


class WorldRow(msgspec.Struct, frozen=True, kw_only=True):
    """A lorebook that belongs to a card."""

    id: str = ""
    """Empty where the card names a lorebook that is not in the library."""
    title: str
    state: str = ""


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """Something newer than the current version, which no import made the current one."""

    what: Literal["version", "file"]
    """`version`: it came from where the card is followed, after an edit here. `file`: the file over
    there is another than the one that was imported."""
    version: int = 0
    program: str
    root: str
    path: str


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """An asset with one of its versions."""

    status: str = "ok"
    id: str
    kind: str
    title: str
    state: str
    favourite: bool
    labels: list[str]
    created_at: str
    updated_at: str
    version: VersionRow
    versions: int
    card: dict[str, Any] | None = None
    """The V3-shaped document of the card."""
    lorebook: dict[str, Any] | None = None
    tags: dict[str, str] = {}
    """The seed's tags: fields of the card by their tag, and the tags kept beside it."""
    worlds: list[str] = []
    linked: list[WorldRow] = []
    """The lorebooks of `worlds`, and the one that the card itself names."""
    origins: list[str] = []
    waiting: list[Waiting] = []
    """What changed over there, and is not what is shown."""
    notes_of_card: list[dict[str, Any]] = []
    """What a good card would not have."""
    whole: bool = False
    """Whether people are shown all of it, too."""


class ChangeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One difference of two versions."""

    kind: str
    path: str
    before: Any = None
    after: Any = None


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """The picture of a version, without the card that may lie in its file."""

    kind: str
    bytes: int
    sha256: str
    name: str = ""
    """What its file was called."""


class PictureChange(msgspec.Struct, frozen=True, kw_only=True):
    """Another picture; null where there is none."""

    before: Picture | None
    after: Picture | None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What changed from one version to another."""

    status: str = "ok"
    id: str
    title: str
    a: int
    b: int
    same: bool
    """Whether neither the content nor the picture changed."""
    changes: list[ChangeRow]
    picture: PictureChange | None = None
    """The pictures, where they are not the same."""


def show(
    library: Library, name: str, *, kind: str = "", lang: str = "en", whole: bool = False
) -> Shown:
    """One asset, in the version that the name asks for (`沈砚@2`), else the current one. `whole`:
    people are to see everything, too."""
    from clew.books.assets import tags_of

    asset, number = named(library, name, kind)
    version = versions.version_of(asset, number)
    found = library.look(lambda reader: versions.content(reader, asset, version.number))
    card, book = found.card, found.lorebook
    return Shown(
        id=asset.id, kind=asset.kind, title=asset.title, state=asset.state,
        favourite=asset.favourite, labels=asset.labels, created_at=asset.created_at,
        updated_at=asset.updated_at, version=row_of(asset, version), versions=len(asset.versions),
        card=plain(card.document) if card is not None else None,
        lorebook=plain({"spec": book.spec, "data": book.data, **book.root}) if book else None,
        tags={tag: str(plain(value)) for tag, value in tags_of(found).items()},
        worlds=asset.worlds, linked=_linked(library, asset, card), whole=whole,
        waiting=list(_waiting(library, asset)),
        origins=[f"{one.program}: {one.root}/{one.path}" for one in asset.origins],
        notes_of_card=[f.to_dict(lang) for f in cards.validate(card)] if card is not None else [],
    )  # fmt: skip


def _linked(library: Library, asset: Asset, card: Card | None) -> list[WorldRow]:
    def rows(reader: Reader) -> list[WorldRow]:
        found = [library.asset(reader, ident) for ident in asset.worlds]
        return [WorldRow(id=one.id, title=one.title, state=one.state) for one in found if one]

    out = library.look(rows)
    if card is not None and card.world and not any(row.title == card.world for row in out):
        out.append(WorldRow(title=str(plain(card.world))))
    return out


def _waiting(library: Library, asset: Asset) -> Iterator[Waiting]:
    """What the files that an asset follows hold beyond its current version."""
    files = library.vault.files
    for origin in asset.origins:
        of: dict[str, Any] = {"program": origin.program, "root": origin.root, "path": origin.path}
        version = asset.version(origin.version)
        if version is not None and version.made == "updated" and version.number > asset.current:
            yield Waiting(what="version", version=version.number, **of)
        try:
            there = files.stat(f"{origin.root}/{origin.path}")
        except OSError:
            continue  # not to be reached at present, which `library import` tells
        if there is not None and (there.size, there.mtime_ns) != (origin.size, origin.mtime_ns):
            yield Waiting(what="file", **of)


def row_of(asset: Asset, version: Version) -> VersionRow:
    """A version as lists show it."""
    source = version.source
    return VersionRow(
        number=version.number, current=version.number == asset.current, made=version.made,
        at=version.at, name=version.name, spec=version.spec, content_hash=version.content_hash,
        parent=version.parent, note=version.note, picture=version.picture is not None,
        source=source.name if source is not None else "",
        source_bytes=source.size if source is not None else 0, kept=_kept(source),
    )  # fmt: skip


def _kept(source: SourceFile | None) -> str:
    if source is None:
        return ""
    return "here" if source.file else "in place"


def list_versions(library: Library, name: str) -> Versions:
    """Every version of an asset."""
    asset = named(library, name).asset
    rows = [row_of(asset, version) for version in reversed(asset.versions)]
    return Versions(id=asset.id, title=asset.title, versions=rows)


def where_used(library: Library, name: str) -> Uses:
    """The books that use an asset, and in which version."""
    asset = named(library, name).asset
    rows = [
        UseRow(
            book=use.book, title=use.title, role=use.role, version=use.version,
            current=use.version in ("", str(asset.current)),
        )
        for use in uses_of(library, asset.id)
    ]  # fmt: skip
    return Uses(id=asset.id, title=asset.title, uses=rows)


def diff(library: Library, name: str, a: int | None = None, b: int | None = None) -> Difference:
    """What changed from version `a` to version `b`, content and picture: by default from the one that
    the current one was made from to the current one. Raises `Missing` (`no_such_version`)."""
    asset = named(library, name).asset
    newer = versions.version_of(asset, b)
    if a is None:
        a = newer.parent if newer.parent is not None else newer.number
    older = versions.version_of(asset, a)

    def both(reader: Reader) -> tuple[versions.Content, versions.Content]:
        return (
            versions.content(reader, asset, older.number),
            versions.content(reader, asset, newer.number),
        )

    one, other = library.look(both)
    changes = cards.diff(_as_card(one), _as_card(other))
    rows = [
        ChangeRow(kind=c.kind, path=c.path, before=plain(c.before), after=plain(c.after))
        for c in changes
    ]
    pictures = _pictures(library, asset, (older, one), (newer, other))
    return Difference(
        id=asset.id, title=asset.title, a=older.number, b=newer.number, changes=rows,
        same=not changes and pictures is None, picture=pictures,
    )  # fmt: skip


def _pictures(
    library: Library, asset: Asset, *both: tuple[Version, versions.Content]
) -> PictureChange | None:
    """The pictures of two versions, where they differ: their own bytes, without a card in them."""
    before, after = (_picture(library, asset, *one) for one in both)
    if (before and before.sha256) == (after and after.sha256):
        return None
    return PictureChange(before=before, after=after)


def _picture(
    library: Library, asset: Asset, version: Version, content: versions.Content
) -> Picture | None:
    if content.card is None:
        return None
    from hashlib import sha256

    from clew.books.cards.carrier import carried
    from clew.books.cards.report import Limits

    has = versions.carrier(library, asset, version)
    library.notes += [note for note in has.notes if note not in library.notes]
    found = carried(content.card, has.source, has.picture, Limits())
    if found.picture is None:
        return None
    bare = found.bare_picture()
    return Picture(kind=found.kind, bytes=len(bare), sha256=sha256(bare).hexdigest(), name=has.name)


def _as_card(content: versions.Content) -> Card:
    """A lorebook is compared like the data of a card."""
    if content.card is not None:
        return content.card
    book = content.lorebook
    return Card(book.data, book.root) if book is not None else Card({})


def plain(value: Any) -> Any:
    """A value of a card as `msgspec.json.encode` writes it: numbers exactly as they are stored (as
    `msgspec.Raw` where it would write another token), lone surrogates as escapes."""
    if isinstance(value, str):
        return _escaped(value)
    if isinstance(value, dict):
        return {_escaped(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, bool) or not is_number(value):
        return value
    written = token(value).encode("ascii")
    if not isinstance(value, Number) and msgspec.json.encode(value) == written:
        return value
    return msgspec.Raw(written)


def _escaped(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
