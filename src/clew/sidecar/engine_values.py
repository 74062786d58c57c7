"""Paths, values and conditions: the small declared language of a compiled profile. Pure.

Standard library only, Python 3.9 syntax and API: it is carried inside bundles.

A value is a literal or a table with one key: `arg`, `field`, `count`, `latest`, `plus`, `minus`,
`min`, `max`, `days`, `monday`. A condition is `all`, `any`, `not`, or `of` a value with operators.
Whatever is unknown is null: arithmetic with null is null, and of the comparisons only `ne` and
`null` can hold for it.
"""

from __future__ import annotations

from clew.sidecar.engine_shape import date_of, day_number, hidden, kind_only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Value = Any
    Condition = dict[str, Any]

BOOK = "_clew"
"""The one key of a state that holds the bookkeeping. Other readers ignore it."""


class Scene:
    """What values and conditions are read from: a profile, a state, an event's arguments."""

    __slots__ = ("args", "held", "profile", "state")

    def __init__(
        self, profile: dict[str, Any], state: dict[str, Any], args: dict[str, Any]
    ) -> None:
        self.profile = profile
        self.state = state
        self.args = args
        self.held: list[dict[str, Any]] | None = None
        """For an event that is never refused: collects what could not be done in full."""


def get(state: Any, path: str) -> Any:
    """What stands at a dotted path, or None."""
    if "." not in path:
        return state.get(path)
    for key in path.split("."):
        if not isinstance(state, dict):
            return None
        state = state.get(key)
    return state


def put(state: dict[str, Any], keys: list[str], value: Any) -> None:
    """Set one member of a state that is a copy of its own; what it holds is copied on the way."""
    for key in keys[:-1]:
        inner = state.get(key)
        inner = dict(inner) if isinstance(inner, dict) else {}
        state[key] = inner
        state = inner
    state[keys[-1]] = value


def spec_at(profile: dict[str, Any], path: str) -> tuple[dict[str, Any] | None, list[str]]:
    """The spec of the field at a dotted path, and the path's keys. The last part of a path into a
    map may hold dots of its own: keys of a map are free text."""
    spec: dict[str, Any] | None = {"type": "object", "fields": profile["fields"]}
    keys: list[str] = []
    rest = path
    while rest and spec is not None:
        if spec["type"] == "map":
            # Only a map of objects has something below its keys.
            if spec["items"]["type"] == "object" and "." in rest:
                key, _, rest = rest.partition(".")
            else:
                key, rest = rest, ""
            spec = spec["items"]
        elif spec["type"] == "object":
            key, _, rest = rest.partition(".")
            spec = spec["fields"].get(key)
        else:
            spec = None
            key, rest = rest, ""
        keys.append(key)
    return (spec, keys) if path and not path.endswith(".") else (None, [path])


def discreet(profile: dict[str, Any], path: str, value: Any) -> Any:
    """A value as it may be told: where something private is in it, is it, or lies beside it, only
    its kind."""
    keys = spec_at(profile, path)[1]
    for end in range(1, len(keys) + 1):
        spec, _ = spec_at(profile, ".".join(keys[:end]))
        if spec is not None and hidden(spec):
            return kind_only(value)
    return value


def value_of(scene: Scene, value: Value) -> Any:
    """Evaluate a value."""
    if not isinstance(value, dict):
        return value
    for name, work in _VALUES.items():
        if name in value:
            return work(scene, value)
    raise KeyError(next(iter(value)))


def _arg(scene: Scene, value: Value) -> Any:
    return scene.args.get(value["arg"])


def _field(scene: Scene, value: Value) -> Any:
    found = get(scene.state, value["field"])
    if "key" in value:
        return found.get(value_of(scene, value["key"])) if isinstance(found, dict) else None
    alias = value.get("behaves_as")
    return alias.get(found, found) if alias and isinstance(found, str) else found


def _count(scene: Scene, value: Value) -> Any:
    found = get(scene.state, value["count"])
    return len(found) if isinstance(found, (list, dict)) else None


def _latest(scene: Scene, value: Value) -> Any:
    found = get(scene.state, value["latest"])
    if isinstance(found, list) and found:
        item = found[-1]
        return item.get(value["member"]) if "member" in value else item
    return value_of(scene, value.get("or"))


def _numbers(scene: Scene, values: list[Value]) -> list[int] | None:
    found = [value_of(scene, value) for value in values]
    whole = [item for item in found if isinstance(item, int) and not isinstance(item, bool)]
    return whole if len(whole) == len(found) else None


def _plus(scene: Scene, value: Value) -> Any:
    found = _numbers(scene, value["plus"])
    return None if found is None else sum(found)


def _minus(scene: Scene, value: Value) -> Any:
    found = _numbers(scene, value["minus"])
    return None if found is None else found[0] - sum(found[1:])


def _least(scene: Scene, value: Value) -> Any:
    found = _numbers(scene, value["min"])
    return min(found) if found else None


def _most(scene: Scene, value: Value) -> Any:
    found = _numbers(scene, value["max"])
    return max(found) if found else None


def _days(scene: Scene, value: Value) -> Any:
    first, last = (day_number(value_of(scene, item)) for item in value["days"])
    return None if first is None or last is None else last - first


def _monday(scene: Scene, value: Value) -> Any:
    day = day_number(value_of(scene, value["monday"]))
    return None if day is None else date_of(day - (day - 1) % 7)


_VALUES: dict[str, Callable[[Scene, Value], Any]] = {
    "field": _field, "arg": _arg, "plus": _plus, "minus": _minus, "min": _least, "max": _most,
    "count": _count, "latest": _latest, "days": _days, "monday": _monday,
}  # fmt: skip


def holds(scene: Scene, condition: Condition | None) -> bool:
    """Whether a condition holds; none always does."""
    if condition is None:
        return True
    if "all" in condition:
        return all(holds(scene, item) for item in condition["all"])
    if "any" in condition:
        return any(holds(scene, item) for item in condition["any"])
    if "not" in condition:
        return not holds(scene, condition["not"])
    found = value_of(scene, condition["of"])
    for name, test in _TESTS.items():
        if name in condition and not test(found, value_of(scene, condition[name])):
            return False
    return True


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def judge(found: Any, other: Any) -> bool:
        # Days and moments are texts that sort as they follow each other.
        same = (isinstance(found, int) and isinstance(other, int)) or (
            isinstance(found, str) and isinstance(other, str)
        )
        return same and test(found, other)

    return judge


def _equal(found: Any, other: Any) -> bool:
    return found is not None and type(found) is type(other) and bool(found == other)


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": _equal,
    "ne": lambda found, other: not _equal(found, other),
    "ge": _ordered(lambda found, other: bool(found >= other)),
    "gt": _ordered(lambda found, other: bool(found > other)),
    "le": _ordered(lambda found, other: bool(found <= other)),
    "lt": _ordered(lambda found, other: bool(found < other)),
    "in": lambda found, other: any(_equal(found, item) for item in other),
    "null": lambda found, other: (found is None) is other,
}
