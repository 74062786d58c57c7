"""Which files of a folder are taken: by their first bytes, and never those of a library."""

from __future__ import annotations

import base64
import json
import shutil
import time
import zipfile
from pathlib import Path

import cardfiles
import deck
import pytest

from clew.books.heads import may_hold
from clew.books.library import Library, create_library

ENDINGS = (
    "", ".txt", ".scenario", ".dat", ".bak", ".jsonl", ".part", ".html", ".zip", ".md", ".log",
    ".png", ".yaml", ".json",
)  # fmt: skip


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def v1(name: str) -> bytes:
    card = {"name": name, "description": "d", "personality": "", "scenario": "", "first_mes": "x"}
    return json.dumps(card, ensure_ascii=False).encode()


def outcome(done: object, file: str) -> list[str]:
    item = next(one for one in done.items if one.file == file)  # type: ignore[attr-defined]
    return deck.codes(item.lines)


def test_a_card_in_a_folder_is_found_under_every_ending(shelf: Library, tmp_path: Path) -> None:
    for number, ending in enumerate(ENDINGS):
        deck.put(tmp_path / "in", f"c{number}{ending}", v1(f"甲{number}"))
    done = deck.take(shelf, tmp_path / "in")
    assert (done.taken, done.refused, done.ignored) == (len(ENDINGS), 0, 0)


@pytest.mark.parametrize("code", ["utf-16", "utf-16-be", "utf-32", "utf-8-sig", "gb18030"])
def test_so_is_one_in_another_encoding(code: str) -> None:
    assert may_hold(v1("沈砚").decode().encode(code))


def test_base64_yaml_and_comments_are_seen_too(shelf: Library, tmp_path: Path) -> None:
    texts = {
        "a.txt": base64.b64encode(v1("甲")), "b.txt": b"// mine\n" + v1("乙"),
        "c.txt": "name: 丙\ngreeting: 你好\ncontext: 码头\n".encode(),
    }  # fmt: skip
    for name, data in texts.items():
        deck.put(tmp_path / "in", name, data)
    assert deck.take(shelf, tmp_path / "in").taken == 3


def test_other_files_are_passed_over_and_what_looks_like_a_card_has_a_reason(
    shelf: Library, tmp_path: Path
) -> None:
    for name, data in {
        "note.txt": b"{just text}", "style.css": b"a {b: c}", "movie": bytes(range(256)) * 40,
        "app.cfg": b'{"name": "x", "version": 1}', "prose.md": "她说：name: 没有".encode(),
        "broken.bak": v1("甲")[:40],
    }.items():  # fmt: skip
        deck.put(tmp_path / "in", name, data)
    done = deck.take(shelf, tmp_path / "in")
    assert (done.taken, done.refused, done.ignored) == (0, 0, 6)
    assert {row["file"] for row in done.ignored_why} == {"app.cfg", "broken.bak"}


def test_what_is_damaged_in_a_folder_is_refused_with_its_reason(
    shelf: Library, tmp_path: Path
) -> None:
    whole = deck.png()
    damaged = {
        "cut.png": (whole[: whole.find(b"tEXt") - 4], "picture_cut"),
        "empty.png": (b"", "empty_file"), "empty.json": (b"", "empty_file"),
        "empty.charx": (b"", "empty_file"), "404.png": (b"<!DOCTYPE html><p>404", "not_a_card"),
        "lfs.png": (b"version https://git-lfs.github.com/spec/v1\noid sha256:a\n", "not_a_card"),
        "two.json": (json.dumps([cardfiles.v2("a"), cardfiles.v2("b")]).encode(), "not_a_card"),
    }  # fmt: skip
    for name, (data, _) in damaged.items():
        deck.put(tmp_path / "in", name, data)
    deck.put(tmp_path / "in", "photo.png", cardfiles.card_png({}).replace(b"chara", b"other"))
    done = deck.take(shelf, tmp_path / "in")
    assert {item.file: deck.codes(item.lines) for item in done.items} == {
        name: [code] for name, (_, code) in damaged.items()
    }
    said = json.dumps([item.lines for item in done.items])
    assert "Git LFS" in said and "2 cards" in said and "Download" in said


def test_an_archive_of_cards_is_passed_over_with_its_reason(shelf: Library, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in/cards.zip", "w") as archive:
        archive.writestr("a.png", deck.png())
        archive.writestr("b.json", "{}")
    done = deck.take(shelf, tmp_path / "in")
    assert done.ignored == 1 and "unpack" in done.ignored_why[0]["message"]


def test_heads_of_big_files_that_are_no_cards_cost_next_to_nothing(
    shelf: Library, tmp_path: Path
) -> None:
    for number in range(300):
        path = deck.put(tmp_path / "in", f"{number}.bin", b"\0\1\2")
        with path.open("r+b") as file:
            file.truncate(1 << 30)  # sparse
    begun = time.monotonic()
    assert deck.take(shelf, tmp_path / "in").ignored == 300
    assert time.monotonic() - begun < 5


# ---- links --------------------------------------------------------------------------------------


def test_a_dead_link_is_named_as_the_others_are_and_stands_in_its_place(
    shelf: Library, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    deck.put(root, "a.png", deck.png("甲"))
    deck.put(root, "z.png", deck.png("乙"))
    (root / "m.png").symlink_to(tmp_path / "gone")
    done = deck.take(shelf, root)
    assert [item.file for item in done.items] == ["a.png", "m.png", "z.png"]
    assert outcome(done, "m.png") == ["dead_link"]
    assert "brackets" not in str(done.items[1].lines)


# ---- libraries ----------------------------------------------------------------------------------


def test_a_library_never_imports_itself(tmp_path: Path) -> None:
    root = tmp_path / "cards"
    for number in range(3):
        deck.put(root, f"{number}.png", deck.png(str(number)))
    shelf = create_library(root, clock=deck.Clock())
    taken = [deck.take(shelf, root).taken for _ in range(3)]
    assert taken == [3, 0, 0] and len(deck.titles(shelf)) == 3
    assert shelf.notes == [], "that it does not is no news"
    assert deck.take(shelf, f"{root}/").taken == 0
    assert deck.take(shelf, root / "assets" / "cards").taken == 0


@pytest.mark.parametrize("marked", [True, False])
def test_another_library_is_left_out_and_told_once(
    shelf: Library, tmp_path: Path, marked: bool
) -> None:
    other = deck.library(tmp_path / "in", "other")
    deck.one(other, tmp_path / "elsewhere")
    deck.put(Path(other.root), "mine.png", deck.png("自己的"))
    if not marked:
        Path(other.root, "library.json").unlink()
    before = deck.tree(Path(other.root))
    for path in (tmp_path / "in", Path(other.root), Path(other.root, "assets")):
        shelf.notes.clear()
        deck.take(shelf, path)
        assert [note.code for note in shelf.notes] == ["library_left_out"]
        assert other.root in shelf.notes[0].hint()
    assert deck.titles(shelf) == ["自己的"], "a file of the user's own is one like any other"
    assert deck.tree(Path(other.root)) == before
    documents = [
        *Path(other.root, "assets").rglob("*.json"),
        Path(other.root, "assets/shelf.jsonl"),
    ]
    assert deck.take(shelf, *documents).taken == 0
    assert len(deck.titles(shelf)) == 1


def test_folders_that_are_merely_called_so_are_walked(shelf: Library, tmp_path: Path) -> None:
    deck.put(tmp_path / "in/assets", "a.png", deck.png("甲"))
    deck.put(tmp_path / "in/books", "b.png", deck.png("乙"))
    assert deck.take(shelf, tmp_path / "in").taken == 2


# ---- a trial ------------------------------------------------------------------------------------


def test_a_dry_run_tells_what_an_import_would_do_and_writes_nothing(
    shelf: Library, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    deck.put(root, "known.png", deck.png("旧"))
    deck.take(shelf, root)
    deck.put(root, "a.png", deck.png("甲"))
    shutil.copy(root / "a.png", root / "again.png")
    deck.put(root, "bad.json", b"{")
    before = deck.tree(Path(shelf.root))
    trial = deck.take(shelf, root, dry_run=True)
    assert deck.tree(Path(shelf.root)) == before
    real = deck.take(shelf, root)
    for name in ("taken", "skipped", "refused", "ignored", "repaired"):
        assert getattr(trial, name) == getattr(real, name), name
    assert (trial.taken, trial.skipped, trial.refused) == (1, 2, 1)
    assert (trial.dry_run, real.dry_run) == (True, False)
    assert deck.codes(trial.items[2].lines) == deck.codes(real.items[2].lines)
