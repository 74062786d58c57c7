"""`clew trust DIR`: let a folder run what it names. `--revoke` takes it back, `--list` shows all."""

from __future__ import annotations

import os
import sys
from typing import Any

import msgspec

from clew.faces import config
from clew.faces.cli import answer as answers
from clew.faces.cli.parse import after, common
from clew.faces.cli.usage import Parser
from clew.kernel.errors import ClewError, Missing
from clew.kernel.faults import Fault
from clew.kernel.trust import TrustRecord, TrustStore


class Trusted(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, and what is trusted now."""

    status: str = "ok"
    action: str
    folders: list[TrustRecord]


def store() -> TrustStore:
    """The user's trusted folders, kept outside any of them."""
    return TrustStore(os.path.join(config.config_folder(), "trusted.json"))


def naming_files(folder: str) -> tuple[str, ...]:
    """The files of a folder that may name commands, endpoints or files outside."""
    from clew.novel.prosefile import FILES
    from clew.persona.model import SETTINGS

    known = (*FILES, SETTINGS)
    return tuple(path for path in known if os.path.isfile(os.path.join(folder, path)))


def main(argv: list[str]) -> int:
    """Run `clew trust …`."""
    lang = config.language(after(argv, "--lang"))
    machine = "--json" in argv or not config.fancy(sys.stdout)
    zh = lang == "zh"
    parser = Parser(prog="clew trust", lang=lang, allow_abbrev=False)
    parser.add_argument("folder", nargs="?", help="文件夹" if zh else "the folder")
    parser.add_argument(
        "--revoke", action="store_true", help="不再信任" if zh else "trust it no longer"
    )
    parser.add_argument(
        "--list", action="store_true", help="列出已信任的" if zh else "list what is trusted"
    )
    common(parser, lang)
    try:
        space = parser.parse_args(argv)
        done = _run(space)
    except (ClewError, OSError) as caught:
        error = answers.family(caught)
        return answers.refuse(error, (), lang, machine=machine)
    answers.show(done, (), lang, machine=machine, rendering=_table)
    return 0


def _run(space: Any) -> Trusted:
    trusted = store()
    if space.list or space.folder is None:
        return Trusted(action="list", folders=list(trusted.list()))
    if space.revoke:
        trusted.revoke(space.folder)
        return Trusted(action="revoke", folders=list(trusted.list()))
    if not os.path.isdir(space.folder):
        raise Missing(Fault("missing_file", file=space.folder))
    record = trusted.trust(space.folder, naming_files(space.folder))
    return Trusted(action="trust", folders=[record])


def _table(done: Trusted, lang: str) -> Any:
    from datetime import datetime

    from rich.text import Text

    from clew.faces.cli.novel_parts import say
    from clew.faces.cli.persona_parts import Column, Rows

    zh = lang == "zh"
    if not done.folders:
        return say(lang, "还没有信任任何文件夹", "no folder is trusted", "dim")
    rows = []
    for record in done.folders:
        since = datetime.fromisoformat(record.trusted_at).astimezone()
        rows.append(
            [Text(record.folder), Text("  ".join(record.files) or "—"), f"{since:%Y-%m-%d %H:%M}"]
        )
    columns = [
        Column("文件夹" if zh else "folder", flex=True, bare=True),
        Column("凭这些文件" if zh else "by these files", flex=True),
        Column("自" if zh else "since"),
    ]
    return Rows(columns, rows)
