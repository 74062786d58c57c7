"""`--explain RULE`: every rule can be explained, and a misspelt one is helped on."""

from __future__ import annotations

import msgspec
import pytest

from clew.kernel.errors import Refused
from clew.novel.prose import check, rules_for
from clew.novel.prose.explain import catalogue, explain, limits_of, rule_ids
from clew.novel.prose.model import ProseConfig
from clew.novel.prose.outline_copy import OUTLINE_EXAMPLE


@pytest.mark.parametrize("rule_id", rule_ids())
def test_every_rule_says_what_it_finds_and_what_to_do(rule_id: str) -> None:
    found = explain(rule_id)
    assert (found.status, found.rule) == ("ok", rule_id)
    for text in found.texts:
        assert text.languages and text.bad and text.good
        for message in (text.name, text.finds, text.advice):
            assert message.zh and message.en
            assert "{" not in message.zh + message.en
    assert f'off = ["{rule_id}"]' in found.turn_off.zh
    assert f'off = ["{rule_id}"]' in found.turn_off.en
    msgspec.json.encode(found)


def test_the_catalogue_holds_each_rule_once_with_its_languages() -> None:
    found = {id(entry.rule): entry for entry in catalogue()}
    assert len(found) == len(catalogue())
    for lang in ("zh", "en"):
        for rule in rules_for("zh" if lang == "zh" else "en"):
            assert lang in found[id(rule)].languages
    assert {e.rule.id: e.languages for e in catalogue()}["truncated"] == ("zh", "en")


def test_a_rule_that_differs_between_the_languages_is_explained_in_each() -> None:
    texts = explain("meta-leak").texts
    assert [text.languages for text in texts] == [["zh"], ["en"]]
    assert texts[0].bad != texts[1].bad
    assert [text.languages for text in explain("truncated").texts] == [["zh", "en"]]


def test_thresholds_are_named_as_the_settings_take_them() -> None:
    found = explain("em-dash-density")
    assert found.texts[0].limits == {"em-dash-density.hits": 8, "em-dash-density.per_1000": 2}
    assert '"em-dash-density.hits" = 8' in found.turn_off.en
    assert "repeat_line_chars = 8" in explain("verbatim-repeat-line").turn_off.en
    assert "[thresholds]" not in explain("held-breath").turn_off.en


def test_every_named_threshold_is_one_that_a_book_can_set() -> None:
    numbers = set(ProseConfig.__dataclass_fields__)
    for entry in catalogue():
        for key in limits_of(entry.rule):
            assert key in numbers or key.startswith(f"{entry.rule.id}.")


def test_examples_that_need_an_outline_bring_it() -> None:
    assert explain("outline-copy").texts[0].outline == OUTLINE_EXAMPLE
    assert explain("truncated").texts[0].outline is msgspec.UNSET


@pytest.mark.parametrize(
    "word", ["truncate", "meta_leak", "trailer", "", "x" * 10_000, "截断", "\ud800"]
)
def test_an_unknown_rule_is_refused_with_the_nearest_and_all_that_there_are(word: str) -> None:
    with pytest.raises(Refused) as refused:
        explain(word)
    (fault,) = refused.value.faults
    assert (fault.code, refused.value.exit_code) == ("unknown_prose_rule", 2)
    assert fault.to_dict("en")["allowed"] == list(rule_ids())
    for lang in ("zh", "en"):
        assert "truncated" in fault.hint(lang)
        msgspec.json.encode(fault.to_dict(lang))


def test_a_slip_of_the_finger_is_understood() -> None:
    with pytest.raises(Refused) as refused:
        explain("trailer-endings")
    assert "trailer-ending" in refused.value.faults[0].message("zh")


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("预告式结尾", "trailer-ending"),
        ("a trailer's ending", None),
        ("trailer's ending", "trailer-ending"),
        ("An Ending Like a Trailer", "trailer-ending"),
        ("「不是A，而是B」", "not-is-comparison"),
        ("不是a而是b", "not-is-comparison"),
        ("not A but B", "not-is-comparison"),
        ("正文断尾", "truncated"),
    ],
)
def test_a_rule_is_found_by_its_name_in_either_language(name: str, rule: str | None) -> None:
    if rule is None:
        with pytest.raises(Refused) as refused:
            explain(name)
        assert "trailer-ending" in refused.value.faults[0].message("zh")
        return
    assert explain(name).rule == rule


@pytest.mark.parametrize("rule_id", rule_ids())
def test_every_name_that_the_page_prints_explains_its_rule(rule_id: str) -> None:
    for text in explain(rule_id).texts:
        assert explain(text.name.zh) == explain(text.name.en) == explain(rule_id)


def test_what_can_be_demoted_says_how() -> None:
    assert "<!-- clew:prose-skip -->" in explain("not-is-comparison").turn_off.zh
    assert "clew:prose-skip" not in explain("truncated").turn_off.en


def test_findings_name_rules_that_can_be_explained() -> None:
    for finding in check("TODO 他看了看细纲……又看了看--"):
        assert finding.rule in rule_ids()
