"""Run the prose rules over one chapter.

Pure, deterministic, linear in the text's length. What is blocking here stops `chapter commit` in
the tracking protocol («运行工具»: `chapter check`); an empty body is no finding, its caller answers
`invalid`.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import Final

from clew.novel.prose.model import Finding, Hit, ProseConfig, Rule, Severity
from clew.novel.prose.text import Language, language_of, read_body

EXCERPT_CHARS: Final = 60
_LEAD_CHARS: Final = 12
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@cache
def rules_for(lang: Language) -> tuple[Rule, ...]:
    """The rules that a body in this language is checked by."""
    # Imported when asked for: compiling the patterns of a language that nobody reads costs time.
    from clew.novel.prose.rules_shared import RULES as SHARED

    if lang == "zh":
        from clew.novel.prose.rules_zh import RULES
    else:
        from clew.novel.prose.rules_en import RULES
    return SHARED + RULES


def check(
    text: str, *, lang: str | None = None, config: ProseConfig | None = None
) -> tuple[Finding, ...]:
    """Every finding in a chapter, ordered by place and then by rule.

    `lang` is `zh` or `en`, with or without a region (`en-GB`); None looks at the text. Never raises
    whatever the text is; raises ValueError for a language there are no rules for.
    """
    settings = config or ProseConfig()
    language = language_of(text) if lang is None else _language(lang)
    body = read_body(text, language)
    findings: list[Finding] = []
    for rule in rules_for(language):
        if rule.id in settings.off:
            continue
        severity = rule.severity_in(body, settings)
        hits = (hit for hit in rule.hits(body, settings) if not _meant(hit, settings.literals))
        some = islice(hits, settings.findings_per_rule)
        findings += (_finding(rule, severity, hit) for hit in some)
    return tuple(sorted(findings, key=lambda f: (f.line, f.column, f.rule)))


def _language(lang: str) -> Language:
    match re.split("[-_]", lang.lower(), maxsplit=1)[0]:
        case "zh":
            return "zh"
        case "en":
            return "en"
    raise ValueError(f"no prose rules for language {lang!r}; use 'zh' or 'en'")


def _meant(hit: Hit, literals: frozenset[str]) -> bool:
    """Whether a whitelisted text covers the hit, or as much of it as an excerpt shows."""
    end = min(hit.end, hit.start + EXCERPT_CHARS)
    for literal in literals:
        at = hit.line.text.find(literal, max(0, end - len(literal)), hit.start + len(literal))
        if literal and at >= 0:
            return True
    return False


def _finding(rule: Rule, severity: Severity, hit: Hit) -> Finding:
    text = hit.line.text
    # A few characters before the hit make it recognisable; a long hit needs none.
    start = max(0, hit.start - _LEAD_CHARS)
    if hit.end - start > EXCERPT_CHARS:
        start = hit.start
    excerpt = _UNPRINTABLE.sub("\ufffd", text[start : start + EXCERPT_CHARS]).strip()
    return Finding(
        rule=rule.id,
        severity=severity,
        review=rule.review,
        message=rule.message.filled(hit.values),
        line=hit.line.number,
        column=hit.start + 1,
        excerpt=excerpt,
        advice=rule.advice,
    )
