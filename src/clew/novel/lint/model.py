"""What a finding is, what a rule is, and what the rules look at.

Pure data. A rule is a function from a `Book` to findings; `rules.RULES` lists them. A `Book` holds
the present state, what the accepted transactions said chapter by chapter, the cast, and the bodies.
Source: the design of the ledger (Lint): each finding with ids, chapters, a reason and a way to
silence it; none blocks a commit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

import msgspec

from clew.novel.lint.body import Body, Place
from clew.novel.lint.cast import Cast
from clew.novel.lint.chronicle import Chronicle, Step
from clew.novel.lint.stage import Act, acts, subjects
from clew.novel.model import Position, State

Weight = Literal["contradiction", "doubt", "reminder"]
"""How much a finding weighs: two things that cannot both be right; something that is most likely a
slip; something that is due."""


OTHERS: Final = 40
"""So many further bodies are looked at for what one chapter shares with them."""


class Words(msgspec.Struct, frozen=True):
    """One sentence in both languages."""

    zh: str
    en: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that an editor would ask about.

    `key` names it for `--silence`: the rule and what it is about, whatever the wording. The same
    slip in another chapter has another key.
    """

    key: str
    rule: str
    weight: Weight
    message: Words
    reason: Words
    """What it is concluded from."""
    next: Words
    """What to do about it: a command, or an edit."""
    ids: list[str] = []
    characters: list[str] = []
    chapters: list[int] = []
    place: Place | None = None


class Found(NamedTuple):
    """What a rule's function gives; the table adds the rule's id, its weight and the next step."""

    subject: tuple[str | int, ...]
    """The parts of the key after the rule's id."""
    message: Words
    reason: Words
    ids: tuple[str, ...] = ()
    characters: tuple[str, ...] = ()
    chapters: tuple[int, ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its function, and what people read of it."""

    id: str
    weight: Weight
    title: Words
    next: Words
    find: Callable[[Book], Iterator[Found]]
    reads: Literal["ledger", "bodies"]
    """Whether it needs the bodies of chapters."""


class Book:
    """What the rules look at. Bodies may be read when they are asked for: `bodies` is any mapping
    of chapters to bodies, and a rule asks for no more of them than it needs. With `only`, what is told
    of other chapters will be left out: rules of one chapter each read no other."""

    def __init__(
        self,
        state: State,
        chronicle: Chronicle,
        cast: Cast,
        bodies: Mapping[int, Body],
        only: int | None = None,
    ) -> None:
        self.state = state
        self.chronicle = chronicle
        self.cast = cast
        self.bodies = bodies
        self.only = only
        self.last = state.last_committed_chapter
        self._acts: dict[int, dict[str, list[Act]]] = {}

    @cached_property
    def accounts(self) -> dict[int, list[Step]]:
        """The transactions of each chapter that hold, oldest first. Chapters that were imported and
        never recorded are not in it."""
        found: dict[int, list[Step]] = {}
        for step in self.chronicle.every():
            found.setdefault(step.chapter, []).append(step)
        return dict(sorted(found.items()))

    @cached_property
    def positions(self) -> dict[int, Position]:
        """Where the story stood after each chapter, as its transaction says; a revision says it of the
        newest one."""
        found: dict[int, Position] = {}
        baseline = self.chronicle.baseline
        for step in self.chronicle.earlier:
            found[step.last] = step.transaction.context.position
        if baseline is not None:
            found[baseline.last_committed_chapter] = baseline.context.position
        for step in self.chronicle.steps:
            found[step.last] = step.transaction.context.position
        return dict(sorted(found.items()))

    def acts(self, body: Body) -> dict[str, list[Act]]:
        """Who acts in a body, and where, in the order of the text."""
        known = self._acts.get(body.chapter)
        if known is None:
            known = self._acts[body.chapter] = {}
            for act in acts(body, self.cast):
                known.setdefault(act.name, []).append(act)
        return known

    def office_acts(self, body: Body) -> dict[str, list[Act]]:
        """The same of those whom the text calls by what they alone are to others (师傅)."""
        found: dict[str, list[Act]] = {}
        for act in acts(body, self.cast, offices=True):
            found.setdefault(act.name, []).append(act)
        return found

    def subjects(self, body: Body) -> list[tuple[str, int]]:
        """Whom the clauses of a body are about, and where."""
        return list(subjects(body, self.cast))

    def asked(self) -> list[int]:
        """The chapters with a body that are asked for, in order."""
        if self.only is not None:
            return [self.only] if self.only in self.bodies else []
        return sorted(self.bodies)

    def others(self, wanted: Collection[str]) -> list[Body]:
        """Further bodies in which one of some texts stands, in order: the nearest to the chapter that
        is asked for, and no more than `OTHERS`."""
        found: list[Body] = []
        only = self.only if self.only is not None else self.last
        for chapter in sorted(self.bodies, key=lambda chapter: (abs(chapter - only), chapter)):
            if len(found) == OTHERS or not wanted:
                break
            body = self.bodies.get(chapter) if chapter != only else None
            if body is not None and any(text in body.text for text in wanted):
                found.append(body)
        return sorted(found, key=lambda body: body.chapter)

    def recorded(self, *, reach: int = 0) -> Iterator[tuple[int, list[Step], Body]]:
        """Every chapter that is asked for, and so many before and after it, that has both a
        transaction and a body."""
        for chapter, steps in self.accounts.items():
            if self.only is not None and abs(chapter - self.only) > reach:
                continue
            body = self.bodies.get(chapter)
            if body is not None:
                yield chapter, steps, body


def chapter_words(chapters: tuple[int, ...] | list[int]) -> Words:
    """Chapters as a sentence names them."""
    zh = "、".join(f"第 {number} 章" for number in chapters)
    return Words(zh, ", ".join(f"chapter {number}" for number in chapters))


def places(number: int) -> str:
    """A number of places, in English."""
    return "one place" if number == 1 else f"{number} places"


def in_order(*numbers: int | None) -> tuple[int, ...]:
    """Chapters in order, each once; what is none is left out."""
    return tuple(sorted({number for number in numbers if number}))
