"""Running rules over a book: findings with their keys, in a fixed order.

Pure. The same book gives the same findings, in the order of the rules, then of chapters, then of
keys.
"""

from __future__ import annotations

from collections.abc import Iterable

from clew.novel.lint.model import Book, Finding, Found, Rule, Words


def run(book: Book, rules: Iterable[Rule]) -> list[Finding]:
    """Every finding of some rules."""
    out: list[Finding] = []
    for rule in rules:
        found = {key_of(rule, one): one for one in rule.find(book)}
        ordered = sorted(found.items(), key=lambda entry: (entry[1].chapters[-1:], entry[0]))
        out += [_finding(rule, key, one) for key, one in ordered]
    return out


def key_of(rule: Rule, found: Found) -> str:
    """The name of a finding: its rule and what it is about."""
    return ":".join((rule.id, *map(str, found.subject)))


def _finding(rule: Rule, key: str, found: Found) -> Finding:
    chapter = found.chapters[-1] if found.chapters else ""
    facts = {"id": found.ids[0] if found.ids else "", "chapter": str(chapter)}
    return Finding(
        key=key,
        rule=rule.id,
        weight=rule.weight,
        message=found.message,
        reason=found.reason,
        next=Words(rule.next.zh.format_map(facts), rule.next.en.format_map(facts)),
        ids=list(found.ids),
        characters=list(found.characters),
        chapters=list(found.chapters),
        place=found.place,
    )
