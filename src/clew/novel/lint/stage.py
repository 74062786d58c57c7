"""Who acts in a body, here and now.

Pure. Somebody is on stage where the narrative outside quoted speech says that he speaks (beside
quoted speech) or does something short and physical. A mention is none, nor is what is remembered,
dreamt, supposed, or told of another time: one doubtful word beside it is enough to look away. A
memory goes on over the paragraphs that still speak of the same person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from clew.novel.lint import stagewords as words
from clew.novel.lint.body import Body
from clew.novel.lint.cast import Cast
from clew.novel.prose.text import MASK

_SPEAKS: Final = 2
_REACH: Final = 150
"""A word of memory counts for so many characters of a Chinese paragraph."""
_PATIENCE: Final = 4
"""So many paragraphs after one that spoke of somebody, a memory told at length still goes on."""
_ACTS: Final = 1
_SENTENCE_END: Final = "。！？.!?\x00"
_CLAUSE_END: Final = "，。！？；：、…—～（(《“”「」『』\n\"'’‘,.!?;:"


class Act(NamedTuple):
    """One place where somebody acts. `at` is a position of the body's `told`."""

    name: str
    at: int
    weight: int
    """2 where he speaks, 1 where he moves."""
    clause: str


_ROLES_ZH: Final = "|".join(sorted((r for r in words.ROLES if not r.isascii()), key=len)[::-1])
_ZH_LEFT: Final = re.compile(
    # 掌门沈青崖, 浑身湿透的沈青崖: what he is, or how he looks, may stand before his name.
    rf"(?:^|[，。！？；：、…—\s\x00”」』）)])(?:{words.LEADS_ZH})?[，]?"
    rf"(?:(?:{words.LOOKS_ZH})[^，。！？；：、\n\x00]{{0,10}}的)?(?:[老小]?(?:{_ROLES_ZH}))?$"
)
_ZH_BETWEEN: Final = f"(?:{words.BETWEEN_ZH}){{0,3}}"
_ZH_SPEAKS: Final = re.compile(
    rf"{_ZH_BETWEEN}(?:{words.SPEECH_ZH})(?!{words.NOT_SPEECH_ZH})"
    rf"|[^，。！？；：:的{words.WRITES_ZH}\x00]{{0,8}}[：:]\s?\x00"
)
_ZH_GOES_ON: Final = re.compile(words.GOES_ON_ZH)
_ZH_ACTS_AT_ONCE: Final = re.compile(f"{_ZH_BETWEEN}(?:{words.ACTS_ZH})")
_ZH_ACTS: Final = re.compile(
    f"{_ZH_BETWEEN}(?:{words.ACTS_ZH})"
    # In the next clause, which goes on about the same subject.
    rf"|(?![^，]{{0,8}}[死没不未已])[^，。！？；：的\x00]{{1,8}}，{_ZH_BETWEEN}(?:{words.ACTS_ZH})"
)
_ZH_THERE: Final = re.compile(
    # 门外站着何三更, 门里走出来一个人的名字: the place comes first, then who is there.
    rf"(?:^|[，。！？；：、…—\s\x00”」』）)])([^，。！？；：、…\n\x00]{{1,14}}?)(?:{words.THERE_ZH})$"
)
_ZH_ELSEWHERE: Final = re.compile(words.ELSEWHERE_ZH)
_ZH_CLAUSE_OVER: Final = re.compile(r"[，。！；…、]|和|与|\n|$")
_EN_LEFT: Final = re.compile(
    rf"(?:^|[.!?;:”\"’')\x00]\s*|,\s+(?:and\s+|but\s+)?)(?:(?:{words.LEADS_EN}),?\s+)?"
    rf"(?:(?:{words.LOOKS_EN})\s+)?(?:(?:{words.PERSON_EN})\.?\s+)?$",
    re.IGNORECASE,
)
_EN_BETWEEN: Final = rf"\s+(?:(?:{words.BETWEEN_EN})\s+){{0,2}}"
_EN_THERE: Final = re.compile(
    # At the wheel stood Augustus Bell: the place comes first, then who is there.
    rf"(?:^|[.!?]\s+|\n)(?:{words.PLACE_EN})\b[^.!?;,\n\x00]{{0,40}}?\s(?:{words.THERE_EN})\s+"
    rf"(?:(?:{words.LOOKS_EN})\s+)?(?:(?:{words.PERSON_EN})\.?\s+)?$",
    re.IGNORECASE,
)
_EN_SPEAKS: Final = re.compile(rf"{_EN_BETWEEN}(?:{words.SPEECH_EN})\b|:\s*\x00")
_EN_SPOKEN: Final = re.compile(rf"(?:{words.SPEECH_EN})\s+(?:(?:{words.PERSON_EN})\.?\s+)?$", re.I)
_EN_GOES_ON: Final = re.compile(words.GOES_ON_EN)
_EN_ACTS: Final = re.compile(rf"{_EN_BETWEEN}(?:{words.ACTS_EN})\b")


class _Guards(NamedTuple):
    """Words by which what is told is not told of here and now."""

    memory: re.Pattern[str]
    """Beside the name."""
    before: re.Pattern[str]
    """In the same sentence, before the name."""
    recall: re.Pattern[str]
    """Anywhere in the paragraph, and in those that go on with it."""
    opening: re.Pattern[str]
    """At the beginning of a scene."""
    tells: re.Pattern[str]
    """What opens a memory that is told at length, whoever is in it."""
    back: re.Pattern[str]
    """What ends it."""


_ZH: Final = _Guards(
    memory=re.compile(words.MEMORY_ZH),
    before=re.compile(words.UNREAL_ZH),
    recall=re.compile(words.RECALL_ZH),
    opening=re.compile(words.OPENING_ZH),
    tells=re.compile(words.TELLS_ZH),
    back=re.compile(words.BACK_ZH),
)
_EN: Final = _Guards(
    memory=re.compile(rf"\b(?:{words.MEMORY_EN})\b", re.IGNORECASE),
    before=re.compile(rf"\b(?:{words.UNREAL_EN})\b", re.IGNORECASE),
    recall=re.compile(rf"\b(?:{words.RECALL_EN})\b", re.IGNORECASE),
    opening=re.compile(words.OPENING_EN, re.IGNORECASE),
    tells=re.compile(rf"\b(?:{words.TELLS_EN})\b", re.IGNORECASE),
    back=re.compile(rf"\b(?:{words.BACK_EN})\b", re.IGNORECASE),
)


def subjects(body: Body, cast: Cast) -> Iterator[tuple[str, int]]:
    """Every place where one of the cast is what a clause of the narrative is about: who, and where
    in `told`. Weaker than an act: he may be elsewhere."""
    english = body.language == "en"
    goes_on = _EN_GOES_ON if english else _ZH_GOES_ON
    for found in cast.telling_pattern.finditer(body.told):
        start, end = found.span()
        left = body.told[max(0, start - 40) : start].rpartition("\n")[2]
        opens = (_EN_LEFT if english else _ZH_LEFT).search(left)
        if opens and goes_on.match(body.told, end):
            yield cast.forms[found[0]], start


def acts(body: Body, cast: Cast, *, offices: bool = False) -> Iterator[Act]:
    """Every place where one of the cast acts in a body, in order; with `offices` where somebody acts
    whom the text calls by what he alone is to others (师傅)."""
    memories: dict[str, list[bool]] = {}
    pattern = cast.office_pattern if offices else cast.telling_pattern
    for found in pattern.finditer(body.told):
        name = cast.forms[found[0]]
        if offices and body.told[found.end() : found.end() + 1] == "们":
            continue  # 师傅们: not he
        index, start = body.locate(found.start())
        end = start + len(found[0])
        weight = weight_of(body, index, start, end)
        if not weight:
            continue
        if name not in memories:
            memories[name] = _remembered(body, cast, name)
        if not memories[name][index]:
            text = body.paragraphs[index].text
            clause = text[start : _clause_end(text, end)].replace(MASK, "")
            yield Act(name, found.start(), weight, clause)


def weight_of(body: Body, index: int, start: int, end: int) -> int:
    """0, 1 or 2: whether whoever is named at a span of a paragraph acts there, or speaks."""
    text = body.paragraphs[index].text
    english = body.language == "en"
    left, right = text[max(0, start - 40) : start], text[end : end + 60]
    if not bare_weight(left, right, english=english):
        return 0
    begin, finish = _sentence_of(text, start, end)
    # A verb of speech is one only in a sentence that quoted speech goes before or after.
    spoken = MASK in (text[begin - 1 : begin], text[finish : finish + 1])
    weight = bare_weight(left, right, english=english, spoken=spoken)
    if not weight:
        return 0
    guards = _EN if english else _ZH
    reach = begin if english else max(0, start - _REACH)
    unsure = (
        _recalls(body)[index]
        or guards.memory.search(text[reach:finish])
        or guards.before.search(text[begin:start])
    )
    return 0 if unsure else weight


def bare_weight(left: str, right: str, *, english: bool, spoken: bool = True) -> int:
    """The same from what stands before and after a name, whatever the paragraph remembers."""
    return (_english if english else _chinese)(left, right, spoken=spoken)


def acts_at_once(left: str, right: str) -> bool:
    """Whether a Chinese name between these is followed by its verb, and not by a further clause: what
    goes on after 葛明 in 葛明堂走得快，笑了 is another name."""
    there = _is_there(left, right)
    return there or (
        _ZH_LEFT.search(left) is not None
        and (_ZH_SPEAKS.match(right) or _ZH_ACTS_AT_ONCE.match(right)) is not None
    )


def _is_there(left: str, right: str) -> bool:
    there = _ZH_THERE.search(left) if _ZH_CLAUSE_OVER.match(right) else None
    return there is not None and not _ZH_ELSEWHERE.search(there[0])


def _chinese(left: str, right: str, *, spoken: bool) -> int:
    if not _ZH_LEFT.search(left):
        return _ACTS if _is_there(left, right) else 0
    if spoken and (_ZH_SPEAKS.match(right) or (left.endswith(MASK) and _ZH_GOES_ON.match(right))):
        return _SPEAKS
    act = _ZH_ACTS.match(right)
    # 走过的路, 提到过: no act of now.
    return _ACTS if act is not None and right[act.end() : act.end() + 1] not in ("的", "过") else 0


def _english(left: str, right: str, *, spoken: bool) -> int:
    if spoken and _EN_SPOKEN.search(left):
        return _SPEAKS
    if not _EN_LEFT.search(left):
        owns = right.startswith(("'s", "’s"))
        return _ACTS if not owns and _EN_THERE.search(left) else 0
    if spoken and _EN_SPEAKS.match(right):
        return _SPEAKS
    return _ACTS if _EN_ACTS.match(right) else 0


def _sentence_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around a span begins and ends, not looked for without end."""
    low, high = max(0, start - 2 * _REACH), min(len(text), end + 2 * _REACH)
    begin = max(low - 1, *(text.rfind(mark, low, start) for mark in _SENTENCE_END)) + 1
    ends = [at for mark in _SENTENCE_END if (at := text.find(mark, end, high)) >= 0]
    return begin, min(ends, default=high)


def _clause_end(text: str, at: int) -> int:
    end = at
    while end < len(text) and end < at + 24 and text[end] not in _CLAUSE_END:
        end += 1
    return end


def _remembered(body: Body, cast: Cast, name: str) -> list[bool]:
    """Which paragraphs go on with a memory of one person."""
    guards = _EN if body.language == "en" else _ZH
    recalls = _recalls(body)
    out: list[bool] = []
    inside = whole = False
    patience = 0
    scene = -1
    for opens, paragraph in zip(recalls, body.paragraphs, strict=True):
        if paragraph.scene != scene or not out:
            scene, inside, patience = paragraph.scene, False, 0
            whole = guards.opening.match(paragraph.text.strip()) is not None
        told = guards.tells.search(paragraph.text)
        back = guards.back.search(paragraph.text, told.end() if told else 0)
        talk = not paragraph.text.replace(MASK, "").strip()
        named = cast.names_in(name, paragraph.whole)
        # A memory told at length may lose sight of somebody for a few paragraphs.
        patience = _PATIENCE if told or (patience and named) else max(0, patience - (not talk))
        inside = (opens or inside) and (talk or named)
        out.append(whole or inside or patience > 0)
        if back:
            patience = 0
    return out


def _recalls(body: Body) -> list[bool]:
    """Which paragraphs speak of remembering."""
    if body.recalls is None:
        recall = (_EN if body.language == "en" else _ZH).recall
        body.recalls = [recall.search(paragraph.text) is not None for paragraph in body.paragraphs]
    return body.recalls
