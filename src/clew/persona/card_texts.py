"""What a character card says, as the first texts of a home: identity and samples of speech. Pure.

A card speaks of two people by placeholders, written in any case: `{{char}}` and `<BOT>` are the
character, `{{user}}` and `<USER>` whoever talks with it. A home belongs to one persona and names both: a
placeholder that nobody fills would be read as a word. Everything else of a card is text and stays so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from clew.kernel.faults import Both, Code, register
from clew.kernel.text import byte_length
from clew.persona import voice

IDENTITY_BYTES: Final = 60_000
PERSON_BYTES: Final = 200
SOMEBODY: Final = Both("对方", "the other person")
"""Whoever talks with it, where no name is given."""
_CHAR: Final = r"\{\{\s*char\s*\}\}|<(?:BOT|CHAR)>"
_USER: Final = r"\{\{\s*user\s*\}\}|<USER>"
_NAMES: Final = re.compile(rf"({_CHAR})|(?:{_USER})", re.IGNORECASE)
_TOLD: Final = re.compile(r"(?<!\*)\*(?![\s*])[^*\n]*(?:\n(?!\n)[^*\n]*)*\*(?!\*)")
"""Narration: between single asterisks; what is in pairs of them is stressed."""
_WIDE: Final = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")


def _parts(card: Mapping[str, str], *keys: str) -> list[str]:
    return [card.get(key, "") for key in keys]


def mentions_person(card: Mapping[str, str]) -> bool:
    """Whether a card speaks of whoever talks with it, in a text that a home takes over."""
    texts = _parts(card, "description", "personality", "scenario", "first_mes", "mes_example")
    return any(found[1] is None for text in texts for found in _NAMES.finditer(text))


def somebody(card: Mapping[str, str]) -> str:
    """What a card's other person is called where nobody said: in the language of its texts."""
    text = "".join(_parts(card, "description", "personality", "scenario", "first_mes"))
    return SOMEBODY.zh if _WIDE.search(text) else SOMEBODY.en


def identity_of(card: Mapping[str, str], name: str, person: str) -> str:
    """The body of an identity card."""
    texts = _parts(card, "description", "personality", "scenario")
    body = "\n\n".join(part for text in texts if (part := named(text, name, person).strip()))
    return body.encode("utf-8")[:IDENTITY_BYTES].decode("utf-8", "ignore")


def samples_of(card: Mapping[str, str], name: str, person: str) -> list[voice.Sample]:
    """What the character says in the example dialogues and the greeting of a card."""
    own = rf"{_CHAR}|{re.escape(name)}"
    speaker = re.compile(rf"\s*(?:{own})\s*[:：]\s*", re.IGNORECASE)
    begins = re.compile(rf"^(?=\s*(?:{own}|{_USER})\s*[:：])", re.IGNORECASE | re.MULTILINE)
    out: list[voice.Sample] = []
    for block in re.split(r"(?i)<START>", card.get("mes_example", "").replace("\r\n", "\n")):
        turns = begins.split(block)
        spoken = [speaker.sub("", turn, count=1) for turn in turns if speaker.match(turn)]
        out += (voice.Sample(_said(named(turn, name, person)), "mes_example") for turn in spoken)
    greeting = _said(named(card.get("first_mes", ""), name, person))
    if greeting:
        out.append(voice.Sample(greeting, "first_mes"))
    return [one for one in out if one.text and byte_length(one.text) <= voice.SAMPLE_BYTES]


def _said(text: str) -> str:
    """What of a turn is said: a card tells between asterisks what somebody does meanwhile."""
    kept = _TOLD.sub("", text)
    lines = (line.strip() for line in kept.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def named(text: str, name: str, person: str) -> str:
    """A card's text with names in the place of its placeholders. What is put in is not looked at
    again."""
    plain = text.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")
    return _NAMES.sub(lambda found: person if found[1] is None else name, plain)


register(
    Code(
        "card_person", 0,
        "卡里的 {{{{user}}}} 写成了“{found}”",
        "the card's {{{{user}}}} is written as “{found}”",
        "要用名字，就改 identity.md 和 voice.md；新建时可以写 --person 名字。",
        "To have a name instead, edit identity.md and voice.md; at the next init give --person NAME.",
        about_zh="提示：角色卡用占位符称呼和它说话的人。没有给名字时，用一个不偏不倚的称呼。",
        about_en="A note: a card calls whoever talks with it by a placeholder. Where no name was given a "
        "neutral word stands for it.",
    ),
)  # fmt: skip
