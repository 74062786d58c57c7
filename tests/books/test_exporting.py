"""Export: what the file holds, what it cannot hold, and where it is written."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import cardfiles
import deck
import pytest

from clew.books import cards, editing, exporting
from clew.books.exporting import export
from clew.books.library import Library
from clew.books.listing import named
from clew.kernel.errors import ClewError, Missing, Refused


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def read(path: str) -> Any:
    found = cards.read(Path(path).read_bytes(), name=path)
    assert found.ok, list(found.report)
    return found


@pytest.mark.parametrize(("container", "spec"), [
    ("png", "v1"), ("png", "v2"), ("png", "v3"), ("json", "v1"), ("json", "v2"), ("json", "v3"),
    ("charx", "v3"),
])  # fmt: skip
def test_every_format_comes_back_with_the_same_card(
    shelf: Library, tmp_path: Path, container: str, spec: str
) -> None:
    deck.one(shelf, tmp_path, character_book=cardfiles.book(cardfiles.entry()))
    done = export(shelf, "沈砚", container, spec, out=str(tmp_path))
    assert done.file == f"{tmp_path}/沈砚.{container}" and done.written
    found = read(done.file).card
    assert found.name == "沈砚" and found.description == "{{char}} 管着旧码头的账。"
    if spec == "v1":
        assert not done.lossless and found.book is None
    else:
        assert found.book is not None and len(found.book.entries) == 1


def test_the_same_format_without_an_edit_gives_the_same_card_in_the_same_picture(
    shelf: Library, tmp_path: Path
) -> None:
    data = cardfiles.card_png(cardfiles.v2(), after=[cardfiles.text_chunk("Software", b"x")])
    deck.take(shelf, deck.put(tmp_path, "a.png", data))
    done = export(shelf, "沈砚", "png", "v2", out=f"{tmp_path}/b.png")
    again = Path(done.file).read_bytes()
    assert cards.read(again).card == cards.read(data).card
    assert b"Software" in again and again.count(b"IDAT") == 1
    assert again[again.index(b"IDAT") :][:40] == data[data.index(b"IDAT") :][:40]


def test_an_export_holds_the_edits(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path)
    editing.apply(shelf, "沈砚", editing.Changes(set=["description=改过"]))
    assert read(export(shelf, "沈砚", out=f"{tmp_path}/n.png").file).card.description == "改过"
    old = export(shelf, "沈砚@1", out=f"{tmp_path}/o.png")
    assert old.version == 1 and read(old.file).card.description != "改过"


def test_losses_are_told_before_anything_is_written(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path, alternate_greetings=["另一句"])
    told = export(shelf, "沈砚", "json", "v1", out=f"{tmp_path}/x.json", dry_run=True)
    assert told.losses and not told.written and not Path(tmp_path, "x.json").exists()
    with pytest.raises(Refused) as refused:
        export(shelf, "沈砚", "json", "v1", out=f"{tmp_path}/x.json", strict=True)
    assert len(refused.value.faults) == len(told.losses)
    assert not Path(tmp_path, "x.json").exists()
    assert export(shelf, "沈砚", "json", "v1", out=f"{tmp_path}/x.json").losses == told.losses


def test_another_file_is_never_replaced_unless_asked(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path)
    mine = deck.put(tmp_path, "x.json", b"mine")
    with pytest.raises(Refused) as refused:
        export(shelf, "沈砚", "json", "v2", out=str(mine))
    assert refused.value.code == "export_taken" and mine.read_bytes() == b"mine"
    assert export(shelf, "沈砚", "json", "v2", out=str(mine), force=True).written
    again = export(shelf, "沈砚", "json", "v2", out=str(mine))
    assert (again.written, again.why_not) == (False, "there_already")
    tried = export(shelf, "沈砚", "json", "v2", out=f"{tmp_path}/y.json", dry_run=True)
    assert (tried.written, tried.why_not) == (False, "dry_run")
    assert not list(tmp_path.glob("*.tmp"))


def test_a_folder_that_is_missing_or_a_folder_in_the_way(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path)
    with pytest.raises(Missing):
        export(shelf, "沈砚", out=f"{tmp_path}/none/x.png")
    (tmp_path / "沈砚.png").mkdir()
    with pytest.raises(ClewError):
        export(shelf, "沈砚", out=str(tmp_path))


def test_a_card_without_a_picture_gets_one(shelf: Library, tmp_path: Path) -> None:
    deck.take(shelf, deck.put(tmp_path, "a.json", cardfiles.text(cardfiles.v2())))
    done = export(shelf, "沈砚", "png", "v2", out=f"{tmp_path}/a.png")
    assert "placeholder_drawn" in deck.codes(done.remarks) and done.lossless
    assert read(done.file).card.name == "沈砚"


def test_another_picture_is_exported(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path)
    face = deck.put(tmp_path, "face.png", cardfiles.png(width=11))
    editing.apply(shelf, "沈砚", editing.Changes(picture=str(face)))
    editing.apply(shelf, "沈砚", editing.Changes(set=["description=x"]))
    from clew.books.cards.png import scan

    assert scan(Path(export(shelf, "沈砚", out=f"{tmp_path}/n.png").file).read_bytes()).width == 11
    assert scan(Path(export(shelf, "沈砚@1", out=f"{tmp_path}/o.png").file).read_bytes()).width == 3


def test_the_files_of_an_archive_go_along(shelf: Library, tmp_path: Path) -> None:
    card = cardfiles.v3(assets=[{"type": "icon", "uri": "embeded://assets/icon/images/main.png",
                                 "name": "main", "ext": "png"}])  # fmt: skip
    pack = cardfiles.charx(
        card, ("assets/icon/images/main.png", cardfiles.png(width=7)), ("x.bin", b"1")
    )
    deck.take(shelf, deck.put(tmp_path, "a.charx", pack))
    editing.apply(shelf, "沈砚", editing.Changes(set=["description=改过"]))
    found = read(export(shelf, "沈砚", "charx", "v3", out=f"{tmp_path}/b.charx").file)
    assert found.card.description == "改过"
    assert {asset.path for asset in found.assets} == {"assets/icon/images/main.png", "x.bin"}


@pytest.mark.parametrize("spec", ["v2", "v3", "worldinfo"])
def test_lorebooks(shelf: Library, tmp_path: Path, spec: str) -> None:
    world = cardfiles.world_info(_0=cardfiles.world_entry(), _5=cardfiles.world_entry(5))
    deck.take(shelf, deck.put(tmp_path, "Eldoria.json", cardfiles.text(world)))
    done = export(shelf, "Eldoria", None, spec, out=f"{tmp_path}/e.json")
    assert done.container == "json"
    found = read(done.file).lorebook
    assert [e.content for e in found.entries] == ["旧码头有七根桩。"] * 2
    if spec == "worldinfo":
        assert set(json.loads(Path(done.file).read_bytes())["entries"]) == {"0", "5"}


def test_an_unknown_format_is_refused(shelf: Library, tmp_path: Path) -> None:
    deck.one(shelf, tmp_path)
    for container, spec in (("png", "v9"), ("gif", "v2"), ("charx", "v2")):
        with pytest.raises(Refused):
            export(shelf, "沈砚", container, spec, out=str(tmp_path))
    assert named(shelf, "沈砚").asset.revision == 1


@pytest.mark.parametrize("title", ["../../etc/passwd", "con", "a\\b", "x" * 400, "🐉" * 300, "..."])
def test_no_title_leads_out_of_the_folder(shelf: Library, tmp_path: Path, title: str) -> None:
    deck.take(shelf, deck.put(tmp_path / "in", "a.json", cardfiles.text(cardfiles.v2(title))))
    out = tmp_path / "out"
    out.mkdir()
    done = export(shelf, deck.asset(shelf, exporting_id(shelf)).id, "json", "v2", out=str(out))
    assert Path(done.file).parent == out and [p.name for p in out.iterdir()] == [
        Path(done.file).name
    ]
    assert read(done.file).card.name == title


def exporting_id(shelf: Library) -> str:
    from clew.books.listing import list_assets

    return list_assets(shelf).rows[0].id


def test_the_disk_refuses(shelf: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deck.one(shelf, tmp_path)
    from clew.testing.faulty import FaultyFiles

    for call in (1, 2, 3):
        monkeypatch.setattr(exporting, "Files", lambda call=call: FaultyFiles(call, partial=True))
        with pytest.raises(ClewError) as full:
            export(shelf, "沈砚", "json", "v2", out=f"{tmp_path}/x.json")
        assert full.value.code == "disk_full"
        assert not Path(tmp_path, "x.json").exists()
        assert not list(tmp_path.glob("x.json*"))


def test_a_lorebook_is_exported_strictly_too_and_its_formats_are_named_as_they_are_asked_for(
    shelf: Library, tmp_path: Path
) -> None:
    value = {
        "spec": "lorebook_v3",
        "data": cardfiles.book(cardfiles.entry(content="@@depth 4\n账")),
        "x": 1,
    }
    ident = deck.take(shelf, deck.put(tmp_path, "w.json", cardfiles.text(value))).items[0].id
    out = tmp_path / "out.json"
    with pytest.raises(Refused) as refused:
        export(shelf, ident, "json", "v2", out=str(out), strict=True)
    assert (
        refused.value.exit_code == 1
    )  # each is a note elsewhere; here it is why nothing was written
    assert {fault.code for fault in refused.value.faults} == {
        "field_left_out",
        "decorators_left_out",
    }
    assert not out.exists()
    with pytest.raises(Refused) as refused:
        export(shelf, ident, "json", "v1", out=str(out))
    assert refused.value.faults[0].facts["allowed"] == ("v2", "v3", "worldinfo")
    assert export(shelf, ident, "json", "v3", out=str(out), strict=True).written


def test_strictly_nothing_stands_in_the_way_of_what_is_merely_added(
    shelf: Library, tmp_path: Path
) -> None:
    plain = cardfiles.text({**cardfiles.v2(), "chat": "昨夜的聊天"})
    deck.take(shelf, deck.put(tmp_path, "a.json", plain))
    done = export(shelf, "沈砚", "png", "v3", out=f"{tmp_path}/a.png", strict=True)
    assert done.written and done.lossless and done.losses == []
    assert set(deck.codes(done.remarks)) == {
        "placeholder_drawn", "fields_filled", "private_left_out",
    }  # fmt: skip


def test_the_name_of_the_file_decides_where_no_container_is_asked_for(
    shelf: Library, tmp_path: Path
) -> None:
    deck.one(shelf, tmp_path)
    for name, kind in (("a.json", "json"), ("b.CHARX", "charx"), ("c.png", "png"), ("d", "png")):
        done = export(shelf, "沈砚", out=f"{tmp_path}/{name}")
        assert done.container == kind and read(done.file).kind == kind, name
    assert export(shelf, "沈砚", "json", out=f"{tmp_path}/e.png").container == "json", "asked for"


def test_a_lorebook_is_no_picture_and_says_what_it_can_be(shelf: Library, tmp_path: Path) -> None:
    world = cardfiles.text(cardfiles.world_info(_0=cardfiles.world_entry()))
    deck.take(shelf, deck.put(tmp_path, "Eldoria.json", world))
    with pytest.raises(Refused) as refused:
        export(shelf, "Eldoria", "png", "v1", out=str(tmp_path / "out.png"))
    told = [(fault.path, fault.facts["allowed"]) for fault in refused.value.faults]
    assert told == [("to", ("json",)), ("spec", ("v2", "v3", "worldinfo"))]
    assert not (tmp_path / "out.png").exists()


SMILE = {"type": "emotion", "uri": "__asset:smile", "name": "笑", "ext": "png"}


@pytest.mark.parametrize(
    "document",
    [
        cardfiles.v2(),
        cardfiles.v3(),
        cardfiles.v3(assets=[{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}]),
        cardfiles.v3(assets=[SMILE]),
        cardfiles.v3(assets=[{**SMILE, "uri": "https://example.org/a.png"}]),
    ],
    ids=["v2", "v3", "default icon", "embedded asset", "remote asset"],
)
def test_a_card_that_went_out_and_came_back_is_known_as_the_same_card(
    shelf: Library, tmp_path: Path, document: dict[str, Any]
) -> None:
    """PNG to CHARX to PNG: pictures lie elsewhere each time, the card is the same and said to be."""
    coded = base64.b64encode(cardfiles.text(document))
    chunks = [cardfiles.text_chunk("chara-ext-asset_:smile", base64.b64encode(cardfiles.png()))]
    chunk = cardfiles.text_chunk("ccv3" if document["spec"].endswith("v3") else "chara", coded)
    first = deck.put(tmp_path / "in", "a.png", cardfiles.png(chunk, *chunks))
    ident = deck.take(shelf, first).items[0].id
    wanted = deck.asset(shelf, ident).versions[0].content_hash
    for container in ("charx", "png", "charx"):
        out = export(
            shelf, ident, container, "v3", out=f"{tmp_path}/{container}.{container}", force=True
        )
        done = deck.take(shelf, out.file)
        if done.taken:
            assert "same_card" in deck.codes(done.items[0].lines), done.items[0].lines
        ident = done.items[0].id
        assert deck.asset(shelf, ident).versions[0].content_hash == wanted
    assert len(deck.titles(shelf)) > 1 and deck.clean(shelf)


def test_a_card_that_was_taken_from_a_text_keeps_its_picture(
    shelf: Library, tmp_path: Path
) -> None:
    from clew.books import showing
    from clew.books.cards.png import scan

    deck.one(shelf, tmp_path)
    other = deck.put(tmp_path, "new.json", cardfiles.text(cardfiles.v3(description="新的")))
    editing.apply(shelf, "沈砚", editing.Changes(source=str(other)))
    done = export(shelf, "沈砚", out=f"{tmp_path}/n.png")
    assert read(done.file).card.description == "新的"
    assert "placeholder_drawn" not in deck.codes(done.remarks)
    assert scan(Path(done.file).read_bytes()).width == 3
    assert showing.diff(shelf, "沈砚").picture is None
    face = deck.put(tmp_path, "face.png", cardfiles.png(width=11))
    editing.apply(shelf, "沈砚", editing.Changes(picture=str(face)))
    editing.apply(shelf, "沈砚", editing.Changes(source=str(other), set=["personality=话多"]))
    again = export(shelf, "沈砚", out=f"{tmp_path}/o.png")
    assert scan(Path(again.file).read_bytes()).width == 11
