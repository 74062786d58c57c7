"""Logs: what counts as a line, how the last one is found, how one is added."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel import log
from clew.kernel.document import encode_line
from clew.kernel.files import Files
from clew.kernel.log import Tail

BLOCK = 65_536
LINE = st.sampled_from([b"", b"a", b"{}", b"\r", b" ", "行".encode(), b"\0", b"a\rb"])
LOGS = st.builds(
    lambda lines, ends, rest: b"".join(x + y for x, y in zip(lines, ends, strict=True)) + rest,
    st.shared(st.lists(LINE, max_size=6), key="lines"),
    st.shared(st.lists(LINE, max_size=6), key="lines").flatmap(
        lambda lines: st.lists(
            st.sampled_from([b"\n", b"\r\n"]), min_size=len(lines), max_size=len(lines)
        )
    ),
    LINE,
)


class NarratedFiles(Files):
    """Counts the bytes that are read."""

    def __init__(self) -> None:
        self.bytes_read = 0

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
        data = super().read(path, offset, limit)
        self.bytes_read += len(data)
        return data


@pytest.mark.parametrize(
    ("data", "lines", "torn"),
    [
        (b"", [], b""),
        (b"\n", [], b""),
        (b"one\n", [b"one"], b""),
        (b"one\ntwo", [b"one"], b"two"),
        (b"one\r\ntwo\r\n", [b"one", b"two"], b""),
        (b"one\n\n  \n\r\ntwo\n", [b"one", b"two"], b""),
        (b"one\n\0\0\0", [b"one"], b"\0\0\0"),
        ("一\n二\n三".encode(), ["一".encode(), "二".encode()], "三".encode()),
    ],
)
def test_a_line_counts_when_it_ends_in_a_newline(
    data: bytes, lines: list[bytes], torn: bytes
) -> None:
    assert log.lines(data) == (lines, torn)


@given(st.one_of(st.binary(max_size=40), LOGS))
def test_the_tail_is_the_last_of_the_lines_on_any_bytes(data: bytes) -> None:
    lines, torn = log.lines(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.jsonl")
        path.write_bytes(data)
        tail = log.tail(Files(), str(path))
    assert tail.torn == torn
    assert tail.end == len(data) - len(torn)
    assert tail.line == (lines[-1] if lines else None)
    if tail.line is not None:
        assert data[tail.start :].startswith(tail.line)
        assert tail.start == 0 or data[tail.start - 1 : tail.start] == b"\n"


def test_the_tail_of_no_file_is_nothing(tmp_path: Path) -> None:
    assert log.tail(Files(), str(tmp_path / "none.jsonl")) == Tail(None, 0, 0, b"")


@pytest.mark.parametrize("before", [0, 1, BLOCK - 3, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1])
@pytest.mark.parametrize("length", [1, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK])
@pytest.mark.parametrize("rest", [0, 1, BLOCK + 1])
def test_lines_at_and_beyond_the_edge_of_a_block_are_found_whole(
    tmp_path: Path, before: int, length: int, rest: int
) -> None:
    path = tmp_path / "log.jsonl"
    line = b"x" * length
    first = b"f" * before + b"\n"
    path.write_bytes(first + line + b"\n" + b"t" * rest)
    start = before + 1
    want = Tail(line, start, start + length + 1, b"t" * rest)
    assert log.tail(Files(), str(path)) == want


def test_a_long_torn_log_without_a_line_is_all_torn(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"x" * (3 * BLOCK))
    assert log.tail(Files(), str(path)) == Tail(None, 0, 0, b"x" * (3 * BLOCK))


def test_the_tail_of_a_long_log_is_read_from_its_end(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(b'{"n":%d}\n' % n for n in range(200_000)))
    files = NarratedFiles()
    assert log.tail(files, str(path)).line == b'{"n":199999}'
    assert files.bytes_read <= BLOCK


@given(st.lists(st.dictionaries(st.text(max_size=4), st.integers(0, 9)), min_size=1, max_size=5))
def test_what_is_appended_is_read_back_in_order(entries: list[dict[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.jsonl")
        for entry in entries:
            assert log.append(Files(), str(path), encode_line(entry)) == b""
            assert log.tail(Files(), str(path)).line == encode_line(entry)
        lines, torn = log.lines(path.read_bytes())
    assert torn == b""
    assert [json.loads(line) for line in lines] == entries


@pytest.mark.parametrize("torn", [b"t", b"a torn end far longer than the line" * 9, b"\0" * 5000])
@pytest.mark.parametrize("whole", [b"", b"one\n", b"one\r\n"])
def test_an_append_writes_over_a_torn_end_and_hands_it_back(
    tmp_path: Path, whole: bytes, torn: bytes
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(whole + torn)
    assert log.append(Files(), str(path), b"two") == torn
    assert path.read_bytes() == whole + b"two\n"


def test_an_append_makes_the_log_with_the_mode_that_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log.append(Files(), str(path), b"one", 0o600)
    assert path.read_bytes() == b"one\n"
    assert oct(path.stat().st_mode & 0o777) == oct(0o600)


def test_an_append_to_an_empty_file_starts_it(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"")
    assert log.append(Files(), str(path), b"one") == b""
    assert path.read_bytes() == b"one\n"


def test_a_line_that_holds_a_newline_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with pytest.raises(ValueError, match="newline"):
        log.append(Files(), str(path), b"one\ntwo")
    assert not path.exists()
