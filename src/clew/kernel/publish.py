"""Publishing a change: the order of calls that keeps the crash rule (docs/promises.md).

Publish: copies of edited files aside → stage new files → sync what the change before left unsynced
→ write and sync the slot (**the commit point**) → log lines → renames, truth first → `done`.
Until the commit point nothing that a reader sees has changed; after it the journal can complete
everything. At most four syncs stand on the way for a change of one document and one log.
"""

from __future__ import annotations

import posixpath
from contextlib import suppress

from clew.kernel import journal, log
from clew.kernel.clock import stamp
from clew.kernel.document import digest
from clew.kernel.errors import ChangedOutside, StorageFailed, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Stat
from clew.kernel.place import Place
from clew.kernel.slot import (
    Step,
    abort,
    gone_after,
    keep_aside,
    next_sequence,
    prepare,
    read,
    settle,
    stage,
    sync_up,
    unstage,
    write_slot,
)
from clew.kernel.vault import Recovery, Report, Scope


class Change:
    """What a transaction wants to publish."""

    def __init__(self) -> None:
        self.writes: dict[str, tuple[bytes | None, bool]] = {}
        self.appends: dict[str, bytes] = {}
        self.moves: list[tuple[str, str]] = []
        self.asides: dict[str, bytes] = {}
        self.rendered = False

    def moves_away(self, path: str) -> bool:
        """Whether what is at `path` now goes elsewhere in this same change."""
        return any(path == source or path.startswith(f"{source}/") for source, _ in self.moves)

    def keep_aside(self, place: str, data: bytes) -> str:
        self.asides[place] = data
        return place


class Seen:
    """What a transaction read: each file's stat then, and its content where it was read whole."""

    def __init__(self) -> None:
        self.stats: dict[str, Stat | None] = {}
        self.contents: dict[str, bytes | None] = {}


def publish(place: Place, scope: Scope, change: Change, seen: Seen, recovery: Recovery) -> Report:
    """Make the change one: all of it, or `OSError`/`ChangedOutside` and nothing of it."""
    files = place.files
    places = {path: place.locate(path) for path in change.writes}
    steps = _differing(place, change, seen, places)
    if not steps and not change.appends and not change.moves:
        if change.asides:
            prepare(place, scope)
            for path, data in change.asides.items():
                keep_aside(place, path, data, scope)
        if recovery.views_stale and change.rendered:
            slot = prepare(place, scope)
            header = journal.Header(next_sequence(slot), place.boot, "", gone=_gone(slot, steps))
            write_slot(place, scope, header, (), "settled")
        return Report(set_aside=(*recovery.set_aside, *change.asides))
    for path in change.appends:
        places[path] = place.locate(path)
    for path, (_, found) in places.items():
        if found is not None and found.kind != "file":
            raise OSError(22, "not a regular file", path)
        if path in seen.stats and found != seen.stats[path]:
            raise ChangedOutside(Fault("edited_meanwhile", file=path))
    for _, target in change.moves:
        if files.stat(place.real(target)) is not None:
            raise ChangedOutside(Fault("edited_meanwhile", file=target))

    slot = prepare(place, scope)
    for path, data in change.asides.items():
        keep_aside(place, path, data, scope)
    staying = [s.path for s in steps if not change.moves_away(s.path)]
    for path in {posixpath.dirname(p): p for p in staying}.values():
        place.make_dirs(path, scope.dir_mode)
    for _, target in change.moves:
        # What is moved into a new folder must not be lost with that folder's entry.
        place.make_dirs(target, scope.dir_mode)
        sync_up(place, scope, target)

    tails = {path: log.tail(files, place.real(path)) for path in change.appends}
    for path, tail in tails.items():
        place.make_dirs(path, scope.dir_mode)
        if tail.torn:
            # Never served, so it may go before the commit point: the line then starts at the end.
            keep_aside(place, place.aside(scope, f"{path}.torn"), tail.torn, scope)
            files.truncate(place.real(path), tail.end)
            files.sync(place.real(path))
    header, body = _describe(place, slot, change, steps, tails)
    staged = place.stage(scope)
    try:
        for number, step in enumerate(s for s in steps if s.data is not None):
            step.staged = f"{staged}/{number}"
            stage(place, step, scope)
        settle(place, scope, slot)
        write_slot(place, scope, header, body, "armed")
    except OSError:
        _give_up(place, scope, header.sequence, recovery)
        raise
    failed = _put_in_place(place, scope, change, steps, tails, recovery)
    return Report(
        (*(s.path for s in steps if s.data is not None), *change.appends),
        tuple(s.path for s in steps if s.data is None),
        (*recovery.set_aside, *change.asides),
        tuple(failed),
    )


def _differing(
    place: Place, change: Change, seen: Seen, places: dict[str, tuple[str, Stat | None]]
) -> list[Step]:
    """Only files whose content changes are touched; truth comes first."""
    steps = []
    for path, (data, truth) in change.writes.items():
        real = places[path][0]
        # What the transaction read stands: an edit since then is found by its stat, and refused.
        before = seen.contents[path] if path in seen.contents else read(place, path)
        if change.moves_away(path):
            before = None  # it is not there any more when its place is written anew
        if before != data:
            steps.append(Step(path, real, data, before, truth))
    return sorted(steps, key=lambda s: not s.truth)


def _describe(
    place: Place,
    slot: journal.Slot | None,
    change: Change,
    steps: list[Step],
    tails: dict[str, log.Tail],
) -> tuple[journal.Header, list[bytes]]:
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
        next_sequence(slot),
        place.boot,
        stamp(place.clock()),
        length,
        replaces,
        appends,
        moves,
        _gone(slot, steps),
    )
    return header, images


def _gone(slot: journal.Slot | None, steps: list[Step]) -> tuple[str, ...]:
    """Views that changes before this one removed. No removal is synced, so after a power cut any
    of them may be there again, and has to be removed by name."""
    if slot is None or slot.header is None:
        return ()
    written = {step.path for step in steps}
    return tuple(path for path in gone_after(slot.header) if path not in written)


def _give_up(place: Place, scope: Scope, sequence: int, recovery: Recovery) -> None:
    """The disk refused before the commit point was sure: the change must not come back later."""
    with suppress(OSError):
        unstage(place, scope)
    slot = place.slot(scope)
    if slot is not None and slot.header is None:
        # Half written: say in a few bytes, which have their place already, that nothing waits.
        status = "views" if recovery.views_stale else "refused"
        header = journal.Header(sequence, place.boot, "", gone=recovery.gone)
        with suppress(OSError):
            write_slot(place, scope, header, (), status)
    elif slot is not None and slot.header is not None and slot.header.sequence == sequence:
        abort(place, scope, recovery)


def _put_in_place(
    place: Place,
    scope: Scope,
    change: Change,
    steps: list[Step],
    tails: dict[str, log.Tail],
    recovery: Recovery,
) -> list[str]:
    files = place.files
    visible = False
    path = ""
    try:
        for path, line in change.appends.items():
            _append(place, path, tails[path], line + b"\n", scope)
        for path, target in change.moves:
            files.replace(place.real(path), place.real(target))
            visible = True
            # What takes the old place must not reach the disk before the old file has left it.
            for folder in {posixpath.dirname(place.real(p)) for p in (path, target)}:
                files.sync_dir(folder)
        for step in steps:
            if change.moves_away(step.path):
                place.make_dirs(step.path, scope.dir_mode)
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
        try:
            _take_back(place, scope, tails, recovery)
        except OSError:
            # It cannot be undone either, so it will be completed: the answer must say that.
            reason = error.strerror or str(error)
            raise StorageFailed(Fault("publish_incomplete", file=path, reason=reason)) from error
        raise storage_failed(error, path) from error
    failed = []
    for step in steps:
        if not step.truth:
            try:
                _replace(place, step)
            except OSError:
                failed.append(step.path)  # reported, and rendered again by the next command
    if not failed and (change.rendered or not recovery.views_stale):
        # A slot that stays `armed` is verified by the next command: so it is where a view is not
        # in place or was not rendered, and where this mark cannot be written.
        with suppress(OSError):
            journal.mark(files, place.slot_path(scope), "done")
    return failed


def _append(place: Place, path: str, tail: log.Tail, line: bytes, scope: Scope) -> None:
    files, real = place.files, place.real(path)
    if files.stat(real) is None:
        files.create(real, line, scope.file_mode)
        return
    files.write_at(real, tail.end, line)


def _replace(place: Place, step: Step) -> None:
    if step.data is None:
        place.files.remove(step.real)
    else:
        place.files.replace(step.staged, step.real)


def _take_back(place: Place, scope: Scope, tails: dict[str, log.Tail], recovery: Recovery) -> None:
    """The disk refused after the commit point but before anything a reader trusts was in place:
    the change is undone, so that the refusal is true."""
    files = place.files
    for path, tail in tails.items():
        real = place.real(path)
        if files.stat(real) is None:
            continue
        if tail.end:
            files.truncate(real, tail.end)
            files.sync(real)
        else:
            files.remove(real)
            files.sync_dir(posixpath.dirname(real))
    # Only now: a crash before this completes the change, a crash after it finds the old one.
    abort(place, scope, recovery)
    with suppress(OSError):
        unstage(place, scope)
