"""Whatever is written in a profile is refused with lines or works; and what is shipped holds together."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worked import PROFILES

from clew.kernel.errors import Refused
from clew.sidecar import engine
from clew.sidecar.cases import failures
from clew.sidecar.profile import compiled
from clew.sidecar.profile_grammar import CHANGES, OPERATORS, TABLES, VALUES
from clew.sidecar.simulate import simulate

# ---- whatever is written ---------------------------------------------------------------------------

SOURCES = [path.read_text(encoding="utf-8") for path in sorted(PROFILES.glob("*.toml"))]
ODD = [
    "1", "-3", "true", '"x"', "[]", "{}", "[1, 2]", "{ a = 1 }", "1.5", "2020-01-01", '""', '"a.b"',
    '{ field = "phase" }', '{ arg = "zz" }', "99999999999999999999", '"active"', "nan",
    '{ plus = [1, { field = "phase" }] }', '{ field = "inventory", key = "x", eq = 1 }',
    "{ all = [] }", "{ not = 3 }", '{ latest = "purchases" }', '[["x"]]',
]  # fmt: skip


@st.composite
def mistyped(draw: st.DrawFn) -> str:
    """A shipped profile after somebody with heavy hands was at it."""
    lines = draw(st.sampled_from(SOURCES)).split("\n")
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(lines) - 1))
        kind = draw(st.integers(0, 4))
        if kind == 0:
            del lines[at : at + draw(st.integers(1, 3))]
            lines = lines or [""]
        elif kind == 1:
            lines.insert(at, lines[draw(st.integers(0, len(lines) - 1))])
        elif kind == 2:
            key, mark, _ = lines[at].partition(" = ")
            lines[at] = f"{key} = {draw(st.sampled_from(ODD))}" if mark else key
        elif kind == 3:
            words = re.findall(r"\w+", lines[at])
            if words:
                other = draw(
                    st.sampled_from(["zork", "phase", "eq", "set", "null", "field", "type"])
                )
                lines[at] = lines[at].replace(draw(st.sampled_from(words)), other, 1)
        else:
            places = list(re.finditer(r'"[^"]*"|\b\d+\b', lines[at]))
            if places:
                place = draw(st.sampled_from(places))
                odd = draw(st.sampled_from(ODD))
                lines[at] = lines[at][: place.start()] + odd + lines[at][place.end() :]
    return "\n".join(lines)


@given(mistyped())
def test_any_text_is_refused_with_lines_or_works(text: str) -> None:
    try:
        found = compiled(text, "p.toml")
    except Refused as refused:
        for fault in refused.faults:
            assert 1 <= fault.facts["line"] <= text.count("\n") + 1
            assert fault.message("zh") and fault.message("en") and fault.to_dict()
        return
    failures(found)
    profile = found.profile
    assert json.loads(json.dumps(profile)) == profile
    assert engine.problems(profile, engine.fresh(profile)) == []
    assert simulate(profile, 6, 1) == simulate(profile, 6, 1)


# ---- shipped profiles ------------------------------------------------------------------------------


@pytest.mark.parametrize("source", sorted(PROFILES.glob("*.toml")), ids=lambda path: path.stem)
def test_a_shipped_profile_holds_together_and_passes_its_cases(source: Any) -> None:
    found = compiled(source.read_text(encoding="utf-8"), source.name)
    assert [fault.message() for fault in failures(found)] == []
    assert found.profile["name"] == source.stem
    assert len(found.cases) > 10


def test_the_compiled_profiles_are_up_to_date() -> None:
    script = PROFILES.parents[3] / "scripts" / "compile_profiles.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_compiling_is_the_same_in_every_process() -> None:
    code = (
        "import sys, json; from clew.sidecar.profile import compiled;"
        "print(json.dumps(compiled(sys.stdin.read()).profile))"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", code], input=SOURCES[0], env={"PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(made) == 1


def test_every_word_of_the_language_is_used_by_a_shipped_profile() -> None:
    text = "\n".join(SOURCES)
    keys = {key for table in TABLES.values() for key in table}
    unused = {key for key in keys | set(CHANGES) | set(VALUES) | set(OPERATORS)
              if not re.search(rf"\b{key}\b", text)}  # fmt: skip
    assert unused <= {"gt", "le", "tools", "count", "not", "behaves_as", "optional", "or"}
