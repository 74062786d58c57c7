"""Where everything of a library lies, and what ids look like. Pure.

Layout: the book-storage seed, section 9, with the shelves of docs/library.md:

    library.json                     marks the folder; its id, its schema
    books/{id}/project.json          a book; its traces, messages, contents, snapshots beside it
    assets/shelf.jsonl               the history of the shelf: one line a change
    assets/cards/{id}.json           a card's asset: title, state, versions
    assets/cards/{id}/v{n}.json      one immutable version
    assets/cards/{id}/{sha}.png      the file that it came from, byte for byte
    assets/worlds/…                  the same for lorebooks
    sessions/{id}.json               a working copy
    index.sqlite                     derived

File names are ids, never titles: a title is data. Rules: book-storage seed sections 2-9.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.kernel.vault import Scope

SCHEMA: Final = 1
"""Of every document of a library."""
MARK: Final = "library.json"
LOG: Final = "assets/shelf.jsonl"
INDEX: Final = "index.sqlite"
BOOKS: Final = "books"
SESSIONS: Final = "sessions"
PRIVATE: Final = ".clew"
INCOMING: Final = f"{PRIVATE}/incoming"
"""Files that an import has copied and not yet put on the shelf."""
SHELVES: Final = {"card": "assets/cards", "world": "assets/worlds"}
SCOPE: Final = Scope("library", "", ".library.lock", PRIVATE)
"""The shelf, the list of books and everything else that is not one book's own."""
EXTENSIONS: Final = {
    "png": "png", "jpeg": "jpg", "webp": "webp", "json": "json", "yaml": "yaml", "charx": "charx",
}  # fmt: skip
"""By the container that a file was found to be, never by its name."""

_LETTERS: Final = {"card": "c", "world": "w", "book": "b", "session": "s"}
_DIGITS: Final = 20
_ID: Final = re.compile(r"[cwbs][0-9a-f]{20}\Z")
_VERSION: Final = re.compile(r"v([1-9][0-9]{0,6})\.json\Z")
_BLOB: Final = re.compile(r"[0-9a-f]{32}\.(?:png|jpg|webp|json|yaml|charx|bin)\Z")


def id_of(kind: str, digest: str) -> str:
    """The id of something whose content decides it (the SHA-256 of a source file, in hex): the same
    bytes are the same asset, whoever imports them and how often."""
    return _LETTERS[kind] + digest[:_DIGITS]


def is_id(text: str, kind: str = "") -> bool:
    """Whether a text has the shape of an id (of that kind)."""
    return _ID.match(text) is not None and (not kind or text[0] == _LETTERS[kind])


def kind_of(ident: str) -> str:
    """What an id names."""
    return next(kind for kind, letter in _LETTERS.items() if letter == ident[0])


def asset_file(ident: str) -> str:
    """The document of an asset."""
    return f"{SHELVES[kind_of(ident)]}/{ident}.json"


def asset_folder(ident: str) -> str:
    """Where its versions and source files lie."""
    return f"{SHELVES[kind_of(ident)]}/{ident}"


def version_file(ident: str, number: int) -> str:
    """One immutable version."""
    return f"{asset_folder(ident)}/v{number}.json"


def version_number(name: str) -> int | None:
    """The number in the name of a version's file, or None for another name."""
    found = _VERSION.match(name)
    return int(found[1]) if found else None


def blob_name(digest: str, container: str) -> str:
    """The name of a source file or picture: its content decides it, its old name never."""
    return f"{digest[:32]}.{EXTENSIONS.get(container, 'bin')}"


def is_blob(name: str) -> bool:
    """Whether a name in an asset's folder is one that `blob_name` gives."""
    return _BLOB.match(name) is not None


class Reference(NamedTuple):
    """An asset as it is named by people: `沈砚`, `c3f2a…`, `沈砚@2`."""

    name: str
    version: int | None


def reference(text: str) -> Reference:
    """Read a name with an optional version behind the last `@`."""
    name, at, number = text.rpartition("@")
    if at and name and number.removeprefix("v").isascii() and number.removeprefix("v").isdigit():
        return Reference(name, int(number.removeprefix("v")[:7]))
    return Reference(text, None)


def book_folder(ident: str) -> str:
    """A book's own folder."""
    return f"{BOOKS}/{ident}"


def book_file(ident: str) -> str:
    """The document of a book."""
    return f"{BOOKS}/{ident}/project.json"


def book_scope(ident: str) -> Scope:
    """What a change of one book locks, so that two books never wait for each other."""
    folder = book_folder(ident)
    return Scope("book", folder, f"{folder}/.book.lock", f"{folder}/{PRIVATE}")


def session_file(ident: str) -> str:
    """A working copy."""
    return f"{SESSIONS}/{ident}.json"
