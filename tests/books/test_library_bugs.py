"""Failures that other programs are known for, as tests: what users lost there must hold here.

Each name begins with the number of the failure in the project's collection of public reports (card
libraries, lorebooks, scale); what happened there is in the docstring.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import cardfiles
import deck
import pytest

from clew.books import assets, bookshelf, editing, exporting, showing
from clew.books.checking import check
from clew.books.library import Library, open_library
from clew.books.listing import Wanted, list_assets, named
from clew.books.searching import search
from clew.books.sillytavern import import_folder
from clew.kernel.errors import Refused


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def take(shelf: Library, tmp_path: Path, name: str, value: Any) -> Any:
    data = value if isinstance(value, bytes) else cardfiles.text(value)
    return deck.take(shelf, deck.put(tmp_path / "in", name, data)).items[0]


def test_07_two_edits_at_once_replace_no_definition(shelf: Library, tmp_path: Path) -> None:
    """One character's definition was replaced by another's when two saves met."""
    one, other = deck.one(shelf, tmp_path, "甲"), deck.one(shelf, tmp_path, "乙")

    def work(ident: str, word: str) -> None:
        mine = open_library(shelf.root, lock_timeout=60)
        for number in range(6):
            editing.apply(mine, ident, editing.Changes(set=[f"description={word}{number}"]))

    threads = [
        threading.Thread(target=work, args=pair)
        for pair in ((one.id, "甲"), (other.id, "乙"), (one.id, "丙"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(deck.asset(shelf, one.id).versions) == 13
    assert len(deck.asset(shelf, other.id).versions) == 7
    texts = {
        (showing.show(shelf, f"{one.id}@{n}").card or {})["data"]["description"]
        for n in range(2, 14)
    }
    assert texts == {f"{word}{n}" for word in "甲丙" for n in range(6)}, "every edit is kept"
    assert deck.clean(shelf)


def test_26_restoring_an_old_version_destroys_no_newer_one(shelf: Library, tmp_path: Path) -> None:
    """A restore overwrote the newest version, with wrong times."""
    card = deck.one(shelf, tmp_path)
    editing.apply(shelf, card.id, editing.Changes(set=["description=二"]))
    before = deck.asset(shelf, card.id).versions
    editing.apply(shelf, card.id, editing.Changes(back_to=1))
    after = deck.asset(shelf, card.id).versions
    assert after[:2] == before
    assert after[2].at > before[1].at


def test_26_an_import_reverts_no_edit(shelf: Library, tmp_path: Path) -> None:
    """Importing the same card again put the old text back."""
    deck.one(shelf, tmp_path)
    editing.apply(shelf, "沈砚", editing.Changes(set=["description=我的"]))
    deck.take(shelf, tmp_path / "in")
    assert (showing.show(shelf, "沈砚").card or {})["data"]["description"] == "我的"


@pytest.mark.parametrize("name", ["", "   ", None, 0, 7])
def test_28_a_card_without_a_name_is_listed_and_found(
    shelf: Library, tmp_path: Path, name: Any
) -> None:
    """A card with the name "" was imported and then invisible."""
    value = cardfiles.v2()
    value["data"]["name"] = name
    item = take(shelf, tmp_path, "第七桩.json", value)
    assert item.outcome == "taken" and item.title in ("第七桩", "0", "7")
    assert deck.titles(shelf) == [item.title]
    assert named(shelf, item.title).asset.id == item.id
    assert exporting.export(shelf, item.title, "json", "v2", out=f"{tmp_path}/x.json").written


@pytest.mark.parametrize("name", ["新角色.png", "default_Seraphina.png", "con.png", ".png"])
def test_39_a_card_that_is_copied_into_the_folder_breaks_nothing(
    shelf: Library, tmp_path: Path, name: str
) -> None:
    """A card put into the characters' folder by hand crashed the program."""
    card = deck.one(shelf, tmp_path)
    mine = deck.put(Path(shelf.root, "assets/cards"), name, deck.png("别的"))
    again = open_library(shelf.root)
    assert deck.titles(again) == ["沈砚"]
    editing.apply(again, "沈砚", editing.Changes(set=["description=x"]))
    assert search(again, "沈砚").hits[0].asset.id == card.id
    assert mine.exists()
    told = check(again).findings
    assert deck.codes(told) == ["stray_on_shelf"] and name in told[0]["file"]
    assert deck.take(again, mine).taken == 1, "and it can be imported from there"


@pytest.mark.parametrize(("container", "spec"), [("png", "v2"), ("png", "v3"), ("json", "v1"),
                                                 ("json", "v2"), ("json", "v3"), ("charx", "v3")])  # fmt: skip
def test_40_an_export_does_not_tell_what_was_played_last(
    shelf: Library, tmp_path: Path, container: str, spec: str
) -> None:
    """The title of the last chat was exported with the card."""
    secret = "沈砚 - 不想让人知道的聊天"
    value = cardfiles.v2(root={"chat": secret, "create_date": "2024"})
    take(shelf, tmp_path, "a.png", cardfiles.card_png(value))
    done = exporting.export(shelf, "沈砚", container, spec, out=f"{tmp_path}/out.{container}")
    data = Path(done.file).read_bytes()
    import base64
    import re

    decoded = b"".join(
        base64.b64decode(found + b"==", validate=False)
        for found in re.findall(rb"(?:chara|ccv3)\0([A-Za-z0-9+/]+)", data)
    )
    assert secret.encode() not in data + decoded
    assert json.dumps(secret).encode()[1:-1] not in data + decoded


def test_41_renaming_one_of_two_with_the_same_title_renames_that_one(
    shelf: Library, tmp_path: Path
) -> None:
    """Renaming a member of a group renamed another character."""
    one = deck.one(shelf, tmp_path, "Alice", creator="a")
    other = deck.one(shelf, tmp_path, "Alice", creator="b")
    play = bookshelf.new_play(shelf, "两个人", one.id, cast=(other.id,))
    with pytest.raises(Refused):
        named(shelf, "Alice")
    assets.rename(shelf, other.id, "Alicia")
    assert deck.asset(shelf, one.id).title == "Alice"
    assert deck.asset(shelf, other.id).title == "Alicia"
    assert shelf.book(play.id) == play, "the play goes by ids"
    assert named(shelf, "Alice").asset.id == one.id


def test_43_an_export_is_the_card_as_it_is_now(shelf: Library, tmp_path: Path) -> None:
    """An export gave the file that was imported, without the edits."""
    deck.one(shelf, tmp_path)
    editing.apply(shelf, "沈砚", editing.Changes(set=["first_mes=新的开场"]))
    done = exporting.export(shelf, "沈砚", "json", "v2", out=f"{tmp_path}/x.json")
    assert json.loads(Path(done.file).read_bytes())["data"]["first_mes"] == "新的开场"


def test_44_a_lorebook_whose_entries_are_a_list_keeps_them_in_order(
    shelf: Library, tmp_path: Path
) -> None:
    """A lorebook with a list of entries was taken for one with numbered ones, and scrambled."""
    rows = [cardfiles.entry(content=f"第{n}条", id=n, insertion_order=10 - n) for n in range(5)]
    take(shelf, tmp_path, "书.json", cardfiles.book(*rows, name="书"))
    take(
        shelf,
        tmp_path,
        "书3.json",
        {"spec": "lorebook_v3", "data": cardfiles.book(*rows, name="书3")},
    )
    for name in ("书", "书3"):
        done = exporting.export(shelf, name, "json", "v3", out=f"{tmp_path}/{name}.json")
        entries = json.loads(Path(done.file).read_bytes())["data"]["entries"]
        assert [e["content"] for e in entries] == [f"第{n}条" for n in range(5)]
        assert [e["insertion_order"] for e in entries] == [10, 9, 8, 7, 6]


def test_45_a_lorebook_with_a_name_that_is_taken_blanks_nothing(
    shelf: Library, tmp_path: Path
) -> None:
    """A new lorebook with the name of another emptied that one."""
    first = take(
        shelf, tmp_path, "a/Eldoria.json", cardfiles.world_info(_0=cardfiles.world_entry())
    )
    second = take(shelf, tmp_path, "b/Eldoria.json", cardfiles.world_info(
        _0=cardfiles.world_entry(content="另一个世界")
    ))  # fmt: skip
    assert first.id != second.id and deck.titles(shelf, kind="world") == ["Eldoria", "Eldoria"]
    assert "七根桩" in json.dumps(showing.show(shelf, first.id).lorebook, ensure_ascii=False)
    assert "另一个世界" in json.dumps(showing.show(shelf, second.id).lorebook, ensure_ascii=False)


def test_46_lorebooks_stay_with_their_card_through_every_rename(
    shelf: Library, tmp_path: Path
) -> None:
    """Additional lorebooks were detached when the character was renamed."""
    root = tmp_path / "st"
    for name, data in {
        "characters/Mara.png": deck.png("Mara", extensions={"world": "Main"}),
        "worlds/Main.json": cardfiles.text(cardfiles.world_info(_0=cardfiles.world_entry())),
        "worlds/Extra.json": cardfiles.text(cardfiles.world_info(_0=cardfiles.world_entry(content="x"))),
        "settings.json": json.dumps({"world_info_settings": {"world_info": {
            "charLore": [{"name": "Mara", "extraBooks": ["Extra"]}]}}}).encode(),
    }.items():  # fmt: skip
        deck.put(root, name, data)
    import_folder(shelf, str(root))
    card = named(shelf, "Mara").asset
    assert len(card.worlds) == 2
    assets.rename(shelf, card.id, "Tamar")
    for number, world in enumerate(card.worlds):
        assets.rename(shelf, world, f"改名{number}")
    editing.apply(shelf, card.id, editing.Changes(set=["name=Tamar"]))
    after = deck.asset(shelf, card.id)
    assert after.worlds == card.worlds
    assert [deck.asset(shelf, world).title for world in after.worlds] == ["改名0", "改名1"]


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("北京", "她在北京住过三年。"), ("京", "她在北京住过三年。"), ("café", "Le café est fermé."),
        ("CAFÉ", "Le cafe\u0301 est fermé."), ("Zoë", "Ask Zoë, not José."), ("josé", "Ask Zoë, not José."),
        ("渡口", "渡口，渡口。"), ("naïve", "“naïve”—she said"),
    ],
)  # fmt: skip
def test_47_words_with_accents_and_without_spaces_are_found_whole(
    shelf: Library, tmp_path: Path, typed: str, text: str
) -> None:
    """Matching of whole words never found 北京, café, Zoë or José, whose letters were no letters to it."""
    world = cardfiles.world_info(
        _0=cardfiles.world_entry(key=[typed], content=text, matchWholeWords=True)
    )
    ident = deck.take(shelf, deck.put(tmp_path, "w.json", cardfiles.text(world))).items[0].id
    hits = search(shelf, typed).hits
    assert [hit.asset.id for hit in hits] == [ident] and hits[0].spans
    found = showing.show(shelf, ident).lorebook
    assert found is not None
    assert found["data"]["entries"][0]["extensions"]["match_whole_words"] is True
    part = typed[0] + "x" + typed[1:]
    assert search(shelf, part).hits == []


def test_49_a_lorebook_that_many_cards_share_is_imported_once(
    shelf: Library, tmp_path: Path
) -> None:
    """A shared lorebook was imported once for each card that used it."""
    root = tmp_path / "st"
    for number in range(5):
        deck.put(
            root, f"characters/{number}.png", deck.png(f"角色{number}", extensions={"world": "W"})
        )
    world = cardfiles.text(cardfiles.world_info(_0=cardfiles.world_entry()))
    deck.put(root, "worlds/W.json", world)
    deck.put(root, "worlds/W copy.json", world)
    for _ in range(3):
        import_folder(shelf, str(root))
    rows = list_assets(shelf, Wanted(kind="world")).rows
    assert len(rows) == 1
    worlds = {tuple(deck.asset(shelf, row.id).worlds) for row in list_assets(shelf).rows}
    assert worlds == {(rows[0].id,)}


def test_53_a_shelf_beyond_the_numbers_at_which_others_show_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The 18 213th card made the list empty; beyond 12 000 nothing was shown at all."""
    from clew.books import records
    from clew.books.layout import LOG, id_of
    from clew.kernel import document

    shelf = deck.library(tmp_path)
    at = "2026-05-01T08:00:00.000Z"
    lines = []
    for number in range(18_300):
        version = records.Version(number=1, content_hash="0", file_sha256="0", made="imported", at=at,
                                  name=f"角色{number}", spec="v2")  # fmt: skip
        ident = id_of("card", f"{number:064x}"[::-1])
        asset = records.Asset(id=ident, kind="card", title=f"角色{number}", current=1,
                              versions=[version], created_at=at, updated_at=at,
                              labels=[f"标签{number % 40}"], favourite=number % 100 == 0)  # fmt: skip
        lines.append(document.encode_line(records.line_of(asset, "imported", at)))
    log = deck.put(Path(shelf.root), LOG, b"\n".join(lines) + b"\n")
    assert log.stat().st_size > 5_000_000
    assert list_assets(shelf).total == 18_300
    start = time.process_time()
    page = list_assets(shelf, Wanted(tags=("标签7",)), limit=50)
    favourites = list_assets(shelf, Wanted(favourite=True), sort="title")
    took = time.process_time() - start
    assert (page.total, len(page.rows), favourites.total) == (458, 50, 183)
    assert list_assets(shelf, limit=50_000).rows[-1].title == "角色0"
    assert len(search(shelf, "角色18299").hits) == 1
    assert took < 2, "two pages in the time of a blink, also on a busy machine"
