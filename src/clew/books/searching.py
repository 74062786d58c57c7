"""Searching everything that cards and lorebooks say, with the stretch of text that shows why; the
user's labels and the names of files are searched, too.

A hit is found by the derived index and quoted from the version's file, only when the bytes of that file
are those that were kept. Rules: docs/library.md, decision 0023.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from clew.books.cardindex import Row, beside, body, spoken
from clew.books.layout import version_file
from clew.books.library import Library
from clew.books.listing import Catalog, catalog
from clew.books.versions import GONE, OTHER
from clew.kernel.faults import Fault

_SHOWN: Final = 10
"""Damaged cards that one search tells of."""
_WIDTH: Final = 80
_AROUND: Final = 300
_DECODE: Final = msgspec.json.Decoder(Row)


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """An asset that was found, and the stretch of its text that shows why."""

    asset: Row
    excerpt: str
    spans: list[tuple[int, int]]
    """Start and end of each match in the excerpt."""
    damaged: bool = False
    """Whether the file of the version is not what was kept: then the excerpt is from the title."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found, newest first."""

    status: str = "ok"
    query: str
    hits: list[Hit]
    next: str = ""
    """Where the next page begins; empty on the last one."""


def search(
    library: Library,
    text: str,
    *,
    kind: str = "",
    states: tuple[str, ...] = ("active", "archived"),
    limit: int = 20,
    before: str | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Found:
    """Cards and worlds whose texts hold every word of `text`; one Chinese character will do.

    Raises `Refused` (`query_too_long`, `bad_cursor`).
    """
    from clew.kernel.index_text import query_of

    query = query_of(text)
    shelf = catalog(library)
    shelf.refresh_texts(progress)
    _reread(library, shelf)
    where: dict[str, Any] = {"state": states} | ({"kind": kind} if kind else {})
    hits = shelf.index.search("asset", text, where=where, limit=limit + 1, before=before)
    more = len(hits) > limit
    hits = hits[:limit]
    marks = ", ".join("?" * len(hits))
    found = shelf.index.query(
        f"SELECT a.key, a.shown, a.sha256 FROM asset AS a WHERE a.row IN ({marks})",
        [hit.row for hit in hits],
    )
    rows = {key: (_DECODE.decode(shown), sha) for key, shown, sha in found}
    shown = [_hit(library, *rows[hit.key], text, query) for hit in hits if hit.key in rows]
    return Found(query=text, hits=shown, next=hits[-1].cursor if more and hits else "")


def _hit(library: Library, row: Row, sha256: str, typed: str, query: Any) -> Hit:
    """A hit with its excerpt, cut from the version's file: it was found by the text that was kept,
    and is shown by no other."""
    from clew.kernel.index_excerpt import excerpt

    path = version_file(row.id, row.version)
    data = spoken(library, path, sha256)
    if data is None:
        _tell_damage(library, path, row.title)
    cut = excerpt(_around(body(data or {}), typed), query, _WIDTH)
    for said in (row.title, beside(row)):
        if not cut.spans:
            cut = excerpt(said, query, _WIDTH)
    if not cut.spans:  # each word stands somewhere else
        cut = excerpt(row.title, query, _WIDTH)
    shift = int(cut.before)
    return Hit(
        asset=row, excerpt=f"{'…' * cut.before}{cut.text}{'…' * cut.after}",
        spans=[(a + shift, b + shift) for a, b in cut.spans], damaged=data is None,
    )  # fmt: skip


def _tell_damage(library: Library, path: str, title: str) -> None:
    gone = library.vault.files.stat(library.vault.real(path)) is None
    note = Fault("hit_damaged", file=path, name=title, reason=GONE if gone else OTHER)
    if all(known.facts.get("file") != path for known in library.notes):
        library.notes.append(note)


def _reread(library: Library, shelf: Catalog) -> None:
    """Tell of what could not be read when it was indexed, and so is found by its title alone. Where
    such a file is again what was kept, the index is made anew."""
    asked = "SELECT key, title, shown, sha256 FROM asset WHERE unread ORDER BY key LIMIT ?"
    for key, title, shown, sha256 in shelf.index.query(asked, (_SHOWN,)):
        path = version_file(key, _DECODE.decode(shown).version)
        if spoken(library, path, sha256) is not None:
            shelf.renew()
            shelf.refresh_texts()
            return
        _tell_damage(library, path, title)


def _around(text: str, typed: str) -> str:
    """The part of a long text in which a word of the query stands as it was typed, where it does:
    to cut an excerpt from a whole card takes longer than to find it."""
    low = text.lower()
    if len(low) == len(text):
        for word in typed.lower().split():
            at = low.find(word)
            if at >= 0:
                return text[max(0, at - _AROUND) : at + _AROUND]
    return text
