"""Prose rules for English: what is denied only so that something else may be said.

Pure data, and the search that looks around each denial. Advisory: every one of these sentences is
lawful English, and only the author knows whether it is meant here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import Body, LineKind

# It wasn't X. It was Y.: the same subject, a short X, and a Y of the same make that replaces it. What
# goes on to describe the thing, or tells the time, the weather or a number, is left alone.
_W: Final = r"[^\s.,;:!?—\x00]{1,20}"
_DET: Final = r"(?:an?|the|my|your|his|her|our|their|someone['’]s|somebody['’]s)"
_HALF: Final = r"(?: not (?:exactly|quite|really|only|just)[.,])?"
_TURN: Final = rf"(?:[.;!,:]{_HALF} ?| ?— ?| -- )(?:\1|it)(?: was| is| were| are|['’]s|['’]re) "
_NO_TURN: Final = (
    r"(?!not\b|n['’]t|nearly\b|almost\b|past\b|after\b|before\b|late\b|early\b|still\b|only\b|too\b|already\b"
    r"|raining\b|snowing\b|[0-9]|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|january\b|february\b|march\b|april\b|may\b|june\b|july\b|august\b|september\b|october\b|november\b|december\b|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half)\b)"
)
_HE: Final = "(?:he|she|they|i|we)"
_FEELING: Final = (
    r"(?:anger|rage|fury|fear|dread|terror|panic|grief|sorrow|sadness|pity|love|hate|hatred|longing|hunger|hope|despair|joy|relief"
    r"|shame|guilt|pride|envy|jealousy|loneliness|courage|mercy|cruelty|kindness|revenge|vengeance|justice|forgiveness|freedom|peace|power|duty|loyalty|betrayal"
    r"|defiance|surrender|defeat|victory|resignation|exhaustion|weariness|contempt|curiosity|desire|regret|remorse|doubt|trust|faith|silence|hesitation|warmth|malice)"
)
_FLIP: Final = re.compile(
    r"\b(it|this|that|these|those) (?:was|is|were|are)(?:n['’]t| not| never) (?:"
    rf"(?:just|merely|simply|quite|exactly|really) {_W}(?: {_W}){{0,5}}{_TURN}{_NO_TURN}"
    rf"|(?:just|merely|simply|only) about {_W}(?: {_W}){{0,5}}(?:[.;!,:] ?| ?— ?| -- )"
    r"(?:it|this|that) (?:was|is) about "
    # Two definite things were taken for each other: It was not the ferry. It was the coal boat.
    rf"|(?!the\b[^.;!,:—]{{1,80}}[.;!,:—]+ ?[a-z’']+ ?(?:was|is|were|are)? the\b)"
    rf"{_DET} {_W}(?: {_W}){{0,4}}{_TURN}{_DET} "
    rf"|{_FEELING} (?:that|which) [^.;!?\n\x00]{{1,60}}?{_TURN}{_NO_TURN}"
    rf"|{_FEELING} but {_FEELING}\b"
    rf"|(?!only\b|until\b|unless\b|possible\b|clear\b|long\b|far\b|yet\b|{_DET} ){_W}(?: {_W})?"
    rf"{_TURN}{_NO_TURN}(?:{_DET} )?{_W}(?: {_W}){{0,3}}[.;!,—]"
    r")"
    r"|\bnot because [^.;!?\n\x00]{1,60}?,? but because\b"
    # Not a threat. A promise.
    rf"|(?:(?<=[.!?] )|^[ \t]*)not (?:an?|the) {_W}(?: {_W})?[.!] (?:an?|the) {_W}(?: {_W}){{0,2}}[.!]"
    # She wasn't running away. She was running toward something.
    rf"|\b{_HE} (?:was|were)(?:n['’]t| not) ([a-z]{{2,16}}ing)\b[^.;!?\n\x00]{{0,40}}?[.;,—] ?{_HE} (?:was|were) \2\b"
    # She didn't look angry. She looked finished.
    rf"|\b{_HE} did(?:n['’]t| not) (look|sound|feel|seem) {_W}(?: {_W}){{0,2}}[.;,—] ?{_HE} \3ed\b"
    rf"|\b{_HE} did(?:n['’]t| not) feel {_W}(?: {_W}){{0,2}}[.;,—] ?{_HE} felt\b"
    # She hadn't come for answers. She had come for an ending.
    rf"|\b{_HE} (?:had|have)(?:n['’]t| not) (come|wanted|needed|meant|asked) (?:for"
    rf"|to) [^.;,!?\n\x00]{{1,30}}[.;,—] ?{_HE}(?: had| have|['’]d|['’]ve) \4\b"
    # The captain's smile wasn't kindness. It was calculation.
    r"|\b(?:smile|laugh|voice|look|eyes|silence|tone|gaze|stare|expression|face|words?|touch|quiet|stillness"
    "|kiss) (?:was|were)(?:n['’]t| not)"
    rf" (?:an? )?{_W}(?: {_W}){{0,2}}[.;,—] ?(?:it|they) (?:was|were)\b"
    rf"|\b(?:silence|voice|look|smile|quiet|distance|space) (?:between|of|in|on) {_W}(?: {_W}){{0,2}} (?:was"
    rf"|were)(?:n['’]t| not) {_W}(?: {_W}){{0,2}}[.;,—] ?(?:it|they) (?:was|were)\b"
    # She wasn't tired. She was worn through.
    r"|\b(?:he|she|they|i|we) (?:was|were)(?:n['’]t| not) (?!dead\b|alone\b|here\b|there\b|home\b|in\b|out\b"
    rf"|late\b|ready\b|sure\b|asleep\b|well\b|born\b|[a-z]+ing\b){_W}[.;] (?:he|she|they|i|we) (?:was"
    r"|were) (?!in\b|at\b|on\b|out\b|by\b|up\b|down\b|off\b|away\b|from\b|an?\b|the\b|not\b|still\b|only\b"
    rf"|too\b|late\b|[0-9]){_W}"
    # He hadn't lost her. He had spent her.
    rf"|\b{_HE} (?:had|have|did)(?:n['’]t| not) \w{{2,14}} (her|him|it|them|me|us)[.;] {_HE} (?:had "
    rf"|have )?\w{{2,14}} \5\b"
    # The letter was not an apology. It was an invoice.
    rf"|\bthe {_W} (?:was|were)(?:n['’]t| not) an? {_W}[.;] (?:it|they) (?:was|were) an? "
    # He did not want to be forgiven. He wanted to be remembered.
    rf"|\b{_HE} did(?:n['’]t| not) (?:want|need|mean|come|ask) (?:to"
    rf"|for) [^.;!?\n\x00]{{1,40}}[.;] ?{_HE} (?:wanted|needed|meant|came|asked) (?:to|for)\b"
    # This was never about the money. It was about …
    r"|\b(?:was|is|had|been) ?(?:never|not|n['’]t) (?:really |just "
    rf"|only )?about [^.;!?\n\x00]{{1,30}}[.;,—] ?(?:it|this|that) (?:was|is|had)(?: always)? (?:been )?about\b"
    # Not fear, exactly. Recognition.
    rf"|(?:(?<=[.!?] )|^[ \t]*)not {_FEELING},? (?:exactly|quite|really)[.!] "
    rf"|(?:(?<=[.!?] )|^[ \t]*)not {_FEELING}[.!] {_FEELING}[.!]"
    # It wasn't the cold that made him shiver; it was the way …
    rf"|\bit (?:was|is)(?:n['’]t| not) [^.;!?\n\x00]{{1,40}}? that [^.;!?\n\x00]{{1,40}}[.;,—] ?it (?:was"
    r"|is) (?:the (?:way|thought|idea|fact|silence|absence|knowledge)|how|what|something|knowing)\b"
    # He wasn't a hero. He was just the last one.
    rf"|\b(?:he|she|they|i|we) (?:was|were)(?:n['’]t| not) (?:an? |the )?{_W}(?: {_W})?[.;] (?:he|she|they|i"
    r"|we) (?:was|were) (?:just|only|merely|simply|nothing but|what)\b"
    # Her hands weren't shaking from cold. They were shaking from rage.
    rf"|\b(?:was|were)(?:n['’]t| not) ([a-z]{{2,14}}ing) (?:from|with|for|because"
    rf"|out)\b[^.;!?\n\x00]{{1,30}}[.;] ?(?:it|they|he|she) (?:was|were) \6\b"
    # It was not that he had forgotten. It was that he had chosen to.
    rf"|\bit (?:was|is)(?:n['’]t| not) that\b[^.;!?\n\x00]{{1,60}}[.;,] ?it (?:was|is) that\b"
    r"|\bthe (?:question|problem|trouble|point|tragedy|worst of it) (?:was|is)(?:n['’]t"
    rf"| not)\b[^.;!?\n\x00]{{1,60}}[,;.—] ?(?:but|it (?:was|is))\b"
    # They were not prisoners. They were something worse.
    rf"|\b(?:he|she|they|it) (?:was|were)(?:n['’]t| not) {_W}(?: {_W}){{0,4}}[.;—] ?(?:he|she|they|it) (?:was"
    r"|were) (?:something|someone|more than|worse|only what)\b"
    # What she felt was not guilt but something quieter.
    rf"|\b(?:was|is) not {_FEELING},? but (?:something|a kind|the|rather)\b"
    # The house was not just empty. It was hollow.
    rf"|\b(?:was|were|is|are)(?:n['’]t| not) (?:just|merely|simply) {_W}(?: {_W}){{0,3}}[.;—,] ?(?:it|he|she"
    r"|they|this|that)(?: was| were| is| are|['’]s|['’]re)\b(?! (?:also|not)\b)"
    # It was not the silence that frightened her, but what it was waiting for.
    rf"|\bit (?:was|is)(?:n['’]t| not) (?:the |his |her |their )?(?:{_FEELING}|dark(?:ness)?|cold|noise|pain"
    rf"|words?|distance|emptiness|stillness|quiet) (?:that|which) [^.;!?\n\x00]{{1,60}}?[,;—] ?but\b"
    # He didn't want revenge. He wanted justice.
    rf"|\b{_HE} did(?:n['’]t| not) (?:want|need|feel|seek|fear) (?:\w+ )?{_FEELING}[.;] {_HE} "
    rf"(?:wanted|needed|felt|sought|feared) (?:\w+ )?{_FEELING}\b",
    re.I,
)

_FRAGMENT: Final = (
    r"no (?!one\b|doubt\b(?![.!,])|matter\b)[^\s.,;:!?—\x00]{1,16}(?: [^\s.,;:!?—\x00]{1,16}){0,3}"
)
_LACKED: Final = (
    rf"(?:{_FEELING}|words?|promises?|tears?|goodbyes?|farewells?|apolog(?:y|ies)|explanations?|questions?"
    "|answers?|warnings?|ceremony|drama|speech(?:es)?|screams?|accusations?|excuses?|flowers|blame|bitterness"
    "|judge?ment|recrimination|mourners|witnesses|names?|fuss|applause|fanfare|struggle|shouting|screaming"
    "|crying|weeping|argument|laughter|music|sound)"
)
_PARADE: Final = re.compile(
    rf"(?:(?<=[.!?] )|^[ \t]*){_FRAGMENT}[.!] {_FRAGMENT}[.!] (?:{_FRAGMENT}\b|(?:just|only|nothing but)\b)"
    # Not a sound. Not a breath. Not even the wind.
    rf"|(?:(?<=[.!?] )|^[ \t]*)not (?:an?|one|even|the) {_W}(?: {_W}){{0,2}}[.!] not (?:an?|one|even"
    rf"|the) {_W}(?: {_W}){{0,2}}[.!] (?:not|just|only|nothing)\b"
    # She did not scream. She did not weep. She simply …
    rf"|\b{_HE} did(?:n['’]t| not) {_W}(?: {_W}){{0,3}}[.,;] {_HE} did(?:n['’]t"
    rf"| not) {_W}(?: {_W}){{0,3}}[.,;] {_HE} (?:simply|only|just|merely)\b"
    # She didn't scream, didn't run, didn't even blink.
    rf"|\bdid(?:n['’]t| not) {_W}(?: {_W})?, did(?:n['’]t| not) {_W}(?: {_W})?, (?:and )?did(?:n['’]t| not)\b"
    # There were no words, no promises, only …
    rf"|\bthere (?:was|were) no {_LACKED}, no {_LACKED},? (?:and )?(?:no {_W}(?: {_W})?,? )?(?:just|only|nothing but)\b"
    rf"|\bno {_FEELING}, no {_FEELING},? (?:and )?(?:no {_FEELING}|(?:just|only|nothing but)\b)",
    re.I,
)

_DENIAL: Final = re.compile(r"n['’]t\b|\bno[t ]|\bnever\b", re.I)
_WORD_START: Final = re.compile(r"\b[a-z]", re.I)
_REACH_BACK: Final = 24


@dataclass(frozen=True, slots=True)
class _Denying:
    """Finds what a pattern matches around a denial. Almost every sentence holds a word that the
    pattern could begin with, and few hold a denial: so the denials are looked for first."""

    pattern: re.Pattern[str]

    def __call__(self, body: Body, config: ProseConfig) -> Iterator[Hit]:
        for line in body.lines:
            if line.kind is not LineKind.NARRATIVE:
                continue
            text, done = line.narrative, 0
            for denial in _DENIAL.finditer(text):
                if denial.start() < done:
                    continue
                low = max(done, denial.start() - _REACH_BACK)
                # A line that is indented begins with its blanks.
                starts = [0] if low == 0 and not text[: denial.start()].strip() else []
                starts += [m.start() for m in _WORD_START.finditer(text, low, denial.end())]
                for start in starts:
                    if found := self.pattern.match(text, start):
                        yield Hit(line, *found.span())
                        done = max(found.end(), done)
                        break


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="negation-flip",
        name=Message("先否定再翻转", "it was not this, it was that"),
        family="style",
        severity="advisory",
        review="semantic",
        message=Message(
            "先否定再肯定：“不是甲，而是乙”的翻转",
            "a thing is denied only to be replaced: it wasn't this, it was that",
        ),
        advice=Message(
            "直接写后半句；只有读者真会想到前半句时才留着它。",
            "Say the second half alone, unless a reader would really have thought the first.",
        ),
        why=Message(
            "翻转替读者立一个没人有过的想法再推倒，一章里多几次就成了腔调。",
            "The flip knocks down a thought that nobody had; a few of them make a mannerism.",
        ),
        bad="She stood at the rail. It wasn't fear. It was hunger.",
        good="It wasn't raining. It was nearly seven, and she was not afraid but merely late.",
        search=_Denying(_FLIP),
    ),
    Rule(
        id="negation-parade",
        name=Message("否定排队", "a parade of negations"),
        family="style",
        severity="advisory",
        review="semantic",
        message=Message(
            "连着几个“没有……”的断句再给出剩下的那个",
            "one fragment after another says what is not there",
        ),
        advice=Message(
            "只写在场的东西；要写缺失，挑一样具体的。",
            "Say what is there; if something is missing, let it be one thing that can be seen.",
        ),
        bad="The hall was empty. No voices. No footsteps. Just the clock.",
        good="No one answered. No, he would not go in. No moon, no stars, only the lamp.",
        search=_Denying(_PARADE),
    ),
)
