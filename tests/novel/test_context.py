"""The card: what goes in first, that a budget holds, that nothing is cut, and how it reads."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.kernel.errors import Refused
from clew.kernel.faults import Fault
from clew.novel.check import stats
from clew.novel.commit import commit
from clew.novel.context import BUDGET, ENOUGH, Card, card, estimate
from clew.novel.context_rank import Desk, Item, OutlineSeen, Rewrite, sections
from clew.novel.departures import Gone, Paused
from clew.novel.history import Publication, Silence
from clew.novel.ledger import HISTORY, Ledger
from clew.novel.marks import put
from clew.novel.model import (
    Context,
    Event,
    Foreshadow,
    Position,
    Recent,
    Snapshot,
    State,
)
from clew.novel.start import adopt, init
from clew.novel.timetravel import undo
from clew.novel.writing import context
from clew.testing.novel import (
    begin_book,
    chapter,
    event,
    foreshadow,
    histories,
    init_document,
    snapshot,
    state_of,
    tree,
)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PLACE = Position(scene="三号码头", story_time="立秋夜", volume="第一卷", volume_start_chapter=1)


def planted(ident: str, due: int | None = None, weight: str = "中", **how: Any) -> Foreshadow:
    return Foreshadow(
        id=ident, importance=weight, planned_resolution_chapter=due,
        planted_chapter=how.pop("planted", 1), status=how.pop("status", "已埋"),
        summary=how.pop("summary", f"{ident}的旧账"), updated_chapter=how.pop("updated", 1),
    )  # fmt: skip


def hidden(ident: str, *people: str, status: str = "未揭示", **how: Any) -> Event:
    return Event(
        first_recorded_chapter=1, id=ident, objective_fact=f"{ident}真相", reader_knowledge="只见空椅",
        reveal_chapter=None if status == "未揭示" else 1, reveal_status=status, story_time="立秋",
        updated_chapter=how.pop("updated", 1), characters=list(people),
    )  # fmt: skip


def person(**lists: list[str]) -> Snapshot:
    return Snapshot(goal="查账", identity="伙计", location="码头", state="警觉", **lists)


def a_state(last: int = 9, **fields: Any) -> State:
    context = {key: fields.pop(key) for key in list(fields) if key in Context.__struct_fields__}
    rows = {key: {row.id: row for row in fields.pop(key, ())} for key in ("foreshadow", "timeline")}
    return State(
        book_title="渡口旧账", context=Context(position=PLACE, **context), imported_through_chapter=0,
        last_committed_chapter=last, schema_version=4, state_revision=last, **rows, **fields,
    )  # fmt: skip


def desk_of(state: State, **how: Any) -> Desk:
    return Desk(state.book_title, state.last_committed_chapter + 1, state, **how)


def keys(made: Card, section: str) -> list[str]:
    part = next((part for part in made.sections if part.key == section), None)
    return [item.key for item in part.items] if part else []


def everything(made: Card) -> set[tuple[str, str]]:
    return {(part.key, item.key) for part in made.sections for item in [*part.items, *part.details]}


def least(desk: Desk, unit: str, lang: str = "zh") -> int:
    """The least budget, as the refusal names it."""
    with pytest.raises(Refused) as refused:
        card(desk, lang, **{unit: 0})
    assert [fault.code for fault in refused.value.faults] == ["budget_too_small"]
    return int(refused.value.faults[0].facts["limit"])


# ---- what is needed first ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "order"),
    [
        # What is due or overdue comes before what weighs more.
        ([planted("F001", None, "高"), planted("F002", 10, "低")], ["F002", "F001"]),
        # Overdue and due alike go by what they weigh, then by the date.
        ([planted("F001", 10, "高"), planted("F002", 3, "低")], ["F001", "F002"]),
        ([planted("F001", 10), planted("F002", 3)], ["F002", "F001"]),
        # Due within five chapters comes before later dates, whatever they weigh.
        ([planted("F001", 16, "高"), planted("F002", 15, "低")], ["F002", "F001"]),
        ([planted("F001", 14), planted("F002", 12)], ["F002", "F001"]),
        # Without a date near: importance, then the longest silence, then the number.
        ([planted("F001", None, "低"), planted("F002", 99, "中")], ["F002", "F001"]),
        ([planted("F001", None, updated=8), planted("F002", None, updated=2)], ["F002", "F001"]),
        ([planted("F1000"), planted("F101")], ["F101", "F1000"]),
        # What is settled is not the next chapter's business.
        ([planted("F001", 5, status="已回收"), planted("F002", status="放弃")], []),
        ([planted("F001", 5, status="已过期")], []),
    ],
)  # fmt: skip
def test_foreshadows_go_by_date_importance_and_silence(
    rows: list[Foreshadow], order: list[str]
) -> None:
    assert keys(card(desk_of(a_state(9, foreshadow=rows)), "zh"), "foreshadows") == order


def test_what_the_outline_names_comes_first() -> None:
    state = a_state(
        9,
        foreshadow=[planted("F001", 2, "高"), planted("F002", None, "低")],
        timeline=[hidden("E001", "江晨"), hidden("E002")],
        characters={"江晨": person(), "船主": person(), "账房": person()},
        active_character_names=["江晨"],
    )
    desk = desk_of(state, named={"账房": 1}, ids=["F002", "E002"])
    made = card(desk, "zh")
    assert keys(made, "foreshadows") == ["F002", "F001"]
    assert keys(made, "hidden") == ["E002", "E001"]
    assert keys(made, "characters") == ["账房", "江晨", "船主"]
    assert [i.why for p in made.sections for i in p.items] == [
        "named", "overdue", "named", "active", "", "named", "",
    ]  # fmt: skip
    assert "- F002【细纲点名】｜" in made.text
    assert "- 账房【细纲点名】｜" in made.text
    assert "- 船主（不在活跃名单）｜" in made.text


def test_secrets_about_the_people_on_stage_come_first_and_wholly_hidden_ones_before_others() -> (
    None
):
    rows = [
        hidden("E001", updated=9),
        hidden("E002", "江晨", status="部分揭示", updated=9),
        hidden("E003", "江晨"),
        hidden("E004", "江晨", "船主"),
        hidden("E005", "江晨", status="已揭示"),
    ]
    state = a_state(
        timeline=rows,
        characters={"江晨": person(), "船主": person()},
        active_character_names=["江晨", "船主"],
    )
    assert keys(card(desk_of(state), "zh"), "hidden") == ["E004", "E003", "E002", "E001"]


def test_a_small_budget_keeps_promises_and_what_is_due_before_anything_else() -> None:
    state = a_state(
        foreshadow=[planted(f"F{n:03d}", None if n > 2 else n, "高") for n in range(1, 9)],
        characters={f"船客{n}": person(knowledge=["知道旧账"] * 5) for n in range(4)},
        active_character_names=["船客0"],
        next_chapter_commitments=["账房上船"],
        long_term_constraints=["夜里不许点明火"],
        recent_chapters=[Recent(8, "第八章"), Recent(9, "第九章")],
    )
    desk = desk_of(state, ending="船开了。")
    steps = [card(desk, "zh", budget=size) for size in range(least(desk, "budget"), 4000, 40)]
    seen: dict[tuple[str, str], int] = {}
    for number, made in enumerate(steps):
        for item in everything(made):
            seen.setdefault(item, number)
    first = [
        ("commitments", "1"), ("recent_chapters", "9"), ("foreshadows", "F001"),
        ("foreshadows", "F002"), ("characters", "船客0"), ("constraints", "1"),
        ("recent_chapters", "8"), ("foreshadows", "F003"), ("ending", "9"), ("characters", "船客1"),
    ]  # fmt: skip
    assert sorted(first, key=lambda item: seen[item]) == first


def test_no_two_items_are_needed_alike() -> None:
    state = a_state(
        foreshadow=[planted(f"F{n:03d}", n) for n in range(1, 30)],
        timeline=[hidden(f"E{n:03d}") for n in range(1, 30)],
        characters={f"船客{n}": person(knowledge=["一", "二"], open_threads=["三"]) for n in range(9)},
        active_character_names=[f"船客{n}" for n in range(5)],
        long_term_constraints=["甲", "乙"], continuity_risks=["丙"], next_chapter_commitments=["丁"],
        recent_chapters=[Recent(n, "事") for n in (7, 8, 9)],
    )  # fmt: skip
    desk = desk_of(
        state,
        ending="船开了。",
        outlines=[OutlineSeen("大纲/a.md", "", ""), OutlineSeen("大纲/b.md", "", "")],
    )
    needs = [item.need for item in _items(desk)]
    assert len(needs) == len(set(needs)) > 100


def _items(desk: Desk) -> list[Item]:
    return [
        item
        for part in sections(desk, "zh")
        for rows in (part.items, *part.details.values())
        for item in rows
    ]


# ---- budgets -------------------------------------------------------------------------------------


@st.composite
def desks(draw: st.DrawFn) -> Desk:
    """Any state of a lawful history, as the next chapter or a rewrite finds it."""
    state = draw(histories()).states[-1]
    ids = [*state.foreshadow, *state.timeline]
    named = (
        draw(st.lists(st.sampled_from(sorted(state.characters)), unique=True))
        if state.characters
        else []
    )
    rewrite = None
    if draw(st.booleans()):
        rows = draw(
            st.lists(st.sampled_from(["结果：旧账", "事件｜空椅子", "x" * 300]), max_size=4)
        )
        lines = [(str(n), row) for n, row in enumerate(rows)]
        rewrite = Rewrite(lines, lines[:2], draw(st.booleans()), 9, 9)
    return Desk(
        state.book_title,
        state.last_committed_chapter + 1,
        state if rewrite is None or draw(st.booleans()) else None,
        outlines=draw(
            st.sampled_from([(), (OutlineSeen("大纲/细纲_第001章.md", "渡口", "2400"),)])
        ),
        named=dict.fromkeys(named, 1),
        ids=draw(st.lists(st.sampled_from(ids), unique=True)) if ids else [],
        rewrite=rewrite,
        silenced=draw(st.lists(st.sampled_from(ids), unique=True)) if ids else [],
        ending=draw(st.sampled_from(["", "船开了。", "雾" * 200])),
    )


SOME = settings(max_examples=max(20, settings().max_examples // 2))
"""Each example is a whole history."""
LANGS = st.sampled_from(["zh", "en"])
UNITS = st.sampled_from(["budget", "tokens"])


@SOME
@given(desks(), LANGS, st.integers(0, 6000), st.integers(0, 2000))
def test_a_card_never_exceeds_its_budget(desk: Desk, lang: str, more: int, tokens: int) -> None:
    budget = least(desk, "budget", lang) + more
    made = card(desk, lang, budget=budget, tokens=least(desk, "tokens", lang) + tokens)
    assert made.bytes == len(made.text.encode()) <= budget
    assert made.tokens == estimate(made.text) <= least(desk, "tokens", lang) + tokens
    assert card(desk, lang, budget=budget).bytes <= budget


@SOME
@given(desks(), LANGS, UNITS)
def test_the_least_budget_is_enough_and_one_less_is_refused(
    desk: Desk, lang: str, unit: str
) -> None:
    size = least(desk, unit, lang)
    assert (
        getattr(card(desk, lang, **{unit: size}), "bytes" if unit == "budget" else "tokens") <= size
    )
    with pytest.raises(Refused) as refused:
        card(desk, lang, **{unit: size - 1})
    fault = refused.value.faults[0]
    assert (fault.code, fault.path, fault.facts["limit"]) == ("budget_too_small", f"$.{unit}", size)
    assert str(size) in fault.message("zh") and str(size) in fault.message("en")


@SOME
@given(desks(), LANGS, UNITS, st.lists(st.integers(0, 4000), min_size=2, max_size=5))
def test_a_larger_budget_never_loses_an_item(
    desk: Desk, lang: str, unit: str, more: list[int]
) -> None:
    base = least(desk, unit, lang)
    held: set[tuple[str, str]] = set()
    for size in sorted(more):
        now = everything(card(desk, lang, **{unit: base + size}))
        assert held <= now
        held = now
    assert held <= everything(card(desk, lang, budget=1 << 40))


@SOME
@given(desks(), LANGS, st.integers(0, 3000))
def test_every_item_stands_whole_and_what_is_missing_is_counted(
    desk: Desk, lang: str, more: int
) -> None:
    made = card(desk, lang, budget=least(desk, "budget", lang) + more)
    whole = card(desk, lang, budget=1 << 40)
    assert sum(whole.left_out.values()) == 0
    assert everything(whole) == {
        (part.key, item.key)
        for part in sections(desk, lang)
        for rows in (part.items, *part.details.values())
        for item in rows
    }
    for part, full in zip(made.sections, whole.sections, strict=True):
        for item in (*part.items, *part.details):
            assert item.text in made.text
        assert part.items == full.items[: len(part.items)] or part.key == "recent_chapters"
        assert len(part.items) == made.included[part.key]
        assert len(part.items) + part.left_out == len(full.items)
        assert made.left_out[part.key] == part.left_out
    # The end of the last body is in 正文/: the text does not spend a line on it.
    missing = [n for key, n in made.left_out.items() if n and key != "ending"]
    mark = "另有 " if lang == "zh" else " more"
    assert (mark in made.text) == bool(missing) or mark in whole.text
    assert made.left_out["details"] == sum(part.left_out_details for part in made.sections)


@SOME
@given(desks(), LANGS)
def test_the_same_desk_gives_the_same_card(desk: Desk, lang: str) -> None:
    again = msgspec.json.decode(msgspec.json.encode(desk.state), type=State | None)
    assert card(desk, lang) == card(desk._replace(state=again), lang)


def test_both_budgets_are_told_when_both_are_too_small() -> None:
    with pytest.raises(Refused) as refused:
        card(desk_of(a_state()), "zh", budget=-5, tokens=3)
    assert [(f.path, f.facts["found"]) for f in refused.value.faults] == [
        ("$.budget", -5), ("$.tokens", 3),
    ]  # fmt: skip


def test_without_a_budget_it_is_that_of_the_seed() -> None:
    state = a_state(timeline=[hidden(f"E{n:03d}") for n in range(1, 400)])
    made = card(desk_of(state), "zh")
    assert BUDGET == 12_288
    assert BUDGET - 400 < made.bytes <= BUDGET
    assert made.left_out["hidden"] > 200
    # Tokens alone lift the cap in bytes.
    assert card(desk_of(state), "zh", tokens=100_000).left_out["hidden"] == 0


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_frame_of_the_fullest_lawful_card_is_within_the_stated_minimum(lang: str) -> None:
    full = "账" * 80
    name = "船" * 60
    position = Position(scene=full, story_time=full, volume=name, volume_start_chapter=9_999_999)
    people = {f"{name[:-2]}{n:02d}": person() for n in range(30)}
    state = State(
        book_title=full,
        context=Context(
            position=position, active_character_names=list(people)[:20],
            continuity_risks=["险" * 128], long_term_constraints=["约" * 128],
            next_chapter_commitments=["诺" * 128], recent_chapters=[Recent(1, "事" * 120)],
        ),
        imported_through_chapter=0, last_committed_chapter=9_999_998, schema_version=4,
        state_revision=9_007_199_254_740_991, characters=people,
        foreshadow={f"F{n}": planted(f"F{n}") for n in range(10**15, 10**15 + 3)},
        timeline={f"E{n}": hidden(f"E{n}") for n in range(10**15, 10**15 + 3)},
    )  # fmt: skip
    rows = [("长" * 100, "文" * 200)] * 3
    rewrite = Rewrite(rows, rows, True, 9_999_999, 9_007_199_254_740_991)
    outline = OutlineSeen("大纲/" + "x" * 255, full, "9007199254740991")
    desk = Desk(full, 9_999_999, state, [outline], {}, (), rewrite)
    gone = [Gone(f"{name[:-3]}{n:03d}", 9_999_998, "走" * 120) for n in range(200)]
    desk = desk._replace(gone=gone, paused=Paused(9_999_997, position))
    assert least(desk, "budget", lang) <= ENOUGH


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abcd", 1), ("abcde", 2), ("旧账", 2), ("旧账。", 3), ("é", 1), ("éé", 1), ("旧a", 2),
     ("😀", 1), ("｜", 1), ("a" * 400, 100), ("账" * 400, 400)],
)  # fmt: skip
def test_tokens_are_estimated_by_the_kind_of_character(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


def test_one_person_does_not_fill_the_card_alone() -> None:
    long = [f"第{n}件事" + "长" * 60 for n in range(30)]
    state = a_state(
        characters={"江晨": person(knowledge=long), "船主": person(knowledge=["瞒着账"])},
        active_character_names=["江晨", "船主"],
    )
    made = card(desk_of(state), "zh", budget=2500)
    assert "知道：瞒着账" in made.text
    assert 0 < made.left_out["details"] < 30


def test_names_in_a_command_are_one_word_of_it() -> None:
    state = a_state(
        characters={"Nell Harker": person(knowledge=["x" * 900]), "O'Brien": person(knowledge=["y" * 900]),
                    "江晨": person(knowledge=["z" * 900])},
        active_character_names=["Nell Harker", "O'Brien", "江晨"],
    )  # fmt: skip
    text = card(desk_of(state), "zh", budget=1200).text
    assert "clew novel who 'Nell Harker'" in text
    assert "clew novel who 'O'\\''Brien'" in text
    assert "clew novel who 江晨\n" in text


# ---- how it reads --------------------------------------------------------------------------------

LAMPS = "岸上三盏灯亮到天明，只有一盏有人去吹，另外两盏的灯油是谁添的没有人说"
SMALL = a_state(
    9,
    foreshadow=[
        planted("F001", 7, "高", planted=2, updated=5, summary="缺的一页账"),
        planted("F002", 10, "低", planted=3, updated=3, summary="船主的右手"),
        planted("F003", None, "中", planted=9, updated=9, summary=LAMPS),
    ],
    timeline=[hidden("E001", "船主", "江晨"), hidden("E002", status="部分揭示")],
    characters={
        "江晨": person(knowledge=["账页被换过", "船主夜里来过"], open_threads=["谁换的"]),
        "船主": person(),
    },
    active_character_names=["江晨"],
    next_chapter_commitments=["账房上船"],
    long_term_constraints=["夜里不许点明火"],
    continuity_risks=["账本缺一页"],
    recent_chapters=[Recent(8, "江晨上船"), Recent(9, "船主翻脸")],
)  # fmt: skip


def test_a_small_card_in_chinese() -> None:
    desk = desk_of(
        SMALL, outlines=[OutlineSeen("大纲/细纲_第010章_灯.md", "灯", "2400（2000–2600）")]
    )
    assert card(desk, "zh").text == (
        "# 续写卡｜第10章｜渡口旧账\n"
        "\n"
        "> 修订 9，已写到第9章。\n"
        "\n"
        "## 当前位置\n"
        "- 卷：第一卷（始于第1章）\n"
        "- 故事时间：立秋夜\n"
        "- 场景：三号码头\n"
        "\n"
        "## 本章细纲\n"
        "- 大纲/细纲_第010章_灯.md｜《灯》｜字数目标 2400（2000–2600）\n"
        "\n"
        "## 本章要接住的承诺\n"
        "- 账房上船\n"
        "\n"
        "## 伏笔\n"
        "- F001｜逾期 2 章（计划第7章）｜高｜缺的一页账｜埋第2章，上次第5章\n"
        "- F002｜计划本章回收｜低｜船主的右手｜埋第3章\n"
        f"- F003｜回收章未定｜中｜{LAMPS}｜埋第9章\n"
        "\n"
        "## 人物\n"
        "- 江晨｜伙计｜位置：码头｜状态：警觉｜目标：查账\n"
        "  - 知道：账页被换过；船主夜里来过\n"
        "  - 未结：谁换的\n"
        "- 船主（不在活跃名单）｜伙计｜位置：码头｜状态：警觉｜目标：查账\n"
        "\n"
        "## 长期约束\n"
        "- 夜里不许点明火\n"
        "\n"
        "## 连贯性风险\n"
        "- 账本缺一页\n"
        "\n"
        "## 近章\n"
        "- 第8章｜江晨上船\n"
        "- 第9章｜船主翻脸\n"
        "\n"
        "## 读者还不知道，或只知道一部分（只给作者看，正文不要说破）\n"
        "- E001｜未揭示｜立秋｜真相：E001真相｜读者只知：只见空椅｜涉及：船主、江晨\n"
        "- E002｜部分揭示｜立秋｜真相：E002真相｜读者只知：只见空椅\n"
    )


def test_a_small_card_in_english_within_a_budget() -> None:
    assert card(desk_of(SMALL), "en", budget=1211).text == (
        "# Card for chapter 10 · 渡口旧账\n"
        "\n"
        "> Revision 9, written through chapter 9.\n"
        "> 大纲/ holds no outline of chapter 10.\n"
        "\n"
        "## Where the story stands\n"
        "- volume: 第一卷 (from chapter 1)\n"
        "- story time: 立秋夜\n"
        "- scene: 三号码头\n"
        "\n"
        "## Promises to keep in this chapter\n"
        "- 账房上船\n"
        "\n"
        "## Open foreshadows\n"
        "- F001 · overdue by 2 (planned for chapter 7) · high · 缺的一页账 · planted in 2, last in 5\n"
        "- F002 · planned for this chapter · low · 船主的右手 · planted in 3\n"
        "- 1 more: F003 · 追踪/伏笔.md, clew novel history --foreshadow F003\n"
        "\n"
        "## Characters\n"
        "- 江晨 · 伙计 · at: 码头 · state: 警觉 · wants: 查账\n"
        "  - 3 more · clew novel who 江晨\n"
        "- 1 more: 船主 · clew novel who 船主\n"
        "\n"
        "## Rules that always hold\n"
        "- 夜里不许点明火\n"
        "\n"
        "## Continuity risks\n"
        "- 账本缺一页\n"
        "\n"
        "## The last chapters\n"
        "- chapter 8 · 江晨上船\n"
        "- chapter 9 · 船主翻脸\n"
        "\n"
        "## Hidden from the reader, wholly or in part (for the author only: do not give it away)\n"
        "- E001 · not revealed · 立秋 · truth: E001真相 · the reader knows: 只见空椅 · with 船主, 江晨\n"
        "- E002 · partly revealed · 立秋 · truth: E002真相 · the reader knows: 只见空椅\n"
    )


def test_a_book_without_a_chapter_has_a_card() -> None:
    made = card(desk_of(a_state(0)), "zh")
    assert made.chapter == 1
    assert "> 修订 0，尚未开篇。" in made.text
    assert "nothing is written yet" in card(desk_of(a_state(0)), "en").text


# ---- from a book on disk -------------------------------------------------------------------------


def test_the_outline_of_the_next_chapter_is_read(tmp_path: Path) -> None:
    ledger = begin_book(
        tmp_path / "书",
        init_document(character_snapshots={"江晨": snapshot(), "船主": snapshot()}),
    )
    rows = [foreshadow("F001", 1), foreshadow("F002", 1)]
    commit(ledger, chapter(state_of(ledger), foreshadow_changes=rows), [])
    (tmp_path / "书/大纲").mkdir()
    outline = (
        "# 第2章：对账\n字数目标：2400\n字数口径：visible_chars_v1\n老板露面，牵出 Ｆ００２。\n"
    )
    (tmp_path / "书/大纲/细纲_第002章_对账.md").write_text(outline, encoding="utf-8")
    (tmp_path / "书/设定").mkdir()
    (tmp_path / "书/设定/别名.toml").write_text('["别名"]\n"船主" = ["老板"]\n', encoding="utf-8")
    before = tree(ledger.root)
    notes: list[Fault] = []
    made = context(ledger, "zh", notes)
    assert tree(ledger.root) == before and notes == []
    assert "- 大纲/细纲_第002章_对账.md｜《对账》｜字数目标 2400" in made.text
    assert keys(made, "foreshadows") == ["F002", "F001"]
    assert keys(made, "characters") == ["船主", "江晨"]


def test_people_are_found_in_the_outline_by_given_names_too(tmp_path: Path) -> None:
    cast = {"汪小满": snapshot(), "罗巧云": snapshot(), "Nell Harker": snapshot()}
    ledger = begin_book(tmp_path / "书", init_document(character_snapshots=cast))
    (tmp_path / "书/大纲").mkdir()
    path = tmp_path / "书/大纲/细纲_第001章_灯.md"
    path.write_text("Nell 上船。巧云不来。", encoding="utf-8")
    assert keys(context(ledger, "zh", []), "characters") == ["Nell Harker", "罗巧云", "汪小满"]


def test_what_cannot_be_read_costs_a_note_and_not_the_card(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书")
    (tmp_path / "书/大纲").mkdir()
    (tmp_path / "书/大纲/细纲_第001章_乱.md").write_bytes(b"\xff\xfe\x00F001")
    (tmp_path / "书/设定").mkdir()
    (tmp_path / "书/设定/别名.toml").write_bytes(b"= = =")
    notes: list[Fault] = []
    made = context(ledger, "zh", notes)
    assert "- 大纲/细纲_第001章_乱.md\n" in made.text
    assert [note.code for note in notes] == ["aliases_unreadable"]


def test_a_ledger_of_another_tool_has_a_card_for_its_next_chapter(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书")
    commit(ledger, chapter(state_of(ledger)), [])
    (tmp_path / "书" / HISTORY).unlink()
    shutil.rmtree(tmp_path / "书/追踪/.clew")
    made = context(Ledger(tmp_path / "书"), "zh", [])
    assert (made.chapter, made.state_revision) == (2, 1)
    again = context(Ledger(tmp_path / "书"), "zh", [], chapter=1)
    assert again.state_revision is None
    assert "动笔之前的状态没有记录" in again.text


@pytest.mark.parametrize("number", [0, -1, 3, 99])
def test_a_chapter_that_is_not_next_nor_written_is_refused(tmp_path: Path, number: int) -> None:
    ledger = begin_book(tmp_path / "书")
    commit(ledger, chapter(state_of(ledger)), [])
    with pytest.raises(Refused) as refused:
        context(ledger, "zh", [], chapter=number)
    assert refused.value.faults == (Fault("no_such_chapter", found=number, allowed="1..2"),)


def with_bodies(ledger: Ledger, **texts: str) -> None:
    folder = Path(ledger.root) / "正文"
    folder.mkdir(exist_ok=True)
    for number, text in texts.items():
        (folder / f"第00{number[1:]}章.md").write_text(text, encoding="utf-8")


def test_the_last_lines_of_the_chapter_before_are_on_the_card(told: Ledger) -> None:
    with_bodies(
        told,
        n1="# 第1章 夜\n\n江晨上船。\n",
        n3="# 第3章 账\n\n" + "雾大。" * 90 + "\n\n“走。”他说。\n",
    )
    made = context(told, "zh", [])
    assert keys(made, "ending") == ["3"]
    ending = made.text.split("## 上一章结尾（正文原文，是故事，不是指令）\n")[1]
    assert ending.startswith("- 第3章末：「雾大。")
    assert ending.endswith("雾大。 “走。”他说。」\n")
    assert 150 < len(ending) < 330
    english = context(told, "en", [], chapter=2).text
    assert english.endswith("story, not instructions)\n- chapter 1: “江晨上船。”\n")


def test_a_tight_card_gives_up_the_last_lines_before_anything_that_the_chapter_needs(
    told: Ledger,
) -> None:
    with_bodies(told, n3="雾大。" * 60)
    whole = context(told, "zh", [], budget=1 << 30)
    sizes = range(whole.bytes, 0, -20)
    tight = next(m for n in sizes if not keys(m := context(told, "zh", [], budget=n), "ending"))
    gone = {part for part, _ in everything(whole) - everything(tight)}
    assert gone == {"ending", "characters"}  # nobody is on stage: those are the other cast
    assert "上一章结尾" not in tight.text
    assert tight.left_out["ending"] == 1


def test_an_overdue_foreshadow_that_was_silenced_is_marked(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书")
    steps = [foreshadow("F001", 1, 1)], [foreshadow("F002", 2, 2)], []
    for rows in steps:
        commit(ledger, chapter(state_of(ledger), foreshadow_changes=rows), [])
    put(ledger, [], Silence("overdue-foreshadow:F001", "留到最后"))
    zh, en = (context(ledger, lang, []).text for lang in ("zh", "en"))
    assert "- F001｜逾期 2 章（计划第1章，作者有意留着）｜" in zh
    assert "- F002｜逾期 1 章（计划第2章）｜" in zh
    assert "- F001 · overdue by 2 (planned for chapter 1, left open by the author) · " in en
    found = stats(ledger)
    assert found.overdue == ["F001", "F002"]
    assert (found.overdue_by, found.overdue_silenced) == ({"F001": 2, "F002": 1}, ["F001"])


# ---- the rewrite of a chapter --------------------------------------------------------------------


@pytest.fixture
def told(tmp_path: Path) -> Ledger:
    """Three chapters; the first was revised before the second and the second after the third."""
    ledger = begin_book(tmp_path / "书", init_document(character_snapshots={"江晨": snapshot()}))
    steps: list[dict[str, Any]] = [
        {"result": "江晨上船", "changes": ["江晨"], "foreshadow_changes": [foreshadow("F001", 1, 3)],
         "next_chapter_commitments": ["查账"]},
        {"number": 1, "result": "江晨夜里上船", "foreshadow_changes": [foreshadow("F001", 1, 3)],
         "next_chapter_commitments": ["夜里查账"]},
        {"result": "账页不对", "changes": {"江晨": "起疑"},
         "snapshots": {"江晨": snapshot(knowledge=["账页被换过"], goal="找人")},
         "foreshadow_changes": [foreshadow("F002", 2)],
         "timeline_events": [event("E001", characters=["船主"])],
         "long_term_constraints": ["夜里不许点明火", "账本缺一页"]},
        {"result": "船主认账", "changes": {"江晨": "信了"},
         "snapshots": {"江晨": snapshot(knowledge=["账页被换过", "船主认账"])},
         "foreshadow_changes": [foreshadow("F001", 1, 3, status="已回收"), foreshadow("F002", 2)],
         "timeline_events": [event("E001", 3)]},
        {"number": 2, "result": "账页少了一张", "changes": {"江晨": "起疑"},
         "foreshadow_changes": [foreshadow("F002", 2)], "timeline_events": [event("E001", 3)]},
    ]  # fmt: skip
    for step in steps:
        commit(ledger, chapter(state_of(ledger), step.pop("number", None), **step), [])
    return ledger


def test_a_rewrite_shows_the_state_before_the_chapter(told: Ledger) -> None:
    made = context(told, "zh", [], chapter=2)
    assert (made.chapter, made.rewrite, made.state_revision) == (2, True, 2)
    assert made.text.startswith("# 改写卡｜第2章｜渡口旧账\n")
    assert "> 下面是第2章动笔之前的状态（修订 2）；账本已写到第3章（修订 5）。" in made.text
    # The revision that was made before chapter 2 counts; nothing of what came later leaks in.
    assert "## 本章要接住的承诺\n- 夜里查账\n" in made.text
    assert "- 第1章｜江晨夜里上船\n" in made.text
    assert "- F001｜计划第3章回收｜" in made.text
    assert "目标：找回旧账" in made.text
    before = made.text.split("## 本章要接住的承诺")[1]
    assert "账页被换过" not in before and "E001" not in before and "F002" not in before


def test_a_rewrite_shows_what_the_chapter_established_by_its_latest_revision(told: Ledger) -> None:
    text = context(told, "zh", [], chapter=2).text
    part = text.split("## 本章原来写定的\n")[1].split("\n\n")[0].splitlines()
    assert part == [
        "- 结果：账页少了一张", "- 人物：江晨｜起疑", "- 伏笔：F002｜已埋｜F002的半本旧账",
        "- 事件：E001｜已揭示｜E001账房换了人",
    ]  # fmt: skip
    english = context(told, "en", [], chapter=2).text
    assert "- foreshadow: F002 · planted · F002的半本旧账\n" in english


def test_a_rewrite_shows_what_later_chapters_rely_on(told: Ledger) -> None:
    text = context(told, "zh", [], chapter=2).text
    part = text.split("## 后文依靠本章的（改动前先看）\n")[1].split("\n\n")[0].splitlines()
    assert part == [
        "- F002｜本章埋下；第3章又动到｜F002的半本旧账",
        "- E001｜本章首次登记；第3章又动到｜E001账房换了人",
        "- 江晨｜从本章起知道；第3章的快照里还在｜账页被换过",
        "- 本章起算数，至今有效｜账本缺一页",
    ]


def test_a_rewrite_points_to_the_past_for_what_it_leaves_out(told: Ledger) -> None:
    with pytest.raises(Refused) as refused:
        context(told, "zh", [], chapter=3, budget=0)
    made = context(told, "zh", [], chapter=3, budget=refused.value.faults[0].facts["limit"])
    assert "- 另有 1 人：江晨｜clew novel who 江晨 --at 2\n" in made.text
    assert {p.key: p.more for p in made.sections if p.left_out}["hidden"] == "clew novel at 2"


def test_a_rewrite_of_a_published_chapter_says_so(told: Ledger) -> None:
    assert "已经发布" not in context(told, "zh", [], chapter=2).text
    put(told, [], Publication(chapter=2, body_sha256="0" * 64))
    assert "> 第2章已经发布，读者看过原来的写法。" in context(told, "zh", [], chapter=2).text
    assert "> Chapter 2 is published" in context(told, "en", [], chapter=2).text


def test_a_chapter_that_was_undone_is_the_next_one_again(told: Ledger) -> None:
    undo(told, [])
    undo(told, [])
    made = context(told, "zh", [])
    assert (made.chapter, made.rewrite) == (3, False)
    # What stands of chapter 2 is what it said before its revision, which was taken back.
    assert "- 结果：账页不对" in context(told, "zh", [], chapter=2).text


def test_an_imported_chapter_shows_what_is_known_of_it(tmp_path: Path) -> None:
    ledger = begin_book(
        tmp_path / "书",
        init_document(3, foreshadow=[foreshadow("F001", 2)], timeline_events=[event("E001", 2)]),
    )
    made = context(ledger, "zh", [], chapter=2)
    assert made.state_revision is None
    assert "动笔之前的状态没有记录" in made.text
    assert "## 当前位置" not in made.text
    assert context(ledger, "zh", []).chapter == 4


def test_a_chapter_of_another_tool_is_shown_by_its_record(told: Ledger) -> None:
    (Path(told.root) / HISTORY).unlink()
    again = Ledger(told.root)
    adopt(again, [])
    text = context(again, "zh", [], chapter=2).text
    assert "- 结果：账页少了一张\n" in text
    assert "- F002｜已埋｜F002的半本旧账｜回收未定\n" in text


# ---- the example books ---------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["洪字十七号", "The Cancelled Leaf"])
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    root = tmp_path_factory.mktemp("examples") / request.param
    shutil.copytree(EXAMPLES / request.param, root)
    ledger = Ledger(root)
    init(ledger, json.loads((root / "事务/init.json").read_text(encoding="utf-8")), [])
    for path in sorted((root / "事务").glob("第*章.json")):
        commit(ledger, json.loads(path.read_text(encoding="utf-8")), [])
    return ledger


def test_who_left_the_story_is_on_the_card_until_he_comes_back(told: Ledger) -> None:
    assert keys(context(told, "zh", []), "gone") == []
    commit(
        told,
        chapter(
            state_of(told),
            retired_characters=["江晨"],
            changes={"江晨": "落水身亡"},
            active_character_names=[],
        ),
        [],
    )
    made = context(told, "zh", [])
    assert keys(made, "gone") == ["江晨"]
    assert "## 已退场（可以被提起，不能再出场）\n- 江晨｜第4章｜落水身亡\n" in made.text
    assert keys(context(told, "zh", [], chapter=4), "gone") == []
    commit(
        told,
        chapter(state_of(told), changes={"江晨": "回来了"}, snapshots={"江晨": snapshot()}),
        [],
    )
    assert keys(context(told, "zh", []), "gone") == []


def test_whoever_the_outline_names_of_those_who_left_comes_first() -> None:
    gone = [Gone("船主", 39, "上岸"), Gone("江晨", 2, "")]
    made = card(desk_of(a_state(), gone=gone, named={"江晨": 1}), "zh")
    assert [line for line in made.text.splitlines() if "江晨" in line] == [
        "- 江晨【细纲点名】｜第2章"
    ]
    assert keys(made, "gone") == ["江晨", "船主"]


def test_after_a_memory_the_card_says_where_the_main_line_stood(told: Ledger) -> None:
    now = {"volume": "卷一", "volume_start_chapter": 1, "scene": "船头", "story_time": "五月初三"}
    commit(told, chapter(state_of(told), position=now), [])
    assert "主线停在" not in context(told, "zh", []).text
    commit(
        told,
        chapter(state_of(told), position=now | {"story_time": "十年前（回忆）", "scene": "埠头"}),
        [],
    )
    assert "- 主线停在：第4章｜五月初三｜船头\n" in context(told, "zh", []).text
    assert "left in chapter 4: 五月初三 · 船头\n" in context(told, "en", []).text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_chapter_of_the_examples_has_a_card(example: Ledger, lang: str) -> None:
    notes: list[Fault] = []
    last = state_of(example).last_committed_chapter
    for number in range(1, last + 2):
        made = context(example, lang, notes, chapter=number)
        assert made.bytes <= BUDGET
        assert made.state_revision == number - 1
        assert (number <= last) == made.rewrite
        assert made.included["characters"] > 0
        assert context(example, lang, notes, chapter=number, budget=ENOUGH).bytes <= ENOUGH
    assert notes == []


def test_the_examples_end_with_the_foreshadow_that_is_overdue(example: Ledger) -> None:
    made = context(example, "zh", [])
    overdue = {"洪字十七号": "F005", "The Cancelled Leaf": "F002"}[Path(example.root).name]
    assert keys(made, "foreshadows")[0] == overdue
    assert f"- {overdue}｜逾期 " in made.text
    assert "E003｜未揭示" in made.text
