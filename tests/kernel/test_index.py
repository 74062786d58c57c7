"""The index's contract: it says what its files say, however it came to that, and reads no more than
it must."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_room import (
    SCHEMA,
    Content,
    Memory,
    content,
    folder_source,
    line,
    room,
    rows_of,
    say,
)

from clew.kernel import index_refresh
from clew.kernel.errors import Missing, StorageFailed
from clew.kernel.faults import Fault
from clew.kernel.folder import FolderVault
from clew.kernel.index import Index
from clew.kernel.index_schema import Amend, Change, Column, Put, Schema, Source, Table
from clew.kernel.index_source import FolderSource

FOLDERS = ("a", "b")
TEXT = st.sampled_from(
    [
        "江晨到了灯塔",
        "晨光，江水",
        "灯塔，江",
        "the old lantern",
        "一 café",
        "龘",
        "",
        "灯 the\n江",
        "。",
    ]
)
KEY = st.sampled_from(["1", "2", "3", "键"])
PUT = st.builds(
    line, KEY, TEXT, st.integers(0, 3), role=st.sampled_from(["user", None]),
)  # fmt: skip
AMEND = st.builds(
    lambda key, hidden: json.dumps({"id": key, "hidden": hidden}).encode() + b"\n",
    KEY,
    st.integers(0, 1),
)
DROP = st.builds(lambda key: json.dumps({"id": key, "drop": True}).encode() + b"\n", KEY)
BROKEN = st.sampled_from([b"{\n", b"\n", b"  \r\n", b"\xff\n", b"\0\0\0\n"])
LINES = st.lists(st.one_of(PUT, PUT, PUT, AMEND, DROP, BROKEN), max_size=5).map(b"".join)
CARDS = st.lists(
    st.fixed_dictionaries(
        {"title": TEXT, "about": TEXT},
        optional={"id": KEY, "at": st.integers(0, 3), "tags": st.lists(KEY, unique=True, max_size=2)},
    ),
    max_size=3,
).map(lambda cards: json.dumps(cards, ensure_ascii=False).encode())  # fmt: skip
LOG = st.sampled_from([f"{folder}/messages.jsonl" for folder in FOLDERS])
CARD = st.sampled_from([f"{folder}/cards.json" for folder in FOLDERS])
CHANGE = st.one_of(
    st.tuples(st.just("append"), LOG, LINES),
    st.tuples(st.just("append"), LOG, LINES),
    st.tuples(st.just("append"), LOG, LINES),
    st.tuples(st.just("torn"), LOG, st.sampled_from([b'{"id"', b"\0\0", b"{"])),
    st.tuples(st.just("cut"), LOG, st.integers(0, 200)),
    st.tuples(st.sampled_from(["write", "replace"]), LOG, LINES),
    st.tuples(st.just("edit"), LOG, st.none()),
    st.tuples(st.sampled_from(["write", "replace"]), CARD, CARDS),
    st.tuples(st.just("write"), CARD, st.just(b"[")),
    st.tuples(st.just("remove"), st.one_of(LOG, CARD), st.none()),
)
STEPS = st.lists(
    st.tuples(CHANGE, st.sampled_from(["", "rows", "text", "all", "all", "verify"])),
    min_size=1,
    max_size=12,
)


class Disk:
    """Steps on real files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in FOLDERS:
            (root / folder).mkdir(parents=True)

    def do(self, kind: str, path: str, given: Any) -> None:
        file = self.root / path
        old = file.read_bytes() if file.exists() else b""
        if kind in ("append", "torn"):
            file.write_bytes(old + given)
        elif kind == "cut":
            file.write_bytes(old[:given])
        elif kind == "write":
            file.write_bytes(given)
        elif kind == "replace":
            file.with_suffix(".new").write_bytes(given)
            file.with_suffix(".new").replace(file)
        elif kind == "edit":
            file.write_bytes(old.replace("江".encode(), "湖".encode()))
        else:
            file.unlink(missing_ok=True)


def run(index: Index, how: str) -> None:
    if how == "text":
        index.refresh_text(1)
    elif how:
        index.refresh(text=how != "rows", verify=how == "verify")


def whole(source: Source) -> Content:
    """What an index made from nothing says."""
    with Index(None, SCHEMA, source) as index:
        index.refresh()
        return content(index)


@given(STEPS)
def test_an_index_that_followed_every_change_equals_one_made_from_nothing(
    steps: list[tuple[tuple[str, str, Any], str]],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        disk = Disk(root)
        with Index(None, SCHEMA, folder_source(root)) as index:  # a file would wait for the disk
            for change, how in steps:
                disk.do(*change)
                run(index, how)
            index.refresh()
            followed = content(index)
            assert index.check()
        assert followed == whole(folder_source(root))


@given(STEPS)
def test_the_same_holds_for_a_store_without_stats(
    steps: list[tuple[tuple[str, str, Any], str]],
) -> None:
    source = Memory()
    with Index(None, SCHEMA, source) as index, tempfile.TemporaryDirectory() as name:
        disk = Disk(Path(name))
        for change, how in steps:
            disk.do(*change)
            source.files = {
                path.relative_to(name).as_posix(): path.read_bytes()
                for path in Path(name).glob("*/*.json*")
            }
            run(index, how)
        index.refresh()
        assert content(index) == whole(source)


# ---- what is read ------------------------------------------------------------------------------


class Counting(FolderSource):
    """Remembers what was read."""

    def __init__(self, root: Path) -> None:
        super().__init__(
            FolderVault(root),
            paths=lambda: sorted(p.relative_to(root).as_posix() for p in root.glob("*/*.jsonl")),
            kind=lambda _: "log",
            rows=rows_of,
        )
        self.bytes_read = 0
        self.lines = 0

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes | None:
        data = super().read(path, offset, limit)
        self.bytes_read += len(data or b"")
        return data

    def rows(self, path: str, data: bytes) -> Iterable[Change]:
        self.lines += 1
        return super().rows(path, data)


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[tuple[Index, Counting, Path]]:
    say(tmp_path, "a", *(line(str(n), f"第{n}句江晨", n) for n in range(1000)))
    source = Counting(tmp_path)
    index = Index(f"{tmp_path.as_posix()}/.clew/index.sqlite", SCHEMA, source)
    index.refresh()
    settle(tmp_path / "a/messages.jsonl")
    index.refresh()
    source.bytes_read = source.lines = 0
    yield index, source, tmp_path / "a/messages.jsonl"
    index.close()


def settle(*files: Path) -> None:
    """Make the files' times old, as they are a moment after the last write. (Sets ctime to now, so
    wait as well.)"""
    for file in files:
        os.utime(file, ns=(1, 1))
    time.sleep(0.06)


def test_a_file_that_did_not_change_is_not_opened(counted: tuple[Index, Counting, Path]) -> None:
    index, source, _ = counted
    assert index.refresh().files == 0
    assert source.bytes_read == 0


def test_of_a_log_that_grew_only_the_new_lines_are_read(
    counted: tuple[Index, Counting, Path],
) -> None:
    index, source, file = counted
    with file.open("ab") as log:
        log.write(line("new", "新的一句", 5000))
    assert index.refresh().rows == 1
    assert source.lines == 2  # once for its row, once for its text
    assert source.bytes_read < 20_000 < file.stat().st_size
    assert [hit.key for hit in index.search("messages", "新的")] == ["new"]


def test_a_copied_log_is_compared_and_not_parsed_again(
    counted: tuple[Index, Counting, Path],
) -> None:
    index, source, file = counted
    shutil.copy(file, file.with_suffix(".copy"))
    file.with_suffix(".copy").replace(file)
    assert index.refresh().rows == 0
    assert source.lines == 0


def test_one_edited_line_indexes_one_text_anew(counted: tuple[Index, Counting, Path]) -> None:
    index, _, file = counted
    before = index.query("SELECT key, doc FROM messages")
    file.write_bytes(file.read_bytes().replace("第500句江晨".encode(), "第500句海风".encode()))
    index.refresh()
    changed = set(index.query("SELECT key, doc FROM messages")) - set(before)
    assert [key for key, _ in changed] == ["500"]
    assert [hit.key for hit in index.search("messages", "海风")] == ["500"]


def test_a_shorter_log_is_read_again_as_a_whole(counted: tuple[Index, Counting, Path]) -> None:
    index, _, file = counted
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:10]))
    index.refresh()
    assert index.query("SELECT count(*) FROM messages") == [(10,)]


def test_a_torn_line_waits_for_its_end(tmp_path: Path) -> None:
    say(tmp_path, "a", line("1", "江"), line("2", "晨")[:-4])
    with room(tmp_path) as index:
        index.refresh()
        assert index.query("SELECT key FROM messages") == [("1",)]
        say(tmp_path, "a", line("2", "晨")[-4:])
        index.refresh()
        assert index.query("SELECT key FROM messages ORDER BY key") == [("1",), ("2",)]


def test_an_edit_that_kept_size_and_times_is_found_when_asked(tmp_path: Path) -> None:
    file = tmp_path / "a/messages.jsonl"
    say(tmp_path, "a", *(line(str(n), "江晨" * 20, n) for n in range(200)))
    with room(tmp_path) as index:
        index.refresh()
        # In the middle of a long log, with more behind it: as good as an append, for one who only
        # looks at the end.
        edited = file.read_bytes().replace("江晨".encode(), "海风".encode(), 20)
        with file.open("r+b") as log:
            log.write(edited + line("new", "新", 999))
        index.refresh()
        assert len(index.search("messages", "海风")) == 0
        index.refresh(verify=True)
        assert len(index.search("messages", "海风")) == 1


def test_only_the_named_files_are_looked_at(tmp_path: Path) -> None:
    say(tmp_path, "a", line("1", "江"))
    say(tmp_path, "b", line("1", "江"))
    with room(tmp_path) as index:
        index.refresh()
        say(tmp_path, "a", line("2", "江"))
        say(tmp_path, "b", line("2", "江"))
        index.refresh(
            paths=["a/messages.jsonl", "gone/messages.jsonl", "a/notes.txt", "\ud800.jsonl"]
        )
        assert {hit.source for hit in index.search("messages", "江", limit=2)} == {
            "a/messages.jsonl",
            "b/messages.jsonl",
        }
        assert index.query("SELECT count(*) FROM messages") == [(3,)]
        (tmp_path / "a/messages.jsonl").unlink()
        index.refresh(paths=["a/messages.jsonl"])
        assert index.query("SELECT count(*) FROM messages") == [(1,)]


def test_naming_files_fills_an_empty_index_as_a_whole(tmp_path: Path) -> None:
    say(tmp_path, "a", line("1", "江"))
    say(tmp_path, "b", line("1", "江"))
    with room(tmp_path) as index:
        index.refresh(paths=["a/messages.jsonl"])
        assert len(index.search("messages", "江")) == 2


def test_a_vault_that_vanished_empties_no_index(tmp_path: Path) -> None:
    root = tmp_path / "library"
    say(root, "a", line("1", "江"))
    with Index(f"{tmp_path.as_posix()}/index.sqlite", SCHEMA, folder_source(root)) as index:
        index.refresh()
        root.rename(tmp_path / "unplugged")
        with pytest.raises(Missing):
            index.refresh()
        assert len(index.search("messages", "江")) == 1
        (tmp_path / "unplugged").rename(root)
        assert index.refresh().rows == 0


def test_one_key_in_two_files_is_two_rows(tmp_path: Path) -> None:
    say(tmp_path, "a", line("1", "江", 1))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    say(tmp_path, "b", b'{"id": "1", "drop": true}\n')
    with room(tmp_path) as index:
        index.refresh()
        assert [hit.source for hit in index.search("messages", "江")] == ["a/messages.jsonl"]


# ---- what cannot be understood -----------------------------------------------------------------


def test_a_broken_line_is_left_out_and_told(tmp_path: Path) -> None:
    say(tmp_path, "a", line("1", "江"), b"{broken\n", b"\n", line("2", "晨"))
    with room(tmp_path) as index:
        done = index.refresh()
        assert [(p.path, p.line, p.fault.code) for p in done.problems] == [
            ("a/messages.jsonl", 2, "bad_json")
        ]
        assert index.query("SELECT key FROM messages ORDER BY 1") == [("1",), ("2",)]


def test_a_document_that_breaks_loses_its_rows_until_it_is_mended(tmp_path: Path) -> None:
    say(tmp_path, "a")
    file = tmp_path / "a/cards.json"
    with room(tmp_path) as index:
        for data, rows, problems in (
            (b'[{"title": "x"}]', 1, 0),
            (b"[{", 0, 1),
            (b'[{"title": "x"}]', 1, 0),
        ):
            file.write_bytes(data)
            assert len(index.refresh().problems) == problems
            assert index.query("SELECT count(*) FROM cards") == [(rows,)]


def test_a_line_that_is_too_long_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_refresh, "LINE_BYTES", 5_000)
    monkeypatch.setattr(index_refresh, "_CHUNK", 1_000)
    say(tmp_path, "a", line("1", "江"), line("2", "晨" * 9_000), line("3", "灯"))
    with room(tmp_path) as index:
        done = index.refresh()
        assert [(p.line, p.fault.code) for p in done.problems] == [(2, "line_too_long")]
        assert index.query("SELECT key, seq FROM messages ORDER BY 1") == [("1", 1), ("3", 3)]
        say(tmp_path, "a", line("4", "塔"))
        assert index.refresh().rows == 1


class Refusing(Memory):
    """A source of which some files cannot be read at times."""

    refused: str = ""

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes | None:
        if path == self.refused:
            raise StorageFailed(Fault("io_failed", file=path, reason="input/output error"))
        return super().read(path, offset, limit)


def test_what_is_known_of_a_file_stays_while_it_cannot_be_read() -> None:
    source = Refusing()
    source.files = {"a/messages.jsonl": line("1", "江"), "b/messages.jsonl": line("1", "江")}
    with Index(None, SCHEMA, source) as index:
        index.refresh()
        source.refused = "a/messages.jsonl"
        source.files["a/messages.jsonl"] += line("2", "江")
        source.files["b/messages.jsonl"] += line("2", "江")
        done = index.refresh()
        assert [(p.path, p.fault.code) for p in done.problems] == [
            ("a/messages.jsonl", "io_failed")
        ]
        assert len(index.search("messages", "江")) == 3
        source.refused = ""
        index.refresh()
        assert content(index) == whole(source)


def test_a_text_that_could_not_be_read_is_found_when_it_can() -> None:
    source = Refusing()
    source.files = {"a/messages.jsonl": line("1", "江"), "a/cards.json": b'[{"title": "x"}]'}
    with Index(None, SCHEMA, source) as index:
        index.refresh(text=False)
        source.refused = "a/messages.jsonl"
        assert index.refresh_text() == 0
        assert index.search("messages", "江") == []
        source.refused = ""
        index.refresh()
        assert len(index.search("messages", "江")) == 1


def test_odd_values_are_kept_as_far_as_can_be(tmp_path: Path) -> None:
    source = Memory()
    odd = [
        Put("t", "\ud800", 1 << 90, {"i": 1 << 80, "s": "\udfff", "r": float("nan"), "b": b"\0"}),
        Put(
            "t",
            "a\0b",
            -(1 << 90),
            {"i": True, "s": "a\0b", "r": None, "b": None},
            {"x": "江\ud800"},
        ),
    ]
    source.files = {"a.json": b""}
    source.rows = lambda path, data: odd  # type: ignore[method-assign]
    table = Table(
        "t",
        (Column("i", "integer"), Column("s"), Column("r", "real"), Column("b", "blob")),
        text=("x",),
    )
    with Index(None, Schema("odd", 1, (table,)), source) as index:
        index.refresh()
        rows = index.query("SELECT key, ordinal, i, s, r, b FROM t ORDER BY ordinal")
        assert rows[0] == ("a\0b", -((1 << 63) - 1), 1, "a\0b", None, None)
        assert rows[1][:2] == ("\\ud800", (1 << 63) - 1)
        assert [hit.key for hit in index.search("t", "江")] == ["a\0b"]


# ---- mistakes of the program -------------------------------------------------------------------


@pytest.mark.parametrize(
    "table",
    [
        Table("Messages"),
        Table("clew_source"),
        Table("t; DROP"),
        Table("t", (Column("doc"),)),
        Table("t", (Column("a"), Column("a"))),
        Table("t", text=("rank",)),
        Table("t", text=("x", "x")),
        Table("t", indexes=(("nothing",),)),
        Table("t", facets=("nothing",)),
    ],
)
def test_a_schema_that_cannot_be_is_refused_at_once(table: Table) -> None:
    with pytest.raises(ValueError, match="not usable"):
        Index(None, Schema("s", 1, (table,)), Memory())


def test_one_table_cannot_be_declared_twice() -> None:
    with pytest.raises(ValueError, match="twice"):
        Index(None, Schema("s", 1, (Table("t"), Table("t"))), Memory())


def test_a_facet_cannot_be_amended() -> None:
    source = Memory()
    source.files = {"a.json": b""}
    source.rows = lambda path, data: [Amend("messages", "1", {"book": "b"})]  # type: ignore[method-assign]
    with Index(None, SCHEMA, source) as index, pytest.raises(ValueError, match="amend"):
        index.refresh()


def test_a_mistake_in_a_refresh_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    source = Memory()
    source.files = {"a/messages.jsonl": line("1", "江")}
    with Index(None, SCHEMA, source) as index:
        index.refresh()
        source.files["a/messages.jsonl"] += b'{"id": "2"}\n'  # the room's parser stumbles
        with pytest.raises(KeyError):
            index.refresh()
        assert index.query("SELECT key FROM messages") == [("1",)]
