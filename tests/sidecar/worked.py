"""What the tests of the engine share: the shipped profiles, a small profile to vary, any JSON,
damage, and steps that somebody might take.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from clew.sidecar import engine
from clew.sidecar.engine_values import spec_at
from clew.sidecar.profile import compiled

PROFILES = Path(engine.__file__).parent / "profiles"
NOW = "2026-05-08T10:12:34Z"


def shipped(name: str) -> dict[str, Any]:
    """A shipped profile as the engine reads it."""
    loaded: dict[str, Any] = json.loads((PROFILES / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


SMOKING = shipped("smoking-persona")
STUDY = shipped("study-companion")
BOTH = (SMOKING, STUDY)

SMALL = """
[profile]
name = "small"
version = 1
title = { zh = "小", en = "small" }
active = "active"
turn = "beat"

[fields.active]
type = "bool"
default = false

[fields.pages]
type = "int"
min = 0
default = 0

[fields.last_wave_turn]
type = "int"
min = 0
null = true

[counters]
pages = { read = 1 }

[guards.wave]
band = [3, 5]
last = "last_wave_turn"

[events.beat]
[events.read]
[events.wave]
uses = "wave"
"""


def small(text: str = SMALL, **changes: str) -> dict[str, Any]:
    """The small profile, compiled; `old=new` replaces in its text where keywords cannot say it."""
    for old, new in changes.items():
        text = text.replace(old, new)
    return compiled(text).profile


def begun(profile: dict[str, Any], seed: str | int = "seed", **fields: Any) -> dict[str, Any]:
    """A session that is switched on, its fields as given."""
    raw = {**engine.fresh(profile), "active": True, **fields}
    raw.pop("_clew")
    state = engine.tidy(profile, raw)[0]
    state["_clew"]["seed"] = seed
    return state


def did(profile: dict[str, Any], state: dict[str, Any], name: str, **args: Any) -> dict[str, Any]:
    """The state after an event that must not be refused."""
    done = engine.apply(profile, state, name, args, now=NOW)
    assert done.refused == []
    return done.state


def codes(words: list[dict[str, Any]]) -> list[str]:
    return [word["code"] for word in words]


def refusal(done: engine.Outcome, state: dict[str, Any]) -> list[tuple[str, str]]:
    """The codes and paths of a refusal, which must have left the state alone."""
    assert done.state is state, "a refused change left something behind"
    assert done.refused
    return [(problem["code"], problem.get("path", "")) for problem in done.refused]


# ---- strategies ----------------------------------------------------------------------------------

TEXTS = st.one_of(
    st.sampled_from(
        ["炫赫门", "玉溪", "黄金叶", "", "空", "整包", "yes", "unknown", "human", "dog", "corgi",
         "orange", "nv-yujie", "dushe", "veteran", "novice", "47", "-0", "2026-03-01", "2026-02-30",
         NOW, "\ud800", "a" * 2500, "true", "null"]
    ),
    st.text(max_size=6),
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-3, 60), st.sampled_from([10**6, 2**53 - 1, 2**53, -(2**53), 10**40, 2**63])
)
SCALARS = st.one_of(
    st.none(), st.booleans(), NUMBERS, TEXTS, st.floats(allow_nan=False, allow_infinity=False)
)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=7), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


def paths_of(profile: dict[str, Any]) -> list[str]:
    """Every path that can be set, and some that cannot."""
    found = []
    for name, spec in profile["fields"].items():
        found.append(name)
        if spec["type"] == "object":
            found += [f"{name}.{member}" for member in spec["fields"]]
        if spec["type"] == "map":
            found += [f"{name}.玉溪", f"{name}.a.b"]
    return [*found, "_clew", "_clew.turns", "nothing", "a.b.c"]


def argument_values(spec: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values for one argument, mostly lawful."""
    kind = spec["type"]
    if kind == "int":
        return st.integers(max(0, spec.get("min", 0)), min(spec.get("max", 60), 60))
    if kind == "enum":
        return st.sampled_from(spec["values"])
    if kind == "date":
        return st.integers(1, 28).map(lambda day: f"2026-03-{day:02}")
    if kind == "slug":
        return st.sampled_from(["nv-yujie", "a", "b-2"])
    return st.sampled_from(["炫赫门", "玉溪", "黄金叶", "corgi", "tabby", "章鱼"])


def event_steps(profile: dict[str, Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """`("event", name, args)`, with arguments as declared, some left out, some odd."""

    @st.composite
    def step(draw: st.DrawFn) -> tuple[Any, ...]:
        name = draw(st.sampled_from(sorted(profile["events"])))
        args = {}
        for key, spec in profile["events"][name]["args"].items():
            if draw(st.integers(0, 9)) or not spec.get("optional"):
                odd = draw(st.integers(0, 19)) == 0
                args[key] = draw(SCALARS if odd else argument_values(spec))
        return ("event", name, args)

    return step()


def steps(profile: dict[str, Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Anything that somebody may do to a state by the engine."""
    turns = st.tuples(st.just("turn"), st.integers(0, 3000), st.integers(0, 3))
    events = event_steps(profile)
    hand = edits(profile)
    return st.one_of(events, events, events, turns, turns, hand, hand, st.just(("disk",)))


def edits(profile: dict[str, Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """`("set", path, value)` and `("merge", patch)`, often with a value that fits."""
    sets = st.sampled_from(paths_of(profile)).flatmap(
        lambda path: st.tuples(st.just("set"), st.just(path), fitting(profile, path))
    )
    patches = st.fixed_dictionaries(
        {}, optional={name: fitting(profile, name) for name in (*profile["fields"], "nothing")}
    )
    few = patches.map(lambda patch: dict(list(patch.items())[:3]))
    return st.one_of(sets, sets, st.tuples(st.just("merge"), few))


def fitting(profile: dict[str, Any], path: str) -> st.SearchStrategy[Any]:
    """A value for a path: often one that fits."""
    spec, _ = spec_at(profile, path)
    return ANY if spec is None else st.one_of(ANY, valued(spec), valued(spec))


def valued(spec: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a spec, mostly."""
    kind = spec["type"]
    if kind == "object":
        members = {name: valued(member) for name, member in spec["fields"].items()}
        made: st.SearchStrategy[Any] = st.fixed_dictionaries({}, optional=members)
    elif kind == "list":
        items = spec["items"]
        whole = (
            st.fixed_dictionaries({name: valued(m) for name, m in items["fields"].items()})
            if items["type"] == "object"
            else valued(items)
        )
        made = st.lists(whole, max_size=9)
    elif kind == "map":
        made = st.dictionaries(
            st.sampled_from(["玉溪", "炫赫门", "No.5"]), valued(spec["items"]), max_size=3
        )
    elif kind == "bool":
        made = st.booleans()
    elif kind == "stamp":
        made = st.sampled_from([NOW, "2026-02-29T00:00:00Z", "2026-05-08T10:12:34.123Z"])
    elif kind == "scale":
        made = st.sampled_from(spec["values"])
    else:
        made = argument_values(spec)
    return st.one_of(st.none(), made, made) if spec.get("null") else made


def taken(profile: dict[str, Any], state: dict[str, Any], step: tuple[Any, ...]) -> engine.Outcome:
    """Take a step. `disk` writes the state and reads it back."""
    kind = step[0]
    if kind == "event":
        return engine.apply(profile, state, step[1], step[2], now=NOW)
    if kind == "turn":
        return engine.turn(profile, state, chars=step[1], tools=step[2], now=NOW)
    if kind == "set":
        return engine.set_field(profile, state, step[1], step[2], now=NOW)
    if kind == "merge":
        return engine.merge(profile, state, step[1], now=NOW)
    back, notes = engine.tidy(profile, json.loads(json.dumps(state)))
    assert notes == [] and back == state
    return engine.Outcome(back, [])


@st.composite
def damaged(draw: st.DrawFn, profile: dict[str, Any], state: dict[str, Any]) -> Any:
    """A state after something else wrote it: members lost, replaced, renamed, added, at any depth."""
    raw = json.loads(json.dumps(state))
    for _ in range(draw(st.integers(1, 6))):
        place = raw
        while True:
            inner = [key for key, item in place.items() if isinstance(item, dict) and item]
            if not inner or draw(st.integers(0, 2)) == 0:
                break
            place = place[draw(st.sampled_from(sorted(inner)))]
        if not place:
            continue
        key = draw(st.sampled_from(sorted(place)))
        kind = draw(st.integers(0, 3))
        if kind == 0:
            del place[key]
        elif kind == 1:
            place[key] = draw(ANY)
        elif kind == 2:
            place[draw(TEXTS)] = place.pop(key)
        else:
            place[draw(TEXTS)] = draw(ANY)
    return raw


def python39() -> str | None:
    """A Python 3.9 that starts: on the path (where a version manager's stand-in may not), or among
    the versions of pyenv, whose stand-in starts only what a project has chosen."""
    code = "import sys; print(sys.version_info[:2])"
    kept = sorted(Path.home().glob(".pyenv/versions/3.9*/bin/python3.9"))
    for found in filter(None, [shutil.which("python3.9"), *map(str, kept)]):
        said = subprocess.run([found, "-c", code], capture_output=True, text=True, check=False)
        if said.stdout.strip() == "(3, 9)":
            return found
    return None
