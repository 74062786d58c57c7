"""`validate`: what a good card would not have, as notes. Nothing here stops an import or an export.

Pure. Rules: what Character Card V2 and V3 ask of authors, and what makes cards vanish or misfire in
the programs that read them (docs/cards.md).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from clew.books.cards.charx import asset_path
from clew.books.lore import Lorebook
from clew.books.model import V1_FIELDS, Card, seen
from clew.kernel.faults import Fault
from clew.kernel.text import name_fault

_SCRIPT: Final = re.compile(
    r"<\s*(?:script|iframe|object|embed)\b|\bon\w+\s*=\s*[\"']|javascript:", re.IGNORECASE
)
_NAME: Final = 120


def validate(card: Card, *, assets: frozenset[str] | None = None) -> list[Fault]:
    """Notes on a card. `assets`: the paths of the embedded files, where they are known."""
    return [
        *_texts(card),
        *_greetings(card),
        *_lists(card),
        *_lore(card.book),
        *_assets(card, assets),
    ]


def _texts(card: Card) -> Iterator[Fault]:
    if not seen(card.name):
        yield Fault("name_empty", "$.data.name")
    elif len(card.name) > _NAME:
        yield Fault("name_long", "$.data.name", found=len(card.name), limit=_NAME)
    else:
        why = name_fault(card.name.strip())
        if why is not None:
            yield Fault(
                "name_no_file", "$.data.name", found=card.name, reason_zh=why[0], reason=why[1]
            )
    if not (card.description.strip() or card.personality.strip()):
        yield Fault("description_empty", "$.data.description")
    for name in (*V1_FIELDS, "system_prompt", "post_history_instructions"):
        value = card.data.get(name)
        if isinstance(value, str) and value.count("{{") != value.count("}}"):
            yield Fault("macro_open", f"$.data.{name}")
    if _SCRIPT.search(card.creator_notes):
        yield Fault("script_in_notes", "$.data.creator_notes")


def _greetings(card: Card) -> Iterator[Fault]:
    if not card.first_mes.strip():
        yield Fault("greeting_empty", "$.data.first_mes")
    seen = {card.first_mes.strip()}
    for index, text in enumerate(card.alternate_greetings):
        place = f"$.data.alternate_greetings[{index}]"
        if not text.strip():
            yield Fault("greeting_empty", place)
        elif text.strip() in seen:
            yield Fault("greeting_repeated", place)
        seen.add(text.strip())


def _lists(card: Card) -> Iterator[Fault]:
    for tag, times in Counter(tag.strip().casefold() for tag in card.tags).items():
        if times > 1:
            yield Fault("tag_repeated", "$.data.tags", found=tag)


def _lore(book: Lorebook | None) -> Iterator[Fault]:
    if book is None:
        return
    place = "$.data.character_book"
    ids = Counter(str(row["id"]) for row in book.rows if row.get("id") is not None)
    again = [ident for ident, times in ids.items() if times > 1]
    if again:
        yield Fault("entry_ids_repeated", f"{place}.entries", found=again)
    for entry in book.entries:
        if not entry.enabled:
            continue
        at = f"{place}.entries[{entry.place}]"
        called = {"activate"} & {one.name for one in entry.decorators}
        if not entry.keys and not entry.constant and not called:
            yield Fault("entry_without_keys", at, found=entry.name or entry.comment)
        if not entry.content.strip():
            yield Fault("entry_without_content", at, found=entry.name or entry.comment)


def _assets(card: Card, paths: frozenset[str] | None) -> Iterator[Fault]:
    rows = card.assets
    icons = [row for row in rows if row.type == "icon"]
    mains = sum(row.name == "main" for row in icons)
    if (len(icons) > 1 and mains != 1) or mains > 1:
        yield Fault("icon_main_unclear", "$.data.assets", found=mains)
    backgrounds = sum(row.type == "background" and row.name == "main" for row in rows)
    if backgrounds > 1:
        yield Fault("background_main_unclear", "$.data.assets", found=backgrounds)
    for index, row in enumerate(rows):
        path = asset_path(row.uri)
        if paths is not None and path is not None and path not in paths:
            yield Fault("assets_missing", f"$.data.assets[{index}]", found=[path])
