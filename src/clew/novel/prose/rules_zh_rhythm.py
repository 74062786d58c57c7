"""Chinese: the length and joints of sentences and paragraphs.

Pure. All of it is measured over the storyteller's own sentences; one finding for a chapter, or for
each place where the measure is a place. None of it blocks: a rhythm may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.density import per_1000
from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import MASK, Body, Line, LineKind, visible

_STUTTER: Final = {"sentences": 6, "chars": 5}
_LONG: Final = {"chars": 200}
_ACTIONS: Final = {"actions": 5, "chars": 9}
_PRESSED: Final = {
    "chars": 1000,
    "paragraphs": 45,
    "short_chars": 15,
    "short_share": 0.58,
    "particles": 40,
}
_LOOSE: Final = {
    "chars": 800,
    "function_words": 80,
    "connectives": 12,
}

_SENTENCE: Final = re.compile(rf"([^。！？!?…\n{MASK}]+)([。！？!?…]*)")
_COUNTED: Final = re.compile("第?[0-9０-９零〇一二三四五六七八九十百千两]{1,5}")
_CLAUSE: Final = re.compile(rf"[^。！？!?…，,、；;：:—\n{MASK}]+")


def _told(body: Body) -> Iterator[Line]:
    return (line for line in body.lines if line.kind is LineKind.NARRATIVE)


def _stutters(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Each run of so many sentences that are all so short. Speech between them ends a run, and where
    most of them are numbers somebody counts."""
    least = config.limit("period-stutter", "sentences", _STUTTER["sentences"])
    most = config.limit("period-stutter", "chars", _STUTTER["chars"])
    text = body.flow.text
    run, start, end, numbers = 0, 0, 0, 0
    for found in _SENTENCE.finditer(text):
        chars = visible(found[1])
        if not chars:
            continue
        if chars > most or not found[2] or (run and MASK in text[end : found.start()]):
            if run >= least and 2 * numbers < run:
                yield Hit.in_flow(body.flow, start, end, {"times": run})
            run = numbers = 0
        if chars <= most and found[2]:
            numbers += _COUNTED.fullmatch(found[1].strip()) is not None
            if not run:
                start = found.start() + len(found[1]) - len(found[1].lstrip())
            run, end = run + 1, found.end()
    if run >= least and 2 * numbers < run:
        yield Hit.in_flow(body.flow, start, end, {"times": run})


def _long_paragraphs(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The first paragraph that is too long, with how many there are."""
    most = config.limit("long-paragraph", "chars", _LONG["chars"])
    found = [(line, n) for line in _told(body) if (n := visible(line.shown)) > most]
    if found:
        line = found[0][0]
        longest = max(n for _, n in found)
        values = {"times": len(found), "longest": longest, "most": int(most)}
        start = len(line.shown) - len(line.shown.lstrip())
        yield Hit(line, start, min(start + 40, len(line.shown)), values)


# What a short clause in a list of acts begins with, once 又, 随手, 快步 … are taken off.
_LEAD: Final = re.compile(
    "(?:他们?|她们?|我们?|又|再|便|就|才|随手|顺手|转身|一把|一手|反手|抬手|伸手|弯腰|快步|随即|然后|接着|慢慢|轻轻){0,3}"
)
_WHO: Final = re.compile("(?:他们?|她们?|我们?)?")
_ACT_WORDS: Final = (
    "推门 推开 拉开 拉上 拉起 拉下 打开 关上 关掉 关门 合上 锁好 锁上 拧开 拧紧 拧上 拿起 拿出 "
    "拿过 取出 取下 掏出 摸出 抽出 拔出 拔刀 放下 放回 放进 搁下 搁在 端起 端来 倒了 倒上 倒出 "
    "斟满 喝了 喝下 喝干 咽下 坐下 坐到 坐回 站起 站住 站定 起身 起来 转身 转过 走到 走进 走出 "
    "走过 走向 跨过 跨进 跨出 跑到 跑进 跑出 冲进 冲出 冲到 冲向 冲上 冲下 跳下 跳上 跳进 爬上 "
    "爬起 翻身 翻开 翻过 翻下 抓起 抓住 抓过 抱起 抱住 捡起 拾起 拎起 提起 提刀 扛起 披上 披衣 "
    "穿上 穿鞋 戴上 脱了 脱下 脱掉 解开 解下 系上 系好 扣上 扣好 收起 收好 收进 塞进 塞给 递给 "
    "递过 递上 接过 扔下 扔掉 扔进 丢下 丢掉 点燃 点上 点着 点火 吹灭 吹熄 掐灭 拍了 拍掉 擦了 "
    "擦干 擦掉 洗了 洗净 洗手 换上 换了 换好 按下 按住 握住 踢开 踹开 蹲下 跪下 低头 低下 抬头 "
    "抬起 看了 扫了 望了 回头 闭上 睁开 咬住 撕开 撕下 掀开 挑开 闪身 侧身 躲过 躲开 落地 落座 "
    "关灯 穿鞋 开灯 开门 锁门 踏步 格挡 后撤 前冲 突刺 直刺 横扫 横劈 下劈 上挑 翻滚 闪避 跃起 腾空 俯身 屈膝 "
    "蹲身 退弹 退出 检查 推上 拉动 探出 "
    "贴着 贴住 扣动 扣下 举枪 拔枪 换弹 拿开 摘下 扯下 扯开 扯掉 甩开 甩掉 拍开 撩开 推倒 拖出 拖过 拽过 拽住 "
    "按灭 倒掉 "
    "上车 上马 上楼 上前 上床 下车 下马 下楼 下床 出门 进门 退后 退出 退到 举起 竖起 架起 装上 "
    "卸下 插上 插进 插好 挂上 挂起 铺开 铺好 卷起 折好 叠好 包好 捆好 盖上 揭开 切开 剪断 割断 "
    "劈开 砍断 刺向 挡开 架住 点灯 夹起 抬手 挥手 挥剑 挥刀 出剑 出刀 收剑 收刀 收鞘 拉弓 搭箭 上膛 "
    "瞄准 开枪 起床 穿衣 刷牙 洗脸 "
)
_HANDS: Final = frozenset(
    "推拉拿取掏摸抽拔放搁端倒斟跨跑冲跳爬翻抓抱捡拾拎扛披穿戴脱解系扣塞递接扔丢吹掐拍擦洗按握踢踹蹲跪抬睁咬撕掀举竖架卸插挂铺卷折叠捆盖揭切剪割劈砍搭屏松扯拽拖甩撩摘拧锁关撑扶搂捧掰拨敲压踩迈贴躲钻伸缩挥灌抹嚼躺坐站靠"
)
_DONE: Final = frozenset("开上下出进起回住掉好紧满断灭熄定平亮直净稳齐了")
_ACTS: Final = frozenset(_ACT_WORDS.split())


def _is_act(clause: str) -> bool:
    lead, who = _LEAD.match(clause), _WHO.match(clause)
    assert lead is not None and who is not None
    # 搭上, 拉满, 松开: a verb of the hand and what comes of it
    if any(
        clause[at] in _HANDS and (clause[at + 1] in _DONE or clause[at + 1] == clause[at])
        for at in (lead.end(), who.end())
        if at + 1 < len(clause)
    ):
        return True
    # 转身 and 抬手 are leads before another act, and acts of their own.
    return any(clause[at : at + 2] in _ACTS for at in (lead.end(), who.end()))


def _action_lists(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Each run of short clauses, one act each, that nothing but commas joins."""
    least = config.limit("action-list-tic", "actions", _ACTIONS["actions"])
    most = config.limit("action-list-tic", "chars", _ACTIONS["chars"])
    for line in _told(body):
        run, start, end = 0, 0, 0
        for found in _CLAUSE.finditer(line.prose):
            clause = found[0].strip()
            act = len(clause) <= most and _is_act(clause)
            if run and (
                not act or line.prose[end : found.start()].strip() not in ("，", "、", ",")
            ):
                if run >= least:
                    yield Hit(line, start, end, {"times": run})
                run = 0
            if act:
                if not run:
                    start = found.start() + len(found[0]) - len(found[0].lstrip())
                run, end = run + 1, found.end()
        if run >= least:
            yield Hit(line, start, end, {"times": run})


_PARTICLES: Final = re.compile("[的了着过地得呢吧吗啊嘛呀么]")


def _pressed(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """A whole chapter of scraps: most paragraphs short, and hardly a particle in them."""
    limit = {
        name: config.limit("overcompressed-prose-tic", name, _PRESSED[name]) for name in _PRESSED
    }
    lines = [line for line in _told(body) if visible(line.prose)]
    if body.narrative_chars < limit["chars"] or len(lines) < limit["paragraphs"]:
        return
    short = sum(visible(line.prose) <= limit["short_chars"] for line in lines)
    particles = per_1000(len(_PARTICLES.findall(body.flow.text)), body)
    if short < limit["short_share"] * len(lines) or particles >= limit["particles"]:
        return
    yield _whole(lines[0], short=short, paragraphs=len(lines), particles=round(particles))


_FUNCTION: Final = re.compile(
    "[的了着过地得在把被将给让使和跟与同对从向往到比为以而但却也都就才又还再只很更最太便并或若]|因为|所以|虽然|如果|已经|正在"
)
_CONNECTIVES: Final = re.compile(
    "因为|所以|但是|可是|不过|然而|于是|然后|接着|后来|虽然|尽管|如果|要是|既然|只要|只有|除非|即使|哪怕|而且|并且|况且|何况|或者"
    "|否则|不然|反而|反倒|结果|终于|原来|毕竟|其实|[但可却而又也还就才便都再只]"
)


def _loose(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """A whole chapter of sentences set side by side, with nothing that says how they belong."""
    limit = {
        name: config.limit("low-connective-density-tic", name, _LOOSE[name]) for name in _LOOSE
    }
    if body.narrative_chars < limit["chars"]:
        return
    text = body.flow.text
    function = per_1000(len(_FUNCTION.findall(text)), body)
    joints = per_1000(len(_CONNECTIVES.findall(text)), body)
    if function >= limit["function_words"] or joints >= limit["connectives"]:
        return
    first = next((line for line in _told(body) if visible(line.prose)), None)
    if first:  # a chapter may consist of notices alone
        yield _whole(first, joints=round(joints), function=round(function))


def _whole(line: Line, **values: int | str) -> Hit:
    """A finding about the whole chapter stands at its first line."""
    start = len(line.shown) - len(line.shown.lstrip())
    return Hit(line, start, min(start + 40, len(line.shown)), values)


_SCRAPS: Final = (
    "灯灭了。屋里没人。", "他数到十。", "门响。脚步近。", "他握刀。", "风进来。", "刀出鞘。", "血溅墙上。",
    "对方倒下。", "他没停。",
)  # fmt: skip
_SIDE_BY_SIDE: Final = "黑雨砸落长街。铁门紧闭。巡夜人举灯，影子横过石墙。远处钟响三声。"

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="period-stutter",
        name=Message("句号口吃", "stuttering full stops"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "连续 {times} 个短句，每句不过几个字",
            "{times} sentences in a row of only a few characters each",
        ),
        advice=Message(
            "把其中几句并成一句，让快和慢有分别；真要急促，三句就够。",
            "Join some of them, so that fast differs from slow; three are enough for haste.",
        ),
        bad="他停下。回头。没人。风声。脚步。又停了。",
        good="他停下。回头。没人。“谁？”没有回答。他又往前走了一段，才听见水声。",
        search=_stutters,
        limits=_STUTTER,
    ),
    Rule(
        id="long-paragraph",
        name=Message("段落过长", "long paragraph"),
        severity="advisory",
        review="mechanical",
        family="style",
        message=Message(
            "有 {times} 段超过 {most} 字（最长 {longest} 字）",
            "{times} paragraphs are over {most} characters (the longest has {longest})",
        ),
        advice=Message(
            "在动作、说话人或时间变换的地方分段；不在手机上连载的书可调高 long-paragraph.chars。",
            "Break it where act, speaker or time changes, or raise long-paragraph.chars for print.",
        ),
        bad="他沿着河堤往回走，一路上想着那张票。" * 12,
        good=(
            "他沿着河堤往回走，一路上想着那张票。票是真的，字也是真的，假的是日子：那一年闰五月，满期要往后推"
            "一个月，写票的人比谁都清楚。他走到桥头，停下来等一辆运石灰的车过去。赶车的人认得他，问他去哪里，"
            "他说回家，那人便笑，说你家不在这头。他这才看出自己走反了。"
        ),
        search=_long_paragraphs,
        limits=_LONG,
    ),
    Rule(
        id="action-list-tic",
        name=Message("动作流水账", "list of acts"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "一口气列了 {times} 个动作",
            "{times} acts in a row, joined by nothing but commas",
        ),
        advice=Message(
            "只写读者想不到的那一个动作；其余并成一句，或者不写。",
            "Write the one act that readers would not guess; fold the others into one or drop them.",
        ),
        bad="他推开门，放下包，脱了外套，倒了杯水，坐下来，打开电脑。",
        good="他推开门，屋里还是早上的样子，杯子倒扣在桌上。他放下包，坐了一会儿。",
        search=_action_lists,
        limits=_ACTIONS,
    ),
    Rule(
        id="overcompressed-prose-tic",
        name=Message("碎片化", "scraps of prose"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "{paragraphs} 段里有 {short} 段不到一句话长，虚词也太少（每千字 {particles} 个）",
            "{short} of {paragraphs} paragraphs are scraps, with few particles ({particles} per 1000)",
        ),
        advice=Message(
            "把同一件事的碎段并成完整的段落，补上语气和衔接，像人在讲故事。",
            "Join the scraps about one thing into paragraphs, with the small words a teller uses.",
        ),
        bad="\n\n".join(_SCRAPS * 32),
        good="\n\n".join(_SCRAPS * 4),
        search=_pressed,
        limits=_PRESSED,
    ),
    Rule(
        id="low-connective-density-tic",
        name=Message("句间缺少关联", "sentences without joints"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "句与句之间少有关联（每千字关联词 {joints} 个、虚词 {function} 个），读起来像镜头清单",
            "hardly anything joins the sentences ({joints} connectives per 1000): a list of shots",
        ),
        advice=Message(
            "补上因果、转折和先后：谁因为什么做了什么，后来怎样；也让几句话长起来。",
            "Say why, but and then: who did what because of what; and let some sentences grow.",
        ),
        bad="\n\n".join([_SIDE_BY_SIDE] * 28),
        good=(
            "雨下得很大，街上的铁门都关了，只有巡夜人还提着灯在走。他走得很慢，因为一条腿是坏的；"
            "听见钟敲了三下，他才想起忘了锁桥口的栅门，于是又折回去。"
        ),
        search=_loose,
        limits=_LOOSE,
    ),
)
