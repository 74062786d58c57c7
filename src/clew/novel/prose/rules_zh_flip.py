"""Chinese: sentences that deny one thing only to assert another, and parades of denials.

Pure. The storyteller's own sentences only; people in the book may talk so as much as they like.
What blocks is kept to shapes that are a manner and nothing else: 而是 after 不是, a flip that begins
its clause or hangs on 这 or 那, a row of 没有 without a thing or place before it. A correction with
a subject of its own (来的不是周师傅，是他徒弟) is how anybody speaks, and only advised upon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import MASK, Body

_ONCE: Final = {"hits": 1}

_STOP: Final = rf"。！？!?…—\n{MASK}"
_PAUSE: Final = "，,、；;：:"
_GAP: Final = "[ \u3000]*"
# Whatever is not punctuation: a class of words costs far less to compile than a list of marks.
_IN_CLAUSE: Final = r"[\w ]"

# --- 不是A，而是B and 不是A，是B ---

# 是不是, 要不是, 还不是, 可不是, 何尝不是 … only hold the two characters; 不是吗, 不是的，不是滋味
# deny nothing.
_DENIAL: Final = re.compile(
    r"(?<![是要若莫岂还又谁可尝而算])"
    r"(?<!如果)(?<!假如)(?<!倘使)(?<!除非)(?<!难道)(?<!怎么)(?<!哪个)(?<!未必)(?<!无一)(?<!无非)"
    r"(?:不是|不再是|并非|绝非)(?!吗|么|吧|嘛|呢|啊|的?[，。！？!?\s]|滋味|味儿|东西|办法|时候|对手|一回事|个事)"
)
_REACH: Final = 80
_BUT: Final = re.compile(r"(?<![反然从进因幸时继偶故况])而是(?![不否非])")
_LOOSE_END: Final = "。！!\n，,；;：: \u3000—…"
_SENTENCE_END: Final = re.compile(r"[。！!？?…\n]")
_LAST_CLAUSE: Final = re.compile(rf"[{_PAUSE}]([^{_PAUSE}]*)\Z")
_NEGATOR: Final = re.compile("[不没无非未别]")
# 不是今天，是昨天: dates and numbers are corrected, not played with.
_MEASURE: Final = re.compile(
    "第[0-9０-９一二三四五六七八九十百]{1,4}[次回个名]|[今昨明前后去]天|[今去前明后]年|[今昨当]晚|初[一二三四五六七八九十]|(?:第|星期|周|礼拜)?"
    "[0-9０-９一二三四五六七八九十百千两半]{1,4}(?:个月|[月日号点岁年斤里块元文更楼层班连营师团])"
)
# 他说，是他儿子，不是女婿: what somebody says, without marks.
_SAYING: Final = re.compile(
    r"(?:说|道|答|讲|喊|问|写|想|觉得|认定|告诉[^，。]{1,4}|知道|明白|听[出见说])"
    r"(?:了|着)?[，,：:]?(?:这|那|它)?\Z"
)
# 公告上写着，本船不是班船，而是货船: the same, further on in the sentence.
_REPORT: Final = re.compile(
    r"(?:说|写[着道的]|宣布|规定|声明|通知|解释|辩解|告诉[^，。！？\n]{1,6}|回话|答)(?:了|着)?[，,：:][^。！？!?…\n]*\Z"
)
_OTHER_PAIR: Final = re.compile("[就便还或也]是")
# 他不是话多的人。是酒让他开了口: an answer to who or what did it.
_CLEFT: Final = re.compile("[让使叫替把]|告诉|给了|教会")
_TAG: Final = ("吗", "么", "吧", "嘛", "呢")

_ASSERTED: Final = re.compile(
    # What is denied, and how the two are parted.
    rf"({_IN_CLAUSE}{{1,24}})"
    rf"([，,；;：:]{_GAP}|[。！!]?{_GAP}\n{_GAP}|[。！!]{_GAP}|—{{1,2}})"
    # 是, not 是不是, 是的, 是谁, 是人都会, 是夜.
    r"((?:这|那|它)?)是(?![不否吗吧嘛么啊呀呢谁何哪怎故]|几(?![千百十万分])|什么|多少|第几|时候|个?人[就都]|夜(?![里色晚市班猫])|日(?![子头光常出])|[年月岁役时][，,])"
    r"(?!以(?![前后往为]))(?![^，。！？\n]{1,3}是)"
    rf"({_IN_CLAUSE}{{1,30}})(.?)",
    re.S,
)
_ASIDE: Final = "也|更|并|倒|绝|当然|其实|根本|从来|压根|分明|明明|都|早已|已经|恐怕"
# The sentence begins with it, or with other denials before it; or its subject is 这, 那 or 它. After a
# comma (他没来，不是病了，是躲债) it explains something, as anybody would.
_OPENING: Final = re.compile(
    rf"(?:\A|[{_STOP}])[ \u3000]*(?:[也更]?不是[\w ]{{1,12}}\W{{1,2}}){{0,3}}(?:{_ASIDE})?\Z"
    rf"|(?<!\w)(?:{_ASIDE})?(?:[这那](?:里|些)?|它)(?:{_ASIDE})?\Z"
)

# --- 是A，不是B ---

_ASSERTION_FIRST: Final = re.compile(
    rf"是(?![的啊呀呢吧吗嘛么否不谁非何哪]|什么)([^{_STOP}{_PAUSE}是]{{1,12}})"
    rf"(?:[，,]|[。！!]{_GAP}\n?){_GAP}[而并可绝却也]?"
    rf"不是(?![吗么吧嘛啊呢的不说]|滋味|味儿|东西|办法|时候|[一三][两言句天])({_IN_CLAUSE}{{1,14}})(?:[。！!，,；;\n]|\Z)"
)
# 还是, 只是, 可是, 于是 …: the last character of another word, not a copula.
_NOT_A_COPULA: Final = frozenset(
    "还只可但于总都也老正像倒算硬要若更又既乃便即凡仍亦或怕甚却真尽全竟本原皆而似说当为不就才自先"
    "越最净满必许该会能多愣好直别应光单偏早已惟唯"
)
_THIS_IS: Final = re.compile(r"(?<!\w)[这那它](?:就|才|可|分明|明明)?\Z")
_OTHER_HALF: Final = re.compile(rf"{_GAP}[就便而也]是")


class _Flip(NamedTuple):
    """A span of the flow, and whether its shape alone makes it a manner."""

    start: int
    end: int
    sure: bool


def _said(text: str, at: int) -> bool:
    """Whether somebody says or thinks, without marks, what begins at a place."""
    return bool(
        _SAYING.search(text, max(0, at - 8), at) or _REPORT.search(text, max(0, at - 30), at)
    )


def _answered_by_but(text: str, at: int) -> int:
    """Where the 而是 ends that answers the 不是 at a place; 0 if none does."""
    found = _BUT.search(text, at + 3, at + _REACH)
    if not found:
        return 0
    denied = text[at + 2 : found.start()].rstrip(_LOOSE_END)
    if _SENTENCE_END.search(denied):
        return 0
    last = _LAST_CLAUSE.search(denied)
    # 不是本地人，进门不看人，而是看墙角: there 而是 answers the other denial.
    if last and "不是" not in last[1] and _NEGATOR.search(last[1]):
        return 0
    return found.end()


def _denials(text: str) -> Iterator[_Flip]:
    at = 0
    while found := _DENIAL.search(text, at):
        start, at = found.span()
        if end := _answered_by_but(text, start):
            at = end
            if not _REPORT.search(text, max(0, start - 30), start):
                yield _Flip(start, end, True)
        elif said := _ASSERTED.match(text, at):
            denied, parting, pronoun, asserted, after = said.groups()
            if (
                # Questions, 是…的 of plain fact, 不是…就是….
                after in ("？", "?")
                or denied.endswith((*_TAG, "的"))
                or asserted.endswith((*_TAG, "的"))
                or _OTHER_PAIR.search(denied)
                or not text.endswith(pronoun, 0, start)
                or _MEASURE.match(denied)
                or _CLEFT.search(asserted)
                or _said(text, start)
            ):
                continue
            apart = any(mark in parting for mark in "。！!\n—")
            opens = _OPENING.search(text, max(0, start - 50), start)
            yield _Flip(start, said.end(4), apart or bool(opens))


def _assertions(text: str) -> Iterator[_Flip]:
    for found in _ASSERTION_FIRST.finditer(text):
        start, (asserted, denied) = found.start(), found.groups()
        this_is = _THIS_IS.search(text, max(0, start - 5), start)
        if (
            (text[start - 1 : start] in _NOT_A_COPULA and not this_is)
            or asserted.endswith((*_TAG, "的"))
            or denied.endswith((*_TAG, "的"))
            or _OTHER_HALF.match(text, found.end())
            or _OTHER_PAIR.search(denied)
            or _MEASURE.match(asserted)
            or _said(text, start)
        ):
            continue
        opens = this_is or _OPENING.search(text, max(0, start - 4), start)
        yield _Flip(start, found.end(2), bool(opens))


def _not_is(body: Body, config: ProseConfig) -> Iterator[Hit]:
    return _sure(
        _denials(body.flow.text), body, config.limit("not-is-comparison", "hits", _ONCE["hits"])
    )


def _is_not(body: Body, config: ProseConfig) -> Iterator[Hit]:
    return _sure(
        _assertions(body.flow.text), body, config.limit("reverse-not-is", "hits", _ONCE["hits"])
    )


def _sure(flips: Iterator[_Flip], body: Body, least: float) -> Iterator[Hit]:
    """Every sure flip of a chapter that has so many of them."""
    sure = [flip for flip in flips if flip.sure]
    if len(sure) >= least:
        for flip in sure:
            yield Hit.in_flow(body.flow, flip.start, flip.end)


def _corrections(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The first plain correction of a chapter, with how many there are."""
    text = body.flow.text
    plain = sorted(flip for flip in (*_denials(text), *_assertions(text)) if not flip.sure)
    if plain and len(plain) >= config.limit("not-is-plain", "hits", _ONCE["hits"]):
        yield Hit.in_flow(body.flow, plain[0].start, plain[0].end, {"times": len(plain)})


# --- 没有A，没有B，只有C; 声音不大，却… ---

_BETWEEN: Final = rf"[^\w\s{MASK}]{{1,2}}\s*"
_ONLY: Final = r"(?:有的)?(?:只有|只是|只剩|只会|唯有|就只|只静静|只默默|只[定直怔呆]{2})"
# 没有票的站左边，没有证就出去: rules, not a parade.
_THING: Final = rf"(?:(?!就|不|的[站坐走去来排交]){_IN_CLAUSE}){{1,10}}"
_PARADE: Final = re.compile(
    r"(?:(?<!\w)|(?<=他)|(?<=她)|(?<=它)|(?<=我)|(?<=[他她我]们))"
    r"(?:"
    rf"没有{_THING}{_BETWEEN}没有{_THING}{_BETWEEN}"
    rf"(?:(?:甚至)?没有{_IN_CLAUSE}{{1,10}}|(?:他们?|她们?|它|我们?)?{_ONLY})"
    rf"|没(?!有|多久|过|等|几|准|法|错|事)(?:{_IN_CLAUSE}{{1,5}}){_BETWEEN}"
    rf"没(?!有|多久|过|等|几|准|法|错|事)(?:{_IN_CLAUSE}{{1,5}}){_BETWEEN}"
    rf"(?:他们?|她们?|它|我们?)?{_ONLY}"
    r")"
)
_EFFECT: Final = (
    "字|所有人|众人|每个人|在场|满|全|让|令|叫人|使|压|像|如同|仿佛|带着|透着|透出|有种|一种|不容|掷地"
    "|足以|安静|静了|静下|穿|砸|钉|刺|敲|震|稳|有力|冷"
)
_VOICE: Final = re.compile(
    rf"(?:声音|嗓音|话音|嗓门)(?:并|也|倒|其实|明明)?不(?:算|是)?(?:很|太|怎么)?[大高响亮重]"
    rf"(?:，[^{_STOP}]{{0,8}}?)?[，,](?:"
    rf"却[^{_STOP}]{{0,15}}?(?:{_EFFECT}|清)"
    rf"|(?:但是?|偏偏?|然而|可(?![以能怜惜爱笑见]))[^{_STOP}]{{0,15}}?(?:{_EFFECT})"
    r")"
)


def _parades(body: Body, config: ProseConfig) -> Iterator[Hit]:
    for found in _PARADE.finditer(body.flow.text):
        yield Hit.in_flow(body.flow, *found.span())


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="not-is-comparison",
        name=Message("「不是A，而是B」", "“not A but B”"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "叙述先否定再翻转：「不是……（而）是……」",
            "the narrative denies one thing only to assert another (不是…而是…)",
        ),
        advice=Message(
            "删掉被否定的那一半，直接写是什么；读者并没有那样想过，就不必替他否定。",
            "Delete the denied half and say what it is: nobody had thought of the other thing.",
        ),
        why=Message(
            "被否定的一半往往没有人提过，只为抬高后一半；一章里出现几次，就成了腔调。",
            "The denied half is mostly there to lift the other one; a few of these make a mannerism.",
        ),
        bad="他听出来了。那不是风，是有人在哭。",
        good="这是不是他的船，谁也说不准。不是东家来，就是掌柜来。来的不是外人吧，他想。",
        search=_not_is,
        limits=_ONCE,
    ),
    Rule(
        id="reverse-not-is",
        name=Message("「是A，不是B」", "“A, not B”"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "叙述先肯定再否定：「是……，不是……」",
            "the narrative asserts one thing and then denies another (是…，不是…)",
        ),
        advice=Message(
            "只留「是」的那一半；后面的否定没有人需要。",
            "Keep the asserted half; nobody needs the denial.",
        ),
        bad="他伸手去摸。是血，不是水。",
        good="他只是站着，不是不想走。可是他来了，不是吗？总是下雨，不是好兆头。",
        search=_is_not,
        limits=_ONCE,
    ),
    Rule(
        id="not-is-plain",
        name=Message("平常的更正句", "plain correction"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "本章有 {times} 处更正句（不是……，是……），请确认真有人弄错过",
            "sentences that correct something ({times}); make sure somebody had it wrong",
        ),
        advice=Message(
            "真有人弄错过就留着；没有人弄错，就直接写是什么。",
            "Keep those where somebody had it wrong; otherwise say what it is.",
        ),
        bad="开门的不是他娘，是个不认识的女人。",
        good="开门的是个不认识的女人。要不是下雨，他早走了。",
        search=_corrections,
        limits=_ONCE,
    ),
    Rule(
        id="voice-contrast",
        name=Message("「声音不大，却……」", "“not loud, yet …”"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "套话：「声音不大，却……」",
            "a stock phrase: the voice is not loud, and yet … (声音不大，却…)",
        ),
        advice=Message(
            "删掉整句，让别人的反应说明这句话的分量；或者写清声音究竟是什么样。",
            "Delete it and let somebody's reaction show the weight, or say how the voice sounds.",
        ),
        bad="他声音不大，却让满屋子的人都停了筷子。",
        good="水管里滴着水，声音不大，却一直没有停。他声音不大，可以说是哑的。",
        pattern=_VOICE,
        part="prose",
    ),
    Rule(
        id="negation-parade",
        name=Message("「没有……，没有……」排比", "parade of denials"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "一连串「没有……」只为引出后面那一句",
            "a row of denials that only leads up to something (没有…，没有…)",
        ),
        advice=Message(
            "留下最要紧的一个「没有」，或者直接写有什么、做了什么。",
            "Keep the one denial that matters, or say what there is and what is done.",
        ),
        bad="没有风，没有月亮，只有水声。",
        good="没多久，船沉没了。家里没有米，也没有柴，只有一口空锅。他有没有去，有没有回，没人问。",
        search=_parades,
    ),
)
