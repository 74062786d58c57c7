"""Name candidates: who is found in a text, and what is not taken for a name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.manuscript import Candidate, candidates

EXAMPLES = Path(__file__).parents[2] / "examples"

BARRACKS = """# 第1章 看片会

江晨说：“走吧。”

江晨说他不去。江晨说完就走，江晨说得很轻。
江晨看了看窗外。
“好。”江晨道。
钟嘉嘉把稿子放下，江晨没有动。
江晨想了想，对钟嘉嘉说：“都在等周薄森。”
钟嘉嘉笑了笑：“你猜。”
周薄森走进来。钟嘉嘉起身，对周薄森点头。江晨也起身。
“坐。”周薄森说道，“江晨，你坐这边。”
“白天不行。”小满低声说。
小满摇头。“高兴就好。”小满问。
于是江晨走了。时候不早，高兴的人很少。白天很长。白天过去，白天又来。高兴的人走了，高兴完了。
"""

DOCK = """# Chapter 1: The Dock

Then Mr. Harlan Voss came. Mrs. Voss waited with Lady Ann by the door.
"Come in," said Voss. When Ann left, Voss's hat fell.
Suddenly the rain came, and Ann ran. Suddenly it stopped. Suddenly it rained again.
On Monday the old Doctor Lee met Ann and Mr. Harlan Voss. But Lee said nothing.
She saw Lee again on Monday. So did Lee's dog, and Harlan Voss saw it.
"""


def texts(rows: list[Candidate]) -> dict[str, int]:
    return {row.text: row.count for row in rows}


def test_a_name_with_its_verb_is_not_another_name() -> None:
    found = texts(candidates({1: BARRACKS}, {}))
    assert set(found) == {"江晨", "钟嘉嘉", "周薄森", "小满"}
    assert found["江晨"] == BARRACKS.count("江晨")


def test_the_beginning_of_a_name_is_not_another_name() -> None:
    assert not {"钟嘉", "周薄"} & set(texts(candidates({1: BARRACKS}, {})))


def test_a_name_may_end_in_a_verb_and_have_two_surnames_and_relatives() -> None:
    body = """林笑推开门，李想正坐在窗边。林笑把伞放下，林笑的头发湿了。
“你怎么来了？”李想问。李想站起来，李想走到门口。“是林笑。”李想说。
欧阳雪从楼上下来。欧阳雪看了林笑一眼，欧阳雪没有说话。欧阳雪问道：“谁？”
林小雨跑来。林小雨说：“哥。”林小雨拉住林笑。林小雨笑着说：“走。”
江边的风很大。江边没有人。江边，李想停下。方才那人不见了。方才还在。方才。
"""
    assert set(texts(candidates({1: body}, {}))) == {"林笑", "李想", "欧阳雪", "林小雨"}


def test_everyday_words_that_begin_with_a_surname_are_not_names() -> None:
    assert not {"白天", "高兴", "于是", "时候"} & set(texts(candidates({1: BARRACKS}, {})))


def test_a_name_within_a_longer_one_counts_for_the_longer_one_only() -> None:
    body = "\n".join(
        ["汪小满说：“来。”", "小满笑道：“走。”", "“好。”小满说。", "小满问：“哪？”"] * 3
    )
    assert texts(candidates({1: body}, {"汪小满": []})) == {"汪小满": 3, "小满": 9}


def test_mentions_are_dated_by_the_first_chapter_that_holds_them() -> None:
    rows = candidates({2: BARRACKS, 1: "# 第1章\n江晨醒了。\n"}, {})
    assert {row.text: row.first_chapter for row in rows} == {
        "江晨": 1, "钟嘉嘉": 2, "周薄森": 2, "小满": 2,
    }  # fmt: skip


def test_a_chapters_heading_is_no_mention() -> None:
    assert texts(candidates({1: "# 第1章 江晨\n\n" + BARRACKS}, {}))["江晨"] == BARRACKS.count(
        "江晨"
    )


def test_names_of_the_authors_own_list_are_found_and_say_whom_they_mean() -> None:
    rows = candidates({1: BARRACKS + "老周来了。\n"}, {"周薄森": ["老周", "森哥"]})
    meant = {row.text: row.name for row in rows if row.name}
    assert meant == {"周薄森": "周薄森", "老周": "周薄森"}


def test_english_names_are_capitalised_words_inside_sentences_without_their_titles() -> None:
    found = texts(candidates({1: DOCK}, {}, english=True))
    assert found == {"Voss": 3, "Harlan Voss": 3, "Ann": 4, "Lee": 4}


def test_english_words_that_only_begin_sentences_are_not_names() -> None:
    found = candidates({1: DOCK}, {}, english=True)
    assert not {"Suddenly", "Then", "But", "Monday", "On", "Lady"} & set(texts(found))


@pytest.mark.parametrize("text", ["", "# 第1章\n", "……\n", "他说：“好。”\n", "1234 5678"])
@pytest.mark.parametrize("english", [True, False])
def test_a_text_without_names_has_no_candidates(text: str, english: bool) -> None:
    assert candidates({1: text}, {}, english=english) == []


@pytest.mark.parametrize(
    ("book", "english", "cast"),
    [
        (
            "洪字十七号",
            False,
            {"小满", "葛明堂", "邬世昌", "罗巧云", "佟桂生", "鲁成", "齐妈", "罗敬亭"},
        ),
        ("The Cancelled Leaf", True, {"Nell", "Pell", "Rusk", "Jory"}),
    ],
)
def test_the_cast_of_an_example_book_is_found_with_little_beside_it(
    book: str, english: bool, cast: set[str]
) -> None:
    chapters = {
        int(re.findall(r"\d+", path.name)[0]): path.read_text(encoding="utf-8")
        for path in (EXAMPLES / book / "正文").glob("*.md")
    }
    found = texts(candidates(chapters, {}, english=english))
    assert cast <= set(found)
    assert len(found) <= 2 * len(cast)


@given(
    st.lists(
        st.sampled_from(
            ["江晨", "说", "道", "：", "“好。”", "小满", "白天", "\n", "的", "Ann ", ". "]
        )
    ),
    st.booleans(),
)
def test_counts_are_never_more_than_there_are_mentions(parts: list[str], english: bool) -> None:
    text = "".join(parts)
    rows = candidates({1: text}, {"江晨": []}, english=english)
    assert all(0 < row.count <= text.count(row.text) for row in rows)
    assert [row.count for row in rows] == sorted((row.count for row in rows), reverse=True)
