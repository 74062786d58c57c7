"""A document of ours that somebody edited: what its bytes say beside what can be decoded from them. Pure."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from clew.kernel import document
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, excerpt


class _Version(msgspec.Struct):
    schema_version: Any = None


def schema_of(data: bytes) -> int:
    """The schema that it says it has; 0 where it says none."""
    try:
        found = msgspec.json.decode(data, type=_Version).schema_version
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 0
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


_SAID: Final = (
    (re.compile(r"Input data was truncated"), "内容不完整：到一半就断了"),
    (re.compile(r"JSON is malformed: (?P<what>.*?)\s*\(byte (?P<at>\d+)\)"), "第 {at} 字节不是合法的 JSON"),
    (re.compile(r"JSON is malformed.*"), "不是合法的 JSON"),
    (re.compile(r"Object contains unknown field `(?P<what>.*?)`"), "有不认识的字段 {what}"),
    (re.compile(r"Object missing required field `(?P<what>.*?)`"), "缺少字段 {what}"),
    (re.compile(r"Expected `(?P<what>.*?)`, got `(?P<got>.*?)`"), "要的是 {what}，却是 {got}"),
    (re.compile(r"Invalid enum value (?P<what>.*?)(?= - |$)"), "不认识的值 {what}"),
    (re.compile(r"Invalid value (?P<what>.*?)(?= - |$)"), "不认识的值 {what}"),
    (re.compile(r"Expected `(?P<what>.*?)`"), "要的是 {what}"),
    (re.compile(r"Invalid UTF-8.*|.*codec can't decode.*"), "不是 UTF-8 文字"),
    (re.compile(r"not a moment: (?P<what>.*?)(?= - |$)"), "不是时刻：{what}"),
    (re.compile(r"the mood is 0..1"), "心情要在 0 到 1 之间"),
)  # fmt: skip
_AT: Final = re.compile(r" - at `(?P<at>.*?)`")


def why_unread(error: Exception) -> Both:
    """Why a document or a line cannot be decoded, in both languages."""
    told = str(excerpt(str(error)))
    for pattern, words in _SAID:
        if found := pattern.search(told):
            where = _AT.search(told)
            zh = words.format(**found.groupdict()) + (f"（在 {where['at']}）" if where else "")
            return Both(zh, told)
    return Both(told, told)


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
