"""Chinese: chapters that end on a trailer's voice instead of on their story.

Pure. Looked for near the end only: in the last visible characters of narrative for wording that is
a trailer anywhere, and in the last few sentences for wording that is one only as a last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import MASK, Body, visible

_WINDOW: Final = {"chars": 600, "sentences": 4}

_STOP: Final = rf"。！？!?\n{MASK}"
_IN: Final = rf"[^{_STOP}]"
# Of a sentence, or of a paragraph of speech: after ten lines of talk nothing is a last word any more.
_SENTENCE_START: Final = re.compile(r"(?:^|(?<=[。！？!?…]))(?=[^\s。！？!?…])", re.M)

_THREAT: Final = (
    "危机|危险|杀机|杀局|死局|阴谋|暗流|噩梦|浩劫|灾难|劫难|较量|博弈|对决|决战|大战|战争|战斗"
    "|交锋|反击|复仇|清算|审判|好戏|大戏|游戏|狩猎|猎杀|麻烦|考验|挑战|征途|旅程|传奇|命运|故事|一切|变局"
    "|棋局|巨网|大网"
)
# 暴风雨 and 浪潮 may be the weather and the sea, unless they are said to be greater than that.
_GREATER: Final = (
    "(?:更大的?|真正的?|新的?|另一场|看不见的|无声的|无形的)"
    "(?:风暴|暴风雨|风雨|腥风血雨|危机|阴谋|浪潮|洪流|暗流|较量|考验|挑战|对决|灾难|麻烦|噩梦|好戏|黑暗)"
)
_COMING: Final = (
    r"(?:正在|正|已经?|即将|就要|将要|也?将|终将)?(?:悄然|悄悄|缓缓|慢慢|一步步)?"
    "(?:酝酿|来临|到来|降临|逼近|袭来|上演|拉开|展开|席卷|张开|浮出水面|转动|开启|揭开)"
)
_SOON: Final = "(?=(?:正在|正|已经?|即将|就要|将要|也?将|终将|悄然|悄悄|缓缓|一步步))"
# 将 alone may be 把.
_WILL: Final = "(?:即将|终将|必将|[也都]将|将(?:会|要|成|是|在|被|再|永远))"
_OVER: Final = rf"(?:了|而已|呢)?(?=[{_STOP}…]|\Z)"

_TEASERS: Final = re.compile(
    # 一场更大的风暴，正在酝酿
    rf"{_GREATER}[^{_STOP}，,]{{0,8}}?[，,]?{_SOON}(?:正?在[^{_STOP}，,]{{1,10}})?{_COMING}"
    # 拉开了序幕; the sports meeting that is 正式 opened does so in earnest
    rf"|(?<!正式)(?:拉开|揭开)了?[^{_STOP}，,]{{0,8}}(?:序幕|帷幕|大幕|序章)"
    r"|(?:序幕|帷幕|大幕)[，,]?(?:就此|从此|终于|缓缓|徐徐|悄然)(?:缓缓|徐徐|悄然)?(?:拉开|揭开|升起)"
)
_NOT_THE_STORY: Final = re.compile(
    "运动会|比赛|大赛|联赛|大会|晚会|庙会|演出|仪式|典礼|展览|音乐会|舞台|台上|戏台|锣鼓|集市|灯会"
)
_LAST_TEASERS: Final = re.compile(
    rf"殊不知[，,]?{_IN}{{1,40}}"
    # 真正的较量，才刚刚开始
    rf"|(?:(?:{_THREAT}|{_GREATER}){_IN}{{0,10}}?|这(?:一切|还|也|都)?[，,]?)(?:才|这才|不过|只是?|仅仅)(?:刚刚?|是)?(?:个|一个)?(?:刚刚?)?"
    rf"(?:开始|开了?个?头|起步|开场|开端|序幕|前奏|热身){_OVER}"
    # 危机正在逼近
    rf"|(?:{_THREAT})[^{_STOP}，,]{{0,6}}?[，,]?{_SOON}{_COMING}{_OVER}"
    # 黑暗正朝着这座小城压过来
    rf"|(?:{_THREAT}|{_GREATER})[^{_STOP}，,]{{0,6}}?正?(?:朝|向|冲)着?[^{_STOP}，,]{{1,12}}(?:压|涌|袭|逼|扑|笼罩|席卷)(?:过?来|近|去){_OVER}"
    # 没有人知道，这一去 …; 谁也没想到，…
    r"|(?:没有?人|谁[也都]|任何人都?|所有人都)(?:不会?|没有?|未曾?|不曾)?"
    rf"(?:知道|想到|料到|预料到|意识到|察觉|注意到)(?:的是)?[，,：:]{_IN}{{0,40}}?"
    rf"(?:{_WILL}|就要|从此|改变|最后一|明天会|接下来会|等待|正[^。！？!?\n\x00]{{0,12}}?(?:盯|逼|朝|靠近|酝酿|等着))"
    # 他不知道的是，…
    r"|(?:他们?|她们?|[^\W\da-zA-Z_]{2,3})(?:并|还|却|此刻){0,2}(?:不知道|没有?(?:意识到|注意到|察觉到?))"
    rf"(?:的是[，,：:]|[，,：:]{_IN}{{0,40}}?(?:{_WILL}|从此|改变|最后一))"
    # 等待他的，将会是 …
    rf"|等(?:待着?|着)(?:他|她|我|你)们?的[，,]?(?:又|究竟|到底)?(?:将会?是|会是|即将)"
)
_SEALS: Final = re.compile(
    # 命运的齿轮
    "命运的(?:齿轮|车轮|轮盘|指针|天平|丝线)"
)
_LAST_SEALS: Final = re.compile(
    # 这一夜，注定无眠
    rf"(?:这|那|今)一?(?:夜|晚|天|日|战|刻|年|场|役|局|趟|路)[^{_STOP}，,]{{0,8}}[，,]?注定[^{_STOP}，,]{{1,16}}(?<!似的)(?=[{_STOP}]|\Z)"
    # 新的生活，就这样开始了
    rf"|(?:全?新的|另一段|崭新的)(?:人生|生活|征程|旅程|篇章|一页|时代|世界)[，,]?[^{_STOP}，,]{{0,8}}?"
    rf"(?:开始|开启|翻开|拉开|展开|启程){_OVER}"
    # 就这样，一切都结束了
    rf"|就这样[，,]?{_IN}{{0,12}}一切{_IN}{{0,8}}(?:结束|落幕|过去|平息|归于平静|尘埃落定)"
    rf"|(?:这?一切)[，,]?(?:终于|总算|都|就|似乎|到此|就此|就这样|终究){{0,2}}(?:结束|落幕|尘埃落定)了"
    # 三十年的恩怨，画上了句号
    rf"|(?:恩怨|恩仇|故事|关系|婚姻|生涯|时代|战争|岁月|旅程|人生|爱情|官司|往事)[^{_STOP}]{{0,12}}?[，,]?"
    rf"(?:终于|就此|总算|彻底)?画上了?(?:一个)?(?:圆满的?)?句号(?=[{_STOP}]|\Z)"
    # 这一切，都意味着 …
    rf"|这一切[，,]?(?:都|也|只|无不|似乎)?(?:意味着|预示着|昭示着|宣告着)(?!什么|啥|怎|多少)"
    r"|(?:从这一刻起|从今往后|从此以后|从那一刻起)[，,]"
    rf"(?:一切|他的人生|她的人生|命运|世界|故事|历史){_IN}{{0,16}}?(?:变|改|不同|不一样|重来|重写)"
)


def _windows(body: Body, rule: str, config: ProseConfig) -> tuple[int, int]:
    """Where the last characters of narrative begin in the flow, and where the last sentences do."""
    text = body.flow.text
    chars = int(config.limit(rule, "chars", _WINDOW["chars"]))
    sentences = int(config.limit(rule, "sentences", _WINDOW["sentences"]))
    at, seen = len(text), 0
    while at > 0 and seen < chars:
        # Speech and blanks do not count, so the window grows until it holds enough that does.
        step = max(0, at - max(chars - seen, 64))
        seen += visible(text[step:at])
        at = step
    starts = [found.start() for found in _SENTENCE_START.finditer(text, at)]
    return at, starts[-sentences] if len(starts) >= sentences else at


def _near_the_end(
    body: Body, config: ProseConfig, rule: str, far: re.Pattern[str], near: re.Pattern[str]
) -> Iterator[Hit]:
    text = body.flow.text
    begin, last = _windows(body, rule, config)
    spans = [found.span() for found in far.finditer(text, begin)]
    spans += [found.span() for found in near.finditer(text, last)]
    end = 0
    for start, stop in sorted(spans):
        if start >= end:  # where both speak of the same words, once is enough
            yield Hit.in_flow(body.flow, start, stop)
            end = stop


def _trailers(body: Body, config: ProseConfig) -> Iterator[Hit]:
    for hit in _near_the_end(body, config, "trailer-ending", _TEASERS, _LAST_TEASERS):
        before = hit.line.prose[max(0, hit.start - 24) : hit.end]
        if not _NOT_THE_STORY.search(before):
            yield hit


def _summaries(body: Body, config: ProseConfig) -> Iterator[Hit]:
    yield from _near_the_end(body, config, "trailer-summary", _SEALS, _LAST_SEALS)


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="trailer-ending",
        name=Message("预告式结尾", "trailer's ending"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "章末用预告片的口气吊胃口",
            "the chapter ends like a trailer for the next one",
        ),
        advice=Message(
            "删掉这句，停在人物的动作、一句话或一件东西上；要留悬念，就让新的事实露出一角。",
            "Delete it and stop at an act, a line or a thing; for suspense show a corner of a fact.",
        ),
        why=Message(
            "叙述者跳出来预告，等于告诉读者下面会精彩；读者要的是那件事本身。",
            "A narrator who promises excitement takes the place of the thing itself.",
        ),
        bad="他吹灭了灯，躺下来。\n\n他不知道，真正的较量，才刚刚开始。",
        good="第九届运动会正式拉开序幕。\n\n没人知道他去了哪里。他把灯吹灭，在门口坐到天亮。",
        search=_trailers,
        limits=_WINDOW,
    ),
    Rule(
        id="trailer-summary",
        name=Message("封口式结尾", "sealing sentence"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "章末用总结句封口",
            "the chapter ends with a sentence that sums it up and seals it",
        ),
        advice=Message(
            "删掉总结，让最后一个具体的动作或画面自己收住。",
            "Delete the summing-up and let the last act or picture close the chapter.",
        ),
        bad="他把刀收好，走回院子。\n\n这一夜，注定无人入眠。",
        good="比赛就这样结束了，三比二。\n\n他注定要当木匠，他爹是木匠。这一夜他睡得很沉。",
        search=_summaries,
        limits=_WINDOW,
    ),
)
