"""Where a state lies: scopes, environment, projects, names that come from elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew.sidecar.place import (
    absolute,
    is_name,
    locate,
    project_root,
    runtime_rooms,
    session_name,
    state_folder,
)


def test_the_default_lies_in_the_home() -> None:
    environ = {"HOME": "/home/ada"}
    assert locate("x", environ=environ, cwd="/w").path == "/home/ada/.claude/state/x.json"
    assert state_folder({"USERPROFILE": "/u"}, "/w") == "/u/.claude/state"


def test_the_environment_and_the_option_change_it() -> None:
    environ = {"HOME": "/home/ada", "CLEW_STATE_DIR": "~/elsewhere"}
    assert locate("x", environ=environ, cwd="/w").path == "/home/ada/elsewhere/x.json"
    assert state_folder({"HOME": "/h", "CLEW_STATE_DIR": "states"}, "/w") == "/w/states"
    assert state_folder({"HOME": "/h", "CLEW_STATE_DIR": ""}, "/w") == "/h/.claude/state"
    for given, found in (("s.json", "/w/s.json"), ("~/s.json", "/home/ada/s.json"), ("/s", "/s")):
        assert locate("x", file=given, environ=environ, cwd="/w").path == found


def test_a_project_is_the_nearest_folder_with_claude_or_git(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "home" / "code" / "project"
    (home / ".claude").mkdir(parents=True)
    (project / "src").mkdir(parents=True)
    environ = {"HOME": str(home)}
    assert project_root(environ, str(project / "src")) == str(project / "src")
    (project / ".git").mkdir()
    assert project_root(environ, str(project / "src")) == str(project)
    (project / "src" / ".claude").mkdir()
    assert project_root(environ, str(project / "src")) == str(project / "src")
    told = {**environ, "CLAUDE_PROJECT_DIR": str(project)}
    assert project_root(told, "/") == str(project)
    place = locate("x", scope="project", environ=told, cwd="/")
    assert (place.path, place.inside) == (f"{project}/.claude/state/x.json", str(project))


@pytest.mark.parametrize("text", ["gitdir: /gone/.git/worktrees/x", "gitdir:", "\0\0", "x" * 9_000])
def test_a_git_file_that_leads_nowhere_is_no_project_of_its_own(text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").write_text(text, "utf-8")
    assert project_root({"HOME": "/h"}, str(tmp_path)) == str(tmp_path)


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".x", "X", "a b", "x" * 81, "名", "-x"])
def test_a_name_that_is_no_file_name_is_refused(name: str) -> None:
    assert not is_name(name)
    with pytest.raises(ValueError, match="profile"):
        locate(name, environ={"HOME": "/h"}, cwd="/")


@pytest.mark.parametrize("session", ["..", "/etc/passwd", "a\0b", "会话", "x" * 500, "A", "\ud800"])
def test_any_session_id_becomes_a_folder_of_its_own(session: str) -> None:
    name = session_name(session)
    assert is_name(name)
    assert session_name(session) == name != session_name(session + "x")


def test_a_session_needs_an_id() -> None:
    with pytest.raises(ValueError, match="scope"):
        locate("x", scope="session", environ={"HOME": "/h"}, cwd="/")


def test_rooms_of_the_session() -> None:
    assert runtime_rooms({"XDG_RUNTIME_DIR": "/run/user/7", "TMPDIR": "/t"}) == [
        "/run/user/7", f"/t/clew-{os.geteuid()}",
    ]  # fmt: skip
    assert runtime_rooms({"XDG_RUNTIME_DIR": "relative"})[0].startswith("/tmp/clew-")


def test_paths_are_made_absolute() -> None:
    assert absolute("a/../b", {"HOME": "/h"}, "/w") == "/w/b"
    assert absolute("~", {"HOME": "/h"}, "/w") == "/h"
    assert absolute("~x", {"HOME": "/h"}, "/w") == "/w/~x"


def test_a_working_folder_that_is_gone_stops_nothing(tmp_path: Path) -> None:
    code = (
        "import os, sys; os.chdir(sys.argv[1]); os.rmdir(sys.argv[1])\n"
        "from clew.faces.cli.main import main\n"
        "sys.exit(main(['sidecar', 'read', '--profile', 'study-companion']))"
    )
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, str(gone)], capture_output=True, check=False,
        env={**os.environ, "HOME": str(tmp_path), "CLEW_STATE_DIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_B5_every_name_that_a_profile_may_have_is_a_file_name() -> None:
    """A slug has 80 characters at most."""
    assert is_name("x" * 80)
    assert locate("x" * 80, environ={"HOME": "/h"}, cwd="/").path.endswith("/" + "x" * 80 + ".json")
