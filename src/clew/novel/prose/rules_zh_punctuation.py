"""Chinese: dashes and ellipses.

Pure. —— and …… are standard marks (GB/T 15834), so they are only counted: one finding for a chapter,
saying how many stand in its narrative (`punctuation-dash.hits` raises where that begins). A book that
asks for `strict` punctuation has every one of them blocked. Other shapes of the two (--, a single …,
。。。) and a mark typed twice (。。) are slips, told once with how many there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clew.novel.prose.density import Density
from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import Body, LineKind

_DASHES: Final = re.compile("[—―]+|--+")
_ELLIPSES: Final = re.compile(r"…+|\.{3,}|。{2,}")
# A dash touches what it joins; the two around 完 at the end of a book do not.
_STANDARD_DASHES: Final = re.compile(r"(?<=\S)(?<![—―])[—―]{2,}|(?<![—―])[—―]{2,}(?=[^\s—―])")
_STANDARD_ELLIPSES: Final = re.compile("…{2,}")


@dataclass(frozen=True, slots=True)
class _Marks:
    """The habit, or in a strict book every single mark, in speech too."""

    habit: Density
    every: re.Pattern[str]

    @property
    def limits(self) -> dict[str, float]:
        """The habit's thresholds."""
        return dict(self.habit.limits)

    def __call__(self, body: Body, config: ProseConfig) -> Iterator[Hit]:
        if not config.strict:
            yield from self.habit(body, config)
            return
        for line in body.lines:
            if line.kind is LineKind.NARRATIVE:
                for found in self.every.finditer(line.shown):
                    yield Hit(line, found.start(), found.end(), {"times": 1})


@dataclass(frozen=True, slots=True)
class _Slips:
    """The first mark of the wrong shape in a chapter, and how many there are."""

    pattern: re.Pattern[str]

    def __call__(self, body: Body, config: ProseConfig) -> Iterator[Hit]:
        if config.strict:
            return  # there each mark is blocked as it is
        first: Hit | None = None
        times = 0
        for line in body.lines:
            if line.kind is not LineKind.NARRATIVE:
                continue
            for found in self.pattern.finditer(line.shown):
                first = first or Hit(line, found.start(), found.end())
                times += 1
        if first:
            yield first._replace(values={"times": times})


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="punctuation-dash",
        name=Message("破折号", "dashes"),
        severity="advisory",
        strict_severity="blocking",
        review="mechanical",
        family="punctuation",
        message=Message(
            "叙述里的破折号：{times} 处",
            "dashes in the narrative: {times}",
        ),
        advice=Message(
            "多数可以换成逗号、句号或冒号；严格标点的书一处也不留。",
            "Most can be a comma, a full stop or a colon; a strict book keeps none.",
        ),
        bad="门开了——没有人。灯——那盏旧灯——还亮着。桌上有一封信——是写给他的。",
        good="门开了，没有人。“你——”他说。",
        search=_Marks(Density("punctuation-dash", _STANDARD_DASHES, 1, 0), _DASHES),
    ),
    Rule(
        id="punctuation-ellipsis",
        name=Message("省略号", "ellipses"),
        severity="advisory",
        strict_severity="blocking",
        review="mechanical",
        family="punctuation",
        message=Message(
            "叙述里的省略号：{times} 处",
            "ellipses in the narrative: {times}",
        ),
        advice=Message(
            "叙述里多数可以换成句号；犹豫留给对白。严格标点的书一处也不留。",
            "Most can be a full stop; leave hesitation to speech. A strict book keeps none.",
        ),
        bad="门开了……没有人。他等着……等着……又睡着了。",
        good="门开了。没有人。“我……我不知道。”他说。",
        search=_Marks(Density("punctuation-ellipsis", _STANDARD_ELLIPSES, 1, 0), _ELLIPSES),
    ),
    Rule(
        id="punctuation-dash-shape",
        name=Message("破折号写法", "shape of dashes"),
        severity="advisory",
        review="mechanical",
        family="punctuation",
        message=Message(
            "破折号写法不规范：{times} 处",
            "dashes of the wrong shape: {times}",
        ),
        advice=Message(
            "写成占两格的 ——；连接数字用一字线或「到」。",
            "Write —— (two em dashes); between numbers — or 到.",
        ),
        bad="门开了--没有人。",
        good="门开了——没有人。京沪线上海—南京段。",
        search=_Slips(
            re.compile(
                # One — joins places, years and names; after these characters it can join nothing.
                r"(?<=[^\x00-\x7f])--+(?=[^\x00-\x7f])"
                "|(?<=[了着过的呢吗吧啊，。！？”」])—(?!—)"
            )
        ),
    ),
    Rule(
        id="punctuation-ellipsis-shape",
        name=Message("省略号写法", "shape of ellipses"),
        severity="advisory",
        review="mechanical",
        family="punctuation",
        message=Message(
            "省略号写法不规范：{times} 处",
            "ellipses of the wrong shape: {times}",
        ),
        advice=Message(
            "写成六个点的 ……。",
            "Write …… (six points).",
        ),
        bad="门开了。。。没有人。",
        good="门开了……没有人。版本 2...5，路径 ../a。",
        search=_Slips(
            re.compile(r"。{3,}|(?<=[^\x00-\x7f])(?:(?<!…)…(?!…)|\.{3,})(?![A-Za-z0-9/])")
        ),
    ),
    Rule(
        id="punctuation-doubled",
        name=Message("标点打了两个", "a mark twice"),
        severity="advisory",
        review="mechanical",
        family="punctuation",
        message=Message(
            "句号或逗号连打了两个：{times} 处",
            "a full stop or comma stands twice in a row: {times}",
        ),
        advice=Message(
            "删掉一个；要写省略号，就写 ……。",
            "Delete one; for an ellipsis write ……",
        ),
        bad="门开了。。没有人。",
        good="门开了。没有人……他等着。。。",
        search=_Slips(re.compile("(?<!。)。。(?!。)|(?<!，)，，(?!，)")),
    ),
)
