"""Chinese: shapes of sentence that betray a template, and wording that belongs to another paper.

Pure. Emphasis by quotation marks, parallel members cut from one pattern, chains of reasoning in the
storyteller's mouth, and system notices (【…】) that speak like an office.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.density import most_frequent, per_1000
from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import Body, LineKind, visible

_QUOTED: Final = {"words": 3}
_PARALLEL: Final = {"hits": 1}
_REASONED: Final = {"hits": 8, "core": 4, "kinds": 2, "per_1000": 18}
_NOTICES: Final = {"notices": 4, "hits": 12, "core": 5, "per_1000": 60}

_IN: Final = r"[\w ]"

# A word of one to four characters in marks, in the middle of a sentence; not a name, a sign, a
# shout or what somebody says.
_EMPHASIS: Final = re.compile(
    r"(?<=[^\x00-\x7f])(?<![。！？…—：”」])"
    "(?:(?<=什么叫)|(?<=所谓的)|(?<![说道问喊叫答称名字写刻题印着姓号谓念唱骂喝吼读作为句声曰：]))"
    "(?<![写念说喊问题刻骂]了)(?<![一两三几]个)"
    r"[“「]([^\W\d_]{1,4})[”」]"
    "(?!字|号|牌|地?一声|[一二三四两几]个?字|地?[叫响喊])"
    r"(?=[^\W\d_]|[，。、；：])"
)


def _emphases(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The first of so many different words that are set in marks for emphasis."""
    least = config.limit("quote-emphasis-tic", "words", _QUOTED["words"])
    first: Hit | None = None
    seen: dict[str, int] = {}
    for line in body.lines:
        if line.kind is not LineKind.NARRATIVE:
            continue
        for found in _EMPHASIS.finditer(line.shown):
            seen[found[1]] = seen.get(found[1], 0) + 1
            first = first or Hit(line, found.start(), found.end())
    if first and len(seen) >= least:
        yield first._replace(values={"times": len(seen), "words": most_frequent(seen, body, 5)})


_TEMPLATES: Final = re.compile(
    # 至于他信不信，怎么信，… : 至于X不X，怎么X
    r"至于[^。！？!?，,\n\x00]{0,8}?([^\W\da-zA-Z_]{1,2})不\1[^。！？!?，,\n\x00]{0,3}[，,](?:怎么|如何|为何|为什么|几时|何时|什么时候|什么)[^。！？!?，,\n\x00]{0,4}?\1"
    # 不问来处，不问归途，不问… : three members with the same verb
    rf"|(?<!\w)(不|无需|不必|不再)([^\W\da-zA-Z_]){_IN}{{1,6}}[，、]\2\3{_IN}{{1,6}}[，、]\2\3{_IN}{{1,6}}"
    # 不问来处，不问归途。不谈过往，不谈将来
    rf"|(?<!\w)不([^\W\da-zA-Z_]){_IN}{{1,6}}[，、]不\4{_IN}{{1,6}}[，、。；]不([^\W\da-zA-Z_]){_IN}{{1,6}}[，、]不\5{_IN}{{1,6}}"
    # 是风的声音，是雨的声音，是…
    rf"|(?<!\w)(是|像|有|为了){_IN}{{1,10}}的{_IN}{{1,6}}[，、；]\6{_IN}{{1,10}}的{_IN}{{1,6}}[，、；]\6{_IN}{{1,10}}的{_IN}{{1,6}}"
    # three paragraphs: 不是… / 也不是… / 只是…
    r"|^[ \u3000]*不是[^\n\x00]{1,30}\n[ \u3000]*[也更]不是[^\n\x00]{1,30}\n"
    r"[ \u3000]*[只而就]?是[^\n\x00]{1,40}$",
    re.M,
)


def _templates(body: Body, config: ProseConfig) -> Iterator[Hit]:
    found = [match.span() for match in _TEMPLATES.finditer(body.flow.text)]
    if len(found) >= config.limit("formulaic-parallelism", "hits", _PARALLEL["hits"]):
        for start, end in found:
            yield Hit.in_flow(body.flow, start, end)


_CORE: Final = (
    "也就是说|换句话说|换言之|由此可见|由此看来|可以确定|可以肯定|不难(?:看出|推断|想象)|这(?:就)?(?:意味着|说明|证明|表明)|那(?:就)?(?:意味着|说明|证明)"
    "|显然|排除|意味着|毫无疑问|毋庸置疑|可见|唯一的(?:解释|可能|答案)|(?:答案|结论|解释)(?:只有一个|很简单|显而易见)|(?:推断|推测|推论)出?|可能性(?:更|最|极|很)?[大高小低]|只能(?:说明|意味着|指向|证明)|只剩下?(?:最后)?(?:一个|一种)(?:可能|解释|答案)|只可能(?:是|从|在|有)|综上|换个角度|反过来(?:说|想|看)|逻辑"
)
_LINKS: Final = (
    "因为|因此|所以|然而|既然|如果|假如|那么|否则|除非|只要|即便|尽管|无论|不管|由于|从而|进而"
)
_ORDER: Final = "首先|其次|再次|最后|第[一二三][，、]|其[一二三]|一方面|另一方面|再者|此外|另外"
_REASONING: Final = re.compile(f"({_CORE})|({_LINKS})|({_ORDER})")


def _reasoning(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The first link of a chain of reasoning that runs through the narrative."""
    limit = {name: config.limit("reasoning-chain-tic", name, _REASONED[name]) for name in _REASONED}
    text = body.flow.text
    seen: dict[str, int] = {}
    kinds = [0, 0, 0]
    span: tuple[int, int] | None = None
    for found in _REASONING.finditer(text):
        span = span or found.span()
        seen[found[0]] = seen.get(found[0], 0) + 1
        kinds[(found.lastindex or 1) - 1] += 1
    times = sum(kinds)
    if (
        span
        and times >= limit["hits"]
        and kinds[0] >= limit["core"]
        and sum(count > 0 for count in kinds) >= limit["kinds"]
        and per_1000(times, body) >= limit["per_1000"]
    ):
        yield Hit.in_flow(body.flow, *span, {"times": times, "words": most_frequent(seen, body)})


_NOTICE: Final = re.compile("【([^【】]*)】")
_OFFICE: Final = re.compile(
    "(特此|予以|鉴于|依据|根据|依照|按照|上述|现已|现将|经核|兹|判定|核定|核验|认定|裁定|签收|受理|驳回|批准|审核|审批|备案|归档|生效|终止|履行|责令"
    "|处置|执行|追究|知悉|逾期|规定|发放|前置)"
    "|进行|相关|完成|确认|检测|评估|权限|状态|流程|条件|规则|机制|数据|信息|目标|对象|措施|标准|要求|范围|期限|程序|系统|操作|提供|获取|启动|开启|处理"
)


def _notices(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """The first of so many 【notices】 that speak like an office, thick enough in office words."""
    limit = {
        name: config.limit("system-notice-formality-tic", name, _NOTICES[name]) for name in _NOTICES
    }
    notices = chars = hits = core = 0
    first: Hit | None = None
    for line in body.lines:
        if line.kind is not LineKind.NARRATIVE or "【" not in line.narrative:
            continue
        found = list(_NOTICE.finditer(line.narrative))
        notices += bool(found)
        for notice in found:
            first = first or Hit(line, notice.start(), notice.end())
            chars += visible(notice[1])
            words = list(_OFFICE.finditer(notice[1]))
            hits += len(words)
            core += sum(word[1] is not None for word in words)
    if (
        first
        and notices >= limit["notices"]
        and hits >= limit["hits"]
        and core >= limit["core"]
        and 1000 * hits >= limit["per_1000"] * chars
    ):
        yield first._replace(values={"times": notices, "words": hits})


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="quote-emphasis-tic",
        name=Message("引号强调", "emphasis by quotation marks"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "叙述里有 {times} 个词靠引号强调：{words}",
            "{times} words in the narrative are set in quotation marks for emphasis: {words}",
        ),
        advice=Message(
            "去掉引号；去掉以后意思不对的，换一个说得准的词。",
            "Take the marks off; where the sense suffers, find the word that says it.",
        ),
        bad="这份“关心”让他发冷，那点“好意”也是。在这座城里，“规矩”比刀快。",
        good="他念了一声“走”，在纸上写“洪”字。门上贴着“福”，大家都叫他“老九”。他成了“能人”。",
        search=_emphases,
        limits=_QUOTED,
    ),
    Rule(
        id="formulaic-parallelism",
        name=Message("模板排比", "formulaic parallelism"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "同一个模子里印出来的排比句",
            "members of a sentence cut from one pattern",
        ),
        advice=Message(
            "留一项，或把其中一项写得和别的不一样长、不一样实。",
            "Keep one member, or make one of them longer and more solid than the rest.",
        ),
        bad="至于他信不信，怎么信，那是他的事。",
        good="他不抽烟，不喝酒，闲了就修钟。至于来不来，随你。这不是钱的事。",
        search=_templates,
        limits=_PARALLEL,
    ),
    Rule(
        id="reasoning-chain-tic",
        name=Message("叙述里的推理链", "chain of reasoning"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "叙述像在写分析报告：推理连接词 {times} 处（{words}）",
            "the narrative argues like a report: {times} links of reasoning ({words})",
        ),
        advice=Message(
            "只写结论逼出来的动作；推理过程留一步，其余让读者自己接上，或放进对白里争。",
            "Show the act that the conclusion forces; leave the steps to the reader or to a quarrel.",
        ),
        bad=(
            "首先，门没有撬痕，这说明来人有钥匙。既然有钥匙，那么显然是熟人。其次，账本还在，也就是说他不为钱。"
            "因此可以确定，他要的是人。换句话说，下一个就是自己。"
        ),
        good="门没有撬痕。他数了数有钥匙的人，一共三个，其中一个死了。因为下雨，他没有出去问。",
        search=_reasoning,
        limits=_REASONED,
    ),
    Rule(
        id="system-notice-formality-tic",
        name=Message("系统提示公文腔", "notices like an office"),
        severity="advisory",
        review="semantic",
        family="style",
        message=Message(
            "{times} 行【】提示里有 {words} 个公文用词",
            "{times} lines of 【notices】 hold {words} words of officialese",
        ),
        advice=Message(
            "提示越短越好：一行只说一件事，能用数字就不用「进行」「予以」「相关」。",
            "Make notices short: one fact a line, a number instead of 进行, 予以 and 相关.",
        ),
        bad=(
            "【系统检测到相关目标，现已启动评估程序。】\n【依据上述规则，判定条件完成，予以奖励。】\n"
            "【请确认权限状态，逾期终止流程。】\n【操作处理完成，相关数据归档。】\n他关掉了面板。"
        ),
        good="【力量 +1】\n【获得：生锈的钥匙】\n【还剩 3 天】\n【任务完成，奖励铜钱二十】\n他关掉了面板。",
        search=_notices,
        limits=_NOTICES,
    ),
)
