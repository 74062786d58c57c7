"""What a writer and her agent see: the card, one character, what a rewrite may touch."""

from __future__ import annotations

from typing import Any

import pytest
from booklet import CLEW, Booklet, call, process
from screen import Shown, show

from clew.faces.cli.main import main
from clew.faces.cli.writer import RENDERINGS
from clew.testing.novel import event, foreshadow, snapshot, tree

WILD = "[red]旧[/red]账 [bold] :smile: {x} %s \\[b]"


@pytest.fixture
def told(book: Booklet) -> Booklet:
    """Three chapters with a bit of everything, and texts that look like markup."""
    steps: list[dict[str, Any]] = [
        {"changes": {"江晨": "上船", "Nell Harker": "露面"}, "active_character_names": ["江晨"],
         "snapshots": {"江晨": snapshot(knowledge=[WILD]), "Nell Harker": snapshot()},
         "foreshadow_changes": [foreshadow("F001", 1, 3, summary=WILD)],
         "timeline_events": [event("E001", characters=["江晨"], objective_fact=WILD)]},
        {"changes": {"江晨": "起疑"}, "snapshots": {"江晨": snapshot(knowledge=["账页被换过"])},
         "foreshadow_changes": [foreshadow("F001", 1, 3)],
         "result": "Nell Harker 走了", "next_chapter_commitments": ["账房上船"]},
        {"changes": {"Nell Harker": "落水"}, "retired_characters": ["Nell Harker"]},
    ]  # fmt: skip
    for number, step in enumerate(steps, 1):
        path = book.transaction(**step)
        assert call(main, "novel", "commit", "--project", book.root, "--input", path).code == 0
        book.body(number)
    return book


def seen(book: Booklet, lang: str, verb: str, *more: object) -> Shown:
    return show(main, "novel", verb, *more, "--project", book.root, "--lang", lang)


def asked(book: Booklet, verb: str, *more: object) -> Any:
    return call(main, "novel", verb, *more, "--project", book.root)


LINES: dict[str, list[object]] = {
    "novel.context": [], "novel.who": ["江晨"], "novel.impact": ["--chapter", 1],
}  # fmt: skip


def test_every_rendering_is_shown_here() -> None:
    assert set(LINES) == set(RENDERINGS)


@pytest.mark.parametrize("name", LINES)
def test_every_answer_is_shown_in_words(told: Booklet, lang: str, name: str) -> None:
    before = tree(told.root)
    shown = seen(told, lang, name.split(".")[1], *LINES[name])
    assert tree(told.root) == before
    assert shown.code == 0, shown
    for leak in ("Struct(", "None", "Item(", "Touched("):
        assert leak not in shown.text
    assert not shown.text.lstrip().startswith("{")


@pytest.mark.parametrize("name", LINES)
def test_texts_of_the_book_are_shown_as_they_are_written(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, lang: str, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert WILD in seen(told, lang, name.split(".")[1], *LINES[name]).text


def test_a_terminal_shows_all_of_the_card(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = asked(told, "context", "--lang", lang).json["text"]
    assert max(map(len, text.split("\n"))) > 70
    assert "".join(seen(told, lang, "context").text.split()) == "".join(text.split())


def test_a_machine_gets_the_card_as_text_and_as_data(told: Booklet) -> None:
    answer = asked(told, "context", "--budget", 2000).json
    assert answer["status"] == "ok"
    assert answer["bytes"] == len(answer["text"].encode()) <= 2000
    assert answer["tokens"] > 0
    assert answer["chapter"] == 4 and answer["rewrite"] is False
    assert {part["key"] for part in answer["sections"]} == set(answer["included"])
    assert answer["left_out"].keys() - answer["included"].keys() == {"details"}
    first = answer["sections"][0]
    assert (first["key"], first["left_out"]) == ("foreshadows", 0)
    assert first["items"][0]["why"] == "overdue"


def test_the_text_alone_leaves_the_sections_out(told: Booklet) -> None:
    lean = asked(told, "context", "--format", "text", "--json").json
    full = asked(told, "context", "--format", "json").json
    assert lean["sections"] == [] and full["sections"]
    assert lean["text"] == full["text"] and lean["left_out"] == full["left_out"]


@pytest.mark.parametrize("unit", ["--budget", "--tokens"])
def test_a_budget_that_is_too_small_is_refused_with_the_least_one(
    told: Booklet, lang: str, unit: str
) -> None:
    refused = asked(told, "context", unit, 10, "--lang", lang)
    fault = refused.json["faults"][0]
    assert (refused.code, fault["code"], fault["found"]) == (2, "budget_too_small", 10)
    assert str(fault["limit"]) in fault["hint"]
    assert asked(told, "context", unit, fault["limit"]).code == 0
    assert asked(told, "context", unit, fault["limit"] - 1).code == 2
    shown = seen(told, lang, "context", unit, 10)
    assert (shown.code, shown.raw) == (2, "") and "[budget_too_small]" in shown.err


def test_the_card_of_a_rewrite(told: Booklet, lang: str) -> None:
    text = seen(told, lang, "context", "--chapter", 2).text
    zh = lang == "zh"
    assert ("# 改写卡｜第2章" if zh else "# Card for rewriting chapter 2") in text
    assert ("F001｜本章推进" if zh else "F001 · moved on here") not in text  # nothing relies on it
    assert ("- 人物：江晨｜起疑" if zh else "- character: 江晨 · 起疑") in text
    refused = asked(told, "context", "--chapter", 9)
    assert refused.code == 2 and refused.json["error_code"] == "no_such_chapter"
    assert refused.json["faults"][0]["allowed"] == "1..4"


def test_dates_of_what_somebody_knows(told: Booklet, lang: str) -> None:
    zh = lang == "zh"
    text = seen(told, lang, "who", "江晨").text
    assert ("第2章起" if zh else "since ch. 2") in text
    assert ("快照里不再列出的" if zh else "no longer listed in snapshots") in text
    assert "1–2" in text and "E001" in text
    assert ("下一章活跃" if zh else "active in the next chapter") in text
    early = seen(told, lang, "who", "江晨", "--at", 1).text
    assert ("截至第 1 章" if zh else "through chapter 1") in early and "账页被换过" not in early


def test_who_has_left_the_story(told: Booklet, lang: str) -> None:
    text = seen(told, lang, "who", "nell harker").text
    assert text.startswith("Nell Harker")
    assert ("第 3 章退役" if lang == "zh" else "retired in chapter 3") in text


def test_an_unknown_name_is_answered_with_near_ones(told: Booklet, lang: str) -> None:
    shown = seen(told, lang, "who", "江辰")
    assert shown.code == 2
    assert "江晨" in shown.err and "[unknown_character]" in shown.err


def test_what_a_rewrite_may_touch_is_told_with_reasons(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    zh = lang == "zh"
    text = seen(told, lang, "impact", "--chapter", 1).text
    assert ("本章埋下；第2章又动到" if zh else "planted here; goes on in chapter 2") in text
    assert ("首次登场；第3章又有变化" if zh else "appears here for the first time") in text
    assert ("后面提到这些的章" if zh else "later chapters that name these") in text
    answer = asked(told, "impact", "--chapter", 1).json
    assert [row["chapter"] for row in answer["later"]] == [2, 3]
    assert answer["later"][0]["mentions"] == ["Nell Harker"]


def test_a_chapter_of_nothing_says_so(book: Booklet, lang: str) -> None:
    path = book.transaction()
    assert call(main, "novel", "commit", "--project", book.root, "--input", path).code == 0
    text = seen(book, lang, "impact", "--chapter", 1).text
    assert (
        "没有什么出自这一章" if lang == "zh" else "nothing in the ledger is from this chapter"
    ) in text


def test_a_pipe_gets_one_line_of_json_from_anywhere_in_the_book(told: Booklet) -> None:
    answer = process(CLEW, "novel", "context", cwd=told.path("正文"))
    assert answer.code == 0 and answer.json["chapter"] == 4
    assert "续写卡" in process(CLEW, "novel", "context", "--lang", "zh", cwd=told.root).json["text"]
