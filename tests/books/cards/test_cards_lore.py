"""A lorebook as a value: its entries read once, its decorators, its hash."""

from __future__ import annotations

import pytest
from cardfiles import book, entry, text, world_entry, world_info
from cardstrategies import VALUES
from hypothesis import given
from hypothesis import strategies as st

from clew.books import cards
from clew.books.cards.fields import ENTRY
from clew.books.lore import Decorator, Lorebook, decorated


def test_decorators_stand_at_the_top_and_go_with_their_empty_lines() -> None:
    found, body = decorated(
        "@@depth 4\n\n@@Additional_Keys a, b\n@@@scan_depth 2\n@@@role user\n\n正文\n@@not one\n"
    )
    assert body == "正文\n@@not one\n"
    assert found == (
        Decorator("depth", ("4",), "4"),
        Decorator("additional_keys", ("a", "b"), "a, b",
                  (Decorator("scan_depth", ("2",), "2"), Decorator("role", ("user",), "user"))),
    )  # fmt: skip


@pytest.mark.parametrize(
    "content", ["", "正文", "@正文", "@@ 正文", "@@@@x", "  正文\n@@depth 4", "@@中文"]
)
def test_what_is_no_decorator_stays(content: str) -> None:
    assert decorated(content) == ((), content)


def test_content_that_is_nothing_but_decorators() -> None:
    assert decorated("@@activate\r\n@@depth 0")[1] == ""
    assert [one.name for one in decorated("@@@activate\nx")[0]] == ["activate"]


@given(st.text(st.sampled_from("@a d\n4,_"), max_size=40))
def test_what_remains_begins_with_no_decorator(content: str) -> None:
    _, body = decorated(content)
    assert decorated(body) == ((), body) and content.endswith(body)


def test_an_entry_of_world_info_is_read_whole() -> None:
    found = cards.read(text(world_info(_0=world_entry()))).lorebook
    assert found is not None
    (one,) = found.entries
    assert (one.uid, one.position, one.depth, one.role, one.logic) == (
        "0",
        "at_depth",
        6,
        "user",
        "and_all",
    )
    assert (one.probability, one.group, one.group_weight, one.sticky) == (40, "天气", 120, 3)
    assert (one.delay_until_recursion, one.exclude_recursion, one.selective) == (2, True, True)
    assert one.sources == ("character_description", "scenario")
    assert (one.scan_depth, one.case_sensitive, one.whole_words, one.order) == (
        None,
        None,
        None,
        70,
    )


def test_an_entry_says_what_stands_in_its_extensions_or_beside_them() -> None:
    row = entry(
        extensions={
            "position": 7,
            "outlet_name": "o",
            "case_sensitive": True,
            "match_whole_words": "false",
            "role": "assistant",
            "useProbability": False,
            "probability": 3,
            "koboldai": {"keyanti": "x, y"},
        },
        content="@@exclude_keys a, b\n文",
        matchScenario=True,
    )
    (one,) = Lorebook(book(row)).entries
    assert (one.position, one.outlet, one.case_sensitive, one.whole_words, one.role) == (
        "outlet",
        "o",
        True,
        False,
        "assistant",
    )
    assert one.probability == 100
    assert one.exclude_keys == ("a", "b", "x", "y") and one.content == "文"
    assert one.sources == ("scenario",)


@given(
    st.dictionaries(
        st.sampled_from([f.name for f in ENTRY] + ["probability", "role", "depth"]),
        VALUES,
        max_size=8,
    )
)
def test_any_entry_can_be_read(row: dict) -> None:  # type: ignore[type-arg]
    (one,) = Lorebook({"entries": [row]}).entries
    assert one.uid and one.position and 0 <= one.probability <= 100


def test_a_book_without_anything_is_a_book() -> None:
    found = Lorebook({})
    assert (
        found.name,
        found.entries,
        found.scan_depth,
        found.token_budget,
        found.recursive_scanning,
    ) == ("", (), None, None, None)
    assert found == Lorebook({"entries": [], "extensions": {}}) and hash(found) == hash(
        Lorebook({})
    )
    assert "0 entries" in repr(found)
