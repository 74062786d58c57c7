"""Edits a JSON text in place: every byte that an edit does not concern stays as it was.

Pure. A settings file is its owner's: order, indentation, numbers as written, escapes, line ends and
the newline at the end are kept, because the text is never parsed and printed again. The text must be
valid JSON (the caller has judged it); positions are characters. An edit says what it replaced, so
that it can be taken back to the last byte.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

_TOKEN: Final = re.compile(
    r'[ \t\r\n]*(?:("(?:[^"\\]++|\\.)*+")|([{}\[\],:])|([^\s{}\[\],:"]+))', re.DOTALL
)
_INDENT: Final = re.compile(r"\n([ \t]*)\Z")


class Edit(NamedTuple):
    """At `at`, `old` was replaced by `new`."""

    at: int
    old: str
    new: str


class Value(NamedTuple):
    """A value in the text: where it stands and, for an object or a list, what is in it."""

    start: int
    end: int
    kind: str
    """`object`, `list` or `plain`."""
    items: tuple[Member, ...] = ()

    def get(self, key: str) -> Member | None:
        """The member of that name."""
        return next((item for item in self.items if item.key == key), None)


class Member(NamedTuple):
    """One member of an object, or one item of a list (`key` is then None)."""

    key: str | None
    start: int
    value: Value


def read(text: str) -> Value:
    """The value that a valid JSON text holds."""
    return _Scanner(text).value()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.start = 0

    def token(self) -> str:
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            raise ValueError(f"no JSON at {self.at}")
        group = found.lastindex or 0
        self.start, self.at = found.start(group), found.end()
        return found[group]

    def value(self, token: str | None = None) -> Value:
        token = token or self.token()
        start = self.start
        if token not in ("{", "["):
            return Value(start, self.at, "plain")
        closing = "}" if token == "{" else "]"
        items = []
        token = self.token()
        while token != closing:
            if token == ",":
                token = self.token()
            place, key = self.start, None
            if closing == "}":
                key = json.loads(token)
                self.token()  # the colon
                token = self.token()
            items.append(Member(key, place, self.value(token)))
            token = self.token()
        return Value(start, self.at, "object" if closing == "}" else "list", tuple(items))


# ---- style ---------------------------------------------------------------------------------------


class Style(NamedTuple):
    """How a text is laid out: the indent of a level ("" for one line) and its line end."""

    indent: str
    newline: str


def style_of(text: str, root: Value) -> Style:
    """The layout by the first member of the outermost object; two spaces where there is none."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not root.items:
        return Style("  ", newline)
    indent = _INDENT.search(text[root.start + 1 : root.items[0].start])
    return Style(indent[1] or "  " if indent else "", newline)


def _rendered(value: Any, style: Style, level: str) -> str:
    if not style.indent:
        return json.dumps(value, ensure_ascii=False)
    text = json.dumps(value, ensure_ascii=False, indent=style.indent)
    return text.replace("\n", style.newline + level)


# ---- edits ---------------------------------------------------------------------------------------


def add(text: str, container: Value, key: str | None, value: Any, style: Style, level: int) -> Edit:
    """Put a member or an item at the end of a container that lies `level` levels deep."""
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if container.items:
        last, first = container.items[-1], container.items[0]
        before = text[container.start + 1 : first.start]
        if "\n" not in before and len(container.items) > 1:
            before = text[container.items[-2].value.end : last.start].partition(",")[2]
        elif not before and style.indent:
            before = " "
        own = _INDENT.search(before)
        flat = style if own else Style("", style.newline)
        return Edit(
            last.value.end, "", f",{before}{name}{_rendered(value, flat, own[1] if own else '')}"
        )
    old = text[container.start + 1 : container.end - 1]
    if not style.indent:
        return Edit(container.start + 1, old, name + _rendered(value, style, ""))
    inner, outer = style.indent * (level + 1), style.indent * level
    body = f"{style.newline}{inner}{name}{_rendered(value, style, inner)}{style.newline}{outer}"
    return Edit(container.start + 1, old, body)


def drop(text: str, container: Value, index: int) -> Edit:
    """Take a member or an item out of a container, with its comma."""
    items = container.items
    if len(items) == 1:
        start, end = container.start + 1, container.end - 1
    elif index:
        start, end = items[index - 1].value.end, items[index].value.end
    else:
        start, end = items[0].start, items[1].start
    return Edit(start, text[start:end], "")


def change(text: str, there: Value, value: Any) -> Edit:
    """Put another plain value in the place of one."""
    return Edit(there.start, text[there.start : there.end], json.dumps(value, ensure_ascii=False))


def apply(text: str, edit: Edit) -> str:
    """The text after an edit."""
    return text[: edit.at] + edit.new + text[edit.at + len(edit.old) :]


def undo(text: str, edits: list[Edit]) -> str | None:
    """The text before the edits, or None when it is not what they left."""
    for edit in reversed(edits):
        if text[edit.at : edit.at + len(edit.new)] != edit.new:
            return None
        text = text[: edit.at] + edit.old + text[edit.at + len(edit.new) :]
    return text
