"""Copying transcripts into the archive, byte for byte, before their host deletes them.

Copies are made outside of the home's lock, in pieces, so that a long one keeps nobody waiting; one
archiver at a time, by a lock of its own. A copy counts up to the size that the manifest names: what a
kill left beyond it is cut off and copied again. A source is only ever read.
"""

from __future__ import annotations

import posixpath
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from clew.kernel.clock import stamp
from clew.kernel.faults import Both, Fault
from clew.kernel.text import name_fault, nfc
from clew.persona import archive, archived
from clew.persona.alone import alone, make_dir
from clew.persona.archive import MANIFEST, Copy, Manifest, Source
from clew.persona.archived import Standing, checksum
from clew.persona.model import FILE_MODE, PRIVATE
from clew.persona.transcripts import place
from clew.persona.transcripts.naming import ENDINGS
from clew.persona.windows import FILE as WINDOWS
from clew.persona.windows import Windows, is_id

if TYPE_CHECKING:
    from clew.persona.home import Home

LOCK: Final = f"{PRIVATE}/archive.lock"
_CHUNK: Final = 1 << 20
_TAIL: Final = 4_096
_DEPTH: Final = 5
_MOST: Final = 20_000
"""Files of one session's own folder, or of a folder that is searched."""


class Told(NamedTuple):
    """A transcript that is to be kept."""

    path: str
    host: str
    window: str
    inner: str = ""
    """The path of a file within the session's own folder."""
    name: str = ""
    """What its copy is called, where that is not the window."""


class Archived(msgspec.Struct, frozen=True, kw_only=True):
    """What a run of the archiver did."""

    status: str = "ok"
    looked: int = 0
    """Files of hosts that were looked at."""
    copied: int = 0
    """Files of which something was copied."""
    bytes: int = 0
    """Bytes that were copied."""
    anew: int = 0
    """Files that had been rewritten, of which a new copy was begun."""
    vanished: list[str] = []
    """Sources that are gone since the last run."""
    complete: bool = True
    """False when the time was up: the next run goes on."""


def ending_of(one: Told) -> str:
    """How the name of a copy ends: as that of a known form, or as the text that it is."""
    endings = (".jsonl", ".json", ".txt", ".md", ".markdown")
    return next((end for end in endings if one.path.casefold().endswith(end)), ".jsonl")


def told(home: Home, more: Iterable[Told] = ()) -> list[Told]:
    """The transcripts of the registered windows, with the files of their own folders."""
    windows = home.load(WINDOWS, Windows) or Windows()
    found = [Told(w.transcript, w.host, w.id) for w in windows.windows if w.readable]
    out: dict[str, Told] = {}
    for one in (*found, *more):
        out.setdefault(one.path, one)
        for beside in _beside(home, one):
            out.setdefault(beside.path, beside)
    return list(out.values())


def _beside(home: Home, one: Told) -> Iterator[Told]:
    """Claude Code keeps what subagents and tools said in a folder beside the transcript, and deletes
    both together."""
    folder = one.path.removesuffix(".jsonl")
    if folder == one.path or one.inner:
        return
    for path, inner in _walk(home, folder):
        yield Told(path, one.host, one.window, inner)


def _walk(home: Home, folder: str) -> Iterator[tuple[str, str]]:
    files = home.vault.files
    todo = [("", 0)]
    count = 0
    while todo:
        below, depth = todo.pop()
        here = posixpath.join(folder, below) if below else folder
        try:
            names = files.names(here)
        except OSError:
            continue
        for name in names:
            inner = posixpath.join(below, name)
            found = files.stat(posixpath.join(here, name))
            if found is None or name_fault(nfc(name)) is not None:
                continue
            if found.kind == "dir" and depth < _DEPTH:
                todo.append((inner, depth + 1))
            elif found.kind == "file":
                count += 1
                if count > _MOST:
                    return
                yield posixpath.join(here, name), inner


def search(home: Home, folder: str, host: str) -> list[Told]:
    """The transcripts in a folder that somebody named, each under the name of its file."""
    found = []
    for path, inner in _walk(home, folder.rstrip("/")):
        name = posixpath.basename(inner)
        stem = name.rpartition(".")[0]
        if name.endswith(ENDINGS) and is_id(stem):
            found.append(Told(path, host, stem))
    return found


def run(
    home: Home, more: Iterable[Told] = (), *, going_on: Callable[[], bool] = lambda: True
) -> Archived:
    """Copy what is new. `going_on` is asked between pieces: once it says no, what is left waits for
    the next run. Raises `Locked` when another archiver is at work, `StorageFailed`."""
    with alone(home, LOCK):
        kept = home.load(MANIFEST, Manifest)
        manifest = archived.listed(home)
        run_ = _Run(home, manifest, going_on)
        for one in told(home, more):
            run_.take(one)
        run_.vanished()
        if run_.manifest != (kept or Manifest()):
            with home.change() as change:
                change.save(MANIFEST, run_.manifest)
                for path in run_.gone:
                    copy = run_.manifest.of(path)
                    change.event(
                        "transcript_vanished", window=copy.window if copy else "",
                        bytes=copy.size if copy else 0,
                    )  # fmt: skip
    for path in run_.gone:
        copy = run_.manifest.of(path)
        home.notes.append(Fault("transcript_vanished", file=path, found=copy.size if copy else 0))
    return Archived(
        looked=run_.looked, copied=run_.copied, bytes=run_.bytes, anew=run_.anew,
        vanished=run_.gone, complete=run_.complete,
    )  # fmt: skip


def renew(home: Home, damaged: Iterable[str]) -> list[str]:
    """Begin these copies anew where their originals are there; returns which. What is left of a damaged
    copy stays. Raises as `run` does."""
    wanted = frozenset(damaged)
    with alone(home, LOCK):
        manifest = home.load(MANIFEST, Manifest) or Manifest()
        run_ = _Run(home, manifest, lambda: True, wanted)
        copies = [copy for copy in manifest.copies if copy.file in wanted and not copy.superseded]
        for copy in copies:
            inner = copy.file.split("/", 3)[3] if copy.file.count("/") > 2 else ""
            run_.take(Told(copy.source, copy.host, copy.window, inner))
        if run_.manifest != manifest:
            with home.change() as change:
                change.save(MANIFEST, run_.manifest)
    old = {copy.file for copy in run_.manifest.copies if copy.superseded}
    return [copy.file for copy in copies if copy.file in old]


class _Run:
    """One run: takes sources one after the other, and knows what became of them."""

    def __init__(
        self,
        home: Home,
        manifest: Manifest,
        going_on: Callable[[], bool],
        damaged: frozenset[str] = frozenset(),
    ) -> None:
        self.home = home
        self.files = home.vault.files
        self.manifest = manifest
        self.going_on = going_on
        self.damaged = damaged
        """Copies that are known not to be what was recorded."""
        self.at = stamp(home.now())
        self.looked = self.copied = self.bytes = self.anew = 0
        self.gone: list[str] = []
        self.complete = True
        self._there: set[str] = set()

    def take(self, one: Told) -> None:
        """Bring the copy of one source up to date."""
        if not self.going_on():
            self.complete = False
            self._there.add(one.path)
            return
        found = place.find(self.files, one.path)
        if found is None:
            return
        self.looked += 1
        self._there.add(one.path)
        known = self.manifest.of(one.path)
        try:
            self._copy(one, found, known)
        except OSError as error:
            if not self._source_failed(one.path):
                raise
            self.home.notes.append(
                Fault("transcript_unread", file=one.path, reason=error.strerror or str(error))
            )

    def _source_failed(self, path: str) -> bool:
        """Whether it is the source that cannot be read, not the archive that cannot be written."""
        try:
            self.files.read(path, 0, 1)
        except OSError:
            return True
        return False

    def _copy(self, one: Told, found: place.Transcript, known: Copy | None) -> None:
        # What lies in a session's own folder may be anything, and is copied whole when it changed.
        document = bool(one.inner and not one.path.endswith(".jsonl")) or found.document
        crc = (
            checksum(self.files, one.path, found.stat.size)
            if document and known is not None
            else None
        )
        source = Source(one.path, found.stat.size, found.head, document, crc)
        agrees = known is None or document or self._tail_agrees(one.path, known)
        step = archive.plan(source, known, tail_agrees=agrees)
        if known is not None and (reason := self._damage(known)):
            # Somebody cut, changed or removed the copy: what is left of it stays, a new one is begun.
            if known.file not in self.damaged:
                self.home.notes.append(Fault("archive_damaged", file=known.file, reason=reason))
            step = archive.Step("begin_anew")
        if step.act == "none":
            if known is not None and (known.gone or known.behind):
                self._save(msgspec.structs.replace(known, gone="", behind=0))
            return
        if step.act == "begin_anew" and known is not None:
            self._save(msgspec.structs.replace(known, superseded=True))
            self.anew += 1
        copy = known if known is not None and step.act in ("copy_on", "begin") else self._new(one)
        if document:
            self._whole(one, copy, found)
        else:
            self._grow(one, copy, found)

    def _new(self, one: Told) -> Copy:
        host = one.host if is_id(one.host) else "other"
        file = archive.place_of(
            host, one.name or one.window, ending_of(one), self.manifest, nfc(one.inner),
            free=lambda there: self._begins(there, one.path),
        )  # fmt: skip
        return Copy(
            source=one.path, file=file, host=host, window=one.window, first=self.at, last=self.at
        )

    def _begins(self, file: str, source: str) -> bool:
        """Whether a file of the archive that no manifest knows may be written over: it is not there, or
        it is what the source begins with, as somebody left it who was killed."""
        real = self.home.vault.real(file)
        there = self.files.stat(real)
        if there is None:
            return True
        if there.kind != "file":
            return False
        at = 0
        while at < there.size:
            ours = self.files.read(real, at, min(_CHUNK, there.size - at))
            if not ours or ours != self.files.read(source, at, len(ours)):
                return False
            at += len(ours)
        return True

    def _damage(self, known: Copy) -> str | Both:
        """What is wrong with a copy at a glance; reading all of it is `archived.examine`'s."""
        if known.file in self.damaged:
            return Both("校验和不同", "its checksum differs")
        there = self.files.stat(self.home.vault.real(known.file))
        if there is None or there.kind != "file":
            return Both("不在了", "it is gone")
        if there.size < known.size:
            return Both(f"只剩 {there.size} 字节", f"{there.size} bytes are left")
        return ""

    def _tail_agrees(self, path: str, known: Copy) -> bool:
        size = min(known.size, _TAIL)
        if not size:
            return True
        try:
            ours = self.files.read(self.home.vault.real(known.file), known.size - size, size)
        except OSError:
            return True  # the copy is damaged, which is told for itself
        return ours == self.files.read(path, known.size - size, size)

    def _grow(self, one: Told, copy: Copy, found: place.Transcript) -> None:
        real = self._ready(copy)
        size, crc, end = copy.size, copy.crc, found.stat.size
        while size < end:
            data = self.files.read(one.path, size, min(_CHUNK, end - size))
            if not data:
                break  # it became shorter meanwhile: the next run sees why
            self.files.write_at(real, size, data)
            size += len(data)
            crc = zlib.crc32(data, crc)
            if size < end and not self.going_on():
                self.complete = False
                break
        if size != copy.size:
            self.files.sync(real)
            self.copied += 1
            self.bytes += size - copy.size
        self._save(
            msgspec.structs.replace(
                copy, size=size, crc=crc, head=copy.head or found.head, last=self.at,
                behind=max(0, end - size), gone="",
            )
        )  # fmt: skip

    def _ready(self, copy: Copy) -> str:
        """The file of a copy, exactly as long as the manifest says."""
        real = self.home.vault.real(copy.file)
        make_dir(self.home, posixpath.dirname(copy.file))
        there = self.files.stat(real)
        if there is None:
            self.files.create(real, b"", FILE_MODE)
            self.files.sync_dir(posixpath.dirname(real))
        elif there.size > copy.size:
            self.files.truncate(real, copy.size)
        return real

    def _whole(self, one: Told, copy: Copy, found: place.Transcript) -> None:
        """Copy a document anew, in pieces, and put it in the place of the old copy when it is whole."""
        real = self.home.vault.real(copy.file)
        make_dir(self.home, posixpath.dirname(copy.file))
        staged = f"{real}.clew.tmp"
        self.files.remove(staged)
        self.files.create(staged, b"", FILE_MODE)
        size = crc = 0
        while data := self.files.read(one.path, size, min(_CHUNK, found.stat.size - size)):
            self.files.write_at(staged, size, data)
            crc = zlib.crc32(data, crc)
            size += len(data)
        self.files.sync(staged)
        self.files.replace(staged, real)
        self.files.sync_dir(posixpath.dirname(real))
        self.copied += 1
        self.bytes += size
        self._save(
            msgspec.structs.replace(
                copy, size=size, crc=crc, document=True, last=self.at, gone="", behind=0
            )
        )

    def _save(self, copy: Copy) -> None:
        self.manifest = self.manifest.having(copy)

    def vanished(self) -> None:
        """Note the sources that are not there any more."""
        for copy in self.manifest.copies:
            if copy.superseded or copy.gone or copy.source in self._there:
                continue
            if place.find(self.files, copy.source) is None:
                self.gone.append(copy.source)
                self._save(msgspec.structs.replace(copy, gone=self.at))


def standing(home: Home) -> Standing:
    """How the archive of the registered windows stands."""
    return archived.standing(home, ((one.path, one.window, one.host) for one in told(home)))


def periodic(home: Home) -> dict[str, Any]:
    """The tool of the pulse: a host may delete at any time, so copies are kept close behind."""
    done = run(home)
    return {"copied": done.copied, "bytes": done.bytes, "vanished": len(done.vanished)}
