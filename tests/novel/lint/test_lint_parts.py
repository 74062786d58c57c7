"""The parts that rules are made of: the cast, fates, the chronicle, sounds, who acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.novel.commit import commit
from clew.novel.ledger import Ledger
from clew.novel.lint.body import Body
from clew.novel.lint.cast import Cast
from clew.novel.lint.chronicle import chronicle_of
from clew.novel.lint.fates import says_dead
from clew.novel.lint.sounds import alike
from clew.novel.lint.stage import acts
from clew.novel.start import adopt
from clew.novel.timetravel import redo, undo
from clew.testing.novel import begin_book, chapter, state_of

# ---- the cast ------------------------------------------------------------------------------------

CAST = Cast(
    [
        "汪小满",
        "葛明堂",
        "齐妈",
        "欧阳修远",
        "约翰·史密斯",
        "Nell Harker",
        "Dunstan Pell",
        "Margaret Pell",
    ],
    {
        "汪小满": ["汪满仓"],
        "葛明堂": ["东家", "师父"],
        "齐妈": ["师父"],
        "谁": ["甲"],
        "nell harker": ["Miss Harker"],
    },
)


@pytest.mark.parametrize(
    ("text", "name"),
    [("汪小满", "汪小满"), ("小满", "汪小满"), ("满仓", "汪小满"), ("明堂", "葛明堂"), ("东家", "葛明堂"),
     ("修远", "欧阳修远"), ("史密斯", "约翰·史密斯"), ("Nell", "Nell Harker"),
     ("Miss Harker", "Nell Harker"), ("NELL HARKER", "Nell Harker"),
     ("Dunstan", "Dunstan Pell"), ("汪小满（学生）", "汪小满"), (" 齐妈 ", "齐妈"),
     ("师父", None), ("Pell", None), ("甲", None), ("妈", None), ("沈怀安", None), ("", None)],
)  # fmt: skip
def test_a_form_means_one_person_or_nobody(text: str, name: str | None) -> None:
    assert CAST.resolve(text) == name


def test_what_is_wrong_with_aliases_is_known() -> None:
    assert CAST.unknown == ["谁"]
    assert CAST.shared == {"师父": ["葛明堂", "齐妈"]}


def test_an_office_does_not_tell_who_acts() -> None:
    assert "东家" not in CAST.telling("葛明堂")
    assert set(CAST.telling("葛明堂")) == {"葛明堂", "明堂"}


@pytest.mark.parametrize(
    ("name", "text", "there"),
    [("葛明堂", "葛先生来了", True), ("葛明堂", "老葛来了", True), ("葛明堂", "瓜葛", False),
     ("Margaret Pell", "Mrs. Pell came", True), ("Margaret Pell", "Pellam came", False),
     ("汪小满", "满哥来了", True), ("汪小满", "他来了", False)],
)  # fmt: skip
def test_a_text_names_somebody_by_any_usual_form(name: str, text: str, there: bool) -> None:
    assert CAST.names_in(name, text) == there


# ---- sounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pair", ["晨辰", "满蛮", "堂唐", "汪王", "成城", "星新", "知姿", "曾增", "單山"]
)
def test_characters_that_sound_alike(pair: str) -> None:
    assert alike(*pair)


@pytest.mark.parametrize("pair", ["晨明", "满山", "昌晶", "汪江", "a啊", "𠀀一", "刘牛"])
def test_characters_that_do_not(pair: str) -> None:
    assert not alike(*pair)


# ---- fates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    ["已死", "已故", "死亡", "景和二年除夕身故", "景和三年春病故", "阵亡于北门", "死于廿三夜",
     "重伤，不治身亡", "第6章已死", "当场身亡", "牺牲",
     "病逝（廿三夜）", "dead", "Dead since chapter 6", "killed at the bridge", "Died of his chest", "deceased"],
)  # fmt: skip
def test_a_state_that_says_dead(state: str) -> None:
    assert says_dead(state)


@pytest.mark.parametrize(
    "state",
    ["死里逃生", "没有死", "装死", "以为他已死", "生死未卜", "心如死灰", "怕死", "死心塌地",
     "因师父之死悲痛", "目睹父亲身故", "三年前师父去世", "故作镇定", "故人来访", "几乎丧命", "盼着仇人死亡的消息传来",
     "Half dead with cold", "presumed dead", "not dead", "tired", "deadly calm",
     "Feigns being dead", "Grieving for the dead"],
)  # fmt: skip
def test_a_state_that_does_not(state: str) -> None:
    assert not says_dead(state)


def test_no_state_takes_long() -> None:
    for text in ("1" * 300, "于" * 100, "已" * 100, "is " * 100, "第一" * 50):
        assert not says_dead(text)


# ---- the chronicle -------------------------------------------------------------------------------


def lines_of(ledger: Ledger) -> list[bytes]:
    return ledger.look(ledger.lines)


def told(ledger: Ledger) -> list[tuple[int, int, str]]:
    steps = chronicle_of(lines_of(ledger)).every()
    return [(s.chapter, s.last, s.transaction.chapter_title) for s in steps]


def test_only_what_holds_is_told(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path)
    for title in ("甲", "乙"):
        commit(ledger, chapter(state_of(ledger), chapter_title=title), [])
    commit(ledger, chapter(state_of(ledger), 1, chapter_title="丙"), [])
    assert told(ledger) == [(1, 1, "甲"), (2, 2, "乙"), (1, 2, "丙")]
    undo(ledger, [])
    undo(ledger, [])
    assert told(ledger) == [(1, 1, "甲")]
    redo(ledger, [])
    assert told(ledger) == [(1, 1, "甲"), (2, 2, "乙")]
    undo(ledger, [])
    commit(ledger, chapter(state_of(ledger), chapter_title="丁"), [])
    assert told(ledger) == [(1, 1, "甲"), (2, 2, "丁")]


def test_chapters_before_a_new_baseline_stay_told(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path)
    for title in ("甲", "乙"):
        commit(ledger, chapter(state_of(ledger), chapter_title=title), [])
    path = tmp_path / "追踪" / "_tracking-state.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace("渡口旧账", "渡口新账"), encoding="utf-8"
    )
    adopt(ledger, [])
    commit(ledger, chapter(state_of(ledger), chapter_title="丙"), [])
    found = chronicle_of(lines_of(ledger))
    assert found.baseline is not None
    assert found.baseline.book_title == "渡口新账"
    assert [s.chapter for s in found.earlier] == [1, 2]
    assert [s.chapter for s in found.steps] == [3]


# ---- who acts ------------------------------------------------------------------------------------

ON_STAGE = [
    "门开了，汪小满走了进来。", "只见汪小满缓缓睁开眼睛。", "汪小满冷笑一声：“你也来了。”", "汪小满道：“上船。”",
    "汪小满一愣，随即笑了。", "汪小满正在补网。", "汪小满撑着船过来了。", "埠头上，汪小满蹲在石桩边，数着铜板。",
    "汪小满回来了。", "“上船。”汪小满拔起篙。", "“上船。”汪小满低声说。", "汪小满没有接话，把票推了回来。",
    "汪小满摆摆手：“记在账上。”", "忽然，汪小满从船舱里钻了出来。", "“谁？”“我。”汪小满说。",
    "汪小满看了他一眼，“走吧。”", "这时汪小满推门进来。", "小满嘿嘿一笑，“没死。”", "汪小满端起碗喝了一口。",
    "汪小满问：“钟呢？”", "汪小满把斗笠摘下来，挂在墙上。", "「上船。」汪小满說。",
    "Nell Harker came in.", "Nell sat by the stove.", "“Mind the hatch,” said Nell.", '"Mind," Nell said.',
    "Nell Harker was waiting at the door.", "Nell nodded.", "Then Nell put coal on the stove.",
    "“Well,” whispered Nell Harker, “look at that.”", "Nell: “Paper will keep.”",
]  # fmt: skip


@pytest.mark.parametrize("text", ON_STAGE)
def test_somebody_acts(text: str) -> None:
    assert [act.name for act in acts(Body(1, "", text), CAST)] in (["汪小满"], ["Nell Harker"])


OFF_STAGE = [
    "汪小满的船空着。", "有人提到汪小满。", "汪小满来过。", "汪小满说过这话。",
    "“汪小满站起来，说：走。”", "像汪小满那样站起来。", "# 汪小满站起来", "> 汪小满站起来",
    "```\n汪小满站起来。\n```", "汪小满，汪小满。", "汪小满和葛明堂的事。", "叫汪小满站起来。",
    "如果汪小满站起来，他就走。", "他想起汪小满站起来。汪小满站起来了。",
    "汪小满推开的门还开着。", "Nell had come in.", "Nell's coat hung there.",
    "They spoke of Nell.", "When Nell came in, he left.", "Once Nell laughed at that.",
    "If Nell came in now, he would go.", "Nell was dead.",
]  # fmt: skip


@pytest.mark.parametrize("text", OFF_STAGE)
def test_nobody_acts(text: str) -> None:
    assert list(acts(Body(1, "", text), CAST)) == []


def test_a_place_is_told_by_line_and_column_of_the_file() -> None:
    body = Body(
        3,
        "正文/第003章.md",
        "\ufeff---\r\ntitle: 渡\r\n---\r\n# 第3章\r\n\r\n“走。”\u3000汪小满说。\r\n",
    )
    (act,) = acts(body, CAST)
    place = body.place(act.at)
    assert (place.line, place.column, place.excerpt) == (6, 6, "“走。”\u3000汪小满说。")


def test_an_excerpt_is_short_and_steers_no_terminal() -> None:
    body = Body(1, "", f"{'这里是很长的一段话，' * 20}汪小满站起来。\x1b[31m{'后面也很长，' * 20}")
    (act,) = acts(body, CAST)
    excerpt = body.place(act.at).excerpt
    assert len(excerpt) <= 60
    assert "汪小满站起来" in excerpt
    assert "\x1b" not in excerpt
