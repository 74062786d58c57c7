"""`storyctl`: the seed's word-count and chapter commands, to the letter.

Same argument forms, statuses, actions, JSON keys and exit codes as the seed prints; one compact
JSON line on stdout, as UTF-8 bytes. Every command is the operation that `clew chapter` and
`clew wordcount` run.
"""

from __future__ import annotations

from clew.faces import config
from clew.faces.cli import answer as answers
from clew.faces.cli.guard import leave
from clew.faces.cli.parse import arguments, request_of
from clew.faces.cli.rooms import host_of
from clew.faces.cli.story import chapter_error, exit_code
from clew.faces.cli.usage import Parser
from clew.kernel.errors import ClewError
from clew.kernel.operations import of_noun

_GROUPS = ("wordcount", "chapter")


def run() -> None:
    """The console script."""
    leave(main)


def main(argv: list[str]) -> int:
    """Run one command line and return its exit code."""
    lang = config.language()
    host = host_of(lang)
    try:
        space = _parser(lang).parse_args(argv)
        operation = space.operation
        found = operation.run(host, request_of(space, operation.request))
    except (ClewError, OSError) as caught:
        error = answers.family(caught)
        plain = chapter_error(error, lang)
        answers.emit(plain)
        answers.tell(host.notes, lang)
        return exit_code(error)
    answers.emit(found)
    answers.tell(host.notes, lang)
    for after in host.later:
        after()
    return int(operation.exit_of(found))


def _parser(lang: str) -> Parser:
    parser = Parser(prog="storyctl", lang=lang, allow_abbrev=False)
    groups = parser.add_subparsers(dest="group", required=True)
    for noun in _GROUPS:
        group = groups.add_parser(noun, allow_abbrev=False)
        verbs = group.add_subparsers(dest="verb", required=True)
        for operation in of_noun(noun):
            verb = operation.name.split(".", 1)[1]
            sub = verbs.add_parser(verb, help=operation.summary(lang), allow_abbrev=False)
            arguments(sub, operation.request, lang)
            sub.set_defaults(operation=operation)
    return parser


if __name__ == "__main__":
    run()
