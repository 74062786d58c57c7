"""Repairs of punctuation: what is sure is put right, all else stays, and nothing is done twice."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.prose import ProseConfig, check
from clew.novel.prose.punctuation import difference, fix


def zh(text: str, **how: bool) -> str:
    return fix(text, language="zh", **how).text


def en(text: str, **how: bool) -> str:
    return fix(text, language="en", **how).text


# ---- Chinese -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("他说--走吧。", "他说——走吧。"),
        ("他说 -- 走吧。", "他说——走吧。"),
        ("“你---”", "“你——”"),
        ("　　--他走了。", "　　——他走了。"),
        ("门开了—没有人。", "门开了——没有人。"),
        ("他走了...", "他走了……"),
        ("他走了......没有人。", "他走了……没有人。"),
        ("他走了。。。", "他走了……"),
        ("他走了…没有人。", "他走了……没有人。"),
        ("“...你？”", "“……你？”"),
        ("你好,世界!", "你好，世界！"),
        ("你好, 世界", "你好，世界"),
        ("真的?!他问", "真的？！他问"),
        ("他说:“走;别回头”", "他说：“走；别回头”"),
        ('他说:"走,现在"', '他说："走，现在"'),
        ("他走了.", "他走了。"),
        ("他走了. 她留下。", "他走了。她留下。"),
        ("“他走了.”", "“他走了。”"),
        ("他 走了，没有回头。", "他走了，没有回头。"),
        ("他走了， 没有回头。", "他走了，没有回头。"),
        ("> 他走了...\n- 他说--走。\n## 二 他走了--", "> 他走了……\n- 他说——走。\n## 二 他走了——"),
    ],
)
def test_what_is_surely_wrong_in_chinese_is_put_right(text: str, fixed: str) -> None:
    assert zh(text) == fixed


@pytest.mark.parametrize(
    "text",
    [
        "门开了——没有人……",
        "“你——”他说。",
        "京沪线上海—南京段，1931—1933 年。",
        "他走了……………",
        "用--help参数。",
        "参数是 --help，很长。",
        "a--b 这个类名。",
        "箭头 --> 在左，<-- 在右。",
        "版本 2...5，路径 .../a。",
        "10:30,他来了。",
        "比分 3:2,赢了。",
        "A,B 两组。",
        "乔治.马丁来了。",
        "示例.com",
        "白日依山尽 黄河入海流。",
        "李明 王五 赵六都来了。",
        "【姓名 李明】【力量 九】到了。",
        "《天 地》他读过。",
        "春 眠 不 觉 晓",
        "第一章 渡口",
        "你好 world 世界。",
        "他（略一迟疑）走了。",
        "三个点也许是…a",
        "--",
        "...",
        "。。",
    ],
)
def test_what_may_be_meant_in_chinese_stays(text: str) -> None:
    assert zh(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: 他说--走...\n---\n",
        "# 第1章 他说--走...\n",
        "```\n他说--走...\n```\n",
        "<!-- 他说--走... -->\n",
        "<!--\n他说--走\n-->\n",
        "| 他说--走 | 他走了... |\n",
        "他念`你好,世界--走`。",
        "见 https://例.cn/他--走...页 。",
        "[图](他--走.png)。",
        "他写信给 a--b@c.cn 了。",
        '<b class="他--走">他</b>。',
    ],
)
def test_what_is_no_prose_is_not_touched(text: str) -> None:
    assert zh(text) == text


def test_texts_that_the_book_lists_as_meant_stay() -> None:
    text = "他说--走。口令是“你好,世界”。\n你好,世界,他说。"
    fixed = fix(text, language="zh", literals=("你好,世界", "", "没有这句")).text
    assert fixed == "他说——走。口令是“你好,世界”。\n你好,世界,他说。"


# ---- strict --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("灯——那盏旧灯——还亮着。", "灯，那盏旧灯，还亮着。"),
        ("门开了……没有人。", "门开了，没有人。"),
        ("他走了……", "他走了。"),
        ("他走了……。", "他走了。"),
        ("“你——”", "“你。”"),
        ("“走了！——”", "“走了！”"),
        ("——他走了。", "他走了。"),
        ("　　……他走了。", "　　他走了。"),
        ("“……你走吧。”", "“你走吧。”"),
        ("1931—1933 年", "1931到1933 年"),
        ("真相——是钥匙。", "真相：是钥匙。"),
        ("他不来——因为下雨。", "他不来：因为下雨。"),
        ("他说——，走。", "他说，走。"),
        ("他说--走...", "他说，走。"),
        ("他……——走了。", "他，走了。"),
    ],
)
def test_a_strict_book_keeps_no_dash_and_no_ellipsis(text: str, fixed: str) -> None:
    assert zh(text, strict=True) == fixed
    assert check(fixed, lang="zh", config=ProseConfig(strict=True, off=NOT_MARKS)) == ()


NOT_MARKS = frozenset({"truncated"})


@pytest.mark.parametrize(
    "text",
    [
        "“……”",
        "……",
        "——",
        "上海—南京",
        "> 他说——走。",
        "# 第1章 他说——走\n",
        "用 --help 看。",
        "路径 .../a 里。",
    ],
)
def test_even_a_strict_book_leaves_to_its_author_what_is_not_clear(text: str) -> None:
    assert zh(text, strict=True) == text


# ---- English -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("She ran--and fell.", "She ran—and fell."),
        ("She ran -- and fell.", "She ran — and fell."),
        ("“No--”", "“No—”"),
        ("She ran---", "She ran—"),
        ("pages 14--16", "pages 14–16"),
        ("She ran，and fell。", "She ran, and fell."),
        ("“Who？” she asked.", "“Who?” she asked."),
        ("She ran， and fell.", "She ran, and fell."),
    ],
)
def test_what_is_surely_wrong_in_english_is_put_right(text: str, fixed: str) -> None:
    assert en(text) == fixed


@pytest.mark.parametrize(
    "text",
    [
        "She waited...",
        "She waited . . . and fell.",
        "run ls --all there",
        "-- said Nell",
        "a - b",
        "well-known",
        "She said “no” and 'yes'.",
        'She said "no".',
        "The sign said 渡口，止步 there.",
        "---",
        "She—ran.",
        "x = --y",
    ],
)
def test_what_may_be_meant_in_english_stays(text: str) -> None:
    assert en(text) == text


# ---- quotation marks -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('他说:"走吧。"她说:"好。"', "他说：“走吧。”她说：“好。”"),
        ('"走"', "“走”"),
        ('他说"走', '他说"走'),
        ('他说"走"“好”', '他说"走"“好”'),
        ('""', '""'),
        ('" 走"', '" 走"'),
        ('高 5"宽 6"', '高 5"宽 6"'),
    ],
)
def test_straight_marks_are_set_in_pairs_that_leave_no_doubt(text: str, fixed: str) -> None:
    assert zh(text, quotes=True) == fixed


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('"No," she said. "Don\'t."', "“No,” she said. “Don’t.”"),
        ('She ("Nell") ran—"No"—off.', "She (“Nell”) ran—“No”—off."),
        ('5" by 6" wide', '5" by 6" wide'),
        ('"No, she said.', '"No, she said.'),
        ('a"b"c', 'a"b"c'),
        ("the boys' boat isn't here", "the boys' boat isn’t here"),
    ],
)
def test_english_marks_must_also_stand_where_such_marks_stand(text: str, fixed: str) -> None:
    assert en(text, quotes=True) == fixed


def test_quotation_marks_are_left_alone_unless_the_book_asks() -> None:
    assert zh('他说"走"。') == '他说"走"。'
    assert en('He said "go".') == 'He said "go".'


# ---- what holds for every text -------------------------------------------------------------------

FRAGMENTS = [
    "他",
    "走了",
    "--",
    "---",
    "...",
    "。。。",
    "…",
    "——",
    "—",
    "“",
    "”",
    '"',
    "'",
    ",",
    ".",
    "!",
    "?",
    ":",
]
FRAGMENTS += [
    " ",
    "\u3000",
    "\n",
    "\r\n",
    "\r",
    "#",
    "# 第1章",
    "> ",
    "- ",
    "|",
    "```",
    "`",
    "<!--",
    "-->",
    "【",
    "】",
]
FRAGMENTS += [
    "a",
    "Nell",
    "isn't",
    "1",
    "，",
    "。",
    "https://a",
    "](",
    "<b",
    ">",
    "\x00",
    "\ufeff",
    "---\na: b\n---\n",
]
texts = st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=40).map("".join)
HOWS = [
    {"strict": strict, "quotes": quotes} for strict in (False, True) for quotes in (False, True)
]
_ENDS = re.compile(r"\r\n|\r|\n")


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("how", HOWS)
@given(text=texts)
def test_a_repaired_text_has_nothing_left_to_repair(
    language: str, how: dict[str, bool], text: str
) -> None:
    once = fix(text, language=language, literals=("走了,",), **how)  # type: ignore[arg-type]
    again = fix(once.text, language=language, literals=("走了,",), **how)  # type: ignore[arg-type]
    assert again.text == once.text
    assert again.lines == 0


@given(text=texts)
def test_line_ends_the_number_of_lines_and_a_byte_order_mark_stay(text: str) -> None:
    for how in HOWS:
        fixed = fix(text, **how)
        assert _ENDS.findall(fixed.text) == _ENDS.findall(text)
        assert fixed.text.startswith("\ufeff") == text.startswith("\ufeff")
        changed = zip(_ENDS.split(text), _ENDS.split(fixed.text), strict=True)
        assert fixed.lines == sum(a != b for a, b in changed)


@given(text=texts)
def test_letters_are_never_lost(text: str) -> None:
    def letters(text: str) -> str:
        return "".join(c for c in text if c.isalpha() and c != "到")

    for how in HOWS:
        assert letters(fix(text, **how).text) == letters(text)


@given(text=texts)
def test_a_repair_makes_no_blocking_finding(text: str) -> None:
    def blocking(text: str) -> int:
        found = check(text, lang="zh", config=ProseConfig(findings_per_rule=10**6))
        return sum(finding.severity == "blocking" for finding in found)

    assert blocking(fix(text, language="zh").text) <= blocking(text)


@pytest.mark.parametrize(
    "unit",
    [
        "他--",
        "他 ",
        "...",
        "他,",
        "`",
        "<a",
        '他"',
        "a.",
        "](",
        "——",
        "他… ",
        "a@",
        "http:",
        "-",
        "【",
        "« » ",
    ],
)
def test_no_line_makes_a_repair_slow(unit: str) -> None:
    text = (unit * 300_000)[:300_000]
    start = time.process_time()
    fix(text, strict=True, quotes=True)
    assert time.process_time() - start < 10


# ---- the difference ------------------------------------------------------------------------------


def test_the_difference_is_one_that_other_tools_read() -> None:
    before = "一。\n二--二。\n三。\n四。\n五。\n六。\n七。\n八，\n九...\n"
    after = fix(before, language="zh").text
    assert difference(before, after, "正文/第1章.md") == (
        "--- a/正文/第1章.md\n+++ b/正文/第1章.md\n@@ -1,4 +1,4 @@\n 一。\n-二--二。\n+二——二。\n 三。\n 四。\n"
        "@@ -7,4 +7,4 @@\n 七。\n 八，\n-九...\n+九……\n \n"
    )
    assert difference(before, before, "x") == ""


def test_hunks_that_touch_are_one() -> None:
    before = "他--\n二\n三\n四\n他--\n"
    after = fix(before, language="zh").text
    shown = difference(before, after, "x")
    assert shown.count("@@ -") == 1
    assert shown.count("\n-") == 2 and shown.count("\n+") == 3  # one of them is the head
