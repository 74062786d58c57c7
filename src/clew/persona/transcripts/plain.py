"""Conversations that are plain text: a name and a colon before each turn, or paragraphs. Pure.

Nothing is known of such a file but its words: a turn goes on until the next line that begins as one,
and whoever speaks is called what stands there. `U` and `S`, `user` and `assistant` and the like are the
person and the persona.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_TURN: Final = re.compile(
    r"[ \t]*(?:\[[^\]\n]{1,40}\][ \t]*)?([^\s:：\[\]>#]{1,24})[ \t]*[:：](?!//)[ \t]*(.*)"
)
_ROLES: Final = {
    "u": "person", "user": "person", "human": "person", "person": "person", "用户": "person",
    "s": "persona", "a": "persona", "ai": "persona", "assistant": "persona", "persona": "persona",
    "model": "persona", "助手": "persona",
}  # fmt: skip


class Turn(NamedTuple):
    """What somebody said."""

    who: str
    """`person`, `persona`, the name that stands there, or nothing."""
    text: str


def turns(text: str) -> list[Turn]:
    """The turns of a text; its paragraphs where nobody is named."""
    found: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        if match := _TURN.match(line):
            found.append((match[1], [match[2]]))
        elif found and (line.strip() or found[-1][0]):
            found[-1][1].append(line)
        elif line.strip():
            found.append(("", [line]))
    if not any(who for who, _ in found):
        return [Turn("", part.strip()) for part in re.split(r"\n\s*\n", text) if part.strip()]
    said = (Turn(_ROLES.get(w.casefold(), w), "\n".join(part).strip()) for w, part in found)
    return [one for one in said if one.text]
