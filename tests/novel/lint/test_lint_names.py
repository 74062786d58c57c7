"""Slips of the eye and of the hand in short names, and people who are there without a verb of their
own: found where a name stands, and nowhere else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from lint_books import EXAMPLES, linted, tell, write_body

from clew.novel.ledger import Ledger
from clew.novel.lint.cast import Cast
from clew.novel.lint.near import ChineseNames
from clew.novel.lint.shapes import _AS_WHOLES, _BY_PART, look_alike
from clew.novel.lint.sounds import alike
from clew.novel.namewords import SURNAMES
from clew.testing.novel import begin_book, init_document, snapshot

CORPUS = Path(__file__).resolve().parents[1] / "prose" / "corpus" / "zh"


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    """何三更, called 师傅, dies in chapter 1; 沈渡 and 苏葵 go on."""
    cast = {name: snapshot() for name in ("何三更", "沈渡", "苏葵")}
    ledger = begin_book(tmp_path / "书", init_document(character_snapshots=cast))
    aliases = Path(ledger.root, "设定", "别名.toml")
    aliases.parent.mkdir()
    aliases.write_text('"何三更" = ["师傅", "何更夫"]\n', encoding="utf-8")
    tell(ledger, changes={"何三更": "落水而死"}, retired_characters=["何三更"])
    write_body(ledger, 1, "何三更落了水。")
    return ledger


def keys(ledger: Ledger, rule: str, *paragraphs: str, number: int = 2) -> list[str]:
    write_body(ledger, number, "沈渡点了灯。苏葵在船上。", *paragraphs)
    return [finding.key for finding in linted(ledger, rule).findings]


# ---- on stage ------------------------------------------------------------------------------------

THERE = [
    "师傅坐在炉子边上烤火，抬头看了他一眼，说：“回来了。”",
    "“回来了。”师傅说。",
    "门外站着何三更。",
    "他推开门，门外站着的是何三更。",
    "灯亮了，炉子边上坐着何三更，手里捏着更锣。",
    "船舱里走出来何三更和一个伙计。",
]
NOT_THERE = [
    "师傅的更锣挂在墙上。",
    "他想起师傅坐在炉子边上，抬头看了他一眼。",
    "李师傅坐在炉子边上，抬头看了他一眼，说：“回来了。”",
    "师傅们坐在炉子边上，抬头看了他一眼。",
    "仿佛门外站着何三更。",
    "照片里站着何三更。",
    "门外站着的不是何三更。",
    "门外站着何三更的徒弟。",
    "梦里，门外站着何三更。",
    "戏台上站着何三更。",
    "门外站着的人像何三更。",
    "棺材边上坐着何三更的老娘。",
]


@pytest.mark.parametrize("paragraph", THERE)
def test_the_dead_are_found_on_stage_without_their_name_or_a_verb(
    book: Ledger, paragraph: str
) -> None:
    assert keys(book, "retired-on-stage", paragraph) == ["retired-on-stage:何三更:2"]


@pytest.mark.parametrize("paragraph", NOT_THERE)
def test_who_is_elsewhere_or_somebody_else_is_not_found(book: Ledger, paragraph: str) -> None:
    assert keys(book, "retired-on-stage", paragraph) == []


def test_what_somebody_was_to_others_means_him_for_a_while_only(book: Ledger) -> None:
    for number in range(2, 13):
        tell(book, number if number <= 1 else None)
        write_body(book, number, "无事。")
    assert keys(book, "retired-on-stage", "师傅坐下了。", number=11) == [
        "retired-on-stage:何三更:11"
    ]
    write_body(book, 11, "无事。")
    assert keys(book, "retired-on-stage", "师傅坐下了。", number=12) == []


def test_a_master_of_two_people_is_neither(book: Ledger) -> None:
    path = Path(book.root, "设定", "别名.toml")
    path.write_text('"何三更" = ["师傅"]\n"沈渡" = ["沈师傅"]\n', encoding="utf-8")
    assert keys(book, "retired-on-stage", "师傅坐下了。") == []


def test_a_shop_has_another_owner_at_once(book: Ledger) -> None:
    path = Path(book.root, "设定", "别名.toml")
    path.write_text('"何三更" = ["掌柜"]\n', encoding="utf-8")
    assert keys(book, "retired-on-stage", "掌柜坐下了。") == []


# ---- slips ---------------------------------------------------------------------------------------

SLIPS = [
    ("沈波站起来，走到门口。", "沈波"),
    ("“走吧。”沈波说。", "沈波"),
    ("苏蔡点了点头。", "苏蔡"),
    ("门外站着苏蔡。", "苏蔡"),
    ("沈渡渡说：“走吧。”", "沈渡渡"),
    ("他看见沈渡渡，愣住了。", "沈渡渡"),
    ("沈沈渡站起来。", "沈沈渡"),
]
NO_SLIPS = [
    "沈渡渡河去了。",
    "沈渡渡过了江。",
    "沈渡渡过来，系了船。",
    "沈波的船还没有来。",
    "都说沈波好看。",
    "沈默站起来。",
    "苏州站起来了。",
    "沈渡的弟弟沈波站起来，走到门口。",
    "沈渡看着沈波。沈波点了点头。",
    "深渡镇到了。",
]


@pytest.mark.parametrize(("paragraph", "written"), SLIPS)
def test_a_slip_in_a_short_name_is_found_where_somebody_acts(
    book: Ledger, paragraph: str, written: str
) -> None:
    assert keys(book, "name-near-miss", paragraph) == [f"name-near-miss:{written}:2"]


@pytest.mark.parametrize("paragraph", NO_SLIPS)
def test_what_is_no_slip_of_a_short_name_is_left_alone(book: Ledger, paragraph: str) -> None:
    assert keys(book, "name-near-miss", paragraph) == []


def test_a_name_that_comes_again_is_a_name_of_its_own(book: Ledger) -> None:
    assert keys(book, "name-near-miss", "沈波站起来。", "“走吧。”沈波说。", "沈波坐下了。") == []


def test_a_nickname_is_no_slip(book: Ledger) -> None:
    path = Path(book.root, "设定", "别名.toml")
    path.write_text('"沈渡" = ["渡渡"]\n', encoding="utf-8")
    assert keys(book, "name-near-miss", "沈渡渡说：“走吧。”") == []


def texts() -> Iterator[str]:
    for path in sorted((EXAMPLES / "洪字十七号" / "正文").glob("*.md")):
        yield path.read_text(encoding="utf-8")
    for path in sorted(CORPUS.glob("*.jsonl")):
        yield path.read_text(encoding="utf-8")


def test_six_hundred_short_names_are_found_in_no_text_that_does_not_name_them() -> None:
    """Whatever people are called, ordinary prose has no slip in their names by shape or doubling."""
    chance = random.Random(17)
    given = sorted({char for group in (*_BY_PART, *_AS_WHOLES) for char in group})
    surnames = sorted(SURNAMES)
    names = {chance.choice(surnames) + chance.choice(given) for _ in range(700)}
    names = set(sorted(names)[:600])
    assert len(names) == 600
    whole = "\n".join(texts())
    # A right name in the text is what a slip by shape is looked for beside: there is each of them.
    roll = "。".join(sorted(names)) + "。"
    found = [
        slip
        for slip in ChineseNames(Cast(names)).slips(whole + "\n" + roll)
        if slip.at < len(whole) and slip.name_like and slip.kind in ("letter", "double")
    ]
    assert found == []


def test_characters_look_alike_whichever_comes_first_and_to_themselves() -> None:
    assert look_alike("波", "渡") and look_alike("渡", "波") and look_alike("末", "未")
    assert not look_alike("波", "葵")
    assert not alike("波", "渡")
