"""Play a profile for many turns, and see when its guards open and how its ledgers move. Pure.

The same profile, turns, seed and script always give the same rows.
"""

from __future__ import annotations

from typing import Any, Final

from clew.sidecar import engine
from clew.sidecar.engine_goods import totals
from clew.sidecar.engine_shape import date_of, day_number
from clew.sidecar.engine_values import BOOK, Scene, get, holds

START: Final = "2026-01-05"
"""The first simulated day, a Monday."""
TURNS_A_DAY: Final = 10
CHARS_A_TURN: Final = 400


def simulate(
    profile: dict[str, Any],
    turns: int,
    seed: str | int,
    script: list[dict[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """One row for each turn: `turn`, `day`, `events` (what was done, or refused with which code; the
    turn's own event only with what it could not do in full, as `held`: code and path),
    `opened` (guards that became open), `used`, `open` (guards open at its end), `ledgers`, `phases`.

    `script` is what the agent tries each turn, in this order: `event`, and if wanted `args`, `every`
    (turns) and `when` (a condition in compiled form); by default what the profile says under
    `simulate`. A day that an event needs and the script leaves out is the simulated one.
    """
    state = engine.fresh(profile)
    state[BOOK]["seed"] = seed
    state = engine.apply(profile, state, "opt_in", {}, now=_now(0)).state
    moves = profile["simulate"] if script is None else script
    rows = []
    was_open = {name for name, view in engine.guards(profile, state).items() if view["open"]}
    for number in range(1, turns + 1):
        day, now = _day(number), _now(number)
        events, used = [], []
        for move in moves:
            if number % move.get("every", 1) or not holds(
                Scene(profile, state, {}), move.get("when")
            ):
                continue
            name = move["event"]
            args = {**_days(profile, name, day), **move.get("args", {})}
            done = engine.apply(profile, state, name, args, now=now)
            state = done.state
            codes = [problem["code"] for problem in done.refused]
            events.append({"event": name, **({"refused": codes} if codes else {})})
            guard = profile["events"].get(name, {}).get("uses")
            if guard is not None and not codes:
                used.append(guard)
                was_open.discard(guard)
        done = engine.turn(profile, state, chars=CHARS_A_TURN, tools=number % 4, now=now)
        state = done.state
        if "held" in done.said:
            held = [f"{item['code']} {item.get('path', '')}" for item in done.said["held"]]
            events.append({"event": profile["turn"], "held": held})
        is_open = {name for name, view in done.said["guards"].items() if view["open"]}
        rows.append({
            "turn": number,
            "day": day,
            "events": events,
            "used": used,
            "opened": sorted(is_open - was_open),
            "open": sorted(is_open),
            "ledgers": {name: totals(profile, state, name) for name in profile["ledgers"]},
            "phases": {phase["field"]: get(state, phase["field"]) for phase in profile["phases"]},
        })  # fmt: skip
        was_open = is_open
    return rows


def _day(number: int) -> str:
    first = day_number(START) or 1
    return date_of(first + (number - 1) // TURNS_A_DAY)


def _now(number: int) -> str:
    minutes = (number - 1) % TURNS_A_DAY if number else 0
    return f"{_day(max(1, number))}T09:{minutes:02}:00Z"


def _days(profile: dict[str, Any], name: str, day: str) -> dict[str, Any]:
    args = profile["events"].get(name, {"args": {}})["args"]
    return {
        key: day
        for key, spec in args.items()
        if spec["type"] == "date" and not spec.get("optional") and "default" not in spec
    }
