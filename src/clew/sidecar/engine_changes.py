"""Events: what they require, what they alter, what they record. Pure.

Standard library only, Python 3.9 syntax and API: it is carried inside bundles.
"""

from __future__ import annotations

from clew.sidecar import engine_goods, engine_guards
from clew.sidecar.engine_shape import INT_MOST, child, default_of, expected, judge
from clew.sidecar.engine_values import Scene, discreet, get, holds, put, spec_at, value_of
from clew.sidecar.engine_words import LENIENT, kind_of, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Change = dict[str, Any]
    Word = dict[str, Any]


def arguments(event: dict[str, Any], name: str, given: Any) -> tuple[dict[str, Any], list[Word]]:
    """The arguments of an event as declared, and everything that is wrong with them."""
    if not isinstance(given, dict):
        return {}, [word("wrong_type", "args", expected="object", found=kind_of(given))]
    declared = event["args"]
    refused = [
        word("unknown_argument", str(key), event=name, allowed=list(declared))
        for key in given
        if key not in declared
    ]
    args: dict[str, Any] = {}
    for key, spec in declared.items():
        if given.get(key) is not None:
            found: list[Word] = []
            args[key] = judge(spec, given[key], key, found)
            refused += [item for item in found if item["code"] not in LENIENT]
        elif "default" in spec:
            args[key] = default_of(spec)
        elif not spec.get("optional"):
            refused.append(word("missing_argument", key, event=name, expected=expected(spec)))
    return args, refused


def unmet(scene: Scene, event: dict[str, Any], name: str) -> list[Word]:
    """The requirements of an event that do not hold in this state."""
    refused = []
    if "uses" in event:
        guard = event["uses"]
        found = engine_guards.view(scene, guard)
        if not found["open"]:
            why = found["why"]
            refused.append(
                word("guard_closed", guard, guard=guard, event=name, why=why["code"], turns=found["in"],
                     reason_zh=why["zh"], reason_en=why["en"])
            )  # fmt: skip
    for need in event["require"]:
        if holds(scene, need.get("when")) and not holds(scene, need["that"]):
            say = need["say"]
            refused.append(word("requirement", event=name, say_zh=say["zh"], say_en=say["en"]))
    return refused


def run(scene: Scene, event: dict[str, Any], touched: set[str]) -> list[Word]:
    """Make an event's changes in `scene.state`, a copy of its own. Stops at the first that cannot
    be made: what follows it would be judged in a state that never is.

    An event that is never refused (`scene.held` collects) goes on: a number stays at its bound, and
    any other change that cannot be made is left out.
    """
    for change in event["change"]:
        if not holds(scene, change.get("when")):
            continue
        for kind, work in _CHANGES.items():
            if kind in change:
                refused = work(scene, change, touched)
                break
        else:
            raise KeyError(next(iter(change)))
        if refused and scene.held is None:
            return refused
        if refused and scene.held is not None:
            scene.held += refused
    return []


def _not_given(scene: Scene, value: Any) -> bool:
    """An optional argument that was not given leaves what it would set as it is."""
    return isinstance(value, dict) and "arg" in value and value["arg"] not in scene.args


def assign(scene: Scene, path: str, key: Any, value: Any, touched: set[str]) -> list[Word]:
    """Set a field, or the value at a key of a map; refused when it is not lawful there."""
    spec, keys = spec_at(scene.profile, path)
    where = path
    if key is not None:
        if not isinstance(key, str):
            return [word("bad_form", path, found=key, expected="a short text")]
        spec, keys, where = (spec or {}).get("items"), [*keys, key], child(path, key)
    if spec is None:
        return [word("unknown_field", where, allowed=list(scene.profile["fields"]))]
    found: list[Word] = []
    value = _held_in(scene, spec, value, where)
    value = judge(spec, value, where, found)
    refused = [item for item in found if item["code"] not in LENIENT]
    if refused:
        return refused
    before = scene.state.get(keys[0])
    put(scene.state, keys, value)
    if len(keys) > 1:  # the whole that it lies in: its other members, how many keys it has
        top = scene.profile["fields"][keys[0]]
        judge(top, scene.state[keys[0]], keys[0], found)
        refused = [item for item in found if item["code"] not in LENIENT]
        if refused:
            put(scene.state, [keys[0]], before)
            return refused
    touched.add(where)
    return []


def bounded(spec: dict[str, Any], value: Any) -> Any:
    """An integer within the bounds of its spec; anything else as it is."""
    if spec["type"] != "int" or not isinstance(value, int) or isinstance(value, bool):
        return value
    return max(spec.get("min", -INT_MOST), min(value, spec.get("max", INT_MOST)))


def _held_in(scene: Scene, spec: dict[str, Any], value: Any, where: str) -> Any:
    if scene.held is None:
        return value
    least = bounded(spec, value)
    if least != value:
        shown = discreet(scene.profile, where, least)
        scene.held.append(word("clamped", where, found=shown))
    return least


def _set(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
    if _not_given(scene, change["to"]):
        return []
    key = value_of(scene, change["key"]) if "key" in change else None
    return assign(scene, change["set"], key, value_of(scene, change["to"]), touched)


def _clear(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
    path = change["clear"]
    if "key" in change:
        key = value_of(scene, change["key"])
        found = get(scene.state, path)
        if key in found:
            put(scene.state, path.split("."), {k: v for k, v in found.items() if k != key})
            touched.add(child(path, str(key)))
        return []
    spec, keys = spec_at(scene.profile, path)
    if spec is not None:
        put(scene.state, keys, None if spec.get("null") else default_of(spec))
        touched.add(path)
    return []


def _add(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
    if _not_given(scene, change["by"]):
        return []
    path, by = change["add"], value_of(scene, change["by"])
    have = get(scene.state, path)
    if not isinstance(by, int) or not isinstance(have, int):
        found = kind_of(have if isinstance(by, int) else by)
        return [word("wrong_type", path, expected="integer", found=found)]
    return assign(scene, path, None, have + by, touched)


def _raise(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
    return _step(scene, change["raise"], change, -1, touched)


def _lower(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
    return _step(scene, change["lower"], change, 1, touched)


def _step(scene: Scene, path: str, change: Change, sign: int, touched: set[str]) -> list[Word]:
    """Move along a scale, which is written from its fullest value down; its ends hold."""
    spec, _ = spec_at(scene.profile, path)
    by = value_of(scene, change.get("by", 1))
    if spec is None or not isinstance(by, int):
        return [word("wrong_type", path, expected="integer", found=by)]
    values = spec["values"]
    at = values.index(get(scene.state, path)) + sign * by
    return assign(scene, path, None, values[max(0, min(at, len(values) - 1))], touched)


def _record(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
    """Append to a list; the item is a value, or a table of values. The list is cut to its length."""
    path, item = change["record"], change["item"]
    spec, keys = spec_at(scene.profile, path)
    if spec is None:
        return [word("unknown_field", path, allowed=list(scene.profile["fields"]))]
    members = spec["items"].get("fields")
    made = (
        {name: value_of(scene, item.get(name)) for name in members}
        if members
        else value_of(scene, item)
    )
    where = path + "[-1]"
    found: list[Word] = []
    made = judge(spec["items"], made, where, found)
    refused = [one for one in found if one["code"] not in LENIENT]
    if refused:
        return refused
    items = [*get(scene.state, path), made]
    keep = spec.get("keep_last")
    if keep is not None:
        items = items[-keep:]
    judge(spec, items, path, found)
    if any(one["code"] not in LENIENT for one in found):
        return [one for one in found if one["code"] not in LENIENT]
    put(scene.state, keys, items)
    touched.add(path)
    return []


def _ledger(kind: str) -> Callable[[Scene, Change, set[str]], list[Word]]:
    def work(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
        if _not_given(scene, change["amount"]):
            return []
        amount, name = value_of(scene, change["amount"]), change[kind]
        if scene.held is not None and isinstance(amount, int):
            room, path = engine_goods.room(scene.profile, scene.state, name, kind)
            if amount > room:
                scene.held.append(
                    word("clamped", path, found=discreet(scene.profile, path, INT_MOST))
                )
            amount = min(amount, room)
            if amount == 0:
                return []
        return engine_goods.move(scene.profile, scene.state, name, kind, amount)

    return work


def _stock(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
    name = change["stock"]
    units = value_of(scene, change.get("units", scene.profile["stocks"][name]["size"]))
    kind = value_of(scene, change["kind"])
    return engine_goods.stock_up(scene.profile, scene.state, name, kind, units)


def _take(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
    units = value_of(scene, change.get("units", 1))
    return engine_goods.take(scene.profile, scene.state, change["take"], units)


def _switch(scene: Scene, change: Change, touched: set[str]) -> list[Word]:
    kind = value_of(scene, change["kind"])
    return engine_goods.switch(
        scene.profile, scene.state, change["switch"], kind, bool(change.get("empty"))
    )


_CHANGES: dict[str, Callable[[Scene, Change, set[str]], list[Word]]] = {
    "set": _set, "clear": _clear, "add": _add, "raise": _raise, "lower": _lower,
    "record": _record, "stock": _stock, "take": _take, "switch": _switch,
    **{kind: _ledger(kind) for kind in engine_goods.MOVES},
}  # fmt: skip
