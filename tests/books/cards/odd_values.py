"""Values of the wrong type, entries of lorebooks, extensions (shapes 15 to 18)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cardfiles import (
    book,
    entry,
    text,
    v2,
    v2_data,
    v3,
    world_entry,
    world_info,
)  # fmt: skip
from oddfile import Table, changed

FILES = Table()
add, refuse = FILES.add, FILES.refuse

# ---- 15: values of the wrong type
WRONG: dict[str, tuple[str, Any]] = {
    "book_null": ("character_book", None),
    "book_empty_text": ("character_book", ""),
    "book_list": ("character_book", [entry()]),
    "version_number": ("character_version", 1.5),
    "version_null": ("character_version", None),
    "personality_null": ("personality", None),
    "example_null": ("mes_example", None),
    "description_list": ("description", ["a", "b"]),
    "description_object": ("description", {"a": 1}),
    "tags_text": ("tags", "码头，OC, x"),
    "tags_null": ("tags", None),
    "tags_numbers": ("tags", [1, "x", None]),
    "tags_object": ("tags", {"0": "a"}),
    "greetings_text": ("alternate_greetings", "你来晚了。"),
    "greetings_null": ("alternate_greetings", None),
    "greetings_objects": ("alternate_greetings", [{"message": "a"}, "b"]),
    "greetings_empty_text": ("alternate_greetings", ""),
    "extensions_null": ("extensions", None),
    "extensions_list": ("extensions", []),
    "extensions_text": ("extensions", "x"),
    "creator_false": ("creator", False),
    "notes_number": ("creator_notes", 7),
    "date_milliseconds": ("creation_date", 1_700_000_000_000),
    "date_dotnet": ("creation_date", -62135596800),
    "date_text": ("creation_date", "1700000000"),
    "date_iso": ("modification_date", "2024-05-01T12:30:00Z"),
    "date_word": ("modification_date", "yesterday"),
    "date_null": ("modification_date", None),
    "source_text": ("source", "https://example.org/x"),
    "notes_by_language_text": ("creator_notes_multilingual", "hi"),
    "notes_by_language_list": ("creator_notes_multilingual", []),
    "nickname_number": ("nickname", 7),
    "assets_null": ("assets", None),
    "assets_object": (
        "assets",
        {"0": {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}},
    ),
    "assets_texts": ("assets", ["https://example.org/a.png"]),
    "group_greetings_null": ("group_only_greetings", None),
    "talkativeness_text": ("extensions", {"talkativeness": "0.5"}),
    "favourite_text": ("extensions", {"fav": "true"}),
    "depth_empty_text": (
        "extensions",
        {"depth_prompt": {"prompt": "x", "depth": "", "role": "system"}},
    ),
}
_QUIET = ("book_null", "date_null", "assets_null")
_KEPT = ("talkativeness_text", "favourite_text", "depth_empty_text")
for ident, (path, value) in WRONG.items():
    says = () if ident in _QUIET else ("odd_value_kept",) if ident in _KEPT else ("type_repaired",)
    add(
        ident,
        "17" if ident == "depth_empty_text" else "15",
        text(changed(v3(), path, value)),
        *says,
    )
add("name_number", "15", text(changed(v2(), "name", 42)), "type_repaired", name="42")
add(
    "name_empty",
    "15",
    text(changed(v2(), "name", "")),
    "name_missing",
    name="",
    file="无名.json",
    check=lambda r: r.title == "无名",
)
add(
    "name_null",
    "15",
    text(changed(v2(), "name", None)),
    "name_missing",
    name="",
    file="无名.json",
    check=lambda r: r.title == "无名",
)
add(
    "name_blank_with_nickname",
    "15",
    text(changed(v3(nickname="阿砚"), "name", " ")),
    "name_missing",
    name=" ",
    check=lambda r: r.title == "阿砚",
)
add(
    "name_missing",
    "15",
    text({"spec": "chara_card_v2", "data": {k: v for k, v in v2_data().items() if k != "name"}}),
    "name_missing",
    name="",
)
add(
    "fav_text_at_root",
    "15",
    text(v2(root={"fav": "true", "talkativeness": "0.5"})),
    check=lambda r: r.card.favourite and r.card.talkativeness == 0.5,
)

# ---- 16: lorebook entries
ENTRIES: dict[str, tuple[dict[str, Any], tuple[str, ...], Callable[[Any], bool]]] = {
    "entry_nulls": (
        {"id": None, "priority": None, "secondary_keys": None},
        (),
        lambda e: e.priority is None and e.uid == "#0",
    ),
    "entry_order_null": ({"insertion_order": None}, ("type_repaired",), lambda e: e.order == 100),
    "entry_order_text": ({"insertion_order": "7"}, ("type_repaired",), lambda e: e.order == 7),
    "entry_position_empty": (
        {"position": ""},
        ("type_repaired",),
        lambda e: e.position == "before_char",
    ),
    "entry_position_0": (
        {"position": 0},
        ("type_repaired",),
        lambda e: e.position == "before_char",
    ),
    "entry_position_1": ({"position": 1}, ("type_repaired",), lambda e: e.position == "after_char"),
    "entry_position_text_0": (
        {"position": "0"},
        ("type_repaired",),
        lambda e: e.position == "before_char",
    ),
    "entry_position_in_chat": (
        {"position": "in_chat"},
        ("type_repaired",),
        lambda e: e.position == "at_depth",
    ),
    "entry_position_4": ({"position": 4}, ("type_repaired",), lambda e: e.position == "at_depth"),
    "entry_position_unknown": (
        {"position": "sideways"},
        ("position_moved",),
        lambda e: e.position == "before_char",
    ),
    "entry_keys_text": ({"keys": "a, b"}, ("type_repaired",), lambda e: e.keys == ("a", "b")),
    "entry_keys_null": ({"keys": None}, ("type_repaired",), lambda e: e.keys == ()),
    "entry_keys_numbers": ({"keys": [1984]}, ("type_repaired",), lambda e: e.keys == ("1984",)),
    "entry_enabled_null": ({"enabled": None}, ("type_repaired",), lambda e: e.enabled),
    "entry_enabled_text": ({"enabled": "false"}, ("type_repaired",), lambda e: not e.enabled),
    "entry_enabled_0": ({"enabled": 0}, ("type_repaired",), lambda e: not e.enabled),
    "entry_content_null": ({"content": None}, ("type_repaired",), lambda e: e.content == ""),
    "entry_extensions_null": ({"extensions": None}, ("type_repaired",), lambda e: e.content != ""),
    "entry_loose_keys": (
        {"selectiveLogic": 3, "probability": 40},
        (),
        lambda e: (e.logic, e.probability) == ("and_all", 40),
    ),
    "entry_case_text": (
        {"case_sensitive": "true"},
        ("type_repaired",),
        lambda e: e.case_sensitive is True,
    ),
    "entry_id_text": ({"id": "0"}, (), lambda e: e.uid == "0"),
    "entry_id_object": ({"id": {"$oid": 1}}, ("type_repaired",), lambda e: "oid" in e.uid),
    "entry_secondary_text": (
        {"secondary_keys": "夜，雨"},
        ("type_repaired",),
        lambda e: e.secondary_keys == ("夜", "雨"),
    ),
}
for ident, (more, codes, holds) in ENTRIES.items():
    add(
        ident,
        "16",
        text(v2(character_book=book(entry(**more)))),
        *codes,
        check=lambda r, holds=holds: holds(r.card.book.entries[0]),
    )
OLD_ENTRY = {k: v for k, v in entry().items() if k not in ("keys", "enabled")}
add(
    "entry_key_instead_of_keys",
    "16",
    text(v2(character_book=book({**OLD_ENTRY, "key": ["码头"]}))),
    "key_renamed",
    check=lambda r: r.card.book.entries[0].keys == ("码头",),
)
add(
    "entry_without_enabled",
    "16",
    text(v2(character_book=book({**OLD_ENTRY, "keys": ["a"]}))),
    check=lambda r: r.card.book.entries[0].enabled,
)
add(
    "entry_with_disable",
    "16",
    text(v2(character_book=book({**OLD_ENTRY, "keys": ["a"], "disable": True}))),
    "key_renamed",
    check=lambda r: not r.card.book.entries[0].enabled,
)
add(
    "entries_object",
    "16",
    text(v2(character_book={"entries": {"3": entry(), "9": entry()}})),
    "type_repaired",
    check=lambda r: [e.uid for e in r.card.book.entries] == ["3", "9"],
)
add(
    "entries_null",
    "16",
    text(v2(character_book={"entries": None})),
    "type_repaired",
    check=lambda r: r.card.book.entries == (),
)
add(
    "entries_with_holes",
    "16",
    text(v2(character_book=book(entry(), None, "只有文字", 7))),
    "entry_dropped",
    "entry_repaired",
    check=lambda r: len(r.card.book.entries) == 2,
)
add(
    "entries_one_id",
    "16",
    text(v2(character_book=book(entry(id=0), entry(id="0"), entry()))),
    check=lambda r: [e.uid for e in r.card.book.entries] == ["0", "0~1", "#2"],
)
add(
    "book_numbers_text",
    "16",
    text(v2(character_book=book(scan_depth="4", token_budget="500", recursive_scanning="true"))),
    "type_repaired",
    check=lambda r: (
        (r.card.book.scan_depth, r.card.book.token_budget, r.card.book.recursive_scanning)
        == (4, 500, True)
    ),
)
add(
    "book_depth_empty",
    "16",
    text(v2(character_book=book(scan_depth=""))),
    "type_repaired",
    check=lambda r: r.card.book.scan_depth is None,
)
add(
    "book_is_world_info",
    "16",
    text(v2(character_book=world_info(_0=world_entry(disable=True)))),
    "world_info_in_card",
    check=lambda r: (
        r.card.book.entries[0].logic == "and_all" and not r.card.book.entries[0].enabled
    ),
)

# ---- 18: extensions of other programs
add(
    "chub",
    "18",
    text(
        v2(
            avatar="https://avatars.charhub.io/x.webp",
            extensions={"chub": {"id": 1, "full_path": "a/b", "expressions": None}},
        )
    ),
    "unknown_keys",
    "extensions_kept",
)
add(
    "risu_extensions",
    "18",
    text(
        v3(
            extensions={
                "risuai": {"customScripts": [], "triggerscript": [], "lowLevelAccess": False}
            }
        )
    ),
    "extensions_kept",
)
add(
    "regex_scripts",
    "18",
    text(v2(extensions={"regex_scripts": [{"findRegex": "/a/g", "replaceString": "<b>$1</b>"}]})),
    "extensions_kept",
)
