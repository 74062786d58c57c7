"""Chinese: sentences that deny one thing only to assert another.

Pure data, and the searches over `turns_zh`. What blocks is kept to turns that are a manner and
nothing else: one feeling or large word denied for the sake of another. Of everything else somebody
may really have had it wrong, and it is only advised upon: each place where the shape is that of a
manner, plain corrections only where a chapter has several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import MASK, Body
from clew.novel.prose.turns_zh import Turn, turns

_ONCE: Final = {"hits": 1}
_SEVERAL: Final = {"hits": 3}


def _all(body: Body) -> list[Turn]:
    """Every turn of a chapter, in order."""
    denied, asserted = turns(body.flow.text)
    return sorted((*denied, *asserted))


def _not_is(body: Body, config: ProseConfig) -> Iterator[Hit]:
    denied, _ = turns(body.flow.text)
    yield from _sure(denied, body, config.limit("not-is-comparison", "hits", _ONCE["hits"]))


def _is_not(body: Body, config: ProseConfig) -> Iterator[Hit]:
    _, asserted = turns(body.flow.text)
    yield from _sure(asserted, body, config.limit("reverse-not-is", "hits", _ONCE["hits"]))


def _sure(found: tuple[Turn, ...], body: Body, least: float) -> Iterator[Hit]:
    """Every sure turn of a chapter that has so many of them."""
    sure = [turn for turn in found if turn.grade == "sure"]
    if len(sure) >= least:
        for turn in sure:
            yield Hit.in_flow(body.flow, turn.start, turn.end)


def _turns(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Every turn that is shaped like a manner, in a chapter that has so many of them."""
    found = [turn for turn in _all(body) if turn.grade == "turn"]
    if len(found) >= config.limit("not-is-turn", "hits", _ONCE["hits"]):
        for turn in found:
            yield Hit.in_flow(body.flow, turn.start, turn.end)


def _corrections(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The first plain correction of a chapter that has several, with how many there are."""
    plain = [turn for turn in _all(body) if turn.grade == "plain"]
    if plain and len(plain) >= config.limit("not-is-plain", "hits", _SEVERAL["hits"]):
        yield Hit.in_flow(body.flow, plain[0].start, plain[0].end, {"times": len(plain)})


# --- 不仅仅是A，更是B; 与其说A，不如说B; 没有哭，而是笑了; 那不叫勇敢，那叫送死 ---

_IN: Final = rf"[^。！？!?…—\n{MASK}，,；;：:]"
_FORMS: Final = re.compile(
    rf"(?<![要若莫])不(?:仅仅?|只|光|单单?)是{_IN}{{1,24}}[，,][^。！？\n]{{0,2}}更(?:是|像是?){_IN}{{1,30}}"
    rf"|与其说{_IN}{{1,24}}?[，,]?[倒还更]?不如说{_IN}{{1,30}}"
    r"|没有?(?:哭|笑|怒|愤怒|生气|惊讶|惊慌|慌张|慌|害怕|恐惧|犹豫|退缩|崩溃|绝望|失望|求饶)(?:泣|闹)?[，,]"
    rf"(?:反而|而)是{_IN}{{1,20}}"
    # 这哪里是下棋，分明是赌命
    rf"|哪里?是{_IN}{{1,16}}[，,](?:分明|明明|简直|根本)就?是{_IN}{{1,16}}"
    rf"|(?<!\w)[这那它]不(?:叫|算){_IN}{{1,10}}[，,；;。][这那它]?(?:才|只能)?[叫是](?!不){_IN}{{1,12}}"
)


def _forms(body: Body, config: ProseConfig) -> Iterator[Hit]:
    for found in _FORMS.finditer(body.flow.text):
        yield Hit.in_flow(body.flow, *found.span())


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="not-is-comparison",
        name=Message("「不是A，而是B」", "“not A but B”"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "叙述否定一种情绪，只为肯定另一种：「不是……（而）是……」",
            "the narrative denies one feeling only to assert another (不是…而是…)",
        ),
        advice=Message(
            "删掉被否定的那一半，直接写是什么；读者并没有那样想过，就不必替他否定。",
            "Delete the denied half and say what it is: nobody had thought of the other thing.",
        ),
        why=Message(
            "被否定的情绪没有人提过，只为抬高后一半；一章里出现几次，就成了腔调。更正一件实事不在此列。",
            "Nobody had named the denied feeling: it lifts the other, and a few of these make a mannerism. "
            "To put a fact right is another matter.",
        ),
        bad="他抬起头来。那双眼睛里不是恐惧，而是一种很深的疲惫。",
        good=(
            "致死的不是刀伤，而是氰化物。船不是往南开，而是往北开的。来的不是一个人，而是两个人。"
            "他得的不是焦虑，而是抑郁。"
        ),
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
            "叙述肯定一种情绪，再否定另一种：「是……，不是……」",
            "the narrative asserts one feeling and then denies another (是…，不是…)",
        ),
        advice=Message(
            "只留「是」的那一半；后面的否定没有人需要。",
            "Keep the asserted half; nobody needs the denial.",
        ),
        bad="她没有回头。是恨，不是怨。",
        good="是他，不是别人，敲了那口钟。他只是站着，不是不想走。是初八，不是初九。",
        search=_is_not,
        limits=_ONCE,
    ),
    Rule(
        id="not-is-turn",
        name=Message("像腔调的翻转句", "a turn that may be a manner"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "先否定再肯定的翻转句，请确认前一半真有人那样想",
            "a thing is denied only to be replaced; make sure somebody had thought so",
        ),
        advice=Message(
            "真有人认错了、弄错了就留着；没有，就删掉被否定的那一半。",
            "Keep it where somebody really had it wrong; otherwise delete the denied half.",
        ),
        bad="他听出来了。那不是风，是有人在哭。",
        good="这是不是他的船，谁也说不准。不是东家来，就是掌柜来。来的不是外人吧，他想。",
        search=_turns,
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
        bad="开门的不是他娘，是个不认识的女人。信封里装的是钱，不是信。她要的不是鱼，是那只篓子。",
        good="来开门的不是周先生，是他家的保姆。信封里装的是钱，不是信。要不是下雨，他早走了。",
        search=_corrections,
        limits=_SEVERAL,
    ),
    Rule(
        id="contrast-forms",
        name=Message("对比与递进套话", "set forms of contrast"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "对比的套话：不仅仅是……更是、与其说……不如说、那不叫……那叫……",
            "a set form of contrast: not merely this but that, less this than that",
        ),
        advice=Message(
            "只留后一半，用看得见的事说出来；前一半是为了抬高它才写的。",
            "Keep the second half and show it in something seen; the first is there to lift it.",
        ),
        bad="这不仅仅是一场比试，更是一次对命运的宣战。",
        good="他不仅是厨子，也是半个大夫。与其坐船，不如走路。他没有回家，而是去了车站。",
        search=_forms,
    ),
)
