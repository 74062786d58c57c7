"""Our entries in a host's settings: put in, found again, taken out. Pure: text in, text out.

Ours is a handler whose command line is the one that `hosts.command` makes, for any interpreter, so
that an entry is found again when Python moved or the record is gone. What somebody changed beside
the command line (a timeout, a matcher, handlers of their own next to it) is theirs and stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from clew.faces.agents import jsontext
from clew.faces.agents.hosts import HOSTS, Hook, Host, command, entry, interpreter_of
from clew.faces.agents.jsontext import Edit, Value
from clew.kernel.document import child, parse
from clew.kernel.errors import Refused, refuse
from clew.kernel.faults import Fault

_HOOKS: Final = "hooks"
_BOM: Final = "\ufeff"
_MOST: Final = 64
"""Handlers of ours in one file; two are put there."""
EMPTY: Final = "{}\n"
State = Literal["installed", "edited", "outdated", "missing"]


class Found(NamedTuple):
    """A handler of ours: where it is in the list of its event, and whose interpreter it runs."""

    event: str
    group: int
    handler: int
    interpreter: str


class Installed(NamedTuple):
    """A text with our entries, and how to take it back to what it was."""

    text: str
    edits: list[Edit]


def judge(data: bytes, file: str) -> tuple[str, Any]:
    """The text of a settings file and its value. Raises `Refused` with every fault: what is no
    JSON, or has no room for hooks where they belong, is never written over."""
    value, _ = parse(data, file)
    faults = []
    if not isinstance(value, dict):
        faults.append(Fault("wrong_type", "$", expected="object", found=_kind(value)))
    else:
        hooks = value.get(_HOOKS, {})
        if not isinstance(hooks, dict):
            faults.append(Fault("wrong_type", "$.hooks", expected="object", found=_kind(hooks)))
        else:
            faults += [
                Fault("wrong_type", child("$.hooks", event), expected="list", found=_kind(groups))
                for event, groups in hooks.items()
                if not isinstance(groups, list)
            ]
    refuse(faults)
    ours = max(sum(1 for _ in find(value, host)) for host in HOSTS.values())
    if ours > _MOST:  # each is edited by itself
        raise Refused(Fault("too_many_items", "$.hooks", found=ours, limit=_MOST))
    return data.decode("utf-8"), value


def _kind(value: Any) -> str:
    return {dict: "object", list: "list", str: "string", type(None): "null"}.get(
        type(value), type(value).__name__
    )


def find(value: Any, host: Host) -> Iterator[Found]:
    """Every handler of ours, in order."""
    for hook in host.hooks:
        for at, group in enumerate(value.get(_HOOKS, {}).get(hook.event, [])):
            handlers = group.get(_HOOKS) if isinstance(group, dict) else None
            for number, handler in enumerate(handlers if isinstance(handlers, list) else []):
                line = handler.get("command") if isinstance(handler, dict) else None
                interpreter = interpreter_of(line, hook.event, host)
                if interpreter is not None:
                    yield Found(hook.event, at, number, interpreter)


def state(value: Any, host: Host, interpreter: str) -> State:
    """How our entries stand."""
    found = list(find(value, host))
    if not found:
        return "missing"
    wanted = {hook.event: entry(host, hook, interpreter) for hook in host.hooks}
    if {one.event for one in found} != set(wanted):
        return "outdated"
    if any(one.interpreter != interpreter for one in found):
        return "outdated"
    there = all(value[_HOOKS][one.event][one.group] == wanted[one.event] for one in found)
    return "installed" if there else "edited"


def install(text: str, value: Any, host: Host, interpreter: str) -> Installed:
    """The text with a handler of ours at each event; those of another interpreter get this one."""
    edits: list[Edit] = []
    mark = _BOM if text.startswith(_BOM) else ""
    text = text.removeprefix(mark)
    there = list(find(value, host))
    for hook in host.hooks:
        line = command(interpreter, hook.event, host.words)
        ours = [one for one in there if one.event == hook.event]
        steps = [
            jsontext.change(text, _command(jsontext.read(text), one), line)
            for one in reversed(ours)  # from the end, so that the places before it stay
            if one.interpreter != interpreter
        ]
        for edit in steps or ([] if ours else [_add(text, host, hook, interpreter)]):
            edits.append(edit)
            text = jsontext.apply(text, edit)
    shift = len(mark)
    return Installed(mark + text, [Edit(e.at + shift, e.old, e.new) for e in edits])


def uninstall(text: str, host: Host, made: list[str]) -> str:
    """The text without our handlers, and without what held nothing else: a group of ours, and the
    lists and the object that `made` says we made (`hooks`, `hooks.PreToolUse` …)."""
    mark = _BOM if text.startswith(_BOM) else ""
    text = text.removeprefix(mark)
    while True:
        found = next(find(json.loads(text), host), None)
        if found is None:
            return mark + text
        text = _take(text, found, made)


def same(text: str, other: str) -> bool:
    """Whether two texts hold the same settings; False for what is no JSON."""
    try:
        return bool(json.loads(text.removeprefix(_BOM)) == json.loads(other.removeprefix(_BOM)))
    except (ValueError, RecursionError):
        return False


def made(value: Any, host: Host) -> list[str]:
    """The containers that `install` has to make in these settings."""
    hooks = value.get(_HOOKS)
    out = [] if isinstance(hooks, dict) else [_HOOKS]
    known = hooks if isinstance(hooks, dict) else {}
    return out + [f"{_HOOKS}.{hook.event}" for hook in host.hooks if hook.event not in known]


def _add(text: str, host: Host, hook: Hook, interpreter: str) -> Edit:
    """The edit that puts a new entry where it belongs, with the containers that are not there."""
    root = jsontext.read(text)
    style = jsontext.style_of(text, root)
    group = entry(host, hook, interpreter)
    hooks = root.get(_HOOKS)
    if hooks is None:
        return jsontext.add(text, root, _HOOKS, {hook.event: [group]}, style, 0)
    groups = hooks.value.get(hook.event)
    if groups is None:
        return jsontext.add(text, hooks.value, hook.event, [group], style, 1)
    return jsontext.add(text, groups.value, None, group, style, 2)


def _groups(root: Value, event: str) -> tuple[Value, Value]:
    hooks = root.get(_HOOKS)
    assert hooks is not None
    groups = hooks.value.get(event)
    assert groups is not None
    return hooks.value, groups.value


def _command(root: Value, found: Found) -> Value:
    """Where the command line of a handler stands."""
    groups = _groups(root, found.event)[1]
    handlers = groups.items[found.group].value.get(_HOOKS)
    assert handlers is not None
    line = handlers.value.items[found.handler].value.get("command")
    assert line is not None
    return line.value


def _take(text: str, found: Found, ours: list[str]) -> str:
    root = jsontext.read(text)
    hooks, groups = _groups(root, found.event)
    group = groups.items[found.group].value
    handlers = group.get(_HOOKS)
    assert handlers is not None
    alone = len(handlers.value.items) == 1 and {m.key for m in group.items} <= {"matcher", _HOOKS}
    if not alone:
        return jsontext.apply(text, jsontext.drop(text, handlers.value, found.handler))
    if len(groups.items) > 1 or f"{_HOOKS}.{found.event}" not in ours:
        return jsontext.apply(text, jsontext.drop(text, groups, found.group))
    if len(hooks.items) > 1 or _HOOKS not in ours:
        index = [member.key for member in hooks.items].index(found.event)
        return jsontext.apply(text, jsontext.drop(text, hooks, index))
    index = [member.key for member in root.items].index(_HOOKS)
    return jsontext.apply(text, jsontext.drop(text, root, index))
