"""Importing: files become assets, a hundred at a time, each change whole, a second run adding nothing.

Files are read and hashed by threads, understood by `clew.books.cards.read`, copied to a private
folder, and put on the shelf in batches: one wait for the disk and one commit for each. A kill loses
the batch that was under way and nothing else; the next run skips what is there by its bytes. Two
imports at once take turns at the commit and skip each other's files.

Identity: the same source bytes are one asset; the same card in another file is an asset of its own,
with a note; a lorebook with the same content is the same lorebook. Rules: docs/library.md.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, NamedTuple

from clew.books import cards, versions
from clew.books.assets import clean_name
from clew.books.cards.report import MEBI, Limits, Read
from clew.books.gathering import Candidate, gather, is_named_so, is_picture_name
from clew.books.known import Known
from clew.books.layout import blob_name
from clew.books.library import Library
from clew.books.records import SourceFile
from clew.books.reporting import Imported, Item, Outcome, lines_of
from clew.books.shelving import Ready, Shelved, Shelving, is_kept
from clew.books.staging import Incoming, clear_abandoned
from clew.books.syncing import ShelfFiles, sync_all
from clew.books.trial import Trial
from clew.books.versions import Content
from clew.kernel.errors import ClewError, Corrupt, NewerSchema, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files

BATCH: Final = 100
"""Files of one commit."""
BATCH_BYTES: Final = 64 * MEBI
LIMITS: Final = Limits(file_bytes=256 * MEBI)
_THREADS: Final = 4
"""Readers, writers, and the commit: mostly waiting for the disk, or hashing."""
_AHEAD: Final = 8
_AHEAD_BYTES: Final = 16 * MEBI
"""Bytes that are read ahead, so that memory is bounded by the largest file."""
_OTHER_THINGS: Final = ("picture_without_card", "not_a_card")
"""Of what a file is refused for: what says that it was never a card."""
Progress = Callable[[int, int, str], None]


class Loaded(NamedTuple):
    """A file, read and hashed, or why it was not."""

    candidate: Candidate
    data: bytes
    sha256: str
    fault: Fault | None = None


class Batch(NamedTuple):
    """What one commit puts on the shelf."""

    ready: list[Ready]
    writing: list[Future[None]]
    """Copies that are being written."""


def import_cards(
    library: Library,
    paths: Iterable[str],
    *,
    lang: str = "en",
    progress: Progress = lambda done, of, name: None,
    batch: int = BATCH,
    encoding: str = "",
    dry_run: bool = False,
) -> Imported:
    """Import files and folders. One line for each file that was not simply taken or known.
    `encoding`: what texts are written in that are not UTF-8; empty: it is found out. `dry_run`: only
    what an import would do; nothing is written.

    Raises `Locked`, `StorageFailed` (what was committed before stays, and the same import goes on
    from there).
    """
    run = Import(
        library, lang=lang, progress=progress, batch=batch, encoding=encoding, dry_run=dry_run
    )
    found = gather(list(paths), library.root, run.report.pass_over)
    for path, fault in found.told:
        if fault.code == "library_left_out":
            library.notes.append(fault)
        else:
            run.refuse(path, fault)
    run.take(found.candidates, found.order)
    return run.report


class Import:
    """One run of an import."""

    def __init__(
        self,
        library: Library,
        *,
        lang: str = "en",
        progress: Progress = lambda done, of, name: None,
        batch: int = BATCH,
        copy: bool = True,
        encoding: str = "",
        dry_run: bool = False,
    ) -> None:
        self.library = library
        self.known = Known(library)
        self.report = Imported(library=library.root, dry_run=dry_run)
        self.placed: dict[str, str] = {}
        """Ids by the paths that were imported or found to be known."""
        self.world_ids: dict[str, str] = {}
        """Lorebooks by the names that cards know them by."""
        self.copy = copy
        """Whether source files are copied; else they are left in their place."""
        self._limits = LIMITS._replace(encoding=encoding)
        self._lang = lang
        self._progress = progress
        self._batch = batch
        self._files = Files()
        # A disk that a test stands in for the system's is for one thread.
        self._threaded = isinstance(library.vault.files, ShelfFiles)
        self._unsettled: list[str] = []
        self._ready: list[Ready] = []
        self._writing: list[Future[None]] = []
        self._bytes = 0
        self._trial = Trial(self.known) if dry_run else None
        self._committing: Future[list[tuple[Ready, Shelved]]] | None = None
        self._threads: ThreadPoolExecutor
        self._incoming: Incoming

    def take(self, candidates: list[Candidate], order: Mapping[str, int] | None = None) -> None:
        """Import these files. `order`: that of the report's lines, by the names in it."""
        if self._trial is None:
            clear_abandoned(self.library)
        total = len(candidates)
        todo = [one for one in candidates if not self._passes_over(one)]
        done = total - len(todo)
        order = order or {one.name: number for number, one in enumerate(candidates)}
        try:
            with Incoming(self.library) as incoming, ThreadPoolExecutor(_THREADS) as threads:
                self._threads, self._incoming = threads, incoming
                for loaded in self._load(todo):
                    self._one(loaded)
                    done += 1
                    if len(self._ready) >= self._batch or self._bytes >= BATCH_BYTES:
                        self._flush()
                    self._progress(done, total, loaded.candidate.name)
                self._flush()
                self._committed()
        except OSError as error:
            self._stopped(total)
            raise storage_failed(error, self.library.root) from error
        except ClewError:
            self._stopped(total)
            raise
        finally:
            self.report.items.sort(key=lambda item: order.get(item.file, -1))

    def _stopped(self, total: int) -> None:
        self.library.notes.append(Fault("import_stopped", found=self.report.taken, limit=total))

    def refuse(self, name: str, fault: Fault) -> None:
        """A line for a file or folder that could not even be read."""
        self._tell(Item(file=name, outcome="refused"), "refused", [("refused", fault)])

    # ---- reading -------------------------------------------------------------------------------

    def is_unchanged(self, one: Candidate) -> bool:
        """Whether a file that an asset follows is, by size and time, the one that was imported."""
        before = self.known.origins.get(one.follows) if one.follows is not None else None
        return before is not None and (before.size, before.mtime_ns) == (one.size, one.mtime_ns)

    def _passes_over(self, one: Candidate) -> bool:
        if one.follows is None or not self.is_unchanged(one):
            return False
        before = self.known.origins[one.follows]
        if self._fetches(before.sha256, one.size):
            return False
        self.placed[one.path] = before.id
        self.report.skipped += 1
        return True

    def _fetches(self, sha256: str, size: int) -> bool:
        """Whether a known file is to be copied: it was left in its place before, or its copy here is
        gone or was cut."""
        place = self.known.sources.get(sha256)
        if not self.copy or place is None:
            return False
        return not place.file or not is_kept(self.library, place.id, place.file, size)

    def _load(self, candidates: list[Candidate]) -> Iterator[Loaded]:
        """The files, in their order, a few of them read ahead by threads."""
        waiting: deque[tuple[Future[Loaded], int]] = deque()
        ahead = 0
        for one in candidates:
            while waiting and (len(waiting) >= _AHEAD or ahead + one.size > _AHEAD_BYTES):
                future, size = waiting.popleft()
                ahead -= size
                yield future.result()
            waiting.append((self._threads.submit(self._read, one), one.size))
            ahead += one.size
        while waiting:
            yield waiting.popleft()[0].result()

    def _read(self, one: Candidate) -> Loaded:
        if one.size > LIMITS.file_bytes:
            fault = Fault("too_large", file=one.name, found=one.size, limit=LIMITS.file_bytes)
            return Loaded(one, b"", "", fault)
        try:
            data = self._files.read(one.path, 0, LIMITS.file_bytes + 1)
        except OSError as error:
            return Loaded(one, b"", "", storage_failed(error, one.name).faults[0])
        return Loaded(one, data, hashlib.sha256(data).hexdigest())

    # ---- one file ------------------------------------------------------------------------------

    def _one(self, loaded: Loaded) -> None:
        one = loaded.candidate
        item = Item(file=one.name, outcome="refused")
        if loaded.fault is not None:
            if _is_sought(one):
                self._tell(item, "refused", [("refused", loaded.fault)])
            else:
                self.report.pass_over(one.name, loaded.fault, self._lang)
            return
        if self._skips(item, loaded):
            return
        read = cards.read(loaded.data, name=one.name, limits=self._limits)
        lines = [(word, fault) for word, fault in read.report if word != "taken"]
        if not read.ok:
            if _is_sought(one) and not _nothing_of_ours(one, read):
                self._tell(item, "refused", lines)
            else:
                self.report.pass_over(one.name, _why(read), self._lang)
            return
        item.lines = lines_of(lines, self._lang)
        if self._trial is not None:
            item.kind = "card" if read.card is not None else "world"
            item.title = clean_name(read.title) or clean_name(one.name) or "?"
            known = self._trial.known_as(loaded.sha256, read.card or read.lorebook)
            item.id = known.removeprefix("-")
            self._tell(item, "skipped" if known else "taken", [])
            return
        self._ready.append(self._staged(item, loaded, read))
        self._bytes += len(loaded.data)

    def _skips(self, item: Item, loaded: Loaded) -> bool:
        place = self.known.sources.get(loaded.sha256)
        if place is None or self._fetches(loaded.sha256, len(loaded.data)):
            return False
        one = loaded.candidate
        before = self.known.origins.get(one.follows) if one.follows is not None else None
        if one.follows is not None and (before is None or before.sha256 != loaded.sha256):
            return False  # its asset is to follow this file: that is a change
        self.placed[one.path] = place.id
        item.id, item.title = place.id, self.known.titles.get(place.id, "")
        if self.known.states.get(place.id) == "trashed":
            fault = Fault("in_the_trash", name=item.title, found=place.id)
            self._tell(item, "skipped", [("note", fault)])
        elif self._limits.encoding:
            fault = Fault("in_already", file=one.name, found=place.id, name=self._limits.encoding)
            self._tell(item, "skipped", [("note", fault)])
        else:
            self._tell(item, "skipped", [])
        return True

    def _staged(self, item: Item, loaded: Loaded, read: Read) -> Ready:
        content = Content(read.card, read.lorebook, {})
        packed = versions.pack(content)
        one = loaded.candidate
        asked = [*([read.card.world] if read.card and read.card.world else []), *one.worlds]
        source = SourceFile(
            file=blob_name(loaded.sha256, read.kind) if self.copy else "",
            sha256=loaded.sha256, size=len(loaded.data), kind=read.kind,
            name=clean_name(one.name.rpartition("/")[2]), place="" if self.copy else one.path,
        )  # fmt: skip
        return Ready(
            item, one, "card" if read.card is not None else "world", content,
            clean_name(read.title) or clean_name(one.name) or "?",
            packed, self._put(packed), source, self._put(loaded.data) if self.copy else "",
            tuple(dict.fromkeys(self.world_ids[w] for w in asked if w in self.world_ids)),
        )  # fmt: skip

    def _put(self, data: bytes) -> str:
        """Write a file for the next commit; a thread does it."""
        path = self._incoming.reserve()
        if self._threaded:
            self._writing.append(self._threads.submit(self._incoming.write, path, data))
        else:
            self._incoming.write(path, data)
        return path

    # ---- the commit ----------------------------------------------------------------------------

    def _flush(self) -> None:
        """Commit what is ready, while the next files are being read: a commit mostly waits for the
        disk. One at a time."""
        batch = Batch(self._ready, self._writing)
        self._ready, self._writing, self._bytes = [], [], 0
        self._committed()
        if not batch.ready:
            return
        if self._threaded:
            self._committing = self._threads.submit(self._commit, batch)
        else:
            self._tell_all(self._commit(batch))

    def _committed(self) -> None:
        """Wait for the commit that is under way. Raises what it raised."""
        future, self._committing = self._committing, None
        if future is not None:
            self._tell_all(future.result())

    def _commit(self, batch: Batch) -> list[tuple[Ready, Shelved]]:
        library = self.library
        files = library.vault.files
        for written in batch.writing:
            written.result()
        staged = [path for one in batch.ready for path in (one.packed_at, one.source_at) if path]
        sync_all(files, staged, ())
        with library.changing() as tx:
            self.known.catch_up()
            shelving = Shelving(library, tx, self._incoming, self.known)
            done = [(one, _shelved(shelving, one)) for one in batch.ready]
            # One wait for the disk: the names of what this batch put in place, and the documents
            # of the last one.
            folders = {path.rpartition("/")[0] for path in self._unsettled}
            if shelving.folders:
                folders |= {*shelving.folders, library.root, library.vault.real("assets")}
            sync_all(files, self._unsettled, folders)
        self._unsettled = [library.vault.real(path) for path in tx.report.written]
        return done

    def _tell_all(self, done: list[tuple[Ready, Shelved]]) -> None:
        for one, shelved in done:
            item = one.item
            item.id, item.title, item.kind = shelved.id, shelved.title, one.kind
            if shelved.id:
                self.placed[one.candidate.path] = shelved.id
            self._tell(item, shelved.outcome, shelved.lines)

    # ---- telling -------------------------------------------------------------------------------

    def _tell(self, item: Item, outcome: Outcome, lines: list[tuple[str, Fault]]) -> None:
        item.outcome = outcome
        item.lines = [*item.lines, *lines_of(lines, self._lang)]
        self.report.add(item)


def _shelved(shelving: Shelving, one: Ready) -> Shelved:
    """A file on the shelf; refused where the document of its asset is damaged: the others go on."""
    try:
        return shelving.shelve(one)
    except (Corrupt, NewerSchema) as broken:
        return Shelved("", one.title, "refused", [("refused", fault) for fault in broken.faults])


def _is_sought(one: Candidate) -> bool:
    """Whether a file that is no card is told of as refused: it was named, or is named like one."""
    return one.wanted or is_named_so(one.name)


def _nothing_of_ours(one: Candidate, read: Read) -> bool:
    """Whether a file of a folder that was not named is simply something else: no damaged card, no
    chat, nothing that is another thing than its name says."""
    if one.wanted or any(fault.code not in _OTHER_THINGS for fault in read.report.refused):
        return False
    if any(fault.facts.get("cards") for fault in read.report.refused):
        return False  # several cards in one file
    return bool(read.kind) or not is_picture_name(one.name)


def _why(read: Read) -> Fault | None:
    """What is worth to be said of a file that was passed over: not of every picture and text."""
    told = [fault for fault in read.report.refused if fault.code != "picture_without_card"]
    return told[0] if told else None
