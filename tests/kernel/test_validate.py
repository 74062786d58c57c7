"""Every fault at once, each with its path; what is right survives."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from clew.kernel.document import encode, parse
from clew.kernel.validate import BAD, ident, items, keys, name, text, validate


class Hook(msgspec.Struct):
    id: Annotated[str, ident(r"F\d{3,}", "F001")]
    state: Literal["planted", "resolved"]
    note: Annotated[str, text(30)] | None = None


class Cast(msgspec.Struct):
    name: Annotated[str, name()]
    age: Annotated[int, Meta(ge=0, le=200)] | None = None


class Chapter(msgspec.Struct):
    schema_version: Literal[4]
    number: Annotated[int, Meta(ge=1)]
    title: Annotated[str, text(12)]
    final: bool
    hooks: Annotated[list[Hook], items(2, unique="id")]
    cast: Annotated[list[Cast], items(3, unique="name")] = []
    places: Annotated[list[Annotated[str, name()]], items(unique="")] = []
    moods: Annotated[dict[str, Annotated[str, text(9)]], keys("name")] = {}
    counts: Annotated[dict[str, int], keys(r"E\d{3,}")] = {}
    any_key: dict[str, bool] = {}
    free: str = "-"
    renamed: Annotated[int, Meta(ge=-5)] | None = msgspec.field(default=None, name="re-named")


def good() -> dict[str, Any]:
    return {
        "schema_version": 4,
        "number": 1,
        "title": "第一章",
        "final": True,
        "hooks": [{"id": "F001", "state": "planted"}],
    }


def faults_of(data: Any, kind: Any = Chapter) -> list[tuple[str, str]]:
    return [(fault.code, fault.path) for fault in validate(data, kind)[1]]


def test_a_right_document_has_no_faults_and_converts() -> None:
    data = good() | {
        "cast": [{"name": "沈砚", "age": None}, {"name": "林", "age": 200}],
        "places": ["港口", "灯塔"],
        "moods": {"沈砚": "平静"},
        "counts": {"E001": 3},
        "any_key": {"…": False},
        "re-named": -5,
    }
    value, faults = validate(data, Chapter)
    assert faults == []
    assert value == data
    chapter = msgspec.convert(value, Chapter)
    assert chapter.cast[1].age == 200
    assert chapter.renamed == -5


def test_nine_different_faults_come_in_one_answer() -> None:
    data = {
        "schema_version": 3,
        "number": 0,
        "title": "一二三四五",
        "final": "yes",
        "hooks": [
            {"id": "F１", "state": "planted"},
            {"id": "F001", "state": "planted", "note": " "},
            {"id": "F001", "state": "planted", "colour": "red"},
        ],
        "cast": [{"name": "CON"}, {}],
    }
    found = faults_of(data)
    assert found == [
        ("not_allowed", "$.schema_version"),
        ("out_of_range", "$.number"),
        ("text_too_long", "$.title"),
        ("wrong_type", "$.final"),
        ("too_many_items", "$.hooks"),
        ("bad_id", "$.hooks[0].id"),
        ("empty_text", "$.hooks[1].note"),
        ("unknown_field", "$.hooks[2].colour"),
        ("duplicate_item", "$.hooks[2].id"),
        ("bad_name", "$.cast[0].name"),
        ("missing_field", "$.cast[1].name"),
    ]
    assert len({code for code, _ in found}) >= 9


def test_a_length_fault_says_the_bytes_the_limit_and_what_to_cut() -> None:
    _, (fault,) = validate(good() | {"title": "一二三四五"}, Chapter)
    shown = fault.to_dict("zh")
    assert (shown["found"], shown["limit"], shown["cut_chars"]) == (15, 12, 1)
    assert "至少删 1 字" in shown["message"]


def test_an_unknown_field_says_what_is_allowed() -> None:
    _, (fault,) = validate(
        good() | {"hooks": [{"id": "F001", "state": "planted", "x": 1}]}, Chapter
    )
    assert fault.to_dict()["allowed"] == ["id", "state", "note"]
    assert fault.message() == "hooks[0] contains unsupported fields: x"


def test_what_is_right_survives_beside_what_is_wrong() -> None:
    value, faults = validate(
        good() | {
            "number": "one",
            "hooks": [{"id": "F001", "state": "lost"}, {"id": "bad", "state": "resolved"}, 7],
            "places": ["灯塔", "", "港口"],
            "moods": {"沈砚": "平静", "NUL": "x", "林": 3},
            "extra": 1,
        },
        Chapter,
    )  # fmt: skip
    assert len(faults) == 9
    assert value == {
        "schema_version": 4,
        "title": "第一章",
        "final": True,
        "hooks": [{"id": "F001"}, {"state": "resolved"}, BAD],
        "places": ["灯塔", BAD, "港口"],
        "moods": {"沈砚": "平静"},
    }


@pytest.mark.parametrize("data", [None, [], "x", 1, 1.5, True])
def test_nothing_survives_of_what_is_no_object(data: Any) -> None:
    value, faults = validate(data, Chapter)
    assert value is BAD
    assert [f.code for f in faults] == ["wrong_type"]


# ---- kinds of fields ---------------------------------------------------------------------------

CASES: list[tuple[Any, Any, Any, list[str]]] = [
    # kind, value, cleaned value, codes
    (int, 3, 3, []),
    (int, True, BAD, ["wrong_type"]),
    (int, 3.0, BAD, ["wrong_type"]),
    (int, "3", BAD, ["wrong_type"]),
    (int, None, BAD, ["wrong_type"]),
    (int | None, None, None, []),
    (Annotated[int, Meta(ge=1, le=5)], 5, 5, []),
    (Annotated[int, Meta(ge=1, le=5)], 6, BAD, ["out_of_range"]),
    (Annotated[int, Meta(ge=1)], 0, BAD, ["out_of_range"]),
    (bool, False, False, []),
    (bool, 0, BAD, ["wrong_type"]),
    (str, " a\n|b ", "a ｜b", []),
    (str, "", BAD, ["empty_text"]),
    (str, " \n", BAD, ["empty_text"]),
    (str, 3, BAD, ["wrong_type"]),
    (str, "\ud800", BAD, ["bad_text"]),
    (Annotated[str, text(6)], "沈砚", "沈砚", []),
    (Annotated[str, text(6)], "  沈砚  ", "沈砚", []),
    (Annotated[str, text(5)], "沈砚", BAD, ["text_too_long"]),
    (Annotated[str, name()], "Zoe\u0308", "Zoë", []),
    (Annotated[str, name()], "a/b", BAD, ["bad_name"]),
    (Annotated[str, name()], "..", BAD, ["bad_name"]),
    (Annotated[str, name()], "字" * 60, "字" * 60, []),
    (Annotated[str, name()], "字" * 61, BAD, ["text_too_long"]),
    (Annotated[str, ident(r"F\d{3,}", "F001")], " F001 ", "F001", []),
    (Annotated[str, ident(r"F\d{3,}", "F001")], "F００１", BAD, ["bad_id"]),
    (Annotated[str, ident(r"F\d{3,}", "F001")], "xF001", BAD, ["bad_id"]),
    (Annotated[str, ident(r"F\d{3,}", "F001")], "F001x", BAD, ["bad_id"]),
    (Annotated[str, ident(r"F\d{3,}", "F001")], "F" + "1" * 24, BAD, ["bad_id"]),
    (Literal["a", "b"], " a ", "a", []),
    (Literal["a", "b"], "c", BAD, ["not_allowed"]),
    (Literal["a", "b"], 1, BAD, ["wrong_type"]),
    (Literal[1, 2], 2, 2, []),
    (Literal[1, 2], 3, BAD, ["not_allowed"]),
    (Literal[1, 2], True, BAD, ["wrong_type"]),
    (Literal[1, 2], "1", BAD, ["wrong_type"]),
    (list[int], [1, "x", 2], [1, BAD, 2], ["wrong_type"]),
    (list[int], {}, BAD, ["wrong_type"]),
    (Annotated[list[int], items(2)], [1, 2, 3], [1, 2, 3], ["too_many_items"]),
    (Annotated[list[str], items(unique="")], ["Zoë", "ZOË"], ["Zoë", "ZOË"], ["duplicate_item"]),
    (Annotated[list[Cast], items(unique="name")], [{"name": "a"}, {"name": "A"}],
     [{"name": "a"}, {"name": "A"}], ["duplicate_item"]),
    (dict[str, int], {"a": 1, "b": "x"}, {"a": 1}, ["wrong_type"]),
    (dict[str, int], [], BAD, ["wrong_type"]),
    (Annotated[dict[str, int], keys("name")], {" 沈砚 ": 1}, {"沈砚": 1}, []),
    (Annotated[dict[str, int], keys("name")], {"": 1, "a:b": 2}, {}, ["empty_text", "bad_name"]),
    (Annotated[dict[str, int], keys("name")], {"a": 1, "A": 2}, {"a": 1}, ["duplicate_item"]),
    (Annotated[dict[str, int], keys(r"E\d+")], {"E1": 1, "E１": 2, "xE1": 3}, {"E1": 1},
     ["bad_id", "bad_id"]),
    (Cast, {"name": "沈砚"}, {"name": "沈砚"}, []),
    (Cast | None, None, None, []),
    (Cast | None, {"name": 1}, {}, ["wrong_type"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value", "want", "codes"), CASES)
def test_every_kind_of_field(kind: Any, value: Any, want: Any, codes: list[str]) -> None:
    found, faults = validate(value, kind)
    assert found == want
    assert type(found) is type(want)
    assert [fault.code for fault in faults] == codes
    if not faults:
        msgspec.convert(found, kind)


def test_two_caps_in_one_format_are_kept_apart() -> None:
    class Two(msgspec.Struct):
        short: Annotated[str, text(3)]
        long: Annotated[str, text(6)]

    assert faults_of({"short": "沈砚", "long": "沈砚"}, Two) == [("text_too_long", "$.short")]


@pytest.mark.parametrize(
    ("meta", "value", "shown"),
    [(Meta(ge=1, le=5), 9, "1..5"), (Meta(ge=1), 0, ">= 1"), (Meta(le=5), 9, "<= 5")],
)
def test_a_range_is_shown_as_it_is(meta: Meta, value: int, shown: str) -> None:
    _, (fault,) = validate(value, Annotated[int, meta])
    assert fault.to_dict()["allowed"] == shown


def test_odd_keys_are_quoted_in_paths() -> None:
    assert faults_of({"a b": 1}, dict[str, bool]) == [("wrong_type", '$["a b"]')]
    assert faults_of({"人": 1}, dict[str, bool]) == [("wrong_type", "$.人")]


def test_a_path_can_start_anywhere() -> None:
    _, (fault,) = validate({"name": 1}, Cast, "$.delta.cast[3]")
    assert fault.path == "$.delta.cast[3].name"


def test_a_type_without_a_rule_is_a_mistake_of_the_caller() -> None:
    for kind in (float, bytes, int | str):
        with pytest.raises(TypeError):
            validate(1, kind)


# ---- anything ----------------------------------------------------------------------------------

WORDS = st.one_of(
    st.text(max_size=8),
    st.text(st.characters(categories=["Cs", "Ll"]), max_size=3),
    st.sampled_from(["F001", "planted", "name", "id", "CON", "沈砚", "E001", *good()]),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=12,
)
FIELDS = [*good(), "cast", "places", "moods", "counts", "any_key", "free", "re-named"]
HALF_RIGHT = st.dictionaries(st.sampled_from(FIELDS), JSON).map(lambda extra: good() | extra)


@given(st.one_of(JSON, HALF_RIGHT))
def test_anything_is_judged_without_an_exception_and_what_passes_converts(data: Any) -> None:
    before = json.dumps(data)
    value, faults = validate(data, Chapter)
    assert json.dumps(data) == before, "the input is not changed"
    for fault in faults:
        assert fault.path.startswith("$")
        assert fault.message("zh")
        assert fault.message("en")
        json.dumps(fault.to_dict())
    if faults:
        # What survived has no further surprises: only what is missing is missing.
        again = {
            fault.code
            for fault in validate(value, Chapter)[1]
            if fault.facts.get("found") != "_Bad"
        }
        assert again <= {"missing_field", "too_many_items", "duplicate_item"}
    else:
        converted = msgspec.convert(value, Chapter)
        assert validate(msgspec.to_builtins(converted), Chapter)[1] == []


@given(st.integers())
def test_every_integer_that_is_read_and_passes_can_be_stored_and_read_again(number: int) -> None:
    data, _ = parse(b"%d" % number, "x.json")
    value, faults = validate(data, int)
    if not faults:
        assert msgspec.json.decode(encode(value), type=int) == number
