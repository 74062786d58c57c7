"""What a card is, for people and programs: one card, its versions, the difference of two, its uses."""

from __future__ import annotations

from typing import Any

import msgspec

from clew.books import cards, versions
from clew.books.bookshelf import uses_of
from clew.books.cards.values import encode
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
    origins: list[str] = []
    notes_of_card: list[dict[str, Any]] = []
    """What a good card would not have."""


class ChangeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One difference of two versions."""

    kind: str
    path: str
    before: Any = None
    after: Any = None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What changed from one version to another."""

    status: str = "ok"
    id: str
    title: str
    a: int
    b: int
    same: bool
    changes: list[ChangeRow]


def show(library: Library, name: str, *, kind: str = "", lang: str = "en") -> Shown:
    """One asset, in the version that the name asks for (`沈砚@2`), else the current one."""
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
        worlds=asset.worlds,
        origins=[f"{one.program}: {one.root}/{one.path}" for one in asset.origins],
        notes_of_card=[f.to_dict(lang) for f in cards.validate(card)] if card is not None else [],
    )  # fmt: skip


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
    """What changed from version `a` to version `b`: by default from the one that the current one
    was made from to the current one. Raises `Missing` (`no_such_version`)."""
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
    return Difference(
        id=asset.id, title=asset.title, a=older.number, b=newer.number,
        same=older.content_hash == newer.content_hash, changes=rows,
    )  # fmt: skip


def _as_card(content: versions.Content) -> Card:
    """A lorebook is compared like the data of a card."""
    if content.card is not None:
        return content.card
    book = content.lorebook
    return Card(book.data, book.root) if book is not None else Card({})


def plain(value: Any) -> Any:
    """A value of a card as any JSON writer can write it: numbers by their value, lone surrogates as
    escapes."""
    import json

    def text(found: str) -> str:
        return found if found.isascii() else found.encode("utf-8", "backslashreplace").decode()

    def clean(found: Any) -> Any:
        if isinstance(found, str):
            return text(found)
        if isinstance(found, dict):
            return {text(key): clean(item) for key, item in found.items()}
        return [clean(item) for item in found] if isinstance(found, list) else found

    return clean(json.loads(encode(value), parse_int=_integer))


def _integer(token: str) -> int | str:
    return int(token) if len(token) <= 18 else token
