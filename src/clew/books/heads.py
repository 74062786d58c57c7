"""What the first bytes of a file say: whether it may hold a card or lorebook, whatever its name.

A folder may hold thousands of other files, so only a bounded piece of each is looked at. What may hold
one is read as a whole by `clew.books.cards`, which decides; what cannot is passed over. To err is on
the side of reading. Pure. Formats: docs/cards.md.
"""

from __future__ import annotations

import re
from typing import Final

HEAD: Final = 64 * 1024
"""So much of a file is looked at."""
FIRST: Final = 512
"""So much of most files is enough: what begins like nothing of ours is read no further."""
_MAGICS: Final = (
    b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"PK\x03\x04", b"rcc||",
)  # fmt: skip
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_BEGINS: Final = re.compile(rb"""[{\[]|"\s*(?:\\+"\s*){0,4}[{\[]|//|/\*|```""")
_CODED: Final = re.compile(
    rb"""(?:data:[^,]{0,200};base64,)?["']?(?:eyJ|ew|W3|ZXlK|77u/)[A-Za-z0-9+/_-]{13,}"""
)
_NAMES: Final = (
    "name", "char_name", "bot", "spec", "data", "description", "char_persona", "persona",
    "personality", "scenario", "first_mes", "char_greeting", "greeting", "mes_example", "entries",
    "lorebookVersion", "scenarioVersion", "context",
)  # fmt: skip
_KEY: Final = re.compile(
    rb"""["'](?:""" + "|".join(_NAMES).encode() + rb""")["']\s*:|\\"(?:name|spec)\\+"\s*:"""
)
_YAML_KEY: Final = re.compile(
    rb"""^["']?(?:name|bot|char_name|spec|<\|bot\|>)["']?[ \t]*:""", re.MULTILINE
)
_YAML_MORE: Final = re.compile(
    rb"""^["']?(?:context|greeting|char_persona|char_greeting|persona|example_dialogue|first_mes|data)"""
    rb"""["']?[ \t]*:""",
    re.MULTILINE,
)


def is_carrier(head: bytes) -> bool:
    """Whether a file is by its first bytes of a kind that carries cards: a picture, an archive."""
    return head.startswith(_MAGICS) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP")


def may_begin(first: bytes) -> bool:
    """Whether it is worth while to look at more of a file than its first bytes: it is a text, or it
    is known already."""
    return is_carrier(first) or first.startswith(_MARKS) or b"\0" not in first.strip(b"\0")


def may_hold(head: bytes) -> bool:
    """Whether a file that begins so may hold a card or lorebook."""
    if is_carrier(head):
        return True
    # UTF-16 and UTF-32 of the letters that count are those letters with zeros between them.
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe\0").replace(b"\0", b"").lstrip()
    if _BEGINS.match(text):
        return _KEY.search(text) is not None
    if _CODED.match(text):
        return True
    return _YAML_KEY.search(text) is not None and _YAML_MORE.search(text) is not None
