"""Text rules shared by all rooms: cleaning, UTF-8 byte caps, names that become file names.

Pure. Source of the rules: the ledger's schema-4 format (text cleaning and safe file components),
which every document of ours follows.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_WHITE: Final = re.compile(r"\s+")
_FORBIDDEN: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_RESERVED: Final = frozenset(
    [
        "CON",
        "PRN",
        "AUX",
        "NUL",
        *(f"COM{i}" for i in range(1, 10)),
        *(f"LPT{i}" for i in range(1, 10)),
    ]
)
NAME_BYTES: Final = 180
"""Cap of a safe file component in UTF-8 bytes."""


def clean(text: str) -> str:
    """One line of text: `|` becomes fullwidth, every run of white space one space, ends trimmed.

    So no value can break a table row, start a heading or hide a newline. Idempotent.
    """
    return _WHITE.sub(" ", text.replace("|", "｜")).strip()


def byte_length(text: str) -> int:
    """Length in UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def cut_chars(text: str, limit: int) -> int:
    """How many characters to cut from the end so that `text` has at most `limit` UTF-8 bytes."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return 0
    kept = data[:limit].decode("utf-8", "ignore")
    return len(text) - len(kept)


def has_surrogate(text: str) -> bool:
    """True when `text` holds a lone surrogate, which no UTF-8 file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def nfc(text: str) -> str:
    """Unicode normalisation form C: how names are stored, compared and used as file names."""
    return unicodedata.normalize("NFC", text)


def portable_key(name: str) -> str:
    """NFC and casefold: two names with one key would be one file on some system."""
    return nfc(name).casefold()


def name_fault(name: str) -> tuple[str, str] | None:
    """Why a cleaned, NFC name cannot be a file name on every system, as (zh, en); None when it can."""
    if _FORBIDDEN.search(name):
        return ("含有不允许的字符", "holds a character that is not allowed")
    if name in (".", "..") or name.endswith((".", " ")):
        return ("以点或空格结尾", "ends in a dot or a space")
    if name.split(".", 1)[0].rstrip(" ").upper() in _RESERVED:
        return ("是系统保留名", "is a reserved name")
    return None
