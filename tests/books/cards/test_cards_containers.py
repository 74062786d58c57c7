"""PNG chunks, EXIF blocks and pictures, held against other programs' idea of them."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from cardfiles import (
    SIGNATURE,
    b64,
    charx,
    chunk,
    exif,
    jpeg,
    png,
    spelt,
    text,
    text_chunk,
    v2,
    v3,
    webp,
)
from hypothesis import given
from hypothesis import strategies as st

from clew.books import cards
from clew.books.cards import png as pngs
from clew.books.cards.carrier import portrait
from clew.books.cards.exif import comments, jpeg_blocks, webp_blocks, without
from clew.books.cards.placeholder import HEIGHT, WIDTH, placeholder
from clew.books.cards.png import SIGNATURE as OUR_SIGNATURE
from clew.books.cards.report import Limits
from clew.kernel.errors import Missing, Refused

LIMITS = Limits()


# ---- PNG


def test_scan_tells_chunks_size_and_end() -> None:
    found = cards.scan(
        png(text_chunk("a", b"x"), after=[text_chunk("b", b"y")], tail=b"123", width=9, height=4)
    )
    assert [one.kind for one in found.chunks] == [b"IHDR", b"tEXt", b"IDAT", b"tEXt", b"IEND"]
    assert [one.keyword for one in found.texts()] == ["a", "b"]
    assert (found.width, found.height, found.ended, found.trailing) == (9, 4, True, 3)


@given(
    st.lists(
        st.tuples(st.sampled_from(["tEXt", "gAMA", "zTXt", "prVt"]), st.binary(max_size=40)),
        max_size=6,
    ),
    st.binary(max_size=30),
)
def test_offsets_cover_the_file(chunks: list[tuple[str, bytes]], tail: bytes) -> None:
    data = png(*[chunk(kind.encode(), body) for kind, body in chunks], tail=tail)
    found = cards.scan(data)
    at = 8
    for one in found.chunks:
        assert one.offset == at and not one.cut
        at = one.end
    assert at + found.trailing == len(data)
    assert pngs.exchange(data, found, (), ()) == data
    with io.BytesIO(data) as opened:
        assert cards.scan(opened) == found


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_exchange_takes_out_and_puts_in_and_leaves_the_rest(marks: list[bool]) -> None:
    pieces = [
        text_chunk("chara" if mark else "other", bytes([65 + i])) for i, mark in enumerate(marks)
    ]
    half = len(pieces) // 2
    data = png(*pieces[:half], after=pieces[half:])
    found = cards.scan(data)
    gone = [one for one in found.texts() if one.name == "chara"]
    new = pngs.text_chunk("ccv3", b"new")
    out = pngs.exchange(data, found, gone, [new])
    assert [one.keyword for one in cards.scan(out).texts()].count("ccv3") == 1
    bare = data
    for piece, mark in zip(pieces, marks, strict=True):
        bare = bare.replace(piece, b"") if mark else bare
    assert out.replace(new, b"") == bare


def test_a_new_card_stands_where_the_old_one_stood() -> None:
    data = png(text_chunk("a", b""), after=[text_chunk("chara", b""), text_chunk("b", b"")])
    found = cards.scan(data)
    out = pngs.exchange(data, found, found.texts()[1:2], [pngs.text_chunk("chara", b"new")])
    assert out == png(
        text_chunk("a", b""), after=[text_chunk("chara", b"new"), text_chunk("b", b"")]
    )


def test_without_an_old_card_it_stands_before_the_pixels() -> None:
    data = png(after=[text_chunk("b", b"")])
    out = pngs.exchange(data, cards.scan(data), (), [pngs.text_chunk("chara", b"new")])
    assert out == png(text_chunk("chara", b"new"), after=[text_chunk("b", b"")])


@pytest.mark.parametrize("cut", range(1, 70, 3))
def test_a_cut_picture_is_written_into_and_read_again(cut: int) -> None:
    data = png()[:-cut]
    if not data.startswith(SIGNATURE):
        return
    card = cards.read(text(v2())).card
    assert card is not None
    out = cards.write(card, "v2", "png", source=data)
    again = cards.read(out)
    assert again.card == card


def test_a_missing_end_is_added() -> None:
    card = cards.read(text(v2())).card
    assert card is not None
    assert cards.write(card, "v2", "png", source=png(end=b"")).endswith(chunk(b"IEND", b""))


def test_pillow_sees_the_card_and_the_same_pixels() -> None:
    image = pytest.importorskip("PIL.Image")
    source = png(text_chunk("chara", b64(v2("旧"))), width=40, height=30)
    card = cards.read(text(v3())).card
    assert card is not None
    for data in (cards.write(card, "v3", "png", source=source), cards.write(card, "v3", "png")):
        seen = image.open(io.BytesIO(data))
        seen.load()
        assert set(seen.text) == {"chara", "ccv3"}
    before, after = (
        image.open(io.BytesIO(d)).tobytes()
        for d in (source, cards.write(card, "v3", "png", source=source))
    )
    assert before == after


def test_the_placeholder_is_a_sound_picture_and_always_the_same() -> None:
    data = placeholder("ab" * 32)
    assert data.startswith(OUR_SIGNATURE) and data == placeholder("ab" * 32) != placeholder(
        "cd" * 32
    )
    found = cards.scan(data)
    assert (found.width, found.height, found.ended, found.trailing) == (WIDTH, HEIGHT, True, 0)
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(data))
    image.load()
    assert len(image.convert("RGB").getcolors(100_000)) > 20
    assert len(data) < 20_000


@pytest.mark.parametrize("seed", ["00" * 32, "ff" * 32, "80" * 32, "0123456789abcdef" * 4])
def test_every_hash_gives_a_placeholder(seed: str) -> None:
    assert cards.scan(placeholder(seed)).ended


# ---- EXIF


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("charset", [b"ASCII\0\0\0", b"\0" * 8, b"UNICODE\0", b""])
def test_a_comment_is_found(order: str, charset: bytes) -> None:
    block = exif(b"{12345}", order=order, charset=charset)
    assert list(comments(block)) == [b"{12345}"]


def test_pillow_writes_what_we_read() -> None:
    image = pytest.importorskip("PIL.Image")
    for kind in ("JPEG", "WEBP"):
        picture = image.new("RGB", (8, 8))
        tags = picture.getexif()
        tags.get_ifd(0x8769)[0x9286] = b"ASCII\0\0\0" + text(v2())
        out = io.BytesIO()
        picture.save(out, kind, exif=tags)
        read = cards.read(out.getvalue())
        assert read.card is not None and read.card.name == "沈砚"


def test_the_image_description_is_read_where_there_is_no_comment() -> None:
    body = text(v2())
    block = (
        b"II*\0"
        + struct.pack("<L", 8)
        + struct.pack("<H", 1)
        + struct.pack("<HHLL", 0x010E, 2, len(body), 26)
        + b"\0" * 4
        + body
    )
    data = (
        b"\xff\xd8\xff\xe1" + struct.pack(">H", len(block) + 8) + b"Exif\0\0" + block + b"\xff\xd9"
    )
    assert cards.read(data).ok


def test_numbers_that_are_no_bytes_are_left_alone() -> None:
    assert list(comments(exif(b"1,2,999"))) == [b"1,2,999"]
    assert list(comments(exif(spelt(b"{}") + b","))) == [b"{}"]


@pytest.mark.parametrize("kind", ["jpeg", "webp"])
def test_without_takes_out_the_comment_and_nothing_else(kind: str) -> None:
    make, blocks = {"jpeg": (jpeg, jpeg_blocks), "webp": (webp, webp_blocks)}[kind]
    assert without(make(b"a", b"b"), kind) == make()
    assert list(blocks(without(make(b"a"), kind))) == []


# ---- pictures


def test_the_portrait_of_each_container() -> None:
    card = cards.read(text(v3())).card
    assert card is not None
    icon = [{"type": "icon", "uri": "embeded://a.png", "name": "main", "ext": "png"}]
    inside = charx(v3(assets=icon), ("a.png", png()))
    boxed = cards.read(inside).card
    assert boxed is not None
    assert portrait(boxed, inside) == ("png", png())
    assert portrait(card, png()) == ("png", png())
    assert portrait(card, jpeg()) == ("jpeg", jpeg())
    assert portrait(card, charx()) is None
    assert portrait(card, text(v3())) is None


def test_a_thumbnail_is_small() -> None:
    image = pytest.importorskip("PIL.Image")
    from clew.books.cards.picture import thumbnail

    small = image.open(io.BytesIO(thumbnail(placeholder("00" * 32))))
    assert small.format == "WEBP" and small.size == (240, 360)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        png(pixels=b"junk"),
        jpeg(),
        SIGNATURE,
        png(width=60_000, height=60_000, pixels=b""),
    ],
)
def test_what_cannot_be_decoded_is_refused(data: bytes) -> None:
    pytest.importorskip("PIL.Image")
    from clew.books.cards.picture import to_png

    with pytest.raises(Refused) as refused:
        to_png(data)
    assert refused.value.code == "picture_unreadable"


def test_a_picture_that_is_none_is_refused() -> None:
    card = cards.read(text(v3())).card
    assert card is not None
    with pytest.raises(Refused) as refused:
        cards.write(card, "v3", "png", picture=b"GIF89a")
    assert refused.value.code == "picture_unreadable"


@pytest.mark.parametrize(
    ("library", "data"), [("PIL", jpeg()), ("yaml", b"name: x\ngreeting: y\n")]
)
def test_a_missing_library_is_named(
    library: str, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, library, None)
    if library == "yaml":
        (fault,) = cards.read(data).report.refused
    else:
        card = cards.read(text(v3())).card
        assert card is not None
        with pytest.raises(Missing) as missing:
            cards.write(card, "v3", "png", source=data)
        (fault,) = missing.value.faults
    assert fault.code == "card_library_missing"
    assert "pip install" in fault.hint("en")


def test_inflate_of_a_cut_stream_gives_what_it_holds() -> None:
    packed = zlib.compress(b"x" * 1000)
    assert pngs.inflate(packed[:-6], "x", 2000).startswith(b"x")
    with pytest.raises(Refused):
        pngs.inflate(packed, "x", 999)


def test_a_jpeg_with_padding_and_bare_markers_is_read() -> None:
    data = jpeg(text(v2()))
    padded = data[:2] + b"\xff\x01" + b"\xff" * 5 + data[3:]
    assert cards.read(padded).ok
