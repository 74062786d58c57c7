"""CHARX and other archives."""

from __future__ import annotations

import zipfile

from cardfiles import (
    card_png,
    charx,
    jpeg,
    pack,
    text,
    v2,
    v3,
)  # fmt: skip
from oddfile import Table

FILES = Table()
add, refuse = FILES.add, FILES.refuse

# ---- CHARX
LINK = zipfile.ZipInfo("assets/link")
LINK.external_attr = 0o120777 << 16
ASSETS = [
    {"type": "icon", "uri": "embeded://assets/icon/images/a.png", "name": "main", "ext": "png"}
]
add(
    "charx",
    "charx",
    charx(
        v3(assets=ASSETS),
        ("assets/icon/images/a.png", b"PNG"),
        ("module.risum", b"\0\1"),
        ("x_meta/0.json", b"{}"),
    ),
    "assets_taken",
    "members_kept",
    file="x.charx",
    check=lambda r: r.kind == "charx",
)
add("charx_zip_name", "charx", charx(), file="x.zip")
add("charx_v2", "charx", charx(v2()), file="x.charx")
add("charx_bom", "charx", pack([("card.json", b"\xef\xbb\xbf" + text(v3()))]), file="x.charx")
add("charx_stored", "charx", pack([("card.json", text(v3()))], stored=True), file="x.charx")
add(
    "charx_in_folder",
    "charx",
    pack([("沈砚/card.json", text(v3()))]),
    "card_elsewhere",
    file="x.charx",
)
add("charx_comment_behind", "charx", charx() + b"behind" * 20, file="x.charx")
add(
    "charx_misspelt_right",
    "charx",
    charx(v3(assets=[{**ASSETS[0], "uri": "embedded://a.png"}]), ("a.png", b"P")),
    "assets_taken",
    file="x.charx",
)
add("charx_asset_missing", "charx", charx(v3(assets=ASSETS)), "assets_missing", file="x.charx")
add("charx_climbing", "charx", charx(None, ("../../etc/x", b"x")), "member_refused", file="x.charx")
add("charx_absolute", "charx", charx(None, ("/etc/x", b"x")), "member_refused", file="x.charx")
add("charx_drive", "charx", charx(None, ("C:x", b"x")), "member_refused", file="x.charx")
add("charx_backslash", "charx", charx(None, ("a\\..\\b", b"x")), "member_refused", file="x.charx")
add("charx_link", "charx", charx(None, (LINK, b"/etc/passwd")), "member_refused", file="x.charx")
add("jpeg_and_zip", "charx", jpeg(tail=charx()), "archive_behind", file="x.jpg")
add("jpeg_and_zip_charx", "charx", jpeg(tail=charx()), "archive_behind", file="x.charx")
add(
    "jpeg_exif_and_zip",
    "charx",
    jpeg(text(v2("旧名")), tail=charx()),
    "archive_behind",
    file="x.jpeg",
)
add("program_and_zip", "charx", b"MZ" + b"\x90" * 500 + charx(), "archive_behind", file="x.exe")
refuse("zip_without_card", "charx", pack([("a.txt", b"x")]), "not_a_card", file="x.charx")
refuse(
    "backyard",
    "charx",
    pack([("manifest.json", b"{}"), ("characters/a/character.json", b"{}")]),
    "not_a_card",
    file="x.byaf",
)
refuse(
    "zip_of_cards",
    "charx",
    pack([("a.png", card_png(v2())), ("b.png", card_png(v2()))]),
    "not_a_card",
    file="all.zip",
)
refuse("cut_zip", "charx", charx()[:-30], "archive_broken", file="x.charx")
refuse(
    "two_card_json",
    "charx",
    pack([("a/card.json", text(v3())), ("b/card.json", text(v3()))]),
    "archive_ambiguous",
    file="x.charx",
)


def _encrypted() -> bytes:
    data = bytearray(charx())
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(sign) + at
        data[place] |= 1
    return bytes(data)


refuse("encrypted_zip", "charx", _encrypted(), "member_refused", file="x.charx")
