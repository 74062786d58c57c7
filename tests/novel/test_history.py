"""The history: its chain, replaying it forward and walking it back, what undo and redo take."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from clew.kernel import log
from clew.kernel.document import digest
from clew.kernel.errors import Corrupt
from clew.novel import history
from clew.novel.commit import commit
from clew.novel.history import Brief, Line, RecordChange
from clew.novel.ledger import HISTORY, STATE, Ledger, record_path
from clew.novel.start import adopt
from clew.novel.timetravel import redo, undo
from clew.testing.novel import (
    begin_book,
    chapter,
    event,
    foreshadow,
    init_document,
    snapshot,
    state_of,
)


def _book(folder: Path, chapters: int = 3) -> Ledger:
    ledger = begin_book(folder, init_document(2, character_snapshots={"江晨": snapshot()}))
    for _ in range(chapters):
        state = state_of(ledger)
        number = state.last_committed_chapter + 1
        commit(
            ledger,
            chapter(
                state, changes=["江晨"], snapshots={"江晨": snapshot(location=f"第{number}站")},
                foreshadow_changes=[foreshadow(f"F{number:03}", number)],
                timeline_events=[event("E001", number)],
            ),
            [],
        )  # fmt: skip
    return ledger


def _lines(folder: Path) -> list[bytes]:
    return log.lines((folder / HISTORY).read_bytes())[0]


def test_every_line_names_the_digest_of_the_one_before_and_of_the_state_after(
    tmp_path: Path,
) -> None:
    ledger = begin_book(tmp_path)
    digests = [digest((tmp_path / STATE).read_bytes())]
    for _ in range(3):
        commit(ledger, chapter(state_of(ledger)), [])
        digests.append(digest((tmp_path / STATE).read_bytes()))
    lines = _lines(tmp_path)
    briefs, faults = history.verify(lines)
    assert faults == []
    assert [b.state_sha256 for b in briefs] == digests
    assert [b.previous for b in briefs] == ["", *(digest(line) for line in lines[:-1])]
    assert [(b.kind, b.revision, b.chapter) for b in briefs] == [
        ("init", 0, 0), ("append", 1, 1), ("append", 2, 2), ("append", 3, 3),
    ]  # fmt: skip


def test_a_line_keeps_the_transaction_the_replaced_values_and_the_record(tmp_path: Path) -> None:
    _book(tmp_path, 2)
    line = history.load(_lines(tmp_path)[-1])
    assert line.transaction is not None and line.before is not None
    assert line.transaction.chapter == 4
    assert line.before.characters["江晨"] is not None
    assert line.before.characters["江晨"].location == "第3站"
    assert line.before.foreshadow == {"F004": None}
    text = (tmp_path / record_path(4)).read_text("utf-8")
    assert line.records == {"4": RecordChange(before=None, after=text)}
    assert line.time == "2030-01-01T00:00:03.000Z" or line.time.endswith("Z")


def test_lines_are_one_object_each_with_sorted_keys(tmp_path: Path) -> None:
    _book(tmp_path, 1)
    for line in _lines(tmp_path):
        found = msgspec.json.decode(line)
        assert list(found) == sorted(found)
        assert history.dump(history.load(line)) == line


@pytest.mark.parametrize("cut", [0, 1, 2])
def test_a_missing_line_breaks_the_chain_where_it_is_missing(tmp_path: Path, cut: int) -> None:
    _book(tmp_path)
    lines = _lines(tmp_path)
    del lines[cut]
    briefs, (fault,) = history.verify(lines)
    assert (fault.code, fault.facts["line"], len(briefs)) == ("history_broken", cut + 1, cut)


def test_a_changed_byte_in_the_middle_is_found(tmp_path: Path) -> None:
    _book(tmp_path)
    lines = _lines(tmp_path)
    lines[1] = lines[1].replace("第3章写完".encode(), "第3章写毕".encode())
    _, (fault,) = history.verify(lines)
    assert fault.facts["line"] == 3


def test_two_lines_that_changed_places_are_found(tmp_path: Path) -> None:
    _book(tmp_path)
    lines = _lines(tmp_path)
    lines[1], lines[2] = lines[2], lines[1]
    _, (fault,) = history.verify(lines)
    assert fault.facts["line"] == 2


@pytest.mark.parametrize("junk", [b"<<<<<<< HEAD", b"{}", b"[]", b"null", b"\xff", b'{"kind":"x"}'])
def test_a_line_that_is_none_is_named(tmp_path: Path, junk: bytes) -> None:
    _book(tmp_path)
    lines = _lines(tmp_path)
    _, (fault,) = history.verify([*lines[:2], junk, *lines[2:]])
    assert fault.facts["line"] == 3
    assert fault.message("zh") != fault.message("en")
    with pytest.raises(Corrupt) as caught:
        history.load(junk)
    assert caught.value.code == "history_broken"


def test_a_revision_may_not_jump() -> None:
    first = Line(kind="init", previous="", revision=0, state_sha256="x", time="t")
    data = history.dump(first)
    second = Line(kind="append", previous=digest(data), revision=2, state_sha256="x", time="t")
    _, (fault,) = history.verify([data, history.dump(second)])
    assert fault.facts["line"] == 2
    adopted = msgspec.structs.replace(second, kind="adopt")
    assert history.verify([data, history.dump(adopted)])[1] == []


def test_a_silence_makes_no_revision() -> None:
    first = Line(kind="init", previous="", revision=0, state_sha256="x", time="t")
    data = history.dump(first)
    second = Line(kind="silence", previous=digest(data), revision=0, state_sha256="x", time="t")
    assert history.verify([data, history.dump(second)])[1] == []


def test_a_history_begins_with_a_baseline() -> None:
    line = Line(kind="append", previous="", revision=0, state_sha256="x", time="t")
    _, (fault,) = history.verify([history.dump(line)])
    assert fault.facts["line"] == 1


def test_an_empty_history_has_no_fault() -> None:
    assert history.verify([]) == ([], [])


def test_replaying_gives_the_state_and_walking_back_gives_each_one_before(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path, init_document(character_snapshots={"江晨": snapshot()}))
    states = [state_of(ledger)]
    for step in ("append", "append", "revision", "undo", "undo", "redo", "append"):
        state = states[-1]
        if step == "append":
            commit(ledger, chapter(state, timeline_events=[event("E001")], changes=["江晨"]), [])
        elif step == "revision":
            commit(ledger, chapter(state, 1, foreshadow_changes=[foreshadow("F001", 1)]), [])
        else:
            (undo if step == "undo" else redo)(ledger, [])
        states.append(state_of(ledger))
    lines = _lines(tmp_path)
    for index, state in enumerate(states):
        assert history.replay(lines[: index + 1]) == state
        assert history.back_to(states[-1], lines, index) == state


def test_walking_back_beyond_a_baseline_replays_instead(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    old = state_of(ledger)
    raw = (tmp_path / STATE).read_bytes()
    (tmp_path / STATE).write_bytes(raw.replace("渡口旧账".encode(), "渡口新账".encode()))
    adopt(ledger, [])
    lines = _lines(tmp_path)
    now = state_of(ledger)
    assert now.book_title == "渡口新账"
    assert history.back_to(now, lines, len(lines) - 2) == old
    assert history.replay(lines) == now


def test_replaying_a_line_that_lies_is_refused(tmp_path: Path) -> None:
    _book(tmp_path)
    lines = _lines(tmp_path)
    lines[-1] = lines[-1].replace("第5站".encode(), "第6站".encode())
    with pytest.raises(Corrupt) as caught:
        history.replay(lines)
    assert caught.value.code == "history_broken"


def _briefs(words: str) -> list[Brief]:
    """`i` init, `a` append, `r` revision, `u2` undo of revision 2, `d2` redo of it, `s` silence,
    `b2` takeover of a state of revision 2."""
    kinds = {"i": "init", "a": "append", "r": "revision", "u": "undo", "d": "redo", "s": "silence",
             "b": "adopt"}  # fmt: skip
    out: list[Brief] = []
    revision = -1
    for word in words.split():
        if word[0] != "s":
            revision = int(word[1:]) if word[0] == "b" and word[1:] else revision + 1
        undoes = int(word[1:]) if word[0] in "ud" and word[1:] else None
        out.append(
            Brief(kind=kinds[word[0]], previous="", revision=revision, state_sha256="", time="",
                  undoes=undoes)  # type: ignore[arg-type]
        )  # fmt: skip
    return out


@pytest.mark.parametrize(
    ("words", "undoes", "redoes"),
    [
        ("i", None, None),
        ("i a", 1, None),
        ("i a a r", 3, None),
        ("i a a u2", 1, 2),
        ("i a a u2 u1", None, 1),
        ("i a a u2 u1 d1", 1, 2),
        ("i a a u2 u1 d1 d2", 2, None),
        ("i a u1 a", 3, None),
        ("i a a u2 a u4", 1, 4),
        ("i a a u2 a u4 u1", None, 1),
        ("i a a u2 a u4 u1 d1 d4", 4, None),
        ("i a b", None, None),
        ("i a b a", 3, None),
        ("i a u1 b", None, None),
        ("i a s", 1, None),
        ("i a a s u2 s", 1, 2),
        # A takeover may begin at a revision that the history has had: the later commit is meant.
        ("i a a b1 a u2", None, 4),
        ("i a a b0 a a u2 u1", None, 4),
        ("i a a b0 a a u2 u1 d1", 4, 5),
        ("i a a u2 b1", None, None),
        ("i a a b1 u2", None, None),
    ],
)
def test_undo_walks_back_redo_forward_and_a_new_commit_ends_redoing(
    words: str, undoes: int | None, redoes: int | None
) -> None:
    briefs = _briefs(words)
    assert (history.undoable(briefs), history.redoable(briefs)) == (undoes, redoes)


def test_the_records_of_a_history_are_those_that_stand_now(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    commit(ledger, chapter(state_of(ledger), 3, result="改写过"), [])
    undo(ledger, [])
    undo(ledger, [])
    lines = _lines(tmp_path)
    found = history.records(lines)
    assert set(found) == {3, 4}
    for number, text in found.items():
        assert (tmp_path / record_path(number)).read_text("utf-8") == text
        assert history.record_of(lines, number) == text
    assert history.record_of(lines, 5) is None


def test_the_record_of_a_chapter_is_the_one_of_the_last_baseline_not_an_older_line(
    tmp_path: Path,
) -> None:
    ledger = _book(tmp_path)
    (tmp_path / record_path(4)).write_text("# 第004章 · 别的工具改写的\n", "utf-8")
    raw = (tmp_path / STATE).read_bytes()
    (tmp_path / STATE).write_bytes(raw.replace("渡口旧账".encode(), "渡口新账".encode()))
    adopt(ledger, [])
    assert history.records(_lines(tmp_path))[4] == "# 第004章 · 别的工具改写的\n"
    assert history.record_of(_lines(tmp_path), 4) == "# 第004章 · 别的工具改写的\n"


def test_windows_line_ends_in_the_history_change_nothing(tmp_path: Path) -> None:
    ledger = _book(tmp_path)
    path = tmp_path / HISTORY
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    state = state_of(ledger)
    commit(ledger, chapter(state, 4, result="改写过"), [])
    assert history.verify(_lines(tmp_path))[1] == []
    assert history.replay(_lines(tmp_path)) == state_of(ledger)


def test_chapters_are_found_by_the_last_line_that_made_them_the_last(tmp_path: Path) -> None:
    ledger = _book(tmp_path, 2)
    undo(ledger, [])
    commit(ledger, chapter(state_of(ledger)), [])
    briefs, _ = history.verify(_lines(tmp_path))
    assert dict(history.appended(briefs)) == {2: 0, 3: 1, 4: 4}
