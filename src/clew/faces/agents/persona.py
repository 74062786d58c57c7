"""What a host is to run for the sessions of a persona: one entry for each host, beside `hosts`.

The command line names the home by its absolute path, so that a hook finds it without a library, a
working folder or an environment. Sources: the hook references of the three hosts; `docs/channels.md`
says which of it was tried against a running one.
"""

from __future__ import annotations

from typing import Final

from clew.faces.agents.hosts import Hook, Host, quoted

SKILL: Final = "clew-persona"
RECORD: Final = "clew-persona.json"
FLAG: Final = "--persona"
_CLAUDE: Final = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
_CODEX: Final = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact")
_GEMINI: Final = ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd")
HOSTS: Final = ("claude", "codex", "gemini")


def host_of(name: str, home: str) -> Host:
    """The host that serves the persona in a home. An empty home stands for whichever it was: good for
    taking away, not for putting in."""
    words = f" {FLAG} {quoted(home)} --host {name}" if home else f" {FLAG} ?"
    events, folder, settings, timeout = {
        "claude": (_CLAUDE, ".claude", "settings.json", 10),
        "codex": (_CODEX, ".codex", "hooks.json", 10),
        "gemini": (_GEMINI, ".gemini", "settings.json", 10_000),  # milliseconds
    }[name]
    return Host(
        name=name, folder=folder, settings=settings, skills="skills", timeout=timeout,
        hooks=tuple(Hook(event, None) for event in events), record=RECORD, words=words, wants=FLAG,
    )  # fmt: skip
