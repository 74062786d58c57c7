"""Prose rules for Chinese.

Pure data. Wording that a reader must never see: placeholders, a model speaking of itself, words of
the outline. Each pattern is kept narrow on purpose: 略, 省略 or 情节 are ordinary words, and a
false alarm here keeps an author from committing a chapter.
"""

from __future__ import annotations

import re
from typing import Final

from clew.novel.prose.model import Message, Rule
from clew.novel.prose.text import WRITTEN

_OUTLINE_WORD: Final = re.compile(
    # 剧情|节点 and 情节|点缀 hold the three characters of 情节点 without being the word.
    r"细纲|卷纲|(?<![剧感爱友亲热])情节点(?![缀明出燃破题滴睛化])|功能标签|字数目标|字数口径|章首钩子|章尾钩子"
    # 目标情绪稳定 is what a sniper reports; the outline's label stands alone or before a colon.
    r"|目标情绪(?=$|[：:、，。；）)\s]|是|为)"
)
_OMITTED_WHAT = (
    "(?:此处|此|这里|这段|本段|以下|下文|以上|上文|中间|其间|后面|后文|后续|前面|前文|前|中|后|下|余"
    "|过程|内容|细节|详情|情节|描写|对话|对白|打斗|战斗|场景|正文)"
)

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="placeholder-marker",
        severity="blocking",
        review="mechanical",
        message=Message(
            "正文里留着占位标记",
            "a placeholder was left in the text",
        ),
        bad="他走到门前。\n\nTODO 补一段打斗",
        good="他在 PPT 首页写下 todolist，又把名字叫作 TODOROKI 的人划掉。",
        pattern=re.compile(
            r"未完待续|占位符|[【（(\[]此?处?待(?:补|续|写|填)[^】）)\]]{0,8}[】）)\]]|此处待(?:补|续|写|填)|(?<![A-Za-z0-9_-])(?:TODO|TBD|FIXME|(?i:placeholder))(?![A-Za-z0-9_-])"
        ),
        kinds=WRITTEN,
    ),
    Rule(
        id="placeholder-omission",
        severity="blocking",
        review="mechanical",
        message=Message(
            "用括号里的「略」代替了正文",
            "bracketed words stand for text that was left out",
        ),
        bad="两人打了起来。（此处省略打斗过程）",
        good="他（略一迟疑）接过账本，翻到战略（粗略）一页，又看了看（省略号）后面的空白。",
        pattern=re.compile(
            r"[（(【\[〔][ \t\u3000]*(?:[^（）()【】\[\]〔〕，,\n]{1,12}[，,])?(?:"
            rf"(?:{_OMITTED_WHAT}{{1,3}}(?:省略|从略|略去)(?!号)|(?:省略|从略|略去)(?![号了掉]))"
            r"[^（）()【】\[\]〔〕\n]{0,24}"
            rf"|{_OMITTED_WHAT}{{0,3}}略(?:[0-9０-９一二三四五六七八九十百千万余数若干]{1, 8}[字段句行])?[。.…]*"
            r")[ \t\u3000]*[）)】\]〕]"
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
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作模型的拒绝回复混进了正文",
            "a refusal by the writing model stands here instead of prose",
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
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作助手的应答混进了正文",
            "a writing assistant's reply stands here instead of prose",
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
        severity="blocking",
        review="mechanical",
        message=Message(
            "大纲用语混进了叙述",
            "a word of the outline stands in the narrative",
        ),
        bad="这一幕推进了第二个情节点，他终于走进了仓库。",
        good="他按剧情节点存了档，用几段旧情节点缀其间，报告说目标情绪稳定。",
        pattern=_OUTLINE_WORD,
    ),
    Rule(
        id="meta-leak-quoted",
        severity="advisory",
        review="mechanical",
        message=Message(
            "引号里有大纲用语，请确认是人物在谈写作",
            "a word of the outline stands in quoted speech; make sure it is meant",
        ),
        bad="“细纲写完了吗？”编辑问。",
        good="“账本写完了吗？”编辑问。",
        pattern=_OUTLINE_WORD,
        part="quoted",
    ),
    Rule(
        id="punctuation-dash",
        severity="blocking",
        review="mechanical",
        message=Message(
            "本书设为严格标点：不用破折号",
            "this book is set to strict punctuation: no dashes",
        ),
        bad="门开了——没有人。",
        good="门开了，没有人。",
        pattern=re.compile("[—―]+|--+"),
        part="whole",
        strict_only=True,
    ),
    Rule(
        id="punctuation-ellipsis",
        severity="blocking",
        review="mechanical",
        message=Message(
            "本书设为严格标点：不用省略号",
            "this book is set to strict punctuation: no ellipses",
        ),
        bad="门开了……没有人。",
        good="门开了。没有人。",
        pattern=re.compile(r"…+|\.{3,}|。{3,}"),
        part="whole",
        strict_only=True,
    ),
)
