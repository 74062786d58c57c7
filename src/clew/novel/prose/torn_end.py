"""Whether a chapter is torn off, or ends on a line that needs no mark: a name under a letter, a verse, what
a stone or a screen shows.

Pure. A false alarm here keeps an author from committing a chapter, so what may be meant is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from clew.novel.prose.model import Hit, ProseConfig
from clew.novel.prose.text import MASK, Body, Line, LineKind, visible
from clew.novel.wordcount import WHITESPACE

_ENDERS: Final = frozenset("。｡！？!?….．”\"』」）)】]〕’'—―～~♪♥")
"""Marks a chapter may end on. A dash is one of them: speech that is cut off ends so."""
_TRAILING_MARKS: Final = WHITESPACE + MASK + "*_`"
_END_WORD: Final = re.compile(
    r"[\W_]*(?:(?:全书|全文|本书|本卷|本章|番外|正文|第.{1,6}[卷部章])?[ \u3000]*[完终終]"
    r"|(?i:the end|end|fin|finis))[\W_]*"
)
_NOT_AN_END: Final = frozenset(
    {LineKind.COMMENT, LineKind.RULER, LineKind.HEADING, LineKind.TITLE, LineKind.FRONT_MATTER}
)
_SHOWN: Final = 40
PAUSES: Final = frozenset("，,、；;：:")

_DAY: Final = "[0-9０-９零〇一二三四五六七八九十廿卅]"
# A letter ends with a name, or with what stands where a name would.
_DATE: Final = (
    rf"(?:[^\W\d_a-zA-Z]{{0,2}}{_DAY}{{1,8}}年)?"
    rf"(?:{_DAY}{{1,3}}|[正腊冬闰])月(?:初?{_DAY}{{1,3}})[日号夜晚]?"
)
_SIGNED: Final = re.compile(
    r".{0,24}(?:[谨敬拜叩百]上|百拜|顿首|叩首|拜启|谨启|敬启|手启|谨识|手书|亲笔|绝笔)"
    r"|(?:[你您]的|(?:学生|愚兄|弟|兄|儿|女儿|女|父|母|友|妻|夫|侄|孙|甥|晚|晚辈|部下)[ \u3000])[^\W\d_a-zA-Z]{1,4}"
    rf"(?:[ \u3000,，]+{_DATE})?|{_DATE}"
)
# 慎之兄：  a letter begins, or somebody writes one.
_SALUTATION: Final = re.compile(
    r"[ \u3000]*[^，。！？；：:\n]{1,16}[：:][ \u3000]*"
    "|[^。！？]*(?:信|纸条|字条|便条|留言|遗书|家书|明信片|短信|写道|写着)[^。！？]{0,16}[：:]"
)
_NAME_LINE: Final = re.compile(rf"[^\W\d_a-zA-Z]{{1,4}}(?:[ \u3000,，]+{_DATE})?")
_NO_NAME: Final = re.compile(
    "[他她它你我您这那的了着在把被和与就也都又还却但]|没有|可是|于是|因为|所以|突然|忽然"
)
_LETTER_LINES: Final = 60
"""How far back a letter that a name signs may begin, in lines."""
_INSCRIBED: Final = re.compile(
    "(?:[写署刻印题签贴绣]|落款|信|条|碑|牌|匾|屏|显示)[^。！？]{0,16}[：:]$"
    r"|\b(?:read|reads|said|says|name|names|words?|letters|initials|signature|signed|wrote|written|carved|inscribed|printed|engraved|scrawled)\b[^.!?]{0,24}:$",
    re.I,
)
_VALEDICTION: Final = re.compile(
    r"[ \t_*]*(?:(?:i am|i remain|believe me|with|ever|your|most|and|all|my|in haste|kind(?:est)?|warm(?:est)?|best"
    r"|affectionate|loving|obedient|humble|faithful|devoted|dutiful|dear|own|old) ?)*,? ?"
    r"(?:yours?|sincerely|faithfully|truly|affectionately|respectfully|obediently|devotedly|love|regards|wishes|servant"
    r"|friend|son|daughter|brother|sister)"
    r"(?: (?:ever|always|truly|sincerely|faithfully|affectionately|obedient|obediently|as ever|in haste"
    r"|servant|friend))*,?[ \t_*]*",
    re.I,
)
_YOURS: Final = re.compile(
    r"[ \t_*]*(?:yours?|love|with|best|warmest|fondly|ever|sincerely|faithfully|affectionately|gratefully"
    r"|always|in haste)\b[^.!?]{0,40}",
    re.I,
)
_NAMES: Final = re.compile(r"(?:[A-Z][\w.’'-]{0,16} ?){1,4}")
LETTER_LINE: Final = 40
"""Characters that the last line of a letter has at most."""

SENTENCE_ENDS: Final = "。！？!?….｡"


def truncated(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The last line of prose, if nothing ends it. Lists, tables and quotations that close a chapter
    have their own endings and are left alone."""
    ending = [
        line for line in islice(reversed(body.lines), _LETTER_LINES) if line.kind not in _NOT_AN_END
    ]
    last = ending[0] if ending else None
    before = ending[1] if len(ending) > 1 else None
    if last is None or last.kind is not LineKind.NARRATIVE:
        return
    shown = last.shown.rstrip(_TRAILING_MARKS)
    if not shown or shown[-1] in _ENDERS or _END_WORD.fullmatch(shown):
        return
    if before and before.kind is LineKind.NARRATIVE and shown[-1] not in PAUSES:
        unended = before.shown.rstrip(_TRAILING_MARKS)[-1:].isalnum()
        longest = max(visible(shown), visible(before.shown))
        # An English line of verse is longer: a word takes about twice the characters.
        most = config.verse_line_chars * (1 if body.language == "zh" else 2)
        if unended and longest <= most:
            return
        if len(shown) <= LETTER_LINE and _closes_a_letter(shown, before.shown):
            return
        if (
            _is_shown(shown.strip(WHITESPACE), ending[1:], most)
            or _is_verse(ending, most)
            or _signs_a_letter(shown.strip(WHITESPACE), ending[1:])
        ):
            return
    start = len(shown) - len(shown.lstrip(WHITESPACE))
    yield Hit(last, max(start, len(shown) - _SHOWN), len(shown))


def _closes_a_letter(last: str, before: str) -> bool:
    """Whether a last line without an ending mark is a signature, or what a stone or a note says."""
    above = before.rstrip(_TRAILING_MARKS)
    return bool(
        _SIGNED.fullmatch(last.strip(WHITESPACE))
        or _INSCRIBED.search(above[-60:])
        or (len(above) <= LETTER_LINE and _VALEDICTION.fullmatch(above.strip(WHITESPACE)))
        or (
            _YOURS.match(above) and above.endswith(",") and _NAMES.fullmatch(last.strip(WHITESPACE))
        )
    )


_UNFINISHED: Final = re.compile(
    r"[的了着过把被在和与跟向从对给让将就都也又却但而或及并为以于]\Z"
    r"|\b(?:the|an?|and|or|but|of|to|in|on|at|by|with|from|for|as|that|which|who|his|her|its|their|my|your|is|was|were|had|has|if|than|into)\Z",
    re.I,
)


_SHOWN_LINES: Final = 12


def _is_shown(last: str, above: list[Line], most: int) -> bool:
    """Whether a last line is what a line above announces with a colon (一行字慢慢浮出来：), or the last
    one of several short ones that it announces; it has to look whole."""
    if _UNFINISHED.search(last) or any(mark in last for mark in PAUSES) or visible(last) > most:
        return False
    for line in above[:_SHOWN_LINES]:
        shown = line.shown.rstrip(_TRAILING_MARKS)
        if shown[-1:] in ("：", ":"):
            return True
        if visible(shown) > most or shown[-1:] in SENTENCE_ENDS:
            return False
    return False


def _is_verse(ending: list[Line], most: int) -> bool:
    """Whether the last lines, the last one first, are a verse: four or more of one short length, but
    for their marks."""
    lines = [line.shown for line in ending[:4] if line.kind is LineKind.NARRATIVE]
    lengths = {sum(map(str.isalnum, line)) for line in lines}
    return len(lines) == 4 and len(lengths) == 1 and max(lengths) <= most


def _signs_a_letter(last: str, above: list[Line]) -> bool:
    """Whether a last line is a name, or a name and a date, and a letter begins further up; or a word
    or two that stand alone (明儿见): what is torn off is seldom so short."""
    if not _NAME_LINE.fullmatch(last) or _NO_NAME.search(last):
        return False
    return last.isalpha() or any(_SALUTATION.fullmatch(line.shown) for line in above)
