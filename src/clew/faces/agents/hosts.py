"""Where a host of agents keeps its things, and what it is to run. One entry for each host that
`clew agent install` can serve.

The hook's command line names the interpreter that installed it by its absolute path, and the module:
a host started from a desktop has no PATH of ours, a virtual environment need not be active, and a
module that is gone ends with exit code 1, which stops nothing (a script that is gone would end with
2, which hosts take for "block"). `-P` keeps a module of the book from being imported instead of ours.
One shell string rather than a list of arguments, because every version of a host reads it.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import Any, Final, NamedTuple

MODULE: Final = "clew.faces.cli.main"
_WINDOWS: Final = os.name == "nt"
GEMINI_END: Final = "" if _WINDOWS else " || exit 1"
"""Gemini CLI takes every exit code but 0 and 1 for "block", also that of a Python that is gone (127)."""


class Hook(NamedTuple):
    """One entry of a host's hooks."""

    event: str
    matcher: str | None
    """The tools it is asked about; None for an event that has none."""
    timeout: int | None = None
    """As the host's own, where this event has another."""


class Host(NamedTuple):
    """A host that can be served."""

    name: str
    folder: str
    """Below the project, and below the user's home."""
    settings: str
    skills: str
    timeout: int
    """Seconds, as the host counts them."""
    hooks: tuple[Hook, ...]
    record: str = "clew-agent.json"
    """The record of what was put there; one for each thing that can be."""
    words: str = ""
    """What follows the event in a hook's command line."""
    wants: str = ""
    """The word that a command line of this kind holds behind its event; empty for none."""


CLAUDE: Final = Host(
    name="claude",
    folder=".claude",
    settings="settings.json",
    skills="skills",
    timeout=10,
    hooks=(
        Hook("PreToolUse", "Write|Edit|MultiEdit|NotebookEdit|Bash"),
        Hook("SessionStart", None),
    ),
)
CODEX: Final = Host(
    name="codex",
    folder=".codex",
    settings="hooks.json",
    skills="skills",
    timeout=10,
    hooks=(Hook("PreToolUse", "Bash|apply_patch"), Hook("SessionStart", None)),
)
GEMINI: Final = Host(
    name="gemini",
    folder=".gemini",
    settings="settings.json",
    skills="skills",
    timeout=10_000,  # milliseconds
    hooks=(
        Hook("BeforeTool", "write_file|replace|run_shell_command"),
        Hook("SessionStart", None),
    ),
    words=GEMINI_END,
)
HOSTS: Final = {host.name: host for host in (CLAUDE, CODEX, GEMINI)}


def command(interpreter: str, event: str, words: str = "") -> str:
    """The command line that a host is to run at an event."""
    path = interpreter.replace("\\", "/") if _WINDOWS else interpreter
    return f"{quoted(path)} -P -m {MODULE} hook {event}{words}"


def quoted(path: str) -> str:
    """A path as one word of a command line."""
    return f'"{path}"' if _WINDOWS else shlex.quote(path)


def interpreter_of(line: Any, event: str, host: Host | None = None) -> str | None:
    """The interpreter of a command line that `command` made for an event, however it is quoted; None
    for any other. Empty for a line of this kind that goes on with other words: it is to be replaced."""
    if not isinstance(line, str):
        return None
    found = re.fullmatch(rf"(.+) -P -m {re.escape(MODULE)} hook {event}( .*)?", line)
    if found is None:
        return None
    words = found[2] or ""
    if words != ("" if host is None else host.words):
        ours = host is not None and host.wants and words.startswith(f" {host.wants} ")
        return "" if ours else None
    try:
        parts = shlex.split(found[1])
    except ValueError:
        return None
    return parts[0] if len(parts) == 1 else None


def entry(host: Host, hook: Hook, interpreter: str) -> dict[str, Any]:
    """What stands in the list of an event."""
    handler = {
        "type": "command",
        "command": command(interpreter, hook.event, host.words),
        "timeout": host.timeout if hook.timeout is None else hook.timeout,
    }
    matcher = {} if hook.matcher is None else {"matcher": hook.matcher}
    return {**matcher, "hooks": [handler]}
