"""Typed JSON documents: careful reading of what others wrote, fast reading of what we wrote,
stable bytes, digests.

Input is parsed with the standard library after its size and depth were measured; duplicate keys,
NaN, huge integers and lone surrogates are faults with a path. State of our own is decoded by
msgspec straight into its types.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import deque
from typing import Any, Final

import msgspec

from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Code, Fault, excerpt, register
from clew.kernel.text import has_surrogate

INPUT_BYTES: Final = 4_000_000
"""Cap of one input document. The largest lawful transaction is far below it."""
DEPTH: Final = 64
UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What `msgspec` raises for bytes that are not what a type wants: nested too deeply is one of it."""
_DIGITS: Final = 40
_BOM: Final = b"\xef\xbb\xbf"
# An unclosed string runs to the end, so that the scan is one pass over any bytes.
_TOKENS: Final = re.compile(rb'"(?:[^"\\]|\\.?)*+(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)


def encode(value: Any) -> bytes:
    """Stable bytes of a document: UTF-8, keys sorted by code point, two spaces, final newline."""
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2) + b"\n"


def encode_line(value: Any) -> bytes:
    """Stable bytes of a log line, without the newline."""
    return msgspec.json.encode(value, order="sorted")


_LARGE: Final = 65_536
_recent: deque[tuple[bytes, str]] = deque(maxlen=6)


def digest(data: bytes) -> str:
    """SHA-256 of bytes in lower-case hex.

    A change hashes the same large state in the room and in the journal, and the next change finds
    it again on the disk: the last few are remembered. Comparing is thirty times faster than hashing.
    """
    if len(data) < _LARGE:
        return hashlib.sha256(data).hexdigest()
    for known, sha in tuple(_recent):  # another thread may add one meanwhile
        if known == data:
            return sha
    sha = hashlib.sha256(data).hexdigest()
    _recent.append((data, sha))
    return sha


def child(path: str, key: str | int) -> str:
    """The JSON path of a member: `$.a`, `$.list[3]`, `$["odd key"]`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    key = str(excerpt(key))  # a path is shown to people: no surrogate, not at length
    if key.isidentifier():
        return f"{path}.{key}"
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"


class _Repeated(dict[str, Any]):
    """An object that held a key more than once."""

    repeated: list[str]


class _BadNumber:
    def __init__(self, text: str) -> None:
        self.text = text


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    seen: set[str] = set()
    out = _Repeated(plain)
    out.repeated = []
    for key, _ in pairs:
        if key in seen and key not in out.repeated:
            out.repeated.append(key)
        seen.add(key)
    return out


def _int(text: str) -> Any:
    return int(text) if len(text) <= _DIGITS else _BadNumber(text)


def _float(text: str) -> Any:
    value = float(text)
    return value if value not in (float("inf"), float("-inf")) else _BadNumber(text)


def parse(data: bytes, file: str, *, limit: int = INPUT_BYTES) -> tuple[Any, list[Fault]]:
    """Parse input that a person, a model or another tool wrote.

    Returns the value and notes (tolerated oddities). Raises `Refused` with every fault found:
    `too_large`, `too_deep`, `bad_encoding`, `bad_json`, `duplicate_key`, `bad_number`, `bad_text`.
    """
    notes: list[Fault] = []
    if len(data) > limit:
        raise Refused(Fault("too_large", file=file, found=len(data), limit=limit))
    skipped = 0
    if data.startswith(_BOM):
        notes.append(Fault("bom_ignored", file=file))
        skipped = len(_BOM)
        data = data[skipped:]
    if _too_deep(data):
        raise Refused(Fault("too_deep", file=file, limit=DEPTH))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(Fault("bad_encoding", file=file, offset=error.start + skipped)) from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_pairs,
            parse_int=_int,
            parse_float=_float,
            parse_constant=_BadNumber,
        )
    except json.JSONDecodeError as error:
        raise Refused(_bad_json(error, file)) from None
    faults: list[Fault] = []
    _walk(value, "$", faults)
    if faults:
        raise Refused(*faults)
    return value, notes


def _bad_json(error: json.JSONDecodeError, file: str) -> Fault:
    """Where the text stops being JSON, in words, with the place itself and a likely cause."""
    before, after = error.doc[: error.pos].rstrip(), error.doc[error.pos :]
    last, first = before[-1:], after.lstrip()[:1]
    if not before and not first:
        zh, en = "文件是空的", "the file is empty"
    elif first in "“”‘’＂" and first:
        zh, en = (
            f'{first} 是中文引号，JSON 要用半角 "',
            f'{first} is not the quotation mark of JSON, "',
        )
    elif first in "，：；｛｝［］" and first:
        zh, en = (
            f"{first} 是全角标点，JSON 要用半角",
            f"{first} is fullwidth; JSON needs the ASCII one",
        )
    elif last == "," and first and first in "]}":
        zh, en = "最后一项后面多了逗号", "there is a comma after the last item"
    elif not first and "Unterminated" not in error.msg:
        zh, en = "文件不完整，括号没有闭合", "the file ends too early: a bracket is not closed"
    elif "delimiter" in error.msg and "','" in error.msg:
        zh, en = (
            "上一项后面少了逗号，或引号、括号没有配对",
            "a comma is missing, or a quote or bracket is open",
        )
    elif "Unterminated" in error.msg or "control character" in error.msg:
        zh, en = (
            "引号没有闭合（一个字符串里不能换行）",
            "a quote is not closed (no line break inside a string)",
        )
    else:
        zh, en = f"这里不该是 {first}", f"{first} is not expected here"
    # The place may be the end of the text, behind its last line end.
    near = " ".join(error.doc[max(0, error.pos - 25) : error.pos + 15].split())
    return Fault(
        "bad_json", file=file, line=error.lineno, column=error.colno,
        reason=en, reason_zh=zh, found=near or Both("文件开头", "the beginning of the file"),
    )  # fmt: skip


def _too_deep(data: bytes) -> bool:
    depth = 0
    for token in _TOKENS.finditer(data):
        first = token.group()[:1]
        if first in b"[{":
            depth += 1
            if depth > DEPTH:
                return True
        elif first in b"]}":
            depth -= 1
    return False


def _walk(value: Any, path: str, faults: list[Fault]) -> None:
    if isinstance(value, str):
        if has_surrogate(value):
            faults.append(Fault("bad_text", path))
    elif isinstance(value, _BadNumber):
        faults.append(Fault("bad_number", path, found=value.text))
    elif isinstance(value, dict):
        if isinstance(value, _Repeated):
            faults.extend(Fault("duplicate_key", path, found=key) for key in value.repeated)
        for key, item in value.items():
            if has_surrogate(key):
                faults.append(Fault("bad_text", path))
            else:
                _walk(item, child(path, key), faults)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _walk(item, child(path, index), faults)


register(
    Code(
        "bom_ignored", 0,
        "{file} 以 BOM 开头，已忽略",
        "{file} starts with a byte order mark, which was ignored",
        about_zh="提示，不是错误：文件开头的 U+FEFF 被忽略。",
        about_en="A note, not an error: the U+FEFF at the start of the file was ignored.",
    ),
)  # fmt: skip
