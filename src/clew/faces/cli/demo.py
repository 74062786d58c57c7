"""`clew demo [DIR]`: makes a small world with the real commands and ends with what to look at."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from clew.faces import config
from clew.faces.cli import answer as answers
from clew.faces.cli.parse import after, common
from clew.faces.cli.usage import Parser
from clew.kernel.errors import ClewError, Refused
from clew.kernel.faults import Fault

_FOLDER = "clew-demo"
_MOST = 1_000
_VIEWS = (
    ("追踪/上下文.md", "下一章要用的状态卡", "the card for the next chapter"),
    ("追踪/伏笔.md", "伏笔：哪些埋着，哪些回收了", "foreshadows: planted, resolved, overdue"),
    (
        "追踪/时间线/作者真相.md",
        "作者真相；旁边的 读者已知.md 是读者的版本",
        "the truth; 读者已知.md beside it is the reader's",
    ),
    ("追踪/逐章记录", "每章一页的记录", "one record a chapter"),
    (
        "追踪/_history.jsonl",
        "每一次改动，可回看可撤销",
        "every change, to look back on and to undo",
    ),
)


class World(msgspec.Struct, frozen=True, kw_only=True):
    """What was made, and command lines to try on it."""

    status: str = "ok"
    folder: str
    books: list[str]
    library: str
    persona: str
    tries: list[str]


def main(argv: list[str]) -> int:
    """Run `clew demo …`."""
    lang = config.language(after(argv, "--lang"))
    try:
        space = _parser(lang).parse_args(argv)
        told = space.format == "text" or (
            not space.json and space.format != "json" and config.fancy(sys.stdout)
        )
        world = _make(space.folder, lang, told=told)
    except (ClewError, OSError) as error:
        return answers.refuse(answers.family(error), (), lang, machine="--json" in argv)
    if not told:
        answers.emit(world)
    return 0


def _parser(lang: str) -> Parser:
    zh = lang == "zh"
    parser = Parser(prog="clew demo", lang=lang, allow_abbrev=False)
    parser.add_argument(
        "folder", nargs="?", default=_FOLDER, metavar="DIR",
        help=f"放在哪里（默认 {_FOLDER}；已有就用下一个空的名字）" if zh
        else f"where to make it (default {_FOLDER}; where that is taken, the next free name)",
    )  # fmt: skip
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default=None,
        help="text：进管道也照样讲" if zh else "text: tell it into a pipe, too",
    )
    common(parser, lang)
    return parser


def _make(folder: str, lang: str, *, told: bool) -> World:
    from clew.faces.demo.books import sources, tell_book
    from clew.faces.demo.cards import tell_cards
    from clew.faces.demo.persona import tell_persona
    from clew.faces.demo.telling import Teller

    out = _free(folder)
    out.mkdir(parents=True)
    teller = Teller(out, lang, _write if told else _silent)
    books = [tell_book(teller, source) for source in sources()]
    library = tell_cards(teller)
    persona = tell_persona(teller)
    world = World(
        folder=str(out), books=[str(book) for book in books], library=str(library),
        persona=str(persona), tries=_tries(books[-1], library, persona),
    )  # fmt: skip
    teller.line()
    teller.say("看看这些：", "Look at these:")
    for path, zh, en in _VIEWS:
        teller.say(f"  {_near(books[-1] / path)}   {zh}", f"  {_near(books[-1] / path)}   {en}")
    teller.line()
    teller.say("再试试：", "Try these:")
    for line in world.tries:
        teller.line(f"  {line}")
    return world


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _silent(text: str) -> None:
    """Nobody reads along: the answer comes at the end."""


def _free(folder: str) -> Path:
    """The folder, or the next name that is free: what somebody tried out in an earlier one is not
    ours to delete. Raises `Refused` (`target_exists`)."""
    base = Path(os.path.abspath(folder))
    for number in range(1, _MOST):
        found = base if number == 1 else base.with_name(f"{base.name}-{number}")
        if not found.exists() and not found.is_symlink():
            return found
    raise Refused(Fault("target_exists", file=folder))


def _tries(book: Path, library: Path, persona: Path) -> list[str]:
    import shlex
    import shutil

    # As it was called here, where that is not the `clew` that a shell finds.
    here, there = sys.argv[0], shutil.which("clew")
    ours = os.path.basename(here).startswith("clew") and (
        there is None or not os.path.samefile(here, there)
    )
    called = shlex.quote(_near(Path(here).absolute())) if ours else "clew"
    found = []
    for commands, flag, place in (
        (("novel stats", "novel history --character 汪小满", "novel at 6", "novel diff 6 13",
          "novel undo", "novel redo", "novel check"), "--project", book),
        (("card list", "card show 沈砚", "card diff 沈砚", "library search 渡"), "--library", library),
        (("persona status", "persona diary show --days 30", "persona refusal list"), "--home", persona),
    ):  # fmt: skip
        found += [f"{called} {one} {flag} {shlex.quote(_near(place))}" for one in commands]
    return found


def _near(path: Path) -> str:
    """A path as one would type it from here."""
    short = os.path.relpath(path)
    return str(path) if short.startswith("..") else short
