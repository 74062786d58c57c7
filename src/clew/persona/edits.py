"""A document of ours that somebody edited: what its bytes say beside what can be decoded from them. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from clew.kernel import document
from clew.kernel.errors import Refused
from clew.kernel.faults import Both


class _Version(msgspec.Struct):
    schema_version: Any = None


def schema_of(data: bytes) -> int:
    """The schema that it says it has; 0 where it says none."""
    try:
        found = msgspec.json.decode(data, type=_Version).schema_version
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 0
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def wrong_in(data: bytes, found: Any) -> Both | None:
    """Why a document that can be decoded is none all the same: of two values for one key the last would
    win in silence, and something else's object, or what is left of ours, would pass for an empty one."""
    if not set(msgspec.json.decode(data, type=dict[str, msgspec.Raw])) & set(
        found.__struct_fields__
    ):
        return Both("里面没有它的任何一个字段", "it has none of the fields of this document")
    try:
        document.parse(data, "", limit=len(data))
    except Refused as refusal:
        for fault in refusal.faults:
            if fault.code == "duplicate_key":
                return Both("同一个键写了两次", "a key stands in it twice")
    if getattr(found, "revision", 1) < 1:
        return Both(
            "没有 revision，不是原来的内容", "it has no revision: this is not what was written"
        )
    return None
