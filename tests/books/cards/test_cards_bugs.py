"""Public failures of other programs' card formats, each a file that does the right thing here.

Numbers are those of the list of failures in docs/cards.md.
"""

from __future__ import annotations

import io
import json

import pytest
from cardfiles import (
    b64,
    book,
    card_png,
    charx,
    entry,
    jpeg,
    png,
    text,
    text_chunk,
    v2,
    v2_data,
    v3,
    webp,
    world_entry,
    world_info,
)  # fmt: skip

from clew.books import cards
from clew.books.cards.png import scan
from clew.books.cards.values import same
from clew.books.model import Card

NAME = "沈砚"


def card_of(data: bytes, name: str = "") -> Card:
    read = cards.read(data, name=name)
    assert read.card is not None, [fault.message() for fault in read.report.refused]
    return read.card


def written(card: Card, spec: str = "v2", **how: object) -> dict[str, object]:
    value: dict[str, object] = json.loads(cards.write(card, spec, "json", **how))  # type: ignore[arg-type]
    return value


def codes(read: cards.Read) -> set[str]:
    return {fault.code for _, fault in read.report}


def test_bug_27_metadata_chunk_before_chara() -> None:
    data = png(text_chunk("Software", b"Paint"), text_chunk("chara", b64(v2())))
    assert card_of(data).name == NAME


def test_bug_28_empty_name_is_shown_under_the_file_name() -> None:
    read = cards.read(card_png(v2("")), name="无名氏.png")
    assert read.card is not None and read.card.name == ""
    assert read.title == "无名氏"
    assert "name_missing" in codes(read)
    assert [f.code for f in cards.validate(read.card)] == ["name_empty"]


def test_bug_28_a_picture_without_any_name_has_no_title_and_is_still_a_card() -> None:
    read = cards.read(card_png(v2("")))
    assert read.card is not None and read.title == ""


@pytest.mark.parametrize("data", [webp(text(v2())), jpeg(text(v2())), text(v2()), charx()])
def test_bug_29_png_extension_on_other_bytes(data: bytes) -> None:
    read = cards.read(data, name="x.png")
    assert read.card is not None and read.card.name == NAME
    assert "name_misleads" in codes(read)


def test_bug_29_json_extension_on_riff_bytes() -> None:
    read = cards.read(webp(text(v2())), name="x.json")
    assert read.card is not None and read.kind == "webp"


def test_bug_30_empty_depth_does_not_reject_the_card() -> None:
    prompt = {"prompt": "p", "depth": "", "role": "system"}
    read = cards.read(text(v2(extensions={"depth_prompt": prompt})))
    assert read.card is not None
    assert read.card.extensions["depth_prompt"] == prompt
    assert "odd_value_kept" in codes(read)


def test_bug_31_character_book_null() -> None:
    card = card_of(card_png(v2(character_book=None)))
    assert card.book is None
    assert "character_book" in card.data  # kept as written: an export equals its original
    assert written(card)["data"] == v2(character_book=None)["data"]


@pytest.mark.parametrize(
    ("position", "word"),
    [("0", "before_char"), (0, "before_char"), (1, "after_char"), ("1", "after_char")],
)
def test_bug_32_chub_positions(position: object, word: str) -> None:
    read = cards.read(text(v2(character_book=book(entry(position=position)))))
    assert read.card is not None and read.card.book is not None
    assert read.card.book.entries[0].position == word
    assert "$.data.character_book.entries[0].position" in read.report.repaired_paths()


def test_bug_33_chunk_after_the_pixels() -> None:
    assert card_of(png(after=[text_chunk("chara", b64(v2()))])).name == NAME


def test_bug_34_ccv3_only() -> None:
    assert card_of(card_png(v3(), "ccv3")).spec == "v3"


def test_bug_35_embedded_book_under_data() -> None:
    found = card_of(card_png(v2(character_book=book(entry())))).book
    assert found is not None and found.entries[0].content == "旧码头有七根桩。"


RISU = {"risuai": {"customScripts": [{"in": "a", "out": "b"}], "additionalText": "x"}}
V3_FIELDS = {
    "nickname": "阿砚", "source": ["https://example.org/1"], "group_only_greetings": ["大家好"],
    "creation_date": 1_700_000_000, "modification_date": 1_700_000_001,
    "creator_notes_multilingual": {"zh": "说明"}, "post_history_instructions": "PHI",
    "character_book": book(entry(use_regex=False)), "extensions": RISU,
    "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
}  # fmt: skip


@pytest.mark.parametrize("container", ["json", "png", "charx"])
def test_bug_36_v3_and_risu_fields_are_not_dropped(container: str) -> None:
    card = card_of(text(v3(**V3_FIELDS)))
    again = card_of(cards.write(card, "v3", container))
    assert again.data | {"assets": 0} == card.data | {"assets": 0}
    assert again.nickname == "阿砚"


def test_bug_36_v2_export_keeps_what_v2_does_not_know() -> None:
    card = card_of(text(v3(**V3_FIELDS)))
    again = card_of(cards.write(card, "v2", "json"))
    assert cards.diff(card, again) == []
    told = {fault.path for fault in cards.losses(card, "v2", "json")}
    assert {"$.data.nickname", "$.data.source", "$.data.assets"} <= told


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_bug_36_a_photo_is_exported_as_itself_not_as_a_blank(kind: str) -> None:
    image = pytest.importorskip("PIL.Image")
    out = io.BytesIO()
    image.new("RGB", (40, 60), (200, 30, 30)).save(out, kind)
    photo = out.getvalue()
    card = card_of(text(v2()))
    made = image.open(io.BytesIO(cards.write(card, "v2", "png", source=photo)))
    assert made.size == (40, 60)
    red, green, blue = made.convert("RGB").getpixel((20, 30))
    assert red > 150 and green < 80 and blue < 80
    assert "picture_converted" in [f.code for f in cards.losses(card, "v2", "png", source=photo)]


def test_bug_37_unknown_root_and_data_fields_survive() -> None:
    value = v2(tavern_helper={"scripts": [1.0]}, oddity=None, root={"my_root": {"a": [1, 2]}})
    value["data"]["extensions"] = {"tavern_helper": [["scripts", []]]}
    assert written(card_of(text(value))) == value
    assert written(card_of(card_png(value))) == value


@pytest.mark.parametrize("made", [text, card_png], ids=["json", "png"])
@pytest.mark.parametrize("name", ["a\\b", "../x", "con", 'A "B" C', "x.", "💧" * 300, "n" * 300])
def test_bug_38_a_name_that_is_no_file_name_is_kept_and_told(made: object, name: str) -> None:
    card = card_of(made(v2(name)))  # type: ignore[operator]
    assert card.name == name
    assert written(card)["data"]["name"] == name  # type: ignore[index]
    assert {f.code for f in cards.validate(card)} & {"name_no_file", "name_long"}


@pytest.mark.parametrize("spec", ["v1", "v2", "v3"])
@pytest.mark.parametrize("container", ["json", "png", "charx"])
def test_bug_40_the_title_of_the_last_chat_is_not_exported(spec: str, container: str) -> None:
    card = card_of(text(v2(root={"chat": "和前任的私聊", "fav": True})))
    assert card.root["chat"] == "和前任的私聊"
    if container == "charx" and spec != "v3":
        return
    data = cards.write(card, spec, container)
    assert "chat" not in card_of(data).root
    assert "private_left_out" in [f.code for f in cards.losses(card, spec, container)]


def test_bug_40_the_last_chat_does_not_make_another_card() -> None:
    one, two = (card_of(text(v2(root={"chat": chat}))) for chat in ("a", "b"))
    assert one.content_hash == two.content_hash


@pytest.mark.parametrize("keyword", ["chara-ext-asset_:7", "chara-ext-asset_7"])
def test_bug_42_asset_chunks_with_and_without_colon(keyword: str) -> None:
    assets = [{"type": "emotion", "uri": "__asset:7", "name": "happy", "ext": "png"}]
    data = png(text_chunk(keyword, b64(b"picture")), text_chunk("ccv3", b64(v3(assets=assets))))
    read = cards.read(data)
    assert [(asset.path, asset.load()) for asset in read.assets] == [("7", b"picture")]


def test_bug_43_an_export_holds_the_edits() -> None:
    source = card_png(v2(root={"name": NAME, "first_mes": v2_data()["first_mes"]}))
    card = cards.set(card_of(source), "first_mes", "改过的开场白")
    data = cards.write(card, "v2", "png", source=source)
    again = card_of(data)
    assert again.first_mes == again.root["first_mes"] == "改过的开场白"
    assert b64(v2())[:40] not in data


def test_bug_43_no_stale_copy_stays_beside_the_new_one() -> None:
    source = png(text_chunk("chara", b64(v2("旧"))), after=[text_chunk("ccv3", b64(v3("旧")))])
    card = cards.set(card_of(source), "name", "新")
    for spec in ("v1", "v2", "v3"):
        data = cards.write(card, spec, "png", source=source)
        read = cards.read(data)
        assert read.card is not None and read.card.name == "新"
        assert "cards_disagree" not in codes(read)
        expected = ["chara", "ccv3"] if spec == "v3" else ["chara"]
        assert [one.keyword for one in scan(data).texts()] == expected


def test_bug_44_list_form_lorebooks_are_not_scrambled() -> None:
    rows = [entry(id=5, keys=["五"]), entry(id=None, keys=["无"]), entry(id=2, keys=["二"])]
    read = cards.read(text(book(*rows)))
    assert read.lorebook is not None
    assert [e.keys for e in read.lorebook.entries] == [("五",), ("无",), ("二",)]
    old = json.loads(cards.write_lorebook(read.lorebook, "worldinfo"))["entries"]
    assert {key: value["key"] for key, value in old.items()} == {
        "5": ["五"],
        "1": ["无"],
        "2": ["二"],
    }
    assert all(key == str(value["uid"]) for key, value in old.items())


def test_bug_46_a_rename_keeps_the_linked_world_and_the_book() -> None:
    card = card_of(text(v2(character_book=book(entry()), extensions={"world": "洪字号"})))
    renamed = cards.set(card, "name", "阿砚")
    assert (renamed.world, renamed.book) == ("洪字号", card.book)
    assert [change.path for change in cards.diff(card, renamed)] == ["$.data.name"]


def test_bug_48_uid_0_and_text_0_and_missing_are_three_entries() -> None:
    rows = [entry(id=0, keys=["零"]), entry(id="0", keys=["字零"]), entry(keys=["无"])]
    read = cards.read(text(v2(character_book=book(*rows))))
    assert read.card is not None and read.card.book is not None
    found = {e.uid: e.keys for e in read.card.book.entries}
    assert found == {"0": ("零",), "0~1": ("字零",), "#2": ("无",)}
    assert same(written(read.card)["data"]["character_book"]["entries"], rows)  # type: ignore[index]


def test_bug_48_world_info_with_missing_uids() -> None:
    value = world_info(
        _0=world_entry(0), _x={**world_entry(), "uid": None}, _2={**world_entry(), "uid": "0"}
    )
    read = cards.read(text(value))
    assert read.lorebook is not None
    assert [e.uid for e in read.lorebook.entries] == ["0", "x", "0~1"]
    assert len(json.loads(cards.write_lorebook(read.lorebook, "worldinfo"))["entries"]) == 3


def test_bug_49_a_shared_book_has_one_hash() -> None:
    shared = book(entry(), entry(id=3))
    nulls = book(entry(priority=None), entry(id=3, secondary_keys=None), scan_depth=None)
    books = [
        card_of(text(v2(name, character_book=said))).book
        for name, said in (("甲", shared), ("乙", shared), ("丙", nulls))
    ]
    alone = cards.read(text(shared)).lorebook
    hashes = [found.content_hash for found in (*books, alone) if found is not None]
    assert len(hashes) == 4 and len(set(hashes)) == 1
    other = cards.read(text(book(entry(), entry(id=4)))).lorebook
    assert other is not None and other.content_hash not in hashes
