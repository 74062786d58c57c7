"""The derived index of a library: what lists, filters and searches, and what finds a card by name.

Made from the shelf's history and the books' documents; deleting it loses nothing. One line of the
history gives one row, its text comes from the immutable version that the line names, so that a
refresh looks at one file however many cards there are. Rules: docs/library.md, decision 0023.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from clew.books.bookrecords import DECODE_BOOK
from clew.books.bookshelf import uses_in
from clew.books.layout import LOG, SHELVES, book_file, is_id, version_file
from clew.books.library import Library, decoded
from clew.books.records import DECODE_LINE, ShelfLine
from clew.kernel.document import digest
from clew.kernel.index_schema import Change, Column, Drop, Entry, Put, Schema, Table
from clew.kernel.index_text import folded
from clew.kernel.text import nfc

_KINDS: Final = {shelf: kind for kind, shelf in SHELVES.items()}
SEPARATOR: Final = "\x1f"
"""Stands before, between and behind the words of a list in one column."""
SCHEMA: Final = Schema(
    "library",
    3,
    (
        Table(
            "asset",
            columns=(
                Column("kind"), Column("state"), Column("title"), Column("title_key"),
                Column("title_plain"),
                Column("spec"), Column("creator_key"), Column("tag_keys"),
                Column("favourite", "integer"), Column("updated"), Column("shown"),
                Column("sha256"), Column("unread", "integer"),
            ),
            indexes=(("kind", "ordinal", "seq"), ("title_key",), ("unread",)),
            text=("title", "body", "beside"),
            facets=("kind",),
        ),
        Table(
            "uses",
            columns=(Column("asset"), Column("role"), Column("version"), Column("title")),
            indexes=(("asset",),),
        ),
        # How many documents lie on each shelf, by its kind: what the history tells is held against it.
        Table("shelves", columns=(Column("documents", "integer"),)),
    ),
)  # fmt: skip
_TEXTS: Final = (
    "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes",
    "system_prompt", "post_history_instructions", "nickname", "creator",
)  # fmt: skip
_LISTS: Final = ("alternate_greetings", "group_only_greetings", "tags", "source")
_SAID: Final = frozenset([*_TEXTS, *_LISTS, "character_book", "entries", "assets"])
_OF_ENTRY: Final = ("name", "comment", "content")
_IN_ENTRY: Final = frozenset([*_OF_ENTRY, "keys", "secondary_keys"])
_BESIDE: Final = "\0beside"
"""Where `parsed` keeps what stands beside the data of a card."""
_CODED: Final = 500
"""A longer text without a space in Latin letters is a file in base64, or as good as one."""
_WORDS: Final = 200
"""Tags of one card that are listed; all of them are searched."""


class Row(msgspec.Struct, frozen=True, gc=False):
    """An asset in a list, as the index has it ready in one column. It holds
    nothing that could hold it again, so that the garbage collector need not look at thousands."""

    id: str
    kind: str
    title: str
    name: str
    creator: str
    tags: list[str]
    labels: list[str]
    favourite: bool
    state: str
    spec: str
    container: str
    version: int
    versions: int
    added: str
    updated: str
    source: str = ""
    """What the file was called that the current version came from."""


def key_of(text: str) -> str:
    """How names, tags and creators are compared: NFC, without case, one space between words; what no
    file can hold becomes a question mark."""
    return " ".join(nfc(_held(text)).split()).casefold()


def plain_key(text: str) -> str:
    """How a part of a title is compared: as searches compare, without accents and punctuation too."""
    return " ".join(folded(_held(text)).split())


def beside(row: Row) -> str:
    """What is searched of an asset that no version says: the user's own labels, the file's name."""
    return " · ".join(filter(None, (*row.labels, row.source)))


def _held(text: str) -> str:
    """A text as any file can hold it: a lone surrogate becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def spoken(library: Library, path: str, sha256: str) -> dict[str, Any] | None:
    """The `data` of the card or lorebook in a version's file; None where it cannot be read, or holds
    other bytes than those that were kept: no word of such a file is ever shown or searched."""
    vault = library.vault
    try:
        data = vault.files.read(vault.real(path))
    except OSError:
        return None
    return parsed(data) if digest(data) == sha256 else None


def parsed(data: bytes) -> dict[str, Any]:
    """The `data` of a version's card or lorebook, read as fast as can be; empty when broken."""
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            value = json.loads(data)  # a lone surrogate is lawful here
        except (ValueError, RecursionError):
            return {}
    inner = value.get("card") or value.get("lorebook") if isinstance(value, dict) else None
    found = inner.get("data") if isinstance(inner, dict) else None
    if not isinstance(found, dict):
        return {}
    root = inner.get("root") if isinstance(inner, dict) else None
    beside = {k: v for k, v in root.items() if k not in found} if isinstance(root, dict) else {}
    return found | {_BESIDE: beside} if beside else found


def body(data: Mapping[str, Any]) -> str:
    """Everything that a card or lorebook says: first what people read, then every other text in it,
    whatever program wrote it."""
    parts = _strings([data.get(name) for name in _TEXTS])
    for name in _LISTS:
        parts += _strings(data.get(name))
    book = data.get("character_book")
    if isinstance(book, dict):
        parts += _lore(book)
        parts += _rest(value for name, value in book.items() if name != "entries")
    parts += _lore(data)
    parts += _rest(value for name, value in data.items() if name not in _SAID)
    return "\n".join(part for part in parts if part)


def _lore(book: Mapping[str, Any]) -> Iterator[str]:
    entries = book.get("entries")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            for name in _OF_ENTRY:
                if isinstance(value := entry.get(name), str):
                    yield value
            yield from _strings(entry.get("keys"))
            yield from _strings(entry.get("secondary_keys"))
            yield from _rest(value for name, value in entry.items() if name not in _IN_ENTRY)


def _rest(values: Iterable[Any]) -> Iterator[str]:
    """Every text in these values, however deep. Files that are written as texts are none."""
    waiting = [iter(values)]
    while waiting:
        for value in waiting[-1]:
            if isinstance(value, str):
                if not (len(value) > _CODED and " " not in value and value.isascii()):
                    yield value
            elif isinstance(value, dict):
                waiting.append(iter(value.values()))
                break
            elif isinstance(value, list):
                waiting.append(iter(value))
                break
        else:
            waiting.pop()


def _strings(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


class LibrarySource:
    """The files of a library as an index reads them."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def entries(self) -> Iterator[Entry]:
        books = (book_file(ident) for ident in self._library.book_ids())
        paths = [*SHELVES.values(), LOG, *books]
        for path in paths:
            found = self.entry(path)
            if found is not None:
                yield found

    def entry(self, path: str) -> Entry | None:
        files = self._library.vault.files
        stat = files.stat(self._library.vault.real(path))
        if stat is None or stat.kind != ("dir" if path in _KINDS else "file"):
            return None
        return Entry(path, "log" if path == LOG else "document", stat, files.at_rest(stat))

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes | None:
        vault = self._library.vault
        try:
            if path in _KINDS:
                kind, names = _KINDS[path], vault.files.names(vault.real(path))
                there = sum(name[-5:] == ".json" and is_id(name[:-5], kind) for name in names)
                return str(there).encode()
            return vault.files.read(vault.real(path), offset, limit)
        except FileNotFoundError:
            return None

    def rows(self, path: str, data: bytes) -> Iterable[Change]:
        if path in _KINDS:
            return [Put("shelves", _KINDS[path], values={"documents": int(data)})]
        if path != LOG:
            return self._of_book(path, data)
        line = decoded(DECODE_LINE, data, path)
        if line.what == "purged":
            return [Drop("asset", line.asset.id)]
        return [self._of_asset(line)]

    def _of_book(self, path: str, data: bytes) -> list[Change]:
        book = decoded(DECODE_BOOK, data, path)
        return [
            Put("uses", f"{number}", values={
                "asset": asset, "role": use.role, "version": use.version, "title": use.title,
            })
            for number, (asset, use) in enumerate(uses_in(book))
        ]  # fmt: skip

    def _of_asset(self, line: ShelfLine) -> Put:
        asset = line.asset
        current = asset.version()
        source = current.source if current is not None else None
        sha = current.file_sha256 if current is not None else ""
        found = spoken(self._library, version_file(asset.id, asset.current), sha)
        data = found or {}
        tags = _strings(data.get("tags"))
        creator = data.get("creator")
        creator = creator if isinstance(creator, str) else ""
        name = data.get("name")
        row = Row(
            id=asset.id, kind=asset.kind, title=_held(asset.title),
            name=_held(name) if isinstance(name, str) else "", creator=_held(creator),
            tags=[_held(tag) for tag in tags[:_WORDS]], labels=list(map(_held, asset.labels)),
            favourite=asset.favourite, state=asset.state,
            spec=current.spec if current is not None else "",
            container=source.kind if source is not None else "", version=asset.current,
            versions=line.count, added=asset.created_at, updated=asset.updated_at,
            source=_held(source.name) if source is not None else "",
        )  # fmt: skip
        return Put(
            "asset",
            asset.id,
            ordinal=_moment(asset.created_at),
            values={
                "kind": row.kind, "state": row.state, "title": row.title,
                "title_key": key_of(row.title), "title_plain": plain_key(row.title),
                "spec": row.spec, "creator_key": key_of(creator),
                "tag_keys": _list([key_of(tag) for tag in (*tags, *asset.labels)]),
                "favourite": int(row.favourite), "updated": row.updated,
                "shown": msgspec.json.encode(row).decode("utf-8"),
                "sha256": sha, "unread": int(found is None),
            },
            text={"title": asset.title, "body": body(data), "beside": beside(row)},
        )  # fmt: skip


def _list(words: list[str]) -> str:
    kept = [word.replace(SEPARATOR, " ") for word in words[:_WORDS]]
    return f"{SEPARATOR}{SEPARATOR.join(kept)}{SEPARATOR}" if kept else ""


def _moment(at: str) -> int:
    """Milliseconds since 1970, of a moment as documents write it; 0 for anything else."""
    from datetime import datetime

    try:
        return int(datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return 0
