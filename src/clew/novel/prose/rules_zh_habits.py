"""Chinese: wording that is fine once and wears a reader out by the tenth time in a chapter.

Pure data. Each list is counted over the storyteller's own sentences, not over what people say; a
chapter is told once, at the first place, with the words that occur most.
"""

from __future__ import annotations

import re
from typing import Final

from clew.novel.prose.density import Density
from clew.novel.prose.model import Message, Rule

# A letter that is not ASCII: here a Chinese character, and far cheaper to compile than a range.
_HAN: Final = r"[^\W\da-zA-Z_]"

_MICRO_ACTIONS: Final = re.compile(
    "(?:微微|轻轻|缓缓|慢慢|悄悄|默默|淡淡)地?(?:点头|摇头|颔首|侧头|侧身|抬头|抬眼|抬手|抬眸|低头|垂眸|垂眼|闭眼|闭上眼"
    "|睁眼|睁开眼|眯眼|眯起|皱眉|蹙眉|挑眉|扬眉|勾唇|抿唇|一笑|一怔|一愣|一顿|一僵|一颤|一沉|叹气|叹息|叹了"
    "|吐出一口|呼出一口|吸了一口|转身|转过身|起身|站起身|开口|勾起|上扬|扬起|皱起|蹙起|颤抖|发抖|发颤)"
    "|深吸了?一口气|深深地?吸了?一口气|长[长吁]*地?(?:叹|吐|舒|出)了?(?:一)?口气|(?:叹|松|舒)了一?口气"
    "|嘴角(?:微微|轻轻|不自觉地|不由得)?(?:一)?(?:上扬|勾起|扬起|翘起|抽了?抽|抽搐|扯了?扯|一扯|一勾|弯|牵动)"
    "|(?:眉头|眉心|双眉|眉毛)(?:微微|紧紧|轻轻|不由得)?(?:一)?(?:皱|蹙|拧|锁|挑|跳|舒展)"
    "|(?:皱|挑|蹙|拧)(?:了皱|了挑|了蹙|了拧|起了?|着)?眉|抿了?抿?紧?(?:嘴唇|双唇|唇|嘴)|咬了?咬?紧?(?:嘴唇|下唇|牙关|后槽牙)"
    "|(?:握|攥|捏)紧了?(?:拳头|双拳|拳|手指|手心|衣角)|指(?:尖|节|关节)(?:微微|轻轻|有些|不自觉地)?(?:一)?(?:颤|发白|泛白|发凉|发抖|收紧|蜷)"
    "|喉结(?:上下)?(?:微微|轻轻)?(?:一)?(?:滚|动|滑)|睫毛(?:微微|轻轻)?(?:一)?(?:颤|抖|垂)|瞳孔(?:微微|猛地|骤然|陡然|骤)?(?:一)?缩"
    "|(?:眯|垂)(?:了眯|下|起|了垂)了?(?:眼睛|眼帘|眼眸|眼睫|眼|双眼|眸)"
    "|(?:目光|眼神|神色|脸色|面色)(?:微微|骤然|陡然|瞬间)?一(?:闪|沉|凝|冷|顿|黯|暗|变|滞|僵|紧)"
    "|(?:身子|身体|身形|脚步|动作|呼吸|手指|指尖|手上|声音)(?:微微|猛地|骤然|不由得)?一(?:僵|震|颤|顿|滞|窒|紧)"
    "|点了点头|摇了摇头|耸了耸肩|清了清嗓子|(?:揉|捏|按)了[揉捏按](?:眉心|太阳穴|鼻梁)|咽了口(?:唾沫|口水)"
    "|(?:愣|怔)了(?:一下|一愣|愣|怔|一瞬|片刻)|顿了(?:一下|顿|一顿|片刻)|沉默了(?:片刻|一会儿|一瞬|几秒|半晌)"
)
_STOCK_REACTIONS: Final = re.compile(
    "倒[吸抽]了?一口(?:凉|冷|寒)气|(?:心头|心中|心里|心下|心口)(?:猛地|骤然|不由得|微微)?一(?:震|紧|沉|跳|凛|颤|惊|寒|动|凉)"
    "|心里?(?:猛地)?(?:咯噔|咯登|格登)一[下声]|(?:目瞪口呆|瞠目结舌|面面相觑|鸦雀无声|呆若木鸡|面如死灰|面无血色|噤若寒蝉)"
    "|(?:全场|满场|满座|全班|四周|现场|大殿|会议室)(?:瞬间|顿时|一时间?|陷入一?片?)*(?:一片)?(?:死寂|哗然|寂静|沸腾|皆惊|鸦雀)"
    "|如遭(?:雷击|电击|重击)|(?:僵|愣|呆|怔|立)(?:立|住|楞)?在(?:了)?(?:原地|当场)|呆立当场"
    "|(?:难以|不敢|无法)置信|(?:空气|时间|世界|气氛)(?:仿佛|似乎|好像|瞬间|都|像是|在这一刻)*(?:凝固|静止|凝滞|冻结|停滞|停住|停止)"
    "|大气(?:都|也)?不敢[喘出]|(?:后背|脊背|背脊|脊梁)(?:一阵|直|一|都)?(?:发凉|发寒|发冷|冒汗|凉)"
    "|冷汗(?:直|瞬间|一下子|已经|早已)?(?:流|冒|涔涔|浸|打湿|湿透)|头皮(?:一阵|直)?(?:发麻|发紧|一麻)|汗毛(?:都|根根|瞬间)?(?:倒竖|竖)"
    "|(?:血液|血)(?:仿佛|似乎|都|瞬间)+(?:凝固|冻|凉|倒流)|呼吸(?:为之)?一[滞窒]|呼吸(?:瞬间|骤然|几乎|仿佛)?(?:停滞|停止|凝滞|一停)"
    "|心脏?(?:猛地|骤然|陡然|狠狠|猛然)一?(?:缩|紧|抽|沉|跳|震)|瞳孔(?:骤然|猛地|猛然|陡然|剧烈)?(?:收缩|一缩|地震|放大)|心(?:脏|跳)?(?:仿佛|都|陡然|骤然|瞬间)*(?:漏了?[一半]?拍|骤停|漏跳)"
    "|脑(?:子|海|袋)?(?:里|中)?(?:嗡的?一[声下]|一片空白)|大脑一片空白|(?:脸色|面色)(?:瞬间|顿时|骤然|陡然|唰地|刷地)(?:一|变得)?(?:变|惨?白|煞白|铁青|苍白|难看)"
)
_ABSTRACTIONS: Final = re.compile(
    f"(?:一种|一股|一丝|某种)(?:说不[清出上]|难以|无法|莫名|无以|不可)[^。！？!?，,\\n\\x00]{{1,8}}?的(?:情绪|感觉|滋味|力量|东西|意味|情感|悲凉|温暖|复杂)"
    "|(?:某种|在某种)(?:意义|程度)上|(?:这|那)(?:就|便|才|或许就|也许就)?(?:意味着|是(?:生活|命运|人生|成长|岁月|江湖|爱|人性|代价|宿命)[。，,])"
    "|(?:或许|也许|原来)[，,]?(?:这|那)(?:就|便|才)是|原来[，,]?所谓的?|所谓的?(?:成长|幸福|命运|人生|江湖|自由|生活|长大|告别|爱)"
    f"|(?:像是|仿佛是|更像是|是)一[场次种](?:无声|漫长|沉默|盛大|迟来|温柔|残酷|隐秘)的{_HAN}{{2,3}}"
    "|(?:那|这)一(?:刻|瞬间?|瞬)[，,]?(?:他们?|她们?|我们?)?(?:终于|忽然|突然|才|猛然)?(?:明白|懂得?了?|意识到|知道|理解|醒悟)"
    "|有些(?:人|事|路|话|东西|伤口|真相|秘密|债)[，,]?(?:注定|终究|一旦|总要|总会|必须|不是)"
    "|(?:时间|命运|岁月|生活|人生)(?:终究|终将|从来|总是|总会|会证明|向来)|(?:归根结底|归根到底|终其一生|无论如何都)"
    "|(?:是|成了?|成为)(?:一种|最后的|最好的|唯一的)(?:选择|救赎|告别|答案|解脱|信仰|执念|宿命|和解|慰藉|仪式)"
)
_CLICHES: Final = re.compile(
    "仿佛|宛如|宛若|犹如|恍若|不由得|不由自主|情不自禁|不禁|一抹|一丝|一缕|一股(?!脑)|莫名的?|难以言喻|难以名状|不易察觉|微不可察|几不可闻"
    "|若有所思|意味深长|似笑非笑|不动声色|面无表情|居高临下|不容置疑|毋庸置疑|前所未有|不可思议|毫不犹豫|毫无征兆|猝不及防"
    "|死寂|刹那间?|瞬间|骤然|陡然|蓦然|蓦地|猛地|猛然|赫然|悄然|悄无声息|无声无息|深邃|凌厉|锐利|冰冷|幽深|森然|凛然"
    "|涌上心头|油然而生|席卷而来|扑面而来|弥漫|笼罩|氤氲|蔓延|交织|镌刻|烙印|破碎|支离破碎|摇摇欲坠"
    "|五味杂陈|百感交集|心如刀绞|波澜|涟漪|悸动|宿命|救赎|沉甸甸|无尽的?|无边的?|漫长而|低沉而|冷冽|清冷|复杂的(?:目光|眼神|神色|情绪)"
)
_COMPARISONS: Final = re.compile(
    "(?<![画图肖录影石雕塑偶铜头群佛神圣造人蜡遗不好])像(?![样话素模章极机似你他她我这那什])"
    "|好像(?!是|有|没|不|要|在|也|还|又|已|就|都|真)|仿佛|如同|犹如|宛如|宛若|恍若|恰似|好似|好比|活像|酷似"
    f"|(?<![一这那百万千诸如何])(?<={_HAN})般(?:的|地|{_HAN})(?<!般若)(?<!般配)"
)

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="micro-action-tic",
        name=Message("小动作成瘾", "tic of small gestures"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "本章有 {times} 处小动作套语（每千字 {per_1000} 处），最多的是：{words}",
            "{times} stock gestures in this chapter ({per_1000} per 1000 characters): {words}",
        ),
        advice=Message(
            "删掉多半：只留推动情节或只有这个人才会做的动作，其余让对白自己站着。",
            "Delete most: keep gestures that move the story or that only this person would make.",
        ),
        bad="他点了点头。她皱了皱眉，抿了抿唇。他深吸一口气，嘴角微微上扬。她眯起眼睛，摇了摇头。",
        good="他点了点头，把船篙插进泥里，跳上岸去，沿着堤走了半里，才看见那盏灯。",
        search=Density("micro-action-tic", _MICRO_ACTIONS, 5, 6, part="prose"),
    ),
    Rule(
        id="stock-reaction-tic",
        name=Message("套用的惊讶反应", "stock reactions"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "本章有 {times} 处现成的震惊反应：{words}",
            "{times} ready-made reactions of shock in this chapter: {words}",
        ),
        advice=Message(
            "挑一处最要紧的，写这个人此刻真会做的事；其余删掉，不必人人震惊。",
            "Keep one, and let that person do what only he would do now; not everybody must gasp.",
        ),
        bad="众人倒吸一口凉气，面面相觑。他心头一震，只觉头皮发麻，僵在原地。",
        good="众人都不作声。坐在末席的老胡把酒杯放下，杯底在桌上转了半圈。他心里一动，想起那年的雪。",
        search=Density("stock-reaction-tic", _STOCK_REACTIONS, 4, 1.5, part="prose"),
    ),
    Rule(
        id="abstract-summary-tic",
        name=Message("抽象拔高", "abstract summings-up"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "本章有 {times} 处替读者总结意义的话：{words}",
            "{times} places sum up a meaning for the reader: {words}",
        ),
        advice=Message(
            "删掉总结，让前面的事自己说明；非说不可，就换成人物会说的一句话。",
            "Delete them and let what happened speak, or give one to a character in his own words.",
        ),
        bad="那一刻他终于明白，有些路注定要一个人走。或许，这就是成长。某种意义上，他已经赢了。",
        good="他把信折好放进口袋，站起来去关窗。雨停了，街上有人在卸门板。",
        search=Density("abstract-summary-tic", _ABSTRACTIONS, 3, 4, part="prose"),
    ),
    Rule(
        id="cliche-density-tic",
        name=Message("套词太密", "clichés too dense"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "本章有 {times} 个套词（每千字 {per_1000} 个），最多的是：{words}",
            "{times} worn words in this chapter ({per_1000} per 1000 characters): {words}",
        ),
        advice=Message(
            "先删修饰，再看还缺什么；缺的用看得见、摸得着的细节补。",
            "Delete the ornament first, then put back what is missing as something seen or touched.",
        ),
        bad=(
            "死寂弥漫，冰冷的月光笼罩一切。他猛地抬头，深邃的眼中闪过一丝冷冽，一股莫名的悸动涌上心头。"
            "刹那间，仿佛有无尽的涟漪悄然蔓延。"
        ),
        good="月亮升到桥栏上。他抬起头，看见对岸有人提着灯，灯在风里一明一暗，仿佛走得很急。",
        search=Density("cliche-density-tic", _CLICHES, 8, 12, part="prose"),
    ),
    Rule(
        id="metaphor-density-tic",
        name=Message("比喻太密", "comparisons too dense"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "本章叙述有 {times} 个比喻（每千字 {per_1000} 个）",
            "{times} comparisons in this chapter's narrative ({per_1000} per 1000 characters)",
        ),
        advice=Message(
            "每页留一个最准的，其余改成直接写所见。",
            "Keep the truest one on each page and say the others straight.",
        ),
        bad=(
            "雨像针，风像刀，街像一条死蛇。灯笼宛如鬼火，人影仿佛纸片。他的心如同石头，手好似枯枝，"
            "走起路来像踩着棉花。"
        ),
        good="那张画像挂在堂屋里，画得不像。雨下得像筛豆子，他好像没有听见，这个样子真不像话。",
        search=Density("metaphor-density-tic", _COMPARISONS, 7, 3, part="prose"),
    ),
)
