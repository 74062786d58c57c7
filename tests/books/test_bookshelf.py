"""Books of every kind, their stages, and the versions that they pin."""

from __future__ import annotations

from pathlib import Path

import deck
import pytest

from clew.books import assets, bookshelf, discarding, editing, showing
from clew.books.assets import set_state
from clew.books.checking import check
from clew.books.discarding import purge, purge_book
from clew.books.library import Library, open_library
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


# ---- designs, the trash, names -------------------------------------------------------------------


def design(shelf: Library, title: str = "沈砚") -> tuple[str, str]:
    card = assets.new_card(shelf, title)
    return card.id, card.card_book_id


def test_the_book_in_which_a_card_was_designed_is_one_of_its_uses(shelf: Library) -> None:
    card, book = design(shelf)
    [use] = showing.where_used(shelf, card).uses
    assert (use.book, use.role, use.version, use.current) == (book, "design", "", True)
    assert deck.titles(shelf, used_in=book) == ["沈砚"]
    # Where a card was made is no use of it: it says nothing of whether the card is needed.
    assert deck.titles(shelf, used_in="*") == [] and deck.titles(shelf, unused=True) == ["沈砚"]
    bookshelf.new_play(shelf, "旧码头", card)
    assert deck.titles(shelf, used_in="*") == ["沈砚"] and deck.titles(shelf, unused=True) == []
    assert [use.role for use in showing.where_used(shelf, card).uses if use.book != book] == [
        "card"
    ]


def test_a_purge_tells_of_the_design_that_stays(shelf: Library) -> None:
    card, book = design(shelf)
    set_state(shelf, card, "trash")
    told = purge(shelf, card, really=False)
    assert told.items[0].designed_in == book
    assert [(n.code, n.facts["found"]) for n in shelf.notes] == [("design_stays", book)]
    assert purge(shelf, card, really=True).status == "ok"
    assert shelf.book(book).title == "沈砚", "how a card was made outlives it"
    assert deck.clean(shelf)


def test_a_renamed_card_renames_the_book_it_is_designed_in(shelf: Library) -> None:
    card, book = design(shelf)
    assets.rename(shelf, card, "沈澈")
    assert shelf.book(book).title == "沈澈"
    assets.rename(shelf, card, "沈砚")
    set_(shelf, card, "name=新名")
    assert (deck.asset(shelf, card).title, shelf.book(book).title) == ("新名", "新名")
    before = shelf.book(book)
    assets.rename(shelf, card, "新名")
    assert shelf.book(book) == before, "what changes nothing is no change"


def test_a_book_goes_to_the_trash_and_comes_back_as_it_was(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    play = bookshelf.new_play(shelf, "旧码头", card.id)
    bookshelf.set_stage(shelf, play.id, "archived")
    gone = bookshelf.keep_book(shelf, play.id, "trash")
    assert gone.state == "trashed"
    with pytest.raises(Refused) as refused:
        bookshelf.keep_book(shelf, play.id, "trash")
    assert code_of(refused) == "impossible_step" and "旧码头" in str(refused.value)
    with pytest.raises(Refused) as refused:
        bookshelf.set_stage(shelf, play.id, "play")
    assert code_of(refused) == "book_in_the_trash"
    set_state(shelf, card.id, "trash")
    with pytest.raises(Refused):
        purge(shelf, card.id, really=True)
    back = bookshelf.keep_book(shelf, play.id, "restore")
    assert (back.state, back.lifecycle_stage) == ("active", "archived")
    assert deck.clean(shelf)


def test_a_book_is_purged_from_the_trash_only_and_lets_go_of_what_it_pinned(
    shelf: Library, tmp_path: Path
) -> None:
    card = deck.one(shelf, tmp_path)
    play = bookshelf.new_play(shelf, "旧码头", card.id)
    root = Path(shelf.root, "books", play.id)
    for name in ("traces.jsonl", "messages.jsonl", "contents/a.json", "snapshots/b.json"):
        deck.put(root, name, b"{}")
    set_state(shelf, card.id, "trash")
    with pytest.raises(Refused) as refused:
        purge_book(shelf, play.id, really=True)
    assert code_of(refused) == "impossible_step"
    bookshelf.keep_book(shelf, play.id, "trash")
    before = deck.tree(Path(shelf.root))
    told = purge_book(shelf, play.id, really=False)
    assert (told.status, len(told.items[0].files)) == ("would_delete", 5)
    assert deck.tree(Path(shelf.root)) == before
    assert purge_book(shelf, play.id, really=True).items == told.items
    assert not root.exists()
    assert deck.titles(shelf, used_in="*", states=("trashed",)) == []
    assert purge(shelf, card.id, really=True).status == "ok"
    assert deck.clean(shelf)
    with pytest.raises(Missing):
        purge_book(shelf, play.id, really=True)


def test_a_purged_design_is_missed_by_nobody_and_mine_stays(shelf: Library) -> None:
    card, book = design(shelf)
    mine = deck.put(Path(shelf.root, "books", book), "mine.txt", b"mine")
    bookshelf.keep_book(shelf, book, "trash")
    purge_book(shelf, book, really=True)
    assert deck.asset(shelf, card).card_book_id == "" and mine.read_bytes() == b"mine"
    assert deck.codes(check(shelf).findings) == ["stray_on_shelf"]
    mine.unlink()
    mine.parent.rmdir()
    assert deck.clean(shelf)


def test_a_purge_of_a_book_that_is_killed_leaves_a_sound_library(
    shelf: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the commit and before its folder is cleared."""
    card, book = design(shelf)
    bookshelf.keep_book(shelf, book, "trash")
    monkeypatch.setattr(discarding, "_clear", lambda library, folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        purge_book(shelf, book, really=True)
    found = check(open_library(shelf.root))
    assert found.findings == [] and Path(shelf.root, "books", book).is_dir()
    assert deck.asset(shelf, card).card_book_id == ""


def test_a_book_is_named_by_title_id_or_the_beginning_of_its_id(shelf: Library) -> None:
    book = bookshelf.new_project(shelf, "渡口旧账", "novel")
    for name in ("渡口旧账", book.id, book.id[:4], book.id[:12], " 渡口旧账 "):
        assert bookshelf.book_named(shelf, name).id == book.id
    for name in (book.id[:3], "b" + "0" * 19, "没有"):
        with pytest.raises(Missing):
            bookshelf.book_named(shelf, name)
    bookshelf.keep_book(shelf, book.id, "trash")
    assert bookshelf.book_named(shelf, "渡口旧账").id == book.id
    fresh = bookshelf.new_project(shelf, "渡口旧账", "novel")
    assert bookshelf.book_named(shelf, "渡口旧账").id == fresh.id, "a living book outranks it"
