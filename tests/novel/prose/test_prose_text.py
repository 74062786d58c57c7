"""How a chapter is cut into lines, and what counts as quoted speech."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.prose.text import MASK, LineKind, quoted_spans, read_body


@pytest.mark.parametrize(
    ("line", "quoted"),
    [
        ("他说：“走。”她说：「好。」", ["“走。”", "「好。」"]),
        ("“他说‘走’，你听。”", ["“他说‘走’，你听。”"]),
        ("「『走』」完", ["「『走』」"]),
        ('He said "go" and "stay".', ['"go"', '"stay"']),
        ("‘I don’t know,’ he said.", ["‘I don’t know,’"]),
        ("Don’t say it’s the dogs’ bone.", []),
        ("“第一段还没有说完。", ["“第一段还没有说完。"]),
        ("没有开头的话。”他说。", []),
        ("“他说「走。”然后走了。", ["“他说「走。”"]),
        ("【系统】提示", []),
    ],
)
def test_quoted_speech_is_told_from_narrative(line: str, quoted: list[str]) -> None:
    assert [line[start:end] for start, end in quoted_spans(line)] == quoted


def kinds(text: str) -> list[tuple[int, str]]:
    return [(line.number, line.kind.value) for line in read_body(text, "zh").lines]


def test_every_kind_of_line_is_known() -> None:
    text = (
        "---\ntitle: 题\n---\n<!-- 注 -->\n# 第1章 题\n雨停了。\n## 二\n- 一\n3. 三\n> 引\n"
        "| a | b |\n* * *\n\n~~~~ x\n```\n~~~\n~~~~\n<!-- 注\n释 -->\n……\n第2章 不是章名"
    )
    assert kinds(text) == [
        (1, "front_matter"),
        (2, "front_matter"),
        (3, "front_matter"),
        (4, "comment"),
        (5, "title"),
        (6, "narrative"),
        (7, "heading"),
        (8, "list"),
        (9, "list"),
        (10, "quote"),
        (11, "table"),
        (12, "ruler"),
        *((number, "code") for number in range(14, 18)),
        (18, "comment"),
        (19, "comment"),
        (20, "narrative"),
        (21, "narrative"),
    ]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("# 第3章：题。", LineKind.TITLE),
        ("第三百章 题", LineKind.TITLE),
        ("Chapter Three", LineKind.TITLE),
        ("## Chapter 3: Who?", LineKind.TITLE),
        ("第三章他没有看完。", LineKind.NARRATIVE),
        ("Chapter three bored him.", LineKind.NARRATIVE),
        ("# 楔子", LineKind.HEADING),
        ("#标题", LineKind.NARRATIVE),
        ("1984. It was the year.", LineKind.NARRATIVE),
        ("-- 他走了。", LineKind.NARRATIVE),
        ("|", LineKind.RULER),
    ],
)
def test_a_first_line_is_a_title_only_if_it_looks_like_one(line: str, kind: LineKind) -> None:
    assert [found.kind for found in read_body(line, "zh").lines] == [kind]


def test_a_fence_closes_with_its_own_mark_at_its_own_length() -> None:
    assert kinds("````\n```\n````\n雨。") == [
        (1, "code"),
        (2, "code"),
        (3, "code"),
        (4, "narrative"),
    ]
    assert kinds("````\n```\n雨。")[2] == (3, "narrative")
    assert kinds("~~~\n```\n雨。")[2] == (3, "narrative")


@given(st.text(st.sampled_from("文“”「」\"'’ \n\r<!->-~`\x00")))
def test_every_view_of_a_line_keeps_its_columns(text: str) -> None:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    for line in read_body(text, "zh").lines:
        assert plain[line.offset : line.offset + len(line.text)] == line.text
        assert plain.count("\n", 0, line.offset) == line.number - 1
        for seen, one, two in zip(line.shown, line.narrative, line.quoted, strict=True):
            assert {one, two} == {seen, MASK}
