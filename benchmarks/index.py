"""What the derived index costs, and how fast it finds one or two Chinese characters.

`python -m benchmarks.index` prints the table of docs/performance.md. The same messages are kept in
three ways: clew's index over the logs; a table with the texts beside SQLite's own trigram index; the
same table searched with LIKE. A run stops when two of them find different messages. Writes below a
temporary folder only (`--dir` chooses the disk it lies on).
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple

import clew
from benchmarks.messages import CHATS, NAME, RARE, START, Message, line, messages, path
from benchmarks.novel import ROOT, machine
from benchmarks.page import fill
from clew.kernel.folder import FolderVault
from clew.kernel.index import Index
from clew.kernel.index_schema import Change, Column, Put, Schema, Table
from clew.kernel.index_source import FolderSource

SIZE: Final = 1_000_000
LIMIT: Final = 50
WARM: Final = 9
COLD: Final = 3
TARGET_MS: Final = 100.0
MEMORY_MB: Final = 150.0
SCHEMA: Final = Schema(
    "bench", 1,
    (Table("messages", (Column("book"), Column("role")), (("book", "ordinal"),), ("text",),
           ("book",)),),
)  # fmt: skip


class Question(NamedTuple):
    """One search."""

    label: str
    text: str
    book: str | None = None
    like: bool = True
    """Whether LIKE asks for the same thing (one stretch of Chinese)."""


def questions(common: str, middle: str) -> list[Question]:
    """The searches of the table; `common` and `middle` are characters of the messages."""
    return [
        Question("one character, very common", common),
        Question("one character, in the middle", middle),
        Question("one character, in 20 messages", RARE[0]),
        Question("one character, in none", "龗"),
        Question("two characters, a name", NAME),
        Question("two characters, in 20 messages", RARE),
        Question("eight common characters, nowhere together", "的了是我的了是我"),
        Question("two terms, a name and a common character", f"{NAME} {common}", like=False),
        Question("a word, very common", "the", like=False),
        Question("a word by its beginning", "stra", like=False),
        Question("one very common character, in one chat", common, book="b0007"),
        Question("two characters, a name, in one chat", NAME, book="b0007"),
    ]


def rows_of(name: str, data: bytes) -> Iterable[Change]:
    """A line of a chat as a row."""
    said = json.loads(data)
    yield Put(
        "messages", said["id"], said["at"],
        {"book": name.split("/")[1], "role": said["role"]}, {"text": said["text"]},
    )  # fmt: skip


def index_of(root: Path) -> Index:
    """The index of a library of chats."""
    chats = [path(number) for number in range(CHATS)]
    source = FolderSource(
        FolderVault(root), paths=lambda: chats, kind=lambda _: "log", rows=rows_of
    )
    return Index(f"{root.as_posix()}/.clew/index.sqlite", SCHEMA, source)


def search(index: Index, question: Question) -> list[str]:
    """The keys of the newest messages that match."""
    where = {"book": question.book} if question.book else {}
    return [hit.key for hit in index.search("messages", question.text, where=where, limit=LIMIT)]


# ---- building ----------------------------------------------------------------------------------


def write_logs(root: Path, size: int) -> float:
    """Write the chats; returns their size in MB."""
    for number in range(CHATS):
        (root / path(number)).parent.mkdir(parents=True)
    pending: dict[int, list[bytes]] = {}
    total = 0
    for message in messages(size):
        pending.setdefault(message.chat, []).append(line(message))
        if message.number % 50_000 == 49_999:
            total += _flush(root, pending)
    return (total + _flush(root, pending)) / 1e6


def _flush(root: Path, pending: dict[int, list[bytes]]) -> int:
    total = 0
    for chat, lines in pending.items():
        with (root / path(chat)).open("ab") as file:
            total += file.write(b"".join(lines))
    pending.clear()
    return total


def build(root: Path) -> dict[str, float]:
    """Make the index from nothing, and tell what it took. Runs in a process of its own."""
    with index_of(root) as index:
        start = perf_counter()
        index.refresh(text=False)
        rows = perf_counter() - start
        start = perf_counter()
        first = None
        while index.refresh_text(8_000):
            first = first or perf_counter() - start
        text = perf_counter() - start
        start = perf_counter()
        index.refresh()
        idle = perf_counter() - start
    return {
        "rows_s": rows, "text_s": text, "first_step_s": first or text, "idle_ms": idle * 1000,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "size_mb": (root / ".clew/index.sqlite").stat().st_size / 1e6,
    }  # fmt: skip


def build_plain(folder: Path, size: int) -> dict[str, float]:
    """A table with the texts, which LIKE reads, and SQLite's trigram index over it."""
    connection = sqlite3.connect(folder / "plain.sqlite", isolation_level=None)
    connection.execute("PRAGMA cache_size = -32768")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, book TEXT, text TEXT)")
    connection.execute("CREATE INDEX by_book ON messages (book)")
    took = _fill(connection, "INSERT INTO messages VALUES (?, ?, ?)", _plain_rows(size))
    plain_mb = (folder / "plain.sqlite").stat().st_size / 1e6
    connection.execute(
        "CREATE VIRTUAL TABLE found USING fts5(text, content='messages', content_rowid='id', "
        "columnsize=0, tokenize='trigram')"
    )
    connection.execute("INSERT INTO found (found, rank) VALUES ('hashsize', ?)", (16 << 20,))
    start = perf_counter()
    connection.execute("INSERT INTO found (found) VALUES ('rebuild')")
    trigram = perf_counter() - start
    connection.close()
    whole_mb = (folder / "plain.sqlite").stat().st_size / 1e6
    return {
        "plain_s": took, "plain_mb": plain_mb, "trigram_s": trigram,
        "trigram_mb": whole_mb - plain_mb,
    }  # fmt: skip


def _plain_rows(size: int) -> Iterator[tuple[int, str, str]]:
    return ((m.number, f"b{m.chat:04d}", m.text) for m in messages(size))


def _fill(connection: sqlite3.Connection, sql: str, rows: Iterator[Any]) -> float:
    """Seconds that it takes to insert all rows, without the making of the rows themselves."""
    took = 0.0
    while batch := list(islice(rows, 8_000)):
        start = perf_counter()
        connection.execute("BEGIN")
        connection.executemany(sql, batch)
        connection.execute("COMMIT")
        took += perf_counter() - start
    return took


# ---- searching ---------------------------------------------------------------------------------


def timed(times: int, work: Callable[..., Any], *given: Any, **more: Any) -> float:
    """The median milliseconds of a call."""
    took = []
    for _ in range(times):
        start = perf_counter()
        work(*given, **more)
        took.append((perf_counter() - start) * 1000)
    return median(took)


def like(connection: sqlite3.Connection, question: Question) -> list[str]:
    """The same with LIKE, over the whole table, the newest first."""
    narrowed = " AND book = ?" if question.book else ""
    values = [f"%{question.text}%", *([question.book] if question.book else []), LIMIT]
    return [
        f"m{number:07d}"
        for (number,) in connection.execute(
            f"SELECT id FROM messages WHERE text LIKE ?{narrowed} ORDER BY id DESC LIMIT ?", values
        )
    ]


def trigram(connection: sqlite3.Connection, question: Question) -> list[str]:
    """The same through the trigram index, which finds nothing shorter than three characters."""
    narrowed = " AND m.book = ?" if question.book else ""
    values = [f'"{question.text}"', *([question.book] if question.book else []), LIMIT]
    return [
        f"m{number:07d}"
        for (number,) in connection.execute(
            "SELECT f.rowid FROM found AS f CROSS JOIN messages AS m ON m.id = f.rowid "
            f"WHERE f.found MATCH ?{narrowed} ORDER BY f.rowid DESC LIMIT ?",
            values,
        )
    ]


def cold(root: Path, question: Question) -> float:
    """Milliseconds from opening the index to the answer, in a fresh process, with nothing of the
    file in memory where the system lets us drop it."""
    _drop_cache(root / ".clew/index.sqlite")
    code = (
        "import sys, time\nfrom benchmarks.index import Question, index_of, search\n"
        "from pathlib import Path\nquestion = Question('', sys.argv[2], sys.argv[3] or None)\n"
        "index = index_of(Path(sys.argv[1]))\nstart = time.perf_counter()\n"
        "search(index, question)\nprint((time.perf_counter() - start) * 1000)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root), question.text, question.book or ""],
        cwd=ROOT, capture_output=True, check=True, text=True,
    )  # fmt: skip
    return float(done.stdout)


def _drop_cache(file: Path) -> None:
    if hasattr(os, "posix_fadvise"):
        handle = os.open(file, os.O_RDONLY)
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)


def measure(root: Path, folder: Path, asked: list[Question]) -> list[dict[str, Any]]:
    """Every question in every way. Raises RuntimeError when two ways disagree."""
    out = []
    plain = sqlite3.connect(folder / "plain.sqlite")
    with index_of(root) as index:
        for question in asked:
            ours = search(index, question)
            row: dict[str, Any] = {
                "label": question.label, "hits": len(ours),
                "clew_ms": timed(WARM, search, index, question),
                "cold_ms": median(cold(root, question) for _ in range(COLD)),
            }  # fmt: skip
            if question.like:
                if like(plain, question) != ours:
                    raise RuntimeError(f"{question}: LIKE finds other messages")
                row["like_ms"] = timed(3, like, plain, question)
                same = len(question.text) > 2 and trigram(plain, question) == ours
                row["trigram_ms"] = timed(WARM, trigram, plain, question) if same else None
            out.append(row)
        first = index.search("messages", NAME, limit=LIMIT)
        out.append(
            {
                "label": "the page after the first, a name",
                "hits": len(first),
                "clew_ms": timed(
                    WARM, index.search, "messages", NAME, limit=LIMIT, before=first[-1].cursor
                ),
            }
        )
        out.append(_one_more(root, index))
    plain.close()
    return out


def _one_more(root: Path, index: Index) -> dict[str, Any]:
    """A message is appended, the index brought up to date, and the message found."""
    took = []
    for number in range(WARM):
        text = f"新来的{number}号靁"
        new = Message(0, 9_000_000 + number, START + 9_000_000_000 + number, text)
        with (root / path(0)).open("ab") as file:
            file.write(line(new))
        start = perf_counter()
        index.refresh()
        found = index.search("messages", f"{number}号靁")
        took.append((perf_counter() - start) * 1000)
        if len(found) != 1:
            raise RuntimeError("the new message is not found")
    return {
        "label": "a message is appended: refresh and search",
        "hits": 1,
        "clew_ms": median(took),
    }


def characters(size: int) -> tuple[str, str]:
    """A very common character and one in the middle of the field, by how many messages have it."""
    count: dict[str, int] = {}
    sample = min(size, 5_000)
    for message in messages(sample):
        for character in set(message.text):
            if "\u4e00" <= character <= "\u9fff":
                count[character] = count.get(character, 0) + 1
    ranked = sorted(count, key=lambda c: (-count[c], c))
    middle = next(c for c in ranked if count[c] <= max(1, sample // 100))
    return ranked[0], middle


# ---- showing -----------------------------------------------------------------------------------


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The searches as a Markdown table."""
    lines = [
        "| search, the newest 50, ms | hits | clew, warm | clew, cold | trigram | LIKE |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        cells = [row["label"], str(row["hits"]), f"{row['clew_ms']:,.2f}"]
        cells.append(f"{row['cold_ms']:,.1f}" if "cold_ms" in row else "–")
        if "like_ms" not in row:
            cells += ["–", "–"]
        else:
            cells.append(_against(row["trigram_ms"], row["clew_ms"]))
            cells.append(_against(row["like_ms"], row["clew_ms"]))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _against(other: float | None, ours: float) -> str:
    return "finds nothing" if other is None else f"{other:,.2f} ({other / ours:,.1f}×)"


def summary(size: int, built: dict[str, float], plain: dict[str, float], logs: float) -> list[str]:
    """What building took."""
    return [
        f"{size:,} messages in {CHATS} chats, {logs:,.0f} MB of logs.",
        "",
        "| building | time, s | on disk, MB |",
        "|---|---:|---:|",
        f"| clew: rows (after this everything but text is there) | {built['rows_s']:,.1f} | |",
        f"| clew: text (the newest can be found after {built['first_step_s']:.2f} s) "
        f"| {built['text_s']:,.1f} | {built['size_mb']:,.0f} in all |",
        f"| a table with the texts, for LIKE | {plain['plain_s']:,.1f} | {plain['plain_mb']:,.0f} |",
        f"| a trigram index besides | {plain['trigram_s']:,.1f} | {plain['trigram_mb']:,.0f} |",
        "",
        f"Memory while building, at most: {built['memory_mb']:,.0f} MB. A refresh that finds nothing "
        f"new: {built['idle_ms']:,.1f} ms.",
    ]


def missed(rows: list[dict[str, Any]], built: dict[str, float]) -> list[str]:
    """The aims that were not reached, in words."""
    found = [
        f"{row['label']}: {row[key]:.1f} ms, more than {TARGET_MS:.0f}"
        for row in rows
        for key in ("clew_ms", "cold_ms")
        if row.get(key, 0.0) > TARGET_MS
    ]
    if built["memory_mb"] > MEMORY_MB:
        found.append(f"building took {built['memory_mb']:.0f} MB, more than {MEMORY_MB:.0f}")
    return found


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.index", description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="messages")
    parser.add_argument("--dir", type=Path, help="where everything is built (chooses the disk)")
    parser.add_argument("--json", type=Path, help="write the numbers here as well")
    parser.add_argument("--assert", dest="strict", action="store_true",
                        help="exit 1 when an aim is missed")  # fmt: skip
    parser.add_argument("--write", type=Path, metavar="FILE",
                        help="put the tables between the marks of this page")  # fmt: skip
    parser.add_argument("--build", type=Path, metavar="ROOT", help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.build:
        print(json.dumps(build(given.build)))
        return 0
    for part in (Path(clew.__file__).parent, ROOT / "benchmarks"):
        compileall.compile_dir(part, quiet=1)
    with tempfile.TemporaryDirectory(prefix="clew-bench-", dir=given.dir) as name:
        folder = Path(name).resolve()
        root = folder / "library"
        where = machine(folder)
        print(where, file=sys.stderr, flush=True)
        logs = write_logs(root, given.size)
        print("building the index …", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.index", "--build", str(root)],
            cwd=ROOT, check=True, capture_output=True, text=True,
        )  # fmt: skip
        built: dict[str, float] = json.loads(done.stdout)
        print("building what it is compared with …", file=sys.stderr, flush=True)
        plain = build_plain(folder, given.size)
        print("searching …", file=sys.stderr, flush=True)
        rows = measure(root, folder, questions(*characters(given.size)))
    page = [f"Measured on {where}.", "", *summary(given.size, built, plain, logs), "", *table(rows)]
    print("\n".join(page))
    found = missed(rows, built)
    for text in found:
        print(f"missed: {text}", file=sys.stderr)
    if given.json:
        numbers = {"built": built, "plain": plain, "logs_mb": logs, "searches": rows}
        given.json.write_text(json.dumps(numbers, indent=1, ensure_ascii=False), encoding="utf-8")
    if given.write:
        fill(given.write, "index", page)
    return 1 if found and given.strict else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
