"""Putting what an import has read on the shelf, within one commit: a new asset, a new version of one
that follows its file, or nothing where it is there already.

Runs under the library's lock, so that what it sees is what is there. Rules: docs/library.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from clew.books import versions
from clew.books.assets import first_asset, joined_labels, put, version_entry
from clew.books.cardindex import key_of
from clew.books.gathering import Candidate
from clew.books.known import Known
from clew.books.layout import asset_file, asset_folder, id_of
from clew.books.library import Library
from clew.books.records import Asset, Origin, SourceFile, Version
from clew.books.reporting import Item, Outcome
from clew.books.staging import Incoming
from clew.books.versions import Content
from clew.kernel.document import digest
from clew.kernel.faults import Fault
from clew.kernel.vault import Transaction

_NAMESAKES: Final = 9


class Ready(NamedTuple):
    """A card or lorebook that waits for the next commit."""

    item: Item
    candidate: Candidate
    kind: Literal["card", "world"]
    content: Content
    title: str
    packed: bytes
    packed_at: str
    source: SourceFile
    source_at: str
    """Where the copy of the source waits; empty when the source stays in its place."""
    worlds: tuple[str, ...] = ()
    """Ids of lorebooks that belong to it."""

    @property
    def content_hash(self) -> str:
        """Of the card or lorebook, whatever file it came in."""
        found = self.content.card or self.content.lorebook
        return found.content_hash if found is not None else ""


class Shelved(NamedTuple):
    """What became of it."""

    id: str
    title: str
    outcome: Outcome
    lines: list[tuple[str, Fault]]


class Shelving:
    """One commit of an import."""

    def __init__(self, library: Library, tx: Transaction, incoming: Incoming, known: Known) -> None:
        self.folders: set[str] = set()
        """Real folders in which something was put, to be synced before the commit."""
        self._library = library
        self._tx = tx
        self._incoming = incoming
        self._known = known
        self._at = library.now()
        self._put: dict[str, Asset] = {}
        self._sources: dict[str, str] = {}
        self._titles: dict[str, list[str]] = {}
        self._contents: dict[tuple[str, str], str] = {}

    def shelve(self, one: Ready) -> Shelved:
        """Put it on the shelf, unless it is there: since before, by another process, or earlier in
        this commit."""
        followed = self._followed(one)
        if followed is not None:
            return self._next_version(followed, one)
        sha, content = one.source.sha256, (one.kind, one.content_hash)
        place = self._known.sources.get(sha)
        there = place.id if place is not None else self._sources.get(sha, "")
        twin = self._known.same_content(one.content_hash, one.kind)
        twin = twin or self._contents.get(content, "")
        lines: list[tuple[str, Fault]] = []
        if not there and twin and one.kind == "world":
            there = twin
            lines = [("note", Fault("same_world", name=one.title, found=twin))]
        ident = ""
        if not there:
            there, ident = self._free(one)
        asset = self._asset(there) if there else None
        if asset is not None:
            lines += self._link(asset, one)
            return Shelved(there, asset.title, "skipped", lines)
        self._first(ident or there, one)
        self._sources[sha] = self._contents[content] = ident or there
        if twin:
            lines = [("note", Fault("same_card", name=one.title, found=twin))]
        elif namesakes := self._namesakes(one.title):
            found = [ident or there, *namesakes[:_NAMESAKES]]
            lines = [("note", Fault("same_title", name=one.title, found=found))]
        self._titles.setdefault(key_of(one.title), []).append(ident or there)
        return Shelved(ident or there, one.title, "taken", lines)

    def _namesakes(self, title: str) -> list[str]:
        """Others of this title: it names them no longer. Earlier ones of this commit count."""
        here = self._titles.get(key_of(title), ())
        return list(dict.fromkeys((*self._known.same_title(title), *here)))

    def _asset(self, ident: str) -> Asset | None:
        return self._put.get(ident) or self._library.asset(self._tx, ident)

    def _keep(self, asset: Asset, what: str, added: Iterable[int] = ()) -> None:
        self._put[asset.id] = asset
        put(self._tx, asset, what, self._at, set(added))

    def _place(self, ident: str, number: int, one: Ready) -> None:
        moves = {f"v{number}.json": one.packed_at}
        if one.source_at:
            moves[one.source.file] = one.source_at
        self.folders.update(self._incoming.place(ident, moves))

    def _first(self, ident: str, one: Ready) -> None:
        self._place(ident, 1, one)
        at = self._at
        version = version_entry(1, one.content, one.packed, "imported", at, source=one.source)
        favourite = one.content.card is not None and one.content.card.favourite
        self._keep(
            first_asset(
                ident, one.kind, one.title, version, at, favourite=favourite, confirmed_at=at,
                labels=joined_labels((), one.candidate.labels), origins=self._origins((), one, 1),
                worlds=list(one.worlds),
            ),
            "imported",
        )  # fmt: skip

    def _free(self, one: Ready) -> tuple[str, str]:
        """Where the asset goes: (the id of one that is there already, a free id)."""
        sha = salted = one.source.sha256
        while True:
            ident = id_of(one.kind, salted)
            if self._tx.read(asset_file(ident)) is None and ident not in self._put:
                return "", ident
            asset = self._asset(ident)
            sources = [v.source for v in asset.versions if v.source] if asset is not None else []
            if any(source.sha256 == sha for source in sources):
                return ident, ""
            salted = digest(salted.encode())

    # ---- files of another program's folder -----------------------------------------------------

    def _followed(self, one: Ready) -> Asset | None:
        """The asset that follows this file, when the file is another than it was."""
        follows = one.candidate.follows
        before = self._known.origins.get(follows) if follows is not None else None
        if before is None or before.sha256 == one.source.sha256:
            return None
        return self._asset(before.id)

    def _next_version(self, asset: Asset, one: Ready) -> Shelved:
        """The file changed over there: a new version. It becomes the current one, unless the asset
        was edited here since: no import takes an edit back."""
        follows = one.candidate.follows
        assert follows is not None
        before = self._known.origins[follows]
        last = _with_source(asset, before.sha256)
        edited = last is None or asset.current != last
        same = digest(one.packed) == versions.version_of(asset, None).file_sha256
        number = max(version.number for version in asset.versions) + 1
        self._place(asset.id, number, one)
        version = version_entry(
            number, one.content, one.packed, "updated", self._at, source=one.source, parent=last
        )
        after = replace(
            asset, revision=asset.revision + 1, updated_at=self._at,
            current=asset.current if edited else number, versions=[*asset.versions, version],
            labels=joined_labels(asset.labels, one.candidate.labels),
            origins=self._origins(asset.origins, one, number), worlds=_joined(asset, one),
        )  # fmt: skip
        self._keep(after, "updated", [number])
        code = "edited_here_too" if edited else "picture_only" if same else "updated_there"
        told = Fault(code, name=asset.title, found=number, limit=asset.current)
        return Shelved(asset.id, asset.title, "updated", [("note", told)])

    def _link(self, asset: Asset, one: Ready) -> list[tuple[str, Fault]]:
        """Let an asset that is here already follow a file, and fetch the file where it was left in
        its place before or where its copy is gone."""
        number = _with_source(asset, one.source.sha256)
        lines = self._put_back(asset, number, one)
        after = replace(
            asset, versions=self._fetched(asset, number, one),
            origins=self._origins(asset.origins, one, number or asset.current),
            labels=joined_labels(asset.labels, one.candidate.labels), worlds=_joined(asset, one),
        )  # fmt: skip
        if after != asset:
            after = replace(after, revision=asset.revision + 1, updated_at=self._at)
            self._keep(after, "linked", [number] if number is not None else ())
        return lines

    def _put_back(self, asset: Asset, number: int | None, one: Ready) -> list[tuple[str, Fault]]:
        """Put a source in place whose copy here is gone or was cut: the bytes are the same."""
        found = asset.version(number) if number is not None else None
        source = found.source if found is not None else None
        if source is None or not source.file or not one.source_at:
            return []
        if is_kept(self._library, asset.id, source.file, source.size):
            return []
        self.folders.update(self._incoming.place(asset.id, {source.file: one.source_at}))
        return [("note", Fault("source_back", name=asset.title, file=source.file))]

    def _fetched(self, asset: Asset, number: int | None, one: Ready) -> list[Version]:
        """The versions of an asset, the one of this file with a copy of it."""
        found = asset.version(number) if number is not None else None
        source = found.source if found is not None else None
        if found is None or source is None or source.file or not one.source_at:
            return asset.versions
        self.folders.update(self._incoming.place(asset.id, {one.source.file: one.source_at}))
        kept = replace(found, source=replace(source, file=one.source.file, place=""))
        return [kept if version is found else version for version in asset.versions]

    def _origins(self, before: Iterable[Origin], one: Ready, version: int) -> list[Origin]:
        follows = one.candidate.follows
        if follows is None:
            return list(before)
        kept = [o for o in before if (o.program, o.root, o.path) != tuple(follows)]
        fresh = Origin(
            program=follows.program, root=follows.root, path=follows.path,
            sha256=one.source.sha256, size=one.candidate.size,
            mtime_ns=one.candidate.mtime_ns, version=version,
        )  # fmt: skip
        return [*kept, fresh]


def is_kept(library: Library, ident: str, file: str, size: int) -> bool:
    """Whether the copy of a source lies where it should, by its size."""
    found = library.vault.files.stat(library.vault.real(f"{asset_folder(ident)}/{file}"))
    return found is not None and found.kind == "file" and found.size == size


def _with_source(asset: Asset, sha: str) -> int | None:
    """The number of the version that came from these bytes."""
    return next((v.number for v in asset.versions if v.source and v.source.sha256 == sha), None)


def _joined(asset: Asset, one: Ready) -> list[str]:
    return list(dict.fromkeys((*asset.worlds, *one.worlds)))
