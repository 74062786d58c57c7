"""What a card is, as it is shown: what tells cards of one name apart, its lorebooks, what waits."""

from __future__ import annotations

import io
import os
import shlex
from pathlib import Path
from typing import Any

import cardfiles
import deck
import pytest
from tavern import Tavern

from clew.books import assets, editing, listing, searching, showing
from clew.books.library import Library
from clew.books.sillytavern import import_folder
from clew.faces.cli.rooms import rendering
from clew.kernel.errors import Refused
from clew.kernel.operations import of_noun


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return deck.library(tmp_path)


def drawn(operation: str, answer: Any, lang: str = "en", width: int = 100) -> str:
    from rich.console import Console

    noun = operation.split(".")[0]
    draw = rendering(next(one for one in of_noun(noun) if one.name == operation))
    assert draw is not None
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=False).print(draw(answer, lang), crop=False)
    return out.getvalue()


def test_cards_of_one_name_are_told_apart_by_id_format_file_and_day(
    shelf: Library, tmp_path: Path
) -> None:
    one = deck.take(shelf, deck.put(tmp_path, "first.png", deck.png())).items[0].id
    two = deck.take(shelf, deck.put(tmp_path, "second.json", cardfiles.text(cardfiles.v3()))).items[0].id  # fmt: skip
    with pytest.raises(Refused) as refused:
        listing.named(shelf, "沈砚")
    fault = refused.value.faults[0]
    assert fault.facts["allowed"] == [
        f"{one[:8]} (v2, png, first.png, 2026-05-01)",
        f"{two[:8]} (v3, json, second.json, 2026-05-01)",
    ]
    for lang in ("zh", "en"):
        assert "second.json" in fault.message(lang) and one[:8] in fault.hint(lang)
    assert listing.named(shelf, one[:8]).asset.id == one


def test_of_very_many_cards_of_one_name_some_are_told_and_the_rest_is_counted(
    shelf: Library, tmp_path: Path
) -> None:
    for number in range(13):
        deck.one(shelf, tmp_path, description=str(number))
    with pytest.raises(Refused) as refused:
        listing.named(shelf, "沈砚")
    fault = refused.value.faults[0]
    assert len(fault.facts["allowed"]) == 10
    assert "and 3 more" in fault.message("en") and "还有 3 个" in fault.message("zh")


def test_an_edit_of_the_picture_alone_is_a_difference(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    face = deck.put(tmp_path, "face.png", cardfiles.png(width=11))
    editing.apply(shelf, card.id, editing.Changes(picture=str(face)))
    found = showing.diff(shelf, card.id)
    assert found.changes == [] and not found.same
    assert found.picture is not None
    before, after = found.picture.before, found.picture.after
    assert before is not None and after is not None
    assert before.sha256 != after.sha256 and after.bytes == len(cardfiles.png(width=11))
    for lang, word in (("zh", "图片"), ("en", "picture")):
        told = drawn("card.diff", found, lang)
        assert word in told and after.sha256[:12] in told


def test_the_same_picture_in_another_file_is_no_difference(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    editing.apply(shelf, card.id, editing.Changes(set=["description=x"]))
    found = showing.diff(shelf, card.id)
    assert found.picture is None and not found.same
    again = showing.diff(shelf, card.id, 2, 2)
    assert again.same and "same" in drawn("card.diff", again)


def test_a_card_shows_its_lorebooks_and_the_one_that_nobody_has(
    shelf: Library, tmp_path: Path
) -> None:
    made = Tavern(tmp_path / "st")
    made.put("characters/沈砚.png", deck.png(extensions={"world": "洪字号"}))
    made.put("characters/Mara.png", deck.png("Mara", extensions={"world": "Gone"}))
    made.put("worlds/洪字号.json", cardfiles.world_info(_0=cardfiles.world_entry()))
    import_folder(shelf, str(made.root))
    found = showing.show(shelf, "沈砚")
    assert [(row.title, row.id) for row in found.linked] == [("洪字号", found.worlds[0])]
    other = showing.show(shelf, "Mara")
    assert [(row.title, row.id) for row in other.linked] == [("Gone", "")]
    assert "not in the library" in drawn("card.show", other)
    assert found.worlds[0][:8] in drawn("card.show", found)


def test_a_card_shows_what_waits_over_there(shelf: Library, tmp_path: Path) -> None:
    made = Tavern(tmp_path / "st")
    made.put("characters/沈砚.png", deck.png())
    import_folder(shelf, str(made.root))
    assert showing.show(shelf, "沈砚").waiting == []
    editing.apply(shelf, "沈砚", editing.Changes(set=["description=我改的"]))
    made.put("characters/沈砚.png", deck.png(description="那边改的"))
    os.utime(made.root / "characters/沈砚.png", (1, 1))
    (waits,) = showing.show(shelf, "沈砚").waiting
    assert (waits.what, waits.path) == ("file", "characters/沈砚.png")
    assert "clew library import --from sillytavern" in drawn(
        "card.show", showing.show(shelf, "沈砚")
    )
    import_folder(shelf, str(made.root))
    (waits,) = showing.show(shelf, "沈砚").waiting
    assert (waits.what, waits.version) == ("version", 3)
    assert " 2 3" in drawn("card.show", showing.show(shelf, "沈砚"))
    editing.apply(shelf, "沈砚", editing.Changes(back_to=3))
    assert showing.show(shelf, "沈砚").waiting == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_lorebook_shows_its_entries_some_of_them_or_all(
    shelf: Library, tmp_path: Path, lang: str
) -> None:
    rows = {
        f"_{n}": cardfiles.world_entry(n, key=[f"钥匙{n}"], content=f"内容{n} " + "长" * 300 + "末")
        for n in range(30)
    }
    deck.take(shelf, deck.put(tmp_path, "W.json", cardfiles.text(cardfiles.world_info(**rows))))
    short = drawn("card.show", showing.show(shelf, "W"), lang)
    assert "钥匙19" in short and "内容19" in short and "钥匙20" not in short
    assert "末" not in short and "--all" in short
    whole = drawn("card.show", showing.show(shelf, "W", whole=True), lang)
    assert "钥匙29" in whole and "末" in whole.replace("\n", "") and "--all" not in whole


def test_where_nothing_is_cut_nothing_says_so(shelf: Library, tmp_path: Path) -> None:
    world = cardfiles.text(cardfiles.world_info(_0=cardfiles.world_entry()))
    deck.take(shelf, deck.put(tmp_path, "W.json", world))
    assert "--all" not in drawn("card.show", showing.show(shelf, "W"))


def test_a_format_that_nothing_has_is_refused_with_those_there_are(
    shelf: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, one, other in (("card", "tavernai", "worldinfo"), ("world", "worldinfo", "v2")):
        code, answer, _ = deck.clew(
            "card", "list", "--spec", other, "--kind", kind, "--library", shelf.root
        )
        assert (code, answer["error_code"]) == (2, "not_allowed")
        assert one in answer["faults"][0]["allowed"]
        code, answer, _ = deck.clew(
            "card", "list", "--spec", one.upper(), "--kind", kind, "--library", shelf.root
        )
        assert (code, answer["rows"]) == (0, [])


def test_the_next_page_of_a_search_is_a_command_that_can_be_pasted(
    shelf: Library, tmp_path: Path
) -> None:
    for number in range(3):
        deck.one(shelf, tmp_path, description=f"it's {number} 旧 码头")
    found = searching.search(shelf, "it's 旧", limit=1)
    assert found.next
    told = drawn("library.search", found, width=600)
    line = next(line for line in told.splitlines() if "--after" in line)
    words = shlex.split(line[line.index("clew ") :])
    assert words == ["clew", "library", "search", "it's 旧", "--after", found.next]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_file_that_is_not_there_is_told_in_words_of_the_library(
    shelf: Library, tmp_path: Path, lang: str
) -> None:
    done = deck.take(shelf, tmp_path / "gone.png", lang=lang)
    line = done.items[0].lines[0]
    assert line["code"] == "no_such_file" and ".story" not in line["hint"]
    assert line["hint"] in " ".join(drawn("card.import", done, lang, width=400).split())


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_picture_that_was_cut_off_is_no_json_to_be_mended(
    shelf: Library, tmp_path: Path, lang: str
) -> None:
    data = deck.png()
    cut = data[: data.index(b"chara") + 60]
    done = deck.take(shelf, deck.put(tmp_path, "cut.png", cut), lang=lang)
    line = done.items[0].lines[0]
    assert (line["code"], line["path"]) == ("card_cut", "chara")
    assert "JSON" not in line["message"] + line["hint"]


def test_a_favourite_is_set_and_taken_back(shelf: Library, tmp_path: Path) -> None:
    card = deck.one(shelf, tmp_path)
    for word, value in (("yes", True), ("no", False)):
        code, answer, _ = deck.clew(
            "card", "mark", card.id, "--favourite", word, "--library", shelf.root
        )
        assert (code, answer["favourite"]) == (0, value)
    assert assets.mark(shelf, card.id, favourite=None).favourite is False


def test_an_encoding_is_told_by_a_person_at_the_import_or_afterwards(
    shelf: Library, tmp_path: Path
) -> None:
    data = cardfiles.text(cardfiles.v1("艾莉絲", first_mes="hi")).decode().encode("big5", "ignore")
    path = deck.put(tmp_path, "old.json", data)
    where = ("--library", shelf.root)
    code, answer, _ = deck.clew("card", "import", path, "--encoding", "klingon", *where)
    assert (code, answer["error_code"]) == (2, "not_allowed")
    code, answer, _ = deck.clew("card", "import", path, "--encoding", "gbk", *where)
    (item,) = answer["items"]
    assert code == 0 and item["title"] != "艾莉絲"
    source = deck.asset(shelf, item["id"]).versions[0].source
    assert source is not None
    assert Path(shelf.root, "assets/cards", item["id"], source.file).read_bytes() == data
    _, answer, _ = deck.clew("card", "import", path, "--encoding", "big5", *where)
    assert deck.codes(answer["items"][0]["lines"]) == ["in_already"], "the same bytes are known"
    code, answer, _ = deck.clew(
        "card", "edit", item["id"], "--from", path, "--encoding", "Big5", *where
    )
    assert (code, answer["title"]) == (0, "艾莉絲")
