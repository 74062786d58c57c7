"""What an odd file is: its bytes, and what must come of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from cardfiles import b64, text_chunk, v2

NAME = "沈砚"
CARD = text_chunk("chara", b64(v2()))
"""The chunk of an ordinary V2 card."""


class Odd(NamedTuple):
    """One odd file."""

    ident: str
    shape: str
    """Which kind of oddness it is, as docs/cards.md numbers them."""
    file: str
    data: bytes
    name: str | None = NAME
    """The recovered name (of the card, or of the book), or None for a refusal."""
    refused: str = ""
    """The code of the refusal."""
    says: tuple[str, ...] = ()
    """Codes that the report holds."""
    check: Callable[[Any], bool] | None = None
    """Something that must be true of what was read."""
    lore: bool = False


class Table(list[Odd]):
    """Odd files of like kinds."""

    def add(
        self, ident: str, shape: str, data: bytes, *says: str, file: str = "", **how: Any
    ) -> None:
        """A file that is read."""
        suffix = "png" if data.startswith(b"\x89PNG") else "json"
        self.append(Odd(ident, shape, file or f"{ident}.{suffix}", data, says=says, **how))

    def refuse(self, ident: str, shape: str, data: bytes, code: str, *, file: str = "") -> None:
        """A file that is refused with a reason."""
        self.append(Odd(ident, shape, file or f"{ident}.png", data, None, code))


def changed(value: dict[str, Any], path: str, item: Any) -> dict[str, Any]:
    """A copy of a card with one value of `data` replaced."""
    out: dict[str, Any] = json.loads(json.dumps(value))
    place = out["data"]
    *steps, last = path.split(".")
    for step in steps:
        place = place[step]
    place[last] = item
    return out
