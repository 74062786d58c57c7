"""Books of every kind, their stages, and the versions that they pin."""

from __future__ import annotations

from pathlib import Path

import deck
import pytest

from clew.books import assets, bookshelf, editing, showing
from clew.books.assets import purge, set_state
from clew.books.library import Library
from clew.kernel.errors import ClewError, Missing, Refused


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def set_(shelf: Library, name: str, *pairs: str) -> None:
    editing.apply(shelf, name, editing.Changes(set=pairs))


def code_of(error: pytest.ExceptionInfo[ClewError]) -> str:
    return error.value.code


def test_a_play_pins_the_version_it_began_with(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    play = bookshelf.new_play(shelf, "旧码头", card.id)
    set_(shelf, card.id, "description=二")
    newer = bookshelf.new_play(shelf, "新码头", card.id)
    older = bookshelf.new_play(shelf, "更旧", card.id, version=1)
    uses = {use.book: use for use in showing.where_used(shelf, card.id).uses}
    assert (uses[play.id].version, uses[play.id].current) == ("1", False)
    assert (uses[newer.id].version, uses[newer.id].current) == ("2", True)
    assert uses[older.id].version == "1"
    assert shelf.book(play.id) == play, "a new version of the card changes no old play"
    with pytest.raises(Missing):
        bookshelf.new_play(shelf, "x", card.id, version=3)


def test_a_pinned_card_is_not_purged(shelf: Library, tmp_path: Path) -> None:
    card, other = deck.one(shelf, tmp_path), deck.one(shelf, tmp_path, "周薄森")
    bookshelf.new_play(shelf, "旧码头", other.id, cast=(card.id,))
    set_state(shelf, card.id, "trash")
    with pytest.raises(Refused) as refused:
        purge(shelf, card.id, really=True)
    assert code_of(refused) == "still_used" and "旧码头" in str(refused.value)
    with pytest.raises(Refused):
        bookshelf.new_play(shelf, "y", card.id)
    assert deck.clean(shelf)


@pytest.mark.parametrize("kind", ["novel", "forum", "weird_rules", "custom"])
def test_projects_of_every_kind_with_their_stages(shelf: Library, kind: str) -> None:
    book = bookshelf.new_project(shelf, "渡口旧账", kind)
    assert bookshelf.book_named(shelf, "渡口旧账") == book
    for stage in ("play", "done", "play", "design", "done"):
        book = bookshelf.set_stage(shelf, book.id, stage)  # type: ignore[assignment]
        assert shelf.book(book.id).lifecycle_stage == stage
    with pytest.raises(Refused) as refused:
        bookshelf.set_stage(shelf, book.id, "archived")
    assert code_of(refused) == "impossible_step"
    assert book.revision == 6
    assert deck.clean(shelf)


def test_a_project_of_an_unknown_kind(shelf: Library) -> None:
    with pytest.raises(Refused) as refused:
        bookshelf.new_project(shelf, "x", "poem")
    assert code_of(refused) == "not_allowed"


def test_books_of_one_title_are_told_apart_by_their_ids(shelf: Library) -> None:
    one = bookshelf.new_project(shelf, "书", "novel")
    bookshelf.new_project(shelf, "书", "forum")
    with pytest.raises(Refused) as refused:
        bookshelf.book_named(shelf, "书")
    assert code_of(refused) == "several_books"
    assert bookshelf.book_named(shelf, one.id) == one


def test_a_card_book_has_its_own_stages(shelf: Library) -> None:
    book = assets.new_card(shelf, "沈砚").card_book_id
    assert bookshelf.set_stage(shelf, book, "archived").lifecycle_stage == "archived"
    assert bookshelf.set_stage(shelf, book, "design").lifecycle_stage == "design"
    with pytest.raises(Refused):
        bookshelf.set_stage(shelf, book, "play")
