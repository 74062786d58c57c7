"""Damaged and misnamed pictures, EXIF, cards of other programs beside a card (shapes 11 to 13)."""

from __future__ import annotations

import base64
import json

from cardfiles import (
    b64,
    card_png,
    charx,
    jpeg,
    pack,
    png,
    spelt,
    text,
    text_chunk,
    v1,
    v2,
    v3,
    webp,
    ztext_chunk,
)  # fmt: skip
from oddfile import CARD, Table

FILES = Table()
add, refuse = FILES.add, FILES.refuse

# ---- 11: damaged and misnamed pictures
add("bad_crc", "11", png(text_chunk("chara", b64(v2()), crc=1)), "checksum_wrong")
add(
    "bad_crc_everywhere",
    "11",
    png(text_chunk("chara", b64(v2()), crc=0)).replace(b"IDAT", b"IDAT"),
    "checksum_wrong",
)
add("no_end", "11", png(CARD, end=b""), "png_cut")
add("no_end_card_last", "11", png(after=[CARD], end=b""), "png_cut")
add("cut_in_pixels", "11", png(CARD)[:-20], "png_cut")
add("cut_crc", "11", png(after=[CARD], end=b"")[:-2], "png_cut", "checksum_wrong")
add("garbage_behind", "11", png(CARD, tail=b"garbage" * 99), "trailing_bytes")
add("zip_behind", "11", png(CARD, tail=pack([("notes.txt", b"x")])), "trailing_bytes")
add("charx_behind_png", "11", png(tail=charx()), "archive_behind")
add("webp_called_png", "11", webp(text(v2())), "name_misleads", file="x.png")
add("jpeg_called_png", "11", jpeg(text(v2())), "name_misleads", file="x.png")
add("json_called_png", "11", text(v2()), "name_misleads", file="x.png")
add("png_called_json", "11", card_png(v2()), "name_misleads", file="x.json")
add("png_called_webp", "11", card_png(v2()), "name_misleads", file="x.webp")
add("no_extension", "11", card_png(v2()), file="x")
refuse(
    "riff_called_json",
    "11",
    b"RIFF\x10\0\0\0WEBPVP8 \0\0\0\0",
    "picture_without_card",
    file="x.json",
)
refuse("r_called_json", "11", b"R", "not_a_card", file="r.json")
refuse("line_ends_converted", "11", card_png(v2()).replace(b"\r\n", b"\n"), "not_a_card")
refuse("picture_only", "11", png(text_chunk("parameters", b"1girl")), "picture_without_card")
refuse("gif", "11", b"GIF89a" + b"\0" * 40, "not_a_card")
refuse("empty", "11", b"", "empty_file")
refuse("nothing_but_nul", "11", b"\0" * 4096, "empty_file")
refuse("signature_only", "11", b"\x89PNG\r\n\x1a\n", "picture_cut")

# ---- 12: EXIF
add("webp_json", "12", webp(text(v2())), file="x.webp")
add("webp_numbers", "12", webp(spelt(text(v1()))), file="x.webp")
add("webp_prefixed", "12", webp(text(v2()), prefixed=True), file="x.webp")
add("webp_big_endian", "12", webp(text(v2()), order=">"), file="x.webp")
add(
    "webp_utf16",
    "12",
    webp(json.dumps(v2()).encode("utf-16-le"), charset=b"UNICODE\0"),
    file="x.webp",
)
add("webp_base64", "12", webp(b64(v2())), file="x.webp")
add("webp_no_charset", "12", webp(text(v2()), charset=b"\0" * 8), file="x.webp")
add("jpeg_json", "12", jpeg(text(v2())), file="x.jpg")
add("jpeg_numbers", "12", jpeg(spelt(text(v1()))), file="x.jpeg")
add("jpeg_second_block", "12", jpeg(b"a camera", text(v2())), file="x.jpg")
refuse("jpeg_camera", "12", jpeg(b"Canon"), "picture_without_card", file="x.jpg")
refuse("webp_empty", "12", webp(), "picture_without_card", file="x.webp")

# ---- 13: cards of other programs beside it, encrypted cards
RCC = b"rcc||rccv1||" + base64.b64encode(b"\x8a" * 90) + b"||abcdef||" + base64.b64encode(b"{}")
refuse("rcc", "13", png(text_chunk("chara", RCC)), "card_encrypted")
refuse("rcc_in_base64", "13", png(text_chunk("chara", base64.b64encode(RCC))), "card_encrypted")
refuse("rcc_file", "13", RCC, "card_encrypted", file="x.rcc")
add(
    "rcc_and_good_ccv3",
    "13",
    png(text_chunk("chara", RCC), text_chunk("ccv3", b64(v3()))),
    "candidate_unreadable",
)
add(
    "risuai_beside_v1",
    "13",
    png(text_chunk("risuai", base64.b64encode(b"\x93\x01" * 4000)), text_chunk("chara", b64(v1()))),
    "chunks_kept",
)
add(
    "ginger_beside_chara",
    "13",
    png(ztext_chunk("ginger", b"<?xml version='1.0'?><Ginger/>"), CARD),
    "chunks_kept",
)
add(
    "ginger_ccv3_only",
    "13",
    png(ztext_chunk("ginger", b"<xml/>"), text_chunk("ccv3", b64(v3()))),
    "chunks_kept",
)
add(
    "naidata_beside_chara",
    "13",
    png(text_chunk("naidata", b64({"lorebookVersion": 3, "entries": []})), CARD),
    "chunks_kept",
)
add(
    "asset_with_colon",
    "13",
    png(
        text_chunk("chara-ext-asset_:0", b64(b"PNG")),
        text_chunk(
            "ccv3",
            b64(v3(assets=[{"type": "icon", "uri": "__asset:0", "name": "main", "ext": "png"}])),
        ),
    ),
    "assets_taken",
    check=lambda r: r.assets[0].load() == b"PNG",
)
add(
    "asset_without_colon",
    "13",
    png(
        text_chunk("chara-ext-asset_0", b64(b"PNG")),
        text_chunk(
            "ccv3",
            b64(v3(assets=[{"type": "icon", "uri": "__asset:0", "name": "main", "ext": "png"}])),
        ),
    ),
    "assets_taken",
    check=lambda r: r.assets[0].path == "0",
)
