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
_PAUSES: Final = frozenset("，,、；;：:")

_DAY: Final = "[0-9０-９零〇一二三四五六七八九十廿卅]"
# A letter ends with a name, or with what stands where a name would.
_SIGNED: Final = re.compile(
    r".{0,24}(?:[谨敬拜叩百]上|百拜|顿首|叩首|拜启|谨启|敬启|手启|谨识|手书|亲笔|绝笔)"
    r"|(?:[你您]的|(?:学生|愚兄|弟|兄|儿|女儿|女|父|母|友|妻|夫|侄|孙|甥|晚|晚辈|部下)[ \u3000])[^\W\d_a-zA-Z]{1,4}"
    rf"|(?:[^\W\d_a-zA-Z]{{0,2}}{_DAY}{{1,8}}年)?(?:{_DAY}{{1,3}}|[正腊冬])月(?:初?{_DAY}{{1,3}})[日号]?"
)
_INSCRIBED: Final = re.compile(
    "(?:[写署刻印题签贴绣]|落款|信|条|碑|牌|匾|屏|显示)[^。！？]{0,16}[：:]$"
    r"|\b(?:read|reads|said|says|signed|wrote|written|carved|inscribed|printed|engraved|scrawled)\b[^.!?]{0,24}:$",
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
_LETTER_LINE: Final = 40
"""Characters that the last line of a letter has at most."""

_SINGING: Final = re.compile(
    "(?:[唱歌哼吟咏诵]|念|词|曲|诗|号子|山歌)[^。！？]{0,12}[：:]$"
    r"|\b(?:sang|sung|sing|singing|song|verse|chorus|hymn|chant(?:ed|ing)?|recited|poem)\b[^.!?]{0,16}:$",
    re.I,
)

_PANEL: Final = re.compile("【[^【】]*】")

# A sentence: a run without an ending mark, and the marks after it, if there are any.
_SENTENCE_ENDS = "。！？!?….｡"
_SENTENCE: Final = re.compile(rf"([^{_SENTENCE_ENDS}{MASK}]{{8,}})([{_SENTENCE_ENDS}]*)")


def _truncated(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The last line of prose, if nothing ends it. Lists, tables and quotations that close a chapter
    have their own endings and are left alone."""
    ending = (line for line in reversed(body.lines) if line.kind not in _NOT_AN_END)
    last, before = next(ending, None), next(ending, None)
    if last is None or last.kind is not LineKind.NARRATIVE:
        return
    shown = last.shown.rstrip(_TRAILING_MARKS)
    if not shown or shown[-1] in _ENDERS or _END_WORD.fullmatch(shown):
        return
    if before and before.kind is LineKind.NARRATIVE and shown[-1] not in _PAUSES:
        unended = before.shown.rstrip(_TRAILING_MARKS)[-1:].isalnum()
        longest = max(visible(shown), visible(before.shown))
        # An English line of verse is longer: a word takes about twice the characters.
        most = config.verse_line_chars * (1 if body.language == "zh" else 2)
        if unended and longest <= most:
            return
        if len(shown) <= _LETTER_LINE and _closes_a_letter(shown, before.shown):
            return
    start = len(shown) - len(shown.lstrip(WHITESPACE))
    yield Hit(last, max(start, len(shown) - _SHOWN), len(shown))


def _closes_a_letter(last: str, before: str) -> bool:
    """Whether a last line without an ending mark is a signature, or what a stone or a note says."""
    above = before.rstrip(_TRAILING_MARKS)
    return bool(
        _SIGNED.fullmatch(last.strip(WHITESPACE))
        or _INSCRIBED.search(above[-60:])
        or (len(above) <= _LETTER_LINE and _VALEDICTION.fullmatch(above.strip(WHITESPACE)))
    )


def _without_panels(line: Line) -> str:
    """A line's narrative without 【…】: in litRPG the same notice may well come three times."""
    return _PANEL.sub(lambda found: MASK * len(found[0]), line.narrative)


def _repeated_lines(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Each line that says again exactly what the line before it said; empty lines do not part
    them. Quoted speech does not count: people do repeat themselves; nor do the lines of a song."""
    least = config.repeat_line_chars if body.language == "zh" else config.repeat_line_chars_en
    most = config.verse_line_chars * (1 if body.language == "zh" else 2)
    previous: str | None = None
    sung = False
    for line in body.lines:
        shown = line.shown.strip(WHITESPACE) if line.kind is LineKind.NARRATIVE else None
        short = shown is not None and visible(shown) <= most
        if shown is not None and shown == previous and visible(_without_panels(line)) >= least:
            # A line of verse is short, and no sentence ends in it, or somebody has begun to sing.
            verse = short and (sung or shown[-1] in _PAUSES or shown[-1].isalnum())
            if not verse:
                start = line.shown.index(shown)
                yield Hit(line, start, start + len(shown))
        if line.kind is not LineKind.COMMENT:
            previous = shown
            sung = shown is not None and ((sung and short) or bool(_SINGING.search(shown[-24:])))


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
        search=_truncated,
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
            r"|as an ai (?:language )?(?:model|assistant)\b"
            r"|as a large language model\b"
            r"|as an ai,? i (?:can(?:not|['’]t)|am unable|am not able|do not|don['’]t)\b"
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
            r"\bi(?:['’]m| am) (?:sorry|afraid),? (?:but )?i (?:can(?:not|['’]t)|am unable to"
            r"|am not able to|won['’]t be able to) (?:"
            r"(?:assist|help|comply|fulfil+|continue|generate)\b[^.\n]{0,40}?\b(?:request|content|prompt"
            r"|scene|chapter|story|material|with (?:that|this))\b"
            # Whoever writes letters may well be unable to write of a scene or a story.
            r"|(?:write|provide|create|produce)\b[^.\n]{0,40}?\b(?:request|content|prompt)\b)"
            r"|\bi (?:can(?:not|['’]t)|am unable to) (?:fulfil+|comply with) (?:this|that|your) "
            r"(?:request|prompt)\b",
            re.I,
        ),
    ),
)

RULES: Final[tuple[Rule, ...]] = _DEGENERATION + SLIPS
