"""What the bytes of a state file say: decoding, what is still legible of a broken one, encoding.

Pure. Standard library only, Python 3.9 syntax and API: it is carried inside bundles. Rules: the
seed's reading and writing protocol (UTF-8, two spaces of indent, any fault is a new session), made
stricter where a mistake would turn an opt-out into an opt-in.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIMIT = 16 * 1024 * 1024
"""Bytes; a larger state file counts as broken."""
DEPTH = 64
"""Levels of nesting; a profile has a handful."""
_DIGITS = 400
_WHITE = " \t\r\n\0"


class BrokenState(ValueError):
    """A file that is no state. `reason` is a key of `REASONS` in `messages`."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def decode(data: bytes) -> dict[str, Any]:
    """The object in a state file. Raises `BrokenState`; nothing else, whatever the bytes are."""
    if len(data) > LIMIT:
        raise BrokenState("too_large")
    if not data.strip(_WHITE.encode()):
        raise BrokenState("nul" if b"\0" in data else "empty")
    try:
        found = _DECODER.decode(_text(data))
    except UnicodeDecodeError:
        raise BrokenState("not_utf8") from None
    except RecursionError:
        raise BrokenState("too_deep") from None
    except ValueError:
        raise BrokenState("not_json") from None
    return _checked(found)


def salvage(data: bytes, active: str) -> dict[str, Any] | None:
    """The whole object that a broken file begins with, or None.

    When more than white space and NULs follows, nobody knows what the file said last: the object is
    handed over with its field `active` off.
    """
    try:
        text = _text(data[:LIMIT], errors="replace").lstrip(_WHITE)
        found, end = _DECODER.raw_decode(text)
        state = _checked(found)
    except (ValueError, RecursionError):
        return None
    if text[end:].strip(_WHITE) and state.get(active) is True:
        state[active] = False
    return state


def speaks_of_off(data: bytes, active: str) -> bool:
    """Whether a broken file, as far as it is legible, has a field `active` that is not clearly true.

    Somebody who opted out by hand and made a mistake in the JSON must not be opted in again by the
    copy from before.
    """
    import re

    text = _text(data[:LIMIT], errors="replace")
    pattern = re.escape(active) + r"[\"'”’]?\s*[:：=](?!\s*[\"'“‘]?true\b)"
    return re.search(pattern, text, re.IGNORECASE) is not None


def encode(state: dict[str, Any]) -> bytes:
    """The file of a state. Raises ValueError for what is not JSON (NaN)."""
    try:
        return (json.dumps(state, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
    except UnicodeEncodeError:  # a lone surrogate is no UTF-8, but has an escape
        return (json.dumps(state, indent=2, allow_nan=False) + "\n").encode()


def _text(data: bytes, errors: str = "strict") -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # how a Windows shell writes what it redirects
        return data.decode("utf-16", errors)
    return data.decode("utf-8-sig", errors)


def _checked(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise BrokenState("not_an_object")
    if not found:
        raise BrokenState("empty")
    level: list[Any] = [found]
    for _ in range(DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return found
    raise BrokenState("too_deep")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        # A key that is there twice: the last one counts, but a refusal is never overruled.
        found.update({key: value for key, value in pairs if value is False})
    return found


def _whole(text: str) -> int:
    if len(text) > _DIGITS:  # reading it would take time that grows with its square
        raise ValueError("a number with too many digits")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number out of range")
    return value


def _no_number(text: str) -> float:
    raise ValueError(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_number, parse_constant=_no_number
)
