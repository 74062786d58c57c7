"""Prose rules for English.

Pure data; the counterparts of the Chinese rules that make sense in English. Openers and refusals
of writing assistants are in `rules_shared`, because they turn up in Chinese chapters as well.
"""

from __future__ import annotations

import re
from typing import Final

from clew.novel.prose.model import Message, Rule
from clew.novel.prose.text import WRITTEN

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="placeholder-marker",
        severity="blocking",
        review="mechanical",
        message=Message(
            "正文里留着占位标记",
            "a placeholder was left in the text",
        ),
        bad="She opened the door. [placeholder for the fight]",
        good="She felt like a placeholder. The trial was to be continued on Monday.",
        pattern=re.compile(
            r"\b(?:TODO|TBD|FIXME|TKTK|PLACEHOLDER)\b"
            r"|[\[<{(][^\[\]<>{}()\n]{0,40}(?i:\bplaceholder\b)[^\[\]<>{}()\n]{0,60}[\]>})]"
            r"|(?i:\bplaceholder text\b|\blorem ipsum\b)"
            r"|^[ \t*_(\[]*(?i:to be continued)[ \t.…!*_)\]]*$"
        ),
        kinds=WRITTEN,
    ),
    Rule(
        id="placeholder-omission",
        severity="blocking",
        review="mechanical",
        message=Message(
            "用括号里的说明代替了正文",
            "bracketed words stand for text that was left out",
        ),
        bad="They fought. [rest of the scene omitted for brevity]",
        good="He left (the details were omitted from the report) and went home [sic].",
        pattern=re.compile(
            r"[\[(][ \t]*(?:(?:the )?(?:rest|remainder|end)(?: of (?:the |this )?[a-z]+)? "
            r"(?:is |was )?(?:omitted|continues|unchanged|skipped)"
            r"|(?:scene|chapter|text|story|content|dialogue|section) (?:is )?"
            r"(?:omitted|continues|goes here|unchanged|skipped)"
            r"|omitted(?: for brevity)?|(?:continued|continues)(?: below| here)?"
            r"|insert [a-z ]{1,40}(?:here)?"
            r")[^\[\]()\n]{0,40}[\])]",
            re.I,
        ),
        kinds=WRITTEN,
    ),
    Rule(
        id="placeholder-ai-self",
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作模型的自称混进了正文",
            "the writing model speaks of itself here",
        ),
        bad="The rain fell. I am an AI language model and do not feel the cold.",
        good="The rain fell on the AI. “I am an AI language model,” it said.",
        pattern=re.compile(
            r"\bi(?:['’]m| am) (?:just |only )?(?:an ai|a large) language model\b"
            r"|\bas an ai language model\b|\bmy (?:training data|knowledge cut-?off)\b",
            re.I,
        ),
    ),
    Rule(
        id="meta-leak",
        severity="blocking",
        review="mechanical",
        message=Message(
            "大纲用语混进了叙述",
            "a label of the outline stands in the narrative",
        ),
        bad="Closing hook: she sees the second ledger.",
        good="She hung her coat on the opening hook: a bent nail by the door.",
        pattern=re.compile(
            r"\blength (?:target|metric|range)[ \t]*:|\bvisible_chars_v1\b"
            r"|^[ \t*]*(?:(?:opening|closing|chapter|ending) hook|target emotion|plot (?:point|beat)"
            r"s?|scene goals?|function tags?)[ \t*]*:",
            re.I,
        ),
    ),
)
