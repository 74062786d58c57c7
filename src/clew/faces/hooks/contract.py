"""The hosts' words: what comes in at an event, which files a tool call touches, what is answered.

Pure. Sources: the hook references of Claude Code and of Codex (PreToolUse, SessionStart; the two
have one shape) and of Gemini CLI (BeforeTool, SessionStart). Fields that are not named here are not
read; a value of another type counts as absent. An answer holds ASCII only, so that no console's code
page matters, and stays below the hosts' cap of 10 000 characters.
"""

from __future__ import annotations

import json
import posixpath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clew.novel.guard import Touch

if TYPE_CHECKING:
    from clew.faces.hooks.commands import IsFolder

INPUT_BYTES: Final = 16_000_000
TEXT_CHARS: Final = 9_000
BEFORE_TOOL: Final = ("PreToolUse", "BeforeTool")
SESSION_START: Final = "SessionStart"
EVENTS: Final = (*BEFORE_TOOL, SESSION_START)
_GEMINI: Final = "BeforeTool"
_FILE_TOOLS: Final = {
    "Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path", "write_file": "file_path", "replace": "file_path",
}  # fmt: skip
"""Tools that write one file, and the field that names it."""
_SHELL_TOOLS: Final = ("Bash", "run_shell_command")
_PATCH_TOOL: Final = "apply_patch"
_FOLDERS: Final = ("dir_path", "directory")
"""Where Gemini's shell tool runs, below the session's folder."""


class Event(NamedTuple):
    """What a host told."""

    name: str
    cwd: str
    tool: str
    given: dict[str, Any]
    """The tool's input."""


def parse(data: bytes, named: str) -> Event:
    """Read a host's JSON object; `named` is the event of the command line, which the object's own
    word replaces. Raises ValueError (or RecursionError) when it is none."""
    if len(data) > INPUT_BYTES:
        raise ValueError(f"more than {INPUT_BYTES} bytes")
    value = json.loads(data.decode("utf-8-sig"))
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    given = value.get("tool_input")
    return Event(
        name=_text(value, "hook_event_name") or named,
        cwd=_text(value, "cwd"),
        tool=_text(value, "tool_name"),
        given=given if isinstance(given, dict) else {},
    )


def _text(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def touches(event: Event, cwd: str, home: str, is_folder: IsFolder) -> list[Touch]:
    """The files that a tool call is about to write or remove. `cwd` is the event's own folder, or
    where the hook runs when it told none."""
    if event.tool in _FILE_TOOLS:
        path = _text(event.given, _FILE_TOOLS[event.tool])
        return [Touch(posixpath.join(cwd, path))] if path else []
    command = _text(event.given, "command")
    if event.tool not in (*_SHELL_TOOLS, _PATCH_TOOL) or not command:
        return []
    # Its patterns cost start-up: loaded for a command line only.
    from clew.faces.hooks.commands import patched, written

    if event.tool == _PATCH_TOOL:
        return patched(command, cwd)
    for key in _FOLDERS:
        cwd = posixpath.join(cwd, _text(event.given, key))
    return written(command, cwd, home, is_folder)


def denial(event: Event, text: str) -> bytes:
    """The answer that keeps a tool call from running and tells the agent why."""
    if event.name == _GEMINI:
        return _line({"decision": "deny", "reason": _short(text)})
    return _line(
        {
            "hookSpecificOutput": {
                "hookEventName": event.name,
                "permissionDecision": "deny",
                "permissionDecisionReason": _short(text),
            }
        }
    )


def context(event: Event, text: str) -> bytes:
    """The answer that puts a text before the agent."""
    told = {"hookEventName": event.name, "additionalContext": _short(text)}
    return _line({"hookSpecificOutput": told})


def silence(event: Event) -> bytes:
    """The answer that changes nothing: none, or an empty object where a host wants JSON."""
    return _line({}) if event.name == _GEMINI else b""


def _short(text: str) -> str:
    return text if len(text) <= TEXT_CHARS else text[: TEXT_CHARS - 1] + "…"


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer).encode("ascii") + b"\n"
