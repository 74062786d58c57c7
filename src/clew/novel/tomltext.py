"""A TOML text that somebody wrote, read at a cost that its length bounds.

Pure. The parser of the standard library looks at every part of a dotted key once for each part before
it, reads a number as long as memory allows, and goes as deep as a text is nested. So size and the
parts of a key are counted before it begins, and whatever it says is told as one kind of error.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

from clew.kernel.faults import Both

CHARS: Final = 1_000_000
"""A longer text is not read."""
PARTS: Final = 16
"""So many parts may a key have; no file of a book needs more than three."""
_BASIC: Final = r'"(?:[^"\\\n]++|\\[^\n])*+\\?(?:"|(?=\n)|\Z)'
_PART: Final = rf"(?:[A-Za-z0-9_\-]++|{_BASIC}|'[^'\n]*+'?)"
# Every token runs to its end, closed or not, so that nothing is looked at twice.
_TOKENS: Final = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\\?\Z)'
    r"|'''(?:[^']++|'(?!''))*+(?:'''|\Z)"
    rf"|\#[^\n]*+|(?P<key>{_PART}(?:[ \t]*\.[ \t]*{_PART})*+)",
    re.DOTALL,
)
_DOTS: Final = re.compile(rf"{_BASIC}|'[^'\n]*+'?|(?P<dot>\.)")
_LONG: Final = re.compile(r"[0-9_]{600,}")
_AT_LINE: Final = re.compile(r"at line ([0-9]+)")


class TomlError(ValueError):
    """A text that is no TOML, or none that is read."""

    def __init__(self, line: int, reason: Both, *, syntax: bool = False) -> None:
        super().__init__(reason.en)
        self.line = line
        self.reason = reason
        self.syntax = syntax
        """Whether the parser said so: the reason is its own."""


def loads(text: str) -> dict[str, Any]:
    """The table of a text. Raises `TomlError`."""
    if len(text) > CHARS:
        raise TomlError(
            1, Both(f"文件太长（上限 {CHARS} 字符）", f"the file is longer than {CHARS} characters")
        )
    for found in _TOKENS.finditer(text):
        key = found["key"]
        if key and key.count(".") >= PARTS and _parts(key) > PARTS:
            reason = Both(f"一个键最多 {PARTS} 段", f"a key has at most {PARTS} parts")
            raise TomlError(_line(text, found.start()), reason)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        line = int(at[1]) if at else text.count("\n") + 1
        raise TomlError(line, Both(str(error), str(error)), syntax=True) from None
    except RecursionError:
        raise TomlError(1, Both("嵌套太深", "nested too deeply")) from None
    except ValueError:
        long = _LONG.search(text)
        line = _line(text, long.start()) if long else 1
        raise TomlError(line, Both("数字太长", "a number is too long")) from None


def _parts(key: str) -> int:
    return 1 + sum(found["dot"] is not None for found in _DOTS.finditer(key))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
