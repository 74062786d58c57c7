"""Chinese: the voice that is not loud and yet …, and rows of denials.

Pure data, and the searches that weigh a match. What blocks is the stock phrase with its stock
effect (字字, 不容置疑, 压在每个人心上) and rows of denied feelings; rows of things that were not there
may be plain report (没有电，没有水，没有信号), and are advised upon at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.lexicon_zh import FEELINGS
from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import MASK, Body

_STOP: Final = rf"。！？!?…—\n{MASK}"
_IN: Final = rf"[^{_STOP}，,；;：:]"
# Whatever is not punctuation: a class of words costs far less to compile than a list of marks.
_IN_CLAUSE: Final = r"[\w ]"

# --- 声音不大，却… ---

_LOW: Final = (
    "(?:声音|嗓音|话音|嗓门)(?:并|也|倒|其实|明明)?不(?:算|是)?(?:很|太|怎么|特别)?"
    "(?:响亮|洪亮|[大高响亮重](?:不[小低轻])?)"
)
_WEIGHT: Final = (
    rf"(?:字字|每一?个字|掷地有声|不容(?:置疑|反驳|拒绝|抗拒|分说|置喙)|像{_IN}{{1,10}}?(?:压|砸|敲|扎|刺|钉|劈|锤)"
    rf"|(?:压|砸|敲|扎|刺|钉|锤|落)(?:在|进|到)了?(?:所有|每个?|众|在场|他|她|我|人){_IN}{{0,8}}[心耳]"
    rf"|[让令使叫](?:所有|每个|众|在场|满|全|整个|屋里|吵){_IN}{{1,14}}|(?:所有|每个|在场){_IN}{{0,6}}(?:静|停|噤|一震|一凛))"
)
_VOICE: Final = re.compile(rf"{_LOW}[，,](?:却|但是?|偏偏?|然而){_IN}{{0,6}}?{_WEIGHT}")

_DEVICE: Final = re.compile(
    "收音机|电视|喇叭|广播|音响|录音|电话|手机|唱片|唱机|柴油机|发动机|马达|机器|风扇|冰箱|水管|水龙头|门轴|门铃|铃|钟|鼓|锣|琴|笛|雨|风|浪|水|雷"
)
_EFFECT: Final = (
    "字字|一字一|每一?个字|句句|所有人|众人|每个人|人人|在场|满[座堂场屋院]|全[场班屋]|整个|让|令|使|压|像|如同|仿佛|带着|透着|透出|有种|有一种|不容|掷地"
    "|足以|传遍|没有?人敢|无人敢|谁[也都]不敢|安静|静了|静下|穿透|砸|钉|刺|扎|震|稳稳|有力|冷|清晰地|清清楚楚|一清二楚"
)
_MILD: Final = (
    r"(?:声音|嗓音|话音|嗓门|语气|语调|口气|语声)(?:[很极虽]|虽然|并不?|十分|非常|依旧|依然|仍)?"
    r"(?:轻|低|温软|软糯|绵软|细弱|微弱|平静|平淡|平缓|温和|柔和|温柔|沙哑|冷淡|淡|缓|慢|随意|轻柔|轻缓)"
)
_TONE: Final = "(?:声音|嗓音|语气|语调|口吻|口气|话音)"
_FLAT: Final = "(?:平静|平淡|冷静|温柔|温和|冰冷|冷淡|冷|轻柔|轻|沙哑|低沉|低|淡)"
_MANNER: Final = re.compile(
    rf"(?:{_LOW}(?:[，,]{_IN}{{0,8}})?|{_MILD})[，,](?:"
    rf"却不容(?:商量|分说|置疑|拒绝)|却(?!很?好听|不|没|一直|又|有些|有点){_IN}{{0,12}}?(?:{_EFFECT})"
    rf"|{_IN}{{1,10}}却(?:都)?(?:听得(?:清|真|一清|分明|明明)|{_IN}{{0,4}}(?:安静|静了|静下|鸦雀))"
    rf"|(?:但是?|偏偏?|然而|可(?![以能怜惜爱笑见是])){_IN}{{0,12}}?(?:{_EFFECT})"
    r")"
    # 语气平静得可怕; 声音里带着一丝不易察觉的颤抖; 语气不容置疑; 听不出喜怒
    rf"|{_TONE}(?:里|中)?(?:{_FLAT}得(?:可怕|吓人|瘆人|骇人|令人|让人|近乎|不像|没有一丝|像{_IN}{{0,6}}(?:冰|霜|铁|刀|雪|水|深潭|井))"
    rf"|(?:{_IN}{{0,6}}[，,])?(?:带着?|透着?|夹着|藏着|含着)了?(?:一丝|几分|一抹|一种)?(?:不易察觉|难以察觉|微不可察|不容[置拒反抗])"
    rf"|(?:里|中)?(?:压|藏|含|透|带)着一?[股丝种抹](?:难以|说不[出清]|无法|掩饰不住|抑制不住)"
    rf"|不容(?:置疑|拒绝|反驳|抗拒|分说|商量)(?=[。，；！])"
    rf"|{_IN}{{0,8}}[，,]?听不出(?:任何|一丝|半点|什么)?(?:喜怒|情绪|悲喜|起伏|波澜))"
    r"|(?:平静|安静|冷静|温柔)得(?:可怕|瘆人|(?:让|令)人(?:害怕|心慌|心寒|不安|发冷|窒息))"
)


def _voices(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The stock phrase of a voice; of a wireless or of the rain it may be plain truth."""
    for found in _VOICE.finditer(body.flow.text):
        if not _is_a_device(found):
            yield Hit.in_flow(body.flow, *found.span())


def _voice_manner(body: Body, config: ProseConfig) -> Iterator[Hit]:
    text = body.flow.text
    sure = {found.start() for found in _VOICE.finditer(text)}
    for found in _MANNER.finditer(text):
        if found.start() not in sure and not _is_a_device(found):
            yield Hit.in_flow(body.flow, *found.span())


def _sentence_before(found: re.Match[str]) -> str:
    """What stands before a match in its own sentence."""
    before = found.string[max(0, found.start() - 30) : found.start()]
    return before[max(map(before.rfind, "。！？!?\n"), default=-1) + 1 :]


def _is_a_device(found: re.Match[str]) -> bool:
    return _DEVICE.search(_sentence_before(found)) is not None


# --- 没有A，没有B，只有C ---

_BETWEEN: Final = rf"[^\w\s{MASK}]{{1,2}}\s*"
_ONLY: Final = r"(?:有的)?(?:只有|只是|只剩|只会|唯有|就只|只静静|只默默|只[定直怔呆]{2})"
_WHO: Final = r"(?:他们?|她们?|它|我们?)"
_HEAD: Final = r"(?:(?<!\w)|(?<=他)|(?<=她)|(?<=它)|(?<=我)|(?<=[他她我]们))"
# 林远没有…: a name; what ends so is a place, and things that are not there may be told of it.
_NAME: Final = rf"(?:{_HEAD}|(?<!\w)[^\W\d_a-zA-Z]{{1,2}}[^\W\d_a-zA-Z里上中下边内外间头处前后有])"
_FELT: Final = (
    rf"(?:丝毫|半点|任何|一丝|一点)?的?(?:{_IN_CLAUSE}{{0,6}}的)?(?:{FEELINGS}|畏缩|怨言|怨怼)"
)
_SURE: Final = re.compile(
    rf"{_NAME}没有{_FELT}{_BETWEEN}没有{_FELT}{_BETWEEN}"
    rf"(?:(?:甚至|更|也)?没有{_IN_CLAUSE}{{1,10}}|{_WHO}?{_ONLY})"
)

# 没有票的站左边，没有证就出去: rules, not a parade. 没有了父母: a loss, told as it is.
_THING: Final = rf"(?:(?!就|不|的[站坐走去来排交]|了){_IN_CLAUSE}){{1,10}}"
_NOTHING: Final = r"没(?!有|多久|过|等|几|准|法|错|事)"
_ACT: Final = (
    rf"(?:{_IN_CLAUSE}{{1,6}}的)?(?:{FEELINGS}|说话|开口|回答|回话|解释|辩解|反驳|否认|承认|点头|摇头|抬头|回头|停下|停留|停顿|挽留|哭|闹|喊|叫|求饶|质问|追问|催促|责怪|道别|告别"
    rf"|眼泪|泪水|掌声|喝彩|欢呼|惊呼|尖叫|哭声|怨言|多余的话|言语|话语|争吵|争执|拥抱|寒暄|客套|责备|指责|抱怨|挣扎|停歇|誓言|承诺|鲜花|音乐|祝福|仪式|预兆|征兆|怒吼|咆哮|呐喊|停步|硝烟|号角|鼓声|道歉|眼神|铺垫|悬念|豪言壮语|慷慨陈词|波澜|意外|奇迹|{_IN_CLAUSE}{{0,2}}(?:声|鸣|泪|吻|叹息|笑语))"
)
_DOING: Final = "(?:哭|闹|喊|叫|笑|问|质问|追问|争|争辩|辩|辩解|解释|反驳|怒|躲|逃|说话|言语|挣扎|回头|抬头|动|悲|喜)"
_PARADE: Final = re.compile(
    rf"(?:{_HEAD}(?:没有{_THING}{_BETWEEN}没有{_THING}{_BETWEEN}"
    rf"(?:(?:甚至|更|也)?没有{_IN_CLAUSE}{{1,10}}|{_WHO}?{_ONLY})"
    rf"|{_NOTHING}{_IN_CLAUSE}{{1,5}}{_BETWEEN}{_NOTHING}{_IN_CLAUSE}{{1,5}}{_BETWEEN}{_WHO}?{_ONLY}"
    rf"|没有谁?{_ACT}{_BETWEEN}[也更]?没有谁?{_ACT}[。！；，]"
    # 没有寒暄，没有铺垫，他一开口…; 不问缘由，不问归期
    rf"|(?<!\w)没有{_IN_CLAUSE}{{2,4}}[，、]没有{_IN_CLAUSE}{{2,4}}[，。](?:他们?|她们?)(?!的|没|只好|只能|不得)"
    rf"|(?<!\w)不([问谈提看管听])(?!清|见|到|出){_IN_CLAUSE}{{2,4}}[，、]不\1{_IN_CLAUSE}{{2,4}}[，。]"
    # 不哭，不闹，不质问，她只是…
    rf"|不{_DOING}[，、]不{_DOING}[，、](?:也?不{_DOING}[，、])?{_WHO}?(?:只是|就只|就那么|就那样|就这么|就这样|就静静)"
    rf"|(?<!\w)无{_IN_CLAUSE}{{1,3}}[，、。]无{_IN_CLAUSE}{{1,3}}[，、。]无{_IN_CLAUSE}{{1,3}}[，。]"
    rf"|(?<!\w)不[见闻]{_IN_CLAUSE}{{1,4}}[，、。]不[见闻]{_IN_CLAUSE}{{1,4}}[，、。](?:唯有|只有|只见|但见|只剩|唯)"
    rf")|{_NAME}没有{_ACT}{_BETWEEN}没有{_ACT}{_BETWEEN}{_WHO}?{_ONLY})"
)
_SUPPLIES: Final = re.compile(
    "没有(?:电|水|信号|网|粮|米|面|油|盐|柴|煤|炭|钱|药|房|地|田|车|船|马|票|证|工作|户口|身份证|父母|爹|娘|老婆|孩子|儿女|亲戚|床|桌|椅|窗|门|路|桥|井|医生|老师"
    "|介绍信|担保|指标|编制|合同|许可|人(?![影声]))"
)


def _parades(body: Body, config: ProseConfig) -> Iterator[Hit]:
    for found in _SURE.finditer(body.flow.text):
        yield Hit.in_flow(body.flow, *found.span())


def _rows(body: Body, config: ProseConfig) -> Iterator[Hit]:
    text = body.flow.text
    sure = {found.start() for found in _SURE.finditer(text)}
    for found in _PARADE.finditer(text):
        if found.start() not in sure and not _SUPPLIES.search(found[0]):
            yield Hit.in_flow(body.flow, *found.span())


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="voice-contrast",
        name=Message("「声音不大，却……」", "“not loud, yet …”"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "套话：「声音不大，却……」",
            "a stock phrase: the voice is not loud, and yet … (声音不大，却…)",
        ),
        advice=Message(
            "删掉整句，让别人的反应说明这句话的分量；或者写清声音究竟是什么样。",
            "Delete it and let somebody's reaction show the weight, or say how the voice sounds.",
        ),
        bad="他声音不大，却让满屋子的人都停了筷子。",
        good="水管里滴着水，声音不大，却一直没有停。她的声音不大，却很好听，像有人在隔壁拉二胡。",
        search=_voices,
    ),
    Rule(
        id="voice-manner",
        name=Message("语气套话", "a stock voice"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "写声音的套话：轻或平静，却有分量",
            "a stock voice: soft or calm, and yet it weighs",
        ),
        advice=Message(
            "写清声音究竟是什么样，或者写听的人做了什么。",
            "Say how the voice sounds, or what the listeners do.",
        ),
        bad="她的语气平静，却带着不容拒绝的力量。",
        good="她的声音很轻，隔着门听不清楚。他语气平静，却没有坐下。",
        search=_voice_manner,
    ),
    Rule(
        id="negation-parade",
        name=Message("「没有……，没有……」排比", "parade of denials"),
        severity="blocking",
        review="semantic",
        family="style",
        message=Message(
            "一连串「没有」某种情绪，只为引出后面那一句",
            "a row of denied feelings that only leads up to something (没有…，没有…)",
        ),
        advice=Message(
            "直接写他做了什么；要写缺失，只留最要紧的一个。",
            "Say what is done; where an absence matters, keep the one that does.",
        ),
        bad="没有犹豫，没有恐惧，他只是把门推开。",
        good="没有电，没有水，没有信号，十三个人在山上过了九天。他没有了父母，没有了地，只剩下一条命。",
        search=_parades,
    ),
    Rule(
        id="denial-row",
        name=Message("否定铺垫", "a row of denials"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "一连串「没有、无、不见」作铺垫",
            "a row of things that were not there, or not done, leads up to something",
        ),
        advice=Message(
            "留下最要紧的一个，或者直接写有什么、做了什么。",
            "Keep the one denial that matters, or say what there is and what is done.",
        ),
        bad="没有风，没有月亮，只有水声。",
        good="没多久，船沉没了。家里没有米，也没有柴，只有一口空锅。他有没有去，有没有回，没人问。",
        search=_rows,
    ),
)
