"""Chinese words that decide whether a turn of phrase is a manner or a fact.

Pure data. A feeling that is denied so that another feeling may be asserted is a manner wherever it
stands; a person, a number, a direction or a term of law or medicine is corrected because somebody
had it wrong. What is in neither list is not judged by words.
"""

from __future__ import annotations

import re
from typing import Final

FEELINGS: Final = (
    "恐惧|惊恐|惧怕|惧意|害怕|畏惧|敬畏|恐慌|惊慌|慌乱|慌张|慌|惊讶|惊愕|震惊|惊惧|愤怒|愤慨|怒意|怒火|怒气|恼怒|暴怒|生气|悲伤|悲哀|悲痛|哀伤|哀恸"
    "|忧伤|忧愁|伤感|感伤|伤心|难过|悲凉|悲悯|怜悯|怜惜|怜爱|同情|慈悲|喜悦|欢喜|狂喜|欣喜|高兴|快乐|幸福|兴奋|激动|绝望|失望|失落|希冀|期待"
    "|期盼|渴望|孤独|寂寞|孤寂|疲惫|疲倦|倦意|倦怠|厌倦|厌恶|憎恶|憎恨|仇恨|恨意|怨恨|怨毒|爱意|爱恋|依恋|眷恋|留恋|不舍|羞耻|羞愧|羞怯|愧疚"
    "|内疚|愧意|歉意|悔恨|懊悔|后悔|嫉妒|妒意|羡慕|得意|骄傲|傲慢|自豪|自卑|不甘|委屈|冷漠|麻木|平静|宁静|释然|坦然|淡然|漠然|茫然|迷茫|惆怅"
    "|怅然|空虚|荒凉|苍凉|落寞|欣慰|感激|感动|心疼|心酸|崇拜|崇敬|敬意|信任|猜忌|警惕|戒备|轻蔑|轻视|蔑视|鄙夷|鄙视|嘲讽|嘲弄|嘲笑|讥讽|讥诮"
    "|恶意|善意|敌意|杀意|战意|温柔|温情|温和|和气|柔情|焦虑|焦急|不安|紧张|犹豫|迟疑|退缩|怯懦|懦弱|软弱|胆怯|勇气|决绝|坚定|倔强|狠厉"
    "|狠绝|掂量|算计|审视|欲望|贪婪|执念|无奈|无力|苦涩|酸楚|屈辱|狂热|笃定|从容|挣扎|遗憾|爱慕|思念|想念|牵挂|惋惜|空茫|虔诚|依赖|愤恨|怨怼|埋怨|不屑|惶恐|惶惑|忐忑|懊恼|沮丧|颓丧|心虚|心动|心软|悸动|迷恋|偏执|释怀|安心|安宁|痛苦|酸涩|怅惘|悲怆|悲戚|不忍|隐忍|怀念|信赖|疑惑|困惑|好奇|惊喜|满足|挫败|怒|恨|惧"
)
"""Feelings, and the attitudes that a face or a voice may show."""

FATES: Final = (
    "命运|宿命|救赎|解脱|告别|诀别|重逢|归宿|终点|起点|终结|结束|开始|开端|毁灭|新生|重生|自由|枷锁|牢笼|囚笼|希望|深渊|永恒|虚无|沉沦|堕落|成长"
    "|蜕变|觉醒|孤勇|宽恕|原谅|遗忘|铭记"
)
"""Large words that stand for the meaning of things."""

_SINGLE: Final = "恨|怨|怕|疑|爱|怒|悲|悔|愧|惧|妒|厌|喜|慌|倦"

ABSTRACT: Final = re.compile(
    rf"(?:{FEELINGS})(?:感|之情|之意)?$|^(?:{_SINGLE})$"
    rf"|^(?:一[个场种次]|另一[个场种次]|真正的|新的|最后的|所谓的?)*(?:{FATES})$"
)
"""Text that ends in a feeling, is a feeling of one character, or a large word and nothing else: the
end of a term and the start of a race are dates."""

VAGUE: Final = re.compile(
    "^(?:一种|某种|另一种|一股|一丝|一抹|一阵)"
    "(?!.{0,24}(?:药|病|鱼|鸟|虫|草|花|树|菜|酒|茶|布|纸|味道?|烟|风|气味|声音|声)$)"
    "|^近乎|^深深的"
)
"""What is asserted without being named: 一种比愤怒更冷的东西."""

FELT: Final = re.compile(
    "(?:涌起|涌上|涌出|浮起|浮上|浮现|升起|翻涌|泛起|流露|露出|透出|溢出|剩下|留下|感到|感觉到|感受到|体会到|有|写着|藏着|带着|盛着|燃着|燃烧)(?:来)?的$"
    r"|(?:击中|压垮|刺痛|打动|支撑|驱使|折磨|困住|包围|笼罩|淹没|吞没|取代|换来|等来|读到|读出|看到|看见|看出|捕捉到|听出)了?[^\W\da-zA-Z_]{0,8}的$"
    "|[脸面眼眸心胸目嘴眉笑声语][^，。！？]{0,4}[里上中下底间角](?:的)?$|(?:眼神|目光|神色|神情|表情|语气|声音|笑容)(?:里|中)?$"
)
"""What stands before a turn that speaks of a feeling, in a face or in a heart."""

NAMED: Final = re.compile(
    "题目|主题|课题|[考试解]题|题[是为]|题的|书名|片名|片子|剧名|剧本|歌名|歌词|曲|代号|关键词|单词|词[是为条典]|标题|科目|[讲论]的|病|症|诊断|确诊|患者"
    "|[译念拼演画唱考选投写读填猜抽翻教][中到]?的|[译念拼写读印]作|[译念拼写读]成|问卷|试卷|档案|登记|牌"
)
"""What makes a feeling a word, a title or a diagnosis, which may well be corrected."""

NAMED_HERE: Final = re.compile(
    "题(?!到)|(?<![有无姓著])名(?!声|为)|(?<![读])书(?![房院])|(?<![一大照名卡])片|剧(?!烈)|戏(?!谑)|歌|词|(?<!数)字(?![迹面])|课|译|念(?!头)"
    "|拼(?!命)|演|(?<!刻)画|唱|(?<![思参])考(?!虑)|(?<!挑)选(?!择)|投(?!向|来|入)|卷(?!起|入)|得的$"
)
"""The same in single characters, which many other words hold: looked for in the clause alone."""

MINDED: Final = re.compile(
    "(?:在意|在乎|介意|看重|害怕|怕|畏惧|恨|爱|贪|求|等|盼|守|追求|渴望|想要|放不下|舍不得|忘不了|缺|欠|输掉|毁掉|丢掉|错过|难过|遗憾|心疼|失去|留恋|想念|怀念|习惯|厌倦|守护|执着)的(?:从来|根本|并|其实|早已)?$"
)
"""What somebody cares for: 他怕的不是死，是…. The denied half was never in question."""

REPAIRED: Final = re.compile(
    "被[^，。]{0,6}(?:咬|撞|砸|偷|拿|堵|卡|压|烧|泡|磨)|短路|漏[油水电气]|没[油电气]|[断停]电|跳闸|故障|生锈|松了|堵了|卡住|坏了|进水|欠费|误差|[写抄看记]错"
)
"""What goes wrong with things: a cause that is found out."""

CONCRETE: Final = re.compile("^一[条只匹头张块辆艘棵扇口碗瓶盏根支件封袋筐把枚粒]")
"""A thing that is counted: 那是一条狗，不是狼 puts right what was seen."""

FIGURE: Final = re.compile(
    "(?:念想|青春|人生|余生|性命|良心|底气|初心|灵魂|重量|丧钟|回忆|记忆|岁月|童年|未来|过去|深渊|退路|归途|后半生|一生|半条命|一颗心|软肋|铠甲|信念|自尊|脊梁|希望|光)$"
)
"""What a thing is made to stand for: 打碎的不是碗，而是他最后的念想."""

FACTUAL: Final = re.compile(
    "(?:作者|凶器|死因|凶手|死者|伤者|受害人|嫌疑人|物证|证物|证据|致命伤|日期|时间|地点|地址|产地|籍贯|年份|型号|编号|号码|密码|颜色|材质|原料|主料|品种|血型|姓氏|本名|真名"
    "|学名|单位|价格|价钱|落款|署名|目的地|终点站|起因|故障|病因)(?:上|里)?(?:写|印|刻|填|记)?的?(?:并|也|倒|其实)?$"
)
"""A subject that somebody looks up or finds out, and may have had wrong: 凶器不是菜刀，而是….
"""

LOFTY: Final = re.compile(
    rf"(?:{FATES}|死亡|真相|安慰|答案|理由|交代|施舍|认命|认错|认输|妥协|低头|成全|厌弃|背叛|忠诚|战争|游戏|交易|契约|惩罚|奖赏|考验|试探|警告|威胁|承诺|谎言|习惯|本能|责任|义务"
    "|尊严|体面|沉默|拒绝|默认|退让|逃避|忍让|示弱|挑衅|邀请|命令|请求|商量|信仰|偏见|虚荣|野心|懂事|乖巧|深情|冷静|善良|天真|强大|力量|权力|荣耀|爱情|陪伴|占有|亏欠|离别"
    "|冷笑|苦笑|微笑|胜利|失败|投降|牺牲|活着|欢喜|复仇|报复|反击|赎罪|了断|承诺|恩情|人情|挽留|奢望|借口|试炼|巧合|结局|自尊|良心|底线|界限|距离|臣服|信仰|忠贞|顺从|服从|崇高|奉献|占有欲|掌控|控制|真心|真情|假意|虚伪|自私|软弱|逞强|懦夫|英雄|懒惰)$"
)
"""Words for what a thing means, looser than `ABSTRACT`: in a turn of them the manner is likely."""

CORRECTED: Final = re.compile(
    r"[^。！？!?\n]{0,60}?(?:纠正|更正|订正|改(?:口|成|了[一过])|(?:写|念|答|弄|听|记|拼|猜|译)错|认错[了人成]|病历|词典|字典|说明书|手册)"
)
"""What says, in the same sentence, that somebody had it wrong indeed."""

_KIN: Final = (
    "哥|弟|姐|妹|爹|娘|爸|妈|父亲|母亲|儿子|女儿|孙子|孙女|爷爷|奶奶|外婆|外公|舅|姑|姨|叔|伯|婶|嫂"
    "|丈夫|妻子|老婆|老公|媳妇|女婿|亲家|岳父|岳母"
)
_ROLES: Final = (
    "师傅|师父|师兄|师弟|徒弟|先生|太太|小姐|老板|掌柜|伙计|老师|学生|同学|医生|大夫|护士|警察|司机|邮差|保姆|同事|邻居|房东|乘客|船长|船工|队长|局长"
    "|科长|班长|村长|书记|主任|经理|秘书|记者|律师|法官|证人|凶手|主犯|从犯|被告|原告|债务人|担保人|当事人|别人|旁人|外人|生人|本人|主人|客人|人质|歹徒|将军|皇帝|知县"
)
PERSON: Final = re.compile(
    rf"^(?:我|你|他|她|它|咱|俺)们?(?:自己|俩)?$|(?:{_KIN}|{_ROLES})(?:们|子|爷)?$|^(?:我|你|他|她)们?的?(?:{_KIN}|{_ROLES})"
    r"|^(?:老|小|阿|大)[^\W\d_a-zA-Z]$|^[^\W\d_a-zA-Z的]{1,4}人$|^谁$"
)
"""Somebody: a pronoun, kin, a calling, a name of the shape 老王."""

_DIRECTION: Final = "通过|往|向|朝|从|沿|冲|顺|自|[开飞寄运发驶送]往|去|到|在|给|替|为(?!了)|跟|和|对|由|被|用|拿|靠"
DIRECTION: Final = re.compile(f"^(?:{_DIRECTION})")
"""A preposition or a verb of going: the place, the means or the person may be corrected."""

_COUNT: Final = "[0-9０-９零〇一二三四五六七八九十百千万两半几]"
NUMBER: Final = re.compile(f"^第?({_COUNT}+)(?!种|样|般|味|直|起|定|切|旦|瞬|时)")
"""A number at the front; `一种` and the like are none."""

TERM: Final = re.compile(
    "故意|过失|自杀|他杀|谋杀|误杀|意外|事故|抢劫|抢夺|盗窃|诈骗|行贿|受贿|刀伤|枪伤|烧伤|外伤|内伤|中毒|氰化|砒霜|骨折|肿瘤|癌|[肺肝胃肠肾脑]炎|炎$|病"
    "|阳性|阴性|良性|恶性|真品|赝品|原件|复印件|正本|副本|判决|裁定|合同|遗嘱|血型|指纹|[ABO]型|疫苗|抗生素|溃疡|结核|骨髓|高血压|低血糖|中风|感冒|发烧"
)
"""Terms of law and medicine: who finds out is told so."""
