"""Names on the shelf: ids and digests, never titles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.books import layout
from clew.books.exporting import file_name
from clew.books.layout import Reference, reference
from clew.kernel.text import byte_length, name_fault

SHA = "0123456789abcdef" * 4


def test_the_same_bytes_are_the_same_asset() -> None:
    assert layout.id_of("card", SHA) == "c0123456789abcdef0123"
    assert layout.id_of("world", SHA) != layout.id_of("card", SHA)
    assert layout.is_id(layout.id_of("card", SHA), "card")
    assert not layout.is_id(layout.id_of("card", SHA), "world")


@given(st.text(max_size=40))
def test_a_title_is_hardly_ever_an_id(text: str) -> None:
    assert not layout.is_id(text) or len(text) == 21


@pytest.mark.parametrize(
    "name", ["../x", "con", "a\\b", "", "c" + "0" * 19, "C" + "0" * 20, "x.json"]
)
def test_no_odd_name_is_an_id(name: str) -> None:
    assert not layout.is_id(name)
    assert not layout.is_blob(name)


def test_the_seeds_layout() -> None:
    card = layout.id_of("card", SHA)
    book = layout.id_of("book", SHA)
    assert layout.asset_file(card) == f"assets/cards/{card}.json"
    assert layout.version_file(card, 3) == f"assets/cards/{card}/v3.json"
    assert layout.book_file(book) == f"books/{book}/project.json"
    assert layout.session_file("s1") == "sessions/s1.json"
    assert layout.asset_file(layout.id_of("world", SHA)).startswith("assets/worlds/")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("沈砚", Reference("沈砚", None)),
        ("沈砚@2", Reference("沈砚", 2)),
        ("沈砚@v2", Reference("沈砚", 2)),
        ("me@home", Reference("me@home", None)),
        ("a@b@3", Reference("a@b", 3)),
        ("@3", Reference("@3", None)),
        ("x@", Reference("x@", None)),
        ("x@٣", Reference("x@٣", None)),
    ],
)
def test_a_name_with_a_version(text: str, found: Reference) -> None:
    assert reference(text) == found


@pytest.mark.parametrize("number", [0, -1, 10**8])
def test_only_versions_have_the_name_of_one(number: int) -> None:
    assert layout.version_number(f"v{number}.json") is None
    assert layout.version_number("v7.json") == 7


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("沈砚", "沈砚"),
        ("con", "_con"),
        ("con.png", "_con.png"),
        ("a\\b/c:d", "a_b_c_d"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("trailing...", "trailing"),
        ('A "B" C', "A _B_ C"),
        ("???", "cid"),
        ("", "cid"),
    ],
)
def test_a_file_name_from_a_title(title: str, name: str) -> None:
    assert file_name(title, "cid") == name


@given(st.text(max_size=400))
def test_a_file_name_is_safe_on_every_system(title: str) -> None:
    name = file_name(title, "c0123456789abcdef0123")
    assert name and name_fault(name) is None
    assert byte_length(name) <= 180
    assert name == name.strip() and "\n" not in name


def test_thirty_dozen_emoji_are_a_title_and_a_file_name() -> None:
    name = file_name("🐉" * 300, "cid")
    assert set(name) == {"🐉"} and byte_length(name) <= 180
