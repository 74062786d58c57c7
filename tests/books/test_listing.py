"""Lists, filters, search and names; and an index that may be deleted at any time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cardfiles
import deck
import pytest

from clew.books import assets, bookshelf, editing
from clew.books.library import Library, open_library
from clew.books.listing import catalog, list_assets, named
from clew.books.searching import search
from clew.kernel.errors import Missing, Refused


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    made = deck.library(tmp_path)
    for name, more in {
        "沈砚": {"tags": ["古风", "OC"], "creator": "甲"},
        "周薄森": {"tags": ["Slow Burn"], "creator": "乙"},
        "Zoë Café": {"tags": ["slow burn", "oc"], "creator": "José"},
        "无名": {"tags": [], "creator": ""},
    }.items():
        deck.one(made, tmp_path, name, **more)
    return made


def test_lists_the_newest_first_with_a_total(shelf: Library) -> None:
    found = list_assets(shelf, limit=2)
    assert (found.total, [row.title for row in found.rows]) == (4, ["无名", "Zoë Café"])
    rest = list_assets(shelf, limit=2, offset=2)
    assert [row.title for row in rest.rows] == ["周薄森", "沈砚"]
    assert list_assets(shelf, offset=9).rows == []


@pytest.mark.parametrize("sort", ["added", "updated", "title"])
def test_lists_in_the_order_that_was_asked_for(shelf: Library, sort: str) -> None:
    editing.apply(shelf, "周薄森", editing.Changes(set=["description=x"]))
    rows = list_assets(shelf, sort=sort).rows
    keys: dict[str, Any] = {
        "added": lambda row: row.added, "updated": lambda row: row.updated,
        "title": lambda row: row.title.casefold(),
    }  # fmt: skip
    assert rows == sorted(rows, key=keys[sort], reverse=sort != "title")
    with pytest.raises(Refused):
        list_assets(shelf, sort="colour")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"tags": ("SLOW BURN",)}, ["Zoë Café", "周薄森"]),
        ({"tags": ("oc",)}, ["Zoë Café", "沈砚"]),
        ({"tags": ("slow  burn", "OC")}, ["Zoë Café"]),
        ({"tags": ("slow",)}, []),
        ({"creator": "甲"}, ["沈砚"]),
        ({"creator": "JOSÉ"}, ["Zoë Café"]),
        ({"title": "café"}, ["Zoë Café"]),
        ({"title": "薄"}, ["周薄森"]),
        ({"spec": "v2"}, ["Zoë Café", "周薄森", "无名", "沈砚"]),
        ({"spec": "v1"}, []),
        ({"favourite": True}, []),
        ({"kind": "world"}, []),
    ],
)
def test_filters(shelf: Library, wanted: dict[str, Any], found: list[str]) -> None:
    assert deck.titles(shelf, **wanted) == sorted(found)


def test_used_in_and_unused(shelf: Library) -> None:
    card = named(shelf, "沈砚").asset
    play = bookshelf.new_play(shelf, "旧码头", card.id)
    assert deck.titles(shelf, used_in=play.id) == ["沈砚"] == deck.titles(shelf, used_in="*")
    assert "沈砚" not in deck.titles(shelf, unused=True)
    assert len(deck.titles(shelf, unused=True)) == 3


# ---- search --------------------------------------------------------------------------------------


def hits(shelf: Library, text: str, **how: Any) -> list[str]:
    return sorted(hit.asset.title for hit in search(shelf, text, **how).hits)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("砚", ["沈砚"]),
        ("薄", ["周薄森"]),
        ("旧码头", ["Zoë Café", "周薄森", "无名", "沈砚"]),
        ("cafe", ["Zoë Café"]),
        ("ZOË", ["Zoë Café"]),
        ("jose", ["Zoë Café"]),
        ("古风", ["沈砚"]),
        ("账 周薄", ["周薄森"]),
        ("没有这个", []),
        ("", []),
        ('" OR *', []),
        ("%", []),
    ],
)
def test_finds_words_of_any_length(shelf: Library, text: str, found: list[str]) -> None:
    assert hits(shelf, text) == sorted(found)


def test_a_hit_shows_why_it_was_found(shelf: Library) -> None:
    hit = search(shelf, "记仇").hits[0]
    assert [hit.excerpt[a:b] for a, b in hit.spans] == ["记仇"]
    title = search(shelf, "薄森").hits[0]
    assert [title.excerpt[a:b] for a, b in title.spans] == ["薄森"]


def test_pages_of_hits(shelf: Library) -> None:
    first = search(shelf, "码头", limit=3)
    rest = search(shelf, "码头", limit=3, before=first.next)
    assert len(first.hits) == 3 and first.next and not rest.next
    assert [h.asset.title for h in (*first.hits, *rest.hits)] == [
        "无名",
        "Zoë Café",
        "周薄森",
        "沈砚",
    ]


def test_lorebooks_are_found_in_cards_and_beside_them(shelf: Library, tmp_path: Path) -> None:
    deck.one(
        shelf,
        tmp_path,
        "带书的",
        character_book=cardfiles.book(cardfiles.entry(content="洪水淹了第三桩")),
    )
    deck.take(shelf, deck.put(tmp_path, "w.json", cardfiles.text(
        cardfiles.world_info(_0=cardfiles.world_entry(content="洪水之后"))
    )))  # fmt: skip
    assert hits(shelf, "洪水") == sorted(["w", "带书的", "沈砚", "周薄森", "Zoë Café", "无名"])
    assert hits(shelf, "第三桩") == ["带书的"]
    assert hits(shelf, "之后", kind="world") == ["w"]


def test_an_edit_is_found_and_what_it_replaced_is_not(shelf: Library) -> None:
    editing.apply(shelf, "沈砚", editing.Changes(set=["personality=爱笑"]))
    assert hits(shelf, "爱笑") == ["沈砚"]
    assert "沈砚" not in hits(shelf, "记仇")


def test_the_trash_is_searched_only_when_asked(shelf: Library) -> None:
    assets.set_state(shelf, named(shelf, "沈砚").asset.id, "trash")
    assert hits(shelf, "砚") == []
    assert hits(shelf, "砚", states=("trashed",)) == ["沈砚"]


# ---- the index is derived --------------------------------------------------------------------------


def test_deleting_the_index_loses_nothing(shelf: Library) -> None:
    bookshelf.new_play(shelf, "旧码头", named(shelf, "沈砚").asset.id)
    before = list_assets(shelf), hits(shelf, "码头"), deck.titles(shelf, used_in="*")
    Path(shelf.root, "index.sqlite").unlink()
    again = open_library(shelf.root)
    assert (list_assets(again), hits(again, "码头"), deck.titles(again, used_in="*")) == before
    Path(again.root, "index.sqlite").unlink()
    assert list_assets(again) == before[0], "also under a library that is open"


@pytest.mark.parametrize("junk", [b"", b"junk", b"SQLite format 3\0" + b"\0" * 4096])
def test_an_index_of_any_content_is_made_anew(shelf: Library, junk: bytes) -> None:
    before = list_assets(shelf)
    catalog(shelf).index.close()
    Path(shelf.root, "index.sqlite").write_bytes(junk)
    assert list_assets(open_library(shelf.root)) == before


def test_another_process_sees_every_change_at_once(shelf: Library) -> None:
    other = open_library(shelf.root)
    assert "沈砚" in deck.titles(other)
    assets.rename(shelf, named(shelf, "沈砚").asset.id, "改了名")
    assert "改了名" in deck.titles(other) and "沈砚" not in deck.titles(other)


# ---- names ------------------------------------------------------------------------------------------


def test_a_card_is_named_by_title_id_or_the_beginning_of_its_id(shelf: Library) -> None:
    card = named(shelf, "沈砚").asset
    for name in (card.id, card.id[:8], " 沈砚 ", "沈砚@1"):
        assert named(shelf, name).asset.id == card.id
    assert named(shelf, f"{card.id}@1").version == 1
    assert named(shelf, "ZOË CAFÉ").asset.title == "Zoë Café"


def test_a_title_with_an_at_sign(shelf: Library) -> None:
    card = named(shelf, "沈砚").asset
    assets.rename(shelf, card.id, "mail@2")
    assert named(shelf, "mail@2").version is None
    assert named(shelf, "mail@2@1").version == 1


def test_a_title_that_reads_like_a_version_of_another_card_is_refused_with_what_to_type(
    shelf: Library, tmp_path: Path
) -> None:
    card = named(shelf, "沈砚").asset
    editing.apply(shelf, "沈砚", editing.Changes(set=["description=二"]))
    other = deck.one(shelf, tmp_path, "沈砚@2")
    with pytest.raises(Refused) as refused:
        named(shelf, "沈砚@2")
    fault = refused.value.faults[0]
    assert fault.code == "several_assets"
    typed = [row.partition(" ")[0] for row in fault.facts["allowed"]]
    assert [named(shelf, text)[1] for text in typed] == [None, 2]
    assert [named(shelf, text).asset.id for text in typed] == [other.id, card.id]
    # Nothing else is meant by a version that is not there, nor by one that is in the trash.
    assets.rename(shelf, other.id, "沈砚@7")
    assert named(shelf, "沈砚@7").asset.id == other.id
    assets.rename(shelf, other.id, "沈砚@2")
    assets.set_state(shelf, other.id, "trash")
    assert named(shelf, "沈砚@2") == (asset_of(shelf, card.id), 2)


def asset_of(shelf: Library, ident: str) -> object:
    return deck.asset(shelf, ident)


def test_a_search_finds_every_text_of_a_card_and_labels_and_file_names(
    shelf: Library, tmp_path: Path
) -> None:
    whole = cardfiles.v2(
        "别名", character_version="版本号七", extensions={"mod": {"deep": ["扩展之言"]}}, mine="未知之言",
        character_book={
            "description": "书之简介", "extensions": {},
            "entries": [{"keys": ["k"], "content": "c", "extensions": {"x": "条目之言"},
                         "enabled": True, "insertion_order": 1}],
        },
    ) | {"beside": "根部之言"}  # fmt: skip
    path = deck.put(tmp_path / "in", "旧文件名.json", json.dumps(whole).encode())
    ident = deck.take(shelf, path).items[0].id
    assets.mark(shelf, ident, add=["我的标签"])
    assets.rename(shelf, ident, "另一个标题")
    for text in (
        "版本号七", "扩展之言", "未知之言", "书之简介", "条目之言", "根部之言", "旧文件名", "我的标签", "别名",
    ):  # fmt: skip
        hits = search(shelf, text).hits
        assert [hit.asset.id for hit in hits] == [ident], text
        (start, end), *_ = hits[0].spans
        assert hits[0].excerpt[start:end] == text


def test_a_part_of_a_title_is_found_without_its_accents(shelf: Library) -> None:
    for text in ("cafe", "CAFÉ", "zoe", "Zoë Café"):
        assert deck.titles(shelf, title=text) == ["Zoë Café"]
    assert deck.titles(shelf, title="…") == []


@pytest.mark.parametrize("text", ["\ud83d", "\0", "%", "'", '"', "@", "@1", " ", "x" * 5_000])
def test_a_name_that_nothing_has_is_refused_whatever_it_is(shelf: Library, text: str) -> None:
    with pytest.raises(Missing):
        named(shelf, text)
    assert (
        deck.titles(shelf, title=text, creator=text, tags=(text,), spec=text) == []
        or not text.strip()
    )


def test_no_card_is_ever_guessed(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path, "沈砚", creator="另一个")
    with pytest.raises(Refused) as refused:
        named(shelf, "沈砚")
    fault = refused.value.faults[0]
    assert fault.code == "several_assets" and len(fault.facts["allowed"]) == 2
    with pytest.raises(Missing) as missing:
        named(shelf, "薄森")
    assert missing.value.faults[0].facts["allowed"] == ("周薄森",)
    with pytest.raises(Missing):
        named(shelf, "c" + "0" * 20)


def test_a_living_card_outranks_one_in_the_trash(shelf: Library, tmp_path: Path) -> None:
    old = named(shelf, "沈砚").asset
    assets.set_state(shelf, old.id, "trash")
    assert named(shelf, "沈砚").asset.id == old.id
    fresh = deck.one(shelf, tmp_path, "沈砚", creator="另一个")
    assert named(shelf, "沈砚").asset.id == fresh.id


def test_a_version_that_was_edited_by_hand_is_not_served_by_a_search_either(shelf: Library) -> None:
    card = named(shelf, "沈砚").asset
    path = Path(shelf.root, "assets/cards", card.id, "v1.json")
    before = path.read_bytes()
    path.write_bytes(before.replace('"沈砚"'.encode(), '"沈砚，晴天的渡口"'.encode()))
    assert path.read_bytes() != before
    for name in Path(shelf.root).glob("index.sqlite*"):
        name.unlink()
    again = open_library(shelf.root)
    assert search(again, "晴天").hits == []
    assert [row.title for row in list_assets(again, sort="title").rows if row.id == card.id] == [
        "沈砚"
    ]
    path.write_bytes(before)


@pytest.mark.parametrize("what", ["edited", "gone", "of another card"])
def test_a_hit_is_never_quoted_from_a_file_that_is_not_what_was_kept(
    shelf: Library, what: str
) -> None:
    card, other = named(shelf, "沈砚").asset, named(shelf, "周薄森").asset
    assert search(shelf, "记仇").hits[0].damaged is False
    path = Path(shelf.root, "assets/cards", card.id, "v1.json")
    before = path.read_bytes()
    if what == "edited":
        path.write_bytes(before.replace("记仇".encode(), "伪造的记仇".encode()))
    elif what == "gone":
        path.unlink()
    else:
        path.write_bytes((path.parents[1] / other.id / "v1.json").read_bytes())
    shelf.notes.clear()
    hits = [hit for hit in search(shelf, "记仇").hits if hit.asset.id == card.id]
    assert [hit.damaged for hit in hits] == [True]
    assert hits[0].excerpt == "沈砚" and hits[0].spans == []
    notes = [(note.code, note.facts["file"]) for note in shelf.notes]
    assert notes == [("hit_damaged", f"assets/cards/{card.id}/v1.json")]
    path.write_bytes(before)
    assert "记仇" in search(shelf, "记仇").hits[0].excerpt


def test_a_search_tells_of_what_it_could_not_read(shelf: Library) -> None:
    """A card that was damaged when it was indexed is found by no word of its own: that is said."""
    card = named(shelf, "沈砚").asset
    path = Path(shelf.root, "assets/cards", card.id, "v1.json")
    before = path.read_bytes()
    path.write_bytes(b"{}")
    for name in Path(shelf.root).glob("index.sqlite*"):
        name.unlink()
    again = open_library(shelf.root)
    found = {hit.asset.id for hit in search(again, "记仇").hits}
    assert found and card.id not in found
    assert [note.code for note in again.notes] == ["hit_damaged"]
    path.write_bytes(before)
    assert {hit.asset.id for hit in search(again, "记仇").hits} == found | {card.id}
