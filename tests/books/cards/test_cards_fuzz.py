"""Whatever the bytes, a reading ends with a value or a reason: cut files, changed files, any JSON."""

from __future__ import annotations

import json

import pytest
from cardfiles import (
    SIGNATURE,
    b64,
    book,
    card_png,
    charx,
    entry,
    itext_chunk,
    jpeg,
    png,
    text,
    v2,
    v3,
    webp,
)  # fmt: skip
from hypothesis import given
from hypothesis import strategies as st
from odd import FILES

from clew.books import cards

REAL = [
    card_png(v2(character_book=book(entry(), entry()))),
    png(itext_chunk("ccv3", b64(v3()), packed=True)),
    charx(None, ("assets/a.png", png())),
    jpeg(tail=charx()),
    webp(text(v2())),
    text(v3(character_book=book(entry()))),
]


@pytest.mark.parametrize("number", range(len(REAL)))
def test_cut_at_every_byte(number: int) -> None:
    data = REAL[number]
    for end in range(0, len(data), max(1, len(data) // 400)):
        read = cards.read(data[:end])
        assert read.ok or read.report.refused


@given(st.sampled_from(FILES), st.data())
def test_changed_files_never_raise(file, data) -> None:  # type: ignore[no-untyped-def]
    changed = bytearray(file.data[:20_000])
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, max(0, len(changed) - 1)))
        piece = data.draw(st.binary(max_size=6))
        how = data.draw(st.sampled_from(["over", "in", "out", "copy"]))
        if how == "over":
            changed[at : at + len(piece)] = piece
        elif how == "in":
            changed[at:at] = piece
        elif how == "out":
            del changed[at : at + data.draw(st.integers(1, 64))]
        else:
            changed[at:at] = changed[: data.draw(st.integers(1, 64))]
    read = cards.read(bytes(changed), name=file.file)
    assert read.ok or read.report.refused
    for _, fault in read.report:
        fault.to_dict("zh")
    if read.card is not None:
        cards.validate(read.card)
        assert read.card.content_hash
        cards.read(cards.write(read.card, "v3", "png"))
    if read.lorebook is not None:
        cards.write_lorebook(read.lorebook, "worldinfo")


MAGIC = [
    SIGNATURE,
    b"\xff\xd8\xff",
    b"RIFF\0\0\0\0WEBP",
    b"PK\3\4",
    b"PK\5\6",
    b"{",
    b"[",
    b"name: x\ngreeting: ",
    b"rcc||",
    b"eyJ",
    b"MZ",
    b"",
]


@given(st.sampled_from(MAGIC), st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(magic: bytes, rest: bytes) -> None:
    read = cards.read(magic + rest, name="x.png")
    assert read.ok or read.report.refused


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["spec", "data", "name", "first_mes", "description", "entries", "keys", "key", "content", "character_book",
             "extensions", "position", "tags", "alternate_greetings", "assets", "uri", "id", "uid", "kind", "persona",
             "attributes", "char_name", "char_greeting", "greeting", "context", "lorebookVersion", "type", "value",
             "keywords", "entry", "worldinfo", "depth_prompt", "depth", "creation_date", "disable", "order"]
        ),
        inner, max_size=6,
    ),
    max_leaves=25,
)  # fmt: skip


@given(JSONS)
def test_any_json_is_read_or_refused(value: object) -> None:
    read = cards.read(json.dumps(value).encode())
    assert read.ok or read.report.refused
    if read.card is not None:
        again = cards.read(cards.write(read.card, "v3", "json")).card
        assert again is not None
        if "data" not in read.card.root:
            assert again.content_hash == read.card.content_hash
        for one in read.card.book.entries if read.card.book else ():
            assert one.position and one.uid
