"""The persona's dice: the same persona, entry, date and ordinal always throw the same. Pure.

So that the coming times can be told beforehand, asking twice changes nothing, and two machines throw
alike. There is no secret in it: a hash, not a cipher.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

_BETWEEN: Final = "\x1f"


def throw(persona: str, entry: str, date: str, ordinal: int, what: str, sides: int) -> int:
    """A number from 0 to `sides` - 1. `what` tells the throws of one moment apart."""
    text = _BETWEEN.join((persona, entry, date, str(ordinal), what))
    return int.from_bytes(sha256(text.encode("utf-8")).digest()[:8], "big") % sides
