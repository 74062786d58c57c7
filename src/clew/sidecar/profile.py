"""A profile: one TOML file that says what the state of a skill holds and what changes it.

`compiled` checks the whole text, tells every fault with its line, and gives the plain JSON that the
engine reads. The language is stated in `profile_grammar`; profiles are data, nothing in them is run.
May touch: nothing but the text that it is given.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final, NamedTuple

from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault
from clew.sidecar import engine
from clew.sidecar.engine_shape import default_of, lawful
from clew.sidecar.profile_events import Events
from clew.sidecar.profile_fields import fields as fields_of
from clew.sidecar.profile_fields import scales as check_scales
from clew.sidecar.profile_lines import Lines, Path
from clew.sidecar.profile_parts import Parts
from clew.sidecar.profile_tree import BAD, Sheet, shaped
from clew.sidecar.profile_values import condition

FORMAT: Final = 1
"""The version of the compiled form."""
TEXT_BYTES: Final = 1_000_000
CASE_STEPS: Final = 20_000
"""How many events, edits and turns the cases of a profile take altogether: some seconds."""


class Compiled(NamedTuple):
    """A profile that holds together."""

    profile: dict[str, Any]
    """What the engine reads, plain JSON, the same for the same text."""
    cases: list[dict[str, Any]]
    """The profile's own test cases, as `clew.sidecar.cases` runs them."""
    sheet: Sheet
    """Knows the lines, for what is found later."""


def compiled(text: str, file: str = "profile.toml") -> Compiled:
    """Check a profile and compile it. Raises `Refused` with every fault (`profile_…`) at once."""
    if len(text.encode("utf-8", "replace")) > TEXT_BYTES:
        raise Refused(Fault("too_large", file=file, found=len(text), limit=TEXT_BYTES))
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refused(_syntax(error, text, file)) from None
    except ValueError:  # an integer of more digits than Python reads
        raise Refused(_long_number(text, file)) from None
    except RecursionError:
        raise Refused(Fault("too_deep", file=file, limit=64)) from None
    sheet = Sheet(file, Lines(text))
    tree = shaped(sheet, "file", raw, ())
    profile = _compile(sheet, tree)
    if not sheet.faults:
        _fresh(sheet, profile)
    if sheet.faults:
        raise Refused(*sorted(sheet.faults, key=lambda fault: int(fault.facts["line"])))
    return Compiled(profile, tree.get("case", []), sheet)


def _syntax(error: tomllib.TOMLDecodeError, text: str, file: str) -> Fault:
    """The parser's own words hold the line: `… (at line 3, column 7)`, or the end of the text."""
    reason, _, place = str(error).partition(" (at ")
    line = place.removeprefix("line ").partition(",")[0]
    number = int(line) if line.isdigit() else text.count("\n") + 1
    return Fault("profile_toml", file=file, line=number, reason=reason)


def _long_number(text: str, file: str) -> Fault:
    found = re.search(r"[0-9_]{1000,}", text)
    line = text.count("\n", 0, found.start()) + 1 if found else 1
    reason = Both("整数太长，最多 2^53-1", "an integer is too long; at most 2^53-1")
    return Fault("profile_toml", file=file, line=line, reason=reason)


def _compile(sheet: Sheet, tree: dict[str, Any]) -> dict[str, Any]:
    head = tree.get("profile", {})
    for key in ("version", "unversioned"):
        if key in head and not 1 <= head[key] <= 1_000_000:
            sheet.value(("profile", key), head[key], Both("1..1000000", "1..1000000"))
    check_scales(sheet, tree)
    fields = fields_of(sheet, tree)
    parts = Parts(sheet, tree, fields)
    special = parts.special()
    phases = parts.phases()
    stocks = parts.stocks()
    ledgers = parts.ledgers()
    guards = parts.guards()
    work = Events(parts)
    events = work.events()
    rules = work.rules(phases)
    migrations = work.migrations()
    _turn(sheet, head, events)
    _never_refused(sheet, head, tree, events)
    _case_steps(sheet, tree)
    _used(sheet, guards, events)
    return {
        "format": FORMAT,
        "name": head.get("name"),
        "version": head.get("version"),
        "unversioned": head.get("unversioned", 1),
        "title": head.get("title"),
        **({"about": head["about"]} if "about" in head else {}),
        **special,
        "turn": head.get("turn"),
        "fields": fields,
        "phases": phases,
        "rules": rules,
        "stocks": stocks,
        "ledgers": ledgers,
        "guards": guards,
        "events": events,
        "migrations": migrations,
        "simulate": _script(sheet, parts, tree, events),
    }


def _turn(sheet: Sheet, head: dict[str, Any], events: dict[str, Any]) -> None:
    """The event of a turn's end can always be applied: it asks for nothing."""
    name, path = head.get("turn"), ("profile", "turn")
    if name is None:
        return
    if name not in events:
        sheet.name(path, name, events)
        return
    event = events[name]
    asked = [
        arg for arg, spec in event["args"].items()
        if arg not in ("chars", "tools") and not spec.get("optional") and "default" not in spec
    ]  # fmt: skip
    if asked or event["require"] or "uses" in event:
        sheet.clash(
            path,
            f"每轮的事件 {name} 不能有必给的参数（chars、tools 除外）、前提或护栏",
            f"the event of a turn's end, {name}, has no arguments that must be given (but chars "
            "and tools), requirements or guard",
        )
    for arg in ("chars", "tools"):
        if event["args"].get(arg, {"type": "int"})["type"] != "int":
            sheet.value(("events", name, "args", arg), arg, Both("整数参数", "an int argument"))


_REFUSABLE: Final = ("spend", "repay", "stock", "take", "switch")


def _never_refused(
    sheet: Sheet, head: dict[str, Any], tree: dict[str, Any], events: dict[str, Any]
) -> None:
    """Who says stop is heard, and a turn ends: nothing in these events depends on what is there."""
    if head.get("turn") in ("opt_in", "opt_out"):
        sheet.clash(
            ("profile", "turn"), "每轮的事件不能是开关", "the switch is no event of a turn's end"
        )
        return
    turn = [head["turn"]] if "turn" in head else []
    for name in ("opt_in", "opt_out", *turn):
        raw = tree.get("events", {}).get(name, {})
        path: Path = ("events", name)
        if name not in turn:
            for key in ("require", "uses"):
                if key in raw:
                    sheet.clash(
                        (*path, key),
                        f"{name} 不能有前提或护栏：用户说停、说开都算数",
                        f"{name} has no requirement and no guard: what the user says counts",
                    )
            for arg, spec in events[name]["args"].items():
                if not spec.get("optional") and "default" not in spec:
                    sheet.clash((*path, "args", arg), f"{name} 的参数都要能不给",
                                f"every argument of {name} can be left out")  # fmt: skip
        for at, change in enumerate(raw.get("change", [])):
            for kind in _REFUSABLE:
                if isinstance(change, dict) and kind in change:
                    sheet.clash(
                        (*path, "change", at),
                        f"{name} 绝不能被拒绝，而 {kind} 可能被拒绝；数目用 add（到边界为止）、"
                        "刻度用 lower，或放进别的事件",
                        f"{name} is never refused, and {kind} can be; use add, which stops at the "
                        "field's bounds, or lower along a scale, or another event",
                    )


def _case_steps(sheet: Sheet, tree: dict[str, Any]) -> None:
    """Cases end in a moment."""
    steps = 0
    for at, case in enumerate(tree.get("case", [])):
        for number, step in enumerate([] if case is BAD else case.get("steps", [])):
            if step is BAD:
                continue
            path: Path = ("case", at, "steps", number)
            for key in ("times", "turns"):
                if not 1 <= step.get(key, 1) <= CASE_STEPS:
                    limits = Both(f"1..{CASE_STEPS}", f"1..{CASE_STEPS}")
                    sheet.value((*path, key), step[key], limits)
                    return
            steps += step.get("times", 1) * (step.get("turns", 0) + ("turns" not in step))
            if steps > CASE_STEPS:
                sheet.clash(
                    path,
                    f"全部用例合计最多 {CASE_STEPS} 步（times × turns）",
                    f"the cases take more than {CASE_STEPS} steps altogether (times × turns)",
                )
                return


def _used(sheet: Sheet, guards: dict[str, Any], events: dict[str, Any]) -> None:
    used = {event["uses"] for event in events.values() if "uses" in event}
    for name in guards:
        if name not in used:
            sheet.clash(
                ("guards", name),
                "没有事件用它（uses），所以它永远不知道上次是何时",
                "no event uses it, so it never learns when the last time was",
            )


def _script(
    sheet: Sheet, parts: Parts, tree: dict[str, Any], events: dict[str, Any]
) -> list[dict[str, Any]]:
    """What a simulation tries each turn."""
    out = []
    for at, raw in enumerate(tree.get("simulate", [])):
        path: Path = ("simulate", at)
        if raw is BAD or "event" not in raw:
            continue
        name = raw["event"]
        if name not in events:
            sheet.name((*path, "event"), name, events)
            continue
        args = events[name]["args"]
        for key, given in raw.get("args", {}).items():
            where = (*path, "args", key)
            if key not in args:
                sheet.name(where, key, args)
                continue
            for word in lawful(args[key], given, key):
                sheet.value(where, given, Both(word["zh"], word["en"]))
        every = raw.get("every", 1)
        if every < 1:
            sheet.value((*path, "every"), every, Both("正整数", "a positive integer"))
        move = {"event": name, "args": raw.get("args", {}), "every": every}
        if "when" in raw:
            move["when"] = condition(parts.names, raw["when"], (*path, "when"))
        out.append(move)
    return out


def _fresh(sheet: Sheet, profile: dict[str, Any]) -> None:
    """The defaults make a lawful state, on which nothing has to be mended."""
    declared = {name: default_of(spec) for name, spec in profile["fields"].items()}
    for note in engine.tidy(profile, declared)[1]:
        if note["code"] == "taken_over":
            continue
        field = str(note.get("path", "")).partition(".")[0]
        path: Path = ("ledgers", field) if note["code"] == "difference" else ("fields", field)
        zh, en = f"默认值不成立：{note['zh']}", f"the defaults do not hold: {note['en']}"
        sheet.clash(path, zh, en)
