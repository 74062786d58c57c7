"""Prose rules for Chinese: wording that no reader of a book may see, and the list of all rules.

Pure data. Placeholders, a model speaking of itself, words of the outline stand here; the manner of
writing is in `rules_zh_flip` and `rules_zh_ending` (what blocks), `rules_zh_habits`,
`rules_zh_rhythm` and `rules_zh_shapes` (what advises) and `rules_zh_punctuation`. Each pattern is
kept narrow on purpose: 略, 省略 or 情节 are ordinary words, and a false alarm here keeps an author
from committing a chapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.rules_zh_ending import RULES as ENDING
from clew.novel.prose.rules_zh_flip import RULES as FLIP
from clew.novel.prose.rules_zh_habits import RULES as HABITS
from clew.novel.prose.rules_zh_punctuation import RULES as PUNCTUATION
from clew.novel.prose.rules_zh_rhythm import RULES as RHYTHM
from clew.novel.prose.rules_zh_shapes import RULES as SHAPES
from clew.novel.prose.text import WRITTEN, Body, LineKind

_OUTLINE_WORD: Final = re.compile(
    # 剧情|节点 and 情节|点缀 hold the three characters of 情节点 without being the word.
    r"细纲|卷纲|(?<![剧感爱友亲热])情节点(?![缀明出燃破题滴睛化])|功能标签|字数目标|字数口径|章首钩子|章尾钩子"
    # 目标情绪稳定 is what a sniper reports; the outline's label stands alone or before a colon.
    r"|目标情绪(?=$|[：:、，。；）)\s]|是|为)"
)
# Words that a chapter may say of itself by mistake; in a book about books they may be meant.
_SELF_WORD: Final = re.compile(
    r"(?<![到完至成的])第[零〇一二三四五六七八九十百千两0-9０-９]{1,7}章(?![^。，\n]{0,4}(?:书|课|条|款|乐))"
    "|(?<![章印])本章(?!程)|(?<![盖印刻戳打按])[上下]一章"
    "|(?<![以从之先目眼门面生提当])前文(?![书化字章件明物职工官凭盲艺人学山静庙院秀])"
    "|(?<![以之最然今此身门背王皇太前日先事饭午过])后文(?![书化字章件明物职工官凭盲艺人学])"
    "|伏笔|读者(?!证|来信|服务|协会|文摘|阅览|群|见面|俱乐部|登记|姓名)"
    "|任务描述"
)
_OMITTED_WHAT = (
    "(?:此处|此|这里|这段|本段|以下|下文|以上|上文|中间|其间|后面|后文|后续|前面|前文|前|中|后|下|余"
    "|过程|内容|细节|详情|情节|描写|对话|对白|打斗|战斗|场景|正文)"
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


_LEAKS: Final[tuple[Rule, ...]] = (
    Rule(
        id="placeholder-marker",
        name=Message("占位标记", "placeholder"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "正文里留着占位标记",
            "a placeholder was left in the text",
        ),
        advice=Message(
            "把这里该有的内容写出来，再删掉标记。",
            "Write what belongs here, then delete the marker.",
        ),
        bad="他走到门前。\n\nTODO 补一段打斗",
        good="他在 PPT 首页写下 todolist，又把名字叫作 TODOROKI 的人划掉。",
        pattern=re.compile(
            r"未完待续|占位符|[【（(\[]此?处?待(?:补|续|写|填)(?:[^】）)\]：:]{0,8}|[：:][^】）)\]]{0,40})[】）)\]]|此处待(?:补|续|写|填)|(?<![A-Za-z0-9_-])(?:TODO|TBD|FIXME|(?i:placeholder))(?![A-Za-z0-9_-])"
        ),
        kinds=WRITTEN,
    ),
    Rule(
        id="placeholder-omission",
        name=Message("括号省略", "bracketed omission"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "用括号里的「略」代替了正文",
            "bracketed words stand for text that was left out",
        ),
        advice=Message(
            "把略去的内容写出来；本来就不必写的，连括号一起删掉。",
            "Write out what was left out, or delete the brackets with it.",
        ),
        bad="两人打了起来。（此处省略打斗过程）",
        good="他（略一迟疑）接过账本，翻到战略（粗略）一页，又看了看（省略号）后面的空白。",
        pattern=re.compile(
            r"[（(【\[〔][ \t\u3000]*(?:[^（）()【】\[\]〔〕，,\n]{1,12}[，,])?(?:"
            rf"(?:{_OMITTED_WHAT}{{1,3}}(?:省略|从略|略去)(?!号)|(?:省略|从略|略去)(?![号了掉]))"
            r"[^（）()【】\[\]〔〕\n]{0,24}"
            rf"|{_OMITTED_WHAT}{{0,3}}略(?:[0-9０-９一二三四五六七八九十百千万余数若干]{{1,8}}[字段句行])?[。.…]*"
            r")[ \t\u3000]*[）)】\]〕]"
        ),
        kinds=WRITTEN,
    ),
    Rule(
        id="placeholder-ai-self",
        name=Message("写作模型自称", "model speaks of itself"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作模型的自称混进了正文",
            "the writing model speaks of itself here",
        ),
        advice=Message(
            "删掉这句话；如果是人物或机器在说，请放进引号。",
            "Delete the sentence; if a character says it, put it into quotation marks.",
        ),
        bad="作为一个人工智能语言模型，我无法感受雨的冷。",
        good="作为人工智能，它第一次觉得雨是冷的。\n“作为AI助手，我无法回答。”机器说。",
        pattern=re.compile(
            r"(?:作为|身为)(?:一[个名款种])?[^，。！？\n]{0,8}?(?:AI|ＡＩ|人工智能|大?语言)"
            r"(?:写作|创作|语言)?(?:大?模型|助手|助理)"
            r"[，,、：: \t]*(?:我|很抱歉|非常抱歉|抱歉|无法|不能|不便)"
            r"|(?:作为|身为)(?:一[个名款种])?(?:AI|ＡＩ|人工智能)[，, \t]*我(?:无法|不能|没有|不会|只能)"
            r"|我(?:只)?是(?:一[个名款])?(?:由[^，。\n]{1,12}(?:开发|训练|研发)的)?"
            r"(?:AI|ＡＩ|人工智能|大)语言模型"
            r"|我的(?:训练数据|知识库?截止)"
        ),
    ),
    Rule(
        id="placeholder-refusal",
        name=Message("写作模型拒绝", "model refuses"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作模型的拒绝回复混进了正文",
            "a refusal by the writing model stands here instead of prose",
        ),
        advice=Message(
            "删掉这句回复，把本该在这里的情节写出来。",
            "Delete it and write the passage that belongs here.",
        ),
        bad="很抱歉，我无法继续生成这段内容。",
        good="很抱歉，我无法陪你走到码头了，他在信里写道。\n“抱歉，我不能提供这些内容。”",
        pattern=re.compile(
            r"(?:抱歉|对不起|遗憾)[，,！! ]*(?:但|不过)?(?:作为[^，。\n]{1,16}[，,])?"
            r"我(?:无法|不能|没有办法|没法|不便|不会)(?:继续|为您|为你|帮您|帮你|协助您?|直接){0,2}"
            r"(?:满足|生成|创作|续写|撰写|编写|改写|提供|处理|完成|协助|写)"
            r"[^，。！？\n]{0,12}?(?:请求|要求|指令|内容|情节|文本|描写|章节|正文|创作|写作)"
        ),
    ),
    Rule(
        id="placeholder-assistant-reply",
        name=Message("写作助手应答", "assistant's reply"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作助手的应答混进了正文",
            "a writing assistant's reply stands here instead of prose",
        ),
        advice=Message(
            "删掉这句应答，只留正文。",
            "Delete the reply and keep the story.",
        ),
        bad="好的，以下是第三章的正文：\n\n雨停了。",
        good="好的，下面是码头，上面是桥，他记住了。\n以下是账本里写的全部名字。",
        pattern=re.compile(
            r"^[ \t\u3000*]*(?:"
            r"(?:好的|好|当然可以|当然|没问题|收到|明白了?)[，,。！!：: ]+[^。！？\n]{0,12}?"
            r"(?:以下|下面|这)是[^。！？\n]{0,24}?"
            r"(?:正文|章节|第[^，。\n]{1,6}章|续写|改写|修改后|润色|版本|草稿)"
            r"|(?:以下|下面)是(?:为您|为你|根据您|根据你|按您|按你|修改后|润色后|改写后|续写)"
            r"[^。！？\n]{0,24}?(?:正文|章|内容|版本|部分|草稿)"
            r"|希望(?:这一?(?:章|段|版|篇|个版本|部分|次修改)|以上)[^。！？\n]{0,8}"
            r"(?:符合|满足)(?:您|你)的(?:要求|需求|期望|期待)"
            r"|如果?(?:您|你)?(?:需要|想要?|希望)[^。！？\n]{0,10}(?:修改|调整|续写|润色)"
            r"[^。！？\n]{0,10}随时告诉我"
            r")"
        ),
    ),
    Rule(
        id="meta-leak",
        name=Message("大纲用语", "outline label"),
        severity="blocking",
        review="mechanical",
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

RULES: Final = _LEAKS + FLIP + ENDING + HABITS + RHYTHM + SHAPES + PUNCTUATION
