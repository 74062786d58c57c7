"""What `stats`, `draft` and `lint` show to a person: words, lists, commands that can be copied."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from booklet import Booklet, call
from screen import Shown, show

from clew.faces.cli.main import main
from clew.testing.novel import event, foreshadow


def run(book: Booklet, *words: object, lang: str = "en") -> Shown:
    return show(main, *words, "--project", book.root, "--lang", lang)


def commit(book: Booklet, number: int, **fields: object) -> None:
    path = book.ready(number, 400, **fields)
    argv = ["--project", book.root, "--chapter", number, "--input", path]
    assert call(main, "chapter", "commit", *argv).code == 0


@pytest.fixture
def told(book: Booklet) -> Booklet:
    """Two committed chapters and the body of a third, which has an outline."""
    commit(book, 1, foreshadow_changes=[foreshadow("F001", 1, 1)])
    commit(book, 2, foreshadow_changes=[foreshadow("F002", 2, 2)],
           timeline_events=[event("E001", 2, reveal_status="部分揭示")])  # fmt: skip
    book.outline(3, target="777")
    book.body(3)
    return book


def test_values_of_the_format_are_said_in_the_readers_language(told: Booklet) -> None:
    assert "planted 2" in run(told, "novel", "stats").text
    assert "已埋 2" in run(told, "novel", "stats", lang="zh").text


def test_what_is_overdue_says_how_long_and_whether_it_is_meant(told: Booklet) -> None:
    call(main, "novel", "lint", "--project", told.root, "--silence", "overdue-foreshadow:F001",
         "--reason", "留着")  # fmt: skip
    assert "F001 (by 1, silenced), F002" in run(told, "novel", "stats").text
    assert "F001（1 章，已沉默）、F002" in run(told, "novel", "stats", lang="zh").text


def test_what_the_reader_knows_in_part_has_a_line(told: Booklet) -> None:
    line = next(
        row
        for row in run(told, "novel", "stats").text.split("\n")
        if row.startswith("partly known")
    )
    assert line.split()[-1] == "E001"


def test_the_target_of_a_chapter_that_is_not_committed_is_its_outlines(told: Booklet) -> None:
    rows = [row.split("│") for row in run(told, "novel", "stats").text.split("\n") if "│" in row]
    assert {row[1].strip(): row[3].strip() for row in rows} == {"1": "400", "2": "400", "3": "777"}


def test_chapters_that_changed_since_they_were_published_are_named(told: Booklet) -> None:
    call(main, "novel", "publish", "--project", told.root, "--chapter", 1, "--through", 2)
    for number in (1, 2):
        told.body(number, 410)
    assert "chapters 1, 2" in run(told, "novel", "stats").text
    text = run(told, "novel", "stats", lang="zh").text
    assert "发布后改过" in text and "第 1、2 章" in text


def test_a_book_in_english_counts_its_words(tmp_path: Path) -> None:
    book = Booklet(tmp_path / "Leaf").begin(book_title="The Leaf")
    book.write(
        "正文/第001章_White Paper.md",
        "# Chapter 1: White Paper\n\n" + "Rain fell on pier three. " * 20,
    )
    text = run(book, "novel", "stats").text
    assert "words" in next(row for row in text.split("\n") if "ch." in row)
    assert any("│ 100 " in row for row in text.split("\n"))


def test_the_next_command_can_be_copied_whatever_the_path_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    book = Booklet(tmp_path / "a folder's name" / "渡口 旧账").begin()
    line = run(book, "novel", "draft", "--chapter", 1).text.rstrip("\n").split("\n")[-1]
    said = shlex.split(line.removeprefix("then: "))
    assert said[:-1] == ["clew", "chapter", "commit", "--chapter", "1", "--input"]
    assert Path(said[-1]) == book.path(".story/work/第001章/tracking.json").resolve()


def test_an_english_draft_says_what_the_values_of_the_format_mean(told: Booklet) -> None:
    assert "高 high · 中 medium" in run(told, "novel", "draft", "--chapter", 3).text
    assert "high" not in run(told, "novel", "draft", "--chapter", 3, lang="zh").text


def test_lint_says_in_words_how_much_a_finding_weighs(told: Booklet) -> None:
    assert "[reminder] an overdue foreshadow" in run(told, "novel", "lint").text
    assert "【提醒】伏笔超期未回收" in run(told, "novel", "lint", lang="zh").text


def test_what_is_silenced_says_what_it_is_and_why(told: Booklet) -> None:
    call(main, "novel", "lint", "--project", told.root, "--silence", "overdue-foreshadow:F002",
         "--reason", "留到最后")  # fmt: skip
    text = run(told, "novel", "lint", "--all", lang="zh").text
    after = text.split("已沉默\n")[1]
    assert "overdue-foreshadow:F002\n" in after
    assert "计划第 2 章回收" in after and "理由：留到最后" in after
