"""Chinese: chapters that end on a trailer's voice instead of on their story.

Pure. Looked for near the end only: in the last visible characters of narrative for wording that is
a trailer anywhere, and in the last few sentences for wording that is one only as a last word. What
blocks is the last word of the storyteller; where he goes on to tell something (一切都结束了。他们把
棺材抬上山), and wording that a story may well mean, is advised upon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import MASK, Body, visible

_WINDOW: Final = {"chars": 600, "sentences": 4}
_SOFT: Final = {"sentences": 2}

_STOP: Final = rf"。！？!?\n{MASK}"
_IN: Final = rf"[^{_STOP}]"
# Of a sentence, or of a paragraph of speech: after ten lines of talk nothing is a last word any more.
_SENTENCE_START: Final = re.compile(r"(?:^|(?<=[。！？!?…]))(?=[^\s。！？!?…])", re.M)

_THREAT: Final = (
    "危机|危险|杀机|杀局|死局|阴谋|暗流|噩梦|浩劫|灾难|劫难|较量|博弈|对决|决战|大战|战争|战斗"
    "|交锋|反击|复仇|清算|审判|战事|好戏|大戏|游戏|狩猎|猎杀|麻烦|考验|挑战|征途|旅程|传奇|命运|故事|一切|变局"
    "|棋局|巨网|大网|厮杀|追杀|逃亡|赌局"
)
_MORE: Final = "(?:更大的?|真正的?|新的?|另一场|看不见的|无声的|无形的)"
_GREATER: Final = (
    f"(?:{_MORE}(?:腥风血雨|危机|阴谋|暗流|较量|考验|挑战|对决|灾难|麻烦|噩梦|好戏)"
    "|(?:看不见的|无声的|无形的)(?:风暴|风雨|浪潮|洪流|黑暗))"
)
# A greater storm may be the weather, and a greater wave the sea.
_STORM: Final = f"{_MORE}(?:风暴|暴风雨|风雨|浪潮|洪流|黑暗)"
_COMING: Final = (
    r"(?:正在|正|已经?|即将|就要|将要|也?将|终将)?(?:就此|悄然|悄悄|缓缓|慢慢|一步步)?"
    "(?:酝酿|来临|到来|降临|逼近|袭来|上演|拉开|展开|席卷|张开|浮出水面|转动|开启|揭开)"
)
_SOON: Final = "(?=(?:正在|正|已经?|即将|就要|将要|也?将|终将|就此|悄然|悄悄|缓缓|一步步))"
# 将 alone may be 把.
_WILL: Final = "(?:即将|终将|必将|[也都]将|将(?:会|要|成|是|在|被|再|永远))"
_OVER: Final = rf"(?:了|而已|呢)?(?=[{_STOP}…]|\Z)"

_TEASERS: Final = re.compile(
    # 一场更大的风暴，正在酝酿
    rf"{_GREATER}[^{_STOP}，,]{{0,8}}?[，,]?{_SOON}(?:正?在[^{_STOP}，,]{{1,10}})?{_COMING}"
    # 拉开了序幕; the sports meeting that is 正式 opened does so in earnest
    rf"|(?<!正式)(?:拉开|揭开)了?[^{_STOP}，,]{{0,8}}(?:序幕|帷幕|大幕|序章)"
    r"|(?:序幕|帷幕|大幕)[，,]?(?:就此|从此|终于|缓缓|徐徐|悄然)(?:缓缓|徐徐|悄然)?(?:拉开|揭开|升起)"
)
_NOT_THE_STORY: Final = re.compile(
    "运动会|比赛|大赛|联赛|大会|晚会|庙会|演出|仪式|典礼|展览|音乐会|舞台|台上|戏台|锣鼓|集市|灯会"
    "|交流会|展销|博览|研讨|学期|军训|选举|大选|招标|春耕|秋收|工程|会议|开幕|电影|影片|剧场|戏院"
)
_NOBODY: Final = "(?:没有?人|谁[也都]|任何人都?|所有人都)"
_KNEW: Final = (
    "(?:不会?|没有?|未曾?|不曾|能够?|会)?(?:知道|想到|料到|预料到?|猜到|意识到|察觉|注意到)"
)
_HE: Final = r"(?:他们?|她们?|[^\W\da-zA-Z_]{2,3})"
_KNEW_NOT: Final = "(?:不知道|没有?(?:意识到|注意到|察觉到?))"
_LAST_TEASERS: Final = re.compile(
    # 真正的较量，才刚刚开始
    rf"(?:(?:{_THREAT}|{_GREATER}){_IN}{{0,10}}?|这(?:一切|还|也|都)?[，,]?)(?:才|这才|不过|只是?|仅仅)(?:刚刚?|是)?(?:个|一个)?(?:刚刚?)?"
    rf"(?:开始|开了?个?头|起步|启程|上路|出发|拉开|降临|到来|来临|登场|开场|开端|序幕|前奏|热身){_OVER}"
    # 一个新的时代，即将来临
    rf"|新的?(?:时代|纪元|秩序|格局)[，,]?{_SOON}{_COMING}{_OVER}"
    # 危机正在逼近
    rf"|(?:{_THREAT})[^{_STOP}，,]{{0,6}}?[，,]?{_SOON}{_COMING}{_OVER}"
    # 黑暗正朝着这座小城压过来
    rf"|(?:{_THREAT}|{_GREATER})[^{_STOP}，,]{{0,6}}?正?(?:朝|向|冲)着?[^{_STOP}，,]{{1,12}}(?:压|涌|袭|逼|扑|笼罩|席卷)(?:过?来|近|去){_OVER}"
    # 没有人知道，这一去 …; 谁也没想到，…
    rf"|{_NOBODY}{_KNEW}(?:的是)?[，,：:]{_IN}{{0,40}}?"
    rf"(?:{_WILL}|就要|明天会|接下来会|等待|正[^。！？!?\n\x00]{{0,12}}?(?:盯|逼|朝|靠近|酝酿|等着)|[才刚]刚?(?:刚刚?)?(?:开始|拉开))"
    # 他不知道的是，…
    rf"|{_HE}(?:并|还|却|此刻){{0,2}}{_KNEW_NOT}(?:的是[，,：:]|[，,：:](?:{_IN}{{0,40}}?{_WILL}|{_IN}{{0,10}}?(?:命运|死神){_IN}{{0,4}}[早已]))"
    # 等待他的，将会是 …
    rf"|等待着?(?:他|她|我|你)们?的[，,]?(?:又|究竟|到底)?(?:将会?是|即将是?){_IN}{{0,12}}?(?:什么|怎样|怎么样|未知|从未|更[大深可]|一场|另一)"
)
_SEALS: Final = re.compile(
    # 命运的齿轮
    "命运的(?:齿轮|车轮|轮盘|指针|天平|丝线)"
)
_LAST_SEALS: Final = re.compile(
    # 这一夜，注定无眠
    rf"(?:这|那|今)一?(?:夜|晚|天|日|战|刻|年|场|役|局|趟|路|别|去)[^{_STOP}，,]{{0,8}}[，,]?注定[^{_STOP}，,：:]{{1,16}}(?<!似的)(?=[{_STOP}]|\Z)"
    # 新的生活，就这样开始了
    rf"|(?:(?:全?新的|另一段|崭新的)(?:人生|生活|征程|旅程|篇章|一页|时代|世界)|(?<![重更创])新(?:生活|人生|篇章|征程))[，,]?[^{_STOP}，,]{{0,8}}?"
    rf"(?:开始|开启|翻开|拉开|展开|启程){_OVER}"
    # 就这样，一切都结束了
    rf"|就这样[，,]?{_IN}{{0,12}}一切{_IN}{{0,8}}(?:结束|落幕|过去|平息|归于平静|尘埃落定){_OVER}"
    rf"|(?:这?一切)[，,]?(?:终于|总算|都|就|似乎|到此|就此|就这样|终究){{0,2}}(?:结束|落幕|尘埃落定){_OVER}"
    # 三十年的恩怨，画上了句号
    rf"|(?:恩怨|恩仇|故事|关系|婚姻|生涯|时代|战争|岁月|旅程|人生|爱情|官司|往事)[^{_STOP}]{{0,12}}?[，,]?"
    rf"(?:终于|就此|总算|彻底)?画上了?(?:一个)?(?:圆满的?)?句号(?=[{_STOP}]|\Z)"
    # 这一切，都意味着 …
    rf"|这一切[，,]?(?:都|也|只|无不|似乎)?(?:意味着|预示着|昭示着|宣告着){_IN}{{0,12}}?(?:时代|终结|结束|开始|命运|新生|灭亡|死亡|毁灭|胜利|失败|未来|终点|起点|末日)"
    r"|(?:从这一刻起|从今往后|从此以后|从那一刻起)[，,]"
    rf"(?:一切|[他她我]的(?:人生|命运|一生|世界)|命运|世界|故事|历史){_IN}{{0,16}}?(?:变|改|不同|不一样|重来|重写)"
)


# Wording that may be the plain end of a scene: never more than advice.
_WEATHER: Final = "风暴|暴风雨|风雨|雷雨|台风|大雪|雪"
_WHOSE: Final = "(?:所有人|每个人|他们?|她们?|整个|无数人|这座|一代人|天下|许多人|很多人|两个人)"
_LAST_MANNERS: Final = re.compile(
    rf"殊不知[，,]?{_IN}{{1,40}}"
    # 他没有注意到，那是他最后一次看见父亲: a flash-forward, which a novel may well end on
    rf"|(?:{_NOBODY}{_KNEW}|{_HE}(?:并|还|却|此刻){{0,2}}{_KNEW_NOT})(?:的是)?[，,：:]{_IN}{{0,40}}?(?:从此|改变|最后一)"
    rf"|(?:{_NOBODY}|{_HE})(?:并|还|却|此刻|绝|怎么也|永远){{0,2}}(?:不会|不曾|未曾|没有?)(?:想到|料到|预料到?|知道)[，,：:]{_IN}{{4,40}}"
    rf"|{_HE}(?:并|还|却|此刻){{0,2}}不知道[，,：:](?:就在|此刻|这一[刻天夜]|那一[刻天夜]){_IN}{{2,40}}"
    # 赌局，开始了; 有什么东西，醒了; 接下来，该轮到他们了; 真正的秘密，还藏在…
    rf"|(?<!\w)(?:{_THREAT})[，,](?:正式|终于|就)?(?:开始|来)了{_OVER}"
    rf"|有(?:什么|某个|一个)(?:东西|人|声音)[，,]?{_IN}{{0,6}}(?:醒|动|来|睁开|爬|苏醒|靠近|看着|盯着|笑|呼吸){_IN}{{0,6}}{_OVER}"
    rf"|(?:接下来|下一个|这一次|这回)[，,](?:该|就|便)?(?:是)?轮到{_IN}{{1,10}}"
    rf"|(?:真正的|最大的|最后的|更大的){_IN}{{1,6}}[，,]?(?:还|仍|却|正)(?:藏|躲|等|隐){_IN}{{1,12}}{_OVER}"
    # 一双眼睛注视着他; 游戏，该结束了; 这一走，便再也没有回来; 该来的，终究还是来了
    rf"|一双(?:\w{{0,6}}的)?眼睛{_IN}{{0,8}}(?:注视|盯|凝视|窥视|望)着{_IN}{{0,6}}{_OVER}"
    rf"|(?<!\w)(?:{_THREAT})[，,](?:也|是时候)?该(?:结束|开始|收场|清算|还)了{_OVER}"
    rf"|这一(?:走|去|别|睡|转身)[，,]?(?:便|就|竟)?{_IN}{{0,4}}(?:再也|永远|是一辈子|是永别){_IN}{{0,12}}"
    rf"|{_NOBODY}(?:没有?)?(?:注意到|察觉到?|看见)[^{_STOP}，,]{{4,30}}{_OVER}"
    rf"|该来的[，,]?{_IN}{{0,6}}来了{_OVER}"
    # 一个时代，就这样落幕了; 命运从此…; 也许，这就是最好的结局; 往后余生
    rf"|(?:时代|王朝|传奇|青春|岁月|帝国|家族|爱情)[，,]?(?:就|也)?(?:这样|此|从此)?{_IN}{{0,3}}(?:落幕|谢幕|终结|远去)了?{_OVER}"
    rf"|命运[，,]?{_IN}{{0,3}}(?:从此|就此|从这一刻起){_IN}{{1,18}}"
    rf"|(?:也许|或许|大概)[，,]?[这那](?:就|便|才)是{_IN}{{1,12}}{_OVER}|往后余生"
    # 多年以后，他才会明白…; 世上再无…; 归于沉寂; 莫过于此; 故事到这里就结束了
    rf"|(?:多年|很久|许多年|若干年)(?:以后|之后|后)[，,]?{_IN}{{0,6}}(?:才|终于|仍|依然|还会|总会){_IN}{{0,4}}(?:明白|知道|懂|想起|记得|意识到)"
    rf"|(?:世[上间]|江湖上?|天下|这世上)[，,]?{_IN}{{0,4}}再无{_IN}{{1,10}}{_OVER}"
    rf"|(?:归于|重归|复归|陷入)(?:永恒的|永远的)?(?:沉寂|平静|寂静|尘土|虚无|黑暗){_OVER}"
    rf"|(?:莫过于此|大抵如此|仅此而已|尘埃落定){_OVER}"
    rf"|(?:知道|明白)[，,]{_IN}{{0,8}}再也{_IN}{{1,10}}{_OVER}"
    rf"|(?:故事|传说|恩怨|青春|旅程)[，,]?(?:到这里|到此|至此|也)就?(?:结束|落幕|完)了?{_OVER}"
    rf"|(?:原来|毕竟|终究)[，,]?有些{_IN}{{1,5}}[，,]{_IN}{{2,20}}"
    # 谁都没有注意到，石像的眼睛亮了一下
    rf"|{_NOBODY}(?:没有?|不会?|未曾?|不曾|会|能够?)?(?:知道|想到|料到|注意到|察觉到?|发现|意识到)(?:的是)?[，,：:]{_IN}{{4,40}}"
    rf"|等待着?(?:他|她|我|你)们?的[，,]?(?:又|究竟|到底)?(?:将会?是|即将是?|会是)"
    # 与此同时，一道黑影正朝着这里赶来
    rf"|(?:此时|此刻|与此同时|同一时[刻间])[，,]{_IN}{{0,20}}?一(?:[道双个只条群支场张][^。！？!?\n\x00]{{0,8}}?)(?:影|眼睛|目光|人马|队伍|阴谋|危机|黑衣人|网){_IN}{{0,4}}?正{_IN}{{2,16}}"
    # 明天，将会是…; 前方，是…; 从这一刻起，彻底…; 还远没有结束
    rf"|(?:明天|明日|天亮之?后|从明天起)[，,]{_IN}{{0,6}}(?:将会?|会)是?{_IN}{{2,16}}"
    rf"|(?:前方|前路|路的尽头|门的另一[边侧])[，,](?:是|等着|还有){_IN}{{2,20}}"
    rf"|从(?:今天|今夜|今晚|此|这一?[刻天夜]|那一?[刻天夜]|现在)(?:起|开始)[，,]?(?:彻底|完全|永远|再也){_IN}{{1,12}}"
    rf"|还?远远?(?:没有?|未)(?:真正)?结束{_OVER}"
    # 从此，再也没有人…; 带走了一切; 翻开了新的篇章; 所谓江湖，不过是…
    rf"|(?:从此|从那以后|此后|后来)[，,]{_IN}{{0,16}}(?:再也|再无|永远|从未){_IN}{{1,16}}"
    rf"|(?:埋葬|带走|吞没|葬送|淹没|改写|掩埋)了{_IN}{{0,10}}(?:青春|一切|岁月|年华|往事|命运|童年|过去|爱情|秘密|时代|名字){_OVER}"
    rf"|(?:翻开|掀开|揭开|开启|书写)了?(?:一个|他的|她的)?(?:全?新|崭新)的?(?:篇章|一章|征程|人生|生活|旅程|时代){_OVER}"
    rf"|有些{_IN}{{1,5}}[，,](?:是|不必|不需要|无需|从来|本就|早已|只能|永远){_IN}{{1,20}}"
    rf"|所谓的?{_IN}{{1,8}}[，,]?(?:不过|无非|大概|也许|从来|原来)?(?:就|只)?(?:不过)?是{_IN}{{1,20}}"
    rf"|(?<!\w)(?:时光|岁月|日子|时间|生活)(?:就这样|就这么|依旧|依然|总是|终究|静静|缓缓|悄然){_IN}{{1,24}}"
    # 暗流正在涌动; 山雨欲来
    rf"|暗流[，,]?{_IN}{{0,16}}(?:涌动|翻涌|汹涌){_OVER}"
    rf"|(?<!\w)(?:山雨欲来|风雨欲来|风雨将至|暗潮汹涌|风起云涌|风云突变|大幕将启|杀机四伏)(?:风满楼)?{_OVER}"
    rf"|没有硝烟的(?:战争|战斗|较量|对决|博弈){_IN}{{0,8}}?(?:打响|开始|拉开|展开|爆发){_OVER}"
    # 真正的风暴，才刚刚开始
    rf"|{_STORM}[，,]?{_IN}{{0,4}}?[才刚]刚?(?:刚刚?)?(?:开始|来临|到来){_OVER}"
    # 就这样，他们的青春落下了帷幕; 故事还在继续
    rf"|(?:落下|降下)了?(?:帷幕|大幕|尾声){_OVER}"
    rf"|(?:故事|传奇|旅程|征途|人生|战斗|抗争|修行)[，,]?(?:还|仍|依然|远远?|却)(?:在|还)?(?:继续|没有?结束|未结束|没完){_OVER}"
    # 有些人，注定只能陪你走一程; 他终于明白，所谓成长…
    rf"|有些(?:人|事|路|话|东西|门|债|伤口?|秘密|选择|爱|缘分|错)[，,](?:注定|终究|终归|总要|总会|生来就){_IN}{{1,20}}"
    rf"|(?:终于|忽然|突然|这才)(?:明白|懂得?了?|知道|领悟)[，,：:]?(?:了[，,：:])?(?:所谓|原来所谓|有些|人生|活着|成长|人这一生){_IN}{{1,30}}"
    # 一场更大的风暴，正在酝酿
    rf"|{_STORM}[^{_STOP}，,]{{0,8}}?[，,]?{_SOON}(?:正?在[^{_STOP}，,]{{1,10}})?{_COMING}(?:了?[这那]座{_IN}{{1,6}})?{_OVER}"
    rf"|{_STORM}[^{_STOP}，,]{{0,6}}?正?(?:朝|向|冲)着?[^{_STOP}，,]{{1,12}}(?:压|涌|袭|逼|扑|笼罩|席卷)(?:过?来|近|去){_OVER}"
    # 风暴，就要来了: with a comma, or said of what is no weather
    rf"|(?<!\w)(?:(?:{_WEATHER})[，,]|(?:变天|黎明|黑夜|乱世|大战|战争|浩劫|清算|审判)[，,]?)(?:真?的?终于|已经?|真的|就)?[就快]?要?(?:来了|到了|降临了){_OVER}"
    # 属于他的时代，来了
    rf"|属于{_IN}{{1,10}}的(?:时代|世界|传奇|舞台|战场|黎明|夜晚?|江湖|审判|复仇|清算|征途)[，,]?{_IN}{{0,4}}(?:来了|到了|来临了?|到来了?|开始了?|降临了?){_OVER}"
    # 真正的噩梦，还没有到来
    rf"|(?:真正的|更大的|更可怕的|最坏的|最可怕的){_IN}{{0,6}}[，,]?(?:还没有?|尚未|还未|还在|仍在|都在)(?:到来|来临?|开始|降临|后[面头]|前[面头]|路上){_OVER}"
    # 那一夜，改变了所有人的命运
    rf"|[这那](?:一?(?:夜|晚|天|刻|年|战|刀|枪|剑|面|眼)|个(?:夜晚|晚上|夏天|冬天|秋天|春天|清晨|午后|下午|黄昏|决定|选择))[，,]?(?:彻底|从此|永远)?改变了?{_WHOSE}?{_IN}{{0,6}}(?:命运|一生|人生|一切|历史|轨迹|结局){_OVER}"
    # 他知道，从今天起，一切都不一样了
    rf"|从(?:今天|今夜|今晚|今往后|此|此以后|这一?[刻天夜]|那一?[刻天夜]|现在)(?:起|开始)?[，,]{_IN}{{0,8}}(?:不一样了|不同了|变了|回不去了|回不到从前|再也不是|不再是{_IN}{{1,16}}){_OVER}"
    # 夜，还很长
    rf"|(?<!\w)(?:夜|路|长夜|前路|故事|游戏|日子|这条路|这一夜)[，,]?还(?:很|长着?|远)(?:长|远)?(?:呢|着呢)?{_OVER}"
    # 有些东西，一旦失去，就再也回不来了
    rf"|有些(?:人|事|路|话|东西|门|债|伤口?|秘密|选择)[，,]一旦{_IN}{{1,8}}[，,]?(?:就|便)?(?:再也|永远|注定){_IN}{{1,10}}{_OVER}"
    # 这一次，他不会再退
    rf"|[这那]一?[次回][，,](?:他们?|她们?|我们?|谁)(?:绝|再)?也?(?:不会?再?|绝不再?){_IN}{{1,10}}{_OVER}"
    # 黑暗中，一道身影缓缓睁开了眼睛
    rf"|(?:黑暗|暗处|阴影|暗影|角落|深处|黑影|夜色|深渊)(?:之?[中里]|深处)?[，,]{_IN}{{0,4}}(?:一[道双个只]|有什么|什么东西){_IN}{{0,14}}(?:睁开|盯着|注视|窥视|笑了|动了){_IN}{{0,6}}"
    rf"|(?:黑暗|暗处|阴影|角落|身后)(?:之?[中里]|深处)?[，,]{_IN}{{0,4}}(?:响起|传来)了?{_IN}{{0,10}}(?:脚步|呼吸|笑|哭|叹息|咳嗽)声{_OVER}"
    rf"|故事[，,]{_IN}{{0,6}}才(?:真正|刚刚)?(?:地)?开始{_OVER}|命运[，,](?:终于|再次|又一次|终究){_IN}{{2,16}}|从今往后[，,]{_IN}{{0,12}}(?:各自|再不|再无|永不){_IN}{{1,8}}{_OVER}"
)

# 一切都结束了。他们把棺材抬上山: where something is told after it, it is the plain truth.
_PLAIN_END: Final = re.compile("就这样|这?一切")
_THE_END: Final = re.compile(
    r"[\W_]*(?:(?:第.{1,4}[卷部]|全[书文]|本[书章卷])?[ \u3000]*[完终]|未完待续|待续)?[\W_]*"
)
_SENTENCE_STOP: Final = re.compile(rf"[。！？!?…\n{MASK}]")


def _windows(body: Body, rule: str, config: ProseConfig) -> tuple[int, int]:
    """Where the last characters of narrative begin in the flow, and where the last sentences do."""
    text = body.flow.text
    chars = int(config.limit(rule, "chars", _WINDOW["chars"]))
    default = (_SOFT if rule == "ending-manner" else _WINDOW)["sentences"]
    sentences = int(config.limit(rule, "sentences", default))
    at, seen = len(text), 0
    while at > 0 and seen < chars:
        # Speech and blanks do not count, so the window grows until it holds enough that does.
        step = max(0, at - max(chars - seen, 64))
        seen += visible(text[step:at])
        at = step
    starts = [found.start() for found in _SENTENCE_START.finditer(text, at)]
    return at, starts[-sentences] if len(starts) >= sentences else at


def _is_last_word(text: str, end: int) -> bool:
    """Whether the storyteller says nothing after the sentence that a match ends in."""
    stop = _SENTENCE_STOP.search(text, end)
    return not stop or _THE_END.fullmatch(text, stop.end()) is not None


def _spans(
    body: Body, config: ProseConfig, rule: str, far: re.Pattern[str], near: re.Pattern[str]
) -> list[tuple[int, int, bool]]:
    """Matches near the end that do not overlap, and whether each is a last word (or a trailer
    anywhere)."""
    text = body.flow.text
    begin, last = _windows(body, rule, config)
    found = [(*match.span(), True) for match in far.finditer(text, begin)]
    found += [
        (*match.span(), _is_last_word(text, match.end())) for match in near.finditer(text, last)
    ]
    out: list[tuple[int, int, bool]] = []
    for start, stop, sure in sorted(found):
        if not out or start >= out[-1][1]:  # where both speak of the same words, once is enough
            out.append((start, stop, sure))
    return out


def _is_a_show(text: str, start: int, end: int) -> bool:
    """Whether what begins is a match, a play or a market, and no story."""
    return _NOT_THE_STORY.search(text, max(0, start - 24), end) is not None


def _trailers(body: Body, config: ProseConfig) -> Iterator[Hit]:
    text = body.flow.text
    for start, end, sure in _spans(body, config, "trailer-ending", _TEASERS, _LAST_TEASERS):
        if sure and not _is_a_show(text, start, end):
            yield Hit.in_flow(body.flow, start, end)


def _summaries(body: Body, config: ProseConfig) -> Iterator[Hit]:
    for start, end, sure in _spans(body, config, "trailer-summary", _SEALS, _LAST_SEALS):
        if sure:
            yield Hit.in_flow(body.flow, start, end)


def _manners(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Endings that may be meant: no last word, or wording that a story may need."""
    text = body.flow.text
    _, last = _windows(body, "ending-manner", config)
    soft = [match.span() for match in _LAST_MANNERS.finditer(text, last)]
    sure: list[tuple[int, int]] = []
    for rule, far, near in (
        ("trailer-ending", _TEASERS, _LAST_TEASERS),
        ("trailer-summary", _SEALS, _LAST_SEALS),
    ):
        for start, end, is_sure in _spans(body, config, rule, far, near):
            if is_sure or not _PLAIN_END.match(text, start):
                (sure if is_sure else soft).append((start, end))
    done = 0
    for start, end in sorted(soft):
        told = any(start < stop and begin < end for begin, stop in sure)
        if start >= done and not told and not _is_a_show(text, start, end):
            yield Hit.in_flow(body.flow, start, end)
            done = end


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="trailer-ending",
        name=Message("预告式结尾", "trailer's ending"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "章末用预告片的口气吊胃口",
            "the chapter ends like a trailer for the next one",
        ),
        advice=Message(
            "删掉这句，停在人物的动作、一句话或一件东西上；要留悬念，就让新的事实露出一角。",
            "Delete it and stop at an act, a line or a thing; for suspense show a corner of a fact.",
        ),
        why=Message(
            "叙述者跳出来预告，等于告诉读者下面会精彩；读者要的是那件事本身。",
            "A narrator who promises excitement takes the place of the thing itself.",
        ),
        bad="他吹灭了灯，躺下来。\n\n他不知道，真正的较量，才刚刚开始。",
        good="第九届运动会正式拉开序幕。\n\n没人知道他去了哪里。他把灯吹灭，在门口坐到天亮。",
        search=_trailers,
        limits=_WINDOW,
    ),
    Rule(
        id="trailer-summary",
        name=Message("封口式结尾", "sealing sentence"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "章末用总结句封口",
            "the chapter ends with a sentence that sums it up and seals it",
        ),
        advice=Message(
            "删掉总结，让最后一个具体的动作或画面自己收住。",
            "Delete the summing-up and let the last act or picture close the chapter.",
        ),
        bad="他把刀收好，走回院子。\n\n这一夜，注定无人入眠。",
        good="比赛就这样结束了，三比二。\n\n他注定要当木匠，他爹是木匠。这一夜他睡得很沉。",
        search=_summaries,
        limits=_WINDOW,
    ),
    Rule(
        id="ending-manner",
        name=Message("结尾的腔调", "a manner of ending"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "章末像在预告或点题，请确认这就是要停的地方",
            "the end announces or sums up; make sure that this is where it should stop",
        ),
        advice=Message(
            "试着删掉这句，看上一句能不能收住；能，就停在那里。",
            "Try without it; if the sentence before it holds, stop there.",
        ),
        bad="他把刀别回腰里，往山下走去。\n\n夜，还很长。",
        good="路还很长，他把水壶灌满。风暴来了三天，屋顶掀了一半。他把刀别回腰里，往山下走去。",
        search=_manners,
        limits=_SOFT,
    ),
)
