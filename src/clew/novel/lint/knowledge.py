"""The rule of knowledge: somebody knows, word for word, what nobody can have told him.

Pure. Source: the design of the ledger (knowledge that no event or earlier snapshot explains: literal
mention of an event whose reveal has not happened). What somebody knew in the baseline, took part in,
or is said to have learnt in a change, is explained. Removing the item, or adding him to the event,
mends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from clew.novel.lint.cast import Cast, alternation, is_han
from clew.novel.lint.chronicle import Step
from clew.novel.lint.model import Book, Found, Words
from clew.novel.model import Event, EventChange, id_number

_LEAST: Final = 5
"""Weight of a common run from which it is the same statement: a character is 1, a name is 1, and an
English word is 1¾, or ½ where it is a word of grammar."""
_GRAM: Final = 3
"""So many tokens in common are looked at; a fact of no more is told by all of them."""
_TOKEN: Final = re.compile(
    r"[A-Za-z0-9\u00c0-\u024f]+(?:['’-][A-Za-z0-9\u00c0-\u024f]+)*|[\u3400-\u9fff]"
)
_LIGHT: Final = re.compile(
    "an?|the|of|to|in|on|at|by|for|with|from|and|or|but|is|are|was|were|be|been|has|had|have|its?|he|she|they|"
    "his|her|their|him|them|that|this|who|what|when|where|why|how|not?"
)
_LEARNS: Final = re.compile(
    "得知|获知|知道|知晓|听|看到|看见|见到|撞见|目睹|读到|认出|发现|查出|查到|查明|明白|猜|推断|推测|推出|想通|想到|悟|问出|套出|"
    "告诉|告知|透露|坦白|说出|"
    r"\b(?:learn\w*|told|tells|hear\w*|find\w*|found|see\w*|saw|read\w*|works? out|worked out|discover\w*|"
    r"guess\w*|realis\w*|realiz\w*|overhear\w*|confess\w*|reveal\w*|deduc\w*)\b",
    re.IGNORECASE,
)


def knowledge_unexplained(book: Book) -> Iterator[Found]:
    """A snapshot knows an event literally before it was revealed, and nothing explains it."""
    events = list(book.state.timeline.values())
    grams = _Grams(book.cast)
    for event in events:
        grams.add(event.id, event.objective_fact)
    for name, snapshot in sorted(book.state.characters.items()):
        seen: set[str] = set()
        for item in snapshot.knowledge:
            for ident in sorted(grams.like(item), key=id_number):
                event = book.state.timeline[ident]
                if ident in seen or _present(book, name, event):
                    continue
                step = _first_known(book, name, item)
                run = grams.run(item, event.objective_fact)
                if step is None or not run or not _hidden_then(book, event, step):
                    continue
                if _explained(book, grams, name, event, step):
                    continue
                seen.add(ident)
                yield _unexplained(name, item, event, step, run)


def _present(book: Book, name: str, event: Event) -> bool:
    return any((book.cast.resolve(who) or who) == name for who in event.characters)


def _first_known(book: Book, name: str, item: str) -> Step | None:
    """The transaction that first gave somebody an item; None where the baseline had it already."""
    baseline = book.chronicle.baseline
    before = baseline.characters.get(name) if baseline is not None else None
    if before is not None and item in before.knowledge:
        return None
    for step in book.chronicle.every():
        snapshot = step.transaction.character_snapshots.get(name)
        if snapshot is not None and item in snapshot.knowledge:
            return step
    return None


def _hidden_then(book: Book, event: Event, step: Step) -> bool:
    """Whether an event was recorded, and unrevealed, once a transaction was in."""
    status = None
    baseline = book.chronicle.baseline
    if baseline is not None and event.id in baseline.timeline:
        status = baseline.timeline[event.id].reveal_status
    for other in book.chronicle.every():
        for row in other.transaction.delta.timeline_events:
            if row.id == event.id:
                status = row.reveal_status if row.action == "upsert" else None
        if other is step:
            break
    return status == "未揭示"


def _explained(book: Book, grams: _Grams, name: str, event: Event, step: Step) -> bool:
    """Whether something told up to a transaction says how somebody came to know."""
    fact = event.objective_fact
    for other in book.chronicle.every():
        delta = other.transaction.delta
        for row in delta.character_changes:
            if row.name == name and _LEARNS.search(row.change) and grams.alike(row.change, fact):
                return True
        if any(_tells(book, grams, name, row, event) for row in delta.timeline_events):
            return True
        if other is step:
            break
    return False


def _tells(book: Book, grams: _Grams, name: str, row: EventChange, event: Event) -> bool:
    there = any((book.cast.resolve(who) or who) == name for who in row.characters)
    if row.id == event.id:
        return there
    told = there or row.reveal_status not in (None, "未揭示")
    return told and bool(grams.run(row.objective_fact or "", event.objective_fact))


def _unexplained(name: str, item: str, event: Event, step: Step, run: str) -> Found:
    return Found(
        (name, event.id),
        Words(
            f"{name}在第 {step.chapter} 章就知道了{event.id}：「{item}」，而那时它还未揭示",
            f"{name} knows {event.id} in chapter {step.chapter} (“{item}”), before it is revealed",
        ),
        Words(
            f"与{event.id}的事实原样相同的一段：「{run}」；他不在这件事的 characters 里，"
            "没有别的事件、更早的快照或他的变化说明来由",
            f"word for word as in the fact of {event.id}: “{run}”; not among its characters, and no "
            "other event, earlier snapshot or change tells how",
        ),
        ids=(event.id,),
        characters=(name,),
        chapters=(step.chapter,),
    )


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    weight: float


class _Grams:
    """Finds texts that have a long run in common, without comparing each with each."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._names = alternation(cast.known)
        self._by_gram: dict[tuple[str, ...], list[str]] = {}

    def add(self, ident: str, text: str) -> None:
        for gram in _grams(self._tokens(text)):
            self._by_gram.setdefault(gram, []).append(ident)

    def like(self, text: str) -> set[str]:
        found: set[str] = set()
        for gram in _grams(self._tokens(text)):
            found.update(self._by_gram.get(gram, ()))
        return found

    def run(self, one: str, other: str) -> str:
        """The weightiest common run of two texts, as the first writes it; empty when none counts."""
        start, end, weight, tokens = self._longest(one, other)
        whole = _GRAM <= len(self._tokens(other)) == tokens
        return one[start:end] if weight >= _LEAST or whole else ""

    def alike(self, one: str, other: str) -> bool:
        """Whether two texts have anything to do with each other: a run of three, or two names."""
        weight = self._longest(one, other)[2]
        names = {m[0] for m in self._names.finditer(one)} & {
            m[0] for m in self._names.finditer(other)
        }
        return weight >= 3 or len(names) > 1

    def _longest(self, one: str, other: str) -> tuple[int, int, float, int]:
        """The weightiest common run: where it is in `one`, its weight, and how many tokens it has."""
        a, b = self._tokens(one), self._tokens(other)
        best = (0, 0, 0.0, 0)
        previous: list[tuple[int, float]] = [(0, 0.0)] * (len(b) + 1)
        for i, token in enumerate(a):
            row: list[tuple[int, float]] = [(0, 0.0)]
            for j, counterpart in enumerate(b):
                if token.text != counterpart.text:
                    row.append((0, 0.0))
                    continue
                length, weight = previous[j]
                row.append((length + 1, weight + token.weight))
                if weight + token.weight > best[2]:
                    weighs = weight + token.weight
                    best = (a[i - length].start, token.end, weighs, length + 1)
            previous = row
        return best

    def _tokens(self, text: str) -> list[_Token]:
        out: list[_Token] = []
        at = 0
        for name in self._names.finditer(text):
            out += _plain_tokens(text, at, name.start())
            meant = self._cast.forms.get(name[0], name[0])
            out.append(_Token(meant, name.start(), name.end(), 1.0))
            at = name.end()
        return out + _plain_tokens(text, at, len(text))


def _plain_tokens(text: str, start: int, end: int) -> list[_Token]:
    return [
        _Token(m[0].casefold(), m.start(), m.end(), _weight(m[0].casefold()))
        for m in _TOKEN.finditer(text, start, end)
    ]


def _weight(token: str) -> float:
    if is_han(token):
        return 1.0
    return 0.5 if _LIGHT.fullmatch(token) else 1.75


def _grams(tokens: list[_Token]) -> Iterator[tuple[str, ...]]:
    for at in range(len(tokens) - _GRAM + 1):
        yield tuple(token.text for token in tokens[at : at + _GRAM])
