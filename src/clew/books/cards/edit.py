"""Editing a card: a new card with one value set or removed, the old one untouched.

Paths are those of the report: `$.data.name`, `$.data.alternate_greetings[1]`,
`$.data.extensions["odd key"]`; a path that does not begin with `$` is meant below `data`, so `name`
will do. Copies of a field that other programs keep beside `data` follow the edit.

Pure. A value of the wrong kind is refused, not repaired: an edit is made by someone who can be told.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from clew.books.cards import repair
from clew.books.cards.report import Limits, Report
from clew.books.cards.values import Json, Number, child, joined
from clew.books.model import V1_FIELDS, Card
from clew.kernel.errors import Refused
from clew.kernel.faults import Fault

Step = str | int
_STEP: Final = re.compile(
    r"""(?:\.|^)(?P<name>[^.\[\]"$][^.\[\]]*)|\[(?P<index>\d+)\]|\[(?P<append>\+)\]|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]"""
)
_APPEND: Final = -1
_MIRRORS: Final[dict[tuple[Step, ...], str]] = {
    **{("data", name): name for name in V1_FIELDS},
    ("data", "creator_notes"): "creatorcomment",
    ("data", "tags"): "tags",
    ("data", "extensions", "talkativeness"): "talkativeness",
    ("data", "extensions", "fav"): "fav",
}
"""Where SillyTavern and V1 keep a second copy, at the root."""


def set(card: Card, path: str, value: Json) -> Card:
    """A card with `value` at `path`. Objects on the way are made; `[+]` or the index behind the last
    item adds to a list. Raises `Refused`: `bad_path`, `wrong_type`, `bad_number`, `too_deep`."""
    steps = parse_path(path)
    value = _plain(value, path, Limits().depth)
    return _changed(card, steps, path, value)


def remove(card: Card, path: str) -> Card:
    """A card without what is at `path`. Raises `Refused`: `bad_path`."""
    return _changed(card, parse_path(path), path, _GONE)


_GONE: Final = object()


def parse_path(path: str) -> tuple[Step, ...]:
    """The steps of a path from the document's root. Raises `Refused` (`bad_path`)."""
    rest = path.strip()
    absolute = rest.startswith("$")
    if absolute:
        rest = rest[1:]
    steps: list[Step] = []
    at = 0
    while at < len(rest):
        found = _STEP.match(rest, at)
        if found is None:
            raise Refused(Fault("bad_path", found=path))
        if found["name"] is not None:
            steps.append(found["name"])
        elif found["quoted"] is not None:
            try:
                steps.append(json.loads(found["quoted"]))
            except ValueError:
                raise Refused(Fault("bad_path", found=path)) from None
        else:
            steps.append(_APPEND if found["append"] else int(found["index"][:9]))
        at = found.end()
    if not absolute and steps and steps[0] != "data":
        steps.insert(0, "data")
    if not steps or steps[0] in ("spec", "spec_version") or steps == ["data"]:
        raise Refused(Fault("bad_path", found=path))
    return tuple(steps)


def _changed(card: Card, steps: tuple[Step, ...], path: str, value: Any) -> Card:
    inside = steps[0] == "data"
    tree = {"data": card.data} if inside else card.root
    tree = _put(tree, steps, value, path)
    if not inside:
        return Card(card.data, tree, spec=card.spec, spec_version=card.spec_version)
    report = Report()
    data = repair.card_data(tree["data"], "$.data", report)
    if report.repaired:
        before = Report()
        repair.card_data(card.data, "$.data", before)
        known = {(fault.code, fault.path) for fault in before.repaired}
        fresh = [fault for fault in report.repaired if (fault.code, fault.path) not in known]
        if fresh:
            raise Refused(*(_wrong(fault) for fault in fresh))
    root = card.root
    mirror = _MIRRORS.get(steps[:3] if steps[:2] == ("data", "extensions") else steps[:2])
    if mirror is not None and mirror in root:
        now = _at(data, steps[1:3] if steps[1] == "extensions" else steps[1:2])
        root = (
            {**root, mirror: now}
            if now is not None
            else {k: v for k, v in root.items() if k != mirror}
        )
    return Card(data, root, spec=card.spec, spec_version=card.spec_version)


def _wrong(fault: Fault) -> Fault:
    """The line of a repair as a refusal: an edit is told, not mended."""
    expected = fault.facts.get("expected") or repair.KINDS["object"]
    return Fault("wrong_type", fault.path, expected=expected, found=fault.facts.get("found"))


def _at(value: Any, steps: tuple[Step, ...]) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _put(tree: Any, steps: tuple[Step, ...], value: Any, path: str) -> Any:
    """A copy of the tree with the value at the end of the steps; what is not on the way is shared."""
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        if tree is None and value is not _GONE:
            tree = {}
        if not isinstance(tree, dict) or (value is _GONE and step not in tree):
            raise Refused(Fault("bad_path", found=path))
        if not rest and value is _GONE:
            return {key: item for key, item in tree.items() if key != step}
        return {**tree, step: _put(tree.get(step), rest, value, path) if rest else value}
    if tree is None and value is not _GONE:
        tree = []
    if not isinstance(tree, list):
        raise Refused(Fault("bad_path", found=path))
    index = len(tree) if step == _APPEND else step
    if index > len(tree) or (index == len(tree) and value is _GONE):
        raise Refused(Fault("bad_path", found=path))
    old = tree[index] if index < len(tree) else None
    if not rest and value is _GONE:
        return [*tree[:index], *tree[index + 1 :]]
    fresh = _put(old, rest, value, path) if rest else value
    return [*tree[:index], fresh, *tree[index + 1 :]]


def _plain(value: Json, path: str, room: int) -> Json:
    """The value as JSON has it: lists for tuples, no NaN, surrogates that are a pair joined."""
    if room < 0:
        raise Refused(Fault("too_deep", path, file="", limit=Limits().depth))
    if value is None or isinstance(value, bool | int | Number):
        return value
    if isinstance(value, str):
        return joined(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise Refused(Fault("bad_number", path, found=str(value)))
        return value
    if isinstance(value, dict):
        wrong = [key for key in value if not isinstance(key, str)]
        if wrong:
            raise Refused(
                Fault(
                    "wrong_type", child(path, str(wrong[0])), expected="string", found=str(wrong[0])
                )
            )
        return {
            joined(key): _plain(item, child(path, key), room - 1) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(item, f"{path}[{i}]", room - 1) for i, item in enumerate(value)]
    raise Refused(Fault("wrong_type", path, expected="JSON", found=type(value).__name__))
