"""The one clock: UTC inside, injectable, so that tests and simulations own the time.

Civil dates are computed by the rooms from the user's zone; nothing else reads the time.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Gives the present moment as an aware UTC datetime."""


def system_clock() -> datetime:
    """Now, in UTC, from the operating system."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """ISO 8601 in UTC to the millisecond, as every document and log writes it: `…Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
