"""Shapes of the same kinds once more, invented after the others were read: what an unknown tool may
write next. Each is read for what it means and told, or refused by its name."""

from __future__ import annotations

import base64
import json
import struct
import zlib

from cardfiles import (
    b64,
    book,
    card_png,
    chunk,
    entry,
    jpeg,
    pack,
    png,
    text,
    text_chunk,
    v1,
    v2,
    v2_data,
    v3,
)  # fmt: skip
from oddfile import NAME, Table

FILES = Table()
add, refuse = FILES.add, FILES.refuse
BODY = text(v2())


def spelt(**more: object) -> bytes:
    return text(v2(**more))


# ---- 2, 3, 11: chunks
add("keyword_of_its_own", "2", png(text_chunk("ccv2", b64(v2()))), "chunk_unusual")
add("keyword_character", "2", png(text_chunk("Character", b64(v2()))), "chunk_unusual")
refuse("keyword_of_a_prompt", "2", png(text_chunk("prompt", b'{"3": {"class_type": "KSampler"}}')),
       "picture_without_card")  # fmt: skip
add("itxt_with_a_language", "3",
    png(chunk(b"iTXt", b"chara\0\0\0zh-CN\0" + "卡".encode() + b"\0" + b64(v2()))), "chunk_unusual")  # fmt: skip
add("itxt_unknown_packing", "3",
    png(chunk(b"iTXt", b"chara\0\1\7\0\0" + zlib.compress(b64(v2())))), "chunk_unusual")  # fmt: skip
add("apng", "1", png(chunk(b"acTL", b"\0\0\0\1\0\0\0\0"), chunk(b"fcTL", b"\0" * 26),
                     text_chunk("chara", b64(v2())), after=[chunk(b"fdAT", b"\0" * 20)]))  # fmt: skip
add("ccv3_behind_the_end", "11", png(tail=text_chunk("ccv3", b64(v3())) + b"more"), "chunk_behind",
    "trailing_bytes")  # fmt: skip
add("stale_behind_the_end", "11",
    card_png(v2(description="NEW"), tail=text_chunk("chara", b64(v2(description="OLD")))),
    "cards_disagree", check=lambda r: r.card.description == "NEW")  # fmt: skip
refuse("length_too_short", "11",
       png(struct.pack(">I", 40) + b"tEXtchara\0" + b64(v2()) + b"\0\0\0\0"), "card_cut")  # fmt: skip
refuse("newline_before_png", "11", b"\n" + card_png(v2()), "not_a_card", file="x.png")
refuse("png_in_base64", "11", base64.b64encode(card_png(v2())), "not_a_card", file="x.txt")
refuse("png_in_a_data_url", "11", b"data:image/png;base64," + base64.b64encode(png()), "not_a_card",
       file="x.txt")  # fmt: skip

# ---- 8, 9, 10: texts
add("json_three_times", "8", json.dumps(json.dumps(json.dumps(v2()))).encode(), "json_mended")
add("utf8_twice", "9", BODY.decode("latin-1").encode("utf-8"), "encoded_twice")
add("utf8_twice_by_windows", "9",
    text(v2("Zoë", description="it’s – fine")).decode("latin-1").encode("utf-8"),
    "encoded_twice", name="Zoë", check=lambda r: r.card.description == "it’s – fine")  # fmt: skip
add("half_of_it_twice", "9", spelt(description="æ²\x88 沈"),
    check=lambda r: r.card.description == "æ²\x88 沈")  # fmt: skip
add("carriage_returns", "10", json.dumps(v2(), indent=1).replace("\n", "\r").encode())
add("no_break_spaces", "10", json.dumps(v2(), indent=1).replace("\n ", "\n\u00a0").encode(),
    "json_mended")  # fmt: skip
add("line_separators", "10", json.dumps(v2(), indent=1).replace("\n", "\u2028").encode(),
    "json_mended")  # fmt: skip
add("fence_of_markdown", "10", b"```json\n" + BODY + b"\n```\n", "json_mended")
add("a_script", "10", b"module.exports = " + BODY + b";\n", "json_mended")
add("comment_first", "10", b"// my card\n/* v2 */ " + BODY, "json_mended")
add("json5", "10", """{spec: 'chara_card_v2', spec_version: '2.0', data: {name: '沈\\
砚', description: 'it\\'s "so"', extensions: {n: [+1, .5, 5., 0x1F, 01, -Infinity], k: undefined,},},}""".encode(),
    "json_mended", "not_a_number",
    check=lambda r: r.card.description == "it's \"so\""
    and [str(n) for n in r.card.extensions["n"]] == ["1", "0.5", "5", "31", "1", "None"])  # fmt: skip
add("zero_width_name", "10", spelt(name="\u200b沈\u200d砚\ufeff"), name="\u200b沈\u200d砚\ufeff")
add("twice_data", "10",
    b'{"spec":"chara_card_v2","data":{"name":"old"},"data":' + text(v2_data()) + b"}", "repeated_key")  # fmt: skip
refuse("quote_left_open", "10", b"{'name': 'a, 'first_mes': 'b'}", "bad_json", file="x.json")
refuse("bare_values", "10", b"{name: plain, first_mes: also}", "bad_json", file="x.json")

# ---- 14: documents
add("v2_in_v1_clothing", "14", text({**v2_data(), "spec": "chara_card_v1"}), "spec_assumed",
    check=lambda r: r.spec == "v2" and r.card.alternate_greetings == ("你来晚了。",))  # fmt: skip
add("data_says_nothing", "14", text({"spec": "chara_card_v2", "spec_version": "2.0", "data": {}, **v1()}),
    "data_missing", check=lambda r: "data" not in r.card.root)  # fmt: skip
refuse("data_is_two_cards", "14", text({"spec": "chara_card_v2", "data": [v2_data(), v2_data("b")]}),
       "not_a_card", file="x.json")  # fmt: skip
add("data_is_text_of_text", "14",
    text({"spec": "chara_card_v2", "data": json.dumps(json.dumps(v2_data()))}), "data_was_text")  # fmt: skip
add(
    "spec_with_hyphens",
    "14",
    text({**v2(), "spec": "Chara-Card-V2"}),
    check=lambda r: r.spec == "v2",
)
add("root_in_capitals", "14", text({"Spec": "chara_card_v2", "Data": v2_data()}), "key_renamed")
add("everything_in_capitals", "14",
    text({"spec": "chara_card_v3", "data": {k.upper(): v for k, v in v2_data().items()}}), "key_renamed",
    check=lambda r: r.card.tags == ("码头", "OC"))  # fmt: skip
add("pygmalion_with_a_usual_name", "14", text({"name": NAME, "char_greeting": "hi", "description": "d"}),
    check=lambda r: r.spec == "pygmalion" and r.card.description == "d" and r.card.first_mes == "hi")  # fmt: skip
for word, other in (
    ("character_ai", {"character": {"name": NAME, "greeting": "g", "definition": "d"}}),
    ("perchance", {"addCharacter": {"name": NAME, "roleInstruction": "r"}}),
):  # fmt: skip
    refuse(word, "14", text(other), "not_a_card", file="x.json")

# ---- 15: values
add("tags_by_lines", "15", spelt(tags="a\nb; c；d"), "type_repaired",
    check=lambda r: r.card.tags == ("a", "b", "c", "d"))  # fmt: skip
add("tags_are_json", "15", spelt(tags='["a, b", "c"]'), "type_repaired",
    check=lambda r: r.card.tags == ("a, b", "c"))  # fmt: skip
add("greetings_are_json", "15", spelt(alternate_greetings='["x", "y"]'), "type_repaired",
    check=lambda r: r.card.alternate_greetings == ("x", "y"))  # fmt: skip
add("greeting_in_brackets", "15", spelt(alternate_greetings="[she looks up] hi"), "type_repaired",
    check=lambda r: r.card.alternate_greetings == ("[she looks up] hi",))  # fmt: skip
add("extensions_are_json", "15", spelt(extensions='{"a": 1.0}'), "type_repaired",
    check=lambda r: str(r.card.extensions["a"]) == "1.0")  # fmt: skip
add("text_is_false", "15", spelt(mes_example=False), "type_repaired",
    check=lambda r: r.card.mes_example == "")  # fmt: skip
add("text_in_an_object", "15", spelt(description={"text": "t"}), "type_repaired",
    check=lambda r: r.card.description == "t")  # fmt: skip
add("notes_of_languages_listed", "15", text(v3(creator_notes_multilingual=["a", "b"])), "type_repaired",
    check=lambda r: r.card.data["creator_notes_multilingual"] == {"en": "a\n\nb"})  # fmt: skip
add("one_asset_bare", "15", text(v3(assets={"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"})),
    "type_repaired", check=lambda r: [a.name for a in r.card.assets] == ["main"])  # fmt: skip
add("assets_are_a_uri", "15", text(v3(assets="ccdefault:")), "type_repaired",
    check=lambda r: [tuple(a)[:3] for a in r.card.assets] == [("icon", "ccdefault:", "main")])  # fmt: skip
add("uris_of_every_kind", "15", text(v3(assets=[
    {"type": "x", "uri": uri, "name": "n", "ext": "bin"}
    for uri in ("file:///etc/passwd", "embeded://../../x", "javascript:alert(1)", "\\\\host\\x", "data:,")
])), check=lambda r: len(r.card.assets) == 5)  # fmt: skip
add("an_integer_of_400_digits", "15", BODY.replace(b'"extensions": {}', b'"extensions": {"n": ' + b"9" * 400 + b"}"),
    check=lambda r: len(r.card.extensions["n"].token) == 400)  # fmt: skip

# ---- 16: lorebooks
add("entries_in_groups", "16", spelt(character_book={"entries": [[entry(), entry(id=2)], entry(id=3)]}),
    "type_repaired", check=lambda r: len(r.card.book.entries) == 3)  # fmt: skip
add("order_beyond_numbers", "16",
    spelt(character_book=book(entry(insertion_order=77))).replace(b"77", b"1e400"),
    check=lambda r: r.card.book.entries[0].order == 100)  # fmt: skip

# ---- 19: archives
add(
    "charx_with_comments",
    "19",
    pack([("card.json", b"// c\n{/**/" + text(v3())[1:])]),
    "json_mended",
    file="x.charx",
)
add(
    "charx_two_deep",
    "19",
    pack([("card.json", text(v3())), ("a/card.json", text(v3("b")))]),
    file="x.charx",
)
add(
    "jpeg_and_stored_zip",
    "19",
    jpeg(tail=pack([("card.json", text(v3()))], stored=True)),
    file="x.jpg",
)
