"""Prose rules for English: markers of a draft, blanks, labels of the plan.

Pure data, and the searches that look at what stands before a match. A marker at the front of a line,
before a colon or in brackets is the writer's own; in running prose a character may be writing it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.spans import outside
from clew.novel.prose.text import WRITTEN, Body

_WORDS: Final = r"\b(?:TODO|TBD|FIXME|TKTK|PLACEHOLDER)\b"
_MARKER: Final = re.compile(
    rf"^[ \t*_#>-]*{_WORDS}(?! (?:is|was|meant|stood|it said)\b)|{_WORDS}(?=[ \t]*:)"
    rf"|[\[<{{(][^\[\]<>{{}}()\n]{{0,40}}(?:{_WORDS}|(?i:\bplaceholder\b))[^\[\]<>{{}}()\n]{{0,60}}[\]>}})]"
    r"|(?i:\bplaceholder text\b|\blorem ipsum\b)"
)
_WRITING: Final = re.compile(
    r"\b(?:wrote|writ(?:es?|ing|ten)|read|reads|reading|said|says|spelled|spelt|painted|chalked|carved|scratched"
    r"|scrawled|scribbled|pencilled|penciled|typed|printed|marked|labelled|labeled|headed|headline|titled|entitled|named|called|list|note|sign|screen|page"
    r"|slate|board|tattoo|ticket|form|stamped|word)\b",
    re.I,
)
_LOOSE: Final = re.compile(
    rf"{_WORDS}"
    # XXX walked in; neither a size, nor a year, nor the mark on a jug
    r"|\bX{2,4}(?= (?:said|asked|was|had|went|came|stood|looked|took|got|ran|sat|turned|[a-z]{2,12}ed)\b)"
    r"|(?<=\bto )XX+\b|(?<=\bwith )XX+\b|(?<=\bMr )XX+\b|(?<=\bMr\. )XX+\b|(?<=\bnamed )XX+\b|(?<=\btown of )XX+\b"
    r"|(?<![:\w_])_{3,}(?= [a-z])"
    r"|\bTK\b(?= (?:describe|add|check|insert|scene|name|more|details?|write|fix|expand|research|transition)\b)"
)
_MAY_BE_LOOSE: Final = re.compile("TODO|TBD|FIXME|TK|PLACEHOLDER|XX|___")


def markers(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Markers of a draft that nobody in the story writes or reads."""
    for line in body.lines:
        if line.kind in WRITTEN:
            for found in _MARKER.finditer(line.narrative):
                if not _is_written(found):
                    yield Hit(line, *found.span())


def _loose_markers(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Words of a draft in running prose, where they may be a note that somebody reads or writes."""
    for line in body.lines:
        if line.kind in WRITTEN and _MAY_BE_LOOSE.search(line.narrative):
            marked = _MARKER.finditer(line.narrative)
            told = (found.span() for found in marked if not _is_written(found))
            for found in outside(told, _LOOSE.finditer(line.narrative)):
                yield Hit(line, *found.span())


def _is_written(found: re.Match[str]) -> bool:
    """Whether somebody writes, prints or reads it: He wrote TODO on the slate."""
    before = found.string[max(0, found.start() - 40) : found.start()]
    own = before[max(map(before.rfind, ".!?")) + 1 :]
    return _WRITING.search(own) is not None


# --- labels of the plan ---

_LABEL: Final = re.compile(
    r"^[ \t]*(?:#{1,6} *)?(?:chapter|scene|story|plot) (?:summary|outline|recap|notes?"
    r"|synopsis)[ \t]*(?::[^\n]{0,120})?[ \t]*$"
    r"|^[ \t]*(?:#{1,6} *)(?:summary|outline|recap|notes|synopsis)[ \t]*:?[ \t]*$"
    r"|^[ \t]*\**\[(?:scene|setting|location|pov|time)[ \t]*:[^\[\]\n]{1,80}\]\**[ \t]*$"
    r"|^[ \t]*\*\*(?:scene|part|section|act|beat|opening|rising action|climax|falling action|resolution|conflict)"
    r"(?: (?:[0-9]{1,3}|[ivx]{1,5}|one|two|three|four|five|six))?(?:[ \t]*[:.—-][^*\n]{1,80})?\*\*[ \t]*$"
    r"|^[ \t*_]*end of (?:chapter|scene) \w{1,12}[ \t.*_]*$"
    r"|^[ \t]*scene [0-9]{1,3}(?: (?:outline|summary|beats?|notes?|goals?))?[ \t]*:[^\n]{1,80}$"
    r"|^[ \t*]*(?:POV|hook|stakes|tone|mood|conflict|beat|subplot|(?:key )?themes?|turning point"
    "|inciting incident|(?:story|plot|emotional) beat|logline|premise|cliffhanger|character arc"
    r"|foreshadowing)[ \t*]*:[^\n]{2,80}$",
    re.I,
)

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="placeholder-word",
        name=Message("像占位的词", "a word like a placeholder"),
        severity="advisory",
        review="semantic",
        message=Message(
            "像是没填的空位或草稿里的标记，请确认是故事里的东西",
            "it looks like a blank or a draft's marker; make sure that it is part of the story",
        ),
        advice=Message(
            "换成名字、时间或该写的内容；人物真在写它、念它，就留着。",
            "Put the name, the time or the passage here; keep it where somebody writes or reads it.",
        ),
        bad="XXX walked in and shut the door.",
        good="The jug was marked XXX, and the king was Louis XV. Name: ____, and an inch for it.",
        search=_loose_markers,
    ),
    Rule(
        id="section-label",
        name=Message("提纲式小标题", "a label of the plan"),
        severity="advisory",
        review="mechanical",
        message=Message(
            "像提纲里的小标题：小结、场景编号、加粗的段落名",
            "it looks like a label of the plan: a summary, a numbered scene, a bold heading",
        ),
        advice=Message(
            "删掉小标题，用场面本身过渡；剧本、讲稿真在故事里，就留着。",
            "Delete it and let the scene make the turn; keep it where a script is part of the story.",
        ),
        bad="She shut the door.\n\n**Scene 2: The Confrontation**\n\nHe was waiting.",
        good="**He was dead.**\n\nIn scene 2 she had no lines, and she knitted through it.",
        pattern=_LABEL,
        kinds=WRITTEN,
    ),
)
