"""The scanner finds the line of everything that the parser finds."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worked import PROFILES

from clew.sidecar.profile_lines import Lines, Path

TEXT = '''# a comment with [brackets] and = signs
title = "x" # [not a table]
a.b = 1
"quoted key" = 'literal \\ [x]'
"esc\\u00e9" = """
[not.a.table]
still = "text" """

[one]
x = [ # first
  1, "a]b",
  [2, 3], # nested
  { k = "v", "k 2" = [4] },
]
long = \'\'\'
k = 1
\'\'\'

[one.two."three four"]
y = 2026-01-01T00:00:00Z

[[many]]
n = 1
[[many.inner]]
m = 1
[[many.inner]]
m = 2
[many.table]
t = 1
[[many]]
n = 2
[[many.inner]]
m = 3
quotes = """a""""'''
LINES: dict[Path, int] = {
    ("title",): 2,
    ("a",): 3,
    ("a", "b"): 3,
    ("quoted key",): 4,
    ("escé",): 5,
    ("one",): 9,
    ("one", "x"): 10,
    ("one", "x", 0): 11,
    ("one", "x", 1): 11,
    ("one", "x", 2): 12,
    ("one", "x", 2, 1): 12,
    ("one", "x", 3, "k 2"): 13,
    ("one", "x", 3, "k 2", 0): 13,
    ("one", "long"): 15,
    ("one", "two", "three four"): 19,
    ("one", "two", "three four", "y"): 20,
    ("many", 0): 22,
    ("many", 0, "n"): 23,
    ("many", 0, "inner", 0, "m"): 25,
    ("many", 0, "inner", 1): 26,
    ("many", 0, "inner", 1, "m"): 27,
    ("many", 0, "table", "t"): 29,
    ("many", 1): 30,
    ("many", 1, "inner", 0, "m"): 33,
    ("many", 1, "inner", 0, "quotes"): 34,
}


@pytest.mark.parametrize(("path", "line"), LINES.items())
def test_the_line_of_a_key_a_table_an_item(path: Path, line: int) -> None:
    assert Lines(TEXT).of(path) == (line, True)


@pytest.mark.parametrize(
    ("path", "line"), [(("one", "nothing"), 9), (("many", 0, "x", "y"), 22), (("nothing",), 1)]
)
def test_what_is_not_there_has_the_line_of_its_table_and_says_so(path: Path, line: int) -> None:
    assert Lines(TEXT).of(path) == (line, False)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_of_any_system_are_counted(end: str) -> None:
    text = end.join(["a = 1", "", 'b = """', "x", '"""', "c = 2"])
    assert Lines(text).of(("c",)) == (6, True)


def everything(value: Any, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from everything(item, (*path, key))
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield from everything(item, (*path, at))


@pytest.mark.parametrize("source", sorted(PROFILES.glob("*.toml")), ids=lambda path: path.stem)
def test_everything_in_a_shipped_profile_is_found_where_it_stands(source: Any) -> None:
    text = source.read_text(encoding="utf-8")
    lines, found = text.split("\n"), Lines(text)
    for path in everything(tomllib.loads(text)):
        line, exact = found.of(path)
        assert exact, path
        key = path[-1]
        assert isinstance(key, int) or key in lines[line - 1]


KEYS = st.one_of(
    st.from_regex(r"[A-Za-z0-9_-]{1,4}", fullmatch=True),
    st.text(st.characters(codec="utf-8"), max_size=3),
)
VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.text(st.characters(codec="utf-8"), max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


def written(value: Any) -> str:
    """A value as inline TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{string(k)} = {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[\n  " + ", # [\n".join(map(written, value)) + "\n]"
    return string(value) if isinstance(value, str) else str(value)


def string(text: str) -> str:
    return '"' + "".join(c if c.isalnum() else f"\\U{ord(c):08x}" for c in text) + '"'


@given(
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.lists(st.dictionaries(KEYS, VALUES, max_size=3), max_size=3),
)
def test_everything_in_any_toml_is_found(top: dict[str, Any], items: list[dict[str, Any]]) -> None:
    lines = [f"{string(key)} = {written(value)}" for key, value in top.items()]
    if "items" not in top:
        for item in items:
            lines += [
                "[[items]]",
                *(f"{string(key)} = {written(value)}" for key, value in item.items()),
            ]
    text = "\n".join(lines)
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        # A list inside an inline table may not break the line.
        return
    found = Lines(text)
    for path in everything(tree):
        assert found.of(path)[1], path
