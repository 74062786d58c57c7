"""Bytes to text: UTF-8 as it should be, and every other encoding that cards are found in.

Pure. The order of guesses: byte order mark, NUL bytes where UTF-16 or UTF-32 has them, UTF-8,
UTF-8 that spells surrogates, UTF-8 with a few damaged bytes, GB 18030, Windows-1252. Each guess but
the first two is told: a guess may be wrong, and the bytes are kept elsewhere.
"""

from __future__ import annotations

import re
from typing import Final

from clew.books.cards.report import Report

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
_SAMPLE: Final = 1 << 20
"""Bytes that a guess looks at."""


def text_of(data: bytes, path: str, report: Report) -> str:
    """The text that the bytes spell. Never fails: what cannot be decoded becomes U+FFFD, and is told."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            if name != "utf-8":
                report.repair("read_as_encoding", path, found=name)
            return _decoded(data[len(mark) :], name, path, report)
    for shape, name in _NULS:
        if shape.match(data):
            report.repair("read_as_encoding", path, found=name)
            return _decoded(data, name, path, report)
    return _decoded(data, "utf-8", path, report)


def _decoded(data: bytes, name: str, path: str, report: Report) -> str:
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        pass  # the guesses below
    if name != "utf-8":
        return _with_marks(data, name, path, report)
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return _guessed(data, path, report)
    report.repair("read_as_encoding", path, found="CESU-8")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _with_marks(data: bytes, name: str, path: str, report: Report) -> str:
    """Decoded with U+FFFD for what is damaged. UTF-16 keeps lone surrogates, which it can hold."""
    if name.startswith("utf-16"):
        text = data[: len(data) & ~1].decode(name, "surrogatepass")
        if len(data) % 2:
            report.repair("damaged_characters", path, found=1)
        return text
    text = data.decode(name, "replace")
    report.repair("damaged_characters", path, found=text.count("�"))
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
    # Chinese text of the GB family comes in pairs of bytes, most of them both high; European text
    # of one byte a letter hardly ever does.
    if sum(run for run in runs if run % 2 == 0) * 10 >= 9 * high:
        try:
            text = data.decode("gb18030")
        except UnicodeDecodeError:
            pass  # not of that family
        else:
            report.repair("read_as_encoding", path, found="gb18030")
            return text
    try:
        text, found = data.decode("cp1252"), "windows-1252"
    except UnicodeDecodeError:
        text, found = data.decode("latin-1"), "latin-1"
    report.repair("read_as_encoding", path, found=found)
    return text
