"""What a prose rule looks for, why, and how a book changes it: `clew chapter check --explain RULE`.

Pure. The rules themselves are the source; nothing is said here that a rule does not say.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from clew.kernel.errors import Refused
from clew.kernel.faults import Code, Fault, register
from clew.novel.prose import outline_copy
from clew.novel.prose.allowance import SETTINGS, SKIP_COMMENT
from clew.novel.prose.check import rules_for
from clew.novel.prose.model import Message, ProseConfig, Review, Rule, Severity
from clew.novel.prose.text import Language

LANGUAGES: Final[tuple[Language, ...]] = ("zh", "en")
_SHARED_LIMITS: Final = {
    "verbatim-repeat-line": ("repeat_line_chars", "repeat_line_chars_en"),
    "verbatim-repeat-sentence": (
        "repeat_sentence_chars",
        "repeat_sentence_chars_en",
        "repeat_sentence_times",
    ),
    "truncated": ("verse_line_chars",),
}
"""Thresholds that stand by their own name in the settings, without a rule's id before them."""
_NEAR: Final = 3
_BLANK: Final = re.compile(r"\{\w+\}")
_MARKS: Final = re.compile("[\\s「」『』“”‘’\"'，,。.…—-]+")


class Entry(NamedTuple):
    """One rule and the languages whose chapters it reads."""

    rule: Rule
    languages: tuple[Language, ...]


class RuleText(msgspec.Struct, frozen=True, kw_only=True):
    """One rule in words. `limits` are its thresholds as the settings name them, with their defaults;
    `outline` is what the examples of a rule are held against that compares two texts."""

    languages: list[Language]
    name: Message
    severity: Severity
    strict_severity: Severity | UnsetType = UNSET
    review: Review
    finds: Message
    why: Message | UnsetType = UNSET
    advice: Message
    bad: str
    good: str
    outline: str | UnsetType = UNSET
    limits: dict[str, float]


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A rule id, and what stands behind it in each language."""

    status: str = "ok"
    rule: str
    texts: list[RuleText]
    turn_off: Message


def catalogue() -> tuple[Entry, ...]:
    """Every rule once, in the order of the languages and of their tables."""
    found: dict[int, tuple[Rule, list[Language]]] = {}
    for language in LANGUAGES:
        for rule in (*rules_for(language), outline_copy.RULE):
            found.setdefault(id(rule), (rule, []))[1].append(language)
    return tuple(Entry(rule, tuple(languages)) for rule, languages in found.values())


def rule_ids() -> tuple[str, ...]:
    """Every rule id, sorted."""
    return tuple(sorted({entry.rule.id for entry in catalogue()}))


def limits_of(rule: Rule) -> dict[str, float]:
    """A rule's thresholds by the key that changes each in `[thresholds]`, with their defaults."""
    defaults = ProseConfig()
    shared = {name: float(getattr(defaults, name)) for name in _SHARED_LIMITS.get(rule.id, ())}
    return shared | {f"{rule.id}.{name}": value for name, value in rule.limits.items()}


def nearest(word: str) -> list[str]:
    """The rule ids that look most like a word that is none, or whose names do."""
    from difflib import get_close_matches  # only where something is misspelt

    names = _names()
    known = [*rule_ids(), *names]
    close = get_close_matches(_bare(word[:60]), known, _NEAR, 0.5)
    return list(dict.fromkeys(rule for like in close for rule in names.get(like, [like])))[:_NEAR]


def _named(word: str) -> str:
    """The id of the one rule that has this name; the word itself if none has, or more than one."""
    if word in rule_ids():
        return word
    ids = _names().get(_bare(word[:200]), [])
    return ids[0] if len(ids) == 1 else word


def _names() -> dict[str, list[str]]:
    """The rules' names in both languages, bared of their marks, each with the ids that have it."""
    found: dict[str, list[str]] = {}
    for entry in catalogue():
        for name in (entry.rule.name.zh, entry.rule.name.en):
            ids = found.setdefault(_bare(name), [])
            if entry.rule.id not in ids:
                ids.append(entry.rule.id)
    return found


def _bare(name: str) -> str:
    """A name without case, blanks, and the marks that are hard to type."""
    return _MARKS.sub("", name.casefold())


def explain(rule_id: str) -> Explanation:
    """A rule in words, asked for by its id or by its name in either language. Raises `Refused`
    (`unknown_prose_rule`) for a word that is no rule's, or the name of several."""
    asked, rule_id = rule_id, _named(rule_id)
    found = [entry for entry in catalogue() if entry.rule.id == rule_id]
    if not found:
        near = nearest(asked)
        allowed = list(rule_ids())
        raise Refused(Fault("unknown_prose_rule", found=asked, allowed=allowed, name=near or ["—"]))
    return Explanation(
        rule=rule_id, texts=[_text(entry) for entry in found], turn_off=_turn_off(found)
    )


def _text(entry: Entry) -> RuleText:
    rule = entry.rule
    return RuleText(
        languages=list(entry.languages),
        name=rule.name,
        severity=rule.severity,
        strict_severity=rule.strict_severity or UNSET,
        review=rule.review,
        finds=_open(rule.message),
        why=rule.why or UNSET,
        advice=rule.advice,
        bad=rule.bad,
        good=rule.good,
        outline=outline_copy.OUTLINE_EXAMPLE if rule is outline_copy.RULE else UNSET,
        limits=limits_of(rule),
    )


def _open(message: Message) -> Message:
    """A message with … for what a finding would fill in."""
    return Message(_BLANK.sub("…", message.zh), _BLANK.sub("…", message.en))


def _turn_off(entries: list[Entry]) -> Message:
    rule = entries[0].rule
    limits = limits_of(rule)
    zh = f'在 {SETTINGS} 里写 off = ["{rule.id}"]；只放行某一句：literals = ["原句"]'
    en = f'Write off = ["{rule.id}"] into {SETTINGS}; to let one text pass: literals = ["the text"]'
    if limits:
        key, value = next(iter(limits.items()))
        quoted = f'"{key}"' if "." in key else key
        zh += f"；改阈值：在 [thresholds] 下写 {quoted} = {value:g}"
        en += f"; to change a threshold: {quoted} = {value:g} under [thresholds]"
    if rule.family == "style" and rule.severity == "blocking":
        zh += f"；整章降为建议：章首写 {SKIP_COMMENT}"
        en += f"; {SKIP_COMMENT} on top of a chapter makes it advice there"
    return Message(zh + "。", en + ".")


register(
    Code(
        "unknown_prose_rule", 2,
        "没有叫 {found} 的正文规则；最接近的：{name}",
        "there is no prose rule {found}; the nearest: {name}",
        "全部规则：{allowed}",
        "All rules: {allowed}",
        about_zh="--explain 后面写规则的编号（检查结果里方括号中的词，JSON 里 type 的值），或它的中文、英文名称。",
        about_en="--explain takes a rule's id (in brackets beside a finding, `type` in JSON) or its name in "
        "either language.",
    ),
)  # fmt: skip
