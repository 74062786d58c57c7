"""The English rules against their corpus, and what a book may change about them."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from corpus import alarms, load, measure

from clew.novel.prose import ProseConfig, Rule, check
from clew.novel.prose.rules_en import RULES

PASSAGES = load("en")
COUNTED = [rule for rule in RULES if rule.limits]


def rules_found(text: str, **settings: object) -> list[str]:
    config = ProseConfig(**settings)  # type: ignore[arg-type]
    return [finding.rule for finding in check(text, lang="en", config=config)]


# ---- the corpus ----------------------------------------------------------------------------------


def test_the_corpus_is_large_and_half_of_it_are_look_alikes() -> None:
    texts = [passage.text for passage in PASSAGES]
    assert len(texts) == len(set(texts)) >= 150
    matching = sum(passage.match for passage in PASSAGES)
    assert 0.4 <= matching / len(PASSAGES) <= 0.6


def test_every_rule_has_passages_that_match_and_look_alikes() -> None:
    about = Counter((passage.rule, passage.match) for passage in PASSAGES)
    for row in measure("en"):
        assert about[row.rule, True] >= 2, row.rule
        assert about[row.rule, False] >= 2, row.rule


def test_no_rule_speaks_where_it_should_not() -> None:
    assert [(passage.place, rule) for passage, rule in alarms("en")] == []


def test_blocking_rules_are_precise_and_every_rule_finds_most_of_what_it_is_for() -> None:
    for row in measure("en"):
        if row.severity == "blocking":
            assert row.precision == 1.0, row
        assert row.recall >= 0.6, row


def test_only_what_is_no_prose_at_all_blocks_an_english_chapter() -> None:
    assert {rule.family for rule in RULES if rule.severity == "blocking"} == {"degeneration"}


# ---- every rule ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_what_to_do_in_both_languages(rule: Rule) -> None:
    assert rule.name.zh and rule.name.en and rule.advice.zh and rule.advice.en
    assert rule.advice.en.isascii() and rule.name.en.isascii()


@pytest.mark.parametrize("rule", COUNTED, ids=lambda rule: rule.id)
def test_thresholds_move_in_the_direction_they_say(rule: Rule) -> None:
    for name, default in rule.limits.items():
        never = 0.0 if (rule.id, name) in LESS_IS_STRICTER else 1e9
        limits = {f"{rule.id}.{name}": never}
        assert rule.id not in rules_found(rule.bad, limits=limits), name
        same = {f"{rule.id}.{name}": default}
        assert rule.id in rules_found(rule.bad, limits=same), name


LESS_IS_STRICTER = {
    ("trailer-ending", "chars"), ("period-stutter", "words"), ("fragmented-paragraphs", "chars"),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_quoted_speech_is_the_characters_and_not_the_authors(rule: Rule) -> None:
    if rule.part == "whole":
        pytest.skip("looks at speech on purpose")
    spoken = "\n\n".join(
        f"“{line}”" for line in rule.bad.replace("“", "").replace("”", "").split("\n") if line
    )
    assert rule.id not in rules_found(spoken)


# ---- single rules --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "It was not a door. It was a painting of one.", "This isn't mercy; this is arithmetic.",
        "These were not lamps. These were eyes.", "It wasn’t grief — it was the shape of it.",
        "He stayed, not because he was loyal, but because the door was locked.",
    ],
)  # fmt: skip
def test_a_flip_is_found_in_every_punctuation(text: str) -> None:
    assert rules_found(text) == ["negation-flip"]


def test_an_announcement_counts_only_in_the_tail() -> None:
    middle = "The tide came in over the flats, and the boats lifted one by one. " * 30
    text = f"Little did she know what it meant.\n\n{middle}\n\nShe went home."
    limits = {"same-opening.sentences": 1e9, "verbatim-repeat-sentence": 1.0}
    assert "trailer-ending" not in rules_found(text, limits=limits)
    assert "trailer-ending" in rules_found(f"{middle}\n\nLittle did she know what it meant.")
    # A chapter that is one long line has its tail at the end of that line.
    assert "trailer-ending" not in rules_found(text.replace("\n\n", " "))
    assert "trailer-ending" in rules_found(f"{middle} Little did she know what it meant.")


def test_the_author_can_let_a_sentence_stand() -> None:
    text = "She went home. Little did she know that it was too late."
    assert rules_found(text, literals=frozenset({"Little did she know"})) == []
    assert rules_found(text, off=frozenset({"trailer-ending"})) == []


@pytest.mark.parametrize(
    "text",
    [
        "“Go,” she said softly. “Go,” said Nell firmly. “Go,” her brother replied sharply. “Go,” he quietly said.",
        "“Go,” she said to him softly. “Go,” the boy said, gravely. “Go,” said Mrs. Pell coldly. “Go,” I said sadly.",
    ],
)  # fmt: skip
def test_adverbs_are_found_on_every_shape_of_tag(text: str) -> None:
    assert "dialogue-adverb" in rules_found(text)


def test_quotations_and_scene_breaks_end_a_run_of_short_sentences() -> None:
    three = "She ran. He fell. Dogs barked."
    assert "period-stutter" in rules_found(f"{three}\n\n{three}")
    assert "period-stutter" not in rules_found(f"{three}\n\n* * *\n\n{three}")
    assert "period-stutter" not in rules_found(f"{three} “Stop.” {three}")
    assert "period-stutter" in rules_found(f"{three}\n\n<!-- x -->\n\n{three}")


def test_a_title_or_an_initial_ends_no_sentence() -> None:
    text = "Mr. Pell ran. Mrs. Pell fell. Dr. Ames barked. St. Ives slept. J. B. Orde lied well."
    assert "period-stutter" not in rules_found(text)


UNITS = {
    "not": "It was not ", "no": "No. ", "no words": "no a ", "flip": "it was not a a a a a a. it ",
    "breath": "breath that he ", "said": "“a” said he ", "she": "She ran. ", "dash": "—", "dashes": "--",
    "like": "like a ", "brackets": "[insert ", "braces": "{{", "angle": "<|a", "the": "the the ",
    "because": "not because ", "spaces": " ", "breathless": "a", "quotes": "“”", "open": '"', "bang": "!",
    "fullwidth": "a，", "omitted": "(the rest of the scene ", "offer": "would you like ", "dots": ". ",
    "newlines": "She.\n\n", "word count": "word count: 1", "apostrophe": "'t n't ",
}  # fmt: skip


def seconds(text: str) -> float:
    start = time.process_time()
    check(text, lang="en")
    return time.process_time() - start


@pytest.mark.parametrize("name", UNITS)
def test_no_text_makes_a_rule_slow(name: str) -> None:
    # An honest run takes well under a second; a quadratic one would take minutes.
    assert seconds((UNITS[name] * 100_000)[:100_000]) < 10


def test_a_line_of_a_million_characters_is_checked_in_linear_time() -> None:
    each = 1_000_000 // len(UNITS)
    line = "".join((unit * each)[:each] for unit in UNITS.values()).replace("\n", " ")
    assert len(line) > 900_000
    assert seconds(line) < 30
