"""TOML that anybody wrote is read at a bounded cost, and every refusal is one kind of error."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.errors import Refused
from clew.novel import aliases, prosefile
from clew.novel.ledger import Ledger
from clew.novel.tomltext import CHARS, PARTS, TomlError, loads

REFUSED = [
    (".".join(["a"] * (PARTS + 1)) + " = 1", 1),
    ("x = 1\n" + " . ".join(['"a"'] * 40) + " = 1", 2),
    ("[" + ".".join(["'a.b'"] * 40) + "]", 1),
    ("x = {" + ".".join(["a"] * 40) + " = 1}", 1),
    ("x = 1\ny = " + "9" * 5000, 2),
    ("x = " + "[" * 50_000, 1),
    ("x = " + "{a=" * 50_000, 1),
    ("#" * (CHARS + 1), 1),
    ("x = ", 1),
    ("x", 1),
    ("\n\nx = “a”", 3),
]


@pytest.mark.parametrize(("text", "line"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_not_read_is_told_with_its_line(text: str, line: int) -> None:
    with pytest.raises(TomlError) as refused:
        loads(text)
    assert refused.value.line == line
    assert refused.value.reason.zh and refused.value.reason.en


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * PARTS) + " = 1",
        '"' + "a." * 100 + '" = 1',
        "'" + "a." * 100 + "' = 1",
        'x = """\n' + "a." * 100 + '\n"""',
        "x = '''" + "a." * 100 + "'''",
        "# " + "a." * 100 + "\nx = 1",
        r'x = "' + r"a.b\".c" * 50 + '"',
        "a.b.c = 1.5\nd = 2026-09-01T08:30:00.000Z",
    ],
)
def test_dots_that_part_no_key_count_as_nothing(text: str) -> None:
    assert loads(text) == tomllib.loads(text)


@given(st.text(alphabet="a.\"'\\#[]{}=1, \n\t甲", max_size=80))
def test_any_text_is_read_as_the_standard_library_reads_it_or_refused(text: str) -> None:
    try:
        found = loads(text)
    except TomlError:
        return
    assert found == tomllib.loads(text)


@pytest.mark.parametrize(
    "piece",
    ["a.", '"a".', "'a'.", '"\\"', '"', "'", '"""', "'''", "a . ", "\\", "#", "[a]\n", "a=1\n", "{", "a = {b.c=",
     " ", "1", "[["],
)  # fmt: skip
def test_a_long_text_costs_what_its_length_costs(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        with pytest.raises(TomlError):
            loads(text + "\n=")
        return time.process_time() - start

    base = max(min(seconds(20_000) for _ in range(2)), 0.002)
    assert seconds(160_000) < base * 8 * 5


def test_both_files_of_a_book_are_read_with_it(tmp_path: Path) -> None:
    text = ".".join(["a"] * 20_000) + " = 1\n"
    for path in (aliases.PATH, prosefile.FILES[0]):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert [f.code for f in aliases.read(Ledger(tmp_path)).faults] == ["aliases_unreadable"]
    with pytest.raises(Refused) as refused:
        prosefile.settings(Ledger(tmp_path))
    assert str(PARTS) in refused.value.faults[0].message("zh")


def test_a_number_of_thousands_of_digits_is_a_note(tmp_path: Path) -> None:
    found = aliases.parse('["别名"]\n"江晨" = ' + "9" * 5000)
    assert [(f.code, f.facts["line"]) for f in found.faults] == [("aliases_unreadable", 2)]


@pytest.mark.parametrize(
    "entry", ["{n} = 3", '"江晨{s}" = "a{n}"', '"人{n}" = ["名{n}"]', "人{n} = 1"]
)
def test_ten_thousand_entries_cost_what_their_number_costs(entry: str) -> None:
    def seconds(count: int) -> float:
        rows = (entry.replace("{n}", str(n)).replace("{s}", " " * (n % 50)) for n in range(count))
        text = "\n".join(dict.fromkeys(rows))
        start = time.process_time()
        aliases.parse(text)
        return time.process_time() - start

    base = max(min(seconds(2_500) for _ in range(2)), 0.004)
    assert seconds(20_000) < base * 8 * 4


def test_no_more_names_are_used_than_can_be_looked_for() -> None:
    names = ", ".join(f'"名{n}"' for n in range(aliases.NAMES + 5))
    found = aliases.parse(f'["别名"]\n"江晨" = [{names}]\n"鲁成" = ["鲁巡官"]\n')
    assert len(found.called["江晨"]) == aliases.NAMES and not found.called["鲁成"]
    assert [f.code for f in found.faults] == ["aliases_too_many"]
    exact = aliases.parse(f'"江晨" = [{names.rpartition(", ")[0].rsplit(", ", 4)[0]}]')
    assert len(exact.called["江晨"]) == aliases.NAMES and exact.faults == []
