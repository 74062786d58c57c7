"""`persona.toml`: judged key by key, all faults at once, never filled in by guessing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.persona import creating, settings
from clew.persona.settings import Settings

HEAD = 'id = "a"\nname = "甲"\nzone = "Asia/Shanghai"\n'


def parsed(text: str) -> Settings:
    found, faults = settings.parse(text.encode())
    assert faults == [], [(fault.code, fault.path) for fault in faults]
    assert found is not None
    return found


def faults_of(text: str | bytes) -> list[tuple[str, str]]:
    found, faults = settings.parse(text.encode() if isinstance(text, str) else text)
    assert (found is None) == bool(faults)
    assert all(fault.facts["file"] == "persona.toml" for fault in faults)
    return [(fault.code, fault.path) for fault in faults]


def test_what_is_not_said_has_its_default() -> None:
    found = parsed(HEAD)
    assert (found.mood.baseline, found.mood.half_life_hours) == (0.35, 6.0)
    assert (found.quotas.opening_bytes, found.quotas.samples) == (9000, 3)
    assert (found.runner.kind, found.host) == ("outbox", "claude")
    assert found.names_outside() == ()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_new_settings_file_is_sound_and_so_are_its_comments(lang: str) -> None:
    text = creating.settings_text("林 昭's", "Asia/Shanghai", "codex", lang)
    found = parsed(text)
    assert (found.id, found.name, found.host) == ("林 昭's", "林 昭's", "codex")
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    shown = [line for line in lines if line.startswith("[") or " = " in line]
    assert parsed("\n".join(shown)).mood.half_life_hours == 6.0


@pytest.mark.parametrize("text, expected", [
    ("", [("persona_file_empty", "")]),
    ("\0\0\0\0", [("persona_file_empty", "")]),
    (b"\xff\xfe\x00", [("bad_encoding", "")]),
    ("id = ", [("persona_toml", "")]),
    ("a = " + "9" * 5000, [("persona_toml", "")]),
    ("a = " + "[" * 9000, None),
    ("schema_version = 9\n" + HEAD, [("newer_schema", "")]),
    ('name = "甲"\n', [("missing_field", "$.id"), ("missing_field", "$.zone")]),
    (HEAD + 'host = "emacs"\n', [("not_allowed", "$.host")]),
    (HEAD.replace("Asia/Shanghai", "UTC+8"), [("bad_zone", "$.zone")]),
    (HEAD.replace("Asia/Shanghai", "../../etc/passwd"), [("bad_zone", "$.zone")]),
    (HEAD.replace("Asia/Shanghai", "localtime"), [("bad_zone", "$.zone")]),
    (HEAD.replace("Asia/Shanghai", "Asia"), [("bad_zone", "$.zone")]),
    (HEAD.replace('id = "a"', 'id = "CON"'), [("bad_name", "$.id")]),
    (HEAD + "colour = 1\n", [("unknown_field", "$.colour")]),
    (HEAD + "mood = 3\n", [("wrong_type", "$.mood")]),
    (HEAD + "[mood]\nbaseline = 1.5\n", [("out_of_range", "$.mood.baseline")]),
    (HEAD + "[mood]\nbaseline = nan\n", [("out_of_range", "$.mood.baseline")]),
    (HEAD + "[mood]\nbaseline = true\n", [("wrong_type", "$.mood.baseline")]),
    (HEAD + "[mood]\nhalf_life = 3\n", [("unknown_field", "$.mood.half_life")]),
    (HEAD + "[quotas]\nopening_bytes = 10\n", [("out_of_range", "$.quotas.opening_bytes")]),
    (HEAD + '[runner]\nkind = "command"\n', [("missing_field", "$.runner.command")]),
    (HEAD + '[runner]\nkind = "endpoint"\n', [("missing_field", "$.endpoint")]),
    (HEAD + '[endpoint]\nurl = "ftp://x"\nmodel = "m"\n', [("bad_endpoint", "$.endpoint.url")]),
    (HEAD + '[endpoint]\nurl = "http://u:p@x/v1"\nmodel = "m"\n', [("bad_endpoint", "$.endpoint.url")]),
    (HEAD + '[endpoint]\nurl = "http://x"\nmodel = "m"\nkey = "sk-1"\n', [("unknown_field", "$.endpoint.key")]),
    (HEAD + "[wake.autonomous]\nperiod_minutes = 5\njitter_minutes = 9\n",
     [("wake_jitter", "$.wake.autonomous.jitter_minutes")]),
    (HEAD + '[[pins]]\nfile = "a.json"\n', [("missing_field", "$.pins[0].key")]),
])  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(
    text: str | bytes, expected: list[tuple[str, str]] | None
) -> None:
    found = faults_of(text)
    if expected is None:
        assert found
    else:
        assert found == expected


def test_every_fault_is_told_at_once() -> None:
    text = 'zone = "x"\nhost = 1\n[mood]\nbaseline = 2\n[quotas]\nsamples = 0\n[wake]\nmoon = 1\n'
    assert sorted(faults_of(text)) == [
        ("bad_zone", "$.zone"), ("missing_field", "$.id"), ("missing_field", "$.name"),
        ("out_of_range", "$.mood.baseline"), ("out_of_range", "$.quotas.samples"),
        ("unknown_field", "$.wake.moon"), ("wrong_type", "$.host"),
    ]  # fmt: skip


def test_a_command_is_kept_as_it_was_written() -> None:
    text = HEAD + '[runner]\nkind = "command"\ncommand = ["claude", "-p", "a | b\\n  c"]\n'
    found = parsed(text)
    assert found.runner.command == ["claude", "-p", "a | b\n  c"]
    assert found.names_outside() == ("runner",)


def test_what_names_something_outside_is_known() -> None:
    text = (
        HEAD
        + '[embedding]\nurl = "http://127.0.0.1:1/v1"\nmodel = "m"\nkey_env = "K"\n[[pins]]\nfile = "a"\nkey = "b"\n'
    )
    assert parsed(text).names_outside() == ("embedding", "pins")


def test_toml_dates_and_windows_line_ends_are_read() -> None:
    found = parsed("\ufeff" + HEAD.replace("\n", "\r\n") + "born = 2026-03-01\r\n")
    assert found.born == "2026-03-01"


def test_an_unknown_key_names_those_that_are_allowed() -> None:
    _, faults = settings.parse((HEAD + "moods = 1\n").encode())
    assert {"mood", "wake", "runner"} <= set(faults[0].facts["allowed"])


@given(st.binary(max_size=300))
def test_no_bytes_make_a_traceback(data: bytes) -> None:
    found, faults = settings.parse(data)
    assert found is None and faults


values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(
    st.sampled_from(["mood", "wake", "runner", "endpoint", "pins", "quotas", "presence", "born"]),
    values,
)
def test_no_value_makes_a_traceback(key: str, value: Any) -> None:
    text = HEAD + f"{key} = {toml(value)}\n"
    found, faults = settings.parse(text.encode("utf-8", "replace"))
    assert (found is None) == bool(faults)
    assert all(fault.message("zh") and fault.message("en") for fault in faults)


def toml(value: Any) -> str:
    import json

    if value is None:
        return '""'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float):
        return {"nan": "nan", "inf": "inf", "-inf": "-inf"}.get(str(value), repr(value))
    return json.dumps(value)


@pytest.mark.parametrize("page", ["persona.md", "persona.zh-CN.md"])
def test_the_documented_files_are_sound(page: str) -> None:
    import re
    from pathlib import Path

    from clew.persona import refusals

    text = (Path(__file__).resolve().parents[2] / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    found = parsed(blocks[0])
    assert (found.mood, found.quotas) == (settings.MoodRules(), settings.Quotas())
    known, faults = refusals.parse(blocks[1].encode())
    assert faults == [] and known[0].probe
