"""The slot: read back what was packed, and nothing that a crash or a person left there."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel import journal
from clew.kernel.document import digest
from clew.kernel.files import Files
from clew.kernel.journal import Append, Header, Move, Replace, Slot

BODY = b"after-imageline1\n"
HEADER = Header(
    7, "boot", "2025-01-02T03:04:05.678Z", len(BODY),
    (Replace("追踪/a.json", None, digest(BODY[:11]), True, (0, 11)), Replace("v.md", digest(b"y"), None)),
    (Append("追踪/历史.jsonl", 12, (11, 6), digest(BODY[11:])),),
    (Move("a", "b"),),
)  # fmt: skip
WHOLE = journal.pack(HEADER, (BODY,), "armed")


def load(data: bytes) -> Slot | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "slot")
        path.write_bytes(data)
        return journal.load(Files(), str(path))


def test_there_is_no_slot_in_the_beginning(tmp_path: Path) -> None:
    assert journal.load(Files(), str(tmp_path / "slot")) is None


@pytest.mark.parametrize("status", ["armed", "done", "settled", "views", "refused"])
def test_a_slot_is_read_back_as_it_was_packed(tmp_path: Path, status: str) -> None:
    path = tmp_path / "slot"
    # A longer change was there before: the slot is overwritten in place.
    path.write_bytes(journal.pack(HEADER, (BODY,), status) + b"rest of a longer slot")
    slot = journal.load(Files(), str(path))
    assert slot is not None
    assert (slot.status, slot.header) == (status, HEADER)
    assert journal.body(Files(), str(path), slot) == BODY


def test_a_status_is_changed_in_place(tmp_path: Path) -> None:
    path = tmp_path / "slot"
    path.write_bytes(WHOLE)
    for status in ("done", "settled", "views", "refused", "armed"):
        journal.mark(Files(), str(path), status)
        slot = journal.load(Files(), str(path))
        assert slot is not None
        assert (slot.status, slot.header) == (status, HEADER)
        assert journal.body(Files(), str(path), slot) == BODY
        assert len(path.read_bytes()) == len(WHOLE)


def test_a_header_longer_than_the_first_reading_is_read_whole(tmp_path: Path) -> None:
    header = Header(1, "b", "t", 0, tuple(
        Replace(f"book/views/{n:06}.md", digest(b"%d" % n), None) for n in range(500)
    ))  # fmt: skip
    path = tmp_path / "slot"
    path.write_bytes(journal.pack(header, (), "armed"))
    slot = journal.load(Files(), str(path))
    assert slot is not None
    assert slot.header == header


@pytest.mark.parametrize("cut", [0, 1, 5, 6, 20, 80, 92, 93, 200, len(WHOLE) - len(BODY) - 1])
def test_a_slot_cut_before_its_body_is_torn(cut: int) -> None:
    slot = load(WHOLE[:cut])
    assert slot is not None
    assert slot.header is None


@pytest.mark.parametrize("lost", range(1, len(BODY) + 1))
def test_a_slot_cut_in_its_body_has_no_images(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "slot"
    path.write_bytes(WHOLE[:-lost])
    slot = journal.load(Files(), str(path))
    assert slot is not None
    assert journal.body(Files(), str(path), slot) is None


@given(
    st.integers(0, len(WHOLE) - 1), st.integers(1, 120), st.sampled_from([b"\0", b"\n", b" ", b"x"])
)
def test_a_slot_with_a_hole_anywhere_is_read_without_an_exception(
    at: int, length: int, fill: bytes
) -> None:
    holed = WHOLE[:at] + fill * min(length, len(WHOLE) - at) + WHOLE[at + length :]
    slot = load(holed)
    assert slot is not None
    assert slot.header in (None, HEADER)


@given(st.one_of(st.binary(max_size=200), st.binary(max_size=90).map(lambda b: journal.MAGIC + b)))
def test_any_bytes_in_the_place_of_a_slot_are_a_torn_slot(data: bytes) -> None:
    slot = load(data)
    assert slot is not None
    assert slot.header is None


def test_a_header_line_of_nothing_but_its_ends_is_torn() -> None:
    line_end = WHOLE.index(b"\n")
    line = journal.MAGIC + b"\0" * (line_end - len(journal.MAGIC))
    slot = load(line + WHOLE[line_end:])
    assert slot is not None
    assert slot.header is None


@pytest.mark.parametrize(
    ("data", "torn"),
    [(b"", True), (b"\0", True), (b"ab\0", True), (b"ab", False), (b"\0ab", False)],
)
def test_what_a_power_cut_can_leave(data: bytes, torn: bool) -> None:
    assert journal.is_torn(data) is torn


@given(st.binary(max_size=30), st.data())
def test_an_image_cut_short_or_holed_by_nuls_is_a_cut_of_it(
    image: bytes, data: st.DataObject
) -> None:
    cut = bytearray(image[: data.draw(st.integers(0, len(image)))])
    for at in data.draw(st.sets(st.integers(0, 29))):
        if at < len(cut):
            cut[at] = 0
    assert journal.cut_of(bytes(cut), image)


@pytest.mark.parametrize("data", [b"imagex", b"other", b"imx", b"\0mage1"])
def test_what_has_bytes_of_its_own_is_no_cut(data: bytes) -> None:
    assert not journal.cut_of(data, b"image")
