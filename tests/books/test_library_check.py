"""`library check` names what is wrong, `library repair` mends it from what is kept twice."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import deck
import pytest

from clew.books import bookshelf, editing, showing
from clew.books.checking import check, repair
from clew.books.layout import LOG, asset_file, book_file, id_of, version_file
from clew.books.library import Library, open_library
from clew.books.records import Asset
from clew.kernel.errors import ClewError

Damage = Callable[[Path, Asset], None]


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    made = deck.library(tmp_path)
    for name in ("沈砚", "周薄森", "钟嘉嘉"):
        deck.one(made, tmp_path, name)
    editing.apply(made, "沈砚", editing.Changes(set=["description=二"]))
    return made


def card(shelf: Library) -> Asset:
    return deck.asset(shelf, showing.show(shelf, "沈砚").id)


def found(shelf: Library, **how: bool) -> list[str]:
    return deck.codes(check(open_library(shelf.root), **how).findings)


def test_a_sound_library_has_nothing_to_tell(shelf: Library) -> None:
    answer = check(shelf, deep=True)
    assert (answer.status, answer.cards, answer.versions, answer.sources) == ("ok", 3, 4, 3)
    assert answer.findings == [] and shelf.notes == []


def test_a_repair_of_a_sound_library_changes_nothing(shelf: Library) -> None:
    before = deck.tree(Path(shelf.root))
    done = repair(shelf)
    assert (done.status, done.done, done.findings) == ("ok", [], [])
    assert deck.tree(Path(shelf.root)) == before


def lose_document(root: Path, asset: Asset) -> None:
    (root / asset_file(asset.id)).unlink()


def break_document(root: Path, asset: Asset) -> None:
    (root / asset_file(asset.id)).write_bytes(b"{")


def empty_document(root: Path, asset: Asset) -> None:
    (root / asset_file(asset.id)).write_bytes(b"")


def another_id(root: Path, asset: Asset) -> None:
    path = root / asset_file(asset.id)
    path.write_text(path.read_text(encoding="utf-8").replace(asset.id, "c" + "0" * 20))


def no_current(root: Path, asset: Asset) -> None:
    path = root / asset_file(asset.id)
    path.write_text(path.read_text(encoding="utf-8").replace('"current": 2', '"current": 7'))


def lose_history(root: Path, asset: Asset) -> None:
    (root / LOG).unlink()


def break_history(root: Path, asset: Asset) -> None:
    lines = (root / LOG).read_bytes().split(b"\n")
    (root / LOG).write_bytes(b"\n".join([lines[0], b"{broken", *lines[2:]]))


def old_history(root: Path, asset: Asset) -> None:
    """As an older copy of the file would be."""
    (root / LOG).write_bytes(b"".join((root / LOG).read_bytes().splitlines(True)[:2]))


def history_of_other_json(root: Path, asset: Asset) -> None:
    """Lines that are JSON and say nothing of ours."""
    (root / LOG).write_bytes(b"[1]\n{}\n")


def history_that_is_one_value(root: Path, asset: Asset) -> None:
    (root / LOG).write_bytes(b"{}")


def zeros_for_history(root: Path, asset: Asset) -> None:
    """As a power cut may leave a file."""
    (root / LOG).write_bytes(b"\0" * 4000)


def edit_title(root: Path, asset: Asset) -> None:
    path = root / asset_file(asset.id)
    path.write_text(path.read_text(encoding="utf-8").replace("沈砚", "手改的"), encoding="utf-8")


def lose_first_version(root: Path, asset: Asset) -> None:
    (root / version_file(asset.id, 1)).unlink()


def break_first_version(root: Path, asset: Asset) -> None:
    (root / version_file(asset.id, 1)).write_bytes(b"{}\n")


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lose_document, "asset_lost"),
        (break_document, "record_broken"),
        (empty_document, "record_broken"),
        (another_id, "record_broken"),
        (no_current, "record_broken"),
        (lose_history, "asset_unlisted"),
        (break_history, "history_line_broken"),
        (old_history, "asset_unlisted"),
        (history_of_other_json, "history_line_broken"),
        (history_that_is_one_value, "asset_unlisted"),
        (zeros_for_history, "asset_unlisted"),
        (edit_title, "asset_differs"),
        (lose_first_version, "version_broken"),
        (break_first_version, "version_broken"),
    ],
)
def test_damage_is_named_and_mended(shelf: Library, damage: Damage, code: str) -> None:
    asset = card(shelf)
    documents = {
        name: data for name, data in deck.tree(Path(shelf.root)).items() if name != LOG
    }  # fmt: skip
    damage(Path(shelf.root), asset)
    assert code in found(shelf)
    done = repair(open_library(shelf.root), lang="en")
    assert (done.status, done.findings) == ("ok", [])
    assert done.done, "what was mended is told"
    assert found(shelf, deep=True) == []
    after = {name: data for name, data in deck.tree(Path(shelf.root)).items() if name != LOG}
    if damage is edit_title:
        assert deck.titles(open_library(shelf.root)) == sorted(["手改的", "周薄森", "钟嘉嘉"])
    else:
        assert after == documents, "exactly what was there"
        assert deck.titles(open_library(shelf.root)) == sorted(["沈砚", "周薄森", "钟嘉嘉"])


@pytest.mark.parametrize("damage", [break_document, break_history, break_first_version])
def test_what_a_repair_replaces_is_kept_aside(shelf: Library, damage: Damage) -> None:
    damage(Path(shelf.root), card(shelf))
    damaged = deck.tree(Path(shelf.root))
    repair(open_library(shelf.root))
    aside = [p.read_bytes() for p in Path(shelf.root, ".clew/aside").rglob("*") if p.is_file()]
    replaced = [d for n, d in damaged.items() if deck.tree(Path(shelf.root)).get(n) != d]
    assert replaced and all(data in aside for data in replaced)


def test_an_edited_version_without_a_source_cannot_be_brought_back_and_is_named(
    shelf: Library,
) -> None:
    asset = card(shelf)
    Path(shelf.root, version_file(asset.id, 2)).unlink()
    done = repair(shelf)
    assert deck.codes(done.findings) == ["version_broken"]
    assert found(shelf) == ["version_broken"]


@pytest.mark.parametrize(("deep", "code"), [(False, []), (True, ["source_changed"])])
def test_a_source_that_rots_is_found_by_a_deep_check(
    shelf: Library, deep: bool, code: list[str]
) -> None:
    asset = card(shelf)
    source = asset.versions[0].source
    assert source is not None
    path = Path(shelf.root, "assets/cards", asset.id, source.file)
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)
    assert found(shelf, deep=deep) == code
    path.unlink()
    assert found(shelf) == ["source_gone"]


def test_a_file_that_was_copied_in_by_hand_is_named_and_left_alone(shelf: Library) -> None:
    mine = [
        deck.put(Path(shelf.root), name, b"mine")
        for name in ("assets/cards/mine.png", "assets/cards/con.json", "books/x/y.txt",
                     f"assets/cards/{card(shelf).id}/notes.txt")
    ]  # fmt: skip
    assert found(shelf) == ["stray_on_shelf"] * 4
    repair(shelf)
    assert all(path.read_bytes() == b"mine" for path in mine)
    assert len(deck.titles(shelf)) == 3, "and everything else goes on"


def test_copies_of_a_killed_import_are_no_finding(shelf: Library, tmp_path: Path) -> None:
    """A repair completes the import; what is no card is moved aside, not deleted."""
    root = Path(shelf.root)
    data = deck.png("中断的")
    sha = hashlib.sha256(data).hexdigest()
    card_left = f"assets/cards/{id_of('card', sha)}"
    deck.put(root, f"{card_left}/v1.json", b"{torn")
    deck.put(root, f"{card_left}/{sha[:32]}.png", data)
    junk = "c" + "1" * 20
    deck.put(root, f"assets/cards/{junk}/{'1' * 32}.png", b"junk")
    deck.put(root, f"assets/cards/{card(shelf).id}/v3.json", b"{3}")
    dead = deck.put(root, ".clew/incoming/999999999-abc/1", b"x")
    mine = deck.put(root, f".clew/incoming/{os.getpid()}-abc/1", b"of a living process")
    (root / "assets/cards" / ("c" + "2" * 20)).mkdir()
    answer = check(shelf)
    assert answer.findings == [] and [n.code for n in shelf.notes] == ["import_leftovers"]
    assert repair(shelf).findings == []
    assert "中断的" in deck.titles(shelf)
    aside = [p.read_bytes() for p in Path(root, ".clew/aside").rglob("*") if p.is_file()]
    assert sorted(aside) == [b"junk", b"{3}"]
    assert not dead.exists() and mine.exists()
    shelf.notes.clear()
    assert deck.clean(shelf) and shelf.notes == []


def test_an_asset_whose_document_and_history_are_both_lost_comes_back_from_its_source(
    shelf: Library,
) -> None:
    asset = deck.asset(shelf, showing.show(shelf, "周薄森").id)
    lines = Path(shelf.root, LOG).read_bytes().splitlines(True)
    Path(shelf.root, LOG).write_bytes(b"".join(ln for ln in lines if asset.id.encode() not in ln))
    Path(shelf.root, asset_file(asset.id)).unlink()
    assert repair(shelf).status == "ok"
    assert "周薄森" in deck.titles(shelf) and showing.show(shelf, "周薄森").id == asset.id
    assert deck.clean(shelf)


def lose_lines(root: Path, asset: Asset, junk: bytes) -> None:
    """Damage every line of the history that tells of an asset."""
    lines = (root / LOG).read_bytes().split(b"\n")
    kept = [junk if asset.id.encode() in line else line for line in lines]
    (root / LOG).write_bytes(b"\n".join(kept))


@pytest.mark.parametrize("document", [b"{", b"", b"\0" * 400, None])
@pytest.mark.parametrize("line", [b"{broken", b"[]"])
def test_an_asset_whose_document_and_history_are_damaged_together_is_made_again(
    shelf: Library, tmp_path: Path, document: bytes | None, line: bytes
) -> None:
    asset, root = card(shelf), Path(shelf.root)
    source = next(root.joinpath("assets/cards", asset.id).glob("*.png"))
    whole = {
        number: root.joinpath(version_file(asset.id, number)).read_bytes() for number in (1, 2)
    }
    if document is None:
        (root / asset_file(asset.id)).unlink()
    else:
        (root / asset_file(asset.id)).write_bytes(document)
    lose_lines(root, asset, line)
    root.joinpath(version_file(asset.id, 1)).write_bytes(b"{}")
    done = deck.take(open_library(root), deck.put(tmp_path / "more", "a.png", deck.png("新来的")))
    assert (done.taken, done.refused) == (1, 0), "imports of other cards go on"
    if document is not None:
        same = deck.put(tmp_path / "more", "b.png", source.read_bytes())
        again = deck.take(open_library(root), same)
        assert again.refused == 1 and deck.codes(again.items[0].lines) == ["record_broken"]
    answer = repair(open_library(root))
    assert (answer.status, answer.findings) == ("ok", []), answer.findings
    mended = deck.asset(open_library(root), asset.id)
    assert (mended.title, mended.current, len(mended.versions)) == ("沈砚", 2, 2)
    assert [v.content_hash for v in mended.versions] == [v.content_hash for v in asset.versions]
    assert {n: root.joinpath(version_file(asset.id, n)).read_bytes() for n in (1, 2)} == whole
    aside = [p.read_bytes() for p in root.joinpath(".clew/aside").rglob("*") if p.is_file()]
    assert b"{}" in aside and (not document or document in aside), "nothing is deleted"
    assert deck.clean(open_library(root))
    assert showing.show(open_library(root), "沈砚").version.number == 2


def test_a_designed_card_is_made_again_with_its_book(shelf: Library) -> None:
    from clew.books.assets import new_card

    asset, root = new_card(shelf, "新卡"), Path(shelf.root)
    (root / asset_file(asset.id)).write_bytes(b"{")
    lose_lines(root, asset, b"{")
    assert repair(open_library(root)).status == "ok"
    mended = deck.asset(open_library(root), asset.id)
    assert (mended.title, mended.card_book_id) == ("新卡", asset.card_book_id)
    assert deck.clean(open_library(root))


def test_an_asset_of_which_no_file_can_be_read_goes_on_being_named(shelf: Library) -> None:
    asset, root = card(shelf), Path(shelf.root)
    (root / asset_file(asset.id)).write_bytes(b"{")
    lose_lines(root, asset, b"{")
    for path in root.joinpath("assets/cards", asset.id).iterdir():
        path.write_bytes(b"rot")
    assert deck.codes(repair(open_library(root)).findings) == ["record_broken"]
    assert (root / asset_file(asset.id)).read_bytes() == b"{"


def test_a_folder_of_copies_with_something_of_mine_is_left_alone(shelf: Library) -> None:
    ident = "c" + "1" * 20
    copy = deck.put(Path(shelf.root), f"assets/cards/{ident}/v1.json", b"{}")
    mine = deck.put(Path(shelf.root), f"assets/cards/{ident}/mine.txt", b"mine")
    assert found(shelf) == ["stray_on_shelf"]
    repair(shelf)
    assert mine.exists() and copy.exists()


def test_a_lost_mark_is_written_anew(shelf: Library) -> None:
    Path(shelf.root, "library.json").unlink()
    assert deck.codes(check(shelf).findings) == ["mark_lost"]
    assert repair(shelf).status == "ok"
    assert found(shelf) == []


def test_a_torn_end_of_the_history_is_a_note_and_the_next_change_keeps_it_aside(
    shelf: Library,
) -> None:
    with Path(shelf.root, LOG).open("ab") as handle:
        handle.write(b'{"at":"2026')
    assert found(shelf) == []
    editing.apply(shelf, "周薄森", editing.Changes(set=["description=x"]))
    assert found(shelf) == []
    kept = [p.read_bytes() for p in Path(shelf.root, ".clew/aside").rglob("*") if p.is_file()]
    assert kept == [b'{"at":"2026']


def test_a_pin_that_leads_nowhere(shelf: Library) -> None:
    asset = card(shelf)
    play = bookshelf.new_play(shelf, "旧码头", asset.id)
    path = Path(shelf.root, book_file(play.id))
    path.write_text(path.read_text(encoding="utf-8").replace('"version": "2"', '"version": "5"'))
    assert found(shelf) == ["pin_dangling"]


def test_a_broken_book_is_named_and_the_others_are_listed(shelf: Library) -> None:
    good = bookshelf.new_project(shelf, "好书", "novel")
    bad = bookshelf.new_project(shelf, "坏书", "novel")
    Path(shelf.root, book_file(bad.id)).write_bytes(b'{"kind": "novel"')
    assert [book.id for book in shelf.books()] == [good.id]
    assert found(shelf) == ["book_broken"]
    with pytest.raises(ClewError) as broken:
        shelf.book(bad.id)
    assert broken.value.code == "book_broken"


def test_a_document_of_a_newer_version_is_left_alone(shelf: Library) -> None:
    asset = card(shelf)
    path = Path(shelf.root, asset_file(asset.id))
    value = json.loads(path.read_bytes()) | {"schema_version": 2, "title": {"new": "shape"}}
    path.write_text(json.dumps(value), encoding="utf-8")
    assert found(shelf) == ["newer_schema"]
    with pytest.raises(ClewError) as newer:
        repair(shelf)
    assert newer.value.code == "newer_schema"
    assert json.loads(path.read_bytes()) == value


def test_every_finding_says_what_to_do(shelf: Library) -> None:
    root, asset = Path(shelf.root), card(shelf)
    for damage in (break_history, lose_first_version, edit_title):
        damage(root, asset)
    deck.put(root, "assets/cards/mine.png", b"x")
    for lang in ("zh", "en"):
        findings = check(shelf, lang=lang).findings
        assert len(findings) >= 4 and all(one.get("hint") for one in findings)


@pytest.mark.parametrize("damage", ["gone", "cut", "empty"])
def test_a_source_that_is_gone_or_cut_is_put_back_by_importing_the_file_again(
    shelf: Library, tmp_path: Path, damage: str
) -> None:
    asset = card(shelf)
    source = asset.versions[0].source
    assert source is not None
    kept = Path(shelf.root, "assets/cards", asset.id, source.file)
    data = kept.read_bytes()
    if damage == "gone":
        kept.unlink()
    else:
        kept.write_bytes(data[: len(data) // 2] if damage == "cut" else b"")
    assert found(shelf, deep=True) == ["source_gone" if damage == "gone" else "source_changed"]
    before = {n: d for n, d in deck.tree(Path(shelf.root)).items() if source.file not in n}
    done = deck.take(shelf, deck.put(tmp_path / "again", "x.png", data), lang="en")
    assert (done.taken, done.skipped) == (0, 1)
    assert deck.codes(done.items[0].lines) == ["source_back"]
    assert kept.read_bytes() == data and deck.clean(shelf)
    after = {n: d for n, d in deck.tree(Path(shelf.root)).items() if source.file not in n}
    assert after == before, "nothing else changed"
    assert deck.take(shelf, tmp_path / "again", lang="en").items[0].lines == []


def test_the_book_in_which_a_card_was_designed_is_missed_when_it_is_gone(shelf: Library) -> None:
    from clew.books.assets import new_card

    asset = new_card(shelf, "新卡")
    path = Path(shelf.root, book_file(asset.card_book_id))
    path.unlink()
    shelf.notes.clear()
    looked = check(shelf)
    assert deck.codes(looked.findings) == ["book_lost"]
    assert "新卡" in looked.findings[0]["message"]
    assert [note.code for note in shelf.notes] == ["book_folder_empty"]


def test_the_empty_folder_of_a_book_is_a_note(shelf: Library) -> None:
    play = bookshelf.new_project(shelf, "一本书", "novel")
    Path(shelf.root, book_file(play.id)).unlink()
    shelf.notes.clear()
    assert check(shelf).findings == [], "a kill while a book was begun leaves the same"
    assert [note.code for note in shelf.notes] == ["book_folder_empty"]


def _damaged(data: bytes) -> Iterator[bytes | None]:
    """Nothing, or what a power cut, a bad disk or another program may leave of a file."""
    yield None
    yield b""
    yield b"\0" * len(data)
    yield data[: len(data) // 2]
    yield data[: len(data) // 3] + bytes([data[len(data) // 3] ^ 1]) + data[len(data) // 3 + 1 :]
    yield data + b"junk\n"
    yield from (b"{}", b"[1]\n", b"hello")


def test_no_damage_to_any_file_stops_a_check_or_loses_a_title(shelf: Library) -> None:
    """Whatever one file becomes: it is named, or mended, or makes no difference; every card is still
    listed, and a second repair finds nothing to do."""
    from clew.books import assets, searching

    assets.new_card(shelf, "新卡")
    bookshelf.new_play(shelf, "游玩", card(shelf).id)
    bookshelf.new_project(shelf, "小说", "novel")
    searching.search(shelf, "砚")
    root = Path(shelf.root)
    names = [p.relative_to(root).as_posix() for p in sorted(root.rglob("*")) if p.is_file()]
    titles = deck.titles(shelf)
    saved = {name: (root / name).read_bytes() for name in names}
    of_each_kind = {re.sub(r"[cwb][0-9a-f]{20}|[0-9a-f]{32}", "*", name): name for name in names}
    assert len(of_each_kind) >= 9
    for name in of_each_kind.values():
        for damaged in _damaged(saved[name]):
            _restore(root, saved)
            if damaged is None:
                (root / name).unlink()
            else:
                (root / name).write_bytes(damaged)
            told = deck.codes(check(Library(root), deep=True).findings)
            done = repair(Library(root))
            left = found(open_library(root), deep=True)
            assert set(left) <= set(told), (name, damaged)
            assert set(deck.codes(done.findings)) <= set(left), (name, damaged)
            assert len(deck.titles(open_library(root))) == len(titles), (name, damaged)
            assert repair(open_library(root)).done == [], (name, damaged)


def _restore(root: Path, saved: dict[str, bytes]) -> None:
    import shutil

    shutil.rmtree(root)
    for name, data in saved.items():
        deck.put(root, name, data)
