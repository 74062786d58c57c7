"""More shapes of the kinds that the other tables have: found by trying, kept so that they stay read.

Carriers (shapes 1 to 4, 7, 11, 12), base64 (8), encodings and JSON (9, 10), documents that are nested
wrongly or stand in something else (14), files of other programs (14), lorebooks (16), archives (19).
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from urllib.parse import quote

from cardfiles import (
    SIGNATURE,
    b64,
    book,
    card_png,
    charx,
    chunk,
    entry,
    exif,
    jpeg,
    pack,
    png,
    spelt,
    text,
    text_chunk,
    v1,
    v2,
    v2_data,
    v3,
    webp,
    world_entry,
    world_info,
)
from oddfile import CARD, NAME, Table

FILES = Table()
add, refuse = FILES.add, FILES.refuse
CODED = b64(v2())
TEXT = text(v2())

# ---- 1 to 3: where the card is
add("before_the_header", "1", SIGNATURE + CARD + png()[8:])
add("without_pixels", "1", png()[:33] + CARD + chunk(b"IEND", b""))
add("without_header", "1", SIGNATURE + CARD + chunk(b"IEND", b""))
add("end_chunk_with_content", "11", png(CARD, end=chunk(b"IEND", b"abcd")))
add("keyword_with_spaces", "2", png(text_chunk(" chara ", CODED)), "chunk_unusual")
add("itxt_odd_flag", "3", png(chunk(b"iTXt", b"chara\0\7\0zh\0\0" + CODED)), "chunk_unusual")
add(
    "ztxt_odd_method",
    "3",
    png(chunk(b"zTXt", b"chara\0\x09" + zlib.compress(CODED))),
    "chunk_unusual",
)
refuse("ztxt_not_packed", "3", png(chunk(b"zTXt", b"chara\0\0" + CODED)), "chunk_damaged")
refuse("itxt_cut_head", "3", png(chunk(b"iTXt", b"chara\0\0")), "card_cut")
refuse("keyword_without_end", "2", png(chunk(b"tEXt", b"chara" + CODED)), "picture_without_card")
add("card_behind_the_end", "11", png(tail=CARD), "chunk_behind")
refuse("line_ends_of_unix", "11", card_png(v2()).replace(b"\r\n", b"\n"), "not_a_card")
refuse("length_over_the_end", "11", png()[:33] + struct.pack(">I", 0xFFFFFFFF) + b"tEXtchara\0" + CODED,
       "chunk_too_large")  # fmt: skip

# ---- 4, 7: several that disagree, or that say nothing
add(
    "three_that_disagree", "4",
    png(text_chunk("chara", b64(v2(description="A"))), text_chunk("ccv3", b64(v3(description="B"))),
        after=[text_chunk("chara", b64(v2(description="C")))]),
    "cards_disagree", check=lambda r: r.card.description == "B",
)  # fmt: skip
EMPTY = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "", "description": " "}}
add("empty_ccv3_and_good_chara", "7", png(text_chunk("ccv3", b64(EMPTY)), CARD), "cards_disagree",
    check=lambda r: r.spec == "v2")  # fmt: skip
add(
    "null_ccv3_and_good_chara",
    "7",
    png(text_chunk("ccv3", b64(b"null")), CARD),
    "candidate_unreadable",
)
LORE = world_info(_0=world_entry())
add(
    "world_in_ccv3_and_good_chara",
    "7",
    png(text_chunk("ccv3", b64(LORE)), CARD),
    "candidate_unreadable",
)
add("world_in_chara", "16", png(text_chunk("chara", b64({**LORE, "name": "码头录"}))),
    name="码头录", lore=True)  # fmt: skip

# ---- 12: comments of pictures
add("exif_in_png", "12", png(chunk(b"eXIf", exif(TEXT))))
add("exif_numbers_in_png", "12", png(chunk(b"eXIf", exif(spelt(TEXT)))))
add("exif_beside_a_chunk", "12", png(chunk(b"eXIf", exif(text(v2("另一个")))), CARD))


def _commented(comment: bytes) -> bytes:
    return b"\xff\xd8\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + jpeg()[2:]


add("jpeg_comment_json", "12", _commented(TEXT), file="x.jpg")
add("jpeg_comment_base64", "12", _commented(CODED), file="x.jpg")
add("jpeg_numbers_in_brackets", "12", jpeg(b"[" + spelt(TEXT) + b"]"), file="x.jpg")
add("jpeg_utf16_big_endian", "12",
    jpeg(json.dumps(v2()).encode("utf-16-be"), charset=b"UNICODE\0", order=">"), "read_as_encoding",
    file="x.jpg")  # fmt: skip
add("webp_wrong_size", "12", b"RIFF\0\0\0\0" + webp(TEXT)[8:], file="x.webp")
add("webp_and_zip", "12", webp() + charx(), "name_misleads", file="x.webp")
refuse("webp_cut_comment", "12", webp(TEXT)[:-30], "card_cut", file="x.webp")
refuse("webp_other_numbers", "12", webp(b"1,2,3"), "picture_without_card", file="x.webp")
refuse("heic", "11", b"\0\0\0\x18ftypheic" + b"\0" * 20, "not_a_card")
refuse("tiff", "11", b"II*\0" + b"\0" * 30, "not_a_card")

# ---- 8: base64 and what tools made of it
add("base64_in_quotes", "8", png(text_chunk("chara", b'"' + CODED + b'"')), "base64_mended")
add("base64_of_a_mark", "8", png(text_chunk("chara", base64.b64encode(b"\xef\xbb\xbf" + TEXT))))
add("mark_before_base64", "8", png(text_chunk("chara", b"\xef\xbb\xbf" + CODED)))
add("mark_before_json", "8", png(text_chunk("chara", b"\xef\xbb\xbf" + TEXT)), "base64_mended")
add("base64_three_times", "8", png(text_chunk("chara", b64(b64(CODED)))))
add(
    "padding_too_long",
    "8",
    png(text_chunk("chara", CODED.rstrip(b"=") + b"=====")),
    "base64_mended",
)
add("junk_behind_base64", "8", png(text_chunk("chara", CODED + b"\0\0\0~")), "base64_mended")
add(
    "base64_in_utf16",
    "8",
    png(text_chunk("chara", CODED.decode().encode("utf-16-le"))),
    "base64_mended",
)
add("base64_escaped_for_the_web", "8", png(text_chunk("chara", quote(CODED, safe="").encode())),
    "base64_mended")  # fmt: skip
add("base64_of_utf16", "8", png(text_chunk("chara", b64(json.dumps(v2()).encode("utf-16-be")))),
    "read_as_encoding")  # fmt: skip
GBK = json.dumps(v2(), ensure_ascii=False).encode("gbk")
add("base64_of_gbk", "8", png(text_chunk("chara", b64(GBK))), "read_as_encoding")
add("json_string_of_base64", "8", png(text_chunk("chara", b64(json.dumps(CODED.decode()).encode()))),
    "base64_mended")  # fmt: skip
add("file_of_base64_lines", "8", b"\n ".join(CODED[i : i + 60] for i in range(0, len(CODED), 60)),
    "base64_mended")  # fmt: skip
add("file_of_url_base64", "8", base64.urlsafe_b64encode(TEXT).rstrip(b"="))
add("file_of_quoted_base64", "8", json.dumps(CODED.decode()).encode(), "base64_mended")
add("file_of_base64_of_base64", "8", b64(CODED))
add(
    "file_of_a_data_url",
    "8",
    b"data:application/json;base64," + CODED,
    "base64_mended",
    file="x.txt",
)
add("file_of_base64_of_a_list", "8", b64(text([v2()])), "json_mended")
for word, broken in (
    ("base64_cut", CODED[: len(CODED) // 2]),
    ("base64_of_two_halves", b64(TEXT[:100]) + b64(TEXT[100:])),
):
    refuse(word, "8", png(text_chunk("chara", broken)), "card_cut")
for word, broken in (
    ("hexadecimal", TEXT.hex().encode()),
    ("base32", base64.b32encode(TEXT)),
):
    refuse(word, "8", png(text_chunk("chara", broken)), "payload_unreadable")
for word, packed in (("zlib", zlib.compress(TEXT)), ("gzip", gzip.compress(TEXT))):
    add(f"base64_of_{word}", "8", png(text_chunk("chara", b64(packed))), "base64_mended")

# ---- 9, 10: encodings and numbers
add("two_marks", "9", b"\xef\xbb\xbf\xef\xbb\xbf" + TEXT)
add("utf16_half_a_character", "9", b"\xff\xfe" + json.dumps(v2()).encode("utf-16-le") + b"\0",
    "read_as_encoding", "damaged_characters")  # fmt: skip
add("gbk", "9", GBK, "read_as_encoding")
add(
    "low_surrogate_first",
    "9",
    text(v2(creator="X")).replace(b'"X"', b'"\\udca7\\ud83d"'),
    "surrogate_kept",
)
add(
    "surrogate_in_a_key",
    "9",
    text(v2(extensions={"X": 1})).replace(b'"X"', b'"\\ud83d"'),
    "surrogate_kept",
)
NUMBER = text(v2(extensions={"a": 1}))
add("minus_infinity", "10", NUMBER.replace(b'"a": 1', b'"a": -Infinity'), "not_a_number")
add("integer_of_5000_digits", "10", NUMBER.replace(b'"a": 1', b'"a": ' + b"9" * 5000),
    check=lambda r: b"9" * 5000 in r.card.to_bytes())  # fmt: skip
add("exponent_beyond_floats", "10", NUMBER.replace(b'"a": 1', b'"a": 1e99999999999'),
    check=lambda r: b"1e99999999999" in r.card.to_bytes())  # fmt: skip
add("not_a_number_for_a_name", "10", TEXT.replace('"沈砚"'.encode(), b"NaN"), "not_a_number",
    "name_missing", name="")  # fmt: skip
add("brace_too_many", "10", TEXT + b"}", "json_mended")
for word, broken in (
    ("brace_missing", TEXT[:-1]),
    ("comma_missing", TEXT.replace(b', "tags"', b' "tags"')),
    ("fullwidth_colon", TEXT.replace(b'"tags":', '"tags"：'.encode())),
):
    refuse(word, "10", broken, "bad_json", file="x.json")
for word, loose in (
    ("single_quotes", repr(v2()).encode()),
    ("comment_inside", TEXT.replace(b'"data":', b'/* c */ "data":')),
    ("wrong_escape", text(v2(creator="X")).replace(b'"X"', b'"C:\\Users"')),
    ("python_none", text(v2(creator=None)).replace(b"null", b"None")),
):
    add(word, "10", loose, "json_mended", file="x.json")
for word, other in (
    ("text_before_json", b"card = " + TEXT), ("two_documents", TEXT + b"\n" + TEXT),
    ("json_true", b"true"), ("json_number", b"42"), ("json_null", b"null"), ("json_empty", b"{}"),
    ("json_empty_list", b"[]"), ("list_of_lists", text([[v2()]])), ("list_of_texts", text(["a"])),
):  # fmt: skip
    refuse(word, "10", other, "not_a_card", file="x.json")

# ---- 14: nested wrongly
add("v3_inside_the_data_of_v2", "14",
    text({"spec": "chara_card_v2", "spec_version": "2.0", "data": v3(nickname="阿砚")}),
    "json_mended", check=lambda r: r.spec == "v3" and r.card.char_name == "阿砚")  # fmt: skip
add("data_inside_data", "14", text({"data": {"data": v2_data()}}), "json_mended")
add("a_card_three_deep", "14", text({**v2(), "data": {**v2(), "data": v2()}}), "json_mended")
add(
    "data_is_a_list_of_one",
    "14",
    text({"spec": "chara_card_v2", "data": [v2_data()]}),
    "json_mended",
)
add("data_is_base64", "14", text({"spec": "chara_card_v2", "data": b64(text(v2_data())).decode()}),
    "data_was_text")  # fmt: skip
add(
    "flat_beside_empty_data",
    "14",
    text({"spec": "chara_card_v2", "data": {}, **v1()}),
    "data_missing",
)
add("flat_v3", "14", text({"spec": "chara_card_v3", "spec_version": "3.0", **v2_data()}), "data_missing",
    check=lambda r: r.spec == "v3" and r.card.tags == ("码头", "OC"))  # fmt: skip
add("flat_with_a_word_for_data", "14", text(v1(data="2023-04-01")),
    check=lambda r: r.card.root["data"] == "2023-04-01")  # fmt: skip
add("spec_in_capitals", "14", text({**v2(), "spec": "CHARA_CARD_V2"}))
for word, spec in (("list", ["chara_card_v2"]), ("number", 2), ("empty", ""), ("other", "my_card")):
    add(f"spec_is_{word}", "14", text({**v2(), "spec": spec}), "spec_assumed")
for key in ("card", "character", "chara", "result"):
    add(f"wrapped_in_{key}", "14", text({"ok": True, key: v2()}), "json_mended",
        check=lambda r: r.card.root["ok"] is True and r.spec == "v2")  # fmt: skip
add(
    "wrapped_v1",
    "14",
    text({"char": v1(), "spec": 3}),
    "json_mended",
    check=lambda r: r.spec == "v1",
)
refuse("two_wrapped", "14", text({"a": v2(), "b": v2()}), "not_a_card", file="x.json")

# ---- 14: other programs
add("yaml_v2", "14", f"spec: chara_card_v2\ndata:\n  name: {NAME}\n  first_mes: hi\n  tags: [a, b]\n".encode(),
    file="x.yaml", check=lambda r: r.spec == "v2" and r.card.tags == ("a", "b"))  # fmt: skip
add("yaml_v1", "14", f"name: {NAME}\ndescription: d\nfirst_mes: hi\n".encode(), file="x.yaml",
    check=lambda r: r.spec == "v1" and r.card.first_mes == "hi")  # fmt: skip
add("yaml_mark", "14", f"\ufeffname: {NAME}\ncontext: c\n".encode(), file="x.yaml")
add(
    "yaml_utf16",
    "14",
    f"name: {NAME}\ncontext: c\n".encode("utf-16"),
    "read_as_encoding",
    file="x.yaml",
)
add("yaml_object_for_a_name", "14", f"name: {{{NAME}: 1}}\ncontext: [1, 2]\n".encode(), "type_repaired",
    file="x.yaml", name=f'{{"{NAME}":"1"}}')  # fmt: skip
add("yaml_tag_runs_nothing", "14", b'name: !!python/object/apply:os.system ["echo hi"]\ncontext: c\n',
    "type_repaired", file="x.yaml", name="echo hi")  # fmt: skip
for word, broken in (
    ("yaml_several", "name: a\ncontext: c\n---\nname: b\n"), ("yaml_tab", "name: a\n\tcontext: c\ngreeting: g\n"),
    ("yaml_keys_that_are_lists", "? [a, b]\n: x\nname: x\ncontext: c\n"),
):  # fmt: skip
    refuse(word, "14", broken.encode(), "bad_yaml", file="x.yaml")
AGNAI = {"name": NAME, "greeting": "g", "scenario": "s", "sampleChat": "c"}
add("agnai_text_persona", "14", text({**AGNAI, "persona": {"kind": "text", "attributes": {"text": ["p"]}}}),
    check=lambda r: r.card.description == "p")  # fmt: skip
add("agnai_without_persona", "14", text(AGNAI), check=lambda r: r.spec == "agnai")
add(
    "agnai_persona_is_text",
    "14",
    text({**AGNAI, "persona": "p"}),
    check=lambda r: r.card.description == "p",
)
add("names_of_another_site", "14",
    text({"name": NAME, "personality": "p", "first_message": "hi", "example_dialogs": "e", "scenario": "s"}),
    "unknown_keys")  # fmt: skip
for word, other in (
    ("backyard_json", {"character": {"aiName": NAME, "aiPersona": "p", "firstMessage": "f"}}),
    ("faraday", {"aiName": NAME, "aiPersona": "p", "firstMessage": "f"}),
    ("risu_inside", {"type": "character", "name": NAME, "firstMessage": "f", "desc": "d", "chats": []}),
    ("chub_answer", {"node": {"definition": {"name": NAME, "personality": "p"}}}),
    ("kobold_empty_lore", {"gamestarted": True, "actions": [], "worldinfo": []}),
):  # fmt: skip
    refuse(word, "14", text(other), "not_a_card", file="x.json")

# ---- 16: lorebooks
for word, value in (
    ("numeric_keys", {"entries": {"0": {"key": ["a"], "content": "x"}, "10": {"key": ["b"], "content": "y"}}}),
    ("list_of_world_info", [world_entry(0), world_entry(1)]),
    ("list_of_entries", [entry(), entry()]),
    ("list_with_numbers", {"entries": [7, entry(), entry(), None]}),
    ("as_text", {"spec": "lorebook_v3", "data": json.dumps(book(entry(), entry()))}),
    ("flat_v3", {"spec": "lorebook_v3", "entries": [entry(), entry()]}),
    ("spec_v2", {"spec": "lorebook_v2", "data": book(entry(), entry())}),
    ("book_is_a_list", {"character_book": [entry(), entry()]}),
    ("wrapped", {"world": book(entry(), entry())}),
    ("wrapped_world_info", {"worldInfo": world_info(_0=world_entry(), _1=world_entry(1))}),
    ("story_cards", {"storyCards": [{"keys": "a", "value": "b"}, {"keys": "c", "value": "d"}]}),
    ("world_info_of_ai_dungeon", [{"keys": "a, b", "entry": "x"}, {"keys": "c", "entry": "y"}]),
):  # fmt: skip
    add(f"lore_{word}", "16", text(value), file="", lore=True, check=lambda r: len(r.lorebook.rows) == 2,
        name="洪字号" if word in ("as_text", "spec_v2", "wrapped") else "")  # fmt: skip
add("lore_list_is_world_info", "16", text([world_entry(0)]), lore=True, name="",
    check=lambda r: r.spec == "worldinfo" and r.lorebook.entries[0].position == "at_depth")  # fmt: skip
add("lore_without_entries", "16", text({"entries": []}), lore=True, name="")
TEXTS = {"uid": "0", "key": "a,b", "keysecondary": "c", "content": "x", "order": "100", "position": "4",
         "disable": "false", "constant": "true", "probability": "50", "depth": "2"}  # fmt: skip
add("lore_everything_is_text", "16", text({"entries": {"0": TEXTS}}), "type_repaired", lore=True, name="",
    check=lambda r: (e := r.lorebook.entries[0]) and (e.keys, e.order, e.position, e.enabled, e.constant,
                     e.probability, e.depth) == (("a", "b"), 100, "at_depth", True, True, 50, 2))  # fmt: skip
add("lore_disabled_by_a_word", "16",
    text({"entries": [{"uid": 0, "key": ["a"], "content": "x", "order": 1, "disable": "true"}]}), lore=True,
    name="", check=lambda r: not r.lorebook.entries[0].enabled)  # fmt: skip
add("ids_of_every_type", "16", text(v2(character_book=book(*(entry(id=i) for i in (1, "1", 1.0, True, [1]))))),
    "type_repaired", check=lambda r: len({e.uid for e in r.card.book.entries}) == 5)  # fmt: skip
add("book_is_text", "16", text(v2(character_book=json.dumps(book(entry())))), "type_repaired",
    check=lambda r: len(r.card.book.rows) == 1)  # fmt: skip
add(
    "book_is_a_number",
    "16",
    text(v2(character_book=7)),
    "type_repaired",
    check=lambda r: r.card.book is None,
)
add("entries_are_a_number", "16", text(v2(character_book={"entries": 7})), "type_repaired")
for word, value in (("null", {"entries": None}), ("text", {"entries": "x"}), ("one", entry())):
    refuse(f"lore_{word}", "16", text(value), "not_a_card", file="x.json")

# ---- 19: archives
add("charx_capitals", "19", pack([("CARD.JSON", text(v3()))]), "card_elsewhere", file="x.charx")
add("charx_dot", "19", pack([("./card.json", text(v3()))]), "card_elsewhere", file="x.charx")
add("charx_utf16", "19", pack([("card.json", json.dumps(v3()).encode("utf-16"))]), "read_as_encoding",
    file="x.charx")  # fmt: skip
add("charx_base64", "19", pack([("card.json", b64(v3()))]), file="x.charx")
add(
    "charx_v1",
    "19",
    pack([("card.json", text(v1()))]),
    file="x.charx",
    check=lambda r: r.spec == "v1",
)
add("charx_of_a_mac", "19", pack([("hero/card.json", text(v3())), ("__MACOSX/hero/._card.json", b"\0\5")]),
    "card_elsewhere", file="x.charx")  # fmt: skip
add("charx_wrong_sum", "19",
    charx().replace(struct.pack("<L", zlib.crc32(text(v3()))), b"\1\2\3\4"), "checksum_wrong",
    file="x.charx")  # fmt: skip
add(
    "charx_long_comment",
    "19",
    charx()[:-2] + struct.pack("<H", 60000) + b"c" * 60000,
    file="x.charx",
)
add("charx_with_a_lorebook", "19", pack([("card.json", text({**LORE, "name": "码头录"}))]), file="x.charx",
    lore=True, name="码头录")  # fmt: skip
refuse(
    "charx_absolute_card",
    "19",
    pack([("/card.json", text(v3()))]),
    "member_refused",
    file="x.charx",
)
refuse(
    "charx_climbing_card",
    "19",
    pack([("../card.json", text(v3()))]),
    "member_refused",
    file="x.charx",
)
refuse("charx_empty_card", "19", pack([("card.json", b"")]), "card_cut", file="x.charx")
refuse("charx_card_is_a_picture", "19", pack([("card.json", card_png(v2()))]), "payload_unreadable",
       file="x.charx")  # fmt: skip
for word, members in (
    ("without_members", []), ("of_a_folder", [("card.json/", b"")]), ("in_an_archive", [("x.charx", charx())]),
    ("of_a_picture", [("a.png", card_png(v2()))]),
):  # fmt: skip
    refuse(f"archive_{word}", "19", pack(members), "not_a_card", file="x.charx")
