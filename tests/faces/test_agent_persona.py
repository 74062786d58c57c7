"""`clew agent … --persona`: skill and hooks of a persona, beside those of a novel, taken away exactly."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from booklet import Answer, call

sys.path.insert(0, str(Path(__file__).parent.parent / "persona"))
from somebody import begin

from clew.faces.agents import persona as persona_hosts
from clew.faces.cli.agent import main
from clew.kernel.clock import system_clock

SETTINGS = {
    "claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
}  # fmt: skip
OURS = '{"theme": "dark",  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}\n'


@pytest.fixture(autouse=True)
def user_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def persona(tmp_path: Path) -> str:
    return begin(tmp_path / "林 昭", system_clock).root  # type: ignore[arg-type]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "项 目"
    root.mkdir()
    return root


def agent(verb: str, host: str, project: Path, *more: object) -> Answer:
    return call(main, verb, host, "--project", project, "--json", *more)


def hooks_of(project: Path, host: str) -> dict[str, Any]:
    return dict(json.loads((project / SETTINGS[host]).read_text(encoding="utf-8"))["hooks"])


def bytes_of(project: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in project.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("host", persona_hosts.HOSTS)
def test_what_is_installed_is_shown_first_and_runs(host: str, project: Path, persona: str) -> None:
    shown = agent("install", host, project, "--persona", persona)
    assert shown.json["status"] == "needs_confirmation" and bytes_of(project) == {}
    assert "hook SessionStart --persona" in shown.json["diff"]
    done = agent("install", host, project, "--persona", persona, "--yes")
    assert done.code == 0
    hooks = hooks_of(project, host)
    assert set(hooks) == {one.event for one in persona_hosts.host_of(host, persona).hooks}
    (handler,) = hooks["SessionStart"][0]["hooks"]
    heard = subprocess.run(
        shlex.split(handler["command"]), input=b'{"session_id": "s1"}', capture_output=True,
        check=True, cwd="/",
    )  # fmt: skip
    assert "渡口的守灯人" in json.loads(heard.stdout)["hookSpecificOutput"]["additionalContext"]
    assert agent("status", host, project, "--persona", persona).json["state"] == "installed"


@pytest.mark.parametrize("host", persona_hosts.HOSTS)
def test_installing_twice_changes_nothing_and_uninstalling_restores_the_bytes(
    host: str, project: Path, persona: str
) -> None:
    path = project / SETTINGS[host]
    path.parent.mkdir()
    path.write_text(OURS, encoding="utf-8")
    before = bytes_of(project)
    agent("install", host, project, "--persona", persona, "--yes")
    installed = bytes_of(project)
    again = agent("install", host, project, "--persona", persona, "--yes")
    assert again.json["changes"] == [] and bytes_of(project) == installed
    assert agent("uninstall", host, project, "--persona", "--yes").code == 0
    assert bytes_of(project) == before


@pytest.mark.parametrize("first", ["novel", "persona"])
def test_the_guard_of_a_novel_and_a_persona_live_side_by_side(
    first: str, project: Path, persona: str
) -> None:
    path = project / SETTINGS["claude"]
    path.parent.mkdir()
    path.write_text(OURS, encoding="utf-8")
    words = {"novel": ["--novel"], "persona": ["--persona", persona]}
    order = ["novel", "persona"] if first == "novel" else ["persona", "novel"]
    for one in order:
        agent("install", "claude", project, *words[one], "--yes")
    assert len(hooks_of(project, "claude")["SessionStart"]) == 2
    assert agent("status", "claude", project).json["state"] == "installed"
    assert agent("status", "claude", project, "--persona", persona).json["state"] == "installed"
    agent("uninstall", "claude", project, "--persona", "--yes")
    hooks = hooks_of(project, "claude")
    assert "--persona" not in json.dumps(hooks) and "PreToolUse" in hooks
    assert agent("status", "claude", project).json["state"] == "installed"
    assert (project / ".claude/skills/clew-novel/SKILL.md").exists()
    assert not (project / ".claude/skills/clew-persona").exists()
    agent("uninstall", "claude", project, "--yes")
    left = json.loads(path.read_text(encoding="utf-8"))
    assert left["hooks"]["Stop"] == json.loads(OURS)["hooks"]["Stop"]
    assert "clew" not in path.read_text(encoding="utf-8")


def test_another_persona_takes_the_place_of_the_one_before(
    project: Path, persona: str, tmp_path: Path
) -> None:
    other = begin(tmp_path / "阿灯", system_clock).root  # type: ignore[arg-type]
    agent("install", "claude", project, "--persona", persona, "--yes")
    assert agent("status", "claude", project, "--persona", other).json["state"] == "outdated"
    done = agent("install", "claude", project, "--persona", other, "--yes").json
    (note,) = [one for one in done["notes"] if one["code"] == "agent_other_persona"]
    assert (note["found"], note["file"]) == (persona, other)
    for groups in hooks_of(project, "claude").values():
        ((handler,),) = [group["hooks"] for group in groups]
        assert other in handler["command"] and persona not in handler["command"]


def test_a_persona_whose_home_is_gone_can_still_be_taken_away(project: Path, persona: str) -> None:
    agent("install", "claude", project, "--persona", persona, "--yes")
    (Path(persona) / "persona.toml").unlink()
    assert agent("status", "claude", project, "--persona", persona).code == 2
    assert agent("uninstall", "claude", project, "--persona", "--yes").code == 0
    assert bytes_of(project) == {}


@pytest.mark.parametrize(
    ("words", "code"),
    [(["opencode", "--persona"], "agent_unknown"), (["claude", "--persona", "nobody"], "no_such_persona"),
     (["claude"], "usage"), (["claude", "--novel", "--persona", "x"], "usage")],
)  # fmt: skip
def test_what_cannot_be_installed_is_refused_and_nothing_is_written(
    project: Path, words: list[str], code: str
) -> None:
    host, *more = words
    refused = agent("install", host, project, *more, "--yes")
    assert refused.code != 0 and refused.json["error_code"] == code
    assert bytes_of(project) == {}


@pytest.mark.parametrize("host", persona_hosts.HOSTS)
def test_a_persona_is_seen_and_taken_away_without_being_named(
    host: str, project: Path, persona: str
) -> None:
    agent("install", host, project, "--persona", persona, "--yes")
    found = agent("status", host, project).json
    assert (found["what"], found["state"], found["home"]) == ("persona", "installed", persona)
    assert agent("status", host, project, "--persona").json["home"] == persona
    assert agent("uninstall", host, project, "--yes").json["what"] == "persona"
    assert bytes_of(project) == {}


def test_of_two_that_are_there_status_shows_both_and_uninstall_asks_which(
    project: Path, persona: str
) -> None:
    agent("install", "claude", project, "--novel", "--yes")
    agent("install", "claude", project, "--persona", persona, "--yes")
    found = agent("status", "claude", project).json
    assert found["what"] == "novel"
    assert [(one["what"], one["home"]) for one in found["others"]] == [("persona", persona)]
    before = bytes_of(project)
    asked = agent("uninstall", "claude", project, "--yes")
    assert asked.code == 2 and asked.json["error_code"] == "agent_both"
    assert bytes_of(project) == before
    agent("uninstall", "claude", project, "--novel", "--yes")
    assert agent("status", "claude", project).json["what"] == "persona"


def test_where_nothing_is_installed_status_says_so_of_both(project: Path) -> None:
    found = agent("status", "claude", project)
    assert found.code == 0
    assert [(one["what"], one["state"]) for one in (found.json, *found.json["others"])] == [
        ("novel", "missing"),
        ("persona", "missing"),
    ]


def test_a_home_that_is_gone_is_told_by_a_status_that_names_nobody(
    project: Path, persona: str
) -> None:
    agent("install", "claude", project, "--persona", persona, "--yes")
    (Path(persona) / "persona.toml").unlink()
    found = agent("status", "claude", project)
    assert found.code == 1 and found.json["state"] == "broken"
    assert [note["code"] for note in found.json["notes"] if note["code"] != "clew_not_on_path"] == [
        "hook_home_gone"
    ]


def test_a_home_is_named_by_its_folder(project: Path, persona: str) -> None:
    assert agent("install", "claude", project, "--home", persona, "--yes").code == 0
    assert agent("status", "claude", project, "--home", persona).json["state"] == "installed"
    both = agent("install", "claude", project, "--home", persona, "--persona", "x", "--yes")
    assert both.json["error_code"] == "usage"


def test_of_several_personas_the_lines_to_type_are_told(
    project: Path, user_home: Path, lang: str
) -> None:
    for name in ("林昭", "Mara Quill"):
        begin(user_home / "clew/personas" / name, system_clock)  # type: ignore[arg-type]
    asked = agent("install", "claude", project, "--persona", "--yes")
    assert asked.json["error_code"] == "agent_which_persona" and bytes_of(project) == {}
    hint = asked.json["faults"][0]["hint"]
    assert "clew agent install claude --persona 林昭" in hint
    assert "clew agent install claude --persona 'Mara Quill'" in hint


@pytest.mark.parametrize("home", ["/a/林 昭", "/a/it's", '/a/"b"', "/plain", "/a\\\\b"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_home_that_hooks_name_is_read_back_from_the_settings(
    home: str, ascii_only: bool
) -> None:
    from clew.faces.agents.hosts import command

    for name in persona_hosts.HOSTS:
        host = persona_hosts.host_of(name, home)
        line = command("/py", "Stop", host.words)
        text = json.dumps({"hooks": {"Stop": [{"command": line}]}}, ensure_ascii=ascii_only)
        assert persona_hosts.home_in(text.encode()) == home
    assert persona_hosts.home_in(b'{"hooks": {"Stop": "say --persona x --host claude"}}') == ""
    assert persona_hosts.home_in(b"\xff") == ""


def test_the_skill_names_commands_that_exist() -> None:
    import re

    from clew.faces.agents import skills
    from clew.kernel.operations import of_noun

    text = skills.shipped("clew-persona")["SKILL.md"].decode()
    verbs = {operation.name.split(".", 1)[1] for operation in of_noun("persona")}
    named = set(re.findall(r"clew persona ([a-z-]+)", text))
    assert named and named <= verbs
    assert text.startswith("---\nname: clew-persona\n")
