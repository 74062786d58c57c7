"""`diff`: what changed from one card to another, value by value.

Entries of a lorebook are paired by their ids, so that an entry put in at the top is one addition and
not a change of every other. Numbers are compared as they are written. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from clew.books.cards.values import Json, child, encode, same
from clew.books.model import Card

_MISSING: Final = object()


class Change(NamedTuple):
    """One difference. `path` is a place in the newer card, or in the older one for `removed`."""

    kind: str
    """`added`, `removed`, `changed`, or `moved` (the same items in another order)."""
    path: str
    before: Json
    after: Json


def diff(before: Card, after: Card) -> list[Change]:
    """Every difference in what two cards say (`Card.content`), in the order of the newer one: empty
    exactly when their content hashes are equal."""
    old, new = before.content, after.content
    return [
        *compare("$.data", old["data"], new["data"]),
        *compare("$", old["root"], new["root"]),
    ]


def compare(path: str, one: Any, other: Any) -> Iterator[Change]:
    """The differences of two values that stand at `path`."""
    if one is _MISSING:
        yield Change("added", path, None, other)
    elif other is _MISSING:
        yield Change("removed", path, one, None)
    elif isinstance(one, dict) and isinstance(other, dict):
        for key in [*other, *(key for key in one if key not in other)]:
            yield from compare(child(path, key), one.get(key, _MISSING), other.get(key, _MISSING))
    elif isinstance(one, list) and isinstance(other, list):
        yield from _lists(path, one, other)
    elif not same(one, other):
        yield Change("changed", path, one, other)


def _lists(path: str, one: list[Any], other: list[Any]) -> Iterator[Change]:
    old, new = _by_id(one), _by_id(other)
    if old is not None and new is not None:
        shared_old = [ident for ident in old if ident in new]
        shared_new = [ident for ident in new if ident in old]
        for ident, index in new.items():
            before = one[old[ident]] if ident in old else _MISSING
            yield from compare(f"{path}[{index}]", before, other[index])
        for ident, index in old.items():
            if ident not in new:
                yield Change("removed", f"{path}[{index}]", one[index], None)
        if shared_old != shared_new:
            yield Change("moved", path, [_ident(one[old[i]]) for i in shared_old],
                         [_ident(other[new[i]]) for i in shared_new])  # fmt: skip
        return
    start = 0
    while start < min(len(one), len(other)) and same(one[start], other[start]):
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and same(one[-1 - end], other[-1 - end]):
        end += 1
    for index in range(start, max(len(one), len(other)) - end):
        before = one[index] if index < len(one) - end else _MISSING
        now = other[index] if index < len(other) - end else _MISSING
        yield from compare(f"{path}[{index}]", before, now)


def _by_id(rows: list[Any]) -> dict[str, int] | None:
    """Where each id stands; None when not every item has one of its own."""
    found: dict[str, int] = {}
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or row.get("id") is None:
            return None
        found[encode(row["id"])] = index
    return found if len(found) == len(rows) else None


def _ident(row: dict[str, Any]) -> Json:
    return row["id"]
