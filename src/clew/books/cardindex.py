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
from clew.books.layout import LOG, book_file, version_file
from clew.books.library import Library, decoded
from clew.books.records import DECODE_LINE, ShelfLine
from clew.kernel.document import digest
from clew.kernel.index_schema import Change, Column, Drop, Entry, Put, Schema, Table
from clew.kernel.text import nfc

SEPARATOR: Final = "\x1f"
"""Stands before, between and behind the words of a list in one column."""
SCHEMA: Final = Schema(
    "library",
    2,
    (
        Table(
            "asset",
            columns=(
                Column("kind"), Column("state"), Column("title"), Column("title_key"),
                Column("spec"), Column("creator_key"), Column("tag_keys"),
                Column("favourite", "integer"), Column("updated"), Column("shown"),
                Column("sha256"), Column("unread", "integer"),
            ),
            indexes=(("kind", "ordinal", "seq"), ("title_key",), ("unread",)),
            text=("title", "body"),
            facets=("kind",),
        ),
        Table(
            "uses",
            columns=(Column("asset"), Column("role"), Column("version"), Column("title")),
            indexes=(("asset",),),
        ),
    ),
)  # fmt: skip
_TEXTS: Final = (
    "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes",
    "system_prompt", "post_history_instructions", "nickname", "creator",
)  # fmt: skip
_LISTS: Final = ("alternate_greetings", "group_only_greetings", "tags", "source")
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


def key_of(text: str) -> str:
    """How names, tags and creators are compared: NFC, without case, one space between words; what no
    file can hold becomes a question mark."""
    return " ".join(nfc(_held(text)).split()).casefold()


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
    return found if isinstance(found, dict) else {}


def body(data: Mapping[str, Any]) -> str:
    """Everything of a card or lorebook that is searched."""
    parts = _strings([data.get(name) for name in _TEXTS])
    for name in _LISTS:
        parts += _strings(data.get(name))
    notes = data.get("creator_notes_multilingual")
    if isinstance(notes, dict):
        parts += _strings(list(notes.values()))
    extensions = data.get("extensions")
    prompt = extensions.get("depth_prompt") if isinstance(extensions, dict) else None
    if isinstance(prompt, dict) and isinstance(prompt.get("prompt"), str):
        parts.append(prompt["prompt"])
    book = data.get("character_book")
    parts += _lore(book) if isinstance(book, dict) else _lore(data)
    return "\n".join(part for part in parts if part)


def _lore(book: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(name := book.get("name"), str):
        yield name
    entries = book.get("entries")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            for name in ("name", "comment", "content"):
                if isinstance(value := entry.get(name), str):
                    yield value
            yield from _strings(entry.get("keys"))
            yield from _strings(entry.get("secondary_keys"))


def _strings(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


class LibrarySource:
    """The files of a library as an index reads them."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def entries(self) -> Iterator[Entry]:
        paths = [LOG, *(book_file(ident) for ident in self._library.book_ids())]
        for path in paths:
            found = self.entry(path)
            if found is not None:
                yield found

    def entry(self, path: str) -> Entry | None:
        files = self._library.vault.files
        stat = files.stat(self._library.vault.real(path))
        if stat is None or stat.kind != "file":
            return None
        return Entry(path, "log" if path == LOG else "document", stat, files.at_rest(stat))

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes | None:
        vault = self._library.vault
        try:
            return vault.files.read(vault.real(path), offset, limit)
        except FileNotFoundError:
            return None

    def rows(self, path: str, data: bytes) -> Iterable[Change]:
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
        )  # fmt: skip
        return Put(
            "asset",
            asset.id,
            ordinal=_moment(asset.created_at),
            values={
                "kind": row.kind, "state": row.state, "title": row.title,
                "title_key": key_of(row.title), "spec": row.spec, "creator_key": key_of(creator),
                "tag_keys": _list([key_of(tag) for tag in (*tags, *asset.labels)]),
                "favourite": int(row.favourite), "updated": row.updated,
                "shown": msgspec.json.encode(row).decode("utf-8"),
                "sha256": sha, "unread": int(found is None),
            },
            text={"title": asset.title, "body": body(data)},
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
