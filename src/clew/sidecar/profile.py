"""A profile: one TOML file that says what the state of a skill holds and what changes it.

`compiled` checks the whole text, tells every fault with its line, and gives the plain JSON that the
engine reads. The language is stated in `profile_grammar`; profiles are data, nothing in them is run.
May touch: nothing but the text that it is given.
"""

from __future__ import annotations

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
