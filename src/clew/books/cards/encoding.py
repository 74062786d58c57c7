"""Bytes to text: UTF-8 as it should be, and every other encoding that cards are found in.

Pure. The order: byte order mark, NUL bytes where UTF-16 or UTF-32 has them, UTF-8, then the encoding
that a person named, UTF-8 that spells surrogates, UTF-8 with a few damaged bytes, and a guess among
the old encodings (`guessing`). All but the marks are told: a guess may be wrong, and the bytes are
kept elsewhere.
"""

from __future__ import annotations

import re
from typing import Final

from clew.books.cards.guessing import guess
from clew.books.cards.report import Report
from clew.kernel.faults import Both

_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_NULS: Final = (
    (re.compile(rb"[^\x00]\x00\x00\x00"), "utf-32-le"),
    (re.compile(rb"\x00\x00\x00[^\x00]"), "utf-32-be"),
    (re.compile(rb"[^\x00]\x00[^\x00]\x00|[^\x00]\x00.[^\x00]", re.DOTALL), "utf-16-le"),
    (re.compile(rb"\x00[^\x00]\x00[^\x00]|\x00[^\x00][^\x00].", re.DOTALL), "utf-16-be"),
)
_HIGH: Final = re.compile(rb"[\x80-\xff]+")
_WINDOWS: Final = {
    ord(bytes([byte]).decode("cp1252")): byte
    for byte in range(0x80, 0xA0)
    if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
"""Windows-1252's letters back to their bytes."""
_NO_BYTE: Final = re.compile(f"[^\\x00-\\xff{''.join(map(chr, _WINDOWS))}]")
_THREE_BYTES: Final = re.compile("[\u0800-\uffff]")
_SAMPLE: Final = 1 << 20
"""Bytes that a guess looks at."""


def text_of(data: bytes, path: str, report: Report, encoding: str = "") -> str:
    """The text that the bytes spell; `encoding` is what they are in where they are not UTF-8, empty:
    to be found out. Never fails: what cannot be decoded becomes U+FFFD, and is told."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            if name != "utf-8":
                report.repair("read_as_encoding", path, found=name, doubt="")
            return _decoded(data[len(mark) :], name, path, report, encoding)
    for shape, name in _NULS if not encoding else ():
        if shape.match(data):
            report.repair("read_as_encoding", path, found=name, doubt="")
            return _decoded(data, name, path, report, encoding)
    return _decoded(data, "utf-8", path, report, encoding)


def _decoded(data: bytes, name: str, path: str, report: Report, encoding: str) -> str:
    try:
        text = data.decode(name)
        return _once(text, path, report) if name == "utf-8" else text
    except UnicodeDecodeError:
        pass  # the guesses below
    if name != "utf-8":
        return _with_marks(data, name, path, report)
    if encoding:
        report.repair("read_as_asked", path, found=encoding)
        return _with_marks(data, encoding, path, report)
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return _guessed(data, path, report)
    report.repair("read_as_encoding", path, found="CESU-8", doubt="")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _once(text: str, path: str, report: Report) -> str:
    """A text that was encoded twice (`æ²ˆç š` for 沈砚), as it was; any other as it is. All of its
    letters must be bytes of sound UTF-8, some of them three for one letter: no one writes that."""
    if text.isascii() or _NO_BYTE.search(text):
        return text
    try:
        once = text.translate(_WINDOWS).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text
    if not _THREE_BYTES.search(once) or not all(c.isprintable() for c in once if c > "\x7f"):
        return text  # a few letters can be anything
    report.repair("encoded_twice", path)
    return once


def _with_marks(data: bytes, name: str, path: str, report: Report) -> str:
    """Decoded with U+FFFD for what is damaged. UTF-16 keeps lone surrogates, which it can hold."""
    if name.startswith("utf-16"):
        text = data[: len(data) & ~1].decode(name, "surrogatepass")
        if len(data) % 2:
            report.repair("damaged_characters", path, found=1)
        return text
    text = data.decode(name, "replace")
    damaged = text.count("�")
    if damaged:
        report.repair("damaged_characters", path, found=damaged)
    return text


def _guessed(data: bytes, path: str, report: Report) -> str:
    sample = data[:_SAMPLE]
    runs = [len(run) for run in _HIGH.findall(sample)]
    high = sum(runs)
    sound = len(sample.decode("utf-8", "ignore").encode("utf-8")) - (len(sample) - high)
    if sound > 4 * (high - sound):
        text = data.decode("utf-8", "replace")
        report.repair("damaged_characters", path, found=text.count("�"))
        return text
    found = guess(data)
    others = ", ".join(found.others)
    said = Both(f"；也可能是 {others}", f"; it may also be {others}") if others else ""
    report.repair("read_as_encoding", path, found=found.name, doubt=said)
    if found.damaged:
        report.repair("damaged_characters", path, found=found.damaged)
    return found.text
