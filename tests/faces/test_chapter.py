"""`clew chapter`: the repair, the explanation, and how both look to a person."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from booklet import Answer, Booklet, call, prose
from closing import CHECK, ERROR
from rich.console import Console
from screen import show

from clew.faces.cli import storyctl
from clew.faces.cli.chapter import chapter as rendering
from clew.faces.cli.main import main
from clew.kernel.operations import Host, find
from clew.novel.prose.explain import explain, rule_ids
from clew.testing.novel import tree

NAME = "正文/第001章_渡口.md"


def clew(book: Booklet, *more: object, number: int = 1) -> Answer:
    return call(main, "chapter", "check", "--project", book.root, "--chapter", number, *more)


def crooked(book: Booklet) -> Path:
    book.ready(1)
    data = f"# 第1章 渡口\r\n\r\n{prose(390)}他说--走吧...\r\n".encode()
    return book.body(1, data=data)


# ---- the repair ----------------------------------------------------------------------------------


def test_the_repair_is_shown_and_nothing_is_changed(book: Booklet, lang: str) -> None:
    crooked(book)
    before = tree(book.root)
    answer = clew(book, "--fix-punctuation")
    found = answer.json
    assert answer.code == 0
    assert tree(book.root) == before
    assert (found["punctuation_fixed"], found["punctuation"]["written"]) == (False, False)
    assert "+他说——走吧……" in found["punctuation"]["diff"]
    assert [note["code"] for note in found["notes"]] == ["repair_not_written"]
    assert "--write" in answer.err


def test_the_repair_is_written_and_the_answer_is_about_what_was_written(
    book: Booklet, lang: str
) -> None:
    path = crooked(book)
    old = path.read_bytes()
    answer = clew(book, "--fix-punctuation", "--write")
    found = answer.json
    assert (answer.code, answer.err) == (0, "")
    assert found["punctuation_fixed"] is True
    assert path.read_bytes() == old.replace("他说--走吧...".encode(), "他说——走吧……".encode())
    assert book.path(found["punctuation"]["kept"]).read_bytes() == old
    again = clew(book, "--fix-punctuation", "--write").json
    assert (again["punctuation_fixed"], again["punctuation"]["lines"]) == (False, 0)
    assert len(list(book.path("追踪/.clew/aside").rglob("*.md"))) == 1


def test_a_repaired_chapter_can_be_committed(book: Booklet) -> None:
    crooked(book)
    clew(book, "--fix-punctuation", "--write")
    path = book.path(".story/work/第001章/tracking.json")
    done = call(main, "chapter", "commit", "--project", book.root, "--chapter", 1, "--input", path)
    assert (done.code, done.json["tracking_committed"]) == (0, True)


def test_the_seeds_script_takes_the_flag_and_adds_only_its_keys(book: Booklet) -> None:
    book.ready(1)
    line = ("chapter", "check", "--project", book.root, "--chapter", 1)
    found = call(storyctl.main, *line, "--fix-punctuation").json
    assert set(found) == CHECK | {"punctuation_fixed", "punctuation"}
    assert set(call(storyctl.main, *line).json) == CHECK


@pytest.mark.parametrize("face", [main, storyctl.main])
def test_write_alone_and_a_check_without_a_chapter_are_invalid_arguments(
    book: Booklet, face: Any
) -> None:
    book.ready(1)
    before = tree(book.root)
    for more in (["--chapter", 1, "--write"], [], ["--fix-punctuation"]):
        answer = call(face, "chapter", "check", "--project", book.root, *more)
        assert (answer.code, answer.json["error_code"]) == (2, "INVALID_ARGUMENT")
        assert set(answer.json) == ERROR
    assert tree(book.root) == before


# ---- the explanation -----------------------------------------------------------------------------


@pytest.mark.parametrize("face", [main, storyctl.main])
def test_a_rule_is_explained_without_a_chapter_or_a_book(
    face: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = call(face, "chapter", "check", "--explain", "trailer-ending")
    found = answer.json
    assert (answer.code, answer.err) == (0, "")
    assert (found["status"], found["rule"]) == ("ok", "trailer-ending")
    assert {"zh", "en"} == {language for text in found["texts"] for language in text["languages"]}
    for text in found["texts"]:
        assert {"severity", "review", "finds", "advice", "bad", "good", "limits"} <= set(text)
    assert "off" in found["turn_off"]["zh"]
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_rule_is_refused_with_those_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = call(main, "chapter", "check", "--explain", "trailer-endings")
    (fault,) = answer.json["faults"]
    assert (answer.code, fault["code"]) == (2, "unknown_prose_rule")
    assert "trailer-ending" in fault["message"]
    assert fault["allowed"] == list(rule_ids())


# ---- on a terminal -------------------------------------------------------------------------------


def drawn(answer: Any, lang: str = "en", width: int = 100) -> str:
    out = io.StringIO()
    Console(file=out, width=width, no_color=True, highlight=False).print(rendering(answer, lang))
    return out.getvalue()


def checked(book: Booklet, **how: Any) -> Any:
    operation = find("chapter", "check")
    assert operation is not None
    request = operation.request(project=str(book.root), chapter=1, **how)
    return operation.run(Host(cwd=str(book.root), lang="en"), request)


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize(
    "rule", ["trailer-ending", "truncated", "punctuation-dash", "outline-copy"]
)
def test_an_explained_rule_is_readable(rule: str, lang: str) -> None:
    text = drawn(explain(rule), lang)
    assert text.startswith(rule)
    assert f'off = ["{rule}"]' in text.replace("\n", "")
    assert ("怎么改" if lang == "zh" else "advice") in text


def test_findings_show_place_text_and_remedy_and_a_remedy_only_once(book: Booklet) -> None:
    book.ready(1)
    book.body(1, data=f"# 第1章\n\n{prose(380)}\n\nTODO：一。TODO：二。\n\n他慢慢地".encode())
    text = drawn(checked(book))
    assert "[placeholder-marker]" in text and "[truncated]" in text
    assert text.count("[placeholder-marker]") == 2
    assert text.count("Write what belongs here") <= 1
    assert "→" in text and "must be mended" in text


@pytest.mark.parametrize(
    ("lang", "must", "may", "state"),
    [("zh", "必须改", "建议", "有必须先改的地方"), ("en", "MUST MEND", "advice", "must be mended")],
)
def test_without_colour_a_finding_still_says_how_much_it_weighs(
    book: Booklet, lang: str, must: str, may: str, state: str
) -> None:
    book.ready(1)
    book.body(1, data=f"# 第1章\n\n{prose(380)}\n\n她的的手很凉。他慢慢地".encode())
    text = drawn(checked(book), lang)
    assert f"{must} [truncated]" in text and f"{may} [doubled-word]" in text
    assert state in text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_terminal_names_no_key_and_no_code(book: Booklet, lang: str) -> None:
    book.ready(1)
    cases = [prose(400), prose(345), prose(300), prose(500), f"{prose(380)}\n\n他慢慢地"]
    for body in cases:
        book.body(1, data=f"# 第1章\n\n{body}".encode())
        text = drawn(checked(book), lang).replace("\n", "")
        for jargon in (
            "blocking_findings", "quality.", "internal_pass", "borderline", "needs_decision",
            "tool_unavailable", "blocked",
        ):  # fmt: skip
            assert jargon not in text


def test_entries_that_differ_between_the_languages_have_headings() -> None:
    assert "—— 中文章节 ——" in drawn(explain("meta-leak"), "zh")
    assert "-- English chapters --" in drawn(explain("meta-leak"), "en")
    assert "章节 ——" not in drawn(explain("truncated"), "zh")


def test_a_repair_that_is_done_offers_no_other(book: Booklet) -> None:
    book.ready(1)
    book.body(1, data=f"# 第1章\n\n{prose(380)}\n\n门开了。。没有人。\n".encode())
    for lang, order, offer in (
        ("zh", "没有可以自动修正的", "标点可以交给"),
        ("en", "no punctuation to put right", "Punctuation:"),
    ):
        text = drawn(checked(book, fix_punctuation=True, write=True), lang)
        assert order in text and offer not in text
        assert "punctuation-doubled" in text


def test_a_difference_is_shown_line_by_line(book: Booklet) -> None:
    crooked(book)
    text = drawn(checked(book, fix_punctuation=True))
    assert "+他说——走吧……" in text and "@@ " in text
    book.body(1)
    assert "no punctuation to put right" in drawn(checked(book, fix_punctuation=True))


def test_texts_of_a_book_are_never_markup(book: Booklet) -> None:
    book.ready(1)
    book.body(
        1, data=f"# 第1章\n\n{prose(380)}\n\n[red]TODO[/red] [link=x]补[/link]--走。\n".encode()
    )
    text = drawn(checked(book, fix_punctuation=True))
    assert "[red]TODO[/red]" in text and "[link=x]补[/link]" in text


def test_length_advice_stands_in_every_language(book: Booklet) -> None:
    book.ready(1, 300)
    found = checked(book)
    assert "at least 40 characters are missing" in drawn(found).replace("\n", " ")
    assert "还差至少 40 字" in drawn(found, "zh")


def test_a_terminal_gets_this_rendering(book: Booklet) -> None:
    seen = show(main, "chapter", "check", "--explain", "held-breath")
    assert (seen.code, seen.err) == (0, "")
    assert "held-breath" in seen.text and "advice" in seen.text
