"""Makes the files that cards come in, byte by byte: what a test of a reader starts from.

Written without the product's own writers, so that a slip in both cannot hide.
"""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable
from typing import Any

SIGNATURE = b"\x89PNG\r\n\x1a\n"
V1 = ("name", "description", "personality", "scenario", "first_mes", "mes_example")


def v1(name: str = "沈砚", **more: Any) -> dict[str, Any]:
    """A flat card."""
    return {
        "name": name,
        "description": "{{char}} 管着旧码头的账。",
        "personality": "少言，记仇",
        "scenario": "洪水前夜",
        "first_mes": "*她没有抬头。* 船少了一条。",
        "mes_example": "<START>\n{{user}}: 谁？\n{{char}}: 船家。",
        **more,
    }


def v2_data(name: str = "沈砚", **more: Any) -> dict[str, Any]:
    return {
        **v1(name),
        "creator_notes": "给会等的人。",
        "system_prompt": "",
        "post_history_instructions": "{{original}}",
        "alternate_greetings": ["你来晚了。"],
        "tags": ["码头", "OC"],
        "creator": "clew",
        "character_version": "1.2",
        "extensions": {},
        **more,
    }


def v2(name: str = "沈砚", *, root: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "spec": "chara_card_v2", "spec_version": "2.0", "data": v2_data(name, **more), **(root or {}),
    }  # fmt: skip


def v3(name: str = "沈砚", *, root: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    data = v2_data(name, **{"group_only_greetings": [], **more})
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": data, **(root or {})}


def entry(**more: Any) -> dict[str, Any]:
    """One entry of a V2 lorebook."""
    return {
        "keys": ["码头"], "content": "旧码头有七根桩。", "extensions": {}, "enabled": True,
        "insertion_order": 10, **more,
    }  # fmt: skip


def book(*entries: Any, **more: Any) -> dict[str, Any]:
    return {"name": "洪字号", "extensions": {}, "entries": list(entries), **more}


def text(value: Any) -> bytes:
    """JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8")


def b64(value: Any) -> bytes:
    """What stands in a card chunk."""
    return base64.b64encode(value if isinstance(value, bytes) else text(value))


def chunk(kind: bytes, data: bytes, *, crc: int | None = None) -> bytes:
    sum_ = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", sum_)


def text_chunk(keyword: str, data: bytes, **how: Any) -> bytes:
    return chunk(b"tEXt", keyword.encode("latin-1") + b"\0" + data, **how)


def ztext_chunk(keyword: str, data: bytes) -> bytes:
    return chunk(b"zTXt", keyword.encode("latin-1") + b"\0\0" + zlib.compress(data))


def itext_chunk(keyword: str, data: bytes, *, packed: bool = False) -> bytes:
    head = keyword.encode("latin-1") + (b"\0\1\0" if packed else b"\0\0\0") + b"zh\0\0"
    return chunk(b"iTXt", head + (zlib.compress(data) if packed else data))


def png(*before: bytes, after: Iterable[bytes] = (), end: bytes | None = None, tail: bytes = b"",
        width: int = 3, height: int = 2, pixels: bytes | None = None) -> bytes:  # fmt: skip
    """A small true-colour picture with chunks before and after its pixels."""
    if pixels is None:
        rows = b"".join(
            b"\0" + bytes((x * 7 + y) % 256 for x in range(width * 3)) for y in range(height)
        )
        pixels = zlib.compress(rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    ending = chunk(b"IEND", b"") if end is None else end
    return b"".join(
        (SIGNATURE, chunk(b"IHDR", header), *before, chunk(b"IDAT", pixels), *after, ending, tail)
    )


def card_png(value: Any, keyword: str = "chara", **how: Any) -> bytes:
    """A picture with a card before its pixels."""
    return png(text_chunk(keyword, b64(value)), **how)


def exif(comment: bytes, *, order: str = "<", charset: bytes = b"ASCII\0\0\0") -> bytes:
    """A TIFF block whose user comment is `comment`."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    body = charset + comment
    root = struct.pack(f"{order}H", 1) + struct.pack(f"{order}HHLL", 0x8769, 4, 1, 26) + b"\0" * 4
    inner = (
        struct.pack(f"{order}H", 1)
        + struct.pack(f"{order}HHLL", 0x9286, 7, len(body), 44)
        + b"\0" * 4
    )
    return mark + struct.pack(f"{order}L", 8) + root + inner + body


def jpeg(*comments: bytes, tail: bytes = b"", **how: Any) -> bytes:
    """The bones of a JPEG: markers, EXIF, a scan that nobody decodes."""
    app0 = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + b"\1\1\0\0\1\0\1\0\0"
    blocks = b""
    for comment in comments:
        block = b"Exif\0\0" + exif(comment, **how)
        blocks += b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block
    return (
        b"\xff\xd8"
        + app0
        + blocks
        + b"\xff\xda\0\x0c\3\1\0\2\x11\3\x11\0\x3f\0"
        + b"\x55" * 32
        + b"\xff\xd9"
        + tail
    )


def webp(*comments: bytes, prefixed: bool = False, **how: Any) -> bytes:
    """The bones of a WEBP."""
    parts = b"VP8X" + struct.pack("<L", 10) + b"\x08" + b"\0" * 9
    for comment in comments:
        block = (b"Exif\0\0" if prefixed else b"") + exif(comment, **how)
        parts += b"EXIF" + struct.pack("<L", len(block)) + block + b"\0" * (len(block) % 2)
    return b"RIFF" + struct.pack("<L", len(parts) + 4) + b"WEBP" + parts


def spelt(data: bytes) -> bytes:
    """Bytes as TavernAI spells them: numbers with commas."""
    return ",".join(map(str, data)).encode()


def pack(members: Iterable[tuple[str | zipfile.ZipInfo, bytes]], *, stored: bool = False) -> bytes:
    """A ZIP by the standard library."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as made:
        for name, data in members:
            made.writestr(name, data)
    return out.getvalue()


def charx(value: Any = None, *more: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    return pack([("card.json", text(v3() if value is None else value)), *more])


def world_info(**entries: Any) -> dict[str, Any]:
    """A World Info file; each keyword is an entry's uid with a leading underscore."""
    return {"entries": {key.lstrip("_"): value for key, value in entries.items()}}


def world_entry(uid: int = 0, **more: Any) -> dict[str, Any]:
    """An entry as SillyTavern 1.18 writes it."""
    return {
        "uid": uid, "key": ["码头", "/pier\\s?\\d/i"], "keysecondary": ["夜"], "comment": "旧码头",
        "content": "旧码头有七根桩。", "constant": False, "vectorized": False, "selective": True,
        "selectiveLogic": 3, "addMemo": True, "order": 70, "position": 4, "disable": False,
        "ignoreBudget": False, "excludeRecursion": True, "preventRecursion": False,
        "matchPersonaDescription": False, "matchCharacterDescription": True,
        "matchCharacterPersonality": False, "matchCharacterDepthPrompt": False,
        "matchScenario": True, "matchCreatorNotes": False, "delayUntilRecursion": 2,
        "probability": 40, "useProbability": True, "depth": 6, "outletName": "", "group": "天气",
        "groupOverride": False, "groupWeight": 120, "scanDepth": None, "caseSensitive": None,
        "matchWholeWords": None, "useGroupScoring": False, "automationId": "", "role": 1,
        "sticky": 3, "cooldown": 0, "delay": None,
        "characterFilter": {"names": [], "tags": [], "isExclude": False}, "triggers": [],
        "displayIndex": uid, **more,
    }  # fmt: skip


AGNAI = {
    "kind": "character",
    "name": "沈砚",
    "persona": {"kind": "wpp", "attributes": {"species": ["human"], "mind": ["calm", "sly"]}},
    "greeting": "g",
    "scenario": "s",
    "sampleChat": "You: hi",
    "description": "n",
    "culture": "en-us",
    "characterBook": {
        "kind": "memory",
        "name": "b",
        "entries": [
            {
                "name": "码头",
                "entry": "桩",
                "keywords": ["码头"],
                "priority": 3,
                "weight": 7,
                "enabled": True,
            }
        ],
    },
}
"""A character of Agnai with a memory book."""
