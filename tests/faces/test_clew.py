"""`clew <noun> <verb>` for machines: one JSON line, errors with every fault, notes, exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from booklet import CLEW, Answer, Booklet, call, process

from clew import __version__
from clew.faces.cli.main import main
from clew.testing.novel import chapter, init_document, snapshot, tree


def clew(book: Booklet, noun: str, verb: str, *more: object) -> Answer:
    return call(main, noun, verb, "--project", book.root, *more)


@pytest.fixture
def told(book: Booklet) -> Booklet:
    """A book of two chapters."""
    people = {"江晨": snapshot()}
    first = book.transaction(changes=["江晨"], snapshots=people, active_character_names=["江晨"])
    assert clew(book, "novel", "commit", "--input", first).code == 0
    second = book.transaction(changes={"江晨": "找到了旧账"})
    assert clew(book, "novel", "commit", "--input", second).code == 0
    return book


# ---- answers -------------------------------------------------------------------------------------


def test_every_reading_command_answers_one_line_of_json(told: Booklet) -> None:
    for line in (
        ["check"], ["history"], ["at", 1], ["diff", 1, 2], ["stats"], ["adopt", "--dry-run"],
        ["recover"], ["history", "--character", "江晨"], ["at", "--revision", 0],
    ):  # fmt: skip
        answer = clew(told, "novel", *line)  # type: ignore[arg-type]
        assert answer.code == 0, answer
        assert answer.json["status"] == "ok"
        assert answer.err == ""


def test_a_commit_says_what_it_wrote(told: Booklet) -> None:
    path = told.transaction()
    answer = clew(told, "novel", "commit", "--input", path)
    found = answer.json
    assert set(found) == {
        "status", "mode", "chapter", "last_committed_chapter", "state_revision",
        "already_committed", "written", "wordcount",
    }  # fmt: skip
    assert (found["mode"], found["chapter"], found["state_revision"]) == ("append", 3, 3)
    assert "追踪/_tracking-state.json" in found["written"]
    assert "追踪/逐章记录/第003章.md" in found["written"]


def test_looking_back_gives_what_was_then(told: Booklet) -> None:
    then = clew(told, "novel", "at", 1).json
    assert (then["chapter"], then["revision"]) == (1, 1)
    assert then["state"]["last_committed_chapter"] == 1
    changes = {row["path"] for row in clew(told, "novel", "diff", 1, 2).json["changes"]}
    assert "last_committed_chapter" in changes
    kinds = [e["kind"] for e in clew(told, "novel", "history").json["entries"]]
    assert kinds == ["init", "append", "append"]


def test_undo_and_redo_walk_the_history(told: Booklet) -> None:
    undone = clew(told, "novel", "undo").json
    assert (undone["last_committed_chapter"], undone["state_revision"]) == (1, 3)
    assert clew(told, "novel", "check").code == 0
    redone = clew(told, "novel", "redo").json
    assert (redone["last_committed_chapter"], redone["state_revision"]) == (2, 4)
    assert clew(told, "novel", "redo").code == 1
    for _ in range(2):
        clew(told, "novel", "undo")
    empty = clew(told, "novel", "undo")
    assert (empty.code, empty.json["error_code"]) == (1, "nothing_to_undo")


def test_a_note_stands_in_the_answer_and_on_stderr(told: Booklet) -> None:
    told.path("追踪/伏笔.md").write_text("手改", encoding="utf-8")
    answer = clew(told, "novel", "render")
    (note,) = answer.json["notes"]
    assert note["code"] == "edit_set_aside"
    assert answer.err.startswith("note: ")
    assert "追踪/伏笔.md" in answer.err
    aside = told.path(answer.json["set_aside"][0])
    assert aside.read_text(encoding="utf-8") == "手改"


def test_a_chapter_command_has_the_seeds_shape_here_too(book: Booklet) -> None:
    path = book.ready(1)
    checked = clew(book, "chapter", "check", "--chapter", 1)
    assert (checked.code, checked.json["schema"]) == (0, "story-chapter-check/v1")
    done = clew(book, "chapter", "commit", "--chapter", 1, "--input", path)
    assert (done.code, done.json["work_dir_removed"]) == (0, ".story/work/第001章")
    measured = call(main, "wordcount", "measure", "--file", book.path("正文/第001章_渡口.md"))
    assert measured.json["schema"] == "story-wordcount-measurement/v1"


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_refusal_names_every_fault_with_its_path_and_what_is_allowed(
    told: Booklet, lang: str
) -> None:
    document = chapter(told.state())
    document["surprise"] = 1
    document["delta"]["result"] = "长" * 200
    document["context"]["active_character_names"] = ["无名氏"]
    path = told.submit(3, document)
    before = tree(told.root)
    answer = clew(told, "novel", "commit", "--input", path, "--lang", lang)
    found = answer.json
    assert answer.code == 2
    assert tree(told.root) == before
    assert set(found) == {"status", "error_code", "message", "faults"}
    faults = {f["path"]: f for f in found["faults"]}
    assert set(faults) == {"$.surprise", "$.delta.result", "$.context.active_character_names[0]"}
    long = faults["$.delta.result"]
    assert (long["code"], long["limit"], long["cut_chars"]) == ("text_too_long", 360, 80)
    assert ("问题" in found["message"]) == (lang == "zh")


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        (["novel", "at", 9], 1, "no_such_point"),
        (["novel", "at"], 2, "usage"),
        (["novel", "at", 1, "--revision", 1], 2, "usage"),
        (["novel", "commit"], 2, "usage"),
        (["novel", "commit", "--input", "none.json"], 3, "missing_file"),
        (["novel", "redo"], 1, "nothing_to_redo"),
        (["novel", "publish"], 2, "usage"),
        (["novel", "diff", 1], 2, "usage"),
        (["novel", "check", "--lang", "fr"], 2, "usage"),
        (["chapter", "check", "--chapter", "x"], 2, "INVALID_ARGUMENT"),
        (["chapter", "check", "--chapter", 9], 2, "CHECK_FAILED"),
    ],
)  # fmt: skip
def test_exit_codes_tell_what_kind_of_refusal_it_is(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, line: list[object], code: int, error: str
) -> None:
    monkeypatch.chdir(told.root)
    answer = call(main, *line)
    assert (answer.code, answer.json["error_code"]) == (code, error)


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "x", "1e400"])
def test_a_lock_timeout_that_is_no_bounded_time_is_refused(told: Booklet, seconds: str) -> None:
    answer = clew(told, "novel", "check", f"--lock-timeout={seconds}")
    assert (answer.code, answer.json["error_code"]) == (2, "usage")


def test_a_held_lock_is_waited_for_no_longer_than_asked_and_its_holder_is_named(
    told: Booklet,
) -> None:
    told.path("追踪/.tracking-commit.lock").write_text(f"pid={os.getpid()}\n", encoding="utf-8")
    answer = clew(told, "novel", "undo", "--lock-timeout", "0.1")
    assert (answer.code, answer.json["error_code"]) == (2, "locked")
    assert str(os.getpid()) in answer.json["message"]


# ---- which book ----------------------------------------------------------------------------------


@pytest.mark.parametrize("inside", [".", "正文", "正文/旧稿 备份", "追踪/逐章记录", "大纲"])
def test_without_project_the_nearest_book_upward_is_used(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    folder = told.path(inside)
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)
    answer = call(main, "novel", "check")
    assert answer.json["state_revision"] == 2


def test_the_nearest_book_wins_over_the_one_around_it(
    told: Booklet, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Booklet(told.path("外传")).begin()
    monkeypatch.chdir(inner.root)
    assert call(main, "novel", "check").json["state_revision"] == 0


def test_no_book_upward_is_something_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = call(main, "novel", "check")
    assert (answer.code, answer.json["error_code"]) == (3, "no_book")


def test_project_and_input_are_relative_to_where_the_user_stands(
    told: Booklet, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = told.transaction()
    monkeypatch.chdir(told.root.parent)
    shown = path.relative_to(told.root.parent)
    answer = call(main, "novel", "commit", "--project", told.root.name, "--input", shown)
    assert answer.code == 0


def test_init_starts_a_book_where_the_user_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "新 书").mkdir()
    (tmp_path / "init.json").write_text(json.dumps(init_document()), encoding="utf-8")
    monkeypatch.chdir(tmp_path / "新 书")
    assert call(main, "novel", "init", "--input", "../init.json").code == 0
    assert (tmp_path / "新 书" / "追踪" / "_tracking-state.json").is_file()


# ---- the frame -----------------------------------------------------------------------------------


def test_the_version() -> None:
    for flag in ("--version", "-V"):
        answer = call(main, flag)
        assert (answer.code, answer.text) == (0, f"clew {__version__}\n")


@pytest.mark.parametrize(
    "argv", [["nonsense"], ["--nonsense"], ["novel "], ["Novel"], ["--lang=fr", "x"]]
)
def test_an_unknown_noun_is_told_with_what_there_is(argv: list[str]) -> None:
    answer = call(main, *argv)
    assert answer.code == 2
    assert answer.json["error_code"] == "usage"
    assert "novel" in answer.err and "backup" in answer.err


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["--lang", "zh"]])
def test_without_a_noun_the_nouns_are_shown(argv: list[str]) -> None:
    answer = call(main, *argv)
    assert answer.code == 0
    for noun in ("novel", "chapter", "wordcount", "backup", "trust"):
        assert noun in answer.text


@pytest.mark.parametrize("argv", [["--lang", "en", "novel", "check"], ["--json", "novel", "check"]])
def test_an_option_before_the_noun_is_never_a_success_that_did_nothing(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, argv: list[str]
) -> None:
    monkeypatch.chdir(told.root)
    answer = call(main, *argv)
    assert answer.code == 2 or b'"state_revision":2' in answer.out


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_language_is_the_option_else_the_variable_else_the_locale(
    told: Booklet, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    def spoken() -> str:
        message = clew(told, "novel", "at", 9).json["message"]
        return "zh" if "历史里" in message else "en"

    other = "en" if lang == "zh" else "zh"
    monkeypatch.setenv("CLEW_LANG", lang)
    assert spoken() == lang
    monkeypatch.delenv("CLEW_LANG")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8" if lang == "zh" else "en_GB.UTF-8")
    assert spoken() == lang
    monkeypatch.setenv("CLEW_LANG", other)
    found = clew(told, "novel", "at", 9, "--lang", lang).json["message"]
    assert ("历史里" in found) == (lang == "zh")


def test_codes_and_keys_are_the_same_in_both_languages(told: Booklet) -> None:
    def shape(value: object) -> object:
        if isinstance(value, dict):
            return {k: shape(v) for k, v in value.items()}
        return [shape(v) for v in value] if isinstance(value, list) else type(value).__name__

    answers = [clew(told, "novel", "at", 9, "--lang", lang).json for lang in ("zh", "en")]
    assert shape(answers[0]) == shape(answers[1])
    assert answers[0]["error_code"] == answers[1]["error_code"]


def test_backup_and_trust_are_commands_too(told: Booklet, tmp_path: Path) -> None:
    made = call(main, "backup", "create", told.root, tmp_path / "书.zip")
    assert (made.code, made.json["kind"]) == (0, "novel")
    verified = call(main, "backup", "verify", tmp_path / "书.zip")
    assert verified.json["manifest_sha256"] == made.json["manifest_sha256"]
    restored = call(main, "backup", "restore", tmp_path / "书.zip", tmp_path / "again")
    assert restored.code == 0
    checked = call(main, "novel", "check", "--project", tmp_path / "again")
    assert checked.json["state_revision"] == 2
    trusted = call(main, "trust", told.root)
    assert trusted.json["folders"][0]["folder"] == str(told.root)
    assert call(main, "trust", "--list").json["folders"] == trusted.json["folders"]
    assert call(main, "trust", "--revoke", told.root).json["folders"] == []


def test_a_path_that_is_no_text_is_answered_in_words(told: Booklet) -> None:
    """An argument of any bytes reaches Python as text with lone surrogates."""
    wild = os.fsdecode(b"\xff\xfe")
    for line in (
        ["novel", "check", "--project", wild], ["novel", "commit", "--input", wild],
        ["wordcount", "measure", "--file", wild], ["wordcount", "measure", "--file", wild, "--chapter", wild],
        ["backup", "verify", wild], ["trust", wild], ["novel", wild], [wild],
        ["novel", "history", "--character", wild, "--project", str(told.root)],
        ["chapter", "check", "--chapter", "1", "--project", wild],
        ["novel", "shims", "status", "--skill", wild],
    ):  # fmt: skip
        answer = call(main, *line)
        assert answer.code in (0, 1, 2, 3)
        assert "bug of its own" not in answer.err, line


# ---- bytes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii", "PYTHONUNBUFFERED": "1"},
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "line",
    [
        ["novel", "check", "--project", "没有"], ["--help"], ["novel", "--help"],
        ["novel", "commit", "--help"], ["没有这个"],
    ],
    ids=lambda line: " ".join(line),
)  # fmt: skip
def test_whatever_the_console_speaks_the_output_is_utf_8(
    tmp_path: Path, env: dict[str, str], line: list[str]
) -> None:
    answer = process(CLEW, *line, cwd=tmp_path, env={"CLEW_LANG": "zh", **env})
    assert "Traceback" not in answer.err and "自身的错误" not in answer.err
    assert answer.code == (0 if "--help" in line else 3 if "check" in line else 2)
    text = answer.out.decode("utf-8") + answer.err
    assert any("\u4e00" <= c <= "\u9fff" for c in text)
