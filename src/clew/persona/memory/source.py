"""What the index of a persona's memory is made from, as the kernel's index reads it.

Every row has its text where it really is: in the archive's copy of a transcript, in the diary, on the
board, the baton, the stream. The live channel is left out: it repeats what the archive holds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clew.kernel.errors import storage_failed
from clew.kernel.index_schema import Change, Column, Entry, Put, Schema, Table
from clew.persona.archive import MANIFEST, Manifest
from clew.persona.channels.declared import OF
from clew.persona.model import ARCHIVE, DIARY
from clew.persona.transcripts import plain
from clew.persona.transcripts.lines import records
from clew.persona.transcripts.reading import pieces_of, whole

if TYPE_CHECKING:
    from clew.persona.home import Home

TABLE: Final = "entry"
SCHEMA: Final = Schema(
    "memory",
    1,
    (
        Table(
            TABLE,
            columns=(Column("kind"), Column("window"), Column("who"), Column("moment")),
            indexes=(("kind", "ordinal", "seq"),),
            text=("body",),
            facets=("kind", "window"),
        ),
    ),
)
KINDS: Final = ("transcript", "diary", "board", "baton", "stream")
_LOGS: Final = {OF[name].file: name for name in ("board", "baton", "stream")}
_WORDS: Final = {"board": ("text",), "baton": ("done", "next", "avoid"), "stream": ("text",)}


class Found(NamedTuple):
    """What one row says."""

    key: str
    kind: str
    window: str
    who: str
    moment: str
    body: str


class HomeSource:
    """The files of a home that are searched."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def _paths(self) -> Iterator[tuple[str, str]]:
        manifest = self.home.load(MANIFEST, Manifest) or Manifest()
        for copy in manifest.copies:
            if copy.file.count("/") == 2:  # not what lies in a session's own folder
                log = copy.file.endswith(".jsonl") and not copy.document
                yield copy.file, "log" if log else "document"
        for name in self.home.names(DIARY):
            if name.endswith(".md"):
                yield f"{DIARY}/{name}", "document"
        for path in _LOGS:
            yield path, "log"

    def entries(self) -> Iterator[Entry]:
        for path, kind in self._paths():
            found = self._entry(path, kind)
            if found is not None:
                yield found

    def entry(self, path: str) -> Entry | None:
        kind = "log" if path.endswith(".jsonl") else "document"
        inside = path in _LOGS or path.startswith((f"{ARCHIVE}/", f"{DIARY}/"))
        return self._entry(path, kind) if inside and path != MANIFEST else None

    def _entry(self, path: str, kind: Any) -> Entry | None:
        files = self.home.vault.files
        stat = files.stat(self.home.vault.real(path))
        if stat is None or stat.kind != "file":
            return None
        return Entry(path, kind, stat, files.at_rest(stat))

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes | None:
        try:
            return self.home.vault.files.read(self.home.vault.real(path), offset, limit)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise storage_failed(error, path) from error

    def rows(self, path: str, data: bytes) -> Iterable[Change]:
        return [
            Put(
                TABLE, one.key, ordinal=_order(one.moment),
                values={
                    "kind": one.kind, "window": one.window, "who": one.who, "moment": one.moment
                },
                text={"body": one.body},
            )
            for one in found_in(path, data)
        ]  # fmt: skip


def found_in(path: str, data: bytes) -> list[Found]:
    """What a document, or one line of a log, says. By its content alone."""
    if path in _LOGS:
        return _channel(_LOGS[path], data)
    if path.startswith(f"{DIARY}/"):
        return _diary(path, data)
    return _transcript(path, data)


def _channel(name: str, data: bytes) -> list[Found]:
    out = []
    for record in records(data).records:
        texts = [record.get(field) for field in _WORDS[name]]
        body = "\n".join(text for text in texts if isinstance(text, str) and text)
        number, moment = record.get("n"), record.get("at")
        if body and isinstance(number, int):
            window, by = record.get("window"), record.get("by")
            out.append(
                Found(
                    f"{number}", name, window if isinstance(window, str) else "",
                    by if isinstance(by, str) else "", moment if isinstance(moment, str) else "", body,
                )
            )  # fmt: skip
    return out


def _diary(path: str, data: bytes) -> list[Found]:
    """A day's page, by its sections: each begins at a heading."""
    date = path.rpartition("/")[2].removesuffix(".md")[:10]  # `2025-03-04-2`: a second page
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    sections: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("#") and any(part.strip() for part in sections[-1]):
            sections.append([])
        sections[-1].append(line)
    return [
        Found(f"{number}", "diary", "", "persona", date, body)
        for number, lines in enumerate(sections)
        if (body := "\n".join(lines).strip())
    ]


def _transcript(path: str, data: bytes) -> list[Found]:
    window = path.rpartition("/")[2].rpartition(".")[0].partition("~")[0]
    if not path.endswith((".json", ".jsonl")):
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
        said = enumerate(plain.turns(text))
        return [Found(f"{n}", "transcript", window, one.who, "", one.text) for n, one in said]
    if path.endswith(".json"):
        pieces = list(enumerate(whole(data)))
    else:
        pieces = [(-1, p) for record in records(data).records for p in pieces_of(record)]
    out = []
    for number, piece in pieces:
        if piece.who not in ("person", "persona") or piece.stub or not piece.text.strip():
            continue
        # A host writes old records a second time after a fork: one name, one row.
        key = piece.ident if number < 0 and piece.ident else f"{number}"
        if key == "-1":
            told = f"{piece.who}\0{piece.at}\0{piece.text}".encode("utf-8", "replace")
            key = hashlib.blake2b(told, digest_size=12).hexdigest()
        out.append(Found(key, "transcript", window, piece.who, piece.at, piece.text))
    return out


def _order(moment: str) -> int:
    """Milliseconds since 1970; a date alone counts from its beginning; 0 for anything else."""
    try:
        found = datetime.fromisoformat(moment)
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        return int(found.timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0
