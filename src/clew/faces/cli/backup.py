"""`clew backup create|verify|restore`: one archive with a manifest of hashes."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from typing import Any

import msgspec

from clew.faces import config
from clew.faces.cli import answer as answers
from clew.faces.cli.parse import after, common
from clew.faces.cli.usage import Parser
from clew.kernel import archive, backup, restore
from clew.kernel.clock import stamp, system_clock
from clew.kernel.errors import ClewError, Corrupt


class BackedUp(msgspec.Struct, frozen=True, kw_only=True):
    """An archive that was made, verified or restored."""

    status: str = "ok"
    action: str
    archive: str
    folder: str | None
    kind: str
    created: str
    files: int
    size: int
    manifest_sha256: str


def main(argv: list[str]) -> int:
    """Run `clew backup …`."""
    lang = config.language(after(argv, "--lang"))
    machine = "--json" in argv or not config.fancy(sys.stdout)
    notes: list[Any] = []
    try:
        space = _parser(lang).parse_args(argv)
        done = _run(space, notes)
    except (ClewError, OSError) as caught:
        error = answers.family(caught)
        return answers.refuse(error, notes, lang, machine=machine)
    answers.show(done, notes, lang, machine=machine, rendering=_table)
    return 0


def _parser(lang: str) -> Parser:
    zh = lang == "zh"
    parser = Parser(prog="clew backup", lang=lang, allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    create = verbs.add_parser(
        "create", help="做一份备份" if zh else "make an archive", allow_abbrev=False
    )
    create.add_argument("folder", help="书目录" if zh else "the folder")
    create.add_argument(
        "archive", nargs="?",
        help="存到哪个 .zip（默认放在文件夹旁边，带时间）" if zh else "the .zip (default: beside the folder)",
    )  # fmt: skip
    verify = verbs.add_parser(
        "verify", help="逐字节读回核对" if zh else "read an archive back", allow_abbrev=False
    )
    verify.add_argument("archive", help="备份文件" if zh else "the archive")
    back = verbs.add_parser(
        "restore",
        help="恢复到一个新文件夹" if zh else "restore into a new folder",
        allow_abbrev=False,
    )
    back.add_argument("archive", help="备份文件" if zh else "the archive")
    back.add_argument("target", help="新文件夹" if zh else "the new folder")
    for sub in (create, verify, back):
        common(sub, lang)
    return parser


def _run(space: Any, notes: list[Any]) -> BackedUp:
    if space.verb == "create":
        folder = os.path.abspath(space.folder)
        target = (
            space.archive
            or f"{folder}-{stamp(system_clock()).replace(':', '').replace('-', '')[:15]}.zip"
        )
        found = backup.create(
            folder,
            target,
            kind=_kind(folder),
            clock=system_clock,
            hold=_hold(folder, space.lock_timeout),
        )
        notes.extend(found.notes)
        return _answer("create", target, folder, found)
    if space.verb == "verify":
        verified = archive.verify(space.archive)
        if verified.faults or verified.summary is None:
            raise Corrupt(*verified.faults)
        notes.extend(verified.summary.notes)
        return _answer("verify", space.archive, None, verified.summary)
    found = restore.restore(space.archive, space.target)
    notes.extend(found.notes)
    return _answer("restore", space.archive, os.path.abspath(space.target), found)


def _kind(folder: str) -> str:
    return "novel" if _is_book(folder) else "folder"


def _is_book(folder: str) -> bool:
    from clew.novel.ledger import STATE

    return os.path.isfile(os.path.join(folder, STATE))


def _hold(folder: str, timeout: float) -> Any:
    """Keep commits out while a book is read, so that the archive holds one revision."""
    if not _is_book(folder):
        return None
    from clew.novel.ledger import Ledger

    ledger = Ledger(folder, lock_timeout=timeout)

    def hold() -> AbstractContextManager[Any]:
        return ledger.changing([])

    return hold


def _answer(action: str, path: str, folder: str | None, found: backup.Summary) -> BackedUp:
    return BackedUp(
        action=action, archive=path, folder=folder, kind=found.kind, created=found.created,
        files=found.files, size=found.size, manifest_sha256=found.manifest_sha256,
    )  # fmt: skip


def _table(done: BackedUp, lang: str) -> Any:
    from rich.console import Group

    from clew.faces.cli.novel_parts import pairs, say

    zh = lang == "zh"
    words = {
        "create": ("已备份", "saved"),
        "verify": ("核对无误", "verified"),
        "restore": ("已恢复", "restored"),
    }[done.action]
    rows: list[tuple[str, Any]] = [("备份" if zh else "archive", done.archive)]
    if done.folder:
        rows.append(("文件夹" if zh else "folder", done.folder))
    rows += [
        ("文件数" if zh else "files", done.files),
        ("字节" if zh else "bytes", f"{done.size:,}"),
        ("时间" if zh else "made", done.created),
    ]
    return Group(say(lang, *words, "bold green"), pairs(rows))
