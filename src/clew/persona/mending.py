"""Mending a home: what can be made again is, and everything that is replaced is kept aside.

What people write (`persona.toml`, `identity.md`, `voice.md`, `refusals.toml`) is never changed by a
mending. Documents are made again from the log of events (`folding`), or as what does no harm (`remaking`).
A damaged copy of the archive stays, and a new one is begun while its original is there; a damaged index is
thrown away, for it holds nothing of its own. Modes are set right. Rules: docs/persona.md.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from clew.kernel.errors import ClewError
from clew.kernel.faults import Both, Fault
from clew.persona import folding, remaking, soundness
from clew.persona.archive import MANIFEST
from clew.persona.checking import DOCUMENTS, Checked, check, events_in, pages_lost
from clew.persona.decoding import decoded
from clew.persona.ends import accepted, losses
from clew.persona.home import Home
from clew.persona.model import EVENTS, INDEX, VITALS, Event, Lists, Vitals


def _folded(path: str, events: list[Event]) -> Vitals | Lists | None:
    """A document as the log tells it; None where there is no log: nothing is no empty list."""
    if not events:
        return None
    return folding.vitals_of(events) if path == VITALS else folding.lists_of(events)


def _fewer(lost: Mapping[str, int], events: list[Event]) -> int:
    """How many events are known to be missing: by what stood there last, and by their numbers."""
    numbers = [event.n for event in events]
    gaps = (max(numbers) - len(set(numbers))) if numbers else 0
    known = max((e.facts.get("events", 0) for e in events if e.kind == "loss_accepted"), default=0)
    if EVENTS in lost:
        return max(1, lost[EVENTS], gaps)
    return gaps if gaps > known else 0


def mend(home: Home, lang: str = "en", *, accept_loss: bool = False) -> Checked:
    """Mend what can be mended, then look again. What lies at a place of another kind is left alone. Where
    lines of the events are known to be lost, nothing is made again from the rest unless `accept_loss`.
    Raises `Missing`, `Refused` (settings that cannot be read: civil dates would be a guess)."""
    home.read_settings()
    wrong = soundness.wrong_kinds(home)
    done: list[str] = []
    with home.change() as change:

        def read(path: str) -> bytes | None:
            return None if path in wrong else change.read(path)

        events = events_in(read)
        lost = losses(change.ends, read)
        pages = [str(fault.facts["file"]) for fault in pages_lost(events, read, [])]
        fewer = _fewer(lost, events)
        made: dict[str, Vitals | Lists | None] = {}
        for path, kind in DOCUMENTS:
            if path in wrong:
                continue
            data = change.read(path)
            try:
                if decoded(data, kind, path) is not None:
                    continue
            except ClewError as error:
                if error.code == "newer_schema":
                    raise
            made[path] = _folded(path, events)
        for path, value in made.items():
            if value is None:
                reason = Both("事件日志里没有它的来历", "the log of events does not tell of it")
                home.notes.append(Fault("persona_unmended", file=path, reason=reason))
                continue
            if fewer and not accept_loss:
                home.notes.append(Fault("rebuild_fewer", file=path, found=fewer))
                continue
            old = change.read(path)
            kept = change.tx.set_aside(path) if old is not None else ""
            change.save(path, value)
            reason = Both(
                f"从 {len(events)} 条事件重建{f'（另有 {fewer} 条丢了）' if fewer else ''}"
                f"{f'；旧文件在 {kept}' if kept else ''}",
                f"made again from {len(events)} events{f' ({fewer} more are lost)' if fewer else ''}"
                f"{f'; the old file is {kept}' if kept else ''}",
            )
            home.notes.append(Fault("persona_mended", file=path, reason=reason))
            done.append(path)
        for one in remaking.remade(read):
            kept = change.tx.set_aside(one.path)
            if one.value is None:
                change.remove(one.path)
            else:
                change.save(one.path, one.value)
            reason = Both(
                f"{one.what.zh}；旧文件在 {kept}", f"{one.what.en}; the old file is {kept}"
            )
            home.notes.append(Fault("persona_mended", file=one.path, reason=reason))
            done.append(one.path)
        if accept_loss and EVENTS not in wrong and (lost or pages or fewer):
            days = [posixpath.basename(page).removesuffix(".md") for page in pages]
            change.ends = accepted(change.ends, read)
            change.event("loss_accepted", logs=lost, days=days, events=fewer)
            done += [*lost, *pages]
        if done and EVENTS not in wrong:
            change.event("mended", files=done)
    if MANIFEST not in wrong:
        done += _archive(home)
    done += _indexes(home, wrong)
    for path, _, right in soundness.open_modes(home, wrong):
        home.vault.files.set_mode(f"{home.root}/{path}" if path else home.root, right)
        done.append(path or ".")
    return check(home, lang, mended=done)


def _archive(home: Home) -> list[str]:
    """Make a lost manifest again, and begin anew the damaged copies of which the original is there."""
    from clew.persona import archived, archiving

    done = []
    if there := archived.unlisted(home):
        manifest = archived.listed(home)
        with home.change() as change:
            change.save(MANIFEST, manifest)
        reason = Both(f"由 {len(there)} 个副本重建", f"made again from {len(there)} copies")
        home.notes.append(Fault("persona_mended", file=MANIFEST, reason=reason))
        done.append(MANIFEST)
    damaged = [str(fault.facts["file"]) for fault in archived.examine(home)[0]]
    if not damaged:
        return done
    renewed = archiving.renew(home, damaged)
    for path in renewed:
        reason = Both("从原件重新归档", "copied from its original again")
        home.notes.append(Fault("persona_mended", file=path, reason=reason))
    return done + renewed


def _indexes(home: Home, wrong: Mapping[str, Fault]) -> list[str]:
    """Throw damaged indexes away (a file that is none of ours is moved aside); the next search makes
    them again."""
    from clew.persona.memory.vectors import Vectors
    from clew.persona.memory.words import Memory

    done = []
    for fault in soundness.damaged_indexes(home):
        path = str(fault.facts["file"])
        if path in wrong:
            continue
        with Memory(home) if path == INDEX else Vectors(home) as kept:
            kept.discard()
        reason = Both("索引已扔掉，下次搜索时重建", "thrown away; the next search makes it again")
        home.notes.append(Fault("persona_mended", file=path, reason=reason))
        done.append(path)
    return done
