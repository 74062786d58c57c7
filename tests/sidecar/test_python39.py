"""What bundles carry runs on Python 3.9 with the standard library alone."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from worked import BOTH, NOW, PROFILES, python39

from clew.sidecar import engine
from clew.sidecar.simulate import simulate

ROOM = PROFILES.parent
CARRIED = sorted([*ROOM.glob("engine*.py"), ROOM / "simulate.py"])
NEWER = {
    "pairwise", "zip_longest_strict", "bit_count", "ExceptionGroup", "StrEnum", "UTC", "Self",
    "TypeAlias", "ParamSpec", "override", "batched", "aiter", "anext", "add_note",
}  # fmt: skip
"""Names of the standard library that Python 3.9 does not have."""


@pytest.mark.parametrize("module", CARRIED, ids=lambda path: path.stem)
def test_the_syntax_is_that_of_python_39(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"), feature_version=(3, 9))
    for node in ast.walk(tree):
        assert not isinstance(node, getattr(ast, "Match", ())), node.lineno
        if isinstance(node, ast.Call):
            named = {word.arg for word in node.keywords}
            assert "strict" not in named and "slots" not in named, node.lineno
            if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
                assert not isinstance(node.args[1], ast.BinOp), node.lineno
        if isinstance(node, ast.Attribute):
            assert node.attr not in NEWER, node.lineno
        if isinstance(node, ast.Name):
            assert node.id not in NEWER, node.lineno
    first = next(node for node in tree.body if isinstance(node, ast.ImportFrom))
    assert (first.module, first.names[0].name) == ("__future__", "annotations")


@pytest.mark.parametrize("module", CARRIED, ids=lambda path: path.stem)
def test_only_the_standard_library_and_the_engine_are_imported(module: Path) -> None:
    allowed = {"__future__", "typing", "collections", "json"}
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [item.name for item in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            ours = name == "clew.sidecar" or name.startswith("clew.sidecar.engine")
            assert ours or name.partition(".")[0] in allowed, name


def test_loading_the_engine_loads_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import clew.sidecar.engine;"
        "print(sorted(m for m in set(sys.modules) - before if not m.startswith('clew')))"
    )
    said = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=ROOM.parents[1], capture_output=True, text=True,
        check=True,
    ).stdout  # fmt: skip
    assert ast.literal_eval(said) == ["__future__"]


DRIVER = """
import json, sys
sys.path.insert(0, sys.argv[1])
from clew.sidecar import engine
from clew.sidecar.simulate import simulate
job = json.load(sys.stdin)
out = []
for profile in job["profiles"]:
    out.append(simulate(profile, 120, "x"))
    for raw in job["raws"]:
        state, notes = engine.tidy(profile, raw)
        again = engine.tidy(profile, state)[0]
        on = engine.set_field(profile, state, profile["active"], True, now=job["now"])
        patched = engine.merge(profile, on.state, {"nothing": 1}, now=job["now"])
        turned = engine.turn(profile, on.state, now=job["now"], ident="a")
        out.append([state, notes, again == state, patched.refused, turned.state, turned.said,
                    engine.problems(profile, raw), engine.public(profile, state)])
print(json.dumps(out))
"""


def test_the_engine_answers_on_python_39_as_it_does_here() -> None:
    interpreter = python39()
    if interpreter is None:
        pytest.skip("no Python 3.9 on the path")
    raws = [
        None, [], {}, {"active": "yes", "cigarettes_total": "47", "purchases": [1], "x": {"y": 1}},
        {"_clew": 3, "wallet": 4, "energy": 900, "streak": {"last_day": "2026-02-30"}},
        {**engine.fresh(BOTH[0]), "inventory": {"玉溪": "空", "": 1}},
    ]  # fmt: skip
    job = json.dumps({"profiles": BOTH, "raws": raws, "now": NOW})
    said = [
        subprocess.run(
            [python, "-c", DRIVER, str(ROOM.parents[1])], input=job, capture_output=True, text=True,
            check=True,
        ).stdout
        for python in (interpreter, sys.executable)
    ]  # fmt: skip
    assert said[0] == said[1]
    assert json.loads(said[0])[0] == simulate(BOTH[0], 120, "x")
