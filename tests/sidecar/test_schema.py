"""The JSON Schemas: of a profile's state, and of the language of profiles."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worked import ANY, BOTH, PROFILES, SMOKING, STUDY, begun, steps, taken

from clew.sidecar import engine, schema
from clew.sidecar.profile_grammar import CHANGES, TABLES, VALUES

by_profile = pytest.mark.parametrize("profile", BOTH, ids=lambda profile: profile["name"])
LANGUAGE = schema.of_language()


def wrong(described: dict[str, Any], value: Any) -> list[str]:
    """What a schema says against a value."""
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(described)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


@pytest.mark.parametrize("described", [LANGUAGE, *map(schema.of_state, BOTH)])
def test_the_schemas_are_schemas(described: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(described)
    assert json.loads(json.dumps(described)) == described


@by_profile
@given(st.data())
def test_every_reachable_state_validates(profile: dict[str, Any], data: st.DataObject) -> None:
    described = schema.of_state(profile)
    state = engine.fresh(profile)
    assert wrong(described, state) == []
    for step in data.draw(st.lists(steps(profile), max_size=12)):
        state = taken(profile, state, step).state
        assert wrong(described, state) == []


@by_profile
@given(ANY)
def test_what_was_tidied_validates(profile: dict[str, Any], raw: Any) -> None:
    assert wrong(schema.of_state(profile), engine.tidy(profile, raw)[0]) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("active", 1),
        ("phase", "expert"),
        ("cigarettes_total", -1),
        ("cigarettes_total", "47"),
        ("current_pack", {"brand": "玉溪"}),
        ("current_pack", {"brand": "玉溪", "remaining_estimate": "半包"}),
        ("inventory", {"玉溪": "半包"}),
        ("archetype", "Nv Yujie"),
        ("personality", "mild"),
        ("user_smokes", None),
        ("milestones_hit", ["x"]),
        ("purchases", [{}]),
        ("purchases", [{"brand": "x", "price": 1, "at_cig": 1, "paid_with": "wallet"}] * 6),
        ("last_updated_at", "2026-05-08"),
        ("breed", "corgi"),  # the form is human
        ("creature", "章鱼"),
        ("user_brand", "红双喜"),  # the user does not smoke
    ],
)
def test_what_the_engine_finds_wrong_the_schema_finds_wrong(field: str, value: Any) -> None:
    raw = {**begun(SMOKING), field: value}
    assert engine.problems(SMOKING, raw)
    assert wrong(schema.of_state(SMOKING), raw)


@pytest.mark.parametrize("field", sorted(SMOKING["fields"]))
def test_every_field_is_required(field: str) -> None:
    raw = begun(SMOKING)
    del raw[field]
    assert [problem["code"] for problem in engine.problems(SMOKING, raw)][:1] == ["missing_field"]
    assert any("required" in text for text in wrong(schema.of_state(SMOKING), raw))


def test_fields_of_a_newer_version_are_no_fault() -> None:
    raw = {**begun(SMOKING), "newer": {"x": 1}}
    assert engine.problems(SMOKING, raw) == []
    assert wrong(schema.of_state(SMOKING), raw) == []


def test_the_schema_of_a_state_tells_what_the_fields_mean() -> None:
    described = schema.of_state(STUDY)
    assert "各科累计分钟" in described["properties"]["subjects"]["description"]
    assert described["properties"]["subjects"]["maxProperties"] == 50
    assert described["properties"]["energy"] == {
        "type": "integer", "minimum": 0, "maximum": 100, "default": 80,
    }  # fmt: skip
    assert "private" in described["properties"]["teacher_note"]["$comment"]
    assert described["properties"]["streak"]["properties"]["last_day"]["type"] == ["string", "null"]


@pytest.mark.parametrize("source", sorted(PROFILES.glob("*.toml")), ids=lambda path: path.stem)
def test_the_shipped_profiles_fit_the_language(source: Any) -> None:
    assert wrong(LANGUAGE, tomllib.loads(source.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "edit",
    [
        lambda tree: tree.pop("events"),
        lambda tree: tree["profile"].pop("turn"),
        lambda tree: tree["profile"].update(nmae="x"),
        lambda tree: tree["fields"]["phase"].update(type="string"),
        lambda tree: tree["guards"]["beg"].update(band="5-8"),
        lambda tree: tree["guards"]["beg"].update(when={"field": "phase"}),
        lambda tree: tree["guards"]["beg"].update(when={"eq": 1}),
        lambda tree: tree["guards"]["beg"].update(when={"all": []}),
        lambda tree: tree["events"]["buy"]["change"].append({"paint": "x"}),
        lambda tree: tree["events"]["buy"]["change"].append({"earn": "money"}),
        lambda tree: tree["events"].update({"Bad Name": {}}),
        lambda tree: tree["rules"][0].pop("say"),
    ],
)
def test_a_profile_outside_the_language_does_not_fit(edit: Any) -> None:
    tree = tomllib.loads((PROFILES / "smoking-persona.toml").read_text(encoding="utf-8"))
    edit(tree)
    assert wrong(LANGUAGE, tree)


def test_every_word_of_the_language_is_described() -> None:
    for name, table in TABLES.items():
        described = LANGUAGE if name == "file" else LANGUAGE["$defs"][name]
        assert set(described["properties"]) == set(table)
        assert described["additionalProperties"] is False
        for key in table:
            assert described["properties"][key].get("description"), (name, key)
    assert len(LANGUAGE["$defs"]["change"]["oneOf"]) == len(CHANGES)
    assert len(LANGUAGE["$defs"]["value"]["anyOf"]) == len(VALUES) + 1
