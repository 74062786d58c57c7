"""Installing the pulse with the operating system's timers: shown first, applied when asked, reversible.

Three kinds: systemd user units, launchd agents, a line of the crontab. Only what carries our mark is
changed or taken away; a change that the system refuses half way is taken back. Touches the user's own
timer folders and calls `systemctl --user`, `launchctl`, `crontab`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from clew.kernel.errors import Missing, Refused, StorageFailed, storage_failed
from clew.kernel.faults import Both, Code, Fault, excerpt, register
from clew.persona.pulse.timer_texts import (
    MARK,
    Job,
    Kind,
    agent_label,
    cron_with,
    cron_without,
    difference,
    is_ours,
    plist,
    units,
)

_WAIT: Final = 30.0
KINDS: Final[tuple[Kind, ...]] = ("systemd", "launchd", "cron")
_TOOLS: Final = {"systemd": "systemctl", "launchd": "launchctl", "cron": "crontab"}


class Step(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One thing that is done: a file that changes, or a command that is called."""

    file: str = ""
    diff: str = ""
    command: list[str] = []


class TimersPlan(Struct, frozen=True, kw_only=True):
    """What is to be done, or was."""

    status: str = "ok"
    action: str
    kind: str
    applied: bool
    changed: bool
    """Whether there is anything to do at all."""
    name: str
    steps: list[Step]


class TimerState(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One kind of timer."""

    kind: str
    available: bool
    installed: bool
    current: bool = False
    """Whether it says what an installation would write now."""
    active: str = ""
    """What the system says of it."""
    files: list[str] = []


class TimersStatus(Struct, frozen=True, kw_only=True):
    """Every kind of timer."""

    status: str = "ok"
    name: str
    timers: list[TimerState]


class Edit:
    """A file before and after; None where there is none."""

    def __init__(self, path: Path, after: bytes | None) -> None:
        self.path = path
        self.before = _read(path)
        self.after = after

    def apply(self) -> None:
        _put(self.path, self.after)

    def undo(self) -> None:
        _put(self.path, self.before)

    def step(self) -> Step:
        return Step(file=str(self.path), diff=difference(str(self.path), self.before, self.after))


def default_kind() -> Kind:
    """The kind that this system has. Raises `Missing` (`timer_tool_missing`)."""
    order: tuple[Kind, ...] = ("launchd", "cron") if sys.platform == "darwin" else (
        "systemd", "cron", "launchd")  # fmt: skip
    for kind in order:
        if shutil.which(_TOOLS[kind]):
            return kind
    raise Missing(Fault("timer_tool_missing", found=", ".join(_TOOLS[kind] for kind in order)))


def install(job: Job, kind: Kind, *, apply: bool) -> TimersPlan:
    """Show, or make, the change that installs the pulse. Raises `Missing` (`timer_tool_missing`),
    `Refused` (`timer_foreign`, `timer_resident`), `StorageFailed` (`timer_refused`)."""
    _needs(kind)
    if kind == "cron":
        if job.resident:
            raise Refused(Fault("timer_resident"))
        return _cron(job, "install", cron_with, apply=apply)
    folder, texts = _files(job, kind)
    edits = [Edit(folder / name, data) for name, data in texts.items()]
    _refuse_foreign(edits)
    stale = [Edit(path, None) for path in _ours(job, kind) if path.name not in texts]
    changed = [edit for edit in (*edits, *stale) if edit.before != edit.after]
    calls = _install_calls(job, kind, folder)
    return _carry_out(job, kind, "install", changed, (), calls, apply=apply)


def remove(job: Job, kind: Kind, *, apply: bool) -> TimersPlan:
    """Show, or make, the change that takes it away: nothing else. Raises as `install` does."""
    _needs(kind)
    if kind == "cron":
        return _cron(job, "remove", cron_without, apply=apply)
    edits = [Edit(path, None) for path in _ours(job, kind)]
    _refuse_foreign(edits)
    before = _remove_calls(job, kind, [edit.path for edit in edits])
    after = [["systemctl", "--user", "daemon-reload"]] if kind == "systemd" and edits else []
    return _carry_out(job, kind, "remove", edits, before, after, apply=apply)


def status(job: Job) -> TimersStatus:
    """What is installed. Reads only."""
    return TimersStatus(name=job.name, timers=[_state(job, kind) for kind in KINDS])


# ---- systemd and launchd: files and calls -----------------------------------------------------------


def _files(job: Job, kind: Kind) -> tuple[Path, dict[str, bytes]]:
    if kind == "systemd":
        base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        texts = {name: text.encode("utf-8") for name, text in units(job).items()}
        return Path(base) / "systemd" / "user", texts
    return Path.home() / "Library" / "LaunchAgents", {f"{agent_label(job)}.plist": plist(job)}


def _ours(job: Job, kind: Kind) -> list[Path]:
    """The files of this home that are there."""
    folder, _ = _files(job, kind)
    names = (
        (f"{job.name}.timer", f"{job.name}.service") if kind == "systemd"
        else (f"{agent_label(job)}.plist",)
    )  # fmt: skip
    return [folder / name for name in names if (folder / name).is_file()]


def _refuse_foreign(edits: list[Edit]) -> None:
    foreign = [
        Fault("timer_foreign", file=str(edit.path))
        for edit in edits
        if edit.before is not None and MARK.encode() not in edit.before
    ]
    if foreign:
        raise Refused(*foreign)


def _install_calls(job: Job, kind: Kind, folder: Path) -> list[list[str]]:
    if kind == "systemd":
        unit = f"{job.name}.service" if job.resident else f"{job.name}.timer"
        return [["systemctl", "--user", "daemon-reload"],
                ["systemctl", "--user", "enable", "--now", unit]]  # fmt: skip
    path = str(folder / f"{agent_label(job)}.plist")
    return [["launchctl", "bootstrap", _domain(), path]]


def _remove_calls(job: Job, kind: Kind, found: list[Path]) -> list[list[str]]:
    if kind == "launchd":
        return [["launchctl", "bootout", f"{_domain()}/{agent_label(job)}"]] if found else []
    return [["systemctl", "--user", "disable", "--now", path.name] for path in found]


def _domain() -> str:
    return f"gui/{os.getuid()}" if hasattr(os, "getuid") else "gui/0"


def _carry_out(
    job: Job,
    kind: Kind,
    action: str,
    edits: list[Edit],
    before: list[list[str]] | tuple[()],
    after: list[list[str]],
    *,
    apply: bool,
) -> TimersPlan:
    calls_before, calls_after = list(before), after if edits else []
    if edits and action == "install" and kind == "launchd" and edits[0].before is not None:
        calls_before = _remove_calls(job, kind, [edits[0].path])  # loaded once more, anew
    plan = TimersPlan(
        action=action, kind=kind, applied=apply and bool(edits), changed=bool(edits), name=job.name,
        steps=[
            *(Step(command=call) for call in calls_before), *(edit.step() for edit in edits),
            *(Step(command=call) for call in calls_after),
        ],
    )  # fmt: skip
    if not plan.applied:
        return plan
    for call in calls_before:
        # What is not running cannot be stopped: the files decide whether it is installed.
        _call(call)
    done: list[Edit] = []
    try:
        for edit in edits:
            done.append(edit)
            edit.apply()
        for call in calls_after:
            code, _, err = _call(call)
            if code and action == "install":
                raise _refused(call, err)
    except (OSError, StorageFailed) as error:
        for edit in reversed(done):
            with suppress(OSError):
                edit.undo()
        if isinstance(error, OSError):
            raise storage_failed(error, str(error.filename or "")) from error
        if kind == "systemd":
            _call(["systemctl", "--user", "daemon-reload"])
        raise
    return plan


# ---- cron -------------------------------------------------------------------------------------------


def _cron(job: Job, action: str, change: Callable[[str, Job], str], *, apply: bool) -> TimersPlan:
    before = _crontab()
    after = change(before, job)
    changed = before != after
    # A crontab that held our line alone goes with it, as it came.
    call = ["crontab", "-"] if after or action == "install" else ["crontab", "-r"]
    step = Step(
        file="crontab", diff=difference("crontab", _bytes(before), _bytes(after)), command=call
    )
    if changed and apply:
        code, _, err = _call(call, after if call[-1] == "-" else "")
        if code:
            raise _refused(call, err)
    return TimersPlan(
        action=action, kind="cron", applied=changed and apply, changed=changed, name=job.name,
        steps=[step] if changed else [],
    )  # fmt: skip


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _crontab() -> str:
    """The user's crontab; empty where there is none. Any other failure is a failure: what cannot be
    read is not written over."""
    code, out, err = _call(["crontab", "-l"])
    if code and "no crontab" not in err.lower():
        raise _refused(["crontab", "-l"], err)
    return "" if code else out


# ---- what all share ---------------------------------------------------------------------------------


def _state(job: Job, kind: Kind) -> TimerState:
    available = shutil.which(_TOOLS[kind]) is not None
    if kind == "cron":
        text = ""
        if available:
            try:
                text = _crontab()
            except StorageFailed as failed:
                return TimerState(kind=kind, available=True, installed=False, active=str(failed))
        lines = [line.rstrip("\n") for line in text.splitlines() if is_ours(line, job)]
        current = bool(lines) and cron_with(text, job) == text
        return TimerState(
            kind=kind, available=available, installed=bool(lines), current=current, files=lines
        )
    folder, texts = _files(job, kind)
    found = _ours(job, kind)
    current = bool(found) and all(_read(folder / name) == data for name, data in texts.items())
    active = ""
    if found and available:
        call = (
            ["systemctl", "--user", "is-active", found[0].name] if kind == "systemd"
            else ["launchctl", "print", f"{_domain()}/{agent_label(job)}"]
        )  # fmt: skip
        code, out, err = _call(call)
        said = out.strip() or err.strip()
        active = str(excerpt(said)) if kind == "systemd" else "loaded" if not code else "not loaded"
    return TimerState(
        kind=kind, available=available, installed=bool(found), current=current, active=active,
        files=[str(path) for path in found],
    )  # fmt: skip


def _needs(kind: Kind) -> None:
    if shutil.which(_TOOLS[kind]) is None:
        raise Missing(Fault("timer_tool_missing", found=_TOOLS[kind]))


def _call(argv: list[str], given: str = "") -> tuple[int, str, str]:
    try:
        done = subprocess.run(
            argv, input=_bytes(given), capture_output=True, timeout=_WAIT, check=False
        )
    except subprocess.TimeoutExpired:
        return 124, "", f"{_WAIT:g} s"
    except OSError as error:
        return 127, "", error.strerror or str(error)
    return (
        done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
        done.stderr.decode("utf-8", "replace"),
    )  # fmt: skip


def _refused(call: list[str], err: str) -> StorageFailed:
    reason = " ".join(err.split()) or Both("没有说原因", "no reason given")
    return StorageFailed(Fault("timer_refused", found=" ".join(call), reason=reason))


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise storage_failed(error, str(path)) from error


def _put(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f"{path.name}.clew-{os.getpid()}.tmp")
    try:
        staged.touch(0o600, exist_ok=False)  # who has a persona is nobody's business
        staged.write_bytes(data)
        staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)


register(
    Code(
        "timer_tool_missing", 3,
        "这台机器没有 {found}",
        "this machine has no {found}",
        "换一种：--kind systemd|launchd|cron；或自己定时调用 clew persona tick。",
        "Choose another one with --kind systemd|launchd|cron, or call `clew persona tick` yourself.",
        about_zh="脉搏不需要守护进程：任何能定时调用命令的东西都行。",
        about_en="The pulse needs no daemon: whatever calls a command now and then will do.",
    ),
    Code(
        "timer_refused", 2,
        "系统没有接受 {found}：{reason}；已写的文件都已还原",
        "the system did not take {found}: {reason}; what was written was taken back",
        "没有图形或登录会话时 systemctl --user 可能不可用，试试 --kind cron。",
        "Without a login session `systemctl --user` may not work; try --kind cron.",
        about_zh="安装要么完整，要么没有发生。",
        about_en="An installation is whole, or did not happen.",
    ),
    Code(
        "timer_foreign", 2,
        "{file} 不是 clew 写的，未改动",
        "{file} was not written by clew; left alone",
        "把它改名后重试。",
        "Rename it and try again.",
        about_zh="只有带我们记号的文件和行才会被改动或删除。",
        about_en="Only files and lines that carry our mark are changed or taken away.",
    ),
    Code(
        "timer_resident", 2,
        "cron 不能看住一个常驻进程",
        "cron cannot keep a resident process",
        "去掉 --resident（每分钟一次 tick），或用 systemd、launchd。",
        "Leave out --resident (a tick every minute), or use systemd or launchd.",
        about_zh="cron 只会定时调用，不会重启退出的进程。",
        about_en="cron calls now and then; it does not start again what has ended.",
    ),
)  # fmt: skip
