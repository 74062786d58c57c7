"""Making files durable: many at once, each once, and never a file that was touched since."""

from __future__ import annotations

import os
from pathlib import Path

import deck
import pytest

from clew.books.layout import SCOPE
from clew.books.library import create_library
from clew.books.syncing import ShelfFiles, sync_all
from clew.kernel.files import Files


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are synced, in their order."""
    found: list[str] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        found.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    return found


def files_in(folder: Path, count: int) -> list[str]:
    return [str(deck.put(folder, f"{n}.txt", b"x")) for n in range(count)]


@pytest.mark.parametrize("count", [1, 40])
@pytest.mark.parametrize("files", [Files(), ShelfFiles()])
def test_every_file_is_synced_before_its_folder(
    tmp_path: Path, synced: list[str], files: Files, count: int
) -> None:
    paths = files_in(tmp_path, count)
    sync_all(files, [*paths, *paths], {str(tmp_path)})
    assert sorted(synced[:-1]) == sorted(paths) and synced[-1] == str(tmp_path)


def test_what_was_synced_in_a_transaction_is_not_synced_again(
    tmp_path: Path, synced: list[str]
) -> None:
    files, paths = ShelfFiles(), files_in(tmp_path, 8)
    files.remember()
    sync_all(files, paths, {str(tmp_path)})
    count = len(synced)
    for path in paths:
        files.sync(path)
    files.sync_dir(str(tmp_path))
    assert len(synced) == count


def test_what_was_touched_since_is_synced_again(tmp_path: Path, synced: list[str]) -> None:
    files, folder = ShelfFiles(), str(tmp_path)
    path, other = files_in(tmp_path, 2)
    for touch in (
        lambda: files.write_at(path, 0, b"y"), lambda: files.truncate(path, 0),
        lambda: files.set_mode(path, 0o600), lambda: files.replace(other, path),
        lambda: files.remove(path), lambda: files.create(path, b"z"),
    ):  # fmt: skip
        files.remember()
        files.sync_dir(folder)
        if Path(path).exists():
            files.sync(path)
        synced.clear()
        touch()
        if Path(path).exists():
            files.sync(path)
            assert synced == [path]
        files.sync_dir(folder)
        assert synced[-1] == folder


@pytest.mark.parametrize("when", ["before", "after"])
def test_nothing_is_remembered_outside_a_transaction(
    tmp_path: Path, synced: list[str], when: str
) -> None:
    files = ShelfFiles()
    (path,) = files_in(tmp_path, 1)
    if when == "after":
        files.remember()
        files.sync(path)
        files.forget()
    files.sync(path)
    files.sync(path)
    assert synced.count(path) == (3 if when == "after" else 2)


def test_a_sync_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        sync_all(ShelfFiles(), [*files_in(tmp_path, 8), str(tmp_path / "gone")], ())


def test_an_import_settles_itself_in_its_own_waits(tmp_path: Path, synced: list[str]) -> None:
    """What the kernel would sync one by one was synced together with the next batch."""
    shelf = create_library(tmp_path / "library")
    for number in range(60):
        deck.put(tmp_path / "in", f"{number}.png", deck.png(f"角色{number}"))
    synced.clear()
    deck.take(shelf, tmp_path / "in", batch=20)
    documents = [path for path in synced if path.endswith(".json") and "/cards/c" in path]
    assert len(documents) == len(set(documents)), "no document is synced twice"
    assert len(synced) < 60 * 5
    before = len(synced)
    with shelf.changing():
        pass
    shelf.vault.settle(SCOPE)
    assert len(synced) - before < 40, "and the last batch is settled by whoever comes next"
