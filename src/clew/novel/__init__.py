"""The novel ledger: what a story has established, chapter by chapter, checked before it is kept.

Contract: the tracking-protocol seed. `open(path)` gives a `Ledger`; the same words are the commands
`clew novel …`. The pure core (`model`, `transaction`, `rules`, `apply`, `views`, `record`,
`outline`, `wordcount`, `prose`) knows no files; `ledger` and its neighbours do the I/O.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.kernel.faults import register_later

if TYPE_CHECKING:
    import os

    from clew.novel.ledger import Ledger

__all__ = ["open"]
register_later("clew.novel.codes")


def open(path: str | os.PathLike[str]) -> Ledger:
    """Open the ledger of a book folder (the folder that holds 大纲/, 正文/ and 追踪/).

    Reads nothing yet. Raises `clew.kernel.errors.Missing` when the folder does not exist.
    """
    from clew.kernel.errors import Missing
    from clew.kernel.faults import Fault
    from clew.novel.ledger import Ledger

    ledger = Ledger(path)
    found = ledger.vault.files.stat(ledger.root)
    if found is None or found.kind != "dir":
        raise Missing(Fault("missing_file", file=str(path)))
    return ledger
