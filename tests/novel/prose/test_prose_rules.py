"""Every rule finds what its bad example shows and leaves its good example alone."""

from __future__ import annotations

import re

import pytest

from clew.novel.prose import Message, ProseConfig, Rule, check, rules_for
from clew.novel.prose.rules_shared import RULES as RULES_SHARED

_OF_A_LANGUAGE = [
    (lang, rule) for lang in ("zh", "en") for rule in rules_for(lang) if rule not in RULES_SHARED
]
ALL = [
    pytest.param(rule, id=f"{lang}:{rule.id}")
    for lang, rule in [*(("shared", rule) for rule in RULES_SHARED), *_OF_A_LANGUAGE]
]


@pytest.mark.parametrize("rule", ALL)
def test_the_bad_example_is_found(rule: Rule) -> None:
    mine = [finding for finding in check(rule.bad) if finding.rule == rule.id]
    assert len(mine) == 1
    assert (mine[0].severity, mine[0].review) == (rule.severity, rule.review)


@pytest.mark.parametrize("rule", ALL)
def test_the_good_example_is_left_alone(rule: Rule) -> None:
    found = check(rule.good)
    assert rule.id not in {finding.rule for finding in found}
    assert [finding.rule for finding in found if finding.severity == "blocking"] == []


@pytest.mark.parametrize("rule", ALL)
def test_a_rule_that_is_off_finds_nothing(rule: Rule) -> None:
    config = ProseConfig(off=frozenset({rule.id}))
    assert rule.id not in {finding.rule for finding in check(rule.bad, config=config)}


@pytest.mark.parametrize("rule", ALL)
def test_messages_speak_both_languages(rule: Rule) -> None:
    for message in (rule.name, rule.message, rule.advice, *([rule.why] if rule.why else [])):
        assert re.search("[\u4e00-\u9fff]", message.zh)
        assert re.search("[a-z]{3}", message.en)
    assert re.fullmatch("[a-z]+(-[a-z]+)*", rule.id)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_ids_are_unique_within_a_language(lang: str) -> None:
    ids = [rule.id for rule in rules_for("zh" if lang == "zh" else "en")]
    assert len(ids) == len(set(ids))


def test_every_name_is_the_name_of_one_rule() -> None:
    ids: dict[str, set[str]] = {}
    for lang in ("zh", "en"):
        for rule in rules_for("zh" if lang == "zh" else "en"):
            for name in (rule.name.zh, rule.name.en):
                ids.setdefault(name, set()).add(rule.id)
    assert [name for name, having in ids.items() if len(having) > 1] == []


def test_a_rule_needs_a_pattern_or_a_search_and_not_both() -> None:
    with pytest.raises(ValueError, match="needs a pattern or a search"):
        Rule(
            id="empty",
            name=Message("空", "empty"),
            advice=Message("空", "empty"),
            severity="blocking",
            review="mechanical",
            message=Message("空", "empty"),
            bad="",
            good="",
        )


def rules_found(text: str, lang: str = "zh") -> list[str]:
    return [finding.rule for finding in check(text, lang=lang)]


@pytest.mark.parametrize(
    "line",
    [
        "（略）",
        "【略】",
        "[省略]",
        "（此处省略三千字）",
        "（中间过程略）",
        "(以下省略)",
        "（因篇幅原因，此处省略）",
        "〔战斗过程略〕",
        "（略……）",
        "（略去若干对话）",
    ],
)
def test_bracketed_omissions_are_placeholders(line: str) -> None:
    found = rules_found(f"他们动了手。{line}雨停了。")
    assert [rule for rule in found if rule != "punctuation-ellipsis"] == ["placeholder-omission"]


@pytest.mark.parametrize(
    "text",
    [
        "（战略）（侵略）（粗略）（忽略）（简略地图）（略有些冷）（略略一笑）",
        "（省略号）（他省略了称呼）（省略了姓）（谋略家）",
        "【策略】【战略部】",
        "他略去称呼，省略了客套。",
        "这本《占位》写的是待续的情缘。",
        "他在 todo 里写：买米。她说 todos 很好。AUTODOC 启动了。",
        "她的 placeholder_name 还没改。",
        "作为人工智能专家，他没有回答。",
        "作为AI助手，小爱只会报时。",
        "抱歉的话他说不出口。我无法完成的事，他完成了。",
        "以下是他的遗言。好的开始是成功的一半，这是他常说的。",
        "这个任务的细节，大纲里没有。感情节点在第三年。",
        "目标情绪失控。目标情绪稳定。",
        "他写了一份提纲，又撕了。",
        "希望这封信能满足你的期待。如果你需要改签，请告诉我。",
    ],
)
def test_ordinary_chinese_words_raise_no_alarm(text: str) -> None:
    assert check(text, lang="zh") == ()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("TODO：补打斗。", "placeholder-marker"),
        ("[placeholder]。", "placeholder-marker"),
        ("> TODO 引文。", "placeholder-marker"),
        ("## TODO 二\n雨停了。", "placeholder-marker"),
        ("他走到门口。FIXME: 门的颜色。", "placeholder-marker"),
        ("雨停了。<|im_end|>。", "placeholder-model-token"),
        ("<think>。", "placeholder-model-token"),
        ("</thinking>。", "placeholder-model-token"),
        ("雨停了。<｜end▁of▁sentence｜>。", "placeholder-model-token"),
        ("{{name}}来了。", "placeholder-template"),
        ("「{{char}}，走吧。」她说。", "placeholder-template"),
        ("【需要】[女主名]来了。", "placeholder-template"),
        ("[此处插入对话]\n雨停了。", "placeholder-omission"),
        ("（这里是一段过渡情节）雨停了。", "placeholder-omission"),
        ("（字数：2,134）", "meta-leak"),
        ("章末钩子：灯灭了。", "meta-leak"),
        ("需要我续写后面的情节吗？", "placeholder-assistant-offer"),
        ("没问题，我来为您改写。", "placeholder-assistant-reply"),
        ("身为AI语言模型，我不能写这个。", "placeholder-ai-self"),
        ("作为AI，我无法感到冷。", "placeholder-ai-self"),
        ("作为由某公司训练的大语言模型，我没有感情。", "placeholder-ai-self"),
        ("抱歉，我不能续写这段情节。", "placeholder-refusal"),
        ("很遗憾，作为助手，我无法满足您的请求。", "placeholder-refusal"),
        ("当然可以！以下是修改后的版本：\n雨停了。", "placeholder-assistant-reply"),
        ("下面是根据您的要求写的正文。", "placeholder-assistant-reply"),
        ("希望这一章符合您的要求。", "placeholder-assistant-reply"),
        ("如果您需要修改，请随时告诉我。", "placeholder-assistant-reply"),
        ("Certainly! Here's the revised scene:\n雨停了。", "placeholder-assistant-opener"),
        ("As an AI language model, I wrote this.\n雨停了。", "placeholder-assistant-opener"),
        ("他看了看细纲。", "meta-leak"),
        ("【字数目标：2400】\n雨停了。", "meta-leak"),
        ("目标情绪：紧张。", "meta-leak"),
    ],
)
def test_leaks_in_a_chinese_chapter_are_found(text: str, rule: str) -> None:
    assert rules_found(text) == [rule]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("She ran. TODO: fix this.", "placeholder-marker"),
        ("[/INST] She ran.", "placeholder-model-token"),
        ("Lorem ipsum dolor.", "placeholder-marker"),
        ("[Insert fight scene here]", "placeholder-omission"),
        ("(continued)", "placeholder-omission"),
        ("Sure! Let me continue the scene:\nShe ran.", "placeholder-assistant-opener"),
        ("Here is the revised chapter.", "placeholder-assistant-opener"),
        ("Here's your draft:\nShe ran.", "placeholder-assistant-opener"),
        ("I hope this chapter meets your needs.", "placeholder-assistant-opener"),
        ("Let me know if you'd like any changes.", "placeholder-assistant-opener"),
        ("I'm sorry, but I can't continue this story.", "placeholder-refusal-en"),
        ("I cannot fulfill this request.", "placeholder-refusal-en"),
        ("Still, my training data says otherwise.", "placeholder-ai-self"),
        ("**Length target:** 900.", "meta-leak"),
        ("Plot points: the ferry.", "meta-leak"),
    ],
)
def test_leaks_in_an_english_chapter_are_found(text: str, rule: str) -> None:
    assert rules_found(text, "en") == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "Sure, here comes the ferry.",
        "Of course, I will let the scene speak for itself.",
        "Okay, here is the scene of the crime.",
        "Here is the chapter of my life I never told.",
        "As an AI, it had never seen rain.",
        "I'm sorry, but I can't help you with the boat.",
        "Let me know if you would like me to come.",
        "The story was to be continued, they said.",
        "He used mañana for todo.",
        "She omitted (as ever) the rest.",
        "“I cannot fulfill this request,” the machine said.",
        "‘I don’t know. I’m sorry, but I can’t help with that request,’ he said.",
    ],
)
def test_ordinary_english_sentences_raise_no_alarm(text: str) -> None:
    assert check(text, lang="en") == ()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("他推开占位符走了。", "placeholder-word"),
        ("> 引文 TODO。", "placeholder-word"),
        ("他在纸上写：TODO，买米。", "placeholder-word"),
        ("XX县的 XXX来了。", "placeholder-word"),
        ("他到了___镇。", "placeholder-word"),
        ("（未完待续）", "serial-tail"),
        ("未完待续……", "serial-tail"),
        ("（To be continued）", "serial-tail"),
        ("## 本章小结\n雨停了。", "section-label"),
        ("场景十二：码头。", "section-label"),
        ("伏笔F001。", "tracking-id"),
        ("人物弧光完整了。", "meta-words"),
    ],
)
def test_what_a_story_could_say_is_only_advised_upon(text: str, rule: str) -> None:
    found = {finding.rule: finding.severity for finding in check(text, lang="zh")}
    assert found[rule] == "advisory"
    assert "blocking" not in found.values()


@pytest.mark.parametrize(
    "text",
    [
        "【F001 号机甲】舱门开了，推进器在响。",
        "{等级}：三\n{姓名}：林越。",
        "表格上的[角色名]一栏空着。",
        "他填了{姓名}，又划掉。",
        "模板里写着：亲爱的{姓名}，您好。",
        "【姓名：林越】【等级：3】",
        "（此处为渡口，往南二里。）",
        "本章程第四条。章程的钩子：铁的。",
        "字数：三万，编辑在信里说。",
        "以上就是第二章的内容，老师说完下了课。",
        "需要我修的钟都在柜子里。",
        "XXL 号的雨衣，路易 XIV 的椅子。",
    ],
)
def test_panels_forms_and_codes_are_part_of_a_story(text: str) -> None:
    found = check(text.replace("\\n", "\n"), lang="zh")
    assert [f.rule for f in found if f.severity == "blocking"] == []


@pytest.mark.parametrize("quotes", ["「」", "『』", "“”", "‘’", '""'])
def test_outline_words_are_advisory_in_any_quotation(quotes: str) -> None:
    text = f"他问：{quotes[0]}细纲呢{quotes[1]}？没有人回答。"
    found = check(text, lang="zh")
    assert [(f.rule, f.severity, f.column) for f in found] == [("meta-leak-quoted", "advisory", 5)]


def test_the_chapter_heading_may_use_any_word() -> None:
    assert check("# 第3章 细纲 TODO\n雨停了。") == ()
    assert check("第三章：未完待续\n雨停了。") == ()
    assert rules_found("第三章的细纲他没有看完。") == ["meta-words", "meta-leak"]
    assert rules_found("# 第3章 账\ufffd\n雨停了。") == ["placeholder-broken-character"]


def test_front_matter_code_and_comments_are_not_prose() -> None:
    text = "---\nnote: TODO 细纲\n---\n<!-- TODO 细纲 -->\n```\nTODO\n```\n雨<!-- 细纲 -->停了。"
    assert check(text) == ()


def test_marks_that_are_never_closed_hide_nothing() -> None:
    assert rules_found("```\n他看了看细纲。") == ["meta-leak"]
    assert rules_found("<!-- 他看了看细纲。") == ["meta-leak"]
    assert rules_found("---\n他看了看细纲。") == ["meta-leak"]
