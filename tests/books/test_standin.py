"""A shelf's history that is lost or cut short is no empty library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import deck
import pytest

from clew.books import assets, editing
from clew.books.checking import repair
from clew.books.layout import INDEX, LOG
from clew.books.library import Library, open_library
from clew.books.listing import named
from clew.books.searching import search

NAMES = ["甲", "乙", "丙"]


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    made = deck.library(tmp_path)
    for name in NAMES:
        deck.one(made, tmp_path, name, description=f"{name}的码头")
    assert deck.titles(made) == sorted(NAMES)
    return made


def again(shelf: Library) -> Library:
    return open_library(shelf.root)


def notes(shelf: Library) -> list[str]:
    return [note.code for note in shelf.notes]


def lose(log: Path, how: str) -> None:
    data = log.read_bytes()
    if how == "gone":
        log.unlink()
    else:
        keep = {"empty": 0, "a line": data.find(b"\n") + 1, "half a line": len(data) - 40}[how]
        log.write_bytes(data[:keep])


@pytest.mark.parametrize("how", ["gone", "empty", "a line", "half a line"])
@pytest.mark.parametrize("index", ["kept", "gone"])
def test_every_card_is_shown_with_a_note(shelf: Library, how: str, index: str) -> None:
    lose(Path(shelf.root, LOG), how)
    if index == "gone":
        Path(shelf.root, INDEX).unlink()
    before = deck.tree(Path(shelf.root))
    asks: list[Any] = [
        lambda one: deck.titles(one) == sorted(NAMES),
        lambda one: named(one, "甲").asset.title == "甲",
        lambda one: [hit.asset.title for hit in search(one, "丙的码").hits] == ["丙"],
    ]
    for _ in range(2):  # it is told each time, and not only when it is noticed
        for ask in asks:
            one = again(shelf)
            assert ask(one)
            assert notes(one).count("shelf_short") == 1
    assert deck.tree(Path(shelf.root)) == before, "reading writes nothing"


def test_an_edit_that_the_history_has_lost_is_shown(shelf: Library) -> None:
    log = Path(shelf.root, LOG)
    before = log.read_bytes()
    editing.apply(shelf, "甲", editing.Changes(set=["name=甲改"]))
    assert "甲改" in deck.titles(shelf)
    log.write_bytes(before)
    one = again(shelf)
    assert "甲改" in deck.titles(one) and notes(one) == ["shelf_short"]


def test_an_import_skips_what_is_there(shelf: Library, tmp_path: Path) -> None:
    Path(shelf.root, LOG).unlink()
    one = again(shelf)
    done = deck.take(one, tmp_path / "in")
    assert (done.taken, done.skipped) == (0, 3) and notes(one) == ["shelf_short"]
    assert {item.title for item in done.items} == set(NAMES)


def test_changes_go_on_and_are_seen(shelf: Library, tmp_path: Path) -> None:
    Path(shelf.root, LOG).unlink()
    assets.rename(again(shelf), named(again(shelf), "甲").asset.id, "甲子")
    deck.one(again(shelf), tmp_path, "丁")
    one = again(shelf)
    assert deck.titles(one) == sorted(["甲子", "乙", "丙", "丁"])
    assert notes(one) == ["shelf_short"]


def test_a_repair_makes_it_whole_and_there_is_no_note_any_more(shelf: Library) -> None:
    Path(shelf.root, LOG).unlink()
    one = again(shelf)
    deck.titles(one)
    assert repair(one).status == "ok"
    one.notes.clear()
    assert deck.titles(one) == sorted(NAMES) and notes(one) == []
    assert notes(again(shelf)) == [] and deck.clean(again(shelf))


def test_a_library_that_is_whole_is_never_told_short(shelf: Library, tmp_path: Path) -> None:
    from clew.books.discarding import purge

    ident = named(shelf, "甲").asset.id
    assets.set_state(shelf, ident, "trash")
    purge(shelf, ident, really=True)
    assert deck.titles(again(shelf)) == sorted(["乙", "丙"])
    deck.put(Path(shelf.root), "assets/cards/mine.json", b"{}")
    for one in (shelf, again(shelf)):
        deck.titles(one)
        assert "shelf_short" not in notes(one)
