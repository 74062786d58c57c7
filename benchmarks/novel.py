"""What the novel ledger costs at 100 to 10 000 chapters, beside a plain baseline on the same work.

`python -m benchmarks.novel` prints the table of docs/performance.md. Both tools take the same
transactions in turn, so that a busy machine is as busy for one as for the other; every number is a
median. Writes below a temporary folder only (`--dir` chooses the disk it lies on).
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

import clew
from benchmarks import baseline, workload
from benchmarks.book import PRIVATE, Book, commit_all, grow, tree, write, write_plain
from benchmarks.counting import CountingFiles, counted, touched, versions
from benchmarks.page import fill
from clew.kernel.folder import FolderVault
from clew.novel.check import check
from clew.novel.commit import commit
from clew.novel.ledger import HISTORY, STATE, Ledger
from clew.novel.timetravel import at, undo

SIZES: Final = (100, 500, 1000, 2000)
ROOT: Final = Path(__file__).resolve().parent.parent
CLEW: Final = ("-m", "clew.faces.cli.main")
PLAIN: Final = ("-m", "benchmarks.baseline")
TARGET_SIZE: Final = 2000
"""Targets are given for this size, or for the largest that was measured."""
IN_PROCESS: Final = 10.0
COMMAND: Final = 3.0
SYNCS: Final = 4
TOUCHED: Final = 9
START: Final = 2.5


def timed(work: Callable[[], Any]) -> float:
    """Milliseconds that a call takes."""
    start = perf_counter()
    work()
    return (perf_counter() - start) * 1000


class Pair:
    """The same book in both tools, moved on chapter by chapter."""

    def __init__(self, book: Book, folder: Path) -> None:
        self.size = book.state.last_committed_chapter
        self.next = self.size + 1
        self.ours, self.plain = folder / f"clew-{self.size}", folder / f"plain-{self.size}"
        write(book, self.ours)
        write_plain(book, self.plain)
        self.ledger = Ledger(self.ours)
        self.input = folder / "transaction.json"

    def document(self) -> dict[str, Any]:
        """The next chapter's transaction, also written to `input`."""
        document = workload.chapter(self.next, self.next - 1)
        self.input.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
        self.next += 1
        return document

    def step(self, ours: Callable[[Any], Any], plain: Callable[[Any], Any]) -> tuple[float, float]:
        """Commit one chapter in both; milliseconds of each."""
        document = self.document()
        return timed(lambda: ours(document)), timed(lambda: plain(document))

    def in_process(self, document: Any, ledger: Ledger | None = None) -> None:
        commit(ledger or self.ledger, document, [])

    def baseline(self, document: Any) -> None:
        baseline.commit(self.plain, document)


def command(*words: str) -> None:
    """Run a Python command as a user would: bytecode is cached, output is piped."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    call = [sys.executable, *words]
    done = subprocess.run(call, env=env, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words}: exit {done.returncode}\n{done.stdout!r}\n{done.stderr!r}")


def measure(pair: Pair, commits: int, commands: int) -> dict[str, Any]:
    """Every number of one size."""
    out: dict[str, Any] = {"chapters": pair.size, "state_bytes": (pair.ours / STATE).stat().st_size}
    for _ in range(3):
        pair.step(pair.in_process, pair.baseline)
    both(out, "commit", [pair.step(pair.in_process, pair.baseline) for _ in range(commits)])
    fresh = [
        pair.step(lambda d: pair.in_process(d, Ledger(pair.ours)), pair.baseline)
        for _ in range(commits)
    ]
    both(out, "commit, ledger opened anew", fresh)
    counts(out, pair)

    ours = ("novel", "commit", "--project", str(pair.ours), "--input", str(pair.input))
    plain = ("commit", "--project", str(pair.plain), "--input", str(pair.input))
    runs = [
        pair.step(lambda _: command(*CLEW, *ours), lambda _: command(*PLAIN, *plain))
        for _ in range(commands + 1)
    ]
    both(out, "commit command", runs[1:])
    rounds = range(max(3, commands // 2))
    both(
        out, "check",
        [(timed(lambda: check(Ledger(pair.ours), [])), timed(lambda: baseline.check(pair.plain)))
         for _ in rounds],
    )  # fmt: skip
    both(
        out, "check command",
        [(timed(lambda: command(*CLEW, "novel", "check", "--project", str(pair.ours))),
          timed(lambda: command(*PLAIN, "check", "--project", str(pair.plain))))
         for _ in rounds],
    )  # fmt: skip
    early = max(1, pair.size // 10)
    alone(out, "state after an early chapter", lambda: at(pair.ledger, chapter=early), len(rounds))
    alone(out, "undo", lambda: undo(pair.ledger, []), len(rounds))
    return out


def both(out: dict[str, Any], name: str, pairs: list[tuple[float, float]]) -> None:
    ours, plain = median(p[0] for p in pairs), median(p[1] for p in pairs)
    out[name] = {"clew_ms": ours, "baseline_ms": plain, "ratio": plain / ours}


def alone(out: dict[str, Any], name: str, work: Callable[[], Any], times: int) -> None:
    out[name] = {"clew_ms": median(timed(work) for _ in range(times))}


def counts(out: dict[str, Any], pair: Pair) -> None:
    """Bytes, files and fsyncs of one commit of each tool."""
    files = CountingFiles()
    ledger = Ledger(pair.ours, vault=FolderVault(pair.ours, files=files))
    document = pair.document()
    before = versions(pair.ours, PRIVATE)
    pair.in_process(document, ledger)
    changed = touched(before, versions(pair.ours, PRIVATE))
    written, first = files.cost.bytes, files.cost.syncs
    ledger.vault.settle(ledger.scope)  # what a command does after its answer
    later = files.cost.syncs - first
    before = versions(pair.plain, PRIVATE)
    with counted() as plain:
        pair.baseline(document)
    rewritten = touched(before, versions(pair.plain, PRIVATE))

    document = pair.document()
    pair.in_process(document, ledger)
    pair.baseline(document)
    out["per commit"] = {
        "clew": {
            "bytes": written,
            "files": len(changed),
            "fsyncs": first,
            "fsyncs_when_settled": files.cost.syncs - first - later,
            "fsyncs_after_answer": later,
        },
        "baseline": {"bytes": plain.bytes, "files": len(rewritten), "fsyncs": plain.syncs},
    }


def start_up(runs: int) -> dict[str, float]:
    """Milliseconds of an empty Python, of `clew --version`, and their ratio."""
    pairs = [
        (timed(lambda: command("-c", "pass")), timed(lambda: command(*CLEW, "--version")))
        for _ in range(runs + 1)
    ][1:]
    empty, version = median(p[0] for p in pairs), median(p[1] for p in pairs)
    return {"python_ms": empty, "version_ms": version, "ratio": version / empty}


def prove(book: Book, folder: Path) -> None:
    """Both builders give the same book, and both tools the same content. Raises RuntimeError."""
    fast, slow, plain = folder / "proof-fast", folder / "proof-slow", folder / "proof-plain"
    size = book.state.last_committed_chapter
    write(book, fast)
    write_plain(book, plain)
    commit_all(slow, size)
    if tree(fast) != tree(slow):
        raise RuntimeError("the built book is not the committed one")
    for root in (fast, slow):
        check(Ledger(root), [])
    document = workload.chapter(size + 1, size)
    commit(Ledger(fast), document, [])
    baseline.commit(plain, document)
    ours, theirs = tree(fast), tree(plain)
    ours.pop(HISTORY)
    if {k: _without_notice(v) for k, v in ours.items()} != {
        k: _without_notice(v) for k, v in theirs.items()
    }:
        raise RuntimeError("the two tools do not keep the same content")


def _without_notice(data: bytes) -> bytes:
    """A view without the line on who made it and when, which each tool words for itself."""
    lines = data.decode().split("\n")
    if len(lines) > 3 and lines[2].startswith("> "):
        del lines[2:4]
    return "\n".join(lines).encode()


def machine(folder: Path) -> str:
    """Where this was measured."""
    return (
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {_file_system(folder)}"
    )


def _file_system(folder: Path) -> str:
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8")
    except OSError:
        return "unknown file system"
    found = [line.split()[1:3] for line in mounts.splitlines()]
    holding = [f for f in found if folder.resolve().is_relative_to(f[0])]
    return max(holding, key=lambda f: len(f[0]))[1] if holding else "unknown file system"


# ---- showing -------------------------------------------------------------------------------------


def table(results: list[dict[str, Any]]) -> list[str]:
    """The results as a Markdown table: one column a size, `clew / baseline (times faster)`."""
    names = [k for k in results[0] if isinstance(results[0][k], dict) and k != "per commit"]
    rows = [["", *(f"{r['chapters']:,} chapters" for r in results)]]
    rows += [[f"{name}, ms", *(_cell(r[name]) for r in results)] for name in names]
    for key, label in (("bytes", "KB written a commit"), ("files", "files touched a commit"),
                       ("fsyncs", "fsyncs before the answer")):  # fmt: skip
        scale = 1000 if key == "bytes" else 1
        rows.append(
            [label, *(
                f"{r['per commit']['clew'][key] / scale:,.0f} / "
                f"{r['per commit']['baseline'][key] / scale:,.0f}" for r in results
            )]
        )  # fmt: skip
    rows.append(["… after a command before it", *_own(results, "fsyncs_when_settled")])
    rows.append(["… after the answer", *_own(results, "fsyncs_after_answer")])
    rows.append(["state, KB", *(f"{r['state_bytes'] / 1000:,.0f}" for r in results)])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], f"|---|{'---:|' * len(results)}", *lines[1:]]


def _cell(found: dict[str, float]) -> str:
    if "ratio" not in found:
        return f"{found['clew_ms']:,.1f}"
    return f"{found['clew_ms']:,.1f} / {found['baseline_ms']:,.1f} ({found['ratio']:.1f}×)"


def _own(results: list[dict[str, Any]], key: str) -> list[str]:
    return [f"{r['per commit']['clew'][key]} / –" for r in results]


def missed(results: list[dict[str, Any]], start: dict[str, float]) -> list[str]:
    """The targets that were not reached, in words."""
    found = []
    last = max((r for r in results if r["chapters"] <= TARGET_SIZE), default=results[0],
               key=lambda r: r["chapters"])  # fmt: skip
    at_size = f"at {last['chapters']} chapters"
    if last["commit"]["ratio"] < IN_PROCESS:
        found.append(f"commit {at_size} is {last['commit']['ratio']:.1f}×, not {IN_PROCESS:.0f}×")
    if last["commit command"]["ratio"] < COMMAND:
        ratio = last["commit command"]["ratio"]
        found.append(f"the commit command {at_size} is {ratio:.1f}×, not {COMMAND:.0f}×")
    for row in results:
        ours = row["per commit"]["clew"]
        if ours["fsyncs"] > SYNCS:
            found.append(f"{ours['fsyncs']} fsyncs before the answer, more than {SYNCS}")
        if ours["files"] > TOUCHED:
            found.append(f"{ours['files']} files touched, more than {TOUCHED}")
    if start["ratio"] > START:
        found.append(f"`clew --version` takes {start['ratio']:.1f} times an empty Python")
    first, end = results[0], results[-1]
    growth = end["commit"]["clew_ms"] / first["commit"]["clew_ms"]
    size = end["state_bytes"] / first["state_bytes"]
    if growth > size and end is not first:
        found.append(
            f"a commit became {growth:.1f} times dearer, the state {size:.1f} times larger"
        )
    return found


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.novel", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="chapters, by commas")
    parser.add_argument("--commits", type=int, default=20, help="commits in process a size")
    parser.add_argument("--commands", type=int, default=7, help="runs of each command a size")
    parser.add_argument("--dir", type=Path, help="where the books are built (chooses the disk)")
    parser.add_argument("--json", type=Path, help="write the numbers here as well")
    parser.add_argument("--assert", dest="strict", action="store_true",
                        help="exit 1 when a target is missed")  # fmt: skip
    parser.add_argument("--write", type=Path, metavar="FILE",
                        help="put the table between the marks of this page")  # fmt: skip
    given = parser.parse_args(argv)
    sizes = sorted({int(word) for word in given.sizes.split(",")})
    for folder in (Path(clew.__file__).parent, ROOT / "benchmarks"):
        compileall.compile_dir(folder, quiet=1)
    results = []
    with tempfile.TemporaryDirectory(prefix="clew-bench-", dir=given.dir) as name:
        folder = Path(name).resolve()  # commands run in another folder
        where = machine(folder)
        print(where, file=sys.stderr, flush=True)
        start = start_up(given.commands)
        for number, book in enumerate(grow(sizes)):
            if number == 0:
                prove(book, folder)
            print(f"measuring {sizes[number]} chapters …", file=sys.stderr, flush=True)
            results.append(measure(Pair(book, folder), given.commits, given.commands))
    page = [
        f"Measured on {where}.",
        "",
        *table(results),
        "",
        f"Start-up: an empty Python {start['python_ms']:.1f} ms, "
        f"`clew --version` {start['version_ms']:.1f} ms ({start['ratio']:.1f} times).",
    ]
    print("\nEach cell: clew / baseline (how many times faster clew is).\n")
    print("\n".join(page))
    if given.write:
        fill(given.write, "measured", page)
    if given.json:
        answer = {"machine": where, "start_up": start, "sizes": results}
        given.json.write_text(json.dumps(answer, indent=2) + "\n", encoding="utf-8")
    short = missed(results, start)
    for line in short:
        print(f"target missed: {line}")
    return 1 if short and given.strict else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
