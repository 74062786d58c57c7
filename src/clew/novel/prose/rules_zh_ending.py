"""Chinese: chapters that end on a trailer's voice instead of on their story.

Pure. Looked for near the end only: in the last visible characters of narrative for wording that is
a trailer anywhere, and in the last few sentences for wording that is one only as a last word. What
blocks is the last word of the storyteller; where he goes on to tell something (一切都结束了。他们把
棺材抬上山), and wording that a story may well mean, is advised upon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import MASK, Body, visible

_WINDOW: Final = {"chars": 600, "sentences": 4}
_SOFT: Final = {"sentences": 2}

_STOP: Final = rf"。！？!?\n{MASK}"
_IN: Final = rf"[^{_STOP}]"
# Of a sentence, or of a paragraph of speech: after ten lines of talk nothing is a last word any more.
_SENTENCE_START: Final = re.compile(r"(?:^|(?<=[。！？!?…]))(?=[^\s。！？!?…])", re.M)

_THREAT: Final = (
    "危机|危险|杀机|杀局|死局|阴谋|暗流|噩梦|浩劫|灾难|劫难|较量|博弈|对决|决战|大战|战争|战斗"
    "|交锋|反击|复仇|清算|审判|好戏|大戏|游戏|狩猎|猎杀|麻烦|考验|挑战|征途|旅程|传奇|命运|故事|一切|变局"
    "|棋局|巨网|大网"
)
_MORE: Final = "(?:更大的?|真正的?|新的?|另一场|看不见的|无声的|无形的)"
_GREATER: Final = (
    f"(?:{_MORE}(?:腥风血雨|危机|阴谋|暗流|较量|考验|挑战|对决|灾难|麻烦|噩梦|好戏)"
    "|(?:看不见的|无声的|无形的)(?:风暴|风雨|浪潮|洪流|黑暗))"
)
# A greater storm may be the weather, and a greater wave the sea.
_STORM: Final = f"{_MORE}(?:风暴|暴风雨|风雨|浪潮|洪流|黑暗)"
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
    "|交流会|展销|博览|研讨|学期|军训|选举|大选|招标|春耕|秋收|工程|会议|开幕|电影|影片|剧场|戏院"
)
_NOBODY: Final = "(?:没有?人|谁[也都]|任何人都?|所有人都)"
_KNEW: Final = "(?:不会?|没有?|未曾?|不曾)?(?:知道|想到|料到|预料到|意识到|察觉|注意到)"
_HE: Final = r"(?:他们?|她们?|[^\W\da-zA-Z_]{2,3})"
_KNEW_NOT: Final = "(?:不知道|没有?(?:意识到|注意到|察觉到?))"
_LAST_TEASERS: Final = re.compile(
    # 真正的较量，才刚刚开始
    rf"(?:(?:{_THREAT}|{_GREATER}){_IN}{{0,10}}?|这(?:一切|还|也|都)?[，,]?)(?:才|这才|不过|只是?|仅仅)(?:刚刚?|是)?(?:个|一个)?(?:刚刚?)?"
    rf"(?:开始|开了?个?头|起步|开场|开端|序幕|前奏|热身){_OVER}"
    # 危机正在逼近
    rf"|(?:{_THREAT})[^{_STOP}，,]{{0,6}}?[，,]?{_SOON}{_COMING}{_OVER}"
    # 黑暗正朝着这座小城压过来
    rf"|(?:{_THREAT}|{_GREATER})[^{_STOP}，,]{{0,6}}?正?(?:朝|向|冲)着?[^{_STOP}，,]{{1,12}}(?:压|涌|袭|逼|扑|笼罩|席卷)(?:过?来|近|去){_OVER}"
    # 没有人知道，这一去 …; 谁也没想到，…
    rf"|{_NOBODY}{_KNEW}(?:的是)?[，,：:]{_IN}{{0,40}}?"
    rf"(?:{_WILL}|就要|明天会|接下来会|等待|正[^。！？!?\n\x00]{{0,12}}?(?:盯|逼|朝|靠近|酝酿|等着))"
    # 他不知道的是，…
    rf"|{_HE}(?:并|还|却|此刻){{0,2}}{_KNEW_NOT}(?:的是[，,：:]|[，,：:]{_IN}{{0,40}}?{_WILL})"
    # 等待他的，将会是 …
    rf"|等待着?(?:他|她|我|你)们?的[，,]?(?:又|究竟|到底)?(?:将会?是|即将是?){_IN}{{0,12}}?(?:什么|怎样|怎么样|未知|从未|更[大深可]|一场|另一)"
)
_SEALS: Final = re.compile(
    # 命运的齿轮
    "命运的(?:齿轮|车轮|轮盘|指针|天平|丝线)"
)
_LAST_SEALS: Final = re.compile(
    # 这一夜，注定无眠
    rf"(?:这|那|今)一?(?:夜|晚|天|日|战|刻|年|场|役|局|趟|路|别|去)[^{_STOP}，,]{{0,8}}[，,]?注定[^{_STOP}，,：:]{{1,16}}(?<!似的)(?=[{_STOP}]|\Z)"
    # 新的生活，就这样开始了
    rf"|(?:全?新的|另一段|崭新的)(?:人生|生活|征程|旅程|篇章|一页|时代|世界)[，,]?[^{_STOP}，,]{{0,8}}?"
    rf"(?:开始|开启|翻开|拉开|展开|启程){_OVER}"
    # 就这样，一切都结束了
    rf"|就这样[，,]?{_IN}{{0,12}}一切{_IN}{{0,8}}(?:结束|落幕|过去|平息|归于平静|尘埃落定){_OVER}"
    rf"|(?:这?一切)[，,]?(?:终于|总算|都|就|似乎|到此|就此|就这样|终究){{0,2}}(?:结束|落幕|尘埃落定){_OVER}"
    # 三十年的恩怨，画上了句号
    rf"|(?:恩怨|恩仇|故事|关系|婚姻|生涯|时代|战争|岁月|旅程|人生|爱情|官司|往事)[^{_STOP}]{{0,12}}?[，,]?"
    rf"(?:终于|就此|总算|彻底)?画上了?(?:一个)?(?:圆满的?)?句号(?=[{_STOP}]|\Z)"
    # 这一切，都意味着 …
    rf"|这一切[，,]?(?:都|也|只|无不|似乎)?(?:意味着|预示着|昭示着|宣告着){_IN}{{0,12}}?(?:时代|终结|结束|开始|命运|新生|灭亡|死亡|毁灭|胜利|失败|未来|终点|起点|末日)"
    r"|(?:从这一刻起|从今往后|从此以后|从那一刻起)[，,]"
    rf"(?:一切|[他她我]的(?:人生|命运|一生|世界)|命运|世界|故事|历史){_IN}{{0,16}}?(?:变|改|不同|不一样|重来|重写)"
)


# Wording that may be the plain end of a scene: never more than advice.
_WEATHER: Final = "风暴|暴风雨|风雨|雷雨|台风|大雪|雪"
_WHOSE: Final = "(?:所有人|每个人|他们?|她们?|整个|无数人|这座|一代人|天下|许多人)"
_LAST_MANNERS: Final = re.compile(
    rf"殊不知[，,]?{_IN}{{1,40}}"
    # 他没有注意到，那是他最后一次看见父亲: a flash-forward, which a novel may well end on
    rf"|(?:{_NOBODY}{_KNEW}|{_HE}(?:并|还|却|此刻){{0,2}}{_KNEW_NOT})(?:的是)?[，,：:]{_IN}{{0,40}}?(?:从此|改变|最后一)"
    rf"|等待着?(?:他|她|我|你)们?的[，,]?(?:又|究竟|到底)?(?:将会?是|即将是?|会是)"
    # 一场更大的风暴，正在酝酿
    rf"|{_STORM}[^{_STOP}，,]{{0,8}}?[，,]?{_SOON}(?:正?在[^{_STOP}，,]{{1,10}})?{_COMING}{_OVER}"
    rf"|{_STORM}[^{_STOP}，,]{{0,6}}?正?(?:朝|向|冲)着?[^{_STOP}，,]{{1,12}}(?:压|涌|袭|逼|扑|笼罩|席卷)(?:过?来|近|去){_OVER}"
    # 风暴，就要来了: with a comma, or said of what is no weather
    rf"|(?<!\w)(?:(?:{_WEATHER})[，,]|(?:变天|黎明|黑夜|乱世|大战|战争|浩劫|清算|审判)[，,]?)(?:真?的?终于|已经?|真的|就)?[就快]?要?(?:来了|到了|降临了){_OVER}"
    # 属于他的时代，来了
    rf"|属于{_IN}{{1,10}}的(?:时代|世界|传奇|舞台|战场|黎明|夜晚?|江湖)[，,]?{_IN}{{0,4}}(?:来了|到了|来临了?|到来了?|开始了?|降临了?){_OVER}"
    # 真正的噩梦，还没有到来
    rf"|(?:真正的|更大的|更可怕的|最坏的|最可怕的){_IN}{{0,6}}[，,]?(?:还没有?|尚未|还未|还在|仍在|都在)(?:到来|来临?|开始|降临|后[面头]|前[面头]|路上){_OVER}"
    # 那一夜，改变了所有人的命运
    rf"|[这那]一?(?:夜|晚|天|刻|年|战|刀|枪|剑|面|眼)[，,]?(?:彻底|从此|永远)?改变了?{_WHOSE}?{_IN}{{0,6}}(?:命运|一生|人生|一切|历史|轨迹|结局){_OVER}"
    # 他知道，从今天起，一切都不一样了
    rf"|从(?:今天|今夜|今晚|今往后|此|此以后|这一?[刻天夜]|那一?[刻天夜]|现在)(?:起|开始)?[，,]{_IN}{{0,8}}(?:不一样了|不同了|变了|回不去了|回不到从前|再也不是){_OVER}"
    # 夜，还很长
    rf"|(?<!\w)(?:夜|路|长夜|前路|故事|游戏|日子|这条路|这一夜)[，,]?还(?:很|长着?|远)(?:长|远)?(?:呢|着呢)?{_OVER}"
    # 有些东西，一旦失去，就再也回不来了
    rf"|有些(?:人|事|路|话|东西|门|债|伤口?|秘密|选择)[，,]一旦{_IN}{{1,8}}[，,]?(?:就|便)?(?:再也|永远|注定){_IN}{{1,10}}{_OVER}"
    # 这一次，他不会再退
    rf"|[这那]一?[次回][，,](?:他们?|她们?|我们?|谁)(?:绝|再)?也?(?:不会?再?|绝不再?){_IN}{{1,10}}{_OVER}"
    # 黑暗中，一道身影缓缓睁开了眼睛
    rf"|(?:黑暗|暗处|阴影|暗影|角落|深处|黑影|夜色|深渊)(?:之?[中里]|深处)?[，,]{_IN}{{0,4}}(?:一[道双个只]|有什么|什么东西){_IN}{{0,14}}(?:睁开|盯着|注视|窥视|笑了|动了){_IN}{{0,6}}"
)

# 一切都结束了。他们把棺材抬上山: where something is told after it, it is the plain truth.
_PLAIN_END: Final = re.compile("就这样|这?一切")
_THE_END: Final = re.compile(
    r"[\W_]*(?:(?:第.{1,4}[卷部]|全[书文]|本[书章卷])?[ \u3000]*[完终]|未完待续|待续)?[\W_]*"
)
_SENTENCE_STOP: Final = re.compile(rf"[。！？!?…\n{MASK}]")


def _windows(body: Body, rule: str, config: ProseConfig) -> tuple[int, int]:
    """Where the last characters of narrative begin in the flow, and where the last sentences do."""
    text = body.flow.text
    chars = int(config.limit(rule, "chars", _WINDOW["chars"]))
    default = (_SOFT if rule == "ending-manner" else _WINDOW)["sentences"]
    sentences = int(config.limit(rule, "sentences", default))
    at, seen = len(text), 0
    while at > 0 and seen < chars:
        # Speech and blanks do not count, so the window grows until it holds enough that does.
        step = max(0, at - max(chars - seen, 64))
        seen += visible(text[step:at])
        at = step
    starts = [found.start() for found in _SENTENCE_START.finditer(text, at)]
    return at, starts[-sentences] if len(starts) >= sentences else at


def _is_last_word(text: str, end: int) -> bool:
    """Whether the storyteller says nothing after the sentence that a match ends in."""
    stop = _SENTENCE_STOP.search(text, end)
    return not stop or _THE_END.fullmatch(text, stop.end()) is not None


def _spans(
    body: Body, config: ProseConfig, rule: str, far: re.Pattern[str], near: re.Pattern[str]
) -> list[tuple[int, int, bool]]:
    """Matches near the end that do not overlap, and whether each is a last word (or a trailer
    anywhere)."""
    text = body.flow.text
    begin, last = _windows(body, rule, config)
    found = [(*match.span(), True) for match in far.finditer(text, begin)]
    found += [
        (*match.span(), _is_last_word(text, match.end())) for match in near.finditer(text, last)
    ]
    out: list[tuple[int, int, bool]] = []
    for start, stop, sure in sorted(found):
        if not out or start >= out[-1][1]:  # where both speak of the same words, once is enough
            out.append((start, stop, sure))
    return out


def _is_a_show(text: str, start: int, end: int) -> bool:
    """Whether what begins is a match, a play or a market, and no story."""
    return _NOT_THE_STORY.search(text, max(0, start - 24), end) is not None


def _trailers(body: Body, config: ProseConfig) -> Iterator[Hit]:
    text = body.flow.text
    for start, end, sure in _spans(body, config, "trailer-ending", _TEASERS, _LAST_TEASERS):
        if sure and not _is_a_show(text, start, end):
            yield Hit.in_flow(body.flow, start, end)


def _summaries(body: Body, config: ProseConfig) -> Iterator[Hit]:
    for start, end, sure in _spans(body, config, "trailer-summary", _SEALS, _LAST_SEALS):
        if sure:
            yield Hit.in_flow(body.flow, start, end)


def _manners(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Endings that may be meant: no last word, or wording that a story may need."""
    text = body.flow.text
    _, last = _windows(body, "ending-manner", config)
    soft = [match.span() for match in _LAST_MANNERS.finditer(text, last)]
    sure: list[tuple[int, int]] = []
    for rule, far, near in (
        ("trailer-ending", _TEASERS, _LAST_TEASERS),
        ("trailer-summary", _SEALS, _LAST_SEALS),
    ):
        for start, end, is_sure in _spans(body, config, rule, far, near):
            if is_sure or not _PLAIN_END.match(text, start):
                (sure if is_sure else soft).append((start, end))
    done = 0
    for start, end in sorted(soft):
        told = any(start < stop and begin < end for begin, stop in sure)
        if start >= done and not told and not _is_a_show(text, start, end):
            yield Hit.in_flow(body.flow, start, end)
            done = end


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
    Rule(
        id="ending-manner",
        name=Message("结尾的腔调", "a manner of ending"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "章末像在预告或点题，请确认这就是要停的地方",
            "the end announces or sums up; make sure that this is where it should stop",
        ),
        advice=Message(
            "试着删掉这句，看上一句能不能收住；能，就停在那里。",
            "Try without it; if the sentence before it holds, stop there.",
        ),
        bad="他把刀别回腰里，往山下走去。\n\n夜，还很长。",
        good="路还很长，他把水壶灌满。风暴来了三天，屋顶掀了一半。他把刀别回腰里，往山下走去。",
        search=_manners,
        limits=_SOFT,
    ),
)
