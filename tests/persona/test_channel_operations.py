"""`clew persona` on channels, windows, archive and memory, as a pipe and as a terminal see it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from scribe import SESSION, Scribe, text, thinking
from somebody import begin, clew

from clew.faces.cli.channels import RENDERINGS
from clew.kernel.clock import system_clock
from clew.kernel.operations import Host, of_noun
from clew.persona import channel_operations
from clew.persona.home import Home


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CLEW_LANG", "en")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return begin(tmp_path / "林昭", system_clock)  # type: ignore[arg-type]


def ask(home: Home, *words: object, code: int = 0) -> Any:
    got, answer, err = clew("persona", *words, "--home", home.root)
    assert got == code, (got, answer, err)
    return answer


def test_the_channels_are_listed_with_their_meaning(home: Home) -> None:
    answer = ask(home, "channels")
    assert len(answer["channels"]) == 7 and not any(one["wakes"] for one in answer["channels"])


def test_a_note_goes_to_whoever_reads_and_is_read_once(home: Home) -> None:
    ask(home, "board", "write", "核账", "--to", "persona", "--task", "--by", "阿灯")
    ask(home, "board", "write", "也给你", "--re", 1)
    first = ask(home, "board", "read", "--reader", "persona", "--limit", 1)
    assert [note["text"] for note in first["notes"]] == ["核账"] and first["unread"] == 1
    second = ask(home, "board", "read", "--reader", "persona")
    assert [note["text"] for note in second["notes"]] == ["也给你"]
    assert ask(home, "board", "read", "--reader", "persona")["notes"] == []
    assert len(ask(home, "board", "read")["notes"]) == 2
    assert [n["n"] for n in ask(home, "board", "read", "--since", 1)["notes"]] == [2]


def test_a_baton_is_written_and_read(home: Home) -> None:
    ask(home, "baton", "write", "核完三月", "--next", "核四月", "--avoid", "重数", "--window", "w1")
    (one,) = ask(home, "baton", "read")["batons"]
    assert (one["done"], one["next"], one["avoid"], one["window"]) == (
        "核完三月",
        "核四月",
        "重数",
        "w1",
    )


def test_stream_live_and_digest_are_read_and_written(home: Home, tmp_path: Path) -> None:
    ask(home, "stream", "write", "雨停了", "--window", "w1")
    assert ask(home, "stream", "read", "--window", "w1")["lines"][0]["text"] == "雨停了"
    assert ask(home, "stream", "read", "--window", "w2")["lines"] == []
    path = Scribe().person("在吗").write(tmp_path)
    ask(home, "windows", "add", SESSION, "--transcript", path, "--host", "claude")
    assert ask(home, "live", "write")["lines"] == 1
    assert ask(home, "live", "read")["lines"][0]["text"] == "在吗"
    assert "雨停了" in ask(home, "digest", "write")["text"]
    assert ask(home, "digest", "read")["file"] == "channels/digest.md"


def test_a_window_that_nobody_registered_is_noted_and_its_words_are_kept(home: Home) -> None:
    answer = ask(home, "stream", "write", "雨停了", "--window", "nowin")
    assert [note["code"] for note in answer["notes"]] == ["window_unknown"]
    assert ask(home, "stream", "read")["lines"][0]["window"] == "nowin"
    ask(home, "windows", "add", "w1")
    assert "notes" not in ask(home, "stream", "write", "雨停了", "--window", "w1")
    assert "notes" not in ask(home, "hang", "add", "那封信", "--window", "w1")
    assert "w2" in ask(home, "diary", "write", "x", "--window", "w2")["notes"][0]["message"]


def test_a_window_sees_what_was_said_in_the_others(home: Home, tmp_path: Path) -> None:
    for name in ("w1", "w2"):
        path = Scribe(name).person(f"{name} 的话").write(tmp_path)
        ask(home, "windows", "add", name, "--transcript", path, "--host", "claude")
    ask(home, "live", "write")
    assert [one["window"] for one in ask(home, "live", "read", "--window", "w1")["lines"]] == ["w2"]
    assert [one["window"] for one in ask(home, "live", "read", "--of", "w1")["lines"]] == ["w1"]


def test_status_counts_the_windows_that_the_register_lists(home: Home) -> None:
    from clew.persona.windows import FILE, Windows, ended

    ask(home, "windows", "add", "w1")
    ask(home, "windows", "add", "w2")
    with home.change() as change:
        known = change.load(FILE, Windows)
        assert known is not None
        change.save(FILE, ended(known, {"w2": known.windows[1].seen}))
    glance = ask(home, "status")["glance"]
    assert len(ask(home, "windows", "list")["windows"]) == glance["windows"] == 2
    assert glance["ended"] == 1


def test_the_part_of_a_baton_that_is_missing_is_named(home: Home) -> None:
    said = ask(home, "baton", "write", "--next", "核四月", code=2)["message"]
    assert said == "where it got to is missing"


def test_windows_are_added_retired_revived(home: Home) -> None:
    ask(home, "windows", "add", "w1")
    ask(home, "windows", "add", "w2", "--origin", "w1")
    ask(home, "windows", "retire", "w1")
    assert [one["id"] for one in ask(home, "windows")["windows"]] == ["w2"]
    assert len(ask(home, "windows", "list", "--all")["windows"]) == 2
    ask(home, "windows", "revive", "w1")
    assert ask(home, "windows", "retire", "nobody", code=3)["error_code"] == "no_window"
    assert ask(home, "windows", "add", "../x", code=2)["error_code"] == "window_id"
    away = ask(home, "windows", "add", "w3", "--transcript", "/nowhere.jsonl", code=2)
    assert away["error_code"] == "not_a_transcript"
    ask(home, "windows", "retire", code=2)


def test_the_archive_is_run_looked_at_and_verified(home: Home, tmp_path: Path) -> None:
    path = Scribe().person("在吗").write(tmp_path / "old")
    done = ask(home, "archive", "run", "--from", path.parent, "--host", "claude")
    assert done["copied"] == 1
    assert ask(home, "archive", "status")["files"] == 1
    assert ask(home, "archive", "verify")["status"] == "ok"
    (Path(home.root) / f"archive/claude/{SESSION}.jsonl").write_bytes(b"")
    assert ask(home, "archive", "verify", code=1)["findings"][0]["code"] == "archive_damaged"
    assert ask(home, "archive", "run", "--from", tmp_path / "none", code=3)["status"] == "error"


def test_guard_and_context_answer_with_an_exit_code_for_scripts(home: Home, tmp_path: Path) -> None:
    good = Scribe("g").person("后来呢").persona(text("去了渡口。")).write(tmp_path)
    lost = Scribe("l").person("后来呢").persona(thinking("去了渡口。")).write(tmp_path)
    assert ask(home, "guard", good)["kind"] == "spoken"
    assert ask(home, "guard", lost, code=1)["words"] == "去了渡口。"
    assert ask(home, "guard", tmp_path / "none", code=3)["error_code"] == "missing_file"
    ask(home, "windows", "add", "l", "--transcript", lost)
    assert ask(home, "guard", code=1)["lost"][0]["kind"] == "salvageable"
    assert ask(home, "guard")["lost"] == []
    assert ask(home, "watch-context")["light"] == "green"
    assert ask(home, "watch-context", lost)["windows"][0]["turns"] == 1


def test_the_limits_of_a_long_conversation_are_the_personas_own(home: Home, tmp_path: Path) -> None:
    path = Path(home.root) / "persona.toml"
    more = "\n[context]\nyellow_turns = 1\nred_turns = 2\n"
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    talk = Scribe().person("一").person("二").write(tmp_path)
    found = ask(home, "watch-context", talk, code=1)
    assert found["light"] == "red" and found["windows"][0]["reasons"] == ["turns"]


@pytest.mark.parametrize(
    "words",
    [("board", "read", "多余的话"), ("board", "read", "--to", "x"), ("board", "write", "话", "--since", 1),
     ("baton", "read", "--next", "x"), ("stream", "read", "话"), ("windows", "list", "w1"),
     ("archive", "status", "--from", "/x"), ("live", "write", "--window", "x")],
)  # fmt: skip
def test_what_an_action_has_no_use_for_is_told(home: Home, words: tuple[object, ...]) -> None:
    assert ask(home, *words, code=2)["error_code"] == "usage"


@pytest.mark.parametrize(
    ("words", "code", "allowed"),
    [
        (("board", "read", "--limit", 0), "out_of_range", "1..10000"),
        (("board", "read", "--limit", 10_001), "out_of_range", "1..10000"),
        (("baton", "read", "--limit", 0), "out_of_range", "1..10000"),
        (("stream", "read", "--limit", 0), "out_of_range", "1..10000"),
        (("live", "read", "--limit", 0), "out_of_range", "1..10000"),
        (("receipts", "read", "--limit", 0), "out_of_range", "1..10000"),
        (("search", "灯", "--limit", 0), "out_of_range", "1..10000"),
        (("board", "write", "话", "--to", "nobody"), "no_such_reader", ["persona", "阿灯", "w1"]),
        (("search", "灯", "--kind", "x"), "not_allowed",
         ["transcript", "diary", "board", "baton", "stream"]),
    ],
)  # fmt: skip
def test_a_value_that_makes_no_sense_is_refused_with_what_is_allowed(
    home: Home, words: tuple[object, ...], code: str, allowed: object
) -> None:
    ask(home, "windows", "add", "w1")
    ask(home, "board", "write", "在", "--by", "阿灯")
    refused = ask(home, *words, code=2)
    assert refused["error_code"] == code and refused["faults"][0]["allowed"] == allowed
    assert len(ask(home, "board", "read")["notes"]) == 1


def test_a_note_answers_one_that_is_there(home: Home) -> None:
    refused = ask(home, "board", "write", "好", "--re", 99, code=2)
    assert refused["error_code"] == "no_such_note"
    ask(home, "board", "write", "在吗")
    assert ask(home, "board", "write", "在", "--re", 1)["notes"][0]["re"] == 1
    both = ask(home, "board", "write", "好", "--re", 99, "--to", "nobody", code=2)
    assert [one["code"] for one in both["faults"]] == ["no_such_reader", "no_such_note"]


def test_a_note_goes_to_persona_windows_and_whoever_wrote_or_read(home: Home) -> None:
    ask(home, "windows", "add", "w1")
    ask(home, "board", "write", "在吗", "--by", "阿灯")
    ask(home, "board", "read", "--reader", "小满")
    for name in ("persona", "w1", "阿灯", "小满"):
        assert ask(home, "board", "write", "好", "--to", name)["notes"][0]["to"] == name


def test_a_window_that_was_never_seen_is_not_measured(home: Home) -> None:
    assert ask(home, "watch-context", "--window", "w9", code=3)["error_code"] == "no_window"


@pytest.mark.parametrize(
    "words",
    [("board", "read", "--reader", "persona", "--since", 3), ("board", "read", "--reader", "w", "--window", "w"),
     ("windows", "retire", "w1", "--transcript", "x"), ("windows", "revive", "w1", "--origin", "x")],
)  # fmt: skip
def test_what_would_be_passed_over_is_refused(home: Home, words: tuple[object, ...]) -> None:
    ask(home, "windows", "add", "w1")
    assert ask(home, *words, code=2)["error_code"] == "usage"


def test_a_path_is_told_without_its_detours(home: Home, tmp_path: Path) -> None:
    refused = ask(home, "guard", f"{tmp_path}/a/../b/../none.jsonl", code=3)
    assert refused["faults"][0]["file"] == f"{tmp_path}/none.jsonl"


def test_moments_are_in_utc_and_the_zone_stands_beside_them(home: Home) -> None:
    ask(home, "board", "write", "在")
    for verb, key in (("board", "notes"), ("baton", "batons"), ("stream", "lines"), ("live", "lines"),
                      ("receipts", "lines")):  # fmt: skip
        answer = ask(home, verb, "read")
        assert answer["zone"] == "Asia/Shanghai"
        assert all(one["at"].endswith("Z") for one in answer[key])
    assert ask(home, "windows")["zone"] == ask(home, "search", "在")["zone"] == "Asia/Shanghai"


@pytest.mark.parametrize(
    ("words", "named"),
    [(("board", "read", "多余的话"), "'多余的话'"), (("archive", "status", "--from", "/x"), "--from")],
)  # fmt: skip
def test_what_is_told_is_named_as_it_was_typed(
    home: Home, words: tuple[object, ...], named: str
) -> None:
    assert ask(home, *words, code=2)["message"].endswith(f"has no use for {named}")


def test_every_operation_has_an_example_that_names_it_and_a_rendering(home: Home) -> None:
    known = {operation.name for operation in of_noun("persona")}
    for operation in channel_operations.OPERATIONS:
        verb = operation.name.split(".")[1]
        assert operation.name in known and operation.example.startswith(f"clew persona {verb}")
        assert operation.name in RENDERINGS


def shown(name: str, answer: Any, lang: str) -> str:
    out = io.StringIO()
    Console(file=out, width=100, color_system=None).print(RENDERINGS[name](answer, lang))
    return out.getvalue()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_answer_can_be_shown_on_a_terminal_and_no_text_in_it_is_markup(
    home: Home, tmp_path: Path, lang: str
) -> None:
    nasty = "[red]灯[/red]\x1b[31m"
    lost = Scribe("l").person(nasty).persona(thinking(nasty)).write(tmp_path)
    host = Host(cwd=str(tmp_path), lang=lang)
    lines = [
        ("channels", {}), ("windows", {"action": "list"}),
        ("windows", {"action": "add", "id": "l", "transcript": str(lost), "host": "claude"}),
        ("board", {"action": "read"}), ("board", {"action": "write", "text": nasty, "task": True}),
        ("board", {"action": "write", "text": nasty, "re": 1}),
        ("board", {"action": "read", "reader": "w9"}), ("baton", {"action": "read"}),
        ("baton", {"action": "write", "text": nasty, "next": nasty, "avoid": nasty}),
        ("stream", {"action": "write", "text": nasty}), ("live", {"action": "write"}),
        ("live", {"action": "read"}), ("receipts", {"action": "read"}), ("digest", {"action": "read"}),
        ("archive", {"action": "status"}), ("archive", {"action": "run"}),
        ("archive", {"action": "status"}), ("archive", {"action": "verify"}),
        ("index", {"action": "rebuild"}), ("search", {"text": "灯"}), ("search", {"text": "没有"}),
        ("guard", {}), ("guard", {}), ("guard", {"file": str(lost)}), ("watch-context", {}),
        ("live", {"action": "read"}),
    ]  # fmt: skip
    operations = {one.name: one for one in channel_operations.OPERATIONS}
    for verb, fields in lines:
        operation = operations[f"persona.{verb}"]
        answer = operation.run(host, operation.request(home=home.root, **fields))
        out = shown(operation.name, answer, lang)
        assert out.strip() and "\x1b" not in out
        if verb in ("board", "baton", "stream") and "text" in fields:
            assert "[red]" in out
