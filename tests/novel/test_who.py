"""One character: the present, and since which chapter each thing is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.kernel.errors import Refused, Usage
from clew.kernel.faults import Fault
from clew.novel.commit import commit
from clew.novel.ledger import HISTORY, STATE, Ledger
from clew.novel.start import adopt, init
from clew.novel.timetravel import at, redo, undo
from clew.novel.who import CHANGES, EVENTS, LISTS, LOST, Item, Person
from clew.novel.writing import who
from clew.testing.novel import (
    Story,
    begin_book,
    chapter,
    event,
    histories,
    init_document,
    snapshot,
    state_of,
    ticking_clock,
    tree,
)

FEW = settings(max_examples=max(10, settings().max_examples // 6))
"""Each example works on real files."""


def go_on(ledger: Ledger, *steps: dict[str, Any]) -> Ledger:
    for step in steps:
        fields = dict(step)
        commit(ledger, chapter(state_of(ledger), fields.pop("number", None), **fields), [])
    return ledger


def knows(*items: str, **fields: Any) -> dict[str, Any]:
    """The fields of a chapter in which 江晨 knows these."""
    return {"changes": ["江晨"], "snapshots": {"江晨": snapshot(knowledge=list(items), **fields)}}


def book(tmp_path: Path, *steps: dict[str, Any], **fields: Any) -> Ledger:
    cast = {"江晨": snapshot(knowledge=["旧账丢了"]), "船主": snapshot()}
    document = init_document(fields.pop("last", 0), character_snapshots=cast, **fields)
    return go_on(begin_book(tmp_path / "书", document), *steps)


def known(person: Person) -> dict[str, tuple[int | None, int | None, int | None]]:
    return {row.text: (row.since, row.before, row.reworded) for row in person.knowledge}


# ---- since when ----------------------------------------------------------------------------------


def test_a_thing_is_known_since_the_first_snapshot_that_holds_it(tmp_path: Path) -> None:
    ledger = book(
        tmp_path,
        {},
        knows("旧账丢了", "账页被换过"),
        {},
        knows("旧账丢了", "账页被换过", "船主来过"),
    )
    assert known(who(ledger, "江晨", [])) == {
        "旧账丢了": (0, None, None), "账页被换过": (2, None, None), "船主来过": (4, None, None),
    }  # fmt: skip


def test_what_an_imported_ledger_holds_was_known_before(tmp_path: Path) -> None:
    ledger = book(tmp_path, knows("旧账丢了", "账页被换过"), last=7)
    person = who(ledger, "江晨", [])
    assert known(person) == {"旧账丢了": (None, 8, None), "账页被换过": (8, None, None)}
    assert person.imported_through == 7


def test_another_wording_of_one_thing_keeps_its_date(tmp_path: Path) -> None:
    ledger = book(
        tmp_path, knows("号房是他锁的"), knows("号房是他锁的，船主吩咐的"), knows("号房是他锁的")
    )
    assert known(who(ledger, "江晨", [])) == {"号房是他锁的": (1, None, 3)}
    assert known(who(ledger, "江晨", [], at=2)) == {"号房是他锁的，船主吩咐的": (1, None, 2)}


def test_two_short_things_are_not_one(tmp_path: Path) -> None:
    ledger = book(tmp_path, knows("有船"), knows("有船来过"))
    assert known(who(ledger, "江晨", [])) == {"有船来过": (2, None, None)}


def test_what_a_snapshot_leaves_out_is_listed_with_both_dates(tmp_path: Path) -> None:
    ledger = book(tmp_path, knows("账页被换过", open_threads=["谁换的"]), {}, knows("船主来过"))
    person = who(ledger, "江晨", [])
    lost = [(row.list, row.text, row.since, row.gone) for row in person.lost]
    assert lost == [
        ("knowledge", "旧账丢了", 0, 1), ("knowledge", "账页被换过", 1, 3),
        ("open_threads", "谁换的", 1, 3),
    ]  # fmt: skip
    assert person.lost_total == 3


def test_what_comes_back_was_known_since_the_first_time(tmp_path: Path) -> None:
    ledger = book(tmp_path, knows("账页被换过"), knows("船主来过"), knows("账页被换过"))
    person = who(ledger, "江晨", [])
    assert known(person) == {"账页被换过": (1, None, None)}
    assert [row.text for row in person.lost] == ["旧账丢了", "船主来过"]


def test_a_revision_dates_what_is_new_to_the_chapter_that_it_rewrites(tmp_path: Path) -> None:
    ledger = book(tmp_path, {}, {}, {"number": 1} | knows("旧账丢了", "听见敲门"))
    assert known(who(ledger, "江晨", []))["听见敲门"] == (1, None, None)
    # Right after chapter 1 was appended nobody knew of the revision.
    assert known(who(ledger, "江晨", [], at=1)) == {"旧账丢了": (0, None, None)}


def test_what_was_undone_was_never_known_until_it_is_redone(tmp_path: Path) -> None:
    ledger = book(tmp_path, knows("账页被换过"), knows("账页被换过", "船主来过"))
    undo(ledger, [])
    assert known(who(ledger, "江晨", [])) == {"账页被换过": (1, None, None)}
    redo(ledger, [])
    assert known(who(ledger, "江晨", []))["船主来过"] == (2, None, None)


def test_relationships_threads_and_means_are_dated_too(tmp_path: Path) -> None:
    fields = {
        "relationships": ["信账房"],
        "open_threads": ["谁换的"],
        "abilities_resources": ["灯"],
    }
    person = who(book(tmp_path, {}, knows(**fields)), "江晨", [])
    assert {key: getattr(person, key) for key in fields} == {
        key: [Item(text, since=2)] for key, (text,) in fields.items()
    }


def test_a_ledger_changed_outside_dates_what_is_new_to_before_the_next_chapter(
    tmp_path: Path,
) -> None:
    ledger = book(tmp_path, knows("旧账丢了", "账页被换过"))
    path = Path(ledger.root) / STATE
    path.write_bytes(path.read_bytes().replace("账页被换过".encode(), "账页是他换的".encode()))
    adopt(ledger, [])
    assert known(who(ledger, "江晨", [])) == {
        "旧账丢了": (0, None, None), "账页是他换的": (None, 2, None),
    }  # fmt: skip


def test_a_ledger_of_another_tool_has_no_dates_but_answers(tmp_path: Path) -> None:
    ledger = book(tmp_path, knows("账页被换过"))
    (Path(ledger.root) / HISTORY).unlink()
    assert known(who(Ledger(ledger.root), "江晨", [])) == {"账页被换过": (None, 2, None)}


# ---- the rest of a life --------------------------------------------------------------------------


def test_the_present_stands_on_top(tmp_path: Path) -> None:
    ledger = book(
        tmp_path, knows("账页被换过", goal="找人", state="起疑", location="船上", identity="账房"),
        {"changes": {"江晨": "上船"}, "active_character_names": ["江晨"]},
        {"timeline_events": [event("E001", characters=["江晨", "船主"])]},
    )  # fmt: skip
    before = tree(ledger.root)
    person = who(ledger, "江晨", [])
    assert tree(ledger.root) == before
    assert (person.identity, person.state, person.location, person.goal) == (
        "账房", "起疑", "船上", "找人",
    )  # fmt: skip
    assert (person.through_chapter, person.snapshot_chapter) == (3, 2)
    assert (person.core, person.active, person.retired) == (True, True, None)
    assert person.changed == [1, 2]
    assert [(c.chapter, c.change) for c in person.changes] == [(1, "有了变化"), (2, "上船")]
    assert [(e.id, e.chapter, e.reveal_status) for e in person.events] == [("E001", 3, "未揭示")]


def test_a_revision_without_the_character_takes_the_change_back(tmp_path: Path) -> None:
    ledger = book(tmp_path, {"changes": {"江晨": "上船"}}, {}, {"number": 1})
    assert who(ledger, "江晨", []).changed == []


def test_who_has_retired_is_shown_as_he_was(tmp_path: Path) -> None:
    ledger = book(
        tmp_path, knows("账页被换过"),
        {"changes": {"江晨": "落水"}, "retired_characters": ["江晨"]}, {},
    )  # fmt: skip
    person = who(ledger, "江晨", [])
    assert (person.retired, person.core, person.state) == (2, True, "镇定")
    assert known(person) == {"账页被换过": (1, None, None)}
    assert person.changes[-1].change == "落水"
    assert who(ledger, "江晨", [], at=1).retired is None


def test_who_returns_is_no_longer_retired(tmp_path: Path) -> None:
    ledger = book(
        tmp_path, {"changes": ["江晨"], "retired_characters": ["江晨"]}, knows("旧账丢了", "活着"),
    )  # fmt: skip
    person = who(ledger, "江晨", [])
    assert person.retired is None
    assert known(person) == {"旧账丢了": (0, None, None), "活着": (2, None, None)}


def test_a_passing_character_has_a_past_without_a_snapshot(tmp_path: Path) -> None:
    ledger = book(
        tmp_path, {"changes": {"修钟人": "交出座钟"}},
        {"timeline_events": [event("E001", characters=["收钟客"])]},
    )  # fmt: skip
    person = who(ledger, "修钟人", [])
    assert (person.core, person.changed, person.identity) == (False, [1], "")
    assert [row.id for row in who(ledger, "收钟客", []).events] == ["E001"]


def test_long_lives_are_told_by_their_latest_part(tmp_path: Path) -> None:
    steps = [
        knows(*(f"第{n}章第{i}件" for i in range(3)))
        | {"timeline_events": [event(f"E{n:03d}", characters=["江晨"])]}
        for n in range(1, 24)
    ]
    person = who(book(tmp_path, *steps), "江晨", [])
    assert (len(person.events), person.events_total, person.events[-1].id) == (EVENTS, 23, "E023")
    assert (len(person.changes), len(person.changed)) == (CHANGES, 23)
    assert (len(person.lost), person.lost_total) == (LOST, 67)
    assert person.lost[-1].gone == 23


@FEW
@given(histories(), st.data())
def test_every_character_of_every_history_is_dated_whole(
    tmp_path_factory: pytest.TempPathFactory, story: Story, data: st.DataObject
) -> None:
    ledger = Ledger(tmp_path_factory.mktemp("book"), clock=ticking_clock())
    init(ledger, story.init, [])
    for document in story.transactions:
        commit(ledger, document, [])
    points = [
        None,
        *range(story.states[0].last_committed_chapter, story.states[-1].last_committed_chapter + 1),
    ]
    point = data.draw(st.sampled_from(points))
    state = story.states[-1] if point is None else at(ledger, chapter=point).state
    for name, found in state.characters.items():
        person = who(ledger, name, [], at=point)
        assert person.through_chapter == state.last_committed_chapter
        assert (person.identity, person.goal) == (found.identity, found.goal)
        for key in LISTS:
            rows = getattr(person, key)
            assert [row.text for row in rows] == getattr(found, key)
            assert all((row.since is None) != (row.before is None) for row in rows)
            assert all(
                (row.since or row.before or 0) <= state.last_committed_chapter + 1 for row in rows
            )


# ---- names ---------------------------------------------------------------------------------------


def aliases(ledger: Ledger, text: str) -> None:
    path = Path(ledger.root) / "设定/别名.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")


def test_an_alias_will_do(tmp_path: Path) -> None:
    ledger = book(tmp_path, {"timeline_events": [event("E001", characters=["小江"])]})
    aliases(ledger, '["别名"]\n"江晨" = ["小江", "江连长"]\n')
    person = who(ledger, "小江", [])
    assert (person.name, person.asked, person.aliases) == ("江晨", "小江", ["小江", "江连长"])
    assert [row.id for row in person.events] == ["E001"]
    assert who(ledger, "江晨", []).asked == ""


def test_an_alias_of_two_people_is_no_answer(tmp_path: Path) -> None:
    ledger = book(tmp_path)
    aliases(ledger, '["别名"]\n"江晨" = ["老板"]\n"船主" = ["老板"]\n"无人" = ["老板"]\n')
    with pytest.raises(Refused) as refused:
        who(ledger, "老板", [])
    assert refused.value.faults == (
        Fault("ambiguous_name", found="老板", allowed=["江晨", "船主"]),
    )


@pytest.mark.parametrize("asked", ["Nell Harker", "nell harker", " Nell  Harker "])
def test_names_are_compared_as_file_names_are(tmp_path: Path, asked: str) -> None:
    ledger = begin_book(
        tmp_path / "书", init_document(character_snapshots={"Nell Harker": snapshot()})
    )
    assert who(ledger, asked, []).name == "Nell Harker"


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("三更", "何三更"),
        ("Tobias", "Tobias Finch"),
        ("tobias", "Tobias Finch"),
        ("伊万", "伊万·李"),
    ],
)
def test_a_part_of_a_name_will_do_where_it_is_one_person_s(
    tmp_path: Path, asked: str, name: str
) -> None:
    cast = {
        "何三更": snapshot(),
        "Tobias Finch": snapshot(),
        "Ada Finch": snapshot(),
        "伊万·李": snapshot(),
    }
    ledger = begin_book(tmp_path / "书", init_document(character_snapshots=cast))
    person = who(ledger, asked, [])
    assert (person.name, person.asked) == (name, asked)


def test_a_part_of_several_names_is_no_answer(tmp_path: Path) -> None:
    cast = {"Tobias Finch": snapshot(), "Ada Finch": snapshot()}
    ledger = begin_book(tmp_path / "书", init_document(character_snapshots=cast))
    with pytest.raises(Refused) as refused:
        who(ledger, "Finch", [])
    assert refused.value.faults == (
        Fault("ambiguous_name", found="Finch", allowed=["Tobias Finch", "Ada Finch"]),
    )


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [("江辰", ["江晨"]), ("晨", ["江晨"]), ("江晨儿", ["江晨"]), ("王二麻子", ["江晨", "船主"])],
)  # fmt: skip
def test_an_unknown_name_is_answered_with_near_ones(
    tmp_path: Path, asked: str, allowed: list[str]
) -> None:
    with pytest.raises(Refused) as refused:
        who(book(tmp_path), asked, [])
    assert refused.value.faults == (Fault("unknown_character", found=asked, allowed=allowed),)


@pytest.mark.parametrize("asked", ["", " ", "\u3000\n"])
def test_no_name_is_asked_for_one(tmp_path: Path, asked: str) -> None:
    with pytest.raises(Usage) as refused:
        who(book(tmp_path), asked, [])
    assert "clew novel who" in refused.value.faults[0].message("zh")


@pytest.mark.parametrize("point", [-1, 3, 99])
def test_a_chapter_that_is_not_written_is_no_point(tmp_path: Path, point: int) -> None:
    with pytest.raises(Refused) as refused:
        who(book(tmp_path, {}, {}), "江晨", [], at=point)
    assert refused.value.faults == (Fault("no_such_point", found=point, allowed="0..2"),)


def test_a_chapter_that_was_undone_is_no_point(tmp_path: Path) -> None:
    ledger = book(tmp_path, {}, {})
    undo(ledger, [])
    with pytest.raises(Refused) as refused:
        who(ledger, "江晨", [], at=2)
    assert refused.value.faults[0].facts["allowed"] == "0..1"
