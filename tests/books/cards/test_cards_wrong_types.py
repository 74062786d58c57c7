"""Every field of every format, with every type that it should not have: read for what it means or
refused with a reason, and told; an export of what was read is in order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cardfiles import AGNAI, book, entry, text, v1, v2, v3, world_entry, world_info

from clew.books import cards
from clew.books.cardindex import body
from clew.books.cards.fields import ASSET, BOOK, CARD, ENTRY

WRONG: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**30, "", " ", "x", "0", "1e5", [], {}, [None], [[1]], [{}], {"a": 1},
    {"a": {"b": []}}, ["a", 1], "\ud83d", float("nan"), float("-inf"), {"entries": [1]}, "{", "[", '{"a":1}',
    "💧" * 300, "../x", -62135596800, 1e308,
)  # fmt: skip


def _in_data(make: Callable[[], dict[str, Any]], *names: str) -> Iterator[tuple[str, Any]]:
    for name in names:
        for value in WRONG:
            document = make()
            document["data"][name] = value
            yield name, document


def _beside(
    make: Callable[[], Any], place: Callable[[Any], Any], *names: str
) -> Iterator[tuple[str, Any]]:
    for name in names:
        for value in WRONG:
            document = json.loads(json.dumps(make()))
            place(document)[name] = value
            yield name, document


def _lore(**more: Any) -> dict[str, Any]:
    return v3(character_book=book(entry(), entry()), **more)


def _assets() -> dict[str, Any]:
    return v3(assets=[{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}])


RISU = {"type": "risu", "ver": 1, "data": [{"key": "a", "insertorder": 1, "content": "c"}] * 2}
NOVELAI = {"lorebookVersion": 5, "entries": [{"text": "t", "keys": ["a"]}] * 2}
KOBOLD = [{"key": "a", "content": "c"}] * 2
PYGMALION = {"char_name": "a", "char_persona": "b", "char_greeting": "c"}
FIELDS = {
    "v2": lambda: _in_data(v2, *(f.name for f in CARD)),
    "v3": lambda: _in_data(v3, *(f.name for f in CARD)),
    "root": lambda: _beside(v2, lambda d: d, "spec", "spec_version", "data", "fav", "chat", "tags", "name",
                            "talkativeness", "creatorcomment"),
    "v1": lambda: _beside(v1, lambda d: d, *v1()),
    "book": lambda: _beside(_lore, lambda d: d["data"]["character_book"], *(f.name for f in BOOK)),
    "entry": lambda: _beside(
        _lore, lambda d: d["data"]["character_book"]["entries"][0], *(f.name for f in ENTRY)
    ),
    "asset": lambda: _beside(_assets, lambda d: d["data"]["assets"][0], *ASSET),
    "extensions": lambda: _beside(
        v2, lambda d: d["data"]["extensions"], "depth_prompt", "fav", "talkativeness", "world", "agnai"
    ),
    "world info": lambda: _beside(
        lambda: world_info(_0=world_entry(), _1=world_entry(1)), lambda d: d["entries"]["0"], *world_entry()
    ),
    "entries": lambda: _beside(dict, lambda d: d, "entries"),
    "agnai": lambda: _beside(lambda: AGNAI, lambda d: d, *AGNAI),
    "risu": lambda: _beside(lambda: RISU, lambda d: d["data"][1], "key", "secondkey", "insertorder", "content",
                            "mode", "alwaysActive", "selective", "activationPercent", "useRegex", "id"),
    "novelai": lambda: _beside(lambda: NOVELAI, lambda d: d["entries"][1], "text", "keys", "displayName",
                               "enabled", "contextConfig", "forceActivation", "id"),
    "kobold": lambda: _beside(lambda: KOBOLD, lambda d: d[1], "key", "keysecondary", "keyanti", "content",
                              "comment", "probability", "wigroup", "widisabled", "constant"),
    "pygmalion": lambda: _beside(lambda: PYGMALION, lambda d: d, *PYGMALION, "world_scenario"),
}  # fmt: skip


@pytest.mark.parametrize("where", FIELDS)
def test_a_value_of_any_type_in_any_field_is_read_or_refused_and_told(where: str) -> None:
    count = 0
    for name, document in FIELDS[where]():
        count += 1
        read = cards.read(text_of(document), name="a.json")
        for lang in ("zh", "en"):
            for _, fault in read.report:
                assert fault.message(lang).encode(), (name, document)
        if not read.ok:
            assert [fault.code for fault in read.report.refused] == ["not_a_card"], (name, document)
        elif read.card is not None:
            cards.validate(read.card)
            assert isinstance(body(read.card.data), str)
            again = cards.read(cards.write(read.card, "v3", "json")).card
            assert again is not None, (name, document)
            if "data" not in read.card.root:  # V3 has no room for it, and an export says so
                assert again.content_hash == read.card.content_hash, (name, document)
        else:
            assert read.lorebook is not None and len(read.lorebook.entries) == len(
                read.lorebook.rows
            )
            assert cards.read(cards.write_lorebook(read.lorebook, "worldinfo")).ok, (name, document)
    assert count


def text_of(document: Any) -> bytes:
    """JSON as Python writes it: NaN and lone surrogates in it."""
    return json.dumps(document).encode()


def test_a_field_of_the_wrong_type_loses_nothing_that_it_says() -> None:
    """What was written is in the card, or the line that tells of it says what it was."""
    for name, document in _in_data(v3, *(f.name for f in CARD if f.name != "character_book")):
        value = document["data"][name]
        said = [
            one for one in _texts(value) if one.strip() and not one.lstrip().startswith(("{", "["))
        ]
        read = cards.read(text(document) if "\ud83d" not in str(value) else text_of(document))
        assert read.card is not None
        kept = cards.write(read.card, "v3").decode()
        told = " ".join(fault.message("en") for fault in read.report.repaired)
        for one in said:
            spelt = json.dumps(one, ensure_ascii=False)[1:-1] if "\ud83d" not in one else "\\ud83d"
            shown = one[:30].encode("utf-8", "replace").decode()
            assert spelt in kept or shown in told, (name, value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _texts(item)
