"""The commands that a skill gives while it runs: read, event, turn, set, patch, show, reset, pause,
resume. What they answer, in JSON and for people.

Everything comes in through `Host` and goes out as a `Reply`; nothing is printed here. The command
line of the package and every bundle run these same functions. Standard library only, Python 3.9.

A write that fails is silent on stdout (the answer is the one that was worked out), is told on
stderr, and exits 0 under `event` and `turn`, which run in the middle of a conversation.
"""

from __future__ import annotations

import json

from clew.sidecar import engine
from clew.sidecar.calling import Call, CallError, arguments
from clew.sidecar.messages import exit_of, reason, reason_of, word
from clew.sidecar.place import is_name, locate, runtime_rooms
from clew.sidecar.saying import PROGRAM, Reply, said
from clew.sidecar.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from clew.sidecar.changes import Changed, Loaded

    Word = dict[str, Any]
    Profile = dict[str, Any]

_HOOK_CHARS = 1_500
_HOOK_INPUT = 1 << 20
_INPUT = 16 << 20
GONE = object()
"""What `value_at` gives where there is nothing."""


class Host:
    """What a command sees of the machine that it runs on."""

    __slots__ = ("cwd", "environ", "lang", "program", "read_file", "stdin")

    def __init__(
        self,
        *,
        environ: Mapping[str, str],
        cwd: str,
        lang: str,
        stdin: Callable[[int], str],
        read_file: Callable[[str, int], str],
        program: str = PROGRAM,
    ) -> None:
        self.environ = environ
        self.cwd = cwd
        self.lang = lang
        self.program = program
        """How a next step is called."""
        self.stdin = stdin
        """Reads at most so many characters of the input."""
        self.read_file = read_file
        """Reads at most so many characters of a file that was named. Raises OSError."""


def run(call: Call, profile: Profile, host: Host) -> Reply:
    """Run one command for one profile. Raises `CallError`."""
    given = _hook_input(host) if call.flag("hook") else {}
    return _VERBS[call.verb](call, profile, open_store(call, profile, host, given), host, given)


def open_store(
    call: Call,
    profile: Profile,
    host: Host,
    given: Mapping[str, Any] | None = None,
    *,
    seed: str = "",
) -> Store:
    """The store that a command's options name. Raises `CallError`."""
    given = given or {}
    session = call.text("session") or str(given.get("session_id") or "")
    session = session or host.environ.get("CLEW_SESSION", "")
    scope = call.text("scope") or ("session" if call.text("session") else "user")
    if scope == "session" and not session:
        raise CallError("--scope session 还要 --session ID", "--scope session needs --session ID")
    place = locate(
        profile["name"], scope=scope, session=session, file=call.text("file"),
        environ=host.environ, cwd=str(given.get("cwd") or host.cwd),
    )  # fmt: skip
    rooms = runtime_rooms(host.environ)
    return Store(place.path, profile, rooms=rooms, inside=place.inside, seed=seed)


# ---- reading -------------------------------------------------------------------------------------


def _read(call: Call, profile: Profile, store: Store, host: Host, given: Any) -> Reply:
    loaded = store.read()
    if call.flag("hook"):
        named = call.text("scope") == "session" and str(given.get("session_id") or "")
        return Reply(text=_hook_text(profile, loaded, named or ""), told=loaded.notes)
    shown = _shown(call, profile, loaded.state)
    if call.flag("field"):
        return _field(call, shown, loaded)
    answer = _head(profile, loaded)
    answer["state"] = shown
    answer["open"] = _open(profile, loaded.state)
    return Reply(_noted(answer, loaded.notes, host), told=loaded.notes)


def _field(call: Call, shown: dict[str, Any], loaded: Loaded) -> Reply:
    path = call.text("field")
    value = value_at(shown, path)
    if value is GONE:
        return refused([word("sidecar_no_field", path=path)], exit=1)
    if call.flag("json"):
        return Reply({"status": loaded.status, "field": path, "value": value}, told=loaded.notes)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Reply(text=text + "\n", told=loaded.notes)


def _show(call: Call, profile: Profile, store: Store, host: Host, given: Any) -> Reply:
    loaded = store.read()
    answer = _head(profile, loaded)
    answer["file"] = store.path
    answer["state"] = _shown(call, profile, loaded.state)
    answer["guards"] = _guards(profile, loaded.state, host)
    return Reply(_noted(answer, loaded.notes, host), told=loaded.notes)


def _shown(call: Call, profile: Profile, state: dict[str, Any]) -> dict[str, Any]:
    if call.flag("all"):
        return {name: value for name, value in state.items() if name in profile["fields"]}
    return engine.public(profile, state)


def _head(profile: Profile, loaded: Loaded) -> dict[str, Any]:
    return {
        "status": loaded.status,
        "profile": profile["name"],
        "active": loaded.state[profile["active"]],
    }


def _open(profile: Profile, state: dict[str, Any]) -> list[str]:
    return [name for name, seen in engine.guards(profile, state).items() if seen["open"]]


def _guards(profile: Profile, state: dict[str, Any], host: Host) -> dict[str, Any]:
    return {name: _view(seen, host) for name, seen in engine.guards(profile, state).items()}


def _view(seen: dict[str, Any], host: Host) -> dict[str, Any]:
    why = said(seen["why"], host.lang, host.program)
    return {"open": seen["open"], "in": seen["in"], "why": why.pop("code"), **why}


def value_at(state: Any, path: str) -> Any:
    """What stands at a dotted path, or `GONE`. Keys of a map may hold dots of their own."""
    if not isinstance(state, dict):
        return GONE
    if path in state:
        return state[path]
    for end, char in enumerate(path):
        if char == "." and path[:end] in state:
            found = value_at(state[path[:end]], path[end + 1 :])
            if found is not GONE:
                return found
    return GONE


# ---- changing ------------------------------------------------------------------------------------


def _event(call: Call, profile: Profile, store: Store, host: Host, given: Any) -> Reply:
    name = call.words[0]
    args = engine.event_args(profile, name, arguments(call.options.get("arg", [])))
    changed = store.change(store.entry("event", call.text("id"), name=name, args=args))
    if changed.refused:
        return refused(changed.refused, told=changed.notes, exit=1)
    answer = {"status": "ok", "event": name, "active": changed.state[profile["active"]]}
    return _answered(call, {**answer, **_changes(changed, host)}, changed)


def _turn(call: Call, profile: Profile, store: Store, host: Host, given: Any) -> Reply:
    chars, ident = call.number("chars"), call.text("id")
    if call.flag("hook"):
        if not given.get("prompt_id") and given.get("stop_hook_active") is True:
            return Reply(text="")  # the same turn goes on after another hook held it
        ident = ident or _turn_id(given)
        last = given.get("last_assistant_message")
        chars = chars or (len(last) if isinstance(last, str) else 0)
    entry = store.entry("turn", ident, chars=chars, tools=call.number("tools"))
    changed = store.change(entry)
    if changed.refused:
        return refused(changed.refused, told=changed.notes, exit=1)
    guards = changed.said.pop("guards", None) or engine.guards(profile, changed.state)
    answer = {
        "status": "ok",
        "active": changed.state[profile["active"]],
        "guards": {name: _view(seen, host) for name, seen in guards.items()},
        **_changes(changed, host),
    }
    reply = _answered(call, answer, changed)
    return Reply(text="", told=reply.told, exit=reply.exit) if call.flag("hook") else reply


def _turn_id(given: Mapping[str, Any]) -> str:
    """One id for one prompt of one session, however often its end is told."""
    words = [given.get("session_id"), given.get("prompt_id")]
    if not all(isinstance(item, str) and 0 < len(item) <= 60 for item in words):
        return ""
    return f"turn {words[0]} {words[1]}"


def _set(call: Call, profile: Profile, store: Store, host: Host, given: Any) -> Reply:
    path, text = call.words
    value = engine.field_value(profile, path, text)
    entry = store.entry("set", path=path, value=value, force=call.flag("force"))
    return _by_hand(call, profile, store, host, entry)


def _patch(call: Call, profile: Profile, store: Store, host: Host, given: Any) -> Reply:
    name = call.words[0]
    try:
        text = host.stdin(_INPUT) if name == "-" else host.read_file(name, _INPUT)
        patch = json.loads(text, parse_constant=_no_number)
    except OSError as error:
        return refused([word("sidecar_bad_input", file=name, **reason_of(error))])
    except (ValueError, RecursionError):
        return refused([word("sidecar_bad_input", file=name, **reason("not_json"))])
    if not isinstance(patch, dict):
        return refused([word("sidecar_bad_input", file=name, **reason("not_an_object"))])
    entry = store.entry("patch", patch=patch, force=call.flag("force"))
    return _by_hand(call, profile, store, host, entry)


def _switch(call: Call, profile: Profile, store: Store, host: Host, given: Any) -> Reply:
    entry = store.switch(on=call.verb == "resume")
    return _by_hand(call, profile, store, host, entry)


def _by_hand(
    call: Call, profile: Profile, store: Store, host: Host, entry: dict[str, Any]
) -> Reply:
    changed = store.change(entry)
    if changed.refused:
        return refused(changed.refused, told=changed.notes, exit=1)
    answer = {"status": "ok", "active": changed.state[profile["active"]], **_changes(changed, host)}
    if changed.saved:
        return Reply(answer, told=changed.notes)
    # Somebody waits for this answer, so it says what became of the change.
    answer["status"] = "lost" if changed.lost else "waiting"
    if changed.lost:
        answer.pop("changed", None)
        answer["active"] = changed.before[profile["active"]]
    return Reply(_noted(answer, changed.notes, host), told=changed.notes, exit=1)


def _reset(call: Call, profile: Profile, store: Store, host: Host, given: Any) -> Reply:
    try:
        kept = store.reset()
    except OSError as error:
        return refused([word("sidecar_unreadable", file=store.path, **reason_of(error))])
    return Reply({"status": "ok", "profile": profile["name"], "kept": kept or None})


def _answered(call: Call, answer: dict[str, Any], changed: Changed) -> Reply:
    failed = not changed.saved and call.flag("strict")
    return Reply(answer, told=changed.notes, exit=1 if failed else 0)


def _changes(changed: Changed, host: Host) -> dict[str, Any]:
    out = dict(changed.said)
    out.pop("guards", None)
    for key in ("mended", "held"):
        if key in out:
            out[key] = [said(item, host.lang, host.program) for item in out[key]]
    return out


def _no_number(text: str) -> float:
    raise ValueError(text)


# ---- hooks ---------------------------------------------------------------------------------------


def _hook_input(host: Host) -> dict[str, Any]:
    """What the agent's host tells a hook; nothing where it tells nothing that can be read."""
    try:
        found = json.loads(host.stdin(_HOOK_INPUT))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _hook_text(profile: Profile, loaded: Loaded, session: str) -> str:
    """One line of facts for the model's context: short, public fields only, nothing while off.
    `session`: the id that the model's own commands need, where each session has a state."""
    if loaded.state[profile["active"]] is not True:
        return ""
    shown = engine.public(profile, loaded.state)
    shown.pop(profile["active"], None)
    shown = {name: value for name, value in shown.items() if value not in (None, "", [], {})}
    own = f"; --session {session}" if is_name(session) else ""
    tail = f"; open: {', '.join(_open(profile, loaded.state)) or '-'}{own}\n"
    for most in (400, 120, 40, 0):
        short = {name: value for name, value in shown.items() if len(_line(value)) <= most}
        text = f"{profile['name']}: {_line(short)}{tail}"
        if len(text) <= _HOOK_CHARS:
            return text
    return f"{profile['name']}: {{}}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ---- saying --------------------------------------------------------------------------------------


def refused(
    problems: list[Word], *, told: list[Word] | None = None, exit: int | None = None
) -> Reply:
    """A refusal with every fault. The face adds the sentences of its language."""
    code = exit if exit is not None else max(exit_of(p["code"]) for p in problems)
    return Reply({"status": "error", "faults": problems}, told=told, exit=code or 1)


def _noted(answer: dict[str, Any], notes: list[Word], host: Host) -> dict[str, Any]:
    if notes:
        answer["notes"] = [said(note, host.lang, host.program) for note in notes]
    return answer


_VERBS: dict[str, Callable[[Call, Profile, Store, Host, Any], Reply]] = {
    "read": _read,
    "show": _show,
    "event": _event,
    "turn": _turn,
    "set": _set,
    "patch": _patch,
    "pause": _switch,
    "resume": _switch,
    "reset": _reset,
}
