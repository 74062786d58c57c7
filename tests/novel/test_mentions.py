"""Whom a text names: Chinese without spaces, Latin by words, aliases, ids."""

from __future__ import annotations

import unicodedata

import pytest

from clew.novel.mentions import Names, ids_within

CALLED = {
    "江晨": ["小江", "江连长"], "江晨曦": [], "Nell Harker": ["Nell", "Miss Harker"], "Ann": [],
    "𠮷野": [], "O'Brien": [], "Zoë": [], "船主": ["老板"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("江晨上船，江晨下船", {"江晨": 2}),
        ("小江说，江连长来了", {"江晨": 2}),
        ("江晨曦来了", {"江晨曦": 1}),
        ("船主找江晨", {"船主": 1, "江晨": 1}),
        ("Nell looks. Miss Harker stays; Nell Harker goes.", {"Nell Harker": 3}),
        ("Nellie and Annabel", {}),
        ("Ann's boat", {"Ann": 1}),
        ("问Nell要账", {"Nell Harker": 1}),
        ("O'Brien 与 𠮷野", {"O'Brien": 1, "𠮷野": 1}),
        (unicodedata.normalize("NFD", "Zoë came"), {"Zoë": 1}),
        ("没有人", {}),
        ("", {}),
    ],
)
def test_people_are_found_by_names_and_aliases(text: str, named: dict[str, int]) -> None:
    found = Names(CALLED).within(text)
    assert list(found.items()) == list(named.items())


def test_a_name_comes_before_an_alias_and_the_first_of_two_who_share_one() -> None:
    names = Names({"老板": [], "船主": ["老板", "东家"], "账房": ["东家"]})
    assert names.within("老板和东家") == {"老板": 1, "船主": 1}


def test_nobody_is_found_without_names() -> None:
    assert Names({}).within("江晨") == {}
    assert Names({"江晨": ["", ""]}).within("") == {}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("回收F012，牵出E003；再提F012", ["F012", "E003"]),
        ("Ｆ０１２ 与 F1000", ["F012", "F1000"]),
        ("F01 XF012 f012 HF0123x F012a", ["F012"]),
        ("E0031", ["E0031"]),
        ("没有", []),
    ],
)
def test_ids_are_found_in_any_width(text: str, ids: list[str]) -> None:
    assert ids_within(text) == ids
