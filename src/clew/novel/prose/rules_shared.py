"""Prose rules for every language: torn ends, repeats, broken characters, chatbot openers.

Pure data, and the searches that need to see more than one line at a time. What a story may well mean
(the serial's （未完待续）, a quotation left open) is in `rules_shared_slips`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.rules_shared_slips import RULES as SLIPS
from clew.novel.prose.text import MASK, WRITTEN, Body, Line, LineKind, visible
from clew.novel.prose.torn_end import LETTER_LINE, PAUSES, SENTENCE_ENDS, truncated
from clew.novel.wordcount import WHITESPACE

_COPIED: Final = re.compile(
    "(?:[写抄默念喊叫画刻]|黑板|墙上|口号|标语|短信|屏幕|字幕|弹幕|广播)[^。！？：:]{0,12}[：:][^：:]{0,40}$"
    r"|\b(?:wrote|writes?|writing|written|blackboard|board|wall|lines|copied|typed|chalked|message|screen|read)\b[^.!?:]{0,24}:[^:]{0,40}$",
    re.I,
)
"""What says that somebody writes, copies or calls the same words over and over."""

_SOUND: Final = 3
"""So many different characters may be a sound: 铛——铛——铛——."""

_PANEL: Final = re.compile("【[^【】]*】")

# A sentence: a run without an ending mark, and the marks after it, if there are any.
_SENTENCE: Final = re.compile(rf"([^{SENTENCE_ENDS}{MASK}]{{8,}})([{SENTENCE_ENDS}]*)")


def _without_panels(line: Line) -> str:
    """A line's narrative without 【…】: in litRPG the same notice may well come three times."""
    return _PANEL.sub(lambda found: MASK * len(found[0]), line.narrative)


class _Recited:
    """Which lines somebody sings, writes or calls: short ones, below a line that ends in a colon or
    says so. Read no further than it is asked for, and each line once."""

    def __init__(self, body: Body, most: int) -> None:
        self._lines = body.lines
        self._most = most
        self._read = 0
        self._recited = False

    def before(self, index: int) -> bool:
        """Whether the line before a place, or the words at its end, begins or goes on with it."""
        for line in self._lines[self._read : index]:
            if line.kind is LineKind.NARRATIVE:
                shown = line.shown.strip(WHITESPACE)
                goes_on = self._recited and visible(shown) <= self._most
                announced = shown[-1] in "：:" or _COPIED.search(shown[-LETTER_LINE:])
                self._recited = goes_on or bool(announced)
            elif line.kind is not LineKind.COMMENT:
                self._recited = False
        self._read = index
        return self._recited


def _repeated_lines(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Each line that says again exactly what the line before it said; empty lines do not part
    them. Quoted speech does not count: people do repeat themselves; nor do the lines of a song."""
    least = config.repeat_line_chars if body.language == "zh" else config.repeat_line_chars_en
    most = config.verse_line_chars * (1 if body.language == "zh" else 2)
    previous: str | None = None
    recited = _Recited(body, most)
    for index, line in enumerate(body.lines):
        shown = line.shown.strip(WHITESPACE) if line.kind is LineKind.NARRATIVE else None
        if (
            shown is not None
            and shown == previous
            and visible(_without_panels(line)) >= least
            and len(set(filter(str.isalnum, shown))) > _SOUND
        ):
            # A line of verse is short, and no sentence ends in it, or somebody has begun to sing,
            # or to write lines: 他罚抄：我再也不逃学了。
            verse = visible(shown) <= most and (
                shown[-1] in PAUSES or shown[-1].isalnum() or recited.before(index)
            )
            if not verse:
                start = line.shown.index(shown)
                yield Hit(line, start, start + len(shown))
        if line.kind is not LineKind.COMMENT:
            previous = shown


def _repeated_sentences(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Each narrative sentence that occurs too often, once, where it does so first."""
    zh = body.language == "zh"
    least = config.repeat_sentence_chars if zh else config.repeat_sentence_chars_en
    seen: dict[str, int] = {}
    for line in body.lines:
        if line.kind is not LineKind.NARRATIVE:
            continue
        for found in _SENTENCE.finditer(_without_panels(line)):
            if not found[2]:
                continue  # runs into a quotation or into the end of a line: no whole sentence
            sentence = found[0].strip(WHITESPACE)
            if len(sentence) < least or visible(sentence) < least:
                continue
            seen[sentence] = times = seen.get(sentence, 0) + 1
            if times == config.repeat_sentence_times:
                start = found.start() + found[0].index(sentence)
                yield Hit(line, start, start + len(sentence), {"times": times})


_DEGENERATION: Final[tuple[Rule, ...]] = (
    Rule(
        id="truncated",
        name=Message("正文断尾", "torn end"),
        severity="blocking",
        review="mechanical",
        meant=True,
        message=Message(
            "正文像是没有写完：最后一行没有句末标点",
            "the chapter seems cut off: its last line has no ending mark",
        ),
        advice=Message(
            "把最后一句写完；确实要停在半句上，就用……或——收住。",
            "Finish the last sentence; a line that is meant to break off ends with … or —.",
        ),
        bad="他推开门，外面站着一个人。\n\n那人抬起头，慢慢地",
        good="他推开门，外面站着一个人。\n\n那人抬起头，刚要开口——",
        search=truncated,
    ),
    Rule(
        id="verbatim-repeat-line",
        name=Message("整行重复", "repeated line"),
        severity="blocking",
        review="mechanical",
        meant=True,
        message=Message(
            "这一行与上一行完全相同",
            "this line is the same as the line before it",
        ),
        advice=Message(
            "删去其中一行。",
            "Delete one of the two.",
        ),
        bad="雨一直下到天亮，没有人来过码头。\n\n雨一直下到天亮，没有人来过码头。",
        good="归去来兮。\n归去来兮。\n\n“你到底把账本藏到哪里去了？”\n“你到底把账本藏到哪里去了？”",
        search=_repeated_lines,
    ),
    Rule(
        id="verbatim-repeat-sentence",
        name=Message("整句重复", "repeated sentence"),
        severity="blocking",
        review="mechanical",
        meant=True,
        message=Message(
            "同一句话在本章出现了 {times} 次",
            "the same sentence occurs {times} times in this chapter",
        ),
        advice=Message(
            "只留最要紧的一处，其余改写或删去。",
            "Keep the one that matters, and rewrite or delete the others.",
        ),
        bad=(
            "他把账本重新塞回了墙缝里。风停了。\n他把账本重新塞回了墙缝里。雨也停了。\n"
            "天亮了，他把灯吹灭。他把账本重新塞回了墙缝里。"
        ),
        good=(
            "他把账本重新塞回了墙缝里。风停了。\n他把账本重新塞回了墙缝里。\n"
            "他数到三。风停了。他又数到三。风停了。"
        ),
        search=_repeated_sentences,
    ),
    Rule(
        id="placeholder-broken-character",
        name=Message("乱码字符", "broken character"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "有无法还原的乱码字符（U+FFFD）",
            "a character was lost in conversion (U+FFFD)",
        ),
        advice=Message(
            "对照原稿补回这几个字；文件多半存错过编码，请以 UTF-8 重新保存。",
            "Restore the characters from the source; the file was probably saved in another encoding once.",
        ),
        bad="他叫李\ufffd\ufffd，是这里的账房。",
        good="他叫李□□，名字被水泡没了。",
        pattern=re.compile("\ufffd+"),
        kinds=WRITTEN | {LineKind.TITLE, LineKind.RULER},
        part="whole",
    ),
    Rule(
        id="placeholder-model-token",
        name=Message("模型的控制符", "a model's control mark"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作模型的控制符留在了正文里",
            "a control mark of a language model was left in the text",
        ),
        advice=Message(
            "删掉这个标记，并看看它前后是不是还有不属于正文的话。",
            "Delete the mark, and see whether more around it is not part of the story.",
        ),
        bad="他关上门。<|im_end|>",
        good="她想<这倒怪了>，在箱子上写 |end|。",
        pattern=re.compile(
            r"<[|｜][a-z_▁]{2,40}[|｜]>|</?think(?:ing)?>|\[/?INST\]|<<SYS>>"
            r"|^[ \t]*#{2,4} (?:Response|Instruction|Assistant|Human|User):",
            re.I,
        ),
        kinds=WRITTEN | {LineKind.TITLE, LineKind.RULER},
        part="whole",
    ),
    Rule(
        id="placeholder-assistant-opener",
        name=Message("写作助手的英文应答", "assistant's reply in English"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "行首是写作助手的英文应答，不是正文",
            "a writing assistant's reply stands here instead of prose",
        ),
        advice=Message(
            "删掉这句应答，只留正文。",
            "Delete the reply and keep the story.",
        ),
        bad="Sure, here is the next chapter:\n\nThe ferry was late.",
        good="Sure enough, here was the ferry.\n\nHere is where the story ends.",
        pattern=re.compile(
            r"^[ \t\u3000*]*(?:"
            r"(?:sure|certainly|absolutely|of course|okay|ok|great)(?: thing)?[,.!:]+[ \t]+"
            r"(?:(?:here(?:['’]s| is| are)|below is)\b"
            r"|(?:i(?:['’]ll| will| can)|let me) (?:write|continue|rewrite|revise|draft|expand)\b)"
            r"[^.\n]{0,60}?\b"
            r"(?:chapters?|scenes?(?! of)|drafts?|versions?(?! of)|revision|rewrite|continuation)\b"
            r"|here(?:['’]s| is) (?:the|a|your) (?:(?:next|new|full|complete|first|final)\b ?)?"
            r"(?:(?:revised|rewritten|updated|continued|polished|expanded|requested) [a-z]+"
            r"|(?:chapter|scene|draft|version)\b[^.\n]{0,40}:[ \t]*$)"
            r"|as (?:you )?requested,? here(?:['’]s| is) (?:the|a|your)\b[^.\n]{0,40}?\b(?:chapter|scene"
            r"|version|draft|rewrite)\b"
            r"|as an ai (?:language )?(?:model|assistant)\b"
            r"|as a large language model\b"
            r"|as an ai,? i (?:can(?:not|['’]t)|am unable|am not able|do not|don['’]t)\b"
            r"|here(?:['’]s| is) (?:a|the|your) (?:draft|version|rewrite|revision|continuation)\b[^.\n]{0,80}:[ \t]*$"
            r"|feel free to (?:ask|let me know)\b[^.\n]{0,40}\b(?:expand|adjust|revise|change|continue|tweak|rewrite)\b"
            r"|i hope this (?:chapter|scene|version|draft|revision) (?:meets|fits|works|helps)\b"
            r"|let me know if you(?:['’]d| would)? (?:like|want|need) (?:any |me to |further )?"
            r"(?:changes|revisions|adjustments|edits|revise|adjust|continue|expand|rewrite)\b"
            r")",
            re.I,
        ),
    ),
    Rule(
        id="placeholder-refusal-en",
        name=Message("英文拒绝回复", "assistant's refusal"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "英文的拒绝回复混进了正文",
            "a refusal by a writing assistant stands here instead of prose",
        ),
        advice=Message(
            "删掉这句回复，把本该在这里的情节写出来。",
            "Delete it and write the passage that belongs here.",
        ),
        bad="I'm sorry, but I can't assist with that request.",
        good="“I'm sorry, but I can't help with that request,” the clerk said.\nI'm sorry I left.",
        pattern=re.compile(
            r"\b(?:i(?:['’]m| am) (?:sorry|afraid)|i apologi[sz]e),? (?:but )?i (?:can(?:not|['’]t)|am unable to"
            r"|am not able to|won['’]t be able to) (?:"
            r"(?:assist|help|comply|fulfil+|continue|generate)\b[^.\n]{0,40}?\b(?:request|content|prompt"
            r"|scene|chapter|story|material|with (?:that|this))\b"
            # Whoever writes letters may well be unable to write of a scene or a story.
            r"|(?:write|provide|create|produce)\b[^.\n]{0,40}?\b(?:request|content|prompt)\b)"
            r"|\bi can(?:not|['’]t) (?:create|generate|produce|provide) (?:content|material|text|scenes?"
            r"|descriptions?) (?:that|which|involving|depicting|containing|with)\b"
            r"|\bi(?:['’]m| am) (?:unable|not able) to (?:continue|assist|comply|generate|create|provide)\b"
            r"[^.\n]{0,40}?\b(?:request|content|prompt|material)\b"
            r"|\bi (?:can(?:not|['’]t)|am unable to) (?:fulfil+|comply with) (?:this|that|your) "
            r"(?:request|prompt)\b",
            re.I,
        ),
    ),
)

RULES: Final[tuple[Rule, ...]] = _DEGENERATION + SLIPS
