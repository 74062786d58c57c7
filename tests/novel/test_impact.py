"""What a rewrite may touch: each thing with its reason, and the later chapters that name it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from clew.kernel.errors import Corrupt, Refused
from clew.kernel.faults import Fault
from clew.novel.commit import commit
from clew.novel.history import Publication
from clew.novel.impact import BODIES, CHAPTERS, Impact, Touched
from clew.novel.ledger import HISTORY, Ledger
from clew.novel.marks import put
from clew.novel.start import init
from clew.novel.timetravel import undo
from clew.novel.writing import impact
from clew.testing.novel import (
    Story,
    begin_book,
    chapter,
    event,
    foreshadow,
    histories,
    init_document,
    snapshot,
    state_of,
    ticking_clock,
    tree,
)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FEW = settings(max_examples=max(10, settings().max_examples // 6))
"""Each example works on real files."""


def book(tmp_path: Path, *steps: dict[str, Any], **fields: Any) -> Ledger:
    fields.setdefault("character_snapshots", {"江晨": snapshot()})
    ledger = begin_book(tmp_path / "书", init_document(**fields))
    for step in steps:
        fields = dict(step)
        commit(ledger, chapter(state_of(ledger), fields.pop("number", None), **fields), [])
    return ledger


def of(kind: str, found: Impact) -> dict[str, Touched]:
    return {row.key: row for row in found.touched if row.kind == kind}


def reach(ledger: Ledger, number: int, lang: str = "zh") -> Impact:
    return impact(ledger, number, lang, [])


def plants(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"foreshadow_changes": list(rows)}


# ---- who left ------------------------------------------------------------------------------------


def gone(tmp_path: Path, *steps: dict[str, Any]) -> Ledger:
    """何三更 retires in chapter 2; bodies 3 to 5 name him, name him by his alias, and do not."""
    cast = {"江晨": snapshot(), "何三更": snapshot()}
    leaves = {"changes": {"何三更": "落水而死"}, "retired_characters": ["何三更"]}
    ledger = book(tmp_path, {}, leaves, {}, {}, *steps, character_snapshots=cast)
    root = Path(ledger.root)
    for folder in ("正文", "设定"):
        (root / folder).mkdir()
    (root / "设定/别名.toml").write_text('"何三更" = ["师傅", "更夫何"]\n', encoding="utf-8")
    for number, text in (
        (1, "何三更敲更。"),
        (3, "何三更的更锣还在。"),
        (4, "师傅坐在炉边。"),
        (5, "无事。"),
    ):
        (root / f"正文/第{number:03d}章.md").write_text(text, encoding="utf-8")
    return ledger


def test_where_somebody_retires_later_bodies_that_name_him_are_listed(tmp_path: Path) -> None:
    found = reach(gone(tmp_path), 2)
    assert of("character", found)["何三更"].how == ["changed", "retired"]
    assert {row.chapter: row.body for row in found.later} == {3: ["何三更"], 4: ["何三更"]}
    assert found.bodies_read == 3


def test_who_retired_is_gone_also_after_the_chapter_was_revised(tmp_path: Path) -> None:
    found = reach(gone(tmp_path, {"number": 2, "changes": {"何三更": "落水而死，尸身未见"}}), 2)
    assert of("character", found)["何三更"].how == ["changed", "retired"]
    assert [row.chapter for row in found.later] == [3, 4]


# ---- foreshadows and events ----------------------------------------------------------------------


def test_foreshadows_say_what_became_of_them_here_and_later(tmp_path: Path) -> None:
    ledger = book(
        tmp_path,
        plants(foreshadow("F001", 1), foreshadow("F002", 1), foreshadow("F003", 1)),
        plants(
            foreshadow("F001", 1, summary="船主夜里来过"), foreshadow("F002", 1, status="已回收"),
            foreshadow("F003", 1, status="放弃"), foreshadow("F004", 2),
        ),
        plants(foreshadow("F001", 1, status="已回收", summary="船主认账")),
        plants({"action": "delete", "id": "F004"}),
    )  # fmt: skip
    first, second = of("foreshadow", reach(ledger, 1)), of("foreshadow", reach(ledger, 2))
    assert {key: (row.how, row.later) for key, row in first.items()} == {
        "F001": (["planted"], [2, 3]), "F002": (["planted"], [2]), "F003": (["planted"], [2]),
    }  # fmt: skip
    assert first["F001"].text == "船主认账"  # as it stands now
    assert first["F001"].reason == "本章埋下；第2、3章又动到"
    assert {key: (row.how, row.later) for key, row in second.items()} == {
        "F001": (["updated"], [3]), "F002": (["resolved"], []), "F003": (["abandoned"], []),
        "F004": (["planted"], [4]),
    }  # fmt: skip
    assert second["F004"].text == "F004的半本旧账"  # gone by now: as the chapter said it
    assert of("foreshadow", reach(ledger, 4))["F004"].how == ["deleted"]
    english = of("foreshadow", reach(ledger, 1, "en"))
    assert english["F001"].reason == "planted here; goes on in chapters 2, 3"
    assert english["F002"].reason == "planted here; goes on in chapter 2"


def test_a_foreshadow_planted_and_resolved_in_one_chapter_is_both(tmp_path: Path) -> None:
    ledger = book(tmp_path, plants(foreshadow("F001", 1, status="已回收")))
    assert of("foreshadow", reach(ledger, 1))["F001"].how == ["planted", "resolved"]


def test_a_row_that_says_it_was_planted_here_is_touched_though_no_transaction_says_so(
    tmp_path: Path,
) -> None:
    ledger = book(tmp_path, {}, plants(foreshadow("F001", 1)))
    assert of("foreshadow", reach(ledger, 1))["F001"].how == ["planted"]
    assert of("foreshadow", reach(ledger, 2))["F001"].how == ["updated"]


def test_events_say_where_they_were_told_and_revealed(tmp_path: Path) -> None:
    ledger = book(
        tmp_path,
        {"timeline_events": [event("E001"), event("E002", 1), event("E003")]},
        {"timeline_events": [event("E001", 2, reveal_status="部分揭示"), event("E003")]},
        {"timeline_events": [event("E001", 3)]},
    )
    first, second = of("event", reach(ledger, 1)), of("event", reach(ledger, 2))
    assert {key: (row.how, row.later) for key, row in first.items()} == {
        "E001": (["first_told"], [2, 3]), "E002": (["first_told", "revealed"], []),
        "E003": (["first_told"], [2]),
    }  # fmt: skip
    assert {key: (row.how, row.later) for key, row in second.items()} == {
        "E001": (["partly_revealed"], [3]), "E003": (["updated"], []),
    }  # fmt: skip
    assert of("event", reach(ledger, 3))["E001"].how == ["revealed"]
    assert second["E001"].reason == "本章向读者透露了一部分；第3章又动到"


# ---- people, knowledge, rules, promises ----------------------------------------------------------


def test_characters_that_come_change_and_go(tmp_path: Path) -> None:
    ledger = book(
        tmp_path,
        {"changes": {"江晨": "上船", "船主": "露面"}, "snapshots": {"船主": snapshot()}},
        {"changes": ["江晨"]},
        {"changes": {"船主": "落水", "江晨": "救人"}, "retired_characters": ["船主"]},
    )
    first = of("character", reach(ledger, 1))
    assert {key: (row.how, row.later, row.text) for key, row in first.items()} == {
        "江晨": (["changed"], [2, 3], "上船"), "船主": (["introduced"], [3], "露面"),
    }  # fmt: skip
    assert first["船主"].reason == "首次登场；第3章又有变化"
    assert of("character", reach(ledger, 3))["船主"].how == ["changed", "retired"]


def test_who_is_named_in_an_earlier_event_does_not_appear_for_the_first_time(
    tmp_path: Path,
) -> None:
    ledger = book(
        tmp_path, {"timeline_events": [event("E001", characters=["船主"])]}, {"changes": ["船主"]}
    )
    assert of("character", reach(ledger, 2))["船主"].how == ["changed"]


def test_what_people_learned_here_is_touched_as_long_as_later_snapshots_hold_it(
    tmp_path: Path,
) -> None:
    def knows(*items: str) -> dict[str, Any]:
        return {"changes": ["江晨"], "snapshots": {"江晨": snapshot(knowledge=list(items))}}

    ledger = book(tmp_path, knows("旧账丢了"), knows("旧账丢了", "账页被换过", "有人来过"), {},
                  knows("账页被换过"), knows("船主认账"))  # fmt: skip
    rows = [row for row in reach(ledger, 2).touched if row.kind == "knowledge"]
    assert [(row.key, row.text, row.later) for row in rows] == [("江晨", "账页被换过", [4])]
    assert rows[0].reason == "从本章起知道；第4章的快照里还在"
    held = [row.text for row in reach(ledger, 5).touched if row.kind == "knowledge"]
    assert held == ["船主认账"]  # nobody was told since, but it is what he knows now


def test_rules_and_risks_that_came_with_the_chapter_and_still_hold(tmp_path: Path) -> None:
    rules = ["夜里不许点明火", "账本缺一页"]
    ledger = book(
        tmp_path, {"long_term_constraints": rules, "continuity_risks": ["灯是谁的"]},
        {"continuity_risks": [], "retired_context_items": ["灯是谁的"]},
    )  # fmt: skip
    found = of("constraint", reach(ledger, 1))
    assert {key: row.reason for key, row in found.items()} == {"账本缺一页": "本章起算数，至今有效"}


def test_promises_are_to_be_kept_by_the_next_chapter(tmp_path: Path) -> None:
    ledger = book(
        tmp_path, {"next_chapter_commitments": ["上船"]}, {"next_chapter_commitments": ["查账"]}
    )
    assert of("commitment", reach(ledger, 1))["上船"].later == [2]
    assert of("commitment", reach(ledger, 2))["查账"].reason == "本章许下"


def test_a_revision_replaces_what_the_chapter_said(tmp_path: Path) -> None:
    ledger = book(
        tmp_path, {"changes": {"船主": "露面"}}, {}, {"number": 1, "changes": {"账房": "露面"}}
    )
    assert list(of("character", reach(ledger, 1))) == ["账房"]
    undo(ledger, [])
    assert list(of("character", reach(ledger, 1))) == ["船主"]


# ---- later chapters ------------------------------------------------------------------------------


def test_later_chapters_are_named_with_what_they_go_on_with_and_mention(tmp_path: Path) -> None:
    ledger = book(
        tmp_path,
        plants(foreshadow("F001", 1), foreshadow("F002", 1)) | {"changes": {"修钟人": "交出座钟"}},
        plants(foreshadow("F001", 1)) | {"chapter_title": "对账"},
        {"result": "江晨想起修钟人，想起F002"},
        {"result": "无事"},
    )
    body = tmp_path / "书/正文"
    body.mkdir()
    (body / "第004章_夜.md").write_text("老钟匠没有来。", encoding="utf-8")
    (body / "第005章_灯.md").write_text("修钟人在门外。", encoding="utf-8")
    (tmp_path / "书/设定").mkdir()
    (tmp_path / "书/设定/别名.toml").write_text(
        '["别名"]\n"修钟人" = ["老钟匠"]\n', encoding="utf-8"
    )
    before = tree(ledger.root)
    found = reach(ledger, 1)
    assert tree(ledger.root) == before
    rows = [(row.chapter, row.title, row.goes_on, row.mentions, row.body) for row in found.later]
    assert rows == [
        (2, "对账", ["F001"], [], []), (3, "章题3", [], ["F002", "修钟人"], []),
        (4, "章题4", [], [], ["修钟人"]), (5, "", [], [], ["修钟人"]),
    ]  # fmt: skip
    assert (found.bodies_read, found.bodies_unread, found.later_more) == (2, 0, 0)


def test_a_name_that_is_also_a_field_of_a_transaction_is_not_mentioned_by_it(
    tmp_path: Path,
) -> None:
    ledger = book(tmp_path, {"changes": {"result": "露面"}}, {}, {"result": "想起 result"})
    assert [row.chapter for row in reach(ledger, 1).later] == [3]


def test_bodies_are_read_for_those_only_who_appear_here_first(tmp_path: Path) -> None:
    ledger = book(tmp_path, {"changes": ["江晨"]}, {})
    body = tmp_path / "书/正文"
    body.mkdir()
    (body / "第002章_夜.md").write_text("江晨没有来。", encoding="utf-8")
    found = reach(ledger, 1)
    assert (found.later, found.bodies_read, found.bodies_unread) == ([], 0, 0)


def test_what_is_listed_and_read_is_bounded_and_says_so(tmp_path: Path) -> None:
    steps = [plants(foreshadow("F001", 1)) for _ in range(CHAPTERS + 4)]
    ledger = book(tmp_path, steps[0] | {"changes": {"修钟人": "露面"}}, *steps[1:])
    body = tmp_path / "书/正文"
    body.mkdir()
    for number in range(2, BODIES + 5):
        (body / f"第{number:03d}章_夜.md").write_text("无事。", encoding="utf-8")
    found = reach(ledger, 1)
    row = of("foreshadow", found)["F001"]
    assert (len(row.later), row.later_more) == (CHAPTERS, 3)
    assert row.reason == "本章埋下；第2、3、4、5、6、7章等 53 章又动到"
    assert (len(found.later), found.later_more) == (CHAPTERS, 3)
    assert (found.bodies_read, found.bodies_unread) == (BODIES, 3)
    english = of("foreshadow", reach(ledger, 1, "en"))["F001"].reason
    assert english.endswith("chapters 2, 3, 4, 5, 6, 7 and 47 more")


def test_a_chapter_of_nothing_touches_nothing(tmp_path: Path) -> None:
    found = reach(book(tmp_path, {}, {}), 1)
    assert (found.touched, found.later, found.recorded, found.published) == ([], [], True, False)
    assert (found.title, found.last_committed_chapter) == ("章题1", 2)


def test_a_published_chapter_says_so(tmp_path: Path) -> None:
    ledger = book(tmp_path, {}, {})
    put(ledger, [], Publication(chapter=1, body_sha256="0" * 64))
    assert [reach(ledger, number).published for number in (1, 2)] == [True, False]
    put(ledger, [], Publication(chapter=1, body_sha256="0" * 64, withdrawn=True))
    assert reach(ledger, 1).published is False


def test_an_imported_chapter_is_known_by_the_rows_of_the_ledger(tmp_path: Path) -> None:
    ledger = book(
        tmp_path,
        plants(foreshadow("F001", 2, status="已回收")),
        last_chapter=3,
        foreshadow=[foreshadow("F001", 2)],
        timeline_events=[event("E001", 2)],
    )
    body = tmp_path / "书/正文"
    body.mkdir()
    (body / "第002章_夜航.md").write_text("无事。", encoding="utf-8")
    found = reach(ledger, 2)
    assert (found.recorded, found.title) == (False, "夜航")
    assert of("foreshadow", found)["F001"].later == [4]
    assert of("event", found)["E001"].how == ["revealed"]


@pytest.mark.parametrize(("number", "allowed"), [(0, "1..2"), (3, "1..2"), (-1, "1..2")])
def test_a_chapter_that_is_not_written_is_refused(
    tmp_path: Path, number: int, allowed: str
) -> None:
    with pytest.raises(Refused) as refused:
        reach(book(tmp_path, {}, {}), number)
    assert refused.value.faults == (Fault("no_such_chapter", found=number, allowed=allowed),)


def test_a_book_without_chapters_has_none_to_rewrite(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        reach(book(tmp_path), 1)
    assert refused.value.faults == (Fault("no_such_chapter", found=1, allowed="-"),)


def test_a_broken_history_is_told_and_not_guessed_at(tmp_path: Path) -> None:
    ledger = book(tmp_path, {}, {})
    path = Path(ledger.root) / HISTORY
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], lines[2], lines[1], *lines[2:]]))
    with pytest.raises(Corrupt) as refused:
        reach(Ledger(ledger.root), 1)
    assert refused.value.code == "history_broken"


@FEW
@given(histories())
def test_every_chapter_of_every_history_has_an_impact(
    tmp_path_factory: pytest.TempPathFactory, story: Story
) -> None:
    ledger = Ledger(tmp_path_factory.mktemp("book"), clock=ticking_clock())
    init(ledger, story.init, [])
    for document in story.transactions:
        commit(ledger, document, [])
    state = story.states[-1]
    begun = max(1, story.states[0].last_committed_chapter)
    for number in range(begun, state.last_committed_chapter + 1):
        found = reach(ledger, number)
        planted = {r.id for r in state.foreshadow.values() if r.planted_chapter == number}
        told = {r.id for r in state.timeline.values() if r.first_recorded_chapter == number}
        assert planted <= set(of("foreshadow", found))
        assert told <= set(of("event", found))
        for row in found.touched:
            assert row.how and row.reason
            assert all(number < later <= state.last_committed_chapter for later in row.later)
            assert row.later == sorted(row.later)
        assert [row.chapter for row in found.later] == sorted({row.chapter for row in found.later})


# ---- the example books ---------------------------------------------------------------------------


def test_the_first_chapter_of_the_english_example(tmp_path: Path) -> None:
    root = tmp_path / "book"
    shutil.copytree(EXAMPLES / "The Cancelled Leaf", root)
    ledger = Ledger(root)
    init(ledger, json.loads((root / "事务/init.json").read_text(encoding="utf-8")), [])
    for path in sorted((root / "事务").glob("第*章.json")):
        commit(ledger, json.loads(path.read_text(encoding="utf-8")), [])
    notes: list[Fault] = []
    found = impact(ledger, 1, "en", notes)
    assert notes == []
    assert of("foreshadow", found)["F001"].reason == "planted here; goes on in chapter 5"
    assert of("character", found)["Margaret Pell"].how == ["introduced"]
    # She is Mrs. Pell in the text.
    assert [row.chapter for row in found.later if "Margaret Pell" in row.body] == [5]
