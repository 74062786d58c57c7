"""`clew novel export` and `clew novel publish` as commands: options, answers, words."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from booklet import CLEW, Answer, Booklet, call, process
from screen import Shown, show

from clew.faces.cli.main import main


@pytest.fixture
def serial(book: Booklet) -> Booklet:
    """Three chapters, of which two are committed."""
    for number in (1, 2):
        path = book.ready(number)
        argv = ["--project", book.root, "--chapter", number, "--input", path]
        assert call(main, "chapter", "commit", *argv).code == 0
    book.outline(3)
    book.body(3)
    return book


def run(book: Booklet, verb: str, *argv: object) -> Answer:
    return call(main, "novel", verb, "--project", book.root, *argv)


def seen(book: Booklet, lang: str, verb: str, *argv: object) -> Shown:
    return show(main, "novel", verb, "--project", book.root, *argv, "--lang", lang)


# ---- export --------------------------------------------------------------------------------------


def test_an_export_answers_what_it_made(serial: Booklet) -> None:
    answer = run(serial, "export", "--to", "epub", "--author", "林渡")
    assert answer.code == 0
    assert {k: v for k, v in answer.json.items() if k != "size"} == {
        "status": "ok", "format": "epub", "file": "导出/渡口旧账.epub", "written": True,
        "book_title": "渡口旧账", "author": "林渡", "language": "zh", "chapters": 3, "visible_chars": 1200,
        "volumes": ["第一卷"], "gaps": [], "uncommitted": [{"first": 3, "last": 3}], "clipboard": None,
        "text": None,
    }  # fmt: skip
    assert zipfile.is_zipfile(serial.path("导出/渡口旧账.epub"))


def test_notes_of_an_export_show_their_values(serial: Booklet) -> None:
    serial.body(9, 100)
    notes = run(serial, "export", "--to", "txt").json["notes"]
    assert [(n["code"], n["found"]) for n in notes] == [("export_gap", "4–8")]


@pytest.mark.parametrize(
    ("options", "name", "chapters"),
    [
        (["--chapter", 2], "渡口旧账_第002章.txt", 1),
        (["--from", 2], "渡口旧账_第002-章.txt", 2),
        (["--through", 2], "渡口旧账_第001-002章.txt", 2),
        (["--from", 2, "--through", 2, "--title", "别的"], "别的_第002章.txt", 1),
    ],
)
def test_a_range_is_named_on_the_command_line(
    serial: Booklet, options: list[object], name: str, chapters: int
) -> None:
    answer = run(serial, "export", "--to", "txt", *options)
    assert (answer.json["file"], answer.json["chapters"]) == (f"导出/{name}", chapters)


def test_paths_are_those_of_the_current_folder(
    serial: Booklet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("封面.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 9)
    answer = run(serial, "export", "--to", "epub", "--out", "书.epub", "--cover", "封面.png")
    assert answer.json["file"] == str(tmp_path / "here" / "书.epub")
    assert Path("书.epub").exists()


def test_the_text_goes_to_standard_output_as_it_is(serial: Booklet) -> None:
    answer = run(serial, "export", "--to", "txt", "--chapter", 2, "--out", "-")
    assert answer.code == 0
    assert answer.text.startswith("第2章 渡口\n\n　　2000号码头")
    # A program that wants the answer asks for it.
    plain = run(serial, "export", "--to", "txt", "--chapter", 2, "--out", "-", "--json")
    assert plain.json["text"] == answer.text
    real = process(
        CLEW,
        "novel",
        "export",
        "--project",
        serial.root,
        "--to",
        "txt",
        "--chapter",
        2,
        "--out",
        "-",
    )
    assert (real.code, real.out) == (0, answer.out)


def test_notes_never_mix_with_the_text(serial: Booklet) -> None:
    serial.body(5)
    answer = run(serial, "export", "--to", "markdown", "--out", "-")
    assert answer.text.startswith("# 渡口旧账\n\n## 第一卷\n\n### 第1章 渡口\n\n")
    assert "note" not in answer.text
    assert "there is no body of chapter 4" in answer.err


def test_a_terminal_is_shown_the_text_too(serial: Booklet) -> None:
    shown = seen(serial, "zh", "export", "--to", "txt", "--chapter", 2, "--out", "-")
    assert (shown.code, shown.raw[:8]) == (0, "第2章 渡口\n\n")


@pytest.mark.parametrize(
    ("argv", "code", "exit_code"),
    [
        (["--to", "pdf"], "usage", 2),
        ([], "usage", 2),
        (["--to", "txt", "--chapter", 1, "--from", 1], "usage", 2),
        (["--to", "txt", "--from", 3, "--through", 1], "usage", 2),
        (["--to", "txt", "--chapter", 0], "usage", 2),
        (["--to", "txt", "--chapter", "x"], "usage", 2),
        (["--to", "txt", "--chapter", 9], "export_nothing", 3),
        (["--to", "epub", "--out", "-"], "usage", 2),
        (["--to", "epub", "--cover", "没有.png"], "missing_file", 3),
        (["--to", "txt", "--out", "正文/第009章_x.md"], "unsafe_path", 2),
        (["--to", "txt", "--title", "\x00"], "usage", 2),
    ],
)
def test_what_cannot_be_exported_is_refused(
    serial: Booklet, argv: list[object], code: str, exit_code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(serial.root)
    answer = run(serial, "export", *argv)
    assert (answer.json["error_code"], answer.code) == (code, exit_code)
    assert not serial.path("导出").exists()


@pytest.mark.parametrize(
    ("verb", "argv"),
    [
        ("export", ["--to", "txt", "--chapter", 1, "--from", 1]),
        ("export", ["--to", "txt", "--from", 3, "--through", 1, "--title", " ", "--language", "x"]),
        ("export", ["--to", "epub", "--out", "-", "--blank-lines", "--page-breaks"]),
        ("publish", ["--chapter", 2, "--through", 1]),
    ],
)
def test_a_refusal_speaks_one_language(serial: Booklet, verb: str, argv: list[object]) -> None:
    english = run(serial, verb, *argv, "--lang", "en").json
    assert not any("\u4e00" <= char <= "\u9fff" for char in json.dumps(english, ensure_ascii=False))
    for fault in run(serial, verb, *argv, "--lang", "zh").json["faults"]:
        assert any("\u4e00" <= char <= "\u9fff" for char in fault["message"])


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_person_sees_where_the_book_went(serial: Booklet, lang: str) -> None:
    shown = seen(serial, lang, "export", "--to", "markdown")
    zh = lang == "zh"
    assert ("已导出：导出/渡口旧账.md" if zh else "exported: 导出/渡口旧账.md") in shown.text
    assert "1,200" in shown.text and "第一卷" in shown.text
    assert ("未提交的章" if zh else "not committed") in shown.text
    again = seen(serial, lang, "export", "--to", "markdown").text
    assert ("没有变化" if zh else "unchanged") in again


def test_a_title_is_shown_as_it_is_written(serial: Booklet) -> None:
    shown = seen(serial, "zh", "export", "--to", "txt", "--title", "[red]旧[/red]账")
    assert "[red]旧[/red]账" in shown.text


# ---- publish -------------------------------------------------------------------------------------


def test_chapters_are_published_withdrawn_and_counted(serial: Booklet) -> None:
    done = run(serial, "publish", "--chapter", 1, "--through", 2)
    assert [(row["chapter"], row["outcome"]) for row in done.json["chapters"]] == [
        (1, "published"), (2, "published"),
    ]  # fmt: skip
    back = run(serial, "publish", "--chapter", 2, "--withdraw")
    assert back.json["chapters"][0]["outcome"] == "withdrawn"
    stats = run(serial, "stats").json
    assert (stats["published"], stats["stock"], stats["published_changed"]) == (
        1, {"chapters": 1, "visible_chars": 400}, [],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "code", "exit_code"),
    [
        (["--chapter", 3], "publish_uncommitted", 1),
        (["--chapter", 2, "--through", 1], "usage", 2),
        (["--chapter", 0], "usage", 2),
        ([], "usage", 2),
    ],
)
def test_what_cannot_be_published_is_refused(
    serial: Booklet, argv: list[object], code: str, exit_code: int
) -> None:
    answer = run(serial, "publish", *argv)
    assert (answer.json["error_code"], answer.code) == (code, exit_code)


def test_a_body_that_is_newer_waits_for_a_decision(serial: Booklet) -> None:
    serial.body(2, 410)
    assert run(serial, "publish", "--chapter", 2).json["error_code"] == "body_newer"
    assert run(serial, "publish", "--chapter", 2, "--force").code == 0


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_person_sees_what_readers_have(serial: Booklet, lang: str) -> None:
    zh = lang == "zh"
    before = seen(serial, lang, "stats").text
    assert ("存稿" if zh else "in stock") not in before
    shown = seen(serial, lang, "publish", "--chapter", 1)
    assert ("第 1 章" if zh else "chapter 1") in shown.text
    assert ("已标记发布" if zh else "published") in shown.text
    serial.body(1, 401)
    stats = seen(serial, lang, "stats").text
    assert ("1 章 · 400 字" if zh else "1 chapter · 400 characters") in stats
    assert ("发布后改过" if zh else "changed after publishing") in stats
    assert ("第 1 章" if zh else "chapter 1") in stats


def test_revising_a_published_chapter_says_that_readers_have_it(serial: Booklet) -> None:
    run(serial, "publish", "--chapter", 1)
    path = serial.ready(1, 405)
    answer = call(
        main, "chapter", "commit", "--project", serial.root, "--chapter", 1, "--input", path
    )
    assert answer.code == 0, answer
    assert [note["code"] for note in json.loads(answer.out)["notes"]] == [
        "published_chapter_revised"
    ]
    assert "readers have what it was before" in answer.err
