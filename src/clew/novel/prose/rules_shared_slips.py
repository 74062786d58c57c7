"""Prose rules for every language: slips, and words of the writer's desk that a story may well hold.

Pure data, and the searches that look at neighbouring lines. All of it is advisory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import WRITTEN, Body, Line, LineKind
from clew.novel.wordcount import WHITESPACE

# --- a quotation left open ---

_CLOSER: Final = {"“": "”", "「": "」", "『": "』", '"': '"'}
# Behind a figure it is an inch.
_MARK: Final = re.compile('[“”「」『』]|(?<![0-9])"')


class _Left(NamedTuple):
    """A quotation that its paragraph leaves open: where, and with which mark."""

    number: int
    line: Line
    start: int
    mark: str

    def hit(self) -> Hit:
        return Hit(self.line, self.start, len(self.line.shown))


def _left_open(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Each paragraph that opens a quotation and leaves it open, unless the next one goes on with a
    mark of its own (a speech of several paragraphs), or a mark further down closes it."""
    waiting: _Left | None = None
    told = (line for line in body.lines if line.kind is LineKind.NARRATIVE)
    for number, line in enumerate(told):
        marks = list(_MARK.finditer(line.shown))
        if not marks:
            continue
        goes_on = waiting is not None and number == waiting.number + 1
        at_front = marks[0][0] in _CLOSER and not line.shown[: marks[0].start()].strip(WHITESPACE)
        closes = waiting is not None and marks[0][0] == _CLOSER[waiting.mark] and not at_front
        if waiting and not closes and not (goes_on and at_front):
            yield waiting.hit()
        opened = _unclosed(marks[1:] if closes else marks)
        waiting = _Left(number, line, opened.start(), opened[0]) if opened else None
    if waiting:
        yield waiting.hit()


def _unclosed(marks: list[re.Match[str]]) -> re.Match[str] | None:
    """The first mark of a line that nothing on it closes."""
    open_marks: list[re.Match[str]] = []
    for found in marks:
        if open_marks and found[0] == _CLOSER[open_marks[-1][0]]:
            open_marks.pop()
        elif found[0] in _CLOSER:
            open_marks.append(found)
    return open_marks[0] if open_marks else None


# --- what belongs to the desk ---

_ID: Final = r"(?<![A-Za-z0-9-])[FE]0[0-9]{2,3}(?![A-Za-z0-9-])"
_TRACKED: Final = re.compile(
    rf"{_ID}(?=[^。！？.!?\n]{{0,16}}(?:伏笔|推进(?![器舱力剂])|回收(?![站舱])|埋下|埋设|揭示|兑现|铺垫|呼应|暗线"
    r"|\b(?:is|was|are|were|gets?) (?:advanced|planted|paid off|resolved|foreshadowed|hinted)|\bgets? revealed))"
    rf"|(?:伏笔|埋下|回收|推进|揭示|兑现|铺垫|呼应|\bforeshadow(?:ing)?|\bplot thread) ?[:：（(]? ?{_ID}"
)
_SERIAL: Final = re.compile(
    r"^[ \t\u3000*_—\-]*[（(【\[]?[ ]?(?:未完待续|待续|(?i:to be continued(?: in (?:the |my )?next (?:message"
    r"|part|response|reply|chapter|episode|post))?))[ ]?[.…。！!]*[）)】\]]?[ \t*_—\-]*$"
    # 求月票; PS：今天加更; 本章未完，请点击下一页
    r"|^[ \t\u3000*（(【\[]*(?:跪?求|感谢|谢谢)[^。！？\n]{0,12}?(?:月票|推荐票|收藏|订阅|打赏|追读|追更|盟主)"
    r"|^[ \t\u3000*（(【\[]*(?:(?i:p\.?s\.?)|作者(?:的话|有话说)|题外话)[ ]?[：:，,][^\n]{0,40}?(?:更|书友|读者"
    "|月票|推荐票|收藏|打赏|订阅|追读|评论|存稿|请假)"
    r"|求(?:收藏|推荐票?|月票|订阅|追读)(?=[！!。，,求 ]|$)"
    r"|^[ \t\u3000*（(【\[]*(?:本章)?未完[，,]?请?(?:点击|翻)下一页"
)


def _serial_tails(body: Body, config: ProseConfig) -> Iterator[Hit]:
    for line in body.lines:
        if line.kind in WRITTEN:
            for found in _SERIAL.finditer(line.narrative):
                yield Hit(line, *found.span())


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="open-quote",
        name=Message("引号没有合上", "a quotation left open"),
        severity="advisory",
        review="mechanical",
        message=Message(
            "这一段的引号开了没有合上，下一段也没有接着用引号",
            "a quotation opens here and nothing closes it; the next paragraph does not go on with it",
        ),
        advice=Message(
            "在这句话说完的地方补上后引号。",
            "Close the mark where the speech ends.",
        ),
        bad="“你来了。\n他说。",
        good="“那年发大水，\n“我在船上。”他说。\n“床前明月光，\n疑是地上霜。”",
        search=_left_open,
    ),
    Rule(
        id="serial-tail",
        name=Message("连载尾巴", "a serial's tail"),
        severity="advisory",
        review="mechanical",
        message=Message(
            "连载的习惯（未完待续、求票、作者的话），平台和成书里用不着",
            "a serial's habit (to be continued, a plea for votes), which no book needs",
        ),
        advice=Message(
            "成书或导出前删掉；连载要留就留着。",
            "Delete it before the book is made; a serial may keep it.",
        ),
        bad="他把门关上。\n\n（未完待续）",
        good="每一期的末尾都印着“未完待续”。这段情缘待续与否，他不敢想。求大家投他一票。",
        search=_serial_tails,
    ),
    Rule(
        id="tracking-id",
        name=Message("账本编号", "an id of the ledger"),
        severity="advisory",
        review="mechanical",
        message=Message(
            "像是追踪里的编号（F001、E012）写进了正文",
            "it looks like an id of the ledger (F001, E012) in the chapter's text",
        ),
        advice=Message(
            "换成那件事本身；故事里的代号就留着。",
            "Say what happens instead; keep it where it is a code of the story.",
        ),
        bad="F001：死者是谁，在这里推进。",
        good="F001 号机甲的推进器熄了火。E012 次列车晚点，他在站台上等了一夜。",
        pattern=_TRACKED,
    ),
)
