"""Texts of files between a card's own words: they can be told apart from them, whatever they hold.

Pure. What an opening card, a turn, a prompt or a digest quotes was written by somebody (another window, a
board, a page, a card's author) and may look like a heading, a list or an order. A text of one line stands
between quotation marks that it cannot close itself; a longer one has `>` before each of its lines.
Characters that steer a terminal or turn what is shown are replaced.
"""

from __future__ import annotations

import re
from typing import Final

from clew.kernel.faults import plain

_BREAK: Final = re.compile("\r\n|[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Whatever an editor or an agent may take for the end of a line."""
_HIDDEN: Final = re.compile("[\U000e0000-\U000e007f\u200b\u2060-\u2064\ufeff]+")
"""Characters that nobody sees and a model reads."""
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>~])")
_CLOSING: Final = {"zh": str.maketrans("「」", "『』"), "en": str.maketrans("“”", "‘’")}


def lines(text: str) -> list[str]:
    """The lines of a text, each harmless to look at; empty ones at both ends are left out."""
    found = [_harmless(one.expandtabs(4)).rstrip() for one in _BREAK.split(text)]
    while found and not found[0]:
        found.pop(0)
    while found and not found[-1]:
        found.pop()
    return found


def flat(text: str, most: int = 0) -> str:
    """A text on one line, of at most so many characters (0: all of it)."""
    found = " ".join(_harmless(" ".join(text.split())).split())
    return found if not most or len(found) <= most else found[: most - 1] + "…"


def marked(text: str, lang: str, most: int = 0) -> str:
    """A text on one line between quotation marks."""
    inner = flat(text, most).translate(_CLOSING["zh" if lang == "zh" else "en"])
    return f"「{inner}」" if lang == "zh" else f"“{inner}”"


def block(text: str, indent: str = "") -> str:
    """A text line by line, each behind `>`."""
    return "\n".join(f"{indent}> {one}".rstrip() for one in lines(text))


def words(text: str, lang: str, indent: str = "  ") -> str:
    """A text as it stands behind a label: on the same line, or as a block below it."""
    return marked(text, lang) if len(lines(text)) < 2 else f"\n{block(text, indent)}"


def escaped(text: str, most: int = 0) -> str:
    """A text on one line of a Markdown page, without markup of its own."""
    return _MARKUP.sub(r"\\\1", flat(text, most))


def _harmless(text: str) -> str:
    return plain(_HIDDEN.sub("", text))
