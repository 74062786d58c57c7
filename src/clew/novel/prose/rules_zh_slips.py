"""Chinese: slips of the finger.

Pure data. Only particles and pronouns that nothing in Chinese doubles; 妈妈, 谢谢, 试试, 看看 and
的的确确 are words, and 目的的, 现在在 are two words that meet.
"""

from __future__ import annotations

import re
from typing import Final

from clew.novel.prose.model import Message, Rule

_DOUBLED: Final = re.compile(
    "(?<![目打有的])的的(?![的确士])"
    "|(?<![他她其])(?:他他|她她)(?![他她])|(?<!们)们们(?!们)|(?<!很)很很(?!很)"
    "|(?<=[进出上下回过])(?:去去|来来)(?=[，。！？；]|$)"
)

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="doubled-word",
        name=Message("重复的字", "a word twice"),
        severity="advisory",
        review="mechanical",
        message=Message("同一个字连写了两遍", "the same small word stands twice in a row"),
        advice=Message("删掉一个。", "Delete one of them."),
        bad="她的的手很凉。",
        good="妈妈的确来过。他此行的目的的确不在钱。的的确确，谢谢试试看看。其他他都不要。",
        pattern=_DOUBLED,
    ),
)
