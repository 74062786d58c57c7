"""The hosts' words at the events of a session: what comes in, and how it is answered.

Pure, standard library only. Sources: the hook references of Claude Code and Codex (SessionStart,
UserPromptSubmit, Stop, PreCompact, SessionEnd) and of Gemini CLI (SessionStart, BeforeAgent, AfterAgent,
PreCompress, SessionEnd; it wants JSON at every answer), and what the hosts themselves sent (docs/hosts.md).
What is not named here is not read; a value of another type counts as absent. An answer holds ASCII only.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

OPENING: Final = "SessionStart"
WORDS: Final = ("UserPromptSubmit", "BeforeAgent")
DONE: Final = ("Stop", "AfterAgent")
COMPACTING: Final = ("PreCompact", "PreCompress")
CLOSING: Final = "SessionEnd"
HOSTS: Final = ("claude", "codex", "gemini")
EVENTS: Final = (OPENING, *WORDS, *DONE, *COMPACTING, CLOSING)
PLAIN: Final = ("", "startup", "resume", "clear")
"""Sources of an opening at which nothing more is to be told than the card."""
_GEMINI: Final = ("BeforeAgent", "AfterAgent", "PreCompress")
_SESSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")
_PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9_/.+:@%-]+")
_CHARS: Final = 9_800
"""Hosts cut a text at 10 000 characters."""


class Told(NamedTuple):
    """What a host told."""

    event: str
    host: str
    """`claude`, `codex` or `gemini`."""
    session: str = ""
    """Empty where none was told that can be the id of one."""
    transcript: str = ""
    cwd: str = ""
    source: str = ""
    """SessionStart: `startup`, `resume`, `clear`, `compact`, `fork`."""
    prompt: str = ""
    prompt_id: str = ""
    prompt_source: str = ""
    message: str | None = None
    """The last message of a turn; None where the host does not tell it."""
    trigger: str = ""
    """PreCompact: `auto`, `manual`."""
    asked_again: bool = False
    """The turn was made to go on already."""
    timers: Any = None
    subagent: bool = False


def read(data: bytes, named: str, host: str) -> Told:
    """A host's JSON object; `named` is the event of the command line, which the object's own word
    replaces. Raises ValueError (or RecursionError) when it is none."""
    value = json.loads(data.decode("utf-8-sig", "replace"))
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    event = _text(value, "hook_event_name") or named
    session = _text(value, "session_id")
    host = host or ("gemini" if event in _GEMINI else "claude")
    return Told(
        event=event,
        host=host,
        session=session if _SESSION.fullmatch(session) else "",
        transcript=_text(value, "transcript_path"),
        cwd=_text(value, "cwd"),
        source=_text(value, "source"),
        prompt=_prompt(value, host),
        prompt_id=(_text(value, "prompt_id") or _text(value, "turn_id"))[:200],
        prompt_source=_text(value, "prompt_source") or _text(value, "promptSource"),
        message=_message(value),
        trigger=_text(value, "trigger"),
        asked_again=value.get("stop_hook_active") is True,
        timers=value.get("session_crons"),
        subagent=bool(_text(value, "agent_id")),
    )


def _prompt(value: dict[str, Any], host: str) -> str:
    prompt = _text(value, "prompt")
    if host == "gemini" and "<hook_context>" in prompt:
        from clew.persona.transcripts.gemini import said_by_person

        return said_by_person(prompt)
    return prompt


def _message(value: dict[str, Any]) -> str | None:
    """The last message of a turn; empty where the host tells that there was none (Codex: null)."""
    for key in ("last_assistant_message", "prompt_response"):
        if key in value:
            found = value[key]
            return found if isinstance(found, str) else "" if found is None else None
    return None


def _text(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    return found.encode("utf-8", "replace").decode("utf-8") if isinstance(found, str) else ""


def opening(told: Told, text: str, home: str, lang: str) -> bytes:
    """Put an opening card before the agent, with what its own commands need to reach this home and to
    say which window they come from."""
    # Quoted by hand: `shlex` would be a third of a start.
    where = home if _PLAIN_PATH.fullmatch(home) else "'" + home.replace("'", "'\\''") + "'"
    window = told.session and f" --window {told.session}"
    most = _CHARS - len(where) - 200
    text = text if len(text) <= most else text[: most - 1] + "…"
    here = (
        f"在这里，clew persona 的命令加上 --home {where}"
        + (f"；写 baton、stream、diary、mood、hang 时再加{window}" if window else "")
        if lang == "zh"
        else f"Here the commands of clew persona take --home {where}"
        + (f"; baton, stream, diary, mood and hang also take{window}" if window else "")
    )
    return context(told, f"{text.rstrip()}\n\n{here}")


def context(told: Told, text: str) -> bytes:
    """Put a text before the agent."""
    return _line(
        {"hookSpecificOutput": {"hookEventName": told.event, "additionalContext": _short(text)}}
    )


def go_on(told: Told, reason: str) -> bytes:
    """Let a turn go on, and tell the agent why."""
    decision = "deny" if told.host == "gemini" else "block"
    return _line({"decision": decision, "reason": _short(reason)})


def notice(text: str) -> bytes:
    """Show a text to the person, not to the agent."""
    return _line({"systemMessage": _short(text)})


def silence(told: Told) -> bytes:
    """Change nothing."""
    return _line({}) if told.host == "gemini" else b""


def _short(text: str) -> str:
    return text if len(text) <= _CHARS else text[: _CHARS - 1] + "…"


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer).encode("ascii") + b"\n"
