"""Publishing a change and completing an interrupted one: the order of calls that keeps the crash
rule (docs/promises.md).

Publish: sync what the change before left unsynced → copies of edited files aside → stage new files
→ write and sync the slot (**the commit point**) → log lines → renames, truth first → `done`.
Until the commit point nothing that a reader sees has changed; after it the journal can complete
everything. At most four syncs stand on the way for a change of one document and one log.
"""

from __future__ import annotations

import posixpath
from typing import Final

from clew.kernel import journal, log
from clew.kernel.clock import stamp
from clew.kernel.document import digest
from clew.kernel.errors import ChangedOutside, StorageFailed, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Stat
from clew.kernel.place import Place
from clew.kernel.vault import Recovery, Report, Scope, facts_of_conflict

_IGNORE: Final = (
    b"# Journal, index and files set aside: rebuilt or private, not for version control.\n*\n"
)


class Change:
    """What a transaction wants to publish."""

    def __init__(self) -> None:
        self.writes: dict[str, tuple[bytes | None, bool]] = {}
        self.appends: dict[str, bytes] = {}
        self.moves: list[tuple[str, str]] = []
        self.asides: dict[str, bytes] = {}

    def keep_aside(self, place: str, data: bytes) -> str:
        self.asides[place] = data
        return place


class Seen:
    """What a transaction read: each file's stat then, and its content where it was read whole."""

    def __init__(self) -> None:
        self.stats: dict[str, Stat | None] = {}
        self.contents: dict[str, bytes | None] = {}


class _Step:
    """One replaced file on its way."""

    __slots__ = ("after", "before", "data", "path", "real", "staged", "truth")

    def __init__(
        self, path: str, real: str, data: bytes | None, before: bytes | None, truth: bool
    ) -> None:
        self.path, self.real, self.data, self.truth = path, real, data, truth
        self.before = None if before is None else digest(before)
        self.after = None if data is None else digest(data)
        self.staged = ""


def publish(place: Place, scope: Scope, change: Change, seen: Seen, recovery: Recovery) -> Report:
    """Make the change one: all of it, or `OSError`/`ChangedOutside` and nothing of it."""
    files = place.files
    steps = _differing(place, change, seen)
    if not steps and not change.appends and not change.moves:
        if recovery.views_stale:
            _write_slot(
                place, scope, journal.Header(_next(place, scope), place.boot, ""), b"", "settled"
            )
        return Report(set_aside=recovery.set_aside)
    for path, found in seen.stats.items():
        if (path in change.writes or path in change.appends) and files.stat(
            place.real(path)
        ) != found:
            raise ChangedOutside(Fault("edited_meanwhile", file=path))

    _prepare(place, scope)
    settle(place, scope)
    for path, data in change.asides.items():
        _keep(place, path, data, scope)
    for step in steps:
        place.make_dirs(step.path, scope.dir_mode)
    for _, target in change.moves:
        place.make_dirs(target, scope.dir_mode)

    tails = {path: log.tail(files, place.real(path)) for path in change.appends}
    for path, tail in tails.items():
        place.make_dirs(path, scope.dir_mode)
        if tail.torn:
            _keep(place, place.aside(scope, path) + ".torn", tail.torn, scope)
    header, body = _describe(place, scope, change, steps, tails)
    staged = place.stage(scope)
    try:
        for number, step in enumerate(s for s in steps if s.data is not None):
            step.staged = f"{staged}/{number}"
            _stage(place, step, scope)
        _write_slot(place, scope, header, body, "armed")
    except OSError:
        _unstage(place, scope)
        raise
    failed = _put_in_place(place, scope, change, steps, tails)
    return Report(
        (*(s.path for s in steps if s.data is not None), *change.appends),
        tuple(s.path for s in steps if s.data is None),
        (*recovery.set_aside, *change.asides),
        tuple(failed),
    )


def _differing(place: Place, change: Change, seen: Seen) -> list[_Step]:
    """Only files whose content changes are touched; truth comes first."""
    steps = []
    for path, (data, truth) in change.writes.items():
        real = place.real(path)
        # What the transaction read stands: an edit since then is found by its stat, and refused.
        before = seen.contents[path] if path in seen.contents else _read(place, path)
        if before != data:
            steps.append(_Step(path, real, data, before, truth))
    return sorted(steps, key=lambda s: not s.truth)


def _describe(
    place: Place, scope: Scope, change: Change, steps: list[_Step], tails: dict[str, log.Tail]
) -> tuple[journal.Header, bytes]:
    images: list[bytes] = []
    length = 0

    def image(data: bytes) -> tuple[int, int]:
        nonlocal length
        images.append(data)
        length += len(data)
        return length - len(data), len(data)

    replaces = tuple(
        journal.Replace(
            s.path, s.before, s.after, s.truth,
            image(s.data) if s.truth and s.data is not None else None,
        )
        for s in steps
    )  # fmt: skip
    appends = tuple(
        journal.Append(path, tails[path].end, image(line + b"\n"), digest(line + b"\n"))
        for path, line in change.appends.items()
    )
    moves = tuple(journal.Move(source, target) for source, target in change.moves)
    header = journal.Header(
        _next(place, scope), place.boot, stamp(place.clock()), length, replaces, appends, moves
    )
    return header, b"".join(images)


def _next(place: Place, scope: Scope) -> int:
    slot = place.slot(scope)
    return slot.header.sequence + 1 if slot and slot.header else 1


def _prepare(place: Place, scope: Scope) -> None:
    """The private folder, its ignore file and an empty slot whose names survive a power cut."""
    files = place.files
    slot = place.slot_path(scope)
    if files.stat(slot) is not None:
        return
    place.make_dirs(f"{scope.private}/stage/x", scope.dir_mode)
    private = posixpath.dirname(slot)
    if files.stat(f"{private}/.gitignore") is None:
        files.create(f"{private}/.gitignore", _IGNORE, scope.file_mode)
    files.create(
        slot, journal.pack(journal.Header(0, place.boot, ""), b"", "settled"), scope.file_mode
    )
    files.sync(slot)
    folder = private
    while True:
        files.sync_dir(folder)
        if folder == place.root:
            break
        folder = posixpath.dirname(folder)


def _write_slot(
    place: Place, scope: Scope, header: journal.Header, body: bytes, status: str
) -> None:
    slot = place.slot_path(scope)
    place.files.write_at(slot, 0, journal.pack(header, body, status))
    place.files.sync(slot)


def _stage(place: Place, step: _Step, scope: Scope) -> None:
    assert step.data is not None
    files = place.files
    if files.stat(step.staged) is not None:
        files.remove(step.staged)  # left by a process that was killed before its commit point
    mode = files.mode(step.real)
    files.create(step.staged, step.data, scope.file_mode if mode is None else mode)


def _unstage(place: Place, scope: Scope) -> None:
    folder = place.stage(scope)
    for name in place.files.names(folder):
        place.files.remove(f"{folder}/{name}")


def _keep(place: Place, path: str, data: bytes, scope: Scope) -> None:
    """A copy in the private folder, durable before the original is overwritten."""
    made = place.make_dirs(path, scope.dir_mode)
    real = place.real(path)
    place.files.create(real, data, scope.file_mode)
    place.files.sync(real)
    for folder in {posixpath.dirname(real), *(posixpath.dirname(m) for m in made)}:
        place.files.sync_dir(folder)


def _put_in_place(
    place: Place,
    scope: Scope,
    change: Change,
    steps: list[_Step],
    tails: dict[str, log.Tail],
) -> list[str]:
    files = place.files
    visible = False
    path = ""
    try:
        for path, line in change.appends.items():
            _append(place, path, tails[path], line + b"\n", scope)
        for path, target in change.moves:
            files.replace(place.real(path), f"{place.root}/{target}")
            visible = True
        for step in steps:
            if step.truth:
                path = step.path
                _replace(place, step)
                visible = True
    except OSError as error:
        if visible:
            raise StorageFailed(
                Fault("publish_incomplete", file=path, reason=error.strerror or str(error))
            ) from error
        _take_back(place, scope, tails)
        raise storage_failed(error, path) from error
    failed = []
    for step in steps:
        if not step.truth:
            try:
                _replace(place, step)
            except OSError:
                failed.append(step.path)  # reported, and rendered again by the next command
    try:
        journal.mark(files, place.slot_path(scope), "views" if failed else "done")
    except OSError:
        # Everything is in place; a slot that stays `armed` is verified by the next command.
        return failed
    return failed


def _append(place: Place, path: str, tail: log.Tail, line: bytes, scope: Scope) -> None:
    files, real = place.files, place.real(path)
    found = files.stat(real)
    if found is None:
        files.create(real, line, scope.file_mode)
        return
    files.write_at(real, tail.end, line)
    if found.size > tail.end + len(line):
        files.truncate(real, tail.end + len(line))


def _replace(place: Place, step: _Step) -> None:
    if step.data is None:
        place.files.remove(step.real)
    else:
        place.files.replace(step.staged, step.real)


def _take_back(place: Place, scope: Scope, tails: dict[str, log.Tail]) -> None:
    """The disk refused after the commit point but before anything a reader trusts was in place:
    the change is undone, so that the refusal is true."""
    files = place.files
    journal.mark(files, place.slot_path(scope), "aborted")
    files.sync(place.slot_path(scope))
    for path, tail in tails.items():
        real = place.real(path)
        if files.stat(real) is None:
            continue
        if tail.end or tail.torn:
            files.truncate(real, tail.end)
        else:
            files.remove(real)
    _unstage(place, scope)


def settle(place: Place, scope: Scope) -> None:
    """Sync the truth of the last change, so that its slot may be overwritten."""
    slot = place.slot(scope)
    if slot is None or slot.header is None or slot.status != "done":
        return
    _sync_truth(place, slot.header)
    journal.mark(place.files, place.slot_path(scope), "settled")


def _sync_truth(place: Place, header: journal.Header) -> None:
    files = place.files
    folders = set()
    for path in [r.path for r in header.replaces if r.truth] + [a.path for a in header.appends]:
        real = place.real(path)
        if files.stat(real) is not None:
            files.sync(real)
        folders.add(posixpath.dirname(real))
    for move in header.moves:
        folders.add(posixpath.dirname(place.real(move.target)))
        folders.add(posixpath.dirname(place.real(move.source)))
    for folder in sorted(folders):
        if files.stat(folder) is not None:
            files.sync_dir(folder)


def recover(place: Place, scope: Scope, keep: str | None = None) -> Recovery:
    """Complete what an interruption left. Under the lock, before anything else is read.

    Raises `ChangedOutside` (`recovery_conflict`, one fault a file) when someone edited a file of
    the change meanwhile and `keep` does not say whose content stays.
    """
    files = place.files
    slot = place.slot(scope)
    if slot is None:
        return Recovery()
    header = slot.header
    ours = (
        frozenset(h for r in header.replaces for h in (r.before, r.after) if h)
        if header
        else frozenset()
    )
    other_boot = header is None or header.boot != place.boot
    if header is None or slot.status in ("settled", "aborted", "views"):
        # A torn slot is a change that never happened: the one before it was synced.
        return Recovery(views_stale=other_boot or slot.status == "views", ours=ours)
    if slot.status == "done" and not other_boot:
        return Recovery()
    images = journal.body(files, place.slot_path(scope), slot)
    if images is None:
        return Recovery(views_stale=True, ours=ours)

    todo: list[tuple[str, bytes | None, int | None]] = []
    asides: dict[str, bytes] = {}
    conflicts: list[Fault] = []
    for item in header.replaces:
        if not item.truth:
            continue
        image = images[item.image[0] : item.image[0] + item.image[1]] if item.image else None
        disk = _read(place, item.path)
        have = None if disk is None else digest(disk)
        if have == item.after:
            continue
        torn = disk is not None and other_boot and (
            journal.is_torn(disk) or (image is not None and journal.cut_of(disk, image))
        )  # fmt: skip
        # A file that is missing after a power cut is a rename that was lost with its folder entry.
        if have == item.before or torn or (disk is None and other_boot):
            if torn and disk:
                asides[place.aside(scope, item.path)] = disk
            todo.append((item.path, image, None))
        elif keep is None:
            conflicts.append(facts_of_conflict(item.path, size=len(disk or b"")))
        else:
            loser = disk if keep == "journal" else image
            if loser is not None:
                asides[place.aside(scope, item.path)] = loser
            if keep == "journal":
                todo.append((item.path, image, None))
    for line in header.appends:
        image = images[line.image[0] : line.image[0] + line.image[1]]
        disk = _read(place, line.path) or b""
        rest = disk[line.offset :]
        if rest.startswith(image):
            continue
        if len(disk) >= line.offset and journal.cut_of(rest, image):
            todo.append((line.path, image, line.offset))
        elif keep is None:
            conflicts.append(facts_of_conflict(line.path, size=len(disk)))
        elif keep == "journal":
            asides[place.aside(scope, line.path)] = disk
            todo.append((line.path, image, line.offset))
        else:
            asides[place.aside(scope, line.path)] = image
    if conflicts:
        raise ChangedOutside(*conflicts)

    for path, data in asides.items():
        _keep(place, path, data, scope)
    for path, image, offset in todo:
        _restore(place, scope, path, image, offset)
    for move in header.moves:
        if files.stat(place.real(move.source)) is not None and (
            files.stat(place.real(move.target)) is None
        ):
            place.make_dirs(move.target, scope.dir_mode)
            files.replace(place.real(move.source), place.real(move.target))
    _sync_truth(place, header)
    _unstage(place, scope)
    journal.mark(files, place.slot_path(scope), "views")
    return Recovery(tuple(p for p, _, _ in todo), tuple(asides), True, ours)


def _read(place: Place, path: str) -> bytes | None:
    try:
        return place.files.read(place.real(path))
    except FileNotFoundError:
        return None


def _restore(
    place: Place, scope: Scope, path: str, image: bytes | None, offset: int | None
) -> None:
    """Put one after-image in place, by the same means as publishing."""
    files, real = place.files, place.real(path)
    place.make_dirs(path, scope.dir_mode)
    if image is None:
        files.remove(real)
    elif offset is None:
        step = _Step(path, real, image, None, True)
        step.staged = f"{place.stage(scope)}/recovered"
        place.make_dirs(f"{scope.private}/stage/x", scope.dir_mode)
        _stage(place, step, scope)
        files.sync(step.staged)
        files.replace(step.staged, real)
    elif files.stat(real) is None:
        files.create(real, image, scope.file_mode)
    else:
        files.write_at(real, offset, image)
