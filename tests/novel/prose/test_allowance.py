"""How a meant sentence is kept: the line that a finding gives is one that a prose file takes."""

from __future__ import annotations

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.prose import ProseConfig, check, rules_for
from clew.novel.prose.allowance import how_to_keep, toml_text
from clew.novel.prose.settings import parse

RULES = {rule.id: rule for rule in rules_for("zh")}


@given(st.text(max_size=80))
def test_any_text_is_one_line_of_toml_and_comes_back_whole(text: str) -> None:
    line = f"literals = [{toml_text(text)}]"
    assert "\n" not in line and "\r" not in line
    assert tomllib.loads(line)["literals"] == [text]


def test_what_no_file_can_hold_is_replaced() -> None:
    assert tomllib.loads(f"x = {toml_text('a' + chr(0xD800))}")["x"] == "a\ufffd"


@pytest.mark.parametrize(
    "text",
    [
        "他说“好”，不是恐惧，而是愤怒。",
        '他推开门，牌子上写着 C:\\a 和 "b" 然后慢慢地',
        "没有恐惧，没有愤怒，只有\t冷。",
        f"{'他沿着河堤走' * 30}。那不是恐惧，而是{'很' * 20}愤怒。",
        f"他推开门，{'外面站着一个人，' * 30}",
        "他把账本塞回了墙缝里面。" * 3,
    ],
)
def test_a_file_with_every_line_that_was_given_blocks_nothing(text: str) -> None:
    blocked = [f for f in check(text, lang="zh") if f.severity == "blocking"]
    assert blocked
    given_lines = [
        re.search(r"literals = (\[.*\])（已有", f.advice.zh) for f in blocked if f.advice
    ]
    literals = [one for line in given_lines if line for one in tomllib.loads(f"x = {line[1]}")["x"]]
    config = parse({"literals": literals}, {"literals": "正文/.clew-prose.toml"})
    assert config.faults == ()
    found = check(text, lang="zh", config=config.config)
    assert [f.rule for f in found if f.severity == "blocking"] == []


FRAGMENTS = [
    "不是恐惧",
    "，而是",
    "愤怒",
    "。",
    "\n",
    " ",
    "\u3000",
    "TODO",
    "：",
    "细纲",
    "“",
    "”",
    "没有恐惧，",
    "【",
    "】",
]
FRAGMENTS += [
    "声音不大，却字字",
    "是恨，不是怨",
    "这一夜，注定无眠",
    "\t",
    "\\",
    '"',
    "雨一直下到天亮",
    "{{主角名}}",
    "*",
]


# A body is read from UTF-8, which holds no lone surrogates.
TYPED = st.characters(exclude_categories=["Cs"])


@given(st.lists(st.sampled_from(FRAGMENTS) | TYPED, max_size=40).map("".join))
def test_whatever_is_stopped_at_the_line_that_is_given_lets_it_stand(text: str) -> None:
    blocked = [f for f in check(text, lang="zh") if f.severity == "blocking"]
    meant = [f for f in blocked if RULES[f.rule].meant and f.advice]
    lines = [re.search(r"literals = (\[.*\])（已有", f.advice.zh) for f in meant if f.advice]
    literals = frozenset(
        one for line in lines if line for one in tomllib.loads(f"x = {line[1]}")["x"]
    )
    left = check(text, lang="zh", config=ProseConfig(literals=literals))
    assert [f for f in left if f.severity == "blocking" and RULES[f.rule].meant] == []


def test_a_short_marker_is_named_with_the_clause_around_it() -> None:
    text = "他走到门前。TODO：补打斗。又一处 TODO：和解。"
    first, second = (f for f in check(text, lang="zh") if f.rule == "placeholder-marker")
    assert first.advice and "TODO：补打斗" in first.advice.zh
    kept = check(text, lang="zh", config=ProseConfig(literals=frozenset({"TODO：补打斗"})))
    assert [f.column for f in kept if f.severity == "blocking"] == [second.column]


def test_the_threshold_that_is_named_is_one_that_the_settings_take() -> None:
    for rule in RULES.values():
        found = re.search(r'"([a-z-]+\.hits)" = (\d)', how_to_keep(rule, "句").en)
        assert bool(found) == (rule.family == "style" and "hits" in rule.limits)
        if found:
            data = {"thresholds": {found[1]: int(found[2])}}
            parsed = parse(data, {"thresholds": "正文/.clew-prose.toml"})
            assert (parsed.faults, parsed.config.limits) == ((), {found[1]: int(found[2])})


def test_a_raised_threshold_lets_a_few_pass() -> None:
    config = ProseConfig(limits={"not-is-comparison.hits": 3})
    two = "那不是恐惧，而是愤怒。雨下了一夜。那不是失望，而是绝望。"
    assert [f.rule for f in check(two, lang="zh", config=config)] == []
    three = two + "雨停了。那不是喜悦，而是悲凉。"
    assert [f.rule for f in check(three, lang="zh", config=config)] == ["not-is-comparison"] * 3
