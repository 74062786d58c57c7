"""`clew sidecar …`: the state of a skill, read and written once a turn.

The verbs of a turn go by the shortest way, by hand: no argparse, no registry, no msgspec, no rich,
because an agent waits for each of them. All others are in `sidecar_more`. Exit codes as everywhere,
but for hooks: those never answer 2, which would block the user's prompt.
"""

from __future__ import annotations

import os
import sys

from clew.faces import config
from clew.faces.cli.guard import UnheardError
from clew.sidecar.calling import VERBS, CallError, parse
from clew.sidecar.engine_words import plain
from clew.sidecar.place import working_folder
from clew.sidecar.saying import Reply, printed
from clew.sidecar.shelf import ShelfError, find, the_one
from clew.sidecar.verbs import Host, refused, run


def main(argv: list[str]) -> int:
    """Run `clew sidecar …`."""
    lang = config.language(_after(argv, "--lang"))
    machine = "--json" in argv or not config.fancy(sys.stdout)
    if "--hook" not in argv:
        return _main(argv, lang, machine=machine)
    try:
        return min(_main(argv, lang, machine=machine), 1)
    except UnheardError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the conversation goes on
        sys.stderr.write(f"clew sidecar: {type(error).__name__}: {plain(str(error))}\n")
        return 1


def _main(argv: list[str], lang: str, *, machine: bool) -> int:
    verb = argv[0] if argv else ""
    if verb not in VERBS or "--help" in argv or "-h" in argv:
        from clew.faces.cli.sidecar_more import main as more

        return more(argv, lang, machine=machine)
    try:
        call = parse(argv)
        host = host_of(lang)
        given = call.text("profile") or the_one(host.environ, host.cwd)
        reply = run(call, find(given, host.environ, host.cwd), host)
    except CallError as error:
        reply = refused([error.word])
    except ShelfError as error:
        reply = refused(error.words, exit=error.exit)
    return show(reply, lang, machine=machine or call_is_bare(argv))


def call_is_bare(argv: list[str]) -> bool:
    """Whether a bare value was asked for, which is the same for people and machines."""
    return any(word == "--field" or word.startswith("--field=") for word in argv)


def host_of(lang: str) -> Host:
    """This process, as a command sees it."""
    cwd = working_folder()
    return Host(environ=os.environ, cwd=cwd, lang=lang, stdin=_stdin, read_file=_read_file)


def _stdin(limit: int) -> str:
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    return sys.stdin.buffer.read(limit).decode("utf-8-sig", "replace")


def _read_file(path: str, limit: int) -> str:
    with open(path, "rb") as handle:
        return handle.read(limit).decode("utf-8-sig", "replace")


def show(reply: Reply, lang: str, *, machine: bool) -> int:
    """Print a reply; returns its exit code."""
    out, err = printed(reply, lang, machine=machine)
    if out:
        _write(out)
    if err:
        sys.stderr.write(err)
    return reply.exit


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, AttributeError, ValueError) as error:  # full, or closed before we started
        raise UnheardError(str(error)) from error


def _after(argv: list[str], flag: str) -> str | None:
    for at, word in enumerate(argv):
        if word == flag and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith(f"{flag}="):
            return word.split("=", 1)[1]
    return None
