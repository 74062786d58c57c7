"""The command line in trouble: profiles that cannot be used, streams that are closed or full, data
that looks like clew's own words."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.faces import config
from clew.faces.cli import sidecar
from clew.faces.cli.sidecar_more import MORE
from clew.kernel.files import Files
from clew.sidecar.calling import COMMON, VERBS
from clew.sidecar.helping import OPTIONS

NAME = "study-companion"
OWN = """
[profile]
name = "mini"
version = 1
title = { zh = "小", en = "small" }
active = "active"
turn = "reply"
[fields]
active = { type = "bool", default = false }
n = { type = "int", min = 0, default = 0 }
[events.reply]
change = [{ add = "n", by = 1 }]
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    out = {k: v for k, v in os.environ.items() if not k.startswith(("CLEW_", "CLAUDE_", "XDG_"))}
    return out | {
        "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"), "CLEW_LANG": "en",
        "CLEW_STATE_DIR": str(tmp_path / "state"),
    }  # fmt: skip


Clew = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def clew(env: dict[str, str], tmp_path: Path) -> Clew:
    (tmp_path / "work").mkdir()
    (tmp_path / "tmp").mkdir()

    def call(*words: str, shell: str = "") -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "clew.faces.cli.main", "sidecar", *words]
        if shell:
            line = ["sh", "-c", f'"$@" {shell}', "sh", *line]
        return subprocess.run(
            line, env=env, cwd=tmp_path / "work", capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip

    return call


@pytest.fixture
def mini(clew: Clew, tmp_path: Path) -> Path:
    """The state of a profile of one's own that is on; its compiled form lies in `profiles`."""
    (tmp_path / "mini.toml").write_text(OWN, "utf-8")
    assert clew("init", str(tmp_path / "mini.toml")).returncode == 0
    assert clew("resume", "--profile", "mini").returncode == 0
    clew("turn", "--profile", "mini")
    return tmp_path / "state" / "mini.json"


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# ---- profiles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["read", "turn", "pause", "doctor"])
def test_A5_a_shipped_profile_is_found_when_the_state_folder_is_a_file(
    verb: str, clew: Clew, tmp_path: Path
) -> None:
    (tmp_path / "state").write_text("", "utf-8")
    done = clew(verb, "--profile", NAME)
    assert "Traceback" not in done.stderr and "error_code" not in done.stdout
    if verb in ("read", "turn"):
        assert done.returncode == 0 and answer(done)["active"] is False


@pytest.mark.skipif(os.geteuid() == 0, reason="root looks into every folder")
@pytest.mark.parametrize("verb", ["read", "turn", "doctor"])
def test_A5_a_shipped_profile_is_found_when_the_state_folder_is_closed(
    verb: str, clew: Clew, tmp_path: Path
) -> None:
    (tmp_path / "state").mkdir(mode=0)
    done = clew(verb, "--profile", NAME)
    assert "error_code" not in done.stdout
    assert done.returncode == (1 if verb == "doctor" else 0)


def without(part: str) -> Callable[[dict[str, Any]], str]:
    return lambda profile: json.dumps({k: v for k, v in profile.items() if k != part})


DAMAGES: dict[str, Callable[[dict[str, Any]], str]] = {
    "empty": lambda profile: "",
    "torn": lambda profile: json.dumps(profile)[:200],
    "only its format": lambda profile: '{"format": 1}',
    "another format": lambda profile: json.dumps({**profile, "format": 2}),
    "no guards": without("guards"),
    "no events": without("events"),
    "a version in words": lambda profile: json.dumps({**profile, "version": "1"}),
    "another name": lambda profile: json.dumps({**profile, "name": "other"}),
    "fields that are none": lambda profile: json.dumps({**profile, "fields": {"active": 1}}),
    "a huge number": lambda profile: '{"format": ' + "1" * 5000 + "}",
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_A5_a_damaged_profile_of_ones_own_fails_no_conversation_and_no_opt_out(
    kind: str, clew: Clew, mini: Path
) -> None:
    compiled = mini.parent / "profiles" / "mini.json"
    compiled.write_text(DAMAGES[kind](json.loads(compiled.read_text("utf-8"))), "utf-8")
    before = mini.read_bytes()
    for words in (("read",), ("turn",), ("read", "--hook"), ("turn", "--hook")):
        done = clew(*words, "--profile", "mini")
        assert done.returncode == 0 and str(compiled) in done.stderr, done
        assert done.stdout == "" if "--hook" in words else answer(done)["active"] is False
        assert mini.read_bytes() == before
    assert clew("read", "--profile", "mini", "--strict").returncode == 2
    done = clew("pause", "--profile", "mini")
    assert done.returncode == 0 and answer(done) == {"status": "ok", "active": False}
    found = json.loads(mini.read_text("utf-8"))
    assert found["active"] is False and found["n"] == 1
    assert json.loads(mini.with_name("mini.json.bak").read_text("utf-8"))["active"] is False
    done = clew("doctor", "--profile", "mini")
    assert done.returncode == 1 and answer(done)["checks"][0]["check"] == "profile"
    done = clew("profiles")
    assert done.returncode == 0 and str(compiled) in done.stderr
    assert NAME in [one["name"] for one in answer(done)["profiles"]]


def test_A5_an_opt_out_without_a_profile_beats_an_opt_in_that_waits(clew: Clew, mini: Path) -> None:
    clew("pause", "--profile", "mini")
    mini.with_name("mini.json.tmp").write_text("", "utf-8")
    state = json.loads(mini.read_text("utf-8"))
    line = {"id": "w", "at": "2026-05-08T10:12:34Z", "sent": 1, "rev": state["_clew"]["revision"],
            "on": False, "op": "event", "name": "opt_in", "args": {}, "file": str(mini)}  # fmt: skip
    mini.with_name("mini.json.pending").write_text(json.dumps(line) + "\n", "utf-8")
    assert answer(clew("read", "--profile", "mini"))["active"] is True
    compiled = mini.parent / "profiles" / "mini.json"
    whole = compiled.read_bytes()
    compiled.write_bytes(b"{")
    assert clew("pause", "--profile", "mini").returncode == 0
    compiled.write_bytes(whole)
    assert answer(clew("read", "--profile", "mini"))["active"] is False
    assert answer(clew("turn", "--profile", "mini"))["active"] is False


def test_a_profile_that_takes_the_place_of_a_shipped_one_is_told(
    clew: Clew, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(OWN.replace('"mini"', f'"{NAME}"'), "utf-8")
    assert "in place of the shipped one" in clew("init", str(file)).stderr


def test_E4_a_seed_for_a_state_that_is_there_is_told_to_be_kept(clew: Clew) -> None:
    assert clew("init", NAME, "--seed", "one").stderr == ""
    assert "keeps its seed" in clew("init", NAME, "--seed", "two").stderr


# ---- terminals and streams -----------------------------------------------------------------------


class Screen:
    """A terminal that a person looks at."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        return


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch, env: dict[str, str], tmp_path: Path) -> Screen:
    for name in ("HOME", "TMPDIR", "CLEW_LANG", "CLEW_STATE_DIR"):
        monkeypatch.setenv(name, env[name])
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.chdir(tmp_path)
    return Screen()


def on_screen(screen: Screen, *words: str) -> int:
    with contextlib.redirect_stdout(screen):  # type: ignore[type-var]
        return sidecar.main(list(words))


@pytest.mark.parametrize(
    ("words", "code"),
    [(("frobnicate",), 2), (("init", "--bogus"), 2), (("simulate", "x", "y", "z"), 2),
     (("wire", "--nope"), 2), (("check-profile", "mini.toml"), 0), (("profiles",), 0), ((), 2)],
)  # fmt: skip
def test_B3_nothing_crashes_on_a_terminal(
    words: tuple[str, ...], code: int, screen: Screen, tmp_path: Path
) -> None:
    (tmp_path / "mini.toml").write_text(OWN, "utf-8")
    assert on_screen(screen, *words) == code
    if words[:1] == ("check-profile",):
        assert "guards: 0" in screen.text


def test_E4_a_bare_value_cannot_steer_a_terminal(screen: Screen, tmp_path: Path) -> None:
    profile = OWN.replace(
        'n = { type = "int", min = 0, default = 0 }',
        'n = { type = "int", min = 0, default = 0 }\nname = { type = "text", default = "" }',
    )
    (tmp_path / "mini.toml").write_text(profile, "utf-8")
    assert on_screen(screen, "init", "mini.toml") == 0
    assert on_screen(screen, "set", "name", "\x1b]0;owned\x07 名", "--profile", "mini") == 0
    screen.text = ""
    assert on_screen(screen, "read", "--field", "name", "--profile", "mini") == 0
    assert screen.text == "\ufffd]0;owned\ufffd 名\n"


def test_B4_no_stream_is_no_terminal() -> None:
    assert config.fancy(None) is False


@pytest.mark.parametrize("shell", [">&-", ">/dev/full", ">&- 2>&-"])
def test_B4_a_turn_counts_although_nobody_can_hear_its_answer(
    shell: str, clew: Clew, mini: Path
) -> None:
    done = clew("turn", "--profile", "mini", shell=shell)
    assert json.loads(mini.read_text("utf-8"))["n"] == 2
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and "novel" not in done.stderr
    if "2>&-" not in shell:
        assert "clew sidecar read" in done.stderr


@pytest.mark.parametrize("shell", [">&-", ">/dev/full", ">&- 2>&-"])
def test_B4_a_bundle_ends_with_an_exit_code_of_its_own(
    shell: str, clew: Clew, env: dict[str, str], tmp_path: Path
) -> None:
    assert clew("bundle", NAME, "--out", str(tmp_path / "b.py")).returncode == 0
    for words in ("resume", "turn", "--help"):
        line = f'"{sys.executable}" "{tmp_path}/b.py" {words} {shell}'
        done = subprocess.run(
            ["sh", "-c", line], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1 and "Traceback" not in done.stderr
    state = json.loads((tmp_path / "state" / f"{NAME}.json").read_text("utf-8"))
    assert state["active"] is True and state["_clew"]["turns"] == 1


# ---- what is somebody's data ---------------------------------------------------------------------


def test_E1_data_that_names_the_program_is_left_as_it_is(
    clew: Clew, env: dict[str, str], tmp_path: Path
) -> None:
    odd = tmp_path / 'q"x\\y'
    odd.mkdir()
    (tmp_path / "mini.toml").write_text(
        OWN.replace("n = { type", 'name = { type = "text", default = "" }\nn = { type'), "utf-8"
    )
    assert clew("bundle", str(tmp_path / "mini.toml"), "--out", str(odd / "b.py")).returncode == 0

    def bundle(*words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, str(odd / "b.py"), *words]
        return subprocess.run(line, env=env, capture_output=True, text=True, check=False)

    assert bundle("set", "name", "run clew sidecar now").returncode == 0
    assert answer(bundle("read"))["state"]["name"] == "run clew sidecar now"
    refused = answer(bundle("frobnicate"))
    assert refused["faults"][0]["hint"] == f"python3 {odd / 'b.py'} --help"


def test_E4_an_opt_out_that_is_lost_is_not_told_as_done(
    clew: Clew, mini: Path, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("create", "write_at", "make_dir"):
        monkeypatch.setattr(Files, name, full)
    assert on_screen(screen, "pause", "--profile", "mini", "--json") == 1
    said = json.loads(screen.text)
    assert (said["status"], said["active"], "changed" in said) == ("lost", True, False)


# ---- wiring --------------------------------------------------------------------------------------


def test_a_profile_that_takes_a_field_otherwise_needs_a_new_version(
    clew: Clew, tmp_path: Path
) -> None:
    file = tmp_path / "mini.toml"
    file.write_text(OWN, encoding="utf-8")
    assert clew("init", str(file)).returncode == 0
    taken = next((tmp_path / "state" / "profiles").glob("mini.json"))
    before = taken.read_bytes()
    changed = OWN.replace('"int", min = 0, default = 0', '"text", default = "x"')
    changed = changed.replace('change = [{ add = "n", by = 1 }]', "")
    file.write_text(changed, encoding="utf-8")
    refused = clew("init", str(file))
    assert refused.returncode == 2
    assert answer(refused)["faults"][0]["path"] == "fields.n.type"
    assert taken.read_bytes() == before
    file.write_text(changed.replace("version = 1", "version = 2"), encoding="utf-8")
    assert clew("init", str(file)).returncode == 0
    assert taken.read_bytes() != before


@pytest.mark.parametrize(("lang", "word"), [("zh", "已到边界"), ("en", "bound")])
def test_what_a_full_counter_held_is_told_in_one_language(
    clew: Clew, tmp_path: Path, env: dict[str, str], lang: str, word: str
) -> None:
    full = OWN.replace("min = 0, default", "min = 0, max = 1, default")
    (tmp_path / "mini.toml").write_text(full, encoding="utf-8")
    env["CLEW_LANG"] = lang
    clew("init", str(tmp_path / "mini.toml"))
    clew("resume", "--profile", "mini")
    clew("turn", "--profile", "mini")
    (held,) = answer(clew("turn", "--profile", "mini"))["held"]
    assert set(held) >= {"code", "message"} and not {"zh", "en"} & set(held)
    assert word in held["message"]


@pytest.mark.parametrize(("lang", "word"), [("zh", "键=值"), ("en", "key=value")])
def test_help_of_a_verb_explains_its_options(clew: Clew, lang: str, word: str) -> None:
    shown = clew("event", "--help", "--lang", lang).stdout
    assert "event NAME" in shown and word in shown and "--scope" in shown
    assert "check-profile" not in shown
    whole = clew("--help", "--lang", lang).stdout
    assert "check-profile" in whole and "--tools" not in whole


def test_every_option_has_a_meaning() -> None:
    taken = {name for own, _ in [*VERBS.values(), *MORE.values()] for name in own} | set(COMMON)
    assert taken == set(OPTIONS)


def test_a_hook_tells_a_session_of_its_own_which_one_it_is(
    clew: Clew, tmp_path: Path, env: dict[str, str]
) -> None:
    (tmp_path / "mini.toml").write_text(OWN, encoding="utf-8")
    clew("init", str(tmp_path / "mini.toml"))
    line = ("--profile", "mini", "--scope", "session")
    clew("resume", *line, "--session", "a1b2")
    told = {}
    for scope in ("session", "user"):
        (tmp_path / "in").write_text('{"session_id": "a1b2"}', encoding="utf-8")
        words = ["read", "--hook", "--profile", "mini", "--scope", scope]
        told[scope] = clew(*words, shell=f"< {tmp_path / 'in'}").stdout
    assert told["session"].endswith("; --session a1b2\n")
    assert told["user"] == ""


def test_E2_a_file_that_was_not_taken_in_is_not_wired(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "mini.toml").write_text(OWN, "utf-8")
    done = clew("wire", str(tmp_path / "mini.toml"), "--yes")
    assert done.returncode == 1 and answer(done)["error_code"] == "sidecar_not_taken_in"
    clew("init", str(tmp_path / "mini.toml"))
    assert clew("wire", str(tmp_path / "mini.toml"), "--yes").returncode == 0


def test_E2_hooks_carry_where_the_state_lies(
    clew: Clew, env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "work" / ".claude").mkdir()
    done = clew("wire", NAME, "--yes", "--file", "st.json", "--session", "a b")
    assert done.returncode == 0
    settings = json.loads((tmp_path / "work" / ".claude" / "settings.json").read_text("utf-8"))
    [command] = [
        handler["command"] for group in settings["hooks"]["Stop"] for handler in group["hooks"]
    ]
    assert f"--file {tmp_path}/work/st.json" in command
    assert "--session 'a b'" in command and f"--state-dir {tmp_path}/state" in command
    clew("resume", "--profile", NAME, "--file", "st.json")
    bare = {k: v for k, v in env.items() if k != "CLEW_STATE_DIR"}
    subprocess.run(["sh", "-c", command], env=bare, cwd="/", check=True, input=b"{}")
    state = json.loads((tmp_path / "work" / "st.json").read_text("utf-8"))
    assert state["_clew"]["turns"] == 1


def test_a_patch_that_is_no_object_says_so(clew: Clew, mini: Path, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text("[]", "utf-8")
    done = clew("patch", str(tmp_path / "p.json"), "--profile", "mini")
    assert done.returncode == 2 and "it is no JSON object" in answer(done)["message"]


def test_the_state_folder_can_be_named_in_a_call(clew: Clew, tmp_path: Path) -> None:
    assert clew("resume", "--profile", NAME, "--state-dir", str(tmp_path / "s2")).returncode == 0
    assert (tmp_path / "s2" / f"{NAME}.json").exists()
    assert not (tmp_path / "state").exists()
