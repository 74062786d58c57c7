"""What the state of a skill costs: whole processes beside an empty Python, and one change in a process.

`python -m benchmarks.sidecar` prints the table of docs/performance.md. The processes take turns, so
that a busy machine is as busy for each; every number is a median. What a change costs without the disk
is the processor's time outside of fsync. Writes below a temporary folder only (`--dir` chooses the disk it lies on).
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
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

import clew
from benchmarks.page import fill
from clew.kernel.files import Files
from clew.sidecar import shelf
from clew.sidecar.bundle import bundled_text
from clew.sidecar.store import Store

PROFILE: Final = "smoking-persona"
ROOT: Final = Path(__file__).resolve().parent.parent
SIZES: Final = (4, 64, 1024)
"""KB of a state."""
START: Final = 4.0
"""`turn` takes at most so many times an empty Python."""
CHANGE_MS: Final = 1.0
"""A change of a state of 4 KB, without the disk's part."""


class TimedFiles(Files):
    """The real files; counts the processor's milliseconds that go into fsync."""

    def __init__(self) -> None:
        self.spent = 0.0

    def sync(self, path: str) -> None:
        start = process_time()
        super().sync(path)
        self.spent += (process_time() - start) * 1000

    def sync_dir(self, folder: str) -> None:
        start = process_time()
        super().sync_dir(folder)
        self.spent += (process_time() - start) * 1000


def processes(folder: Path, times: int) -> dict[str, float]:
    """Milliseconds of whole processes, from start to exit."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env |= {"CLEW_STATE_DIR": str(folder / "states"), "CLEW_LANG": "en", "TMPDIR": str(folder)}
    bundle = folder / "state.py"
    bundle.write_text(bundled_text(shelf.find(PROFILE, env, str(folder))), "utf-8")
    program = Path(sys.executable).with_name("clew")
    ours = [str(program)] if program.exists() else [sys.executable, "-m", "clew.faces.cli.main"]
    named = ["--profile", PROFILE]
    calls = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "python -c 'import json'": [sys.executable, "-c", "import json"],
        "clew --version": [*ours, "--version"],
        "clew sidecar read": [*ours, "sidecar", "read", *named],
        "clew sidecar turn": [*ours, "sidecar", "turn", *named],
        "clew sidecar event": [*ours, "sidecar", "event", "borrow", "--arg", "amount=1", *named],
        "a bundle: turn": [sys.executable, "-I", "-S", str(bundle), "turn"],
    }
    _run([*ours, "sidecar", "resume", *named], env)
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(times + 1):
        for name, call in calls.items():
            start = perf_counter()
            _run(call, env)
            if number:  # the first fills the caches
                taken[name].append((perf_counter() - start) * 1000)
    return {name: median(values) for name, values in taken.items()}


def _run(call: list[str], env: dict[str, str]) -> None:
    done = subprocess.run(call, env=env, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise RuntimeError(f"{call}: exit {done.returncode}\n{done.stderr!r}")


def changes(folder: Path, times: int) -> dict[str, dict[str, float]]:
    """Milliseconds of one event in a process, by the size of the state."""
    profile = shelf.find(PROFILE, {"CLEW_STATE_DIR": str(folder)}, str(folder))
    out = {}
    for size in SIZES:
        path = folder / f"{size}.json"
        files = TimedFiles()
        store = Store(str(path), profile, files=files)
        if not store.change(store.switch(on=True)).saved:
            raise RuntimeError(f"{path} cannot be written")
        _grow(path, size * 1024)
        all_ms, own_ms, read_ms = [], [], []
        for number in range(times if size < 1024 else max(5, times // 10)):
            files.spent = 0.0
            start, busy = perf_counter(), process_time()
            done = store.change(store.entry("turn", chars=number))
            took, used = (perf_counter() - start) * 1000, (process_time() - busy) * 1000
            if not done.saved:
                raise RuntimeError(f"{path}: {done.notes}")
            all_ms.append(took)
            own_ms.append(used - files.spent)
            busy = process_time()
            store.read()
            read_ms.append((process_time() - busy) * 1000)
        state = json.loads(path.read_text("utf-8"))
        if state["wallet_yuan"] != len(all_ms) or path.stat().st_size < size * 1000:
            raise RuntimeError(f"{path}: the state is not what it must be")
        out[f"{size} KB"] = {
            "change_ms": median(all_ms), "own_ms": median(own_ms), "read_ms": median(read_ms),
        }  # fmt: skip
    return out


def _grow(path: Path, size: int) -> None:
    """Fill a state up with fields of another version, which are kept."""
    state = json.loads(path.read_text("utf-8"))
    line = 60
    state["kept"] = {
        f"key {n:06d}": "x" * (line - 20) for n in range(max(0, size - path.stat().st_size) // line)
    }
    path.write_text(json.dumps(state, ensure_ascii=False, indent=2), "utf-8")


def table(found: dict[str, Any], place: str) -> str:
    """The table of the page."""
    base = found["processes"]["python -c pass"]
    lines = [
        f"Measured on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python "
        f"{platform.python_version()}, {platform.system()} {platform.machine()}{place}.",
        "",
        "| whole process | ms | times an empty Python |",
        "|---|---:|---:|",
        *(f"| `{n}` | {ms:.1f} | {ms / base:.1f} |" for n, ms in found["processes"].items()),
        "",
        "| one turn in a process, by size of the state | all, ms | processor without fsync, ms "
        "| reading, processor, ms |",
        "|---|---:|---:|---:|",
        *(
            f"| {size} | {row['change_ms']:.2f} | {row['own_ms']:.2f} | {row['read_ms']:.2f} |"
            for size, row in found["changes"].items()
        ),
    ]
    return "\n".join(lines) + "\n"


def missed(found: dict[str, Any]) -> list[str]:
    """The aims that were not reached."""
    out = []
    took = found["processes"]["clew sidecar turn"] / found["processes"]["python -c pass"]
    if took > START:
        out.append(f"`clew sidecar turn` takes {took:.1f} times an empty Python, not {START:.0f}")
    own = found["changes"][f"{SIZES[0]} KB"]["own_ms"]
    if own >= CHANGE_MS:
        out.append(f"a change of {SIZES[0]} KB takes {own:.2f} ms without fsync, not {CHANGE_MS}")
    return out


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sidecar")
    parser.add_argument("--times", type=int, default=41, help="processes of each kind")
    parser.add_argument("--changes", type=int, default=300, help="changes of each size")
    parser.add_argument("--dir", help="a folder on the disk to measure")
    parser.add_argument("--json", help="write the numbers here")
    parser.add_argument("--write", help="a page to put the table into")
    parser.add_argument(
        "--assert", dest="check", action="store_true", help="exit 1 when an aim is missed"
    )
    options = parser.parse_args()
    for folder in clew.__path__:
        compileall.compile_dir(folder, quiet=2, force=False)
    with tempfile.TemporaryDirectory(dir=options.dir) as name:
        found = {
            "processes": processes(Path(name), options.times),
            "changes": changes(Path(name), options.changes),
        }
        place = _file_system(name)
    text = table(found, place)
    print(text)
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    if options.write:
        fill(Path(options.write), "sidecar", text.splitlines())
    wrong = missed(found)
    for line in wrong:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if wrong and options.check else 0


def _file_system(folder: str) -> str:
    try:
        done = subprocess.run(
            ["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    kind = done.stdout.strip()
    return f", {'ext4' if kind == 'ext2/ext3' else kind}"


if __name__ == "__main__":
    sys.exit(main())
