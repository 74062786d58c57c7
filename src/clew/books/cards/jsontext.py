"""JSON text to values: everything that programs in the wild write is read, and every slip is told.

Depth and number of values are measured before parsing, so that no document costs more memory than
`Limits` allows. Repeated keys keep the last value, as every browser does; NaN and Infinity become
null; control characters inside strings, trailing commas and trailing text are tolerated, and so is
what people write for JSON (`loosejson`).

Pure. Rules: RFC 8259; the odd documents of docs/cards.md.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from clew.books.cards.report import Limits, Report
from clew.books.cards.values import Json, child, has_surrogate, integer, real
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault, excerpt

# An unclosed string runs to the end, so that each of these is one pass over any text.
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_NO_BRACKET: Final = re.compile(r"[^\[\]{}]++")
_TRAILING_COMMA: Final = re.compile(
    r'((?:[^",]++|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|,(?!\s*[\]}]))++),?', re.DOTALL
)
"""Everything up to a comma before a closing bracket, in one match: millions of strings make no
millions of matches."""
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
Place = tuple[Any, ...]
"""Where a value is: (the place of what it lies in, its key or index), or empty for the root."""
_SPACE: Final = " \t\r\n\0\ufeff"
_QUOTED: Final = 4


class _Repeated(dict[str, Any]):
    """An object that held keys more than once."""

    repeated: tuple[str, ...] = ()


class _NotANumber:
    """NaN, Infinity or -Infinity, where JSON has no number."""

    def __init__(self, word: str) -> None:
        self.word = word


def parse(text: str, path: str, report: Report, limits: Limits) -> Json:
    """The value of a JSON text. `path` names the place in the lines of the report.

    Raises `Refused`: `bad_json`, `too_deep`, `too_many_values`.
    """
    text = text.strip(_SPACE)
    _measure(text, report, limits)
    odd: list[str] = []
    value = _tolerantly(text, path, report, odd, limits)
    if odd:
        value = _settled(value, (), path, report)
    if _ESCAPED_SURROGATE.search(text) or has_surrogate(text):
        for place in _surrogates(value, ()):
            report.keep("surrogate_kept", _path(path, place))
    return value


def unquoted(value: Json, path: str, report: Report, limits: Limits) -> Json:
    """What a JSON text spells that was written as a text again, once or several times."""
    for _ in range(_QUOTED):
        if not isinstance(value, str) or not value.lstrip(_SPACE).startswith(("{", "[", '"')):
            break
        value = parse(value, path, report, limits)
        said = Both("JSON 装在字符串里", "JSON inside a string")
        report.repair("json_mended", shown(path), reason=said)
    return value


def shown(path: str) -> str:
    """A path that people can be shown: without surrogates, not at length."""
    return str(excerpt(path, 300))


def _measure(text: str, report: Report, limits: Limits) -> None:
    """Refuse what is too deep or too many. Brackets and commas inside strings are no structure, so
    strings are taken out first; for most cards counting them in is enough to know that all is well."""
    opened = text.count("[") + text.count("{")
    if opened <= limits.depth and opened + text.count(",") <= limits.values:
        return
    bare = _STRING.sub("", text)
    if bare.count("[") + bare.count("{") + bare.count(",") > limits.values:
        raise Refused(Fault("too_many_values", file=report.file, limit=limits.values))
    depth = 0
    for mark in _NO_BRACKET.sub("", bare):
        if mark in "[{":
            depth += 1
            if depth > limits.depth:
                raise Refused(Fault("too_deep", file=report.file, limit=limits.depth))
        else:
            depth -= 1


def _decoder(odd: list[str], *, strict: bool) -> json.JSONDecoder:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        plain = dict(found)
        if len(plain) == len(found):
            return plain
        odd.append("repeated")
        again = _Repeated(plain)
        times = Counter(key for key, _ in found)
        again.repeated = tuple(key for key, count in times.items() if count > 1)
        return again

    def constant(word: str) -> _NotANumber:
        odd.append(word)
        return _NotANumber(word)

    return json.JSONDecoder(
        object_pairs_hook=pairs,
        parse_int=integer,
        parse_float=real,
        parse_constant=constant,
        strict=strict,
    )


def _tolerantly(text: str, path: str, report: Report, odd: list[str], limits: Limits) -> Json:
    try:
        value, end = _decoder(odd, strict=True).raw_decode(text)
    except json.JSONDecodeError as error:
        first = error
    else:
        return _whole(value, text[end:], path, report)
    # The slips that hand-written and script-written files make, mended one on top of the other.
    mended = _TRAILING_COMMA.sub(r"\1", text)
    odd.clear()
    try:
        value, end = _decoder(odd, strict=False).raw_decode(mended)
    except json.JSONDecodeError:
        return _loosely(text, path, report, odd, limits, first)
    if "control character" in first.msg:
        said = Both("字符串里有未转义的控制字符", "control characters inside a string")
    else:
        said = Both("最后一项后面多了逗号", "a comma after the last item")
    report.repair("json_mended", shown(path), reason=said)
    return _whole(value, mended[end:], path, report)


def _loosely(
    text: str,
    path: str,
    report: Report,
    odd: list[str],
    limits: Limits,
    first: json.JSONDecodeError,
) -> Json:
    """What people and scripts write for JSON: comments, single quotes, bare keys."""
    from clew.books.cards.loosejson import strict

    made = strict(text) if len(text) <= limits.loose_bytes else None
    if made is None:
        raise Refused(_bad_json(first, report))
    _measure(made[0], report, limits)  # what stood in single quotes counts as what it is now
    odd.clear()
    try:
        value, end = _decoder(odd, strict=False).raw_decode(made[0])
    except json.JSONDecodeError:
        raise Refused(_bad_json(first, report)) from None
    report.repair("json_mended", shown(path), reason=made[1])
    return _whole(value, made[0][end:].strip("; \n`"), path, report)


def _whole(value: Json, rest: str, path: str, report: Report) -> Json:
    rest = rest.strip(_SPACE)
    if not rest:
        return value
    if rest[0] in '{["' and isinstance(value, dict | list):
        # One document a line: a log, not a card.
        raise Refused(
            Fault("not_a_card", file=report.file, found=Both("逐行 JSON（多半是聊天记录）",
                  "JSON lines, most likely a chat"))
        )  # fmt: skip
    said = Both(f"JSON 之后还有 {len(rest)} 个字符", f"{len(rest)} characters after the JSON")
    report.repair("json_mended", shown(path), reason=said)
    return value


def _bad_json(error: json.JSONDecodeError, report: Report) -> Fault:
    before, after = error.doc[: error.pos].rstrip(), error.doc[error.pos :].lstrip()
    if not before and not after:
        reason, reason_zh = "it is empty", "内容是空的"
    elif not after or "Unterminated" in error.msg:
        reason, reason_zh = "it ends too early", "内容不完整，提前结束"
    else:
        reason, reason_zh = "this is not expected here", "这里不该是这个"
    near = error.doc[max(0, error.pos - 25) : error.pos + 15].strip()
    return Fault(
        "bad_json", file=report.file, line=error.lineno, column=error.colno,
        reason=reason, reason_zh=reason_zh, found=near,
    )  # fmt: skip


def _settled(value: Json, place: Place, path: str, report: Report) -> Json:
    """The value with plain objects and null for what is no number."""
    if isinstance(value, _NotANumber):
        report.repair("not_a_number", _path(path, place), found=value.word)
        return None
    if isinstance(value, dict):
        if isinstance(value, _Repeated):
            for key in value.repeated:
                report.repair("repeated_key", _path(path, place), found=key)
        return {key: _settled(item, (place, key), path, report) for key, item in value.items()}
    if isinstance(value, list):
        return [_settled(item, (place, i), path, report) for i, item in enumerate(value)]
    return value


def _surrogates(value: Json, place: Place) -> Iterator[Place]:
    """Where texts and keys with a lone surrogate are."""
    if isinstance(value, str):
        if has_surrogate(value):
            yield place
    elif isinstance(value, dict):
        for key, item in value.items():
            if has_surrogate(key):
                yield place
            yield from _surrogates(item, (place, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _surrogates(item, (place, index))


def _path(path: str, place: Place) -> str:
    """The path of a place below `path`; made only for places that are told."""
    steps = []
    while place:
        place, step = place
        steps.append(step)
    for step in reversed(steps):
        path = child(path, step)
    return shown(path)
