"""What was told, and in which order: the transactions of a history that still hold.

Pure: history lines in, values out. A commit that was taken back tells nothing; one that was brought
back tells again. A baseline in the middle (a state that someone changed outside and that was
adopted) is a fresh start for what rows hold, while the chapters before it stay told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from clew.kernel.document import UNREADABLE
from clew.kernel.errors import Corrupt
from clew.kernel.faults import Fault
from clew.novel import history
from clew.novel.model import Chaptered, State
from clew.novel.standing import Commit, baseline_state, standing


class Step(NamedTuple):
    """One accepted transaction."""

    chapter: int
    last: int
    """The last chapter of the book once it was in."""
    transaction: Chaptered

    @property
    def appends(self) -> bool:
        """Whether it wrote a new chapter."""
        return self.transaction.mode == "append"


class Chronicle(NamedTuple):
    """Every transaction that holds."""

    baseline: State | None = None
    """What the book began with, or was adopted as; None for a ledger that has no history."""
    steps: tuple[Step, ...] = ()
    """Since the baseline, in the order of acceptance."""
    earlier: tuple[Step, ...] = ()
    """Before the baseline, of chapters that it still has."""

    def every(self) -> Iterator[Step]:
        """All of them, oldest first."""
        yield from self.earlier
        yield from self.steps


_WHOLE: Final = msgspec.json.Decoder(Chaptered)


def chronicle_of(lines: Sequence[bytes]) -> Chronicle:
    """The chronicle of a history. Raises `Corrupt` (`history_broken`) at a line it cannot read."""
    stand = standing(lines)
    begins = stand.baselines[-1] if stand.baselines else -1
    baseline = baseline_state(lines, begins) if stand.baselines else None
    last = baseline.last_committed_chapter if baseline is not None else 0
    before = [commit for commit in stand.commits if commit.at < begins and commit.chapter <= last]
    after = [commit for commit in stand.commits if commit.at > begins]
    return Chronicle(baseline, _steps(after, last), _steps(before, 0))


def _steps(commits: Iterable[Commit], last: int) -> tuple[Step, ...]:
    steps = []
    for commit in commits:
        last = max(last, commit.chapter)
        try:
            transaction = _WHOLE.decode(commit.raw)
        except UNREADABLE as error:
            line = commit.at + 1
            fault = Fault("history_broken", file=history.PATH, line=line, reason=str(error))
            raise Corrupt(fault) from None
        steps.append(Step(commit.chapter, last, transaction))
    return tuple(steps)
