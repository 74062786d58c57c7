"""Chinese: slips of the finger.

Pure data. Only particles and pronouns that nothing in Chinese doubles; 妈妈, 谢谢, 试试, 看看 and
的的确确 are words, and 目的的, 现在在 are two words that meet.
"""

from __future__ import annotations

import re
from typing import Final

from clew.novel.prose.model import Message, Rule

# Each alternative begins with the doubled characters and looks back from there: a search that begins
# with a look behind itself has to stop at every character.
_DOUBLED: Final = re.compile(
    "的的(?<![目打有的]的的)(?![的确士])"
    "|他他(?<![他她其]他他)(?![他她])|她她(?<![他她其]她她)(?![他她])|们们(?<!们们们)(?!们)|很很(?<!很很很)(?!很)"
    "|去去(?<=[进出上下回过]去去)(?=[，。！？；]|$)|来来(?<=[进出上下回过]来来)(?=[，。！？；]|$)"
    # 已经经走了, 忽然然: the second character of a word twice
    "|已经经(?![过历济常营纪理受由手])|因为为(?![了何什此民首难])|可是是(?!非)|但是是(?!非)|所以以(?![后前为便免及来至])|没有有"
    "|忽然然(?!后|而)|突然然(?!后|而)|虽然然(?!后|而)|仍然然(?!后|而)|依然然(?!后|而)|居然然(?!后|而)|果然然(?!后|而)"
    "|竟然然(?!后|而)|既然然(?!后|而)|当然然(?!后|而)|如果果(?![然真实树园])|知道道(?![理路歉谢德义])"
    "|了了(?<=[来去到起下上出进过死好完]了了)(?![解结然一无事账断])|在在(?<![现存实所内外正潜自好旨志]在在)(?![乎场职所座意校])"
    "|把把(?<=[他她我你就便又]把把)(?![握手柄关戏脉])|被被(?<=[他她我你们]被被)(?![子单褥套窝面褐])"
    r"|着着(?<=\w着着)(?![急火凉实手陆装重迷色力想])"
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
