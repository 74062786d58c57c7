"""The board as the pulse asks for it: how much mail lies there for the persona."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.persona.channels import reading

if TYPE_CHECKING:
    from clew.persona.home import Home


def unread(home: Home) -> int:
    """How many notes on the board the persona has not read."""
    return len(reading.unread(home))
