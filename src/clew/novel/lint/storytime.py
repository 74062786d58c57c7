"""Story times that can be compared: dates, day counts, parts of a day.

Pure. Source: the design of the ledger (a break in story time that the author did not mark). A story
time is free text; two of them are compared only when both say something of the same kind (`scheme`),
and only as precisely as both do. What cannot be told is not guessed.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.novel.lint.stagewords import MEANT

_MEANT: Final = re.compile(MEANT)


class When(NamedTuple):
    """A story time: the first and last date it names, as precisely as it does."""

    scheme: str
    first: tuple[int, ...]
    last: tuple[int, ...]
    part: int | None
    """Rank of the part of the day, where it is clear."""

    @property
    def has_year(self) -> bool:
        """Whether it names a year."""
        return self.scheme == "date" or self.scheme.startswith("era ")

    @property
    def within_year(self) -> When | None:
        """The same without its year; None where nothing is left."""
        if not self.has_year or min(len(self.first), len(self.last)) < 2:
            return None
        return When(_CYCLES[0], self.first[1:], self.last[1:], self.part)


def is_meant(text: str) -> bool:
    """Whether a story time or title says itself that it is out of order."""
    return _MEANT.search(text) is not None


def before(one: When, other: When) -> bool:
    """Whether a story time is clearly before another of the same scheme."""
    size = min(len(one.last), len(other.first))
    a, b = one.last[:size], other.first[:size]
    if a == b:
        whole = size == len(one.last) == len(other.first)
        parts = (one.part, other.part)
        return whole and None not in parts and parts[0] + 2 <= parts[1]  # type: ignore[operator]
    if one.scheme in _CYCLES:
        # Without a year, a long way back may as well be forward into the next one.
        months = (b[0] - a[0]) % (12 * _MONTH)
        return a < b if months == 0 else months <= _CLEARLY * _MONTH
    return a < b


# ---- numbers -------------------------------------------------------------------------------------

_DIGITS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "元": 1}
_NUM: Final = "[0-9０-９零〇一二三四五六七八九十百廿卅两]{1,6}"


def number(text: str) -> int | None:
    """A number in digits or in Chinese characters."""
    plain = text.translate(_FULLWIDTH)
    if plain.isascii() and plain.isdigit():
        return int(plain)
    if all(char in _DIGITS for char in plain):
        return int("".join(str(_DIGITS[char]) for char in plain))
    total = unit = 0
    for char in plain.replace("廿", "二十").replace("卅", "三十"):
        if char in ("十", "百"):
            total += (unit or 1) * (10 if char == "十" else 100)
            unit = 0
        elif char in _DIGITS:
            unit = _DIGITS[char]
        else:
            return None
    return total + unit


_FULLWIDTH: Final = {ord("０") + n: ord("0") + n for n in range(10)}

# ---- dates ---------------------------------------------------------------------------------------

_MONTH: Final = 2
"""Months count double, so that a leap month stands between two."""
_CLEARLY: Final = 3
"""Months by which one date without a year is clearly before another."""
_CYCLES: Final = ("month and day",)
_ERAS: Final = (
    "民国|公元|洪武|建文|永乐|宣德|正统|景泰|天顺|成化|弘治|正德|嘉靖|隆庆|万历|天启|崇祯|顺治|"
    "康熙|雍正|乾隆|嘉庆|道光|咸丰|同治|光绪|宣统|贞观|开元|天宝|建安|太和|元和|大业|景德|庆历|"
    "熙宁|元丰|元祐|崇宁|政和|宣和|靖康|建炎|绍兴|淳熙|至元|至正|昭和|大正|明治|平成"
)
_NO_ERA: Final = (
    "已经|过了|过去|以后|之后|以前|之前|前后|大约|大概|将近|不到|整整|足足|一晃|转眼|等了|又过|又是|那是|这是|"
    "时隔|相隔|距今|至今|如今|今年|去年|明年|当年|后来|第[^年]|[满近约共再又]|[零〇一二三四五六七八九十百廿卅两年月日]"
)
_MADE_UP: Final = (
    # 景和十九年: two or three characters where a clause begins, then a year, and a date or nothing after it.
    rf"(?<![^\s，。；、：:（(])(?!.?(?:{_NO_ERA}))[\u3400-\u9fff]{{2,3}}?"
    rf"(?=(?:元|{_NUM})年(?:[的那正冬腊闰春夏秋冬初除元端中重岁0-9０-９一二三四五六七八九十]|[\s，。；、（(]|$))"
)
_YEAR: Final = (
    rf"(?:(?P<era>{_ERAS}|{_MADE_UP})(?P<era_year>元|{_NUM})年"
    r"|(?P<year>[12][0-9]{3}|[一二三四五六七八九][零〇一二三四五六七八九]{3})年)"
)
_TO_TWELVE: Final = "[0-9０-９]{1,2}|十[一二]?|[一二三四五六七八九]"
_NUMERALS: Final = "0-9０-９一二三四五六七八九十"
_MONTH_ZH: Final = rf"(?P<leap>闰)?(?<![{_NUMERALS}])(?P<month>正|冬|腊|{_TO_TWELVE})月"
_DAY_ZH: Final = (
    "(?P<day>初?[一二三四五六七八九十]{1,3}|廿[一二三四五六七八九]?|卅|[0-9０-９]{1,2})"
    rf"(?=[日号]|[^{_NUMERALS}百个]|$)"
)
_DATE_ZH: Final = re.compile(
    rf"(?:{_YEAR})?(?:{_MONTH_ZH}(?:{_DAY_ZH})?)|{_YEAR.replace('P<', 'P<only_')}"
)
_ISO: Final = re.compile(r"(?<![0-9])([12][0-9]{3})[-/.]([01]?[0-9])[-/.]([0-3]?[0-9])(?![0-9])")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_SHORT: Final = tuple(rf"{month[:3]}t?\.?" for month in _MONTHS if month != "May")
_NAME: Final = f"({'|'.join((*_MONTHS, *_SHORT))})"
_DMY: Final = re.compile(
    rf"\b([0-3]?[0-9])(?:st|nd|rd|th)?(?: of)? {_NAME}(?:,? ([12][0-9]{{3}}))?\b"
)
_MDY: Final = re.compile(
    rf"\b{_NAME} ([0-3]?[0-9])(?:st|nd|rd|th)?\b(?:,? ([12][0-9]{{3}}))?(?![0-9])"
)
_MY: Final = re.compile(rf"\b{_NAME},? ([12][0-9]{{3}})\b")
_Y: Final = re.compile(r"(?<![0-9.:])([12][0-9]{3})(?![0-9.:])")

# ---- day counts ----------------------------------------------------------------------------------

_NTH_ZH: Final = re.compile(rf"(?P<what>[^，。；、]{{0,16}}?)第(?P<n>{_NUM})[天日](?![之后前内])")
_AFTER_ZH: Final = re.compile(rf"(?P<what>[^，。；、]{{2,16}}?)(?P<n>{_NUM})[天日]后")
_ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
)  # fmt: skip
_CARDINALS: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NTH_EN: Final = re.compile(
    rf"(?P<what>[^,;.]{{0,30}}?)\b(?:day (?P<n>[0-9]{{1,5}}|{'|'.join(_CARDINALS)})\b"
    rf"|the (?P<nth>[0-9]{{1,4}}(?:st|nd|rd|th)|{'|'.join(_ORDINALS)}) day\b)",
    re.IGNORECASE,
)

# ---- parts of the day ----------------------------------------------------------------------------

_NO_PART: Final = re.compile(
    r"凌晨|半夜|子夜|午夜|子时|深夜|后半夜|[三四五]更|通宵|整夜|一夜|至|到|(?i:midnight|small hours|overnight)"
)
_PARTS: Final = (
    (1, re.compile("黎明|拂晓|破晓|清晨|早晨|早上|清早|一早|晨|(?i:dawn|morning|sunrise)")),
    (2, re.compile("上午")),
    (3, re.compile("中午|正午|晌午|(?i:noon|midday)")),
    (4, re.compile("下午|午后|(?i:afternoon)")),
    (5, re.compile("傍晚|黄昏|日落|(?i:evening|dusk|sunset)")),
    (6, re.compile("晚上|入夜|夜里|当晚|夜|晚|(?i:night)")),
)
_CLOCK: Final = re.compile(
    rf"[0-2]?[0-9][:：][0-5][0-9]|{_NUM}[点时](?:半|整|{_NUM}分)?|[子丑寅卯辰巳午未申酉戌亥]时|[一二三四五]更|"
    r"\b[0-1]?[0-9](?:[.:][0-5][0-9])? ?(?i:a\.?m|p\.?m|o'clock)|(?i:\bnoon\b|\bmidnight\b)|正午|午夜|子夜"
)


def part_of_day(text: str) -> int | None:
    """The rank of the part of the day that a text names; None where it names none or several."""
    if _NO_PART.search(text):
        return None
    ranks = [rank for rank, pattern in _PARTS if pattern.search(text)]
    dusk = ranks == [5, 6] and "晚" in text  # 傍晚 is one
    return ranks[0] if len(ranks) == 1 or dusk else None


def is_moment(text: str) -> bool:
    """Whether a story time is precise enough that nobody can be far apart within it."""
    return _CLOCK.search(text) is not None or (
        when(text) is not None and any(pattern.search(text) for _, pattern in _PARTS)
    )


def when(text: str) -> When | None:
    """What a story time says of the date; None when it says nothing that can be compared."""
    for read in (_iso, _english, _chinese, _counted):
        found = read(text)
        if found is not None:
            scheme, dates = found
            return When(scheme, min(dates), max(dates), part_of_day(text))
    return None


_Read = tuple[str, list[tuple[int, ...]]]


def _iso(text: str) -> _Read | None:
    dates = [_date(int(m[1]), int(m[2]), int(m[3])) for m in _ISO.finditer(text)]
    return ("date", dates) if dates else None


def _date(year: int | None, month: int | None = None, day: int | None = None) -> tuple[int, ...]:
    months = None if month is None else month * _MONTH
    parts = [] if year is None else [year]
    for part in (months, day):
        if part is None:
            break
        parts.append(part)
    return tuple(parts)


def _month_named(name: str) -> int:
    return [month[:3] for month in _MONTHS].index(name[:3]) + 1


def _english(text: str) -> _Read | None:
    dates: list[tuple[str, int, int]] = []
    bare: list[tuple[str, int, int]] = []
    for m in _DMY.finditer(text):
        (dates if m[3] else bare).append((m[3], _month_named(m[2]), int(m[1])))
    for m in _MDY.finditer(text) if not dates else ():
        (dates if m[3] else bare).append((m[3], _month_named(m[1]), int(m[2])))
    if dates:
        return "date", [_date(int(y), month, day) for y, month, day in dates]
    if found := _MY.search(text):
        return "date", [_date(int(found[2]), _month_named(found[1]))]
    if bare:
        return "month and day", [_date(None, month, day) for _, month, day in bare]
    years = [_date(int(m[1])) for m in _Y.finditer(text)] if "年" not in text else []
    return ("date", years) if years and not _ISO.search(text) else None


def _chinese(text: str) -> _Read | None:
    scheme = ""
    dates: list[tuple[int, ...]] = []
    year: int | None = None
    for m in _DATE_ZH.finditer(text):
        era = m["era"] or m["only_era"]
        digits = m["era_year"] or m["only_era_year"] or m["year"] or m["only_year"]
        if digits:
            year = number(digits)
            named = f"era {era}" if era and era != "公元" else "date"
            if scheme not in ("", named):
                return None
            scheme = named
        month = _month_zh(m["month"]) if m["month"] else None
        if month is not None and not 1 <= month <= 12:
            return None
        day = number(m["day"].removeprefix("初")) if m["day"] else None
        parts = _date(year, month, day)
        if m["leap"] and month is not None:
            at = 0 if year is None else 1
            parts = (*parts[:at], parts[at] + 1, *parts[at + 1 :])
        if parts:
            dates.append(parts)
    if not dates:
        return None
    return scheme or "month and day", dates


def _month_zh(text: str) -> int | None:
    return {"正": 1, "冬": 11, "腊": 12}.get(text) or number(text)


def _counted(text: str) -> _Read | None:
    found = _NTH_EN.search(text)
    if found is not None:
        return f"day of {_what(found['what'])}", [(_ordinal(found["n"] or found["nth"]),)]
    after = _AFTER_ZH.search(text)
    if after is not None:
        days = number(after["n"])
        return None if days is None else (f"days after {_what(after['what'])}", [(days,)])
    nth = _NTH_ZH.search(text)
    if nth is None:
        return None
    day, what = number(nth["n"]), _what(nth["what"])
    # 第二天 by itself is the day after whatever came before.
    return None if day is None or (day == 2 and not what) else (f"day of {what}", [(day,)])


def _what(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _ordinal(text: str) -> int:
    word = text.lower()
    for known in (_ORDINALS, _CARDINALS):
        if word in known:
            return known.index(word) + 1
    return int(re.sub(r"\D", "", word))
