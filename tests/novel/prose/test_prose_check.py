"""What `check` promises as a whole: order, places, settings, and that no text upsets it."""

from __future__ import annotations

import time
from itertools import islice

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.prose import Finding, ProseConfig, Rule, check, language_of, rules_for
from clew.novel.prose.text import read_body

FRAGMENTS = ["他推开门。", "（略", "）", "TODO", "\n", "\r\n", "\r", "```", "~~~~", "<!--", "-->"]
FRAGMENTS += ["“", "”", "「", "」", '"', "’", "---", "# 第1章", "> ", "- ", "|", "\x00", "\ufeff"]
FRAGMENTS += [
    "不是恐惧",
    "而是愤怒",
    "声音不大，却",
    "{{主角名}}",
    "<|im_end|>",
    "的的",
    "。。",
    "F001",
    "夜，还很长。",
    "作为AI，我无法",
    "细纲",
    "未完待续",
    "Sure, here is the chapter",
    "\ufffd",
    "……",
    "——",
    "不是雨，",
    "而是",
    "是",
    "没有雨，",
    "【",
    "】",
    "《",
    "》",
]
bodies = st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=60).map("".join)


@given(bodies)
def test_any_text_gives_findings_in_order_and_never_an_exception(text: str) -> None:
    for strict in (False, True):
        found = check(text, config=ProseConfig(strict=strict))
        assert found == check(text, config=ProseConfig(strict=strict))
        assert list(found) == sorted(found, key=lambda f: (f.line, f.column, f.rule))
        lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
        for finding in found:
            assert 1 <= finding.column <= len(lines[finding.line - 1])
            assert 0 < len(finding.excerpt) <= 60
        msgspec.json.encode(found)


@given(bodies)
def test_newline_style_and_byte_order_mark_change_no_finding(text: str) -> None:
    unix = text.replace("\r", "").removeprefix("\ufeff").removeprefix("\ufeff")
    plain = check(unix, lang="zh")
    assert check(unix.replace("\n", "\r\n"), lang="zh") == plain
    if not unix.startswith("\ufeff"):
        assert check(f"\ufeff{unix}", lang="zh") == plain


def test_a_finding_names_place_and_excerpt() -> None:
    text = "# 第1章 题\r\n\r\n　　雨下了一夜，账房里没有人，他看了看细纲，又放下了。\r\n"
    (found,) = check(text)
    assert msgspec.to_builtins(found) == {
        "type": "meta-leak",
        "severity": "blocking",
        "review": "mechanical",
        "message": {
            "zh": "大纲用语混进了叙述",
            "en": "a word of the outline stands in the narrative",
        },
        "line": 3,
        "column": 20,
        "excerpt": "，账房里没有人，他看了看细纲，又放下了。",
        "advice": {
            "zh": "换成故事里的说法，或把整句删掉：大纲怎么安排，不该由叙述说出来。"
            '作者认定要留的，在 正文/.clew-prose.toml 开头写 literals = ["他看了看细纲"]'
            "（已有 literals 就加进同一个列表）。",
            "en": "Say it in the story's own terms or delete the sentence: the plan is not for readers. "
            'If the author means it, literals = ["他看了看细纲"] at the top of 正文/.clew-prose.toml keeps it '
            "(add it to the list if there is one).",
        },
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("She let out the lamp and then she ran. TODO: more", "she ran. TODO: more"),
        ("Whatever the harbour thought of it TODO: he wrote nothing of the kind in his book that year", None),
    ],
)  # fmt: skip
def test_words_of_letters_are_not_cut_in_two(text: str, shown: str | None) -> None:
    found = next(f for f in check(text, lang="en") if f.rule == "placeholder-marker")
    assert shown is None or found.excerpt == shown
    words = text.split()
    assert all(word in words for word in found.excerpt.split())
    assert found.excerpt in text


def test_a_torn_end_is_shown_from_the_front_of_a_word() -> None:
    text = "She stood for a long time at the rail of the upper deck and let out a breath of"
    (found,) = check(text, lang="en")
    assert (found.rule, found.excerpt.split()[0] in text.split()) == ("truncated", True)
    assert found.excerpt.endswith("let out a breath of")


def test_a_word_longer_than_an_excerpt_is_cut_where_it_must_be() -> None:
    (found,) = check("x" * 300, lang="en")
    assert (found.rule, found.excerpt) == ("truncated", "x" * len(found.excerpt))


def test_excerpts_are_short_and_printable() -> None:
    (found,) = check("门\x00\x1b[31m\ud800\u2028开，" + "雨" * 90 + "，", lang="zh")
    assert found.rule == "truncated"
    (found,) = check("\x1b[31m\ud800细纲。", lang="zh")
    assert found.excerpt == "\ufffd[31m\ufffd细纲。"


def test_every_finding_is_told_in_reading_order() -> None:
    text = "TODO。\n他看了看细纲。占位符：雪。\n" + "雨一直下到天亮。\n" * 2 + "他推开门，"
    assert [(f.rule, f.line, f.column) for f in check(text, lang="zh")] == [
        ("placeholder-marker", 1, 1),
        ("meta-leak", 2, 5),
        ("placeholder-marker", 2, 8),
        ("verbatim-repeat-line", 4, 1),
        ("truncated", 5, 1),
    ]


def test_standard_punctuation_is_blocked_only_for_a_strict_book() -> None:
    text = "门开了——没有人……\n“你——”他说。"
    assert {f.severity for f in check(text)} == {"advisory"}
    found = check(text, config=ProseConfig(strict=True))
    assert [(f.rule, f.severity, f.line, f.column) for f in found] == [
        ("punctuation-dash", "blocking", 1, 4),
        ("punctuation-ellipsis", "blocking", 1, 9),
        ("punctuation-dash", "blocking", 2, 3),
    ]


def literal(*texts: str) -> ProseConfig:
    return ProseConfig(literals=frozenset(texts))


def test_a_literal_silences_what_it_covers_and_nothing_else() -> None:
    text = "他读过《占位符之书》，也见过占位符。"
    assert [f.column for f in check(text, config=literal("占位符之书"))] == [15]
    assert check(text, config=literal("占位符")) == ()
    assert len(check(text, config=literal("占位", "", "符之书"))) == 2


def test_a_literal_that_is_a_line_lets_the_line_repeat() -> None:
    line = "雨一直下到天亮，没有人来过码头。"
    assert len(check(f"{line}\n{line}", lang="zh")) == 1
    assert check(f"{line}\n{line}", lang="zh", config=literal(line)) == ()


def test_a_rule_stops_after_so_many_findings() -> None:
    found = check("TODO：" * 500, lang="zh", config=ProseConfig(findings_per_rule=7))
    markers = [f for f in found if f.rule == "placeholder-marker"]
    assert [f.column for f in markers] == [1, 6, 11, 16, 21, 26, 31]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "zh"),
        ("……", "zh"),
        ("雨停了。", "zh"),
        ("江晨用 iPhone 拍了 MCN 的片子。", "zh"),
        ("The ferry was late.", "en"),
        ("The ferry to Jiangchen (江晨) was late again that evening, as it had been.", "en"),
    ],
)
def test_the_language_is_told_by_the_share_of_chinese_characters(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_region_does_not_matter_and_an_unknown_language_is_refused() -> None:
    assert check("Plot points: none.", lang="en-GB") == check("Plot points: none.", lang="EN")
    assert check("细纲。", lang="zh_CN") == check("细纲。", lang="zh")
    with pytest.raises(ValueError, match="no prose rules for language 'fr'"):
        check("Il pleut.", lang="fr")


@pytest.mark.parametrize("config", [None, ProseConfig()])
def test_no_settings_are_the_default_settings(config: ProseConfig | None) -> None:
    found: tuple[Finding, ...] = check("TODO", config=config, lang="en")
    assert [f.rule for f in found] == ["placeholder-marker", "truncated"]


def hostile(size: int) -> dict[str, str]:
    """Single lines, each a trap for one kind of careless pattern or loop."""
    units = {
        "prose": "他推开门，看见雨落在码头上，有人喊“账本”，没有人回答。",
        "no ending": "雨",
        "spaces": " ",
        "quotes": "“”",
        "opened": '“「『‘"',
        "brackets": "（略",
        "prefixes": "（此处",
        "comments": "<!--",
        "nul": "\x00",
        "english": "sure, here is the ",
        "refusal": "I am sorry, but I can't help ",
        "self": "作为一个",
        "denials": "不是雨",
        "copulas": "是雨，不",
        "nothing": "没有雨，",
        "teasers": "没人知道，一切",
        "seals": "就这样一切",
        "acts": "随手推开，",
        "notices": "【进行",
        "titles": "《雨",
        "stops": "雨。",
        "markers": "TODO：",
        "loose markers": "他TODO，",
        "slots": "{{主角名}",
        "slot marks": "{[",
        "feelings": "不是恐惧，而是",
        "rows": "没有恐惧，没有",
        "asserted": "是怕，不是疑。",
        "labels": "**场景",
        "control": "<|im_",
        "doubled": "的的",
        "ids": "F001",
        "voices": "声音不大，却像",
        "straight": '"',
        "offers": "需要我为您",
    }
    return {name: (unit * (size // len(unit) + 1))[:size] for name, unit in units.items()}


@pytest.mark.parametrize("name", hostile(1))
def test_a_line_of_a_hundred_thousand_characters_is_checked_in_linear_time(name: str) -> None:
    text = hostile(100_000)[name]
    start = time.process_time()
    check(text, lang="zh")
    # An honest run takes a fraction of a second; a quadratic one would take minutes.
    assert time.process_time() - start < 5


@pytest.mark.soak
@pytest.mark.parametrize("name", hostile(1))
def test_a_line_of_a_million_characters_is_checked_in_linear_time(name: str) -> None:
    text = hostile(1_000_000)[name]
    start = time.process_time()
    check(text, lang="zh")
    assert time.process_time() - start < 20


@pytest.mark.parametrize("rule", [pytest.param(r, id=r.id) for r in rules_for("zh")])
@pytest.mark.parametrize("share", [1.0, 0.7, 0.4])
def test_no_rule_is_slow_on_a_line_made_of_what_it_looks_for(rule: Rule, share: float) -> None:
    unit = rule.bad.replace("\n", "")[:200]
    unit = unit[: max(1, int(len(unit) * share))]
    body = read_body((unit * (50_000 // len(unit) + 1))[:50_000], "zh")
    start = time.process_time()
    hits = list(islice(rule.hits(body, ProseConfig()), 100))
    assert time.process_time() - start < 2
    assert all(0 <= hit.start < hit.end for hit in hits)
