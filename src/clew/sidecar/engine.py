"""The engine of a sidecar: a profile and a state in, a state out. Pure: no I/O, clock, randomness.

Standard library only, Python 3.9 syntax and API: it is carried inside bundles. Rules: the seed's
state schema (fields, phases, economy, migration) and what a profile declares.

A `Profile` is a compiled profile (plain JSON, see `clew.sidecar.profile`), a `State` what lies on
disk, with bookkeeping under `_clew`. No function changes what it is given. Problems, notes and
reasons are plain dicts: `code`, `path`, facts, and a sentence each in `zh` and `en`. Moments are
texts in UTC, `2026-05-08T10:12:34Z`.
"""

from __future__ import annotations

from clew.sidecar import engine_changes, engine_goods, engine_guards, engine_settle
from clew.sidecar.engine_shape import (
    BAD,
    INT_MOST,
    STAMP,
    child,
    default_of,
    found_fact,
    is_stamp,
    judge,
)
from clew.sidecar.engine_texts import event_args, field_value, from_text
from clew.sidecar.engine_values import BOOK, Scene, put, spec_at
from clew.sidecar.engine_words import LENIENT, TOLD, kind_of, word

__all__ = [
    "Outcome", "apply", "event_args", "field_value", "fresh", "from_text", "guards", "merge",
    "problems", "public", "set_field", "tidy", "turn",
]  # fmt: skip

OPT_IN, OPT_OUT = "opt_in", "opt_out"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Profile = dict[str, Any]
    State = dict[str, Any]
    Note = dict[str, Any]
    Problem = dict[str, Any]
    GuardView = dict[str, Any]


class Outcome:
    """What a change gives: the state after it, why it was refused, and what it says.

    When `refused` holds anything, `state` is the state as it was. `said` may hold `changed` (the
    public fields that differ now), `mended` (what a rule changed besides), `repeated` (an id that
    was applied already), `guards`, `held` (what an event that is never refused could not do in
    full: a number that stays at its bound, a change that was left out).
    """

    __slots__ = ("refused", "said", "state")

    def __init__(
        self, state: State, refused: list[Problem], said: dict[str, Any] | None = None
    ) -> None:
        self.state = state
        self.refused = refused
        self.said = said if said is not None else {}


def fresh(profile: Profile) -> State:
    """A new session: defaults; never active before an explicit opt-in.

    The caller may set `state["_clew"]["seed"]` (text or integer) so that two installations draw
    different gaps.
    """
    state = {name: default_of(spec) for name, spec in profile["fields"].items()}
    state[BOOK] = engine_settle.book_of(profile, state, [])
    engine_settle.settle(profile, state, set(), [])
    return state


def tidy(profile: Profile, raw: Any) -> tuple[State, list[Note]]:
    """What was read, as a lawful state, and a note for each thing that was mended.

    `raw` is any JSON. Older names are migrated, missing fields get defaults, wrong values the
    nearest lawful one or the default, lists are cut, fields that are not known are kept. Tidying
    twice is tidying once.
    """
    notes: list[Note] = []
    if not isinstance(raw, dict):
        return fresh(profile), [word("not_an_object", found=kind_of(raw))]
    known = isinstance(raw.get(BOOK), dict)
    old = engine_settle.version_of(profile, raw) < profile["version"]
    state = engine_settle.migrate(profile, raw, notes)
    found: list[Note] = []
    whole = {"type": "object", "fields": profile["fields"]}
    read = state
    state = dict(judge(whole, state, "", found))
    if old or not known:  # what an older or another program did not know is no damage
        found = [note for note in found if note["code"] != "missing_field"]
    notes += found
    state[BOOK] = engine_settle.book_of(profile, state, notes)
    engine_goods.remember(profile, read, state)
    engine_settle.settle(profile, state, set(), notes)
    engine_goods.balance(profile, state, notes, "unbalanced" if known else "difference")
    return state, notes


def apply(
    profile: Profile,
    state: State,
    name: str,
    args: dict[str, Any],
    *,
    now: str,
    ident: str | None = None,
) -> Outcome:
    """One event. Refused: the state is unchanged. An `ident` applied already changes nothing."""
    return _apply(profile, state, name, args, now, ident, {})


def turn(
    profile: Profile,
    state: State,
    *,
    chars: int = 0,
    tools: int = 0,
    now: str,
    ident: str | None = None,
) -> Outcome:
    """The per-turn event; `said["guards"]` tells which guarded actions are open.

    `chars` and `tools` are what this turn wrote and called. While the state is switched off
    nothing changes, and that is no refusal: the hook runs all the same. Nothing in the event of a
    turn is refused (see `said["held"]`), only counts that are none.
    """
    if state.get(profile["active"]) is not True:
        return Outcome(state, [], {"guards": guards(profile, state)})
    name = profile["turn"]
    counts = {"chars": chars, "tools": tools}
    refused = [
        word("out_of_range", key, found=count, allowed="≥ 0")
        for key, count in counts.items()
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= 2**40
    ]
    if refused:
        return Outcome(state, refused, {"guards": guards(profile, state)})
    declared = profile["events"][name]["args"]
    args = {
        key: engine_changes.bounded(declared[key], count)
        for key, count in counts.items()
        if key in declared
    }
    done = _apply(profile, state, name, args, now, ident, counts)
    done.said["guards"] = guards(profile, done.state)
    return done


def guards(profile: Profile, state: State) -> dict[str, GuardView]:
    """For each guard: `open`, `why` (a code with numbers and sentences), `in` (turns until it
    opens; None when that depends on something else)."""
    scene = Scene(profile, state, {})
    return {name: engine_guards.view(scene, name) for name in profile["guards"]}


def set_field(
    profile: Profile, state: State, path: str, value: Any, *, now: str, force: bool = False
) -> Outcome:
    """Set one field by its dotted path, checked with everything that hangs on it.

    Fields of a ledger are changed by events; `force` sets them all the same, and the difference
    that this makes is recorded.
    """
    spec, keys = spec_at(profile, path)
    if path.partition(".")[0] == BOOK:
        return Outcome(state, [word("bookkeeping", path)])
    if spec is None:
        return Outcome(state, [word("unknown_field", path, allowed=list(profile["fields"]))])
    found: list[Problem] = []
    value = judge(spec, value, path, found)
    refused = [item for item in found if item["code"] not in LENIENT]
    if refused:
        return Outcome(state, refused)
    after = dict(state)
    put(after, keys, value)
    return _by_hand(profile, state, after, {path}, now, force)


def merge(profile: Profile, state: State, patch: Any, *, now: str, force: bool = False) -> Outcome:
    """A JSON merge patch (RFC 7396), checked whole. Null takes a field back to null, or to its
    default where it cannot be null, and takes a key out of a map."""
    if not isinstance(patch, dict):
        return Outcome(state, [word("wrong_type", expected="object", found=kind_of(patch))])
    after = dict(state)
    touched: set[str] = set()
    refused: list[Problem] = []
    for name, item in patch.items():
        spec = profile["fields"].get(name)
        if name == BOOK:
            refused.append(word("bookkeeping", name))
        elif spec is not None:
            after[name] = _merged(spec, state.get(name), item, name, touched, refused)
        elif item is None and name in state:
            del after[name]
        else:
            refused.append(word("unknown_field", name, allowed=list(profile["fields"])))
    if refused:
        return Outcome(state, refused)
    return _by_hand(profile, state, after, touched, now, force)


def problems(profile: Profile, state: Any) -> list[Problem]:
    """Everything in which a state breaks its profile, at once. Balances are judged against what is
    recorded, so a difference that was taken over is no problem."""
    found = [note for note in tidy(profile, state)[1] if note["code"] not in TOLD]
    gone = [name for name in profile["fields"] if isinstance(state, dict) and name not in state]
    told = {note.get("path") for note in found}
    return found + [word("missing_field", name) for name in gone if name not in told]


def public(profile: Profile, state: State) -> dict[str, Any]:
    """What may be shown: the fields of the profile that are not private, without `_clew`.

    Fields that this version does not know are left out too: nobody here can say that they are not
    private.
    """
    whole = {"type": "object", "fields": profile["fields"]}
    shown: dict[str, Any] = _shown(whole, state)
    return shown


def _apply(
    profile: Profile,
    state: State,
    name: str,
    args: dict[str, Any],
    now: str,
    ident: str | None,
    counts: dict[str, int],
) -> Outcome:
    event = profile["events"].get(name) if isinstance(name, str) else None
    if event is None:
        return Outcome(state, [word("unknown_event", str(name), allowed=list(profile["events"]))])
    book = state[BOOK]
    if ident is not None and ident in book["applied"]:
        return Outcome(state, [], {"repeated": True})
    values, refused = engine_changes.arguments(event, name, args)
    if name == OPT_OUT:  # nothing that a profile asks for keeps a user from stopping
        refused = [item for item in refused if item["code"] != "missing_argument"]
    if not event["while_off"] and state.get(profile["active"]) is not True:
        refused.append(word("not_active", event=name))
    if not is_stamp(now):
        refused.append(word("bad_form", "now", found=found_fact(now), expected=STAMP))
    if refused:
        return Outcome(state, refused)
    scene = Scene(profile, state, values)
    if name not in (profile["turn"], OPT_OUT):
        refused = engine_changes.unmet(scene, event, name)
    if refused:
        return Outcome(state, refused)
    if name in (profile["turn"], OPT_IN, OPT_OUT):
        scene.held = []
    after = dict(state)
    after[BOOK] = book = dict(book)
    scene.state = after
    if name == profile["turn"]:
        book["turns"] = min(book["turns"] + 1, INT_MOST - 1)
        for key, count in counts.items():
            book[key] = min(book[key] + count, INT_MOST)
    if "uses" in event:
        engine_guards.use(profile, after, event["uses"])
    touched: set[str] = set()
    refused = engine_changes.run(scene, event, touched)
    if refused:
        return Outcome(state, refused)
    return _closed(profile, state, after, touched, now, ident, held=scene.held)


def _by_hand(
    profile: Profile, state: State, after: State, touched: set[str], now: str, force: bool
) -> Outcome:
    refused = []
    if not is_stamp(now):
        refused.append(word("bad_form", "now", found=found_fact(now), expected=STAMP))
    kept = engine_goods.kept_paths(profile)
    for path in sorted(touched):
        if path == profile.get("updated"):
            refused.append(word("bookkeeping", path))
        for other, movers in kept.items():
            if _related(path, other) and not force:
                refused.append(word("by_event_only", other, allowed=movers))
        top = path.partition(".")[0]
        found: list[Problem] = []
        if top in profile["fields"]:
            judge(profile["fields"][top], after[top], top, found)
        refused += [item for item in found if item["code"] not in LENIENT]
    if not refused:
        refused = engine_settle.too_early(profile, state, after, touched)
    if refused:
        return Outcome(state, refused)
    after[BOOK] = dict(state[BOOK])
    return _closed(profile, state, after, touched, now, None, force=force)


def _closed(
    profile: Profile,
    state: State,
    after: State,
    touched: set[str],
    now: str,
    ident: str | None,
    *,
    force: bool = False,
    held: list[Problem] | None = None,
) -> Outcome:
    """Let everything follow that follows, judge it, and stamp it."""
    words: list[Note] = []
    engine_settle.settle(profile, after, touched, words)
    if force:
        engine_goods.balance(profile, after, words, "difference")
    refused: list[Problem] = []
    said: dict[str, Any] = {}
    for item in words:
        path = item.get("path", "")
        if item["code"] == "moved_phase":
            if path in touched:
                fixed = word("held_by_phase", path, expected=item["found"], found=item["was"])
                refused.append(fixed)
        elif item["code"] not in LENIENT:
            if held is None and any(_related(path, other) for other in touched):
                refused.append(item)
            else:
                said.setdefault("mended", []).append(item)
    if refused:
        return Outcome(state, refused)
    book = after[BOOK] = dict(after[BOOK])
    book["revision"] = min(book["revision"] + 1, INT_MOST)
    if ident is not None:
        book["applied"] = [*book["applied"], ident][-engine_settle.APPLIED :]
    if profile.get("updated"):
        put(after, profile["updated"].split("."), now)
    if held:
        said["held"] = held
    before, shown = public(profile, state), public(profile, after)
    said["changed"] = {key: shown[key] for key in shown if shown[key] != before.get(key, BOOK)}
    return Outcome(after, [], said)


def _related(one: str, other: str) -> bool:
    """Whether two paths name the same place, or one a part of the other."""
    if one == other:
        return True
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return long.startswith(short) and long[len(short)] in ".["


def _merged(
    spec: dict[str, Any],
    old: Any,
    patch: Any,
    path: str,
    touched: set[str],
    refused: list[Problem],
) -> Any:
    if patch is None:
        touched.add(path)
        value = None if spec.get("null") else default_of(spec)
        if value is BAD:
            refused.append(word("missing_field", path))
        return value
    kind = spec["type"]
    if isinstance(patch, dict) and isinstance(old, dict) and kind in ("object", "map"):
        out = dict(old)
        for name, item in patch.items():
            member = spec["items"] if kind == "map" else spec["fields"].get(name)
            where = child(path, name)
            if item is None and (kind == "map" or member is None) and name in out:
                touched.add(where)
                del out[name]
            elif member is None:
                refused.append(word("unknown_field", where, allowed=list(spec["fields"])))
            else:
                out[name] = _merged(member, old.get(name), item, where, touched, refused)
        return out
    touched.add(path)
    found: list[Problem] = []
    value = judge(spec, patch, path, found)
    refused += [item for item in found if item["code"] not in LENIENT]
    return value


def _shown(spec: dict[str, Any], value: Any) -> Any:
    kind = spec["type"]
    if kind == "object" and isinstance(value, dict):
        return {
            name: _shown(member, value[name])
            for name, member in spec["fields"].items()
            if name in value and not member.get("private")
        }
    if kind == "list" and isinstance(value, list):
        return [_shown(spec["items"], item) for item in value]
    if kind == "map" and isinstance(value, dict):
        return {key: _shown(spec["items"], item) for key, item in value.items()}
    return value
