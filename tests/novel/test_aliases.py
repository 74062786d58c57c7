"""设定/别名.toml: what it says, and what is said of one that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.novel import aliases
from clew.novel.aliases import parse
from clew.novel.ledger import Ledger

CALLED = {"汪小满": ("小满", "汪满仓"), "佘师傅": ("老佘",)}


@pytest.mark.parametrize(
    "text",
    [
        '["别名"]\n"汪小满" = ["小满", " 汪满仓 "]\n"佘师傅" = "老佘"\n',
        '[aliases]\n"汪小满" = ["小满", "汪满仓"]\n"佘师傅" = ["老佘"]\n',
        '"汪小满" = ["小满", "汪满仓", "小满"]\n"佘师傅" = "老佘"\n',
        '["别名"]\r\n"汪小满" = [\r\n  "小满", # 小名\r\n  "汪满仓",\r\n]\r\n"佘师傅" = "老佘"',
        '[aliases]\n"汪小满" = "小满"\n["别名"]\n"汪小满" = ["汪满仓"]\n"佘师傅" = "老佘"\n',
    ],
)
def test_aliases_are_read_from_either_table_or_none(text: str) -> None:
    found = parse(text)
    assert not found.faults
    assert {k: set(v) for k, v in found.called.items()} == {k: set(v) for k, v in CALLED.items()}


def test_a_composed_and_a_decomposed_name_are_one() -> None:
    assert parse('"Zoe\u0308" = ["Zo"]').called == {"Zo\u00eb": ("Zo",)}


def test_bare_chinese_keys_are_understood_and_named_line_by_line() -> None:
    text = '# 称呼\n[别名]\n汪小满 = ["小满", "汪满仓"]\n"佘师傅" = "老佘"\n  鲁成="鲁巡官"\n'
    found = parse(text)
    assert found.called == {**CALLED, "鲁成": ("鲁巡官",)}
    assert [(f.code, f.facts["line"], f.facts["allowed"]) for f in found.faults] == [
        ("aliases_bare_key", 2, '["别名"]'),
        ("aliases_bare_key", 3, '"汪小满" = ["小满", "汪满仓"]'),
        ("aliases_bare_key", 5, '"鲁成"="鲁巡官"'),
    ]
    assert "第 3 行" in found.faults[1].message("zh")
    assert "quotes" in found.faults[1].message("en")


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ('["别名"]\n"汪小满" = [“小满”]\n', 2, "引号"),
        ('["别名"]\n"汪小满" = ["小满"，"汪满仓"]\n', 2, "逗号"),
        ('["别名"]\n\n"汪小满" ＝ ["小满"]\n', 3, "等号"),
        ('["别名"]\n"汪小满" = ["小满"\n', 3, ""),
        ('"a" = 1\n"a" = 2\n', 2, ""),
        ("\x00", 1, ""),
        ("a = " + "[" * 100_000, 1, "嵌套"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text: str, line: int, word: str) -> None:
    found = parse(text)
    assert found.called == {}
    (fault,) = found.faults
    assert (fault.code, fault.facts["line"]) == ("aliases_unreadable", line)
    assert word in fault.message("zh")


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ('["别名"]\n"汪小满" = 3\n"鲁成" = "鲁巡官"\n', "汪小满", 2),
        ('["别名"]\n"鲁成" = "鲁巡官"\n"汪小满" = [["小满"]]\n', "汪小满", 3),
        ('"别名" = 3\n', "别名", 1),
        ('["别名"]\n"" = "谁"\n"鲁成" = "鲁巡官"\n', "", 2),
    ],
)
def test_an_entry_without_names_is_left_out(text: str, name: str, line: int) -> None:
    found = parse(text)
    assert [f.code for f in found.faults] == ["aliases_no_names"]
    assert (found.faults[0].facts["found"], found.faults[0].facts["line"]) == (name, line)
    assert set(found.called) <= {"鲁成"}


@given(st.text(alphabet="别名江晨=[]\"'#,. \n\t\\{}a1“，\x00\ufeff", max_size=60))
def test_no_text_is_a_traceback(text: str) -> None:
    found = parse(text)
    assert all(fault.message("zh") and fault.message("en") for fault in found.faults)


def test_a_book_without_the_file_has_no_aliases(tmp_path: Path) -> None:
    assert aliases.read(Ledger(tmp_path)) == ({}, [])


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / aliases.PATH
    path.parent.mkdir()
    path.write_bytes('["别名"]\n"江晨" = ["小江"]\n'.encode("gb18030"))
    found = aliases.read(Ledger(tmp_path))
    assert found.called == {}
    assert [(f.code, f.facts["line"]) for f in found.faults] == [("aliases_unreadable", 1)]


def test_a_byte_order_mark_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / aliases.PATH
    path.parent.mkdir()
    path.write_text('"江晨" = ["小江"]\n', encoding="utf-8-sig")
    assert aliases.read(Ledger(tmp_path)) == ({"江晨": ("小江",)}, [])


def test_a_link_out_of_the_book_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "别人的.toml"
    outside.write_text('"江晨" = ["小江"]\n', encoding="utf-8")
    book = tmp_path / "书"
    (book / "设定").mkdir(parents=True)
    (book / aliases.PATH).symlink_to(outside)
    found = aliases.read(Ledger(book))
    assert found.called == {}
    assert [f.code for f in found.faults] == ["unsafe_path"]


def test_a_folder_of_that_name_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / aliases.PATH).mkdir(parents=True)
    found = aliases.read(Ledger(tmp_path))
    assert found.called == {}
    assert found.faults
