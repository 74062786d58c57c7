"""ZIP archives: ours as `zipfile` reads them, others' as we do, and broken ones."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest
from cardfiles import b64, charx, pack, png, text, text_chunk, v3
from hypothesis import given
from hypothesis import strategies as st

from clew.books import cards
from clew.books.cards import archive
from clew.books.cards.report import Limits
from clew.kernel.errors import Refused

LIMITS = Limits()

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="/\\:.\0", exclude_categories=("Cc", "Cs")),
    min_size=1,
    max_size=12,
)


@given(st.dictionaries(NAMES, st.binary(max_size=300), max_size=6), st.binary(max_size=50))
def test_our_archives_are_read_by_zipfile_and_by_us(
    members: dict[str, bytes], prefix: bytes
) -> None:
    data = archive.archive([archive.item(name, body) for name, body in members.items()], prefix)
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.testzip() is None
        assert {info.filename: opened.read(info) for info in opened.infolist()} == members
    found = archive.opened(data, LIMITS)
    assert found is not None and found.refused == ()
    assert {name: archive.unpacked(data, one)[0] for name, one in found.members.items()} == members
    assert found.start == len(prefix)


@given(
    st.dictionaries(NAMES, st.binary(max_size=300), min_size=1, max_size=6),
    st.booleans(),
    st.binary(max_size=80),
    st.binary(max_size=80),
)
def test_archives_of_zipfile_are_read(
    members: dict[str, bytes], stored: bool, before: bytes, behind: bytes
) -> None:
    data = before + pack(members.items(), stored=stored) + behind.replace(b"PK", b"")
    found = archive.opened(data, LIMITS)
    assert found is not None
    for name, one in found.members.items():
        assert archive.unpacked(data, one) == (members[name], True)
        again = archive.archive([archive.copied(data, one)])
        assert zipfile.ZipFile(io.BytesIO(again)).read(name) == members[name]
    assert found.members.keys() == members.keys()


def test_zip64_and_streamed_archives_are_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made, made.open("card.json", "w", force_zip64=True) as member:
        member.write(text(v3()))
    assert cards.read(out.getvalue()).ok

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise io.UnsupportedOperation

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("card.json", text(v3()))
    assert cards.read(pipe.getvalue()).ok


def test_a_wrong_checksum_of_the_card_is_told_and_of_an_asset_refused() -> None:
    data = bytearray(charx(None, ("a.bin", b"x" * 50)))
    at = 0
    while (at := data.find(b"PK\1\2", at + 1)) > 0:
        struct.pack_into("<L", data, at + 16, 1)
    read = cards.read(bytes(data))
    assert read.card is not None
    assert "checksum_wrong" in [fault.code for fault in read.report.repaired]
    with pytest.raises(Refused) as refused:
        read.assets[0].load()
    assert refused.value.code == "member_damaged"


def test_names_of_old_archives_are_read() -> None:
    info = zipfile.ZipInfo("cafe.txt")
    data = charx(None, (info, b"x")).replace(b"cafe.txt", "café.txt".encode("cp437"))
    assert [asset.path for asset in cards.read(data).assets] == ["café.txt"]


def test_unknown_packing_is_refused_with_its_number() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_BZIP2) as made:
        made.writestr("x.bin", bytes(500))
        made.writestr("card.json", text(v3()), zipfile.ZIP_DEFLATED)
    read = cards.read(out.getvalue())
    assert read.ok
    assert "12" in read.report.refused[0].message("zh")


def test_the_same_card_gives_the_same_archive() -> None:
    card = cards.read(text(v3())).card
    assert card is not None
    assert cards.write(card, "v3", "charx") == cards.write(card, "v3", "charx")


def wide(
    name: bytes, body: bytes, *, extra: bytes | None = None, locator: int | None = None
) -> bytes:
    """An archive of one stored member whose directory uses eight bytes for every number."""
    none, crc = 0xFFFFFFFF, zlib.crc32(body)
    local = (
        struct.pack(
            "<4s5H3L2H", b"PK\3\4", 45, 0, 0, 0, 33, crc, len(body), len(body), len(name), 0
        )
        + name
        + body
    )
    if extra is None:
        extra = struct.pack("<HHB", 9, 1, 0) + struct.pack("<HHQQQ", 1, 24, len(body), len(body), 0)
    row = struct.pack("<4s2B5H3L5H2L", b"PK\1\2", 45, 3, 45, 0, 0, 0, 33, crc, none, none, len(name), len(extra),
                      0, 0, 0, 0, none) + name + extra  # fmt: skip
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, len(row), len(local))
    at = len(local) + len(row) if locator is None else locator
    found = struct.pack("<4sLQL", b"PK\6\7", 0, at, 1)
    return (
        local
        + row
        + end64
        + found
        + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, none, none, 0)
    )


def test_directories_of_eight_byte_numbers_are_read() -> None:
    data = wide(b"card.json", text(v3()))
    assert zipfile.ZipFile(io.BytesIO(data)).read("card.json") == text(v3())
    assert cards.read(data).ok
    assert cards.read(b"MZ program" + data).ok


@pytest.mark.parametrize(
    "data",
    [
        wide(b"card.json", b"{}", extra=b""),
        wide(b"card.json", b"{}", extra=struct.pack("<HHQ", 1, 8, 2)),
        wide(b"card.json", b"{}", extra=b"\1\0\xff\xff"),
        wide(b"x", b"").replace(b"PK\6\6", b"PKxx"),
        wide(b"x", b"").replace(b"PK\6\7", b"PKxx"),
        charx()[-22:],
        charx()[:-4],
        charx().replace(b"PK\1\2", b"PKxx"),
        b"PK\3\4" + b"PK\5\6" * 40,
        b"PK\5\6" + b"\xff" * 18,
        b"PK\5\6" + b"\0" * 18,
    ],
    ids=range(11),
)
def test_broken_archives_are_refused(data: bytes) -> None:
    read = cards.read(data, name="x.charx")
    assert not read.ok
    assert {fault.code for fault in read.report.refused} <= {
        "archive_broken",
        "not_a_card",
        "member_damaged",
    }


@given(st.data())
def test_any_changed_number_of_a_directory_is_survived(data: st.DataObject) -> None:
    changed = bytearray(charx(None, ("a.bin", b"x" * 40), ("b/c.txt", b"y")))
    start = changed.find(b"PK\1\2")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(start, len(changed) - 4))
        struct.pack_into(
            "<L",
            changed,
            at,
            data.draw(st.sampled_from([0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x04034B50, 40])),
        )
    read = cards.read(bytes(changed))
    for asset in read.assets:
        try:
            asset.load()
        except Refused as refused:
            assert refused.code == "member_damaged"


def test_an_encrypted_member_beside_the_card_is_refused_alone() -> None:
    data = bytearray(charx(None, ("secret.bin", b"x")))
    second = data.find(b"PK\1\2", data.find(b"PK\1\2") + 1)
    data[second + 8] |= 1
    read = cards.read(bytes(data))
    assert read.ok
    assert [fault.facts["name"] for fault in read.report.refused] == ["secret.bin"]


def test_keys_that_would_make_one_name_are_kept_apart() -> None:
    keys = ("a/b", "a b", "a?b")
    assets = [
        {"type": "emotion", "uri": f"__asset:{key}", "name": key, "ext": "png"} for key in keys
    ]
    chunks = [text_chunk(f"chara-ext-asset_:{key}", b"eA==") for key in keys]
    source = png(*chunks, text_chunk("ccv3", b64(v3(assets=assets))))
    card = cards.read(source).card
    assert card is not None
    made = cards.read(cards.write(card, "v3", "charx", source=source))
    assert sorted(asset.path for asset in made.assets) == [
        "assets/emotion/images/a_b.png",
        "assets/emotion/images/a_b_2.png",
        "assets/emotion/images/a_b_3.png",
        "assets/icon/images/main.png",
    ]
    assert "assets_missing" not in [fault.code for fault in made.report.kept]
