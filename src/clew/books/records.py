"""The documents of a library as types: every field of the seed, under the seed's own names.

Field names on disk are those of the book-storage seed (`cardBookId`, `lifecycleStage` …); what every
document of clew has besides (`schema_version`, `revision`) keeps its name. All have room for an
`owner`. The shelf is here; books and sessions are in `clew.books.bookrecords`.

Pure. Rules: book-storage seed sections 2 to 7.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, field

from clew.books.layout import SCHEMA

_OURS: Final = ("schema_version",)


def _name(attribute: str) -> str:
    if attribute in _OURS:
        return attribute
    first, *rest = attribute.split("_")
    return first + "".join(word.capitalize() for word in rest)


class Document(Struct, rename=_name, omit_defaults=True, kw_only=True):
    """What every document has. Moments are ISO 8601 in UTC to the millisecond."""

    schema_version: int = field(default_factory=lambda: SCHEMA)
    id: str
    revision: int = field(default_factory=lambda: 1)
    """Counts the changes of this document."""
    owner: str = ""
    """Whose it is, where several people share a library; empty: nobody's in particular."""
    created_at: str
    updated_at: str


class Part(Struct, rename=_name, omit_defaults=True, kw_only=True):
    """A piece of a document."""


class RunSkillManifest(Part, kw_only=True):
    """How something is suggested to be played."""

    skills: list[str] = []
    context_profile: str = ""
    settings: dict[str, Any] = {}


# ---- assets: what is kept on the shelf --------------------------------------------------------


class SourceFile(Part, kw_only=True):
    """A file that belongs to a version: what it was imported from, or its picture."""

    file: str = ""
    """Its name in the asset's folder; empty where it was left in its place."""
    sha256: str
    size: int
    kind: str
    """What it was found to be: `png`, `json`, `charx` …"""
    name: str = ""
    """What it was called, as data."""
    place: str = ""
    """Where it lies, when `file` is empty."""


class Version(Part, kw_only=True):
    """One immutable version of an asset; its content is in `v{number}.json`."""

    number: int
    content_hash: str
    """SHA-256 of the card or lorebook itself, whatever file and format it came in."""
    file_sha256: str
    """SHA-256 of `v{number}.json`."""
    made: Literal["imported", "new", "edited", "restored", "exported", "updated"]
    at: str
    parent: int | None = None
    name: str = ""
    """The name in the card, which may not be the asset's title."""
    spec: str = ""
    note: str = ""
    source: SourceFile | None = None
    picture: SourceFile | None = None
    """A picture that was put in place of the source's."""


class Origin(Part, kw_only=True):
    """A file of another program's folder that an asset follows."""

    program: str
    root: str
    path: str
    sha256: str
    size: int
    mtime_ns: int
    version: int


class Asset(Document, kw_only=True):
    """What stands on the shelf: a card (the seed's CardAsset) or a lorebook, with all its versions.

    `tags` are the seed's (`角色卡.确认稿` …), of the current version, without those that are fields of
    the card (`clew.books.assets.TAGS` maps them); `labels` are the user's own words to find it by.
    """

    kind: Literal["card", "world"]
    title: str
    state: Literal["active", "archived", "trashed"] = "active"
    current: int
    """The number of the version that counts where none is named."""
    card_book_id: str = ""
    """The book in which it was designed."""
    tags: dict[str, str] = {}
    run_skill_manifest: RunSkillManifest | None = None
    confirmed_at: str = ""
    favourite: bool = False
    labels: list[str] = []
    worlds: list[str] = []
    """Lorebooks that belong to the card, by their ids."""
    origins: list[Origin] = []
    versions: list[Version] = []

    def version(self, number: int | None = None) -> Version | None:
        """A version, the current one without a number; None when there is none of that number."""
        wanted = self.current if number is None else number
        return next((one for one in self.versions if one.number == wanted), None)


class ShelfLine(Part, kw_only=True):
    """One line of the shelf's history: the asset as it was after a change. All lines of an asset
    together are the asset."""

    at: str
    what: Literal[
        "imported", "new", "updated", "edited", "renamed", "marked", "archived", "trashed",
        "restored", "purged", "exported", "linked", "taken_over",
    ]  # fmt: skip
    asset: Asset
    """Of its versions only the current one, and those that the change added."""
    count: int
    """How many versions there are in all."""


class LibraryMark(Document, kw_only=True):
    """`library.json`: what makes a folder a library."""

    title: str = ""


def line_of(asset: Asset, what: Any, at: str, added: Collection[int] = ()) -> ShelfLine:
    """The line of the history for a change of an asset that added these versions."""
    wanted = {asset.current, *added}
    kept = [one for one in asset.versions if one.number in wanted]
    shown = msgspec.structs.replace(asset, versions=kept)
    return ShelfLine(at=at, what=what, asset=shown, count=len(asset.versions))


def folded(lines: Iterable[ShelfLine]) -> dict[str, Asset]:
    """The assets that a history leads to."""
    found: dict[str, Asset] = {}
    for line in lines:
        asset = line.asset
        if line.what == "purged":
            found.pop(asset.id, None)
            continue
        before = found.get(asset.id)
        versions = {one.number: one for one in before.versions} if before is not None else {}
        versions |= {one.number: one for one in asset.versions}
        whole = [versions[number] for number in sorted(versions)]
        found[asset.id] = msgspec.structs.replace(asset, versions=whole)
    return found


DECODE_ASSET: Final = msgspec.json.Decoder(Asset)
DECODE_LINE: Final = msgspec.json.Decoder(ShelfLine)
DECODE_MARK: Final = msgspec.json.Decoder(LibraryMark)
