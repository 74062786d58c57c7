"""What only looks like a mistake is no finding. Each case is planted in a copy of an example book."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_books import (
    BASELINE,
    EN,
    ZH,
    Plant,
    add,
    body_path,
    example,
    found,
    linted,
    replace,
    tell,
    write_body,
)

from clew.novel.ledger import Ledger
from clew.novel.timetravel import redo, undo
from clew.testing.novel import event, foreshadow, snapshot, state_of

REMEMBERED = [
    "佟桂生的渡船还泊在老地方。",
    "佟桂生的遗物都在这个包袱里，小满一件一件摊开。",
    "“佟桂生推门进来，把票往柜上一拍，就走了。”鲁成说。",
    "小满想起佟桂生站起来，两手搭在篙上的样子。",
    "他梦见佟桂生推门进来，说：“票呢？”",
    "那天夜里，佟桂生站在船头，对他说：“欠了就是欠了。”",
    "佟桂生生前常坐在这级石阶上，看人过河。",
    "佟桂生死了，船归了小满。",
    "佟桂生走过的路，小满都走过。",
    "佟桂生说过，夜里过河，敲三下船帮。",
    "佟桂生说得对。“知道了。”小满应了一声。",
    "如果佟桂生推门进来，小满也不会吃惊。",
    "仿佛佟桂生又站起来，拔了篙。",
    "照片里，佟桂生站在船头，笑着。",
    "佟桂生站在这里撑了二十年的船，如今没有了。",
    "佟桂生带着这个秘密死了。",
    "佟桂生再也不会站起来了。",
    "佟桂生、邬世昌，都不在了。",
    "埠头上立着佟桂生的牌位。",
    "小满把佟桂生的牌位扶正。",
    "东家站起来，走到门口。",
    "那封信是佟桂生留下的。佟桂生写道：“票在灯后头。”",
    "佟桂生笑起来也是这样，小满想。",
]
REMEMBERED_EN = [
    "She thought of Jory. Jory's red pencil lay where he had put it.",
    "Jory had said that paper would keep.",
    "“Jory came in and sat down by the stove,” said Rusk.",
    "Jory would have laughed at that.",
    "She remembered him. Jory Tench nodded, and put coal on the stove, one lump at a time.",
    "In the dream Jory came in and shook his cap.",
    "Jory said it best. “Paper keeps,” Nell told the gulls.",
    "If Jory walked in now, he would ask for the reading.",
    "Years ago, on this very stair, Jory Tench stood up to the chairman.",
    "In the churchyard stood Jory's stone.",
    "In the photograph stood Jory Tench, his hat on his knee.",
    "Poor Jory was past all that.",
]


@pytest.mark.parametrize("paragraph", REMEMBERED)
def test_whoever_is_remembered_is_not_on_stage(paragraph: str, tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "河上起了雾。", paragraph, "小满点了灯。")
    assert "retired-on-stage" not in linted(ledger, "retired-on-stage").counts.by_rule


@pytest.mark.parametrize("paragraph", REMEMBERED_EN)
def test_whoever_is_remembered_is_not_on_stage_in_english(paragraph: str, tmp_path: Path) -> None:
    ledger = example(EN, tmp_path)
    add(ledger, 5, paragraph)
    assert not found(ledger, "retired-on-stage")


def test_a_memory_goes_on_over_paragraphs(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    add(
        ledger, 12,
        "小满记起在船上的事。",
        "佟桂生站起来，两手搭在篙上。",
        "“欠了就是欠了。”佟桂生说，“票给你。”",
    )  # fmt: skip
    assert found(ledger, "retired-on-stage")
    replace(ledger, 12, "小满记起在船上的事。", "小满记起佟桂生在船上的事。")
    assert not found(ledger, "retired-on-stage")


TOLD_AT_LENGTH = [
    [
        "她想起七岁那年的事。",
        "佟桂生背着她过河。",
        "“再等等，”他说。",
        "另一个人应了一声。",
        "佟桂生摸了摸她的头。",
    ],
    [
        "那年冬天，佟桂生背着他下山。",
        "“别睡，”他说。",
        "雪很大。",
        "佟桂生把他往上托了托，笑了笑。",
    ],
    [
        "齐妈把门闩上，讲起那一年的事。",
        "佟桂生走进店里，把票放在柜上，说：“收着。”",
        "齐妈说到这里，眼圈红了。",
    ],
    [
        "十岁那年的事一下子涌上来。",
        "天还没亮。",
        "佟桂生站在院子里。",
        "“拿篙。”",
        "佟桂生抬头看了看天。",
    ],
]


@pytest.mark.parametrize("paragraphs", TOLD_AT_LENGTH)
def test_a_memory_told_at_length_may_lose_sight_of_somebody(
    paragraphs: list[str], tmp_path: Path
) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "河上起了雾。", *paragraphs)
    assert not found(ledger, "retired-on-stage")


def test_a_year_that_a_text_names_in_passing_opens_no_memory(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "这个声音他听过，七岁那年，在雪地里。", "佟桂生推门进来。")
    assert list(found(ledger, "retired-on-stage")) == ["retired-on-stage:佟桂生:14"]


def test_a_scene_that_dates_itself_before_somebodys_end_may_show_him(tmp_path: Path) -> None:
    """Also in a chapter that is not committed yet, whose transaction says nothing."""
    ledger = example(ZH, tmp_path)
    write_body(
        ledger,
        14,
        "民国十九年的雪，从腊月初一下到廿三。",
        "佟桂生站起来，拔了篙。",
        "“上船。”佟桂生说。",
    )
    assert not found(ledger, "retired-on-stage")
    add(ledger, 14, "* * *", "佟桂生站起来。", "“上船。”佟桂生说。")
    assert list(found(ledger, "retired-on-stage")) == ["retired-on-stage:佟桂生:14"]


def test_a_chapter_whose_story_time_is_before_somebodys_end_may_show_him(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "佟桂生站起来，拔了篙。", "“上船。”佟桂生说。")
    _times(ledger, "民国十九年腊月廿三")
    assert not found(ledger, "retired-on-stage")
    assert list(found(ledger, "story-time-gap")) == ["story-time-gap:14"]


def test_a_scene_of_another_year_is_not_now(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    add(ledger, 12, "* * *", "两年前，渡口落着雨。", "佟桂生站起来。", "“上船。”佟桂生说。")
    assert not found(ledger, "retired-on-stage")


def test_a_chapter_that_is_told_as_a_memory_may_show_the_dead(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "佟桂生站起来，拔了篙。", "“上船。”佟桂生说。")
    tell(ledger, chapter_title="渡口（回忆）")
    assert not found(ledger, "retired-on-stage")


def test_who_comes_back_with_a_snapshot_is_not_retired_any_more(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "葛明堂推门进来。", "“我回来了。”葛明堂说。")
    assert found(ledger, "retired-on-stage")
    tell(ledger, changes=["葛明堂"], snapshots={"葛明堂": snapshot()})
    assert not found(ledger, "retired-on-stage")


def test_who_retired_alive_may_pass_by_when_the_transaction_says_so(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "葛明堂推门进来。", "“我来看看。”葛明堂说。")
    tell(ledger, changes={"葛明堂": "从县里捎了信来"})
    assert not found(ledger, "retired-on-stage")


def test_an_undone_retirement_retires_nobody(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "葛明堂推门进来。", "“我来看看。”葛明堂说。")
    undo(ledger, [])
    assert not found(ledger, "retired-on-stage")
    redo(ledger, [])
    assert list(found(ledger, "retired-on-stage")) == ["retired-on-stage:葛明堂:14"]


# ---- names ---------------------------------------------------------------------------------------

ORDINARY = [
    "这里头有名堂，小满想。",
    "名堂多得很，他说。",
    "路程不远，小满走着去。",
    "王掌柜说：“郭先生没来。”",
    "老陈说：“小佟走了。”",
    "叫小满的人不少。",
    "“小满，小满！”有人喊。",
    "过了小满，河里涨水。",
    "他对小满满意得很。小满满脸通红。",
    "巧运不巧运，谁知道呢。",
    "桂花生了虫。",
]
ORDINARY_EN = [
    "“The French are no better,” said the chairman.",
    "Miss Parker, of the post office, came in.",
    "The Harkers were an old family.",
    "Crews came and went.",
    "Maiden Bar was quiet. Margarets are common in Saltmere.",
]


@pytest.mark.parametrize("paragraph", ORDINARY)
def test_ordinary_words_are_no_slips(paragraph: str, tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    add(ledger, 9, paragraph)
    assert not found(ledger, "name-near-miss", "unregistered-name")


@pytest.mark.parametrize("paragraph", ORDINARY_EN)
def test_ordinary_words_are_no_slips_in_english(paragraph: str, tmp_path: Path) -> None:
    ledger = example(EN, tmp_path)
    add(ledger, 5, paragraph)
    assert not found(ledger, "name-near-miss", "unregistered-name")


def test_another_of_the_cast_is_no_slip(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    tell(ledger, changes=["汪小蛮", "鲁城"])
    add(ledger, 9, "汪小蛮说：“走吧。”", "鲁城站起来。")
    assert not found(ledger, "name-near-miss")


def test_an_alias_is_no_slip(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    path = Path(ledger.root, "设定", "别名.toml")
    path.write_text(path.read_text(encoding="utf-8") + '"鲁成" = ["鲁城"]\n', encoding="utf-8")
    text = path.read_text(encoding="utf-8").replace('"鲁成" = ["鲁巡官"]\n', "")
    path.write_text(text, encoding="utf-8")
    add(ledger, 9, "鲁城站起来。")
    assert not found(ledger, "name-near-miss")


def test_brothers_share_all_but_one_character(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    add(ledger, 9, "小满的哥哥汪小山站起来。", "汪小山点了点头。汪小满看着汪小山。")
    assert not found(ledger, "name-near-miss")


def test_a_name_in_many_chapters_is_a_name_of_its_own(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    for number in range(3, 9):
        add(ledger, number, "鲁城站起来。", "“走。”鲁城说。")
    assert not found(ledger, "name-near-miss")
    assert list(found(ledger, "unregistered-name")) == ["unregistered-name:鲁城"]


def test_a_name_that_passes_by_need_not_be_registered(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    for number in (5, 6):
        add(ledger, number, "沈怀安推门进来。", "“走。”沈怀安说。沈怀安看着小满，沈怀安没有笑。")
    assert not found(ledger, "unregistered-name")


def test_a_place_is_nobody(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    for number in (4, 5, 6, 7):
        add(ledger, number, "江州的路远。江州来的船，江州口音，人在江州，江州，都说江州好。")
    assert not found(ledger, "unregistered-name")


def test_whoever_is_only_spoken_of_is_not_on_stage(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    add(
        ledger, 3,
        "葛明堂那只手，小满天天看见。葛明堂的钥匙，葛明堂的算盘。",
        "“葛明堂走进来，笑了一声，坐下了。”佟桂生说，“葛明堂站起来，又走了。”",
        "如果葛明堂推门进来，小满不知道该说什么。",
    )  # fmt: skip
    assert not found(ledger, "on-stage-not-in-transaction")


def test_whoever_an_event_names_is_in_the_transaction(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "罗巧云走进来，坐下。", "“走吧。”罗巧云说。", "罗巧云点了点头。")
    tell(ledger, timeline_events=[event("E030", 14, characters=["云姐"])])
    assert not found(ledger, "on-stage-not-in-transaction")


NAMED = [
    "小满在船上。",
    "“老罗的闺女来了。”",
    "巧云来了。",
    "云姐，坐。",
    "罗姑娘来了。",
    "阿云在摊子上。",
]


@pytest.mark.parametrize("text", NAMED)
def test_any_usual_way_to_call_somebody_is_enough(text: str, tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    name = "汪小满" if "小满" in text else "罗巧云"
    write_body(ledger, 14, text)
    tell(ledger, changes=[name])
    assert not found(ledger, "in-transaction-not-on-stage")


def test_a_narrator_needs_no_name(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(
        ledger, 14, *["我撑着船，我数着桩子，我想着那张票，我没有回头，我一直没有说话。"] * 3
    )
    tell(ledger, changes=["汪小满"])
    assert not found(ledger, "in-transaction-not-on-stage")


def test_a_passing_figure_may_be_described_in_other_words(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    write_body(ledger, 14, "两个穿灰布长衫的站在柜外。")
    tell(ledger, changes=["长衫客二人组"])
    assert not found(ledger, "in-transaction-not-on-stage")


# ---- the ledger ----------------------------------------------------------------------------------


def lawful(plant: Plant) -> Plant:
    """Registers what an author may do without a finding."""
    LAWFUL.append(plant)
    return plant


LAWFUL: list[Plant] = []


@lawful
def a_foreshadow_is_due_next(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F020", 14, 15)])


@lawful
def a_foreshadow_is_given_up(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F020", 14, 14, status="放弃")])


@lawful
def a_foreshadow_that_was_given_up_is_taken_up_again(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F009", 5, None)])


@lawful
def a_foreshadow_moves_on(ledger: Ledger) -> None:
    tell(
        ledger,
        foreshadow_changes=[foreshadow("F011", 10, None, importance="高", summary="有人报了信")],
    )


@lawful
def a_resolved_foreshadow_is_deleted_and_its_id_used_again(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[{"action": "delete", "id": "F003"}])
    tell(ledger, foreshadow_changes=[foreshadow("F003", 15, None)])


@lawful
def a_slip_of_the_last_transaction_is_corrected(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F020", 13, None, status="已回收")],
         timeline_events=[event("E030", 14, characters=["汪小满"])])  # fmt: skip
    tell(ledger, 14, foreshadow_changes=[foreshadow("F020", 14, None)],
         timeline_events=[event("E030", None, characters=["汪小满"])])  # fmt: skip


@lawful
def what_was_reopened_is_resolved_again(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F003", 2, None)])
    tell(ledger, foreshadow_changes=[foreshadow("F003", 2, None, status="已回收")])


@lawful
def what_was_planted_elsewhere_is_put_back(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F011", 14, None)])
    tell(ledger, foreshadow_changes=[foreshadow("F011", 10, None)])


@lawful
def an_event_is_revealed_step_by_step(ledger: Ledger) -> None:
    tell(ledger, timeline_events=[event("E003", 14, reveal_status="部分揭示", characters=["齐妈"])])
    tell(ledger, timeline_events=[event("E003", 15, characters=["齐妈"])])


@lawful
def an_event_that_was_taken_back_is_told_again(ledger: Ledger) -> None:
    tell(ledger, timeline_events=[event("E005", None, characters=["佟桂生"])])
    tell(ledger, timeline_events=[event("E005", 9, characters=["佟桂生"])])


@lawful
def events_name_people_in_other_ways(ledger: Ledger) -> None:
    who = ["小满", "罗巧云（卖豆腐的）", "镇上众人", "两个警士", "佘师傅", "看热闹的人"]
    tell(ledger, timeline_events=[event("E030", 14, characters=who)])


@lawful
def somebody_is_registered_later_than_his_event(ledger: Ledger) -> None:
    tell(ledger, timeline_events=[event("E030", 14, characters=["沈怀安"])])
    tell(ledger, changes=["沈怀安"])


@lawful
def who_was_there_knows(ledger: Ledger) -> None:
    _learn(ledger, "邬世昌", "齐妈告诉了邬世昌，罗敬亭从后门绕回")


@lawful
def who_was_told_knows(ledger: Ledger) -> None:
    _learn(ledger, "鲁成", "那晚是齐妈告诉了邬世昌", "听齐妈说了她告诉邬世昌的事")


@lawful
def who_took_part_in_the_telling_knows(ledger: Ledger) -> None:
    fact = "齐妈向鲁成认了：那晚是齐妈告诉了邬世昌"
    tell(
        ledger,
        timeline_events=[event("E030", None, objective_fact=fact, characters=["齐妈", "鲁成"])],
    )
    _learn(ledger, "鲁成", "那晚是齐妈告诉了邬世昌")


@lawful
def what_is_revealed_anybody_may_know(ledger: Ledger) -> None:
    _learn(ledger, "鲁成", "佟桂生收六元，从后河运走四十包棉衣")


@lawful
def a_few_words_in_common_are_no_knowledge(ledger: Ledger) -> None:
    _learn(ledger, "鲁成", "齐妈与邬世昌常说话；罗敬亭从后门进出")


def _learn(ledger: Ledger, name: str, item: str, change: str = "整理了卷宗") -> None:
    tell(ledger, changes={name: change}, snapshots={name: snapshot(knowledge=[item])})


@lawful
def a_title_with_a_part_is_another_title(ledger: Ledger) -> None:
    tell(ledger, chapter_title="手印（下）")
    tell(ledger, chapter_title="番外")
    tell(ledger, chapter_title="番外")


@lawful
def a_revised_title_is_the_same_chapter(ledger: Ledger) -> None:
    tell(ledger, 13, chapter_title="满期")


@lawful
def days_and_years_go_on(ledger: Ledger) -> None:
    _times(ledger, "民国二十二年腊月廿九", "民国二十三年正月初一", "第二天", "三月初三", "入城第一天", "入城第二天",
           "第五天", "当晚", "第六天清晨", "第六天夜")  # fmt: skip


@lawful
def without_a_year_the_new_year_is_no_step_back(ledger: Ledger) -> None:
    _times(ledger, "腊月廿九", "正月初一", "2月3日", "May 3", "December 30", "January 2")


@lawful
def the_year_is_said_once(ledger: Ledger) -> None:
    _times(
        ledger,
        "景和十九年九月初三",
        "九月初四",
        "九月初五夜",
        "景和十九年腊月三十",
        "正月初二",
        "景和二十年二月",
    )


@lawful
def a_step_back_that_says_so_is_meant(ledger: Ledger) -> None:
    _times(
        ledger,
        "民国二十二年九月初五",
        "回忆：民国十九年九月初三",
        "民国二十二年九月初六",
        "倒叙·民国二十年八月廿六",
    )


@lawful
def somebody_moves_within_a_night(ledger: Ledger) -> None:
    time = "民国二十二年九月初四夜"
    _stand(ledger, "青石渡埠头", time, "渡口", "心里不安")
    _stand(ledger, "省城旅馆", time, "旅馆", "连夜赶到省城")


@lawful
def rooms_of_one_house_are_one_place(ledger: Ledger) -> None:
    time = "民国二十二年九月初四夜"
    _stand(ledger, "裕和当柜上", time, "灯下", "心里不安")
    _stand(ledger, "裕和当后院", time, "月下", "心里不安")


@lawful
def a_day_is_long_enough_to_travel(ledger: Ledger) -> None:
    _stand(ledger, "青石渡埠头", "民国二十二年九月初四", "渡口", "心里不安")
    _stand(ledger, "省城旅馆", "民国二十二年九月初四", "旅馆", "心里不安")


def _times(ledger: Ledger, *times: str) -> None:
    for time in times:
        tell(ledger, position=_position(time, "埠头"))


def _stand(ledger: Ledger, location: str, time: str, scene: str, change: str) -> None:
    tell(
        ledger, changes={"汪小满": change}, snapshots={"汪小满": snapshot(location=location)},
        position=_position(time, scene), result="一夜无话",
    )  # fmt: skip


def _position(time: str, scene: str) -> dict[str, object]:
    return {
        "volume": "第二卷·赎当", "volume_start_chapter": 7, "story_time": time, "scene": scene,
    }  # fmt: skip


@lawful
def an_active_character_is_named_in_bodies(ledger: Ledger) -> None:
    active = ["汪小满", "罗巧云"]
    tell(ledger, active_character_names=active)
    for _ in range(20):
        tell(ledger)
    write_body(ledger, 30, "小满撑着船，云姐在埠头上等。")


@lawful
def an_active_character_is_in_an_event(ledger: Ledger) -> None:
    tell(ledger, active_character_names=["罗巧云"])
    for _ in range(19):
        tell(ledger)
    tell(ledger, timeline_events=[event("E030", 34, characters=["云姐"])])


@lawful
def a_foreshadow_of_middling_importance_is_silent(ledger: Ledger) -> None:
    tell(ledger, active_character_names=[],
         foreshadow_changes=[foreshadow("F011", 10, None, importance="中")])  # fmt: skip
    for _ in range(31):
        tell(ledger)


def test_two_times_told_in_turns_step_back_but_once(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    _times(
        ledger, "2020-05-01", "1990-01-01", "2020-05-02", "1990-01-03", "2020-06-01", "1990-02-01"
    )
    assert list(found(ledger, "story-time-gap")) == ["story-time-gap:15"]


@pytest.mark.parametrize("plant", [pytest.param(p, id=p.__name__) for p in LAWFUL])
def test_what_is_lawful_is_no_finding(plant: Plant, tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    plant(ledger)
    assert set(found(ledger)) == BASELINE[ZH]


def test_other_line_ends_make_no_newer_body(tmp_path: Path) -> None:
    ledger = example(ZH, tmp_path)
    path = body_path(ledger, 4)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert not found(ledger, "body-newer")


def test_imported_chapters_are_passed_over(tmp_path: Path) -> None:
    """They have no transaction that could know whom they show."""
    from clew.testing.novel import begin_book, init_document

    cast = {"江晨": snapshot(), "周薄森": snapshot(state="已死")}
    ledger = begin_book(tmp_path / "旧稿", init_document(3, character_snapshots=cast))
    for number in (1, 2, 3):
        write_body(
            ledger,
            number,
            "江辰推门进来。",
            "周薄森站起来。“坐。”周薄森说。",
            *["“走。”沈怀安说。"] * 4,
        )
    assert not found(ledger)
    assert state_of(ledger).imported_through_chapter == 3
