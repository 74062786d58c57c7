"""How the Chinese rules do on the labelled passages: measured, and not worse than it was."""

from __future__ import annotations

from collections import Counter

import corpus
import pytest

from clew.novel.prose import rules_for

# Passages that an editor objects to and the rules miss, for each rule that misses any. A number that
# goes down is a gain: write it here. Why a passage is missed stands in its note.
MISSED = {
    "truncated": 1,
    "verbatim-repeat-line": 1,
    "verbatim-repeat-sentence": 1,
    "open-quote": 1,
    "placeholder-word": 1,
    "placeholder-template": 1,
    "placeholder-omission": 1,
    "placeholder-ai-self": 1,
    "placeholder-refusal": 1,
    "placeholder-assistant-offer": 2,
    "meta-leak": 1,
    "not-is-comparison": 3,
    "reverse-not-is": 2,
    "not-is-turn": 11,
    "contrast-forms": 1,
    "voice-manner": 1,
    "negation-parade": 1,
    "trailer-ending": 3,
    "trailer-summary": 2,
    "ending-manner": 3,
    "micro-action-tic": 1,
    "stock-reaction-tic": 1,
    "abstract-summary-tic": 1,
    "period-stutter": 1,
    "action-list-tic": 1,
    "quote-emphasis-tic": 2,
    "formulaic-parallelism": 1,
}
PASSAGES = corpus.load("zh")


def test_the_corpus_is_large_and_half_of_it_are_look_alikes() -> None:
    assert len(PASSAGES) >= 1100
    matching = sum(passage.match for passage in PASSAGES)
    assert 0.4 < matching / len(PASSAGES) < 0.6
    assert max(Counter(passage.text for passage in PASSAGES).values()) == 1


def test_every_rule_has_passages_of_both_kinds_and_every_passage_a_rule() -> None:
    labels = {(passage.rule, passage.match) for passage in PASSAGES}
    ids = [rule.id for rule in rules_for("zh")]
    assert labels == {(rule, match) for rule in ids for match in (True, False)}
    assert {rule for passage in PASSAGES for rule in passage.also} <= set(ids)


def test_what_is_missed_is_said_in_a_note() -> None:
    missed = [p for p in PASSAGES if p.match and p.rule not in corpus.spoken(p, "zh")]
    assert [passage.place for passage in missed if not passage.note] == []


def test_no_blocking_rule_speaks_where_an_editor_would_not() -> None:
    blocking = {rule.id for rule in rules_for("zh") if rule.severity == "blocking"}
    wrong = [(p.place, rule) for p, rule in corpus.alarms("zh") if rule in blocking]
    assert wrong == []


@pytest.mark.parametrize("row", [pytest.param(row, id=row.rule) for row in corpus.measure("zh")])
def test_precision_and_recall_are_as_measured(row: corpus.Row) -> None:
    assert row.precision == 1.0 if row.severity == "blocking" else row.precision >= 0.85
    assert row.positives - row.hits == MISSED.get(row.rule, 0)
    assert row.recall >= 0.6


def test_a_passage_counts_against_the_rule_that_speaks_and_not_against_its_own() -> None:
    rows = {row.rule: row for row in corpus.measure("zh")}
    row = rows["not-is-turn"]
    (wrong,) = [p for p, rule in corpus.alarms("zh") if rule == "not-is-turn"]
    assert (wrong.rule, wrong.match) == ("not-is-turn", False)
    assert row.precision == row.hits / (row.hits + 1)
    assert sum(row.positives + row.negatives for row in rows.values()) == len(PASSAGES)
