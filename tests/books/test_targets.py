"""Where a report may be written: never over a user's file, never into a library's own places."""

from __future__ import annotations

import os
from pathlib import Path

import deck
import pytest

from clew.books.library import Library
from clew.books.reporting import keep_report
from clew.books.targets import allow_report, library_around, refuse_own
from clew.kernel.errors import ClewError, Refused


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def refusal(path: Path) -> str:
    with pytest.raises(ClewError) as refused:
        allow_report(str(path))
    return refused.value.code


@pytest.mark.parametrize("name", ["pic.png", "notes.txt", "report", "a.html.png"])
def test_a_report_has_the_ending_of_one(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path / name) == "not_allowed"


def test_a_report_takes_the_place_of_no_other_file(shelf: Library, tmp_path: Path) -> None:
    card = deck.put(
        tmp_path, "card.json", b'{"name": "x", "status": "ok", "library": 1, "taken": 2}'
    )
    page = deck.put(tmp_path, "page.html", b"<!doctype html><p>mine</p>")
    assert refusal(card) == refusal(page) == "report_taken"
    assert refusal(tmp_path) == "not_allowed"
    (tmp_path / "folder.json").mkdir()
    assert refusal(tmp_path / "folder.json") == "report_taken"


@pytest.mark.parametrize("name", ["r.json", "r.html", "R.HTM"])
def test_an_older_report_is_replaced(shelf: Library, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for _ in range(2):
        allow_report(str(path))
        keep_report(
            shelf, str(path), deck.take(shelf, deck.put(tmp_path, "a.png", deck.png())), "en"
        )
    assert path.stat().st_size > 100 and shelf.notes == []


@pytest.mark.parametrize(
    "inside",
    ["library.json", "index.sqlite", "assets/cards/x.json", "books/r.html", ".clew/r.json", "sessions/r.json"],
)  # fmt: skip
def test_nothing_is_written_into_the_own_places_of_a_library(
    shelf: Library, tmp_path: Path, inside: str
) -> None:
    for path in (Path(shelf.root, inside), Path(shelf.root, "sub", "..", inside)):
        with pytest.raises(Refused) as refused:
            refuse_own(str(path))
        assert refused.value.code == "inside_library"
    (tmp_path / "link").symlink_to(shelf.root)
    assert library_around(str(tmp_path / "link" / inside)) == shelf.root
    Path(shelf.root, "library.json").unlink()
    deck.put(Path(shelf.root), "assets/shelf.jsonl", b"")
    assert library_around(str(Path(shelf.root, inside))) == shelf.root, "also without its marker"


def test_the_user_may_write_beside_a_library_and_in_folders_of_the_same_names(
    shelf: Library, tmp_path: Path
) -> None:
    for path in (Path(shelf.root, "report.html"), tmp_path / "assets/report.html"):
        path.parent.mkdir(exist_ok=True)
        allow_report(str(path))
        assert library_around(str(path)) == ""


def test_a_report_that_cannot_be_written_is_told_before_anything_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    deck.clew("library", "init", "lib")
    card = deck.put(tmp_path, "a.png", deck.png())
    for report, code in (
        ("no/r.html", "no_report_folder"), ("a.png", "not_allowed"),
        ("lib/library.json", "inside_library"),
    ):  # fmt: skip
        rc, answer, _ = deck.clew("card", "import", "a.png", "--library", "lib", "--report", report)
        assert (rc, answer["error_code"]) == (3 if code.startswith("no_") else 2, code)
    assert card.read_bytes() == deck.png()
    assert deck.clew("card", "list", "--library", "lib")[1]["total"] == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only_is_told_before(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert refusal(tmp_path / "r.json") == "report_not_written"


def test_a_report_that_fails_at_last_costs_no_answer(shelf: Library, tmp_path: Path) -> None:
    done = deck.take(shelf, deck.put(tmp_path, "a.png", deck.png()))
    keep_report(shelf, str(tmp_path / "gone" / "r.json"), done, "en")
    assert done.taken == 1 and done.report == ""
    assert [note.code for note in shelf.notes] == ["report_not_written"]
