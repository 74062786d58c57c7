"""What follows from a change: phases, rules, guards, stocks, balances. And migrations. Pure.

Standard library only, Python 3.9 syntax and API: it is carried inside bundles.

The order is fixed and one pass is enough: the checker of profiles refuses a phase or a rule that
would change what an earlier one reads.
"""

from __future__ import annotations

from clew.sidecar import engine_goods, engine_guards
from clew.sidecar.engine_shape import (
    INT_MOST,
    ITEMS,
    clean_text,
    default_of,
    found_fact,
    judge,
    kind_only,
    lawful,
)
from clew.sidecar.engine_values import BOOK, Scene, discreet, get, holds, put, spec_at
from clew.sidecar.engine_words import word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Profile = dict[str, Any]
    State = dict[str, Any]
    Word = dict[str, Any]

APPLIED = 64
_MOST_TURNS = INT_MOST - 1
"""One less than numbers reach: the turn that is under way has a number, too."""
"""How many ids of applied events are remembered."""
SEED_CHARS = 200
_NUMBER = {"type": "int", "min": 0, "default": 0}
_ANY_NUMBER = {"type": "int", "default": 0}
_BOOK_FIELDS = {
    "revision": _NUMBER,
    "chars": _NUMBER,
    "tools": _NUMBER,
    "applied": {"type": "list", "items": {"type": "text", "max": 200}, "keep_last": APPLIED},
    "opened": {
        "type": "map",
        "items": {
            "type": "object",
            "fields": {
                "times": {"type": "int", "min": 1},
                "turn": {"type": "int", "min": 0, "null": True},
                "at": {"type": "int", "null": True},
                "gap": _NUMBER,
            },
        },
    },
    "spent": {"type": "map", "items": _NUMBER},
    # one more than a shelf holds: the current kind may lie beside a full one
    "packs": {"type": "map", "items": {"type": "map", "items": _NUMBER, "max": ITEMS + 1}},
    "differences": {"type": "map", "items": {"type": "map", "items": _ANY_NUMBER}},
}
_BOOK = {"type": "object", "fields": _BOOK_FIELDS}


def settle(profile: Profile, state: State, touched: set[str], words: list[Word]) -> None:
    """Apply what follows from a change to a state that is a copy of its own."""
    scene = Scene(profile, state, {})
    for phase in profile["phases"]:
        _advance(scene, phase, words)
    for rule in profile["rules"]:
        if holds(scene, rule["when"]) and not holds(scene, rule["must"]):
            _mend(scene, rule, words)
    engine_guards.follow(profile, state, words)
    engine_goods.shelve(profile, state, touched, words)


def _advance(scene: Scene, phase: dict[str, Any], words: list[Word]) -> None:
    order, path = phase["values"], phase["field"]
    start = now = order.index(get(scene.state, path))
    for step in phase["steps"]:
        to = order.index(step["to"])
        if to > now and holds(scene, step["when"]):
            now = to
    if now != start:
        put(scene.state, path.split("."), order[now])
        was, found = (discreet(scene.profile, path, order[at]) for at in (start, now))
        words.append(word("moved_phase", path, was=was, found=found))


def _mend(scene: Scene, rule: dict[str, Any], words: list[Word]) -> None:
    say = rule["say"]
    for change in rule["mend"]:
        if "clear" in change:
            path = change["clear"]
            spec, _ = spec_at(scene.profile, path)
            value = None if spec is None or spec.get("null") else default_of(spec)
        else:
            path, value = change["set"], change["to"]
        found = get(scene.state, path)
        if found != value:
            shown = discreet(scene.profile, path, found_fact(found))
            words.append(
                word("rule", path, rule=rule["id"], found=shown, say_zh=say["zh"], say_en=say["en"])
            )
            put(scene.state, path.split("."), value)


def too_early(profile: Profile, before: State, after: State, touched: set[str]) -> list[Word]:
    """A phase that was set by hand before its condition holds."""
    early = []
    for phase in profile["phases"]:
        path, order = phase["field"], phase["values"]
        if path not in touched:
            continue
        old, new = order.index(get(before, path)), order.index(get(after, path))
        steps = [step for step in phase["steps"] if step["to"] == order[new]]
        scene = Scene(profile, after, {})
        if new > old and steps and not any(holds(scene, step["when"]) for step in steps):
            found = discreet(profile, path, order[new])
            early.append(word("needs_phase", path, found=found))
    return early


def book_of(profile: Profile, state: State, words: list[Word]) -> dict[str, Any]:
    """The bookkeeping as it must be: read from the state, made for a file that has none."""
    raw = state.get(BOOK)
    taken_over = not isinstance(raw, dict)
    found: list[Word] = []
    if BOOK in state and taken_over:
        found.append(word("bookkeeping_mended", BOOK))
    old: dict[str, Any] = raw if isinstance(raw, dict) else {}
    book: dict[str, Any] = dict(judge(_BOOK, old, BOOK, found))
    if taken_over:
        found = [item for item in found if item["code"] != "missing_field"]
    book["schema_version"] = max(version_of(profile, state), profile["version"])
    book["seed"] = _seed(profile, old.get("seed"))
    turns = old.get("turns")
    if lawful(_NUMBER, turns, "") or not isinstance(turns, int):
        turns = _turns_shown(profile, state)
        if taken_over:
            found.append(word("taken_over", found=turns))
        else:
            found.append(word("bookkeeping_mended", BOOK + ".turns"))
    book["turns"] = min(turns, _MOST_TURNS)
    for name, ledger in profile["ledgers"].items():
        if "spent" not in ledger and name not in book["spent"]:
            spent = engine_goods.spent_before(profile, state, name)
            book["spent"] = {**book["spent"], name: spent}
    words.extend(found)
    return book


def _seed(profile: Profile, seed: Any) -> Any:
    if isinstance(seed, int) and not isinstance(seed, bool) and seed.bit_length() <= 64:
        return seed
    if isinstance(seed, str) and 0 < len(seed) <= SEED_CHARS and clean_text(seed) is seed:
        return seed
    return profile["name"]


def _turns_shown(profile: Profile, state: State) -> int:
    """How many turns a file without bookkeeping has seen end, at least. What happened last may
    have happened in the turn after those that are counted."""
    paths = [guard["last"] for guard in profile["guards"].values() if "last" in guard]
    found = [get(state, path) for path in paths]
    last = max([0, *(number for number in found if isinstance(number, int))])
    ended = get(state, profile["turns_from"]) if profile.get("turns_from") else None
    ended = ended if isinstance(ended, int) else 0
    return ended if ended >= last - 1 > 0 else max(ended, last)


def version_of(profile: Profile, state: State) -> int:
    """The version of the schema that wrote a state."""
    book = state.get(BOOK)
    found = book.get("schema_version") if isinstance(book, dict) else None
    if isinstance(found, int) and not isinstance(found, bool) and 1 <= found <= INT_MOST:
        return found
    return int(profile["unversioned"])


def migrate(profile: Profile, raw: State, words: list[Word]) -> State:
    """Bring an older state to this version's names; a state of this version comes back as it is.

    An old name that comes up later is renamed too (an older copy of the skill wrote it), unless it
    names the switch: nothing but an opt-in sets that.
    """
    state = raw
    version = version_of(profile, raw)
    if version > profile["version"]:
        words.append(word("newer_version", found=version, limit=profile["version"]))
        return raw
    for step in profile["migrations"]:
        due = version < step["to"]
        for old, new in step["rename"].items():
            late = due or (new != profile["active"] and old not in profile["fields"])
            if late and _has(state, old) and _free(state, new):
                state = dict(state)
                put(state, new.split("."), get(state, old))
                _drop(state, old.split("."))
                words.append(word("renamed", new, old=old))
        if not due:
            continue
        for path, value in step["default"].items():
            if _free(state, path):
                state = dict(state)
                put(state, path.split("."), value)
                words.append(word("filled", path, found=discreet(profile, path, value)))
        for path in step["drop"]:
            if _has(state, path):
                state = dict(state)
                # Nobody here can say whether a field of an older version was private.
                words.append(word("dropped", path, found=kind_only(get(state, path))))
                _drop(state, path.split("."))
    return state


def _has(state: Any, path: str) -> bool:
    for key in path.split("."):
        if not isinstance(state, dict) or key not in state:
            return False
        state = state[key]
    return True


def _free(state: Any, path: str) -> bool:
    """Whether a value can be put there without replacing anything."""
    for key in path.split("."):
        if not isinstance(state, dict):
            return False
        if key not in state:
            return True
        state = state[key]
    return False


def _drop(state: State, keys: list[str]) -> None:
    for key in keys[:-1]:
        state[key] = dict(state[key])
        state = state[key]
    del state[keys[-1]]
