"""The runner that starts a program: an argument list, no shell, a limit of time, its own group.

The prompt reaches it through stdin, a file of its own, or as one argument; never as part of one. When
the time is over, or everything is stopped, the whole process group is ended. The caller has made sure
that the home is trusted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple

from clew.kernel.faults import Fault
from clew.persona.pulse.answers import Form, read_answer
from clew.persona.pulse.outcome import ANSWER_BYTES, POLL, Meanwhile, Outcome, estimated

_ARGUMENT_BYTES: Final = 100_000
"""Linux refuses an argument of 128 KiB."""
_GRACE: Final = 3.0
"""Seconds between asking a program to end and ending it."""
_ERROR_CHARS: Final = 200
PROMPT: Final = "{prompt}"
"""An element of the command that stands for the whole prompt."""
PROMPT_FILE: Final = "{prompt_file}"


class Program(NamedTuple):
    """A program to run."""

    argv: Sequence[str]
    prompt_by: Literal["stdin", "file", "argument"]
    answer: Form
    timeout: float
    """Seconds."""
    folder: str
    """Where it runs."""
    prompt_file: str
    """Where the prompt is written when it goes by file; taken away afterwards."""
    environment: Mapping[str, str]
    """Added to the environment of this process."""
    keep_open: tuple[int, ...] = ()
    """Open files that it inherits: the lock of its run."""


def run(program: Program, prompt: str, meanwhile: Meanwhile) -> Outcome:
    """Run it to its end, its limit, or until stopped. Never raises for what the program does."""
    name = Path(program.argv[0]).name or program.argv[0]
    data = prompt.encode("utf-8", "replace")
    if program.prompt_by == "argument" and len(data) > _ARGUMENT_BYTES:
        return Outcome(fault=Fault("prompt_too_long", found=len(data), limit=_ARGUMENT_BYTES))
    try:
        if program.prompt_by == "file":
            _write_private(program.prompt_file, data)
        return _started(program, name, prompt, data, meanwhile)
    except FileNotFoundError:
        return Outcome(fault=Fault("runner_missing", found=name))
    except OSError as error:
        reason = error.strerror or str(error)
        return Outcome(fault=Fault("runner_failed", found=name, limit=126, reason=reason))
    finally:
        if program.prompt_by == "file":
            with suppress(OSError):
                Path(program.prompt_file).unlink(missing_ok=True)


def arguments(program: Program, prompt: str) -> list[str]:
    """The argument list: the prompt takes a place of its own, or the last one."""
    argv = list(program.argv)
    if program.prompt_by == "stdin":
        return argv
    mark = PROMPT if program.prompt_by == "argument" else PROMPT_FILE
    value = prompt if program.prompt_by == "argument" else program.prompt_file
    if mark in argv:
        return [value if part == mark else part for part in argv]
    return [*argv, value]


def _write_private(path: str, data: bytes) -> None:
    with suppress(FileNotFoundError):
        Path(path).unlink()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _started(
    program: Program, name: str, prompt: str, data: bytes, meanwhile: Meanwhile
) -> Outcome:
    child = subprocess.Popen(
        arguments(program, prompt),
        stdin=subprocess.PIPE if program.prompt_by == "stdin" else subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=program.folder,
        env={**os.environ, **program.environment}, start_new_session=True,
        pass_fds=program.keep_open if os.name == "posix" else (),
    )  # fmt: skip
    out, err = _Reading(child.stdout), _Reading(child.stderr)
    feeding = _feed(child.stdin, data) if child.stdin is not None else None
    fault: Fault | None = None
    try:
        fault = _wait(child, name, program.timeout, meanwhile)
    finally:
        # Also on an error of ours: nothing of what we started is left behind.
        _end(child)
        for thread in (out.thread, err.thread, feeding):
            if thread is not None:
                thread.join(_GRACE)
    if fault is not None:
        return Outcome(tokens=estimated(prompt), fault=fault)
    if child.returncode:
        reason = _last_line(err.text()) or _last_line(out.text())
        return Outcome(
            tokens=estimated(prompt),
            fault=Fault("runner_failed", found=name, limit=child.returncode, reason=reason),
        )
    return read_answer(program.answer, out.text(), prompt, name)


def _wait(
    child: subprocess.Popen[bytes], name: str, timeout: float, meanwhile: Meanwhile
) -> Fault | None:
    until = time.monotonic() + timeout
    while True:
        with suppress(subprocess.TimeoutExpired):
            child.wait(min(POLL, max(0.0, until - time.monotonic())))
            return None
        if meanwhile.stopped():
            return Fault("runner_stopped", found=name)
        if time.monotonic() >= until:
            return Fault("runner_timeout", found=name, limit=round(timeout))
        meanwhile.beat()


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the whole group: also what the program started and left running."""
    if os.name != "posix":  # pragma: no cover - Windows
        if child.poll() is None:
            child.kill()
        child.wait()
        return
    if child.poll() is None:
        _signal(child.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE)
    _signal(child.pid, signal.SIGKILL)
    child.wait()


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


class _Reading:
    """Reads a pipe to its end and keeps its first bytes: a program that talks without end neither
    blocks nor fills the memory."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self._kept = bytearray()
        self._pipe = pipe
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        assert self._pipe is not None
        with suppress(OSError, ValueError), self._pipe as pipe:
            while block := pipe.read1(65_536):  # type: ignore[attr-defined]
                self._kept += block[: max(0, ANSWER_BYTES - len(self._kept))]

    def text(self) -> str:
        return bytes(self._kept).decode("utf-8", "replace")


def _feed(pipe: IO[bytes], data: bytes) -> threading.Thread:
    def write() -> None:
        # A program that does not read its input is no failure of ours.
        with suppress(OSError, ValueError), pipe:
            pipe.write(data)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:_ERROR_CHARS] if lines else ""
