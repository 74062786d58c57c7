"""Runs of the outline in the body: found where they stand, and refrains let alone."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.prose import ProseConfig
from clew.novel.prose.outline_copy import OUTLINE_EXAMPLE, RULE, RULE_ID, check_against

PLAN = "沈砚在账房里找到被水泡过的旧账本"
assert len(PLAN) == 16


def spots(body: str, outline: str, **settings: object) -> list[tuple[int, int, str]]:
    found = check_against(body, outline, lang="zh", config=ProseConfig(**settings))  # type: ignore[arg-type]
    return [(f.line, f.column, f.excerpt) for f in found]


def test_the_examples_of_the_rule_are_true() -> None:
    (found,) = check_against(RULE.bad, OUTLINE_EXAMPLE)
    assert (found.rule, found.severity, found.review) == (RULE_ID, "advisory", "semantic")
    assert found.advice == RULE.advice
    assert check_against(RULE.good, OUTLINE_EXAMPLE) == ()


def test_a_run_of_sixteen_characters_is_found_and_one_of_fifteen_is_not() -> None:
    assert spots(f"# 第1章 题\n\n那天，{PLAN}。", f"- {PLAN}\n") == [(3, 4, PLAN)]
    assert spots(f"那天，{PLAN[:15]}。", f"- {PLAN}\n") == []
    assert spots(f"那天，{PLAN[1:]}。", f"- {PLAN}\n") == []


def test_the_finding_says_how_long_the_run_is_and_where_the_outline_has_it() -> None:
    (found,) = check_against(f"{PLAN}。", f"# 第1章：题\n\n- {PLAN}\n")
    assert found.message.zh == "这里连着 16 个字与细纲第 3 行逐字相同"
    assert found.message.en.startswith("16 characters")


def test_punctuation_and_line_breaks_hide_nothing() -> None:
    body = "沈砚，在账房里——找到\n\n“被水泡过的”旧账本！"
    assert spots(body, PLAN) == [(1, 1, "沈砚，在账房里——找到")]
    assert spots(PLAN, "沈砚在账房里\n- 找到：被水泡过的\n- 旧账本") == [(1, 1, PLAN)]


def test_headings_front_matter_code_and_comments_are_no_prose_and_no_plan() -> None:
    for wrap in ("# {}", "## {}", "---\na: {}\n---\n", "```\n{}\n```", "<!-- {} -->"):
        assert spots(wrap.format(PLAN), PLAN) == []
        assert spots(f"{PLAN}。", wrap.format(PLAN)) == []


def test_runs_are_maximal_and_told_from_left_to_right() -> None:
    longer = f"{PLAN}和最后三页的残边"
    body = f"{longer}。\n雨停了。\n{PLAN}。"
    assert [spot[0] for spot in spots(body, longer)] == [1, 3]
    (first, second) = check_against(body, longer)
    assert [f.message.zh[4:7] for f in (first, second)] == [" 24", " 16"]


@pytest.mark.parametrize(
    "field",
    [
        f"复沓锚句：{PLAN}", f"- **复沓锚句**：雨停了。；{PLAN}", f"复沓锚句:\n- {PLAN}\n- 雨停了",
        f"> 复沓锚句： 雨停了|{PLAN}", f"Refrain: {PLAN}", f"**复沓锚句：** {PLAN}",
    ],
)  # fmt: skip
def test_a_refrain_of_the_outline_may_stand_in_the_body(field: str) -> None:
    assert spots(f"那天，{PLAN}。雨停了。{PLAN}。", f"- {PLAN}\n{field}\n") == []


def test_a_refrain_covers_its_own_span_and_nothing_beside_it() -> None:
    tail = "他数了三遍都少了最后的三页纸没有人说话"
    outline = f"{PLAN}{tail}\n复沓锚句：{PLAN}"
    assert spots(f"{PLAN}，{tail}。", outline) == [(1, 18, tail)]
    assert spots(f"{PLAN}，{tail[:15]}。", outline) == []


def test_the_list_below_the_field_ends_with_the_next_line_that_is_none() -> None:
    outline = f"复沓锚句：\n- 雨停了\n\n- 也是\n情节：\n- {PLAN}"
    assert spots(f"{PLAN}。", outline) == [(1, 1, PLAN)]


def test_what_the_book_lists_as_meant_is_let_alone_and_the_rule_can_be_off() -> None:
    assert spots(f"{PLAN}。", PLAN, literals=frozenset({PLAN})) == []
    assert spots(f"{PLAN}。", PLAN, literals=frozenset({"账房"})) == [(1, 1, PLAN)]
    assert spots(f"{PLAN}。", PLAN, off=frozenset({RULE_ID})) == []
    assert spots(f"{PLAN}。", PLAN, limits={"outline-copy.run_chars": 17}) == []
    assert spots(f"{PLAN[:12]}。", PLAN, limits={"outline-copy.run_chars": 12}) != []


def test_english_is_compared_by_words_whatever_their_case_and_marks() -> None:
    outline = "Nell finds the tin lashed to the counterweight with tarred line."
    nine = "She knelt. ‘The tin,\n\nlashed to the counterweight with tarred line,’ she said."
    (found,) = check_against(nine, outline)
    assert (found.line, found.column, found.excerpt) == (1, 13, "The tin")
    assert check_against("The tin lashed to the counterweight with tarred rope.", outline) == ()
    refrain = f"{outline}\nRefrain: the tin lashed to the counterweight with tarred line"
    assert check_against(nine, refrain) == ()


def test_no_outline_or_an_empty_one_is_no_finding() -> None:
    for outline in (
        "",
        "\n\n",
        "# 第1章：题\n",
        "Nell walks to the gauge house and finds the tin there.",
    ):
        assert check_against(f"{PLAN}。", outline) == ()


def test_at_most_so_many_runs_are_told() -> None:
    body = "\n".join(f"{PLAN}。雨{'停' * (n % 7)}" for n in range(300))
    assert len(check_against(body, PLAN)) == 100
    assert len(check_against(body, PLAN, config=ProseConfig(findings_per_rule=999))) == 200


FRAGMENTS = [
    PLAN,
    PLAN[:9],
    PLAN[9:],
    "复沓锚句：",
    "- ",
    "\n",
    "# ",
    "，",
    "甲",
    "the tin is here ",
    "Refrain:",
    "\x00",
]
texts = st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=30).map("".join)


@given(texts, texts)
def test_any_two_texts_give_findings_within_the_body(body: str, outline: str) -> None:
    lines = body.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    found = check_against(body, outline)
    assert list(found) == sorted(found, key=lambda f: (f.line, f.column))
    for finding in found:
        assert finding.column <= len(lines[finding.line - 1])
        assert 0 < len(finding.excerpt) <= 60


@pytest.mark.parametrize("unit", ["甲", "甲乙", PLAN, "a ", "复沓锚句："])
def test_two_long_texts_are_compared_in_linear_time(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    start = time.process_time()
    check_against(text, text)
    check_against(text, f"{text}\n复沓锚句：{text[:2000]}")
    assert time.process_time() - start < 20
