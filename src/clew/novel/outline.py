"""Read what a chapter's outline promises, and know outlines and bodies by their file names.

Pure: takes names and bytes, gives values; no files. The names and the three field lines
(`字数目标`, `字数口径`, `字数范围`) are those of the tracking protocol («运行工具», 作者字数范围);
English books write `Length target`, `Length metric`, `Length range` instead.

Parsing never fails: whatever is wrong becomes an `OutlineProblem` with its line and its text, so
that an author sees every fault of an outline at once.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from clew.novel.filenames import body_number as body_number
from clew.novel.filenames import body_title as body_title
from clew.novel.filenames import outline_number as outline_number
from clew.novel.model import METRIC
from clew.novel.model import chapter_label as chapter_label
from clew.novel.wordcount import MAX_TARGET, CharRange, InvalidReason, is_range

TargetStatus = Literal["ok", "missing", "invalid", "conflict"]
MetricStatus = Literal["ok", "missing", "invalid"]
RangeStatus = Literal["none", "ok", "invalid"]
Field = Literal["file", "title", "target", "metric", "range"]

_SPACE = r"[ \t\u3000]*"
_TITLE: Final = re.compile(
    rf"#{{1,4}}{_SPACE}"
    rf"(?:第{_SPACE}0*([1-9][0-9]{{0,8}}){_SPACE}章|(?i:chapter){_SPACE}0*([1-9][0-9]{{0,8}}))"
    rf"{_SPACE}[:：]{_SPACE}(\S.*)"
)
_LABELS: Final[dict[str, Field]] = {
    "字数目标": "target",
    "length target": "target",
    "字数口径": "metric",
    "length metric": "metric",
    "字数范围": "range",
    "length range": "range",
}
# Matched against lines whose runs of spaces were made one, so that no run costs quadratic time.
# Bold may wrap the label, the label with its colon, the value or the whole line.
_FIELD: Final = re.compile(
    r"[ >]*(?:(?:[-+]|\*(?!\*)) ?)?(?:\*\*)?"
    r"(字数目标|字数口径|字数范围|(?i:length (?:target|metric|range)))"
    r" ?(?:\*\*)? ?[:：](.*)"
)
_RUN: Final = re.compile(r"[ \t\u3000]+")
_NUMBER = r"([1-9][0-9]{0,2}(?:[,，][0-9]{3}){1,5}|[1-9][0-9]{0,15})"
_UNIT = r"(?:字|(?i:characters|chars))?"
_NOTE = r"(?: ?(?:\([^()（）]*\)|（[^()（）]*）))?"
_TARGET: Final = re.compile(rf"(?:约|大约|(?i:about))? ?{_NUMBER} ?{_UNIT} ?(?:左右)?{_NOTE}")
_RANGE: Final = re.compile(
    rf"{_NUMBER} ?{_UNIT} ?(?:[-~～—–－至到]|(?i:to)) ?"
    rf"{_NUMBER} ?{_UNIT}{_NOTE}"
)
_METRIC: Final = re.compile(rf"{re.escape(METRIC)}{_NOTE}")
_ANY_DIGIT: Final = re.compile(r"\d")  # Unicode digits too: fullwidth ones are to be refused
_EXCERPT = 60


class OutlineProblem(msgspec.Struct, frozen=True):
    """One fault of an outline: which field, the line (from 1; 0 is the whole file) and its text,
    and what is wrong in Chinese and in English."""

    field: Field
    line: int
    text: str
    zh: str
    en: str


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """What an outline says.

    `title` and `title_chapter` come from the first heading `# 第N章：标题` (or `# Chapter N:
    title`). `target` is in visible characters and None unless `target_status` is ok; `author_range`
    is None unless `range_status` is ok. `english` says that it uses English labels, or is English.
    """

    title: str | None = None
    title_chapter: int | None = None
    target: int | None = None
    target_status: TargetStatus = "missing"
    metric_status: MetricStatus = "missing"
    author_range: CharRange | None = None
    range_status: RangeStatus = "none"
    english: bool = False
    problems: tuple[OutlineProblem, ...] = ()

    @property
    def invalid_reason(self) -> InvalidReason | None:
        """Why no length can be judged by this outline; a missing title is no such reason."""
        if self.metric_status != "ok" or any(p.field == "file" for p in self.problems):
            return "INVALID_OUTLINE"
        if self.target_status != "ok":
            return "INVALID_TARGET"
        return "INVALID_RANGE" if self.range_status == "invalid" else None


def head(number: int | str, *, english: bool) -> str:
    """The lines that an outline begins with, on one line: what a length is judged by."""
    if english:
        return f"# Chapter {number}: Title / Length target: 2400 / Length metric: {METRIC}"
    return f"# 第{number}章：章名 / 字数目标：2400 / 字数口径：{METRIC}"


# -- content ---------------------------------------------------------------------------------------

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_ENGLISH_LABEL: Final = re.compile(r"(?im)^[ >*+-]*length (?:target|metric|range)\b")


def _is_english(text: str) -> bool:
    """Whether an outline uses English labels, or could use no others."""
    if any(label in text for label in _LABELS if not label.isascii()):
        return False
    return _ENGLISH_LABEL.search(text) is not None or (
        bool(text.strip()) and _HAN.search(text) is None
    )


def _shown(field: Field, english: bool) -> str:
    """A line of that field as it is to be written."""
    value = {"target": "2400", "metric": METRIC, "range": "2000-2600"}[field]
    if english:
        return f"Length {field}: {value}"
    return {"target": "字数目标", "metric": "字数口径", "range": "字数范围"}[field] + f"：{value}"


class _Value(msgspec.Struct, frozen=True):
    line: int
    whole: str
    value: str


def parse_outline(data: bytes) -> Outline:
    """Read an outline file's bytes (UTF-8, BOM and any newline allowed). Never raises."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return _undecodable(data, error)
    title: re.Match[str] | None = None
    fields: dict[Field, list[_Value]] = {"target": [], "metric": [], "range": []}
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if title is None and line.startswith("#"):
            title = _TITLE.match(line)
        elif found := _FIELD.match(_RUN.sub(" ", line)):
            value = found[2].strip(" *")
            fields[_LABELS[found[1].lower()]].append(_Value(number, line, value))

    problems: list[OutlineProblem] = []
    english = _is_english(text)
    if title is None:
        line = head(1, english=english).partition(" / ")[0]
        problems.append(
            OutlineProblem(
                "title",
                0,
                "",
                f"没有章名标题；请写一行「{line}」",
                f"no chapter heading; write a line like '{line}'",
            )
        )
    target, target_status = _target(fields["target"], problems, english, fields["range"])
    author_range, range_status = _range(fields["range"], problems, english)
    return Outline(
        title=title[3].strip() if title else None,
        title_chapter=int(title[1] or title[2]) if title else None,
        target=target,
        target_status=target_status,
        metric_status=_metric(fields["metric"], problems, english),
        author_range=author_range,
        range_status=range_status,
        english=english,
        problems=tuple(sorted(problems, key=lambda p: p.line)),
    )


def _undecodable(data: bytes, error: UnicodeDecodeError) -> Outline:
    """An outline in another encoding: nothing in it can be trusted, so every field is invalid."""
    line = data.count(b"\n", 0, error.start) + 1
    found = data[error.start : error.start + 8].hex(" ")
    problem = OutlineProblem(
        "file",
        line,
        found,
        "文件不是 UTF-8 编码；请另存为 UTF-8",
        "the file is not UTF-8; save it as UTF-8",
    )
    return Outline(target_status="invalid", metric_status="invalid", problems=(problem,))


def _problem(field: Field, value: _Value, zh: str, en: str) -> OutlineProblem:
    return OutlineProblem(field, value.line, value.whole.strip()[:_EXCERPT], zh, en)


def _number(text: str) -> int:
    return int(text.replace(",", "").replace("，", ""))


def _target(
    values: list[_Value], problems: list[OutlineProblem], english: bool, ranges: list[_Value]
) -> tuple[int | None, TargetStatus]:
    given = [value for value in values if _ANY_DIGIT.search(value.value)]
    if not given:
        line = _shown("target", english)
        zh = f"没有可用的字数目标；请写「{line}」"
        en = f"no usable length target; write '{line}'"
        if any(_ANY_DIGIT.search(value.value) for value in ranges):
            zh = f"有字数范围，但没有字数目标：范围写在目标旁边，不能代替它；请另写一行「{line}」"
            en = (
                "there is a length range but no length target: the range stands beside the target "
                f"and does not replace it; add a line '{line}'"
            )
        # A line without a digit is a template left unfilled: point at it, if there is one.
        where = values[0] if values else _Value(0, "", "")
        problems.append(_problem("target", where, zh, en))
        return None, "missing"
    parsed: list[int] = []
    for value in given:
        found = _TARGET.fullmatch(value.value)
        if found and _number(found[1]) <= MAX_TARGET:
            parsed.append(_number(found[1]))
        else:
            zh = "字数目标要写成一个半角正整数（可带「约」「字」「左右」和括号说明），按可见字符计"
            en = (
                "the length target must be one whole number in ASCII digits, counted in visible "
                "characters (a note in brackets may follow)"
            )
            problems.append(_problem("target", value, zh, en))
    if len(parsed) < len(given):
        return None, "invalid"
    for value, number in zip(given, parsed, strict=True):
        if number != parsed[0]:
            zh = f"字数目标前后不一致：第 {given[0].line} 行写的是 {parsed[0]}"
            en = f"this length target differs from line {given[0].line}, which says {parsed[0]}"
            problems.append(_problem("target", value, zh, en))
    return (parsed[0], "ok") if len(set(parsed)) == 1 else (None, "conflict")


def _metric(values: list[_Value], problems: list[OutlineProblem], english: bool) -> MetricStatus:
    if not values:
        line = _shown("metric", english)
        zh, en = f"没有字数口径；请写「{line}」", f"no length metric; write '{line}'"
        problems.append(OutlineProblem("metric", 0, "", zh, en))
        return "missing"
    bad = [value for value in values if not _METRIC.fullmatch(value.value)]
    for value in bad:
        zh, en = f"字数口径只能是 {METRIC}", f"the length metric can only be {METRIC}"
        problems.append(_problem("metric", value, zh, en))
    return "invalid" if bad else "ok"


def _range(
    values: list[_Value], problems: list[OutlineProblem], english: bool
) -> tuple[CharRange | None, RangeStatus]:
    line = _shown("range", english)
    given = [value for value in values if _ANY_DIGIT.search(value.value)]
    before = len(problems)
    parsed: CharRange | None = None
    for value in given:
        found = _RANGE.fullmatch(value.value)
        if found is None:
            zh = f"字数范围要写成「{line}」这样的两个半角正整数"
            en = f"the length range must be two whole numbers, as in '{line}'"
            problems.append(_problem("range", value, zh, en))
            continue
        bounds = CharRange(_number(found[1]), _number(found[2]))
        if not is_range(bounds):
            zh = "字数范围的下限不能大于上限，两者都不能超过 2^53-1"
            en = "the range's lower bound must not exceed its upper bound, nor either 2^53-1"
            problems.append(_problem("range", value, zh, en))
        elif parsed is None:
            parsed = bounds
        elif bounds != parsed:
            zh = f"字数范围前后不一致：前面写的是 {parsed.min}-{parsed.max}"
            en = f"this length range differs from an earlier one, {parsed.min}-{parsed.max}"
            problems.append(_problem("range", value, zh, en))
    # A range that was given but cannot be read must not silently fall back to the default bands.
    if len(problems) > before:
        return None, "invalid"
    return parsed, "none" if parsed is None else "ok"
