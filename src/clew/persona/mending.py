"""Mending a home: what can be made again is, and everything that is replaced is kept aside.

What people write (`persona.toml`, `identity.md`, `voice.md`, `refusals.toml`) is never changed by a
mending. Documents are made again from the log of events (`folding`), or as what does no harm (`remaking`).
A damaged copy of the archive stays, and a new one is begun while its original is there; a damaged index is
thrown away, for it holds nothing of its own. Modes are set right. Rules: docs/persona.md.
"""

from __future__ import annotations

from clew.kernel import log
from clew.kernel.errors import ClewError
from clew.kernel.faults import Both, Fault
from clew.persona import folding, remaking, soundness
from clew.persona.checking import DOCUMENTS, Checked, check
from clew.persona.home import Home, decoded, decoded_lines
from clew.persona.model import EVENTS, INDEX, VITALS, Event, Lists, Vitals


def _folded(path: str, events: list[Event]) -> Vitals | Lists | None:
    """A document as the log tells it; None where there is no log: nothing is no empty list."""
    if not events:
        return None
    return folding.vitals_of(events) if path == VITALS else folding.lists_of(events)


def mend(home: Home, lang: str = "en") -> Checked:
    """Mend what can be mended, then look again. Raises `Missing`, `Refused` (settings that cannot be
    read: civil dates would be a guess)."""
    home.read_settings()
    done: list[str] = []
    with home.change() as change:
        events = decoded_lines(log.lines(change.read(EVENTS) or b"")[0], Event, EVENTS, [])
        made: dict[str, Vitals | Lists | None] = {}
        for path, kind in DOCUMENTS:
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
            old = change.read(path)
            kept = change.tx.set_aside(path) if old is not None else ""
            change.save(path, value)
            reason = Both(
                f"从 {len(events)} 条事件重建{f'；旧文件在 {kept}' if kept else ''}",
                f"made again from {len(events)} events{f'; the old file is {kept}' if kept else ''}",
            )
            home.notes.append(Fault("persona_mended", file=path, reason=reason))
            done.append(path)
        for one in remaking.remade(change.read):
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
        if done:
            change.event("mended", files=done)
    done += _archive(home)
    done += _indexes(home)
    for path, _, right in soundness.open_modes(home):
        home.vault.files.set_mode(f"{home.root}/{path}" if path else home.root, right)
        done.append(path or ".")
    return check(home, lang, mended=done)


def _archive(home: Home) -> list[str]:
    """Begin anew the damaged copies of which the original is there."""
    from clew.persona import archived, archiving

    damaged = [str(fault.facts["file"]) for fault in archived.examine(home)[0]]
    if not damaged:
        return []
    done = archiving.renew(home, damaged)
    for path in done:
        reason = Both("从原件重新归档", "copied from its original again")
        home.notes.append(Fault("persona_mended", file=path, reason=reason))
    return done


def _indexes(home: Home) -> list[str]:
    """Throw damaged indexes away (a file that is none of ours is moved aside); the next search makes
    them again."""
    from clew.persona.memory.vectors import Vectors
    from clew.persona.memory.words import Memory

    done = []
    for fault in soundness.damaged_indexes(home):
        path = str(fault.facts["file"])
        with Memory(home) if path == INDEX else Vectors(home) as kept:
            kept.discard()
        reason = Both("索引已扔掉，下次搜索时重建", "thrown away; the next search makes it again")
        home.notes.append(Fault("persona_mended", file=path, reason=reason))
        done.append(path)
    return done
