"""What the marks inside a line mean: stress, strong stress, escapes, character references.

Pure, and linear in the length of the text. The rules are CommonMark's for `*` and `_` (delimiter
runs), with one difference that Chinese needs: a mark that opens before an opening quote or bracket,
or closes after a closing one or a full stop, does so without a space around it (`**“好”**他说`); and
one that arithmetic needs: between Latin letters and digits a `*` is text (`3*2*1`).
Whatever is no mark of these is text: links, HTML and backquotes are shown as they were written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from html.entities import html5
from typing import Final, NamedTuple

_ESCAPABLE: Final = r"\\`*_#>~|<+\-.)!"
_TOKEN: Final = re.compile(
    rf"\\([{_ESCAPABLE}])|&(#[0-9]{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});|\*+|_+"
)
_WORDY: Final = re.compile("[0-9A-Za-z]{2}")
_CLOSES: Final = frozenset("”’」』）】》〉〕。，、！？；：…")
_OPENS: Final = frozenset("“‘「『（【《〈〔")
DROPPED: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
    + "]"
)  # fmt: skip
"""Characters that no edition can hold: controls, halves of surrogate pairs, noncharacters."""


class Span(NamedTuple):
    """A piece of text and how it is set."""

    text: str
    em: bool = False
    strong: bool = False


class _Run:
    """A run of `*` or `_`: what of it closes, stays text, and opens."""

    __slots__ = ("char", "closed", "closes", "left", "opened", "opens")

    def __init__(self, char: str, length: int, *, opens: bool, closes: bool) -> None:
        self.char = char
        self.left = length
        self.opens = opens
        self.closes = closes
        self.opened: list[int] = []
        self.closed: list[int] = []


def spans(text: str) -> tuple[Span, ...]:
    """The pieces of a line; adjacent ones are set differently, and none is empty."""
    if not any(mark in text for mark in "*_\\&"):
        return (Span(text),) if text else ()
    pieces = _pieces(text)
    _pair([piece for piece in pieces if isinstance(piece, _Run)])
    out: list[Span] = []
    held: list[str] = []
    how = (False, False)
    for piece, em, strong in _set(pieces):
        if (em, strong) != how and held:
            out.append(Span("".join(held), *how))
            held = []
        how = (em, strong)
        held.append(piece)
    return (*out, Span("".join(held), *how)) if held else tuple(out)


def plain(text: str) -> str:
    """The text without its marks."""
    return "".join(span.text for span in spans(text))


def sound(text: str) -> str:
    """The text without characters that no edition can hold."""
    return DROPPED.sub("", text)


def _set(pieces: list[str | _Run]) -> Iterator[tuple[str, bool, bool]]:
    """Each piece that is text, and whether it is stressed and strongly stressed."""
    em = strong = 0
    for piece in pieces:
        if isinstance(piece, str):
            text = piece
        else:
            em, strong = em - piece.closed.count(1), strong - piece.closed.count(2)
            text = piece.char * piece.left
        if text:
            yield text, em > 0, strong > 0
        if not isinstance(piece, str):
            em, strong = em + piece.opened.count(1), strong + piece.opened.count(2)


def _pieces(text: str) -> list[str | _Run]:
    out: list[str | _Run] = []
    at = 0
    for found in _TOKEN.finditer(text):
        out.append(text[at : found.start()])
        at = found.end()
        if found[1]:
            out.append(found[1])
        elif found[2]:
            out.append(_referred(found[2]) or found[0])
        else:
            before = text[found.start() - 1] if found.start() else " "
            out.append(_run(found[0], before, text[at] if at < len(text) else " "))
    out.append(text[at:])
    return out


def _referred(name: str) -> str:
    """The character that a reference means; empty when it means none that may be shown."""
    if name[0] != "#":
        return html5.get(f"{name};", "")
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    if code > 0x10FFFF or (code < 32 and code not in (9, 10)):
        return ""
    return sound(chr(code))


def _run(marks: str, before: str, after: str) -> _Run:
    stop_before, stop_after = _is_stop(before), _is_stop(after)
    left = not after.isspace() and (
        not stop_after or after in _OPENS or before.isspace() or stop_before
    )
    right = not before.isspace() and (
        not stop_before or before in _CLOSES or after.isspace() or stop_after
    )
    if marks[0] == "*" and _WORDY.fullmatch(before + after):
        opens = closes = False  # 3*2*1, a*b: no stress, though CommonMark takes it for one
    elif marks[0] == "_":  # within a word it is a letter like others: snake_case
        opens, closes = left and (not right or stop_before), right and (not left or stop_after)
    else:
        opens, closes = left, right
    return _Run(marks[0], len(marks), opens=opens, closes=closes)


def _is_stop(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def _pair(runs: list[_Run]) -> None:
    """Join what opens with what closes it, innermost first."""
    openers: list[_Run] = []
    # Below this height no opener of that mark is left, so none is looked for twice.
    floor = {"*": 0, "_": 0}
    for run in runs:
        while run.closes and run.left:
            height = len(openers) - 1
            while height >= floor[run.char] and openers[height].char != run.char:
                height -= 1
            if height < floor[run.char]:
                floor[run.char] = len(openers)
                break
            opener = openers[height]
            width = 2 if min(opener.left, run.left) > 1 else 1
            opener.left -= width
            run.left -= width
            opener.opened.append(width)
            run.closed.append(width)
            del openers[height + (1 if opener.left else 0) :]
            floor = {char: min(low, len(openers)) for char, low in floor.items()}
        if run.opens and run.left:
            openers.append(run)
