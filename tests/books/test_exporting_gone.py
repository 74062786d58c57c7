"""Exports whose source is gone, that would lie in a library, or that say less than they do."""

from __future__ import annotations

from pathlib import Path

import cardfiles
import deck
import pytest

from clew.books import editing
from clew.books.exporting import Exported, export
from clew.books.library import Library
from clew.books.records import Asset
from clew.kernel.errors import Refused

ICON = {
    "type": "icon",
    "uri": "embeded://assets/icon/images/main.png",
    "name": "main",
    "ext": "png",
}


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def boxed(shelf: Library, tmp_path: Path) -> Asset:
    """A card from an archive with its picture and a member that it does not name."""
    data = cardfiles.charx(
        cardfiles.v3("Box", assets=[ICON]),
        ("assets/icon/images/main.png", cardfiles.png(width=5)), ("module.risum", b"m"),
    )  # fmt: skip
    return deck.asset(shelf, deck.take(shelf, deck.put(tmp_path, "b.charx", data)).items[0].id)


def without_sources(shelf: Library, asset: Asset) -> None:
    for path in Path(shelf.root, f"assets/cards/{asset.id}").iterdir():
        if not path.name.startswith("v"):
            path.unlink()


def lost(done: Exported) -> list[str]:
    return deck.codes(done.losses)


# ---- a source that is gone ----------------------------------------------------------------------


@pytest.mark.parametrize("to", ["png", "json", "charx"])
def test_a_picture_that_the_library_knows_of_is_lost_when_its_file_is_gone(
    shelf: Library, tmp_path: Path, to: str
) -> None:
    without_sources(shelf, deck.one(shelf, tmp_path))
    done = export(shelf, "沈砚", to, out=str(tmp_path))
    assert "picture_gone" in lost(done) and not done.lossless
    assert "placeholder_drawn" not in deck.codes(done.remarks), "it had a picture"
    with pytest.raises(Refused) as refused:
        export(shelf, "沈砚", to, out=f"{tmp_path}/strict.{to}", strict=True)
    assert refused.value.code == "picture_gone" and not (tmp_path / f"strict.{to}").exists()


def test_a_picture_that_was_left_in_place_is_lost_when_its_folder_moves(
    shelf: Library, tmp_path: Path
) -> None:
    from clew.books.sillytavern import import_folder

    deck.put(tmp_path, "ST/settings.json", b"{}")
    deck.put(tmp_path, "ST/characters/Alice.png", deck.png("Alice"))
    deck.put(tmp_path, "ST/worlds/w.json", b'{"entries": {}}')
    import_folder(shelf, str(tmp_path / "ST"), keep="reference")
    (tmp_path / "ST").rename(tmp_path / "moved")
    with pytest.raises(Refused) as refused:
        export(shelf, "Alice", "png", out=f"{tmp_path}/a.png", strict=True)
    assert refused.value.code == "picture_gone"


def test_members_of_an_archive_that_is_gone_are_lost(shelf: Library, tmp_path: Path) -> None:
    without_sources(shelf, boxed(shelf, tmp_path))
    done = export(shelf, "Box", "charx", out=f"{tmp_path}/o.charx")
    assert lost(done) == ["picture_gone", "members_gone"]
    assert done.losses[1]["found"] == ["assets/icon/images/main.png"]
    assert "does not name" in done.losses[1]["message"], "nobody knows what else was in it"


def test_a_source_that_is_gone_is_told_once(shelf: Library, tmp_path: Path) -> None:
    asset = deck.one(shelf, tmp_path)
    editing.apply(shelf, asset.id, editing.Changes(set=["description=x"]))
    without_sources(shelf, asset)
    export(shelf, asset.id, "png", out=f"{tmp_path}/o.png")
    assert [note.code for note in shelf.notes].count("source_gone") == 1


def test_a_text_that_is_gone_loses_nothing(shelf: Library, tmp_path: Path) -> None:
    path = deck.put(tmp_path, "a.json", cardfiles.text(cardfiles.v2()))
    asset = deck.asset(shelf, deck.take(shelf, path).items[0].id)
    without_sources(shelf, asset)
    done = export(shelf, "沈砚", "png", out=f"{tmp_path}/o.png", strict=True)
    assert done.lossless and "placeholder_drawn" in deck.codes(done.remarks)


def test_a_picture_of_its_own_needs_no_source(shelf: Library, tmp_path: Path) -> None:
    asset = deck.one(shelf, tmp_path)
    face = deck.put(tmp_path, "face.png", cardfiles.png(width=11))
    editing.apply(shelf, asset.id, editing.Changes(picture=str(face)))
    assert asset.versions[0].source is not None
    Path(shelf.root, f"assets/cards/{asset.id}/{asset.versions[0].source.file}").unlink()
    assert export(shelf, asset.id, "png", out=f"{tmp_path}/o.png", strict=True).lossless
    assert lost(export(shelf, f"{asset.id}@1", "png", out=f"{tmp_path}/p.png")) == ["picture_gone"]


# ---- where it lies, what it is called -----------------------------------------------------------


@pytest.mark.parametrize("place", [
    "library.json", "assets/shelf.jsonl", "assets/cards/evil.png", "books/x.png", "index.sqlite",
])  # fmt: skip
def test_no_export_lies_among_the_files_of_a_library(
    shelf: Library, tmp_path: Path, place: str
) -> None:
    deck.one(shelf, tmp_path)
    other = deck.library(tmp_path, "other")
    for library in (shelf, other):
        before = deck.tree(Path(library.root))
        with pytest.raises(Refused) as refused:
            export(shelf, "沈砚", "png", out=f"{library.root}/{place}", force=True)
        assert refused.value.code == "inside_library" and deck.tree(Path(library.root)) == before
    assert export(shelf, "沈砚", "png", out=f"{shelf.root}/mine.png").written
    assert deck.clean(shelf)


@pytest.mark.parametrize(("name", "to"), [("a.gif", None), ("b.json", "png"), ("c.jpg", "charx")])
def test_a_name_that_says_another_kind_is_remarked(
    shelf: Library, tmp_path: Path, name: str, to: str | None
) -> None:
    deck.one(shelf, tmp_path)
    done = export(shelf, "沈砚", to, out=f"{tmp_path}/{name}")
    assert "export_misnamed" in deck.codes(done.remarks) and done.lossless


def test_a_file_name_turns_no_text_around(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path, "a\u202egnp.exe\u200b")
    done = export(shelf, "a\u202egnp.exe\u200b", "png", out=str(tmp_path))
    assert done.file == f"{tmp_path}/agnp.exe.png"


# ---- what a CHARX adds and says otherwise -------------------------------------------------------


def test_a_row_that_a_charx_adds_is_told(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path)
    done = export(shelf, "沈砚", "charx", out=f"{tmp_path}/o.charx", strict=True)
    assert "icon_added" in deck.codes(done.remarks)


def test_a_row_that_names_another_place_is_told(shelf: Library, tmp_path: Path) -> None:
    row = {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}
    data = cardfiles.card_png(cardfiles.v3("Def", assets=[row]))
    deck.take(shelf, deck.put(tmp_path, "d.png", data))
    done = export(shelf, "Def", "charx", out=f"{tmp_path}/o.charx")
    said = [(line["code"], line["path"]) for line in done.remarks]
    assert ("field_translated", "$.data.assets[0].uri") in said
    boxed(shelf, tmp_path)
    done = export(shelf, "Box", "png", out=f"{tmp_path}/o.png")
    assert "field_translated" in deck.codes(done.remarks)
    same = export(shelf, "Box", "charx", out=f"{tmp_path}/same.charx")
    assert "field_translated" not in deck.codes(same.remarks)
