"""`tracking_commit`: the seed's `init`, `commit`, `check` and `draft`, to the letter.

Success is one JSON line on stdout and exit 0; any refusal is `ERROR: …` on stderr, nothing on
stdout, exit 2. Warnings are `WARNING: …` lines on stderr. Every command is the operation that
`clew novel` runs.
"""

from __future__ import annotations

from typing import Any

from clew.faces import config
from clew.faces.cli import answer as answers
from clew.faces.cli.guard import leave
from clew.faces.cli.rooms import host_of
from clew.faces.cli.usage import Parser
from clew.kernel.errors import ClewError
from clew.kernel.operations import Host, find

_WARNINGS = (
    "near_capacity",
    "sections_emptied",
    "nothing_to_retire",
    "nothing_to_delete",
    "history_torn",
)


def run() -> None:
    """The console script."""
    leave(main)


def main(argv: list[str]) -> int:
    """Run one command line and return its exit code."""
    lang = config.language()
    host = host_of(lang)
    try:
        space = _parser(lang).parse_args(argv)
        found = _run(host, space)
    except (ClewError, OSError) as caught:
        error = answers.family(caught)
        _tell(host, lang)
        for fault in error.faults:
            answers.complain(f"ERROR: {fault.message(lang)}\n")
            hint = fault.hint(lang)
            if hint:
                answers.complain(f"  → {hint}\n")
        return 2
    answers.emit(found)
    _tell(host, lang)
    for after in host.later:
        after()
    return 0


def _run(host: Host, space: Any) -> Any:
    operation = find("novel", space.verb)
    assert operation is not None
    given = {
        key: value for key, value in vars(space).items() if key != "verb" and value is not None
    }
    found = operation.run(host, operation.request(**given))
    if space.verb == "draft":
        return found
    return {
        "last_committed_chapter": found.last_committed_chapter,
        "state_revision": found.state_revision,
    }


def _tell(host: Host, lang: str) -> None:
    for note in host.notes:
        word = "WARNING" if note.code in _WARNINGS else "NOTE"
        answers.complain(f"{word}: {note.message(lang)}\n")


def _parser(lang: str) -> Parser:
    parser = Parser(prog="tracking_commit", lang=lang, allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("init", "commit", "check", "draft"):
        sub = verbs.add_parser(verb, allow_abbrev=False)
        sub.add_argument("--project", required=True, metavar="DIR")
        if verb in ("init", "commit"):
            sub.add_argument("--input", required=True, metavar="FILE")
        if verb == "draft":
            sub.add_argument("--chapter", required=True, type=int, metavar="N")
            sub.add_argument("--out", metavar="FILE")
            sub.add_argument("--force", action="store_true", default=None)
    return parser


if __name__ == "__main__":
    run()
