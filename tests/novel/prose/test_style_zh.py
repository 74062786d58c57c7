"""The Chinese rules of style: where they look, what they leave alone, what a book may change."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from clew.novel.prose import Finding, ProseConfig, Rule, check, rules_for

RULES = {rule.id: rule for rule in rules_for("zh")}
BLOCKING_STYLE = [r for r in RULES.values() if r.family == "style" and r.severity == "blocking"]
BLOCKING = [rule for rule in RULES.values() if rule.severity == "blocking"]
BOOK = Path(__file__).parents[3] / "examples" / "洪字十七号" / "正文"
FLIP = "他侧耳听了听。不是恐惧，而是愤怒。"


def named(rules: list[Rule]) -> list[object]:
    return [pytest.param(rule, id=rule.id) for rule in rules]


def found(text: str, rule: str, **settings: object) -> list[Finding]:
    config = ProseConfig(**settings)  # type: ignore[arg-type]
    return [finding for finding in check(text, lang="zh", config=config) if finding.rule == rule]


def one_line(rule: Rule) -> str:
    """The last line of a bad example: all of it that a rule of style needs."""
    return rule.bad.split("\n")[-1]


@pytest.mark.parametrize("chapter", sorted(BOOK.glob("*.md")), ids=lambda path: path.name)
def test_the_example_book_is_in_order(chapter: Path) -> None:
    assert check(chapter.read_text("utf-8")) == ()


@pytest.mark.parametrize("rule", named(BLOCKING_STYLE))
@pytest.mark.parametrize(
    "frame",
    [
        "“{}”他说。",
        "「{}」",
        "# {}",
        "- {}",
        "3. {}",
        "> {}",
        "| {} |",
        "```\n{}\n```",
        "【{}】他读完了。",
    ],
)
def test_what_is_not_the_storytellers_own_sentence_is_left_alone(rule: Rule, frame: str) -> None:
    body = f"雨停了。\n\n{frame.format(one_line(rule))}\n\n他关上门，坐下来，等天亮。"
    assert found(body, rule.id) == []


@pytest.mark.parametrize("rule", named(BLOCKING_STYLE))
def test_a_title_in_marks_and_a_comment_are_left_alone(rule: Rule) -> None:
    assert found(f"《{one_line(rule)}》是一首老歌。他听完了。", rule.id) == []
    assert found(f"他走了。<!-- {one_line(rule)} -->", rule.id) == []


@pytest.mark.parametrize("rule", named(BLOCKING_STYLE))
def test_a_blocker_of_style_tells_its_place(rule: Rule) -> None:
    (finding,) = found(f"# 第1章 题\n\n　　{rule.bad}", rule.id)
    assert finding.severity == "blocking"
    assert finding.review == "semantic"
    assert finding.excerpt
    lines = f"# 第1章 题\n\n　　{rule.bad}".split("\n")
    assert lines[finding.line - 1][finding.column - 1 :][:1] in finding.excerpt
    assert finding.advice is not None
    assert finding.advice.zh.startswith(rule.advice.zh)
    assert finding.advice.en.startswith(rule.advice.en)


MARKS = [
    "<!-- 去味:跳过 -->",
    "<!-- 去味：跳过 -->",
    "<!--去味 : 跳过-->",
    "<!-- clew:prose-skip -->",
]


@pytest.mark.parametrize("mark", MARKS)
def test_a_comment_on_top_turns_blockers_of_style_into_advice(mark: str) -> None:
    assert [f.severity for f in found(f"# 第1章 题\n{mark}\n\n{FLIP}", "not-is-comparison")] == [
        "advisory"
    ]


@pytest.mark.parametrize("rule", named(BLOCKING))
def test_the_comment_changes_nothing_but_style(rule: Rule) -> None:
    (finding,) = found(f"{MARKS[0]}\n{rule.bad}", rule.id)
    assert finding.severity == ("advisory" if rule.family == "style" else "blocking")


def test_the_comment_does_not_unblock_strict_punctuation() -> None:
    text = f"{MARKS[0]}\n门开了——没有人。"
    assert [f.severity for f in found(text, "punctuation-dash", strict=True)] == ["blocking"]


@pytest.mark.parametrize(("before", "severity"), [(5, "advisory"), (6, "blocking")])
def test_the_comment_must_stand_in_the_first_six_lines(before: int, severity: str) -> None:
    text = "\n" * before + f"{MARKS[0]}\n{FLIP}"
    assert [f.severity for f in found(text, "not-is-comparison")] == [severity]


def test_front_matter_does_not_push_the_comment_out_of_reach() -> None:
    front = "---\n" + "".join(f"key{n}: 值\n" for n in range(8)) + "---\n"
    text = f"{front}{MARKS[0]}\n{FLIP}"
    assert [f.severity for f in found(text, "not-is-comparison")] == ["advisory"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("他听见了。不是恐惧。\n\n是愤怒。", (1, 6)),
        ("不是恐惧，不是悲伤，而是愤怒。", (1, 1)),
        ("他愣住了。\n　　那不是愤怒。\n\n\n那是绝望。", (2, 4)),
    ],
)
def test_a_flip_may_run_over_paragraphs_and_is_told_where_it_begins(
    text: str, place: tuple[int, int]
) -> None:
    assert [(f.line, f.column) for f in found(text, "not-is-comparison")] == [place]


@pytest.mark.parametrize(
    "text",
    [
        "致死的不是刀伤，而是氰化物。",
        "船不是往南开，而是往北开的。",
        "来的不是一个人，而是两个人。",
        "照片上的人不是我，而是我哥哥。",
        "被告人不是故意，而是过失。",
        "那不是雷声，是采石场在放炮。",
        "这不是病，是饿。",
        "是他，不是别人，敲了那口钟。",
        "他得的不是焦虑，而是抑郁。",
        "他拼错的词不是愤怒，而是愤慨。",
        "这不是学期的开始，而是学期的结束。",
    ],
)
def test_to_put_a_fact_right_never_blocks(text: str) -> None:
    assert [f.rule for f in check(text, lang="zh") if f.severity == "blocking"] == []


def test_two_pairs_one_after_the_other_are_two_turns() -> None:
    ids = [(f.rule, f.column) for f in check("是恨，不是怨。是怕，不是疑。", lang="zh")]
    assert ids == [("reverse-not-is", 1), ("reverse-not-is", 8)]


def test_plain_corrections_are_told_once_and_only_where_there_are_several() -> None:
    one = "来开门的不是周先生，是他家的保姆。"
    assert check(one, lang="zh") == ()
    three = one + "信封里装的是钱，不是信。她要的不是鱼，是那只篓子。"
    assert [f.column for f in found(three, "not-is-plain")] == [5]
    (first,) = found(one, "not-is-plain", limits={"not-is-plain.hits": 1})
    assert first.severity == "advisory"


def test_a_ruler_or_heading_parts_what_a_flip_would_join() -> None:
    for between in ("* * *", "## 二", "- 账本"):
        assert (
            found(f"门外不是风声。\n\n{between}\n\n是哭声把他吵醒了。", "not-is-comparison") == []
        )


def test_one_correction_is_either_blocked_or_advised_upon_never_both() -> None:
    limits = {"not-is-plain.hits": 1.0}
    for text in (FLIP, "来的不是他娘，是个生人。", "是血，不是水。", "他要的是钱，不是人。"):
        ids = [f.rule for f in check(text, lang="zh", config=ProseConfig(limits=limits))]
        assert len(ids) == 1


def test_a_seal_after_which_the_story_goes_on_is_none() -> None:
    told = "一切都结束了。他们把棺材抬上山，回来吃了一顿豆腐饭。"
    assert check(told, lang="zh") == ()
    assert [f.severity for f in check("他们下了山。一切都结束了。")] == ["blocking"]
    later = "真正的较量，才刚刚开始。他翻了个身，睡着了。"
    assert [(f.rule, f.severity) for f in check(later)] == [("ending-manner", "advisory")]


def test_what_a_wireless_says_is_no_stock_voice() -> None:
    for text in (
        "收音机的声音不大，可是隔壁还是过来敲了两回门。",
        "她的声音不大，却很好听，像有人在隔壁拉二胡。",
        "喇叭声音不大，却让全村的狗都叫了起来。",
    ):
        assert check(text, lang="zh") == ()


def test_things_that_are_missing_are_no_parade() -> None:
    for text in (
        "没有电，没有水，没有信号，十三个人在山上过了九天。",
        "他没有了父母，没有了地，没有了老婆，只剩下一身力气和一条命。",
    ):
        assert check(text, lang="zh") == ()


@pytest.mark.parametrize("rule", named(BLOCKING))
def test_the_line_that_a_finding_gives_lets_its_text_stand(rule: Rule) -> None:
    (finding,) = found(rule.bad, rule.id)
    if not rule.meant:
        assert finding.advice == rule.advice
        return
    assert finding.advice is not None
    for side in (finding.advice.zh, finding.advice.en):
        line = side[side.index("literals = [") : side.index("]", side.index("literals = [")) + 1]
        literals = frozenset(tomllib.loads(line)["literals"])
        assert found(rule.bad, rule.id, literals=literals) == []
        assert "正文/.clew-prose.toml" in side
    assert "作者" in finding.advice.zh and "the author" in finding.advice.en
    if rule.family == "style":
        assert "<!-- clew:prose-skip -->" in finding.advice.zh


def test_a_finding_that_the_comment_demotes_needs_no_way_out() -> None:
    (finding,) = found(f"{MARKS[0]}\n{FLIP}", "not-is-comparison")
    assert finding.advice == RULES["not-is-comparison"].advice


FILLER = "他把船撑到河心，放下篙，听水声。岸上有人喊他的名字，他没有答应。"


def test_a_trailer_counts_only_near_the_end() -> None:
    trailer = "真正的较量，才刚刚开始。"
    assert len(found(f"{FILLER}\n\n{trailer}", "trailer-ending")) == 1
    assert found(f"{trailer}\n\n{FILLER * 3}", "trailer-ending") == []
    opened = "一场大戏拉开了序幕。"
    assert len(found(f"{opened}\n\n{FILLER * 15}", "trailer-ending")) == 1
    assert found(f"{opened}\n\n{FILLER * 30}", "trailer-ending") == []


@pytest.mark.parametrize(("lines", "times"), [(0, 1), (3, 1), (4, 0), (60, 0)])
def test_a_seal_is_a_last_word_only_if_little_talk_follows(lines: int, times: int) -> None:
    talk = "\n\n“走吧。天要亮了，再不走就来不及了。”" * lines
    text = f"{FILLER}\n\n这一夜，注定无人入眠。{talk}"
    assert len(found(text, "trailer-summary")) == times


@pytest.mark.parametrize(
    ("rule", "limits"),
    [
        pytest.param(rule.id, {f"{rule.id}.{name}": 10**9 for name in rule.limits}, id=rule.id)
        for rule in RULES.values()
        if rule.limits and not rule.id.startswith(("trailer", "ending"))
    ],
)
def test_a_book_can_raise_every_threshold_out_of_reach(rule: str, limits: dict[str, float]) -> None:
    bad = RULES[rule].bad
    assert len(found(bad, rule)) == 1
    # What is short, or rare, is measured from the other side: nothing is under 0.
    low = {"particles", "function_words", "connectives"}
    given = {name: 0 if name.split(".")[1] in low else value for name, value in limits.items()}
    if rule in ("period-stutter", "action-list-tic"):
        given[f"{rule}.chars"] = 0
    assert found(bad, rule, limits=given) == []


def test_the_window_of_an_ending_can_be_changed() -> None:
    text = f"{FILLER}\n\n这一夜，注定无人入眠。\n\n“走吧。”\n\n“走。”"
    assert len(found(text, "trailer-summary")) == 1
    assert found(text, "trailer-summary", limits={"trailer-summary.sentences": 1}) == []
    manner = f"{FILLER}\n\n夜，还很长。{FILLER}"
    assert found(manner, "ending-manner") == []
    assert len(found(manner, "ending-manner", limits={"ending-manner.sentences": 9})) == 1
    far = f"大戏拉开了序幕。{FILLER * 3}"
    assert found(far, "trailer-ending", limits={"trailer-ending.chars": 40}) == []


def test_dashes_are_counted_once_a_chapter_and_each_is_blocked_in_a_strict_book() -> None:
    text = "灯——那盏旧灯——还亮着。\n他等着——等着——天亮了。"
    (habit,) = found(text, "punctuation-dash")
    assert (habit.severity, habit.line, habit.column) == ("advisory", 1, 2)
    assert "4" in habit.message.zh
    strict = found(text, "punctuation-dash", strict=True)
    assert [(f.severity, f.line, f.column) for f in strict] == [
        ("blocking", 1, 2),
        ("blocking", 1, 8),
        ("blocking", 2, 4),
        ("blocking", 2, 8),
    ]


def test_one_standard_mark_is_told_as_advice_and_speech_keeps_its_own() -> None:
    findings = check("门开了——没有人……\n“你——”他说。")
    assert [(f.rule, f.severity) for f in findings] == [
        ("punctuation-dash", "advisory"),
        ("punctuation-ellipsis", "advisory"),
    ]
    assert check("“你——”他说。“我……”") == ()
    few = {"punctuation-dash.hits": 3.0, "punctuation-ellipsis.hits": 3.0}
    assert check("门开了——没有人……", config=ProseConfig(limits=few)) == ()


def test_marks_of_the_wrong_shape_are_told_once_and_not_again_in_a_strict_book() -> None:
    text = "他想了想…没有说。她等着--等着。他又想了想…"
    rules = [f.rule for f in check(text, lang="zh")]
    assert rules == ["punctuation-ellipsis-shape", "punctuation-dash-shape"]
    assert "2" in found(text, "punctuation-ellipsis-shape")[0].message.zh
    strict = {f.rule for f in check(text, lang="zh", config=ProseConfig(strict=True))}
    assert strict == {"punctuation-dash", "punctuation-ellipsis"}


def test_verse_and_short_lines_without_marks_are_no_stutter() -> None:
    verse = "山有木\n木有枝\n水有舟\n舟有人\n人有心\n心有悦\n悦有谁"
    assert found(f"他念道：\n\n{verse}", "period-stutter") == []


def test_speech_ends_a_run_of_short_sentences() -> None:
    text = "他停下。回头。没人。“谁？”风声。脚步。停了。"
    assert found(text, "period-stutter") == []
    assert len(found(text.replace("“谁？”", ""), "period-stutter")) == 1


def test_an_outline_word_blocks_only_in_a_line_where_nobody_speaks() -> None:
    assert [f.severity for f in found("他翻了翻细纲。", "meta-leak")] == ["blocking"]
    beside = "他翻了翻细纲，说：“写完了。”"
    assert found(beside, "meta-leak") == []
    assert [f.column for f in found(beside, "meta-leak-quoted")] == [5]


def test_a_chapter_that_is_nothing_but_notices_or_titles_upsets_no_rule() -> None:
    for text in ("【系统】\n" * 900, "《题》。\n" * 900, "“好。”\n" * 900):
        assert [f.rule for f in check(text, lang="zh") if f.severity == "blocking"] == []
