"""A ZIP whose bytes depend on its members and on a moment, and on nothing else. Opens no file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Final

_FIRST_YEAR: Final = 1980
_LAST_YEAR: Final = 2107


def packed(
    members: Mapping[str, bytes], moment: datetime, *, stored: Collection[str] = ()
) -> bytes:
    """The members in their order, dated `moment`; those in `stored` are not compressed."""
    utc = moment.astimezone(UTC)
    year = min(max(utc.year, _FIRST_YEAR), _LAST_YEAR)  # what ZIP can say
    date = (year, utc.month, utc.day, utc.hour, utc.minute, utc.second)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3  # the same on every system
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return out.getvalue()
