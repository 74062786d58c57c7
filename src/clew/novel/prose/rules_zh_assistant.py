"""Prose rules for Chinese: what a writing assistant says instead of prose.

Pure data, and the search for its replies. Quoted speech is left alone: a machine in the story may say
all of it. Openers and refusals in English are in `rules_shared`, because they turn up in chapters of
every language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import Body, LineKind

_REPLY: Final = re.compile(
    r"^[ \t\u3000*]*(?:"
    r"(?:好的|好|当然可以|当然|没问题|收到|明白了?)[，,。！!：: ]+[^。！？\n]{0,12}?"
    r"(?:以下|下面|这)是[^。！？\n]{0,24}?"
    r"(?:正文|章节|第[^，。\n]{1,6}章|续写|改写|修改后|润色|版本|草稿)"
    # 好的，我来为您续写第三章
    r"|(?:好的|好|当然可以|当然|没问题|收到|明白了?)[，,。！!：: ]+(?:下面|接下来|现在)?让?我"
    r"(?:来|将|会|这就|马上|现在)?"
    r"(?:继续)?[为帮给替](?:您|你)(?:继续)?(?:续写|撰写|创作|改写|扩写|润色|重写|写出?|修改)"
    r"|(?:以下|下面)是(?:为您|为你|根据您|根据你|按您|按你|修改后|润色后|改写后|优化后|续写)"
    r"[^。！？\n]{0,24}?(?:正文|章|内容|版本|部分|草稿|段落|片段)"
    # 下面为您呈现第七章的完整内容; 希望以上内容对您有所帮助
    "|(?:(?:好的|好|当然可以|当然|没问题|收到|明白了?)[，,。！!：: ]+)?(?:下面|接下来|现在|以下)(?:是"
    "|将)?为您(?:呈现|带来|奉上|展示|提供|优化|整理|准备|生成|续写|改写)"
    r"[^。！？\n]{0,12}(?:章|正文|全文|版本|段落|片段|完整内容)"
    r"|希望(?:以上|上述)(?:内容|回答|版本|修改|建议|文字)[^。！？\n]{0,4}(?:对您|对你|能帮|能对)"
    r"|以上内容仅供参考[，,][^。！？\n]{0,4}您"
    # 好的，我将根据您的要求继续创作第十五章; 接下来，我将为您生成下一章
    "|(?:(?:好的|好|当然可以|当然|没问题|收到|明白了?)[，,。！!：: ]+|接下来[，,]?|下面[，,]?)我(?:将|会|来"
    "|这就)?(?:继续)?(?:(?:根据|按照)(?:您|你)的?(?:要求|大纲|设定|提示|反馈|意见|建议)|为您)"
    r"[^。！？\n]{0,8}?(?:续写|创作|撰写|生成|改写|扩写|润色|重写|修改)[^。！？\n]{0,12}?(?:章|正文|内容|版本|部分|情节|剧情)"
    r"|如果?您?(?:对[^。！？\n]{1,16})?还?有(?:任何|其他|什么)?(?:调整|修改|改进|不满意)[^。！？\n]{0,6}[，,](?:欢迎|请|可以)?随时(?:提出|告诉我|告知|反馈)"
    # 以上是根据您的设定创作的第一章; 如需继续，请回复; 以下为正文; 下面我来续写这个故事：
    r"|以上(?:就)?是(?:根据|按照|为)(?:您|你)[^。！？\n]{0,16}(?:创作|撰写|续写|生成|改写|修改|润色)的"
    r"|如需(?:继续|续写|调整|修改|润色)[^。！？\n]{0,6}[，,]请(?:回复|告诉我|告知|随时)"
    r"|(?:以下[为是]正文|正文开始|正文如下)[ \t*：:。】]*$"
    r"|(?:下面|接下来)[，,]?由?我(?:来|将|就|会)?(?:为(?:您|你|大家))?(?:续写|改写|扩写|润色)[^。！？\n]{0,12}[：:]"
    # 根据您提供的大纲，我为您续写如下
    r"|(?:根据|按照|基于|结合)(?:您|你)(?:所)?(?:提供|给出|给的?|上传|发来)?的?(?:大纲|细纲|章纲|设定|人设|提示词?|剧情|情节|写作要求)[^。！？\n]{0,12}?[，,]"
    r"[^。！？\n]{0,10}?(?:续写|创作|撰写|生成|改写|扩写|润色|写出?)[^。！？\n]{0,12}?(?:如下|以下|正文|[：:]|章)"
    r"|希望(?:这一?(?:章|段|版|篇|个版本|部分|次修改)|以上)[^。！？\n]{0,8}"
    r"(?:符合|满足)(?:您|你)的(?:要求|需求|期望|期待)"
    # 以上就是第二章的全部内容; a teacher's next word is no request
    r"|以上(?:就)?[是为](?:第[^，。\n]{1,6}章|本章|这一章|本次(?:续写|创作|修改))的?(?:全文|全部|完整|主要)?(?:内容|正文|草稿|初稿)"
    r"(?=[。！!]?[ \t*]*$|[，,。！]?(?:如需|如果|若|希望|请|您|字数))"
    r"|如果?(?:您|你)?(?:需要|想要?|希望)[^。！？\n]{0,10}(?:修改|调整|续写|润色)"
    r"[^。！？\n]{0,10}随时告诉我"
    r"|希望您(?:能|会)?喜欢(?:这个|这篇|这一?章的?|本)(?:故事|章节?|版本|结局|续写|小说|内容)?[！!。]?[ \t*]*$"
    r")"
)
_OFFER: Final = re.compile(
    r"^[ \t\u3000*]*(?:请问|是否|您?是否)?(?:需要|要不?要|想让|希望)我(?:再|继续|接着|为您|为你|帮您|帮你|来)*"
    r"(?:写|续写|撰写|修改|调整|扩写|润色|完善|展开|生成)(?:出|一下)?"
    r"[^。！？?\n]{0,10}?(?:下一章|第[^，。？?\n]{1,6}章|后续(?:章节|剧情|情节|内容)?|这一章|本章|剧情|情节|章节|结局|故事)[^。！？?\n]{0,10}"
    r"[？?][ \t*]*$"
)


def _replies(body: Body, config: ProseConfig) -> Iterator[Hit]:
    last = next((line for line in reversed(body.lines) if line.kind is LineKind.NARRATIVE), None)
    for line in body.lines:
        if line.kind is LineKind.NARRATIVE:
            for found in _REPLY.finditer(line.narrative):
                # 希望您喜欢这个故事 may close a letter, with its writer's name below.
                if not found[0].lstrip(" \t\u3000*").startswith("希望您") or line is last:
                    yield Hit(line, *found.span())


RULES: Final[tuple[Rule, ...]] = (
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
            r"|我是(?:一[个名款])?(?:AI|ＡＩ|人工智能)(?:写作|创作|语言)?(?:助手|助理|模型)[，,](?:不具备|没有|无法|不能|不会)"
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
            r"|(?:由于|因为|鉴于)[^，。！？\n]{0,12}(?:限制|政策|规范|审核|安全)[^，。\n]{0,4}[，,]我?(?:无法|不能|不便)(?:继续|为您|直接)*"
            r"(?:生成|创作|续写|撰写|提供|描写)[^，。！？\n]{0,8}(?:内容|情节|剧情|描写|章节|正文)"
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
        search=_replies,
    ),
    Rule(
        id="placeholder-assistant-offer",
        name=Message("写作助手追问", "an assistant's offer"),
        severity="blocking",
        review="mechanical",
        message=Message(
            "写作助手的追问混进了正文",
            "a writing assistant offers to go on here",
        ),
        advice=Message("删掉这句。", "Delete the sentence."),
        bad="他吹灭了灯。\n\n需要我继续写下一章吗？",
        good="需要我继续写下一章吗？她在信里问，编辑没有回。\n“要我接着讲故事吗？”他问。",
        pattern=_OFFER,
    ),
)
