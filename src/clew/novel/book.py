"""The book folder around the ledger: outlines, bodies, inputs, the scratch folder.

Reads 大纲/ and 正文/ with size caps and without following links out of the book.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clew.kernel import document
from clew.kernel.errors import ClewError, Missing, Refused, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files
from clew.kernel.text import nfc
from clew.novel.ledger import FOLDER, WORK, Ledger
from clew.novel.model import chapter_label

if TYPE_CHECKING:
    # Their patterns cost start-up: loaded by what reads chapters, not by every command.
    from clew.novel.misnamed import Misnamed
    from clew.novel.outline import Outline

OUTLINES: Final = "大纲"
BODIES: Final = "正文"
TEXT_BYTES: Final = 16_000_000
"""Cap of one outline or body."""
_LISTED: Final = 50


class Source(NamedTuple):
    """One text file of the book, read once."""

    path: str
    data: bytes


def find_book(start: str) -> str:
    """The nearest folder at or above `start` that holds 追踪/ or 正文/. Raises `Missing`."""
    current = os.path.abspath(start)  # noqa: PTH100 - os.path keeps what the user typed
    while True:
        for name in (FOLDER, BODIES):
            if os.path.isdir(os.path.join(current, name)):  # noqa: PTH112, PTH118
                return current
        parent = os.path.dirname(current)  # noqa: PTH120
        if parent == current:
            raise Missing(Fault("no_book", file=start))
        current = parent


def read_input(path: str, files: Files | None = None) -> tuple[Any, list[Fault]]:
    """Parse an input document named on the command line. Raises `Missing`, `Refused`."""
    files = files or Files()
    try:
        found = files.stat(files.resolve(path))
        if found is None:
            raise Missing(Fault("missing_file", file=path))
        if found.size > document.INPUT_BYTES:
            raise Refused(
                Fault("too_large", file=path, found=found.size, limit=document.INPUT_BYTES)
            )
        data = files.read(path)
    except OSError as error:
        raise storage_failed(error, path) from error
    return document.parse(data, path)


def outlines(ledger: Ledger) -> dict[int, list[str]]:
    """Names of the outline files by chapter."""
    from clew.novel.outline import outline_number

    return _by_number(ledger, OUTLINES, outline_number)


def bodies(ledger: Ledger) -> dict[int, list[str]]:
    """Names of the body files by chapter, revision backups left out."""
    from clew.novel.outline import body_number

    return _by_number(ledger, BODIES, body_number)


def _by_number(ledger: Ledger, folder: str, number: Any) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for name in ledger.vault.listing(folder):
        chapter = number(name)
        if chapter is not None:
            found.setdefault(chapter, []).append(name)
    return found


def left_out(ledger: Ledger) -> list[Fault]:
    """A note for each of 正文/ and 大纲/ that holds files which look like chapters and are not named
    as such (`body_name`, `outline_name`). What cannot be listed has nothing to say."""
    try:
        found = {"body_name": _misnamed_bodies(ledger), "outline_name": _misnamed_outlines(ledger)}
    except ClewError:
        return []
    return [_left_out(code, rows) for code, rows in found.items() if rows]


def _misnamed_bodies(ledger: Ledger) -> list[Misnamed]:
    from clew.novel import misnamed
    from clew.novel.filenames import body_number

    names = ledger.vault.listing(BODIES)
    found = misnamed.misnamed_bodies(names)
    taken = {number for name in names if (number := body_number(name)) is not None}
    taken |= {one.chapter for one in found}
    for folder in filter(misnamed.is_volume_folder, names):
        inside = ledger.vault.listing(f"{BODIES}/{folder}")
        found += misnamed.misnamed_in_folder(folder, inside, taken)
    return found


def _misnamed_outlines(ledger: Ledger) -> list[Misnamed]:
    from clew.novel.misnamed import misnamed_outlines

    return misnamed_outlines(ledger.vault.listing(OUTLINES))


def _left_out(code: str, rows: Sequence[Misnamed]) -> Fault:
    folder = OUTLINES if code == "outline_name" else BODIES
    return Fault(
        code,
        found=", ".join(one.name for one in rows),
        allowed=[f"{folder}/{one.right}" for one in rows[:_LISTED]],
        rows=[f"{one.name} → {one.right}" for one in rows],
    )


def is_kept(ledger: Ledger, real: str) -> bool:
    """Whether a real path lies in 追踪/, 大纲/ or 正文/, wherever links lead: nothing that is made out
    of the book is put there."""
    for folder in (FOLDER, OUTLINES, BODIES):
        try:
            found = ledger.vault.real(folder)
        except Refused:  # a link leads out of the book; what is there is still the book's
            found = f"{ledger.root}/{folder}"
        kept = ledger.vault.files.resolve(found)
        if f"{nfc(real)}/".startswith(f"{nfc(kept)}/"):
            return True
    return False


def outline(ledger: Ledger, chapter: int) -> tuple[Source, Outline]:
    """The one outline of a chapter, parsed. Raises `Missing`/`Refused` (`not_one_file`)."""
    from clew.novel.outline import parse_outline

    source = _one(ledger, OUTLINES, outlines(ledger), chapter, ("细纲", "outline"))
    return source, parse_outline(source.data)


def body(ledger: Ledger, chapter: int) -> Source:
    """The one body of a chapter. Raises `Missing`/`Refused` (`not_one_file`)."""
    return _one(ledger, BODIES, bodies(ledger), chapter, ("正文", "body"))


def title_of(ledger: Ledger, chapter: int) -> str | None:
    """A chapter's title from its outline, else from its body's file name."""
    from clew.novel.outline import body_title, parse_outline

    names = outlines(ledger).get(chapter, [])
    if names:
        found = parse_outline(read_text(ledger, f"{OUTLINES}/{sorted(names)[0]}").data)
        if found.title:
            return found.title
    names = bodies(ledger).get(chapter, [])
    return (body_title(sorted(names)[0]) or None) if names else None


def _one(
    ledger: Ledger, folder: str, found: dict[int, list[str]], chapter: int, kind: tuple[str, str]
) -> Source:
    names = found.get(chapter, [])
    if len(names) != 1:
        fault = Fault(
            "not_one_file", chapter=chapter, found=len(names),
            allowed=[f"{folder}/{n}" for n in names] or [f"{folder}/{_example(folder, chapter)}"],
            kind_zh=kind[0], kind=kind[1],
        )  # fmt: skip
        raise (
            Refused(fault) if names else Missing(fault, *called_otherwise(ledger, folder, chapter))
        )
    return read_text(ledger, f"{folder}/{names[0]}")


def called_otherwise(ledger: Ledger, folder: str, chapter: int) -> list[Fault]:
    """Files of 正文/ or 大纲/ that look like the one of a chapter, which is missing there."""
    code, look = (
        ("body_name", _misnamed_bodies)
        if folder == BODIES
        else ("outline_name", _misnamed_outlines)
    )
    try:
        rows = [one for one in look(ledger) if one.chapter == chapter]
    except ClewError:  # a folder that cannot be listed: what is missing is said already
        rows = []
    return [_left_out(code, rows)] if rows else []


def _example(folder: str, chapter: int) -> str:
    return f"{'细纲_' if folder == OUTLINES else ''}{chapter_label(chapter)}_….md"


def read_text(ledger: Ledger, path: str) -> Source:
    """One text file within the book."""
    files = ledger.vault.files
    real = ledger.vault.real(path)
    try:
        found = files.stat(real)
        if found is None:
            raise Missing(Fault("missing_file", file=path))
        if found.size > TEXT_BYTES:
            raise Refused(Fault("too_large", file=path, found=found.size, limit=TEXT_BYTES))
        return Source(path, files.read(real))
    except OSError as error:
        raise storage_failed(error, path) from error


def work_folder(chapter: int) -> str:
    """The scratch folder of a chapter's transaction."""
    return f"{WORK}/{chapter_label(chapter)}"
