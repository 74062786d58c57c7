"""Count a chapter's visible characters and judge its length.

Pure: takes text or bytes and numbers, gives values; no files, no clock. The metric, the two bands
and the author's own range are those of the tracking protocol («运行工具»: `wordcount`,
`chapter check`). What may be done about a length outside its band is `acceptance`.

Terms. *Visible character*: a code point that is not whitespace, counted after the front matter and
the first heading are taken off. *Internal band*: target ±12 %. *User band*: target ±15 %; a chapter
may be committed inside it. *Author range*: two numbers the author gave; it replaces both bands.
All bounds are inclusive and computed in integers, so no rounding differs between machines.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from clew.novel.model import METRIC, AuthorRange, WordRecord

MAX_TARGET: Final = 2**53 - 1
"""Largest target and range bound: what every JSON reader still holds exactly."""

Status = Literal["internal_pass", "borderline", "under", "over"]
BandSource = Literal["author", "default"]
Resolution = Literal["within_user_band", "accepted_current_length"]
InvalidReason = Literal[
    "EMPTY_BODY",
    "INVALID_TARGET",
    "INVALID_RANGE",
    "INVALID_BODY",
    "INVALID_FILE",
    "INVALID_ARGUMENT",
    "INVALID_OUTLINE",
]

WHITESPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The characters the metric does not count. Written out rather than `str.isspace`, which also takes
U+001C to U+001F and may change with Python's Unicode tables."""

_BLANK = f"[{re.escape(WHITESPACE.replace(chr(10), ''))}]"
_EMPTY_LINES: Final = re.compile(r"(?:[ \t\u3000]*\n)+|[ \t\u3000]+\Z")
_FIRST_HEADING: Final = re.compile(
    rf"[ \t]{{0,3}}#{{1,6}}{_BLANK}+[^{re.escape(WHITESPACE)}][^\n]*"
)
_KEY_LINE: Final = re.compile(r"[A-Za-z_\u3400-\u9fff][\w-]*[ \t]*:")
_FRONT_MATTER_LAST_INDEX: Final = 200

_LETTER = "0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff"
_WORD: Final = re.compile(rf"[{_LETTER}]+(?:['\u2019-][{_LETTER}]+)*")


class CharRange(msgspec.Struct, frozen=True):
    """An inclusive range of visible characters."""

    min: int
    max: int


class Band(msgspec.Struct, frozen=True):
    """A range together with whether the measured length lies in it."""

    min: int
    max: int
    status: Literal["pass", "fail"]


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """`story-wordcount-measurement/v1`: a length and nothing judged. `actual` is None if invalid,
    except for an empty body, whose length is known to be 0."""

    schema: str = "story-wordcount-measurement/v1"
    metric: str = METRIC
    chapter: int | str | None
    case_id: str | None
    actual: int | None
    status: Literal["measured", "invalid"]
    invalid_reason: InvalidReason | None


class LengthResult(msgspec.Struct, frozen=True, kw_only=True):
    """`story-wordcount-result/v1`: a length against its target. The error fields are fractions
    of the target (0.1 is ten per cent); whatever could not be computed is None."""

    schema: str = "story-wordcount-result/v1"
    metric: str = METRIC
    chapter: int | str | None
    case_id: str | None
    target: int | None
    actual: int | None
    internal_band: Band | None
    user_band: Band | None
    signed_error_pct: float | None
    absolute_error_pct: float | None
    band_source: BandSource | None
    status: Literal["internal_pass", "borderline", "under", "over", "invalid"]
    invalid_reason: InvalidReason | None


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """`story-wordcount-checkpoint/v1`: how much is left to write. It carries no status; only an
    invalid one has `invalid_reason`."""

    schema: str = "story-wordcount-checkpoint/v1"
    metric: str = METRIC
    chapter: int | str | None
    target: int | None
    actual: int | None
    user_band: CharRange | None
    band_source: BandSource | None
    remaining_user_range: CharRange | None
    invalid_reason: InvalidReason | UnsetType = UNSET


# -- counting --------------------------------------------------------------------------------------


def front_matter_lines(lines: list[str]) -> int:
    """How many of the first lines are front matter; 0 if there is none.

    Front matter is `---`, then within 200 lines a closing `---` or `...`, and between them at
    least one `key:` line; a bare ruler at the top of a chapter is therefore not mistaken for it.
    """
    if not lines or lines[0] != "---":
        return 0
    for index, line in enumerate(lines[2 : _FRONT_MATTER_LAST_INDEX + 1], start=2):
        if line in ("---", "..."):
            return index + 1 if any(map(_KEY_LINE.match, lines[1:index])) else 0
    return 0


def counted_text(body: str | bytes) -> str:
    """The part of a body that the metric counts, whitespace still in it, newlines as LF.

    Raises UnicodeDecodeError if bytes are not UTF-8.
    """
    text = body.decode("utf-8") if isinstance(body, bytes) else body
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if text.startswith("---\n"):
        # One more split than the last line that may close, so a long body is not cut up in full.
        lines = text.split("\n", _FRONT_MATTER_LAST_INDEX + 1)
        rest = lines[front_matter_lines(lines[: _FRONT_MATTER_LAST_INDEX + 1]) :]
        text = "\n".join(rest)
    if blank := _EMPTY_LINES.match(text):
        text = text[blank.end() :]
    if heading := _FIRST_HEADING.match(text):
        text = text[heading.end() :]
    return text


def visible_chars_v1(body: str | bytes) -> int:
    """The number of visible characters of a body, in code points.

    Latin letters, digits, punctuation and Markdown marks count one each; so do combining marks and
    the parts of a joined emoji. Raises UnicodeDecodeError if bytes are not UTF-8.
    """
    return visible(counted_text(body))


def visible(text: str) -> int:
    """The number of characters of any piece of text that are not whitespace by the metric."""
    return len(text) - sum(map(text.count, WHITESPACE))


def words(body: str | bytes) -> int:
    """The number of words written with letters or digits (`don't`, `well-known`: one each).

    For statistics of books in alphabetic scripts; Chinese characters are not words here. Same part
    of the body as `visible_chars_v1`. Raises UnicodeDecodeError if bytes are not UTF-8.
    """
    return sum(1 for _ in _WORD.finditer(counted_text(body)))


# -- judging ---------------------------------------------------------------------------------------


def is_target(value: object) -> bool:
    """Whether a value may be a length target: a whole number from 1 to 2^53-1, no bool."""
    return type(value) is int and 1 <= value <= MAX_TARGET


def is_range(value: CharRange) -> bool:
    """Whether both bounds are whole numbers from 1 to 2^53-1 and in order."""
    return is_target(value.min) and is_target(value.max) and value.min <= value.max


def internal_band(target: int, author_range: CharRange | None = None) -> CharRange:
    """The band a chapter should hit: the author's range, or target ±12 %."""
    return author_range or CharRange(-(-88 * target // 100), 112 * target // 100)


def user_band(target: int, author_range: CharRange | None = None) -> CharRange:
    """The band a chapter may be committed in: the author's range, or target ±15 %."""
    return author_range or CharRange(-(-85 * target // 100), 115 * target // 100)


def status_of(actual: int, target: int, author_range: CharRange | None = None) -> Status:
    """Where a length lies. With an author range there is no `borderline`."""
    inner, outer = internal_band(target, author_range), user_band(target, author_range)
    if inner.min <= actual <= inner.max:
        return "internal_pass"
    if actual < outer.min:
        return "under"
    return "over" if actual > outer.max else "borderline"


def resolution_of(status: Status) -> Resolution:
    """How a chapter with this status came to be committed."""
    if status in ("internal_pass", "borderline"):
        return "within_user_band"
    return "accepted_current_length"


# -- answers ---------------------------------------------------------------------------------------


def _count(
    body: str | bytes | None, reason: InvalidReason | None
) -> tuple[int | None, InvalidReason | None]:
    if reason is not None or body is None:
        return None, reason or "INVALID_FILE"
    try:
        actual = visible_chars_v1(body)
    except UnicodeDecodeError:
        return None, "INVALID_BODY"
    return actual, None if actual else "EMPTY_BODY"


def measure(
    body: str | bytes | None,
    *,
    chapter: int | str | None = None,
    case_id: str | None = None,
    invalid_reason: InvalidReason | None = None,
) -> Measurement:
    """Measure a body. Never raises: a missing body (None) is INVALID_FILE, undecodable bytes are
    INVALID_BODY; `invalid_reason` passes on what the caller found wrong before."""
    actual, reason = _count(body, invalid_reason)
    return Measurement(
        chapter=chapter,
        case_id=case_id,
        actual=actual,
        status="invalid" if reason else "measured",
        invalid_reason=reason,
    )


def length_result(
    body: str | bytes | None,
    *,
    target: int | None,
    author_range: CharRange | None = None,
    chapter: int | str | None = None,
    case_id: str | None = None,
    invalid_reason: InvalidReason | None = None,
) -> LengthResult:
    """Measure a body and hold it against its target. Never raises.

    The first of these that applies is the reason: what the caller passed, an unreadable body, a bad
    target, a bad range, an empty body.
    """
    actual, reason = _count(body, invalid_reason)
    good_target = target if is_target(target) else None
    good_range = author_range is None or is_range(author_range)
    if reason is None or reason == "EMPTY_BODY":
        if good_target is None:
            reason = "INVALID_TARGET"
        elif not good_range:
            reason = "INVALID_RANGE"
    inner = outer = None
    error = None
    if good_target is not None and good_range and actual is not None:
        inner = _judged(internal_band(good_target, author_range), actual)
        outer = _judged(user_band(good_target, author_range), actual)
        error = (actual - good_target) / good_target
    return LengthResult(
        chapter=chapter,
        case_id=case_id,
        target=good_target,
        actual=actual,
        internal_band=inner,
        user_band=outer,
        signed_error_pct=error,
        absolute_error_pct=None if error is None else abs(error),
        band_source=_band_source(author_range),
        status=(
            "invalid"
            if reason or actual is None or good_target is None
            else status_of(actual, good_target, author_range)
        ),
        invalid_reason=reason,
    )


def _judged(band: CharRange, actual: int) -> Band:
    return Band(band.min, band.max, "pass" if band.min <= actual <= band.max else "fail")


def _band_source(author_range: CharRange | None) -> BandSource:
    return "default" if author_range is None else "author"


def checkpoint(
    body: str | bytes | None,
    *,
    target: int | None,
    author_range: CharRange | None = None,
    chapter: int | str | None = None,
    invalid_reason: InvalidReason | None = None,
) -> Checkpoint:
    """How many characters are still to be written to come into, and to stay in, the user band.

    Never raises. A body with nothing in it yet is a fair question here, so it is not invalid.
    """
    actual, reason = _count(body, invalid_reason)
    if reason in (None, "EMPTY_BODY"):
        good_range = author_range is None or is_range(author_range)
        reason = None if good_range else "INVALID_RANGE"
        if not is_target(target):
            reason = "INVALID_TARGET"
    outer = remaining = None
    if reason is None and target is not None and actual is not None:
        outer = user_band(target, author_range)
        remaining = CharRange(max(0, outer.min - actual), max(0, outer.max - actual))
    return Checkpoint(
        chapter=chapter,
        target=target if is_target(target) else None,
        actual=actual,
        user_band=outer,
        band_source=_band_source(author_range),
        remaining_user_range=remaining,
        invalid_reason=UNSET if reason is None else reason,
    )


def word_record(
    *, actual: int, target: int, body_sha256: str, author_range: CharRange | None = None
) -> WordRecord:
    """The record for the state of a chapter that is being committed now.

    `body_sha256` is the digest of the body file's raw bytes, 64 lower-case hex digits. Raises
    ValueError for numbers or a digest that no committed chapter can have.
    """
    if not is_target(target) or not is_target(actual):
        raise ValueError("target and actual must be whole numbers from 1 to 2^53-1")
    if author_range is not None and not is_range(author_range):
        raise ValueError("author_range must be two whole numbers from 1 to 2^53-1 in order")
    if not re.fullmatch(r"[0-9a-f]{64}", body_sha256):
        raise ValueError("body_sha256 must be 64 lower-case hexadecimal digits")
    status = status_of(actual, target, author_range)
    return WordRecord(
        metric=METRIC,
        target=target,
        actual=actual,
        status=status,
        resolution=resolution_of(status),
        body_sha256=body_sha256,
        author_range=(
            None
            if author_range is None
            else AuthorRange(min=author_range.min, max=author_range.max)
        ),
    )
