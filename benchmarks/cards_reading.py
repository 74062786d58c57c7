"""What reading a card costs: PNG cards of about 350 KB found, parsed and hashed, on disk and in memory.

`python -m benchmarks.cards_reading` prints the times, beside the straightforward way: read the whole
file, check every chunk, parse. Writes below a temporary folder only (`--dir` chooses the disk).
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import struct
import tempfile
import tracemalloc
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from clew.books import cards

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
PIXELS: Final = 340_000


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def make(count: int, size: int = PIXELS, seed: int = 7) -> list[bytes]:
    """`count` V2 cards with a lorebook of 20 entries and `size` bytes of pixel data; every second
    has its chunk behind the pixels, as SillyTavern writes it."""
    rng = random.Random(seed)
    pixels = _chunk(b"IDAT", rng.randbytes(size))
    head = SIGNATURE + _chunk(b"IHDR", struct.pack(">IIBBBBB", 400, 600, 8, 2, 0, 0, 0))
    out = []
    for number in range(count):
        entry = {"keys": ["码头"], "content": "旧码头有七根桩。" * 12, "extensions": {"depth": 4},
                 "enabled": True, "insertion_order": 100, "position": "before_char"}  # fmt: skip
        data = {
            "name": f"沈砚{number}", "description": "她在渡口等了三年。" * 150, "personality": "少言",
            "scenario": "洪水前夜", "first_mes": "船少了一条。" * 40, "mes_example": "<START>",
            "creator_notes": "", "system_prompt": "", "post_history_instructions": "",
            "alternate_greetings": ["你来晚了。"], "tags": ["码头"], "creator": "clew",
            "character_version": "1", "extensions": {"talkativeness": "0.5"},
            "character_book": {"extensions": {}, "entries": [{**entry, "id": i} for i in range(20)]},
        }  # fmt: skip
        card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
        coded = base64.b64encode(json.dumps(card, ensure_ascii=False).encode())
        text = _chunk(b"tEXt", b"chara\0" + coded)
        body = text + pixels if number % 2 else pixels + text
        out.append(head + body + _chunk(b"IEND", b""))
    return out


def straightforward(data: bytes) -> Any:
    """Every chunk copied and its checksum counted, the last card taken."""
    at, found = 8, b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        zlib.crc32(kind + body)
        if kind == b"tEXt" and body.startswith(b"chara\0"):
            found = body[6:]
        at += 12 + length
    return json.loads(base64.b64decode(found))


def timed(work: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def measure(count: int, folder: Path) -> list[tuple[str, float]]:
    """Each way to look at `count` cards, with its seconds."""
    files = make(count)
    paths = [folder / f"{number}.png" for number in range(count)]
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)

    def opened(look: Callable[[Any], object]) -> None:
        for path in paths:
            with path.open("rb") as source:
                look(source)

    def whole(look: Callable[[bytes], object]) -> None:
        for path in paths:
            look(path.read_bytes())

    def hashed(source: Any) -> object:
        card = cards.read(source).card
        assert card is not None
        return card.content_hash

    return [
        ("on disk: scan of chunks", timed(lambda: opened(cards.scan))),
        ("on disk: read without the pixels", timed(lambda: opened(cards.read))),
        ("on disk: read without the pixels, and content hash", timed(lambda: opened(hashed))),
        ("on disk: read of the whole file", timed(lambda: whole(cards.read))),
        ("on disk: straightforward", timed(lambda: whole(straightforward))),
        ("in memory: read", timed(lambda: [cards.read(data) for data in files])),
        ("in memory: straightforward", timed(lambda: [straightforward(data) for data in files])),
    ]


def peak(data: bytes) -> float:
    """Mebibytes that one reading allocates at most."""
    tracemalloc.start()
    cards.read(data)
    found = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--dir", default=None)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=asked.dir) as folder:
        for name, seconds in measure(asked.count, Path(folder)):
            print(f"{name:52} {seconds:7.2f} s   {seconds / asked.count * 1e3:6.2f} ms a card")
    print(f"{'allocated for one card':52} {peak(make(1)[0]):7.2f} MiB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
