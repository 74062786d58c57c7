"""The shims: a writing skill calls clew by the paths it knows, and gets its own files back.

The skill's Python is the bare one that the environment was made from, without site packages: it
has no clew, as on an author's machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.kernel.errors import ClewError
from clew.novel.shims import SCRIPTS, Shims, run, text
from clew.testing.novel import begin_book, chapter, init_document, refusal, state_of, tree

BARE = [getattr(sys, "_base_executable", sys.executable), "-I", "-S"]
"""A Python 3 that has no clew: isolated, and without site packages."""
OLD = {
    "scripts/storyctl.py": b"#!/usr/bin/env python3\r\nprint('skill\xff')\r\n",
    "scripts/tracking_commit.py": b"print('old')",
    "scripts/other.py": b"print('other')",
    "SKILL.md": "技能".encode(),
}


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill folder with scripts of its own."""
    root = tmp_path / "技能 skill"
    for name, data in OLD.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "scripts/storyctl.py").chmod(0o755)
    (root / "scripts/tracking_commit.py").chmod(0o640)
    return root


def act(action: Any, skill: Path) -> Shims:
    return run(action, str(skill), sys.executable)


def states(skill: Path) -> list[str]:
    return [shim.state for shim in act("status", skill).shims]


def script(
    skill: Path, name: str, *argv: object, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    line = [*BARE, str(skill / "scripts" / f"{name}.py"), *map(str, argv)]
    return subprocess.run(
        line, cwd=cwd, capture_output=True, timeout=60, check=False,
        env={**os.environ, "CLEW_LANG": "zh", **(env or {})},
    )  # fmt: skip


# ---- files ---------------------------------------------------------------------------------------


def test_install_keeps_what_it_replaces_and_uninstall_puts_it_back_byte_for_byte(
    skill: Path,
) -> None:
    before = tree(skill)
    modes = {name: (skill / name).stat().st_mode for name in OLD}
    assert states(skill) == ["replaced", "replaced"]
    installed = act("install", skill)
    assert [(s.state, s.kept) for s in installed.shims] == [
        ("installed", f"scripts/{name}.py.before-clew") for name in SCRIPTS
    ]
    for name in SCRIPTS:
        kept = skill / f"scripts/{name}.py.before-clew"
        assert kept.read_bytes() == OLD[f"scripts/{name}.py"]
    assert (skill / "scripts/other.py").read_bytes() == OLD["scripts/other.py"]
    assert [s.state for s in act("uninstall", skill).shims] == ["replaced", "replaced"]
    assert tree(skill) == before
    assert {name: (skill / name).stat().st_mode for name in OLD} == modes


def test_a_skill_without_scripts_gets_them_and_loses_them_again(tmp_path: Path) -> None:
    skill = tmp_path / "empty"
    skill.mkdir()
    assert states(skill) == ["missing", "missing"]
    assert [s.state for s in act("install", skill).shims] == ["installed", "installed"]
    act("uninstall", skill)
    assert states(skill) == ["missing", "missing"]
    assert [name for name in tree(skill) if not name.endswith("/")] == []


def test_install_twice_is_install_once(skill: Path) -> None:
    act("install", skill)
    before = tree(skill)
    act("install", skill)
    assert tree(skill) == before


def test_status_changes_nothing(skill: Path) -> None:
    for action in ("status", "install", "status"):
        before = tree(skill)
        act(action, skill)
        assert (tree(skill) == before) == (action == "status")


def test_an_update_of_the_skill_is_told_and_the_next_install_keeps_both_old_files(
    skill: Path,
) -> None:
    act("install", skill)
    (skill / "scripts/storyctl.py").write_bytes(b"print('newer')")
    assert states(skill) == ["replaced", "installed"]
    act("install", skill)
    assert states(skill) == ["installed", "installed"]
    kept = {p.read_bytes() for p in (skill / "scripts").glob("storyctl.py.before-clew*")}
    assert kept == {OLD["scripts/storyctl.py"], b"print('newer')"}
    act("uninstall", skill)
    assert (skill / "scripts/storyctl.py").read_bytes() == b"print('newer')"


@pytest.mark.parametrize("name", SCRIPTS)
def test_uninstall_of_a_file_that_is_not_ours_is_refused_and_leaves_both_as_they_are(
    skill: Path, name: str
) -> None:
    act("install", skill)
    (skill / f"scripts/{name}.py").write_bytes(b"print('newer')")
    error = refusal(skill, lambda: act("uninstall", skill))
    assert error.code == "shim_replaced"
    assert f"{name}.py" in error.faults[0].message("zh")


def test_a_shim_of_another_environment_is_outdated_and_install_renews_it(skill: Path) -> None:
    run("install", str(skill), "/nowhere/bin/python")
    assert states(skill) == ["outdated", "outdated"]
    act("install", skill)
    assert states(skill) == ["installed", "installed"]
    assert (skill / "scripts/storyctl.py.before-clew").read_bytes() == OLD["scripts/storyctl.py"]


def test_a_skill_folder_that_is_not_there_is_missing(tmp_path: Path) -> None:
    for action in ("install", "status", "uninstall"):
        with pytest.raises(ClewError) as refused:
            act(action, tmp_path / "nowhere")
        assert refused.value.code == "missing_file"


def test_a_scripts_folder_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    skill, other = tmp_path / "skill", tmp_path / "other"
    skill.mkdir()
    other.mkdir()
    (skill / "scripts").symlink_to(other)
    error = refusal(other, lambda: act("install", skill))
    assert error.code == "unsafe_path"


def test_a_shim_is_plain_python_that_any_version_3_reads() -> None:
    import ast

    for name in SCRIPTS:
        source = text(name, '/opt/"py"/bin/python')
        ast.parse(source, feature_version=(3, 6))
        assert "import clew" not in source and "from clew" not in source


# ---- running -------------------------------------------------------------------------------------


def test_the_bare_python_has_no_clew() -> None:
    done = subprocess.run(
        [*BARE, "-c", "import clew"], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 1


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book with a body, an outline and a transaction, not started."""
    root = tmp_path / "渡口 旧账"
    files = {
        "大纲/细纲_第001章_渡口.md": "# 第1章：渡口\n字数目标：40\n字数口径：visible_chars_v1\n",
        "正文/第001章_渡口.md": "# 第1章 渡口\n\n" + "渡" * 39 + "。\n",
        ".story/work/init.json": json.dumps(init_document()),
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


def test_the_printed_lines_run_as_they_stand(skill: Path, book: Path, tmp_path: Path) -> None:
    """«运行工具», line by line, from a folder that is neither the book nor the skill."""
    act("install", skill)
    work = book / ".story/work"

    def go(name: str, *argv: object) -> tuple[int, Any]:
        done = script(skill, name, *argv, cwd=tmp_path)
        return done.returncode, json.loads(done.stdout)

    project = ["--project", book]
    keys = {"last_committed_chapter", "state_revision"}
    code, found = go("tracking_commit", "init", *project, "--input", work / "init.json")
    assert (code, set(found)) == (0, keys)
    code, found = go("tracking_commit", "check", *project)
    assert (code, found) == (0, {"last_committed_chapter": 0, "state_revision": 0})
    code, found = go("tracking_commit", "draft", *project, "--chapter", 1)
    draft = work / "第001章" / "tracking.json"
    assert (code, draft.exists()) == (0, True)
    document = json.loads(draft.read_bytes())
    document["delta"]["result"] = "写完了"
    document["chapter_title"] = document["chapter_title"] or "渡口"
    document["context"]["position"] |= {"story_time": "立秋", "scene": "码头"}
    draft.write_text(json.dumps(document), encoding="utf-8")
    bounds = ["--min-chars", 50, "--max-chars", 60]
    code, found = go("storyctl", "chapter", "check", *project, "--chapter", 1)
    assert (code, found["status"]) == (0, "ready")
    code, found = go("storyctl", "chapter", "check", *project, "--chapter", 1, *bounds)
    assert (code, found["status"], found["length"]["band_source"]) == (
        0,
        "needs_decision",
        "author",
    )
    line = ["chapter", "accept-current-length", *project, "--chapter", 1, "--input", draft]
    code, found = go("storyctl", *line)
    assert (code, found["schema"], found["status"]) == (2, "story-chapter-error/v1", "error")
    line = ["chapter", "commit", *project, "--chapter", 1, "--input", draft]
    code, found = go("storyctl", *line)
    assert (code, found["tracking_committed"], found["work_dir_removed"]) == (
        0, True, ".story/work/第001章",
    )  # fmt: skip


def test_the_exit_code_and_both_streams_pass_through(
    skill: Path, book: Path, tmp_path: Path
) -> None:
    act("install", skill)
    missing = script(skill, "tracking_commit", "check", "--project", book, cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (2, b"")
    assert missing.stderr.decode().startswith("ERROR: ")
    begin_book(book)
    (book / "正文/第001章_渡口.md").write_text("# 第1章\n\n他慢慢地", encoding="utf-8")
    blocked = script(
        skill, "storyctl", "chapter", "check", "--project", book, "--chapter", 1, cwd=book
    )
    assert (blocked.returncode, json.loads(blocked.stdout)["status"]) == (1, "blocked")
    usage = script(skill, "storyctl", "chapter", cwd=book)
    assert (usage.returncode, json.loads(usage.stdout)["error_code"]) == (2, "INVALID_ARGUMENT")


def test_the_low_level_commit_goes_through_the_shim(skill: Path, book: Path) -> None:
    act("install", skill)
    ledger = begin_book(book)
    path = book / "tx.json"
    path.write_text(json.dumps(chapter(state_of(ledger))), encoding="utf-8")
    done = script(
        skill, "tracking_commit", "commit", "--project", ".", "--input", "tx.json", cwd=book
    )
    assert json.loads(done.stdout) == {"last_committed_chapter": 1, "state_revision": 1}


def test_a_shim_whose_clew_is_gone_says_so_and_leaves_with_3(skill: Path, tmp_path: Path) -> None:
    run("install", str(skill), str(tmp_path / "gone" / "python"))
    done = script(skill, "storyctl", "chapter", "check", cwd=tmp_path, env={"PATH": str(tmp_path)})
    assert done.returncode == 3
    assert done.stderr.decode().startswith("ERROR: ")


def test_a_book_from_elsewhere_does_not_put_its_own_modules_into_clew(
    skill: Path, book: Path
) -> None:
    """A file in the folder where the user stands is never imported by the shim's clew."""
    act("install", skill)
    begin_book(book)
    for name in ("msgspec", "clew", "tomllib", "argparse"):
        (book / f"{name}.py").write_text(
            f"open('ran-{name}', 'w').close()\nraise SystemExit(7)\n", encoding="utf-8"
        )
    done = script(skill, "tracking_commit", "check", "--project", ".", cwd=book)
    assert [p.name for p in book.glob("ran-*")] == []
    assert (done.returncode, json.loads(done.stdout)["state_revision"]) == (0, 0)
