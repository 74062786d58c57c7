"""Every rule finds the mistake that is planted in a copy of an example book, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_books import (
    BASELINE,
    EN,
    ZH,
    Plant,
    add,
    example,
    found,
    replace,
    retell,
    tell,
    write_body,
)

from clew.novel.ledger import Ledger
from clew.novel.lint.rules import RULES
from clew.testing.novel import Document, event, foreshadow, snapshot, state_of

PLANTED: dict[str, list[tuple[str, Plant, set[str]]]] = {rule.id: [] for rule in RULES}


def planted(rule: str, book: str, *subjects: str) -> object:
    """Registers a planted mistake and the findings that it must lead to."""

    def register(plant: Plant) -> Plant:
        PLANTED[rule].append((book, plant, {f"{rule}:{subject}" for subject in subjects}))
        return plant

    return register


# ---- in the prose --------------------------------------------------------------------------------


@planted("retired-on-stage", ZH, "佟桂生:9")
def retired_speaks(ledger: Ledger) -> None:
    add(ledger, 9, "佟桂生推门进来，把斗笠挂在墙上，笑着说：“我来讨口水喝。”")


@planted("retired-on-stage", ZH, "佟桂生:11")
def retired_speaks_by_his_alias(ledger: Ledger) -> None:
    add(ledger, 11, "“那把锁是旧的。”佟瘸子说，“我见过。”")


@planted("retired-on-stage", ZH, "佟桂生:12")
def retired_moves(ledger: Ledger) -> None:
    replace(ledger, 12, "警士过来，他自己", "佟桂生点了点头，从人堆里走出来。警士过来，他自己")


@planted("retired-on-stage", ZH, "佟桂生:11")
def retired_with_what_he_is_before_his_name(ledger: Ledger) -> None:
    add(ledger, 11, "“不忙，”老船夫佟桂生从门后走了出来。")


@planted("retired-on-stage", ZH, "佟桂生:11")
def retired_with_how_he_looks_before_his_name(ledger: Ledger) -> None:
    add(ledger, 11, "门一响，浑身湿透的佟桂生走下楼来，把灯放在柜上。")


@planted("retired-on-stage", ZH, "佟桂生:12")
def retired_moves_once_a_memory_is_over(ledger: Ledger) -> None:
    add(ledger, 12, "小满想起从前那年冬天的事。", "佟桂生站在船头，拔了篙。", "他睁开眼，天亮了。",
        "佟桂生推门进来，把票放下。")  # fmt: skip


@planted("retired-on-stage", ZH, "罗敬亭:4")
def dead_from_the_beginning(ledger: Ledger) -> None:
    add(ledger, 4, "罗敬亭站在巷口，朝他招了招手。")


@planted("retired-on-stage", ZH, "葛明堂:14")
def retired_in_a_chapter_that_is_not_committed(ledger: Ledger) -> None:
    write_body(ledger, 14, "葛明堂走进号房，把灯放下。", "“睡吧。”葛明堂说。")


@planted("retired-on-stage", EN, "Jory Tench:5")
def retired_in_english(ledger: Ledger) -> None:
    add(ledger, 5, "“Paper will keep,” said Jory Tench, and put his hand on her sleeve.")


@planted("retired-on-stage", EN, "Jory Tench:4")
def retired_moves_in_english(ledger: Ledger) -> None:
    add(ledger, 4, "Jory came in and shook the rain from his cap.")


@planted("retired-on-stage", EN, "Jory Tench:4")
def retired_with_a_word_before_his_name_in_english(ledger: Ledger) -> None:
    add(ledger, 4, "Old Jory Tench nodded and put the pencil behind his ear.")


@planted("retired-on-stage", EN, "Jory Tench:5")
def retired_stands_there_in_english(ledger: Ledger) -> None:
    add(ledger, 5, "At the window stood Jory Tench, squinting into the rain.")


@planted("name-near-miss", ZH, "汪小蛮:3")
def sounds_alike(ledger: Ledger) -> None:
    replace(ledger, 3, "小满把票凑到眼前", "汪小蛮把票凑到眼前")


@planted("name-near-miss", ZH, "葛明唐:7")
def sounds_alike_in_speech(ledger: Ledger) -> None:
    replace(ledger, 7, "葛明堂来了", "葛明唐来了")


@planted("name-near-miss", ZH, "鲁城:9")
def two_characters_sound_alike(ledger: Ledger) -> None:
    replace(ledger, 9, "鲁成把绳子提起来", "鲁城把绳子提起来")


@planted("name-near-miss", ZH, "王小满:8")
def surname_sounds_alike(ledger: Ledger) -> None:
    replace(ledger, 8, "小满洗了手才去拆", "王小满洗了手才去拆")


@planted("name-near-miss", ZH, "小曼:10")
def given_name_sounds_alike(ledger: Ledger) -> None:
    replace(ledger, 10, "小满松了一口气", "小曼松了一口气")


@planted("name-near-miss", ZH, "邬世吕:5")
def looks_alike(ledger: Ledger) -> None:
    replace(ledger, 5, "邬世昌揭开印泥盒", "邬世吕站起来，揭开印泥盒")


@planted("name-near-miss", ZH, "罗云巧:4")
def swapped(ledger: Ledger) -> None:
    replace(ledger, 4, "罗巧云手里的刀停住了", "罗云巧的刀停住了")


@planted("name-near-miss", ZH, "佟桂树生:3")
def one_too_many(ledger: Ledger) -> None:
    replace(ledger, 3, "佟桂生站起来", "佟桂树生站起来")


@planted("name-near-miss", ZH, "佟桂桂生:3")
def one_twice(ledger: Ledger) -> None:
    replace(ledger, 3, "佟桂生站起来", "佟桂桂生站起来")


@planted("name-near-miss", ZH, "小曼:9")
def another_given_name_for_a_whole_chapter(ledger: Ledger) -> None:
    replace(ledger, 9, "小满", "小曼", 9)


@planted("name-near-miss", ZH, "江辰:14")
def another_name_for_a_whole_chapter(ledger: Ledger) -> None:
    tell(ledger, changes=["江晨"], snapshots={"江晨": snapshot()})
    paragraphs = ["江辰走进门。", "“坐。”江辰说。", "江辰把茶放下，没有说话。"] * 5
    write_body(ledger, 14, "江晨来了。", *paragraphs)


@planted("name-near-miss", EN, "Margeret:5")
def one_letter(ledger: Ledger) -> None:
    replace(ledger, 5, "Margaret Pell", "Margeret Pell")


@planted("name-near-miss", EN, "Crew:5")
def one_letter_too_few(ledger: Ledger) -> None:
    replace(ledger, 5, "Silas Crewe", "Silas Crew")


@planted("name-near-miss", EN, "Harekr:2")
def letters_swapped(ledger: Ledger) -> None:
    add(ledger, 2, "“Good night, Miss Harekr,” he said.")


@planted("unregistered-name", ZH, "沈怀安")
def appears_again_and_again(ledger: Ledger) -> None:
    for number in (5, 8, 10):
        add(
            ledger,
            number,
            "沈怀安推门进来，放下两包云片糕。",
            f"“县里的路断了。”沈怀安说，“要绕{number}里。”小满看着沈怀安的鞋。",
        )


@planted("unregistered-name", EN, "Hetty Vane")
def appears_again_and_again_in_english(ledger: Ledger) -> None:
    for number in (2, 3, 5):
        add(
            ledger,
            number,
            "Hetty Vane looked up from her basket.",
            "“You are late,” said Hetty Vane. There was nobody in Saltmere like Hetty Vane.",
        )


@planted("on-stage-not-in-transaction", ZH, "罗巧云:7")
def left_out(ledger: Ledger) -> None:
    _without(ledger, 7, "罗巧云")


@planted("on-stage-not-in-transaction", ZH, "鲁成:12")
def left_out_under_his_title(ledger: Ledger) -> None:
    _without(ledger, 12, "鲁成")


@planted("on-stage-not-in-transaction", EN, "Abel Rusk:4")
def left_out_in_english(ledger: Ledger) -> None:
    _without(ledger, 4, "Abel Rusk")


def _without(ledger: Ledger, number: int, name: str) -> None:
    """Tell the book again with somebody left out of one chapter's transaction."""

    def leave_out(document: Document) -> None:
        if document["chapter"] != number:
            return
        delta = document["delta"]
        delta["character_changes"] = [r for r in delta["character_changes"] if r["name"] != name]
        document["character_snapshots"].pop(name, None)
        for row in delta["timeline_events"]:
            row["characters"] = [who for who in row["characters"] if who != name]

    retell(ledger, leave_out)


@planted("in-transaction-not-on-stage", ZH, "鲁成:14")
def changed_but_nowhere(ledger: Ledger) -> None:
    write_body(ledger, 14, "小满撑着船，一个人在河上。", "“过河！”对岸有人喊。")
    tell(ledger, changes=["汪小满", "鲁成"])


@planted("in-transaction-not-on-stage", EN, "Margaret Pell:6")
def changed_but_nowhere_in_english(ledger: Ledger) -> None:
    write_body(ledger, 6, "Nell wound the clock and wrote the reading down.")
    tell(ledger, changes=["Nell Harker", "Margaret Pell"])


# ---- in the ledger -------------------------------------------------------------------------------


@planted("overdue-foreshadow", ZH, "F020")
def overdue(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F020", 14, 15)])
    tell(ledger)


@planted("foreshadow-reopened", ZH, "F003:14")
def reopened(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F003", 2, None)])


@planted("foreshadow-reopened", EN, "F001:6")
def reopened_in_english(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F001", 1, None, summary="The white leaf")])


@planted("foreshadow-replanted", ZH, "F011:14")
def replanted(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F011", 14, None, importance="高")])


@planted("foreshadow-silent", ZH, "F020:14", "F011:10")
def silent(ledger: Ledger) -> None:
    tell(ledger, foreshadow_changes=[foreshadow("F020", 14, 99, importance="高")])
    for _ in range(30):
        tell(ledger, active_character_names=[])


@planted("event-unrevealed", ZH, "E005:14")
def unrevealed(ledger: Ledger) -> None:
    tell(ledger, timeline_events=[event("E005", None, characters=["佟桂生", "邬世昌"])])


@planted("event-unrevealed", ZH, "E010:13")
def unrevealed_in_part(ledger: Ledger) -> None:
    partly = event("E010", 12, reveal_status="部分揭示", characters=["邬世昌"])
    tell(ledger, 13, timeline_events=[partly])


@planted("event-unrevealed", EN, "E004:6")
def unrevealed_in_english(ledger: Ledger) -> None:
    tell(ledger, timeline_events=[event("E004", None, characters=["Jory Tench"])])


@planted("event-unknown-character", ZH, "汪小蛮")
def unknown_in_an_event(ledger: Ledger) -> None:
    tell(ledger, timeline_events=[event("E030", 14, characters=["汪小蛮", "罗巧云"])])


@planted("event-unknown-character", EN, "Edmund Pell")
def unknown_in_an_event_in_english(ledger: Ledger) -> None:
    tell(ledger, timeline_events=[event("E030", None, characters=["Edmund Pell"])])


@planted("knowledge-unexplained", ZH, "鲁成:E003")
def knows_too_much(ledger: Ledger) -> None:
    knowing = snapshot(knowledge=["那晚是齐妈告诉了邬世昌"])
    tell(ledger, changes={"鲁成": "押解去了县城"}, snapshots={"鲁成": knowing})


@planted("knowledge-unexplained", ZH, "鲁成:E030")
def knows_a_short_fact_as_a_whole(ledger: Ledger) -> None:
    fact = event("E030", None, objective_fact="齐妈哭了", characters=["齐妈"])
    knowing = snapshot(knowledge=["齐妈哭了"])
    tell(ledger, timeline_events=[fact])
    tell(ledger, changes={"鲁成": "押解去了县城"}, snapshots={"鲁成": knowing})


@planted("knowledge-unexplained", EN, "Abel Rusk:E003")
def knows_too_much_in_english(ledger: Ledger) -> None:
    knowing = snapshot(knowledge=["The error was made by Edmund Pell"])
    tell(ledger, changes={"Abel Rusk": "Keeps quiet"}, snapshots={"Abel Rusk": knowing})


@planted("two-places", ZH, "汪小满:14:15")
def in_two_places(ledger: Ledger) -> None:
    _stand(ledger, "汪小满", "青石渡埠头", "民国二十二年九月初四夜", "船上")
    _stand(ledger, "汪小满", "省城旅馆", "民国二十二年九月初四夜", "省城旅馆的房间里")


@planted("two-places", ZH, "罗巧云:E030:E031")
def in_two_places_by_events(ledger: Ledger) -> None:
    time = "民国二十二年九月初四夜"
    people = ["罗巧云"]
    tell(
        ledger,
        timeline_events=[
            event(
                "E030",
                14,
                story_time=time,
                characters=people,
                objective_fact="罗巧云在豆腐巷磨豆子",
            ),
            event(
                "E031",
                14,
                story_time=time,
                characters=people,
                objective_fact="罗巧云在县城客店住下",
            ),
        ],
    )


@planted("two-places", EN, "Nell Harker:6:7")
def in_two_places_in_english(ledger: Ledger) -> None:
    _stand(
        ledger,
        "Nell Harker",
        "Gauge house, north mole",
        "Saturday 19 February 1927, 9 p.m.",
        "The gauge",
    )
    _stand(ledger, "Nell Harker", "Chapel Row", "Saturday 19 February 1927, 9 p.m.", "A kitchen")


def _stand(ledger: Ledger, name: str, location: str, story_time: str, scene: str) -> None:
    state = state_of(ledger)
    position = {
        "volume": state.context.position.volume, "story_time": story_time, "scene": scene,
        "volume_start_chapter": state.context.position.volume_start_chapter,
    }  # fmt: skip
    tell(
        ledger, changes={name: "心神不定"}, snapshots={name: snapshot(location=location)},
        position=position, result="一夜无话",
    )  # fmt: skip


@planted("story-time-gap", ZH, "14")
def goes_back(ledger: Ledger) -> None:
    _at(ledger, "民国二十二年八月廿五")


@planted("story-time-gap", ZH, "16")
def counts_back(ledger: Ledger) -> None:
    _at(ledger, "进城第三天")
    _at(ledger, "进城第四天夜")
    _at(ledger, "进城第二天")


@planted("story-time-gap", ZH, "15")
def goes_back_in_years_that_the_author_made_up(ledger: Ledger) -> None:
    _at(ledger, "景和十九年九月初三")
    _at(ledger, "景和十八年九月初四夜")


@planted("story-time-gap", ZH, "15")
def goes_back_without_saying_the_year_again(ledger: Ledger) -> None:
    _at(ledger, "景和十九年九月初三")
    _at(ledger, "八月初一")


@planted("story-time-gap", EN, "6")
def goes_back_in_english(ledger: Ledger) -> None:
    _at(ledger, "Wednesday 9 February 1927")


def _at(ledger: Ledger, story_time: str) -> None:
    position = {
        "volume": "第二卷·赎当", "volume_start_chapter": 1, "story_time": story_time, "scene": "埠头",
    }  # fmt: skip
    tell(ledger, position=position)


@planted("character-absent", ZH, "汪小满:13", "罗巧云:13", "齐妈:13")
def absent(ledger: Ledger) -> None:
    for _ in range(20):
        tell(ledger)


@planted("title-twice", ZH, "5:14")
def title_again(ledger: Ledger) -> None:
    tell(ledger, chapter_title="手印")


@planted("title-twice", EN, "1:6")
def title_again_in_english(ledger: Ledger) -> None:
    tell(ledger, chapter_title="Chapter 6: White Paper")


@planted("body-newer", ZH, "4:")
def body_changed(ledger: Ledger) -> None:
    replace(ledger, 4, "荷叶", "油纸")


# ---- the tests -----------------------------------------------------------------------------------


@pytest.mark.parametrize("book", [ZH, EN])
def test_the_examples_have_no_finding_but_the_overdue_foreshadow(book: str, tmp_path: Path) -> None:
    assert set(found(example(book, tmp_path))) == BASELINE[book]


@pytest.mark.parametrize(
    ("rule", "book", "plant", "keys"),
    [
        pytest.param(rule, book, plant, keys, id=f"{rule}-{plant.__name__}")
        for rule, plants in PLANTED.items()
        for book, plant, keys in plants
    ],
)
def test_the_planted_mistake_is_found_and_nothing_else(
    rule: str, book: str, plant: Plant, keys: set[str], tmp_path: Path
) -> None:
    ledger = example(book, tmp_path)
    plant(ledger)
    if rule == "body-newer":
        assert [key.startswith(tuple(keys)) for key in found(ledger, rule)] == [True]
        return
    new = set(found(ledger)) - BASELINE[book]
    assert new == keys


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_every_rule_has_a_planted_mistake(rule: str) -> None:
    assert PLANTED[rule]
