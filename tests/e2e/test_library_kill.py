"""Real processes on one library: `kill -9` during an import, and two imports at once.

A killed import leaves a library that checks clean; the same import completes it, and nothing is there
twice. Delays are random and seeded.
"""

from __future__ import annotations

import base64
import json
import random
import shutil
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from console import CLEW, run, start

COUNT = 240


def png(name: str, noise: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    value = {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {"name": name, "description": "账"},
    }
    text = b"chara\0" + base64.b64encode(json.dumps(value).encode())
    return b"\x89PNG\r\n\x1a\n" + b"".join((
        chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), chunk(b"IDAT", noise),
        chunk(b"tEXt", text), chunk(b"IEND", b""),
    ))  # fmt: skip


DIES = """
import os, sys
from clew.books.assets import rename
from clew.books.library import Library
from clew.books.syncing import ShelfFiles
from clew.kernel.folder import FolderVault


class Dies(ShelfFiles):
    '''Files of a process that is killed when a document is to be put in its place.'''

    def replace(self, source, target):
        if target.endswith(f"{sys.argv[2]}.json"):
            os.kill(os.getpid(), 9)
        super().replace(source, target)


root = sys.argv[1]
rename(Library(root, vault=FolderVault(root, files=Dies())), sys.argv[2], "改名之后")
"""
"""A change that is killed behind its commit: the journal has it, the document has not."""


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cards")
    noise = random.Random(1).randbytes(40_000)
    for number in range(COUNT):
        (folder / f"{number:04}.png").write_bytes(png(f"角色{number}", noise))
    return folder


def new(root: Path) -> Path:
    assert run("library", "init", root)[0] == 0
    return root


def whole(root: Path) -> int:
    """How many cards are on the shelf; nothing about them is wrong."""
    code, answer, err = run("library", "check", "--deep", "--library", root)
    assert code == 0, (answer, err)
    assert answer["findings"] == []
    code, listed, err = run("card", "list", "--library", root, "--limit", "1000")
    assert code == 0, err
    titles = [row["title"] for row in listed["rows"]]
    assert len(titles) == len(set(titles)) == listed["total"] == answer["cards"]
    return int(answer["cards"])


def begin(root: Path, cards: Path) -> subprocess.Popen[bytes]:
    return start(CLEW, "card", "import", cards, "--library", root)


def rounds(tmp_path: Path, cards: Path, kills: int, seed: str) -> list[int]:
    """Kill one import after another; how many cards were there after each."""
    rng = random.Random(seed)
    root = new(tmp_path / "library")
    found: list[int] = []
    edge = 0.5
    for _ in range(kills):
        child = begin(root, cards)
        time.sleep(edge * rng.uniform(0.3, 1.7))
        child.kill()
        child.communicate()
        before = found[-1] if found else 0
        found.append(whole(root))
        assert found[-1] >= before, "what was committed stays"
        if found[-1] == COUNT:
            shutil.rmtree(root)
            new(root)
            found.append(0)
            edge *= 0.7
        elif found[-1] == before:
            edge *= 1.3
    code, answer, err = run("card", "import", cards, "--library", root)
    assert code == 0, (answer, err)
    assert answer["taken"] + answer["skipped"] == COUNT
    assert whole(root) == COUNT
    assert run("card", "import", cards, "--library", root)[1]["taken"] == 0
    assert list((root / ".clew" / "incoming").iterdir()) == [], "copies of the killed ones are gone"
    return found


def test_a_killed_import_is_whole_and_the_next_one_completes_it(
    tmp_path: Path, cards: Path
) -> None:
    found = rounds(tmp_path, cards, 5, "library")
    assert len(found) >= 5


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(6))
def test_many_killed_imports(tmp_path: Path, cards: Path, seed: int) -> None:
    found = rounds(tmp_path, cards, 40, f"library {seed}")
    assert any(0 < count < COUNT for count in found), f"no kill fell into the work: {found}"


def test_two_imports_at_once_take_every_card_once(tmp_path: Path, cards: Path) -> None:
    root = new(tmp_path / "library")
    children = [begin(root, cards) for _ in range(2)]
    answers = []
    for child in children:
        out, err = child.communicate(timeout=120)
        assert child.returncode == 0, err
        answers.append(json.loads(out))
    assert sum(answer["taken"] for answer in answers) == COUNT
    assert sum(answer["skipped"] for answer in answers) == COUNT
    assert whole(root) == COUNT
    assert len((root / "assets" / "shelf.jsonl").read_bytes().splitlines()) == COUNT


def test_one_import_is_killed_beside_another(tmp_path: Path, cards: Path) -> None:
    root = new(tmp_path / "library")
    victim, other = begin(root, cards), begin(root, cards)
    time.sleep(0.7)
    victim.kill()
    victim.communicate()
    out, err = other.communicate(timeout=120)
    assert other.returncode == 0, err
    assert whole(root) == COUNT
    assert json.loads(out)["taken"] <= COUNT


def test_a_list_and_a_search_during_an_import_see_whole_cards(tmp_path: Path, cards: Path) -> None:
    root = new(tmp_path / "library")
    child = begin(root, cards)
    seen = []
    while child.poll() is None:
        code, listed, err = run("card", "list", "--library", root, "--limit", "1000")
        assert code == 0, err
        seen.append(listed["total"])
        for row in listed["rows"][:3]:
            assert run("card", "show", row["id"], "--library", root)[0] == 0
    child.communicate()
    assert seen == sorted(seen)
    assert (
        run("library", "search", "账", "--library", root, "--limit", "500")[1]["hits"].__len__()
        == COUNT
    )


def test_a_change_that_was_killed_behind_its_commit_is_completed_by_the_next_command(
    tmp_path: Path,
) -> None:
    root = new(tmp_path / "library")
    ident = run("card", "new", "改名之前", "--library", root)[1]["id"]
    document = root / "assets" / "cards" / f"{ident}.json"
    before = document.read_bytes()
    died = subprocess.run([sys.executable, "-c", DIES, str(root), ident], check=False)
    assert died.returncode == -9 and document.read_bytes() == before
    code, shown, err = run("card", "show", ident, "--library", root, "--lang", "zh")
    assert code == 0 and shown["title"] == "改名之后"
    assert f"上次对书库的改动被中断，已补完：assets/cards/{ident}.json" in err
    code, shown, err = run("card", "show", ident, "--library", root, "--lang", "en")
    assert (code, err) == (0, ""), "it is told once"
    assert whole(root) == 1
