"""A habit is told once, and only above both of its thresholds."""

from __future__ import annotations

import re

import pytest

from clew.novel.prose import Message, ProseConfig, Rule, rules_for
from clew.novel.prose.density import Density, most_frequent, per_1000
from clew.novel.prose.model import Hit
from clew.novel.prose.text import read_body

FILL = "他沿着河堤走。"
HABIT = Density("sighs", re.compile("叹气|苦笑"), 3, 10)


def hits(text: str, habit: Density = HABIT, **limits: float) -> list[Hit]:
    config = ProseConfig(limits={f"sighs.{name}": value for name, value in limits.items()})
    return list(habit(read_body(text, "zh"), config))


def test_the_finding_stands_at_the_first_match_and_says_how_often() -> None:
    (hit,) = hits(f"{FILL}\n{FILL}他叹气，又苦笑。\n他叹气。{FILL}")
    assert (hit.line.number, hit.start, hit.end) == (2, 8, 10)
    assert hit.values == {"times": 3, "per_1000": "90.9", "words": "叹气、苦笑"}


@pytest.mark.parametrize(("times", "found"), [(2, 0), (3, 1)])
def test_fewer_matches_than_the_threshold_are_no_habit(times: int, found: int) -> None:
    assert len(hits("他叹气。" * times)) == found


@pytest.mark.parametrize(("fill", "found"), [(41, 1), (42, 0)])
def test_so_many_matches_in_a_longer_chapter_are_no_habit(fill: int, found: int) -> None:
    # 12 characters with three matches, and seven for each line of filling: 10 in 1000 at 299.
    assert len(hits("他叹气。" * 3 + f"\n{FILL}" * fill)) == found


def test_a_book_changes_either_threshold() -> None:
    twice, thin = "他叹气。" * 2, "他叹气。" * 3 + f"\n{FILL}" * 100
    assert len(hits(twice, hits=2)) == 1
    assert len(hits(thin, per_1000=4)) == 1
    assert hits("他叹气。" * 3, hits=4) == []
    assert hits("他叹气。" * 3, per_1000=300) == []


def test_only_the_part_that_was_asked_for_is_counted() -> None:
    speech = "“叹气，叹气，叹气。”他说。"
    assert hits(speech) == []
    assert len(hits(speech, Density("sighs", HABIT.pattern, 3, 10, part="quoted"))) == 1
    assert hits("《叹气叹气叹气》。【叹气】", Density("sighs", HABIT.pattern, 3, 1, "prose")) == []


def test_headings_lists_and_code_are_not_counted() -> None:
    assert hits("## 叹气叹气叹气\n- 叹气\n> 叹气\n```\n叹气\n```\n他走了。") == []


def test_speech_does_not_thin_the_narrative() -> None:
    body = read_body(f"他叹气。\n“{FILL * 100}”", "zh")
    assert body.narrative_chars == 4
    assert per_1000(1, body) == 250
    assert per_1000(1, read_body("“好。”", "zh")) == 0


def test_the_words_named_are_the_three_most_frequent() -> None:
    seen = {"one": 1, "two": 5, "three": 5, "four": 9}
    assert most_frequent(seen, read_body("", "en")) == "four, two, three"
    assert most_frequent(seen, read_body("", "zh"), count=2) == "four、two"


def test_a_rule_takes_over_the_thresholds_of_its_search() -> None:
    rule = Rule(
        id="sighs",
        name=Message("叹气", "sighs"),
        severity="advisory",
        review="semantic",
        message=Message("叹气 {times} 次", "sighs {times} times"),
        advice=Message("删去。", "Delete."),
        bad="",
        good="",
        search=HABIT,
    )
    assert rule.limits == {"hits": 3, "per_1000": 10}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_habit_is_searched_under_the_id_of_its_rule(lang: str) -> None:
    rules = rules_for("zh" if lang == "zh" else "en")
    habits = [(rule.id, rule.search) for rule in rules if isinstance(rule.search, Density)]
    assert habits
    assert [(name, habit.rule) for name, habit in habits] == [(name, name) for name, _ in habits]
