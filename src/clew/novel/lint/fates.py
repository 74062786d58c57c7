"""Who has left the story, since which chapter, and whether dead.

Pure. Source: the seed (退役) and what snapshots say of a state. Somebody retires with
`delta.retired_characters`, or dies when the present snapshot says so; a later snapshot that says
nothing of the kind brings back.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.novel.lint.chronicle import Chronicle, Step
from clew.novel.model import Snapshot, State

_DEAD: Final = (
    "死亡|身亡|身故|身死|殒身|阵亡|牺牲|去世|亡故|遇难|殉职|殉国|战死|病逝|病故|病死|毙命|丧命|殒命|殒落|陨落|故去|逝世|过世|死去|遇害|被杀|被害|"
    "溺亡|溺死|淹死|烧死|毒死|处死|斩首|自尽|自杀身亡|断气|咽气|圆寂|驾崩|薨|已死|已故|已亡|死了|殁|故"
)
_BEFORE_ZH: Final = (
    "[\u3400-\u9fff]{2}(?=[元一二三四五六七八九十]{1,3}年)|[元正冬腊春夏秋末]|除夕|元宵|端午|中秋|重阳|"
    "[第零一二三四五六七八九十百廿卅初0-9年月日章夜晚晨已]|当场|不幸|确认|业已|已经|英勇|意外|为国|伤重|重伤|不治|中毒|力竭|落水|"
    "坠崖|坠楼|中弹|中枪|中箭|失血过多|难产"
)
_DEAD_ZH: Final = re.compile(
    rf"(?:于[^，。；]{{1,12}}?)?(?:{_BEFORE_ZH})*"
    rf"(?:(?:{_DEAD})(?:了|于.*|在.*|$|[（(].*)|(?:死于|死在|卒于|殁于|葬于).*)"
)
_ALIVE_ZH: Final = re.compile(
    "未|没|假|诈|疑|传言|误传|谣|险些|几乎|差点|濒|以为|被认为|认为|恐|将死|怕|装|如死|似死|复生|复活|还魂|转世"
)
_DEAD_EN: Final = re.compile(
    r"(?:is |was |now |already |long |has |since |the late\b)*"
    r"(?:dead|deceased|killed|died|dies|drowned|murdered|slain|executed|fallen in battle|passed away)\b",
    re.IGNORECASE,
)
_ALIVE_EN: Final = re.compile(
    r"\b(?:not|never|nearly|almost|half|presumed|believed|thought|feign\w*|play\w*|pretend\w*|fak\w*|"
    r"seem\w*|rumou?red|would|wishes|tired|reviv\w*|resurrect\w*|undead)\b",
    re.IGNORECASE,
)  # fmt: skip
_DEATH: Final = re.compile(
    rf"{_DEAD}|落水而死|而死|毙|亡|\b(?:dead|dies|died|death|drown(?:s|ed)|killed)\b", re.IGNORECASE
)


class Fate(NamedTuple):
    """Somebody is out of the story after chapter `since`, and before `until` where he came back."""

    since: int
    until: int | None
    dead: bool
    words: str
    """What the ledger says of it."""

    def holds(self, chapter: int) -> bool:
        """Whether it holds in a chapter."""
        return self.since < chapter and (self.until is None or chapter < self.until)


def says_dead(text: str) -> bool:
    """Whether the state of a character says that he is dead: a part of it, and no doubt about it."""
    if _ALIVE_ZH.search(text) or _ALIVE_EN.search(text):
        return False
    parts = re.split(r"[，。；;、,.]\s*", text.strip())
    return any(_DEAD_ZH.fullmatch(part) or _DEAD_EN.match(part) for part in parts)


def fates_of(state: State, chronicle: Chronicle) -> dict[str, list[Fate]]:
    """The fates of everybody who ever left, in the order of time."""
    found: dict[str, list[Fate]] = {}
    for step in chronicle.earlier:
        _follow(found, step)
    baseline = chronicle.baseline or state
    for name, snapshot in baseline.characters.items():
        _look(found, name, snapshot, baseline.last_committed_chapter)
    for step in chronicle.steps:
        _follow(found, step)
    return found


def _follow(found: dict[str, list[Fate]], step: Step) -> None:
    delta = step.transaction.delta
    for name, snapshot in step.transaction.character_snapshots.items():
        _look(found, name, snapshot, step.last)
    changes = {row.name: row.change for row in delta.character_changes}
    for name in delta.retired_characters:
        words = changes.get(name, "")
        open_fate = _open(found, name)
        dead = _DEATH.search(words) is not None or (open_fate is not None and open_fate.dead)
        if open_fate is None:
            found.setdefault(name, []).append(Fate(step.last, None, dead, words))


def _look(found: dict[str, list[Fate]], name: str, snapshot: Snapshot, chapter: int) -> None:
    dead = says_dead(snapshot.state)
    fate = _open(found, name)
    if fate is None and dead:
        found.setdefault(name, []).append(Fate(chapter, None, True, snapshot.state))
    elif fate is not None and not dead:
        found[name][-1] = fate._replace(until=chapter)


def _open(found: dict[str, list[Fate]], name: str) -> Fate | None:
    fates = found.get(name)
    return fates[-1] if fates and fates[-1].until is None else None
