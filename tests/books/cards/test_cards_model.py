"""The card and the lorebook as values: typed access, hash, edits, differences, notes."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from cardfiles import book, entry, text, v1, v2, v3
from cardstrategies import VALUES, documents
from hypothesis import given
from hypothesis import strategies as st

from clew.books import cards
from clew.books.cards.fields import BOOK, CARD, ENTRY
from clew.books.cards.moments import seconds
from clew.books.cards.values import Number, encode, same
from clew.books.lore import Lorebook
from clew.books.model import AssetRef, Card
from clew.kernel.errors import Refused


def card_of(value: object) -> Card:
    read = cards.read(value if isinstance(value, bytes) else encode(value).encode())
    assert read.card is not None
    return read.card


# ---- typed access


def test_fields_are_there_with_their_defaults() -> None:
    card = Card({})
    assert (card.name, card.tags, card.alternate_greetings, card.book) == ("", (), (), None)
    assert card.assets == (AssetRef("icon", "ccdefault:", "main", "png"),)
    assert card.greetings == ("",) and card.creation_date is None and card.extensions == {}


def test_fields_of_a_full_card() -> None:
    card = card_of(v3(nickname="阿砚", creation_date=1_700_000_000, creator_notes_multilingual={"zh": "说明"},
                      extensions={"fav": "true", "talkativeness": "0.3", "world": "洪字号"}))  # fmt: skip
    assert (card.char_name, card.favourite, card.talkativeness, card.world) == (
        "阿砚",
        True,
        0.3,
        "洪字号",
    )
    assert card.greetings[1] == "你来晚了。"
    assert card.creation_date == 1_700_000_000
    assert card.notes_by_language == {"en": "给会等的人。", "zh": "说明"}
    assert card.document["spec"] == "chara_card_v3"


@pytest.mark.parametrize("value", [0, -5, "x", None, True, Number("1e999"), []])
def test_an_unknown_moment_is_none(value: object) -> None:
    assert Card({"creation_date": value}).creation_date in (None, 1)


def test_importing_the_model_is_cheap() -> None:
    code = "import sys; import clew.books.model, clew.books.cards; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    loaded = set(done.stdout.split())
    assert "clew.books.model" in loaded
    assert not loaded & {
        "json",
        "msgspec",
        "hashlib",
        "zlib",
        "PIL",
        "yaml",
        "clew.books.lore",
        "clew.books.cards.reading",
    }


def test_every_public_word_is_there() -> None:
    for word in cards.__all__:
        assert getattr(cards, word) is not None
    with pytest.raises(AttributeError):
        _ = cards.nothing


@given(st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)), st.integers(-12, 14))
def test_iso_dates_are_read_as_the_calendar_reads_them(moment: datetime, hours: int) -> None:
    whole = moment.replace(microsecond=0, tzinfo=timezone(timedelta(hours=hours)))
    assert seconds(whole.isoformat()) == max(0, int(whole.timestamp()))
    plain = moment.replace(microsecond=0, tzinfo=UTC)
    assert seconds(plain.strftime("%Y-%m-%d %H:%M:%SZ")) == int(plain.timestamp())


# ---- the hash


def test_the_hash_depends_on_number_tokens_and_not_on_their_order() -> None:
    hashes = {card_of(text(v2(extensions={})).replace(b'"extensions": {}', b'"extensions": {"x": %s}' % t)).content_hash
              for t in (b"1", b"1.0", b"1e0", b"1.00")}  # fmt: skip
    assert len(hashes) == 4
    turned = dict(reversed(v2().items()))
    turned["data"] = dict(reversed(turned["data"].items()))
    assert card_of(turned) == card_of(v2())
    assert hash(card_of(turned)) == hash(card_of(v2()))


def test_the_hash_is_of_what_the_card_says() -> None:
    plain = card_of(v2())
    assert card_of(v3()) == plain
    assert card_of(v2(root=v1())) == plain
    assert card_of(v2(character_book=None)) == plain
    assert card_of(cards.write(plain, "v3", "png")) == plain
    assert card_of(v2(root=v1("旧名"))) != plain
    assert card_of(v2(tags=["x"])) != plain


ICON = {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}
SMILE = {
    "type": "emotion",
    "uri": "embeded://assets/emotion/images/a.png",
    "name": "笑",
    "ext": "png",
}


def test_where_a_file_of_the_card_is_stored_makes_no_other_card() -> None:
    plain = card_of(v3())
    for uri in ("ccdefault:", "embeded://assets/icon/images/main.jpg", "__asset:0", "", None):
        assert card_of(v3(assets=[{**ICON, "uri": uri}])) == plain, uri
    smiling = card_of(v3(assets=[ICON, SMILE]))
    assert smiling != plain
    for uri in ("embedded://x/a.png", "__asset:3"):
        assert card_of(v3(assets=[{**SMILE, "uri": uri}, ICON])) == smiling, uri


@pytest.mark.parametrize(
    "rows",
    [
        [{**ICON, "uri": "https://example.org/a.png"}],
        [{**ICON, "uri": "data:image/png;base64,AAAA"}],
        [{**ICON, "name": "other"}],
        [{**ICON, "x_mine": 1}],
        [ICON, {**SMILE, "name": "哭"}],
        [ICON, {**SMILE, "type": "background"}],
    ],
)
def test_an_asset_that_says_something_makes_another_card(rows: list[Any]) -> None:
    assert card_of(v3(assets=rows)) not in (card_of(v3()), card_of(v3(assets=[ICON, SMILE])))


def test_a_difference_shows_where_an_asset_moved_though_the_card_is_the_same() -> None:
    one, other = card_of(v3(assets=[SMILE])), card_of(v3(assets=[{**SMILE, "uri": "__asset:0"}]))
    assert one == other
    assert [change.path for change in cards.diff(one, other)] == ["$.data.assets[0].uri"]


def test_the_hash_is_written_down_here_so_that_it_never_changes() -> None:
    assert card_of(v1("A")).content_hash == HASH_V1
    assert (
        card_of(text(v3("B", extensions={"n": 1})).replace(b'"n": 1', b'"n": 1.50')).content_hash
        == HASH_V3
    )


HASH_V1 = "030f418dc44b8d72237eae29c533c9371eb90b1e4b763b95c341d3e5c270af39"
HASH_V3 = "0a10d18817ed14e205c75fba873368559c361f1a14d585cff754cadf179b1e0f"


# ---- edits


@given(
    documents("v3"),
    st.sampled_from([f.name for f in CARD if f.kind == "text"]),
    st.text(max_size=8),
)
def test_setting_a_text_changes_that_text_only(document: dict, field: str, value: str) -> None:  # type: ignore[type-arg]
    card = card_of(document)
    before = card.content_hash
    edited = cards.set(card, field, value)
    assert getattr(edited, field) == value
    assert card.content_hash == before
    changed = {
        change.path.split(".")[2]
        for change in cards.diff(card, edited)
        if change.path.startswith("$.data")
    }
    assert changed <= {field}


@given(VALUES)
def test_an_extension_may_be_anything(value: object) -> None:
    edited = cards.set(card_of(v2()), '$.data.extensions["my app"].value', value)
    again = card_of(cards.write(edited, "v2", "json"))
    assert same(again.extensions["my app"]["value"], edited.extensions["my app"]["value"])


def test_paths_reach_everything() -> None:
    card = card_of(v2(character_book=book(entry(), entry())))
    for path, value in {
        "name": "新", "$.data.tags[0]": "新", "alternate_greetings[+]": "又一个", "alternate_greetings[1]": "又一个",
        "character_book.entries[1].content": "新", "character_book.entries[1].keys[+]": "新",
        "extensions.depth_prompt.depth": 4, "$.fav": True, "data.creator": "新", "character_book.name": "新",
    }.items():  # fmt: skip
        edited = cards.set(card, path, value)
        assert len(cards.diff(card, edited)) == 1, path
    assert cards.remove(card, "character_book.entries[0]").book == Lorebook(book(entry()))
    assert cards.remove(card, "$.data.creator").creator == ""


@pytest.mark.parametrize(
    "path",
    [
        "",
        "$",
        "$.data",
        "$.spec",
        "$.spec_version",
        "tags[9]",
        "tags.x",
        "name.x",
        "a[",
        "a..b",
        "[0]",
        'a["',
        "tags[-1]",
        "name[0]",
    ],
)
def test_places_that_are_not_there(path: str) -> None:
    with pytest.raises(Refused) as refused:
        cards.set(card_of(v2()), path, "x")
    assert refused.value.code == "bad_path"


@pytest.mark.parametrize("path", ["nothing", "tags[9]", "extensions.x", "$.x"])
def test_what_is_not_there_cannot_be_removed(path: str) -> None:
    with pytest.raises(Refused):
        cards.remove(card_of(v2()), path)


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("name", 7, "wrong_type"),
        ("name", None, "wrong_type"),
        ("tags", "a, b", "wrong_type"),
        ("tags[0]", 1, "wrong_type"),
        ("character_book", [], "wrong_type"),
        ("character_book.entries[0].position", "in_chat", "wrong_type"),
        ("extensions", [], "wrong_type"),
        ("creation_date", "now", "wrong_type"),
        ("creation_date", 1_700_000_000_000, "wrong_type"),
        ("extensions.x", float("nan"), "bad_number"),
        ("extensions.x", {1: 2}, "wrong_type"),
        ("extensions.x", b"x", "wrong_type"),
        ("assets[0]", "x", "wrong_type"),
    ],
)
def test_an_edit_of_the_wrong_kind_is_refused_not_mended(
    path: str, value: object, code: str
) -> None:
    card = card_of(v2(character_book=book(entry()), assets=[]))
    with pytest.raises(Refused) as refused:
        cards.set(card, path, value)
    assert [fault.code for fault in refused.value.faults] == [code]
    for fault in refused.value.faults:
        assert fault.path and "<" not in fault.message("zh").replace("<object", "")


def test_a_value_that_is_too_deep_is_refused() -> None:
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    with pytest.raises(Refused) as refused:
        cards.set(card_of(v2()), "extensions.x", deep)
    assert refused.value.code == "too_deep"


def test_copies_follow_an_edit() -> None:
    card = card_of(v2(root={**v1(), "creatorcomment": "c", "tags": ["x"], "talkativeness": 0.5, "fav": False},
                      extensions={"talkativeness": 0.5, "fav": False}))  # fmt: skip
    for path, value, mirror in (
        ("name", "新", "name"), ("creator_notes", "新", "creatorcomment"), ("tags", ["新"], "tags"),
        ("extensions.talkativeness", 0.9, "talkativeness"), ("extensions.fav", True, "fav"), ("tags[+]", "新", "tags"),
    ):  # fmt: skip
        edited = cards.set(card, path, value)
        assert edited.root[mirror] == (value if path != "tags[+]" else ["码头", "OC", "新"])
    assert "fav" not in cards.remove(card, "extensions.fav").root


# ---- differences


def test_equal_cards_do_not_differ() -> None:
    assert cards.diff(card_of(v2()), card_of(v3(character_book=None))) == []


@given(documents("v2"), documents("v2"))
def test_no_difference_is_the_same_hash(one: dict, other: dict) -> None:  # type: ignore[type-arg]
    a, b = card_of(one), card_of(other)
    assert (cards.diff(a, b) == []) == (a.content_hash == b.content_hash)
    assert cards.diff(a, a) == []


def test_entries_are_paired_by_their_ids() -> None:
    rows = [entry(id=i, content=f"第{i}条") for i in range(4)]
    before = card_of(v2(character_book=book(*rows)))
    after = card_of(
        v2(
            character_book=book(
                entry(id=9, content="新"), rows[2], {**rows[0], "content": "改"}, rows[3]
            )
        )
    )
    changes = [(c.kind, c.path) for c in cards.diff(before, after)]
    place = "$.data.character_book.entries"
    assert changes == [
        ("added", f"{place}[0]"),
        ("changed", f"{place}[2].content"),
        ("removed", f"{place}[1]"),
        ("moved", place),
    ]


def test_lists_of_texts_tell_what_was_put_in() -> None:
    before, after = (
        card_of(v2(alternate_greetings=g)) for g in (["a", "b", "c"], ["a", "x", "b", "c"])
    )
    assert [tuple(c) for c in cards.diff(before, after)] == [
        ("added", "$.data.alternate_greetings[1]", None, "x")
    ]
    assert [tuple(c) for c in cards.diff(after, before)] == [
        ("removed", "$.data.alternate_greetings[1]", "x", None)
    ]


# ---- notes


def test_a_good_card_has_no_notes() -> None:
    assert cards.validate(card_of(v3(character_book=book(entry(id=1))))) == []


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"name": ""}, "name_empty"),
        ({"name": "长" * 200}, "name_long"),
        ({"name": "a/b"}, "name_no_file"),
        ({"description": "", "personality": ""}, "description_empty"),
        ({"first_mes": " "}, "greeting_empty"),
        ({"alternate_greetings": [""]}, "greeting_empty"),
        ({"alternate_greetings": ["a", "a "]}, "greeting_repeated"),
        ({"tags": ["OC", "oc"]}, "tag_repeated"),
        ({"scenario": "{{user}"}, "macro_open"),
        ({"character_book": book(entry(id=1), entry(id="1"))}, "entry_ids_repeated"),
        ({"character_book": book(entry(keys=[]))}, "entry_without_keys"),
        ({"character_book": book(entry(content="@@depth 4\n"))}, "entry_without_content"),
        (
            {
                "assets": [
                    {"type": "icon", "uri": "ccdefault:", "name": n, "ext": "png"}
                    for n in ("a", "b")
                ]
            },
            "icon_main_unclear",
        ),
        (
            {"assets": [{"type": "background", "uri": "x", "name": "main", "ext": "png"}] * 2},
            "background_main_unclear",
        ),
        (
            {"assets": [{"type": "icon", "uri": "embeded://a.png", "name": "main", "ext": "png"}]},
            "assets_missing",
        ),
    ],
)
def test_what_a_good_card_would_not_have(more: dict, code: str) -> None:  # type: ignore[type-arg]
    value = v3()
    value["data"].update(more)
    notes = cards.validate(card_of(value), assets=frozenset())
    assert [fault.code for fault in notes] == [code]
    assert notes[0].message("zh") and notes[0].path


@pytest.mark.parametrize(
    "more", [{"constant": True}, {"enabled": False}, {"content": "@@activate\nx"}]
)
def test_entries_without_keys_that_are_right(more: dict) -> None:  # type: ignore[type-arg]
    assert cards.validate(card_of(v3(character_book=book(entry(**{"keys": [], **more}))))) == []


def test_the_tables_hold_every_field_of_the_versions_once() -> None:
    for table in (CARD, BOOK, ENTRY):
        names = [field.name for field in table]
        assert len(names) == len(set(names))
        assert all(field.required in (0, 1, 2, 3) and field.since in (1, 2, 3) for field in table)
    assert [f.name for f in CARD if f.since == 1] == list(v1())


def test_bytes_of_something_else_are_no_card() -> None:
    for data in (b"{}", b"[]", b"x", json.dumps({"data": {}, "root": {}}).encode()):
        with pytest.raises(ValueError):
            Card.of_bytes(data)


def test_writing_to_an_unknown_format_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        cards.write(card_of(v2()), "v4", "gif")
    assert [fault.path for fault in refused.value.faults] == ["spec", "container"]
    with pytest.raises(Refused):
        cards.losses(card_of(v2()), "v2", "charx")
    with pytest.raises(Refused):
        cards.write_lorebook(Lorebook({}), "novelai")
    with pytest.raises(Refused):
        cards.lorebook_losses(Lorebook({}), "novelai")
