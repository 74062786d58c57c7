"""Encodings and JSON that is not quite JSON (shapes 9 and 10)."""

from __future__ import annotations

import json

from cardfiles import (
    b64,
    card_png,
    png,
    text,
    text_chunk,
    v2,
)  # fmt: skip
from oddfile import Table

FILES = Table()
add, refuse = FILES.add, FILES.refuse

# ---- 9: encodings
add("bom", "9", b"\xef\xbb\xbf" + text(v2()))
add("bom_in_chunk", "9", png(text_chunk("chara", b64(b"\xef\xbb\xbf" + text(v2())))))
for code in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"):
    add(f"json_{code}", "9", json.dumps(v2(), ensure_ascii=False).encode(code), "read_as_encoding")
add(
    "utf16_in_chunk",
    "9",
    png(text_chunk("chara", b64(json.dumps(v2(), ensure_ascii=False).encode("utf-16")))),
    "read_as_encoding",
)
add(
    "latin1",
    "9",
    json.dumps(v2("Zoë"), ensure_ascii=False).replace("沈砚", "").encode("latin-1", "replace"),
    name="Zoë",
)
add(
    "cp1252",
    "9",
    json.dumps(
        v1_latin := dict.fromkeys(("name", "first_mes", "personality"), "it’s José – naïve"),
        ensure_ascii=False,
    ).encode("cp1252"),
    "read_as_encoding",
    name="it’s José – naïve",
)
add("gb18030", "9", json.dumps(v2(), ensure_ascii=False).encode("gb18030"), "read_as_encoding")
add(
    "surrogate_pair_in_utf8",
    "9",
    json.dumps(v2("💧船"), ensure_ascii=False)
    .encode("utf-16", "surrogatepass")
    .decode("utf-16")
    .replace("💧", "\ud83d\udca7")
    .encode("utf-8", "surrogatepass"),
    "read_as_encoding",
    name="💧船",
)
add(
    "lone_surrogate",
    "9",
    json.dumps(v2("沈砚", description="a\ud83d b")).encode(),
    "surrogate_kept",
    check=lambda r: r.card.description == "a\ud83d b",
)
add(
    "lone_surrogate_in_name",
    "9",
    json.dumps(v2("沈\ud83d砚")).encode(),
    "surrogate_kept",
    name="沈\ud83d砚",
)
add(
    "few_damaged_bytes",
    "9",
    text(v2(description="字" * 50)).replace("字".encode(), b"\xe5\xad", 1),
    "damaged_characters",
)

# ---- 10: JSON that is not quite
add(
    "nan",
    "10",
    text(v2()).replace(b'"extensions": {}', b'"extensions": {"x": NaN}'),
    "not_a_number",
)
add(
    "infinity",
    "10",
    card_png(
        text(v2()).replace(b'"extensions": {}', b'"extensions": {"x": [-Infinity, Infinity]}')
    ),
    "not_a_number",
)
add(
    "repeated_keys",
    "10",
    text(v2()).replace(b'"name":', b'"name": "\xe6\x97\xa7", "name":'),
    "repeated_key",
)
add(
    "control_characters",
    "10",
    text(v2(description="a@b")).replace(b"a@b", b"a\nb\tc"),
    "json_mended",
    check=lambda r: r.card.description == "a\nb\tc",
)
add("trailing_comma", "10", text(v2())[:-1] + b",}", "json_mended")
add("trailing_text", "10", text(v2()) + b"\n-- exported", "json_mended")
add("trailing_nuls", "10", text(v2()) + b"\0\0\0")
add("in_a_list", "10", text([v2()]), "json_mended")
refuse("cut_json", "10", text(v2())[:300], "bad_json", file="cut.json")
refuse("list_of_cards", "10", text([v2(), v2()]), "not_a_card", file="many.json")
refuse(
    "deep_json",
    "10",
    b'{"spec":"chara_card_v2","data":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "too_deep",
    file="deep.json",
)
