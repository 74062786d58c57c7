"""Lines of the report: nothing is repaired, kept or left behind without one, and each says what."""

from __future__ import annotations

import json
from typing import Any

import cardfiles
import pytest

from clew.books import cards
from clew.books.cards import Read


def read(value: Any, name: str = "w.json") -> Read:
    return cards.read(json.dumps(value).encode(), name=name)


def world(*rows: dict[str, Any], **root: Any) -> Read:
    usual = {"key": ["k"], "keysecondary": [], "content": "c"}
    entries = {str(uid): {"uid": uid, **usual, **row} for uid, row in enumerate(rows)}
    return read({"entries": entries, **root})


def lines(found: Read, word: str) -> list[str]:
    return [fault.message("en") for kind, fault in found.report if kind == word]


@pytest.mark.parametrize(("disable", "enabled"), [("true", False), ("false", True), (1, False)])
def test_a_switch_that_is_no_switch_is_told(disable: object, enabled: bool) -> None:
    found = world({"disable": disable})
    assert found.lorebook is not None and found.lorebook.entries[0].enabled is enabled
    told = lines(found, "repaired")
    assert len(told) == 1 and '["0"].disable should be true or false' in told[0]
    assert lines(world({"disable": False}, {"disable": True}), "repaired") == []


def test_a_switch_of_world_info_in_a_newer_entry_is_read_as_it_says() -> None:
    row = {"keys": ["k"], "content": "c", "disable": "true"}
    found = read(cardfiles.v2(character_book={"entries": [row]}))
    assert found.card is not None and found.card.book is not None
    assert found.card.book.entries[0].enabled is False


def test_values_that_count_as_something_else_are_told() -> None:
    found = world({"probability": "50%", "position": "1", "vectorized": "no", "depth": [4]})
    assert found.lorebook is not None
    entry = found.lorebook.entries[0]
    assert (entry.probability, entry.position, entry.depth) == (50, "after_char", 4)
    told = " ".join(lines(found, "kept"))
    for said in ('probability is "50%"; it counts as 50', 'position is "1"; it counts as 1',
                 'vectorized is "no"; it counts as nothing', "depth is a list of 1 item"):  # fmt: skip
        assert said in told
    assert found.lorebook.rows[0]["extensions"]["probability"] == "50%", "kept as written"
    assert lines(world({"probability": 50, "position": 1, "role": None}), "kept") == []


def test_unknown_keys_of_a_world_are_told_and_kept() -> None:
    found = world({"futureField": 1}, rootUnk=1, originalData={})
    assert found.lorebook is not None
    told = " ".join(lines(found, "kept"))
    assert "rootUnk, originalData" in told and "futureField" in told
    again = json.loads(cards.write_lorebook(found.lorebook, "worldinfo"))
    assert again["rootUnk"] == 1 and again["entries"]["0"]["futureField"] == 1


def test_keys_beside_a_world_inside_a_card_stay() -> None:
    book = {
        "entries": {"0": {"uid": 0, "key": ["k"], "keysecondary": [], "content": "c"}},
        "unk": 7,
    }
    found = read(cardfiles.v2(character_book=book))
    assert found.card is not None and found.card.data["character_book"]["unk"] == 7
    assert sum("unk" in line for line in lines(found, "kept")) == 1


def test_a_list_that_was_mended_says_which_items() -> None:
    found = read(cardfiles.v2(alternate_greetings=["a", None, "b", 3, "c"]))
    assert found.card is not None and found.card.alternate_greetings == ("a", "b", "3", "c")
    told = lines(found, "repaired")
    assert len(told) == 1 and "[1] null, [3] 3" in told[0] and '[1] nothing, [3] "3"' in told[0]


def test_entries_in_groups_say_so() -> None:
    rows = [[{"keys": ["a"], "content": "x"}], [{"keys": ["b"], "content": "y"}]]
    found = read(cardfiles.v2(character_book={"entries": rows}))
    assert "a list with 2 lists in it" in lines(found, "repaired")[0]


def test_a_line_break_in_a_value_is_shown_as_one() -> None:
    found = read(cardfiles.v2(creator=["x\ny"]))
    assert '"x\\ny"' in lines(found, "repaired")[0]


def test_what_is_no_entry_is_named_without_words_of_a_program() -> None:
    found = read(
        {"entries": {"0": {"uid": 0, "key": ["k"], "keysecondary": []}, "1": None, "2": "x"}}
    )
    told = " ".join(lines(found, "repaired"))
    assert "NoneType" not in told and "null" in told


def test_another_card_behind_a_picture_is_told() -> None:
    front = cardfiles.card_png(cardfiles.v2("front"))
    other = cards.read(front + cardfiles.charx(cardfiles.v3("behind")), name="t.png")
    assert other.card is not None and other.card.name == "front"
    assert any("two cards that disagree" in line for line in lines(other, "kept"))
    same = cards.read(front + cardfiles.charx(cardfiles.v3("front")), name="t.png")
    assert not any("disagree" in line for line in lines(same, "kept"))
