"""What a person sees on a terminal: words instead of JSON, colour unless it is unwanted, and never
a markup that leaked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from booklet import CLEW, Booklet, call, process, prose
from screen import Shown, plain, show, terminal

from clew.faces.cli.main import main
from clew.faces.cli.novel import RENDERINGS
from clew.testing.novel import chapter, event, foreshadow, snapshot

needs_pty = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals of POSIX")
WILD = "[red]旧[/red]账 [bold] :smile: [/] {x} %s \\[b]"


@pytest.fixture
def told(book: Booklet) -> Booklet:
    """A book of two chapters that holds a bit of everything, and texts that look like markup."""
    commit(book, book.ready(1, 400, **_first(book)))
    commit(book, book.ready(2, 420, changes={"江晨": WILD}, foreshadow_changes=[
        foreshadow("F002", 2, summary=WILD)]), number=2)  # fmt: skip
    return book


def _first(book: Booklet) -> dict[str, object]:
    return {
        "changes": ["江晨"], "snapshots": {"江晨": snapshot(identity=WILD)},
        "active_character_names": ["江晨"], "result": WILD,
        "foreshadow_changes": [foreshadow("F001", 1, 1)], "timeline_events": [event("E001")],
    }  # fmt: skip


def commit(book: Booklet, path: Path, number: int = 1) -> None:
    argv = ["--project", book.root, "--chapter", number, "--input", path]
    assert call(main, "chapter", "commit", *argv).code == 0


def seen(book: Booklet, lang: str, noun: str, verb: str, *more: object) -> Shown:
    project = [] if noun == "wordcount" or verb == "shims" else ["--project", book.root]
    return show(main, noun, verb, *more, *project, "--lang", lang)


def _shims(book: Booklet) -> list[object]:
    book.path("skill/scripts").mkdir(parents=True, exist_ok=True)
    return ["status", "--skill", book.path("skill")]


_LINES: dict[str, Callable[[Booklet], list[object]]] = {
    "novel.init": lambda b: ["--from-manuscript"],
    "novel.adopt": lambda b: ["--dry-run"],
    "novel.backfill": lambda b: [],
    "novel.check": lambda b: [],
    "novel.draft": lambda b: ["--chapter", 3],
    "novel.commit": lambda b: ["--input", b.transaction()],
    "novel.render": lambda b: [],
    "novel.history": lambda b: [],
    "novel.at": lambda b: [1],
    "novel.diff": lambda b: [1, 2],
    "novel.undo": lambda b: [],
    "novel.redo": lambda b: [],
    "novel.recover": lambda b: [],
    "novel.stats": lambda b: [],
    "novel.shims": _shims,
    "chapter.check": lambda b: ["--chapter", 2],
    "chapter.commit": lambda b: ["--chapter", 3, "--input", b.ready(3)],
    "chapter.accept-current-length": lambda b: ["--chapter", 3, "--input", b.ready(3, 250)],
    "wordcount.measure": lambda b: ["--file", b.body(2)],
    "wordcount.check": lambda b: ["--file", b.body(2), "--target", 400],
    "wordcount.checkpoint": lambda b: ["--file", b.body(2), "--target", 400],
}


def test_every_rendering_is_shown_here() -> None:
    assert set(_LINES) == set(RENDERINGS)


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", _LINES)
def test_every_answer_is_shown_in_words(told: Booklet, lang: str, name: str) -> None:
    noun, verb = name.split(".")
    if name == "novel.redo":
        call(main, "novel", "undo", "--project", told.root)
    if name == "novel.init":  # its other half, a draft from the manuscript, needs a new book
        told = Booklet(told.root.parent / "稿子")
        told.body(1)
    shown = seen(told, lang, noun, verb, *_LINES[name](told))
    assert shown.code == 0, shown
    assert "bug of its own" not in shown.err and "自身的错误" not in shown.err
    assert shown.text.strip()
    assert not shown.text.lstrip().startswith("{")
    for leak in ("Struct(", "<object", "Snapshot(", "None", "UNSET"):
        assert leak not in shown.text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_texts_of_the_book_are_shown_as_they_are_written(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    card = seen(told, lang, "novel", "at", 2).text
    squeezed = "".join(card.split())
    assert "".join(WILD.split()) in squeezed
    assert "".join(WILD.split()) in "".join(seen(told, lang, "novel", "diff", 1, 2).text.split())
    wide = "".join(seen(told, lang, "novel", "history").text.split())
    for part in ("[red]", "[/]", "[bold]"):
        assert part in wide


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_numbers_that_matter_stand_on_the_page(told: Booklet, lang: str) -> None:
    zh = lang == "zh"
    assert ("第 2 章 · 修订 2" if zh else "chapter 2 · revision 2") in seen(
        told, lang, "novel", "check"
    ).text
    stats = seen(told, lang, "novel", "stats").text
    assert "F001" in stats  # overdue: planned for chapter 1, still planted
    assert "E001" in stats and "820" in stats
    told.body(2, 500)
    check = seen(told, lang, "chapter", "check", "--chapter", 2).text
    wanted = "等作者决定" if zh else "for the author to decide"
    assert wanted in check and "500" in check and "340–460" in check
    assert ("压缩一遍" if zh else "compress once") in check
    assert ("删 40–160 字" if zh else "cut 40–160") in check


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_history_says_what_was_silenced_and_why(
    told: Booklet, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    key = "overdue-foreshadow:F001"
    seen(told, lang, "novel", "lint", "--silence", key, "--reason", "留到最后")
    seen(told, lang, "novel", "lint", "--unsilence", key)
    shown = "".join(seen(told, lang, "novel", "history").text.split())
    assert key in shown and "留到最后" in shown
    assert ("取消静默" if lang == "zh" else "lifted") in shown


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_findings_show_their_line_their_rule_and_an_excerpt(told: Booklet, lang: str) -> None:
    told.ready(3)
    told.body(3, data=f"# 第3章\n\n{prose(380)}[red]他走到门前，慢慢地".encode())
    shown = seen(told, lang, "chapter", "check", "--chapter", 3)
    assert shown.code == 1
    assert "truncated" in shown.text and "[red]他走到门前" in shown.text
    assert ("没有写完" if lang == "zh" else "cut off") in shown.text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_refusal_is_a_numbered_list_on_stderr(told: Booklet, lang: str) -> None:
    document = chapter(told.state())
    document["[red]x[/red]"] = 1
    document["delta"]["result"] = "长" * 200
    shown = seen(told, lang, "novel", "commit", "--input", told.submit(3, document))
    text = plain(shown.err)
    assert (shown.code, shown.raw) == (2, "")
    assert "1. " in text and "2. " in text and "[text_too_long]" in text and "→" in text
    assert "[red]x[/red]" in text
    assert ("2 处问题" if lang == "zh" else "2 faults") in text


@pytest.mark.parametrize(
    "line",
    [
        ["chapter", "commit", "--chapter", "3", "--input", "none.json"],
        ["chapter", "check", "--chapter", "9"],
        ["chapter", "commit", "--chapter", "3", "--input", ".story/work/第003章/tracking.json"],
        ["chapter", "check", "--chapter", "x"],
        ["novel", "at", "9"],
        ["novel", "commit", "--input", "none.json"],
        ["wordcount", "measure", "--file", "none.md"],
    ],
    ids=lambda line: " ".join(line),
)
def test_the_exit_code_is_the_same_whether_a_person_or_a_pipe_reads(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, line: list[str]
) -> None:
    told.ready(3)
    told.body(3, data=f"# 第3章\n\n{prose(380)}他走到门前，慢慢地".encode())
    monkeypatch.chdir(told.root)
    assert show(main, *line).code == call(main, *line).code


def test_notes_stand_on_stderr_beside_the_answer(told: Booklet) -> None:
    told.path("追踪/伏笔.md").write_text("手改", encoding="utf-8")
    shown = seen(told, "en", "novel", "render")
    assert "kept aside" in shown.text
    assert "note: " in plain(shown.err)


def test_json_is_for_whoever_asks_even_on_a_terminal(told: Booklet) -> None:
    shown = show(main, "novel", "check", "--project", told.root, "--json")
    assert shown.code == 0
    assert json.loads(shown.raw)["state_revision"] == 2
    refused = show(main, "novel", "at", 9, "--project", told.root, "--json")
    assert json.loads(refused.raw)["error_code"] == "no_such_point"


def test_no_color_and_dumb_terminals_are_respected(
    told: Booklet, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert seen(told, "en", "novel", "check").coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert not seen(told, "en", "novel", "check").coloured
    assert not seen(told, "en", "novel", "at", 9).coloured
    monkeypatch.setenv("TERM", "dumb")
    assert json.loads(seen(told, "en", "novel", "check").raw)["status"] == "ok"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_backups_and_trust_show_paths_as_they_are(
    told: Booklet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    archive = tmp_path / "[red]备份[bold].zip"
    made = show(main, "backup", "create", told.root, archive, "--lang", lang)
    assert made.code == 0
    assert archive.name in made.text
    folder = tmp_path / "[red]书"
    told.root.rename(folder)
    call(main, "trust", folder)
    listed = show(main, "trust", "--list", "--lang", lang)
    assert listed.code == 0
    assert folder.name in listed.text


@needs_pty
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_on_a_real_terminal(told: Booklet, lang: str) -> None:
    shown = terminal(CLEW, "novel", "check", cwd=told.root, env={"CLEW_LANG": lang})
    assert shown.code == 0
    assert shown.coloured
    assert ("第 2 章 · 修订 2" if lang == "zh" else "chapter 2 · revision 2") in shown.text
    refused = terminal(CLEW, "novel", "at", 9, cwd=told.root, env={"CLEW_LANG": lang})
    assert refused.code == 1
    assert "[no_such_point]" in refused.text
    quiet = terminal(CLEW, "novel", "check", cwd=told.root, env={"NO_COLOR": "1"})
    assert (quiet.code, quiet.coloured) == (0, False)


@needs_pty
def test_json_on_a_real_terminal_is_one_line(told: Booklet) -> None:
    shown = terminal(CLEW, "novel", "history", "--json", cwd=told.root)
    assert shown.code == 0
    assert shown.text.count("\n") == 1
    assert [e["revision"] for e in json.loads(shown.text)["entries"]] == [0, 1, 2]


@needs_pty
def test_a_terminal_of_another_encoding_is_no_bug(told: Booklet) -> None:
    env = {"PYTHONIOENCODING": "ascii", "CLEW_LANG": "zh"}
    shown = terminal(CLEW, "novel", "check", cwd=told.root, env=env)
    assert shown.code == 0
    assert "clew-report" not in shown.text


@pytest.mark.parametrize("columns", ["40", "80", "500"])
def test_any_width_shows_every_chapter(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for verb in ("stats", "history", "check"):
        shown = seen(told, "zh", "novel", verb)
        assert shown.code == 0
        assert "2" in shown.text


def test_piped_output_has_no_escape_sequences_even_when_colour_is_forced(told: Booklet) -> None:
    answer = process(CLEW, "novel", "check", cwd=told.root, env={"FORCE_COLOR": "1"})
    assert b"\x1b" not in answer.out
    assert answer.json["status"] == "ok"
