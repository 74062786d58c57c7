"""One asset: new, versions, edit, rename, marks, archive, trash, purge, pins."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cardfiles
import deck
import msgspec
import pytest

from clew.books import assets, bookshelf, editing, showing, versions
from clew.books.assets import Edit, edit, rename, set_state
from clew.books.bookrecords import CardBook
from clew.books.checking import repair
from clew.books.discarding import purge
from clew.books.layout import LOG, asset_file, version_file
from clew.books.library import (
    Library,
    create_library,
    find_library,
    has_shelf,
    open_library,
)
from clew.books.listing import named
from clew.kernel.errors import ClewError, Missing, Refused, Stale


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def set_(shelf: Library, name: str, *pairs: str, **how: object) -> editing.EditedAnswer:
    return editing.apply(shelf, name, editing.Changes(set=pairs, **how))  # type: ignore[arg-type]


def code_of(error: pytest.ExceptionInfo[ClewError]) -> str:
    return error.value.code


# ---- the library itself -----------------------------------------------------------------------


def test_a_new_library_is_marked_and_opened_again(tmp_path: Path) -> None:
    made = create_library(tmp_path / "a" / "b", title="我的库")
    again = open_library(tmp_path / "a" / "b")
    assert again.mark() == made.mark()
    assert again.mark().title == "我的库"


def test_a_folder_that_is_no_library_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(Missing) as missing:
        open_library(tmp_path)
    assert code_of(missing) == "no_library"
    assert not list(tmp_path.iterdir()), "and nothing is made in it"


def test_a_library_is_never_started_over(tmp_path: Path) -> None:
    create_library(tmp_path)
    with pytest.raises(Refused) as refused:
        create_library(tmp_path)
    assert code_of(refused) == "library_exists"


def test_no_library_is_made_over_somebodys_books(tmp_path: Path) -> None:
    mine = deck.put(tmp_path / "books", "mine.txt", b"mine")
    with pytest.raises(Refused) as refused:
        create_library(tmp_path)
    assert code_of(refused) == "folder_taken"
    assert mine.read_bytes() == b"mine"
    assert not (tmp_path / "library.json").exists()


@pytest.mark.parametrize("left", ["assets/shelf.jsonl", "assets/cards", "books"])
def test_a_library_that_lost_its_mark_is_told_and_started_again_with_all_that_it_has(
    tmp_path: Path, left: str
) -> None:
    made = create_library(tmp_path / "a")
    card = assets.new_card(made, "沈砚")
    (tmp_path / "a/library.json").unlink()
    for name in {"assets/shelf.jsonl", "assets/cards", "books"} - {left}:
        path = tmp_path / "a" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(Missing) as missing:
        open_library(tmp_path / "a")
    assert code_of(missing) == "mark_lost"
    assert find_library(str(tmp_path / "a" / "deep")) == str(tmp_path / "a"), "not the one above"
    before = deck.tree(tmp_path / "a")
    again = create_library(tmp_path / "a", title="又来")
    assert [note.code for note in again.notes] == ["mark_back"]
    after = deck.tree(tmp_path / "a")
    assert after.pop("library.json") and after == before
    if left != "books":
        repair(again)
        assert named(again, card.id).asset.id == card.id


def test_a_folder_that_is_called_like_one_of_a_library_is_none(tmp_path: Path) -> None:
    deck.put(tmp_path / "books", "mine.txt", b"mine")
    deck.put(tmp_path / "assets/cards", "hearts.json", b"{}")
    assert not has_shelf(tmp_path) and not has_shelf(tmp_path / "books/mine.txt")


def test_a_library_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    create_library(tmp_path)
    mark = tmp_path / "library.json"
    mark.write_text(mark.read_text().replace('"schema_version": 1', '"schema_version": 9'))
    with pytest.raises(ClewError) as newer:
        open_library(tmp_path)
    assert code_of(newer) == "newer_schema"


# ---- new cards ---------------------------------------------------------------------------------


def test_a_new_card_is_an_empty_v3_card_with_a_book_to_design_it(shelf: Library) -> None:
    made = assets.new_card(shelf, "  沈  砚 ")
    assert made.title == "沈 砚"
    card = shelf.look(lambda reader: versions.content(reader, made)).card
    assert card is not None and card.name == "沈 砚" and card.description == ""
    book = shelf.book(made.card_book_id)
    assert isinstance(book, CardBook)
    assert (book.asset_id, book.lifecycle_stage) == (made.id, "design")
    assert deck.clean(shelf)


@pytest.mark.parametrize("title", ["", "  ", "x" * 501])
def test_a_title_is_not_empty_and_not_endless(shelf: Library, title: str) -> None:
    with pytest.raises(Refused):
        assets.new_card(shelf, title)
    assert deck.titles(shelf) == []


# ---- versions ----------------------------------------------------------------------------------


def test_an_edit_makes_a_version_and_changes_no_older_one(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    first = Path(shelf.root, version_file(card.id, 1)).read_bytes()
    done = set_(shelf, "沈砚", "description=管着新码头的账", note="搬家")
    assert (done.before, done.version.number, done.changed) == (1, 2, True)
    assert Path(shelf.root, version_file(card.id, 1)).read_bytes() == first
    after = deck.asset(shelf, card.id)
    assert [v.number for v in after.versions] == [1, 2]
    assert (after.versions[1].parent, after.versions[1].note) == (1, "搬家")
    shown = showing.show(shelf, "沈砚@1").card, showing.show(shelf, "沈砚").card
    assert [one["data"]["description"] for one in shown if one] == [
        "{{char}} 管着旧码头的账。", "管着新码头的账",
    ]  # fmt: skip
    assert deck.clean(shelf)


def test_an_edit_that_changes_nothing_makes_no_version(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    done = set_(shelf, "沈砚", "personality=少言，记仇")
    assert not done.changed
    assert len(deck.asset(shelf, card.id).versions) == 1


def test_all_faults_of_an_edit_are_told_and_nothing_is_written(
    shelf: Library, tmp_path: Path
) -> None:
    card = deck.one(shelf, tmp_path)
    before = deck.tree(Path(shelf.root))
    with pytest.raises(Refused) as refused:
        editing.apply(
            shelf, card.id,
            editing.Changes(
                set=["tags=古风", "a..b=x"], set_json=["description=[1]", "extensions={"],
                remove=["nothing.here"],
            ),
        )  # fmt: skip
    assert sorted(f.code for f in refused.value.faults) == [
        "bad_path", "bad_path", "bad_value", "bad_value", "wrong_type",
    ]  # fmt: skip
    assert deck.tree(Path(shelf.root)) == before


def test_an_edit_of_what_one_has_seen(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path)
    set_(shelf, "沈砚", "personality=话多")
    with pytest.raises(Stale) as stale:
        set_(shelf, "沈砚", "personality=话少", expect=1)
    assert code_of(stale) == "stale_version"
    with pytest.raises(Stale):
        set_(shelf, "沈砚@1", "personality=话少")
    assert set_(shelf, "沈砚@2", "personality=话少").version.number == 3


def test_json_values_and_removals(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    editing.apply(
        shelf, card.id,
        editing.Changes(set_json=['tags=["古风", "OC"]', "extensions.fav=true"], remove=["nickname"])
        if "nickname" in (showing.show(shelf, card.id).card or {})["data"]
        else editing.Changes(set_json=['tags=["古风", "OC"]', "extensions.fav=true"]),
    )  # fmt: skip
    data = (showing.show(shelf, card.id).card or {})["data"]
    assert data["tags"] == ["古风", "OC"] and data["extensions"]["fav"] is True


def test_an_older_version_becomes_the_newest_and_nothing_is_lost(
    shelf: Library, tmp_path: Path
) -> None:
    card = deck.one(shelf, tmp_path)
    set_(shelf, card.id, "description=二")
    done = editing.apply(shelf, card.id, editing.Changes(back_to=1))
    assert (done.version.number, done.version.parent, done.version.made) == (3, 1, "restored")
    texts = [
        (showing.show(shelf, f"{card.id}@{n}").card or {})["data"]["description"] for n in (1, 2, 3)
    ]
    assert texts[0] == texts[2] != texts[1] == "二"


def test_a_title_that_is_the_name_follows_it_on_the_way_back_too(
    shelf: Library, tmp_path: Path
) -> None:
    card = deck.one(shelf, tmp_path)
    assert set_(shelf, card.id, "name=沈墨").title == "沈墨"
    assert editing.apply(shelf, card.id, editing.Changes(back_to=1)).title == "沈砚"
    assert set_(shelf, card.id, "name=沈舟").title == "沈舟"


def test_a_mistyped_field_is_told_and_one_of_a_programs_own_is_not_told_twice(
    shelf: Library, tmp_path: Path
) -> None:
    card = deck.one(shelf, tmp_path)

    def told(path: str) -> list[tuple[object, object]]:
        shelf.notes.clear()
        set_(shelf, card.id, f"{path}=x")
        return [
            (n.facts["found"], n.facts["near"]) for n in shelf.notes if n.code == "field_unknown"
        ]

    assert told("discription") == [("discription", "description")]
    assert told("discription") == []  # it is a field of this card by now
    assert told("description") == told("extensions.mine") == told("$.data.scenario") == []


def test_the_card_of_another_file_becomes_the_next_version(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    path = deck.put(tmp_path, "new.json", cardfiles.text(cardfiles.v3("沈砚", description="新的")))
    done = editing.apply(shelf, card.id, editing.Changes(source=str(path)))
    assert done.version.number == 2 and done.version.source == "new.json"
    found = deck.asset(shelf, card.id).versions[1].source
    assert found is not None
    assert Path(shelf.root, "assets/cards", card.id, found.file).read_bytes() == path.read_bytes()
    assert deck.clean(shelf)


def test_a_lorebook_is_no_version_of_a_card(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path)
    path = deck.put(
        tmp_path, "w.json", cardfiles.text(cardfiles.world_info(_0=cardfiles.world_entry()))
    )
    with pytest.raises(Refused) as refused:
        editing.apply(shelf, "沈砚", editing.Changes(source=str(path)))
    assert code_of(refused) == "another_kind"


def test_another_picture(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    path = deck.put(tmp_path, "face.png", cardfiles.png(width=9))
    done = editing.apply(shelf, card.id, editing.Changes(picture=str(path)))
    assert done.changed and done.version.picture
    has = versions.carrier(
        shelf, deck.asset(shelf, card.id), deck.asset(shelf, card.id).versions[1]
    )
    assert has.picture == path.read_bytes() and has.source is not None
    bad = deck.put(tmp_path, "no.png", b"not a picture")
    with pytest.raises(Refused) as refused:
        editing.apply(shelf, card.id, editing.Changes(picture=str(bad)))
    assert code_of(refused) == "picture_unreadable"
    assert deck.clean(shelf)


def test_the_difference_of_two_versions(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    set_(shelf, card.id, "description=二", "scenario=三")
    found = showing.diff(shelf, card.id)
    assert (found.a, found.b, found.same) == (1, 2, False)
    assert [(c.kind, c.path) for c in found.changes] == [
        ("changed", "$.data.description"), ("changed", "$.data.scenario"),
    ]  # fmt: skip
    assert showing.diff(shelf, card.id, 2, 2).changes == []
    with pytest.raises(Missing) as missing:
        showing.diff(shelf, card.id, 1, 9)
    assert code_of(missing) == "no_such_version"


def test_a_version_whose_file_was_edited_by_hand_is_not_served(
    shelf: Library, tmp_path: Path
) -> None:
    card = deck.one(shelf, tmp_path)
    path = Path(shelf.root, version_file(card.id, 1))
    path.write_text(path.read_text(encoding="utf-8").replace("码头", "车站"), encoding="utf-8")
    with pytest.raises(ClewError) as broken:
        showing.show(open_library(shelf.root), card.id)
    assert code_of(broken) == "version_broken"


def test_numbers_and_surrogates_of_a_card_survive_versions(shelf: Library, tmp_path: Path) -> None:
    raw = b'{"spec":"chara_card_v2","data":{"name":"\\ud83d","description":"d","extensions":{"n":1.50}}}'
    card = deck.asset(shelf, deck.take(shelf, deck.put(tmp_path, "odd.json", raw)).items[0].id)
    set_(shelf, card.id, "description=e")
    data = Path(shelf.root, version_file(card.id, 2)).read_bytes()
    assert b"1.50" in data and b"\\ud83d" in data
    assert b'"n":1.50' in msgspec.json.encode(showing.show(shelf, card.id).card)
    assert deck.clean(shelf)


# ---- titles, marks, states ----------------------------------------------------------------------


def test_a_title_is_no_link_and_no_file_name(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    play = bookshelf.new_play(shelf, "旧码头", card.id)
    names = {path.name for path in Path(shelf.root).rglob("*") if ".clew" not in path.parts}
    for title in ("con", "a\\b", "../x", 'A "B" C', "🐉" * 300, "x" * 500, "...", "<b>&amp;"):
        after = rename(shelf, card.id, title)
        assert after.title == title and deck.titles(shelf) == [title]
        assert named(shelf, title).asset.id == card.id
    after_names = {path.name for path in Path(shelf.root).rglob("*") if ".clew" not in path.parts}
    assert after_names - {"index.sqlite"} == names - {"index.sqlite"}
    assert [use.book for use in showing.where_used(shelf, card.id).uses] == [play.id]
    assert deck.clean(shelf)


def test_a_title_that_is_the_cards_name_follows_it(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    set_(shelf, card.id, "name=沈澈")
    assert deck.asset(shelf, card.id).title == "沈澈"
    rename(shelf, card.id, "旧码头的人")
    set_(shelf, card.id, "name=沈嘉")
    assert deck.asset(shelf, card.id).title == "旧码头的人"


def test_a_label_that_cannot_be_removed_has_a_reason(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path, "沈砚", tags=["古风"])
    assets.mark(shelf, card.id, add=["主角"])
    after = assets.mark(shelf, card.id, remove=["古风", "没有", "主角"])
    assert after.labels == []
    assert [(note.code, note.facts["found"]) for note in shelf.notes] == [
        ("tag_of_card", "古风"), ("no_such_label", "没有"),
    ]  # fmt: skip


def test_marks(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    assets.mark(shelf, card.id, favourite=True, add=["主角", "Slow Burn", "slow burn"])
    after = assets.mark(shelf, card.id, add=["主角"], remove=["SLOW BURN"])
    assert (after.favourite, after.labels) == (True, ["主角"])
    assert deck.titles(shelf, favourite=True, tags=("主角",)) == ["沈砚"]
    same = assets.mark(shelf, card.id, favourite=True)
    assert same.revision == after.revision, "what changes nothing is no change"


def test_archive_trash_and_back(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    set_state(shelf, card.id, "archive")
    assert deck.titles(shelf) == [] and deck.titles(shelf, states=("archived",)) == ["沈砚"]
    set_state(shelf, card.id, "trash")
    with pytest.raises(Refused) as refused:
        set_state(shelf, card.id, "trash")
    assert code_of(refused) == "impossible_step"
    assert showing.show(shelf, card.id).state == "trashed", "what is in the trash can be looked at"
    with pytest.raises(Refused):
        set_(shelf, card.id, "description=x")
    set_state(shelf, card.id, "restore")
    assert deck.titles(shelf) == ["沈砚"]
    assert deck.clean(shelf)


def test_several_go_together_or_none_and_everything_in_the_way_is_told(
    shelf: Library, tmp_path: Path
) -> None:
    one, two, three, four = (deck.one(shelf, tmp_path, name) for name in ("一", "二", "三", "四"))
    assets.set_states(shelf, [one.id, two.id, one.id], "trash")
    before = deck.tree(Path(shelf.root))
    with pytest.raises(Refused) as refused:
        assets.set_states(shelf, [three.id, one.id, two.id, four.id], "trash")
    assert [fault.code for fault in refused.value.faults] == ["impossible_step"] * 2
    assert [fault.message("en")[:2] for fault in refused.value.faults] == ["一:", "二:"]
    with pytest.raises(Missing) as missing:
        assets.set_states(shelf, [three.id, "c" + "0" * 20, one.id], "trash")
    assert [f.code for f in missing.value.faults] == ["no_such_asset", "impossible_step"]
    bookshelf.new_play(shelf, "旧码头", three.id)
    set_state(shelf, three.id, "trash")
    before = deck.tree(Path(shelf.root))
    with pytest.raises(Refused) as refused:
        purge(shelf, one.id, three.id, four.id, really=True)
    assert [f.code for f in refused.value.faults] == ["still_used", "impossible_step"]
    assert deck.tree(Path(shelf.root)) == before
    done = purge(shelf, one.id, two.id, one.id, really=True)
    assert [item.title for item in done.items] == ["一", "二"]
    assert done.bytes == sum(item.bytes for item in done.items) > 0
    assert deck.titles(shelf, states=("trashed", "active")) == ["三", "四"]
    assert deck.clean(shelf)


def test_two_of_one_title_are_told_and_nothing_is_replaced(shelf: Library, tmp_path: Path) -> None:
    first = deck.one(shelf, tmp_path, "沈砚")
    assert shelf.notes == []

    def told() -> list[tuple[str, list[str]]]:
        notes = [(note.code, note.facts["found"]) for note in shelf.notes]
        shelf.notes.clear()
        return notes

    second = assets.new_card(shelf, "沈砚")
    assert told() == [("same_title", [second.id, first.id])]
    third = assets.new_card(shelf, "周薄森")
    assert told() == []
    rename(shelf, third.id, "沈砚")
    assert told() == [("same_title", [third.id, first.id, second.id])]
    set_state(shelf, first.id, "trash")
    set_state(shelf, second.id, "trash")
    rename(shelf, third.id, "别的")
    rename(shelf, third.id, "沈砚")
    assert told() == [], "what is in the trash takes no title"
    fourth = deck.one(shelf, tmp_path, "钟嘉嘉")
    set_(shelf, fourth.id, "name=沈砚")
    assert told() == [("same_title", [fourth.id, third.id])]
    done = deck.take(shelf, deck.put(tmp_path / "in", "x.png", deck.png("沈砚", creator="乙")))
    assert deck.codes(done.items[0].lines) == ["same_title"] and done.taken == 1


def test_nothing_is_deleted_without_a_purge_that_says_what(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    set_(shelf, card.id, "description=二")
    with pytest.raises(Refused):
        purge(shelf, card.id, really=True)
    set_state(shelf, card.id, "trash")
    before = deck.tree(Path(shelf.root))
    told = purge(shelf, card.id, really=False)
    assert told.status == "would_delete" and told.items[0].versions == 2
    assert deck.tree(Path(shelf.root)) == before
    done = purge(shelf, card.id, really=True)
    assert done.items == told.items and done.bytes == told.bytes
    assert set(before) - set(deck.tree(Path(shelf.root))) == set(done.items[0].files)
    assert deck.titles(shelf, states=("trashed", "active")) == []
    assert deck.clean(shelf)
    with pytest.raises(Missing):
        showing.show(shelf, card.id)


def test_what_was_purged_can_be_imported_again(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    set_state(shelf, card.id, "trash")
    purge(shelf, card.id, really=True)
    again = deck.one(shelf, tmp_path)
    assert again.id == card.id and deck.titles(shelf) == ["沈砚"]
    assert deck.clean(shelf)


def test_a_file_that_is_not_clews_outlives_a_purge(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    mine = deck.put(Path(shelf.root, "assets/cards", card.id), "notes.txt", b"mine")
    set_state(shelf, card.id, "trash")
    purge(shelf, card.id, really=True)
    assert mine.read_bytes() == b"mine"


def test_every_change_is_a_line_of_the_history(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    set_(shelf, card.id, "description=二")
    rename(shelf, card.id, "别名")
    set_state(shelf, card.id, "trash")
    lines = [json.loads(line) for line in Path(shelf.root, LOG).read_bytes().splitlines()]
    assert [line["what"] for line in lines] == ["imported", "edited", "renamed", "trashed"]
    assert [line["asset"]["revision"] for line in lines] == [1, 2, 3, 4]
    assert json.loads(Path(shelf.root, asset_file(card.id)).read_bytes())["revision"] == 4


def test_the_seeds_tags_are_fields_of_the_card(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    edit(
        shelf, card.id,
        Edit(lambda old: old._replace(tags={"角色卡.确认稿": "全文"}), note="tags only"),
    )  # fmt: skip
    shown = showing.show(shelf, card.id)
    assert shown.tags["角色.设定"] == "{{char}} 管着旧码头的账。"
    assert shown.tags["角色卡.确认稿"] == "全文"
    assert deck.asset(shelf, card.id).tags == {"角色卡.确认稿": "全文"}
