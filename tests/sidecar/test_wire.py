"""Wiring: the difference is shown first, the settings around it stay, and it is taken out exactly."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clew.faces.cli.main import main

NAME = "smoking-persona"
OTHER = "study-companion"

SETTINGS = {
    "nothing": "{}\n",
    "others": '{\n  "model": "x",\n  "hooks": {\n    "Stop": [\n'
    '      {"hooks": [{"type": "command", "command": "mine"}]}\n    ]\n  }\n}\n',
    "tabs": '{\n\t"permissions": {"allow": ["Bash(ls:*)"]},\n\t"big": 1.50e3\n}',
    "one line": '{"a":1,"hooks":{}}',
    "CRLF": '{\r\n  "a": "\\u4e2d"\r\n}\r\n',
    "empty lists": '{\n  "hooks": {\n    "Stop": [],\n    "UserPromptSubmit": []\n  }\n}\n',
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    for name in ("CLAUDE_PROJECT_DIR", "CLEW_SIDECAR", "CLEW_SESSION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLEW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("CLEW_LANG", "en")
    monkeypatch.chdir(root)
    return root


class Wirer:
    def __init__(self, root: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.settings = root / ".claude" / "settings.json"
        self.record = root / ".claude" / "clew-sidecar.json"
        self.capfd = capfd

    def __call__(self, *words: str) -> tuple[int, dict[str, Any]]:
        code = main(["sidecar", "wire", *words])
        found: dict[str, Any] = json.loads(self.capfd.readouterr().out)
        return code, found

    def put(self, text: str) -> bytes:
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_bytes(text.encode())
        return text.encode()

    def commands(self) -> dict[str, list[str]]:
        hooks = json.loads(self.settings.read_text("utf-8")).get("hooks", {})
        return {
            event: [h["command"] for group in groups for h in group["hooks"]]
            for event, groups in hooks.items()
        }


@pytest.fixture
def wire(project: Path, capfd: pytest.CaptureFixture[str]) -> Wirer:
    return Wirer(project, capfd)


def test_nothing_is_written_before_it_was_shown_and_confirmed(wire: Wirer) -> None:
    code, answer = wire(NAME)
    assert (code, answer["status"]) == (1, "needs_confirmation")
    assert "UserPromptSubmit" in answer["diff"] and "Stop" in answer["diff"]
    assert answer["allowed_tools"].startswith("allowed-tools: Bash(clew sidecar read:*)")
    assert not wire.settings.exists() and not wire.record.exists()


def test_it_is_taken_out_without_a_trace(wire: Wirer) -> None:
    assert wire(NAME, "--yes")[0] == 0
    assert {event: len(lines) for event, lines in wire.commands().items()} == {
        "UserPromptSubmit": 1, "Stop": 1,
    }  # fmt: skip
    code, answer = wire(NAME, "--yes")
    assert (code, answer["changed"]) == (0, False)
    assert wire(NAME, "--remove", "--yes")[0] == 0
    assert not wire.settings.exists() and not wire.record.exists()
    assert wire(NAME, "--remove", "--yes") == (0, {
        "status": "ok", "profile": NAME, "settings": str(wire.settings), "wired": False,
        "changed": False,
    })  # fmt: skip


@pytest.mark.parametrize("kind", SETTINGS)
def test_settings_that_were_there_come_back_to_the_last_byte(kind: str, wire: Wirer) -> None:
    before = wire.put(SETTINGS[kind])
    assert wire(NAME, "--yes")[0] == 0
    kept = json.loads(before)
    found = json.loads(wire.settings.read_bytes())
    kept.pop("hooks", None)
    found.pop("hooks", None)
    assert found == kept
    assert wire(NAME, "--remove", "--yes")[0] == 0
    assert wire.settings.read_bytes() == before
    assert not wire.record.exists()


@pytest.mark.parametrize("kind", SETTINGS)
def test_after_an_edit_by_hand_only_ours_is_taken_out(kind: str, wire: Wirer) -> None:
    wire.put(SETTINGS[kind])
    wire(NAME, "--yes")
    mine = {event: lines for event, lines in wire.commands().items() if lines[0] == "mine"}
    found = json.loads(wire.settings.read_bytes())
    found["added"] = [1, 2]
    found["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    wire.settings.write_text(json.dumps(found), "utf-8")
    assert wire(NAME, "--remove", "--yes")[0] == 0
    after = json.loads(wire.settings.read_bytes())
    assert after["added"] == [1, 2]
    left = [line for lines in wire.commands().values() for line in lines]
    assert left == [*(line for lines in mine.values() for line in lines if line == "mine"), "later"]


@pytest.mark.parametrize("first", [NAME, OTHER])
def test_two_skills_do_not_disturb_each_other(first: str, wire: Wirer) -> None:
    before = wire.put(SETTINGS["others"])
    wire(NAME, "--yes")
    wire(OTHER, "--yes")
    assert len(wire.commands()["Stop"]) == 3
    second = OTHER if first == NAME else NAME
    wire(first, "--remove", "--yes")
    assert len(wire.commands()["Stop"]) == 2
    assert second in wire.commands()["Stop"][1]
    wire(second, "--remove", "--yes")
    assert json.loads(wire.settings.read_bytes()) == json.loads(before)
    assert not wire.record.exists()


def test_two_skills_in_settings_of_our_own_leave_nothing(wire: Wirer) -> None:
    wire(NAME, "--yes")
    wire(OTHER, "--yes")
    wire(NAME, "--remove", "--yes")
    wire(OTHER, "--remove", "--yes")
    assert not wire.settings.exists() and not wire.record.exists()


def test_a_changed_call_replaces_the_old_one(wire: Wirer) -> None:
    wire(NAME, "--yes")
    wire(NAME, "--yes", "--scope", "session")
    assert all(len(lines) == 1 for lines in wire.commands().values())
    assert all(" --scope session --state-dir " in lines[0] for lines in wire.commands().values())
    wire(NAME, "--remove", "--yes")
    assert not wire.settings.exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "\0"])
def test_settings_that_have_no_room_are_refused_and_stay(text: str, wire: Wirer) -> None:
    before = wire.put(text)
    code, answer = wire(NAME, "--yes")
    assert code == 2 and answer["status"] == "error" and answer["faults"]
    assert wire.settings.read_bytes() == before and not wire.record.exists()


def test_a_record_that_makes_no_sense_is_told(wire: Wirer) -> None:
    wire(NAME, "--yes")
    wire.record.write_text('{"format": "other"}', "utf-8")
    code, answer = wire(NAME, "--remove", "--yes")
    assert code == 2 and answer["error_code"] == "sidecar_record_unreadable"
    wire.record.unlink()
    assert wire(NAME, "--remove", "--yes")[0] == 0
    assert wire.commands() in ({}, {"UserPromptSubmit": [], "Stop": []})


def test_the_home_folder_is_wired_only_when_it_is_meant(
    wire: Wirer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    code, answer = wire(NAME, "--yes")
    assert code == 2 and "--user" in answer["message"]
    assert wire(NAME, "--yes", "--user")[0] == 0
    assert (tmp_path / "home" / ".claude" / "settings.json").exists()


def test_the_hooks_that_are_written_run(wire: Wirer, tmp_path: Path) -> None:
    """As the agent's host runs them: by a shell, with JSON on stdin."""
    main(["sidecar", "resume", "--profile", NAME])
    wire.capfd.readouterr()
    wire(NAME, "--yes")
    told = json.dumps({"session_id": "s", "prompt_id": "p", "last_assistant_message": "hello"})

    def run(event: str) -> subprocess.CompletedProcess[str]:
        [line] = wire.commands()[event]
        return subprocess.run(
            line, shell=True, input=told, capture_output=True, text=True, cwd="/", check=False,
            env={**os.environ, "PATH": "/usr/bin:/bin"},
        )  # fmt: skip

    before = run("UserPromptSubmit")
    assert (before.returncode, before.stderr) == (0, "")
    assert before.stdout.startswith(f"{NAME}: {{") and len(before.stdout) < 1_500
    for _ in range(2):
        after = run("Stop")
        assert (after.returncode, after.stdout, after.stderr) == (0, "", "")
    state = json.loads((tmp_path / "state" / f"{NAME}.json").read_text("utf-8"))
    assert state["wallet_yuan"] == 1
