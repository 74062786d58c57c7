"""What an import would do, without doing it: which files are on the shelf already, which are new."""

from __future__ import annotations

from clew.books.known import Known
from clew.books.lore import Lorebook
from clew.books.model import Card


class Trial:
    """The files of one trial, so that two of one content in it are one."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._sources: set[str] = set()
        self._worlds: dict[str, str] = {}

    def known_as(self, sha256: str, found: Card | Lorebook | None) -> str:
        """The id of what is there already, `-` where it comes earlier in the same trial, or an empty
        text: it would be taken."""
        if sha256 in self._sources:
            return "-"
        self._sources.add(sha256)
        if not isinstance(found, Lorebook):
            return ""
        twin = self._known.same_content(found.content_hash, "world")
        twin = twin or self._worlds.get(found.content_hash, "")
        self._worlds[found.content_hash] = "-"
        return twin
