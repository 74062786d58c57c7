"""A small room for the tests of the index: chats (logs) and cards (documents)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from clew.kernel.errors import Refused
from clew.kernel.faults import Fault
from clew.kernel.folder import FolderVault
from clew.kernel.index import Index
from clew.kernel.index_schema import (
    Amend,
    Change,
    Column,
    Drop,
    Entry,
    Put,
    Schema,
    Table,
)
from clew.kernel.index_source import FolderSource

MESSAGES = Table(
    "messages",
    columns=(Column("book"), Column("role"), Column("hidden", "integer")),
    indexes=(("book", "ordinal"),),
    text=("body",),
    facets=("book",),
)
CARDS = Table("cards", columns=(Column("stars", "integer"),), text=("title", "about"))
TAGS = Table("tags", columns=(Column("tag"),), indexes=(("tag",),))
SCHEMA = Schema("room", 1, (MESSAGES, CARDS, TAGS))


def kind_of(path: str) -> Any:
    if path.endswith(".jsonl"):
        return "log"
    return "document" if path.endswith(".json") else None


def rows_of(path: str, data: bytes) -> Iterable[Change]:
    """A line of a chat, or a file of cards."""
    try:
        said = json.loads(data)
    except ValueError:
        raise Refused(Fault("bad_json", file=path, line=1, column=1, found="", reason="")) from None
    if kind_of(path) == "log":
        return [_of_line(path, said)]
    return [change for number, card in enumerate(said) for change in _of_card(number, card)]


def _of_line(path: str, said: dict[str, Any]) -> Change:
    key = said["id"]
    if said.get("drop"):
        return Drop("messages", key)
    if "hidden" in said:
        return Amend("messages", key, {"hidden": said["hidden"]})
    return Put(
        "messages",
        key,
        said.get("at", 0),
        {"book": path.split("/")[0], "role": said.get("role"), "hidden": 0},
        {"body": said["text"]},
    )


def _of_card(number: int, card: dict[str, Any]) -> Iterable[Change]:
    key = card.get("id", str(number))
    yield Put(
        "cards", key, card.get("at", 0), {"stars": card.get("stars")},
        {"title": card.get("title", ""), "about": card.get("about", "")},
    )  # fmt: skip
    for tag in card.get("tags", []):
        yield Put("tags", f"{key}#{tag}", 0, {"tag": tag})


class Memory:
    """A source without stats, in a dictionary."""

    def __init__(self, **files: bytes) -> None:
        self.files: dict[str, bytes] = dict(files)

    def entries(self) -> Iterable[Entry]:
        return [Entry(path, kind_of(path)) for path in sorted(self.files)]

    def entry(self, path: str) -> Entry | None:
        return Entry(path, kind_of(path)) if path in self.files else None

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes | None:
        data = self.files.get(path)
        if data is None:
            return None
        return data[offset:] if limit < 0 else data[offset : offset + limit]

    def rows(self, path: str, data: bytes) -> Iterable[Change]:
        return rows_of(path, data)


def folder_source(root: Path) -> FolderSource:
    """The chats and cards of a folder."""
    return FolderSource(
        FolderVault(root),
        paths=lambda: sorted(p.relative_to(root).as_posix() for p in root.glob("*/*.json*")),
        kind=kind_of,
        rows=rows_of,
    )


def room(root: Path, **more: Any) -> Index:
    """An index of the chats and cards of a folder, in its private place."""
    return Index(f"{root.as_posix()}/.clew/index.sqlite", SCHEMA, folder_source(root), **more)


def line(key: str, text: str, at: int = 0, **more: Any) -> bytes:
    """One message as a log has it."""
    said = {"id": key, "text": text, "at": at, **more}
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def say(root: Path, book: str, *lines: bytes) -> None:
    """Append to the chat of a book."""
    path = root / book / "messages.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(b"".join(lines))


class Content(NamedTuple):
    """All that an index holds, in a form that does not depend on how it came to be."""

    rows: dict[str, list[tuple[Any, ...]]]
    found: dict[str, list[tuple[str, str]]]


WORDS = ("江", "晨", "江晨", "晨光", "灯塔，江", "the", "lantern", "café", "龘", "一", "灯 the")


def content(index: Index) -> Content:
    """Every row, and what searches find in which order."""
    rows = {}
    for table in index.schema.tables:
        columns = "".join(f", m.{column.name}" for column in table.columns)
        rows[table.name] = sorted(
            index.query(
                f"SELECT s.path, m.key, m.ordinal, m.seq, m.mark{columns} FROM {table.name} AS m "
                "JOIN clew_source AS s ON s.id = m.source"
            ),
            key=repr,
        )
    found = {
        f"{table.name} {word}": [
            (hit.source, hit.key) for hit in index.search(table.name, word, limit=1000)
        ]
        for table in index.schema.tables
        if table.text
        for word in WORDS
    }
    return Content(rows, found)
