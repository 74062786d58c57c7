"""What publishing and recovering share: the private folder, the slot, staged files, syncs.

The order in which these are called is what keeps the crash rule; it stands in `publish` and
`recover`. Each function here is safe to run again where an earlier process was killed in it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Final

from clew.kernel import journal
from clew.kernel.document import digest
from clew.kernel.place import Place
from clew.kernel.vault import Recovery, Scope

_IGNORE: Final = (
    b"# Journal, index and files set aside: rebuilt or private, not for version control.\n*\n"
)


class Step:
    """One replaced file on its way."""

    __slots__ = ("after", "before", "data", "path", "real", "staged", "truth")

    def __init__(
        self, path: str, real: str, data: bytes | None, before: bytes | None, truth: bool
    ) -> None:
        self.path, self.real, self.data, self.truth = path, real, data, truth
        self.before = None if before is None else digest(before)
        self.after = None if data is None else digest(data)
        self.staged = ""


def next_sequence(slot: journal.Slot | None) -> int:
    return slot.header.sequence + 1 if slot and slot.header else 1


def prepare(place: Place, scope: Scope) -> journal.Slot | None:
    """The private folder, its ignore file and an empty slot whose names survive a power cut.

    Returns the slot as it is, None where it was made just now."""
    files = place.files
    place.make_dirs(f"{scope.private}/stage/x", scope.dir_mode)
    slot = place.slot(scope)
    if slot is not None and slot.header is not None and slot.header.sequence > 0:
        return slot
    # Also where an earlier process was killed on its way through here.
    path = place.slot_path(scope)
    private = posixpath.dirname(path)
    if files.stat(f"{private}/.gitignore") is None:
        files.create(f"{private}/.gitignore", _IGNORE, scope.file_mode)
    if slot is None or slot.header is None:
        files.remove(path)
        empty = journal.pack(journal.Header(0, place.boot, ""), (), "settled")
        files.create(path, empty, scope.file_mode)
    files.sync(path)
    folder = private
    while True:
        files.sync_dir(folder)
        if folder == place.root:
            return None
        folder = posixpath.dirname(folder)


def write_slot(
    place: Place, scope: Scope, header: journal.Header, body: Sequence[bytes], status: str
) -> None:
    slot = place.slot_path(scope)
    place.files.write_at(slot, 0, journal.pack(header, body, status))
    place.files.sync(slot)


def stage(place: Place, step: Step, scope: Scope) -> None:
    assert step.data is not None
    files = place.files
    mode = files.mode(step.real)
    wanted = scope.file_mode if mode is None else mode
    try:
        files.create(step.staged, step.data, wanted)
    except FileExistsError:  # left by a process that was killed before its commit point
        files.remove(step.staged)
        files.create(step.staged, step.data, wanted)
    if mode is not None and files.mode(step.staged) != mode:
        files.set_mode(step.staged, mode)


def abort(place: Place, scope: Scope, recovery: Recovery) -> None:
    """Durably say that the change of the slot is not to be completed. Views that were to be
    rendered before it still are."""
    path = place.slot_path(scope)
    try:
        journal.mark(place.files, path, "views" if recovery.views_stale else "refused")
        place.files.sync(path)
    except OSError:
        # A full disk may refuse to write, but not to delete; without a slot nothing is pending.
        place.files.remove(path)
        place.files.sync_dir(posixpath.dirname(path))


def unstage(place: Place, scope: Scope) -> None:
    folder = place.stage(scope)
    for name in place.files.names(folder):
        place.files.remove(f"{folder}/{name}")


def keep_aside(place: Place, path: str, data: bytes, scope: Scope) -> None:
    """A copy in the private folder, durable before the original is overwritten."""
    place.make_dirs(path, scope.dir_mode)
    real = place.real(path)
    place.files.create(real, data, scope.file_mode)
    place.files.sync(real)
    sync_up(place, scope, path)


def sync_up(place: Place, scope: Scope, path: str) -> None:
    """Sync every folder between a file and its scope, whoever made it."""
    for folder in _folders(place, scope, path):
        place.files.sync_dir(folder)


def _folders(place: Place, scope: Scope, path: str) -> list[str]:
    """The real folders from a file's own up to its scope's, those that exist."""
    out = []
    folder = posixpath.dirname(path)
    while True:
        real = place.real(folder) if folder else place.root
        if place.files.stat(real) is not None:
            out.append(real)
        if folder == scope.folder or not folder:
            return out
        folder = posixpath.dirname(folder)


def settle(place: Place, scope: Scope, slot: journal.Slot | None) -> None:
    """Sync the truth of the last change, so that its slot may be overwritten."""
    if slot is None or slot.header is None or slot.status != "done":
        return
    sync_truth(place, scope, slot.header)
    journal.mark(place.files, place.slot_path(scope), "settled")


def sync_truth(place: Place, scope: Scope, header: journal.Header) -> None:
    files = place.files
    folders: set[str] = set()
    for path in [r.path for r in header.replaces if r.truth] + [a.path for a in header.appends]:
        real, found = place.locate(path)
        if (
            found is not None and found.kind == "file"
        ):  # a folder that somebody put there is told by a reader
            files.sync(real)
        folders.update(_folders(place, scope, path))
    for move in header.moves:
        folders.update(_folders(place, scope, move.target), _folders(place, scope, move.source))
    for folder in sorted(folders):
        files.sync_dir(folder)


def read(place: Place, path: str) -> bytes | None:
    try:
        return place.files.read(place.real(path))
    except FileNotFoundError:
        return None


def gone_after(header: journal.Header) -> tuple[str, ...]:
    """The views that are to be gone after the change of a slot."""
    removed = (r.path for r in header.replaces if r.after is None and not r.truth)
    return tuple(dict.fromkeys((*header.gone, *removed)))
