"""The labelled passages in `corpus/`, and how well each rule does on them.

A passage is one JSON line: `rule` (the rule it is about), `text`, `match` (whether a careful editor
says the rule should speak), and where needed `note` (why), `also` (further rules that rightly speak)
and `strict` (read it as a book with strict punctuation). What an editor would see and a rule cannot
reach stays in as `match: true`: recall is measured, not made.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clew.novel.prose import ProseConfig, check, rules_for

FOLDER = Path(__file__).parent / "corpus"
Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Passage:
    """One labelled passage, and where it stands."""

    rule: str
    text: str
    match: bool
    note: str
    also: frozenset[str]
    strict: bool
    place: str


@dataclass(frozen=True, slots=True)
class Row:
    """How one rule does. `positives` and `negatives` count the passages that are about it; `hits`
    the positives it found; `false_alarms` every passage of the corpus, whatever it is about, where
    it spoke and should not have. Precision is 1.0 where the rule never spoke."""

    rule: str
    severity: str
    positives: int
    negatives: int
    hits: int
    false_alarms: int
    precision: float
    recall: float


@functools.cache
def load(lang: Language) -> tuple[Passage, ...]:
    """Every passage of a language, in the order of the files."""
    passages = []
    for file in sorted((FOLDER / lang).glob("*.jsonl")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            row = json.loads(line)
            passages.append(
                Passage(
                    rule=row.pop("rule"),
                    text=row.pop("text"),
                    match=row.pop("match"),
                    note=row.pop("note", ""),
                    also=frozenset(row.pop("also", ())),
                    strict=row.pop("strict", False),
                    place=f"{file.name}:{number}",
                )
            )
            if row:
                raise ValueError(f"{file.name}:{number}: unknown keys {sorted(row)}")
    return tuple(passages)


@functools.cache
def spoken(passage: Passage, lang: Language) -> frozenset[str]:
    """The rules that find something in a passage."""
    config = ProseConfig(strict=passage.strict)
    return frozenset(finding.rule for finding in check(passage.text, lang=lang, config=config))


def alarms(lang: Language) -> list[tuple[Passage, str]]:
    """Every passage where a rule spoke and should not have, with that rule.

    Advisory rules are held only to the passages about them: a passage about one manner of writing
    may well show another one.
    """
    blocking = {rule.id for rule in rules_for(lang) if rule.severity == "blocking"}
    found: list[tuple[Passage, str]] = []
    for passage in load(lang):
        expected = passage.also | ({passage.rule} if passage.match else set())
        held = spoken(passage, lang) & (blocking | {passage.rule})
        found += [(passage, rule) for rule in sorted(held - expected)]
    return found


def measure(lang: Language) -> tuple[Row, ...]:
    """One row for each rule of a language, in the order of the rules."""
    passages, wrong = load(lang), alarms(lang)
    rows = []
    for rule in rules_for(lang):
        mine = [passage for passage in passages if passage.rule == rule.id]
        positives = [passage for passage in mine if passage.match]
        hits = sum(rule.id in spoken(passage, lang) for passage in positives)
        false_alarms = sum(name == rule.id for _, name in wrong)
        rows.append(
            Row(
                rule=rule.id,
                severity=rule.severity,
                positives=len(positives),
                negatives=len(mine) - len(positives),
                hits=hits,
                false_alarms=false_alarms,
                precision=hits / (hits + false_alarms) if hits + false_alarms else 1.0,
                recall=hits / len(positives) if positives else 1.0,
            )
        )
    return tuple(rows)
