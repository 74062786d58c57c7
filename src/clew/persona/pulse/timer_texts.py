"""What the timers of an operating system are told: systemd units, a launchd plist, a cron line. Pure.

Every text carries a mark, so that only what is ours is ever changed or taken away. Formats: systemd.unit,
systemd.timer and systemd.service(5); launchd.plist(5); crontab(5).
"""

from __future__ import annotations

import plistlib
import re
import shlex
from collections.abc import Sequence
from difflib import unified_diff
from hashlib import sha256
from typing import Final, Literal, NamedTuple

Kind = Literal["systemd", "launchd", "cron"]
MARK: Final = "clew-persona"
_UNSAFE: Final = re.compile(r"[^a-z0-9]+")


class Job(NamedTuple):
    """What is to be called, and how often."""

    persona: str
    """Its id, for people."""
    root: str
    """Its home."""
    argv: Sequence[str]
    every: int
    """Minutes."""
    resident: bool
    """One process that stays, instead of a call now and then."""
    path: str
    """The PATH that the pulse has; that of a timer is often too short to find a program."""

    @property
    def name(self) -> str:
        """A name for files and units: letters of the id where it has any, and the home's digest, so
        that two homes never share one."""
        letters = _UNSAFE.sub("-", self.persona.lower()).strip("-")[:24].strip("-")
        return "-".join(p for p in (MARK, letters, sha256(self.root.encode()).hexdigest()[:8]) if p)


def units(job: Job) -> dict[str, str]:
    """The systemd user units by file name."""
    service = [
        f"# {job.name}: written by clew persona timers",
        "[Unit]",
        f"Description=Pulse of {_unit_text(job.persona)}",
        "",
        "[Service]",
        "Type=exec" if job.resident else "Type=oneshot",
        f"ExecStart={' '.join(_unit_word(word) for word in job.argv)}",
        f"Environment={_unit_word(f'PATH={job.path}', dollars=False)}",
        "UMask=0077",
        "KillMode=mixed",
        "TimeoutStopSec=30",
    ]
    if job.resident:
        service += ["Restart=on-failure", "RestartSec=60"]
        service += ["", "[Install]", "WantedBy=default.target"]
        return {f"{job.name}.service": _lines(service)}
    # Exit code 1 says that a wake failed, which the ledger tells; the timer did its work.
    service += ["TimeoutStartSec=infinity", "SuccessExitStatus=1"]
    calendar = f"*:0/{job.every}" if job.every < 60 else f"0/{job.every // 60}:00"
    timer = [
        f"# {job.name}: written by clew persona timers",
        "[Unit]",
        f"Description=Pulse of {_unit_text(job.persona)}",
        "",
        "[Timer]",
        f"OnCalendar={calendar}",
        "Persistent=true",
        "AccuracySec=1s",
        "",
        "[Install]",
        "WantedBy=timers.target",
    ]
    return {f"{job.name}.service": _lines(service), f"{job.name}.timer": _lines(timer)}


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


def _unit_text(text: str) -> str:
    """One line of text in a unit: specifiers are plain text."""
    return " ".join(text.replace("%", "%%").split())


def _unit_word(word: str, *, dollars: bool = True) -> str:
    """A word of a command line or an assignment, quoted as systemd reads it."""
    found = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    found = found.replace("\n", "\\n").replace("\t", "\\t")
    return f'"{found.replace("$", "$$") if dollars else found}"'


def agent_label(job: Job) -> str:
    """The label of a launchd agent."""
    return f"local.{job.name}"


def plist(job: Job) -> bytes:
    """A launchd agent."""
    value: dict[str, object] = {
        "Label": agent_label(job),
        "ProgramArguments": list(job.argv),
        "EnvironmentVariables": {"PATH": job.path},
        "Umask": 0o077,
        "ProcessType": "Background",
    }
    if job.resident:
        value |= {"RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False}}
    else:
        value["StartInterval"] = job.every * 60
    return plistlib.dumps(value)


def cron_line(job: Job) -> str:
    """The line of a crontab, without its newline. `%` means a newline there unless escaped."""
    minute = f"*/{job.every}" if 1 < job.every < 60 else "*" if job.every == 1 else "0"
    hour = "*" if job.every < 60 else f"*/{job.every // 60}" if job.every > 60 else "*"
    command = " ".join(shlex.quote(word) for word in job.argv)
    command = f"PATH={shlex.quote(job.path)} {command} >/dev/null 2>&1"
    return f"{minute} {hour} * * * {command.replace('%', chr(92) + '%')} # {job.name}"


def cron_with(before: str, job: Job) -> str:
    """A crontab with our line in it: in the place of an older one, else at the end. Every other
    line stays as it is, to the byte."""
    line = cron_line(job)
    found = before.splitlines(keepends=True)
    ours = [at for at, text in enumerate(found) if is_ours(text, job)]
    if ours:
        found[ours[0]] = line + "\n"
        return "".join(text for at, text in enumerate(found) if at not in ours[1:])
    glue = "" if not before or before.endswith("\n") else "\n"
    return f"{before}{glue}{line}\n"


def cron_without(before: str, job: Job) -> str:
    """A crontab without our line."""
    found = before.splitlines(keepends=True)
    return "".join(text for text in found if not is_ours(text, job))


def is_ours(line: str, job: Job) -> bool:
    """Whether a line of a crontab is the one of this home."""
    return line.rstrip().endswith(f" # {job.name}") and not line.lstrip().startswith("#")


def difference(name: str, before: bytes | None, after: bytes | None) -> str:
    """What changes in a text, as a unified diff; None is a file that is not there."""

    def rows(data: bytes | None) -> list[str]:
        return (data or b"").decode("utf-8", "replace").splitlines()

    found = unified_diff(
        rows(before), rows(after), "/dev/null" if before is None else name,
        "/dev/null" if after is None else name, lineterm="", n=1,
    )  # fmt: skip
    return "\n".join(found)
