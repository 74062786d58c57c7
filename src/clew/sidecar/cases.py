"""The test cases that a profile carries: run on the engine, each failure told with its line. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from clew.kernel.faults import Both, Fault
from clew.sidecar import engine
from clew.sidecar.engine_values import BOOK, get
from clew.sidecar.profile import Compiled

NOW: Final = "2026-05-08T10:12:34Z"


def failures(found: Compiled) -> list[Fault]:
    """A fault (`profile_case`) for everything in which a case does not come out as it says."""
    before = len(found.sheet.faults)
    for at, case in enumerate(found.cases):
        for reason in _run(found.profile, case):
            found.sheet.add("profile_case", ("case", at), name=case["name"], reason=reason)
    faults = found.sheet.faults[before:]
    del found.sheet.faults[before:]
    return faults


def _run(profile: dict[str, Any], case: dict[str, Any]) -> Iterator[Both]:
    """Why a case fails: one reason for each difference."""
    try:
        raw = _start(profile, case)
    except ValueError as error:
        yield Both(f"file 不是合法 JSON（{error}）", f"file is not valid JSON ({error})")
        return
    state, notes = engine.tidy(profile, raw)
    codes = [note["code"] for note in notes]
    for code in case.get("notes", []):
        if code not in codes:
            yield Both(
                f"读入时没有提示 {code}，只有 {codes}", f"no note {code} on reading, but {codes}"
            )
    for at, step in enumerate(case.get("steps", [])):
        for _ in range(step.get("times", 1)):
            state, wrong = _step(profile, state, step)
            if wrong:
                yield Both(f"第 {at + 1} 步：{wrong[0]}", f"step {at + 1}: {wrong[1]}")
                return
    yield from _differences(case.get("expect", {}), state, "")
    for path in case.get("null", []):
        if get(state, path) is not None:
            yield Both(
                f"{path} 应为 null，是 {get(state, path)!r}",
                f"{path} is {get(state, path)!r}, not null",
            )
    views = engine.guards(profile, state)
    for key, wanted in (("open", True), ("closed", False)):
        for name in case.get(key, []):
            if name not in views:
                yield Both(f"没有护栏 {name}", f"there is no guard {name}")
            elif views[name]["open"] is not wanted:
                why = views[name]["why"]
                yield Both(f"护栏 {name}：{why['zh']}", f"the guard {name}: {why['en']}")
    for problem in engine.problems(profile, state):
        yield Both(
            f"结束时的状态不成立：{problem['zh']}",
            f"the state at the end does not hold: {problem['en']}",
        )


def _start(profile: dict[str, Any], case: dict[str, Any]) -> Any:
    if "file" in case:
        return json.loads(case["file"])
    start = {key: item for key, item in engine.fresh(profile).items() if key != BOOK}
    return _laid_over(start, case.get("given", {}))


def _laid_over(under: Any, over: Any) -> Any:
    if not (isinstance(under, dict) and isinstance(over, dict)):
        return over
    return {**under, **{key: _laid_over(under.get(key), item) for key, item in over.items()}}


def _step(
    profile: dict[str, Any], state: dict[str, Any], step: dict[str, Any]
) -> tuple[dict[str, Any], tuple[str, str] | None]:
    refused: list[dict[str, Any]] = []
    if "event" in step:
        done = engine.apply(profile, state, step["event"], step.get("args", {}), now=NOW)
        state, refused = done.state, done.refused
    elif "set" in step:
        done = engine.set_field(profile, state, step["set"], step.get("to"), now=NOW)
        state, refused = done.state, done.refused
    elif "merge" in step:
        done = engine.merge(profile, state, step["merge"], now=NOW)
        state, refused = done.state, done.refused
    for _ in range(step.get("turns", 0)):
        done = engine.turn(
            profile, state, chars=step.get("chars", 0), tools=step.get("tools", 0), now=NOW
        )
        state, refused = done.state, refused + done.refused
    codes = [problem["code"] for problem in refused]
    wanted = step.get("refused")
    if wanted is None and refused:
        return state, (refused[0]["zh"], refused[0]["en"])
    if wanted is not None and wanted not in codes:
        return state, (
            f"应被拒绝（{wanted}），结果是 {codes}",
            f"must be refused ({wanted}), but gave {codes}",
        )
    return state, None


def _differences(wanted: Any, found: Any, path: str) -> Iterator[Both]:
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, item in wanted.items():
            at = get(found, key) if "." in key and key not in found else found.get(key)
            yield from _differences(item, at, f"{path}.{key}" if path else key)
    elif wanted != found or isinstance(wanted, bool) is not isinstance(found, bool):
        yield Both(f"{path} 应为 {wanted!r}，是 {found!r}", f"{path} is {found!r}, not {wanted!r}")
