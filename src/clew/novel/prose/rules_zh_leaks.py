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
    r"|^[ \t\u3000*【\[]*(?:本章|章节|章末|结尾|开篇|开头)(?:钩子|爽点|看点|情绪点|悬念点?|任务)[ \t*】\]]*(?=[：:])"
    # （字数：2134） on a line of its own
    r"|^[ \t\u3000*]*(?:[（(\[](?:本章|全文|正文|全章|总)?字数(?:统计)?|(?:本章|全文|正文|全章)字数(?:统计)?|字数统计)"
    r"[ \t*]*[：:][ \t约共]*[0-9０-９,，]+[ \t]*字?[ \t）)\]*。]*$"
)
# Words that a chapter may say of itself by mistake; in a book about books they may be meant.
_SELF_WORD: Final = re.compile(
    r"(?<![到完至成的])第[零〇一二三四五六七八九十百千两0-9０-９]{1,7}章(?![^。，\n]{0,4}(?:书|课|条|款|乐))"
    "|(?<![章印])本章(?!程)|(?<![盖印刻戳打按])[上下]一章"
    "|(?<![以从之先目眼门面生提当])前文(?![书化字章件明物职工官凭盲艺人学山静庙院秀])"
    "|(?<![以之最然今此身门背王皇太前日先事饭午过])后文(?![书化字章件明物职工官凭盲艺人学])"
    "|伏笔|(?:亲爱的|各位|诸位|诸君)读者|读者(?:们|朋友|诸君|老爷)|读者(?:或许|也许|可能|应该|应当|一定|自然|想必|早已|还|会|不禁|看到|读到|要问|不难)"
    r"|任务描述|(?:前面|后面|之前|之后)[几两三]章|(?<![的\[［【（({])(?:男主|女主)(?![人角持管播任席外内事名])|按照?(?:大纲|章纲)|我们的(?:主角|主人公|男主|女主)|"
    "上文(?:提到|所述|说到|说过|写到)|剧情(?:推进|走向|需要|发展到)|(?:暗线|主线|支线)(?=[^。，]{0,10}(?:回收|推进|收束))|作为(?:本书|这本书|故事)的?(?:主角|男主|女主|反派)|(?:成长|人物|角色)弧(?:光|线)"
)
_OMITTED_WHAT: Final = (
    "(?:此处|此|这里|这段|本段|以下|下文|以上|上文|中间|其间|后面|后文|后续|前面|前文|前|中|后|下|余"
    "|过程|内容|细节|详情|情节|描写|对话|对白|打斗|战斗|场景|场面|正文|部分|剧情|段落|若干|几段|一段)"
)
_BRACKETED: Final = r"[^（）()【】\[\]〔〕\n]"
_PASSAGE: Final = (
    "(?:描写|场面描|场景|对话|对白|情节|剧情|段落|打斗|战斗|细节|回忆|过渡|心理|环境描)"
)

_OMISSION: Final = re.compile(
    r"[（(【\[〔][ \t\u3000]*(?:[^（）()【】\[\]〔〕，,\n]{1,12}[，,])?(?:"
    rf"(?:{_OMITTED_WHAT}{{1,3}}(?:省略|从略|略去)(?!号)|(?:省略|从略|略去)(?![号了掉]))"
    rf"{_BRACKETED}{{0,24}}"
    rf"|{_OMITTED_WHAT}{{0,3}}略(?:[0-9０-９一二三四五六七八九十百千万余数若干]{{1,8}}[字段句行])?[。.…]*"
    # [此处插入打斗描写]
    rf"|(?:此处|这里|此段|本段)(?:可以?|需要?|应该?|请|将|要|再)?(?:插入|添加|补充|加入|补上|展开|扩写|详写)"
    rf"{_BRACKETED}{{0,16}}{_PASSAGE}{_BRACKETED}{{0,12}}"
    # （这里补一段两人吵架的戏）
    rf"|(?:这里|此处|此段|这段)(?:还?要|还?需要?|应该?|再|得)?(?:补|加|插|补写|加写)(?:一[段场处些点]|上一?[段场]){_BRACKETED}{{0,16}}"
    # （此处应有一段环境渲染）
    rf"|(?:此处|这里|此段)应(?:该|当)?有{_BRACKETED}{{0,10}}(?:{_PASSAGE}|渲染|铺垫|交代)写?"
    # [此处描写大殿环境]
    rf"|(?:此处|这里|此段|本段)(?:需要?|应该?|可以?|要|再)?(?:描写|描述|刻画|补写|铺写)(?![的得极甚最真很之])"
    rf"{_BRACKETED}{{0,16}}"
    # （此处为打斗场面，约500字）
    rf"|(?:此处|这里|此段|本段)(?:为|是|写){_BRACKETED}{{1,20}}[，, ](?:大?约|共)[ ]?"
    r"[0-9０-９一二三四五六七八九十百千两]+[ ]?字"
    rf"|(?:此处|这里|此段|本段)(?:为|是){_BRACKETED}{{0,8}}(?:描写|剧情|情节)"
    r")[ \t\u3000]*[）)】\]〕]"
    # [插入一段环境描写]
    rf"|[【\[〔][ \t\u3000]*(?:插入|添加|补充|加入|补一?段|扩写|补写)(?:一[段处些场])?{_BRACKETED}{{0,16}}"
    rf"{_PASSAGE}[写]?{_BRACKETED}{{0,4}}[】\]〕]"
    # （插入回忆：童年落水）
    rf"|[（(【\[〔](?:此处)?(?:插入|补写|补充|加入)(?:一[段处些场])?(?:{_PASSAGE}|闪回)[^（）()【】\[\]〔〕：:\n]{{0,4}}[：:]{_BRACKETED}{{1,40}}[）)】\]〕]"
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


_NUMBERED: Final = re.compile("第[^章]{1,7}章$")
_STAMPED: Final = re.compile("印|盖|图章|公章")
_OF_A_BOOK: Final = re.compile(
    "[书稿翻页读抄念背印法经篇报刊戏]|小说|编辑|章程|课本|曲|连载|更新|写到|写完|改到|棋|琴"
)


def _self_words(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Words that a chapter says of itself; not the chapter of a book that is read or written in the
    story, and no piece that is laid out in a game of chess."""
    for line in body.lines:
        if line.kind is LineKind.NARRATIVE:
            for found in _SELF_WORD.finditer(line.prose):
                at = found.start()
                before = line.prose[max(0, at - 20) : at]
                own = before[max(map(before.rfind, "。！？!?")) + 1 :]
                titled = line.shown[at - 1 : at] == "》"
                if found[0] == "本章" and _STAMPED.search(before):
                    continue
                if not (
                    (_NUMBERED.match(found[0]) or found[0] == "伏笔")
                    and (titled or _OF_A_BOOK.search(own))
                ):
                    yield Hit(line, *found.span())


# --- placeholders ---

_WORDS: Final = r"(?<![A-Za-z0-9_-])(?:TODO|TBD|FIXME|(?i:placeholder))(?![A-Za-z0-9_-])|占位符"
_MARKER: Final = re.compile(
    # 【待补：打斗】, （此处待写）
    rf"[【（(\[][^【】（）()\[\]\n]{{0,8}}(?:描写|场景|对话|打斗|剧情|情节|段落|心理|正文)待(?:补充?|完善|扩写|续写|填写?)[】）)\]]"
    r"|[【（(\[](?:未完成|未写完|没写完)[，,、 ]?待(?:续写?|补充?|写|完善)[^】）)\]]{0,8}[】）)\]]"
    r"|[【（(\[]此?处?待(?:补充?|续写?|写|填写?|扩写|完善)(?:[^】）)\]：:]{0,8}|[：:][^】）)\]]{0,40})[】）)\]]|此处待(?:补|续|写|填)"
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
    "|(?<=[叫是名姓为到])[Xx]{2,4}(?=[，。！？、；])|(?<![0-9A-Za-z〇])[Xx]{2,4}(?![0-9A-Za-z])(?!级|号|码|片"
    r"|染|光)(?= ?[^\W\da-zA-Z_])"
    # 来到了____镇
    r"|^[ \t\u3000]*待(?:补|写|续写|填|完善)[：:]"
    r"|(?<![：:名龄址期话_])_{2,}(?=[^\W\da-zA-Z_])(?![^_\n]{0,4}_)"
)
_MAY_BE_LOOSE: Final = re.compile("TODO|TBD|FIXME|待|[Pp][Ll][Aa][Cc][Ee]|占位符|[Xx][Xx]|__")
_SLOT: Final = (
    "(?:(?:男|女)?主角?|男主|女主|主人公|角色|反派|配角|路人|人物|地点|地名|城市|城镇|村庄|国家|门派|宗门|公司|姓名|名字|称呼|职业|武器|功法|势力)"
    "(?:名|名字|名称|姓名|的名字)?[0-9A-Za-z一二三甲乙丙]?"
)
_TEMPLATE: Final = re.compile(
    rf"\{{\{{ ?(?:{_SLOT}|[a-z][a-z_.]{{1,30}}) ?\}}\}}|(?<!\{{)\{{(?:{_SLOT}|[a-z]{{2,16}}_name)\}}(?!\}})"
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
        if line.kind in WRITTEN and _MAY_BE_LOOSE.search(line.narrative):
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


def _omissions(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Brackets that stand for a passage; what a form leaves out (第四栏：（略）) is part of it."""
    for line in body.lines:
        if line.kind in WRITTEN:
            for found in _OMISSION.finditer(line.narrative):
                if not _is_written(line.narrative, found.start()):
                    yield Hit(line, *found.span())


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
    r"|(?:爽点|看点|爆点|泪点|槽点|钩子|悬念|人设|剧情|情节|主线|支线|高潮|节奏|情绪(?:基调|曲线)?|基调|视角|叙事视角|核心冲突|冲突|反转|铺垫|伏笔"
    r"|出场人物|登场人物|人物关系)(?:安排|设计|设置)?[ \t*]*[：:](?=[^\n]{2})"
    r"|(?:功能|作用|目的)[ \t*]*[：:][^\n]{0,20}(?:主线|支线|剧情|情节|反派|主角|铺垫|伏笔|登场|读者|人设)"
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
        search=_omissions,
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
        search=_self_words,
    ),
)
