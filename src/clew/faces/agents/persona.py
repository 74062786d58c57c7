"""What a host is to run for the sessions of a persona: one entry for each host, beside `hosts`.

The command line names the home by its absolute path, so that a hook finds it without a library, a
working folder or an environment. Sources: the hook references of the three hosts; `docs/hosts.md`
says what was tried with which of their versions.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Final

from clew.faces.agents.hosts import GEMINI_END, Hook, Host, quoted

SKILL: Final = "clew-persona"
RECORD: Final = "clew-persona.json"
FLAG: Final = "--persona"
_CLAUDE: Final = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
_CODEX: Final = _CLAUDE
_GEMINI: Final = ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd")
_CODEX_END: Final = 3
"""Seconds; Codex shortens a longer one and says so at every start."""
HOSTS: Final = ("claude", "codex", "gemini")


def host_of(name: str, home: str) -> Host:
    """The host that serves the persona in a home. An empty home stands for whichever it was: good for
    taking away, not for putting in."""
    words = f" {FLAG} {quoted(home)} --host {name}" if home else f" {FLAG} ?"
    words += GEMINI_END if name == "gemini" else ""
    events, folder, settings, timeout = {
        "claude": (_CLAUDE, ".claude", "settings.json", 10),
        "codex": (_CODEX, ".codex", "hooks.json", 10),
        "gemini": (_GEMINI, ".gemini", "settings.json", 10_000),  # milliseconds
    }[name]
    limits = {"SessionEnd": _CODEX_END} if name == "codex" else {}
    return Host(
        name=name, folder=folder, settings=settings, skills="skills", timeout=timeout,
        hooks=tuple(Hook(event, None, limits.get(event)) for event in events), record=RECORD,
        words=words, wants=FLAG,
    )  # fmt: skip


def home_in(settings: bytes) -> str:
    """The home that the hooks in a host's settings name, as `host_of` puts it there; empty where there
    is none of ours. Whatever else the bytes are, they are only looked through."""
    text = settings.decode("utf-8", "replace")
    # The line stands in JSON, and in it the home stands quoted for a shell.
    found = re.search(rf' hook \w+ {FLAG} ((?:[^"\\]|\\.)+) --host \w+[ |\w]*"', text)
    if found is None:
        return ""
    try:
        words = shlex.split(json.loads(f'"{found[1]}"'))
    except ValueError:
        return ""
    return words[0] if len(words) == 1 else ""
