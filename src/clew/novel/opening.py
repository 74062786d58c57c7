"""From a request to what the room works on: the book, the document, the author's range."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from clew.kernel.errors import Missing, Usage
from clew.kernel.faults import Both, Fault
from clew.kernel.operations import Host

if TYPE_CHECKING:
    from clew.novel.ledger import Ledger
    from clew.novel.wordcount import CharRange


def open_book(host: Host, project: str | None, *, writes: bool = False) -> Ledger:
    """The ledger of the named book, or of the nearest one upward."""
    from clew.novel.book import find_book
    from clew.novel.ledger import Ledger

    root = os.path.join(host.cwd, project) if project else find_book(host.cwd)
    if not os.path.isdir(root):
        raise Missing(Fault("missing_file", file=root))
    ledger = Ledger(root, clock=host.clock, lock_timeout=host.lock_timeout)
    ledger.said = host.notes
    if writes:
        host.later.append(lambda: ledger.vault.settle(ledger.scope))
    return ledger


def document_of(host: Host, request: Any) -> Any:
    """The document of a request: handed in, or read from its file."""
    from clew.novel.book import read_input

    if request.document is not None:
        return request.document
    if request.input is None:
        raise Usage(Fault("usage", reason=Both("缺少 --input FILE", "--input FILE is missing")))
    value, notes = read_input(os.path.join(host.cwd, request.input))
    host.notes.extend(notes)
    return value


def range_of(request: Any) -> CharRange | None:
    """The author's range of this run: both bounds or neither."""
    from clew.novel.wordcount import CharRange, is_range

    low, high = request.min_chars, request.max_chars
    if low is None and high is None:
        return None
    if low is None or high is None:
        raise Usage(
            Fault("usage", reason=Both("--min-chars 与 --max-chars 要同给", "give both bounds"))
        )
    found = CharRange(low, high)
    if not is_range(found):
        reason = Both(
            f"--min-chars {low} --max-chars {high}：要 1 ≤ 下限 ≤ 上限", "bounds out of order"
        )
        raise Usage(Fault("usage", reason=reason))
    return found
