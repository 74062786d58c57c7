"""The registry of operations: one entry feeds the command line, MCP, HTTP and the reference pages.

An operation is a name, a request type, an answer type and a function. Names, fields, errors and
help are the same on every face by construction; a face may add a rendering of its own. Private
until two rooms have used it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from msgspec import Meta, Struct

from clew.kernel.clock import Clock, system_clock
from clew.kernel.errors import Missing
from clew.kernel.faults import Fault


def no_card(given: str) -> Mapping[str, str]:
    """A face without a card reader. Raises `Missing`."""
    raise Missing(Fault("missing_file", file=given))


class Host:
    """What a face lends to an operation: where the user stands, the clock, what is trusted.

    `notes` collects what is worth saying beside the answer; `later` what may be done after it;
    `progress` (done, of how many, what) is told what a long operation is at.
    """

    def __init__(
        self,
        *,
        cwd: str,
        lang: str = "en",
        lock_timeout: float = 10.0,
        clock: Clock = system_clock,
        trusted: Callable[[str, tuple[str, ...]], bool] = lambda folder, files: False,
        interpreter: str = "",
        library: str = "",
        persona: str = "",
        read_card: Callable[[str], Mapping[str, str]] = no_card,
        progress: Callable[[int, int, str], None] = lambda done, of, what: None,
    ) -> None:
        self.cwd = cwd
        self.lang = lang
        self.lock_timeout = lock_timeout
        self.clock = clock
        self.trusted = trusted
        self.interpreter = interpreter
        self.library = library
        """The library that counts where none is named and none is near."""
        self.persona = persona
        """The persona that counts where none is named, by name or folder."""
        self.read_card = read_card
        """Reads a character card (a file, or a name in the library) for a room that knows none."""
        self.progress = progress
        self.notes: list[Fault] = []
        self.later: list[Callable[[], None]] = []


class Operation(NamedTuple):
    """One thing that clew does, on every face."""

    name: str
    """`noun.verb`, as on the command line."""
    request: type[Struct]
    answer: str
    """Where its type is, `module:Name`: loaded when documentation or a schema asks for it."""
    run: Callable[[Host, Any], Any]
    mode: Literal["read", "write"]
    zh: str
    en: str
    example: str
    """A command line that shows it."""
    exit_of: Callable[[Any], int] = lambda answer: 0
    """The exit code of an answer, where a seed gives its states codes of their own."""

    def summary(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


def field(zh: str, en: str, **how: Any) -> Meta:
    """What a request field means. `how`: `positional=True`, `hidden=True` (no command-line flag),
    `metavar="…"`, `flag="from"` (a flag whose name Python does not allow for a field)."""
    return Meta(description=en, extra={"zh": zh, "en": en, **how})


ROOMS: Final[Mapping[str, tuple[str, ...]]] = {
    "novel": (
        "clew.novel.operations",
        "clew.novel.writer_operations",
        "clew.novel.lint_operations",
        "clew.novel.export_operations",
    ),
    "chapter": ("clew.novel.chapter_operations",),
    "wordcount": ("clew.novel.chapter_operations",),
    "library": ("clew.books.operations",),
    "card": ("clew.books.card_operations",),
    "persona": (
        "clew.persona.operations",
        "clew.persona.channel_operations",
        "clew.persona.pulse_operations",
    ),
}
"""The modules that hold a noun's operations, in the order of its help page."""


def of_noun(noun: str) -> list[Operation]:
    """The operations of one noun, in the order of its help page."""
    return [operation for module in ROOMS[noun] for operation in _of_module(module, noun)]


def find(noun: str, verb: str) -> Operation | None:
    """One operation. Loads no module beyond the one that holds it: start-up is a feature."""
    for module in ROOMS[noun]:
        for operation in _of_module(module, noun):
            if operation.name == f"{noun}.{verb}":
                return operation
    return None


def _of_module(module: str, noun: str) -> list[Operation]:
    from importlib import import_module

    operations: tuple[Operation, ...] = import_module(module).OPERATIONS
    return [operation for operation in operations if operation.name.split(".")[0] == noun]


def every() -> list[Operation]:
    """Every operation of every room."""
    return [operation for noun in ROOMS for operation in of_noun(noun)]
