"""Edits: titles that follow names, numbers as they are written, where a version came from."""

from __future__ import annotations

from pathlib import Path

import cardfiles
import deck
import pytest

from clew.books import assets, editing
from clew.books.layout import version_file
from clew.books.library import Library
from clew.books.listing import named
from clew.kernel.errors import ClewError, Refused


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def edit(shelf: Library, ident: str, **how: object) -> editing.EditedAnswer:
    return editing.apply(shelf, ident, editing.Changes(**how))  # type: ignore[arg-type]


def test_a_title_follows_the_name_over_a_version_without_one(
    shelf: Library, tmp_path: Path
) -> None:
    ident = deck.one(shelf, tmp_path).id
    assert edit(shelf, ident, set=["name="]).title == "沈砚"
    assert [note.code for note in shelf.notes] == ["name_missing"]
    assert edit(shelf, ident, set=["name=新名"]).title == "新名"
    assert named(shelf, "新名").asset.id == ident


def test_a_title_of_ones_own_does_not_follow(shelf: Library, tmp_path: Path) -> None:
    ident = deck.one(shelf, tmp_path).id
    assets.rename(shelf, ident, "我的")
    edit(shelf, ident, set=["name="])
    assert edit(shelf, ident, set=["name=新名"]).title == "我的"


def test_a_card_without_a_name_gets_the_first_that_it_is_given(
    shelf: Library, tmp_path: Path
) -> None:
    path = deck.put(tmp_path, "file.json", cardfiles.text(cardfiles.v2("")))
    asset = deck.asset(shelf, deck.take(shelf, path).items[0].id)
    assert asset.title == "file" and edit(shelf, asset.id, set=["name=沈砚"]).title == "沈砚"


@pytest.mark.parametrize("name", ["\u200b\u200d", "\u3164", "\u2060 \ufeff", "\u202e"])
def test_a_name_that_nobody_sees_is_no_name(shelf: Library, tmp_path: Path, name: str) -> None:
    done = deck.take(shelf, deck.put(tmp_path, "file.json", cardfiles.text(cardfiles.v2(name))))
    assert done.items[0].title == "file" and "name_missing" in deck.codes(done.items[0].lines)
    with pytest.raises(Refused) as refused:
        assets.rename(shelf, done.items[0].id, name)
    assert refused.value.code == "empty_text"


@pytest.mark.parametrize("number", ["1E5", "1.50", "-0", "1e400", "0.10000000000000000000001",
                                    "12345678901234567890123"])  # fmt: skip
def test_a_number_is_kept_as_it_was_given(shelf: Library, tmp_path: Path, number: str) -> None:
    ident = deck.one(shelf, tmp_path).id
    edit(shelf, ident, set_json=[f"extensions.n={number}"])
    data = Path(shelf.root, version_file(ident, 2)).read_bytes()
    assert f'"n": {number}'.encode() in data


def test_going_back_with_a_change_on_top_is_an_edit(shelf: Library, tmp_path: Path) -> None:
    ident = deck.one(shelf, tmp_path).id
    edit(shelf, ident, set=["description=x"])
    back = edit(shelf, ident, back_to=1)
    assert (back.version.made, back.version.parent) == ("restored", 1)
    changed = edit(shelf, ident, back_to=1, set=["name=另一个"])
    assert (changed.version.made, changed.version.parent) == ("edited", 1)


def test_what_is_refused_is_named(shelf: Library, tmp_path: Path) -> None:
    ident = deck.one(shelf, tmp_path).id
    with pytest.raises(Refused) as refused:
        assets.mark(shelf, ident, add=[" "])
    assert refused.value.faults[0].path == "label"
    assets.set_state(shelf, ident, "trash")
    with pytest.raises(ClewError) as stopped:
        edit(shelf, ident, set=["description=x"])
    assert stopped.value.faults[0].message("en").startswith("沈砚: ")
