"""JSON values: number tokens, surrogates and keys survive; what is written is valid."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from cardstrategies import VALUES
from hypothesis import given
from hypothesis import strategies as st

from clew.books.cards.encoding import text_of
from clew.books.cards.jsontext import parse
from clew.books.cards.report import Limits, Report
from clew.books.cards.values import Number, child, encode, joined, number, same, token
from clew.kernel.errors import Refused

TOKENS = [
    "0",
    "-0",
    "1",
    "-17",
    "1.0",
    "1.50",
    "0.1",
    "1e3",
    "1E+3",
    "1.0e-7",
    "100000000000000000000",
    "9" * 80,
    "1e999",
    "0.10000000000000000000001",
]


def read(text: str) -> object:
    return parse(text, "$", Report("x"), Limits())


@pytest.mark.parametrize("text", TOKENS)
def test_a_number_is_written_as_it_was_read(text: str) -> None:
    value = read(f'{{"a":[{text}]}}')
    assert encode(value) == f'{{"a":[{text}]}}'
    assert encode(value, indent=2) == f'{{\n  "a": [\n    {text}\n  ]\n}}'
    assert token(number(text)) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["", "x", "1.", ".5", "01", "+1", "NaN", "0x1", "1_000", "１", "1 2"]
)
def test_what_is_no_number(text: str) -> None:
    assert number(text) is None


def test_plain_numbers_are_plain_values() -> None:
    assert type(read("17")) is int and type(read("0.5")) is float
    assert isinstance(read("1.0e0"), Number)


def test_a_number_counts_as_its_value_and_is_the_same_only_as_written() -> None:
    one = Number("1.00")
    assert one == 1 and one == 1.0 and one != 2 and one != "1.00" and hash(one) == hash(1.0)
    assert float(one) == 1.0 and repr(one) == "Number('1.00')"
    assert same(one, Number("1.00")) and not same(one, 1.0) and not same(True, 1)
    assert copy.deepcopy(one).token == pickle.loads(pickle.dumps(one)).token == "1.00"


@given(VALUES)
def test_values_come_back_as_they_were_written(value: object) -> None:
    for indent in (0, 2):
        text = encode(value, indent=indent)
        text.encode("utf-8")
        assert same(read(text), json.loads(json.dumps(None)) if value is None else _joined(value))


def _joined(value: object) -> object:
    """Surrogates that stand as a pair are one character when read."""
    if isinstance(value, str):
        return joined(value)
    if isinstance(value, dict):
        return {joined(key): _joined(item) for key, item in value.items()}
    return [_joined(item) for item in value] if isinstance(value, list) else value


@given(VALUES)
def test_ordered_text_does_not_depend_on_the_order_of_keys(value: object) -> None:
    assert encode(value, ordered=True) == encode(_reversed(value), ordered=True)
    if not isinstance(value, Number):
        assert encode(value, ordered=True) == encode([value, Number("1.0")], ordered=True)[1:-5]


def _reversed(value: object) -> object:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(item) for item in value] if isinstance(value, list) else value


def test_surrogates_are_escaped_and_nothing_else() -> None:
    assert encode({"a": "\ud83d沈💧\udca7"}) == '{"a":"\\ud83d沈💧\\udca7"}'
    assert joined("\ud83d\udca7") == "💧"


def test_paths_quote_odd_keys() -> None:
    assert child("$", "名字") == "$.名字"
    assert child("$.a", "odd key") == '$.a["odd key"]'
    assert child("$", 3) == "$[3]"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [('{"a": }', 1, 7), ('{\n"a": 1 "b"}', 2, 8), ('{"a": "x', 1, 7), ("{", 1, 2)],
)
def test_bad_json_says_where(text: str, line: int, column: int) -> None:
    with pytest.raises(Refused) as refused:
        read(text)
    fault = refused.value.faults[0]
    assert (fault.code, fault.facts["line"], fault.facts["column"]) == ("bad_json", line, column)


def test_several_slips_at_once_are_mended() -> None:
    report = Report("x")
    value = parse('{"a": [1, 2,], "b": "x\ty, }",\n}', "$", report, Limits())
    assert value == {"a": [1, 2], "b": "x\ty, }"}
    assert [fault.code for fault in report.repaired] == ["json_mended"]


@given(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_unicode_encodings_are_found(text: str, encoding: str) -> None:
    document = '{"' + text.replace('"', "").replace("\\", "") + '": 1}'
    assert text_of(document.encode(encoding), "$", Report()) == document


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Zoë, José, naïve – “café”", "cp1252"),
        ("沈砚管着旧码头的账。", "gb18030"),
        ("日記 – \x85", "utf-16-le"),
        ("éàü", "latin-1"),
    ],
)
def test_other_encodings_are_guessed(text: str, encoding: str) -> None:
    report = Report()
    document = '{"name": "' + text + '"}'
    assert text_of(document.encode(encoding), "$", report) == document
    assert [fault.code for fault in report.repaired] == ["read_as_encoding"]
