"""Lorebooks of every program, and files that are something else."""

from __future__ import annotations

import struct
import zlib

from cardfiles import (
    AGNAI,
    b64,
    book,
    entry,
    png,
    text,
    text_chunk,
    world_entry,
    world_info,
)  # fmt: skip
from oddfile import Table

FILES = Table()
add, refuse = FILES.add, FILES.refuse

# ---- lorebooks
W = {
    "name": "洪字号",
    **world_info(_0=world_entry(), _7=world_entry(7, disable=True, constant=True)),
}
add(
    "world_info",
    "lore",
    text(W),
    "lorebook_taken",
    name="洪字号",
    lore=True,
    check=lambda r: [e.enabled for e in r.lorebook.entries] == [True, False],
)
EARLY = {
    k: world_entry()[k]
    for k in (
        "uid",
        "key",
        "keysecondary",
        "comment",
        "content",
        "constant",
        "selective",
        "order",
        "position",
        "disable",
    )
}
add("world_info_early", "lore", text(world_info(_0=EARLY)), name="", lore=True)
add(
    "world_info_list",
    "lore",
    text({"entries": [world_entry(), world_entry(1)]}),
    name="",
    lore=True,
)
add(
    "world_info_no_uid",
    "lore",
    text(world_info(_5={**EARLY, "uid": None})),
    name="",
    lore=True,
    check=lambda r: r.lorebook.entries[0].uid == "5",
)
add("world_info_empty", "lore", text({"entries": {}}), name="", lore=True)
add(
    "lorebook_v3",
    "lore",
    text({"spec": "lorebook_v3", "data": book(entry(use_regex=True))}),
    name="洪字号",
    lore=True,
    check=lambda r: r.lorebook.entries[0].use_regex,
)
add(
    "character_book_alone",
    "lore",
    text(book(entry())),
    name="洪字号",
    lore=True,
    check=lambda r: r.spec == "character_book",
)
NOVELAI = {
    "lorebookVersion": 5,
    "entries": [
        {
            "text": "桩",
            "keys": ["码头"],
            "displayName": "旧码头",
            "enabled": False,
            "contextConfig": {"budgetPriority": 400, "prefix": ""},
            "searchRange": 1000,
            "forceActivation": True,
        }
    ],
    "settings": {},
}
add(
    "novelai",
    "lore",
    text(NOVELAI),
    name="",
    lore=True,
    file="x.lorebook",
    check=lambda r: (
        r.lorebook.entries[0].constant
        and not r.lorebook.entries[0].enabled
        and r.lorebook.rows[0]["extensions"]["novelai"]["searchRange"] == 1000
    ),
)
add("novelai_in_png", "lore", png(text_chunk("naidata", b64(NOVELAI))), name="", lore=True)
add(
    "agnai_memory",
    "lore",
    text(AGNAI["characterBook"]),
    name="b",
    lore=True,
    check=lambda r: r.lorebook.entries[0].priority == 3,
)
add(
    "risu_lorebook",
    "lore",
    text(
        {
            "type": "risu",
            "ver": 1,
            "data": [
                {
                    "key": "a, b",
                    "secondkey": "c",
                    "insertorder": 9,
                    "comment": "n",
                    "content": "x",
                    "mode": "normal",
                    "alwaysActive": True,
                    "selective": True,
                    "activationPercent": 25,
                    "folder": "f",
                }
            ],
        }
    ),
    name="",
    lore=True,
    check=lambda r: (
        r.lorebook.entries[0].keys == ("a", "b")
        and r.lorebook.entries[0].probability == 25
        and r.lorebook.entries[0].constant
    ),
)
add(
    "ai_dungeon",
    "lore",
    text([{"keys": "码头, pier", "value": "桩", "type": "location", "title": "旧码头"}]),
    name="",
    lore=True,
    check=lambda r: (
        r.lorebook.entries[0].keys == ("码头", "pier") and r.lorebook.entries[0].name == "旧码头"
    ),
)
KOBOLD = [
    {
        "key": "码头,pier",
        "keysecondary": "",
        "keyanti": "白天",
        "content": "桩",
        "comment": "",
        "folder": None,
        "selective": False,
        "constant": False,
        "probability": "75",
        "wigroup": "g",
        "widisabled": True,
    }
]
add(
    "kobold_list",
    "lore",
    text(KOBOLD),
    name="",
    lore=True,
    check=lambda r: (
        not r.lorebook.entries[0].enabled
        and r.lorebook.entries[0].exclude_keys == ("白天",)
        and r.lorebook.entries[0].probability == 75
    ),
)
add(
    "kobold_save",
    "lore",
    text(
        {"gamestarted": True, "prompt": "p", "memory": "m", "actions": ["a"], "worldinfo": KOBOLD}
    ),
    "rest_of_file",
    name="",
    lore=True,
)

# ---- something else
for ident, value in {
    "chat_header": {"user_name": "u", "character_name": "c", "chat_metadata": {}},
    "risu_chat": {"type": "risuChat", "ver": 1, "data": {"message": []}},
    "preset": {"temperature": 1, "top_p": 1, "prompts": [], "prompt_order": []},
    "kobold_without_lore": {"gamestarted": True, "prompt": "p", "memory": "m", "actions": [], "worldinfo": []},
    "package": {"name": "x", "version": "1", "description": "y", "scripts": {}},
    "empty_object": {}, "number": 7, "empty_list": [], "only_data": {"data": {}},
}.items():  # fmt: skip
    refuse(ident, "other", text(value), "not_a_card", file=f"{ident}.json")
refuse(
    "chat_lines",
    "other",
    b'{"user_name":"u","character_name":"c"}\n{"name":"c","mes":"x"}\n',
    "not_a_card",
    file="x.jsonl",
)
refuse("plain_text", "other", "从前有座山。".encode(), "not_a_card", file="x.txt")
refuse("html", "other", b"<!DOCTYPE html><html></html>", "not_a_card", file="x.html")
refuse(
    "gzip", "other", zlib.compress(b"x") and b"\x1f\x8b\x08" + b"\0" * 30, "not_a_card", file="x.gz"
)
refuse("risu_save", "other", b"\0RISUSAVE\0\x07" + b"\x81" * 30, "not_a_card", file="x.bin")
refuse(
    "random_binary",
    "other",
    struct.pack("<64Q", *(i * 0x9E3779B97F4A7C15 % 2**64 for i in range(64))),
    "not_a_card",
    file="x.bin",
)

refuse(
    "agnai_chat", "other", file="chat.json", code="not_a_card",
    data=text({"name": "n", "greeting": "g", "scenario": "s", "sampleChat": "", "messages": []}),
)  # fmt: skip
add("book_in_a_wrapper", "lore", text({"character_book": book(entry())}), name="洪字号", lore=True)
add("book_in_data", "lore", text({"data": book(entry())}), name="洪字号", lore=True)
