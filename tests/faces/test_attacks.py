"""What somebody who tried to break the ledger found, each with the answer it gets now."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from booklet import CLEW, Booklet, call

from clew.faces.cli.main import main
from clew.kernel.faults import Both, Fault
from clew.testing.novel import tree

HISTORY = "追踪/_history.jsonl"
LOCK = "追踪/.tracking-commit.lock"


def committed(book: Booklet, number: int = 1) -> None:
    draft = book.ready(number)
    done = call(
        main, "chapter", "commit", "--chapter", number, "--input", draft, "--project", book.root
    )
    assert done.code == 0, done.text


def test_a_file_of_the_author_in_the_scratch_folder_goes_aside_and_is_not_deleted(
    book: Booklet,
) -> None:
    book.write(".story/work/第001章/笔记.md", "要紧的话")
    book.write(".story/work/第001章/资料/x.txt", "更要紧")
    committed(book)
    assert not book.path(".story/work/第001章").exists()
    kept = [data for path, data in tree(book.root).items() if "/aside/" in path]
    assert "要紧的话".encode() in kept
    assert "更要紧".encode() in kept


def test_merging_a_draft_keeps_the_file_that_the_author_filled_in(book: Booklet) -> None:
    committed(book)
    made = call(main, "novel", "draft", "--chapter", 2, "--project", book.root).json["draft"]
    mine = json.loads(Path(made).read_text("utf-8"))
    mine["context"]["continuity_risks"] = "灯还亮着"
    Path(made).write_text(json.dumps(mine, ensure_ascii=False), "utf-8")
    revision = call(main, "novel", "draft", "--chapter", 1, "--project", book.root).json["draft"]
    assert call(main, "novel", "commit", "--input", revision, "--project", book.root).code == 0
    again = call(main, "novel", "draft", "--chapter", 2, "--project", book.root).json
    assert again["existing"] == "merged"
    assert "灯还亮着" in book.path(again["kept_beside"]).read_text("utf-8")


@pytest.mark.parametrize("place", [HISTORY, LOCK, "追踪/_tracking-state.json", "追踪/上下文.md"])
def test_a_pipe_where_a_file_should_be_is_an_answer_and_never_a_wait(
    book: Booklet, place: str
) -> None:
    draft = book.ready(1)
    book.path(place).unlink(missing_ok=True)
    os.mkfifo(book.path(place))
    for line in (
        ["novel", "commit", "--input", str(draft)], ["novel", "check"], ["novel", "stats"],
        ["novel", "adopt"], ["chapter", "check", "--chapter", "1"],
    ):  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", CLEW, *line, "--project", str(book.root), "--json",
             "--lock-timeout", "1"], capture_output=True, timeout=30, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1, 2, 3)
        assert b"bug of" not in done.stderr, done.stderr
        assert json.loads(done.stdout)["status"]


@pytest.mark.parametrize("folder", ["正文", "大纲", ".story", "追踪"])
def test_a_link_to_itself_is_an_answer(book: Booklet, folder: str) -> None:
    draft = book.ready(1)
    place = book.path(folder)
    if place.exists():
        place.rename(book.root.parent / f"{book.root.name}-{folder}")
    place.symlink_to(folder)
    for line in (
        ["novel", "stats"], ["novel", "check"], ["chapter", "check", "--chapter", 1],
        ["novel", "draft", "--chapter", 1], ["novel", "commit", "--input", draft],
    ):  # fmt: skip
        answer = call(main, *line, "--project", book.root)
        assert answer.code in (0, 1, 2, 3)
        assert "bug of" not in answer.err


@pytest.mark.parametrize("note", ["pid=0\n", ""])
def test_a_lock_file_that_names_nobody_does_not_block_for_ever(book: Booklet, note: str) -> None:
    draft = book.ready(1)
    lock = book.write(LOCK, note)
    hours = lock.stat().st_mtime + 86_400
    os.utime(lock, (hours, hours))  # a clock that was set back
    done = call(
        main, "novel", "commit", "--input", draft, "--project", book.root, "--lock-timeout", 1
    )
    assert done.code == 0, done.text


def test_repairing_a_history_that_is_whole_changes_nothing(book: Booklet) -> None:
    committed(book)
    before = book.path(HISTORY).read_bytes()
    answer = call(main, "novel", "history", "repair", "--project", book.root)
    assert (answer.code, answer.json["restored"]) == (0, False)
    assert book.path(HISTORY).read_bytes() == before


def test_an_answer_that_cannot_be_written_is_not_told_as_a_bug(book: Booklet) -> None:
    draft = book.ready(1)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", CLEW, "novel", "commit", "--input", str(draft), "--project",
             str(book.root), "--json"], stdout=full, stderr=subprocess.PIPE, timeout=30, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert b"the command itself is done" in done.stderr
    assert book.state().last_committed_chapter == 1


def test_a_character_is_found_in_any_normal_form_and_case(book: Booklet) -> None:
    person = {"identity": "账房", "location": "码头", "goal": "找账", "state": "清醒"}
    draft = book.transaction(
        1, character_snapshots={"José": person},
        delta={"result": "来了", "character_changes": [{"name": "José", "change": "到了"}]},
    )  # fmt: skip
    assert call(main, "novel", "commit", "--input", draft, "--project", book.root).code == 0
    for name in (unicodedata.normalize("NFD", "José"), "JOSÉ"):
        found = call(main, "novel", "history", "--character", name, "--project", book.root)
        assert len(found.json["entries"]) == 1


def test_no_message_steers_the_terminal() -> None:
    fault = Fault("not_allowed", "$.a\x1b[2J", found="\x1b]0;x\x07", allowed=["\x9b1m"])
    for lang in ("zh", "en"):
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in fault.message(lang))


def test_no_message_turns_what_is_shown() -> None:
    fault = Fault(
        "not_allowed", "$.a\u202eb", found="\u2066x", allowed=["\u2028y"], file="\u200f.md"
    )
    for lang in ("zh", "en"):
        assert not any(char in fault.message(lang) for char in "\u202e\u2066\u2028\u200f")


@pytest.mark.parametrize("verb", ["context", "who", "history"])
def test_no_text_of_a_book_steers_the_terminal(
    book: Booklet, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    hostile = "\x1b[8m藏\x1b[0m\x9b2J\u202e倒\u2066\u2028\x07"
    person = {"identity": hostile, "location": "码头", "goal": hostile, "state": "清醒"}
    draft = book.transaction(
        1, character_snapshots={"沈砚": person},
        delta={"result": hostile, "character_changes": [{"name": "沈砚", "change": hostile}]},
    )  # fmt: skip
    assert call(main, "novel", "commit", "--input", draft, "--project", book.root).code == 0
    monkeypatch.setattr("clew.faces.config.fancy", lambda stream: True)
    monkeypatch.setattr("clew.faces.config.colour", lambda stream: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    capfd.readouterr()
    main(["novel", verb, *(["沈砚"] if verb == "who" else []), "--project", str(book.root)])
    shown = "".join(capfd.readouterr())
    assert "藏" in shown and "倒" in shown
    assert not any(
        bad in shown for bad in ("\x1b[8m", "\x9b", "\u202e", "\u2066", "\u2028", "\x07")
    )


def test_a_reason_in_two_languages_takes_the_side_of_the_language() -> None:
    fault = Fault("bad_name", "$.x", found="CON", reason=Both("是系统保留名", "is a reserved name"))
    assert "reserved" not in fault.message("zh")
    assert "系统保留名" not in fault.message("en")


def test_a_name_one_character_off_is_committed_with_a_question(book: Booklet) -> None:
    core, near = "沈砚", "沈 砚"
    person = {"identity": "账房", "location": "码头", "goal": "找账", "state": "清醒"}
    one = book.transaction(
        1, character_snapshots={core: person},
        delta={"result": "来了", "character_changes": [{"name": core, "change": "到了"}]},
    )  # fmt: skip
    assert call(main, "novel", "commit", "--input", one, "--project", book.root).code == 0
    two = book.transaction(
        2, delta={"result": "走了", "character_changes": [{"name": near, "change": "走了"}]}
    )
    answer = call(main, "novel", "commit", "--input", two, "--project", book.root)
    assert answer.code == 0, answer.text
    (note,) = [n for n in answer.json["notes"] if n["code"] == "near_name"]
    assert note["allowed"] == [core]


@pytest.mark.parametrize(("count", "code", "key", "value"), [
    (500, "length_over_band", "cut_chars", 40), (300, "length_under_band", None, None),
])  # fmt: skip
def test_a_length_outside_its_band_says_how_far(
    book: Booklet, count: int, code: str, key: str | None, value: int | None
) -> None:
    draft = book.ready(1, count)
    answer = call(
        main, "chapter", "commit", "--chapter", 1, "--input", draft, "--project", book.root
    )
    assert (answer.code, answer.json["error_code"]) == (2, "LENGTH_OUT_OF_BAND")
    (fault,) = answer.json["faults"]
    assert fault["code"] == code
    assert "40" in fault["message"]
    assert key is None or fault[key] == value


def test_a_mistake_in_json_is_named_in_words(book: Booklet) -> None:
    for text, word in (
        ('{"a": 1,}', "多了逗号"), ('{"a": “岛”}', "中文引号"), ('{"a": 1 "b": 2}', "少了逗号"),
        ("", "空的"), ('{"a": [1', "不完整"), ('{"a"：1}', "全角"),
    ):  # fmt: skip
        place = book.write("x.json", text)
        answer = call(
            main, "novel", "commit", "--input", place, "--project", book.root, "--lang", "zh"
        )
        (fault,) = answer.json["faults"]
        assert fault["code"] == "bad_json"
        assert word in fault["message"], (text, fault["message"])


def test_a_reading_command_that_completes_a_crash_says_so(book: Booklet) -> None:
    """Killed after the commit point: the journal is armed and the old state is still in place."""
    draft = book.ready(1)
    state = book.path("追踪/_tracking-state.json")
    before = state.read_bytes()
    assert call(main, "novel", "commit", "--input", draft, "--project", book.root).code == 0
    slot = book.path("追踪/.clew/journal.slot")
    slot.write_bytes(slot.read_bytes().replace(b"settled ", b"armed   ", 1))
    state.write_bytes(before)
    answer = call(main, "novel", "check", "--project", book.root)
    assert (answer.code, answer.json["state_revision"]) == (0, 1)
    assert [n["code"] for n in answer.json["notes"]] == ["repaired"]
    assert "completed" in answer.err
    assert "notes" not in call(main, "novel", "check", "--project", book.root).json
