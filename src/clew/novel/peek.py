"""What the bytes of a state tell without the ledger's types: a hook that runs at every tool call does not
wait for those.

Pure. Bytes in, values out; nothing here judges a state, and what it cannot tell it says so.
"""

from __future__ import annotations

import json
from typing import Final

_LAST: Final = b'\n  "last_committed_chapter": '
_TITLE: Final = b'"book_title"'
_TITLE_BYTES: Final = 2_000
"""The cap of a title is 240 bytes; escapes make it six times as long."""


def last_committed(state: bytes) -> int | None:
    """The last committed chapter in the bytes of a state; None when they do not tell."""
    # Our own bytes have two spaces at the top level and no newline inside a string, so the line can
    # be found without parsing megabytes.
    whole = state.startswith(b'{\n  "') and state[-4:].rstrip().endswith(b"\n}")
    if whole and state.count(_LAST) == 1:
        digits = state.split(_LAST, 1)[1][:20].split(b",", 1)[0].split(b"\n", 1)[0]
        if digits.isdigit():
            return int(digits)
    try:
        value = json.loads(state.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    found = value.get("last_committed_chapter") if isinstance(value, dict) else None
    return found if type(found) is int and found >= 0 else None


def title_in(state: bytes) -> str:
    """The title in the bytes of a state; empty when they do not tell."""
    at = state.find(_TITLE) + len(_TITLE)
    text = state[at : at + _TITLE_BYTES].lstrip(b" \t\r\n").removeprefix(b":").lstrip(b" \t\r\n")
    if at < len(_TITLE) or not text.startswith(b'"'):
        return ""
    try:
        return str(json.JSONDecoder().raw_decode(text.decode("utf-8", "ignore"))[0])
    except ValueError:
        return ""
