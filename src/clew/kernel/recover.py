"""Completing what a kill or a power cut interrupted, before anything else is read.

A file that equals its content before the change is rolled forward, one that a power cut tore is
kept aside and rolled forward, anything else was edited by someone and is left alone. Runs under the
lock; running it again after a crash in its midst is safe.
"""

from __future__ import annotations

from clew.kernel import journal
from clew.kernel.document import digest
from clew.kernel.errors import ChangedOutside
from clew.kernel.faults import Fault
from clew.kernel.place import Place
from clew.kernel.slot import Step, gone_after, keep_aside, read, stage, sync_truth, unstage
from clew.kernel.vault import Recovery, Scope, facts_of_conflict


def recover(place: Place, scope: Scope, keep: str | None = None) -> Recovery:
    """Complete what an interruption left. Under the lock, before anything else is read.

    Raises `ChangedOutside` (`recovery_conflict`, one fault a file) when someone edited a file of
    the change meanwhile and `keep` does not say whose content stays.
    """
    files = place.files
    slot = place.slot(scope)
    if slot is None:
        return Recovery(views_stale=place.lost_slot(scope))
    header = slot.header
    ours = (
        frozenset(h for r in header.replaces for h in (r.before, r.after) if h)
        if header
        else frozenset()
    )
    gone = gone_after(header) if header is not None else ()
    other_boot = header is None or header.boot != place.boot
    if header is None or slot.status in ("settled", "refused", "views"):
        # A torn slot is a change that never happened: the one before it was synced.
        return Recovery(views_stale=other_boot or slot.status == "views", ours=ours, gone=gone)
    if slot.status == "done" and not other_boot:
        return Recovery()
    images = journal.body(files, place.slot_path(scope), slot)
    if images is None:
        return Recovery(views_stale=True, ours=ours, gone=gone)

    for move in header.moves:
        if files.stat(place.real(move.source)) is not None and (
            files.stat(place.real(move.target)) is None
        ):
            place.make_dirs(move.target, scope.dir_mode)
            files.replace(place.real(move.source), place.real(move.target))
    todo: list[tuple[str, bytes | None, int | None]] = []
    asides: dict[str, bytes] = {}
    conflicts: list[Fault] = []
    for item in header.replaces:
        if not item.truth:
            continue
        image = images[item.image[0] : item.image[0] + item.image[1]] if item.image else None
        disk = read(place, item.path)
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
        disk = read(place, line.path) or b""
        rest = disk[line.offset :]
        if rest.startswith(image):
            continue
        if len(disk) >= line.offset and journal.cut_of(rest, image):
            todo.append((line.path, image, line.offset))
        elif keep is None:
            conflicts.append(facts_of_conflict(line.path, size=len(disk)))
        elif keep == "journal":
            asides[place.aside(scope, line.path)] = disk
            whole = disk[: line.offset]
            if len(whole) < line.offset or (whole and not whole.endswith(b"\n")):
                whole = whole[: whole.rfind(b"\n") + 1]
            todo.append((line.path, image, len(whole)))
        else:
            asides[place.aside(scope, line.path)] = image
    if conflicts:
        raise ChangedOutside(*conflicts)

    for path, data in asides.items():
        keep_aside(place, path, data, scope)
    for path, image, offset in todo:
        _restore(place, scope, path, image, offset)
    sync_truth(place, scope, header)
    unstage(place, scope)
    journal.mark(files, place.slot_path(scope), "views")
    return Recovery(tuple(p for p, _, _ in todo), tuple(asides), True, ours, gone)


def _restore(
    place: Place, scope: Scope, path: str, image: bytes | None, offset: int | None
) -> None:
    """Put one after-image in place, by the same means as publishing."""
    files, real = place.files, place.real(path)
    place.make_dirs(path, scope.dir_mode)
    if image is None:
        files.remove(real)
    elif offset is None:
        step = Step(path, real, image, None, True)
        step.staged = f"{place.stage(scope)}/recovered"
        place.make_dirs(f"{scope.private}/stage/x", scope.dir_mode)
        stage(place, step, scope)
        files.sync(step.staged)
        files.replace(step.staged, real)
    elif files.stat(real) is None:
        files.create(real, image, scope.file_mode)
    else:
        files.write_at(real, offset, image)
        files.truncate(real, offset + len(image))
