"""A SillyTavern data folder: read, never written; again tomorrow; and what is damaged in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cardfiles
import deck
import pytest
from tavern import Tavern, mes

from clew.books import editing, exporting, showing, sillytavern
from clew.books.assets import rename, set_state
from clew.books.library import Library, open_library
from clew.books.listing import named
from clew.books.sillytavern import FromSillyTavern, import_folder
from clew.kernel.errors import ClewError, Missing, Refused


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


@pytest.fixture
def tavern(tmp_path: Path) -> Tavern:
    made = Tavern(tmp_path / "SillyTavern" / "data" / "default-user")
    made.put("characters/沈砚.png", deck.png("沈砚", extensions={"fav": True, "world": "洪字号"}))
    made.put("characters/Mara.png", deck.png("Mara", extensions={"fav": False}))
    made.put("worlds/洪字号.json", cardfiles.world_info(_0=cardfiles.world_entry()))
    made.put("worlds/Extra.json", cardfiles.world_info(_0=cardfiles.world_entry(content="另一本")))
    made.put(
        "settings.json",
        {
            "tags": [{"id": "t1", "name": "古风"}, {"id": "t2", "name": " OC "}, {"id": "t3"}],
            "tag_map": {"沈砚.png": ["t1", "t2", "gone"], "Mara.png": [], "x.png": ["t1"]},
            "world_info_settings": {
                "world_info": {"charLore": [{"name": "Mara", "extraBooks": ["Extra", "Gone"]}]}
            },
        },
    )
    return made


def take(shelf: Library, tavern: Tavern, **how: Any) -> FromSillyTavern:
    return import_folder(shelf, str(tavern.root), **how)


def findings(done: FromSillyTavern) -> list[str]:
    return deck.codes(done.damage.findings)


# ---- what is taken ------------------------------------------------------------------------------


@pytest.mark.parametrize("above", [0, 1, 2])
def test_the_folder_of_an_installation_will_do(shelf: Library, tavern: Tavern, above: int) -> None:
    root = [tavern.root, *tavern.root.parents][above]
    done = import_folder(shelf, str(root))
    assert done.folder == str(tavern.root)
    assert deck.titles(shelf) == ["Mara", "沈砚"]
    assert deck.titles(shelf, kind="world") == ["Extra", "洪字号"]
    assert deck.clean(shelf)


def test_tags_favourites_and_worlds_come_along(shelf: Library, tavern: Tavern) -> None:
    done = take(shelf, tavern)
    card, mara = named(shelf, "沈砚").asset, named(shelf, "Mara").asset
    assert (card.labels, card.favourite) == (["古风", "OC"], True)
    assert (mara.labels, mara.favourite) == ([], False)
    assert card.worlds == [named(shelf, "洪字号", "world").asset.id]
    assert mara.worlds == [named(shelf, "Extra", "world").asset.id]
    assert findings(done) == ["world_not_given"] and "Gone" in done.damage.findings[0]["message"]
    assert deck.titles(shelf, tags=("古风", "oc")) == ["沈砚"]


def test_other_users_are_told_of_and_a_folder_that_is_not_there(
    shelf: Library, tavern: Tavern
) -> None:
    data = tavern.root.parent
    deck.put(data, "user2/characters/b.png", deck.png("他人的"))
    for path in (data, data.parent):
        shelf.notes.clear()
        done = import_folder(shelf, str(path))
        assert done.folder == str(tavern.root)
        told = [note for note in shelf.notes if note.code == "users_besides"]
        assert [note.facts["found"] for note in told] == [[f"{data}/user2"]]
    shelf.notes.clear()
    take(shelf, tavern)
    assert [note.code for note in shelf.notes] == [], "who names a user means that one"
    with pytest.raises(Missing) as missing:
        import_folder(shelf, str(data / "gone"))
    assert missing.value.code == "no_source_folder"


def test_lorebooks_that_the_settings_give_are_blamed_on_the_settings(
    shelf: Library, tavern: Tavern
) -> None:
    tavern.put("settings.json", {
        "world_info_settings": {"world_info": {"charLore": [{"name": "Mara", "extraBooks": ["缺一"]}]}},
        "power_user": {
            "personas": {"me.png": "我"},
            "persona_descriptions": {"me.png": {"lorebook": "缺二"}, "x.png": {"lorebook": ""}},
        },
    })  # fmt: skip
    found = take(shelf, tavern).damage.findings
    assert {(row["code"], row["file"]) for row in found} == {("world_not_given", "settings.json")}
    said = " ".join(row["message"] for row in found)
    assert all(word in said for word in ("缺一", "Mara", "缺二", "我")) and len(found) == 2


def test_nothing_is_ever_written_there(shelf: Library, tavern: Tavern) -> None:
    tavern.chat("chats/沈砚/a.jsonl", mes("1"))
    before = tavern.state()
    for keep in ("copy", "reference"):
        take(shelf, tavern, keep=keep)
    take(shelf, tavern, dry_run=True)
    assert tavern.state() == before, "no file, no time, no second name"


def test_a_dry_run_only_looks(shelf: Library, tavern: Tavern) -> None:
    tavern.put("chats/沈砚/a.jsonl", b"")
    done = take(shelf, tavern, dry_run=True)
    assert deck.titles(shelf) == [] and findings(done) == ["chat_empty", "world_not_given"]


@pytest.mark.parametrize("keep", ["copy", "reference"])
def test_damage_is_told_as_long_as_it_is_there(shelf: Library, tavern: Tavern, keep: str) -> None:
    """The first run, the second, a dry run before and after: none of it hangs on a card's change."""
    tavern.put("characters/坏.png", deck.png("坏")[:60])
    tavern.put("characters/孤.png", deck.png("孤", extensions={"world": "没有这本"}))
    tavern.put("characters/孤二.png", deck.png("孤", extensions={"world": "没有这本"}))
    tavern.put("worlds/坏书.json", "{")
    tavern.chat("chats/沈砚/a.jsonl", mes("1"), world_info="聊天的书")
    before = take(shelf, tavern, dry_run=True).damage.findings
    missing = ("world_missing", "world_not_given")
    dead = sorted((f["file"], f["message"]) for f in before if f["code"] in missing)
    places = (
        "characters/孤.png",
        "characters/孤二.png",
        "chats/沈砚/a.jsonl",
        "settings.json",
    )
    assert [file for file, _ in dead] == list(places)
    names = ("没有这本", "没有这本", "聊天的书", "Gone")
    assert all(name in message for name, (_, message) in zip(names, dead, strict=True))
    unreadable = {f["file"] for f in before if f["code"] not in missing}
    assert unreadable == {"characters/坏.png", "worlds/坏书.json"}
    for dry_run in (False, False, True, False):
        again = open_library(shelf.root)
        assert take(again, tavern, keep=keep, dry_run=dry_run).damage.findings == before


def test_a_link_that_led_nowhere_is_made_when_its_lorebook_comes(
    shelf: Library, tavern: Tavern
) -> None:
    take(shelf, tavern)
    assert len(named(shelf, "Mara").asset.worlds) == 1
    tavern.put("worlds/Gone.json", cardfiles.world_info(_0=cardfiles.world_entry(content="补上")))
    done = take(open_library(shelf.root), tavern)
    assert findings(done) == []
    assert named(shelf, "Gone", "world").asset.id in named(shelf, "Mara").asset.worlds
    assert deck.clean(shelf)


def test_lorebooks_that_every_chat_uses_are_looked_for(shelf: Library, tavern: Tavern) -> None:
    tavern.put("settings.json", {"world_info": {"globalSelect": ["Extra", "Lost", 7]}})
    done = take(shelf, tavern)
    assert [(f["code"], f["file"]) for f in done.damage.findings] == [
        ("world_missing", "settings.json")
    ]
    assert "Lost" in done.damage.findings[0]["message"]


def test_a_thousand_lines_of_damage_are_listed_and_all_are_counted(
    shelf: Library, tavern: Tavern
) -> None:
    tavern.put("settings.json", {"world_info": {"globalSelect": [f"w{n}" for n in range(1_200)]}})
    found = take(shelf, tavern, dry_run=True).damage
    assert (len(found.findings), found.more) == (1_000, 200)


@pytest.mark.parametrize("keep", ["copy", "reference"])
def test_again_tomorrow_only_what_changed_is_read(
    shelf: Library, tavern: Tavern, keep: str
) -> None:
    take(shelf, tavern, keep=keep)
    before = deck.tree(Path(shelf.root))
    again = take(open_library(shelf.root), tavern, keep=keep)
    assert (again.imported.taken, again.imported.updated, again.imported.skipped) == (0, 0, 4)
    assert again.imported.items == [], "files that did not change are not even opened"
    assert deck.tree(Path(shelf.root)) == before


def test_a_change_over_there_is_a_new_version_and_the_old_one_stays(
    shelf: Library, tavern: Tavern
) -> None:
    take(shelf, tavern)
    card = named(shelf, "沈砚").asset
    old = tavern.root.joinpath("characters/沈砚.png").read_bytes()
    tavern.put("characters/沈砚.png", deck.png("沈砚", description="改过"))
    done = take(shelf, tavern)
    assert (done.imported.updated, done.imported.taken) == (1, 0)
    assert deck.codes(done.imported.items[0].lines)[-1] == "updated_there"
    after = deck.asset(shelf, card.id)
    assert (after.current, len(after.versions)) == (2, 2)
    first = after.versions[0].source
    assert first is not None
    assert Path(shelf.root, "assets/cards", card.id, first.file).read_bytes() == old
    assert (showing.show(shelf, card.id).card or {})["data"]["description"] == "改过"
    assert deck.clean(shelf)


def test_no_import_takes_an_edit_back(shelf: Library, tavern: Tavern) -> None:
    take(shelf, tavern)
    editing.apply(shelf, "沈砚", editing.Changes(set=["description=我改的"]))
    tavern.put("characters/沈砚.png", deck.png("沈砚", description="那边改的"))
    done = take(shelf, tavern)
    assert deck.codes(done.imported.items[0].lines)[-1] == "edited_here_too"
    card = named(shelf, "沈砚").asset
    assert (card.current, len(card.versions)) == (2, 3)
    assert (showing.show(shelf, "沈砚").card or {})["data"]["description"] == "我改的"
    assert (showing.show(shelf, "沈砚@3").card or {})["data"]["description"] == "那边改的"


def test_what_was_renamed_or_trashed_here_stays_so(shelf: Library, tavern: Tavern) -> None:
    take(shelf, tavern)
    rename(shelf, named(shelf, "沈砚").asset.id, "旧码头的人")
    set_state(shelf, named(shelf, "Mara").asset.id, "trash")
    tavern.put("characters/Mara.png", deck.png("Mara", description="改过"))
    take(shelf, tavern)
    assert deck.titles(shelf) == ["旧码头的人"]


def test_a_card_that_was_imported_before_follows_its_file_from_now_on(
    shelf: Library, tavern: Tavern
) -> None:
    deck.take(shelf, tavern.root / "characters")
    ids = {row.id for row in showing_rows(shelf)}
    done = take(shelf, tavern)
    assert done.imported.taken == 2, "the two worlds; the cards are known"
    assert {row.id for row in showing_rows(shelf)} == ids
    assert named(shelf, "沈砚").asset.labels == ["古风", "OC"]
    tavern.put("characters/沈砚.png", deck.png("沈砚", description="改过"))
    assert take(shelf, tavern).imported.updated == 1


def showing_rows(shelf: Library) -> Any:
    from clew.books.listing import list_assets

    return list_assets(shelf).rows


def test_two_characters_of_the_same_bytes(shelf: Library, tavern: Tavern) -> None:
    tavern.put("characters/copy.png", tavern.root.joinpath("characters/Mara.png").read_bytes())
    take(shelf, tavern)
    assert deck.titles(shelf) == ["Mara", "沈砚"]
    assert len(named(shelf, "Mara").asset.origins) == 2
    assert take(shelf, tavern).imported.items == []
    assert deck.clean(shelf)


# ---- sources that stay in their place -------------------------------------------------------------


def test_a_source_in_its_place_wastes_no_room_and_the_card_is_kept_in_full(
    shelf: Library, tavern: Tavern, tmp_path: Path
) -> None:
    done = take(shelf, tavern, keep="reference")
    assert done.kept == "reference"
    card = named(shelf, "沈砚").asset
    assert [p.name for p in Path(shelf.root, "assets/cards", card.id).iterdir()] == ["v1.json"]
    exporting.export(shelf, "沈砚", "png", "v2", out=f"{tmp_path}/a.png")
    assert deck.clean(shelf)
    tavern.root.joinpath("characters/沈砚.png").unlink()
    assert (showing.show(shelf, "沈砚").card or {})["data"]["name"] == "沈砚"
    done_ = exporting.export(shelf, "沈砚", "png", "v2", out=f"{tmp_path}/b.png")
    assert "picture_gone" in deck.codes(done_.losses)
    assert "source_gone" in [note.code for note in shelf.notes]


def test_what_was_left_in_its_place_is_fetched_by_a_copy(shelf: Library, tavern: Tavern) -> None:
    take(shelf, tavern, keep="reference")
    card = named(shelf, "沈砚").asset
    done = take(shelf, tavern, keep="copy")
    assert (done.imported.taken, done.imported.updated) == (0, 0)
    after = deck.asset(shelf, card.id)
    source = after.versions[0].source
    assert source is not None and source.file and not source.place
    path = tavern.root / "characters/沈砚.png"
    assert Path(shelf.root, "assets/cards", card.id, source.file).read_bytes() == path.read_bytes()
    assert len(after.versions) == 1 and after.worlds == card.worlds
    assert take(shelf, tavern, keep="copy").imported.items == []
    assert take(shelf, tavern, keep="reference").imported.items == []
    assert deck.clean(shelf)


def test_a_later_edit_over_there_never_changes_a_version_here(
    shelf: Library, tavern: Tavern, tmp_path: Path
) -> None:
    take(shelf, tavern, keep="reference")
    path = tavern.root / "characters/沈砚.png"
    with path.open("r+b") as handle:  # written into in place, as old versions do
        data = handle.read().replace(b"IDAT", b"IDAT")
        handle.seek(0)
        handle.write(deck.png("别人", description="换了").ljust(len(data), b"\0")[: len(data)])
    has = exporting.export(shelf, "沈砚@1", "json", "v2", out=f"{tmp_path}/a.json")
    assert has.written and "别人" not in Path(tmp_path, "a.json").read_text(encoding="utf-8")
    assert (showing.show(shelf, "沈砚@1").card or {})["data"]["name"] == "沈砚"


@pytest.mark.parametrize(("waste", "kept"), [(10, "reference"), (10_000_000, "copy")])
def test_what_would_waste_much_room_stays_in_its_place(
    shelf: Library, tavern: Tavern, monkeypatch: pytest.MonkeyPatch, waste: int, kept: str
) -> None:
    monkeypatch.setattr(sillytavern, "WASTE", waste)
    assert take(shelf, tavern).kept == kept


# ---- folders that are none, users, settings --------------------------------------------------------


def test_a_folder_that_is_none(shelf: Library, tmp_path: Path) -> None:
    with pytest.raises(ClewError) as missing:
        import_folder(shelf, str(tmp_path))
    assert missing.value.code == "not_sillytavern"


def test_several_users_are_told(shelf: Library, tmp_path: Path) -> None:
    for user in ("alice", "bob"):
        Tavern(tmp_path / "data" / user)
    with pytest.raises(Refused) as refused:
        import_folder(shelf, str(tmp_path))
    assert refused.value.code == "several_users"
    assert import_folder(shelf, str(tmp_path / "data" / "bob")).imported.taken == 0


@pytest.mark.parametrize(
    "text",
    [b"{", b"[]", b"\xff\xfe", b'{"tags": 5, "tag_map": 7}', b'{"tags":[1,{"id":2}],"tag_map":{"a":1}}',
     b'{"world_info_settings":{"world_info":{"charLore":[3,{"name":1}]}}}', b"[" * 100_000],
)  # fmt: skip
def test_settings_of_any_kind_stop_no_import(shelf: Library, tavern: Tavern, text: bytes) -> None:
    tavern.put("settings.json", text)
    done = take(shelf, tavern)
    assert deck.titles(shelf) == ["Mara", "沈砚"]
    told = "settings_broken" in findings(done)
    assert told == (text in (b"{", b"[]", b"\xff\xfe", b"[" * 100_000))
