"""`clew library …` and `clew card …`: through the command line, for machines and people."""

from __future__ import annotations

import json
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import cardfiles
import deck
import pytest

from clew.faces.cli.parse import noun_parser, request_of
from clew.faces.cli.rooms import rendering
from clew.kernel.errors import Refused
from clew.kernel.operations import Operation, of_noun

OPERATIONS = [*of_noun("library"), *of_noun("card")]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, with a home folder of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLEW_LANG", "en")
    (tmp_path / "home").mkdir()
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return tmp_path


def ok(*argv: object) -> Any:
    code, answer, err = deck.clew(*argv)
    assert code == 0 and answer["status"] == "ok", (argv, answer, err)
    return answer


def refused(*argv: object) -> Any:
    code, answer, _ = deck.clew(*argv)
    assert code in (1, 2, 3) and answer["status"] == "error", (argv, answer)
    return answer


# ---- the registry ---------------------------------------------------------------------------------


def test_the_operations_are_those_of_the_design() -> None:
    assert [operation.name for operation in OPERATIONS] == [
        "library.init", "library.check", "library.repair", "library.reindex", "library.search",
        "library.import", "library.books", "library.book", "library.stage", "library.trash",
        "library.restore", "library.purge", "card.import", "card.new",
        "card.list", "card.show", "card.versions", "card.diff", "card.edit", "card.rename", "card.mark",
        "card.archive", "card.trash", "card.restore", "card.purge", "card.where-used", "card.export",
    ]  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_is_whole(operation: Operation) -> None:
    """Help in both languages, an answer type that exists, an example that parses, a rendering."""
    assert any("\u4e00" <= c <= "\u9fff" for c in operation.zh)
    assert operation.en.isascii()
    module, name = operation.answer.split(":")
    assert getattr(import_module(module), name)
    noun, verb, *words = shlex.split(operation.example)[1:]
    assert f"{noun}.{verb}" == operation.name
    space = noun_parser(noun, of_noun(noun), "zh").parse_args([verb, *words])
    assert isinstance(request_of(space, operation.request), operation.request)
    assert rendering(operation) is not None


def test_every_example_runs(home: Path) -> None:
    """In the order of the help pages, on a library that has what they name."""
    from clew.books.listing import named
    from clew.books.opening import open_shelf
    from clew.faces.cli.rooms import host_of

    deck.put(home / "work", "下载/角色卡/a.png", deck.png("沈砚", tags=["古风"]))
    deck.put(home / "home", "SillyTavern/data/default-user/characters/b.png", deck.png("Mara"))
    ok("library", "init")
    ok("card", "import", "下载")
    ok("card", "edit", "沈砚", "--set", "personality=话多")
    for operation in OPERATIONS:
        if operation.name in ("library.init", "library.purge", "card.restore", "card.purge"):
            continue
        words = shlex.split(operation.example)[1:]
        words = [word.replace("~", str(home / "home")) for word in words]
        code, answer, err = deck.clew(*words)
        assert code == 0, (words, answer, err)
        shelf = open_shelf(host_of("en"), None)
        if operation.name == "card.new":
            ok("card", "rename", answer["id"], "另一张")
        if operation.name == "card.rename":
            ok("card", "rename", answer["id"], "沈砚")
        if operation.name in ("card.archive", "card.trash"):
            ok(*shlex.split("card restore 沈砚"))
        assert named(shelf, "沈砚").asset.title == "沈砚"
    ok("card", "trash", "沈砚")
    assert deck.clew("card", "purge", "沈砚")[0] == 1, "without --yes something is left to decide"
    ok("card", "purge", "沈砚", "--yes")


# ---- which library ---------------------------------------------------------------------------------


def test_the_library_of_the_home_folder_is_the_one_where_none_is_near(home: Path) -> None:
    assert refused("card", "list")["error_code"] == "no_library"
    assert ok("library", "init")["library"] == str(home / "home" / "clew")
    ok("card", "new", "一")
    assert ok("card", "list")["total"] == 1
    assert refused("library", "init")["error_code"] == "library_exists"


def test_the_nearest_library_upward_and_the_one_that_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ok("library", "init")
    ok("library", "init", "near", "--title", "附近的")
    inside = home / "work" / "near" / "deep" / "er"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    ok("card", "new", "近的")
    assert [row["title"] for row in ok("card", "list")["rows"]] == ["近的"]
    assert ok("card", "list", "--library", home / "home" / "clew")["total"] == 0


def test_a_near_library_that_lost_its_mark_is_not_passed_over(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ok("library", "init")
    ok("library", "init", "near")
    inside = home / "work" / "near"
    monkeypatch.chdir(inside)
    ok("card", "new", "近的")
    (inside / "library.json").unlink()
    for line in (["card", "list"], ["card", "new", "x"], ["library", "search", "x"]):
        answer = refused(*line)
        assert answer["error_code"] == "mark_lost"
        assert answer["faults"][0]["file"] == str(inside)
    assert ok("card", "list", "--library", home / "home" / "clew")["total"] == 0
    code, answer, _ = deck.clew("library", "check")
    assert (code, deck.codes(answer["findings"])) == (1, ["mark_lost"])
    assert str(inside) in answer["findings"][0]["hint"], "how to mend this one, not another"
    before = deck.tree(home / "home")
    code, answer, err = deck.clew("library", "init")
    assert code == 0 and "mark_back" in json.dumps([answer, err])
    assert answer["library"] == str(inside) and deck.tree(home / "home") == before
    assert [row["title"] for row in ok("card", "list")["rows"]] == ["近的"]


# ---- a walk through ---------------------------------------------------------------------------------


def test_import_look_edit_export(home: Path) -> None:
    ok("library", "init")
    deck.put(home / "work", "in/a.png", deck.png("沈砚", tags=["古风"]))
    deck.put(home / "work", "in/b.json", cardfiles.text(cardfiles.v1("周薄森")))
    done = ok("card", "import", "in", "--report", "r.html")
    assert (done["taken"], done["refused"]) == (2, 0) and (home / "work/r.html").is_file()
    assert ok("card", "import", "in")["skipped"] == 2
    assert [row["title"] for row in ok("card", "list", "--tag", "古风")["rows"]] == ["沈砚"]
    assert ok("library", "search", "砚")["hits"][0]["asset"]["title"] == "沈砚"
    edited = ok("card", "edit", "沈砚", "--set", "description=a=b", "--set-json", 'tags=["x"]')
    assert (edited["version"]["number"], edited["before"]) == (2, 1)
    shown = ok("card", "show", "沈砚")
    assert shown["card"]["data"]["description"] == "a=b" and shown["card"]["data"]["tags"] == ["x"]
    assert [v["number"] for v in ok("card", "versions", "沈砚")["versions"]] == [2, 1]
    assert {c["path"] for c in ok("card", "diff", "沈砚", 1, 2)["changes"]} == {
        "$.data.description", "$.data.tags[0]", "$.data.tags[1]", "$.data.tags",
    } & {c["path"] for c in ok("card", "diff", "沈砚")["changes"]}  # fmt: skip
    out = ok("card", "export", "沈砚", "--to", "json", "--spec", "v2")
    assert json.loads((home / "work/沈砚.json").read_bytes())["data"]["description"] == "a=b"
    assert out["lossless"] is False and out["losses"]
    assert ok("library", "check", "--deep")["cards"] == 2


def test_a_refused_file_makes_the_exit_code_one_and_the_others_are_in(home: Path) -> None:
    ok("library", "init")
    deck.put(home / "work", "good.png", deck.png())
    deck.put(home / "work", "bad.json", b"{")
    code, answer, _ = deck.clew("card", "import", "good.png", "bad.json", "gone.png")
    assert code == 1 and (answer["taken"], answer["refused"]) == (1, 2)


def test_findings_make_the_exit_code_one(home: Path) -> None:
    ok("library", "init", "lib")
    deck.put(home / "work/lib/assets/cards", "x.png", b"x")
    code, answer, _ = deck.clew("library", "check", "--library", "lib")
    assert code == 1 and answer["status"] == "findings"
    assert answer["findings"][0]["code"] == "stray_on_shelf"


def test_several_cards_go_into_the_trash_together_or_not_at_all(home: Path) -> None:
    ok("library", "init")
    for title in ("一", "二", "三"):
        ok("card", "new", title)
    answer = refused("card", "trash", "一", "没有", "二@1", "三")
    assert deck.codes(answer["faults"]) == ["no_such_asset", "version_not_apart"]
    assert ok("card", "list")["total"] == 3
    gone = ok("card", "trash", "一", "二", "一")
    assert [card["title"] for card in gone["cards"]] == ["一", "二"]
    for verb in (["trash"], ["purge", "--yes"]):
        answer = refused("card", *verb, "没有", "一" if verb == ["trash"] else "三", "三@1")
        assert deck.codes(answer["faults"]) == [
            "no_such_asset", "version_not_apart", "impossible_step",
        ], "wrong names and wrong states are told together"  # fmt: skip
    assert deck.codes(refused("card", "purge", "一", "三")["faults"]) == ["impossible_step"]
    code, told, _ = deck.clew("card", "purge", "一", "二")
    assert (code, told["status"], len(told["items"])) == (1, "would_delete", 2)
    assert deck.codes(told["notes"]) == ["design_stays"] * 2
    ok("card", "restore", "一", "二")
    assert ok("card", "list")["total"] == 3
    ok("card", "trash", "一", "二")
    assert len(ok("card", "purge", "一", "二", "--yes")["items"]) == 2
    assert ok("library", "check")["status"] == "ok"


def test_books_go_into_the_trash_and_come_back_by_short_ids(home: Path) -> None:
    ok("library", "init")
    ok("card", "new", "沈砚")
    book = ok("library", "books")["books"][0]
    assert ok("library", "trash", book["id"][:8])["books"][0]["state"] == "trashed"
    assert ok("library", "books")["books"] == []
    assert ok("library", "books", "--state", "trashed")["books"][0]["id"] == book["id"]
    assert refused("library", "stage", "沈砚", "archived")["error_code"] == "book_in_the_trash"
    assert ok("library", "restore", "沈砚")["books"][0]["stage"] == "design"
    assert refused("library", "purge", "沈砚", "--yes")["error_code"] == "impossible_step"
    ok("library", "trash", "沈砚")
    assert deck.clew("library", "purge", "沈砚")[0] == 1
    assert ok("library", "purge", "沈砚", "--yes")["status"] == "ok"
    assert ok("library", "books", "--state", "all")["books"] == []
    assert ok("library", "check")["status"] == "ok"


def test_books_and_their_stages(home: Path) -> None:
    ok("library", "init")
    made = ok("library", "book", "渡口旧账", "--kind", "forum")["books"][0]
    assert (made["kind"], made["stage"]) == ("forum", "design")
    assert ok("library", "stage", "渡口旧账", "done")["books"][0]["stage"] == "done"
    answer = refused("library", "stage", made["id"], "archived")
    assert answer["error_code"] == "impossible_step"
    assert answer["faults"][0]["allowed"] == ["play", "design"]
    ok("card", "new", "沈砚")
    kinds = {book["kind"] for book in ok("library", "books")["books"]}
    assert kinds == {"forum", "character_card_design"}
    assert len(ok("library", "books", "--kind", "forum")["books"]) == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["card", "show", "没有"], "no_such_asset"),
        (["card", "edit", "一"], "usage"),
        (["card", "edit", "一", "--set", "no equals"], "usage"),
        (["card", "edit", "一", "--set", "tags=x"], "bad_value"),
        (["card", "edit", "一", "--set", "name=x", "--expect", "7"], "stale_version"),
        (["card", "edit", "一", "--from", "gone.json"], "no_such_file"),
        (["card", "edit", "一", "--back-to", "9"], "no_such_version"),
        (["card", "show", "一@9"], "no_such_version"),
        (["card", "purge", "一", "--yes"], "impossible_step"),
        (["card", "restore", "一"], "impossible_step"),
        (["card", "new", " "], "empty_text"),
        (["card", "import"], "usage"),
        (["card", "export", "一", "--spec", "v9"], "usage"),
        (["card", "list", "--used-in", "没有"], "no_such_book"),
        (["library", "search", "x" * 2000], "query_too_long"),
        (["library", "search", "x", "--after", "junk"], "bad_cursor"),
        (["library", "import", "nowhere"], "no_source_folder"),
        (["library", "stage", "没有", "done"], "no_such_book"),
        (["library", "frobnicate"], "usage"),
    ],
)  # fmt: skip
def test_refusals_are_one_line_of_json_with_what_to_do(
    home: Path, line: list[str], code: str
) -> None:
    ok("library", "init")
    ok("card", "new", "一")
    answer = refused(*line)
    assert answer["error_code"] == code, answer
    for lang in ("zh", "en"):
        fault = refused(*line, "--lang", lang)["faults"][0]
        assert fault["message"] and "{" not in fault["message"]


def test_a_name_that_nothing_has_is_told_with_what_comes_near_or_in_other_words(home: Path) -> None:
    ok("library", "init")
    answer = refused("card", "show", "沈砚", "--lang", "en")
    assert answer["error_code"] == "shelf_empty"
    assert "no card in the library yet" in answer["faults"][0]["message"]
    assert "clew card import" in answer["faults"][0]["hint"]
    ok("card", "new", "沈砚（旧码头）")
    fault = refused("card", "show", "沈砚", "--lang", "zh")["faults"][0]
    assert fault["allowed"] == ["沈砚（旧码头）"]
    assert fault["message"] == "书库里没有 沈砚（相近的：沈砚（旧码头））"
    for lang, message in (("zh", "书库里没有 Mara"), ("en", "there is no Mara in the library")):
        fault = refused("card", "show", "Mara", "--lang", lang)["faults"][0]
        assert (fault["code"], fault["message"]) == ("no_such_asset", message)
    ok("card", "trash", "沈砚（旧码头）")
    assert refused("card", "show", "Mara")["error_code"] == "shelf_empty"


def test_no_sentence_of_the_library_ends_in_an_empty_list(home: Path) -> None:
    """Every refusal that lists what is allowed says something else when nothing is."""
    from clew.books.lifecycle import CYCLES, advance, reachable

    for cycle, states in CYCLES.items():
        for state in states:
            for step in (advance, reachable):
                with pytest.raises(Refused) as caught:
                    step(cycle, state, "frobnicate")
                for lang in ("zh", "en"):
                    message = caught.value.faults[0].message(lang)
                    assert ": )" not in message and "：）" not in message, (cycle, state)


# ---- for people --------------------------------------------------------------------------------------


def drawn(operation: str, answer: Any, lang: str) -> str:
    """An answer as a terminal of 100 columns shows it."""
    import io

    from rich.console import Console

    noun = operation.split(".")[0]
    draw = rendering(next(one for one in of_noun(noun) if one.name == operation))
    assert draw is not None
    out = io.StringIO()
    Console(file=out, width=100, force_terminal=False).print(draw(answer, lang))
    return out.getvalue()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_answer_can_be_drawn_and_markup_in_cards_is_text(tmp_path: Path, lang: str) -> None:
    from clew.books import (
        assets,
        bookshelf,
        discarding,
        editing,
        exporting,
        listing,
        searching,
        showing,
    )
    from clew.books.checking import check, repair
    from clew.books.sillytavern import import_folder

    shelf = deck.library(tmp_path)
    evil = "[bold red]沈砚[/] \x1b[31m\u202e"
    deck.put(tmp_path / "st", "characters/[b]x.png", deck.png(evil, description=evil, tags=[evil]))
    deck.put(tmp_path / "st", "chats/x/[b].jsonl", b"{broken")
    done = import_folder(shelf, str(tmp_path / "st"), lang=lang)
    text = drawn("library.import", done, lang)
    assert "[b]" in text
    ident = listing.list_assets(shelf).rows[0].id
    bookshelf.new_play(shelf, evil, ident)
    editing.apply(shelf, ident, editing.Changes(set=[f"personality={evil}"], note=evil))
    deck.put(tmp_path / "in", "bad.png", b"\x89PNG\r\n\x1a\n")
    shown = {
        "card.import": deck.take(shelf, tmp_path / "in" / "bad.png", lang=lang),
        "card.list": listing.list_assets(shelf),
        "card.show": showing.show(shelf, ident, lang=lang),
        "card.versions": showing.list_versions(shelf, ident),
        "card.diff": showing.diff(shelf, ident),
        "card.where-used": showing.where_used(shelf, ident),
        "library.search": searching.search(shelf, "沈"),
        "library.check": check(shelf, lang=lang),
        "library.repair": repair(shelf, lang=lang),
        "card.export": exporting.export(shelf, ident, "json", "v1", out=f"{tmp_path}/x.json", lang=lang),
    }  # fmt: skip
    for name, answer in shown.items():
        text = drawn(name, answer, lang)
        assert text.strip(), name
        assert "\x1b" not in text, name
    for name in ("card.list", "card.show", "card.diff", "card.where-used", "library.search"):
        assert "[bold red]沈砚[/]" in drawn(name, shown[name], lang), name
    assets.set_state(shelf, ident, "trash")
    with pytest.raises(Refused):
        discarding.purge(shelf, ident, really=False)  # a play pins it


@pytest.mark.parametrize(
    ("lang", "hint"), [("zh", "用 clew card import 导入"), ("en", "`clew card import`")]
)
def test_an_empty_list_says_how_to_fill_it(tmp_path: Path, lang: str, hint: str) -> None:
    from clew.books import listing

    assert hint in drawn("card.list", listing.list_assets(deck.library(tmp_path)), lang)


def test_rich_is_loaded_for_people_only(home: Path) -> None:
    import subprocess
    import sys

    ok("library", "init")
    deck.put(home / "work", "a.png", deck.png())
    code = (
        "import sys\nfrom clew.faces.cli.main import main\n"
        "main(['card', 'import', 'a.png'])\nmain(['card', 'list'])\nmain(['card', 'show', '沈砚'])\n"
        "main(['library', 'search', '砚'])\nmain(['library', 'check'])\n"
        "loaded = [m for m in ('rich', 'yaml', 'PIL', 'clew.novel') if m in sys.modules]\n"
        "sys.stderr.write(repr(loaded))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("[]"), done.stderr
    assert len(done.stdout.splitlines()) == 5
