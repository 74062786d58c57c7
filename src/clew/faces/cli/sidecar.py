"""`clew sidecar …`: the state of a skill, read and written once a turn.

The verbs of a turn go by the shortest way, by hand: no argparse, no registry, no msgspec, no rich,
because an agent waits for each of them. All others are in `sidecar_more`. Exit codes as everywhere,
but for hooks: those never answer 2, which would block the user's prompt.
"""

from __future__ import annotations

import os
import sys

from clew.faces import config
from clew.sidecar.calling import VERBS, Call, CallError, parse
from clew.sidecar.engine_words import plain
from clew.sidecar.place import working_folder
from clew.sidecar.saying import Reply, printed
from clew.sidecar.shelf import DamagedProfileError, ShelfError, find, the_one
from clew.sidecar.verbs import Host, refused, run


def main(argv: list[str]) -> int:
    """Run `clew sidecar …`."""
    lang = config.language(_after(argv, "--lang"))
    machine = "--json" in argv or not config.fancy(sys.stdout)
    if "--hook" not in argv:
        return _main(argv, lang, machine=machine)
    try:
        return min(_main(argv, lang, machine=machine), 1)
    except Exception as error:  # noqa: BLE001 - whatever it is, the conversation goes on
        tell(f"clew sidecar: {type(error).__name__}: {plain(str(error))}\n")
        return 1


def _main(argv: list[str], lang: str, *, machine: bool) -> int:
    verb = argv[0] if argv else ""
    if verb not in VERBS or "--help" in argv or "-h" in argv:
        from clew.faces.cli.sidecar_more import main as more

        return more(argv, lang, machine=machine)
    try:
        call = parse(argv)
        host = host_of(lang, call)
        given = call.text("profile") or the_one(host.environ, host.cwd)
        try:
            profile = find(given, host.environ, host.cwd)
        except DamagedProfileError as error:
            reply = _without(call, error, host)
        else:
            reply = run(call, profile, host)
    except CallError as error:
        reply = refused([error.word])
    except ShelfError as error:
        reply = refused(error.words, exit=error.exit)
    return show(reply, lang, machine=machine, terminal=not machine)


def _without(call: Call, damaged: DamagedProfileError, host: Host) -> Reply:
    from clew.sidecar import bare

    if call.verb not in bare.VERBS:
        raise damaged
    return bare.answer(call, damaged, host)


def host_of(lang: str, call: Call) -> Host:
    """This process, as a command sees it."""
    return Host(
        environ=call.environ(os.environ), cwd=working_folder(), lang=lang, stdin=_stdin,
        read_file=_read_file,
    )  # fmt: skip


def _stdin(limit: int) -> str:
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    return sys.stdin.buffer.read(limit).decode("utf-8-sig", "replace")


def _read_file(path: str, limit: int) -> str:
    with open(path, "rb") as handle:
        return handle.read(limit).decode("utf-8-sig", "replace")


def show(reply: Reply, lang: str, *, machine: bool, terminal: bool = False) -> int:
    """Print a reply; returns its exit code."""
    out, err = printed(reply, lang, machine=machine, terminal=terminal)
    tell(err)
    return reply.exit if write(out, lang) else max(reply.exit, 1)


def write(text: str, lang: str) -> bool:
    """Print an answer; whether anybody could have heard it. What the command did is done anyway."""
    if not text:
        return True
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_stdout()  # the reader went away: not an error of ours
    except (OSError, AttributeError, ValueError) as error:  # full, or closed before we started
        _leave_stdout()
        tell(
            f"答案写不出去（{error}）；命令本身已执行完，用 clew sidecar read 查看结果。\n"
            if lang == "zh"
            else f"the answer could not be written ({error}); the command itself is done: see "
            "`clew sidecar read`.\n"
        )
        return False
    return True


def tell(text: str) -> None:
    """Print to stderr, where somebody may listen or not."""
    try:
        if text:
            sys.stderr.write(text)
            sys.stderr.flush()
    except (OSError, AttributeError, ValueError):
        return  # closed, full, or not there: nobody to tell


def _leave_stdout() -> None:
    """So that nothing tries to write the rest when the process ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, AttributeError, ValueError):
        return  # there is none


def _after(argv: list[str], flag: str) -> str | None:
    for at, word in enumerate(argv):
        if word == flag and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith(f"{flag}="):
            return word.split("=", 1)[1]
    return None
