"""What the shelf has already, as an import asks it: by source bytes, by content, by origin.

Read from the shelf's history, and from what other processes add to it meanwhile. Touches files
through the vault's file layer only.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from clew.books.cardindex import key_of
from clew.books.gathering import Follows
from clew.books.layout import LOG, SHELVES
from clew.books.library import Library
from clew.books.records import DECODE_LINE, ShelfLine, line_of
from clew.kernel import log
from clew.kernel.errors import ClewError
from clew.kernel.faults import Fault


class Place(NamedTuple):
    """Where something is on the shelf."""

    id: str
    version: int
    file: str
    """Its name in the asset's folder; empty where it was left in its place."""


class Followed(NamedTuple):
    """What was last seen of an origin."""

    id: str
    sha256: str
    size: int
    mtime_ns: int


class Known:
    """The shelf by what identifies its parts. `catch_up` reads what was added since."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._offset = 0
        self.sources: dict[str, Place] = {}
        """By the SHA-256 of a source file."""
        self.contents: dict[str, dict[str, None]] = {}
        """Ids by the hash of a card or lorebook."""
        self.origins: dict[Follows, Followed] = {}
        self.states: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        self._titled: dict[str, dict[str, None]] = {}
        """Ids by their titles, as names are compared."""
        self.catch_up()
        self._by_documents()

    def _by_documents(self) -> None:
        """What the history does not tell of, where it is short, the documents do."""
        library = self._library
        reader = library.glance()
        missing = [
            ident
            for kind in SHELVES
            for ident in library.asset_ids(reader, kind)
            if ident not in self.states
        ]
        found = 0
        for ident in missing:
            try:
                asset = library.asset(reader, ident)
            except ClewError:
                continue  # `check` tells of it
            if asset is not None and ident not in self.states:
                found += 1
                numbers = [one.number for one in asset.versions]
                self._take(line_of(asset, "taken_over", asset.updated_at, numbers))
        if found and all(note.code != "shelf_short" for note in library.notes):
            library.notes.append(Fault("shelf_short", file=LOG, found=found))

    def catch_up(self) -> None:
        """Read the lines that were added since the last time."""
        vault = self._library.vault
        try:
            data = vault.files.read(vault.real(LOG), self._offset)
        except FileNotFoundError:
            return
        whole, torn = log.lines(data)
        self._offset += len(data) - len(torn)
        for raw in whole:
            try:
                line = DECODE_LINE.decode(raw)
            except (msgspec.DecodeError, UnicodeDecodeError):
                self._library.notes.append(Fault("shelf_line_broken", file=LOG))
                continue
            self._take(line)

    def _take(self, line: ShelfLine) -> None:
        asset = line.asset
        if line.what == "purged":
            self._forget(asset.id)
            return
        self.states[asset.id] = asset.state
        if self.titles.get(asset.id) != asset.title:
            self._untitle(asset.id)
            self.titles[asset.id] = asset.title
            self._titled.setdefault(key_of(asset.title), {})[asset.id] = None
        for version in asset.versions:
            self.contents.setdefault(version.content_hash, {})[asset.id] = None
            if version.source is not None:
                sha, file = version.source.sha256, version.source.file
                known = self.sources.get(sha)
                if known is None or (file and not known.file):
                    self.sources[sha] = Place(asset.id, version.number, file)
        for one in asset.origins:
            self.origins[Follows(one.program, one.root, one.path)] = Followed(
                asset.id, one.sha256, one.size, one.mtime_ns
            )

    def _untitle(self, ident: str) -> None:
        title = self.titles.pop(ident, None)
        if title is not None:
            self._titled.get(key_of(title), {}).pop(ident, None)

    def _forget(self, ident: str) -> None:
        self.states.pop(ident, None)
        self._untitle(ident)
        self.sources = {sha: p for sha, p in self.sources.items() if p.id != ident}
        self.origins = {key: f for key, f in self.origins.items() if f.id != ident}
        for ids in self.contents.values():
            ids.pop(ident, None)

    def same_title(self, title: str) -> list[str]:
        """The ids of everything with this title that is not in the trash."""
        ids = self._titled.get(key_of(title), {})
        return [ident for ident in ids if self.states.get(ident) != "trashed"]

    def same_content(self, content_hash: str, kind: str) -> str:
        """The id of an asset of that kind with this content, or an empty text."""
        letter = {"card": "c", "world": "w"}[kind]
        ids = self.contents.get(content_hash, {})
        return next((ident for ident in ids if ident.startswith(letter)), "")
