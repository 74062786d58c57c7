"""JSON values of foreign documents: read tolerantly, number tokens kept as written, written stably.

A card is hashed, compared and exported again, so reading it must not change it: `1.0` stays `1.0`,
`1e3` stays `1e3`, a lone surrogate (`\\ud83d`, lawful JSON that no UTF-8 file can hold) stays an
escape, the order of keys stays. Numbers that Python writes as they were written are plain `int` and
`float`; all others are a `Number`, which keeps the token.

Pure. Rules: RFC 8259, and the odd documents of docs/cards.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import Any, Final

Json = Any
"""What a JSON text means: dict, list, str, int, float, `Number`, bool, None."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PLAIN_DIGITS: Final = 40
_KEY: Final = 80
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")


class Number:
    """A JSON number that Python would write otherwise than it was written: `1.0e3`, `-0`, `1.50`."""

    __slots__ = ("token",)

    def __init__(self, token: str) -> None:
        self.token = token

    def __float__(self) -> float:
        return float(self.token)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Number):
            return self.token == other.token or float(self) == float(other)
        if isinstance(other, int | float):
            return float(self) == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(float(self))

    def __repr__(self) -> str:
        return f"Number({self.token!r})"


def integer(token: str) -> int | Number:
    """The value of an integer token."""
    if len(token) > _PLAIN_DIGITS or token == "-0":
        return Number(token)
    return int(token)


def real(token: str) -> float | Number:
    """The value of a token with a fraction or an exponent."""
    if len(token) <= _PLAIN_DIGITS:
        value = float(token)
        if repr(value) == token:
            return value
    return Number(token)


def number(text: str) -> int | float | Number | None:
    """The number that a text spells in JSON's way, or None."""
    text = text.strip()
    if not _NUMBER.match(text):
        return None
    return integer(text) if text.lstrip("-").isdigit() else real(text)


def is_number(value: Json) -> bool:
    """True for a JSON number (a boolean is none)."""
    return isinstance(value, int | float | Number) and not isinstance(value, bool)


def token(value: int | float | Number) -> str:
    """A number as it is written."""
    return value.token if isinstance(value, Number) else repr(value)


def encode(value: Json, *, indent: int = 0, ordered: bool = False) -> str:
    """JSON text that is always valid UTF-8: compact, or with `indent` spaces a level.

    Lone surrogates are escaped, everything else stands as itself. `ordered` sorts keys by code
    point. Number tokens are written as they were read.
    """
    if indent:
        text = "".join(_pieces(value, indent, "\n", ordered))
    else:
        try:
            text = json.dumps(
                value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=ordered
            )
        except TypeError:  # a Number: the fast encoder does not know it
            text = "".join(_pieces(value, 0, "", ordered))
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _pieces(value: Json, indent: int, line: str, ordered: bool) -> Iterator[str]:
    if isinstance(value, str):
        yield encode_basestring(value)
    elif isinstance(value, Number):
        yield value.token
    elif isinstance(value, dict) and value:
        inner = line + " " * indent
        colon = '": ' if indent else '":'
        first = True
        for key in sorted(value) if ordered else value:
            yield ("{" if first else ",") + inner + encode_basestring(key)[:-1] + colon
            first = False
            yield from _pieces(value[key], indent, inner, ordered)
        yield line + "}"
    elif isinstance(value, list) and value:
        inner = line + " " * indent
        first = True
        for item in value:
            yield ("[" if first else ",") + inner
            first = False
            yield from _pieces(item, indent, inner, ordered)
        yield line + "]"
    else:
        yield json.dumps(value, allow_nan=False)


def joined(text: str) -> str:
    """A text whose surrogates that stand as a pair have become the character that they spell."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def has_surrogate(text: str) -> bool:
    """True when the text holds a surrogate that stands alone."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def same(one: Json, other: Json) -> bool:
    """Equal as written: `1` and `1.0` differ, and so do `true` and `1`; the order of keys does not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if is_number(one) and is_number(other):
        return token(one) == token(other)
    return type(one) is type(other) and bool(one == other)


def child(path: str, key: str | int) -> str:
    """The path of a member: `$.a`, `$.list[3]`, `$["odd key"]`; a very long key is cut."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if len(key) > _KEY:
        key = key[: _KEY - 1] + "…"
    if key.isidentifier():
        return f"{path}.{key}"
    return f"{path}[{encode(key)}]"
