"""What the library costs: thousands of PNG cards imported, tens of thousands listed and searched.

`python -m benchmarks.cards` prints the table of docs/performance.md, beside the straightforward way to
do the same: read each file whole, decode its picture, parse the card, store both with one sync a file;
and to search, read every card. Both ways keep the same cards, which is checked. Writes below a
temporary folder only (`--dir` chooses the disk it lies on).
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

from benchmarks.novel import ROOT, machine
from benchmarks.page import fill

COUNT: Final = 5_000
SHELF: Final = 20_000
IMPORT_S: Final = 20.0
"""For `COUNT` cards; in proportion for fewer."""
ASK_MS: Final = 100.0
RSS_MB: Final = 150
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PIXELS: Final = 340_000
_SENTENCES: Final = (
    "她在渡口等了三年，只为把那本账交给一个不会撒谎的人。",
    "码头的桩子少了一根，没有人承认拔过它。",
    "他说话很慢，每一句都像在数零钱。",
    "洪水来的前一夜，灯一盏一盏地灭。",
    "The boatman counts in tens and lies in twelves.",
    "Nobody asks about the ledger twice.",
    "旧城的雨从不往下落，它横着走。",
    "{{char}} 从不看人的眼睛，只看手。",
)
_SURNAMES: Final = "沈江周钟林顾陆程苏叶白裴谢温宋"
_NAMES: Final = "砚舟薄森嘉昀澈之晚棠越照寒衣"


# ---- the cards --------------------------------------------------------------------------------


def card(number: int, sentences: int) -> dict[str, Any]:
    """A V2 card with a small lorebook; each is another."""
    rng = random.Random(number)

    def text(count: int) -> str:
        return "".join(rng.choice(_SENTENCES) for _ in range(count))

    name = rng.choice(_SURNAMES) + rng.choice(_NAMES) + rng.choice(_NAMES)
    entries = [
        {
            "id": entry, "keys": [f"词{number % 97}{entry}"], "secondary_keys": [], "comment": "",
            "content": text(2), "constant": False, "selective": True, "insertion_order": 100,
            "enabled": True, "position": "before_char", "extensions": {"depth": 4, "position": 0},
        }
        for entry in range(max(1, sentences // 12))
    ]  # fmt: skip
    data = {
        "name": f"{name}{number}", "description": text(sentences), "personality": text(3),
        "scenario": text(2), "first_mes": text(5), "mes_example": f"<START>\n{{{{char}}}}: {text(4)}",
        "creator_notes": text(2), "system_prompt": "", "post_history_instructions": "",
        "alternate_greetings": [text(3)], "tags": [f"标签{number % 40}", "Slow Burn", "古风"],
        "creator": f"作者{number % 200}", "character_version": "1.0",
        "extensions": {"fav": number % 50 == 0, "talkativeness": "0.5"},
        "character_book": {"name": name, "extensions": {}, "entries": entries},
    }  # fmt: skip
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(value: dict[str, Any], pixels: bytes, size: tuple[int, int]) -> bytes:
    """A picture with a card after its pixels, as most programs write it."""
    header = struct.pack(">IIBBBBB", *size, 8, 2, 0, 0, 0)
    coded = base64.b64encode(json.dumps(value, ensure_ascii=False).encode())
    return b"".join((
        _SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", pixels),
        _chunk(b"tEXt", b"chara\0" + coded), _chunk(b"IEND", b""),
    ))  # fmt: skip


def write_cards(folder: Path, count: int, *, noise: int, sentences: int) -> int:
    """Write `count` cards whose pictures take about `noise` bytes. Returns the bytes of all."""
    folder.mkdir()
    width = 300
    height = max(1, noise // (width * 3 + 1))
    rng = random.Random(7)
    rows = b"".join(b"\0" + rng.randbytes(width * 3) for _ in range(height))
    pixels = zlib.compress(rows, 1)
    total = 0
    for number in range(count):
        data = png(card(number, sentences), pixels, (width, height))
        (folder / f"{number:06}.png").write_bytes(data)
        total += len(data)
    return total


# ---- the straightforward way ------------------------------------------------------------------


def plain_read(path: Path) -> tuple[bytes, dict[str, Any]]:
    """Read a card as a program without tricks does: the whole file, its picture decoded."""
    data = path.read_bytes()
    at, pixels, found = 8, b"", {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if (
            zlib.crc32(kind + body)
            != struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        ):
            raise ValueError(path)
        if kind == b"IDAT":
            pixels += body
        elif kind == b"tEXt" and body.startswith(b"chara\0"):
            found = json.loads(base64.b64decode(body[6:]))
        at += 12 + length
    _decoded(data, pixels)
    return data, found


def _decoded(data: bytes, pixels: bytes) -> None:
    """The picture: with Pillow where it is installed, else the inflated rows."""
    try:
        import io

        from PIL import Image
    except ImportError:
        zlib.decompress(pixels)
        return
    Image.open(io.BytesIO(data)).load()


def plain_import(source: Path, target: Path) -> int:
    """Keep every card: its file and its JSON, each written, synced and renamed."""
    target.mkdir()
    count = 0
    for path in sorted(source.iterdir()):
        data, found = plain_read(path)
        for name, content in (
            (path.name, data),
            (f"{path.stem}.json", json.dumps(found, ensure_ascii=False, indent=1).encode()),
        ):
            staged = target / f"{name}.tmp"
            with staged.open("wb") as handle:
                handle.write(content)
                handle.flush()
                os.fsync(handle.fileno())
            staged.rename(target / name)
        count += 1
    return count


def plain_search(folder: Path, word: str, limit: int) -> list[str]:
    """Read every card until enough hold the word."""
    hits: list[str] = []
    for path in sorted(folder.glob("*/v1.json"), reverse=True):
        if word in path.read_text(encoding="utf-8"):
            hits.append(path.parent.name)
            if len(hits) == limit:
                break
    return hits


# ---- workers: each way in a process of its own, so that its memory is its own -----------------


def worker(argv: list[str]) -> dict[str, Any]:
    """One measured run."""
    what, source, target = argv[0], Path(argv[1]), Path(argv[2])
    start = perf_counter()
    if what == "ask":
        return measure_asking(target)
    if what == "plain":
        count = plain_import(source, target)
    elif what == "read":
        count = sum(bool(plain_read(path)) for path in sorted(source.iterdir()))
    elif what == "index":
        from clew.books.library import open_library
        from clew.books.listing import catalog

        count = 0
        catalog(open_library(target)).refresh_texts()
    else:
        from clew.books.bulk import import_cards
        from clew.books.library import create_library, open_library

        library = create_library(target) if what == "import" else open_library(target)
        done = import_cards(library, [str(source)])
        count = done.taken
    seconds = perf_counter() - start
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"count": count, "seconds": seconds, "rss_mb": rss}


def run(what: str, source: Path, target: Path) -> dict[str, Any]:
    line = [sys.executable, "-m", "benchmarks.cards", "--worker", what, str(source), str(target)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return dict(json.loads(done.stdout))


def timed(work: Callable[[], Any], runs: int = 5) -> float:
    """Median milliseconds."""
    times = []
    for _ in range(runs):
        start = perf_counter()
        work()
        times.append((perf_counter() - start) * 1000)
    return median(times)


# ---- the measures -----------------------------------------------------------------------------


def measure_import(folder: Path, count: int) -> dict[str, Any]:
    """Import, import again, and the straightforward way."""
    source, target = folder / "cards", folder / "library"
    size = write_cards(source, count, noise=_PIXELS, sentences=60)
    out: dict[str, Any] = {"count": count, "bytes_each": size // count}
    run("read", source, folder / "none")  # both ways find the files in memory
    out["read"] = run("read", source, folder / "none")
    out["import"] = run("import", source, target)
    out["again"] = run("again", source, target)
    out["plain"] = run("plain", source, folder / "plain")
    if out["import"]["count"] != count or out["again"]["count"] or out["plain"]["count"] != count:
        raise RuntimeError(f"not every card was kept: {out}")
    from clew.books.library import open_library
    from clew.books.listing import catalog

    library = open_library(target)
    start = perf_counter()
    catalog(library).refresh()
    out["rows_s"] = perf_counter() - start
    start = perf_counter()
    catalog(library).refresh_texts()
    out["texts_s"] = perf_counter() - start
    out["library_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for gone in (source, target, folder / "plain"):
        shutil.rmtree(gone, ignore_errors=True)
    return out


def measure_shelf(folder: Path, count: int) -> dict[str, Any]:
    """List, filter and search a large shelf."""
    source, target = folder / "shelf", folder / "library"
    write_cards(source, count, noise=900, sentences=20)
    run("import", source, target)
    run("index", source, target)
    return run("ask", source, target)


def measure_asking(target: Path) -> dict[str, Any]:
    """What asking a shelf costs that is indexed: times, and the memory of the process that asks."""
    from clew.books.library import open_library
    from clew.books.listing import Wanted, list_assets
    from clew.books.searching import search

    library = open_library(target)
    count = list_assets(library).total
    cards = target / "assets" / "cards"
    wanted = Wanted(tags=("标签7", "slow burn"), creator="作者7")
    out: dict[str, Any] = {"count": count}
    out["open and first page"] = timed(lambda: list_assets(open_library(target)))
    out["a page of 100"] = timed(lambda: list_assets(library))
    out["by two tags and the creator"] = timed(lambda: list_assets(library, wanted))
    out["favourites by title"] = timed(
        lambda: list_assets(library, Wanted(favourite=True), sort="title")
    )
    out["every card"] = timed(lambda: list_assets(library, limit=count))
    for word in ("渡", "码头", "ledger", "数零钱", f"{count // 2}"):
        ours = timed(lambda word=word: search(library, word))  # type: ignore[misc]
        plain = timed(lambda word=word: plain_search(cards, word, 20), 1)  # type: ignore[misc]
        out[f"search {word}"] = [ours, plain]
    rare = "梅雨季"
    out[f"search {rare} (nowhere)"] = [
        timed(lambda: search(library, rare)), timed(lambda: plain_search(cards, rare, 20), 1)
    ]  # fmt: skip
    out["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return out


def table(imported: dict[str, Any], shelf: dict[str, Any]) -> list[str]:
    """The rows of the page."""
    ours, plain, again = imported["import"], imported["plain"], imported["again"]
    count, kb = imported["count"], imported["bytes_each"] // 1000
    lines = [
        f"| {count:,} PNG cards of {kb} KB | clew | straightforward | ratio |",
        "|---|---:|---:|---:|",
        f"| import, s | {ours['seconds']:.1f} | {plain['seconds']:.1f} | "
        f"{plain['seconds'] / ours['seconds']:.1f}× |",
        f"| … one card, ms | {ours['seconds'] * 1000 / count:.1f} | "
        f"{plain['seconds'] * 1000 / count:.1f} | |",
        f"| … only read, decoded, parsed, s | – | {imported['read']['seconds']:.1f} | |",
        f"| the same import again (adds nothing), s | {again['seconds']:.1f} | – | |",
        f"| list index afterwards, s | {imported['rows_s']:.1f} | – | |",
        f"| text index afterwards, s | {imported['texts_s']:.1f} | – | |",
        f"| memory of the import, MB | {ours['rss_mb']:.0f} | {plain['rss_mb']:.0f} | |",
        "",
        f"| {shelf['count']:,} cards on the shelf | clew, ms | reading every card, ms | ratio |",
        "|---|---:|---:|---:|",
    ]
    for name, value in shelf.items():
        if name in ("count", "rss_mb"):
            continue
        if isinstance(value, list):
            one, other = value
            lines.append(f"| {name} | {one:.1f} | {other:,.0f} | {other / one:,.0f}× |")
        else:
            lines.append(f"| {name} | {value:.1f} | – | |")
    lines.append(f"| memory of all of this, MB | {shelf['rss_mb']:.0f} | – | |")
    return lines


def missed(imported: dict[str, Any], shelf: dict[str, Any]) -> list[str]:
    """Which aims were not reached."""
    out = []
    limit = IMPORT_S * imported["count"] / COUNT + 1
    if imported["import"]["seconds"] > limit:
        out.append(f"import {imported['import']['seconds']:.1f} s > {limit:.1f} s")
    for name, used in (("the import", imported["import"]), ("asking", shelf)):
        if used["rss_mb"] > RSS_MB:
            out.append(f"memory of {name}: {used['rss_mb']:.0f} MB > {RSS_MB} MB")
    for name, value in shelf.items():
        ms = value[0] if isinstance(value, list) else value
        if name not in ("count", "rss_mb") and ms > ASK_MS:
            out.append(f"{name}: {ms:.0f} ms > {ASK_MS:.0f} ms")
    return out


def main(argv: list[str]) -> int:
    if argv[:1] == ["--worker"]:
        print(json.dumps(worker(argv[1:])))
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT, help="cards to import")
    parser.add_argument("--shelf", type=int, default=SHELF, help="cards to list and search")
    parser.add_argument("--dir", type=Path, help="where the temporary folder is made")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers")
    parser.add_argument("--assert", dest="strict", action="store_true",
                        help="exit 1 when an aim is missed")  # fmt: skip
    parser.add_argument("--write", type=Path, metavar="FILE",
                        help="put the table between the marks of this page")  # fmt: skip
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="clew-cards-", dir=given.dir) as name:
        folder = Path(name)
        imported = measure_import(folder, given.count)
        shelf = measure_shelf(folder, given.shelf)
        where = machine(folder)
    page = [f"Measured on {where}.", "", *table(imported, shelf)]
    print("\n".join(page))
    if given.json:
        given.json.write_text(json.dumps({"import": imported, "shelf": shelf}), encoding="utf-8")
    if given.write:
        fill(given.write, "cards", page)
    short = missed(imported, shelf)
    for line in short:
        print(f"aim missed: {line}")
    return 1 if short and given.strict else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
