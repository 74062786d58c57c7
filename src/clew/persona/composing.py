"""Composing an opening card: what is hardest first, as much as fits, and what was left out. Pure.

Rules: persona seed sections 1 and 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

_ROUNDS: Final = 12
_FIRST: Final = ("state", "due")
"""What a card has before anything else that is not always in it."""
_TITLES: Final = {
    "refusals": ("不做的事", "What it does not do"),
    "baton": ("交接棒", "The baton"),
    "state": ("此刻", "Now"),
    "due": ("有日子的事", "Things with a date"),
    "samples": ("它说过的原话", "What it really said"),
    "intents": ("想做的事", "What it means to do"),
    "hanging": ("没说完的话", "What was not said to its end"),
    "diary": ("日记末尾", "The end of the diary"),
}
_WHERE: Final = {
    "baton": "clew persona baton read",
    "state": "clew persona mood show",
    "due": "clew persona intent list",
    "samples": "clew persona voice list",
    "intents": "clew persona intent list",
    "hanging": "clew persona hang list",
    "diary": "clew persona diary show --days 7",
}


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A section that is not whole in the card."""

    section: str
    shown: int
    of: int
    cut_chars: int = 0


class Section(NamedTuple):
    key: str
    items: list[str]
    total: int
    newest_last: bool = False


def compose(
    head: str,
    sections: list[Section],
    budget: int,
    size: Callable[[str], int],
    lang: str,
    diary_most: int,
) -> tuple[str, list[LeftOut]]:
    """The text of a card and what is not in it. The first section is put in whole, always; the text is
    within the budget wherever that is at least `least`. What is left out is told as exactly as there is
    room for; where only its commands are in the way of a section of `_FIRST`, without them."""
    best: tuple[tuple[int, ...], str, list[LeftOut]] | None = None
    for form in (_told, _told_short, _told_least):
        if best is not None and form is _told_least:
            break  # which sections are left out is always told where there is room for it
        kept = 0
        for attempt in range(_ROUNDS):
            if attempt == _ROUNDS - 1:
                kept = budget  # nothing but what must be there
            text, left_out = _composed(head, sections, budget - kept, size, lang, diary_most, form)
            over = size(text) - budget
            if over <= 0:
                shown = {one.section: one.shown for one in left_out}
                has = tuple(shown.get(one.key, one.total) for one in sections if one.key in _FIRST)
                if best is None or has > best[0]:
                    best = (has, text, left_out)
                break
            kept += over  # room for saying what is left out, which grows with it
    return (text, left_out) if best is None else best[1:]


def least(head: str, sections: list[Section], size: Callable[[str], int], lang: str) -> int:
    """The smallest budget that a card can keep: with its head and its first section, and nothing else
    than that the rest is left out."""
    full = [section.total for section in sections]
    bare = [section._replace(items=[]) for section in sections[1:]]
    text, _ = _composed(head, [sections[0], *bare], 0, size, lang, 0, _told_least)
    return size(text) if any(full[1:]) else size(_begun(head, sections[0], lang) + "\n")


def _composed(
    head: str,
    sections: list[Section],
    budget: int,
    size: Callable[[str], int],
    lang: str,
    diary_most: int,
    told: Callable[[list[LeftOut], str], str],
) -> tuple[str, list[LeftOut]]:
    first, *rest = sections
    parts = [_begun(head, first, lang)]
    room = budget - size(parts[0]) - size("\n")
    left_out: list[LeftOut] = []
    waits = False  # a shorter, softer section does not take the room of a harder one
    for section in rest:
        most = min(room, diary_most) if section.newest_last else room
        shown, cut = ([], 0) if waits else _fitting(section, most, size, lang)
        waits = waits or (section.key in _FIRST and len(shown) < section.total)
        if shown:
            block = _block(section.key, shown, lang)
            parts.append(block)
            room -= size(block) + size("\n\n")
        if len(shown) < section.total or cut:
            left_out.append(
                LeftOut(section=section.key, shown=len(shown), of=section.total, cut_chars=cut)
            )
    if left_out:
        parts.append(told(left_out, lang))
    return "\n\n".join(parts) + "\n", left_out


def _fitting(
    section: Section, room: int, size: Callable[[str], int], lang: str
) -> tuple[list[str], int]:
    """The items that fit, in their order; of the diary the last ones, the end of the last at worst."""
    room -= size(_block(section.key, [], lang)) + size("\n\n")
    shown: list[str] = []
    for item in reversed(section.items) if section.newest_last else section.items:
        need = size(item) + size("\n")
        if need > room:
            break
        shown.append(item)
        room -= need
    if section.newest_last:
        shown.reverse()
        if not shown and section.items and room > 60:
            head, _, body = section.items[-1].rstrip("\n").partition("\n")
            kept = _ending(body, room - size(f"{head}\n> …\n"), size)
            return [f"{head}\n> …{kept}"], len(body) - len(kept)
    return shown, 0


def _ending(text: str, room: int, size: Callable[[str], int]) -> str:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if size(text[len(text) - middle :]) <= room:
            low = middle
        else:
            high = middle - 1
    return text[len(text) - low :]


def _block(key: str, items: list[str], lang: str) -> str:
    title = _TITLES[key][lang != "zh"]
    return "\n".join([f"## {title}", *items]).rstrip("\n")


def _begun(head: str, first: Section, lang: str) -> str:
    return f"{head}\n\n{_block(first.key, first.items, lang)}" if first.items else head


def _told(left_out: list[LeftOut], lang: str) -> str:
    zh = lang == "zh"
    said = []
    for one in left_out:
        title = _TITLES[one.section][not zh]
        number = f"{one.shown}/{one.of}"
        if one.cut_chars:
            number += f"，截去 {one.cut_chars} 字" if zh else f", {one.cut_chars} characters cut"
        where = _WHERE[one.section]
        said.append(f"{title} {number}" + (f"（{where}）" if zh else f" ({where})"))
    return ("没放进来的：" + "；".join(said)) if zh else ("Left out: " + "; ".join(said))


def _told_short(left_out: list[LeftOut], lang: str) -> str:
    """The same without commands."""
    zh = lang == "zh"
    said = [f"{_TITLES[one.section][not zh]} {one.shown}/{one.of}" for one in left_out]
    return ("没放进来的：" + "；".join(said)) if zh else ("Left out: " + "; ".join(said))


def _told_least(left_out: list[LeftOut], lang: str) -> str:
    """That there is more, and which command shows it."""
    more = "还有没放进来的" if lang == "zh" else "More is left out"
    return f"{more}：clew persona status" if lang == "zh" else f"{more}: clew persona status"
