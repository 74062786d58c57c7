"""Prose rules for Chinese: wording that no reader of a book may see.

Pure data, and the searches that look at what stands around a match. Placeholders, empty fields of a
template, words of the outline; what a writing assistant says is in `rules_zh_assistant`. Each
pattern is kept narrow on purpose: 略, 省略, 情节 or TODO are ordinary words, and a false alarm here
keeps an author from committing a chapter. What a story could well say (an XXX, a note TODO that
somebody writes, a 场景二 in a novel about players) is advised upon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.spans import outside
from clew.novel.prose.text import WRITTEN, Body, LineKind

_OUTLINE_WORD: Final = re.compile(
    # 剧情|节点 and 情节|点缀 hold the three characters of 情节点 without being the word.
    r"细纲|卷纲|(?<![剧感爱友亲热])情节点(?![缀明出燃破题滴睛化])|功能标签|字数目标|字数口径|章首钩子|章尾钩子"
    # 目标情绪稳定 is what a sniper reports; the outline's label stands alone or before a colon.
    r"|目标情绪(?=$|[：:、，。；）)\s]|是|为)"
    # 本章钩子：灯灭了; a hook of iron has no chapter.
    r"|^[ \t\u3000*【\[]*(?:本章|章节|章末|结尾|开篇|开头)(?:钩子|爽点|看点|情绪点|悬念点|任务)[ \t*】\]]*(?=[：:])"
    # （字数：2134） on a line of its own
    r"|^[ \t\u3000*]*(?:[（(\[](?:本章|全文|正文|全章|总)?字数(?:统计)?|(?:本章|全文|正文|全章)字数)"
    r"[ \t*]*[：:][ \t约共]*[0-9０-９,，]+[ \t]*字?[ \t）)\]*。]*$"
)
# Words that a chapter may say of itself by mistake; in a book about books they may be meant.
_SELF_WORD: Final = re.compile(
    r"(?<![到完至成的])第[零〇一二三四五六七八九十百千两0-9０-９]{1,7}章(?![^。，\n]{0,4}(?:书|课|条|款|乐))"
    "|(?<![章印])本章(?!程)|(?<![盖印刻戳打按])[上下]一章"
    "|(?<![以从之先目眼门面生提当])前文(?![书化字章件明物职工官凭盲艺人学山静庙院秀])"
    "|(?<![以之最然今此身门背王皇太前日先事饭午过])后文(?![书化字章件明物职工官凭盲艺人学])"
    "|伏笔|读者(?!证|来信|服务|协会|文摘|阅览|群|见面|俱乐部|登记|姓名)"
    "|任务描述|(?:成长|人物|角色)弧(?:光|线)"
)
_OMITTED_WHAT: Final = (
    "(?:此处|此|这里|这段|本段|以下|下文|以上|上文|中间|其间|后面|后文|后续|前面|前文|前|中|后|下|余"
    "|过程|内容|细节|详情|情节|描写|对话|对白|打斗|战斗|场景|正文)"
)
_BRACKETED: Final = r"[^（）()【】\[\]〔〕\n]"
_PASSAGE: Final = (
    "(?:描写|场面描|场景|对话|对白|情节|剧情|段落|打斗|战斗|细节|回忆|过渡|心理|环境描)"
)


def _outline_words(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Words of the outline in lines where nobody speaks."""
    for line in body.lines:
        if line.kind is LineKind.NARRATIVE and line.narrative == line.shown:
            for found in _OUTLINE_WORD.finditer(line.narrative):
                yield Hit(line, *found.span())


def _outline_words_near_speech(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The same in lines where somebody does: he may be speaking, or thinking, of a book."""
    for line in body.lines:
        if line.kind is LineKind.NARRATIVE and line.narrative != line.shown:
            for found in _OUTLINE_WORD.finditer(line.shown):
                yield Hit(line, *found.span())


# --- placeholders ---

_WORDS: Final = r"(?<![A-Za-z0-9_-])(?:TODO|TBD|FIXME|(?i:placeholder))(?![A-Za-z0-9_-])|占位符"
_MARKER: Final = re.compile(
    # 【待补：打斗】, （此处待写）
    r"[【（(\[]此?处?待(?:补|续|写|填)(?:[^】）)\]：:]{0,8}|[：:][^】）)\]]{0,40})[】）)\]]|此处待(?:补|续|写|填)"
    # TODO at the front of a line, before a colon, or alone in brackets; not what somebody writes down
    rf"|^[ \t\u3000*#>\-]*(?:{_WORDS})(?![^。！？\n]{{0,3}}(?:是|这个词|两个字|四个字))"
    rf"|(?:{_WORDS})(?=[ \t]*[：:])"
    rf"|[【（(\[<][^【】（）()\[\]<>\n]{{0,20}}(?:{_WORDS})[^【】（）()\[\]<>\n]{{0,30}}[】）)\]>]"
)
_WRITING: Final = re.compile(
    "[写印刻画贴标填记列打敲抄念读叫]|屏|栏|表|模板|代码|纸|本子|便签|清单|备忘"
)
_LOOSE: Final = re.compile(
    rf"{_WORDS}"
    # XXX走进来, 时间是XX点; neither 20XX年 nor XXL
    r"|(?<![0-9A-Za-z〇])[Xx]{2,4}(?![0-9A-Za-z])(?!级|号|码|片|染|光)(?= ?[^\W\da-zA-Z_])"
    # 来到了____镇
    r"|(?<![：:名龄址期话_])_{2,}(?=[^\W\da-zA-Z_])(?![^_\n]{0,4}_)"
)
_SLOT: Final = (
    "(?:(?:男|女)?主角?|男主|女主|主人公|角色|反派|配角|路人|人物|地点|地名|城市|城镇|村庄|国家|门派|宗门|公司|姓名|名字|称呼|职业|武器|功法|势力)"
    "(?:名|名字|名称|姓名|的名字)?[0-9A-Za-z一二三甲乙丙]?"
)
_TEMPLATE: Final = re.compile(
    rf"\{{\{{ ?(?:{_SLOT}|[a-z][a-z_.]{{1,30}}) ?\}}\}}|(?<!\{{)\{{(?:{_SLOT})\}}(?!\}})"
    r"|[\[［](?:主角|男主角?|女主角?|角色|人物|反派|配角|地点|地名|城市|门派|宗门|公司|插入)(?:名|名字|名称|姓名)[0-9A-Za-z一二三甲乙丙]?[\]］]"
    r"|[\[［](?:男主角?|女主角?|主角|反派|插入人名|插入地名)[0-9A-Za-z一二三]?[\]］]"
)
_LABELLED: Final = re.compile("[：:]|一?[栏项]|字样|[两三四]个?字|这[个几]")
_CARD_SLOT: Final = re.compile(r"\{\{ ?(?:char|user) ?\}\}")


def _markers(body: Body, config: ProseConfig) -> Iterator[Hit]:
    for line in body.lines:
        if line.kind in WRITTEN:
            for found in _MARKER.finditer(line.narrative):
                if not _is_written(line.narrative, found.start()):
                    yield Hit(line, *found.span())


def _loose_markers(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Words of a draft in running prose, where they may be a note that somebody reads or writes."""
    for line in body.lines:
        if line.kind in WRITTEN:
            marked = _MARKER.finditer(line.narrative)
            told = (
                found.span() for found in marked if not _is_written(line.narrative, found.start())
            )
            for found in outside(told, _LOOSE.finditer(line.narrative)):
                yield Hit(line, *found.span())


def _is_written(text: str, at: int) -> bool:
    """Whether somebody writes, prints or reads what stands at a place: 她在稿纸上写：TODO，买米."""
    sentence = text[max(0, at - 24) : at]
    own = sentence[max(map(sentence.rfind, "。！？!?"), default=-1) + 1 :]
    return _WRITING.search(own) is not None


def _templates(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Fields of a template that were never filled in. A label before a colon, and what a form or a
    screen shows, are part of a story about forms and screens."""
    for line in body.lines:
        if line.kind not in WRITTEN and line.kind is not LineKind.TITLE:
            continue
        for found in _TEMPLATE.finditer(line.narrative):
            label = _LABELLED.match(line.narrative, found.end())
            if not label and not _is_written(line.narrative, found.start()):
                yield Hit(line, *found.span())
        for found in _CARD_SLOT.finditer(line.quoted):
            yield Hit(line, *found.span())


# --- labels of the plan ---

_LABEL: Final = re.compile(
    r"^[ \t\u3000]*(?:#{1,6}[ \t\u3000]*)?\**[ \t]*(?:"
    r"本章(?:小结|总结|要点|概要|大纲|梗概)|(?:情节|剧情|章节)(?:小结|概要|总结|梗概|大纲)"
    r"|场景[零〇一二三四五六七八九十0-9０-９]{1,3}[ \t]*[：:．.、]"
    r")"
    r"|^[ \t\u3000]*\*\*[ \t]*(?:第[零〇一二三四五六七八九十0-9０-９]{1,3}[节幕场]|场景|开篇|起因|冲突|高潮|转折"
    r"|结尾|收束|过渡|铺垫)[^*。！？\n]{0,20}\*\*[ \t]*[：:]?[ \t]*$"
)

RULES: Final[tuple[Rule, ...]] = (
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
            "把这里该有的内容写出来，再删掉标记。",
            "Write what belongs here, then delete the marker.",
        ),
        bad="他走到门前。\n\nTODO 补一段打斗",
        good="他在稿纸上写：TODO，买米。他在 PPT 首页写下 todolist，又把名字叫作 TODOROKI 的人划掉。",
        search=_markers,
    ),
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
        bad="XXX走进来，把门关上。",
        good="他穿 XXL 号的工装，在 20XX 年的旧历上画圈。\n姓名：____。",
        search=_loose_markers,
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
        bad="{{主角名}}拔出了刀，挡在门前。",
        good="屏幕上跳出一行字，{姓名}三个字还没有替换。{姓名}：林越。表格上印着[姓名]和[住址]两栏。",
        search=_templates,
    ),
    Rule(
        id="placeholder-omission",
        name=Message("括号省略", "bracketed omission"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "用括号里的说明代替了正文",
            "bracketed words stand for text that was left out",
        ),
        advice=Message(
            "把略去的内容写出来；本来就不必写的，连括号一起删掉。",
            "Write out what was left out, or delete the brackets with it.",
        ),
        bad="两人打了起来。（此处省略打斗过程）",
        good="他（略一迟疑）接过账本，翻到战略（粗略）一页，又看了看（省略号）后面的空白。（此处为禁地）",
        pattern=re.compile(
            r"[（(【\[〔][ \t\u3000]*(?:[^（）()【】\[\]〔〕，,\n]{1,12}[，,])?(?:"
            rf"(?:{_OMITTED_WHAT}{{1,3}}(?:省略|从略|略去)(?!号)|(?:省略|从略|略去)(?![号了掉]))"
            rf"{_BRACKETED}{{0,24}}"
            rf"|{_OMITTED_WHAT}{{0,3}}略(?:[0-9０-９一二三四五六七八九十百千万余数若干]{{1,8}}[字段句行])?[。.…]*"
            # [此处插入打斗描写]
            rf"|(?:此处|这里|此段|本段)(?:可以?|需要?|应该?|请|将|要|再)?(?:插入|添加|补充|加入|补上|展开|扩写|详写)"
            rf"{_BRACKETED}{{0,16}}{_PASSAGE}{_BRACKETED}{{0,12}}"
            # （此处为打斗场面，约500字）
            rf"|(?:此处|这里|此段|本段)(?:为|是|写){_BRACKETED}{{1,20}}[，, ](?:大?约|共)[ ]?"
            r"[0-9０-９一二三四五六七八九十百千两]+[ ]?字"
            rf"|(?:此处|这里|此段|本段)(?:为|是){_BRACKETED}{{0,8}}(?:描写|剧情|情节)"
            r")[ \t\u3000]*[）)】\]〕]"
        ),
        kinds=WRITTEN,
    ),
    Rule(
        id="meta-leak",
        name=Message("大纲用语", "outline label"),
        severity="blocking",
        review="mechanical",
        meant=True,
        message=Message(
            "大纲用语混进了叙述",
            "a word of the outline stands in the narrative",
        ),
        advice=Message(
            "换成故事里的说法，或把整句删掉：大纲怎么安排，不该由叙述说出来。",
            "Say it in the story's own terms or delete the sentence: the plan is not for readers.",
        ),
        bad="这一幕推进了第二个情节点，他终于走进了仓库。",
        good="他按剧情节点存了档，用几段旧情节点缀其间，报告说目标情绪稳定。",
        search=_outline_words,
    ),
    Rule(
        id="meta-leak-quoted",
        name=Message("引号里的大纲用语", "outline label in speech"),
        severity="advisory",
        review="mechanical",
        message=Message(
            "有对白的一行里出现大纲用语，请确认是人物在谈写作",
            "a word of the outline stands in a line with speech; make sure it is meant",
        ),
        advice=Message(
            "人物真在谈写作就留着；否则换成他会说的话。",
            "Keep it if the character speaks about writing; otherwise let him say it in his own words.",
        ),
        bad="“细纲写完了吗？”编辑问。",
        good="“账本写完了吗？”编辑问。",
        search=_outline_words_near_speech,
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
        bad="他推门进去。\n\n场景二：客栈，夜。\n\n灯下坐着一个人。",
        good="**他死了。**\n\n戏分三场，场景二里没有他的词。他把本子合上。",
        pattern=_LABEL,
        kinds=WRITTEN,
    ),
    Rule(
        id="meta-words",
        name=Message("自指用语", "words about the book itself"),
        severity="advisory",
        review="semantic",
        message=Message(
            "叙述里出现了谈论本书的词，请确认故事里真有这本书",
            "the narrative speaks of chapters, readers or foreshadowing; make sure it is meant",
        ),
        advice=Message(
            "故事里的人在谈书就留着；否则换成时间、地点或那件事本身（「上一章」写成「昨夜」）。",
            "Keep it if a book in the story is meant; otherwise name the time, place or event.",
        ),
        bad="正如前文所说，他已经把刀埋好了。",
        good="以前文书都归他管，后文化馆拆了。他把章程盖上一章，读者证放在桌上。",
        pattern=_SELF_WORD,
        part="prose",
    ),
)
