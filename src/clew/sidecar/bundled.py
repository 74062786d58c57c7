"""The command line of a bundle: the verbs of a turn, for the one profile that the bundle carries.

Standard library only, Python 3.9. Prints, reads the environment and never shows a traceback: in a
bundle there is no face of the package that would.
"""

from __future__ import annotations

import os
import sys

from clew.sidecar.calling import CallError, parse
from clew.sidecar.engine_words import plain
from clew.sidecar.helping import usage
from clew.sidecar.place import working_folder
from clew.sidecar.saying import printed
from clew.sidecar.verbs import Host, refused, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(argv: list[str], profile: dict[str, Any], program: str) -> int:
    """Run one command line; returns its exit code (never 2 for a hook, which would block)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    lang = _language(argv)
    try:
        code = _run(argv, profile, program, lang)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the last frame: the conversation goes on
        _tell(f"{program}: {type(error).__name__}: {plain(str(error))}\n")
        return 1
    return min(code, 1) if "--hook" in argv else code


def _run(argv: list[str], profile: dict[str, Any], program: str, lang: str) -> int:
    if not argv or "--help" in argv or "-h" in argv:
        heard = _answer(usage(program, lang, argv), program, lang)
        return (0 if argv else 2) if heard else 1
    own = f"python3 {program}"
    try:
        call = parse(argv)
        if call.text("profile") not in ("", profile["name"]):
            name = profile["name"]
            raise CallError(
                f"这个文件只带档案 {name}", f"this file carries the profile {name} only"
            )
        cwd = working_folder()
        host = Host(
            environ=call.environ(os.environ), cwd=cwd, lang=lang, stdin=_stdin,
            read_file=_read_file, program=own,
        )  # fmt: skip
        reply = run(call, profile, host)
    except CallError as error:
        reply = refused([error.word])
    terminal = sys.stdout is not None and sys.stdout.isatty()
    machine = "--json" in argv or not terminal
    out, err = printed(reply, lang, machine=machine, program=own, terminal=terminal)
    _tell(err)
    return reply.exit if _answer(out, program, lang) else max(reply.exit, 1)


def _answer(text: str, program: str, lang: str) -> bool:
    """Print an answer; whether anybody could have heard it. What the command did is done anyway."""
    if not text:
        return True
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_stdout()
    except (OSError, AttributeError, ValueError) as error:  # full, or closed before we started
        _leave_stdout()
        _tell(
            f"{program}: 答案写不出去（{error}）；命令本身已执行完\n"
            if lang == "zh"
            else f"{program}: the answer could not be written ({error}); the command itself is done\n"
        )
        return False
    return True


def _leave_stdout() -> None:
    """So that nothing tries to write the rest when the process ends."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(text: str) -> None:
    try:
        if text:
            sys.stderr.write(text)
            sys.stderr.flush()
    except (OSError, AttributeError, ValueError):
        return  # nobody listens there either


def _language(argv: list[str]) -> str:
    given = [argv[at + 1] for at, word in enumerate(argv[:-1]) if word == "--lang"]
    given += [word[7:] for word in argv if word.startswith("--lang=")]
    names = ("CLEW_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    for value in (*given, *(os.environ.get(name, "") for name in names)):
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def _stdin(limit: int) -> str:
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    return sys.stdin.buffer.read(limit).decode("utf-8-sig", "replace")


def _read_file(path: str, limit: int) -> str:
    with open(path, "rb") as handle:
        return handle.read(limit).decode("utf-8-sig", "replace")
