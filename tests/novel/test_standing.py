"""The commits that stand after undo, redo, revisions and baselines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.kernel.errors import Corrupt
from clew.novel.commit import commit
from clew.novel.history import Silence
from clew.novel.ledger import HISTORY, STATE, Ledger
from clew.novel.marks import put
from clew.novel.standing import (
    baseline_state,
    context_of,
    delta_of,
    packed,
    snapshot_of,
    snapshots_in,
    standing,
)
from clew.novel.start import adopt, init
from clew.novel.timetravel import redo, undo
from clew.testing.novel import (
    Story,
    begin_book,
    chapter,
    histories,
    init_document,
    snapshot,
    state_of,
    ticking_clock,
)

FEW = settings(max_examples=max(10, settings().max_examples // 6))
"""Each example works on real files."""


def lines_of(ledger: Ledger) -> list[bytes]:
    return ledger.look(ledger.lines)


def results(ledger: Ledger) -> list[tuple[int, str]]:
    stand = standing(lines_of(ledger), state_of(ledger).last_committed_chapter)
    return [(commit.chapter, delta_of(commit).result) for commit in stand.commits]


@FEW
@given(histories(), st.lists(st.booleans(), max_size=6))
def test_what_stands_is_what_was_not_taken_back(
    tmp_path_factory: pytest.TempPathFactory, story: Story, turns: list[bool]
) -> None:
    root = tmp_path_factory.mktemp("book")
    ledger = Ledger(root, clock=ticking_clock())
    init(ledger, story.init, [])
    done = 0
    for document in story.transactions:
        commit(ledger, document | {"expected_state_revision": state_of(ledger).state_revision}, [])
        done += 1
    for back in turns:
        if back and done:
            undo(ledger, [])
            done -= 1
        elif not back and done < len(story.transactions):
            redo(ledger, [])
            done += 1
    stand = standing(lines_of(ledger), state_of(ledger).last_committed_chapter)
    assert [c.chapter for c in stand.commits] == [d["chapter"] for d in story.transactions[:done]]
    assert [c.mode for c in stand.commits] == [d["mode"] for d in story.transactions[:done]]
    for name, found in state_of(ledger).characters.items():
        handed = [s for c in stand.commits if (s := snapshot_of(c, name)) is not None]
        first = baseline_state(lines_of(ledger), stand.baselines[0])
        assert first is not None
        assert found == (handed[-1] if handed else first.characters[name])


def test_the_latest_commit_of_a_chapter_is_its_record(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书")
    commit(ledger, chapter(state_of(ledger), result="上船"), [])
    commit(ledger, chapter(state_of(ledger), result="对账"), [])
    commit(ledger, chapter(state_of(ledger), 1, result="夜里上船", chapter_title="夜船"), [])
    stand = standing(lines_of(ledger), 2)
    assert [delta_of(c).result for c in stand.of(1)] == ["上船", "夜里上船"]
    assert [(n, delta_of(c).result) for n, c in stand.latest().items()] == [
        (1, "夜里上船"), (2, "对账"),
    ]  # fmt: skip
    assert list(stand.latest(above=1)) == [2]
    assert packed(stand.of(1)[-1]).chapter_title == "夜船"
    assert context_of(stand.of(2)[0]).long_term_constraints == ["夜里不许点明火"]


def test_another_chapter_after_an_undo_replaces_what_was_taken_back(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书")
    commit(ledger, chapter(state_of(ledger), result="上船"), [])
    undo(ledger, [])
    assert results(ledger) == []
    commit(ledger, chapter(state_of(ledger), result="下船"), [])
    assert results(ledger) == [(1, "下船")]
    undo(ledger, [])
    redo(ledger, [])
    assert results(ledger) == [(1, "下船")]


def test_marks_change_nothing(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书")
    commit(ledger, chapter(state_of(ledger), result="上船"), [])
    put(ledger, [], Silence(finding="overdue/F001", reason="有意"))
    assert results(ledger) == [(1, "上船")]


def test_what_was_said_before_a_take_over_stands_unless_the_book_no_longer_has_the_chapter(
    tmp_path: Path,
) -> None:
    ledger = begin_book(tmp_path / "书")
    for _ in range(2):
        commit(ledger, chapter(state_of(ledger)), [])
    path = tmp_path / "书" / STATE
    path.write_bytes(path.read_bytes().replace("渡口旧账".encode(), "渡口新账".encode()))
    adopt(ledger, [])
    stand = standing(lines_of(ledger), 2)
    assert [commit.chapter for commit in stand.commits] == [1, 2]
    assert len(stand.baselines) == 2
    assert [c.chapter for c in standing(lines_of(ledger), 1).commits] == [1]


def test_snapshots_are_found_by_whole_names_only(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书")
    people = {"江晨": snapshot(goal="甲"), "江": snapshot(goal="乙", knowledge=['"江晨":{'])}
    commit(ledger, chapter(state_of(ledger), changes=list(people), snapshots=people), [])
    (only,) = standing(lines_of(ledger), 1).commits
    assert sorted(snapshots_in(only)) == ["江", "江晨"]
    assert [getattr(snapshot_of(only, n), "goal", None) for n in ("江晨", "江", "晨")] == [
        "甲", "乙", None,
    ]  # fmt: skip


def test_a_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书", init_document())
    lines = [*lines_of(ledger), b"{"]
    with pytest.raises(Corrupt) as refused:
        standing(lines, 0)
    fault = refused.value.faults[0]
    assert (fault.code, fault.facts["file"], fault.facts["line"]) == ("history_broken", HISTORY, 2)
