"""Which chapter a file of 大纲/ or 正文/ belongs to, by its name alone.

Pure and light: standard library only, so that a hook that is asked about every file an agent
writes does not wait for the ledger's types. The names are those of the tracking protocol
(`细纲_第001章_标题.md`, `第001章_标题.md`); a copy that a revision leaves beside a body carries
`_原稿_` and is no body. A backslash parts folders on some systems, so no such name holds one.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_OUTLINE_NAME: Final = re.compile(r"细纲_第0*([1-9][0-9]{0,8})章[^\\\n]*\.md")
_BODY_NAME: Final = re.compile(r"第0*([1-9][0-9]{0,8})章(?:[_\- \u3000]([^\\\n]*))?\.md")
_REVISION_BACKUP: Final = "_原稿_"


def outline_number(name: str) -> int | None:
    """The chapter of an outline's file name (`细纲_第001章_标题.md`); None for any other name.

    Names are composed (NFC) first, because some file systems hand them out decomposed.
    """
    found = _OUTLINE_NAME.fullmatch(unicodedata.normalize("NFC", name))
    return int(found[1]) if found else None


def body_number(name: str) -> int | None:
    """The chapter of a body's file name (`第001章_标题.md`); None for any other name and for the
    `_原稿_` copies that a revision leaves beside it."""
    found = _body_name(name)
    return int(found[1]) if found else None


def body_title(name: str) -> str:
    """The title in a body's file name, composed (NFC); empty if there is none."""
    found = _body_name(name)
    return (found[2] or "").strip() if found else ""


def _body_name(name: str) -> re.Match[str] | None:
    composed = unicodedata.normalize("NFC", name)
    return None if _REVISION_BACKUP in composed else _BODY_NAME.fullmatch(composed)
