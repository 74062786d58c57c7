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

from clew.novel.prose.allowance import with_keeping
from clew.novel.prose.literals import literals_of
from clew.novel.prose.model import Finding, Hit, ProseConfig, Rule, Severity
from clew.novel.prose.text import Language, language_of, read_body
from clew.novel.wordcount import WHITESPACE

EXCERPT_CHARS: Final = 60
_LEAD_CHARS: Final = 12
_NAMED_CHARS: Final = 8
_AROUND_CHARS: Final = 16
_CLAUSE_ENDS: Final = frozenset("。！？!?.；;，,\n")
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
    meant = _Meant(settings.literals)
    for rule in rules_for(language):
        if rule.id in settings.off:
            continue
        severity = rule.severity_in(body, settings)
        hits = (hit for hit in rule.hits(body, settings) if not meant.covers(hit))
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


class _Meant:
    """The texts of a book that are meant as they stand, in the lines of one chapter."""

    def __init__(self, literals: frozenset[str]) -> None:
        self._texts = literals_of(literals - {""})
        self._any = bool(literals - {""})
        self._reach: dict[int, list[int]] = {}

    def covers(self, hit: Hit) -> bool:
        """Whether one of them covers the hit, or as much of it as an excerpt shows."""
        if not self._any:
            return False
        line = hit.line
        if line.number not in self._reach:
            self._reach[line.number] = self._texts.reach(line.text)
        end = min(hit.end, hit.start + EXCERPT_CHARS)
        return self._reach[line.number][end] <= hit.start


def _finding(rule: Rule, severity: Severity, hit: Hit) -> Finding:
    text = hit.line.text
    return Finding(
        rule=rule.id,
        severity=severity,
        review=rule.review,
        message=rule.message.filled(hit.values),
        line=hit.line.number,
        column=hit.start + 1,
        excerpt=excerpt(text, hit.start, hit.end),
        advice=with_keeping(rule, _phrase(hit)) if severity == "blocking" else rule.advice,
    )


def _phrase(hit: Hit) -> str:
    """The text of a hit as a whitelist would name it. A hit of a word or two is named with the clause
    around it, so that no other place of the book is let pass by it."""
    text, start, end = hit.line.text, hit.start, min(hit.end, hit.start + EXCERPT_CHARS)
    own = text[start:end]
    if len(own) < _NAMED_CHARS:
        while start > max(0, hit.start - _AROUND_CHARS) and text[start - 1] not in _CLAUSE_ENDS:
            start -= 1
        while end < min(len(text), hit.end + _AROUND_CHARS) and text[end] not in _CLAUSE_ENDS:
            end += 1
    before, after = text[start : hit.start], text[hit.start + len(own) : end]
    return before.lstrip(WHITESPACE) + own + after.rstrip(WHITESPACE)


def excerpt(text: str, start: int, end: int, lead: int = _LEAD_CHARS) -> str:
    """At most 60 printable characters that show a span of a line. A few characters before the span
    make it recognisable; a long span needs none. Words of letters are not cut in two."""
    at = max(0, start - lead)
    if end - at > EXCERPT_CHARS:
        at = start
    at = _next_word(text, at, min(end, at + EXCERPT_CHARS))
    stop = min(len(text), at + EXCERPT_CHARS)
    if _in_word(text, stop):
        back = stop
        while back > at and _is_letter(text[back - 1]):
            back -= 1
        stop = back if text[at:back].strip() else stop
    return _UNPRINTABLE.sub("\ufffd", text[at:stop]).strip()


def _next_word(text: str, at: int, end: int) -> int:
    """Where the word ends that a place is in the middle of; the place itself if it is in none, or if
    the word does not end in time."""
    after = at
    while after < end and _in_word(text, after):
        after += 1
    return after if after < end else at


def _in_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and _is_letter(text[at - 1]) and _is_letter(text[at])


def _is_letter(char: str) -> bool:
    """A letter or a mark within a word of an alphabet; Chinese is cut anywhere."""
    return (char < "\u0250" and char.isalnum()) or char in "'’"
