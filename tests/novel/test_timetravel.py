"""History, `at`, `diff`, undo and redo, and the two ways out of a change from outside.

The properties hold for whatever lawful sequence the strategies make.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.kernel import log
from clew.kernel.document import digest
from clew.kernel.errors import ChangedOutside, ClewError, Corrupt, Refused
from clew.kernel.faults import Fault
from clew.novel import history, views
from clew.novel.check import check
from clew.novel.commit import commit
from clew.novel.ledger import HISTORY, RECORDS, STATE, Ledger, record_path
from clew.novel.mend import repair, restore
from clew.novel.model import State
from clew.novel.start import adopt, init
from clew.novel.timetravel import Turn, at, diff, entries, redo, undo
from clew.testing.novel import (
    Story,
    begin_book,
    chapter,
    event,
    foreshadow,
    histories,
    init_document,
    init_documents,
    refusal,
    snapshot,
    state_of,
    ticking_clock,
    transactions,
    tree,
)

FEW = settings(max_examples=max(10, settings().max_examples // 6))
"""Each example works on real files."""


def _same_but_revision(one: State, other: State) -> bool:
    return msgspec.structs.replace(one, state_revision=other.state_revision) == other


def _shown(folder: Path) -> dict[str, bytes]:
    """Every view and record, the revision line left out."""
    out = {}
    for path, data in tree(folder / "追踪").items():
        if path.endswith(".md") and not path.startswith(".clew/"):
            lines = data.split(b"\n")
            out[path] = b"\n".join(x for x in lines if not x.startswith("> 状态修订".encode()))
    return out


def _verify(ledger: Ledger) -> None:
    """What holds after every step."""
    lines = log.lines((Path(ledger.root) / HISTORY).read_bytes())[0]
    briefs, faults = history.verify(lines)
    assert faults == []
    raw = (Path(ledger.root) / STATE).read_bytes()
    assert briefs[-1].state_sha256 == digest(raw)
    assert raw == history.encode_state(state_of(ledger))
    notes: list[Fault] = []
    check(Ledger(ledger.root), notes)
    assert [n.code for n in notes if n.code != "near_capacity"] == []


# ---- properties ----------------------------------------------------------------------------------


@FEW
@given(story=histories(most=4))
def test_replaying_the_history_of_any_story_gives_its_state_and_at_gives_each_one(
    tmp_path_factory: pytest.TempPathFactory, story: Story
) -> None:
    folder = tmp_path_factory.mktemp("book")
    ledger = Ledger(folder, clock=ticking_clock())
    init(ledger, story.init, [])
    _verify(ledger)
    saved = {0: state_of(ledger)}
    appended = {saved[0].last_committed_chapter: saved[0]}
    for document in story.transactions:
        commit(ledger, document, [])
        _verify(ledger)
        state = state_of(ledger)
        saved[state.state_revision] = state
        if document["mode"] == "append":
            appended[state.last_committed_chapter] = state
    assert list(saved.values()) == story.states
    lines = log.lines((folder / HISTORY).read_bytes())[0]
    assert history.replay(lines) == story.states[-1]
    fresh = Ledger(folder)
    for revision, state in saved.items():
        moment = at(fresh, revision=revision)
        assert (moment.state, moment.revision) == (state, revision)
    for number, state in appended.items():
        moment = at(fresh, chapter=number)
        assert (moment.state, moment.chapter) == (state, number)


@FEW
@given(data=st.data())
def test_undo_restores_state_views_and_records_and_redo_brings_them_back(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("book")
    ledger = Ledger(folder, clock=ticking_clock())
    init(ledger, data.draw(init_documents()), [])
    states, shown = [state_of(ledger)], [_shown(folder)]
    for _ in range(data.draw(st.integers(1, 4))):
        commit(ledger, data.draw(transactions(states[-1])), [])
        states.append(state_of(ledger))
        shown.append(_shown(folder))
    back = data.draw(st.integers(1, len(states) - 1))
    revision = states[-1].state_revision
    for step in range(1, back + 1):
        turned = undo(ledger, [])
        revision += 1
        assert turned.state_revision == revision
        assert _same_but_revision(state_of(ledger), states[-1 - step])
        assert _shown(folder) == shown[-1 - step]
        _verify(ledger)
    for step in range(back, 0, -1):
        redo(ledger, [])
        assert _same_but_revision(state_of(ledger), states[-step])
        assert _shown(folder) == shown[-step]
        _verify(ledger)
    assert refusal(folder, lambda: redo(ledger, [])).code == "nothing_to_redo"


@FEW
@given(data=st.data())
def test_after_undo_a_new_commit_ends_redoing_and_everything_still_holds(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("book")
    ledger = Ledger(folder, clock=ticking_clock())
    init(ledger, data.draw(init_documents()), [])
    saved = {0: state_of(ledger)}
    undone = done = 0
    for _ in range(data.draw(st.integers(2, 7))):
        state = state_of(ledger)
        choices = ["commit"] + ["undo"] * bool(done) + ["redo"] * bool(undone)
        step = data.draw(st.sampled_from(choices))
        if step == "commit":
            commit(ledger, data.draw(transactions(state)), [])
            done, undone = done + 1, 0
            assert refusal(folder, lambda: redo(ledger, [])).code == "nothing_to_redo"
        elif step == "undo":
            undo(ledger, [])
            done, undone = done - 1, undone + 1
        else:
            redo(ledger, [])
            done, undone = done + 1, undone - 1
        _verify(ledger)
        now = state_of(ledger)
        assert now.state_revision == state.state_revision + 1
        saved[now.state_revision] = now
    if not done:
        assert refusal(folder, lambda: undo(ledger, [])).code == "nothing_to_undo"
    for revision, state in saved.items():
        assert at(Ledger(folder), revision=revision).state == state
    lines = log.lines((folder / HISTORY).read_bytes())[0]
    for index, state in enumerate(saved.values()):
        assert history.replay(lines[: index + 1]) == state


@FEW
@given(story=histories(most=3))
def test_two_ways_to_one_state_show_the_same_but_for_the_revision(
    tmp_path_factory: pytest.TempPathFactory, story: Story
) -> None:
    straight, round_about = tmp_path_factory.mktemp("a"), tmp_path_factory.mktemp("b")
    one, two = Ledger(straight), Ledger(round_about)
    init(one, story.init, [])
    init(two, story.init, [])
    for document in story.transactions:
        commit(one, document, [])
        detour = document | {"expected_state_revision": state_of(two).state_revision}
        commit(two, detour, [])
        undo(two, [])
        redo(two, [])
    assert _same_but_revision(state_of(one), state_of(two))
    assert _shown(straight) == _shown(round_about)
    for ledger in (one, two):
        for path, data in views.render(state_of(ledger)).items():
            assert (Path(ledger.root) / path).read_bytes() == data


@FEW
@given(story=histories(most=3))
def test_the_difference_of_a_point_from_itself_is_nothing_and_names_rows_otherwise(
    tmp_path_factory: pytest.TempPathFactory, story: Story
) -> None:
    folder = tmp_path_factory.mktemp("book")
    ledger = Ledger(folder)
    init(ledger, story.init, [])
    for document in story.transactions:
        commit(ledger, document, [])
    last = len(story.transactions)
    assert diff(ledger, last, last, revisions=True).changes == []
    forward = diff(ledger, 0, last, revisions=True)
    backward = diff(ledger, last, 0, revisions=True)
    assert (
        [(c.path, c.after, c.before) for c in backward.changes]
        and (sorted(c.path for c in forward.changes) == sorted(c.path for c in backward.changes))
    ) or forward.changes == []
    there = {c.path: (c.before, c.after) for c in forward.changes}
    assert {c.path: (c.after, c.before) for c in backward.changes} == there
    a, b = msgspec.to_builtins(story.states[0]), msgspec.to_builtins(story.states[-1])
    for path, (before, after) in there.items():
        top, _, key = path.partition(".")
        assert before != after
        assert (a[top].get(key) if key else a[top]) == before
        assert (b[top].get(key) if key else b[top]) == after


# ---- examples ------------------------------------------------------------------------------------


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Three chapters: 江晨 is made in 1, moves in 2, F001 is planted in 2 and resolved in 3."""
    ledger = begin_book(tmp_path)
    steps = [
        {"changes": ["江晨"], "snapshots": {"江晨": snapshot()}, "timeline_events": [event("E001")]},
        {"changes": ["江晨"], "snapshots": {"江晨": snapshot(location="船上")},
         "foreshadow_changes": [foreshadow("F001", 2, 3)]},
        {"foreshadow_changes": [foreshadow("F001", 2, 3, status="已回收")], "changes": ["路人"]},
    ]  # fmt: skip
    for step in steps:
        commit(ledger, chapter(state_of(ledger), **step), [])
    return ledger


def test_the_history_lists_what_each_change_touched(ledger: Ledger) -> None:
    found = entries(ledger).entries
    assert [(e.revision, e.kind, e.chapter) for e in found] == [
        (0, "init", 0), (1, "append", 1), (2, "append", 2), (3, "append", 3),
    ]  # fmt: skip
    assert (found[1].characters, found[1].events) == (["江晨"], ["E001"])
    assert (found[3].characters, found[3].foreshadows) == (["路人"], ["F001"])
    assert (found[2].title, found[2].result) == ("章题2", "第2章写完")
    assert [e.revision for e in entries(ledger, character="江晨").entries] == [1, 2]
    assert [e.revision for e in entries(ledger, foreshadow="F001").entries] == [2, 3]
    assert entries(ledger, character="没有").entries == []


def test_the_history_says_what_an_undo_took_back(ledger: Ledger) -> None:
    undo(ledger, [])
    last = entries(ledger).entries[-1]
    assert (last.kind, last.undoes, last.revision) == ("undo", 3, 4)
    assert last.foreshadows == ["F001"]


def test_at_a_chapter_is_the_moment_it_was_appended_not_its_later_revision(ledger: Ledger) -> None:
    then = at(ledger, chapter=2).state
    commit(ledger, chapter(state_of(ledger), 2, foreshadow_changes=[foreshadow("F009", 1)]), [])
    assert at(ledger, chapter=2).state == then
    assert "F009" in state_of(ledger).foreshadow
    assert at(ledger, chapter=2).revision == 2


@pytest.mark.parametrize("point", [{"chapter": 9}, {"chapter": -1}, {"revision": 9}])
def test_a_point_that_never_was_is_refused_with_what_there_is(
    ledger: Ledger, point: dict[str, int]
) -> None:
    error = refusal(ledger.root, lambda: at(ledger, **point))
    assert isinstance(error, Refused)
    (fault,) = error.faults
    assert (fault.code, fault.facts["allowed"]) == ("no_such_point", "0..3")


def test_a_chapter_that_was_imported_has_no_moment_of_its_own(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path, init_document(5))
    commit(ledger, chapter(state_of(ledger)), [])
    assert at(ledger, chapter=5).revision == 0
    assert refusal(tmp_path, lambda: at(ledger, chapter=4)).code == "no_such_point"


def test_a_difference_names_rows_with_both_values(ledger: Ledger) -> None:
    found = {c.path: (c.before, c.after) for c in diff(ledger, 1, 3).changes}
    assert set(found) == {
        "last_committed_chapter", "context.recent_chapters", "characters.江晨", "foreshadow.F001",
    }  # fmt: skip
    assert found["last_committed_chapter"] == (1, 3)
    assert found["foreshadow.F001"][0] is None
    assert found["characters.江晨"][0]["location"] == "三号码头"
    assert found["characters.江晨"][1]["location"] == "船上"


def test_undoing_a_revision_of_a_middle_chapter_restores_its_record(ledger: Ledger) -> None:
    before = _shown(Path(ledger.root))
    commit(
        ledger,
        chapter(state_of(ledger), 2, result="改写第二章", changes=["江晨"],
                foreshadow_changes=[foreshadow("F001", 2, 8)]),
        [],
    )  # fmt: skip
    text = (Path(ledger.root) / record_path(2)).read_text("utf-8")
    assert "改写第二章" in text and "第8章" in text
    assert state_of(ledger).context.recent_chapters[1].summary == "改写第二章"
    undo(ledger, [])
    assert _shown(Path(ledger.root)) == before


def test_undoing_an_append_removes_its_record_and_its_characters(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path)
    commit(ledger, chapter(state_of(ledger), changes=["江晨"], snapshots={"江晨": snapshot()}), [])
    turned = undo(ledger, [])
    assert (turned.last_committed_chapter, turned.state_revision) == (0, 2)
    assert turned.undone == Turn("append", 1, 1)
    assert not (tmp_path / record_path(1)).exists()
    assert not (tmp_path / "追踪/角色状态/江晨.md").exists()
    redo(ledger, [])
    assert (tmp_path / record_path(1)).exists()


def test_a_record_that_was_edited_is_kept_aside_when_it_is_undone(ledger: Ledger) -> None:
    place = Path(ledger.root) / record_path(3)
    place.write_text("我写了很多批注\n", "utf-8")
    turned = undo(ledger, [])
    assert not place.exists()
    (kept,) = turned.set_aside
    assert (Path(ledger.root) / kept).read_text("utf-8") == "我写了很多批注\n"


def test_there_is_nothing_to_undo_at_the_beginning_or_after_a_takeover(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path)
    error = refusal(tmp_path, lambda: undo(ledger, []))
    assert (error.code, error.exit_code) == ("nothing_to_undo", 1)
    commit(ledger, chapter(state_of(ledger)), [])
    (tmp_path / HISTORY).unlink()
    adopt(ledger, [])
    assert refusal(tmp_path, lambda: undo(ledger, [])).code == "nothing_to_undo"


def test_an_undone_chapter_can_be_written_anew(ledger: Ledger) -> None:
    undo(ledger, [])
    commit(ledger, chapter(state_of(ledger), result="另一个第三章"), [])
    assert at(ledger, chapter=3).revision == 5
    assert refusal(ledger.root, lambda: redo(ledger, [])).code == "nothing_to_redo"
    undo(ledger, [])
    undo(ledger, [])
    assert state_of(ledger).last_committed_chapter == 1


def test_a_chapter_that_was_undone_still_shows_the_moment_it_was_appended(ledger: Ledger) -> None:
    then = state_of(ledger)
    undo(ledger, [])
    assert at(ledger, chapter=3).state == then
    assert (at(ledger, chapter=3).revision, state_of(ledger).last_committed_chapter) == (3, 2)


# ---- changed outside -----------------------------------------------------------------------------


def _edit(ledger: Ledger) -> bytes:
    path = Path(ledger.root) / STATE
    path.write_bytes(path.read_bytes().replace("镇定".encode(), "慌张".encode()))
    return path.read_bytes()


def test_a_state_changed_outside_stops_reading_and_writing_alike(ledger: Ledger) -> None:
    document = chapter(state_of(ledger))
    _edit(ledger)
    mine = Ledger(ledger.root)
    for run in (
        lambda: check(mine, []), lambda: commit(mine, document, []), lambda: undo(mine, []),
        lambda: at(mine, revision=1), lambda: redo(mine, []),
    ):  # fmt: skip
        error = refusal(mine.root, run)
        assert isinstance(error, ChangedOutside | Corrupt)
        assert [f.code for f in error.faults] == ["changed_outside"]


def test_adopting_takes_the_change_as_the_new_baseline(ledger: Ledger) -> None:
    old = at(ledger, revision=3).state
    _edit(ledger)
    mine = Ledger(ledger.root)
    adopt(mine, [])
    assert state_of(mine).characters["江晨"].state == "慌张"
    _verify(mine)
    assert at(mine, revision=2).state == at(ledger, revision=2).state
    assert old.characters["江晨"].state == "镇定"
    commit(mine, chapter(state_of(mine)), [])
    undo(mine, [])
    assert state_of(mine).characters["江晨"].state == "慌张"
    _verify(mine)


def test_restoring_puts_back_what_the_history_says_and_keeps_the_other_aside(
    ledger: Ledger,
) -> None:
    good = tree(ledger.root)
    edited = _edit(ledger)
    notes: list[Fault] = []
    turned = restore(Ledger(ledger.root), notes)
    assert turned.restored
    (kept,) = turned.set_aside
    assert (Path(ledger.root) / kept).read_bytes() == edited
    assert [n.code for n in notes] == ["edit_set_aside"]
    after = tree(ledger.root)
    assert {p: d for p, d in after.items() if "/.clew/" not in p} == {
        p: d for p, d in good.items() if "/.clew/" not in p
    }
    _verify(ledger)


def test_restoring_rebuilds_a_state_that_is_gone(ledger: Ledger) -> None:
    state = state_of(ledger)
    (Path(ledger.root) / STATE).unlink()
    assert restore(Ledger(ledger.root), []).restored
    assert state_of(Ledger(ledger.root)) == state
    _verify(Ledger(ledger.root))


def test_a_record_rewritten_outside_survives_adopting_revising_and_undoing(ledger: Ledger) -> None:
    """What `adopt` took over is what an undo goes back to."""
    place = Path(ledger.root) / record_path(2)
    rewritten = place.read_text("utf-8") + "\n## 本章退役登记\n- 别的工具登记的\n"
    place.write_text(rewritten, "utf-8")
    _edit(ledger)
    mine = Ledger(ledger.root)
    adopt(mine, [])
    commit(mine, chapter(state_of(mine), 2, result="改写"), [])
    assert "- 别的工具登记的" in place.read_text("utf-8")
    undo(mine, [])
    assert place.read_text("utf-8") == rewritten
    _verify(mine)


def _moved_on_by_another_tool(ledger: Ledger, copy: Path) -> None:
    """State, record and character file of a fourth chapter, and nothing in the history."""
    top = Path(ledger.root)
    shutil.copytree(top, copy)
    other = Ledger(copy)
    commit(other, chapter(state_of(other), changes=["新人"], snapshots={"新人": snapshot()}), [])
    for path in (STATE, record_path(4), views.character_path("新人"), views.CARD):
        shutil.copy(copy / path, top / path)


@pytest.mark.parametrize("ending", ["adopt", "restore"])
def test_after_either_way_out_everything_agrees_and_the_next_chapter_goes_in(
    ledger: Ledger, tmp_path_factory: pytest.TempPathFactory, ending: str
) -> None:
    _moved_on_by_another_tool(ledger, tmp_path_factory.mktemp("x") / "copy")
    record = (Path(ledger.root) / record_path(4)).read_bytes()
    mine = Ledger(ledger.root)
    with pytest.raises(ClewError) as caught:
        check(mine, [])
    assert "changed_outside" in [f.code for f in caught.value.faults]
    (adopt if ending == "adopt" else restore)(mine, [])
    assert state_of(mine).last_committed_chapter == (4 if ending == "adopt" else 3)
    _verify(mine)
    commit(mine, chapter(state_of(mine), result="下一章"), [])
    _verify(mine)
    assert record in tree(ledger.root).values()


# ---- a broken history ----------------------------------------------------------------------------


def _merge(ledger: Ledger) -> bytes:
    """The history as git leaves it after two branches appended to it."""
    path = Path(ledger.root) / HISTORY
    lines = path.read_bytes().splitlines(keepends=True)
    merged = b"".join(
        [
            *lines[:2],
            b"<<<<<<< HEAD\n",
            lines[2],
            b"=======\n",
            lines[2],
            b">>>>>>> other\n",
            lines[3],
        ]
    )
    path.write_bytes(merged)
    return merged


def test_repair_keeps_every_line_aside_and_starts_a_new_baseline(ledger: Ledger) -> None:
    state = state_of(ledger)
    merged = _merge(ledger)
    turned = repair(Ledger(ledger.root), [])
    assert any((Path(ledger.root) / kept).read_bytes() == merged for kept in turned.set_aside)
    mine = Ledger(ledger.root)
    assert state_of(mine) == state
    assert [e.kind for e in entries(mine).entries] == ["adopt"]
    _verify(mine)
    commit(mine, chapter(state_of(mine)), [])
    undo(mine, [])
    _verify(mine)


@pytest.mark.parametrize("step", ["check", "undo", "redo", "at", "diff", "entries", "restore"])
def test_a_broken_history_is_named_by_whatever_needs_it(ledger: Ledger, step: str) -> None:
    _merge(ledger)
    mine = Ledger(ledger.root)
    run = {
        "check": lambda: check(mine, []), "undo": lambda: undo(mine, []),
        "redo": lambda: redo(mine, []), "at": lambda: at(mine, chapter=1),
        "diff": lambda: diff(mine, 1, 2), "entries": lambda: entries(mine),
        "restore": lambda: restore(mine, []),
    }[step]  # fmt: skip
    error = refusal(mine.root, run)
    assert isinstance(error, Corrupt)
    assert (error.code, error.faults[0].facts["line"]) == ("history_broken", 3)
    assert "history repair" in error.faults[0].hint("zh")


@pytest.mark.parametrize("ending", ["repair", "adopt", "restore"])
def test_every_way_out_leaves_the_records_as_they_are(ledger: Ledger, ending: str) -> None:
    before = {p: d for p, d in tree(ledger.root).items() if p.startswith(RECORDS)}
    mine = Ledger(ledger.root)
    if ending == "repair":
        _merge(mine)
        repair(mine, [])
    else:
        _edit(mine)
        (adopt if ending == "adopt" else restore)(mine, [])
    assert {p: d for p, d in tree(ledger.root).items() if p.startswith(RECORDS)} == before


def test_repairing_without_a_state_is_refused(ledger: Ledger) -> None:
    (Path(ledger.root) / STATE).unlink()
    error = refusal(ledger.root, lambda: repair(Ledger(ledger.root), []))
    assert isinstance(error, ClewError)
    assert error.code == "state_lost"


def test_restoring_without_a_history_is_refused(ledger: Ledger) -> None:
    (Path(ledger.root) / HISTORY).unlink()
    error = refusal(ledger.root, lambda: restore(Ledger(ledger.root), []))
    assert error.code == "missing_file"
