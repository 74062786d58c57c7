"""What a manuscript shows by itself: encodings, title, volumes, runs of chapters, aliases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel import survey
from clew.novel.rules import judge_init
from clew.novel.survey import Span, Volume

PROSE = "江晨说：“你来了。”\n他在门口站着，不说话，也不进去。这一天的风很大。\n"
TRADITIONAL = "江晨說：「你來了。」\n他在門口站著，不說話，也不進去。這一天的風很大。\n"
LATIN = "Nell said “come in” and went to the door. He didn’t.\n"


@pytest.mark.parametrize(
    ("text", "written", "looks"),
    [
        (PROSE, "utf-8", "utf-8"),
        (PROSE, "utf-8-sig", "utf-8"),
        (PROSE, "gbk", "gb18030"),
        (PROSE, "gb18030", "gb18030"),
        (TRADITIONAL, "big5", "big5"),
        (PROSE, "utf-16", "utf-16-le"),
        (PROSE, "utf-16-le", "utf-16-le"),
        (PROSE, "utf-16-be", "utf-16-be"),
        (LATIN, "utf-16-le", "utf-16-le"),
        (LATIN, "windows-1252", "windows-1252"),
        ("", "utf-8", "utf-8"),
    ],
)
def test_an_encoding_is_told_from_the_bytes(text: str, written: str, looks: str) -> None:
    assert survey.decoded(text.encode(written)) == (text, looks)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_text(data: bytes) -> None:
    text, encoding = survey.decoded(data)
    assert isinstance(text, str)
    assert encoding != "utf-8" or text.encode() == data.removeprefix(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    ("outline", "title"),
    [
        ("# 洪字十七号\n\n正文", "洪字十七号"),
        ("# 《洪字十七号》全书大纲\n", "洪字十七号"),
        ("# 洪字十七号 · 大纲\n", "洪字十七号"),
        ("# The Cancelled Leaf: Outline\n", "The Cancelled Leaf"),
        ("# 大纲\n\n- 书名：《渡口旧账》\n", "渡口旧账"),
        ("**Title:** Salt\n", "Salt"),
        ("# 大纲\n", None),
        ("没有标题\n", None),
        ("", None),
    ],
)
def test_the_books_title_is_read_from_its_outline(outline: str, title: str | None) -> None:
    assert survey.book_title(outline) == title


RANGED = [
    ("卷纲_第一卷.md", "# 卷纲：第一卷：认票\n第1-30章\n"),
    ("卷纲_第二卷.md", "# 第二卷 / 满期\n\n章节：第31章～第60章\n"),
]


@pytest.mark.parametrize(
    ("outlines", "chapter", "volume"),
    [
        ([], 3, Volume("第一卷", 1, "")),
        ([("卷纲_第一卷_认票.md", "随便写写")], 3, Volume("第一卷·认票", 1, "卷纲_第一卷_认票.md")),
        (RANGED, 30, Volume("第一卷·认票", 1, "卷纲_第一卷.md")),
        (RANGED, 31, Volume("第二卷·满期", 31, "卷纲_第二卷.md")),
        (RANGED, 0, Volume("第一卷·认票", 1, "卷纲_第一卷.md")),
        (RANGED, 99, Volume("第一卷", 1, "")),
        ([("卷纲_甲.md", ""), ("卷纲_乙.md", "")], 3, Volume("第一卷", 1, "")),
        ([("卷纲_CON.md", "")], 1, Volume("第一卷", 1, "卷纲_CON.md")),
    ],
)
def test_the_volume_is_the_one_that_evidently_holds_the_chapter(
    outlines: list[tuple[str, str]], chapter: int, volume: Volume
) -> None:
    assert survey.volume_at(outlines, chapter, english=False) == volume


def test_an_english_book_without_volume_outlines_is_in_volume_1() -> None:
    assert survey.volume_at([], 3, english=True).name == "Volume 1"


@given(st.sets(st.integers(1, 60)), st.integers(0, 60))
def test_runs_and_gaps_partition_the_chapters(present: set[int], through: int) -> None:
    def numbers(runs: list[Span]) -> list[int]:
        return [n for run in runs for n in range(run.first, run.last + 1)]

    assert numbers(survey.spans(present)) == sorted(present)
    missing = numbers(survey.gaps(present, through))
    assert missing == [n for n in range(1, through + 1) if n not in present]
    last = survey.last_without_gap(present)
    assert set(range(1, last + 1)) <= present
    assert last + 1 not in present


def test_a_file_with_a_huge_number_is_a_gap_not_a_loop() -> None:
    assert survey.gaps({1, 999_999_999}, 999_999_999) == [Span(2, 999_999_998)]


@pytest.mark.parametrize("last", [0, 1, 2, 3, 200])
def test_init_refuses_exactly_what_the_author_still_has_to_write(last: int) -> None:
    document = survey.init_document("渡口旧账", last, Volume("第一卷", 1, ""))
    recent = min(last, 3)
    assert [(f.code, f.path) for f in judge_init(document).faults] == [
        ("empty_text", "$.context.position.scene"),
        ("empty_text", "$.context.position.story_time"),
        *(("empty_text", f"$.context.recent_chapters[{n}].summary") for n in range(recent)),
    ]
