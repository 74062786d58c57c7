"""Listing and naming what is on the shelf, by the derived index. (Searching: `clew.books.searching`.)

Names come from people: an id, the beginning of one, or a title, each with an optional version
(`沈砚@2`). A title that several cards have is refused with their ids; no card is ever guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from clew.books import standin
from clew.books.cardindex import SCHEMA, SEPARATOR, LibrarySource, Row, key_of, plain_key
from clew.books.layout import LOG, is_id, kind_of, reference
from clew.books.library import Library
from clew.books.records import Asset
from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Both, Fault
from clew.kernel.index import Index
from clew.kernel.text import nfc
from clew.kernel.vault import Reader

LIMIT: Final = 100
STEP_ROWS: Final = 500
"""Texts that are indexed in one transaction."""
_PREFIX: Final = re.compile(r"[cw][0-9a-f]{3,19}\Z")
_SHOWN: Final = 10
_SHORT: Final = 8
"""Characters of an id that lists show."""
_NEAR: Final = 5
_USED: Final = "SELECT asset FROM uses WHERE role <> 'design'"
STATES: Final = ("active", "archived", "trashed")
SORTS: Final = {
    "added": "ordinal DESC, seq DESC", "updated": "updated DESC, seq DESC",
    "title": "title_key, key",
}  # fmt: skip


class Catalog:
    """The index of an open library. One for each library, for one thread."""

    def __init__(self, library: Library) -> None:
        self.index = Index(
            library.index_path, SCHEMA, LibrarySource(library),
            files=library.vault.files, clock=library.clock, timeout=library.lock_timeout,
        )  # fmt: skip
        self._of_history = self.index
        self._told = 0
        self._library = library

    def refresh(self) -> int:
        """Bring the rows up to date. Texts are left to `refresh_texts`; returns how many wait.

        Where the shelf's history tells less than the documents, that is noted, and `index` is one
        that is made from the documents, until `renew`.
        """
        self._library.glance()  # completes what a kill interrupted, before its log is read
        if self.index is self._of_history:
            if standin.suspected(self._library, self.index):
                # What the index has read before stays in it, so that the next command sees it, too.
                return self._by_documents() or self._refreshed()
            waiting = self._refreshed()
            return (standin.outnumbered(self.index) and self._by_documents()) or waiting
        return self._refreshed()

    def _refreshed(self) -> int:
        done = self.index.refresh(text=False)
        self._tell(done.problems)
        return done.waiting

    def _by_documents(self) -> int:
        """Go by the documents from here on, if the history is short of them."""
        library = self._library
        short = standin.short_of(library)
        if not short:
            return 0
        if all(note.code != "shelf_short" for note in library.notes):
            library.notes.append(Fault("shelf_short", file=LOG, found=short))
        self.index = Index(
            None, SCHEMA, standin.DocumentSource(library),
            files=library.vault.files, clock=library.clock, timeout=library.lock_timeout,
        )  # fmt: skip
        self._told = 0
        return self._refreshed()

    def renew(self) -> None:
        """Throw the index away, so that the next refresh makes it from the history again."""
        self.index = self._of_history
        self._told = len(self.index.notes)
        self.index.discard()

    def refresh_texts(self, progress: Callable[[int, int], None] = lambda done, of: None) -> None:
        """Index every text that waits, newest first."""
        left = whole = self.refresh()
        while left:
            progress(whole - left, whole)
            last, left = left, self.index.refresh_text(STEP_ROWS)
            if left >= last:
                break

    def _tell(self, problems: Sequence[Any]) -> None:
        notes = self.index.notes
        self._library.notes += [*notes[self._told :], *(p.fault for p in problems)]
        self._told = len(notes)


def catalog(library: Library) -> Catalog:
    """The catalog of a library, opened when it is asked for first."""
    found = library.attached.get("catalog")
    if not isinstance(found, Catalog):
        found = library.attached["catalog"] = Catalog(library)
    return found


# ---- lists ------------------------------------------------------------------------------------


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the shelf."""

    status: str = "ok"
    total: int
    """How many there are that fit, on all pages."""
    offset: int
    rows: list[Row]


class Wanted(NamedTuple):
    """Which assets a list is to show. Words are compared without case."""

    kind: str = "card"
    states: tuple[str, ...] = ("active",)
    tags: tuple[str, ...] = ()
    """All of them; labels count too."""
    creator: str = ""
    spec: str = ""
    favourite: bool = False
    used_in: str = ""
    """The id of a book, or `*` for any. The book in which a card was designed counts when it is
    named; by itself it is no use of the card."""
    unused: bool = False
    title: str = ""
    """Part of the title."""


_DECODE: Final = msgspec.json.Decoder(Row)


def list_assets(
    library: Library, wanted: Wanted = Wanted(), *, limit: int = LIMIT, offset: int = 0,  # noqa: B008
    sort: str = "added",
) -> Listing:  # fmt: skip
    """The assets that fit, a page of them. Raises `Refused` (`not_allowed`) for an unknown sort."""
    if sort not in SORTS:
        raise Refused(Fault("not_allowed", "sort", found=sort, allowed=tuple(SORTS)))
    found = catalog(library)
    found.refresh()
    where, values = _conditions(wanted)
    total = found.index.query(f"SELECT count(*) FROM asset AS a WHERE {where}", values)[0][0]
    order = ", ".join(f"a.{part}" for part in SORTS[sort].split(", "))
    rows = found.index.query(
        f"SELECT a.shown FROM asset AS a WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
        (*values, max(0, limit), max(0, offset)),
    )
    return Listing(total=total, offset=offset, rows=_rows(rows))


def _conditions(wanted: Wanted) -> tuple[str, tuple[Any, ...]]:
    where, values = ["a.kind = ?"], [wanted.kind]
    where.append(f"a.state IN ({', '.join('?' * len(wanted.states))})")
    values += wanted.states
    for tag in wanted.tags:
        where.append("instr(a.tag_keys, ?)")
        values.append(f"{SEPARATOR}{key_of(tag)}{SEPARATOR}")
    if wanted.creator:
        where.append("a.creator_key = ?")
        values.append(key_of(wanted.creator))
    if wanted.spec:
        where.append("a.spec = ?")
        values.append(key_of(wanted.spec))
    if wanted.favourite:
        where.append("a.favourite")
    if wanted.title:
        where.append("(instr(a.title_key, ?) OR (? <> '' AND instr(a.title_plain, ?)))")
        values += [key_of(wanted.title), *[plain_key(wanted.title)] * 2]
    if wanted.used_in == "*":
        where.append(f"a.key IN ({_USED})")
    elif wanted.used_in:
        where.append(
            "a.key IN (SELECT u.asset FROM uses AS u JOIN clew_source AS s ON s.id = u.source "
            "WHERE s.path = ?)"
        )
        values.append(f"books/{wanted.used_in}/project.json")
    if wanted.unused:
        where.append(f"a.key NOT IN ({_USED})")
    return " AND ".join(where), tuple(values)


def _rows(found: list[tuple[str]]) -> list[Row]:
    return [_DECODE.decode(shown) for (shown,) in found]


# ---- names ------------------------------------------------------------------------------------


class Named(NamedTuple):
    """An asset as somebody named it."""

    asset: Asset
    version: int | None


def named(library: Library, name: str, kind: str = "") -> Named:
    """The asset of a name. Raises `Missing` (`no_such_asset`), `Refused` (`several_assets`).

    An id outranks a title. A text that is one card's title and another's with a version (`沈砚@2`)
    names both, and so none. What is in the trash is found by its id, or by its title when nothing
    else has it.
    """
    text = name.strip()
    found = [Meant(ident, None) for ident in _ident(library, text, kind)]
    title, version = reference(text)
    if version is not None and not is_id(text):
        others = [Meant(ident, version) for ident in _ident(library, title, kind)]
        if found:  # a version that is not there is not meant
            others = [one for one in others if _has(library, one)]
        alive = [one for one in (*found, *others) if not _trashed(library, one)]
        found = (alive or [*found, *others]) if found else others
    if not found:
        raise Missing(_unknown(library, name, kind))
    if len(found) > 1:
        raise Refused(_several(library, name, found))
    asset = library.look(lambda reader: library.asset(reader, found[0].id))
    if asset is None:
        raise Missing(_unknown(library, name, kind))
    return Named(asset, found[0].version)


class Meant(NamedTuple):
    """What a name can mean: an asset by its id, and the version that was named with it."""

    id: str
    version: int | None


def _has(library: Library, one: Meant) -> bool:
    asset = library.look(lambda reader: library.asset(reader, one.id))
    return asset is not None and asset.version(one.version) is not None


def _trashed(library: Library, one: Meant) -> bool:
    asked = "SELECT 1 FROM asset WHERE key = ? AND state = 'trashed'"
    return bool(catalog(library).index.query(asked, (one.id,)))


def titled(library: Library, title: str) -> list[str]:
    """The ids of everything with a title, as names are compared, that is not in the trash."""
    shelf = catalog(library)
    shelf.refresh()
    found = shelf.index.query(
        "SELECT key FROM asset WHERE title_key = ? AND state <> 'trashed' ORDER BY ordinal, seq",
        (key_of(title),),
    )
    return [ident for (ident,) in found]


def named_all(library: Library, names: Sequence[str]) -> tuple[list[Asset], list[Fault]]:
    """The assets of several names, each once, and everything that is wrong with any name. One with
    a version is wrong: what is done to several is done to whole cards."""
    found: dict[str, Asset] = {}
    faults: list[Fault] = []
    for name in names:
        try:
            asset, version = named(library, name)
        except (Missing, Refused) as wrong:
            faults += wrong.faults
            continue
        if version is not None:
            faults.append(Fault("version_not_apart", found=name))
        found[asset.id] = asset
    return list(found.values()), faults


def _ident(library: Library, text: str, kind: str) -> list[str]:
    """Ids of the assets that a name can mean."""
    if is_id(text) and (not kind or is_id(text, kind)):
        return [text] if kind_of(text) in ("card", "world") else []
    shelf = catalog(library)
    shelf.refresh()
    of_kind, values = ("kind = ? AND ", (kind,)) if kind else ("", ())
    ask = shelf.index.query
    found = ask(
        f"SELECT key, title, state FROM asset WHERE {of_kind}title_key = ? ORDER BY ordinal, seq",
        (*values, key_of(text)),
    )
    exact = [row for row in found if row[1] == nfc(text)]
    alive = [row for row in exact or found if row[2] != "trashed"]
    found = alive or exact or found
    if not found and _PREFIX.match(text):
        found = ask(
            f"SELECT key, title, state FROM asset WHERE {of_kind}substr(key, 1, ?) = ?",
            (*values, len(text), text),
        )
    return [ident for ident, _, _ in found]


def _several(library: Library, name: str, meant: list[Meant]) -> Fault:
    """What tells assets of one name apart: the beginning of the id as it is typed, format, file, day,
    state."""
    size, idents = _SHORT, {one.id for one in meant}
    while len({ident[:size] for ident in idents}) < len(idents):
        size += 1

    def told(reader: Reader) -> list[str]:
        found = ((library.asset(reader, one.id), one) for one in meant[:_SHOWN])
        return [_apart(asset, _typed(one, size)) for asset, one in found if asset is not None]

    rest = len(meant) - _SHOWN
    more = Both(f"，还有 {rest} 个", f", and {rest} more") if rest > 0 else ""
    return Fault(
        "several_assets", found=name, allowed=library.look(told), near=_typed(meant[0], size),
        more=more,
    )  # fmt: skip


def _typed(one: Meant, size: int) -> str:
    """What names it and nothing else."""
    return one.id[:size] + (f"@{one.version}" if one.version is not None else "")


def _apart(asset: Asset, typed: str) -> str:
    version = asset.version()
    source = version.source if version is not None else None
    parts = [
        version.spec if version is not None else "", source.kind if source is not None else "",
        source.name if source is not None else "", asset.created_at[:10],
        "" if asset.state == "active" else asset.state,
    ]  # fmt: skip
    return f"{typed} ({', '.join(filter(None, parts))})"


def _unknown(library: Library, name: str, kind: str) -> Fault:
    """Why nothing has this name: with names that come near, or because there is nothing at all."""
    shelf = catalog(library)
    shelf.refresh()
    if not shelf.index.query("SELECT 1 FROM asset WHERE state <> 'trashed' LIMIT 1"):
        return Fault("shelf_empty", found=name)
    near = _near(library, name, kind)
    shown = ", ".join(near)
    said = Both(f"（相近的：{shown}）", f" (near: {shown})") if near else ""
    return Fault("no_such_asset", found=name, allowed=near, more=said)


def _near(library: Library, text: str, kind: str) -> tuple[str, ...]:
    """Titles that hold what was typed, or are held by it."""
    key = key_of(text)
    of_kind, values = ("kind = ? AND ", (kind,)) if kind else ("", ())
    found = catalog(library).index.query(
        f"SELECT title FROM asset WHERE {of_kind}state <> 'trashed' AND title_key <> '' AND "
        "(instr(title_key, ?) OR instr(?, title_key)) ORDER BY length(title) LIMIT ?",
        (*values, key, key, _NEAR),
    )
    return tuple(title for (title,) in found)
