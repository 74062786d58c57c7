"""`clew sidecar …` as it is called: answers, exit codes, what goes to stdout and what to stderr."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clew.faces.cli.main import main
from clew.kernel.files import Files

NAME = "smoking-persona"


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


Run = Callable[..., Said]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where states lie; the working folder and the home are empty ones."""
    for name in ("CLEW_SIDECAR", "CLEW_SESSION", "CLAUDE_PROJECT_DIR", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("CLEW_LANG", "en")
    monkeypatch.setenv("CLEW_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "state"


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(*words: str, stdin: str = "") -> Said:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main(["sidecar", *words])
        found = capsys.readouterr()
        return Said(code, found.out, found.err)

    return call


@pytest.fixture
def on(run: Run) -> Run:
    assert run("init", NAME).code == 0
    assert run("resume").answer["active"] is True
    return run


def state_file(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"{NAME}.json").read_text("utf-8"))
    return found


# ---- a session from its beginning ----------------------------------------------------------------


def test_init_makes_a_state_that_is_off_until_the_user_agrees(run: Run, folder: Path) -> None:
    first = run("init", NAME)
    assert first.answer == {
        "status": "ok", "profile": NAME, "file": str(folder / f"{NAME}.json"), "created": True,
        "active": False,
    }  # fmt: skip
    assert run("init", NAME).answer["created"] is False
    refused = run("event", "borrow", "--arg", "amount=20")
    assert refused.code == 1
    assert refused.answer["error_code"] == "not_active"
    assert run("resume").answer["changed"]["active"] is True
    assert run("event", "borrow", "--arg", "amount=20").answer["changed"]["debt_yuan"] == 20
    assert run("pause").answer["active"] is False
    assert run("read").answer["active"] is False


def test_a_seed_that_is_given_at_the_start_is_kept(run: Run, folder: Path) -> None:
    run("init", NAME, "--seed", "mine")
    assert state_file(folder)["_clew"]["seed"] == "mine"


def test_a_turn_earns_one_and_says_what_is_open(on: Run, folder: Path) -> None:
    said = on("turn", "--chars", "120", "--tools", "2")
    assert said.answer["changed"]["wallet_yuan"] == 1
    assert set(said.answer["guards"]) == {"beg", "break", "invite"}
    closed = said.answer["guards"]["break"]
    assert closed["open"] is False and closed["why"] == "condition" and closed["message"]
    assert state_file(folder)["_clew"]["turns"] == 1
    assert (said.code, said.err) == (0, "")


def test_an_id_makes_a_turn_count_once(on: Run, folder: Path) -> None:
    for _ in range(3):
        on("turn", "--id", "prompt 7")
    assert state_file(folder)["wallet_yuan"] == 1


def test_read_gives_the_state_and_its_status(on: Run, folder: Path) -> None:
    answer = on("read").answer
    assert (answer["status"], answer["profile"], answer["active"]) == ("ok", NAME, True)
    assert "_clew" not in answer["state"]
    assert answer["open"] == ["beg"]
    (folder / f"{NAME}.json").write_bytes(b"\0\0\0")
    again = on("read")
    assert again.answer["status"] == "recovered"
    assert "broken" in again.err and again.answer["notes"][0]["code"] == "sidecar_broken"
    assert on("read").answer["status"] == "ok"


def test_a_field_is_a_bare_value(on: Run) -> None:
    assert on("read", "--field", "current_pack.brand").out == "炫赫门\n"
    assert on("read", "--field=wallet_yuan").out == "0\n"
    assert on("read", "--field", "purchases").out == "[]\n"
    assert on("read", "--field", "phase", "--json").answer == {
        "status": "ok", "field": "phase", "value": "novice",
    }  # fmt: skip
    gone = on("read", "--field", "current_pack.colour")
    assert gone.code == 1 and gone.answer["error_code"] == "sidecar_no_field"


def test_set_and_patch_are_checked(on: Run, folder: Path, tmp_path: Path) -> None:
    alone = on("set", "user_brand", "红双喜")
    assert alone.code == 1 and alone.answer["error_code"] == "rule"
    assert on("set", "user_smokes", "yes").code == 0
    assert on("set", "user_brand", "红双喜").code == 0
    assert state_file(folder)["user_brand"] == "红双喜"
    wrong = on("set", "user_smokes", "maybe")
    assert wrong.code == 1 and wrong.answer["faults"][0]["allowed"]
    money = on("set", "wallet_yuan", "99")
    assert money.code == 1 and money.answer["error_code"] == "by_event_only"
    patch = tmp_path / "patch.json"
    patch.write_text('{"user_smokes": "yes", "user_brand": null}', "utf-8")
    assert on("patch", str(patch)).code == 0
    assert state_file(folder)["user_brand"] is None
    assert on("patch", "-", stdin='{"user_brand": "玉溪"}').code == 0
    both = on("patch", "-", stdin='{"user_smokes": 3, "nothing": 1}')
    assert both.code == 1 and len(both.answer["faults"]) == 2
    assert on("patch", "-", stdin="[1]").answer["error_code"] == "sidecar_bad_input"
    assert on("patch", "-", stdin='{"x": NaN}').answer["error_code"] == "sidecar_bad_input"
    assert on("patch", "nowhere.json").answer["error_code"] == "sidecar_bad_input"


def test_reset_keeps_the_old_file(on: Run, folder: Path) -> None:
    kept = on("reset").answer["kept"]
    assert Path(kept).exists()
    assert on("read").answer["status"] == "fresh"
    assert on("reset").answer["kept"] is None


def test_show_names_the_file_and_all_guards(on: Run, folder: Path) -> None:
    answer = on("show").answer
    assert answer["file"] == str(folder / f"{NAME}.json")
    assert set(answer["guards"]) == {"beg", "break", "invite"}


# ---- writes that fail ----------------------------------------------------------------------------


def test_a_failed_write_is_silent_on_stdout_and_told_on_stderr(
    on: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = on("turn")
    with monkeypatch.context() as patch:
        patch.setattr(Files, "create", _no_space)
        turn = on("turn")
        event = on("event", "borrow", "--arg", "amount=5")
        strict = on("turn", "--strict")
    assert (turn.code, event.code, strict.code) == (0, 0, 1)
    assert turn.answer.keys() == whole.answer.keys()
    assert turn.answer["changed"]["wallet_yuan"] == 2
    assert "disk is full" in turn.err and ".pending" in turn.err
    assert state_file(folder)["wallet_yuan"] == 1
    assert on("read").answer["state"]["wallet_yuan"] == 8
    late = on("turn")
    assert "applied: 3" in late.err or late.err.count("applied") >= 1
    assert state_file(folder)["wallet_yuan"] == 9


def _no_space(self: Files, path: str, data: bytes, mode: int = 0o644) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def test_a_change_that_somebody_waits_for_says_that_it_waits(
    on: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Files, "create", _no_space)
        said = on("pause")
    assert said.code == 1 and said.answer["status"] == "waiting"
    assert on("read").answer["active"] is False, "an opt-out that waits is in force"


def test_what_is_lost_is_named(on: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Files, "create", _no_space)
        patch.setattr(Files, "write_at", _no_space)
        patch.setattr(Files, "make_dir", _no_space)
        said = on("event", "borrow", "--arg", "amount=5")
    assert said.code == 0
    assert "Lost: borrow" in said.err
    assert on("read").answer["state"]["debt_yuan"] == 0


# ---- hooks ---------------------------------------------------------------------------------------


def hook_input(**more: Any) -> str:
    return json.dumps({"session_id": "s-1", "cwd": "/", "hook_event_name": "x", **more})


def test_the_hook_before_a_prompt_gives_one_short_line_of_facts(on: Run) -> None:
    said = on("read", "--hook", stdin=hook_input(prompt="hello"))
    assert said.code == 0 and said.out.count("\n") == 1
    assert said.out.startswith(f'{NAME}: {{"phase":"novice"')
    assert said.out.rstrip().endswith("open: beg")
    assert len(said.out) < 1_500


@pytest.mark.parametrize("stdin", ["", "not json", "[]", "null", "\0", "[" * 100_000])
def test_a_hook_that_is_told_nonsense_goes_on(stdin: str, on: Run, folder: Path) -> None:
    assert on("read", "--hook", stdin=stdin).code == 0
    assert on("turn", "--hook", stdin=stdin) == (0, "", "")
    assert state_file(folder)["wallet_yuan"] == 1


def test_a_hook_says_nothing_while_it_is_off(run: Run, folder: Path) -> None:
    assert run("read", "--hook", "--profile", NAME, stdin=hook_input()) == (0, "", "")
    assert run("turn", "--hook", "--profile", NAME, stdin=hook_input()) == (0, "", "")
    assert not folder.exists(), "and leaves nothing"


def test_the_hook_at_the_end_counts_one_prompt_once(on: Run, folder: Path) -> None:
    told = hook_input(prompt_id="p-1", last_assistant_message="十二个字的一句回答。")
    for _ in range(3):
        assert on("turn", "--hook", stdin=told) == (0, "", "")
    assert state_file(folder)["wallet_yuan"] == 1
    assert state_file(folder)["_clew"]["chars"] == 10
    on("turn", "--hook", stdin=hook_input(prompt_id="p-2"))
    on("turn", "--hook", stdin=hook_input(stop_hook_active=True))
    assert state_file(folder)["wallet_yuan"] == 2


def test_a_hook_never_blocks_a_prompt(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 2 would."""
    assert run("read", "--hook", "--profile", "nobody").code == 1
    assert run("turn", "--hook", "--nonsense").code == 1

    def fails(*_: object, **__: object) -> object:
        raise RuntimeError("a bug")

    monkeypatch.setattr("clew.sidecar.store.Store.read", fails)
    said = run("read", "--hook", "--profile", NAME, stdin=hook_input())
    assert (said.code, said.out) == (1, "") and "a bug" in said.err


def test_a_hook_finds_the_state_of_its_session(on: Run, folder: Path) -> None:
    on("resume", "--profile", NAME, "--session", "s-1")
    on("turn", "--hook", "--profile", NAME, "--scope", "session", stdin=hook_input())
    found = folder / "sessions" / "s-1" / f"{NAME}.json"
    assert json.loads(found.read_text("utf-8"))["wallet_yuan"] == 1
    assert state_file(folder)["wallet_yuan"] == 0


# ---- private fields ------------------------------------------------------------------------------

PRIVATE = """
[profile]
name = "diary"
version = 1
title = { zh = "日记", en = "a diary" }
active = "active"
turn = "reply"

[fields]
active = { type = "bool", default = false }
mood = { type = "text", default = "calm" }
secret = { type = "text", default = "hush", private = true }

[events.reply]
change = []

[events.tell]
args = { text = { type = "text" } }
change = [{ set = "secret", to = { arg = "text" } }]
"""


@pytest.fixture
def diary(run: Run, tmp_path: Path) -> Run:
    file = tmp_path / "diary.toml"
    file.write_text(PRIVATE, "utf-8")
    said = run("init", str(file))
    assert said.code == 0, said
    assert run("resume", "--profile", "diary").code == 0
    return run


def test_private_fields_are_never_in_what_is_shown(diary: Run) -> None:
    diary("event", "tell", "--arg", "text=xyzzy is the word")
    for words in (
        ["read"], ["show"], ["read", "--hook"], ["turn"], ["doctor"],
        ["event", "tell", "--arg", "text=xyzzy is the word this"],
    ):  # fmt: skip
        said = diary(*words, "--profile", "diary", stdin=hook_input())
        assert said.code == 0
        assert "xyzzy" not in said.out + said.err, words
        assert "hush" not in said.out + said.err, words
    assert diary("read", "--field", "secret").code == 1
    assert diary("read", "--field", "secret", "--all").out == "xyzzy is the word this\n"
    assert diary("read", "--all").answer["state"]["secret"] == "xyzzy is the word this"


# ---- profiles ------------------------------------------------------------------------------------


def test_a_profile_of_ones_own_is_taken_in_and_found_by_name(diary: Run, folder: Path) -> None:
    assert (folder / "profiles" / "diary.json").exists()
    assert {p["name"] for p in diary("profiles").answer["profiles"]} >= {"diary", NAME}
    assert diary("read").answer["profile"] == "diary", "the only one with a state"


def test_a_bad_profile_is_refused_with_every_fault_and_its_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(PRIVATE.replace('"reply"', '"nothing"', 1).replace("bool", "boolean"), "utf-8")
    for words in (["init", str(file)], ["check-profile", str(file)]):
        said = run(*words)
        assert said.code == 2
        assert len(said.answer["faults"]) >= 2
        assert all(fault["line"] >= 1 for fault in said.answer["faults"])
        assert str(file) in said.answer["message"]


def test_a_profile_runs_nothing(run: Run, tmp_path: Path) -> None:
    """Whatever stands in it is data."""
    file = tmp_path / "evil.toml"
    text = PRIVATE.replace('"calm"', '"$(touch pwned) {0.__class__} `id`"')
    file.write_text(text.replace('en = "a diary"', 'en = "{path} %s \\u001b[2J"'), "utf-8")
    assert run("init", str(file)).code == 0
    run("resume", "--profile", "diary")
    said = run("show", "--profile", "diary")
    assert said.answer["state"]["mood"] == "$(touch pwned) {0.__class__} `id`"
    assert not (tmp_path / "work" / "pwned").exists()


def test_a_compiled_profile_that_is_damaged_is_told(diary: Run, folder: Path) -> None:
    found = folder / "profiles" / "diary.json"
    for text in ("", "{", "[]", '{"format": 99}', "[" * 100_000):
        found.write_text(text, "utf-8")
        said = diary("turn", "--profile", "diary")
        assert said.code == 0 and said.answer["active"] is False and "diary.json" in said.err
        for verb in ("show", "event"):
            words = (
                [verb, "x", "--profile", "diary"]
                if verb == "event"
                else [verb, "--profile", "diary"]
            )
            said = diary(*words)
            assert said.code == 2 and said.answer["error_code"] == "sidecar_profile_unreadable"


def test_which_profile_is_asked_for_when_it_is_not_clear(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = run("read")
    assert said.code == 2 and said.answer["error_code"] == "sidecar_which_profile"
    assert NAME in said.answer["faults"][0]["allowed"]
    monkeypatch.setenv("CLEW_SIDECAR", NAME)
    assert run("read").answer["profile"] == NAME
    said = run("read", "--profile", "nobody")
    assert said.code == 3 and NAME in said.answer["message"]


def test_the_shipped_profiles_pass_their_own_cases(run: Run) -> None:
    import clew.sidecar.shelf

    for name in (NAME, "study-companion"):
        said = run("check-profile", f"{clew.sidecar.shelf.SHIPPED}/{name}.toml")
        assert said.code == 0, said.answer
        assert said.answer["cases"] > 3


def test_simulate_gives_the_same_for_the_same_seed(run: Run) -> None:
    first = run("simulate", NAME, "--turns", "200", "--seed", "7").answer
    assert first == run("simulate", NAME, "--turns", "200", "--seed", "7").answer
    assert len(first["rows"]) == 200
    assert set(first["guards"]) == {"beg", "break", "invite"}
    assert run("simulate", NAME, "--turns", "0x").code == 2


def test_schema_is_json_schema(run: Run) -> None:
    state = json.loads(run("schema", NAME).out)
    assert state["$schema"].startswith("https://json-schema.org/")
    assert "wallet_yuan" in state["properties"]
    language = json.loads(run("schema", "--language").out)
    assert "events" in language["properties"]


def test_migrate_rewrites_an_older_state(run: Run, folder: Path) -> None:
    missing = run("migrate", "--profile", NAME)
    assert missing.code == 3 and missing.answer["error_code"] == "sidecar_no_state"
    folder.mkdir()
    old = {"active": True, "phase": "novice", "cigarettes_total": 3}
    (folder / f"{NAME}.json").write_text(json.dumps(old), "utf-8")
    said = run("migrate", "--profile", NAME)
    assert said.code == 0 and said.answer["notes"]
    assert state_file(folder)["form"] == "human" and state_file(folder)["cigarettes_total"] == 3
    assert run("migrate", "--profile", NAME).answer["notes"] == []


# ---- scopes --------------------------------------------------------------------------------------


def test_scopes_do_not_mix(run: Run, folder: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / ".git").mkdir()
    where = [
        [], ["--scope", "project"], ["--session", "one"], ["--scope", "session", "--session", "two"],
        ["--file", "mine.json"],
    ]  # fmt: skip
    for number, options in enumerate(where):
        run("resume", "--profile", NAME, *options)
        for _ in range(number + 1):
            run("turn", "--profile", NAME, *options)
    for number, options in enumerate(where):
        said = run("read", "--profile", NAME, "--field", "wallet_yuan", *options)
        assert said.out == f"{number + 1}\n"
    assert (work / ".claude" / "state" / f"{NAME}.json").exists()
    assert (work / "mine.json").exists()
    said = run("turn", "--profile", NAME, "--scope", "session")
    assert said.code == 2 and "--session" in said.answer["message"]


def test_the_default_file_lies_in_the_home(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLEW_STATE_DIR")
    said = run("init", NAME)
    assert said.answer["file"] == f"{os.environ['HOME']}/.claude/state/{NAME}.json"


# ---- how it is called ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [["frob"], ["turn", "--chars", "x"], ["turn", "--chars", "-1"], ["turn", "--chars", "٣"],
     ["turn", "--chars"], ["event"], ["event", "a", "b"], ["read", "--nonsense"],
     ["read", "--all=1"], ["event", "x", "--arg", "novalue"], ["read", "--scope", "moon"],
     ["event", "x", "--arg", "a=1", "--arg", "a=2"], ["turn", "--id", "x" * 101],
     ["read", "--lang", "fr"], ["set", "x"], ["patch"]],
)  # fmt: skip
def test_a_command_that_is_written_wrongly_says_how_it_is_written(
    words: list[str], run: Run, folder: Path
) -> None:
    for lang in ("zh", "en"):
        extra = [] if "--lang" in words else ["--lang", lang]
        said = run(*words, "--profile", NAME, *extra)
        assert said.code == 2
        assert said.answer["error_code"] == "sidecar_usage"
        assert said.answer["message"]
    assert not folder.exists()


def test_both_languages(on: Run) -> None:
    zh, en = (on("event", "repay", "--arg", "amount=5", "--lang", lang) for lang in ("zh", "en"))
    assert zh.answer["error_code"] == en.answer["error_code"]
    assert zh.answer["message"] != en.answer["message"]
    assert any("\u4e00" <= char <= "\u9fff" for char in zh.answer["message"])


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_help_names_every_verb(lang: str, run: Run) -> None:
    said = run("--help", "--lang", lang)
    assert said.code == 0
    for verb in ("read", "event", "turn", "set", "patch", "show", "reset", "pause", "resume", "init",
                 "migrate", "doctor", "schema", "simulate", "bundle", "profiles", "check-profile"):  # fmt: skip
        assert f"\n  {verb}" in said.out
    assert run().code == 2


def test_people_get_lines_and_nothing_steers_the_terminal(
    on: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on("set", "user_smokes", "yes")
    on("set", "user_brand", "\x1b[2Jred\x07")
    monkeypatch.setattr("clew.faces.config.fancy", lambda stream: True)
    for words in (["show"], ["read"], ["turn"], ["doctor"], ["profiles"], ["simulate"]):
        assert main(["sidecar", *words, "--profile", NAME]) == 0
        said = capsys.readouterr()
        assert said.out.count("\n") > 2
        assert "\x1b" not in said.out and "\x07" not in said.out
    assert main(["sidecar", "event", "nope", "--profile", NAME]) == 1
    said = capsys.readouterr()
    assert said.out == "" and "nope" in said.err


def test_the_verbs_of_a_turn_load_nothing_that_costs_a_start(folder: Path) -> None:
    code = (
        "import sys\n"
        "from clew.faces.cli.main import main\n"
        f"assert main(['sidecar', sys.argv[1], *sys.argv[2:], '--profile', '{NAME}']) == 0\n"
        "slow = {'msgspec', 'rich', 'argparse', 'tomllib', 'datetime', 'dataclasses', 'inspect',\n"
        "        'pathlib', 'subprocess', 'clew.kernel.faults', 'clew.kernel.errors', 'typing_extensions',\n"
        "        'clew.novel', 'clew.kernel.operations', 'clew.sidecar.profile', 'tempfile'}\n"
        "found = slow & set(sys.modules)\n"
        "sys.stderr.write(' '.join(sorted(found)))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    for words in (["read"], ["turn"], ["event", "opt_in"], ["read", "--field", "phase"]):
        done = subprocess.run(
            [sys.executable, "-S", "-c", code, *words], capture_output=True, env=env, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == b"", f"{words} loads {done.stderr!r}"
