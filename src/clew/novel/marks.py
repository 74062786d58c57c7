"""What an author says about the book without changing its state: silenced findings, publications.

Each is a line of the history (kinds `silence` and `publish`) that makes no new revision, so it is
kept, backed up and verified with everything else. Source: the design of the ledger (history, lint,
publish). May touch files through the ledger's vault only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from clew.kernel.clock import stamp
from clew.kernel.document import UNREADABLE, digest
from clew.kernel.faults import Fault
from clew.kernel.vault import Reader
from clew.novel import history
from clew.novel.history import Line, Publication, Silence
from clew.novel.ledger import Ledger
from clew.novel.model import State

_OVERDUE = "overdue-foreshadow:"


class Marks(NamedTuple):
    """Every mark that holds now, by what it is about."""

    silences: dict[str, Silence]
    """By the finding's key."""
    published: dict[int, Publication]
    """By chapter."""


def overdue_key(foreshadow: str) -> str:
    """The key by which an author silences that a foreshadow is overdue."""
    return f"{_OVERDUE}{foreshadow}"


def silence_of(finding: str, reason: str, state: State) -> Silence:
    """The mark by which the author silences a finding as the book stands now."""
    row = state.foreshadow.get(finding.removeprefix(_OVERDUE))
    overdue = row is not None and finding.startswith(_OVERDUE)
    return Silence(
        finding, reason, planned=row.planned_resolution_chapter if row and overdue else None
    )


def holding(found: Marks, state: State) -> Marks:
    """The marks without the silences of foreshadows that were planned anew since."""

    def holds(mark: Silence) -> bool:
        row = state.foreshadow.get(mark.finding.removeprefix(_OVERDUE))
        if mark.planned is None or row is None or not mark.finding.startswith(_OVERDUE):
            return True
        return row.planned_resolution_chapter == mark.planned

    return found._replace(silences={k: mark for k, mark in found.silences.items() if holds(mark)})


class _Marked(msgspec.Struct):
    kind: history.Kind
    publication: Publication | None = None
    silence: Silence | None = None


_MARKED = msgspec.json.Decoder(_Marked)


def of_lines(lines: Iterable[bytes]) -> Marks:
    """The marks that a history ends in. Lines that cannot be read are passed over: a damaged
    history is `check`'s to tell, and no mark of it is worse than one too many finding."""
    found = Marks({}, {})
    for data in lines:
        if b'"kind":"silence"' not in data and b'"kind":"publish"' not in data:
            continue
        try:
            line = _MARKED.decode(data)
        except UNREADABLE:
            continue
        if line.kind == "silence" and line.silence is not None:
            found.silences.pop(line.silence.finding, None)
            if not line.silence.lifted:
                found.silences[line.silence.finding] = line.silence
        elif line.kind == "publish" and line.publication is not None:
            found.published.pop(line.publication.chapter, None)
            if not line.publication.withdrawn:
                found.published[line.publication.chapter] = line.publication
    return found


def read(ledger: Ledger, reader: Reader) -> Marks:
    """The marks of a book."""
    return of_lines(ledger.lines(reader))


class OvertakenError(Exception):
    """Somebody changed the ledger since the marks were judged."""


def put(
    ledger: Ledger, notes: list[Fault], *marks: Silence | Publication, judged: str | None = None
) -> int:
    """Write marks into the history, all or none. Returns the state's revision, which stays.

    `judged` is the digest of the last line when the marks were judged: where another is there now,
    `OvertakenError` is raised and nothing written. A ledger of another tool is adopted first. Raises
    what loading a ledger raises, `Locked`, `StorageFailed`.
    """
    from clew.novel.commit import ready
    from clew.novel.start import adopt_into

    with ledger.changing(notes) as tx:
        loaded = ready(ledger, tx)
        if judged is not None and loaded.last_digest != judged:
            raise OvertakenError
        if loaded.last is None:
            loaded = adopt_into(ledger, tx, loaded, notes)
        previous = loaded.last_digest
        for mark in marks:
            data = history.dump(line_of(mark, loaded.state, previous, stamp(ledger.clock())))
            tx.append(history.PATH, data)
            previous = digest(data)
    return loaded.state.state_revision


def line_of(mark: Silence | Publication, state: State, previous: str, time: str) -> Line:
    """The history line of a mark."""
    silence = mark if isinstance(mark, Silence) else None
    publication = mark if isinstance(mark, Publication) else None
    return Line(
        kind="silence" if silence is not None else "publish",
        previous=previous,
        revision=state.state_revision,
        state_sha256=digest(history.encode_state(state)),
        time=time,
        chapter=publication.chapter if publication is not None else None,
        silence=silence,
        publication=publication,
    )
