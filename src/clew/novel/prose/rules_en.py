"""Prose rules for English: wording that no reader of a book may see.

Pure data; the leaks that stop a chapter stand here, the manner of writing is in `rules_en_style`
(single sentences), `rules_en_habits` (how often) and `rules_en_rhythm` (how long). Openers and
refusals of writing assistants are in `rules_shared`, because they turn up in Chinese chapters as
well. Each pattern is kept narrow on purpose: omitted, placeholder or continued are ordinary words,
and a false alarm here keeps an author from committing a chapter.
"""

from __future__ import annotations

import re
from typing import Final

from clew.novel.prose.model import Message, Rule
from clew.novel.prose.rules_en_desk import RULES as DESK
from clew.novel.prose.rules_en_desk import markers
from clew.novel.prose.rules_en_habits import RULES as HABITS
from clew.novel.prose.rules_en_rhythm import RULES as RHYTHM
from clew.novel.prose.rules_en_style import RULES as STYLE
from clew.novel.prose.text import WRITTEN, LineKind

_WHY_LEAK: Final = Message(
    "这不是小说里的话，读者一眼就会出戏。",
    "It is not part of the story, and it throws a reader out of it at once.",
)

_PASSAGE: Final = (
    r"(?:scene|chapter|text|story|content|dialogue|section|fight|battle|conversation|argument|passage"
    r"|paragraph|description|flashback|backstory)"
)

_LEAKS: Final[tuple[Rule, ...]] = (
    Rule(
        id="placeholder-marker",
        name=Message("占位标记", "placeholder"),
        severity="blocking",
        review="mechanical",
        meant=True,
        message=Message(
            "正文里留着占位标记",
            "a placeholder was left in the text",
        ),
        advice=Message(
            "写出这里该有的内容，再删掉标记。",
            "Write what belongs here, then delete the marker.",
        ),
        why=_WHY_LEAK,
        bad="She opened the door. [placeholder for the fight]",
        good="He wrote TODO on the slate, and milk under it. She felt like a placeholder.",
        search=markers,
    ),
    Rule(
        id="placeholder-template",
        name=Message("未填的模板字段", "unfilled template field"),
        severity="blocking",
        review="mechanical",
        meant=True,
        message=Message(
            "模板里的字段没有填",
            "a field of a template was never filled in",
        ),
        advice=Message(
            "换成这个人物或地点的名字。",
            "Put the name of the character or the place here.",
        ),
        why=_WHY_LEAK,
        bad="“Good evening,” said [Character Name], and took off his hat.",
        good="The form said Name [please print] and Town. He wrote {} in the margin: {{Level Up!}}.",
        pattern=re.compile(
            r"\{\{ ?(?-i:[a-z][a-z_.]{1,30}) ?\}\}"
            r"|[\[<](?:(?:insert |your |the |main |first |last |full |enemy |hero(?:ine)?['’]?s? )?"
            r"(?:character|protagonist|hero|heroine|villain|antagonist|love interest|city|town"
            r"|village|country|kingdom|place|ship|company)(?:['’]s)?[ _]name"
            r"|(?:insert|your) name(?: here)?|name (?:of|goes)[a-z ]{1,24}|char_?name)[\]>]"
            r"|\[(?:character|person|villain|hero) (?-i:[A-Z]|[0-9]{1,2})\]"
            r"|<(?-i:LOCATION|PLACE|CITY|CHARACTER|PROTAGONIST|HERO|VILLAIN|NAME)>",
            re.I,
        ),
        kinds=WRITTEN | {LineKind.TITLE},
        part="whole",
    ),
    Rule(
        id="placeholder-omission",
        name=Message("括号代替正文", "omission in brackets"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "用括号里的说明代替了正文",
            "bracketed words stand for text that was left out",
        ),
        advice=Message(
            "把省掉的这段写出来，或者改成叙述里的一次跳转。",
            "Write the passage that is missing, or skip the time in the story's own words.",
        ),
        why=_WHY_LEAK,
        bad="They fought. [rest of the scene omitted for brevity]",
        good="He left (the details were omitted from the report) and went home [sic].",
        pattern=re.compile(
            r"[\[(][ \t.…]*(?:(?:the )?(?:rest|remainder|end)(?: of (?:the "
            rf"|this )?(?:{_PASSAGE} )?{_PASSAGE})? (?:is |was )?"
            r"(?:omitted|continues|unchanged|skipped)[^\[\]()\n]{0,40}"
            rf"|{_PASSAGE} (?:is )?(?:omitted|continues|goes here|unchanged|skipped)[^\[\]()\n]{{0,40}}"
            r"|omitted(?: here| below| for (?:brevity|length|space|now))?"
            r"|(?:continued|continues)(?: below| here)?"
            r"|(?:describe|expand on|flesh out) (?:the|a|an|how|his|her|their|this|what|more)\b[^\[\]()\n]{0,60}"
            rf"|(?:insert|add) [^\[\]()\n]{{0,40}}(?:\bhere|\b{_PASSAGE})\b[^\[\]()\n]{{0,20}}"
            r")[ \t.…]*[\])]",
            re.I,
        ),
        kinds=WRITTEN,
    ),
    Rule(
        id="placeholder-ai-self",
        name=Message("模型自称", "the model speaks"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作模型的自称混进了正文",
            "the writing model speaks of itself here",
        ),
        advice=Message(
            "删掉这句；如果是人物在说话，放进引号。",
            "Delete the sentence; if a character says it, put it in quotation marks.",
        ),
        why=_WHY_LEAK,
        bad="The rain fell. I am an AI language model and do not feel the cold.",
        good="The rain fell on the AI. “I am an AI language model,” it said.",
        pattern=re.compile(
            r"\bi(?:['’]m| am) (?:just |only )?(?:an ai|a large) language model\b"
            r"|\bas an ai language model\b|\bmy (?:training data|knowledge cut-?off)\b",
            re.I,
        ),
    ),
    Rule(
        id="placeholder-assistant-offer",
        name=Message("助手的追问", "an assistant's offer"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作助手的追问混进了正文",
            "a writing assistant offers to go on here",
        ),
        advice=Message("删掉这句。", "Delete the sentence."),
        why=_WHY_LEAK,
        bad="The gate closed.\n\nWould you like me to continue with the next chapter?",
        good="Would you like me to continue? the letter asked. “Shall I go on with the chapter?”",
        pattern=re.compile(
            r"^[ \t*]*(?:would you like|do you want) me to\b[^.?!\n]{0,30}"
            r"\b(?:continue|proceed|write|rewrite|revise|expand|adjust|draft)\b[^.?!\n]{0,30}"
            r"\b(?:the (?:next|following|story|scene|chapter)|next (?:chapter|scene)"
            r"|chapter \w+|this (?:chapter|scene|draft|version)|another (?:chapter|version|draft))\b"
            r"[^.?!\n]{0,60}\?",
            re.I,
        ),
    ),
    Rule(
        id="meta-leak",
        name=Message("大纲用语", "outline label"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "大纲用语混进了叙述",
            "a label of the outline stands in the narrative",
        ),
        advice=Message(
            "删掉这个标签，把它说的事写成情节。",
            "Delete the label, and let what it announces happen in the scene.",
        ),
        why=_WHY_LEAK,
        bad="Closing hook: she sees the second ledger.",
        good="She hung her coat on the opening hook: a bent nail by the door.",
        pattern=re.compile(
            r"\blength (?:target|metric|range)[ \t]*:|\bvisible_chars_v1\b"
            r"|^[ \t*]*(?:(?:opening|closing|chapter|ending) hook|target emotion|(?:plot|story) (?:point|beat)"
            "s?(?: (?:[0-9]{1,2}|one|two|three|four|five|six))?|(?:scene|chapter) (?:goals?|objectives?)"
            r"|function tags?)[ \t*]*:"
            r"|^[ \t*_(\[]*(?:total )?word count[ \t*]*[:=][ \t*~≈]*(?:approx(?:\.|imately)?|about|around|circa"
            r"|ca?\.)?[ \t]*[0-9][0-9,.]*"
            r"(?: words)?[ \t.*_)\]]*$",
            re.I,
        ),
    ),
)

RULES: Final[tuple[Rule, ...]] = _LEAKS + DESK + STYLE + HABITS + RHYTHM
