"""A bundle: one file that runs alone, on the oldest Python that it promises, the same each time."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from worked import python39

import clew
from clew.sidecar import bundle, shelf
from clew.sidecar.bundle import BundleError, bundled_text, carried

NAMES = ("smoking-persona", "study-companion")


def profile(name: str = NAMES[0]) -> dict[str, Any]:
    return shelf.find(name, {"CLEW_STATE_DIR": "/nowhere"}, "/")


def pythons() -> list[str]:
    """This Python, and the oldest that a bundle is made for, when it is at hand."""
    return [sys.executable, *filter(None, [python39()])]


class Bundled:
    """A bundle in an empty folder, run as a skill's user would, with nothing installed."""

    def __init__(self, folder: Path, python: str, name: str = NAMES[0]) -> None:
        self.folder = folder
        self.python = python
        self.file = folder / "state.py"
        self.file.write_text(bundled_text(profile(name)), "utf-8")
        (folder / "home").mkdir()
        (folder / "empty").mkdir()
        self.state = folder / "home" / ".claude" / "state" / f"{name}.json"

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        env = {"HOME": str(self.folder / "home"), "PATH": "/nowhere", "CLEW_LANG": "en",
               "TMPDIR": str(self.folder)}  # fmt: skip
        return subprocess.run(
            [self.python, "-I", "-S", str(self.file), *words], capture_output=True, text=True,
            encoding="utf-8", input=stdin, cwd=self.folder / "empty", env=env, check=False,
        )  # fmt: skip

    def answer(self, *words: str) -> dict[str, Any]:
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture(params=pythons())
def bundled(request: pytest.FixtureRequest, tmp_path: Path) -> Bundled:
    return Bundled(tmp_path, request.param)


def test_it_runs_with_nothing_installed(bundled: Bundled) -> None:
    assert bundled.answer("read")["status"] == "fresh"
    assert bundled.answer("resume")["active"] is True
    assert bundled.answer("turn", "--chars", "9")["changed"]["wallet_yuan"] == 1
    assert bundled.answer("event", "borrow", "--arg", "amount=30")["changed"]["debt_yuan"] == 30
    assert bundled.answer("set", "user_smokes", "yes")["changed"]["user_smokes"] == "yes"
    assert bundled.answer("show")["file"] == str(bundled.state)
    assert bundled.run("read", "--field", "wallet_yuan").stdout == "31\n"
    assert bundled.answer("pause")["active"] is False
    assert bundled.run("event", "beg").returncode == 1
    assert bundled.answer("resume")["active"] is True
    assert bundled.state.stat().st_mode & 0o777 == 0o600
    kept = bundled.answer("reset")["kept"]
    assert Path(kept).exists() and not bundled.state.exists()
    left = sorted(p.name for p in (bundled.folder / "empty").iterdir())
    assert left == [], "nothing is left where it was called"


def test_it_writes_the_same_state_as_the_package(bundled: Bundled) -> None:
    from clew.sidecar.store import Store

    bundled.answer("resume")
    bundled.answer("turn")
    store = Store(str(bundled.state), profile())
    assert store.read().status == "ok"
    assert store.change(store.entry("turn")).saved
    assert bundled.answer("read")["state"]["wallet_yuan"] == 2


def test_a_damaged_state_is_mended_there_too(bundled: Bundled) -> None:
    bundled.answer("resume")
    bundled.state.write_bytes(b"\0" * 300)
    done = bundled.run("read")
    assert json.loads(done.stdout)["status"] == "recovered"
    assert "broken" in done.stderr


def test_next_steps_are_told_as_they_are_called_there(bundled: Bundled) -> None:
    bundled.answer("resume")
    bundled.state.write_text('{"active": false,}', "utf-8")
    done = bundled.run("read")
    assert f"python3 {bundled.file} resume" in done.stderr
    assert "clew sidecar" not in done.stderr


def test_it_never_shows_a_traceback(bundled: Bundled) -> None:
    for words in (
        ["frob"],
        ["turn", "--chars", "x"],
        ["event"],
        [],
        ["read", "--profile", "other"],
    ):
        done = bundled.run(*words)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
    assert bundled.run("--help").stdout.count("\n") > 10
    hook = bundled.run("turn", "--hook", "--nonsense", stdin="{}")
    assert hook.returncode == 1, "2 would block the user's prompt"


def test_it_comes_before_a_clew_that_is_installed(tmp_path: Path) -> None:
    other = tmp_path / "site" / "clew"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("raise RuntimeError('the wrong one')\n", "utf-8")
    made = Bundled(tmp_path, sys.executable)
    done = subprocess.run(
        [sys.executable, str(made.file), "read", "--file", str(tmp_path / "x.json")],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


# ---- what it is made of --------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_same_profile_gives_the_same_bytes(name: str) -> None:
    text = bundled_text(profile(name), "x.py")
    again = subprocess.run(
        [sys.executable, "-m", "clew.faces.cli.main", "sidecar", "bundle", name],
        capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert again.stdout.decode() == bundled_text(profile(name))
    assert text == bundled_text(profile(name), "x.py")


def test_it_says_that_it_is_generated_and_by_which_clew() -> None:
    head = bundled_text(profile()).split('"""')[1]
    assert "GENERATED" in head and f"clew {clew.__version__}" in head
    assert "version\n7" in head or "version 7" in head
    assert 'CLEW_VERSION = "' in bundled_text(profile()) or "CLEW_VERSION = '" in bundled_text(
        profile()
    )


def test_every_module_in_it_is_written_for_the_oldest_python() -> None:
    text = bundled_text(profile())
    ast.parse(text, feature_version=bundle.PYTHON)
    newer = re.compile(
        r"zip\([^)]*strict=|isinstance\([^()]*\|[^()]*\)|^\s*match .*:$", re.MULTILINE
    )
    for name, source in carried().items():
        tree = ast.parse(source, feature_version=bundle.PYTHON)
        assert not newer.search(source), f"{name}: {newer.search(source)}"
        # A union of types outside an annotation is evaluated when it runs.
        for node in bundle._running(tree):
            if isinstance(node, ast.Assign):
                assert "| None" not in ast.unparse(node.value), f"{name}:{node.lineno}"


def test_it_carries_what_it_needs_and_no_more() -> None:
    found = set(carried())
    assert {"clew.kernel.files", "clew.sidecar.store", "clew.sidecar.engine"} <= found
    kernel = {name for name in found if name.startswith("clew.kernel")}
    assert kernel == {"clew.kernel.files"}
    assert not found & {"clew.sidecar.profile", "clew.sidecar.api", "clew.sidecar.doctor"}


def test_what_it_carries_may_import_the_standard_library_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "clew" / "sidecar").mkdir(parents=True)
    file = tmp_path / "clew" / "sidecar" / "bundled.py"
    monkeypatch.setattr(bundle, "ROOT", tmp_path)
    for source in ("import msgspec\n", "from rich import table\n", "x = '''a'''\n"):
        file.write_text(source, "utf-8")
        with pytest.raises(BundleError):
            carried()
    file.write_text("if TYPE_CHECKING:\n    import msgspec\n", "utf-8")
    assert list(carried()) == ["clew.sidecar.bundled"]


def test_no_text_of_a_profile_can_leave_its_quotes(tmp_path: Path) -> None:
    evil = {**profile(), "about": {"zh": "'''\nimport os", "en": "\\'''\" + __import__('os')"}}
    text = bundled_text(evil)
    module = ast.parse(text)
    [found] = [
        node.value for node in module.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PROFILE"
    ]  # fmt: skip
    assert isinstance(found, ast.Constant)
    assert json.loads(str(found.value)) == evil
