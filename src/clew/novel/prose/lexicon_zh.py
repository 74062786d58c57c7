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
    "|狠绝|掂量|算计|审视|欲望|贪婪|执念|无奈|无力|苦涩|酸楚|屈辱|狂热|笃定|从容|挣扎|怒|恨|惧"
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
    "|[脸面眼眸心胸目嘴眉笑声语][^，。！？]{0,4}[里上中下底间角](?:的)?$|(?:眼神|目光|神色|神情|表情|语气|声音|笑容)(?:里|中)?$"
)
"""What stands before a turn that speaks of a feeling, in a face or in a heart."""

NAMED: Final = re.compile(
    "题目|主题|课题|题|名|书|片|剧|戏|歌|代号|关键词|单词|词|字|标题|科目|课|病|症|诊断|确诊|患|译|念|拼|演|画|唱|考|选|投|卷|档案|登记|牌"
)
"""What makes a feeling a word, a title or a diagnosis, which may well be corrected."""

CORRECTED: Final = re.compile(
    r"[^。！？!?\n]{0,60}?(?:纠正|更正|订正|改(?:口|成|了[一过])|(?:写|念|答|弄|认|听|记|拼|猜|译)错|病历|词典|字典|说明书|手册)"
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

_DIRECTION: Final = (
    "往|向|朝|从|沿|冲|顺|自|[开飞寄运发驶送]往|去|到|在|给|替|为(?!了)|跟|和|对|由|被|用|拿|靠"
)
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
