"""`clew sidecar wire`: the hooks of a skill's state in an agent's settings, shown first, removed
exactly.

Two handlers: `read --hook` before each prompt, `turn --hook` at the end of each turn. The edit of the
settings file is that of `agents.jsontext`, so that every byte around it stays; a record beside it
(`clew-sidecar.json`) says how it was edited, and `--remove` takes exactly that back. Nothing is
written before the difference was shown and confirmed (`--yes`, or a person at a terminal).
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import sys
from typing import Any, Final, Literal, NamedTuple

import msgspec

from clew.faces import config
from clew.faces.agents import jsontext, settings
from clew.faces.agents.jsontext import Edit, Value
from clew.kernel.clock import system_clock
from clew.kernel.document import INPUT_BYTES, digest, encode, parse
from clew.kernel.errors import ChangedOutside, ClewError, Corrupt, Refused
from clew.kernel.faults import Code, Fault, register
from clew.kernel.folder import FolderVault
from clew.kernel.lock import exclusive
from clew.sidecar.calling import Call, CallError
from clew.sidecar.place import absolute, home, project_root, state_folder
from clew.sidecar.saying import Reply
from clew.sidecar.shelf import ShelfError, word_of
from clew.sidecar.verbs import Host

MODULE: Final = "clew.faces.cli.main"
EVENTS: Final = {"UserPromptSubmit": "read", "Stop": "turn"}
_SETTINGS: Final = ".claude/settings.json"
_RECORD: Final = ".claude/clew-sidecar.json"
_LOCK: Final = ".claude/clew-agent.lock"
"""The one that `clew agent` takes: both edit the same settings."""
_TIMEOUT_S: Final = 15
_HOOKS: Final = "hooks"
_YES: Final = ("y", "yes", "是", "好")


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One wiring: the edits that lead from the content with hash `before` to that with `after`."""

    profile: str
    before: str
    after: str
    edits: tuple[tuple[int, str, str], ...]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was put into one settings file. `made`: the containers that were not there before."""

    format: Literal["clew-sidecar"] = "clew-sidecar"
    schema_version: Literal[1] = 1
    created: bool = False
    made: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    """Only while the settings are the very bytes that the last one left."""


class Plan(NamedTuple):
    """What would be written; None removes a file."""

    settings: bytes | None
    record: bytes | None
    seen: tuple[bytes | None, bytes | None]


def wire(call: Call, profile: dict[str, Any], host: Host) -> Reply:
    """Run the verb. Raises `CallError`, `ShelfError`."""
    user = call.flag("user")
    root = home(host.environ) if user else project_root(host.environ, host.cwd)
    if not user and root == home(host.environ):
        raise CallError(
            "这里是主目录：要对所有项目生效，加 --user",
            "this is the home folder: say --user to wire it for every project",
        )
    try:
        return _wire(call, profile, host, root)
    except ClewError as error:
        raise ShelfError(*map(word_of, error.faults), exit=error.exit_code) from None


def _wire(call: Call, profile: dict[str, Any], host: Host, root: str) -> Reply:
    name = profile["name"]
    vault = FolderVault(root)
    plan = plan_for(vault, name, command_tail(call, name, host), remove=call.flag("remove"))
    diff = _diff(plan)
    answer: dict[str, Any] = {
        "status": "ok",
        "profile": name,
        "settings": f"{root}/{_SETTINGS}",
        "wired": not call.flag("remove"),
        "changed": bool(diff),
    }
    if not call.flag("remove"):
        answer["allowed_tools"] = allowed_tools()
    if diff and not call.flag("yes"):
        asked = config.fancy(sys.stdout) and not call.flag("json") and sys.stdin.isatty()
        if not asked or not _confirmed(diff, host.lang):
            answer |= {"status": "declined" if asked else "needs_confirmation", "diff": diff}
            return Reply(answer, exit=1)
    carry_out(vault, plan)
    return Reply(answer)


def command_tail(call: Call, name: str, host: Host) -> str:
    """The options that the hooks call with: a host starts them in another folder, and with another
    environment, than those in which they are wired."""
    tail = f"--hook --profile {name}"
    if call.text("scope"):
        tail += f" --scope {call.text('scope')}"
    if call.text("session"):
        tail += f" --session {shlex.quote(call.text('session'))}"
    if call.text("file"):
        tail += f" --file {shlex.quote(absolute(call.text('file'), host.environ, host.cwd))}"
    if host.environ.get("CLEW_STATE_DIR"):
        tail += f" --state-dir {shlex.quote(state_folder(host.environ, host.cwd))}"
    return tail


def allowed_tools() -> str:
    """The line for a SKILL.md, so that the skill's own calls need no permission each time."""
    verbs = ("read", "event", "turn", "set", "patch", "pause", "resume")
    return "allowed-tools: " + ", ".join(f"Bash(clew sidecar {verb}:*)" for verb in verbs)


def command(interpreter: str, verb: str, tail: str) -> str:
    """A hook's command line: by the absolute path, because a host need not have our PATH. A module
    that is gone ends with exit code 1, which stops nothing."""
    path = f'"{interpreter}"' if os.name == "nt" else shlex.quote(interpreter)
    return f"{path} -P -m {MODULE} sidecar {verb} {tail}"


def _is_ours(handler: Any, verb: str, name: str) -> bool:
    line = handler.get("command") if isinstance(handler, dict) else None
    pattern = (
        rf".+ -P -m {re.escape(MODULE)} sidecar {verb} --hook --profile {re.escape(name)}( .*)?"
    )
    return isinstance(line, str) and re.fullmatch(pattern, line) is not None


# ---- planning ------------------------------------------------------------------------------------


def plan_for(vault: FolderVault, name: str, tail: str, *, remove: bool) -> Plan:
    """What to write. Raises `Refused` for settings that are no JSON or have no room for hooks, and
    `Corrupt` for a record that cannot be read."""
    seen = _read(vault, _SETTINGS), _read(vault, _RECORD)
    record = Record() if seen[1] is None else _load(seen[1])
    wanted = {verb: command(config.interpreter(), verb, tail) for verb in EVENTS.values()}
    if not remove and seen[0] is not None and _stands(seen[0], name, wanted):
        return Plan(seen[0], seen[1], seen)
    data, record = _without(seen[0], record, name)
    if not remove:
        data, record = _with(data, record, name, wanted)
    gone = not record.profiles
    return Plan(data, None if gone else encode(record), seen)


def _read(vault: FolderVault, path: str) -> bytes | None:
    real = vault.real(path)
    if vault.files.stat(real) is None:
        return None
    return vault.files.read(real, 0, INPUT_BYTES + 1)


def _stands(data: bytes, name: str, wanted: dict[str, str]) -> bool:
    """Whether exactly these handlers are there already."""
    _, value = settings.judge(data, _SETTINGS)
    found = [
        (event, handler["command"])
        for event, verb in EVENTS.items()
        for _, _, handler in _handlers(value, event)
        if _is_ours(handler, verb, name)
    ]
    return found == [(event, wanted[verb]) for event, verb in EVENTS.items()]


def _handlers(value: Any, event: str) -> list[tuple[int, int, Any]]:
    out = []
    for at, group in enumerate(value.get(_HOOKS, {}).get(event, [])):
        inner = group.get(_HOOKS) if isinstance(group, dict) else None
        for number, handler in enumerate(inner if isinstance(inner, list) else []):
            out.append((at, number, handler))
    return out


def _without(data: bytes | None, record: Record, name: str) -> tuple[bytes | None, Record]:
    profiles = tuple(other for other in record.profiles if other != name)
    left = msgspec.structs.replace(record, profiles=profiles)
    if data is None:
        return None, msgspec.structs.replace(left, steps=())
    last = record.steps[-1] if record.steps else None
    if last is not None and last.profile == name and last.after == digest(data):
        undone = jsontext.undo(data.decode(), [Edit(*edit) for edit in last.edits])
        if undone is not None and digest(undone.encode()) == last.before:
            # The very bytes that we left: what was there before comes back to the last one.
            if not profiles and record.created:
                return None, Record()
            return undone.encode(), msgspec.structs.replace(left, steps=record.steps[:-1])
    text, _ = settings.judge(data, _SETTINGS)
    after = _taken(text, name, record.made)
    if after == text:
        return data, left
    left = msgspec.structs.replace(left, steps=())
    if record.created and not profiles and after.strip() == "{}":
        return None, Record()
    return after.encode(), left


def _taken(text: str, name: str, made: tuple[str, ...]) -> str:
    """The text without our handlers, and without the containers that held nothing else."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    while True:
        value = json.loads(text)
        found = next(
            (
                (event, at, number)
                for event, verb in EVENTS.items()
                for at, number, handler in _handlers(value, event)
                if _is_ours(handler, verb, name)
            ),
            None,
        )
        if found is None:
            return mark + text
        text = jsontext.apply(text, _drop(text, *found, made))


def _drop(text: str, event: str, at: int, number: int, made: tuple[str, ...]) -> Edit:
    root = jsontext.read(text)
    hooks = _member(root, _HOOKS)
    groups = _member(hooks, event)
    group = groups.items[at].value
    handlers = _member(group, _HOOKS)
    if len(handlers.items) > 1 or {m.key for m in group.items} - {"matcher", _HOOKS}:
        return jsontext.drop(text, handlers, number)
    if len(groups.items) > 1 or f"{_HOOKS}.{event}" not in made:
        return jsontext.drop(text, groups, at)
    if len(hooks.items) > 1 or _HOOKS not in made:
        return jsontext.drop(text, hooks, [member.key for member in hooks.items].index(event))
    return jsontext.drop(text, root, [member.key for member in root.items].index(_HOOKS))


def _member(value: Value, key: str) -> Value:
    found = value.get(key)
    assert found is not None
    return found.value


def _with(
    data: bytes | None, record: Record, name: str, wanted: dict[str, str]
) -> tuple[bytes, Record]:
    before = settings.EMPTY.encode() if data is None else data
    text, value = settings.judge(before, _SETTINGS)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    known = value.get(_HOOKS)
    made = [] if isinstance(known, dict) else [_HOOKS]
    made += [f"{_HOOKS}.{event}" for event in EVENTS if event not in (known or {})]
    edits = []
    for event, verb in EVENTS.items():
        handler = {"type": "command", "command": wanted[verb], "timeout": _TIMEOUT_S}
        edit = _add(text, event, {_HOOKS: [handler]})
        edits.append((edit.at + len(mark), edit.old, edit.new))
        text = jsontext.apply(text, edit)
    after = (mark + text).encode()
    step = Step(name, digest(before), digest(after), tuple(edits))
    steps = record.steps if record.steps and record.steps[-1].after == step.before else ()
    return after, Record(
        created=record.created or data is None,
        made=(*record.made, *(one for one in made if one not in record.made)),
        profiles=(*record.profiles, name),
        steps=(*steps, step),
    )


def _add(text: str, event: str, group: dict[str, Any]) -> Edit:
    root = jsontext.read(text)
    style = jsontext.style_of(text, root)
    hooks = root.get(_HOOKS)
    if hooks is None:
        return jsontext.add(text, root, _HOOKS, {event: [group]}, style, 0)
    groups = hooks.value.get(event)
    if groups is None:
        return jsontext.add(text, hooks.value, event, [group], style, 1)
    return jsontext.add(text, groups.value, None, group, style, 2)


def _load(data: bytes) -> Record:
    try:
        value, _ = parse(data, _RECORD)
        return msgspec.convert(value, Record)
    except (Refused, msgspec.ValidationError):
        raise Corrupt(Fault("sidecar_record_unreadable", file=_RECORD)) from None


# ---- carrying out --------------------------------------------------------------------------------


def carry_out(vault: FolderVault, plan: Plan) -> None:
    """Write what a plan says. Raises `ChangedOutside` when a file is not as the plan saw it."""
    if (plan.settings, plan.record) == plan.seen:
        return
    files = vault.files
    folder = vault.real(".claude")
    with exclusive(
        vault.real(_LOCK), files=files, clock=system_clock, shown=_LOCK,
        prepare=lambda: files.make_dir(folder),
    ):  # fmt: skip
        if (_read(vault, _SETTINGS), _read(vault, _RECORD)) != plan.seen:
            raise ChangedOutside(Fault("agent_file_changed", file=_SETTINGS))
        steps = [(_RECORD, plan.record), (_SETTINGS, plan.settings)]
        for path, data in steps if plan.record is not None else steps[::-1]:
            if data is None:
                files.remove(vault.real(path))
            else:
                vault.write_loose(path, data)


def _diff(plan: Plan) -> str:
    old, new = (
        (data or b"").decode("utf-8", "replace").splitlines()
        for data in (plan.seen[0], plan.settings)
    )
    lines = difflib.unified_diff(old, new, f"a/{_SETTINGS}", f"b/{_SETTINGS}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _confirmed(diff: str, lang: str) -> bool:
    from clew.kernel.faults import plain

    sys.stderr.write("".join(f"{plain(line)}\n" for line in diff.splitlines()))
    sys.stderr.write("写入这些改动？[y/N] " if lang == "zh" else "Write these changes? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES


register(
    Code(
        "sidecar_record_unreadable", 2,
        "接线记录 {file} 读不懂，什么都没动",
        "the record of what was wired, {file}, cannot be read; nothing was changed",
        "把它移走再运行同一条命令；settings.json 里的钩子照样认得出。",
        "Move it away and run the same command again: the hooks in settings.json are still recognised.",
        about_zh="记录写明改了 settings.json 的哪里。读不懂的记录从不当作没有。",
        about_en="The record says how settings.json was edited. One that makes no sense is never taken "
        "for an absent one.",
    ),
)  # fmt: skip
