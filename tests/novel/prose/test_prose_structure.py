"""The rules that look at more than one line: torn ends and verbatim repeats."""

from __future__ import annotations

import pytest

from clew.novel.prose import ProseConfig, check


def spots(text: str, lang: str = "zh", **settings: int) -> list[tuple[str, int, int]]:
    found = check(text, lang=lang, config=ProseConfig(**settings))  # type: ignore[arg-type]
    return [(f.rule, f.line, f.column) for f in found]


@pytest.mark.parametrize(
    "end", [*list('。！？!?…”"』」）)】.．～—’'), "……", "——", "。**", "。 \u3000"]
)
def test_a_chapter_may_end_on_any_closing_mark(end: str) -> None:
    found = check(f"# 第1章 题\n\n他推开门，外面站着一个人{end}\n\n", lang="zh")
    assert "truncated" not in {finding.rule for finding in found}


@pytest.mark.parametrize("end", ["", "，", "、", "；", "：", "的", "《", "“", "*", ","])
def test_a_chapter_that_just_stops_is_truncated(end: str) -> None:
    assert ("truncated", 3, 1) in spots(f"雨停了。\n\n他推开门，外面站着一个人{end}\n")


@pytest.mark.parametrize(
    "tail",
    [
        "（第一卷完）",
        "全文完",
        "—— 完 ——",
        "The End",
        "***",
        "☆☆☆",
        "## 作者的话",
        "<!-- 写于雨夜 -->",
        "| 力量 | 12 |\n|---|---|\n| 敏捷 | 9 |",
        "- 力量 12\n- 敏捷 9",
        "> 见字如面",
        "```\nlog\n```",
    ],
)
def test_what_may_stand_after_the_last_sentence(tail: str) -> None:
    assert check(f"雨停了。\n\n{tail}\n", lang="zh") == ()


def test_a_torn_end_is_seen_through_what_follows_it() -> None:
    assert spots("雨停了。\n他推开门，慢慢地\n\n* * *\n<!-- 完 -->") == [("truncated", 2, 1)]


def test_a_comment_on_the_last_line_is_not_its_end() -> None:
    assert check("雨停了。<!-- 查 -->", lang="zh") == ()
    assert spots("雨停了，<!-- 查。 -->") == [("truncated", 1, 1)]


def test_verse_and_signatures_end_without_a_mark() -> None:
    assert check("他念道。\n\n山有木兮木有枝\n心悦君兮君不知", lang="zh") == ()
    assert check("雨停了。\n\n你的朋友\n李明", lang="zh") == ()
    assert spots("山有木兮木有枝\n心悦君兮，") == [("truncated", 2, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "信的最后一行写着：\n\n儿 建国 谨上",
        "他把信折好。\n\n你的哥哥\n\n明远 手书",
        "他念完了。\n\n学生 李明",
        "他念完了。\n\n民国三十年十月初九",
        "碑上刻着：\n\n先父周公之墓",
    ],
)
def test_a_letter_and_a_stone_end_without_a_mark(text: str) -> None:
    assert check(text, lang="zh") == ()


@pytest.mark.parametrize(
    "text",
    [
        "She turned it over.\n\nYours faithfully,\n\nE. Pell",
        "She turned it over.\n\nYour affectionate brother,\n\nAbel Rusk",
        "The stone said:\n\nJonas Orde, lost at sea",
    ],
)
def test_an_english_letter_ends_on_a_name(text: str) -> None:
    assert check(text, lang="en") == ()


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("他刚要开口：\n\n那人抬起头，慢慢地", "zh"),
        ("他坐了下来。\n\n女人走出来，手里", "zh"),
        ("She loved him.\n\nShe set her hand on the gate and", "en"),
    ],
)
def test_no_letter_hides_a_torn_end(text: str, lang: str) -> None:
    assert [spot[0] for spot in spots(text, lang)] == ["truncated"]


def test_a_body_without_prose_is_no_finding() -> None:
    for text in ("", "\ufeff", "\n \n", "# 第1章 题\n", "---\ntitle: x\n---\n", "<!-- 空 -->"):
        assert check(text) == ()


def test_a_cut_english_chapter_is_truncated() -> None:
    assert spots("The ferry was late.\n\nShe opened the door and", "en") == [("truncated", 3, 1)]
    assert check("The ferry was late.\n\n“Who is there?”", lang="en") == ()
    assert check("It closed with a quiet click.’", lang="en") == ()


LINE = "雨一直下到天亮没有人来"


@pytest.mark.parametrize("between", ["\n", "\n\n", "\r\n\r\n", "\n<!-- 查 -->\n", "  \n　"])
def test_the_same_line_twice_in_a_row_is_found(between: str) -> None:
    found = check(f"{LINE}。{between}{LINE}。\n天亮了。", lang="zh")
    assert [f.rule for f in found] == ["verbatim-repeat-line"]


@pytest.mark.parametrize(
    "text",
    [
        f"{LINE}。\n天亮了。\n{LINE}。",
        f"{LINE}。\n* * *\n{LINE}。",
        f"> {LINE}。\n> {LINE}。",
        f"- {LINE}。\n- {LINE}。",
        "归去来兮归去。\n归去来兮归去。",
        "“你把账本藏到哪里去了？”\n“你把账本藏到哪里去了？”",
        "“把账本交出来！”他喊道。\n“把账本交出来！”他喊道。",
        "【击杀妖狼，经验加十。】\n【击杀妖狼，经验加十。】\n【击杀妖狼，经验加十。】",
        "流到香江去看一看，\n流到香江去看一看，\n他忘了词。",
        "她低声唱：\n月亮出来亮汪汪。\n月亮出来亮汪汪。\n停了。",
        "纤夫喊着号子：\n\n一步一步往上拉哟。\n\n一步一步往上拉哟。",
    ],
)
def test_repeats_that_a_writer_means_are_left_alone(text: str) -> None:
    assert check(text, lang="zh") == ()


def test_a_song_ends_where_the_lines_grow_long_again() -> None:
    long = "雨一直下到天亮没有人来过码头也没有人听见渡船上那口钟敲过第三遍。"
    assert spots(f"她唱：\n月亮出来。\n{long}\n{long}") == [("verbatim-repeat-line", 4, 1)]


def test_a_line_of_exactly_eight_visible_characters_counts() -> None:
    assert spots("雨一直下 到天亮。\n雨一直下 到天亮。\n完。") == [("verbatim-repeat-line", 2, 1)]
    assert spots("雨直下到天亮。\n雨直下到天亮。\n完。") == []


SENTENCE = "他把账本塞回了墙缝里面。"


def test_a_sentence_of_twelve_characters_three_times_is_found_once() -> None:
    assert len(SENTENCE) == 12
    text = f"{SENTENCE}风停。{SENTENCE}\n雨停。{SENTENCE}\n　　{SENTENCE}天亮。"
    found = check(text, lang="zh")
    assert [(f.rule, f.line, f.column) for f in found] == [("verbatim-repeat-sentence", 2, 4)]
    assert found[0].message.zh == "同一句话在本章出现了 3 次"
    assert found[0].message.en == "the same sentence occurs 3 times in this chapter"


def test_shorter_sentences_and_two_occurrences_are_style() -> None:
    short = SENTENCE.replace("面", "")
    assert spots(f"{short}风停。{short}雨停。{short}") == []
    assert spots(f"{SENTENCE}风停。{SENTENCE}") == []


def test_quoted_speech_may_repeat_and_the_sentence_after_it_may_not() -> None:
    assert spots("".join(f"“{SENTENCE}”{n}问。\n" for n in "甲乙丙丁")) == []
    text = "".join(f"“{n}。”{SENTENCE}风停。\n" for n in "甲乙丙")
    assert spots(text) == [("verbatim-repeat-sentence", 3, 5)]


def test_english_thresholds_fit_english_sentences() -> None:
    style = "He shook his head. " * 4 + "\n\nHe waited by it.\n\nHe waited by it."
    assert spots(style, "en") == []
    loop = "She walked slowly back to the ferry and waited for the rain. "
    assert [s[0] for s in spots(loop * 3, "en")] == ["verbatim-repeat-sentence"]
    line = "She walked slowly back to the ferry."
    assert spots(f"{line}\n\n{line}\n", "en") == [("verbatim-repeat-line", 3, 1)]


def test_thresholds_can_be_changed() -> None:
    assert spots("归去来兮。\n归去来兮。", repeat_line_chars=5) == [("verbatim-repeat-line", 2, 1)]
    text = f"{SENTENCE}风停。{SENTENCE}"
    assert [s[0] for s in spots(text, repeat_sentence_times=2)] == ["verbatim-repeat-sentence"]
