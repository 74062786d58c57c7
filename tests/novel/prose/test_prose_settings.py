"""What a prose file may say: rules, texts that are meant, thresholds by rule."""

from __future__ import annotations

from typing import Any

import pytest

from clew.novel.prose.settings import LITERAL_CHARS, LITERALS, Parsed, parse

FILE = "正文/.clew-prose.toml"


def read(data: dict[str, Any]) -> Parsed:
    return parse(data, dict.fromkeys(data, FILE))


def told(data: dict[str, Any], lang: str = "en") -> list[str]:
    return [fault.message(lang) for fault in read(data).faults]


@pytest.mark.parametrize(
    "thresholds",
    [
        {"em-dash-density.hits": 12, "em-dash-density.per_1000": 4.5},
        {"em-dash-density": {"hits": 12, "per_1000": 4.5}},
        {"em-dash-density.hits": 12, "em-dash-density": {"per_1000": 4.5}},
    ],
)
def test_a_rules_thresholds_are_set_by_key_or_by_table(thresholds: dict[str, Any]) -> None:
    found = read({"thresholds": {**thresholds, "repeat_line_chars": 20}})
    assert found.faults == ()
    assert found.config.limits == {"em-dash-density.hits": 12, "em-dash-density.per_1000": 4.5}
    assert found.config.repeat_line_chars == 20
    assert found.config.limit("em-dash-density", "hits", 8) == 12


def test_outline_copy_has_thresholds_like_any_rule() -> None:
    assert read({"thresholds": {"outline-copy": {"run_chars": 20}}}).faults == ()


@pytest.mark.parametrize(
    ("thresholds", "words"),
    [
        ({"em-dash-density.hit": 1}, "em-dash-density.hits, em-dash-density.per_1000"),
        ({"em-dash-densty.hits": 1}, "em-dash-density.…"),
        ({"held-breath.hits": 1}, "no thresholds"), ({"nonsense": 1}, "repeat_line_chars"),
        ({"em-dash-density": {"hits": True}}, "a number >= 0"), ({"em-dash-density.hits": "8"}, "a number >= 0"),
        ({"em-dash-density.hits": -1}, "a number >= 0"), ({"em-dash-density.hits": float("nan")}, "a number >= 0"),
        ({"em-dash-density.hits": float("inf")}, "a number >= 0"), ({"em-dash-density.hits": 10**400}, "a number >= 0"),
        ({"repeat_line_chars": 0}, "whole number"), ({"repeat_line_chars": 2.0}, "whole number"),
        ({"literals": 3}, "thresholds.literals"), ({"limits": 3}, "thresholds.limits"), ({"": 1}, "allowed"),
    ],
)  # fmt: skip
def test_a_wrong_threshold_is_named_with_what_there_is(
    thresholds: dict[str, Any], words: str
) -> None:
    (message,) = told({"thresholds": thresholds})
    assert words in message and FILE in message


def test_an_unknown_rule_in_off_names_the_file_and_the_nearest_ids() -> None:
    (fault,) = read({"off": ["trailer-endings", "truncated"]}).faults
    assert fault.to_dict("zh")["file"] == FILE
    for lang in ("zh", "en"):
        assert "trailer-ending" in fault.message(lang)
        assert "trailer-endings" in fault.message(lang)
    assert len(told({"off": ["a", "b", "截断"]})) == 3


def test_a_detectors_finding_can_be_left_out_and_a_strangers_cannot() -> None:
    data: dict[str, Any] = {"off": ["style/fog"], "detectors": {"style": {"command": ["x"]}}}
    assert read(data).faults == ()
    assert read(data).config.off == {"style/fog"}
    assert len(told({**data, "off": ["style", "other/fog"]})) == 2


def test_the_texts_that_are_meant_are_bounded_together() -> None:
    assert parse({"literals": ["灯" * LITERAL_CHARS]}, {"literals": FILE}).faults == ()
    (fault,) = parse({"literals": ["灯" * LITERAL_CHARS, "火"]}, {"literals": FILE}).faults
    assert str(LITERAL_CHARS) in fault.message("zh") and str(LITERAL_CHARS) in fault.message("en")


def test_a_list_of_texts_without_end_is_refused() -> None:
    texts = [f"第{n}句" for n in range(LITERALS)]
    assert read({"literals": texts}).faults == ()
    assert told({"literals": [*texts, "再一句"]}) == [
        f"{FILE} is not right: literals: at most {LITERALS}"
    ]


def test_every_fault_is_told_at_once_and_in_both_languages() -> None:
    data: dict[str, Any] = {
        "strikt": 1, "strict": "yes", "curly_quotes": 1, "off": ["nope"], "literals": "x",
        "thresholds": {"a": 1, "b.c": 2}, "detectors": {"x": {"command": "y", "speed": 1}},
    }  # fmt: skip
    assert len(told(data)) == len(set(told(data, "zh"))) == 9
    assert all(
        any("\u4e00" <= c <= "\u9fff" for c in line[len(FILE) + 1 :]) for line in told(data, "zh")
    )


@pytest.mark.parametrize("data", [{}, {"strict": True}, {"curly_quotes": True}])
def test_what_is_not_said_keeps_its_default(data: dict[str, Any]) -> None:
    found = read(data)
    assert found.faults == () and found.detectors == ()
    assert (found.config.strict, found.curly_quotes) == (
        data.get("strict", False), data.get("curly_quotes", False),
    )  # fmt: skip
