"""The file of a draft: where it goes, what lies there already, and writing it whole.

Touches files within the book through the vault, and elsewhere only at the path that the user
gave. Source: the seed (事务 JSON 只写在书目录 `.story/work/` 下). What a draft replaces is kept beside it.
"""

from __future__ import annotations

import json
import os
from typing import Any, Literal, NamedTuple

from clew.kernel import document
from clew.kernel.clock import stamp
from clew.kernel.errors import Missing, Refused, storage_failed
from clew.kernel.faults import Both, Fault
from clew.kernel.folder import replace_whole
from clew.novel.book import is_kept
from clew.novel.ledger import Ledger

Existing = Literal["new", "kept", "merged", "replaced"]
"""What became of a draft: none was there (`new`), or it was `kept`, `merged` or `replaced`."""


class Place(NamedTuple):
    """Where a draft goes."""

    path: str
    """The real path, absolute."""
    inside: str | None
    """The path within the book; None outside."""

    @property
    def shown(self) -> str:
        """The path as messages name it."""
        return self.inside or self.path


def place(ledger: Ledger, default: str, out: str | None) -> Place:
    """Where a draft goes: `default` within the book, or `out`, a file or a folder, which the user
    typed (a relative one is relative to the current folder).

    Raises `Refused` (`unsafe_path`) for a path under 追踪/, 大纲/ or 正文/, which hold no drafts.
    """
    if out is None:
        where = Place(ledger.vault.real(default), default)
    else:
        files = ledger.vault.files
        real = files.resolve(out)
        found = files.stat(real)
        if out.endswith(("/", os.sep)) or (found is not None and found.kind == "dir"):
            real = files.resolve(f"{real}/{default.rpartition('/')[2]}")
        root = ledger.root.rstrip("/") + "/"
        where = Place(real, real[len(root) :] if real.startswith(root) else None)
    if is_kept(ledger, where.path):
        reason = Both("追踪/、大纲/、正文/ 不放草稿", "no drafts in 追踪/, 大纲/ or 正文/")
        raise Refused(Fault("unsafe_path", file=where.shown, reason=reason))
    return where


def present(ledger: Ledger, where: Place) -> bytes | None:
    """What lies there already. Raises `Refused` (`too_large`) for what no draft can be."""
    files = ledger.vault.files
    try:
        found = files.stat(where.path)
        if found is None:
            return None
        if found.size > document.INPUT_BYTES:
            raise Refused(
                Fault("too_large", file=where.shown, found=found.size, limit=document.INPUT_BYTES)
            )
        return files.read(where.path)
    except OSError as error:
        raise storage_failed(error, where.shown) from error


def readable(where: Place, data: bytes) -> dict[str, Any]:
    """The object in a draft. Raises `Refused`: `draft_unreadable`, and what is wrong with it."""
    try:
        value, _ = document.parse(data, where.shown)
    except Refused as refused:
        raise Refused(Fault("draft_unreadable", file=where.shown), *refused.faults) from None
    if not isinstance(value, dict):
        raise Refused(Fault("draft_unreadable", file=where.shown))
    return value


def keep_beside(ledger: Ledger, where: Place, data: bytes) -> str:
    """Keep a copy as `<name>.before-<time>` beside the draft; returns where, as messages name it."""
    moment = stamp(ledger.clock()).replace(":", "").replace("-", "")
    suffix, number = f".before-{moment}", 0
    while ledger.vault.files.stat(where.path + suffix) is not None:
        number += 1
        suffix = f".before-{moment}-{number}"
    copy = Place(where.path + suffix, where.inside + suffix if where.inside else None)
    _write(ledger, copy, data)
    return copy.shown


def write(ledger: Ledger, where: Place, value: dict[str, Any]) -> None:
    """Write a draft whole or not at all: UTF-8, two spaces, keys in the order people read them."""
    # Not msgspec: a merged draft may hold any number that JSON can.
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    _write(ledger, where, f"{text}\n".encode())


def _write(ledger: Ledger, where: Place, data: bytes) -> None:
    if where.inside is not None:
        ledger.vault.write_loose(where.inside, data)
        return
    files = ledger.vault.files
    folder = where.path.rpartition("/")[0]
    if files.stat(folder or "/") is None:
        raise Missing(Fault("missing_file", file=folder))
    try:
        replace_whole(files, where.path, data)
    except OSError as error:
        raise storage_failed(error, where.shown) from error
