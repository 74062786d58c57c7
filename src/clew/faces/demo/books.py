"""The example novels, committed chapter by chapter with the real commands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from clew.faces.demo.telling import Teller, clew, examples

_TRANSACTIONS = "事务"


def sources() -> list[Path]:
    """The example books, in the order in which they are told."""
    return sorted(one for one in examples().iterdir() if (one / _TRANSACTIONS).is_dir())


def tell_book(teller: Teller, source: Path) -> Path:
    """Copy one example and commit it."""
    book = teller.out / source.name
    shutil.copytree(source, book)
    teller.part(source.name, source.name)
    project = ("--project", str(book))
    clew(teller, "novel", "init", *project, "--input", str(book / _TRANSACTIONS / "init.json"))
    for transaction in sorted((book / _TRANSACTIONS).glob("第*章.json")):
        _commit(teller, project, transaction)
    clew(teller, "novel", "check", *project)
    stats = clew(teller, "novel", "stats", *project)
    late, hidden = ", ".join(stats["overdue"]), ", ".join(stats["unrevealed"])
    teller.say(
        f"  核对无误。逾期未回收的伏笔：{late}；读者还不知道的事：{hidden}",
        f"  Everything agrees. Overdue foreshadows: {late}; unknown to the reader: {hidden}",
    )
    return book


def _commit(teller: Teller, project: tuple[str, str], transaction: Path) -> None:
    document = json.loads(transaction.read_text(encoding="utf-8"))
    number = str(document["chapter"])
    length = clew(teller, "chapter", "check", *project, "--chapter", number)["length"]
    done = clew(
        teller, "chapter", "commit", *project, "--chapter", number, "--input", str(transaction)
    )
    actual, target, result = length["actual"], length["target"], document["delta"]["result"]
    revision = done["state_revision"]
    teller.say(
        f"  第{number:>2}章  {actual:>5} 字（目标 {target}）→ 修订 {revision:>2}  {result}",
        f"  ch. {number:>2}  {actual:>5} chars (target {target}) → revision {revision:>2}  {result}",
    )
