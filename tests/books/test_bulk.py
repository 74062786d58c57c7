"""Importing files and folders: identity, a second run, batches, hostile files, reports."""

from __future__ import annotations

import io
import json
import os
import socket
from pathlib import Path

import cardfiles
import deck
import pytest

from clew.books import bookshelf, bulk, listing, showing
from clew.books.assets import set_state
from clew.books.layout import LOG
from clew.books.library import Library, open_library
from clew.books.reporting import IGNORED, page, write_report
from clew.kernel.errors import StorageFailed
from clew.kernel.folder import FolderVault
from clew.testing.faulty import FaultyFiles


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def folder(tmp_path: Path, count: int) -> Path:
    for number in range(count):
        deck.put(tmp_path / "cards", f"{number:03}.png", deck.png(f"角色{number}"))
    return tmp_path / "cards"


def test_files_of_every_format(shelf: Library, tmp_path: Path) -> None:
    files = {
        "v1.json": cardfiles.text(cardfiles.v1("一")),
        "v2.png": deck.png("二"),
        "v3.png": cardfiles.card_png(cardfiles.v3("三"), "ccv3"),
        "four.charx": cardfiles.charx(cardfiles.v3("四")),
        "five.jpg": cardfiles.jpeg(cardfiles.text(cardfiles.v2("五"))),
        "six.webp": cardfiles.webp(cardfiles.text(cardfiles.v2("六"))),
        "seven.json": cardfiles.text({"char_name": "七", "char_persona": "p", "char_greeting": "g"}),
        "world.json": cardfiles.text(cardfiles.world_info(_0=cardfiles.world_entry())),
        "led.json": cardfiles.text({"spec": "lorebook_v3", "data": cardfiles.book(cardfiles.entry())}),
    }  # fmt: skip
    for name, data in files.items():
        deck.put(tmp_path / "in", name, data)
    done = deck.take(shelf, tmp_path / "in")
    assert (done.taken, done.refused) == (9, 0), done.items
    assert deck.titles(shelf) == sorted("一二三四五六七")
    assert deck.titles(shelf, kind="world") == ["world", "洪字号"]
    kept = [p.read_bytes() for p in Path(shelf.root, "assets").rglob("*") if p.is_file()]
    assert all(data in kept for data in files.values()), "each source file is kept byte for byte"
    assert deck.clean(shelf)


def test_a_second_run_adds_nothing(shelf: Library, tmp_path: Path) -> None:
    source = folder(tmp_path, 7)
    deck.take(shelf, source)
    before = deck.tree(Path(shelf.root))
    again = deck.take(open_library(shelf.root), source)
    assert (again.taken, again.skipped) == (0, 7)
    assert deck.tree(Path(shelf.root)) == before


def test_a_second_run_takes_what_is_new(shelf: Library, tmp_path: Path) -> None:
    source = folder(tmp_path, 3)
    deck.take(shelf, source)
    deck.put(source, "new.png", deck.png("新来的"))
    again = deck.take(shelf, source)
    assert (again.taken, again.skipped) == (1, 3)


@pytest.mark.parametrize("batch", [1, 2, 7, 100])
def test_batches_of_any_size_give_the_same_library(tmp_path: Path, batch: int) -> None:
    source = folder(tmp_path, 7)
    shelf = deck.library(tmp_path)
    deck.take(shelf, source, batch=batch)
    assert deck.titles(shelf) == sorted(f"角色{n}" for n in range(7))
    assert len(Path(shelf.root, LOG).read_bytes().splitlines()) == 7
    assert deck.clean(shelf)


def test_the_same_bytes_under_two_names_are_one_card(shelf: Library, tmp_path: Path) -> None:
    for name in ("a.png", "b.png", "sub/c.png"):
        deck.put(tmp_path / "in", name, deck.png())
    done = deck.take(shelf, tmp_path / "in")
    assert (done.taken, done.skipped) == (1, 2)
    assert len({item.id for item in done.items}) == 1
    assert deck.clean(shelf)


@pytest.mark.parametrize("at_once", [True, False])
def test_the_same_card_with_another_picture_is_an_asset_of_its_own_with_a_note(
    shelf: Library, tmp_path: Path, at_once: bool
) -> None:
    one = deck.put(tmp_path / "in", "a.png", deck.png())
    other = deck.put(tmp_path / "in", "b.png", deck.png(pixels=2))
    if at_once:
        items = deck.take(shelf, tmp_path / "in").items
    else:
        items = [*deck.take(shelf, one).items, *deck.take(shelf, other).items]
    assert [item.outcome for item in items] == ["taken", "taken"]
    assert items[0].id != items[1].id
    assert deck.codes(items[1].lines) == ["same_card"]
    assert items[1].lines[0]["found"] == items[0].id


@pytest.mark.parametrize("at_once", [True, False])
def test_a_lorebook_with_the_same_content_is_the_same_lorebook(
    shelf: Library, tmp_path: Path, at_once: bool
) -> None:
    world = cardfiles.world_info(_0=cardfiles.world_entry())
    one = deck.put(tmp_path / "in", "Eldoria.json", cardfiles.text(world))
    other = deck.put(tmp_path / "in", "Eldoria (1).json", json.dumps(world, indent=4).encode())
    if at_once:
        items = deck.take(shelf, tmp_path / "in").items
    else:
        items = [*deck.take(shelf, one).items, *deck.take(shelf, other).items]
    assert sorted(item.outcome for item in items) == ["skipped", "taken"]
    assert len(deck.titles(shelf, kind="world")) == 1
    told = next(item for item in items if item.outcome == "skipped")
    assert deck.codes(told.lines) == ["same_world"]


def test_what_is_in_the_trash_stays_there(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    set_state(shelf, card.id, "trash")
    done = deck.take(shelf, tmp_path / "in")
    assert done.taken == 0 and deck.codes(done.items[0].lines) == ["in_the_trash"]
    assert deck.titles(shelf) == []


def test_a_file_that_was_named_is_refused_with_a_reason(shelf: Library, tmp_path: Path) -> None:
    bad = {
        "empty.png": b"",
        "text.txt": b"hello",
        "broken.json": b'{"name": ',
        "picture.png": cardfiles.png(),
        "chat.jsonl": b'{"user_name":"u","character_name":"c"}\n{"mes":"x","is_user":true}',
        "cut.png": deck.png()[:60],
    }
    paths = [deck.put(tmp_path / "in", name, data) for name, data in bad.items()]
    done = deck.take(shelf, *paths, tmp_path / "in" / "gone.png")
    assert done.refused == 7 and done.taken == 0
    assert all(item.lines and item.lines[-1]["message"] for item in done.items)
    assert deck.tree(Path(shelf.root)).keys() == {"library.json"}


def test_a_folder_is_walked_and_what_is_no_card_is_passed_over(
    shelf: Library, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    deck.put(root, "deep/er/a.png", deck.png("甲"))
    deck.put(root, "no-extension", deck.png("乙"))
    deck.put(root, "photo.png", cardfiles.png())
    deck.put(root, "movie.mp4", b"\0" * 100)
    deck.put(root, ".hidden/b.png", deck.png("丙"))
    deck.put(root, "package.json", b'{"name": "x", "version": "1"}')
    done = deck.take(shelf, root)
    assert deck.titles(shelf) == sorted(["甲", "乙"])
    assert (done.taken, done.refused, done.ignored) == (2, 0, 3)
    assert sorted(done.ignored_files) == ["movie.mp4", "package.json", "photo.png"]


def test_files_that_are_no_cards_are_named_in_every_report_and_counted_exactly(
    shelf: Library, tmp_path: Path
) -> None:
    for number in range(IGNORED + 7):
        deck.put(tmp_path / "in", f"{number:04}<b>.txt", b"x")
    done = deck.take(shelf, tmp_path / "in")
    assert (done.ignored, len(done.ignored_files)) == (IGNORED + 7, IGNORED)
    whole = page(done, "en")
    assert "0000&lt;b&gt;.txt" in whole and "and 7 more" in whole and "<b>.txt" not in whole
    write_report(str(tmp_path / "report.json"), done, "en")
    told = json.loads((tmp_path / "report.json").read_bytes())
    assert told["ignored"] == IGNORED + 7 and told["ignored_files"][0] == "0000<b>.txt"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_table_names_some_files_that_are_no_cards_and_says_what_to_do_about_the_trash(
    shelf: Library, tmp_path: Path, lang: str
) -> None:
    from rich.console import Console

    from clew.faces.cli.card import imported

    card = deck.put(tmp_path / "in", "a.png", deck.png())
    for number in range(9):
        deck.put(tmp_path / "in", f"{number}.txt", b"x")
    set_state(shelf, deck.take(shelf, card).items[0].id, "trash")
    done = deck.take(shelf, tmp_path / "in", lang=lang)
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(imported(done, lang))
    shown = console.export_text()
    assert "0.txt, 1.txt" in shown and ("4" in shown.split("4.txt")[1])
    assert f"clew card restore {done.items[0].id}" in shown


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_told(shelf: Library, tmp_path: Path) -> None:
    deck.put(tmp_path / "in", "a/a.png", deck.png())
    (tmp_path / "in/closed").mkdir(mode=0)
    done = deck.take(shelf, tmp_path / "in")
    assert (done.taken, done.refused) == (1, 1)
    assert deck.codes(done.items[0].lines) == ["permission_denied"]


def test_a_folder_that_is_too_deep_is_told_and_can_be_named_itself(
    shelf: Library, tmp_path: Path
) -> None:
    deep = "/".join(["d"] * 42)
    deck.put(tmp_path / "in", f"{deep}/a.png", deck.png())
    done = deck.take(shelf, tmp_path / "in")
    assert deck.codes(done.items[0].lines) == ["folder_too_deep"]
    assert deck.take(shelf, done.items[0].file).taken == 1


def test_a_broken_card_in_a_folder_is_told(shelf: Library, tmp_path: Path) -> None:
    deck.put(tmp_path / "in", "a.png", cardfiles.png(cardfiles.text_chunk("chara", b"!!!")))
    done = deck.take(shelf, tmp_path / "in")
    assert (done.refused, done.ignored) == (1, 0)


def test_links_to_folders_are_not_followed_and_pipes_are_not_waited_for(
    shelf: Library, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    deck.put(root, "a.png", deck.png("甲"))
    (root / "loop").symlink_to(root)
    (root / "file.png").symlink_to(deck.put(tmp_path, "elsewhere.png", deck.png("乙")))
    (root / "nowhere.png").symlink_to(tmp_path / "gone.png")
    os.mkfifo(root / "pipe.png")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(root / "socket"))
        done = deck.take(shelf, root)
    assert deck.titles(shelf) == sorted(["甲", "乙"])
    assert {item.file for item in done.items if item.outcome == "refused"} == {
        "pipe.png", "nowhere.png",
    }  # fmt: skip


def test_the_library_itself_is_not_imported(tmp_path: Path) -> None:
    shelf = deck.library(tmp_path, "in/library")
    deck.put(tmp_path / "in", "a.png", deck.png())
    deck.take(shelf, tmp_path / "in")
    again = deck.take(shelf, tmp_path / "in")
    assert (again.taken, again.skipped) == (0, 1)


def test_a_file_that_is_too_large_is_not_read(
    shelf: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "LIMITS", bulk.LIMITS._replace(file_bytes=500))
    deck.put(tmp_path / "in", "big.png", deck.png(description="长" * 400))
    done = deck.take(shelf, tmp_path / "in")
    assert deck.codes(done.items[0].lines) == ["too_large"]


def test_names_are_data(shelf: Library, tmp_path: Path) -> None:
    names = ["con", "a\\b", "../x", 'A "B" C', "🐉" * 300, "nul.txt", "trailing. ", "-rf", "a\nb",
             "<script>alert(1)</script>", "[bold]x[/bold]", "\x1b[31mred", "沈砚\u202eevil"]  # fmt: skip
    for number, name in enumerate(names):
        deck.put(tmp_path / "in", f"{number}.json", cardfiles.text(cardfiles.v2(name)))
    deck.put(
        tmp_path / "in", "\U0001f409" * 60 + ".json", cardfiles.text(cardfiles.v2("emoji 文件"))
    )
    odd = os.fsencode(tmp_path / "in") + b"/\xff\xfe.json"
    Path(os.fsdecode(odd)).write_bytes(cardfiles.text(cardfiles.v2("坏名字")))
    done = deck.take(shelf, tmp_path / "in")
    assert (done.taken, done.refused) == (len(names) + 2, 0)
    private = [p for p in Path(shelf.root).rglob("*") if ".clew" not in p.parts]
    assert all(p.name.isascii() for p in private)
    for row in listing.list_assets(shelf).rows:
        assert listing.named(shelf, row.id).asset.title == row.title
    rows = {row.title for row in listing.list_assets(shelf).rows}
    assert {"con", "a\\b", "../x", "🐉" * 300, "坏名字"} <= rows
    assert deck.clean(shelf)


def test_hostile_files_leave_the_library_untouched_with_one_clear_line_each(
    shelf: Library, tmp_path: Path
) -> None:
    import zipfile

    deck.one(shelf, tmp_path)
    before = deck.tree(Path(shelf.root))
    climbing = zipfile.ZipInfo("../../evil")
    files = {
        "deep.json": b'{"data":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        "bomb.png": cardfiles.png(cardfiles.ztext_chunk("chara", b"0" * 40_000_000)),
        "bomb.charx": cardfiles.pack([("card.json", b" " * 40_000_000 + b"{}")]),
        "nocard.charx": cardfiles.pack([(climbing, b"x")]),
        "many.json": b'{"data":{"name":"x","tags":[' + b"0," * 1_100_000 + b"0]}}",
    }
    for name, data in files.items():
        deck.put(tmp_path / "hostile", name, data)
    done = deck.take(shelf, *(tmp_path / "hostile" / name for name in files))
    assert done.refused == len(files)
    assert all(
        len([line for line in i.lines if line["what"] == "refused"]) == 1 for i in done.items
    )
    assert deck.tree(Path(shelf.root)) == before
    assert not Path(tmp_path, "evil").exists()


def test_members_of_an_archive_that_climb_are_told_and_the_card_is_taken(
    shelf: Library, tmp_path: Path
) -> None:
    deck.put(tmp_path / "in", "a.charx", cardfiles.charx(cardfiles.v3(), ("../../evil.txt", b"x")))
    done = deck.take(shelf, tmp_path / "in")
    assert done.taken == 1 and "member_refused" in deck.codes(done.items[0].lines)
    assert not list(tmp_path.rglob("evil.txt"))


def test_an_import_leaves_no_copies_behind(shelf: Library, tmp_path: Path) -> None:
    deck.take(shelf, folder(tmp_path, 5), batch=2)
    assert list(Path(shelf.root, ".clew/incoming").iterdir()) == []
    assert list(Path(shelf.root, ".clew/stage").iterdir()) == []


def test_progress_is_told(shelf: Library, tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    deck.take(shelf, folder(tmp_path, 3), progress=lambda *what: told.append(what))
    assert told[-1] == (3, 3, "002.png")
    assert [done for done, _, _ in told] == [1, 2, 3]


def test_a_book_may_use_what_was_imported(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    bookshelf.new_play(shelf, "书", card.id)
    deck.take(shelf, tmp_path / "in")
    assert len(showing.where_used(shelf, card.id).uses) == 1


# ---- the report ---------------------------------------------------------------------------------


def test_the_report_as_a_page_runs_and_loads_nothing(shelf: Library, tmp_path: Path) -> None:
    evil = '<script>alert("1")</script><img src=x onerror=alert(1)>'
    deck.put(tmp_path / "in", "a.json", cardfiles.text(cardfiles.v2(evil)))
    Path(tmp_path / "in" / "<img src=x>.png").write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
    done = deck.take(shelf, tmp_path / "in")
    for lang in ("zh", "en"):
        html = page(done, lang, [{"message": evil, "code": "x"}])
        assert "<script" not in html and "<img" not in html
        assert "&lt;script&gt;" in html and "default-src 'none'" in html
        assert "http://" not in html and "https://" not in html and "url(" not in html


def test_the_report_as_a_file(shelf: Library, tmp_path: Path) -> None:
    done = deck.take(shelf, folder(tmp_path, 2))
    write_report(f"{tmp_path}/r.html", done, "zh")
    write_report(f"{tmp_path}/r.json", done, "zh", [{"code": "chat_gone", "message": "m"}])
    assert "角色1" in Path(tmp_path, "r.html").read_text(encoding="utf-8")
    whole = json.loads(Path(tmp_path, "r.json").read_bytes())
    assert whole["taken"] == 2 and whole["damage"][0]["code"] == "chat_gone"
    assert [item["title"] for item in whole["items"]] == ["角色0", "角色1"]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_lines_are_in_the_language_that_was_asked_for(
    shelf: Library, tmp_path: Path, lang: str
) -> None:
    deck.put(tmp_path / "in", "a.json", b"{")
    line = deck.take(shelf, tmp_path / "in", lang=lang).items[0].lines[0]
    assert any("\u4e00" <= c <= "\u9fff" for c in line["message"]) == (lang == "zh")


@pytest.mark.parametrize("stays", [False, True])
def test_a_full_disk_stops_an_import_and_loses_nothing(tmp_path: Path, stays: bool) -> None:
    shelf = deck.library(tmp_path)
    source = folder(tmp_path, 3)
    for call in range(1, 60, 4):
        files = FaultyFiles(call, partial=True, stays=stays)
        full = Library(shelf.root, vault=FolderVault(shelf.root, files=files))
        try:
            deck.take(full, source, batch=1)
        except StorageFailed as refused:
            assert refused.code in ("disk_full", "publish_incomplete")
            assert "import_stopped" in [note.code for note in full.notes]
        assert deck.clean(open_library(shelf.root))
    deck.take(open_library(shelf.root), source)
    assert deck.titles(open_library(shelf.root)) == ["角色0", "角色1", "角色2"]
    assert deck.clean(open_library(shelf.root))


def test_an_interrupt_stops_an_import_and_the_next_one_goes_on(
    shelf: Library, tmp_path: Path
) -> None:
    source = folder(tmp_path, 9)

    def stop(done: int, of: int, what: str) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deck.take(shelf, source, batch=2, progress=stop)
    assert deck.clean(open_library(shelf.root))
    assert list(Path(shelf.root, ".clew/incoming").iterdir()) == []
    again = deck.take(open_library(shelf.root), source)
    assert again.taken + again.skipped == 9 and again.skipped >= 2
    assert deck.clean(shelf)
