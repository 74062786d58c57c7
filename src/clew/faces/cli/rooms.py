"""Runs an operation of a room: parse, run, show, settle. The same for every noun."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Mapping
from typing import Final

from clew.faces import config
from clew.faces.cli import answer as answers
from clew.faces.cli.parse import after, as_typed, noun_parser, request_of
from clew.faces.cli.progress import showing
from clew.kernel.errors import ClewError
from clew.kernel.operations import Host, Operation, find, of_noun

_NOVEL: Final = tuple(f"clew.faces.cli.{m}" for m in ("novel", "writer", "lint", "exports"))
_RENDERINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "novel": _NOVEL,
    "chapter": _NOVEL,
    "wordcount": _NOVEL,
    "library": ("clew.faces.cli.library",),
    "card": ("clew.faces.cli.card",),
    "persona": tuple(f"clew.faces.cli.{m}" for m in ("persona", "channels", "pulse")),
}
"""Where the renderings of a noun's answers are."""
_LOOKS: Final = frozenset(("list", "show", "read", "status", "today", "curve", "verify"))
"""Actions that look, of commands that also write."""
_LOOKING: Final = frozenset(("persona.opening",))
"""Commands that look, and only remember that somebody did."""


def main(noun: str, argv: list[str]) -> int:
    """Run `clew <noun> …`."""
    lang = config.language(after(argv, "--lang"))
    machine = "--json" in argv
    argv = _verb_first(argv)
    known = find(noun, argv[0]) if argv else None
    operations = [known] if known is not None else of_noun(noun)
    form = after(argv, "--format")  # `text` puts the text itself into a pipe, too
    machine = machine or form == "json"
    machine = machine or (form != "text" and not config.fancy(sys.stdout))
    try:
        space = noun_parser(noun, operations, lang).parse_args(argv)
    except ClewError as error:
        return _refuse(noun, error, host_of(lang), machine=machine, writes=False)
    operation: Operation = space.operation
    host = host_of(lang, space.lock_timeout)
    try:
        with showing(host):
            found = operation.run(host, request_of(space, operation.request))
    except (ClewError, OSError) as error:
        refusal = answers.family(error)
        if not machine:
            refusal = as_typed(refusal, operation.request)
        return _refuse(noun, refusal, host, machine=machine, writes=_writes(operation, space))
    text = None if "--json" in argv else answers.raw(found)
    if text is not None:
        answers.pour(text)
        answers.tell(host.notes, lang)
    else:
        # Renderings load rich, which costs as much as a commit: only where a person looks.
        shown = None if machine else rendering(operation)
        answers.show(found, host.notes, lang, machine=machine, rendering=shown)
    for job in host.later:
        job()
    return operation.exit_of(found)


def _verb_first(argv: list[str]) -> list[str]:
    """`clew card --json list` as `clew card list --json`."""
    before: list[str] = []
    rest = list(argv)
    while rest and (rest[0] in ("--json", "--lang") or rest[0].startswith("--lang=")):
        size = 2 if rest[0] == "--lang" else 1
        before, rest = [*before, *rest[:size]], rest[size:]
    end = rest.index("--") if "--" in rest else len(rest)
    return [*rest[:end], *before, *rest[end:]] if rest else []


def host_of(lang: str, lock_timeout: float = 10.0) -> Host:
    """What the command line lends to operations."""
    return Host(
        cwd=os.getcwd(),
        lang=lang,
        lock_timeout=lock_timeout,
        trusted=_trusted,
        interpreter=config.interpreter(),
        library=config.library(),
        persona=config.persona(),
        read_card=_read_card,
    )


def _writes(operation: Operation, space: Namespace) -> bool:
    """Whether what was refused would have written something that somebody asked for: that nothing was
    written is no news where somebody only looks."""
    if operation.mode != "write" or operation.name in _LOOKING:
        return False
    return getattr(space, "action", "") not in _LOOKS and bool(getattr(space, "mend", True))


def _read_card(given: str) -> Mapping[str, str]:
    from clew.faces.cardbridge import read_card

    return read_card(given, cwd=os.getcwd(), library=config.library())


def _trusted(folder: str, files: tuple[str, ...]) -> bool:
    from clew.faces.cli.trust import store

    return store().is_trusted(folder, files)


def _refuse(noun: str, error: ClewError, host: Host, *, machine: bool, writes: bool) -> int:
    if noun not in ("chapter", "wordcount"):
        return answers.refuse(error, host.notes, host.lang, machine=machine, writes=writes)
    from clew.faces.cli.story import chapter_error, exit_code

    if machine:
        plain = chapter_error(error, host.lang)
        if host.notes:
            plain["notes"] = [note.to_dict(host.lang) for note in host.notes]
        answers.emit(plain)
        answers.tell(host.notes, host.lang)
    else:
        answers.refuse(error, host.notes, host.lang, machine=False, writes=writes)
    return exit_code(error)


def rendering(operation: Operation) -> answers.Rendering | None:
    """How an operation's answer looks on a terminal."""
    from importlib import import_module

    for module in _RENDERINGS[operation.name.split(".", 1)[0]]:
        found: answers.Rendering | None = import_module(module).RENDERINGS.get(operation.name)
        if found is not None:
            return found
    return None
