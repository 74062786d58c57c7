"""Files made to hurt: bounded time, bounded memory, a clear line, never an exception."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import pytest
from cardfiles import (
    SIGNATURE,
    b64,
    book,
    card_png,
    charx,
    chunk,
    entry,
    pack,
    png,
    spelt,
    text,
    text_chunk,
    v2,
    v3,
    webp,
    ztext_chunk,
)  # fmt: skip

from clew.books import cards
from clew.books.cards.report import MEBI, Limits

pytestmark = pytest.mark.timeout(120)


@contextmanager
def within(mebibytes: float) -> Iterator[None]:
    """The block allocates no more than that."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1] / MEBI
    finally:
        tracemalloc.stop()
    assert peak < mebibytes, f"{peak:.0f} MiB"


@contextmanager
def soon(seconds: float = 8) -> Iterator[None]:
    """The block ends in that time, on a busy machine too."""
    started = perf_counter()
    yield
    assert perf_counter() - started < seconds


def zeros(size: int) -> bytes:
    """A zlib stream of that many NUL bytes, made without them."""
    squeezer = zlib.compressobj(9)
    block = bytes(MEBI)
    return b"".join(squeezer.compress(block) for _ in range(size // MEBI)) + squeezer.flush()


def refusals(data: bytes | io.BytesIO, **how: object) -> list[str]:
    read = cards.read(data, **how)  # type: ignore[arg-type]
    assert not read.ok
    return [fault.code for fault in read.report.refused]


BOMB = zeros(512 * MEBI)


@pytest.mark.parametrize("kind", ["zTXt", "iTXt"])
def test_a_zlib_bomb_in_a_chunk(kind: str) -> None:
    body = b"chara\0\0" + BOMB if kind == "zTXt" else b"chara\0\1\0\0\0" + BOMB
    data = png(chunk(kind.encode(), body))
    with within(100):
        assert refusals(data) == ["unpacks_too_large"]


def test_a_bomb_beside_a_good_card_does_not_cost_the_card() -> None:
    data = png(chunk(b"zTXt", b"ccv3\0\0" + BOMB), text_chunk("chara", b64(v2())))
    with within(100):
        read = cards.read(data)
    assert read.card is not None
    assert [fault.code for fault in read.report.kept] == ["candidate_unreadable"]


def test_sixteen_bombs_in_one_file() -> None:
    data = png(*[chunk(b"zTXt", b"chara\0\0" + BOMB)] * 20)
    with soon():
        assert set(refusals(data)) == {"unpacks_too_large", "chunk_too_large"}


def _zip(name: bytes, packed: bytes, size: int, method: int = 8, flags: int = 0) -> bytes:
    """An archive of one member that says of itself what it is told to say."""
    sizes = (0, len(packed), size)
    local = (
        struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, method, 0, 33, *sizes, len(name), 0)
        + name
        + packed
    )
    row = (
        struct.pack(
            "<4s6H3L5H2L",
            b"PK\1\2",
            20,
            20,
            flags,
            method,
            0,
            33,
            *sizes,
            len(name),
            0,
            0,
            0,
            0,
            0,
            0,
        )
        + name
    )
    return local + row + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(row), len(local), 0)


RAW_BOMB = BOMB[2:-4]


def test_a_zip_bomb_that_says_so() -> None:
    with within(20):
        assert refusals(_zip(b"card.json", RAW_BOMB, 512 * MEBI)) == ["member_refused"]


def test_a_zip_bomb_that_lies_about_its_size() -> None:
    with within(20):
        assert refusals(_zip(b"card.json", RAW_BOMB, 1000)) == ["member_damaged"]


def test_a_bomb_among_the_assets_is_never_unpacked() -> None:
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    big = squeezed.compress(bytes(64 * MEBI)) + squeezed.flush()
    data = pack([("card.json", text(v3())), ("assets/other/x", bytes(64 * MEBI))])
    assert len(data) < len(big) * 2
    with within(20):
        read = cards.read(data)
    assert read.card is not None
    assert [fault.code for fault in read.report.refused] == ["member_refused"]
    assert read.assets == ()


def test_members_that_overlap_are_refused() -> None:
    data = charx(None, ("a.bin", bytes(range(256))))
    central = data.find(b"PK\1\2", data.find(b"PK\1\2") + 1)
    row = bytearray(data)
    struct.pack_into("<L", row, central + 42, 5)  # the second member begins inside the first
    read = cards.read(bytes(row))
    assert [fault.code for fault in read.report.refused] in (
        ["member_refused"],
        ["archive_ambiguous"],
    )


def test_too_many_members() -> None:
    data = pack([(f"{i}", b"") for i in range(300)])
    assert refusals(data, limits=Limits(members=100)) == ["too_many_members"]


def test_a_text_chunk_over_64_mebibytes_is_not_read() -> None:
    big = bytes(64 * MEBI + 1)
    alone = png(chunk(b"tEXt", b"chara\0" + big))
    beside = png(chunk(b"tEXt", b"ccv3\0" + big), text_chunk("chara", b64(v2())))
    with within(5):
        assert refusals(alone) == ["chunk_too_large"]
        assert cards.read(beside).card is not None


def test_a_text_chunk_of_just_under_64_mebibytes_costs_little_more_than_itself() -> None:
    data = png(text_chunk("chara", b"QUFB" * (16 * MEBI - 16)))
    with within(150):
        assert refusals(data) == ["too_large"]


def test_an_open_file_is_not_read_whole_for_its_card() -> None:
    class Counting(io.BytesIO):
        taken = 0

        def read(self, size: int | None = -1, /) -> bytes:
            out = super().read(size)
            Counting.taken += len(out)
            return out

    source = Counting(png(text_chunk("chara", b64(v2())), pixels=bytes(8 * MEBI)))
    read = cards.read(source)
    assert read.card is not None
    assert Counting.taken < 20_000


def test_six_megabytes_of_description() -> None:
    value = v2(description="很长" * 1_000_000)
    for data in (text(value), card_png(value), png(ztext_chunk("chara", b64(value))), charx(value)):
        with soon():
            read = cards.read(data)
        assert read.card is not None and len(read.card.description) == 2_000_000


def test_six_megabytes_go_through_every_container() -> None:
    card = cards.read(text(v3(description="x" * 6_000_000))).card
    assert card is not None
    for container in ("json", "png", "charx"):
        with soon():
            assert cards.read(cards.write(card, "v3", container)).card == card


@pytest.mark.parametrize("shape", ["[],", "{},", "0,", '"",', "[[]],"])
def test_json_of_very_many_values(shape: str) -> None:
    data = (
        b'{"spec":"chara_card_v2","data":{"name":"x","extensions":{"x":['
        + shape.encode() * 3_000_000
        + b"0]}}}"
    )
    with soon():
        assert refusals(data) == ["too_many_values"]
    with within(150):
        cards.read(data)


def test_json_of_as_many_values_as_are_allowed() -> None:
    value = v2(extensions={"x": [[]] * 300_000})
    with soon():
        assert cards.read(text(value)).card is not None


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_deep_json(opening: str) -> None:
    data = ('{"spec":"chara_card_v2","data":{"name":"x","extensions":' + opening * 100_000).encode()
    with within(60):
        assert refusals(data) == ["too_deep"]


def test_depth_up_to_the_limit_is_read_and_written() -> None:
    inner: object = 1
    for _ in range(Limits().depth - 5):
        inner = [inner]
    card = cards.read(text(v2(extensions={"x": inner}))).card
    assert card is not None
    assert cards.read(cards.write(card, "v3", "charx")).card == card


def test_very_many_repeated_keys_and_unknown_keys() -> None:
    many = ",".join(f'"k{i % 100_000}":{i}' for i in range(200_000))
    with soon():
        read = cards.read(
            f'{{"spec":"chara_card_v2","data":{{"name":"x","first_mes":"y",{many}}}}}'.encode()
        )
    assert read.card is not None
    assert len(read.report.repaired) <= 201
    assert read.report.repaired[-1].code == "more_lines"


def test_very_many_entries_with_one_id() -> None:
    with soon():
        read = cards.read(text(v2(character_book=book(*[entry(id="0")] * 50_000))))
        assert read.card is not None and read.card.book is not None
        assert len({one.uid for one in read.card.book.entries}) == 50_000


def test_a_number_of_a_million_digits() -> None:
    data = text(v2()).replace(
        b'"extensions": {}', b'"extensions": {"x": ' + b"9" * 1_000_000 + b"}"
    )
    with soon():
        read = cards.read(data)
        assert read.card is not None
        assert b"9" * 1_000_000 in cards.write(read.card, "v2", "json")


def test_very_many_chunks() -> None:
    with soon():
        assert refusals(SIGNATURE + chunk(b"abCD", b"") * 150_000) == ["too_many_chunks"]


def test_very_many_text_chunks() -> None:
    with soon():
        read = cards.read(
            png(*[text_chunk("Comment", b"x")] * 50_000, text_chunk("chara", b64(v2())))
        )
    assert read.card is not None


def test_a_chunk_length_that_lies() -> None:
    data = png(text_chunk("chara", b64(v2())))
    for length in (0xFFFFFFFF, 0x7FFFFFFF, 0):
        broken = bytearray(data)
        struct.pack_into(">L", broken, data.find(b"tEXt") - 4, length)
        with soon():
            cards.read(bytes(broken))


@pytest.mark.parametrize(
    "document",
    [
        "a: " + "[" * 50_000, "a: " + "{" * 50_000, "- " * 50_000, "? " * 50_000,
        "a: !!python/object/apply:os.system [x]", "a: &a [" + "*a," * 1000 + "]", "'" * 100_000,
        "a:\n" + " " * 100_000 + "b", "%YAML 9.9\n---", "x: |\n" + " \n" * 100_000,
        "{" + "a: b, " * 50_000 + "}", "# " * 100_000, '"' + "\\n" * 100_000,
    ],
    ids=range(13),
)  # fmt: skip
def test_hostile_yaml(document: str) -> None:
    pytest.importorskip("yaml")
    with soon():
        cards.read(f"name: x\ngreeting: y\ncontext: z\n{document}\n".encode(), name="x.yaml")


def test_yaml_over_its_limit_is_refused() -> None:
    data = b"name: x\ngreeting: y\ncontext: " + b"z" * (2 * MEBI)
    with within(20):
        assert refusals(data) == ["too_large"]


def test_exif_that_leads_nowhere() -> None:
    for where in range(0, 60, 3):
        data = bytearray(webp(text(v2())))
        place = data.find(b"II*\0") + 4
        struct.pack_into("<L", data, place, where)
        cards.read(bytes(data))


def test_twenty_million_numbers_in_a_comment() -> None:
    with soon():
        cards.read(webp(b"1," * 10_000_000))
    with soon():
        assert refusals(webp(spelt(bytes(400_000)))) == ["picture_without_card"]
    comment = webp(b"123," * 1_200_000)
    with soon(), within(60):
        assert refusals(comment) == ["too_many_values"]


@pytest.mark.parametrize(
    "odd", [b'{' + b'"' * 20_000_000, b'["a",' + b'"",' * 450_000 + b"]x", b"[1," + b" " * 20_000_000 + b"]x"]
)  # fmt: skip
def test_mending_json_of_very_many_strings_costs_little_more_than_the_text(odd: bytes) -> None:
    with soon(), within(250):
        cards.read(odd)


@pytest.mark.parametrize(
    "name", ["../x", "con", "a\\b", "x" * 5000, "\0", "💧" * 300, "<img src=x>", "a\nb", "\x1b[31m"]
)
def test_file_names_are_only_text(name: str) -> None:
    read = cards.read(b"", name=name)
    for _, fault in read.report:
        for lang in ("zh", "en"):
            said = fault.message(lang)
            assert "\x1b" not in said and "\n" not in said and "\0" not in said


def test_html_in_notes_is_text_and_told() -> None:
    notes = "<script>alert(1)</script><img src=x onerror='x()'>"
    card = cards.read(text(v2(creator_notes=notes))).card
    assert card is not None and card.creator_notes == notes
    assert [fault.code for fault in cards.validate(card)] == ["script_in_notes"]


def test_long_keys_make_no_long_paths() -> None:
    key = "长" * 1_000_000
    value = text(v2(extensions={key: [[0]] * 100_000})).replace(b"[[0]", b'[["\\ud83d",NaN]', 1)
    with soon():
        read = cards.read(value)
    assert read.card is not None
    assert {fault.code for _, fault in read.report} >= {"surrogate_kept", "not_a_number"}
    assert all(len(fault.path) < 400 for _, fault in read.report)


def test_texts_that_are_nearly_json_cost_no_more_however_many_there_are() -> None:
    loose = b64(b"{'a':" + b"'b'," * 200_000)
    named = png(*[text_chunk("chara", loose) for _ in range(16)])
    others = png(*[text_chunk(f"k{n}", loose) for n in range(16)])
    begin = perf_counter()
    for source in (named, others):
        assert cards.read(source).card is None
    assert perf_counter() - begin < 15
