"""Whatever goes through an export comes back: equal, or listed as lost before it was written."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from cardfiles import V1, b64, charx, pack, png, text, text_chunk, v3, world_entry, world_info
from cardstrategies import ROOT, books, documents
from hypothesis import given
from hypothesis import strategies as st

from clew.books import cards
from clew.books.cards.jsontext import parse
from clew.books.cards.report import Limits, Report
from clew.books.cards.values import encode, same
from clew.books.model import Card

SPECS = ("v1", "v2", "v3")
PAIRS = [
    (a, b, c)
    for a in SPECS
    for b in SPECS
    for c in ("json", "png", "charx")
    if c != "charx" or b == "v3"
]


def card_of(data: bytes) -> Card:
    read = cards.read(data)
    assert read.card is not None, [fault.message() for fault in read.report.refused]
    return read.card


def raw(document: Any) -> bytes:
    return encode(document).encode("utf-8")


def tokens(data: bytes) -> Any:
    """JSON with its number tokens."""
    return parse(data.decode("utf-8"), "$", Report(), Limits())


def covered(path: str, lines: list[Any]) -> bool:
    """True when a list of losses names the path, or what it lies in. What is filled in is named field
    by field: a line about an object says nothing about its other fields."""
    general = re.sub(r"\[\d+\]", "[*]", path)
    for line in lines:
        if line.code == "fields_filled":
            if any(general == f"{line.path}.{name}" for name in line.facts["found"]):
                return True
        elif line.path and (
            general == line.path or general.startswith((line.path + ".", line.path + "["))
        ):
            return True
    return False


@pytest.mark.parametrize("spec", SPECS)
@given(st.data())
def test_the_same_format_equals_the_original(spec: str, data: st.DataObject) -> None:
    document = data.draw(documents(spec))
    read = cards.read(raw(document))
    assert read.card is not None and read.spec == spec
    told = read.report.repaired_paths()
    back = tokens(cards.write(read.card, spec, "json"))
    for key, value in document.items():
        if key != "data" or spec == "v1":
            assert same(back[key], value) or covered(f"$.{key}", read.report.repaired), (key, told)
    if spec != "v1":
        assert [key for key in back["data"] if key in document["data"]] == list(document["data"])
        for key, value in document["data"].items():
            assert same(back["data"][key], value) or any(
                p.startswith(f"$.data.{key}") for p in told
            ), (key, told)


@pytest.mark.parametrize(("source", "spec", "container"), PAIRS)
@given(st.data())
def test_every_pair_is_equal_or_listed(
    source: str, spec: str, container: str, data: st.DataObject
) -> None:
    card = card_of(raw(data.draw(documents(source))))
    lines = cards.losses(card, spec, container)
    written = cards.write(card, spec, container)
    after = card_of(written)
    for change in cards.diff(card, after):
        assert covered(change.path, lines), (change, lines)
    # and once more: nothing else is lost the second time
    assert card_of(cards.write(after, spec, container)).content_hash == after.content_hash


@given(documents("v2"))
def test_reading_is_settled_after_one_time(document: dict[str, Any]) -> None:
    card = card_of(raw(document))
    again = cards.read(cards.write(card, "v2", "json"))
    assert again.card == card
    assert [f.code for f in again.report.repaired if f.code != "name_missing"] == []


@given(documents("v3"))
def test_bytes_of_a_card_are_read_back_whole(document: dict[str, Any]) -> None:
    card = card_of(raw(document))
    again = Card.of_bytes(card.to_bytes())
    assert (again.spec, again.spec_version) == (card.spec, card.spec_version)
    assert same(again.data, card.data) and same(again.root, card.root)
    assert again.content_hash == card.content_hash


@given(documents("v3"))
def test_json_is_stable_and_valid_utf8(document: dict[str, Any]) -> None:
    card = card_of(raw(document))
    data = cards.write(card, "v3", "json")
    assert data == cards.write(card, "v3", "json")
    json.loads(data.decode("utf-8"))


def test_png_keeps_every_other_byte() -> None:
    other = [
        text_chunk("Software", b"x"),
        text_chunk("risuai", b"opaque"),
        text_chunk("parameters", b"\xff\xfe"),
    ]
    source = png(
        other[0], text_chunk("chara", b64(v3())), other[1], after=[other[2]], tail=b"behind"
    )
    read = cards.read(source)
    assert read.card is not None
    out = cards.write(read.card, "v2", "png", source=source)
    bare = source.replace(text_chunk("chara", b64(v3())), b"")
    rest = out
    for one in cards.scan(out).texts():
        if one.name == "chara":
            rest = out[: one.offset] + out[one.end :]
    assert rest == bare
    told = {fault.code for fault in cards.losses(read.card, "v2", "png", source=source)}
    assert {"copied_unchanged", "trailing_bytes"} <= told


def test_charx_keeps_every_member_byte_for_byte() -> None:
    members = [("assets/icon/images/a.png", png()), ("module.risum", bytes(range(256)) * 9), ("x_meta/0.json", b"{}"),
               ("app.json", b"{}"), ("资产/图.png", b"x")]  # fmt: skip
    assets = [
        {"type": "icon", "uri": "embeded://assets/icon/images/a.png", "name": "main", "ext": "png"}
    ]
    source = charx(v3(assets=assets, x=1), *members)
    card = card_of(source)
    out = cards.read(cards.write(cards.set(card, "name", "新"), "v3", "charx", source=source))
    assert out.card is not None and out.card.name == "新" and out.card.data["x"] == 1
    assert {asset.path: asset.load() for asset in out.assets} == dict(members)


def test_jpeg_with_an_archive_stays_a_jpeg() -> None:
    from cardfiles import jpeg

    source = jpeg(tail=charx())
    out = cards.write(card_of(source), "v3", "charx", source=source)
    assert out.startswith(jpeg())
    assert cards.read(out).card == card_of(source)


def test_assets_go_from_charx_to_png_and_back() -> None:
    assets = [
        {"type": "icon", "uri": "embeded://assets/icon/images/a.png", "name": "main", "ext": "png"},
        {"type": "emotion", "uri": "embeded://assets/emotion/images/哭.webp", "name": "sad", "ext": "webp"},
        {"type": "x_l2d", "uri": "https://example.org/l2d", "name": "l", "ext": "unknown"},
    ]  # fmt: skip
    members = [
        ("assets/icon/images/a.png", png(width=5)),
        ("assets/emotion/images/哭.webp", b"RIFF"),
    ]
    source = charx(v3(assets=assets), *members, ("module.risum", b"m"))
    card = card_of(source)
    told = {
        fault.code: fault.facts.get("found")
        for fault in cards.losses(card, "v3", "png", source=source)
    }
    # The rows of the two files name other places in a PNG.
    assert told == {"members_left_out": ["module.risum"], "field_translated": "PNG"}
    picture = cards.write(card, "v3", "png", source=source)
    assert picture.startswith(b"\x89PNG") and cards.scan(picture).width == 5
    read = cards.read(picture)
    assert read.card is not None
    assert {asset.load() for asset in read.assets} == {data for _, data in members}
    assert [row.uri for row in read.card.assets] == [
        "__asset:0",
        "__asset:1",
        "https://example.org/l2d",
    ]
    back = cards.read(cards.write(read.card, "v3", "charx", source=picture))
    assert back.card is not None
    assert {asset.load() for asset in back.assets} >= {data for _, data in members}
    assert [row.name for row in back.card.assets] == ["main", "sad", "l"]
    assert back.card.assets[1].uri == "embeded://assets/emotion/images/1.webp"


def test_png_to_charx_takes_the_picture_along_as_the_icon() -> None:
    source = png(text_chunk("ccv3", b64(v3())), text_chunk("Software", b"x"), width=7)
    card = card_of(source)
    out = cards.read(cards.write(card, "v3", "charx", source=source))
    assert out.card is not None
    assert [tuple(row) for row in out.card.assets] == [
        ("icon", "embeded://assets/icon/images/main.png", "main", "png")
    ]
    (icon,) = out.assets
    assert icon.load() == png(text_chunk("Software", b"x"), width=7)


@pytest.mark.parametrize("kind", ["jpeg", "webp"])
def test_a_photo_goes_into_a_charx_as_it_is_without_its_old_card(kind: str) -> None:
    from cardfiles import jpeg, webp

    make = {"jpeg": jpeg, "webp": webp}[kind]
    source = make(text(v3()))
    out = cards.read(cards.write(card_of(source), "v3", "charx", source=source))
    (icon,) = out.assets
    assert icon.path == f"assets/icon/images/main.{'jpg' if kind == 'jpeg' else 'webp'}"
    assert icon.load() == make()


def test_a_new_picture_takes_the_place_of_the_old_one() -> None:
    source = png(text_chunk("ccv3", b64(v3())), width=7)
    card = card_of(source)
    fresh = png(text_chunk("chara", b64(v3("别人"))), width=9)
    out = cards.write(card, "v3", "png", source=source, picture=fresh)
    assert cards.scan(out).width == 9
    assert card_of(out) == card
    made = cards.write(card, "v3", "charx", source=source, picture=fresh)
    again = cards.read(
        cards.write(card_of(made), "v3", "charx", source=made, picture=png(width=11))
    )
    assert again.card is not None
    icon = next(row for row in again.card.assets if row.name == "main")
    data = {asset.path: asset.load() for asset in again.assets}[icon.uri.removeprefix("embeded://")]
    assert cards.scan(data).width == 11


def test_v3_writes_a_copy_for_v2_without_decorators() -> None:
    rows = [{"keys": ["a"], "content": "@@depth 4\n@@@instruct_depth 3\n\n正文", "extensions": {}, "enabled": True,
             "insertion_order": 1, "use_regex": False}]  # fmt: skip
    card = card_of(text(v3(character_book={"extensions": {}, "entries": rows})))
    found = {}
    for one in cards.scan(data := cards.write(card, "v3", "png")).texts():
        import base64

        found[one.keyword] = json.loads(
            base64.b64decode(data[one.offset + 8 :][: one.length].partition(b"\0")[2])
        )
    assert found["chara"]["spec"] == "chara_card_v2"
    assert found["chara"]["data"]["character_book"]["entries"][0]["content"] == "正文"
    assert found["ccv3"]["data"]["character_book"]["entries"][0]["content"].startswith("@@depth")
    assert [
        f.facts["found"] for f in cards.losses(card, "v2", "png") if f.code == "decorators_left_out"
    ] == [1]


def test_decorators_of_a_v2_card_are_its_text() -> None:
    card = card_of(text({**v3(), "spec": "chara_card_v2", "spec_version": "2.0"}))
    edited = cards.set(
        card, "character_book", {"entries": [{"keys": ["a"], "content": "@@depth 4\nx"}]}
    )
    out = json.loads(cards.write(edited, "v2", "json"))
    assert out["data"]["character_book"]["entries"][0]["content"] == "@@depth 4\nx"


def test_v1_says_everything_that_it_cannot_hold() -> None:
    card = card_of(
        text(v3(nickname="n", character_book={"extensions": {}, "entries": [{}]}, zzz=[1]))
    )
    paths = {
        fault.path for fault in cards.losses(card, "v1", "json") if fault.code == "field_left_out"
    }
    assert paths == {
        f"$.data.{name}" for name in (
            "creator_notes", "post_history_instructions", "alternate_greetings", "tags", "creator",
            "character_version", "nickname", "character_book", "zzz",
        )
    }  # fmt: skip
    assert set(json.loads(cards.write(card, "v1", "json"))) == set(V1)


def test_world_info_comes_back_field_for_field() -> None:
    value = {
        "name": "洪字号",
        **world_info(_0=world_entry(), _3=world_entry(3, disable=True, order=1.50, x_new=[1])),
        "originalData": {"a": 1},
    }
    read = cards.read(raw(value))
    assert read.lorebook is not None
    assert same(tokens(cards.write_lorebook(read.lorebook, "worldinfo")), tokens(raw(value)))
    assert cards.lorebook_losses(read.lorebook, "worldinfo") == []


def test_world_info_goes_through_a_card_and_back() -> None:
    read = cards.read(raw(world_info(_0=world_entry())))
    assert read.lorebook is not None
    card = cards.set(card_of(text(v3())), "character_book", read.lorebook.data)
    found = card_of(cards.write(card, "v2", "png")).book
    assert found is not None
    again = tokens(cards.write_lorebook(found, "worldinfo"))
    assert same(again["entries"]["0"], world_entry())


def test_regular_expressions_of_v3_become_those_of_world_info() -> None:
    rows = [
        {
            "keys": ["a/b", "/c/i"],
            "content": "x",
            "use_regex": True,
            "extensions": {},
            "enabled": True,
            "insertion_order": 1,
        }
    ]
    read = cards.read(text({"spec": "lorebook_v3", "data": {"extensions": {}, "entries": rows}}))
    assert read.lorebook is not None
    assert tokens(cards.write_lorebook(read.lorebook, "worldinfo"))["entries"]["0"]["key"] == [
        "/a\\/b/i",
        "/c/i",
    ]


@pytest.mark.parametrize("spec", ["lorebook_v3", "character_book", "worldinfo"])
def test_a_lorebook_says_what_a_format_leaves_out(spec: str) -> None:
    value = {
        "spec": "lorebook_v3",
        "extra": 1,
        "data": {
            "scan_depth": 3,
            "extensions": {},
            "entries": [
                {
                    "keys": ["a"],
                    "content": "@@activate\nx",
                    "extensions": {},
                    "enabled": True,
                    "insertion_order": 1,
                    "use_regex": False,
                }
            ],
        },
    }
    read = cards.read(text(value))
    assert read.lorebook is not None
    told = [(fault.code, fault.path) for fault in cards.lorebook_losses(read.lorebook, spec)]
    assert (
        told
        == {
            "lorebook_v3": [],
            "character_book": [
                ("field_left_out", "$.extra"),
                ("decorators_left_out", "$.data.entries[*].content"),
            ],
            "worldinfo": [
                ("field_left_out", "$.data.scan_depth"),
                ("fields_filled", "$.data.entries[*]"),
            ],
        }[spec]
    )


def test_members_that_were_refused_do_not_go_along_and_are_named() -> None:
    source = pack([("card.json", text(v3())), ("../x", b"x")])
    card = card_of(source)
    assert [
        f.facts["found"]
        for f in cards.losses(card, "v3", "charx", source=source)
        if f.code == "members_left_out"
    ] == [["../x"]]
    assert cards.read(cards.write(card, "v3", "charx", source=source)).report.refused == []


@pytest.mark.parametrize("spec", ["lorebook_v3", "character_book", "worldinfo"])
@given(st.data())
def test_every_lorebook_is_equal_or_listed(spec: str, data: st.DataObject) -> None:
    document = {**data.draw(ROOT), "spec": "lorebook_v3", "data": data.draw(books())}
    read = cards.read(raw(document))
    assert read.lorebook is not None
    book = read.lorebook
    lines = cards.lorebook_losses(book, spec)
    again = cards.read(cards.write_lorebook(book, spec))
    assert again.lorebook is not None, [fault.message() for fault in again.report.refused]
    before, after = (Card({"character_book": one.data}, one.root) for one in (book, again.lorebook))
    if any(line.path == "$.data.entries[*].id" for line in lines):
        for card in (before, after):  # entries are paired by their ids, and these have new ones
            for row in card.data["character_book"]["entries"]:
                row["id"] = None
    for change in cards.diff(before, after):
        path = change.path.replace("$.data.character_book", "$.data")
        assert covered(path, lines), (change, lines)


def test_no_old_copy_of_a_card_stays_behind_under_whatever_name() -> None:
    for source in (
        png(text_chunk("ccv2", b64(v3(description="OLD")))),
        png(tail=text_chunk("chara", b64(v3(description="OLD"))) + b"rest"),
    ):
        card = cards.set(card_of(source), "description", "NEW")
        out = cards.write(card, "v3", "png", source=source)
        found = cards.scan(out)
        assert [one.keyword for one in (*found.texts(), *found.behind)] == ["chara", "ccv3"]
        assert out.endswith(b"rest") == source.endswith(b"rest")
        assert card_of(out).description == "NEW"
        (icon,) = cards.read(cards.write(card, "v3", "charx", source=source)).assets
        assert cards.scan(icon.load()).texts() == []
