"""Moments of cards: seconds since 1970 (V3), from milliseconds, texts, ISO dates and .NET's year 1.

Pure: the calendar's own arithmetic, no clock and no time zone of this machine.
"""

from __future__ import annotations

import re
from typing import Final

from clew.books.cards.values import Json, is_number, number

_ISO: Final = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)(?:[Tt ](\d\d?):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?"
    r"\s*(?:[Zz]|([+-])(\d\d):?(\d\d))?\Z"
)
_MILLISECONDS: Final = 100_000_000_000
"""As seconds this would be the year 5138: no card is from then."""
_FOREVER: Final = 1e18


def seconds(value: Json) -> Json:
    """The moment as seconds since 1970, UTC; the value itself where it is that already, 0 (V3's
    "unknown") where it is no moment."""
    read: Json = value
    if isinstance(value, str):
        read = number(value)
        if read is None:
            read = _of_iso(value.strip())
    if not is_number(read):
        return 0
    amount = float(read)
    if amount < 0:
        return 0  # .NET writes its year 1 where it knows no date
    if amount >= _MILLISECONDS:
        return int(amount / 1000) if amount < _FOREVER else 0
    return read


def _of_iso(text: str) -> int | None:
    """Seconds since 1970 of an ISO date (UTC where it names no zone), by the calendar's own
    arithmetic."""
    found = _ISO.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    offset = int(found[8] or 0) * 3600 + int(found[9] or 0) * 60
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    days = era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468
    moment = days * 86400 + hour * 3600 + minute * 60 + second
    return max(0, moment + offset if found[7] == "-" else moment - offset)
