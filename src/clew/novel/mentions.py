"""Whom and what a text names: characters by their names and aliases, foreshadows and events by id.

Pure. Chinese has no spaces, so a name stands wherever its characters do; a Latin name needs an end
of a word on both sides. The longest name wins where one is part of another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from clew.kernel.text import nfc

_LATIN: Final = r"0-9A-Za-z\u00c0-\u024f"
_WORDY: Final = re.compile(rf"[{_LATIN}]")
_ID: Final = re.compile(r"(?<![0-9A-Za-z])[FE][0-9]{3,}(?![0-9])")


class Names:
    """The people of a book as a text may name them.

    `called` gives for each name in the ledger what else the person is called; an alias that two
    people share names the one who comes first.
    """

    def __init__(self, called: Mapping[str, Iterable[str]]) -> None:
        self._meant: dict[str, str] = {}
        for name in called:
            self._meant.setdefault(nfc(name), name)
        for name, others in called.items():
            for other in others:
                self._meant.setdefault(nfc(other), name)
        self._meant.pop("", None)
        longest = sorted(self._meant, key=lambda text: (-len(text), text))
        self._pattern = re.compile("|".join(map(_bounded, longest))) if longest else None

    def within(self, text: str) -> dict[str, int]:
        """How often each person is named, in the order of first mention."""
        found: dict[str, int] = {}
        if self._pattern is not None:
            for match in self._pattern.finditer(nfc(text)):
                name = self._meant[match[0]]
                found[name] = found.get(name, 0) + 1
        return found


def _bounded(text: str) -> str:
    left = rf"(?<![{_LATIN}])" if _WORDY.match(text[0]) else ""
    right = rf"(?![{_LATIN}])" if _WORDY.match(text[-1]) else ""
    return f"{left}{re.escape(text)}{right}"


def ids_within(text: str) -> list[str]:
    """Ids such as F012 and E003 in the order of first mention; fullwidth forms count too."""
    return list(dict.fromkeys(_ID.findall(unicodedata.normalize("NFKC", text))))
