"""Chinese: every 不是A，（而）是B and 是A，不是B of a chapter, and how sure it is a manner.

Pure. The storyteller's own sentences only. A turn is graded by what is denied and asserted:

- `sure`: one feeling or large word is denied for the sake of another, in a sentence of its own, in a
  face or in a heart. Nobody had thought of the first; it is there to lift the second.
- `turn`: the shape of a manner (the sentence begins with it, or a full stop parts its halves, or
  it is built with 而是), but of things that might have been mistaken for each other.
- `plain`: a correction as anybody makes it: a subject of its own (来的不是周师傅，是他徒弟), a
  person, a number, a direction, a term of law or medicine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from clew.novel.prose.lexicon_zh import (
    ABSTRACT,
    CONCRETE,
    CORRECTED,
    DIRECTION,
    FACTUAL,
    FELT,
    FIGURE,
    LOFTY,
    MINDED,
    NAMED,
    NAMED_HERE,
    NUMBER,
    PERSON,
    REPAIRED,
    TERM,
    VAGUE,
)
from clew.novel.prose.spans import outside
from clew.novel.prose.text import MASK

Grade = Literal["sure", "turn", "plain"]

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
# 不是A而是更B的 adds to A instead of denying it only where 不仅 stands before; that is another rule.
_BUT: Final = re.compile(r"(?<![反然从进因幸时继偶故况])而是(?!否|非|不是)")
_LOOSE_END: Final = "。！!\n，,；;：: \u3000—…"
_SENTENCE_END: Final = re.compile(r"[。！!？?…\n]")
_LAST_CLAUSE: Final = re.compile(rf"[{_PAUSE}]([^{_PAUSE}]*)\Z")
_NEGATOR: Final = re.compile("[不没无非未别]")
_AFTER_BUT: Final = re.compile(rf"[^{_STOP}{_PAUSE}]{{1,30}}")
_DENIED: Final = re.compile(rf"[{_PAUSE}\s—]+(?:[也更]?(?:不是|并非))?")
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
    r"(?:(?:说|写[着道]|宣布|规定|声明|通知|解释|辩解|告诉[^，。！？\n]{1,6}|回话|答)(?:了|着)?[，,：:]"
    r"|(?:说|写|看|念|教|分辨|区分|辨别|辨认|批注|记[着下道])[^，。：:！？\n]{0,4}[：:])[^。！？!?…\n]*\Z"
)
_OTHER_PAIR: Final = re.compile("[就便还或也]是")
# 他不是话多的人。是酒让他开了口: an answer to who or what did it.
_CLEFT_ANSWER: Final = re.compile("[让使叫替把]|告诉|给了|教会")
_PEOPLE: Final = ("他", "她", "我")
_MOTIVE: Final = re.compile("在(?:等|逃|求|躲|赌|演)|为了?|想|要|怕|因为")
_TAG: Final = ("吗", "么", "吧", "嘛", "呢")

_ASSERTED: Final = re.compile(
    # What is denied, and how the two are parted.
    rf"({_IN_CLAUSE}{{1,24}})"
    rf"([，,；;：:]{_GAP}|[。！!]?{_GAP}\n{_GAP}|[。！!]{_GAP}|—{{1,2}})"
    # 是, not 是不是, 是的, 是谁, 是人都会, 是夜.
    r"((?:这|那|它|他们?|她们?|我们?)?)((?<=[这那])(?:只|才|更|正|分明|明明|反倒|倒))?是(?![不否吗吧嘛么啊呀呢谁何哪怎故]|几(?![千百十万分])|什么|多少|第几|时候|个?人[就都]|夜(?![里色晚市班猫])|日(?![子头光常出])|[年月岁役时][，,])"
    r"(?!以(?![前后往为]))(?![^，。！？\n]{1,3}是)"
    rf"({_IN_CLAUSE}{{1,30}})(.?)",
    re.S,
)
_ASIDE: Final = "也|更|并|倒|绝|当然|其实|根本|从来|压根|分明|明明|都|早已|已经|恐怕"
# The sentence begins with it, or with other denials before it; or its subject is 这, 那 or 它. After a
# comma (他没来，不是病了，是躲债) it explains something, as anybody would.
_ASIDE_END: Final = re.compile(rf"(?:{_ASIDE})+\Z")
_OPENING: Final = re.compile(
    rf"(?:\A|[{_STOP}])[ \u3000]*(?:[也更]?不是[\w ]{{1,12}}\W{{1,2}}){{0,3}}(?:{_ASIDE})?\Z"
    rf"|(?<!\w)(?:{_ASIDE})?(?:[这那](?:里|些)?|它)(?:{_ASIDE})?\Z"
)
_CLAUSE_BEFORE: Final = re.compile(rf"[^{_STOP}{_PAUSE}]{{0,24}}\Z")
_CLEFT: Final = re.compile(rf"的(?:{_ASIDE})?\Z")
# 真正让他停住脚步的不是枪声, 他要找的从来不是宝藏: a cleft that is drawn up for effect.
_SOLEMN: Final = re.compile(r"真正|(?:让|使|令)[^，。！？]{1,12}的\Z|从来都?\Z")

# --- 是A，不是B ---

_ASSERTION_FIRST: Final = re.compile(
    rf"是(?![的啊呀呢吧吗嘛么否谁非何哪]|什么|不(?![甘安屑舍忍满]))([^{_STOP}{_PAUSE}是]{{1,12}})"
    rf"(?:[，,]|[。！!]{_GAP}\n?){_GAP}[而并可绝却也]?"
    rf"不是(?![吗么吧嘛啊呢的说]|不(?![甘安屑舍忍满])|滋味|味儿|东西|办法|时候|[一三][两言句天])({_IN_CLAUSE}{{1,14}})(?:[。！!，,；;\n]|\Z)"
)
# 还是, 只是, 可是, 于是 …: the last character of another word, not a copula.
_NOT_A_COPULA: Final = frozenset(
    "还只可但于总都也老正像倒算硬要若更又既乃便即凡仍亦或怕甚却真尽全竟本原皆而似说当为不就才自先"
    "越最净满必许该会能多愣好直别应光单偏早已惟唯"
)
_A_NOUN: Final = frozenset(("目光", "月光", "灯光", "时光", "火光", "眼光", "微光", "人生", "一生"))
_THIS_IS: Final = re.compile(r"(?<!\w)[这那它](?:就|才|可|分明|明明)?\Z")
_OTHER_HALF: Final = re.compile(rf"{_GAP}[就便而也]是")


class Turn(NamedTuple):
    """A span of the flow, and how sure it is that the span is a manner."""

    start: int
    end: int
    grade: Grade


@lru_cache(maxsize=1)
def turns(text: str) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """The turns of a text: those that deny first, and those that assert first. Three rules ask for
    the same text one after the other, so the last answer is kept."""
    asserted = tuple(_assertions(text))
    # 是恨，不是怨。是怕，不是疑: the 不是 of one pair does not begin another.
    spans = ((turn.start, turn.end) for turn in asserted)
    return tuple(_denials(text, outside(spans, _DENIAL.finditer(text)))), asserted


def _abstract(text: str) -> bool:
    found = text.strip(" \u3000了").removeprefix("因为").removeprefix("出于")
    return bool(ABSTRACT.search(found[-14:]))


def _lofty(text: str) -> bool:
    return bool(LOFTY.search(text.strip(" \u3000了")[-6:])) or _abstract(text)


def _fact(denied: str, asserted: str) -> bool:
    """Whether a pair is a person, a number, a direction, a term that somebody could have wrong."""
    if any(PERSON.search(half) or TERM.search(half) for half in (denied, asserted)):
        return True
    here, there = NUMBER.match(denied), NUMBER.match(asserted)
    if here and there and here[1] != there[1]:
        return True
    here, there = DIRECTION.match(denied), DIRECTION.match(asserted)
    if denied.endswith("的") and (here or asserted.endswith("的")):
        return True  # 不是从正门进来的; 不是前朝挖的，而是去年打的
    if here and there and here[0] == there[0]:
        return True
    return REPAIRED.search(asserted) is not None  # a fuse that blew


def _things(asserted: str, denied: str) -> bool:
    """Whether two things were told apart: 是前门，不是后门; 是一条狗，不是狼."""
    longest = max(len(denied), len(asserted))
    kinds = denied[-1:] == asserted[-1:] and (longest <= 3 or denied[-2:] == asserted[-2:])
    counted = CONCRETE.match(asserted) and len(denied) <= 3
    return bool(kinds or counted) and not (_lofty(denied) or _lofty(asserted))


def _grade(text: str, start: int, denied: list[str], asserted: str, *, shaped: bool) -> Grade:
    """How sure a turn is. `shaped`: the sentence begins with it, or 而是 or a full stop parts it."""
    clause = _CLAUSE_BEFORE.search(text, max(0, start - 24), start)
    before = _ASIDE_END.sub("", clause[0]) if clause else ""
    opens = bool(_OPENING.search(text, max(0, start - 50), start))
    felt = FELT.search(before)
    meant = _abstract(asserted) or VAGUE.match(asserted)
    sentence = text[max(0, start - 40) : start]
    own = sentence[max(map(sentence.rfind, "。！？!?\n"), default=-1) + 1 :]
    corrected = NAMED.search(own) or NAMED_HERE.search(before) or CORRECTED.match(text, start)
    if all(_abstract(half) for half in denied) and meant and not corrected:
        # A feeling for a feeling is a manner in a heart, and looks like one anywhere else.
        in_a_heart = shaped and (opens or not before)
        return "sure" if in_a_heart or felt else "turn"
    solemn = _SOLEMN.search(clause[0] if clause else "")
    if asserted.endswith("自己") and not corrected and (shaped or solemn):
        return "turn"
    if any(_fact(half, asserted) for half in denied) or FACTUAL.search(before):
        return "plain"
    if len(denied) > 1 or solemn or MINDED.search(before):
        return "turn"
    if not corrected and (
        VAGUE.match(asserted)
        or (_lofty(asserted) and all(_lofty(half) for half in denied))
        or (shaped and FIGURE.search(asserted) and not FIGURE.search(denied[0]))
    ):
        return "turn"
    if not shaped or _CLEFT.search(before):
        return "plain"
    return "turn"


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


def _denials(text: str, denials: Iterator[re.Match[str]]) -> Iterator[Turn]:
    at = 0
    for found in denials:
        start = found.start()
        if start < at:
            continue  # 不是A，不是B，而是C is one turn
        if end := _answered_by_but(text, start):
            whole = text[found.end() : end - 2].strip(_LOOSE_END)
            denied = [half for half in _DENIED.split(whole) if half]
            after = _AFTER_BUT.match(text, end)
            at = end
            if _REPORT.search(text, max(0, start - 30), start):
                continue
            asserted, stop = (after[0], after.end()) if after else ("", end)
            yield Turn(start, stop, _grade(text, start, denied, asserted, shaped=True))
        elif said := _ASSERTED.match(text, found.end()):
            denial, parting, pronoun, _, asserted, after_it = said.groups()
            if (
                # Questions, 是…的 of plain fact, 不是…就是….
                after_it in ("？", "?")
                or denial.endswith((*_TAG, "的"))
                or asserted.endswith((*_TAG, "的"))
                or _OTHER_PAIR.search(denial)
                or not _ASIDE_END.sub("", text[max(0, start - 8) : start]).endswith(pronoun)
                # 他不是船工，他是老师: whoever is told of again is put right, unless it is why he acts
                or (pronoun[:1] in _PEOPLE and not _MOTIVE.match(denial))
                or _MEASURE.match(denial)
                or ("的" not in asserted and _CLEFT_ANSWER.search(asserted))
                or _said(text, start)
            ):
                continue
            apart = any(mark in parting for mark in "。！!\n—")
            opens = _OPENING.search(text, max(0, start - 50), start)
            grade = _grade(text, start, [denial], asserted, shaped=apart or bool(opens))
            if pronoun[:1] in _PEOPLE and grade == "plain":
                grade = "turn"  # 他不是在等车，他是在等一个理由
            yield Turn(start, said.end(5), grade)


def _assertions(text: str) -> Iterator[Turn]:
    for found in _ASSERTION_FIRST.finditer(text):
        start, (asserted, denied) = found.start(), found.groups()
        this_is = _THIS_IS.search(text, max(0, start - 5), start)
        if (
            (
                text[start - 1 : start] in _NOT_A_COPULA
                and not this_is
                and text[max(0, start - 2) : start] not in _A_NOUN
            )
            or asserted.endswith((*_TAG, "的"))
            or denied.endswith((*_TAG, "的"))
            or _OTHER_HALF.match(text, found.end())
            or _OTHER_PAIR.search(denied)
            or _MEASURE.match(asserted)
            or _said(text, start)
        ):
            continue
        opens = this_is or _OPENING.search(text, max(0, start - 4), start)
        grade = _grade(text, start, [denied], asserted, shaped=bool(opens))
        if grade == "turn" and this_is and _things(asserted, denied):
            grade = "plain"
        yield Turn(start, found.end(2), grade)
