"""Repairs of a body's punctuation: shown as a difference, written only when asked.

May read and write one body. The old bytes are kept aside in the ledger's private folder before the
new ones replace them, whole or not at all. What is repaired is `prose.punctuation`. Source: the
seed («运行工具», `chapter check`).
"""

from __future__ import annotations

import msgspec

from clew.kernel.errors import ChangedOutside, Refused
from clew.kernel.faults import Code, Fault, register
from clew.novel.book import Source, read_text
from clew.novel.ledger import Ledger
from clew.novel.prosefile import settings


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """What was, or would be, repaired. `diff` is a unified difference, empty where all is well;
    `kept` says where the bytes from before lie, once something was written."""

    lines: int
    diff: str
    written: bool
    kept: str | None = None


def repair(ledger: Ledger, body: Source, notes: list[Fault], *, write: bool) -> Repair:
    """Repair a body that was read. Raises `Refused` (`bad_encoding`) for a body in another encoding,
    `ChangedOutside` when it changed since it was read, `StorageFailed`."""
    # Its patterns are dear to compile, and most checks repair nothing.
    from clew.novel.prose.punctuation import difference, fix

    try:
        text = body.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(Fault("bad_encoding", file=body.path, offset=error.start)) from None
    found = settings(ledger)
    fixed = fix(
        text,
        strict=found.config.strict,
        quotes=found.curly_quotes,
        literals=found.config.literals,
    )
    diff = difference(text, fixed.text, body.path)
    if not fixed.lines:
        return Repair(lines=0, diff="", written=False)
    if not write:
        notes.append(Fault("repair_not_written", file=body.path, found=fixed.lines))
        return Repair(lines=fixed.lines, diff=diff, written=False)
    with ledger.changing(notes) as tx:
        if tx.read(body.path) != body.data:
            raise ChangedOutside(Fault("edited_meanwhile", file=body.path))
        kept = tx.set_aside(body.path)
    # The copy is safe on the disk; an edit of the last instant is not written over.
    if read_text(ledger, body.path) != body:
        raise ChangedOutside(Fault("edited_meanwhile", file=body.path))
    ledger.vault.write_loose(body.path, fixed.text.encode())
    return Repair(lines=fixed.lines, diff=diff, written=True, kept=kept)


register(
    Code(
        "repair_not_written", 0,
        "{file} 有 {found} 行标点可以修正；这里只列出差异，没有改文件",
        "{found} lines of {file} have punctuation to be put right; this only shows the difference",
        "看过差异后加上 --write 再运行一次。",
        "Look at the difference, then run the same command with --write.",
        about_zh="--fix-punctuation 只显示差异；--write 才替换正文，原文留在 追踪/.clew/aside/。",
        about_en="--fix-punctuation only shows the difference; --write replaces the body and keeps "
        "the old one in 追踪/.clew/aside/.",
    ),
)  # fmt: skip
